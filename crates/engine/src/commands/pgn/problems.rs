//! What is wrong with games, in bounded memory.

use std::fmt;

use ferz_notation::pgn::Diagnostic;

use super::reading::Source;

/// Of more problems in one game only the number is told.
const MAX_LISTED: u64 = 20;

/// The problems of some games, collected while reading.
#[derive(Default)]
pub(super) struct Problems {
    listed: Vec<Listed>,
    count: u64,
    /// Those of the game being read, or between two games.
    in_game: u64,
}

enum Listed {
    Problem(Diagnostic),
    /// Further problems of a game; the first of them says where they begin.
    More(Diagnostic, u64),
}

impl Problems {
    pub(super) fn add(&mut self, problem: Diagnostic) {
        self.count += 1;
        self.in_game += 1;
        match self.listed.last_mut() {
            _ if self.in_game <= MAX_LISTED => self.listed.push(Listed::Problem(problem)),
            Some(Listed::More(_, count)) => *count += 1,
            _ => self.listed.push(Listed::More(problem, 1)),
        }
    }

    /// A game begins or ends: what comes now is about another.
    pub(super) fn next_game(&mut self) {
        self.in_game = 0;
    }

    /// How many there are, listed or not.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// A line for each: `file:line:column: kind: message`.
    pub(super) fn lines(self, source: &Source<'_>) -> impl Iterator<Item = impl fmt::Display> {
        self.listed.into_iter().map(move |mut listed| {
            let (Listed::Problem(problem) | Listed::More(problem, _)) = &mut listed;
            source.origin.locate(problem);
            fmt::from_fn(move |f| match &listed {
                Listed::Problem(problem) => write!(f, "{}:{problem}", source.name),
                Listed::More(problem, count) => {
                    let (line, column) = (problem.place.line, problem.place.column);
                    write!(f, "{}:{line}:{column}: more-problems: {count} more", source.name)?;
                    write!(f, " (game {})", problem.game)
                }
            })
        })
    }
}
