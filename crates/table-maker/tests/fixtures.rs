//! Tables that other crates have among their tests.

use std::fs;
use std::path::Path;

use ferz_table_maker::Solutions;

/// The tests of the program use files, as its users do.
#[test]
fn the_tables_of_the_programs_tests_are_made_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/tables");
    let files = Solutions::all().files();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), files.len());
    for (name, bytes) in files {
        assert!(fs::read(folder.join(&name)).unwrap() == bytes, "{name}: run the example write_tables");
    }
}
