//! The index of the positions and the material that games have reached.
//!
//! The games of an import are indexed in *runs*. A run is a list of games and, for each of [`BUCKETS`] buckets of keys, a
//! sorted list of entries: 32 further bits of the key, and which game of the run has reached it. A query reads one such
//! list of each run. Games that are in no run yet are few, and are read again.

use ferz_board::{Piece, Position};

/// Lists of entries in each run.
pub(crate) const BUCKETS: u64 = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 10;
/// The bytes of an entry: 4 of the key and 2 of the game.
const ENTRY: usize = 6;
/// The most games in a run.
pub(crate) const MAX_RUN: usize = 1 << 16;

/// How many of each piece there are, in the order of [`Piece::ALL`].
pub(crate) type Material = [u8; 12];

pub(crate) fn material(position: &Position) -> Material {
    Piece::ALL.map(|piece| position.pieces(piece).len() as u8)
}

pub(crate) fn pawns(position: &Position) -> u32 {
    position.pieces(Piece::WhitePawn).len() + position.pieces(Piece::BlackPawn).len()
}

/// Material as a key, among those of positions.
pub(crate) fn material_key(material: &Material) -> u64 {
    let mut key = 0x9e37_79b9_7f4a_7c15_u64;
    for &count in material {
        key = (key ^ u64::from(count)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        key ^= key >> 32;
    }
    key
}

/// The entries of a run.
#[derive(Debug, Default)]
pub(crate) struct RunBuilder {
    /// A key, and which game of the run has reached it.
    entries: Vec<(u64, u16)>,
}

impl RunBuilder {
    pub(crate) fn add(&mut self, game: usize, keys: &[u64]) {
        debug_assert!(game < MAX_RUN);
        self.entries.extend(keys.iter().map(|&key| (key, game as u16)));
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The lists that are not empty, each with its bucket.
    pub(crate) fn finish(mut self) -> Vec<(u64, Vec<u8>)> {
        self.entries.sort_unstable();
        self.entries
            .chunk_by(|a, b| bucket(a.0) == bucket(b.0))
            .map(|chunk| {
                let bytes = chunk.iter().flat_map(|&(key, game)| {
                    let (key, game) = (rest(key).to_be_bytes(), game.to_be_bytes());
                    [key[0], key[1], key[2], key[3], game[0], game[1]]
                });
                (bucket(chunk[0].0), bytes.collect())
            })
            .collect()
    }
}

pub(crate) const fn bucket(key: u64) -> u64 {
    key >> (64 - BUCKET_BITS)
}

const fn rest(key: u64) -> u32 {
    (key << BUCKET_BITS >> 32) as u32
}

/// The games of a run that have reached a key, by their places in the run.
pub(crate) fn games_in(list: &[u8], key: u64) -> impl Iterator<Item = usize> {
    let (entries, _) = list.as_chunks::<ENTRY>();
    let wanted = rest(key).to_be_bytes();
    let start = entries.partition_point(|entry| entry[..4] < wanted[..]);
    entries[start..]
        .iter()
        .take_while(move |entry| entry[..4] == wanted[..])
        .map(|entry| usize::from(u16::from_be_bytes([entry[4], entry[5]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_finds_what_was_added_and_nothing_else() {
        let mut random = fastrand::Rng::with_seed(21);
        let games: Vec<Vec<u64>> = (0..300).map(|_| (0..50).map(|_| random.u64(..)).collect()).collect();
        let mut builder = RunBuilder::default();
        for (index, keys) in games.iter().enumerate() {
            builder.add(index, keys);
        }
        builder.add(7, &games[3][..1]);
        let lists = builder.finish();
        let find = |key| {
            let list = lists.iter().find(|(number, _)| *number == bucket(key));
            list.map(|(_, list)| games_in(list, key).collect::<Vec<_>>()).unwrap_or_default()
        };
        for (index, keys) in games.iter().enumerate() {
            for (place, &key) in keys.iter().enumerate() {
                let expected = if (index, place) == (3, 0) { vec![3, 7] } else { vec![index] };
                assert_eq!(find(key), expected);
            }
        }
        assert!((0..1000).all(|_| find(random.u64(..)).is_empty()));
    }

    #[test]
    fn material_keys_differ() {
        let mut keys = std::collections::HashSet::new();
        for pawns in 0..9 {
            for rooks in 0..3 {
                for black in 0..9 {
                    assert!(keys.insert(material_key(&[pawns, 0, 0, rooks, 0, 1, black, 0, 0, 0, 0, 1])));
                }
            }
        }
    }
}
