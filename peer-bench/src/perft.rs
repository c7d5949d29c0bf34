//! Perft in all ways that the libraries offer.

use std::process::{Command, Stdio};
use std::time::Instant;

use ferz_board::{Position, perft};

use crate::{Contender, Task};

/// The six standard perft positions, with depths that take a fast generator about 0.1 s.
const POSITIONS: [(&str, u32); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5),
];

fn ferz(input: usize) -> Position {
    Position::from_fen(POSITIONS[input].0).expect("a legal position")
}

fn contender(name: &'static str, work: impl Fn(usize, u32) -> u64 + 'static) -> Contender {
    Contender { name, work: Box::new(move |input| work(input, POSITIONS[input].1)) }
}

/// Contenders that make every leaf search one ply less.
fn walker(name: &'static str, work: impl Fn(usize, u32) -> u64 + 'static) -> Contender {
    Contender { name, work: Box::new(move |input| work(input, POSITIONS[input].1 - 1)) }
}

pub fn tasks() -> Vec<Task> {
    let task = |name, contenders| Task { name, unit: "nodes", inputs: POSITIONS.len(), contenders };
    let peers_bulk = || {
        vec![
            contender("cozy-chess", |input, depth| cozy::bulk(&cozy::position(input), depth)),
            contender("shakmaty", |input, depth| shak::bulk(&shak::position(input), depth)),
            contender("chess", |input, depth| chess_crate::bulk(&chess_crate::position(input), depth)),
        ]
    };
    let peers_walk = || {
        vec![
            walker("shakmaty", |input, depth| shak::walk(&shak::position(input), depth)),
            walker("cozy-chess", |input, depth| cozy::walk(&cozy::position(input), depth)),
            walker("chess", |input, depth| chess_crate::walk(&chess_crate::position(input), depth)),
        ]
    };
    let against = |ours: Contender, peers: Vec<Contender>| std::iter::once(ours).chain(peers).collect();
    vec![
        task(
            "perft-bulk",
            against(contender("ferz", |input, depth| perft::count(&ferz(input), depth)), peers_bulk()),
        ),
        task(
            "perft-bulk-portable",
            against(
                contender("ferz", |input, depth| perft::count_portable(&ferz(input), depth)),
                vec![contender("cozy-chess", |input, depth| cozy::bulk(&cozy::position(input), depth))],
            ),
        ),
        task(
            "count-api",
            against(
                contender("ferz", |input, depth| count_api(&ferz(input), depth)),
                vec![contender("cozy-chess", |input, depth| cozy::bulk(&cozy::position(input), depth))],
            ),
        ),
        task(
            "perft-walk",
            against(walker("ferz", |input, depth| walk_children(&ferz(input), depth)), peers_walk()),
        ),
        task(
            "move-walk",
            against(
                walker("ferz", |input, depth| walk_moves(&ferz(input), depth)),
                vec![walker("shakmaty", |input, depth| shak::walk(&shak::position(input), depth))],
            ),
        ),
        task(
            "list-walk",
            against(
                walker("ferz", |input, depth| walk_list(&ferz(input), depth)),
                vec![walker("shakmaty", |input, depth| shak::walk(&shak::position(input), depth))],
            ),
        ),
    ]
}

/// Two threads against one.
pub fn thread_task() -> Task {
    let ours = |input: usize, depth: u32| {
        perft::Run::new(&ferz(input), depth + 1).threads(2).count().unwrap_or_default()
    };
    let one = |input: usize, depth: u32| perft::count(&ferz(input), depth + 1);
    Task {
        name: "perft-2-threads",
        unit: "nodes",
        inputs: POSITIONS.len(),
        contenders: vec![contender("ferz", ours), contender("one-thread", one)],
    }
}

/// Inner nodes use a move list and play each move; the last ply is counted.
fn count_api(position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return u64::from(position.count_legal());
    }
    let mut child = *position;
    let mut nodes = 0;
    for &mv in &position.legal_moves() {
        position.play_into(mv, &mut child, &mut ());
        nodes += count_api(&child, depth - 1);
    }
    nodes
}

/// Every leaf is made, through `for_each_move` and `play_into`.
fn walk_moves(position: &Position, depth: u32) -> u64 {
    let mut child = *position;
    let mut nodes = 0;
    position.for_each_move(|mv| {
        position.play_into(mv, &mut child, &mut ());
        nodes += if depth == 1 { keep(&child) } else { walk_moves(&child, depth - 1) };
    });
    nodes
}

/// Every leaf is made, through `for_each_child`: piece list, key and pawn key are updated.
fn walk_children(position: &Position, depth: u32) -> u64 {
    let mut nodes = 0;
    position.for_each_child(|_, child| {
        nodes += if depth == 1 { keep(child) } else { walk_children(child, depth - 1) };
    });
    nodes
}

/// Every leaf is made, through a list of legal moves.
fn walk_list(position: &Position, depth: u32) -> u64 {
    let mut child = *position;
    let mut nodes = 0;
    for &mv in &position.legal_moves() {
        position.play_into(mv, &mut child, &mut ());
        nodes += if depth == 1 { keep(&child) } else { walk_list(&child, depth - 1) };
    }
    nodes
}

/// Keeps the optimiser from removing the leaf.
fn keep<T>(leaf: &T) -> u64 {
    std::hint::black_box(leaf);
    1
}

mod cozy {
    use cozy_chess::Board;

    pub fn position(input: usize) -> Board {
        Board::from_fen(super::POSITIONS[input].0, false).expect("a legal position")
    }

    pub fn bulk(board: &Board, depth: u32) -> u64 {
        let mut nodes = 0;
        board.generate_moves(|moves| {
            if depth == 1 {
                nodes += moves.len() as u64;
            } else {
                for mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    nodes += bulk(&child, depth - 1);
                }
            }
            false
        });
        nodes
    }

    pub fn walk(board: &Board, depth: u32) -> u64 {
        let mut nodes = 0;
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += if depth == 1 { super::keep(&child) } else { walk(&child, depth - 1) };
            }
            false
        });
        nodes
    }
}

mod shak {
    use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

    pub fn position(input: usize) -> Chess {
        let fen: Fen = super::POSITIONS[input].0.parse().expect("a FEN");
        fen.into_position(CastlingMode::Standard).expect("a legal position")
    }

    pub fn bulk(position: &Chess, depth: u32) -> u64 {
        let moves = position.legal_moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        let mut nodes = 0;
        for mv in &moves {
            let mut child = position.clone();
            child.play_unchecked(*mv);
            nodes += bulk(&child, depth - 1);
        }
        nodes
    }

    pub fn walk(position: &Chess, depth: u32) -> u64 {
        let mut nodes = 0;
        for mv in &position.legal_moves() {
            let mut child = position.clone();
            child.play_unchecked(*mv);
            nodes += if depth == 1 { super::keep(&child) } else { walk(&child, depth - 1) };
        }
        nodes
    }
}

mod chess_crate {
    use chess::{Board, MoveGen};

    pub fn position(input: usize) -> Board {
        super::POSITIONS[input].0.parse().expect("a legal position")
    }

    pub fn bulk(board: &Board, depth: u32) -> u64 {
        let moves = MoveGen::new_legal(board);
        if depth == 1 {
            return moves.len() as u64;
        }
        moves.map(|mv| bulk(&board.make_move_new(mv), depth - 1)).sum()
    }

    pub fn walk(board: &Board, depth: u32) -> u64 {
        MoveGen::new_legal(board)
            .map(|mv| {
                let child = board.make_move_new(mv);
                if depth == 1 { super::keep(&child) } else { walk(&child, depth - 1) }
            })
            .sum()
    }
}

/// Stockfish's own perft, if it is installed. Starting one process per position is included.
pub fn print_stockfish() {
    let binary = ["stockfish", "/usr/games/stockfish"]
        .into_iter()
        .find(|name| Command::new(name).arg("quit").stdout(Stdio::null()).status().is_ok());
    let Some(binary) = binary else {
        println!("Stockfish is not installed: skipped");
        return;
    };
    let (mut nodes, mut seconds) = (0, 0.0);
    for (fen, depth) in POSITIONS {
        let script = format!("position fen {fen}\ngo perft {depth}\nquit\n");
        let start = Instant::now();
        let child = Command::new(binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else { return };
        if let Some(mut input) = child.stdin.take() {
            use std::io::Write;
            if input.write_all(script.as_bytes()).is_err() {
                return;
            }
        }
        let Ok(output) = child.wait_with_output() else { return };
        seconds += start.elapsed().as_secs_f64();
        let text = String::from_utf8_lossy(&output.stdout);
        let total = text.lines().find_map(|line| line.strip_prefix("Nodes searched: "));
        nodes += total.and_then(|total| total.trim().parse::<u64>().ok()).unwrap_or_default();
    }
    println!(
        "Stockfish go perft, start-up included\n  {:<24} {:>10.2} M nodes/s",
        binary,
        nodes as f64 / seconds / 1e6
    );
}
