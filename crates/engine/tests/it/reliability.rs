//! What `docs/reliability.md` says of the tests is true: they are there, and no failure is forgotten.

use std::fs;
use std::path::Path;

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reliability.md");
    fs::read_to_string(path).expect("the document is there")
}

/// The second of two names in a row without a file is in the file of the one before.
#[test]
fn every_test_named_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let document = document();
    let is_in_a_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let mut checked = 0;
    for line in document.lines().filter(|line| line.starts_with("| ")) {
        let mut source = None;
        for name in line.split('`').skip(1).step_by(2) {
            let function = if let Some((file, function)) = name.split_once("::") {
                source = Some((file, fs::read_to_string(crates.join(file)).expect(name)));
                function
            } else if name.ends_with(".rs") {
                assert!(crates.join(name).exists(), "{name}");
                continue;
            } else if name.ends_with(".txt") {
                assert!(crates.join("engine/tests/uci_scripts").join(name).exists(), "{name}");
                continue;
            } else if name.len() > 12 && name.bytes().all(is_in_a_name) {
                name
            } else {
                continue;
            };
            let Some((file, text)) = &source else { continue };
            assert!(text.contains(&format!("fn {function}()")), "there is no {function} in {file}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn every_failure_has_its_row() {
    let document = document();
    let numbers: Vec<u32> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |")?.0.parse().ok())
        .collect();
    assert!(numbers.iter().copied().eq(1..=74), "{numbers:?}");
}
