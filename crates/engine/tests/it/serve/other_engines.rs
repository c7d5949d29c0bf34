//! Settings of the engine, and other engines beside ours, friendly and hostile.

use serde_json::{Value, json};

use super::{Server, Tab};
use crate::ferz;

/// Waits for an analysis that satisfies a condition.
fn analysis(tab: &mut Tab, kind: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    tab.until(|it| it["type"] == kind && is_it(it)).pop().expect("the last one")
}

fn welcome(tab: &mut Tab) -> Value {
    tab.ask(json!({"type": "hello"}))
}

#[test]
fn an_analysis_ends_by_the_stop_rule_and_says_why() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "analyse", "on": true}));
    for (limit, end) in
        [(json!({"depth": 6}), "depth"), (json!({"nodes": 5_000}), "nodes"), (json!({"seconds": 1}), "time")]
    {
        tab.do_it(json!({"type": "engine", "limit": limit}));
        let news = analysis(&mut tab, "analysis", |it| it["status"] == "done" && it["end"] == end);
        assert_eq!(news["threads"], 1, "{news}");
    }
    tab.do_it(json!({"type": "engine"}));
    let news = analysis(&mut tab, "analysis", |it| it["status"] == "searching");
    assert_eq!(news["end"], Value::Null);
}

#[test]
fn settings_beyond_the_limits_are_refused_or_reduced() {
    let server = Server::start_with(&["--searches", "2", "--max-hash", "8"]);
    let mut tab = server.silent_tab().unwrap();
    let limits = welcome(&mut tab)["limits"].clone();
    assert_eq!(
        (&limits["threads"], &limits["hash_mb"], &limits["default_hash_mb"]),
        (&json!(2), &json!(8), &json!(2))
    );
    for wish in [
        json!({"threads": 0}),
        json!({"threads": 3}),
        json!({"threads": u64::MAX}),
        json!({"hash_mb": 0}),
        json!({"hash_mb": 9}),
        json!({"limit": {"seconds": 0}}),
        json!({"limit": {"seconds": 601}}),
        json!({"limit": {"depth": 201}}),
        json!({"limit": {"nodes": 0}}),
        json!({"limit": {"depth": 5, "nodes": 5}}),
        json!({"limit": {"mate": 5}}),
        json!({"path": "/bin/sh"}),
    ] {
        let mut intent = wish.clone();
        intent["type"] = json!("engine");
        tab.refusal(intent);
    }
    tab.refusal(json!({"type": "other_engine", "engine": "/bin/sh"}));
    // Settings from a larger machine are reduced, with a notice.
    let mut tab = server.silent_tab().unwrap();
    tab.send(json!({
        "type": "hello",
        "engine": {"threads": 64, "hash_mb": 4096},
        "other_engine": "gone",
        "analysis": {"on": true},
    }));
    let messages = tab.until(|it| it["type"] == "analysis" && it["depth"].as_u64() >= Some(1));
    let notices: Vec<_> = messages.iter().filter(|it| it["type"] == "notice").collect();
    assert!(notices.iter().any(|it| it["message"].as_str().unwrap().contains("threads 2, hash 8 MiB")));
    assert_eq!(messages.last().unwrap()["threads"], 2);
}

/// A search with two threads takes both places; a second tab gets its turn nevertheless.
#[test]
fn threads_are_shared_between_tabs() {
    let server = Server::start_with(&["--searches", "2"]);
    let mut greedy = server.tab();
    greedy.do_it(json!({"type": "engine", "threads": 2}));
    greedy.do_it(json!({"type": "analyse", "on": true}));
    analysis(&mut greedy, "analysis", |it| it["depth"].as_u64() >= Some(2));
    let mut other = server.tab();
    other.do_it(json!({"type": "analyse", "on": true}));
    analysis(&mut other, "analysis", |it| it["depth"].as_u64() >= Some(2));
    let nodes = analysis(&mut greedy, "analysis", |_| true)["nodes"].as_u64();
    analysis(&mut greedy, "analysis", |it| it["nodes"].as_u64() > nodes);
}

#[test]
fn bad_engines_on_the_command_line_are_named() {
    let own = env!("CARGO_BIN_EXE_ferz");
    for (engine, problem) in
        [("X=/nowhere", "not a file"), ("/", "not a file"), (&format!("={own}"), "a name has")]
    {
        let run = ferz(["serve", "--no-open", "--port", "0", "--engine", engine]);
        assert!(run.code == Some(2) && run.err.contains(problem), "{engine}: {}", run.err);
    }
    let run = ferz(["serve", "--no-open", "--port", "0", "--engine", own, "--engine", own]);
    assert!(run.code == Some(2) && run.err.contains("twice"), "{}", run.err);
}

#[test]
fn another_engine_analyses_beside_ours() {
    let server = Server::start_with(&["--engine", &format!("Twin={}", env!("CARGO_BIN_EXE_ferz"))]);
    let mut tab = server.silent_tab().unwrap();
    assert_eq!(welcome(&mut tab)["engines"], json!([{"id": "Twin", "name": "Twin"}]));
    tab.do_it(json!({"type": "analyse", "on": true, "lines": 2}));
    tab.do_it(json!({"type": "other_engine", "engine": "Twin"}));
    let is_deep = |it: &Value| it["lines"].as_array().unwrap().len() == 2 && it["depth"].as_u64() >= Some(5);
    let news = analysis(&mut tab, "other_analysis", is_deep);
    assert_eq!((&news["engine"], &news["node"], &news["problem"]), (&json!("Twin"), &json!(1), &Value::Null));
    assert!(news["name"].as_str().unwrap().starts_with("Ferz"), "{news}");
    assert_eq!(news["lines"][0]["uci"][0].as_str().unwrap().len(), 4);

    // It follows the board, with Black's moves and White's scores.
    let node = tab.do_it(json!({"type": "move", "san": "e4"}))["node"].clone();
    let news = analysis(&mut tab, "other_analysis", |it| it["node"] == node && is_deep(it));
    assert!(news["lines"][0]["uci"][0].as_str().unwrap().as_bytes()[1] >= b'7', "{news}");
    tab.do_it(json!({"type": "engine", "limit": {"depth": 4}}));
    analysis(&mut tab, "other_analysis", |it| it["status"] == "done" && it["depth"] == 4);
    tab.do_it(json!({"type": "analyse", "on": false}));
    analysis(&mut tab, "other_analysis", |it| it["status"] == "off");
}

#[cfg(target_os = "linux")]
mod hostile {
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};
    use std::{fs, thread};

    use super::*;
    use crate::serve::{memory, processor_time};

    /// A start that looks like an engine's.
    const GREETING: &str = "while read line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; go*) break;; esac; done";

    /// A server with one engine: a shell script.
    fn server(name: &str, script: &str) -> Server {
        let path = crate::file_of(name, format!("#!/bin/sh\n{script}\n").as_bytes());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Server::start_with(&["--engine", &format!("Rogue={path}")])
    }

    /// A tab whose analysis has started.
    fn analysing(server: &Server) -> Tab {
        let mut tab = server.tab();
        tab.do_it(json!({"type": "analyse", "on": true}));
        tab.do_it(json!({"type": "other_engine", "engine": "Rogue"}));
        tab
    }

    /// The processes that a server has started, dead ones included.
    fn children(server: &Server) -> Vec<u32> {
        let id = server.child.id().to_string();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|child: &u32| {
                let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
                let parent =
                    stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1).map(str::to_owned));
                parent.as_deref() == Some(&id)
            })
            .collect()
    }

    fn has_no_children(server: &Server) -> bool {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !children(server).is_empty() {
            if Instant::now() > deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        true
    }

    #[test]
    fn a_flood_is_read_slowly() {
        let line = "info depth 5 score cp 10 nodes 100 pv e2e4 e7e5";
        let server = server("flood.sh", &format!("{GREETING}; exec yes '{line}'"));
        let mut tab = analysing(&server);
        analysis(&mut tab, "other_analysis", |it| it["depth"] == 5);
        tab.do_it(json!({"type": "other_engine"}));
        tab.do_it(json!({"type": "analyse", "on": false}));
        tab.do_it(json!({"type": "analyse", "on": true}));
        tab.do_it(json!({"type": "other_engine", "engine": "Rogue"}));
        tab.do_it(json!({"type": "engine", "limit": {"depth": 1}}));
        let (before, idle) = (processor_time(&server), memory(&server));
        let mut count = 0;
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(2) {
            assert!(tab.is_alive());
            count += 1;
        }
        assert!(count > 20, "{count} answers");
        let used = processor_time(&server) - before;
        assert!(used < 1.5 && memory(&server) < idle + 20, "{used} s, {} MiB", memory(&server));
        drop(tab);
        assert!(has_no_children(&server));
    }

    #[test]
    fn an_endless_line_is_skipped() {
        let script = format!(
            "{GREETING}; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo info depth 3 score cp 1 pv d2d4; exec sleep 60"
        );
        let server = server("endless.sh", &script);
        let idle = memory(&server);
        let mut tab = analysing(&server);
        analysis(&mut tab, "other_analysis", |it| it["depth"] == 3);
        assert!(memory(&server) < idle + 40, "{idle} MiB before, {} after", memory(&server));
    }

    #[test]
    fn illegal_moves_are_refused() {
        let script = format!(
            "{GREETING}; echo info depth 9 score cp 10 pv e2e5; echo info depth 2 score cp 10 pv e2e4 a1a8; exec sleep 60"
        );
        let server = server("illegal.sh", &script);
        let mut tab = analysing(&server);
        let news = analysis(&mut tab, "other_analysis", |it| it["depth"] == 2);
        assert_eq!(news["lines"][0]["san"], json!(["e4"]));
        assert!(news["problem"].as_str().unwrap().contains("illegal move: 'a1a8'"), "{news}");
    }

    #[test]
    fn an_engine_that_dies_is_started_again_but_not_for_ever() {
        let server = server("dies.sh", &format!("{GREETING}; exit 1"));
        let mut tab = analysing(&server);
        for _ in 0..2 {
            let notice = tab.next("notice");
            assert!(notice["message"].as_str().unwrap().contains("Rogue ended unexpectedly"), "{notice}");
        }
        let news = analysis(&mut tab, "other_analysis", |it| it["status"] == "done");
        assert_eq!(news["problem"], "Rogue ended unexpectedly.");
        assert!(has_no_children(&server), "no zombies");
        // The next position is a new chance.
        tab.do_it(json!({"type": "move", "san": "e4"}));
        tab.next("notice");
    }

    #[test]
    fn an_engine_that_ignores_everything_is_killed() {
        // It answers nothing after `go`, not even `stop` or the end of its input.
        let server =
            server("deaf.sh", &format!("{GREETING}; trap '' TERM INT HUP; while :; do sleep 1; done"));
        let mut tab = analysing(&server);
        analysis(&mut tab, "other_analysis", |it| it["status"] == "searching");
        let start = Instant::now();
        for san in ["e4", "e5", "Nf3", "Nc6"] {
            tab.do_it(json!({"type": "move", "san": san}));
        }
        assert!(start.elapsed() < Duration::from_secs(1), "the tab does not wait");
        assert_eq!(children(&server).len(), 1);
        drop(tab);
        assert!(has_no_children(&server), "it is killed when the tab is closed");
        // A program that is not an engine.
        let path = crate::file_of("text.sh", b"this is not a program");
        let server = Server::start_with(&["--engine", &format!("Rogue={path}")]);
        let mut tab = analysing(&server);
        let news = analysis(&mut tab, "other_analysis", |it| it["status"] == "done");
        assert_eq!(news["problem"], "Rogue cannot be started. Check the program after --engine.");
    }

    fn is_running(process: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    }

    fn ends(process: u32) -> bool {
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_running(process) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        !is_running(process)
    }

    /// A killed server cannot tell its engines, and some do not care that their input has ended.
    #[test]
    fn no_engine_survives_the_server() {
        let mut server = server(
            "survivor.sh",
            &format!("{GREETING}; trap '' TERM INT HUP PIPE; while :; do sleep 0.1; done"),
        );
        let mut tab = analysing(&server);
        analysis(&mut tab, "other_analysis", |it| it["status"] == "searching");
        let deadline = Instant::now() + Duration::from_secs(10);
        let engine = loop {
            match children(&server).first() {
                Some(&engine) => break engine,
                None => assert!(Instant::now() < deadline, "no engine"),
            }
        };
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        assert!(ends(engine), "the engine is still there");
    }

    /// A script that starts the real engine, which then keeps the pipes open.
    #[test]
    fn what_an_engine_starts_ends_with_it() {
        let note = crate::file_of("started.txt", b"");
        let server = server("starter.sh", &format!("sleep 300 & echo $! >{note}; {GREETING}; exec sleep 60"));
        let mut tab = analysing(&server);
        analysis(&mut tab, "other_analysis", |it| it["status"] == "searching");
        let deadline = Instant::now() + Duration::from_secs(10);
        let started: u32 = loop {
            match fs::read_to_string(&note).unwrap().trim().parse() {
                Ok(started) => break started,
                Err(_) => assert!(Instant::now() < deadline, "nothing was started"),
            }
        };
        assert!(is_running(started));
        drop(tab);
        assert!(has_no_children(&server) && ends(started));
    }

    #[test]
    fn there_is_an_end_to_the_number_of_processes() {
        let server = server("many.sh", &format!("{GREETING}; exec sleep 60"));
        let mut tabs: Vec<_> = (0..9).map(|_| analysing(&server)).collect();
        let refused = tabs.iter_mut().filter_map(|tab| {
            let news =
                analysis(tab, "other_analysis", |it| it["status"] == "done" || it["status"] == "searching");
            news["problem"].as_str().map(str::to_owned)
        });
        let refused: Vec<_> = refused.collect();
        thread::sleep(Duration::from_millis(500));
        assert!(children(&server).len() <= 8 && refused.len() <= 1, "{refused:?}");
        drop(tabs);
        assert!(has_no_children(&server));
    }
}
