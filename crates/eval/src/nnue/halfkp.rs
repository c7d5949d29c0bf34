//! HalfKP 256×2-32-32-1: the nets of Stockfish 12 and 13 (`.nnue`, version `0x7AF32F16`).
//!
//! The feature set has a feature for every own king square, piece (without kings) and square: 64 × 641 rows of 256
//! weights in the feature transformer. ClippedReLU of the two accumulators gives the 512 inputs of a layer of 32, which
//! a second layer of 32 and the output follow. Values are in the units of those programs, where a pawn is about 208.
//!
//! The file, little endian: version, hash of the architecture, length of the description and description; hash of the
//! feature transformer, its biases and weights (16 bits); hash of the other layers, and for each its biases (32 bits)
//! and weights (8 bits, output by output).

use ferz_board::{Color, Piece, PieceType, Square};

use super::aligned::{ClippedInputs, I8x64, I16x32, LANES, to_vectors};
use super::architecture::{Architecture, Perspective};
use super::error::NetworkError;
use super::feature_weights::{FeatureWeights, PackedWeights, PlainWeights};
use super::kernels::{self, ClippedRelu};
use super::simd::{Backend, Task, Vector};

const VERSION: u32 = 0x7AF3_2F16;
const ARCHITECTURE_HASH: u32 = 0x3E5A_A6EE;
const FEATURES_HASH: u32 = 0x5D69_D7B8;
const LAYERS_HASH: u32 = 0x6333_7156;
/// A longer description is an error.
const MAX_DESCRIPTION: u32 = 4096;

/// The size of an accumulator.
const HIDDEN: usize = 256;
const WIDTH: usize = HIDDEN / LANES;
/// Features for each king bucket: piece types without kings × squares × own or enemy piece.
const FEATURES_PER_BUCKET: usize = 5 * 64 * 2;
const FEATURES: usize = 64 * FEATURES_PER_BUCKET;
/// Greater biases could make sums overflow; no trained net comes near.
const BIAS_LIMIT: i32 = 1 << 30;
/// The output is the value times this.
const OUTPUT_SCALE: i32 = 16;

/// The parameters in a HalfKP file.
pub(super) struct HalfKpParameters {
    /// Own and enemy pieces alternate: odd features are those of enemy pieces.
    weights: Vec<[i16; HIDDEN]>,
    biases: [i16; HIDDEN],
    /// For each input those of all outputs.
    first_weights: [[i8; 32]; 2 * HIDDEN],
    first_biases: [i32; 32],
    second_weights: [[i8; 32]; 32],
    second_biases: [i32; 32],
    output_weights: [i8; 32],
    output_bias: i32,
}

/// Whether a file is a HalfKP net or one of its successors, whose versions differ in the first byte.
pub(super) fn has_version_of(bytes: &[u8]) -> bool {
    bytes.get(1..4) == Some(&VERSION.to_le_bytes()[1..])
}

impl HalfKpParameters {
    /// Reads a file.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<HalfKpParameters, NetworkError> {
        let mut reader = Reader { bytes, at: 0 };
        reader.constant("version", VERSION, "0x7af32f16 (Stockfish 12 and 13)")?;
        reader.constant("architecture hash", ARCHITECTURE_HASH, "0x3e5aa6ee (HalfKP 256x2-32-32)")?;
        let length = u32::from_le_bytes(reader.take()?);
        if length > MAX_DESCRIPTION {
            let expected = "at most 4096";
            return Err(NetworkError::Field { name: "description length", expected, found: length.into() });
        }
        reader.skip(length as usize)?;
        // The rest has a fixed size, so a wrong length can be reported at once.
        let rest = 4 + 2 * HIDDEN * (1 + 64 + FEATURES) + 4 + (4 + 512) * 32 + (4 + 32) * 32 + 4 + 32;
        let (expected, found) = ((reader.at + rest) as u64, bytes.len() as u64);
        if expected != found {
            return Err(NetworkError::Length { expected, found });
        }

        reader.constant("feature transformer hash", FEATURES_HASH, "0x5d69d7b8")?;
        let [biases] = reader.feature_rows()?;
        let mut weights = Vec::with_capacity(FEATURES);
        for _ in 0..64 {
            // An unused feature.
            reader.skip(2 * HIDDEN)?;
            for _ in 0..5 {
                let [own, enemy] = [reader.feature_rows::<64>()?, reader.feature_rows::<64>()?];
                own.into_iter().zip(enemy).for_each(|(own, enemy)| weights.extend([own, enemy]));
            }
        }
        reader.constant("layers hash", LAYERS_HASH, "0x63337156")?;
        let first_biases = reader.biases("first hidden layer bias")?;
        let first_weights = reader.weights()?;
        let second_biases = reader.biases("second hidden layer bias")?;
        let second_weights = reader.weights()?;
        let [output_bias] = reader.biases("output bias")?;
        let output_weights = reader.take::<32>()?.map(|byte| byte as i8);
        Ok(HalfKpParameters {
            weights,
            biases,
            first_weights,
            first_biases,
            second_weights,
            second_biases,
            output_weights,
            output_bias,
        })
    }
}

/// Reads the parts of a file in order.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn slice(&mut self, length: usize) -> Result<&[u8], NetworkError> {
        let end = self.at + length;
        let too_short = NetworkError::Length { expected: end as u64, found: self.bytes.len() as u64 };
        let slice = self.bytes.get(self.at..end).ok_or(too_short)?;
        self.at = end;
        Ok(slice)
    }

    fn skip(&mut self, length: usize) -> Result<(), NetworkError> {
        self.slice(length).map(|_| ())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], NetworkError> {
        let slice = self.slice(N)?;
        Ok(std::array::from_fn(|i| slice[i]))
    }

    fn constant(
        &mut self,
        name: &'static str,
        constant: u32,
        expected: &'static str,
    ) -> Result<(), NetworkError> {
        match u32::from_le_bytes(self.take()?) {
            found if found == constant => Ok(()),
            found => Err(NetworkError::Field { name, expected, found: found.into() }),
        }
    }

    /// Rows of the feature transformer.
    fn feature_rows<const N: usize>(&mut self) -> Result<[[i16; HIDDEN]; N], NetworkError> {
        let mut rows = [[0; HIDDEN]; N];
        for row in &mut rows {
            let (numbers, _) = self.slice(2 * HIDDEN)?.as_chunks::<2>();
            row.iter_mut().zip(numbers).for_each(|(weight, &bytes)| *weight = i16::from_le_bytes(bytes));
        }
        Ok(rows)
    }

    fn biases<const N: usize>(&mut self, layer: &'static str) -> Result<[i32; N], NetworkError> {
        let mut biases = [0; N];
        for bias in &mut biases {
            *bias = i32::from_le_bytes(self.take()?);
            if bias.unsigned_abs() > BIAS_LIMIT.unsigned_abs() {
                let (limit, found) = (BIAS_LIMIT.into(), (*bias).into());
                return Err(NetworkError::Range { layer, limit, found });
            }
        }
        Ok(biases)
    }

    /// The weights of each input of a layer for 32 outputs.
    fn weights<const INPUTS: usize>(&mut self) -> Result<[[i8; 32]; INPUTS], NetworkError> {
        let mut weights = [[0; 32]; INPUTS];
        for output in 0..32 {
            let row = self.slice(INPUTS)?;
            weights.iter_mut().zip(row).for_each(|(weights, &byte)| weights[output] = byte as i8);
        }
        Ok(weights)
    }
}

/// A HalfKP net.
#[derive(Clone, PartialEq)]
pub(super) struct HalfKp<W> {
    weights: W,
    biases: Vec<I16x32>,
    /// In the order of [`Vector::arrange_weights`].
    first_weights: Box<[I8x64; 256]>,
    first_biases: [i32; 32],
    second_weights: Box<[[I8x64; 2]; 8]>,
    second_biases: [i32; 32],
    output_weights: [i8; 32],
    output_bias: i32,
}

impl HalfKp<PackedWeights> {
    /// `None` if the weights cannot be packed.
    pub(super) fn packed(parameters: &HalfKpParameters, backend: Backend) -> Option<HalfKp<PackedWeights>> {
        let (weights, order) = PackedWeights::pack(&parameters.weights)?;
        Some(HalfKp::new(parameters, weights, &order, backend))
    }
}

impl HalfKp<PlainWeights> {
    pub(super) fn plain(parameters: &HalfKpParameters, backend: Backend) -> HalfKp<PlainWeights> {
        let weights = PlainWeights::new(to_vectors(parameters.weights.as_flattened().iter().copied()), WIDTH);
        HalfKp::new(parameters, weights, &std::array::from_fn(|column| column), backend)
    }
}

impl<W> HalfKp<W> {
    /// A net whose accumulators have the numbers of the file in this order.
    fn new(
        parameters: &HalfKpParameters,
        weights: W,
        order: &[usize; HIDDEN],
        backend: Backend,
    ) -> HalfKp<W> {
        let inputs: [_; 2 * HIDDEN] =
            std::array::from_fn(|i| parameters.first_weights[i / HIDDEN * HIDDEN + order[i % HIDDEN]]);
        HalfKp {
            weights,
            biases: to_vectors(order.map(|column| parameters.biases[column])),
            first_weights: backend.run(WeightArrangement(&inputs)),
            first_biases: parameters.first_biases,
            second_weights: in_quads(&parameters.second_weights),
            second_biases: parameters.second_biases,
            output_weights: parameters.output_weights,
            output_bias: parameters.output_bias,
        }
    }
}

/// Arranges the weights of the first layer as the backend needs them.
struct WeightArrangement<'a>(&'a [[i8; 32]; 2 * HIDDEN]);

impl Task for WeightArrangement<'_> {
    type Output = Box<[I8x64; 256]>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Box<[I8x64; 256]> {
        V::arrange_weights(self.0)
    }
}

/// Weights in the order of [`kernels::dense_layer`].
fn in_quads(weights: &[[i8; 32]; 32]) -> Box<[[I8x64; 2]; 8]> {
    let mut quads = Box::new([[I8x64([0; 64]); 2]; 8]);
    for (input, weights) in weights.iter().enumerate() {
        for (output, &weight) in weights.iter().enumerate() {
            quads[input / 4][output / 16].0[output % 16 * 4 + input % 4] = weight;
        }
    }
    quads
}

impl<W: FeatureWeights> Architecture for HalfKp<W> {
    const HAS_KING_FEATURES: bool = false;

    /// One for each square of the king.
    fn king_buckets(&self) -> usize {
        64
    }

    #[inline(always)]
    fn king_bucket(&self, perspective: Color, king: Square) -> usize {
        rotated(perspective, king)
    }

    #[inline(always)]
    fn feature(perspective: Color, king_bucket: usize, piece: Piece, square: Square) -> u32 {
        let first = usize::from(FIRST_FEATURES[perspective.index()][piece.code()]);
        let feature = FEATURES_PER_BUCKET * king_bucket + first + 2 * rotated(perspective, square);
        debug_assert!(feature < FEATURES);
        feature as u32
    }

    #[inline(always)]
    fn width(&self) -> usize {
        WIDTH
    }

    #[inline(always)]
    fn biases(&self) -> &[I16x32] {
        &self.biases
    }

    type Weights = W;

    #[inline(always)]
    fn weights(&self) -> &W {
        &self.weights
    }

    type Sink<'a, V: Vector>
        = ClippedRelu<HIDDEN>
    where
        W: 'a;

    #[inline(always)]
    fn sink<V: Vector>(&self, _: Perspective, _: u32) -> ClippedRelu<HIDDEN> {
        ClippedRelu(ClippedInputs([0; HIDDEN]))
    }

    #[inline(always)]
    fn propagate<V: Vector>(&self, us: ClippedRelu<HIDDEN>, them: ClippedRelu<HIDDEN>, _: u32) -> i32 {
        let outputs = V::sparse_layer([&us.0, &them.0], &self.first_weights, &self.first_biases);
        let outputs = kernels::dense_layer::<V>(&outputs, &self.second_weights, &self.second_biases);
        (self.output_bias + V::dot(&outputs, &self.output_weights)) / OUTPUT_SCALE
    }
}

/// The first feature of each piece within a king bucket, by perspective and [`Piece::code`], which leaves gaps. Those of
/// the kings are meaningless.
static FIRST_FEATURES: [[u16; 16]; 2] = {
    let mut features = [[0; 16]; 2];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let mut side = 0;
        while side < 2 && !matches!(piece.piece_type(), PieceType::King) {
            let is_enemy = piece.color() as usize != side;
            features[side][piece.code()] = 128 * piece.piece_type() as u16 + is_enemy as u16;
            side += 1;
        }
        i += 1;
    }
    features
};

/// The square from a perspective: these nets rotate the board for Black.
#[inline(always)]
fn rotated(perspective: Color, square: Square) -> usize {
    square.index() ^ (63 * perspective.index())
}
