//! What to evaluate with: the embedded net, none, or one in a file.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use ferz_eval::Network;

use crate::input;

/// The name of the net that comes with the program, the default.
pub(crate) const EMBEDDED: &str = "embedded";
/// The name of the evaluation without a net.
pub(crate) const CLASSICAL: &str = "classical";

/// The net of this name, or in this file, which is checked; none is the classical evaluation. The error says which
/// file and why.
pub(crate) fn load(name: &Path) -> Result<Option<Arc<Network>>> {
    if name == Path::new(EMBEDDED) {
        Ok(Some(Network::embedded()))
    } else if name == Path::new(CLASSICAL) {
        Ok(None)
    } else {
        read(name).map(Some).with_context(|| input::name(name))
    }
}

/// How a net is called in words.
pub(crate) fn description(network: Option<&Network>) -> String {
    network.map_or_else(|| CLASSICAL.to_owned(), ToString::to_string)
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
