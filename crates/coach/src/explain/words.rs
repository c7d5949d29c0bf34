//! Sentences made from facts.

use std::cmp::Ordering;

use ferz_board::{CastlingSide, Color, DrawReason, Move, Outcome, PieceType, Position};
use ferz_eval::{EndgameRule, endgame_rule};
use ferz_notation::line;
use ferz_notation::san::San;
use ferz_search::Score;

use super::line::{COUNTED, Change, QuietPoint};
use super::{
    AskedMove, ExpectedLine, ExplainedMove, Explanation, Fact, PlacedPiece, Refutation, Verdict, facts,
};
use crate::review::{Assessment, Judgement};

/// A move that loses less expected score than this is about as good.
const AS_GOOD: f64 = 0.02;
/// The most facts that are reported about a move, the most important first.
const REPORTED_FACTS: usize = 4;
/// The moves of a refutation that are shown after the obvious reply.
const REFUTING_PLIES: usize = 5;

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
        let best = &self.best;
        let rule = endgame_rule(&self.position)
            .filter(|&rule| agrees(rule, &best.line.assessment))
            .filter(|&rule| rule.is_draw() || !may_be_stalemate(&self.position, &best.line.assessment));
        let rule = rule.map(rule_words).unwrap_or_default();
        let has_point = best.line.settled.as_ref().is_some_and(|settled| settled.worth() > 0)
            || best.line.assessment.mate_by(self.position.side_to_move()).is_some();
        let meets =
            self.threat.as_ref().filter(|threat| !has_point && best.line.moves.get(1) != Some(&threat.mv));
        let meets =
            meets.map(|threat| format!("It meets the threat of {}.", threat.san())).unwrap_or_default();
        let start = best.headline(start);
        match self.position.count_legal() {
            1 => join([rule, start, "It is the only legal move.".to_owned(), best.sentences(moves)]),
            _ => join([rule, start, meets, best.sentences(moves)]),
        }
    }

    /// The paragraph about the move that was asked about.
    #[must_use]
    pub fn about_asked(&self, asked: &AskedMove, moves: LineDisplay) -> String {
        let (choice, best) = (&asked.choice, &self.best);
        let name = choice.san();
        if let Some(outcome) = asked.outcome {
            return self.about_end(asked, outcome);
        }
        let (loss, judgement) = match asked.verdict {
            // The paragraph about the best move says everything.
            Verdict::Best => return format!("{name} is the best move."),
            Verdict::Other { loss, judgement, .. } => (loss, judgement),
        };
        let color = self.position.side_to_move();
        let (value, against) = (score(&choice.line.assessment), score(&best.line.assessment));
        let verdict = match error_words(judgement) {
            Some(error) => {
                let reason = asked.reason.as_ref().map(|reason| format!(": it {}", reason.words()));
                let chances = self.chances(asked);
                let reason = reason.unwrap_or_default();
                join([format!("{name} is {error} ({value}){reason}."), chances])
            }
            None => format!(
                "{name} ({value}) is {} ({against}){}.",
                self.comparison(asked, loss),
                self.anyway(asked)
            ),
        };
        // The reason says what an error gives up.
        let is_reported = |fact: &Fact| !judgement.is_error() || !matches!(fact, Fact::Offers { .. });
        let reported: Vec<Fact> = choice.facts.iter().filter(|fact| is_reported(fact)).cloned().collect();
        let deeds = sentence("It", &reported);
        let answer = asked.answer.as_ref().map(|(position, mv, facts)| {
            let name = San::new(position, *mv);
            match predicates(facts) {
                Some(deeds) => format!("{}'s best answer is {name}, which {deeds}.", !color),
                None => format!("{}'s best answer is {name}.", !color),
            }
        });
        let rest = join(choice.line.sentences(&choice.position, moves));
        join([verdict].into_iter().chain(deeds).chain(answer).chain([rest]))
    }

    /// `about as good as Nf3`
    fn comparison(&self, asked: &AskedMove, loss: f64) -> String {
        let verdict = if self.is_much_weaker(asked) {
            "weaker than"
        } else if loss < AS_GOOD {
            "about as good as"
        } else {
            "not quite as good as"
        };
        format!("{verdict} {}", self.best.san())
    }

    /// Whether a move is worse by more than a pawn or misses or allows a mate, although that hardly changes the chances.
    fn is_much_weaker(&self, asked: &AskedMove) -> bool {
        match (self.best.line.assessment.score, asked.choice.line.assessment.score) {
            (Score::Centipawns(best), Score::Centipawns(other)) => (best - other).abs() > 100,
            (Score::Mate(_), Score::Mate(_)) => false,
            _ => true,
        }
    }

    /// What is to be expected after a much weaker move that is not an error.
    fn anyway(&self, asked: &AskedMove) -> String {
        let color = self.position.side_to_move();
        match asked.choice.line.assessment.expected_score(color) {
            _ if !self.is_much_weaker(asked) => String::new(),
            score if score >= 0.9 => ", but it also wins".to_owned(),
            score if score <= 0.1 => format!(", but {color} is lost anyway"),
            _ => String::new(),
        }
    }

    /// `White's chances fall from 55 % to 19 %.` The chances are the expected score; nothing is said about mates.
    fn chances(&self, asked: &AskedMove) -> String {
        let color = self.position.side_to_move();
        let assessments = [&self.best.line.assessment, &asked.choice.line.assessment];
        if assessments.iter().any(|it| matches!(it.score, Score::Mate(_))) {
            return String::new();
        }
        let [from, to] = assessments.map(|it| (100.0 * it.expected_score(color)).round());
        if from > to { format!("{color}'s chances fall from {from} % to {to} %.") } else { String::new() }
    }

    /// The paragraph about a move that ended the game.
    fn about_end(&self, asked: &AskedMove, outcome: Outcome) -> String {
        let (name, us) = (asked.choice.san(), self.position.side_to_move());
        let end = match outcome {
            Outcome::Checkmate { winner } => {
                let deeds: Vec<_> =
                    asked.choice.facts.iter().filter(|&fact| *fact != Fact::Checkmate).cloned().collect();
                let end = format!("{name} is checkmate: {winner} wins.");
                return join([end].into_iter().chain(sentence("It", &deeds)));
            }
            Outcome::Draw(DrawReason::Stalemate) => {
                format!(
                    "{name} is stalemate: {} has no legal move and is not in check. The game is drawn.",
                    !us
                )
            }
            other => format!("After {name} the game is over: {other}."),
        };
        let Verdict::Other { judgement, .. } = asked.verdict else {
            return join([end, "There was nothing better.".to_owned()]);
        };
        let best = self.best.san();
        let instead = match self.best.line.assessment.mate_by(us) {
            Some(1) => format!("{best} was mate."),
            Some(moves) => format!("{best} was mate in {moves}."),
            None if judgement.is_error() => {
                format!("{best} was better ({}).", score(&self.best.line.assessment))
            }
            None => "There was nothing much better.".to_owned(),
        };
        let verdict = error_words(judgement).map(|error| format!("It is {error}."));
        join([end].into_iter().chain(verdict).chain([instead]))
    }

    /// The paragraph about the threat.
    #[must_use]
    pub fn about_threat(&self, threat: &ExplainedMove, moves: LineDisplay) -> String {
        let opponent = threat.position.side_to_move();
        let start = format!("If {} did nothing, {opponent} would play", !opponent);
        let value = score(&threat.line.assessment);
        join([format!("{start} {} ({value}).", threat.san()), threat.sentences(moves)])
    }
}

fn error_words(judgement: Judgement) -> Option<&'static str> {
    match judgement {
        Judgement::Inaccuracy => Some("an inaccuracy"),
        Judgement::Mistake => Some("a mistake"),
        Judgement::Blunder => Some("a blunder"),
        _ => None,
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
        let deeds = sentence("It", &self.facts).or_else(|| self.is_quiet().then(|| QUIET.to_owned()));
        let refutation = self.refutation.as_ref().map(|refutation| refutation.sentence(&self.position));
        let line = self.line.sentences(&self.position, moves);
        join(deeds.into_iter().chain(line).chain(refutation))
    }

    /// Whether nothing at all happens.
    fn is_quiet(&self) -> bool {
        let line = &self.line;
        let is_quiet = |settled: &QuietPoint| {
            settled.worth() == 0 && settled.changes.is_empty() && !self.captures_after(settled)
        };
        line.outcome.is_none() && line.rule.is_none() && line.settled.as_ref().is_some_and(is_quiet)
    }

    /// Whether the line, as far as it is shown, goes on with a capture or promotion after its last quiet position.
    fn captures_after(&self, settled: &QuietPoint) -> bool {
        let mut position = self.position;
        self.line.shown().iter().enumerate().any(|(ply, &mv)| {
            let is_tactical = position.captured(mv).is_some() || mv.promotion().is_some();
            position.play_unchecked(mv);
            ply >= settled.plies && is_tactical
        })
    }
}

/// About a move without facts in a line without results.
const QUIET: &str = "It is a quiet move: in the expected line neither side wins anything.";

impl Refutation {
    /// `If 5… Bxd1, then 6. Bxf7+ Ke7 7. Nd5# mates.`
    fn sentence(&self, position: &Position) -> String {
        let us = position.side_to_move();
        let ExpectedLine { moves, assessment, settled, .. } = &self.line;
        let mut after = *position;
        after.play_unchecked(moves[0]);
        let reply = numbered(&after, &moves[1..2]);
        after.play_unchecked(moves[1]);
        let shown = &moves[2..moves.len().min(2 + REFUTING_PLIES)];
        let is_shown = moves.len() <= 2 + REFUTING_PLIES;
        let dots = if is_shown { "" } else { " …" };
        let text = numbered(&after, shown);
        let result = match (assessment.mate_by(us), settled.as_ref().and_then(material_words)) {
            (Some(_), _) if is_shown && self.line.outcome.is_some() => " mates".to_owned(),
            (Some(moves), _) => format!(": {us} mates in {moves}"),
            (None, Some(material)) => format!(": {us} {material}"),
            (None, None) => format!(" ({})", score(assessment)),
        };
        format!("If {reply}, then {text}{dots}{result}.")
    }
}

impl ExpectedLine {
    /// The name of the mate at the end of the line.
    fn mate_pattern(&self, position: &Position) -> Option<Fact> {
        let (&last, others) = self.moves.split_last()?;
        let mut end = *position;
        others.iter().for_each(|&mv| end.play_unchecked(mv));
        facts(&end, last).into_iter().find(|fact| matches!(fact, Fact::SmotheredMate | Fact::BackRankMate))
    }

    fn sentences(&self, position: &Position, moves: LineDisplay) -> Vec<String> {
        let us = position.side_to_move();
        let mut sentences = Vec::new();
        if self.moves.len() > 1 && moves == LineDisplay::InText {
            let dots = if self.is_shown() { "." } else { " …" };
            sentences.push(format!("The expected line is {}{dots}", numbered(position, self.shown())));
        }
        match self.outcome.filter(|_| self.moves.len() > 1) {
            Some(Outcome::Checkmate { winner }) => {
                sentences.push(match self.mate_pattern(position) {
                    Some(pattern) => format!("{winner} mates: it {}.", pattern.words()),
                    None => format!("{winner} mates."),
                });
                return sentences;
            }
            Some(outcome) if self.is_shown() => sentences.push(format!("That is a {outcome}.")),
            Some(outcome) => sentences.push(format!("It ends in a {outcome}.")),
            None => {
                let rule = self.rule.filter(|&rule| agrees(rule, &self.assessment));
                sentences.extend(rule.map(|rule| format!("At the end of the line: {rule}.")));
            }
        }
        let Some(settled) = &self.settled else { return sentences };
        let last = numbered_last(position, &self.moves[..settled.plies]);
        let material = material_words(settled).map(|material| format!("{us} {material}"));
        let changes = settled.changes.iter().copied().map(Change::words);
        let results: Vec<String> = material.into_iter().chain(changes).collect();
        if !results.is_empty() {
            sentences.push(format!("After {last} {}.", results.join("; ")));
        }
        sentences
    }
}

/// The moves with their numbers, written as on the page: `3… Nf6 4. d3`.
fn numbered(position: &Position, moves: &[Move]) -> String {
    line::numbered(position, moves).replace("...", "…")
}

fn numbered_last(position: &Position, moves: &[Move]) -> String {
    line::numbered_last(position, moves).replace("...", "…")
}

/// `+0.35`, `−0.48` with a true minus sign, or the mate.
fn score(assessment: &Assessment) -> String {
    let mate = |winner: Color| assessment.mate_by(winner).map(|moves| format!("{winner} mates in {moves}"));
    Color::ALL.into_iter().find_map(mate).unwrap_or_else(|| assessment.to_string().replace('-', "−"))
}

/// `+0.35: White wins 30 %, draws 60 %, loses 10 %`, or the mate.
fn value(assessment: &Assessment, color: Color) -> String {
    let score = score(assessment);
    if matches!(assessment.score, Score::Mate(_)) {
        return score;
    }
    let wdl = if color == Color::White { assessment.wdl } else { assessment.wdl.reversed() };
    let [wins, draws, losses] = percentages(wdl.into());
    format!("{score}: {color} wins {wins} %, draws {draws} %, loses {losses} %")
}

/// Thousandths as per cent that add up to 100 (largest remainder method).
fn percentages(thousandths: [u16; 3]) -> [u16; 3] {
    let mut percent = thousandths.map(|it| it / 10);
    let mut order = [0, 1, 2];
    order.sort_by_key(|&index| std::cmp::Reverse(thousandths[index] % 10));
    let missing = 100_u16.saturating_sub(percent.iter().sum());
    order.iter().take(missing.into()).for_each(|&index| percent[index] += 1);
    percent
}

/// The pieces won and lost: `a knight`, `2 pawns`, `the exchange`.
pub(super) fn won_and_lost(material: &[i32; 5]) -> (Option<String>, Option<String>) {
    let [pawns, mut knights, mut bishops, rooks, queens] = *material;
    if knights * bishops < 0 && [pawns, rooks, queens] != [0; 3] {
        // A knight for a bishop is not what matters.
        let traded = knights.abs().min(bishops.abs());
        (knights, bishops) = (knights - traded * knights.signum(), bishops - traded * bishops.signum());
    }
    let material = [pawns, knights, bishops, rooks, queens];
    let is_exchange =
        |sign: i32| rooks == sign && knights + bishops == -sign && knights * bishops == 0 && queens == 0;
    let list = |sign: i32| {
        let counted = |change: i32, piece: PieceType| match change * sign {
            1 => Some(format!("a {piece}")),
            count if count > 1 => Some(format!("{count} {piece}s")),
            _ => None,
        };
        let men: Vec<String> = if is_exchange(1) || is_exchange(-1) {
            let exchange = is_exchange(sign).then(|| "the exchange".to_owned());
            exchange.into_iter().chain(counted(pawns, PieceType::Pawn)).collect()
        } else {
            COUNTED
                .into_iter()
                .zip(material)
                .rev()
                .filter_map(|(piece, change)| counted(change, piece))
                .collect()
        };
        enumeration(&men)
    };
    (list(1), list(-1))
}

/// The material that the side to move has won or lost; `None` if there is no change.
fn material_words(settled: &QuietPoint) -> Option<String> {
    Some(match won_and_lost(&settled.material) {
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

/// Whether the side to move, which seems lost, may yet save itself: its king has no square, so it is stalemate once its
/// other pieces are gone or blocked.
fn may_be_stalemate(position: &Position, assessment: &Assessment) -> bool {
    let us = position.side_to_move();
    let king = position.king(us);
    assessment.expected_score(us) < 0.5 && !position.legal_moves().iter().any(|mv| mv.from() == king)
}

/// Whether the engine's opinion is that of a rule, which knows no tactics.
fn agrees(rule: EndgameRule, assessment: &Assessment) -> bool {
    let advantage = (assessment.expected_score(Color::White) - 0.5).abs();
    if rule.is_draw() { advantage <= 0.25 } else { advantage >= 0.4 }
}

/// `Known draw: wrong bishop.`
fn rule_words(rule: EndgameRule) -> String {
    let phrase = rule.to_string();
    let (first, rest) = phrase.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

impl Change {
    /// The change as a clause, such as `White has the bishop pair`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Change::BishopPair { color } => format!("{color} has the bishop pair"),
            Change::PassedPawn { color, square } => format!("{color} has a passed pawn on {square}"),
            Change::DoubledPawns { color, file } => format!("{color} has doubled pawns on the {file}-file"),
            Change::OpenKing { color } => format!("{color}'s king has no pawn cover"),
            Change::KingAttack { color, pieces } => {
                format!("{color} attacks the king with {pieces} pieces")
            }
        }
    }
}

/// `It captures the knight on e5 and gives check.`
fn sentence(subject: &str, facts: &[Fact]) -> Option<String> {
    predicates(facts).map(|deeds| format!("{subject} {deeds}."))
}

fn predicates(facts: &[Fact]) -> Option<String> {
    let has_pattern = facts.iter().any(|fact| matches!(fact, Fact::SmotheredMate | Fact::BackRankMate));
    let is_discovered = |target: &PlacedPiece| {
        facts
            .iter()
            .any(|fact| matches!(fact, Fact::DiscoveredAttack { target: other, .. } if other == target))
    };
    let is_new = |fact: &Fact| match fact {
        Fact::Checkmate => !has_pattern,
        Fact::Attacks { target } => !is_discovered(target),
        _ => true,
    };
    let mut reported: Vec<(usize, &Fact)> =
        facts.iter().enumerate().filter(|(_, fact)| is_new(fact)).collect();
    reported.sort_by_key(|&(place, fact)| (importance(fact), place));
    reported.truncate(REPORTED_FACTS);
    reported.sort_by_key(|&(place, _)| place);
    enumeration(&reported.into_iter().map(|(_, fact)| fact.words()).collect::<Vec<_>>())
}

/// The most important facts have the smallest number.
fn importance(fact: &Fact) -> u32 {
    match fact {
        Fact::Checkmate
        | Fact::SmotheredMate
        | Fact::BackRankMate
        | Fact::Stalemate
        | Fact::StalemateTrick
        | Fact::Captures { .. }
        | Fact::Promotes { .. }
        | Fact::Castles { .. } => 0,
        Fact::Deflects { .. }
        | Fact::Forks { .. }
        | Fact::Skewers { .. }
        | Fact::Check
        | Fact::DoubleCheck
        | Fact::DiscoveredCheck { .. }
        | Fact::Offers { .. }
        | Fact::ThreatensMate { .. }
        | Fact::Traps { .. }
        | Fact::Trades { .. } => 1,
        Fact::PinsToKing { pinned } if pinned.piece == PieceType::Pawn => 4,
        Fact::RemovesDefender { .. }
        | Fact::PinsToKing { .. }
        | Fact::PinsToQueen { .. }
        | Fact::DiscoveredAttack { .. }
        | Fact::Escapes { .. }
        | Fact::Shields { .. }
        | Fact::Protects { .. } => 2,
        _ => 3,
    }
}

impl Fact {
    /// The fact as a predicate, such as `gives check`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Fact::Checkmate => "is checkmate".to_owned(),
            Fact::SmotheredMate => "is a smothered mate".to_owned(),
            Fact::BackRankMate => "is a back-rank mate".to_owned(),
            Fact::Stalemate => "is stalemate".to_owned(),
            Fact::Check => "gives check".to_owned(),
            Fact::DoubleCheck => "gives double check".to_owned(),
            Fact::DiscoveredCheck { by } => format!("uncovers a check by the {by}"),
            Fact::Captures { victim, is_free: false } => format!("captures the {victim}"),
            Fact::Captures { victim, is_free: true } => {
                format!("captures the {victim} (no recapture)")
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
            Fact::RemovesDefender { defender, target } => {
                format!("removes the {} that protected the {target}", defender.piece)
            }
            Fact::Deflects { defender, target } => {
                format!("lures the {defender} away from the {target}")
            }
            Fact::StalemateTrick => "saves the game by stalemate".to_owned(),
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
            Fact::TakesOpposition { is_distant: false } => "takes the opposition".to_owned(),
            Fact::TakesOpposition { is_distant: true } => "takes the distant opposition".to_owned(),
            Fact::ChallengesCentre { target } => format!("challenges the {target}"),
            Fact::SupportsCentre { pawn } => format!("supports the {pawn}"),
            Fact::ActivatesKing => "brings the king towards the centre".to_owned(),
            Fact::Outpost { square } => format!("places the knight on an outpost on {square}"),
            Fact::OccupiesCentre { square } => format!("occupies the centre with a pawn on {square}"),
            Fact::MakesLuft { square } => format!("gives the king an escape square on {square}"),
            Fact::SeventhRank => "brings the rook to the seventh rank".to_owned(),
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
