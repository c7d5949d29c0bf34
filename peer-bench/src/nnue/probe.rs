//! nnue-probe, loaded at run time, and its view of the board (`nnue.h`).

use std::error::Error;
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use ferz_board::{Color, Piece, PieceType, Position, Square};
use libloading::Library;

use super::trace::{Change, Node};

type Init = unsafe extern "C" fn(*const c_char);
type Evaluate = unsafe extern "C" fn(c_int, *const c_int, *const c_int) -> c_int;
type EvaluateIncremental = unsafe extern "C" fn(c_int, *const c_int, *const c_int, *const *mut Data) -> c_int;

/// The library, with a net.
pub struct Probe {
    evaluate: Evaluate,
    evaluate_incremental: EvaluateIncremental,
    /// Keeps the functions loaded.
    _library: Library,
}

impl Probe {
    pub fn load(library: &Path, net: &Path) -> Result<Probe, String> {
        let net = CString::new(net.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // The source of the error has the message of the system.
        let reason = |error: libloading::Error| match error.source() {
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        // SAFETY: the user names nnue-probe, whose functions have these types.
        unsafe {
            let library = Library::new(library).map_err(reason)?;
            let init = *library.get::<Init>("nnue_init").map_err(reason)?;
            let evaluate = *library.get("nnue_evaluate").map_err(reason)?;
            let evaluate_incremental = *library.get("nnue_evaluate_incremental").map_err(reason)?;
            init(net.as_ptr());
            Ok(Probe { evaluate, evaluate_incremental, _library: library })
        }
    }

    pub fn evaluate(&self, pieces: &Pieces) -> i32 {
        // SAFETY: both lists begin with the kings, and that of the pieces ends with a zero.
        unsafe { (self.evaluate)(pieces.turn, pieces.codes.as_ptr(), pieces.squares.as_ptr()) }
    }

    /// The value of the position at the end of a line.
    pub fn evaluate_incremental(&self, pieces: &Pieces, line: &mut ProbeLine) -> i32 {
        let top = line.depth;
        let plies = &mut line.plies[..=top];
        let at = plies.as_mut_ptr();
        let back = |plies: usize| if top >= plies { at.wrapping_add(top - plies) } else { ptr::null_mut() };
        let data = [back(0), back(1), back(2)];
        // SAFETY: as above; the data are three different plies of the slice, or null where there are fewer.
        unsafe {
            (self.evaluate_incremental)(
                pieces.turn,
                pieces.codes.as_ptr(),
                pieces.squares.as_ptr(),
                data.as_ptr(),
            )
        }
    }
}

/// A position: lists of pieces and of their squares, the kings first.
pub struct Pieces {
    turn: c_int,
    codes: [c_int; 33],
    squares: [c_int; 33],
}

impl Pieces {
    pub fn new(position: &Position) -> Pieces {
        let mut pieces = Pieces { turn: turn(position.side_to_move()), codes: [0; 33], squares: [0; 33] };
        let mut count = 0;
        let mut add = |piece: Piece, square: Square| {
            pieces.codes[count] = code(piece);
            pieces.squares[count] = square.index() as c_int;
            count += 1;
        };
        Color::ALL.into_iter().for_each(|color| add(PieceType::King.of(color), position.king(color)));
        for square in position.occupied() - position.by_type(PieceType::King) {
            if let Some(piece) = position.piece_at(square) {
                add(piece, square);
            }
        }
        pieces
    }
}

fn turn(color: Color) -> c_int {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

/// White king, queen … pawn from 1 to 6, Black's from 7 to 12.
fn code(piece: Piece) -> c_int {
    /// By [`Piece::code`].
    const CODES: [u8; 16] = [6, 5, 4, 3, 2, 1, 0, 0, 12, 11, 10, 9, 8, 7, 0, 0];
    CODES[piece.code()].into()
}

/// The "square" of a piece that is not on the board.
const NOWHERE: c_int = 64;

/// What a move changed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct DirtyPiece {
    count: c_int,
    codes: [c_int; 3],
    from: [c_int; 3],
    to: [c_int; 3],
}

impl DirtyPiece {
    const NONE: DirtyPiece = DirtyPiece { count: 0, codes: [0; 3], from: [NOWHERE; 3], to: [NOWHERE; 3] };

    /// The piece that moves comes first, and when castling that is the king.
    pub fn new(node: &Node) -> DirtyPiece {
        let mut list: Vec<(c_int, c_int, c_int)> = Vec::new();
        let number = |square: Square| square.index() as c_int;
        for change in node.changes.iter().flatten() {
            match *change {
                Change::Moved(piece, from, to) => list.push((code(piece), number(from), number(to))),
                Change::Removed(piece, from) => list.push((code(piece), number(from), NOWHERE)),
                // A piece that was removed before has moved.
                Change::Placed(piece, to) => {
                    let before = list.iter_mut().find(|(code_before, ..)| *code_before == code(piece));
                    match before {
                        Some(before) => before.2 = number(to),
                        None => list.push((code(piece), NOWHERE, number(to))),
                    }
                }
            }
        }
        let is_king = |code: c_int| code % 6 == 1;
        let mover = turn(!node.position.side_to_move());
        list.sort_by_key(|&(code, ..)| (!is_king(code), (code - 1) / 6 != mover));
        let mut dirty = DirtyPiece { count: list.len() as c_int, ..DirtyPiece::NONE };
        for (i, (code, from, to)) in list.into_iter().enumerate() {
            dirty.codes[i] = code;
            dirty.from[i] = from;
            dirty.to[i] = to;
        }
        dirty
    }
}

/// The data of the library for a ply.
#[derive(Clone, Copy)]
#[repr(C)]
struct Data {
    accumulator: Accumulator,
    dirty: DirtyPiece,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Accumulator {
    numbers: [[i16; 256]; 2],
    is_computed: c_int,
}

/// A line of moves.
pub struct ProbeLine {
    plies: Vec<Data>,
    depth: usize,
}

impl ProbeLine {
    pub fn new() -> ProbeLine {
        let accumulator = Accumulator { numbers: [[0; 256]; 2], is_computed: 0 };
        ProbeLine { plies: vec![Data { accumulator, dirty: DirtyPiece::NONE }; 64], depth: 0 }
    }

    pub fn reset(&mut self) {
        self.depth = 0;
        self.set(&DirtyPiece::NONE);
    }

    pub fn push(&mut self, dirty: &DirtyPiece) {
        self.depth += 1;
        self.set(dirty);
    }

    pub fn pop(&mut self) {
        self.depth -= 1;
    }

    fn set(&mut self, dirty: &DirtyPiece) {
        let data = &mut self.plies[self.depth];
        data.accumulator.is_computed = 0;
        data.dirty = *dirty;
    }
}
