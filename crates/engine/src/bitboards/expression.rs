//! Expressions with sets of squares, such as `rank 4 & ~white`, evaluated while they are read.

use std::iter::Peekable;
use std::str::Chars;

use ferz_board::{Bitboard, Color, Direction, File, Piece, PieceType, Position, Rank, Square, attacks};

use super::{BitboardError, Context};

/// What an expression consists of, for help texts.
pub(crate) const GRAMMAR: &str = "\
Expressions:
  0xff00 0b1010 65280        numbers; _ between digits, and the endings of C and
                             Rust (ULL, u64), are ignored; so are 64 binary digits
                             without 0b
  e4, file e, rank 4         squares
  all none light dark edges  the whole board, nothing, colours, the rim
  white, black, pawns, white knights, occupied, empty, checkers, pinned white
                             pieces of the position
  rook e4, white pawn e4     attacks of a piece, whether or not it stands there;
  rook e4 on (e6 | c4)       the same with these blockers
  attacks white, attacks e4  attacks of a side, or of the piece on a square
  attackers e4               pieces of both sides that attack a square
  between a1 h8, line a1 h8  squares between two squares, and the whole line
  ~ (or !)  complement       north south east west northeast northwest southeast
                             southwest: one step, nothing wraps around
  -         difference       (binds tighter than << and >>, then &, ^ and |)
  << >>     shift of the number, which wraps around the edges
  &  ^  |   intersection, symmetric difference, union; ( ) group";

/// Deeper expressions are typing errors, or attacks on the stack.
const MAX_DEPTH: usize = 100;

/// Evaluates an expression.
pub(crate) fn evaluate(text: &str, context: Context<'_>) -> Result<Bitboard, BitboardError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, at: 0, context, depth: 0 };
    let set = parser.binary(0)?;
    match parser.peek() {
        Token::End => Ok(set),
        _ => Err(parser.unexpected("an operator (| ^ & - << >>) or the end")),
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    /// In lower case.
    Word(String),
    Number(u64),
    Symbol(&'static str),
    End,
}

impl Token {
    /// The token in messages.
    fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("{number}"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// The tokens with their columns, and the end behind them.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, BitboardError> {
    const SYMBOLS: [(char, &str); 8] =
        [('|', "|"), ('^', "^"), ('&', "&"), ('-', "-"), ('~', "~"), ('!', "~"), ('(', "("), (')', ")")];
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    let mut column = 1;
    while let Some(&c) = chars.peek() {
        let start = column;
        let token = if c.is_whitespace() {
            chars.next();
            column += 1;
            continue;
        } else if c.is_ascii_digit() {
            let digits = take_while(&mut chars, |c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
            column += digits.len();
            Token::Number(number(&digits).map_err(|message| BitboardError::new(start, message))?)
        } else if c.is_ascii_alphabetic() {
            let word = take_while(&mut chars, |c| c.is_ascii_alphanumeric() || c == '_');
            column += word.len();
            Token::Word(word.to_ascii_lowercase())
        } else {
            chars.next();
            column += 1;
            if matches!(c, '<' | '>') {
                if chars.next_if_eq(&c).is_none() {
                    return Err(BitboardError::new(start, format!("a shift is written {c}{c}")));
                }
                column += 1;
                Token::Symbol(if c == '<' { "<<" } else { ">>" })
            } else if let Some((_, symbol)) = SYMBOLS.iter().find(|(symbol, _)| *symbol == c) {
                Token::Symbol(symbol)
            } else {
                return Err(BitboardError::new(start, format!("{c:?} has no meaning in an expression")));
            }
        };
        tokens.push((start, token));
    }
    tokens.push((column, Token::End));
    Ok(tokens)
}

fn take_while(chars: &mut Peekable<Chars<'_>>, is_part: impl Fn(char) -> bool) -> String {
    std::iter::from_fn(|| chars.next_if(|&c| is_part(c))).collect()
}

/// A number in Rust, C or Python, or 64 binary digits.
fn number(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | '\'')).collect::<String>().to_lowercase();
    let plain = ["u64", "ull", "ul", "u", "ll", "l"].iter().find_map(|ending| digits.strip_suffix(ending));
    let digits = plain.unwrap_or(&digits);
    let (digits, radix, kind) = if let Some(digits) = digits.strip_prefix("0x") {
        (digits, 16, "hexadecimal")
    } else if let Some(digits) = digits.strip_prefix("0b") {
        (digits, 2, "binary")
    } else if digits.len() == 64 && digits.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
        (digits, 2, "binary")
    } else {
        (digits, 10, "decimal")
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        let hint = if radix == 10 { "; hexadecimal numbers begin with 0x, binary ones with 0b" } else { "" };
        return Err(format!("`{text}` is not a {kind} number{hint}"));
    }
    u64::from_str_radix(digits, radix).map_err(|_| format!("`{text}` does not fit into 64 bits"))
}

/// The direction of a word: in full, or the Chess Programming Wiki's abbreviation.
fn direction(word: &str) -> Option<Direction> {
    Some(match word {
        "north" | "nort" => Direction::North,
        "south" | "sout" => Direction::South,
        "east" => Direction::East,
        "west" => Direction::West,
        "northeast" | "north_east" | "noea" => Direction::NorthEast,
        "northwest" | "north_west" | "nowe" => Direction::NorthWest,
        "southeast" | "south_east" | "soea" => Direction::SouthEast,
        "southwest" | "south_west" | "sowe" => Direction::SouthWest,
        _ => return None,
    })
}

fn color(word: &str) -> Option<Color> {
    match word {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    }
}

/// The type of a word such as `pawn` or `pawns`.
fn piece_type(word: &str) -> Option<PieceType> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    PieceType::ALL.into_iter().find(|it| it.to_string() == singular)
}

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    at: usize,
    context: Context<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    fn column(&self) -> usize {
        self.tokens[self.at].0
    }

    /// The next token if it is this symbol.
    fn symbol(&mut self, symbol: &str) -> bool {
        self.accept(|token| matches!(token, Token::Symbol(it) if *it == symbol).then_some(())).is_some()
    }

    /// What a word means, if it is the next token and means something.
    fn word<T>(&mut self, meaning: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.accept(|token| match token {
            Token::Word(word) => meaning(word),
            _ => None,
        })
    }

    fn accept<T>(&mut self, meaning: impl FnOnce(&Token) -> Option<T>) -> Option<T> {
        let accepted = meaning(self.peek());
        // The end has no meaning, so it is never passed.
        self.at += usize::from(accepted.is_some());
        accepted
    }

    fn square(&mut self) -> Option<Square> {
        self.word(|word| word.parse().ok())
    }

    fn required<T>(&self, value: Option<T>, expected: &str) -> Result<T, BitboardError> {
        value.ok_or_else(|| self.unexpected(expected))
    }

    fn unexpected(&self, expected: &str) -> BitboardError {
        BitboardError::new(self.column(), format!("{} instead of {expected}", self.peek().describe()))
    }

    /// The pieces that names refer to.
    fn position(&self) -> Position {
        self.context.position.copied().unwrap_or(Position::start())
    }

    /// Operators that bind tighter than a level: `|` 1, `^` 2, `&` 3, shifts 4, `-` 5.
    fn binary(&mut self, level: u8) -> Result<Bitboard, BitboardError> {
        let mut left = self.unary()?;
        loop {
            let binding = match self.peek() {
                Token::Symbol("|") => 1,
                Token::Symbol("^") => 2,
                Token::Symbol("&") => 3,
                Token::Symbol("<<" | ">>") => 4,
                Token::Symbol("-") => 5,
                _ => return Ok(left),
            };
            if binding <= level {
                return Ok(left);
            }
            let operator = self.peek().clone();
            self.at += 1;
            left = match operator {
                Token::Symbol(shift @ ("<<" | ">>")) => self.shift(left, shift)?,
                Token::Symbol("|") => left | self.binary(binding)?,
                Token::Symbol("^") => left ^ self.binary(binding)?,
                Token::Symbol("&") => left & self.binary(binding)?,
                _ => left - self.binary(binding)?,
            };
        }
    }

    /// Shifts the number that the set is in the layout.
    fn shift(&mut self, set: Bitboard, operator: &str) -> Result<Bitboard, BitboardError> {
        let by = self.accept(|token| match token {
            Token::Number(by) => u32::try_from(*by).ok().filter(|&by| by < 64),
            _ => None,
        });
        let by = self.required(by, "a number of bits from 0 to 63")?;
        let number = self.context.layout.number(set);
        Ok(self.context.layout.set(if operator == "<<" { number << by } else { number >> by }))
    }

    fn unary(&mut self) -> Result<Bitboard, BitboardError> {
        if self.depth == MAX_DEPTH {
            return Err(BitboardError::new(self.column(), "the expression is nested too deeply"));
        }
        self.depth += 1;
        let set = if self.symbol("~") {
            !self.unary()?
        } else if let Some(direction) = self.word(direction) {
            self.unary()?.shift(direction)
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(set)
    }

    fn primary(&mut self) -> Result<Bitboard, BitboardError> {
        if self.symbol("(") {
            let set = self.binary(0)?;
            return if self.symbol(")") { Ok(set) } else { Err(self.unexpected("`)`")) };
        }
        if let Token::Number(number) = *self.peek() {
            self.at += 1;
            return Ok(self.context.layout.set(number));
        }
        if let Some(square) = self.square() {
            return Ok(square.into());
        }
        if let Some(color) = self.word(color) {
            return match self.word(|word| Some((piece_type(word)?, word.ends_with('s')))) {
                Some((piece_type, is_plural)) => self.pieces(piece_type, Some(color), is_plural),
                None => Ok(self.position().by_color(color)),
            };
        }
        if let Some((piece_type, is_plural)) =
            self.word(|word| Some((piece_type(word)?, word.ends_with('s'))))
        {
            return self.pieces(piece_type, None, is_plural);
        }
        let column = self.column();
        let Some(word) = self.word(|word| Some(word.to_owned())) else {
            return Err(self.unexpected("a set of squares"));
        };
        let position = self.position();
        Ok(match &word[..] {
            "all" => Bitboard::ALL,
            "none" => Bitboard::EMPTY,
            "light" => Bitboard::LIGHT,
            "dark" => Bitboard::DARK,
            "edges" => Bitboard::EDGES,
            "occupied" => position.occupied(),
            "empty" => !position.occupied(),
            "checkers" => position.checkers(),
            "pinned" => {
                let color = self.word(color);
                position.pinned(self.required(color, "white or black")?)
            }
            "file" => {
                let file = self.word(|word| word.parse::<File>().ok());
                self.required(file, "a file from a to h")?.into()
            }
            "rank" => {
                let rank = self.accept(|token| match token {
                    Token::Number(number) => Rank::new(u8::try_from(number.checked_sub(1)?).ok()?),
                    _ => None,
                });
                self.required(rank, "a rank from 1 to 8")?.into()
            }
            "between" | "line" => {
                let a = self.square();
                let a = self.required(a, "a square")?;
                let b = self.square();
                let b = self.required(b, "a second square")?;
                if word == "line" { attacks::line(a, b) } else { attacks::between(a, b) }
            }
            "attackers" => {
                let square = self.square();
                position.attackers_to(self.required(square, "a square")?)
            }
            "attacks" => self.attacks(&position)?,
            _ => {
                let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
                let hint = if is_hex { "; hexadecimal numbers begin with 0x" } else { "" };
                return Err(BitboardError::new(column, format!("`{word}` is not a set of squares{hint}")));
            }
        })
    }

    /// The squares of pieces, or where one attacks if a square follows.
    fn pieces(
        &mut self,
        piece_type: PieceType,
        color: Option<Color>,
        is_plural: bool,
    ) -> Result<Bitboard, BitboardError> {
        let column = self.column();
        let square = if is_plural { None } else { self.square() };
        let Some(square) = square else {
            let of_type = self.position().by_type(piece_type);
            return Ok(color.map_or(of_type, |color| of_type & self.position().by_color(color)));
        };
        if piece_type == PieceType::Pawn && color.is_none() {
            let message =
                format!("a pawn attacks forwards: write `white pawn {square}` or `black pawn {square}`");
            return Err(BitboardError::new(column, message));
        }
        let blockers = if self.word(|word| (word == "on").then_some(())).is_some() {
            self.unary()?
        } else {
            self.context.position.map_or(Bitboard::EMPTY, Position::occupied)
        };
        Ok(attacks::of(piece_type.of(color.unwrap_or(Color::White)), square, blockers))
    }

    /// The attacks of a side, or of the piece on a square.
    fn attacks(&mut self, position: &Position) -> Result<Bitboard, BitboardError> {
        let of = |(square, piece): (Square, Piece)| attacks::of(piece, square, position.occupied());
        if let Some(color) = self.word(color) {
            let pieces = position.board().iter().filter(|(_, piece)| piece.color() == color);
            return Ok(pieces.map(of).fold(Bitboard::EMPTY, |all, attacks| all | attacks));
        }
        let column = self.column();
        let square = self.square();
        let square = self.required(square, "white, black or a square")?;
        let piece = position.piece_at(square);
        let piece = piece.ok_or_else(|| BitboardError::new(column, format!("{square} is empty")))?;
        Ok(of((square, piece)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Layout;
    use super::*;

    fn value(text: &str) -> Bitboard {
        evaluate(text, Context::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn error(text: &str) -> String {
        evaluate(text, Context::default()).expect_err(text).to_string()
    }

    #[test]
    fn numbers_are_read_as_programs_write_them() {
        for text in [
            "0xff00",
            "0XFF00",
            "0x0000_0000_0000_ff00",
            "0xff00ULL",
            "0xff00u64",
            "0xff'00",
            "65280",
            "65_280",
            "0b1111_1111_0000_0000",
            "0000000000000000000000000000000000000000000000001111111100000000",
            "(65280)",
        ] {
            assert_eq!(value(text), Bitboard(0xff00), "{text}");
        }
        assert_eq!(value("18446744073709551615"), Bitboard::ALL);
        assert_eq!(
            error("18446744073709551616"),
            "column 1: `18446744073709551616` does not fit into 64 bits"
        );
        assert_eq!(
            error("rank 4 | 12f"),
            "column 10: `12f` is not a decimal number; hexadecimal numbers begin with 0x, binary ones with 0b"
        );
        assert_eq!(error("0b12"), "column 1: `0b12` is not a binary number");
    }

    #[test]
    fn names_are_sets() {
        let start = Position::start();
        for (text, set) in [
            ("e4", Square::E4.into()),
            ("File E", File::E.into()),
            ("rank 4", Rank::Fourth.into()),
            ("all", Bitboard::ALL),
            ("light | none", Bitboard::LIGHT),
            ("edges", Bitboard::EDGES),
            ("white", start.by_color(Color::White)),
            ("pawns", start.by_type(PieceType::Pawn)),
            ("black knights", start.pieces(Piece::BlackKnight)),
            ("white king", Square::E1.into()),
            ("occupied ^ empty", Bitboard::ALL),
            ("rook e4", Bitboard::from(File::E) ^ Bitboard::from(Rank::Fourth)),
            ("white pawn e4", Square::D5.bitboard() | Square::F5.bitboard()),
            ("between a1 a4", Square::A2.bitboard() | Square::A3.bitboard()),
            ("line a1 a4", File::A.into()),
            ("attacks b1", attacks::knight(Square::B1)),
            ("attackers f3", value("e2 | g2 | g1")),
            ("attacks white & rank 3", Rank::Third.into()),
            ("checkers | pinned white", Bitboard::EMPTY),
        ] {
            assert_eq!(value(text), set, "{text}");
        }
        assert_eq!(value("rook a1 on (a3 | c1)"), value("a2 | a3 | b1 | c1"));
    }

    #[test]
    fn names_refer_to_the_position() {
        let position = Position::from_fen("4k3/8/8/8/1b6/8/3P4/4K2R w K - 0 1").expect("legal");
        let context = Context { position: Some(&position), layout: Layout::Lerf };
        let value = |text| evaluate(text, context).expect("an expression");
        assert_eq!(value("rook h1"), value("file h & ~h1 | f1 | g1 | e1"));
        assert_eq!(value("pinned white"), Square::D2.into());
        assert_eq!(value("rank 2 & ~white"), value("rank 2 - d2"));
        assert_eq!(evaluate("attacks a1", context).expect_err("empty").to_string(), "column 9: a1 is empty");
    }

    #[test]
    fn operators_bind_as_in_rust_and_c() {
        let [a, b, c] = ["file a", "rank 1", "light"].map(value);
        assert_eq!(value("file a | rank 1 & light"), a | (b & c));
        assert_eq!(value("file a ^ rank 1 & light"), a ^ (b & c));
        assert_eq!(value("file a | rank 1 ^ light"), a | (b ^ c));
        assert_eq!(value("file a & rank 1 << 8"), Square::A2.into());
        assert_eq!(value("rank 1 - file a << 8"), value("rank 2 - a2"));
        assert_eq!(value("file a - light - rank 1"), (a - c) - b);
        assert_eq!(value("~file a & rank 1"), !a & b);
        assert_eq!(value("!(file a & rank 1)"), !(a & b));
        assert_eq!(value("north rank 1 | east file a"), value("rank 2 | file b"));
    }

    #[test]
    fn steps_do_not_wrap_and_shifts_do() {
        for (name, short) in [
            ("north", "nort"),
            ("south", "sout"),
            ("east", "east"),
            ("west", "west"),
            ("northeast", "noEa"),
            ("northwest", "noWe"),
            ("southeast", "soEa"),
            ("southwest", "soWe"),
        ] {
            assert_eq!(value(&format!("{name} light")), value(&format!("{short} light")));
            assert_eq!(value(&format!("{name} e4")).len(), 1);
        }
        assert_eq!(value("east h4"), Bitboard::EMPTY);
        assert_eq!(value("h4 << 1"), Square::A5.into());
        assert_eq!(value("white >> 63"), Bitboard::EMPTY);
        // A shift is one of the number, so the layout decides where squares go.
        let big = Context { layout: Layout::Berf, ..Context::default() };
        assert_eq!(evaluate("h4 << 1", big), Ok(Square::G4.into()));
        assert_eq!(evaluate("0x10", big), Ok(Square::D8.into()));
    }

    #[test]
    fn errors_have_a_column_and_say_what_was_expected() {
        for (text, expected) in [
            ("", "column 1: the end instead of a set of squares"),
            ("rank 9", "column 6: 9 instead of a rank from 1 to 8"),
            ("file", "column 5: the end instead of a file from a to h"),
            ("rank 4 & ~wihte", "column 11: `wihte` is not a set of squares"),
            ("ffff", "column 1: `ffff` is not a set of squares; hexadecimal numbers begin with 0x"),
            ("(white | black", "column 15: the end instead of `)`"),
            ("white black", "column 7: `black` instead of an operator (| ^ & - << >>) or the end"),
            ("e4 < 3", "column 4: a shift is written <<"),
            ("e4 << 64", "column 7: 64 instead of a number of bits from 0 to 63"),
            ("e4 + d4", "column 4: '+' has no meaning in an expression"),
            ("pawn e4", "column 6: a pawn attacks forwards: write `white pawn e4` or `black pawn e4`"),
            ("Größe", "column 3: 'ö' has no meaning in an expression"),
            ("attackers", "column 10: the end instead of a square"),
        ] {
            assert_eq!(error(text), expected, "{text}");
        }
        let deep = "(".repeat(1_000_000);
        assert!(error(&deep).ends_with("the expression is nested too deeply"));
        assert!(error(&"~".repeat(1_000_000)).ends_with("the expression is nested too deeply"));
    }

    #[test]
    fn no_text_panics() {
        let words =
            ["e4", "rank", "file", "4", "a", "rook", "white", "pawns", "on", "attacks", "north", "0x7f"];
        let symbols = ["|", "&", "^", "-", "~", "<<", ">>", "(", ")", "between", "1"];
        let parts: Vec<_> = words.into_iter().chain(symbols).collect();
        let mut random = fastrand::Rng::with_seed(5);
        let mut valid = 0;
        for _ in 0..50_000 {
            let text: Vec<_> = (0..random.usize(1..8)).map(|_| parts[random.usize(..parts.len())]).collect();
            valid += u32::from(evaluate(&text.join(" "), Context::default()).is_ok());
        }
        assert!(valid > 1_000, "{valid}");
    }
}
