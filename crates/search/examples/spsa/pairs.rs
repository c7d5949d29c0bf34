//! Plays pairs of games on several threads.
//!
//! Pairs finish in any order and are told of in that of their numbers, and a pair is prepared when the one
//! `--ahead` before it has been told of: what comes out does not depend on which thread was faster.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ferz_eval::Network;
use ferz_search::Parameters;

use crate::game::{Players, Points};
use crate::options::Options;

/// Deep lines need deep stacks.
const STACK_SIZE: usize = 32 << 20;

/// Who plays, and what is made of it.
pub trait Plan {
    /// The two players of the pair with this number.
    fn sides(&mut self, number: u64) -> [Parameters; 2];

    /// How it ended, for the first of them. Comes in the order of the numbers.
    fn note(&mut self, number: u64, points: [Points; 2], pace: &Pace) -> Result<(), String>;
}

/// How fast it goes.
#[derive(Debug)]
pub struct Pace {
    began: Instant,
    played: u64,
    total: u64,
}

impl Pace {
    /// Of so many pairs, none of them played yet.
    pub fn start(total: u64) -> Pace {
        Pace { began: Instant::now(), played: 0, total }
    }

    pub fn games_per_second(&self) -> f64 {
        2.0 * self.played as f64 / self.began.elapsed().as_secs_f64().max(1e-3)
    }

    /// Until everything is played.
    pub fn time_left(&self) -> String {
        let share = (self.total - self.played) as f64 / self.played.max(1) as f64;
        let left = Duration::try_from_secs_f64(self.began.elapsed().as_secs_f64() * share);
        let seconds = left.unwrap_or(Duration::MAX).as_secs();
        format!("{}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

struct Job {
    number: u64,
    sides: [Parameters; 2],
}

/// A pair that was played; no points if something broke down.
struct Played {
    number: u64,
    points: Option<[Points; 2]>,
}

/// Hands over a pair when it is done with, also when the search panics.
struct Delivery<'a> {
    sender: &'a Sender<Played>,
    played: Played,
}

impl Drop for Delivery<'_> {
    fn drop(&mut self) {
        let Played { number, points } = self.played;
        // When nobody listens any more, all is over.
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
                while let Some(Job { number, sides }) = next(waiting) {
                    let mut delivery = Delivery { sender: &sender, played: Played { number, points: None } };
                    delivery.played.points = Some(players.play_pair(number, &sides));
                }
            };
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            builder.spawn_scoped(scope, work).map_err(|error| format!("no thread to play on: {error}"))?;
        }
        // Only players hold on to it.
        drop(sender);
        let done = conduct(options.ahead, numbers, plan, &jobs, &played);
        // Players go home when nobody has jobs for them.
        drop(jobs);
        done
    })
}

fn next(waiting: &Mutex<Receiver<Job>>) -> Option<Job> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn conduct(
    ahead: u64,
    numbers: Range<u64>,
    plan: &mut dyn Plan,
    jobs: &Sender<Job>,
    played: &Receiver<Played>,
) -> Result<(), String> {
    let mut pace = Pace::start(numbers.end.saturating_sub(numbers.start));
    let prepare = |number: u64, plan: &mut dyn Plan| {
        if number < numbers.end {
            // Players that are gone are noticed below.
            let _ = jobs.send(Job { number, sides: plan.sides(number) });
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
                Ok(Played { number, points: None }) => return Err(format!("pair {number} has broken down")),
                Err(_) => return Err("nobody plays any more".to_owned()),
            };
        };
        pace.played += 1;
        plan.note(number, points, &pace)?;
        prepare(number.saturating_add(ahead), plan);
    }
    Ok(())
}
