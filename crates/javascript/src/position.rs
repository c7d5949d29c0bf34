//! The positions that were used last, and everything that is asked of the current one.

use std::cell::RefCell;

use ferz_board::{
    CastlingMode, CastlingStyle, EnPassantMode, Move, Outcome, PackedPosition, Position, Square, UciMove,
    perft,
};
use ferz_eval::{Evaluator, Network};
use ferz_notation::san::{self, SanError};
use ferz_search::WdlModel;

use crate::buffers::{packed, set_moves, set_numbers, set_output, set_packed, set_sans, with_text};
use crate::error::{fail_fen, fail_san, fail_uci};

/// How many positions are kept. Walking a tree comes back to the parent of a position, and to its parent, and unpacking
/// takes longer than most of what is asked.
const SLOTS: usize = 64;

struct Recent {
    positions: [Position; SLOTS],
    current: usize,
}

thread_local! {
    static RECENT: RefCell<Recent> =
        const { RefCell::new(Recent { positions: [Position::start(); SLOTS], current: 0 }) };
    static EVALUATOR: RefCell<Option<Evaluator>> = const { RefCell::new(None) };
}

/// Perft recurses, and nobody waits for more plies.
const MAX_PERFT: u32 = 30;

fn with_current<R>(work: impl FnOnce(&Position) -> R) -> R {
    RECENT.with_borrow(|recent| work(&recent.positions[recent.current]))
}

/// Keeps a position and makes it the current one.
fn keep(position: Position, slot: u32) {
    RECENT.with_borrow_mut(|recent| {
        recent.current = slot as usize % SLOTS;
        recent.positions[recent.current] = position;
    });
}

/// The same, and packs the position for JavaScript.
fn keep_new(position: Position, slot: u32) {
    set_packed(position.pack().to_bytes());
    keep(position, slot);
}

/// Reads a move in UCI notation or SAN; `Ok(None)` is a null move. The error is in the output.
fn read_move(position: &Position, text: &str) -> Result<Option<Move>, u32> {
    match text.parse() {
        // The errors of UCI have reasons.
        Ok(uci @ UciMove::Normal { .. }) => uci.to_move(position).map(Some).map_err(fail_uci),
        _ => san::parse_or_null(position, text).map_err(|error| fail_san(&error)),
    }
}

/// A number for each end of a game; 0 while it goes on.
pub fn outcome_code(outcome: Option<Outcome>) -> u32 {
    const NAMES: [&str; 5] =
        ["checkmate", "stalemate", "insufficient-material", "fivefold-repetition", "seventy-five-moves"];
    let Some(outcome) = outcome else { return 0 };
    NAMES.iter().position(|&name| name == outcome.name()).map_or(0, |index| index as u32 + 1)
}

exports! {
    /// Unpacks the packed position into a slot and makes it the current one; 0 if it is not a position.
    fn load(slot: u32) -> u32 {
        let position = PackedPosition::from_bytes(packed()).unpack();
        u32::from(position.map(|position| keep(position, slot)).is_ok())
    }

    /// Makes the position in a slot the current one.
    fn select(slot: u32) {
        RECENT.with_borrow_mut(|recent| recent.current = slot as usize % SLOTS);
    }

    /// Reads a FEN into a slot: strictly (mode 0), strictly with the castling rights of Chess960 (1), or leniently (2).
    /// Returns 0, or the length of the error.
    fn from_fen(length: usize, mode: u32, slot: u32) -> u32 {
        let position = with_text(length, |fen| match mode {
            0 => Position::from_fen(fen),
            1 => Position::from_fen_in(fen, CastlingMode::Chess960),
            _ => Position::from_fen_lenient(fen).map(|(position, _)| position),
        });
        match position {
            Ok(position) => {
                keep_new(position, slot);
                0
            }
            Err(error) => fail_fen(&error),
        }
    }

    /// A start position of Chess960 by its number, into a slot; 0 if there is none.
    fn chess960_start(number: u32, slot: u32) -> u32 {
        let position = u16::try_from(number).ok().and_then(Position::chess960_start);
        u32::from(position.map(|position| keep_new(position, slot)).is_some())
    }

    /// Writes the FEN, with the en-passant square only where a capture is legal (mode 0) or after every double step (1).
    fn fen(mode: u32) -> u32 {
        let en_passant = if mode == 0 { EnPassantMode::Legal } else { EnPassantMode::Always };
        with_current(|position| set_output(position.fen(en_passant, CastlingStyle::XFen).as_str().as_bytes()))
    }

    /// Bit 0: check; bit 1: Chess960; bit 2: 50 moves can be claimed; bits 8 to 15: the outcome.
    fn status() -> u32 {
        with_current(|position| {
            u32::from(position.is_check())
                | u32::from(position.castling_mode() == CastlingMode::Chess960) << 1
                | u32::from(position.can_claim_fifty_moves()) << 2
                | outcome_code(position.outcome()) << 8
        })
    }

    /// The Zobrist key, as Polyglot has it.
    fn key() -> u64 {
        with_current(Position::key)
    }

    /// The key by which repetitions are recognised.
    fn repetition_key() -> u64 {
        with_current(Position::repetition_key)
    }

    /// All pieces that attack a square.
    fn attackers(square: u32) -> u64 {
        with_current(|position| position.attackers_to(Square::wrapping(square)).0)
    }

    /// Writes the legal moves; returns their number.
    fn legal_moves() -> u32 {
        with_current(|position| set_moves(&position.legal_moves()))
    }

    /// Writes the legal moves as SAN in the same order; returns their number.
    fn legal_sans() -> u32 {
        with_current(|position| {
            let moves = position.legal_moves();
            set_sans(position, &moves);
            moves.len() as u32
        })
    }

    /// Whether a move is legal.
    fn is_legal(bits: u32) -> u32 {
        let mv = u16::try_from(bits).ok().and_then(Move::from_bits);
        u32::from(mv.is_some_and(|mv| with_current(|position| position.is_legal(mv))))
    }

    /// Writes the SAN of a move; 0 if the move is not legal.
    fn san(bits: u32) -> u32 {
        let Some(mv) = u16::try_from(bits).ok().and_then(Move::from_bits) else { return 0 };
        with_current(|position| {
            let is_legal = position.is_legal(mv);
            if is_legal {
                set_sans(position, &[mv]);
            }
            u32::from(is_legal)
        })
    }

    /// Reads a move: its bits, or the length of the error below zero.
    fn parse_move(length: usize) -> i32 {
        let result = with_text(length, |text| {
            with_current(|position| match read_move(position, text) {
                Ok(Some(mv)) => Ok(mv),
                Ok(None) => Err(fail_san(&SanError::NullMove { token: "--".to_owned() })),
                Err(length) => Err(length),
            })
        });
        result.map_or_else(|length| -(length as i32), |mv| mv.bits().into())
    }

    /// Writes the position after a move into a slot and makes it the current one; 0 if the move is not legal.
    fn play(bits: u32, slot: u32) -> u32 {
        let Some(mv) = u16::try_from(bits).ok().and_then(Move::from_bits) else { return 0 };
        let child = with_current(|position| {
            let mut child = *position;
            child.play(mv).ok().map(|()| child)
        });
        u32::from(child.map(|child| keep_new(child, slot)).is_some())
    }

    /// The same for a null move; 0 in check.
    fn null_move(slot: u32) -> u32 {
        let child = with_current(Position::null_move);
        u32::from(child.map(|child| keep_new(child, slot)).is_some())
    }

    /// Counts leaves; -1 if the depth is too great.
    fn perft(depth: u32) -> f64 {
        if depth > MAX_PERFT { -1.0 } else { with_current(|position| perft::count(position, depth)) as f64 }
    }

    /// Counts leaves by root move: moves and numbers; returns their number.
    fn divide(depth: u32) -> u32 {
        let position = with_current(|position| *position);
        let moves = position.legal_moves();
        let depth = depth.clamp(1, MAX_PERFT) - 1;
        let counts: Vec<f64> = moves
            .iter()
            .map(|&mv| {
                let mut child = position;
                child.play_unchecked(mv);
                perft::count(&child, depth) as f64
            })
            .collect();
        set_numbers(&counts);
        set_moves(&moves)
    }

    /// The static evaluation for the side to move, without a search: centipawns, win, draw and loss.
    fn evaluate() {
        let position = with_current(|position| *position);
        let value = EVALUATOR.with_borrow_mut(|kept| {
            let evaluator = kept
                .get_or_insert_with(|| Evaluator::with_network(&position, Some(Network::embedded())));
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        });
        let value = f64::from(value);
        let material = WdlModel::material(&position);
        let thousandths = |value| (1000.0 * WdlModel::CURRENT.win(value, material)).round();
        let (win, loss) = (thousandths(value), thousandths(-value));
        let centipawns = (value * 100.0 / WdlModel::CURRENT.half_at(material)).round();
        set_numbers(&[centipawns, win, 1000.0 - win - loss, loss]);
    }
}
