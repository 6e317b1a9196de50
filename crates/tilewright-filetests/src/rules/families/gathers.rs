//! Elements at indices that are data, and results that depend on those before them: gathers, scatters, scans, sorts.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value};
use super::super::values::{Numbers, Range};

/// A tensor with at least one element along an axis.
fn data(g: &mut Graph<'_>, dtype: &'static str) -> (Value, usize, Dim) {
    let budget = g.dice.pick(&[200, 5_000, 30_000]).unwrap_or(200);
    let rank = g.dice.pick(&[2, 1, 3]).unwrap_or(2);
    let mut sizes = g.dice.sizes(rank, budget);
    let axis = g.dice.below(rank);
    sizes[axis] = sizes[axis].max(1);
    let shape: Vec<Dim> = sizes.into_iter().map(|size| g.dim(size, 4)).collect();
    let along = shape[axis].clone();
    (g.param(&shape, dtype), axis, along)
}

const TYPES: [&str; 7] = ["float32", "float32", "float16", "float64", "int8", "int32", "int64"];

pub(super) fn gather(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = g.dice.pick(&[Numbers::Whole, Numbers::Extreme]).unwrap_or(Numbers::Whole);
    let dtype = g.dice.word(&TYPES);
    let (x, axis, along) = data(&mut g, dtype);
    let index = g.dice.word(&["int32", "int64"]);
    let result = match g.dice.below(3) {
        0 | 1 => {
            let sizes = g.dice.pick(&[1, 0, 2]).unwrap_or(1);
            let shape: Vec<Dim> = g.dice.sizes(sizes, 40).into_iter().map(|size| g.dim(size, 4)).collect();
            let (mode, range) = match g.dice.below(3) {
                0 => ("clip", along.size + 2),
                1 => ("wrap", along.size + 2),
                _ => ("fast", along.size - 1),
            };
            let indices = g.param_in(&shape, index, Range::Within(range));
            let dims = [x.shape.get(..axis).unwrap_or_default(), &shape, x.shape.get(axis + 1..).unwrap_or_default()];
            let text = format!("R.take({}, {}, axis={axis}, mode=\"{mode}\")", x.name, indices.name);
            g.emit(&text, &dims.concat(), dtype)
        }
        _ => {
            let mut shape = x.shape.clone();
            shape[axis] = Dim::known(g.dice.size(33));
            let indices = g.param_in(&shape, index, Range::Within(along.size - 1));
            let text = format!("R.gather_elements({}, {}, axis={axis})", x.name, indices.name);
            g.emit(&text, &shape, dtype)
        }
    };
    let result = if g.dice.one_in(2) && result.is_float() {
        g.map(&format!("R.nn.relu({})", result.name), &result)
    } else {
        result
    };
    g.finish(&[result])
}

pub(super) fn scatter(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g.dice.word(&TYPES);
    let (x, axis, along) = data(&mut g, dtype);
    let mut shape = x.shape.clone();
    shape[axis] = Dim::known(g.dice.size(33));
    let indices = g.param_in(&shape, "int64", Range::Within(along.size - 1));
    let updates = g.param(&shape, dtype);
    let reduction = g.dice.word(&["update", "add", "max", "min"]);
    let args = [&x, &indices, &updates].map(|value| value.name.as_str()).join(", ");
    let result = g.map(&format!("R.scatter_elements({args}, axis={axis}, reduction=\"{reduction}\")"), &x);
    let result = g.map(&format!("R.add({}, {})", result.name, result.name), &result);
    g.finish(&[result])
}

/// Scans and sorts.
pub(super) fn order(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g.dice.word(&TYPES);
    let (x, axis, _) = data(&mut g, dtype);
    g.special = g.dice.one_in(4);
    let result = match g.dice.below(4) {
        0 | 1 => {
            let exclusive = g.dice.word(&["False", "True"]);
            g.map(&format!("R.cumsum({}, axis={axis}, exclusive={exclusive})", x.name), &x)
        }
        2 => {
            let descending = g.dice.word(&["False", "True"]);
            g.map(&format!("R.sort({}, axis={axis}, descending={descending})", x.name), &x)
        }
        _ => {
            let descending = g.dice.word(&["False", "True"]);
            let text = format!("R.argsort({}, axis={axis}, descending={descending})", x.name);
            g.emit(&text, &x.shape, "int32")
        }
    };
    g.finish(&[result])
}
