//! Parsing commands.
//!
//! Every line is a command or gets an error message. As the protocol demands, unknown words before a command
//! (`joho debug on`) and after it are ignored.

use std::fmt;

use super::go::{self, GoCommand};
use super::words::Words;

/// A command of the protocol, or one of our own.
#[derive(Debug, PartialEq)]
pub(super) enum UciCommand<'a> {
    Uci,
    IsReady,
    NewGame,
    Position(PositionCommand<'a>),
    Go(GoCommand<'a>),
    Stop,
    PonderHit,
    SetOption(SetOption<'a>),
    Debug(bool),
    Register,
    Quit,
    /// `d`: shows the board.
    Show,
    /// `eval`: explains the evaluation.
    Evaluate,
    Bench {
        /// `None` is the default depth.
        depth: Option<u32>,
    },
    Flip,
    Compiler,
    Help,
}

/// `position`: the start of a game, and its moves.
#[derive(Debug, PartialEq)]
pub(super) struct PositionCommand<'a> {
    /// `None` is the start position.
    pub(super) fen: Option<&'a str>,
    pub(super) moves: Vec<&'a str>,
}

/// `setoption`: a name and an optional value.
#[derive(Debug, PartialEq)]
pub(super) struct SetOption<'a> {
    pub(super) name: &'a str,
    pub(super) value: Option<&'a str>,
}

/// Why a line was rejected.
#[derive(Debug, PartialEq)]
pub(super) enum CommandError<'a> {
    /// None of its words is a command.
    Unknown(&'a str),
    /// `position` followed by this word instead of `startpos` or `fen`.
    NoPosition(&'a str),
    /// `position startpos` followed by this word instead of `moves`.
    NoMoves(&'a str),
    /// `setoption` without `name`.
    NoName,
    /// `debug` with neither `on` nor `off`.
    NoSwitch,
}

impl CommandError<'_> {
    /// Whether the line is a `position` command.
    pub(super) fn is_about_position(&self) -> bool {
        matches!(self, CommandError::NoPosition(_) | CommandError::NoMoves(_))
    }
}

impl fmt::Display for CommandError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Unknown(line) => {
                write!(f, "unknown command {}; type help for the commands", Quoted(line))
            }
            CommandError::NoPosition(word) => {
                write!(f, "position: expected startpos or fen, found {}", Quoted(word))
            }
            CommandError::NoMoves(word) => write!(f, "position: expected moves, found {}", Quoted(word)),
            CommandError::NoName => f.write_str("setoption: expected name and the name of an option"),
            CommandError::NoSwitch => f.write_str("debug: expected on or off"),
        }
    }
}

/// Text of the client in a message: quoted, on one line, without control characters, and cut if it is long.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 60;
        let end = self.0.char_indices().nth(MAX_CHARS).map_or(self.0.len(), |(end, _)| end);
        let dots = if end < self.0.len() { " …" } else { "" };
        write!(f, "'{}{dots}'", crate::terminal::visible(&self.0.as_bytes()[..end]))
    }
}

impl<'a> UciCommand<'a> {
    /// Parses a line; `None` if it is blank.
    pub(super) fn parse(line: &'a str) -> Result<Option<UciCommand<'a>>, CommandError<'a>> {
        let mut words = Words::new(line);
        let Some(first) = words.next() else { return Ok(None) };
        if let Some(command) = UciCommand::parse_extension(first, &mut words) {
            return Ok(Some(command));
        }
        let mut word = first;
        loop {
            match UciCommand::parse_protocol(word, &mut words) {
                Some(command) => return command.map(Some),
                None => word = words.next().ok_or(CommandError::Unknown(line.trim()))?,
            }
        }
    }

    fn parse_protocol(word: &str, rest: &mut Words<'a>) -> Option<Result<UciCommand<'a>, CommandError<'a>>> {
        Some(Ok(match word {
            "uci" => UciCommand::Uci,
            "isready" => UciCommand::IsReady,
            "ucinewgame" => UciCommand::NewGame,
            "position" => return Some(position(rest).map(UciCommand::Position)),
            "go" => UciCommand::Go(go::parse(rest)),
            "stop" => UciCommand::Stop,
            "ponderhit" => UciCommand::PonderHit,
            "setoption" => return Some(set_option(rest).map(UciCommand::SetOption)),
            "debug" => match rest.next() {
                Some("on") => UciCommand::Debug(true),
                Some("off") => UciCommand::Debug(false),
                _ => return Some(Err(CommandError::NoSwitch)),
            },
            "register" => UciCommand::Register,
            "quit" => UciCommand::Quit,
            _ => return None,
        }))
    }

    /// Commands beyond the protocol. They must be the first word of a line: after unknown words, `d` is more likely
    /// garbage than a command.
    fn parse_extension(word: &str, rest: &mut Words<'a>) -> Option<UciCommand<'a>> {
        Some(match word {
            "d" => UciCommand::Show,
            "eval" => UciCommand::Evaluate,
            "bench" => UciCommand::Bench { depth: rest.next().and_then(|word| word.parse().ok()) },
            "flip" => UciCommand::Flip,
            "compiler" => UciCommand::Compiler,
            "help" => UciCommand::Help,
            _ => return None,
        })
    }
}

fn position<'a>(words: &mut Words<'a>) -> Result<PositionCommand<'a>, CommandError<'a>> {
    let fen = match words.next() {
        Some("startpos") => match words.next() {
            Some("moves") | None => None,
            Some(other) => return Err(CommandError::NoMoves(other)),
        },
        Some("fen") => Some(words.take_until("moves")),
        other => return Err(CommandError::NoPosition(other.unwrap_or_default())),
    };
    Ok(PositionCommand { fen, moves: words.collect() })
}

fn set_option<'a>(words: &mut Words<'a>) -> Result<SetOption<'a>, CommandError<'a>> {
    if words.next() != Some("name") {
        return Err(CommandError::NoName);
    }
    let has_value = words.clone().any(|word| word == "value");
    let name = words.take_until("value");
    if name.is_empty() {
        return Err(CommandError::NoName);
    }
    // The value is taken as written: paths may contain spaces.
    Ok(SetOption { name, value: has_value.then(|| words.rest()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> UciCommand<'_> {
        UciCommand::parse(line).expect("valid").expect("not blank")
    }

    #[test]
    fn blank_lines_are_ignored() {
        for line in ["", " ", "\r\n", "\t \t"] {
            assert_eq!(UciCommand::parse(line), Ok(None));
        }
    }

    #[test]
    fn unknown_words_before_and_after_are_ignored() {
        assert_eq!(parse("joho debug on"), UciCommand::Debug(true));
        assert_eq!(parse("  isready now please \r\n"), UciCommand::IsReady);
        assert_eq!(UciCommand::parse(" xyzzy d "), Err(CommandError::Unknown("xyzzy d")));
        assert_eq!(parse("bench deep"), UciCommand::Bench { depth: None });
        assert_eq!(parse("bench 7"), UciCommand::Bench { depth: Some(7) });
    }

    #[test]
    fn positions() {
        let position = |line| match parse(line) {
            UciCommand::Position(position) => (position.fen, position.moves),
            other => panic!("{other:?}"),
        };
        assert_eq!(position("position startpos"), (None, vec![]));
        assert_eq!(position("position\tstartpos\tmoves e2e4  e7e5"), (None, vec!["e2e4", "e7e5"]));
        assert_eq!(position("position fen 8/8 w moves a1a2"), (Some("8/8 w"), vec!["a1a2"]));
        assert_eq!(position("position fen"), (Some(""), vec![]));
        assert_eq!(UciCommand::parse("position"), Err(CommandError::NoPosition("")));
        assert_eq!(UciCommand::parse("position startpos e2e4"), Err(CommandError::NoMoves("e2e4")));
    }

    #[test]
    fn options() {
        let option = |line| match parse(line) {
            UciCommand::SetOption(option) => (option.name, option.value),
            other => panic!("{other:?}"),
        };
        assert_eq!(option("setoption name Clear Hash"), ("Clear Hash", None));
        assert_eq!(option("setoption name Hash value"), ("Hash", Some("")));
        assert_eq!(
            option("setoption name  SyzygyPath  value /my  tables "),
            ("SyzygyPath", Some("/my  tables"))
        );
        for line in ["setoption", "setoption name", "setoption value 3", "setoption name value 3"] {
            assert_eq!(UciCommand::parse(line), Err(CommandError::NoName), "{line}");
        }
    }

    #[test]
    fn messages_stay_short_and_harmless() {
        let line = format!("\x1b[31m{}", "é".repeat(100_000));
        let message = UciCommand::parse(&line).expect_err("not a command").to_string();
        assert!(message.len() < 200 && !message.contains('\x1b'), "{message}");
    }
}
