//! `ferz book dump`.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum, value_parser};
use ferz_board::{Color, Move, Position};
use ferz_notation::san;

use super::records;
use crate::books::OpeningBook;
use crate::input;

/// Print all records of a book, or its lines as PGN
///
/// `text` and `json` print every record in the order of the file, one per line: the key of the position, the move as it
/// is stored (castling is e1h1), its weight and the learning note. `pgn` prints one game for each line of moves from the
/// start position, the heaviest move first. A line ends where the book ends or where it reaches a position of an earlier
/// line.
#[derive(Args)]
pub(crate) struct DumpBook {
    /// The book: a file, or `embedded`
    book: PathBuf,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = DumpFormat::Text)]
    format: DumpFormat,

    /// With `pgn`: the maximum length of a line in half-moves
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = value_parser!(u32).range(1..=1000))]
    plies: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    Text,
    Json,
    Pgn,
}

impl DumpBook {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        if self.format == DumpFormat::Pgn {
            self.write_lines(out)?;
            return Ok(ExitCode::SUCCESS);
        }
        for entry in records::all(&self.book)? {
            let entry = entry.with_context(|| input::name(&self.book))?;
            let (key, mv, weight, learn) = (entry.key, entry.mv, entry.weight, entry.learn);
            if self.format == DumpFormat::Text {
                writeln!(out, "{key:016x} {mv} {weight} {learn}")?;
            } else {
                writeln!(out, r#"{{"key":"{key:016x}","move":"{mv}","weight":{weight},"learn":{learn}}}"#)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn write_lines(&self, out: &mut impl Write) -> Result<()> {
        let mut book = OpeningBook::open(&self.book)?;
        let mut moves = |position: &Position| -> Result<Vec<Move>> {
            let moves = book.moves(position).with_context(|| input::name(&self.book))?;
            Ok(moves.iter().rev().map(|it| it.mv).collect())
        };
        let start = Position::start();
        let mut seen = HashSet::from([start.key()]);
        // The positions of the line, and the moves that are still to be followed in each.
        let mut line = vec![(start, moves(&start)?)];
        // The moves that lead to the positions after the first.
        let mut played: Vec<Move> = Vec::new();
        let mut is_new = false;
        while let Some((position, rest)) = line.last_mut() {
            let Some(mv) = rest.pop() else {
                line.pop();
                if std::mem::take(&mut is_new) {
                    write_line(&played, out)?;
                }
                played.pop();
                continue;
            };
            let mut after = *position;
            after.play_unchecked(mv);
            played.push(mv);
            is_new = true;
            let is_followed = seen.insert(after.key()) && line.len() < self.plies as usize;
            let next = if is_followed { moves(&after)? } else { Vec::new() };
            line.push((after, next));
        }
        Ok(())
    }
}

/// Writes a line as a game without tags.
fn write_line(moves: &[Move], out: &mut impl Write) -> Result<()> {
    let mut position = Position::start();
    for &mv in moves {
        if position.side_to_move() == Color::White {
            write!(out, "{}. ", position.fullmove_number())?;
        }
        write!(out, "{} ", san::San::new(&position, mv))?;
        position.play_unchecked(mv);
    }
    writeln!(out, "*\n")?;
    Ok(())
}
