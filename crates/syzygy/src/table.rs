//! One table file: its head, its subtables and its values.

use std::path::PathBuf;
use std::sync::Arc;

use ferz_board::{Color, Piece, PieceType, Position};

use crate::header::Cursor;
use crate::layout::{Layout, LeadingPawns};
use crate::pairs::{Code, Pairs, SLACK};
use crate::store::{Budget, Fault, Region, Source, TableFile};
use crate::{Damage, Material, TableKind, Wdl};

/// Files up to this size are read as a whole.
const SMALL_FILE: u64 = 1 << 18;

/// The head of a file is looked for in as many bytes as this first, and then in as many as it can have.
const HEAD_LENS: [u64; 2] = [1 << 16, 1 << 21];

/// A checksum of 16 bytes stands behind the data.
pub(crate) const CHECKSUM_LEN: u64 = 16;

/// Everything but the checksum is aligned to this.
pub(crate) const ALIGNMENT: u64 = 64;

/// A table that is ready to be probed.
#[derive(Debug)]
pub(crate) struct Table {
    source: Source,
    kind: TableKind,
    /// With the colours that the file has: White is not always the side that is named first.
    material: Material,
    leading_pawns: Option<Color>,
    is_symmetric: bool,
    /// By file of the leading pawn, then by side to move.
    subtables: Box<[Subtable]>,
    sides: usize,
}

/// The values for one file of the leading pawn and one side to move.
#[derive(Debug)]
pub(crate) struct Subtable {
    pub(crate) layout: Layout,
    flags: Flags,
    pub(crate) values: Values,
    map: Option<DtzMap>,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few of them, and every probe goes through them")]
pub(crate) enum Values {
    /// All positions have this value.
    Constant(u16),
    Pairs(Pairs),
}

#[derive(Clone, Copy, Debug)]
struct Flags(u8);

impl Flags {
    /// The distances are those with Black to move.
    const BLACK_TO_MOVE: u8 = 1;
    /// Distances are numbers of a map.
    const MAPPED: u8 = 2;
    /// Distances of wins, or losses, are in plies, not moves.
    const WIN_PLIES: u8 = 4;
    const LOSS_PLIES: u8 = 8;
    /// The map has entries of 16 bits.
    const WIDE_MAP: u8 = 16;
    const SINGLE_VALUE: u8 = 128;

    #[inline(always)]
    fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}

/// Distances by result, the most frequent first.
#[derive(Debug)]
struct DtzMap([Box<[u16]>; 4]);

impl DtzMap {
    fn read(cursor: &mut Cursor<'_>, is_wide: bool) -> Result<DtzMap, Damage> {
        if is_wide {
            cursor.align(2)?;
        }
        let mut lists = [const { Vec::new() }; 4];
        for list in &mut lists {
            let len = if is_wide { cursor.u16()? } else { u16::from(cursor.u8()?) };
            for _ in 0..len {
                list.push(if is_wide { cursor.u16()? } else { u16::from(cursor.u8()?) });
            }
        }
        Ok(DtzMap(lists.map(Vec::into)))
    }

    #[inline(always)]
    fn get(&self, wdl: Wdl, number: u16) -> Result<u16, Damage> {
        let list = match wdl {
            Wdl::Win | Wdl::Draw => 0,
            Wdl::Loss => 1,
            Wdl::CursedWin => 2,
            Wdl::BlessedLoss => 3,
        };
        self.0[list].get(usize::from(number)).copied().ok_or(Damage::Value)
    }
}

/// The head of a file, before its parts have been read.
struct Head {
    material: Material,
    layouts: Vec<Layout>,
    parts: Vec<Part>,
    maps: Vec<Option<DtzMap>>,
    /// Where it ends.
    end: u64,
}

impl Table {
    /// Opens a file; small ones are read as a whole.
    pub(crate) fn open(
        path: PathBuf,
        material: Material,
        kind: TableKind,
        budget: &Arc<Budget>,
    ) -> Result<Table, Fault> {
        let source = Source::File(TableFile::open(path, Arc::clone(budget))?);
        if source.len() > SMALL_FILE || !budget.has_room(source.len()) {
            return Table::new(source, material, kind, budget);
        }
        let mut bytes = vec![0; source.len() as usize];
        source.read(&mut bytes, 0)?;
        Table::new(Source::Memory(bytes.into()), material, kind, budget)
    }

    /// Checks the head of a table and the size of the file.
    pub(crate) fn new(
        source: Source,
        material: Material,
        kind: TableKind,
        budget: &Arc<Budget>,
    ) -> Result<Table, Fault> {
        let head = read_head(&source, material, kind)?;
        let sides = head.layouts.len() / if material.has_pawns() { 4 } else { 1 };
        let leading_pawns = head.leading_pawns();
        let table = Table {
            kind,
            material: head.material,
            leading_pawns,
            is_symmetric: material.is_symmetric(),
            sides,
            subtables: head.into_subtables(&source, budget)?,
            source: match source {
                // The regions have copied what they need.
                Source::Memory(_) => Source::Memory(Box::default()),
                Source::File(_) => source,
            },
        };
        Ok(table)
    }

    /// The result of a position; captures and en passant must have been searched.
    #[inline]
    pub(crate) fn wdl(&self, position: &Position, material: Material) -> Result<Wdl, Fault> {
        let (subtable, index) = self.locate(position, material);
        let value = subtable.get(&self.source, index)?;
        Ok(Wdl::from_value(i32::from(value) - 2).ok_or(Damage::Value)?)
    }

    /// The plies to zeroing, less one, of a position with this result. `None` if the table has only those with the other
    /// side to move.
    #[inline]
    pub(crate) fn dtz(
        &self,
        position: &Position,
        material: Material,
        wdl: Wdl,
    ) -> Result<Option<i32>, Fault> {
        let (subtable, index) = self.locate(position, material);
        let is_black = self.is_black_to_move(position, material);
        if subtable.flags.has(Flags::BLACK_TO_MOVE) != is_black && !self.is_symmetric {
            return Ok(None);
        }
        let value = subtable.get(&self.source, index)?;
        let value = match &subtable.map {
            Some(map) => map.get(wdl, value)?,
            None => value,
        };
        let in_plies = match wdl {
            Wdl::Win => subtable.flags.has(Flags::WIN_PLIES),
            Wdl::Loss => subtable.flags.has(Flags::LOSS_PLIES),
            _ => false,
        };
        Ok(Some(i32::from(value) * if in_plies { 1 } else { 2 }))
    }

    /// The subtable and the index of a position with this material.
    #[inline(always)]
    fn locate(&self, position: &Position, material: Material) -> (&Subtable, u64) {
        let colors_exchanged = self.colors_exchanged(position, material);
        let side = if self.sides == 2 { usize::from(self.is_black_to_move(position, material)) } else { 0 };
        match self.leading_pawns {
            None => {
                let subtable = &self.subtables[side];
                (subtable, subtable.layout.index(position, colors_exchanged))
            }
            Some(color) => {
                let color = if colors_exchanged { !color } else { color };
                let pawns = position.by_type(PieceType::Pawn) & position.by_color(color);
                let pawns = LeadingPawns::new(pawns, colors_exchanged);
                let subtable = &self.subtables[pawns.file() * self.sides + side];
                (subtable, subtable.layout.pawn_index(position, colors_exchanged, pawns))
            }
        }
    }

    /// Whether White of the position is Black of the table.
    #[inline(always)]
    fn colors_exchanged(&self, position: &Position, material: Material) -> bool {
        if self.is_symmetric { position.side_to_move() == Color::Black } else { material != self.material }
    }

    /// Whether it is the turn of the side that is Black in the table.
    #[inline(always)]
    fn is_black_to_move(&self, position: &Position, material: Material) -> bool {
        (position.side_to_move() == Color::Black) != self.colors_exchanged(position, material)
    }

    pub(crate) fn kind(&self) -> TableKind {
        self.kind
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn subtables(&self) -> &[Subtable] {
        &self.subtables
    }
}

impl Subtable {
    #[inline(always)]
    fn get(&self, source: &Source, index: u64) -> Result<u16, Fault> {
        match &self.values {
            Values::Constant(value) => Ok(*value),
            Values::Pairs(pairs) => pairs.get(source, index),
        }
    }

    /// Whether a value can be one of this table.
    pub(crate) fn is_value(&self, kind: TableKind, value: u16) -> bool {
        match (kind, &self.map) {
            (TableKind::Wdl, _) => value <= 4,
            (TableKind::Dtz, Some(map)) => map.0.iter().any(|list| usize::from(value) < list.len()),
            (TableKind::Dtz, None) => true,
        }
    }
}

/// Reads as much of the file as its head needs.
fn read_head(source: &Source, material: Material, kind: TableKind) -> Result<Head, Fault> {
    for head_len in HEAD_LENS {
        let mut bytes = vec![0; source.len().min(head_len) as usize];
        source.read(&mut bytes, 0)?;
        match Head::read(&bytes, material, kind) {
            Err(Damage::Truncated) if source.len() > head_len => {}
            head => return Ok(head?),
        }
    }
    Err(Damage::Truncated.into())
}

impl Head {
    fn read(bytes: &[u8], material: Material, kind: TableKind) -> Result<Head, Damage> {
        let mut cursor = Cursor::new(bytes);
        if cursor.take() != Ok(kind.magic()) {
            return Err(Damage::Magic);
        }
        let layout = cursor.u8()?;
        let (is_split, has_pawns) = (layout & 1 != 0, layout & 2 != 0);
        if is_split == material.is_symmetric() || has_pawns != material.has_pawns() {
            return Err(Damage::Material);
        }
        let files = if has_pawns { 4 } else { 1 };
        let sides = if is_split && kind == TableKind::Wdl { 2 } else { 1 };
        let mut head = Head { material, layouts: Vec::new(), parts: Vec::new(), maps: Vec::new(), end: 0 };
        for file in 0..files {
            head.read_layouts(&mut cursor, file, sides)?;
        }
        cursor.align(2)?;
        for _ in 0..files * sides {
            head.parts.push(read_part(&mut cursor, kind)?);
        }
        for part in &head.parts {
            let is_mapped = kind == TableKind::Dtz && part.flags.has(Flags::MAPPED);
            let is_wide = part.flags.has(Flags::WIDE_MAP);
            head.maps.push(if is_mapped { Some(DtzMap::read(&mut cursor, is_wide)?) } else { None });
        }
        cursor.align(2)?;
        head.end = cursor.position();
        Ok(head)
    }

    /// Reads the men and their order for one file of the leading pawn.
    fn read_layouts(&mut self, cursor: &mut Cursor<'_>, file: usize, sides: usize) -> Result<(), Damage> {
        let both_have_pawns = Color::ALL.iter().all(|&color| self.material.count(color, PieceType::Pawn) > 0);
        let first = cursor.u8()?;
        let second = if both_have_pawns { cursor.u8()? } else { 0xff };
        let men: Vec<u8> = (0..self.material.men()).map(|_| cursor.u8()).collect::<Result<_, _>>()?;
        for side in 0..sides {
            let nibble = |byte: u8| byte >> (4 * side) & 0xf;
            let pieces: Vec<Piece> =
                men.iter().map(|&man| piece(nibble(man))).collect::<Option<_>>().ok_or(Damage::Pieces)?;
            let material = Material::of_pieces(&pieces).ok_or(Damage::Pieces)?;
            if self.layouts.is_empty() && material == self.material.with_colors_exchanged() {
                self.material = material;
            } else if material != self.material {
                return Err(Damage::Pieces);
            }
            self.layouts.push(Layout::new(&pieces, [first, second].map(nibble), file)?);
        }
        Ok(())
    }

    fn leading_pawns(&self) -> Option<Color> {
        self.layouts.first().and_then(Layout::leading_pawns)
    }

    /// Opens the parts behind the head, and checks that the file ends where they do.
    fn into_subtables(self, source: &Source, budget: &Arc<Budget>) -> Result<Box<[Subtable]>, Fault> {
        let places = self.places(source.len())?;
        let open = |place: Place, slack, marks| {
            Region::new(source, place.start, place.entries, place.entry_len, slack, marks, budget)
        };
        let parts = self.layouts.into_iter().zip(self.parts).zip(self.maps).zip(places);
        let subtables = parts.map(|(((layout, part), map), [sparse, lengths, data])| {
            let values = match part.code {
                None => Values::Constant(part.constant),
                Some(code) => {
                    let [sparse, lengths] = [open(sparse, 0, 0)?, open(lengths, 0, 0)?];
                    let data = open(data, SLACK, code.marks())?;
                    data.charge(code.memory());
                    Values::Pairs(Pairs { code, sparse, lengths, data })
                }
            };
            Ok(Subtable { layout, flags: part.flags, values, map })
        });
        subtables.collect()
    }

    /// Where the sparse indices, the lengths of the blocks and the blocks of each subtable lie, in this order.
    fn places(&self, file_len: u64) -> Result<Vec<[Place; 3]>, Damage> {
        let mut places = vec![[Place::default(); 3]; self.parts.len()];
        let mut end = self.end;
        for (region, alignment) in [(0, 1), (1, 1), (2, ALIGNMENT)] {
            for (i, part) in self.parts.iter().enumerate() {
                let Some(code) = &part.code else { continue };
                let (entries, entry_len) = match region {
                    0 => (self.layouts[i].size().div_ceil(1 << code.span_bits), 6),
                    1 => (code.listed_blocks, 2),
                    _ => (u64::from(code.blocks), 1 << code.block_bits),
                };
                end = end.next_multiple_of(alignment);
                places[i][region] = Place { start: end, entries, entry_len };
                // Each part is below 2^50: blocks have at most 2^16 bytes, layouts less than 2^40 indices.
                end += entries * entry_len as u64;
            }
        }
        let expected = end.next_multiple_of(ALIGNMENT) + CHECKSUM_LEN;
        if expected == file_len { Ok(places) } else { Err(Damage::Length { expected, found: file_len }) }
    }
}

/// Where a part of a subtable lies.
#[derive(Clone, Copy, Default)]
struct Place {
    start: u64,
    entries: u64,
    entry_len: usize,
}

/// The flags of a subtable and its code, or its only value.
struct Part {
    flags: Flags,
    code: Option<Code>,
    constant: u16,
}

/// Reads the flags and the code of a subtable.
fn read_part(cursor: &mut Cursor<'_>, kind: TableKind) -> Result<Part, Damage> {
    let flags = Flags(cursor.u8()?);
    if flags.has(Flags::SINGLE_VALUE) {
        // A single distance is not stored: it is zero plies before the zeroing move.
        let value = cursor.u8()?;
        let constant = if kind == TableKind::Wdl { u16::from(value) } else { 0 };
        return Ok(Part { flags, code: None, constant });
    }
    Ok(Part { flags, code: Some(Code::read(cursor)?), constant: 0 })
}

/// The piece of a nibble.
fn piece(nibble: u8) -> Option<Piece> {
    let color = if nibble & 8 == 0 { Color::White } else { Color::Black };
    let piece_type = PieceType::ALL.get(usize::from(nibble & 7).checked_sub(1)?)?;
    Some(piece_type.of(color))
}
