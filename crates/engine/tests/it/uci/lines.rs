//! Lines of every kind.

use super::driver::Session;

#[test]
fn blanks_and_line_ends_of_any_kind() {
    let mut session = Session::new();
    session.send_bytes(b"uci\r\n");
    session.expect("uciok");
    session.send_bytes(b"\r\n\r\n\n   isready \t \r\n");
    session.expect("readyok");
    session.send_bytes(b"position\tstartpos \tmoves\t e2e4\r\ngo\t\tdepth \t2\r\n");
    let line = session.expect("bestmove ");
    assert!(!line.contains('\r'));
    assert_eq!(session.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    session.quit();
}

#[test]
fn unknown_words() {
    let mut session = Session::ready();
    for line in ["xyzzy", "♞ ♞ ♞", "", "isredy", "Quit", "- quit-"] {
        for said in session.answer(line) {
            assert!(said.starts_with("info string error: unknown command '"), "{said}");
        }
    }
    for line in [
        "debug on",
        "debug off",
        "register later",
        "register name a code b",
        "joho debug on",
        "stop",
        "ponderhit",
    ] {
        assert_eq!(session.answer(line), [""; 0], "{line}");
    }
    assert_eq!(session.complaint("debug maybe"), "debug: expected on or off");
    // As the protocol demands, unknown words before a command are ignored.
    session.send("xyzzy isready now please");
    session.expect("readyok");
    session.quit();
}

#[test]
fn lines_longer_than_any_command() {
    let mut session = Session::ready();
    for length in [100_000, 1 << 20, (1 << 20) + 1, 5_000_000] {
        session.send_bytes(&vec![b'A'; length]);
        let complaint = session.complaint("");
        assert!(complaint.len() < 200, "{length}: {complaint}");
    }
    session.quit();
}

#[test]
fn bytes_that_are_no_text() {
    let mut session = Session::ready();
    session.send_bytes(
        b"\xff\xfe\0\x80go\x01\nposition startpos moves \xc3\x28\nsetoption name \xf0\x9f value \xff\n",
    );
    session.send_bytes(b"\x1b[31m\nposition fen \x1b[2J w - - 0 1\n");
    session.synchronize();
    assert_eq!(session.count("info string error: "), 5);
    session.quit();
}

#[test]
fn a_flood() {
    let mut session = Session::ready();
    session.send_bytes("isready\n".repeat(10_000).as_bytes());
    for _ in 0..10_000 {
        session.expect("readyok");
    }
    session.quit();
}
