//! The protocol of the page is written three times: as Rust types, as TypeScript types for the page's JavaScript, and
//! as a document. The Rust types are the truth; the others must agree with them.

pub mod document;
pub mod rust;
pub mod typescript;

use std::collections::{BTreeMap, BTreeSet};

use crate::Finding;
use crate::repository::Repository;

/// Where the TypeScript types are.
pub const DECLARATIONS: &str = "crates/engine/web/protocol.d.ts";
/// The document.
pub const DOCUMENT: &str = "docs/page-protocol.md";
/// What the page sends and what it receives. All other types are parts of these.
const ROOTS: [&str; 2] = ["Envelope", "Outgoing"];

/// The types of the protocol by name.
#[derive(Clone, Default, Debug)]
pub struct Schema {
    /// The types.
    pub types: BTreeMap<String, Type>,
}

/// A type as it is in JSON.
#[derive(Clone, Debug)]
pub struct Type {
    /// The Rust file, from the root of the repository.
    pub file: String,
    /// The line of its definition.
    pub line: usize,
    /// What it is.
    pub shape: Shape,
}

/// What a type is in JSON.
#[derive(Clone, Debug)]
pub enum Shape {
    /// An object.
    Struct(Object),
    /// One of several values.
    Enum(Vec<Variant>),
    /// A type that implements serde's traits by hand.
    Custom,
}

/// The fields of an object.
#[derive(Clone, Default, Debug)]
pub struct Object {
    /// Types whose fields are among the fields of this object.
    pub flattened: Vec<String>,
    /// The other fields.
    pub fields: Vec<Field>,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    /// Its type in TypeScript.
    pub kind: String,
    /// Whether it may be absent.
    pub is_optional: bool,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub enum Variant {
    /// A string.
    Text(String),
    /// An object with a tag that names the variant.
    Tagged {
        /// The field that has the name.
        tag: String,
        /// The name.
        name: String,
        /// The other fields.
        object: Object,
    },
    /// An object whose only field names the variant.
    External(Field),
    /// A value of this TypeScript type, without a name.
    Untagged(String),
}

impl Schema {
    /// Reads the Rust types of the page's protocol.
    ///
    /// # Errors
    /// The places that the reader does not understand.
    pub fn of(repository: &Repository) -> Result<Schema, Vec<Finding>> {
        let is_source = |path: &&String| {
            path.ends_with(".rs")
                && !path.ends_with("/tests.rs")
                && (path.starts_with("crates/session/src/protocol/")
                    || path.starts_with("crates/session/src/xray/")
                    || *path == "crates/coach/src/review/judgement.rs")
        };
        let sources: Vec<_> = repository.paths.iter().filter(is_source).collect();
        Schema::parse(sources.into_iter().map(|path| (path.as_str(), repository.text(path))))
    }

    /// Reads Rust sources, each with its path.
    ///
    /// # Errors
    /// The places that the reader does not understand.
    pub fn parse<'a>(sources: impl IntoIterator<Item = (&'a str, String)>) -> Result<Schema, Vec<Finding>> {
        let (mut all, mut findings) = (Schema::default(), Vec::new());
        for (path, text) in sources {
            rust::parse(path, &text, &mut all, &mut findings);
        }
        let mut schema = Schema::default();
        let mut open: Vec<String> = ROOTS.map(str::to_owned).to_vec();
        while let Some(name) = open.pop() {
            if schema.types.contains_key(&name) {
                continue;
            }
            match all.types.get(&name) {
                Some(found) => {
                    open.extend(found.references());
                    schema.types.insert(name, found.clone());
                }
                None => findings.push(Finding::new("", 0, format!("there is no Rust type {name}"))),
            }
        }
        if findings.is_empty() { Ok(schema) } else { Err(findings) }
    }
}

impl Type {
    /// The names of the types that this one uses.
    fn references(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut add_kind = |kind: &str| {
            let words = kind.split(|c: char| !c.is_ascii_alphanumeric());
            let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
            let is_built_in = |word: &&str| matches!(*word, "Record" | "Partial");
            names.extend(words.filter(is_name).filter(|word| !is_built_in(word)).map(str::to_owned));
        };
        let mut add_object = |object: &Object| {
            object.flattened.iter().for_each(|name| add_kind(name));
            object.fields.iter().for_each(|field| add_kind(&field.kind));
        };
        match &self.shape {
            Shape::Struct(object) => add_object(object),
            Shape::Enum(variants) => {
                for variant in variants {
                    match variant {
                        Variant::Text(_) => {}
                        Variant::Tagged { object, .. } => add_object(object),
                        Variant::External(field) => {
                            add_object(&Object { flattened: Vec::new(), fields: vec![field.clone()] });
                        }
                        Variant::Untagged(kind) => {
                            add_object(&Object { flattened: vec![kind.clone()], fields: Vec::new() });
                        }
                    }
                }
            }
            Shape::Custom => {}
        }
        names
    }
}
