//! Shared by the attention ops: softmax of scaled scores, and weighted sums of values.

use tilewright_expr::{CmpOp, Expr, Intrinsic};
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_te::{TeError, Tensor, Value, compute, max_over, reduce_axis, sum, topi};
use tilewright_tensor::DataType;

use crate::elementwise::{float, wide};
use crate::shapes;

/// The keys that a query attends to; positions count within its own sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    causal: Option<Corner>,
    window: Option<i64>,
}

/// The alignment of the positions of queries and keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Corner {
    /// The first query is aligned to the first key.
    TopLeft,
    /// The last query is aligned to the last key.
    BottomRight,
}

impl Mask {
    pub(super) fn of(call: &OpCall<'_>) -> Result<Self, InferError> {
        let causal = match call.attr("causal_mask") {
            Some(Attr::Str(corner)) if &**corner == "TopLeft" => Some(Corner::TopLeft),
            Some(Attr::Str(corner)) if &**corner == "BottomRight" => Some(Corner::BottomRight),
            Some(Attr::Str(other)) => {
                let name = call.op.name;
                let message = format!("`{name}` knows the masks `TopLeft` and `BottomRight`, not `{other}`");
                return Err(InferError::new(message));
            }
            _ => None,
        };
        let window = call.attr("window_size").and_then(Attr::as_int);
        if let Some(window) = window.filter(|window| *window < 1) {
            let message = format!("`{}`: a window holds at least 1 key, found {window}", call.op.name);
            return Err(InferError::new(message));
        }
        Ok(Self { causal, window })
    }

    /// Whether query `i` of `queries` sees key `j` of `keys`; `None` where each sees every one.
    pub(super) fn sees(self, (i, queries): (&Value, &Value), (j, keys): (&Value, &Value)) -> Option<Value> {
        let position = match self.causal {
            Some(Corner::BottomRight) => i + (keys - queries),
            Some(Corner::TopLeft) | None => i.clone(),
        };
        let reach = |window: i64| (&position - j).compare(CmpOp::Lt, window);
        match (self.causal, self.window) {
            (None, None) => None,
            (None, Some(window)) => Some(reach(window).and((j - &position).compare(CmpOp::Lt, window))),
            (Some(_), None) => Some(position.compare(CmpOp::Ge, j)),
            (Some(_), Some(window)) => Some(position.compare(CmpOp::Ge, j).and(reach(window))),
        }
    }
}

/// The inference rule: floats of one type as `(batch, positions, heads, width)`, batch and heads the same in all, the
/// widths of queries and keys too, and as many keys as values.
pub(super) fn infer_attention(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    Mask::of(call)?;
    let dtype = call.tensor(0)?.1;
    if cx.for_loops {
        shapes::all_of_dtype(call, &[0, 1, 2], float)?;
    }
    for arg in 0..3 {
        let rank = call.tensor(arg)?.0.rank();
        if rank != Some(4) {
            let (op, name) = (call.op.name, call.op.args.get(arg).map_or("?", |def| def.name));
            let found = rank.map_or("an unknown number of".into(), |rank| rank.to_string());
            let message =
                format!("`{op}` needs `{name}` as (batch, positions, heads, width), found {found} dimensions");
            return Err(InferError::at(arg, message));
        }
    }
    // Pairs of a tensor and a dimension that are the same.
    for (a, b) in
        [((0, 0), (1, 0)), ((0, 2), (1, 2)), ((0, 3), (1, 3)), ((0, 0), (2, 0)), ((0, 2), (2, 2)), ((1, 1), (2, 1))]
    {
        check_same(cx, call, a, b)?;
    }
    let shape = match (call.tensor(0)?.0, call.tensor(2)?.0) {
        (TensorShape::Known(queries), TensorShape::Known(values)) => {
            TensorShape::Known([&queries[..3], &values[3..]].concat())
        }
        _ => TensorShape::Rank(4),
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn check_same(cx: &InferCx, call: &OpCall<'_>, a: (usize, usize), b: (usize, usize)) -> Result<(), InferError> {
    let (TensorShape::Known(x), TensorShape::Known(y)) = (call.tensor(a.0)?.0, call.tensor(b.0)?.0) else {
        return Ok(());
    };
    if !cx.clash(&x[a.1], &y[b.1]) {
        return Ok(());
    }
    let name = |arg: usize| call.op.args.get(arg).map_or("?", |def| def.name);
    let (first, second, op) = (name(a.0), name(b.0), call.op.name);
    let (x, y) = (shapes::dim_text(&x[a.1]), shapes::dim_text(&y[b.1]));
    let message = format!("`{op}`: dimension {} of `{first}` is {x}, dimension {} of `{second}` {y}", a.1, b.1);
    Err(InferError::at(b.0, message))
}

/// The factor of scores: the attribute `scale`, or one over the root of the width.
pub(super) fn scale(call: &OpCall<'_>, width: &Expr, dtype: DataType) -> Value {
    match call.attr("scale") {
        Some(Attr::Float(scale)) => Expr::float(scale.0, dtype).into(),
        _ => Value::from(Expr::float(1.0, dtype)) / Value::from(width.clone()).cast(dtype).intrinsic(Intrinsic::Sqrt),
    }
}

/// The attention of queries to keys and values, all `(batch, positions, heads, width)`, computed in float32 if elements
/// are narrower. `sees` tells for `[batch, head, query, key]` whether the query attends to the key. A query without
/// keys gets zeros.
pub(super) fn attended(
    [queries, keys, values]: [&Tensor; 3],
    scale: &Value,
    bias: Option<&Tensor>,
    sees: impl Fn(&[Value]) -> Option<Value>,
    name: &str,
) -> Result<Tensor, TeError> {
    let dtype = wide(queries.dtype());
    let lowest = Value::from(Expr::float(f64::NEG_INFINITY, dtype));
    let zero = Value::from(Expr::float(0.0, dtype));
    let pairs = [queries.dim(0), queries.dim(2), queries.dim(1), keys.dim(1)];
    let d = reduce_axis(Expr::i64(0), queries.dim(3), "d");
    let products = compute(&pairs, &format!("{name}_products"), |at| match at {
        [b, h, i, j] => sum(queries.at(&[b, i, h, &d]).cast(dtype) * keys.at(&[b, j, h, &d]).cast(dtype), &[&d]),
        _ => lowest.clone(),
    })?;
    // A dimension of the bias that is not known to be 1 is as large as the scores': the rule has made sure of it.
    let as_scored = |(own, pair): (&Expr, &Expr)| if own.as_int() == Some(1) { pair.clone() } else { own.clone() };
    let biased: Vec<Expr> = bias.iter().flat_map(|bias| bias.shape().iter().zip(&pairs).map(as_scored)).collect();
    let scores = compute(&pairs, &format!("{name}_scores"), |at| {
        let score = products.at_all(at) * scale;
        let score = match bias {
            Some(bias) => score + topi::at_broadcast(bias, at, &biased).cast(dtype),
            None => score,
        };
        match sees(at) {
            Some(seen) => seen.select(&score, &lowest),
            None => score,
        }
    })?;
    let j = reduce_axis(Expr::i64(0), keys.dim(1), "j");
    let best = compute(&pairs[..3], &format!("{name}_best"), |at| {
        max_over(scores.at_all(&[at, &[Value::clone(&j)]].concat()), &[&j])
    })?;
    let weights = compute(&pairs, &format!("{name}_weights"), |at| {
        let best = best.at_all(&at[..3]);
        let best = best.compare(CmpOp::Eq, &lowest).select(&zero, &best);
        (scores.at_all(at) - best).intrinsic(Intrinsic::Exp)
    })?;
    let total = compute(&pairs[..3], &format!("{name}_total"), |at| {
        sum(weights.at_all(&[at, &[Value::clone(&j)]].concat()), &[&j])
    })?;
    let dims = [queries.dim(0), queries.dim(1), queries.dim(2), values.dim(3)];
    let mixed = compute(&dims, &format!("{name}_mixed"), |at| match at {
        [b, i, h, w] => sum(weights.at(&[b, h, i, &j]) * values.at(&[b, &j, h, w]).cast(dtype), &[&j]),
        _ => lowest.clone(),
    })?;
    compute(&dims, name, |at| match at {
        [b, i, h, _] => {
            let total = total.at(&[b, h, i]);
            let share = mixed.at_all(at) / &total;
            total.compare(CmpOp::Eq, &zero).select(&zero, &share).cast(queries.dtype())
        }
        _ => lowest.clone(),
    })
}
