//! Everything about a position as text.

use std::fmt::Display;
use std::io::{self, Write};

use ferz_board::{
    Bitboard, CastlingMode, Color, DeadPositionSearch, DeadPositionVerdict, File, PieceType, Position, Rank,
    Square, zobrist,
};
use ferz_eval::Network;

use crate::drawing::{draw_board, draw_evaluation};

/// Columns of the output.
const WIDTH: usize = 78;

/// Writes the board and the state of the position.
pub(super) fn write(
    position: &Position,
    mode: CastlingMode,
    network: Option<&Network>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{}\n", draw_board(position))?;
    write_state(position, out)?;
    writeln!(out)?;
    write_keys(position, out)?;
    writeln!(out)?;
    write_bitboards(position, out)?;
    writeln!(out)?;
    write_pieces(position, out)?;
    writeln!(out)?;
    write_moves(position, mode, out)?;
    writeln!(out, "\n{}", draw_evaluation(position, network))
}

fn write_state(position: &Position, out: &mut impl Write) -> io::Result<()> {
    let mut line = |label: &str, value: &dyn Display| writeln!(out, "{label:<13} {value}");
    line("FEN", &position)?;
    line("side to move", &position.side_to_move())?;
    let rooks = list(super::castling_rooks(position));
    match position.castling_rights() {
        rights if rights.is_empty() => line("castling", &"none")?,
        rights => line("castling", &format_args!("{rights}, rooks {rooks}"))?,
    }
    line("en passant", &en_passant(position))?;
    line("move", &position.fullmove_number())?;
    line("clock", &format_args!("{} plies since the last capture or pawn move", position.halfmove_clock()))?;
    line("checkers", &list(position.checkers()))?;
    for color in Color::ALL {
        line(&format!("{color} pinned"), &list(position.pinned(color)))?;
    }
    let unable: Vec<_> = Color::ALL.into_iter().filter(|&color| position.cannot_mate(color)).collect();
    if !unable.is_empty() {
        line("cannot mate", &list(unable))?;
    }
    line("dead position", &dead_position(position))?;
    match position.outcome() {
        Some(outcome) => line("game over", &format_args!("{outcome} ({})", outcome.result())),
        None if position.can_claim_fifty_moves() => line("claim", &"draw by the 50-move rule"),
        None => Ok(()),
    }
}

fn dead_position(position: &Position) -> String {
    let mut search = DeadPositionSearch::new();
    let verdict = match search.verdict(position) {
        DeadPositionVerdict::Dead => "yes: neither side can mate by any series of moves".to_owned(),
        DeadPositionVerdict::Alive(helpmate) => format!("no: {} can mate", helpmate.winner),
        DeadPositionVerdict::Unknown => "not decided".to_owned(),
    };
    format!("{verdict} ({} nodes)", search.searched())
}

fn en_passant(position: &Position) -> String {
    let Some(skipped) = position.double_step() else { return "none".to_owned() };
    let verdict = match (position.en_passant(), position.legal_en_passant()) {
        (_, Some(_)) => "capture is legal",
        (Some(_), None) => "the capture would be illegal",
        (None, None) => "no pawn can capture",
    };
    format!("{skipped} was skipped, {verdict}")
}

/// The key and its parts: the key is their exclusive or.
fn write_keys(position: &Position, out: &mut impl Write) -> io::Result<()> {
    let turn = if position.side_to_move() == Color::White { zobrist::WHITE_TO_MOVE } else { 0 };
    let en_passant = position.en_passant().map_or(0, |square| zobrist::en_passant(square.file()));
    let rows = [
        ("key", position.key()),
        ("  pieces", zobrist::board(position.board())),
        ("  castling", zobrist::castling(position.castling_rights())),
        ("  en passant", en_passant),
        ("  turn", turn),
        ("pawn key", position.pawn_key()),
    ];
    rows.into_iter().try_for_each(|(label, key)| writeln!(out, "{label:<13} {key:016x}"))
}

fn write_bitboards(position: &Position, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:<13} {:<20} Black", "bitboards", "White")?;
    for piece_type in PieceType::ALL {
        let [white, black] = Color::ALL.map(|color| position.pieces(piece_type.of(color)));
        writeln!(out, "  {piece_type:<11} 0x{white:016x}   0x{black:016x}")?;
    }
    let [white, black] = Color::ALL.map(|color| position.by_color(color));
    writeln!(out, "  {:<11} 0x{white:016x}   0x{black:016x}", "all")?;
    writeln!(out, "  {:<11} 0x{:016x}", "occupied", position.occupied())?;
    for color in Color::ALL {
        let mut sets = Vec::from(PieceType::ALL.map(|it| (it.to_string(), position.pieces(it.of(color)))));
        sets.push(("all".to_owned(), position.by_color(color)));
        if color == Color::White {
            sets.push(("occupied".to_owned(), position.occupied()));
        }
        writeln!(out)?;
        draw_side_by_side(color, &sets, out)?;
    }
    Ok(())
}

/// Up to eight bitboards of eight columns side by side: they just fit.
fn draw_side_by_side(color: Color, sets: &[(String, Bitboard)], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{color}")?;
    let mut row = |cells: Vec<String>| writeln!(out, "{}", cells.join("  ").trim_end());
    row(sets.iter().map(|(name, _)| format!("{name:<8}")).collect())?;
    for rank in Rank::ALL.into_iter().rev() {
        let draw = |set: Bitboard| {
            let mark = |file| if set.contains(Square::from_coords(file, rank)) { 'X' } else { '.' };
            File::ALL.map(mark).iter().collect()
        };
        row(sets.iter().map(|&(_, set)| draw(set)).collect())?;
    }
    Ok(())
}

/// The pieces of both sides in algebraic notation, kings first.
fn write_pieces(position: &Position, out: &mut impl Write) -> io::Result<()> {
    for color in Color::ALL {
        let of_type = |piece_type: PieceType| {
            let letter = match piece_type {
                PieceType::Pawn => String::new(),
                _ => piece_type.to_char().to_ascii_uppercase().to_string(),
            };
            position.pieces(piece_type.of(color)).into_iter().map(move |square| format!("{letter}{square}"))
        };
        writeln!(out, "{color:<13} {}", list(PieceType::ALL.into_iter().rev().flat_map(of_type)))?;
    }
    Ok(())
}

fn write_moves(position: &Position, mode: CastlingMode, out: &mut impl Write) -> io::Result<()> {
    let moves = super::sorted_moves(position, mode);
    writeln!(out, "{:<13} {}", "legal moves", moves.len())?;
    // The longest move has five characters.
    for row in moves.chunks((WIDTH - 2) / 6) {
        let cells: Vec<_> = row.iter().map(|mv| format!("{mv:<5}")).collect();
        writeln!(out, "  {}", cells.join(" ").trim_end())?;
    }
    Ok(())
}

/// The items separated by spaces, or `none`.
fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(" ") }
}
