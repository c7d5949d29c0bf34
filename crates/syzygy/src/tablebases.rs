//! The tables of some directories.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ferz_board::{Move, Position};

use crate::probe::Probe;
use crate::store::{Budget, Fault, Source};
use crate::table::Table;
use crate::{AddError, Dtz, Material, MoveVerdict, OpenError, ProbeError, TableKind, Wdl};

/// Endgame tables of one or more directories.
///
/// A clone is cheap and shares the tables. Probes take `&self` and no lock, so that many threads can probe at a time.
///
/// ```no_run
/// use ferz_board::Position;
/// use ferz_syzygy::{Tablebases, Wdl};
///
/// let tables = Tablebases::open(["/usr/share/syzygy"])?;
/// let position = Position::from_fen("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1")?;
/// assert_eq!(tables.probe_wdl(&position)?, Wdl::Draw);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Tablebases(Arc<Shared>);

#[derive(Clone, Default, Debug)]
struct Shared {
    tables: Vec<Entry>,
    /// Numbers of tables by material, a hash table with at least half of its places free.
    places: Box<[Place]>,
    max_men: u32,
    budget: Arc<Budget>,
}

/// The two files of a material.
#[derive(Clone, Debug)]
struct Entry {
    material: Material,
    /// By [`TableKind`].
    files: [Option<Arc<Lazy>>; 2],
}

#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    table: u32,
}

impl Place {
    /// No material has this key.
    const FREE: Place = Place { key: u64::MAX, table: 0 };
}

/// A file that is opened by the first probe.
#[derive(Debug)]
struct Lazy {
    path: PathBuf,
    table: OnceLock<Result<Table, Fault>>,
}

impl Tablebases {
    /// No tables.
    #[must_use]
    pub fn new() -> Tablebases {
        Tablebases::default()
    }

    /// All tables in the directories. Only names are read; a file is opened by the first probe that needs it. If a table
    /// is in several directories, the first one is taken.
    pub fn open<P: AsRef<Path>>(dirs: impl IntoIterator<Item = P>) -> Result<Tablebases, OpenError> {
        let mut shared = Shared::default();
        for dir in dirs {
            let dir = dir.as_ref();
            let fail = |source| OpenError { directory: dir.to_owned(), source };
            for file in fs::read_dir(dir).map_err(fail)? {
                let path = file.map_err(fail)?.path();
                if let Some((material, kind)) = path.file_name().and_then(|name| table_name(name.to_str()?)) {
                    shared.add(material, kind, Lazy { path, table: OnceLock::new() }, false);
                }
            }
        }
        shared.hash();
        Ok(Tablebases(Arc::new(shared)))
    }

    /// All tables of a list of directories, written like `PATH`: `dir1:dir2`, on Windows `dir1;dir2`. Empty parts are
    /// ignored. An empty list and `<empty>` give no tables.
    pub fn open_path_list(list: &str) -> Result<Tablebases, OpenError> {
        let separator = if cfg!(windows) { ';' } else { ':' };
        let list = if list.trim() == "<empty>" { "" } else { list };
        Tablebases::open(list.split(separator).map(str::trim).filter(|dir| !dir.is_empty()))
    }

    /// Adds a table that is in memory, with the name of its file, such as `KQvK.rtbw`. It replaces a table of this name.
    pub fn add_bytes(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), AddError> {
        let (material, kind) = table_name(name).ok_or_else(|| AddError::Name(name.to_owned()))?;
        let source = Source::Memory(bytes.into());
        let table = match Table::new(source, material, kind, &self.0.budget) {
            Ok(table) => table,
            Err(Fault::Damaged(damage)) => return Err(AddError::Damaged(damage)),
            // Memory can be read.
            Err(Fault::Unreadable(_)) => return Err(AddError::Damaged(crate::Damage::Truncated)),
        };
        let shared = Arc::make_mut(&mut self.0);
        shared.add(material, kind, Lazy { path: name.into(), table: OnceLock::from(Ok(table)) }, true);
        shared.hash();
        Ok(())
    }

    /// Sets how much memory tables may take, 256 MiB by default. Beyond it every probe reads its file, and a table that is
    /// opened takes only its code: up to 0.4 MB. Memory that is in use already is kept. Clones share the limit.
    pub fn set_cache_limit(&self, bytes: u64) {
        self.0.budget.set_limit(bytes);
    }

    /// The memory that tables take, in bytes.
    #[must_use]
    pub fn cache_used(&self) -> u64 {
        self.0.budget.used()
    }

    /// Whether there are no tables.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.tables.is_empty()
    }

    /// The men of the largest table, kings included; 0 without tables.
    #[inline]
    #[must_use]
    pub fn max_men(&self) -> u32 {
        self.0.max_men
    }

    /// The number of WDL tables.
    #[must_use]
    pub fn wdl_count(&self) -> usize {
        self.count(TableKind::Wdl)
    }

    /// The number of DTZ tables.
    #[must_use]
    pub fn dtz_count(&self) -> usize {
        self.count(TableKind::Dtz)
    }

    fn count(&self, kind: TableKind) -> usize {
        self.0.tables.iter().filter(|entry| entry.files[kind as usize].is_some()).count()
    }

    /// The result of a position if its halfmove clock were 0. En passant is respected.
    #[inline]
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        Probe(self).wdl(position)
    }

    /// The distance to zeroing of a position if its halfmove clock were 0. It needs WDL and DTZ tables.
    #[inline]
    pub fn probe_dtz(&self, position: &Position) -> Result<Dtz, ProbeError> {
        Probe(self).dtz(position)
    }

    /// What every legal move leads to, the best first.
    ///
    /// The order is that of the results under the position's halfmove clock, then the shortest way to zeroing for
    /// wins and the longest for losses.
    pub fn probe_moves(&self, position: &Position) -> Result<Vec<MoveVerdict>, ProbeError> {
        Probe(self).moves(position)
    }

    /// The first of [`probe_moves`](Tablebases::probe_moves), or `None` if there is no legal move.
    pub fn best_move(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        Ok(self.probe_moves(position)?.first().map(|verdict| verdict.mv))
    }

    /// The table with a material, opened if it was not.
    #[inline]
    pub(crate) fn table(&self, material: Material, kind: TableKind) -> Result<&Table, ProbeError> {
        let file = self.0.find(material).and_then(|entry| entry.files[kind as usize].as_deref());
        match file.and_then(|file| file.table.get()) {
            Some(Ok(table)) => Ok(table),
            _ => self.open_table(file, material, kind),
        }
    }

    #[cold]
    fn open_table<'a>(
        &'a self,
        file: Option<&'a Lazy>,
        material: Material,
        kind: TableKind,
    ) -> Result<&'a Table, ProbeError> {
        let material = material.normalized();
        let file = file.ok_or(ProbeError::MissingTable { material, kind })?;
        let open = || Table::open(file.path.clone(), material, kind, &self.0.budget);
        file.table.get_or_init(open).as_ref().map_err(|fault| fault.clone().of_file(file.path.clone()))
    }

    /// The error of a table that gave no value.
    #[cold]
    pub(crate) fn error(&self, material: Material, kind: TableKind, fault: Fault) -> ProbeError {
        match self.0.find(material).and_then(|entry| entry.files[kind as usize].as_ref()) {
            Some(file) => fault.of_file(file.path.clone()),
            None => ProbeError::MissingTable { material: material.normalized(), kind },
        }
    }
}

impl Shared {
    fn add(&mut self, material: Material, kind: TableKind, file: Lazy, replaces: bool) {
        let number = self.tables.iter().position(|entry| entry.material == material).unwrap_or_else(|| {
            self.tables.push(Entry { material, files: [None, None] });
            self.tables.len() - 1
        });
        let slot = &mut self.tables[number].files[kind as usize];
        if replaces || slot.is_none() {
            *slot = Some(Arc::new(file));
        }
        self.max_men = self.max_men.max(material.men());
    }

    /// Fills the hash table.
    fn hash(&mut self) {
        // Each table is there with both colours.
        self.places = vec![Place::FREE; (4 * self.tables.len()).next_power_of_two()].into();
        for (number, entry) in self.tables.iter().enumerate() {
            for material in [entry.material, entry.material.with_colors_exchanged()] {
                let key = material.key();
                let mask = self.places.len() - 1;
                let mut place = hash(key) & mask;
                while self.places[place].key != Place::FREE.key && self.places[place].key != key {
                    place = (place + 1) & mask;
                }
                self.places[place] = Place { key, table: number as u32 };
            }
        }
    }

    #[inline(always)]
    fn find(&self, material: Material) -> Option<&Entry> {
        let mask = self.places.len().wrapping_sub(1);
        let mut place = hash(material.key());
        loop {
            match self.places.get(place & mask)? {
                found if found.key == material.key() => return self.tables.get(found.table as usize),
                found if found.key == Place::FREE.key => return None,
                _ => place += 1,
            }
        }
    }
}

/// Spreads keys of material over a hash table.
#[inline(always)]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// The material and kind of a file's name.
pub(crate) fn table_name(name: &str) -> Option<(Material, TableKind)> {
    let (stem, extension) = name.split_once('.')?;
    let kind = TableKind::ALL.into_iter().find(|kind| kind.extension() == extension)?;
    Some((Material::from_table_name(stem)?, kind))
}
