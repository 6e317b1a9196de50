//! Interpolation: weighted sums of the neighbours of a position.

use tilewright_expr::{Expr, Intrinsic};
use tilewright_te::{TeError, Value};
use tilewright_tensor::DataType;

use crate::elementwise::wide;

/// How an element is made of its neighbours.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Method {
    Nearest,
    /// Of two neighbours along each dimension, by their distances.
    Linear,
    /// Of four, by a cubic convolution (Keys, 1981) with this parameter.
    Cubic(f64),
}

/// The type in which positions and weights are computed.
pub(super) fn working_type(dtype: DataType) -> DataType {
    if dtype.is_float() { wide(dtype) } else { DataType::F32 }
}

/// A neighbour along a dimension: its index, which may lie outside, and its weight; `None` where it is the only one.
pub(super) type Tap = (Value, Option<Value>);

/// The neighbours of a position: that at `index` is at or before it, by `fraction` of a step.
pub(super) fn taps(method: Method, index: &Value, fraction: &Value) -> Vec<Tap> {
    match method {
        Method::Nearest => vec![(index.clone(), None)],
        Method::Linear => {
            vec![(index.clone(), Some(one(fraction) - fraction)), (index + 1, Some(fraction.clone()))]
        }
        Method::Cubic(a) => {
            let (inner, rest) = (|d: &Value| inner_weight(d, a), one(fraction) - fraction);
            let weights =
                [outer_weight(&(fraction + 1.0), a), inner(fraction), inner(&rest), outer_weight(&(&rest + 1.0), a)];
            weights.into_iter().zip(-1..).map(|(weight, at)| (index + at, Some(weight))).collect()
        }
    }
}

fn one(like: &Value) -> Value {
    Expr::float(1.0, like.dtype().unwrap_or(DataType::F32)).into()
}

/// The weight of a neighbour at most one step away.
fn inner_weight(d: &Value, a: f64) -> Value {
    (d * (a + 2.0) - (a + 3.0)) * d * d + 1.0
}

/// The weight of a neighbour from one to two steps away.
fn outer_weight(d: &Value, a: f64) -> Value {
    ((d * a - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
}

/// The integer index below a float position, and the distance to it.
pub(super) fn parts(position: &Value) -> (Value, Value) {
    let floor = position.intrinsic(Intrinsic::Floor);
    (floor.cast(DataType::I64), position - floor)
}

/// The sum over the neighbours along all dimensions, of which `element` gives each.
pub(super) fn sum_of(along: &[Vec<Tap>], element: &dyn Fn(&[Value]) -> Value) -> Value {
    fn below(along: &[Vec<Tap>], chosen: &mut Vec<Value>, element: &dyn Fn(&[Value]) -> Value) -> Value {
        let Some((first, rest)) = along.split_first() else { return element(chosen) };
        let mut sum: Option<Value> = None;
        for (index, weight) in first {
            chosen.push(index.clone());
            let value = below(rest, chosen, element);
            chosen.pop();
            let part = weight.as_ref().map_or(value.clone(), |weight| value * weight);
            sum = Some(sum.map_or(part.clone(), |sum| sum + part));
        }
        sum.unwrap_or_else(|| Value::wrong(TeError("a position has a neighbour".into())))
    }
    below(along, &mut Vec::new(), element)
}
