//! Checks facts with shakmaty's board. The code is independent: it follows the definitions of the facts alone.

use ferz_board::{CastlingMode, Move as OurMove, PieceType, Position as OurPosition, Square as OurSquare};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Chess, Color, File, Move, Piece, Position, Rank, Role, Square};

use super::super::{Change, Fact, PlacedPiece};

/// Whether a claim about a legal move is true.
pub(super) fn confirms(position: &OurPosition, mv: OurMove, fact: &Fact) -> bool {
    let fen: Fen = position.to_string().parse().expect("a FEN");
    let before: Chess = fen.into_position(shakmaty::CastlingMode::Standard).expect("a position");
    let uci: UciMove = mv.uci(CastlingMode::Standard).to_string().parse().expect("a move");
    let mv = uci.to_move(&before).expect("a legal move");
    Case::new(before, mv).confirms(fact)
}

/// Whether a claim about a move and the line after it is true.
pub(super) fn confirms_line(position: &OurPosition, line: &[OurMove], fact: &Fact) -> bool {
    let fen: Fen = position.to_string().parse().expect("a FEN");
    let mut boards: Vec<Chess> =
        vec![fen.into_position(shakmaty::CastlingMode::Standard).expect("a position")];
    let mut moves = Vec::new();
    for mv in line {
        let board = &boards[boards.len() - 1];
        let uci: UciMove = mv.uci(CastlingMode::Standard).to_string().parse().expect("a move");
        let mv = uci.to_move(board).expect("a legal move");
        let next = play(board, mv);
        moves.push(mv);
        boards.push(next);
    }
    match fact {
        Fact::Deflects { defender, target } => {
            let (from, goal) = (square(defender.square), square(target.square));
            let protects = |board: &Chess, by: Square| board.board().attacks_from(by).contains(goal);
            moves[1].from() == Some(from)
                && protects(&boards[0], from)
                && !protects(&boards[2], landing(moves[1]))
                && taken(&boards[2], moves[2]) == Some((role(target.piece), goal))
                && exchange(&boards[2], moves[2]) > 0
                && wins(&boards[0], goal) == 0
        }
        Fact::StalemateTrick => {
            let last = &boards[boards.len() - 1];
            last.is_stalemate() && last.turn() == boards[0].turn()
        }
        _ => confirms(position, line[0], fact),
    }
}

/// Whether a quiet position has what the explanation says of it, and the start of the line had not.
pub(super) fn confirms_change(start: &OurPosition, end: &OurPosition, change: &Change) -> bool {
    let board = |position: &OurPosition| {
        let fen: Fen = position.to_string().parse().expect("a FEN");
        fen.into_position::<Chess>(shakmaty::CastlingMode::Standard).expect("a position")
    };
    let (start, end) = (board(start), board(end));
    let color = |color: ferz_board::Color| match color {
        ferz_board::Color::White => Color::White,
        ferz_board::Color::Black => Color::Black,
    };
    let men = |position: &Chess, color, role| position.board().by_piece(Piece { color, role });
    match change {
        Change::BishopPair { color: side } => {
            let has_pair = |position: &Chess| {
                men(position, color(*side), Role::Bishop).count() >= 2
                    && men(position, !color(*side), Role::Bishop).count() < 2
            };
            has_pair(&end) && !has_pair(&start)
        }
        Change::PassedPawn { color: side, square: here } => {
            let here = square(*here);
            let had_one = men(&start, color(*side), Role::Pawn)
                .into_iter()
                .any(|it| it.file() == here.file() && passed(&start, it, color(*side)));
            men(&end, color(*side), Role::Pawn).contains(here) && passed(&end, here, color(*side)) && !had_one
        }
        Change::DoubledPawns { color: side, file } => {
            let pawns = |position: &Chess| {
                let pawns = men(position, color(*side), Role::Pawn);
                pawns.into_iter().filter(|it| it.file().char() == file.to_char()).count()
            };
            pawns(&end) > 1 && pawns(&start) < 2
        }
        Change::OpenKing { color: side } => {
            let side = color(*side);
            let cover = |position: &Chess| {
                let king = position.board().king_of(side).expect("a king");
                let is_cover = |it: &Square| {
                    let ahead =
                        if side == Color::White { it.rank() > king.rank() } else { it.rank() < king.rank() };
                    ahead && (it.file() as i32 - king.file() as i32).abs() < 2
                };
                men(position, side, Role::Pawn).into_iter().filter(is_cover).count()
            };
            cover(&end) == 0 && cover(&start) > 1 && men(&end, !side, Role::Queen).any()
        }
        Change::KingAttack { color: side, pieces } => {
            let attackers = |position: &Chess| {
                let board = position.board();
                let zone = shakmaty::attacks::king_attacks(board.king_of(!color(*side)).expect("a king"));
                let attackers =
                    board.by_color(color(*side)) & !board.by_role(Role::Pawn) & !board.by_role(Role::King);
                attackers.into_iter().filter(|&it| (board.attacks_from(it) & zone).any()).count()
            };
            attackers(&end) == *pieces as usize && attackers(&end) >= attackers(&start) + 2
        }
    }
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
            Fact::SmotheredMate => {
                let king = after.board().king_of(!self.us).expect("a king");
                let around = shakmaty::attacks::king_attacks(king);
                let knights = after.board().by_piece(Piece { color: self.us, role: Role::Knight });
                after.is_checkmate()
                    && checkers.is_subset(knights)
                    && around.is_subset(after.board().by_color(!self.us))
            }
            Fact::BackRankMate => {
                let king = after.board().king_of(!self.us).expect("a king");
                let home = if self.us == Color::White { Rank::Eighth } else { Rank::First };
                let front = shakmaty::attacks::king_attacks(king) & !Bitboard::from(home);
                after.is_checkmate()
                    && king.rank() == home
                    && checkers.into_iter().all(|it| {
                        let role = after.board().role_at(it);
                        it.rank() == home && [Some(Role::Rook), Some(Role::Queen)].contains(&role)
                    })
                    && front.is_subset(after.board().by_color(!self.us))
            }
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
                let is_big = |target: &PlacedPiece| worth(role(target.piece)) >= 5;
                targets.len() >= 2
                    && !self.is_pinned(self.to)
                    && (wins(after, self.to) == 0 || targets.iter().all(is_big))
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
                let here = square(man.square);
                let was_safe = || pass(before).is_some_and(|theirs| wins(&theirs, here) == 0);
                self.is_own(man)
                    && wins(after, here) >= gain(before, self.mv) + 2
                    && (here == self.to || was_safe())
            }
            Fact::RemovesDefender { defender, target } => {
                let here = square(target.square);
                let now = pass(after).map_or(0, |ours| wins(&ours, here));
                taken(before, self.mv) == Some((role(defender.piece), square(defender.square)))
                    && self.attacks(before, square(defender.square), here)
                    && self.is_enemy(target)
                    && wins(before, here) == 0
                    && now > 0
            }
            Fact::TakesOpposition { is_distant } => {
                let board = after.board();
                let [ours, theirs] = [self.us, !self.us].map(|color| board.king_of(color).expect("a king"));
                let distance = ours.distance(theirs);
                let is_facing = ours.file() == theirs.file() || ours.rank() == theirs.rank();
                let men = board.by_role(Role::Pawn) | board.by_role(Role::King);
                is_facing
                    && distance % 2 == 0
                    && *is_distant == (distance > 2)
                    && board.occupied() == men
                    && (shakmaty::attacks::between(ours, theirs) & board.occupied()).is_empty()
            }
            Fact::Outpost { square: here } => {
                let board = after.board();
                let pawns = |color| board.by_piece(Piece { color, role: Role::Pawn });
                let is_ahead = |it: Square| {
                    if self.us == Color::White {
                        it.rank() > self.to.rank()
                    } else {
                        it.rank() < self.to.rank()
                    }
                };
                let can_attack =
                    |it: &Square| (it.file() as i32 - self.to.file() as i32).abs() == 1 && is_ahead(*it);
                square(*here) == self.to
                    && self.mv.role() == Role::Knight
                    && (board.attacks_to(self.to, self.us, board.occupied()) & pawns(self.us)).any()
                    && !pawns(!self.us).into_iter().any(|it| can_attack(&it))
            }
            Fact::OccupiesCentre { square: here } => {
                square(*here) == self.to
                    && self.moved_role() == Role::Pawn
                    && ["d4", "e4", "d5", "e5"].contains(&here.to_string().as_str())
                    && wins(after, self.to) == 0
            }
            Fact::ChallengesCentre { target } => {
                target.piece == PieceType::Pawn
                    && self.is_enemy(target)
                    && self.moved_role() == Role::Pawn
                    && self.attacks(after, self.to, square(target.square))
            }
            Fact::SupportsCentre { pawn } => {
                let here = square(pawn.square);
                pawn.piece == PieceType::Pawn
                    && self.is_own(pawn)
                    && self.attacks(after, self.to, here)
                    && !self.attacks(before, self.from, here)
                    && after.board().attacks_to(here, !self.us, after.board().occupied()).any()
            }
            Fact::ActivatesKing => {
                let centre = [Square::D4, Square::E4, Square::D5, Square::E5];
                let distance = |from: Square| centre.into_iter().map(|it| it.distance(from)).min();
                self.mv.role() == Role::King
                    && after.board().by_role(Role::Queen).is_empty()
                    && distance(self.to) < distance(self.from)
            }
            Fact::MakesLuft { square: here } => {
                // The king alone: where it could go if it were its turn, off its rank.
                let flights = |position: &Chess| {
                    let board = position.board();
                    let king = board.king_of(self.us).expect("a king");
                    let is_free = |it: &Square| {
                        it.rank() != king.rank()
                            && !board.by_color(self.us).contains(*it)
                            && board.attacks_to(*it, !self.us, board.occupied()).is_empty()
                    };
                    shakmaty::attacks::king_attacks(king).into_iter().filter(is_free).collect::<Vec<_>>()
                };
                flights(before).is_empty() && flights(after).contains(&square(*here))
            }
            Fact::SeventhRank => {
                let seventh = if self.us == Color::White { Rank::Seventh } else { Rank::Second };
                self.mv.role() == Role::Rook && self.to.rank() == seventh
            }
            // Facts about a line; see `confirms_line`.
            Fact::Deflects { .. } | Fact::StalemateTrick => false,
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
