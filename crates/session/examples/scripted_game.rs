//! Plays a scripted game against the engine without any I/O: no socket, no thread of its own, no clock.

use std::time::Duration;

use ferz_search::{Engine, Host};
use ferz_session::analysis::PriorKnowledge;
use ferz_session::desk::{Desk, DeskStep};
use ferz_session::protocol::Envelope;
use ferz_session::{Outbox, Session};

/// A page, its engine, and a time that only this program moves.
struct Script {
    session: Session,
    desk: Desk,
    engine: Engine,
    now: Duration,
}

impl Script {
    fn say(&mut self, message: &str) {
        let out = self.session.handle(Envelope::parse(message), self.now);
        self.deliver(out);
    }

    /// Prints the messages and carries out the orders, which lead to further messages.
    fn deliver(&mut self, out: Outbox) {
        for message in out.messages {
            let text = message.to_text();
            println!("{}", text.chars().take(100).collect::<String>());
        }
        for order in out.orders {
            for step in self.desk.order(order, 0) {
                let events = match step {
                    DeskStep::Start(job) => {
                        let prior = PriorKnowledge::default();
                        job.task.carry_out(&mut self.engine, &job.signals, &prior, &mut |_| {})
                    }
                    DeskStep::Deliver(event) => vec![event],
                    DeskStep::StartReview(..) | DeskStep::AnalysisOff => Vec::new(),
                };
                self.now += Duration::from_secs(1);
                for event in events {
                    let out = self.session.on_event(event, self.now);
                    self.deliver(out);
                }
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut engine = Engine::new(16)?;
    // The engine's time stands still, so its nodes alone limit a search.
    engine.set_host(Host::default().now(|| Duration::ZERO));
    let (session, desk) = (Session::new(None, 1), Desk::default());
    let mut script = Script { session, desk, engine, now: Duration::ZERO };
    script.say(r#"{"type": "hello"}"#);
    script.say(r#"{"type": "play", "color": "white", "level": "club"}"#);
    for mv in ["e2e4", "d2d4"] {
        script.say(&format!(r#"{{"type": "move", "uci": "{mv}"}}"#));
    }
    script.say(r#"{"type": "resign"}"#);
    Ok(())
}
