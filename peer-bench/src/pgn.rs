//! Reading PGN: the file in the variable `PGN`, repeated to 100 MB and streamed from memory.

use std::hint::black_box;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use ferz_board::Move;
use ferz_notation::pgn::{self, Movetext, Stop};
use pgn_reader::{RawTag, SanPlus, Skip};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen, zobrist::Zobrist64};

use crate::{Contender, Task};

const SIZE: usize = 100_000_000;

/// A repeated file as a stream.
struct Repeated {
    text: Arc<Vec<u8>>,
    at: usize,
    left: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.at = 0;
        }
        let count = buffer.len().min(self.text.len() - self.at).min(self.left);
        buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        self.left -= count;
        Ok(count)
    }
}

pub fn tasks() -> Vec<Task> {
    let Some(path) = std::env::var_os("PGN") else {
        println!("PGN is not set: no PGN tasks");
        return Vec::new();
    };
    let text = match std::fs::read(&path) {
        Ok(text) => Arc::new(text),
        Err(error) => {
            println!("{}: {error}: no PGN tasks", path.to_string_lossy());
            return Vec::new();
        }
    };
    let repeats = SIZE.div_ceil(text.len().max(1));
    let total = repeats * text.len();
    let contender = |name, read: fn(Repeated) -> (u64, u64)| {
        let text = Arc::clone(&text);
        Contender {
            name,
            work: Box::new(move |_| {
                let found = read(Repeated { text: Arc::clone(&text), at: 0, left: total });
                // Games and plies must agree; the unit of work is the byte.
                assert!(*FOUND.get_or_init(|| found) == found, "{name}: {found:?}");
                total as u64
            }),
        }
    };
    static FOUND: std::sync::OnceLock<(u64, u64)> = std::sync::OnceLock::new();
    let task = |name, contenders| Task { name, unit: "bytes", inputs: 1, contenders };
    if !cfg!(all(target_feature = "avx512f", target_feature = "avx512bw", target_feature = "avx512cd")) {
        let validate = vec![contender("ferz", validate), contender("pgn-reader", peer::validate)];
        let keys = vec![contender("ferz", read_keys), contender("pgn-reader", peer::read_keys)];
        return vec![task("pgn-validate-portable", validate), task("pgn-keys-portable", keys)];
    }
    vec![
        task("pgn-validate", vec![contender("ferz", validate), contender("pgn-reader", peer::validate)]),
        task("pgn-tokenise", vec![contender("ferz", tokenise), contender("pgn-reader", peer::tokenise)]),
        task("pgn-keys", vec![contender("ferz", read_keys), contender("pgn-reader", peer::read_keys)]),
        task("pgn-tree", vec![contender("ferz", build_trees), contender("pgn-reader", peer::validate)]),
        task("pgn-2-threads", vec![contender("ferz", validate_on_two), contender("one-thread", validate)]),
    ]
}

#[derive(Default)]
struct Validate {
    plies: u64,
}

impl pgn::Visitor for Validate {
    const VARIATIONS: bool = false;

    fn mv(&mut self, _: Option<Move>) -> ControlFlow<Stop> {
        self.plies += 1;
        ControlFlow::Continue(())
    }
}

/// Reads board and key of the position before every move.
#[derive(Default)]
struct Keys {
    plies: u64,
    pawns: u64,
    keys: u64,
}

impl pgn::Visitor for Keys {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;

    fn play(
        &mut self,
        before: &ferz_board::Position,
        _: Option<Move>,
        _: &ferz_board::Position,
    ) -> ControlFlow<Stop> {
        self.plies += 1;
        self.pawns ^= before.by_type(ferz_board::PieceType::Pawn).0;
        self.keys ^= before.key();
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Tokenise {
    plies: u64,
}

impl pgn::Visitor for Tokenise {
    const MOVETEXT: Movetext = Movetext::Tokens;
    const VARIATIONS: bool = false;

    fn san(&mut self, _: &[u8]) -> ControlFlow<Stop> {
        self.plies += 1;
        ControlFlow::Continue(())
    }
}

fn validate(file: Repeated) -> (u64, u64) {
    let (mut reader, mut visitor) = (pgn::Reader::new(file), Validate::default());
    while reader.read_game(&mut visitor).expect("reading from memory does not fail") {}
    (reader.games(), visitor.plies)
}

fn read_keys(file: Repeated) -> (u64, u64) {
    let (mut reader, mut visitor) = (pgn::Reader::new(file), Keys::default());
    while reader.read_game(&mut visitor).expect("reading from memory does not fail") {}
    black_box((visitor.pawns, visitor.keys));
    (reader.games(), visitor.plies)
}

fn tokenise(file: Repeated) -> (u64, u64) {
    let (mut reader, mut visitor) = (pgn::Reader::new(file), Tokenise::default());
    while reader.read_game(&mut visitor).expect("reading from memory does not fail") {}
    (reader.games(), visitor.plies)
}

/// Every game as a tree; the allocation is reused.
fn build_trees(file: Repeated) -> (u64, u64) {
    let (mut reader, mut tree, mut plies) = (pgn::Reader::new(file), pgn::GameTree::new(), 0);
    while tree.read(&mut reader).expect("reading from memory does not fail") {
        plies += tree.size() as u64;
    }
    (reader.games(), plies)
}

fn validate_on_two(file: Repeated) -> (u64, u64) {
    let (mut games, mut plies) = (0, 0);
    let work = |batch: &mut pgn::parallel::Batch<'_>| {
        let (mut visitor, mut games) = (Validate::default(), 0);
        while batch.read_game(&mut visitor) {
            games += 1;
        }
        (games, visitor.plies)
    };
    pgn::parallel::read(file, 2, work, |(more_games, more_plies), _| {
        games += more_games;
        plies += more_plies;
        Ok::<_, io::Error>(())
    })
    .expect("reading from memory does not fail");
    (games, plies)
}

mod peer {
    use super::*;
    use pgn_reader::{Reader, Visitor};

    #[derive(Default)]
    struct Validate {
        games: u64,
        plies: u64,
    }

    impl Visitor for Validate {
        type Tags = Option<Chess>;
        type Movetext = Chess;
        type Output = ();

        fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
            self.games += 1;
            ControlFlow::Continue(None)
        }

        fn tag(&mut self, start: &mut Option<Chess>, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
            if name == b"FEN" {
                let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
                *start = Some(fen.into_position(CastlingMode::Chess960).expect("legal"));
            }
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, start: Option<Chess>) -> ControlFlow<(), Chess> {
            ControlFlow::Continue(start.unwrap_or_default())
        }

        fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
            match san.san.to_move(position) {
                Ok(mv) => {
                    self.plies += 1;
                    position.play_unchecked(mv);
                    ControlFlow::Continue(())
                }
                Err(_) => ControlFlow::Break(()),
            }
        }

        fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
            ControlFlow::Continue(Skip(true))
        }

        fn end_game(&mut self, _: Chess) {}
    }

    /// The fastest way to a key before every move: it is updated by the move, and computed anew where that is not
    /// possible.
    #[derive(Default)]
    struct Keys {
        games: u64,
        plies: u64,
        pawns: u64,
        keys: u64,
    }

    impl Visitor for Keys {
        type Tags = Option<Chess>;
        type Movetext = (Chess, Zobrist64);
        type Output = ();

        fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
            self.games += 1;
            ControlFlow::Continue(None)
        }

        fn tag(&mut self, start: &mut Option<Chess>, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
            if name == b"FEN" {
                let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
                *start = Some(fen.into_position(CastlingMode::Chess960).expect("legal"));
            }
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, start: Option<Chess>) -> ControlFlow<(), (Chess, Zobrist64)> {
            let start = start.unwrap_or_default();
            let key = start.zobrist_hash(EnPassantMode::PseudoLegal);
            ControlFlow::Continue((start, key))
        }

        fn san(&mut self, (position, key): &mut (Chess, Zobrist64), san: SanPlus) -> ControlFlow<()> {
            match san.san.to_move(position) {
                Ok(mv) => {
                    self.plies += 1;
                    self.pawns ^= position.board().pawns().0;
                    self.keys ^= key.0;
                    let updated = position.update_zobrist_hash(*key, mv, EnPassantMode::PseudoLegal);
                    position.play_unchecked(mv);
                    *key = updated.unwrap_or_else(|| position.zobrist_hash(EnPassantMode::PseudoLegal));
                    ControlFlow::Continue(())
                }
                Err(_) => ControlFlow::Break(()),
            }
        }

        fn begin_variation(&mut self, _: &mut (Chess, Zobrist64)) -> ControlFlow<(), Skip> {
            ControlFlow::Continue(Skip(true))
        }

        fn end_game(&mut self, _: (Chess, Zobrist64)) {}
    }

    #[derive(Default)]
    struct Tokenise {
        games: u64,
        plies: u64,
    }

    impl Visitor for Tokenise {
        type Tags = ();
        type Movetext = ();
        type Output = ();

        fn begin_tags(&mut self) -> ControlFlow<()> {
            self.games += 1;
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn san(&mut self, (): &mut (), _: SanPlus) -> ControlFlow<()> {
            self.plies += 1;
            ControlFlow::Continue(())
        }

        fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
            ControlFlow::Continue(Skip(true))
        }

        fn end_game(&mut self, (): ()) {}
    }

    pub fn validate(file: Repeated) -> (u64, u64) {
        let (mut reader, mut visitor) = (Reader::new(file), Validate::default());
        while reader.read_game(&mut visitor).expect("reading from memory does not fail").is_some() {}
        (visitor.games, visitor.plies)
    }

    pub fn read_keys(file: Repeated) -> (u64, u64) {
        let (mut reader, mut visitor) = (Reader::new(file), Keys::default());
        while reader.read_game(&mut visitor).expect("reading from memory does not fail").is_some() {}
        black_box((visitor.pawns, visitor.keys));
        (visitor.games, visitor.plies)
    }

    pub fn tokenise(file: Repeated) -> (u64, u64) {
        let (mut reader, mut visitor) = (Reader::new(file), Tokenise::default());
        while reader.read_game(&mut visitor).expect("reading from memory does not fail").is_some() {}
        (visitor.games, visitor.plies)
    }
}
