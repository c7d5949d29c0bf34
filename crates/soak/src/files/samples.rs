//! Whole files of every kind, made here.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use ferz_board::{Move, Position};
use ferz_eval::NetworkParameters;
use ferz_notation::epd::Epd;
use ferz_notation::polyglot::BookBuilder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::embedded;
use crate::random::Random;

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// A net of our own kind.
    Net,
    HalfKp,
    Book,
    Pgn,
    /// PGN packed by zstd.
    Zst,
    Epd,
    /// What `ferz datagen` writes.
    Games,
    /// What `ferz data pack` makes of it.
    Packed,
}

impl Kind {
    pub(super) fn extension(self) -> &'static str {
        match self {
            Kind::Net | Kind::HalfKp => "nnue",
            Kind::Book => "bin",
            Kind::Pgn => "pgn",
            Kind::Zst => "pgn.zst",
            Kind::Epd => "epd",
            Kind::Games => "games",
            Kind::Packed => "pack",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A whole file.
pub(super) struct Sample {
    pub(super) kind: Kind,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn all(ferz: &Path, folder: &Path) -> Result<Vec<Sample>> {
    let games = random_games();
    let text = pgn(&games);
    let [played, packed] = ["sample.games", "sample.pack"].map(|name| folder.join(name));
    let datagen = ["datagen", "--games", "20", "--nodes", "50", "--hash", "1", "--chess960", "30", "--out"];
    run(Command::new(ferz).args(datagen).arg(&played))?;
    run(Command::new(ferz).args(["data", "pack"]).arg(&played).arg("--out").arg(&packed))?;
    let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    let raw = compress_to_vec(text.as_bytes(), CompressionLevel::Uncompressed);
    let compressed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    Ok([
        (Kind::Net, NetworkParameters::noise(32, 1, 1).to_bytes()),
        (Kind::Net, read(Path::new(&embedded::net()))?),
        (Kind::HalfKp, halfkp()),
        (Kind::Book, book(&games)),
        (Kind::Pgn, text.clone().into_bytes()),
        (Kind::Zst, raw),
        (Kind::Zst, compressed),
        (Kind::Epd, epd(&games).into_bytes()),
        (Kind::Games, read(&played)?),
        (Kind::Packed, read(&packed)?),
    ]
    .map(|(kind, bytes)| Sample { kind, bytes })
    .into())
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Positions that readers are asked about: the beginnings of the games.
pub(super) fn positions() -> &'static [Position] {
    static POSITIONS: LazyLock<Vec<Position>> = LazyLock::new(|| {
        let beginnings = random_games().into_iter().take(4).flat_map(|game| game.into_iter().take(12));
        beginnings.map(|(position, _)| position).collect()
    });
    &POSITIONS
}

/// Games as they come, with the positions before the moves.
fn random_games() -> Vec<Vec<(Position, Move)>> {
    let mut random = Random::new(7);
    let mut game = || {
        let mut position = Position::start();
        let mut moves = Vec::new();
        for _ in 0..20 + random.below(60) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = *random.pick(&legal);
            moves.push((position, mv));
            position.play_unchecked(mv);
        }
        moves
    };
    (0..12).map(|_| game()).collect()
}

fn pgn(games: &[Vec<(Position, Move)>]) -> String {
    use ferz_notation::pgn::{GameTree, NodeId, WriteOptions};

    let write = |(number, game): (usize, &Vec<(Position, Move)>)| {
        let mut tree = GameTree::new();
        let mut node = NodeId::ROOT;
        for (ply, &(position, mv)) in game.iter().enumerate() {
            if ply % 9 == 4 {
                let other = position.legal_moves().into_iter().find(|&it| it != mv);
                node = tree.add_move(node, mv).map_or(node, |next| {
                    // A variation beside the move that was played.
                    if let (Some(parent), Some(other)) = (tree.parent(next), other) {
                        let _ = tree.add_move(parent, other);
                    }
                    tree.add_comment(next, "a comment [%clk 0:00:10] \u{e9}\u{2654}");
                    next
                });
            } else {
                node = tree.add_move(node, mv).unwrap_or(node);
            }
        }
        let _ = tree.set_tag("Event", &format!("Game \"{number}\" \\"));
        tree.to_pgn(&WriteOptions::default())
    };
    games.iter().enumerate().map(write).collect::<Vec<_>>().join("\n")
}

fn epd(games: &[Vec<(Position, Move)>]) -> String {
    let positions = games.iter().flat_map(|game| game.iter().step_by(7));
    let lines =
        positions.map(|(position, _)| format!("{} id \"a; b\"; acd 12; ce -31;\n", Epd::new(*position)));
    lines.collect()
}

fn book(games: &[Vec<(Position, Move)>]) -> Vec<u8> {
    let mut builder = BookBuilder::new();
    for (position, mv) in games.iter().flatten() {
        builder.add(position, *mv, 2).expect("moves of games are legal");
    }
    let mut bytes = Vec::new();
    builder.build().write(&mut bytes).expect("a vector takes everything");
    bytes
}

/// Small weights in the format of Stockfish 12.
fn halfkp() -> Vec<u8> {
    let mut random = Random::new(12);
    let mut bytes = Vec::new();
    for number in [0x7AF3_2F16_u32, 0x3E5A_A6EE, 5] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(b"noise");
    bytes.extend(0x5D69_D7B8_u32.to_le_bytes());
    for _ in 0..256 * (1 + 64 * 641) / 4 {
        let number = random.next();
        let weight = |i: u32| (i64::from((number >> (16 * i)) as u16 % 61) - 30) as i16;
        bytes.extend((0..4).flat_map(|i| weight(i).to_le_bytes()));
    }
    bytes.extend(0x6333_7156_u32.to_le_bytes());
    for (biases, weights) in [(32, 512 * 32), (32, 32 * 32), (1, 32)] {
        bytes.extend((0..biases).flat_map(|i: i32| (100 * i).to_le_bytes()));
        bytes.extend((0..weights).map(|_| random.next() as u8));
    }
    bytes
}
