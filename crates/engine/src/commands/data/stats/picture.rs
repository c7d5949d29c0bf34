//! The statistics as an SVG picture.

use std::fmt::Write;

use super::collect::{Collection, LENGTH_STEP, SCORE_BUCKETS, score_range};

/// The size of a panel.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 46.0;
const WON: &str = "#2f7d4f";
const DRAWN: &str = "#b9bfc6";
const LOST: &str = "#b4483c";
const PLAIN: &str = "#41618c";

/// A stacked bar.
struct StackedBar {
    name: String,
    parts: Vec<(u64, &'static str)>,
}

impl StackedBar {
    fn plain(name: usize, count: u64) -> StackedBar {
        StackedBar { name: name.to_string(), parts: vec![(count, PLAIN)] }
    }

    fn total(&self) -> u64 {
        self.parts.iter().map(|part| part.0).sum()
    }
}

/// Draws five panels. The picture needs no other files.
pub(super) fn draw(all: &Collection) -> String {
    let by_score = |is_share: bool| -> Vec<StackedBar> {
        let bar = |bucket: usize| {
            let results = all.by_score[bucket];
            // Shares are in thousandths.
            let scale = |count: u64| if is_share { 1000 * count / results.total().max(1) } else { count };
            let parts = [LOST, DRAWN, WON].into_iter().zip(results.0.into_iter().rev());
            StackedBar {
                name: score_range(bucket),
                parts: parts.map(|(color, count)| (scale(count), color)).collect(),
            }
        };
        (0..SCORE_BUCKETS).map(bar).collect()
    };
    let lengths = all.by_length.iter().enumerate();
    let panels = [
        ("positions by score of the side to move: won, drawn, lost", by_score(false)),
        ("shares of won, drawn and lost by score", by_score(true)),
        (
            "positions by pieces",
            (2..33).map(|count| StackedBar::plain(count, all.by_pieces[count])).collect(),
        ),
        (
            "positions by phase (24 is the opening)",
            all.by_phase.iter().enumerate().map(|(phase, &count)| StackedBar::plain(phase, count)).collect(),
        ),
        (
            "games by length in plies",
            lengths.map(|(step, &count)| StackedBar::plain(step * LENGTH_STEP, count)).collect(),
        ),
    ];
    let (width, height) = (2.0 * WIDTH, 3.0 * HEIGHT + 30.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"22\" font-size=\"15\">{} games, {} positions</text>\n",
        all.games, all.positions
    );
    for (index, (title, bars)) in panels.iter().enumerate() {
        let (x, y) = ((index % 2) as f64 * WIDTH, 30.0 + (index / 2) as f64 * HEIGHT);
        draw_panel(title, bars, x, y, &mut svg);
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_panel(title: &str, bars: &[StackedBar], x: f64, y: f64, svg: &mut String) {
    let highest = bars.iter().map(StackedBar::total).max().unwrap_or(0).max(1) as f64;
    let step = (WIDTH - 1.5 * MARGIN) / bars.len().max(1) as f64;
    let floor = y + HEIGHT - 72.0;
    let full = floor - y - 30.0;
    // Writing into a string does not fail.
    let _ =
        writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\">{title}</text>", x + MARGIN, y + 18.0);
    // Labels that would overlap are omitted.
    let every = (14.0 / step).ceil().max(1.0) as usize;
    for (index, bar) in bars.iter().enumerate() {
        let left = x + MARGIN + index as f64 * step;
        let mut top = floor;
        for &(count, color) in &bar.parts {
            let height = full * count as f64 / highest;
            top -= height;
            let _ = writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{color}\">\
                 <title>{}: {count}</title></rect>",
                0.85 * step,
                bar.name
            );
        }
        if index % every == 0 {
            let (at, below) = (left + 0.4 * step, floor + 8.0);
            let _ = writeln!(
                svg,
                "<text transform=\"translate({at:.1} {below:.1}) rotate(-60)\" text-anchor=\"end\" \
                 font-size=\"9\">{}</text>",
                bar.name
            );
        }
    }
}
