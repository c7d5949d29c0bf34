//! The command line of the program, as its help describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::repository;

/// The command line of the program.
#[derive(Clone, Default, Debug)]
pub struct Interface {
    /// The help of every subcommand, by its words: `""`, `"pgn"`, `"pgn check"`.
    helps: BTreeMap<String, Help>,
    /// The names of the options that it offers over UCI.
    pub uci_options: BTreeSet<String>,
}

/// What a help text lists.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Help {
    /// The subcommands.
    pub commands: BTreeSet<String>,
    /// Long and short options, with their dashes.
    pub options: BTreeSet<String>,
}

impl Help {
    /// Reads a help text as `clap` writes it.
    #[must_use]
    pub fn parse(text: &str) -> Help {
        let mut help = Help::default();
        let mut section = "";
        for line in text.lines() {
            if !line.starts_with(' ') && line.ends_with(':') {
                section = line;
                continue;
            }
            let words = line.split_whitespace();
            if section == "Commands:" {
                // Descriptions that go on in a second line are indented further.
                let is_entry = line.starts_with("  ") && !line.starts_with("   ");
                help.commands.extend(words.take(1).filter(|_| is_entry).map(str::to_owned));
            } else {
                let options = words.take_while(|word| word.starts_with('-'));
                help.options.extend(options.map(|word| word.trim_end_matches([',', '.']).to_owned()));
            }
        }
        help
    }
}

impl Interface {
    /// Asks a program for the help of all its subcommands, and for its UCI options.
    #[must_use]
    pub fn of(program: &Path) -> Interface {
        let mut interface = Interface::default();
        let mut todo = vec![String::new()];
        while let Some(words) = todo.pop() {
            let output = Command::new(program)
                .args(words.split_whitespace())
                .arg("--help")
                .stdin(Stdio::null())
                .output()
                .expect("the program starts");
            let help = Help::parse(&String::from_utf8_lossy(&output.stdout));
            let below = help.commands.iter().filter(|name| *name != "help");
            todo.extend(below.map(|name| format!("{words} {name}").trim().to_owned()));
            interface.helps.insert(words, help);
        }
        let mut session = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        if let Some(mut input) = session.stdin.take() {
            // A program that does not listen has no options.
            let _ = input.write_all(b"uci\nquit\n");
        }
        let output = session.wait_with_output().expect("the program ends");
        interface.uci_options = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| line.strip_prefix("option name ")?.split_once(" type "))
            .map(|(name, _)| name.to_owned())
            .collect();
        interface
    }

    /// The same from help texts.
    #[must_use]
    pub fn from_texts(texts: &[(&str, &str)]) -> Interface {
        let helps = texts.iter().map(|(words, text)| ((*words).to_owned(), Help::parse(text))).collect();
        Interface { helps, ..Interface::default() }
    }

    /// The help of a subcommand.
    #[must_use]
    pub fn help(&self, words: &str) -> Option<&Help> {
        self.helps.get(words)
    }

    /// Whether any subcommand has this option.
    #[must_use]
    pub fn has_option(&self, option: &str) -> bool {
        self.helps.values().any(|help| help.options.contains(option))
    }
}

/// The program to be asked: the one that `FERZ` names, the one beside this test, or else one that is built now.
///
/// # Panics
/// If it cannot be built.
#[must_use]
pub fn find() -> PathBuf {
    if let Some(path) = env::var_os("FERZ") {
        let path = PathBuf::from(path);
        return path.canonicalize().unwrap_or(path);
    }
    let beside = target_folder().join("debug").join(format!("ferz{}", env::consts::EXE_SUFFIX));
    if !beside.exists() {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--locked", "--package", "ferz"])
            .env("CARGO_TARGET_DIR", target_folder())
            .current_dir(repository::root())
            .status();
        assert!(status.is_ok_and(|status| status.success()), "the program cannot be built");
    }
    beside
}

/// The folder that everything is built in. A test is three folders below it.
#[must_use]
pub fn target_folder() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    test.ancestors().nth(3).unwrap_or(Path::new("target")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_text_is_read() {
        let help = Help::parse(
            "Count\n\nUsage: ferz [OPTIONS]\n\nCommands:\n  perft  Count leaves\n         of trees\n  help   Help\n\n\
             Options:\n  -d, --divide      Each move\n      --fen <FEN>   A position\n          [default: --none]\n\
             \n      --only=<X>...\n",
        );
        let set = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(help.commands, set(&["help", "perft"]));
        let named: BTreeSet<_> =
            help.options.iter().filter(|option| !option.contains('=')).cloned().collect();
        assert_eq!(named, set(&["-d", "--divide", "--fen"]));
    }
}
