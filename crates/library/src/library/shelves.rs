//! Tags and folders.

use std::collections::HashSet;

use rusqlite::params;

use super::{Library, MAX_DIFFERENT_TAGS, MAX_FOLDER_NAME, MAX_FOLDERS, MAX_TAG, MAX_TAGS, is_name};
use crate::{GameId, LibraryError};

impl Library {
    /// Adds tags to games and removes others.
    pub fn tag(&mut self, games: &[GameId], add: &[String], remove: &[String]) -> Result<(), LibraryError> {
        let is_good = |tag: &String| is_name(tag, MAX_TAG);
        if !add.iter().all(is_good) {
            return Err(LibraryError::Refused("a tag has 1 to 60 characters on one line"));
        }
        // Each is a statement for each game.
        if add.len().max(remove.len()) > MAX_TAGS {
            return Err(LibraryError::Refused("at most 32 tags can be added or removed at once"));
        }
        self.refresh()?;
        let mut different: HashSet<&str> =
            self.catalogue.all_tags().values().flatten().map(String::as_str).collect();
        let before = different.len();
        different.extend(add.iter().map(|tag| tag.trim()));
        if different.len() > MAX_DIFFERENT_TAGS.max(before) {
            return Err(LibraryError::Refused("a library has at most 1,000 different tags"));
        }
        self.change_games(games, |transaction, changed, game| {
            for tag in remove {
                transaction
                    .prepare_cached("DELETE FROM tag WHERE game = ?1 AND tag = ?2")?
                    .execute(params![game, tag])?;
            }
            for tag in add {
                transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO tag (game, tag) SELECT id, ?2 FROM game WHERE id = ?1 \
                         AND (SELECT count(*) FROM tag WHERE game = ?1) < ?3",
                    )?
                    .execute(params![game, tag.trim(), MAX_TAGS as i64])?;
            }
            transaction
                .prepare_cached("UPDATE game SET changed = ?2 WHERE id = ?1")?
                .execute(params![game, changed])
        })
    }

    /// Moves games to a folder; `None` is no folder.
    pub fn move_to(&mut self, games: &[GameId], folder: Option<u64>) -> Result<(), LibraryError> {
        if let Some(folder) = folder {
            self.expect_folder(folder)?;
        }
        let folder = folder.unwrap_or(0) as i64;
        self.change_games(games, |transaction, changed, game| {
            transaction
                .prepare_cached("UPDATE game SET folder = ?3, changed = ?2 WHERE id = ?1")?
                .execute(params![game, changed, folder])
        })
    }

    fn expect_folder(&mut self, folder: u64) -> Result<(), LibraryError> {
        self.refresh()?;
        if self.folders.contains_key(&folder) { Ok(()) } else { Err(LibraryError::NoFolder(folder)) }
    }

    /// Makes a folder. One of the same name is returned instead of making a second.
    pub fn make_folder(&mut self, name: &str) -> Result<u64, LibraryError> {
        let name = folder_name(name)?;
        self.refresh()?;
        if self.folders.len() >= MAX_FOLDERS {
            return Err(LibraryError::Refused("a library has at most 1,000 folders"));
        }
        self.change(|transaction, _| {
            transaction.execute("INSERT OR IGNORE INTO folder (name) VALUES (?1)", [name])?;
            Ok(transaction
                .query_row("SELECT id FROM folder WHERE name = ?1", [name], |row| row.get::<_, i64>(0))?
                as u64)
        })
    }

    /// Renames a folder.
    pub fn rename_folder(&mut self, folder: u64, name: &str) -> Result<(), LibraryError> {
        let name = folder_name(name)?;
        self.expect_folder(folder)?;
        if self.folders.iter().any(|(&id, known)| id != folder && known == name) {
            return Err(LibraryError::Refused("there is a folder of this name"));
        }
        self.change(|transaction, _| {
            transaction.execute("UPDATE folder SET name = ?2 WHERE id = ?1", params![folder as i64, name])?;
            Ok(())
        })
    }

    /// Deletes a folder. Its games stay in the library.
    pub fn delete_folder(&mut self, folder: u64) -> Result<(), LibraryError> {
        self.expect_folder(folder)?;
        self.change(|transaction, changed| {
            transaction.execute(
                "UPDATE game SET folder = 0, changed = ?2 WHERE folder = ?1",
                params![folder as i64, changed],
            )?;
            transaction.execute("DELETE FROM folder WHERE id = ?1", [folder as i64])?;
            Ok(())
        })
    }
}

fn folder_name(name: &str) -> Result<&str, LibraryError> {
    if is_name(name, MAX_FOLDER_NAME) {
        Ok(name.trim())
    } else {
        Err(LibraryError::Refused("the name of a folder has 1 to 100 characters on one line"))
    }
}
