//! Failures of the system: full disks, too little memory, too few threads, files that change.
#![cfg(target_os = "linux")]

mod changing_files;
mod full_disk;
mod memory;

use std::process::Command;

/// `ferz` with these arguments and with limits that a shell sets.
fn limited(limits: &str, args: &[&str]) -> Command {
    // Without the trap, exceeding the file size limit would kill the process.
    let script = format!("{limits} && trap '' XFSZ && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_ferz")]).args(args);
    command
}

/// Runs `ferz` with a limit on the size of files.
fn small_disk(blocks: u32, args: &[&str]) -> Command {
    limited(&format!("ulimit -f {blocks}"), args)
}

/// The bytes of a block of [`small_disk`].
const BLOCK: u64 = 512;
