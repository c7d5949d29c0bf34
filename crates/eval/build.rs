//! Embeds a different net when `FERZ_EVALFILE` names one, as testing frameworks need it; does nothing otherwise.
//!
//! The variable has a name of its own, so that an `EVALFILE` in the environment, which other engines read too, cannot
//! change the net of a program that depends on this library. `make EVALFILE=net` sets it.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-env-changed=FERZ_EVALFILE");
    println!("cargo::rustc-check-cfg=cfg(ferz_evalfile)");
    let Some(file) = env::var_os("FERZ_EVALFILE").filter(|file| !file.is_empty()).map(PathBuf::from) else {
        return;
    };
    // An absolute path: the compiler and the build script do not start in the same folder.
    let file =
        file.canonicalize().unwrap_or_else(|error| panic!("FERZ_EVALFILE: {}: {error}", file.display()));
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    println!("cargo::rerun-if-changed={}", file.display());
    println!("cargo::rustc-cfg=ferz_evalfile");
    println!("cargo::rustc-env=FERZ_NETWORK={}", file.display());
    println!("cargo::rustc-env=FERZ_NETWORK_NAME={name}");
}
