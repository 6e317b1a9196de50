//! Attention: the operator and its spelled-out form, with masks, windows, biases, heads that share keys, symbolic
//! lengths.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, shape_text};
use super::super::values::Numbers;

/// The sizes of an attention.
struct Sizes {
    batch: Dim,
    heads: i64,
    /// Heads that share one of the keys and values.
    shared: i64,
    queries: Dim,
    keys: Dim,
    depth: i64,
    width: i64,
}

impl Sizes {
    fn new(g: &mut Graph<'_>) -> Self {
        let budget = g.dice.pick(&[5_000, 40_000, 150_000]).unwrap_or(5_000);
        let batch = g.dice.between(1, 2);
        let (heads, shared) = g.dice.pick(&[(1, 1), (2, 1), (3, 1), (1, 2), (2, 3)]).unwrap_or((1, 1));
        let sizes = g.dice.sizes(3, budget / (batch * heads * shared));
        let order = g.dice.order(3);
        let size = |at: usize| order.get(at).and_then(|&at| sizes.get(at)).copied().unwrap_or(1);
        let (queries, keys, depth) = (size(0), size(1), size(2).max(1));
        // Attention usually has as many queries as keys, or in a decoder one.
        let queries = match g.dice.below(4) {
            0 => keys,
            1 => 1,
            _ => queries,
        };
        let queries = g.dim(queries, 2);
        let keys = if keys == queries.size && g.dice.one_in(2) { queries.clone() } else { g.dim(keys, 2) };
        let width = if g.dice.one_in(3) { g.dice.size(65).max(1) } else { depth };
        Self { batch: g.dim(batch, 5), heads, shared, queries, keys, depth, width }
    }

    /// Scores are sums over the depth, results over the keys.
    fn round(&self, g: &mut Graph<'_>) {
        let root = (self.depth as f64).sqrt();
        let dtype = if g.tolerance.unit > 1e-6 { "float32" } else { "float64" };
        g.sums(2 * self.keys.size + 1, "float32");
        g.tolerance.terms += 16.0 * root + 64.0;
        g.rounds(if dtype == "float64" { 0.0 } else { 4.0 }, 2.0);
    }
}

pub(super) fn attention(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Real;
    g.special = g.dice.one_in(4);
    let dtype = g.dice.word(&["float32", "float32", "float32", "float16"]);
    let sizes = Sizes::new(&mut g);
    let result = match g.dice.below(3) {
        0 => operator(&mut g, &sizes, dtype),
        _ => spelled_out(&mut g, &sizes, dtype),
    };
    sizes.round(&mut g);
    g.finish(&[result])
}

/// `(batch, positions, heads, width)`.
fn operator(g: &mut Graph<'_>, s: &Sizes, dtype: &'static str) -> Value {
    let heads = Dim::known(s.heads);
    let of = |positions: &Dim, width: i64| vec![s.batch.clone(), positions.clone(), heads.clone(), Dim::known(width)];
    let q = g.param(&of(&s.queries, s.depth), dtype);
    let k = g.param(&of(&s.keys, s.depth), dtype);
    let v = g.param(&of(&s.keys, s.width), dtype);
    let mut options = match g.dice.below(5) {
        0 | 1 => String::new(),
        2 => ", causal_mask=\"TopLeft\"".to_owned(),
        3 => ", causal_mask=\"BottomRight\"".to_owned(),
        _ => format!(", causal_mask=\"BottomRight\", window_size={}", g.dice.between(1, 20)),
    };
    if g.dice.one_in(3) {
        options.push_str(", scale=0.125");
    }
    let args = [&q, &k, &v].map(|value| value.name.as_str()).join(", ");
    let shape = of(&s.queries, s.width);
    if !g.dice.one_in(3) {
        return g.emit(&format!("R.nn.attention({args}{options})"), &shape, dtype);
    }
    let one = |g: &mut Graph<'_>, dim: &Dim| if g.dice.one_in(3) { Dim::known(1) } else { dim.clone() };
    let dims = [&s.batch, &heads, &s.queries, &s.keys].map(|dim| one(g, dim));
    let bias = g.param(&dims, dtype);
    g.emit(&format!("R.nn.attention_bias({args}, {}{options})", bias.name), &shape, dtype)
}

/// `(batch, heads, positions, width)`, as models write it out.
fn spelled_out(g: &mut Graph<'_>, s: &Sizes, dtype: &'static str) -> Value {
    let heads = Dim::known(s.heads * s.shared);
    let of = |heads: &Dim, positions: &Dim, width: i64| {
        vec![s.batch.clone(), heads.clone(), positions.clone(), Dim::known(width)]
    };
    let q = in_heads(g, &of(&heads, &s.queries, s.depth), dtype);
    let own = Dim::known(s.heads);
    let [k, v] = [s.depth, s.width].map(|width| {
        let value = in_heads(g, &of(&own, &s.keys, width), dtype);
        repeated(g, s, &value, &of(&heads, &s.keys, width))
    });
    let transposed = [s.batch.clone(), heads.clone(), Dim::known(s.depth), s.keys.clone()];
    let k = g.emit(&format!("R.permute_dims({}, axes=[0, 1, 3, 2])", k.name), &transposed, dtype);
    let shape = [s.batch.clone(), heads.clone(), s.queries.clone(), s.keys.clone()];
    let scores = g.emit(&format!("R.matmul({}, {})", q.name, k.name), &shape, dtype);
    let scale = 1.0 / (s.depth as f64).sqrt();
    let scores = match g.dice.below(3) {
        0 => g.map(&format!("R.multiply({}, R.const({scale}, \"{dtype}\"))", scores.name), &scores),
        1 => g.map(&format!("R.divide({}, R.const({}, \"{dtype}\"))", scores.name, 1.0 / scale), &scores),
        _ if s.depth < 20 => scores,
        _ => g.map(&format!("R.multiply({}, R.const({scale}, \"{dtype}\"))", scores.name), &scores),
    };
    let scores = masked(g, s, scores);
    let weights = g.map(&format!("R.nn.softmax({}, axis=-1)", scores.name), &scores);
    let shape = of(&heads, &s.queries, s.width);
    let mixed = g.emit(&format!("R.matmul({}, {})", weights.name, v.name), &shape, dtype);
    if !g.dice.one_in(3) {
        return mixed;
    }
    let positions_first = vec![s.batch.clone(), s.queries.clone(), heads, Dim::known(s.width)];
    let transposed = g.emit(&format!("R.permute_dims({}, axes=[0, 2, 1, 3])", mixed.name), &positions_first, dtype);
    let joined = vec![s.batch.clone(), s.queries.clone(), Dim::known(s.heads * s.shared * s.width)];
    g.emit(&format!("R.reshape({}, {})", transposed.name, shape_text(&joined)), &joined, dtype)
}

/// Heads after positions in memory, as a projection leaves them, or before.
fn in_heads(g: &mut Graph<'_>, shape: &[Dim], dtype: &'static str) -> Value {
    if g.dice.one_in(2) {
        return g.param(shape, dtype);
    }
    let mut stored = shape.to_vec();
    stored.swap(1, 2);
    let value = g.param(&stored, dtype);
    g.emit(&format!("R.permute_dims({}, axes=[0, 2, 1, 3])", value.name), shape, dtype)
}

/// Each head of keys or values as often as heads of queries share it.
fn repeated(g: &mut Graph<'_>, s: &Sizes, value: &Value, shape: &[Dim]) -> Value {
    if s.shared == 1 {
        return value.clone();
    }
    g.emit(&format!("R.repeat({}, repeats={}, axis=1)", value.name, s.shared), shape, value.dtype)
}

fn masked(g: &mut Graph<'_>, s: &Sizes, scores: Value) -> Value {
    let dtype = scores.dtype;
    match g.dice.below(7) {
        0 => {
            let mask = g.param(&[s.queries.clone(), s.keys.clone()], dtype);
            g.map(&format!("R.add({}, {})", scores.name, mask.name), &scores)
        }
        1 => {
            let shape = [s.batch.clone(), Dim::known(1), Dim::known(1), s.keys.clone()];
            let mask = g.param(&shape, dtype);
            g.map(&format!("R.add({}, {})", scores.name, mask.name), &scores)
        }
        2 => {
            let square = [s.queries.clone(), s.keys.clone()];
            let lowest =
                format!("R.full({}, R.const(float(\"-inf\"), \"{dtype}\"), dtype=\"{dtype}\")", shape_text(&square));
            let full = g.emit(&lowest, &square, dtype);
            let mask = g.map(&format!("R.triu({}, 1)", full.name), &full);
            g.map(&format!("R.add({}, {})", scores.name, mask.name), &scores)
        }
        4 => {
            // The softmax of a row without keys is NaN.
            let batch = if g.dice.one_in(2) { s.batch.clone() } else { Dim::known(1) };
            let mask = g.param(&[batch, Dim::known(1), s.queries.clone(), s.keys.clone()], "bool");
            let lowest = format!("R.const(float(\"-inf\"), \"{dtype}\")");
            if g.dice.one_in(2) {
                return g.map(&format!("R.where({}, {}, {lowest})", mask.name, scores.name), &scores);
            }
            let bias = format!("R.where({}, R.const(0.0, \"{dtype}\"), {lowest})", mask.name);
            let bias = g.map(&bias, &mask);
            g.map(&format!("R.add({}, {})", scores.name, bias.name), &scores)
        }
        3 => {
            let mask = g.param(&[s.queries.clone(), s.keys.clone()], "bool");
            g.map(&format!("R.where({}, {}, R.const(-10000.0, \"{dtype}\"))", mask.name, scores.name), &scores)
        }
        _ => scores,
    }
}

/// A softmax along some dimension, of many short rows or of a few of any length.
pub(super) fn softmax(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g.dice.word(&["float32", "float32", "float32", "float16", "float64"]);
    let (shape, axis) = if g.dice.one_in(8) {
        // Rows that are taken piece by piece.
        let (rows, columns) = (g.dice.between(8, 10), g.dice.between(16_385, 16_500));
        (vec![g.dim(rows, 4), Dim::known(columns)], 1)
    } else if g.dice.one_in(3) {
        // Rows side by side.
        let (batch, own) = (g.dice.between(1, 20), g.dice.between(1, 40));
        let (height, width) = (g.dice.between(1, 12), g.dice.between(8, 150));
        let batch = g.dim(batch, 4);
        let own = g.dim(own, 6);
        let dims = if g.dice.one_in(2) { vec![g.dim(width, 4)] } else { [height, width].map(Dim::known).to_vec() };
        ([vec![batch, own], dims].concat(), 1)
    } else if g.dice.one_in(2) {
        let rows = g.dice.pick(&[256, 257, 300, 512]).unwrap_or(256);
        let columns = g.dice.pick(&[8, 16, 32, 48, 64]).unwrap_or(8);
        let rows = g.dim(rows, 4);
        (vec![rows, Dim::known(columns)], 1)
    } else {
        let rank = g.dice.between(1, 4);
        let sizes = g.dice.sizes(rank as usize, 20_000);
        let order = g.dice.order(sizes.len());
        let sizes: Vec<i64> = order.iter().filter_map(|&at| sizes.get(at).copied()).collect();
        let shape: Vec<Dim> = sizes.into_iter().map(|size| g.dim(size, 4)).collect();
        let axis = if g.dice.one_in(3) { g.dice.below(shape.len()) } else { shape.len() - 1 };
        (shape, axis)
    };
    g.numbers = g.dice.pick(&[Numbers::Real, Numbers::Real, Numbers::Extreme]).unwrap_or(Numbers::Real);
    g.special = g.dice.one_in(2);
    let x = g.param(&shape, dtype);
    let length = shape.get(axis).map_or(1, |dim| dim.size);
    g.sums(length, dtype);
    g.rounds(2.0 * length as f64 + 32.0, 1.0);
    let x = match g.dice.below(4) {
        0 => {
            let mask = g.param(&shape, dtype);
            g.map(&format!("R.maximum({}, {})", x.name, mask.name), &x)
        }
        1 => g.map(&format!("R.negative({})", x.name), &x),
        _ => x,
    };
    let op = g.dice.word(&["softmax", "softmax", "log_softmax"]);
    let y = g.map(&format!("R.nn.{op}({}, axis={axis})", x.name), &x);
    let y = match g.dice.below(4) {
        0 => g.map(&format!("R.add({}, {})", y.name, y.name), &y),
        1 => g.emit(&format!("R.astype({}, \"float16\")", y.name), &shape, "float16"),
        _ => y,
    };
    g.finish(&[y])
}
