//! The shortest mate by trying everything.

use ferz_board::Position;

/// Whether the side to move can force mate in this number of moves or fewer.
pub fn mates(position: &Position, moves: u32) -> bool {
    position.legal_moves().into_iter().any(|mv| {
        if moves == 1 && !position.gives_check(mv) {
            return false;
        }
        let mut child = *position;
        child.play_unchecked(mv);
        is_mated(&child, moves - 1)
    })
}

/// Whether the side to move is mated, or can be mated by force in this number of moves.
pub fn is_mated(position: &Position, moves: u32) -> bool {
    if !position.has_legal_moves() {
        return position.is_check();
    }
    moves > 0
        && position.halfmove_clock() < 100
        && position.legal_moves().into_iter().all(|mv| {
            let mut child = *position;
            child.play_unchecked(mv);
            child.halfmove_clock() < 100 && mates(&child, moves)
        })
}

/// In how many moves the side to move mates, if that is not more than the limit.
pub fn shortest_mate(position: &Position, limit: u32) -> Option<u32> {
    (1..=limit).find(|&moves| mates(position, moves))
}

/// In how many moves the side to move is mated, if that is not more than the limit.
pub fn longest_defence(position: &Position, limit: u32) -> Option<u32> {
    (0..=limit).find(|&moves| is_mated(position, moves))
}
