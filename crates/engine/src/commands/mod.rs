//! The commands of the toolbox, one module each.

mod analyse;
mod bench;
mod bitboard;
mod book;
mod data;
mod datagen;
mod documents;
mod epd;
mod explain;
mod explore;
mod library;
mod magic;
mod match_options;
mod matches;
mod perft;
mod pgn;
mod position;
mod puzzles;
mod search_options;
mod serve;
mod svg;
mod tb;
#[cfg(feature = "tune")]
mod tune;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;

/// The commands other than `uci`.
#[derive(Subcommand)]
pub(crate) enum Tool {
    Bench(bench::Bench),
    Perft(perft::Perft),
    Position(position::ShowPosition),
    #[command(subcommand)]
    Pgn(pgn::Pgn),
    Epd(epd::ReadPositions),
    #[command(subcommand)]
    Book(book::BookCommand),
    Analyse(analyse::Analyse),
    Explain(explain::Explain),
    Puzzles(puzzles::Puzzles),
    Explore(explore::Explore),
    Tb(tb::LookUp),
    Bitboard(bitboard::DrawBitboard),
    Magic(magic::FindMagic),
    Svg(svg::DrawSvg),
    Serve(serve::Serve),
    #[command(subcommand)]
    Library(library::LibraryCommand),
    Match(matches::Match),
    #[cfg(feature = "tune")]
    #[command(subcommand)]
    Tune(tune::Tune),
    Datagen(datagen::Datagen),
    #[command(subcommand)]
    Data(data::Data),
    Completions(documents::Completions),
    Man(documents::ManPages),
}

impl Tool {
    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        match self {
            Tool::Bench(bench) => bench.run(out),
            Tool::Perft(perft) => perft.run(out),
            Tool::Position(position) => position.run(out),
            Tool::Pgn(pgn) => pgn.run(out),
            Tool::Epd(positions) => positions.run(out),
            Tool::Book(book) => book.run(out),
            Tool::Analyse(analyse) => analyse.run(out),
            Tool::Explain(explain) => explain.run(out),
            Tool::Puzzles(puzzles) => puzzles.run(out),
            Tool::Explore(explore) => explore.run(out),
            Tool::Tb(tables) => tables.run(out),
            Tool::Bitboard(bitboard) => bitboard.run(out),
            Tool::Magic(magic) => magic.run(out),
            Tool::Svg(svg) => svg.run(out),
            Tool::Serve(serve) => serve.run(out),
            Tool::Library(library) => library.run(out),
            Tool::Match(game) => game.run(out),
            #[cfg(feature = "tune")]
            Tool::Tune(tune) => tune.run(out),
            Tool::Datagen(datagen) => datagen.run(out),
            Tool::Data(data) => data.run(out),
            Tool::Completions(completions) => completions.run(out),
            Tool::Man(pages) => pages.run(),
        }
    }
}
