//! Elements chosen by conditions, with any numbers, and tensors concatenated of many parts and split into them.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, list, tuple};
use super::super::values::Numbers;

const TYPES: [&str; 9] = ["float32", "float32", "float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32"];

/// Comparisons, choices and bounds, on tensors that broadcast.
pub(super) fn choices(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Extreme;
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[200, 5_000, 40_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 1, 3, 4]).unwrap_or(2);
    let sizes = g.dice.sizes(rank, budget);
    let order = g.dice.order(rank);
    let shape: Vec<Dim> = order.iter().filter_map(|&at| sizes.get(at).copied()).map(|size| g.dim(size, 3)).collect();
    let mut value = g.param(&shape, dtype);
    for _ in 0..1 + g.dice.below(3) {
        value = chosen(&mut g, &value);
    }
    if g.dice.one_in(5) {
        let other = other_operand(&mut g, &value, value.dtype);
        let op = g.dice.word(&["less", "equal", "not_equal", "greater_equal"]);
        value = g.emit(&format!("R.{op}({}, {})", value.name, other.name), &shape, "bool");
    }
    g.finish(&[value])
}

/// A parameter that broadcasts to a value's shape.
fn other_operand(g: &mut Graph<'_>, value: &Value, dtype: &'static str) -> Value {
    let shape: Vec<Dim> =
        value.shape.iter().map(|dim| if g.dice.one_in(3) { Dim::known(1) } else { dim.clone() }).collect();
    let from = g.dice.below(shape.len() + 1);
    let from = if shape.iter().take(from).all(|dim| dim.text == "1") { from } else { 0 };
    g.param(shape.get(from..).unwrap_or_default(), dtype)
}

fn chosen(g: &mut Graph<'_>, value: &Value) -> Value {
    let v = value.name.clone();
    match g.dice.below(6) {
        0 => {
            let (low, high) = g.dice.pick(&[(-1, 2), (0, 1), (3, -3)]).unwrap_or((0, 1));
            g.map(&format!("R.clip({v}, {low}, {high})"), value)
        }
        1 | 2 => {
            let (mask, other) = (other_operand(g, value, "bool"), other_operand(g, value, value.dtype));
            let pair = if g.dice.one_in(2) { [v, other.name] } else { [other.name, v] };
            g.map(&format!("R.where({}, {})", mask.name, pair.join(", ")), value)
        }
        3 | 4 => {
            let (bound, other) = (other_operand(g, value, value.dtype), other_operand(g, value, value.dtype));
            let op = g.dice.word(&["less", "greater", "equal", "less_equal", "not_equal"]);
            let mask = g.emit(&format!("R.{op}({v}, {})", bound.name), &value.shape, "bool");
            let mask = if g.dice.one_in(3) { g.map(&format!("R.logical_not({})", mask.name), &mask) } else { mask };
            let pair = if g.dice.one_in(2) { [v, other.name] } else { [other.name, v] };
            g.map(&format!("R.where({}, {})", mask.name, pair.join(", ")), value)
        }
        _ if value.is_float() => {
            let op = g.dice.word(&["isnan", "isinf", "isfinite"]);
            let mask = g.emit(&format!("R.{op}({v})"), &value.shape, "bool");
            let other = other_operand(g, value, value.dtype);
            g.map(&format!("R.where({}, {}, {v})", mask.name, other.name), value)
        }
        _ => g.map(&format!("R.maximum({v}, {v})"), value),
    }
}

/// Many parts of odd sizes, computed or as they are, and what is made of the whole.
pub(super) fn joins(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Extreme;
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[200, 3_000, 20_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 1, 3]).unwrap_or(2);
    let sizes = g.dice.sizes(rank, budget);
    let axis = g.dice.below(rank);
    let one_in = |at: usize| if at == axis { usize::MAX } else { 5 };
    let shape: Vec<Dim> = sizes.into_iter().enumerate().map(|(at, size)| g.dim(size, one_in(at))).collect();
    if g.dice.one_in(2) {
        let result = joined(&mut g, &shape, axis, dtype);
        let result = g.map(&format!("R.maximum({0}, {0})", result.name), &result);
        return g.finish(&[result]);
    }
    // Split, with computation on some parts.
    let count = 1 + g.dice.below(7);
    let mut cuts: Vec<i64> = Vec::new();
    let mut whole = 0;
    let mut parts = Vec::new();
    for at in 0..=count {
        let size = g.dice.between(i64::from(at > 0), 19);
        whole += size;
        parts.push(size);
        if at < count {
            cuts.push(whole);
        }
    }
    let mut shape = shape;
    shape[axis] = Dim::known(whole);
    let x = g.param(&shape, dtype);
    let x = if g.dice.one_in(2) { g.map(&format!("R.maximum({0}, {0})", x.name), &x) } else { x };
    let all = g.map(&format!("R.split({}, {}, axis={axis})", x.name, list(&cuts)), &x);
    let mut results = Vec::new();
    for (at, size) in parts.into_iter().enumerate() {
        let mut own = shape.clone();
        own[axis] = Dim::known(size);
        if g.dice.one_in(2) {
            let part = g.emit(&format!("{}[{at}]", all.name), &own, dtype);
            let other = other_operand(&mut g, &part, dtype);
            let op = g.dice.word(&["maximum", "minimum"]);
            results.push(g.map(&format!("R.{op}({}, {})", part.name, other.name), &part));
        }
    }
    if results.is_empty() {
        results.push(x);
    }
    g.finish(&results)
}

fn joined(g: &mut Graph<'_>, shape: &[Dim], axis: usize, dtype: &'static str) -> Value {
    let (mut sizes, mut parts) = (Vec::new(), Vec::new());
    for _ in 0..1 + g.dice.below(8) {
        let size = g.dice.between(0, 19);
        let mut own = shape.to_vec();
        own[axis] = g.dim(size, 6);
        sizes.push(own[axis].clone());
        let part = g.param(&own, dtype);
        let negative = dtype != "uint8" && g.dice.one_in(3);
        parts.push(if negative { g.map(&format!("R.negative({})", part.name), &part).name } else { part.name });
    }
    let mut shape = shape.to_vec();
    let text = sizes.iter().map(|dim| dim.text.clone()).collect::<Vec<_>>().join(" + ");
    shape[axis] = Dim { text, size: sizes.iter().map(|dim| dim.size).sum() };
    g.emit(&format!("R.concat({}, axis={axis})", tuple(&parts)), &shape, dtype)
}
