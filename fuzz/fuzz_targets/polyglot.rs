//! Property: any complete records are a book, which is written as it was read, and which returns legal moves only.

#![no_main]

use ferz_board::Position;
use ferz_fuzz::Bytes;
use ferz_notation::polyglot::{Book, BookError, PackedMove, Variety};
use libfuzzer_sys::fuzz_target;

const RECORD: usize = 16;

fn write(book: &Book) -> Vec<u8> {
    let mut file = Vec::new();
    book.write(&mut file).expect("writing to memory does not fail");
    file
}

/// Reads a book and writes it again.
fn book(file: &[u8]) -> Option<Book> {
    let book = match Book::from_bytes(file) {
        Ok(book) => book,
        Err(BookError::OddTail { offset, bytes }) => {
            assert_eq!((offset as usize + bytes, bytes), (file.len(), file.len() % RECORD));
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(book.entries().len() * RECORD, file.len());
    let written = write(&book);
    assert_eq!(written == file, book.was_sorted());
    let again = Book::from_bytes(&written).expect("it has just been written");
    assert!(again.was_sorted());
    assert_eq!(again, book);
    Some(book)
}

fn assert_only_legal_moves(book: &Book, position: &Position, random: u64) {
    let moves: Vec<_> = book.moves(position).collect();
    assert!(moves.len() <= book.find(position.key()).len());
    for it in &moves {
        assert!(position.is_legal(it.mv), "{position} {:?}", it.mv);
        assert_eq!(PackedMove::new(it.mv).unpack(position), Some(it.mv), "{position}");
    }
    let most = moves.iter().map(|it| it.weight).max().filter(|&most| most > 0);
    let best = moves.iter().find(|it| Some(it.weight) == most).map(|it| it.mv);
    assert_eq!(book.best(position), best, "{position}");
    for random in [0, random, u64::MAX] {
        let chosen = book.choose(position, Variety::BY_WEIGHT, random);
        assert_eq!(chosen.is_some(), most.is_some(), "{position}");
        assert!(chosen.is_none_or(|mv| moves.iter().any(|it| it.mv == mv && it.weight > 0)), "{position}");
    }
}

fuzz_target!(|bytes: &[u8]| {
    if book(bytes).is_none() {
        return;
    }
    // Random bytes never match the key of a position, so records get one of a game.
    let mut bytes = Bytes::new(bytes);
    let random = u64::from(bytes.number()) << 48;
    let len = usize::from(bytes.byte());
    let positions = bytes.part(len).game();
    let mut file = bytes.rest().to_vec();
    for record in file.chunks_exact_mut(RECORD) {
        let position = &positions[usize::from(record[0]) % positions.len()];
        record[..8].copy_from_slice(&position.key().to_be_bytes());
    }
    file.truncate(file.len() - file.len() % RECORD);
    let (first, second) = file.split_at(file.len() / (2 * RECORD) * RECORD);
    let (Some(first), Some(second)) = (book(first), book(second)) else { return };
    let merged = first.merge(&second);
    let keys: Vec<_> = merged.entries().iter().map(|entry| (entry.key, entry.mv)).collect();
    assert!(merged.was_sorted());
    for entry in first.entries().iter().chain(second.entries()) {
        assert_eq!(keys.iter().filter(|&&key| key == (entry.key, entry.mv)).count(), 1);
    }
    for position in &positions {
        for book in [&first, &second, &merged] {
            assert_only_legal_moves(book, position, random);
        }
    }
});
