//! The `info` and `bestmove` lines of a search.

use ferz_board::{CastlingMode, Move};
use ferz_search::{Bound, Conclusion, Line, Report};

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
    /// The `info` line of a report; `None` if UCI has none for it.
    pub(super) fn report(&self, report: &Report) -> Option<String> {
        match report {
            Report::Line(line) => Some(self.line(line)),
            Report::CurrentMove { depth, mv, number } => {
                let mv = mv.uci(self.castling);
                Some(format!("info depth {depth} currmove {mv} currmovenumber {number}"))
            }
            _ => None,
        }
    }

    /// The `info` line of a principal variation.
    pub(super) fn line(&self, line: &Line) -> String {
        let Line { depth, selective_depth, rank, nodes, hashfull, tablebase_hits, .. } = line;
        let score = line.score;
        let bound = match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let wdl = match line.wdl {
            wdl if self.show_wdl => format!(" wdl {wdl}"),
            _ => String::new(),
        };
        let (nps, time) = (per_second(*nodes, line.time), line.time.as_millis());
        let mut text = format!(
            "info depth {depth} seldepth {selective_depth} multipv {rank} score {score}{bound}{wdl} nodes {nodes} \
             nps {nps} hashfull {hashfull} tbhits {tablebase_hits} time {time}"
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ferz_board::{Game, Position};
    use ferz_search::{Engine, Limits, Score, SearchOptions, Signals, Wdl};

    use super::*;

    fn castling() -> Move {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").expect("legal");
        position.parse_uci("e1g1").expect("legal")
    }

    fn line() -> Line {
        let mut engine = Engine::new(1).expect("memory for 1 MiB");
        let (limits, options) = (Limits::default().depth(1), SearchOptions::default());
        let found = engine.search(&Game::default(), &limits, &options, &Signals::new(), &mut |_| {});
        let mut line = found.lines[0].clone();
        line.depth = 7;
        line.selective_depth = 11;
        line.rank = 2;
        line.score = Score::Centipawns(-34);
        line.bound = Bound::Exact;
        line.wdl = Wdl::new(100, 700, 200).expect("they add up to 1000");
        line.nodes = 5000;
        line.hashfull = 3;
        line.tablebase_hits = 17;
        line.time = Duration::from_millis(250);
        line.moves = vec![castling()];
        line
    }

    const PLAIN: InfoStyle = InfoStyle { castling: CastlingMode::Standard, show_wdl: false };

    #[test]
    fn lines_have_all_fields_in_their_order() {
        let expected = "info depth 7 seldepth 11 multipv 2 score cp -34 nodes 5000 nps 20000 hashfull 3 tbhits 17 \
                        time 250 pv e1g1";
        assert_eq!(PLAIN.line(&line()), expected);
        let style = InfoStyle { castling: CastlingMode::Chess960, show_wdl: true };
        let mut bounded = line();
        (bounded.bound, bounded.score) = (Bound::Lower, Score::Mate(3));
        let text = style.report(&Report::Line(bounded)).expect("lines are shown");
        assert!(text.contains(" score mate 3 lowerbound wdl 100 700 200 nodes "), "{text}");
        assert!(text.ends_with(" pv e1h1"), "{text}");
        let mut upper = line();
        (upper.bound, upper.moves) = (Bound::Upper, Vec::new());
        let upper = PLAIN.line(&upper);
        assert!(upper.contains(" score cp -34 upperbound nodes ") && upper.ends_with(" time 250"), "{upper}");
    }

    #[test]
    fn moves() {
        let current = Report::CurrentMove { depth: 9, mv: castling(), number: 4 };
        assert_eq!(PLAIN.report(&current).as_deref(), Some("info depth 9 currmove e1g1 currmovenumber 4"));
        let mut conclusion = Conclusion::default();
        conclusion.best = Some(castling());
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
