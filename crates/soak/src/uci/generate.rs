//! Random sessions: all commands in any order, and much that is no command.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use fastrand::Rng;
use ferz_eval::NetworkParameters;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use super::referee::UciRequest;
use super::session::SessionStep;
use crate::random::RandomChoice as _;
use crate::rules::write_fen;

/// A file with a valid net, removed when dropped.
pub(super) struct NetFile(PathBuf);

impl NetFile {
    pub(super) fn create() -> Result<NetFile> {
        let path = std::env::temp_dir().join(format!("ferz-soak-{}.nnue", std::process::id()));
        fs::write(&path, NetworkParameters::noise(32, 8, 3).to_bytes()).context("cannot write a net")?;
        Ok(NetFile(path))
    }
}

impl Drop for NetFile {
    fn drop(&mut self) {
        // The system removes temporary files in the end.
        let _ = fs::remove_file(&self.0);
    }
}

/// Positions that have caused trouble.
const FENS: [&str; 22] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/PPPPPPPP/nr4RN/qb4BQ/kb4BK/nr4RN/pppppppp/8 w - - 0 1",
    "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1",
    "8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113",
    "4k3/8/8/8/8/8/4R3/4K3 b - - 100 200",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/8/8/8/8/8/RR2K2R w BH - 0 1",
    "nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN w FBfb - 0 1",
    "5k1r/2q3p1/p3p2p/1B3p1Q/n4P2/6P1/bbP2N1P/1K1RR3 b - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/K6K w - - 0 1",
    "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15",
    "qqqqqqqq/q3k3/8/8/8/8/4K3/QQQQQQQQ w - - 0 1",
    "pppppppp/pppppppp/pppppppp/k7/K7/PPPPPPPP/PPPPPPPP/PPPPPPPP w - - 0 1",
    "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
];

const NUMBERS: &str =
    "0 1 2 3 5 10 20 50 100 1000 -1 2147483648 9223372036854775807 99999999999999999999999 x 1.5";
const KEYWORDS: &str = "wtime btime winc binc movestogo depth nodes mate movetime infinite ponder quickly";

/// The steps of the session with this seed.
pub(super) fn session(seed: u64, net: &NetFile) -> Vec<SessionStep> {
    let mut generator = SessionGenerator {
        random: Rng::with_seed(seed),
        position: Chess::default(),
        is_counting: false,
        net,
    };
    let mut steps = Vec::new();
    if generator.random.percent(80) {
        steps.push(SessionStep::Write(b"uci\nisready\n".to_vec()));
        if generator.random.percent(80) {
            steps.push(SessionStep::Settle);
        }
    }
    for _ in 0..5 + generator.random.usize(..60) {
        generator.add_steps(&mut steps);
    }
    match generator.random.usize(..10) {
        0..=1 => steps.push(SessionStep::Write(b"quit\n".to_vec())),
        // `perft` and `bench` would be finished first.
        2..=3 if !generator.is_counting => steps.push(SessionStep::End),
        _ => {
            steps.push(SessionStep::Settle);
            steps.push(if generator.random.percent(50) {
                SessionStep::Write(b"quit\n".to_vec())
            } else {
                SessionStep::End
            });
        }
    }
    steps
}

struct SessionGenerator<'a> {
    random: Rng,
    net: &'a NetFile,
    /// The last legal position, so that moves are often legal.
    position: Chess,
    is_counting: bool,
}

impl SessionGenerator<'_> {
    fn add_steps(&mut self, steps: &mut Vec<SessionStep>) {
        match self.random.usize(..100) {
            0..=19 => steps.push(SessionStep::Sleep(Duration::from_millis(self.random.u64(..40)))),
            20 => steps.push(SessionStep::Sleep(Duration::from_millis(self.random.u64(..300)))),
            21..=24 => {
                steps.push(SessionStep::Settle);
                self.is_counting = false;
            }
            25 => steps.push(SessionStep::Pause(Duration::from_millis(self.random.u64(..300)))),
            _ => self.add_write(steps),
        }
    }

    /// One line or several, in one write or in many.
    fn add_write(&mut self, steps: &mut Vec<SessionStep>) {
        let mut bytes = Vec::new();
        let lines = if self.random.percent(20) { 1 + self.random.usize(..8) } else { 1 };
        for _ in 0..lines {
            let line = self.line();
            match UciRequest::parse(&line) {
                // Sessions end at their end only.
                UciRequest::Quit => continue,
                UciRequest::Count => self.is_counting = true,
                UciRequest::Stop => self.is_counting = false,
                _ => {}
            }
            bytes.extend_from_slice(&line);
            let ends: [&[u8]; 4] = [b"\n", b"\n", b"\r\n", b" \t\n\n"];
            bytes.extend_from_slice(self.random.pick::<&[u8]>(&ends));
            if matches!(UciRequest::parse(&line), UciRequest::Position(_) | UciRequest::Flip) {
                // The referee needs to know which position the engine has now.
                bytes.extend_from_slice(b"d\n");
            }
        }
        if self.random.percent(5) && bytes.len() < 2000 {
            while !bytes.is_empty() {
                let part = (1 + self.random.usize(..20)).min(bytes.len());
                steps.push(SessionStep::Write(bytes.drain(..part).collect()));
                if self.random.percent(10) {
                    steps.push(SessionStep::Sleep(Duration::from_millis(self.random.u64(..5))));
                }
            }
        } else if !bytes.is_empty() {
            steps.push(SessionStep::Write(bytes));
        }
    }

    fn line(&mut self) -> Vec<u8> {
        let line = match self.random.usize(..100) {
            0..=24 => self.go(),
            25..=34 => "stop".to_owned(),
            35..=38 => "ponderhit".to_owned(),
            39..=53 => "isready".to_owned(),
            54..=73 => self.position_line(),
            74..=85 => self.option(),
            86..=87 => "ucinewgame".to_owned(),
            88..=94 => self.extra(),
            95 => self.long_line(),
            96..=97 => return (0..self.random.usize(..60)).map(|_| self.byte()).collect(),
            _ => "uci".to_owned(),
        };
        // Table sizes and thread counts are not changed at random: the machine is shared.
        let is_harmless = !line.contains("Hash") && !line.contains("Threads") && !line.starts_with("bench");
        if self.random.percent(8) && is_harmless { self.spoilt(line.into_bytes()) } else { line.into_bytes() }
    }

    /// Any byte but a line feed.
    fn byte(&mut self) -> u8 {
        match self.random.u8(..) {
            b'\n' => 0,
            byte => byte,
        }
    }

    /// The line with a few bytes changed, cut off, doubled, or with junk in front.
    fn spoilt(&mut self, mut line: Vec<u8>) -> Vec<u8> {
        match self.random.usize(..5) {
            0 => line.truncate(self.random.usize(..line.len() + 1)),
            1 => line.extend_from_within(..),
            2 => line.splice(..0, *b"xyzzy ").for_each(drop),
            _ => {
                for _ in 0..1 + self.random.usize(..4) {
                    let place = self.random.usize(..line.len().max(1)).min(line.len());
                    let byte = self.byte();
                    match self.random.usize(..3) {
                        0 => line.insert(place, byte),
                        _ if place >= line.len() => {}
                        1 => line[place] = byte,
                        _ => drop(line.remove(place)),
                    }
                }
            }
        }
        line
    }

    fn go(&mut self) -> String {
        let mut line = "go".to_owned();
        match self.random.usize(..12) {
            0..=2 => line += " infinite",
            3 => line += " ponder wtime 50 btime 50",
            4 => line += &format!(" movetime {}", self.random.usize(..60)),
            5 => line += &format!(" nodes {}", self.random.usize(..5000)),
            6 => line += &format!(" depth {}", 1 + self.random.usize(..8)),
            7 => {
                let clock = self.random.usize(..500);
                line += &format!(" wtime {clock} btime {clock} winc {0} binc {0}", self.random.usize(..20));
            }
            8 => line += &format!(" perft {}", self.random.usize(..4)),
            9 => line += &format!(" mate {}", self.random.usize(..4)),
            10 => {}
            _ => {
                for _ in 0..1 + self.random.usize(..5) {
                    let (keyword, number) = (self.random.word(KEYWORDS), self.random.word(NUMBERS));
                    line += &format!(" {keyword} {number}");
                }
            }
        }
        if self.random.percent(15) {
            line += " searchmoves";
            for _ in 0..self.random.usize(..5) {
                line += &format!(" {}", self.random_move());
            }
        }
        line
    }

    /// A move, mostly a legal one.
    fn random_move(&mut self) -> String {
        let legal = self.position.legal_moves();
        if legal.is_empty() || self.random.percent(10) {
            return self.random.word("e2e5 zzzz 0000 e7e8x ♞♞ a1a1 e1g1q").to_owned();
        }
        let modes = [CastlingMode::Standard, CastlingMode::Chess960];
        self.random.pick(&legal).to_uci(self.random.pick(&modes)).to_string()
    }

    fn position_line(&mut self) -> String {
        let mut line = "position ".to_owned();
        let mut position = Chess::default();
        if self.random.percent(50) {
            line += "startpos";
        } else {
            let fen = self.random.pick(&FENS);
            let parsed =
                fen.parse::<Fen>().ok().and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
            match parsed {
                Some(parsed) => position = parsed,
                None => return line + "fen " + fen,
            }
            if self.random.percent(30) {
                let fen = self.spoilt(fen.as_bytes().to_vec());
                return line + "fen " + &String::from_utf8_lossy(&fen).replace('\n', " ");
            }
            line += &format!("fen {fen}");
        }
        let moves = match self.random.usize(..10) {
            0..=3 => 0,
            4..=8 => self.random.usize(..40),
            _ => self.random.usize(..400),
        };
        if moves > 0 {
            line += " moves";
        }
        for _ in 0..moves {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = self.random.pick(&legal);
            line += &format!(" {}", mv.to_uci(CastlingMode::Chess960));
            position.play_unchecked(mv);
        }
        self.position = position;
        if self.random.percent(10) {
            line += &format!(" {}", self.random.word("e2e5 zzzz 0000 moves a7a8Q"));
        } else if moves > 0 && self.random.percent(20) {
            line = format!("position fen {}", write_fen(&self.position));
        }
        line
    }

    fn option(&mut self) -> String {
        // A list that ends with a space has an empty value. Values are never more than a small machine can bear.
        let (name, values) = match self.random.usize(..19) {
            0 => ("Hash", "1 2 16 64 256 0 -1 abc 999999999999 "),
            1 => ("Threads", "1 1 2 2 3 8 0 -5 1.5 1025 99999999999"),
            2 => ("Clear Hash", "true "),
            3 => ("MultiPV", "1 1 2 5 256 0 257 x"),
            4 => ("Move Overhead", "0 10 5000 -1 5001"),
            5..=6 => ("UCI_Chess960", "true false yes "),
            7 => ("UCI_ShowWDL", "true false"),
            8 => ("UCI_LimitStrength", "true false false"),
            9 => ("UCI_Elo", "100 2800 1700 99 99999"),
            10 => (
                "EvalFile",
                "embedded embedded classical <empty> /nonexistent / /dev/zero /dev/null /etc/hostname net ",
            ),
            11 => ("SyzygyPath", "/nonexistent <empty> ;;: /proc"),
            12 => ("Ponder", "true false perhaps"),
            13..=14 => ("OwnBook", "true false maybe"),
            15 => ("BookFile", "<empty> embedded /nonexistent / /dev/zero /dev/null /etc/hostname "),
            16 => ("BookVariety", "0 50 100 101 -1"),
            17 => ("SoftNodes", "true false 1000"),
            _ => ("No such option", "1 "),
        };
        let value = match self.random.word(values) {
            "net" => self.net.0.display().to_string(),
            value => value.to_owned(),
        };
        match self.random.usize(..12) {
            0 => format!("setoption name {}", name.to_uppercase()),
            1 => format!("setoption  name  {}  value  {value}", name.to_lowercase()),
            2 => format!("setoption {name} {value}"),
            _ => format!("setoption name {name} value {value}"),
        }
    }

    fn extra(&mut self) -> String {
        const LINES: &str = "d,d,d,eval,flip,compiler,help,bench 1,debug on,debug maybe,register later,\
                             go perft 60,, ,xyzzy,QUIT,Go depth 3,положение";
        let lines: Vec<_> = LINES.split(',').collect();
        self.random.pick(&lines).to_owned()
    }

    /// About a megabyte, the longest that a line may be.
    fn long_line(&mut self) -> String {
        match self.random.usize(..4) {
            0 => "A".repeat((1 << 20) + self.random.usize(..3) - 1),
            1 => "go ".repeat(300_000),
            2 => {
                format!(
                    "position startpos moves{}",
                    " g1f3 g8f6 f3g1 f6g8".repeat(self.random.usize(..52_000))
                )
            }
            _ => format!("position fen {}", "8/".repeat(self.random.usize(..600_000))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_is_the_same_session() {
        let net = NetFile(PathBuf::new());
        assert_eq!(session(7, &net), session(7, &net));
        assert_ne!(session(7, &net), session(8, &net));
    }
}
