//! The `go` command and its limits.

use std::time::Duration;

use ferz_board::{Color, Move};
use ferz_search::{Limits, TimeControl};

use super::words::Words;

/// The longest time, about 30 years. Longer ones are cut to it, so that adding it to the clock cannot overflow.
const MAX_TIME: Duration = Duration::from_secs(1_000_000_000);
/// The maximum perft depth. A deeper count would never end.
const MAX_PERFT_DEPTH: u32 = 99;

/// A parsed `go` command.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GoCommand<'a> {
    white: SideClock,
    black: SideClock,
    moves_to_go: Option<u32>,
    depth: Option<u32>,
    nodes: Option<u64>,
    mate: Option<u32>,
    move_time: Option<Duration>,
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    /// Run perft to this depth instead of a search.
    pub(super) perft: Option<u32>,
    /// As written.
    pub(super) search_moves: Vec<&'a str>,
    /// Keywords without a number after them.
    pub(super) unreadable: Vec<&'a str>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct SideClock {
    time: Option<Duration>,
    increment: Option<Duration>,
}

/// Parses the words after `go`. Unknown words are ignored.
pub(super) fn parse<'a>(words: &mut Words<'a>) -> GoCommand<'a> {
    let mut go = GoCommand::default();
    while let Some(keyword) = words.next() {
        match keyword {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.peek().filter(|word| !is_keyword(word)) {
                    go.search_moves.push(mv);
                    words.next();
                }
            }
            _ if is_keyword(keyword) => match words.peek().and_then(number) {
                Some(number) => {
                    words.next();
                    go.set(keyword, number);
                }
                None => go.unreadable.push(keyword),
            },
            _ => {}
        }
    }
    go
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "searchmoves"
            | "ponder"
            | "wtime"
            | "btime"
            | "winc"
            | "binc"
            | "movestogo"
            | "depth"
            | "nodes"
            | "mate"
            | "movetime"
            | "infinite"
            | "perft"
    )
}

/// An integer; one that is too large or too small becomes the largest or smallest.
fn number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Digits fail to parse only if the number is too large.
    Some(word.parse().unwrap_or(if word.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// A negative clock counts as zero.
fn time(milliseconds: i64) -> Duration {
    Duration::from_millis(milliseconds.max(0).unsigned_abs()).min(MAX_TIME)
}

/// Limits below 1 are raised to 1: the engine must return a move.
fn at_least_one(number: i64) -> u32 {
    u32::try_from(number.max(1)).unwrap_or(u32::MAX)
}

impl GoCommand<'_> {
    fn set(&mut self, keyword: &str, number: i64) {
        match keyword {
            "wtime" => self.white.time = Some(time(number)),
            "btime" => self.black.time = Some(time(number)),
            "winc" => self.white.increment = Some(time(number)),
            "binc" => self.black.increment = Some(time(number)),
            "movestogo" => self.moves_to_go = (number > 0).then(|| at_least_one(number)),
            "depth" => self.depth = Some(at_least_one(number)),
            "nodes" => self.nodes = Some(number.max(1).unsigned_abs()),
            "mate" => self.mate = Some(at_least_one(number)),
            "movetime" => self.move_time = Some(time(number)),
            "perft" => self.perft = Some(number.clamp(0, i64::from(MAX_PERFT_DEPTH)) as u32),
            _ => {}
        }
    }

    /// The limits for this side, whose clock has been running since `started`.
    ///
    /// If only the opponent's clock is given, it is used for ours. If the only limit cannot be parsed, the search ends
    /// after one ply: the client expects an answer.
    pub(super) fn limits(&self, side: Color, search_moves: Vec<Move>, started: Duration) -> Limits {
        let time_control = self.time_control(side);
        let is_limited = self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
            || self.move_time.is_some()
            || time_control.is_some()
            || self.infinite
            || self.ponder;
        let is_garbled = !is_limited && !self.unreadable.is_empty();
        let mut limits = Limits::default().search_moves(search_moves).started(started);
        limits.depth = if is_garbled { Some(1) } else { self.depth };
        limits.nodes = self.nodes;
        limits.mate = self.mate;
        limits.move_time = self.move_time;
        limits.time_control = time_control;
        limits.infinite = self.infinite;
        limits.ponder = self.ponder;
        limits
    }

    fn time_control(&self, side: Color) -> Option<TimeControl> {
        let is_given = |clock: &SideClock| *clock != SideClock::default();
        let (ours, theirs) =
            if side == Color::White { (self.white, self.black) } else { (self.black, self.white) };
        let SideClock { time, increment } = Some(ours).filter(is_given).or(Some(theirs).filter(is_given))?;
        let mut clock = TimeControl::new(time.unwrap_or_default()).increment(increment.unwrap_or_default());
        clock.moves_to_go = self.moves_to_go;
        Some(clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str, side: Color) -> Limits {
        parse(&mut Words::new(text)).limits(side, Vec::new(), Duration::ZERO)
    }

    #[test]
    fn every_limit_is_read() {
        let it = limits(
            "depth 7 nodes 1000 mate 3 movetime 50 movestogo 9 wtime 1 btime 2 winc 3 binc 4",
            Color::Black,
        );
        assert_eq!((it.depth, it.nodes, it.mate), (Some(7), Some(1000), Some(3)));
        assert_eq!(it.move_time, Some(Duration::from_millis(50)));
        let clock = it.time_control.expect("given");
        assert_eq!((clock.remaining.as_millis(), clock.increment.as_millis()), (2, 4));
        assert_eq!(clock.moves_to_go, Some(9));
        assert!(!it.infinite && !it.ponder);
        let it = limits("ponder infinite", Color::White);
        assert!(it.infinite && it.ponder && it.time_control.is_none());
    }

    #[test]
    fn one_clock_is_enough_for_both() {
        for text in ["wtime 100", "btime 100"] {
            for side in Color::ALL {
                let clock = limits(text, side).time_control.expect("one is given");
                assert_eq!(clock.remaining, Duration::from_millis(100), "{text}, {side}");
            }
        }
    }

    #[test]
    fn numbers_of_any_size_are_numbers() {
        for (text, expected) in [
            ("-1", Duration::ZERO),
            ("-99999999999999999999999", Duration::ZERO),
            ("9223372036854775807", MAX_TIME),
            ("99999999999999999999999", MAX_TIME),
            ("+7", Duration::from_millis(7)),
        ] {
            assert_eq!(limits(&format!("movetime {text}"), Color::White).move_time, Some(expected), "{text}");
        }
        assert_eq!(limits("depth 0 nodes -4 mate 99999999999", Color::White).depth, Some(1));
        assert_eq!(limits("nodes -4", Color::White).nodes, Some(1));
        assert_eq!(
            limits("wtime 9 movestogo 0", Color::White).time_control.expect("given").moves_to_go,
            None
        );
    }

    #[test]
    fn garbage_does_not_search_for_ever() {
        for text in ["depth x", "depth", "movetime 1.5", "wtime", "nodes 1e6 movestogo 3", "depth -"] {
            assert_eq!(limits(text, Color::White).depth, Some(1), "{text}");
        }
        assert_eq!(limits("depth x nodes 5", Color::White).depth, None);
        assert!(limits("depth infinite", Color::White).infinite);
        assert_eq!(limits("", Color::White).depth, None);
        assert_eq!(limits("quickly please", Color::White).depth, None);
    }

    #[test]
    fn moves_to_search_end_at_a_keyword() {
        let go = parse(&mut Words::new("searchmoves e2e4 zzzz depth 3 ponder searchmoves d2d4"));
        assert_eq!(go.search_moves, ["e2e4", "zzzz", "d2d4"]);
        assert_eq!((go.depth, go.ponder), (Some(3), true));
    }
}
