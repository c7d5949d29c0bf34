//! Crashes, full disks, other programs, and files from elsewhere.

mod common;

use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use common::{Folder, random_games};
use ferz_board::Position;
use ferz_library::{GameFacts, Import, Library, LibraryError, Query, Sort};

/// Names the library for a process that imports into it.
const CHILD: &str = "FERZ_LIBRARY_TEST_CHILD";

/// Not a test of its own: what [`child`] runs.
#[test]
fn import_as_a_child() {
    let Some(path) = env::var_os(CHILD) else { return };
    let games = random_games(&mut fastrand::Rng::with_seed(7), 1_000);
    for _ in 0..3 {
        let mut import = Import::new(&path).expect("a library");
        import.read(games.as_bytes(), &mut (), |_| ControlFlow::Continue(())).expect("imported");
    }
}

/// A process that imports three times a thousand games.
fn child(folder: &Folder) -> Child {
    let program = env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", "import_as_a_child"]).env(CHILD, folder.file());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// Every game of a list has its text, and the index knows all.
fn check(library: &mut Library) -> usize {
    let games = library.find(&Query::default()).expect("a list");
    for &game in &games {
        assert!(!library.text(game).expect("its text").is_empty());
    }
    let start = Query { fen: Some(Position::start().to_string()), ..Query::default() };
    assert_eq!(library.find(&start).expect("a list"), games);
    games.len()
}

#[test]
fn a_killed_import_leaves_whole_batches() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut partial = 0;
    for _ in 0..6 {
        let folder = Folder::new();
        // The library is there before, with a game that must survive.
        folder.open().add(b"1. e4 *").expect("added");
        let mut child = child(&folder);
        let deadline = Instant::now() + Duration::from_secs(60);
        let file = folder.file().with_extension("sqlite-wal");
        // At some time after it has begun to write.
        while fs::metadata(&file).map_or(0, |data| data.len()) < 100_000 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(random.u64(..40)));
        child.kill().expect("killed");
        child.wait().expect("it ends");
        let mut library = folder.open();
        let count = check(&mut library);
        assert_eq!(count % 1_000, 1, "{count} games");
        partial += usize::from(count < 3_001);
        // It can be written as before.
        library.add(b"1. d4 *").expect("added");
        assert_eq!(check(&mut library), count + 1);
    }
    assert!(partial > 0, "every import was over before it was killed");
}

#[test]
fn two_programs_share_a_library() {
    let folder = Folder::new();
    // Both make the library at the same time.
    let mut children = [child(&folder), child(&folder)];
    let mut library = folder.open();
    let mut added = 0;
    while children.iter_mut().any(|child| child.try_wait().expect("a state").is_none()) {
        let game = library.add(format!("[Round \"{added}\"]\n\n1. e4 *\n").as_bytes()).expect("added");
        added += 1;
        library.tag(&[game], &["mine".to_owned()], &[]).expect("tagged");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(children.iter_mut().all(|child| child.wait().expect("it ends").success()));
    assert_eq!(check(&mut library), 6_000 + added);
    let mine = Query { tag: Some("mine".to_owned()), ..Query::default() };
    assert_eq!(library.find(&mine).expect("a list").len(), added);
    assert_eq!(check(&mut folder.open()), 6_000 + added);
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new();
    let mut library = folder.open();
    library.limit_pages(100).expect("a limit");
    let text = format!("{{{}}} 1. e4 *", "x".repeat(5_000));
    let mut kept = 0;
    let error = loop {
        match library.add(text.as_bytes()) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 1_000);
    };
    assert!(matches!(error, LibraryError::Full), "{error:?}");
    assert!(kept > 10);
    assert_eq!(check(&mut library), kept);
    assert_eq!(check(&mut folder.open()), kept);
    // An import stops at the same place, and keeps the batches before.
    let mut import = Import::new(folder.file()).expect("a library");
    import.limit_pages(1_000).expect("a limit");
    let games = random_games(&mut fastrand::Rng::with_seed(9), 500).repeat(60);
    let mut before = 0;
    let error = import.read(games.as_bytes(), &mut (), |count| {
        before = count.games as usize;
        ControlFlow::Continue(())
    });
    assert!(matches!(error, Err(LibraryError::Full)), "{error:?}");
    let mut library = folder.open();
    assert_eq!(check(&mut library), kept + before);
    // With more room it goes on.
    library.limit_pages(100_000).expect("a limit");
    library.add(text.as_bytes()).expect("added");
    assert_eq!(check(&mut library), kept + before + 1);
}

#[test]
fn a_stopped_import_keeps_what_it_has_read() {
    let folder = Folder::new();
    let games = random_games(&mut fastrand::Rng::with_seed(10), 500).repeat(60);
    let mut import = Import::new(folder.file()).expect("a library");
    let count = import.read(games.as_bytes(), &mut (), |_| ControlFlow::Break(())).expect("stopped");
    assert!(count.is_stopped && count.games > 0 && count.bytes < games.len() as u64);
    assert_eq!(check(&mut folder.open()) as u64, count.games);
}

#[test]
fn an_interrupted_file_is_an_error_behind_its_games() {
    struct Broken<'a>(&'a [u8]);
    impl std::io::Read for Broken<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::other("the cable is out")),
                count => Ok(count),
            }
        }
    }
    let folder = Folder::new();
    let mut import = Import::new(folder.file()).expect("a library");
    let error = import.read(Broken(b"1. e4 *\n\n1. d4"), &mut (), |_| ControlFlow::Continue(()));
    assert!(
        matches!(&error, Err(LibraryError::Io(error)) if error.to_string() == "the cable is out"),
        "{error:?}"
    );
    assert_eq!(check(&mut folder.open()), 2);
}

#[test]
fn a_file_without_games_is_not_imported() {
    let folder = Folder::new();
    let mut import = Import::new(folder.file()).expect("a library");
    let mut random = fastrand::Rng::with_seed(13);
    let noise: Vec<u8> = (0..200_000).map(|_| b"abc \n{}();=<>/"[random.usize(..14)]).collect();
    for text in [&b""[..], b"   \n\n", b"no game at all", b"<html><body>", &noise] {
        let count = import.read(text, &mut (), |_| ControlFlow::Continue(())).expect("read");
        assert_eq!(count.games, 0, "{:?}", &text[..text.len().min(20)]);
    }
    assert_eq!(check(&mut folder.open()), 0);
}

#[test]
fn foreign_and_damaged_files_are_refused() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path()).expect("a folder");
    let file = |name: &str| folder.path().join(name);
    fs::write(file("text"), "1. e4 e5 *\n".repeat(1_000)).expect("written");
    let sql = |name: &str, statements: &str| {
        rusqlite::Connection::open(file(name)).expect("opened").execute_batch(statements).expect("executed");
    };
    sql("foreign", "CREATE TABLE t (x)");
    sql("marked", "PRAGMA application_id = 0x4665727a; PRAGMA user_version = 1; CREATE TABLE game (x)");
    for name in ["trigger", "newer", "view", "index"] {
        Library::open(file(name)).expect("made");
    }
    // The name looks like one of SQLite's own; its expression would be evaluated for each game.
    sql("index", "CREATE INDEX sqlitex ON game (instr(hex(zeroblob(10000000)), white))");
    sql("trigger", "CREATE TRIGGER evil AFTER INSERT ON game BEGIN DELETE FROM pgn; END");
    sql("view", "CREATE VIEW evil AS SELECT * FROM game");
    sql("newer", "PRAGMA user_version = 2");
    for name in ["text", "foreign", "marked", "trigger", "view", "index"] {
        let before = fs::read(file(name)).expect("read");
        let error = Library::open(file(name)).expect_err(name);
        assert!(matches!(error, LibraryError::Foreign(_)), "{name}: {error:?}");
        assert_eq!(fs::read(file(name)).expect("read"), before, "{name} was changed");
    }
    assert!(matches!(Library::open(file("newer")), Err(LibraryError::Newer(_))));
    fs::create_dir(file("folder")).expect("a folder");
    assert!(matches!(Library::open(file("folder")), Err(LibraryError::NotAFile(_))));
    let error = Library::open(file("text").join("library.sqlite")).expect_err("not a folder");
    assert!(
        matches!(&error, LibraryError::Unusable(path, _) if path.ends_with("text/library.sqlite")),
        "{error}"
    );
    assert!(std::error::Error::source(&error).is_none(), "the text has the reason");
    // Damage anywhere: an error or games, but never a panic.
    let library = Folder::new();
    let mut import = Import::new(library.file()).expect("a library");
    let games = random_games(&mut fastrand::Rng::with_seed(11), 600);
    import.read(games.as_bytes(), &mut (), |_| ControlFlow::Continue(())).expect("imported");
    drop(import);
    let whole = fs::read(library.file()).expect("read");
    let mut random = fastrand::Rng::with_seed(12);
    let mut refused = 0;
    for round in 0..90 {
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(random.usize(1..bytes.len())),
            1 => {
                let at = random.usize(..bytes.len() - 64);
                bytes[at..at + 64].iter_mut().for_each(|byte| *byte = random.u8(..));
            }
            // Single bytes in the heads of pages.
            _ => (0..5).for_each(|_| {
                let at = random.usize(..bytes.len() / 4096) * 4096 + random.usize(..108);
                bytes[at] ^= random.u8(1..);
            }),
        }
        fs::write(file("damaged"), &bytes).expect("written");
        let opened = Library::open(file("damaged")).and_then(|mut library| {
            let games = library.find(&Query { text: Some("tal".to_owned()), ..Query::default() })?;
            let start = Query { fen: Some(Position::start().to_string()), ..Query::default() };
            library.find(&start)?;
            library.export(&games, &mut std::io::sink())?;
            library.summary()?;
            library.add(b"1. e4 *")
        });
        if let Err(error) = opened {
            refused += 1;
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    assert!(refused > 20, "{refused}");
}

#[cfg(unix)]
#[test]
fn a_library_is_for_its_user_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let inner = folder.path().join("deep/folder");
    let file = inner.join("library.sqlite");
    Library::open(&file).expect("made").add(b"1. e4 *").expect("added");
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!((mode(&inner), mode(&file)), (0o700, 0o600));
    // Through a link it is the same library with the same journal.
    let link = folder.path().join("link");
    symlink(&file, &link).expect("a link");
    let mut linked = Library::open(&link).expect("opened");
    assert_eq!(linked.path(), fs::canonicalize(&file).expect("a path"));
    linked.add(b"1. d4 *").expect("added");
    assert_eq!(check(&mut Library::open(&file).expect("opened")), 2);
    assert!(!folder.path().join("link-wal").exists());
}

#[test]
fn a_read_only_library_is_read() {
    let folder = Folder::new();
    folder.open().add(b"1. e4 *").expect("added");
    let mut permissions = fs::metadata(folder.file()).expect("it exists").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.file(), permissions).expect("set");
    let mut library = folder.open();
    assert!(!library.is_writable());
    assert_eq!(check(&mut library), 1);
    assert!(matches!(library.add(b"1. d4 *"), Err(LibraryError::ReadOnly)));
    assert!(matches!(library.delete(&[1]), Err(LibraryError::ReadOnly)));
    assert!(matches!(library.purge_before(i64::MAX), Ok(0)));
    assert!(matches!(Import::new(folder.file()), Err(LibraryError::ReadOnly)));
}

#[test]
fn facts_of_hostile_games_are_bounded() {
    let long = "x".repeat(100_000);
    let text = format!(
        "[White \"{long}\"]\n[WhiteElo \"99999999\"]\n[ECO \"{long}\"]\n[Date \"\u{1b}[2J\"]\n\n1. e4 *"
    );
    let facts = GameFacts::of(text.as_bytes());
    assert!(facts.white.len() <= 200 && facts.eco.len() <= 3 && facts.white_elo.is_none());
    assert!(!facts.date.contains('\u{1b}'));
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(3_000);
    let facts = GameFacts::of(shuffle.as_bytes());
    assert!(facts.plies == 12_000 && facts.positions.len() <= 2_001, "{}", facts.plies);
}

/// A file that somebody else has made: its tables are ours, and nothing in them is.
#[test]
fn hostile_values_in_a_library_are_bounded() {
    let folder = Folder::new();
    let mut import = Import::new(folder.file()).expect("a library");
    let games = random_games(&mut fastrand::Rng::with_seed(14), 600);
    import.read(games.as_bytes(), &mut (), |_| ControlFlow::Continue(())).expect("imported");
    drop(import);
    let sql = rusqlite::Connection::open(folder.file()).expect("opened");
    sql.execute_batch(
        "UPDATE run SET id = 9223372036854775807;
         UPDATE game SET run = 9223372036854775807 WHERE id % 2;
         UPDATE game SET added_ms = -1, plies = -5, result = 77, white_elo = 1e15, folder = -1 WHERE id % 3;
         UPDATE game SET white = replace(hex(zeroblob(500000)), '0', char(27)), black = 'a' || char(155) || 'b',
             event = CAST(x'ff00fe' AS TEXT) WHERE id = 5;
         UPDATE pgn SET game = -1 WHERE game = 1; UPDATE game SET id = -1 WHERE id = 1;
         UPDATE game SET run = 0 WHERE id = 7; DELETE FROM pgn WHERE game = 7;
         INSERT INTO tag VALUES (5, hex(zeroblob(500000))), (5, 'good'), (5, CAST(x'ff' AS TEXT)), (999999, 'gone');
         INSERT INTO folder (id, name) VALUES (-9, 'below'), (9223372036854775807, hex(zeroblob(1000))), (3, '');
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO folder (id, name) SELECT i + 10, 'f' || i FROM n;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO tag SELECT i % 600, 't' || i FROM n;",
    )
    .expect("executed");
    let mut library = folder.open();
    let page = library.list(&Query::default(), Sort::White, true, 0, usize::MAX).expect("a list");
    assert_eq!(page.total, 600);
    for game in &page.games {
        let texts = [&game.white, &game.black, &game.event];
        assert!(texts.iter().all(|text| text.len() <= 800 && !text.contains(char::is_control)), "{game:?}");
        assert!(game.tags.len() <= 32 && game.tags.iter().all(|tag| tag.len() <= 60), "{game:?}");
        assert!(game.added_ms < 1 << 53 && game.folder.is_none());
    }
    let summary = library.summary().expect("a summary");
    assert!(summary.tags.len() <= 1_000 && summary.folders.len() <= 1_000);
    assert!(summary.folders.iter().all(|folder| (1..=100).contains(&folder.name.len())));
    let start = Query { fen: Some(Position::start().to_string()), ..Query::default() };
    assert!(library.find(&start).is_ok());
    let games: Vec<_> =
        library.find(&Query::default()).expect("a list").into_iter().chain([0, u64::MAX]).collect();
    library.export(&games, &mut std::io::sink()).expect("exported");
    library.tag(&[5], &["good".to_owned()], &[]).expect("tagged");
    let game = library.add(b"1. e4 *").expect("added");
    assert_eq!(library.text(game).expect("its text"), b"1. e4 *");
    // A counter that cannot count any more is an error, not a panic.
    sql.execute_batch("UPDATE counter SET value = 9223372036854775807").expect("executed");
    assert!(library.add(b"1. d4 *").is_err() && library.summary().is_ok());
}

/// Thousands of tags for thousands of games would be millions of statements.
#[test]
fn tags_have_limits() {
    let folder = Folder::new();
    let mut library = folder.open();
    let games: Vec<_> =
        (0..40).map(|_| library.add(b"1. e4 *").expect("added")).chain([0, 1 << 63, u64::MAX]).collect();
    let tags =
        |from: usize, count: usize| (from..from + count).map(|it| format!("t{it}")).collect::<Vec<_>>();
    for refused in [library.tag(&games, &tags(0, 33), &[]), library.tag(&games, &[], &tags(0, 33))] {
        assert!(matches!(refused, Err(LibraryError::Refused(_))), "{refused:?}");
    }
    for (index, &game) in games.iter().enumerate().take(31) {
        library.tag(&[game], &tags(index * 32, 32), &[]).expect("tagged");
    }
    // 992 different ones, and eight more are allowed.
    let last = [games[35]];
    assert!(matches!(library.tag(&last, &tags(2_000, 9), &[]), Err(LibraryError::Refused(_))));
    library.tag(&last, &tags(2_000, 8), &tags(0, 32)).expect("tagged");
    library.tag(&games, &tags(0, 1), &[]).expect("a known tag");
    assert_eq!(library.summary().expect("a summary").tags.len(), 1_000);
    // Texts are values, whatever they contain.
    for name in ["'); DROP TABLE game;--", "\u{202e}gpj.exe", "\" OR 1=1", "%_?1"] {
        let id = library.make_folder(name).expect("a folder");
        library.move_to(&games, Some(id)).expect("moved");
        library.rename_folder(id, &format!("{name}2")).expect("renamed");
        library.tag(&last, &[], &[name.to_owned()]).expect("nothing to remove");
        let query = Query { text: Some(name.to_owned()), tag: Some(name.to_owned()), ..Query::default() };
        assert_eq!(library.find(&query).expect("a list"), []);
    }
    assert!(["a\0b", "a\nb", &"x".repeat(1 << 20)].iter().all(|name| library.make_folder(name).is_err()));
    assert_eq!(check(&mut library), 40);
}

/// A different program writes for a while: what does not wait fails at once, and what waits is done afterwards.
#[test]
fn a_locked_library_is_busy() {
    let folder = Folder::new();
    let mut library = folder.open();
    library.add(b"1. e4 *").expect("added");
    let sql = rusqlite::Connection::open(folder.file()).expect("opened");
    sql.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let start = Instant::now();
    let busy = library.without_waiting(|library| library.add(b"1. d4 *"));
    assert!(matches!(busy, Err(LibraryError::Busy)) && start.elapsed() < Duration::from_millis(500));
    assert_eq!(check(&mut library), 1);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| library.add(b"1. c4 *"));
        thread::sleep(Duration::from_millis(100));
        sql.execute_batch("ROLLBACK").expect("unlocked");
        waiting.join().expect("no panic").expect("added");
    });
    assert_eq!(check(&mut library), 2);
}

/// Files beside a library that belong to a different one, and paths that are not files.
#[cfg(unix)]
#[test]
fn foreign_journals_and_devices_do_no_harm() {
    let (folder, other) = (Folder::new(), Folder::new());
    for (folder, count) in [(&folder, 3), (&other, 50)] {
        let mut library = folder.open();
        for _ in 0..count {
            library.add(b"1. e4 *").expect("added");
        }
        let journal = |folder: &Folder| folder.file().with_extension("sqlite-wal");
        if count == 50 {
            // As a crash would leave it.
            fs::copy(journal(folder), folder.path().join("kept")).expect("copied");
        }
    }
    fs::copy(other.path().join("kept"), folder.file().with_extension("sqlite-wal")).expect("copied");
    // The pages of the other library replace some of this one, or it is refused. Nothing panics.
    if let Ok(mut library) = Library::open(folder.file()) {
        let games = library.find(&Query::default()).unwrap_or_default();
        let _ = library.export(&games, &mut std::io::sink());
    }
    for path in ["/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem"] {
        assert!(Library::open(path).is_err(), "{path}");
    }
    let fifo = other.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    if made.is_ok_and(|status| status.success()) {
        assert!(matches!(Library::open(&fifo), Err(LibraryError::NotAFile(_))));
    }
}
