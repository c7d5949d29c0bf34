//! The tables of some directories.

use std::path::Path;

use ferz_board::{Move, Position};

use crate::{AddError, Dtz, Material, MoveVerdict, OpenError, ProbeError, TableKind, Wdl};

/// Endgame tables of one or more directories. A clone is cheap and shares the tables.
#[derive(Clone, Default, Debug)]
pub struct Tablebases(());

impl Tablebases {
    /// No tables.
    #[must_use]
    pub fn new() -> Tablebases {
        Tablebases::default()
    }

    /// All tables in the directories. Only names are read; a file is opened by the first probe that needs it.
    pub fn open<P: AsRef<Path>>(dirs: impl IntoIterator<Item = P>) -> Result<Tablebases, OpenError> {
        let _ = dirs.into_iter();
        Ok(Tablebases::new())
    }

    /// All tables of a list of directories, as in `PATH`: `dir1:dir2`, on Windows `dir1;dir2`. An empty list and
    /// `<empty>` give no tables.
    pub fn open_path_list(list: &str) -> Result<Tablebases, OpenError> {
        let _ = list;
        Ok(Tablebases::new())
    }

    /// Adds a table that is in memory, with the name of its file, such as `KQvK.rtbw`.
    pub fn add_bytes(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), AddError> {
        let _ = (name, bytes);
        Ok(())
    }

    /// Whether there are no tables.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wdl_count() + self.dtz_count() == 0
    }

    /// The men of the largest table, kings included; 0 without tables.
    #[must_use]
    pub fn max_men(&self) -> u32 {
        0
    }

    /// The number of WDL tables.
    #[must_use]
    pub fn wdl_count(&self) -> usize {
        0
    }

    /// The number of DTZ tables.
    #[must_use]
    pub fn dtz_count(&self) -> usize {
        0
    }

    /// The result of a position if its halfmove clock were 0.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        Err(ProbeError::MissingTable { material: Material::of(position), kind: TableKind::Wdl })
    }

    /// The distance to zeroing if the halfmove clock were 0.
    pub fn probe_dtz(&self, position: &Position) -> Result<Dtz, ProbeError> {
        Err(ProbeError::MissingTable { material: Material::of(position), kind: TableKind::Dtz })
    }

    /// What every legal move leads to, the best first.
    ///
    /// The order is that of the results under the position's halfmove clock, then the shortest way to zeroing for
    /// wins and the longest for losses.
    pub fn probe_moves(&self, position: &Position) -> Result<Vec<MoveVerdict>, ProbeError> {
        Err(ProbeError::MissingTable { material: Material::of(position), kind: TableKind::Wdl })
    }

    /// The first of [`probe_moves`](Tablebases::probe_moves), or `None` if there is no legal move.
    pub fn best_move(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        Ok(self.probe_moves(position)?.first().map(|verdict| verdict.mv))
    }
}
