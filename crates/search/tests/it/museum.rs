//! The museum of bugs, second part: transposition tables. The first part is that of the board; `docs/museum.md`
//! explains all exhibits.

use std::collections::HashMap;

use ferz_board::{Game, Position};
use ferz_search::{Score, SearchOptions};

use crate::runs::{engine, nodes, run, shared};
use crate::sample::{at, game};
use crate::solver::shortest_mate;

/// The transposition table of a little search, and what is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Table {
    /// There is none: slow, and right by definition.
    Missing,
    Right,
    /// Mates are stored as the search has them, counted from its root.
    MatesFromTheRoot,
    /// Whether a value is exact or a bound is not stored.
    BoundsAsValues,
}

#[derive(Clone, Copy)]
enum Kind {
    Exact,
    Lower,
    Upper,
}

struct Entry {
    depth: i32,
    value: i32,
    kind: Kind,
}

const MATE: i32 = 1000;

/// Alpha-beta search that counts material.
struct LittleSearch {
    table: Table,
    entries: HashMap<u64, Entry>,
}

impl LittleSearch {
    fn new(table: Table) -> LittleSearch {
        LittleSearch { table, entries: HashMap::new() }
    }

    fn value(&mut self, position: &Position, depth: i32) -> i32 {
        self.search(position, depth, 0, -MATE, MATE)
    }

    /// In how many moves the side to move mates.
    fn mate_in(&mut self, position: &Position, depth: i32) -> Option<u32> {
        let value = self.value(position, depth);
        is_mate(value).then(|| ((MATE - value + 1) / 2) as u32)
    }

    /// The best move in UCI notation, and its value.
    fn best(&mut self, position: &Position, depth: i32) -> (String, i32) {
        let mut best = (String::new(), -MATE);
        for mv in position.legal_moves() {
            let mut child = *position;
            child.play_unchecked(mv);
            let value = -self.search(&child, depth - 1, 1, -MATE, -best.1);
            if value > best.1 {
                best = (mv.uci(position.castling_mode()).to_string(), value);
            }
        }
        best
    }

    fn search(&mut self, position: &Position, depth: i32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        if !position.has_legal_moves() {
            return if position.is_check() { ply - MATE } else { 0 };
        }
        if depth == 0 {
            return material(position);
        }
        // A mate counts from the root in the search, and from the position in the table.
        let offset = |value: i32, table: Table| match table {
            Table::MatesFromTheRoot => 0,
            _ if is_mate(value) => ply * value.signum(),
            _ => 0,
        };
        if let Some(entry) = self.entries.get(&position.key())
            && entry.depth == depth
        {
            let value = entry.value - offset(entry.value, self.table);
            match entry.kind {
                Kind::Exact => return value,
                Kind::Lower if value >= beta => return value,
                Kind::Upper if value <= alpha => return value,
                Kind::Lower | Kind::Upper => {}
            }
        }
        let (mut best, mut kind) = (-MATE, Kind::Upper);
        for mv in position.legal_moves() {
            let mut child = *position;
            child.play_unchecked(mv);
            best = best.max(-self.search(&child, depth - 1, ply + 1, -beta, -alpha));
            if best >= beta {
                kind = Kind::Lower;
                break;
            }
            if best > alpha {
                (alpha, kind) = (best, Kind::Exact);
            }
        }
        if self.table == Table::BoundsAsValues {
            kind = Kind::Exact;
        }
        if self.table != Table::Missing {
            let value = best + offset(best, self.table);
            self.entries.insert(position.key(), Entry { depth, value, kind });
        }
        best
    }
}

fn is_mate(value: i32) -> bool {
    value.abs() > MATE / 2
}

/// The material of the side to move less that of the opponent, in pawns.
fn material(position: &Position) -> i32 {
    let value = |(_, piece): (_, ferz_board::Piece)| {
        let value = [1, 3, 3, 5, 9, 0][piece.piece_type() as usize];
        if piece.color() == position.side_to_move() { value } else { -value }
    };
    position.board().iter().map(value).sum()
}

#[test]
fn a_mate_in_the_table_counts_from_its_position() {
    let _shared = shared();
    // Two rooks drive the king to the edge. The table of the first search serves the second, two plies later.
    let fen = "8/8/6k1/R7/1R6/8/8/4K3 w - - 0 1";
    let (before, after) = (game(fen, &[]), game(fen, &["b4b6", "g6f7"]));
    assert_eq!([&before, &after].map(|game| shortest_mate(game.position(), 3)), [Some(3), Some(2)]);
    let mates_in = |table| {
        let mut search = LittleSearch::new(table);
        [(&before, 5), (&after, 3)].map(|(game, depth)| search.mate_in(game.position(), depth))
    };
    assert_eq!(mates_in(Table::MatesFromTheRoot), [Some(3), Some(3)], "the mate does not come nearer");
    assert_eq!(mates_in(Table::Right), [Some(3), Some(2)]);

    let mut engine = engine();
    let scores = [before, after].map(|game| {
        let limits = nodes(100_000).mate(3);
        run(&mut engine, &game, &limits, &SearchOptions::default()).score()
    });
    assert_eq!(scores, [Score::Mate(3), Score::Mate(2)]);
}

#[test]
fn a_bound_is_not_a_value() {
    let _shared = shared();
    // The knight is attacked. A check with the rook loses it.
    let position = at("4r3/4k1K1/4N3/R7/8/8/8/8 w - - 0 1");
    let best = |table| LittleSearch::new(table).best(&position, 5);
    let (right, value) = best(Table::Missing);
    assert_eq!(value, 3, "{right}");
    assert_eq!(best(Table::Right), (right, 3));
    assert_eq!(best(Table::BoundsAsValues), ("a5a7".to_owned(), 5), "it seems to win the rook");

    // What a move is worth, without a table.
    let worth = |mv| {
        let mut child = position;
        child.play(mv).expect("legal");
        -LittleSearch::new(Table::Missing).value(&child, 4)
    };
    assert_eq!(worth(position.parse_uci("a5a7").expect("legal")), 0);
    let run = run(&mut engine(), &Game::new(position), &nodes(20_000), &SearchOptions::default());
    assert_eq!(worth(run.conclusion.best.expect("there are moves")), 3);
}
