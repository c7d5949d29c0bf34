//! The changes that a move makes.

use ferz_board::{Position, Square};
use serde::Serialize;

use super::keys::{self, Part};
use super::sums;
use super::word::{Boards, Word};
use crate::protocol::SquareName;

/// The bits, key parts and sums in which a position differs from the one before.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    parent: u32,
    san: String,
    uci: String,
    boards: Boards,
    key: KeyChange,
    squares: Vec<SquareName>,
    piece_squares: SumChange,
}

#[derive(Clone, Debug, Serialize)]
struct KeyChange {
    before: Word,
    after: Word,
    toggled: Vec<Toggled>,
}

/// A part of the key that was added or removed.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Toggled {
    #[serde(flatten)]
    part: Part,
    came: bool,
}

#[derive(Clone, Debug, Serialize)]
struct SumChange {
    middle: i32,
    end: i32,
    phase: i32,
}

impl Difference {
    /// The changes from one position to the next; `san` and `uci` name the move.
    pub fn new(before: &Position, after: &Position, parent: u32, san: String, uci: String) -> Difference {
        let (old, new) = (keys::parts(before), keys::parts(after));
        let went = old.iter().filter(|part| !new.contains(part)).map(|part| (part, false));
        let came = new.iter().filter(|part| !old.contains(part)).map(|part| (part, true));
        let changed = |square: &Square| before.piece_at(*square) != after.piece_at(*square);
        let ((old_sum, old_phase), (new_sum, new_phase)) = (sums(before), sums(after));
        let gained = new_sum - old_sum;
        Difference {
            parent,
            san,
            uci,
            boards: Boards::of(before).toggled(&Boards::of(after)),
            key: KeyChange {
                before: Word(before.key()),
                after: Word(after.key()),
                toggled: went.chain(came).map(|(part, came)| Toggled { part: part.clone(), came }).collect(),
            },
            squares: Square::ALL.into_iter().filter(changed).map(SquareName).collect(),
            piece_squares: SumChange { middle: gained.mg(), end: gained.eg(), phase: new_phase - old_phase },
        }
    }
}
