//! How squares are numbered: the bit of each square in a bitboard.

use clap::ValueEnum;
use ferz_board::{Bitboard, Square};

/// A numbering of the squares. Four have a name on the Chess Programming Wiki; the others are named by the squares of
/// bits 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Layout {
    /// Little-endian rank-file: a1 is bit 0, b1 is bit 1
    #[default]
    #[value(alias = "a1b1")]
    Lerf,
    /// Little-endian file-rank: a1 is bit 0, a2 is bit 1
    #[value(alias = "a1a2")]
    Lefr,
    /// Big-endian rank-file: h8 is bit 0, g8 is bit 1
    #[value(alias = "h8g8")]
    Berf,
    /// Big-endian file-rank: h8 is bit 0, h7 is bit 1
    #[value(alias = "h8h7")]
    Befr,
    /// Little-endian files, big-endian ranks: a8 is bit 0, b8 is bit 1
    A8b8,
    /// Big-endian files, little-endian ranks: h1 is bit 0, g1 is bit 1
    H1g1,
    /// The same as a8b8 by files: a8 is bit 0, a7 is bit 1
    A8a7,
    /// The same as h1g1 by files: h1 is bit 0, h2 is bit 1
    H1h2,
}

impl Layout {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The bit of a square.
    pub(crate) fn bit(self, square: Square) -> u32 {
        use Layout::{A8a7, A8b8, Befr, Berf, H1g1, H1h2, Lefr};
        let (mut file, mut rank) = (square.file() as u32, square.rank() as u32);
        if matches!(self, Berf | Befr | H1g1 | H1h2) {
            file = 7 - file;
        }
        if matches!(self, Berf | Befr | A8b8 | A8a7) {
            rank = 7 - rank;
        }
        if matches!(self, Lefr | Befr | A8a7 | H1h2) { file * 8 + rank } else { rank * 8 + file }
    }

    /// The square of a bit.
    pub(crate) fn square(self, bit: u32) -> Option<Square> {
        Square::ALL.into_iter().find(|&square| self.bit(square) == bit)
    }

    /// A set as a number.
    pub(crate) fn number(self, set: Bitboard) -> u64 {
        set.into_iter().fold(0, |number, square| number | 1 << self.bit(square))
    }

    /// The set of a number.
    pub(crate) fn set(self, number: u64) -> Bitboard {
        Square::ALL.into_iter().filter(|&square| number >> self.bit(square) & 1 != 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_numbers_all_squares() {
        for &layout in Layout::value_variants() {
            let bits: Vec<_> = Square::ALL.map(|square| layout.bit(square)).to_vec();
            assert_eq!(bits.iter().fold(0_u64, |seen, bit| seen | 1 << bit), u64::MAX, "{layout:?}");
            for square in Square::ALL {
                assert_eq!(layout.square(layout.bit(square)), Some(square));
            }
            // The help text names the squares of bits 0 and 1.
            let value = layout.to_possible_value().expect("none is hidden");
            let [first, second] = [0, 1].map(|bit| layout.square(bit).expect("a bit below 64"));
            let help = value.get_help().expect("all have one").to_string();
            assert!(help.ends_with(&format!("{first} is bit 0, {second} is bit 1")), "{help}");
            let names: Vec<_> = value.get_name_and_aliases().collect();
            assert!(names.contains(&&format!("{first}{second}")[..]), "{names:?}");
        }
    }

    #[test]
    fn layouts_are_symmetries_of_the_board() {
        let mut random = fastrand::Rng::with_seed(20);
        for _ in 0..1_000 {
            let set = Bitboard(random.u64(..));
            let number = |layout: Layout| Bitboard(layout.number(set));
            assert_eq!(number(Layout::Lerf), set);
            assert_eq!(number(Layout::A8b8), set.flip_ranks());
            assert_eq!(number(Layout::H1g1), set.mirror_files());
            assert_eq!(number(Layout::Berf), set.rotate_180());
            // `flip_diagonal` exchanges a8 and h1: it leaves a1 and h8 where they are.
            assert_eq!(number(Layout::Lefr), set.flip_diagonal());
            assert_eq!(number(Layout::Befr), set.rotate_180().flip_diagonal());
            for &layout in Layout::value_variants() {
                assert_eq!(layout.set(layout.number(set)), set, "{layout:?}");
            }
        }
    }

    /// "Isn't 0x10 d1?" In four layouts it is four squares.
    #[test]
    fn the_same_number_is_another_square_in_another_layout() {
        let squares = [
            (Layout::Lerf, Square::E1),
            (Layout::Lefr, Square::A5),
            (Layout::Berf, Square::D8),
            (Layout::Befr, Square::H4),
            (Layout::A8b8, Square::E8),
            (Layout::H1g1, Square::D1),
            (Layout::A8a7, Square::A4),
            (Layout::H1h2, Square::H5),
        ];
        for (layout, square) in squares {
            assert_eq!(layout.set(0x10).single(), Some(square), "{layout:?}");
        }
    }
}
