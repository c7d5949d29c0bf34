//! What the engine owes for every line it was sent, and whether it came.

use std::collections::VecDeque;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use shakmaty::{Chess, Move, Position};

use crate::figures::SoakFigures;
use crate::rules::{legal_move, parse_fen, play_moves, write_fen};

/// The times that are measured. Slow commands are a new table, a new game, a line of a megabyte.
pub(super) const READY: &str = "isready to readyok";
const SLOW_READY: &str = "isready to readyok behind slow commands";
const STOP: &str = "stop to bestmove";
const SLOW_STOP: &str = "stop to bestmove behind slow commands or with more threads than cores";

/// With more threads than cores the last one notices a stop late: such figures are kept apart.
const FEW_THREADS: usize = 2;
/// Longer lines take time to be read.
const LONG_LINE: usize = 50_000;
/// Longer lines are ignored by the engine.
const MAX_LINE: usize = 1 << 20;

/// What a line asks for, as far as promises depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum UciRequest {
    /// `go`: one best move is owed.
    Search {
        moves: Vec<String>,
    },
    /// `perft` or `bench`: no best move, but it may take long.
    Count,
    IsReady,
    /// `d`.
    Show,
    Position(String),
    Flip,
    Stop,
    Quit,
    Threads(usize),
    /// The engine changes, which may take long: table, net, a new game.
    Change,
    Other,
}

impl UciRequest {
    /// Reads a line as the protocol prescribes.
    pub(super) fn parse(line: &[u8]) -> UciRequest {
        const COMMANDS: &str =
            "uci isready ucinewgame position go stop ponderhit setoption debug register quit";
        if line.len() > MAX_LINE {
            return UciRequest::Other;
        }
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.first() {
            Some(&"d") => return UciRequest::Show,
            Some(&"bench") => return UciRequest::Count,
            Some(&"flip") => return UciRequest::Flip,
            Some(&("eval" | "compiler" | "help")) | None => return UciRequest::Other,
            Some(_) => {}
        }
        // Unknown words before a command are skipped.
        let Some(start) = words.iter().position(|word| is_in(COMMANDS, word)) else {
            return UciRequest::Other;
        };
        match (words[start], &words[start + 1..]) {
            ("isready", _) => UciRequest::IsReady,
            ("stop", _) => UciRequest::Stop,
            ("quit", _) => UciRequest::Quit,
            ("ucinewgame", _) => UciRequest::Change,
            ("position", rest) => UciRequest::Position(rest.join(" ")),
            ("go", rest) => UciRequest::parse_go(rest),
            ("setoption", ["name", name, "value", value]) if name.eq_ignore_ascii_case("threads") => {
                value.parse().map_or(UciRequest::Other, UciRequest::Threads)
            }
            ("setoption", ["name", name, ..]) if is_in("hash clear evalfile", &name.to_ascii_lowercase()) => {
                UciRequest::Change
            }
            _ => UciRequest::Other,
        }
    }

    fn parse_go(words: &[&str]) -> UciRequest {
        const KEYWORDS: &str =
            "ponder wtime btime winc binc movestogo depth nodes mate movetime infinite perft";
        let is_number = |word: &str| {
            let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if words.windows(2).any(|pair| pair[0] == "perft" && is_number(pair[1])) {
            return UciRequest::Count;
        }
        let mut moves = Vec::new();
        let mut is_in_list = false;
        for word in words {
            match *word {
                "searchmoves" => is_in_list = true,
                word if is_in(KEYWORDS, word) => is_in_list = false,
                word if is_in_list => moves.push(word.to_ascii_lowercase()),
                _ => {}
            }
        }
        UciRequest::Search { moves }
    }
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// A search whose best move is owed.
#[derive(Debug)]
struct PendingSearch {
    /// How many boards had been requested before: the last one shows its position.
    boards: usize,
    moves: Vec<String>,
    stopped: Option<Instant>,
    is_slow: bool,
}

/// A position as the engine showed it, and whether the last `position` was refused.
#[derive(Debug)]
struct ShownBoard {
    position: Chess,
    is_refused: bool,
}

/// Listens to both sides of a session. Every `position` is followed by `d`, so that the engine's position is known.
#[derive(Debug)]
pub(super) struct UciReferee<'a> {
    pub(super) figures: &'a SoakFigures,
    /// Sent since the last line end.
    unfinished: Vec<u8>,
    searches: VecDeque<PendingSearch>,
    /// When `isready` was sent, and whether it is behind a slow command.
    questions: VecDeque<(Instant, bool)>,
    /// Whether a slow command may not have been handled yet: everything behind it is delayed.
    is_slow: bool,
    boards_requested: usize,
    boards: Vec<ShownBoard>,
    /// Positions that were sent, each with the index of the board that follows.
    positions: VecDeque<(usize, String)>,
    has_refused: bool,
    pub(super) has_quit: bool,
    /// Whether `perft` or `bench` may still run.
    pub(super) is_counting: bool,
    has_many_threads: bool,
    /// Answers to earlier questions are not measured: the output was not read.
    pub(super) unmeasured_until: Option<Instant>,
}

impl<'a> UciReferee<'a> {
    pub(super) fn new(figures: &'a SoakFigures) -> UciReferee<'a> {
        UciReferee {
            figures,
            unfinished: Vec::new(),
            searches: VecDeque::new(),
            questions: VecDeque::new(),
            is_slow: false,
            boards_requested: 0,
            boards: Vec::new(),
            positions: VecDeque::new(),
            has_refused: false,
            has_quit: false,
            is_counting: false,
            has_many_threads: false,
            unmeasured_until: None,
        }
    }

    /// These bytes are about to be written.
    pub(super) fn sent(&mut self, bytes: &[u8]) {
        self.unfinished.extend_from_slice(bytes);
        while let Some(end) = self.unfinished.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unfinished.drain(..=end).collect();
            self.sent_line(&line[..end]);
        }
    }

    /// The input is about to end; the last line counts without a line end.
    pub(super) fn input_ends(&mut self) {
        let line = std::mem::take(&mut self.unfinished);
        self.sent_line(&line);
    }

    pub(super) fn is_within_line(&self) -> bool {
        !self.unfinished.is_empty()
    }

    fn sent_line(&mut self, line: &[u8]) {
        if self.has_quit {
            return;
        }
        self.figures.count("commands", 1);
        let request = UciRequest::parse(line);
        self.is_slow |= line.len() > LONG_LINE
            || matches!(request, UciRequest::Count | UciRequest::Change | UciRequest::Threads(_));
        match request {
            UciRequest::Search { moves } => {
                let is_slow = self.is_slow || self.has_many_threads;
                let boards = self.boards_requested;
                self.searches.push_back(PendingSearch { boards, moves, stopped: None, is_slow });
            }
            UciRequest::Count => self.is_counting = true,
            UciRequest::IsReady => self.questions.push_back((Instant::now(), self.is_slow)),
            UciRequest::Show => self.boards_requested += 1,
            UciRequest::Position(text) => self.positions.push_back((self.boards_requested, text)),
            UciRequest::Stop => {
                for search in &mut self.searches {
                    search.is_slow |= self.is_slow;
                    search.stopped.get_or_insert_with(Instant::now);
                }
                self.is_counting = false;
            }
            UciRequest::Quit => self.has_quit = true,
            UciRequest::Threads(threads @ 1..=1024) => self.has_many_threads = threads > FEW_THREADS,
            UciRequest::Threads(_) | UciRequest::Change | UciRequest::Flip | UciRequest::Other => {}
        }
    }

    /// What is still owed, in words.
    pub(super) fn missing(&self) -> Option<String> {
        let boards = self.boards_requested - self.boards.len();
        let (searches, questions) = (self.searches.len(), self.questions.len());
        let is_missing = searches + questions + boards > 0;
        is_missing.then(|| format!("{searches} best moves, {questions} readyok, {boards} boards"))
    }

    /// A line of output.
    pub(super) fn received(&mut self, when: Instant, line: &str) -> Result<()> {
        if let Some(fen) = line.strip_prefix("Fen: ") {
            self.received_board(fen)?;
        } else if line == "readyok" {
            let (sent, is_slow) = self.questions.pop_front().context("readyok without isready")?;
            self.measure(if is_slow { SLOW_READY } else { READY }, sent, when);
        } else if let Some(text) = line.strip_prefix("bestmove ") {
            self.received_best_move(when, text)?;
        } else if let Some(error) = line.strip_prefix("info string error: ") {
            self.has_refused |= error.starts_with("position: ");
            let is_internal =
                ["broken down", "panicked", "internal error"].iter().any(|it| error.contains(it));
            ensure!(!is_internal, "{line}");
        } else if let Some((_, moves)) = line.split_once(" pv ").filter(|_| line.starts_with("info ")) {
            play_moves(&self.searched()?.0, moves.split_whitespace())
                .with_context(|| format!("in the line {line:?}"))?;
            self.figures.count("PV lines", 1);
        }
        // Once everything is answered, every command has been handled.
        self.is_slow &= self.missing().is_some();
        Ok(())
    }

    fn measure(&self, name: &'static str, from: Instant, to: Instant) {
        if self.unmeasured_until.is_none_or(|end| from > end) {
            self.figures.time(name, to.saturating_duration_since(from));
        }
    }

    fn received_board(&mut self, fen: &str) -> Result<()> {
        let index = self.boards.len();
        ensure!(index < self.boards_requested, "a board without d");
        let position = parse_fen(fen).context("the engine shows a bad position")?;
        let mut is_refused = self.boards.last().is_some_and(|board| board.is_refused);
        let has_refused = std::mem::take(&mut self.has_refused);
        if let Some((_, text)) = self.positions.pop_front_if(|(board, _)| *board == index) {
            is_refused = has_refused;
            if let Some(expected) = undisputed_position(&text) {
                ensure!(!has_refused, "a good position was refused: {text}");
                ensure!(position == expected, "position {text} became {fen}");
            }
        }
        self.boards.push(ShownBoard { position, is_refused });
        Ok(())
    }

    /// The position of the current search, and whether it was refused.
    fn searched(&self) -> Result<(Chess, bool)> {
        let search = self.searches.front().context("output of a search without go")?;
        let Some(index) = search.boards.checked_sub(1) else { return Ok((Chess::default(), false)) };
        let board = self.boards.get(index).context("a search of a board that was not shown")?;
        Ok((board.position.clone(), board.is_refused))
    }

    fn received_best_move(&mut self, when: Instant, text: &str) -> Result<()> {
        let (position, is_refused) = self.searched().with_context(|| format!("bestmove {text}"))?;
        let search = self.searches.pop_front().expect("just looked at");
        self.figures.count("best moves", 1);
        if let Some(stopped) = search.stopped {
            self.measure(if search.is_slow { SLOW_STOP } else { STOP }, stopped, when);
        }
        let words: Vec<_> = text.split_whitespace().collect();
        match words[..] {
            ["0000"] if is_refused => Ok(()),
            _ if is_refused => bail!("a move in a position that was refused: {text}"),
            ["(none)"] => {
                let legal = position.legal_moves().len();
                ensure!(legal == 0, "no move, but {legal} are legal");
                Ok(())
            }
            [best] | [best, "ponder", _] => {
                play_moves(&position, words.iter().copied().filter(|&word| word != "ponder"))
                    .with_context(|| format!("bestmove {text}"))?;
                let best = legal_move(&position, best)?;
                let wanted: Vec<Move> =
                    search.moves.iter().filter_map(|text| legal_move(&position, text).ok()).collect();
                ensure!(wanted.is_empty() || wanted.contains(&best), "{text} is none of {:?}", search.moves);
                Ok(())
            }
            _ => bail!("invalid: bestmove {text}"),
        }
    }
}

/// The position after `position`, if it must be accepted: legal, and written in the usual way.
fn undisputed_position(text: &str) -> Option<Chess> {
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let position = match start.strip_prefix("fen ") {
        None if start == "startpos" => Chess::default(),
        None => return None,
        Some(written) => {
            let fen: shakmaty::fen::Fen = written.parse().ok()?;
            let position: Chess = fen.into_position(shakmaty::CastlingMode::Chess960).ok()?;
            let has_small_clocks = position.halfmoves() < 1000 && position.fullmoves().get() < 1000;
            (has_small_clocks && write_fen(&position) == written).then_some(position)?
        }
    };
    play_moves(&position, moves.split_whitespace()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_the_protocol_prescribes() {
        let parse = UciRequest::parse;
        let search =
            |moves: &[&str]| UciRequest::Search { moves: moves.iter().map(|&it| it.to_owned()).collect() };
        assert_eq!(parse(b"xyzzy go depth 1"), search(&[]));
        assert_eq!(parse(b"go searchmoves E2E4 d2d4 depth 3 junk"), search(&["e2e4", "d2d4"]));
        assert_eq!(parse(b"go perft 3"), UciRequest::Count);
        assert_eq!(parse(b"go perft x"), search(&[]));
        assert_eq!(parse(b"\tisready now\r"), UciRequest::IsReady);
        assert_eq!(parse(b"x d"), UciRequest::Other);
        assert_eq!(parse(b"setoption name THREADS value 3"), UciRequest::Threads(3));
        assert_eq!(parse(b"setoption name Clear Hash"), UciRequest::Change);
        assert_eq!(parse(&b"go ".repeat(1 << 19)), UciRequest::Other);
    }

    #[test]
    fn broken_promises_are_found() {
        let answers = |lines: &[&str]| {
            let figures = SoakFigures::default();
            let mut referee = UciReferee::new(&figures);
            referee.sent(b"position startpos moves e2e4\nd\ngo searchmoves e7e5 c7c5\nisready\n");
            lines
                .iter()
                .try_for_each(|line| referee.received(Instant::now(), line))
                .map(|()| referee.missing())
        };
        let board = "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert_eq!(answers(&[board, "readyok", "bestmove e7e5 ponder g1f3"]).expect("right"), None);
        assert!(answers(&[board, "readyok"]).expect("right so far").is_some());
        for lines in [
            &["readyok", "readyok"][..],
            &[board, board],
            &["Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"],
            &["info string error: position: no", board],
            &[board, "bestmove e2e4"],
            &[board, "bestmove d7d5"],
            &[board, "bestmove (none)"],
            &[board, "bestmove e7e5 ponder e7e5"],
            &[board, "bestmove e7e5", "bestmove e7e5"],
            &[board, "info depth 1 pv e7e5 e4e5"],
        ] {
            assert!(answers(lines).is_err(), "{lines:?}");
        }
    }
}
