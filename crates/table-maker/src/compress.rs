//! Compression: runs of equal values as pairs of pairs, coded with a canonical Huffman code.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The power of two of the block size, in bytes.
const BLOCK_BITS: u8 = 6;
/// The power of two of the values from one entry of the sparse index to the next.
const SPAN_BITS: u8 = 9;
/// The longest run that has a symbol.
const MAX_RUN: usize = 128;

/// A compressed subtable in its parts.
#[derive(Debug)]
pub(crate) struct Compressed {
    /// From the size of the blocks to the symbols.
    pub(crate) code: Vec<u8>,
    pub(crate) sparse_index: Vec<u8>,
    pub(crate) block_lengths: Vec<u8>,
    pub(crate) blocks: Vec<u8>,
}

/// A run of one value; the length is a power of two.
type Run = (u16, usize);

/// The code of a run.
struct Codeword {
    symbol: u16,
    bits: u32,
    len: u32,
}

/// Compresses values that are not all the same.
pub(crate) fn compress(values: &[u16]) -> Compressed {
    let runs = split_into_runs(values);
    let lengths = code_lengths(&runs);
    let (codewords, mut code) = canonical_code(&lengths);
    let (blocks, block_lens) = pack(&runs, &codewords);
    let mut head = vec![BLOCK_BITS, SPAN_BITS, 0];
    head.extend((block_lens.len() as u32).to_le_bytes());
    head.append(&mut code);
    Compressed {
        code: head,
        sparse_index: sparse_index(values.len(), &block_lens),
        block_lengths: block_lens.iter().flat_map(|&len| ((len - 1) as u16).to_le_bytes()).collect(),
        blocks,
    }
}

fn split_into_runs(values: &[u16]) -> Vec<Run> {
    let mut runs = Vec::new();
    for run in values.chunk_by(u16::eq) {
        let mut left = run.len();
        while left > 0 {
            let len = (1 << left.ilog2()).min(MAX_RUN);
            runs.push((run[0], len));
            left -= len;
        }
    }
    runs
}

/// Huffman's algorithm. Runs that others are made of are there, used or not.
fn code_lengths(runs: &[Run]) -> BTreeMap<Run, u32> {
    let mut counts = BTreeMap::<Run, u64>::new();
    for &(value, len) in runs {
        *counts.entry((value, len)).or_default() += 1;
        for bits in 0..len.ilog2() {
            counts.entry((value, 1 << bits)).or_default();
        }
    }
    let mut lengths: BTreeMap<Run, u32> = counts.keys().map(|&run| (run, 0)).collect();
    let mut heap: BinaryHeap<Reverse<(u64, Vec<Run>)>> =
        counts.into_iter().map(|(run, count)| Reverse((count, vec![run]))).collect();
    while heap.len() > 1 {
        let [Some(Reverse((a, mut members))), Some(Reverse((b, more)))] = [heap.pop(), heap.pop()] else {
            break;
        };
        members.extend(more);
        for run in &members {
            *lengths.entry(*run).or_default() += 1;
        }
        heap.push(Reverse((a + b, members)));
    }
    lengths
}

/// Numbers the symbols, the longest codes first, and writes the code as tables have it.
fn canonical_code(lengths: &BTreeMap<Run, u32>) -> (BTreeMap<Run, Codeword>, Vec<u8>) {
    let mut runs: Vec<(u32, Run)> = lengths.iter().map(|(&run, &len)| (len, run)).collect();
    runs.sort_by_key(|&(len, run)| (Reverse(len), run));
    let (max_len, min_len) = (runs[0].0, runs[runs.len() - 1].0);
    assert!((1..=32).contains(&min_len) && max_len <= 32, "code lengths from {min_len} to {max_len}");
    let mut codewords = BTreeMap::new();
    let (mut bits, mut last_len) = (0, max_len);
    for (symbol, &(len, run)) in runs.iter().enumerate() {
        bits >>= last_len - len;
        codewords.insert(run, Codeword { symbol: symbol as u16, bits, len });
        (bits, last_len) = (bits + 1, len);
    }
    let mut code = vec![max_len as u8, min_len as u8];
    for len in min_len..=max_len {
        let first = runs.iter().filter(|run| run.0 > len).count();
        code.extend((first as u16).to_le_bytes());
    }
    code.extend((runs.len() as u16).to_le_bytes());
    for (_, (value, len)) in runs {
        let (left, right) = match len {
            1 => (value, 0xfff),
            _ => [codewords[&(value, len / 2)].symbol; 2].into(),
        };
        code.extend([left as u8, (left >> 8 | right << 4) as u8, (right >> 4) as u8]);
    }
    (codewords, code)
}

/// Packs codes into blocks; also the number of values in each.
fn pack(runs: &[Run], codewords: &BTreeMap<Run, Codeword>) -> (Vec<u8>, Vec<usize>) {
    let block_len = 1 << BLOCK_BITS;
    let (mut blocks, mut lens) = (Vec::<u8>::new(), Vec::<usize>::new());
    let mut used = usize::MAX;
    for run in runs {
        let codeword = &codewords[run];
        if used.saturating_add(codeword.len as usize) > 8 * block_len {
            blocks.resize(blocks.len() + block_len, 0);
            lens.push(0);
            used = 0;
        }
        let block = blocks.len() - block_len;
        for i in (0..codeword.len).rev() {
            if codeword.bits >> i & 1 == 1 {
                blocks[block + used / 8] |= 0x80 >> (used % 8);
            }
            used += 1;
        }
        if let Some(len) = lens.last_mut() {
            *len += run.1;
        }
    }
    (blocks, lens)
}

/// Where the middle of every span is: the block, and the place in it. A middle behind the end counts on from the last
/// block.
fn sparse_index(values: usize, block_lens: &[usize]) -> Vec<u8> {
    let span = 1 << SPAN_BITS;
    let (mut block, mut start) = (0, 0);
    let mut index = Vec::new();
    for middle in (0..values).step_by(span).map(|first| first + span / 2) {
        while block + 1 < block_lens.len() && start + block_lens[block] <= middle {
            start += block_lens[block];
            block += 1;
        }
        index.extend((block as u32).to_le_bytes());
        index.extend(((middle - start) as u16).to_le_bytes());
    }
    index
}
