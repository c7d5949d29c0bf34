//! Writes the Rust blocks of the documents as doctests, one module for each, named after file and line. Including whole
//! documents would not do: to rustdoc, every indented block is Rust.

#[allow(dead_code)]
#[path = "src/markdown.rs"]
mod markdown;
#[allow(dead_code)]
#[path = "src/repository.rs"]
mod repository;

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use markdown::Document;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-changed={}", root.join("docs").display());
    let mut code = String::new();
    for path in repository::documents(&root) {
        println!("cargo::rerun-if-changed={}", root.join(&path).display());
        if repository::is_crate_documentation(&root, &path) {
            continue;
        }
        let text = fs::read_to_string(root.join(&path)).expect("documents are UTF-8");
        for block in Document::parse(&path, &text).blocks {
            if block.language != "rust" {
                continue;
            }
            let name: String = path
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
                .collect();
            let text = format!("````{}\n{}\n````", block.info, block.lines.join("\n"));
            let _ = write!(code, "/// A Rust block of `{path}`.\n///\n#[doc = {text:?}]\n");
            let _ = writeln!(code, "pub mod {}_line_{} {{}}", name.trim_matches('_'), block.line);
        }
    }
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("doctests.rs"), code).expect("the folder can be written to");
}
