//! How a net of our own architecture comes to its value, number by number.

use ferz_board::{Color, Piece, Position, Square};

use super::architecture::Architecture;
use super::format::QA;
use super::mirrored::Mirrored;
use super::{Network, NetworkKind};

/// The accumulators of a position and what the output layer makes of them.
///
/// It is computed in plain integers, one number at a time, and not by the kernels of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NetworkTrace {
    /// The accumulator of the side to move, then that of the opponent.
    pub accumulators: [AccumulatorTrace; 2],
    /// The output bucket, which the number of pieces selects.
    pub bucket: usize,
    /// The bias of that bucket.
    pub output_bias: i32,
    /// What both accumulators add to the output.
    pub sum: i64,
    /// The factor that makes centipawns of the output.
    pub scale: i64,
    /// What 1.0 is before the value is scaled: value = (sum / [`UNIT`](Self::UNIT) + bias) · scale / this, with divisions
    /// that round towards zero.
    pub output_unit: i64,
    /// The value of the position for the side to move: [`Network::evaluate`] gives the same.
    pub value: i32,
}

/// The accumulator of one perspective: the bias and a row of weights for each piece on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AccumulatorTrace {
    /// Whose perspective it is.
    pub perspective: Color,
    /// Whether the board is mirrored, because this side's king is on the files e to h.
    pub is_mirrored: bool,
    /// The king bucket, which this side's king selects; `None` if the net has none.
    pub king_bucket: Option<usize>,
    /// The active features: a piece, its square and the index of its row.
    pub features: Vec<(Piece, Square, u32)>,
    /// The numbers of the accumulator.
    pub numbers: Vec<i16>,
    /// What each number adds to the output, by SCReLU and the output weights.
    pub outputs: Vec<i64>,
}

impl AccumulatorTrace {
    /// What the accumulator adds to the output.
    #[must_use]
    pub fn sum(&self) -> i64 {
        self.outputs.iter().sum()
    }
}

impl NetworkTrace {
    /// What 1.0 is in an accumulator: numbers are clipped to 0 and this before they are squared.
    pub const UNIT: i32 = QA;
}

impl Network {
    /// How the net comes to its value; `None` for HalfKP nets, which have more layers.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_eval::{Network, NetworkParameters};
    ///
    /// let network = Network::from_bytes(&NetworkParameters::noise(64, 1, 1).to_bytes())?;
    /// let trace = network.trace(&Position::start()).expect("one hidden layer");
    /// assert_eq!(trace.value, network.evaluate(&Position::start()));
    /// assert_eq!(trace.accumulators[0].features.len(), 32);
    /// # Ok::<(), ferz_eval::NetworkError>(())
    /// ```
    #[must_use]
    pub fn trace(&self, position: &Position) -> Option<NetworkTrace> {
        match &self.kind {
            NetworkKind::Mirrored(net) => Some(net.trace(position)),
            #[cfg(feature = "halfkp")]
            NetworkKind::HalfKp(_) | NetworkKind::WideHalfKp(_) => None,
        }
    }

    /// The weights of a feature: what it adds to an accumulator. `None` for HalfKP nets and for an index that no
    /// feature has.
    #[must_use]
    pub fn feature_row(&self, feature: u32) -> Option<Vec<i16>> {
        match &self.kind {
            NetworkKind::Mirrored(net) => net.row(feature),
            #[cfg(feature = "halfkp")]
            NetworkKind::HalfKp(_) | NetworkKind::WideHalfKp(_) => None,
        }
    }
}

impl Mirrored {
    fn row(&self, feature: u32) -> Option<Vec<i16>> {
        let row = self.weights().row(feature)?;
        Some(row.iter().flat_map(|vector| vector.0).collect())
    }

    fn trace(&self, position: &Position) -> NetworkTrace {
        let us = position.side_to_move();
        let bucket = self.output_bucket(position.occupied().len());
        let accumulators = [(us, 2 * bucket), (!us, 2 * bucket + 1)].map(|(perspective, output)| {
            self.trace_accumulator(position, perspective, self.output_row(output))
        });
        let output_bias = self.output_bias(bucket);
        let sum = accumulators.iter().map(AccumulatorTrace::sum).sum();
        let (scale, output_unit) = self.units();
        let value = self.scaled(sum, output_bias);
        NetworkTrace { accumulators, bucket, output_bias, sum, scale, output_unit, value }
    }

    fn trace_accumulator(
        &self,
        position: &Position,
        perspective: Color,
        output_weights: impl Iterator<Item = i16>,
    ) -> AccumulatorTrace {
        let king_bucket = self.king_bucket(perspective, position.king(perspective));
        let features: Vec<_> = position
            .board()
            .iter()
            .map(|(square, piece)| {
                (piece, square, Mirrored::feature(perspective, king_bucket, piece, square))
            })
            .collect();
        let mut numbers: Vec<i16> = self.biases().iter().flat_map(|vector| vector.0).collect();
        for row in features.iter().filter_map(|&(_, _, feature)| self.row(feature)) {
            numbers.iter_mut().zip(row).for_each(|(number, weight)| *number = number.wrapping_add(weight));
        }
        let outputs = numbers.iter().zip(output_weights).map(|(&number, weight)| {
            let clipped = i64::from(i32::from(number).clamp(0, QA));
            clipped * clipped * i64::from(weight)
        });
        AccumulatorTrace {
            perspective,
            is_mirrored: king_bucket % 2 == 1,
            king_bucket: (self.tables() > 1).then_some(king_bucket / 2),
            outputs: outputs.collect(),
            features,
            numbers,
        }
    }
}
