//! Choosing one of the moves of a position.

use super::BookMove;

/// How freely a move is chosen, from 0 to 100.
///
/// | | |
/// |---|---|
/// | 0 | always the heaviest move, the first of several |
/// | 50 | by weight: a move with twice the weight is played twice as often |
/// | 100 | by the square root of the weight, so rare moves are played more often |
///
/// Between these, the chances lie proportionally between those of the two neighbours: 25 plays the heaviest move in
/// half of the games and chooses by weight in the other half. A move of weight zero is never chosen.
///
/// All arithmetic is in integers, so a random number means the same move everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variety(u8);

impl Variety {
    /// Always the heaviest move.
    pub const HEAVIEST: Variety = Variety(0);
    /// By weight.
    pub const BY_WEIGHT: Variety = Variety(50);
    /// By the square root of the weight.
    pub const WIDEST: Variety = Variety(100);

    /// A variety from 0 to 100; larger numbers count as 100.
    #[must_use]
    pub const fn new(percent: u8) -> Variety {
        Variety(if percent > 100 { 100 } else { percent })
    }

    /// The number, 0 to 100.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Chooses one of the moves of a position: `random` decides, and over all its values each move comes as often as its
    /// weight and this variety say. `None` if no move weighs anything.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_notation::polyglot::{BookMove, Variety};
    ///
    /// let start = Position::start();
    /// let moves = [("e2e4", 75), ("d2d4", 25)].map(|(text, weight)| {
    ///     BookMove { mv: start.parse_uci(text).unwrap(), weight, learn: 0 }
    /// });
    /// let share_of_d4 = |variety: Variety| {
    ///     let chosen = (0..1024).map(|i| variety.choose(&moves, i << 54).unwrap());
    ///     chosen.filter(|it| it.weight == 25).count()
    /// };
    /// assert_eq!(share_of_d4(Variety::HEAVIEST), 0);
    /// assert_eq!(share_of_d4(Variety::BY_WEIGHT), 256);
    /// assert_eq!(share_of_d4(Variety::WIDEST), 374);
    /// ```
    #[must_use]
    pub fn choose(self, moves: &[BookMove], random: u64) -> Option<BookMove> {
        let heaviest = heaviest(moves)?;
        let chances = self.chances(moves, heaviest);
        let total: u128 = chances.iter().sum();
        // `random` as a fraction of 2^64, of the total.
        let mut ticket = scale(random, total);
        let chosen = chances.iter().position(|&chance| match ticket.checked_sub(chance) {
            Some(rest) => {
                ticket = rest;
                false
            }
            None => true,
        });
        chosen.map(|index| moves[index])
    }

    /// For each move a number in proportion to its probability.
    fn chances(self, moves: &[BookMove], heaviest: usize) -> Vec<u128> {
        let variety = u128::from(self.0);
        let weights = || moves.iter().map(|it| u128::from(it.weight));
        // 16 more bits make the roots of small weights precise.
        let roots = || weights().map(|weight| (weight << 16).isqrt());
        let weight_sum: u128 = weights().sum();
        if variety <= 50 {
            let certain = |index| if index == heaviest { (50 - variety) * weight_sum } else { 0 };
            return weights().enumerate().map(|(index, weight)| variety * weight + certain(index)).collect();
        }
        let root_sum: u128 = roots().sum();
        let mixed = |(weight, root)| (100 - variety) * weight * root_sum + (variety - 50) * root * weight_sum;
        weights().zip(roots()).map(mixed).collect()
    }
}

impl Default for Variety {
    /// By weight.
    fn default() -> Variety {
        Variety::BY_WEIGHT
    }
}

/// The index of the heaviest move, the first of several; `None` if none weighs anything.
fn heaviest(moves: &[BookMove]) -> Option<usize> {
    let weighty = (0..moves.len()).filter(|&index| moves[index].weight > 0);
    weighty.reduce(|best, index| if moves[index].weight > moves[best].weight { index } else { best })
}

/// `random / 2^64` of the total, rounded down. A book may have billions of moves for a position, so that the product of
/// both might not fit.
fn scale(random: u64, total: u128) -> u128 {
    let random = u128::from(random);
    let (high, low) = (total >> 64, total & u128::from(u64::MAX));
    random * high + ((random * low) >> 64)
}
