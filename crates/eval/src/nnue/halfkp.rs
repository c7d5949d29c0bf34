//! HalfKP 256×2-32-32-1: the nets of Stockfish 12 and 13 (`.nnue`, version `0x7AF32F16`).
//!
//! Each side sees every piece but the kings on its square, and anew for each square of its own king: 64 × 641 rows
//! of 256 numbers. The two accumulators, clipped to 0..=127, are the 512 inputs of a layer of 32, behind which
//! come another layer of 32 and the output. Values are in the units of those programs, where a pawn is about 208.
//!
//! The file, little endian: version, hash of the architecture, length of the description and description; hash of
//! the first layer, its biases and weights (16 bits); hash of the others, and for each its biases (32 bits) and
//! weights (8 bits, output by output).

use ferz_board::{Color, Piece, PieceType, Square};

use super::architecture::{Architecture, Whose};
use super::block::{Block, Bytes, Inputs, LANES, blocks};
use super::error::NetworkError;
use super::kernels::{self, Clip};
use super::rows::{PackedRows, PlainRows, Rows};
use super::simd::{Best, Lanes};

const VERSION: u32 = 0x7AF3_2F16;
const ARCHITECTURE_HASH: u32 = 0x3E5A_A6EE;
const FEATURES_HASH: u32 = 0x5D69_D7B8;
const LAYERS_HASH: u32 = 0x6333_7156;
/// Descriptions of more bytes are not believed.
const MAX_DESCRIPTION: u32 = 4096;

/// How many numbers an accumulator has.
const HIDDEN: usize = 256;
const WIDTH: usize = HIDDEN / LANES;
/// Rows for each square of the king: types of pieces without kings × squares × own or foreign.
const ROWS_PER_KING: usize = 5 * 64 * 2;
const ROWS: usize = 64 * ROWS_PER_KING;
/// Greater ones could make sums overflow; no trained net comes near.
const BIAS_LIMIT: i32 = 1 << 30;
/// The output is the value times this.
const OUTPUT_SCALE: i32 = 16;

/// What a file of this kind contains.
pub(super) struct Parameters {
    /// Own and foreign pieces by turns, so that odd numbers are those of foreign ones.
    weights: Vec<[i16; HIDDEN]>,
    biases: [i16; HIDDEN],
    /// Of each input for all outputs.
    first_weights: [[i8; 32]; 2 * HIDDEN],
    first_biases: [i32; 32],
    second_weights: [[i8; 32]; 32],
    second_biases: [i32; 32],
    output_weights: [i8; 32],
    output_bias: i32,
}

/// Whether a file is of this kind or of one of its successors, whose versions differ in the first byte.
pub(super) fn is_meant(bytes: &[u8]) -> bool {
    bytes.get(1..4) == Some(&VERSION.to_le_bytes()[1..])
}

impl Parameters {
    /// Reads a file.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Parameters, NetworkError> {
        let mut reader = Reader { bytes, at: 0 };
        reader.constant("version", VERSION, "0x7af32f16 (Stockfish 12 and 13)")?;
        reader.constant("architecture hash", ARCHITECTURE_HASH, "0x3e5aa6ee (HalfKP 256x2-32-32)")?;
        let length = u32::from_le_bytes(reader.take()?);
        if length > MAX_DESCRIPTION {
            let expected = "at most 4096";
            return Err(NetworkError::Field { name: "description length", expected, found: length.into() });
        }
        reader.skip(length as usize)?;
        // The rest has a fixed size: better to say at once that it is another.
        let rest = 4 + 2 * HIDDEN * (1 + 64 + ROWS) + 4 + (4 + 512) * 32 + (4 + 32) * 32 + 4 + 32;
        let (expected, found) = ((reader.at + rest) as u64, bytes.len() as u64);
        if expected != found {
            return Err(NetworkError::Length { expected, found });
        }

        reader.constant("hash of the first layer", FEATURES_HASH, "0x5d69d7b8")?;
        let [biases] = reader.rows()?;
        let mut weights = Vec::with_capacity(ROWS);
        for _ in 0..64 {
            // Not used.
            reader.skip(2 * HIDDEN)?;
            for _ in 0..5 {
                let [own, foreign] = [reader.rows::<64>()?, reader.rows::<64>()?];
                own.into_iter().zip(foreign).for_each(|(own, foreign)| weights.extend([own, foreign]));
            }
        }
        reader.constant("hash of the other layers", LAYERS_HASH, "0x63337156")?;
        let first_biases = reader.biases("bias of the second layer")?;
        let first_weights = reader.weights()?;
        let second_biases = reader.biases("bias of the third layer")?;
        let second_weights = reader.weights()?;
        let [output_bias] = reader.biases("bias of the output")?;
        let output_weights = reader.take::<32>()?.map(|byte| byte as i8);
        Ok(Parameters {
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

/// Takes a file apart.
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

    /// Rows of the first layer.
    fn rows<const N: usize>(&mut self) -> Result<[[i16; HIDDEN]; N], NetworkError> {
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

/// A net of this kind.
#[derive(Clone, PartialEq)]
pub(super) struct HalfKp<R> {
    rows: R,
    biases: Vec<Block>,
    /// [Arranged](Lanes::arrange).
    first_weights: Box<[Bytes; 256]>,
    first_biases: [i32; 32],
    second_weights: Box<[[Bytes; 2]; 8]>,
    second_biases: [i32; 32],
    output_weights: [i8; 32],
    output_bias: i32,
}

impl HalfKp<PackedRows> {
    /// None if the weights cannot be packed.
    pub(super) fn packed(parameters: &Parameters) -> Option<HalfKp<PackedRows>> {
        let (rows, order) = PackedRows::pack(&parameters.weights)?;
        Some(HalfKp::new(parameters, rows, &order))
    }
}

impl HalfKp<PlainRows> {
    pub(super) fn plain(parameters: &Parameters) -> HalfKp<PlainRows> {
        let rows = PlainRows::new(blocks(parameters.weights.as_flattened().iter().copied()), WIDTH);
        HalfKp::new(parameters, rows, &std::array::from_fn(|column| column))
    }
}

impl<R> HalfKp<R> {
    /// A net whose accumulators have their columns in this order.
    fn new(parameters: &Parameters, rows: R, order: &[usize; HIDDEN]) -> HalfKp<R> {
        let inputs: [_; 2 * HIDDEN] =
            std::array::from_fn(|i| parameters.first_weights[i / HIDDEN * HIDDEN + order[i % HIDDEN]]);
        HalfKp {
            rows,
            biases: blocks(order.map(|column| parameters.biases[column])),
            first_weights: Best::arrange(&inputs),
            first_biases: parameters.first_biases,
            second_weights: in_quads(&parameters.second_weights),
            second_biases: parameters.second_biases,
            output_weights: parameters.output_weights,
            output_bias: parameters.output_bias,
        }
    }
}

/// Weights in the order of [`kernels::dense_layer`].
fn in_quads(weights: &[[i8; 32]; 32]) -> Box<[[Bytes; 2]; 8]> {
    let mut quads = Box::new([[Bytes([0; 64]); 2]; 8]);
    for (input, weights) in weights.iter().enumerate() {
        for (output, &weight) in weights.iter().enumerate() {
            quads[input / 4][output / 16].0[output % 16 * 4 + input % 4] = weight;
        }
    }
    quads
}

impl<R: Rows> Architecture for HalfKp<R> {
    /// The square of the king.
    const ZONES: usize = 64;
    const SEES_KINGS: bool = false;

    #[inline(always)]
    fn zone(perspective: Color, king: Square) -> usize {
        rotated(perspective, king)
    }

    #[inline(always)]
    fn row(perspective: Color, zone: usize, piece: Piece, square: Square) -> u32 {
        let first = usize::from(FIRST_ROWS[perspective.index()][piece.index()]);
        let row = ROWS_PER_KING * zone + first + 2 * rotated(perspective, square);
        debug_assert!(row < ROWS);
        row as u32
    }

    #[inline(always)]
    fn width(&self) -> usize {
        WIDTH
    }

    #[inline(always)]
    fn biases(&self) -> &[Block] {
        &self.biases
    }

    type Rows = R;

    #[inline(always)]
    fn rows(&self) -> &R {
        &self.rows
    }

    type Sink<'a>
        = Clip<HIDDEN>
    where
        R: 'a;

    #[inline(always)]
    fn sink(&self, _: Whose, _: u32) -> Clip<HIDDEN> {
        Clip(Inputs([0; HIDDEN]))
    }

    #[inline(always)]
    fn value(&self, own: Clip<HIDDEN>, other: Clip<HIDDEN>, _: u32) -> i32 {
        let outputs =
            kernels::sparse_layer::<Best>([&own.0, &other.0], &self.first_weights, &self.first_biases);
        let outputs = kernels::dense_layer::<Best>(&outputs, &self.second_weights, &self.second_biases);
        (self.output_bias + Best::dot(&outputs, &self.output_weights)) / OUTPUT_SCALE
    }
}

/// The first row of each piece, without those of other squares of the king. By side and [`Piece::index`], which leaves
/// gaps; those of the kings mean nothing.
static FIRST_ROWS: [[u16; 16]; 2] = {
    let mut rows = [[0; 16]; 2];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let mut side = 0;
        while side < 2 && !matches!(piece.piece_type(), PieceType::King) {
            let is_foreign = piece.color() as usize != side;
            rows[side][piece.index()] = 128 * piece.piece_type() as u16 + is_foreign as u16;
            side += 1;
        }
        i += 1;
    }
    rows
};

/// The square as a side sees it: these nets turn the board round for Black.
#[inline(always)]
fn rotated(perspective: Color, square: Square) -> usize {
    square.index() ^ (63 * perspective.index())
}
