//! The library as a tab sees it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use ferz_library::{Library, LibraryError, ListedGame, Query, Sort, Summary};
use ferz_notation::pgn;
use ferz_session::protocol::{
    Intent, LibraryEntry, LibraryFolderEntry, LibraryListWish, LibraryQuery, LibrarySort, LibrarySummary,
    LibraryTagEntry, Message, Outgoing,
};
use ferz_session::{Outbox, Session};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::block_in_place;

use super::keeper::{Keeper, RETRY};
use super::{LibraryHost, explain};

/// The most games of a change.
const MAX_GAMES: usize = 10_000;
/// The most games of a page.
const MAX_PAGE: usize = 200;

/// How long the last moves of a closed tab wait for other programs that write.
const CLOSED_PATIENCE: Duration = Duration::from_secs(300);

/// The library of a tab.
#[derive(Debug)]
pub(crate) struct LibraryTab {
    host: Arc<LibraryHost>,
    tab: u64,
    news: UnboundedReceiver<Message>,
    keeper: Keeper,
    /// The place of the current game that the page knows.
    announced: Option<u64>,
}

impl LibraryTab {
    pub(crate) fn new(host: &Arc<LibraryHost>) -> LibraryTab {
        let (tab, news) = host.add_tab();
        LibraryTab { host: Arc::clone(host), tab, news, keeper: Keeper::default(), announced: None }
    }

    /// The next message that is not an answer.
    pub(crate) async fn news(&mut self) -> Option<Message> {
        self.news.recv().await
    }

    /// When to call [`write`](Self::write).
    pub(crate) fn due(&self) -> Option<Instant> {
        self.keeper.due()
    }

    /// Carries out an intent for the library.
    pub(crate) fn carry_out(
        &mut self,
        intent: Intent,
        re: Option<u64>,
        session: &mut Session,
        now: Duration,
    ) -> Outbox {
        // What is listed or opened includes the last moves.
        let mut messages = if self.keeper.due().is_some() { self.write() } else { Vec::new() };
        match self.answer(intent, re, session, now) {
            Ok(Answer::Message(message)) => messages.push(Outgoing { message, re }),
            Ok(Answer::Session(out)) => {
                let mut out = out;
                messages.append(&mut out.messages);
                out.messages = messages;
                return out;
            }
            Err(error) => {
                messages.push(Outgoing { message: Message::Error { message: explain(&error) }, re });
            }
        }
        Outbox { messages, ..Outbox::default() }
    }

    fn answer(
        &mut self,
        intent: Intent,
        re: Option<u64>,
        session: &mut Session,
        now: Duration,
    ) -> Result<Answer, LibraryError> {
        match intent {
            Intent::LibraryList(wish) => return Ok(Answer::Message(self.list(&wish)?)),
            Intent::LibrarySummary {} => return Ok(Answer::Message(Message::Library(self.host.summary()?))),
            Intent::LibraryOpen { game } => {
                let text = self.host.library().text(game)?;
                let before = session.game_number();
                let out = session.open_text(pgn::text(&text), re, now);
                if session.game_number() != before {
                    self.keeper.opened(session.game_number(), game, text);
                }
                return Ok(Answer::Session(out));
            }
            Intent::LibraryStop { import } => {
                if let Some(stop) = self.host.imports().get(&import) {
                    stop.store(true, Relaxed);
                }
                return Ok(Answer::Message(Message::Library(self.host.summary()?)));
            }
            Intent::LibraryDelete { games } => self.change(&games, |library| library.delete(&games))?,
            Intent::LibraryRestore { games } => self.change(&games, |library| library.restore(&games))?,
            Intent::LibraryTag { games, add, remove } => {
                self.change(&games, |library| library.tag(&games, &add, &remove))?;
            }
            Intent::LibraryMove { games, folder } => {
                self.change(&games, |library| library.move_to(&games, folder))?;
            }
            Intent::LibraryFolder { name, folder, delete } => {
                self.change(&[], |library| match (folder, delete) {
                    (None, true) => Err(LibraryError::Refused("name the folder to delete")),
                    (None, false) => library.make_folder(&name).map(|_| ()),
                    (Some(folder), true) => library.delete_folder(folder),
                    (Some(folder), false) => library.rename_folder(folder, &name),
                })?;
            }
            _ => return Err(LibraryError::Refused("the library cannot do this")),
        }
        let summary = self.host.summary()?;
        self.host.announce_change(Some(self.tab));
        Ok(Answer::Message(Message::Library(summary)))
    }

    fn change(
        &self,
        games: &[u64],
        change: impl FnOnce(&mut Library) -> Result<(), LibraryError>,
    ) -> Result<(), LibraryError> {
        if games.len() > MAX_GAMES {
            return Err(LibraryError::Refused("at most 10,000 games can be changed at once"));
        }
        change(&mut self.host.library())
    }

    fn list(&self, wish: &LibraryListWish) -> Result<Message, LibraryError> {
        if !(1..=MAX_PAGE).contains(&wish.count) {
            return Err(LibraryError::Refused("a page has 1 to 200 games"));
        }
        let mut library = self.host.library();
        let page =
            library.list(&query(&wish.query), sort(wish.sort), wish.descending, wish.from, wish.count)?;
        let current = self.keeper.game();
        let games = page.games.into_iter().map(|game| entry(game, current)).collect();
        Ok(Message::LibraryList { from: wish.from, total: page.total, games })
    }

    /// Notes what the session has to say to the page, and adds what the page must know of the library.
    pub(crate) fn observe(&mut self, session: &Session, messages: &mut Vec<Outgoing>) {
        if self.keeper.is_full() {
            messages.append(&mut block_in_place(|| self.write()));
        }
        self.keeper.follow(session.game_number());
        let mut is_saved = false;
        for Outgoing { message, .. } in messages.iter_mut() {
            match message {
                Message::Welcome(welcome) => {
                    welcome.library = Some(self.host.status());
                    welcome.tab = Some(self.tab.to_string());
                }
                Message::Save { pgn, .. } if self.host.is_writable => {
                    let host = &self.host;
                    self.keeper.save(pgn, |game| block_in_place(|| host.library().text(game).ok()));
                    is_saved = self.keeper.due().is_none();
                }
                _ => {}
            }
        }
        messages.extend(self.announce(is_saved));
    }

    /// Starts afresh: the page has sent `hello`.
    pub(crate) fn greet(&mut self, claimed: Option<u64>) -> Vec<Outgoing> {
        let messages = block_in_place(|| self.write());
        self.leave_rest();
        self.keeper.greet(claimed);
        self.announced = None;
        messages
    }

    /// Writes the current game if it has changed. Waits a while for others that use the library.
    pub(crate) fn write(&mut self) -> Vec<Outgoing> {
        if self.keeper.due().is_none() {
            return Vec::new();
        }
        let written = self.keeper.write(&mut self.host.library());
        self.report(written)
    }

    /// The same if nobody uses the library now; later otherwise.
    pub(crate) fn try_to_write(&mut self) -> Vec<Outgoing> {
        let written = match self.host.idle_library() {
            Some(mut library) => library.without_waiting(|library| self.keeper.write(library)),
            None => Err(LibraryError::Busy),
        };
        self.report(written)
    }

    /// Leaves what is not written yet to a thread of its own: the threads of the server do not wait for others.
    fn leave_rest(&mut self) {
        if !self.keeper.is_pending() {
            return;
        }
        let (host, mut keeper) = (Arc::clone(&self.host), std::mem::take(&mut self.keeper));
        tokio::task::spawn_blocking(move || {
            let deadline = Instant::now() + CLOSED_PATIENCE;
            loop {
                let written = host.library().without_waiting(|library| keeper.write(library));
                match written {
                    Err(LibraryError::Busy) if Instant::now() < deadline => {
                        host.has_writer.store(true, Relaxed);
                        thread::sleep(RETRY);
                    }
                    Ok(true) => return host.announce_change(None),
                    _ => return,
                }
            }
        });
    }

    /// What the page hears of a game that was written or not.
    fn report(&mut self, written: Result<bool, LibraryError>) -> Vec<Outgoing> {
        if matches!(written, Err(LibraryError::Busy)) {
            self.host.has_writer.store(true, Relaxed);
            if !self.keeper.postpone() {
                return Vec::new();
            }
        }
        let is_written = matches!(written, Ok(true));
        let mut messages: Vec<_> = self.announce(is_written).into_iter().collect();
        match written {
            Ok(true) => self.host.announce_change(None),
            Ok(false) => {}
            Err(error) => {
                let message = format!("The game was not saved in the library: {error}.");
                messages.push(Outgoing { message: Message::Notice { message }, re: None });
            }
        }
        messages
    }

    /// The place of the current game, if the page does not know it yet, or if the game has just been written.
    fn announce(&mut self, is_written: bool) -> Option<Outgoing> {
        let game = self.keeper.game();
        if game == self.announced && !(is_written && game.is_some()) {
            return None;
        }
        self.announced = game;
        Some(Outgoing { message: Message::LibraryCurrent { game }, re: None })
    }
}

/// The last moves of a tab that is closed are kept.
impl Drop for LibraryTab {
    fn drop(&mut self) {
        self.host.remove_tab(self.tab);
        self.leave_rest();
    }
}

/// What an intent is answered with.
enum Answer {
    Message(Message),
    /// What the session says of a game that was opened.
    Session(Outbox),
}

/// A query of the page.
pub(super) fn query(query: &LibraryQuery) -> Query {
    let query = query.clone();
    Query {
        text: query.text,
        player: query.player,
        color: query.color.map(Into::into),
        opening: query.opening,
        result: query.result.map(|result| result.0),
        date_from: query.date_from,
        date_to: query.date_to,
        elo_from: query.elo_from,
        elo_to: query.elo_to,
        plies_from: query.plies_from,
        plies_to: query.plies_to,
        material: query.material,
        fen: query.fen,
        folder: query.folder,
        tag: query.tag,
        deleted: query.deleted,
    }
}

fn sort(sort: LibrarySort) -> Sort {
    match sort {
        LibrarySort::Added => Sort::Added,
        LibrarySort::Date => Sort::Date,
        LibrarySort::White => Sort::White,
        LibrarySort::Black => Sort::Black,
        LibrarySort::Result => Sort::Result,
        LibrarySort::Opening => Sort::Opening,
        LibrarySort::Plies => Sort::Plies,
        LibrarySort::Elo => Sort::Elo,
    }
}

fn entry(game: ListedGame, current: Option<u64>) -> LibraryEntry {
    LibraryEntry {
        game: game.id,
        white: game.white,
        black: game.black,
        white_elo: game.white_elo.map(u32::from),
        black_elo: game.black_elo.map(u32::from),
        result: game.result.to_owned(),
        date: game.date,
        event: game.event,
        site: game.site,
        round: game.round,
        eco: game.eco,
        opening: game.opening,
        plies: game.plies,
        folder: game.folder,
        tags: game.tags,
        added_ms: game.added_ms,
        is_current: current == Some(game.id),
    }
}

pub(super) fn summary(summary: Summary, writable: bool) -> LibrarySummary {
    let folders = summary.folders.into_iter();
    let tags = summary.tags.into_iter();
    LibrarySummary {
        games: summary.games,
        deleted: summary.deleted,
        folders: folders
            .map(|it| LibraryFolderEntry { folder: it.id, name: it.name, games: it.games })
            .collect(),
        tags: tags.map(|it| LibraryTagEntry { tag: it.tag, games: it.games }).collect(),
        writable,
    }
}
