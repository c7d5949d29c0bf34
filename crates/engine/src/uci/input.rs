//! The way in: a thread that reads lines, so that nobody else has to wait for them.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use ferz_search::monotonic_now;

use super::Event;

/// Longer lines are passed over. The longest that make sense, games of thousands of moves, have some 30 KB.
const MAX_LINE_LEN: usize = 1 << 20;

/// A line that was read.
#[derive(Debug)]
pub(super) enum Line {
    Text {
        /// Without its end. Bytes that are not UTF-8 are replaced.
        text: String,
        /// When it was there: from then on a clock runs.
        read_at: Duration,
    },
    TooLong,
}

/// Begins to read standard input.
pub(super) fn spawn(events: SyncSender<Event>) -> io::Result<()> {
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let event = match read_line(&mut input) {
                Ok(Some(line)) => Event::Line(line),
                Ok(None) => Event::InputEnd(None),
                Err(error) => Event::InputEnd(Some(error)),
            };
            let is_end = matches!(event, Event::InputEnd(_));
            // Nobody listening means that the session is over.
            if events.send(event).is_err() || is_end {
                break;
            }
        }
    })?;
    Ok(())
}

/// The next line; the last one may lack its end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let limit = MAX_LINE_LEN as u64 + 1;
    if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() > MAX_LINE_LEN && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
    Ok(Some(Line::Text { text, read_at: monotonic_now() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<Option<String>> {
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input).expect("memory can be read") {
            lines.push(match line {
                Line::Text { text, .. } => Some(text),
                Line::TooLong => None,
            });
        }
        lines
    }

    #[test]
    fn lines_end_in_several_ways() {
        let expected = ["uci", "", "is\u{fffd}ready", "quit"].map(|line| Some(line.to_owned()));
        assert_eq!(lines(b"uci\r\n\nis\xffready\nquit"), expected);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn long_lines_are_passed_over_whole() {
        let longest = vec![b'a'; MAX_LINE_LEN];
        let longer = [&longest[..], b"a"].concat();
        let input = [&longest[..], b"\n", &longer, b"\nquit\n", &longer].concat();
        let read: Vec<_> = lines(&input).into_iter().map(|line| line.map(|text| text.len())).collect();
        assert_eq!(read, [Some(MAX_LINE_LEN), None, Some(4), None]);
    }
}
