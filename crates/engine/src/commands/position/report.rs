//! A position as JSON.

use anyhow::Result;
use ferz_board::{
    Bitboard, CastlingMode, CastlingStyle, Color, DeadPositionSearch, DeadPositionVerdict, EnPassantMode,
    Piece, Position, Repair, Square,
};
use ferz_eval::Network;
use serde::{Serialize, Serializer};

/// The keys of the object, for the help text.
pub(super) const KEYS: &str = "\
Keys of the JSON object:
  fen                    normalised: X-FEN castling rights, and the en-passant
                         square only if a capture is legal
  shredder_fen           the same with castling rights as rook files (HAha)
  key, pawn_key          the Polyglot (Zobrist) key and that of the pawns alone,
                         16 hexadecimal digits
  side_to_move           \"white\" or \"black\"
  castling               rights (\"KQkq\", \"-\" for none) and rooks, in the same
                         order
  en_passant             the target square of a legal en-passant capture, or null
  double_step            the square skipped by the last double pawn push, or null
  halfmove_clock         plies since the last capture or pawn move
  fullmove_number        from 1
  check, checkers        whether the side to move is in check, and from where
  pinned                 white, black: squares of pieces pinned to their king
  bitboards              white_pawn … black_king, white, black, occupied: \"0x\"
                         and 16 hexadecimal digits, a1 is the lowest bit
  pieces                 FEN letters by square
  legal_moves            in UCI notation, sorted
  legal_move_count       the number of legal moves
  outcome                null, or result (\"1-0\" …) and reason (checkmate,
                         stalemate, insufficient_material, seventy_five_moves)
  claims                 draws the side to move may claim: fifty_moves
  insufficient_material  white, black: whether that side can no longer mate
  dead_position          verdict (dead: neither side can mate by any series of
                         moves; alive; unknown: not decided within the nodes),
                         nodes, and helpmate: null, or winner and moves in UCI
                         notation that end with mate
  evaluation             the classical evaluation: value for White in centipawns,
                         phase (24 to 0), endgame scale (64ths), and terms: name,
                         white and black as [middlegame, endgame]
  nnue                   the value of the network for the side to move, in the
                         network's own units; absent with --net classical
  nnue_pieces            how much White loses, in the same units, without the
                         piece on a square; absent with --net classical
  repairs                with --lenient: the repairs that were made";

/// The state of a position as one line of JSON.
pub(super) fn json(
    position: &Position,
    mode: CastlingMode,
    network: Option<&Network>,
    repairs: Option<&[Repair]>,
) -> Result<String> {
    let moves = super::sorted_moves(position, mode);
    let outcome = position.outcome();
    // After the end of the game there is nothing to claim.
    let fifty_moves = outcome.is_none() && position.can_claim_fifty_moves();
    let report = PositionReport {
        fen: position.to_string(),
        shredder_fen: position.fen(EnPassantMode::Legal, CastlingStyle::Shredder).to_string(),
        key: format!("{:016x}", position.key()),
        pawn_key: format!("{:016x}", position.pawn_key()),
        side_to_move: color_name(position.side_to_move()),
        castling: CastlingReport {
            rights: position.castling_rights().to_string(),
            rooks: super::castling_rooks(position).map(|rook| rook.to_string()).collect(),
        },
        en_passant: position.legal_en_passant().map(|square| square.to_string()),
        double_step: position.double_step().map(|square| square.to_string()),
        halfmove_clock: position.halfmove_clock(),
        fullmove_number: position.fullmove_number(),
        check: position.is_check(),
        checkers: squares(position.checkers()),
        pinned: ByColorReport::of(|color| squares(position.pinned(color))),
        bitboards: bitboards(position),
        pieces: position
            .board()
            .iter()
            .map(|(square, piece)| (square.to_string(), piece.to_char()))
            .collect(),
        legal_move_count: moves.len(),
        legal_moves: moves,
        outcome: outcome.map(|outcome| OutcomeReport {
            result: outcome.result(),
            reason: outcome.name().replace('-', "_"),
        }),
        claims: if fifty_moves { vec!["fifty_moves"] } else { Vec::new() },
        insufficient_material: ByColorReport::of(|color| position.cannot_mate(color)),
        dead_position: dead_position(position, mode),
        evaluation: evaluation(position),
        nnue: network.map(|network| network.evaluate(position)),
        nnue_pieces: network.map(|network| piece_values(position, network)),
        repairs: repairs.map(|repairs| repairs.iter().map(ToString::to_string).collect()),
    };
    Ok(serde_json::to_string(&report)?)
}

#[derive(Serialize)]
struct PositionReport {
    fen: String,
    shredder_fen: String,
    key: String,
    pawn_key: String,
    side_to_move: &'static str,
    castling: CastlingReport,
    en_passant: Option<String>,
    double_step: Option<String>,
    halfmove_clock: u32,
    fullmove_number: u32,
    check: bool,
    checkers: Vec<String>,
    pinned: ByColorReport<Vec<String>>,
    #[serde(serialize_with = "as_object")]
    bitboards: Vec<(String, String)>,
    #[serde(serialize_with = "as_object")]
    pieces: Vec<(String, char)>,
    legal_moves: Vec<String>,
    legal_move_count: usize,
    outcome: Option<OutcomeReport>,
    claims: Vec<&'static str>,
    insufficient_material: ByColorReport<bool>,
    dead_position: DeadPositionReport,
    evaluation: EvaluationReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    nnue: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_object")]
    nnue_pieces: Option<Vec<(String, i32)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Vec<String>>,
}

#[derive(Serialize)]
struct CastlingReport {
    rights: String,
    rooks: Vec<String>,
}

#[derive(Serialize)]
struct ByColorReport<T> {
    white: T,
    black: T,
}

impl<T> ByColorReport<T> {
    fn of(value: impl Fn(Color) -> T) -> ByColorReport<T> {
        ByColorReport { white: value(Color::White), black: value(Color::Black) }
    }
}

#[derive(Serialize)]
struct OutcomeReport {
    result: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct DeadPositionReport {
    verdict: &'static str,
    nodes: u64,
    helpmate: Option<HelpmateReport>,
}

#[derive(Serialize)]
struct HelpmateReport {
    winner: &'static str,
    moves: Vec<String>,
}

#[derive(Serialize)]
struct EvaluationReport {
    value: i32,
    phase: i32,
    scale: i32,
    terms: Vec<EvaluationTerm>,
}

#[derive(Serialize)]
struct EvaluationTerm {
    name: &'static str,
    white: [i32; 2],
    black: [i32; 2],
}

fn dead_position(position: &Position, mode: CastlingMode) -> DeadPositionReport {
    let mut search = DeadPositionSearch::new();
    let verdict = search.verdict(position);
    let (name, nodes) = (verdict.name(), search.searched());
    let helpmate = match verdict {
        DeadPositionVerdict::Alive(helpmate) => Some(HelpmateReport {
            winner: color_name(helpmate.winner),
            moves: helpmate.moves.iter().map(|mv| mv.uci(mode).to_string()).collect(),
        }),
        DeadPositionVerdict::Dead | DeadPositionVerdict::Unknown => None,
    };
    DeadPositionReport { verdict: name, nodes, helpmate }
}

fn evaluation(position: &Position) -> EvaluationReport {
    let explanation = ferz_eval::explain(position);
    let halves = |score: ferz_eval::TaperedScore| [score.mg(), score.eg()];
    let terms = explanation.rows.iter().map(|row| EvaluationTerm {
        name: row.term.name(),
        white: halves(row.white),
        black: halves(row.black),
    });
    EvaluationReport {
        value: explanation.value,
        phase: explanation.phase,
        scale: explanation.scale,
        terms: terms.collect(),
    }
}

fn piece_values(position: &Position, network: &Network) -> Vec<(String, i32)> {
    let values = network.piece_values(position);
    Square::ALL.iter().zip(values).filter_map(|(square, value)| Some((square.to_string(), value?))).collect()
}

/// Serialises a JSON object whose keys keep their order.
fn as_object<V: Serialize, S: Serializer>(entries: &[(String, V)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
}

fn as_optional_object<V: Serialize, S: Serializer>(
    entries: &Option<Vec<(String, V)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    as_object(entries.as_deref().unwrap_or_default(), serializer)
}

fn squares(set: Bitboard) -> Vec<String> {
    set.into_iter().map(|square: Square| square.to_string()).collect()
}

fn bitboards(position: &Position) -> Vec<(String, String)> {
    let by_piece = Piece::ALL.map(|piece| (piece.to_string().replace(' ', "_"), position.pieces(piece)));
    let by_color = Color::ALL.map(|color| (color_name(color).to_owned(), position.by_color(color)));
    let all = [("occupied".to_owned(), position.occupied())];
    let named = by_piece.into_iter().chain(by_color).chain(all);
    named.map(|(name, set)| (name, format!("0x{set:016x}"))).collect()
}

fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
