//! Laws of the index.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;

use ferz_board::{Color, Move, Position};
use ferz_notation::pgn::GameResult;

use super::*;

/// A folder that is deleted at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ferz-explorer-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn open(&self) -> Result<Index, IndexError> {
        Index::open(&self.0, "test")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A random game of few different moves, so that games meet.
fn random_game(random: &mut fastrand::Rng, id: u64) -> (IndexedGame, Vec<(Position, Move)>) {
    let results =
        [GameResult::Unknown, GameResult::Win(Color::White), GameResult::Draw, GameResult::Win(Color::Black)];
    let game = IndexedGame {
        id,
        result: results[random.usize(..4)],
        elo: random.bool().then(|| random.u16(1000..2900)),
        year: random.bool().then(|| random.u16(1850..2030)),
    };
    let mut position = Position::start();
    let mut moves = Vec::new();
    for _ in 0..random.usize(0..50) {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[random.usize(..legal.len().min(3))];
        moves.push((position, mv));
        position.play_unchecked(mv);
    }
    (game, moves)
}

fn line(moves: &[(Position, Move)]) -> OpeningLine {
    let mut line = OpeningLine::new();
    for (before, mv) in moves {
        let mut after = *before;
        after.play_unchecked(*mv);
        if !line.play(before, *mv, &after) {
            break;
        }
    }
    line
}

type Game = (IndexedGame, Vec<(Position, Move)>);

/// What an independent count says of a position: games that reach it, and for each move games, results and ratings.
type Counted = (u64, HashMap<Move, (u64, [u64; 3], Option<u32>)>);

fn count(games: &[Game], position: &Position) -> Counted {
    let mut reached = 0;
    let mut moves: HashMap<Move, Vec<&IndexedGame>> = HashMap::new();
    for (game, played) in games {
        let mut here: Vec<(Position, Option<Move>)> = Vec::new();
        for (before, mv) in played.iter().take(MAX_PLIES) {
            here.push((*before, Some(*mv)));
        }
        if let Some((last, mv)) = played.iter().take(MAX_PLIES).next_back() {
            let mut after = *last;
            after.play_unchecked(*mv);
            here.push((after, None));
        }
        if let Some((_, mv)) = here.iter().find(|(it, _)| it.same_position(position)) {
            reached += 1;
            if let Some(mv) = mv {
                moves.entry(*mv).or_default().push(game);
            }
        }
    }
    let sum = |games: Vec<&IndexedGame>| {
        let with = |result| games.iter().filter(|game| game.result == result).count() as u64;
        let elos: Vec<u32> = games.iter().filter_map(|game| game.elo.map(u32::from)).collect();
        let rated = elos.len() as u32;
        let elo = (rated > 0).then(|| (elos.iter().sum::<u32>() + rated / 2) / rated);
        let results = [GameResult::Win(Color::White), GameResult::Draw, GameResult::Win(Color::Black)];
        (games.len() as u64, results.map(with), elo)
    };
    (reached, moves.into_iter().map(|(mv, games)| (mv, sum(games))).collect())
}

fn check(reader: &IndexReader, games: &[Game], position: &Position) {
    let found = reader.explore(position).expect("readable");
    let (reached, moves) = count(games, position);
    assert_eq!(found.total, reached, "{position}");
    let played = found.moves.iter().filter(|it| it.stats.games() > 0);
    let played: HashMap<Move, _> = played
        .map(|it| {
            let stats = &it.stats;
            (it.mv, (stats.games(), [stats.white(), stats.draws(), stats.black()], stats.elo()))
        })
        .collect();
    assert_eq!(played, moves, "{position}");
    for it in &found.moves {
        let mut after = *position;
        after.play_unchecked(it.mv);
        assert_eq!(it.stats.games() + it.transpositions, count(games, &after).0, "{position} {:?}", it.mv);
    }
}

/// Positions of some games.
fn positions(games: &[Game]) -> impl Iterator<Item = &Position> {
    games.iter().step_by(9).flat_map(|(_, moves)| moves.iter().step_by(5).map(|(position, _)| position))
}

#[test]
fn counts_agree_with_an_independent_count() {
    let folder = Folder::new("counts");
    let mut random = fastrand::Rng::with_seed(7);
    let mut index = folder.open().expect("a new index");
    let mut games: Vec<Game> = Vec::new();
    for batch in 0..12 {
        // Little memory: each update writes many runs and merges them.
        let mut update = index.update().with_memory_for(if batch % 2 == 0 { 100 } else { usize::MAX });
        for _ in 0..random.usize(1..40) {
            let game = random_game(&mut random, games.len() as u64);
            update.replace(game.0.id, Some((&game.0, &line(&game.1)))).expect("added");
            games.push(game);
        }
        update.commit().expect("committed");
        index.merge().expect("merged");
    }
    assert_eq!(index.games(), games.len() as u64);
    check(&index.reader(), &games, &Position::start());
    positions(&games).for_each(|position| check(&index.reader(), &games, position));

    // Removed games leave no trace in the counts, before and after merging.
    let (kept, removed): (Vec<Game>, Vec<Game>) = games.into_iter().partition(|(game, _)| game.id % 3 > 0);
    let mut update = index.update();
    removed.iter().for_each(|(game, _)| update.replace(game.id, None).expect("removed"));
    update.commit().expect("committed");
    for _ in 0..2 {
        assert_eq!(index.games(), kept.len() as u64);
        check(&index.reader(), &kept, &Position::start());
        positions(&removed).for_each(|position| check(&index.reader(), &kept, position));
        index.merge().expect("merged");
    }

    // It is the same after it was closed.
    drop(index);
    let index = folder.open().expect("the same index");
    assert_eq!(index.games(), kept.len() as u64);
    positions(&kept).for_each(|position| check(&index.reader(), &kept, position));
}

#[test]
fn merging_some_runs_changes_nothing() {
    let folder = Folder::new("merge");
    let mut random = fastrand::Rng::with_seed(12);
    // Large runs stay while small ones are merged, as in an index of many games.
    let mut index = folder.open().expect("a new index").with_small_runs(0);
    let mut live: BTreeMap<u64, Game> = BTreeMap::new();
    let mut partial = 0;
    for round in 0..120 {
        let changes = if round % 40 == 0 { 100 } else { random.usize(1..5) };
        let ids: BTreeSet<u64> = (0..changes).map(|_| random.u64(..150)).collect();
        let mut update = index.update();
        for id in ids {
            let game = (random.u8(..4) > 0).then(|| random_game(&mut random, id));
            let new = game.as_ref().map(|(game, moves)| (game, line(moves)));
            update.replace(id, new.as_ref().map(|(game, line)| (*game, line))).expect("replaced");
            live.remove(&id);
            live.extend(game.map(|game| (id, game)));
        }
        update.commit().expect("committed");
        if random.bool() {
            index.merge().expect("merged");
            partial += usize::from(index.reader().runs() > 1);
        }
        let games: Vec<Game> = live.values().cloned().collect();
        let positions: Vec<&Position> = positions(&games).collect();
        for _ in 0..4 {
            let position = random.choice(&positions).map_or(Position::start(), |it| **it);
            check(&index.reader(), &games, &position);
            for it in index.reader().explore(&position).expect("readable").moves {
                let samples: Vec<IndexedGame> = it.stats.samples().collect();
                let is_live = |game: &IndexedGame| live.get(&game.id).is_some_and(|it| it.0 == *game);
                assert!(samples.iter().all(is_live), "{position}");
                let ids: BTreeSet<u64> = samples.iter().map(|game| game.id).collect();
                assert_eq!(ids.len(), samples.len(), "twice the same game");
            }
        }
    }
    assert!(partial > 20, "{partial} merges left larger runs alone");
}

#[test]
fn an_index_without_games_has_no_moves_left() {
    let folder = Folder::new("empty");
    let mut random = fastrand::Rng::with_seed(8);
    let games: Vec<Game> = (0..20).map(|id| random_game(&mut random, id)).collect();
    let mut index = folder.open().expect("a new index");
    for sign in [1, -1] {
        let mut update = index.update();
        for (game, moves) in &games {
            let line = line(moves);
            update.replace(game.id, (sign > 0).then_some((game, &line))).expect("done");
        }
        update.commit().expect("committed");
    }
    index.merge().expect("merged");
    assert_eq!(index.size(), 32, "not even a mark is left");
    let found = index.reader().explore(&Position::start()).expect("readable");
    assert_eq!((found.total, found.moves.len(), index.games()), (0, 0, 0));
}

#[test]
fn a_change_that_is_not_committed_leaves_nothing() {
    let folder = Folder::new("crash");
    let mut random = fastrand::Rng::with_seed(9);
    let mut index = folder.open().expect("a new index");
    let first = random_game(&mut random, 1);
    let mut update = index.update();
    update.add(&first.0, &line(&first.1)).expect("added");
    update.commit().expect("committed");
    // As if the program had been killed: runs were written, the manifest was not.
    let mut update = index.update().with_memory_for(10);
    for id in 2..50 {
        let (game, moves) = random_game(&mut random, id);
        update.add(&game, &line(&moves)).expect("added");
    }
    drop(update);
    fs::write(folder.0.join("000099.part"), "half a run").expect("written");
    drop(index);
    let index = folder.open().expect("the index before");
    assert_eq!(index.games(), 1);
    check(&index.reader(), &[first], &Position::start());
    let files = fs::read_dir(&folder.0).expect("the folder").count();
    assert_eq!(files, 3, "lock, manifest and one run");
}

#[test]
fn every_damaged_byte_is_noticed() {
    let folder = Folder::new("damage");
    let mut random = fastrand::Rng::with_seed(10);
    let games: Vec<Game> = (0..60).map(|id| random_game(&mut random, id)).collect();
    let mut index = folder.open().expect("a new index");
    let mut update = index.update();
    for (game, moves) in &games {
        update.replace(game.id, Some((game, &line(moves)))).expect("added");
    }
    update.commit().expect("committed");
    drop(index);
    let files = fs::read_dir(&folder.0).expect("the folder").map(|file| file.expect("a file").path());
    let files: Vec<PathBuf> = files.filter(|path| !path.ends_with("lock")).collect();
    assert_eq!(files.len(), 2);
    for path in &files {
        let bytes = fs::read(path).expect("readable");
        for _ in 0..100 {
            let mut damaged = bytes.clone();
            match random.u8(..4) {
                0 => damaged.truncate(random.usize(..bytes.len())),
                _ => damaged[random.usize(..bytes.len())] ^= 1 << random.u8(..8),
            }
            fs::write(path, &damaged).expect("written");
            let outcome = folder.open().and_then(|index| {
                let reader = index.reader();
                assert!(games.len() as u64 == index.games());
                positions(&games).try_for_each(|position| reader.explore(position).map(drop))
            });
            // Records that no query reads may be damaged, but a merge reads all.
            if outcome.is_ok() {
                let mut index = folder.open().expect("it opened before");
                let mut update = index.update();
                update.add(&games[0].0, &line(&games[0].1)).expect("added");
                update.commit().expect("a new run");
                let error = index.merge().expect_err("a merge reads all records");
                assert!(error.is_damage(), "{error}");
            }
            fs::write(path, &bytes).expect("written");
        }
    }
    let bytes = fs::read(&files[0]).expect("readable");
    fs::write(&files[0], &bytes[..bytes.len() / 2]).expect("written");
    assert!(folder.open().expect_err("damaged").is_damage());
    let replaced = Index::open_or_replace(&folder.0, "test").expect("a new index");
    assert_eq!(replaced.games(), 0);
}

#[test]
fn one_process_writes_and_others_read() {
    let folder = Folder::new("lock");
    let mut index = folder.open().expect("a new index");
    assert!(matches!(folder.open(), Err(IndexError::Locked { .. })));
    pgn::add_games(&mut index, "1. e4 e5 1-0".as_bytes(), 1).expect("added");
    let reader = IndexReader::open(&folder.0, "test").expect("readable").expect("there");
    assert_eq!(reader.games(), 1);
    assert!(IndexReader::open(&folder.0, "different").expect("readable").is_none());
    drop(index);
    // Built from something different: it begins again.
    assert_eq!(Index::open(&folder.0, "different").expect("opened").games(), 0);
}

#[test]
fn games_of_a_file_are_found_again() {
    let folder = Folder::new("file");
    let text = "[Event \"A\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[Date \"1999.??.??\"]\n[WhiteElo \"2000\"]\n\n\
        1. e4 (1. d4 d5) e5 {a comment} 2. Nf3 1-0\n\n\
        [Event \"B\"]\n[White \"Cy \\\"C\\\"\"]\n[Black \"Dee\"]\n[WhiteElo \"2400\"]\n[BlackElo \"2200\"]\n\n\
        1. Nf3 e5 2. e4 Nc6 1/2-1/2\n";
    let mut index = folder.open().expect("a new index");
    assert_eq!(pgn::add_games(&mut index, text.as_bytes(), 2).expect("added"), 2);
    let mut position = Position::start();
    for uci in ["e2e4", "e7e5", "g1f3"] {
        position.play(position.parse_uci(uci).expect("a move")).expect("legal");
    }
    let found = index.reader().explore(&position).expect("readable");
    assert_eq!(found.total, 2);
    assert_eq!(found.moves.len(), 1);
    let found = index.reader().explore(&Position::start()).expect("readable");
    let heads: Vec<String> = found
        .games(8)
        .iter()
        .map(|game| {
            let head = pgn::game_head(std::io::Cursor::new(text), game.id).expect("readable");
            format!("{} {} {:?} {:?}", head.white, head.black, game.elo, game.year)
        })
        .collect();
    assert_eq!(heads, ["Cy \"C\" Dee Some(2300) None", "Ann Bob Some(2000) Some(1999)"]);
    // 2. Nf3 was played by one game and reached by the other one, too.
    position = Position::start();
    for uci in ["e2e4", "e7e5"] {
        position.play(position.parse_uci(uci).expect("a move")).expect("legal");
    }
    let found = index.reader().explore(&position).expect("readable");
    assert_eq!((found.total, found.moves[0].stats.games(), found.moves[0].transpositions), (1, 1, 1));
}

#[test]
fn packed_lines_are_read_again() {
    let mut random = fastrand::Rng::with_seed(11);
    for number in 0..300 {
        let (game, moves) = random_game(&mut random, number);
        let start = Position::chess960_start(number as u16).expect("a number");
        let mut moves = line(&moves);
        if number % 3 == 0 {
            moves.clear();
            let mv = start.legal_moves()[0];
            let mut after = start;
            after.play_unchecked(mv);
            assert!(moves.play(&start, mv, &after));
        }
        let packed = moves.pack(stats::PackedGame::new(&game));
        assert_eq!(OpeningLine::unpack(&packed), Some((stats::PackedGame::new(&game), moves)));
        // Whatever else the bytes are, they are refused or read.
        let mut damaged = packed.clone();
        damaged[random.usize(..packed.len())] ^= 1 << random.u8(..8);
        let _ = OpeningLine::unpack(&damaged);
        let _ = OpeningLine::unpack(&packed[..random.usize(..packed.len())]);
    }
}
