//! Independent rules of chess: shakmaty replays what the search reports.

use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, Game, Move};
use ferz_search::{Bound, Line, Score, SearchOptions};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Position as _};

use crate::runs::Run;

/// A game as the referee sees it.
#[derive(Clone)]
pub struct Referee {
    position: Chess,
    seen: Vec<u64>,
}

/// Why there is nothing left to play for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Mate,
    Stalemate,
    Dead,
    Repetition,
    FiftyMoves,
}

impl Referee {
    /// Replays a game.
    pub fn new(game: &Game) -> Referee {
        let fen = game.start().fen(EnPassantMode::Always, CastlingStyle::Shredder);
        let parsed: shakmaty::fen::Fen = fen.as_str().parse().expect("our FEN is a FEN");
        let position =
            parsed.into_position(shakmaty::CastlingMode::Chess960).expect("our positions are legal");
        let mut referee = Referee { seen: vec![key(&position)], position };
        for mv in game.moves() {
            assert!(referee.play(mv), "{mv:?} of the game is illegal");
        }
        referee
    }

    /// Plays a move; false if it is illegal.
    pub fn play(&mut self, mv: Move) -> bool {
        let text = mv.uci(CastlingMode::Chess960).to_string();
        let parsed: shakmaty::uci::UciMove = text.parse().expect("UCI is common to both");
        let Ok(peer_move) = parsed.to_move(&self.position) else { return false };
        self.position.play_unchecked(peer_move);
        self.seen.push(key(&self.position));
        true
    }

    /// Whether and why the game is over, claims included.
    pub fn end(&self) -> Option<End> {
        if self.position.is_checkmate() {
            return Some(End::Mate);
        }
        if self.position.is_stalemate() {
            return Some(End::Stalemate);
        }
        if self.position.is_insufficient_material() {
            return Some(End::Dead);
        }
        if self.position.halfmoves() >= 100 {
            return Some(End::FiftyMoves);
        }
        let last = self.seen.last();
        (self.seen.iter().filter(|&it| Some(it) == last).count() >= 3).then_some(End::Repetition)
    }
}

/// What makes positions the same for the rule of repetition.
fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(shakmaty::EnPassantMode::Legal).0
}

/// Replays everything a search reported and checks that it is consistent. `what` names the search in failures.
pub fn check(game: &Game, run: &Run, options: &SearchOptions, what: &str) {
    let root = Referee::new(game);
    for line in run.lines.iter().chain(&run.conclusion.lines) {
        check_line(&root, line, what);
    }
    let it = &run.conclusion;
    let legal = game.position().legal_moves().len();
    if legal == 0 {
        assert!(it.best.is_none() && it.ponder.is_none() && it.lines.is_empty(), "{what}: {it:?}");
        return;
    }
    let best = it.best.expect("there are legal moves");
    let mut after = root;
    assert!(after.play(best), "{what}: best {best:?} is illegal");
    let Some(concluded) = it.lines.first() else {
        // The search knew no value, so it must not report one.
        assert!(run.lines.is_empty(), "{what}: {run:?}");
        assert!(it.ponder.is_none_or(|ponder| after.play(ponder)), "{what}: {it:?}");
        return;
    };
    let reported = run.lines.iter().rev().find(|line| line.rank == 1).expect("a line is reported");
    assert_eq!(reported.moves.first(), Some(&best), "{what}: best is not the last move reported");
    assert_eq!(
        concluded.moves, reported.moves,
        "{what}: the last line reported is not that of the conclusion"
    );
    let ranks: Vec<_> = it.lines.iter().map(|line| line.rank).collect();
    assert!(ranks.iter().copied().eq(1..=ranks.len()), "{what}: ranks {ranks:?}");
    assert!(ranks.len() <= options.lines, "{what}: too many lines");

    if let Some(&second) = concluded.moves.get(1) {
        assert_eq!(it.ponder, Some(second), "{what}: ponder is not the second move");
    } else if let Some(ponder) = it.ponder {
        assert!(after.play(ponder), "{what}: ponder {ponder:?} is illegal");
    }
}

fn check_line(root: &Referee, line: &Line, what: &str) {
    let context = || format!("{what}: {line:?}");
    assert!(!line.moves.is_empty() && line.rank >= 1 && line.depth >= 1, "{}", context());
    assert!(line.hashfull <= 1000, "{}", context());
    let mut referee = root.clone();
    let mut end = None;
    for (ply, &mv) in line.moves.iter().enumerate() {
        assert!(end.is_none(), "ply {ply} comes after {end:?}, {}", context());
        assert!(referee.play(mv), "ply {ply} is illegal, {}", context());
        end = referee.end();
    }
    if let Score::Centipawns(shown) = line.score {
        assert!(line.value.signum() * shown.signum() >= 0 && line.value.abs() < 31_000, "{}", context());
    }
    if let Score::Mate(moves) = line.score
        && line.bound == Bound::Exact
    {
        assert_ne!(moves, 0, "a root that is not mated, {}", context());
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        assert_eq!(line.moves.len() as i32, plies, "{}", context());
        let value = if moves > 0 { 32_000 - plies } else { plies - 32_000 };
        assert_eq!(line.value, value, "{}", context());
        assert_eq!(end, Some(End::Mate), "{}", context());
    }
}
