//! `ferz magic`.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::{Args, ValueEnum, value_parser};
use ferz_board::attacks::Slider;
use ferz_board::attacks::magic::{self, Trial};
use ferz_board::{Bitboard, File, Rank, Square};

use crate::bitboards::{self, Context, Layout, expression};
use crate::fen_argument::FenOptions;
use crate::progress::ProgressLine;

/// Find a magic number for a rook or bishop, and show how it works
///
/// Tries sparse random numbers until one sends no two sets of blockers with different attacks to the same place of the
/// table. Shows the numbers tried, the collisions and the table, and computes the index for one set of occupied squares
/// step by step. With the default seed the numbers are those that Ferz uses.
#[derive(Args)]
#[command(
    after_long_help = expression::GRAMMAR,
    override_usage = "ferz magic <PIECE> <SQUARE> [OPTIONS]\n       ferz magic --all"
)]
pub(crate) struct FindMagic {
    /// The piece; the magic of a queen is that of both
    #[arg(value_enum, required_unless_present = "all")]
    piece: Option<SliderArgument>,

    /// The square it stands on
    #[arg(required_unless_present = "all")]
    square: Option<String>,

    /// The number of index bits: the table has 2^N places [default: the number of squares in the mask]
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=20))]
    bits: Option<u8>,

    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = magic::SEED)]
    seed: u64,

    /// Give up after N numbers
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    tries: u64,

    /// Check this number instead of looking for one; the exit code is 1 if it does not work
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["seed", "tries"])]
    number: Option<String>,

    /// The occupied squares of the example: a number, a drawing or an expression
    #[arg(long, value_name = "BITBOARD", default_value = "occupied")]
    occupied: String,

    /// The position that expressions refer to [default: the start position]
    #[arg(long)]
    fen: Option<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// Find the numbers of all squares and print them as Rust
    #[arg(long, conflicts_with_all = ["piece", "square", "bits", "number", "occupied", "fen"])]
    all: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SliderArgument {
    Rook,
    Bishop,
}

impl SliderArgument {
    fn slider(self) -> Slider {
        match self {
            SliderArgument::Rook => Slider::Rook,
            SliderArgument::Bishop => Slider::Bishop,
        }
    }
}

impl FindMagic {
    /// Finds the number and shows it.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let (Some(piece), Some(square)) = (self.piece, &self.square) else {
            return self.print_all(out);
        };
        let square = square.parse().map_err(|error| anyhow!("bad square {square:?}: {error}"))?;
        let problem = Problem::new(piece.slider(), square, self.bits)?;
        let position = self.fen.as_deref().map(|fen| self.reading.read_and_note(fen)).transpose()?;
        let context = Context { position: position.as_ref(), layout: Layout::Lerf };
        let occupied = bitboards::read(&self.occupied, context).context("bad --occupied")?;

        let multiplier = if let Some(number) = &self.number {
            let number = expression::evaluate(number, Context::default()).context("bad --number")?.0;
            problem.write(out)?;
            if !problem.check(number, out)? {
                return Ok(ExitCode::FAILURE);
            }
            number
        } else {
            let search = problem.search(self.seed, self.tries)?;
            problem.write(out)?;
            search.write(self.seed, &problem, out)?;
            search.multiplier
        };
        problem.write_example(multiplier, occupied, out)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Prints the source file of the numbers in use.
    fn print_all(&self, out: &mut impl Write) -> Result<ExitCode> {
        let names = [("ROOK_MAGICS", Slider::Rook), ("BISHOP_MAGICS", Slider::Bishop)];
        for (name, slider) in names {
            writeln!(out, "const {name}: [u64; 64] = [")?;
            for square in Square::ALL {
                let found = Problem::new(slider, square, None)?.search(self.seed, self.tries)?;
                writeln!(out, "    {},", literal(found.multiplier))?;
            }
            writeln!(out, "];")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A number as Rust writes it.
fn literal(number: u64) -> String {
    let [a, b, c, d] = [48, 32, 16, 0].map(|shift| number >> shift & 0xffff);
    format!("0x{a:04x}_{b:04x}_{c:04x}_{d:04x}")
}

/// A slider on a square and the size of its table.
struct Problem {
    slider: Slider,
    square: Square,
    mask: Bitboard,
    bits: u32,
    /// How many different attacks the blockers cause.
    attack_sets: usize,
}

impl Problem {
    fn new(slider: Slider, square: Square, bits: Option<u8>) -> Result<Problem> {
        let mask = slider.mask(square);
        let bits = bits.map_or(mask.len(), u32::from);
        let attacks: BTreeSet<_> = mask.subsets().map(|blockers| slider.walk(square, blockers)).collect();
        let attack_sets = attacks.len();
        ensure!(
            attack_sets <= 1 << bits,
            "{bits} bits are too few: {attack_sets} sets of attacks need at least {}",
            attack_sets.next_power_of_two().ilog2()
        );
        Ok(Problem { slider, square, mask, bits, attack_sets })
    }

    fn table(&self) -> Vec<Bitboard> {
        vec![Bitboard::EMPTY; 1 << self.bits]
    }

    /// How many sets of blockers there are.
    fn blocker_sets(&self) -> usize {
        1 << self.mask.len()
    }

    fn index(&self, multiplier: u64, blockers: Bitboard) -> u64 {
        blockers.0.wrapping_mul(multiplier) >> (64 - self.bits)
    }

    fn write(&self, out: &mut impl Write) -> Result<()> {
        let piece = match self.slider {
            Slider::Rook => "rook",
            Slider::Bishop => "bishop",
        };
        writeln!(out, "piece         {piece} on {}", self.square)?;
        writeln!(out, "mask          0x{:016x}, {} squares", self.mask, self.mask.len())?;
        writeln!(out, "blocker sets  {}, with {} different attacks", self.blocker_sets(), self.attack_sets)?;
        writeln!(out, "index         {} bits: the product is shifted by {}\n", self.bits, 64 - self.bits)?;
        Ok(())
    }

    /// Tries numbers until one works.
    fn search(&self, seed: u64, tries: u64) -> Result<Search> {
        let tried = AtomicU64::new(0);
        let look = || {
            let mut search = Search::default();
            let mut table = self.table();
            let limit = usize::try_from(tries).unwrap_or(usize::MAX);
            for multiplier in magic::candidates(self.slider, self.square, seed).take(limit) {
                search.tried += 1;
                tried.store(search.tried, Relaxed);
                if !magic::is_promising(self.mask, multiplier) {
                    search.skipped += 1;
                    continue;
                }
                match magic::try_multiplier(self.slider, self.square, multiplier, &mut table) {
                    Trial::Collision { earlier, later, placed } => {
                        search.collided += 1;
                        search.placed += placed as u64;
                        search.first_collision.get_or_insert((multiplier, earlier, later));
                    }
                    Trial::Works(used) => {
                        (search.multiplier, search.used) = (multiplier, used);
                        return Some(search);
                    }
                }
            }
            None
        };
        let found = ProgressLine::watch(|| format!("{} numbers tried", tried.load(Relaxed)), |_| look());
        found.with_context(|| {
            format!(
                "none of {tries} numbers works with {} bits; try more bits or a different seed",
                self.bits
            )
        })
    }

    /// Shows whether a number works.
    fn check(&self, multiplier: u64, out: &mut impl Write) -> Result<bool> {
        writeln!(out, "number        {}", literal(multiplier))?;
        let mut table = self.table();
        match magic::try_multiplier(self.slider, self.square, multiplier, &mut table) {
            Trial::Works(used) => {
                self.write_table(used, out)?;
                Ok(true)
            }
            Trial::Collision { earlier, later, placed } => {
                writeln!(out, "does not work: blocker set {} collides with an earlier one", placed + 1)?;
                self.write_collision(multiplier, earlier, later, out)?;
                Ok(false)
            }
        }
    }

    fn write_table(&self, used: usize, out: &mut impl Write) -> Result<()> {
        let places = 1_usize << self.bits;
        writeln!(out, "table         {places} places, {} bytes; {used} places are used", places * 8)?;
        let shared = self.blocker_sets() - used;
        writeln!(
            out,
            "sharing       {shared} blocker sets share a place with others that have the same attacks"
        )?;
        Ok(())
    }

    fn write_collision(
        &self,
        multiplier: u64,
        earlier: Bitboard,
        later: Bitboard,
        out: &mut impl Write,
    ) -> Result<()> {
        let index = self.index(multiplier, later);
        writeln!(out, "  number      {}", literal(multiplier))?;
        for blockers in [earlier, later] {
            let attacks = self.slider.walk(self.square, blockers);
            writeln!(out, "  blockers    0x{blockers:016x} have index {index} and attacks 0x{attacks:016x}")?;
        }
        Ok(())
    }

    /// Computes the index of one set of occupied squares.
    fn write_example(&self, multiplier: u64, occupied: Bitboard, out: &mut impl Write) -> Result<()> {
        let blockers = occupied & self.mask;
        let product = blockers.0.wrapping_mul(multiplier);
        let attacks = self.slider.walk(self.square, occupied);
        writeln!(out, "\noccupied      0x{occupied:016x}")?;
        writeln!(out, "  & mask      0x{blockers:016x}")?;
        writeln!(out, "  * magic     0x{product:016x}")?;
        writeln!(out, "  >> {:<8} index {}", 64 - self.bits, self.index(multiplier, blockers))?;
        writeln!(out, "attacks       0x{attacks:016x}\n")?;
        draw_in_a_row(&[("mask", self.mask), ("blockers", blockers), ("attacks", attacks)], out)
    }
}

/// Sets side by side, with names of ranks and files.
fn draw_in_a_row(sets: &[(&str, Bitboard)], out: &mut impl Write) -> Result<()> {
    let mut row = |cells: Vec<String>| writeln!(out, "{}", cells.join("    ").trim_end());
    row(sets.iter().map(|(name, _)| format!("   {name:<15}")).collect())?;
    for rank in Rank::ALL.into_iter().rev() {
        let draw = |set: Bitboard| {
            let mark = |file| if set.contains(Square::from_coords(file, rank)) { "X" } else { "." };
            format!("{rank}  {}", File::ALL.map(mark).join(" "))
        };
        row(sets.iter().map(|&(_, set)| draw(set)).collect())?;
    }
    row(sets.iter().map(|_| format!("   {}", File::ALL.map(|file| file.to_string()).join(" "))).collect())?;
    Ok(())
}

/// What a search met.
#[derive(Default)]
struct Search {
    multiplier: u64,
    /// Places of the table.
    used: usize,
    tried: u64,
    skipped: u64,
    collided: u64,
    /// Blocker sets that had found a place, in all collisions together.
    placed: u64,
    first_collision: Option<(u64, Bitboard, Bitboard)>,
}

impl Search {
    fn write(&self, seed: u64, problem: &Problem, out: &mut impl Write) -> Result<()> {
        writeln!(out, "tried         {} numbers with seed {seed}", self.tried)?;
        writeln!(out, "  skipped     {} for few bits at the top of mask * number", self.skipped)?;
        let average = self.placed as f64 / self.collided.max(1) as f64;
        writeln!(out, "  collided    {}, after {average:.1} blocker sets on average", self.collided)?;
        if let Some((multiplier, earlier, later)) = self.first_collision {
            writeln!(out, "the first collision")?;
            problem.write_collision(multiplier, earlier, later, out)?;
        }
        writeln!(out, "\nmagic         {}", literal(self.multiplier))?;
        problem.write_table(self.used, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every blocker set finds its attacks in the table of a found number.
    fn is_verified(problem: &Problem, multiplier: u64) {
        let mut table = problem.table();
        assert!(matches!(
            magic::try_multiplier(problem.slider, problem.square, multiplier, &mut table),
            Trial::Works(_)
        ));
        for blockers in problem.mask.subsets() {
            let index = problem.index(multiplier, blockers) as usize;
            assert_eq!(table[index], problem.slider.walk(problem.square, blockers), "{}", problem.square);
        }
    }

    #[test]
    fn found_numbers_agree_with_the_walk() {
        for square in [Square::A1, Square::E4, Square::H8, Square::B7] {
            for seed in [1, 2, magic::SEED] {
                let problem = Problem::new(Slider::Bishop, square, None).expect("enough bits");
                is_verified(&problem, problem.search(seed, 10_000_000).expect("found").multiplier);
            }
        }
        // A larger table makes the search shorter.
        let problem = Problem::new(Slider::Rook, Square::E4, Some(14)).expect("enough bits");
        is_verified(&problem, problem.search(3, 10_000_000).expect("found").multiplier);
    }

    #[test]
    fn the_default_seed_finds_the_numbers_in_use() {
        for square in Square::ALL {
            for (slider, lookup) in
                [(Slider::Rook, magic::rook(square)), (Slider::Bishop, magic::bishop(square))]
            {
                let problem = Problem::new(slider, square, None).expect("enough bits");
                let found = problem.search(magic::SEED, 100_000_000).expect("found");
                assert_eq!(found.multiplier, lookup.multiplier, "{slider:?} {square}");
                assert_eq!(found.tried, found.skipped + found.collided + 1);
            }
        }
    }

    #[test]
    fn collisions_are_real() {
        let problem = Problem::new(Slider::Rook, Square::A1, None).expect("enough bits");
        let mut table = problem.table();
        let mut collisions = 0;
        for multiplier in magic::candidates(Slider::Rook, Square::A1, 9).take(2_000) {
            if let Trial::Collision { earlier, later, placed } =
                magic::try_multiplier(Slider::Rook, Square::A1, multiplier, &mut table)
            {
                collisions += 1;
                assert_eq!(problem.index(multiplier, earlier), problem.index(multiplier, later));
                let attacks = [earlier, later].map(|blockers| Slider::Rook.walk(Square::A1, blockers));
                assert_ne!(attacks[0], attacks[1]);
                assert_eq!(problem.mask.subsets().nth(placed), Some(later));
            }
        }
        assert!(collisions > 10, "{collisions}");
    }

    #[test]
    fn too_few_bits_are_refused() {
        let error = Problem::new(Slider::Bishop, Square::A1, Some(2)).err().expect("too few").to_string();
        assert_eq!(error, "2 bits are too few: 7 sets of attacks need at least 3");
    }
}
