//! The accumulators of the net, and the rows that a move adds and removes.

use ferz_board::{Color, Piece, Position, Square};
use ferz_eval::{AccumulatorTrace, Network, NetworkTrace};
use serde::Serialize;

use crate::protocol::{ColorName, SquareName};

/// How the net comes to its value.
#[derive(Clone, Debug, Serialize)]
pub struct NetTrace {
    name: String,
    accumulators: Vec<Accumulator>,
    unit: i32,
    bucket: usize,
    sum: i64,
    output_bias: i32,
    scale: i64,
    output_unit: i64,
    value: i32,
    white: i32,
}

/// The accumulator of one perspective.
#[derive(Clone, Debug, Serialize)]
struct Accumulator {
    perspective: ColorName,
    mirrored: bool,
    king_bucket: Option<usize>,
    refreshed: bool,
    features: usize,
    numbers: Vec<i16>,
    outputs: Vec<i64>,
    sum: i64,
    added: Vec<FeatureRow>,
    removed: Vec<FeatureRow>,
}

/// A row of weights: a piece on a square, seen by one side.
#[derive(Clone, Debug, Serialize)]
struct FeatureRow {
    piece: char,
    square: SquareName,
    index: u32,
    weights: Vec<i16>,
}

impl NetTrace {
    /// The trace of a position and what changed since the one before; `None` for nets with more layers.
    pub fn new(network: &Network, position: &Position, before: Option<&Position>) -> Option<NetTrace> {
        let NetworkTrace { accumulators, bucket, output_bias, sum, scale, output_unit, value, .. } =
            network.trace(position)?;
        let before = before.and_then(|before| network.trace(before)).map(|trace| trace.accumulators);
        let of_side = |color: Color| before.iter().flatten().find(|it| it.perspective == color);
        let accumulators = accumulators
            .into_iter()
            .map(|trace| Accumulator::new(network, of_side(trace.perspective), trace))
            .collect();
        Some(NetTrace {
            name: network.to_string(),
            accumulators,
            unit: NetworkTrace::UNIT,
            bucket,
            sum,
            output_bias,
            scale,
            output_unit,
            value,
            white: if position.side_to_move() == Color::White { value } else { -value },
        })
    }
}

impl Accumulator {
    fn new(network: &Network, before: Option<&AccumulatorTrace>, now: AccumulatorTrace) -> Accumulator {
        // A mirrored board has nothing in common with one that is not, nor have two king buckets.
        let key = |it: &AccumulatorTrace| (it.is_mirrored, it.king_bucket);
        let parent = before.filter(|before| key(before) == key(&now));
        let row = |&(piece, square, index): &(Piece, Square, u32)| {
            let weights = network.feature_row(index)?;
            Some(FeatureRow { piece: piece.to_char(), square: SquareName(square), index, weights })
        };
        let only = |these: &[(Piece, Square, u32)], others: &[(Piece, Square, u32)]| {
            these.iter().filter(|feature| !others.contains(feature)).filter_map(row).collect()
        };
        let (added, removed) = parent.map_or((Vec::new(), Vec::new()), |parent| {
            (only(&now.features, &parent.features), only(&parent.features, &now.features))
        });
        Accumulator {
            perspective: now.perspective.into(),
            mirrored: now.is_mirrored,
            king_bucket: now.king_bucket,
            refreshed: parent.is_none(),
            features: now.features.len(),
            sum: now.sum(),
            added,
            removed,
            numbers: now.numbers,
            outputs: now.outputs,
        }
    }
}
