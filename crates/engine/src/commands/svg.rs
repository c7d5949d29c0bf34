//! `ferz svg`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum, value_parser};
use ferz_board::{Bitboard, Board, Color, Position, START_FEN, Square};
use ferz_notation::san;
use ferz_notation::svg::{Coordinates, Diagram, Paint, Theme};

use crate::bitboards::{self, Context, Layout, expression};
use crate::fen_argument::FenOptions;
use crate::new_file::NewFile;

/// In percent: the colour of a square and what is written on it stay visible.
const FILL_OPACITY: u8 = 55;

/// Draw a position as an SVG image
///
/// Sets of squares, attacks, circles and arrows take a colour in front: `red:e2e4`. Colours are green, red, yellow, blue and
/// `#rrggbb`. Options that draw may be given several times.
#[derive(Args)]
#[command(after_long_help = expression::GRAMMAR)]
pub(crate) struct DrawSvg {
    /// The position as FEN, with or without quotation marks [default: the start position]
    #[arg(num_args = 1.., value_name = "FEN")]
    fen: Vec<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// Play a move, such as `Nf3` or `g1f3`, and mark it; several are played in turn, and the last is marked
    #[arg(long = "move", value_name = "MOVE")]
    moves: Vec<String>,

    /// Mark a set of squares: a number, a drawing or an expression such as `attacks white`
    #[arg(long = "set", value_name = "[COLOUR:]BITBOARD")]
    sets: Vec<String>,

    /// Mark the squares that the piece on a square attacks
    #[arg(long, value_name = "[COLOUR:]SQUARE")]
    attacks: Vec<String>,

    /// Draw an arrow from a square to another: `e2e4`
    #[arg(long = "arrow", value_name = "[COLOUR:]SQUARES")]
    arrows: Vec<String>,

    /// Draw a circle around a square
    #[arg(long = "circle", value_name = "[COLOUR:]SQUARE")]
    circles: Vec<String>,

    /// Write the bit of each square on the squares
    #[arg(long, value_enum, ignore_case = true, value_name = "LAYOUT", num_args = 0..=1, require_equals = true,
        default_missing_value = "lerf")]
    bits: Option<Layout>,

    /// Draw no pieces
    #[arg(long)]
    no_pieces: bool,

    /// Put Black at the bottom
    #[arg(long)]
    flip: bool,

    /// Where files and ranks are named
    #[arg(long, value_enum, default_value_t)]
    coordinates: CoordinatesArgument,

    /// The colours of board and pieces
    #[arg(long, value_enum, default_value_t)]
    theme: ThemeArgument,

    /// The width and height in pixels [default: as large as the place it is put in]
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(1..=100_000))]
    size: Option<u32>,

    /// The title, for screen readers and the tooltip
    #[arg(long)]
    title: Option<String>,

    /// Write to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum CoordinatesArgument {
    /// Nowhere
    Off,
    /// In the corners of the squares at the edge
    #[default]
    Inside,
    /// In a frame around the board
    Margin,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum ThemeArgument {
    /// Warm wood, for light pages
    #[default]
    Light,
    /// Cool slate, for dark pages
    Dark,
    /// Greys, for paper
    Print,
}

impl DrawSvg {
    /// Draws the diagram.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let diagram = self.diagram()?;
        if let Some(path) = &self.out {
            let mut file = NewFile::create(path, &[])?;
            writeln!(file, "{diagram}")?;
            file.finish()?;
        } else {
            writeln!(out, "{diagram}")?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn diagram(&self) -> Result<Diagram> {
        let fen = if self.fen.is_empty() { START_FEN.to_owned() } else { self.fen.join(" ") };
        let mut position = self.reading.read_and_note(&fen)?;
        let mut last_move = None;
        for text in &self.moves {
            let mv = san::parse_lenient(&position, text).context("bad move")?;
            position.play(mv)?;
            last_move = Some(mv);
        }
        let mut diagram =
            if self.no_pieces { Diagram::of_board(&Board::empty()) } else { Diagram::new(&position) };
        if let Some(mv) = last_move {
            diagram = diagram.last_move(mv);
        }
        for text in &self.sets {
            let (paint, text) = painted(text, Paint::GREEN)?;
            diagram = diagram.highlight(read_set(text, &position)?, paint.with_opacity(FILL_OPACITY));
        }
        for text in &self.attacks {
            let (paint, text) = painted(text, Paint::RED)?;
            let square = square(text)?;
            let piece =
                position.piece_at(square).with_context(|| format!("bad attacks: {square} is empty"))?;
            let attacks = ferz_board::attacks::of(piece, square, position.occupied());
            diagram = diagram.highlight(attacks, paint.with_opacity(FILL_OPACITY));
        }
        for text in &self.circles {
            let (paint, text) = painted(text, Paint::BLUE)?;
            diagram = diagram.circle(square(text)?, paint);
        }
        for text in &self.arrows {
            let (paint, squares) = painted(text, Paint::GREEN)?;
            let Some((from, to)) = squares.split_at_checked(2) else {
                bail!("bad arrow {squares:?}: two squares such as e2e4 are expected")
            };
            diagram = diagram.arrow(square(from)?, square(to)?, paint);
        }
        if let Some(layout) = self.bits {
            diagram = Square::ALL
                .into_iter()
                .fold(diagram, |diagram, square| diagram.label(square, layout.bit(square).to_string()));
        }
        if let Some(title) = &self.title {
            diagram = diagram.title(title);
        }
        if let Some(size) = self.size {
            diagram = diagram.size(size);
        }
        Ok(self.styled(diagram))
    }

    fn styled(&self, diagram: Diagram) -> Diagram {
        let coordinates = match self.coordinates {
            CoordinatesArgument::Off => Coordinates::Off,
            CoordinatesArgument::Inside => Coordinates::Inside,
            CoordinatesArgument::Margin => Coordinates::Margin,
        };
        let theme = match self.theme {
            ThemeArgument::Light => Theme::LIGHT,
            ThemeArgument::Dark => Theme::DARK,
            ThemeArgument::Print => Theme::PRINT,
        };
        let bottom = if self.flip { Color::Black } else { Color::White };
        diagram.coordinates(coordinates).theme(theme).orientation(bottom)
    }
}

/// Splits off the colour in front of a value. Bitboards have no colon.
fn painted(text: &str, default: Paint) -> Result<(Paint, &str)> {
    match text.split_once(':') {
        Some((paint, rest)) => {
            let paint = paint.parse().map_err(|error| anyhow!("bad colour {paint:?}: {error}"))?;
            Ok((paint, rest.trim()))
        }
        None => Ok((default, text.trim())),
    }
}

fn read_set(text: &str, position: &Position) -> Result<Bitboard> {
    bitboards::read(text, Context { position: Some(position), layout: Layout::Lerf }).context("bad set")
}

fn square(text: &str) -> Result<Square> {
    text.parse().map_err(|error| anyhow!("bad square {text:?}: {error}"))
}
