//! Checks facts with shakmaty's board. The code is independent: it follows the definitions of the facts alone.

use ferz_board::{CastlingMode, Move as OurMove, PieceType, Position as OurPosition, Square as OurSquare};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Chess, Color, File, Move, Piece, Position, Rank, Role, Square};

use super::super::{Fact, PlacedPiece};

/// Whether a claim about a legal move is true.
pub(super) fn confirms(position: &OurPosition, mv: OurMove, fact: &Fact) -> bool {
    let fen: Fen = position.to_string().parse().expect("a FEN");
    let before: Chess = fen.into_position(shakmaty::CastlingMode::Standard).expect("a position");
    let uci: UciMove = mv.uci(CastlingMode::Standard).to_string().parse().expect("a move");
    let mv = uci.to_move(&before).expect("a legal move");
    Case::new(before, mv).confirms(fact)
}

struct Case {
    before: Chess,
    after: Chess,
    mv: Move,
    us: Color,
    from: Square,
    to: Square,
}

fn square(square: OurSquare) -> Square {
    square.to_string().parse().expect("a square")
}

fn role(piece: PieceType) -> Role {
    Role::from_char(piece.to_char()).expect("a piece")
}

fn worth(role: Role) -> i32 {
    [0, 1, 3, 3, 5, 9, 100][role as usize]
}

/// The captured piece and its square.
fn taken(position: &Chess, mv: Move) -> Option<(Role, Square)> {
    match mv {
        Move::EnPassant { from, to } => Some((Role::Pawn, Square::from_coords(to.file(), from.rank()))),
        Move::Castle { .. } => None,
        _ => position.board().role_at(mv.to()).map(|role| (role, mv.to())),
    }
}

fn gain(position: &Chess, mv: Move) -> i32 {
    taken(position, mv).map_or(0, |(role, _)| worth(role)) + mv.promotion().map_or(0, |role| worth(role) - 1)
}

fn play(position: &Chess, mv: Move) -> Chess {
    position.clone().play(mv).expect("legal")
}

/// The material that the side to move wins on a square: the least valuable piece captures, of equals the one on the
/// lower square.
fn wins(position: &Chess, square: Square) -> i32 {
    let mut capture: Option<(i32, Square, Move)> = None;
    for mv in position.legal_moves() {
        let is_queen_or_none = mv.promotion().is_none_or(|role| role == Role::Queen);
        if is_queen_or_none && taken(position, mv).is_some_and(|(_, victim)| victim == square) {
            let from = mv.from().expect("no drops");
            let candidate = (worth(mv.role()), from, mv);
            if capture.is_none_or(|(worth, from, _)| (candidate.0, candidate.1) < (worth, from)) {
                capture = Some(candidate);
            }
        }
    }
    let Some((_, _, mv)) = capture else { return 0 };
    (gain(position, mv) - wins(&play(position, mv), mv.to())).max(0)
}

fn exchange(position: &Chess, mv: Move) -> i32 {
    gain(position, mv) - wins(&play(position, mv), landing(mv))
}

fn landing(mv: Move) -> Square {
    match mv {
        Move::Castle { king, rook } => {
            Square::from_coords(if rook > king { File::G } else { File::C }, king.rank())
        }
        _ => mv.to(),
    }
}

fn passed(position: &Chess, square: Square, color: Color) -> bool {
    let enemies = position.board().by_piece(Piece { color: !color, role: Role::Pawn });
    !enemies.into_iter().any(|pawn| {
        let beside = (pawn.file() as i32 - square.file() as i32).abs() <= 1;
        let ahead =
            if color == Color::White { pawn.rank() > square.rank() } else { pawn.rank() < square.rank() };
        beside && ahead
    })
}

/// The position after a null move; `None` in check.
fn pass(position: &Chess) -> Option<Chess> {
    if position.is_check() { None } else { position.clone().swap_turn().ok() }
}

impl Case {
    fn new(before: Chess, mv: Move) -> Case {
        let (us, from, to) = (before.turn(), mv.from().expect("no drops"), landing(mv));
        Case { after: play(&before, mv), before, mv, us, from, to }
    }

    /// Whether such a piece of the opponent stands there now.
    fn is_enemy(&self, man: &PlacedPiece) -> bool {
        self.after.board().piece_at(square(man.square))
            == Some(Piece { color: !self.us, role: role(man.piece) })
    }

    fn is_own(&self, man: &PlacedPiece) -> bool {
        self.after.board().piece_at(square(man.square))
            == Some(Piece { color: self.us, role: role(man.piece) })
    }

    fn attacks(&self, position: &Chess, from: Square, to: Square) -> bool {
        position.board().attacks_from(from).contains(to)
    }

    /// Worth more than the attacker, or unprotected, or the king.
    fn is_target(&self, attacker: Role, man: &PlacedPiece) -> bool {
        let board = self.after.board();
        let protectors = board.attacks_to(square(man.square), !self.us, board.occupied());
        let target = role(man.piece);
        self.is_enemy(man)
            && (target == Role::King
                || worth(target) > worth(attacker)
                || target != Role::Pawn && protectors.is_empty())
    }

    fn moved_role(&self) -> Role {
        self.after.board().role_at(self.to).expect("a piece")
    }

    /// Whether the moved piece sees one square through another, and only so.
    fn sees_through(&self, front: Square, behind: Square) -> bool {
        let board = self.after.board();
        let seen = |occupied: Bitboard| board.attacks_to(behind, self.us, occupied).contains(self.to);
        let on_line = shakmaty::attacks::between(self.to, behind).contains(front);
        on_line
            && !seen(board.occupied())
            && seen(board.occupied().without(front))
            && self.attacks(&self.after, self.to, front)
    }

    /// Whether the king of the same side would be attacked without the piece.
    fn is_pinned(&self, square: Square) -> bool {
        let board = self.after.board();
        let king = board.king_of(self.us).expect("a king");
        let attackers = |occupied| board.attacks_to(king, !self.us, occupied);
        square != king && attackers(board.occupied().without(square)) != attackers(board.occupied())
    }

    fn was_in_danger(&self, square: Square) -> bool {
        pass(&self.before).is_some_and(|theirs| wins(&theirs, square) > 0)
    }

    fn confirms(&self, fact: &Fact) -> bool {
        let (before, after) = (&self.before, &self.after);
        let checkers = after.checkers();
        match fact {
            Fact::Checkmate => after.is_checkmate(),
            Fact::Stalemate => after.is_stalemate(),
            Fact::Check => checkers.count() == 1 && (checkers.contains(self.to) || self.mv.is_castle()),
            Fact::DoubleCheck => checkers.count() == 2,
            Fact::DiscoveredCheck { by } => {
                self.is_own(by)
                    && square(by.square) != self.to
                    && checkers == Bitboard::from(square(by.square))
            }
            Fact::Captures { victim, is_free } => {
                let can_retake = |&mv: &Move| taken(after, mv).is_some_and(|(_, victim)| victim == self.to);
                let answers = after.legal_moves();
                taken(before, self.mv) == Some((role(victim.piece), square(victim.square)))
                    && *is_free == (!answers.is_empty() && !answers.iter().any(can_retake))
            }
            Fact::Trades { own, other } => {
                self.mv.role() == role(*own)
                    && taken(before, self.mv).is_some_and(|(taken, _)| taken == role(*other))
                    && worth(role(*own)) == worth(role(*other))
                    && exchange(before, self.mv) == 0
            }
            Fact::Promotes { to } => self.mv.promotion() == Some(role(*to)),
            Fact::Castles { side } => {
                let is_short = *side == ferz_board::CastlingSide::King;
                self.mv.is_castle() && (self.to.file() == File::G) == is_short
            }
            Fact::Forks { targets } => {
                targets.len() >= 2
                    && !self.is_pinned(self.to)
                    && wins(after, self.to) == 0
                    && targets.iter().all(|target| {
                        self.attacks(after, self.to, square(target.square))
                            && self.is_target(self.moved_role(), target)
                    })
            }
            Fact::Attacks { target } => {
                !self.is_pinned(self.to)
                    && self.attacks(after, self.to, square(target.square))
                    && self.is_target(self.moved_role(), target)
            }
            Fact::ThreatensCapture { target } => {
                let now = pass(after).map_or(0, |ours| wins(&ours, square(target.square)));
                self.is_enemy(target) && now > 0 && wins(before, square(target.square)) == 0
            }
            Fact::DiscoveredAttack { by, target } => {
                let (from, to) = (square(by.square), square(target.square));
                self.is_own(by)
                    && from != self.to
                    && self.attacks(after, from, to)
                    && !self.attacks(before, from, to)
                    && self.is_target(role(by.piece), target)
            }
            Fact::PinsToKing { pinned } => {
                let king = after.board().king_of(!self.us).expect("a king");
                self.is_enemy(pinned) && self.sees_through(square(pinned.square), king)
            }
            Fact::PinsToQueen { pinned, queen } => {
                queen.piece == PieceType::Queen
                    && self.is_enemy(pinned)
                    && self.is_enemy(queen)
                    && self.sees_through(square(pinned.square), square(queen.square))
            }
            Fact::Skewers { front, behind } => {
                self.is_enemy(front)
                    && self.is_enemy(behind)
                    && worth(role(front.piece)) > worth(self.moved_role())
                    && self.sees_through(square(front.square), square(behind.square))
            }
            Fact::Traps { target } => {
                let here = square(target.square);
                let wherever = |&mv: &Move| mv.from() != Some(here) || exchange(after, mv) < 0;
                let can_win = pass(after).is_some_and(|ours| wins(&ours, here) > 0);
                self.is_enemy(target) && can_win && after.legal_moves().iter().all(wherever)
            }
            Fact::ThreatensMate { with } => pass(after).is_some_and(|ours| {
                let san: San = with.trim_end_matches(['+', '#']).parse().expect("SAN");
                san.to_move(&ours).is_ok_and(|mv| play(&ours, mv).is_checkmate())
            }),
            Fact::Escapes { piece, from } => {
                square(*from) == self.from
                    && self.mv.role() == role(*piece)
                    && self.was_in_danger(self.from)
                    && wins(after, self.to) == 0
            }
            Fact::Protects { man } => {
                let here = square(man.square);
                self.is_own(man)
                    && self.was_in_danger(here)
                    && wins(after, here) == 0
                    && self.attacks(after, self.to, here)
            }
            Fact::Shields { man } => {
                let here = square(man.square);
                let attackers = before.board().attacks_to(here, !self.us, before.board().occupied());
                self.is_own(man)
                    && self.was_in_danger(here)
                    && wins(after, here) == 0
                    && attackers.into_iter().any(|it| shakmaty::attacks::between(it, here).contains(self.to))
            }
            Fact::Offers { man } => {
                square(man.square) == self.to && self.is_own(man) && exchange(before, self.mv) < 0
            }
            Fact::MakesPassedPawn { square: here } => {
                square(*here) == self.to
                    && self.moved_role() == Role::Pawn
                    && passed(after, self.to, self.us)
                    && (!passed(before, self.from, self.us) || self.mv.is_en_passant())
            }
            Fact::AdvancesPassedPawn { square: here, steps_left } => {
                let last = if self.us == Color::White { Rank::Eighth } else { Rank::First };
                square(*here) == self.to
                    && self.moved_role() == Role::Pawn
                    && passed(after, self.to, self.us)
                    && passed(before, self.from, self.us)
                    && (last as i32 - self.to.rank() as i32).unsigned_abs() == *steps_left
            }
            Fact::Develops { piece } => {
                let home = if self.us == Color::White { Rank::First } else { Rank::Eighth };
                let start = Chess::default();
                self.mv.role() == role(*piece)
                    && self.from.rank() == home
                    && self.to.rank() != home
                    && start.board().piece_at(self.from) == before.board().piece_at(self.from)
            }
            Fact::TakesOpenFile { file } => {
                let pawns = after.board().by_role(Role::Pawn);
                let on_file = |it: Square| it.file().char() == file.to_char();
                self.mv.role() == Role::Rook && on_file(self.to) && !pawns.into_iter().any(on_file)
            }
        }
    }
}
