//! `ferz completions` and `ferz man`.

use std::fs;

use crate::{Folder, ferz};

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = ferz(["completions", shell]);
        assert_eq!((run.code, &run.err[..]), (Some(0), ""), "{shell}");
        for word in ["perft", "serve", "max-nodes"] {
            assert!(run.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(ferz(["completions", "command.com"]).code, Some(2));
}

#[test]
fn every_command_has_a_man_page_and_none_is_overwritten() {
    let folder = Folder::new("man");
    let path = folder.file("");
    let run = ferz(["man", &path]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    for (page, text) in [
        ("ferz.1", r"ferz\-perft"),
        ("ferz-perft.1", r"\-\-max\-nodes"),
        ("ferz-pgn-check.1", ".SH SYNOPSIS"),
        ("ferz-uci.1", "stdin"),
    ] {
        let found = fs::read_to_string(folder.file(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(found.contains(text), "{page}: {found}");
    }
    let again = ferz(["man", &path]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.starts_with("error: ") && again.err.contains("ferz.1"), "{}", again.err);
}
