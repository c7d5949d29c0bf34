//! Compressed files, valid and hostile ones. With the feature `libzstd` the C library must pass the same tests.

use std::io::{self, Read};

use ferz_notation::pgn::{GameTree, Reader};
use ferz_notation::zst::{TextReader, ZstError, ZstProblem, ZstReader, is_zst};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

#[derive(Clone, Copy)]
enum Block<'a> {
    Raw(&'a [u8]),
    Repeat(u8, usize),
}

/// A frame with these bytes behind the magic number, and these blocks.
fn frame(header: &[u8], blocks: &[Block<'_>]) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], header].concat();
    for (i, block) in blocks.iter().enumerate() {
        let (kind, len, content) = match *block {
            Block::Raw(text) => (0, text.len(), text),
            Block::Repeat(byte, len) => (1, len, &[byte][..]),
        };
        let is_last = usize::from(i + 1 == blocks.len());
        bytes.extend(&(len << 3 | kind << 1 | is_last).to_le_bytes()[..3]);
        bytes.extend(content);
    }
    bytes
}

/// A header without content size or checksum, and with a window of 128 KiB.
const PLAIN: &[u8] = &[0, 0x38];

fn skippable(content: &[u8]) -> Vec<u8> {
    [&[0x5e, 0x2a, 0x4d, 0x18][..], &(content.len() as u32).to_le_bytes(), content].concat()
}

/// Delivers one byte at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

/// The text, and the error behind it.
fn unpack(mut reader: impl Read) -> (Vec<u8>, Option<ZstError>) {
    let mut text = Vec::new();
    let mut buffer = [0; 1000];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (text, None),
            Ok(count) => text.extend(&buffer[..count]),
            Err(error) => {
                let problem = ZstError::of(&error).expect("the data are wrong").clone();
                let again = reader.read(&mut buffer).expect_err("an error is the end");
                assert_eq!(ZstError::of(&again), Some(&problem));
                return (text, Some(problem));
            }
        }
    }
}

/// The error of data without any text.
fn problem(packed: &[u8]) -> (u64, ZstProblem) {
    let (_, error) = unpack(ZstReader::new(packed));
    let ZstError { offset, problem } = error.expect("an error");
    (offset, problem)
}

#[test]
fn all_frames_are_read() {
    let long: Vec<u8> = (0..300_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    let packed = [
        skippable(b"as pzstd writes"),
        frame(PLAIN, &[Block::Raw(b"1. e4 "), Block::Raw(b"e5"), Block::Repeat(b' ', 3)]),
        skippable(b""),
        frame(PLAIN, &[Block::Raw(b"")]),
        // A single segment of eleven bytes.
        frame(&[0x20, 11], &[Block::Raw(b"2. Nf3 Nc6 ")]),
        compress_to_vec(&long[..], CompressionLevel::Fastest),
        skippable(b"the end"),
    ]
    .concat();
    let text = [&b"1. e4 e5   2. Nf3 Nc6 "[..], &long].concat();
    assert!(unpack(ZstReader::new(&packed[..])) == (text.clone(), None));
    assert!(unpack(ZstReader::new(Slow(&packed))) == (text, None));
}

#[test]
fn the_first_bytes_decide() {
    let game = "[Event \"x\"]\n\n1. e4 e5 *\n";
    let packed = compress_to_vec(game.as_bytes(), CompressionLevel::Fastest);
    assert!(is_zst(&packed) && is_zst(&skippable(b"")) && !is_zst(game.as_bytes()) && !is_zst(&packed[..3]));
    for (bytes, is_compressed) in
        [(game.as_bytes(), false), (&packed[..], true), (b"1.", false), (b"", false)]
    {
        assert_eq!(TextReader::new(bytes).expect("no file").is_compressed(), is_compressed);
    }
    let mut reader = Reader::new(TextReader::new(&packed[..]).expect("no file"));
    let mut tree = GameTree::new();
    assert!(tree.read(&mut reader).expect("valid"));
    assert_eq!(tree, game.parse().expect("a game"));
}

#[test]
fn truncated_data_are_an_error_everywhere() {
    let text: Vec<u8> = (0..3000u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
    let first = compress_to_vec(&text[..], CompressionLevel::Fastest);
    let packed = [&first[..], &skippable(b"abc"), &first].concat();
    for len in 1..packed.len() {
        let (got, error) = unpack(ZstReader::new(&packed[..len]));
        let whole = if len < first.len() { 0 } else { text.len() };
        assert!(got.len() >= whole, "{len}");
        let frames = [0, first.len(), first.len() + 11];
        if frames[1..].contains(&len) {
            assert_eq!((got.len(), error), (text.len(), None));
        } else {
            let offset = *frames.iter().rev().find(|&&offset| offset < len).expect("the first") as u64;
            assert_eq!(error, Some(ZstError { offset, problem: ZstProblem::Truncated }), "{len}");
        }
    }
    let error = ZstReader::new(&packed[..20]).read_to_end(&mut Vec::new()).expect_err("truncated");
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!(error.to_string(), "truncated zstd data");
}

#[test]
fn damage_has_a_place_and_a_kind() {
    let sound = frame(PLAIN, &[Block::Raw(b"sound")]);
    let at = sound.len() as u64;
    let behind = |bad: &[u8]| problem(&[&sound[..], bad].concat());
    assert_eq!(behind(b"rubbish"), (at, ZstProblem::NotAFrame));
    assert_eq!(problem(&skippable(b"abc")), (11, ZstProblem::NoData));
    assert_eq!(problem(b""), (0, ZstProblem::NoData));
    assert_eq!(behind(&frame(&[1, 0x38, 7], &[Block::Raw(b"x")])), (at, ZstProblem::Dictionary));
    assert!(matches!(behind(&frame(&[8, 0x38], &[Block::Raw(b"x")])), (_, ZstProblem::Damaged(_))));
    // The reserved kind of block.
    assert!(matches!(behind(&[&MAGIC[..], PLAIN, &[7, 0, 0]].concat()), (_, ZstProblem::Damaged(_))));
    let wrong_checksum = [frame(&[4, 0x38], &[Block::Raw(b"x")]), vec![1, 2, 3, 4]].concat();
    assert_eq!(behind(&wrong_checksum), (at, ZstProblem::WrongChecksum));
    // 256 more than the number: 0x101 bytes are announced, and one is there.
    let (place, found) = behind(&frame(&[0x40, 0x38, 1, 0], &[Block::Raw(b"x")]));
    let is_wrong_length =
        matches!(found, ZstProblem::WrongLength { expected: 0x101, found: 1 } | ZstProblem::Damaged(_));
    assert!(place == at && is_wrong_length, "{found:?}");
    let error = ZstReader::new(&[&sound[..], b"rubbish"].concat()[..])
        .read_to_end(&mut Vec::new())
        .expect_err("damaged");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert_eq!(error.to_string(), format!("damaged zstd data: not a frame (frame at byte {at})"));
}

#[test]
fn every_bit_flip_is_noticed_or_harmless() {
    let text: Vec<u8> =
        (0..2000u32).map(|i| b"1. e4 e5 Nf3"[(i.wrapping_mul(i) >> 4) as usize % 12]).collect();
    let packed = compress_to_vec(&text[..], CompressionLevel::Fastest);
    for at in 0..packed.len() {
        for bit in 0..8 {
            let mut damaged = packed.clone();
            damaged[at] ^= 1 << bit;
            let (got, error) = unpack(ZstReader::new(&damaged[..]));
            assert!(error.is_some() || got == text, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn windows_are_limited() {
    let asks = |window: u8| frame(&[0, window], &[Block::Raw(b"x")]);
    assert_eq!(unpack(ZstReader::new(&asks(0x78)[..])), (b"x".to_vec(), None));
    let (window, limit) = (36 << 20, 32 << 20);
    assert_eq!(problem(&asks(0x79)), (0, ZstProblem::WindowTooLarge { window, limit }));
    // As much as the format knows: nothing must be allocated.
    let window = (1 << 41) + (7 << 38);
    assert_eq!(problem(&asks(0xff)), (0, ZstProblem::WindowTooLarge { window, limit }));
    let (_, error) = unpack(ZstReader::new(&asks(0x79)[..]).max_window(64 << 20));
    assert_eq!(error, None);
    let single_segment = frame(&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0], &[Block::Raw(b"x")]);
    assert_eq!(problem(&single_segment), (0, ZstProblem::WindowTooLarge { window: 1 << 32, limit }));
}

#[test]
fn bombs_are_refused() {
    let bomb = frame(PLAIN, &[Block::Repeat(b' ', 1 << 17); 2100]);
    let mut reader = ZstReader::new(&bomb[..]);
    let error = io::copy(&mut reader, &mut io::sink()).expect_err("a bomb");
    let error = ZstError::of(&error).expect("the data are wrong");
    assert_eq!((error.offset, error.problem.name()), (0, "bomb"));
    let text = io::copy(&mut ZstReader::new(&bomb[..]).max_ratio(100_000), &mut io::sink());
    assert_eq!(text.expect("allowed"), 2100 << 17);
}
