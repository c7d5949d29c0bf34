//! The games of a batch, and what is wrong with those that cannot be used.

use std::fmt;
use std::mem;
use std::ops::ControlFlow;

use ferz_board::{Game, Move, Position};
use ferz_notation::pgn::parallel::Origin;
use ferz_notation::pgn::{Diagnostic, GameResult, Movetext, Place, Stop, Visitor};

use super::comment::CommentScore;
use ferz_selfplay::data::header::ScoreUnit;
use ferz_selfplay::data::{FinalResult, GameEnding, Ply, ScoredGame};

/// The bytes of a comment that are kept. The score is at its start.
const MAX_COMMENT: usize = 1024;
/// The bytes of a comment that a message quotes.
const MAX_QUOTE: usize = 40;
/// The values of the tag `Termination` for games that were not decided on the board. OpenBench removes the tag.
const FORFEITS: [&[u8]; 5] =
    [b"time forfeit", b"abandoned", b"illegal move", b"unterminated", b"stalled connection"];
/// How fastchess marks a game that the endgame tables decided, in the last comment. OpenBench removes it.
const TABLE_MARK: &[u8] = b"SyzygyTB";

/// Collects games.
pub(super) struct GameCollector {
    unit: ScoreUnit,
    /// The games that can be used.
    pub(super) games: Vec<ScoredGame>,
    /// The games read, used or not.
    pub(super) read: u64,
    pub(super) skipped: Vec<SkippedGame>,

    /// The position before the first move that has a score.
    start: Position,
    plies: Vec<Ply>,
    /// The last move and the position before it, until its score is known.
    unscored: Option<(Position, Move)>,
    /// The moves so far, with those of the opening.
    moves: u32,
    /// Where the game or its last comment begins.
    place: Place,
    comment: Vec<u8>,
    is_adjudicated_by_tables: bool,
    /// The first problem of the game, or of the text before it.
    problem: Option<SkippedGame>,
}

/// Why a game was skipped, and where the problem is.
#[derive(Debug)]
pub(super) enum SkippedGame {
    /// The PGN is wrong.
    Pgn(Diagnostic),
    Other {
        place: Place,
        moves: u32,
        reason: SkipReason,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SkipReason {
    /// The comment of a move does not begin with a score, or there is no comment.
    NoScore {
        comment: String,
    },
    /// No move has a score.
    NoMoves,
    NoResult,
    /// The position says otherwise.
    WrongResult(FinalResult),
    NullMove,
    TooLong,
    /// The value of the tag `Termination`.
    Forfeit(&'static str),
}

impl SkippedGame {
    /// `file:line:column: kind: message`
    pub(super) fn line(&self, file: &str, origin: &Origin) -> impl fmt::Display {
        fmt::from_fn(move |f| match self {
            SkippedGame::Pgn(problem) => {
                let mut problem = problem.clone();
                origin.locate(&mut problem);
                write!(f, "{file}:{problem}; game skipped")
            }
            SkippedGame::Other { place, moves, reason } => {
                let Place { line, column, .. } = origin.place_of(*place);
                write!(f, "{file}:{line}:{column}: {reason}; game skipped (ply {moves})")
            }
        })
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::NoScore { comment } if comment.is_empty() => {
                f.write_str("no-score: the move has no comment with a score")
            }
            SkipReason::NoScore { comment } => {
                let quoted = comment.escape_debug();
                write!(f, "no-score: expected a score such as +0.53/5 or -M4/20, found '{quoted}'")
            }
            SkipReason::NoMoves => f.write_str("no-moves: no move has a score"),
            SkipReason::NoResult => f.write_str("no-result: the game has no result"),
            SkipReason::WrongResult(result) => {
                let result = match result {
                    FinalResult::WhiteWins => "1-0",
                    FinalResult::Draw => "1/2-1/2",
                    FinalResult::BlackWins => "0-1",
                };
                write!(f, "wrong-result: the last position is {result}")
            }
            SkipReason::NullMove => f.write_str("null-move: null moves are not part of a game"),
            SkipReason::TooLong => {
                write!(f, "too-long: the game has more than {} moves", ScoredGame::MAX_PLIES)
            }
            SkipReason::Forfeit(termination) => write!(f, "forfeit: {termination}"),
        }
    }
}

impl GameCollector {
    pub(super) fn new(unit: ScoreUnit) -> GameCollector {
        GameCollector {
            unit,
            games: Vec::new(),
            read: 0,
            skipped: Vec::new(),
            start: Position::start(),
            plies: Vec::new(),
            unscored: None,
            moves: 0,
            place: Place { byte: 0, line: 1, column: 1 },
            comment: Vec::new(),
            is_adjudicated_by_tables: false,
            problem: None,
        }
    }

    /// Notes the first problem of the game.
    fn refuse(&mut self, reason: SkipReason) -> ControlFlow<Stop> {
        let (place, moves) = (self.place, self.moves);
        self.problem.get_or_insert(SkippedGame::Other { place, moves, reason });
        ControlFlow::Break(Stop::Game)
    }

    /// Notes that no score follows the last move, unless it is part of the opening.
    fn settle(&mut self) -> ControlFlow<Stop> {
        match self.unscored.take() {
            Some(_) if !self.plies.is_empty() => {
                let quoted = &self.comment[..self.comment.len().min(MAX_QUOTE)];
                let comment = String::from_utf8_lossy(quoted).into_owned();
                self.refuse(SkipReason::NoScore { comment })
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn finish(&mut self, result: GameResult) -> ControlFlow<Stop> {
        self.settle()?;
        let result = match result {
            GameResult::Win(color) => FinalResult::win_of(color),
            GameResult::Draw => FinalResult::Draw,
            GameResult::Unknown => return self.refuse(SkipReason::NoResult),
        };
        if self.plies.is_empty() {
            return self.refuse(SkipReason::NoMoves);
        }
        let mut game = Game::new(self.start);
        for ply in &self.plies {
            game.play(ply.mv).expect("the reader has checked it");
        }
        let ending = match GameEnding::by_rules(&game) {
            Some((by_rules, ending)) if by_rules == result => ending,
            Some((by_rules, _)) => return self.refuse(SkipReason::WrongResult(by_rules)),
            None if self.is_adjudicated_by_tables => GameEnding::Tables,
            None if result == FinalResult::Draw => GameEnding::DrawnByScore,
            None => GameEnding::WonByScore,
        };
        let plies = mem::take(&mut self.plies);
        self.games.push(ScoredGame { start: self.start, plies, result, ending });
        ControlFlow::Continue(())
    }
}

impl Visitor for GameCollector {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;
    const PLACES: bool = true;

    fn begins_at(&mut self, place: Place) {
        self.place = place;
    }

    fn begin_game(&mut self) {
        self.plies.clear();
        self.unscored = None;
        self.moves = 0;
        self.is_adjudicated_by_tables = false;
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if name == b"Termination"
            && let Some(forfeit) = FORFEITS.iter().find(|&&forfeit| forfeit == value)
        {
            let _ = self.refuse(SkipReason::Forfeit(str::from_utf8(forfeit).unwrap_or_default()));
        }
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.start = *start;
        if self.problem.is_some() { ControlFlow::Break(Stop::Game) } else { ControlFlow::Continue(()) }
    }

    fn play(&mut self, before: &Position, mv: Option<Move>, _: &Position) -> ControlFlow<Stop> {
        self.settle()?;
        self.comment.clear();
        self.moves += 1;
        if self.plies.is_empty() {
            self.start = *before;
        }
        let Some(mv) = mv else { return self.refuse(SkipReason::NullMove) };
        if self.plies.len() == ScoredGame::MAX_PLIES {
            return self.refuse(SkipReason::TooLong);
        }
        self.unscored = Some((*before, mv));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, part: &[u8], last: bool) {
        // Several comments of a move are read as one.
        let room = MAX_COMMENT.saturating_sub(self.comment.len());
        self.comment.extend_from_slice(&part[..part.len().min(room)]);
        if !last {
            return;
        }
        if let Some((position, mv)) = self.unscored
            && let Some(score) = CommentScore::parse(&self.comment)
        {
            self.plies.push(Ply { mv, score: score.in_unit(self.unit, &position) });
            self.unscored = None;
        }
        self.is_adjudicated_by_tables = self.comment.windows(TABLE_MARK.len()).any(|it| it == TABLE_MARK);
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problem.get_or_insert(SkippedGame::Pgn(problem));
    }

    fn end_game(&mut self, result: GameResult) {
        self.read += 1;
        if self.problem.is_none() {
            // A problem is noted below.
            let _ = self.finish(result);
        }
        self.skipped.extend(self.problem.take());
    }
}
