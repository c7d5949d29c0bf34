//! Short runs, and engines that do wrong.

use std::path::Path;

use super::plan::{Plan, Players, Stage};
use super::referee::End;
use super::worker::{PATIENCE, Worker};

/// A worker thread has a deep stack, the thread of a test has not.
fn with_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(super::STACK_SIZE);
        let thread = builder.spawn_scoped(scope, work).expect("there are threads");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
fn games_in_this_process() {
    with_stack(|| {
        let mut worker = Worker::new(Path::new("none"), PATIENCE).expect("there is memory");
        let plans = (0..).map(|number| Plan::new(7, Stage::Nodes, number).expect("a plan"));
        let mut ends = Vec::new();
        for mut plan in plans.filter(|plan| plan.players == Players::Library).take(25) {
            plan.control = super::plan::Control::Nodes(250);
            let played = worker.play(&plan).expect("there is memory");
            let end = played.end.unwrap_or_else(|event| panic!("{event:?} {}", played.record));
            assert!(played.judged.lines >= played.margins.len(), "every move has a line");
            ends.push(end);
        }
        assert!(ends.contains(&End::Mate), "{ends:?}");
    });
}
