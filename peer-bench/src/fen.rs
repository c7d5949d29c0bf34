//! Parsing and writing FEN.

use std::hint::black_box;

use crate::{Contender, Task};

/// Positions from all phases of a game.
pub const FENS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "rnbqkbnr/ppp1p1pp/5p2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
];

const REPEATS: usize = 20_000;

pub fn tasks() -> Vec<Task> {
    let contender = |name, work: fn(&str) -> String| Contender {
        name,
        work: Box::new(move |input| {
            let mut bytes = 0;
            for _ in 0..REPEATS {
                let text = work(black_box(FENS[input]));
                assert!(text == FENS[input]);
                bytes += text.len();
            }
            bytes as u64
        }),
    };
    let ferz = |fen: &str| ferz_board::Position::from_fen(fen).expect("legal").to_string();
    let shakmaty = |fen: &str| {
        use shakmaty::{CastlingMode, Chess, EnPassantMode, fen::Fen};
        let position: Chess =
            fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("legal");
        Fen::from_position(&position, EnPassantMode::Legal).to_string()
    };
    let cozy = |fen: &str| cozy_chess::Board::from_fen(fen, false).expect("legal").to_string();
    vec![Task {
        name: "fen",
        unit: "bytes",
        inputs: FENS.len(),
        contenders: vec![
            contender("ferz", ferz),
            contender("shakmaty", shakmaty),
            contender("cozy-chess", cozy),
        ],
    }]
}
