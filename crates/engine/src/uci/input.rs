//! Standard input: a thread that reads lines, so that the session never waits for them.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use ferz_search::monotonic_now;

use super::{UciEvent, threads};

/// Longer lines are ignored. The longest sensible ones, games of thousands of moves, have about 30 KB.
const MAX_LINE_LEN: usize = 1 << 20;

/// A line of input.
#[derive(Debug)]
pub(super) enum InputLine {
    Text {
        /// Without the line ending. Bytes that are not UTF-8 are replaced.
        text: String,
        /// When it arrived: the clock of a search starts then.
        read_at: Duration,
    },
    TooLong,
}

/// Starts to read standard input.
pub(super) fn spawn(events: SyncSender<UciEvent>) -> io::Result<()> {
    let builder = || thread::Builder::new().name("input".to_owned());
    threads::spawn(builder, move || {
        let mut input = io::stdin().lock();
        loop {
            let event = match read_line(&mut input) {
                Ok(Some(line)) => UciEvent::Line(line),
                Ok(None) => UciEvent::InputEnd(None),
                Err(error) => UciEvent::InputEnd(Some(error)),
            };
            let is_end = matches!(event, UciEvent::InputEnd(_));
            // A send error means that the session has ended.
            if events.send(event).is_err() || is_end {
                break;
            }
        }
    })
}

/// The next line. The last one may lack its line ending.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    let mut line = Vec::new();
    let limit = MAX_LINE_LEN as u64 + 1;
    if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() > MAX_LINE_LEN && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(InputLine::TooLong));
    }
    let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
    Ok(Some(InputLine::Text { text, read_at: monotonic_now() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<Option<String>> {
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input).expect("memory can be read") {
            lines.push(match line {
                InputLine::Text { text, .. } => Some(text),
                InputLine::TooLong => None,
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
    fn long_lines_are_ignored_whole() {
        let longest = vec![b'a'; MAX_LINE_LEN];
        let longer = [&longest[..], b"a"].concat();
        let input = [&longest[..], b"\n", &longer, b"\nquit\n", &longer].concat();
        let read: Vec<_> = lines(&input).into_iter().map(|line| line.map(|text| text.len())).collect();
        assert_eq!(read, [Some(MAX_LINE_LEN), None, Some(4), None]);
    }
}
