//! Property: a book on disk that is sorted answers like the same book in memory. One that is not, or that shrinks or
//! changes while it is in use, gives an error or legal moves.

#![no_main]

use std::cell::RefCell;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use ferz_board::Position;
use ferz_fuzz::Bytes;
use ferz_notation::polyglot::{Book, BookError, BookFile, Entries, Entry, Variety};
use libfuzzer_sys::fuzz_target;

const RECORD: usize = 16;

/// A file whose contents can change behind the back of its reader.
#[derive(Clone)]
struct SharedFile(Rc<RefCell<Vec<u8>>>, u64);

impl Read for SharedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.borrow();
        let mut rest = bytes.get(self.1 as usize..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.1 += count as u64;
        Ok(count)
    }
}

impl Seek for SharedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let bytes = self.0.borrow();
        let mut cursor = Cursor::new(&bytes[..]);
        cursor.set_position(self.1);
        self.1 = cursor.seek(to)?;
        Ok(self.1)
    }
}

fn assert_legal(file: &mut BookFile<SharedFile>, positions: &[Position], random: u64) {
    for position in positions {
        match file.moves(position) {
            Ok(moves) => {
                assert!(moves.iter().all(|it| position.is_legal(it.mv)), "{position}");
                let variety = Variety::new(random as u8);
                let chosen = variety.choose(&moves, random);
                assert_eq!(chosen.is_some(), moves.iter().any(|it| it.weight > 0), "{position}");
            }
            Err(BookError::Unsorted { .. } | BookError::Truncated { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let random = u64::from(bytes.number()) << 47;
    let (len, cut) = (usize::from(bytes.byte()), usize::from(bytes.number()));
    let positions = bytes.part(len).game();
    let mut contents = bytes.rest().to_vec();
    for record in contents.chunks_exact_mut(RECORD) {
        // Half of the records belong to positions of the game.
        if record[1] % 2 == 0 {
            let position = &positions[usize::from(record[0]) % positions.len()];
            record[..8].copy_from_slice(&position.key().to_be_bytes());
        }
    }
    let read: Result<Vec<Entry>, _> = Entries::new(&contents[..]).collect();
    assert_eq!(read.is_ok(), contents.len() % RECORD == 0);

    let shared = Rc::new(RefCell::new(contents.clone()));
    match BookFile::new(SharedFile(Rc::clone(&shared), 0)) {
        Ok(mut file) => {
            assert_legal(&mut file, &positions, random);
            let shorter = cut.min(contents.len());
            shared.borrow_mut().truncate(shorter);
            assert_legal(&mut file, &positions, random);
            *shared.borrow_mut() = contents.iter().rev().copied().collect();
            assert_legal(&mut file, &positions, random);
        }
        Err(BookError::OddTail { .. }) => assert_ne!(contents.len() % RECORD, 0),
        Err(BookError::Unsorted { .. }) => {}
        Err(error) => panic!("{error}"),
    }

    contents.truncate(contents.len() / RECORD * RECORD);
    let book = Book::from_bytes(&contents).expect("whole records");
    let mut sorted = Vec::new();
    book.write(&mut sorted).expect("vectors grow");
    let mut file = BookFile::new(Cursor::new(sorted)).expect("a sorted book");
    for position in &positions {
        let expected: Vec<_> = book.moves(position).collect();
        let found = file.moves(position).expect("a sorted book");
        assert!(found == expected || book.find(position.key()).len() > 1024, "{position}");
    }
});
