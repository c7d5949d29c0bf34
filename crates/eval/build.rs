//! Chooses the net that is embedded.
//!
//! A different net is embedded when `FERZ_EVALFILE` names one, as testing frameworks need it. The variable has a name of
//! its own, so that an `EVALFILE` in the environment, which other engines read too, cannot change the net of a program that
//! depends on this library. `make EVALFILE=net` sets it.
//!
//! For WebAssembly, which is downloaded, it is a smaller net, and compressed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "src/nnue/compact.rs"]
mod compact;

fn main() {
    println!("cargo::rerun-if-env-changed=FERZ_EVALFILE");
    println!("cargo::rustc-check-cfg=cfg(ferz_evalfile)");
    println!("cargo::rustc-check-cfg=cfg(ferz_compact_net)");
    let wanted = env::var_os("FERZ_EVALFILE").filter(|file| !file.is_empty()).map(|file| {
        println!("cargo::rustc-cfg=ferz_evalfile");
        PathBuf::from(file)
    });
    let is_wasm = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm"));
    let is_embedded = env::var_os("CARGO_FEATURE_EMBEDDED_NET").is_some();
    if is_wasm && is_embedded {
        println!("cargo::rustc-cfg=ferz_compact_net");
        println!("cargo::rerun-if-changed=src/nnue/compact.rs");
        let file = resolve(&wanted.unwrap_or_else(small_net));
        let net = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let folder = env::var_os("OUT_DIR").expect("cargo sets it");
        let compressed = Path::new(&folder).join("compressed.nnue");
        fs::write(&compressed, compact::compress(&net)).expect("the folder is ours");
        embed(&file, &compressed);
    } else if let Some(file) = wanted {
        let file = resolve(&file);
        embed(&file, &file);
    }
}

/// The small net of this repository.
fn small_net() -> PathBuf {
    let files =
        fs::read_dir("networks/small").expect("the folder of nets").flatten().map(|entry| entry.path());
    let mut nets = files.filter(|file| file.extension().is_some_and(|it| it == "nnue"));
    let net = nets.next().expect("a net");
    assert!(nets.next().is_none(), "there are several nets in the folder `networks/small`");
    net
}

/// An absolute path: the compiler and the build script do not start in the same folder.
fn resolve(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|error| panic!("FERZ_EVALFILE: {}: {error}", file.display()))
}

/// Embeds a file under the name of a net.
fn embed(net: &Path, file: &Path) {
    let name = net.file_stem().unwrap_or_default().to_string_lossy();
    println!("cargo::rerun-if-changed={}", net.display());
    println!("cargo::rustc-env=FERZ_NETWORK={}", file.display());
    println!("cargo::rustc-env=FERZ_NETWORK_NAME={name}");
}
