//! Memory that JavaScript reads and writes between calls.

use std::cell::RefCell;

use ferz_board::{Move, Position};
use ferz_notation::san::San;

/// The numbers of a search, and the counts of `divide`.
pub const NUMBERS: usize = 256;

thread_local! {
    /// A packed position.
    static PACKED: RefCell<[u8; 32]> = const { RefCell::new([0; 32]) };
    /// Moves by their bits.
    static MOVES: RefCell<[u16; 256]> = const { RefCell::new([0; 256]) };
    /// SAN, eight bytes each.
    static SANS: RefCell<[u64; 256]> = const { RefCell::new([0; 256]) };
    static NUMBERS_BUFFER: RefCell<[f64; NUMBERS]> = const { RefCell::new([0.0; NUMBERS]) };
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

exports! {
    /// Where packed positions are exchanged: 32 bytes. The place never changes.
    fn packed_address() -> *mut u8 {
        PACKED.with_borrow_mut(|packed| packed.as_mut_ptr())
    }

    /// Where moves are exchanged: 256 `u16`. The place never changes.
    fn moves_address() -> *mut u16 {
        MOVES.with_borrow_mut(|moves| moves.as_mut_ptr())
    }

    /// Where SAN is exchanged: 256 times 8 bytes. The place never changes.
    fn sans_address() -> *mut u64 {
        SANS.with_borrow_mut(|sans| sans.as_mut_ptr())
    }

    /// Where numbers are exchanged: 256 `f64`. The place never changes.
    fn numbers_address() -> *mut f64 {
        NUMBERS_BUFFER.with_borrow_mut(|numbers| numbers.as_mut_ptr())
    }

    /// Makes room for input and says where. The place changes only with a call of this function.
    fn reserve_input(length: usize) -> *mut u8 {
        INPUT.with_borrow_mut(|input| {
            // Long texts are rare: their memory is given back when a short one comes.
            input.clear();
            input.shrink_to(length);
            input.resize(length, 0);
            input.as_mut_ptr()
        })
    }

    /// Where the output of the last call is.
    fn output_address() -> *const u8 {
        OUTPUT.with_borrow(Vec::as_ptr)
    }
}

/// The packed position that JavaScript has written.
pub fn packed() -> [u8; 32] {
    PACKED.with_borrow(|packed| *packed)
}

/// Packs a position for JavaScript.
pub fn set_packed(bytes: [u8; 32]) {
    PACKED.with_borrow_mut(|packed| *packed = bytes);
}

/// Writes moves; returns their number.
pub fn set_moves(list: &[Move]) -> u32 {
    MOVES.with_borrow_mut(|moves| {
        let pairs = moves.iter_mut().zip(list);
        pairs.map(|(place, mv)| *place = mv.bits()).count() as u32
    })
}

/// Reads numbers that JavaScript has written.
pub fn numbers<const N: usize>() -> [f64; N] {
    NUMBERS_BUFFER.with_borrow(|numbers| std::array::from_fn(|index| numbers[index]))
}

/// Writes numbers.
pub fn set_numbers(values: &[f64]) {
    NUMBERS_BUFFER.with_borrow_mut(|numbers| {
        numbers.iter_mut().zip(values).for_each(|(place, value)| *place = *value);
    });
}

/// Uses the first bytes of the input.
pub fn with_input<R>(length: usize, work: impl FnOnce(&[u8]) -> R) -> R {
    INPUT.with_borrow(|input| work(input.get(..length).unwrap_or_default()))
}

/// Uses the input as text. JavaScript writes UTF-8.
pub fn with_text<R>(length: usize, work: impl FnOnce(&str) -> R) -> R {
    with_input(length, |input| work(&String::from_utf8_lossy(input)))
}

/// Writes output; returns its length.
pub fn set_output(bytes: &[u8]) -> u32 {
    OUTPUT.with_borrow_mut(|output| {
        output.clear();
        output.extend_from_slice(bytes);
        output.len() as u32
    })
}

/// SAN in eight bytes, with zeros behind it.
pub fn san_bytes(san: &San) -> [u8; 8] {
    let text = san.as_str().as_bytes();
    std::array::from_fn(|index| text.get(index).copied().unwrap_or(0))
}

/// Writes the SAN of moves.
pub fn set_sans(position: &Position, moves: &[Move]) {
    SANS.with_borrow_mut(|sans| {
        for (place, &mv) in sans.iter_mut().zip(moves) {
            *place = u64::from_le_bytes(san_bytes(&San::new(position, mv)));
        }
    });
}
