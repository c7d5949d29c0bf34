//! The fast path of SAN: common tokens of at most eight bytes, decoded by table lookups.
//!
//! See [`crate::san`] for the two SAN grammars of this crate and why there are two.

use ferz_board::{Bitboard, Color, File, PieceType, Rank, Square, attacks};

/// A token of at most eight bytes in one word, the first byte lowest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SanToken {
    word: u64,
    len: u32,
}

/// A common SAN token taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) kind: KindIndex,
    pub(crate) to: Square,
    pub(crate) capture: bool,
    /// Where the piece may come from, according to the token.
    pub(crate) mask: Bitboard,
}

/// The kind of piece, pawns by what they do and whose they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindIndex(u8);

/// The token is not common SAN.
const NO_KIND: u8 = 0xff;
const KINDS: usize = 16;

/// Where a piece of some kind that goes to some square may come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) origins: Bitboard,
    pub(crate) piece_type: PieceType,
    pub(crate) is_pawn: bool,
    /// Not zero if it gets there in one step, whatever stands around.
    pub(crate) leaps: u8,
}

/// By kind and target: the squares from which it is reached on an empty board.
static ORIGINS: [[Kind; 64]; KINDS] = {
    const NOWHERE: Kind =
        Kind { origins: Bitboard::EMPTY, piece_type: PieceType::Pawn, is_pawn: true, leaps: 0 };
    let mut table = [[NOWHERE; 64]; KINDS];
    let mut to = 0;
    while to < 64 {
        let square = Square::ALL[to];
        let straight = attacks::Slider::Rook.walk(square, Bitboard::EMPTY);
        let diagonal = attacks::Slider::Bishop.walk(square, Bitboard::EMPTY);
        let pieces = [
            (PieceType::Knight, attacks::knight(square)),
            (PieceType::Bishop, diagonal),
            (PieceType::Rook, straight),
            (PieceType::Queen, Bitboard(straight.0 | diagonal.0)),
            (PieceType::King, attacks::king(square)),
        ];
        let mut i = 0;
        while i < pieces.len() {
            let (piece_type, origins) = pieces[i];
            let leaps = matches!(piece_type, PieceType::Knight | PieceType::King) as u8;
            table[i][to] = Kind { origins, piece_type, is_pawn: false, leaps };
            i += 1;
        }
        // Promotions are not common: no pawn reaches the last rank here.
        let mut color = 0;
        while color < 2 {
            let up: i8 = if color == 0 { 1 } else { -1 };
            let fourth = if color == 0 { Rank::Fourth as usize } else { Rank::Fifth as usize };
            if to / 8 != 0 && to / 8 != 7 {
                let mut pushes = reach(square, &[(0, -up)]);
                if to / 8 == fourth {
                    pushes = Bitboard(pushes.0 | reach(square, &[(0, -2 * up)]).0);
                }
                table[5 + 2 * color][to].origins = pushes;
                table[6 + 2 * color][to].origins = reach(square, &[(-1, -up), (1, -up)]);
                table[6 + 2 * color][to].leaps = 1;
            }
            color += 1;
        }
        to += 1;
    }
    table
};

const fn reach(square: Square, steps: &[(i8, i8)]) -> Bitboard {
    let mut reached = Bitboard::EMPTY;
    let mut i = 0;
    while i < steps.len() {
        if let Some(target) = square.offset(steps[i].0, steps[i].1) {
            reached = reached.with(target);
        }
        i += 1;
    }
    reached
}

/// By colour, capture, number of bytes before the `x` or target, and first byte: the kind.
static KIND_OF: [u8; 2 * 2 * 8 * 256] = {
    let mut table = [NO_KIND; 2 * 2 * 8 * 256];
    let mut color = 0;
    while color < 2 {
        let mut capture = 0;
        while capture < 2 {
            let letters = *b"NBRQK";
            let mut i = 0;
            while i < 5 {
                // The letter alone, or with one character of disambiguation.
                table[((color * 2 + capture) * 8 + 1) * 256 + letters[i] as usize] = i as u8;
                table[((color * 2 + capture) * 8 + 2) * 256 + letters[i] as usize] = i as u8;
                i += 1;
            }
            let mut file = b'a';
            while file <= b'h' {
                // A push has nothing before its target, a capture the file it comes from.
                table[((color * 2 + capture) * 8 + capture) * 256 + file as usize] =
                    (5 + 2 * color + capture) as u8;
                file += 1;
            }
            capture += 1;
        }
        color += 1;
    }
    table
};

/// By whether there are two bytes before the target (or `x`), and the last of them: where the piece may come from. The
/// second is a file or a rank, never a piece.
static ORIGIN_MASK: [Bitboard; 2 * 256] = {
    let mut table = [Bitboard::EMPTY; 2 * 256];
    let free = *b"\0NBRQK";
    let mut i = 0;
    while i < free.len() {
        table[free[i] as usize] = Bitboard::ALL;
        i += 1;
    }
    let mut i = 0;
    while i < 8 {
        let mut two = 0;
        while two < 2 {
            table[two * 256 + b'a' as usize + i] = Bitboard::from_file(File::ALL[i]);
            table[two * 256 + b'1' as usize + i] = Bitboard::from_rank(Rank::ALL[i]);
            two += 1;
        }
        i += 1;
    }
    table
};

impl KindIndex {
    #[inline(always)]
    pub(crate) fn origins(self, to: Square) -> Kind {
        ORIGINS[self.0 as usize & (KINDS - 1)][to.index()]
    }
}

impl SanToken {
    /// The first `len` (1 to 8) bytes of a word.
    #[inline(always)]
    pub(crate) const fn new(word: u64, len: u32) -> SanToken {
        SanToken { word: word & (!0 >> (64 - 8 * len)), len }
    }

    /// Takes a common token apart at fixed distances from its end; `None` for anything else.
    #[inline(always)]
    pub(crate) fn decode(self, side: Color) -> Option<Decoded> {
        let SanToken { word, len } = self;
        let last = (word >> (8 * len - 8)) as u8;
        let check = u32::from(last & 0xf7 == b'#'); // `#` and `+` differ in that bit
        let len = len - check;
        // The target in the two highest bytes. If the token is shorter, the byte there is not a file.
        let aligned = word.wrapping_shl(64 - 8 * len);
        let file = ((aligned >> 48) as u8).wrapping_sub(b'a');
        let rank = ((aligned >> 56) as u8).wrapping_sub(b'1');
        let capture = (aligned >> 40) as u8 == b'x';
        let before = (aligned << (8 * u32::from(capture))) >> 40;
        let count = len.wrapping_sub(2).wrapping_sub(u32::from(capture)) & 7;
        let row = (side.index() * 2 + usize::from(capture)) * 8 + count as usize;
        let kind = KIND_OF[row * 256 + (word & 0xff) as usize];
        // One test for all that can be wrong: beyond the board, or no kind.
        if (file | rank) & !7 | kind & 0x80 != 0 {
            return None;
        }
        Some(Decoded {
            kind: KindIndex(kind),
            to: Square::wrapping(u32::from(rank) * 8 + u32::from(file)),
            capture,
            mask: ORIGIN_MASK[usize::from(count == 2) << 8 | before as u8 as usize],
        })
    }
}
