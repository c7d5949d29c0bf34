//! The counter for processors with AVX-512: all eight directions at once.
//!
//! A vector register has eight lanes of 64 bits, and each lane looks in one direction: north, south, east,
//! west, north-east, south-west, north-west, south-east, opposites side by side. Rooks and queens live in the
//! first four lanes, bishops and queens in the last four. Filling along all directions takes three steps for
//! all sliders of a side together, and because two sliders looking the same way never reach the same square,
//! the population count of a fill is a number of moves.
//!
//! An enemy fill that meets the king's own view in the same line on one of our pieces is a pin along just
//! that line, so a pinned slider simply keeps its two lanes.

use core::arch::x86_64::*;

use super::cpu::Avx512;
use crate::attacks::{self, Lanes, RAYS_TOWARDS};
use crate::movegen::count_castling;
use crate::movegen::placement::Placement;
use crate::movegen::side::Side;
use crate::{Bitboard, Rank};

/// One step in each lane's direction, as a rotation to the left.
const STEPS: [i32; 8] = [8, -8, 1, -1, 9, -9, 7, -7];
const KNIGHT_STEPS: [i32; 8] = [17, -17, 15, -15, 10, -10, 6, -6];

const fn rotations(steps: [i32; 8], times: i32) -> Lanes {
    let mut lanes = [0; 8];
    let mut i = 0;
    while i < 8 {
        lanes[i] = (steps[i] * times).rem_euclid(64) as u64;
        i += 1;
    }
    Lanes(lanes)
}

/// The squares a rotation can land on without having wrapped around: those whose origin, `files` to the west
/// and `ranks` to the south, is on the board.
const fn landing(steps: [(i8, i8); 8]) -> Lanes {
    let mut lanes = [0; 8];
    let mut i = 0;
    while i < 8 {
        let (files, ranks) = steps[i];
        let mut square = 0;
        while square < 64 {
            if crate::Square::ALL[square].offset(-files, -ranks).is_some() {
                lanes[i] |= 1 << square;
            }
            square += 1;
        }
        i += 1;
    }
    Lanes(lanes)
}

// Constants, because the compiler must see their values. Statics that a generic function names are symbols that other
// crates can reach: without link-time optimisation their vectors are copied to the stack, which costs 4 % of a perft.
const STEP_1: Lanes = rotations(STEPS, 1);
const STEP_2: Lanes = rotations(STEPS, 2);
const STEP_4: Lanes = rotations(STEPS, 4);
const ON_BOARD: Lanes = landing([(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)]);
const KNIGHT_STEP: Lanes = rotations(KNIGHT_STEPS, 1);
const KNIGHT_ON_BOARD: Lanes =
    landing([(1, 2), (-1, -2), (-1, 2), (1, -2), (2, 1), (-2, -1), (-2, 1), (2, -1)]);

/// The lanes in which the pawns of each colour push, and capture.
const PAWN_PUSH: [Lanes; 2] = [only_lanes([0, 0, 0], !0), only_lanes([1, 1, 1], !0)];
const PAWN_CAPTURE: [Lanes; 2] = [only_lanes([4, 6, 6], !0), only_lanes([5, 7, 7], !0)];
/// The third rank in the pushing lane: from there a pawn steps once more.
const PAWN_THIRD_RANK: [Lanes; 2] = [
    only_lanes([0, 0, 0], Bitboard::from_rank(Rank::Third).0),
    only_lanes([1, 1, 1], Bitboard::from_rank(Rank::Sixth).0),
];

const fn only_lanes(lanes: [usize; 3], value: u64) -> Lanes {
    let mut all = [0; 8];
    all[lanes[0]] = value;
    all[lanes[1]] = value;
    all[lanes[2]] = value;
    Lanes(all)
}

/// Eight bitboards, one for each direction.
#[derive(Clone, Copy)]
struct Vector(__m512i);

impl Vector {
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn load(lanes: &Lanes) -> Vector {
        // SAFETY: a reference to `Lanes` is a valid address of 64 bytes, aligned to 64.
        Vector(unsafe { _mm512_load_si512(core::ptr::from_ref(lanes).cast()) })
    }

    /// The same set in every lane.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn splat(set: Bitboard) -> Vector {
        Vector(_mm512_set1_epi64(set.0 as i64))
    }

    /// One set in the lanes of rooks, another in those of bishops.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn straight_and_diagonal(straight: Bitboard, diagonal: Bitboard) -> Vector {
        Vector(_mm512_mask_blend_epi64(0xf0, Vector::splat(straight).0, Vector::splat(diagonal).0))
    }

    /// `self & other`
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn and(self, other: Vector) -> Vector {
        Vector(_mm512_and_si512(self.0, other.0))
    }

    /// `self | other`
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn or(self, other: Vector) -> Vector {
        Vector(_mm512_or_si512(self.0, other.0))
    }

    /// `self & !other`
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn and_not(self, other: Vector) -> Vector {
        Vector(_mm512_andnot_si512(other.0, self.0))
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn rotate(self, by: Vector) -> Vector {
        Vector(_mm512_rolv_epi64(self.0, by.0))
    }

    /// Where knights jump, each lane in its direction.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn knight_moves(self) -> Vector {
        self.rotate(Vector::load(&KNIGHT_STEP)).and(Vector::load(&KNIGHT_ON_BOARD))
    }

    /// `self | a & b`
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn or_both(self, a: Vector, b: Vector) -> Vector {
        Vector(_mm512_ternarylogic_epi64::<0xf8>(self.0, a.0, b.0))
    }

    /// `self & a & b`
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn and_both(self, a: Vector, b: Vector) -> Vector {
        Vector(_mm512_ternarylogic_epi64::<0x80>(self.0, a.0, b.0))
    }

    /// `self` where `a` and `b` are alike.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn where_equal(self, a: Vector, b: Vector) -> Vector {
        Vector(_mm512_ternarylogic_epi64::<0x90>(self.0, a.0, b.0))
    }

    /// Which lanes share a square with those of another vector.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn meets(self, other: Vector) -> u8 {
        _mm512_test_epi64_mask(self.0, other.0)
    }

    /// Opposite directions exchanged.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn opposite(self) -> Vector {
        Vector(_mm512_shuffle_epi32::<0x4e>(self.0))
    }

    /// In every lane the union of all lanes, if opposite lanes are alike.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn union_of_pairs(self) -> Vector {
        {
            let two = _mm512_or_si512(self.0, _mm512_shuffle_i64x2::<0xb1>(self.0, self.0));
            Vector(_mm512_or_si512(two, _mm512_shuffle_i64x2::<0x4e>(two, two)))
        }
    }

    /// Lanes of `other` where the bit of `lanes` is set, else of `self`.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn replace(self, lanes: u8, other: Vector) -> Vector {
        Vector(_mm512_mask_blend_epi64(lanes, self.0, other.0))
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn union(self) -> Bitboard {
        Bitboard(_mm512_reduce_or_epi64(self.0) as u64)
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn intersection(self) -> Bitboard {
        Bitboard(_mm512_reduce_and_epi64(self.0) as u64)
    }

    /// The number of squares in each lane.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn lens(self) -> Vector {
        Vector(_mm512_popcnt_epi64(self.0))
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn add(self, other: Vector) -> Vector {
        Vector(_mm512_add_epi64(self.0, other.0))
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn sum(self) -> u64 {
        _mm512_reduce_add_epi64(self.0) as u64
    }
}

/// The ways along which pieces slide: empty squares passed by one, two and four steps.
#[derive(Clone, Copy)]
struct Ways {
    one: Vector,
    two: Vector,
    four: Vector,
}

impl Ways {
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn through(occupied: Vector) -> Ways {
        let one = Vector::load(&ON_BOARD).and_not(occupied);
        let two = one.and(one.rotate(Vector::load(&STEP_1)));
        let four = two.and(two.rotate(Vector::load(&STEP_2)));
        Ways { one, two, four }
    }

    /// Where pieces attack, each lane in its direction, blockers included.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    #[inline]
    fn attacks(&self, pieces: Vector) -> Vector {
        let step = Vector::load(&STEP_1);
        let reached = pieces.or_both(self.one, pieces.rotate(step));
        let reached = reached.or_both(self.two, reached.rotate(Vector::load(&STEP_2)));
        let reached = reached.or_both(self.four, reached.rotate(Vector::load(&STEP_4)));
        reached.rotate(step).and(Vector::load(&ON_BOARD))
    }
}

/// The number of legal moves of the side to move.
#[inline(always)]
pub(crate) fn count<S: Side>(node: &Placement, token: Avx512) -> u64 {
    // SAFETY: the token proves that the processor has AVX-512 F, DQ and VPOPCNTDQ. The function itself has no
    // `#[target_feature]`, because it could then not be `#[inline(always)]`: a call instead costs 11 % of a perft.
    // Counting square by square costs 30 to 50 %.
    unsafe {
        let king = node.king();
        let (us, them) = (Vector::splat(node.us), Vector::splat(node.them));
        let ways = Ways::through(us.or(them));
        let sliders = Vector::straight_and_diagonal(node.straight, node.diagonal);
        let enemy = ways.attacks(sliders.and(them));
        let view = Vector::load(&RAYS_TOWARDS[king.index()])
            .and(Vector::splat(attacks::queen(king, node.occupied())));
        let enemy_knights = Vector::splat(node.knights).and(them).knight_moves();
        let mut danger = enemy.or(enemy_knights).union()
            | attacks::king((node.kings & node.them).first_unchecked())
            | S::Them::pawn_attacks(node.pawns & node.them);
        let lines = Lines { ways, sliders, us, them, pins: enemy.and_both(view, us) };

        if !danger.contains(king) {
            let king_moves = attacks::king(king) & !(node.us | danger);
            let mut total = u64::from(king_moves.len());
            total += others::<S, false>(node, &lines, token, Bitboard::ALL, Bitboard::EMPTY);
            let rooks = node.castling & node.us;
            if rooks.any() {
                // Castling comes last: what it may call leaves no vector in its register.
                let pinned = || lines.pins.union();
                total += u64::from(count_castling::<S>(king, rooks, node.occupied(), danger, pinned));
            }
            return total;
        }

        // In check. The king was a blocker; the square behind it is not safe from a checking slider.
        let king_set = Vector::splat(king.bitboard());
        let checking = enemy.meets(king_set);
        let behind = king_set.rotate(Vector::load(&STEP_1)).and(Vector::load(&ON_BOARD));
        danger |= Vector::splat(Bitboard::EMPTY).replace(checking, behind).union();
        let total = u64::from((attacks::king(king) & !(node.us | danger)).len());
        let leapers =
            (attacks::knight(king) & node.knights | attacks::pawn(S::COLOR, king) & node.pawns) & node.them;
        // What answers every check at once: nothing, if there are two.
        let mut answers = Vector::splat(Bitboard::ALL).replace(checking, view).intersection();
        if leapers.is_several() {
            return total; // no game comes to this, but a lenient reader of FEN lets it pass
        }
        if leapers.any() {
            answers &= leapers;
        }
        if answers.is_empty() {
            return total;
        }
        total + others::<S, true>(node, &lines, token, answers, leapers)
    }
}

/// What is known of the lines on the board.
struct Lines {
    ways: Ways,
    sliders: Vector,
    us: Vector,
    them: Vector,
    /// Our pieces that are pinned, each in the lane of its pinner.
    pins: Vector,
}

/// The moves of all pieces but the king. Out of check (`CHECK` false) `answers` is not looked at.
#[inline(always)]
fn others<S: Side, const CHECK: bool>(
    node: &Placement,
    lines: &Lines,
    _: Avx512,
    answers: Bitboard,
    leapers: Bitboard,
) -> u64 {
    // SAFETY: as in `count`.
    unsafe {
        let (us, them) = (lines.us, lines.them);
        let occupied = us.or(them);
        let pawns = node.pawns & node.us;
        let mut sliders = lines.sliders.and(us);
        let mut knights = Vector::splat(node.knights).and(us);
        let mut steppers = Vector::splat(pawns);
        if lines.pins.meets(lines.pins) != 0 {
            // A pinned piece moves only in the two lanes of its pin; a knight in none.
            let line = lines.pins.or(lines.pins.opposite());
            let anywhere = line.union_of_pairs();
            sliders = sliders.where_equal(anywhere, line);
            knights = knights.and_not(anywhere);
            steppers = steppers.where_equal(anywhere, line);
        }
        let mut slides = lines.ways.attacks(sliders).and_not(us);
        let mut jumps = knights.knight_moves().and_not(us);
        let targets = Vector::load(const { &PAWN_PUSH[S::COLOR.index()] })
            .and_not(occupied)
            .or_both(Vector::load(const { &PAWN_CAPTURE[S::COLOR.index()] }), them);
        let step = Vector::load(&STEP_1);
        let single = steppers.rotate(step).and_both(Vector::load(&ON_BOARD), targets);
        let double = single
            .and(Vector::load(const { &PAWN_THIRD_RANK[S::COLOR.index()] }))
            .rotate(step)
            .and_not(occupied);
        let mut steps = single.or(double);
        if CHECK {
            let answers = Vector::splat(answers);
            slides = slides.and(answers);
            jumps = jumps.and(answers);
            steps = steps.and(answers);
        }
        let mut total = 0;
        if pawns.intersects(S::backward(S::PROMOTION_RANK)) {
            // Each move to the last rank is four; one of them is counted below.
            total += 3 * steps.and(Vector::splat(S::PROMOTION_RANK)).lens().sum();
        }
        if node.en_passant.any() {
            let mut capturers = S::Them::pawn_attacks(node.en_passant) & pawns;
            while capturers.any() {
                let from = capturers.pop_lowest();
                total += u64::from(node.en_passant_is_safe::<S>(from, leapers));
            }
        }
        total + slides.lens().add(jumps.lens()).add(steps.lens()).sum()
    }
}
