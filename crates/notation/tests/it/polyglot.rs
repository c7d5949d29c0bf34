//! Polyglot books: keys, records, moves, choosing, building, merging, damaged files.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use fastrand::Rng;
use ferz_board::{Color, Move, Position, Square};
use ferz_notation::polyglot::{
    Book, BookBuilder, BookError, BookFile, BookMove, BookWriter, Entries, Entry, PackedMove, Points, Variety,
};

/// The positions and keys that the description of the format publishes.
#[test]
fn keys_are_the_published_ones() {
    for (fen, key) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b96181691fc9c),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c9b50fd114196),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756b94461c50fb0),
        ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662fafb965db29d4),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a48b5a8e47ff78),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a607ca3f242c1),
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fdd303c946bdd9),
        ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c8123ea7b067637),
        ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f9b829b279560),
    ] {
        assert_eq!(position(fen).key(), key, "{fen}");
    }
}

#[test]
fn every_record_survives_reading_and_writing() {
    let mut random = Rng::with_seed(1);
    let mut bytes: Vec<u8> = (0..16 * 1000).map(|_| random.u8(..)).collect();
    // Sorted by key, with some keys in common: what is read is then written unchanged.
    let (records, _) = bytes.as_chunks_mut::<16>();
    records.iter_mut().for_each(|record| record[..7].fill(0));
    records.sort_by_key(|record| record[7]);
    let book = Book::from_bytes(&bytes).unwrap();
    assert!(book.was_sorted());
    assert_eq!(to_bytes(&book), bytes);
    assert_eq!(Book::read(Trickle(&bytes)).unwrap(), book);
    for (entry, record) in book.entries().iter().zip(bytes.as_chunks().0) {
        assert_eq!(entry.to_bytes(), *record);
    }
}

#[test]
fn long_books_survive_too() {
    let entry = |key| Entry { key, mv: packed("e2e4", 0), weight: 1, learn: 0 };
    let book = Book::new((0..10_000).map(|i| entry(i / 3)).collect());
    let bytes = to_bytes(&book);
    assert_eq!(bytes.len(), 160_000);
    assert_eq!(Book::read(bytes.as_slice()).unwrap(), book);
    assert_eq!(book.find(7).len(), 3);
    assert_eq!(book.find(u64::MAX).len(), 0);
}

#[test]
fn damaged_files_are_refused_or_repaired() {
    assert!(Book::from_bytes(&[]).unwrap().was_sorted());
    for (length, offset) in [(15, 0), (19, 16), (65_536 + 1, 65_536)] {
        match Book::from_bytes(&vec![0; length]) {
            Err(error @ BookError::OddTail { offset: at, bytes }) => {
                assert_eq!((at, bytes), (offset, length - offset as usize));
                assert!(error.to_string().contains(&format!("at offset {offset} ")), "{error}");
            }
            other => panic!("{length}: {other:?}"),
        }
    }

    let start = Position::start();
    let record = |key| Entry { key, mv: packed("e2e4", 0), weight: 1, learn: 0 };
    let unsorted = Book::new(vec![record(u64::MAX), record(1), record(start.key())]);
    assert!(!unsorted.was_sorted());
    assert_eq!(uci(unsorted.choose(&start, Variety::BY_WEIGHT, 0)), "e2e4");
    let repaired = Book::from_bytes(&to_bytes(&unsorted)).unwrap();
    assert!(repaired.was_sorted());
    assert_eq!(repaired, unsorted);
}

#[test]
fn reading_is_bounded() {
    assert_eq!(Book::read_at_most(io::repeat(0).take(160), 160).unwrap().entries().len(), 10);
    let error = Book::read_at_most(io::repeat(0).take(176), 160).unwrap_err();
    assert_eq!(error.to_string(), "the book is longer than 160 bytes");
    // A reader without end.
    assert!(matches!(Book::read_at_most(io::repeat(0), 1 << 20), Err(BookError::TooLong { .. })));
    assert!(matches!(Book::read(Broken), Err(BookError::Io(_))));
}

#[test]
fn packing_and_unpacking_agree_with_the_rules() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "r3k2r/8/8/8/3pPp2/8/8/R3K1RR b KQkq e3 0 1",
    ] {
        let position = position(fen);
        let legal = position.legal_moves();
        for &mv in &legal {
            assert_eq!(PackedMove::new(mv).unpack(&position), Some(mv), "{fen}: {mv:?}");
        }
        // Whatever the bits are, what comes out is legal, and castling is the only move with two spellings.
        for bits in 0..=u16::MAX {
            let Some(mv) = PackedMove::from_bits(bits).unpack(&position) else { continue };
            assert!(legal.contains(&mv), "{fen}: {bits:#06x}");
            assert!(mv.is_castling() || PackedMove::new(mv).bits() == bits & 0x7fff, "{fen}: {bits:#06x}");
        }
    }
}

#[test]
fn castling_is_what_the_board_says() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (fen, text, expected) in [
        (both, "e1h1", "e1h1"),
        (both, "e1g1", "e1h1"),
        (both, "e1a1", "e1a1"),
        (both, "e1c1", "e1a1"),
        (both, "e1b1", "-"),
        (&both.replace('w', "b"), "e8h8", "e8h8"),
        (&both.replace('w', "b"), "e8c8", "e8a8"),
        // Without the right, the king cannot.
        (&both.replace("KQkq", "kq"), "e1h1", "-"),
        (&both.replace("KQkq", "kq"), "e1g1", "-"),
        // A rook or queen that goes from e1 to a1 just goes there.
        ("3k4/8/8/8/8/8/6K1/4R3 w - - 0 1", "e1a1", "e1a1 Normal"),
        ("3k4/8/8/8/8/8/6K1/4Q3 w - - 0 1", "e1h1", "e1h1 Normal"),
    ] {
        let position = position(fen);
        let mv = packed(text, 0).unpack(&position);
        let kind = if expected.contains(' ') { "" } else { " Castling" };
        let expected = if expected == "-" { "None".into() } else { format!("Some(Move({expected}{kind}))") };
        assert_eq!(format!("{mv:?}"), expected, "{fen} {text}");
    }
}

#[test]
fn promotion_codes() {
    let position = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    let promoted = |code| uci(packed("a7a8", code).unpack(&position));
    let all: Vec<String> = (0..8).map(promoted).collect();
    assert_eq!(all, ["-", "a7a8n", "a7a8b", "a7a8r", "a7a8q", "-", "-", "-"]);
    assert_eq!(packed("a1b1", 4).unpack(&position), None);
}

#[test]
fn moves_are_chosen_by_weight() {
    let start = Position::start();
    let entry = |text, weight| Entry { key: start.key(), mv: packed(text, 0), weight, learn: 7 };
    // The illegal ones count for nothing, however heavy.
    let book = Book::new(vec![
        entry("e2e5", 9),
        entry("e2e4", 3),
        entry("a2a3", 0),
        entry("d2d4", 1),
        entry("e7e5", u16::MAX),
    ]);
    let listed: Vec<_> = book.moves(&start).map(|it| (uci(Some(it.mv)), it.weight, it.learn)).collect();
    let expected = [("e2e4", 3), ("a2a3", 0), ("d2d4", 1)];
    assert_eq!(listed, expected.map(|(text, weight)| (text.to_string(), weight, 7)));
    let chosen: Vec<String> = (0..8).map(|i| uci(book.choose(&start, Variety::BY_WEIGHT, i << 61))).collect();
    assert_eq!(chosen, ["e2e4", "e2e4", "e2e4", "e2e4", "e2e4", "e2e4", "d2d4", "d2d4"]);
    assert_eq!(uci(book.choose(&start, Variety::BY_WEIGHT, u64::MAX)), "d2d4");
    assert_eq!(uci(book.best(&start)), "e2e4");

    let never = Book::new(vec![entry("e2e4", 0), entry("d2d4", 0)]);
    assert_eq!(never.moves(&start).count(), 2);
    assert_eq!((never.choose(&start, Variety::BY_WEIGHT, 5), never.best(&start)), (None, None));
    assert_eq!(Book::default().choose(&start, Variety::BY_WEIGHT, 5), None);

    let crowd = Book::new((0..5000).map(|_| entry("g1f3", u16::MAX)).collect());
    assert_eq!(uci(crowd.choose(&start, Variety::BY_WEIGHT, u64::MAX)), "g1f3");
}

#[test]
fn games_become_books() {
    let start = Position::start();
    let games = [
        ("e2e4 e7e5", Some(Color::White)),
        ("e2e4 c7c5", None),
        ("d2d4 d7d5", None),
        ("a2a4", Some(Color::Black)),
    ];
    let built = |builder: BookBuilder| {
        let mut forwards = builder.clone();
        let mut backwards = builder;
        games.iter().for_each(|game| add(&mut forwards, game.0, game.1));
        games.iter().rev().for_each(|game| add(&mut backwards, game.0, game.1));
        assert_eq!(to_bytes(&forwards.build()), to_bytes(&backwards.build()));
        forwards.build()
    };
    let first_moves = |book: &Book| -> String {
        let moves = book.moves(&start).map(|it| format!("{} {}, ", uci(Some(it.mv)), it.weight));
        moves.collect::<String>()
    };

    let book = built(BookBuilder::new());
    assert!(book.was_sorted());
    assert_eq!(first_moves(&book), "e2e4 3, d2d4 1, a2a4 0, ");
    assert_eq!(book.entries().len(), 6);
    assert_eq!(built(BookBuilder::new().max_ply(1)).entries().len(), 3);
    assert_eq!(built(BookBuilder::new().max_ply(0)), Book::default());
    assert_eq!(first_moves(&built(BookBuilder::new().min_games(2))), "e2e4 3, ");
    assert_eq!(first_moves(&built(BookBuilder::new().min_score(51))), "e2e4 3, ");
    assert_eq!(first_moves(&built(BookBuilder::new().min_score(50))), "e2e4 3, d2d4 1, ");
    let points = Points { win: 10, draw: 4, loss: 1 };
    assert_eq!(first_moves(&built(BookBuilder::new().points(points))), "e2e4 14, d2d4 4, a2a4 1, ");
}

#[test]
fn illegal_moves_do_not_get_into_a_book() {
    let start = Position::start();
    let e4 = start.parse_uci("e2e4").unwrap();
    let mut builder = BookBuilder::new();
    assert!(builder.add_game(&start, [e4, e4], None).is_err());
    let after = {
        let mut next = start;
        next.play(e4).unwrap();
        next
    };
    assert!(builder.add(&after, e4, 1).is_err());
    assert_eq!(builder.build(), Book::default());
}

#[test]
fn heavy_weights_shrink_together() {
    let start = Position::start();
    let mut builder = BookBuilder::new();
    for (text, points) in [("e2e4", u32::MAX), ("d2d4", u32::MAX / 2), ("c2c4", 1), ("a2a4", 0)] {
        builder.add(&start, start.parse_uci(text).unwrap(), points).unwrap();
    }
    let weights: Vec<u16> = builder.build().moves(&start).map(|it| it.weight).collect();
    assert_eq!(weights, [65535, 32767, 1, 0]);
}

#[test]
fn books_merge() {
    let start = Position::start();
    let entry = |key, text, weight, learn| Entry { key, mv: packed(text, 0), weight, learn };
    let here = start.key();
    let first =
        Book::new(vec![entry(1, "e2e4", 5, 0), entry(here, "e2e4", 60_000, 0), entry(here, "d2d4", 10, 1)]);
    let second =
        Book::new(vec![entry(here, "d2d4", 20, 2), entry(here, "e2e4", 60_000, 3), entry(2, "a2a3", 1, 0)]);
    let merged = first.merge(&second);
    assert_eq!(
        merged.entries(),
        [
            entry(1, "e2e4", 5, 0),
            entry(2, "a2a3", 1, 0),
            entry(here, "e2e4", 65_535, 3),
            entry(here, "d2d4", 16, 1),
        ]
    );
    assert_eq!(first.merge(&Book::default()), first);
    assert_eq!(Book::default().merge(&first), first);
}

#[test]
fn variety_goes_from_the_heaviest_to_the_rare() {
    let start = Position::start();
    let book_move = |text: &str, weight| BookMove { mv: start.parse_uci(text).unwrap(), weight, learn: 0 };
    let moves = [book_move("d2d4", 36), book_move("e2e4", 100), book_move("a2a3", 0), book_move("c2c4", 64)];
    let shares = |variety: u8| {
        let mut counts = [0; 4];
        for i in 0..24_000_u64 {
            let chosen = Variety::new(variety).choose(&moves, i * (u64::MAX / 24_000)).unwrap();
            counts[moves.iter().position(|it| *it == chosen).unwrap()] += 1;
        }
        counts.map(|count: i32| (f64::from(count) / 240.0).round())
    };
    assert_eq!(shares(0), [0.0, 100.0, 0.0, 0.0]);
    assert_eq!(shares(25), [9.0, 75.0, 0.0, 16.0]);
    assert_eq!(shares(50), [18.0, 50.0, 0.0, 32.0]);
    // The roots are 6, 10 and 8.
    assert_eq!(shares(100), [25.0, 42.0, 0.0, 33.0]);
    assert_eq!(shares(255), shares(100));
    for variety in 0..=100 {
        for random in [0, 1 << 40, u64::MAX] {
            assert_ne!(Variety::new(variety).choose(&moves, random).unwrap().weight, 0);
            assert_eq!(Variety::new(variety).choose(&[book_move("a2a3", 0)], random), None);
            assert_eq!(Variety::new(variety).choose(&[], random), None);
        }
    }
}

/// A book on disk gives the same answers as one in memory.
#[test]
fn a_file_is_looked_up_like_memory() {
    let mut random = Rng::with_seed(7);
    for size in [0, 1, 2, 5, 127, 128, 129, 1000, 5000] {
        let keys = random.u64(1..=size.max(1) * 2);
        let entries = (0..size).map(|_| {
            let (key, bits) = (random.u64(..keys) << 40, random.u16(..));
            Entry { key, mv: PackedMove::from_bits(bits), weight: random.u16(..), learn: random.u32(..) }
        });
        let book = Book::new(entries.collect());
        let mut file = BookFile::new(Cursor::new(to_bytes(&book))).unwrap();
        assert_eq!(file.records(), size);
        for key in (0..keys).flat_map(|key| [key << 40, (key << 40) + 1]).chain([u64::MAX]) {
            let found = file.find(key).unwrap();
            let expected = book.find(key);
            assert_eq!(found, expected[..expected.len().min(1024)], "{size} records");
        }
        let entries: Result<Vec<Entry>, _> = file.into_entries().unwrap().collect();
        assert_eq!(entries.unwrap(), book.entries());
    }
}

#[test]
fn a_lookup_on_disk_chooses_like_one_in_memory() {
    let mut builder = BookBuilder::new();
    for (moves, winner) in [("e2e4 e7e5", Some(Color::White)), ("d2d4 d7d5", None), ("e2e4 c7c5", None)] {
        add(&mut builder, moves, winner);
    }
    let book = builder.build();
    let mut file = BookFile::new(Cursor::new(to_bytes(&book))).unwrap();
    let start = Position::start();
    assert_eq!(file.moves(&start).unwrap(), book.moves(&start).collect::<Vec<_>>());
    for random in (0..64).map(|i| i << 58) {
        let variety = Variety::new((random >> 57) as u8);
        assert_eq!(file.choose(&start, variety, random).unwrap(), book.choose(&start, variety, random));
    }
}

/// Counts the bytes read.
struct Metered<R>(R, u64);

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1 += count as u64;
        Ok(count)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// A book of four gigabytes that is computed: its keys are its offsets.
struct Huge(u64);

impl Huge {
    const LEN: u64 = 4 << 30;
}

impl Read for Huge {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min((Huge::LEN - self.0) as usize);
        for byte in &mut buffer[..count] {
            let record = (self.0 / 16 * 16).to_be_bytes();
            *byte = record.get((self.0 % 16) as usize).copied().unwrap_or(1);
            self.0 += 1;
        }
        Ok(count)
    }
}

impl Seek for Huge {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0 = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(_) => Huge::LEN,
            SeekFrom::Current(by) => self.0.wrapping_add_signed(by),
        };
        Ok(self.0)
    }
}

#[test]
fn a_huge_book_costs_a_few_reads() {
    let mut source = Metered(Huge(0), 0);
    let mut file = BookFile::new(&mut source).unwrap();
    assert_eq!(file.records(), Huge::LEN / 16);
    for key in [0, 16, 1 << 20, Huge::LEN / 2 + 16, Huge::LEN - 16] {
        assert_eq!(file.find(key).unwrap().len(), 1, "{key}");
    }
    for key in [1, Huge::LEN / 2 + 1, Huge::LEN, u64::MAX] {
        assert_eq!(file.find(key).unwrap(), [], "{key}");
    }
    assert!(source.1 < 64 << 10, "{} bytes were read", source.1);
}

#[test]
fn hostile_files_are_errors() {
    let odd = BookFile::new(Cursor::new(vec![0; 33])).unwrap_err();
    assert!(matches!(odd, BookError::OddTail { offset: 32, bytes: 1 }), "{odd}");
    let entry = |key| Entry { key, mv: packed("e2e4", 0), weight: 1, learn: 0 };
    let bytes = |entries: &[Entry]| entries.iter().flat_map(|it| it.to_bytes()).collect::<Vec<u8>>();

    let backwards: Vec<Entry> = (0..100).rev().map(entry).collect();
    let error = BookFile::new(Cursor::new(bytes(&backwards))).unwrap_err();
    assert_eq!(error.name(), "unsorted");
    assert_eq!(error.to_string(), "the book is not sorted: the record at offset 16 is out of order");

    // A small book is compared completely.
    for wrong in 0..20 {
        let mut entries: Vec<Entry> = (1..=20).map(entry).collect();
        entries[wrong].key = if wrong < 19 { 100 } else { 0 };
        let opened = BookFile::new(Cursor::new(bytes(&entries)));
        assert!(matches!(opened, Err(BookError::Unsorted { .. })), "{wrong}");
    }

    // One wrong record that opening does not see: a lookup that meets it fails, all others work.
    let mut wrong: Vec<Entry> = (0..10_000).map(entry).collect();
    wrong[5_001].key = 9_000;
    let mut file = BookFile::new(Cursor::new(bytes(&wrong))).unwrap();
    let found = [10, 4_000, 5_005, 9_999].map(|key| file.find(key).map(|it| it.len()));
    assert!(matches!(found, [Ok(1), Ok(1), Err(BookError::Unsorted { offset: 80_016 }), Ok(1)]), "{found:?}");

    // The same key everywhere: no more is read than a position can need.
    let mut same = BookFile::new(Cursor::new(bytes(&vec![entry(7); 100_000]))).unwrap();
    assert_eq!(same.find(7).unwrap().len(), 1024);
    assert_eq!((same.find(6).unwrap(), same.find(8).unwrap()), (vec![], vec![]));
}

#[test]
fn a_file_may_shrink_while_it_is_in_use() {
    let book =
        Book::new((0..10_000).map(|key| Entry { key, mv: packed("e2e4", 0), weight: 1, learn: 0 }).collect());
    let path = std::env::temp_dir().join(format!("ferz-shrinking-{}.bin", std::process::id()));
    std::fs::write(&path, to_bytes(&book)).unwrap();
    let mut file = BookFile::new(std::fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(file.find(9_000).unwrap().len(), 1);
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(50_000).unwrap();
    let error = file.find(9_000).unwrap_err();
    assert_eq!(error.to_string(), "the book was truncated: the record at offset 80000 is gone");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn records_come_one_by_one() {
    let entry = |key| Entry { key, mv: packed("e2e4", 0), weight: 1, learn: 0 };
    let mut bytes: Vec<u8> = [3, 1, 2].map(entry).iter().flat_map(|it| it.to_bytes()).collect();
    let read = |bytes: &[u8]| Entries::new(Trickle(bytes)).collect::<Result<Vec<_>, _>>();
    assert_eq!(read(&bytes).unwrap(), [3, 1, 2].map(entry));
    bytes.push(0);
    assert!(matches!(read(&bytes), Err(BookError::OddTail { offset: 48, bytes: 1 })));
    let mut broken = Entries::new(Broken);
    assert!(matches!(broken.next(), Some(Err(BookError::Io(_)))));
    assert!(broken.next().is_none());
}

/// The result of a bounded builder does not depend on its memory.
#[test]
fn books_that_do_not_fit_into_memory_are_the_same() {
    let mut random = Rng::with_seed(3);
    let moves: Vec<(u64, PackedMove, u32)> = (0..200_000)
        .map(|_| (random.u64(..30_000), PackedMove::from_bits(random.u16(..4)), random.u32(..3)))
        .collect();
    let built = |memory: usize| {
        let mut runs = 0;
        let mut builder = BookBuilder::new().min_games(2).min_score(20).bounded(memory, || {
            runs += 1;
            Ok(Cursor::new(Vec::new()))
        });
        for &(key, mv, points) in &moves {
            builder.add(key, mv, points).unwrap();
        }
        let mut file = Vec::new();
        let size = builder.write(&mut file).unwrap();
        assert_eq!(size.moves * 16, file.len() as u64);
        (file, runs)
    };
    let (expected, runs) = built(1 << 30);
    assert_eq!(runs, 0);
    let mut tallies = std::collections::BTreeMap::<(u64, PackedMove), (u32, u32)>::new();
    for &(key, mv, points) in &moves {
        let tally = tallies.entry((key, mv)).or_default();
        *tally = (tally.0 + 1, tally.1 + points);
    }
    let kept = tallies.iter().filter(|(_, tally)| tally.0 >= 2 && tally.1 * 100 >= tally.0 * 2 * 20);
    let mut kept: Vec<Entry> =
        kept.map(|(&(key, mv), tally)| Entry { key, mv, weight: tally.1 as u16, learn: 0 }).collect();
    kept.sort_by_key(|it| (it.key, u16::MAX - it.weight, it.mv));
    assert_eq!(Book::from_bytes(&expected).unwrap().entries(), kept);
    for memory in [1 << 20, 100_000, 10_000, 0] {
        let (file, runs) = built(memory);
        assert!(runs > 0, "{memory}");
        assert!(file == expected, "{memory}");
    }
}

#[test]
fn storage_that_fails_is_an_error() {
    let mut builder = BookBuilder::new()
        .bounded(0, || -> io::Result<Cursor<Vec<u8>>> { Err(io::Error::other("the disk is full")) });
    let failed = (0..1000).find_map(|key| builder.add(key, packed("e2e4", 0), 1).err());
    assert_eq!(failed.unwrap().to_string(), "the disk is full");
}

#[test]
fn a_writer_takes_moves_in_the_order_of_keys_only() {
    let mut writer = BookWriter::new(Vec::new());
    writer.push(5, packed("e2e4", 0), 1, 0).unwrap();
    assert_eq!(writer.push(4, packed("e2e4", 0), 1, 0).unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn stored_moves_have_a_text() {
    let text = |text, code| packed(text, code).to_string();
    assert_eq!([text("e1h1", 0), text("a7a8", 4), text("a7a8", 7)], ["e1h1", "a7a8q", "a7a8?"]);
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn to_bytes(book: &Book) -> Vec<u8> {
    let mut bytes = Vec::new();
    book.write(&mut bytes).unwrap();
    bytes
}

fn packed(text: &str, promotion: u16) -> PackedMove {
    let square = |text: &str| text.parse::<Square>().unwrap() as u16;
    PackedMove::from_bits(square(&text[2..]) | square(&text[..2]) << 6 | promotion << 12)
}

fn uci(mv: Option<Move>) -> String {
    mv.map_or("-".into(), |mv| mv.uci(ferz_board::CastlingMode::Chess960).to_string())
}

fn add(builder: &mut BookBuilder, moves: &str, winner: Option<Color>) {
    let mut position = Position::start();
    let play = |text| {
        let mv = position.parse_uci(text).unwrap();
        position.play(mv).unwrap();
        mv
    };
    let moves: Vec<Move> = moves.split(' ').map(play).collect();
    builder.add_game(&Position::start(), moves, winner).unwrap();
}

/// A reader that gives one byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

/// A reader that always fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("broken"))
    }
}
