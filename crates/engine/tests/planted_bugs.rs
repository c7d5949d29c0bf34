//! `ferz perft --against` finds the bugs of this program.
//!
//! With a bug in the environment it is a perft program as perftree calls it, with a small generator of its own that has
//! this bug. Without, it is the test: it runs `ferz`, which calls it again.

use std::env;
use std::process::{Command, ExitCode, Output};
use std::thread;
use std::time::{Duration, Instant};

const VARIABLE: &str = "FERZ_PLANTED_BUG";

/// The most time for finding a bug.
const LIMIT: Duration = Duration::from_secs(10);

/// A bug, where it shows, and what `ferz` must say about it.
struct Planted {
    bug: &'static str,
    fen: &'static str,
    depth: u32,
    verdict: &'static str,
}

#[rustfmt::skip]
const BUGS: [Planted; 16] = [
    Planted { bug: "no en passant", fen: "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", depth: 3,
        verdict: "missing e5d6: an en-passant capture. A pawn may capture the pawn" },
    Planted { bug: "en passant uncovers", fen: "8/8/8/8/1k2p2R/8/3P4/4K3 w - - 0 1", depth: 3,
        verdict: "extra e4d3: en passant would open the fourth rank between the rook on h4 and the king on b4" },
    Planted { bug: "en passant later", fen: "4k3/p2p4/8/4P3/8/8/P7/4K3 b - - 0 1", depth: 4,
        verdict: "extra e5d6: the pawn on d5 has not just made a double step" },
    Planted { bug: "castling through check", fen: "4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", depth: 3,
        verdict: "extra e1g1: castling leads the king over f1, which the rook on f4 attacks" },
    Planted { bug: "castling out of check", fen: "4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", depth: 3,
        verdict: "extra e1g1: the king is in check by the rook on e4, and castling does not answer a check" },
    Planted { bug: "right kept after capture", fen: "4k3/8/8/3b4/8/8/8/4K2R b K - 0 1", depth: 3,
        verdict: "extra e1g1: there is no rook to castle with on the king's side" },
    Planted { bug: "right kept after king move", fen: "4k3/8/8/8/8/8/8/4K2R w K - 0 1", depth: 5,
        verdict: "extra e1g1: the right to castle on the king's side is lost" },
    Planted { bug: "no knight promotion", fen: "8/P6k/8/8/8/8/8/K7 w - - 0 1", depth: 3,
        verdict: "missing a7a8n: a promotion to a knight" },
    Planted { bug: "no promotion by capture", fen: "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", depth: 2,
        verdict: "missing a7b8q: a capture and promotion to a queen" },
    Planted { bug: "double step through a piece", fen: "4k3/8/8/8/8/4n3/4P3/K7 w - - 0 1", depth: 2,
        verdict: "extra e2e4: the pawn on e2 is blocked by the knight on e3" },
    Planted { bug: "pinned piece moves", fen: "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", depth: 2,
        verdict: "the knight on e2 is pinned to the king on e1 by the rook on e7 along the e-file" },
    Planted { bug: "king beside king", fen: "8/8/8/3k4/8/8/3K4/8 w - - 0 1", depth: 4,
        verdict: "the king would be attacked on" },
    Planted { bug: "double check answered", fen: "4k3/4r3/8/8/8/3n4/3Q4/4K3 w - - 0 1", depth: 2,
        verdict: "extra d2d3: the knight on d3 and the rook on e7 both give check, so only the king may move" },
    Planted { bug: "capture around the edge", fen: "4k3/8/p7/8/7P/8/8/4K3 w - - 0 1", depth: 2,
        verdict: "extra h4a6: the pawn on h4 does not move to a6" },
    Planted { bug: "queen moves twice", fen: "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", depth: 2,
        verdict: "repeated a1a2: a move of the queen on a1" },
    Planted { bug: "wrong only from above", fen: "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", depth: 3,
        verdict: "The program does not take moves back completely, or its hash table is wrong." },
];

/// Positions for a program without bugs.
const POSITIONS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
];

fn main() -> ExitCode {
    match env::var(VARIABLE) {
        Ok(bug) => answer(&bug),
        Err(_) => {
            test();
            ExitCode::SUCCESS
        }
    }
}

fn ferz(bug: &str, depth: u32, fen: &str, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferz"));
    command.env(VARIABLE, bug).args(["perft", &depth.to_string(), "--fen", fen]).args(options);
    command.output().expect("ferz starts")
}

fn test() {
    let program = env::current_exe().expect("the test has a path");
    let program = program.to_str().expect("paths of tests are UTF-8");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("all output is UTF-8");
    for Planted { bug, fen, depth, verdict } in BUGS {
        let start = Instant::now();
        let run = ferz(bug, depth, fen, &["--against", program]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(run.status.code(), Some(1), "{bug}: {out}{err}");
        assert!(out.starts_with("different at depth ") && out.contains(verdict), "{bug}: {out}");
        assert!(start.elapsed() < LIMIT, "{bug}: {:?}", start.elapsed());
        println!("{bug} ... found");
    }
    for fen in POSITIONS {
        let run = ferz("none", 3, fen, &["--against", program]);
        assert_eq!(
            (text(&run.stdout), run.status.code()),
            ("equal to depth 3\n".to_owned(), Some(0)),
            "{fen}"
        );
    }
    let engine = env!("CARGO_BIN_EXE_ferz");
    let run = ferz("none", 3, POSITIONS[0], &["--against-uci", engine]);
    assert_eq!(text(&run.stdout), "equal to depth 3\n", "{}", text(&run.stderr));
    println!("right programs ... equal");

    for (option, bug, complaint) in [
        ("--against", "hang", "no answer within 1 s (see --timeout)"),
        ("--against", "crash", "failed (exit status: 3) it crashed"),
        ("--against", "nonsense", "no divide in the output, which starts with \"hello\""),
        ("--against", "silent", "no output"),
        ("--against", "endless", "too long for a divide"),
        ("--against-uci", "hang", "no answer within 1 s (see --timeout)"),
        ("--against-uci", "crash", "closed its"),
        ("--against-uci", "endless", "too long for a divide"),
    ] {
        let timeout = if bug == "hang" { "1" } else { "30" };
        let run = ferz(bug, 2, POSITIONS[1], &[option, program, "--timeout", timeout]);
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!((&out[..], run.status.code()), ("", Some(2)), "{option} {bug}: {err}");
        assert!(err.starts_with("error: ") && err.contains(complaint), "{option} {bug}: {err}");
    }
    let run = ferz("none", 2, POSITIONS[1], &["--against", "./there-is-no-such-program"]);
    assert!(text(&run.stderr).contains("cannot be started"), "{}", text(&run.stderr));
    println!("programs without an answer ... reported");
}

/// The program that is called.
fn answer(bug: &str) -> ExitCode {
    match bug {
        "hang" => thread::sleep(Duration::from_secs(30)),
        "crash" => {
            eprintln!("it crashed");
            return ExitCode::from(3);
        }
        "nonsense" => println!("hello\nworld"),
        "silent" => {}
        "endless" => loop {
            println!("to be or not to be");
        },
        _ => {
            let arguments: Vec<_> = env::args().skip(1).collect();
            let depth = arguments[0].parse().expect("a depth");
            let mut board = Board::read(&arguments[1], bug);
            for mv in arguments.get(2).map_or("", String::as_str).split_whitespace() {
                let moves = board.legal_moves();
                let mv = moves.into_iter().find(|it| it.text() == mv).expect("a move of this program");
                board = board.after(mv);
            }
            board.divide(depth, arguments.len() == 2);
        }
    }
    ExitCode::SUCCESS
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Step {
    from: usize,
    to: usize,
    promotion: Option<u8>,
}

impl Step {
    fn text(&self) -> String {
        let square = |at: usize| format!("{}{}", char::from(b'a' + (at % 8) as u8), at / 8 + 1);
        let promotion = self.promotion.map_or(String::new(), |letter| char::from(letter).to_string());
        format!("{}{}{promotion}", square(self.from), square(self.to))
    }
}

/// A board of letters as in a FEN, `.` for empty squares; a1 is 0.
#[derive(Clone)]
struct Board {
    squares: [u8; 64],
    white: bool,
    rights: String,
    en_passant: Option<usize>,
    bug: String,
}

const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The square some files and ranks away.
fn step(from: usize, (files, ranks): (i32, i32)) -> Option<usize> {
    let (file, rank) = (from as i32 % 8 + files, from as i32 / 8 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
}

impl Board {
    fn read(fen: &str, bug: &str) -> Board {
        let fields: Vec<_> = fen.split(' ').collect();
        let mut squares = [b'.'; 64];
        for (row, text) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for letter in text.bytes() {
                if letter.is_ascii_digit() {
                    file += usize::from(letter - b'0');
                } else {
                    squares[(7 - row) * 8 + file] = letter;
                    file += 1;
                }
            }
        }
        let square = |text: &[u8]| usize::from(text[1] - b'1') * 8 + usize::from(text[0] - b'a');
        let en_passant = (fields[3] != "-").then(|| square(fields[3].as_bytes()));
        let (white, rights) = (fields[1] == "w", fields[2].to_owned());
        Board { squares, white, rights, en_passant, bug: bug.to_owned() }
    }

    fn has(&self, bug: &str) -> bool {
        self.bug == bug
    }

    /// The letter of a piece of the side to move.
    fn own(&self, letter: u8) -> u8 {
        if self.white { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    }

    fn is_own(&self, at: usize, white: bool) -> bool {
        let letter = self.squares[at];
        letter != b'.' && letter.is_ascii_uppercase() == white
    }

    fn king(&self, white: bool) -> usize {
        let letter = if white { b'K' } else { b'k' };
        self.squares.iter().position(|&it| it == letter).expect("a king")
    }

    /// The squares that a piece reaches or attacks; pawns attack only.
    fn reach(&self, from: usize) -> Vec<usize> {
        let letter = self.squares[from];
        let ride = |directions: &[(i32, i32)]| {
            let mut reached = Vec::new();
            for &direction in directions {
                let mut at = from;
                while let Some(next) = step(at, direction) {
                    reached.push(next);
                    at = next;
                    if self.squares[next] != b'.' {
                        break;
                    }
                }
            }
            reached
        };
        let leap = |steps: &[(i32, i32)]| steps.iter().filter_map(|&by| step(from, by)).collect();
        let all = [STRAIGHT, DIAGONAL].concat();
        match letter.to_ascii_lowercase() {
            b'n' => leap(&KNIGHT),
            b'b' => ride(&DIAGONAL),
            b'r' => ride(&STRAIGHT),
            b'q' => ride(&all),
            b'k' => leap(&all),
            b'p' if letter == b'P' => leap(&[(-1, 1), (1, 1)]),
            b'p' => leap(&[(-1, -1), (1, -1)]),
            _ => Vec::new(),
        }
    }

    /// How many pieces of a side attack a square.
    fn attackers(&self, at: usize, white: bool) -> usize {
        let ignores_kings = self.has("king beside king");
        let counts = |&from: &usize| {
            self.is_own(from, white)
                && !(ignores_kings && self.squares[from].eq_ignore_ascii_case(&b'k'))
                && self.reach(from).contains(&at)
        };
        (0..64).filter(counts).count()
    }

    fn legal_moves(&self) -> Vec<Step> {
        let king = self.king(self.white);
        let checks = self.attackers(king, !self.white);
        let is_legal = |mv: &Step| {
            let is_king = mv.from == king;
            let is_en_passant =
                Some(mv.to) == self.en_passant && self.squares[mv.from].eq_ignore_ascii_case(&b'p');
            let after = self.after(*mv);
            let left = after.attackers(after.king(self.white), !self.white);
            left == 0
                || self.has("en passant uncovers") && is_en_passant
                || self.has("pinned piece moves") && !is_king && checks == 0
                || self.has("double check answered") && !is_king && checks == 2 && left < checks
        };
        self.pseudo_legal_moves().into_iter().filter(is_legal).collect()
    }

    fn pseudo_legal_moves(&self) -> Vec<Step> {
        let mut moves = Vec::new();
        for from in (0..64).filter(|&from| self.is_own(from, self.white)) {
            if self.squares[from].eq_ignore_ascii_case(&b'p') {
                self.pawn_moves(from, &mut moves);
                continue;
            }
            let twice = self.has("queen moves twice") && self.squares[from].eq_ignore_ascii_case(&b'q');
            for to in self.reach(from).into_iter().filter(|&to| !self.is_own(to, self.white)) {
                let mv = Step { from, to, promotion: None };
                moves.extend(std::iter::repeat_n(mv, if twice { 2 } else { 1 }));
            }
        }
        self.castling_moves(&mut moves);
        moves
    }

    fn pawn_moves(&self, from: usize, moves: &mut Vec<Step>) {
        let forward = if self.white { 1 } else { -1 };
        let is_empty = |at: usize| self.squares[at] == b'.';
        let first_rank = if self.white { 1 } else { 6 };
        let single = step(from, (0, forward)).filter(|&to| is_empty(to));
        let may_skip = single.is_some() || self.has("double step through a piece");
        let double =
            step(from, (0, 2 * forward)).filter(|&to| may_skip && from / 8 == first_rank && is_empty(to));
        let mut captures = self.reach(from);
        if self.has("capture around the edge") && self.white && from % 8 == 7 && from + 9 < 64 {
            captures.push(from + 9);
        }
        captures.retain(|&to| {
            let en_passant = self.en_passant == Some(to) && !self.has("no en passant");
            self.is_own(to, !self.white) || en_passant
        });
        for (to, captures) in single
            .into_iter()
            .chain(double)
            .map(|to| (to, false))
            .chain(captures.into_iter().map(|to| (to, true)))
        {
            if to / 8 != 0 && to / 8 != 7 {
                moves.push(Step { from, to, promotion: None });
                continue;
            }
            if captures && self.has("no promotion by capture") {
                continue;
            }
            let pieces = if self.has("no knight promotion") { &b"qrb"[..] } else { b"qrbn" };
            moves.extend(pieces.iter().map(|&piece| Step { from, to, promotion: Some(piece) }));
        }
    }

    fn castling_moves(&self, moves: &mut Vec<Step>) {
        let home = if self.white { 4 } else { 60 };
        let safe = |at: usize| self.attackers(at, !self.white) == 0;
        let is_empty = |at: usize| self.squares[at] == b'.';
        if !safe(home) && !self.has("castling out of check") {
            return;
        }
        for (letter, to, crossed, between) in [
            (b'k', home + 2, home + 1, vec![home + 1, home + 2]),
            (b'q', home - 2, home - 1, vec![home - 1, home - 2, home - 3]),
        ] {
            let may =
                self.rights.as_bytes().contains(&self.own(letter)) && self.squares[home] == self.own(b'k');
            let passes = safe(crossed) || self.has("castling through check");
            if may && passes && between.iter().all(|&at| is_empty(at)) {
                moves.push(Step { from: home, to, promotion: None });
            }
        }
    }

    /// The board after a move.
    fn after(&self, mv: Step) -> Board {
        let mut after = self.clone();
        let Step { from, to, promotion } = mv;
        let letter = self.squares[from];
        after.squares[from] = b'.';
        after.squares[to] = promotion.map_or(letter, |piece| self.own(piece));
        let is_pawn = letter.eq_ignore_ascii_case(&b'p');
        if is_pawn && self.en_passant == Some(to) {
            after.squares[from / 8 * 8 + to % 8] = b'.';
        }
        if letter.eq_ignore_ascii_case(&b'k') && from.abs_diff(to) == 2 {
            let (corner, beside) = if to > from { (to + 1, to - 1) } else { (to - 2, to + 1) };
            after.squares.swap(corner, beside);
        }
        if !self.has("en passant later") {
            after.en_passant = None;
        }
        if is_pawn && from.abs_diff(to) == 16 {
            after.en_passant = Some(usize::midpoint(from, to));
        }
        let kept = |right: char| {
            let (king, rook) = match right {
                'K' => (4, 7),
                'Q' => (4, 0),
                'k' => (60, 63),
                _ => (60, 56),
            };
            let king_moved = from == king && !self.has("right kept after king move");
            let captured = to == rook && !self.has("right kept after capture");
            !king_moved && !captured && from != rook
        };
        after.rights.retain(kept);
        after.white = !self.white;
        after
    }

    fn count(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.legal_moves().into_iter().map(|mv| self.after(mv).count(depth - 1)).sum()
    }

    fn divide(&self, depth: u32, is_root: bool) {
        let mut total = 0;
        let wrong = u64::from(self.has("wrong only from above") && is_root && depth == 3);
        for mv in self.legal_moves() {
            let count = self.after(mv).count(depth - 1) + wrong;
            total += count;
            println!("{} {count}", mv.text());
        }
        println!("\n{total}");
    }
}
