//! Directories and files: what is found, and what is wrong with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ferz_board::{PieceType, Position};
use ferz_syzygy::{AddError, Damage, ProbeError, TableKind, Tablebases, Wdl, check_file};
use ferz_table_maker::Solutions;

static FILES: LazyLock<Vec<(String, Vec<u8>)>> =
    LazyLock::new(|| Solutions::new(&[PieceType::Queen, PieceType::Rook]).files());

fn bytes_of(name: &str) -> Vec<u8> {
    FILES.iter().find(|(other, _)| other == name).unwrap().1.clone()
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("syzygy-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn queen() -> Position {
    "4k3/8/8/8/8/8/8/KQ6 w - - 0 1".parse().unwrap()
}

fn rook() -> Position {
    "4k3/8/8/8/8/8/8/KR6 b - - 0 1".parse().unwrap()
}

#[test]
fn tables_are_found_in_several_folders() {
    let [first, second] = ["first", "second"].map(folder);
    for (name, bytes) in FILES.iter() {
        fs::write(if name.starts_with("KQ") { &first } else { &second }.join(name), bytes).unwrap();
    }
    fs::write(first.join("README.txt"), "not a table").unwrap();
    fs::write(first.join("KvKQ.rtbw"), "not the usual name").unwrap();
    let list = std::env::join_paths(["", first.to_str().unwrap(), second.to_str().unwrap()]).unwrap();
    let tables = Tablebases::open_path_list(list.to_str().unwrap()).unwrap();
    assert_eq!((tables.wdl_count(), tables.dtz_count(), tables.max_men()), (2, 2, 3));
    assert_eq!(tables.probe_wdl(&queen()).unwrap(), Wdl::Win);
    assert_eq!(tables.probe_wdl(&rook()).unwrap(), Wdl::Loss);

    for none in ["", "<empty>", " "] {
        assert!(Tablebases::open_path_list(none).unwrap().is_empty());
    }
    let error = Tablebases::open(["no/such/folder"]).unwrap_err();
    assert_eq!(error.directory, Path::new("no/such/folder"));
}

#[test]
fn files_are_opened_by_the_first_probe_and_small_ones_read_as_a_whole() {
    let folder = folder("lazy");
    fs::write(folder.join("KQvK.rtbw"), bytes_of("KQvK.rtbw")).unwrap();
    fs::write(folder.join("KRvK.rtbw"), bytes_of("KRvK.rtbw")).unwrap();
    let tables = Tablebases::open([&folder]).unwrap();
    fs::write(folder.join("KRvK.rtbw"), "cut short").unwrap();
    assert_eq!(tables.probe_wdl(&queen()).unwrap(), Wdl::Win);
    fs::remove_file(folder.join("KQvK.rtbw")).unwrap();
    assert_eq!(tables.probe_wdl(&queen()).unwrap(), Wdl::Win);
    let error = tables.probe_wdl(&rook()).unwrap_err();
    let ProbeError::Damaged { file, problem } = &error else { panic!("{error}") };
    assert_eq!((file, *problem), (&folder.join("KRvK.rtbw"), Damage::Magic));
    // The other table is not affected, and the error stays.
    assert!(tables.probe_wdl(&rook()).is_err());
    assert_eq!(tables.probe_wdl(&queen()).unwrap(), Wdl::Win);
}

#[test]
fn a_vanished_file_is_unreadable() {
    let folder = folder("vanished");
    fs::write(folder.join("KQvK.rtbw"), bytes_of("KQvK.rtbw")).unwrap();
    let tables = Tablebases::open([&folder]).unwrap();
    fs::remove_file(folder.join("KQvK.rtbw")).unwrap();
    assert!(matches!(tables.probe_wdl(&queen()), Err(ProbeError::Unreadable { .. })));
}

#[test]
fn reasons_have_names() {
    let mut tables = Tablebases::new();
    assert!(matches!(tables.probe_wdl(&queen()), Err(ProbeError::TooManyMen { men: 3, max: 0 })));
    let kings: Position = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    assert_eq!(tables.probe_wdl(&kings).unwrap(), Wdl::Draw);
    assert_eq!(tables.probe_dtz(&kings).unwrap().get(), 0);
    tables.add_bytes("KQvK.rtbw", bytes_of("KQvK.rtbw")).unwrap();
    let castling: Position = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    assert!(matches!(tables.probe_wdl(&castling), Err(ProbeError::CastlingRights)));
    let Err(ProbeError::MissingTable { material, kind }) = tables.probe_dtz(&queen()) else { panic!() };
    assert_eq!((material.to_string(), kind), ("KQvK".to_owned(), TableKind::Dtz));
    // A table is named after the stronger side, whatever its colour.
    let black: Position = "kr6/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    assert_eq!(tables.probe_wdl(&black).unwrap_err().to_string(), "table KRvK.rtbw is missing");
}

#[test]
fn names_are_those_of_the_public_tables() {
    let mut tables = Tablebases::new();
    for name in
        ["", "KQvK", "KQvK.rtbx", "KvKQ.rtbw", "KQK.rtbw", "QKvK.rtbw", "KvK.rtbw", "KKvK.rtbw", "KQvQ.rtbw"]
    {
        assert_eq!(tables.add_bytes(name, Vec::new()), Err(AddError::Name(name.to_owned())), "{name}");
    }
    let long = "KQQQQQQvK.rtbw";
    assert_eq!(tables.add_bytes(long, Vec::new()), Err(AddError::Name(long.to_owned())));
}

/// A table of different material or kind is refused, and so is every truncation.
#[test]
fn damaged_tables_are_refused() {
    let mut tables = Tablebases::new();
    let bytes = bytes_of("KQvK.rtbw");
    let refuse =
        |tables: &mut Tablebases, name: &str, bytes: &[u8]| match tables.add_bytes(name, bytes.to_vec()) {
            Err(AddError::Damaged(damage)) => damage,
            other => panic!("{other:?}"),
        };
    assert_eq!(refuse(&mut tables, "KQvK.rtbz", &bytes), Damage::Magic);
    assert_eq!(refuse(&mut tables, "KRvK.rtbw", &bytes), Damage::Pieces);
    assert_eq!(refuse(&mut tables, "KPvK.rtbw", &bytes), Damage::Material);
    assert_eq!(refuse(&mut tables, "KQvKQ.rtbw", &bytes), Damage::Material);
    for len in 0..bytes.len() {
        refuse(&mut tables, "KQvK.rtbw", &bytes[..len]);
    }
    let longer = [&bytes[..], &[0; 64]].concat();
    let found = longer.len() as u64;
    assert_eq!(refuse(&mut tables, "KQvK.rtbw", &longer), Damage::Length { expected: found - 64, found });
    assert!(tables.is_empty());
}

/// Whatever byte is changed: a complete check finds it, and probes end with a result or an error.
#[test]
fn every_changed_byte_is_found() {
    let folder = folder("changed");
    let path = folder.join("KRvK.rtbw");
    let bytes = bytes_of("KRvK.rtbw");
    fs::write(&path, &bytes).unwrap();
    let mut read = 0;
    let checked = check_file(&path, |bytes| read += bytes).unwrap();
    assert_eq!((checked.material.to_string(), checked.kind), ("KRvK".to_owned(), TableKind::Wdl));
    assert_eq!(checked.positions, 2 * 31_332);
    assert!(read <= 2 * bytes.len() as u64);
    for at in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&path, &changed).unwrap();
        assert!(matches!(check_file(&path, |_| ()), Err(ProbeError::Damaged { .. })), "byte {at}");
        let mut tables = Tablebases::new();
        if tables.add_bytes("KRvK.rtbw", changed).is_ok() {
            let _ = tables.probe_wdl(&rook());
        }
    }
}

#[test]
fn a_clone_shares_the_tables_until_one_is_added() {
    let mut tables = Tablebases::new();
    tables.add_bytes("KQvK.rtbw", bytes_of("KQvK.rtbw")).unwrap();
    let clone = tables.clone();
    tables.add_bytes("KRvK.rtbw", bytes_of("KRvK.rtbw")).unwrap();
    assert_eq!((clone.wdl_count(), tables.wdl_count()), (1, 2));
    assert_eq!(clone.probe_wdl(&queen()).unwrap(), tables.probe_wdl(&queen()).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(tables.probe_wdl(&rook()).unwrap(), Wdl::Loss));
        }
    });
}
