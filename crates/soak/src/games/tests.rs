//! Plans, clocks, short runs, and engines that break promises.

use std::path::Path;
use std::time::Duration;

use super::plan::{GamePlan, GameStage, TimeControl};
use super::player::{GameClock, PATIENCE, PlayedGame, TimeMargin, UciPlayers, parse_info};
use super::verdict::{EngineMove, PvLine, ScoreBound};
use super::{BAD_LINE, CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS};

fn plan(seed: u64, stage: GameStage, number: usize) -> GamePlan {
    GamePlan::new(seed, stage, number).expect("there is always a plan")
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn a_plan_depends_on_seed_and_number_only() {
    let text = |seed, number| format!("{:?}", plan(seed, GameStage::Clock, number));
    assert_eq!(text(1, 2), text(1, 2));
    assert_ne!(text(1, 2), text(1, 3));
    assert_ne!(text(1, 2), text(2, 2));
}

#[test]
fn plans_are_of_all_sorts() {
    let plans: Vec<_> = (0..300).map(|number| plan(1, GameStage::Nodes, number)).collect();
    let share = |is: fn(&GamePlan) -> bool| plans.iter().filter(|plan| is(plan)).count();
    assert!((70..130).contains(&share(|plan| plan.record.is_chess960)));
    assert!((100..200).contains(&share(|plan| plan.processes == 2)));
    assert!(share(|plan| plan.ponder) > 15);
    assert!(share(|plan| plan.threads == 2) > 15);
    assert!(share(|plan| plan.lines > 1) > 40);
    assert!(share(|plan| !plan.claims) > 0);
}

#[test]
fn a_clock_runs_and_gets_its_increment() {
    let control = TimeControl::Clock { base: ms(100), increment: ms(5), moves: Some(2) };
    let mut clock = GameClock::new(control);
    assert_eq!(clock.limits(0), "wtime 100 btime 100 winc 5 binc 5 movestogo 2");
    assert_eq!(clock.spend(0, ms(30)).expect("in time"), TimeMargin::Left(ms(70)));
    assert_eq!(clock.limits(0), "wtime 75 btime 100 winc 5 binc 5 movestogo 1");
    assert_eq!(clock.limits(1), "wtime 75 btime 100 winc 5 binc 5 movestogo 2");
    assert_eq!(clock.spend(0, ms(75)).expect("in time"), TimeMargin::Left(ms(0)));
    assert_eq!(clock.limits(0), "wtime 105 btime 100 winc 5 binc 5 movestogo 2");
    assert_eq!(clock.spend(1, ms(101)).expect_err("too late").kind, TIME_LOSS);
}

#[test]
fn movetime_has_a_tolerance() {
    let mut clock = GameClock::new(TimeControl::MoveTime(ms(20)));
    assert_eq!(clock.limits(1), "movetime 20");
    assert_eq!(clock.spend(0, ms(25)).expect("in time"), TimeMargin::Overrun(ms(5)));
    assert_eq!(clock.spend(0, ms(121)).expect_err("too late").kind, TIME_LOSS);
}

#[test]
fn output_is_parsed() {
    let text = "info depth 7 seldepth 11 multipv 2 score mate -3 upperbound nodes 5000 nps 20000 hashfull 3 \
                tbhits 0 time 250 pv e2e4 e7e5";
    let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
    let expected = PvLine { rank: 2, mate: Some(-3), bound: ScoreBound::Upper, nodes: 5000, moves };
    assert_eq!(parse_info(text).expect("understood"), Some(expected));
    assert_eq!(parse_info("info string error: internal").expect_err("an error").kind, CRASH);
    for text in ["info string hello", "info depth 9 currmove e2e4 currmovenumber 4"] {
        assert_eq!(parse_info(text).expect("understood"), None);
    }
    for text in ["", "info depth x", "info depth 3 score 12", "thread panicked", "info depth 3 nodes 4"] {
        assert_eq!(parse_info(text).expect_err("nonsense").kind, BAD_LINE, "{text}");
    }
    let read = |text| {
        let EngineMove { best, ponder, .. } = EngineMove::new(text, Vec::new(), Duration::ZERO);
        (best, ponder)
    };
    assert_eq!(read("bestmove e2e4"), (Some("e2e4".to_owned()), None));
    assert_eq!(read("bestmove e2e4 ponder e7e5"), (Some("e2e4".to_owned()), Some("e7e5".to_owned())));
    assert_eq!(read("bestmove (none)"), (None, None));
}

/// Plays games at fixed nodes and by the clock with the program in `FERZ`.
#[test]
#[ignore = "needs a program: make test-soak"]
fn games_over_uci() {
    let program = std::env::var_os("FERZ").expect("FERZ is the path of the engine");
    let mut players = UciPlayers::new(Path::new(&program), PATIENCE);
    for stage in [GameStage::Nodes, GameStage::Fast] {
        for number in 0..10 {
            let PlayedGame { end, record, judged, margins } = players.play(&plan(7, stage, number));
            // The machine may be busy with other tests: losses on time are for long runs to find.
            let is_fine = end.as_ref().map_or_else(|broken| broken.kind == TIME_LOSS, |_| true);
            assert!(is_fine, "{end:?} {record}");
            assert!(judged.lines >= margins.len(), "every move has a line");
        }
    }
}

/// Engines that break promises, as shell scripts.
#[cfg(unix)]
mod broken_engines {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Mutex;

    use super::*;
    use crate::figures::lock;
    use crate::rules::GameRecord;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const NODES: TimeControl = TimeControl::Nodes(1000);
    const LINE: &str = "info depth 1 multipv 1 score cp 0 nodes 1 pv e2e4 e7e5";

    /// One script at a time: a process that starts while another script is being written keeps that from running.
    static ALONE: Mutex<()> = Mutex::new(());

    /// A game of an engine that answers some lines like this: cases of a shell script.
    fn game(name: &str, cases: &str, processes: usize, control: TimeControl) -> PlayedGame {
        let _alone = lock(&ALONE);
        let script = format!(
            "#!/bin/sh\nwhile read -r line; do case \"$line\" in\nuci) echo uciok;;\nisready) echo readyok;;\n\
             {cases}\nquit) exit;;\nesac; done\n"
        );
        let path = std::env::temp_dir().join(format!("ferz-soak-{}-{name}", std::process::id()));
        fs::write(&path, script).expect("there is room");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("the file is ours");
        let mut plan = plan(1, GameStage::Clock, 0);
        plan.record = GameRecord::new(START.to_owned(), false).expect("legal");
        (plan.control, plan.processes, plan.lines, plan.ponder) = (control, processes, 1, processes == 2);
        let played = UciPlayers::new(&path, Duration::from_secs(2)).play(&plan);
        fs::remove_file(&path).expect("the file is ours");
        played
    }

    #[track_caller]
    fn assert_fault(name: &str, cases: &str, kind: &str) {
        let end = game(name, cases, 1, NODES).end;
        assert_eq!(end.expect_err("a promise is broken").kind, kind);
    }

    #[test]
    fn a_crash_is_seen() {
        assert_fault("exit", "go*) exit 3;;", CRASH);
        let error = format!("go*) echo info string error: internal; echo '{LINE}'; echo bestmove e2e4;;");
        assert_fault("error", &error, CRASH);
    }

    #[test]
    fn a_stall_is_seen() {
        assert_fault("silent", "go*) ;;", STALL);
    }

    /// White moves, but reacts neither to `stop` nor to `ponderhit`.
    #[test]
    fn a_stall_while_pondering_is_seen() {
        for reply in ["e7e5", "d7d5"] {
            let cases = format!(
                "position*e2e4*) black=1;;\ngo*ponder*) ;;\ngo*) if [ \"$black\" ]; then \
                 echo info depth 1 multipv 1 score cp 0 nodes 1 pv {reply}; echo bestmove {reply}; else \
                 echo '{LINE}'; echo bestmove e2e4 ponder e7e5; fi;;"
            );
            let played = game(&format!("deaf-{reply}"), &cases, 2, NODES);
            assert_eq!(played.record.moves, ["e2e4", reply]);
            assert_eq!(played.end.expect_err("it hangs").kind, STALL);
        }
    }

    #[test]
    fn a_wrong_answer_is_seen() {
        for (name, best, kind) in
            [("square", "a1a1", ILLEGAL_MOVE), ("none", "(none)", ILLEGAL_MOVE), ("other", "d2d4", BAD_LINE)]
        {
            assert_fault(name, &format!("go*) echo '{LINE}'; echo 'bestmove {best}';;"), kind);
        }
        assert_fault("nonsense", "go*) echo hello; echo bestmove e2e4;;", BAD_LINE);
    }

    #[test]
    fn a_loss_on_time_is_seen() {
        let control = TimeControl::Clock { base: ms(100), increment: ms(0), moves: Some(40) };
        let slow = format!("go*movestogo*40) echo '{LINE}'; sleep 1; echo bestmove e2e4 ponder e7e5;;");
        assert_eq!(game("slow", &slow, 1, control).end.expect_err("it was late").kind, TIME_LOSS);
    }
}
