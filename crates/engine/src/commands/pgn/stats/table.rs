//! The report as text.

use std::io::{self, Write};

use super::counts::Summary;
use super::openings::OpeningLine;
use super::report::StatsReport;
use crate::terminal::visible;

/// The longest bar of a histogram.
const BAR: u64 = 40;
/// Columns for names and moves.
const NAME: usize = 32;

/// Prints the report.
pub(super) fn write(report: &StatsReport, out: &mut impl Write) -> io::Result<()> {
    write_games(report, out)?;
    write_summary("half-moves", "games", report.length.as_ref(), out)?;
    write_summary("Elo", "ratings", report.elo.as_ref(), out)?;
    write_summary("year", "dates", report.years.as_ref(), out)?;
    if let (Some(first), Some(last)) = (&report.first_date, &report.last_date) {
        writeln!(out, "  {first} to {last}")?;
    }
    if !report.players.is_empty() {
        writeln!(out, "\nplayers       {}", report.player_count)?;
        for player in &report.players {
            write_line(0, &player.name, player.games, player.score, out)?;
        }
    }
    if !report.eco.is_empty() {
        writeln!(out, "\nECO")?;
        for line in &report.eco {
            write_line(0, &line.code, line.games, None, out)?;
        }
    }
    if !report.openings.is_empty() {
        writeln!(out, "\nopenings{:>31}{:>9}", "games", "White")?;
        write_openings(&report.openings, 0, out)?;
    }
    Ok(())
}

fn write_games(report: &StatsReport, out: &mut impl Write) -> io::Result<()> {
    let StatsReport { games, results, remarks, .. } = report;
    writeln!(out, "games         {games}")?;
    if report.from_position > 0 {
        writeln!(out, "  from their own start position {}", report.from_position)?;
    }
    if report.problems > 0 {
        writeln!(out, "  broken {}, with {} problems", report.broken_games, report.problems)?;
    }
    let parts =
        [("1-0", results.white), ("1/2-1/2", results.draw), ("0-1", results.black), ("*", results.unknown)];
    for (name, count) in parts {
        writeln!(out, "  {name:<8} {count:>9} {:>6.1} %", percent(count, *games))?;
    }
    if let Some(score) = report.score {
        writeln!(out, "  White's score {score:>11.1} %")?;
    }
    writeln!(out, "comments      {}", remarks.comments)?;
    writeln!(out, "variations    {}", remarks.variations)?;
    writeln!(out, "NAGs          {}", remarks.nags)
}

fn write_summary(label: &str, unit: &str, summary: Option<&Summary>, out: &mut impl Write) -> io::Result<()> {
    let Some(Summary { count, min, max, mean, median, bar_width, histogram }) = summary else {
        return Ok(());
    };
    writeln!(out, "\n{label:<13} {min} to {max}, mean {mean:.1}, median {median} ({count} {unit})")?;
    let highest = histogram.iter().map(|bar| bar.count).max().unwrap_or(1);
    for bar in histogram {
        let range = format!("{}-{}", bar.from, bar.from.saturating_add(bar_width - 1));
        // Rounded up, so that small counts are visible.
        let len = (bar.count * BAR).div_ceil(highest) as usize;
        writeln!(out, "  {range:<11} {:>9} {}", bar.count, "#".repeat(len))?;
    }
    Ok(())
}

/// The recursion is as deep as the tree, which is limited.
fn write_openings(lines: &[OpeningLine], depth: usize, out: &mut impl Write) -> io::Result<()> {
    for line in lines {
        let number = if depth.is_multiple_of(2) { format!("{}. ", depth / 2 + 1) } else { "... ".to_owned() };
        write_line(depth, &(number + &line.san), line.games, line.score, out)?;
        write_openings(&line.next, depth + 1, out)?;
    }
    Ok(())
}

fn write_line(
    depth: usize,
    name: &str,
    games: u64,
    score: Option<f64>,
    out: &mut impl Write,
) -> io::Result<()> {
    let name = format!("{:indent$}{}", "", visible(name.as_bytes()), indent = 2 * depth);
    write!(out, "  {name:<NAME$.NAME$} {games:>4}")?;
    match score {
        Some(score) => writeln!(out, " {score:>6.1} %"),
        None => writeln!(out),
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
