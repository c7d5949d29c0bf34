//! Compares the document of the protocol with the Rust types.
//!
//! The sections `Intents` and `Messages` have a heading for each intent and message, the sections `Types` and `X-ray
//! types` one for each type. Below a heading, a table whose first column is `field` has a row for each field, one whose
//! first column is `value` a row for each value of an enum. `those of` and a type stands for the fields of that type.

use std::collections::BTreeMap;

use super::{Field, Object, Schema, Shape, Variant};
use crate::Finding;
use crate::markdown::Document;

/// What stands below a heading, or should.
#[derive(Clone, Default, Debug)]
struct Entry {
    line: usize,
    fields: Vec<Row>,
    values: Vec<Row>,
    /// Types whose fields belong to this one.
    bases: Vec<String>,
    /// Whether the rows are not known from the Rust type.
    is_free: bool,
}

/// A row of a table.
#[derive(Clone, Debug)]
struct Row {
    line: usize,
    name: String,
    /// Of a value: empty.
    kind: String,
}

/// Compares the document with the Rust types.
#[must_use]
pub fn check(document: &Document, schema: &Schema) -> Vec<Finding> {
    let mut findings = Vec::new();
    let found = parse(document, &mut findings);
    let expected = expect(schema);
    let file = document.path.as_str();
    for ((part, name), entry) in &found {
        if !expected.contains_key(&(*part, name.clone())) {
            let text = format!("there is no {part} {name} in the Rust types");
            findings.push(Finding::new(file, entry.line, text));
        }
    }
    for ((part, name), entry) in &expected {
        let Some(described) = found.get(&(*part, name.clone())) else {
            findings.push(Finding::new(file, 1, format!("the {part} {name} is missing")));
            continue;
        };
        let mut report = |line: usize, text: String| findings.push(Finding::new(file, line, text));
        for base in &entry.bases {
            if !described.bases.contains(base) {
                report(described.line, format!("{name} has the fields of {base} too"));
            }
        }
        if entry.is_free {
            continue;
        }
        for base in &described.bases {
            if !entry.bases.contains(base) {
                report(described.line, format!("{name} does not have the fields of {base}"));
            }
        }
        for (what, rows, right) in
            [("field", &described.fields, &entry.fields), ("value", &described.values, &entry.values)]
        {
            for row in right {
                let described_rows: Vec<&Row> = rows.iter().filter(|it| it.name == row.name).collect();
                match described_rows.as_slice() {
                    [] => report(described.line, format!("{name} lacks the {what} {}", row.name)),
                    [it] => {
                        if let Some(problem) = type_problem(&it.kind, &row.kind) {
                            report(it.line, format!("{} is `{}`: {problem}", row.name, row.kind));
                        }
                    }
                    [_, it, ..] => report(it.line, format!("the {what} {} is here twice", row.name)),
                }
            }
            for row in rows.iter().filter(|row| !right.iter().any(|it| it.name == row.name)) {
                report(row.line, format!("{name} has no {what} {}", row.name));
            }
        }
    }
    findings
}

/// The parts of the protocol that have headings of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Intent,
    Message,
    Type,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Part::Intent => "intent",
            Part::Message => "message",
            Part::Type => "type",
        })
    }
}

type Entries = BTreeMap<(Part, String), Entry>;

/// What the document should contain.
fn expect(schema: &Schema) -> Entries {
    let row = |field: &Field| {
        let optional = if field.is_optional { "optional " } else { "" };
        Row { line: 0, name: field.name.clone(), kind: format!("{optional}{}", field.kind) }
    };
    let value = |name: &str| Row { line: 0, name: name.to_owned(), kind: String::new() };
    let entry_of = |object: &Object| Entry {
        fields: object.fields.iter().map(row).collect(),
        bases: object.flattened.clone(),
        ..Entry::default()
    };
    let mut entries = Entries::new();
    for (type_name, found) in &schema.types {
        let part = match type_name.as_str() {
            "Intent" => Part::Intent,
            "Message" => Part::Message,
            _ => Part::Type,
        };
        let mut entry = Entry::default();
        match &found.shape {
            Shape::Struct(object) => entry = entry_of(object),
            Shape::Custom => entry.is_free = true,
            Shape::Enum(variants) => {
                for variant in variants {
                    match variant {
                        Variant::Text(name) => entry.values.push(value(name)),
                        Variant::External(field) => entry.values.push(value(&field.name)),
                        Variant::Untagged(_) => entry.is_free = true,
                        Variant::Tagged { name, object, .. } if part != Part::Type => {
                            entries.insert((part, name.clone()), entry_of(object));
                        }
                        Variant::Tagged { tag, name, object } => {
                            if entry.fields.is_empty() {
                                let (line, kind) = (0, "string".to_owned());
                                entry.fields.push(Row { line, name: tag.clone(), kind });
                            }
                            entry.values.push(value(name));
                            // A field of one variant is absent in the others.
                            let absent = |field: &Field| row(&Field { is_optional: true, ..field.clone() });
                            entry.fields.extend(object.fields.iter().map(absent));
                            entry.bases.extend(object.flattened.iter().cloned());
                        }
                    }
                }
            }
        }
        // The document calls these two the intent and the message.
        entry.bases.retain(|base| base != "Intent" && base != "Message");
        if part == Part::Type {
            entries.insert((part, type_name.clone()), entry);
        }
    }
    entries
}

/// What the document contains.
fn parse(document: &Document, findings: &mut Vec<Finding>) -> Entries {
    let mut entries = Entries::new();
    let (mut part, mut current, mut column) = (None, None, "");
    for line in &document.text {
        let text = line.text.as_str();
        if let Some(section) = text.strip_prefix("## ") {
            part = match section {
                "Intents" => Some(Part::Intent),
                "Messages" => Some(Part::Message),
                "Types" | "X-ray types" => Some(Part::Type),
                _ => None,
            };
            current = None;
            continue;
        }
        let Some(part) = part else { continue };
        if let Some(heading) = text.strip_prefix("### ") {
            let name = heading.trim_matches('`').to_owned();
            let entry = Entry { line: line.number, ..Entry::default() };
            if entries.insert((part, name.clone()), entry).is_some() {
                findings.push(Finding::new(&document.path, line.number, format!("{name} is here twice")));
            }
            current = Some((part, name));
            continue;
        }
        let Some(entry) = current.as_ref().and_then(|key| entries.get_mut(key)) else { continue };
        if let Some(cells) = cells(text) {
            let cell = |index: usize| cells.get(index).copied().unwrap_or_default();
            match cell(0) {
                "field" | "value" => column = if cell(0) == "field" { "field" } else { "value" },
                rule if rule.starts_with('-') => {}
                name => {
                    let kind = if column == "field" { cell(1).to_owned() } else { String::new() };
                    let row = Row { line: line.number, name: name.trim_matches('`').to_owned(), kind };
                    if column == "field" { entry.fields.push(row) } else { entry.values.push(row) }
                }
            }
        } else {
            let bases = text.split("those of `").skip(1).filter_map(|rest| rest.split_once('`'));
            entry.bases.extend(bases.map(|(name, _)| name.to_owned()));
        }
    }
    entries
}

/// The cells of a row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(row.split('|').map(str::trim).collect())
}

/// What is wrong with the words for a type, such as "list of `Word`, optional" for `optional Word[]`.
fn type_problem(words: &str, kind: &str) -> Option<String> {
    // In an intent, what may be null may also be absent; the document says so once for all of them.
    let may_be_null = kind.contains("null");
    let is_optional = kind.starts_with("optional ") && !may_be_null;
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let split = |text: &str| -> Vec<String> {
        let is_part = |c: char| !c.is_ascii_alphanumeric();
        let mut names: Vec<String> = text
            .split(is_part)
            .filter(is_name)
            .filter(|word| !matches!(*word, "Record" | "Partial"))
            .map(str::to_owned)
            .collect();
        names.dedup();
        names
    };
    let plain = ["string", "number", "boolean"];
    let misses = |word: &&str| {
        // The keys of a map are described in other words.
        let value = kind.replace("Record<string", "Record<");
        words.contains(word) != value.contains(word)
    };
    if words.is_empty() && kind.is_empty() {
        None
    } else if words.ends_with(", optional") != is_optional {
        Some(if is_optional { "not optional here" } else { "optional here" }.to_owned())
    } else if words.contains("or null") != may_be_null {
        Some(if may_be_null { "never null here" } else { "may be null here" }.to_owned())
    } else if split(words) != split(kind) {
        Some(format!("here it is {words}"))
    } else if words.starts_with("list of") != (kind.contains("[]") && !kind.contains("Record<"))
        && !kind.contains(", ")
    {
        Some(format!("a list, or not? Here it is {words}"))
    } else {
        plain.iter().find(|word| misses(word)).map(|_| format!("here it is {words}"))
    }
}
