//! Game trees: what is read into them, finding one's way, editing.

use std::io::{self, Read};
use std::time::Duration;

use ferz_board::{CastlingMode, Color, Move, Position, Square};
use ferz_notation::pgn::annotation::Annotation;
use ferz_notation::pgn::{
    self, EditError, GameResult, GameTree, Nag, NodeId, Problem, Reader, TagError, Visitor, WalkEvent,
};
use ferz_notation::san;

fn tree(text: &str) -> GameTree {
    text.parse().unwrap()
}

/// The node reached by moves from the root, variations included.
fn find(tree: &GameTree, moves: &str) -> NodeId {
    moves.split_whitespace().fold(NodeId::ROOT, |node, text| {
        let position = tree.position_at(node).unwrap();
        let mv = san::parse_or_null(&position, text).unwrap();
        tree.children(node).find(|&child| tree.mv(child) == mv).unwrap()
    })
}

fn comments(tree: &GameTree, moves: &str) -> Vec<String> {
    tree.comments(find(tree, moves)).map(Into::into).collect()
}

fn comments_before(tree: &GameTree, moves: &str) -> Vec<String> {
    tree.comments_before(find(tree, moves)).map(Into::into).collect()
}

fn nags(tree: &GameTree, moves: &str) -> Vec<u8> {
    tree.nags(find(tree, moves)).map(|nag| nag.0).collect()
}

fn movetext(tree: &GameTree) -> String {
    tree.to_movetext(&pgn::WriteOptions::default()).trim_end().to_owned()
}

// ---- Reading

#[test]
fn comments_belong_to_the_move_before_them() {
    let tree = tree(
        "{one} ;two\n 1. e4 {three}{} {four} e5 {five} ({six} {seven} 1... c5 {eight} (1... e6) {nine}) \
         {ten} 2. Nf3 {eleven\n twelve} *",
    );
    assert_eq!(comments(&tree, ""), ["one", "two"]);
    assert_eq!(comments(&tree, "e4"), ["three", "", "four"]);
    assert_eq!(comments(&tree, "e4 e5"), ["five", "ten"]);
    assert_eq!(comments_before(&tree, "e4 c5"), ["six", "seven"]);
    assert_eq!(comments(&tree, "e4 c5"), ["eight", "nine"]);
    assert_eq!(comments(&tree, "e4 e6"), [""; 0]);
    assert_eq!(comments(&tree, "e4 e5 Nf3"), ["eleven\n twelve"]);
    assert!(tree.problems().is_empty());
}

#[test]
fn what_a_variation_without_moves_says_is_not_lost() {
    let tree = tree("1. e4 {a} ({b} $5) {c} e5 ({d} 1... Qxh1 {e}) ($6 ({f})) ($7 1... c5 $8) *");
    assert_eq!(comments(&tree, "e4"), ["a", "b", "c"]);
    assert_eq!(nags(&tree, "e4"), [5]);
    assert_eq!(comments(&tree, "e4 e5"), ["d"]);
    assert_eq!(nags(&tree, "e4 e5"), [6]);
    assert_eq!(nags(&tree, "e4 c5"), [7, 8]);
    assert_eq!(tree.walk().filter(|event| matches!(event, WalkEvent::Move(_))).count(), 3);
}

/// Moves behind one that cannot be played are not played instead: the game would be one that never was.
#[test]
fn a_line_ends_at_its_first_error() {
    let tree = tree("1. e4 e5 (1... c5 2. Ke3 d6 (2... e6) 3. d4) 2. Ke3 Nc6 3. Nf3 (3. d4) Nf6 {end} 1-0");
    assert_eq!(tree.size(), 3);
    let tail = |moves| tree.unread(find(&tree, moves)).map(String::from);
    assert_eq!(tail("e4 e5").as_deref(), Some("Ke3 Nc6 3. Nf3 (3. d4) Nf6 {end}"));
    assert_eq!(tail("e4 c5").as_deref(), Some("Ke3 d6 (2... e6) 3. d4"));
    let problems: Vec<_> = tree.problems().iter().map(|problem| (problem.kind, &problem.token[..])).collect();
    assert_eq!(problems, [(Problem::IllegalMove, "Ke3"), (Problem::IllegalMove, "Ke3")]);
    assert_eq!(tree.result(), Some(GameResult::Win(Color::White)));
}

/// Where a game ends does not depend on whether its moves can be played.
#[test]
fn moves_that_are_passed_over_end_like_others() {
    for behind in ["_1-0", "/1-0", "5_1-0", "$2 1-0", "$0-1 1-0", "a_1-0 1-0", ":0-1", "12x 0-1"] {
        let ends = |move_: &str| {
            let file = format!("1. e4 e5 2. {move_} {behind} 3. d4 d5 *\n\n1. d4 *\n");
            let games: Vec<_> = pgn::games(file.as_bytes()).map(Result::unwrap).collect();
            games.iter().map(GameTree::result).collect::<Vec<_>>()
        };
        assert_eq!(ends("Nf3"), ends("Ke3"), "{behind}");
    }
}

#[test]
fn a_null_move_in_digits_is_one_everywhere() {
    for blanks in [1, 63, 64, 200] {
        let tree = tree(&format!("1. e4 0000 2. d4{}d5 *", " ".repeat(blanks)));
        assert_eq!(movetext(&tree), "1. e4 -- 2. d4 d5 *", "{blanks} blanks");
    }
}

#[test]
fn a_piece_does_not_come_from_another_piece() {
    for word in ["NNc3", "NBc3", "QNc3", "NKxc3"] {
        let tree = tree(&format!("1. {word} e4 e5{}2. Nf3 *", " ".repeat(100)));
        assert_eq!(movetext(&tree), "1. e4 e5 2. Nf3 *", "{word}");
        assert_eq!(tree.problems()[0].kind, Problem::NotAMove, "{word}");
    }
}

/// What is no move as a whole is not a move with something behind it, wherever it stands in the file.
#[test]
fn words_are_read_as_a_whole() {
    for glued in ["\u{a0}", "\u{feff}", "z", "_", "\u{fc}ber", ":5"] {
        for blanks in [1, 20, 63, 64, 65, 200] {
            let word = format!("Nf3{glued}");
            let tree = tree(&format!("1. {word} Nc3 e5{}2. Nf3 *", " ".repeat(blanks)));
            let problems: Vec<_> =
                tree.problems().iter().map(|problem| (problem.kind, &problem.token[..])).collect();
            assert_eq!(problems, [(Problem::NotAMove, &word[..])], "{blanks} blanks");
            assert_eq!(movetext(&tree), "1. Nc3 e5 2. Nf3 *", "{word}");
        }
    }
}

/// Brackets, results and quotes are what they are only where they can be.
#[test]
fn what_looks_like_syntax_inside_texts_is_text() {
    let file = "[Event \"[a] {b} (c) 1-0\"]\n[White \"*\"]\n\n\
                1. e4 {1-0 * (1. d4) [Event \"x\"] ; no} e5 ;0-1 } ) ]\n2. Nf3 {\n[Event \"y\"]\n} 1/2-1/2";
    let games: Vec<_> = pgn::games(file.as_bytes()).map(Result::unwrap).collect();
    let [game] = &games[..] else { panic!("{games:?}") };
    assert!(game.problems().is_empty(), "{:?}", game.problems());
    assert_eq!(game.tag("Event").as_deref(), Some("[a] {b} (c) 1-0"));
    assert_eq!(game.tag("White").as_deref(), Some("*"));
    assert_eq!(comments(game, "e4"), ["1-0 * (1. d4) [Event \"x\"] ; no"]);
    assert_eq!(comments(game, "e4 e5"), ["0-1 } ) ]"]);
    assert_eq!(comments(game, "e4 e5 Nf3").len(), 1);
    assert_eq!(game.result(), Some(GameResult::Draw));
}

#[test]
fn glyphs_keep_their_order() {
    let tree = tree("$9 1. e4! $255 $0 e5 $3 $1 $3 (1... c5 ?! $14) $2 2. Nf3 += N *");
    assert_eq!(nags(&tree, ""), [9]);
    assert_eq!(nags(&tree, "e4"), [1, 255, 0]);
    assert_eq!(nags(&tree, "e4 e5"), [3, 1, 3, 2]);
    assert_eq!(nags(&tree, "e4 c5"), [6, 14]);
    assert_eq!(nags(&tree, "e4 e5 Nf3"), [14, 146]);
}

#[test]
fn variations_of_a_variation_are_its_siblings() {
    let tree = tree("1. e4 (1. d4 d5 (1... Nf6) 2. c4 (2. Nf3) (2. Bf4)) (1. c4) e5 *");
    assert_eq!(movetext(&tree), "1. e4 (1. d4 d5 (1... Nf6) 2. c4 (2. Nf3) (2. Bf4)) (1. c4) 1... e5 *");
    let flat = "1. e4 (1. d4 (1. c4 (1. b4))) (1. a4) *".parse::<GameTree>().unwrap();
    assert_eq!(movetext(&flat), "1. e4 (1. d4) (1. c4) (1. b4) (1. a4) *");
    // The same move twice is kept as it is written.
    assert_eq!(movetext(&"1. e4 (1. e4 e5) *".parse().unwrap()), "1. e4 (1. e4 e5) *");
}

#[test]
fn tags_are_kept_in_order_with_duplicates() {
    let mut tree = tree(concat!(
        "[Site \"first\"]\n[Event \"a \\\"b\\\" c\\\\\"]\n[Site \"second\"]\n[Empty \"\"]\n",
        "[Odd \"a \"b\" \\c\\\"]\n\n*"
    ));
    let tags: Vec<_> = tree.tags().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(tags, ["Site=first", "Event=a \"b\" c\\", "Site=second", "Empty=", "Odd=a \"b\" \\c\\"]);
    assert_eq!(tree.tag("Site").as_deref(), Some("first"));
    assert_eq!(tree.tag("site"), None);

    tree.set_tag("Site", "third").unwrap();
    tree.set_tag("Round", "1\r\n2").unwrap();
    assert_eq!(tree.tags().next().unwrap().1, "third");
    assert_eq!(tree.tag("Round").as_deref(), Some("1 2"));
    assert!(tree.move_tag("Round", 0) && tree.move_tag("Site", 3) && !tree.move_tag("Nothing", 0));
    let names: Vec<_> = tree.tags().map(|(name, _)| name.into_owned()).collect();
    assert_eq!(names, ["Round", "Event", "Site", "Site", "Empty", "Odd"]);
    assert!(tree.move_tag("Round", 99) && tree.remove_tag("Site") && !tree.remove_tag("Site"));
    let names: Vec<_> = tree.tags().map(|(name, _)| name.into_owned()).collect();
    assert_eq!(names, ["Event", "Empty", "Odd", "Round"]);

    for name in ["", "a b", "a\"", "[a", "a]", "a\n"] {
        assert_eq!(tree.set_tag(name, "x"), Err(TagError::BadName(name.to_owned())));
    }
    assert_eq!(tree.set_tag("FEN", "x"), Err(TagError::StartPosition));
}

#[test]
fn latin_1_and_utf_8_are_told_apart_text_by_text() {
    let file = b"[White \"M\xfcller\"]\n[Black \"M\xc3\xbcller\"]\n\n1. e4 {\xe9} {\xc3\xa9} *";
    let tree = pgn::games(&file[..]).next().unwrap().unwrap();
    assert_eq!(tree.tag("White"), tree.tag("Black"));
    assert_eq!(comments(&tree, "e4"), ["é", "é"]);
    assert!(tree.to_string().contains("[White \"Müller\"]\n[Black \"Müller\"]"));
}

#[test]
fn results_come_from_behind_the_moves_or_from_the_tag() {
    let both = tree("[Result \"1-0\"]\n\n1. e4 0-1");
    assert_eq!(both.result(), Some(GameResult::Win(Color::Black)));
    assert_eq!(both.tag("Result").as_deref(), Some("1-0"));
    let mut tag = tree("[Result \"1-0\"]\n\n1. e4");
    assert_eq!((tag.result(), tag.termination()), (None, GameResult::Win(Color::White)));
    let neither = tree("[Result \"won\"]\n\n1. e4");
    assert_eq!((neither.result(), neither.termination()), (None, GameResult::Unknown));
    tag.set_result(GameResult::Draw);
    assert_eq!(tag.result(), Some(GameResult::Draw));
    assert_eq!(tag.tag("Result").as_deref(), Some("1/2-1/2"));
}

#[test]
fn a_tree_is_reused() {
    let file = "[A \"1\"]\n\n{x} 1. e4 $1 (1. d4) Qh4 *\n\n[FEN \"4k3/8/8/8/8/8/8/4K3 b - - 0 9\"]\n\n9... Kd7\n\n\
                [FEN \"nonsense\"]\n\n1. e4 {y}\n\n[B \"2\"]\n[bad\n\n1. d4 1-0";
    let mut reader = Reader::new(file.as_bytes());
    let mut reused = GameTree::new();
    let mut problems = Vec::new();
    for fresh in pgn::games(file.as_bytes()) {
        assert!(reused.read(&mut reader).unwrap());
        let fresh = fresh.unwrap();
        assert_eq!(reused, fresh);
        assert_eq!(reused.problems(), fresh.problems());
        problems.push(reused.problems().iter().map(|problem| problem.kind).collect::<Vec<_>>());
    }
    let expected = [vec![Problem::IllegalMove], vec![], vec![Problem::BadFen], vec![Problem::BadTag]];
    assert_eq!(problems, expected);
    assert!(!reused.read(&mut reader).unwrap());
    assert_eq!(reused, GameTree::new());
    assert!(reused.problems().is_empty());
}

#[test]
fn problems_before_a_game_are_told_with_it() {
    let mut reader = Reader::new("1. e5 *\n\n[bad\n[White \"A\"]\n\n1. e4 *".as_bytes());
    let mut tree = GameTree::new();
    // Without `GameTree::read`, too.
    assert!(reader.read_game(&mut tree.builder()).unwrap());
    assert_eq!(tree.problems().len(), 1);
    assert!(reader.read_game(&mut tree.builder()).unwrap());
    assert_eq!(tree.problems().iter().map(|problem| problem.kind).collect::<Vec<_>>(), [Problem::BadTag]);
    assert_eq!(tree.tags().len(), 1);
}

#[test]
fn a_file_without_a_game_still_has_problems() {
    let mut games = pgn::games(&b"\xff\xfe1\0.\0"[..]);
    assert!(games.next().is_none());
    assert!(games.next().is_none());
    assert_eq!(games.problems()[0].kind, Problem::Utf16);
    assert!("".parse::<GameTree>().is_err());
}

/// Gives some text, then an error.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("broken")) } else { self.0.read(buffer) }
    }
}

#[test]
fn an_error_ends_the_games() {
    let text = format!("1. e4 *\n\n1. e4 e5 (1... c5 {{{}", "x".repeat(200_000));
    let mut games = pgn::games(Failing(text.as_bytes()));
    assert!(games.next().unwrap().is_ok());
    assert!(games.next().unwrap().is_err());
    assert!(games.next().is_none());

    // What has been read is there.
    let mut reader = Reader::new(Failing(text.as_bytes()));
    let mut tree = GameTree::new();
    assert!(tree.read(&mut reader).unwrap());
    assert!(tree.read(&mut reader).is_err());
    assert_eq!(tree.children(find(&tree, "e4")).count(), 2);
    assert!(comments(&tree, "e4 c5")[0].len() > 100_000);
}

/// A visitor can say anything; the tree stays a tree.
#[test]
fn calls_in_any_order_do_no_harm() {
    let mut tree = GameTree::new();
    let illegal = Move::new(Square::A1, Square::A8, ferz_board::MoveKind::Normal);
    let mut builder = tree.builder();
    builder.end_variation();
    let _ = builder.begin_variation();
    let _ = builder.begin_variation();
    builder.comment(b"a", false);
    builder.nag(Nag(1));
    builder.end_variation();
    let _ = builder.mv(illegal);
    let _ = builder.begin_variation();
    let _ = builder.mv(None);
    let _ = builder.mv(illegal);
    builder.end_game(GameResult::Unknown);
    builder.comment(b"b", true);
    let _ = builder.mv(None);
    let moves = tree.walk().filter(|event| matches!(event, WalkEvent::Move(_)));
    assert_eq!(moves.count(), tree.positions().count());
    assert_eq!(tree.position_at(tree.next(NodeId::ROOT).unwrap()), None);
    assert!(!tree.to_string().is_empty());
    tree.compact();
}

// ---- Finding one's way

#[test]
fn lines_paths_and_numbers() {
    let tree = tree(
        "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 7\"]\n\n7... e5 8. Nf3 (8. Bc4 Nf6 9. d3) Nc6 *",
    );
    let (e5, d3) = (find(&tree, "e5"), find(&tree, "e5 Bc4 Nf6 d3"));
    assert_eq!(tree.move_number(e5), (7, Color::Black));
    assert_eq!(tree.move_number(d3), (9, Color::White));
    assert_eq!(tree.move_number(NodeId::ROOT), (7, Color::White));
    assert_eq!(tree.ply(d3), 4);
    assert_eq!(tree.path(d3).len(), 4);
    assert_eq!(tree.path(d3)[..2], [e5, find(&tree, "e5 Bc4")]);
    assert_eq!(tree.path(NodeId::ROOT), []);
    assert_eq!(tree.line_start(d3), find(&tree, "e5 Bc4"));
    assert_eq!(tree.line_end(NodeId::ROOT), find(&tree, "e5 Nf3 Nc6"));
    assert_eq!(tree.line_end(d3), d3);
    assert!(tree.is_main_line(e5) && !tree.is_main_line(d3) && tree.is_main_line(NodeId::ROOT));
    assert!(tree.is_variation(find(&tree, "e5 Bc4")) && !tree.is_variation(d3));
    assert_eq!(tree.next(d3), None);
    assert_eq!(tree.parent(NodeId::ROOT), None);
    assert_eq!(tree.position_at(d3).unwrap().fullmove_number(), 9);
    for (node, position) in tree.positions() {
        assert_eq!(tree.position_at(node), Some(position));
    }
}

#[test]
fn ids_of_nothing_are_harmless() {
    let long = tree("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
    let stranger = long.line_end(NodeId::ROOT);
    let mut tree = tree("1. e4 (1. d4) *");
    assert!(!tree.contains(stranger));
    assert_eq!((tree.mv(stranger), tree.parent(stranger), tree.next(stranger)), (None, None, None));
    assert_eq!((tree.children(stranger).count(), tree.line(stranger).count()), (0, 0));
    assert_eq!((tree.ply(stranger), tree.path(stranger)), (0, vec![]));
    assert_eq!((tree.position_at(stranger), tree.line_start(stranger)), (None, stranger));
    assert!(!tree.is_null_move(stranger) && !tree.is_main_line(stranger) && !tree.is_variation(stranger));
    let before = tree.clone();
    assert_eq!(tree.add_move(stranger, None), Err(EditError::NoSuchNode));
    assert!(!tree.delete(stranger) && !tree.promote(stranger) && !tree.demote(stranger));
    assert!(!tree.promote_to_main_line(stranger));
    tree.set_comment(stranger, "x");
    tree.set_comment_before(stranger, "x");
    tree.add_nag(stranger, Nag::GOOD);
    tree.annotate(stranger, &Annotation::Clock(Duration::ZERO));
    tree.delete_after(stranger);
    assert_eq!(tree, before);
}

// ---- Editing

#[test]
fn moves_are_added_once_and_only_if_legal() {
    let mut tree = tree("1. e4 *");
    let e4 = find(&tree, "e4");
    let position = tree.position_at(e4).unwrap();
    let e5 = position.parse_uci("e7e5").unwrap();
    let first = tree.add_move(e4, e5).unwrap();
    assert_eq!(tree.add_move(e4, e5), Ok(first));
    assert_eq!(tree.add_move(first, e5), Err(EditError::IllegalMove(e5)));
    let moves = [Some(e5), tree.mv(find(&tree, "e4"))];
    assert!(tree.add_line(e4, moves).is_err());
    let null = tree.add_move(e4, None).unwrap();
    assert_eq!(tree.add_move(e4, None), Ok(null));
    assert!(tree.is_null_move(null) && !tree.is_null_move(NodeId::ROOT));
    assert_eq!(movetext(&tree), "1. e4 e5 (1... --) *");

    let mut check = GameTree::starting_from(Position::from_fen("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1").unwrap());
    assert_eq!(check.add_move(NodeId::ROOT, None), Err(EditError::NullMoveInCheck));
}

#[test]
fn variations_change_places() {
    let text = "1. e4 e5 (1... c5 2. Nf3 (2. c3) d6) (1... e6 2. d4) 2. Bc4 *";
    let mut tree = tree(text);
    assert!(!tree.promote(find(&tree, "e4")) && !tree.promote(NodeId::ROOT));
    assert!(!tree.promote(find(&tree, "e4 e5")) && !tree.demote(find(&tree, "e4 e6")));
    assert!(tree.demote(find(&tree, "e4 e5")));
    assert_eq!(movetext(&tree), "1. e4 c5 (1... e5 2. Bc4) (1... e6 2. d4) 2. Nf3 (2. c3) 2... d6 *");
    assert!(tree.demote(find(&tree, "e4 e5")) && tree.promote(find(&tree, "e4 e6")));
    assert_eq!(movetext(&tree), "1. e4 e6 (1... c5 2. Nf3 (2. c3) 2... d6) (1... e5 2. Bc4) 2. d4 *");
    assert!(tree.promote_to_main_line(find(&tree, "e4 c5 c3")));
    assert!(!tree.promote_to_main_line(find(&tree, "e4 c5 c3")));
    assert_eq!(movetext(&tree), "1. e4 c5 (1... e6 2. d4) (1... e5 2. Bc4) 2. c3 (2. Nf3 d6) *");
}

#[test]
fn deleting_a_line_makes_way_for_its_variation() {
    let mut tree = tree("1. e4 {a} e5 {b} ({c} 1... c5 {d} 2. Nf3 $1) (1... e6) 2. Bc4 *");
    let (e5, bc4) = (find(&tree, "e4 e5"), find(&tree, "e4 e5 Bc4"));
    assert!(tree.delete(e5) && !tree.delete(e5) && !tree.delete(NodeId::ROOT));
    assert!(!tree.contains(e5) && !tree.contains(bc4));
    assert_eq!(tree.position_at(bc4), None);
    assert_eq!(tree.add_move(bc4, None), Err(EditError::NoSuchNode));
    // The comment before the variation is now behind the move before it.
    assert_eq!(movetext(&tree), "1. e4 {a} {c} 1... c5 {d} (1... e6) 2. Nf3 $1 *");
    tree.delete_after(find(&tree, "e4"));
    assert_eq!(movetext(&tree), "1. e4 {a} {c} *");
    tree.compact();
    assert_eq!(movetext(&tree), "1. e4 {a} {c} *");
}

#[test]
fn stripping_leaves_the_rest() {
    let text = "{x} 1. e4 $1 {a} (1. d4 {b} $2 d5) e5 (1... c5) (1... e6 2. d4 (2. d3)) 2. Nf3 $5 *";
    let mut tree = tree(text);
    tree.strip_comments();
    assert_eq!(
        movetext(&tree),
        "1. e4 $1 (1. d4 $2 d5) 1... e5 (1... c5) (1... e6 2. d4 (2. d3)) 2. Nf3 $5 *"
    );
    tree.strip_nags();
    tree.strip_variations();
    assert_eq!(movetext(&tree), "1. e4 e5 2. Nf3 *");
}

#[test]
fn comments_are_set_added_and_removed() {
    let mut tree = tree("1. e4 {a} {b} e5 (1... c5) *");
    let (e4, c5) = (find(&tree, "e4"), find(&tree, "e4 c5"));
    tree.add_comment(e4, "c");
    tree.set_comment_before(c5, "d");
    tree.set_comment_before(c5, "e");
    tree.add_comment_before(c5, "f");
    tree.add_comment_before(find(&tree, "e4 e5"), "g");
    tree.add_comment_before(NodeId::ROOT, "nowhere");
    tree.set_comment(NodeId::ROOT, "h");
    assert_eq!(movetext(&tree), "{h} 1. e4 {a} {b} {c} {g} 1... e5 ({e} {f} 1... c5) *");
    tree.remove_comments(e4);
    tree.remove_comments_before(c5);
    assert_eq!(movetext(&tree), "{h} 1. e4 e5 (1... c5) *");
}

#[test]
fn compacting_changes_nothing_but_the_ids() {
    let mut tree = tree("{z} 1. e4 e5 ({y} 1... c5 {x} 2. Nf3 $1 (2. c3 $2)) (1... e6) 2. Bc4 {w} *");
    tree.promote_to_main_line(find(&tree, "e4 c5 c3"));
    tree.delete(find(&tree, "e4 e6"));
    tree.set_comment(find(&tree, "e4"), "v");
    tree.set_tag("White", "A").unwrap();
    let before = tree.clone();
    tree.compact();
    assert_eq!(tree, before);
    let main_line: Vec<_> = tree.main_line().collect();
    assert!(main_line.is_sorted());
    assert_eq!(main_line[0], tree.path(main_line[2])[0]);
}

#[test]
fn a_start_position_has_its_tags() {
    let chess960 = Position::chess960_start(0).unwrap();
    let mut tree = GameTree::starting_from(chess960);
    assert_eq!(tree.tag("Variant").as_deref(), Some("Chess960"));
    assert_eq!(tree.tag("SetUp").as_deref(), Some("1"));
    assert!(!tree.remove_tag("FEN"));
    let fen = tree.tag("FEN").unwrap().into_owned();
    assert_eq!(Position::from_fen_in(&fen, CastlingMode::Chess960), Ok(chess960));
    assert_eq!(tree.to_string().parse::<GameTree>().unwrap().start(), &chess960);
}

/// Problems take bounded memory, in games and behind them, and the rest is counted.
#[test]
fn only_the_first_problems_are_kept() {
    let bad = "[\n".repeat(3_000);
    let file = format!("{bad}\n1. e4 *\n\n1. d4 & *\n\n{bad}");
    let mut games = pgn::games(file.as_bytes());
    let counts = |tree: &GameTree| (tree.problems().len(), tree.omitted_problems());
    let read: Vec<_> = games.by_ref().map(|game| counts(&game.expect("read from memory"))).collect();
    assert_eq!(read.first(), Some(&(GameTree::MAX_PROBLEMS, 2_000)), "{read:?}");
    assert_eq!(read.get(1), Some(&(1, 0)), "{read:?}");
    let behind = read.iter().skip(2).copied().chain([(games.problems().len(), games.omitted_problems())]);
    assert!(behind.into_iter().any(|it| it == (GameTree::MAX_PROBLEMS, 2_000)), "{read:?}");
    // A tree that is used again does not keep the count of the game before.
    let mut reader = Reader::new(file.as_bytes());
    let mut tree = GameTree::new();
    assert!(tree.read(&mut reader).expect("read from memory"));
    assert_eq!(counts(&tree), (GameTree::MAX_PROBLEMS, 2_000));
    assert!(tree.read(&mut reader).expect("read from memory"));
    assert_eq!(counts(&tree), (1, 0));
}
