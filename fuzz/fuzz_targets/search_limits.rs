//! Property: whatever the limits, a search ends in time with a legal move, and nothing panics.
//!
//! The clock is the fuzzer's: it advances by a fixed step with every look. A referee counts the polls of the search.

#![no_main]

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ferz_board::{Game, Move, Position};
use ferz_fuzz::Bytes;
use ferz_search::{Conclusion, Engine, Host, Limits, Line, Report, SearchOptions, Signals, TimeControl};
use libfuzzer_sys::fuzz_target;

/// The search polls once in this number of nodes.
const POLL_INTERVAL: u64 = 512;
/// The least time for a move: some move must be found.
const LEAST: Duration = Duration::from_millis(1);

fn duration(bytes: &mut Bytes<'_>) -> Duration {
    match bytes.byte() {
        0 => Duration::ZERO,
        1 => Duration::MAX,
        2 => Duration::MAX - Duration::from_nanos(1),
        3 => Duration::from_nanos(1),
        4 => Duration::from_secs(u64::MAX),
        5 => Duration::from_nanos(u64::MAX),
        6 => Duration::from_secs(3600),
        ms => Duration::from_millis(ms.into()),
    }
}

fn number(bytes: &mut Bytes<'_>) -> u64 {
    match bytes.byte() {
        250 => u64::MAX,
        251 => u64::MAX - 1,
        252 => i64::MAX as u64,
        253 => u32::MAX.into(),
        254 => i32::MAX as u64,
        255 => u16::MAX.into(),
        number => u64::from(number) * u64::from(number),
    }
}

fn limits(bytes: &mut Bytes<'_>) -> Limits {
    let flags = bytes.number();
    let is_given = |bit: u32| flags >> bit & 1 != 0;
    let mut limits = Limits::new();
    limits.depth = is_given(0).then(|| number(bytes) as u32);
    limits.nodes = is_given(1).then(|| number(bytes));
    limits.soft_nodes = is_given(2).then(|| number(bytes));
    limits.mate = is_given(3).then(|| number(bytes) as u32);
    limits.move_time = is_given(4).then(|| duration(bytes));
    limits.time_control = is_given(5).then(|| {
        let mut clock = TimeControl::new(duration(bytes)).increment(duration(bytes));
        clock.moves_to_go = is_given(6).then(|| number(bytes) as u32);
        clock
    });
    limits.infinite = is_given(7);
    limits.ponder = is_given(8);
    limits.started = is_given(9).then(|| duration(bytes));
    if is_given(10) {
        // Mostly illegal moves, and duplicates.
        let count = usize::from(bytes.byte() % 16);
        limits.search_moves = (0..count).filter_map(|_| Move::from_bits(bytes.number())).collect();
    }
    limits
}

fn options(bytes: &mut Bytes<'_>) -> SearchOptions {
    let flags = bytes.byte();
    let mut options = SearchOptions::new();
    if flags & 1 != 0 {
        options.lines = number(bytes) as usize;
    }
    if flags & 2 != 0 {
        options.move_overhead = duration(bytes);
    }
    options.elo = (flags & 4 != 0).then(|| number(bytes) as u32);
    options.seed = (flags & 8 != 0).then(|| number(bytes));
    options
}

/// Watches a search: ends it after some polls, and counts those that come too late.
#[derive(Debug)]
struct Referee {
    signals: Signals,
    /// Looks at the clock so far.
    looks: AtomicU32,
    begin: Duration,
    step: Duration,
    /// When the clock of the search started.
    started: Duration,
    /// The longest that the search may take.
    time: Option<Duration>,
    patience: u64,
    polls: AtomicU64,
    late_polls: AtomicU64,
    is_hit: AtomicBool,
}

impl Referee {
    fn new(bytes: &mut Bytes<'_>, limits: &Limits) -> Referee {
        let (begin, step) = (duration(bytes), Duration::from_micros(bytes.number().into()));
        let clock = limits.time_control.map(|clock| clock.remaining);
        // Without the increment: it comes after the move.
        let time = limits.move_time.into_iter().chain(clock).min();
        Referee {
            signals: Signals::new(),
            looks: AtomicU32::new(0),
            begin,
            step,
            started: limits.started.unwrap_or(begin).min(begin),
            time: time.map(|time| time.max(LEAST)).filter(|_| !limits.infinite),
            patience: u64::from(bytes.byte() % 4),
            polls: AtomicU64::new(0),
            late_polls: AtomicU64::new(0),
            is_hit: AtomicBool::new(!limits.ponder),
        }
    }

    fn now(&self) -> Duration {
        self.begin.saturating_add(self.step.saturating_mul(self.looks.load(Relaxed)))
    }

    fn look(&self) -> Duration {
        self.looks.fetch_add(1, Relaxed);
        self.now()
    }

    fn poll(&self) {
        let elapsed = self.now().saturating_sub(self.started);
        if self.is_hit.load(Relaxed) && self.time.is_some_and(|time| elapsed >= time) {
            self.late_polls.fetch_add(1, Relaxed);
        }
        if self.polls.fetch_add(1, Relaxed) >= self.patience {
            if self.is_hit.swap(true, Relaxed) {
                self.signals.stop();
            } else {
                self.signals.ponder_hit();
            }
        }
    }
}

fn check(position: &Position, limits: &Limits, options: &SearchOptions, found: &Conclusion) {
    let legal = position.legal_moves();
    let is_legal = |mv: &Move| legal.iter().any(|it| it == mv);
    assert_eq!(found.best.is_none(), legal.is_empty(), "{position} {found:?}");
    let Some(best) = found.best else { return };
    assert!(is_legal(&best), "{position} {best:?}");
    let has_wanted = limits.search_moves.iter().any(is_legal);
    assert!(!has_wanted || limits.search_moves.contains(&best), "{position} {best:?}");
    assert!(found.lines.len() <= options.lines.max(1).min(legal.len()), "{position} {found:?}");
    for (index, line) in found.lines.iter().enumerate() {
        assert_eq!(line.rank, index + 1, "{position} {line:?}");
        check_line(position, limits, line);
    }
}

fn check_line(position: &Position, limits: &Limits, line: &Line) {
    let most = limits.depth.unwrap_or(u32::MAX).max(1);
    assert!((1..=most).contains(&line.depth), "{position} {line:?}");
    assert!(!line.moves.is_empty() && line.hashfull <= 1000, "{position} {line:?}");
    let mut position = *position;
    line.moves.iter().for_each(|&mv| position.play(mv).expect("a legal line"));
}

/// Sizes that are corrected or refused; what was there stays.
fn set_hash(engine: &mut Engine, byte: u8) {
    let before = engine.hash();
    if byte & 1 == 0 {
        engine.set_hash(usize::from(byte) % 3).expect("memory for 2 MiB");
    } else {
        engine.set_hash(usize::MAX >> (byte % 8)).expect_err("more than the address space");
        assert_eq!(engine.hash(), before);
    }
}

/// One engine for all runs: making one takes longer than a run.
static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let (limits, options) = (limits(&mut bytes), options(&mut bytes));
    let referee = Arc::new(Referee::new(&mut bytes, &limits));
    let hash = bytes.byte();
    let Some(position) = bytes.position() else { return };

    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engine.get_or_insert_with(|| Engine::new(1).expect("memory for 1 MiB"));
    if hash >= 240 {
        set_hash(engine, hash);
    }
    engine.clear();
    let (clock, hook) = (Arc::clone(&referee), Arc::clone(&referee));
    engine.set_host(Host::default().now(move || clock.look()).poll(move || hook.poll()));
    let found = engine.search(&Game::new(position), &limits, &options, &referee.signals, &mut |report| {
        if let Report::Line(line) = report {
            check_line(&position, &limits, line);
        }
    });

    check(&position, &limits, &options, &found);
    let polls = referee.polls.load(Relaxed);
    assert!(polls <= referee.patience + 3, "{position}: {polls} polls, {referee:?}");
    assert!(found.nodes <= POLL_INTERVAL * (polls + 1), "{position}: {} nodes, {polls} polls", found.nodes);
    let late = referee.late_polls.load(Relaxed);
    assert!(late <= 2, "{position}: {late} polls after the deadline, {referee:?}");
    if !limits.infinite && !limits.ponder {
        assert!(found.nodes <= limits.nodes.unwrap_or(u64::MAX).max(1), "{position}: {} nodes", found.nodes);
    }
});
