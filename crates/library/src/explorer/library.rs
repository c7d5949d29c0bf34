//! The games of a library.

use std::path::Path;
use std::time::SystemTime;

use super::error::IndexError;
use super::index::{Index, IndexReader};
use super::pgn;
use super::stats::MAX_ID;
use crate::Library;
use crate::library::{ChangeMark, Changes};

/// Games in one change of the index: what is lost if the program ends meanwhile.
const BATCH: usize = 200_000;

/// The openings of the games in a library, which follow its changes.
///
/// The index notes the last change that it has seen, and reads only what changed since, whoever changed it.
#[derive(Debug)]
pub struct LibraryIndex {
    index: Index,
    batch: usize,
}

impl LibraryIndex {
    /// Opens the index of a library in this folder. It begins empty if there is none, if it is damaged, or if it belongs
    /// to a different file.
    pub fn open(folder: &Path, library: &Library) -> Result<LibraryIndex, IndexError> {
        let created = library.path().metadata().and_then(|data| data.created()).ok();
        let created = created.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let label = format!("{} {}", library.path().display(), created.unwrap_or_default().as_nanos());
        Ok(LibraryIndex { index: Index::open_or_replace(folder, &label)?, batch: BATCH })
    }

    /// Commits after this many games. For tests of crashes.
    #[doc(hidden)]
    #[must_use]
    pub fn with_batch(self, batch: usize) -> LibraryIndex {
        LibraryIndex { batch, ..self }
    }

    /// Reads the games that changed since the last update. `progress` is called with the number of games that were read,
    /// after each of them.
    ///
    /// Each batch of games is committed, so that an update that was interrupted goes on where it was. The index is built
    /// again from the start in two cases: it is damaged, or games were removed for good before it saw them deleted.
    pub fn update(&mut self, library: &mut Library, mut progress: impl FnMut(u64)) -> Result<(), IndexError> {
        let mut read = 0;
        let mut is_repaired = false;
        loop {
            match self.update_batch(library, &mut read, &mut progress) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if error.is_damage() && !is_repaired => {
                    is_repaired = true;
                    self.index.clear()?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a batch. Returns whether it was the last one.
    fn update_batch(
        &mut self,
        library: &mut Library,
        read: &mut u64,
        progress: &mut impl FnMut(u64),
    ) -> Result<bool, IndexError> {
        let mark = ChangeMark::from_text(self.index.mark()).unwrap_or_default();
        let mut update = self.index.update();
        let changes = library.changes(&mark, self.batch, |id, text| {
            // A file from elsewhere may have any number.
            if id < MAX_ID {
                let game = text.and_then(pgn::first_game);
                update.replace(id, game.as_ref().map(|(game, line)| (game, line)))?;
            }
            *read += 1;
            progress(*read);
            Ok::<(), IndexError>(())
        })?;
        match changes {
            Changes::Read { mark: now, games, is_end }
                if games.is_none_or(|games| games == update.games()) =>
            {
                if now != mark {
                    update.set_mark(now.to_text());
                    update.commit()?;
                }
                if !is_end {
                    self.index.merge()?;
                }
                Ok(is_end)
            }
            // A different history, or games that are gone without a trace.
            Changes::Read { .. } | Changes::Foreign => {
                self.index.clear()?;
                Ok(false)
            }
        }
    }

    /// Merges files, so that queries stay fast. To be called after an update, which is visible without it.
    pub fn merge(&mut self) -> Result<(), IndexError> {
        self.index.merge()
    }

    /// Takes all games out, so that the next update reads them again.
    pub fn clear(&mut self) -> Result<(), IndexError> {
        self.index.clear()
    }

    /// A view of the index as it is now.
    #[must_use]
    pub fn reader(&self) -> IndexReader {
        self.index.reader()
    }

    /// The size of the index in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.index.size()
    }
}
