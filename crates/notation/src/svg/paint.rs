//! Colours: single ones, and whole themes of them.

use std::fmt;
use std::str::FromStr;

use ferz_board::Color;

/// What something is painted with: a colour and how opaque it is.
///
/// ```
/// use ferz_notation::svg::Paint;
///
/// let orange = Paint::rgb(0xff8800).with_opacity(40);
/// assert_eq!(orange.to_string(), "#ff8800");
/// assert_eq!("#ff8800".parse(), Ok(Paint::rgb(0xff8800)));
/// assert_eq!("green".parse(), Ok(Paint::GREEN));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Paint {
    rgb: u32,
    /// In percent.
    opacity: u8,
}

impl Paint {
    /// For good moves and squares.
    pub const GREEN: Paint = Paint::rgb(0x1b8a3f).with_opacity(80);
    /// For bad ones and dangers.
    pub const RED: Paint = Paint::rgb(0xc62828).with_opacity(80);
    /// For doubtful ones.
    pub const YELLOW: Paint = Paint::rgb(0xe6a700).with_opacity(80);
    /// For whatever is left.
    pub const BLUE: Paint = Paint::rgb(0x1762b8).with_opacity(80);

    /// An opaque colour, written `0xrrggbb`; higher bits are ignored.
    #[must_use]
    pub const fn rgb(rgb: u32) -> Paint {
        Paint { rgb: rgb & 0xff_ffff, opacity: 100 }
    }

    /// The same colour, this many percent opaque (at most 100).
    #[must_use]
    pub const fn with_opacity(self, percent: u8) -> Paint {
        Paint { opacity: if percent < 100 { percent } else { 100 }, ..self }
    }

    /// How opaque the paint is, in percent.
    #[must_use]
    pub const fn opacity(self) -> u8 {
        self.opacity
    }

    /// The attribute that makes an element as opaque as the paint; nothing if it is opaque anyway.
    pub(super) fn opacity_attribute(self, name: &str) -> String {
        if self.opacity < 100 { format!(r#" {name}=".{:02}""#, self.opacity) } else { String::new() }
    }
}

/// The colour without its opacity: `#rrggbb`.
impl fmt::Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06x}", self.rgb)
    }
}

/// The text is not a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParsePaintError;

impl fmt::Display for ParsePaintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a colour: green, red, yellow, blue or six hexadecimal digits after # are expected")
    }
}

impl std::error::Error for ParsePaintError {}

/// Reads `#rrggbb`, or the name (or initial, as in PGN's `[%cal Ge2e4]`) of one of the four named paints.
impl FromStr for Paint {
    type Err = ParsePaintError;

    fn from_str(text: &str) -> Result<Paint, ParsePaintError> {
        match text {
            "green" | "G" => Ok(Paint::GREEN),
            "red" | "R" => Ok(Paint::RED),
            "yellow" | "Y" => Ok(Paint::YELLOW),
            "blue" | "B" => Ok(Paint::BLUE),
            _ => {
                let digits = text.strip_prefix('#').ok_or(ParsePaintError)?;
                // `from_str_radix` would also take a sign.
                if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(ParsePaintError);
                }
                u32::from_str_radix(digits, 16).map(Paint::rgb).map_err(|_| ParsePaintError)
            }
        }
    }
}

/// How the pieces of one side are painted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PieceStyle {
    /// The inside.
    pub body: Paint,
    /// The contour.
    pub outline: Paint,
    /// The lines drawn on the body.
    pub lines: Paint,
}

/// All colours of a diagram. Only [`last_move`](Theme::last_move) may be transparent, the others are opaque.
///
/// Take one of the three and change what you like:
///
/// ```
/// use ferz_notation::svg::{Paint, Theme};
/// let theme = Theme { dark: Paint::rgb(0x6f9a6a), ..Theme::LIGHT };
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Theme {
    /// Light squares.
    pub light: Paint,
    /// Dark squares.
    pub dark: Paint,
    /// Coordinates written on light squares.
    pub label_on_light: Paint,
    /// Coordinates written on dark squares.
    pub label_on_dark: Paint,
    /// The frame around the board, if the coordinates stand there.
    pub frame: Paint,
    /// Coordinates written on the frame.
    pub label_on_frame: Paint,
    /// The squares of the last move.
    pub last_move: Paint,
    /// White's pieces.
    pub white: PieceStyle,
    /// Black's pieces.
    pub black: PieceStyle,
}

const INK: Paint = Paint::rgb(0x1c1a18);
const PAPER: Paint = Paint::rgb(0xffffff);

impl Theme {
    /// Warm wood, for light pages.
    pub const LIGHT: Theme = Theme {
        light: Paint::rgb(0xf0e1c6),
        dark: Paint::rgb(0xb78d68),
        label_on_light: Paint::rgb(0x7c5531),
        label_on_dark: Paint::rgb(0xfff6e6),
        frame: Paint::rgb(0x6b4a2f),
        label_on_frame: Paint::rgb(0xf6ead6),
        last_move: Paint::rgb(0xe9c52b).with_opacity(55),
        white: PieceStyle { body: PAPER, outline: INK, lines: INK },
        black: PieceStyle {
            body: Paint::rgb(0x36322f),
            outline: Paint::rgb(0x141210),
            lines: Paint::rgb(0xefe9df),
        },
    };

    /// Cool slate, for dark pages.
    pub const DARK: Theme = Theme {
        light: Paint::rgb(0xa9b4bf),
        dark: Paint::rgb(0x68788a),
        label_on_light: Paint::rgb(0x27323d),
        label_on_dark: Paint::rgb(0xf2f6fa),
        frame: Paint::rgb(0x1f272f),
        label_on_frame: Paint::rgb(0xc9d3dc),
        last_move: Paint::rgb(0x36b3a0).with_opacity(55),
        white: PieceStyle { body: Paint::rgb(0xf8f9fa), outline: INK, lines: INK },
        black: PieceStyle {
            body: Paint::rgb(0x24272b),
            outline: Paint::rgb(0x0b0c0e),
            lines: Paint::rgb(0xdfe5ea),
        },
    };

    /// Greys, for paper.
    pub const PRINT: Theme = Theme {
        light: PAPER,
        dark: Paint::rgb(0xc4c4c4),
        label_on_light: INK,
        label_on_dark: INK,
        frame: PAPER,
        label_on_frame: INK,
        last_move: Paint::rgb(0x555555).with_opacity(50),
        white: PieceStyle { body: PAPER, outline: INK, lines: INK },
        black: PieceStyle { body: INK, outline: INK, lines: PAPER },
    };

    /// How the pieces of a side are painted.
    #[must_use]
    pub const fn pieces(&self, color: Color) -> &PieceStyle {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

/// [`Theme::LIGHT`].
impl Default for Theme {
    fn default() -> Theme {
        Theme::LIGHT
    }
}
