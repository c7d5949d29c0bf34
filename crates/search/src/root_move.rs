//! Root moves: the moves of the position to search, with their results.

use std::cmp::Reverse;

use ferz_board::{Move, Position};

use crate::Bound;
use crate::value::{Value, is_decisive, is_mate};

/// A move at the root and its results.
#[derive(Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Its rank by the endgame tables: the search looks for the best move of the highest rank.
    pub(crate) rank: i32,
    /// Its value by the endgame tables.
    pub(crate) table_value: Option<Value>,
    /// Its value in the present iteration; `None` if it was not searched or only shown not to be the best.
    pub(crate) value: Option<Value>,
    /// The same in the iteration before.
    pub(crate) previous_value: Option<Value>,
    /// The average over the iterations, recent ones counting most: the centre of the aspiration window.
    pub(crate) average_value: Option<Value>,
    pub(crate) bound: Bound,
    pub(crate) selective_depth: usize,
    pub(crate) nodes: u64,
    /// The principal variation, this move first.
    pub(crate) pv: Vec<Move>,
}

impl Clone for RootMove {
    fn clone(&self) -> RootMove {
        RootMove { pv: self.pv.clone(), ..*self }
    }

    /// Every iteration copies all root moves: this takes no new memory for their variations.
    fn clone_from(&mut self, source: &RootMove) {
        let mut pv = std::mem::take(&mut self.pv);
        pv.clone_from(&source.pv);
        *self = RootMove { pv, ..*source };
    }
}

impl RootMove {
    fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            rank: 0,
            table_value: None,
            value: None,
            previous_value: None,
            average_value: None,
            bound: Bound::Exact,
            selective_depth: 0,
            nodes: 0,
            pv: vec![mv],
        }
    }

    /// The value of the present iteration or, in a partial iteration that did not get to it, of the one before.
    pub(crate) fn last_value(&self) -> Option<Value> {
        self.value.or(self.previous_value)
    }

    /// A new iteration begins.
    pub(crate) fn begin_iteration(&mut self) {
        self.previous_value = self.value.take();
    }

    /// A sort key: best first, and moves without a value in the order of the iteration before.
    pub(crate) fn order(&self) -> impl Ord + use<> {
        Reverse((self.rank, self.value, self.previous_value))
    }

    /// The value to show: what the tables know, unless the search has proved a mate or a nearer conversion.
    pub(crate) fn shown(&self, value: Value) -> Value {
        match self.table_value {
            Some(known) if !is_mate(value) => {
                let is_nearer = value.signum() == known.signum() && is_decisive(known) && is_decisive(value);
                if is_nearer && value.abs() > known.abs() { value } else { known }
            }
            _ => value,
        }
    }
}

/// The root moves to search: all legal ones or, if any of the wanted ones is legal, only those.
pub(crate) fn root_moves(position: &Position, wanted: &[Move]) -> Vec<RootMove> {
    let legal = position.legal_moves();
    let is_wanted = |mv: &Move| wanted.contains(mv);
    let any = legal.iter().any(is_wanted);
    legal.into_iter().filter(|mv| !any || is_wanted(mv)).map(RootMove::new).collect()
}
