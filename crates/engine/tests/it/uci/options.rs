//! Options.

use ferz_eval::{Network, NetworkParameters};

use super::driver::Session;
use crate::{ferz, file_of};

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
        "SoftNodes type check default false",
        "UCI_Chess960 type check default false",
        "UCI_ShowWDL type check default false",
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin default ",
        "UCI_AnalyseMode type check default false",
        "UCI_Opponent type string default <empty>",
        "EvalFile type string default embedded",
        "OwnBook type check default false",
        "BookFile type string default <empty>",
        "BookDepth type spin default 255 min 1 max 255",
        "BookVariety type spin default 50 min 0 max 100",
        "SyzygyPath type string default <empty>",
        "SyzygyProbeDepth type spin default 1 min 1 max 100",
        "SyzygyProbeLimit type spin default 7 min 0 max 7",
        "Syzygy50MoveRule type check default true",
    ] {
        assert!(options.iter().any(|option| option.starts_with(name)), "{name}: {options:#?}");
    }
    // Search parameters, which only a build for tuning has, begin with a small letter.
    assert_eq!(options.iter().filter(|it| it.starts_with(char::is_uppercase)).count(), 22);
    // Announced options can be set.
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

/// Freed tables are returned to the system.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_what_the_size_of_the_table_says() {
    let mut session = Session::ready();
    session.best_move("go nodes 1000");
    let beside_the_table = session.resident() - 16.0;
    for size in [16, 64, 16, 64, 1, 64, 20, 30, 16] {
        assert_eq!(session.answer(&format!("setoption name Hash value {size}")), [""; 0]);
        session.best_move("go nodes 1000");
        let (resident, expected) = (session.resident(), beside_the_table + f64::from(size));
        // MiB of tolerance for other pages.
        assert!((resident - expected).abs() < 3.0, "Hash {size}: {resident} MiB instead of {expected}");
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
        assert_eq!(session.complaint(line), "setoption: expected name and the name of an option", "{line}");
    }
    assert_eq!(session.complaint("setoption name Nonexistent value 1"), "unknown option 'Nonexistent'");
    for line in ["setoption name Hash", "setoption name Hash value", "setoption name Threads value 1.5"] {
        assert!(session.complaint(line).contains(": expected a number from 1 to "), "{line}");
    }
    assert_eq!(
        session.complaint("setoption name UCI_Chess960 value maybe"),
        "UCI_Chess960: expected true or false, found 'maybe'"
    );
    session.quit();
}

#[test]
fn sizes_that_cannot_be() {
    let mut session = Session::ready();
    for value in ["0", "-1", "abc", "", "999999999999", "99999999999999999999999999"] {
        let complaint = session.complaint(&format!("setoption name Hash value {value}"));
        assert!(complaint.starts_with("Hash: expected a number from 1 to 33554432"), "{complaint}");
        let complaint = session.complaint(&format!("setoption name Threads value {value}"));
        assert!(complaint.starts_with("Threads: expected a number from 1 to "), "{complaint}");
    }
    // 32 TiB: more than this machine has. The old table stays and works.
    let complaint = session.complaint("setoption name Hash value 33554432");
    assert_eq!(complaint, "Hash: not enough memory for 33554432 MiB; still 16 MiB");
    assert_eq!(session.answer("setoption name Hash value 2"), [""; 0]);
    let complaint = session.complaint("setoption name Hash value 33554432");
    assert!(complaint.ends_with("; still 2 MiB"), "{complaint}");
    session.best_move("go depth 3");
    session.quit();
}

#[test]
fn another_net() {
    let good = file_of("another.nnue", &NetworkParameters::noise(64, 8, 1).to_bytes());
    let mut session = Session::ready();
    let embedded = session.answer("d");
    assert_eq!(session.answer("setoption name EvalFile value classical"), [""; 0]);
    let classical = session.answer("d");
    assert!(embedded.contains(&format!("net           {}", Network::embedded())));
    assert!(classical.iter().all(|line| embedded.contains(line)));
    assert_eq!(session.answer(&format!("setoption name EvalFile value {good}")), [""; 0]);
    let with_net = session.answer("d");
    assert!(with_net.contains(&"net           768hm-64x2-1x8".to_owned()));
    assert!(session.answer("eval").contains(&"net           768hm-64x2-1x8".to_owned()));
    session.best_move("go depth 5");
    session.answer("setoption name Threads value 2");
    session.best_move("go depth 5");

    // An invalid file leaves the network unchanged.
    let missing = session.complaint("setoption name EvalFile value /no/such/net");
    assert!(
        missing.starts_with("EvalFile: /no/such/net: ") && missing.ends_with("evaluation unchanged"),
        "{missing}"
    );
    for (name, bytes, reason) in [
        ("empty.nnue", &b""[..], "the net file is empty"),
        ("text.nnue", b"<html>404 not found</html>", "unknown net format: the file begins with \"<html>40\""),
        ("cut.nnue", b"FERZNNUE", "length: expected 64 bytes, found 8"),
        ("newer.nnue", b"\x20\x2f\xf3\x7a", "version: expected 0x7af32f16 (Stockfish 12 and 13)"),
    ] {
        let file = file_of(name, bytes);
        let complaint = session.complaint(&format!("setoption name EvalFile value {file}"));
        assert!(complaint.starts_with(&format!("EvalFile: {file}: {reason}")), "{complaint}");
    }
    for no_file in ["/dev/zero", "/"] {
        let complaint = session.complaint(&format!("setoption name EvalFile value {no_file}"));
        assert!(complaint.starts_with(&format!("EvalFile: {no_file}: not a file")), "{complaint}");
    }
    assert_eq!(session.answer("d"), with_net);

    assert_eq!(session.answer("setoption name EvalFile value <empty>"), [""; 0]);
    assert_eq!(session.answer("d"), embedded);
    session.quit();
}

#[test]
fn no_broken_net_replaces_a_good_one() {
    let good = NetworkParameters::noise(64, 8, 1).to_bytes();
    let mut session = Session::ready();
    session.answer(&format!("setoption name EvalFile value {}", file_of("unbroken.nnue", &good)));
    let with_net = session.answer("d");

    let mut broken: Vec<String> = ["4_bytes", "empty", "header_huge_len", "text", "truncated"]
        .map(|name| format!("{}/tests/data/net_{name}.nnue", env!("CARGO_MANIFEST_DIR")))
        .into();
    // A wrong bit in each header field and in the weights, missing bytes, and extra bytes.
    for at in [0, 8, 10, 12, 14, 16, 18, 20, 22, 24, 31, 32, 63, 64, 5000, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        broken.push(file_of(&format!("broken-{at}.nnue"), &bytes));
    }
    for length in [1, 63, 64, 65, good.len() / 2, good.len() - 1] {
        broken.push(file_of(&format!("cut-{length}.nnue"), &good[..length]));
    }
    broken.push(file_of("long.nnue", &[&good[..], &[0]].concat()));
    for file in &broken {
        let complaint = session.complaint(&format!("setoption name EvalFile value {file}"));
        let reason = complaint.strip_prefix(&format!("EvalFile: {file}: "));
        let reason = reason.and_then(|it| it.strip_suffix("; evaluation unchanged"));
        let reason = reason.unwrap_or_else(|| panic!("{complaint}"));

        let run = ferz(["position", "--net", file]);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{file}");
        assert_eq!(run.err, format!("error: {file}: {reason}\n"));
    }
    assert_eq!(session.answer("d"), with_net);
    session.quit();
}

#[test]
fn a_net_changes_the_search_and_its_absence_restores_it() {
    let net = file_of("changes.nnue", &NetworkParameters::noise(32, 1, 5).to_bytes());
    let mut session = Session::ready();
    let nodes = |session: &mut Session| {
        session.answer("ucinewgame");
        session.send("go depth 6");
        let line = session.expect("info depth 6 ");
        session.expect("bestmove");
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        let at = words.iter().position(|word| word == "nodes").expect("nodes are told");
        words[at + 1].clone()
    };
    let before = nodes(&mut session);
    session.answer(&format!("setoption name EvalFile value {net}"));
    let with_net = nodes(&mut session);
    assert_ne!(with_net, before);
    assert_eq!(nodes(&mut session), with_net);
    session.answer("setoption name EvalFile");
    assert_eq!(nodes(&mut session), before);
    session.quit();
}

#[test]
fn soft_nodes_end_an_iteration_and_do_not_cut_it_off() {
    let mut session = Session::ready();
    let mut nodes = |setting: &str| -> u64 {
        session.answer(&format!("setoption name SoftNodes value {setting}"));
        session.answer("ucinewgame");
        session.best_move("go nodes 3000");
        let last =
            session.lines_so_far().iter().rfind(|line| line.contains(" nodes ")).expect("told").clone();
        let mut words = last.split(' ').skip_while(|&word| word != "nodes");
        words.nth(1).and_then(|word| word.parse().ok()).expect("a number")
    };
    assert!(nodes("false") <= 3000);
    assert!((3000..24_000).contains(&nodes("true")));
    assert!(nodes("false") <= 3000);
    session.quit();
}
