//! Accumulators along a line of moves, computed when they are asked for.
//!
//! A ply has a place for each side's accumulator, filled in only if its position is evaluated or lies between one
//! that is and the nearest ancestor that was. A null move has no place of its own: the one before serves. Where a
//! king has gone to another [zone](Architecture::zone) nothing of the ancestors is of use; then a cache helps, which
//! remembers for each side and zone the accumulator that was last made and the pieces it was made of: usually few
//! have moved since.

use ferz_board::{Bitboard, Board, Color, Piece, Position, Square};

use super::architecture::Architecture;
use super::block::Block;
use super::changes::{Changes, Feature};
use super::kernels;
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
    /// In blocks.
    width: usize,
    /// For each ply White's, then Black's.
    places: Vec<Block>,
    /// For each zone White's, then Black's.
    cache: Vec<CacheEntry>,
    cached: Vec<Block>,
}

/// The pieces a cached accumulator was made of.
#[derive(Clone, Copy)]
struct CacheEntry {
    pieces: [Bitboard; 12],
}

impl Accumulators {
    pub(super) fn new<A: Architecture>(net: &A) -> Accumulators {
        Accumulators {
            width: net.width(),
            places: Vec::new(),
            cache: vec![CacheEntry { pieces: [Bitboard::EMPTY; 12] }; 2 * A::ZONES],
            cached: net.biases().repeat(2 * A::ZONES),
        }
    }

    /// The value of the position at the end of a line for the side to move.
    pub(super) fn evaluate<A: Architecture>(
        &mut self,
        net: &A,
        line: &mut impl Line,
        position: &Position,
    ) -> i32 {
        let top = self.update(net, line, position);
        let at = 2 * top * self.width;
        let (white, black) = self.places[at..at + 2 * self.width].split_at(self.width);
        let (own, other) = match position.side_to_move() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        net.output(own, other, position.occupied().len())
    }

    /// Computes what an evaluation of the end of the line needs, and returns the ply where it is.
    pub(super) fn update<A: Architecture>(
        &mut self,
        net: &A,
        line: &mut impl Line,
        position: &Position,
    ) -> usize {
        // What a null move leaves is what was there before.
        let mut top = line.depth();
        while top > 0 && line.ply(top).changes.is_empty() {
            top -= 1;
        }
        let needed = 2 * (top + 1) * self.width;
        if self.places.len() < needed {
            self.places.resize(needed.next_power_of_two(), Block::ZERO);
        }
        for perspective in Color::ALL {
            self.update_side(net, line, position, perspective, top);
        }
        top
    }

    #[inline(always)]
    fn update_side<A: Architecture>(
        &mut self,
        net: &A,
        line: &mut impl Line,
        position: &Position,
        perspective: Color,
        top: usize,
    ) {
        let zone = A::zone(perspective, position.king(perspective));
        let mut ancestor = top;
        loop {
            let ply = line.ply(ancestor);
            if ply.computed[perspective.index()] {
                break;
            }
            if ancestor == 0 || ply.changes.needs_refresh::<A>(perspective) {
                self.refresh(net, position.board(), perspective, zone, top);
                line.ply(top).computed[perspective.index()] = true;
                return;
            }
            ancestor -= 1;
        }
        // No king has left its zone since the ancestor, so this one is that of every ply between.
        for number in ancestor + 1..=top {
            let ply = line.ply(number);
            if ply.changes.is_empty() {
                continue;
            }
            ply.computed[perspective.index()] = true;
            self.follow(net, &ply.changes, perspective, zone, ancestor, number);
            ancestor = number;
        }
    }

    /// Computes an accumulator from that of an ancestor and what one move has changed since.
    #[inline(always)]
    fn follow<A: Architecture>(
        &mut self,
        net: &A,
        changes: &Changes,
        perspective: Color,
        zone: usize,
        ancestor: usize,
        number: usize,
    ) {
        let width = self.width;
        let (before, places) = self.places.split_at_mut((2 * number + perspective.index()) * width);
        let from = &before[(2 * ancestor + perspective.index()) * width..][..width];
        let to = &mut places[..width];
        let weights = net.weights();
        let row = |number: u32| &weights[number as usize * width..][..width];
        let (added, added_count) = rows_of::<A>(changes.arrivals(), perspective, zone);
        let (removed, removed_count) = rows_of::<A>(changes.departures(), perspective, zone);
        let ([a, b], [c, d]) = (added, removed);
        match (added_count, removed_count) {
            (1, 1) => kernels::update::<Best, 1, 1>(from, to, [row(a)], [row(c)]),
            (1, 2) => kernels::update::<Best, 1, 2>(from, to, [row(a)], [row(c), row(d)]),
            (2, 2) => kernels::update::<Best, 2, 2>(from, to, [row(a), row(b)], [row(c), row(d)]),
            _ => {
                to.copy_from_slice(from);
                kernels::apply::<Best>(to, weights, &added[..added_count], &removed[..removed_count]);
            }
        }
    }

    /// Computes an accumulator from the one that was last made for the zone.
    #[inline(never)]
    fn refresh<A: Architecture>(
        &mut self,
        net: &A,
        board: &Board,
        perspective: Color,
        zone: usize,
        top: usize,
    ) {
        let index = 2 * zone + perspective.index();
        let entry = &mut self.cache[index];
        let (mut added, mut removed) = (Rows::new(), Rows::new());
        for (piece, last) in Piece::ALL.into_iter().zip(&mut entry.pieces) {
            let now = board.pieces(piece);
            let row_of = |square: Square| A::row(perspective, zone, piece, square);
            (now - *last).into_iter().filter_map(row_of).for_each(|row| added.push(row));
            (*last - now).into_iter().filter_map(row_of).for_each(|row| removed.push(row));
            *last = now;
        }
        let cached = &mut self.cached[index * self.width..][..self.width];
        kernels::apply::<Best>(cached, net.weights(), added.as_slice(), removed.as_slice());
        self.places[(2 * top + perspective.index()) * self.width..][..self.width].copy_from_slice(cached);
    }
}

/// The rows of at most two pieces. One that the net does not see leaves a gap, as only kings do.
#[inline(always)]
fn rows_of<A: Architecture>(
    features: impl Iterator<Item = Feature>,
    perspective: Color,
    zone: usize,
) -> ([u32; 2], usize) {
    let (mut rows, mut count) = ([0; 2], 0);
    for feature in features {
        if let Some(row) = A::row(perspective, zone, feature.piece, feature.square) {
            rows[count & 1] = row;
            count += 1;
        }
    }
    (rows, count)
}

/// The value of a board for a side to move, from scratch; the kings stand on these squares.
pub(super) fn evaluate_board<A: Architecture>(
    net: &A,
    board: &Board,
    turn: Color,
    kings: [Square; 2],
) -> i32 {
    let mut accumulators = net.biases().repeat(2);
    let (white, black) = accumulators.split_at_mut(net.width());
    for (perspective, accumulator) in Color::ALL.into_iter().zip([&mut *white, &mut *black]) {
        let zone = A::zone(perspective, kings[perspective.index()]);
        let mut rows = Rows::new();
        for piece in Piece::ALL {
            let row_of = |square: Square| A::row(perspective, zone, piece, square);
            board.pieces(piece).into_iter().filter_map(row_of).for_each(|row| rows.push(row));
        }
        kernels::apply::<Best>(accumulator, net.weights(), rows.as_slice(), &[]);
    }
    match turn {
        Color::White => net.output(white, black, board.occupied().len()),
        Color::Black => net.output(black, white, board.occupied().len()),
    }
}

/// Numbers of rows, at most one for each square.
struct Rows {
    rows: [u32; 64],
    count: usize,
}

impl Rows {
    #[inline(always)]
    fn new() -> Rows {
        Rows { rows: [0; 64], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, row: u32) {
        // Never more than squares.
        self.rows[self.count & 63] = row;
        self.count += 1;
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u32] {
        &self.rows[..self.count.min(64)]
    }
}
