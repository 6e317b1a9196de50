//! Attention of appended tokens over pages of keys and values, on the processor.
//!
//! The query heads of a *group* share a head of keys and values (GQA, Ainslie et al. 2023). A task takes one such head
//! for a block of rows, which are tokens of one sequence, and walks over the pages that they see, so that a page is
//! read once for the rows and the group. Softmax is computed on the way (Milakov and Gimelshein 2018), in float32,
//! with powers of 2 in the place of powers of e: queries are multiplied by log2(e).
//!
//! What a row gives depends on its own keys and values alone, page by page in their order: not on the rows of its
//! block, other sequences, or the number of threads. Hence a prompt in chunks gives the bits that it gives at once.

use std::marker::PhantomData;
use std::ops::Range;

use half::slice::HalfFloatSliceExt;
use tilewright_tensor::{Element, bf16, f16};

use super::pages::Page;
use super::rope::rotate;
use super::sequence::Row;
use crate::error::Result;
use crate::kernel::parallel;

/// Rows times query heads of a group that a task has at most.
const TASK_ROWS: usize = 64;
/// Rows that a task rotates and stores.
const STORED_ROWS: usize = 16;
/// Lanes in which the products of a query and a key are summed.
const LANES: usize = 16;
/// Elements of a value that stay in registers while the keys of a page go by.
const VALUE_LANES: usize = 32;
/// Operations of one thread in a nanosecond, for the estimate of a region's time.
const OPERATIONS_PER_NANOSECOND: usize = 8;

/// A type of keys and values.
pub(super) trait Stored: Element {
    fn widen(from: &[Self], into: &mut [f32]);
    fn narrow(from: &[f32], into: &mut [Self]);
}

impl Stored for f32 {
    fn widen(from: &[Self], into: &mut [f32]) {
        into.copy_from_slice(from);
    }

    fn narrow(from: &[f32], into: &mut [Self]) {
        into.copy_from_slice(from);
    }
}

macro_rules! stored {
    ($($half:ty),*) => {$(
        impl Stored for $half {
            fn widen(from: &[Self], into: &mut [f32]) {
                from.convert_to_f32_slice(into);
            }

            fn narrow(from: &[f32], into: &mut [Self]) {
                into.convert_from_f32_slice(from);
            }
        }
    )*};
}

stored!(f16, bf16);

/// Sizes of heads and pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) query: usize,
    pub(super) kv: usize,
    /// Elements of a head.
    pub(super) size: usize,
    /// Tokens of a page.
    pub(super) page: usize,
}

impl Heads {
    pub(super) fn group(&self) -> usize {
        self.query / self.kv
    }

    /// Elements of a page's keys of one head, and of its values.
    pub(super) fn tile(&self) -> usize {
        self.page * self.size
    }

    /// The first element of a page's keys (0) or values (1) of a head: pages are `[2, kv, page, size]`.
    pub(super) fn tile_start(&self, page: Page, part: usize, head: usize) -> usize {
        ((page as usize * 2 + part) * self.kv + head) * self.tile()
    }
}

/// The tokens of one sequence in a step.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) id: i64,
    /// Their rows in the step.
    pub(super) rows: Range<usize>,
}

/// What a step says of its rows, for every layer.
pub(super) struct Rows<'a> {
    pub(super) rows: &'a [Row],
    pub(super) chunks: &'a [Chunk],
    /// The pages of each chunk's sequence.
    pub(super) tables: &'a [&'a [Option<Page>]],
    /// Of each row cosines and sines; empty without RoPE.
    pub(super) rope: &'a [f32],
    /// The same for the queries of sinks; empty where no row sees one, too.
    pub(super) rope_for_sink: &'a [f32],
    pub(super) heads: Heads,
}

/// Memory that tasks write, each at other elements.
struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: elements of plain types, which no two threads touch at once, by the promise of `slice`'s callers.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    fn new(memory: &'a mut [T]) -> Self {
        Self { first: memory.as_mut_ptr(), len: memory.len(), borrowed: PhantomData }
    }

    /// # Safety
    /// No other thread touches these elements while the slice lives, nor does another slice of this thread.
    #[expect(clippy::mut_from_ref, reason = "the caller promises that slices do not overlap")]
    unsafe fn slice(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a task writes inside of its memory");
        // SAFETY: the range lies in the memory, which is borrowed for 'a; nobody else touches it by the caller's
        // promise.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}

/// Stores the keys and values of a layer's rows in `pages`, and gives what the queries attend to: `[rows, query,
/// size]`.
///
/// `qkv` is `[rows, query + 2 kv, size]`; products of queries and keys are multiplied by `scale`.
pub(super) fn attend<T: Stored>(rows: &Rows<'_>, pages: &mut [T], qkv: &[T], scale: f32) -> Result<Vec<T>> {
    let width = rows.heads.query * rows.heads.size;
    let mut queries = vec![0.0f32; rows.rows.len() * width];
    let sees_sink = rows.rows.iter().any(|row| !row.sink.is_empty());
    let mut for_sink = vec![0.0f32; if sees_sink { queries.len() } else { 0 }];
    store(rows, pages, qkv, scale * std::f32::consts::LOG2_E, &mut queries, &mut for_sink)?;

    let mut out = qkv.get(..1).map_or_else(Vec::new, |first| vec![first[0]; queries.len()]);
    let group = rows.heads.group();
    let blocks = blocks(rows, (TASK_ROWS / group).max(1));
    let layer = Layer { rows, pages, queries: &queries, for_sink: &for_sink };
    let shared = Shared::new(&mut out);
    let seen: usize = rows.rows.iter().map(|row| row.seen.len() + row.sink.len()).sum();
    let nanoseconds = seen * 4 * width / OPERATIONS_PER_NANOSECOND;
    parallel((blocks.len() * rows.heads.kv) as u64, nanoseconds as u64, &|task| {
        let (block, head) = (task as usize / rows.heads.kv, task as usize % rows.heads.kv);
        let (chunk, block) = &blocks[block];
        let results = layer.block(*chunk, block.clone(), head);
        for (at, result) in results.chunks_exact(group * rows.heads.size).enumerate() {
            let start = (block.start + at) * width + head * group * rows.heads.size;
            // SAFETY: these elements are those of this row and this group, which no other task has.
            T::narrow(result, unsafe { shared.slice(start..start + result.len()) });
        }
    })?;
    Ok(out)
}

/// Rows that tasks share, with the numbers of their chunks.
fn blocks(rows: &Rows<'_>, size: usize) -> Vec<(usize, Range<usize>)> {
    let of_chunk = |(number, chunk): (usize, &Chunk)| {
        let end = chunk.rows.end;
        chunk.rows.clone().step_by(size).map(move |start| (number, start..(start + size).min(end))).collect::<Vec<_>>()
    };
    rows.chunks.iter().enumerate().flat_map(of_chunk).collect()
}

/// Rotates queries and keys; queries go to `queries`, multiplied by `scale`, keys and values to their pages.
fn store<T: Stored>(
    rows: &Rows<'_>,
    pages: &mut [T],
    qkv: &[T],
    scale: f32,
    queries: &mut [f32],
    for_sink: &mut [f32],
) -> Result<()> {
    let heads = rows.heads;
    let width = (heads.query + 2 * heads.kv) * heads.size;
    let nanoseconds = rows.rows.len() * width / 2;
    let sees_sink = !for_sink.is_empty();
    let (pages, queries, for_sink) = (Shared::new(pages), Shared::new(queries), Shared::new(for_sink));
    let blocks = blocks(rows, STORED_ROWS);
    parallel(blocks.len() as u64, nanoseconds as u64, &|task| {
        let (chunk, block) = &blocks[task as usize];
        for row in block.clone() {
            let (own, from) = (&rows.rows[row], &qkv[row * width..(row + 1) * width]);
            let range = row * heads.query * heads.size..(row + 1) * heads.query * heads.size;
            // SAFETY: each row is in one task, and has its own queries.
            write_queries(heads, from, scale, table(rows.rope, rows, row), unsafe { queries.slice(range.clone()) });
            if sees_sink {
                let table = table(rows.rope_for_sink, rows, row);
                // SAFETY: as above.
                write_queries(heads, from, scale, table, unsafe { for_sink.slice(range) });
            }
            let Some(Some(page)) = rows.tables[*chunk].get(own.slot / heads.page) else { continue };
            for head in 0..heads.kv {
                let slot = |part| {
                    let start = heads.tile_start(*page, part, head) + own.slot % heads.page * heads.size;
                    start..start + heads.size
                };
                let part = |part: usize| &from[(heads.query + part * heads.kv + head) * heads.size..][..heads.size];
                // SAFETY: a slot that is written belongs to one row: pages that several sequences hold are not written.
                let (key, value) = unsafe { (pages.slice(slot(0)), pages.slice(slot(1))) };
                write_key(part(0), table(rows.rope, rows, row), key);
                value.copy_from_slice(part(1));
            }
        }
    })
}

/// The row of a table of cosines and sines.
fn table<'a>(table: &'a [f32], rows: &Rows<'_>, row: usize) -> &'a [f32] {
    let len = table.len() / rows.rows.len().max(1);
    &table[row * len..(row + 1) * len]
}

fn write_queries<T: Stored>(heads: Heads, from: &[T], scale: f32, table: &[f32], into: &mut [f32]) {
    T::widen(&from[..into.len()], into);
    for head in into.chunks_exact_mut(heads.size) {
        rotate(head, table);
        head.iter_mut().for_each(|value| *value *= scale);
    }
}

fn write_key<T: Stored>(from: &[T], table: &[f32], into: &mut [T]) {
    if table.is_empty() {
        return into.copy_from_slice(from);
    }
    let mut key = vec![0.0; from.len()];
    T::widen(from, &mut key);
    rotate(&mut key, table);
    T::narrow(&key, into);
}

/// What all tasks of a layer read.
struct Layer<'a, T> {
    rows: &'a Rows<'a>,
    pages: &'a [T],
    queries: &'a [f32],
    for_sink: &'a [f32],
}

/// The softmax of each query so far: greatest score, sum of powers, and weighted sum of values.
struct Softmax {
    greatest: Vec<f32>,
    sum: Vec<f32>,
    values: Vec<f32>,
}

impl<T: Stored> Layer<'_, T> {
    /// What a group of query heads gives for a block of rows: `[rows, group, size]`.
    fn block(&self, chunk: usize, block: Range<usize>, head: usize) -> Vec<f32> {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has these instructions.
                return unsafe { self.block_avx512(chunk, block, head) };
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has these instructions.
                return unsafe { self.block_avx2(chunk, block, head) };
            }
        }
        // Processors of ARM have fused products always.
        self.block_by::<{ cfg!(target_arch = "aarch64") }>(chunk, block, head)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,fma")]
    fn block_avx512(&self, chunk: usize, block: Range<usize>, head: usize) -> Vec<f32> {
        self.block_by::<true>(chunk, block, head)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn block_avx2(&self, chunk: usize, block: Range<usize>, head: usize) -> Vec<f32> {
        self.block_by::<true>(chunk, block, head)
    }

    #[inline(always)]
    fn block_by<const FMA: bool>(&self, chunk: usize, block: Range<usize>, head: usize) -> Vec<f32> {
        let heads = self.rows.heads;
        let count = block.len() * heads.group();
        let mut softmax = Softmax {
            greatest: vec![f32::NEG_INFINITY; count],
            sum: vec![0.0; count],
            values: vec![0.0; count * heads.size],
        };
        let mut tiles = (vec![0.0f32; heads.tile()], vec![0.0f32; heads.tile()]);
        for (queries, range) in [(self.for_sink, sink_of as fn(&Row) -> Range<usize>), (self.queries, seen_of)] {
            let rows = &self.rows.rows[block.clone()];
            let ranges = rows.iter().map(range).filter(|range| !range.is_empty());
            let first = ranges.clone().map(|range| range.start).min().unwrap_or(0) / heads.page;
            let end = ranges.map(|range| range.end).max().unwrap_or(0).div_ceil(heads.page);
            for at in first..end {
                let Some(Some(page)) = self.rows.tables[chunk].get(at) else { continue };
                let tile = |part| &self.pages[heads.tile_start(*page, part, head)..][..heads.tile()];
                T::widen(tile(0), &mut tiles.0);
                T::widen(tile(1), &mut tiles.1);
                for (number, row) in rows.iter().enumerate() {
                    let (seen, base) = (range(row), at * heads.page);
                    let slots = seen.start.clamp(base, base + heads.page)..seen.end.clamp(base, base + heads.page);
                    if slots.is_empty() {
                        continue;
                    }
                    for member in 0..heads.group() {
                        let query = ((block.start + number) * heads.query + head * heads.group() + member) * heads.size;
                        let query = &queries[query..query + heads.size];
                        let own = number * heads.group() + member;
                        softmax.add::<FMA>(own, query, (&tiles.0, &tiles.1), slots.clone(), base, row.tree.as_ref());
                    }
                }
            }
        }
        for (values, sum) in softmax.values.chunks_exact_mut(heads.size).zip(&softmax.sum) {
            values.iter_mut().for_each(|value| *value /= sum);
        }
        softmax.values
    }
}

fn sink_of(row: &Row) -> Range<usize> {
    row.sink.clone()
}

fn seen_of(row: &Row) -> Range<usize> {
    row.seen.clone()
}

impl Softmax {
    /// Adds the keys and values of some slots of a page that begins with slot `base` to those of query `own`.
    #[inline(always)]
    fn add<const FMA: bool>(
        &mut self,
        own: usize,
        query: &[f32],
        (keys, values): (&[f32], &[f32]),
        slots: Range<usize>,
        base: usize,
        tree: Option<&(usize, Box<[bool]>)>,
    ) {
        let size = query.len();
        let elements = (slots.start - base) * size..(slots.end - base) * size;
        let (keys, values) = (&keys[elements.clone()], &values[elements]);
        let mut weights = [0.0f32; super::MAX_PAGE];
        let weights = &mut weights[..slots.len()];
        for (weight, key) in weights.iter_mut().zip(keys.chunks_exact(size)) {
            *weight = dot::<FMA>(query, key);
        }
        if let Some((first, seen)) = tree {
            for (weight, slot) in weights.iter_mut().zip(slots) {
                if slot >= *first && !seen[slot - first] {
                    *weight = f32::NEG_INFINITY;
                }
            }
        }
        let before = self.greatest[own];
        let greatest = weights.iter().fold(before, |greatest, &score| greatest.max(score));
        if greatest == f32::NEG_INFINITY && weights.iter().all(|score| *score == greatest) {
            return;
        }
        self.greatest[own] = greatest;
        weights.iter_mut().for_each(|score| *score = exp2::<FMA>(*score - greatest));
        let kept = exp2::<FMA>(before - greatest);
        self.sum[own] = weights.iter().fold(self.sum[own] * kept, |sum, weight| sum + weight);
        let sums = &mut self.values[own * size..(own + 1) * size];
        add_values::<FMA>(sums, kept, weights, values);
    }
}

#[inline(always)]
fn multiply_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn dot<const FMA: bool>(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] = multiply_add::<FMA>(a[lane], b[lane], sums[lane]);
        }
    }
    let rest = a_rest.iter().zip(b_rest).fold(0.0, |sum, (a, b)| multiply_add::<FMA>(*a, *b, sum));
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0] + rest
}

/// `sums * kept + weights · values`; a value of weight 0 counts nothing, whatever it is.
#[inline(always)]
fn add_values<const FMA: bool>(sums: &mut [f32], kept: f32, weights: &[f32], values: &[f32]) {
    let size = sums.len();
    let (chunks, rest) = sums.as_chunks_mut::<VALUE_LANES>();
    let done = chunks.len() * VALUE_LANES;
    for (number, chunk) in chunks.iter_mut().enumerate() {
        let mut held = chunk.map(|sum| sum * kept);
        for (&weight, value) in weights.iter().zip(values.chunks_exact(size)) {
            if weight != 0.0 {
                let value = &value[number * VALUE_LANES..][..VALUE_LANES];
                for lane in 0..VALUE_LANES {
                    held[lane] = multiply_add::<FMA>(weight, value[lane], held[lane]);
                }
            }
        }
        *chunk = held;
    }
    for (lane, sum) in rest.iter_mut().enumerate() {
        *sum *= kept;
        for (&weight, value) in weights.iter().zip(values.chunks_exact(size)) {
            if weight != 0.0 {
                *sum = multiply_add::<FMA>(weight, value[done + lane], *sum);
            }
        }
    }
}

/// 2 to the power of `x`, which is 0 at most, to about 1 in 2^23: the sum of the first terms of its series in
/// `f * ln 2`, where `x` is an integer and `f`, from -1/2 to 1/2.
#[inline(always)]
fn exp2<const FMA: bool>(x: f32) -> f32 {
    /// `ln(2)^k / k!`, from k = 7 down to 1.
    const TERMS: [f32; 7] =
        [1.525_273_4e-5, 1.540_353e-4, 1.333_355_8e-3, 9.618_129e-3, 5.550_411e-2, 0.240_226_5, std::f32::consts::LN_2];
    /// Adding it rounds to an integer.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x + ROUND;
    let whole = shifted - ROUND;
    let f = x - whole;
    let series = TERMS.iter().fold(0.0, |sum, term| multiply_add::<FMA>(sum, f, *term));
    let series = multiply_add::<FMA>(series, f, 1.0);
    let power = f32::from_bits((((whole as i32) + 127) as u32) << 23);
    if x < -126.0 { 0.0 } else { series * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_2_are_those_of_the_library() {
        for step in 0..1_260_000 {
            let x = -126.0 * step as f32 / 1_260_000.0;
            for found in [exp2::<true>(x), exp2::<false>(x)] {
                let exact = f64::from(x).exp2();
                assert!((f64::from(found) - exact).abs() <= exact * 2.4e-7, "{x}: {found} for {exact}");
            }
        }
        assert_eq!(exp2::<true>(0.0), 1.0);
        assert_eq!(exp2::<true>(f32::NEG_INFINITY), 0.0);
        assert!(exp2::<true>(f32::NAN).is_nan());
    }

    #[test]
    fn values_without_weight_count_nothing() {
        let mut sums = [1.0f32; 40];
        let values: Vec<f32> = [f32::NAN; 40].into_iter().chain([2.0; 40]).collect();
        add_values::<true>(&mut sums, 0.5, &[0.0, 3.0], &values);
        assert_eq!(sums, [6.5; 40]);
    }
}
