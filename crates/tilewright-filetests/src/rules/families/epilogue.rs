//! Epilogues of a heavy operator: biases, residuals, activations, casts.

use super::super::script::{Dim, Graph, Value};

/// Functions of floats that are within some ulps, with derivatives that are not much more than 1.
pub(super) const SMOOTH: [&str; 7] =
    ["R.tanh", "R.sigmoid", "R.nn.gelu", "R.nn.silu", "R.nn.gelu_tanh", "R.erf", "R.nn.softplus"];
/// The rounding error of such a function, in ulps.
pub(super) const FUNCTION: f64 = 16.0;

/// Some operators on the result of a heavy one, whose channels are an axis of it.
pub(super) fn epilogue(g: &mut Graph<'_>, value: Value, channels: Option<usize>) -> Value {
    let steps = g.dice.below(4);
    (0..steps).fold(value, |value, _| step(g, &value, channels))
}

fn step(g: &mut Graph<'_>, value: &Value, channels: Option<usize>) -> Value {
    let v = &value.name;
    match g.dice.below(9) {
        0 if value.is_float() => g.map(&format!("R.nn.relu({v})"), value),
        1 | 2 => {
            let bias = of_channels(g, value, channels);
            let op = g.dice.word(&["R.add", "R.multiply", "R.subtract", "R.maximum"]);
            if op == "R.multiply" {
                // A constant factor is multiplied into constant weights: zeros may then have another sign.
                g.rounds(1.0, 0.0);
            }
            g.map(&format!("{op}({v}, {})", bias.name), value)
        }
        3 | 4 => {
            let other = g.param(&value.shape, value.dtype);
            let op = g.dice.word(&["R.add", "R.multiply", "R.minimum"]);
            let pair = if g.dice.one_in(2) { [v, &other.name] } else { [&other.name, v] };
            g.map(&format!("{op}({}, {})", pair[0], pair[1]), value)
        }
        5 if value.is_float() => smooth(g, value),
        6 if value.is_float() => {
            let dtype = g.dice.word(&["float32", "float16", "bfloat16", "float64"]);
            g.rounds(1.0, 0.0);
            g.emit(&format!("R.astype({v}, \"{dtype}\")"), &value.shape, dtype)
        }
        7 => g.map(&format!("R.clip({v}, 0, 6)"), value),
        8 => g.map(&format!("R.add({v}, {v})"), value),
        // No epilogue gets here with unsigned integers.
        _ => g.map(&format!("R.negative({v})"), value),
    }
}

/// A smooth function of a sum, whose error is that of the sum: the result says nothing of how large that is.
pub(super) fn smooth(g: &mut Graph<'_>, value: &Value) -> Value {
    let op = g.dice.word(&SMOOTH);
    let scale = 4.0 * g.tolerance.terms.max(1.0);
    g.rounds(FUNCTION, scale);
    g.map(&format!("{op}({})", value.name), value)
}

/// A tensor with an element for each channel.
fn of_channels(g: &mut Graph<'_>, value: &Value, channels: Option<usize>) -> Value {
    let Some(at) = channels.filter(|&at| at < value.shape.len()) else {
        return g.weight(&[], value.dtype);
    };
    let mut shape = vec![Dim::known(1); value.shape.len() - at];
    if let (Some(first), Some(channel)) = (shape.first_mut(), value.shape.get(at)) {
        *first = channel.clone();
    }
    g.weight(&shape, value.dtype)
}
