//! What the system does not give: room on a disk, memory, threads, a file that stays as it is.
#![cfg(target_os = "linux")]

mod changing_files;
mod full_disk;
mod memory;

use std::process::Command;

/// `ferz` with these arguments and with limits that a shell sets.
fn limited(limits: &str, args: &[&str]) -> Command {
    // Without the trap, a file that must not grow would end the process by a signal.
    let script = format!("{limits} && trap '' XFSZ && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_ferz")]).args(args);
    command
}

/// So many bytes are the most that any file may have.
fn small_disk(blocks: u32, args: &[&str]) -> Command {
    limited(&format!("ulimit -f {blocks}"), args)
}

/// The bytes of a block of [`small_disk`].
const BLOCK: u64 = 512;
