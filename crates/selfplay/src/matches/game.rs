//! Plays pairs of games: the same opening with colours exchanged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ferz_board::{Color, DrawClaim, Game, Move, Position};
use ferz_eval::Network;
use ferz_search::{Conclusion, Engine, Limits, OutOfMemory, Score, SearchOptions, Signals, TimeControl};

use super::run::{MatchRun, PairJob};
use crate::datagen::random::SplitMix64;

/// The number of random moves of an opening; sometimes one more.
const RANDOM_PLIES: u64 = 8;
/// The nodes of the search that judges an opening, in multiples of a move's nodes.
const VERIFICATION: u64 = 2;
/// A move's nodes for that purpose, if the players have a clock.
const NODES_AT_A_CLOCK: u64 = 8000;
/// The largest score of an opening, in centipawns.
const OPENING_SCORE: i32 = 150;
/// With a soft limit, a move never takes more than this many times as many nodes.
const HARD_LIMIT: u64 = 8;
/// With a clock, instead of the engine's 10 ms: no GUI is between the players.
const MOVE_OVERHEAD: Duration = Duration::from_millis(2);
/// Larger than every evaluation.
const MATE_SCORE: i32 = 100_000;

/// The result of a game for the first player: 1, 0 or -1.
pub type MatchPoints = i32;

/// What ends the search for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveLimit {
    /// Exactly this number of nodes.
    Nodes(u64),
    /// No new iteration starts after this number of nodes. The hard limit is eight times as high.
    SoftNodes(u64),
    /// A clock. A player who oversteps it has lost.
    Clock {
        /// The time for all moves of a game.
        time: Duration,
        /// The time added for every move.
        increment: Duration,
    },
}

/// A player of a match.
#[derive(Clone, Debug)]
pub struct MatchPlayer {
    /// The network; `None` is the classical evaluation.
    pub network: Option<Arc<Network>>,
    /// What ends the search for a move.
    pub limit: MoveLimit,
}

/// Where the openings come from.
#[derive(Clone, Debug)]
pub enum MatchOpenings {
    /// Eight or nine random moves from the start position, unless one side is then ahead. The first player judges that.
    Random,
    /// These positions, in an order chosen by the seed. After the last the first comes again.
    Positions(Vec<Position>),
}

/// When a game ends without the rules. Scores are in centipawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Adjudication {
    /// The score at which a game is won.
    pub win_score: i32,
    /// The number of such scores in a row, of both players.
    pub win_plies: usize,
    /// A game with scores below this one is drawn.
    pub draw_score: i32,
    /// The number of such scores in a row.
    pub draw_plies: usize,
    /// No draw is agreed before this ply.
    pub draw_from: usize,
    /// A longer game is drawn.
    pub max_plies: usize,
}

impl Default for Adjudication {
    fn default() -> Adjudication {
        Adjudication {
            win_score: 1000,
            win_plies: 4,
            draw_score: 10,
            draw_plies: 8,
            draw_from: 80,
            max_plies: 400,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchEnding {
    /// By the rules, or by a claim to a draw.
    Rules,
    /// By adjudication.
    Adjudication,
    /// The loser overstepped the time.
    Time,
}

/// A game of a match.
#[derive(Clone, Debug)]
pub struct MatchGame {
    /// The opening.
    pub start: Position,
    /// The moves of the players.
    pub moves: Vec<Move>,
    /// The colour of the first player.
    pub first_plays: Color,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How it ended.
    pub ending: MatchEnding,
}

impl MatchGame {
    /// The result for the first player.
    #[must_use]
    pub fn points(&self) -> MatchPoints {
        self.winner.map_or(0, |winner| if winner == self.first_plays { 1 } else { -1 })
    }
}

/// A pair of games that has been played.
#[derive(Clone, Debug)]
pub struct PlayedPair {
    /// The number of the pair, from 0.
    pub number: u64,
    /// The games; the first player has White in the first.
    pub games: [MatchGame; 2],
}

impl PlayedPair {
    /// The results for the first player.
    #[must_use]
    pub fn points(&self) -> [MatchPoints; 2] {
        self.games.each_ref().map(MatchGame::points)
    }
}

/// Two independent engines.
pub(super) struct PairPlayers<'a> {
    run: &'a MatchRun,
    engines: [Engine; 2],
    options: SearchOptions,
    signals: &'a Signals,
    /// The order of the given openings.
    order: &'a [u32],
}

/// The order in which given openings are played.
pub(super) fn opening_order(openings: &MatchOpenings, seed: u64) -> Vec<u32> {
    let MatchOpenings::Positions(positions) = openings else { return Vec::new() };
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let mut random = SplitMix64::new(seed);
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

impl<'a> PairPlayers<'a> {
    pub(super) fn new(
        run: &'a MatchRun,
        order: &'a [u32],
        signals: &'a Signals,
    ) -> Result<PairPlayers<'a>, OutOfMemory> {
        let mut engines = [Engine::new(run.hash)?, Engine::new(run.hash)?];
        for (engine, player) in engines.iter_mut().zip(&run.players) {
            engine.set_network(player.network.clone());
        }
        let options = SearchOptions::default().move_overhead(MOVE_OVERHEAD);
        Ok(PairPlayers { run, engines, options, signals, order })
    }

    /// Plays a pair; `None` if it was stopped.
    pub(super) fn play_pair(&mut self, job: &PairJob) -> Option<PlayedPair> {
        let start = self.opening(job.number)?;
        #[cfg(feature = "tune")]
        for (engine, &parameters) in self.engines.iter_mut().zip(&job.parameters) {
            engine.set_parameters(parameters);
        }
        let [first, second] = Color::ALL.map(|first_plays| self.play(start, first_plays));
        Some(PlayedPair { number: job.number, games: [first?, second?] })
    }

    /// The opening of the pair with this number; `None` if the search was stopped.
    fn opening(&mut self, number: u64) -> Option<Position> {
        match &self.run.openings {
            MatchOpenings::Random => self.random_opening(number),
            MatchOpenings::Positions(positions) => {
                let index = self.order.get((number % (self.order.len().max(1) as u64)) as usize)?;
                positions.get(*index as usize).copied()
            }
        }
    }

    /// A position after some random moves in which the game is neither over nor decided.
    fn random_opening(&mut self, number: u64) -> Option<Position> {
        let mut random = SplitMix64::for_number(self.run.seed, number);
        let nodes = match self.run.players[0].limit {
            MoveLimit::Nodes(nodes) | MoveLimit::SoftNodes(nodes) => nodes,
            MoveLimit::Clock { .. } => NODES_AT_A_CLOCK,
        };
        let limits = Limits::default().nodes(nodes.saturating_mul(VERIFICATION));
        // Openings do not depend on the parameters.
        #[cfg(feature = "tune")]
        self.engines[0].set_parameters(ferz_search::SearchParameters::default());
        loop {
            let mut position = Position::start();
            let plies = RANDOM_PLIES + random.below(2);
            let is_alive = (0..plies).all(|_| play_at_random(&mut position, &mut random));
            if !is_alive || position.outcome().is_some() {
                continue;
            }
            self.engines[0].clear();
            let (_, score) = self.search(0, &Game::new(position), &limits)?;
            if score.abs() <= OPENING_SCORE {
                return Some(position);
            }
        }
    }

    /// Plays a game in which the first engine has this colour; `None` if it was stopped.
    fn play(&mut self, start: Position, first_plays: Color) -> Option<MatchGame> {
        self.engines.iter_mut().for_each(Engine::clear);
        let mut game = Game::new(start);
        let mut clocks = self.run.players.each_ref().map(|player| match player.limit {
            MoveLimit::Clock { time, .. } => time,
            MoveLimit::Nodes(_) | MoveLimit::SoftNodes(_) => Duration::ZERO,
        });
        // As White sees them.
        let mut scores = Vec::new();
        let (winner, ending) = loop {
            let turn = game.position().side_to_move();
            let player = usize::from(turn != first_plays);
            let (limit, clock) = (self.run.players[player].limit, &mut clocks[player]);
            let limits = match limit {
                MoveLimit::Nodes(nodes) => Limits::default().nodes(nodes),
                MoveLimit::SoftNodes(soft) => {
                    Limits::default().soft_nodes(soft).nodes(soft.saturating_mul(HARD_LIMIT))
                }
                MoveLimit::Clock { increment, .. } => {
                    Limits::default().time_control(TimeControl::new(*clock).increment(increment))
                }
            };
            let began = Instant::now();
            let (mv, score) = self.search(player, &game, &limits)?;
            if let MoveLimit::Clock { increment, .. } = limit {
                match clock.checked_sub(began.elapsed()) {
                    Some(left) => *clock = left + increment,
                    None => break (Some(!turn), MatchEnding::Time),
                }
            }
            game.play(mv).ok()?;
            scores.push(if turn == Color::White { score } else { -score });
            if let Some(winner) = by_rules(&game) {
                break (winner, MatchEnding::Rules);
            }
            let ply = RANDOM_PLIES as usize + scores.len();
            if let Some(winner) = self.run.adjudication.verdict(&scores, ply) {
                break (winner, MatchEnding::Adjudication);
            }
        };
        Some(MatchGame { start, moves: game.moves().collect(), first_plays, winner, ending })
    }

    /// The best move and its score for the side that plays it; `None` if the search was stopped.
    fn search(&mut self, player: usize, game: &Game, limits: &Limits) -> Option<(Move, i32)> {
        let engine = &mut self.engines[player];
        let mut search = |limits| engine.search_silently(game, limits, &self.options, self.signals);
        let mut conclusion = search(limits);
        if conclusion.lines.is_empty() {
            // The limit ended the first iteration before a move had a score.
            conclusion = search(&Limits::default().depth(1));
        }
        if self.signals.is_stopped() { None } else { judged(&conclusion) }
    }
}

fn judged(conclusion: &Conclusion) -> Option<(Move, i32)> {
    let score = match conclusion.lines.first()?.score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => MATE_SCORE,
        Score::Mate(_) => -MATE_SCORE,
    };
    Some((conclusion.best?, score))
}

/// Whether there was a move to play.
fn play_at_random(position: &mut Position, random: &mut SplitMix64) -> bool {
    let moves = position.legal_moves();
    random.choice(&moves).is_some_and(|mv| position.play(mv).is_ok())
}

/// The winner, if there is one, of a game that is over by the rules; draws are claimed as soon as they can be.
fn by_rules(game: &Game) -> Option<Option<Color>> {
    match game.outcome() {
        Some(outcome) => Some(outcome.winner()),
        None => {
            let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
            claims.into_iter().any(|claim| game.can_claim(claim)).then_some(None)
        }
    }
}

impl Adjudication {
    /// The winner, if there is one, of a game on whose result both players agree. The scores are White's.
    fn verdict(&self, scores: &[i32], ply: usize) -> Option<Option<Color>> {
        let agreed = |count: usize, agrees: &dyn Fn(i32) -> bool| {
            scores.len() >= count && scores[scores.len() - count..].iter().all(|&score| agrees(score))
        };
        if agreed(self.win_plies, &|score| score >= self.win_score) {
            Some(Some(Color::White))
        } else if agreed(self.win_plies, &|score| score <= -self.win_score) {
            Some(Some(Color::Black))
        } else {
            let is_quiet = |score: i32| score.abs() < self.draw_score;
            let is_drawn = ply >= self.draw_from && agreed(self.draw_plies, &is_quiet);
            (is_drawn || ply >= self.max_plies).then_some(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_agree() {
        let by_scores = |scores: &[i32], ply| Adjudication::default().verdict(scores, ply);
        assert_eq!(by_scores(&[1000, 1200, 1100, MATE_SCORE], 20), Some(Some(Color::White)));
        assert_eq!(by_scores(&[1000, 900, 1100, 1500], 20), None);
        assert_eq!(by_scores(&[-1000; 4], 20), Some(Some(Color::Black)));
        assert_eq!(by_scores(&[-1000; 3], 20), None);
        assert_eq!(by_scores(&[9, -9, 0, 0, 0, 0, 0, 0], 80), Some(None));
        assert_eq!(by_scores(&[9, -9, 0, 0, 0, 0, 0, 0], 79), None);
        assert_eq!(by_scores(&[10, 0, 0, 0, 0, 0, 0, 0], 80), None);
        assert_eq!(by_scores(&[300], 400), Some(None));
    }
}
