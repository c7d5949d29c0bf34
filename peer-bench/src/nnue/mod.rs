//! HalfKP evaluation against nnue-probe. `NNUE_PROBE` is its path as a shared library, `NNUE_NET` that of a net.
//!
//! Measured is the time from a position to its value. Ferz takes a `Position`; nnue-probe needs lists of pieces and
//! squares, which are built for it as in programs that use it. The changes of a move are prepared for both, positions
//! are prefetched, and every value is compared while the clock runs.

mod probe;
mod trace;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use ferz_board::Position;
use ferz_eval::{Evaluator, Network};

use crate::fen::FENS;
use crate::{Contender, Task};
use probe::{DirtyPiece, Pieces, Probe, ProbeLine};
use trace::{Change, Follower, Trace};

/// Moves of each trace: enough that the branch predictor cannot learn them.
const MOVES: usize = 20_000;
/// One in this number of positions of a trace is evaluated from scratch.
const SAMPLE: usize = 7;

pub fn tasks() -> Vec<Task> {
    let (Some(library), Some(net)) = (std::env::var_os("NNUE_PROBE"), std::env::var_os("NNUE_NET")) else {
        println!("NNUE_PROBE and NNUE_NET are not set: no NNUE tasks");
        return Vec::new();
    };
    load(&library, &net).unwrap_or_else(|error| {
        println!("{error}: no NNUE tasks");
        Vec::new()
    })
}

fn load(library: &OsStr, net: &OsStr) -> Result<Vec<Task>, String> {
    fn at<E: Display>(file: &OsStr) -> impl Fn(E) -> String {
        move |error| format!("{}: {error}", file.to_string_lossy())
    }
    let bytes = std::fs::read(net).map_err(at(net))?;
    let network = Arc::new(Network::from_bytes(&bytes).map_err(at(net))?);
    let probe = Rc::new(Probe::load(Path::new(library), Path::new(net)).map_err(at(library))?);
    let traces = FENS.map(|fen| Trace::new(&Position::from_fen(fen).expect("legal"), MOVES));
    let traces = Rc::new(traces.into_iter().collect());
    Ok(vec![from_scratch(&network, &probe, &traces), along_traces(&network, &probe, &traces)])
}

type Traces = Rc<Vec<Trace>>;

/// Evaluation from scratch.
fn from_scratch(network: &Arc<Network>, probe: &Rc<Probe>, traces: &Traces) -> Task {
    let ours = {
        let evaluate = {
            let network = Arc::clone(network);
            move |position: &Position| network.evaluate(position)
        };
        contender_from_scratch("ferz", network, traces, evaluate)
    };
    let theirs = {
        let probe = Rc::clone(probe);
        let evaluate = move |position: &Position| probe.evaluate(&Pieces::new(position));
        contender_from_scratch("nnue-probe", network, traces, evaluate)
    };
    Task { name: "halfkp-full", unit: "evaluations", inputs: traces.len(), contenders: vec![ours, theirs] }
}

fn contender_from_scratch(
    name: &'static str,
    network: &Network,
    traces: &Traces,
    evaluate: impl Fn(&Position) -> i32 + 'static,
) -> Contender {
    let sample = |trace: &Trace| -> Vec<(Position, i32)> {
        let positions = trace.nodes.iter().step_by(SAMPLE).map(|node| &node.position);
        positions.map(|position| (*position, network.evaluate(position))).collect()
    };
    let samples: Vec<Vec<(Position, i32)>> = traces.iter().map(sample).collect();
    let work = move |input: usize| {
        let samples = &samples[input];
        for (i, (position, expected)) in samples.iter().enumerate() {
            trace::prefetch(samples, i);
            let value = evaluate(position);
            assert!(value == *expected, "{name}: {value} instead of {expected} for {position}");
        }
        samples.len() as u64
    };
    Contender { name, work: Box::new(work) }
}

/// Searches replayed: moves are made and unmade, and positions are evaluated incrementally.
fn along_traces(network: &Arc<Network>, probe: &Rc<Probe>, traces: &Traces) -> Task {
    let ours = {
        let evaluator = Evaluator::with_network(&Position::start(), Some(Arc::clone(network)));
        contender_along_traces("ferz", traces, evaluator, |node| OurPly {
            position: node.position,
            changes: node.changes,
            value: network.centipawns(network.evaluate(&node.position)),
        })
    };
    let theirs = {
        let follower = ProbeFollower { probe: Rc::clone(probe), line: ProbeLine::new() };
        contender_along_traces("nnue-probe", traces, follower, |node| TheirPly {
            position: node.position,
            dirty: DirtyPiece::new(node),
            value: network.evaluate(&node.position),
        })
    };
    Task {
        name: "halfkp-incremental",
        unit: "evaluations",
        inputs: traces.len(),
        contenders: vec![ours, theirs],
    }
}

fn contender_along_traces<F: Follower + 'static>(
    name: &'static str,
    traces: &Traces,
    follower: F,
    prepare: impl Fn(&trace::Node) -> F::Ply,
) -> Contender {
    let plies: Vec<Vec<F::Ply>> =
        traces.iter().map(|trace| trace.nodes.iter().map(&prepare).collect()).collect();
    let (traces, follower) = (Rc::clone(traces), RefCell::new(follower));
    let work = move |input: usize| traces[input].replay(&mut *follower.borrow_mut(), &plies[input]);
    Contender { name, work: Box::new(work) }
}

pub struct OurPly {
    position: Position,
    changes: [Option<Change>; 4],
    value: i32,
}

impl Follower for Evaluator {
    type Ply = OurPly;

    fn start(&mut self, ply: &OurPly) {
        self.reset(&ply.position);
    }

    fn make(&mut self, ply: &OurPly) {
        let step = self.push();
        ply.changes.iter().flatten().for_each(|change| change.send(step));
    }

    fn unmake(&mut self) {
        self.pop();
    }

    fn evaluate(&mut self, ply: &OurPly) {
        let (value, expected) = (Evaluator::evaluate(self, &ply.position), ply.value);
        assert!(value == expected, "ferz: {value} instead of {expected} for {}", ply.position);
    }
}

pub struct TheirPly {
    position: Position,
    dirty: DirtyPiece,
    value: i32,
}

struct ProbeFollower {
    probe: Rc<Probe>,
    line: ProbeLine,
}

impl Follower for ProbeFollower {
    type Ply = TheirPly;

    fn start(&mut self, _: &TheirPly) {
        self.line.reset();
    }

    fn make(&mut self, ply: &TheirPly) {
        self.line.push(&ply.dirty);
    }

    fn unmake(&mut self) {
        self.line.pop();
    }

    fn evaluate(&mut self, ply: &TheirPly) {
        let pieces = Pieces::new(&ply.position);
        let (value, expected) = (self.probe.evaluate_incremental(&pieces, &mut self.line), ply.value);
        assert!(value == expected, "nnue-probe: {value} instead of {expected} for {}", ply.position);
    }
}
