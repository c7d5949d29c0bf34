#![doc = include_str!("../README.md")]

mod compress;
mod index;
mod solve;
mod write;

use std::fs;
use std::io;
use std::path::Path;

use ferz_board::{Color, PieceType, Position};

use solve::{Solution, State};
pub use write::{DtzStyle, constant_dtz, constant_wdl};

/// Solved endings of two kings and one more man.
#[derive(Debug)]
pub struct Solutions(Vec<Solution>);

impl Solutions {
    /// Solves the endings with these men. A pawn needs all pieces that it may become.
    ///
    /// # Panics
    ///
    /// If one of them is a king.
    #[must_use]
    pub fn new(men: &[PieceType]) -> Solutions {
        let mut solutions = Solutions(Vec::new());
        // Pawns last: they need the others.
        for man in PieceType::PROMOTIONS {
            if men.contains(&man) || men.contains(&PieceType::Pawn) {
                solutions.0.push(Solution::new(man, &solutions));
            }
        }
        if men.contains(&PieceType::Pawn) {
            solutions.0.push(Solution::new(PieceType::Pawn, &solutions));
        }
        assert!(!men.contains(&PieceType::King), "a third king");
        solutions
    }

    /// All five endings with three men.
    #[must_use]
    pub fn all() -> Solutions {
        Solutions::new(&[PieceType::Pawn])
    }

    fn get(&self, man: PieceType) -> Option<&Solution> {
        self.0.iter().find(|solution| solution.man() == man)
    }

    /// The table files: names and contents.
    #[must_use]
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.files_in(DtzStyle::Plies)
    }

    /// The table files, with distances in one of the styles that the format knows.
    #[must_use]
    pub fn files_in(&self, style: DtzStyle) -> Vec<(String, Vec<u8>)> {
        let write = |solution: &Solution| {
            let name = format!("K{}vK", solution.man().of(Color::White).to_char());
            [
                (format!("{name}.rtbw"), write::wdl_table(solution)),
                (format!("{name}.rtbz"), write::dtz_table(solution, style)),
            ]
        };
        self.0.iter().flat_map(write).collect()
    }

    /// Writes the table files into a directory.
    pub fn write_to(&self, directory: &Path) -> io::Result<()> {
        self.files().iter().try_for_each(|(name, bytes)| fs::write(directory.join(name), bytes))
    }

    /// The distance to zeroing of a position: positive for a win, negative for a loss, 0 for a draw. `None` if its ending
    /// was not solved.
    #[must_use]
    pub fn distance(&self, position: &Position) -> Option<i32> {
        let mut men = position.board().iter().filter(|(_, piece)| piece.piece_type() != PieceType::King);
        let Some((square, piece)) = men.next() else { return Some(0) };
        if men.next().is_some() {
            return None;
        }
        let strong = piece.color();
        let state = State {
            is_strong_to_move: position.side_to_move() == strong,
            strong_king: position.king(strong).relative_to(strong),
            weak_king: position.king(!strong).relative_to(strong),
            man: square.relative_to(strong),
        };
        Some(self.get(piece.piece_type())?.distance(state))
    }
}
