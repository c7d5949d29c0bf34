//! Says which net is embedded: the one that `EVALFILE` names, as testing frameworks do, or else ours.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let crate_folder =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let networks = crate_folder.join("../../networks");
    println!("cargo::rerun-if-changed={}", networks.display());
    let file = match env::var_os("EVALFILE") {
        Some(file) if !file.is_empty() => PathBuf::from(file),
        _ => only_net(&networks),
    };
    let file = file.canonicalize().unwrap_or_else(|error| panic!("the net {}: {error}", file.display()));
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    println!("cargo::rerun-if-changed={}", file.display());
    println!("cargo::rustc-env=FERZ_NETWORK={}", file.display());
    println!("cargo::rustc-env=FERZ_NETWORK_NAME={name}");
}

/// Old nets are not kept, so the default is the only one in its folder.
fn only_net(folder: &Path) -> PathBuf {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut nets = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "nnue"));
    match (nets.next(), nets.next()) {
        (Some(net), None) => net,
        _ => panic!("there must be exactly one net in {}", folder.display()),
    }
}
