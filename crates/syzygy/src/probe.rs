//! From values of tables to results of positions.
//!
//! Tables leave out what a short search finds. A WDL value is a lower bound if there are captures, en passant is not
//! known, and DTZ tables have only one side to move and only positions whose best move is not a capture or pawn move.

use std::cmp::Reverse;

use ferz_board::{MoveList, PieceType, Position};

use crate::{Damage, Dtz, Material, MoveVerdict, ProbeError, TableKind, Tablebases, Wdl};

/// Probes of these tables.
#[derive(Clone, Copy)]
pub(crate) struct Probe<'a>(pub(crate) &'a Tablebases);

/// A result, and whether a capture is known to reach it, so that the DTZ table need not know the position.
#[derive(Clone, Copy)]
struct Resolved {
    wdl: Wdl,
    by_capture: bool,
}

impl Probe<'_> {
    #[inline]
    pub(crate) fn wdl(self, position: &Position) -> Result<Wdl, ProbeError> {
        self.check(position)?;
        Ok(self.resolve(position)?.wdl)
    }

    #[inline]
    pub(crate) fn dtz(self, position: &Position) -> Result<Dtz, ProbeError> {
        self.check(position)?;
        self.distance(position, self.resolve(position)?, true)
    }

    /// Refuses positions that no table can have.
    #[inline]
    fn check(self, position: &Position) -> Result<(), ProbeError> {
        let (men, max) = (position.occupied().len(), self.0.max_men());
        // Two kings need no table.
        if men > max.max(2) {
            return Err(ProbeError::TooManyMen { men, max });
        }
        if position.castling_rooks().any() {
            return Err(ProbeError::CastlingRights);
        }
        Ok(())
    }

    /// The result of a position with all its captures.
    fn resolve(self, position: &Position) -> Result<Resolved, ProbeError> {
        let mut captures = MoveList::new();
        position.generate_to(position.by_color(!position.side_to_move()), &mut captures);
        let mut best_capture = Wdl::Loss;
        let mut child = *position;
        for &mv in &captures {
            position.play_into(mv, &mut child, &mut ());
            best_capture = best_capture.max(-self.search_captures(&child, Wdl::Loss, -best_capture)?);
            if best_capture == Wdl::Win {
                return Ok(Resolved { wdl: Wdl::Win, by_capture: true });
            }
        }
        let wdl = self.table_wdl(position)?;
        if position.en_passant().is_some() {
            return self.resolve_en_passant(position, wdl, best_capture);
        }
        if best_capture >= wdl {
            return Ok(Resolved { wdl: best_capture, by_capture: best_capture > Wdl::Draw });
        }
        Ok(Resolved { wdl, by_capture: false })
    }

    /// The result of a position in which en passant may be possible, from the result of the table, which does not know
    /// it, and that of the best other capture.
    #[cold]
    fn resolve_en_passant(
        self,
        position: &Position,
        table: Wdl,
        best_capture: Wdl,
    ) -> Result<Resolved, ProbeError> {
        let mut child = *position;
        let mut best = None;
        let moves = position.legal_moves();
        for &mv in moves.iter().filter(|mv| mv.is_en_passant()) {
            position.play_into(mv, &mut child, &mut ());
            best = best.max(Some(-self.search_captures(&child, Wdl::Loss, Wdl::Win)?));
        }
        let others = table.max(best_capture);
        let Some(best) = best else {
            return Ok(Resolved {
                wdl: others,
                by_capture: best_capture >= table && best_capture > Wdl::Draw,
            });
        };
        // Without en passant it would be stalemate, which the table takes for a draw.
        let is_forced = moves.iter().all(|mv| mv.is_en_passant());
        if best > others || is_forced {
            return Ok(Resolved { wdl: best, by_capture: true });
        }
        let best_capture = best.max(best_capture);
        Ok(Resolved { wdl: others, by_capture: best_capture >= table && best_capture > Wdl::Draw })
    }

    /// Searches captures with alpha–beta; en passant is not possible after a capture.
    fn search_captures(self, position: &Position, mut alpha: Wdl, beta: Wdl) -> Result<Wdl, ProbeError> {
        let mut captures = MoveList::new();
        position.generate_to(position.by_color(!position.side_to_move()), &mut captures);
        let mut child = *position;
        for &mv in &captures {
            position.play_into(mv, &mut child, &mut ());
            let wdl = -self.search_captures(&child, -beta, -alpha)?;
            if wdl >= beta {
                return Ok(wdl);
            }
            alpha = alpha.max(wdl);
        }
        Ok(alpha.max(self.table_wdl(position)?))
    }

    #[inline]
    fn table_wdl(self, position: &Position) -> Result<Wdl, ProbeError> {
        let material = Material::of(position);
        if material == Material::KINGS {
            return Ok(Wdl::Draw);
        }
        let table = self.0.table(material, TableKind::Wdl)?;
        table.wdl(position, material).map_err(|fault| self.0.error(material, TableKind::Wdl, fault))
    }

    /// The distance to zeroing of a position with this result. `may_search` is false if the other side to move has been
    /// tried.
    fn distance(self, position: &Position, resolved: Resolved, may_search: bool) -> Result<Dtz, ProbeError> {
        let Resolved { wdl, by_capture } = resolved;
        if wdl == Wdl::Draw {
            return Ok(Dtz::DRAW);
        }
        if by_capture || wdl > Wdl::Draw && self.wins_by_pawn_move(position, wdl)? {
            return Ok(before_zeroing(wdl));
        }
        let material = Material::of(position);
        let table = self.0.table(material, TableKind::Dtz)?;
        let fail = |fault| self.0.error(material, TableKind::Dtz, fault);
        match table.dtz(position, material, wdl).map_err(fail)? {
            Some(plies) => Ok(longer(before_zeroing(wdl), plies)),
            None if may_search => self.search_distance(position, wdl),
            // Both sides to move have the same table, which has one of them.
            None => Err(fail(Damage::Value.into())),
        }
    }

    /// Whether a pawn move that is not a capture keeps the win.
    fn wins_by_pawn_move(self, position: &Position, wdl: Wdl) -> Result<bool, ProbeError> {
        let pawns = position.by_type(PieceType::Pawn) & position.by_color(position.side_to_move());
        if pawns.is_empty() {
            return Ok(false);
        }
        let mut moves = MoveList::new();
        position.generate_to(!position.occupied(), &mut moves);
        let mut child = *position;
        for &mv in moves.iter().filter(|mv| pawns.contains(mv.from()) && !mv.is_en_passant()) {
            position.play_into(mv, &mut child, &mut ());
            if -self.resolve(&child)?.wdl == wdl {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The distance from those of the children, which the table has: the shortest for a win, the longest for a loss.
    fn search_distance(self, position: &Position, wdl: Wdl) -> Result<Dtz, ProbeError> {
        let mut moves = MoveList::new();
        position.generate_to(!position.occupied(), &mut moves);
        let pawns = position.by_type(PieceType::Pawn);
        let mut best = if wdl > Wdl::Draw { None } else { Some(before_zeroing(wdl)) };
        let mut child = *position;
        // Pawn moves do not win here, and count as one ply if the game is lost.
        for &mv in moves.iter().filter(|mv| !pawns.contains(mv.from())) {
            position.play_into(mv, &mut child, &mut ());
            let resolved = self.resolve(&child)?;
            if -resolved.wdl != wdl {
                continue;
            }
            let dtz = -self.distance(&child, resolved, false)?;
            if dtz.get() == 1 && child.is_checkmate() {
                return Ok(dtz);
            }
            let dtz = longer(dtz, 1);
            best = Some(best.map_or(dtz, |best| best.min(dtz)));
        }
        let material = Material::of(position);
        best.ok_or_else(|| self.0.error(material, TableKind::Dtz, Damage::Value.into()))
    }

    pub(crate) fn moves(self, position: &Position) -> Result<Vec<MoveVerdict>, ProbeError> {
        self.check(position)?;
        let mut verdicts = Vec::new();
        let mut child = *position;
        for &mv in &position.legal_moves() {
            position.play_into(mv, &mut child, &mut ());
            let resolved = self.resolve(&child)?;
            let verdict =
                MoveVerdict { mv, wdl: -resolved.wdl, dtz: -self.distance(&child, resolved, true)? };
            verdicts.push((rank(&child, verdict), verdict));
        }
        verdicts.sort_by_key(|&(rank, _)| Reverse(rank));
        Ok(verdicts.into_iter().map(|(_, verdict)| verdict).collect())
    }
}

/// The distance if the next move zeroes the clock.
fn before_zeroing(wdl: Wdl) -> Dtz {
    Dtz::new(match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    })
}

/// More plies for the side that wins or loses.
fn longer(dtz: Dtz, plies: i32) -> Dtz {
    Dtz::new(dtz.get() + dtz.get().signum() * plies)
}

/// How good a move is: the result under the clock, then the way to zeroing.
fn rank(child: &Position, verdict: MoveVerdict) -> (Wdl, i32) {
    let plies = verdict.dtz.get();
    if child.is_checkmate() {
        return (Wdl::Win, 0);
    }
    // A move that zeroes the clock is the end of the way.
    let is_zeroing = child.halfmove_clock() == 0;
    let wdl = if is_zeroing { verdict.wdl } else { verdict.dtz.wdl(child.halfmove_clock()) };
    let way = match (is_zeroing, plies.signum()) {
        (_, 0) => 0,
        (true, sign) => -sign,
        (false, _) => -plies,
    };
    (wdl, way)
}
