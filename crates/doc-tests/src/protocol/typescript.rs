//! Compares the declarations of the page with the Rust types. The head of `protocol.d.ts` describes its layout.

use std::collections::BTreeMap;

use super::{Field, Object, Schema, Shape, Variant};
use crate::Finding;

/// A declaration: its first line, and a line for each field or variant.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Declaration {
    head: String,
    line: usize,
    members: Vec<(usize, String)>,
}

/// Compares the declarations with the Rust types.
#[must_use]
pub fn check(file: &str, text: &str, schema: &Schema) -> Vec<Finding> {
    let mut findings = Vec::new();
    let found = parse(file, text, &mut findings);
    for (name, declaration) in &found {
        if !schema.types.contains_key(name) {
            findings.push(Finding::new(file, declaration.line, format!("there is no Rust type {name}")));
        }
    }
    for (name, of_rust) in &schema.types {
        let origin = format!("{}:{}", of_rust.file, of_rust.line);
        let Some(declaration) = found.get(name) else {
            findings.push(Finding::new(file, 1, format!("the type {name} of {origin} is missing")));
            continue;
        };
        let Some((head, members)) = declare(name, schema) else {
            if !declaration.head.starts_with(&format!("export type {name} =")) {
                let text = format!("{name} is not an object: {origin} writes it by hand");
                findings.push(Finding::new(file, declaration.line, text));
            }
            continue;
        };
        if declaration.head != head {
            findings.push(Finding::new(file, declaration.line, format!("{origin} makes this `{head}`")));
        }
        for member in &members {
            if !declaration.members.iter().any(|(_, found)| found == member) {
                let text = format!("{name} has no `{member}`, {origin} has");
                findings.push(Finding::new(file, declaration.line, text));
            }
        }
        for (index, (line, member)) in declaration.members.iter().enumerate() {
            if !members.contains(member) {
                findings.push(Finding::new(file, *line, format!("{origin} has no `{member}`")));
            }
            if declaration.members[..index].iter().any(|(_, earlier)| earlier == member) {
                findings.push(Finding::new(file, *line, format!("{name} has `{member}` twice")));
            }
        }
    }
    findings
}

/// The declaration of a Rust type; `None` for a type that is written by hand.
fn declare(name: &str, schema: &Schema) -> Option<(String, Vec<String>)> {
    match &schema.types.get(name)?.shape {
        Shape::Struct(object) => {
            let members = object.fields.iter().map(|field| format!("{};", declare_field(field))).collect();
            let head = match object.flattened.as_slice() {
                [] => format!("export interface {name} {{"),
                bases if bases.iter().all(|base| is_interface(base, schema)) => {
                    format!("export interface {name} extends {} {{", bases.join(", "))
                }
                bases => format!("export type {name} = {} & {{", bases.join(" & ")),
            };
            Some((head, members))
        }
        Shape::Enum(variants) => {
            Some((format!("export type {name} ="), variants.iter().map(declare_variant).collect()))
        }
        Shape::Custom => None,
    }
}

/// Whether a type is an interface in TypeScript, so that another one can extend it.
fn is_interface(name: &str, schema: &Schema) -> bool {
    match schema.types.get(name).map(|found| &found.shape) {
        Some(Shape::Struct(object)) => object.flattened.iter().all(|base| is_interface(base, schema)),
        _ => false,
    }
}

fn declare_field(field: &Field) -> String {
    format!("{}{}: {}", field.name, if field.is_optional { "?" } else { "" }, field.kind)
}

fn declare_variant(variant: &Variant) -> String {
    match variant {
        Variant::Text(name) => format!("\"{name}\""),
        Variant::Tagged { tag, name, object: Object { flattened, fields } } => {
            let mut parts = vec![format!("{tag}: \"{name}\"")];
            parts.extend(fields.iter().map(declare_field));
            let object = format!("{{ {} }}", parts.join("; "));
            if flattened.is_empty() { object } else { format!("({object} & {})", flattened.join(" & ")) }
        }
        Variant::External(field) => format!("{{ {} }}", declare_field(field)),
        Variant::Untagged(kind) => kind.clone(),
    }
}

/// Takes the declarations apart, up to the section of the page's own types.
fn parse(file: &str, text: &str, findings: &mut Vec<Finding>) -> BTreeMap<String, Declaration> {
    let mut found: BTreeMap<String, Declaration> = BTreeMap::new();
    let mut open: Option<(String, Declaration, &str)> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line == "// ==== Page ====" {
            break;
        }
        if line.is_empty() || line.trim_start().starts_with("//") || line.trim_start().starts_with("/**") {
            continue;
        }
        let mut refuse = || findings.push(Finding::new(file, number, "the layout is not as the head says"));
        let mut close = |name: String, declaration: Declaration| {
            if found.contains_key(&name) {
                refuse();
            }
            found.insert(name, declaration);
        };
        match open.take() {
            None => {
                let code = line.strip_prefix("export interface ").or(line.strip_prefix("export type "));
                let name: String =
                    code.unwrap_or_default().chars().take_while(char::is_ascii_alphanumeric).collect();
                let declaration = Declaration { head: line.to_owned(), line: number, members: Vec::new() };
                if name.is_empty() {
                    refuse();
                } else if line.ends_with('{') {
                    open = Some((name, declaration, if line.contains(" = ") { "};" } else { "}" }));
                } else if line.ends_with(" =") {
                    open = Some((name, declaration, ""));
                } else if line.ends_with(';') {
                    close(name, declaration);
                } else {
                    refuse();
                }
            }
            // A list of variants ends with a semicolon.
            Some((name, mut declaration, "")) => match line.strip_prefix("  | ") {
                Some(variant) => {
                    declaration.members.push((number, variant.trim_end_matches(';').to_owned()));
                    if variant.ends_with(';') {
                        close(name, declaration);
                    } else {
                        open = Some((name, declaration, ""));
                    }
                }
                None => refuse(),
            },
            Some((name, declaration, end)) if line == end => close(name, declaration),
            Some((name, mut declaration, end)) => {
                match line.strip_prefix("  ").filter(|member| member.ends_with(';')) {
                    Some(member) => declaration.members.push((number, member.to_owned())),
                    None => refuse(),
                }
                open = Some((name, declaration, end));
            }
        }
    }
    if let Some((name, declaration, _)) = open {
        findings.push(Finding::new(file, declaration.line, format!("{name} has no end")));
    }
    found
}
