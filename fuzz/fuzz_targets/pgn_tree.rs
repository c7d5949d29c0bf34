//! Property: a game is the same after writing and reading it again, also after edits.
//!
//! The input is a PGN file; after the first zero byte there may be edits of its games.

#![no_main]

use ferz_board::Color;
use ferz_fuzz::Bytes;
use ferz_notation::pgn::{
    self, Diagnostic, EditError, GameResult, GameTree, Nag, NodeId, PgnWriter, Problem, WalkEvent,
    WriteOptions,
};
use libfuzzer_sys::fuzz_target;

fn read(file: &[u8]) -> Vec<GameTree> {
    pgn::games(file).collect::<Result<_, _>>().expect("reading from memory does not fail")
}

/// Whether a problem means that moves are kept unread.
fn is_about_unread(problem: &Diagnostic) -> bool {
    matches!(
        problem.kind,
        Problem::BadFen
            | Problem::OtherVariant
            | Problem::ForeignMove
            | Problem::IllegalMove
            | Problem::AmbiguousMove
            | Problem::VariationWithoutMove
            | Problem::TooDeep
    )
}

fn nodes(tree: &GameTree) -> Vec<NodeId> {
    let moves = tree.walk().filter_map(|event| match event {
        WalkEvent::Move(node) => Some(node),
        _ => None,
    });
    std::iter::once(NodeId::ROOT).chain(moves).collect()
}

fn assert_round_trip(trees: &[GameTree], options: WriteOptions) {
    let mut writer = PgnWriter::with_options(Vec::new(), options);
    for tree in trees {
        assert!(nodes(tree).into_iter().all(|node| tree.position_at(node).is_some()), "an illegal move");
        let written = tree.to_pgn(&options);
        let again = read(written.as_bytes());
        let [again] = &again[..] else { panic!("{} games:\n{written}", again.len()) };
        assert!(again == tree, "{written}became\n{}", again.to_pgn(&options));
        assert_eq!(again.to_pgn(&options), written);
        assert_eq!(again.is_complete(), tree.is_complete());
        let is_ours = |it: &Diagnostic| it.kind == Problem::ResultMismatch || is_about_unread(it);
        assert!(again.problems().iter().all(is_ours), "{written}{:?}", again.problems());
        writer.write(tree).expect("writing to memory does not fail");
    }
    assert!(read(writer.get_ref()) == trees, "{}", writer.get_ref().escape_ascii());
}

/// Makes one change. It may name nodes that were deleted.
fn edit(tree: &mut GameTree, known: &mut Vec<NodeId>, bytes: &mut Bytes<'_>) {
    const TAGS: [&str; 5] = ["Event", "Result", "Annotator", "FEN", "Variant"];
    let (edit, node, value) = (bytes.byte(), bytes.byte(), bytes.byte());
    let node = known[usize::from(node) % known.len()];
    let tag = TAGS[usize::from(value) % TAGS.len()];
    let mut text = || bytes.part(usize::from(value) % 32).text();
    match edit % 17 {
        0 => _ = tree.promote(node),
        1 => _ = tree.demote(node),
        2 => {
            let is_there = node != NodeId::ROOT && tree.contains(node);
            let deleted = tree.delete(node);
            assert!(deleted || !is_there);
            assert!(!tree.contains(node) || node == NodeId::ROOT);
        }
        3 => known.extend(add_move(tree, node, value)),
        4 => known.extend(tree.add_move(node, None)),
        5 => _ = tree.promote_to_main_line(node),
        6 => tree.delete_after(node),
        7 => tree.strip_variations(),
        8 => tree.add_comment(node, &text()),
        9 => tree.add_comment_before(node, &text()),
        10 => tree.set_comment(node, &text()),
        11 => tree.add_nag(node, Nag(value)),
        12 => _ = tree.set_tag(tag, &text()),
        13 => _ = tree.remove_tag(tag),
        14 => tree.set_result(GameResult::Win(Color::ALL[usize::from(value) % 2])),
        15 => _ = tree.remove_unread(node),
        _ => {
            tree.compact();
            *known = nodes(tree);
        }
    }
}

fn add_move(tree: &mut GameTree, node: NodeId, value: u8) -> Option<NodeId> {
    let position = tree.position_at(node);
    assert_eq!(position.is_some(), tree.contains(node));
    let moves = position.unwrap_or_default().legal_moves();
    let mv = *moves.get(usize::from(value) % moves.len().max(1))?;
    match tree.add_move(node, mv) {
        Ok(added) => {
            assert_eq!((tree.parent(added), tree.mv(added)), (Some(node), Some(mv)));
            Some(added)
        }
        Err(error) => {
            match error {
                EditError::UnknownStart => assert!(!tree.has_known_start()),
                EditError::UnreadMoves => assert!(tree.unread(node).is_some()),
                _ => assert_eq!((error, position), (EditError::NoSuchNode, None)),
            }
            None
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (file, edits) = bytes.split_at(end);
    let mut trees = read(file);
    let mut edits = Bytes::new(edits.get(1..).unwrap_or_default());
    for tree in &mut trees {
        let mut known = nodes(tree);
        let mut count = edits.byte() % 16;
        while count > 0 {
            edit(tree, &mut known, &mut edits);
            count -= 1;
        }
    }
    let export = WriteOptions::default();
    assert_round_trip(&trees, export);
    assert_round_trip(&trees, export.line_width(3).roster(false).symbols(true));
});
