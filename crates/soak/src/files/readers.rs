//! Libraries as readers.

use ferz_eval::Network;
use ferz_notation::epd::Epd;
use ferz_notation::pgn::{self, WriteOptions};
use ferz_notation::polyglot::Book;

use super::Verdict;
use super::samples::{self, Kind};

/// Reads a file and uses what is in it; `None` if only the program can read it.
pub(super) fn read(kind: Kind, bytes: &[u8]) -> Option<Verdict> {
    Some(match kind {
        Kind::Net | Kind::HalfKp => net(bytes),
        Kind::Book => book(bytes),
        Kind::Pgn => games(bytes),
        Kind::Epd => positions(bytes),
        Kind::Zst | Kind::Games | Kind::Packed => return None,
    })
}

fn net(bytes: &[u8]) -> Verdict {
    match Network::from_bytes(bytes) {
        Ok(network) => {
            for position in samples::positions() {
                let value = network.evaluate(position);
                assert!(value.checked_mul(1000).is_some(), "{value} is too great");
                let _ = network.centipawns(value);
            }
            Verdict::Accepted
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Verdict::Refused
        }
    }
}

fn book(bytes: &[u8]) -> Verdict {
    let Ok(book) = Book::from_bytes(bytes) else { return Verdict::Refused };
    for position in samples::positions() {
        for random in [0, 1 << 40, u64::MAX] {
            let chosen = book.choose(position, random);
            assert!(chosen.is_none_or(|mv| position.is_legal(mv)), "{position}");
        }
        assert!(book.moves(position).all(|it| position.is_legal(it.mv)), "{position}");
    }
    Verdict::Accepted
}

/// Whatever is read is written and read again as the same.
fn games(bytes: &[u8]) -> Verdict {
    let (mut count, mut problems) = (0, 0);
    for game in pgn::games(bytes) {
        let game = game.expect("memory can be read");
        count += 1;
        problems += game.problems().len();
        let options = WriteOptions::default();
        let written = game.to_pgn(&options);
        let again =
            pgn::games(written.as_bytes()).next().expect("a game was written").expect("it can be read");
        assert_eq!(again.to_pgn(&options), written);
    }
    if count > 0 && problems == 0 { Verdict::Accepted } else { Verdict::Refused }
}

fn positions(bytes: &[u8]) -> Verdict {
    let mut problems = 0;
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        match Epd::parse_lenient(&pgn::text(line)) {
            Ok((epd, found)) => {
                problems += found.len();
                let written = epd.to_string();
                assert_eq!(Epd::parse_lenient(&written).map(|(again, _)| again), Ok(epd));
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                problems += 1;
            }
        }
    }
    if problems == 0 { Verdict::Accepted } else { Verdict::Refused }
}
