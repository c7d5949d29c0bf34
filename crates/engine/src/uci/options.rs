//! The options: one table that announces and sets them.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use ferz_board::CastlingMode;
use ferz_eval::Network;
use ferz_notation::polyglot::Variety;
use ferz_search::{Engine, Limits};
use ferz_selfplay::datagen::HARD_LIMIT;

use super::command::{Quoted, SetOption};
use super::engine_thread::BookUse;
use crate::{books, networks};

/// The default size of the transposition table, in MiB.
pub(super) const DEFAULT_HASH: usize = 16;
/// In MiB: 32 TiB.
const MAX_HASH: i64 = 33_554_432;
/// How an empty default is announced: some clients cannot parse one without characters.
const EMPTY: &str = "<empty>";

/// The options that the session keeps; the others live in the engine. A search uses the values of its start.
#[derive(Clone, Debug)]
pub(super) struct UciSettings {
    /// Whether castling is written as king takes rook.
    pub(super) chess960: bool,
    pub(super) show_wdl: bool,
    limit_strength: bool,
    elo: u32,
    lines: usize,
    move_overhead: Duration,
    probe_depth: u32,
    probe_limit: u32,
    fifty_move_rule: bool,
    own_book: bool,
    book: BookUse,
    analyse_mode: bool,
    /// Whether `go nodes` is a soft limit.
    soft_nodes: bool,
}

impl UciSettings {
    /// How castling moves are written.
    pub(super) fn castling(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }

    /// How the book is used; `None` if it is not, or if the user wants to see a search.
    pub(super) fn book(&self) -> Option<BookUse> {
        (self.own_book && !self.analyse_mode && self.lines == 1).then_some(self.book)
    }

    /// Makes the node limit of a search a soft one, if the user wants that.
    pub(super) fn soften(&self, limits: &mut Limits) {
        if let Some(nodes) = limits.nodes.filter(|_| self.soft_nodes) {
            limits.soft_nodes = Some(nodes);
            limits.nodes = Some(nodes.saturating_mul(HARD_LIMIT));
        }
    }

    /// The options of a search.
    pub(super) fn search_options(&self) -> ferz_search::SearchOptions {
        let mut options = ferz_search::SearchOptions::new()
            .lines(self.lines)
            .move_overhead(self.move_overhead)
            .probe_depth(self.probe_depth)
            .probe_limit(self.probe_limit)
            .fifty_move_rule(self.fifty_move_rule);
        options.elo = self.limit_strength.then_some(self.elo);
        options
    }
}

/// The defaults of the table.
impl Default for UciSettings {
    fn default() -> UciSettings {
        let mut settings = UciSettings {
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: *Engine::ELO.end(),
            lines: 1,
            move_overhead: Duration::ZERO,
            probe_depth: 0,
            probe_limit: 0,
            fifty_move_rule: false,
            own_book: false,
            book: BookUse { depth: 0, variety: Variety::HEAVIEST },
            analyse_mode: false,
            soft_nodes: false,
        };
        for entry in &TABLE {
            match &entry.kind {
                OptionKind::Check { default, set } => set(&mut settings, *default),
                OptionKind::Spin { default, set: Spin::Setting(set), .. } => set(&mut settings, *default),
                OptionKind::Spin { .. } | OptionKind::Button(_) | OptionKind::Text { .. } => {}
            }
        }
        settings
    }
}

/// A change to the engine itself.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum EngineChange {
    /// The size of the transposition table in MiB.
    Hash(usize),
    Threads(usize),
    /// The network, or `None` for the classical evaluation.
    Network(Option<Arc<Network>>),
    /// Clears the transposition table and the histories.
    Clear,
    /// The index of a search parameter, and its value.
    #[cfg(feature = "tune")]
    Parameter(usize, i32),
}

/// The effect of `setoption`.
#[derive(Debug, PartialEq)]
pub(super) enum OptionEffect<'a> {
    /// The option is set.
    Done,
    /// The engine must change.
    Engine(EngineChange),
    /// The network of this name or file is to be loaded.
    EvalFile(&'a str),
    /// The endgame tables of these directories are to be used.
    SyzygyPath(&'a str),
    /// The book of this name or file is to be opened.
    BookFile(&'a str),
}

/// Why an option was not set.
#[derive(Debug, PartialEq)]
pub(super) enum OptionError<'a> {
    Unknown(&'a str),
    /// Not a whole number in this range.
    Spin {
        name: &'static str,
        value: &'a str,
        range: RangeInclusive<i64>,
    },
    /// Neither `true` nor `false`.
    Check {
        name: &'static str,
        value: &'a str,
    },
}

impl fmt::Display for OptionError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "unknown option {}", Quoted(name)),
            OptionError::Spin { name, value, range } => {
                let (min, max) = (range.start(), range.end());
                write!(f, "{name}: expected a number from {min} to {max}, found {}", Quoted(value))
            }
            OptionError::Check { name, value } => {
                write!(f, "{name}: expected true or false, found {}", Quoted(value))
            }
        }
    }
}

struct OptionEntry {
    name: &'static str,
    kind: OptionKind,
}

enum OptionKind {
    Check { default: bool, set: fn(&mut UciSettings, bool) },
    Spin { default: i64, range: RangeInclusive<i64>, set: Spin },
    Button(EngineChange),
    Text { default: &'static str, set: fn(&str) -> OptionEffect<'_> },
}

/// What a number sets. It is in the range of the option, so sizes are not negative.
enum Spin {
    Setting(fn(&mut UciSettings, i64)),
    Engine(fn(usize) -> EngineChange),
    /// The search parameter with this index.
    #[cfg(feature = "tune")]
    Parameter(usize),
}

const fn check(name: &'static str, default: bool, set: fn(&mut UciSettings, bool)) -> OptionEntry {
    OptionEntry { name, kind: OptionKind::Check { default, set } }
}

const fn spin(name: &'static str, default: i64, range: RangeInclusive<i64>, set: Spin) -> OptionEntry {
    OptionEntry { name, kind: OptionKind::Spin { default, range, set } }
}

const fn text(name: &'static str, set: fn(&str) -> OptionEffect<'_>) -> OptionEntry {
    OptionEntry { name, kind: OptionKind::Text { default: EMPTY, set } }
}

const MIN_ELO: i64 = *Engine::ELO.start() as i64;
const MAX_ELO: i64 = *Engine::ELO.end() as i64;

/// The options in the order of the announcement. Those that do nothing are set by many clients without being asked
/// to, so they must be accepted.
static TABLE: [OptionEntry; 22] = [
    spin("Hash", DEFAULT_HASH as i64, 1..=MAX_HASH, Spin::Engine(EngineChange::Hash)),
    spin("Threads", 1, 1..=Engine::MAX_THREADS as i64, Spin::Engine(EngineChange::Threads)),
    OptionEntry { name: "Clear Hash", kind: OptionKind::Button(EngineChange::Clear) },
    spin("MultiPV", 1, 1..=256, Spin::Setting(|settings, lines| settings.lines = lines as usize)),
    // Pondering starts with `go ponder`; this option only announces it.
    check("Ponder", false, |_, _| {}),
    spin(
        "Move Overhead",
        10,
        0..=5000,
        Spin::Setting(|settings, milliseconds| {
            settings.move_overhead = Duration::from_millis(milliseconds.unsigned_abs());
        }),
    ),
    // As in other engines, for data generation by OpenBench.
    check("SoftNodes", false, |settings, on| settings.soft_nodes = on),
    check("UCI_Chess960", false, |settings, on| settings.chess960 = on),
    check("UCI_ShowWDL", false, |settings, on| settings.show_wdl = on),
    check("UCI_LimitStrength", false, |settings, on| settings.limit_strength = on),
    spin("UCI_Elo", MAX_ELO, MIN_ELO..=MAX_ELO, Spin::Setting(|settings, elo| settings.elo = elo as u32)),
    check("UCI_AnalyseMode", false, |settings, on| settings.analyse_mode = on),
    text("UCI_Opponent", |_| OptionEffect::Done),
    OptionEntry { name: "EvalFile", kind: OptionKind::Text { default: networks::EMBEDDED, set: eval_file } },
    text("SyzygyPath", |list| OptionEffect::SyzygyPath(list)),
    spin(
        "SyzygyProbeDepth",
        1,
        1..=100,
        Spin::Setting(|settings, depth| settings.probe_depth = depth as u32),
    ),
    spin("SyzygyProbeLimit", 7, 0..=7, Spin::Setting(|settings, men| settings.probe_limit = men as u32)),
    check("Syzygy50MoveRule", true, |settings, on| settings.fifty_move_rule = on),
    check("OwnBook", false, |settings, on| settings.own_book = on),
    text("BookFile", book_file),
    // In moves, not plies: the book is used up to this move number.
    spin("BookDepth", 255, 1..=255, Spin::Setting(|settings, moves| settings.book.depth = moves as u32)),
    spin(
        "BookVariety",
        50,
        0..=100,
        Spin::Setting(|settings, percent| settings.book.variety = Variety::new(percent as u8)),
    ),
];

/// The search parameters, if the build can change them.
#[cfg(not(feature = "tune"))]
static PARAMETERS: [OptionEntry; 0] = [];
#[cfg(feature = "tune")]
static PARAMETERS: std::sync::LazyLock<Vec<OptionEntry>> = std::sync::LazyLock::new(|| {
    let all = ferz_search::SearchParameter::all().iter().enumerate();
    all.map(|(index, it)| {
        let range = i64::from(*it.range.start())..=i64::from(*it.range.end());
        spin(it.name, it.value.into(), range, Spin::Parameter(index))
    })
    .collect()
});

fn entries() -> impl Iterator<Item = &'static OptionEntry> {
    TABLE.iter().chain(PARAMETERS.iter())
}

/// Whether a text option is empty.
fn is_empty_text(value: &str) -> bool {
    value.is_empty() || value == EMPTY
}

fn eval_file(name: &str) -> OptionEffect<'_> {
    OptionEffect::EvalFile(if is_empty_text(name) { networks::EMBEDDED } else { name })
}

fn book_file(name: &str) -> OptionEffect<'_> {
    OptionEffect::BookFile(if is_empty_text(name) { books::EMBEDDED } else { name })
}

/// The lines that announce the options.
pub(super) fn announcement() -> impl Iterator<Item = String> {
    entries().map(|OptionEntry { name, kind }| match kind {
        OptionKind::Check { default, .. } => format!("option name {name} type check default {default}"),
        OptionKind::Spin { default, range, .. } => {
            format!(
                "option name {name} type spin default {default} min {} max {}",
                range.start(),
                range.end()
            )
        }
        OptionKind::Button(_) => format!("option name {name} type button"),
        OptionKind::Text { default, .. } => format!("option name {name} type string default {default}"),
    })
}

impl UciSettings {
    /// Sets an option. Case and the amount of white space in its name do not matter.
    pub(super) fn set<'a>(&mut self, option: &SetOption<'a>) -> Result<OptionEffect<'a>, OptionError<'a>> {
        let entry = entries().find(|entry| is_same_name(entry.name, option.name));
        let OptionEntry { name, kind } = entry.ok_or(OptionError::Unknown(option.name))?;
        let value = option.value.unwrap_or_default();
        match kind {
            OptionKind::Check { set, .. } => {
                let on = match value {
                    _ if value.eq_ignore_ascii_case("true") => true,
                    _ if value.eq_ignore_ascii_case("false") => false,
                    _ => return Err(OptionError::Check { name, value }),
                };
                set(self, on);
                Ok(OptionEffect::Done)
            }
            OptionKind::Spin { range, set, .. } => {
                let number = value.parse().ok().filter(|number| range.contains(number));
                let number = number.ok_or_else(|| OptionError::Spin { name, value, range: range.clone() })?;
                match set {
                    Spin::Setting(set) => {
                        set(self, number);
                        Ok(OptionEffect::Done)
                    }
                    Spin::Engine(change) => Ok(OptionEffect::Engine(change(number as usize))),
                    #[cfg(feature = "tune")]
                    Spin::Parameter(index) => {
                        Ok(OptionEffect::Engine(EngineChange::Parameter(*index, number as i32)))
                    }
                }
            }
            OptionKind::Button(change) => Ok(OptionEffect::Engine(change.clone())),
            OptionKind::Text { set, .. } => Ok(set(value)),
        }
    }
}

fn is_same_name(ours: &str, theirs: &str) -> bool {
    let words = |name: &str| -> Vec<_> { name.split_whitespace().map(str::to_ascii_lowercase).collect() };
    words(ours) == words(theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<'a>(
        settings: &mut UciSettings,
        name: &'a str,
        value: &'a str,
    ) -> Result<OptionEffect<'a>, OptionError<'a>> {
        settings.set(&SetOption { name, value: Some(value) })
    }

    #[test]
    fn the_defaults_are_those_announced() {
        let settings = UciSettings::default();
        let options = settings.search_options();
        assert_eq!((options.lines, options.move_overhead.as_millis(), options.elo), (1, 10, None));
        assert_eq!((options.probe_depth, options.probe_limit, options.fifty_move_rule), (1, 7, true));
        assert!(!settings.chess960 && !settings.show_wdl);
        for entry in &TABLE {
            if let OptionKind::Spin { default, range, .. } = &entry.kind {
                assert!(range.contains(default) && *range.start() >= 0, "{}", entry.name);
            }
        }
    }

    #[test]
    fn names_are_read_with_tolerance_and_values_are_not() {
        let mut settings = UciSettings::default();
        assert_eq!(set(&mut settings, "hash", "64"), Ok(OptionEffect::Engine(EngineChange::Hash(64))));
        assert_eq!(set(&mut settings, "clear   HASH", "x"), Ok(OptionEffect::Engine(EngineChange::Clear)));
        assert_eq!(set(&mut settings, "move overhead", "50"), Ok(OptionEffect::Done));
        assert_eq!(settings.search_options().move_overhead.as_millis(), 50);
        for value in ["", "0", "-1", "abc", "1.5", "999999999999", "99999999999999999999999"] {
            let error = set(&mut settings, "Hash", value).expect_err(value);
            assert!(error.to_string().starts_with("Hash: expected a number from 1 to 33554432"), "{error}");
        }
        assert_eq!(set(&mut settings, "No such", "1"), Err(OptionError::Unknown("No such")));
    }

    #[test]
    fn switches_go_both_ways() {
        let mut settings = UciSettings::default();
        for (value, expected) in [("true", true), ("false", false), ("True", true)] {
            assert_eq!(set(&mut settings, "UCI_Chess960", value), Ok(OptionEffect::Done));
            assert_eq!(settings.chess960, expected);
        }
        assert!(set(&mut settings, "UCI_Chess960", "1").is_err());
        assert!(settings.chess960);
    }

    #[test]
    fn strength_is_limited_only_if_asked_for() {
        let mut settings = UciSettings::default();
        let lowest = Engine::ELO.start().to_string();
        assert_eq!(set(&mut settings, "UCI_Elo", &lowest), Ok(OptionEffect::Done));
        assert_eq!(settings.search_options().elo, None);
        assert_eq!(set(&mut settings, "UCI_LimitStrength", "true"), Ok(OptionEffect::Done));
        assert_eq!(settings.search_options().elo, Some(*Engine::ELO.start()));
    }

    #[test]
    fn node_limits_are_soft_only_if_asked_for() {
        let mut settings = UciSettings::default();
        let softened = |settings: &UciSettings, mut limits: Limits| {
            settings.soften(&mut limits);
            (limits.soft_nodes, limits.nodes)
        };
        assert_eq!(softened(&settings, Limits::new().nodes(1000)), (None, Some(1000)));
        assert_eq!(set(&mut settings, "softnodes", "true"), Ok(OptionEffect::Done));
        assert_eq!(softened(&settings, Limits::new().nodes(1000)), (Some(1000), Some(8000)));
        assert_eq!(softened(&settings, Limits::new().nodes(u64::MAX)), (Some(u64::MAX), Some(u64::MAX)));
        assert_eq!(softened(&settings, Limits::new().depth(3)), (None, None));
    }

    #[test]
    fn options_of_tables() {
        let mut settings = UciSettings::default();
        let list = "/my tables:/more";
        assert_eq!(set(&mut settings, "SyzygyPath", list), Ok(OptionEffect::SyzygyPath(list)));
        for (name, value) in
            [("SyzygyProbeDepth", "9"), ("SyzygyProbeLimit", "5"), ("Syzygy50MoveRule", "false")]
        {
            assert_eq!(set(&mut settings, name, value), Ok(OptionEffect::Done));
        }
        let options = settings.search_options();
        assert_eq!((options.probe_depth, options.probe_limit, options.fifty_move_rule), (9, 5, false));
        assert!(set(&mut settings, "SyzygyProbeLimit", "8").is_err());
        assert!(set(&mut settings, "SyzygyProbeDepth", "0").is_err());
    }

    #[test]
    fn the_book_is_for_games_only() {
        let mut settings = UciSettings::default();
        assert_eq!(settings.book(), None);
        let own_book = |settings: &mut UciSettings| set(settings, "OwnBook", "true").map(|_| ());
        assert_eq!(own_book(&mut settings), Ok(()));
        assert_eq!(settings.book(), Some(BookUse { depth: 255, variety: Variety::BY_WEIGHT }));
        for (name, on, off) in [("UCI_AnalyseMode", "true", "false"), ("MultiPV", "2", "1")] {
            assert_eq!(set(&mut settings, name, on), Ok(OptionEffect::Done));
            assert_eq!(settings.book(), None, "{name}");
            assert_eq!(set(&mut settings, name, off), Ok(OptionEffect::Done));
            assert!(settings.book().is_some(), "{name}");
        }
    }

    #[cfg(feature = "tune")]
    #[test]
    fn search_parameters_are_options() {
        let mut settings = UciSettings::default();
        assert_eq!(announcement().count(), TABLE.len() + ferz_search::SearchParameter::all().len());
        let index_of =
            |name| ferz_search::SearchParameter::all().iter().position(|it| it.name == name).unwrap();
        let value = ferz_search::SearchParameter::all()[index_of("aspiration_delta")].value;
        let expected = format!("option name aspiration_delta type spin default {value} min 4 max 40");
        assert!(announcement().any(|line| line == expected));
        let index = index_of("history_bonus_offset");
        let expected = OptionEffect::Engine(EngineChange::Parameter(index, -7));
        assert_eq!(set(&mut settings, "history_bonus_offset", "-7"), Ok(expected));
        assert!(set(&mut settings, "history_bonus_offset", "-101").is_err());
    }

    #[test]
    fn a_net_is_a_file_or_the_default() {
        let mut settings = UciSettings::default();
        assert_eq!(set(&mut settings, "evalfile", "/a b/c.net"), Ok(OptionEffect::EvalFile("/a b/c.net")));
        for nothing in ["<empty>", ""] {
            assert_eq!(set(&mut settings, "EvalFile", nothing), Ok(OptionEffect::EvalFile("embedded")));
        }
    }
}
