//! Nets in files.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use ferz_eval::Network;

use crate::input;

/// Reads a net and checks it. The error says which file and why.
pub(crate) fn load(path: &Path) -> Result<Arc<Network>> {
    read(path).with_context(|| input::name(path))
}

fn read(path: &Path) -> Result<Arc<Network>> {
    // Asked before it is opened: a pipe would wait for somebody to write.
    ensure!(fs::metadata(path)?.is_file(), "not a file");
    let mut bytes = Vec::new();
    File::open(path)?.take(Network::MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let most = Network::MAX_BYTES;
    ensure!(bytes.len() as u64 <= most, "length: no net has more than {most} bytes");
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}
