//! Seeds: reproducible draws.

/// The number of the next call.
pub(crate) fn next_seed(seed: u64) -> u64 {
    seed.wrapping_add(0x9E37_79B9_7F4A_7C15)
}

/// Bits that look unlike those of neighbouring numbers (the finaliser of SplitMix64).
pub(crate) fn scattered(seed: u64) -> u64 {
    let mut bits = next_seed(seed);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
