//! Checks tables by the laws that results obey: a result is the best of those of the children, and a distance follows
//! from theirs, for random positions of all tables in a directory, both colours, en passant included.
//!
//! `cargo run --release -p ferz-syzygy --example check_laws -- DIR [POSITIONS] [SEED]`

use std::error::Error;
use std::time::Instant;

use ferz_board::{Board, CastlingMode, Color, PieceType, Position, Rank, Setup, Square};
use ferz_syzygy::{Dtz, ProbeError, Tablebases, Wdl};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: check_laws DIR [POSITIONS] [SEED]")?;
    let count: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let tables = Tablebases::open([directory])?;
    let mut random = fastrand::Rng::with_seed(seed);
    let start = Instant::now();
    let (mut positions, mut en_passant, mut decisive) = (0, 0, 0);
    while positions < count {
        let Some(position) = random_position(&mut random, tables.max_men()) else { continue };
        match check(&tables, &position) {
            Ok(wdl) => decisive += u64::from(wdl != Wdl::Draw),
            Err(Broken::Probe(ProbeError::MissingTable { .. })) => continue,
            Err(Broken::Probe(error)) => return Err(error.into()),
            Err(Broken::Law(law)) => return Err(format!("{position}: {law}").into()),
        }
        positions += 1;
        en_passant += u64::from(position.has_legal_en_passant());
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{positions} positions, {en_passant} with en passant, {decisive} decisive, all laws hold, {seconds:.0} s"
    );
    Ok(())
}

enum Broken {
    Probe(ProbeError),
    Law(String),
}

impl From<ProbeError> for Broken {
    fn from(error: ProbeError) -> Broken {
        Broken::Probe(error)
    }
}

/// Compares a position with its children and with its mirror image in the other colour.
fn check(tables: &Tablebases, position: &Position) -> Result<Wdl, Broken> {
    let (wdl, dtz) = (tables.probe_wdl(position)?, tables.probe_dtz(position)?);
    let other = position.with_colors_exchanged();
    if (tables.probe_wdl(&other)?, tables.probe_dtz(&other)?) != (wdl, dtz) {
        return Err(Broken::Law(format!("{wdl} {dtz}, but not with colours exchanged")));
    }
    let moves = position.legal_moves();
    let mut best = if moves.is_empty() && !position.is_check() { Wdl::Draw } else { Wdl::Loss };
    // The distances of the moves that keep the result; a loss lasts as long as possible.
    let mut shortest = i32::MAX;
    let mut longest = 1;
    for &mv in &moves {
        let mut child = *position;
        child.play_unchecked(mv);
        let result = -tables.probe_wdl(&child)?;
        best = best.max(result);
        if result == wdl && wdl != Wdl::Draw {
            let is_over = child.halfmove_clock() == 0 || child.is_checkmate();
            let plies = if is_over { 1 } else { tables.probe_dtz(&child)?.get().abs() + 1 };
            shortest = shortest.min(plies);
            longest = longest.max(plies);
        }
    }
    let expected = match wdl {
        Wdl::Win | Wdl::CursedWin => shortest,
        Wdl::Draw => 0,
        Wdl::Loss | Wdl::BlessedLoss => -longest,
    };
    if best != wdl {
        return Err(Broken::Law(format!("{wdl}, but the best move gives {best}")));
    }
    // Tables may round by one ply. Beyond 100 plies phases are added up in a different way.
    let is_exact = matches!(wdl, Wdl::Win | Wdl::Draw | Wdl::Loss);
    if dtz.wdl(0) != wdl || is_exact && dtz.get().abs_diff(expected) > 1 {
        return Err(Broken::Law(format!("{wdl} with DTZ {dtz}, but the moves give {}", Dtz::new(expected))));
    }
    Ok(wdl)
}

fn random_position(random: &mut fastrand::Rng, max_men: u32) -> Option<Position> {
    let men = random.u32(3..=max_men);
    let mut board = Board::empty();
    for man in 0..men {
        let (piece_type, color) = match man {
            0 | 1 => (PieceType::King, Color::ALL[man as usize]),
            _ => (PieceType::ALL[random.usize(..5)], Color::ALL[random.usize(..2)]),
        };
        board.set(Square::wrapping(random.u32(..64)), Some(piece_type.of(color)));
    }
    let mut setup = Setup { board, side_to_move: Color::ALL[random.usize(..2)], ..Setup::empty() };
    if setup.board.occupied().len() != men {
        return None;
    }
    if random.u8(..8) == 0 {
        set_en_passant(&mut setup, random);
    }
    Position::from_setup(&setup, CastlingMode::Standard).ok()
}

/// Puts two pawns side by side, as after a double step.
fn set_en_passant(setup: &mut Setup, random: &mut fastrand::Rng) {
    let them = !setup.side_to_move;
    let rank = if them == Color::White { Rank::Fourth } else { Rank::Fifth };
    let pawns: Vec<Square> = setup
        .board
        .iter()
        .filter(|(_, piece)| piece.piece_type() != PieceType::King)
        .map(|(square, _)| square)
        .collect();
    let [a, b] = pawns[..] else { return };
    let file = random.usize(..7);
    let [left, right] = [file, file + 1].map(|file| Square::wrapping((8 * rank.index() + file) as u32));
    setup.board.set(a, None);
    setup.board.set(b, None);
    let (theirs, ours) = if random.bool() { (left, right) } else { (right, left) };
    setup.board.set(theirs, Some(PieceType::Pawn.of(them)));
    setup.board.set(ours, Some(PieceType::Pawn.of(!them)));
    let skipped = if them == Color::White { theirs.index() - 8 } else { theirs.index() + 8 };
    setup.en_passant = Some(Square::wrapping(skipped as u32));
}
