//! The fast path of SAN: common tokens of at most eight bytes, decoded by table lookups, eight at a time.
//!
//! See [`crate::san`] for the two SAN grammars of this crate and why there are two.

use ferz_board::{Bitboard, Color, File, PieceType, Rank, Square, attacks};

/// Tokens of at most eight bytes, the first byte of each lowest, and their lengths.
///
/// They are decoded together, which the compiler does with vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SanTokens {
    words: [u64; SanTokens::MAX],
    lens: [u64; SanTokens::MAX],
}

/// A SAN token taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    /// An index of [`ORIGINS`], or at least [`NO_KIND`].
    kind: u8,
    to: u8,
    capture: bool,
    /// An index of [`ORIGIN_MASK`].
    origin: u16,
}

/// The token is not common SAN.
const NO_KIND: u8 = 0x80;
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

impl Decoded {
    /// The decoded form of anything that is not common SAN.
    pub(crate) const UNCOMMON: Decoded = Decoded { kind: NO_KIND, to: 0, capture: false, origin: 0 };

    #[inline(always)]
    pub(crate) fn is_common(self) -> bool {
        self.kind < NO_KIND
    }

    #[inline(always)]
    pub(crate) fn to(self) -> Square {
        Square::wrapping(u32::from(self.to))
    }

    #[inline(always)]
    pub(crate) fn is_capture(self) -> bool {
        self.capture
    }

    #[inline(always)]
    pub(crate) fn kind(self) -> Kind {
        ORIGINS[usize::from(self.kind) % KINDS][usize::from(self.to) % 64]
    }

    /// Where the piece may come from, according to the token.
    #[inline(always)]
    pub(crate) fn mask(self) -> Bitboard {
        ORIGIN_MASK[usize::from(self.origin) % ORIGIN_MASK.len()]
    }
}

impl SanTokens {
    /// As many as can be in a block of 64 bytes, with a blank behind each.
    pub(crate) const MAX: usize = 32;

    pub(crate) const fn new() -> SanTokens {
        SanTokens { words: [0; SanTokens::MAX], lens: [1; SanTokens::MAX] }
    }

    /// Sets a token to the first `len` (at least 1) bytes of a word. A longer token is never common.
    #[inline(always)]
    pub(crate) fn set(&mut self, index: usize, word: u64, len: u32) {
        self.words[index % SanTokens::MAX] = if len <= 8 { word } else { 0 };
        self.lens[index % SanTokens::MAX] = u64::from(len.min(8));
    }

    /// Decodes the first `count` tokens. They are moves of both sides in turn, first of this one.
    #[inline(always)]
    pub(crate) fn decode(&self, count: usize, side: Color, decoded: &mut [Decoded; SanTokens::MAX]) {
        let ((words, _), (lens, _)) = (self.words.as_chunks(), self.lens.as_chunks());
        let (groups, _) = decoded.as_chunks_mut();
        let groups = words.iter().zip(lens).zip(groups);
        for ((words, lens), group) in groups.take(count.div_ceil(8)) {
            decode_eight(words, lens, side, group);
        }
    }
}

/// Takes tokens apart at fixed distances from their ends. There are no branches, so that it becomes vector code.
#[inline(always)]
fn decode_eight(words: &[u64; 8], lens: &[u64; 8], side: Color, decoded: &mut [Decoded; 8]) {
    let (mut rows, mut parts) = ([0; 8], [0; 8]);
    for i in 0..8 {
        let len = lens[i];
        let word = words[i] & !0 >> (64 - 8 * len);
        let last = word >> (8 * len - 8);
        let check = u64::from(last & 0xf7 == u64::from(b'#')); // `#` and `+` differ in that bit
        let len = len - check;
        // The target in the two highest bytes. If the token is shorter, the byte there is not a file.
        let aligned = word << ((64 - 8 * len) & 63);
        let file = (aligned >> 48 & 0xff).wrapping_sub(u64::from(b'a'));
        let rank = (aligned >> 56).wrapping_sub(u64::from(b'1'));
        let capture = u64::from(aligned >> 40 & 0xff == u64::from(b'x'));
        let before = aligned << (8 * capture) >> 40 & 0xff;
        let count = len.wrapping_sub(2).wrapping_sub(capture) & 7;
        let side = (side.index() as u64 + i as u64) & 1;
        rows[i] = ((side * 2 + capture) * 8 + count) * 256 + (word & 0xff);
        // One test for all that is beyond the board.
        let wrong = u64::from((file | rank) & !7 != 0);
        let origin = u64::from(count == 2) << 8 | before;
        parts[i] = origin << 32 | capture << 16 | (rank << 3 | file) << 8 & 0x3f00 | wrong << 7;
    }
    for i in 0..8 {
        let parts = parts[i];
        decoded[i] = Decoded {
            kind: KIND_OF[rows[i] as usize % KIND_OF.len()] | parts as u8,
            to: (parts >> 8) as u8,
            capture: parts >> 16 & 1 != 0,
            origin: (parts >> 32) as u16,
        };
    }
}
