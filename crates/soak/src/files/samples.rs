//! Valid files of every kind.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use ferz_board::{Move, Position};
use ferz_eval::NetworkParameters;
use ferz_notation::epd::Epd;
use ferz_notation::polyglot::BookBuilder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::random::RandomChoice as _;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum FileKind {
    /// A net in Ferz's own format.
    Net,
    HalfKp,
    Book,
    Pgn,
    /// PGN compressed by zstd.
    Zst,
    Epd,
    /// Written by `ferz datagen`.
    Games,
    /// Written by `ferz data pack`.
    Packed,
}

impl FileKind {
    pub(super) fn extension(self) -> &'static str {
        match self {
            FileKind::Net | FileKind::HalfKp => "nnue",
            FileKind::Book => "bin",
            FileKind::Pgn => "pgn",
            FileKind::Zst => "pgn.zst",
            FileKind::Epd => "epd",
            FileKind::Games => "games",
            FileKind::Packed => "pack",
        }
    }
}

/// A valid file.
pub(super) struct SampleFile {
    pub(super) kind: FileKind,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn all(ferz: &Path, folder: &Path) -> Result<Vec<SampleFile>> {
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
        (FileKind::Net, NetworkParameters::noise(32, 1, 1).to_bytes()),
        (FileKind::Net, NetworkParameters::noise(256, 8, 2).to_bytes()),
        (FileKind::HalfKp, halfkp()),
        (FileKind::Book, book(&games)),
        (FileKind::Pgn, text.clone().into_bytes()),
        (FileKind::Zst, raw),
        (FileKind::Zst, compressed),
        (FileKind::Epd, epd(&games).into_bytes()),
        (FileKind::Games, read(&played)?),
        (FileKind::Packed, read(&packed)?),
    ]
    .map(|(kind, bytes)| SampleFile { kind, bytes })
    .into())
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Positions to evaluate and to look up: the beginnings of the games.
pub(super) fn positions() -> &'static [Position] {
    static POSITIONS: LazyLock<Vec<Position>> = LazyLock::new(|| {
        let beginnings = random_games().into_iter().take(4).flat_map(|game| game.into_iter().take(12));
        beginnings.map(|(position, _)| position).collect()
    });
    &POSITIONS
}

/// Random moves, each with the position before it.
fn random_games() -> Vec<Vec<(Position, Move)>> {
    let mut random = Rng::with_seed(7);
    let mut game = || {
        let mut position = Position::start();
        let mut moves = Vec::new();
        for _ in 0..20 + random.usize(..60) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = random.pick(&legal);
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
            let parent = node;
            node = tree.add_move(parent, mv).expect("moves of games are legal");
            if ply % 9 == 4 {
                if let Some(other) = position.legal_moves().into_iter().find(|&it| it != mv) {
                    tree.add_move(parent, other).expect("legal moves are legal");
                }
                tree.add_comment(node, "a comment [%clk 0:00:10] \u{e9}\u{2654}");
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
    builder.build().write(&mut bytes).expect("writing to memory does not fail");
    bytes
}

/// Small weights in the format of Stockfish 12.
fn halfkp() -> Vec<u8> {
    let mut random = Rng::with_seed(12);
    let mut bytes = Vec::new();
    for number in [0x7AF3_2F16_u32, 0x3E5A_A6EE, 5] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(b"noise");
    bytes.extend(0x5D69_D7B8_u32.to_le_bytes());
    bytes.extend((0..256 * (1 + 64 * 641)).flat_map(|_| random.i16(-30..=30).to_le_bytes()));
    bytes.extend(0x6333_7156_u32.to_le_bytes());
    for (biases, weights) in [(32, 512 * 32), (32, 32 * 32), (1, 32)] {
        bytes.extend((0..biases).flat_map(|i: i32| (100 * i).to_le_bytes()));
        bytes.extend((0..weights).map(|_| random.u8(..)));
    }
    bytes
}
