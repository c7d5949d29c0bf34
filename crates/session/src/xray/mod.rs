//! The internal representation of a position: bitboards, keys, attacks and evaluation, and what a move changes in them.

mod accumulator;
mod difference;
mod divide;
mod keys;
mod magic;
mod masks;
#[cfg(test)]
mod tests;
mod timeline;
mod word;

use ferz_board::{Bitboard, CastlingMode, Color, Piece, PieceType, Position, Square, attacks};
use ferz_eval::{EvalBreakdown, Network, TaperedScore, explain, phase, piece_square};
use serde::Serialize;

pub use accumulator::NetTrace;
pub use difference::Difference;
pub use divide::{Divide, MAX_DEPTH, divide};
pub use magic::{MagicLookup, look_up};
pub use timeline::Timeline;
pub use word::Word;

use crate::protocol::{ColorName, SquareName};
use keys::{KeyParts, OtherKeys};
use masks::{Masks, MoveBits};
use word::Boards;

/// Everything about a position. `docs/page-protocol.md` explains the fields.
#[derive(Clone, Debug, Serialize)]
pub struct Xray {
    fen: String,
    boards: Boards,
    pieces: String,
    castling: Castling,
    en_passant: EnPassant,
    turn: ColorName,
    halfmove: u32,
    fullmove: u32,
    key: KeyParts,
    keys: OtherKeys,
    checkers: Word,
    pinned: BySide,
    pins: Vec<Pin>,
    attacks: Attacks,
    masks: Masks,
    moves: Vec<MoveBits>,
    piece_squares: PieceSquares,
    evaluation: Evaluation,
    net: Option<Net>,
    diff: Option<Difference>,
}

#[derive(Clone, Debug, Serialize)]
struct Castling {
    text: String,
    bits: u8,
    rooks: Vec<SquareName>,
}

#[derive(Clone, Debug, Serialize)]
struct EnPassant {
    skipped: Option<SquareName>,
    possible: Option<SquareName>,
    legal: Option<SquareName>,
}

#[derive(Clone, Debug, Serialize)]
struct BySide {
    white: Word,
    black: Word,
}

/// A piece that must not leave the line between its king and an enemy slider.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Pin {
    pinned: SquareName,
    by: SquareName,
    king: SquareName,
}

#[derive(Clone, Debug, Serialize)]
struct Attacks {
    white: Word,
    black: Word,
    from: Vec<Option<Word>>,
    to: Vec<Word>,
}

#[derive(Clone, Debug, Serialize)]
struct PieceSquares {
    middle: i32,
    end: i32,
    phase: i32,
    full_phase: i32,
    pieces: Vec<PieceSquare>,
}

#[derive(Clone, Debug, Serialize)]
struct PieceSquare {
    square: SquareName,
    piece: char,
    middle: i32,
    end: i32,
    phase: i32,
}

#[derive(Clone, Debug, Serialize)]
struct Evaluation {
    value: i32,
    phase: i32,
    full_phase: i32,
    scale: i32,
    full_scale: i32,
    terms: Vec<TermRow>,
}

#[derive(Clone, Debug, Serialize)]
struct TermRow {
    name: &'static str,
    white: [i32; 2],
    black: [i32; 2],
}

#[derive(Clone, Debug, Serialize)]
struct Net {
    name: String,
    value: i32,
    pieces: Vec<Option<i32>>,
}

impl Xray {
    /// Collects everything about a position. `diff` is the change by the last move.
    pub fn new(
        position: &Position,
        mode: CastlingMode,
        diff: Option<Difference>,
        network: Option<&Network>,
    ) -> Xray {
        let name = |square: Option<Square>| square.map(SquareName);
        let rights = position.castling_rights();
        let rooks = rights.iter().filter_map(|(color, side)| position.castling_rook(color, side));
        Xray {
            fen: position.to_string(),
            boards: Boards::of(position),
            pieces: letters(position),
            castling: Castling {
                text: rights.to_string(),
                bits: rights.bits(),
                rooks: rooks.map(SquareName).collect(),
            },
            en_passant: EnPassant {
                skipped: name(position.double_step()),
                possible: name(position.en_passant()),
                legal: name(position.legal_en_passant()),
            },
            turn: position.side_to_move().into(),
            halfmove: position.halfmove_clock(),
            fullmove: position.fullmove_number(),
            key: KeyParts::of(position),
            keys: OtherKeys::of(position),
            checkers: Word::from(position.checkers()),
            pinned: BySide {
                white: position.pinned(Color::White).into(),
                black: position.pinned(Color::Black).into(),
            },
            pins: Color::ALL.into_iter().flat_map(|color| pins(position, color)).collect(),
            attacks: Attacks::of(position),
            masks: Masks::of(position),
            moves: MoveBits::all(position, mode),
            piece_squares: PieceSquares::of(position),
            evaluation: Evaluation::of(position),
            net: network.map(|network| Net::of(position, network)),
            diff,
        }
    }
}

/// The board as 64 letters from a1 to h8, with a dot for an empty square.
pub fn letters(position: &Position) -> String {
    Square::ALL.into_iter().map(|square| position.piece_at(square).map_or('.', Piece::to_char)).collect()
}

/// The pinned pieces of a side, each with its pinner.
fn pins(position: &Position, color: Color) -> Vec<Pin> {
    let king = position.king(color);
    let sliders =
        |kind: PieceType| position.pieces(kind.of(!color)) | position.pieces(PieceType::Queen.of(!color));
    let lines = [
        (sliders(PieceType::Rook), attacks::rook(king, Bitboard::EMPTY)),
        (sliders(PieceType::Bishop), attacks::bishop(king, Bitboard::EMPTY)),
    ];
    let pinned = position.pinned(color);
    let pinners = lines.into_iter().flat_map(|(sliders, reach)| sliders & reach);
    let pins = pinners.filter_map(|pinner| {
        let between = attacks::between(king, pinner) & position.occupied();
        let piece = between.single().filter(|&square| pinned.contains(square))?;
        Some(Pin { pinned: SquareName(piece), by: SquareName(pinner), king: SquareName(king) })
    });
    pins.collect()
}

impl Attacks {
    fn of(position: &Position) -> Attacks {
        let occupied = position.occupied();
        let from =
            |square: Square| position.piece_at(square).map(|piece| attacks::of(piece, square, occupied));
        let of_side = |color: Color| {
            let sets = position.by_color(color).into_iter().filter_map(from);
            Word::from(sets.fold(Bitboard::EMPTY, |all, set| all | set))
        };
        Attacks {
            white: of_side(Color::White),
            black: of_side(Color::Black),
            from: Square::ALL.into_iter().map(|square| from(square).map(Word::from)).collect(),
            to: Square::ALL.into_iter().map(|square| Word::from(position.attackers_to(square))).collect(),
        }
    }
}

impl PieceSquares {
    fn of(position: &Position) -> PieceSquares {
        let entry = |(square, piece): (Square, Piece)| {
            let score = piece_square(piece, square);
            PieceSquare {
                square: SquareName(square),
                piece: piece.to_char(),
                middle: score.mg(),
                end: score.eg(),
                phase: phase(piece.piece_type()),
            }
        };
        let (total, phase) = sums(position);
        PieceSquares {
            middle: total.mg(),
            end: total.eg(),
            phase,
            full_phase: EvalBreakdown::FULL_PHASE,
            pieces: position.board().iter().map(entry).collect(),
        }
    }
}

/// The sums of piece-square values, material included, and of the phase, for White.
fn sums(position: &Position) -> (TaperedScore, i32) {
    position.board().iter().fold((TaperedScore::ZERO, 0), |(total, all), (square, piece)| {
        (total + piece_square(piece, square), all + phase(piece.piece_type()))
    })
}

impl Evaluation {
    fn of(position: &Position) -> Evaluation {
        let explanation = explain(position);
        let halves = |score: TaperedScore| [score.mg(), score.eg()];
        let rows = explanation.rows.iter();
        Evaluation {
            value: explanation.value,
            phase: explanation.phase,
            full_phase: EvalBreakdown::FULL_PHASE,
            scale: explanation.scale,
            full_scale: EvalBreakdown::FULL_SCALE,
            terms: rows
                .map(|row| TermRow {
                    name: row.term.name(),
                    white: halves(row.white),
                    black: halves(row.black),
                })
                .collect(),
        }
    }
}

impl Net {
    fn of(position: &Position, network: &Network) -> Net {
        let value = network.centipawns(network.evaluate(position));
        let pieces = network.piece_values(position);
        Net {
            name: network.to_string(),
            value: if position.side_to_move() == Color::White { value } else { -value },
            pieces: pieces.iter().map(|value| value.map(|value| network.centipawns(value))).collect(),
        }
    }
}
