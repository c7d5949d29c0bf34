//! Writes the tables of all endings with three men into a folder, for example to read them with a different prober.
//!
//! `cargo run -p ferz-table-maker --example write_tables -- DIR`

use std::error::Error;
use std::path::Path;

use ferz_table_maker::Solutions;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: write_tables DIR")?;
    Ok(Solutions::all().write_to(Path::new(&directory))?)
}
