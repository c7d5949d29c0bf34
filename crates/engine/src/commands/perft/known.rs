//! The positions of the Chess Programming Wiki's page "Perft Results".

use clap::Args;

/// A position, and its leaves at depth 1, 2 …
struct KnownPosition {
    fen: &'static str,
    leaves: &'static [u64],
}

const START: KnownPosition = KnownPosition {
    fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    leaves: &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
};

const KIWIPETE: KnownPosition = KnownPosition {
    fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    leaves: &[48, 2_039, 97_862, 4_085_603, 193_690_690],
};

const POSITION_3: KnownPosition = KnownPosition {
    fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    leaves: &[14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661],
};

const POSITION_4: KnownPosition = KnownPosition {
    fen: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    leaves: &[6, 264, 9_467, 422_333, 15_833_292],
};

const POSITION_5: KnownPosition = KnownPosition {
    fen: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    leaves: &[44, 1_486, 62_379, 2_103_487, 89_941_194],
};

const POSITION_6: KnownPosition = KnownPosition {
    fen: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    leaves: &[46, 2_079, 89_890, 3_894_594, 164_075_551],
};

/// A famous position instead of a FEN.
#[derive(Args)]
#[group(id = "known", multiple = false, conflicts_with_all = ["fen", "suite"])]
pub(super) struct KnownPositions {
    /// Count from the second position of the Wiki's Perft Results: castling, en passant, pins, promotions
    #[arg(long)]
    kiwipete: bool,

    /// Count from the third: en passant that uncovers a king
    #[arg(long)]
    position3: bool,

    /// Count from the fourth: promotions and castling under attack
    #[arg(long)]
    position4: bool,

    /// Count from the fifth: a position in which many programs were wrong
    #[arg(long)]
    position5: bool,

    /// Count from the sixth: a middlegame
    #[arg(long)]
    position6: bool,
}

impl KnownPositions {
    /// The FEN of the chosen position.
    pub(super) fn fen(&self) -> Option<&'static str> {
        let options = [
            (self.kiwipete, KIWIPETE),
            (self.position3, POSITION_3),
            (self.position4, POSITION_4),
            (self.position5, POSITION_5),
            (self.position6, POSITION_6),
        ];
        options.into_iter().find(|(chosen, _)| *chosen).map(|(_, known)| known.fen)
    }
}

/// All of them as the text of a suite.
pub(super) fn suite() -> String {
    let known = [START, KIWIPETE, POSITION_3, POSITION_4, POSITION_5, POSITION_6];
    let line = |known: &KnownPosition| {
        let counts = (1..).zip(known.leaves).map(|(depth, leaves)| format!(" ;D{depth} {leaves}"));
        format!("{}{}\n", known.fen, counts.collect::<String>())
    };
    known.iter().map(line).collect()
}
