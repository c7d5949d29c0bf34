//! `ferz perft DEPTH`.

use crate::{Run, ferz, ferz_reading};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

/// The number in `nodes <n> time <ms> nps <n>`, after checking that the last line is just that.
fn nodes(run: &Run) -> u64 {
    let words: Vec<_> = run.last_line().split(' ').collect();
    let ["nodes", nodes, "time", time, "nps", nps] = words[..] else {
        panic!("unexpected last line in {:?}, standard error {:?}", run.out, run.err);
    };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    number(time);
    number(nps);
    number(nodes)
}

/// The moves and counts before the last line.
fn divided(run: &Run) -> Vec<(&str, u64)> {
    let lines: Vec<_> = run.out.lines().collect();
    let rows = lines[..lines.len() - 1].iter();
    rows.map(|row| row.split_once(": ").expect("move: count"))
        .map(|(mv, count)| (mv, count.parse().expect("a number")))
        .collect()
}

#[test]
fn counts_from_the_start_position() {
    for (depth, expected) in [("0", 1), ("1", 20), ("2", 400), ("3", 8_902), ("4", 197_281), ("5", 4_865_609)]
    {
        let run = ferz(["perft", depth]);
        assert_eq!(nodes(&run), expected);
        assert_eq!((run.code, &run.err[..], run.out.lines().count()), (Some(0), "", 1));
    }
}

#[test]
fn every_way_of_counting_agrees() {
    for extra in
        [&[][..], &["--threads", "3"], &["--hash", "1"], &["--hash", "2", "--threads", "2"], &["--walk"]]
    {
        for (depth, expected) in [("1", 48), ("3", 97_862), ("4", 4_085_603)] {
            let run = ferz([&["perft", depth, "--fen", KIWIPETE], extra].concat());
            assert_eq!(nodes(&run), expected, "{extra:?}");
        }
    }
}

#[test]
fn divide_lists_every_root_move() {
    let run = ferz(["perft", "3", "--divide"]);
    let rows = divided(&run);
    assert_eq!(rows.len(), 20);
    assert!(rows.contains(&("e2e4", 600)));
    assert!(rows.is_sorted());
    assert_eq!(rows.iter().map(|(_, count)| count).sum::<u64>(), nodes(&run));

    let threaded = ferz(["perft", "3", "--divide", "--threads", "4", "--hash", "1"]);
    assert_eq!(divided(&threaded), rows);

    let run = ferz(["perft", "0", "--divide"]);
    assert_eq!((divided(&run), nodes(&run)), (vec![], 1));
}

#[test]
fn castling_is_written_as_the_mode_wants_it() {
    let moves = |extra: &[&str], fen: &str| {
        let run = ferz([&["perft", "1", "--divide", "--fen", fen], extra].concat());
        divided(&run).into_iter().map(|(mv, _)| mv.to_owned()).collect::<Vec<_>>()
    };
    let holds = |moves: &[String], mv: &str| moves.iter().any(|it| it == mv);

    let standard = moves(&[], CASTLING);
    assert!(holds(&standard, "e1g1") && holds(&standard, "e1c1") && !holds(&standard, "e1h1"));
    let chess960 = moves(&["--chess960"], CASTLING);
    assert!(holds(&chess960, "e1h1") && holds(&chess960, "e1a1") && !holds(&chess960, "e1g1"));
    // Here f1g1 is a king move; castling must be written differently.
    let unasked = moves(&[], "4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    assert!(holds(&unasked, "f1g1") && holds(&unasked, "f1h1"));
}

#[test]
fn a_game_that_is_over_has_no_leaves() {
    let run = ferz(["perft", "99", "--divide", "--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"]);
    assert_eq!((run.code, nodes(&run)), (Some(0), 0));
}

#[test]
fn repairs_are_noted_on_standard_error() {
    let run = ferz(["perft", "2", "--fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"]);
    assert_eq!((run.code, nodes(&run)), (Some(0), 400));
    assert!(
        run.err.lines().count() == 2 && run.err.lines().all(|line| line.starts_with("note: ")),
        "{}",
        run.err
    );

    let chess960 = "4k3/8/8/8/8/8/8/R2K3R w HA - 0 1";
    assert_eq!(ferz(["perft", "1", "--fen", chess960]).err, "note: castling rights of Chess960\n");
    assert_eq!(ferz(["perft", "1", "--chess960", "--fen", chess960]).err, "");
}

#[test]
fn a_bad_fen_ends_with_code_2() {
    let run = ferz(["perft", "2", "--fen", "8/8/8/8/8/8/8/4K3 w - - 0 1"]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert_eq!(run.err, "error: bad FEN: Black has no king\n");
}

#[test]
fn arguments_out_of_range_are_refused() {
    let refused: [&[&str]; 15] = [
        &["x"],
        &[""],
        &["-1"],
        &["1.5"],
        &["100"],
        &["99999999999999999999"],
        &["2", "3"],
        &["2", "--threads", "0"],
        &["2", "--threads", "-2"],
        &["2", "--threads", "1025"],
        &["2", "--hash", "0"],
        &["2", "--hash", "x"],
        &["2", "--hash", "1", "--walk"],
        &["2", "--max-nodes", "5"],
        &["2", "--suite", "file"],
    ];
    for args in refused {
        let run = ferz([&["perft"], args].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
}

#[test]
fn a_table_larger_than_the_memory_is_refused() {
    let run = ferz(["perft", "2", "--hash", "4294967295"]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert_eq!(run.err, "error: not enough memory for a table of 4294967295 MiB\n");
}

/// With a table, even counts that overflow are reached.
#[test]
fn too_many_nodes_are_an_error() {
    let kings = "K7/8/8/8/8/8/8/k7 w - - 0 1";
    assert_eq!(nodes(&ferz(["perft", "20", "--hash", "4", "--fen", kings])), 3_132_822_089_179_607);
    let run = ferz(["perft", "40", "--hash", "4", "--threads", "2", "--fen", kings]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.contains("too many"), "{}", run.err);
}

#[test]
fn kinds_of_moves_are_counted() {
    let run = ferz(["perft", "4", "--kinds", "--threads", "2"]);
    let rows: Vec<_> =
        run.out.lines().take(8).map(|line| line.rsplit_once(' ').expect("name and number")).collect();
    let numbers: Vec<_> = rows.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, ["1576", "0", "0", "0", "469", "0", "0", "8"], "{}", run.out);
    assert_eq!((rows[0].0.trim(), rows[7].0.trim()), ("captures", "mates"));
    assert_eq!((nodes(&run), run.code), (197_281, Some(0)));
}

#[test]
fn famous_positions_have_options() {
    for (option, expected) in [
        ("--kiwipete", 2_039),
        ("--position3", 191),
        ("--position4", 264),
        ("--position5", 1_486),
        ("--position6", 2_079),
    ] {
        assert_eq!(nodes(&ferz(["perft", "2", option])), expected, "{option}");
    }
    let run = ferz(["perft", "--suite", "builtin", "--max-nodes", "100000"]);
    assert_eq!((&run.out[..], run.code), ("6 passed, 0 failed\n", Some(0)), "{}", run.err);
    for refused in [&["--kiwipete", "--position3"][..], &["--kiwipete", "--fen", KIWIPETE]] {
        assert_eq!(ferz([&["perft", "2"], refused].concat()).code, Some(2), "{refused:?}");
    }
}

#[test]
fn a_pasted_divide_is_compared() {
    let ours = ferz(["perft", "2", "--divide"]).out;
    let compare = |text: &str| ferz_reading(["perft", "2", "--compare", "-"], text.as_bytes());
    let run = compare(&ours);
    assert_eq!((&run.out[..], run.code), ("equal to depth 2\n", Some(0)));

    let run = compare(&ours.replace("e2e4: 20\n", "").replace("g1f3", "g1e2"));
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[0], "different at depth 2");
    assert_eq!(lines[2], "extra g1e2: the pawn on e2 belongs to the same side");
    assert!(
        lines[3..].contains(
            &"missing e2e4: a double step. A pawn on its first rank may advance two squares if both are empty"
        ),
        "{lines:?}"
    );
    assert_eq!(run.code, Some(1));

    let run = compare(&ours.replace("e2e4: 20", "e2e4 - 21"));
    assert_eq!(run.out.lines().nth(2), Some("below e2e4: 21 leaves instead of 20"));
    assert!(
        run.last_line().starts_with("next: compare depth 1 of rnbqkbnr/pppppppp/8/8/4P3/"),
        "{}",
        run.out
    );

    for (text, complaint) in [("hello\n", "no line with a move"), ("e2e4: x", "line 1: expected one count")] {
        let run = compare(text);
        assert_eq!((&run.out[..], run.code), ("", Some(2)));
        assert!(run.err.contains(complaint), "{}", run.err);
    }
    assert_eq!(ferz(["perft", "0", "--compare", "no such file"]).code, Some(2));
}
