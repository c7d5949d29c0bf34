//! A hundred explanations with judgements: `tests/data/explanations.txt` has the criterion.
//!
//! They are those that a browser gives: with the small net. So they do not change with every new net of the native
//! program, whose explanations are checked for false facts only.
//!
//! What is judged are the claims: a different score or line, confirmed by the second board, needs no new judgement.
//!
//! `EXPLANATIONS=write` in the environment writes the file anew. Explanations with different claims lose their
//! judgement.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::{env, fs, thread};

use ferz_eval::Network;
use ferz_notation::pgn::{GameTree, NodeId};

use super::*;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/explanations.txt");
/// For each search, if the entry does not say otherwise.
const NODES: u64 = 20_000;

/// The fields of an explanation, in their order.
const FIELDS: [&str; 9] = ["name", "fen", "after", "move", "nodes", "says", "true", "useful", "why"];

/// The fields of an entry; `says` has a line for each paragraph.
type Entry = HashMap<&'static str, String>;

fn parse(text: &str) -> (String, Vec<Entry>) {
    let (head, entries) = text.split_once("\n\nname: ").expect("a criterion and explanations");
    let entry = |text: &str| {
        let mut entry = Entry::new();
        for line in text.lines() {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("no field: {line}"));
            let key =
                FIELDS.into_iter().find(|&it| it == key).unwrap_or_else(|| panic!("unknown field: {line}"));
            let field = entry.entry(key).or_default();
            *field =
                if field.is_empty() { value.trim().to_owned() } else { format!("{field}\n{}", value.trim()) };
        }
        entry
    };
    (
        head.to_owned(),
        entries
            .split("\n\n")
            .enumerate()
            .map(
                |(index, text)| {
                    if index == 0 { entry(&format!("name: {text}")) } else { entry(text.trim_end()) }
                },
            )
            .collect(),
    )
}

fn start(entry: &Entry) -> Position {
    match entry.get("fen") {
        Some(fen) => position(fen),
        None => {
            let game: GameTree = format!("{} *", entry["after"]).parse().expect("a game");
            let end = game.line_end(NodeId::ROOT);
            game.position_at(end).unwrap_or_else(|| panic!("{}", entry["name"]))
        }
    }
}

/// The explanation, with all its claims confirmed.
fn explanation(entry: &Entry, network: &Arc<Network>) -> Explanation {
    let start = start(entry);
    let asked = entry
        .get("move")
        .map(|text| san::parse(&start, text).unwrap_or_else(|error| panic!("{}: {error}", entry["name"])));
    let nodes = entry.get("nodes").map_or(NODES, |nodes| nodes.parse().expect("a number"));
    let limits = Limits::default().nodes(nodes);
    let mut engine = Engine::new(4).expect("memory");
    engine.set_network(Some(Arc::clone(network)));
    let found = explain(&mut engine, &start, asked, &limits, &Signals::new());
    let found = found.unwrap_or_else(|| panic!("{}: there is no move", entry["name"]));
    let choices = [Some(&found.best), found.asked.as_ref().map(|it| &it.choice), found.threat.as_ref()];
    choices.into_iter().flatten().for_each(assert_confirmed);
    if let Some((position, mv, facts)) = found.asked.as_ref().and_then(|it| it.answer.as_ref()) {
        assert_true(position, *mv, facts);
    }
    if let Some(refutation) = &found.best.refutation {
        assert_balanced(&start, &refutation.line);
    }
    found
}

fn explanations(entries: &[Entry], network: &Arc<Network>) -> Vec<String> {
    let half = entries.len() / 2;
    let explain = |entries: &[Entry]| -> Vec<String> {
        entries.iter().map(|entry| explanation(entry, network).paragraphs().join("\n")).collect()
    };
    thread::scope(|scope| {
        let first = scope.spawn(|| explain(&entries[..half]));
        let second = explain(&entries[half..]);
        first.join().expect("explained").into_iter().chain(second).collect()
    })
}

/// What an explanation claims: its text without scores, chances and the moves of expected lines.
fn claims(text: &str) -> String {
    const LINE: &str = "The expected line is ";
    /// How the sentences after an expected line begin.
    const NEXT: [&str; 6] =
        [" After ", " At the end of the line", " White mates", " Black mates", " That is", " It ends in"];
    let first = |text: &str, parts: &[&str]| parts.iter().filter_map(|it| text.find(it)).min();
    let mut claims = String::new();
    for paragraph in text.lines() {
        let (before, line) = paragraph.split_once(LINE).unwrap_or((paragraph, ""));
        let after = &line[first(line, &NEXT).unwrap_or(line.len())..];
        // "After 6… g6 White has won a queen" claims that White wins one in this line.
        let after = match after.split_once(" After ") {
            Some((before, after)) => {
                let balance = &after[first(after, &[" White ", " Black "]).unwrap_or(0)..];
                format!("{before} After …{balance}")
            }
            None => after.to_owned(),
        };
        for (index, part) in format!("{before}{after}").split('(').enumerate() {
            let is_score = index > 0 && part.starts_with(['+', '−', '0']);
            let part = if is_score { part.split_once(')').map_or("", |it| it.1) } else { part };
            // "White's chances fall from 100 % to 0 %."
            for text in part.split_inclusive(" %") {
                let chance = text.strip_suffix(" %");
                claims += chance.map_or(text, |it| it.trim_end_matches(|digit: char| digit.is_ascii_digit()));
            }
        }
        claims.push('\n');
    }
    claims
}

#[test]
fn claims_have_no_scores_and_no_lines() {
    let text = |score: &str, line: &str, end: &str| {
        format!(
            "The best move is Nf7+ ({score}: White wins 99 %). It gives check. The expected line is {line} After {end}"
        )
    };
    let first = text("+4.51", "1. Nf7+ Kg8 2. Nxd8 Kf8 …", "2… Kf8 White has won a queen.");
    let same = text("+3.80", "1. Nf7+ Kg8 2. Nxd8 h5 3. g3.", "3. g3 White has won a queen.");
    let other = text("+4.51", "1. Nf7+ Kg8 2. Nxd8 Kf8 …", "2… Kf8 White has won a rook.");
    assert_eq!(claims(&first), claims(&same));
    assert_ne!(claims(&first), claims(&other));
    assert_ne!(claims(&first), claims(&first.replace("check", "mate")));
    assert_ne!(claims("It attacks the queen on d8."), claims("It attacks the queen on d7."));
}

fn written(head: &str, entries: &[Entry]) -> String {
    let mut text = head.to_owned();
    for entry in entries {
        text.push('\n');
        for key in FIELDS {
            for line in entry.get(key).iter().flat_map(|value| value.lines()) {
                writeln!(text, "{key}: {line}").expect("a string takes everything");
            }
            if entry.get(key).is_some_and(String::is_empty) {
                writeln!(text, "{key}:").expect("a string takes everything");
            }
        }
    }
    text
}

#[test]
fn explanations_with_the_embedded_net_have_no_false_facts() {
    let (_, entries) = parse(&fs::read_to_string(FILE).expect("the explanations"));
    assert!(explanations(&entries, &Network::embedded()).iter().all(|text| !text.is_empty()));
}

#[test]
fn judged_explanations_are_true_and_useful() {
    let (head, mut entries) = parse(&fs::read_to_string(FILE).expect("the explanations"));
    assert!(entries.len() >= 100, "{}", entries.len());
    let texts = explanations(&entries, &Network::small());
    if env::var("EXPLANATIONS").is_ok_and(|it| it == "write") {
        for (entry, text) in entries.iter_mut().zip(texts) {
            let says = entry.insert("says", text.clone());
            if says.is_none_or(|says| claims(&says) != claims(&text)) {
                entry.extend([("true", "?".to_owned()), ("useful", "?".to_owned())]);
                entry.insert("why", "not judged yet".to_owned());
            }
        }
        fs::write(FILE, written(&format!("{head}\n"), &entries)).expect("a file that can be written");
        return;
    }
    for (entry, text) in entries.iter().zip(texts) {
        assert_eq!(claims(&entry["says"]), claims(&text), "{}", entry["name"]);
        assert_eq!(entry["true"], "yes", "{}", entry["name"]);
        assert!(["yes", "no"].contains(&&*entry["useful"]), "{}", entry["name"]);
    }
    let useful = entries.iter().filter(|entry| entry["useful"] == "yes").count();
    assert!(100 * useful >= 80 * entries.len(), "{useful} of {}", entries.len());
}
