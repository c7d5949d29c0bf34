//! Accumulators along a line of moves, computed when they are asked for.
//!
//! A ply has a place for each side's accumulator, filled in only if its position is evaluated or lies between one
//! that is and the nearest ancestor that was. A null move has no place of its own: the one before serves. Where a
//! king has gone to another [zone](Architecture::zone) nothing of the ancestors is of use; then a cache helps, which
//! remembers for each side and zone the accumulator that was last made and the pieces it was made of: usually few
//! have moved since.

use ferz_board::{Bitboard, Board, Color, Piece, PieceType, Position, Square};

use super::architecture::{Architecture, Whose};
use super::block::Block;
use super::changes::{Changes, Feature};
use super::kernels::{self, Nowhere, Sink, Store};
use super::rows::{RowList, Rows, Selection};
use super::simd::Best;

/// What is known of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ply {
    /// What the move that led here changed.
    pub(crate) changes: Changes,
    /// By colour: whether the accumulator is computed.
    computed: [bool; 2],
}

impl Ply {
    /// Nothing has changed, and nothing is computed.
    pub(crate) const NEW: Ply = Ply { changes: Changes::NONE, computed: [false; 2] };

    /// The accumulators are of no use any more.
    pub(crate) fn forget(&mut self) {
        self.computed = [false; 2];
    }
}

/// A line of moves: what is known of each ply, the root's first.
pub(crate) trait Line {
    /// How many moves the line has.
    fn depth(&self) -> usize;
    /// What is known of a ply, from 0 to the depth.
    fn ply(&mut self, number: usize) -> &mut Ply;
}

/// The accumulators of a line of moves.
#[derive(Clone)]
pub(super) struct Accumulators {
    /// For each ply White's, then Black's.
    places: Vec<Block>,
    /// For each zone White's, then Black's.
    cached: Vec<Block>,
    /// For each of these the board it was made of.
    boards: Vec<Board>,
}

impl Accumulators {
    pub(super) fn new<A: Architecture>(net: &A) -> Accumulators {
        Accumulators {
            places: Vec::new(),
            cached: net.biases().repeat(2 * A::ZONES),
            boards: vec![Board::empty(); 2 * A::ZONES],
        }
    }

    /// The value of the position at the end of a line for the side to move.
    pub(super) fn evaluate<A: Architecture>(
        &mut self,
        net: &A,
        line: &mut impl Line,
        position: &Position,
    ) -> i32 {
        let top = self.top(net, line);
        let (us, pieces) = (position.side_to_move(), position.occupied().len());
        let own = self.update_side(net, line, position, us, top, net.sink(Whose::Own, pieces));
        let other = self.update_side(net, line, position, !us, top, net.sink(Whose::Other, pieces));
        net.value(own, other, pieces)
    }

    /// Computes what an evaluation of the end of the line needs.
    pub(super) fn update<A: Architecture>(&mut self, net: &A, line: &mut impl Line, position: &Position) {
        let top = self.top(net, line);
        for perspective in Color::ALL {
            self.update_side(net, line, position, perspective, top, Nowhere);
        }
    }

    /// The ply whose accumulators are those of the end of the line: what a null move leaves is what was there
    /// before. There are places for it.
    #[inline(always)]
    fn top<A: Architecture>(&mut self, net: &A, line: &mut impl Line) -> usize {
        let mut top = line.depth();
        while top > 0 && line.ply(top).changes.is_empty() {
            top -= 1;
        }
        let needed = 2 * (top + 1) * net.width();
        if self.places.len() < needed {
            self.places.resize(needed.next_power_of_two(), Block::ZERO);
        }
        top
    }

    #[inline(always)]
    fn update_side<A: Architecture, S: Sink<Best>>(
        &mut self,
        net: &A,
        line: &mut impl Line,
        position: &Position,
        perspective: Color,
        top: usize,
        sink: S,
    ) -> S {
        let zone = A::zone(perspective, position.king(perspective));
        let mut ancestor = top;
        loop {
            let ply = line.ply(ancestor);
            if ply.computed[perspective.index()] {
                break;
            }
            if ancestor == 0 || ply.changes.needs_refresh::<A>(perspective) {
                line.ply(top).computed[perspective.index()] = true;
                return self.refresh(net, position.board(), perspective, zone, top, sink);
            }
            ancestor -= 1;
        }
        if ancestor == top {
            let place = (2 * top + perspective.index()) * net.width();
            return kernels::pass(&self.places[place..][..net.width()], sink);
        }
        // No king has left its zone since the ancestor, so this one is that of every ply between.
        if ancestor + 1 < top {
            ancestor = self.catch_up(net, line, perspective, zone, ancestor, top);
        }
        let ply = line.ply(top);
        ply.computed[perspective.index()] = true;
        self.follow(net, &ply.changes, perspective, zone, ancestor, top, sink)
    }

    /// Computes the accumulators between an ancestor and a ply, and returns the last before it.
    #[inline(never)]
    fn catch_up<A: Architecture>(
        &mut self,
        net: &A,
        line: &mut impl Line,
        perspective: Color,
        zone: usize,
        mut ancestor: usize,
        top: usize,
    ) -> usize {
        for number in ancestor + 1..top {
            let ply = line.ply(number);
            if !ply.changes.is_empty() {
                ply.computed[perspective.index()] = true;
                self.follow(net, &ply.changes, perspective, zone, ancestor, number, Nowhere);
                ancestor = number;
            }
        }
        ancestor
    }

    /// Computes an accumulator from that of an ancestor and what one move has changed since.
    #[inline(always)]
    fn follow<A: Architecture, S: Sink<Best>>(
        &mut self,
        net: &A,
        changes: &Changes,
        perspective: Color,
        zone: usize,
        ancestor: usize,
        number: usize,
        sink: S,
    ) -> S {
        let width = net.width();
        let (before, places) = self.places.split_at_mut((2 * number + perspective.index()) * width);
        let from = &before[(2 * ancestor + perspective.index()) * width..][..width];
        let sink = Store { to: &mut places[..width], sink };
        let (added, removed) = (
            rows_of::<A>(changes.arrivals(), perspective, zone),
            rows_of::<A>(changes.departures(), perspective, zone),
        );
        let selection = Selection { added: added.as_slice(), removed: removed.as_slice() };
        net.rows().sum_up(from, selection, sink).sink
    }

    /// Computes an accumulator from the one that was last made for the zone.
    #[inline(never)]
    fn refresh<A: Architecture, S: Sink<Best>>(
        &mut self,
        net: &A,
        board: &Board,
        perspective: Color,
        zone: usize,
        top: usize,
        sink: S,
    ) -> S {
        let index = 2 * zone + perspective.index();
        let last = &mut self.boards[index];
        let (mut added, mut removed) = (RowList::<64>::new(), RowList::<64>::new());
        for square in changed_squares(last, board) {
            for (list, board) in [(&mut added, board), (&mut removed, &*last)] {
                if let Some(piece) = board.piece_at(square) {
                    list.push_if(sees::<A>(piece), A::row(perspective, zone, piece, square));
                }
            }
        }
        *last = *board;
        let width = net.width();
        let cached = &mut self.cached[index * width..][..width];
        let place = &mut self.places[(2 * top + perspective.index()) * width..][..width];
        let (added, removed) = (added.as_slice(), removed.as_slice());
        let selection = Selection { added, removed };
        let sink = net.rows().sum_up(cached, selection, Store { to: place, sink }).sink;
        cached.copy_from_slice(place);
        sink
    }
}

/// Where two boards differ.
#[inline(always)]
fn changed_squares(a: &Board, b: &Board) -> Bitboard {
    let types = PieceType::ALL.into_iter().map(|it| a.by_type(it) ^ b.by_type(it));
    let colors = Color::ALL.into_iter().map(|it| a.by_color(it) ^ b.by_color(it));
    types.chain(colors).fold(Bitboard::EMPTY, |changed, set| changed | set)
}

/// Whether a net sees a piece.
#[inline(always)]
fn sees<A: Architecture>(piece: Piece) -> bool {
    A::SEES_KINGS || piece.piece_type() != PieceType::King
}

/// The rows of at most two pieces.
#[inline(always)]
fn rows_of<A: Architecture>(
    features: impl Iterator<Item = Feature>,
    perspective: Color,
    zone: usize,
) -> RowList<2> {
    let mut rows = RowList::new();
    for Feature { piece, square } in features {
        rows.push_if(sees::<A>(piece), A::row(perspective, zone, piece, square));
    }
    rows
}

/// The value of a board for a side to move, from scratch; the kings stand on these squares.
pub(super) fn evaluate_board<A: Architecture>(
    net: &A,
    board: &Board,
    turn: Color,
    kings: [Square; 2],
) -> i32 {
    let sides = [turn, !turn].map(|side| (side, A::zone(side, kings[side.index()])));
    let mut seen = board.occupied();
    if !A::SEES_KINGS {
        seen &= !board.by_type(PieceType::King);
    }
    let pairs = seen.into_iter().filter_map(|square| {
        let piece = board.piece_at(square)?;
        Some(sides.map(|(side, zone)| A::row(side, zone, piece, square)))
    });
    let pieces = board.occupied().len();
    let sinks = [Whose::Own, Whose::Other].map(|whose| net.sink(whose, pieces));
    let [own, other] = net.rows().sum_up_pairs(net.biases(), pairs, sinks);
    net.value(own, other, pieces)
}
