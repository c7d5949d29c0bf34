//! Evaluation by an efficiently updatable neural network (NNUE): its feature transformer is updated incrementally, move by
//! move.
//!
//! Two architectures are supported: our own (described with its file format at [`NetworkParameters`]) and the HalfKP nets
//! of Stockfish 12 and 13. [`Network::from_bytes`] reads and checks them; an [`Evaluator`](crate::Evaluator) uses them in a
//! search.
//!
//! From the bottom: [`aligned`] arrays, [`simd`] backends, [`kernels`] and the [`feature_weights`] written once for all of
//! them, the two architectures ([`mirrored`], [`halfkp`]) behind one trait ([`architecture`]), and the [`accumulators`] of a
//! search, which moves reach as [`dirty_pieces`].

// Without HalfKP nets some kernels have no caller.
#![cfg_attr(not(feature = "halfkp"), allow(dead_code))]

mod accumulators;
mod aligned;
mod architecture;
mod compact;
mod dirty_pieces;
mod error;
mod feature_weights;
mod format;
#[cfg(feature = "halfkp")]
mod halfkp;
mod kernels;
mod mirrored;
mod sha256;
mod simd;
mod trace;

#[cfg(feature = "embedded-net")]
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use ferz_board::{Board, Color, PieceType, Position};

pub use error::NetworkError;
pub use format::NetworkParameters;
pub use trace::{AccumulatorTrace, NetworkTrace};

pub(crate) use accumulators::{AccumulatorState, StateStack};

use accumulators::{AccumulatorStack, EvaluateBoard, EvaluateLine, UpdateLine};
#[cfg(feature = "halfkp")]
use feature_weights::{PackedWeights, PlainWeights};
#[cfg(feature = "halfkp")]
use halfkp::{HalfKp, HalfKpParameters};
use mirrored::Mirrored;
use simd::Backend;

/// The name and the file of the embedded net.
#[cfg(all(feature = "embedded-net", not(any(ferz_evalfile, ferz_compact_net))))]
const EMBEDDED: (&str, &[u8]) = ("gen16-768", include_bytes!("../../networks/gen16-768.nnue"));
/// The net that `FERZ_EVALFILE` named when the library was built, or in WebAssembly a smaller net, compressed.
#[cfg(all(feature = "embedded-net", any(ferz_evalfile, ferz_compact_net)))]
const EMBEDDED: (&str, &[u8]) = (env!("FERZ_NETWORK_NAME"), include_bytes!(env!("FERZ_NETWORK")));

/// The file of the embedded net.
#[cfg(feature = "embedded-net")]
fn embedded_file() -> Cow<'static, [u8]> {
    if cfg!(ferz_compact_net) {
        Cow::Owned(compact::decompress(EMBEDDED.1))
    } else {
        Cow::Borrowed(EMBEDDED.1)
    }
}

/// A net, checked and ready for use.
///
/// It does not change, so any number of threads can share it in an [`Arc`].
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::{Network, NetworkParameters};
///
/// let bytes = NetworkParameters::noise(64, 1, 1).to_bytes();
/// let network = Network::from_bytes(&bytes)?;
/// assert_eq!(network.to_string(), "768hm-64x2-1x1");
///
/// // Exchanging the colours changes nothing for the side to move.
/// let position: Position = "4k3/8/8/3q4/8/8/4P3/4K3 w - - 0 1".parse().unwrap();
/// assert_eq!(network.evaluate(&position), network.evaluate(&position.with_colors_exchanged()));
/// # Ok::<(), ferz_eval::NetworkError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Network {
    kind: NetworkKind,
    /// What it is evaluated with. The order of the weights may depend on it.
    backend: Backend,
}

/// A net of any architecture.
#[derive(Clone, PartialEq)]
enum NetworkKind {
    Mirrored(Mirrored),
    #[cfg(feature = "halfkp")]
    HalfKp(Box<HalfKp<PackedWeights>>),
    /// With weights that cannot be packed.
    #[cfg(feature = "halfkp")]
    WideHalfKp(Box<HalfKp<PlainWeights>>),
}

/// Calls a function that is generic in the architecture of the net.
macro_rules! with_kind {
    ($network:expr, $net:ident => $call:expr) => {
        match &$network.kind {
            NetworkKind::Mirrored($net) => $call,
            #[cfg(feature = "halfkp")]
            NetworkKind::HalfKp(net) => {
                let $net = &**net;
                $call
            }
            #[cfg(feature = "halfkp")]
            NetworkKind::WideHalfKp(net) => {
                let $net = &**net;
                $call
            }
        }
    };
}

impl Network {
    /// The name of the embedded net (feature `embedded-net`).
    #[cfg(feature = "embedded-net")]
    pub const EMBEDDED_NAME: &str = EMBEDDED.0;

    /// The embedded net: it comes with this library and was trained on games that Ferz played against itself.
    ///
    /// It is read once and shared: every call returns the same net. Without the default feature `embedded-net` the
    /// library has no net of its own.
    ///
    /// # Panics
    ///
    /// If the library was built with a different net (`FERZ_EVALFILE`) and that net is invalid.
    #[cfg(feature = "embedded-net")]
    #[must_use]
    pub fn embedded() -> Arc<Network> {
        static NETWORK: std::sync::LazyLock<Arc<Network>> =
            std::sync::LazyLock::new(|| match Network::from_bytes(&embedded_file()) {
                Ok(network) => Arc::new(network),
                Err(error) => panic!("the embedded net {}: {error}", Network::EMBEDDED_NAME),
            });
        Arc::clone(&NETWORK)
    }

    /// A smaller net (feature `small-net`): 1.2 MB, without king buckets, and some 15 Elo weaker at equal nodes. It is
    /// the one that [`embedded`](Self::embedded) returns in WebAssembly.
    #[cfg(feature = "small-net")]
    #[must_use]
    pub fn small() -> Arc<Network> {
        static NETWORK: std::sync::LazyLock<Arc<Network>> = std::sync::LazyLock::new(|| {
            let bytes = include_bytes!("../../networks/small/gen15-768.nnue");
            Arc::new(Network::from_bytes(bytes).expect("a test reads it"))
        });
        Arc::clone(&NETWORK)
    }

    /// The greatest size of a net file in bytes.
    pub const MAX_BYTES: u64 = 32 << 20;

    /// Reads a net of any supported architecture and checks everything that can be checked.
    ///
    /// ```
    /// use ferz_eval::{Network, NetworkError, NetworkParameters};
    ///
    /// let mut bytes = NetworkParameters::noise(32, 1, 1).to_bytes();
    /// bytes[1000] ^= 1;
    /// assert_eq!(Network::from_bytes(&bytes), Err(NetworkError::Hash));
    /// ```
    ///
    /// A HalfKP net (feature `halfkp`) without weights, whose output bias makes every position worth a pawn:
    ///
    /// ```
    /// # #[cfg(feature = "halfkp")] {
    /// use ferz_board::Position;
    /// use ferz_eval::Network;
    ///
    /// let mut bytes: Vec<u8> = [0x7AF3_2F16u32, 0x3E5A_A6EE, 0, 0x5D69_D7B8].into_iter().flat_map(u32::to_le_bytes).collect();
    /// let append = |bytes: &mut Vec<u8>, zeros: usize| bytes.extend(std::iter::repeat_n(0, zeros));
    /// append(&mut bytes, 2 * 256 * (1 + 64 * 641)); // the feature transformer
    /// bytes.extend(0x6333_7156u32.to_le_bytes());
    /// append(&mut bytes, 32 * (4 + 512) + 32 * (4 + 32)); // two hidden layers
    /// bytes.extend((16 * 208i32).to_le_bytes());
    /// append(&mut bytes, 32); // the output weights
    ///
    /// let net = Network::from_bytes(&bytes)?;
    /// assert_eq!(net.to_string(), "HalfKP 256x2-32-32-1");
    /// assert_eq!(net.centipawns(net.evaluate(&Position::start())), 100);
    /// # }
    /// # Ok::<(), ferz_eval::NetworkError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        Network::for_backend(bytes, Backend::best())
    }

    /// The same net for every backend of this build that the processor can run, with the backend's name. The scalar one,
    /// which is the reference, comes first.
    #[cfg(feature = "compare-backends")]
    pub fn for_all_backends(bytes: &[u8]) -> Result<Vec<(&'static str, Network)>, NetworkError> {
        Backend::available().map(|it| Ok((it.name(), Network::for_backend(bytes, it)?))).collect()
    }

    /// Reads a net that is to be evaluated with a backend.
    fn for_backend(bytes: &[u8], backend: Backend) -> Result<Network, NetworkError> {
        if bytes.starts_with(&format::MAGIC) {
            let parameters = NetworkParameters::from_bytes(bytes)?;
            return Ok(Network { kind: NetworkKind::Mirrored(Mirrored::new(&parameters)), backend });
        }
        #[cfg(feature = "halfkp")]
        if halfkp::has_version_of(bytes) {
            let parameters = HalfKpParameters::from_bytes(bytes)?;
            let kind = match HalfKp::packed(&parameters, backend) {
                Some(net) => NetworkKind::HalfKp(Box::new(net)),
                None => NetworkKind::WideHalfKp(Box::new(HalfKp::plain(&parameters, backend))),
            };
            return Ok(Network { kind, backend });
        }
        Err(unknown(bytes))
    }

    /// The net's value of a position for the side to move, in the net's own units, computed from scratch.
    ///
    /// ```
    /// # #[cfg(feature = "embedded-net")] {
    /// use ferz_board::Position;
    /// use ferz_eval::Network;
    ///
    /// let net = Network::embedded();
    /// let up_a_queen: Position = "4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1".parse().unwrap();
    /// assert!(net.centipawns(net.evaluate(&up_a_queen)) > 500);
    /// # }
    /// ```
    #[must_use]
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_board(position.board(), position)
    }

    /// Converts a value of this net to centipawns.
    #[must_use]
    pub fn centipawns(&self, value: i32) -> i32 {
        /// What a pawn is worth to the HalfKP nets.
        #[cfg(feature = "halfkp")]
        const HALFKP_PAWN: i32 = 208;
        match &self.kind {
            NetworkKind::Mirrored(_) => value,
            #[cfg(feature = "halfkp")]
            NetworkKind::HalfKp(_) | NetworkKind::WideHalfKp(_) => {
                (i64::from(value) * 100 / i64::from(HALFKP_PAWN)) as i32
            }
        }
    }

    /// How much White loses, in the net's own units, if the piece on a square is removed: by square, `None` for kings
    /// and empty squares. Black's pieces are usually below zero.
    ///
    /// ```
    /// # #[cfg(feature = "embedded-net")] {
    /// use ferz_board::{Position, Square};
    /// use ferz_eval::Network;
    ///
    /// let position: Position = "4k3/8/8/3q4/8/8/4P3/4K3 b - - 0 1".parse().unwrap();
    /// let values = Network::embedded().piece_values(&position);
    /// assert!(values[Square::D5.index()].unwrap() < 0);
    /// assert_eq!(values[Square::E1.index()], None);
    /// # }
    /// ```
    #[must_use]
    pub fn piece_values(&self, position: &Position) -> [Option<i32>; 64] {
        let for_white =
            |value: i32| if position.side_to_move() == Color::White { value } else { value.saturating_neg() };
        let whole = self.evaluate(position);
        let mut values = [None; 64];
        for (square, piece) in position.board() {
            if piece.piece_type() != PieceType::King {
                let mut board = *position.board();
                board.set(square, None);
                let without = self.evaluate_board(&board, position);
                values[square.index()] = Some(for_white(whole.saturating_sub(without)));
            }
        }
        values
    }

    /// The value of a board with the kings and the side to move of a position.
    fn evaluate_board(&self, board: &Board, position: &Position) -> i32 {
        let kings = Color::ALL.map(|color| position.king(color));
        let turn = position.side_to_move();
        with_kind!(self, net => self.backend.run(EvaluateBoard { net, board, turn, kings }))
    }
}

/// The architecture and its size: `768hm-512x2-1x8` has 768 horizontally mirrored inputs, two accumulators of 512 numbers
/// and one output in 8 buckets; `768x4hm` would have 4 king buckets.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NetworkKind::Mirrored(net) => {
                f.write_str("768")?;
                if net.tables() > 1 {
                    write!(f, "x{}", net.tables())?;
                }
                write!(f, "hm-{}x2-1x{}", net.hidden(), net.buckets())
            }
            #[cfg(feature = "halfkp")]
            NetworkKind::HalfKp(_) | NetworkKind::WideHalfKp(_) => f.write_str("HalfKP 256x2-32-32-1"),
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({self})")
    }
}

/// The name of the kernels that evaluate nets: the best that this build has and this processor can run.
///
/// They are `AVX-512 VBMI2` (with VNNI as well), `AVX-512 VNNI`, `AVX-512`, `AVX2`, `NEON`, `simd128` or `scalar`. All give
/// the same values.
///
/// ```
/// println!("evaluating nets with {}", ferz_eval::kernel_name());
/// ```
#[must_use]
pub fn kernel_name() -> &'static str {
    Backend::best().name()
}

fn unknown(bytes: &[u8]) -> NetworkError {
    if bytes.is_empty() {
        return NetworkError::Empty;
    }
    let mut first = [0; 8];
    first.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    NetworkError::Unknown { first, length: bytes.len() }
}

/// A net in use, with the accumulators of a line of moves.
#[derive(Clone)]
pub(crate) struct Inference {
    network: Arc<Network>,
    accumulators: AccumulatorStack,
}

impl Inference {
    pub(crate) fn new(network: Arc<Network>) -> Inference {
        let accumulators = with_kind!(network, net => AccumulatorStack::new(net));
        Inference { network, accumulators }
    }

    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of the position at the end of a line for the side to move, in centipawns.
    pub(crate) fn evaluate(&mut self, states: &mut impl StateStack, position: &Position) -> i32 {
        let Inference { network, accumulators } = self;
        let value = with_kind!(network, net => {
            network.backend.run(EvaluateLine { net, accumulators, states, position })
        });
        debug_assert_eq!(
            value,
            self.network.evaluate(position),
            "an incremental update is wrong: {position}"
        );
        self.network.centipawns(value)
    }

    /// Brings the accumulators up to date, without the layers behind them.
    pub(crate) fn update(&mut self, states: &mut impl StateStack, position: &Position) {
        let Inference { network, accumulators } = self;
        with_kind!(network, net => network.backend.run(UpdateLine { net, accumulators, states, position }));
    }
}

impl fmt::Debug for Inference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inference({})", self.network)
    }
}

#[cfg(all(test, feature = "halfkp"))]
mod tests;
