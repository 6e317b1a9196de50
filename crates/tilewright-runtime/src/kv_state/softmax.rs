//! The arithmetic of attention: rows of queries against a tile of keys and values.
//!
//! A tile is 64 slots of a sequence. Rows go by groups of 8, 4, 2 and 1, whose scores of a tile are a GEMM with keys as
//! lanes, and whose weighted sums of values one with elements of values as lanes. Every sum has one order, whatever the
//! group: scores add elements of a head from the first one on, values their slots. A row that sees a tile in part has
//! weights of 0 for the other slots; where their values are not finite, it goes by itself and leaves them out.

use super::attention::Stored;
use super::simd::{LANES, Line, Simd, exp2};

/// Slots of a tile.
pub(super) const TILE: usize = 64;
/// Vectors of a tile's slots.
pub(super) const TILE_VECTORS: usize = TILE / LANES;
/// Rows of a group at most.
pub(super) const MAX_GROUP: usize = 8;

/// Where the keys and values of a tile are, for each 16 slots: keys are `[size, key_stride]`, with slots as the last
/// dimension, values `[slots, value_stride]`, of which `vectors` vectors are read.
pub(super) struct Tile<K> {
    pub(super) keys: [*const K; TILE_VECTORS],
    pub(super) key_stride: usize,
    pub(super) values: [*const K; TILE_VECTORS],
    pub(super) value_stride: usize,
    pub(super) size: usize,
    pub(super) vectors: usize,
}

/// What a score loses by distance (ALiBi): `slope * (distance - slot of the tile)`, to the base 2.
#[derive(Clone, Copy, Default)]
pub(super) struct Bias {
    pub(super) slope: f32,
    /// From the tile's first slot to the row.
    pub(super) distance: f32,
}

/// Rows that a tile is added to at once.
pub(super) struct Group<'a> {
    /// `[size, rows]`.
    pub(super) queries: &'a [f32],
    /// Scores are `cap * tanh(score / cap)`.
    pub(super) cap: Option<f32>,
    pub(super) bias: Option<[Bias; MAX_GROUP]>,
    /// Bit `i` of a row says whether it sees slot `i` of the tile.
    pub(super) seen: &'a [u64; MAX_GROUP],
    /// The first row.
    pub(super) row: usize,
}

/// The softmax of rows so far: greatest score, sum of powers by lanes, and weighted sum of values, `[rows, vectors]`.
pub(super) struct State {
    pub(super) greatest: Vec<f32>,
    pub(super) sums: Vec<Line>,
    pub(super) values: Vec<Line>,
}

impl State {
    pub(super) fn new(rows: usize, vectors: usize) -> Self {
        Self {
            greatest: vec![f32::NEG_INFINITY; rows],
            sums: vec![Line::ZERO; rows],
            values: vec![Line::ZERO; rows * vectors],
        }
    }

    pub(super) fn clear(&mut self) {
        self.greatest.fill(f32::NEG_INFINITY);
        self.sums.fill(Line::ZERO);
        self.values.fill(Line::ZERO);
    }

    /// Merges what other keys gave to the same rows.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn merge<S: Simd>(&mut self, other: &Self) {
        let vectors = self.values.len() / self.greatest.len().max(1);
        for (row, (own, &others)) in self.greatest.iter_mut().zip(&other.greatest).enumerate() {
            let greatest = if others > *own { others } else { *own };
            // SAFETY: lines are read and written as a whole; the caller has the instruction set.
            unsafe {
                let kept = exp2::<S>(S::splat(*own - reference(greatest)));
                let added = exp2::<S>(S::splat(others - reference(greatest)));
                merge_lines::<S>(&mut self.sums[row..=row], &other.sums[row..=row], kept, added);
                let lines = row * vectors..(row + 1) * vectors;
                merge_lines::<S>(&mut self.values[lines.clone()], &other.values[lines], kept, added);
            }
            *own = greatest;
        }
    }

    /// The sums of a row divided by its weights, of which one more is that of a `sink` without a value, a score to the
    /// base 2. A zero is a positive one.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn finish<S: Simd>(&mut self, row: usize, sink: Option<f32>) -> &[Line] {
        let vectors = self.values.len() / self.greatest.len().max(1);
        let lines = &mut self.values[row * vectors..(row + 1) * vectors];
        let mut total: f32 = self.sums[row].0.iter().sum();
        if let Some(sink) = sink {
            let greatest = reference(self.greatest[row]);
            if sink > greatest {
                // All weights are to be smaller, so that the sink's is 1.
                let kept = (greatest - sink).exp2();
                total = total * kept + 1.0;
                lines.iter_mut().flat_map(|line| &mut line.0).for_each(|value| *value *= kept);
            } else {
                total += (sink - greatest).exp2();
            }
        }
        for line in &mut *lines {
            let at = line.0.as_mut_ptr();
            // SAFETY: a line holds a vector; the caller has the instruction set.
            unsafe { S::store(S::add(S::div(S::load(at), S::splat(total)), S::splat(0.0)), at) };
        }
        lines
    }
}

/// What is subtracted from scores: their greatest, or 0 where there is none.
#[inline(always)]
fn reference(greatest: f32) -> f32 {
    if greatest == f32::NEG_INFINITY { 0.0 } else { greatest }
}

/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn merge_lines<S: Simd>(own: &mut [Line], others: &[Line], kept: S::V, added: S::V) {
    for (own, other) in own.iter_mut().zip(others) {
        // SAFETY: a line holds a vector; the caller has the instruction set.
        unsafe {
            let scaled = S::mul(S::load(own.0.as_ptr()), kept);
            S::store(S::mul_add(S::load(other.0.as_ptr()), added, scaled), own.0.as_mut_ptr());
        }
    }
}

/// Adds a tile to `R` rows. `finite` remembers whether all values of the tile are finite.
///
/// # Safety
/// The processor has the instruction set, and the tile points to what it says.
#[inline(always)]
pub(super) unsafe fn add_tile<S: Simd, K: Stored, const R: usize>(
    tile: &Tile<K>,
    group: &Group<'_>,
    finite: &mut Option<bool>,
    state: &mut State,
) {
    let &Group { queries, cap, bias, seen, row } = group;
    assert!(queries.len() >= tile.size * R && row + R <= state.greatest.len());
    assert!((row + R) * tile.vectors <= state.values.len());
    let mut weights = [[Line::ZERO; TILE_VECTORS]; R];
    let mut kept = [1.0f32; R];
    // SAFETY: the caller's promise on the tile and the instruction set; queries, weights and values were checked above.
    unsafe {
        let scores = weights.as_mut_ptr().cast::<f32>();
        match (S::WIDE, R) {
            (true, MAX_GROUP) => multiply_keys::<S, K, R, 2>(tile, queries.as_ptr(), scores),
            (false, 4) => multiply_keys::<S, K, R, 1>(tile, queries.as_ptr(), scores),
            (false, 2) => multiply_keys::<S, K, R, 2>(tile, queries.as_ptr(), scores),
            _ => multiply_keys::<S, K, R, 4>(tile, queries.as_ptr(), scores),
        }
        for own in 0..R {
            let weights = &mut weights[own];
            if let Some(cap) = cap {
                // No closure: its function would lack the instruction set.
                for line in &mut *weights {
                    cap_scores::<S>(line, cap);
                }
            }
            if let Some(bias) = bias {
                add_bias(weights, bias[own]);
            }
            if seen[own] != u64::MAX {
                hide(weights, seen[own]);
            }
            kept[own] = weigh::<S>(weights, &mut state.greatest[row + own], &mut state.sums[row + own]);
        }
        let values = state.values[row * tile.vectors..].as_mut_ptr().cast::<f32>();
        let in_part = (0..R).any(|own| seen[own] != u64::MAX);
        if in_part && finite.is_none() {
            *finite = Some(is_finite::<S, K>(tile));
        }
        if in_part && *finite == Some(false) {
            for own in 0..R {
                let values = values.add(own * tile.vectors * LANES);
                add_seen_values::<S, K>(tile, &weights[own], kept[own], seen[own], values);
            }
            return;
        }
        let weights = weights.as_ptr().cast::<f32>();
        let mut at = 0;
        if S::WIDE && R == MAX_GROUP {
            at = multiply_values::<S, K, R, 2>(tile, weights, &kept, values, at);
        } else if S::WIDE || R == 1 {
            at = multiply_values::<S, K, R, 4>(tile, weights, &kept, values, at);
        } else if R == 2 {
            at = multiply_values::<S, K, R, 2>(tile, weights, &kept, values, at);
        }
        multiply_values::<S, K, R, 1>(tile, weights, &kept, values, at);
    }
}

/// `scores[R, 64] = queries^T · keys`, with `R * N` vectors of sums in registers.
///
/// # Safety
/// As for [`add_tile`]; `queries` points to `[size, R]` and `scores` to `[R, 64]`.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "arrays of registers, indexed in step with memory")]
unsafe fn multiply_keys<S: Simd, K: Stored, const R: usize, const N: usize>(
    tile: &Tile<K>,
    queries: *const f32,
    scores: *mut f32,
) {
    let mut first = 0;
    while first < TILE_VECTORS {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sums = [[S::splat(0.0); N]; R];
            for at in 0..tile.size {
                let mut keys = [S::splat(0.0); N];
                for n in 0..N {
                    keys[n] = K::load::<S>(tile.keys[first + n].add(at * tile.key_stride));
                }
                for r in 0..R {
                    let query = S::splat(*queries.add(at * R + r));
                    for n in 0..N {
                        sums[r][n] = S::mul_add(query, keys[n], sums[r][n]);
                    }
                }
            }
            for r in 0..R {
                for n in 0..N {
                    S::store(sums[r][n], scores.add(r * TILE + (first + n) * LANES));
                }
            }
        }
        first += N;
    }
}

/// `values = values * kept + weights · tile`, from vector `at` on while `N` are left: the first one that is not done.
///
/// # Safety
/// As for [`add_tile`]; `weights` points to `[R, 64]` and `values` to `[R, vectors, 16]`.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "arrays of registers, indexed in step with memory")]
unsafe fn multiply_values<S: Simd, K: Stored, const R: usize, const N: usize>(
    tile: &Tile<K>,
    weights: *const f32,
    kept: &[f32; R],
    values: *mut f32,
    mut at: usize,
) -> usize {
    while at + N <= tile.vectors {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sums = [[S::splat(0.0); N]; R];
            for r in 0..R {
                for n in 0..N {
                    let own = S::load(values.add((r * tile.vectors + at + n) * LANES));
                    sums[r][n] = S::mul(own, S::splat(kept[r]));
                }
            }
            for slot in 0..TILE {
                let from = tile.values[slot / LANES].add(slot % LANES * tile.value_stride + at * LANES);
                let mut loaded = [S::splat(0.0); N];
                for n in 0..N {
                    loaded[n] = K::load::<S>(from.add(n * LANES));
                }
                for r in 0..R {
                    let weight = S::splat(*weights.add(r * TILE + slot));
                    for n in 0..N {
                        sums[r][n] = S::mul_add(weight, loaded[n], sums[r][n]);
                    }
                }
            }
            for r in 0..R {
                for n in 0..N {
                    S::store(sums[r][n], values.add((r * tile.vectors + at + n) * LANES));
                }
            }
        }
        at += N;
    }
    at
}

/// As [`multiply_values`] for one row, without the slots that it does not see.
///
/// # Safety
/// As for [`add_tile`]; `values` points to `[vectors, 16]`.
#[inline(always)]
unsafe fn add_seen_values<S: Simd, K: Stored>(
    tile: &Tile<K>,
    weights: &[Line; TILE_VECTORS],
    kept: f32,
    seen: u64,
    values: *mut f32,
) {
    for at in 0..tile.vectors {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = S::mul(S::load(values.add(at * LANES)), S::splat(kept));
            for slot in (0..TILE).filter(|slot| seen >> slot & 1 == 1) {
                let from = tile.values[slot / LANES].add(slot % LANES * tile.value_stride + at * LANES);
                sum = S::mul_add(S::splat(weights[slot / LANES].0[slot % LANES]), K::load::<S>(from), sum);
            }
            S::store(sum, values.add(at * LANES));
        }
    }
}

/// Whether all values of a tile are finite: a product with 0 is NaN otherwise.
///
/// # Safety
/// As for [`add_tile`].
#[inline(always)]
unsafe fn is_finite<S: Simd, K: Stored>(tile: &Tile<K>) -> bool {
    let mut lanes = Line::ZERO;
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = S::splat(0.0);
        for slot in 0..TILE {
            for at in 0..tile.vectors {
                let from = tile.values[slot / LANES].add(slot % LANES * tile.value_stride + at * LANES);
                sum = S::mul_add(K::load::<S>(from), S::splat(0.0), sum);
            }
        }
        S::store(sum, lanes.0.as_mut_ptr());
    }
    lanes.0.iter().all(|lane| !lane.is_nan())
}

/// Subtracts what scores lose by distance.
#[inline(always)]
fn add_bias(scores: &mut [Line; TILE_VECTORS], bias: Bias) {
    for (slot, score) in scores.iter_mut().flat_map(|line| &mut line.0).enumerate() {
        *score -= bias.slope * (bias.distance - slot as f32);
    }
}

/// Scores of slots that are not seen are the least.
#[inline(always)]
fn hide(scores: &mut [Line; TILE_VECTORS], seen: u64) {
    for (slot, score) in scores.iter_mut().flat_map(|line| &mut line.0).enumerate() {
        if seen >> slot & 1 == 0 {
            *score = f32::NEG_INFINITY;
        }
    }
}

/// `cap * tanh(score / cap)` of scores, which are logarithms to the base 2 as `cap` is. `tanh x = 1 - 2 / (e^2x + 1)`,
/// where `x` from 9 on gives 1 in float32.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn cap_scores<S: Simd>(line: &mut Line, cap: f32) {
    /// `log2(e^18)`.
    const LIMIT: f32 = 18.0 * std::f32::consts::LOG2_E;
    // SAFETY: a line holds a vector; the caller has the instruction set.
    unsafe {
        let x = S::mul(S::load(line.0.as_ptr()), S::splat(2.0 * std::f32::consts::LOG2_E / cap));
        // The greater of a limit and NaN is NaN.
        let above = S::max(S::splat(-LIMIT), x);
        let negative = S::max(S::splat(-LIMIT), S::sub(S::splat(0.0), above));
        let power = exp2::<S>(S::sub(S::splat(0.0), negative));
        let tanh = S::sub(S::splat(1.0), S::div(S::splat(2.0), S::add(power, S::splat(1.0))));
        S::store(S::mul(tanh, S::splat(cap)), line.0.as_mut_ptr());
    }
}

/// Makes scores of a row weights, and gives by what its sums of values are to be multiplied.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn weigh<S: Simd>(scores: &mut [Line; TILE_VECTORS], greatest: &mut f32, sums: &mut Line) -> f32 {
    // SAFETY: lines are read and written as a whole; the caller has the instruction set.
    unsafe {
        let mut maximum = S::splat(*greatest);
        for line in &*scores {
            maximum = S::max(S::load(line.0.as_ptr()), maximum);
        }
        let (before, now) = (*greatest, S::greatest_lane(maximum));
        *greatest = now;
        // The power of 0 is just 1.
        let kept = if before == now {
            1.0
        } else {
            let mut kept = Line::ZERO;
            S::store(exp2::<S>(S::splat(before - reference(now))), kept.0.as_mut_ptr());
            kept.0[0]
        };
        let subtracted = S::splat(reference(now));
        let mut sum = S::mul(S::load(sums.0.as_ptr()), S::splat(kept));
        for line in scores {
            let at = line.0.as_mut_ptr();
            let weights = exp2::<S>(S::sub(S::load(at), subtracted));
            S::store(weights, at);
            sum = S::add(sum, weights);
        }
        S::store(sum, sums.0.as_mut_ptr());
        kept
    }
}
