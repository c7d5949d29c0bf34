//! Endgame tables for the commands and for UCI.

use anyhow::{Error, Result, ensure};
use clap::Args;
use ferz_search::Engine;
use ferz_syzygy::Tablebases;

use crate::progress::note;

/// The endgame tables of a command.
#[derive(Args)]
pub(crate) struct TableArguments {
    /// Use the Syzygy endgame tables in this folder; several are separated as in PATH
    #[arg(long, value_name = "DIR")]
    syzygy: Option<String>,
}

impl TableArguments {
    /// The tables; none without the option.
    pub(crate) fn open(&self) -> Result<Tablebases> {
        self.syzygy.as_deref().map_or_else(|| Ok(Tablebases::new()), open)
    }
}

/// The tables of a list of folders; an empty list gives none.
pub(crate) fn open(list: &str) -> Result<Tablebases> {
    // Its text names the cause already.
    let tables = Tablebases::open_path_list(list).map_err(|error| Error::msg(error.to_string()))?;
    let is_empty_list = list == "<empty>" || list.chars().all(|it| it == SEPARATOR || it.is_whitespace());
    ensure!(!tables.is_empty() || is_empty_list, "no Syzygy tables in {list}");
    Ok(tables)
}

/// Between the folders of a list.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The description of tables for users.
pub(crate) fn description(tables: &Tablebases) -> String {
    let (wdl, dtz) = (tables.wdl_count(), tables.dtz_count());
    format!("found {wdl} WDL and {dtz} DTZ tables of up to {} men", tables.max_men())
}

/// Reports damaged tables that searches have met, on stderr.
pub(crate) fn note_problems(engine: &Engine) {
    engine.table_problems().iter().for_each(|problem| note(format_args!("note: {problem}")));
}
