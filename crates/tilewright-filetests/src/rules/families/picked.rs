//! Slices and elements that tensors of indices name, and what is picked from ordered ones.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, shape_text, tuple};
use super::super::values::{Numbers, Range};

const TYPES: [&str; 8] = ["float32", "float32", "float16", "bfloat16", "float64", "int8", "int32", "int64"];

/// A tensor in which every dimension has an element.
fn filled(g: &mut Graph<'_>, dtype: &'static str, rank: usize, budget: i64) -> Value {
    let sizes = g.dice.sizes(rank, budget);
    let shape: Vec<Dim> = sizes.into_iter().map(|size| g.dim(size.max(1), 4)).collect();
    g.param(&shape, dtype)
}

/// Indices of a shape for dimensions of the data, a few of them out of range.
fn indices(g: &mut Graph<'_>, shape: &[Dim], dims: &[Dim]) -> Value {
    let max = dims.iter().map(|dim| dim.size).min().unwrap_or(1);
    let dtype = g.dice.word(&["int64", "int32"]);
    let beyond = if g.dice.one_in(3) { 3 } else { -1 };
    g.param_in(shape, dtype, Range::Within(max + beyond))
}

/// Slices by rows of indices and by several tensors of them, taken or changed, and one-hot rows.
pub(super) fn indexed(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[200, 5_000, 30_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 1, 3]).unwrap_or(2);
    let kind = g.dice.below(5);
    if kind == 4 {
        let result = one_hot(&mut g, budget);
        return g.finish(&[result]);
    }
    let moves = matches!(kind, 0 | 1);
    g.numbers = match moves && g.dice.one_in(2) {
        true => Numbers::Extreme,
        false => Numbers::Whole,
    };
    let x = filled(&mut g, dtype, rank, budget);
    let result = match kind {
        0 => gather_nd(&mut g, &x),
        1 => index_tensor(&mut g, &x),
        2 => scatter_nd(&mut g, &x),
        _ => index_put(&mut g, &x),
    };
    let result = if g.dice.one_in(2) && result.is_float() {
        g.map(&format!("R.nn.relu({})", result.name), &result)
    } else {
        result
    };
    g.finish(&[result])
}

fn index_dims(g: &mut Graph<'_>) -> Vec<Dim> {
    let count = g.dice.pick(&[1, 2, 0]).unwrap_or(1);
    g.dice.sizes(count, 60).into_iter().map(|size| g.dim(size, 4)).collect()
}

fn gather_nd(g: &mut Graph<'_>, x: &Value) -> Value {
    let batch = usize::from(x.shape.len() > 1 && g.dice.one_in(3));
    let length = 1 + g.dice.below(x.shape.len() - batch);
    let (own, rest) = x.shape.split_at(batch + length);
    let outer = [&own[..batch], &index_dims(g)].concat();
    let rows = indices(g, &[outer.as_slice(), &[Dim::known(length as i64)]].concat(), &own[batch..]);
    let text = format!("R.gather_nd({}, {}, batch_dims={batch})", x.name, rows.name);
    g.emit(&text, &[outer.as_slice(), rest].concat(), x.dtype)
}

fn index_tensor(g: &mut Graph<'_>, x: &Value) -> Value {
    let count = 1 + g.dice.below(x.shape.len());
    let (own, rest) = x.shape.split_at(count);
    let outer = index_dims(g);
    let all: Vec<String> = (0..count).map(|_| indices(g, &outer, own).name).collect();
    let text = format!("R.index_tensor({}, {})", x.name, tuple(&all));
    g.emit(&text, &[outer.as_slice(), rest].concat(), x.dtype)
}

fn scatter_nd(g: &mut Graph<'_>, x: &Value) -> Value {
    let length = 1 + g.dice.below(x.shape.len());
    let (own, rest) = x.shape.split_at(length);
    let outer = index_dims(g);
    let rows = indices(g, &[outer.as_slice(), &[Dim::known(length as i64)]].concat(), own);
    let updates = g.param(&[outer.as_slice(), rest].concat(), x.dtype);
    let reduction = g.dice.word(&["update", "add", "max", "min"]);
    let args = [x, &rows, &updates].map(|value| value.name.as_str()).join(", ");
    g.map(&format!("R.scatter_nd({args}, reduction=\"{reduction}\")"), x)
}

fn index_put(g: &mut Graph<'_>, x: &Value) -> Value {
    let count = 1 + g.dice.below(x.shape.len());
    let (own, rest) = x.shape.split_at(count);
    let outer = index_dims(g);
    let all: Vec<String> = (0..count).map(|_| indices(g, &outer, own).name).collect();
    let values = g.param(&[outer.as_slice(), rest].concat(), x.dtype);
    let accumulate = g.dice.word(&["False", "True"]);
    g.map(&format!("R.index_put({}, {}, {}, accumulate={accumulate})", x.name, tuple(&all), values.name), x)
}

fn one_hot(g: &mut Graph<'_>, budget: i64) -> Value {
    let depth = g.dice.size(65);
    let outer: Vec<Dim> = g.dice.sizes(2, budget / depth.max(1)).into_iter().map(|size| g.dim(size, 4)).collect();
    let index = g.dice.word(&["int64", "int32"]);
    let which = g.param_in(&outer, index, Range::Within(depth + 1));
    let at = g.dice.below(outer.len() + 1);
    let mut shape = outer;
    shape.insert(at, Dim::known(depth));
    let dtype = g.dice.word(&["float32", "int32", "float16"]);
    let (on, off) = if dtype == "int32" { ("3", "-1") } else { ("1.5", "-0.25") };
    let text = format!(
        "R.one_hot({}, R.prim_value(T.{dtype}({on})), R.prim_value(T.{dtype}({off})), {depth}, axis={at})",
        which.name
    );
    g.emit(&text, &shape, dtype)
}

/// The greatest and smallest, medians and other ranks, what is sorted.
pub(super) fn ranked(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[200, 3_000, 12_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 1, 3]).unwrap_or(2);
    g.numbers = g.dice.pick(&[Numbers::Whole, Numbers::Extreme]).unwrap_or(Numbers::Whole);
    g.special = g.dice.one_in(3);
    let x = filled(&mut g, dtype, rank, budget);
    let axis = g.dice.below(rank);
    let size = x.shape[axis].size;
    let results = match g.dice.below(5) {
        0 | 1 => topk(&mut g, &x, axis, size),
        kind @ (2 | 3) => {
            let keep = g.dice.one_in(2);
            let mut shape = x.shape.clone();
            if keep {
                shape[axis] = Dim::known(1)
            } else {
                drop(shape.remove(axis))
            }
            let flag = if keep { "True" } else { "False" };
            let text = match kind {
                2 => format!("R.median({}, axis=[{axis}], keepdims={flag})", x.name),
                _ => format!("R.kthvalue({}, k={}, axis={axis}, keepdims={flag})", x.name, g.dice.between(1, size)),
            };
            let both = g.emit(&text, &shape, dtype);
            let value = g.emit(&format!("{}[0]", both.name), &shape, dtype);
            vec![value, g.emit(&format!("{}[1]", both.name), &shape, "int64")]
        }
        _ => {
            // Of few numbers, whose products are exact.
            g.numbers = Numbers::Whole;
            let descending = g.dice.word(&["False", "True"]);
            let order = g.emit(
                &format!("R.argsort({}, axis={axis}, descending={descending}, dtype=\"int64\")", x.name),
                &x.shape,
                "int64",
            );
            vec![g.map(&format!("R.gather_elements({}, {}, axis={axis})", x.name, order.name), &x)]
        }
    };
    g.finish(&results)
}

fn topk(g: &mut Graph<'_>, x: &Value, axis: usize, size: i64) -> Vec<Value> {
    let known = x.shape[axis].is_known();
    let k = if g.dice.one_in(4) { size } else { g.dice.between(1, size.min(40)) };
    let mut shape = x.shape.clone();
    shape[axis] = Dim::known(k);
    let (largest, index) = (g.dice.word(&["True", "False"]), g.dice.word(&["int32", "int64"]));
    let options = format!("k={k}, axis={axis}, largest={largest}, dtype=\"{index}\"");
    // Of as many elements as there are, whose number is the program's alone.
    let x = if known || k <= size {
        x.clone()
    } else {
        g.map(&format!("R.broadcast_to({}, {})", x.name, shape_text(&x.shape)), x)
    };
    match g.dice.below(3) {
        0 => vec![g.emit(&format!("R.topk({}, {options}, ret_type=\"values\")", x.name), &shape, x.dtype)],
        1 => vec![g.emit(&format!("R.topk({}, {options}, ret_type=\"indices\")", x.name), &shape, index)],
        _ => {
            let both = g.emit(&format!("R.topk({}, {options})", x.name), &shape, x.dtype);
            let values = g.emit(&format!("{}[0]", both.name), &shape, x.dtype);
            vec![values, g.emit(&format!("{}[1]", both.name), &shape, index)]
        }
    }
}
