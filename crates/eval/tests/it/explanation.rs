//! The breakdown of the classical evaluation adds up.

use ferz_board::Position;
use ferz_eval::{Term, VALUE_LIMIT, explain};

use crate::sample::{at, for_each_position};

#[test]
fn the_rows_add_up_to_the_value() {
    for_each_position(11, 4, |position, _| {
        let breakdown = explain(position);
        if breakdown.rows.is_empty() {
            assert!(breakdown.rule.is_some(), "{position}");
            return;
        }
        let (mut mg, mut eg) = (0, 0);
        for row in &breakdown.rows {
            mg += row.white.mg() - row.black.mg();
            eg += row.white.eg() - row.black.eg();
        }
        let (phase, scale) = (breakdown.phase, breakdown.scale);
        let value = (mg * phase * 64 + eg * scale * (24 - phase)) / (24 * 64);
        let value = value.clamp(-VALUE_LIMIT, VALUE_LIMIT);
        match breakdown.rule {
            None => assert_eq!(value, breakdown.value, "{position}"),
            // A rule that leaves the rows only makes the value smaller.
            Some(_) => assert!(breakdown.value.abs() <= value.abs(), "{position}"),
        }
    });
}

#[test]
fn the_start_position_is_level_but_for_the_tempo() {
    let breakdown = explain(&Position::start());
    assert_eq!((breakdown.phase, breakdown.scale), (24, 64));
    for row in &breakdown.rows {
        match row.term {
            Term::Tempo => assert!(row.white.mg() > 0 && row.black.mg() == 0),
            _ => assert_eq!(row.white, row.black, "{}", row.term.name()),
        }
    }
    let tempo = breakdown.rows.iter().find(|row| row.term == Term::Tempo).map(|row| row.white.mg());
    assert_eq!(Some(breakdown.value), tempo);
}

#[test]
fn the_table_is_as_wide_in_every_row() {
    let text =
        explain(&at("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")).to_string();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains('|') || line.contains('+')).collect();
    let table: Vec<&&str> = rows.iter().filter(|line| line.contains('|')).collect();
    assert_eq!(table.len(), Term::ALL.len() + 3, "{text}");
    let columns = |line: &str| -> Vec<usize> { line.match_indices('|').map(|(at, _)| at).collect() };
    assert!(table.iter().all(|line| columns(line) == columns(table[0])), "{text}");
    assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
    for term in Term::ALL {
        assert!(text.contains(term.name()), "{text}");
    }
}
