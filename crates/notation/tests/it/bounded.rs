//! Game trees within limits.

use ferz_notation::pgn::{BoundedTree, GameTooLarge, GameTree, Problem, Reader, TreeLimit, TreeLimits};

const NONE: TreeLimits =
    TreeLimits { moves: usize::MAX, text: usize::MAX, memory: usize::MAX, diagnostics: usize::MAX };

fn read(text: &str, limits: TreeLimits) -> BoundedTree {
    let mut game = BoundedTree::new(limits);
    assert!(Reader::new(text.as_bytes()).read_game(&mut game).expect("memory can be read"));
    game
}

fn exceeded(text: &str, limits: TreeLimits) -> Option<GameTooLarge> {
    read(text, limits).tree().err()
}

#[test]
fn a_game_within_its_limits_is_the_same_tree() {
    let long_tag = format!("[Annotator \"{}\"]", "x".repeat(100));
    let text = format!(
        "[Event \"x\"]\n[White \"Ada\"]\n[Black \"B \\\"b\\\"\"]\n{long_tag}\n\n\
         {{first}} 1. e4 $1 e5 (1... c5 {{Sicilian}} 2. Nf3 (2. c3)) (1... e6) 2. Nf3 {{}} 1-0"
    );
    let expected: GameTree = text.parse().expect("a game");
    assert!(expected.size() == 7 && expected.problems().is_empty());
    for limits in [NONE, TreeLimits::default()] {
        assert_eq!(read(&text, limits).tree(), Ok(&expected));
    }
}

#[test]
fn the_error_names_the_limit() {
    let moves = TreeLimits { moves: 3, ..NONE };
    assert_eq!(exceeded("1. e4 e5 2. Nf3 *", moves), None);
    let error = GameTooLarge { limit: TreeLimit::Moves, maximum: 3 };
    assert_eq!(exceeded("1. e4 e5 2. Nf3 Nc6 *", moves), Some(error));
    assert_eq!(exceeded("1. e4 e5 (1... c5) 2. Nf3 *", moves), Some(error), "variations count");

    let text = TreeLimits { text: 10, ..NONE };
    assert_eq!(exceeded("1. e4 {0123456789} *", text), None);
    let error = GameTooLarge { limit: TreeLimit::Text, maximum: 10 };
    assert_eq!(exceeded("1. e4 {0123456789} e5 {0} *", text), Some(error));
    assert_eq!(exceeded("[White \"012345\"]\n\n1. e4 *", text), Some(error), "tags count");
    assert_eq!(error.to_string(), "the game has more than 10 bytes of text");
}

#[test]
fn everything_takes_memory() {
    let limits = TreeLimits { memory: 10_000, ..NONE };
    assert_eq!(exceeded("[White \"Ada\"]\n\n1. e4 {best} $1 *", limits), None);
    let error = GameTooLarge { limit: TreeLimit::Memory, maximum: 10_000 };
    for part in ["[A \"\"]\n", "1. Nf3 Nf6 2. Ng1 Ng8 ", "{}", "$1 ", "{comment} "] {
        assert_eq!(exceeded(&part.repeat(10_000), limits), Some(error), "{part}");
    }
    assert_eq!(error.to_string(), "the game takes more than 10000 bytes of memory");
}

#[test]
fn a_large_game_does_not_spoil_the_next() {
    let mut game = BoundedTree::new(TreeLimits { moves: 2, ..NONE });
    let mut reader = Reader::new("1. e4 (1. d4 d5 (1... Nf6 *\n\n[Event \"y\"]\n\n1. c4 e5 *\n".as_bytes());
    assert!(reader.read_game(&mut game).unwrap());
    assert!(game.tree().is_err() && game.tree_mut().is_err());
    assert!(reader.read_game(&mut game).unwrap());
    assert_eq!(game.tree().map(GameTree::size), Ok(2));
    assert!(game.tree().unwrap().to_string().ends_with("1. c4 e5 *\n"));
    assert!(!reader.read_game(&mut game).unwrap());
}

#[test]
fn diagnostics_are_counted_and_kept_by_game() {
    let mut game = BoundedTree::new(TreeLimits { diagnostics: 2, ..NONE });
    let mut reader = Reader::new("1. e4 & & & & *\n\n1. d4 *\n\n[x]\n\n1. c4 & *\n\n[y]\n".as_bytes());
    let mut next = |game: &mut BoundedTree| reader.read_game(game).unwrap();
    let kinds = |game: &mut BoundedTree| {
        let found = game.take_diagnostics();
        (found.kept.into_iter().map(|problem| problem.kind).collect::<Vec<_>>(), found.omitted)
    };
    assert!(next(&mut game));
    assert_eq!(kinds(&mut game), (vec![Problem::StrayCharacter; 2], 2));
    assert!(next(&mut game));
    assert_eq!(kinds(&mut game), (vec![], 0));
    assert!(next(&mut game));
    assert_eq!(kinds(&mut game), (vec![Problem::BadTag, Problem::StrayCharacter], 0), "with those before it");
    assert!(!next(&mut game));
    assert_eq!(kinds(&mut game), (vec![Problem::BadTag], 0), "behind the last game");
}
