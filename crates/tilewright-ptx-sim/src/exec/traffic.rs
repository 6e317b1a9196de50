//! Counts of memory traffic: how far the accesses of a kernel are from what the memory can do.
//!
//! Global memory moves sectors of 32 bytes: the sectors that a warp's access touches are counted, and those that its
//! bytes would need. Shared memory has 32 banks of 4 bytes: an access of a warp is done in phases of 128 bytes (8
//! lanes of 16 bytes, 16 of 8, 32 of 4 or less), and each phase takes as many passes as the fullest bank has
//! different words (CUDA C++ Best Practices Guide, "Memory Optimizations").

use std::ops::AddAssign;

/// Bytes of a sector of global memory.
const SECTOR: u64 = 32;
/// Banks of shared memory.
const BANKS: usize = 32;
/// Bytes of a phase of shared memory.
const PHASE: u32 = 128;

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions of warps.
    pub instructions: u64,
    /// Sectors of global memory that ordinary accesses touched, and how many their bytes need.
    pub sectors: Count,
    /// Passes over the banks of shared memory, and the phases of 128 bytes.
    pub passes: Count,
}

/// A number, and the least that it could be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// As it was.
    pub found: u64,
    /// Without conflicts and gaps.
    pub least: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.found += other.found;
        self.least += other.least;
    }
}

/// The sectors of an access of `bytes` bytes at each of the addresses.
pub(super) fn sectors(addresses: &[u64], bytes: u32) -> Count {
    let mut touched: Vec<u64> =
        addresses.iter().flat_map(|address| address / SECTOR..=(address + u64::from(bytes) - 1) / SECTOR).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut starts = addresses.to_vec();
    starts.sort_unstable();
    starts.dedup();
    Count { found: touched.len() as u64, least: (starts.len() as u64 * u64::from(bytes)).div_ceil(SECTOR) }
}

/// The passes of an access of `bytes` bytes at each of the addresses of shared memory, in the order of the lanes.
pub(super) fn passes(addresses: &[u64], bytes: u32) -> Count {
    let lanes = (PHASE / bytes.clamp(4, 16)) as usize;
    let mut count = Count::default();
    for phase in addresses.chunks(lanes) {
        let mut words: Vec<u64> =
            phase.iter().flat_map(|address| address / 4..(address + u64::from(bytes)).div_ceil(4)).collect();
        words.sort_unstable();
        words.dedup();
        let mut banks = [0u64; BANKS];
        for word in words {
            banks[word as usize % BANKS] += 1;
        }
        count += Count { found: banks.into_iter().max().unwrap_or(0), least: 1 };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(stride: u64) -> Vec<u64> {
        (0..32).map(|lane| 1024 + lane * stride).collect()
    }

    #[test]
    fn sectors_are_those_that_are_touched() {
        assert_eq!(sectors(&strided(4), 4), Count { found: 4, least: 4 });
        assert_eq!(sectors(&strided(32), 4), Count { found: 32, least: 4 });
        assert_eq!(sectors(&strided(16), 16), Count { found: 16, least: 16 });
        assert_eq!(sectors(&[1024; 32], 4), Count { found: 1, least: 1 });
        assert_eq!(sectors(&[1030], 4).found, 1);
    }

    #[test]
    fn banks_conflict_where_words_differ() {
        assert_eq!(passes(&strided(4), 4), Count { found: 1, least: 1 });
        assert_eq!(passes(&strided(8), 4), Count { found: 2, least: 1 });
        assert_eq!(passes(&strided(128), 4), Count { found: 32, least: 1 });
        assert_eq!(passes(&[1024; 32], 4), Count { found: 1, least: 1 });
        assert_eq!(passes(&strided(16), 16), Count { found: 4, least: 4 });
        assert_eq!(passes(&strided(64), 16), Count { found: 16, least: 4 });
        assert_eq!(passes(&strided(1), 1), Count { found: 1, least: 1 });
    }
}
