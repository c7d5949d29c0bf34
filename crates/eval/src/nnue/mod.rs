//! Evaluation by a neural network whose first layer is kept up to date from move to move (NNUE).
//!
//! Two kinds of nets are understood: our own (its description and file format are at [`Parameters`]) and the HalfKP
//! nets of Stockfish 12 and 13. [`Network::from_bytes`] reads and checks them; an [`Evaluator`](crate::Evaluator)
//! uses them in a search.
//!
//! From the bottom: [`block`]s of numbers, [`simd`] backends, [`kernels`] and sums of [`rows`] written once for all of
//! them, the two kinds ([`mirrored`], [`halfkp`]) behind one trait ([`architecture`]), and the [`accumulators`] of a
//! search, which hear of moves through [`changes`].

mod accumulators;
mod architecture;
mod block;
mod changes;
mod error;
mod format;
mod halfkp;
mod kernels;
mod mirrored;
mod rows;
mod sha256;
mod simd;

use std::fmt;
use std::sync::{Arc, LazyLock};

use ferz_board::{Board, Color, PieceType, Position};

pub use error::NetworkError;
pub use format::Parameters;

pub(crate) use accumulators::{Line, Ply};

use accumulators::{Accumulators, evaluate_board};
use halfkp::HalfKp;
use mirrored::Mirrored;
use rows::{PackedRows, PlainRows};

/// The name and the file of the embedded net.
#[cfg(not(ferz_evalfile))]
const EMBEDDED: (&str, &[u8]) = ("gen9-512", include_bytes!("../../networks/gen9-512.nnue"));
/// The net that `FERZ_EVALFILE` named when the library was built.
#[cfg(ferz_evalfile)]
const EMBEDDED: (&str, &[u8]) = (env!("FERZ_NETWORK_NAME"), include_bytes!(env!("FERZ_NETWORK")));

/// A net, checked and ready for use.
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::{Network, Parameters};
///
/// let bytes = Parameters::noise(64, 1, 1).to_bytes();
/// let network = Network::from_bytes(&bytes)?;
/// println!("{network}: {}", network.evaluate(&Position::start()));
/// # Ok::<(), ferz_eval::NetworkError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Network(Kind);

#[derive(Clone, PartialEq)]
enum Kind {
    Mirrored(Mirrored),
    HalfKp(Box<HalfKp<PackedRows>>),
    /// With weights that cannot be packed.
    WideHalfKp(Box<HalfKp<PlainRows>>),
}

/// Calls a function that is generic in the kind of the net.
macro_rules! with_kind {
    ($network:expr, $net:ident => $call:expr) => {
        match &$network.0 {
            Kind::Mirrored($net) => $call,
            Kind::HalfKp(net) => {
                let $net = &**net;
                $call
            }
            Kind::WideHalfKp(net) => {
                let $net = &**net;
                $call
            }
        }
    };
}

impl Network {
    /// The name of the embedded net.
    pub const EMBEDDED_NAME: &str = EMBEDDED.0;

    /// The embedded net: it comes with this library and was trained on games that Ferz played against itself.
    ///
    /// It is read once and shared: every call returns the same net.
    ///
    /// # Panics
    ///
    /// If the library was built with a different net (`FERZ_EVALFILE`) and that net is invalid.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| match Network::from_bytes(EMBEDDED.1) {
            Ok(network) => Arc::new(network),
            Err(error) => panic!("the embedded net {}: {error}", Network::EMBEDDED_NAME),
        });
        Arc::clone(&NETWORK)
    }

    /// No file of a net has more bytes than this.
    pub const MAX_BYTES: u64 = 32 << 20;

    /// Reads a net and checks all that can be checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        if bytes.starts_with(&format::MAGIC) {
            let parameters = Parameters::from_bytes(bytes)?;
            Ok(Network(Kind::Mirrored(Mirrored::new(&parameters))))
        } else if halfkp::is_meant(bytes) {
            let parameters = halfkp::Parameters::from_bytes(bytes)?;
            Ok(Network(match HalfKp::packed(&parameters) {
                Some(net) => Kind::HalfKp(Box::new(net)),
                None => Kind::WideHalfKp(Box::new(HalfKp::plain(&parameters))),
            }))
        } else {
            Err(unknown(bytes))
        }
    }

    /// The net's value of a position for the side to move, in the net's own units, from scratch.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_board(position.board(), position)
    }

    /// A value of this net in centipawns.
    pub fn centipawns(&self, value: i32) -> i32 {
        /// What a pawn is worth to the HalfKP nets.
        const HALFKP_PAWN: i32 = 208;
        match &self.0 {
            Kind::Mirrored(_) => value,
            Kind::HalfKp(_) | Kind::WideHalfKp(_) => (i64::from(value) * 100 / i64::from(HALFKP_PAWN)) as i32,
        }
    }

    /// How much White loses, in the net's own units, if the piece on a square vanishes: by square, none for kings
    /// and empty squares. Black's pieces are usually below zero.
    pub fn piece_values(&self, position: &Position) -> [Option<i32>; 64] {
        let for_white = |value: i32| if position.side_to_move() == Color::White { value } else { -value };
        let whole = self.evaluate(position);
        let mut values = [None; 64];
        for (square, piece) in position.board().iter() {
            if piece.piece_type() != PieceType::King {
                let mut board = *position.board();
                board.set(square, None);
                values[square.index()] = Some(for_white(whole - self.evaluate_board(&board, position)));
            }
        }
        values
    }

    /// The value of a board with the kings and the turn of a position.
    fn evaluate_board(&self, board: &Board, position: &Position) -> i32 {
        let kings = Color::ALL.map(|color| position.king(color));
        with_kind!(self, net => evaluate_board(net, board, position.side_to_move(), kings))
    }
}

/// The kind of the net and its size.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Mirrored(net) => write!(f, "768hm-{}x2-1x{}", net.hidden(), net.buckets()),
            Kind::HalfKp(_) | Kind::WideHalfKp(_) => f.write_str("HalfKP 256x2-32-32-1"),
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({self})")
    }
}

fn unknown(bytes: &[u8]) -> NetworkError {
    if bytes.is_empty() {
        return NetworkError::Empty;
    }
    let mut first = [0; 8];
    first.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    NetworkError::Unknown { first, length: bytes.len() }
}

/// A net at work: with the accumulators of a line of moves.
#[derive(Clone)]
pub(crate) struct Inference {
    network: Arc<Network>,
    accumulators: Accumulators,
}

impl Inference {
    pub(crate) fn new(network: Arc<Network>) -> Inference {
        let accumulators = with_kind!(network, net => Accumulators::new(net));
        Inference { network, accumulators }
    }

    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of the position at the end of a line for the side to move, in centipawns.
    pub(crate) fn evaluate(&mut self, line: &mut impl Line, position: &Position) -> i32 {
        let value = with_kind!(self.network, net => self.accumulators.evaluate(net, line, position));
        debug_assert_eq!(
            value,
            self.network.evaluate(position),
            "the accumulators have gone astray: {position}"
        );
        self.network.centipawns(value)
    }

    /// Computes what an evaluation needs from move to move, and no more.
    pub(crate) fn update(&mut self, line: &mut impl Line, position: &Position) {
        with_kind!(self.network, net => self.accumulators.update(net, line, position));
    }
}

impl fmt::Debug for Inference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inference({})", self.network)
    }
}
