//! Endgame tables in a search: probes in the tree, the ranking of root moves, and lines that the tables complete.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ferz_board::{Game, Move, Position};
use ferz_syzygy::{MoveVerdict, ProbeError, Tablebases, Wdl};

use crate::SearchOptions;
use crate::root_move::RootMove;
use crate::tt::TtBound;
use crate::value::{CURSED_WIN, DRAW, MAX_PLY, TB_WIN, Value};

/// The rank of a move that surely wins: the search takes the one that looks best. As the clock runs on, fewer and fewer
/// moves have this rank, and in the end the shortest way is taken.
const SURE_WIN: i32 = 1 << 18;
/// After a repetition, the rank of a winning move that zeroes the clock at once; each ply to zeroing takes one off.
const REPEATED_WIN: i32 = 1 << 17;
/// The same for wins that the 50-move rule prevents, and with the opposite sign for losses that it prevents.
const LATE_WIN: i32 = 1 << 16;
/// A result that the tables count with the 50-move rule takes more plies than this.
const CURSED_PLIES: i32 = 101;
/// A sure win may take a detour of one in this number of parts of the plies that the 50-move rule leaves to spare.
const DETOUR_SHARE: i32 = 8;
/// A win is sure if it zeroes the halfmove clock by then. One less than the rule, since tables may round by a ply.
const SURE_CLOCK: i32 = 99;

/// Damaged files that probes have met, each once.
#[derive(Debug, Default)]
pub(crate) struct TableProblems {
    met: Mutex<Vec<ProbeError>>,
    /// How many of them there are, and how many of these were reported.
    count: AtomicUsize,
    reported: AtomicUsize,
}

impl TableProblems {
    fn met(&self) -> MutexGuard<'_, Vec<ProbeError>> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an error that users must hear of. A table that is missing is normal.
    #[cold]
    fn note(&self, error: ProbeError) {
        let Some(file) = damaged_file(&error) else { return };
        let mut met = self.met();
        if !met.iter().any(|it| damaged_file(it) == Some(file)) {
            met.push(error);
            self.count.store(met.len(), Relaxed);
        }
    }

    pub(crate) fn all(&self) -> Vec<ProbeError> {
        self.met().clone()
    }

    /// The errors that were not taken before.
    pub(crate) fn take_new(&self) -> Vec<ProbeError> {
        if self.count.load(Relaxed) == self.reported.load(Relaxed) {
            return Vec::new();
        }
        let met = self.met();
        let reported = self.reported.swap(met.len(), Relaxed);
        met.get(reported..).unwrap_or_default().to_vec()
    }
}

fn damaged_file(error: &ProbeError) -> Option<&Path> {
    match error {
        ProbeError::Damaged { file, .. } | ProbeError::Unreadable { file, .. } => Some(file),
        _ => None,
    }
}

/// What the tables know of the root moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RootKnowledge {
    Nothing,
    /// The result of each move: the search must find the way.
    Results {
        is_win: bool,
    },
    /// The result of each move and its distance.
    Distances,
}

/// The tables of one search.
#[derive(Debug)]
pub(crate) struct TableProbes<'a> {
    tables: &'a Tablebases,
    problems: &'a TableProblems,
    /// Positions with more men are not probed; 0 without tables.
    max_men: u32,
    /// Positions with the most men are probed from this depth on.
    min_depth: i32,
    fifty_move_rule: bool,
    hits: AtomicU64,
}

impl<'a> TableProbes<'a> {
    pub(crate) fn new(
        tables: &'a Tablebases,
        problems: &'a TableProblems,
        options: &SearchOptions,
    ) -> TableProbes<'a> {
        TableProbes {
            tables,
            problems,
            max_men: tables.max_men().min(options.probe_limit),
            min_depth: options.probe_depth.min(MAX_PLY as u32) as i32,
            fifty_move_rule: options.fifty_move_rule,
            hits: AtomicU64::new(0),
        }
    }

    pub(crate) fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }

    pub(crate) fn problems(&self) -> &TableProblems {
        self.problems
    }

    /// The most men of positions that nodes of the tree probe; 0 for no probes. If the root moves are ranked by
    /// distance, the search looks for the mate itself; so it does where there is nothing to win.
    pub(crate) fn max_men_in_tree(&self, root: RootKnowledge) -> u32 {
        match root {
            RootKnowledge::Nothing | RootKnowledge::Results { is_win: true } => self.max_men,
            RootKnowledge::Results { is_win: false } | RootKnowledge::Distances => 0,
        }
    }

    fn knows(&self, position: &Position) -> bool {
        position.occupied().len() <= self.max_men && position.castling_rooks().is_empty()
    }

    /// Counts a successful probe and notes a damaged file.
    fn check<T>(&self, probed: Result<T, ProbeError>) -> Option<T> {
        probed
            .inspect(|_| _ = self.hits.fetch_add(1, Relaxed))
            .map_err(|error| self.problems.note(error))
            .ok()
    }

    /// The value of a node with few enough men, and how it bounds the true value.
    ///
    /// Only just after a capture or pawn move: the result of other positions depends on their halfmove clock. A win is
    /// worth more the earlier it is reached, so that the search prefers the shortest way to conversion.
    #[inline(never)]
    pub(crate) fn probe_node(&self, position: &Position, ply: usize, depth: i32) -> Option<(Value, TtBound)> {
        let is_deep = depth >= self.min_depth || position.occupied().len() < self.max_men;
        if position.halfmove_clock() != 0 || !is_deep || position.castling_rooks().any() {
            return None;
        }
        let wdl = self.check(self.tables.probe_wdl(position))?;
        let value = TB_WIN - ply as Value;
        Some(match self.counted(wdl) {
            Wdl::Win => (value, TtBound::Lower),
            Wdl::Loss => (-value, TtBound::Upper),
            other => (other.value() * CURSED_WIN, TtBound::Exact),
        })
    }

    /// A result as this search counts it.
    fn counted(&self, wdl: Wdl) -> Wdl {
        match wdl {
            Wdl::CursedWin if !self.fifty_move_rule => Wdl::Win,
            Wdl::BlessedLoss if !self.fifty_move_rule => Wdl::Loss,
            other => other,
        }
    }

    /// Ranks and orders the root moves by what the tables know of them.
    pub(crate) fn rank_root_moves(&self, game: &Game, root_moves: &mut [RootMove]) -> RootKnowledge {
        let position = game.position();
        if !self.knows(position) {
            return RootKnowledge::Nothing;
        }
        let (ranks, knowledge): (Vec<_>, _) = if let Some(ranks) = self.ranks_by_distance(game) {
            (ranks, RootKnowledge::Distances)
        } else if let Some(ranks) = self.ranks_by_result(position, root_moves) {
            let is_win = ranks.iter().any(|rank| rank.value > CURSED_WIN);
            (ranks, RootKnowledge::Results { is_win })
        } else {
            return RootKnowledge::Nothing;
        };
        for rank in ranks {
            if let Some(root_move) = root_moves.iter_mut().find(|it| it.mv == rank.mv) {
                root_move.rank = rank.group;
                root_move.table_value = Some(rank.value);
            }
        }
        // The value tells wins of the same rank apart, so that even a search without time makes progress.
        root_moves.sort_by_key(|it| Reverse((it.rank, it.table_value)));
        knowledge
    }

    fn ranks_by_distance(&self, game: &Game) -> Option<Vec<MoveRank>> {
        let position = game.position();
        let verdicts = self.check(self.tables.probe_moves(position))?;
        let is_repeated = has_repetition(game);
        let mut ranks: Vec<_> = verdicts.iter().map(|it| self.rank(position, it, is_repeated)).collect();
        // Of the sure wins, the search chooses among those that make progress.
        let sure = |rank: &&mut MoveRank| rank.group == SURE_WIN;
        if let Some(shortest) = ranks.iter_mut().filter(sure).map(|rank| rank.plies).min() {
            let spare = SURE_CLOCK - position.halfmove_clock().min(100) as i32 - shortest;
            let longest = shortest + spare.max(0) / DETOUR_SHARE;
            ranks.iter_mut().filter(sure).filter(|it| it.plies > longest).for_each(|it| it.group -= it.plies);
        }
        Some(ranks)
    }

    /// Ranks a move under the halfmove clock. All sure wins have the same rank. If a position has been repeated, the
    /// shortest way is taken.
    fn rank(&self, position: &Position, verdict: &MoveVerdict, is_repeated: bool) -> MoveRank {
        let clock = position.halfmove_clock().min(100) as i32;
        let mut child = *position;
        child.play_unchecked(verdict.mv);
        let is_last = child.halfmove_clock() == 0 || child.is_checkmate();
        // The plies to zeroing from here: the move itself zeroes the clock, or adds one.
        let mut plies = if is_last { 1 } else { verdict.dtz.get().abs() + 1 };
        let wdl = self.counted(verdict.wdl);
        if matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss) {
            plies = plies.max(CURSED_PLIES);
        }
        let is_free = !self.fifty_move_rule || is_last;
        let band = TB_WIN - plies.min(MAX_PLY as i32);
        let (group, value) = match wdl {
            Wdl::Win if is_free || plies + clock <= SURE_CLOCK => {
                (if is_repeated { REPEATED_WIN - plies } else { SURE_WIN }, band)
            }
            Wdl::Win if plies + clock <= 100 => (REPEATED_WIN - plies - clock, band),
            Wdl::Win | Wdl::CursedWin => (LATE_WIN - plies - clock, CURSED_WIN),
            Wdl::Draw => (0, DRAW),
            // Far from the 50-move rule, the search chooses the defence; near it, the longest one has a chance.
            Wdl::Loss if is_free || 2 * plies + clock < 100 => (-SURE_WIN, -band),
            Wdl::Loss if plies + clock <= 100 => (plies + clock - REPEATED_WIN, -band),
            Wdl::Loss | Wdl::BlessedLoss => (plies + clock - LATE_WIN, -CURSED_WIN),
        };
        MoveRank { mv: verdict.mv, group, value, plies }
    }

    /// Without distances: ranks moves by results alone.
    fn ranks_by_result(&self, position: &Position, root_moves: &[RootMove]) -> Option<Vec<MoveRank>> {
        let rank = |root_move: &RootMove| {
            let mut child = *position;
            child.play(root_move.mv).ok()?;
            let wdl = match child.outcome() {
                Some(outcome) if outcome.winner().is_some() => Wdl::Win,
                Some(_) => Wdl::Draw,
                None => self.counted(-self.check(self.tables.probe_wdl(&child))?),
            };
            let band = TB_WIN - MAX_PLY as Value;
            let (group, value) = match wdl {
                Wdl::Win => (SURE_WIN, band),
                Wdl::CursedWin => (LATE_WIN, CURSED_WIN),
                Wdl::Draw => (0, DRAW),
                Wdl::BlessedLoss => (-LATE_WIN, -CURSED_WIN),
                Wdl::Loss => (-SURE_WIN, -band),
            };
            Some(MoveRank { mv: root_move.mv, group, value, plies: 0 })
        };
        root_moves.iter().map(rank).collect()
    }

    /// Completes a line whose result the tables know, with best moves by distance: at best to mate. A move of the line
    /// that gives the result away ends what is kept of it. Stops when `is_late`.
    pub(crate) fn complete(&self, root: &Position, moves: &mut Vec<Move>, is_late: &dyn Fn() -> bool) {
        let mut position = *root;
        for index in 0..MAX_PLY {
            if position.outcome().is_some() || position.halfmove_clock() >= 100 || is_late() {
                return;
            }
            let verdicts = if self.knows(&position) { self.verdicts(&position) } else { None };
            let mv = match (moves.get(index), verdicts.as_deref()) {
                (Some(&mv), None) => mv,
                (None, Some([best, ..])) => best.mv,
                (Some(&mv), Some(verdicts @ [best, ..])) => {
                    let group = |it: &MoveVerdict| self.rank(&position, it, false).group;
                    let played = verdicts.iter().find(|it| it.mv == mv);
                    if played.is_some_and(|it| group(it) == group(best)) { mv } else { best.mv }
                }
                (None, _) | (_, Some([])) => return,
            };
            if moves.get(index) != Some(&mv) {
                moves.truncate(index);
                moves.push(mv);
            }
            position.play_unchecked(mv);
        }
    }

    fn verdicts(&self, position: &Position) -> Option<Vec<MoveVerdict>> {
        self.tables.probe_moves(position).map_err(|error| self.problems.note(error)).ok()
    }
}

/// The rank of a root move and its value.
#[derive(Clone, Copy, Debug)]
struct MoveRank {
    mv: Move,
    group: i32,
    value: Value,
    /// Plies to zeroing, if they are known.
    plies: i32,
}

/// Whether a position has occurred twice since the last capture or pawn move.
fn has_repetition(game: &Game) -> bool {
    let mut keys: Vec<_> = game.repetition_keys().collect();
    let reach = game.position().halfmove_clock() as usize + 1;
    keys.drain(..keys.len().saturating_sub(reach));
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}
