//! Loads net files of any supported format and prints their architectures and values of the start position, or what is
//! wrong with them.
//!
//! ```text
//! cargo run --release -p ferz-eval --example load_net -- nn-62ef826d1a6d.nnue damaged.nnue
//! ```

use std::path::Path;
use std::process::ExitCode;

use ferz_board::Position;
use ferz_eval::Network;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args().skip(1) {
        match load(Path::new(&file)) {
            Ok(network) => {
                let value = network.centipawns(network.evaluate(&Position::start()));
                println!("{file}: {network}, start position {value:+} centipawns");
            }
            Err(problem) => {
                eprintln!("{file}: {problem}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn load(file: &Path) -> Result<Network, String> {
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    if size > Network::MAX_BYTES {
        return Err(format!("a net has at most {} bytes, not {size}", Network::MAX_BYTES));
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    Network::from_bytes(&bytes).map_err(|error| error.to_string())
}
