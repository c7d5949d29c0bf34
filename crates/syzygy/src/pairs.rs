//! Compressed values: recursive pairing, coded with a canonical Huffman code in blocks of equal size.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::Damage;
use crate::header::Cursor;
use crate::store::{Fault, Region, Source};

/// Bytes behind a block that a decoder may look at.
pub(crate) const SLACK: usize = 8;

/// Prefixes of the code that are looked up: longer ones cost memory and pay where blocks are long.
const LOOKUP_BITS: u32 = 10;
const LONG_LOOKUP_BITS: u32 = 12;
const LONG_BLOCK_BITS: u8 = 8;

/// The largest blocks are 1,024 bytes in the public tables.
const MAX_BLOCK_BITS: u8 = 16;

/// The code of a subtable: its symbols, and where its parts lie.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) block_bits: u8,
    pub(crate) span_bits: u8,
    pub(crate) blocks: u32,
    /// Lengths are listed for more blocks than there are, so that a scan may pass the last one.
    pub(crate) listed_blocks: u64,
    min_len: u32,
    /// By length: the lowest code, shifted to the top of a word, and its symbol.
    lengths: Box<[(u64, u16)]>,
    lookup: Box<[Entry]>,
    lookup_shift: u32,
    symbols: Box<[Symbol]>,
}

/// A symbol stands for one value, or for two symbols one after the other.
#[derive(Clone, Copy, Default, Debug)]
struct Symbol {
    /// The first symbol, or the value.
    left: u16,
    right: u16,
    /// How many values it stands for.
    values: u16,
}

const NO_RIGHT: u16 = 0xfff;

/// What a prefix of the code says. Zero if its first code is longer than the prefix.
///
/// From the lowest bit: the length of all codes that are complete in the prefix (6 bits, so that a shift needs no mask)
/// and the number of values they stand for (16), then the length (6), values (9) and symbol (12) of the first of them.
#[derive(Clone, Copy, Default, Debug)]
struct Entry(u64);

impl Entry {
    fn new(symbol: u16, values: u16, len: u32) -> Entry {
        let (len, values, symbol) = (u64::from(len), u64::from(values), u64::from(symbol));
        Entry(len | values << 6 | len << 22 | values << 28 | symbol << 37)
    }

    /// With more codes behind the first one.
    fn with(self, more: Entry) -> Entry {
        Entry(self.0 + u64::from(more.all_len()) + (u64::from(more.all_values()) << 6))
    }

    #[inline(always)]
    fn all_len(self) -> u32 {
        (self.0 & 0x3f) as u32
    }

    #[inline(always)]
    fn all_values(self) -> u32 {
        (self.0 >> 6 & 0xffff) as u32
    }

    #[inline(always)]
    fn len(self) -> u32 {
        (self.0 >> 22 & 0x3f) as u32
    }

    #[inline(always)]
    fn values(self) -> u32 {
        (self.0 >> 28 & 0x1ff) as u32
    }

    #[inline(always)]
    fn symbol(self) -> u16 {
        (self.0 >> 37) as u16
    }
}

impl Code {
    /// Reads the code; the flags before it have been read.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Code, Damage> {
        let [block_bits, span_bits, padding] = [cursor.u8()?, cursor.u8()?, cursor.u8()?];
        let blocks = cursor.u32()?;
        let [max_len, min_len] = [cursor.u8()?, cursor.u8()?].map(u32::from);
        if block_bits > MAX_BLOCK_BITS || !(1..32).contains(&span_bits) || blocks == 0 {
            return Err(Damage::Blocks);
        }
        if min_len == 0 || max_len < min_len || max_len > 32 {
            return Err(Damage::Code);
        }
        let lengths = read_lengths(cursor, min_len, max_len)?;
        let symbols = read_symbols(cursor)?;
        let lookup_bits =
            max_len.min(if block_bits < LONG_BLOCK_BITS { LOOKUP_BITS } else { LONG_LOOKUP_BITS });
        let mut code = Code {
            block_bits,
            span_bits,
            blocks,
            listed_blocks: u64::from(blocks) + u64::from(padding),
            min_len,
            lengths,
            lookup: Box::default(),
            lookup_shift: 64 - lookup_bits,
            symbols,
        };
        code.lookup = (0..1_u64 << lookup_bits).map(|prefix| code.complete(prefix, lookup_bits)).collect();
        Ok(code)
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        (size_of_val(&*self.lookup) + size_of_val(&*self.symbols)) as u64
    }

    /// All codes that are complete in a prefix of this length.
    fn complete(&self, prefix: u64, bits: u32) -> Entry {
        let mut window = prefix << (64 - bits);
        let mut entries = Entry::default();
        while let Some(next) = self.search(window).filter(|next| entries.all_len() + next.len() <= bits) {
            entries = if entries.0 == 0 { next } else { entries.with(next) };
            window <<= next.len();
        }
        entries
    }

    /// Finds the first code of a window by its length; `None` if there is no such symbol.
    fn search(&self, window: u64) -> Option<Entry> {
        let i = self.lengths.iter().position(|&(lowest, _)| window >= lowest)?;
        let (lowest, first) = self.lengths[i];
        let len = self.min_len + i as u32;
        let number = u64::from(first) + ((window - lowest) >> (64 - len));
        let symbol = self.symbols.get(usize::try_from(number).ok()?)?;
        Some(Entry::new(number as u16, symbol.values, len))
    }

    #[inline(always)]
    fn entry(&self, window: u64) -> Result<Entry, Damage> {
        match self.lookup.get((window >> self.lookup_shift) as usize) {
            Some(&entry) if entry.0 != 0 => Ok(entry),
            _ => self.search(window).ok_or(Damage::Code),
        }
    }

    /// How many marks a block has. Their places are numbers of 16 bits.
    pub(crate) fn marks(&self) -> usize {
        match self.block_bits {
            ..LONG_BLOCK_BITS => 3,
            LONG_BLOCK_BITS..=13 => 7,
            _ => 0,
        }
    }

    /// The value with this number in a block. Decoding begins at the last mark before it, and makes marks on its way.
    #[inline]
    pub(crate) fn decode(&self, block: &[u8], marks: &[AtomicU32], number: u32) -> Result<u16, Damage> {
        let load = |mark: &AtomicU32| Mark(mark.load(Ordering::Relaxed));
        let last = marks.iter().rposition(|mark| load(mark).is_set() && load(mark).number() <= number);
        let start = last.map_or(Mark(0), |last| load(&marks[last]));
        let mut next_mark = last.map_or(0, |last| last + 1);
        // Marks are this many bits apart.
        let distance = (8 << self.block_bits) / (marks.len() as u32 + 1);
        let mut bits = Bits::at(block, start.bit())?;
        let mut left = number.saturating_sub(start.number());
        loop {
            let entry = self.entry(bits.window)?;
            if left >= entry.all_values() {
                left -= entry.all_values();
                bits.skip(entry.all_len())?;
            } else if left >= entry.values() {
                left -= entry.values();
                bits.skip(entry.len())?;
            } else {
                return self.value(entry.symbol(), left);
            }
            if bits.position >= distance * (next_mark as u32 + 1) {
                if let Some(mark) = marks.get(next_mark) {
                    mark.store(Mark::new(number - left, bits.position).0, Ordering::Relaxed);
                }
                next_mark += 1;
            }
        }
    }

    /// A value of a symbol.
    #[inline]
    fn value(&self, symbol: u16, mut number: u32) -> Result<u16, Damage> {
        let get = |symbol: u16| self.symbols.get(usize::from(symbol)).copied().ok_or(Damage::Symbols);
        let mut symbol = get(symbol)?;
        while symbol.values > 1 {
            let left = get(symbol.left)?;
            let in_left = u32::from(left.values);
            symbol = if number < in_left {
                left
            } else {
                number -= in_left;
                get(symbol.right)?
            };
        }
        Ok(symbol.left)
    }

    /// By symbol: whether all its values pass a test.
    pub(crate) fn symbols_with(&self, is_value: impl Fn(u16) -> bool) -> Vec<bool> {
        let all = |(number, symbol): (usize, &Symbol)| {
            (0..u32::from(symbol.values)).all(|i| self.value(number as u16, i).is_ok_and(&is_value))
        };
        self.symbols.iter().enumerate().map(all).collect()
    }

    /// Decodes a block that has this many values. Its symbols must be valid.
    pub(crate) fn check_block(&self, block: &[u8], mut count: u32, valid: &[bool]) -> Result<(), Damage> {
        let mut bits = Bits::at(block, 0)?;
        while count > 0 {
            let entry = self.entry(bits.window)?;
            if !valid[usize::from(entry.symbol())] {
                return Err(Damage::Value);
            }
            // The last symbol may stand for more values than are left.
            count = count.saturating_sub(entry.values());
            bits.skip(entry.len())?;
        }
        Ok(())
    }
}

/// Where a code begins in a block: its bit, and the number of its first value. Zero is no mark.
#[derive(Clone, Copy)]
struct Mark(u32);

impl Mark {
    fn new(number: u32, bit: u32) -> Mark {
        // A place that does not fit is no mark.
        if number | bit > 0xffff { Mark(0) } else { Mark(number << 16 | bit) }
    }

    #[inline(always)]
    fn is_set(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn number(self) -> u32 {
        self.0 >> 16
    }

    #[inline(always)]
    fn bit(self) -> u32 {
        self.0 & 0xffff
    }
}

/// The next bits of a block, the first at the top.
struct Bits<'a> {
    window: u64,
    /// The bits before the window.
    position: u32,
    /// How many bits of the window are there.
    available: u32,
    rest: &'a [u8],
}

impl<'a> Bits<'a> {
    #[inline(always)]
    fn at(block: &'a [u8], bit: u32) -> Result<Bits<'a>, Damage> {
        let block = block.get(bit as usize / 8..).ok_or(Damage::Blocks)?;
        let (first, rest) = block.split_first_chunk::<8>().ok_or(Damage::Blocks)?;
        let window = u64::from_be_bytes(*first) << (bit % 8);
        Ok(Bits { window, position: bit, available: 64 - bit % 8, rest })
    }

    /// Skips up to 32 bits. The slack behind a block is enough for those of the block.
    #[inline(always)]
    fn skip(&mut self, count: u32) -> Result<(), Damage> {
        self.window <<= count;
        self.position += count;
        self.available -= count;
        if self.available <= 32 {
            let (next, rest) = self.rest.split_first_chunk::<4>().ok_or(Damage::Blocks)?;
            self.window |= u64::from(u32::from_be_bytes(*next)) << (32 - self.available);
            self.available += 32;
            self.rest = rest;
        }
        Ok(())
    }
}

/// Reads the first symbol of each length, and computes the lowest codes from them: the code is canonical, longer codes
/// come first.
fn read_lengths(cursor: &mut Cursor<'_>, min_len: u32, max_len: u32) -> Result<Box<[(u64, u16)]>, Damage> {
    let firsts: Vec<u16> = (min_len..=max_len).map(|_| cursor.u16()).collect::<Result<_, _>>()?;
    let mut lengths = vec![(0, 0); firsts.len()];
    let mut lowest = 0_u64;
    for i in (0..firsts.len()).rev() {
        if let Some(&longer) = firsts.get(i + 1) {
            let doubled =
                (lowest + u64::from(firsts[i])).checked_sub(u64::from(longer)).ok_or(Damage::Code)?;
            lowest = doubled / 2;
        }
        let len = min_len + i as u32;
        if lowest >> len != 0 {
            return Err(Damage::Code);
        }
        lengths[i] = (lowest << (64 - len), firsts[i]);
    }
    if lengths.is_sorted_by(|a, b| a.0 >= b.0) { Ok(lengths.into()) } else { Err(Damage::Code) }
}

/// Reads the tree of symbols: no symbol may contain itself or stand for more than 256 values.
fn read_symbols(cursor: &mut Cursor<'_>) -> Result<Box<[Symbol]>, Damage> {
    let count = usize::from(cursor.u16()?);
    let mut symbols = vec![Symbol::default(); count];
    for symbol in &mut symbols {
        let [a, b, c] = [cursor.u8()?, cursor.u8()?, cursor.u8()?].map(u16::from);
        *symbol = Symbol { left: a | (b & 0xf) << 8, right: b >> 4 | c << 4, values: 0 };
    }
    cursor.align(2)?;
    for symbol in 0..count {
        count_values(&mut symbols, symbol)?;
    }
    Ok(symbols.into())
}

/// Counts the values of a symbol and of all that it is made of.
fn count_values(symbols: &mut [Symbol], root: usize) -> Result<(), Damage> {
    let mut open = vec![root];
    while let Some(&number) = open.last() {
        let Symbol { left, right, .. } = symbols[number];
        if right == NO_RIGHT {
            symbols[number].values = 1;
            open.pop();
            continue;
        }
        let parts = [left, right].map(usize::from);
        let [Some(first), Some(second)] = parts.map(|part| symbols.get(part).map(|symbol| symbol.values))
        else {
            return Err(Damage::Symbols);
        };
        match (first, second) {
            (0, _) => open.push(parts[0]),
            (_, 0) => open.push(parts[1]),
            _ => {
                symbols[number].values = first + second;
                if symbols[number].values > 256 {
                    return Err(Damage::Symbols);
                }
                open.pop();
            }
        }
        // A chain of symbols that have no value yet cannot be longer than there are symbols, unless it is a circle.
        if open.len() > symbols.len() {
            return Err(Damage::Symbols);
        }
    }
    Ok(())
}

/// A code and the parts of the file that it reads.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub(crate) code: Code,
    /// Block and place of the middle of every span of values.
    pub(crate) sparse: Region,
    /// How many values each block has, less one.
    pub(crate) lengths: Region,
    pub(crate) data: Region,
}

impl Pairs {
    /// The value with this index.
    #[inline]
    pub(crate) fn get(&self, source: &Source, index: u64) -> Result<u16, Fault> {
        let (block, number) = self.locate(source, index)?;
        let (bytes, marks) = self.data.get_with_marks(source, block)?;
        Ok(self.code.decode(&bytes, marks, number)?)
    }

    /// The block of an index, and its number in the block.
    #[inline]
    pub(crate) fn locate(&self, source: &Source, index: u64) -> Result<(u64, u32), Fault> {
        let span = 1_i64 << self.code.span_bits;
        let sparse = self.sparse.get(source, index >> self.code.span_bits)?;
        let &[a, b, c, d, e, f] = sparse.as_ref() else { return Err(Damage::Blocks.into()) };
        let mut block = u64::from(u32::from_le_bytes([a, b, c, d]));
        let mut number = i64::from(u16::from_le_bytes([e, f])) + (index as i64 & (span - 1)) - span / 2;
        while number < 0 {
            block = block.checked_sub(1).ok_or(Damage::Blocks)?;
            number += self.block_len(source, block)?;
        }
        loop {
            let len = self.block_len(source, block)?;
            if number < len {
                break;
            }
            number -= len;
            block += 1;
        }
        if block >= u64::from(self.code.blocks) {
            return Err(Damage::Blocks.into());
        }
        Ok((block, number as u32))
    }

    /// How many values a block has.
    #[inline(always)]
    pub(crate) fn block_len(&self, source: &Source, block: u64) -> Result<i64, Fault> {
        let bytes = self.lengths.get(source, block)?;
        let &[low, high] = bytes.as_ref() else { return Err(Damage::Blocks.into()) };
        Ok(i64::from(u16::from_le_bytes([low, high])) + 1)
    }
}
