//! Counting games and positions.

use ferz_board::{Color, PieceType, Position};

use super::duplicates::Duplicates;
use ferz_selfplay::data::{FinalResult, GameEnding, GameScore, Ply, ScoredGame, is_tactical};

/// The upper ends of the score buckets on either side of zero. Mates follow.
const SCORE_STEPS: [u16; 9] = [10, 30, 60, 100, 200, 400, 1000, 2500, 30_000];
pub(super) const SCORE_BUCKETS: usize = 2 * SCORE_STEPS.len() + 1;
/// Plies per bar of the histogram of game lengths.
pub(super) const LENGTH_STEP: usize = 20;
/// From this score on, one side is considered better.
pub(super) const DECISIVE_SCORE: u16 = 100;
/// The scale of the logistic function from scores to expected results.
const SCALE: f64 = 400.0;

/// Wins, draws and losses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResultCounts(pub(super) [u64; 3]);

impl ResultCounts {
    fn add(&mut self, points: u8) {
        self.0[2 - usize::from(points)] += 1;
    }

    pub(super) fn total(self) -> u64 {
        self.0.iter().sum()
    }
}

/// The statistics of all games.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) games: u64,
    pub(super) positions: u64,
    /// From White's point of view.
    pub(super) results: ResultCounts,
    pub(super) endings: [u64; GameEnding::ALL.len()],
    /// By the score of the side to move, from mated to mating.
    pub(super) by_score: [ResultCounts; SCORE_BUCKETS],
    /// By pieces on the board, pawns and kings included.
    pub(super) by_pieces: [u64; 33],
    /// By phase: 24 with all pieces, 0 with kings and pawns.
    pub(super) by_phase: [u64; 25],
    /// Games by their length in steps of [`LENGTH_STEP`].
    pub(super) by_length: Vec<u64>,
    /// The longest game, in plies.
    pub(super) longest: usize,
    pub(super) in_check: u64,
    pub(super) tactical: u64,
    /// Games with Chess960 castling rights.
    pub(super) chess960: u64,
    /// Positions of decided games with a decisive score, and those among them where its side won.
    pub(super) decisive: (u64, u64),
    /// By the side to move.
    pub(super) correlation: [Correlation; 2],
    pub(super) duplicates: Duplicates,
}

impl Default for Collection {
    fn default() -> Collection {
        Collection {
            games: 0,
            positions: 0,
            results: ResultCounts::default(),
            endings: [0; GameEnding::ALL.len()],
            by_score: [ResultCounts::default(); SCORE_BUCKETS],
            by_pieces: [0; 33],
            by_phase: [0; 25],
            by_length: Vec::new(),
            longest: 0,
            in_check: 0,
            tactical: 0,
            chess960: 0,
            decisive: (0, 0),
            correlation: [Correlation::default(); 2],
            duplicates: Duplicates::default(),
        }
    }
}

impl Collection {
    pub(super) fn add(&mut self, game: &ScoredGame) {
        self.games += 1;
        self.results.add(game.result.points_of(Color::White));
        self.endings[game.ending as usize] += 1;
        self.chess960 += u64::from(!game.start.has_standard_castling());
        let length = game.plies.len();
        self.longest = self.longest.max(length);
        let step = length / LENGTH_STEP;
        if self.by_length.len() <= step {
            self.by_length.resize(step + 1, 0);
        }
        self.by_length[step] += 1;
        for (position, ply) in game.positions() {
            self.add_position(&position, ply, game.result);
        }
    }

    fn add_position(&mut self, position: &Position, ply: Ply, result: FinalResult) {
        let side = position.side_to_move();
        let score = ply.score.relative_to(side);
        let points = result.points_of(side);
        self.positions += 1;
        self.by_score[score_bucket(score)].add(points);
        self.by_pieces[position.occupied().len().min(32) as usize] += 1;
        self.by_phase[phase(position)] += 1;
        self.in_check += u64::from(position.is_check());
        self.tactical += u64::from(is_tactical(position, ply.mv));
        self.duplicates.add(position.key());
        self.correlation[side.index()].add(expected_result(score), f64::from(points) / 2.0);
        if result != FinalResult::Draw && score.magnitude() >= DECISIVE_SCORE {
            self.decisive.0 += 1;
            self.decisive.1 += u64::from((score.0 > 0) == (points == 2));
        }
    }
}

fn expected_result(score: GameScore) -> f64 {
    1.0 / (1.0 + (-f64::from(score.0) / SCALE).exp())
}

/// From 24 in the opening to 0 without pieces.
fn phase(position: &Position) -> usize {
    let count = |piece_type| position.by_type(piece_type).len();
    let minor = count(PieceType::Knight) + count(PieceType::Bishop);
    (minor + 2 * count(PieceType::Rook) + 4 * count(PieceType::Queen)).min(24) as usize
}

fn score_bucket(score: GameScore) -> usize {
    let step = SCORE_STEPS.iter().filter(|&&step| score.magnitude() >= step).count();
    if score.0 < 0 { SCORE_STEPS.len() - step } else { SCORE_STEPS.len() + step }
}

/// The scores of a bucket as text.
pub(super) fn score_range(bucket: usize) -> String {
    let middle = SCORE_STEPS.len();
    let (sign, distance) = if bucket < middle { ("-", middle - bucket) } else { ("", bucket - middle) };
    match distance {
        0 => format!("below {}", SCORE_STEPS[0]),
        _ if distance == middle => if sign.is_empty() { "mates" } else { "is mated" }.to_owned(),
        _ => {
            let (from, to) = (SCORE_STEPS[distance - 1], SCORE_STEPS[distance] - 1);
            if sign.is_empty() { format!("{from} to {to}") } else { format!("-{to} to -{from}") }
        }
    }
}

/// Pearson's correlation of two series.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Correlation {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Correlation {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// `None` if one of the series is constant.
    pub(super) fn value(&self) -> Option<f64> {
        let variance = |sum: f64, squares: f64| squares - sum * sum / self.count;
        let product = variance(self.x, self.xx) * variance(self.y, self.yy);
        (product > 1e-9).then(|| (self.xy - self.x * self.y / self.count) / product.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_has_a_bucket() {
        let buckets: Vec<_> = (i16::MIN..=i16::MAX).map(|score| score_bucket(GameScore(score))).collect();
        assert!(buckets.is_sorted());
        assert_eq!((buckets[0], buckets[buckets.len() - 1]), (0, SCORE_BUCKETS - 1));
        for bucket in 0..SCORE_BUCKETS {
            let (low, high) = (score_range(bucket), score_range(SCORE_BUCKETS - 1 - bucket));
            assert_eq!(low == high, bucket == SCORE_STEPS.len(), "{low}, {high}");
        }
        assert_eq!(score_range(score_bucket(GameScore(-31_999))), "is mated");
        assert_eq!(score_range(score_bucket(GameScore(-10))), "-29 to -10");
        assert_eq!(score_range(score_bucket(GameScore(9))), "below 10");
    }

    #[test]
    fn correlation_knows_its_sign() {
        let mut same = Correlation::default();
        let mut opposite = Correlation::default();
        for x in 0..10 {
            same.add(f64::from(x), f64::from(3 * x + 1));
            opposite.add(f64::from(x), f64::from(-x));
        }
        assert!((same.value().unwrap() - 1.0).abs() < 1e-9);
        assert!((opposite.value().unwrap() + 1.0).abs() < 1e-9);
        assert_eq!(Correlation::default().value(), None);
    }
}
