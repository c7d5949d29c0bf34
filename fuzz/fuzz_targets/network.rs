//! Property: any bytes are refused with a reason, and a net that is accepted evaluates every position and piece.

#![no_main]

use std::sync::LazyLock;

use ferz_board::Position;
use ferz_eval::{Network, NetworkParameters};
use ferz_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;

static SMALL: LazyLock<NetworkParameters> = LazyLock::new(|| NetworkParameters::noise(32, 1, 1));

fn read(file: &[u8], position: &Position) {
    match Network::from_bytes(file) {
        Ok(network) => {
            let _ = network.centipawns(network.evaluate(position));
            let _ = network.piece_values(position);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Changes a weight to any number. The checksum is right, so that the check of ranges is reached.
fn edit(net: &mut NetworkParameters, bytes: &mut Bytes<'_>) {
    let (part, index, value) = (bytes.byte(), usize::from(bytes.number()), bytes.number() as i16);
    let put = |numbers: &mut [i16]| {
        let length = numbers.len();
        numbers[index % length] = value;
    };
    match part % 6 {
        0 => put(&mut net.feature_weights),
        1 => put(&mut net.feature_biases),
        2 => put(&mut net.output_weights),
        3 => net.output_biases[0] = i32::from(value) << 16 | index as i32,
        4 => net.output_unit = value as u16,
        _ => net.scale = value as u16,
    }
}

fuzz_target!(|file: &[u8]| {
    let mut bytes = Bytes::new(file);
    let Some(position) = bytes.position() else { return };
    read(file, &position);
    let mut net = SMALL.clone();
    let kind = bytes.byte();
    (0..kind % 8).for_each(|_| edit(&mut net, &mut bytes));
    let mut file = net.to_bytes();
    if kind & 8 != 0 {
        // A damaged file: a different byte, or another length.
        let at = usize::from(bytes.number()) % file.len();
        file[at] ^= bytes.byte();
        file.truncate(file.len().saturating_sub(bytes.number().into()));
    }
    read(&file, &position);
});
