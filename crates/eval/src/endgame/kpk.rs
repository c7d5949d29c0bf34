//! The bitbase of king and pawn against king (KPK): whether the pawn wins, for every position. It is computed at compile
//! time and takes 24 KiB.

use ferz_board::{Color, File, Square, attacks};

/// Whether the side with the pawn wins. Squares are relative to that side: its pawn moves up the board.
pub(super) fn is_won(pawn: Square, strong_king: Square, weak_king: Square, strong_to_move: bool) -> bool {
    // The bitbase has the pawns of four files; the others are mirrored.
    let mirrored = |square: Square| if pawn.file() > File::D { square.flip_file() } else { square };
    let sets = if strong_to_move { &BITBASE.to_move } else { &BITBASE.waiting };
    let set = sets[pawn_index(mirrored(pawn).index())][mirrored(strong_king).index()];
    set >> mirrored(weak_king).index() & 1 != 0
}

/// The squares of the weak king with which the pawn wins, by pawn and strong king.
struct Bitbase {
    /// The side with the pawn is to move.
    to_move: [[u64; 64]; PAWNS],
    /// The weak side is to move.
    waiting: [[u64; 64]; PAWNS],
}

/// The squares of a pawn: six ranks of four files.
const PAWNS: usize = 24;

const fn pawn_index(square: usize) -> usize {
    4 * (square / 8 - 1) + square % 8
}

// It takes a second to compile, which is more than the lint thinks a constant should.
#[allow(long_running_const_eval)]
static BITBASE: Bitbase = solve();

/// Retrograde analysis with whole sets of squares, pawn by pawn. A pawn only moves up, so its pushes are known before it.
const fn solve() -> Bitbase {
    let mut bitbase = Bitbase { to_move: [[0; 64]; PAWNS], waiting: [[0; 64]; PAWNS] };
    let mut rank = 6;
    while rank > 0 {
        let mut file = 0;
        while file < 4 {
            while refine(&mut bitbase, 8 * rank + file) {}
            file += 1;
        }
        rank -= 1;
    }
    bitbase
}

/// Finds more wins with a pawn on this square; false if there are no more.
const fn refine(bitbase: &mut Bitbase, pawn: usize) -> bool {
    let index = pawn_index(pawn);
    let pawn_attacks = attacks::pawn(Color::White, Square::ALL[pawn]).0;
    let mut changed = false;
    let mut king = 0;
    while king < 64 {
        if king == pawn {
            king += 1;
            continue;
        }
        let king_attacks = attacks::king(Square::ALL[king]).0;
        let legal = !(king_attacks | 1 << king | 1 << pawn);

        let mut wins = wins_by_push(bitbase, pawn, king);
        let mut targets = king_attacks & !(1 << pawn);
        while targets != 0 {
            wins |= bitbase.waiting[index][targets.trailing_zeros() as usize];
            targets &= targets - 1;
        }
        wins &= legal & !pawn_attacks;

        // The weak king may go where nothing attacks it; taking an unprotected pawn is one of its escapes.
        let safe = !(king_attacks | pawn_attacks | 1 << king);
        let losses = legal & neighbours(safe) & !neighbours(safe & !wins);

        changed |= wins != bitbase.to_move[index][king] || losses != bitbase.waiting[index][king];
        bitbase.to_move[index][king] = wins;
        bitbase.waiting[index][king] = losses;
        king += 1;
    }
    changed
}

/// The squares of the weak king with which a push of the pawn wins.
const fn wins_by_push(bitbase: &Bitbase, pawn: usize, king: usize) -> u64 {
    let front = pawn + 8;
    if king == front {
        return 0;
    }
    if front >= 56 {
        // The new queen wins unless it is lost at once. Where a queen would give stalemate, a rook wins.
        let around = attacks::king(Square::ALL[front]).0;
        let guarded = around >> king & 1 != 0;
        return !(1 << front | if guarded { 0 } else { around });
    }
    let mut wins = bitbase.waiting[pawn_index(front)][king];
    if pawn < 16 {
        wins |= bitbase.waiting[pawn_index(front + 8)][king] & !(1 << front);
    }
    wins
}

/// The squares a king's move away from some square of a set.
const fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let beside = (set & NOT_H) << 1 | (set & NOT_A) >> 1;
    let row = set | beside;
    beside | row << 8 | row >> 8
}
