//! Options.

use super::driver::Session;

#[test]
fn all_are_announced_in_a_form_that_can_be_read() {
    let mut session = Session::ready();
    let lines = session.answer("uci");
    let options: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("option name ")).collect();
    for name in [
        "Hash type spin default 16 min 1 max 33554432",
        "Threads type spin default 1 min 1 max ",
        "Clear Hash type button",
        "MultiPV type spin default 1 min 1 max 256",
        "Ponder type check default false",
        "Move Overhead type spin default 10 min 0 max 5000",
        "UCI_Chess960 type check default false",
        "UCI_ShowWDL type check default false",
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin default ",
        "UCI_AnalyseMode type check default false",
        "UCI_Opponent type string default <empty>",
        "EvalFile type string default <empty>",
        "SyzygyPath type string default <empty>",
        "SyzygyProbeDepth type spin default ",
        "SyzygyProbeLimit type spin default ",
        "Syzygy50MoveRule type check default true",
    ] {
        assert!(options.iter().any(|option| option.starts_with(name)), "{name}: {options:#?}");
    }
    assert_eq!(options.len(), 17);
    // What is announced can be set.
    for option in options {
        let (name, rest) = option.split_once(" type ").expect("a type");
        let line = match rest.split_once(" default ") {
            None => format!("setoption name {name}"),
            Some((_, values)) => {
                let default = values.split(' ').next().expect("a default");
                format!("setoption name {name} value {default}")
            }
        };
        assert_eq!(session.answer(&line), [""; 0], "{line}");
    }
    session.quit();
}

#[test]
fn names_and_blanks_are_taken_lightly() {
    let mut session = Session::ready();
    for line in [
        "setoption name  hash   value   16",
        "setoption name MOVE   overhead value 0",
        "setoption name Clear Hash value true",
        "setoption name clear hash",
        "setoption name uci_chess960 value TRUE",
    ] {
        assert_eq!(session.answer(line), [""; 0], "{line}");
    }
    session.quit();
}

#[test]
fn malformed() {
    let mut session = Session::ready();
    for line in
        ["setoption", "setoption name", "setoption value 3", "setoption Hash 16", "setoption name value 3"]
    {
        assert_eq!(session.complaint(line), "setoption: name and a name are expected", "{line}");
    }
    assert_eq!(session.complaint("setoption name Nonexistent value 1"), "there is no option 'Nonexistent'");
    for line in ["setoption name Hash", "setoption name Hash value", "setoption name Threads value 1.5"] {
        assert!(session.complaint(line).contains(": a number from 1 to "), "{line}");
    }
    assert_eq!(
        session.complaint("setoption name UCI_Chess960 value maybe"),
        "UCI_Chess960: true or false is expected, not 'maybe'"
    );
    session.quit();
}

#[test]
fn sizes_that_cannot_be() {
    let mut session = Session::ready();
    for value in ["0", "-1", "abc", "", "999999999999", "99999999999999999999999999"] {
        let complaint = session.complaint(&format!("setoption name Hash value {value}"));
        assert!(complaint.starts_with("Hash: a number from 1 to 33554432 is expected"), "{complaint}");
        let complaint = session.complaint(&format!("setoption name Threads value {value}"));
        assert!(complaint.starts_with("Threads: a number from 1 to "), "{complaint}");
    }
    // 32 TiB: more than this machine has. The old table stays and works.
    let complaint = session.complaint("setoption name Hash value 33554432");
    assert_eq!(complaint, "Hash: not enough memory for 33554432 MiB; 16 MiB are kept");
    assert_eq!(session.answer("setoption name Hash value 2"), [""; 0]);
    let complaint = session.complaint("setoption name Hash value 33554432");
    assert!(complaint.ends_with("; 2 MiB are kept"), "{complaint}");
    session.best_move("go depth 3");
    session.quit();
}

#[test]
fn files_that_are_not_used_yet() {
    let mut session = Session::ready();
    for (name, value) in [("EvalFile", "/etc/passwd"), ("SyzygyPath", "/dev/null:/proc:;;:")] {
        let answer = session.answer(&format!("setoption name {name} value {value}"));
        assert!(answer.len() == 1 && answer[0].starts_with(&format!("info string {name}: ")), "{answer:?}");
    }
    session.best_move("go depth 2");
    session.quit();
}
