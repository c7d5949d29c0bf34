//! The file format of our own nets: reading and writing.

use super::error::NetworkError;
use super::sha256::sha256;
use super::simd::WEIGHT_LIMIT;

/// The number of inputs: two colours, six piece types, 64 squares.
pub(super) const INPUTS: usize = 768;
/// The number of king buckets of a net that has them.
pub(super) const KING_BUCKETS: usize = 4;
/// The king bucket by rank, from the king's own side, and by file, mirrored: kings that castled, others on the first
/// rank, those on the second and those that walk.
pub(super) const KING_BUCKET_OF: [[u8; 4]; 8] = {
    let mut buckets = [[3; 4]; 8];
    buckets[0] = [0, 0, 1, 1];
    buckets[1] = [2; 4];
    buckets
};
/// Quantisation of the feature transformer: what 1.0 is in an accumulator.
pub(super) const QA: i32 = 255;
/// Quantisation of the output weights of [noise](NetworkParameters::noise): what 1.0 is.
const QB: u16 = 64;
/// The greatest valid one.
const MAX_QB: u16 = 1024;
/// The scale of [noise](NetworkParameters::noise): an output of 1.0 in centipawns.
const SCALE: u16 = 400;
/// The greatest valid one.
const MAX_SCALE: u16 = 1000;

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"FERZNNUE";
const VERSION: u16 = 1;
/// 768 horizontally mirrored inputs, one hidden layer, SCReLU.
const MIRRORED_768: u16 = 1;
/// The same with king buckets.
const KING_BUCKETS_768: u16 = 2;
const HEADER: usize = 64;

/// The greatest number of features in an accumulator.
const MAX_PIECES: i64 = 32;

/// The parameters of a net of our own architecture: quantised weights and biases as a trainer writes them.
///
/// # The net
///
/// `768 → hidden × 2 → 1`, with horizontal mirroring, king buckets, SCReLU and output buckets. The feature transformer
/// gives each perspective (White's and Black's) an accumulator of `hidden` numbers: the sum of `feature_biases` and of one
/// row of `feature_weights` for every piece on the board, kings included. The feature index, the number of the row:
///
/// ```text
/// feature = 768 · bucket + 384 · (0 for an own piece, 1 for an enemy piece) + 64 · type + square
/// bucket  = 0 if king_buckets is 1; if it is 4, by the square of the own king:
///           0 for a1 and b1, 1 for c1 and d1, 2 for the second rank, 3 for the ranks above
/// type    = 0 pawn, 1 knight, 2 bishop, 3 rook, 4 queen, 5 king
/// square  = 0 for a1, 1 for b1 … 63 for h8, as for the king's square in bucket;
///           for Black exclusive-or 56 (ranks flipped);
///           and if the own king stands on one of the files e to h, exclusive-or 7 (files mirrored)
/// ```
///
/// The value for the side to move, all in integers, where `/` rounds towards zero (as in Rust and C, unlike Python's
/// `//`):
///
/// ```text
/// a       = the accumulator of the side to move, then that of the opponent: 2 · hidden numbers
/// output  = 0 if buckets is 1, (pieces on the board - 2) / 4 if it is 8
/// sum     = Σ clamp(a[i], 0, 255)² · output_weights[output][i]
/// value   = (sum / 255 + output_biases[output]) · scale / (255 · output_unit)
/// ```
///
/// # The file
///
/// Little endian, without gaps. The header has 64 bytes:
///
/// | at | bytes | what |
/// |---:|---:|---|
/// | 0 | 8 | `FERZNNUE` |
/// | 8 | 2 | version of the format, 1 |
/// | 10 | 2 | architecture: 1 if `king_buckets` is 1, 2 if it is 4 |
/// | 12 | 2 | `hidden`: a multiple of 32 from 32 to 2048 |
/// | 14 | 2 | `buckets`: 1 or 8 |
/// | 16 | 2 | QA = 255: what 1.0 is in an accumulator |
/// | 18 | 2 | QB, `output_unit`: what 1.0 is among the output weights, 1 to 1024 |
/// | 20 | 2 | `scale`: the value of an output of 1.0 in centipawns, 1 to 1000 |
/// | 22 | 2 | 0 |
/// | 24 | 8 | how many bytes follow the header |
/// | 32 | 32 | the SHA-256 of the 32 bytes before and of those that follow the header |
///
/// Then come `feature_weights` (16 bits each, 768 · `king_buckets` rows of `hidden`), `feature_biases` (16 bits, `hidden`),
/// `output_weights` (16 bits, `buckets` rows of 2 · `hidden`) and `output_biases` (32 bits, `buckets`), and nothing
/// else. A PyTorch trainer quantises them with `round(weight · unit)`, where the unit is 255 for feature weights and
/// feature biases, `output_unit` for output weights and 255 · `output_unit` for output biases; `nn.Linear.weight` of
/// the feature transformer has to be transposed, since it is stored `[hidden][768]`. Most output weights are small: the
/// greater their unit, the less is lost by rounding them.
///
/// # Limits
///
/// Reading a net checks two limits, so that no sum overflows in any position. Output weights are within ±127 (clip to
/// 127 / `output_unit` in training). For each hidden unit the size of its bias and 32 times that of its greatest weight
/// add up to at most 32767 (with weights clipped to ±1.98 the bias may be up to 65.0).
///
/// ```
/// use ferz_eval::{Network, NetworkError, NetworkParameters};
///
/// let mut parameters = NetworkParameters::noise(32, 8, 1);
/// assert_eq!(NetworkParameters::from_bytes(&parameters.to_bytes()).as_ref(), Ok(&parameters));
///
/// parameters.output_weights[0] = 128;
/// let error = Network::from_bytes(&parameters.to_bytes()).unwrap_err();
/// assert!(matches!(error, NetworkError::Range { limit: 127, found: 128, .. }));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkParameters {
    /// The size of the hidden layer: how many numbers an accumulator has.
    pub hidden: usize,
    /// The number of king buckets: 1 or 4.
    pub king_buckets: usize,
    /// The number of output buckets: 1 or 8.
    pub buckets: usize,
    /// Quantisation: what 1.0 is among the output weights.
    pub output_unit: u16,
    /// The value of an output of 1.0, in centipawns.
    pub scale: u16,
    /// `[king_buckets][768][hidden]`
    pub feature_weights: Vec<i16>,
    /// `[hidden]`
    pub feature_biases: Vec<i16>,
    /// `[buckets][2 · hidden]`
    pub output_weights: Vec<i16>,
    /// `[buckets]`
    pub output_biases: Vec<i32>,
}

impl NetworkParameters {
    /// Random parameters without king buckets, for tests and measurements. The same seed gives the same net.
    #[must_use]
    pub fn noise(hidden: usize, buckets: usize, seed: u64) -> NetworkParameters {
        NetworkParameters::some_noise(hidden, 1, buckets, seed)
    }

    /// Random parameters with king buckets.
    #[must_use]
    pub fn noise_with_king_buckets(hidden: usize, buckets: usize, seed: u64) -> NetworkParameters {
        NetworkParameters::some_noise(hidden, KING_BUCKETS, buckets, seed)
    }

    fn some_noise(hidden: usize, king_buckets: usize, buckets: usize, seed: u64) -> NetworkParameters {
        let mut state = seed;
        // A linear congruential generator of our own, because this is part of a library without dependencies. The
        // difference of two numbers is closer to trained weights than a single one.
        let mut number = |limit: i32| {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as i32 % (limit + 1)
            };
            next() - next()
        };
        let mut numbers = |count: usize, limit: i32| (0..count).map(|_| number(limit) as i16).collect();
        NetworkParameters {
            hidden,
            king_buckets,
            buckets,
            output_unit: QB,
            scale: SCALE,
            feature_weights: numbers(INPUTS * king_buckets * hidden, 80),
            feature_biases: numbers(hidden, 160),
            output_weights: numbers(2 * hidden * buckets, i32::from(WEIGHT_LIMIT)),
            output_biases: (0..buckets).map(|_| number(3000)).collect(),
        }
    }

    /// Writes the file of this net. Only the lengths of the parts are checked.
    ///
    /// # Panics
    ///
    /// If `king_buckets` is neither 1 nor 4, or if the length of a part does not follow from the sizes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = [
            (self.feature_weights.len(), INPUTS * self.king_buckets * self.hidden),
            (self.feature_biases.len(), self.hidden),
            (self.output_weights.len(), 2 * self.hidden * self.buckets),
            (self.output_biases.len(), self.buckets),
        ];
        assert!(
            parts.iter().all(|(length, expected)| length == expected),
            "parts of wrong length: {parts:?}"
        );
        let architecture = match self.king_buckets {
            1 => MIRRORED_768,
            KING_BUCKETS => KING_BUCKETS_768,
            other => panic!("{other} king buckets"),
        };
        let mut payload = Vec::with_capacity(payload_length(self.hidden, self.king_buckets, self.buckets));
        for numbers in [&self.feature_weights, &self.feature_biases, &self.output_weights] {
            payload.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        payload.extend(self.output_biases.iter().flat_map(|number| number.to_le_bytes()));

        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend(MAGIC);
        let fields = [VERSION, architecture, self.hidden as u16, self.buckets as u16];
        let units = [QA as u16, self.output_unit, self.scale, 0];
        bytes.extend(fields.into_iter().chain(units).flat_map(u16::to_le_bytes));
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(digest(&bytes, &payload));
        bytes.append(&mut payload);
        bytes
    }

    /// Reads and checks a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<NetworkParameters, NetworkError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(super::unknown(bytes));
        }
        let too_short = NetworkError::Length { expected: HEADER as u64, found: bytes.len() as u64 };
        let (header, payload) = bytes.split_first_chunk::<HEADER>().ok_or(too_short)?;
        let at = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let check = |name, at_byte, expected, is_right: fn(u16) -> bool| match at(at_byte) {
            found if is_right(found) => Ok(usize::from(found)),
            found => Err(NetworkError::Field { name, expected, found: found.into() }),
        };
        check("version", 8, "1", |it| it == VERSION)?;
        let architecture =
            check("architecture", 10, "1 or 2", |it| it == MIRRORED_768 || it == KING_BUCKETS_768)?;
        let king_buckets = if architecture == usize::from(MIRRORED_768) { 1 } else { KING_BUCKETS };
        let is_width = |it: u16| it != 0 && it.is_multiple_of(32) && it <= 2048;
        let hidden = check("hidden", 12, "a multiple of 32 from 32 to 2048", is_width)?;
        let buckets = check("buckets", 14, "1 or 8", |it| it == 1 || it == 8)?;
        check("QA", 16, "255", |it| i32::from(it) == QA)?;
        let output_unit = check("QB", 18, "1 to 1024", |it| (1..=MAX_QB).contains(&it))? as u16;
        let scale = check("scale", 20, "1 to 1000", |it| (1..=MAX_SCALE).contains(&it))? as u16;
        check("reserved", 22, "0", |it| it == 0)?;
        let expected = payload_length(hidden, king_buckets, buckets) as u64;
        let promised = u64::from_le_bytes(std::array::from_fn(|i| header[24 + i]));
        if promised != expected {
            let expected = "the length that architecture, hidden and buckets give";
            return Err(NetworkError::Field { name: "payload length", expected, found: promised });
        }
        if payload.len() as u64 != expected {
            let (expected, found) = (HEADER as u64 + expected, bytes.len() as u64);
            return Err(NetworkError::Length { expected, found });
        }
        if digest(&header[..32], payload) != header[32..] {
            return Err(NetworkError::Hash);
        }

        let mut rest = payload;
        let mut numbers = |count: usize| -> Vec<i16> {
            let (part, others) = rest.split_at(2 * count);
            rest = others;
            part.as_chunks::<2>().0.iter().map(|bytes| i16::from_le_bytes(*bytes)).collect()
        };
        let parameters = NetworkParameters {
            hidden,
            king_buckets,
            buckets,
            output_unit,
            scale,
            feature_weights: numbers(INPUTS * king_buckets * hidden),
            feature_biases: numbers(hidden),
            output_weights: numbers(2 * hidden * buckets),
            output_biases: rest.as_chunks::<4>().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect(),
        };
        parameters.check_ranges()?;
        Ok(parameters)
    }

    fn check_ranges(&self) -> Result<(), NetworkError> {
        let too_great = |layer, limit, found: i64| NetworkError::Range { layer, limit, found };
        let limit = i64::from(WEIGHT_LIMIT);
        for &weight in &self.output_weights {
            if i64::from(weight).abs() > limit {
                return Err(too_great("output weight", limit, weight.into()));
            }
        }
        let mut greatest = vec![0; self.hidden];
        for row in self.feature_weights.chunks_exact(self.hidden) {
            greatest.iter_mut().zip(row).for_each(|(most, weight)| *most = weight.unsigned_abs().max(*most));
        }
        for (&most, bias) in greatest.iter().zip(&self.feature_biases) {
            let sum = MAX_PIECES * i64::from(most) + i64::from(bias.unsigned_abs());
            let limit = i16::MAX.into();
            if sum > limit {
                return Err(too_great("bias and 32 weights of a hidden unit", limit, sum));
            }
        }
        Ok(())
    }
}

/// The SHA-256 of everything but the place it is written to.
fn digest(header: &[u8], payload: &[u8]) -> [u8; 32] {
    sha256(&[header, payload].concat())
}

/// How many bytes follow the header.
const fn payload_length(hidden: usize, king_buckets: usize, buckets: usize) -> usize {
    2 * (INPUTS * king_buckets + 1 + 2 * buckets) * hidden + 4 * buckets
}
