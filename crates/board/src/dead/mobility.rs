//! Mobility analysis: which squares each man can ever reach, and whether a king can ever be mated there.
//!
//! The analysis starts with every man on its square and adds what its moves, pushes and captures allow until nothing
//! changes. It ignores turns and most checks, so it allows too much, never too little: at any time of any
//! continuation, a man that is still on the board stands on a square of its `reach`, and only `capturable` men are
//! gone. What it excludes is therefore proved. Each restriction below is one that later additions can only weaken, so
//! the result does not depend on the order of the steps.

use crate::{Bitboard, Color, Direction, File, Piece, PieceType, Position, Square, attacks};

/// Whether the analysis proves that this colour cannot mate.
pub(super) fn is_unwinnable(position: &Position, winner: Color) -> bool {
    // The right to capture en passant belongs to one move: its successors are analysed instead.
    if position.en_passant().is_some() {
        return false;
    }
    let mut mobility = Mobility::new(position);
    mobility.saturate(winner) && !mobility.allows_mate_by(winner)
}

#[derive(Clone, Copy)]
struct Man {
    piece: Piece,
    home: Square,
    /// Where it may stand at some time, its present square included.
    reach: Bitboard,
    /// Where it may capture.
    captures: Bitboard,
    capturable: bool,
    /// A pawn that may have become a piece of any type.
    promoted: bool,
}

impl Man {
    /// Whether it stays where it is for ever.
    fn is_fixed(&self) -> bool {
        !self.capturable && self.reach.is_singular()
    }

    fn is(&self, piece_type: PieceType) -> bool {
        self.piece.piece_type() == piece_type
    }

    fn color(&self) -> Color {
        self.piece.color()
    }
}

struct Mobility {
    men: [Man; 32],
    len: usize,
    /// The squares of the men that stay where they are for ever.
    fixed: Bitboard,
    /// The squares that a colour attacks at any time.
    guarded: [Bitboard; 2],
    /// Those that its men other than the king attack at any time, whatever stands between.
    close_guarded: [Bitboard; 2],
}

impl Mobility {
    fn new(position: &Position) -> Mobility {
        let unused = Man {
            piece: Piece::WhitePawn,
            home: Square::A1,
            reach: Bitboard::EMPTY,
            captures: Bitboard::EMPTY,
            capturable: false,
            promoted: false,
        };
        let mut mobility = Mobility {
            men: [unused; 32],
            len: 0,
            fixed: Bitboard::EMPTY,
            guarded: [Bitboard::EMPTY; 2],
            close_guarded: [Bitboard::EMPTY; 2],
        };
        for home in position.occupied() {
            let Some(piece) = position.piece_at(home) else { continue };
            mobility.men[mobility.len] = Man { piece, home, reach: home.bitboard(), ..unused };
            mobility.len += 1;
        }
        for mv in castling_moves(position) {
            for man in &mut mobility.men {
                if man.home == mv.0 {
                    man.reach |= mv.1.bitboard();
                }
            }
        }
        mobility
    }

    fn men(&self) -> &[Man] {
        &self.men[..self.len]
    }

    /// Adds moves until nothing changes; `false` as soon as a pawn of the winner may promote, since little is
    /// impossible then.
    fn saturate(&mut self, winner: Color) -> bool {
        loop {
            self.update_fixed();
            self.update_guarded();
            let mut changed = false;
            for index in 0..self.len {
                let man = self.men[index];
                let mut grown = self.with_moves(index);
                if man.is(PieceType::Pawn) && grown.reach.intersects(Bitboard::BACK_RANKS) {
                    if man.color() == winner {
                        return false;
                    }
                    grown.promoted = true;
                }
                if grown.promoted {
                    grown.captures = !self.untouchable(man.color());
                    grown.reach |= grown.captures;
                }
                if (grown.reach, grown.captures) != (man.reach, man.captures) {
                    self.men[index] = grown;
                    changed = true;
                }
                changed |= self.capture(grown);
            }
            if !changed {
                return true;
            }
        }
    }

    fn update_fixed(&mut self) {
        self.fixed = self.men().iter().filter(|man| man.is_fixed()).map(|man| man.home).collect();
    }

    fn update_guarded(&mut self) {
        let occupiable = self.men().iter().fold(Bitboard::EMPTY, |all, man| all | man.reach);
        (self.guarded, self.close_guarded) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
        for index in 0..self.len {
            let man = self.men[index];
            if man.capturable || man.promoted {
                continue;
            }
            let side = man.color().index();
            self.guarded[side] |= always_attacked(man, occupiable);
            if !man.is(PieceType::King) {
                self.close_guarded[side] |= always_attacked(man, Bitboard::ALL);
            }
        }
    }

    /// Marks what this man may capture.
    fn capture(&mut self, man: Man) -> bool {
        let mut changed = false;
        for other in &mut self.men[..self.len] {
            if other.color() != man.color()
                && !other.capturable
                && !other.is(PieceType::King)
                && other.reach.intersects(man.captures)
            {
                other.capturable = true;
                changed = true;
            }
        }
        changed
    }

    /// A man with everything that one more move adds.
    fn with_moves(&self, index: usize) -> Man {
        let mut man = self.men[index];
        if man.promoted {
            return man;
        }
        let us = man.color();
        let untouchable = self.untouchable(us);
        for from in man.reach {
            if man.is(PieceType::Pawn) {
                self.add_pawn_moves(index, from, &mut man);
                continue;
            }
            let mut targets = attacks::of(man.piece, from, self.fixed) - untouchable - man.captures;
            if man.is(PieceType::King) {
                targets -= self.guarded[(!us).index()];
            }
            for to in targets {
                if self.is_passable(index, from, to, true)
                    && !(man.is(PieceType::King) && self.stalemates(us, from, to))
                {
                    man.captures.insert(to);
                    man.reach.insert(to);
                }
            }
        }
        man
    }

    /// Whether this move of a king always ends the game with stalemate: the enemy king alone can move, and wherever it
    /// stands, this king takes all its squares away without uncovering a check.
    ///
    /// After such a move our king is outside its `reach`. So nothing here may follow from where it stands.
    fn stalemates(&self, us: Color, from: Square, to: Square) -> bool {
        let mut king = None;
        let mut blocked_men = Bitboard::EMPTY;
        for man in self.men().iter().filter(|man| !(man.color() == us && man.is(PieceType::King))) {
            if man.is_fixed() {
                blocked_men.insert(man.home);
            }
            if man.color() != us && man.is(PieceType::King) {
                king = Some(man.reach);
            }
        }
        let Some(reach) = king else { return false };
        let immobile = |man: &Man| {
            man.color() == us
                || man.is(PieceType::King)
                || man.reach.is_singular()
                    && match man.piece.piece_type() {
                        PieceType::Pawn => man
                            .home
                            .step(Direction::forward(!us))
                            .is_some_and(|front| blocked_men.contains(front)),
                        _ => attacks::of(man.piece, man.home, Bitboard::ALL).is_subset(blocked_men),
                    }
        };
        if !self.men().iter().all(immobile) {
            return false;
        }
        let own = self.men().iter().filter(|man| man.is_fixed() && man.color() != us).map(|man| man.home);
        let closed = own.collect::<Bitboard>() | self.close_guarded[us.index()] | attacks::king(to).with(to);
        (reach - attacks::king(to).with(to)).into_iter().all(|square| {
            attacks::king(square).without(square).is_subset(closed) && !self.uncovers(us, from, square)
        })
    }

    /// Whether a king that leaves a square may uncover a check on another square.
    fn uncovers(&self, us: Color, from: Square, checked: Square) -> bool {
        let diagonal = from.file() != checked.file() && from.rank() != checked.rank();
        let rays =
            if diagonal { attacks::bishop(checked, self.fixed) } else { attacks::rook(checked, self.fixed) };
        let line = rays & attacks::line(from, checked);
        line.contains(from)
            && self.men().iter().any(|man| {
                let slides = match man.piece.piece_type() {
                    PieceType::Queen => true,
                    PieceType::Bishop => diagonal,
                    PieceType::Rook => !diagonal,
                    _ => man.promoted,
                };
                slides && man.color() == us && man.reach.intersects(line)
            })
    }

    /// Fixed men that this colour cannot capture: its own and the kings.
    fn untouchable(&self, us: Color) -> Bitboard {
        let men = self.men().iter();
        men.filter(|man| man.is_fixed() && (man.color() == us || man.is(PieceType::King)))
            .map(|man| man.home)
            .collect()
    }

    fn add_pawn_moves(&self, index: usize, from: Square, man: &mut Man) {
        let us = man.color();
        let Some(step) = from.step(Direction::forward(us)) else { return };
        if !man.reach.contains(step) && self.can_push(index, from, step) {
            man.reach.insert(step);
        }
        if from.rank() == us.pawn_rank()
            && man.reach.contains(step)
            && let Some(double) = step.step(Direction::forward(us))
            && !man.reach.contains(double)
            && self.can_push(index, from, double)
        {
            man.reach.insert(double);
        }
        for other in self.men() {
            if other.color() == us || other.is(PieceType::King) {
                continue;
            }
            // En passant needs no rule of its own: a pawn that can make a double step can also make a single one.
            let targets = (attacks::pawn(us, from) & other.reach) - man.captures;
            for to in targets {
                if self.is_passable(index, from, to, true) {
                    man.captures.insert(to);
                    man.reach.insert(to);
                }
            }
        }
    }

    fn can_push(&self, index: usize, from: Square, to: Square) -> bool {
        self.is_passable(index, from, to, false) && self.keeps_order(index, to)
    }

    /// Whether every man that cannot be captured has somewhere to stand while this move is made.
    fn is_passable(&self, index: usize, from: Square, to: Square, may_capture: bool) -> bool {
        let us = self.men[index].color();
        let path = attacks::between(from, to).with(from);
        self.men().iter().enumerate().all(|(other, man)| {
            let captured = may_capture && man.color() != us && !man.is(PieceType::King);
            let closed = if captured { path } else { path.with(to) };
            other == index || man.capturable || !man.reach.is_subset(closed)
        })
    }

    /// Whether the pawns in front can be beyond this square: pawns that stay on one file never pass each other.
    fn keeps_order(&self, index: usize, to: Square) -> bool {
        let pawn = self.men[index];
        let file = Bitboard::from(pawn.home.file());
        if !pawn.reach.is_subset(file) {
            return true;
        }
        let beyond = in_front(pawn.color(), to);
        self.men().iter().all(|man| {
            !man.is(PieceType::Pawn)
                || man.capturable
                || man.promoted
                || !in_front(pawn.color(), pawn.home).contains(man.home)
                || !man.reach.is_subset(file)
                || man.reach.intersects(beyond)
        })
    }

    /// Whether this colour may give mate: on a square that its men can attack, where each square next to it may be
    /// attacked or blocked.
    fn allows_mate_by(&self, winner: Color) -> bool {
        let loser = !winner;
        let Some(&king) = self.men().iter().find(|man| man.is(PieceType::King) && man.color() == loser)
        else {
            return true;
        };
        let Some(&ours) = self.men().iter().find(|man| man.is(PieceType::King) && man.color() == winner)
        else {
            return true;
        };
        // The king does not shelter the squares behind it.
        let blocking = self.fixed - king.reach;
        let mut attackable = Bitboard::EMPTY;
        for man in self.men().iter().filter(|man| man.color() == winner && !man.is(PieceType::King)) {
            for square in man.reach {
                attackable |= attacks::of(man.piece, square, blocking);
            }
        }
        (king.reach & attackable).into_iter().any(|mated| {
            let open = attacks::king(mated) - attackable - self.guarded[winner.index()];
            let mut squares = ours.reach - attacks::king(mated).with(mated);
            squares.any() && {
                // Where our king stands matters only if there are squares left to cover.
                if open.is_empty() {
                    squares = squares.first().map_or(Bitboard::EMPTY, Square::bitboard);
                }
                squares.into_iter().any(|square| self.can_block(loser, open - attacks::king(square)))
            }
        })
    }

    /// Whether men of this colour other than the king may stand on all these squares at once.
    fn can_block(&self, color: Color, squares: Bitboard) -> bool {
        let mut blocked_by: [Option<Square>; 32] = [None; 32];
        squares.into_iter().all(|square| {
            let mut tried = [false; 32];
            self.find_blocker(color, square, &mut blocked_by, &mut tried)
        })
    }

    /// Bipartite matching: finds a man for this square, moving others to different squares if need be. At most eight
    /// squares take part, which bounds the recursion.
    fn find_blocker(
        &self,
        color: Color,
        square: Square,
        blocked_by: &mut [Option<Square>; 32],
        tried: &mut [bool; 32],
    ) -> bool {
        for (index, man) in self.men().iter().enumerate() {
            if tried[index] || man.color() != color || man.is(PieceType::King) || !man.reach.contains(square)
            {
                continue;
            }
            tried[index] = true;
            let free = match blocked_by[index] {
                None => true,
                Some(other) => self.find_blocker(color, other, blocked_by, tried),
            };
            if free {
                blocked_by[index] = Some(square);
                return true;
            }
        }
        false
    }
}

/// The squares that a man attacks wherever it stands, if these squares may be occupied.
fn always_attacked(man: Man, occupiable: Bitboard) -> Bitboard {
    let mut attacked = Bitboard::ALL;
    for square in man.reach {
        attacked &= attacks::of(man.piece, square, occupiable);
        if attacked.is_empty() {
            break;
        }
    }
    attacked
}

/// The squares in front of a pawn on its file.
fn in_front(color: Color, square: Square) -> Bitboard {
    let ahead = match color {
        Color::White => Bitboard(!1).0 << square.index(),
        Color::Black => (1 << square.index()) - 1,
    };
    Bitboard(ahead) & Bitboard::from(square.file())
}

/// Where the men that may castle get to: king and rook, each with its new square.
fn castling_moves(position: &Position) -> impl Iterator<Item = (Square, Square)> + '_ {
    position.castling_rooks().into_iter().flat_map(|rook| {
        let color = if rook.rank() == Color::White.back_rank() { Color::White } else { Color::Black };
        let king = position.king(color);
        let kingside = rook.file() > king.file();
        let square = |file| Square::from_coords(file, color.back_rank());
        let (king_to, rook_to) = if kingside { (File::G, File::F) } else { (File::C, File::D) };
        [(king, square(king_to)), (rook, square(rook_to))]
    })
}
