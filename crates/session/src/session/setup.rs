//! Checks of positions that are being set up.

use ferz_board::{
    Bitboard, CastlingMode, Color, Direction, File, Piece, PieceType, Position, Rule, Setup, Square,
    Violation,
};

use super::fen_text;
use super::refusal::Refusal;
use crate::protocol::{ProblemEntry, SetupAnswer, SetupWish, SquareName};

/// The answer about a set-up, and the position if it is legal.
pub(crate) fn check(wish: &SetupWish) -> Result<(SetupAnswer, Option<Position>), Refusal> {
    let fen = match (&wish.fen, &wish.board, wish.start) {
        (Some(text), None, None) => fen_text::find(text).unwrap_or_else(|| text.trim().to_owned()),
        (None, Some(board), None) => written_out(wish, board)?,
        (None, None, Some(number)) => chess960_start(number)?.to_string(),
        _ => return Err(Refusal::new("A set-up needs one of fen, board and start.")),
    };
    let setup = match Setup::from_fen(&fen).or_else(|_| Setup::from_fen(&completed(&fen))) {
        Ok(setup) => setup,
        // Other programs write marks of promoted pieces, the move number 0 and the like.
        Err(error) => match Position::from_fen_lenient(&fen) {
            Ok((position, _)) if wish.fen.is_some() => Setup::from(&position),
            _ => return Ok((unreadable(&fen, &error.to_string(), wish), None)),
        },
    };
    let mode = castling_mode(wish, &setup);
    let violations = setup.violations(mode);
    let fen = setup.to_string();
    let answer = SetupAnswer {
        ok: violations.is_empty(),
        board: Some(letters(&setup)),
        turn: setup.side_to_move.into(),
        castling: field(&fen, 2),
        en_passant: setup.en_passant.map(SquareName),
        halfmove: setup.halfmove_clock,
        fullmove: setup.fullmove_number,
        chess960: mode == CastlingMode::Chess960,
        problems: violations.iter().map(problem).collect(),
        castling_possible: castling_possible(&setup, mode),
        en_passant_possible: en_passant_possible(&setup).into_iter().map(SquareName).collect(),
        fen,
    };
    Ok((answer, Position::from_setup(&setup, mode).ok()))
}

/// The start position of Chess960 with this number.
pub(crate) fn chess960_start(number: u16) -> Result<Position, Refusal> {
    Position::chess960_start(number)
        .ok_or_else(|| Refusal::new("A Chess960 start position is a number from 0 to 959, or random."))
}

/// The castling rules that the page asks for, or those that the rights need.
fn castling_mode(wish: &SetupWish, setup: &Setup) -> CastlingMode {
    let violations = || setup.violations(CastlingMode::Standard);
    let needs_chess960 = || violations().iter().any(|violation| violation.rule == Rule::CastlingNotStandard);
    if wish.start.is_some() || wish.chess960.unwrap_or_else(needs_chess960) {
        CastlingMode::Chess960
    } else {
        CastlingMode::Standard
    }
}

/// A FEN with single spaces, and with defaults for the fields missing at its end.
fn completed(fen: &str) -> String {
    const DEFAULTS: [&str; 6] = ["", "w", "-", "-", "0", "1"];
    let words: Vec<_> = fen.split_ascii_whitespace().collect();
    let missing = DEFAULTS.get(words.len()..).unwrap_or_default();
    [words.as_slice(), missing].concat().join(" ")
}

/// The FEN that the parts of a set-up make.
fn written_out(wish: &SetupWish, board: &str) -> Result<String, Refusal> {
    let letters: Vec<char> = board.chars().collect();
    if letters.len() != 64 || !letters.iter().all(|letter| "pnbrqkPNBRQK.".contains(*letter)) {
        return Err(Refusal::new("A board is 64 piece letters or dots, from a1 to h8."));
    }
    let castling = wish.castling.as_deref().map_or("-", str::trim);
    let castling = if castling.is_empty() { "-" } else { castling };
    if castling.len() > 8 || castling.contains(char::is_whitespace) {
        return Err(Refusal::new("Castling rights are written as in FEN: KQkq, or - for none."));
    }
    let ranks: Vec<_> = letters.chunks(8).rev().map(rank_text).collect();
    let turn = wish.turn.map_or(Color::White, Color::from).to_char();
    let en_passant = wish.en_passant.map_or("-".to_owned(), |square| square.0.to_string());
    let (halfmove, fullmove) = (wish.halfmove.unwrap_or(0), wish.fullmove.unwrap_or(1));
    Ok(format!("{} {turn} {castling} {en_passant} {halfmove} {fullmove}", ranks.join("/")))
}

/// A rank as in FEN: numbers for empty squares.
fn rank_text(rank: &[char]) -> String {
    let mut text = String::new();
    for part in rank.chunk_by(|a, b| (*a == '.') == (*b == '.')) {
        match part[0] {
            '.' => text += &part.len().to_string(),
            _ => text.extend(part),
        }
    }
    text
}

fn letters(setup: &Setup) -> String {
    Square::ALL.into_iter().map(|square| setup.board.piece_at(square).map_or('.', Piece::to_char)).collect()
}

fn field(fen: &str, number: usize) -> String {
    fen.split_ascii_whitespace().nth(number).unwrap_or("-").to_owned()
}

fn unreadable(fen: &str, error: &str, wish: &SetupWish) -> SetupAnswer {
    SetupAnswer {
        ok: false,
        fen: fen.chars().take(200).collect(),
        board: None,
        turn: wish.turn.unwrap_or(Color::White.into()),
        castling: "-".to_owned(),
        en_passant: None,
        halfmove: 0,
        fullmove: 1,
        chess960: wish.chess960 == Some(true),
        problems: vec![ProblemEntry { rule: "syntax", message: error.to_owned(), squares: Vec::new() }],
        castling_possible: "-".to_owned(),
        en_passant_possible: Vec::new(),
    }
}

fn problem(violation: &Violation) -> ProblemEntry {
    ProblemEntry {
        rule: rule_name(violation.rule),
        message: violation.rule.to_string(),
        squares: violation.squares.into_iter().map(SquareName).collect(),
    }
}

fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::NoKing(_) => "no_king",
        Rule::SeveralKings(_) => "several_kings",
        Rule::TouchingKings => "touching_kings",
        Rule::KingCapturable => "king_capturable",
        Rule::PawnOnBackRank => "pawn_on_back_rank",
        Rule::TooManyPawns(_) => "too_many_pawns",
        Rule::TooManyPieces(_) => "too_many_pieces",
        Rule::TooManyPromotions(_) => "too_many_promotions",
        Rule::ImpossibleCheck => "impossible_check",
        Rule::CastlingWithoutRook => "castling_without_rook",
        Rule::CastlingWithoutKing => "castling_without_king",
        Rule::CastlingTwice => "castling_twice",
        Rule::CastlingNotStandard => "castling_not_standard",
        Rule::EnPassantRank => "en_passant_rank",
        Rule::EnPassantPawn => "en_passant_pawn",
        Rule::EnPassantCheck => "en_passant_check",
        Rule::HalfmoveClock => "halfmove_clock",
        Rule::FullmoveNumber => "fullmove_number",
        _ => "other",
    }
}

/// The castling rights that kings and rooks allow.
fn castling_possible(setup: &Setup, mode: CastlingMode) -> String {
    let mut text = String::new();
    for color in Color::ALL {
        let back_rank = Bitboard::from_rank(color.back_rank());
        let Some(king) = (setup.board.pieces(PieceType::King.of(color)) & back_rank).single() else {
            continue;
        };
        let rooks = setup.board.pieces(PieceType::Rook.of(color)) & back_rank;
        let is_home = |file: File| {
            king.file() == File::E && rooks.contains(Square::from_coords(file, color.back_rank()))
        };
        let (kingside, queenside) = match mode {
            CastlingMode::Standard => (is_home(File::H), is_home(File::A)),
            CastlingMode::Chess960 => {
                let right = |rook: Square| rook.file().index() > king.file().index();
                (rooks.into_iter().any(right), rooks.into_iter().any(|rook| !right(rook)))
            }
        };
        for (possible, letter) in [(kingside, 'k'), (queenside, 'q')] {
            if possible {
                text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
            }
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// The squares that the last double step can have skipped.
fn en_passant_possible(setup: &Setup) -> Vec<Square> {
    let (us, them) = (setup.side_to_move, !setup.side_to_move);
    let rank = us.en_passant_rank();
    let squares = File::ALL.into_iter().map(|file| Square::from_coords(file, rank));
    let free = |square: Option<Square>| square.is_some_and(|square| setup.board.piece_at(square).is_none());
    squares
        .filter(|&skipped| {
            let pawn = skipped.step(Direction::forward(them)).and_then(|square| setup.board.piece_at(square));
            pawn == Some(PieceType::Pawn.of(them))
                && free(Some(skipped))
                && free(skipped.step(Direction::forward(us)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(fen: &str) -> SetupWish {
        SetupWish {
            fen: Some(fen.to_owned()),
            board: None,
            turn: None,
            castling: None,
            en_passant: None,
            halfmove: None,
            fullmove: None,
            chess960: None,
            start: None,
            accept: false,
        }
    }

    fn rules(fen: &str) -> Vec<&'static str> {
        let (answer, position) = check(&wish(fen)).unwrap();
        assert_eq!(answer.ok, position.is_some());
        answer.problems.iter().map(|problem| problem.rule).collect()
    }

    #[test]
    fn every_broken_rule_is_named() {
        assert_eq!(rules("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), [""; 0]);
        assert_eq!(rules("8/8/8/8/8/8/8/8 w - - 0 1"), ["no_king", "no_king"]);
        assert_eq!(rules("P3k3/8/8/8/8/8/8/4K3 w K - 0 1"), ["pawn_on_back_rank", "castling_without_rook"]);
        assert_eq!(rules("4k3/8/8/8/8/8/8/4K2x w - - 0 1"), ["syntax"]);
        let (answer, _) = check(&wish("4k3/8/8/8/8/8/P7/p3K3 w - - 0 1")).unwrap();
        assert_eq!(answer.problems[0].squares, [SquareName(Square::A1)]);
    }

    #[test]
    fn the_parts_make_the_same_as_the_fen() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 7";
        let (answer, position) = check(&wish(fen)).unwrap();
        let parts = SetupWish {
            fen: None,
            board: answer.board.clone(),
            turn: Some(answer.turn),
            castling: Some(answer.castling.clone()),
            en_passant: None,
            halfmove: Some(answer.halfmove),
            fullmove: Some(answer.fullmove),
            ..wish("")
        };
        assert_eq!(check(&parts).unwrap(), (answer, position));
    }

    #[test]
    fn controls_offer_what_the_pieces_allow() {
        let (answer, _) = check(&wish("r3k3/8/8/2pP4/8/8/8/4K2R w - - 0 1")).unwrap();
        assert_eq!(answer.castling_possible, "Kq");
        assert_eq!(answer.en_passant_possible, [SquareName(Square::C6)]);
    }

    #[test]
    fn chess960_is_detected() {
        let x_fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
        for fen in
            [x_fen, &x_fen.replace("HFhf", "KQkq"), "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/4R1KR w HEgb - 0 1"]
        {
            let (answer, position) = check(&wish(fen)).unwrap();
            assert!(answer.ok && answer.chess960 && position.is_some(), "{answer:?}");
            assert_eq!(answer.castling, "KQkq");
            let (answer, _) = check(&SetupWish { chess960: Some(false), ..wish(fen) }).unwrap();
            assert!(!answer.chess960);
            assert_eq!(answer.problems[0].rule, "castling_not_standard");
        }
        // A rook further out: X-FEN needs the file.
        let (answer, _) = check(&wish("4k3/8/8/8/8/8/8/1K1R2R1 w D - 0 1")).unwrap();
        assert_eq!((answer.castling.as_str(), answer.chess960), ("D", true));
        let (answer, _) = check(&wish("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1")).unwrap();
        assert_eq!((answer.castling.as_str(), answer.chess960), ("KQ", false));
        // Parts keep the rules that they had: a king that steps aside does not change them.
        let parts = |chess960| SetupWish {
            fen: None,
            board: Some(format!("R..K...R{}....k...", ".".repeat(48))),
            castling: Some("KQ".to_owned()),
            chess960: Some(chess960),
            ..wish("")
        };
        assert!(!check(&parts(false)).unwrap().0.ok);
        assert!(check(&parts(true)).unwrap().0.ok);
    }

    #[test]
    fn start_positions_by_number() {
        for number in [0, 518, 959] {
            let start = SetupWish { fen: None, start: Some(number), ..wish("") };
            let (answer, position) = check(&start).unwrap();
            assert!(answer.ok && answer.chess960, "{answer:?}");
            assert_eq!(position, Position::chess960_start(number));
            assert_eq!(answer.castling, "KQkq");
        }
        assert!(check(&SetupWish { fen: None, start: Some(960), ..wish("") }).is_err());
        assert!(check(&SetupWish { start: Some(1), ..wish("") }).is_err());
    }

    #[test]
    fn spellings_of_a_fen() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let underscores = fen.replace(' ', "_");
        for text in [
            format!("[FEN \"{fen}\"]"),
            format!("https://lichess.org/analysis/standard/{underscores}?color=white"),
            format!("  {underscores} "),
            fen.replace(' ', "  "),
        ] {
            let (answer, _) = check(&wish(&text)).unwrap();
            assert_eq!((answer.ok, answer.fen.as_str()), (true, fen), "{text}");
        }
        // Missing fields have defaults, also in a position that is not legal.
        let (answer, _) = check(&wish("4k3/8/8/8/8/8/8/4K3 b")).unwrap();
        assert_eq!((answer.ok, answer.fen.as_str()), (true, "4k3/8/8/8/8/8/8/4K3 b - - 0 1"));
        assert_eq!(rules("8/8/8/8/8/8/8/8"), ["no_king", "no_king"]);
    }

    #[test]
    fn what_is_no_board_is_refused() {
        for board in ["", "K", &".".repeat(63), &"x".repeat(64), &"é".repeat(64)] {
            let wish = SetupWish { fen: None, board: Some(board.to_owned()), ..wish("") };
            assert!(check(&wish).is_err(), "{board}");
        }
        assert!(check(&SetupWish { fen: None, ..wish("") }).is_err());
    }
}
