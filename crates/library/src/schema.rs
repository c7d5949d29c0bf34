//! The file of a library: how it is opened, checked and laid out.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::{LibraryError, MAX_GAME};

/// "Ferz": marks a file as a library.
const APPLICATION: i32 = 0x4665_727a;
/// The version of the layout.
const VERSION: i32 = 1;
/// How long to wait for other programs. Transactions take tenths of a second.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);
/// Larger files are not checked as a whole when they are opened. Damage is then reported where it is met.
const MAX_CHECKED: u64 = 32 << 20;

/// The tables. The text of a game is apart from the list, which is read as a whole.
const TABLES: [&str; 10] = [
    "CREATE TABLE game (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        changed INTEGER NOT NULL,
        added_ms INTEGER NOT NULL,
        deleted_ms INTEGER,
        folder INTEGER NOT NULL DEFAULT 0,
        run INTEGER NOT NULL DEFAULT 0,
        hash INTEGER NOT NULL,
        white TEXT NOT NULL,
        black TEXT NOT NULL,
        event TEXT NOT NULL,
        site TEXT NOT NULL,
        round TEXT NOT NULL,
        date TEXT NOT NULL,
        eco TEXT NOT NULL,
        opening TEXT NOT NULL,
        white_elo INTEGER NOT NULL,
        black_elo INTEGER NOT NULL,
        result INTEGER NOT NULL,
        plies INTEGER NOT NULL
    ) STRICT",
    "CREATE INDEX game_changed ON game (changed)",
    "CREATE INDEX game_loose ON game (id) WHERE run = 0",
    "CREATE INDEX game_deleted ON game (deleted_ms) WHERE deleted_ms IS NOT NULL",
    "CREATE TABLE pgn (game INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT",
    "CREATE TABLE folder (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE tag (game INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (game, tag)) STRICT, WITHOUT ROWID",
    "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, games BLOB NOT NULL) STRICT",
    "CREATE TABLE reached (id INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT",
    "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID",
];

/// An open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) connection: Connection,
    /// The real path, so that all programs use the same files beside it.
    pub(crate) path: PathBuf,
    pub(crate) is_writable: bool,
}

/// Opens a library, and makes one if there is none.
pub(crate) fn open(path: &Path) -> Result<OpenFile, LibraryError> {
    let failed = |error: io::Error| match LibraryError::from(error) {
        LibraryError::Io(error) => LibraryError::Open { path: path.to_owned(), error },
        other => other,
    };
    prepare(path).map_err(failed)?;
    let path = fs::canonicalize(path).map_err(failed)?;
    let metadata = fs::metadata(&path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(LibraryError::NotAFile(path));
    }
    let is_writable = !metadata.permissions().readonly();
    if is_writable {
        match connect(&path, true) {
            Err(LibraryError::ReadOnly) => {}
            opened => return opened,
        }
    }
    match connect(&path, false) {
        // A folder that cannot be written either: nobody else can change the file.
        Err(LibraryError::Sql(error)) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            set_up(Connection::open_with_flags(immutable_uri(&path), flags)?, &path, false)
        }
        opened => opened,
    }
}

/// The address of a file that does not change.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// Makes the folder and the file if they are missing. Both are for the user alone.
fn prepare(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn connect(path: &Path, is_writable: bool) -> Result<OpenFile, LibraryError> {
    let access =
        if is_writable { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    // The connection is used by one thread at a time.
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    set_up(connection, path, is_writable)
}

fn set_up(mut connection: Connection, path: &Path, is_writable: bool) -> Result<OpenFile, LibraryError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    protect(&connection)?;
    check(&mut connection, path, is_writable)?;
    if is_writable {
        // Readers and a writer do not wait for each other. Each transaction reaches the disk before it counts.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "journal_size_limit", 16 << 20)?;
    }
    connection.set_prepared_statement_cache_capacity(64);
    Ok(OpenFile { connection, path: path.to_owned(), is_writable })
}

/// The file may come from somebody else: nothing in it may run, and sizes are bounded.
fn protect(connection: &Connection) -> Result<(), LibraryError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 2 * MAX_GAME as i32)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// Checks that the file is a library, and fills an empty one.
fn check(connection: &mut Connection, path: &Path, is_writable: bool) -> Result<(), LibraryError> {
    let foreign = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => LibraryError::Foreign(path.to_owned()),
        _ => error.into(),
    };
    let number =
        |connection: &Connection, name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let is_empty = |connection: &Connection| -> Result<bool, rusqlite::Error> {
        connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
    };
    if number(connection, "application_id").map_err(foreign)? == 0 && is_empty(connection).map_err(foreign)? {
        if !is_writable {
            return Err(LibraryError::Foreign(path.to_owned()));
        }
        // Two programs may make the same library at the same time: the second one finds it made.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if is_empty(&transaction)? {
            for table in TABLES {
                transaction.execute(table, [])?;
            }
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()?;
    }
    if number(connection, "application_id")? != APPLICATION {
        return Err(LibraryError::Foreign(path.to_owned()));
    }
    match number(connection, "user_version")? {
        VERSION => {}
        version if version > VERSION => return Err(LibraryError::Newer(path.to_owned())),
        _ => return Err(LibraryError::Foreign(path.to_owned())),
    }
    check_tables(connection, path)?;
    if fs::metadata(path)?.len() <= MAX_CHECKED {
        let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if verdict != "ok" {
            return Err(LibraryError::Damaged(verdict));
        }
    }
    Ok(())
}

/// Exactly our tables, and nothing beside them: no triggers, no views, no other types of columns.
fn check_tables(connection: &Connection, path: &Path) -> Result<(), LibraryError> {
    let mut statement = connection.prepare(
        "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND sql IS NOT NULL ORDER BY rowid",
    )?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if found.iter().map(String::as_str).ne(TABLES) {
        return Err(LibraryError::Foreign(path.to_owned()));
    }
    Ok(())
}
