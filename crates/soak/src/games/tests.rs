//! Short runs, and engines that do wrong.

use std::path::Path;

use super::plan::{Control, Plan, Players, Stage};
use super::referee::End;
use super::verdict::Fault;
use super::worker::{PATIENCE, Played, Worker};

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
            plan.control = Control::Nodes(250);
            let played = worker.play(&plan).expect("there is memory");
            let end = played.end.unwrap_or_else(|event| panic!("{event:?} {}", played.record));
            assert!(played.judged.lines >= played.margins.len(), "every move has a line");
            ends.push(end);
        }
        assert!(ends.contains(&End::Mate), "{ends:?}");
    });
}

/// Plays games by nodes and by the clock with the program in `FERZ`.
#[test]
#[ignore = "needs a program: make test-soak"]
fn games_over_uci() {
    let program = std::env::var_os("FERZ").expect("FERZ is the path of the engine");
    with_stack(move || {
        let mut worker = Worker::new(Path::new(&program), PATIENCE).expect("there is memory");
        for stage in [Stage::Nodes, Stage::Fast] {
            let plans = (0..).map(|number| Plan::new(7, stage, number).expect("a plan"));
            for plan in plans.filter(|plan| plan.players != Players::Library).take(10) {
                let Played { end, record, .. } = worker.play(&plan).expect("there is memory");
                // The machine may be busy with other tests: that nobody loses on time is for long runs to show.
                let is_late = |fault| matches!(fault, Fault::TimeLoss | Fault::Starved);
                assert!(end.as_ref().map_or_else(|event| is_late(event.fault), |_| true), "{end:?} {record}");
            }
        }
    });
}

/// Engines that do wrong, as scripts.
#[cfg(unix)]
mod wrong {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    use super::super::referee::Record;
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const NODES: Control = Control::Nodes(1000);
    const LINE: &str = "info depth 1 multipv 1 score cp 0 nodes 1 pv e2e4 e7e5";

    /// One script at a time: a process that starts while another is still being written keeps it from running.
    static ALONE: Mutex<()> = Mutex::new(());

    /// What comes of a game with an engine that answers some lines like this: cases of a shell script.
    fn game(name: &str, cases: &str, players: Players, control: Control) -> Played {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let script = format!(
            "#!/bin/sh\nwhile read -r line; do case \"$line\" in\nuci) echo uciok;;\nisready) echo readyok;;\n\
             {cases}\nquit) exit;;\nesac; done\n"
        );
        let path = std::env::temp_dir().join(format!("ferz-soak-{}-{name}", std::process::id()));
        fs::write(&path, script).expect("there is room");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is ours");
        let mut plan = Plan::new(1, Stage::Clock, 0).expect("a plan");
        plan.record = Record::new(START.to_owned(), false).expect("legal");
        (plan.control, plan.players, plan.lines) = (control, players, 1);
        plan.ponder = players == Players::TwoProcesses;
        let mut worker = Worker::new(&path, Duration::from_secs(2)).expect("there is memory");
        let played = worker.play(&plan).expect("there is memory");
        fs::remove_file(&path).expect("it is ours");
        played
    }

    #[track_caller]
    fn assert_fault(played: &Played, fault: Fault) {
        assert_eq!(played.end.as_ref().expect_err("it did wrong").fault, fault, "{:?}", played.end);
    }

    #[track_caller]
    fn assert_fault_of(name: &str, cases: &str, fault: Fault) {
        assert_fault(&game(name, cases, Players::OneProcess, NODES), fault);
    }

    #[test]
    fn a_crash_is_seen() {
        assert_fault_of("exit", "go*) exit 3;;", Fault::Crash);
        let breakdown = format!("go*) echo info string error: broken; echo '{LINE}'; echo bestmove e2e4;;");
        assert_fault_of("breakdown", &breakdown, Fault::Crash);
    }

    #[test]
    fn a_stall_is_seen() {
        assert_fault_of("silent", "go*) ;;", Fault::Stall);
    }

    /// White moves, but can neither be stopped nor hit while it thinks ahead.
    #[test]
    fn a_stall_in_the_time_of_the_other_is_seen() {
        for reply in ["e7e5", "d7d5"] {
            let cases = format!(
                "position*e2e4*) black=1;;\ngo*ponder*) ;;\ngo*) if [ \"$black\" ]; then \
                 echo info depth 1 multipv 1 score cp 0 nodes 1 pv {reply}; echo bestmove {reply}; else \
                 echo '{LINE}'; echo bestmove e2e4 ponder e7e5; fi;;"
            );
            let played = game(&format!("deaf-{reply}"), &cases, Players::TwoProcesses, NODES);
            assert_eq!(played.record.moves, ["e2e4", reply]);
            assert_fault(&played, Fault::Stall);
        }
    }

    #[test]
    fn a_wrong_answer_is_seen() {
        for (name, best, fault) in [
            ("square", "a1a1", Fault::IllegalMove),
            ("none", "(none)", Fault::IllegalMove),
            ("other", "d2d4", Fault::BadLine),
        ] {
            assert_fault_of(name, &format!("go*) echo '{LINE}'; echo 'bestmove {best}';;"), fault);
        }
        assert_fault_of("nonsense", "go*) echo hello; echo bestmove e2e4;;", Fault::BadLine);
    }

    #[test]
    fn a_loss_on_time_is_seen() {
        let (base, increment) = (Duration::from_millis(100), Duration::ZERO);
        let clock = Control::Clock { base, increment, moves: Some(40) };
        let slow = format!("go*movestogo*40) echo '{LINE}'; sleep 1; echo bestmove e2e4 ponder e7e5;;");
        let played = game("slow", &slow, Players::OneProcess, clock);
        let fault = played.end.expect_err("it was late").fault;
        // The threads of other tests wait for processors too, and are counted.
        assert!(matches!(fault, Fault::TimeLoss | Fault::Starved), "{fault:?}");
    }
}
