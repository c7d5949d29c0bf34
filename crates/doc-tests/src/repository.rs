//! What there is in the repository: files, packages, and the targets of the Makefile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The repository that is being checked.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Its root.
    pub root: PathBuf,
    /// Files and folders from the root, with `/` between the parts.
    pub paths: BTreeSet<String>,
    /// Packages by name.
    pub packages: BTreeMap<String, Package>,
    /// The targets of the Makefile.
    pub targets: BTreeSet<String>,
    makefile: String,
}

/// A package.
#[derive(Clone, Default, Debug)]
pub struct Package {
    /// Its folder from the root.
    pub folder: String,
    /// Whether it is meant for others.
    pub is_published: bool,
    /// Its features, optional dependencies included.
    pub features: BTreeSet<String>,
}

impl Repository {
    /// Looks around.
    #[must_use]
    pub fn read(root: &Path) -> Repository {
        let mut paths = BTreeSet::new();
        walk(root, "", &mut paths);
        let makefile = format!("\n{}", fs::read_to_string(root.join("Makefile")).unwrap_or_default());
        let targets = makefile
            .lines()
            .filter(|line| !line.starts_with(['\t', '#', '.', ' ']))
            .filter_map(|line| line.split_once(':'))
            .filter(|(_, rest)| !rest.starts_with('='))
            .flat_map(|(names, _)| names.split_whitespace())
            .map(str::to_owned)
            .collect();
        let mut packages = BTreeMap::new();
        for path in paths.iter().filter(|path| path.ends_with("/Cargo.toml")) {
            let folder = path.trim_end_matches("/Cargo.toml").to_owned();
            let (name, package) = package(&fs::read_to_string(root.join(path)).unwrap_or_default(), folder);
            packages.insert(name, package);
        }
        Repository { root: root.to_owned(), paths, packages, targets, makefile }
    }

    /// Whether this is a path from the root, or the end of one: `pgn/simd.rs` for `crates/notation/src/pgn/simd.rs`.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths.contains(path) || self.paths_ending_with(path).next().is_some()
    }

    /// The paths that end with this one, whole parts only.
    pub fn paths_ending_with(&self, path: &str) -> impl Iterator<Item = &String> {
        let path = path.trim_end_matches('/').to_owned();
        self.paths.iter().filter(move |known| {
            known.strip_suffix(path.as_str()).is_some_and(|front| front.is_empty() || front.ends_with('/'))
        })
    }

    /// Whether the Makefile uses such a variable.
    #[must_use]
    pub fn has_variable(&self, name: &str) -> bool {
        ["$(", "$${", "ifdef "].iter().any(|before| self.makefile.contains(&format!("{before}{name}")))
            || self.makefile.contains(&format!("\n{name} ?="))
            || self.makefile.contains(&format!("{name}="))
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// The sources of an example: one file, or a folder of them.
    #[must_use]
    pub fn example(&self, package: &Package, name: &str) -> Option<String> {
        let stem = format!("{}/examples/{name}", package.folder);
        let is_part = |path: &&String| {
            **path == format!("{stem}.rs") || (path.starts_with(&format!("{stem}/")) && path.ends_with(".rs"))
        };
        let texts: Vec<String> = self.paths.iter().filter(is_part).map(|path| self.text(path)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Whether one of our own tools beside the program has such an option: an example, the trainer, a script.
    #[must_use]
    pub fn a_tool_has_option(&self, option: &str) -> bool {
        let is_tool = |path: &&String| {
            path.contains("/examples/")
                || path.starts_with("training/")
                || path.starts_with("crates/soak/")
                || path.starts_with("crates/page-tests/")
                || path.ends_with(".sh")
        };
        self.paths
            .iter()
            .filter(is_tool)
            .filter(|path| [".rs", ".py", ".sh"].iter().any(|end| path.ends_with(end)))
            .any(|path| names_option(&self.text(path), option))
    }
}

/// Whether a source names an option: as text, or as the field that `clap` makes one of.
#[must_use]
pub fn names_option(source: &str, option: &str) -> bool {
    let field = option.trim_start_matches('-').replace('-', "_");
    source.contains(&format!("\"{option}\"")) || source.contains(&format!("\n    {field}: "))
}

/// The root of this repository.
#[must_use]
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// The documents that are checked. What changed long ago may name what is gone, so the changelog is not among them.
#[must_use]
pub fn documents(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["", "docs", "training"] {
        for name in names(&root.join(folder)) {
            if name.ends_with(".md") && name != "CHANGELOG.md" {
                found.push(if folder.is_empty() { name } else { format!("{folder}/{name}") });
            }
        }
    }
    for name in names(&root.join("crates")) {
        let path = format!("crates/{name}/README.md");
        if root.join(&path).is_file() {
            found.push(path);
        }
    }
    found
}

/// Whether a document is included in the documentation of its crate, so that its examples are tested there.
#[must_use]
pub fn is_crate_documentation(root: &Path, document: &str) -> bool {
    document.strip_suffix("README.md").is_some_and(|folder| {
        let text = |path: &str| fs::read_to_string(root.join(folder).join(path)).unwrap_or_default();
        text("src/lib.rs").contains("include_str!(\"../README.md\")")
            && !text("Cargo.toml").contains("doctest = false")
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Everything but what is built or downloaded.
fn walk(folder: &Path, prefix: &str, paths: &mut BTreeSet<String>) {
    for name in names(folder) {
        let path = format!("{prefix}{name}");
        let is_folder = fs::symlink_metadata(folder.join(&name)).is_ok_and(|data| data.is_dir());
        let is_built = matches!(name.as_str(), ".git" | "target" | "node_modules" | "__pycache__")
            || matches!(path.as_str(), "ferz" | "data" | "fuzz/corpus" | "fuzz/artifacts" | "fuzz/coverage");
        if is_built {
            continue;
        }
        if is_folder {
            walk(&folder.join(&name), &format!("{path}/"), paths);
        }
        paths.insert(path);
    }
}

/// The name of a package and what its manifest says.
fn package(manifest: &str, folder: String) -> (String, Package) {
    let (mut name, mut section) = (String::new(), "");
    let mut package = Package { folder, is_published: true, features: BTreeSet::new() };
    for line in manifest.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            section = line;
        }
        let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
            continue;
        };
        match (section, key) {
            ("[package]", "name") => name = value.trim_matches('"').to_owned(),
            ("[package]", "publish") => package.is_published = value != "false",
            ("[features]", _) => drop(package.features.insert(key.to_owned())),
            ("[dependencies]", _) if value.contains("optional = true") => {
                package.features.insert(key.to_owned());
            }
            _ => {}
        }
    }
    (name, package)
}
