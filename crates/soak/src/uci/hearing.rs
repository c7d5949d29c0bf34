//! What the engine must make of a line: a second reading of the protocol, by other code.

/// Longer lines are passed over.
const MAX_LINE_LEN: usize = 1 << 20;

/// What a line asks for, as far as promises depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// One best move is owed.
    Search {
        moves: Vec<String>,
    },
    /// A count of moves or a bench: no best move, but it may take long.
    Count,
    /// `readyok` is owed.
    Question,
    /// The board is shown.
    Show,
    /// The position changes, or is refused.
    Position {
        text: String,
    },
    /// The colours are exchanged.
    Flip,
    Stop,
    Quit,
    /// How many threads search from now on, if the number is accepted.
    Threads(usize),
    /// The engine itself changes, which may take long: its table, its net, all it has learnt.
    Change,
    Other,
}

/// What this line asks for.
pub(super) fn hear(line: &[u8]) -> Heard {
    if line.len() > MAX_LINE_LEN {
        return Heard::Other;
    }
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.first() {
        Some(&"d") => return Heard::Show,
        Some(&"bench") => return Heard::Count,
        Some(&"flip") => return Heard::Flip,
        Some(&("eval" | "compiler" | "help")) | None => return Heard::Other,
        Some(_) => {}
    }
    const COMMANDS: [&str; 11] = [
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "setoption",
        "debug",
        "register",
        "quit",
    ];
    let Some(start) = words.iter().position(|word| COMMANDS.contains(word)) else { return Heard::Other };
    let rest = &words[start + 1..];
    match words[start] {
        "isready" => Heard::Question,
        "stop" => Heard::Stop,
        "quit" => Heard::Quit,
        "ucinewgame" => Heard::Change,
        "position" => Heard::Position { text: rest.join(" ") },
        "go" => hear_go(rest),
        "setoption" => hear_option(rest),
        _ => Heard::Other,
    }
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 13] = [
        "searchmoves",
        "ponder",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "infinite",
        "perft",
    ];
    KEYWORDS.contains(&word)
}

fn hear_go(words: &[&str]) -> Heard {
    let is_number = |word: &&str| {
        let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if words.windows(2).any(|pair| pair[0] == "perft" && is_number(&pair[1])) {
        return Heard::Count;
    }
    let mut moves = Vec::new();
    let mut is_in_list = false;
    for word in words {
        match *word {
            "searchmoves" => is_in_list = true,
            word if is_keyword(word) => is_in_list = false,
            word if is_in_list => moves.push(word.to_ascii_lowercase()),
            _ => {}
        }
    }
    Heard::Search { moves }
}

fn hear_option(words: &[&str]) -> Heard {
    match words {
        ["name", name, "value", value] if name.eq_ignore_ascii_case("threads") => {
            value.parse().map_or(Heard::Other, Heard::Threads)
        }
        ["name", name, ..] if ["hash", "clear", "evalfile"].contains(&name.to_ascii_lowercase().as_str()) => {
            Heard::Change
        }
        _ => Heard::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_heard_as_the_protocol_has_it() {
        let search =
            |moves: &[&str]| Heard::Search { moves: moves.iter().map(|&it| it.to_owned()).collect() };
        assert_eq!(hear(b"xyzzy go depth 1"), search(&[]));
        assert_eq!(hear(b"go searchmoves E2E4 d2d4 depth 3 junk"), search(&["e2e4", "d2d4"]));
        assert_eq!(hear(b"go perft 3"), Heard::Count);
        assert_eq!(hear(b"go perft x"), search(&[]));
        assert_eq!(hear(b"\tisready now\r"), Heard::Question);
        assert_eq!(hear(b"x d"), Heard::Other);
        assert_eq!(hear(b"setoption name THREADS value 3"), Heard::Threads(3));
        assert_eq!(hear(b"setoption name Clear Hash"), Heard::Change);
        assert_eq!(hear(&b"go ".repeat(1 << 19)), Heard::Other);
    }
}
