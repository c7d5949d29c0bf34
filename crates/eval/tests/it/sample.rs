//! Positions to try the evaluation on: random games with a fixed seed, so a test that fails once fails again.

use ferz_board::{CastlingMode, Move, Position, Setup};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * bound as u128) >> 64) as usize
    }
}

/// Start positions of games that reach all there is: standard, Chess960 and endings near promotion.
pub fn starts(random: &mut Random) -> Vec<Position> {
    let mut starts = vec![
        Position::start(),
        at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
        at("8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1"),
        at("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"),
        at("4rrk1/1p4pp/p1pbqn2/3p4/3P1P2/P1NQP3/1P1B2PP/R4RK1 w - - 0 1"),
    ];
    for _ in 0..6 {
        let setup = Setup::chess960(random.below(960) as u16, random.below(960) as u16).expect("below 960");
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
    let mut random = Random::new(seed);
    for _ in 0..games {
        for start in starts(&mut random) {
            let mut position = start;
            visit(&position, None);
            for _ in 0..160 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves.as_slice()[random.below(moves.len())];
                let before = position;
                before.play_into(mv, &mut position, &mut ());
                visit(&position, Some((&before, mv)));
            }
        }
    }
}
