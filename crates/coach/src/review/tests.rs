//! Reviews of games whose mistakes are known.

use ferz_board::Color;
use ferz_notation::pgn::{GameTree, Nag, NodeId, PgnWriter};
use ferz_search::{Engine, Limits, Score, Signals, Wdl};

use super::judgement::Evidence;
use super::*;

fn game(text: &str) -> GameTree {
    text.parse().expect("a game")
}

fn reviewed(tree: &GameTree, lines: usize) -> Review {
    let settings = ReviewSettings::new(Limits::default().nodes(20_000)).lines(lines);
    let mut engine = Engine::new(8).expect("memory");
    review(&mut engine, tree, &settings, &Signals::new(), &mut |_| {}).expect("not stopped")
}

/// An assessment with these probabilities for White.
fn chances(win: u16, loss: u16) -> Assessment {
    let wdl = Wdl::new(win, 1000 - win - loss, loss).expect("they add up to 1000");
    Assessment { score: Score::Centipawns(i32::from(win) - i32::from(loss)), wdl, depth: 1 }
}

fn mate(moves: i32) -> Assessment {
    let (win, loss) = if moves > 0 { (1000, 0) } else { (0, 1000) };
    Assessment { score: Score::Mate(moves), ..chances(win, loss) }
}

fn evidence(color: Color, before: Assessment, after: Assessment) -> Evidence {
    Evidence {
        color,
        before,
        after,
        is_best: false,
        second: None,
        is_forced: false,
        takes_back: false,
        is_book: false,
    }
}

#[test]
fn expected_scores_are_points() {
    assert_eq!(chances(500, 100).expected_score(Color::White), 0.7);
    assert!((chances(500, 100).expected_score(Color::Black) - 0.3).abs() < 1e-9);
    assert_eq!((mate(3).mate_by(Color::White), mate(3).mate_by(Color::Black)), (Some(3), None));
    assert_eq!((mate(-3).mate_by(Color::White), mate(-3).mate_by(Color::Black)), (None, Some(3)));
    assert_eq!(mate(-2).a_move_earlier(Color::Black).score, Score::Mate(-3));
    assert_eq!(mate(-2).a_move_earlier(Color::White).score, Score::Mate(-2));
    let over = Assessment::of(ferz_board::Outcome::Checkmate { winner: Color::White });
    assert_eq!((over.mate_by(Color::White), over.eval()), (Some(0), None));
    assert_eq!(over.a_move_earlier(Color::White).score, Score::Mate(1));
}

#[test]
fn errors_are_called_by_what_they_lose() {
    let even = chances(300, 300);
    for (win, loss, judgement) in [
        (300, 300, Judgement::Good),
        (300, 480, Judgement::Good),
        (200, 400, Judgement::Inaccuracy),
        (100, 500, Judgement::Mistake),
        (0, 600, Judgement::Blunder),
        (500, 100, Judgement::Good),
    ] {
        let white = evidence(Color::White, even, chances(win, loss));
        assert_eq!(white.judge(), (judgement, None), "{win} {loss}");
        let black = evidence(Color::Black, even, chances(loss, win));
        assert_eq!(black.judge(), (judgement, None), "{win} {loss}");
        let best = Evidence { is_best: true, ..white };
        assert_eq!((best.judge().0, best.loss()), (Judgement::Best, 0.0));
        // An error in the book is still an error.
        let book = Evidence { is_book: true, ..white }.judge().0;
        assert_eq!(book, if judgement.is_error() { judgement } else { Judgement::Book });
        assert_eq!(Evidence { is_forced: true, ..white }.judge().0, Judgement::Forced);
    }
}

#[test]
fn mates_are_missed_and_allowed() {
    let won = chances(990, 0);
    let misses = evidence(Color::White, mate(3), won);
    assert_eq!(misses.judge(), (Judgement::Inaccuracy, Some(Remark::MissesMate(3))));
    let distant = evidence(Color::White, mate(12), won);
    assert_eq!(distant.judge(), (Judgement::Good, Some(Remark::MissesMate(12))));
    let slower = evidence(Color::White, mate(3), mate(9));
    assert_eq!(slower.judge(), (Judgement::Good, None));
    let allows = evidence(Color::White, chances(300, 300), mate(-2));
    assert_eq!(allows.judge(), (Judgement::Blunder, Some(Remark::AllowsMate(2))));
    let hopeful = chances(10, 860);
    let gives_up = evidence(Color::White, hopeful, mate(-2));
    assert_eq!(gives_up.judge(), (Judgement::Mistake, Some(Remark::AllowsMate(2))));
    assert_eq!(evidence(Color::White, hopeful, mate(-12)).judge(), (Judgement::Good, None));
    let lost_anyway = evidence(Color::White, chances(0, 990), mate(-2));
    assert_eq!(lost_anyway.judge(), (Judgement::Good, None));
    let turns_tables = evidence(Color::Black, mate(-1), mate(1));
    assert_eq!(turns_tables.judge(), (Judgement::Blunder, Some(Remark::MissesMate(1))));
}

#[test]
fn the_only_good_move_is_told_apart() {
    let best = Evidence { is_best: true, ..evidence(Color::White, chances(900, 0), chances(900, 0)) };
    let with_second = |win| Evidence { second: Some(chances(win, 0)), ..best };
    assert_eq!(with_second(450).judge().0, Judgement::Only);
    assert_eq!(with_second(600).judge().0, Judgement::Best);
    assert_eq!(best.judge().0, Judgement::Best);
    assert_eq!(Evidence { takes_back: true, ..with_second(450) }.judge().0, Judgement::Best);
}

/// A move of a review made by hand.
fn made_up(color: Color, before: Assessment, after: Assessment) -> ReviewedMove {
    let position = match color {
        Color::White => Position::start(),
        Color::Black => Position::start().null_move().expect("no check"),
    };
    let evidence = evidence(color, before, after);
    let (judgement, remark) = evidence.judge();
    let mv = position.legal_moves()[0];
    let (node, loss) = (NodeId::ROOT, evidence.loss());
    ReviewedMove {
        node,
        position,
        mv,
        before,
        after,
        best_line: Vec::new(),
        reply_line: Vec::new(),
        judgement,
        remark,
        loss,
        reason: None,
        others_lose: false,
    }
}

#[test]
fn accuracy_falls_with_every_loss() {
    let accuracies: Vec<f64> = (0..=100).map(|loss| accuracy::of_loss(f64::from(loss) / 100.0)).collect();
    assert!(accuracies.is_sorted_by(|more, less| more > less));
    assert_eq!((accuracies[0], accuracies[100]), (100.0, 0.0));
}

#[test]
fn quiet_moves_do_not_hide_a_blunder() {
    let (even, lost) = (chances(300, 300), chances(0, 900));
    let quiet = |moves: usize| -> Vec<ReviewedMove> {
        let sides = [Color::White, Color::Black].into_iter().cycle();
        sides.take(moves).map(|color| made_up(color, even, even)).collect()
    };
    let review = |moves| Review { opening: None, moves };
    assert_eq!(review(Vec::new()).accuracy(Color::White), None);
    let is_perfect = |accuracy: Option<f64>| (accuracy.expect("moves") - 100.0).abs() < 1e-9;
    assert!(is_perfect(review(quiet(60)).accuracy(Color::Black)));
    let with_blunder = |moves| {
        let mut moves = quiet(moves);
        moves.push(made_up(Color::White, even, lost));
        moves.push(made_up(Color::Black, lost, lost));
        let review = review(moves);
        assert!(is_perfect(review.accuracy(Color::Black)));
        review.accuracy(Color::White).expect("moves")
    };
    let (short, long) = (with_blunder(20), with_blunder(200));
    assert!((50.0..85.0).contains(&short), "{short}");
    assert!(long > short && long < 95.0, "{long}");
}

#[test]
fn a_game_is_judged_move_by_move() {
    let tree = game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qf3 d6 5. Ne2 Bg4 6. d3 Bxf3 *");
    let review = reviewed(&tree, 1);
    assert_eq!(review.opening.map(|(_, opening)| opening.eco), Some("C23"));
    assert_eq!(review.moves.len(), 12);
    let judgements: Vec<_> = review.moves.iter().map(|it| it.judgement).collect();
    assert_eq!(judgements[..3], [Judgement::Book; 3]);
    let [nf6, qf3] = [&review.moves[5], &review.moves[6]];
    assert_eq!((nf6.judgement, nf6.remark), (Judgement::Blunder, Some(Remark::AllowsMate(1))));
    assert_eq!((qf3.judgement, qf3.remark), (Judgement::Blunder, Some(Remark::MissesMate(1))));
    assert_eq!(qf3.before.score, Score::Mate(1));
    assert_eq!(qf3.words().as_deref(), Some("Blunder: misses mate in 1. Qxf7# was better."));
    // The queen is left en prise.
    assert_eq!(judgements[10], Judgement::Blunder);
    assert_eq!(judgements[11], Judgement::Best);
    assert_consistent(&review);
    assert_eq!(
        review.moves[10].words().as_deref(),
        Some("Blunder: leaves the queen on f3 hanging. Qb3 was better.")
    );
    assert!(review.accuracy(Color::White) < Some(80.0));
}

/// The curve and the judgements tell the same story: the value after a move is the value before the next one, and a move
/// is an error exactly if the curve falls.
#[track_caller]
fn assert_consistent(review: &Review) {
    for pair in review.moves.windows(2) {
        let (wdl, next) = (pair[0].after.wdl, pair[1].before.wdl);
        assert_eq!(wdl, next, "{}", pair[0].position);
    }
    for it in &review.moves {
        let fall = it.before.expected_score_above(&it.after, it.color());
        let is_missed_mate = matches!(it.remark, Some(Remark::MissesMate(_)));
        assert_eq!(it.judgement.is_error(), fall >= 0.1 || is_missed_mate, "{} {fall}: {it:?}", it.position);
        assert!(fall >= 0.0, "a move does not make the position better: {fall} {it:?}");
    }
}

/// A quick review once called a move good that took its own curve from won to equal.
#[test]
fn judgements_agree_with_the_curve() {
    let tree = game(
        "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 h6 \
         11. Bh4 g5 12. Bg3 cxb5 13. Bxb5+ Nc6 14. O-O-O Rc8 15. f3 Bg7 16. Rd3 O-O 17. Rhd1 Nd4 18. Qa4 Nxb5 *",
    );
    let settings = ReviewSettings::new(Limits::default().nodes(1_500));
    let mut engine = Engine::new(4).expect("memory");
    let review = review(&mut engine, &tree, &settings, &Signals::new(), &mut |_| {}).expect("not stopped");
    assert_consistent(&review);
    assert!(review.moves.iter().any(|it| it.judgement.is_error()));
}

#[test]
fn only_moves_have_the_glyphs_of_the_standard() {
    let only = |others_lose| ReviewedMove {
        judgement: Judgement::Only,
        others_lose,
        ..made_up(Color::White, chances(900, 0), chances(900, 0))
    };
    assert_eq!((only(true).nag(), only(false).nag()), (Some(Nag(7)), Some(Nag(8))));
}

#[test]
fn progress_counts_all_positions_and_a_stop_is_obeyed() {
    let tree = game("1. e4 e5 2. Nf3 -- 3. Nc3 Nc6 *");
    let settings = ReviewSettings::new(Limits::default().depth(2)).lines(1);
    let mut engine = Engine::new(1).expect("memory");
    let signals = Signals::new();
    let mut steps = Vec::new();
    let mut listen =
        |step: ReviewStep<'_>| steps.push((step.done, step.total, step.judged.map(|judged| judged.mv)));
    assert!(review(&mut engine, &tree, &settings, &signals, &mut listen).is_some());
    // Five moves in two stretches.
    assert_eq!(steps.iter().map(|step| step.0).collect::<Vec<_>>(), (1..=7).collect::<Vec<_>>());
    assert!(steps.iter().all(|step| step.1 == 7));
    assert_eq!(steps.iter().filter(|step| step.2.is_some()).count(), 5);

    let mut count = 0;
    let mut stop = |_: ReviewStep<'_>| {
        count += 1;
        signals.stop();
    };
    assert!(review(&mut engine, &tree, &settings, &signals, &mut stop).is_none());
    assert_eq!(count, 1);
}

/// One node is too few for any value. Every move is judged nevertheless.
#[test]
fn the_smallest_limits_suffice() {
    let tree = game("1. e4 e5 2. Nf3 Nc6 *");
    let settings = ReviewSettings::new(Limits::default().nodes(1));
    let mut engine = Engine::new(1).expect("memory");
    let review = review(&mut engine, &tree, &settings, &Signals::new(), &mut |_| {}).expect("not stopped");
    assert_eq!(review.moves.len(), 4);
}

#[test]
fn everything_that_was_there_stays() {
    let text = "[Event \"x\"]\n[Opening \"King's Fianchetto\"]\n\n{Before.} 1. e4 e5 (1... c5 $1 {Sicilian}) 2. Bc4 Nc6 3. Qh5 Nf6 \
                $1 {A trap? [%clk 0:01:00]} (3... g6) 4. Qf3 {[%eval 5.00,1]} g5 *";
    let mut tree = game(text);
    let review = reviewed(&tree, 2);
    review.annotate(&mut tree);
    let nf6 = tree.main_line().nth(5).expect("Black's third move");
    // An existing glyph stays, although the review disagrees.
    assert_eq!(tree.nags(nf6).collect::<Vec<_>>(), [Nag::GOOD]);
    let comments: Vec<_> = tree.comments(nf6).collect();
    assert!(comments[0].starts_with("A trap? [%clk 0:01:00] [%eval #1,"), "{comments:?}");
    assert!(
        comments[1].starts_with("Blunder: allows mate in 1. ") && comments[1].ends_with(" was better."),
        "{comments:?}"
    );
    let qf3 = tree.next(nf6).expect("a move");
    assert_eq!(tree.nags(qf3).collect::<Vec<_>>(), [Nag::BLUNDER]);
    assert_eq!(tree.comments(qf3).len(), 1, "the evaluation was replaced");
    let better = tree.next_sibling(qf3).expect("a variation with the mate");
    assert_eq!(tree.mv(better).map(Move::to), Some(ferz_board::Square::F7));
    for kept in [
        "{Before.}",
        "(1... c5 $1 {Sicilian})",
        "(3... g6)",
        "[Opening \"King's Fianchetto\"]",
        "[ECO \"C23\"]",
    ] {
        let text = tree.to_string().replace('\n', " ");
        assert!(text.contains(kept), "{kept} in\n{tree}");
    }
    assert!(tree.tag("WhiteAccuracy").is_some() && tree.tag("BlackAccuracy").is_some());

    // It can be written and read again, and a second review changes nothing.
    let mut writer = PgnWriter::new(Vec::new());
    writer.write(&tree).expect("a vector takes everything");
    let again = game(&String::from_utf8(writer.into_inner()).expect("text"));
    assert_eq!(again, tree);
    let mut twice = tree.clone();
    review.annotate(&mut twice);
    assert_eq!(twice, tree);
}

#[test]
fn games_without_moves_and_ends_of_games() {
    let mut empty = game("[White \"nobody\"]\n\n*");
    let review = reviewed(&empty, 1);
    assert!(review.moves.is_empty() && review.accuracy(Color::White).is_none());
    review.annotate(&mut empty);
    assert_eq!(empty.tag("WhiteAccuracy"), None);

    let mut mated = game("1. f3 e5 2. g4 Qh4# 0-1");
    let review = reviewed(&mated, 1);
    let last = review.moves.last().expect("four moves");
    assert_eq!(last.after.mate_by(Color::Black), Some(0));
    assert_eq!(review.moves[2].remark, Some(Remark::AllowsMate(1)), "a blunder, though it is in the table");
    review.annotate(&mut mated);
    let end = mated.line_end(NodeId::ROOT);
    assert_eq!(
        mated.comments(end).len(),
        0,
        "no evaluation of a mate, and the opening is in the tags: {mated}"
    );
}

#[test]
fn taking_back_a_pawn_that_captured_en_passant_is_taking_back() {
    let tree = game("1. e4 a6 2. e5 d5 3. exd6 exd6 *");
    let stretches = stretches(&tree);
    let flags: Vec<_> =
        stretches[0].moves.iter().map(|played| (played.captures, played.takes_back)).collect();
    assert_eq!(flags[4..], [(true, false), (true, true)]);
}
