//! Limited strength (UCI_LimitStrength, UCI_Elo): play like that of a weaker human.
//!
//! A weaker player sees fewer positions, misjudges those it sees and overlooks captures. So the search gets few nodes
//! and several lines, a random error is added to the value of each line, and sometimes what a capture wins, or what
//! the reply takes, is left out of the value. Moves that catch the eye (captures, above all recaptures, and checks)
//! have smaller errors and are overlooked less often than quiet moves; backward moves are the hardest to see.

use ferz_board::{Color, Game, Move, Position, Square};

use crate::Line;
use crate::move_picker::is_tactical;
use crate::see::piece_value;
use crate::value::{LONGEST_MATE, MATE, Value, is_loss, is_win};

/// The handicap of a player of limited strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Handicap {
    /// The node limit of a move.
    pub(crate) nodes: u64,
    /// The standard error of an ordinary move's value in an even position.
    error: f64,
    /// The probability that an ordinary move is overlooked: a capture, or the reply to a move.
    oversight: f64,
}

/// A line that a player compares with others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    /// At least one move.
    pub(crate) moves: &'a [Move],
    pub(crate) value: Value,
}

impl<'a> From<&'a Line> for Candidate<'a> {
    fn from(line: &'a Line) -> Candidate<'a> {
        Candidate { moves: &line.moves, value: line.value }
    }
}

/// The largest number of lines that a player compares.
const MAX_LINES: usize = 24;

/// Evaluations beyond this look equal: a win is a win. Mates look better, the shorter the better.
const MAX_VALUE: Value = 3000;

/// A pawn in units of the networks' values; [`piece_value`] has 100.
const PAWN: f64 = 200.0;

/// Ratings and their levels, as measured in games (see `docs/strength.md`).
const LEVELS: [(f64, f64); 13] = [
    (50.0, 0.0),
    (200.0, 1.0),
    (360.0, 2.0),
    (670.0, 3.0),
    (990.0, 4.0),
    (1320.0, 5.0),
    (1620.0, 6.0),
    (1940.0, 7.0),
    (2220.0, 8.0),
    (2420.0, 9.0),
    (2630.0, 10.0),
    (2840.0, 11.0),
    (2930.0, 12.0),
];

impl Handicap {
    /// The handicap of a player with this rating.
    pub(crate) fn of(elo: u32) -> Handicap {
        Handicap::at_level(level(f64::from(elo)))
    }

    /// Levels begin at 0, a beginner; 12 is a grandmaster. Each has a third more nodes than the one before.
    fn at_level(level: f64) -> Handicap {
        // The weakest players need nodes, too: with fewer, only the best moves get a value, and there is nothing to
        // mistake for them.
        let nodes = 1000.0 * 1.35_f64.powf(level);
        let error = 300.0 * 0.79_f64.powf(level);
        let oversight = 0.8 * 0.68_f64.powf(level);
        Handicap { nodes: nodes as u64, error, oversight }
    }

    /// The number of lines (MultiPV) to compare. The smaller the error, the fewer lines can be mistaken for the best,
    /// and further ones would only cost depth.
    pub(crate) fn lines(&self) -> usize {
        ((self.error / 8.0) as usize).clamp(2, MAX_LINES)
    }

    /// The index of the line that this player takes for the best.
    pub(crate) fn choose(&self, game: &Game, candidates: &[Candidate<'_>], seed: u64) -> usize {
        let best = candidates.iter().map(|it| apparent(it.value)).fold(f64::MIN, f64::max);
        // A pawn more or less matters less when a queen is at stake.
        let error = self.error * (1.0 + best.abs().min(2000.0) / 1000.0);
        let mut random = Random(seed ^ game.position().key());
        let judged = candidates.iter().map(|candidate| {
            let difficulty = obscurity(game.position(), game.moves().next_back(), candidate.moves[0]);
            self.seen_value(game, *candidate, best, &mut random) + random.bell() * error * difficulty
        });
        let judged: Vec<f64> = judged.collect();
        (0..judged.len()).max_by(|&a, &b| judged[a].total_cmp(&judged[b]).then(b.cmp(&a))).unwrap_or(0)
    }

    /// The value of a line without what this player overlooks.
    fn seen_value(&self, game: &Game, candidate: Candidate<'_>, best: f64, random: &mut Random) -> f64 {
        let mut position = *game.position();
        let mv = candidate.moves[0];
        let mut value = apparent(candidate.value);
        let mut overlooks = |position: &Position, last: Option<Move>, mv: Move| {
            random.uniform() < self.oversight * obscurity(position, last, mv)
        };
        if is_tactical(&position, mv) && overlooks(&position, game.moves().next_back(), mv) {
            value -= gain(&position, mv);
        }
        position.play_unchecked(mv);
        let Some(&reply) = candidate.moves.get(1) else { return value };
        let lost = if is_loss(candidate.value) { f64::MAX } else { loss(&position, &candidate.moves[1..]) };
        if lost > 0.0 && overlooks(&position, Some(mv), reply) {
            // However much the reply takes, without it the move is not better than the best one.
            value = (value + lost).min(best);
        }
        value
    }
}

/// A value as a player sees it.
fn apparent(value: Value) -> f64 {
    let seen = if is_win(value) || is_loss(value) {
        let moves_to_mate = (MATE - value.abs()).min(MATE - LONGEST_MATE) / 2;
        value.signum() * (MAX_VALUE + 1000 - 8 * moves_to_mate)
    } else {
        value.clamp(-MAX_VALUE, MAX_VALUE)
    };
    f64::from(seen)
}

/// The material that a move wins at once.
fn gain(position: &Position, mv: Move) -> f64 {
    let captured = position.captured(mv).map_or(0, |piece| piece_value(piece.piece_type()));
    let promoted = mv.promotion().map_or(0, |piece_type| piece_value(piece_type) - 100);
    f64::from(captured + promoted) * PAWN / 100.0
}

/// The material that the opponent wins with these moves, the first of which is the opponent's.
fn loss(position: &Position, moves: &[Move]) -> f64 {
    let mut position = *position;
    let mut balance = 0.0;
    for (&mv, sign) in moves.iter().zip([1.0, -1.0].into_iter().cycle()) {
        balance += sign * gain(&position, mv);
        position.play_unchecked(mv);
    }
    balance
}

/// How hard a move is to see after the last one; 1 is ordinary.
fn obscurity(position: &Position, last: Option<Move>, mv: Move) -> f64 {
    let recaptures = last.is_some_and(|last| last.to() == mv.to());
    let rank = |square: Square| square.rank().index();
    let backwards = match position.side_to_move() {
        Color::White => rank(mv.to()) < rank(mv.from()),
        Color::Black => rank(mv.to()) > rank(mv.from()),
    };
    match (is_tactical(position, mv), position.gives_check(mv)) {
        (true, _) if recaptures => 0.35,
        (true, _) if backwards => 1.0,
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

    /// Uniform from 0 to 1, less than 1.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Approximately normal with mean 0 and deviation 1, never beyond 3.5.
    fn bell(&mut self) -> f64 {
        // The sum of four uniform numbers, scaled to a deviation of 1.
        let sum: f64 = (0..4).map(|_| self.uniform()).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::value::{mate_at, mated_at};

    /// How often in a thousand times this line is chosen.
    fn count(elo: u32, game: &Game, candidates: &[Candidate<'_>], index: usize) -> usize {
        let handicap = Handicap::of(elo);
        (0..1000).filter(|&seed| handicap.choose(game, candidates, seed) == index).count()
    }

    fn moves(position: &Position, line: &[&str]) -> Vec<Move> {
        let mut game = Game::new(*position);
        line.iter().map(|text| game.play_uci(text).unwrap()).collect()
    }

    #[test]
    fn stronger_players_see_more_and_err_less() {
        let ratings: Vec<_> = Engine::ELO.step_by(100).map(Handicap::of).collect();
        for pair in ratings.windows(2) {
            let (weak, strong) = (pair[0], pair[1]);
            assert!(weak.nodes <= strong.nodes && weak.lines() >= strong.lines(), "{pair:?}");
            assert!(weak.error > strong.error && weak.oversight > strong.oversight, "{pair:?}");
        }
        assert!(ratings[0].nodes < 2_000 && ratings.last().unwrap().nodes > 20_000);
    }

    #[test]
    fn errors_are_small_beside_large_differences() {
        let game = Game::default();
        let moves: Vec<_> = game.position().legal_moves().iter().copied().collect();
        let lines = moves.chunks(1).zip([0, -100, -1800]);
        let candidates: Vec<_> = lines.map(|(moves, value)| Candidate { moves, value }).collect();
        assert!(count(1000, &game, &candidates, 1) > 200, "half a pawn is easily missed");
        assert!(count(1000, &game, &candidates, 2) < 30, "a queen hardly ever");
        assert!(count(2800, &game, &candidates, 0) > 950);
    }

    #[test]
    fn weak_players_overlook_threats() {
        // The bishop attacks the rook.
        let position = "6k1/5ppp/8/8/4b3/8/3P1PPP/1R4K1 w - - 0 1".parse().unwrap();
        let game = Game::new(position);
        let [retreat, oversight] = [&["b1c1"][..], &["h2h3", "e4b1"]].map(|line| moves(&position, line));
        let candidates =
            [Candidate { moves: &retreat, value: 0 }, Candidate { moves: &oversight, value: -1000 }];
        let counts = [500, 1000, 1500, 2500].map(|elo| count(elo, &game, &candidates, 1));
        assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
        assert!((100..500).contains(&counts[0]) && counts[3] < 20, "{counts:?}");
        // Without the capture the move is bad for a reason that can be seen.
        let visible =
            [Candidate { moves: &retreat, value: 0 }, Candidate { moves: &oversight[..1], value: -1000 }];
        assert!(count(500, &game, &visible, 1) < counts[0] / 2);
    }

    #[test]
    fn recaptures_are_overlooked_less_often_than_other_captures() {
        let missed = |fen: &str, last: &str| {
            let mut game = Game::new(fen.parse().unwrap());
            game.play_uci(last).unwrap();
            let [capture, quiet] = ["d1d4", "h2h3"].map(|mv| moves(game.position(), &[mv]));
            let candidates =
                [Candidate { moves: &capture, value: 600 }, Candidate { moves: &quiet, value: 0 }];
            count(500, &game, &candidates, 1)
        };
        let recaptures = missed("6k1/5ppp/4n3/8/3P4/8/5PPP/3R2K1 b - - 0 1", "e6d4");
        let captures = missed("6k1/5ppp/8/8/3n4/8/5PPP/3R2K1 b - - 0 1", "h7h6");
        assert!(10 < recaptures && 3 * recaptures < 2 * captures, "{recaptures} {captures}");
    }

    #[test]
    fn shorter_mates_look_better_and_every_mate_better_than_none() {
        let values = [-1, 0, MAX_VALUE, mate_at(61), mate_at(5), mate_at(1)].map(apparent);
        assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
        assert_eq!(apparent(mated_at(4)), -apparent(mate_at(4)));
        assert_eq!(apparent(MAX_VALUE + 500), apparent(MAX_VALUE));
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
