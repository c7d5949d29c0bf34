//! Our own architecture: 768 mirrored inputs, one hidden layer, SCReLU.

use ferz_board::{Color, File, Piece, Square};

use super::architecture::{Architecture, Whose};
use super::block::{Block, LANES, blocks};
use super::format::{INPUTS, Parameters, QA};
use super::kernels::Squares;
use super::rows::PlainRows;
use super::simd::Best;

/// A net of our own kind; see [`Parameters`].
#[derive(Clone, PartialEq)]
pub(super) struct Mirrored {
    width: usize,
    rows: PlainRows,
    biases: Vec<Block>,
    /// For each bucket those of the own accumulator, then those of the other.
    output_weights: Vec<Block>,
    output_biases: Vec<i32>,
    /// What 1 is before the value is scaled.
    unit: i64,
    scale: i64,
}

impl Mirrored {
    /// The parameters must have been checked.
    pub(super) fn new(parameters: &Parameters) -> Mirrored {
        let width = parameters.hidden / LANES;
        Mirrored {
            width,
            rows: PlainRows::new(blocks(parameters.feature_weights.iter().copied()), width),
            biases: blocks(parameters.feature_biases.iter().copied()),
            output_weights: blocks(parameters.output_weights.iter().copied()),
            output_biases: parameters.output_biases.clone(),
            unit: i64::from(QA) * i64::from(parameters.output_unit),
            scale: parameters.scale.into(),
        }
    }

    /// How many numbers an accumulator has.
    pub(super) fn hidden(&self) -> usize {
        self.width * LANES
    }

    /// How many sets of output weights there are.
    pub(super) fn buckets(&self) -> usize {
        self.output_biases.len()
    }

    /// The value that a sum of squares and an output bias amount to. Divisions round towards zero.
    fn scaled(&self, sum: i64, bias: i32) -> i32 {
        // The sum is below 2³⁵ in size, so the whole below 2⁴² after the scale, and so is the result, unless the unit
        // is tiny: then it saturates.
        let value = (sum / i64::from(QA) + i64::from(bias)) * self.scale / self.unit;
        value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    /// Which set of output weights counts with so many pieces on the board, kings included.
    fn bucket(&self, pieces: u32) -> usize {
        let eighth = (pieces.saturating_sub(2) / 4) as usize;
        if self.output_biases.len() == 1 { 0 } else { eighth.min(self.output_biases.len() - 1) }
    }
}

/// The first row of each piece, by side and [`Piece::index`], which leaves gaps.
static FIRST_ROWS: [[u16; 16]; 2] = {
    let mut rows = [[0; 16]; 2];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let mut side = 0;
        while side < 2 {
            let is_other = piece.color() as usize != side;
            rows[side][piece.index()] = 64 * (6 * is_other as u16 + piece.piece_type() as u16);
            side += 1;
        }
        i += 1;
    }
    rows
};

impl Architecture for Mirrored {
    /// The half of the board on which the king stands.
    const ZONES: usize = 2;
    const SEES_KINGS: bool = true;

    #[inline(always)]
    fn zone(_: Color, king: Square) -> usize {
        usize::from(king.file() >= File::E)
    }

    #[inline(always)]
    fn row(perspective: Color, zone: usize, piece: Piece, square: Square) -> u32 {
        // A king on the files e to h sees the board in a mirror.
        let square = square.relative_to(perspective).index() ^ (7 * zone);
        let row = usize::from(FIRST_ROWS[perspective.index()][piece.index()]) + square;
        debug_assert!(row < INPUTS);
        row as u32
    }

    #[inline(always)]
    fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    fn biases(&self) -> &[Block] {
        &self.biases
    }

    type Rows = PlainRows;

    #[inline(always)]
    fn rows(&self) -> &PlainRows {
        &self.rows
    }

    type Sink<'a> = Squares<'a, Best>;

    #[inline(always)]
    fn sink(&self, whose: Whose, pieces: u32) -> Squares<'_, Best> {
        let number = 2 * self.bucket(pieces) + usize::from(whose == Whose::Other);
        Squares::new(&self.output_weights[number * self.width..][..self.width])
    }

    #[inline(always)]
    fn value(&self, own: Squares<'_, Best>, other: Squares<'_, Best>, pieces: u32) -> i32 {
        self.scaled(Squares::total(&own, &other), self.output_biases[self.bucket(pieces)])
    }
}
