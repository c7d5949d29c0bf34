//! An explanation as JSON.

use std::collections::BTreeMap;

use ferz_eval::endgame_rule;
use ferz_notation::line;
use serde::Serialize;

use super::line::COUNTED;
use super::{Change, ExplainedMove, Explanation, Fact, LossReason, Verdict};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    refutation: Option<RefutationReport>,
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
    changes: Vec<ChangeReport>,
}

#[derive(Clone, Debug, Serialize)]
struct ChangeReport {
    #[serde(flatten)]
    change: Change,
    text: String,
}

/// Why the obvious reply fails.
#[derive(Clone, Debug, Serialize)]
struct RefutationReport {
    reply: String,
    #[serde(flatten)]
    assessment: AssessmentReport,
    line: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct ReasonReport {
    #[serde(flatten)]
    reason: LossReason,
    text: String,
}

#[derive(Clone, Debug, Serialize)]
struct AskedReport {
    #[serde(flatten)]
    choice: ChoiceReport,
    judgement: Judgement,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<Remark>,
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<ReasonReport>,
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
                reason: asked
                    .reason
                    .as_ref()
                    .map(|reason| ReasonReport { reason: reason.clone(), text: reason.words() }),
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
        let ExplainedMove { position, mv, facts, line, refutation } = choice;
        let refutation = refutation.as_ref().map(|refutation| {
            let mut after = *position;
            after.play_unchecked(*mv);
            RefutationReport {
                reply: line::san(&after, &[refutation.reply]).concat(),
                assessment: refutation.line.assessment.into(),
                line: line::san(position, &refutation.line.moves),
            }
        });
        let settled = line.settled.as_ref().map(|settled| SettledReport {
            plies: settled.plies,
            material: COUNTED.iter().map(ToString::to_string).zip(settled.material).collect(),
            changes: settled
                .changes
                .iter()
                .map(|&change| ChangeReport { change, text: change.words() })
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
            refutation,
        }
    }
}

fn fact_reports(facts: &[Fact]) -> impl Iterator<Item = FactReport> {
    facts.iter().map(|fact| FactReport { fact: fact.clone(), text: fact.words() })
}
