//! An explanation as JSON.

use std::collections::BTreeMap;

use ferz_eval::endgame_rule;
use ferz_notation::line;
use serde::Serialize;

use super::line::COUNTED;
use super::{ExplainedMove, Explanation, Fact, Verdict};
use crate::review::{AssessmentReport, Judgement, Remark};

/// An explanation as a JSON object. Scores and win probabilities are White's.
#[derive(Clone, Debug, Serialize)]
pub struct ExplanationReport {
    fen: String,
    /// The endgame rule that applies to the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    best: ChoiceReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<AskedReport>,
    threat: Option<ChoiceReport>,
    text: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct ChoiceReport {
    san: String,
    uci: String,
    facts: Vec<FactReport>,
    #[serde(flatten)]
    assessment: AssessmentReport,
    line: Vec<String>,
    /// The endgame rule that applies at the end of the line, if it does not apply at its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// `None` if the line has no quiet position.
    settled: Option<SettledReport>,
}

#[derive(Clone, Debug, Serialize)]
struct FactReport {
    #[serde(flatten)]
    fact: Fact,
    text: String,
}

/// The changes for the side to move up to a quiet position of the line.
#[derive(Clone, Debug, Serialize)]
struct SettledReport {
    /// The number of moves up to the position.
    plies: usize,
    /// The pieces won by kind; negative numbers are losses.
    material: BTreeMap<String, i32>,
    /// In centipawns.
    terms: Vec<TermReport>,
}

#[derive(Clone, Debug, Serialize)]
struct TermReport {
    name: &'static str,
    change: i32,
}

#[derive(Clone, Debug, Serialize)]
struct AskedReport {
    #[serde(flatten)]
    choice: ChoiceReport,
    judgement: Judgement,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<Remark>,
    loss: f64,
    /// The facts about the best answer.
    answer_facts: Vec<FactReport>,
}

impl From<&Explanation> for ExplanationReport {
    fn from(explanation: &Explanation) -> ExplanationReport {
        let asked = explanation.asked.as_ref().map(|asked| {
            let (judgement, remark, loss) = match asked.verdict {
                Verdict::Best => (Judgement::Best, None, 0.0),
                Verdict::Other { loss, judgement, remark } => (judgement, remark, loss),
            };
            AskedReport {
                choice: ChoiceReport::from(&asked.choice),
                judgement,
                remark,
                loss,
                answer_facts: asked.answer.iter().flat_map(|(_, _, facts)| fact_reports(facts)).collect(),
            }
        });
        ExplanationReport {
            fen: explanation.position.to_string(),
            rule: endgame_rule(&explanation.position).map(|rule| rule.to_string()),
            best: ChoiceReport::from(&explanation.best),
            asked,
            threat: explanation.threat.as_ref().map(ChoiceReport::from),
            text: explanation.paragraphs(),
        }
    }
}

impl From<&ExplainedMove> for ChoiceReport {
    fn from(choice: &ExplainedMove) -> ChoiceReport {
        let ExplainedMove { position, mv, facts, line } = choice;
        let settled = line.settled.as_ref().map(|settled| SettledReport {
            plies: settled.plies,
            material: COUNTED.iter().map(ToString::to_string).zip(settled.material).collect(),
            terms: settled
                .terms
                .iter()
                .map(|it| TermReport { name: it.term.name(), change: it.change })
                .collect(),
        });
        ChoiceReport {
            san: line::san(position, &[*mv]).concat(),
            uci: line::uci(position, &[*mv]).concat(),
            facts: fact_reports(facts).collect(),
            assessment: line.assessment.into(),
            line: line::san(position, &line.moves),
            rule: line.rule.map(|rule| rule.to_string()),
            settled,
        }
    }
}

fn fact_reports(facts: &[Fact]) -> impl Iterator<Item = FactReport> {
    facts.iter().map(|fact| FactReport { fact: fact.clone(), text: fact.words() })
}
