//! Probing Syzygy tables, with `SYZYGY=dir`: random positions of all tables there, in memory after the first round.

use std::hint::black_box;
use std::path::PathBuf;
use std::rc::Rc;

use ferz_board::{Board, CastlingMode, Color, PieceType, Position, Setup, Square};
use ferz_syzygy::Tablebases;
use shakmaty::{Chess, fen::Fen};
use shakmaty_syzygy::Tablebase;

use crate::{Contender, Task};

/// Positions of each input.
const POSITIONS: usize = 5_000;
const INPUTS: usize = 8;

/// Both libraries with the same positions.
struct Suite {
    ferz: Tablebases,
    shakmaty: Tablebase<Chess>,
    positions: Vec<(Position, Chess)>,
}

pub fn tasks() -> Vec<Task> {
    let Some(directory) = std::env::var_os("SYZYGY").map(PathBuf::from) else {
        println!("SYZYGY is not set: no tasks with endgame tables");
        return Vec::new();
    };
    let ferz = Tablebases::open([&directory]).expect("a directory");
    // SAFETY: nobody writes to the tables while they are measured.
    let mut shakmaty = unsafe { Tablebase::with_mmap_filesystem() };
    shakmaty.add_directory(&directory).expect("a directory");
    let mut suite = Suite { ferz, shakmaty, positions: Vec::new() };
    suite.fill();
    let suite = Rc::new(suite);
    vec![
        task(&suite, "syzygy-wdl", Suite::ferz_wdl, Suite::shakmaty_wdl),
        task(&suite, "syzygy-dtz", Suite::ferz_dtz, Suite::shakmaty_dtz),
    ]
}

fn task(
    suite: &Rc<Suite>,
    name: &'static str,
    ferz: fn(&Suite, usize) -> i32,
    peer: fn(&Suite, usize) -> i32,
) -> Task {
    for number in 0..suite.positions.len() {
        assert_eq!(ferz(suite, number), peer(suite, number), "{}", suite.positions[number].0);
    }
    let contender = |name, probe: fn(&Suite, usize) -> i32| {
        let suite = Rc::clone(suite);
        let work = move |input| {
            for number in input * POSITIONS..(input + 1) * POSITIONS {
                black_box(probe(&suite, number));
            }
            POSITIONS as u64
        };
        Contender { name, work: Box::new(work) }
    };
    let contenders = vec![contender("ferz", ferz), contender("shakmaty-syzygy", peer)];
    Task { name, unit: "probes", inputs: INPUTS, contenders }
}

impl Suite {
    #[inline(always)]
    fn ferz_wdl(&self, number: usize) -> i32 {
        self.ferz.probe_wdl(&self.positions[number].0).expect("a table").value()
    }

    #[inline(always)]
    fn shakmaty_wdl(&self, number: usize) -> i32 {
        self.shakmaty.probe_wdl_after_zeroing(&self.positions[number].1).expect("a table") as i32
    }

    #[inline(always)]
    fn ferz_dtz(&self, number: usize) -> i32 {
        self.ferz.probe_dtz(&self.positions[number].0).expect("a table").get()
    }

    #[inline(always)]
    fn shakmaty_dtz(&self, number: usize) -> i32 {
        self.shakmaty.probe_dtz(&self.positions[number].1).expect("a table").ignore_rounding().into()
    }

    /// Finds random positions that the tables know.
    fn fill(&mut self) {
        let mut state = 0x5eed_u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        while self.positions.len() < POSITIONS * INPUTS {
            let men = 3 + random(u64::from(self.ferz.max_men()) - 2);
            let mut board = Board::empty();
            for man in 0..men {
                let piece_type = if man < 2 { PieceType::King } else { PieceType::ALL[random(5) as usize] };
                let color = if man < 2 { man } else { random(2) };
                let square = Square::wrapping(random(64) as u32);
                board.set(square, Some(piece_type.of(Color::ALL[color as usize])));
            }
            let setup = Setup { board, side_to_move: Color::ALL[random(2) as usize], ..Setup::empty() };
            let Ok(position) = Position::from_setup(&setup, CastlingMode::Standard) else { continue };
            if u64::from(position.occupied().len()) == men && self.ferz.probe_dtz(&position).is_ok() {
                let fen: Fen = position.to_string().parse().expect("a FEN");
                self.positions
                    .push((position, fen.into_position(shakmaty::CastlingMode::Standard).expect("legal")));
            }
        }
    }
}
