//! Products of matrices: batches, operands the other way round, skinny and tall, with what comes before and after.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, list};
use super::super::values::Numbers;
use super::epilogue::epilogue;

const TYPES: [&str; 10] =
    ["float32", "float32", "float32", "float32", "float16", "bfloat16", "bfloat16", "float64", "int8", "int32"];

pub(super) fn product(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[2_000, 20_000, 200_000]).unwrap_or(2_000);
    let batch: Vec<i64> = match g.dice.below(6) {
        0..=2 => Vec::new(),
        3 | 4 => vec![g.dice.between(1, 3)],
        _ => vec![g.dice.between(1, 2), g.dice.between(0, 3)],
    };
    let batches: i64 = batch.iter().product();
    let sizes = g.dice.sizes(3, budget / batches.max(1));
    let order = g.dice.order(3);
    let size = |at: usize| order.get(at).and_then(|&at| sizes.get(at)).copied().unwrap_or(1);
    let (m, n, k) = (g.dim(size(0), 3), g.dim(size(1), 10), g.dim(size(2), 10));
    let batch: Vec<Dim> = batch.into_iter().map(|size| g.dim(size, 8)).collect();
    let a = left(&mut g, &batch, &m, &k, dtype);
    let shared = batch.is_empty() || g.dice.one_in(2);
    let b = right(&mut g, if shared { &[] } else { &batch }, &k, &n, dtype);
    let out = match dtype {
        "int8" => "int32",
        "float16" | "bfloat16" if g.dice.one_in(3) => "float32",
        same => same,
    };
    g.sums(k.size, dtype);
    let result = times(&mut g, &a, &b, &[batch.as_slice(), &[m, n]].concat(), out);
    if g.numbers == Numbers::Whole && dtype == "float32" && g.dice.one_in(8) {
        g.numbers = Numbers::Tiny;
        return g.finish(&[result]);
    }
    let channels = result.shape.len().checked_sub(1);
    let last = epilogue(&mut g, result.clone(), channels);
    if g.dice.one_in(8) { g.finish(&[last, result]) } else { g.finish(&[last]) }
}

fn times(g: &mut Graph<'_>, a: &Value, b: &Value, shape: &[Dim], out: &'static str) -> Value {
    let as_out = if out == a.dtype { String::new() } else { format!(", out_dtype=\"{out}\"") };
    g.emit(&format!("R.matmul({}, {}{as_out})", a.name, b.name), shape, out)
}

/// The rows, stored as they are or the other way round, perhaps with something computed of them.
fn left(g: &mut Graph<'_>, batch: &[Dim], m: &Dim, k: &Dim, dtype: &'static str) -> Value {
    let shape = [batch, &[m.clone(), k.clone()]].concat();
    let value = stored(g, &shape, dtype, false);
    match g.dice.below(8) {
        6 if value.is_float() => g.map(&format!("R.nn.relu({})", value.name), &value),
        7 => {
            let other = g.param(&shape, dtype);
            g.map(&format!("R.subtract({}, {})", value.name, other.name), &value)
        }
        _ => value,
    }
}

fn right(g: &mut Graph<'_>, batch: &[Dim], k: &Dim, n: &Dim, dtype: &'static str) -> Value {
    let shape = [batch, &[k.clone(), n.clone()]].concat();
    stored(g, &shape, dtype, true)
}

/// A matrix, or batches of them; the memory of one in three is that of the transposed ones.
fn stored(g: &mut Graph<'_>, shape: &[Dim], dtype: &'static str, weight: bool) -> Value {
    let mut own = shape.to_vec();
    let transposed = g.dice.one_in(3);
    let rank = own.len();
    if transposed {
        own.swap(rank - 1, rank - 2);
    }
    let value = if weight { g.weight(&own, dtype) } else { g.param(&own, dtype) };
    if !transposed {
        return value;
    }
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.swap(rank - 1, rank - 2);
    g.emit(&format!("R.permute_dims({}, axes={})", value.name, list(&axes)), shape, dtype)
}
