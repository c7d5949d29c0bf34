//! Output files of games.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::input;
use crate::new_file::NewFile;
use ferz_selfplay::data::header::{self, Header};
use ferz_selfplay::data::pack::{PackCount, Packer};
use ferz_selfplay::data::{ScoredGame, game_file};

/// Writes games in either format.
pub(super) enum GameSink {
    Plain { file: NewFile, buffer: Vec<u8>, count: PackCount },
    Packed { packer: Box<Packer<NewFile>>, path: PathBuf, count: PackCount },
}

impl GameSink {
    pub(super) fn new(mut file: NewFile, header: &Header, is_packed: bool) -> Result<GameSink> {
        let path = file.path().to_owned();
        let name = || input::name(&path);
        if is_packed {
            let packer = Box::new(Packer::new(file, header).with_context(name)?);
            return Ok(GameSink::Packed { packer, path, count: PackCount::default() });
        }
        header.write(header::GAMES, &mut file).with_context(name)?;
        Ok(GameSink::Plain { file, buffer: Vec::new(), count: PackCount::default() })
    }

    pub(super) fn push(&mut self, game: &ScoredGame) -> Result<()> {
        match self {
            GameSink::Plain { file, buffer, count } => {
                count.add(game);
                buffer.clear();
                game_file::write(game, buffer);
                file.write_all(buffer).with_context(|| input::name(file.path()))
            }
            GameSink::Packed { packer, path, count } => {
                count.add(game);
                packer.push(game).with_context(|| input::name(path))
            }
        }
    }

    /// Completes the file and counts its games and positions.
    pub(super) fn finish(self) -> Result<PackCount> {
        match self {
            GameSink::Plain { file, count, .. } => file.finish().map(|()| count),
            GameSink::Packed { packer, path, count } => {
                let file = packer.finish().with_context(|| input::name(&path))?;
                file.finish().map(|()| count)
            }
        }
    }
}
