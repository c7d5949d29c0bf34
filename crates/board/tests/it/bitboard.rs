//! Bitboards behave as sets of squares, each operation compared with its definition square by square.

use std::collections::HashSet;

use ferz_board::{Bitboard, Direction, File, Rank, Square};

use fastrand::Rng;

/// Sparse, middling and dense sets, the empty and the full one.
fn samples() -> Vec<Bitboard> {
    let mut random = Rng::with_seed(8);
    let mut sets = vec![Bitboard::EMPTY, Bitboard::ALL];
    for _ in 0..200 {
        let (a, b) = (random.u64(..), random.u64(..));
        sets.extend([Bitboard(a & b), Bitboard(a), Bitboard(a | b)]);
    }
    sets
}

/// The squares of which this is true.
fn squares_where(is_member: impl Fn(Square) -> bool) -> Bitboard {
    Square::ALL.into_iter().filter(|&square| is_member(square)).collect()
}

#[test]
fn operators_are_set_operations() {
    let sets = samples();
    for (&a, &b) in sets.iter().zip(sets.iter().rev()) {
        assert_eq!(a | b, squares_where(|square| a.contains(square) || b.contains(square)));
        assert_eq!(a & b, squares_where(|square| a.contains(square) && b.contains(square)));
        assert_eq!(a ^ b, squares_where(|square| a.contains(square) != b.contains(square)));
        assert_eq!(a - b, squares_where(|square| a.contains(square) && !b.contains(square)));
        assert_eq!(!a, squares_where(|square| !a.contains(square)));
        assert_eq!(a.intersects(b), (a & b).any());
        assert_eq!(a.is_subset(b), (a - b).is_empty());
        let assigned = |operation: fn(&mut Bitboard, Bitboard)| {
            let mut set = a;
            operation(&mut set, b);
            set
        };
        assert_eq!(assigned(|a, b| *a |= b), a | b);
        assert_eq!(assigned(|a, b| *a &= b), a & b);
        assert_eq!(assigned(|a, b| *a ^= b), a ^ b);
        assert_eq!(assigned(|a, b| *a -= b), a - b);
    }
}

#[test]
fn squares_come_in_ascending_order_from_both_ends() {
    for set in samples() {
        let members: Vec<_> = Square::ALL.into_iter().filter(|&square| set.contains(square)).collect();
        assert!(set.into_iter().eq(members.iter().copied()));
        assert!(set.into_iter().rev().eq(members.iter().rev().copied()));
        assert_eq!(set.into_iter().len(), members.len());
        assert_eq!(set.len() as usize, members.len());
        assert_eq!(set.first(), members.first().copied());
        assert_eq!(set.last(), members.last().copied());
        assert_eq!(set.is_empty(), members.is_empty());
        assert_eq!(set.is_several(), members.len() > 1);
        assert_eq!(set.single().is_some(), members.len() == 1);
    }
}

#[test]
fn single_squares_go_in_and_out() {
    for square in Square::ALL {
        let set = Bitboard::EMPTY.with(square);
        assert_eq!(set.single(), Some(square));
        assert!(set.is_singular());
        assert_eq!(set.without(square), Bitboard::EMPTY);
        assert_eq!(set.with(square), set, "a set holds a square once");
        assert_eq!(Bitboard::ALL.without(square), !set);
        assert!(
            Bitboard::from(square.file()).contains(square) && Bitboard::from(square.rank()).contains(square)
        );
        assert_eq!(Bitboard::LIGHT.contains(square), square.is_light());
        assert_eq!(Bitboard::DARK.contains(square), !square.is_light());
    }
    assert!(!Square::A1.is_light(), "the corner at White's left is dark");
}

#[test]
fn a_shift_moves_every_square_one_step_and_never_wraps() {
    for direction in Direction::ALL {
        for square in Square::ALL {
            let stepped = square.step(direction).map_or(Bitboard::EMPTY, Bitboard::from);
            assert_eq!(Bitboard::from(square).shift(direction), stepped, "{square} {direction:?}");
        }
        for set in samples() {
            let stepped: Bitboard = set.into_iter().filter_map(|square| square.step(direction)).collect();
            assert_eq!(set.shift(direction), stepped);
        }
    }
}

#[test]
fn steps_change_file_and_rank_by_one() {
    for square in Square::ALL {
        for direction in Direction::ALL {
            let (files, ranks) = direction.delta();
            let file = u8::try_from(square.file() as i8 + files).ok().and_then(File::new);
            let rank = u8::try_from(square.rank() as i8 + ranks).ok().and_then(Rank::new);
            let expected = file.zip(rank).map(|(file, rank)| Square::from_coords(file, rank));
            assert_eq!(square.step(direction), expected, "{square} {direction:?}");
        }
    }
}

#[test]
fn plain_shifts_drop_what_leaves_the_board() {
    let set = Bitboard::from_iter([Square::A1, Square::H8]);
    assert_eq!(set << 1, Square::B1.into());
    assert_eq!(set >> 1, Square::G8.into());
    assert_eq!(set << 63, Square::H8.into());
    assert_eq!(set >> 64, Bitboard::EMPTY);
    assert_eq!(set << u32::MAX, Bitboard::EMPTY);
}

#[test]
fn flips_move_each_square_to_its_image_and_back() {
    let transposed = |square: Square| Square::wrapping((square.index() % 8 * 8 + square.index() / 8) as u32);
    for set in samples() {
        let image = |map: &dyn Fn(Square) -> Square| set.into_iter().map(map).collect::<Bitboard>();
        assert_eq!(set.flip_ranks(), image(&Square::flip_rank));
        assert_eq!(set.mirror_files(), image(&Square::flip_file));
        assert_eq!(set.rotate_180(), image(&|square| square.flip_rank().flip_file()));
        assert_eq!(set.flip_diagonal(), image(&transposed));
        for flip in
            [Bitboard::flip_ranks, Bitboard::mirror_files, Bitboard::rotate_180, Bitboard::flip_diagonal]
        {
            assert_eq!(flip(flip(set)), set);
        }
    }
}

#[test]
fn subsets_are_all_there_and_each_once() {
    let mut random = Rng::with_seed(5);
    for size in 0..=10 {
        let set: Bitboard = (0..size).map(|_| Square::wrapping(random.u32(..))).collect();
        let subsets: HashSet<_> = set.subsets().collect();
        assert_eq!(set.subsets().count(), 1 << set.len());
        assert_eq!(subsets.len(), 1 << set.len());
        assert!(subsets.iter().all(|subset| subset.is_subset(set)));
    }
}

#[test]
fn a_drawing_can_be_read_back() {
    for set in samples() {
        assert_eq!(Bitboard::from_drawing(&set.to_string()), Some(set));
    }
    let squares = ". ".repeat(63);
    assert_eq!(Bitboard::from_drawing(&squares), None, "63 squares");
    assert_eq!(Bitboard::from_drawing(&format!("{squares} X X")), None, "65 squares");
    assert_eq!(Bitboard::from_drawing(&format!("{squares} ?")), None, "neither in nor out");
    assert_eq!(Bitboard::from_drawing(&format!("{squares} x")), Some(Square::H1.into()), "h1 is drawn last");
}

#[test]
fn a_labelled_drawing_has_names_of_ranks_and_files() {
    let drawing = format!("{:#}", Bitboard::from(File::B) | Bitboard::from(Rank::Fifth));
    let lines: Vec<_> = drawing.lines().collect();
    assert_eq!(lines.len(), 10);
    assert_eq!((lines[0], lines[3]), ("8  . X . . . . . .", "5  X X X X X X X X"));
    assert_eq!((lines[7], lines[8], lines[9]), ("1  . X . . . . . .", "", "   a b c d e f g h"));
}

#[test]
fn squares_turn_as_sets_do() {
    assert_eq!(Square::COUNT, 64);
    for square in Square::ALL {
        let (file, rank) = square.coords();
        assert_eq!(Square::from_coords(file, rank), square);
        assert_eq!(square.rotate_180().bitboard(), square.bitboard().rotate_180());
        assert_eq!(square.rotate_180(), square.flip_rank().flip_file());
    }
}
