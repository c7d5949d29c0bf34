//! `ferz pgn fmt`: games in the export format.

use std::io::{self, Write};
use std::mem;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_board::{Move, Position};
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{Diagnostic, GameResult, GameTree, Nag, PgnWriter, Visitor, WriteOptions};

use super::problems::Problems;
use super::reading::{Files, Stop, Tally};
use crate::progress::tell;
use crate::terminal::Output;

/// A game with more text is none, and must not fill the memory.
const MAX_GAME: usize = 32 << 20;

/// Write games in the export format of PGN
///
/// The seven tags of the standard come first, moves are in SAN and in lines of fewer than 80 characters. Variations,
/// comments and annotation glyphs are kept. Of a broken game, what could be read is written; what is wrong with it
/// is told on standard error, and the exit code is 1.
#[derive(Args)]
pub(crate) struct Format {
    #[command(flatten)]
    files: Files,

    /// Leave out comments
    #[arg(long)]
    no_comments: bool,

    /// Leave out variations
    #[arg(long)]
    no_variations: bool,

    /// Leave out annotation glyphs
    #[arg(long)]
    no_nags: bool,

    /// Write glyphs as `!?` and `+-` where there is such a sign, not as `$5` and `$18`
    #[arg(long)]
    symbols: bool,

    /// Leave the tags as they are: neither added nor put into another order
    #[arg(long)]
    keep_tags: bool,

    /// The longest line of moves
    #[arg(long, value_name = "COLUMNS", default_value_t = 79, value_parser = value_parser!(u16).range(1..))]
    width: u16,
}

impl Format {
    fn options(&self) -> WriteOptions {
        WriteOptions {
            line_width: self.width.into(),
            roster: !self.keep_tags,
            comments: !self.no_comments,
            variations: !self.no_variations,
            nags: !self.no_nags,
            symbols: self.symbols,
        }
    }

    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let tally = Tally::new();
        let mut out = Output::new(out);
        let (mut problems, mut is_first) = (0, true);
        let work = |batch: &mut Batch<'_>| {
            let mut formatter = Formatter::new(self.options());
            while !formatter.is_too_long() && batch.read_game(&mut formatter) {}
            formatter
        };
        self.files.read(&tally, work, |formatter, source| {
            let is_too_long = formatter.is_too_long();
            let Formatter { writer, problems: found, games, moves, .. } = formatter;
            tally.add(games, moves);
            problems += found.count();
            let text = writer.into_inner();
            if !text.is_empty() && !mem::replace(&mut is_first, false) {
                out.write(b"\n", source.progress).map_err(Stop::output)?;
            }
            out.write(&text, source.progress).map_err(Stop::output)?;
            if found.count() > 0 {
                source.progress.suspend(|| found.lines(&source).for_each(tell));
            }
            if is_too_long {
                let problem = format!("a game of more than {} MiB", MAX_GAME >> 20);
                return Err(Stop::Unreadable(io::Error::other(problem)));
            }
            Ok(())
        })?;
        tell(format_args!("{} games, {} moves, {}", tally.games(), tally.moves(), tally.speed()));
        Ok(tally.exit_code(problems > 0))
    }
}

/// Makes a tree of every game and writes it.
struct Formatter {
    tree: GameTree,
    writer: PgnWriter<Vec<u8>>,
    problems: Problems,
    games: u64,
    /// Those of main lines.
    moves: u64,
    /// How much memory the text and the moves of the game take.
    size: usize,
}

impl Formatter {
    fn new(options: WriteOptions) -> Formatter {
        Formatter {
            tree: GameTree::new(),
            writer: PgnWriter::with_options(Vec::new(), options),
            problems: Problems::default(),
            games: 0,
            moves: 0,
            size: 0,
        }
    }

    /// Whether the last game is. It is not kept, then.
    fn is_too_long(&self) -> bool {
        self.size > MAX_GAME
    }

    /// Whether there is room for so many bytes more.
    fn has_room(&mut self, len: usize) -> bool {
        self.size += len;
        !self.is_too_long()
    }
}

impl Visitor for Formatter {
    fn begin_game(&mut self) {
        self.games += 1;
        self.size = 0;
        self.problems.next_game();
        self.tree.builder().begin_game();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if self.has_room(name.len() + value.len()) {
            self.tree.builder().tag(name, value);
        }
    }

    fn begin_moves(&mut self, start: &Position) -> bool {
        self.tree.builder().begin_moves(start)
    }

    fn mv(&mut self, mv: Option<Move>) {
        // About as much as it takes in the tree.
        if self.has_room(16) {
            self.tree.builder().mv(mv);
        }
    }

    fn comment(&mut self, part: &[u8], last: bool) {
        if self.has_room(part.len()) {
            self.tree.builder().comment(part, last);
        }
    }

    fn nag(&mut self, nag: Nag) {
        if self.has_room(8) {
            self.tree.builder().nag(nag);
        }
    }

    fn begin_variation(&mut self) {
        self.tree.builder().begin_variation();
    }

    fn end_variation(&mut self) {
        self.tree.builder().end_variation();
    }

    fn result(&mut self, result: GameResult) {
        self.tree.builder().result(result);
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    fn end_game(&mut self) {
        self.problems.next_game();
        self.tree.builder().end_game();
        if !self.is_too_long() {
            self.moves += self.tree.main_line().count() as u64;
            // A vector takes everything.
            let _ = self.writer.write(&self.tree);
        }
    }
}
