//! `ferz pgn stats`.

use super::GAMES;
use crate::ferz_reading;

fn json(text: &str, options: &[&str]) -> serde_json::Value {
    let run = ferz_reading([&["pgn", "stats", "--json", "-"], options].concat(), text.as_bytes());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    serde_json::from_str(&run.out).expect("JSON")
}

#[test]
fn everything_is_counted() {
    let stats = json(GAMES, &[]);
    assert_eq!(stats["games"], 3);
    assert_eq!(stats["results"].to_string(), r#"{"black":1,"draw":1,"unknown":0,"white":1}"#);
    assert_eq!(stats["score"], 50.0);
    let length = &stats["length"];
    assert_eq!((&length["min"], &length["max"]), (&4.into(), &7.into()));
    assert_eq!((&length["mean"], &length["median"]), (&5.0.into(), &4.into()));
    assert_eq!(length["histogram"].to_string(), r#"[{"count":3,"from":0}]"#);
    assert_eq!((&stats["elo"]["count"], &stats["elo"]["mean"]), (&4.into(), &2000.0.into()));
    assert_eq!((&stats["first_date"], &stats["last_date"]), (&"1999.12.31".into(), &"2001.02.03".into()));
    assert_eq!((&stats["years"]["min"], &stats["years"]["count"]), (&1999.into(), &3.into()));
    assert_eq!(stats["player_count"], 4);
    assert_eq!(stats["players"][0].to_string(), r#"{"games":2,"name":"Ada","score":75.0}"#);
    assert_eq!(stats["players"][3]["name"], "Dóra");
    assert_eq!(stats["eco"].to_string(), r#"[{"code":"C20","games":1},{"code":"D06","games":1}]"#);
    assert_eq!(stats["remarks"].to_string(), r#"{"comments":2,"nags":1,"variations":1}"#);
    assert_eq!(stats["problems"], 0);
}

#[test]
fn openings_are_a_tree() {
    let games = "1. e4 e5 1-0\n\n1. e4 c5 0-1\n\n1. e4 e5 2. Nf3 1/2-1/2\n\n1. d4 *\n\n\
                 [FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd2 *";
    let stats = json(games, &["--plies", "2"]);
    assert_eq!((&stats["games"], &stats["from_position"]), (&5.into(), &1.into()));
    let openings = stats["openings"].as_array().expect("a list");
    assert_eq!(openings.len(), 2);
    assert_eq!((&openings[0]["san"], &openings[0]["games"]), (&"e4".into(), &3.into()));
    assert_eq!(openings[0]["score"], 50.0);
    assert_eq!(
        (&openings[0]["next"][0]["san"], &openings[0]["next"][0]["score"]),
        (&"e5".into(), &75.0.into())
    );
    assert!(openings[0]["next"][0].get("next").is_none());
    assert!(openings[1]["score"].is_null());
    let stats = json(games, &["--top", "1"]);
    assert_eq!(stats["openings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_table_is_readable_and_harmless() {
    let run = ferz_reading(["pgn", "stats", "-"], GAMES.as_bytes());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    for part in
        ["games         3\n", "White's score", "half-moves    4 to 7, mean 5.0, median 4 (3 games)", "1. e4"]
    {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let run = ferz_reading(["pgn", "stats", "-"], "[White \"\u{1b}[31mred\"]\n\n1. e4 e4 *".as_bytes());
    assert!(run.out.contains("^[[31mred") && !run.out.contains('\u{1b}'), "{:?}", run.out);
    assert!(run.out.contains("broken 1, with 1 problems"), "{}", run.out);
    let run = ferz_reading(["pgn", "stats", "-"], b"");
    assert!(run.out.starts_with("games         0\n"), "{}", run.out);
}
