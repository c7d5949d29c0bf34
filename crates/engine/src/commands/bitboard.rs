//! `ferz bitboard`.

use std::io::{Read, Write};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use ferz_board::{Bitboard, File, Rank, Square};
use serde::Serialize;

use crate::bitboards::{self, Context, Layout, expression};
use crate::fen_argument::FenOptions;

/// No drawing or expression is longer.
const MAX_INPUT: u64 = 1 << 16;

/// Draw a bitboard: a number, a drawing or an expression
///
/// Prints the set of squares as a drawing, and as a number in hexadecimal, binary and decimal, ready for Rust, C and Python.
/// Drawings to be read (eight rows of `.` and `X`, `x` or `1`) may have names of ranks and files, and frames.
///
/// Without `--fen`, pieces are those of the start position, and a single piece (`rook e4`) attacks on an empty board.
#[derive(Args)]
#[command(after_long_help = expression::GRAMMAR)]
pub(crate) struct DrawBitboard {
    /// A number, a drawing or an expression such as `rank 4 & ~white`; `-` reads it from stdin
    #[arg(num_args = 1.., required = true, value_name = "BITBOARD")]
    text: Vec<String>,

    /// The position that expressions refer to
    #[arg(long)]
    fen: Option<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// The bits of the squares in the numbers that are printed
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    layout: Layout,

    /// The bits of the squares in the numbers that are read [default: that of `--layout`]
    #[arg(long, value_enum, ignore_case = true, value_name = "LAYOUT")]
    from: Option<Layout>,

    /// Draw the bit of each square, too
    #[arg(long, conflicts_with = "json")]
    bits: bool,

    /// Print the number in every layout, too
    #[arg(long, conflicts_with = "json")]
    all_layouts: bool,

    /// Print a JSON object: squares, layout, hex, binary, decimal, rust, c, python
    #[arg(long)]
    json: bool,
}

impl DrawBitboard {
    /// Evaluates the text and draws the set.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let position = self.fen.as_deref().map(|fen| self.reading.read_and_note(fen)).transpose()?;
        let text = self.input()?;
        let context = Context { position: position.as_ref(), layout: self.from.unwrap_or(self.layout) };
        let set = bitboards::read(&text, context).context("bad bitboard")?;
        let report = BitboardReport::new(set, self.layout);
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.bits {
            draw_bits(set, self.layout, out)?;
        } else {
            write!(out, "{set:#}")?;
        }
        writeln!(out)?;
        let mut line =
            |label: &str, value: &str| writeln!(out, "{}", format!("{label:<9} {value}").trim_end());
        line("squares", &format!("{}  {}", set.len(), report.squares.join(" ")))?;
        let [first, second] =
            [0, 1].map(|bit| self.layout.square(bit).map_or_else(String::new, |it| it.to_string()));
        line("layout", &format!("{} ({first} is bit 0, {second} is bit 1)", report.layout))?;
        line("hex", &report.hex)?;
        line("binary", &report.binary)?;
        line("decimal", &report.decimal)?;
        line("Rust", &report.rust)?;
        line("C", &report.c)?;
        line("Python", &report.python)?;
        if self.all_layouts {
            writeln!(out)?;
            for &layout in Layout::value_variants() {
                writeln!(out, "{:<9} 0x{:016x}", layout.name(), layout.number(set))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The text of the arguments or of stdin.
    fn input(&self) -> Result<String> {
        if self.text != ["-"] {
            return Ok(self.text.join(" "));
        }
        let mut text = String::new();
        std::io::stdin().lock().take(MAX_INPUT).read_to_string(&mut text).context("stdin")?;
        Ok(text)
    }
}

/// The set beside the bits of its squares.
fn draw_bits(set: Bitboard, layout: Layout, out: &mut impl Write) -> Result<()> {
    for rank in Rank::ALL.into_iter().rev() {
        let squares = File::ALL.map(|file| Square::from_coords(file, rank));
        let marks = squares.map(|square| if set.contains(square) { "X" } else { "." });
        let bits = squares.map(|square| format!("{:2}", layout.bit(square)));
        writeln!(out, "{rank}  {}     {}", marks.join(" "), bits.join(" "))?;
    }
    let files = File::ALL.map(|file| file.to_string());
    writeln!(out, "\n   {}      {}", files.join(" "), files.join("  "))?;
    Ok(())
}

#[derive(Serialize)]
struct BitboardReport {
    squares: Vec<String>,
    layout: String,
    hex: String,
    binary: String,
    decimal: String,
    rust: String,
    c: String,
    python: String,
}

impl BitboardReport {
    fn new(set: Bitboard, layout: Layout) -> BitboardReport {
        let number = layout.number(set);
        let hex = format!("0x{number:016x}");
        BitboardReport {
            squares: set.into_iter().map(|square| square.to_string()).collect(),
            layout: layout.name(),
            binary: format!("0b{}", grouped(&format!("{number:064b}"), 8)),
            decimal: number.to_string(),
            rust: format!("0x{}", grouped(&format!("{number:016x}"), 4)),
            c: format!("{hex}ULL"),
            python: hex.clone(),
            hex,
        }
    }
}

/// Digits with underscores between groups.
fn grouped(digits: &str, size: usize) -> String {
    let groups: Vec<_> = (0..digits.len()).step_by(size).map(|at| &digits[at..at + size]).collect();
    groups.join("_")
}

#[cfg(test)]
mod tests {
    use ferz_board::Position;

    use super::*;

    fn read(text: &str, layout: Layout) -> Bitboard {
        bitboards::read(text, Context { position: None, layout })
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn everything_that_is_printed_reads_back_in_every_layout() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut sets = vec![Bitboard::EMPTY, Bitboard::ALL, Bitboard::DARK];
        sets.extend((0..300).map(|_| Bitboard(random.u64(..) & random.u64(..))));
        for &layout in Layout::value_variants() {
            for &set in &sets {
                let report = BitboardReport::new(set, layout);
                let numbers =
                    [&report.hex, &report.binary, &report.decimal, &report.rust, &report.c, &report.python];
                for number in numbers {
                    assert_eq!(read(number, layout), set, "{number} {layout:?}");
                }
                let mut drawn = Vec::new();
                draw_bits(set, layout, &mut drawn).expect("vectors grow");
                let drawn = String::from_utf8(drawn).expect("UTF-8");
                // The bits stand to the right of the drawing.
                let marks: Vec<_> = drawn.lines().map(|line| line.get(..18).unwrap_or(line)).collect();
                assert_eq!(read(&marks.join("\n"), layout), set, "{drawn}");
                assert_eq!(read(&format!("{set:#}"), layout), set);
            }
        }
    }

    #[test]
    fn the_start_position_has_its_twelve_values() {
        for (text, number) in [
            ("white pawns", 0xff00),
            ("white knights", 0x42),
            ("white bishops", 0x24),
            ("white rooks", 0x81),
            ("white queens", 0x08),
            ("white king", 0x10),
            ("black pawns", 0x00ff_0000_0000_0000),
            ("black knights", 0x4200_0000_0000_0000),
            ("black bishops", 0x2400_0000_0000_0000),
            ("black rooks", 0x8100_0000_0000_0000),
            ("black queens", 0x0800_0000_0000_0000),
            ("black king", 0x1000_0000_0000_0000),
        ] {
            assert_eq!(read(text, Layout::Lerf), Bitboard(number), "{text}");
        }
        assert_eq!(read("occupied", Layout::Lerf), Position::start().occupied());
    }
}
