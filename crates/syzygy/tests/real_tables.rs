//! Checks with the public tables, which are not part of the project: `SYZYGY=dir cargo test -- --ignored`.

use std::fs;
use std::path::PathBuf;

use ferz_board::Position;
use ferz_syzygy::{Tablebases, check_file};

fn directory() -> PathBuf {
    std::env::var_os("SYZYGY").expect("SYZYGY names a directory with tables").into()
}

#[test]
#[ignore = "needs public tables in the directory SYZYGY, and reference probes"]
fn reference_probes_are_equal() {
    let tables = Tablebases::open([directory()]).unwrap();
    let text = fs::read_to_string(directory().join("ref_probe_3-4men.tsv")).unwrap();
    let mut wrong = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let position: Position = fields[0].parse().unwrap();
        let wdl = tables.probe_wdl(&position).map(|wdl| wdl.value().to_string());
        let dtz = tables.probe_dtz(&position).map(|dtz| dtz.to_string());
        if wdl.as_deref().ok() != Some(fields[1]) || dtz.as_deref().ok() != Some(fields[2]) {
            println!("{line}: {wdl:?} {dtz:?}");
            wrong += 1;
        }
    }
    assert_eq!(wrong, 0, "of {}", text.lines().count() - 1);
}

#[test]
#[ignore = "needs public tables in the directory SYZYGY"]
fn tables_pass_all_checks() {
    let mut checked = 0;
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rtbw" || extension == "rtbz") {
            if let Err(error) = check_file(&path, |_| ()) {
                panic!("{error}");
            }
            checked += 1;
        }
    }
    assert!(checked > 0);
}
