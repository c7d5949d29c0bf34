//! Movetext that cannot be read is kept where it was.

use ferz_notation::pgn::{
    self, BoundedTree, EditError, GameTree, Nag, NodeId, Problem, Reader, TagError, TreeLimit, TreeLimits,
    WriteOptions,
};

fn read(text: &[u8]) -> GameTree {
    let mut games = pgn::games(text);
    let tree = games.next().expect("a game").expect("memory can be read");
    assert!(games.next().is_none(), "{}", text[..text.len().min(1000)].escape_ascii());
    tree
}

fn tree(text: &str) -> GameTree {
    read(text.as_bytes())
}

fn styles() -> [WriteOptions; 2] {
    let export = WriteOptions::default();
    [export, export.line_width(3).roster(false).symbols(true)]
}

/// Written in two styles and read again, the tree is the same, and so is its text.
fn assert_kept(tree: &GameTree) {
    for options in styles() {
        let text = tree.to_pgn(&options);
        let again = read(text.as_bytes());
        assert!(again == *tree, "{text}became\n{}", again.to_pgn(&options));
        assert_eq!(again.to_pgn(&options), text);
        assert_eq!(again.is_complete(), tree.is_complete());
    }
    let mut compacted = tree.clone();
    compacted.compact();
    assert_eq!(compacted, *tree);
}

/// The moves without tags, in one line.
fn movetext(tree: &GameTree) -> String {
    let options = WriteOptions::new().line_width(usize::MAX);
    tree.to_movetext(&options).trim_end().to_owned()
}

#[test]
fn games_of_other_variants_keep_their_moves() {
    for (tags, moves) in [
        ("[Variant \"Crazyhouse\"]", "1. e4 d5 2. exd5 Qxd5 3. N@f3 {drop} (3. P@e4 $1) 3... P@e2+ 0-1"),
        ("[Variant \"Antichess\"]", "1. e3 b5 2. Bxb5 Nc6 1-0"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]", "1. e4 e5 *"),
        ("[FEN \"not a position\"]\n[Variant \"Chess\"]", "(1. e4) e5 *"),
        ("[Variant \"Atomic\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]", "1. O-O ! 1/2-1/2"),
    ] {
        let tree = tree(&format!("{tags}\n\n{moves}\n"));
        assert!(!tree.has_known_start() && !tree.is_complete());
        assert_eq!((tree.problems().len(), tree.size()), (1, 0));
        assert_eq!(movetext(&tree), moves);
        assert_eq!(tree.unread(NodeId::ROOT).as_deref(), Some(moves.rsplit_once(' ').unwrap().0));
        assert_kept(&tree);
    }
}

#[test]
fn a_tree_with_an_unknown_start_takes_no_moves() {
    let mut tree = tree("[Variant \"Antichess\"]\n\n{before} $3 1. e3 b5 1-0 {behind}\n");
    let e4 = tree.start().parse_uci("e2e4").unwrap();
    assert_eq!(tree.add_move(NodeId::ROOT, e4), Err(EditError::UnknownStart));
    assert_eq!(tree.add_line(NodeId::ROOT, [None]), Err(EditError::UnknownStart));
    assert_eq!(tree.set_tag("Variant", "Standard"), Err(TagError::Variant));
    assert!(!tree.remove_tag("Variant"));
    assert_eq!(tree.comments(NodeId::ROOT).collect::<Vec<_>>(), ["before", "behind"]);
    tree.add_comment(NodeId::ROOT, "a } b");
    tree.add_nag(NodeId::ROOT, Nag(18));
    tree.set_tag("White", "Ada").unwrap();
    assert_kept(&tree);
    assert_eq!(tree.unread(NodeId::ROOT).as_deref(), Some("1. e3 b5"));
    // And a game of chess does not become one of something else.
    let mut chess: GameTree = "1. e4 *".parse().unwrap();
    assert_eq!(chess.set_tag("Variant", "Antichess"), Err(TagError::Variant));
    chess.set_tag("Variant", "Chess960").unwrap();
    assert!(chess.remove_tag("Variant"));
    assert!(chess.is_complete());
}

#[test]
fn the_rest_of_a_broken_line_is_kept() {
    for (text, written) in [
        ("1. e4 e5 2. Ke3 Nf6 1-0", "1. e4 e5 2. Ke3 Nf6 1-0"),
        (
            "1. e4 e5 2.Ke3!? {why} 2...Nf6 (2...d5 $2) 3.d4",
            "1. e4 e5 2. Ke3!? {why} 2...Nf6 (2...d5 $2) 3.d4 *",
        ),
        ("1. e4 Qh4 2. d4", "1. e4 Qh4 2. d4 *"),
        ("1. e4 {x} Qh3 2. d4 *", "1. e4 {x} 1... Qh3 2. d4 *"),
        ("1. Ke2 e5 *", "1. Ke2 e5 *"),
        ("{x} 1. Ke2 {y} *", "{x} 1. Ke2 {y} *"),
        ("1. e4 (1. d4 Ke6 2. c4) e5 *", "1. e4 (1. d4 Ke6 2. c4) 1... e5 *"),
        (
            "1. e4 (1. d4 d5 (1... f5 2. Qh6 {a} (2. b3) g6) 2. c4) e5 *",
            "1. e4 (1. d4 d5 (1... f5 2. Qh6 {a} (2. b3) g6) 2. c4) 1... e5 *",
        ),
        // A variation without a legal move, and one that replaces nothing.
        ("1. e4 e5 (1... Ke4 2. d4) (1... c5) 2. Nf3 *", "1. e4 e5 (Ke4 2. d4) (1... c5) 2. Nf3 *"),
        ("(1. d4 d5) 1. e4 *", "(1. d4 d5) 1. e4 *"),
        ("1. e4 ((1. d4) 1. c4 c5) *", "1. e4 (1. c4 ((1. d4)) 1... c5) *"),
        ("1. e4 ((1. d4)) e5 *", "1. e4 ((1. d4)) 1... e5 *"),
        ("1. e4 ({a} (1. d4) {b} Ke3 c5) e5 *", "1. e4 {a} {b} ((1. d4) Ke3 c5) 1... e5 *"),
        // The variations of the last move come before what is behind it.
        ("1. e4 e5 (1... c5) 2. Ke3 d6 (2... d5) 3. a3 *", "1. e4 e5 (1... c5) 2. Ke3 d6 (2... d5) 3. a3 *"),
        ("1. e4 e5 2. Ke3 Nf6 1-0 {behind}", "1. e4 e5 {behind} 2. Ke3 Nf6 1-0"),
        // Only one of them can move: the other is pinned to nothing.
        ("1. Nf3 d6 2. Nd4 c6 3. Nc3 b6 4. Nb5 a6 5. Nd4 h6 6. Nb5 g6 7. Nd4 f6 8. Nb5 e6 9. Nxd6 *", ""),
    ] {
        let tree = tree(text);
        if !written.is_empty() {
            assert_eq!(movetext(&tree), written);
            assert!(!tree.is_complete());
        }
        assert_kept(&tree);
    }
}

/// Text that would end the comment, the variation or the game if it were written as it is.
#[test]
fn hostile_text_stays_in_its_place() {
    let rests: [&[u8]; 22] = [
        b"Ke3 } ) ( {x} )",
        b"Ke3 {never closed",
        b"Ke3 {never closed\n\n",
        b"Ke3 ; a line } ) {",
        b"Ke3 ; a line\n%escaped )\n %not escaped )",
        b"Ke3 ((((((",
        b"Ke3 ))))) Nf6",
        b"Ke3 (1-0 (*)) 2. a4",
        b"Ke3 (a 1-0",
        b"Ke3 \0\0\0 {\0} \0Nf6",
        b"Ke3 \n [x] [Event \"y\"]",
        b"Ke3 ;c\n [x]",
        b"Ke3 {a\n\n\n[Event] b}",
        b"Ke3\xff\xfe \xe2\x99\x94e3 \xff {\xfc}",
        b"\xe2\x99\x94e3 \xff",
        b"Ke3\r\n\r\nNf6\t\tg6",
        b"Ke3$$ $1 $999 !!?? .... 3.4.5",
        b"Ke3)Nf6(Nc6)g6",
        b"Ke3;",
        b"Ke3{;}{(}{)}{}",
        b"Ke3\n;x\n;y\n\n;z",
        b"0-0-0-0 \\ \" ' ~ ` < > & | ^ @ # /",
    ];
    for rest in rests {
        for before in ["", "[Variant \"Racing Kings\"]\n\n", "[FEN \"?\"]\n\n %", "[FEN \"?\"]\n\n{a} [b "] {
            for (start, end) in [
                ("1. e4 e5 2. ", ""),
                ("1. e4 e5 2. ", " 1-0 {c}"),
                ("1. e4 e5 (1... c5 2. ", ""),
                ("1. e4 e5 (1... c5 2. ", ") 2. Nf3 1-0"),
                ("1. e4 (", ") e5 0-1"),
                ("1. e4 ((1. d4) ", ") e5 0-1"),
                ("1. e4 ((", ")) e5 0-1"),
                ("((", ")) e5 0-1"),
                ("", "*"),
            ] {
                let text = [before.as_bytes(), start.as_bytes(), rest, end.as_bytes()].concat();
                let tree = read(&text);
                assert_kept(&tree);
                let mut promoted = tree.clone();
                for node in (2..6).filter_map(NodeId::from_number) {
                    promoted.promote(node);
                    assert_kept(&promoted);
                }
                promoted.strip_variations();
                assert_kept(&promoted);
            }
        }
    }
}

#[test]
fn a_file_with_unread_games_stays_a_file() {
    let text =
        "1. e4 Ke5 {open\n\n[Event \"b\"]\n[Variant \"Horde\"]\n\n1. e4 (e5\n\n[Event \"c\"]\n\n1. d4 d5 *\n";
    let games: Vec<_> = pgn::games(text.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(games.len(), 3);
    let written: String = games.iter().map(|game| format!("{game}\n")).collect();
    let again: Vec<_> = pgn::games(written.as_bytes()).map(Result::unwrap).collect();
    assert!(again == games, "{written}");
}

#[test]
fn edits_elsewhere_keep_it() {
    let mut tree = tree("1. e4 e5 (1... c5 2. Ke3 d6) 2. Nf3 Ke6 3. Nxe5 *");
    let e4 = tree.next(NodeId::ROOT).unwrap();
    let (e5, c5) = (tree.children(e4).next().unwrap(), tree.children(e4).nth(1).unwrap());
    let nf3 = tree.next(e5).unwrap();
    let reply = tree.position_at(nf3).unwrap().parse_uci("d7d6").unwrap();
    assert_eq!(tree.add_move(nf3, reply), Err(EditError::UnreadMoves));
    let d4 = tree.position_at(e5).unwrap().parse_uci("d2d4").unwrap();
    tree.add_line(e5, [Some(d4)]).unwrap();
    tree.set_comment(nf3, "natural");
    assert!(tree.promote(c5));
    assert_kept(&tree);
    assert_eq!(movetext(&tree), "1. e4 c5 (1... e5 2. Nf3 {natural} (2. d4) 2... Ke6 3. Nxe5) 2. Ke3 d6 *");
    assert!(tree.delete(c5));
    assert_eq!(movetext(&tree), "1. e4 e5 2. Nf3 {natural} (2. d4) 2... Ke6 3. Nxe5 *");
    tree.delete_after(nf3);
    assert!(tree.is_complete());
    assert!(tree.add_move(nf3, reply).is_ok());
    assert_kept(&tree);
}

#[test]
fn trees_differ_by_what_is_unread() {
    let text = "1. e4 Ke5 2. d4 *";
    assert_eq!(tree(text), tree("1. e4   Ke5\t2. d4 *"));
    for other in ["1. e4 Ke5 2. c4 *", "1. e4 *", "1. e4 Ke5 *", "1. e4 (Ke5 2. d4) *"] {
        assert_ne!(tree(text), tree(other), "{other}");
    }
}

/// Ten megabytes are read, kept and written in no more than a few seconds, and count as text.
#[test]
fn long_texts_are_kept_and_limited() {
    const LEN: usize = 10 << 20;
    for unit in ["(", ")", "{", "Nf6 ", "x", "{a}", ";\n", "\n%", "(a 1-0) "] {
        let text = format!("1. e4 Ke5 (a {}", unit.repeat(LEN / unit.len()));
        let tree = tree(&text);
        let again = read(tree.to_string().as_bytes());
        assert!(again == tree, "{unit}");
        let mut bounded = BoundedTree::new(TreeLimits { text: 1 << 20, ..TreeLimits::default() });
        assert!(Reader::new(text.as_bytes()).read_game(&mut bounded).unwrap());
        let is_empty = matches!(unit, "\n%" | ")");
        match bounded.tree() {
            Ok(_) => assert!(is_empty, "{unit}"),
            Err(error) => assert_eq!((error.limit, is_empty), (TreeLimit::Text, false), "{unit}"),
        }
    }
}

/// Moves in another language are not dropped one by one: what follows would be read on the wrong board.
#[test]
fn foreign_moves_are_kept() {
    let game = "1. e4 e5 2. Sf3 {Springer} Sc6 3. Lb5 a6 *";
    let tree = tree(game);
    assert_eq!(tree.problems().iter().map(|it| it.kind).collect::<Vec<_>>(), [Problem::ForeignMove]);
    assert!(!tree.is_complete());
    assert!(tree.to_string().contains(game), "{tree}");
    // Latin-1 is written as UTF-8.
    let latin = read(b"1. e4 e5 2. \xbd\xbd\xbdxf7# *");
    assert_eq!(read(latin.to_string().as_bytes()), latin);
    for (word, is_foreign) in [
        ("Cxf3+", true),
        ("\u{41a}f3", true),
        ("Dh4xe1", true),
        ("Sf9", false),
        ("S", false),
        ("Nf3z", false),
    ] {
        let tree = read(format!("1. e4 e5 2. {word} Nf3 *").as_bytes());
        assert_eq!(!tree.is_complete(), is_foreign, "{word}");
    }
}
