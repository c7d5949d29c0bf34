//! Crashes, full disks, other programs, and files from elsewhere.

mod common;

use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use common::{Folder, random_games};
use ferz_board::Position;
use ferz_library::{GameFacts, Import, Library, LibraryError, Query};

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
    for name in ["trigger", "newer", "view"] {
        Library::open(file(name)).expect("made");
    }
    sql("trigger", "CREATE TRIGGER evil AFTER INSERT ON game BEGIN DELETE FROM pgn; END");
    sql("view", "CREATE VIEW evil AS SELECT * FROM game");
    sql("newer", "PRAGMA user_version = 2");
    for name in ["text", "foreign", "marked", "trigger", "view"] {
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
        matches!(&error, LibraryError::Open { path, .. } if path.ends_with("text/library.sqlite")),
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
    for _ in 0..60 {
        let mut bytes = whole.clone();
        if random.bool() {
            bytes.truncate(random.usize(1..bytes.len()));
        } else {
            let at = random.usize(..bytes.len() - 64);
            bytes[at..at + 64].iter_mut().for_each(|byte| *byte = random.u8(..));
        }
        fs::write(file("damaged"), &bytes).expect("written");
        let opened = Library::open(file("damaged")).and_then(|mut library| {
            let games = library.find(&Query { text: Some("tal".to_owned()), ..Query::default() })?;
            let start = Query { fen: Some(Position::start().to_string()), ..Query::default() };
            library.find(&start)?;
            library.export(&games, &mut std::io::sink())
        });
        refused += usize::from(opened.is_err());
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
