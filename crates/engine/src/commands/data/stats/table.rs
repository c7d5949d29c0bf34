//! The statistics as text.

use std::fmt::Display;
use std::io::{self, Write};

use ferz_board::Color;

use super::collect::{Collection, DECISIVE_SCORE, LENGTH_STEP, SCORE_BUCKETS, score_range};
use crate::terminal::visible;
use ferz_selfplay::data::GameEnding;
use ferz_selfplay::data::header::Header;

/// The longest bar of a histogram.
const BAR: u64 = 40;

/// Prints the statistics.
pub(super) fn write(header: &Header, all: &Collection, size: u64, out: &mut impl Write) -> io::Result<()> {
    for origin in &header.origins {
        let note = visible(origin.note.as_bytes());
        if origin.is_imported() {
            let note = if note.is_empty() { note } else { format!(" ({note})") };
            writeln!(out, "origin        {}{note}", visible(origin.engine.as_bytes()))?;
            continue;
        }
        writeln!(
            out,
            "origin        {} (bench {}{}{note}), seed {}, {} nodes, {} MiB, {} % Chess960, openings up to {} cp, won at {} cp",
            visible(origin.engine.as_bytes()),
            origin.bench,
            if note.is_empty() { "" } else { ", " },
            origin.seed,
            origin.nodes,
            origin.hash,
            origin.chess960,
            origin.opening_score,
            origin.win_score,
        )?;
    }
    let per_position = size as f64 / all.positions.max(1) as f64;
    writeln!(out, "size          {size} bytes, {per_position:.2} per position")?;
    writeln!(out, "games         {}, {} with Chess960 castling", all.games, all.chess960)?;
    for (name, count) in ["1-0", "1/2-1/2", "0-1"].into_iter().zip(all.results.0) {
        write_line(&name, count, all.games, out)?;
    }
    writeln!(out, "endings")?;
    for ending in GameEnding::ALL {
        write_line(&ending, all.endings[ending as usize], all.games, out)?;
    }
    let mean = all.positions as f64 / all.games.max(1) as f64;
    writeln!(out, "plies         mean {mean:.1}, longest {}", all.longest)?;
    write_bars(
        all.by_length.iter().enumerate().map(|(step, &count)| {
            (format!("{}-{}", step * LENGTH_STEP, (step + 1) * LENGTH_STEP - 1), count)
        }),
        out,
    )?;

    writeln!(out, "\npositions     {}", all.positions)?;
    write_line(&"in check", all.in_check, all.positions, out)?;
    write_line(&"tactical move", all.tactical, all.positions, out)?;
    let (share, is_estimate) = all.duplicates.share();
    let about = if is_estimate { "about " } else { "" };
    writeln!(out, "  {:<22} {:>14}{:>6.2} %", "repeated", about, 100.0 * share)?;
    writeln!(
        out,
        "\nscore         {:>12} {:>10} {:>7} {:>7} {:>7}",
        "", "positions", "won", "drawn", "lost"
    )?;
    for bucket in 0..SCORE_BUCKETS {
        let results = all.by_score[bucket];
        let total = results.total();
        write!(out, "  {:<24} {total:>10}", score_range(bucket))?;
        for count in results.0 {
            write!(out, " {:>5.1} %", percent(count, total))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "agreement")?;
    write_line(&format!("winner right, score >= {DECISIVE_SCORE}"), all.decisive.1, all.decisive.0, out)?;
    for color in Color::ALL {
        if let Some(value) = all.correlation[color.index()].value() {
            writeln!(out, "  correlation, {color:<9} {value:>12.3}")?;
        }
    }
    writeln!(out, "\npieces")?;
    write_bars((2..33).map(|count| (count.to_string(), all.by_pieces[count])), out)?;
    writeln!(out, "\nphase (24 is the opening)")?;
    write_bars(all.by_phase.iter().enumerate().map(|(phase, &count)| (phase.to_string(), count)), out)?;
    writeln!(out, "\n{} games {} positions", all.games, all.positions)
}

fn write_line(name: &impl Display, count: u64, total: u64, out: &mut impl Write) -> io::Result<()> {
    let name = name.to_string();
    writeln!(out, "  {name:<24} {count:>10} {:>6.1} %", percent(count, total))
}

fn write_bars(bars: impl Iterator<Item = (String, u64)> + Clone, out: &mut impl Write) -> io::Result<()> {
    let highest = bars.clone().map(|(_, count)| count).max().unwrap_or(0).max(1);
    for (name, count) in bars {
        // Rounded up, so that small counts are visible.
        let length = (count * BAR).div_ceil(highest) as usize;
        writeln!(out, "{}", format!("  {name:<9} {count:>10} {}", "#".repeat(length)).trim_end())?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
