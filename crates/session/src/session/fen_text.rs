//! FEN as people paste it: with underscores, as a PGN tag, in the address of a page.

use ferz_board::{FenField, Position, Repair};

use super::refusal::Refusal;

/// The ranks of a board.
const RANKS: usize = 8;
/// A board with mistakes should be reported as such, so fewer ranks will do. `1/2-1/2` has three parts.
const FEWEST_RANKS: usize = 4;

/// The FEN in a text, not necessarily a correct one; `None` if there is nothing like it.
pub(crate) fn find(text: &str) -> Option<String> {
    let text = unwrapped(text.trim());
    if text.contains('\n') {
        return None;
    }
    // The parts of an address; a FEN has none of these characters.
    percent_decoded(text).split(['?', '#', '&', '=']).find_map(fen_in_part)
}

/// Reads a FEN leniently. Returns the position and the repairs that the reader should know of.
pub(crate) fn read(fen: &str) -> Result<(Position, Vec<String>), Refusal> {
    let (position, repairs) = Position::from_fen_lenient(fen)?;
    let is_harmless = |repair: &Repair| {
        use FenField::{EnPassant, FullmoveNumber, HalfmoveClock};
        matches!(
            repair,
            Repair::Chess960
                | Repair::ByteOrderMark
                | Repair::Whitespace
                | Repair::Missing(EnPassant | HalfmoveClock | FullmoveNumber)
        )
    };
    let told = repairs.iter().filter(|repair| !is_harmless(repair)).map(ToString::to_string).collect();
    Ok((position, told))
}

/// The text without the tag, command or quotation marks around it.
fn unwrapped(text: &str) -> &str {
    let tag = text.strip_prefix("[FEN").and_then(|rest| rest.trim_start().strip_prefix('"'));
    if let Some(value) = tag.and_then(|rest| rest.strip_suffix(']')).map(str::trim_end) {
        return value.strip_suffix('"').filter(|value| !value.contains('"')).unwrap_or(text);
    }
    let mut text = text.trim_matches(['"', '\'', '`']);
    for prefix in ["position ", "fen:", "fen "] {
        if text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)) {
            text = text[prefix.len()..].trim_start();
        }
    }
    text
}

/// The FEN at the end of a part of an address.
fn fen_in_part(part: &str) -> Option<String> {
    let part = part.replace(['_', '+'], " ");
    let part = part.trim();
    let (board, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
    let mut ranks: Vec<_> = board.split('/').collect();
    let is_rank =
        |text: &str| !text.is_empty() && text.chars().all(|it| "pnbrqkPNBRQK12345678~".contains(it));
    // The path in front of the FEN.
    while ranks.len() > RANKS && !is_rank(ranks[0]) {
        ranks.remove(0);
    }
    let is_plain = |rank: &&str| rank.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '~');
    let looks_like_fen = ranks.len() >= FEWEST_RANKS && ranks.iter().all(is_plain);
    looks_like_fen.then(|| format!("{} {rest}", ranks.join("/")).trim_end().to_owned())
}

/// The text with `%20` and the like decoded.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let decoded = match rest {
            [b'%', high, low, ..] => hex_byte(*high, *low),
            _ => None,
        };
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &rest[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(16 * digit(high)? + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

    #[test]
    fn all_spellings_are_found() {
        let underscores = FEN.replace(' ', "_");
        let encoded = FEN.replace(' ', "%20").replace('/', "%2F");
        for text in [
            FEN.to_owned(),
            format!("\"{FEN}\""),
            format!("FEN: {FEN}"),
            format!("position fen {FEN}"),
            format!("[FEN \"{FEN}\"]"),
            format!("[FEN  \"{FEN}\" ]"),
            underscores.clone(),
            FEN.replace(' ', "+"),
            format!("https://lichess.org/analysis/standard/{underscores}"),
            format!("https://lichess.org/analysis/{underscores}#4"),
            format!("lichess.org/editor/{underscores}?color=black"),
            format!("/analysis/standard/{underscores}"),
            format!("analysis/chess960/{underscores}"),
            format!("https://www.chess.com/analysis?flip=false&fen={encoded}&tab=analysis"),
            format!("http://127.0.0.1:6464/#fen={underscores}"),
        ] {
            assert_eq!(find(&text).as_deref(), Some(FEN), "{text}");
        }
    }

    #[test]
    fn mistakes_stay_where_they_are() {
        for text in [
            "rnbqkbnx/8/8/8/8/8/8/8 w - - 0 1",
            "8/8/8/8/8/8/8/8/8 w - - 0 1",
            "8/8/8/8 w",
            "4k3/8/8/8/8/8/8/4K3",
        ] {
            assert_eq!(find(text).as_deref(), Some(text));
        }
        let text = "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"] [SetUp \"1\"]";
        assert_eq!(find(text), None, "a PGN in one line");
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "1. e4 e5 1/2-1/2",
            "e4",
            "",
            "https://lichess.org/abcdefgh",
            "https://lichess.org/analysis/pgn/e4_e5",
            "%",
            "%zz/%2",
            "8/8/8/8/8/8/8/8 w - - 0 1\n1. e4",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn harmless_repairs_are_not_told() {
        for fen in ["1k1rr3/8/8/8/8/8/8/1K1RR3 w Dd - 0 1", "4k3/8/8/8/8/8/8/R3K3  b Q"] {
            assert_eq!(read(fen).unwrap().1, [""; 0], "{fen}");
        }
        assert_eq!(
            read("4k3/8/8/8/8/8/8/4K3 w Q - 0 1").unwrap().1,
            ["impossible castling right dropped: a1"]
        );
    }
}
