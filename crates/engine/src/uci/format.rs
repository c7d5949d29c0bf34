//! The `info` and `bestmove` lines of a search.

use ferz_board::{CastlingMode, Move};
use ferz_search::{Bound, Conclusion, Line, Report, Score};

use crate::progress::per_second;

/// How the lines are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct InfoStyle {
    /// How castling moves are written.
    pub(super) castling: CastlingMode,
    /// Whether the WDL (win, draw, loss) probabilities are shown.
    pub(super) show_wdl: bool,
}

impl InfoStyle {
    /// The `info` line of a report.
    pub(super) fn report(&self, report: &Report) -> String {
        match report {
            Report::Line(line) => self.line(line),
            Report::CurrentMove { depth, mv, number } => {
                let mv = mv.uci(self.castling);
                format!("info depth {depth} currmove {mv} currmovenumber {number}")
            }
        }
    }

    /// The `info` line of a principal variation.
    pub(super) fn line(&self, line: &Line) -> String {
        let Line { depth, selective_depth, rank, nodes, hashfull, .. } = line;
        let score = uci_score(line.score);
        let bound = match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let wdl = match line.wdl {
            wdl if self.show_wdl => format!(" wdl {} {} {}", wdl.win, wdl.draw, wdl.loss),
            _ => String::new(),
        };
        let (nps, time) = (per_second(*nodes, line.time), line.time.as_millis());
        let mut text = format!(
            "info depth {depth} seldepth {selective_depth} multipv {rank} score {score}{bound}{wdl} nodes {nodes} \
             nps {nps} hashfull {hashfull} tbhits 0 time {time}"
        );
        if !line.moves.is_empty() {
            text += " pv";
        }
        for mv in &line.moves {
            text += &format!(" {}", mv.uci(self.castling));
        }
        text
    }

    /// `info depth 0 …`: a move that was not searched.
    pub(super) fn unsearched(&self, mv: Move, conclusion: &Conclusion) -> String {
        let (nodes, time) = (conclusion.nodes, conclusion.time.as_millis());
        format!("info depth 0 multipv 1 score cp 0 nodes {nodes} time {time} pv {}", mv.uci(self.castling))
    }

    /// The `bestmove` line.
    pub(super) fn best_move(&self, conclusion: &Conclusion) -> String {
        let text = |mv: Move| mv.uci(self.castling);
        match (conclusion.best, conclusion.ponder) {
            (Some(best), Some(ponder)) => format!("bestmove {} ponder {}", text(best), text(ponder)),
            (Some(best), None) => format!("bestmove {}", text(best)),
            (None, _) => "bestmove (none)".to_owned(),
        }
    }
}

/// A score in UCI notation: `cp 34`, `mate -3`.
pub(crate) fn uci_score(score: Score) -> String {
    match score {
        Score::Centipawns(value) => format!("cp {value}"),
        Score::Mate(moves) => format!("mate {moves}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ferz_board::Position;
    use ferz_search::{Cutoffs, Wdl};

    use super::*;

    fn castling() -> Move {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").expect("legal");
        position.parse_uci("e1g1").expect("legal")
    }

    fn line() -> Line {
        Line {
            depth: 7,
            selective_depth: 11,
            rank: 2,
            value: -34,
            score: Score::Centipawns(-34),
            bound: Bound::Exact,
            wdl: Wdl { win: 100, draw: 700, loss: 200 },
            nodes: 5000,
            hashfull: 3,
            cutoffs: Cutoffs::default(),
            time: Duration::from_millis(250),
            moves: vec![castling()],
        }
    }

    const PLAIN: InfoStyle = InfoStyle { castling: CastlingMode::Standard, show_wdl: false };

    #[test]
    fn lines_have_all_fields_in_their_order() {
        let expected = "info depth 7 seldepth 11 multipv 2 score cp -34 nodes 5000 nps 20000 hashfull 3 tbhits 0 \
                        time 250 pv e1g1";
        assert_eq!(PLAIN.line(&line()), expected);
        let style = InfoStyle { castling: CastlingMode::Chess960, show_wdl: true };
        let bounded = Line { bound: Bound::Lower, score: Score::Mate(3), ..line() };
        let text = style.report(&Report::Line(bounded));
        assert!(text.contains(" score mate 3 lowerbound wdl 100 700 200 nodes "), "{text}");
        assert!(text.ends_with(" pv e1h1"), "{text}");
        let upper = PLAIN.line(&Line { bound: Bound::Upper, moves: Vec::new(), ..line() });
        assert!(upper.contains(" score cp -34 upperbound nodes ") && upper.ends_with(" time 250"), "{upper}");
    }

    #[test]
    fn moves() {
        let current = Report::CurrentMove { depth: 9, mv: castling(), number: 4 };
        assert_eq!(PLAIN.report(&current), "info depth 9 currmove e1g1 currmovenumber 4");
        let mut conclusion = Conclusion { best: Some(castling()), ..Conclusion::default() };
        assert_eq!(PLAIN.best_move(&conclusion), "bestmove e1g1");
        conclusion.ponder = Some(castling());
        assert_eq!(PLAIN.best_move(&conclusion), "bestmove e1g1 ponder e1g1");
        assert_eq!(PLAIN.best_move(&Conclusion::default()), "bestmove (none)");
        assert_eq!(
            PLAIN.unsearched(castling(), &conclusion),
            "info depth 0 multipv 1 score cp 0 nodes 0 time 0 pv e1g1"
        );
    }
}
