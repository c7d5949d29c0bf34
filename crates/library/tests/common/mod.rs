//! What the tests share.

#![allow(dead_code)] // each test program uses a part

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{env, fs, process};

use ferz_board::Position;
use ferz_library::Library;
use ferz_notation::pgn::{Movetext, Visitor};
use ferz_notation::san::San;

/// A folder that is removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("ferz-library-{}-{}", process::id(), COUNT.fetch_add(1, Relaxed));
        let folder = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        Folder(folder)
    }

    pub(crate) fn path(&self) -> &PathBuf {
        &self.0
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("library.sqlite")
    }

    pub(crate) fn open(&self) -> Library {
        Library::open(self.file()).expect("a library")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Skips everything.
pub(crate) struct Nothing;

impl Visitor for Nothing {
    const MOVETEXT: Movetext = Movetext::Skip;
}

/// Games of random moves with random tags.
pub(crate) fn random_games(random: &mut fastrand::Rng, count: usize) -> String {
    const NAMES: [&str; 8] =
        ["Tal", "tal", "Carlsen, Magnus", "Löwenfisch", "Polgar, Judit", "?", "Ding", "Short, N"];
    let mut text = String::new();
    for round in 0..count {
        let (white, black) = (NAMES[random.usize(..8)], NAMES[random.usize(..8)]);
        let result = ["1-0", "0-1", "1/2-1/2", "*"][random.usize(..4)];
        let date = format!(
            "{}.{:02}.{}",
            random.u32(1900..2030),
            random.u32(1..13),
            ["07", "21", "??"][random.usize(..3)]
        );
        write!(
            text,
            "[Event \"Open\"]\n[Date \"{date}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
             [Result \"{result}\"]\n"
        )
        .expect("a string");
        if random.bool() {
            writeln!(text, "[WhiteElo \"{}\"]", random.u32(400..2900)).expect("a string");
        }
        text.push('\n');
        let mut position = Position::start();
        for ply in 0..random.usize(..40) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(..moves.len().min(6))];
            if ply % 2 == 0 {
                write!(text, "{}. ", ply / 2 + 1).expect("a string");
            }
            write!(text, "{} ", San::new(&position, mv)).expect("a string");
            position.play_unchecked(mv);
        }
        write!(text, "{result}\n\n").expect("a string");
    }
    text
}
