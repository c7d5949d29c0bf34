//! Invariants of the classical evaluation.

use ferz_board::Position;
use ferz_eval::tuning::{Trace, current_weights, render};
use ferz_eval::{Evaluator, VALUE_LIMIT, explain};

use crate::sample::for_each_position;

#[test]
fn the_classical_evaluation_is_colour_symmetric() {
    let mut evaluator = Evaluator::new(&Position::start());
    for_each_position(1, 6, |position, _| {
        evaluator.reset(position);
        let value = evaluator.evaluate(position);
        let mirrored = position.with_colors_exchanged();
        evaluator.reset(&mirrored);
        assert_eq!(evaluator.evaluate(&mirrored), value, "{position}");
        assert_eq!(explain(&mirrored).value, -explain(position).value, "{position}");
    });
}

#[test]
fn incremental_updates_equal_fresh_evaluations() {
    let (mut followed, mut kinds) = (Evaluator::new(&Position::start()), [0; 3]);
    let mut fresh = followed.clone();
    let mut depth = 0;
    for_each_position(2, 40, |position, last| {
        match last {
            None => {
                (0..depth).for_each(|_| followed.pop());
                depth = 0;
                followed.reset(position);
            }
            Some((before, mv)) => {
                let mut child = *before;
                // Unmaking a move and a null move restores the state.
                before.play_into(mv, &mut child, followed.push());
                followed.pop();
                if let Some(passed) = before.null_move() {
                    followed.push();
                    followed.evaluate(&passed);
                    followed.pop();
                }
                before.play_into(mv, &mut child, followed.push());
                depth += 1;
                kinds[0] += usize::from(mv.is_castling());
                kinds[1] += usize::from(mv.is_en_passant());
                kinds[2] += usize::from(mv.promotion().is_some());
            }
        }
        fresh.reset(position);
        assert_eq!(followed.evaluate(position), fresh.evaluate(position), "{position}");
    });
    assert!(kinds.iter().all(|&count| count > 5), "the games contain too few special moves: {kinds:?}");
}

#[test]
#[should_panic(expected = "missed a move")]
fn a_missed_move_is_noticed() {
    let position = Position::start();
    let mut evaluator = Evaluator::new(&position);
    let mut child = position;
    position.play_into(position.legal_moves().as_slice()[0], &mut child, &mut ());
    evaluator.push();
    evaluator.evaluate(&child);
}

#[test]
fn the_pawn_hash_table_does_not_change_values() {
    let start = Position::start();
    let mut warm = Evaluator::new(&start);
    let mut cold = warm.clone();
    for _ in 0..2 {
        for_each_position(3, 2, |position, _| {
            warm.reset(position);
            cold.reset(position);
            cold.clear();
            assert_eq!(warm.evaluate(position), cold.evaluate(position), "{position}");
        });
    }
}

#[test]
fn traces_and_weights_give_the_value() {
    let weights = current_weights();
    let (mut evaluator, mut traced) = (Evaluator::new(&Position::start()), 0);
    for_each_position(4, 4, |position, _| {
        evaluator.reset(position);
        let value = evaluator.evaluate(position);
        assert!(value.abs() <= VALUE_LIMIT);
        let explanation = explain(position);
        let white = if position.side_to_move() == ferz_board::Color::White { value } else { -value };
        assert_eq!(explanation.value, white, "{position}");
        if let Some(trace) = Trace::new(position) {
            assert_eq!(trace.value(&weights), white, "{position}");
            traced += 1;
        }
    });
    assert!(traced > 1000);
}

#[test]
fn every_weight_is_used() {
    let mut counts = vec![0u32; current_weights().len()];
    for_each_position(5, 12, |position, _| {
        if let Some(trace) = Trace::new(position) {
            for count in trace.linear.iter().chain(&trace.attacks[0]).chain(&trace.attacks[1]) {
                counts[usize::from(count.weight)] += 1;
            }
        }
    });
    let unseen: Vec<&str> = ferz_eval::tuning::FIELDS
        .iter()
        .filter(|field| counts[field.start..field.start + field.len].iter().all(|&count| count == 0))
        .map(|field| field.name)
        .collect();
    assert!(unseen.is_empty(), "never counted: {unseen:?}");
}

#[test]
fn rendered_weights_are_the_source_file() {
    let file = include_str!("../../src/classical/weights.rs");
    let origin: Vec<&str> =
        file.lines().skip(2).map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    assert_eq!(render(&current_weights(), &origin.join("\n")), file);
}
