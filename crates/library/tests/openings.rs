//! The openings of a library: an index that followed its changes is as good as a new one.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use common::{Folder, random_games};
use ferz_board::Position;
use ferz_library::explorer::{Exploration, IndexError, IndexReader, LibraryIndex, SAMPLES};
use ferz_library::{GameFacts, GameId, Import, Library, Query};
use ferz_notation::san::San;

fn open(folder: &Path, library: &Library) -> LibraryIndex {
    loop {
        match LibraryIndex::open(folder, library) {
            Err(IndexError::Locked { .. }) => thread::sleep(Duration::from_millis(1)),
            opened => return opened.expect("an index").with_batch(50),
        }
    }
}

/// Updates the index in a folder. Returns a reader, and how many games it had to read.
fn update(folder: &Path, library: &mut Library) -> (IndexReader, u64) {
    let mut index = open(folder, library);
    let mut games = 0;
    index.update(library, |read| games = read).expect("updated");
    (index.reader(), games)
}

/// Positions that the games may have.
fn walk(random: &mut fastrand::Rng) -> Position {
    let mut position =
        if random.u8(..10) > 0 { Position::start() } else { Position::chess960_start(7).expect("a number") };
    for _ in 0..random.usize(..7) {
        let moves = position.legal_moves();
        position.play_unchecked(moves[random.usize(..moves.len().min(6))]);
    }
    position
}

/// What must be the same.
fn essence(found: &Exploration) -> impl PartialEq + std::fmt::Debug {
    let mut moves: Vec<_> = found
        .moves
        .iter()
        .map(|it| {
            let stats = &it.stats;
            let results = [stats.games(), stats.white(), stats.draws(), stats.black()];
            (format!("{:?}", it.mv), results, stats.elo(), it.transpositions)
        })
        .collect();
    moves.sort();
    (found.total, moves)
}

/// Compares an index with a new one and its samples with the library. Returns how many samples were found and how many
/// could have been.
fn check(reader: &IndexReader, library: &mut Library, random: &mut fastrand::Rng) -> (usize, usize) {
    let folder = Folder::new();
    let (fresh, games) = update(folder.path(), library);
    assert_eq!((reader.games(), reader.games()), (fresh.games(), library.count().expect("a number") as u64));
    assert!(games >= reader.games());
    let live: BTreeSet<GameId> = library.find(&Query::default()).expect("a list").into_iter().collect();
    let mut samples = (0, 0);
    for number in 0..60 {
        let position = if number == 0 { Position::start() } else { walk(random) };
        let (found, expected) =
            (reader.explore(&position).expect("found"), fresh.explore(&position).expect("found"));
        assert_eq!(essence(&found), essence(&expected), "{position}");
        for it in &found.moves {
            let ids: BTreeSet<GameId> = it.stats.samples().map(|game| game.id).collect();
            assert_eq!(ids.len(), it.stats.samples().count(), "twice the same game");
            let most = SAMPLES.min(it.stats.games() as usize);
            samples = (samples.0 + ids.len(), samples.1 + most);
            for sample in it.stats.samples() {
                assert!(live.contains(&sample.id), "a deleted game");
                let facts = GameFacts::of(&library.text(sample.id).expect("its text"));
                let key = position.repetition_key();
                let place = facts.positions.iter().position(|&it| it == key).expect("the position");
                assert_eq!((facts.moves[place], facts.result), (Some(it.mv), sample.result));
            }
            let other = expected.moves.iter().find(|other| other.mv == it.mv).expect("the same moves");
            assert!(it.stats.year() >= other.stats.year());
            if ids.len() as u64 == it.stats.games() {
                assert_eq!(it.stats.year(), other.stats.year(), "all games are known");
            }
        }
    }
    samples
}

/// A game of Chess960.
fn game_960(random: &mut fastrand::Rng) -> String {
    let mut position = Position::chess960_start(7).expect("a number");
    let mut text = format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{position}\"]\n\n");
    for _ in 0..random.usize(..12) {
        let moves = position.legal_moves();
        let mv = moves[random.usize(..moves.len().min(6))];
        write!(text, "{} ", San::new(&position, mv)).expect("a string");
        position.play_unchecked(mv);
    }
    text + "1-0\n\n"
}

fn random_game(random: &mut fastrand::Rng) -> String {
    if random.u8(..8) == 0 { game_960(random) } else { random_games(random, 1) }
}

/// Changes a library at random.
fn change(library: &mut Library, random: &mut fastrand::Rng) {
    let all = library.find(&Query::default()).expect("a list");
    let some = |random: &mut fastrand::Rng, games: &[GameId]| -> Vec<GameId> {
        if games.is_empty() {
            return Vec::new();
        }
        (0..random.usize(1..5)).map(|_| games[random.usize(..games.len())]).collect()
    };
    match random.u8(..12) {
        0..3 => drop(library.add(random_game(random).as_bytes()).expect("added")),
        3 => {
            let count = random.usize(1..120);
            let text = random_games(random, count);
            let mut import = Import::new(library.path()).expect("a library");
            import.read(text.as_bytes(), &mut (), |_| ControlFlow::Continue(())).expect("imported");
        }
        4..8 => {
            for game in some(random, &all) {
                let before = library.text(game).expect("a text");
                let text = String::from_utf8_lossy(&before);
                let text = match random.u8(..4) {
                    0 => random_game(random),
                    1 => text.replace("1-0", "0-1"),
                    2 => text.replace("[Date \"1", "[Date \"2"),
                    _ => text.replace("[WhiteElo \"1", "[WhiteElo \"2"),
                };
                assert!(library.replace(game, &before, text.as_bytes()).expect("replaced"));
            }
        }
        8 | 9 => library.delete(&some(random, &all)).expect("deleted"),
        10 => {
            let deleted = library.find(&Query { deleted: true, ..Query::default() }).expect("a list");
            library.restore(&some(random, &deleted)).expect("restored");
        }
        _ => library.tag(&some(random, &all), &["seen".to_owned()], &[]).expect("tagged"),
    }
}

#[test]
fn an_index_that_follows_changes_equals_a_new_one() {
    let (mut found, mut possible) = (0, 0);
    for seed in 0..4 {
        let mut random = fastrand::Rng::with_seed(seed);
        let folder = Folder::new();
        let openings = folder.path().join("openings");
        let mut library = folder.open();
        for _ in 0..6 {
            for _ in 0..random.usize(1..12) {
                change(&mut library, &mut random);
                if random.u8(..3) == 0 {
                    update(&openings, &mut library);
                }
                if random.u8(..3) == 0 {
                    open(&openings, &library).merge().expect("merged");
                }
                if random.u8(..12) == 0 {
                    library.purge_before(i64::MAX).expect("purged");
                }
            }
            let (reader, _) = update(&openings, &mut library);
            let samples = check(&reader, &mut library, &mut random);
            (found, possible) = (found + samples.0, possible + samples.1);
        }
    }
    // Only games that were never samples while others were are missing.
    assert!(found * 100 > possible * 97, "{found} of {possible} samples");
}

#[test]
fn an_update_reads_only_what_changed() {
    let mut random = fastrand::Rng::with_seed(20);
    let folder = Folder::new();
    let openings = folder.path().join("openings");
    let mut library = folder.open();
    for _ in 0..200 {
        library.add(random_game(&mut random).as_bytes()).expect("added");
    }
    assert_eq!(update(&openings, &mut library).1, 200);
    assert_eq!(update(&openings, &mut library).1, 0);

    // A game that is saved move by move is one game, and it is the sample of its moves.
    let moves = "1. a4 a5 2. b4 b5 3. c4 c5 4. d4 d5 5. e4 e5 6. f4 f5 7. g4 g5 8. h4 h5";
    let mut text = "[WhiteElo \"2900\"]\n\n*\n".to_owned();
    let game = library.add(text.as_bytes()).expect("added");
    let mut after = Position::start();
    after.play_unchecked(after.parse_uci("a2a4").expect("a move"));
    let others = update(&openings, &mut library).0.explore(&after).expect("found").total;
    for (end, _) in moves.char_indices().filter(|(_, letter)| *letter == ' ').chain([(moves.len(), ' ')]) {
        let next = format!("[WhiteElo \"2900\"]\n\n{} *\n", &moves[..end]);
        assert!(library.replace(game, text.as_bytes(), next.as_bytes()).expect("replaced"));
        text = next;
        let mut index = open(&openings, &library);
        let mut games = 0;
        index.update(&mut library, |read| games = read).expect("updated");
        index.merge().expect("merged");
        assert_eq!(games, 1);
        let found = index.reader().explore(&after).expect("found");
        let is_played = end > "1. a4".len();
        assert_eq!(found.total, others + u64::from(end >= "1. a4".len()));
        assert_eq!(
            found.games(9).iter().filter(|it| it.id == game).count(),
            usize::from(is_played),
            "{text}"
        );
    }
    let (reader, _) = update(&openings, &mut library);
    check(&reader, &mut library, &mut random);

    // Games that the index has seen deleted can be removed for good; others cannot be found any more.
    library.delete(&[game]).expect("deleted");
    assert_eq!(update(&openings, &mut library).1, 1);
    assert_eq!(library.purge_before(i64::MAX).expect("purged"), 1);
    assert_eq!(update(&openings, &mut library).1, 0);
    library.add(random_game(&mut random).as_bytes()).expect("added");
    assert_eq!(update(&openings, &mut library).1, 1);
    let games = library.find(&Query::default()).expect("a list");
    library.delete(&games[..3]).expect("deleted");
    library.purge_before(i64::MAX).expect("purged");
    let (reader, read) = update(&openings, &mut library);
    assert_eq!(read, 198);
    check(&reader, &mut library, &mut random);
}

#[test]
fn a_file_that_is_replaced_is_read_again() {
    let mut random = fastrand::Rng::with_seed(21);
    let folder = Folder::new();
    let (openings, copy) = (folder.path().join("openings"), folder.path().join("copy.sqlite"));
    let add = |random: &mut fastrand::Rng, library: &mut Library, count: usize| {
        for _ in 0..count {
            library.add(random_game(random).as_bytes()).expect("added");
        }
    };
    let mut library = folder.open();
    add(&mut random, &mut library, 20);
    drop(library);
    fs::copy(folder.file(), &copy).expect("copied");
    let mut library = folder.open();
    add(&mut random, &mut library, 10);
    update(&openings, &mut library);
    drop(library);
    // The older copy is back, and went on differently before the index saw it.
    fs::copy(&copy, folder.file()).expect("copied");
    let mut library = folder.open();
    add(&mut random, &mut library, 15);
    let (reader, read) = update(&openings, &mut library);
    assert_eq!(read, 35);
    check(&reader, &mut library, &mut random);
    drop(library);
    // A different library takes its place.
    let mut other = Library::open(&copy).expect("a library");
    add(&mut random, &mut other, 60);
    drop(other);
    fs::remove_file(folder.file()).expect("removed");
    fs::rename(&copy, folder.file()).expect("renamed");
    let mut library = folder.open();
    let (reader, _) = update(&openings, &mut library);
    check(&reader, &mut library, &mut random);
}

#[test]
fn a_damaged_index_is_built_again() {
    let mut random = fastrand::Rng::with_seed(22);
    let folder = Folder::new();
    let openings = folder.path().join("openings");
    let mut library = folder.open();
    for _ in 0..150 {
        library.add(random_game(&mut random).as_bytes()).expect("added");
    }
    update(&openings, &mut library);
    let runs = || -> Vec<PathBuf> {
        let files = fs::read_dir(&openings).expect("the folder").map(|file| file.expect("a file").path());
        files.filter(|path| path.extension().is_some_and(|it| it == "run")).collect()
    };
    for round in 0..20 {
        let path = runs().swap_remove(0);
        let mut bytes = fs::read(&path).expect("readable");
        let place = random.usize(..bytes.len());
        bytes[place] ^= 1 << random.u8(..8);
        fs::write(&path, bytes).expect("written");
        // Every game is looked up in the index.
        let games = library.find(&Query::default()).expect("a list");
        library.tag(&games, &[format!("round {round}")], &[]).expect("tagged");
        library.delete(&games[..1]).expect("deleted");
        let mut index = open(&openings, &library);
        index.update(&mut library, |_| {}).expect("updated");
        // Damage behind the lines is found by reading all of it.
        if index.merge().is_err() || (0..30).any(|_| index.reader().explore(&walk(&mut random)).is_err()) {
            index.clear().expect("cleared");
            index.update(&mut library, |_| {}).expect("updated");
        }
        assert_eq!(index.reader().games(), library.count().expect("a number") as u64);
    }
    open(&openings, &library).clear().expect("cleared");
    let (reader, _) = update(&openings, &mut library);
    check(&reader, &mut library, &mut random);
}

/// Names the folder for a process that updates an index.
const CHILD: &str = "FERZ_OPENINGS_TEST_CHILD";

/// Not a test of its own: a process that updates an index, one game in a batch.
#[test]
fn update_as_a_child() {
    let Some(path) = env::var_os(CHILD).map(PathBuf::from) else { return };
    let mut library = Library::open(path.join("library.sqlite")).expect("a library");
    let mut index = open(&path.join("openings"), &library).with_batch(1);
    index.update(&mut library, |_| {}).expect("updated");
}

#[test]
fn a_killed_update_goes_on() {
    let mut random = fastrand::Rng::with_seed(23);
    let mut partial = 0;
    for _ in 0..4 {
        let folder = Folder::new();
        let openings = folder.path().join("openings");
        let mut library = folder.open();
        for _ in 0..100 {
            library.add(random_game(&mut random).as_bytes()).expect("added");
        }
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["--exact", "update_as_a_child"]).env(CHILD, folder.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        // Meanwhile the library changes.
        while child.try_wait().expect("a state").is_none() && !openings.join("manifest").exists() {
            thread::sleep(Duration::from_millis(1));
        }
        for _ in 0..random.usize(..8) {
            change(&mut library, &mut random);
        }
        child.kill().expect("killed");
        child.wait().expect("it ends");
        let before = open(&openings, &library).reader().games();
        partial += usize::from(before > 0 && before < 100);
        let (reader, _) = update(&openings, &mut library);
        check(&reader, &mut library, &mut random);
    }
    assert!(partial > 0, "no update was interrupted");
}

#[test]
fn several_programs_share_an_index() {
    let folder = Folder::new();
    let openings = folder.path().join("openings");
    drop(folder.open());
    thread::scope(|scope| {
        for seed in 30..33 {
            let (folder, openings) = (&folder, &openings);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                let mut library = folder.open();
                for _ in 0..15 {
                    library.add(random_game(&mut random).as_bytes()).expect("added");
                    let count = library.count().expect("a number") as u64;
                    let (reader, _) = update(openings, &mut library);
                    assert!(reader.games() >= count, "a change of its own is missing");
                }
            });
        }
    });
    let mut library = folder.open();
    let (reader, read) = update(&openings, &mut library);
    assert_eq!((reader.games(), read), (45, 0));
    check(&reader, &mut library, &mut fastrand::Rng::with_seed(33));
}
