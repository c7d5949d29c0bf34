//! Retrograde analysis: from the mates and conversions back to all positions that lead to them.

use ferz_board::{Bitboard, Color, Direction, Piece, PieceType, Rank, Square, attacks};

use crate::Solutions;

/// Two kings and one more man, which is White's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(crate) is_strong_to_move: bool,
    pub(crate) strong_king: Square,
    pub(crate) weak_king: Square,
    pub(crate) man: Square,
}

/// What is known of a state: `Illegal`, a distance, or nothing yet, which means a draw in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Illegal,
    Unknown,
    /// Plies to zeroing or mate.
    Win(u8),
    Loss(u8),
}

/// The values of all states of an ending.
#[derive(Debug)]
pub(crate) struct Solution {
    man: PieceType,
    values: Vec<Value>,
}

/// A solution that is being made.
struct Solver<'a> {
    solution: Solution,
    solutions: &'a Solutions,
    /// Legal moves that do not zero and are not known to lose; [`SAFE`] if a zeroing move draws.
    moves: Vec<u8>,
    /// States by distance that were found and not yet looked at.
    found: Vec<Vec<State>>,
}

const SAFE: u8 = u8::MAX;

impl State {
    pub(crate) fn index(self) -> usize {
        let squares = [self.strong_king, self.weak_king, self.man];
        squares.iter().fold(usize::from(self.is_strong_to_move), |index, square| 64 * index + square.index())
    }

    pub(crate) fn all() -> impl Iterator<Item = State> {
        let squares = || Bitboard::ALL.into_iter();
        [false, true].into_iter().flat_map(move |is_strong_to_move| {
            squares().flat_map(move |strong_king| {
                squares().flat_map(move |weak_king| {
                    squares().map(move |man| State { is_strong_to_move, strong_king, weak_king, man })
                })
            })
        })
    }

    fn occupied(self) -> Bitboard {
        Bitboard::from(self.strong_king) | self.weak_king.into() | self.man.into()
    }

    fn with_turn_passed(self) -> State {
        State { is_strong_to_move: !self.is_strong_to_move, ..self }
    }

    fn is_weak_in_check(self, piece: Piece) -> bool {
        attacks::of(piece, self.man, self.occupied()).contains(self.weak_king)
    }

    fn is_legal(self, piece: Piece) -> bool {
        let is_pawn_on_edge =
            piece.piece_type() == PieceType::Pawn && matches!(self.man.rank(), Rank::First | Rank::Eighth);
        self.occupied().len() == 3
            && !is_pawn_on_edge
            && self.strong_king.distance(self.weak_king) > 1
            && !(self.is_strong_to_move && self.is_weak_in_check(piece))
    }

    /// States after moves of the side to move that neither capture nor move a pawn; they may be illegal. The same
    /// function finds the states before: such moves can be taken back along the same lines.
    fn neighbours(self, is_strong: bool, piece: Piece) -> impl Iterator<Item = State> {
        let free = !self.occupied();
        let state = State { is_strong_to_move: !is_strong, ..self };
        let king = if is_strong { self.strong_king } else { self.weak_king };
        let kings = (attacks::king(king) & free).into_iter().map(move |to| {
            if is_strong { State { strong_king: to, ..state } } else { State { weak_king: to, ..state } }
        });
        let moves_man = is_strong && piece.piece_type() != PieceType::Pawn;
        let men =
            if moves_man { attacks::of(piece, self.man, self.occupied()) & free } else { Bitboard::EMPTY };
        kings.chain(men.into_iter().map(move |man| State { man, ..state }))
    }

    /// States after pawn moves, before promotion.
    fn pawn_moves(self) -> Vec<State> {
        let mut moves = Vec::new();
        let mut square = self.man;
        let steps = if square.rank() == Rank::Second { 2 } else { 1 };
        for _ in 0..steps {
            match square.step(Direction::North).filter(|&to| !self.occupied().contains(to)) {
                Some(to) => square = to,
                None => break,
            }
            moves.push(State { man: square, ..self.with_turn_passed() });
        }
        moves
    }
}

impl Solution {
    pub(crate) fn new(man: PieceType, solutions: &Solutions) -> Solution {
        let solution = Solution { man, values: vec![Value::Illegal; 2 << 18] };
        let mut solver = Solver { solution, solutions, moves: vec![0; 2 << 18], found: Vec::new() };
        match man {
            // A pawn never goes back: from the last rank to the first, each rank needs only those before it.
            PieceType::Pawn => {
                Rank::ALL.iter().rev().for_each(|&rank| solver.solve(Bitboard::from_rank(rank)));
            }
            _ => solver.solve(Bitboard::ALL),
        }
        solver.solution
    }

    pub(crate) fn man(&self) -> PieceType {
        self.man
    }

    pub(crate) fn value(&self, state: State) -> Value {
        self.values[state.index()]
    }

    /// The distance as tables have it: positive for a win, negative for a loss.
    pub(crate) fn distance(&self, state: State) -> i32 {
        match self.value(state) {
            Value::Win(plies) => i32::from(plies),
            // A mate counts as one ply.
            Value::Loss(plies) => -i32::from(plies.max(1)),
            Value::Unknown | Value::Illegal => 0,
        }
    }

    fn piece(&self) -> Piece {
        self.man.of(Color::White)
    }
}

impl Solver<'_> {
    /// Solves all states with the man on one of these squares.
    fn solve(&mut self, squares: Bitboard) {
        for state in State::all().filter(|state| squares.contains(state.man)) {
            if state.is_legal(self.solution.piece()) {
                self.solution.values[state.index()] = Value::Unknown;
            }
        }
        for state in State::all().filter(|state| squares.contains(state.man)) {
            if self.solution.value(state) == Value::Unknown {
                self.begin(state);
            }
        }
        let mut plies = 0;
        while plies < self.found.len() {
            for state in std::mem::take(&mut self.found[plies]) {
                self.look_back(state, plies as u8);
            }
            plies += 1;
        }
        self.found.clear();
    }

    fn set(&mut self, state: State, value: Value) {
        let (Value::Win(plies) | Value::Loss(plies)) = value else { return };
        self.solution.values[state.index()] = value;
        let plies = usize::from(plies);
        if self.found.len() <= plies {
            self.found.resize(plies + 1, Vec::new());
        }
        self.found[plies].push(state);
    }

    /// Counts the moves of a state, and finds mates and what zeroing moves lead to.
    fn begin(&mut self, state: State) {
        let piece = self.solution.piece();
        let is_legal = |child: &State| self.solution.value(*child) != Value::Illegal;
        let moves = state.neighbours(state.is_strong_to_move, piece).filter(is_legal).count() as u8;
        let (mut can_zero, mut is_safe) = (false, false);
        if state.is_strong_to_move && self.solution.man == PieceType::Pawn {
            for child in state.pawn_moves() {
                for value in self.after_pawn_move(child) {
                    match value {
                        Value::Loss(_) => return self.set(state, Value::Win(1)),
                        Value::Unknown => (can_zero, is_safe) = (true, true),
                        Value::Win(_) => can_zero = true,
                        Value::Illegal => {}
                    }
                }
            }
        }
        if !state.is_strong_to_move && self.can_capture(state) {
            // Two kings are a draw.
            (can_zero, is_safe) = (true, true);
        }
        self.moves[state.index()] = if is_safe { SAFE } else { moves };
        if moves == 0 && !is_safe {
            if can_zero {
                self.set(state, Value::Loss(1));
            } else if !state.is_strong_to_move && state.is_weak_in_check(piece) {
                self.set(state, Value::Loss(0));
            }
        }
    }

    fn after_pawn_move(&self, child: State) -> Vec<Value> {
        if child.man.rank() != Rank::Eighth {
            return vec![self.solution.value(child)];
        }
        let promote = |man| self.solutions.get(man).map_or(Value::Illegal, |solution| solution.value(child));
        PieceType::PROMOTIONS.map(promote).to_vec()
    }

    /// Whether the lone king can take the man.
    fn can_capture(&self, state: State) -> bool {
        attacks::king(state.weak_king).contains(state.man)
            && !attacks::king(state.strong_king).contains(state.man)
    }

    /// Looks at all states before one whose distance is known.
    fn look_back(&mut self, state: State, plies: u8) {
        let loses = matches!(self.solution.value(state), Value::Loss(_));
        let before: Vec<State> = state.neighbours(!state.is_strong_to_move, self.solution.piece()).collect();
        for mut parent in before {
            parent.is_strong_to_move = !state.is_strong_to_move;
            let moves = &mut self.moves[parent.index()];
            if self.solution.values[parent.index()] != Value::Unknown {
                continue;
            }
            if loses {
                self.set(parent, Value::Win(plies + 1));
            } else if *moves != SAFE {
                *moves -= 1;
                if *moves == 0 {
                    self.set(parent, Value::Loss(plies + 1));
                }
            }
        }
    }
}
