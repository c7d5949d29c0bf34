//! Writing games in the export format of PGN.

mod lines;
mod movetext;

use std::fmt;
use std::io::{self, Write};

use super::GameTree;
use super::tree::{Boards, escape};
use lines::Lines;
use movetext::MoveWriter;

/// What is written of a game, and how.
///
/// With all of comments, variations and NAGs, whatever the other options are, a game that is written and read
/// again is equal to what it was. Movetext that could not be [read](GameTree::unread) is written as it is.
///
/// ```
/// use ferz_notation::pgn::WriteOptions;
/// let moves_only = WriteOptions::new().comments(false).variations(false).nags(false);
/// assert!(moves_only.roster && !moves_only.comments);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The most characters in a line of moves; the standard wants fewer than 80. Comments stay as they are:
    /// they may be longer, and have line ends of their own.
    pub line_width: usize,
    /// Whether the seven tags that the standard demands come first, unknown ones with question marks. Else the
    /// tags are written as they are.
    pub roster: bool,
    /// Whether comments are written.
    pub comments: bool,
    /// Whether variations are written.
    pub variations: bool,
    /// Whether annotation glyphs are written.
    pub nags: bool,
    /// Whether glyphs are written as signs where there is one (`!?`, `+-`), and not as numbers (`$5`, `$18`).
    pub symbols: bool,
}

impl WriteOptions {
    /// The export format with everything in it.
    #[must_use]
    pub const fn new() -> WriteOptions {
        WriteOptions {
            line_width: 79,
            roster: true,
            comments: true,
            variations: true,
            nags: true,
            symbols: false,
        }
    }

    /// Sets [`line_width`](WriteOptions#structfield.line_width).
    #[must_use]
    pub const fn line_width(self, line_width: usize) -> WriteOptions {
        WriteOptions { line_width, ..self }
    }

    /// Sets [`roster`](WriteOptions#structfield.roster).
    #[must_use]
    pub const fn roster(self, roster: bool) -> WriteOptions {
        WriteOptions { roster, ..self }
    }

    /// Sets [`comments`](WriteOptions#structfield.comments).
    #[must_use]
    pub const fn comments(self, comments: bool) -> WriteOptions {
        WriteOptions { comments, ..self }
    }

    /// Sets [`variations`](WriteOptions#structfield.variations).
    #[must_use]
    pub const fn variations(self, variations: bool) -> WriteOptions {
        WriteOptions { variations, ..self }
    }

    /// Sets [`nags`](WriteOptions#structfield.nags).
    #[must_use]
    pub const fn nags(self, nags: bool) -> WriteOptions {
        WriteOptions { nags, ..self }
    }

    /// Sets [`symbols`](WriteOptions#structfield.symbols).
    #[must_use]
    pub const fn symbols(self, symbols: bool) -> WriteOptions {
        WriteOptions { symbols, ..self }
    }
}

impl Default for WriteOptions {
    /// The same as [`WriteOptions::new`].
    fn default() -> WriteOptions {
        WriteOptions::new()
    }
}

/// Writes games one after the other.
///
/// Every game is one call of the output's `write`, so that many small ones want a `BufWriter`.
///
/// ```
/// use ferz_notation::pgn::{GameTree, PgnWriter, Reader, WriteOptions};
///
/// let file = "1.e4 e5 (1...c5!?) 2.Nf3 {natural} 1-0\n\n1.d4".as_bytes();
/// let options = WriteOptions::new().roster(false).comments(false).symbols(true);
/// let mut writer = PgnWriter::with_options(Vec::new(), options);
/// let mut reader = Reader::new(file);
/// let mut tree = GameTree::new();
/// while tree.read(&mut reader)? {
///     writer.write(&tree)?;
/// }
/// assert_eq!(writer.into_inner(), b"1. e4 e5 (1... c5!?) 2. Nf3 1-0\n\n1. d4 *\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PgnWriter<W> {
    output: W,
    formatter: Formatter,
    is_first: bool,
}

impl<W: Write> PgnWriter<W> {
    /// A writer of the export format.
    pub fn new(output: W) -> PgnWriter<W> {
        PgnWriter::with_options(output, WriteOptions::default())
    }

    /// A writer with options.
    pub fn with_options(output: W, options: WriteOptions) -> PgnWriter<W> {
        PgnWriter { output, formatter: Formatter::new(options), is_first: true }
    }

    /// Writes a game, after an empty line if it is not the first.
    pub fn write(&mut self, game: &GameTree) -> io::Result<()> {
        self.formatter.lines.clear();
        if !self.is_first {
            self.formatter.lines.end_line();
        }
        self.formatter.write(game);
        self.output.write_all(self.formatter.lines.text().as_bytes())?;
        self.is_first = false;
        Ok(())
    }

    /// The output.
    pub fn get_ref(&self) -> &W {
        &self.output
    }

    /// The output, which has everything: a writer keeps nothing back.
    pub fn into_inner(self) -> W {
        self.output
    }
}

impl GameTree {
    /// The game as PGN. (`to_string` does the same with the usual options.)
    #[must_use]
    pub fn to_pgn(&self, options: &WriteOptions) -> String {
        let mut formatter = Formatter::new(*options);
        formatter.write(self);
        formatter.lines.into_text()
    }

    /// The moves alone, without tags: `1. e4 e5 2. Nf3 *`.
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, WriteOptions};
    /// let tree: GameTree = "[White \"Ada\"]\n\n1.e4 e5 (1...c5) 1-0".parse()?;
    /// let options = WriteOptions::new().variations(false);
    /// assert_eq!(tree.to_movetext(&options), "1. e4 e5 1-0\n");
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    #[must_use]
    pub fn to_movetext(&self, options: &WriteOptions) -> String {
        let mut formatter = Formatter::new(*options);
        formatter.write_moves(self);
        formatter.lines.into_text()
    }
}

/// The export format.
impl fmt::Display for GameTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_pgn(&WriteOptions::default()))
    }
}

/// Makes the text of games, reusing its memory.
#[derive(Debug)]
struct Formatter {
    options: WriteOptions,
    lines: Lines,
    boards: Boards,
}

impl Formatter {
    fn new(options: WriteOptions) -> Formatter {
        Formatter { options, lines: Lines::new(options.line_width), boards: Boards::default() }
    }

    fn write(&mut self, game: &GameTree) {
        let before = self.lines.text().len();
        if self.options.roster {
            game.export_tags().for_each(|(name, value)| self.write_tag(&name, &value));
        } else {
            game.tags().for_each(|(name, value)| self.write_tag(&name, &value));
        }
        if self.lines.text().len() > before {
            self.lines.end_line();
        }
        self.write_moves(game);
    }

    fn write_tag(&mut self, name: &str, value: &str) {
        self.lines.line(&["[", name, " \"", &escape(value), "\"]"]);
    }

    fn write_moves(&mut self, game: &GameTree) {
        MoveWriter::new(game, &self.options, &mut self.lines, &mut self.boards).write();
    }
}
