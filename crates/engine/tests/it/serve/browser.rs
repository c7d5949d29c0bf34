//! Opening the page.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{PATIENCE, Server};
use crate::{Folder, command};

/// Starts a server with a desktop, and with a script as `xdg-open` that writes its arguments to a file.
fn serve(folder: &Folder, display: &str) -> (Server, String) {
    let opener = folder.file("xdg-open");
    let script =
        "#!/bin/sh\necho \"$@\" > \"$FERZ_OPENED.part\" && mv \"$FERZ_OPENED.part\" \"$FERZ_OPENED\"\n";
    // Another process writes it: one that another test starts meanwhile would inherit the open file, and then it cannot
    // be run.
    let write = ["-c", "printf %s \"$0\" > \"$1\" && chmod 755 \"$1\"", script, &opener];
    assert!(Command::new("sh").args(write).status().expect("a shell").success());
    let path = format!("{}:{}", folder.file(""), std::env::var("PATH").unwrap_or_default());
    let mut child = command(["serve", "--port", "0", "--hash", "2", "--library", "none"])
        .env("PATH", path)
        .env("DISPLAY", display)
        .env_remove("WAYLAND_DISPLAY")
        .env("FERZ_OPENED", folder.file("opened"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("ferz starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    (Server { child, port: 0 }, line)
}

#[test]
fn the_page_is_opened_on_a_desktop() {
    let folder = Folder::new("browser");
    let (_server, url) = serve(&folder, ":0");
    let opened = folder.file("opened");
    let start = Instant::now();
    while !Path::new(&opened).exists() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(fs::read_to_string(opened).expect("the page was opened"), url);
}

#[test]
fn nothing_is_opened_without_a_desktop() {
    let folder = Folder::new("no-browser");
    let (_server, _) = serve(&folder, "");
    thread::sleep(Duration::from_millis(300));
    assert!(!Path::new(&folder.file("opened")).exists());
}
