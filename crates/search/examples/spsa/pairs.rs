//! Plays pairs of games on several threads.
//!
//! Pairs finish in any order. Their results are used in the order of their numbers, and a pair starts only after the
//! result of the pair `--ahead` before it was used. So the outcome does not depend on which thread was faster.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ferz_eval::Network;
use ferz_search::{SEARCH_STACK_SIZE, SearchParameters};

use crate::game::{Players, Points};
use crate::options::Options;

/// The players of each pair, and the use of its result.
pub trait Plan {
    /// The two players of the pair with this number.
    fn sides(&mut self, number: u64) -> [SearchParameters; 2];

    /// Takes the result of a pair for its first player, in the order of the numbers.
    fn note(&mut self, number: u64, points: [Points; 2], pace: &Pace) -> Result<(), String>;
}

/// The speed of a run.
#[derive(Debug)]
pub struct Pace {
    began: Instant,
    played: u64,
    total: u64,
}

impl Pace {
    /// The start of a run of `total` pairs.
    pub fn start(total: u64) -> Pace {
        Pace { began: Instant::now(), played: 0, total }
    }

    pub fn games_per_second(&self) -> f64 {
        2.0 * self.played as f64 / self.began.elapsed().as_secs_f64().max(1e-3)
    }

    /// The time until all pairs are played.
    pub fn time_left(&self) -> String {
        let share = (self.total - self.played) as f64 / self.played.max(1) as f64;
        let left = Duration::try_from_secs_f64(self.began.elapsed().as_secs_f64() * share);
        let seconds = left.unwrap_or(Duration::MAX).as_secs();
        format!("{}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

struct PairJob {
    number: u64,
    sides: [SearchParameters; 2],
}

/// A pair that was played; without points if the search panicked.
struct Played {
    number: u64,
    points: Option<[Points; 2]>,
}

/// Delivers a pair when dropped, also by a panic.
struct Delivery<'a> {
    sender: &'a Sender<Played>,
    played: Played,
}

impl Drop for Delivery<'_> {
    fn drop(&mut self) {
        let Played { number, points } = self.played;
        // Without a receiver the run is over.
        let _ = self.sender.send(Played { number, points });
    }
}

/// Plays the pairs with these numbers.
pub fn play(
    options: &Options,
    network: Option<&Arc<Network>>,
    numbers: Range<u64>,
    plan: &mut dyn Plan,
) -> Result<(), String> {
    let (jobs, waiting) = mpsc::channel();
    let waiting = Mutex::new(waiting);
    let (sender, played) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..options.threads {
            let mut players = Players::new(options, network).map_err(|error| error.to_string())?;
            let (sender, waiting) = (sender.clone(), &waiting);
            let work = move || {
                while let Some(PairJob { number, sides }) = next(waiting) {
                    let mut delivery = Delivery { sender: &sender, played: Played { number, points: None } };
                    delivery.played.points = Some(players.play_pair(number, &sides));
                }
            };
            let builder = thread::Builder::new().stack_size(SEARCH_STACK_SIZE);
            builder.spawn_scoped(scope, work).map_err(|error| format!("no thread to play on: {error}"))?;
        }
        // Only players hold senders.
        drop(sender);
        let done = conduct(options.ahead, numbers, plan, &jobs, &played);
        // Players end when there are no more jobs.
        drop(jobs);
        done
    })
}

fn next(waiting: &Mutex<Receiver<PairJob>>) -> Option<PairJob> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn conduct(
    ahead: u64,
    numbers: Range<u64>,
    plan: &mut dyn Plan,
    jobs: &Sender<PairJob>,
    played: &Receiver<Played>,
) -> Result<(), String> {
    let mut pace = Pace::start(numbers.end.saturating_sub(numbers.start));
    let prepare = |number: u64, plan: &mut dyn Plan| {
        if number < numbers.end {
            // Players that have ended are noticed below.
            let _ = jobs.send(PairJob { number, sides: plan.sides(number) });
        }
    };
    (0..ahead).for_each(|index| prepare(numbers.start.saturating_add(index), plan));
    let mut out_of_turn = BTreeMap::new();
    for number in numbers.clone() {
        let points = loop {
            if let Some(points) = out_of_turn.remove(&number) {
                break points;
            }
            match played.recv() {
                Ok(Played { number, points: Some(points) }) => out_of_turn.insert(number, points),
                Ok(Played { number, points: None }) => {
                    return Err(format!("the search panicked in pair {number}"));
                }
                Err(_) => return Err("all players have ended".to_owned()),
            };
        };
        pace.played += 1;
        plan.note(number, points, &pace)?;
        prepare(number.saturating_add(ahead), plan);
    }
    Ok(())
}
