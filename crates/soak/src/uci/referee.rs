//! The promises: what the engine owes for what it was told, and whether that came.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, PositionError};

use super::figures::Figures;
use super::hearing::{Heard, hear};

/// More threads than the machine has cores make the last one slow to hear: their figures are kept apart.
const FEW_THREADS: usize = 2;
/// Lines longer than this take time to be read.
const LONG_LINE: usize = 50_000;

/// A search whose best move is owed.
#[derive(Debug)]
struct Search {
    /// How many boards had been asked for before: the last one is its position.
    boards: usize,
    moves: Vec<String>,
    /// When it was told to stop.
    stopped: Option<Instant>,
    /// Whether its best move may come late: it waits for something that takes long, or for many threads.
    is_slow: bool,
}

/// `isready`.
#[derive(Debug)]
struct Question {
    asked: Instant,
    /// Whether something before it takes long.
    is_slow: bool,
}

/// A board as the engine showed it.
#[derive(Debug)]
struct Board {
    fen: String,
    /// Whether the position asked for last was refused.
    is_refused: bool,
    /// Parsed when first needed.
    position: Option<Chess>,
}

/// Who listens to both sides of a session. Every position is followed by `d`, so that what the engine took for its
/// position is known.
#[derive(Debug)]
pub(super) struct Referee {
    /// What was written since the last line end.
    unfinished: Vec<u8>,
    searches: VecDeque<Search>,
    questions: VecDeque<Question>,
    /// Whether something that takes long was asked for since the last search, and since the last question.
    is_before_search: bool,
    is_before_question: bool,
    /// Whether a long line may not have been read yet: what comes behind it is heard late.
    is_behind_long_line: bool,
    boards_asked: usize,
    boards: Vec<Board>,
    /// Positions asked for, each with the board that follows it.
    requests: VecDeque<(usize, String)>,
    has_complained: bool,
    has_quit: bool,
    is_counting: bool,
    threads: usize,
    /// What is answered before this is not measured: nobody was reading.
    unmeasured_until: Option<Instant>,
    pub(super) figures: Figures,
}

impl Referee {
    pub(super) fn new() -> Referee {
        Referee {
            unfinished: Vec::new(),
            searches: VecDeque::new(),
            questions: VecDeque::new(),
            is_before_search: false,
            is_before_question: false,
            is_behind_long_line: false,
            boards_asked: 0,
            boards: Vec::new(),
            requests: VecDeque::new(),
            has_complained: false,
            has_quit: false,
            is_counting: false,
            threads: 1,
            unmeasured_until: None,
            figures: Figures::default(),
        }
    }

    /// These bytes are about to be written.
    pub(super) fn told(&mut self, bytes: &[u8]) {
        self.unfinished.extend_from_slice(bytes);
        while let Some(end) = self.unfinished.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unfinished.drain(..=end).collect();
            self.told_line(&line[..end]);
        }
    }

    /// The input is about to end; the last line may have no end.
    pub(super) fn told_end(&mut self) {
        let line = std::mem::take(&mut self.unfinished);
        self.told_line(&line);
    }

    pub(super) fn nobody_reads_until(&mut self, end: Instant) {
        self.unmeasured_until = Some(end);
    }

    fn told_line(&mut self, line: &[u8]) {
        if self.has_quit {
            return;
        }
        self.figures.commands += 1;
        let heard = hear(line);
        self.is_behind_long_line |= line.len() > LONG_LINE;
        if line.len() > LONG_LINE || matches!(heard, Heard::Count | Heard::Change | Heard::Threads(_)) {
            self.is_before_search = true;
            self.is_before_question = true;
        }
        match heard {
            Heard::Search { moves } => {
                let waits = std::mem::take(&mut self.is_before_search);
                let waits = waits || self.searches.iter().any(|search| search.is_slow);
                self.searches.push_back(Search {
                    boards: self.boards_asked,
                    moves,
                    stopped: None,
                    is_slow: waits || self.threads > FEW_THREADS,
                });
            }
            Heard::Count => self.is_counting = true,
            Heard::Question => {
                let waits = std::mem::take(&mut self.is_before_question);
                let is_slow = waits
                    || self.is_behind_long_line
                    || self.questions.iter().any(|question| question.is_slow);
                self.questions.push_back(Question { asked: Instant::now(), is_slow });
            }
            Heard::Show => self.boards_asked += 1,
            Heard::Position { text } => self.requests.push_back((self.boards_asked, text)),
            Heard::Stop => {
                let now = Instant::now();
                for search in &mut self.searches {
                    search.is_slow |= self.is_behind_long_line;
                    search.stopped.get_or_insert(now);
                }
                self.is_counting = false;
            }
            Heard::Quit => self.has_quit = true,
            Heard::Threads(threads @ 1..=1024) => self.threads = threads,
            Heard::Threads(_) | Heard::Change | Heard::Flip | Heard::Other => {}
        }
    }

    /// Whether the engine was told to end.
    pub(super) fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// Whether something may still run that ends by itself and may take long.
    pub(super) fn is_counting(&self) -> bool {
        self.is_counting
    }

    /// Whether a line without an end waits for more.
    pub(super) fn is_within_line(&self) -> bool {
        !self.unfinished.is_empty()
    }

    /// What is owed, in words; nothing if all has come.
    pub(super) fn owed(&self) -> Option<String> {
        let boards = self.boards_asked - self.boards.len();
        let owed =
            [(self.searches.len(), "best moves"), (self.questions.len(), "readyok"), (boards, "boards")];
        let owed: Vec<_> =
            owed.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        (!owed.is_empty()).then(|| owed.join(", "))
    }

    /// A line of the engine.
    pub(super) fn said(&mut self, when: Instant, line: &str) -> Result<()> {
        self.check(when, line)?;
        // A long line that was a position is followed by a board.
        let is_settled =
            self.searches.is_empty() && self.questions.is_empty() && self.boards.len() == self.boards_asked;
        self.is_behind_long_line &= !is_settled;
        Ok(())
    }

    fn check(&mut self, when: Instant, line: &str) -> Result<()> {
        if let Some(fen) = line.strip_prefix("Fen: ") {
            return self.said_board(fen);
        }
        if line.starts_with("info string error: position: ") {
            self.has_complained = true;
        } else if line.starts_with("info string error: the search has broken down") {
            bail!("a search has broken down");
        } else if line == "readyok" {
            let question = self.questions.pop_front().context("readyok, but nobody asked")?;
            if let Some(time) = self.measured(question.asked, when) {
                let figures = &mut self.figures;
                if question.is_slow { &mut figures.slow_ready } else { &mut figures.ready }.push(time);
            }
        } else if let Some(text) = line.strip_prefix("bestmove ") {
            return self.said_best_move(when, text);
        } else if line.starts_with("info ") {
            return self.said_info(line);
        }
        Ok(())
    }

    fn measured(&self, from: Instant, to: Instant) -> Option<Duration> {
        let is_measured = self.unmeasured_until.is_none_or(|end| from > end);
        is_measured.then(|| to.saturating_duration_since(from))
    }

    fn said_board(&mut self, fen: &str) -> Result<()> {
        let index = self.boards.len();
        ensure!(index < self.boards_asked, "a board that nobody asked for");
        let mut is_refused = self.boards.last().is_some_and(|board| board.is_refused);
        let complained = std::mem::take(&mut self.has_complained);
        // The last of several positions counts; with more than one, whose complaint it was is not known.
        let mut request = None;
        let mut requests = 0;
        while let Some((_, text)) = self.requests.pop_front_if(|(board, _)| *board == index) {
            request = Some(text);
            requests += 1;
        }
        if let Some(text) = request {
            ensure!(requests == 1, "the session lacks a `d` behind a position");
            is_refused = complained;
            if let Some(expected) = position_of(&text) {
                ensure!(!complained, "a good position was refused: {text}");
                let board = parse(fen)?;
                ensure!(board == expected, "position {text} became {fen}");
            }
        }
        self.boards.push(Board { fen: fen.to_owned(), is_refused, position: None });
        Ok(())
    }

    /// The position of the search that runs, and whether it was refused.
    fn searched(&mut self) -> Result<(Chess, bool)> {
        let search = self.searches.front().context("a search that nobody asked for")?;
        let Some(index) = search.boards.checked_sub(1) else { return Ok((Chess::default(), false)) };
        let board = self.boards.get_mut(index).context("a search of a board that was not shown")?;
        if board.position.is_none() {
            board.position = Some(parse(&board.fen)?);
        }
        Ok((board.position.clone().expect("just parsed"), board.is_refused))
    }

    fn said_info(&mut self, line: &str) -> Result<()> {
        let Some((_, moves)) = line.split_once(" pv ") else { return Ok(()) };
        let (mut position, _) = self.searched()?;
        for text in moves.split_whitespace() {
            let mv = legal(&position, text).with_context(|| format!("in the line {line:?}"))?;
            position.play_unchecked(mv);
        }
        self.figures.lines += 1;
        Ok(())
    }

    fn said_best_move(&mut self, when: Instant, text: &str) -> Result<()> {
        ensure!(!self.searches.is_empty(), "a surplus best move: {text}");
        let (mut position, is_refused) = self.searched()?;
        let search = self.searches.pop_front().expect("just looked at");
        self.figures.best_moves += 1;
        if let Some(time) = search.stopped.and_then(|stopped| self.measured(stopped, when)) {
            let figures = &mut self.figures;
            if search.is_slow { &mut figures.slow_stop } else { &mut figures.stop }.push(time);
        }
        let words: Vec<_> = text.split_whitespace().collect();
        match words[..] {
            ["0000"] if is_refused => Ok(()),
            _ if is_refused => bail!("a move of a position that was refused: {text}"),
            ["(none)"] => {
                let legal = position.legal_moves().len();
                ensure!(legal == 0, "no move, though there are {legal}");
                Ok(())
            }
            [best] | [best, "ponder", _] => {
                let best = legal(&position, best)?;
                let wanted: Vec<Move> =
                    search.moves.iter().filter_map(|text| legal(&position, text).ok()).collect();
                ensure!(wanted.is_empty() || wanted.contains(&best), "{text} is none of {:?}", search.moves);
                position.play_unchecked(best);
                if let [.., "ponder", answer] = words[..] {
                    legal(&position, answer).with_context(|| format!("in {text:?}"))?;
                }
                Ok(())
            }
            _ => bail!("an odd best move: {text}"),
        }
    }
}

fn legal(position: &Chess, text: &str) -> Result<Move> {
    let described = || format!("{text} in {}", Fen::from_position(position, EnPassantMode::Legal));
    let written = text.parse::<UciMove>().with_context(described)?;
    // Castling from other squares than usual, written as the king's step.
    let is_step = |mv: &Move| mv.is_castle() && mv.to_uci(CastlingMode::Standard) == written;
    let castling = || position.legal_moves().into_iter().find(is_step);
    written.to_move(position).or_else(|error| castling().ok_or(error)).with_context(described)
}

/// A position the engine has accepted. It may be more than a game can lead to, but kings are safe.
fn parse(fen: &str) -> Result<Chess> {
    let fen: Fen = fen.parse().with_context(|| format!("the engine shows {fen}"))?;
    let setup = fen.clone().into_position(CastlingMode::Chess960);
    setup
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .with_context(|| format!("the engine has accepted {fen}"))
}

/// The position behind `position`, if it is one that nobody may refuse: legal, and written as everybody writes it.
fn position_of(text: &str) -> Option<Chess> {
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut position = match start.strip_prefix("fen ") {
        None if start == "startpos" => Chess::default(),
        None => return None,
        Some(written) => {
            let position: Chess = written.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960).ok()?;
            let clocks_are_small = position.halfmoves() < 1000 && position.fullmoves().get() < 1000;
            let rewritten = Fen::from_position(&position, EnPassantMode::Legal).to_string();
            (clocks_are_small && rewritten == written).then_some(position)?
        }
    };
    for text in moves.split_whitespace() {
        position.play_unchecked(legal(&position, text).ok()?);
    }
    Some(position)
}
