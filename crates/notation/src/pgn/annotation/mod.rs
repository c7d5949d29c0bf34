//! Commands that programs write into comments: `[%clk 1:23:45]`, `[%eval 0.35,12]`, `[%cal Ga1b2]` and the like.
//!
//! A command is `[%name value]` anywhere in a comment. [`commands`] finds all of them, known or not;
//! [`Annotations`] are the values of those that are known; [`plain_text`] is what people wrote around them.
//! The comment itself stays as it is: a value that does not fit its type is skipped here,
//! but nothing is lost. [`set`] and [`remove`] change a single command and leave the rest alone.
//!
//! ```
//! use std::time::Duration;
//! use ferz_notation::pgn::annotation::{self, Annotation, Annotations, EvalScore};
//!
//! let comment = "Best by test. [%eval 0.35,12] [%clk 1:02:03] [%depth x]";
//! let found = Annotations::parse(comment);
//! assert_eq!(found.eval.unwrap().score, EvalScore::Centipawns(35));
//! assert_eq!(found.clock, Some(Duration::from_secs(3723)));
//! assert_eq!(annotation::plain_text(comment), "Best by test.");
//!
//! let comment = annotation::set(comment, &Annotation::Clock(Duration::from_millis(59_500)));
//! assert_eq!(comment, "Best by test. [%eval 0.35,12] [%clk 0:00:59.5] [%depth x]");
//! ```

mod command;
mod eval;
mod shape;
mod time;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub use command::{Command, Commands, commands, plain_text, remove};
pub use eval::{Eval, EvalScore, NotAnEval};
pub use shape::{Arrow, Circle, ShapeColor};

/// The typed annotations of a comment.
///
/// Of clocks, times and evaluations the first valid one counts; arrows and circles add up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Annotations {
    /// The time on the player's clock after the move: `[%clk 1:23:45]`.
    pub clock: Option<Duration>,
    /// The time the move took: `[%emt 0:00:12]`.
    pub elapsed: Option<Duration>,
    /// The engine's evaluation: `[%eval 0.35,12]`.
    pub eval: Option<Eval>,
    /// Arrows to be drawn: `[%cal Ga1b2,Rc3d4]`.
    pub arrows: Vec<Arrow>,
    /// Squares to be marked: `[%csl Ge4]`.
    pub circles: Vec<Circle>,
}

impl Annotations {
    /// Finds the annotations in the text of a comment.
    #[must_use]
    pub fn parse(comment: &str) -> Annotations {
        let mut annotations = Annotations::default();
        annotations.parse_more(comment);
        annotations
    }

    /// Adds the annotations of a further comment on the same move.
    pub fn parse_more(&mut self, comment: &str) {
        for Command { name, value, .. } in commands(comment) {
            match name {
                "clk" => self.clock = self.clock.or_else(|| time::parse(value)),
                "emt" => self.elapsed = self.elapsed.or_else(|| time::parse(value)),
                "eval" => self.eval = self.eval.or_else(|| Eval::parse(value)),
                "cal" => self.arrows.extend(items(value).filter_map(Arrow::parse)),
                "csl" => self.circles.extend(items(value).filter_map(Circle::parse)),
                _ => {}
            }
        }
    }
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// One annotation to be written, as a value of its type.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Annotation<'a> {
    /// The time on the player's clock after the move.
    Clock(Duration),
    /// The time the move took.
    Elapsed(Duration),
    /// The engine's evaluation.
    Eval(Eval),
    /// Arrows to be drawn.
    Arrows(Cow<'a, [Arrow]>),
    /// Squares to be marked.
    Circles(Cow<'a, [Circle]>),
}

impl Annotation<'_> {
    /// The name of the command: `clk`, `emt`, `eval`, `cal` or `csl`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Annotation::Clock(_) => "clk",
            Annotation::Elapsed(_) => "emt",
            Annotation::Eval(_) => "eval",
            Annotation::Arrows(_) => "cal",
            Annotation::Circles(_) => "csl",
        }
    }
}

/// The whole command, e.g. `[%clk 1:23:45]`.
impl fmt::Display for Annotation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[%{} ", self.name())?;
        match self {
            Annotation::Clock(time) | Annotation::Elapsed(time) => time::write(f, *time)?,
            Annotation::Eval(eval) => write!(f, "{eval}")?,
            Annotation::Arrows(arrows) => write_list(f, arrows)?,
            Annotation::Circles(circles) => write_list(f, circles)?,
        }
        f.write_str("]")
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    items.iter().enumerate().try_for_each(|(place, item)| {
        let separator = if place == 0 { "" } else { "," };
        write!(f, "{separator}{item}")
    })
}

/// A comment with an annotation in the place of the first command of its name, or behind the text if there is
/// none. Further commands of that name go; everything else stays as it is.
#[must_use]
pub fn set(comment: &str, annotation: &Annotation<'_>) -> String {
    command::set(comment, annotation.name(), &annotation.to_string())
}
