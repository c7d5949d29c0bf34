//! Reading PGN files of any size into a library.

use std::io::{self, Read};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use ferz_notation::pgn::parallel::Origin;
use ferz_notation::zst::TextReader;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::catalogue::result_code;
use crate::facts::{self, FoundGame, GameFacts};
use crate::library::{
    change_number, elo, hash, index_loose_games, leave_gap, limit_pages, now_ms, write_run,
};
use crate::reached::{MAX_RUN, RunBuilder};
use crate::schema::{self, OpenFile};
use crate::{GameId, LibraryError, MAX_GAME};

/// Bytes of text in a transaction, about.
const BATCH: usize = 4 << 20;
/// The most games in a transaction.
const BATCH_GAMES: usize = 10_000;
/// Fewer games than this do not get a run of their own in the index.
pub(crate) const MIN_RUN: usize = 500;

const _: () = assert!(BATCH_GAMES <= MAX_RUN);

/// Receives the games that come into a library, such as the index of an opening explorer.
pub trait GameSink {
    /// A game has been written. The transaction may still fail.
    fn game(&mut self, id: GameId, facts: &GameFacts);
}

/// Takes no notice.
impl GameSink for () {
    fn game(&mut self, _: GameId, _: &GameFacts) {}
}

/// How far an import is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ImportCount {
    /// Bytes of text, after decompression.
    pub bytes: u64,
    /// Games in the library.
    pub games: u64,
    /// Problems in their texts.
    pub problems: u64,
    /// The first of them, with its place in the text.
    pub first_problem: Option<String>,
    /// Whether it was stopped.
    pub is_stopped: bool,
}

/// Reads games into a library, with a connection of its own: the library can be used meanwhile.
#[derive(Debug)]
pub struct Import {
    connection: Connection,
    folder: u64,
}

impl Import {
    /// An import into the library with this file.
    pub fn new(library: impl AsRef<Path>) -> Result<Import, LibraryError> {
        let OpenFile { connection, is_writable, .. } = schema::open(library.as_ref())?;
        if !is_writable {
            return Err(LibraryError::ReadOnly);
        }
        // A file can be imported again: after a power cut the last batches may be missing, but nothing is damaged.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "wal_autocheckpoint", 8_192)?;
        Ok(Import { connection, folder: 0 })
    }

    /// Puts the games into this folder; 0 is none.
    pub fn folder(self, folder: u64) -> Result<Import, LibraryError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM folder WHERE id = ?1)";
        let is_known = folder == 0 || self.connection.query_row(sql, [folder as i64], |row| row.get(0))?;
        if is_known { Ok(Import { folder, ..self }) } else { Err(LibraryError::NoFolder(folder)) }
    }

    /// Limits the size of the file in pages of 4 KiB. For tests of a full disk.
    #[doc(hidden)]
    pub fn limit_pages(&self, pages: u32) -> Result<(), LibraryError> {
        limit_pages(&self.connection, pages)
    }

    /// Reads a file, which may be compressed with zstd. Every byte of its text is kept with one of its games.
    ///
    /// Each batch of some thousand games is one transaction: after a crash or an error, the batches before it are in the
    /// library. `progress` is called after each, and can stop the import.
    pub fn read(
        &mut self,
        input: impl Read + Send,
        sink: &mut dyn GameSink,
        mut progress: impl FnMut(&ImportCount) -> ControlFlow<()>,
    ) -> Result<ImportCount, LibraryError> {
        let mut count = ImportCount::default();
        let (sender, batches) = sync_channel(1);
        thread::scope(|scope| {
            thread::Builder::new()
                .name("import".to_owned())
                .spawn_scoped(scope, move || split(input, &sender))?;
            let written = self.write_all(batches, sink, &mut count, &mut progress);
            // The channel is closed now, which ends the thread.
            written
        })?;
        index_loose_games(&mut self.connection)?;
        Ok(count)
    }

    fn write_all(
        &mut self,
        batches: Receiver<io::Result<Batch>>,
        sink: &mut dyn GameSink,
        count: &mut ImportCount,
        progress: &mut impl FnMut(&ImportCount) -> ControlFlow<()>,
    ) -> Result<(), LibraryError> {
        for batch in batches {
            let batch = batch?;
            self.write(&batch, count.games == 0, sink)?;
            count.bytes += batch.text.len() as u64;
            count.games += batch.games.len() as u64;
            count.problems +=
                batch.problems + batch.games.iter().map(|(_, facts)| facts.problems).sum::<u64>();
            if count.first_problem.is_none() {
                count.first_problem = batch.first_problem;
            }
            if progress(count).is_break() {
                count.is_stopped = true;
                break;
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: &Batch, is_first: bool, sink: &mut dyn GameSink) -> Result<(), LibraryError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let changed = change_number(&transaction)?;
        if is_first {
            leave_gap(&transaction)?;
        }
        let mut run = 0;
        if !batch.run.is_empty() {
            transaction.prepare_cached("INSERT INTO run (games) VALUES (x'')")?.execute([])?;
            run = transaction.last_insert_rowid();
        }
        let place = Place { changed, run, folder: self.folder as i64, added_ms: now_ms() };
        let mut ids = Vec::with_capacity(batch.games.len());
        for (range, facts) in &batch.games {
            let id = insert_game(&transaction, &batch.text[range.clone()], facts, &place)?;
            sink.game(id, facts);
            ids.push(id);
        }
        if run != 0 {
            write_run(&transaction, run, &ids, &batch.run)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Where a new game is put.
pub(crate) struct Place {
    pub(crate) changed: i64,
    pub(crate) run: i64,
    pub(crate) folder: i64,
    pub(crate) added_ms: i64,
}

pub(crate) fn insert_game(
    connection: &Connection,
    text: &[u8],
    facts: &GameFacts,
    place: &Place,
) -> Result<GameId, LibraryError> {
    connection
        .prepare_cached(
            "INSERT INTO game (changed, added_ms, folder, run, hash, white, black, event, site, round, date, eco, \
             opening, white_elo, black_elo, result, plies) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            place.changed,
            place.added_ms,
            place.folder,
            place.run,
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
    let id = connection.last_insert_rowid();
    connection.prepare_cached("INSERT INTO pgn (game, text) VALUES (?1, ?2)")?.execute(params![id, text])?;
    Ok(id as GameId)
}

/// Games for one transaction.
#[derive(Debug)]
struct Batch {
    text: Vec<u8>,
    games: Vec<(Range<usize>, GameFacts)>,
    /// The entries for the index; empty if the games are few.
    run: Vec<(u64, Vec<u8>)>,
    /// Problems that belong to no game.
    problems: u64,
    first_problem: Option<String>,
}

/// Cuts the input into batches of whole games.
fn split(input: impl Read, sender: &SyncSender<io::Result<Batch>>) {
    let mut input = match TextReader::new(input) {
        Ok(input) => input,
        Err(error) => {
            let _ = sender.send(Err(error));
            return;
        }
    };
    let mut rest = Vec::new();
    // How the input has ended, once it has.
    let mut end = None;
    // What was before the rest.
    let mut origin = Origin::default();
    let mut want = BATCH;
    loop {
        if end.is_none() {
            let missing = want.saturating_sub(rest.len()) as u64;
            end = match input.by_ref().take(missing).read_to_end(&mut rest) {
                Ok(count) => ((count as u64) < missing).then_some(Ok(())),
                // What came before an error is kept.
                Err(error) => Some(Err(error)),
            };
        }
        // Games without moves are short: a text may have very many.
        let mut games = facts::games(&rest, BATCH_GAMES + 1);
        let next = if games.len() > BATCH_GAMES { games.pop().map(|next| next.begin) } else { None };
        if origin.games == 0 && games.iter().all(FoundGame::is_junk) {
            // Not a file of games.
            games.clear();
        }
        let mut problems = 0;
        let mut len = next.unwrap_or(rest.len());
        if end.is_none() && next.is_none() {
            match games.len() {
                0 | 1 if want < MAX_GAME => {
                    want *= 2;
                    continue;
                }
                // A game that is too long is cut.
                0 | 1 => problems = 1,
                // The last game may go on behind the buffer.
                _ => len = games.pop().map_or(len, |last| last.begin),
            }
        }
        let behind = rest.split_off(len);
        let text = std::mem::replace(&mut rest, behind);
        want = BATCH;
        let here = origin;
        origin.games += games.len() as u64;
        origin.place.line += text.iter().filter(|&&byte| byte == b'\n').count() as u64;
        if !games.is_empty() && !send(text, games, problems, &here, sender) {
            return;
        }
        if next.is_none()
            && let Some(end) = end.take()
        {
            if let Err(error) = end {
                let _ = sender.send(Err(error));
            }
            return;
        }
    }
}

/// Sends the games of a text; false if nobody wants them any more.
fn send(
    text: Vec<u8>,
    games: Vec<FoundGame>,
    problems: u64,
    origin: &Origin,
    sender: &SyncSender<io::Result<Batch>>,
) -> bool {
    let first_problem = games.iter().find_map(|game| game.problem.clone()).map(|mut problem| {
        origin.locate(&mut problem);
        problem.to_string()
    });
    let ranges: Vec<_> = facts::ranges(&games, text.len()).collect();
    let games: Vec<_> = ranges.into_iter().zip(games.into_iter().map(|game| game.facts)).collect();
    let mut run = RunBuilder::default();
    if games.len() >= MIN_RUN {
        for (index, (_, facts)) in games.iter().enumerate() {
            run.add(index, &facts.keys);
        }
    }
    sender.send(Ok(Batch { text, games, run: run.finish(), problems, first_problem })).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The batches of a text.
    fn batches(text: &[u8]) -> Vec<Batch> {
        let (sender, batches) = sync_channel(1);
        thread::scope(|scope| {
            scope.spawn(move || split(text, &sender));
            batches.iter().collect::<io::Result<_>>().expect("no error")
        })
    }

    /// A game of two bytes takes some hundred bytes in memory: no batch may have all games of its text.
    #[test]
    fn very_short_games_come_in_small_batches() {
        let text = "*\n".repeat(2 * BATCH_GAMES + 7);
        let found = batches(text.as_bytes());
        let sizes: Vec<_> = found.iter().map(|batch| batch.games.len()).collect();
        assert_eq!(sizes, [BATCH_GAMES, BATCH_GAMES, 7]);
        assert_eq!(
            found.iter().flat_map(|batch| batch.text.iter().copied()).collect::<Vec<_>>(),
            text.as_bytes()
        );
        assert!(facts::games(text.as_bytes(), BATCH_GAMES + 1).len() <= BATCH_GAMES + 1);
    }
}
