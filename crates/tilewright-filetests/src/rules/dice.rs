//! The decisions that a program is made by, which can be written down, made again, and cut down.

use tilewright_interp::Random;

/// Sizes of dimensions, the plainest first: around the lanes of vectors and the rows of tiles, prime, one and nothing.
const SIZES: [i64; 21] = [2, 3, 1, 0, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 97, 127, 128, 197, 257];

/// Makes decisions: those that are given, then those of a seed, or the plainest where there is none.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    given: Vec<usize>,
    random: Option<Random>,
    /// The maximum number of elements or iterations of a program.
    max: i64,
    /// The decisions, each number below the count of its choices.
    made: Vec<usize>,
}

impl Dice {
    pub(super) fn of_seed(seed: u64, max: i64) -> Self {
        Self { given: Vec::new(), random: Some(Random::new(seed)), max, made: Vec::new() }
    }

    /// The same decisions again; those that are not there are the plainest.
    pub(super) fn again(&self, given: Vec<usize>) -> Self {
        Self { given, random: None, max: self.max, made: Vec::new() }
    }

    /// The decisions.
    pub(super) fn made(&self) -> &[usize] {
        &self.made
    }

    /// A number below `count`, which is not 0; 0 is the plainest choice.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let drawn = self.random.as_mut().map_or(0, |random| random.below(count));
        let decided = self.given.get(self.made.len()).copied().unwrap_or(drawn) % count.max(1);
        self.made.push(decided);
        decided
    }

    /// True in one of `cases` cases.
    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) + 1 == count
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        of.get(self.below(of.len())).copied()
    }

    /// One of a few texts, the first of which is the plainest.
    pub(super) fn word(&mut self, of: &[&'static str]) -> &'static str {
        self.pick(of).unwrap_or_default()
    }

    /// The size of a dimension, at most `max`. Zero is rare: it provokes few faults.
    pub(super) fn size(&mut self, max: i64) -> i64 {
        let fitting: Vec<i64> = SIZES.into_iter().filter(|&size| size <= max.max(1)).collect();
        match self.pick(&fitting) {
            Some(0) if !self.one_in(4) => 2.min(max.max(1)),
            size => size.unwrap_or(1),
        }
    }

    /// A whole number of a range.
    pub(super) fn between(&mut self, least: i64, max: i64) -> i64 {
        least + self.below(usize::try_from(max - least + 1).unwrap_or(1)) as i64
    }

    /// Sizes whose product is at most `budget`.
    pub(super) fn sizes(&mut self, count: usize, budget: i64) -> Vec<i64> {
        let mut left = budget.min(self.max);
        let mut sizes = Vec::new();
        for _ in 0..count {
            let size = self.size(left);
            left /= size.max(1);
            sizes.push(size);
        }
        sizes
    }

    /// The numbers below `count` in some order.
    pub(super) fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in 0..count {
            let other = at + self.below(count - at);
            order.swap(at, other);
        }
        order
    }
}
