//! Collecting problems in bounded memory.

use std::fmt;

use ferz_notation::pgn::{BoundedDiagnostics, Diagnostic};

use super::reading::BatchSource;

/// The problems of a game that are listed. Further ones are only counted.
const MAX_LISTED: u64 = 20;

/// The problems of some games.
#[derive(Default)]
pub(in crate::commands) struct Problems {
    listed: Vec<Listed>,
    count: u64,
    /// Problems of the current game.
    in_game: u64,
}

enum Listed {
    Problem(Diagnostic),
    /// The first of the further problems of a game, and their number.
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

    /// Adds the diagnostics of a game, or of the text between two games.
    pub(in crate::commands) fn add_all(&mut self, found: BoundedDiagnostics) {
        self.next_game();
        found.kept.into_iter().for_each(|problem| self.add(problem));
        self.count += found.omitted;
        // A bounded tree keeps more than are listed, so some are counted already.
        if let Some(Listed::More(_, count)) = self.listed.last_mut() {
            *count += found.omitted;
        }
        self.next_game();
    }

    /// Begins a new game.
    pub(super) fn next_game(&mut self) {
        self.in_game = 0;
    }

    /// The number of problems, listed or not.
    pub(in crate::commands) fn count(&self) -> u64 {
        self.count
    }

    /// One line per problem of a batch: `file:line:column: kind: message`.
    pub(super) fn lines(mut self, source: &BatchSource<'_>) -> impl Iterator<Item = impl fmt::Display> {
        for listed in &mut self.listed {
            let (Listed::Problem(problem) | Listed::More(problem, _)) = listed;
            source.origin.locate(problem);
        }
        self.lines_in(source.name)
    }

    /// The same for games read from the start of a file.
    pub(in crate::commands) fn lines_in(self, file: &str) -> impl Iterator<Item = impl fmt::Display> {
        self.listed.into_iter().map(move |listed| {
            fmt::from_fn(move |f| match &listed {
                Listed::Problem(problem) => write!(f, "{file}:{problem}"),
                Listed::More(problem, count) => {
                    let (line, column) = (problem.place.line, problem.place.column);
                    write!(f, "{file}:{line}:{column}: more-problems: {count} more")?;
                    write!(f, " (game {})", problem.game)
                }
            })
        })
    }
}
