//! Scores in comments, as match runners write them.

use ferz_board::{Color, Position};
use ferz_search::WdlModel;

use ferz_selfplay::data::GameScore;
use ferz_selfplay::data::header::ScoreUnit;

/// The longest mate that is a score.
const MAX_MATE: u32 = 2000;

/// A score of the side that moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CommentScore {
    Centipawns(i32),
    /// The side that moves mates, or is mated, after this many plies.
    Mate {
        wins: bool,
        plies: u32,
    },
}

impl CommentScore {
    /// Reads the score at the start of a comment: `+0.53/5`, `-M4/20 0.01s`, `0.00/7, n=900`.
    pub(super) fn parse(comment: &[u8]) -> Option<CommentScore> {
        let text = str::from_utf8(comment).ok()?.trim_start();
        let word = text.split([' ', '\t', '\n', '\r', ',']).next()?;
        let (score, depth) = word.split_once('/')?;
        digits(depth)?;
        let (wins, score) = match score.strip_prefix('-') {
            Some(score) => (false, score),
            None => (true, score.strip_prefix('+').unwrap_or(score)),
        };
        if let Some(plies) = score.strip_prefix('M') {
            return digits(plies)
                .filter(|&plies| plies <= MAX_MATE)
                .map(|plies| CommentScore::Mate { wins, plies });
        }
        let (pawns, hundredths) = score.split_once('.')?;
        if hundredths.len() != 2 {
            return None;
        }
        let centipawns = digits(pawns)?.checked_mul(100)?.checked_add(digits(hundredths)?)?;
        let centipawns = i32::try_from(centipawns).ok()?;
        Some(CommentScore::Centipawns(if wins { centipawns } else { -centipawns }))
    }

    /// The score from White's point of view, in the unit of a file. The position is that before the move.
    pub(super) fn in_unit(self, unit: ScoreUnit, position: &Position) -> GameScore {
        let side = position.side_to_move();
        let score = match (self, unit) {
            (CommentScore::Mate { wins, plies }, _) => {
                GameScore::from_mate(plies).relative_to(if wins { Color::White } else { Color::Black })
            }
            (CommentScore::Centipawns(value), ScoreUnit::Displayed) => GameScore::from_evaluation(value),
            (CommentScore::Centipawns(value), ScoreUnit::Raw) => {
                let half = WdlModel::CURRENT.half_at(WdlModel::material(position));
                GameScore::from_evaluation((f64::from(value) * half / 100.0).round() as i32)
            }
        };
        score.relative_to(side)
    }
}

/// A number that is written with digits alone.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_match_runners_are_read() {
        for (comment, expected) in [
            ("+0.53/5", CommentScore::Centipawns(53)),
            ("-12.07/20 0.013s, n=4023, sd=31", CommentScore::Centipawns(-1207)),
            ("0.00/1, line=x", CommentScore::Centipawns(0)),
            (" +0.10/3\n0.1s", CommentScore::Centipawns(10)),
            ("+M5/12 1.2s", CommentScore::Mate { wins: true, plies: 5 }),
            ("-M0/1", CommentScore::Mate { wins: false, plies: 0 }),
        ] {
            assert_eq!(CommentScore::parse(comment.as_bytes()), Some(expected), "{comment}");
        }
        for comment in [
            "",
            "book",
            "unknown",
            "/0 0.000s",
            "ERR/3",
            "0.53",
            "0.53/",
            "+-0.53/5",
            "0.5/5",
            "+0.535/5",
            "--0.53/5",
            "+.53/5",
            "M/5",
            "+M-5/3",
            "+M2001/3",
            "99999999.00/5",
            "4294967295.99/1",
            "0.5x/5",
            "0.53/x",
            "½",
        ] {
            assert_eq!(CommentScore::parse(comment.as_bytes()), None, "{comment}");
        }
        assert_eq!(CommentScore::parse(b"+0.53/5 \xff"), None);
    }

    #[test]
    fn scores_become_those_of_white() {
        let white = Position::start();
        let black: Position = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".parse().unwrap();
        let score = |text: &str, unit, position| {
            CommentScore::parse(text.as_bytes()).unwrap().in_unit(unit, position)
        };
        for (text, expected) in [("+0.53/5", 53), ("-0.53/5", -53), ("+M5/9", 31_995), ("-M4/9", -31_996)] {
            assert_eq!(score(text, ScoreUnit::Displayed, &white), GameScore(expected), "{text}");
            assert_eq!(score(text, ScoreUnit::Displayed, &black), GameScore(-expected), "{text}");
        }
        assert!(!score("+999999.00/5", ScoreUnit::Displayed, &white).is_mate());
        // The value of a win probability of 50 % is shown as 100 centipawns.
        let half = WdlModel::CURRENT.half_at(WdlModel::material(&white)).round() as i16;
        assert_eq!(score("+1.00/5", ScoreUnit::Raw, &white), GameScore(half));
    }
}
