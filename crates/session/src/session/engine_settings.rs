//! Settings of the engines: threads, memory, the stop rule, and another engine beside ours.

use super::ANALYSIS_TIME;
use super::Session;
use super::refusal::Refusal;
use crate::protocol::{EngineEntry, EngineWish, StopRule};

/// The deepest stop rule, in plies.
const MAX_DEPTH: u32 = 200;
/// The largest stop rule, in nodes. Larger numbers are not exact in every program.
const MAX_NODES: u64 = 1 << 53;

/// What the program around a session offers its engines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineHost {
    /// The most threads of an analysis.
    pub threads: usize,
    /// The largest transposition table, in MiB.
    pub hash_mb: usize,
    /// The size of a transposition table without a wish, in MiB.
    pub default_hash_mb: usize,
    /// Other engines.
    pub engines: Vec<EngineEntry>,
}

/// One thread, 16 MiB and no other engines.
impl Default for EngineHost {
    fn default() -> EngineHost {
        EngineHost { threads: 1, hash_mb: 16, default_hash_mb: 16, engines: Vec::new() }
    }
}

impl Session {
    /// Sets what the program around the session offers. Call it before `hello`.
    #[must_use]
    pub fn with_engine_host(mut self, host: EngineHost) -> Session {
        self.engines = EngineSettings { host, ..EngineSettings::default() };
        self
    }
}

/// The settings of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineSettings {
    host: EngineHost,
    wish: EngineWish,
    other: Option<String>,
}

/// How a position is analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AnalysisSettings {
    pub(super) lines: usize,
    pub(super) threads: usize,
    pub(super) hash_mb: usize,
    pub(super) limit: Option<StopRule>,
}

impl EngineSettings {
    pub(super) fn host(&self) -> &EngineHost {
        &self.host
    }

    /// The settings of a new session of the same program.
    pub(super) fn anew(&self) -> EngineSettings {
        EngineSettings { host: self.host.clone(), ..EngineSettings::default() }
    }

    /// The id of the other engine.
    pub(super) fn other(&self) -> Option<&str> {
        self.other.as_deref()
    }

    pub(super) fn settings(&self, lines: usize) -> AnalysisSettings {
        let EngineWish { threads, hash_mb, limit } = self.wish;
        let hash_mb = hash_mb.unwrap_or(self.host.default_hash_mb);
        AnalysisSettings { lines, threads: threads.unwrap_or(1), hash_mb, limit }
    }

    pub(super) fn set(&mut self, wish: EngineWish) -> Result<(), Refusal> {
        let EngineHost { threads, hash_mb, .. } = self.host;
        if wish.threads.is_some_and(|count| !(1..=threads).contains(&count)) {
            return Err(Refusal::new(format!("Choose from 1 to {threads} threads.")));
        }
        if wish.hash_mb.is_some_and(|size| !(1..=hash_mb).contains(&size)) {
            return Err(Refusal::new(format!("Choose a hash size from 1 to {hash_mb} MiB.")));
        }
        let seconds = ANALYSIS_TIME.as_secs();
        match wish.limit {
            Some(StopRule::Seconds(count)) if !(1..=seconds).contains(&count) => {
                return Err(Refusal::new(format!("Choose from 1 to {seconds} seconds.")));
            }
            Some(StopRule::Depth(depth)) if !(1..=MAX_DEPTH).contains(&depth) => {
                return Err(Refusal::new(format!("Choose a depth from 1 to {MAX_DEPTH}.")));
            }
            Some(StopRule::Nodes(nodes)) if !(1..=MAX_NODES).contains(&nodes) => {
                return Err(Refusal::new("Choose from 1 to 2^53 nodes."));
            }
            _ => {}
        }
        self.wish = wish;
        Ok(())
    }

    /// Sets what the page has kept. The settings may be those of a larger machine: they are reduced, and the refusal
    /// says so.
    pub(super) fn restore(&mut self, wish: EngineWish) -> Result<(), Refusal> {
        let reduced = EngineWish {
            threads: wish.threads.map(|threads| threads.min(self.host.threads)),
            hash_mb: wish.hash_mb.map(|size| size.min(self.host.hash_mb)),
            ..wish
        };
        self.set(reduced)?;
        if reduced == wish {
            return Ok(());
        }
        let settings = self.settings(1);
        Err(Refusal::new(format!(
            "The engine settings were reduced to what is possible here: threads {}, hash {} MiB.",
            settings.threads, settings.hash_mb
        )))
    }

    pub(super) fn choose_other(&mut self, id: Option<String>) -> Result<(), Refusal> {
        if let Some(id) = &id
            && !self.host.engines.iter().any(|engine| engine.id == *id)
        {
            return Err(Refusal::new("The server has no such engine. Restart it with --engine to add one."));
        }
        self.other = id;
        Ok(())
    }
}
