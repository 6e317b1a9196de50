//! Elements that move, and elements computed one by one: transposes, joins, borders, broadcasts, chains of operators.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, list, shape_text, tuple};
use super::super::values::Numbers;
use super::epilogue::{FUNCTION, SMOOTH};

const TYPES: [&str; 12] = [
    "float32", "float32", "float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64", "int16",
    "bool",
];

/// Transposes and other moves, one after the other, every element as it was.
pub(super) fn moves(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = g.dice.pick(&[Numbers::Whole, Numbers::Extreme]).unwrap_or(Numbers::Whole);
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[200, 5_000, 60_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 3, 1, 4]).unwrap_or(2);
    let sizes = g.dice.sizes(rank, budget);
    let order = g.dice.order(rank);
    let shape: Vec<Dim> = order.iter().filter_map(|&at| sizes.get(at).copied()).map(|size| g.dim(size, 6)).collect();
    let mut value = g.param(&shape, dtype);
    for _ in 0..1 + g.dice.below(3) {
        value = moved(&mut g, value);
    }
    g.finish(&[value])
}

fn moved(g: &mut Graph<'_>, value: Value) -> Value {
    let axis = g.dice.below(value.shape.len().max(1));
    let Some(dim) = value.shape.get(axis).cloned() else { return value };
    let with = |size: i64| {
        let mut shape = value.shape.clone();
        shape[axis] = Dim::known(size);
        shape
    };
    let (v, dtype) = (value.name.clone(), value.dtype);
    match g.dice.below(12) {
        0..=2 => permuted(g, &value),
        3 => g.map(&format!("R.flip({v}, axis={axis})"), &value),
        4 if dim.is_known() && value.elements() < 100_000 => {
            let parts = [v.as_str(); 3].map(str::to_owned);
            let count = g.dice.between(1, 3);
            let joined = tuple(parts.get(..count as usize).unwrap_or_default());
            g.emit(&format!("R.concat({joined}, axis={axis})"), &with(dim.size * count), dtype)
        }
        5 if dim.is_known() && dim.size > 1 => {
            let at = g.dice.between(1, dim.size - 1);
            let parts = g.map(&format!("R.split({v}, [{at}], axis={axis})"), &value);
            let (part, size) = if g.dice.one_in(2) { (0, at) } else { (1, dim.size - at) };
            g.emit(&format!("{}[{part}]", parts.name), &with(size), dtype)
        }
        6 if dim.is_known() && dim.size > 0 => sliced(g, &value, axis, dim.size),
        7 if dim.is_known() && dtype != "bool" && value.elements() < 50_000 => bordered(g, &value, axis, dim.size),
        8 if dim.is_known() && value.elements() < 50_000 => {
            let count = g.dice.between(1, 3);
            let shape = with(dim.size * count);
            if g.dice.one_in(2) {
                return g.emit(&format!("R.repeat({v}, repeats={count}, axis={axis})"), &shape, dtype);
            }
            let counts: Vec<i64> = (0..value.shape.len()).map(|at| if at == axis { count } else { 1 }).collect();
            g.emit(&format!("R.tile({v}, {})", list(&counts)), &shape, dtype)
        }
        9 => {
            let mut shape = value.shape.clone();
            shape.insert(axis, Dim::known(1));
            let wide = g.emit(&format!("R.expand_dims({v}, axis={axis})"), &shape, dtype);
            shape[axis] = Dim::known(g.dice.between(1, 3));
            g.emit(&format!("R.broadcast_to({}, {})", wide.name, shape_text(&shape)), &shape, dtype)
        }
        10 if value.shape.iter().all(Dim::is_known) => reshaped(g, &value),
        11 if dtype != "bool" => g.map(&format!("R.maximum({v}, {v})"), &value),
        _ => permuted(g, &value),
    }
}

fn permuted(g: &mut Graph<'_>, value: &Value) -> Value {
    let axes = g.dice.order(value.shape.len());
    let shape: Vec<Dim> = axes.iter().filter_map(|&at| value.shape.get(at).cloned()).collect();
    g.emit(&format!("R.permute_dims({}, axes={})", value.name, list(&axes)), &shape, value.dtype)
}

fn sliced(g: &mut Graph<'_>, value: &Value, axis: usize, size: i64) -> Value {
    let begin = g.dice.between(0, size - 1);
    let (stride, end) = match g.dice.below(3) {
        0 => (g.dice.between(1, 3), g.dice.between(begin, size)),
        1 => (1, size),
        // To the first element, which a negative end would not name.
        _ => (-g.dice.between(1, 2), g.dice.between(0, begin)),
    };
    let count = if stride > 0 { (end - begin + stride - 1) / stride } else { (begin - end - stride - 1) / -stride };
    let mut shape = value.shape.clone();
    shape[axis] = Dim::known(count.max(0));
    let text =
        format!("R.strided_slice({}, axes=[{axis}], begin=[{begin}], end=[{end}], strides=[{stride}])", value.name);
    g.emit(&text, &shape, value.dtype)
}

fn bordered(g: &mut Graph<'_>, value: &Value, axis: usize, size: i64) -> Value {
    let mode = if size > 3 { g.dice.word(&["constant", "edge", "reflect", "circular"]) } else { "constant" };
    let (before, after) = (g.dice.between(0, 3), g.dice.between(0, 3));
    let mut widths = vec![0; 2 * value.shape.len()];
    (widths[2 * axis], widths[2 * axis + 1]) = (before, after);
    let mut shape = value.shape.clone();
    shape[axis] = Dim::known(size + before + after);
    let text = format!("R.nn.pad({}, pad_width={}, pad_mode=\"{mode}\")", value.name, list(&widths));
    g.emit(&text, &shape, value.dtype)
}

/// All in one dimension, or with two neighbours as one, or one in two parts.
fn reshaped(g: &mut Graph<'_>, value: &Value) -> Value {
    let mut sizes: Vec<i64> = value.shape.iter().map(|dim| dim.size).collect();
    match g.dice.below(3) {
        0 => sizes = vec![value.elements()],
        1 if sizes.len() > 1 => {
            let at = g.dice.below(sizes.len() - 1);
            let after = sizes.remove(at + 1);
            sizes[at] *= after;
        }
        _ => {
            let at = g.dice.below(sizes.len());
            let part = g.dice.pick(&[2, 3, 8, 1]).filter(|part| sizes[at] % part == 0).unwrap_or(1);
            sizes[at] /= part;
            sizes.insert(at + 1, part);
        }
    }
    let shape: Vec<Dim> = sizes.into_iter().map(Dim::known).collect();
    g.emit(&format!("R.reshape({}, {})", value.name, shape_text(&shape)), &shape, value.dtype)
}

/// Chains of operators on tensors of several shapes that broadcast.
pub(super) fn elementwise(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g
        .dice
        .word(&["float32", "float32", "float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32", "int64"]);
    // Exact functions take any numbers; rounded ones get a suitable range.
    let exact = !super::super::script::is_float(dtype) || g.dice.one_in(2);
    g.numbers = if exact { Numbers::Extreme } else { Numbers::Real };
    let budget = g.dice.pick(&[200, 5_000, 60_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 1, 3, 4]).unwrap_or(2);
    let sizes = g.dice.sizes(rank, budget);
    let order = g.dice.order(rank);
    let shape: Vec<Dim> = order.iter().filter_map(|&at| sizes.get(at).copied()).map(|size| g.dim(size, 4)).collect();
    let mut value = g.param(&shape, dtype);
    for _ in 0..1 + g.dice.below(5) {
        value = if g.dice.one_in(2) { with_other(&mut g, &value, exact) } else { by_itself(&mut g, &value, exact) };
    }
    g.finish(&[value])
}

/// With a tensor that has some of the dimensions.
fn with_other(g: &mut Graph<'_>, value: &Value, exact: bool) -> Value {
    let shape: Vec<Dim> =
        value.shape.iter().map(|dim| if g.dice.one_in(3) { Dim::known(1) } else { dim.clone() }).collect();
    let from = g.dice.below(shape.len() + 1);
    // Dimensions in front that are 1 may be left out.
    let from = if shape.iter().take(from).all(|dim| dim.text == "1") { from } else { 0 };
    let other = g.param(shape.get(from..).unwrap_or_default(), value.dtype);
    let integers = ["add", "multiply", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_xor"];
    let op = match (value.is_float(), exact) {
        (false, _) => g.dice.word(&integers),
        (true, true) => g.dice.word(&["maximum", "minimum"]),
        (true, false) => g.dice.word(&["add", "multiply", "subtract", "maximum"]),
    };
    if value.is_float() && !exact {
        // Values that are multiplied five times are at most 2 to the fifth.
        g.rounds(4.0, 64.0);
    }
    let pair = if g.dice.one_in(2) { [&value.name, &other.name] } else { [&other.name, &value.name] };
    g.map(&format!("R.{op}({}, {})", pair[0], pair[1]), value)
}

fn by_itself(g: &mut Graph<'_>, value: &Value, exact: bool) -> Value {
    let v = value.name.clone();
    if !value.is_float() {
        let all = ["R.negative", "R.abs", "R.square"];
        let op = g.dice.word(if value.dtype == "uint8" { &["R.square"] } else { &all });
        return g.map(&format!("{op}({v})"), value);
    }
    if exact {
        let op =
            g.dice.word(&["R.negative", "R.abs", "R.nn.relu", "R.floor", "R.ceil", "R.trunc", "R.round", "R.sign"]);
        if !g.dice.one_in(4) {
            return g.map(&format!("{op}({v})"), value);
        }
        let dtype = g.dice.word(&["float32", "float16", "bfloat16", "int32", "int8"]);
        return g.emit(&format!("R.astype({v}, \"{dtype}\")"), &value.shape, dtype);
    }
    let op = g.dice.word(&SMOOTH);
    g.rounds(FUNCTION, 64.0);
    g.map(&format!("{op}({v})"), value)
}
