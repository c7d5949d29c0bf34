//! What programs write into comments.

use std::time::Duration;

use ferz_board::Square;
use ferz_notation::pgn::annotation::{
    self, Annotation, Annotations, Arrow, Circle, Eval, EvalScore, ShapeColor,
};
use ferz_notation::pgn::{GameTree, NodeId};

fn tree(text: &str) -> GameTree {
    text.parse().unwrap()
}

#[test]
fn annotations_are_typed() {
    let found = Annotations::parse(
        "[%clk 1:02:03.25][%emt 0:00:07] [%eval -0.35,18] text [%cal Ga1b2, Rc3d4,Xe5e6,Ya1]\n[%csl Be4,rf5]",
    );
    assert_eq!(found.clock, Some(Duration::from_millis(3_723_250)));
    assert_eq!(found.elapsed, Some(Duration::from_secs(7)));
    assert_eq!(found.eval, Some(Eval { score: EvalScore::Centipawns(-35), depth: Some(18) }));
    let arrow = |color, from, to| Arrow { color, from, to };
    assert_eq!(
        found.arrows,
        [arrow(ShapeColor::Green, Square::A1, Square::B2), arrow(ShapeColor::Red, Square::C3, Square::D4)]
    );
    let circle = |color, square| Circle { color, square };
    assert_eq!(found.circles, [circle(ShapeColor::Blue, Square::E4), circle(ShapeColor::Red, Square::F5)]);
}

#[test]
fn odd_annotations_are_left_as_text() {
    let eval = |text: &str| Annotations::parse(&format!("[%eval {text}]")).eval;
    let score = |text: &str| eval(text).map(|eval| eval.score);
    assert_eq!(score("+0.355"), Some(EvalScore::Centipawns(36)));
    assert_eq!(score("-.5"), Some(EvalScore::Centipawns(-50)));
    assert_eq!(score("12"), Some(EvalScore::Centipawns(1200)));
    assert_eq!(score("-0.00"), Some(EvalScore::Centipawns(0)));
    assert_eq!(score("#12"), Some(EvalScore::Mate(12)));
    assert_eq!(score("#-3,4"), Some(EvalScore::Mate(-3)));
    assert_eq!(score("#0"), Some(EvalScore::Mate(0)));
    let not_typed = [
        "nan",
        "inf",
        "nan,inf",
        "#-0",
        "#",
        "#--1",
        "",
        "-",
        ".",
        "1.2.3",
        "1e3",
        "99999999999999.9,300",
        "21474836.48",
        "#4294967296",
        "0.1,",
        "0.1,-3",
        "0.1,x",
        "0.1,2,3",
        "٣",
        "0.٣",
    ];
    for text in not_typed {
        assert_eq!(eval(text), None, "{text}");
    }
    let clock = |text: &str| Annotations::parse(&format!("[%clk {text}]")).clock;
    assert_eq!(clock("999999:99:99.999"), Some(Duration::from_millis(3_600_002_439_999)));
    assert_eq!(clock("12:34"), Some(Duration::from_secs(754)));
    assert_eq!(clock("7.5"), Some(Duration::from_millis(7_500)));
    assert_eq!(clock("0:00:00.1234567899"), Some(Duration::from_nanos(123_456_789)));
    for text in
        ["-0:01:00", "1e400", "", ":", "1:2:3:4", "1::2", "0:0x:00", "99999999999999999999:0:0", "1.2.3"]
    {
        assert_eq!(clock(text), None, "{text}");
    }
    let both = Annotations::parse("[%clk oops] [%clk 0:01] [%clk 0:02]");
    assert_eq!(both.clock, Some(Duration::from_secs(1)));
    assert_eq!(Annotations::parse("[%clk 1:00 [%eval [% [%]"), Annotations::default());
}

#[test]
fn typed_values_are_read_back() {
    let mut tree = tree("1. e4 *");
    let e4 = tree.next(NodeId::ROOT).unwrap();
    for millis in [0, 1, 999, 59_999, 3_600_000, 359_999_990, u64::MAX / 1_000] {
        let time = Duration::from_millis(millis);
        tree.annotate(e4, &Annotation::Clock(time));
        tree.annotate(e4, &Annotation::Elapsed(time));
        let found = tree.annotations(e4);
        assert_eq!((found.clock, found.elapsed), (Some(time), Some(time)));
    }
    for number in [0, 1, -1, 99, 100, -105, i32::MAX, -i32::MAX] {
        for score in [EvalScore::Centipawns(number), EvalScore::Mate(number)] {
            for depth in [None, Some(0), Some(u32::MAX)] {
                let eval = Eval { score, depth };
                tree.annotate(e4, &Annotation::Eval(eval));
                assert_eq!(tree.annotations(e4).eval, Some(eval));
            }
        }
    }
    let arrows: Vec<_> = ShapeColor::ALL
        .into_iter()
        .zip(Square::ALL)
        .map(|(color, from)| Arrow { color, from, to: Square::H8 })
        .collect();
    tree.annotate(e4, &Annotation::Arrows(arrows.as_slice().into()));
    assert_eq!(tree.annotations(e4).arrows, arrows);
    assert_eq!(tree.comments(e4).len(), 1);
}

#[test]
fn setting_a_command_leaves_the_rest() {
    let clock = Annotation::Clock(Duration::from_secs(5));
    let set = |text| annotation::set(text, &clock);
    assert_eq!(set(""), "[%clk 0:00:05]");
    assert_eq!(set(" a\n"), " a\n[%clk 0:00:05]");
    assert_eq!(set("a"), "a [%clk 0:00:05]");
    assert_eq!(set("a [%clk x] b [%foo bar]  [%clk 1:00] c"), "a [%clk 0:00:05] b [%foo bar]  c");
    assert_eq!(set("[%clock 1]"), "[%clock 1] [%clk 0:00:05]");
    assert_eq!(annotation::remove("[%clk 1] a [%clk 2] b[%clk 3]", "clk"), "a b");
    assert_eq!(annotation::remove("[%clk 1]", "clk"), "");
    assert_eq!(annotation::remove("a [%b", "b"), "a [%b");
    assert_eq!(annotation::plain_text(" [%clk 1] a  b [%x]c [%y] "), "a  b c");
    assert_eq!(annotation::plain_text("[%clk 1]"), "");

    let mut tree = tree("1. e4 {a} {[%eval 0.1] b} {[%eval 0.2]} e5 {[%clk 1]} *");
    let e4 = tree.next(NodeId::ROOT).unwrap();
    tree.annotate(e4, &Annotation::Eval(Eval { score: EvalScore::Mate(-2), depth: None }));
    tree.annotate(e4, &clock);
    assert_eq!(tree.comments(e4).collect::<Vec<_>>(), ["a", "[%eval #-2] b", "[%clk 0:00:05]"]);
    tree.remove_annotation(e4, "clk");
    tree.remove_annotation(e4, "eval");
    tree.remove_annotation(tree.next(e4).unwrap(), "clk");
    assert!(tree.to_string().ends_with("1. e4 {a} {b} 1... e5 *\n"));
}
