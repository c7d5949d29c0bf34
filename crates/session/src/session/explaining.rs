//! Explanations of moves, as the page reads them.

use ferz_board::{DeadPositionSearch, Position};
use ferz_notation::pgn::NodeId;

use super::notation::{self, NULL_MOVE, game_at};
use super::orders::{ExplainTask, Order, PlayedMove};
use super::refusal::Refusal;
use super::{Outbox, Session};
use crate::protocol::{ExplanationPart, Message, Topic};
use ferz_coach::explain::{ExplainedMove, Explanation, LineDisplay, Verdict};

/// The page shows the lines separately, as links.
const MOVES: LineDisplay = LineDisplay::BesideText;

impl Session {
    pub(super) fn explain(&self, re: Option<u64>, out: &mut Outbox) -> Result<(), Refusal> {
        self.refuse_while_playing("Explanations are not available during a game. Ask for a hint instead.")?;
        let (tree, node) = (self.study.tree(), self.study.node());
        let game = game_at(tree, node).ok_or_else(Refusal::no_node)?;
        let outcome = game.outcome_with(&mut DeadPositionSearch::new());
        let played = tree.parent(node).zip(tree.mv(node)).and_then(|(at, mv)| {
            // A game that was loaded may continue after its end.
            let position = tree.position_at(at).filter(|position| position.outcome().is_none())?;
            Some(PlayedMove { at, position, mv })
        });
        if let Some(outcome) = outcome.filter(|_| played.is_none()) {
            return Err(Refusal::new(format!("The game is over: {outcome}. There is no move to explain.")));
        }
        let mode = self.study.mode();
        let position = *game.position();
        out.orders.push(Order::Explain(ExplainTask { re, node, position, played, outcome, mode }));
        Ok(())
    }
}

/// The paragraphs of an explanation. The move played comes first.
pub(super) fn message(
    task: &ExplainTask,
    played: Option<&Explanation>,
    here: Option<&Explanation>,
) -> Message {
    let mut parts = Vec::new();
    if let (Some(PlayedMove { at, position, .. }), Some(played)) = (&task.played, played) {
        let part = |about, text, choice| part(task, about, (*at, position), text, choice);
        match &played.asked {
            Some(asked) if asked.verdict != Verdict::Best => {
                parts.push(part(Topic::Played, played.about_asked(asked, MOVES), &asked.choice));
                let better = played.about_best("The best move was", MOVES);
                parts.push(part(Topic::Instead, better, &played.best));
            }
            Some(asked) if asked.outcome.is_some() => {
                parts.push(part(Topic::Played, played.about_asked(asked, MOVES), &asked.choice));
            }
            _ => {
                let text = played.about_best("The best move was played:", MOVES);
                parts.push(part(Topic::Played, text, &played.best));
            }
        }
    }
    let Some(here) = here else { return Message::Explanation { node: task.node.number(), parts } };
    let part = |about, text, choice| part(task, about, (task.node, &task.position), text, choice);
    parts.push(part(Topic::Best, here.about_best("The best move is", MOVES), &here.best));
    if let Some(threat) = &here.threat {
        let mut told = part(Topic::Threat, here.about_threat(threat, MOVES), threat);
        // The line starts with a null move of the side to move.
        told.line.uci.insert(0, NULL_MOVE.to_owned());
        told.line.san.insert(0, notation::san(&task.position, None));
        parts.push(told);
    }
    Message::Explanation { node: task.node.number(), parts }
}

fn part(
    task: &ExplainTask,
    about: Topic,
    (node, position): (NodeId, &Position),
    text: String,
    choice: &ExplainedMove,
) -> ExplanationPart {
    ExplanationPart {
        about,
        node: node.number(),
        number: position.fullmove_number(),
        turn: position.side_to_move().into(),
        text,
        line: notation::line(&choice.position, &choice.line.moves, task.mode),
    }
}
