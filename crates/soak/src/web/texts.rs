//! Games to load, and hostile texts.

use fastrand::Rng;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

use crate::random::RandomChoice as _;

/// A game of random moves, and how many plies it has.
pub(super) fn game(random: &mut Rng, longest: usize) -> (String, usize) {
    let mut position = Chess::default();
    let mut text = format!("[Event \"Soak\"]\n[White \"A {}\"]\n[Black \"B\"]\n\n", random.usize(..1000));
    let mut plies = 0;
    while plies < longest && !position.is_game_over() {
        let mv = random.pick(&position.legal_moves());
        if plies % 2 == 0 {
            text += &format!("{}. ", plies / 2 + 1);
        }
        text += &SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        text += if plies % 8 == 7 { "\n" } else { " " };
        plies += 1;
    }
    (text + "*\n\n", plies)
}

/// A text that is not a good game.
pub(super) fn hostile(random: &mut Rng) -> String {
    let (good, _) = game(random, 60);
    match random.usize(..14) {
        0 => String::new(),
        1 => format!("1. e4 {} d4 {}", "(1. d4 ".repeat(2_000), ")".repeat(2_000)),
        2 => format!("1. e4 {} e5", "(1. d4) ".repeat(2_000)),
        3 => "[".repeat(20_000),
        4 => "(".repeat(20_000),
        5 => format!("1. e4 {{{}}} e5 *", "comment ".repeat(3_000)),
        6 => format!("1. e4 {{{}", "never closed ".repeat(1_000)),
        7 => "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 e5 *".to_owned(),
        8 => "[White \"<script>alert(1)</script>\"]\n[Site \"javascript:alert(1)\"]\n\n1. e4 {<img src=x>} *"
            .to_owned(),
        9 => "[White \"a\\\"b\\\\\"]\n[Black \"never closed\n\n1. e4 e5 2. Ke8 Nc6 $999 $-1 ;\n *".to_owned(),
        10 => "1. e4 e5 2. Nf3 Nc6 3. O-O-O-O \u{0}\u{1}\u{1b}[31m \u{202e} 4. quit\nuci\ngo infinite"
            .to_owned(),
        11 => good.chars().take(random.usize(..good.len())).collect(),
        12 => "8/8/8/8/8/8/8/8 w - - 0 1".to_owned(),
        _ => scrambled(random, &good),
    }
}

/// A text with some of its characters changed.
fn scrambled(random: &mut Rng, text: &str) -> String {
    const LETTERS: &[char] =
        &['(', ')', '{', '}', '[', ']', '"', '\\', '$', ';', '%', '\n', '0', 'K', 'é', '\u{7f}'];
    text.chars().map(|letter| if random.percent(5) { random.pick(LETTERS) } else { letter }).collect()
}

/// Positions that can be set up.
pub(super) const POSITIONS: [&str; 6] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
    "8/P7/8/8/8/8/7p/k1K5 b - - 10 40",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
];

/// Texts that cannot.
pub(super) const BAD_POSITIONS: [&str; 6] = [
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1\nquit",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
    "startpos",
    "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
    "\u{0}",
];

/// Invalid messages. All of them are answered by an error without number.
pub(super) fn invalid_message(random: &mut Rng) -> String {
    let deep = format!(r#"{{"type":"go","node":{}1{}}}"#, "[".repeat(20_000), "]".repeat(20_000));
    let long = format!(r#"{{"{}":1}}"#, "k".repeat(50_000));
    let messages = [
        "",
        "null",
        "{",
        r#"{"type":"go","node":"9"}"#,
        r#"{"type":"analyse","on":1,"lines":1e99}"#,
        r#"{"type":"go","node":1,"node":2}"#,
        r#"{"type":"move","san":"\ud800"}"#,
        r#"{"type":"setoption","name":"EvalFile","value":"/etc/passwd"}"#,
        r#"{"type":"step","to":"next","id":-1}"#,
        "uci\nquit\n",
        &deep,
        &long,
    ];
    (random.pick(&messages)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_games_have_as_many_moves_as_they_say() {
        let mut random = Rng::with_seed(1);
        for _ in 0..20 {
            let (text, plies) = game(&mut random, 80);
            let mut tree = ferz_notation::pgn::GameTree::new();
            let mut reader = ferz_notation::pgn::Reader::new(text.as_bytes());
            assert!(tree.read(&mut reader).expect("reading from memory does not fail"));
            assert_eq!((tree.main_line().count(), tree.problems().len()), (plies, 0), "{text}");
        }
    }
}
