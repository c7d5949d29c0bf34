//! Positions for tests: random games with a fixed seed, so that a failure can be repeated.

use fastrand::Rng;
use ferz_board::{CastlingMode, Move, Position, Setup};

/// Start positions of games with every kind of move: standard, Chess960 and endings near promotion.
pub fn starts(rng: &mut Rng) -> Vec<Position> {
    let mut starts = vec![
        Position::start(),
        at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
        at("8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1"),
        at("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"),
        at("4rrk1/1p4pp/p1pbqn2/3p4/3P1P2/P1NQP3/1P1B2PP/R4RK1 w - - 0 1"),
    ];
    for _ in 0..6 {
        let setup = Setup::chess960(rng.u16(..960), rng.u16(..960)).expect("below 960");
        starts.push(Position::from_setup(&setup, CastlingMode::Chess960).expect("legal"));
    }
    starts
}

/// A position from its FEN.
pub fn at(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Every position of random games and the move that led to it.
pub fn for_each_position(
    seed: u64,
    games: usize,
    mut visit: impl FnMut(&Position, Option<(&Position, Move)>),
) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..games {
        for start in starts(&mut rng) {
            let mut position = start;
            visit(&position, None);
            for _ in 0..160 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves.as_slice()[rng.usize(..moves.len())];
                let before = position;
                before.play_into(mv, &mut position, &mut ());
                visit(&position, Some((&before, mv)));
            }
        }
    }
}
