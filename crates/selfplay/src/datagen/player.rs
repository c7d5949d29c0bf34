//! Plays one game.

use std::sync::Arc;

use ferz_board::{Color, Game, Position};
use ferz_eval::Network;
use ferz_search::{Conclusion, Engine, Limits, OutOfMemory, Score, SearchOptions, Signals};
use ferz_syzygy::{ProbeError, Tablebases, Wdl};

use super::opening::{self, OpeningRules};
use super::random::SplitMix64;
use crate::data::header::GamesOrigin;
use crate::data::{FinalResult, GameEnding, GameScore, Ply, ScoredGame};

/// A move never takes more than this many times its soft node limit.
pub const HARD_LIMIT: u64 = 8;
/// This many winning scores in a row decide a game.
const WIN_PLIES: usize = 4;
/// This many small scores in a row make a draw.
const DRAW_PLIES: usize = 10;
const DRAW_SCORE: u16 = 8;
/// No draw is agreed before this ply of the game.
const DRAW_FROM: u32 = 70;
/// A game that takes longer is a draw.
const MAX_PLY: u32 = 400;

/// An engine that plays both sides. What it found for one side tells it much about the next position, so it gets as
/// near to the truth with half the nodes of two engines.
pub(super) struct Player<'a> {
    rules: &'a GamesOrigin,
    engine: Engine,
    tables: &'a Tablebases,
    options: SearchOptions,
    signals: &'a Signals,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        rules: &'a GamesOrigin,
        network: Option<&Arc<Network>>,
        tables: &'a Tablebases,
        signals: &'a Signals,
    ) -> Result<Player<'a>, OutOfMemory> {
        let engine = opening::engine(rules.hash as usize, network)?;
        Ok(Player { rules, engine, tables, options: SearchOptions::default(), signals })
    }

    /// Plays the game with this number; `None` if it was stopped. An error is a damaged table.
    pub(super) fn play(&mut self, number: u64) -> Result<Option<ScoredGame>, ProbeError> {
        let mut problem = None;
        let game = self.play_out(number, &mut problem);
        problem.map_or(Ok(game), Err)
    }

    fn play_out(&mut self, number: u64, problem: &mut Option<ProbeError>) -> Option<ScoredGame> {
        let mut random = SplitMix64::for_number(self.rules.seed, number);
        self.engine.clear();
        let start = OpeningRules::of(self.rules).find(&mut self.engine, self.signals, &mut random)?;
        let mut game = Game::new(start);
        let mut plies = Vec::new();
        let mut displayed = Vec::new();
        loop {
            let conclusion = self.search(&game)?;
            let (mv, line) = (conclusion.best?, conclusion.lines.first()?);
            let side = game.position().side_to_move();
            plies.push(Ply { mv, score: GameScore::from_value(line.value).relative_to(side) });
            displayed.push(Displayed::of(line.score, side));
            game.play(mv).ok()?;
            let by_tables = match GameEnding::by_rules(&game) {
                None => self.by_tables(game.position()).map_err(|error| *problem = Some(error)).ok()?,
                verdict => verdict,
            };
            let verdict = by_tables.or_else(|| self.by_scores(&game, &displayed));
            if let Some((result, ending)) = verdict {
                return Some(ScoredGame { start, plies, result, ending });
            }
        }
    }

    /// Samples the searches of the game with this number.
    #[cfg(feature = "sample")]
    pub(super) fn sample(&mut self, number: u64, file: Option<&super::SampleFile>) {
        let Some(file) = file else { return };
        // Not the numbers of the openings.
        let seed = SplitMix64::for_number(!self.rules.seed, number).next_u64();
        self.engine.set_sampler(Some(ferz_search::Sampler::new(file.rates, seed)));
    }

    /// Writes what was sampled in the game; whether that worked.
    #[cfg(feature = "sample")]
    pub(super) fn write_sample(&mut self, file: Option<&super::SampleFile>) -> bool {
        let sampler = self.engine.sampler_mut();
        let sample: Vec<_> = sampler.into_iter().flat_map(ferz_search::Sampler::take).collect();
        file.is_none_or(|file| file.append(&sample))
    }

    /// Searches for the side to move; `None` if it was stopped.
    fn search(&mut self, game: &Game) -> Option<Conclusion> {
        let soft = self.rules.nodes;
        let limits = Limits::default().soft_nodes(soft).nodes(soft.saturating_mul(HARD_LIMIT));
        opening::search(&mut self.engine, game, &limits, &self.options, self.signals)
    }

    /// Adjudicates a game by endgame tables, just after a capture or pawn move: the verdict is then exact.
    fn by_tables(&self, position: &Position) -> Result<Option<(FinalResult, GameEnding)>, ProbeError> {
        if position.halfmove_clock() != 0 || position.occupied().len() > self.tables.max_men() {
            return Ok(None);
        }
        let side = position.side_to_move();
        let result = match self.tables.probe_wdl(position) {
            Ok(Wdl::Win) => FinalResult::win_of(side),
            Ok(Wdl::Loss) => FinalResult::win_of(!side),
            Ok(Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss) => FinalResult::Draw,
            Err(error @ (ProbeError::Damaged { .. } | ProbeError::Unreadable { .. })) => return Err(error),
            Err(_) => return Ok(None),
        };
        Ok(Some((result, GameEnding::Tables)))
    }

    /// Adjudicates a game by the scores of both players, or by a proven mate.
    fn by_scores(&self, game: &Game, scores: &[Displayed]) -> Option<(FinalResult, GameEnding)> {
        let last = *scores.last()?;
        let agreed = |count: usize, agrees: &dyn Fn(Displayed) -> bool| {
            scores.len() >= count && scores[scores.len() - count..].iter().all(|&score| agrees(score))
        };
        let is_won =
            |score: Displayed| !score.is_within(self.rules.win_score - 1) && score.leader() == last.leader();
        if matches!(last, Displayed::Mate { .. }) || agreed(WIN_PLIES, &is_won) {
            return Some((FinalResult::win_of(last.leader()), GameEnding::WonByScore));
        }
        let ply = crate::data::ply_of(game.position());
        if ply > DRAW_FROM && agreed(DRAW_PLIES, &|score| score.is_within(DRAW_SCORE)) {
            return Some((FinalResult::Draw, GameEnding::DrawnByScore));
        }
        (ply >= MAX_PLY).then_some((FinalResult::Draw, GameEnding::Length))
    }
}

/// A score as users see it, from White's point of view: games are adjudicated by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Displayed {
    Centipawns(i32),
    Mate { winner: Color },
}

impl Displayed {
    /// From a score of the side to move.
    pub(super) fn of(score: Score, side: Color) -> Displayed {
        match (score, side) {
            (Score::Centipawns(value), Color::White) => Displayed::Centipawns(value),
            (Score::Centipawns(value), Color::Black) => Displayed::Centipawns(-value),
            (Score::Mate(moves), side) => Displayed::Mate { winner: if moves > 0 { side } else { !side } },
        }
    }

    pub(super) fn is_within(self, limit: u16) -> bool {
        matches!(self, Displayed::Centipawns(value) if value.abs() <= i32::from(limit))
    }

    /// The side that is ahead.
    fn leader(self) -> Color {
        match self {
            Displayed::Centipawns(value) if value > 0 => Color::White,
            Displayed::Centipawns(_) => Color::Black,
            Displayed::Mate { winner } => winner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::header::ScoreUnit;

    fn rules() -> GamesOrigin {
        GamesOrigin {
            engine: "test".to_owned(),
            bench: 0,
            net: "classical".to_owned(),
            note: String::new(),
            seed: 1,
            nodes: 1,
            hash: 1,
            chess960: 0,
            opening_score: 400,
            win_score: 600,
            scores: ScoreUnit::Raw,
            wdl_model: None,
            tables: None,
        }
    }

    #[test]
    fn tables_adjudicate_after_a_capture_or_pawn_move() {
        let mut tables = Tablebases::new();
        for (name, bytes) in ferz_table_maker::Solutions::all().files() {
            tables.add_bytes(&name, bytes).unwrap();
        }
        let (rules, signals) = (rules(), Signals::new());
        let player = Player::new(&rules, None, &tables, &signals).unwrap();
        let verdict = |fen: &str| player.by_tables(&fen.parse().unwrap()).unwrap().map(|it| it.0);
        assert_eq!(verdict("8/8/8/3k4/8/8/8/K6R w - - 0 1"), Some(FinalResult::win_of(Color::White)));
        assert_eq!(verdict("8/8/8/3k4/8/8/8/K6R b - - 0 1"), Some(FinalResult::win_of(Color::White)));
        assert_eq!(verdict("8/8/8/3K4/8/8/8/k6r b - - 0 1"), Some(FinalResult::win_of(Color::Black)));
        assert_eq!(verdict("8/8/8/8/3k4/8/3P4/3K4 b - - 0 1"), Some(FinalResult::Draw));
        // The rook may be too late by the 50-move rule, and there is no table with four men.
        assert_eq!(verdict("8/8/8/3k4/8/8/8/K6R w - - 80 90"), None);
        assert_eq!(verdict("8/8/8/3k4/8/8/8/K5RR w - - 0 1"), None);
    }

    #[test]
    fn a_move_has_a_score_however_few_nodes_there_are() {
        let rules = rules();
        let signals = Signals::new();
        let tables = Tablebases::new();
        let mut player = Player::new(&rules, None, &tables, &signals).unwrap();
        for number in 0..3 {
            assert!(player.play(number).unwrap().is_some_and(|game| !game.plies.is_empty()));
        }
    }
}
