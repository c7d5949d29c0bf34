//! Analysing a position.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::Result;
use ferz_board::{Game, Outcome, Position};
use ferz_notation::{line, openings};
use ferz_search::{Conclusion, Line, Report, SearchOptions, Signals};
use serde::Serialize;

use crate::commands::search_options::SearchArguments;
use crate::progress::ProgressLine;
use crate::tables;
use ferz_coach::review::{Assessment, AssessmentReport, OpeningReport};

/// Searches a position and prints its best lines.
pub(super) fn analyse(
    position: &Position,
    lines: usize,
    json: bool,
    search: &SearchArguments,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let conclusion = conclude(position, lines, search)?;
    if json {
        let report = AnalysisReport::new(position, &conclusion);
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{position}")?;
    if let Some(opening) = openings::lookup(position) {
        writeln!(out, "{} {}", opening.eco, opening.name)?;
    }
    if let Some(outcome) = position.outcome() {
        writeln!(out, "The game is over: {outcome}")?;
    }
    for line in &conclusion.lines {
        writeln!(out, "{}", row(position, line))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn conclude(position: &Position, lines: usize, search: &SearchArguments) -> Result<Conclusion> {
    if position.outcome().is_some() {
        return Ok(Conclusion::default());
    }
    let mut engine = search.engine()?;
    let (limits, options) = (search.limits(super::DEFAULT_TIME), SearchOptions::default().lines(lines));
    let latest = Mutex::new(String::new());
    let show = || latest.lock().map(|text| text.clone()).unwrap_or_default();
    let conclusion = ProgressLine::watch(show, |_| {
        let game = Game::new(*position);
        let report = &mut |report: &Report| {
            if let (Report::Line(line), Ok(mut latest)) = (report, latest.lock()) {
                *latest = row(position, line);
            }
        };
        engine.search(&game, &limits, &options, &Signals::new(), report)
    });
    tables::note_problems(&engine);
    Ok(conclusion)
}

/// `1.  +0.34  win 21 %  draw 71 %  loss 8 %  depth 14  1. e4 e5`
fn row(position: &Position, line: &Line) -> String {
    let assessment = Assessment::of_line(line, position.side_to_move());
    let [win, draw, loss] =
        <[u16; 3]>::from(assessment.wdl).map(|thousandths| (f64::from(thousandths) / 10.0).round());
    format!(
        "{}.  {:>6}  win {} %  draw {} %  loss {} %  depth {}  {}",
        line.rank,
        assessment.to_string(),
        win,
        draw,
        loss,
        line.depth,
        line::numbered(position, &line.moves),
    )
}

#[derive(Serialize)]
struct AnalysisReport {
    fen: String,
    opening: Option<OpeningReport>,
    outcome: Option<&'static str>,
    nodes: u64,
    time_ms: u128,
    lines: Vec<LineReport>,
}

#[derive(Serialize)]
struct LineReport {
    #[serde(flatten)]
    assessment: AssessmentReport,
    san: Vec<String>,
    uci: Vec<String>,
}

impl AnalysisReport {
    fn new(position: &Position, conclusion: &Conclusion) -> AnalysisReport {
        AnalysisReport {
            fen: position.to_string(),
            opening: openings::lookup(position).map(OpeningReport::from),
            outcome: position.outcome().map(Outcome::result),
            nodes: conclusion.nodes,
            time_ms: conclusion.time.as_millis(),
            lines: conclusion.lines.iter().map(|line| LineReport::new(position, line)).collect(),
        }
    }
}

impl LineReport {
    fn new(position: &Position, line: &Line) -> LineReport {
        LineReport {
            assessment: Assessment::of_line(line, position.side_to_move()).into(),
            san: line::san(position, &line.moves),
            uci: line::uci(position, &line.moves),
        }
    }
}
