//! Tables by numbers that were handed out one after the other.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map that keeps locality: keys that are close as numbers, such as identities that are counted up, have entries
/// close in memory. A table that is larger than the processor's caches is then read about as fast as a list, if keys
/// are looked up in about their order. For look-ups only: its order must never reach output.
pub type NearMap<K, V> = HashMap<K, V, BuildHasherDefault<NearHasher>>;
/// The set to [`NearMap`].
pub type NearSet<K> = HashSet<K, BuildHasherDefault<NearHasher>>;

/// Low bits of a key that are kept as the offset in a neighbourhood; the others are hashed to the neighbourhood.
const NEIGHBOURS: u32 = 6;

/// Hashes a number: neighbours have hashes that follow each other.
///
/// The table takes the bucket from the low bits of a hash, and compares the highest seven before it reads the entry.
#[derive(Clone, Copy, Default, Debug)]
pub struct NearHasher(u64);

impl Hasher for NearHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        // The golden ratio spreads the neighbourhoods; the upper half of a product depends on all of its factors' bits.
        let neighbourhood = (self.0 >> NEIGHBOURS).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 26 << NEIGHBOURS;
        let neighbour = self.0 & ((1 << NEIGHBOURS) - 1);
        (neighbourhood | neighbour) ^ self.0 << 57
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: u64) -> u64 {
        let mut hasher = NearHasher::default();
        hasher.write_u64(number);
        hasher.finish()
    }

    #[test]
    fn neighbours_follow_each_other_and_neighbourhoods_are_spread() {
        let bucket = |number| hash(number) & 0xFFFF;
        for number in (0..1 << 20).step_by(64) {
            (1..64).for_each(|step| assert_eq!(bucket(number + step), bucket(number) + step));
        }
        // A table of 1024 neighbourhoods, half full: hardly any has more than three in one bucket.
        let mut taken = [0u8; 1024];
        (0..512).for_each(|at| taken[(bucket(at * 64) >> 6) as usize] += 1);
        assert!(taken.iter().all(|&count| count <= 3), "{taken:?}");
    }

    #[test]
    fn a_table_holds_inserted_entries() {
        let numbers = || (0..10_000u64).map(|at| if at % 3 == 0 { at } else { at.wrapping_mul(0x1234_5678_9ABC_DEF1) });
        let map: NearMap<u64, u64> = numbers().map(|number| (number, !number)).collect();
        assert!(numbers().all(|number| map.get(&number) == Some(&!number)));
        assert_eq!(map.get(&u64::MAX), None);
        let far: NearSet<u64> = (0..10_000).map(|at| at << 40).collect();
        assert!(far.len() == 10_000 && far.contains(&(9_999 << 40)) && !far.contains(&1));
    }
}
