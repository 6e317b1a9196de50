//! Reductions and computations with their results: sums, maxima, argreduce, means, variances, norms.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, list};
use super::super::values::{Numbers, Range};
use super::epilogue::smooth;

/// A tensor of a few dimensions and its axes in some order, which does not matter to the result.
fn tensor(g: &mut Graph<'_>, dtype: &'static str, budget: i64) -> Value {
    let rank = g.dice.pick(&[2, 1, 3, 4]).unwrap_or(2);
    let sizes = g.dice.sizes(rank, budget);
    let order = g.dice.order(rank);
    let sizes: Vec<i64> = order.iter().filter_map(|&at| sizes.get(at).copied()).collect();
    let shape: Vec<Dim> = sizes.into_iter().map(|size| g.dim(size, 4)).collect();
    g.param(&shape, dtype)
}

/// Some of the dimensions, at least one.
fn axes(dice: &mut Dice, rank: usize) -> Vec<usize> {
    let count = if dice.one_in(2) { dice.below(rank) + 1 } else { 1 };
    let mut chosen: Vec<usize> = match dice.below(3) {
        0 => (rank - count..rank).collect(),
        1 => (0..count).collect(),
        _ => dice.order(rank).into_iter().take(count).collect(),
    };
    chosen.sort_unstable();
    chosen
}

fn reduced(value: &Value, axes: &[usize], keep: bool) -> Vec<Dim> {
    let dims = value.shape.iter().enumerate().filter(|(at, _)| keep || !axes.contains(at));
    dims.map(|(at, dim)| if axes.contains(&at) { Dim::known(1) } else { dim.clone() }).collect()
}

fn count(value: &Value, axes: &[usize]) -> i64 {
    axes.iter().filter_map(|&at| value.shape.get(at)).map(|dim| dim.size).product()
}

const BUDGETS: [i64; 3] = [500, 10_000, 100_000];

pub(super) fn reduction(dice: &mut Dice) -> Program {
    if dice.one_in(4) {
        return argreduce(dice);
    }
    let mut g = Graph::new(dice);
    let dtype =
        g.dice.word(&["float32", "float32", "float32", "float16", "bfloat16", "float64", "int32", "int8", "uint8"]);
    let budget = g.dice.pick(&BUDGETS).unwrap_or(500);
    let x = tensor(&mut g, dtype, budget);
    let axes = axes(g.dice, x.shape.len());
    let n = count(&x, &axes);
    let op = g.dice.word(&["sum", "max", "mean", "min", "variance", "std", "argmax", "argmin", "prod"]);
    let op = match op {
        // Without elements there is no maximum, nor an index of it.
        "max" | "min" | "argmax" | "argmin" if n == 0 => "sum",
        "mean" | "variance" | "std" if !x.is_float() => "sum",
        // Products of many numbers overflow in one order and not in another.
        "prod" if n > 4 && x.is_float() => "sum",
        op => op,
    };
    match op {
        "max" | "min" | "argmax" | "argmin" => {
            g.numbers = g.dice.pick(&[Numbers::Whole, Numbers::Extreme]).unwrap_or(Numbers::Whole);
            g.special = g.dice.one_in(2);
        }
        _ => g.numbers_of_sums(),
    }
    let x = before(&mut g, x, op);
    if op.starts_with("arg") {
        let at = axes.first().copied().unwrap_or_default();
        let keep = g.dice.one_in(2);
        let flag = if keep { "True" } else { "False" };
        // Among all elements the index is that in the flattened tensor.
        let all = (0..x.shape.len()).collect::<Vec<_>>();
        let (axis, over) = match x.elements() > 0 && g.dice.one_in(4) {
            true => ("None".to_owned(), all),
            false => (at.to_string(), vec![at]),
        };
        let shape = reduced(&x, &over, keep);
        let index = g.emit(&format!("R.{op}({}, axis={axis}, keepdims={flag})", x.name), &shape, "int64");
        return g.finish(&[index]);
    }
    let keep = g.dice.one_in(2);
    let total = reduce(&mut g, &x, op, &axes, keep);
    let (own, both) = (g.dice.below(4), g.dice.one_in(6));
    let result = match own {
        0 if keep && total.dtype == x.dtype => {
            let op = g.dice.word(&["subtract", "add", "maximum"]);
            g.map(&format!("R.{op}({}, {})", x.name, total.name), &x)
        }
        1 if total.is_float() => smooth(&mut g, &total),
        2 => g.map(&format!("R.add({}, {})", total.name, total.name), &total),
        _ => total.clone(),
    };
    if both { g.finish(&[result, total]) } else { g.finish(&[result]) }
}

/// The reduced elements may be computed from the data.
fn before(g: &mut Graph<'_>, x: Value, op: &str) -> Value {
    match g.dice.below(6) {
        0 if x.dtype != "uint8" => g.map(&format!("R.negative({})", x.name), &x),
        1 if x.is_float() => g.map(&format!("R.nn.relu({})", x.name), &x),
        2 if op != "prod" && x.dtype == "float32" && g.numbers != Numbers::Extreme => {
            let y = g.param(&x.shape, x.dtype);
            g.map(&format!("R.multiply({}, {})", x.name, y.name), &x)
        }
        _ => x,
    }
}

/// Argreduce of many rows, contiguous or interleaved in memory.
fn argreduce(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = g.dice.pick(&[Numbers::Whole, Numbers::Extreme]).unwrap_or(Numbers::Whole);
    g.special = g.dice.one_in(2);
    let dtype = g.dice.word(&["float32", "float32", "float32", "float16", "bfloat16", "float64", "int32", "int8"]);
    let (rows, own) = (g.dice.between(16, 24), g.dice.between(256, 700));
    let (shape, axis) = match g.dice.below(3) {
        0 => (vec![g.dim(rows, 6), Dim::known(own)], 1),
        1 => (vec![Dim::known(1), Dim::known(own), Dim::known(rows)], 1),
        _ => {
            let (height, width) = (g.dice.between(1, 9), g.dice.between(1, 80));
            let (batch, channels) = (g.dice.between(1, 3), g.dice.between(1, 30));
            let batch = g.dim(batch, 4);
            (vec![batch, Dim::known(channels), Dim::known(height), Dim::known(width)], 1)
        }
    };
    let x = g.param(&shape, dtype);
    let x = before(&mut g, x, "argmax");
    let (op, keep) = (g.dice.word(&["argmax", "argmin"]), g.dice.one_in(2));
    let flag = if keep { "True" } else { "False" };
    let left = reduced(&x, &[axis], keep);
    let index = g.emit(&format!("R.{op}({}, axis={axis}, keepdims={flag})", x.name), &left, "int64");
    g.finish(&[index])
}

fn reduce(g: &mut Graph<'_>, x: &Value, op: &str, axes: &[usize], keep: bool) -> Value {
    let n = count(x, axes);
    match op {
        "sum" | "prod" => {
            g.sums(n, x.dtype);
            // Operators sum narrow floats in their own type.
            if x.is_float() {
                g.tolerance.sum_unit = g.tolerance.sum_unit.max(super::super::values::unit(x.dtype));
            }
        }
        "mean" | "variance" | "std" => {
            g.sums(4 * n, x.dtype);
            g.tolerance.sum_unit = g.tolerance.sum_unit.max(super::super::values::unit(x.dtype));
            // Squares of distances from a mean are no whole numbers, and their sum is rounded in its order.
            g.rounds(16.0 + if op == "mean" { 0.0 } else { 2.0 * n as f64 }, 4.0);
            // A root has no bound on what it makes of the errors of small numbers.
            if op == "std" {
                g.tolerance.scale = 64.0;
            }
        }
        _ => {}
    }
    let flag = if keep { "True" } else { "False" };
    let shape = reduced(x, axes, keep);
    g.emit(&format!("R.{op}({}, axis={}, keepdims={flag})", x.name, list(axes)), &shape, x.dtype)
}

pub(super) fn norm(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Real;
    g.special = g.dice.one_in(5);
    let dtype = g.dice.word(&["float32", "float32", "float32", "float16", "bfloat16", "float64"]);
    let budget = g.dice.pick(&BUDGETS).unwrap_or(500);
    let op = g.dice.word(&["layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"]);
    if op == "batch_norm" {
        let result = of_batch(&mut g, dtype, budget);
        return g.finish(&[result]);
    }
    let (x, text, n) = match op {
        "layer_norm" | "rms_norm" => {
            let x = tensor(&mut g, dtype, budget);
            let count = if g.dice.one_in(4) { x.shape.len().min(2) } else { 1 };
            along_last(&mut g, op, x, count)
        }
        _ => of_channels(&mut g, op, dtype, budget),
    };
    with_epilogue(g, &x, &text, n)
}

/// A norm of rows, several stages of which run at once.
pub(super) fn norm_of_many_or_long_rows(dice: &mut Dice) -> Program {
    if dice.one_in(2) { norm_of_long_rows(dice) } else { norm_of_many_rows(dice) }
}

/// A norm of enough rows that stages run at once, of any length.
fn norm_of_many_rows(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Real;
    g.special = g.dice.one_in(5);
    let dtype = g.dice.word(&["float32", "float32", "float32", "float32", "float16"]);
    let op = g.dice.word(&["layer_norm", "rms_norm"]);
    let rows = g.dice.pick(&[256, 257, 300, 512]).unwrap_or(256);
    let columns = g.dice.between(1, 70);
    let shape = [g.dim(rows, 6), Dim::known(columns)];
    let x = g.param(&shape, dtype);
    let (x, text, n) = along_last(&mut g, op, x, 1);
    with_epilogue(g, &x, &text, n)
}

/// A norm of long rows, of one or several axes, that is taken piece by piece.
fn norm_of_long_rows(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Real;
    g.special = g.dice.one_in(5);
    let dtype = g.dice.word(&["float32", "float32", "float32", "float32", "float16"]);
    let op = g.dice.word(&["group_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]);
    let (x, text, n) = match op {
        "layer_norm" | "rms_norm" => {
            let (rows, columns) = (g.dice.between(16, 20), g.dice.between(512, 2600));
            let shape = [g.dim(rows, 6), Dim::known(columns)];
            let x = g.param(&shape, dtype);
            along_last(&mut g, op, x, 1)
        }
        _ => {
            let (batch, groups, within) = (g.dice.between(2, 3), g.dice.between(8, 9), g.dice.between(1, 5));
            let channels = if op == "group_norm" { groups * within } else { groups };
            let height = g.dice.between(16, 40);
            let width = g.dice.between(600 / height, 1200 / height);
            let shape = [batch, channels, height, width].map(Dim::known);
            let x = g.param(&shape, dtype);
            normal_channels(&mut g, op, x, groups)
        }
    };
    with_epilogue(g, &x, &text, n)
}

/// The norm, and perhaps something that is computed of it.
fn with_epilogue(mut g: Graph<'_>, x: &Value, text: &str, n: i64) -> Program {
    // Divided by roots of variances of at least 1e-2, whose errors are those of sums of squares.
    g.sums(4 * n + 16, "float32");
    g.rounds(64.0, 64.0);
    let y = g.map(text, x);
    let y = match g.dice.below(4) {
        0 => {
            let other = g.param(&y.shape, y.dtype);
            g.map(&format!("R.add({}, {})", y.name, other.name), &y)
        }
        1 => g.map(&format!("R.nn.relu({})", y.name), &y),
        _ => y,
    };
    g.finish(&[y])
}

/// The argument, the call, and the number of elements of a row.
fn along_last(g: &mut Graph<'_>, op: &str, x: Value, count: usize) -> (Value, String, i64) {
    let dtype = x.dtype;
    let own = x.shape.split_at(x.shape.len() - count).1.to_vec();
    let axes: Vec<i64> = (1..=count as i64).rev().map(|at| -at).collect();
    let x = if g.dice.one_in(3) {
        let other = g.param(&x.shape, dtype);
        g.map(&format!("R.add({}, {})", x.name, other.name), &x)
    } else {
        x
    };
    let gamma = g.weight(&own, dtype);
    let beta = if op == "layer_norm" { format!(", {}", g.weight(&own, dtype).name) } else { String::new() };
    let text = format!("R.nn.{op}({}, {}{beta}, axes={}, epsilon=0.01)", x.name, gamma.name, list(&axes));
    (x, text, own.iter().map(|dim| dim.size).product())
}

/// A batch norm that is trained or not, along any dimension.
fn of_batch(g: &mut Graph<'_>, dtype: &'static str, budget: i64) -> Value {
    let x = tensor(g, dtype, budget);
    let axis = g.dice.below(x.shape.len());
    let own = x.shape.get(axis).cloned().into_iter().collect::<Vec<_>>();
    let [gamma, beta, mean] = [(); 3].map(|()| g.weight(&own, dtype).name);
    let variance = g.param_in(&own, dtype, Range::Positive).name;
    let training = g.dice.word(&["False", "True"]);
    g.sums(4 * x.elements() / own.first().map_or(1, |dim| dim.size.max(1)) + 16, "float32");
    g.rounds(64.0, 64.0);
    let args = format!("{}, {gamma}, {beta}, {mean}, {variance}", x.name);
    let all = g.map(&format!("R.nn.batch_norm({args}, axis={axis}, epsilon=0.01, training={training})"), &x);
    g.map(&format!("{}[0]", all.name), &x)
}

fn of_channels(g: &mut Graph<'_>, op: &str, dtype: &'static str, budget: i64) -> (Value, String, i64) {
    let groups = g.dice.between(1, 4);
    let channels = groups * g.dice.between(1, 5);
    let batch = g.dice.between(0, 2);
    let sizes = g.dice.sizes(2, budget / (channels * batch.max(1)));
    let batch = g.dim(batch, 4);
    let rest: Vec<Dim> = sizes.into_iter().map(|size| g.dim(size, 6)).collect();
    let x = g.param(&[&[batch, Dim::known(channels)], rest.as_slice()].concat(), dtype);
    normal_channels(g, op, x, groups)
}

/// The group norm of images.
fn normal_channels(g: &mut Graph<'_>, op: &str, x: Value, groups: i64) -> (Value, String, i64) {
    let size = |at: usize| x.shape.get(at).map_or(1, |dim| dim.size);
    let (channels, pixels) = (size(1), size(2) * size(3));
    let [gamma, beta] = [(); 2].map(|()| g.weight(&[Dim::known(channels)], x.dtype).name);
    let (option, n) = match op {
        "group_norm" => (format!("num_groups={groups}, "), pixels * channels / groups),
        _ => (String::new(), pixels),
    };
    let args = format!("{}, {gamma}, {beta}", x.name);
    (x, format!("R.nn.{op}({args}, {option}channel_axis=1, axes=[2, 3], epsilon=0.01)"), n)
}
