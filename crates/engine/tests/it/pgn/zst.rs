//! Files compressed with zstd, valid and hostile ones.

use std::time::{Duration, Instant};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{GAMES, TempFile, data, many_games};
use crate::{Run, ferz, ferz_reading};

/// A frame with a window of 128 KiB and these blocks.
fn frame(blocks: &[Block<'_>]) -> Vec<u8> {
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
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

#[derive(Clone, Copy)]
enum Block<'a> {
    Raw(&'a [u8]),
    Repeat(u8, usize),
}

fn skippable(content: &[u8]) -> Vec<u8> {
    [&[0x50, 0x2a, 0x4d, 0x18][..], &(content.len() as u32).to_le_bytes(), content].concat()
}

fn check(packed: &[u8]) -> Run {
    ferz_reading(["pgn", "check", "-"], packed)
}

/// The error message for a file.
fn refusal(packed: &[u8]) -> String {
    let run = check(packed);
    assert_eq!(run.code, Some(2), "{}", run.out);
    run.err.trim_end().strip_prefix("error: -: ").expect("a reason").to_owned()
}

#[test]
fn packed_files_are_read_as_if_they_were_not() {
    let games = many_games();
    let packed = TempFile::new("games.pgn.zst", compress_to_vec(games.as_bytes(), CompressionLevel::Fastest));
    let plain = TempFile::new("games.pgn", &games);
    for threads in ["1", "2"] {
        let [packed, plain] = [&packed, &plain].map(|file| {
            let run = ferz(["pgn", "check", "--threads", threads, file.path()]);
            (run.out.replace(file.path(), "FILE"), run.code)
        });
        assert!(packed == plain);
    }
}

#[test]
fn frames_are_read_one_after_the_other() {
    let half = GAMES.len() / 2;
    let (first, second) = GAMES.as_bytes().split_at(half);
    let packed = [
        skippable(b"what pzstd writes"),
        frame(&[Block::Raw(&first[..10]), Block::Raw(&first[10..])]),
        skippable(b""),
        frame(&[Block::Raw(second)]),
    ];
    let run = check(&packed.concat());
    assert_eq!((&run.out[..], &run.err[..]), ("3 games, 15 moves, 0 problems\n", ""));
    // The name does not matter.
    let file = TempFile::new("packed.pgn", packed.concat());
    assert_eq!(ferz(["pgn", "check", file.path()]).code, Some(0));
    assert_eq!(check(&frame(&[Block::Raw(b"")])).out, "0 games, 0 moves, 0 problems\n");
}

#[test]
fn files_that_are_cut_off_are_refused() {
    let packed = compress_to_vec(GAMES.as_bytes(), CompressionLevel::Fastest);
    assert_eq!(check(&packed).code, Some(0));
    for len in (4..packed.len()).step_by(packed.len() / 40) {
        assert_eq!(refusal(&packed[..len]), "truncated zstd data", "{len}");
    }
    assert_eq!(refusal(&skippable(b"abc")[..9]), "truncated zstd data");
}

#[test]
fn damage_is_noticed() {
    let packed = compress_to_vec(GAMES.as_bytes(), CompressionLevel::Fastest);
    for at in (9..packed.len()).step_by(packed.len() / 40) {
        let mut damaged = packed.clone();
        damaged[at] ^= 0x10;
        refusal(&damaged);
    }
    let rubbish_behind = [&packed[..], b"rubbish"].concat();
    assert!(refusal(&rubbish_behind).starts_with("damaged zstd data: "));
    assert_eq!(refusal(&skippable(b"abc")), "the zstd file contains no data");
    let large_window = [0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0];
    assert_eq!(refusal(&large_window), "zstd window of 2048 MiB: at most 32 are supported");
}

/// A decompression bomb is rejected quickly, before it takes memory.
#[test]
fn bombs_are_refused() {
    let bomb = data("bomb_open_comment_1GiB.pgn.zst");
    for (command, reason) in [
        ("check", "a zstd bomb: "),
        ("epd", "a zstd bomb: "),
        ("stats", "a zstd bomb: "),
        ("fmt", "the game takes more than 32 MiB of memory"),
        ("filter", "a game is longer than 32 MiB"),
    ] {
        let start = Instant::now();
        let run = ferz(["pgn", command, "--threads", "2", &bomb]);
        assert_eq!(run.code, Some(2), "{command}");
        assert!(run.err.contains(reason), "{command}: {}", run.err);
        assert!(start.elapsed() < Duration::from_secs(10), "{command}: {:?}", start.elapsed());
    }
    let zeros = frame(&[Block::Repeat(0, 1 << 17); 100]);
    assert_eq!(refusal(&zeros), "not text: the file starts with zero bytes");
    // A few hundred megabytes of spaces do no harm.
    let blanks = frame(&[Block::Repeat(b' ', 1 << 17); 1000]);
    assert_eq!(check(&blanks).out, "0 games, 0 moves, 0 problems\n");
}

#[test]
fn files_that_lie_are_refused() {
    for (file, reason) in [
        ("lying_content_size", "damaged zstd data: expected 4611686018427387904 bytes, found 16"),
        ("not_zstd", "not zstd data, although the name ends in .zst"),
        ("skippable_only", "truncated zstd data"),
    ] {
        let file = data(&format!("{file}.pgn.zst"));
        let run = ferz(["pgn", "check", &file]);
        assert_eq!((run.code, run.err), (Some(2), format!("error: {file}: {reason}\n")));
    }
}
