//! What the text of a document names: links, paths, commands, options and tests.

use std::path::Path;

use crate::Finding;
use crate::commands;
use crate::markdown::{Document, Span};
use crate::program::Interface;
use crate::repository::Repository;

/// Options of cargo that documents talk about.
const CARGO_OPTIONS: [&str; 12] = [
    "--all-features",
    "--example",
    "--features",
    "--lib",
    "--locked",
    "--no-default-features",
    "--package",
    "--profile",
    "--release",
    "--target",
    "--test",
    "--workspace",
];

/// Files with these ends are ours when a document names them without a folder.
const SOURCES: [&str; 4] = [".rs", ".js", ".css", ".py"];

/// Checks everything that a document names, except what its console blocks print.
#[must_use]
pub fn check(document: &Document, repository: &Repository, interface: &Interface) -> Vec<Finding> {
    let mut findings = blocks(document, repository, interface);
    findings.extend(links(document, repository));
    findings.extend(spans(document, repository, interface));
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Commands in blocks for a shell, and blocks that would be tested by nobody.
fn blocks(document: &Document, repository: &Repository, interface: &Interface) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |line, text: String| findings.push(Finding::new(&document.path, line, text));
    for block in &document.blocks {
        match block.language.as_str() {
            "sh" | "bash" | "shell" => {
                for command in commands::split(&block.lines) {
                    for problem in commands::problems(&command.words, repository, interface) {
                        add(block.line + 1 + command.line, problem);
                    }
                }
            }
            "rust" if block.info.contains("ignore") => {
                add(block.line, "a Rust block is ignored: nothing would notice that it is wrong".to_owned());
            }
            // Those of a crate's documentation are Rust to rustdoc, which complains if they are not.
            "" if !document.path.starts_with("crates/") => {
                add(
                    block.line,
                    "a block without a language: say `text`, `sh`, `console` or `rust`".to_owned(),
                );
            }
            _ => {}
        }
    }
    findings
}

fn links(document: &Document, repository: &Repository) -> Vec<Finding> {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    for link in document.links() {
        // Elsewhere, or an item of the documentation.
        if link.text.contains("://") || link.text.contains("::") || link.text.starts_with("mailto:") {
            continue;
        }
        let (target, anchor) = link.text.split_once('#').unwrap_or((&link.text, ""));
        let path = if target.is_empty() { document.path.clone() } else { join(folder, target) };
        if !repository.paths.contains(&path) {
            findings.push(Finding::new(
                &document.path,
                link.line,
                format!("the link to {target} leads nowhere"),
            ));
        } else if !anchor.is_empty() && path.ends_with(".md") {
            let anchors = Document::parse(&path, &repository.text(&path)).anchors();
            if !anchors.iter().any(|known| known == anchor) {
                findings.push(Finding::new(
                    &document.path,
                    link.line,
                    format!("{path} has no heading for #{anchor}"),
                ));
            }
        }
    }
    findings
}

/// A path from a folder, without dots.
fn join(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn spans(document: &Document, repository: &Repository, interface: &Interface) -> Vec<Finding> {
    let mut findings = Vec::new();
    for span in document.code_spans() {
        let mut add = |text: String| findings.push(Finding::new(&document.path, span.line, text));
        let text = span.text.as_str();
        let first = text.split_whitespace().next().unwrap_or_default();
        if ["ferz", "./ferz", "make", "cargo"].contains(&first) {
            for command in commands::split(&[text.replace('|', "\\|")]) {
                commands::problems(&command.words, repository, interface).into_iter().for_each(&mut add);
            }
        } else if first.starts_with("--") && first.len() > 2 {
            for option in first.split('|').map(|option| option.split('=').next().unwrap_or_default()) {
                let is_name = option[2..].bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
                let is_known = CARGO_OPTIONS.contains(&option)
                    || interface.has_option(option)
                    || repository.a_tool_has_option(option);
                if is_name && !is_known {
                    add(format!("no program of ours has an option {option}"));
                }
            }
        } else if first.starts_with("UCI_") && !interface.uci_options.contains(first) {
            add(format!("the engine has no option {first}"));
        } else if let Some((file, function)) = text.split_once("::").filter(|(file, _)| file.ends_with(".rs"))
        {
            if let Err(problem) = has_function(repository, file, function) {
                add(problem);
            }
        } else if let Some(path) = path(text, repository)
            && !repository.has(path)
            && !exists_beside(document, repository, path)
        {
            add(format!("there is no {path}"));
        }
    }
    findings
}

/// The path that a span is, if it is one of ours.
fn path<'a>(text: &'a str, repository: &Repository) -> Option<&'a str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.:".contains(&byte));
    let is_elsewhere =
        text.starts_with('/') || text.contains("//") || text.starts_with("target/") || text == "./ferz";
    if !is_plain || is_elsewhere {
        return None;
    }
    // A line number may follow.
    let path = match text.split_once(':') {
        Some((path, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        Some(_) => return None,
        None => text,
    };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, extension)| extension);
    let has_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic());
    let top = path.split('/').next().unwrap_or_default();
    let is_path = if path.contains('/') {
        has_extension || name.is_empty() || (repository.paths.contains(top) && !folder.is_empty())
    } else {
        SOURCES.iter().any(|end| path.ends_with(end) && path.len() > end.len())
    };
    is_path.then_some(path)
}

/// Whether a path is right from the folder of the document.
fn exists_beside(document: &Document, repository: &Repository, path: &str) -> bool {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    repository.paths.contains(&join(folder, path))
}

/// Whether a source file has a function of that name.
fn has_function(repository: &Repository, file: &str, function: &str) -> Result<(), String> {
    let function = function.trim_end_matches("()");
    let mut sources = repository.paths_ending_with(file).peekable();
    if sources.peek().is_none() {
        return Err(format!("there is no {file}"));
    }
    let name = function.rsplit("::").next().unwrap_or(function);
    let has = |path: &String| repository.text(path).contains(&format!("fn {name}("));
    if sources.any(has) { Ok(()) } else { Err(format!("there is no function {name} in {file}")) }
}

/// The tests that a table of promises names: `file.rs::function`, and after that, in the same row, further functions of the
/// same file. Scripts (`name.txt`) are files. Returns how many tests were found.
pub fn check_promises(document: &Document, repository: &Repository, findings: &mut Vec<Finding>) -> usize {
    let is_name = |text: &str| {
        let is_in_a_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        text.len() > 12 && text.contains('_') && text.bytes().all(is_in_a_name)
    };
    let (mut found, mut file) = (0, None);
    for Span { line, text, place } in document.code_spans() {
        let result =
            if let Some((source, _)) = text.split_once("::").filter(|(source, _)| source.ends_with(".rs")) {
                // Whether it exists was checked with all other names.
                file = Some((place, source.to_owned()));
                Ok(())
            } else if text.ends_with(".txt") {
                if repository.has(&text) { Ok(()) } else { Err(format!("there is no {text}")) }
            } else if is_name(&text) {
                match &file {
                    Some((row, source)) if *row == place => has_function(repository, source, &text),
                    _ => has_anywhere(repository, &text),
                }
            } else {
                continue;
            };
        match result {
            Ok(()) => found += 1,
            Err(problem) => findings.push(Finding::new(&document.path, line, problem)),
        }
    }
    found
}

fn has_anywhere(repository: &Repository, function: &str) -> Result<(), String> {
    let is_source = |path: &&String| path.ends_with(".rs");
    let has = |path: &String| repository.text(path).contains(&format!("fn {function}("));
    if repository.paths.iter().filter(is_source).any(has) {
        Ok(())
    } else {
        Err(format!("there is no function {function} anywhere"))
    }
}

/// Published packages that a document does not name.
#[must_use]
pub fn missing_packages(document: &Document, repository: &Repository) -> Vec<Finding> {
    let spans = document.code_spans();
    let is_missing = |name: &str| !spans.iter().any(|span| span.text == name);
    repository
        .packages
        .iter()
        .filter(|(name, package)| {
            package.is_published && Path::new(&package.folder).starts_with("crates") && is_missing(name)
        })
        .map(|(name, _)| Finding::new(&document.path, 1, format!("the package {name} is missing here")))
        .collect()
}
