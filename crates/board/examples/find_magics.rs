//! Finds the magic numbers again and prints them as the source file `src/attacks/magic_numbers.rs`.
//!
//! `cargo run --release --example find_magics > crates/board/src/attacks/magic_numbers.rs`

use ferz_board::Square;
use ferz_board::attacks::{Slider, magic};

fn print_numbers(name: &str, slider: Slider) {
    println!("pub(super) const {name}: [u64; 64] = [");
    for square in Square::ALL {
        let digits = format!("{:016x}", magic::find(slider, square, magic::SEED));
        let groups: Vec<&str> = (0..4).map(|group| &digits[group * 4..group * 4 + 4]).collect();
        println!("    0x{},", groups.join("_"));
    }
    println!("];");
}

fn main() {
    println!("//! Multipliers of the magic lookups, printed by `examples/find_magics.rs`.\n");
    print_numbers("ROOK_MAGICS", Slider::Rook);
    println!();
    print_numbers("BISHOP_MAGICS", Slider::Bishop);
}
