//! Output files of games.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::input;
use ferz_selfplay::data::header::{self, Header};
use ferz_selfplay::data::pack::{PackCount, Packer};
use ferz_selfplay::data::{ScoredGame, game_file};

/// A file that gets its name only when it is complete.
#[derive(Debug)]
pub(super) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
    /// `None` when complete.
    writer: Option<BufWriter<File>>,
}

impl NewFile {
    /// Creates a file, which must not be one of the inputs.
    pub(super) fn create(path: &Path, inputs: &[PathBuf]) -> Result<NewFile> {
        let same = |input: &PathBuf| matches!((input.canonicalize(), path.canonicalize()), (Ok(input), Ok(output)) if input == output);
        if inputs.iter().any(same) {
            bail!("{}: is an input file, too; choose a different output file", input::name(path));
        }
        if path.is_dir() {
            bail!("{}: is a folder", input::name(path));
        }
        // Renaming would replace a device.
        if path.exists() && !path.is_file() {
            bail!("{}: not a file", input::name(path));
        }
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let temporary = PathBuf::from(name);
        let file = File::create(&temporary).with_context(|| input::name(path))?;
        Ok(NewFile {
            path: path.to_owned(),
            temporary,
            writer: Some(BufWriter::with_capacity(1 << 18, file)),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the file and renames it.
    pub(super) fn finish(mut self) -> Result<()> {
        self.close().with_context(|| input::name(&self.path))
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        let done = writer.flush().and_then(|()| writer.get_ref().sync_data());
        let done = done.and_then(|()| fs::rename(&self.temporary, &self.path));
        if done.is_err() {
            let _ = fs::remove_file(&self.temporary);
        }
        done
    }
}

/// Removes an incomplete file.
impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            drop(writer.into_parts());
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

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
