//! Limited strength (UCI_LimitStrength, UCI_Elo): play like that of a weaker human.
//!
//! A weaker player sees fewer positions and misjudges those it sees. So the search gets few nodes and several lines,
//! and a random error is added to the value of each line. Moves that catch the eye (captures, above all recaptures, and
//! checks) have smaller errors than quiet moves; backward moves have the largest.

use ferz_board::{Color, Game, Move};

use crate::move_picker::is_tactical;
use crate::value::Value;

/// The handicap of a player of limited strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Handicap {
    /// The node limit of a move.
    pub(crate) nodes: u64,
    /// The standard error of an ordinary move's value in an even position.
    error: f64,
}

/// The number of lines that the weakest players compare.
const LINES: usize = 6;

/// Values beyond this count as equal: a win is a win.
const MAX_VALUE: Value = 1200;

/// Ratings and their levels, as measured in games (see `docs/strength.md`).
const LEVELS: [(f64, f64); 10] = [
    (950.0, 1.0),
    (1100.0, 2.0),
    (1200.0, 3.0),
    (1300.0, 4.0),
    (1450.0, 5.0),
    (1650.0, 6.0),
    (1840.0, 7.0),
    (2000.0, 8.0),
    (2410.0, 10.0),
    (2650.0, 11.5),
];

impl Handicap {
    /// The handicap of a player with this rating.
    pub(crate) fn of(elo: u32) -> Handicap {
        Handicap::at_level(level(f64::from(elo)))
    }

    /// Levels range from 0, a beginner, to 12, a master. Each sees about twice as many nodes as the one before.
    fn at_level(level: f64) -> Handicap {
        let nodes = 30.0 * 2.2_f64.powf(level);
        let error = 140.0 * 0.72_f64.powf(level);
        Handicap { nodes: nodes as u64, error }
    }

    /// The number of lines (MultiPV) to compare. The smaller the error, the fewer lines can be mistaken for the best,
    /// and further ones would only cost depth.
    pub(crate) fn lines(&self) -> usize {
        ((self.error / 2.5) as usize).clamp(2, LINES)
    }

    /// The index of the line that this player takes for the best, given first moves and values.
    pub(crate) fn choose(&self, game: &Game, candidates: &[(Move, Value)], seed: u64) -> usize {
        let clamped = |value: Value| f64::from(value.clamp(-MAX_VALUE, MAX_VALUE));
        let best = candidates.iter().map(|&(_, value)| clamped(value)).fold(f64::MIN, f64::max);
        // A pawn more or less matters less when a queen is at stake.
        let error = self.error * (1.0 + best.abs() / 500.0);
        let mut random = Random(seed ^ game.position().key());
        let judged = candidates
            .iter()
            .map(|&(mv, value)| clamped(value) + random.bell() * error * obscurity(game, mv));
        let judged: Vec<f64> = judged.collect();
        (0..judged.len()).max_by(|&a, &b| judged[a].total_cmp(&judged[b]).then(b.cmp(&a))).unwrap_or(0)
    }
}

/// How hard a move is to see; 1 is ordinary.
fn obscurity(game: &Game, mv: Move) -> f64 {
    let position = game.position();
    let recaptures = game.moves().next_back().is_some_and(|last| last.to() == mv.to());
    let rank = |square: ferz_board::Square| square.rank().index();
    let backwards = match position.side_to_move() {
        Color::White => rank(mv.to()) < rank(mv.from()),
        Color::Black => rank(mv.to()) > rank(mv.from()),
    };
    match (is_tactical(position, mv), position.gives_check(mv)) {
        (true, _) if recaptures => 0.35,
        (true, _) => 0.7,
        (false, true) => 0.8,
        (false, false) if backwards => 1.3,
        (false, false) => 1.0,
    }
}

/// The level of a rating, interpolated between the measured ones.
fn level(elo: f64) -> f64 {
    let last = LEVELS.len() - 1;
    let upper = LEVELS.iter().position(|&(rating, _)| rating >= elo).unwrap_or(last).max(1);
    let ((low, low_level), (high, high_level)) = (LEVELS[upper - 1], LEVELS[upper]);
    low_level + (high_level - low_level) * ((elo - low) / (high - low)).clamp(0.0, 1.0)
}

/// SplitMix64, so that a seed means the same mistakes in every version and on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Approximately normal with mean 0 and deviation 1, never beyond 3.5.
    fn bell(&mut self) -> f64 {
        let uniform = |bits: u64| (bits >> 11) as f64 / (1_u64 << 53) as f64;
        // The sum of four uniform numbers, scaled to a deviation of 1.
        let sum: f64 = (0..4).map(|_| uniform(self.next())).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;

    #[test]
    fn stronger_players_see_more_and_err_less() {
        let ratings: Vec<_> = Engine::ELO.step_by(100).map(Handicap::of).collect();
        for pair in ratings.windows(2) {
            assert!(pair[0].nodes <= pair[1].nodes && pair[0].error >= pair[1].error, "{pair:?}");
        }
        assert!(ratings[0].nodes < 500 && ratings.last().unwrap().nodes > 10_000);
    }

    #[test]
    fn errors_are_small_beside_large_differences() {
        let game = Game::default();
        let moves = game.position().legal_moves();
        let candidates: Vec<_> = moves.iter().zip([0, -50, -900]).map(|(&mv, value)| (mv, value)).collect();
        let weak = Handicap::of(1000);
        let strong = Handicap::of(2600);
        let count = |handicap: &Handicap, index| {
            (0..1000).filter(|&seed| handicap.choose(&game, &candidates, seed) == index).count()
        };
        assert!(count(&weak, 1) > 200, "half a pawn is easily missed");
        assert!(count(&weak, 2) < 30, "a queen hardly ever");
        assert!(count(&strong, 0) > 950);
    }

    #[test]
    fn random_numbers_are_spread_evenly() {
        let mut random = Random(7);
        let bells: Vec<_> = (0..10_000).map(|_| random.bell()).collect();
        let mean = bells.iter().sum::<f64>() / 10_000.0;
        let variance = bells.iter().map(|x| x * x).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    }
}
