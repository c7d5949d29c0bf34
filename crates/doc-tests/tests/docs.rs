//! The documents of this repository are true.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ferz_doc_tests::console::Runner;
use ferz_doc_tests::markdown::Document;
use ferz_doc_tests::program::{self, Interface};
use ferz_doc_tests::protocol::{self, Schema};
use ferz_doc_tests::repository::{self, Repository};
use ferz_doc_tests::{Finding, expect_none, names};

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(program::find);
static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| Repository::read(&repository::root()));

fn document(path: &str) -> Document {
    Document::parse(path, &REPOSITORY.text(path))
}

fn documents() -> Vec<Document> {
    let documents: Vec<_> =
        repository::documents(&REPOSITORY.root).iter().map(|path| document(path)).collect();
    assert!(documents.len() >= 8, "{}", documents.len());
    documents
}

#[test]
fn console_examples_print_what_they_say() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    let runner = Runner::new(&REPOSITORY, &PROGRAM, folder);
    let findings: Vec<Finding> = documents().iter().flat_map(|document| runner.check(document)).collect();
    expect_none(&findings);
}

#[test]
fn everything_named_exists() {
    let interface = Interface::of(&PROGRAM);
    let check = |document: &Document| names::check(document, &REPOSITORY, &interface);
    let findings: Vec<Finding> = documents().iter().flat_map(check).collect();
    expect_none(&findings);
}

#[test]
fn every_promise_has_its_test() {
    let document = document("docs/reliability.md");
    let mut findings = Vec::new();
    let tests = names::check_promises(&document, &REPOSITORY, &mut findings);
    expect_none(&findings);
    assert!(tests > 100, "{tests}");
}

#[test]
fn every_failure_of_others_has_its_row() {
    let document = document("docs/reliability.md");
    let number = |line: &str| line.strip_prefix("| ")?.split_once(" |")?.0.parse::<u32>().ok();
    let numbers: Vec<u32> = document.text.iter().filter_map(|line| number(&line.text)).collect();
    assert!(numbers.iter().copied().eq(1..=74), "{numbers:?}");
}

#[test]
fn every_exhibit_of_the_museum_has_its_test() {
    let (mut exhibits, mut named, mut fen) = (0, BTreeSet::new(), None);
    for line in document("docs/museum.md").text {
        if let Some(title) = line.text.strip_prefix("### ") {
            assert_eq!(named.len(), exhibits, "the exhibit before {title} has no test");
            exhibits += 1;
            assert!(title.starts_with(&format!("{exhibits}. ")), "{title}");
        } else if let Some(position) = line.text.strip_prefix("* Position: `") {
            fen = position.split('`').next().map(str::to_owned);
        } else if let Some(test) = line.text.strip_prefix("* Test: `") {
            let source = REPOSITORY.text(&format!("crates/{}", test.split("::").next().unwrap_or_default()));
            assert!(fen.take().is_none_or(|fen| source.contains(&fen)), "{test} has a different position");
            named.insert(test.trim_end_matches('`').to_owned());
            assert_eq!(named.len(), exhibits, "line {}: one test for each exhibit", line.number);
        }
    }
    assert_eq!(exhibits, 19);
    let mut written = BTreeSet::new();
    let is_museum = |path: &&String| path.contains("/tests/it/museum") && path.ends_with(".rs");
    for path in REPOSITORY.paths.iter().filter(is_museum) {
        for text in REPOSITORY.text(path).split("#[test]\nfn ").skip(1) {
            let name = text.split('(').next().unwrap_or_default();
            written.insert(format!("{}::{name}", path.trim_start_matches("crates/")));
        }
    }
    assert_eq!(named, written);
}

#[test]
fn every_published_crate_is_in_the_readme() {
    expect_none(&names::missing_packages(&document("README.md"), &REPOSITORY));
}

#[test]
fn the_page_and_its_document_know_the_protocol_of_the_session() {
    let schema = Schema::of(&REPOSITORY).unwrap_or_else(|findings| {
        expect_none(&findings);
        unreachable!("no schema without findings")
    });
    assert!(schema.types.len() > 80, "{}", schema.types.len());
    let declarations = REPOSITORY.text(protocol::DECLARATIONS);
    let mut findings = protocol::typescript::check(protocol::DECLARATIONS, &declarations, &schema);
    findings.extend(protocol::document::check(&document(protocol::DOCUMENT), &schema));
    expect_none(&findings);
}
