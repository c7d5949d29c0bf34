//! The options: one table that both announces and sets them.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use ferz_board::CastlingMode;
use ferz_eval::Network;
use ferz_search::Engine;

use super::command::{Quoted, SetOption};
use crate::networks;

/// The size of the transposition table nobody has changed, in MiB.
pub(super) const DEFAULT_HASH: usize = 16;
/// In MiB: 32 TiB.
const MAX_HASH: i64 = 33_554_432;
/// A text that is not there, as it is announced: some programs cannot read a default of no characters.
const EMPTY: &str = "<empty>";

/// What is set, as far as it does not live in the engine. A search takes it as it is when it begins.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Whether castling is written as the king's capture of its rook.
    pub(super) chess960: bool,
    pub(super) show_wdl: bool,
    limit_strength: bool,
    elo: u32,
    lines: usize,
    move_overhead: Duration,
}

impl Settings {
    /// How castling is written.
    pub(super) fn castling(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }

    /// How the engine is to search.
    pub(super) fn search_options(&self) -> ferz_search::SearchOptions {
        ferz_search::SearchOptions {
            lines: self.lines,
            move_overhead: self.move_overhead,
            elo: self.limit_strength.then_some(self.elo),
            seed: None,
        }
    }
}

/// As the table announces it.
impl Default for Settings {
    fn default() -> Settings {
        let mut settings = Settings {
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: *Engine::ELO.end(),
            lines: 1,
            move_overhead: Duration::ZERO,
        };
        for entry in &TABLE {
            match &entry.kind {
                Kind::Check { default, set } => set(&mut settings, *default),
                Kind::Spin { default, set: Spin::Setting(set), .. } => set(&mut settings, *default),
                Kind::Spin { .. } | Kind::Button(_) | Kind::Text { .. } => {}
            }
        }
        settings
    }
}

/// What an option changes in the engine itself.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Change {
    /// The size of the transposition table in MiB.
    Hash(usize),
    Threads(usize),
    /// The net to evaluate with; none is the default evaluation.
    Network(Option<Arc<Network>>),
    /// Everything learnt is forgotten.
    Clear,
    /// The number of the search with this index.
    #[cfg(feature = "tune")]
    Parameter(usize, i32),
}

/// What setting an option led to.
#[derive(Debug, PartialEq)]
pub(super) enum Effect<'a> {
    /// It is set.
    Done,
    /// The engine must change.
    Engine(Change),
    /// The net of this name or in this file is to be used.
    EvalFile(&'a str),
}

/// Why an option was not set.
#[derive(Debug, PartialEq)]
pub(super) enum Refusal<'a> {
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

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unknown(name) => write!(f, "there is no option {}", Quoted(name)),
            Refusal::Spin { name, value, range } => {
                let (min, max) = (range.start(), range.end());
                write!(f, "{name}: a number from {min} to {max} is expected, not {}", Quoted(value))
            }
            Refusal::Check { name, value } => {
                write!(f, "{name}: true or false is expected, not {}", Quoted(value))
            }
        }
    }
}

struct Entry {
    name: &'static str,
    kind: Kind,
}

enum Kind {
    Check { default: bool, set: fn(&mut Settings, bool) },
    Spin { default: i64, range: RangeInclusive<i64>, set: Spin },
    Button(Change),
    Text { default: &'static str, set: fn(&str) -> Effect<'_> },
}

/// Where a number goes. It is in the option's range and thus not negative where a size is expected.
enum Spin {
    Setting(fn(&mut Settings, i64)),
    Engine(fn(usize) -> Change),
    /// Into the search, as the number with this index.
    #[cfg(feature = "tune")]
    Parameter(usize),
}

const fn check(name: &'static str, default: bool, set: fn(&mut Settings, bool)) -> Entry {
    Entry { name, kind: Kind::Check { default, set } }
}

const fn spin(name: &'static str, default: i64, range: RangeInclusive<i64>, set: Spin) -> Entry {
    Entry { name, kind: Kind::Spin { default, range, set } }
}

const fn text(name: &'static str, set: fn(&str) -> Effect<'_>) -> Entry {
    Entry { name, kind: Kind::Text { default: EMPTY, set } }
}

const MIN_ELO: i64 = *Engine::ELO.start() as i64;
const MAX_ELO: i64 = *Engine::ELO.end() as i64;

/// In the order in which they are announced. What does nothing here is what programs set on their own account
/// and expect to be accepted.
static TABLE: [Entry; 13] = [
    spin("Hash", DEFAULT_HASH as i64, 1..=MAX_HASH, Spin::Engine(Change::Hash)),
    spin("Threads", 1, 1..=Engine::MAX_THREADS as i64, Spin::Engine(Change::Threads)),
    Entry { name: "Clear Hash", kind: Kind::Button(Change::Clear) },
    spin("MultiPV", 1, 1..=256, Spin::Setting(|settings, lines| settings.lines = lines as usize)),
    // Pondering is begun by `go ponder`; this only tells that it will come.
    check("Ponder", false, |_, _| {}),
    spin(
        "Move Overhead",
        10,
        0..=5000,
        Spin::Setting(|settings, milliseconds| {
            settings.move_overhead = Duration::from_millis(milliseconds.unsigned_abs());
        }),
    ),
    check("UCI_Chess960", false, |settings, on| settings.chess960 = on),
    check("UCI_ShowWDL", false, |settings, on| settings.show_wdl = on),
    check("UCI_LimitStrength", false, |settings, on| settings.limit_strength = on),
    spin("UCI_Elo", MAX_ELO, MIN_ELO..=MAX_ELO, Spin::Setting(|settings, elo| settings.elo = elo as u32)),
    check("UCI_AnalyseMode", false, |_, _| {}),
    text("UCI_Opponent", |_| Effect::Done),
    Entry { name: "EvalFile", kind: Kind::Text { default: networks::EMBEDDED, set: eval_file } },
];

/// The search parameters, where they can be changed.
#[cfg(not(feature = "tune"))]
static PARAMETERS: [Entry; 0] = [];
#[cfg(feature = "tune")]
static PARAMETERS: std::sync::LazyLock<Vec<Entry>> = std::sync::LazyLock::new(|| {
    let all = ferz_search::Parameter::all().iter().enumerate();
    all.map(|(index, it)| {
        let range = i64::from(*it.range.start())..=i64::from(*it.range.end());
        spin(it.name, it.value.into(), range, Spin::Parameter(index))
    })
    .collect()
});

fn entries() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().chain(PARAMETERS.iter())
}

/// Whether a text stands for none.
fn is_nothing(value: &str) -> bool {
    value.is_empty() || value == EMPTY
}

fn eval_file(name: &str) -> Effect<'_> {
    Effect::EvalFile(if is_nothing(name) { networks::EMBEDDED } else { name })
}

/// The lines that announce the options.
pub(super) fn announcement() -> impl Iterator<Item = String> {
    entries().map(|Entry { name, kind }| match kind {
        Kind::Check { default, .. } => format!("option name {name} type check default {default}"),
        Kind::Spin { default, range, .. } => {
            format!(
                "option name {name} type spin default {default} min {} max {}",
                range.start(),
                range.end()
            )
        }
        Kind::Button(_) => format!("option name {name} type button"),
        Kind::Text { default, .. } => format!("option name {name} type string default {default}"),
    })
}

impl Settings {
    /// Sets an option. Its name may be written in small and capital letters and with any blanks.
    pub(super) fn set<'a>(&mut self, option: &SetOption<'a>) -> Result<Effect<'a>, Refusal<'a>> {
        let entry = entries().find(|entry| is_same_name(entry.name, option.name));
        let Entry { name, kind } = entry.ok_or(Refusal::Unknown(option.name))?;
        let value = option.value.unwrap_or_default();
        match kind {
            Kind::Check { set, .. } => {
                let on = match value {
                    _ if value.eq_ignore_ascii_case("true") => true,
                    _ if value.eq_ignore_ascii_case("false") => false,
                    _ => return Err(Refusal::Check { name, value }),
                };
                set(self, on);
                Ok(Effect::Done)
            }
            Kind::Spin { range, set, .. } => {
                let number = value.parse().ok().filter(|number| range.contains(number));
                let number = number.ok_or_else(|| Refusal::Spin { name, value, range: range.clone() })?;
                match set {
                    Spin::Setting(set) => {
                        set(self, number);
                        Ok(Effect::Done)
                    }
                    Spin::Engine(change) => Ok(Effect::Engine(change(number as usize))),
                    #[cfg(feature = "tune")]
                    Spin::Parameter(index) => Ok(Effect::Engine(Change::Parameter(*index, number as i32))),
                }
            }
            Kind::Button(change) => Ok(Effect::Engine(change.clone())),
            Kind::Text { set, .. } => Ok(set(value)),
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

    fn set<'a>(settings: &mut Settings, name: &'a str, value: &'a str) -> Result<Effect<'a>, Refusal<'a>> {
        settings.set(&SetOption { name, value: Some(value) })
    }

    #[test]
    fn the_defaults_are_those_announced() {
        let settings = Settings::default();
        let options = settings.search_options();
        assert_eq!((options.lines, options.move_overhead.as_millis(), options.elo), (1, 10, None));
        assert!(!settings.chess960 && !settings.show_wdl);
        for entry in &TABLE {
            if let Kind::Spin { default, range, .. } = &entry.kind {
                assert!(range.contains(default) && *range.start() >= 0, "{}", entry.name);
            }
        }
    }

    #[test]
    fn names_are_read_with_tolerance_and_values_are_not() {
        let mut settings = Settings::default();
        assert_eq!(set(&mut settings, "hash", "64"), Ok(Effect::Engine(Change::Hash(64))));
        assert_eq!(set(&mut settings, "clear   HASH", "x"), Ok(Effect::Engine(Change::Clear)));
        assert_eq!(set(&mut settings, "move overhead", "50"), Ok(Effect::Done));
        assert_eq!(settings.search_options().move_overhead.as_millis(), 50);
        for value in ["", "0", "-1", "abc", "1.5", "999999999999", "99999999999999999999999"] {
            let refusal = set(&mut settings, "Hash", value).expect_err(value);
            assert!(refusal.to_string().starts_with("Hash: a number from 1 to 33554432"), "{refusal}");
        }
        assert_eq!(set(&mut settings, "No such", "1"), Err(Refusal::Unknown("No such")));
    }

    #[test]
    fn switches_go_both_ways() {
        let mut settings = Settings::default();
        for (value, expected) in [("true", true), ("false", false), ("True", true)] {
            assert_eq!(set(&mut settings, "UCI_Chess960", value), Ok(Effect::Done));
            assert_eq!(settings.chess960, expected);
        }
        assert!(set(&mut settings, "UCI_Chess960", "1").is_err());
        assert!(settings.chess960);
    }

    #[test]
    fn strength_is_limited_only_if_asked_for() {
        let mut settings = Settings::default();
        let lowest = Engine::ELO.start().to_string();
        assert_eq!(set(&mut settings, "UCI_Elo", &lowest), Ok(Effect::Done));
        assert_eq!(settings.search_options().elo, None);
        assert_eq!(set(&mut settings, "UCI_LimitStrength", "true"), Ok(Effect::Done));
        assert_eq!(settings.search_options().elo, Some(*Engine::ELO.start()));
    }

    #[cfg(feature = "tune")]
    #[test]
    fn search_parameters_are_options() {
        let mut settings = Settings::default();
        assert_eq!(announcement().count(), TABLE.len() + ferz_search::Parameter::all().len());
        assert!(
            announcement()
                .any(|line| line == "option name aspiration_delta type spin default 12 min 4 max 40")
        );
        let index =
            ferz_search::Parameter::all().iter().position(|it| it.name == "history_bonus_offset").unwrap();
        let expected = Effect::Engine(Change::Parameter(index, -7));
        assert_eq!(set(&mut settings, "history_bonus_offset", "-7"), Ok(expected));
        assert!(set(&mut settings, "history_bonus_offset", "-101").is_err());
    }

    #[test]
    fn a_net_is_a_file_or_the_default() {
        let mut settings = Settings::default();
        assert_eq!(set(&mut settings, "evalfile", "/a b/c.net"), Ok(Effect::EvalFile("/a b/c.net")));
        for nothing in ["<empty>", ""] {
            assert_eq!(set(&mut settings, "EvalFile", nothing), Ok(Effect::EvalFile("embedded")));
        }
    }
}
