//! A library of games.

mod shelves;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::catalogue::{Catalogue, Filter, RESULTS, Row, result_code};
use crate::facts::{GameFacts, MAX_VALUE, shortened};
use crate::import::{MIN_RUN, Place, insert_game};
use crate::query::{Query, Sort, date_number};
use crate::reached::{self, BUCKETS, MAX_RUN, RunBuilder};
use crate::schema::{self, OpenFile};
use crate::{GameId, LibraryError, MAX_GAME, fnv1a};

/// How long deleted games are kept.
const KEPT_DELETED: Duration = Duration::from_secs(30 * 24 * 3600);
/// The longest name of a folder, in characters.
const MAX_FOLDER_NAME: usize = 100;
/// The most folders.
const MAX_FOLDERS: usize = 1_000;
/// The longest tag, in characters.
const MAX_TAG: usize = 60;
/// The most tags of a game, and of a change.
const MAX_TAGS: usize = 32;
/// The most different tags.
const MAX_DIFFERENT_TAGS: usize = 1_000;

/// A library of games in a file.
///
/// Several programs, and several of these in one program, may use the same file: each sees what the others have done when
/// it is next asked.
pub struct Library {
    connection: Connection,
    path: PathBuf,
    is_writable: bool,
    /// How long to wait for other programs.
    patience: Duration,
    catalogue: Catalogue,
    folders: BTreeMap<u64, String>,
    seen: Seen,
}

/// The state of the file that the catalogue has been read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Seen {
    /// The number of the last change.
    change: i64,
    /// How many times games were removed for good.
    purges: i64,
}

/// How far someone has read the changes of a library: up to this game of this change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ChangeMark {
    change: i64,
    game: i64,
    /// The hash of its text, by which a different library is recognised.
    hash: i64,
    purges: i64,
}

impl ChangeMark {
    pub(crate) fn to_text(self) -> String {
        format!("{} {} {} {}", self.change, self.game, self.hash, self.purges)
    }

    pub(crate) fn from_text(text: &str) -> Option<ChangeMark> {
        let mut numbers = text.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(ChangeMark { change: next()?, game: next()?, hash: next()?, purges: next()? })
    }
}

/// What [`Library::changes`] has found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Changes {
    Read {
        mark: ChangeMark,
        /// The number of games that are not deleted, if this was the end and some were removed for good since the mark:
        /// the reader may have missed that.
        games: Option<u64>,
        is_end: bool,
    },
    /// The mark is not of this library, or of an older copy of it.
    Foreign,
}

/// A page of a list.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Page {
    /// How many games satisfy the query.
    pub total: usize,
    /// The games of this page.
    pub games: Vec<ListedGame>,
}

/// A game in a list.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ListedGame {
    /// Its number.
    pub id: GameId,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The event.
    pub event: String,
    /// The site.
    pub site: String,
    /// The round.
    pub round: String,
    /// The date as written.
    pub date: String,
    /// White's rating.
    pub white_elo: Option<u16>,
    /// Black's rating.
    pub black_elo: Option<u16>,
    /// The result.
    pub result: &'static str,
    /// The ECO code.
    pub eco: String,
    /// The name of the opening.
    pub opening: String,
    /// The length of the main line.
    pub plies: usize,
    /// The folder.
    pub folder: Option<u64>,
    /// The tags.
    pub tags: Vec<String>,
    /// When it came into the library, in milliseconds since 1970.
    pub added_ms: u64,
}

/// What a library contains.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The number of games that are not deleted.
    pub games: usize,
    /// The number of deleted games.
    pub deleted: usize,
    /// The folders by name.
    pub folders: Vec<Folder>,
    /// The tags by name.
    pub tags: Vec<TagCount>,
}

/// A folder of games.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Folder {
    /// Its number, from 1.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The number of its games that are not deleted.
    pub games: usize,
}

/// A tag of games.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// The number of its games that are not deleted.
    pub games: usize,
}

impl Library {
    /// Opens a library, and makes one if there is no file. If the file cannot be written, it is only read.
    pub fn open(path: impl AsRef<Path>) -> Result<Library, LibraryError> {
        let OpenFile { connection, path, is_writable } = schema::open(path.as_ref())?;
        Ok(Library {
            connection,
            path,
            is_writable,
            patience: schema::BUSY_TIMEOUT,
            catalogue: Catalogue::default(),
            folders: BTreeMap::new(),
            seen: Seen::default(),
        })
    }

    /// Reads the list and sorts it in every order, which otherwise happens when it is first needed.
    pub fn prepare(&mut self) -> Result<(), LibraryError> {
        self.refresh()?;
        Sort::ALL.into_iter().for_each(|sort| self.catalogue.prepare(sort));
        Ok(())
    }

    /// Sets how long to wait for other programs that write. After that there is a [`LibraryError::Busy`].
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), LibraryError> {
        self.connection.busy_timeout(patience)?;
        self.patience = patience;
        Ok(())
    }

    /// Does something without waiting for other programs.
    pub fn without_waiting<T>(
        &mut self,
        work: impl FnOnce(&mut Library) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let result = work(self);
        self.connection.busy_timeout(self.patience)?;
        result
    }

    /// The number of games that are not deleted, without reading the list.
    pub fn count(&self) -> Result<usize, LibraryError> {
        count(&self.connection)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the library can be changed.
    pub fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// The number of the last change that anyone made to the library.
    pub fn change_number(&self) -> Result<i64, LibraryError> {
        Ok(seen(&self.connection)?.change)
    }

    /// Calls `each` with the games that changed after a mark, the earliest change first, at most `most`. Without a text the
    /// game is deleted. All is of the same moment.
    pub(crate) fn changes<E: From<LibraryError>>(
        &mut self,
        since: &ChangeMark,
        most: usize,
        mut each: impl FnMut(GameId, Option<&[u8]>) -> Result<(), E>,
    ) -> Result<Changes, E> {
        let mut read = || -> Result<Result<Changes, E>, LibraryError> {
            let transaction = self.connection.transaction()?;
            let now = seen(&transaction)?;
            let is_first = *since == ChangeMark::default();
            if !is_first && !follows(&transaction, since, &now)? {
                return Ok(Ok(Changes::Foreign));
            }
            let mut mark = *since;
            let mut left = most;
            let mut statement = transaction.prepare_cached(
                "SELECT id, changed, hash, CASE WHEN deleted_ms IS NULL THEN text END \
                 FROM game INDEXED BY game_changed LEFT JOIN pgn ON pgn.game = id \
                 WHERE changed >= ?1 AND (changed > ?1 OR id > ?2) ORDER BY changed, id LIMIT ?3",
            )?;
            let mut rows = statement.query(params![mark.change, mark.game, most as i64])?;
            while let Some(row) = rows.next()? {
                (mark.game, mark.change, mark.hash) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let text = match row.get_ref(3)? {
                    ValueRef::Blob(text) => Some(text),
                    _ => None,
                };
                if let Err(error) = each(mark.game as GameId, text) {
                    return Ok(Err(error));
                }
                left -= 1;
            }
            let is_end = left > 0;
            let games = if is_end && now.purges != since.purges && !is_first {
                Some(count(&transaction)? as u64)
            } else {
                None
            };
            if is_end || is_first {
                mark.purges = now.purges;
            }
            if is_end {
                // The game of the mark may have been removed for good: the next mark needs one that exists.
                let last = "SELECT id, changed, hash FROM game ORDER BY changed DESC, id DESC LIMIT 1";
                let last = transaction.prepare_cached(last)?.query_row([], |row| {
                    Ok(ChangeMark { game: row.get(0)?, change: row.get(1)?, hash: row.get(2)?, ..mark })
                });
                mark = last.optional()?.unwrap_or_default();
            }
            Ok(Ok(Changes::Read { mark, games, is_end }))
        };
        read().map_err(E::from).flatten()
    }

    /// Reads what has changed in the file. Called by everything that answers from the list.
    fn refresh(&mut self) -> Result<(), LibraryError> {
        // One transaction, so that everything is of the same moment.
        let transaction = self.connection.transaction()?;
        let now = seen(&transaction)?;
        if now == self.seen {
            return Ok(());
        }
        if now.purges != self.seen.purges || self.seen == Seen::default() {
            self.catalogue = Catalogue::default();
            self.seen.change = -1;
        }
        let rows = read_rows(&transaction, self.seen.change, &mut self.catalogue)?;
        let mut tags = transaction.prepare_cached("SELECT tag FROM tag WHERE game = ?1 ORDER BY tag")?;
        if self.seen.change < 0 {
            let mut all = transaction.prepare("SELECT game, tag FROM tag ORDER BY game, tag")?;
            let mut found = all.query([])?;
            let mut by_game: BTreeMap<i64, Vec<String>> = BTreeMap::new();
            while let Some(row) = found.next()? {
                let of_game = by_game.entry(row.get(0)?).or_default();
                of_game.extend(name_in(row.get_ref(1)?, MAX_TAG).filter(|_| of_game.len() < MAX_TAGS));
            }
            for (game, tags) in by_game {
                self.catalogue.set_tags(game as GameId, tags);
            }
        } else {
            for row in &rows {
                let found = tags.query_map([row.id as i64], |row| Ok(name_in(row.get_ref(0)?, MAX_TAG)))?;
                let found = found.filter_map(Result::transpose).take(MAX_TAGS).collect::<Result<_, _>>()?;
                self.catalogue.set_tags(row.id, found);
            }
        }
        self.catalogue.update(rows);
        let mut folders = transaction.prepare_cached("SELECT id, name FROM folder ORDER BY id")?;
        let entries = folders.query_map([], |row| {
            let name = name_in(row.get_ref(1)?, MAX_FOLDER_NAME);
            Ok(Some(row.get::<_, i64>(0)? as u64).zip(name))
        })?;
        self.folders = entries.filter_map(Result::transpose).take(MAX_FOLDERS).collect::<Result<_, _>>()?;
        self.seen = now;
        Ok(())
    }

    /// A page of the games that satisfy a query: `count` of them from place `from` of the list on.
    pub fn list(
        &mut self,
        query: &Query,
        sort: Sort,
        is_descending: bool,
        from: usize,
        count: usize,
    ) -> Result<Page, LibraryError> {
        let places = self.select(query, sort, is_descending)?;
        let page = places.iter().skip(from).take(count);
        let games = page.map(|&place| self.listed(&self.catalogue.rows()[place as usize])).collect();
        Ok(Page { total: places.len(), games })
    }

    /// All games that satisfy a query, in the order in which they were added.
    pub fn find(&mut self, query: &Query) -> Result<Vec<GameId>, LibraryError> {
        let places = self.select(query, Sort::Added, false)?;
        Ok(places.into_iter().map(|place| self.catalogue.rows()[place as usize].id).collect())
    }

    fn select(&mut self, query: &Query, sort: Sort, is_descending: bool) -> Result<Vec<u32>, LibraryError> {
        self.refresh()?;
        self.catalogue.prepare(sort);
        let filter = Filter::new(&self.catalogue, query, |key| self.reached(key))?;
        Ok(self.catalogue.select(&filter, sort, is_descending))
    }

    fn listed(&self, row: &Row) -> ListedGame {
        let text = |id| self.catalogue.strings.get(id).to_owned();
        let elo = |elo: u16| (elo > 0).then_some(elo);
        ListedGame {
            id: row.id,
            white: text(row.white),
            black: text(row.black),
            event: text(row.event),
            site: text(row.site),
            round: text(row.round),
            date: text(row.date_text),
            white_elo: elo(row.white_elo),
            black_elo: elo(row.black_elo),
            result: RESULTS[usize::from(row.result)].as_str(),
            eco: text(row.eco),
            opening: text(row.opening),
            plies: usize::from(row.plies),
            folder: (row.folder > 0).then_some(u64::from(row.folder)),
            tags: self.catalogue.tags(row.id).to_vec(),
            added_ms: row.added_ms,
        }
    }

    /// Marks the rows of the games that have reached a position or material.
    fn reached(&self, key: u64) -> Result<Vec<bool>, LibraryError> {
        let rows = self.catalogue.rows();
        let mut found = vec![false; rows.len()];
        let mut lists = self.connection.prepare_cached("SELECT entries FROM reached WHERE id = ?1")?;
        let mut runs = self.connection.prepare_cached("SELECT id, games FROM run")?;
        let mut runs = runs.query([])?;
        while let Some(run) = runs.next()? {
            let id: i64 = run.get(0)?;
            let list: Option<Vec<u8>> =
                lists.query_row([list_id(id, reached::bucket(key))], |row| row.get(0)).optional()?;
            let mut hits = list.iter().flat_map(|list| reached::games_in(list, key)).peekable();
            if hits.peek().is_none() {
                continue;
            }
            let games: Vec<u8> = run.get(1)?;
            let (games, _) = games.as_chunks::<8>();
            let game_at = |index: usize| games.get(index).map(|bytes| u64::from_le_bytes(*bytes));
            // The games of a run usually follow each other.
            let first = game_at(0).and_then(|game| self.catalogue.place_of(game)).unwrap_or(0);
            for index in hits {
                let Some(game) = game_at(index) else { continue };
                let place = match rows.get(first + index) {
                    Some(row) if row.id == game => Some(first + index),
                    _ => self.catalogue.place_of(game),
                };
                // A game that was edited since is not in this run any more.
                if let Some(place) = place.filter(|&place| i64::from(rows[place].run) == id) {
                    found[place] = true;
                }
            }
        }
        for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.run == 0) {
            found[place] = match self.text(row.id) {
                Err(LibraryError::NoGame(_)) => false,
                text => GameFacts::of(&text?).keys.binary_search(&key).is_ok(),
            };
        }
        Ok(found)
    }

    /// The text of a game, as it came into the library.
    pub fn text(&self, game: GameId) -> Result<Vec<u8>, LibraryError> {
        let mut statement = self.connection.prepare_cached("SELECT text FROM pgn WHERE game = ?1")?;
        let text = statement.query_row([game as i64], |row| row.get(0)).optional()?;
        text.ok_or(LibraryError::NoGame(game))
    }

    /// Whether there is such a game that is not deleted.
    pub fn contains(&mut self, game: GameId) -> Result<bool, LibraryError> {
        self.refresh()?;
        Ok(self.catalogue.row(game).is_some_and(|row| !row.is_deleted))
    }

    /// A game with exactly this text that is not deleted.
    pub fn find_text(&mut self, text: &[u8]) -> Result<Option<GameId>, LibraryError> {
        self.refresh()?;
        let hash = fnv1a(text);
        let same = self.catalogue.rows().iter().rev().filter(|row| row.hash == hash && !row.is_deleted);
        for row in same {
            if self.text(row.id)? == text {
                return Ok(Some(row.id));
            }
        }
        Ok(None)
    }

    /// Writes the texts of games one behind the other. Games that are gone are left out.
    ///
    /// Games of one import, in their order, give exactly the text that was imported. Between others an empty line is added
    /// if there is none.
    pub fn export(&self, games: &[GameId], out: &mut impl Write) -> Result<(), LibraryError> {
        // The last game, and what makes an empty line behind it.
        let mut last: Option<(GameId, &[u8])> = None;
        for &game in games {
            let text = match self.text(game) {
                Err(LibraryError::NoGame(_)) => continue,
                text => text?,
            };
            // Only games of one import have numbers without a gap.
            if let Some((_, gap)) = last.filter(|(last, _)| last.checked_add(1) != Some(game)) {
                out.write_all(gap)?;
            }
            out.write_all(&text)?;
            let gap: &[u8] = match &text[..] {
                [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] => b"",
                [.., b'\n'] => b"\n",
                _ => b"\n\n",
            };
            last = Some((game, gap));
        }
        Ok(())
    }

    /// Adds a game.
    pub fn add(&mut self, text: &[u8]) -> Result<GameId, LibraryError> {
        limit(text)?;
        let facts = GameFacts::of(text);
        let game = self.change(|transaction, changed| {
            leave_gap(transaction)?;
            let place = Place { changed, run: 0, folder: 0, added_ms: now_ms() };
            insert_game(transaction, text, &facts, &place)
        })?;
        self.index_games();
        Ok(game)
    }

    /// Replaces the text of a game, if it still has the text `before`. Otherwise someone else has changed or deleted it:
    /// nothing happens, and the answer is false.
    pub fn replace(&mut self, game: GameId, before: &[u8], text: &[u8]) -> Result<bool, LibraryError> {
        limit(text)?;
        let facts = GameFacts::of(text);
        let is_replaced = self.change(|transaction, changed| {
            let id = game as i64;
            let mut now = transaction.prepare_cached(
                "SELECT text FROM pgn JOIN game ON game.id = pgn.game WHERE game.id = ?1 AND deleted_ms IS NULL",
            )?;
            let now: Option<Vec<u8>> = now.query_row([id], |row| row.get(0)).optional()?;
            if now.as_deref() != Some(before) {
                return Ok(false);
            }
            transaction
                .prepare_cached("UPDATE pgn SET text = ?2 WHERE game = ?1")?
                .execute(params![id, text])?;
            transaction
                .prepare_cached(
                    "UPDATE game SET changed = ?2, run = 0, hash = ?3, white = ?4, black = ?5, event = ?6, \
                     site = ?7, round = ?8, date = ?9, eco = ?10, opening = ?11, white_elo = ?12, \
                     black_elo = ?13, result = ?14, plies = ?15 WHERE id = ?1",
                )?
                .execute(params![
                    id,
                    changed,
                    hash(text),
                    facts.white,
                    facts.black,
                    facts.event,
                    facts.site,
                    facts.round,
                    facts.date,
                    facts.eco,
                    facts.opening,
                    elo(facts.white_elo),
                    elo(facts.black_elo),
                    result_code(facts.result),
                    facts.plies as i64,
                ])?;
            Ok(true)
        })?;
        self.index_games();
        Ok(is_replaced)
    }

    /// Indexes games after a change. If that fails now, the next change does it: the change itself is made.
    fn index_games(&mut self) {
        let _ = index_loose_games(&mut self.connection);
    }

    /// Deletes games. They can be restored for 30 days.
    pub fn delete(&mut self, games: &[GameId]) -> Result<(), LibraryError> {
        let now = now_ms();
        self.change_games(games, |transaction, changed, game| {
            transaction
                .prepare_cached(
                    "UPDATE game SET deleted_ms = ?3, changed = ?2 WHERE id = ?1 AND deleted_ms IS NULL",
                )?
                .execute(params![game, changed, now])
        })
    }

    /// Restores deleted games.
    pub fn restore(&mut self, games: &[GameId]) -> Result<(), LibraryError> {
        self.change_games(games, |transaction, changed, game| {
            transaction
                .prepare_cached("UPDATE game SET deleted_ms = NULL, changed = ?2 WHERE id = ?1")?
                .execute(params![game, changed])
        })
    }

    /// Removes games for good that were deleted 30 days ago. Returns how many there were.
    pub fn purge(&mut self) -> Result<usize, LibraryError> {
        self.purge_before(now_ms() - KEPT_DELETED.as_millis() as i64)
    }

    /// Removes games for good that were deleted before this time, in milliseconds since 1970.
    pub fn purge_before(&mut self, time_ms: i64) -> Result<usize, LibraryError> {
        let has_some: bool = self.connection.query_row(
            "SELECT EXISTS (SELECT 1 FROM game WHERE deleted_ms < ?1)",
            [time_ms],
            |row| row.get(0),
        )?;
        if !has_some || !self.is_writable {
            return Ok(0);
        }
        self.change(|transaction, _| {
            for table in ["pgn", "tag"] {
                let sql =
                    format!("DELETE FROM {table} WHERE game IN (SELECT id FROM game WHERE deleted_ms < ?1)");
                transaction.execute(&sql, [time_ms])?;
            }
            let count = transaction.execute("DELETE FROM game WHERE deleted_ms < ?1", [time_ms])?;
            count_up(transaction, "purges")?;
            Ok(count)
        })
    }

    /// What the library contains.
    pub fn summary(&mut self) -> Result<Summary, LibraryError> {
        self.refresh()?;
        let rows = self.catalogue.rows();
        let mut in_folder: BTreeMap<u64, usize> = BTreeMap::new();
        let mut games = 0;
        for row in rows.iter().filter(|row| !row.is_deleted) {
            games += 1;
            if row.folder > 0 {
                *in_folder.entry(u64::from(row.folder)).or_default() += 1;
            }
        }
        let mut tagged: BTreeMap<&str, usize> = BTreeMap::new();
        for (&game, tags) in self.catalogue.all_tags() {
            let is_there = self.catalogue.row(game).is_some_and(|row| !row.is_deleted);
            for tag in tags {
                *tagged.entry(tag).or_default() += usize::from(is_there);
            }
        }
        let mut folders: Vec<_> = self
            .folders
            .iter()
            .map(|(&id, name)| Folder {
                id,
                name: name.clone(),
                games: in_folder.get(&id).copied().unwrap_or(0),
            })
            .collect();
        folders.sort_by_cached_key(|folder| folder.name.to_lowercase());
        let tags = tagged.into_iter().filter(|&(_, games)| games > 0).take(MAX_DIFFERENT_TAGS);
        Ok(Summary {
            games,
            deleted: rows.len() - games,
            folders,
            tags: tags.map(|(tag, games)| TagCount { tag: tag.to_owned(), games }).collect(),
        })
    }

    /// Makes a change in one transaction, which has a number.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>, i64) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        if !self.is_writable {
            return Err(LibraryError::ReadOnly);
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let number = change_number(&transaction)?;
        let result = change(&transaction, number)?;
        transaction.commit()?;
        Ok(result)
    }

    fn change_games(
        &mut self,
        games: &[GameId],
        mut change: impl FnMut(&Transaction<'_>, i64, i64) -> Result<usize, rusqlite::Error>,
    ) -> Result<(), LibraryError> {
        self.change(|transaction, number| {
            for &game in games {
                change(transaction, number, game as i64)?;
            }
            Ok(())
        })
    }

    /// Limits the size of the file in pages of 4 KiB. For tests of a full disk.
    #[doc(hidden)]
    pub fn limit_pages(&self, pages: u32) -> Result<(), LibraryError> {
        limit_pages(&self.connection, pages)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("path", &self.path)
            .field("is_writable", &self.is_writable)
            .finish_non_exhaustive()
    }
}

pub(crate) fn limit_pages(connection: &Connection, pages: u32) -> Result<(), LibraryError> {
    // The pragma answers with the new limit.
    connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    Ok(())
}

fn limit(text: &[u8]) -> Result<(), LibraryError> {
    if text.len() <= MAX_GAME {
        Ok(())
    } else {
        Err(LibraryError::Refused("a game has at most 16 MiB of text"))
    }
}

fn is_name(text: &str, most: usize) -> bool {
    !text.trim().is_empty() && text.trim().chars().count() <= most && !text.chars().any(char::is_control)
}

/// The name of a tag or a folder in a file; `None` if it is one that is never written.
fn name_in(value: ValueRef<'_>, most: usize) -> Option<String> {
    value.as_str().ok().filter(|name| is_name(name, most)).map(str::to_owned)
}

/// A text of the list in a file. It is what [`GameFacts`] has, unless the file comes from elsewhere.
fn value_in(text: &[u8]) -> Cow<'_, str> {
    let is_plain = |&byte: &u8| !byte.is_ascii_control() && byte != 0xc2;
    if text.len() <= MAX_VALUE && text.iter().all(is_plain) {
        String::from_utf8_lossy(text)
    } else {
        Cow::Owned(shortened(text))
    }
}

pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

/// A rating as it is stored; 0 is unknown.
pub(crate) fn elo(elo: Option<u16>) -> i64 {
    i64::from(elo.unwrap_or(0))
}

/// The hash of a text as it is stored.
pub(crate) fn hash(text: &[u8]) -> i64 {
    fnv1a(text) as i64
}

fn seen(connection: &Connection) -> Result<Seen, LibraryError> {
    let mut statement = connection.prepare_cached("SELECT name, value FROM counter")?;
    let mut seen = Seen::default();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        match row.get_ref(0)? {
            ValueRef::Text(b"changes") => seen.change = row.get(1)?,
            ValueRef::Text(b"purges") => seen.purges = row.get(1)?,
            _ => {}
        }
    }
    Ok(seen)
}

fn count(connection: &Connection) -> Result<usize, LibraryError> {
    // Both are counted in small indices.
    let sql = "SELECT (SELECT count(*) FROM game) - (SELECT count(*) FROM game WHERE deleted_ms IS NOT NULL)";
    Ok(connection.query_row(sql, [], |row| row.get::<_, i64>(0))? as usize)
}

/// Whether a library can have become what it is since someone set this mark. The file may have been replaced by an older
/// copy or by a different library.
fn follows(connection: &Connection, mark: &ChangeMark, now: &Seen) -> Result<bool, LibraryError> {
    let mut statement = connection.prepare_cached("SELECT changed, hash FROM game WHERE id = ?1")?;
    let row = statement.query_row([mark.game], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    Ok(match row.optional()? {
        Some((change, hash)) => change > mark.change || (change == mark.change && hash == mark.hash),
        None => now.purges > mark.purges && now.change > mark.change,
    })
}

fn count_up(transaction: &Connection, name: &str) -> Result<i64, LibraryError> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO counter (name, value) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
    )?;
    Ok(statement.query_row([name], |row| row.get(0))?)
}

/// The number of this change. Transactions that write are one after the other, so numbers grow.
pub(crate) fn change_number(transaction: &Connection) -> Result<i64, LibraryError> {
    count_up(transaction, "changes")
}

/// Leaves a number unused before a game that does not come behind the last one in the same file.
pub(crate) fn leave_gap(transaction: &Connection) -> Result<(), LibraryError> {
    transaction.prepare_cached("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'game'")?.execute([])?;
    Ok(())
}

fn read_rows(
    connection: &Connection,
    after: i64,
    catalogue: &mut Catalogue,
) -> Result<Vec<Row>, LibraryError> {
    const COLUMNS: &str = "id, added_ms, deleted_ms IS NOT NULL, folder, run, hash, white, black, event, site, round, \
        date, eco, opening, white_elo, black_elo, result, plies";
    // The whole table is read in its own order. For a few changes SQLite would do the same, to save sorting them.
    let sql = if after < 0 {
        format!("SELECT {COLUMNS} FROM game WHERE ?1 < 0 ORDER BY id")
    } else {
        format!("SELECT {COLUMNS} FROM game INDEXED BY game_changed WHERE changed > ?1 ORDER BY id")
    };
    let capacity: i64 = match after {
        ..0 => connection.query_row("SELECT count(*) FROM game", [], |row| row.get(0))?,
        _ => 0,
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query([after])?;
    let mut rows = Vec::with_capacity(capacity as usize);
    while let Some(row) = found.next()? {
        let strings = &mut catalogue.strings;
        let mut text = |column| match row.get_ref(column)? {
            ValueRef::Text(text) => Ok(strings.intern(&value_in(text))),
            _ => Ok::<_, rusqlite::Error>(0),
        };
        let [white, black, event, site, round, date_text, eco, opening] =
            [text(6)?, text(7)?, text(8)?, text(9)?, text(10)?, text(11)?, text(12)?, text(13)?];
        let small = |column| {
            Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.clamp(0, i64::from(u16::MAX)) as u16)
        };
        rows.push(Row {
            id: row.get::<_, i64>(0)? as GameId,
            added_ms: row.get::<_, i64>(1)?.max(0) as u64,
            is_deleted: row.get(2)?,
            folder: row.get::<_, i64>(3)?.clamp(0, i64::from(u32::MAX)) as u32,
            run: row.get::<_, i64>(4)?.clamp(0, i64::from(u32::MAX)) as u32,
            hash: row.get::<_, i64>(5)? as u64,
            white,
            black,
            event,
            site,
            round,
            date_text,
            eco,
            opening,
            date: date_number(catalogue.strings.get(date_text)),
            white_elo: small(14)?,
            black_elo: small(15)?,
            result: small(16)?.min(3) as u8,
            plies: small(17)?,
        });
    }
    Ok(rows)
}

/// Where the list of a bucket is stored.
fn list_id(run: i64, bucket: u64) -> i64 {
    // A file from elsewhere may have any numbers.
    run.wrapping_mul(BUCKETS as i64).wrapping_add(bucket as i64)
}

/// Writes the lists of a run.
pub(crate) fn write_run(
    transaction: &Connection,
    run: i64,
    games: &[GameId],
    lists: &[(u64, Vec<u8>)],
) -> Result<(), LibraryError> {
    let ids: Vec<u8> = games.iter().flat_map(|game| game.to_le_bytes()).collect();
    transaction.prepare_cached("UPDATE run SET games = ?2 WHERE id = ?1")?.execute(params![run, ids])?;
    let mut insert = transaction.prepare_cached("INSERT INTO reached (id, entries) VALUES (?1, ?2)")?;
    for (bucket, list) in lists {
        insert.execute(params![list_id(run, *bucket), list])?;
    }
    Ok(())
}

/// Makes runs of the games that are in none, once there are many.
pub(crate) fn index_loose_games(connection: &mut Connection) -> Result<(), LibraryError> {
    while index_some_games(connection)? {}
    Ok(())
}

/// Makes a run of games that are in none; false if there are few. Long games have many entries, so the run ends with
/// either limit.
fn index_some_games(connection: &mut Connection) -> Result<bool, LibraryError> {
    /// 16 MiB in memory.
    const MAX_ENTRIES: usize = 1 << 20;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let loose: Vec<i64> = transaction
        .prepare_cached("SELECT id FROM game WHERE run = 0 LIMIT ?1")?
        .query_map([MAX_RUN as i64], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if loose.len() < MIN_RUN {
        return Ok(false);
    }
    transaction.execute("INSERT INTO run (games) VALUES (x'')", [])?;
    let run = transaction.last_insert_rowid();
    let changed = change_number(&transaction)?;
    let mut builder = RunBuilder::default();
    let mut games: Vec<GameId> = Vec::new();
    for game in loose {
        if builder.len() >= MAX_ENTRIES {
            break;
        }
        let text: Option<Vec<u8>> = transaction
            .prepare_cached("SELECT text FROM pgn WHERE game = ?1")?
            .query_row([game], |row| row.get(0))
            .optional()?;
        builder.add(games.len(), &GameFacts::of(&text.unwrap_or_default()).keys);
        games.push(game as GameId);
        transaction
            .prepare_cached("UPDATE game SET run = ?2, changed = ?3 WHERE id = ?1")?
            .execute(params![game, run, changed])?;
    }
    write_run(&transaction, run, &games, &builder.finish())?;
    transaction.commit()?;
    Ok(true)
}
