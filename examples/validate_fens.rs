//! Checks FENs, one per line of standard input. The answers are JSON, one object per line.

use std::io::{self, BufRead, Write};

use ferz_board::{CastlingMode, FenError, Position};
use serde_json::json;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let fen = line?;
        let error = match Position::from_fen_in(&fen, CastlingMode::Chess960) {
            Ok(position) => {
                writeln!(out, "{}", json!({ "legal": true, "fen": position }))?;
                continue;
            }
            Err(error) => error,
        };
        let reason = match &error {
            FenError::Syntax(error) => {
                json!({ "syntax": error.problem.name(), "field": error.field.to_string(), "column": error.column })
            }
            FenError::Position(error) => json!({ "violations": error.violations() }),
            _ => json!(null),
        };
        let repaired = Position::from_fen_lenient(&fen).ok();
        let repaired = repaired.map(|(fen, repairs)| json!({ "fen": fen, "repairs": repairs }));
        let text = error.to_string();
        writeln!(out, "{}", json!({ "legal": false, "text": text, "reason": reason, "repaired": repaired }))?;
    }
    Ok(())
}
