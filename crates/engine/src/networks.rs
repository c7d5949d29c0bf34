//! Choosing the evaluation: the embedded network, a network file, or the classical evaluation.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use ferz_eval::Network;
use ferz_search::Signals;

use crate::{bench, input};

/// The name of the embedded network, the default.
pub(crate) const EMBEDDED: &str = "embedded";
/// The name of the classical evaluation.
pub(crate) const CLASSICAL: &str = "classical";

/// The depth of the bench that identifies the search: engines with the same node count play the same games.
const SIGNATURE_DEPTH: u32 = 5;

/// Loads the network of this name or file; `None` is the classical evaluation. Errors name the file.
pub(crate) fn load(name: &Path) -> Result<Option<Arc<Network>>> {
    if name == Path::new(EMBEDDED) {
        Ok(Some(Network::embedded()))
    } else if name == Path::new(CLASSICAL) {
        Ok(None)
    } else {
        read(name).map(Some).with_context(|| input::name(name))
    }
}

/// The description of a network for users.
pub(crate) fn description(network: Option<&Network>) -> String {
    network.map_or_else(|| CLASSICAL.to_owned(), ToString::to_string)
}

/// The number of nodes of a short bench, by which a search and its network are recognised.
pub(crate) fn signature(network: Option<Arc<Network>>) -> Result<u64> {
    let total = bench::run(SIGNATURE_DEPTH, 1, network, &Signals::new(), &mut |_| {})?;
    // Nothing stops this run, so there is a total.
    Ok(total.unwrap_or_default().nodes())
}

fn read(path: &Path) -> Result<Arc<Network>> {
    // Checked before opening: opening a named pipe would block.
    ensure!(fs::metadata(path)?.is_file(), "not a file");
    let mut bytes = Vec::new();
    File::open(path)?.take(Network::MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let most = Network::MAX_BYTES;
    ensure!(bytes.len() as u64 <= most, "file too long: a network has at most {most} bytes");
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}
