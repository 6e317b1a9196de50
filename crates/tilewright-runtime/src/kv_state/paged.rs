//! The cache of keys and values in pages: sequences that grow, share prefixes, shrink and go.
//!
//! Each layer has memory for `[pages]` of keys, `[kv heads, head, page]`, and values, `[kv heads, page, head]`. A
//! sequence has a table of pages; a fork shares those of its parent, whatever its length. A page that is shared is
//! copied before one of its holders writes to it, and with that all of its layers. Sequences do not depend on each
//! other: a parent may go before its forks.
//!
//! Between `begin_forward` and `end_forward` is a *step*: the rows of its sequences have slots and positions, every
//! layer stores keys and values for them, and attends. A step that is refused changes nothing.

use std::collections::BTreeMap;

use tilewright_tensor::{DataType, Tensor, bf16, f16};

use super::attention::{Chunk, Floats, Heads, Rows, Scores, Stored, attend};
use super::pages::{Page, PagePool};
use super::rope::Rope;
use super::scoring::Scoring;
use super::sequence::{Row, Sequence, Window};
use super::{KvState, check_between_steps, check_ids};
use crate::builtins::refused;
use crate::error::Result;

/// Sizes of a cache.
pub(super) struct Sizes {
    pub(super) heads: Heads,
    pub(super) layers: usize,
    pub(super) pages: u32,
    /// Sequences of a step at most.
    pub(super) batch: usize,
    /// Of keys and values.
    pub(super) dtype: DataType,
    pub(super) scoring: Scoring,
}

pub(super) struct PagedCache {
    sizes: Sizes,
    /// None for models that say positions otherwise.
    rope: Option<Rope>,
    pool: PagePool,
    sequences: BTreeMap<i64, Sequence>,
    layers: Vec<Tensor>,
    step: Option<Step>,
}

struct Step {
    rows: Vec<Row>,
    /// The rows for layers with a window of their own, by its tokens.
    windowed: BTreeMap<usize, Vec<Row>>,
    chunks: Vec<Chunk>,
    rope: Vec<f32>,
    rope_for_sink: Vec<f32>,
}

impl PagedCache {
    pub(super) fn new(sizes: Sizes, rope: Option<Rope>) -> Result<Self> {
        let Heads { kv, size, page, .. } = sizes.heads;
        let shape = [i64::from(sizes.pages), 2, kv as i64, page as i64, size as i64];
        let layers = (0..sizes.layers).map(|_| Ok(Tensor::zeros(sizes.dtype, &shape)?)).collect::<Result<_>>()?;
        let pool = PagePool::new(sizes.pages);
        Ok(Self { sizes, rope, pool, sequences: BTreeMap::new(), layers, step: None })
    }

    fn page(&self) -> usize {
        self.sizes.heads.page
    }

    fn sequence(&mut self, id: i64) -> Result<&mut Sequence> {
        self.sequences.get_mut(&id).ok_or_else(|| unknown(id))
    }

    fn step(&self) -> Result<&Step> {
        self.step.as_ref().ok_or_else(|| refused("no step is open: call begin_forward first"))
    }

    /// Tokens of the last `size` of a sequence are seen, of which the first `sink` are the sequence's first ones.
    pub(super) fn enable_window(&mut self, id: i64, size: i64, sink: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "enable_sliding_window_for_seq")?;
        let (Ok(size), Ok(sink)) = (usize::try_from(size), usize::try_from(sink)) else {
            return Err(refused(format!("a window has a size and a sink, found {size} and {sink}")));
        };
        if sink >= size {
            return Err(refused(format!("a window of {size} tokens has a sink of fewer, found {sink}")));
        }
        let sequence = self.sequence(id)?;
        let window = Window { size, sink };
        match sequence.window {
            Some(known) if known != window => Err(refused(format!("sequence {id} has a window of its own already"))),
            _ => {
                sequence.window = Some(window);
                Ok(())
            }
        }
    }

    /// Accepts the path to a node of each sequence's tree, or none (-1).
    pub(super) fn commit(&mut self, ids: &[i64], leaves: &[i64]) -> Result<()> {
        check_between_steps(self.step.as_ref(), "commit_accepted_token_tree_nodes")?;
        check_ids(ids, leaves.len(), "leaves")?;
        for (&id, &leaf) in ids.iter().zip(leaves) {
            let sequence = self.sequence(id)?;
            let nodes = sequence.length - sequence.accepted();
            if leaf < -1 || leaf >= nodes as i64 {
                return Err(refused(format!("the tree of sequence {id} has {nodes} nodes, found node {leaf}")));
            }
        }
        for (&id, &leaf) in ids.iter().zip(leaves) {
            let moves = self.sequence(id)?.commit(leaf)?;
            self.move_slots(id, &moves)?;
            let page = self.page();
            if let Some(sequence) = self.sequences.get_mut(&id) {
                sequence.truncate(sequence.length, page, &mut self.pool);
            }
        }
        Ok(())
    }

    /// Copies keys and values of slots, none of which lies in a shared page, to earlier ones.
    fn move_slots(&mut self, id: i64, moves: &[(usize, usize)]) -> Result<()> {
        let heads = self.sizes.heads;
        let Some(sequence) = self.sequences.get(&id) else { return Err(unknown(id)) };
        for &(from, to) in moves {
            let page_of = |slot: usize| sequence.pages.get(slot / heads.page).copied().flatten();
            let (Some(source), Some(target)) = (page_of(from), page_of(to)) else { continue };
            for head in 0..heads.kv {
                let keys = (heads.key(source, head, from), heads.key(target, head, to));
                let values = (heads.value(source, head, from), heads.value(target, head, to));
                for layer in &mut self.layers {
                    for (from, to) in [keys, values] {
                        move_head(layer, from, to, heads.size)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes a page of which a sequence is the only holder for each slot from `length` on, `count` of them.
    fn reserve(&mut self, id: i64, length: usize, count: usize) -> Result<()> {
        let page = self.page();
        let Some(sequence) = self.sequences.get_mut(&id) else { return Err(unknown(id)) };
        let none = || refused("no page is free");
        if let Some(Some(last)) = sequence.pages.get_mut(length / page)
            && self.pool.is_shared(*last)
        {
            let copy = self.pool.take().ok_or_else(none)?;
            let bytes = 2 * self.sizes.heads.kv * self.sizes.heads.tile() * self.sizes.dtype.bytes();
            for layer in &mut self.layers {
                copy_within(layer, *last as usize * bytes, copy as usize * bytes, bytes)?;
            }
            self.pool.release(*last);
            *last = copy;
        }
        while sequence.pages.len() * page < length + count {
            sequence.pages.push(Some(self.pool.take().ok_or_else(none)?));
        }
        Ok(())
    }

    /// The page that appending to a sequence copies, and how many more it takes for so many tokens.
    fn pages_for(&self, sequence: &Sequence, count: usize) -> (Option<Page>, usize) {
        let page = self.page();
        let last = sequence.pages.get(sequence.length / page).copied().flatten();
        let copied = last.filter(|&last| self.pool.is_shared(last));
        (copied, (sequence.length + count).div_ceil(page).saturating_sub(sequence.pages.len()))
    }

    fn check_step(&self, ids: &[i64], lengths: &[i64], tree: Option<&[i64]>) -> Result<()> {
        check_between_steps(self.step.as_ref(), "begin_forward")?;
        check_ids(ids, lengths.len(), "lengths")?;
        if tree.is_some() && !self.sizes.scoring.slopes.is_empty() {
            return Err(refused("a cache with ALiBi takes no trees of tokens"));
        }
        if ids.len() > self.sizes.batch {
            return Err(refused(format!("a step has {} sequences at most, found {}", self.sizes.batch, ids.len())));
        }
        let (mut needed, mut total) = (0usize, 0usize);
        let mut copied: BTreeMap<Page, usize> = BTreeMap::new();
        for (id, &length) in ids.iter().zip(lengths) {
            let sequence = self.sequences.get(id).ok_or_else(|| unknown(*id))?;
            let count = usize::try_from(length).ok().filter(|count| (1..=1 << 32).contains(count));
            let Some(count) = count else {
                return Err(refused(format!("sequence {id} gets 1 token or more in a step, found {length}")));
            };
            let (own, more) = self.pages_for(sequence, count);
            if let Some(own) = own {
                *copied.entry(own).or_default() += 1;
            }
            needed = needed.saturating_add(more);
            total = total.saturating_add(count);
        }
        // The last holder of a page keeps it.
        for (&page, &holders) in &copied {
            needed = needed.saturating_add(if holders == self.pool.holders(page) { holders - 1 } else { holders });
        }
        if let Some(tree) = tree
            && tree.len() != total
        {
            return Err(refused(format!("a tree has a parent for each of {total} tokens, found {}", tree.len())));
        }
        match self.pool.available() {
            available if needed > available => Err(refused(format!(
                "the step needs {needed} pages of {} tokens, of which {available} are free: remove sequences, or create \
                 the cache for more tokens",
                self.page()
            ))),
            _ => Ok(()),
        }
    }

    /// Appends to the sequences of a step; where one refuses, the others take it back.
    fn append(&mut self, ids: &[i64], lengths: &[i64], tree: Option<&[i64]>) -> Result<(Vec<Row>, Vec<Chunk>)> {
        let (mut rows, mut chunks) = (Vec::new(), Vec::new());
        let mut parents = tree;
        for (&id, &length) in ids.iter().zip(lengths) {
            let count = length as usize;
            let own = parents.map(|parents| parents.split_at(count));
            parents = own.map(|(_, rest)| rest);
            let sequence = self.sequences.get_mut(&id).ok_or_else(|| unknown(id))?;
            let appended = sequence.append(count, own.map(|(own, _)| own));
            match appended {
                Ok(appended) => {
                    chunks.push(Chunk { id, rows: rows.len()..rows.len() + count });
                    rows.extend(appended);
                }
                Err(error) => {
                    for chunk in &chunks {
                        if let Some(sequence) = self.sequences.get_mut(&chunk.id) {
                            sequence.undo(chunk.rows.len());
                        }
                    }
                    return Err(error);
                }
            }
        }
        Ok((rows, chunks))
    }

    /// The positions of the open step's rows, as a model asks for them.
    pub(super) fn positions(&self) -> Result<Vec<i32>> {
        Ok(self.step()?.rows.iter().map(|row| row.position_for_sink as i32).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    pub(super) fn available_pages(&self) -> i64 {
        self.pool.available() as i64
    }

    pub(super) fn total_length(&self) -> i64 {
        self.sequences.values().map(|sequence| sequence.kept() as i64).sum()
    }

    /// Stores what a layer makes of the step's tokens and attends: `qkv` is `[…, query + 2 kv, size]`, `out`
    /// `[…, query, size]`, both of the same type of floats. `sinks` are the scores of a token that every row of a query
    /// head sees, and that has no value.
    pub(super) fn attention(
        &mut self,
        layer: i64,
        scale: f64,
        qkv: &Tensor,
        sinks: Option<&Tensor>,
        out: &Tensor,
    ) -> Result<()> {
        let heads = self.sizes.heads;
        let rows = self.step()?.rows.len();
        let dtype = qkv.dtype();
        if ![DataType::F32, DataType::F16, DataType::BF16].contains(&dtype) {
            return Err(refused(format!("qkv is a tensor of float32, float16 or bfloat16, found {dtype}")));
        }
        for (name, tensor, width) in [("qkv", qkv, heads.query + 2 * heads.kv), ("the result", out, heads.query)] {
            let shape = tensor.shape();
            let fits = shape.len() >= 3 && shape.ends_with(&[width as i64, heads.size as i64]);
            if tensor.dtype() != dtype || !fits || tensor.num_elements() != rows * width * heads.size {
                let (size, found) = (heads.size, tensor.dtype());
                return Err(refused(format!(
                    "{name} is a tensor of {dtype} and [{rows}, {width}, {size}] in this step, found {found} and {shape:?}"
                )));
            }
        }
        let sinks = sinks.map(|sinks| sink_scores(sinks, heads.query)).transpose()?.unwrap_or_default();
        let scale = (scale / (heads.size as f64).sqrt()) as f32;
        let qkv = qkv.to_contiguous()?;
        let call = LayerCall { layer, scale, sinks: &sinks };
        match dtype {
            DataType::F16 => self.attention_of::<f16>(&call, &qkv, Floats::F16(qkv.as_slice()?), out),
            DataType::BF16 => self.attention_of::<bf16>(&call, &qkv, Floats::BF16(qkv.as_slice()?), out),
            _ => self.attention_of::<f32>(&call, &qkv, Floats::F32(qkv.as_slice()?), out),
        }
    }

    /// Writes the result where it is to go, or by way of memory of its own.
    fn attention_of<Q: Stored>(
        &mut self,
        call: &LayerCall<'_>,
        qkv: &Tensor,
        from: Floats<'_>,
        out: &Tensor,
    ) -> Result<()> {
        if out.is_contiguous() && out.is_aligned() && out.is_on_host() && !out.is_read_only() && !out.overlaps(qkv) {
            let first = out.data_ptr().cast::<Q>();
            // SAFETY: the tensor is a contiguous and aligned one of `Q`, which the caller gives to be filled: nobody
            // else reads or writes it meanwhile, as for a kernel's output.
            let results = unsafe { std::slice::from_raw_parts_mut(first, out.num_elements()) };
            return self.attend::<Q>(call, from, results);
        }
        let mut results = vec![Q::default(); out.num_elements()];
        self.attend::<Q>(call, from, &mut results)?;
        let shape = out.shape().to_vec();
        Ok(out.overwrite(Tensor::from_vec(&shape, results)?.as_bytes()?)?)
    }

    fn attend<Q: Stored>(&mut self, call: &LayerCall<'_>, qkv: Floats<'_>, out: &mut [Q]) -> Result<()> {
        let (layers, layer) = (self.layers.len(), call.layer);
        let known = usize::try_from(layer).ok().and_then(|own| Some((own, self.layers.get_mut(own)?)));
        let (layer, memory) =
            known.ok_or_else(|| refused(format!("the cache has {layers} layers, found layer {layer}")))?;
        let step = self.step.as_ref().ok_or_else(|| refused("no step is open"))?;
        let table = |chunk: &Chunk| self.sequences.get(&chunk.id).map_or(&[][..], |own| &own.pages);
        let tables: Vec<_> = step.chunks.iter().map(table).collect();
        let windowed = self.sizes.scoring.window(layer).and_then(|window| step.windowed.get(&window));
        let rows = Rows {
            rows: windowed.unwrap_or(&step.rows),
            chunks: &step.chunks,
            tables: &tables,
            rope: &step.rope,
            rope_for_sink: &step.rope_for_sink,
            heads: self.sizes.heads,
        };
        let scoring = &self.sizes.scoring;
        let scores = Scores { scale: call.scale, cap: scoring.cap, slopes: &scoring.slopes, sinks: call.sinks };
        match self.sizes.dtype {
            DataType::F16 => attend::<f16, Q>(&rows, memory.as_mut_slice()?, qkv, out, &scores),
            DataType::BF16 => attend::<bf16, Q>(&rows, memory.as_mut_slice()?, qkv, out, &scores),
            _ => attend::<f32, Q>(&rows, memory.as_mut_slice()?, qkv, out, &scores),
        }
    }

    /// Copies the keys and values of slots from `start` up to and without `end`, as they are stored: `[layers, slots,
    /// kv, size]`.
    pub(super) fn debug_get(&mut self, id: i64, start: i64, end: i64, keys: &Tensor, values: &Tensor) -> Result<()> {
        let (own_keys, own_values) = self.stored(id, start, end)?;
        let shape = own_keys.shape();
        for (own, out) in [(&own_keys, keys), (&own_values, values)] {
            if out.shape() != shape || out.dtype() != own.dtype() {
                let (found, dtype) = (out.shape(), out.dtype());
                return Err(refused(format!(
                    "expected tensors of {} and {shape:?}, found {dtype} and {found:?}",
                    self.sizes.dtype
                )));
            }
            out.overwrite(own.as_bytes()?)?;
        }
        Ok(())
    }

    /// The keys and values of slots from `start` up to and without `end`, as they are stored: two tensors `[layers,
    /// slots, kv, size]`.
    pub(super) fn stored(&self, id: i64, start: i64, end: i64) -> Result<(Tensor, Tensor)> {
        let (heads, page) = (self.sizes.heads, self.page());
        let sequence = self.sequences.get(&id).ok_or_else(|| unknown(id))?;
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok()).map(|(start, end)| start..end);
        let range = range.filter(|range| range.start <= range.end && range.end <= sequence.length);
        let Some(range) = range.filter(|range| range.clone().all(|slot| sequence.has_slot(slot, page))) else {
            let length = sequence.length;
            return Err(refused(format!("sequence {id} of {length} tokens does not hold those of [{start}, {end})")));
        };
        let shape = [self.layers.len(), range.len(), heads.kv, heads.size].map(|dim| dim as i64);
        let width = self.sizes.dtype.bytes();
        let part = |is_key: bool| -> Result<Tensor> {
            let mut bytes = Vec::with_capacity(self.layers.len() * range.len() * heads.kv * heads.size * width);
            for layer in &self.layers {
                let memory = layer.as_bytes()?;
                for slot in range.clone() {
                    let Some(Some(own)) = sequence.pages.get(slot / page) else { continue };
                    for head in 0..heads.kv {
                        let at = if is_key { heads.key(*own, head, slot) } else { heads.value(*own, head, slot) };
                        for element in (0..heads.size).map(|element| (at.0 + element * at.1) * width) {
                            bytes.extend_from_slice(&memory[element..element + width]);
                        }
                    }
                }
            }
            Ok(Tensor::from_bytes(self.sizes.dtype, &shape, &bytes)?)
        };
        Ok((part(true)?, part(false)?))
    }

    /// Stores keys and values of the step's tokens in all layers, as `stored` gives them.
    pub(super) fn fill(&mut self, keys: &Tensor, values: &Tensor) -> Result<()> {
        let rows = self.step()?.rows.len();
        let Heads { kv, size, .. } = self.sizes.heads;
        let shape = [self.layers.len(), rows, kv, size].map(|dim| dim as i64);
        for given in [keys, values] {
            if given.shape() != shape || given.dtype() != self.sizes.dtype {
                let (found, dtype) = (given.shape(), given.dtype());
                return Err(refused(format!(
                    "keys and values of this step are {} and {shape:?}, found {dtype} and {found:?}",
                    self.sizes.dtype
                )));
            }
        }
        let (keys, values) = (keys.to_contiguous()?, values.to_contiguous()?);
        match self.sizes.dtype {
            DataType::F16 => self.fill_of::<f16>(keys.as_slice()?, values.as_slice()?),
            DataType::BF16 => self.fill_of::<bf16>(keys.as_slice()?, values.as_slice()?),
            _ => self.fill_of::<f32>(keys.as_slice()?, values.as_slice()?),
        }
    }

    fn fill_of<T: Stored>(&mut self, keys: &[T], values: &[T]) -> Result<()> {
        let heads = self.sizes.heads;
        let step = self.step.as_ref().ok_or_else(|| refused("no step is open"))?;
        let mut slots = Vec::new();
        for chunk in &step.chunks {
            let pages = self.sequences.get(&chunk.id).map_or(&[][..], |own| &own.pages);
            for row in &step.rows[chunk.rows.clone()] {
                let page = pages.get(row.slot / heads.page).copied().flatten();
                slots.push((page.ok_or_else(|| refused("a token of the step has no page"))?, row.slot));
            }
        }
        let width = heads.kv * heads.size;
        for (number, layer) in self.layers.iter_mut().enumerate() {
            let memory = layer.as_mut_slice::<T>()?;
            for (row, &(page, slot)) in slots.iter().enumerate() {
                for head in 0..heads.kv {
                    let from = (number * slots.len() + row) * width + head * heads.size;
                    for (given, to) in [(keys, heads.key(page, head, slot)), (values, heads.value(page, head, slot))] {
                        for element in 0..heads.size {
                            memory[to.0 + element * to.1] = given[from + element];
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether pages and tables agree.
    #[cfg(test)]
    pub(super) fn is_consistent(&self) -> bool {
        self.pool.agrees_with(self.sequences.values().flat_map(|sequence| sequence.pages.iter().flatten()))
    }
}

impl KvState for PagedCache {
    fn clear(&mut self) {
        self.sequences.clear();
        self.pool.clear();
        self.step = None;
    }

    fn add_sequence(&mut self, id: i64) -> Result<()> {
        if self.sequences.contains_key(&id) {
            return Err(refused(format!("there is a sequence {id} already")));
        }
        self.sequences.insert(id, Sequence::default());
        Ok(())
    }

    fn remove_sequence(&mut self, id: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "remove_sequence")?;
        let mut sequence = self.sequences.remove(&id).ok_or_else(|| unknown(id))?;
        sequence.truncate(0, self.sizes.heads.page, &mut self.pool);
        Ok(())
    }

    fn fork_sequence(&mut self, parent: i64, child: i64, position: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "fork_sequence")?;
        if self.sequences.contains_key(&child) {
            return Err(refused(format!("there is a sequence {child} already")));
        }
        let page = self.page();
        let from = self.sequences.get(&parent).ok_or_else(|| unknown(parent))?;
        if from.has_tree() {
            return Err(refused(format!("the tree of sequence {parent} is not accepted yet: commit one of its nodes")));
        }
        let length = if position == -1 { from.length as i64 } else { position };
        let length = usize::try_from(length).ok().filter(|&length| from.can_end_at(length, page));
        let Some(length) = length else { return Err(too_short(parent, from, position)) };
        let pages: Vec<_> = from.pages.iter().take(length.div_ceil(page)).copied().collect();
        pages.iter().flatten().for_each(|&own| self.pool.share(own));
        let window = from.window;
        self.sequences.insert(child, Sequence::new(pages, length, window));
        Ok(())
    }

    fn popn(&mut self, id: i64, count: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "popn")?;
        let page = self.page();
        let sequence = self.sequences.get_mut(&id).ok_or_else(|| unknown(id))?;
        if sequence.has_tree() {
            return Err(refused(format!("the tree of sequence {id} is not accepted yet: commit one of its nodes")));
        }
        let left = usize::try_from(count).ok().and_then(|count| sequence.length.checked_sub(count));
        let Some(left) = left.filter(|&left| sequence.can_end_at(left, page)) else {
            return Err(too_short(id, sequence, (sequence.length as i64).saturating_sub(count)));
        };
        sequence.truncate(left, page, &mut self.pool);
        Ok(())
    }

    fn begin_forward(&mut self, ids: &[i64], lengths: &[i64], tree: Option<&[i64]>) -> Result<()> {
        self.check_step(ids, lengths, tree)?;
        let before: Vec<usize> = ids.iter().map(|id| self.sequences.get(id).map_or(0, |own| own.length)).collect();
        let (rows, chunks) = self.append(ids, lengths, tree)?;
        for (chunk, length) in chunks.iter().zip(before) {
            self.reserve(chunk.id, length, chunk.rows.len())?;
        }
        let within = |window: usize| (window, rows.iter().map(|row| row.within(window)).collect());
        let windowed = self.sizes.scoring.windows().into_iter().map(within).collect();
        let mut step = Step { rows, windowed, chunks, rope: Vec::new(), rope_for_sink: Vec::new() };
        if let Some(rope) = &self.rope {
            step.rows.iter().for_each(|row| rope.push_row(row.position, &mut step.rope));
            if step.rows.iter().any(|row| !row.sink.is_empty()) {
                let table = &mut step.rope_for_sink;
                step.rows.iter().for_each(|row| rope.push_row(row.position_for_sink, table));
            }
        }
        self.step = Some(step);
        Ok(())
    }

    fn end_forward(&mut self) -> Result<()> {
        let step = self.step.take().ok_or_else(|| refused("no step is open: call begin_forward first"))?;
        let page = self.page();
        for chunk in &step.chunks {
            if let Some(sequence) = self.sequences.get_mut(&chunk.id) {
                sequence.slide(page, &mut self.pool);
            }
        }
        Ok(())
    }
}

/// What a call of `attention` says of a layer.
struct LayerCall<'a> {
    layer: i64,
    scale: f32,
    sinks: &'a [f32],
}

/// The sinks of query heads as float32.
fn sink_scores(sinks: &Tensor, heads: usize) -> Result<Vec<f32>> {
    let dtype = sinks.dtype();
    let known = [DataType::F32, DataType::F16, DataType::BF16].contains(&dtype);
    if !known || sinks.shape() != [heads as i64] {
        let shape = sinks.shape();
        return Err(refused(format!("sinks are floats of {heads} query heads, found {dtype} and {shape:?}")));
    }
    Ok(match dtype {
        DataType::F16 => sinks.to_vec::<f16>()?.into_iter().map(f16::to_f32).collect(),
        DataType::BF16 => sinks.to_vec::<bf16>()?.into_iter().map(bf16::to_f32).collect(),
        _ => sinks.to_vec()?,
    })
}

fn unknown(id: i64) -> crate::Error {
    refused(format!("there is no sequence {id}"))
}

fn too_short(id: i64, sequence: &Sequence, length: i64) -> crate::Error {
    let dropped = if sequence.window.is_some() { ", of which its window dropped some" } else { "" };
    refused(format!("sequence {id} has {} tokens{dropped}: it cannot be continued after {length}", sequence.length))
}

/// Copies a head within a layer: both are given by their first element and the distance of the next.
fn move_head(layer: &mut Tensor, from: (usize, usize), to: (usize, usize), size: usize) -> Result<()> {
    fn elements<T: Copy>(memory: &mut [T], from: (usize, usize), to: (usize, usize), size: usize) {
        (0..size).for_each(|at| memory[to.0 + at * to.1] = memory[from.0 + at * from.1]);
    }
    match layer.dtype() {
        DataType::F16 => elements(layer.as_mut_slice::<f16>()?, from, to, size),
        DataType::BF16 => elements(layer.as_mut_slice::<bf16>()?, from, to, size),
        _ => elements(layer.as_mut_slice::<f32>()?, from, to, size),
    }
    Ok(())
}

/// Copies bytes of a tensor to another place in it.
fn copy_within(tensor: &mut Tensor, from: usize, to: usize, count: usize) -> Result<()> {
    let bytes = |at: usize| {
        let layout = tilewright_tensor::Layout::compact(DataType::U8, &[count as i64])?;
        tensor.view_as(layout.into(), at as i64)
    };
    Ok(bytes(to)?.overwrite(bytes(from)?.as_bytes()?)?)
}
