//! Reads Rust types that serde writes or reads: as much of the language as the protocol uses, in the layout of rustfmt.
//! What it does not understand is a finding.

use super::{Field, Object, Schema, Shape, Type, Variant};
use crate::Finding;

/// Adds the types of a source to the schema.
pub fn parse(file: &str, text: &str, schema: &mut Schema, findings: &mut Vec<Finding>) {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let mut attributes = Attributes::default();
    while let Some((number, line)) = lines.next() {
        if line == "mod tests {" {
            break;
        }
        let result = if line.starts_with("#[") {
            attributes.add(line)
        } else if line.is_empty() || line.starts_with("//") {
            Ok(())
        } else {
            let attributes = std::mem::take(&mut attributes);
            Definition::of(line).map_or(Ok(()), |definition| {
                let shape = definition.shape(&attributes, &mut lines)?;
                let Some(shape) = shape else { return Ok(()) };
                let name = definition.name().to_owned();
                let found = Type { file: file.to_owned(), line: number, shape };
                match schema.types.insert(name, found) {
                    // A type with both traits by hand is there twice.
                    None => Ok(()),
                    Some(Type { shape: Shape::Custom, .. }) if definition.is_custom() => Ok(()),
                    Some(_) => Err(format!("a second type with the name {}", definition.name())),
                }
            })
        };
        if let Err(reason) = result {
            findings.push(Finding::new(file, number, reason));
        }
    }
}

/// The serde attributes of a type, a variant or a field.
#[derive(Clone, Default, Debug)]
struct Attributes {
    serializes: bool,
    deserializes: bool,
    tag: Option<String>,
    rename: Option<String>,
    in_snake_case: bool,
    is_untagged: bool,
    is_flattened: bool,
    has_default: bool,
    skips: Option<String>,
}

impl Attributes {
    /// Adds what an attribute on one line says.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        let line = line.split_once(" // ").map_or(line, |(code, _)| code);
        let Some(content) = line.strip_prefix("#[").and_then(|rest| rest.strip_suffix(']')) else {
            return Err(format!("an attribute on several lines: {line}"));
        };
        if let Some(list) = inside(content, "derive(", ")") {
            for name in list.split(", ") {
                self.serializes |= name.ends_with("Serialize");
                self.deserializes |= name.ends_with("Deserialize");
            }
        } else if let Some(list) = inside(content, "serde(", ")") {
            for item in list.split(", ") {
                let (key, value) = item
                    .split_once(" = ")
                    .map_or((item, None), |(key, value)| (key, Some(value.trim_matches('"').to_owned())));
                match (key, value) {
                    ("tag", Some(value)) => self.tag = Some(value),
                    ("rename", Some(value)) => self.rename = Some(value),
                    ("rename_all", Some(value)) if value == "snake_case" => self.in_snake_case = true,
                    ("untagged", None) => self.is_untagged = true,
                    ("flatten", None) => self.is_flattened = true,
                    ("default", _) => self.has_default = true,
                    ("skip_serializing_if", Some(value)) => self.skips = Some(value),
                    ("deny_unknown_fields", None) => {}
                    _ => return Err(format!("the checker does not know #[serde({item})]")),
                }
            }
        }
        Ok(())
    }

    fn is_of_serde(&self) -> bool {
        self.serializes || self.deserializes
    }
}

/// The first line of a definition.
enum Definition<'a> {
    /// `struct Name {`, or on one line.
    Struct(&'a str, &'a str),
    /// `enum Name {`.
    Enum(&'a str, &'a str),
    /// `impl Serialize for Name {`.
    Custom(&'a str),
}

impl<'a> Definition<'a> {
    fn of(line: &'a str) -> Option<Definition<'a>> {
        let code = without_visibility(line);
        if let Some(rest) = code.strip_prefix("struct ") {
            let (name, rest) = split_name(rest);
            return Some(Definition::Struct(name, rest));
        }
        if let Some(rest) = code.strip_prefix("enum ") {
            let (name, rest) = split_name(rest);
            return Some(Definition::Enum(name, rest));
        }
        let by_hand = ["impl Serialize for ", "impl<'de> Deserialize<'de> for "];
        let custom = by_hand.iter().find_map(|head| inside(code, head, " {"));
        custom.map(Definition::Custom)
    }

    fn name(&self) -> &'a str {
        match self {
            Definition::Struct(name, _) | Definition::Enum(name, _) | Definition::Custom(name) => name,
        }
    }

    fn is_custom(&self) -> bool {
        matches!(self, Definition::Custom(_))
    }

    /// Reads the rest of the definition; `None` for a type that is not serde's.
    fn shape<'b>(
        &self,
        attributes: &Attributes,
        lines: &mut impl Iterator<Item = (usize, &'b str)>,
    ) -> Result<Option<Shape>, String> {
        let (rest, is_enum) = match self {
            Definition::Custom(_) => return Ok(Some(Shape::Custom)),
            Definition::Struct(_, rest) => (*rest, false),
            Definition::Enum(_, rest) => (*rest, true),
        };
        // The page's envelope is taken apart by hand, so that a message that is not an intent still has its number.
        if self.name() == "Envelope" {
            let id = Field { name: "id".to_owned(), kind: "number".to_owned(), is_optional: true };
            let object = Object { flattened: vec!["Intent".to_owned()], fields: vec![id] };
            return Ok(Some(Shape::Struct(object)));
        }
        if !attributes.is_of_serde() {
            return Ok(None);
        }
        if rest != " {" {
            return Err(format!("the checker does not know this kind of type: {}{rest}", self.name()));
        }
        let body: Vec<&str> = lines.map(|(_, line)| line).take_while(|line| *line != "}").collect();
        if is_enum {
            variants(&body, attributes).map(|variants| Some(Shape::Enum(variants)))
        } else if attributes.in_snake_case || attributes.tag.is_some() || attributes.is_untagged {
            Err(format!("the checker does not know the attributes of the struct {}", self.name()))
        } else {
            fields(&body, attributes).map(|object| Some(Shape::Struct(object)))
        }
    }
}

/// The fields of a struct or a variant, one to a line.
fn fields(lines: &[&str], of_type: &Attributes) -> Result<Object, String> {
    let (mut object, mut attributes) = (Object::default(), Attributes::default());
    for line in lines.iter().map(|line| line.trim()) {
        if line.starts_with("//") {
            continue;
        }
        if line.starts_with("#[") {
            attributes.add(line)?;
            continue;
        }
        let attributes = std::mem::take(&mut attributes);
        let code = without_visibility(line);
        let field = code.strip_suffix(',').and_then(|field| field.split_once(": "));
        let Some((name, rust)) = field else { return Err(format!("this is not a field: {line}")) };
        if attributes.is_flattened {
            object.flattened.push(typescript(rust)?);
            continue;
        }
        let (option, inner) = match inside(rust, "Option<", ">") {
            Some(inner) => (true, inner),
            None => (false, rust),
        };
        let is_skipped = attributes.skips.is_some();
        if is_skipped && of_type.deserializes && !attributes.has_default && !option {
            return Err(format!("{name} may be left out, but not be missing"));
        }
        if option && !is_skipped && of_type.serializes && of_type.deserializes {
            return Err(format!("{name} is written as null and may be missing: choose one of them"));
        }
        let may_be_missing = of_type.deserializes && (option || attributes.has_default);
        let may_be_null = option && attributes.skips.as_deref() != Some("Option::is_none");
        let kind = typescript(inner)?;
        object.fields.push(Field {
            name: attributes.rename.unwrap_or_else(|| name.trim_start_matches("r#").to_owned()),
            kind: if may_be_null { format!("{kind} | null") } else { kind },
            is_optional: is_skipped || may_be_missing,
        });
    }
    Ok(object)
}

/// The variants of an enum.
fn variants(lines: &[&str], of_type: &Attributes) -> Result<Vec<Variant>, String> {
    let (mut variants, mut attributes) = (Vec::new(), Attributes::default());
    let mut lines = lines.iter();
    while let Some(line) = lines.next() {
        let code = line.trim();
        if code.starts_with("//") {
            continue;
        }
        if code.starts_with("#[") {
            attributes.add(code)?;
            continue;
        }
        let attributes = std::mem::take(&mut attributes);
        let (rust_name, rest) = split_name(code);
        if rust_name.is_empty() {
            return Err(format!("this is not a variant: {code}"));
        }
        let name = match attributes.rename {
            Some(name) => name,
            None if of_type.in_snake_case => snake_case(rust_name),
            None if of_type.is_untagged => String::new(),
            None => return Err("an enum of the protocol has rename_all = \"snake_case\"".to_owned()),
        };
        let object = match rest {
            "," | " {}," => Object::default(),
            " {" => {
                let body: Vec<&str> = lines.by_ref().copied().take_while(|line| *line != "    },").collect();
                fields(&body, of_type)?
            }
            _ => {
                if let Some(list) = inside(rest, " { ", " },") {
                    let body: Vec<String> = list.split(", ").map(|field| format!("{field},")).collect();
                    fields(&body.iter().map(String::as_str).collect::<Vec<_>>(), of_type)?
                } else if let Some(rust) = inside(rest, "(", "),") {
                    Object { flattened: vec![typescript(rust)?], fields: Vec::new() }
                } else {
                    return Err(format!("this is not a variant: {code}"));
                }
            }
        };
        variants.push(match &of_type.tag {
            Some(tag) => Variant::Tagged { tag: tag.clone(), name, object },
            None => match (of_type.is_untagged, rest, object.flattened.as_slice()) {
                (false, ",", _) => Variant::Text(name),
                (true, _, [kind]) => Variant::Untagged(kind.clone()),
                (false, _, [kind]) => {
                    Variant::External(Field { name, kind: kind.clone(), is_optional: false })
                }
                _ => return Err(format!("the checker does not know this kind of variant: {code}")),
            },
        });
    }
    Ok(variants)
}

/// A Rust type as TypeScript writes what serde makes of it.
fn typescript(rust: &str) -> Result<String, String> {
    match rust {
        "String" | "&'static str" | "char" => return Ok("string".to_owned()),
        "bool" => return Ok("boolean".to_owned()),
        "u8" | "u16" | "u32" | "u64" | "usize" | "i16" | "i32" | "i64" | "f64" => {
            return Ok("number".to_owned());
        }
        _ => {}
    }
    if let Some(inner) = inside(rust, "Box<", ">") {
        return typescript(inner);
    }
    if let Some(inner) = inside(rust, "Option<", ">") {
        return Ok(format!("{} | null", typescript(inner)?));
    }
    if let Some(inner) = inside(rust, "Vec<", ">") {
        let inner = typescript(inner)?;
        return Ok(if inner.contains(" | ") { format!("({inner})[]") } else { format!("{inner}[]") });
    }
    if let Some((inner, count)) = inside(rust, "[", "]").and_then(|array| array.rsplit_once("; ")) {
        let count: usize = count.parse().map_err(|_| format!("the length of {rust} is not a number"))?;
        return Ok(format!("[{}]", vec![typescript(inner)?; count].join(", ")));
    }
    if let Some((key, value)) =
        inside(rust, "std::collections::BTreeMap<", ">").and_then(|map| map.split_once(", "))
    {
        let (key, value) = (typescript(key)?, typescript(value)?);
        // A map need not have every value of an enum.
        let record = format!("Record<{key}, {value}>");
        return Ok(if key == "string" { record } else { format!("Partial<{record}>") });
    }
    let name = rust.rsplit("::").next().unwrap_or(rust);
    let is_name =
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric());
    if is_name { Ok(name.to_owned()) } else { Err(format!("the checker does not know the type {rust}")) }
}

fn without_visibility(code: &str) -> &str {
    let heads = ["pub ", "pub(super) ", "pub(crate) "];
    heads.iter().find_map(|head| code.strip_prefix(head)).unwrap_or(code)
}

/// The identifier in front, and what follows it.
fn split_name(code: &str) -> (&str, &str) {
    let end = code.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(code.len());
    code.split_at(end)
}

fn inside<'a>(text: &'a str, head: &str, tail: &str) -> Option<&'a str> {
    text.strip_prefix(head)?.strip_suffix(tail)
}

/// As serde does it.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
