//! The laws of results and distances, over every position of tables that are made here.

use std::sync::LazyLock;

use ferz_board::{Board, CastlingMode, Color, Piece, PieceType, Position, Setup, Square};
use ferz_syzygy::{Dtz, Tablebases, Wdl};
use ferz_table_maker::{DtzStyle, Solutions, constant_dtz, constant_wdl};

static SOLUTIONS: LazyLock<Solutions> = LazyLock::new(Solutions::all);
static TABLES: LazyLock<Tablebases> = LazyLock::new(|| tables(DtzStyle::Plies));

fn tables(style: DtzStyle) -> Tablebases {
    let mut tables = Tablebases::new();
    for (name, bytes) in SOLUTIONS.files_in(style) {
        tables.add_bytes(&name, bytes).unwrap();
    }
    tables
}

/// Every position with this man of White's or Black's.
fn positions(man: Piece) -> impl Iterator<Item = Position> {
    let squares = || Square::ALL.into_iter();
    let triples = squares().flat_map(move |a| squares().flat_map(move |b| squares().map(move |c| (a, b, c))));
    triples.flat_map(move |(white, black, square)| {
        let men = [(white, Piece::WhiteKing), (black, Piece::BlackKing), (square, man)];
        let is_legal = white != black && white != square && black != square;
        let setup =
            move |side_to_move| Setup { board: Board::from_iter(men), side_to_move, ..Setup::empty() };
        let position = move |side| Position::from_setup(&setup(side), CastlingMode::Standard).ok();
        Color::ALL.into_iter().filter(move |_| is_legal).filter_map(position)
    })
}

const MEN: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// Compares one in `step` positions with the solution, and returns their number.
fn compare_with_solutions(step: usize) -> usize {
    let mut count = 0;
    for man in MEN {
        for position in Color::ALL.into_iter().flat_map(|color| positions(man.of(color))).step_by(step) {
            let distance = SOLUTIONS.distance(&position).unwrap();
            assert_eq!(TABLES.probe_dtz(&position).unwrap(), Dtz::new(distance), "{position}");
            let wdl = TABLES.probe_wdl(&position).unwrap();
            assert_eq!(wdl.value(), 2 * distance.signum(), "{position}");
            count += 1;
        }
    }
    count
}

#[test]
fn positions_have_the_distances_that_retrograde_analysis_found() {
    assert!(compare_with_solutions(23) > 100_000);
}

#[test]
#[ignore = "takes a minute"]
fn all_positions_have_the_distances_that_retrograde_analysis_found() {
    assert!(compare_with_solutions(1) > 2_000_000);
}

/// The result is the best of those of the children, and the distance is one ply more than that of the best child.
#[test]
fn results_follow_from_those_of_the_children() {
    for man in MEN {
        for position in positions(man.of(Color::White)).step_by(101) {
            let (wdl, dtz) = (TABLES.probe_wdl(&position).unwrap(), TABLES.probe_dtz(&position).unwrap());
            let mut best = if position.is_check() { Wdl::Loss } else { Wdl::Draw };
            let mut plies = Vec::new();
            let moves = position.legal_moves();
            if !moves.is_empty() {
                best = Wdl::Loss;
            }
            for &mv in &moves {
                let mut child = position;
                child.play(mv).unwrap();
                let result = -TABLES.probe_wdl(&child).unwrap();
                best = best.max(result);
                if result == wdl {
                    let is_over = child.halfmove_clock() == 0 || child.is_checkmate();
                    plies.push(if is_over { 1 } else { TABLES.probe_dtz(&child).unwrap().get().abs() + 1 });
                }
            }
            assert_eq!(wdl, best, "{position}");
            let plies = match wdl {
                Wdl::Win => plies.into_iter().min().unwrap(),
                Wdl::Loss => -plies.into_iter().max().unwrap_or(1),
                _ => 0,
            };
            assert_eq!(dtz.get(), plies, "{position}");
        }
    }
}

#[test]
fn maps_and_moves_are_read_as_plies() {
    let [mapped, wide, moves] = [DtzStyle::Mapped, DtzStyle::WideMapped, DtzStyle::Moves].map(tables);
    for man in MEN {
        for position in positions(man.of(Color::Black)).step_by(73) {
            let exact = TABLES.probe_dtz(&position).unwrap();
            assert_eq!(mapped.probe_dtz(&position).unwrap(), exact, "{position}");
            assert_eq!(wide.probe_dtz(&position).unwrap(), exact, "{position}");
            let rounded = moves.probe_dtz(&position).unwrap().get();
            assert_eq!(rounded.signum(), exact.get().signum(), "{position}");
            assert!(rounded.abs_diff(exact.get()) <= 1, "{position}: {rounded} {exact}");
        }
    }
}

#[test]
fn moves_come_best_first() {
    let tables = &*TABLES;
    for man in MEN {
        for position in positions(man.of(Color::White)).step_by(997) {
            let verdicts = tables.probe_moves(&position).unwrap();
            assert_eq!(verdicts.len(), position.legal_moves().len(), "{position}");
            let Some(best) = verdicts.first() else { continue };
            assert_eq!(tables.best_move(&position).unwrap(), Some(best.mv));
            assert_eq!(best.wdl, tables.probe_wdl(&position).unwrap(), "{position}");
            assert!(verdicts.is_sorted_by(|a, b| a.wdl >= b.wdl), "{position}");
            for verdict in &verdicts {
                let mut child = position;
                child.play(verdict.mv).unwrap();
                assert_eq!(verdict.wdl, -tables.probe_wdl(&child).unwrap());
                assert_eq!(verdict.dtz, -tables.probe_dtz(&child).unwrap());
            }
        }
    }
}

/// Playing the first move for both sides mates in every won position.
#[test]
fn the_best_moves_win() {
    for fen in
        ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 b - - 0 1", "8/8/8/8/3k4/8/3P4/3K4 b - - 0 1"]
    {
        let mut position: Position = fen.parse().unwrap();
        let start = TABLES.probe_wdl(&position).unwrap();
        let mut plies = 0;
        while let Some(mv) = TABLES.best_move(&position).unwrap() {
            position.play(mv).unwrap();
            plies += 1;
            if plies > 120 {
                break;
            }
        }
        assert_eq!(position.is_checkmate(), start != Wdl::Draw, "{fen}: {position} after {plies}");
    }
}

#[test]
fn the_halfmove_clock_decides_which_moves_are_best() {
    // Mate in 10 plies at best, whatever the clock; with 95 plies on it the win is gone.
    let position: Position = "8/8/8/8/8/2k5/8/K6R w - - 0 1".parse().unwrap();
    let dtz = TABLES.probe_dtz(&position).unwrap();
    assert!(dtz.get() > 10);
    assert_eq!(dtz.wdl(0), Wdl::Win);
    assert_eq!(dtz.wdl(100 - dtz.get() as u32), Wdl::Win);
    assert_eq!(dtz.wdl(101 - dtz.get() as u32), Wdl::CursedWin);
}

/// White has just played e2–e4: Black may take en passant, which no table knows.
const EN_PASSANT: &str = "K7/8/8/8/3pP3/8/8/k7 b - e3 0 1";

fn tables_with(pawn_endings: i8) -> Tablebases {
    let mut tables = TABLES.clone();
    tables.add_bytes("KPvKP.rtbw", constant_wdl("KPvKP", pawn_endings)).unwrap();
    tables.add_bytes("KPvKP.rtbz", constant_dtz("KPvKP")).unwrap();
    tables
}

#[test]
fn en_passant_is_searched() {
    let position: Position = EN_PASSANT.parse().unwrap();
    let mut after = position;
    after.play(position.parse_uci("d4e3").unwrap()).unwrap();
    let taken = -TABLES.probe_wdl(&after).unwrap();
    assert_eq!(taken, Wdl::Win);
    for others in [-2, 0, 2] {
        let tables = tables_with(others);
        assert_eq!(tables.probe_wdl(&position).unwrap(), taken);
        assert_eq!(tables.probe_dtz(&position).unwrap(), Dtz::new(1));
    }
    // Without the right the table's word counts.
    let without: Position = EN_PASSANT.replace("e3", "-").parse().unwrap();
    assert_eq!(tables_with(0).probe_wdl(&without).unwrap(), Wdl::Draw);
    assert_eq!(tables_with(-2).probe_wdl(&without).unwrap(), Wdl::Loss);
}

#[test]
fn a_worse_en_passant_capture_is_not_forced() {
    // After d4xe3 the king takes the pawn: a draw. The table says that Black wins otherwise.
    let position: Position = "8/8/8/8/k2pP3/8/5K2/8 b - e3 0 1".parse().unwrap();
    assert_eq!(tables_with(2).probe_wdl(&position).unwrap(), Wdl::Win);
    assert_eq!(tables_with(-2).probe_wdl(&position).unwrap(), Wdl::Draw);
}

#[test]
fn en_passant_is_forced_if_there_is_no_other_move() {
    // The king on h8 has no move and the pawn is blocked: only d4xe3 is left, after which White wins. The table, which
    // does not know it, has stalemate.
    let position: Position = "7k/8/6Q1/8/3pP3/3K4/8/8 b - e3 0 1".parse().unwrap();
    assert!(position.legal_moves().iter().all(|mv| mv.is_en_passant()));
    let mut tables = TABLES.clone();
    tables.add_bytes("KQPvKP.rtbw", constant_wdl("KQPvKP", 0)).unwrap();
    tables.add_bytes("KQvKP.rtbw", constant_wdl("KQvKP", 2)).unwrap();
    assert_eq!(tables.probe_wdl(&position).unwrap(), Wdl::Loss);
    assert_eq!(tables.probe_dtz(&position).unwrap(), Dtz::new(-1));
    let without: Position = "7k/8/6Q1/8/3pP3/3K4/8/8 b - - 0 1".parse().unwrap();
    assert_eq!(tables.probe_wdl(&without).unwrap(), Wdl::Draw);
}
