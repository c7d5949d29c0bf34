//! The names of the weights. One declaration gives the struct that the search reads, the flat indices that tracers use,
//! and the names that the tuner prints.

use std::mem::{offset_of, size_of};

use super::score::TaperedScore;

/// A term of the classical evaluation: one row of the [breakdown](crate::EvalBreakdown).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[non_exhaustive]
pub enum Term {
    /// The material balance.
    Material,
    /// Piece-square tables (PSQT).
    Squares,
    /// Pawn structure: isolated, doubled, backward and connected pawns.
    Pawns,
    /// Passed pawns.
    Passed,
    /// Mobility: how many squares the pieces can go to.
    Mobility,
    /// Knights and bishops: outposts, the bishop pair, bad bishops.
    Minors,
    /// Rooks: open files, the seventh rank, trapped rooks.
    Rooks,
    /// Threats against enemy pieces.
    Threats,
    /// Space: safe squares behind the own pawns.
    Space,
    /// Pawn shelter and pawn storm in front of the own king.
    Shelter,
    /// King safety: the attack on the enemy king, the only term that is not a sum of its weights.
    KingAttack,
    /// Tempo: the bonus for the side to move.
    Tempo,
}

impl Term {
    /// Every term, in the order of the breakdown.
    pub const ALL: &[Term] = &[
        Term::Material,
        Term::Squares,
        Term::Pawns,
        Term::Passed,
        Term::Mobility,
        Term::Minors,
        Term::Rooks,
        Term::Threats,
        Term::Space,
        Term::Shelter,
        Term::KingAttack,
        Term::Tempo,
    ];

    /// The name to display.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Term::Material => "Material",
            Term::Squares => "Piece squares",
            Term::Pawns => "Pawn structure",
            Term::Passed => "Passed pawns",
            Term::Mobility => "Mobility",
            Term::Minors => "Minor pieces",
            Term::Rooks => "Rooks",
            Term::Threats => "Threats",
            Term::Space => "Space",
            Term::Shelter => "King shelter",
            Term::KingAttack => "King attack",
            Term::Tempo => "Tempo",
        }
    }
}

/// A named group of weights.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name of the field of `Weights`.
    pub name: &'static str,
    /// The term the weights belong to.
    pub term: Term,
    /// The flat index of the first weight.
    pub start: usize,
    /// The number of weights.
    pub len: usize,
}

macro_rules! weights {
    ($($term:ident { $($(#[$doc:meta])* $field:ident: $len:expr,)* })*) => {
        /// All weights of the evaluation.
        #[derive(Debug)]
        #[repr(C)]
        pub(crate) struct Weights {
            $($($(#[$doc])* pub(crate) $field: [TaperedScore; $len],)*)*
        }

        /// Every group of weights, in order.
        pub const FIELDS: &[Field] = &[
            $($(Field {
                name: stringify!($field),
                term: Term::$term,
                start: offset_of!(Weights, $field) / size_of::<TaperedScore>(),
                len: $len,
            },)*)*
        ];

        impl Weights {
            /// All weights, one after the other.
            pub(crate) fn flat(&self) -> Vec<TaperedScore> {
                [$($(&self.$field[..],)*)*].concat()
            }
        }
    };
}

weights! {
    Material {
        /// Pawn, knight, bishop, rook, queen.
        material: 5,
    }
    Squares {
        /// From a1 to h8 for White; Black's are mirrored.
        pawn_squares: 64,
        knight_squares: 64,
        bishop_squares: 64,
        rook_squares: 64,
        queen_squares: 64,
        king_squares: 64,
    }
    Pawns {
        /// Facing an enemy pawn on its file, or not.
        isolated: 2,
        /// An own pawn stands ahead on the same file.
        doubled: 1,
        /// Facing an enemy pawn on its file, or not.
        backward: 2,
        /// Defended by a pawn, by rank.
        supported: 8,
        /// Beside a pawn, by rank.
        phalanx: 8,
        /// Candidate passed pawn: at least as many helpers as opponents, by rank.
        candidate: 8,
        /// No enemy pawn can stop or capture it, by rank.
        passed: 8,
    }
    Passed {
        /// A piece stands in its way, by rank.
        passed_blocked: 8,
        /// The next square is not attacked, by rank.
        passed_safe_step: 8,
        /// Nothing stands on its way and nothing attacks it, by rank.
        passed_free_path: 8,
        /// For each step between its own king and the next square, by rank.
        passed_own_king: 8,
        /// For each step between the enemy king and the next square, by rank.
        passed_enemy_king: 8,
        /// An own rook supports it from behind; an enemy rook attacks it from behind.
        passed_rook_behind: 2,
        /// The enemy has no piece and its king is outside the square of the pawn.
        passed_unstoppable: 1,
    }
    Mobility {
        /// By the number of squares.
        knight_mobility: 9,
        bishop_mobility: 14,
        rook_mobility: 15,
        queen_mobility: 28,
    }
    Minors {
        bishop_pair: 1,
        /// Bad bishop: for each own pawn on its colour, and again for each of those that is blocked.
        bishop_pawns: 2,
        /// Sees both central squares of a long diagonal.
        bishop_long_diagonal: 1,
        /// A knight's; a bishop's.
        outpost: 2,
        /// A knight that can go to one.
        outpost_in_reach: 1,
        /// A minor piece with a pawn in front of it.
        behind_pawn: 1,
        /// For each step between a knight, or a bishop, and its king.
        king_distance: 2,
    }
    Rooks {
        /// On a file without own pawns; without any.
        rook_file: 2,
        /// On the seventh rank with something to attack there.
        rook_seventh: 1,
        /// Shut in by its own king.
        rook_trapped: 1,
    }
    Threats {
        /// Knight, bishop, rook, queen attacked by a pawn.
        threat_by_pawn: 4,
        /// Pawn, knight, bishop, rook, queen attacked by a knight or bishop.
        threat_by_minor: 5,
        /// Pawn, knight, bishop, rook, queen attacked by a rook.
        threat_by_rook: 5,
        /// Something badly defended attacked by the king.
        threat_by_king: 1,
        /// Pieces that can be captured for nothing.
        hanging: 1,
        /// Pieces that the safe advance of a pawn would attack.
        threat_by_push: 1,
        /// Squares the enemy would like to use that are contested.
        restricted: 1,
    }
    Space {
        /// For each safe square in the middle behind the pawns.
        space: 1,
    }
    Shelter {
        /// The nearest own pawn on a file near the king: by the distance of the file to the edge, then by rank;
        /// rank 0 for none.
        shelter: 28,
        /// The same of the enemy's nearest pawn, if it can advance.
        storm: 28,
        /// The enemy's nearest pawn is blocked by ours, by rank.
        storm_blocked: 7,
    }
    KingAttack {
        /// The constant the sum starts from.
        attack_base: 1,
        /// Knight, bishop, rook, queen that attacks the king's zone.
        attack_by: 4,
        /// For each square of the zone attacked, by the same.
        attack_hits: 4,
        /// Squares of the zone that only king or queen defend.
        attack_weak_square: 1,
        /// Safe checks by knight, bishop, rook, queen: one square, several squares.
        attack_safe_check: 8,
        /// Unsafe checks by the same: the checking piece can be captured.
        attack_unsafe_check: 4,
        /// The attacker has no queen.
        attack_without_queen: 1,
        /// Pawns missing in front of the king: none to three.
        attack_missing_shield: 4,
        /// Squares on the king's side of the board that are attacked, attacked twice, defended.
        attack_flank: 3,
        /// A knight guards the king's zone.
        attack_knight_guard: 1,
        /// Defenders pinned to the king.
        attack_pinned: 1,
    }
    Tempo {
        tempo: 1,
    }
}

/// The number of weights.
pub const WEIGHT_COUNT: usize = size_of::<Weights>() / size_of::<TaperedScore>();

/// Looks a weight up and reports it to the tracer: `weigh!(tracer, color, field[index], count)` is `count` times the
/// weight, for the side of that colour.
macro_rules! weigh {
    ($tracer:expr, $color:expr, $field:ident[$index:expr]) => {{
        let index: usize = $index;
        $tracer.counted($color, $crate::classical::params::flat_index!($field) + index, 1);
        $crate::classical::weights::WEIGHTS.$field[index]
    }};
    ($tracer:expr, $color:expr, $field:ident[$index:expr], $count:expr) => {{
        let (index, count): (usize, i32) = ($index, $count as i32);
        $tracer.counted($color, $crate::classical::params::flat_index!($field) + index, count);
        $crate::classical::weights::WEIGHTS.$field[index] * count
    }};
}

/// The flat index of the first weight of a field.
macro_rules! flat_index {
    ($field:ident) => {
        const {
            ::std::mem::offset_of!($crate::classical::params::Weights, $field)
                / ::std::mem::size_of::<$crate::classical::score::TaperedScore>()
        }
    };
}

pub(crate) use {flat_index, weigh};
