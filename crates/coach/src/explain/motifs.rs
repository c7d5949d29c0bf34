//! Finds the facts about a move.

use ferz_board::{Bitboard, Color, File, Move, MoveKind, Piece, PieceType, Position, Rank, Square, attacks};
use ferz_notation::san::San;

use super::exchange::{capture_gain, captured, exchange, gain, worth};
use super::{Fact, PlacedPiece};

/// The squares of the centre.
const CENTRE: [Square; 4] = [Square::D4, Square::E4, Square::D5, Square::E5];
/// A piece given up for at least this much is an offer.
const LEAST_OFFER: i32 = 2;

/// The facts about a legal move, the most important first.
#[must_use]
pub fn facts(position: &Position, mv: Move) -> Vec<Fact> {
    let Some(deed) = Deed::new(position, mv) else { return Vec::new() };
    let mut facts = Vec::new();
    deed.captures(&mut facts);
    if let Some(to) = mv.promotion() {
        facts.push(Fact::Promotes { to });
    }
    if let Some(side) = mv.castling_side() {
        facts.push(Fact::Castles { side });
    }
    deed.checks(&mut facts);
    if facts.iter().any(|fact| matches!(fact, Fact::Checkmate | Fact::Stalemate)) {
        // Nothing else matters after mate or stalemate.
        facts.extend(deed.mate_pattern());
        return facts;
    }
    if !mv.is_castling() {
        deed.attacks(&mut facts);
        deed.lines(&mut facts);
    }
    deed.traps(&mut facts);
    deed.removes_defender(&mut facts);
    deed.capture_threats(&mut facts);
    facts.extend(deed.mate_threat());
    deed.offers(&mut facts);
    deed.saves(&mut facts);
    deed.pawns_and_files(&mut facts);
    deed.centre(&mut facts);
    facts.extend(deed.opposition());
    if deed.activates_king() {
        facts.push(Fact::ActivatesKing);
    }
    facts
}

/// The facts about the first move of an expected line that only the next moves show.
#[must_use]
pub fn line_facts(position: &Position, line: &[Move]) -> Vec<Fact> {
    deflection(position, line).into_iter().chain(stalemate_trick(position, line)).collect()
}

fn deflection(position: &Position, line: &[Move]) -> Option<Fact> {
    let &[first, reply, capture, ..] = line else { return None };
    let mut after = *position;
    after.play(first).ok()?;
    let (_, goal) = captured(position, capture).filter(|&(_, square)| square != first.destination())?;
    let defender = PlacedPiece::at(&after, reply.from())?;
    let target = PlacedPiece::at(&after, goal)?;
    let protects =
        |position: &Position, square: Square| position.attackers_to(goal).contains(square) && square != goal;
    let mut answered = after;
    answered.play(reply).ok()?;
    let is_lured = reply.destination() == first.destination() || after.is_check();
    let is_away = !protects(&answered, reply.destination());
    // The piece that captures and the piece captured were there before.
    let is_there = PlacedPiece::at(position, goal) == Some(target)
        && position.piece_at(capture.from()) == answered.piece_at(capture.from());
    let wins = answered.is_legal(capture) && exchange(&answered, capture) > 0;
    let is_deflection = is_lured
        && is_there
        && wins
        && reply.from() != goal
        && worth(target.piece) >= worth(PieceType::Knight)
        && protects(position, defender.square)
        && is_away
        && capture_gain(position, goal) == 0;
    is_deflection.then_some(Fact::Deflects { defender, target })
}

fn stalemate_trick(position: &Position, line: &[Move]) -> Option<Fact> {
    let us = position.side_to_move();
    let mut end = *position;
    line.iter().try_for_each(|&mv| end.play(mv)).ok()?;
    let is_stalemated = !end.is_check() && !end.has_legal_moves() && end.side_to_move() == us;
    (is_stalemated && material(position, us) < material(position, !us)).then_some(Fact::StalemateTrick)
}

/// The worth of a side's pieces without the king.
fn material(position: &Position, color: Color) -> i32 {
    super::line::COUNTED
        .into_iter()
        .map(|piece| worth(piece) * position.pieces(piece.of(color)).len() as i32)
        .sum()
}

/// A move with the positions before and after it.
struct Deed<'a> {
    before: &'a Position,
    after: Position,
    mv: Move,
    us: Color,
    /// The piece that moves, before the move.
    mover: PieceType,
    from: Square,
    to: Square,
    /// The piece after the move: the same, or the promoted one.
    placed: Piece,
}

impl Deed<'_> {
    fn new(before: &Position, mv: Move) -> Option<Deed<'_>> {
        let mut after = *before;
        after.play(mv).ok()?;
        let (from, to) = (mv.from(), mv.destination());
        Some(Deed {
            before,
            after,
            mv,
            us: before.side_to_move(),
            mover: before.piece_at(from)?.piece_type(),
            from,
            to,
            placed: after.piece_at(to)?,
        })
    }

    fn theirs(&self) -> Bitboard {
        self.after.by_color(!self.us)
    }

    /// Whether an enemy piece attacks a square, so that it could recapture there.
    fn is_protected(&self, square: Square) -> bool {
        self.after.attackers_to(square).intersects(self.theirs())
    }

    fn is_pinned(&self, square: Square) -> bool {
        self.after.pinned(self.us).contains(square)
    }

    /// Whether an attack on an enemy piece is a real threat.
    fn is_worth_attacking(&self, attacker: PieceType, target: PlacedPiece) -> bool {
        match target.piece {
            PieceType::King => true,
            piece if worth(piece) > worth(attacker) => true,
            PieceType::Pawn => false,
            _ => !self.is_protected(target.square),
        }
    }

    fn men(&self, set: Bitboard) -> impl Iterator<Item = PlacedPiece> {
        set.into_iter().filter_map(|square| PlacedPiece::at(&self.after, square))
    }

    fn checks(&self, facts: &mut Vec<Fact>) {
        let checkers = self.after.checkers();
        if !self.after.has_legal_moves() {
            facts.push(if checkers.any() { Fact::Checkmate } else { Fact::Stalemate });
        } else if checkers.is_several() {
            facts.push(Fact::DoubleCheck);
        } else if let Some(by) = checkers.first().and_then(|square| PlacedPiece::at(&self.after, square)) {
            let is_direct = by.square == self.to || self.mv.is_castling();
            facts.push(if is_direct { Fact::Check } else { Fact::DiscoveredCheck { by } });
        }
    }

    fn captures(&self, facts: &mut Vec<Fact>) {
        let Some((piece, square)) = captured(self.before, self.mv) else { return };
        let is_retaking = |mv: Move| captured(&self.after, mv).is_some_and(|(_, victim)| victim == self.to);
        let answers = self.after.legal_moves();
        let is_free = !answers.is_empty() && !answers.into_iter().any(is_retaking);
        facts.push(Fact::Captures { victim: PlacedPiece { piece, square }, is_free });
        let is_even = exchange(self.before, self.mv) == 0 && capture_gain(&self.after, self.to) > 0;
        if is_even && self.mv.promotion().is_none() && worth(piece) == worth(self.mover) {
            facts.push(Fact::Trades { own: self.mover, other: piece });
        }
    }

    /// The pieces that the moved piece attacks from its new square; a pinned piece threatens nothing.
    fn attacks(&self, facts: &mut Vec<Fact>) {
        if self.is_pinned(self.to) {
            return;
        }
        let attacked = |position: &Position, piece, square| attacks::of(piece, square, position.occupied());
        let mover = self.mover.of(self.us);
        let before = attacked(self.before, mover, self.from);
        let now = attacked(&self.after, self.placed, self.to) & self.theirs();
        let placed = self.placed.piece_type();
        let targets: Vec<PlacedPiece> =
            self.men(now).filter(|&man| self.is_worth_attacking(placed, man)).collect();
        // Ignore attacks that existed before the move.
        let is_new = |man: &PlacedPiece| !before.contains(man.square) || placed != self.mover;
        let is_safe = capture_gain(&self.after, self.to) == 0;
        let is_big = |man: &PlacedPiece| worth(man.piece) >= worth(PieceType::Rook);
        match &targets[..] {
            [_, _, ..] if (is_safe || targets.iter().all(is_big)) && targets.iter().any(is_new) => {
                facts.push(Fact::Forks { targets });
            }
            _ => {
                let fresh = targets.into_iter().filter(|man| is_new(man) && man.piece != PieceType::King);
                facts.extend(fresh.map(|target| Fact::Attacks { target }));
            }
        }
    }

    /// Pins, skewers and discovered attacks.
    fn lines(&self, facts: &mut Vec<Fact>) {
        let occupied = self.after.occupied();
        let placed = self.placed.piece_type();
        if matches!(placed, PieceType::Bishop | PieceType::Rook | PieceType::Queen) {
            let in_reach = attacks::of(self.placed, self.to, occupied);
            for front in self.men(in_reach & self.theirs()) {
                let beyond = attacks::of(self.placed, self.to, occupied.without(front.square)) - in_reach;
                let behind = self.men(beyond & self.theirs() & attacks::line(self.to, front.square)).next();
                facts.extend(behind.and_then(|behind| self.in_one_line(front, behind)));
            }
        }
        let opened = self.after.by_color(self.us).without(self.to);
        for by in self.men(opened) {
            let piece = by.piece.of(self.us);
            let is_slider = matches!(by.piece, PieceType::Bishop | PieceType::Rook | PieceType::Queen);
            let stood_there = self.before.piece_at(by.square) == Some(piece);
            if !is_slider || !stood_there || self.is_pinned(by.square) {
                continue;
            }
            let now = attacks::of(piece, by.square, occupied);
            let before = attacks::of(piece, by.square, self.before.occupied());
            for target in self.men((now - before) & self.theirs()) {
                let is_opened = attacks::between(by.square, target.square).contains(self.from);
                if is_opened && target.piece != PieceType::King && self.is_worth_attacking(by.piece, target) {
                    facts.push(Fact::DiscoveredAttack { by, target });
                }
            }
        }
    }

    /// The pin or skewer of two enemy pieces on a line of the moved piece.
    fn in_one_line(&self, front: PlacedPiece, behind: PlacedPiece) -> Option<Fact> {
        let placed = worth(self.placed.piece_type());
        let was_pinned = || self.before.pinned(!self.us).contains(front.square);
        match (front.piece, behind.piece) {
            (_, PieceType::King) => (!was_pinned()).then_some(Fact::PinsToKing { pinned: front }),
            (PieceType::Knight | PieceType::Bishop | PieceType::Rook, PieceType::Queen)
                if placed < worth(PieceType::Queen) =>
            {
                Some(Fact::PinsToQueen { pinned: front, queen: behind })
            }
            (first, second)
                if worth(first) > placed
                    && worth(first) > worth(second)
                    && self.is_worth_attacking(self.placed.piece_type(), behind) =>
            {
                Some(Fact::Skewers { front, behind })
            }
            _ => None,
        }
    }

    /// Enemy pieces that are trapped.
    fn traps(&self, facts: &mut Vec<Fact>) {
        let (Some(ours), Some(theirs)) = (self.after.null_move(), self.before.null_move()) else { return };
        let pieces =
            self.theirs() - self.after.by_type(PieceType::Pawn) - self.after.by_type(PieceType::King);
        for target in self.men(pieces) {
            let is_trapped_now = is_trapped(&ours, &self.after, target.square);
            if is_trapped_now && !is_trapped(self.before, &theirs, target.square) {
                facts.push(Fact::Traps { target });
            }
        }
    }

    /// Enemy pieces that can be captured next, by any piece, and are not in the facts yet.
    fn capture_threats(&self, facts: &mut Vec<Fact>) {
        let Some(ours) = self.after.null_move() else { return };
        let mentioned: Vec<PlacedPiece> = facts.iter().flat_map(Fact::targets).copied().collect();
        for target in self.men(self.theirs() - self.after.by_type(PieceType::King)) {
            let is_new =
                capture_gain(&ours, target.square) > 0 && capture_gain(self.before, target.square) == 0;
            if is_new && !mentioned.contains(&target) {
                facts.push(Fact::ThreatensCapture { target });
            }
        }
    }

    fn mate_threat(&self) -> Option<Fact> {
        let idle = self.after.null_move()?;
        let is_mate = |&mv: &Move| {
            let mut next = idle;
            next.play_unchecked(mv);
            next.is_check() && !next.has_legal_moves()
        };
        let mv = idle.legal_moves().into_iter().find(is_mate)?;
        Some(Fact::ThreatensMate { with: San::new(&idle, mv).to_string() })
    }

    /// The most valuable piece that the move offers.
    fn offers(&self, facts: &mut Vec<Fact>) {
        if self.mv.is_castling() {
            return;
        }
        let won = gain(self.before, self.mv);
        let theirs = self.before.null_move();
        let was_safe = |square| theirs.is_some_and(|theirs| capture_gain(&theirs, square) == 0);
        let is_offered = |man: &PlacedPiece| {
            capture_gain(&self.after, man.square) - won >= LEAST_OFFER
                && (man.square == self.to || was_safe(man.square))
        };
        let own = self.men(self.after.by_color(self.us) - self.after.by_type(PieceType::King));
        let offered = own.filter(is_offered).max_by_key(|man| worth(man.piece));
        facts.extend(offered.map(|man| Fact::Offers { man }));
    }

    /// The name of the mate that is on the board.
    fn mate_pattern(&self) -> Option<Fact> {
        let king = self.after.pieces(PieceType::King.of(!self.us)).first()?;
        let checker =
            self.after.checkers().first().and_then(|square| PlacedPiece::at(&self.after, square))?;
        let around = attacks::of(PieceType::King.of(!self.us), king, Bitboard::EMPTY);
        if checker.piece == PieceType::Knight && (around - self.theirs()).is_empty() {
            return Some(Fact::SmotheredMate);
        }
        let is_along = matches!(checker.piece, PieceType::Rook | PieceType::Queen)
            && checker.square.rank() == king.rank()
            && king.relative_to(!self.us).rank() == Rank::First;
        let front = around - Bitboard::from_rank(king.rank());
        (is_along && (front - self.theirs()).is_empty()).then_some(Fact::BackRankMate)
    }

    /// Captures of a piece that protected something.
    fn removes_defender(&self, facts: &mut Vec<Fact>) {
        let Some((piece, square)) = captured(self.before, self.mv) else { return };
        let Some(ours) = self.after.null_move() else { return };
        let protected = attacks::of(piece.of(!self.us), square, self.before.occupied()) & self.theirs();
        // The moved piece may be recaptured before it captures again.
        let wins = |target: Square| {
            let wins = |mv: &Move| mv.from() != self.to && exchange(&ours, *mv) > 0;
            ours.legal_moves().into_iter().filter(|mv| mv.to() == target).any(|mv| wins(&mv))
        };
        for target in self.men(protected - self.after.by_type(PieceType::King)) {
            let is_new = worth(target.piece) >= worth(PieceType::Knight)
                && capture_gain(self.before, target.square) == 0
                && capture_gain(&ours, target.square) > 0
                && wins(target.square);
            if is_new {
                facts.push(Fact::RemovesDefender { defender: PlacedPiece { piece, square }, target });
            }
        }
    }

    /// Pawns in the centre that the moved piece attacks or protects.
    fn centre(&self, facts: &mut Vec<Fact>) {
        let centre: Bitboard = CENTRE.into_iter().collect();
        let now = attacks::of(self.placed, self.to, self.after.occupied()) & centre;
        let before = attacks::of(self.mover.of(self.us), self.from, self.before.occupied());
        let pawns = |color: Color| self.after.pieces(PieceType::Pawn.of(color));
        if self.placed.piece_type() == PieceType::Pawn {
            facts.extend(self.men(now & pawns(!self.us)).map(|target| Fact::ChallengesCentre { target }));
        }
        if matches!(self.placed.piece_type(), PieceType::Pawn | PieceType::Knight | PieceType::Bishop) {
            let is_attacked =
                |pawn: &PlacedPiece| self.after.attackers_to(pawn.square).intersects(self.theirs());
            let mentioned = |pawn: &PlacedPiece| facts.contains(&Fact::Protects { man: *pawn });
            let supported = self.men((now & pawns(self.us)) - before);
            let supported: Vec<_> = supported.filter(|pawn| is_attacked(pawn) && !mentioned(pawn)).collect();
            facts.extend(supported.into_iter().map(|pawn| Fact::SupportsCentre { pawn }));
        }
    }

    fn activates_king(&self) -> bool {
        let pieces = |color| {
            let others = self.after.by_type(PieceType::Pawn) | self.after.by_type(PieceType::King);
            (self.after.by_color(color) - others).len()
        };
        let distance = |square: Square| CENTRE.into_iter().map(|centre| centre.distance(square)).min();
        self.mover == PieceType::King
            && !self.mv.is_castling()
            && self.after.by_type(PieceType::Queen).is_empty()
            && Color::ALL.into_iter().all(|color| pieces(color) <= 1)
            && distance(self.to) < distance(self.from)
    }

    fn opposition(&self) -> Option<Fact> {
        let pieces = self.after.by_type(PieceType::Pawn) | self.after.by_type(PieceType::King);
        if self.mover != PieceType::King || self.mv.is_castling() || self.after.occupied() != pieces {
            return None;
        }
        let king = self.after.pieces(PieceType::King.of(!self.us)).first()?;
        let is_facing = king.file() == self.to.file() || king.rank() == self.to.rank();
        let between = attacks::between(self.to, king);
        let is_opposition = is_facing && between.len() % 2 == 1 && !between.intersects(self.after.occupied());
        is_opposition.then_some(Fact::TakesOpposition { is_distant: between.len() > 1 })
    }

    /// Whether a knight stands where a pawn protects it and no enemy pawn can attack it.
    fn is_outpost(&self) -> bool {
        let here = self.to.relative_to(self.us);
        let pawn = PieceType::Pawn;
        let protectors =
            attacks::of(pawn.of(!self.us), self.to, Bitboard::EMPTY) & self.after.pieces(pawn.of(self.us));
        let can_attack = |enemy: Square| {
            let enemy = enemy.relative_to(self.us);
            enemy.rank() > here.rank() && enemy.file().index().abs_diff(here.file().index()) == 1
        };
        (Rank::Fourth..=Rank::Sixth).contains(&here.rank())
            && protectors.any()
            && !self.after.pieces(pawn.of(!self.us)).into_iter().any(can_attack)
    }

    /// The square that a king on its back rank can now go to.
    fn luft(&self) -> Option<Square> {
        let king = self.before.pieces(PieceType::King.of(self.us)).first()?;
        let around = attacks::of(PieceType::King.of(self.us), king, Bitboard::EMPTY);
        let home = Bitboard::from_rank(king.rank());
        let is_on_wing = !matches!(king.file(), File::D | File::E | File::F);
        if !is_on_wing
            || king.relative_to(self.us).rank() != Rank::First
            || !around.contains(self.from)
            || home.contains(self.from)
        {
            return None;
        }
        let flights = |position: &Position| {
            let is_attacked =
                |square: Square| position.attackers_to(square).intersects(position.by_color(!self.us));
            let free = around - home - position.by_color(self.us);
            free.into_iter().find(|&square| !is_attacked(square))
        };
        flights(&self.after).filter(|_| flights(self.before).is_none())
    }

    /// Pieces that were in danger and no longer are.
    fn saves(&self, facts: &mut Vec<Fact>) {
        let Some(theirs) = self.before.null_move() else { return };
        let was_in_danger = |square| capture_gain(&theirs, square) > 0;
        let is_safe = |square| capture_gain(&self.after, square) == 0;
        let is_piece = !matches!(self.mover, PieceType::Pawn | PieceType::King);
        if is_piece && was_in_danger(self.from) && is_safe(self.to) {
            facts.push(Fact::Escapes { piece: self.mover, from: self.from });
        }
        let others = self.before.by_color(self.us).without(self.from) & self.after.by_color(self.us);
        let saved = others.into_iter().filter(|&square| was_in_danger(square) && is_safe(square));
        let covered = attacks::of(self.placed, self.to, self.after.occupied());
        for man in saved.filter_map(|square| PlacedPiece::at(&self.after, square)) {
            let attackers = self.before.attackers_to(man.square) & self.theirs();
            let stands_between = |attacker: Square| attacks::between(attacker, man.square).contains(self.to);
            if covered.contains(man.square) {
                facts.push(Fact::Protects { man });
            } else if attackers.into_iter().any(stands_between) {
                facts.push(Fact::Shields { man });
            }
        }
    }

    fn pawns_and_files(&self, facts: &mut Vec<Fact>) {
        let (square, us) = (self.to, self.us);
        match self.placed.piece_type() {
            PieceType::Pawn if is_passed(&self.after, square, us) => {
                if self.mv.kind() != MoveKind::EnPassant && is_passed(self.before, self.from, us) {
                    let steps_left = 7 - square.relative_to(us).rank().index() as u32;
                    facts.push(Fact::AdvancesPassedPawn { square, steps_left });
                } else {
                    facts.push(Fact::MakesPassedPawn { square });
                }
            }
            PieceType::Pawn => {
                let is_central = [File::D, File::E].contains(&square.file())
                    && [Rank::Fourth, Rank::Fifth].contains(&square.rank());
                if is_central && capture_gain(&self.after, square) == 0 {
                    facts.push(Fact::OccupiesCentre { square });
                }
                facts.extend(self.luft().map(|square| Fact::MakesLuft { square }));
            }
            piece @ (PieceType::Knight | PieceType::Bishop) if self.is_first_move() => {
                facts.push(Fact::Develops { piece });
            }
            PieceType::Knight if self.is_outpost() => facts.push(Fact::Outpost { square }),
            PieceType::Rook if self.mover == PieceType::Rook && !self.mv.is_castling() => {
                let seventh =
                    square.relative_to(us).rank() == Rank::Seventh && self.from.rank() != square.rank();
                let enemy_king = self.after.pieces(PieceType::King.of(!us)).first();
                let is_king_behind =
                    enemy_king.is_some_and(|king| king.relative_to(us).rank() == Rank::Eighth);
                let on_seventh =
                    self.after.pieces(PieceType::Pawn.of(!us)) & Bitboard::from_rank(square.rank());
                if seventh && (is_king_behind || on_seventh.any()) {
                    facts.push(Fact::SeventhRank);
                }
                let pawns = self.after.by_type(PieceType::Pawn);
                let is_open = |file| !pawns.intersects(Bitboard::from_file(file));
                if is_open(square.file()) && square.file() != self.from.file() {
                    facts.push(Fact::TakesOpenFile { file: square.file() });
                }
            }
            _ => {}
        }
    }

    /// Whether a knight or bishop leaves its start square.
    fn is_first_move(&self) -> bool {
        let files = match self.mover {
            PieceType::Knight => [File::B, File::G],
            PieceType::Bishop => [File::C, File::F],
            _ => return false,
        };
        let home = self.from.relative_to(self.us);
        home.rank() == Rank::First
            && files.contains(&home.file())
            && self.to.relative_to(self.us).rank() != Rank::First
    }
}

/// Whether an enemy piece is trapped: it can be captured with profit where it is and wherever it goes. `ours` and
/// `theirs` are the same position with either side to move.
fn is_trapped(ours: &Position, theirs: &Position, square: Square) -> bool {
    capture_gain(ours, square) > 0
        && theirs
            .legal_moves()
            .into_iter()
            .filter(|mv| mv.from() == square)
            .all(|mv| exchange(theirs, mv) < 0)
}

/// Whether a pawn is passed: no enemy pawn is ahead of it on its file or a neighbouring one.
pub(super) fn is_passed(position: &Position, square: Square, us: Color) -> bool {
    let ahead = |pawn: Square| {
        let (pawn, square) = (pawn.relative_to(us), square.relative_to(us));
        pawn.rank() > square.rank() && pawn.file().index().abs_diff(square.file().index()) <= 1
    };
    !position.pieces(PieceType::Pawn.of(!us)).into_iter().any(ahead)
}
