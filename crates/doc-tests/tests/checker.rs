//! The checker finds what is untrue: a small repository whose documents are right, and then wrong in one place each.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use ferz_doc_tests::console::{Runner, script};
use ferz_doc_tests::markdown::Document;
use ferz_doc_tests::program::Interface;
use ferz_doc_tests::repository::Repository;
use ferz_doc_tests::{Finding, names};

/// A program with two subcommands.
const PROGRAM: &str = r#"case "$*" in
    "--help") printf 'A program\n\nCommands:\n  perft  Count\n  pgn    Games\n\nOptions:\n  -h, --help  Help\n' ;;
    "pgn --help") printf 'Commands:\n  check  Check\n' ;;
    "pgn check --help") printf 'Options:\n      --threads <N>  Threads\n' ;;
    "perft --help") printf 'Options:\n      --divide  Each move\n' ;;
    "perft 2") echo "400 leaves in $$ ms" ;;
    "perft 1 --divide") printf 'a2a3: 1\nb2b3: 1\nc2c3: 1\n\n3 leaves\n' ;;
    "") echo "option name UCI_Elo type spin" ;;
    *) echo "error: $*" >&2; exit 2 ;;
esac
"#;

const MAKEFILE: &str = "EXE ?= ferz\nall: ## build\n\tcargo build\ntest-page: all\n\trun $(PART)\n";

const MANIFEST: &str = "[package]\nname = \"ferz-board\"\n\n[features]\nstd = []\n\n[dependencies]\n\
    serde = { workspace = true, optional = true }\n";

const TREE: &str = "fn main() {\n    let wanted = \"--depth\";\n}\n";

const README: &str = r#"# Title

`ferz-board` is in [crates/board](crates/board), see [below](#what-to-run) and [more](docs/more.md#part-one).
Sources: `crates/board/src/lib.rs`, `src/lib.rs`, `lib.rs`, `docs/`, `board/src/lib.rs::works`; built: `target/x.rs`.

## What to run

```console
$ ferz perft 2
400 leaves in … ms
$ ferz perft 1 --divide
a2a3: 1
…

3 leaves
$ cd docs; echo "made" > new.txt; false
$ echo $?; cat new.txt more.md
1
made
# More
…
$ cargo run --release -p ferz -- perft 9
error: perft 9
```

```sh
ferz perft 6 --divide            # slow
ferz pgn check --threads 2 games.pgn | sort > docs/out.txt
make test-page PART=phone && make EXE=name
cargo test -p ferz-board --features std,serde
tree() { cargo run -p ferz-board --example tree -- "$@"; }
tree --depth 5
cat crates/board/src/lib.rs
```

Options: `--threads`, `UCI_Elo`, `--depth 3`, `--release`; commands: `ferz pgn check`, `make test-page`, `ferz perft N`.
"#;

/// A repository in a folder of its own.
struct Fixture {
    folder: PathBuf,
    readme: String,
}

impl Fixture {
    fn new(name: &str) -> Fixture {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checker").join(name);
        let _ = fs::remove_dir_all(&folder);
        let files = [
            ("repository/Makefile", MAKEFILE),
            ("repository/Cargo.toml", "[workspace]\n"),
            ("repository/docs/more.md", "# More\n\n## Part one\n"),
            ("repository/crates/board/Cargo.toml", MANIFEST),
            ("repository/crates/board/src/lib.rs", "fn works() {}\n"),
            ("repository/crates/board/examples/tree.rs", TREE),
        ];
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        script(&folder.join("program"), PROGRAM).unwrap();
        Fixture { folder, readme: README.to_owned() }
    }

    /// Changes the only place in the document where `old` stands; returns its line.
    fn replace(&mut self, old: &str, new: &str) -> usize {
        assert_eq!(self.readme.matches(old).count(), 1, "{old}");
        let at = self.readme.find(old).unwrap();
        self.readme.replace_range(at..at + old.len(), new);
        self.readme[..at].matches('\n').count() + 1
    }

    fn findings(&self) -> Vec<Finding> {
        let root = self.folder.join("repository");
        fs::write(root.join("README.md"), &self.readme).unwrap();
        let repository = Repository::read(&root);
        let program = self.folder.join("program");
        let interface = Interface::of(&program);
        let document = Document::parse("README.md", &self.readme);
        let mut findings = names::check(&document, &repository, &interface);
        findings.extend(names::missing_packages(&document, &repository));
        findings.extend(Runner::new(&repository, &program, self.folder.join("examples")).check(&document));
        // Whatever the examples do, they do it elsewhere.
        assert!(!root.join("docs/new.txt").exists());
        findings
    }
}

#[test]
fn a_true_document_passes() {
    assert_eq!(Fixture::new("true").findings(), []);
}

#[test]
fn every_kind_of_untruth_is_found() {
    let untruths = [
        ("400 leaves in … ms", "401 leaves in … ms", "documented: 401 leaves in … ms"),
        ("a2a3: 1", "a2a4: 1", "actual: a2a3: 1"),
        ("\n3 leaves\n", "\n4 leaves\n", "documented: 4 leaves"),
        ("$ ferz perft 2\n", "$ ferz perft 3\n", "actual: error: perft 3"),
        ("(docs/more.md#part-one)", "(docs/more.md#part-two)", "docs/more.md has no heading for #part-two"),
        ("(#what-to-run)", "(#what)", "README.md has no heading for #what"),
        ("(crates/board)", "(crates/bord)", "the link to crates/bord leads nowhere"),
        ("`crates/board/src/lib.rs`", "`crates/board/src/lob.rs`", "there is no crates/board/src/lob.rs"),
        ("`src/lib.rs`", "`src/lib2.rs`", "there is no src/lib2.rs"),
        ("`lib.rs`", "`lib2.rs`", "there is no lib2.rs"),
        ("`docs/`", "`doc/`", "there is no doc/"),
        ("lib.rs::works", "lib.rs::fails", "there is no function fails in board/src/lib.rs"),
        ("ferz perft 6 --divide", "ferz perft 6 --split", "ferz perft has no option --split"),
        ("ferz pgn check --threads", "ferz pgn chek --threads", "ferz pgn has no subcommand chek"),
        ("2 games.pgn", "2 games.pgn --divide", "ferz pgn check has no option --divide"),
        ("make test-page PART", "make test-pages PART", "the Makefile has no target test-pages"),
        ("PART=phone", "PARTS=phone", "the Makefile has no variable PARTS"),
        ("test -p ferz-board", "test -p ferz-bord", "there is no package ferz-bord"),
        ("std,serde", "std,serdes", "there is no feature serdes in ferz-board"),
        ("--example tree", "--example trees", "there is no example trees"),
        ("tree --depth 5", "tree --deep 5", "the example tree has no option --deep"),
        ("cat crates/board/src/lib.rs", "cat crates/board/src/bib.rs", "there is no crates/board/src/bib.rs"),
        ("`--threads`", "`--thread`", "no program of ours has an option --thread"),
        ("`UCI_Elo`", "`UCI_Rating`", "the engine has no option UCI_Rating"),
        ("`ferz pgn check`", "`ferz pgn fmt`", "ferz pgn has no subcommand fmt"),
        ("`make test-page`", "`make test-pag`", "the Makefile has no target test-pag"),
        ("`ferz-board`", "`ferz-bord`", "the package ferz-board is missing here"),
        ("-p ferz-board --example", "--", "cargo run has several programs to choose from here"),
    ];
    let mut fixture = Fixture::new("untrue");
    for (old, new, text) in untruths {
        let line = fixture.replace(old, new);
        let findings = fixture.findings();
        let finding = findings.iter().find(|finding| finding.text.contains(text));
        let finding = finding.unwrap_or_else(|| panic!("{new:?}: {findings:?}"));
        assert_eq!(finding.file, "README.md");
        // A missing package has no line, a changed command shows in its output.
        let distance = finding.line.abs_diff(line);
        assert!(distance <= 2, "{new:?}: {line}, {finding}");
        fixture.readme = README.to_owned();
    }
}

#[test]
fn blocks_that_nobody_would_test_are_found() {
    let mut fixture = Fixture::new("untested");
    fixture.readme =
        "# Title\n\n`ferz-board`\n\n```\ntext\n```\n\n```rust,ignore\nfn\n```\n\n```console\nls\n```\n"
            .to_owned();
    let lines: Vec<_> = fixture.findings().iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [5, 9, 14]);
}

#[test]
fn promises_name_tests() {
    let fixture = Fixture::new("promises");
    let root = fixture.folder.join("repository");
    fs::write(root.join("crates/board/src/a.rs"), "fn one_of_the_tests() {}\nfn two_of_the_tests() {}\n")
        .unwrap();
    fs::write(root.join("crates/board/src/b.rs"), "fn three_of_the_tests() {}\n").unwrap();
    let repository = Repository::read(&root);
    let check = |text: &str| {
        let mut findings = Vec::new();
        let found = names::check_promises(&Document::parse("a.md", text), &repository, &mut findings);
        (found, findings.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let row = "| `src/a.rs::one_of_the_tests`, `two_of_the_tests` |\n| `three_of_the_tests` |\n";
    assert_eq!(check(row), (3, vec![]));
    let wrong =
        "| `src/a.rs::one_of_the_tests`, `three_of_the_tests`, `script.txt` |\n\n`four_of_the_tests`\n";
    let findings = [
        "a.md:1: there is no function three_of_the_tests in src/a.rs",
        "a.md:1: there is no script.txt",
        "a.md:3: there is no function four_of_the_tests anywhere",
    ];
    assert_eq!(check(wrong), (1, findings.map(str::to_owned).to_vec()));
}
