//! Keeps the game of a tab in the library.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ferz_library::{GameFacts, GameId, Library, LibraryError};
use ferz_notation::pgn::{self, GameTree};

/// The delay before a changed game is written.
const DELAY: Duration = Duration::from_secs(1);
/// The delay before it is tried again if others use the library.
pub(super) const RETRY: Duration = Duration::from_millis(100);
/// How long others may use the library before the page shows a message.
const PATIENCE: Duration = Duration::from_secs(20);
/// Games of a tab that are remembered: undo returns to the last ones.
const MAX_PLACES: usize = 32;
/// Games of a tab that may wait to be written.
const MAX_PENDING: usize = 4;

/// Writes the game of a tab into the library, at most about once a second.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    /// The number of the current game in its session.
    current: u64,
    /// The games of the session by their numbers.
    games: BTreeMap<u64, KeptGame>,
    /// Texts that are not written yet, by the numbers of their games, and when they are due.
    pending: BTreeMap<u64, String>,
    due: Option<Instant>,
    /// Since when others use the library.
    hindered: Option<Instant>,
    /// The game that the page says its text is.
    claimed: Option<GameId>,
}

/// A game of the session.
#[derive(Debug, Default)]
struct KeptGame {
    /// Its place in the library.
    game: Option<GameId>,
    /// Its text there.
    stored: Vec<u8>,
    /// The text of the session that means the same. Imported games are kept as they were until they are edited.
    same: Option<String>,
    /// Whether it came with moves: it may be in the library already.
    is_loaded: bool,
}

impl Keeper {
    /// Starts afresh with the game that the page says it has.
    pub(super) fn greet(&mut self, claimed: Option<GameId>) {
        *self = Keeper { claimed, ..Keeper::default() };
    }

    /// Notes that a game of the session was opened from the library.
    pub(super) fn opened(&mut self, number: u64, game: GameId, stored: Vec<u8>) {
        self.games.insert(number, KeptGame { game: Some(game), stored, same: None, is_loaded: true });
    }

    /// The place of the current game in the library.
    pub(super) fn game(&self) -> Option<GameId> {
        self.games.get(&self.current)?.game
    }

    /// When to call [`write`](Self::write).
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Follows the session to a game.
    pub(super) fn follow(&mut self, number: u64) {
        self.current = number;
        while self.games.len() > MAX_PLACES
            && let Some(&oldest) = self.games.keys().find(|number| !self.pending.contains_key(number))
        {
            self.games.remove(&oldest);
        }
    }

    /// Whether the next game has to wait until these are written.
    pub(super) fn is_full(&self) -> bool {
        self.pending.len() >= MAX_PENDING
    }

    /// Whether a text waits, even one that could not be written.
    pub(super) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Tries again later. Returns whether the page should hear of it, which is once.
    pub(super) fn postpone(&mut self) -> bool {
        let now = Instant::now();
        self.due = Some(now + RETRY);
        let is_late = now >= *self.hindered.get_or_insert(now) + PATIENCE;
        if is_late {
            self.hindered = Some(now + Duration::from_secs(24 * 3600));
        }
        is_late
    }

    /// Takes the text of the current game. `stored` returns the text of a game in the library.
    pub(super) fn save(&mut self, text: &str, stored: impl FnOnce(GameId) -> Option<Vec<u8>>) {
        let number = self.current;
        let claimed = self.claimed.take();
        let kept = self.games.entry(number).or_insert_with(|| {
            let is_loaded = GameFacts::of(text.as_bytes()).plies > 0;
            let claimed = claimed.filter(|_| is_loaded).and_then(|game| Some((game, stored(game)?)));
            match claimed {
                Some((game, stored)) if is_same(&stored, text) => {
                    KeptGame { game: Some(game), stored, same: None, is_loaded }
                }
                // The last moves did not reach the library: they are still to be written.
                Some((game, stored)) if is_continued(&stored, text) => {
                    KeptGame { game: Some(game), stored, same: Some(String::new()), is_loaded }
                }
                _ => KeptGame { is_loaded, ..KeptGame::default() },
            }
        });
        if kept.game.is_some() && kept.same.is_none() {
            kept.same = Some(text.to_owned());
        }
        if kept.same.as_deref() == Some(text) {
            self.pending.remove(&number);
            if self.pending.is_empty() {
                self.due = None;
            }
        } else {
            self.pending.insert(number, text.to_owned());
            self.due.get_or_insert_with(|| Instant::now() + DELAY);
        }
    }

    /// Writes what waits. Returns whether the library has changed. If others use the library, the texts are due again.
    /// After a different error a text waits on, but it is due only with the next change: a full disk must not be tried
    /// without end.
    pub(super) fn write(&mut self, library: &mut Library) -> Result<bool, LibraryError> {
        let mut is_changed = false;
        let mut failed = BTreeMap::new();
        let mut failure = None;
        while let Some((number, text)) = self.pending.pop_first() {
            match self.write_game(number, &text, library) {
                Ok(is_new) => is_changed |= is_new,
                Err(error) => {
                    failed.insert(number, text);
                    let is_busy = matches!(error, LibraryError::Busy);
                    failure.get_or_insert(error);
                    if is_busy {
                        break;
                    }
                }
            }
        }
        self.pending.append(&mut failed);
        let Some(error) = failure else {
            (self.due, self.hindered) = (None, None);
            return Ok(is_changed);
        };
        self.due = matches!(error, LibraryError::Busy).then(|| Instant::now() + DELAY);
        while self.due.is_none() && self.pending.len() > MAX_PENDING {
            self.pending.pop_first();
        }
        Err(error)
    }

    fn write_game(&mut self, number: u64, text: &str, library: &mut Library) -> Result<bool, LibraryError> {
        let Some(kept) = self.games.get_mut(&number) else { return Ok(false) };
        let bytes = text.as_bytes();
        let mut is_changed = true;
        let is_replaced = match kept.game {
            Some(game) => library.replace(game, &kept.stored, bytes)?,
            None => false,
        };
        // A game that someone else has changed or deleted meanwhile is kept as a new one.
        if !is_replaced {
            if GameFacts::of(bytes).plies == 0 {
                return Ok(false);
            }
            let known = if kept.is_loaded && kept.game.is_none() { library.find_text(bytes)? } else { None };
            is_changed = known.is_none();
            kept.game = Some(match known {
                Some(game) => game,
                None => library.add(bytes)?,
            });
        }
        kept.stored = bytes.to_vec();
        kept.same = Some(text.to_owned());
        Ok(is_changed)
    }
}

/// Whether a stored text is the same game as a text of a session.
fn is_same(stored: &[u8], text: &str) -> bool {
    stored == text.as_bytes()
        || pgn::text(stored).parse::<GameTree>().is_ok_and(|tree| tree.to_string() == text)
}

/// Whether a text is a stored game with further moves.
fn is_continued(stored: &[u8], text: &str) -> bool {
    let (before, after) = (GameFacts::of(stored), GameFacts::of(text.as_bytes()));
    // What is unknown may be written as ? or not at all.
    let names = |facts: &GameFacts| {
        [&facts.white, &facts.black, &facts.event, &facts.site, &facts.round, &facts.date]
            .map(|value| value.trim_matches(['?', '.']).to_owned())
    };
    before.plies > 0 && names(&before) == names(&after) && after.positions.starts_with(&before.positions)
}

#[cfg(test)]
mod tests {
    use ferz_library::Query;

    use super::*;

    fn library(name: &str) -> (Library, std::path::PathBuf) {
        let folder = std::env::temp_dir().join(format!("ferz-keeper-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        (Library::open(folder.join("library.sqlite")).expect("a library"), folder)
    }

    fn text(moves: &str) -> String {
        moves.parse::<GameTree>().expect("a game").to_string()
    }

    #[test]
    fn a_game_is_inserted_once_and_then_updated() {
        let (mut library, folder) = library("updates");
        let mut keeper = Keeper::default();
        for (moves, games) in [("*", 0), ("1. e4 *", 1), ("1. e4 e5 *", 1), ("1. e4 e5 2. d4 *", 1)] {
            keeper.save(&text(moves), |game| library.text(game).ok());
            keeper.write(&mut library).expect("it is written");
            assert_eq!(library.find(&Query::default()).expect("a list").len(), games, "{moves}");
        }
        let game = keeper.game().expect("it is kept");
        assert_eq!(library.text(game).expect("its text"), text("1. e4 e5 2. d4 *").into_bytes());
        // A second tab with the same text goes on with the same game; a different game does not.
        let mut second = Keeper::default();
        second.greet(None);
        second.save(&text("1. e4 e5 2. d4 *"), |game| library.text(game).ok());
        second.write(&mut library).expect("nothing to write");
        assert_eq!(second.game(), Some(game));
        // Both edit it: nothing is lost.
        for (keeper, moves) in [(&mut keeper, "1. e4 e5 2. d4 exd4 *"), (&mut second, "1. e4 e5 2. d4 d6 *")]
        {
            keeper.save(&text(moves), |game| library.text(game).ok());
            keeper.write(&mut library).expect("it is written");
        }
        assert_ne!(keeper.game(), second.game());
        assert_eq!(library.find(&Query::default()).expect("a list").len(), 2);
        std::fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn a_game_that_could_not_be_written_is_tried_again() {
        let (mut library, folder) = library("full");
        let mut keeper = Keeper::default();
        let long = text(&format!("1. e4 {{{}}} *", "x".repeat(100_000)));
        keeper.save(&long, |game| library.text(game).ok());
        library.limit_pages(1).expect("a limit");
        assert!(matches!(keeper.write(&mut library), Err(LibraryError::Full)));
        assert!(keeper.is_pending() && keeper.due().is_none() && keeper.game().is_none());
        library.limit_pages(1_000_000).expect("a limit");
        assert!(keeper.write(&mut library).expect("it is written"));
        let game = keeper.game().expect("it is kept");
        assert_eq!(library.text(game).expect("its text"), long.into_bytes());
        assert!(!keeper.is_pending());
        std::fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn an_opened_game_is_not_rewritten_before_it_is_edited() {
        let (mut library, folder) = library("opened");
        let original = b"[White \"A\"]\n\n1.e4   e5 {x}\n*\n";
        let game = library.add(original).expect("added");
        let normal = text("[White \"A\"]\n\n1.e4 e5 {x} *");
        for is_reload in [false, true] {
            let mut keeper = Keeper::default();
            if is_reload {
                keeper.greet(Some(game));
            } else {
                keeper.opened(0, game, original.to_vec());
            }
            keeper.save(&normal, |game| library.text(game).ok());
            assert!(!keeper.write(&mut library).expect("nothing to write"));
            assert_eq!((keeper.game(), library.text(game).expect("a text")), (Some(game), original.to_vec()));
        }
        // The server was killed before the last move was written.
        let mut keeper = Keeper::default();
        keeper.greet(Some(game));
        keeper.save(&text("[White \"A\"]\n\n1.e4 e5 {x} 2. d4 *"), |game| library.text(game).ok());
        assert!(keeper.write(&mut library).expect("it is written"));
        assert_eq!(keeper.game(), Some(game));
        // A page that names a game whose text it does not have gets a new one.
        let mut keeper = Keeper::default();
        keeper.greet(Some(game));
        keeper.save(&text("1. d4 *"), |game| library.text(game).ok());
        keeper.write(&mut library).expect("it is written");
        assert_ne!(keeper.game(), Some(game));
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
