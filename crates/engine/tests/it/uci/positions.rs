//! Positions and moves.

use super::driver::Session;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 9";

#[test]
fn what_is_no_position_leaves_the_last_one() {
    let mut session = Session::ready();
    session.send(&format!("position fen {PAWN}"));
    for (line, reason) in [
        ("position", "expected startpos or fen"),
        ("position startpas", "found 'startpas'"),
        ("position startpos e2e4", "expected moves"),
        ("position fen", "bad FEN: board"),
        ("position fen startpos", "bad FEN: board, column 1: 's'"),
        ("position fen jsdhfksdjfhl", "bad FEN: board"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 x - - 0 1", "bad FEN: side to move"),
        ("position fen 4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "could capture the king"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 2 3", "bad FEN"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 w - - -5 1", "bad FEN"),
        ("position fen moves e2e4", "bad FEN: board"),
    ] {
        let complaint = session.complaint(line);
        assert!(complaint.starts_with("position: ") && complaint.contains(reason), "{line}: {complaint}");
        assert_eq!(session.fen(), PAWN, "{line}");
        // A move of the previous position would be wrong: the null move is the answer.
        assert_eq!(session.best_move("go depth 2"), "0000", "{line}");
    }
    session.send("go infinite");
    session.synchronize();
    assert_eq!(session.count("bestmove 0000"), 12);
    session.send("stop");
    session.expect("bestmove 0000");
    session.send(&format!("position fen {PAWN}"));
    assert_ne!(session.best_move("go depth 2"), "0000");
    session.quit();
}

#[test]
fn moves_that_are_none_refuse_the_whole_command() {
    let mut session = Session::ready();
    let complaint = session.complaint("position startpos moves e2e4 e7e5 e1e8 g1f3");
    assert_eq!(complaint, "position: move 3, 'e1e8': e1e8 is not legal: the king on e1 does not move to e8");
    for mv in ["zzzz", "e2", "e2e4e5", "e7e8x", "0000", "@@@@", "♞♞", "e2é4", "e2e4q", "é", "O-O"] {
        let complaint = session.complaint(&format!("position startpos moves {mv} e7e5"));
        assert!(complaint.starts_with(&format!("position: move 1, '{mv}': ")), "{complaint}");
    }
    assert_eq!(session.fen(), START);
    session.quit();
}

#[test]
fn what_programs_leave_out_or_get_wrong() {
    let mut session = Session::ready();
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 b", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3  w  -   - 3 0", "4k3/8/8/8/8/8/4P3/4K3 w - - 3 1"),
    ] {
        assert_eq!(session.answer(&format!("position fen {fen}")), [""; 0], "{fen}");
        assert_eq!(session.fen(), expected);
    }
    // An impossible castling right is dropped, with a message.
    let answer = session.answer("position fen 4k3/8/8/8/8/8/8/R3K3 w Qk - 0 1");
    assert_eq!(answer, ["info string position: impossible castling right dropped: h8"]);
    assert_eq!(session.fen(), "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    session.send("debug on");
    assert_eq!(session.answer("position fen 4k3/8/8/8/8/8/4P3/4K3 w - -").len(), 2);
    session.quit();
}

#[test]
fn capital_letters() {
    let mut session = Session::ready();
    session.send("position startpos moves E2E4 e7E5");
    assert_eq!(session.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    session.send("position fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 1 moves a7a8Q");
    assert_eq!(session.fen(), "Q3k3/8/8/8/8/8/8/4K3 b - - 0 1");
    session.quit();
}

#[test]
fn a_game_of_thousands_of_moves() {
    let mut session = Session::ready();
    let shuffle = " g1f3 g8f6 f3g1 f6g8".repeat(1500);
    session.send(&format!("position startpos moves{shuffle}"));
    assert_eq!(session.fen(), START.replace("0 1", "6000 3001"));
    // A draw that must be claimed does not end the game.
    assert_ne!(session.best_move("go depth 1"), "(none)");
    session.quit();
}

/// The halfmove clock saturates at its maximum.
#[test]
fn a_game_too_long_to_be_counted() {
    let mut session = Session::ready();
    let shuffle = " g1f3 g8f6 f3g1 f6g8".repeat((1 << 16) / 4);
    session.send(&format!("position startpos moves{shuffle}"));
    assert_eq!(session.fen(), START.replace("0 1", "32767 32769"));
    assert_ne!(session.best_move("go depth 3"), "(none)");
    assert_eq!(session.count("info string error: "), 0);
    session.quit();
}

#[test]
fn castling_is_written_as_the_option_says() {
    let mut session = Session::ready();
    let position = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let castled = "4k3/8/8/8/8/8/8/5RK1 b - - 1 1";
    for (chess960, written) in [("false", "e1g1"), ("true", "e1h1"), ("false", "e1g1")] {
        session.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        session.send(position);
        session.send("go perft 1");
        session.expect(&format!("{written}: 1"));
        session.expect("Nodes searched: 15");
        // Both notations are accepted.
        for castling in ["e1g1", "e1h1"] {
            session.send(&format!("{position} moves {castling}"));
            assert_eq!(session.fen(), castled, "{castling}");
        }
    }
    // Where a king move and castling would look the same, castling names the rook regardless of the option.
    session.send("position fen 4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    session.send("go perft 1");
    session.expect("f1g1: 1");
    session.expect("f1h1: 1");
    session.expect("Nodes searched");
    session.quit();
}

#[test]
fn finished_games() {
    let mut session = Session::ready();
    for (fen, score) in
        [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0")]
    {
        session.send(&format!("position fen {fen}"));
        for go in ["go depth 5", "go movetime 10", "go wtime 100 btime 100", "go nodes 1", "go mate 1"] {
            session.send(go);
            assert_eq!(session.expect("info depth"), format!("info depth 0 score {score}"));
            assert_eq!(session.expect("bestmove"), "bestmove (none)");
        }
        for (go, end) in
            [("go infinite", "stop"), ("go ponder wtime 9 btime 9", "ponderhit"), ("go ponder", "stop")]
        {
            let answered = session.count("bestmove");
            session.send(go);
            session.expect("info depth 0 score");
            session.synchronize();
            assert_eq!(session.count("bestmove"), answered, "{go}");
            session.send(end);
            assert_eq!(session.expect("bestmove"), "bestmove (none)");
        }
    }
    session.quit();
}
