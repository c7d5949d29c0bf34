//! What the launcher starts, with shell scripts in place of the builds.
#![cfg(all(unix, target_arch = "x86_64"))]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Lets another process write a program. If this one did, a process that another test starts meanwhile would inherit the
/// open file, and a file that is open for writing cannot be started.
fn shell(command: &str, arguments: [&Path; 2]) {
    let status = Command::new("sh").arg("-c").arg(command).args(arguments).status().expect("a shell");
    assert!(status.success(), "{command}: {status}");
}

/// A folder with the launcher as `ferz` and stand-ins for some builds. Removed on drop.
struct Download(PathBuf);

impl Download {
    fn new(test: &str, levels: &[&str]) -> Download {
        let folder = std::env::temp_dir().join(format!("ferz-launcher-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        shell("cp \"$0\" \"$1\"", [Path::new(env!("CARGO_BIN_EXE_ferz-launcher")), &folder.join("ferz")]);
        for level in levels {
            let script = format!("#!/bin/sh\necho {level} $$ \"$@\"\ncat\nexit 7\n");
            let path = folder.join(format!("ferz-{level}"));
            shell("printf %s \"$0\" > \"$1\" && chmod 755 \"$1\"", [Path::new(&script), &path]);
        }
        Download(folder)
    }

    fn launcher(&self) -> PathBuf {
        self.0.join("ferz")
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        // What is left is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(launcher: &Path, level: &str, input: &str) -> (u32, Output) {
    let mut child = Command::new(launcher)
        .args(["bench", "a b"])
        .env("FERZ_LEVEL", level)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the launcher starts");
    // The launcher may end without reading.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let id = child.id();
    (id, child.wait_with_output().expect("it ends"))
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn arguments_input_process_and_exit_code_are_those_of_the_build() {
    let download = Download::new("process", &["x86-64"]);
    let (id, output) = run(&download.launcher(), "x86-64", "uci\n");
    assert_eq!(text(&output.stdout), format!("x86-64 {id} bench a b\nuci\n"));
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(7), ""));
}

#[test]
fn the_builds_are_found_through_a_symbolic_link() {
    let download = Download::new("link", &["x86-64"]);
    let links = Download::new("links", &[]);
    let link = links.0.join("chess");
    symlink(download.launcher(), &link).expect("a link");
    let (_, output) = run(&link, "x86-64", "");
    assert_eq!(output.status.code(), Some(7), "{output:?}");
}

#[test]
fn without_the_best_build_the_next_one_is_started_with_a_note() {
    let download = Download::new("next", &["x86-64"]);
    let (_, output) = run(&download.launcher(), "", "");
    assert!(text(&output.stdout).starts_with("x86-64 "), "{output:?}");
    let has_better = std::is_x86_feature_detected!("sse4.2") && std::is_x86_feature_detected!("popcnt");
    assert_eq!(
        text(&output.stderr).contains("is missing beside ferz; starting ferz-x86-64, which is slower"),
        has_better
    );
}

#[test]
fn a_better_build_is_preferred_and_one_the_processor_cannot_run_is_refused() {
    let levels = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3-pext", "x86-64-v4"];
    let download = Download::new("best", &levels);
    let (_, output) = run(&download.launcher(), "", "");
    let best = text(&output.stdout).split(' ').next().unwrap_or_default().to_owned();
    let (_, named) = run(&download.launcher(), &best, "");
    assert!(text(&named.stdout).starts_with(&best), "{named:?}");
    if best != "x86-64-v4" {
        let (_, output) = run(&download.launcher(), "x86-64-v4", "");
        let message = "error: FERZ_LEVEL: this processor cannot run x86-64-v4\n";
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), message));
    }
}

#[test]
fn what_is_missing_is_named() {
    let download = Download::new("missing", &[]);
    let (_, output) = run(&download.launcher(), "", "");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("this folder has none of ") && message.contains("ferz-x86-64;"), "{message}");

    let (_, output) = run(&download.launcher(), "x86-64", "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: cannot start "), "{output:?}");

    let (_, output) = run(&download.launcher(), "pentium\u{1b}", "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("error: FERZ_LEVEL: unknown level pentium\\u{1b}; "),
        "{output:?}"
    );
}
