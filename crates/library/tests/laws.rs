//! What must hold of every library.

mod common;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use common::{Folder, random_games};
use ferz_board::Position;
use ferz_library::{GameFacts, GameId, GameSink, Import, ImportCount, Library, LibraryError, Query, Sort};
use ferz_notation::pgn::{GameResult, Reader};

fn import(folder: &Folder, text: &[u8]) -> ImportCount {
    let mut import = Import::new(folder.file()).expect("a library");
    import.read(text, &mut (), |_| ControlFlow::Continue(())).expect("imported")
}

fn all(library: &mut Library) -> Vec<GameId> {
    library.find(&Query::default()).expect("a list")
}

fn exported(library: &mut Library) -> Vec<u8> {
    let games = all(library);
    let mut text = Vec::new();
    library.export(&games, &mut text).expect("exported");
    text
}

/// Texts with everything that could get lost between games.
const ODD_TEXTS: [&[u8]; 9] = [
    b"1. e4 *",
    b"\n\n; a comment\n1. e4 e5 1-0\n1. d4 0-1",
    b"\xef\xbb\xbf[Event \"BOM\"]\r\n\r\n1. e4 *\r\n\r\n\r\n[Event \"B\"]\r\n\r\n*\r\n   \r\n",
    b"[Event \"no moves\"]\n\n[Event \"unclosed\n\n1. e4 {open\n\n[Event \"next\"]\n\n1. d4 *\n% escaped\n",
    b"[White \"M\xfcller\"]\n\n1. e4 Zz9 e5 *\n",
    b"1. e4 (1. d4 (1. c4) d5 *\n1. c4 *",
    b"[Event \"A\"]\n[Event \"A\"]\n1. e4 * [Event \"B\"]\n1. d4 *",
    b"[FEN \"nonsense\"]\n\n1. e4 *\n\n[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Ka2 *\n",
    b"[Event \"\0\x01\x1b[31m\"]\n[White \"'; DROP TABLE game; --\"]\n\n1. e4 *\n\n",
];

#[test]
fn importing_and_exporting_is_the_identity() {
    let mut random = fastrand::Rng::with_seed(1);
    let texts = ODD_TEXTS.iter().map(|text| text.to_vec());
    let games = random_games(&mut random, 300);
    // Damage at any place.
    let damaged = (0..20).map(|_| {
        let mut text = random_games(&mut random, 5).into_bytes();
        let at = random.usize(..text.len());
        text.truncate(text.len() - random.usize(..50));
        text[at.min(random.usize(..500))] = random.u8(..);
        text
    });
    for text in texts.chain([games.into_bytes()]).chain(damaged.collect::<Vec<_>>()) {
        let folder = Folder::new();
        import(&folder, &text);
        let mut library = folder.open();
        let found = exported(&mut library);
        assert!(
            found == text,
            "{:?} became {:?}",
            String::from_utf8_lossy(&text),
            String::from_utf8_lossy(&found)
        );
    }
}

#[test]
fn a_file_in_many_batches_is_the_same_file() {
    // More than one transaction, and games without the tag at which files are usually cut.
    let mut random = fastrand::Rng::with_seed(2);
    let block = random_games(&mut random, 2_000);
    let block = format!("{block}{}", block.replace("[Event ", "[Site "));
    let text = block.repeat((5 << 20) / block.len() + 1);
    let folder = Folder::new();
    let mut count = 0;
    let mut import = Import::new(folder.file()).expect("a library");
    struct Count(u64);
    impl GameSink for Count {
        fn game(&mut self, _: GameId, facts: &GameFacts) {
            assert_eq!(facts.positions.len(), facts.moves.len() + 1);
            self.0 += 1;
        }
    }
    let mut sink = Count(0);
    let last = import
        .read(text.as_bytes(), &mut sink, |_| {
            count += 1;
            ControlFlow::Continue(())
        })
        .expect("imported");
    assert!(count > 1, "one batch");
    let mut reader = Reader::new(text.as_bytes());
    let mut games = 0;
    while reader.read_game(&mut common::Nothing).expect("memory") {
        games += 1;
    }
    assert_eq!((last.games, sink.0, last.bytes), (games, games, text.len() as u64));
    assert!(exported(&mut folder.open()) == text.as_bytes());
}

#[test]
fn games_of_different_files_are_apart() {
    let folder = Folder::new();
    import(&folder, b"1. e4 *");
    import(&folder, b"1. d4 *\n");
    let mut library = folder.open();
    library.add(b"1. c4 *").expect("added");
    assert_eq!(exported(&mut library), b"1. e4 *\n\n1. d4 *\n\n1. c4 *");
}

#[test]
fn pages_cover_the_list_exactly_once() {
    let folder = Folder::new();
    import(&folder, random_games(&mut fastrand::Rng::with_seed(3), 777).as_bytes());
    let mut library = folder.open();
    let games: HashSet<_> = all(&mut library).into_iter().collect();
    assert_eq!(games.len(), 777);
    for sort in Sort::ALL {
        for is_descending in [false, true] {
            let mut listed = Vec::new();
            while listed.len() < games.len() {
                let page =
                    library.list(&Query::default(), sort, is_descending, listed.len(), 50).expect("a page");
                assert_eq!(page.total, games.len());
                assert!(!page.games.is_empty());
                listed.extend(page.games);
            }
            let ids: Vec<_> = listed.iter().map(|game| game.id).collect();
            assert_eq!(ids.iter().copied().collect::<HashSet<_>>(), games);
            assert_eq!(ids.len(), games.len());
            let key = |game: &ferz_library::ListedGame| match sort {
                Sort::Added => format!("{:020}", game.id),
                Sort::Date => game.date.replace('?', "0"),
                Sort::White => game.white.to_lowercase(),
                Sort::Black => game.black.to_lowercase(),
                Sort::Result => ["*", "0-1", "1/2-1/2", "1-0"]
                    .iter()
                    .position(|it| *it == game.result)
                    .map(|it| it.to_string())
                    .expect("a result"),
                Sort::Opening => format!("{} {}", game.eco, game.opening.to_lowercase()),
                Sort::Plies => format!("{:06}", game.plies),
                Sort::Elo => format!("{:06}", game.white_elo.max(game.black_elo).unwrap_or(0)),
            };
            let keys: Vec<_> = listed.iter().map(key).collect();
            let is_sorted = if is_descending { keys.is_sorted_by(|a, b| a >= b) } else { keys.is_sorted() };
            assert!(is_sorted, "{sort:?} {is_descending}");
        }
    }
}

/// Single changes move rows within the prepared orders: the result must be as if everything were sorted again.
#[test]
fn orders_stay_right_when_games_change() {
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(4);
    import(&folder, random_games(&mut random, 200).as_bytes());
    let mut library = folder.open();
    library.prepare().expect("prepared");
    for _ in 0..30 {
        let games = all(&mut library);
        let game = games[random.usize(..games.len())];
        let new = random_games(&mut random, 1);
        if random.bool() {
            let before = library.text(game).expect("a text");
            assert!(library.replace(game, &before, new.as_bytes()).expect("replaced"));
        } else {
            library.add(new.as_bytes()).expect("added");
        }
        let mut fresh = folder.open();
        for sort in Sort::ALL {
            let list =
                |library: &mut Library| library.list(&Query::default(), sort, true, 0, 500).expect("a list");
            assert_eq!(list(&mut library), list(&mut fresh), "{sort:?}");
        }
    }
}

#[test]
fn restoring_undoes_deleting() {
    let folder = Folder::new();
    import(&folder, random_games(&mut fastrand::Rng::with_seed(5), 100).as_bytes());
    let mut library = folder.open();
    let games = all(&mut library);
    library.tag(&games[..20], &["good".to_owned()], &[]).expect("tagged");
    let query = Query { tag: Some("good".to_owned()), ..Query::default() };
    let before = library.list(&query, Sort::White, true, 0, 200).expect("a list");
    assert_eq!(before.total, 20);
    library.delete(&games[10..60]).expect("deleted");
    assert_eq!(library.list(&query, Sort::White, true, 0, 200).expect("a list").total, 10);
    let deleted = Query { deleted: true, ..Query::default() };
    assert_eq!(library.find(&deleted).expect("a list"), &games[10..60]);
    assert_eq!((library.summary().expect("a summary").games, library.count().expect("a count")), (50, 50));
    library.restore(&games[10..60]).expect("restored");
    assert_eq!(library.list(&query, Sort::White, true, 0, 200).expect("a list"), before);
    // What was deleted long ago is removed, and only that.
    library.delete(&games[..5]).expect("deleted");
    assert_eq!(library.purge().expect("purged"), 0);
    assert_eq!(library.purge_before(i64::MAX).expect("purged"), 5);
    assert_eq!(all(&mut library), &games[5..]);
    assert!(matches!(library.text(games[0]), Err(LibraryError::NoGame(_))));
    library.restore(&games[..5]).expect("nothing to restore");
    assert_eq!(all(&mut library), &games[5..]);
}

#[test]
fn folders_and_tags_hold_games() {
    let folder = Folder::new();
    let mut library = folder.open();
    let games: Vec<_> = (1..5)
        .map(|n| library.add(format!("[Round \"{n}\"]\n\n1. e4 *\n").as_bytes()).expect("added"))
        .collect();
    let mine = library.make_folder(" mine ").expect("made");
    assert_eq!(library.make_folder("mine").expect("found"), mine);
    let other = library.make_folder("other").expect("made");
    library.move_to(&games[..3], Some(mine)).expect("moved");
    library.move_to(&games[2..3], None).expect("moved");
    library.tag(&games, &["a".to_owned(), "b".to_owned()], &[]).expect("tagged");
    library.tag(&games[1..], &[], &["a".to_owned()]).expect("tagged");
    let summary = library.summary().expect("a summary");
    let folders: Vec<_> = summary.folders.iter().map(|it| (it.name.as_str(), it.games)).collect();
    let tags: Vec<_> = summary.tags.iter().map(|it| (it.tag.as_str(), it.games)).collect();
    assert_eq!((folders, tags), (vec![("mine", 2), ("other", 0)], vec![("a", 1), ("b", 4)]));
    let in_folder = |library: &mut Library, folder| {
        library.find(&Query { folder: Some(folder), ..Query::default() }).expect("a list")
    };
    assert_eq!(in_folder(&mut library, mine), &games[..2]);
    assert_eq!(in_folder(&mut library, 0), &games[2..]);
    assert!(matches!(library.rename_folder(other, "mine"), Err(LibraryError::Refused(_))));
    library.rename_folder(mine, "own").expect("renamed");
    library.delete_folder(mine).expect("deleted");
    assert_eq!(in_folder(&mut library, 0), games);
    assert!(matches!(library.move_to(&games, Some(mine)), Err(LibraryError::NoFolder(_))));
    for bad in ["", "  ", "a\nb", &"x".repeat(101)] {
        assert!(matches!(library.make_folder(bad), Err(LibraryError::Refused(_))), "{bad:?}");
        assert!(
            matches!(library.tag(&games, &[bad.to_owned()], &[]), Err(LibraryError::Refused(_))),
            "{bad:?}"
        );
    }
    // A second library on the same file sees all of it.
    assert_eq!(folder.open().summary().expect("a summary"), library.summary().expect("a summary"));
}

#[test]
fn filters_find_what_they_describe() {
    let folder = Folder::new();
    let mut text = String::new();
    for (white, black, elo, date, result, moves) in [
        ("Carlsen, Magnus", "Nepo", 2855, "2021.12.03", "1-0", "1. d4 Nf6 2. Nf3 d5"),
        ("Löwenfisch", "Tal", 2600, "1957.??.??", "1/2-1/2", "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4"),
        ("Tal", "Fischer", 2700, "1960.11.01", "0-1", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
    ] {
        write!(text, "[Event \"Cup\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"{elo}\"]\n[Date \"{date}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n").expect("a string");
    }
    import(&folder, text.as_bytes());
    let mut library = folder.open();
    let ids = all(&mut library);
    let own = |text: &str| Some(text.to_owned());
    let after_e4_c5_nf3 = own("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    let cases = [
        (Query { text: own("tal"), ..Query::default() }, vec![1, 2]),
        (Query { text: own("CUP tal fisch"), ..Query::default() }, vec![1, 2]),
        (Query { text: own("löwen"), ..Query::default() }, vec![1]),
        (Query { text: own("sicilian"), ..Query::default() }, vec![1]),
        (Query { player: own("tal"), color: Some(ferz_board::Color::White), ..Query::default() }, vec![2]),
        (Query { player: own("tal"), color: Some(ferz_board::Color::Black), ..Query::default() }, vec![1]),
        (Query { opening: own("C6"), ..Query::default() }, vec![2]),
        (Query { opening: own("b"), ..Query::default() }, vec![1]),
        (Query { opening: own("Sicilian"), ..Query::default() }, vec![1]),
        (Query { result: Some(GameResult::Draw), ..Query::default() }, vec![1]),
        (Query { date_from: own("1960"), ..Query::default() }, vec![0, 2]),
        (Query { date_to: own("1957"), ..Query::default() }, vec![1]),
        (Query { date_from: own("1960.11.01"), date_to: own("1960.11"), ..Query::default() }, vec![2]),
        (Query { elo_from: Some(2700), ..Query::default() }, vec![0, 2]),
        (Query { elo_to: Some(2700), ..Query::default() }, vec![1, 2]),
        (Query { plies_from: Some(5), plies_to: Some(5), ..Query::default() }, vec![2]),
        (Query { fen: after_e4_c5_nf3, ..Query::default() }, vec![1]),
        (Query { fen: Some(Position::start().to_string()), ..Query::default() }, vec![0, 1, 2]),
        (Query { material: own("KQRRBBNNPPPPPPP kqrrbbnnppppppp"), ..Query::default() }, vec![1]),
        (Query { text: own("tal"), result: Some(GameResult::Unknown), ..Query::default() }, vec![]),
    ];
    for (query, places) in cases {
        let expected: Vec<_> = places.into_iter().map(|place: usize| ids[place]).collect();
        assert_eq!(library.find(&query).expect("a list"), expected, "{query:?}");
    }
    for bad in [
        Query { fen: own("nonsense"), ..Query::default() },
        Query { material: own("KX"), ..Query::default() },
        Query { date_from: own("yesterday"), ..Query::default() },
        Query { text: Some("x ".repeat(20)), ..Query::default() },
    ] {
        assert!(matches!(library.find(&bad), Err(LibraryError::Query(_))), "{bad:?}");
    }
}

/// The index against the definition: every game is read again.
#[test]
fn the_index_of_positions_agrees_with_the_games() {
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(6);
    // Some games with a run, some without.
    import(&folder, random_games(&mut random, 600).as_bytes());
    import(&folder, random_games(&mut random, 40).as_bytes());
    let mut library = folder.open();
    let games = all(&mut library);
    // Edited games leave their run.
    for &game in &games[..3] {
        let before = library.text(game).expect("a text");
        assert!(library.replace(game, &before, b"1. a4 a5 2. b4 *").expect("replaced"));
    }
    let facts: Vec<_> =
        games.iter().map(|&game| GameFacts::of(&library.text(game).expect("a text"))).collect();
    let mut wanted = HashSet::new();
    for _ in 0..60 {
        let game = random.usize(..games.len());
        let text = String::from_utf8(library.text(games[game]).expect("a text")).expect("text");
        let tree: ferz_notation::pgn::GameTree = text.parse().expect("a game");
        let positions: Vec<_> = tree.main_line_positions().map(|(_, position)| position).collect();
        wanted.extend(positions.get(random.usize(..positions.len().max(1))).map(ToString::to_string));
    }
    wanted.insert("rnbqkbnr/1ppppppp/8/p7/PP6/8/2PPPPPP/RNBQKBNR b KQkq - 0 2".to_owned());
    for fen in wanted {
        let key = Position::from_fen_lenient(&fen).expect("a FEN").0.repetition_key();
        let expected: Vec<_> = games
            .iter()
            .zip(&facts)
            .filter(|(_, facts)| facts.positions.contains(&key))
            .map(|(&game, _)| game)
            .collect();
        assert!(!expected.is_empty(), "{fen}");
        assert_eq!(
            library.find(&Query { fen: Some(fen.clone()), ..Query::default() }).expect("a list"),
            expected,
            "{fen}"
        );
    }
}

#[test]
fn an_edit_does_not_overwrite_another() {
    let folder = Folder::new();
    let (mut one, mut two) = (folder.open(), folder.open());
    let game = one.add(b"1. e4 *").expect("added");
    assert_eq!(two.find_text(b"1. e4 *").expect("a search"), Some(game));
    assert!(two.replace(game, b"1. e4 *", b"1. e4 e5 *").expect("replaced"));
    assert!(!one.replace(game, b"1. e4 *", b"1. e4 c5 *").expect("refused"));
    assert_eq!(one.text(game).expect("a text"), b"1. e4 e5 *");
    one.delete(&[game]).expect("deleted");
    assert!(!two.replace(game, b"1. e4 e5 *", b"1. d4 *").expect("refused"));
    assert!(
        !two.contains(game).expect("a search") && two.find_text(b"1. e4 e5 *").expect("a search").is_none()
    );
}
