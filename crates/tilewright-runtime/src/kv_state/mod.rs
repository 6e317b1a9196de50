//! States of language models: caches of keys and values in pages, and states of recurrent models, by sequences.
//!
//! Reading order: [`KvState`] (what engines do with any state), `paged` (the cache), `sequence` (what a token sees),
//! `pages`, `rope`, `scoring` (what models add to scores), `attention` (its tasks), `softmax` (its arithmetic), `simd`,
//! `rnn` (recurrent states). Here are the functions by name, which take a state as their first argument, and check
//! theirs.
//!
//! An engine adds sequences, and for each step says which of them get how many tokens (`begin_forward`), calls a
//! function of the model, whose layers call `attention_with_fused_qkv` or get and set states, and ends the step
//! (`end_forward`). It forks sequences to share prefixes, and takes tokens back (`popn`).

mod attention;
mod paged;
mod pages;
mod rnn;
mod rope;
mod scoring;
mod sequence;
mod simd;
mod softmax;
#[cfg(test)]
mod tests;

use std::sync::{Arc, MutexGuard};

use tilewright_tensor::{DataType, Tensor};

use self::attention::Heads;
use self::paged::{PagedCache, Sizes};
use self::rnn::RnnState;
use self::rope::{Rope, RopeConfig};
use self::scoring::Scoring;
use crate::builtins::{Builtin, refused, wrong_arguments};
use crate::error::Result;
use crate::fork::{Held, Lock};
use crate::value::Value;

pub(crate) const ALL: [(&str, Builtin); 23] = [
    ("mlc.create_paged_kv_cache_generic", create_paged),
    ("vm.builtin.kv_state_clear", clear),
    ("vm.builtin.kv_state_add_sequence", add_sequence),
    ("vm.builtin.kv_state_remove_sequence", remove_sequence),
    ("vm.builtin.kv_state_fork_sequence", fork_sequence),
    ("vm.builtin.kv_state_popn", popn),
    ("vm.builtin.kv_state_begin_forward", begin_forward),
    ("vm.builtin.kv_state_end_forward", end_forward),
    ("vm.builtin.attention_kv_cache_enable_sliding_window_for_seq", enable_window),
    ("vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes", commit),
    ("vm.builtin.attention_kv_cache_empty", is_empty),
    ("vm.builtin.attention_kv_cache_get_num_available_pages", available_pages),
    ("vm.builtin.attention_kv_cache_get_total_sequence_length", total_length),
    ("vm.builtin.attention_kv_cache_get_query_positions", query_positions),
    ("vm.builtin.attention_kv_cache_debug_get_kv", debug_get_kv),
    ("vm.builtin.attention_kv_cache_stored", stored),
    ("vm.builtin.attention_kv_cache_fill", fill),
    ("vm.builtin.attention_kv_cache_attention_with_fused_qkv", attention),
    ("vm.builtin.rnn_state_create", create_rnn),
    ("vm.builtin.rnn_state_get", rnn_get),
    ("vm.builtin.rnn_state_set", rnn_set),
    ("vm.builtin.rnn_state_debug_get", rnn_debug_get),
    ("vm.builtin.rnn_state_debug_set", rnn_debug_set),
];

/// Tokens of a page at most.
const MAX_PAGE: usize = 256;
/// Layers, heads and elements of a head at most; what they take together is limited by the memory that there is.
const MAX_SIZE: i64 = 1 << 16;

/// What engines do with the sequences of a state. A call that is refused changes nothing.
trait KvState {
    /// Drops all sequences, and the open step.
    fn clear(&mut self);
    fn add_sequence(&mut self, id: i64) -> Result<()>;
    fn remove_sequence(&mut self, id: i64) -> Result<()>;
    /// Makes a sequence of the first `position` tokens of another, or of all of them (-1).
    fn fork_sequence(&mut self, parent: i64, child: i64, position: i64) -> Result<()>;
    /// Takes the last tokens back.
    fn popn(&mut self, id: i64, count: i64) -> Result<()>;
    /// Begins a step in which sequences get tokens; `tree` has the parent of each token in its sequence's tree.
    fn begin_forward(&mut self, ids: &[i64], lengths: &[i64], tree: Option<&[i64]>) -> Result<()>;
    fn end_forward(&mut self) -> Result<()>;
}

/// A state. It is passed as an object, and changed in place.
struct State(Lock<Kind>);

enum Kind {
    Paged(Box<PagedCache>),
    Rnn(RnnState),
}

impl Kind {
    fn as_state(&mut self) -> &mut dyn KvState {
        match self {
            Self::Paged(cache) => &mut **cache,
            Self::Rnn(state) => state,
        }
    }
}

/// The sequences of a call, each of which has one of `others`, and is there once.
fn check_ids(ids: &[i64], others: usize, what: &str) -> Result<()> {
    if ids.len() != others {
        return Err(refused(format!("{} sequences have as many {what}, found {others}", ids.len())));
    }
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(refused(format!("sequence {} is there twice", pair[0]))),
        None => Ok(()),
    }
}

/// For what is done between steps: the open one, if there is one, refuses it.
fn check_between_steps<T>(step: Option<&T>, what: &str) -> Result<()> {
    match step {
        None => Ok(()),
        Some(_) => Err(refused(format!("{what} comes before begin_forward or after end_forward"))),
    }
}

fn made(kind: Kind) -> Value {
    Value::Object(Arc::new(State(Lock::new(kind))))
}

fn lock(value: &Value) -> Result<Held<MutexGuard<'_, Kind>>> {
    let found = match value {
        Value::Object(object) => object.downcast_ref::<State>(),
        _ => None,
    };
    let state = found.ok_or_else(|| wrong_arguments("a state of sequences", std::slice::from_ref(value)))?;
    Ok(state.0.lock())
}

/// Does something with any state.
fn with_state(state: &Value, f: impl FnOnce(&mut dyn KvState) -> Result<()>) -> Result<Value> {
    f(lock(state)?.as_state())?;
    Ok(Value::None)
}

fn with_cache<T>(state: &Value, f: impl FnOnce(&mut PagedCache) -> Result<T>) -> Result<T> {
    match &mut *lock(state)? {
        Kind::Paged(cache) => f(cache),
        Kind::Rnn(_) => Err(refused("expected a cache of keys and values, found a state of a recurrent model")),
    }
}

fn with_rnn<T>(state: &Value, f: impl FnOnce(&mut RnnState) -> Result<T>) -> Result<T> {
    match &mut *lock(state)? {
        Kind::Rnn(state) => f(state),
        Kind::Paged(_) => Err(refused("expected a state of a recurrent model, found a cache of keys and values")),
    }
}

/// Integers: a shape, a tensor or a tuple of them.
fn integers(value: &Value) -> Result<Vec<i64>> {
    match value {
        Value::Shape(dims) => Ok(dims.to_vec()),
        Value::Tuple(items) => items.iter().map(Value::as_int).collect(),
        Value::Tensor(tensor) if tensor.dtype() == DataType::I64 => Ok(tensor.to_vec()?),
        Value::Tensor(tensor) if tensor.dtype() == DataType::I32 => {
            Ok(tensor.to_vec::<i32>()?.into_iter().map(i64::from).collect())
        }
        other => Err(wrong_arguments("a shape", std::slice::from_ref(other))),
    }
}

fn number(value: &Value) -> Result<f64> {
    match value {
        Value::Float(value) => Ok(*value),
        other => Ok(other.as_int()? as f64),
    }
}

fn clear(args: &[Value]) -> Result<Value> {
    let [state] = args else { return Err(wrong_arguments("a state", args)) };
    with_state(state, |state| {
        state.clear();
        Ok(())
    })
}

fn add_sequence(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(id)] = args else { return Err(wrong_arguments("a state and a sequence", args)) };
    with_state(state, |state| state.add_sequence(*id))
}

fn remove_sequence(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(id)] = args else { return Err(wrong_arguments("a state and a sequence", args)) };
    with_state(state, |state| state.remove_sequence(*id))
}

/// `(state, parent, child, position = -1)`.
fn fork_sequence(args: &[Value]) -> Result<Value> {
    let (parent, child, position) = match args {
        [_, Value::Int(parent), Value::Int(child)] => (*parent, *child, -1),
        [_, Value::Int(parent), Value::Int(child), Value::Int(position)] => (*parent, *child, *position),
        _ => return Err(wrong_arguments("a state, a parent, a child and perhaps a position", args)),
    };
    with_state(&args[0], |state| state.fork_sequence(parent, child, position))
}

fn popn(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(id), Value::Int(count)] = args else {
        return Err(wrong_arguments("a state, a sequence and a number of tokens", args));
    };
    with_state(state, |state| state.popn(*id, *count))
}

/// `(state, sequences, lengths, parents of nodes of trees = none)`.
fn begin_forward(args: &[Value]) -> Result<Value> {
    let (state, ids, lengths, tree) = match args {
        [state, ids, lengths] | [state, ids, lengths, Value::None] => (state, ids, lengths, None),
        [state, ids, lengths, tree] => (state, ids, lengths, Some(integers(tree)?)),
        _ => return Err(wrong_arguments("a state, sequences, lengths and perhaps trees", args)),
    };
    let (ids, lengths) = (integers(ids)?, integers(lengths)?);
    with_state(state, |state| state.begin_forward(&ids, &lengths, tree.as_deref()))
}

fn end_forward(args: &[Value]) -> Result<Value> {
    let [state] = args else { return Err(wrong_arguments("a state", args)) };
    with_state(state, |state| state.end_forward())
}

/// `(cache, sequence, tokens of the window, those of them that are the first)`.
fn enable_window(args: &[Value]) -> Result<Value> {
    let [cache, Value::Int(id), Value::Int(size), Value::Int(sink)] = args else {
        return Err(wrong_arguments("a cache, a sequence, a window and a sink", args));
    };
    with_cache(cache, |cache| cache.enable_window(*id, *size, *sink))?;
    Ok(Value::None)
}

/// `(cache, sequences, nodes)`.
fn commit(args: &[Value]) -> Result<Value> {
    let [cache, ids, leaves] = args else { return Err(wrong_arguments("a cache, sequences and nodes", args)) };
    let (ids, leaves) = (integers(ids)?, integers(leaves)?);
    with_cache(cache, |cache| cache.commit(&ids, &leaves))?;
    Ok(Value::None)
}

fn is_empty(args: &[Value]) -> Result<Value> {
    let [cache] = args else { return Err(wrong_arguments("a cache", args)) };
    Ok(Value::Bool(with_cache(cache, |cache| Ok(cache.is_empty()))?))
}

fn available_pages(args: &[Value]) -> Result<Value> {
    let [cache] = args else { return Err(wrong_arguments("a cache", args)) };
    Ok(Value::Int(with_cache(cache, |cache| Ok(cache.available_pages()))?))
}

fn total_length(args: &[Value]) -> Result<Value> {
    let [cache] = args else { return Err(wrong_arguments("a cache", args)) };
    Ok(Value::Int(with_cache(cache, |cache| Ok(cache.total_length()))?))
}

/// `(cache)`: the positions of the step's tokens, int32.
fn query_positions(args: &[Value]) -> Result<Value> {
    let [cache] = args else { return Err(wrong_arguments("a cache", args)) };
    let positions = with_cache(cache, |cache| cache.positions())?;
    Ok(Tensor::from_vec(&[positions.len() as i64], positions)?.into())
}

/// `(cache, sequence, first token, end, keys to fill, values to fill)`.
fn debug_get_kv(args: &[Value]) -> Result<Value> {
    let [cache, Value::Int(id), Value::Int(start), Value::Int(end), Value::Tensor(keys), Value::Tensor(values)] = args
    else {
        return Err(wrong_arguments("a cache, a sequence, two positions and two tensors", args));
    };
    with_cache(cache, |cache| cache.debug_get(*id, *start, *end, keys, values))?;
    Ok(Value::None)
}

/// `(cache, sequence, first token, end)`: keys and values as they are stored, two tensors `[layers, tokens, kv, size]`.
fn stored(args: &[Value]) -> Result<Value> {
    let [cache, Value::Int(id), Value::Int(start), Value::Int(end)] = args else {
        return Err(wrong_arguments("a cache, a sequence and two positions", args));
    };
    let (keys, values) = with_cache(cache, |cache| cache.stored(*id, *start, *end))?;
    Ok(Value::tuple([keys.into(), values.into()]))
}

/// `(cache, keys, values)`: stores those of the step's tokens, as `stored` gave them, in place of a forward.
fn fill(args: &[Value]) -> Result<Value> {
    let [cache, Value::Tensor(keys), Value::Tensor(values)] = args else {
        return Err(wrong_arguments("a cache and two tensors", args));
    };
    with_cache(cache, |cache| cache.fill(keys, values))?;
    Ok(Value::None)
}

/// `(cache, layer, scale, queries keys and values, sink of each query head = none, result to fill)`.
fn attention(args: &[Value]) -> Result<Value> {
    let (cache, layer, scale, qkv, sinks, out) = match args {
        [cache, Value::Int(layer), scale, Value::Tensor(qkv), Value::Tensor(out)] => {
            (cache, layer, scale, qkv, None, out)
        }
        [cache, Value::Int(layer), scale, Value::Tensor(qkv), Value::Tensor(sinks), Value::Tensor(out)] => {
            (cache, layer, scale, qkv, Some(sinks), out)
        }
        _ => return Err(wrong_arguments("a cache, a layer, a scale and two or three tensors", args)),
    };
    let scale = number(scale)?;
    with_cache(cache, |cache| cache.attention(*layer, scale, qkv, sinks, out))?;
    Ok(Value::None)
}

/// A size from 1 up to a limit.
fn size(what: &str, value: i64, limit: i64) -> Result<usize> {
    match usize::try_from(value) {
        Ok(size) if (1..=limit).contains(&value) => Ok(size),
        _ => Err(refused(format!("{what}: expected 1 to {limit}, found {value}"))),
    }
}

/// `((batch, tokens, tokens of a step, page, window or not), first layers of stages, layers, query heads, kv heads,
/// size of a head, RoPE or not, scale, base, scaling in JSON, factors, rotated dimensions, data type)`.
///
/// The numbers of tokens of a step and of windows reserve nothing here. The data type is that of keys and values in the
/// cache; queries, keys and values come in any type of floats.
fn create_paged(args: &[Value]) -> Result<Value> {
    let [sizes, stages, layers, query, kv, head, mode, scale, theta, scaling, factors, rotated, dtype] = args else {
        return Err(wrong_arguments("the 13 arguments of a paged cache", args));
    };
    let sizes = integers(sizes)?;
    let &[batch, tokens, _, page, _] = &sizes[..] else {
        return Err(refused(format!("a paged cache has 5 sizes, found {sizes:?}")));
    };
    if !matches!(stages, Value::None | Value::Int(_)) && integers(stages)?.len() > 2 {
        return Err(refused("a model runs in one stage"));
    }
    let (query, kv) = (size("query heads", query.as_int()?, MAX_SIZE)?, size("kv heads", kv.as_int()?, MAX_SIZE)?);
    if !query.is_multiple_of(kv) {
        return Err(refused(format!("{query} query heads cannot share {kv} kv heads equally")));
    }
    let head = size("elements of a head", head.as_int()?, MAX_SIZE)?;
    let page = size("tokens of a page", page, MAX_PAGE as i64)?;
    let batch = size("sequences of a step", batch, 1 << 20)?;
    let tokens = size("tokens", tokens, 1 << 32)?;
    let rope = match mode.as_int()? {
        0 => None,
        1 | 2 => Some(rope_of(head, scale, theta, scaling, factors, rotated)?),
        other => return Err(refused(format!("RoPE: expected none (0), normal (1) or inline (2), found {other}"))),
    };
    // Every sequence of a step may fill its last page in part.
    let pages =
        u32::try_from(tokens.div_ceil(page) + batch).map_err(|_| refused("a cache has fewer pages than 2^32"))?;
    let layers = size("layers", layers.as_int()?, MAX_SIZE)?;
    let sizes = Sizes {
        heads: Heads { query, kv, size: head, page },
        layers,
        pages,
        batch,
        dtype: stored_type(dtype)?,
        scoring: Scoring::parse(scaling_text(scaling)?, layers, query)?,
    };
    Ok(made(Kind::Paged(Box::new(PagedCache::new(sizes, rope)?))))
}

fn stored_type(dtype: &Value) -> Result<DataType> {
    let named = match dtype {
        Value::DataType(dtype) => Some(*dtype),
        Value::Str(text) => text.parse().ok(),
        _ => None,
    };
    let found = named.filter(|dtype| [DataType::F32, DataType::F16, DataType::BF16].contains(dtype));
    found.ok_or_else(|| {
        let said = named.map_or_else(|| dtype.kind_name().to_owned(), |dtype| dtype.to_string());
        refused(format!("a cache holds float32, float16 or bfloat16, found {said}"))
    })
}

fn scaling_text(scaling: &Value) -> Result<&str> {
    match scaling {
        Value::None => Ok(""),
        Value::Str(text) => Ok(text),
        other => Err(wrong_arguments("a scaling of RoPE in JSON", std::slice::from_ref(other))),
    }
}

fn rope_of(
    head: usize,
    scale: &Value,
    theta: &Value,
    scaling: &Value,
    factors: &Value,
    rotated: &Value,
) -> Result<Rope> {
    let rotated = match rotated {
        Value::None => head,
        given => size("rotated dimensions", given.as_int()?, head as i64)?,
    };
    let factors: Vec<f64> = match factors {
        Value::None | Value::Int(_) | Value::Float(_) => Vec::new(),
        Value::Tensor(tensor) => tensor.to_vec::<f32>()?.into_iter().map(f64::from).collect(),
        Value::Tuple(items) => items.iter().map(number).collect::<Result<_>>()?,
        other => return Err(wrong_arguments("factors of RoPE", std::slice::from_ref(other))),
    };
    let scaling = scaling_text(scaling)?;
    Rope::new(&RopeConfig { rotated, theta: number(theta)?, scale: number(scale)?, scaling, factors: &factors })
}

/// `(layers, sequences, steps that are kept, …, first states of a layer)`. What functions stand between is not used:
/// states are copied here.
fn create_rnn(args: &[Value]) -> Result<Value> {
    let [Value::Int(layers), Value::Int(batch), Value::Int(history), .., Value::Tuple(first)] = args else {
        return Err(wrong_arguments("layers, sequences, steps that are kept and first states", args));
    };
    let first = first.iter().map(|value| Ok(value.as_tensor()?.copied()?)).collect::<Result<Vec<_>>>()?;
    let layers = size("layers", *layers, MAX_SIZE)?;
    let (batch, history) = (size("sequences of a step", *batch, 1 << 20)?, size("kept steps", *history, 1 << 20)?);
    Ok(made(Kind::Rnn(RnnState::new(layers, batch, history, first))))
}

/// `(state, layer, state of it, result to fill)`: the states of the step's sequences.
fn rnn_get(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(layer), Value::Int(index), Value::Tensor(out)] = args else {
        return Err(wrong_arguments("a state, a layer, a state of it and a tensor", args));
    };
    with_rnn(state, |state| state.get(*layer, *index, out))?;
    Ok(Value::None)
}

/// `(state, layer, state of it, values)`: the state with other states of the step's sequences.
fn rnn_set(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(layer), Value::Int(index), Value::Tensor(values)] = args else {
        return Err(wrong_arguments("a state, a layer, a state of it and a tensor", args));
    };
    with_rnn(state, |state| state.set(*layer, *index, values))?;
    Ok(args[0].clone())
}

/// `(state, layer, state of it, sequence)`: a copy of that state.
fn rnn_debug_get(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(layer), Value::Int(index), Value::Int(id)] = args else {
        return Err(wrong_arguments("a state, a layer, a state of it and a sequence", args));
    };
    Ok(with_rnn(state, |state| state.debug_get(*layer, *index, *id))?.into())
}

/// `(state, layer, state of it, sequence, values)`.
fn rnn_debug_set(args: &[Value]) -> Result<Value> {
    let [state, Value::Int(layer), Value::Int(index), Value::Int(id), Value::Tensor(values)] = args else {
        return Err(wrong_arguments("a state, a layer, a state of it, a sequence and a tensor", args));
    };
    with_rnn(state, |state| state.debug_set(*layer, *index, *id, values))?;
    Ok(Value::None)
}
