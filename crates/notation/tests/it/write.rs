//! Writing PGN: the format itself, and the law that a game which is written and read again is what it was.

use std::time::{Duration, Instant};

use fastrand::Rng;
use ferz_board::{CastlingMode, PieceType, Position, Setup};
use ferz_notation::pgn::{self, GameResult, GameTree, Nag, NodeId, PgnWriter, WalkEvent, WriteOptions};
use ferz_notation::san::San;

use crate::random::game_positions;

fn tree(text: &str) -> GameTree {
    text.parse().unwrap()
}

fn read(text: &[u8]) -> Vec<GameTree> {
    pgn::games(text).map(Result::unwrap).collect()
}

fn write(trees: &[GameTree], options: WriteOptions) -> Vec<u8> {
    let mut writer = PgnWriter::with_options(Vec::new(), options);
    trees.iter().for_each(|tree| writer.write(tree).unwrap());
    writer.into_inner()
}

/// All options that leave nothing out.
fn complete_options() -> [WriteOptions; 4] {
    let usual = WriteOptions::default();
    [
        usual,
        usual.symbols(true).line_width(usize::MAX),
        usual.roster(false).line_width(0),
        usual.roster(false).symbols(true).line_width(10),
    ]
}

/// Games that are written and read again are what they were, and are written as before.
fn survive(trees: &[GameTree], what: &str) {
    for options in complete_options() {
        let text = write(trees, options);
        let again = read(&text);
        assert_eq!(again.len(), trees.len(), "{what}");
        for (old, new) in trees.iter().zip(&again) {
            assert_eq!(new, old, "{what}, {options:?}:\n{old}\nis not\n{new}");
        }
        assert!(write(&again, options) == text, "{what}: another text the second time");
    }
}

// ---- The format

#[test]
fn export_format() {
    let tree = tree(
        "[ECO \"C60\"]\n[White \"A\"]\n[Event \"E\"]\n\n\
         {c} 1.e4 $1 {d} {e} 1...e5 2.Nf3 ({f} 2.Bc4 Nc6 (2...Nf6!? 3.d3) 3.Qh5 $2) 2...Nc6 3.-- a6 1/2-1/2",
    );
    let expected = "\
[Event \"E\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"?\"]
[White \"A\"]
[Black \"?\"]
[Result \"1/2-1/2\"]
[ECO \"C60\"]

{c} 1. e4 $1 {d} {e} 1... e5 2. Nf3 ({f} 2. Bc4 Nc6 (2... Nf6 $5 3. d3) 3. Qh5
$2) 2... Nc6 3. -- a6 1/2-1/2
";
    assert_eq!(tree.to_string(), expected);
    assert_eq!(tree.to_pgn(&WriteOptions::default()), expected);
    let options = WriteOptions::new().symbols(true).roster(false).comments(false);
    assert_eq!(
        tree.to_pgn(&options),
        "[ECO \"C60\"]\n[White \"A\"]\n[Event \"E\"]\n\n1. e4! e5 2. Nf3 (2. Bc4 Nc6 (2... Nf6!? 3. d3) 3. Qh5?) \
         2... Nc6 3. -- a6\n1/2-1/2\n"
    );
    let options = options.variations(false).nags(false);
    assert_eq!(tree.to_movetext(&options), "1. e4 e5 2. Nf3 Nc6 3. -- a6 1/2-1/2\n");
}

#[test]
fn black_may_begin() {
    let mut tree = GameTree::starting_from(Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 3 40").unwrap());
    let mut position = *tree.start();
    let moves = ["e8d7", "e1d2"].map(|uci| {
        let mv = position.parse_uci(uci).unwrap();
        position.play(mv).unwrap();
        mv
    });
    tree.add_line(NodeId::ROOT, moves).unwrap();
    let text = tree.to_string();
    assert!(text.ends_with(
        "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 3 40\"]\n\n40... Kd7 41. Kd2 *\n"
    ));
}

#[test]
fn lines_are_never_too_long() {
    let mut random = Rng::with_seed(1);
    for width in [20, 40, 79, 100] {
        for _ in 0..50 {
            let mut tree = random_tree(&mut random);
            tree.strip_comments();
            let options = WriteOptions::new().line_width(width).symbols(random.bool());
            let text = tree.to_movetext(&options);
            assert!(text.lines().all(|line| line.len() <= width && line.trim() == line), "{text}");
        }
    }
    // As many tokens as fit, and brackets count.
    for (width, expected) in [
        (8, "1. e4\n(1. d4)\n1... e5\n*\n"),
        (9, "1. e4 (1.\nd4) 1...\ne5 *\n"),
        (12, "1. e4 (1. d4\n) 1... e5 *\n"),
        (13, "1. e4 (1. d4)\n1... e5 *\n"),
    ] {
        let options = WriteOptions::new().line_width(width);
        assert_eq!(tree("1. e4 (1. d4) e5").to_movetext(&options), expected);
    }
}

#[test]
fn comments_stay_as_they_are() {
    let text = "1. e4 { a  b\n\n c\t} {} ;with } brace\n e5 (1... c5 ; } {\n) 2. Nf3 ;plain { \n *";
    let tree = tree(text);
    assert_eq!(
        tree.to_movetext(&WriteOptions::default()),
        "1. e4 { a  b\n\n c\t} {} ;with } brace\n1... e5 (1... c5 ; } {\n) 2. Nf3 {plain { } *\n"
    );
    survive(&[tree], text);
    // A long one starts a new line and is not broken.
    let long = "word ".repeat(30);
    let tree: GameTree = format!("1. e4 e5 {{{long}}} 2. Nf3 *").parse().unwrap();
    assert_eq!(tree.to_movetext(&WriteOptions::default()), format!("1. e4 e5\n{{{long}}}\n2. Nf3 *\n"));
}

#[test]
fn games_are_told_apart() {
    let games = read(b"1. e4\n\n[White \"A\"]\n\n1. d4\n\n[White \"B\"]\n[Result \"0-1\"]\n\n1. c4 {x");
    assert_eq!(games.len(), 3);
    let options = WriteOptions::new().roster(false);
    let text = String::from_utf8(write(&games, options)).unwrap();
    assert_eq!(
        text,
        "1. e4 *\n\n[White \"A\"]\n\n1. d4 *\n\n[White \"B\"]\n[Result \"0-1\"]\n\n1. c4 {x} 0-1\n"
    );
    survive(&games, "three games");
}

#[test]
fn every_glyph_survives() {
    let mut tree = tree("1. e4 e5 *");
    let e4 = tree.next(NodeId::ROOT).unwrap();
    for first in 0..=255 {
        for second in [1, 2, 10, 18, 140, 255] {
            tree.strip_nags();
            tree.add_nag(e4, Nag(first));
            tree.add_nag(e4, Nag(second));
            tree.add_nag(NodeId::ROOT, Nag(first));
            survive(std::slice::from_ref(&tree), &format!("{first} {second}"));
        }
    }
}

#[test]
fn failing_output_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    assert!(PgnWriter::new(Full).write(&GameTree::new()).is_err());
}

// ---- The law

fn random_start(random: &mut Rng) -> Position {
    match random.usize(..5) {
        0 | 1 => Position::start(),
        2 => Position::chess960_start(random.u16(..960)).unwrap(),
        3 => {
            let setup = Setup::chess960(random.u16(..960), random.u16(..960)).unwrap();
            Position::from_setup(&setup, CastlingMode::Chess960).unwrap()
        }
        _ => {
            let mode = *random.choice(&[CastlingMode::Standard, CastlingMode::Chess960]).unwrap();
            game_positions(random, 80, mode)[79]
        }
    }
}

/// Text of pieces that mean something somewhere in PGN.
fn random_text(random: &mut Rng) -> String {
    const PIECES: [&str; 28] = [
        "a",
        "word",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\r",
        "}",
        "{",
        ";",
        "(",
        ")",
        "[",
        "]",
        "%",
        "\"",
        "\\",
        "$1",
        "1-0",
        "*",
        "é",
        "♘",
        "\0",
        "\u{85}",
        "\n\n[Event \"",
        "\n\r\n[Event \"",
        "[%clk 0:01]",
        "1. e4",
    ];
    (0..random.usize(..8)).map(|_| *random.choice(&PIECES).unwrap()).collect()
}

/// A tree of legal moves with everything that can be in one.
fn random_tree(random: &mut Rng) -> GameTree {
    let mut tree = GameTree::starting_from(random_start(random));
    let mut nodes = vec![(NodeId::ROOT, *tree.start())];
    for _ in 0..random.usize(..60) {
        let back = if random.usize(..3) > 0 { 1 } else { 1 + random.usize(..nodes.len()) };
        let (parent, mut position) = nodes[nodes.len() - back];
        let moves = position.legal_moves();
        let mv = if moves.is_empty() || random.usize(..20) == 0 {
            None
        } else {
            Some(random.choice(moves).unwrap())
        };
        match (mv, position.null_move()) {
            (Some(mv), _) => position.play(mv).unwrap(),
            (None, Some(next)) => position = next,
            (None, None) => continue,
        }
        nodes.push((tree.add_move(parent, mv).unwrap(), position));
    }
    for _ in 0..random.usize(..20) {
        let (node, _) = *random.choice(&nodes).unwrap();
        match random.usize(..5) {
            0 => tree.add_comment_before(node, &random_text(random)),
            1 | 2 => tree.add_comment(node, &random_text(random)),
            _ => tree.add_nag(node, Nag(random.u8(..))),
        }
    }
    for _ in 0..random.usize(..6) {
        let name =
            *random.choice(&["Event", "White", "Result", "ECO", "Größe", "x-y", "Tag.1", "%"]).unwrap();
        tree.set_tag(name, &random_text(random).repeat(1 + random.usize(..20))).unwrap();
    }
    if random.usize(..3) == 0 {
        tree.set_result(*random.choice(&[GameResult::Draw, GameResult::Unknown]).unwrap());
    }
    tree
}

#[test]
fn random_trees_survive() {
    let mut random = Rng::with_seed(2);
    let (mut moves, mut variations) = (0, 0);
    for i in 0..300 {
        let trees: Vec<_> = (0..3).map(|_| random_tree(&mut random)).collect();
        survive(&trees, &format!("tree {i}"));
        for tree in &trees {
            moves += tree.positions().count();
            variations += tree.walk().filter(|&event| event == WalkEvent::BeginVariation).count();
        }
    }
    assert!(moves > 10_000 && variations > 2_000, "{moves} moves, {variations} variations");
}

#[test]
fn edited_trees_survive() {
    let mut random = Rng::with_seed(3);
    for i in 0..300 {
        let mut tree = random_tree(&mut random);
        for _ in 0..10 {
            let nodes: Vec<_> = tree.positions().map(|(node, _)| node).chain([NodeId::ROOT]).collect();
            let node = *random.choice(&nodes).unwrap();
            match random.usize(..8) {
                0 | 1 => drop(tree.promote(node)),
                2 => drop(tree.demote(node)),
                3 => drop(tree.promote_to_main_line(node)),
                4 => drop(tree.delete(node)),
                5 => tree.set_comment_before(node, &random_text(&mut random)),
                6 => tree.set_comment(node, &random_text(&mut random)),
                _ => {
                    let before = tree.clone();
                    tree.compact();
                    assert_eq!(tree, before);
                }
            }
        }
        survive(std::slice::from_ref(&tree), &format!("tree {i}"));
    }
}

/// Whatever stands in a file: what is read of it survives.
#[test]
fn random_files_survive() {
    const TOKENS: [&str; 40] = [
        "1.",
        "e4",
        "e5",
        "Nf3",
        "Nc6",
        "d4",
        "exd4",
        "O-O",
        "--",
        "Ke2",
        "!?",
        "$5",
        "$300",
        "+-",
        "(",
        ")",
        "(",
        ")",
        "{a}",
        "{",
        "}",
        ";b }\n",
        "{ c\n\n d }",
        "[",
        "]",
        "\"",
        "*",
        "1-0",
        "\n",
        "\r\n",
        "\n\n",
        "%x\n",
        "[Event \"x\"]\n",
        "\n[Event \"x",
        "\n[White \"a\\\"b\\\\\"]\n",
        "\n[a]b \"c\"]\n",
        "x",
        "\u{feff}",
        "\0",
        "é}",
    ];
    let mut random = Rng::with_seed(4);
    for i in 0..3_000 {
        let mut file: Vec<u8> = Vec::new();
        for _ in 0..random.usize(..40) {
            file.extend_from_slice(random.choice(&TOKENS).unwrap().as_bytes());
            file.extend((random.usize(..3) > 0).then_some(b' '));
            file.extend((random.usize(..30) == 0).then_some(0xfc));
        }
        let games = read(&file);
        survive(&games, &format!("file {i}: {}", file.escape_ascii()));
    }
}

#[test]
fn the_torture_files_survive() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pgn_torture");
    let mut games = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let trees = read(&std::fs::read(&path).unwrap());
        games += trees.len();
        survive(&trees, &path.display().to_string());
    }
    assert!(games > 30);
}

// ---- Large games

/// A game in which every move but the last has a variation, each inside the one before.
fn nested(depth: usize) -> String {
    let mut position = Position::start();
    let mut text = String::new();
    for _ in 0..depth {
        let is_quiet = |mv: &ferz_board::Move| {
            position.piece_at(mv.from()).is_some_and(|piece| piece.piece_type() == PieceType::Knight)
                && position.piece_at(mv.to()).is_none()
                && !position.gives_check(*mv)
        };
        let quiet: Vec<_> = position.legal_moves().iter().copied().filter(is_quiet).collect();
        let (line, variation) = (quiet[0], quiet[quiet.len() - 1]);
        text += &format!("{} ({} ", San::new(&position, line), San::new(&position, variation));
        position.play(variation).unwrap();
    }
    text + &")".repeat(depth) + " *"
}

#[test]
fn deep_variations_take_neither_stack_nor_time() {
    let text = nested(20_000);
    let start = Instant::now();
    let mut game = tree(&text);
    assert!(game.problems().is_empty());
    let inwards = game.walk().take_while(|&event| event != WalkEvent::EndVariation);
    assert_eq!(inwards.filter(|&event| event == WalkEvent::BeginVariation).count(), 20_000);
    assert_eq!(game.positions().count(), 40_000);
    assert_eq!(tree(&game.to_string()), game);
    let deepest = game.positions().map(|(node, _)| node).max().unwrap();
    assert!(game.promote_to_main_line(deepest));
    assert_eq!(game.main_line().count(), 20_000);
    game.compact();
    drop(game);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn large_games_take_linear_time() {
    let wide = format!("1. e4 {} 1... e5 *", "(1. d4 {a} d5) {b} $1 ".repeat(20_000));
    let nested_siblings = format!("1. e4 {} *", "(1. d4 ".repeat(20_000));
    let many_remarks = format!("1. e4 {} {} *", "{x} ".repeat(50_000), "$7 ".repeat(50_000));
    let long_comment = format!("1. e4 {{{}}} e5 *", "long comment ".repeat(200_000));
    let long_game = format!("{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(5_000));
    let start = Instant::now();
    for text in [wide, nested_siblings, many_remarks, long_comment, long_game] {
        survive(&read(text.as_bytes()), &text[..30]);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
