//! Random and damaged input for every parser, and extreme limits for the search. Nothing may panic, and what is accepted
//! must survive being written and read again.
//!
//! ```text
//! hostile-input [RUNS] [SEED] [TARGET]
//! ```
//!
//! Without a target, the search gets a hundredth of the runs.

use std::error::Error;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use ferz_board::{
    CastlingMode, CastlingStyle, EnPassantMode, Game, Move, PackedPosition, Position, Setup, UciMove,
};
use ferz_notation::epd::Epd;
use ferz_notation::pgn::{GameTree, PgnWriter, Reader};
use ferz_notation::polyglot::Book;
use ferz_notation::san;
use ferz_search::{Engine, Limits, SearchOptions, Signals, TimeControl};
use ferz_syzygy::Tablebases;
use ferz_table_maker::{DtzStyle, Solutions};

const FENS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 12 34",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
];
const EPD: &str =
    "r1bqk1r1/1p1p1n2/p1n2pN1/2p1b2Q/2P1Pp2/1PN5/PB4PP/R4RK1 w q - bm Rxf4; id \"x\"; ce 12; c0 \"a\";";
const GAME: &str = "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4! {good} e5 (1... c5 2. Nf3 $1) 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0\n";

type Target = fn(&mut fastrand::Rng) -> Result<(), Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let runs: u64 = arguments.next().map_or(Ok(10_000), |runs| runs.parse())?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let wanted = arguments.next();
    let targets: [(&str, u64, Target); 9] = [
        ("fen", 1, fen),
        ("set-up", 1, setup),
        ("packed", 1, packed),
        ("moves", 1, moves),
        ("epd", 1, epd),
        ("pgn", 1, pgn),
        ("book", 1, book),
        ("tables", 1, tables),
        ("limits", 100, limits),
    ];
    // Made before the clock runs.
    LazyLock::force(&WHOLE_TABLES);
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    for (name, cost, target) in targets.into_iter().filter(|target| is_wanted(target.0)) {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut accepted, mut slowest) = (0, Duration::ZERO);
        let runs = if wanted.is_some() { runs } else { (runs / cost).max(1) };
        for _ in 0..runs {
            let start = Instant::now();
            accepted += u64::from(target(&mut random).is_ok());
            slowest = slowest.max(start.elapsed());
        }
        println!("{name:8} {runs:>9} runs {accepted:>9} accepted, slowest {slowest:?}");
    }
    Ok(())
}

/// A text with some bytes changed, removed or doubled.
fn damaged(text: &str, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.usize(..6) {
        let at = random.usize(..bytes.len());
        match random.u8(..4) {
            0 => bytes[at] = random.u8(..),
            1 => bytes[at] = *random.choice(b"KQRBNPkqrbnp12345678/wb-eE{}()[];$# \n\"\\").unwrap_or(&b' '),
            2 if bytes.len() > 1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, bytes[at]),
        }
    }
    bytes
}

fn any_position(random: &mut fastrand::Rng) -> Position {
    let mut position: Position = FENS[random.usize(..FENS.len())].parse().expect("legal");
    for _ in 0..random.usize(..20) {
        let moves = position.legal_moves();
        let Some(&mv) = random.choice(moves.iter()) else { break };
        position.play(mv).expect("legal");
    }
    position
}

fn fen(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let text = damaged(FENS[random.usize(..FENS.len())], random);
    let (position, _) = Position::from_fen_lenient(&String::from_utf8_lossy(&text))?;
    for style in [CastlingStyle::XFen, CastlingStyle::Shredder] {
        let again = position.fen(EnPassantMode::Legal, style).to_string();
        assert!(Position::from_fen_lenient(&again)?.0.same_position(&position), "{again}");
    }
    Ok(())
}

fn setup(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let mut setup = Setup::from_fen(FENS[random.usize(..FENS.len())])?;
    for _ in 0..random.usize(..4) {
        let piece = random.choice(ferz_board::Piece::ALL);
        setup.board.set(random.choice(ferz_board::Square::ALL).expect("64 squares"), piece);
    }
    setup.halfmove_clock = [0, 99, 150, u32::MAX][random.usize(..4)];
    let position = Position::from_setup(&setup, CastlingMode::Chess960)?;
    assert!(position.legal_moves().iter().all(|&mv| position.is_legal(mv)));
    Ok(())
}

fn packed(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let mut bytes = any_position(random).pack().to_bytes();
    for _ in 0..random.usize(..3) {
        bytes[random.usize(..32)] = random.u8(..);
    }
    let position = PackedPosition::from_bytes(bytes).unpack()?;
    assert_eq!(position.pack().unpack()?, position);
    Ok(())
}

fn moves(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let position = any_position(random);
    let legal = position.legal_moves();
    let Some(&mv) = random.choice(legal.iter()) else { return Ok(()) };
    let text = damaged(&mv.uci(CastlingMode::Chess960).to_string(), random);
    if let Ok(uci) = String::from_utf8_lossy(&text).parse::<UciMove>() {
        assert!(
            uci.to_move(&position).is_ok_and(|mv| position.is_legal(mv)) || uci.to_move(&position).is_err()
        );
    }
    let text = damaged(san::San::new(&position, mv).as_str(), random);
    let read: Move = san::parse_lenient(&position, &String::from_utf8_lossy(&text))?;
    assert!(position.is_legal(read));
    Ok(())
}

fn epd(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let text = damaged(EPD, random);
    let epd = Epd::parse(&String::from_utf8_lossy(&text))?;
    assert_eq!(Epd::parse(&epd.to_string())?, epd);
    Ok(())
}

fn pgn(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let text = damaged(GAME, random);
    let mut reader = Reader::new(&text[..]);
    let (mut tree, mut problems) = (GameTree::new(), 0);
    while tree.read(&mut reader)? {
        problems += tree.problems().len();
        let mut written = Vec::new();
        PgnWriter::new(&mut written).write(&tree)?;
        let mut again = GameTree::new();
        again.read(&mut Reader::new(&written[..]))?;
        assert_eq!(again, tree, "{}", String::from_utf8_lossy(&text));
    }
    if problems == 0 { Ok(()) } else { Err("problems".into()) }
}

fn book(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let bytes: Vec<u8> = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
    let book = Book::from_bytes(&bytes)?;
    let position = any_position(random);
    assert!(book.moves(&position).all(|entry| position.is_legal(entry.mv)));
    Ok(())
}

/// Tables of all endings with three men, the distances in every style.
static TABLES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let solutions = Solutions::all();
    let styles = [DtzStyle::Plies, DtzStyle::Mapped, DtzStyle::WideMapped, DtzStyle::Moves];
    styles.into_iter().flat_map(|style| solutions.files_in(style)).collect()
});

/// The first of them, undamaged.
static WHOLE_TABLES: LazyLock<Tablebases> = LazyLock::new(|| {
    let mut tables = Tablebases::new();
    for (name, file) in &TABLES[..10] {
        tables.add_bytes(name, file.clone()).expect("a whole table");
    }
    tables
});

fn tables(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let (name, file) = &TABLES[random.usize(..TABLES.len())];
    let mut file = file.clone();
    for _ in 0..random.usize(1..6) {
        // Most of a table is data: half of the changes are in its head.
        let limit = if random.bool() { file.len().min(128) } else { file.len() };
        file[random.usize(..limit)] = random.u8(..);
    }
    let mut tables = WHOLE_TABLES.clone();
    tables.add_bytes(name, file)?;
    for _ in 0..4 {
        let mut setup = Setup::empty();
        for piece in [ferz_board::Piece::WhiteKing, ferz_board::Piece::BlackKing] {
            setup.board.set(random.choice(ferz_board::Square::ALL).expect("64 squares"), Some(piece));
        }
        let man = random.choice(ferz_board::Piece::ALL);
        setup.board.set(random.choice(ferz_board::Square::ALL).expect("64 squares"), man);
        if let Ok(position) = Position::from_setup(&setup, CastlingMode::Standard) {
            tables.probe_moves(&position)?;
            tables.probe_dtz(&position)?;
        }
    }
    Ok(())
}

fn limits(random: &mut fastrand::Rng) -> Result<(), Box<dyn Error>> {
    let extreme = |random: &mut fastrand::Rng| {
        let times = [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(1), Duration::MAX];
        times[random.usize(..times.len())]
    };
    let clock = TimeControl::new(extreme(random)).increment(extreme(random)).moves_to_go(random.u32(..));
    let limits = Limits::new().nodes(random.u64(..2000)).depth(random.u32(..)).mate(random.u32(..));
    let limits = limits.time_control(clock).move_time(extreme(random)).started(extreme(random));
    let options = SearchOptions::new().lines(random.usize(..)).move_overhead(extreme(random));
    let game = Game::new(any_position(random));
    let found =
        Engine::new(random.usize(..2))?.search(&game, &limits, &options, &Signals::new(), &mut |_| {});
    assert_eq!(found.best.is_some(), !game.position().legal_moves().is_empty());
    Ok(())
}
