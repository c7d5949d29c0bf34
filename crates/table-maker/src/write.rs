//! Table files.

use ferz_board::{PieceType, Square};
use ferz_syzygy::checksum;

use crate::compress::{Compressed, compress};
use crate::index::{PAWN_LEN, Triples, pawn_number};
use crate::solve::{Solution, State, Value};

/// How a DTZ table has its distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DtzStyle {
    /// In plies.
    Plies,
    /// In plies, as numbers of a map with 8 bits.
    Mapped,
    /// In plies, as numbers of a map with 16 bits.
    WideMapped,
    /// In moves, so that a distance may be one ply too short.
    Moves,
}

const WDL_MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
const DTZ_MAGIC: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

/// The sides of a table differ.
const SPLIT: u8 = 1;
const HAS_PAWNS: u8 = 2;

const MAPPED: u8 = 2;
const WIN_PLIES: u8 = 4;
const LOSS_PLIES: u8 = 8;
const WIDE_MAP: u8 = 16;
const SINGLE_VALUE: u8 = 128;

/// The nibble of a black piece has this bit.
const BLACK: u8 = 8;

fn nibble(piece_type: PieceType) -> u8 {
    piece_type as u8 + 1
}

/// A subtable before compression: flags, the values that are not illegal, and the lists of its map.
struct Subtable {
    flags: u8,
    values: Vec<Option<u16>>,
    map: [Vec<u16>; 2],
}

/// The WDL table of an ending.
pub(crate) fn wdl_table(solution: &Solution) -> Vec<u8> {
    let wdl = |value: Value| match value {
        Value::Illegal => None,
        Value::Loss(_) => Some(0),
        Value::Unknown => Some(2),
        Value::Win(_) => Some(4),
    };
    let sides = [true, false].map(|is_strong| values_by_number(solution, is_strong, wdl));
    let [strong, weak] = sides;
    let subtable = |values| Subtable { flags: 0, values, map: [const { Vec::new() }; 2] };
    let subtables =
        strong.into_iter().zip(weak).flat_map(|(strong, weak)| [subtable(strong), subtable(weak)]);
    table(solution.man(), WDL_MAGIC, &subtables.collect::<Vec<_>>())
}

/// The DTZ table of an ending, with the stronger side to move.
pub(crate) fn dtz_table(solution: &Solution, style: DtzStyle) -> Vec<u8> {
    let in_style = |plies: u16| if style == DtzStyle::Moves { plies / 2 } else { plies };
    let plies = |value: Value| match value {
        Value::Illegal => None,
        Value::Unknown => Some((None, 0)),
        Value::Win(plies) => Some((Some(0), in_style(u16::from(plies) - 1))),
        Value::Loss(plies) => Some((Some(1), in_style(u16::from(plies.max(1)) - 1))),
    };
    let files = values_by_number(solution, true, plies);
    let subtables = files.into_iter().map(|values| {
        let mut map = [const { Vec::new() }; 2];
        let flags = match style {
            DtzStyle::Moves => 0,
            DtzStyle::Plies => WIN_PLIES | LOSS_PLIES,
            DtzStyle::Mapped => WIN_PLIES | LOSS_PLIES | MAPPED,
            DtzStyle::WideMapped => WIN_PLIES | LOSS_PLIES | MAPPED | WIDE_MAP,
        };
        let mut number = |list: Option<usize>, plies: u16| {
            let Some(list) = list.filter(|_| flags & MAPPED != 0) else { return plies };
            let list: &mut Vec<u16> = &mut map[list];
            let place = list.iter().position(|&other| other == plies).unwrap_or_else(|| {
                list.push(plies);
                list.len() - 1
            });
            place as u16
        };
        let values = values.into_iter().map(|value| value.map(|(list, plies)| number(list, plies))).collect();
        Subtable { flags, values, map }
    });
    table(solution.man(), DTZ_MAGIC, &subtables.collect::<Vec<_>>())
}

/// What a function makes of the values with one side to move, by file of the pawn and by number.
fn values_by_number<T: Copy>(
    solution: &Solution,
    is_strong: bool,
    convert: impl Fn(Value) -> Option<T>,
) -> Vec<Vec<Option<T>>> {
    let triples = Triples::new();
    let is_pawn = solution.man() == PieceType::Pawn;
    let mut files = if is_pawn { vec![vec![None; PAWN_LEN]; 4] } else { vec![vec![None; triples.len()]] };
    for state in State::all().filter(|state| state.is_strong_to_move == is_strong) {
        if let Some(value) = convert(solution.value(state)) {
            let squares: [Square; 3] = [state.strong_king, state.weak_king, state.man];
            let (file, number) =
                if is_pawn { pawn_number(state) } else { (0, triples.number(squares).unwrap_or_default()) };
            files[file][number] = Some(value);
        }
    }
    files
}

/// Writes a table.
fn table(man: PieceType, magic: [u8; 4], subtables: &[Subtable]) -> Vec<u8> {
    let king = nibble(PieceType::King);
    let men = match man {
        PieceType::Pawn => [nibble(man), king, king | BLACK],
        _ => [king, king | BLACK, nibble(man)],
    };
    let files = if man == PieceType::Pawn { 4 } else { 1 };
    let mut bytes = magic.to_vec();
    bytes.push(3 << 4 | SPLIT | if files == 4 { HAS_PAWNS } else { 0 });
    for _ in 0..files {
        // The leading men come first in the order. Both sides to move have the same men: one nibble each.
        bytes.push(0);
        bytes.extend(men.map(|man| man | man << 4));
    }
    align(&mut bytes, 2);
    let parts: Vec<Option<Compressed>> =
        subtables.iter().map(|subtable| write_code(&mut bytes, subtable)).collect();
    for subtable in subtables.iter().filter(|subtable| subtable.flags & MAPPED != 0) {
        write_map(&mut bytes, subtable);
    }
    align(&mut bytes, 2);
    let parts: Vec<Compressed> = parts.into_iter().flatten().collect();
    parts.iter().for_each(|part| bytes.extend(&part.sparse_index));
    parts.iter().for_each(|part| bytes.extend(&part.block_lengths));
    for part in &parts {
        align(&mut bytes, 64);
        bytes.extend(&part.blocks);
    }
    finish(bytes)
}

/// Writes flags and code of a subtable, or its only value; returns the rest.
fn write_code(bytes: &mut Vec<u8>, subtable: &Subtable) -> Option<Compressed> {
    let first = subtable.values.iter().flatten().next().copied().unwrap_or(0);
    let mut last = first;
    let mut value_or_last = |value: Option<u16>| {
        // An illegal position has the value before it, which makes runs longer.
        last = value.unwrap_or(last);
        last
    };
    let values: Vec<u16> = subtable.values.iter().map(|&value| value_or_last(value)).collect();
    if values.iter().all(|&value| value == first) {
        bytes.extend([SINGLE_VALUE, first as u8]);
        return None;
    }
    let compressed = compress(&values);
    bytes.push(subtable.flags);
    bytes.extend(&compressed.code);
    align(bytes, 2);
    Some(compressed)
}

/// Writes the map of a subtable: wins and losses, and empty lists for cursed wins and blessed losses.
fn write_map(bytes: &mut Vec<u8>, subtable: &Subtable) {
    let is_wide = subtable.flags & WIDE_MAP != 0;
    if is_wide {
        align(bytes, 2);
    }
    let [wins, losses] = &subtable.map;
    for list in [wins, losses, &Vec::new(), &Vec::new()] {
        for number in [list.len() as u16].iter().chain(list) {
            let [low, high] = number.to_le_bytes();
            bytes.push(low);
            if is_wide {
                bytes.push(high);
            }
        }
    }
}

/// A WDL table that has one value for every position and side to move: -2 (loss) to 2 (win). The name is that of the
/// table, such as `KPvKP`.
#[must_use]
pub fn constant_wdl(name: &str, wdl: i8) -> Vec<u8> {
    constant(name, WDL_MAGIC, (wdl + 2) as u8)
}

/// A DTZ table that says of every position that the next move zeroes.
#[must_use]
pub fn constant_dtz(name: &str) -> Vec<u8> {
    constant(name, DTZ_MAGIC, 0)
}

fn constant(name: &str, magic: [u8; 4], value: u8) -> Vec<u8> {
    let (white, black) = name.split_once('v').unwrap_or_default();
    let is_split = white != black;
    let men = |side: &str, color: u8| -> Vec<u8> {
        side.chars().filter_map(PieceType::from_char).map(|man| nibble(man) | color).collect()
    };
    let mut men = [men(white, 0), men(black, BLACK)].concat();
    let is_pawn = |man: u8| man & 7 == nibble(PieceType::Pawn);
    men.sort_by_key(|&man| !is_pawn(man));
    let has_pawns = is_pawn(men[0]);
    let both_have_pawns = name.matches('P').count() == 2 && white.contains('P') && black.contains('P');
    let mut bytes = magic.to_vec();
    bytes.push(
        (men.len() as u8) << 4 | if is_split { SPLIT } else { 0 } | if has_pawns { HAS_PAWNS } else { 0 },
    );
    let files = if has_pawns { 4 } else { 1 };
    for _ in 0..files {
        bytes.push(0);
        if both_have_pawns {
            bytes.push(0x11);
        }
        bytes.extend(men.iter().map(|man| man | man << 4));
    }
    align(&mut bytes, 2);
    let sides = if is_split && magic == WDL_MAGIC { 2 } else { 1 };
    bytes.extend([SINGLE_VALUE, value].repeat(files * sides));
    finish(bytes)
}

fn align(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

/// Adds the checksum.
fn finish(mut bytes: Vec<u8>) -> Vec<u8> {
    align(&mut bytes, 64);
    let sum = checksum(&bytes);
    bytes.extend(sum);
    bytes
}
