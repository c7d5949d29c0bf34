//! Our own architecture: 768 piece-square inputs with horizontal mirroring and king buckets, one hidden layer, SCReLU,
//! output buckets.

use ferz_board::{Color, Piece, Square};

use super::aligned::{I16x32, LANES, to_vectors};
use super::architecture::{Architecture, Perspective};
use super::feature_weights::PlainWeights;
use super::format::{INPUTS, KING_BUCKET_OF, KING_BUCKETS, NetworkParameters, QA};
use super::kernels::ScreluSum;
use super::simd::Vector;

/// A net of our own architecture; see [`NetworkParameters`].
#[derive(Clone, PartialEq)]
pub(super) struct Mirrored {
    width: usize,
    /// How many tables of feature weights there are: one for each king bucket of the file.
    tables: usize,
    /// By the king's square, seen from its side: twice its table, and one more if the board is mirrored.
    buckets_by_square: [u8; 64],
    weights: PlainWeights,
    biases: Vec<I16x32>,
    /// For each output bucket those of the side to move, then those of the opponent.
    output_weights: Vec<I16x32>,
    output_biases: Vec<i32>,
    /// Quantisation: what 1.0 is before the value is scaled.
    unit: i64,
    scale: i64,
}

impl Mirrored {
    /// The parameters must be valid.
    pub(super) fn new(parameters: &NetworkParameters) -> Mirrored {
        let width = parameters.hidden / LANES;
        Mirrored {
            width,
            tables: parameters.king_buckets,
            buckets_by_square: buckets_by_square(parameters.king_buckets),
            weights: PlainWeights::new(to_vectors(parameters.feature_weights.iter().copied()), width),
            biases: to_vectors(parameters.feature_biases.iter().copied()),
            output_weights: to_vectors(parameters.output_weights.iter().copied()),
            output_biases: parameters.output_biases.clone(),
            unit: i64::from(QA) * i64::from(parameters.output_unit),
            scale: parameters.scale.into(),
        }
    }

    /// The size of the hidden layer: how many numbers an accumulator has.
    pub(super) fn hidden(&self) -> usize {
        self.width * LANES
    }

    /// How many tables of feature weights there are.
    pub(super) fn tables(&self) -> usize {
        self.tables
    }

    /// How many output buckets there are.
    pub(super) fn buckets(&self) -> usize {
        self.output_biases.len()
    }

    /// The output weights of a bucket and perspective: twice the bucket for the side to move, one more for the opponent.
    pub(super) fn output_row(&self, number: usize) -> impl Iterator<Item = i16> {
        self.output_weights[number * self.width..][..self.width].iter().flat_map(|vector| vector.0)
    }

    /// The output bias of a bucket.
    pub(super) fn output_bias(&self, bucket: usize) -> i32 {
        self.output_biases[bucket]
    }

    /// The factor and the divisor of the output.
    pub(super) fn units(&self) -> (i64, i64) {
        (self.scale, self.unit)
    }

    /// Undoes the quantisation of the output: the value in centipawns. Divisions round towards zero.
    #[inline(always)]
    pub(super) fn scaled(&self, sum: i64, bias: i32) -> i32 {
        // The sum is below 2³⁵ in size, so the product is below 2⁴². With a tiny unit the result saturates.
        let value = (sum / i64::from(QA) + i64::from(bias)) * self.scale / self.unit;
        value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    /// The output bucket for a number of pieces on the board, kings included.
    #[inline(always)]
    pub(super) fn output_bucket(&self, pieces: u32) -> usize {
        let eighth = (pieces.saturating_sub(2) / 4) as usize;
        if self.output_biases.len() == 1 { 0 } else { eighth.min(self.output_biases.len() - 1) }
    }
}

/// The first feature of each piece, by perspective and [`Piece::code`], which leaves gaps.
static FIRST_FEATURES: [[u16; 16]; 2] = {
    let mut features = [[0; 16]; 2];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let mut side = 0;
        while side < 2 {
            let is_other = piece.color() as usize != side;
            features[side][piece.code()] = 64 * (6 * is_other as u16 + piece.piece_type() as u16);
            side += 1;
        }
        i += 1;
    }
    features
};

/// With the king on the files e to h, the board is mirrored.
fn buckets_by_square(tables: usize) -> [u8; 64] {
    std::array::from_fn(|square| {
        let (rank, file) = (square / 8, square % 8);
        let is_mirrored = file >= 4;
        let table =
            if tables == 1 { 0 } else { KING_BUCKET_OF[rank][if is_mirrored { 7 - file } else { file }] };
        2 * table + u8::from(is_mirrored)
    })
}

impl Architecture for Mirrored {
    const HAS_KING_FEATURES: bool = true;

    fn king_buckets(&self) -> usize {
        2 * self.tables
    }

    #[inline(always)]
    fn king_bucket(&self, perspective: Color, king: Square) -> usize {
        usize::from(self.buckets_by_square[king.relative_to(perspective).index()])
    }

    #[inline(always)]
    fn feature(perspective: Color, king_bucket: usize, piece: Piece, square: Square) -> u32 {
        let (table, is_mirrored) = (king_bucket / 2, king_bucket % 2);
        let square = square.relative_to(perspective).index() ^ (7 * is_mirrored);
        let first = usize::from(FIRST_FEATURES[perspective.index()][piece.code()]);
        let feature = INPUTS * table + first + square;
        debug_assert!(feature < INPUTS * KING_BUCKETS);
        feature as u32
    }

    #[inline(always)]
    fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    fn biases(&self) -> &[I16x32] {
        &self.biases
    }

    type Weights = PlainWeights;

    #[inline(always)]
    fn weights(&self) -> &PlainWeights {
        &self.weights
    }

    type Sink<'a, V: Vector> = ScreluSum<'a, V>;

    #[inline(always)]
    fn sink<V: Vector>(&self, perspective: Perspective, pieces: u32) -> ScreluSum<'_, V> {
        let number = 2 * self.output_bucket(pieces) + usize::from(perspective == Perspective::Them);
        ScreluSum::new(&self.output_weights[number * self.width..][..self.width])
    }

    #[inline(always)]
    fn propagate<V: Vector>(&self, us: ScreluSum<'_, V>, them: ScreluSum<'_, V>, pieces: u32) -> i32 {
        self.scaled(ScreluSum::total(&us, &them), self.output_biases[self.output_bucket(pieces)])
    }
}
