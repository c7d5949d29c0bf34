//! Sessions in a shell: commands, and the output that they must have.
//!
//! ````text
//! ```console
//! $ ferz perft 4
//! 197281 leaves in …
//! ```
//! ````
//!
//! A command goes on in the next line after a backslash, or in lines that begin with `> `. In the output, `…` stands for
//! any text within a line, and a line of nothing but `…` for any number of lines. Blanks at the ends of lines do not count.
//! The commands of a block run in one shell, those of a document in one folder, which has a copy of the repository.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Finding;
use crate::markdown::{Block, Document};
use crate::program::target_folder;
use crate::repository::Repository;

/// How long a block may take. An example in Rust may have to be compiled first.
const TIME: Duration = Duration::from_secs(600);
/// Stands for any text.
const ANYTHING: &str = "…";

/// A command and its output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The line of the command in its document.
    pub line: usize,
    /// One line or several.
    pub command: String,
    /// The lines of the output.
    pub output: Vec<String>,
}

/// The commands of a block.
///
/// # Errors
/// If it does not begin with a command.
pub fn parse(file: &str, block: &Block) -> Result<Vec<Example>, Finding> {
    let mut examples: Vec<Example> = Vec::new();
    let mut goes_on = false;
    for (index, text) in block.lines.iter().enumerate() {
        let line = block.line + 1 + index;
        if let Some(command) = text.strip_prefix("$ ").filter(|_| !goes_on) {
            examples.push(Example { line, command: command.to_owned(), output: Vec::new() });
            goes_on = command.ends_with('\\');
            continue;
        }
        let Some(example) = examples.last_mut() else {
            return Err(Finding::new(file, line, "a console block begins with a command: `$ …`"));
        };
        let more = text.strip_prefix("> ").filter(|_| example.output.is_empty());
        if goes_on || more.is_some() {
            let more = more.unwrap_or(text);
            example.command.push('\n');
            example.command.push_str(more);
            goes_on = more.ends_with('\\');
        } else {
            example.output.push(text.trim_end().to_owned());
        }
    }
    for example in &mut examples {
        while example.output.last().is_some_and(String::is_empty) {
            example.output.pop();
        }
    }
    Ok(examples)
}

/// Compares an output with what it must be.
///
/// # Errors
/// The index of the first line that does not fit, and what is there instead: nothing at the end of the output. An index
/// behind the last line means that the output goes on.
pub fn compare(expected: &[String], actual: &str) -> Result<(), (usize, Option<String>)> {
    let mut lines: Vec<&str> = actual.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    // From every set of lines that the patterns so far may have used up, to the next.
    let mut reached = vec![0];
    for (index, pattern) in expected.iter().enumerate() {
        let next: Vec<usize> = if pattern == ANYTHING {
            (reached[0]..=lines.len()).collect()
        } else {
            let fits = |&&at: &&usize| lines.get(at).is_some_and(|line| matches(pattern, line));
            reached.iter().filter(fits).map(|at| at + 1).collect()
        };
        if next.is_empty() {
            return Err((index, lines.get(reached[0]).map(|&line| line.to_owned())));
        }
        reached = next;
    }
    if reached.contains(&lines.len()) {
        return Ok(());
    }
    Err((expected.len(), lines.get(reached[reached.len() - 1]).map(|&line| line.to_owned())))
}

/// Whether a line is as the pattern says.
fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split(ANYTHING);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Runs the console blocks of documents.
#[derive(Debug)]
pub struct Runner<'a> {
    repository: &'a Repository,
    program: &'a Path,
    folder: PathBuf,
}

impl<'a> Runner<'a> {
    /// One that works below a folder, with this program as `ferz`.
    #[must_use]
    pub fn new(repository: &'a Repository, program: &'a Path, folder: PathBuf) -> Runner<'a> {
        Runner { repository, program, folder }
    }

    /// Runs the blocks of a document and says what differs.
    ///
    /// # Panics
    /// If the folder cannot be written to.
    #[must_use]
    pub fn check(&self, document: &Document) -> Vec<Finding> {
        let blocks: Vec<&Block> =
            document.blocks.iter().filter(|block| block.language == "console").collect();
        if blocks.is_empty() {
            return Vec::new();
        }
        let folder = self.folder.join(document.path.replace(['/', '.'], "_"));
        self.prepare(&folder).expect("a folder for the examples");
        let mut findings = Vec::new();
        for block in blocks {
            match parse(&document.path, block) {
                Err(finding) => findings.push(finding),
                Ok(examples) => findings.extend(self.run(&folder, &document.path, &examples)),
            }
        }
        findings
    }

    /// Fills a folder: `bin` with the program and a `cargo` that knows it, `work` with a copy of the repository.
    fn prepare(&self, folder: &Path) -> io::Result<()> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        let (bin, work) = (folder.join("bin"), folder.join("work"));
        fs::create_dir_all(&bin)?;
        fs::create_dir_all(&work)?;
        for path in &self.repository.paths {
            let (from, to) = (self.repository.root.join(path), work.join(path));
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            if from.is_file() {
                fs::copy(from, to)?;
            }
        }
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        script(&bin.join("ferz"), &format!("exec '{}' \"$@\"\n", self.program.display()))?;
        script(
            &bin.join("cargo"),
            &CARGO.replace("ROOT", &self.repository.root.display().to_string()).replace("CARGO", &cargo),
        )
    }

    fn run(&self, folder: &Path, file: &str, examples: &[Example]) -> Vec<Finding> {
        let mark = |index: usize| format!("=-=-= end of command {index} =-=-=");
        let mut text = String::from("exec 2>&1\n");
        for (index, example) in examples.iter().enumerate() {
            // The next command can ask for the status of this one.
            let end = format!("status=$?; printf '\\n%s\\n' '{}'; (exit $status)", mark(index));
            text.push_str(&format!("{}\n{end}\n", example.command));
        }
        let first = examples.first().map_or(0, |example| example.line);
        let output = match self.shell(folder, &text) {
            Ok(output) => output,
            Err(error) => return vec![Finding::new(file, first, error.to_string())],
        };
        let mut findings = Vec::new();
        let mut rest = output.as_str();
        for (index, example) in examples.iter().enumerate() {
            let Some((actual, after)) = rest.split_once(&format!("\n{}\n", mark(index))) else {
                let text =
                    format!("`{}` did not end within {TIME:?}, or ended the shell:\n{rest}", example.command);
                findings.push(Finding::new(file, example.line, text));
                break;
            };
            rest = after;
            if let Err((at, instead)) = compare(&example.output, actual) {
                let lines = example.command.lines().count();
                let expected = example.output.get(at).map_or("the end of the output", String::as_str);
                let instead = instead.as_deref().unwrap_or("the end of the output");
                let text = format!(
                    "the output of `{}` differs\n  documented: {expected}\n      actual: {instead}\n  all of it:\n{}",
                    example.command,
                    actual.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
                );
                findings.push(Finding::new(file, example.line + lines + at, text));
            }
        }
        findings
    }

    /// What a script prints. It is ended when it takes too long.
    fn shell(&self, folder: &Path, text: &str) -> io::Result<String> {
        let (script, output) = (folder.join("script"), folder.join("output"));
        fs::write(&script, text)?;
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .arg(&script)
            .current_dir(folder.join("work"))
            .env("PATH", format!("{}:{path}", folder.join("bin").display()))
            .env("CARGO_TARGET_DIR", target_folder())
            .env("COLUMNS", "100")
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(Stdio::null());
        // What cargo and make tell their children concerns other packages and other targets.
        for (name, _) in std::env::vars_os() {
            let is_theirs = name.to_str().is_some_and(|name| {
                name.starts_with("CARGO_PKG")
                    || name.starts_with("CARGO_MANIFEST")
                    || name.starts_with("MAKE")
            });
            if is_theirs {
                command.env_remove(name);
            }
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let deadline = Instant::now() + TIME;
        while child.try_wait()?.is_none() {
            if Instant::now() > deadline {
                // The shell and everything that it started.
                let group = format!("-{}", child.id());
                Command::new("kill").args(["-s", "KILL", "--", &group]).status()?;
                child.wait()?;
            }
            sleep(Duration::from_millis(5));
        }
        Ok(String::from_utf8_lossy(&fs::read(output)?).into_owned())
    }
}

/// A `cargo` for the examples. The program is built already, everything else is run where it is.
const CARGO: &str = r#"
is_program() {
    [ "$1" = run ] || return 1
    shift
    while [ $# -gt 0 ]; do
        case $1 in
            --) return 0 ;;
            --release|--locked|--quiet|-r|-q) shift ;;
            -p|--package|--bin) [ "$2" = ferz ] || return 1; shift 2 ;;
            *) return 1 ;;
        esac
    done
}
if is_program "$@"; then
    while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
    if [ $# -gt 0 ]; then shift; fi
    exec ferz "$@"
fi
cd 'ROOT' && exec 'CARGO' "$@"
"#;

/// Writes a shell script that can be run.
///
/// Another process writes it: one that another thread starts meanwhile would inherit the open file, and a file that is
/// open for writing cannot be run.
pub fn script(path: &Path, text: &str) -> io::Result<()> {
    let write = "printf '#!/bin/sh\\n%s' \"$0\" > \"$1\" && chmod 755 \"$1\"";
    let status = Command::new("sh").args(["-c", write, text]).arg(path).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{}: {status}", path.display()))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn commands_and_outputs_are_told_apart() {
        let block = Block {
            language: "console".to_owned(),
            info: "console".to_owned(),
            line: 10,
            lines: lines("$ a \\\n  b\none\n\ntwo  \n\n$ cat <<end\n> x\n> end\nx"),
        };
        let examples = parse("a.md", &block).unwrap();
        assert_eq!(
            examples,
            [
                Example { line: 11, command: "a \\\n  b".to_owned(), output: lines("one\n\ntwo") },
                Example { line: 17, command: "cat <<end\nx\nend".to_owned(), output: lines("x") },
            ]
        );
        let block = Block { lines: lines("one\n$ a"), ..block };
        assert_eq!(parse("a.md", &block).unwrap_err().line, 11);
    }

    #[test]
    fn anything_stands_for_text_and_for_lines() {
        for (expected, actual) in [
            ("", ""),
            ("a\nb", "a\nb  \n\n"),
            ("… nodes … nps", "12 nodes 34 nps"),
            ("in …", "in 1.5 s"),
            ("…", ""),
            ("…", "a\nb"),
            ("a\n…\nd", "a\nb\nc\nd"),
            ("a\n…\nb\n…\nb", "a\nb\nb\nb"),
            ("a\n…", "a"),
            ("{\"time\": …, \"x\": …}", "{\"time\": 1, \"x\": 2}"),
        ] {
            assert_eq!(compare(&lines(expected), actual), Ok(()), "{expected:?} {actual:?}");
        }
    }

    #[test]
    fn every_difference_is_found() {
        let some = |text: &str| Some(text.to_owned());
        for (expected, actual, at, instead) in [
            ("a", "b", 0, some("b")),
            ("a", "", 0, None),
            ("", "a", 0, some("a")),
            ("a\nb", "a\nc", 1, some("c")),
            ("a\nb", "a", 1, None),
            ("a", "a\nb", 1, some("b")),
            ("a", " a", 0, some(" a")),
            ("1… nodes", "2 nodes", 0, some("2 nodes")),
            ("… nodes", "2 nodes 3", 0, some("2 nodes 3")),
            ("a…a", "a", 0, some("a")),
            ("…\nz", "a\nb", 1, some("a")),
        ] {
            assert_eq!(compare(&lines(expected), actual), Err((at, instead)), "{expected:?} {actual:?}");
        }
    }
}
