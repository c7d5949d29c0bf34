//! `ferz tune` (feature `tune`).

use std::fs;

use crate::{Folder, Run, ferz};

/// A command with games at few nodes.
fn tune(command: &str, more: &[&str]) -> Run {
    ferz([&["tune", command, "--hash", "1", "--net", "classical", "--nodes", "250"], more].concat())
}

#[track_caller]
fn refused(run: &Run, problem: &str) {
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.starts_with("error: ") && run.err.contains(problem), "{}", run.err);
}

#[test]
fn effects_are_measured_on_any_number_of_threads() {
    let folder = Folder::new("screen");
    let [one, three] = ["one", "three"].map(|name| folder.file(name));
    let factors = ["lmr_base=0:1400", "aspiration_delta=4:40,nmp_base=0:320+nmp_slope=4:40"];
    let screen = |more: &[&str]| tune("screen", &[&factors[..], more].concat());
    let alone = screen(&["--out", &one, "--pairs", "16", "--every", "8"]);
    assert_eq!(alone.code, Some(0), "{}", alone.err);
    assert!(alone.last_line().starts_with("16 pairs, mean square 0."), "{}", alone.out);
    assert_eq!(alone.err.matches("nmp_base=0:320+nmp_slope=4:40 ").count(), 2, "{}", alone.err);
    // In two parts, the first with the remains of a killed process.
    assert_eq!(screen(&["--out", &three, "--pairs", "7", "--threads", "3"]).code, Some(0));
    let text = fs::read_to_string(&three).expect("written");
    fs::write(&three, text + "7 +-").expect("the test folder can be written to");
    let together = screen(&["--out", &three, "--pairs", "16", "--threads", "3", "--resume"]);
    assert_eq!(alone.out, together.out);
    assert_eq!(fs::read_to_string(&one).expect("written"), fs::read_to_string(&three).expect("written"));
    // Nothing left to do.
    assert_eq!(screen(&["--out", &one, "--pairs", "3", "--resume"]).out, alone.out);

    refused(&screen(&["--out", &one]), "use --resume");
    refused(&screen(&["--out", &one, "--resume", "--seed", "2"]), "it has \"seed=0\", now it is \"seed=2\"");
    refused(&screen(&["--out", &one, "--resume", "--win-score", "600"]), "now it is \"win-score=600\"");
    refused(&screen(&["--out", &one, "--resume", "--base", "lmp_base=3"]), "now it is \"lmp_base=3\"");
    let text = fs::read_to_string(&one).expect("written");
    fs::write(&one, text.replace(" bench=", " bench=1")).expect("the test folder can be written to");
    refused(&screen(&["--out", &one, "--resume"]), "line 1: a different run: it has \"bench=1");
    refused(&tune("screen", &["lmr_base", "--out", &one]), "lmr_base is not a switch");
    refused(&tune("screen", &["nothing=1:2", "--out", &one]), "unknown parameter \"nothing\"");
    refused(&tune("screen", &["--out", &one]), "FACTORS");
}

#[test]
fn effects_are_measured_at_a_clock() {
    let folder = Folder::new("screen-clock");
    let file = folder.file("file");
    let screen = |clock: &str| {
        let clock = ["tune", "screen", "time_share=10:60", "--clock", clock, "--out", &file];
        ferz([&clock[..], &["--hash", "1", "--net", "classical", "--pairs", "2"]].concat())
    };
    let run = screen("0.05+0.001");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let text = fs::read_to_string(&file).expect("written");
    assert!(text.contains(" clock=0.05+0.001 ") && text.lines().count() == 4, "{text}");
    refused(&screen("soon"), "expected seconds, such as 8+0.08");
    refused(&ferz(["tune", "screen", "time_share=10:60"]), "time_share changes nothing without a clock");
    refused(&tune("screen", &["time_share=10:60", "--clock", "1+0.1"]), "cannot be used with");
}

#[test]
fn parameters_are_tuned_and_played() {
    let folder = Folder::new("spsa");
    let [whole, parts] = ["whole", "parts"].map(|name| folder.file(name));
    let spsa =
        |more: &[&str]| tune("spsa", &[&["--pairs", "8", "--rate", "0.9", "--ahead", "4"], more].concat());
    let run = spsa(&["--only", "nmp_base,lmp", "--base", "nmp_base=200", "--out", &whole, "--threads", "3"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.starts_with("nmp_base                         200 ->"), "{}", run.out);
    assert_eq!((run.out.lines().count(), run.last_line()), (4, "8 pairs"));
    let text = fs::read_to_string(&whole).expect("written");
    let again = spsa(&["--only", "nmp_base,lmp", "--base", "nmp_base=200", "--out", &parts]);
    assert_eq!(again.out, run.out);

    let set = format!("@{whole},lmr_base=100");
    let played = ferz([
        "match",
        "--hash",
        "1",
        "--nodes",
        "40",
        "--games",
        "4",
        "--set-a",
        &set,
        "--set-b",
        "lmp_base=2",
    ]);
    assert_eq!((played.code, &played.err[..]), (Some(0), ""));

    // The games must be those of the run.
    let base = ["--base", "nmp_base=200"];
    let resume = |more: &[&str]| spsa(&[&["--out", &parts, "--resume"], more].concat());
    assert_eq!(resume(&base).out, run.out);
    refused(&resume(&[]), "line 2: a different run");
    refused(&resume(&[&base[..], &["--seed", "2"]].concat()), "it has \"seed=0\", now it is \"seed=2\"");
    // The steps shrink towards the last pair.
    let longer = ["--out", &parts, "--resume", "--pairs", "9", "--rate", "0.9"];
    refused(&tune("spsa", &[&longer[..], &base].concat()), "it has \"pairs=8\", now it is \"pairs=9\"");
    let settings = text.lines().nth(1).expect("the second line");
    assert!(settings.starts_with("settings pairs=8 rate=0.9 seed=0 nodes=250 hash=1 "), "{settings}");
    fs::write(&parts, text.replace(&format!("{settings}\n"), "")).expect("the test folder can be written to");
    refused(&resume(&base), "line 2: no `settings`");

    // Without a clock, time management is left alone.
    let all = spsa(&["--out", &folder.file("all")]);
    assert!(all.out.contains("nmp_base ") && !all.out.contains("time_"), "{}", all.out);
    let at_a_clock =
        ["tune", "spsa", "--clock", "0.05+0.001", "--pairs", "2", "--hash", "1", "--net", "classical"];
    let all = ferz([&at_a_clock[..], &["--out", &folder.file("clock")]].concat());
    assert!(all.out.contains("nmp_base ") && all.out.contains("time_share "), "{}{}", all.out, all.err);

    let useless = spsa(&["--out", &folder.file("x"), "--only", "time_share"]);
    refused(&useless, "time_share changes nothing without a clock");

    refused(&spsa(&["--out", &whole]), "use --resume");
    refused(
        &spsa(&["--out", &folder.file("x"), "--only", "nothing"]),
        "no parameter begins with \"nothing\"",
    );
    refused(
        &tune("spsa", &["--out", &folder.file("x"), "--rate", "1.5"]),
        "--rate 1.5 is not between 0 and 1",
    );
    refused(&tune("spsa", &["--out", &whole, "--resume", "--only", "lmp"]), "cannot be used with");
    refused(&ferz(["match", "--set-a", "lmp_base=9999"]), "lmp_base: 9999 is not between 2 and 14");
    fs::write(&parts, text.replace("lmp_base", "lmp_bass")).expect("the test folder can be written to");
    refused(&ferz(["match", "--set-a", &format!("@{parts}")]), "line 4: unknown parameter \"lmp_bass\"");
}

#[test]
fn losses_on_time_are_counted() {
    let folder = Folder::new("time-losses");
    let clock =
        ["--clock", "0.000000001", "--pairs", "2", "--every", "1", "--hash", "1", "--net", "classical"];
    for command in [&["screen", "time_share=10:60"][..], &["spsa"]] {
        let run = ferz([&["tune"][..], command, &clock, &["--out", &folder.file(command[0])]].concat());
        assert!(
            run.code == Some(0) && run.out.starts_with("4 games lost on time\n"),
            "{} {}",
            run.out,
            run.err
        );
        assert!(run.err.contains(", 2 lost on time") && run.err.contains(", 4 lost on time"), "{}", run.err);
    }
}

#[test]
fn values_without_effect_are_noted() {
    let folder = Folder::new("useless");
    let note = "note: without --clock these parameters change nothing: time_share\n";
    let games = ["--hash", "1", "--net", "classical"];
    let played = ["match", "--set-a", "time_share=60,lmp_base=3", "--games", "2"];
    let run = ferz([&played[..], &games, &["--nodes", "40"]].concat());
    assert_eq!((run.code, &run.err[..]), (Some(0), note));
    let run = ferz([&played[..], &games, &["--clock", "0.05+0.001"]].concat());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let file = folder.file("file");
    let screen = ["lmp_base=3:4", "--base", "time_share=60", "--pairs", "1", "--out", &file];
    assert_eq!(tune("screen", &screen).err, note);
}

#[test]
fn parameters_are_listed_for_openbench() {
    let run = ferz(["tune", "list"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    assert!(run.out.lines().all(|line| line.split(", ").count() == 7 && line.ends_with(", 0.002")));
    assert!(run.out.contains("nmp_base, int, "));
}
