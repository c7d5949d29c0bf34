//! Another engine's analysis: the UCI commands for it, and its output as a message.
//!
//! The output of a program that somebody else has written is data. Every number is bounded, every move is checked on the
//! board, and nothing else of it is kept.

use ferz_board::{CastlingMode, CastlingStyle, Color, EnPassantMode, Move};

use crate::protocol::{AnalysisStatus, BoundName, OtherAnalysis, OtherLine, ScoreEntry, StopRule};
use crate::session::notation::line;
use crate::session::{ANALYSIS_TIME, AnalysisTask, OtherTask};

/// The most moves of a line.
const MAX_MOVES: usize = 60;
/// The largest score in centipawns, and the longest mate in moves.
const MAX_CENTIPAWNS: i32 = 100_000;
const MAX_MATE: i32 = 1_000;
/// The largest number of nodes or milliseconds: larger ones are not exact in JavaScript.
const MAX_COUNT: u64 = 1 << 53;
/// The longest name of an engine, in characters.
const MAX_NAME: usize = 60;

/// What an engine says of itself before `uciok`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OtherOptions {
    /// The name that it gives itself, if any.
    pub name: Option<String>,
    /// The largest values of its options; `None` if it does not have them.
    threads: Option<usize>,
    hash: Option<usize>,
    multi_pv: Option<usize>,
    has_chess960: bool,
}

impl OtherOptions {
    /// Reads a line of output.
    pub fn note(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix("id name ") {
            let name: String =
                name.trim().chars().filter(|letter| !letter.is_control()).take(MAX_NAME).collect();
            self.name = Some(name).filter(|name| !name.is_empty());
        } else if let Some(option) = text.strip_prefix("option name ")
            && let Some((name, rest)) = option.split_once(" type ")
        {
            let most =
                || Some(number(rest, "max").map_or(1, |most| usize::try_from(most).unwrap_or(usize::MAX)));
            match name.trim().to_ascii_lowercase().as_str() {
                "threads" => self.threads = most(),
                "hash" => self.hash = most(),
                "multipv" => self.multi_pv = most(),
                "uci_chess960" => self.has_chess960 = true,
                _ => {}
            }
        }
    }

    /// The commands that start an analysis. An error is a sentence for the user.
    pub fn commands(&self, task: &AnalysisTask) -> Result<Vec<String>, &'static str> {
        if task.mode == CastlingMode::Chess960 && !self.has_chess960 {
            return Err("This engine does not support Chess960.");
        }
        let numbers = [
            ("Threads", self.threads, task.threads),
            ("Hash", self.hash, task.hash_mb),
            ("MultiPV", self.multi_pv, task.lines),
        ];
        let mut commands: Vec<_> = numbers
            .into_iter()
            .filter_map(|(name, most, wish)| Some(format!("setoption name {name} value {}", wish.min(most?))))
            .collect();
        if self.has_chess960 {
            commands
                .push(format!("setoption name UCI_Chess960 value {}", task.mode == CastlingMode::Chess960));
        }
        let style = match task.mode {
            CastlingMode::Standard => CastlingStyle::XFen,
            CastlingMode::Chess960 => CastlingStyle::Shredder,
        };
        commands.push(format!("position fen {}", task.game.position().fen(EnPassantMode::Legal, style)));
        commands.push(match task.limit {
            None => format!("go movetime {}", ANALYSIS_TIME.as_millis()),
            Some(StopRule::Seconds(seconds)) => format!("go movetime {}", seconds.saturating_mul(1_000)),
            Some(StopRule::Depth(depth)) => format!("go depth {depth}"),
            Some(StopRule::Nodes(nodes)) => format!("go nodes {nodes}"),
        });
        Ok(commands)
    }
}

/// The number after a word.
fn number(text: &str, word: &str) -> Option<u64> {
    let mut words = text.split_ascii_whitespace().skip_while(|it| *it != word);
    words.nth(1)?.parse().ok()
}

/// What another engine has found in a position.
#[derive(Clone, Debug)]
pub struct OtherProgress {
    task: OtherTask,
    name: String,
    /// By rank; `None` until the line is found.
    lines: Vec<Option<OtherLine>>,
    selective_depth: u32,
    nodes: u64,
    nps: u64,
    time_ms: u64,
    hashfull: u32,
    problem: Option<String>,
    is_done: bool,
}

impl OtherProgress {
    /// An analysis without results by an engine of this name.
    pub fn new(task: OtherTask, name: String) -> OtherProgress {
        OtherProgress {
            lines: vec![None; task.analysis.lines],
            task,
            name,
            selective_depth: 0,
            nodes: 0,
            nps: 0,
            time_ms: 0,
            hashfull: 0,
            problem: None,
            is_done: false,
        }
    }

    /// The numbering of the tree that is analysed.
    pub fn numbering(&self) -> u64 {
        self.task.analysis.numbering
    }

    /// Sets the name that the engine gives itself.
    pub fn set_name(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// Ends the analysis, perhaps with a problem for the user.
    pub fn finish(&mut self, problem: Option<String>) {
        self.is_done = true;
        self.problem = problem.or(self.problem.take());
    }

    /// Reads an `info` line of the engine. Returns whether there is something new to show.
    pub fn note(&mut self, text: &str) -> bool {
        let mut words = text.split_ascii_whitespace();
        if words.next() != Some("info") {
            return false;
        }
        let mut info = Info::default();
        while let Some(word) = words.next() {
            let mut count = || words.next().and_then(|it| it.parse::<u64>().ok()).map(|it| it.min(MAX_COUNT));
            match word {
                "depth" => info.depth = count(),
                "seldepth" => info.selective_depth = count(),
                "multipv" => info.rank = count(),
                "nodes" => info.nodes = count(),
                "nps" => info.nps = count(),
                "time" => info.time_ms = count(),
                "hashfull" => info.hashfull = count(),
                "score" => {
                    let unit = words.next();
                    let value = words.next().and_then(|it| it.parse::<i32>().ok());
                    info.score = match (unit, value) {
                        (Some("cp"), Some(value)) => {
                            Some(ScoreEntry::Cp(value.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS)))
                        }
                        (Some("mate"), Some(value)) => {
                            Some(ScoreEntry::Mate(value.clamp(-MAX_MATE, MAX_MATE)))
                        }
                        _ => None,
                    };
                }
                "lowerbound" => info.bound = Some(BoundName::Lower),
                "upperbound" => info.bound = Some(BoundName::Upper),
                "pv" => {
                    let moves = self.legal_moves(words.by_ref());
                    return self.take_in(&info, moves);
                }
                "string" => return false,
                _ => {}
            }
        }
        self.take_in(&info, None)
    }

    /// The moves of a line up to the first that is not legal; `None` if there is none.
    fn legal_moves<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Option<Vec<Move>> {
        let mut position = *self.task.analysis.game.position();
        let mut moves = Vec::new();
        for word in words.take(MAX_MOVES) {
            match position.parse_uci(word) {
                Ok(mv) if position.play(mv).is_ok() => moves.push(mv),
                _ => {
                    let quoted: String = word.chars().take(8).collect();
                    self.problem =
                        Some(format!("The engine reports an illegal move: '{}'.", quoted.escape_debug()));
                    break;
                }
            }
        }
        (!moves.is_empty()).then_some(moves)
    }

    fn take_in(&mut self, info: &Info, moves: Option<Vec<Move>>) -> bool {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let is_news = info.nodes.is_some() || moves.is_some();
        self.nodes = info.nodes.unwrap_or(self.nodes);
        self.nps = info.nps.unwrap_or(self.nps);
        self.time_ms = info.time_ms.unwrap_or(self.time_ms);
        self.hashfull = info.hashfull.map_or(self.hashfull, |it| small(it.min(1_000)));
        let (Some(moves), Some(score)) = (moves, info.score) else { return is_news };
        let rank = usize::try_from(info.rank.unwrap_or(1)).unwrap_or(usize::MAX);
        let AnalysisTask { game, mode, .. } = &self.task.analysis;
        let side = game.position().side_to_move();
        let moves = line(game.position(), &moves, *mode);
        let entry = OtherLine {
            rank,
            depth: info.depth.map_or(0, small),
            score: for_white(score, side),
            bound: match (info.bound, side) {
                (None | Some(BoundName::Exact), _) => BoundName::Exact,
                (Some(BoundName::Lower), Color::White) | (Some(BoundName::Upper), Color::Black) => {
                    BoundName::Lower
                }
                (Some(BoundName::Upper), Color::White) | (Some(BoundName::Lower), Color::Black) => {
                    BoundName::Upper
                }
            },
            moves,
        };
        if rank == 1 {
            self.selective_depth = info.selective_depth.map_or(self.selective_depth, small);
        }
        if let Some(place) = rank.checked_sub(1).and_then(|index| self.lines.get_mut(index)) {
            *place = Some(entry);
        }
        is_news
    }

    /// The message for the page. `is_on` is whether the analysis is still wanted.
    pub fn message(&self, is_on: bool) -> OtherAnalysis {
        let lines: Vec<_> = self.lines.iter().flatten().cloned().collect();
        OtherAnalysis {
            engine: self.task.engine.clone(),
            name: self.name.clone(),
            node: self.task.analysis.node.number(),
            status: match (is_on, self.is_done) {
                (false, _) => AnalysisStatus::Off,
                (true, true) => AnalysisStatus::Done,
                (true, false) => AnalysisStatus::Searching,
            },
            depth: lines.first().map_or(0, |line| line.depth),
            selective_depth: self.selective_depth,
            nodes: self.nodes,
            nps: self.nps,
            time_ms: self.time_ms,
            hashfull: self.hashfull,
            lines,
            problem: self.problem.clone(),
        }
    }
}

/// An `info` line.
#[derive(Default)]
struct Info {
    depth: Option<u64>,
    selective_depth: Option<u64>,
    rank: Option<u64>,
    nodes: Option<u64>,
    nps: Option<u64>,
    time_ms: Option<u64>,
    hashfull: Option<u64>,
    score: Option<ScoreEntry>,
    bound: Option<BoundName>,
}

/// A score of the side to move, for White.
fn for_white(score: ScoreEntry, side: Color) -> ScoreEntry {
    match (score, side) {
        (score, Color::White) => score,
        (ScoreEntry::Cp(value), Color::Black) => ScoreEntry::Cp(-value),
        (ScoreEntry::Mate(moves), Color::Black) => ScoreEntry::Mate(-moves),
    }
}

#[cfg(test)]
mod tests {
    use ferz_board::{Game, Position};
    use ferz_notation::pgn::NodeId;

    use super::*;

    fn task(fen: &str) -> OtherTask {
        let game = Game::new(fen.parse::<Position>().expect("legal"));
        let analysis = AnalysisTask {
            numbering: 1,
            node: NodeId::ROOT,
            mode: game.position().castling_mode(),
            game,
            lines: 2,
            threads: 3,
            hash_mb: 64,
            limit: None,
        };
        OtherTask { engine: "x".to_owned(), analysis }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const BLACK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    #[test]
    fn lines_are_read() {
        let mut progress = OtherProgress::new(task(BLACK), "X".to_owned());
        assert!(progress.note(
            "info depth 12 seldepth 17 multipv 1 score cp 31 lowerbound wdl 1 2 3 nodes 9 nps 8 hashfull 7 time 6 tbhits 0 pv e7e5 g1f3"
        ));
        assert!(progress.note("info depth 11 multipv 2 score mate -2 pv c7c5"));
        let message = progress.message(true);
        assert_eq!((message.depth, message.selective_depth, message.nodes), (12, 17, 9));
        assert_eq!((message.nps, message.hashfull, message.time_ms), (8, 7, 6));
        assert_eq!(message.lines[0].moves.san, ["e5", "Nf3"]);
        assert_eq!((message.lines[0].score, message.lines[0].bound), (ScoreEntry::Cp(-31), BoundName::Upper));
        assert_eq!((message.lines[1].rank, message.lines[1].score), (2, ScoreEntry::Mate(2)));
        assert_eq!((message.status, message.problem), (AnalysisStatus::Searching, None));
        assert_eq!(progress.message(false).status, AnalysisStatus::Off);
        progress.finish(None);
        assert_eq!(progress.message(true).status, AnalysisStatus::Done);
    }

    #[test]
    fn hostile_output_is_data() {
        let mut progress = OtherProgress::new(task(START), "X".to_owned());
        for text in [
            "",
            "info",
            "info pv",
            "info score",
            "info score cp",
            "info depth -1 score cp 99999999999999999999 pv e2e4",
            "info multipv 0 score cp 1 pv e2e4",
            "info multipv 3 score cp 1 pv e2e4",
            "info multipv 18446744073709551615 score cp 1 pv e2e4",
            "info string score cp 1 pv e2e4",
            "info score cp 1 pv e2e5",
            "info score cp 1 pv <script> e2e4",
            "info score cp 1 pv 0000",
            "\u{0}info score cp 1 pv e2e4",
            "bestmove e2e4",
        ] {
            progress.note(text);
            assert!(progress.message(true).lines.is_empty(), "{text:?}");
        }
        progress.note("info depth 4294967296 nodes 18446744073709551615 hashfull 5000 score cp -2147483648 pv e2e4 e7e5 e4e5");
        let message = progress.message(true);
        assert_eq!((message.nodes, message.hashfull, message.depth), (1 << 53, 1_000, u32::MAX));
        assert_eq!(message.lines[0].score, ScoreEntry::Cp(-MAX_CENTIPAWNS));
        assert_eq!(message.lines[0].moves.san, ["e4", "e5"], "up to the illegal move");
        assert!(message.problem.is_some_and(|problem| problem.contains("'e4e5'")));
        let shuffle = " g1f3 g8f6 f3g1 f6g8".repeat(500);
        progress.note(&format!("info score cp 1 pv{shuffle}"));
        assert_eq!(progress.message(true).lines[0].moves.san.len(), MAX_MOVES);
    }

    #[test]
    fn an_engine_gets_the_settings_that_it_knows() {
        let mut options = OtherOptions::default();
        for text in [
            "id name Some\u{7} Engine",
            "option name Threads type spin default 1 min 1 max 2",
            "option name Hash type spin default 16 min 1 max 1024",
            "option name MultiPV type spin default 1 min 1 max 256",
            "option name Clear Hash type button",
        ] {
            options.note(text);
        }
        assert_eq!(options.name.as_deref(), Some("Some Engine"));
        let mut wish = task(START).analysis;
        let commands = options.commands(&wish).expect("standard chess");
        assert_eq!(
            commands,
            [
                "setoption name Threads value 2",
                "setoption name Hash value 64",
                "setoption name MultiPV value 2",
                &format!("position fen {START}"),
                "go movetime 600000",
            ]
        );
        wish.limit = Some(StopRule::Depth(9));
        assert_eq!(options.commands(&wish).expect("standard chess").pop().as_deref(), Some("go depth 9"));
        wish.mode = CastlingMode::Chess960;
        assert!(options.commands(&wish).is_err());
        options.note("option name UCI_Chess960 type check default false");
        let commands = options.commands(&wish).expect("it knows it now");
        assert!(commands.contains(&"setoption name UCI_Chess960 value true".to_owned()));
        assert!(commands.iter().any(|it| it.ends_with("w HAha - 0 1")), "{commands:?}");
    }
}
