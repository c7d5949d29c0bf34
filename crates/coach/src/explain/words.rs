//! Sentences made from facts.

use std::cmp::Ordering;

use ferz_board::{CastlingSide, Color, Outcome, Position};
use ferz_eval::{EndgameRule, endgame_rule};
use ferz_notation::line;
use ferz_notation::san::San;

use super::line::{COUNTED, QuietPoint, TermChange};
use super::{AskedMove, ExpectedLine, ExplainedMove, Explanation, Fact, PlacedPiece, Verdict};
use crate::review::{Assessment, Judgement};

/// A move that loses less expected score than this is about as good.
const AS_GOOD: f64 = 0.02;
/// The most facts that are reported about a move, the most important first.
const REPORTED_FACTS: usize = 6;

/// Where the moves of an expected line are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineDisplay {
    /// In the sentences.
    InText,
    /// Beside the sentences, as a list.
    BesideText,
}

impl Explanation {
    /// The explanation in sentences: a paragraph each for the best move, the move asked about and the threat.
    #[must_use]
    pub fn paragraphs(&self) -> Vec<String> {
        let moves = LineDisplay::InText;
        let mut paragraphs = vec![self.about_best("The best move is", moves)];
        paragraphs.extend(self.asked.as_ref().map(|asked| self.about_asked(asked, moves)));
        paragraphs.extend(self.threat.as_ref().map(|threat| self.about_threat(threat, moves)));
        paragraphs
    }

    /// The paragraph about the best move, which starts with these words.
    #[must_use]
    pub fn about_best(&self, start: &str, moves: LineDisplay) -> String {
        let rule = endgame_rule(&self.position).map(rule_words).unwrap_or_default();
        join([rule, self.best.headline(start), self.best.sentences(moves)])
    }

    /// The paragraph about the move that was asked about.
    #[must_use]
    pub fn about_asked(&self, asked: &AskedMove, moves: LineDisplay) -> String {
        let (choice, best) = (&asked.choice, &self.best);
        let (name, best_name) = (choice.san(), best.san());
        let (loss, judgement, remark) = match asked.verdict {
            // The paragraph about the best move says everything.
            Verdict::Best => return format!("{name} is the best move."),
            Verdict::Other { loss, judgement, remark } => (loss, judgement, remark),
        };
        let verdict = match judgement {
            Judgement::Inaccuracy => "an inaccuracy",
            Judgement::Mistake => "a mistake",
            Judgement::Blunder => "a blunder",
            _ if loss < AS_GOOD => "about as good",
            _ => "not quite as good",
        };
        let value = value(&choice.line.assessment, self.position.side_to_move());
        let against = best.line.assessment;
        let verdict = if loss < 0.005 {
            format!("{name} is {verdict} ({value}), compared with {best_name} ({against}).")
        } else {
            let less = format!("{loss:.2} of the expected score less than");
            format!("{name} is {verdict} ({value}): {less} {best_name} ({against}).")
        };
        let remark = remark.map(|remark| format!("It {}.", remark.to_string().to_lowercase()));
        let deeds = sentence("It", &choice.facts);
        let answer = asked.answer.as_ref().map(|(position, mv, facts)| {
            let name = San::new(position, *mv);
            let color = position.side_to_move();
            match predicates(facts) {
                Some(deeds) => format!("{color}'s best answer is {name}, which {deeds}."),
                None => format!("{color}'s best answer is {name}."),
            }
        });
        let rest = join(choice.line.sentences(&choice.position, moves));
        join([verdict].into_iter().chain(remark).chain(deeds).chain(answer).chain([rest]))
    }

    /// The paragraph about the threat.
    #[must_use]
    pub fn about_threat(&self, threat: &ExplainedMove, moves: LineDisplay) -> String {
        let opponent = threat.position.side_to_move();
        let start = format!("If {} did nothing, {opponent} would play", !opponent);
        join([threat.headline(&start), threat.sentences(moves)])
    }
}

impl ExplainedMove {
    fn san(&self) -> San {
        San::new(&self.position, self.mv)
    }

    fn headline(&self, start: &str) -> String {
        let value = value(&self.line.assessment, self.position.side_to_move());
        format!("{start} {} ({value}).", self.san())
    }

    /// The facts of the move and of its line.
    fn sentences(&self, moves: LineDisplay) -> String {
        let deeds = sentence("It", &self.facts);
        join(deeds.into_iter().chain(self.line.sentences(&self.position, moves)))
    }
}

impl ExpectedLine {
    fn sentences(&self, position: &Position, moves: LineDisplay) -> Vec<String> {
        let us = position.side_to_move();
        let mut sentences = Vec::new();
        if self.moves.len() > 1 && moves == LineDisplay::InText {
            let shown = &self.moves[..self.moves.len().min(ExpectedLine::SHOWN_PLIES)];
            let dots = if shown.len() < self.moves.len() { " …" } else { "." };
            sentences.push(format!("The expected line is {}{dots}", line::numbered(position, shown)));
        }
        match self.outcome.filter(|_| self.moves.len() > 1) {
            Some(Outcome::Checkmate { winner }) => {
                sentences.push(format!("{winner} mates."));
                return sentences;
            }
            Some(outcome) => sentences.push(format!("That is a {outcome}.")),
            None => sentences.extend(self.rule.map(|rule| format!("At the end of the line: {rule}."))),
        }
        let Some(settled) = &self.settled else { return sentences };
        let last = line::numbered_last(position, &self.moves[..settled.plies]);
        if let Some(material) = material_words(settled) {
            sentences.push(format!("After {last} {us} {material}."));
        }
        if !settled.terms.is_empty() {
            let changes: Vec<_> = settled.terms.iter().map(change_words).collect();
            let changes = changes.join(", ");
            sentences.push(format!(
                "Apart from material, the largest changes for {us} up to {last} are: {changes}."
            ));
        }
        sentences
    }
}

/// `+0.35: White wins 30 %, draws 60 %, loses 10 %`, or the mate.
fn value(assessment: &Assessment, color: Color) -> String {
    for winner in Color::ALL {
        if let Some(moves) = assessment.mate_by(winner) {
            return format!("{winner} mates in {moves}");
        }
    }
    let wdl = if color == Color::White { assessment.wdl } else { assessment.wdl.reversed() };
    let [wins, draws, losses] =
        <[u16; 3]>::from(wdl).map(|thousandths| (f64::from(thousandths) / 10.0).round());
    format!("{assessment}: {color} wins {wins} %, draws {draws} %, loses {losses} %")
}

/// The material that the side to move has won or lost; `None` if there is no change.
fn material_words(settled: &QuietPoint) -> Option<String> {
    let list = |sign: i32| {
        let men = COUNTED.into_iter().zip(settled.material).rev().filter(|&(_, change)| change * sign > 0);
        let counted = men.map(|(piece, change)| match change.abs() {
            1 => format!("a {piece}"),
            count => format!("{count} {piece}s"),
        });
        enumeration(&counted.collect::<Vec<_>>())
    };
    Some(match (list(1), list(-1)) {
        (Some(won), Some(lost)) => match settled.worth().cmp(&0) {
            Ordering::Greater => format!("has won {won} for {lost}"),
            Ordering::Equal => format!("has traded {lost} for {won}"),
            Ordering::Less => format!("has lost {lost} for {won}"),
        },
        (Some(won), None) => format!("has won {won}"),
        (None, Some(lost)) => format!("has lost {lost}"),
        (None, None) => return None,
    })
}

/// `Known draw: wrong bishop.`
fn rule_words(rule: EndgameRule) -> String {
    let phrase = rule.to_string();
    let (first, rest) = phrase.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

fn change_words(change: &TermChange) -> String {
    format!("{} {:+.2}", change.term.name().to_lowercase(), f64::from(change.change) / 100.0)
}

/// `It captures the knight on e5 and gives check.`
fn sentence(subject: &str, facts: &[Fact]) -> Option<String> {
    predicates(facts).map(|deeds| format!("{subject} {deeds}."))
}

fn predicates(facts: &[Fact]) -> Option<String> {
    enumeration(&facts.iter().take(REPORTED_FACTS).map(Fact::words).collect::<Vec<_>>())
}

impl Fact {
    /// The fact as a predicate, such as `gives check`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Fact::Checkmate => "is checkmate".to_owned(),
            Fact::Stalemate => "is stalemate".to_owned(),
            Fact::Check => "gives check".to_owned(),
            Fact::DoubleCheck => "gives double check".to_owned(),
            Fact::DiscoveredCheck { by } => format!("uncovers a check by the {by}"),
            Fact::Captures { victim, is_free: false } => format!("captures the {victim}"),
            Fact::Captures { victim, is_free: true } => {
                format!("captures the {victim} (no recapture is possible)")
            }
            Fact::Trades { own, other } if own == other => format!("trades {own}s"),
            Fact::Trades { own, other } => format!("trades the {own} for the {other}"),
            Fact::Promotes { to } => format!("promotes to a {to}"),
            Fact::Castles { side: CastlingSide::King } => "castles on the king's side".to_owned(),
            Fact::Castles { side: CastlingSide::Queen } => "castles on the queen's side".to_owned(),
            Fact::Forks { targets } => format!("forks {}", the_men(targets)),
            Fact::Attacks { target } => format!("attacks the {target}"),
            Fact::ThreatensCapture { target } => format!("threatens to win the {target}"),
            Fact::DiscoveredAttack { by, target } => format!("opens the line of the {by} to the {target}"),
            Fact::PinsToKing { pinned } => format!("pins the {pinned} to the king"),
            Fact::PinsToQueen { pinned, queen } => format!("pins the {pinned} to the {queen}"),
            Fact::Skewers { front, behind } => format!("skewers the {front} and the {behind}"),
            Fact::Traps { target } => format!("traps the {target}"),
            Fact::ThreatensMate { with } => format!("threatens mate with {with}"),
            Fact::Escapes { piece, from } => format!("brings the {piece} from {from} to safety"),
            Fact::Protects { man } => format!("protects the {man}"),
            Fact::Shields { man } => format!("shields the {man}"),
            Fact::Offers { man } => format!("offers the {man}"),
            Fact::MakesPassedPawn { square } => format!("makes a passed pawn on {square}"),
            Fact::AdvancesPassedPawn { square, steps_left: 1 } => {
                format!("advances the passed pawn to {square}, one step from promotion")
            }
            Fact::AdvancesPassedPawn { square, steps_left } => {
                format!("advances the passed pawn to {square}, {steps_left} steps from promotion")
            }
            Fact::Develops { piece } => format!("develops the {piece}"),
            Fact::TakesOpenFile { file } => format!("takes the open {file}-file"),
        }
    }
}

fn the_men(men: &[PlacedPiece]) -> String {
    let men: Vec<_> = men.iter().map(|man| format!("the {man}")).collect();
    enumeration(&men).unwrap_or_default()
}

/// `a, b and c`
fn enumeration(items: &[String]) -> Option<String> {
    let (last, others) = items.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
}

/// Joins sentences with spaces.
fn join(sentences: impl IntoIterator<Item = String>) -> String {
    let sentences: Vec<_> = sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect();
    sentences.join(" ")
}
