//! What a line says.
//!
//! Every line has a meaning or is refused with a reason. As the protocol wants it, words in front of a command
//! that are no command are passed over (`joho debug on`), and so are words behind it that mean nothing.

use std::fmt;

use super::go::{self, Go};
use super::words::Words;

/// What to do.
#[derive(Debug, PartialEq)]
pub(super) enum Command<'a> {
    Uci,
    IsReady,
    NewGame,
    Position(PositionCommand<'a>),
    Go(Go<'a>),
    Stop,
    PonderHit,
    SetOption(SetOption<'a>),
    Debug(bool),
    Register,
    Quit,
    /// `d`: show the board.
    Show,
    /// `eval`: explain the evaluation.
    Evaluate,
    Bench {
        /// `None` is the usual one.
        depth: Option<u32>,
    },
    Flip,
    Compiler,
    Help,
}

/// `position`: where a game began, and its moves.
#[derive(Debug, PartialEq)]
pub(super) struct PositionCommand<'a> {
    /// `None` is the start position.
    pub(super) fen: Option<&'a str>,
    pub(super) moves: Vec<&'a str>,
}

/// `setoption`: a name and perhaps a value.
#[derive(Debug, PartialEq)]
pub(super) struct SetOption<'a> {
    pub(super) name: &'a str,
    pub(super) value: Option<&'a str>,
}

/// Why a line is no command.
#[derive(Debug, PartialEq)]
pub(super) enum Misunderstanding<'a> {
    /// No word of it is a command.
    Unknown(&'a str),
    /// `position` without `startpos` or `fen`, but with this word.
    NoPosition(&'a str),
    /// Behind `startpos` comes neither `moves` nor the end.
    NoMoves(&'a str),
    /// `setoption` without `name`.
    NoName,
    /// `debug` with neither `on` nor `off`.
    NoSwitch,
}

impl Misunderstanding<'_> {
    /// Whether the line was to set up a position.
    pub(super) fn is_about_position(&self) -> bool {
        matches!(self, Misunderstanding::NoPosition(_) | Misunderstanding::NoMoves(_))
    }
}

impl fmt::Display for Misunderstanding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misunderstanding::Unknown(line) => {
                write!(f, "unknown command {}; help lists what there is", Quoted(line))
            }
            Misunderstanding::NoPosition(word) => {
                write!(f, "position: startpos or fen is expected, not {}", Quoted(word))
            }
            Misunderstanding::NoMoves(word) => write!(f, "position: moves is expected, not {}", Quoted(word)),
            Misunderstanding::NoName => f.write_str("setoption: name and a name are expected"),
            Misunderstanding::NoSwitch => f.write_str("debug: on or off is expected"),
        }
    }
}

/// Text from outside in a message: in quotation marks, on one line, and never long.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 60;
        let end = self.0.char_indices().nth(MAX_CHARS).map_or(self.0.len(), |(end, _)| end);
        let dots = if end < self.0.len() { " …" } else { "" };
        write!(f, "'{}{dots}'", crate::terminal::visible(&self.0.as_bytes()[..end]))
    }
}

impl<'a> Command<'a> {
    /// What this line says; `None` if it says nothing.
    pub(super) fn parse(line: &'a str) -> Result<Option<Command<'a>>, Misunderstanding<'a>> {
        let mut words = Words::new(line);
        let Some(first) = words.next() else { return Ok(None) };
        if let Some(command) = Command::of_developers(first, &mut words) {
            return Ok(Some(command));
        }
        let mut word = first;
        loop {
            match Command::of_protocol(word, &mut words) {
                Some(command) => return command.map(Some),
                None => word = words.next().ok_or(Misunderstanding::Unknown(line.trim()))?,
            }
        }
    }

    fn of_protocol(word: &str, rest: &mut Words<'a>) -> Option<Result<Command<'a>, Misunderstanding<'a>>> {
        Some(Ok(match word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "position" => return Some(position(rest).map(Command::Position)),
            "go" => Command::Go(go::parse(rest)),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "setoption" => return Some(set_option(rest).map(Command::SetOption)),
            "debug" => match rest.next() {
                Some("on") => Command::Debug(true),
                Some("off") => Command::Debug(false),
                _ => return Some(Err(Misunderstanding::NoSwitch)),
            },
            "register" => Command::Register,
            "quit" => Command::Quit,
            _ => return None,
        }))
    }

    /// Commands that the protocol does not have. They count only at the start of a line: somewhere in junk, `d`
    /// is more likely a letter.
    fn of_developers(word: &str, rest: &mut Words<'a>) -> Option<Command<'a>> {
        Some(match word {
            "d" => Command::Show,
            "eval" => Command::Evaluate,
            "bench" => Command::Bench { depth: rest.next().and_then(|word| word.parse().ok()) },
            "flip" => Command::Flip,
            "compiler" => Command::Compiler,
            "help" => Command::Help,
            _ => return None,
        })
    }
}

fn position<'a>(words: &mut Words<'a>) -> Result<PositionCommand<'a>, Misunderstanding<'a>> {
    let fen = match words.next() {
        Some("startpos") => match words.next() {
            Some("moves") | None => None,
            Some(other) => return Err(Misunderstanding::NoMoves(other)),
        },
        Some("fen") => Some(words.take_until("moves")),
        other => return Err(Misunderstanding::NoPosition(other.unwrap_or_default())),
    };
    Ok(PositionCommand { fen, moves: words.collect() })
}

fn set_option<'a>(words: &mut Words<'a>) -> Result<SetOption<'a>, Misunderstanding<'a>> {
    if words.next() != Some("name") {
        return Err(Misunderstanding::NoName);
    }
    let has_value = words.clone().any(|word| word == "value");
    let name = words.take_until("value");
    if name.is_empty() {
        return Err(Misunderstanding::NoName);
    }
    // The value is taken as it is written: paths may have blanks.
    Ok(SetOption { name, value: has_value.then(|| words.rest()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Command<'_> {
        Command::parse(line).expect("understood").expect("not blank")
    }

    #[test]
    fn blank_lines_say_nothing() {
        for line in ["", " ", "\r\n", "\t \t"] {
            assert_eq!(Command::parse(line), Ok(None));
        }
    }

    #[test]
    fn unknown_words_in_front_and_behind_are_passed_over() {
        assert_eq!(parse("joho debug on"), Command::Debug(true));
        assert_eq!(parse("  isready now please \r\n"), Command::IsReady);
        assert_eq!(Command::parse(" xyzzy d "), Err(Misunderstanding::Unknown("xyzzy d")));
        assert_eq!(parse("bench deep"), Command::Bench { depth: None });
        assert_eq!(parse("bench 7"), Command::Bench { depth: Some(7) });
    }

    #[test]
    fn positions() {
        let position = |line| match parse(line) {
            Command::Position(position) => (position.fen, position.moves),
            other => panic!("{other:?}"),
        };
        assert_eq!(position("position startpos"), (None, vec![]));
        assert_eq!(position("position\tstartpos\tmoves e2e4  e7e5"), (None, vec!["e2e4", "e7e5"]));
        assert_eq!(position("position fen 8/8 w moves a1a2"), (Some("8/8 w"), vec!["a1a2"]));
        assert_eq!(position("position fen"), (Some(""), vec![]));
        assert_eq!(Command::parse("position"), Err(Misunderstanding::NoPosition("")));
        assert_eq!(Command::parse("position startpos e2e4"), Err(Misunderstanding::NoMoves("e2e4")));
    }

    #[test]
    fn options() {
        let option = |line| match parse(line) {
            Command::SetOption(option) => (option.name, option.value),
            other => panic!("{other:?}"),
        };
        assert_eq!(option("setoption name Clear Hash"), ("Clear Hash", None));
        assert_eq!(option("setoption name Hash value"), ("Hash", Some("")));
        assert_eq!(
            option("setoption name  SyzygyPath  value /my  tables "),
            ("SyzygyPath", Some("/my  tables"))
        );
        for line in ["setoption", "setoption name", "setoption value 3", "setoption name value 3"] {
            assert_eq!(Command::parse(line), Err(Misunderstanding::NoName), "{line}");
        }
    }

    #[test]
    fn messages_stay_short_and_harmless() {
        let line = format!("\x1b[31m{}", "é".repeat(100_000));
        let message = Command::parse(&line).expect_err("no command").to_string();
        assert!(message.len() < 200 && !message.contains('\x1b'), "{message}");
    }
}
