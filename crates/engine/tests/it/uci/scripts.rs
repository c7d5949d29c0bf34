//! Hostile sessions as scripts: the files in `tests/uci_scripts`.
//!
//! A script begins with the promise it tests. Other lines are sent unchanged, unless they begin with `@`:
//!
//! | | |
//! |---|---|
//! | `@ready` | do the `uci` and `isready` handshake |
//! | `@expect MS PATTERN` | a new matching line comes in time; those before it are skipped |
//! | `@expect_none MS PATTERN` | no new matching line comes within this time |
//! | `@total N MS PATTERN` | N matching lines have come in time, counted from the start |
//! | `@count N PATTERN` | exactly N matching lines have come so far |
//! | `@repeat N TEXT` | send this N times |
//! | `@raw TEXT`, `@raw_repeat N TEXT` | send bytes without a line ending |
//! | `@bytewise TEXT` | send bytes one by one |
//! | `@sleep MS` | wait |
//! | `@pause_reading`, `@resume_reading` | stop or resume reading the output of the engine |
//! | `@eof` | end the input |
//! | `@exit MS` | the engine ends in time, with code 0 |
//! | `@quit` | the engine still works, and quits in time |
//!
//! A pattern is a sequence of words at the start of a line, or anywhere in it after `...`. A word may have
//! alternatives (`e1g1|e1h1`), and `MOVE` is any move. In the texts of `@repeat`, `@raw` and `@bytewise`, bytes
//! may be written as `\n`, `\r`, `\t` and `\xff`.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::driver::{PATIENCE, Session};

/// The tolerance for late answers: tests run in parallel on busy machines, and latency is measured elsewhere.
const SLACK: u32 = 6;

macro_rules! scripts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

scripts! {
    a_hundred_searches_waiting
    a_session_in_one_write
    bad_castling_rights
    bad_en_passant
    bad_fen_boards
    bad_fen_kings
    bad_fen_odd_words
    bad_fen_opponent_in_check
    bad_fen_random_word
    bad_fen_truncated
    bad_file_paths
    bad_net_files
    bytes_that_are_no_text
    changing_option_values
    chess960_castling_off
    chess960_castling_on
    chess960_inner_rooks
    clock_overflow
    clock_zero_or_negative
    crlf_and_blank_lines
    dead_positions
    depth_1000
    double_stop
    en_passant_that_opens_a_rank
    eof_after_uci
    eof_at_start
    eof_during_go_infinite
    eof_with_searches_waiting
    fifty_moves_are_over
    flood_of_isready
    garbage_moves_in_list
    go_at_once_after_bestmove
    go_infinite_on_checkmate
    go_on_checkmate
    go_on_stalemate
    go_ponder_on_checkmate
    go_stop_storm
    go_while_searching
    go_with_odd_words
    go_without_limits
    hash_limits
    hundred_kb_line
    illegal_move_in_list
    infinite_waits_for_stop
    isready_during_search
    many_new_games
    many_queens
    mate_in_one_at_99
    megabyte_of_moves
    moves_218
    moves_to_go
    multipv_more_than_moves
    one_byte_at_a_time
    one_ms_per_move
    own_book
    partial_last_line_then_eof
    ponder_then_stop
    ponderhit_late
    ponderhit_without_ponder
    position_while_searching
    promotion_explosion
    quit_during_go_infinite
    quit_during_perft
    quit_during_ponder
    repetition_with_unusable_en_passant
    searches_from_a_file
    searchmoves
    setoption_hash_while_searching
    setoption_malformed
    setoption_threads_while_searching
    setoptions_while_searching
    slow_reader
    slow_reader_then_quit
    smallest_limits
    stop_in_the_same_write
    stop_without_go
    ten_mb_line
    threads_limits
    too_many_pieces
    ucinewgame_while_searching
    unknown_commands
    uppercase_moves
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/uci_scripts")
}

#[test]
fn every_script_is_a_test() {
    let entries = fs::read_dir(folder()).expect("there are scripts");
    let mut files: Vec<_> =
        entries.map(|entry| entry.expect("a file").file_name().into_string().expect("a name")).collect();
    files.sort();
    assert_eq!(files, NAMES.iter().map(|name| format!("{name}.txt")).collect::<Vec<_>>());
}

fn run(name: &str) {
    let text = fs::read_to_string(folder().join(name).with_extension("txt")).expect("the script is there");
    let mut lines = text.lines().enumerate();
    let promise = lines.next().and_then(|(_, line)| line.strip_prefix("# ")).expect("a promise");
    let mut session = Session::new();
    for (index, line) in lines {
        if let Err(failure) = obey(line, &mut session) {
            let said = session.lines_so_far();
            let last = &said[said.len().saturating_sub(12)..];
            panic!("{promise}\n{name}.txt:{}: {line}\n{failure}; it said last {last:#?}", index + 1);
        }
    }
    let breakdowns = session.count("info string error: internal error");
    assert_eq!(breakdowns, 0, "{promise}");
}

/// Executes a line of a script.
fn obey(line: &str, session: &mut Session) -> Result<(), String> {
    let Some(directive) = line.strip_prefix('@') else {
        session.send(line);
        return Ok(());
    };
    let (name, rest) = directive.split_once(' ').unwrap_or((directive, ""));
    match name {
        "ready" => {
            session.send("uci");
            expect(session, 3000, "uciok")?;
            session.send("isready");
            expect(session, 5000, "readyok")?;
        }
        "expect" => {
            let (limit, pattern) = number(rest);
            expect(session, limit, pattern)?;
        }
        "expect_none" => {
            let (time, pattern) = number(rest);
            let time = Duration::from_millis(time as u64);
            if let Ok(line) = session.find(time, |line| is_like(line, pattern)) {
                return Err(format!("there is {line:?}"));
            }
        }
        "total" => {
            let (wanted, rest) = number(rest);
            let (limit, pattern) = number(rest);
            let deadline = Instant::now() + patience(limit);
            let mut found = count(session, pattern);
            while found < wanted && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(5));
                found = count(session, pattern);
            }
            session.pass_over();
            require(found == wanted, || format!("there are {found}"))?;
        }
        "count" => {
            let (wanted, pattern) = number(rest);
            let found = count(session, pattern);
            require(found == wanted, || format!("there are {found}"))?;
        }
        "repeat" => {
            let (times, text) = number(rest);
            session.send_bytes(&[unescaped(text), b"\n".to_vec()].concat().repeat(times));
        }
        "raw" => session.send_bytes(&unescaped(rest)),
        "raw_repeat" => {
            let (times, text) = number(rest);
            session.send_bytes(&unescaped(text).repeat(times));
        }
        "bytewise" => unescaped(rest).chunks(1).for_each(|byte| session.send_bytes(byte)),
        "sleep" => thread::sleep(Duration::from_millis(number(rest).0 as u64)),
        "pause_reading" => session.pause_reading(true),
        "resume_reading" => session.pause_reading(false),
        "eof" => session.close_input(),
        "exit" => exit(session, number(rest).0)?,
        "quit" => {
            session.send("isready");
            expect(session, 1000, "readyok")?;
            session.send("quit");
            exit(session, 1000)?;
        }
        _ => panic!("there is no directive @{name}"),
    }
    Ok(())
}

fn require(is_so: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise()) }
}

/// A number and the rest of the text.
fn number(text: &str) -> (usize, &str) {
    let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
    (number.parse().unwrap_or_else(|_| panic!("{number:?} is no number")), rest)
}

fn patience(milliseconds: usize) -> Duration {
    SLACK * Duration::from_millis(milliseconds as u64)
}

fn expect(session: &mut Session, limit: usize, pattern: &str) -> Result<(), String> {
    match session.find(patience(limit), |line| is_like(line, pattern)) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("no such line: {error}")),
    }
}

fn exit(session: &mut Session, limit: usize) -> Result<(), String> {
    let code = session.exit_within(patience(limit)).ok_or("it is still there")?;
    // Its last lines may still be in the pipe.
    session.pause_reading(false);
    let _ = session.find(PATIENCE, |_| false);
    require(code == Some(0), || format!("it ended with {code:?}"))
}

fn count(session: &mut Session, pattern: &str) -> usize {
    session.lines_so_far().iter().filter(|line| is_like(line, pattern)).count()
}

/// Whether a line starts with the words of the pattern, or contains them.
fn is_like(line: &str, pattern: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let begins = |words: &[&str], pattern: &str| {
        let mut words = words.iter();
        pattern.split_whitespace().all(|wanted| words.next().is_some_and(|word| is_word(word, wanted)))
    };
    match pattern.strip_prefix("... ") {
        Some(part) => (0..words.len()).any(|start| begins(&words[start..], part)),
        None => begins(&words, pattern),
    }
}

fn is_word(word: &str, wanted: &str) -> bool {
    wanted.split('|').any(|wanted| word == wanted || wanted == "MOVE" && is_move(word))
}

fn is_move(word: &str) -> bool {
    let squares = word.as_bytes().chunks(2).take(2);
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h', b'1'..=b'8']);
    let is_promotion = word.len() == 4 || word.len() == 5 && word.ends_with(['q', 'r', 'b', 'n']);
    is_promotion && squares.filter(|square| is_square(square)).count() == 2
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'x') => {
                    let digits =
                        [rest.next(), rest.next()].map(|digit| char::from(digit.expect("two digits")));
                    let [high, low] = digits.map(|digit| digit.to_digit(16).expect("a digit") as u8);
                    high << 4 | low
                }
                other => panic!("{text}: {other:?} behind a backslash"),
            },
            byte => byte,
        });
    }
    bytes
}

#[test]
fn patterns() {
    assert!(is_like("bestmove e2e4 ponder e7e5", "bestmove MOVE"));
    assert!(is_like("bestmove a7a8q", "bestmove MOVE"));
    assert!(is_like("bestmove (none)", "bestmove 0000|(none)"));
    assert!(is_like("info depth 3 score mate 1 pv a1a8", "... score mate 1"));
    assert!(!is_like("bestmove 0000", "bestmove MOVE"));
    assert!(!is_like("info depth 3 score mate 12", "... score mate 1"));
    assert!(!is_like("info string bestmove", "bestmove"));
    assert!(!is_like("bestmove", "bestmove MOVE"));
    assert_eq!(unescaped(r"a\n\xff"), b"a\n\xff");
}
