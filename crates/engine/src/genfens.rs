//! `genfens`: the openings from which OpenBench starts the games of a data workload.
//!
//! Not a command of the toolbox: OpenBench passes the whole line as one argument, as in
//! `ferz "genfens 8 seed 1 book None" quit`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use ferz_board::Position;
use ferz_eval::Network;
use ferz_notation::epd::Epd;
use ferz_search::with_search_stack;
use ferz_selfplay::datagen::random::SplitMix64;
use ferz_selfplay::datagen::{OpeningRules, Openings};

use crate::input;

const USAGE: &str =
    "usage: ferz \"genfens N seed S book FILE|None [plies N] [nodes N] [opening-score CP]\" quit";
/// The size of the transposition table of each side, in MiB, as in `ferz datagen`.
const HASH: usize = 2;
/// The random moves after a position of a book, which is an opening already; or one more.
const PLIES_AFTER_BOOK: u64 = 2;
/// The longest book, in bytes.
const MAX_BOOK: u64 = 1 << 30;
/// If this many lines of a book in a row give no opening, no line is likely to.
const MAX_LINES_TRIED: u64 = 100;

/// The words after `genfens`.
#[derive(Debug, PartialEq, Eq)]
struct Genfens<'a> {
    count: u64,
    seed: u64,
    /// `None` is the start position.
    book: Option<&'a str>,
    rules: OpeningRules,
}

/// Answers `genfens` if the arguments are that command; the first is the name of the program.
pub(crate) fn answer(args: impl Iterator<Item = std::ffi::OsString>) -> Option<Result<ExitCode>> {
    let args: Vec<_> = args.skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let line = args.join(" ");
    let mut words = line.split_whitespace();
    (words.next() == Some("genfens")).then(|| {
        let genfens = Genfens::parse(words).map_err(|error| anyhow!("genfens: {error}\n{USAGE}"))?;
        with_search_stack(|| genfens.print(&mut io::stdout().lock())).context("genfens")
    })
}

impl<'a> Genfens<'a> {
    fn parse(mut words: impl Iterator<Item = &'a str>) -> Result<Genfens<'a>> {
        let count = number("N", words.next(), 0..=u64::MAX)?;
        let (mut seed, mut book, mut plies) = (None, None, None);
        let mut rules = OpeningRules { plies: 0, max_score: 400, nodes: 2000, chess960: 0 };
        while let Some(word) = words.next() {
            match word {
                "seed" => seed = Some(number(word, words.next(), 0..=u64::MAX)?),
                "book" => book = Some(words.next().context("expected a file or None after book")?),
                "plies" => plies = Some(number(word, words.next(), 0..=100)?),
                // Half a second or so for an opening: OpenBench waits for 15.
                "nodes" => rules.nodes = number(word, words.next(), 1..=100_000)?,
                "opening-score" => rules.max_score = number(word, words.next(), 1..=29_999)? as u16,
                "quit" => break,
                _ => bail!("unknown word '{word}'"),
            }
        }
        let seed = seed.context("the seed is missing")?;
        let book = book.context("the book is missing")?;
        let book = Some(book).filter(|book| !book.eq_ignore_ascii_case("none"));
        rules.plies = plies.unwrap_or(match book {
            Some(_) => PLIES_AFTER_BOOK,
            None => OpeningRules::DEFAULT_PLIES,
        });
        Ok(Genfens { count, seed, book, rules })
    }

    fn print(&self, out: &mut impl Write) -> Result<ExitCode> {
        let book = self.book.map(|file| EpdBook::read(Path::new(file))).transpose()?;
        let mut openings = Openings::new(self.rules, self.seed, HASH, Some(&Network::embedded()))?;
        for number in 0..self.count {
            let opening = match &book {
                Some(book) => self.after_book(book, &mut openings, number)?,
                None => openings.of_game(number).context("a search has failed")?,
            };
            writeln!(out, "info string genfens {opening}")?;
            // OpenBench gives up if no line comes for 15 seconds.
            out.flush()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn after_book(&self, book: &EpdBook, openings: &mut Openings, number: u64) -> Result<Position> {
        // Not the numbers of the random moves.
        let mut random = SplitMix64::for_number(!self.seed, number);
        for _ in 0..MAX_LINES_TRIED {
            if let Some(opening) = openings.from_position(&book.choose(&mut random)?, number) {
                return Ok(opening);
            }
        }
        bail!("{}: no opening within {} centipawns was found", book.name, self.rules.max_score)
    }
}

fn number(name: &str, word: Option<&str>, range: RangeInclusive<u64>) -> Result<u64> {
    let number = word.and_then(|word| word.parse().ok()).filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let found = word.map_or("nothing".to_owned(), |word| format!("'{word}'"));
        anyhow!("{name}: expected a number from {} to {}, found {found}", range.start(), range.end())
    })
}

/// A book with a FEN or EPD on every line.
struct EpdBook {
    name: String,
    text: String,
    /// Where the lines with positions begin and end in the text, and their numbers.
    lines: Vec<(usize, usize, u32)>,
}

impl EpdBook {
    fn read(path: &Path) -> Result<EpdBook> {
        let name = input::name(path);
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(MAX_BOOK + 1).read_to_string(&mut text));
        let length = read.with_context(|| name.clone())?;
        ensure!(length as u64 <= MAX_BOOK, "{name}: the book is longer than {MAX_BOOK} bytes");
        let mut start = 0;
        let lines = (1..).zip(text.split_inclusive('\n')).filter_map(|(number, line)| {
            let range = (start, start + line.len(), number);
            start += line.len();
            (!line.trim().is_empty() && !line.starts_with('#')).then_some(range)
        });
        let lines: Vec<_> = lines.collect();
        ensure!(!lines.is_empty(), "{name}: the book has no positions");
        Ok(EpdBook { name, text, lines })
    }

    fn choose(&self, random: &mut SplitMix64) -> Result<Position> {
        let (start, end, number) = random.choice(&self.lines).context("the book has no positions")?;
        let epd = Epd::parse(self.text[start..end].trim());
        let epd = epd.with_context(|| format!("{}: line {number} is not a position", self.name))?;
        Ok(*epd.position())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Genfens<'_>> {
        Genfens::parse(line.split_whitespace())
    }

    #[test]
    fn the_line_of_openbench_is_understood() {
        let plain = parse("64 seed 2147483647 book None ").unwrap();
        assert_eq!((plain.count, plain.seed, plain.book, plain.rules.plies), (64, 2_147_483_647, None, 8));
        let more = parse("1 seed 0 book Books/a.epd plies 3 nodes 50 opening-score 120 quit").unwrap();
        assert_eq!(more.book, Some("Books/a.epd"));
        assert_eq!(more.rules, OpeningRules { plies: 3, max_score: 120, nodes: 50, chess960: 0 });
        assert_eq!(parse("1 seed 0 book a.epd").unwrap().rules.plies, 2);
    }

    #[test]
    fn other_lines_are_explained() {
        for (line, expected) in [
            ("", "N: expected a number from 0 to 18446744073709551615, found nothing"),
            ("-1 seed 1 book None", "N: expected a number from 0 to 18446744073709551615, found '-1'"),
            ("1 book None", "the seed is missing"),
            ("1 seed 1", "the book is missing"),
            ("1 seed 1 book", "expected a file or None after book"),
            ("1 seed x book None", "seed: expected a number from 0 to 18446744073709551615, found 'x'"),
            ("1 seed 1 book None plies 101", "plies: expected a number from 0 to 100, found '101'"),
            ("1 seed 1 book None nodes 0", "nodes: expected a number from 1 to 100000, found '0'"),
            ("1 seed 1 book None fast", "unknown word 'fast'"),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), expected, "{line}");
        }
    }
}
