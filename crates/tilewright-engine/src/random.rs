//! Random numbers that depend on a seed and nothing else.

/// A generator of 64-bit numbers: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014), a counter whose values are mixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    counter: u64,
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random { counter: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.counter;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number in `0.0..1.0`, of 53 bits.
    pub fn next_unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first values for the seed 1234567, as in the reference implementation's published test vector.
        let mut random = Random::new(1_234_567);
        let values = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(values, [random.next_u64(), random.next_u64(), random.next_u64()]);
    }

    #[test]
    fn units_fill_the_interval() {
        let mut random = Random::new(7);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            let unit = random.next_unit();
            assert!((0.0..1.0).contains(&unit));
            counts[(unit * 10.0) as usize] += 1;
        }
        // Each count is 1000 with a standard deviation of 30.
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
