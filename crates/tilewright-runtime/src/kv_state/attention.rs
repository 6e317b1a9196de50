//! Attention of appended tokens over pages of keys and values, on the processor.
//!
//! The query heads of a *group* share a head of keys and values (GQA, Ainslie et al. 2023). A task takes one such head
//! for a block of rows, which are tokens of one sequence, and walks over the tiles that they see, so that a tile is
//! read once for the rows and the group. Softmax is computed on the way (Milakov and Gimelshein 2018), in float32,
//! with powers of 2 in the place of powers of e: queries are multiplied by log2(e).
//!
//! Tiles and *parts*, which are merged by their log-sum-exp (Flash-Decoding, Dao et al. 2023), begin at fixed slots.
//! What a row gives depends on its own keys and values alone, tile by tile and part by part in their order: not on the
//! rows of its block, other sequences, whether parts are tasks of their own, or the number of threads. Hence a prompt
//! in chunks gives the bits that it gives at once.

use std::f32::consts::LOG2_E;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

use half::slice::HalfFloatSliceExt;
use tilewright_tensor::{DataType, Element, bf16, f16};

use super::pages::Page;
use super::rope::rotate;
use super::sequence::Row;
use super::simd::{InstructionSet, Kernel, LANES, Line, Simd};
use super::softmax::{Bias, Group, MAX_GROUP, State, TILE, TILE_VECTORS, Tile, add_tile};
use crate::error::Result;
use crate::kernel::parallel;

/// Rows times query heads of a group that a task has at most.
const TASK_ROWS: usize = 64;
/// Rows that a task rotates and stores.
const STORED_ROWS: usize = 16;
/// Slots whose softmax is computed by itself: a multiple of a tile.
const PART: usize = 1024;
/// Blocks times heads from which on parts are not tasks of their own.
const ENOUGH_TASKS: usize = 64;
/// Operations of one thread in a nanosecond, for the estimate of a region's time.
const OPERATIONS_PER_NANOSECOND: usize = 64;

/// A type of floats: of keys and values, and of what a model computes.
pub(super) trait Stored: Element + Default {
    /// Widens 16 elements.
    ///
    /// # Safety
    /// As for [`Simd`].
    unsafe fn load<S: Simd>(from: *const Self) -> S::V;
    fn widen(from: &[Self], into: &mut [f32]);
    fn narrow(from: &[f32], into: &mut [Self]);
}

impl Stored for f32 {
    #[inline(always)]
    unsafe fn load<S: Simd>(from: *const Self) -> S::V {
        // SAFETY: the caller's promise.
        unsafe { S::load(from) }
    }

    fn widen(from: &[Self], into: &mut [f32]) {
        into.copy_from_slice(from);
    }

    fn narrow(from: &[f32], into: &mut [Self]) {
        into.copy_from_slice(from);
    }
}

macro_rules! stored {
    ($($half:ty: $load:ident),*) => {$(
        impl Stored for $half {
            #[inline(always)]
            unsafe fn load<S: Simd>(from: *const Self) -> S::V {
                // SAFETY: the caller's promise; the type has the bits of its `u16`.
                unsafe { S::$load(from.cast()) }
            }

            fn widen(from: &[Self], into: &mut [f32]) {
                from.convert_to_f32_slice(into);
            }

            fn narrow(from: &[f32], into: &mut [Self]) {
                into.convert_from_f32_slice(from);
            }
        }
    )*};
}

stored!(f16: load_f16, bf16: load_bf16);

/// What a layer makes of a step's tokens, in the model's type.
pub(super) enum Floats<'a> {
    F32(&'a [f32]),
    F16(&'a [f16]),
    BF16(&'a [bf16]),
}

impl Floats<'_> {
    fn widen(&self, from: Range<usize>, into: &mut [f32]) {
        match self {
            Self::F32(floats) => f32::widen(&floats[from], into),
            Self::F16(floats) => f16::widen(&floats[from], into),
            Self::BF16(floats) => bf16::widen(&floats[from], into),
        }
    }
}

/// How products of queries and keys become scores.
pub(super) struct Scores<'a> {
    pub(super) scale: f32,
    /// Scores are `cap * tanh(score / cap)`.
    pub(super) cap: Option<f32>,
    /// What a score loses with each token of distance, for each query head; empty without ALiBi.
    pub(super) slopes: &'a [f32],
    /// The score of a token without a value that all rows see, for each query head; empty without sinks.
    pub(super) sinks: &'a [f32],
}

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

    /// Vectors of a head's elements.
    fn vectors(&self) -> usize {
        self.size.div_ceil(LANES)
    }

    /// The element of a key at a slot of its page, and how far its next ones are. Keys of a page are `[kv, size,
    /// page]`, so that slots are lanes.
    pub(super) fn key(&self, page: Page, head: usize, slot: usize) -> (usize, usize) {
        (self.tile_start(page, 0, head) + slot % self.page, self.page)
    }

    /// As [`Self::key`] for a value. Values of a page follow its keys and are `[kv, page, size]`.
    pub(super) fn value(&self, page: Page, head: usize, slot: usize) -> (usize, usize) {
        (self.tile_start(page, 1, head) + slot % self.page * self.size, 1)
    }

    /// The first element of a page's keys (0) or values (1) of a head.
    fn tile_start(&self, page: Page, part: usize, head: usize) -> usize {
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
    /// No other thread touches this element now.
    unsafe fn write(&self, at: usize, value: T)
    where
        T: Copy,
    {
        assert!(at < self.len, "a task writes inside of its memory");
        // SAFETY: the element lies in the memory, which is borrowed for 'a.
        unsafe { self.first.add(at).write(value) };
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

/// Stores the keys and values of a layer's rows in `pages`, and writes what the queries attend to: `out` is `[rows,
/// query, size]`.
///
/// `qkv` is `[rows, query + 2 kv, size]`. Keys and values are rounded to the type of `pages`.
pub(super) fn attend<T: Stored, Q: Stored>(
    rows: &Rows<'_>,
    pages: &mut [T],
    qkv: Floats<'_>,
    out: &mut [Q],
    scores: &Scores<'_>,
) -> Result<()> {
    store(rows, pages, &qkv)?;
    let heads = rows.heads;
    let layer = Layer { rows, pages, qkv, scores };
    let blocks = blocks(rows, (TASK_ROWS / heads.group()).max(1));
    let set = InstructionSet::best();
    let shared = Shared::new(out);
    let seen: usize = rows.rows.iter().map(|row| row.seen.len() + row.sink.len()).sum();
    let nanoseconds = (seen * 4 * heads.query * heads.size / OPERATIONS_PER_NANOSECOND) as u64;
    let tasks = blocks.len() * heads.kv;
    let block_of = |task: usize| Block {
        chunk: blocks[task / heads.kv].0,
        rows: blocks[task / heads.kv].1.clone(),
        head: task % heads.kv,
    };
    if tasks >= ENOUGH_TASKS || rows.rows.iter().all(|row| row.seen.len() <= PART) {
        return parallel(tasks as u64, nanoseconds, &|task| {
            let block = block_of(task as usize);
            let mut state = set.dispatch(Parts { layer: &layer, block: &block, parts: &layer.parts(&block) });
            set.dispatch(Results { heads, scores, block: &block, state: &mut state, out: &shared });
        });
    }
    let parts: Vec<(usize, Part)> =
        (0..tasks).flat_map(|task| layer.parts(&block_of(task)).into_iter().map(move |part| (task, part))).collect();
    let states: Vec<OnceLock<State>> = parts.iter().map(|_| OnceLock::new()).collect();
    parallel(parts.len() as u64, nanoseconds, &|number| {
        let (task, part) = &parts[number as usize];
        let state = set.dispatch(Parts { layer: &layer, block: &block_of(*task), parts: std::slice::from_ref(part) });
        let _unset = states[number as usize].set(state);
    })?;
    for task in 0..tasks {
        let block = block_of(task);
        let of_task = parts.iter().zip(&states).filter(|((other, _), _)| *other == task);
        let states: Vec<&State> = of_task.filter_map(|(_, state)| state.get()).collect();
        let mut state = set.dispatch(Merged { rows: block.rows.len() * heads.group(), heads, states: &states });
        set.dispatch(Results { heads, scores, block: &block, state: &mut state, out: &shared });
    }
    Ok(())
}

/// Rows that tasks share, with the numbers of their chunks.
fn blocks(rows: &Rows<'_>, size: usize) -> Vec<(usize, Range<usize>)> {
    let of_chunk = |(number, chunk): (usize, &Chunk)| {
        let end = chunk.rows.end;
        chunk.rows.clone().step_by(size).map(move |start| (number, start..(start + size).min(end))).collect::<Vec<_>>()
    };
    rows.chunks.iter().enumerate().flat_map(of_chunk).collect()
}

/// Rotates keys, and copies keys and values to their pages.
fn store<T: Stored>(rows: &Rows<'_>, pages: &mut [T], qkv: &Floats<'_>) -> Result<()> {
    let heads = rows.heads;
    let width = (heads.query + 2 * heads.kv) * heads.size;
    let nanoseconds = rows.rows.len() * heads.kv * heads.size;
    let pages = Shared::new(pages);
    let blocks = blocks(rows, STORED_ROWS);
    parallel(blocks.len() as u64, nanoseconds as u64, &|task| {
        let (chunk, block) = &blocks[task as usize];
        let mut wide = vec![0.0; heads.size];
        let mut key = vec![T::default(); heads.size];
        for row in block.clone() {
            let slot = rows.rows[row].slot;
            let table = table(rows.rope, rows, row);
            let Some(Some(page)) = rows.tables[*chunk].get(slot / heads.page) else { continue };
            for head in 0..heads.kv {
                let part = |part: usize| {
                    let first = row * width + (heads.query + part * heads.kv + head) * heads.size;
                    first..first + heads.size
                };
                qkv.widen(part(0), &mut wide);
                rotate(&mut wide, table);
                T::narrow(&wide, &mut key);
                qkv.widen(part(1), &mut wide);
                let (first, stride) = heads.key(*page, head, slot);
                let (value, _) = heads.value(*page, head, slot);
                // SAFETY: a slot that is written belongs to one row: pages that several sequences hold are not written.
                unsafe {
                    key.iter().enumerate().for_each(|(at, &own)| pages.write(first + at * stride, own));
                    T::narrow(&wide, pages.slice(value..value + heads.size));
                }
            }
        }
    })
}

/// The row of a table of cosines and sines.
fn table<'a>(table: &'a [f32], rows: &Rows<'_>, row: usize) -> &'a [f32] {
    let len = table.len() / rows.rows.len().max(1);
    &table[row * len..(row + 1) * len]
}

/// What all tasks of a layer read.
struct Layer<'a, T> {
    rows: &'a Rows<'a>,
    pages: &'a [T],
    qkv: Floats<'a>,
    scores: &'a Scores<'a>,
}

/// Rows of a chunk and a head of keys and values.
struct Block {
    chunk: usize,
    rows: Range<usize>,
    head: usize,
}

/// Slots of which the softmax is computed by itself: those of the sink, or those seen.
#[derive(Clone)]
struct Part {
    sink: bool,
    slots: Range<usize>,
}

impl Part {
    fn seen(&self, row: &Row) -> Range<usize> {
        let own = if self.sink { &row.sink } else { &row.seen };
        own.start.max(self.slots.start)..own.end.min(self.slots.end)
    }
}

impl<T: Stored> Layer<'_, T> {
    /// The parts of which a block's rows see anything, in order.
    fn parts(&self, block: &Block) -> Vec<Part> {
        let rows = &self.rows.rows[block.rows.clone()];
        let of = |sink: bool| {
            let all = Part { sink, slots: 0..usize::MAX };
            let seen: Vec<_> = rows.iter().map(|row| all.seen(row)).filter(|seen| !seen.is_empty()).collect();
            let first = seen.iter().map(|seen| seen.start).min().unwrap_or(0) / PART;
            let end = seen.iter().map(|seen| seen.end).max().unwrap_or(0).div_ceil(PART);
            (first..end).map(move |part| Part { sink, slots: part * PART..(part + 1) * PART })
        };
        of(true).chain(of(false)).collect()
    }

    /// The queries of a block, by groups of rows: `[groups][size, rows of the group]`.
    fn queries(&self, block: &Block, sink: bool) -> Vec<f32> {
        let heads = self.rows.heads;
        let group = heads.group();
        let count = block.rows.len() * group;
        let scale = self.scores.scale * LOG2_E;
        let mut queries = vec![0.0; count * heads.size];
        let mut query = vec![0.0; heads.size];
        for (first, len) in groups(count) {
            for own in first..first + len {
                let row = block.rows.start + own / group;
                let at = row * (heads.query + 2 * heads.kv) + block.head * group + own % group;
                self.qkv.widen(at * heads.size..(at + 1) * heads.size, &mut query);
                let rope = if sink { self.rows.rope_for_sink } else { self.rows.rope };
                rotate(&mut query, table(rope, self.rows, row));
                let into = queries[first * heads.size..].iter_mut().skip(own - first).step_by(len);
                into.zip(&query).for_each(|(into, value)| *into = value * scale);
            }
        }
        queries
    }
}

/// Groups of so many rows: the first row of each, and 8, 4, 2 or 1 rows.
fn groups(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let of = move |first: usize| {
        let left = (rows - first).min(InstructionSet::best().group());
        (left > 0).then(|| (first, 1 << left.ilog2()))
    };
    std::iter::successors(of(0), move |(first, len)| of(first + len))
}

/// The softmax of a block over parts, which are merged in their order.
struct Parts<'a, T> {
    layer: &'a Layer<'a, T>,
    block: &'a Block,
    parts: &'a [Part],
}

impl<T: Stored> Kernel for Parts<'_, T> {
    type Output = State;

    #[inline(always)]
    unsafe fn run<S: Simd>(self) -> State {
        let heads = self.layer.rows.heads;
        let count = self.block.rows.len() * heads.group();
        let mut total = State::new(count, heads.vectors());
        let mut one = (self.parts.len() > 1).then(|| State::new(count, heads.vectors()));
        let mut packed = Packed::default();
        let mut queries: Option<(bool, Vec<f32>)> = None;
        for part in self.parts {
            if queries.as_ref().is_none_or(|(sink, _)| *sink != part.sink) {
                queries = Some((part.sink, self.layer.queries(self.block, part.sink)));
            }
            let queries = queries.as_ref().map_or(&[][..], |(_, queries)| queries);
            // SAFETY: the caller has the instruction set.
            unsafe {
                match &mut one {
                    Some(one) => {
                        one.clear();
                        self.add_part::<S>(part, queries, &mut packed, one);
                        total.merge::<S>(one);
                    }
                    None => self.add_part::<S>(part, queries, &mut packed, &mut total),
                }
            }
        }
        total
    }
}

/// Groups of rows for which a tile of 16-bit floats is widened as it is loaded, and not once for all of them.
const GROUPS_IN_PLACE: usize = 2;

impl<T: Stored> Parts<'_, T> {
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn add_part<S: Simd>(&self, part: &Part, queries: &[f32], packed: &mut Packed, state: &mut State) {
        let rows = &self.layer.rows.rows[self.block.rows.clone()];
        let seen: Vec<Range<usize>> = rows.iter().map(|row| part.seen(row)).collect();
        let some = || seen.iter().filter(|seen| !seen.is_empty());
        let first = some().map(|seen| seen.start).min().unwrap_or(0) / TILE;
        let end = some().map(|seen| seen.end).max().unwrap_or(0).div_ceil(TILE);
        let groups = groups(self.block.rows.len() * self.layer.rows.heads.group()).count();
        let in_place = T::DTYPE == DataType::F32 || groups <= GROUPS_IN_PLACE;
        let Block { rows, head, .. } = self.block;
        let (layer, scores) = (self.layer.rows, self.layer.scores);
        let part = SeenPart { layer, scores, rows: rows.clone(), head: *head, part, seen: &seen, queries };
        for number in first..end {
            let base = number * TILE;
            // A function for each type of tiles: inlined here, it would be compiled again for each type of pages.
            let set = InstructionSet::best();
            match self.tile(base).filter(|_| in_place) {
                Some(tile) => set.dispatch(AddedTile { part: &part, base, tile: &tile, state }),
                None => {
                    // SAFETY: the caller has the instruction set.
                    let tile = unsafe { self.packed::<S>(base, packed) };
                    set.dispatch(AddedTile { part: &part, base, tile: &tile, state });
                }
            }
        }
    }

    /// The tile from a slot on in the pages themselves, where its vectors are there.
    fn tile(&self, base: usize) -> Option<Tile<T>> {
        let heads = self.layer.rows.heads;
        if !heads.page.is_multiple_of(LANES) || !heads.size.is_multiple_of(LANES) {
            return None;
        }
        let mut tile = Tile {
            keys: [std::ptr::null(); TILE_VECTORS],
            key_stride: heads.page,
            values: [std::ptr::null(); TILE_VECTORS],
            value_stride: heads.size,
            size: heads.size,
            vectors: heads.vectors(),
        };
        let pages = self.layer.pages;
        for vector in 0..TILE_VECTORS {
            let slot = base + vector * LANES;
            let page = self.page_of(slot)?;
            let (key, value) = (heads.key(page, self.block.head, slot).0, heads.value(page, self.block.head, slot).0);
            assert!(key + (heads.size - 1) * heads.page + LANES <= pages.len());
            assert!(value + LANES * heads.size <= pages.len());
            (tile.keys[vector], tile.values[vector]) = (pages[key..].as_ptr(), pages[value..].as_ptr());
        }
        Some(tile)
    }

    fn page_of(&self, slot: usize) -> Option<Page> {
        let table = self.layer.rows.tables[self.block.chunk];
        table.get(slot / self.layer.rows.heads.page).copied().flatten()
    }

    /// The tile from a slot on in float32; zeros where there is no page.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn packed<S: Simd>(&self, base: usize, packed: &mut Packed) -> Tile<f32> {
        let heads = self.layer.rows.heads;
        let width = heads.vectors();
        packed.keys.resize(heads.size * TILE_VECTORS, Line::ZERO);
        packed.values.resize(TILE * width, Line::ZERO);
        // SAFETY: the caller has the instruction set.
        unsafe {
            self.pack_keys::<S>(base, &mut packed.keys);
            self.pack_values::<S>(base, &mut packed.values);
        }
        let (keys, values) = (&packed.keys, &packed.values);
        Tile {
            keys: std::array::from_fn(|vector| keys[vector..].as_ptr().cast()),
            key_stride: TILE,
            values: std::array::from_fn(|vector| values[vector * LANES * width..].as_ptr().cast()),
            value_stride: width * LANES,
            size: heads.size,
            vectors: width,
        }
    }

    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn pack_keys<S: Simd>(&self, base: usize, keys: &mut [Line]) {
        let heads = self.layer.rows.heads;
        for vector in 0..TILE_VECTORS {
            let slot = base + vector * LANES;
            if let Some(page) = self.page_of(slot).filter(|_| heads.page.is_multiple_of(LANES)) {
                let (first, stride) = heads.key(page, self.block.head, slot);
                for at in 0..heads.size {
                    let from = &self.layer.pages[first + at * stride..][..LANES];
                    let into = keys[at * TILE_VECTORS + vector].0.as_mut_ptr();
                    // SAFETY: both hold 16 elements; the caller has the instruction set.
                    unsafe { S::store(T::load::<S>(from.as_ptr()), into) };
                }
                continue;
            }
            for (at, lanes) in keys.iter_mut().skip(vector).step_by(TILE_VECTORS).enumerate() {
                for (lane, into) in lanes.0.iter_mut().enumerate() {
                    *into = self.page_of(slot + lane).map_or(0.0, |page| {
                        let (first, stride) = heads.key(page, self.block.head, slot + lane);
                        let mut one = [0.0];
                        T::widen(&self.layer.pages[first + at * stride..][..1], &mut one);
                        one[0]
                    });
                }
            }
        }
    }

    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn pack_values<S: Simd>(&self, base: usize, values: &mut [Line]) {
        let heads = self.layer.rows.heads;
        for (at, lines) in values.chunks_exact_mut(heads.vectors()).enumerate() {
            let Some(page) = self.page_of(base + at) else {
                lines.fill(Line::ZERO);
                continue;
            };
            let (first, _) = heads.value(page, self.block.head, base + at);
            let (vectors, rest) = self.layer.pages[first..first + heads.size].as_chunks::<LANES>();
            for (from, into) in vectors.iter().zip(&mut *lines) {
                // SAFETY: both hold 16 elements; the caller has the instruction set.
                unsafe { S::store(T::load::<S>(from.as_ptr()), into.0.as_mut_ptr()) };
            }
            if let (false, Some(last)) = (rest.is_empty(), lines.last_mut()) {
                T::widen(rest, &mut last.0[..rest.len()]);
            }
        }
    }
}

/// A part with the slots of it that each row of a block sees, and the block's queries for it.
struct SeenPart<'a> {
    layer: &'a Rows<'a>,
    scores: &'a Scores<'a>,
    rows: Range<usize>,
    head: usize,
    part: &'a Part,
    seen: &'a [Range<usize>],
    queries: &'a [f32],
}

impl SeenPart<'_> {
    /// What scores of `len` rows from a row on lose by distance, in the tile from slot `base` on.
    #[inline(always)]
    fn bias(&self, base: usize, row: usize, len: usize) -> Option<[Bias; MAX_GROUP]> {
        let heads = self.layer.heads;
        let slopes = self.scores.slopes.get(self.head * heads.group()..)?;
        let mut bias = [Bias::default(); MAX_GROUP];
        for (own, bias) in bias.iter_mut().enumerate().take(len) {
            let of = &self.layer.rows[self.rows.start + (row + own) / heads.group()];
            let position = if self.part.sink { of.position_for_sink } else { of.position };
            let slope = slopes.get((row + own) % heads.group())? * LOG2_E;
            *bias = Bias { slope, distance: position as f32 - base as f32 };
        }
        Some(bias)
    }
}

/// A tile that is added to the groups of a block's rows. It points to pages of the layer, or to a packed tile.
struct AddedTile<'a, K> {
    part: &'a SeenPart<'a>,
    /// The tile's first slot.
    base: usize,
    tile: &'a Tile<K>,
    state: &'a mut State,
}

impl<K: Stored> Kernel for AddedTile<'_, K> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Self { part, base, tile, state } = self;
        let heads = part.layer.heads;
        let rows = &part.layer.rows[part.rows.clone()];
        let cap = part.scores.cap.map(|cap| cap * LOG2_E);
        let mut finite = None;
        for (row, len) in groups(rows.len() * heads.group()) {
            let mut seen = [0; MAX_GROUP];
            for (own, bits) in seen.iter_mut().enumerate().take(len) {
                let row = (row + own) / heads.group();
                *bits = slots_of(&part.seen[row], base, rows[row].tree.as_ref());
            }
            if seen == [0; MAX_GROUP] {
                continue;
            }
            let queries = &part.queries[row * heads.size..(row + len) * heads.size];
            let group = Group { queries, cap, bias: part.bias(base, row, len), seen: &seen, row };
            // SAFETY: the caller's promise.
            unsafe {
                match len {
                    8 => add_tile::<S, K, 8>(tile, &group, &mut finite, state),
                    4 => add_tile::<S, K, 4>(tile, &group, &mut finite, state),
                    2 => add_tile::<S, K, 2>(tile, &group, &mut finite, state),
                    _ => add_tile::<S, K, 1>(tile, &group, &mut finite, state),
                }
            }
        }
    }
}

/// A tile in float32: keys `[size, 64]`, and values `[64, vectors]`, of which what is past a head's size stays 0.
#[derive(Default)]
struct Packed {
    keys: Vec<Line>,
    values: Vec<Line>,
}

/// Which slots of the tile from `base` on a row sees, as bits.
fn slots_of(seen: &Range<usize>, base: usize, tree: Option<&(usize, Box<[bool]>)>) -> u64 {
    let (start, end) = (seen.start.clamp(base, base + TILE) - base, seen.end.clamp(base, base + TILE) - base);
    if start >= end {
        return 0;
    }
    let bits = (u64::MAX >> (TILE - (end - start))) << start;
    let Some((first, shown)) = tree else { return bits };
    let is_hidden = |at: &usize| base + at >= *first && !shown.get(base + at - first).is_some_and(|shown| *shown);
    (start..end).filter(is_hidden).fold(bits, |bits, at| bits & !(1 << at))
}

/// The states of parts, merged in their order.
struct Merged<'a> {
    rows: usize,
    heads: Heads,
    states: &'a [&'a State],
}

impl Kernel for Merged<'_> {
    type Output = State;

    #[inline(always)]
    unsafe fn run<S: Simd>(self) -> State {
        let mut total = State::new(self.rows, self.heads.vectors());
        for state in self.states {
            // SAFETY: the caller has the instruction set.
            unsafe { total.merge::<S>(state) };
        }
        total
    }
}

/// Writes what a block gives to the layer's result.
struct Results<'a, 'out, T> {
    heads: Heads,
    scores: &'a Scores<'a>,
    block: &'a Block,
    state: &'a mut State,
    out: &'a Shared<'out, T>,
}

impl<T: Stored> Kernel for Results<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let heads = self.heads;
        for own in 0..self.block.rows.len() * heads.group() {
            let (row, head) =
                (self.block.rows.start + own / heads.group(), self.block.head * heads.group() + own % heads.group());
            let sink = self.scores.sinks.get(head).map(|sink| sink * LOG2_E);
            // SAFETY: the caller has the instruction set.
            let lines = unsafe { self.state.finish::<S>(own, sink) };
            let start = (row * heads.query + head) * heads.size;
            // SAFETY: these elements are those of this row and this head, which no other task has.
            let into = unsafe { self.out.slice(start..start + heads.size) };
            for (line, into) in lines.iter().zip(into.chunks_mut(LANES)) {
                T::narrow(&line.0[..into.len()], into);
            }
        }
    }
}
