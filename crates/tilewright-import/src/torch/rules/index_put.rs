//! Tensors with values in the place of some of their elements: assignments, and along one dimension.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::multiply;
use tilewright_ops::indexed::index_put;
use tilewright_ops::manipulate::broadcast_to;
use tilewright_tensor::DataType;

use super::super::operands::binary;
use super::super::rule::{Rule, change, rule};
use super::indexing::indexed;
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    change("setitem", "input, index, value", assigned),
    rule("index_copy", "input, dim, index, source|tensor", |cx, args| along(cx, args, args.get("source"), false)),
    rule("index_fill", "input, dim, index, value", |cx, args| along(cx, args, args.get("value"), false)),
    rule("index_add", "input, dim, index, source, alpha=1", |cx, args| {
        let source = match args.get("alpha") {
            Value::Int(1) => args.get("source").clone(),
            alpha => binary(cx, &multiply::OP, args.get("source"), alpha)?,
        };
        along(cx, args, &source, true)
    }),
];

/// The numbers of a tensor's elements, in their places.
pub fn numbered(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let numbers = cx.reshape(&cx.arange(&cx.product(&shape))?, shape)?;
    cx.emit(numbers)
}

/// The tensor with values for the elements of these numbers, or with them added.
pub fn with_values(cx: &Cx<'_>, x: &Expr, places: &Expr, values: &Expr, accumulate: bool) -> Res {
    let operands = [&cx.flat(x)?, &Expr::tuple(vec![cx.flat(places)?]), &cx.flat(values)?];
    let put = cx.call(&index_put::OP, &operands, [("accumulate", accumulate.to_attr())])?;
    cx.reshape(&put, cx.shape(x)?).map(Value::Tensor)
}

/// `input[index] = value`: the numbers of the elements that the index picks say where the values lie.
fn assigned(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let (dtype, numbers) = (cx.dtype(&x)?, numbered(cx, &x)?);
    let indices = match args.get("index") {
        Value::List(items) => items.clone(),
        one => vec![one.clone()],
    };
    let Value::Tensor(places) = indexed(cx, &numbers, indices)? else {
        return Err(Refused::new("expected places of a tensor"));
    };
    let (places, mut values) = (cx.emit(places)?, cx.operand(args.get("value"), dtype)?);
    let own = cx.shape(&values)?;
    let more = own.len().saturating_sub(cx.rank(&places)?);
    if more > 0 {
        if own[..more].iter().any(|dim| dim.as_int() != Some(1)) {
            return Err(Refused::new("there are more values than places"));
        }
        values = cx.reshape(&values, own[more..].to_vec())?;
    }
    let [places, values] = cx.broadcastable([places, values])?;
    let values = cx.call(&broadcast_to::OP, &[&values, &Expr::shape(cx.shape(&places)?)], [])?;
    with_values(cx, &x, &places, &values, false)
}

/// The tensor with values at the indices along a dimension, or with them added.
fn along(cx: &mut Cx<'_>, args: &Args, values: &Value, accumulate: bool) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    if shape.is_empty() {
        return Err(Refused::new("a tensor without dimensions has none along which indices lie"));
    }
    let axis = cx.axis(args.int("dim")?, shape.len())?;
    let index = cx.flat(&cx.astype(&args.tensor("index")?, DataType::I64)?)?;
    let mut values = cx.operand(values, cx.dtype(&x)?)?;
    if cx.rank(&values)? == shape.len() {
        values = cx.permute_to_front(&values, &[axis])?;
    }
    let operands = [&cx.permute_to_front(&x, &[axis])?, &Expr::tuple(vec![index]), &values];
    let put = cx.call(&index_put::OP, &operands, [("accumulate", accumulate.to_attr())])?;
    // The first dimension goes back to its place.
    let order = (1..=axis).chain([0]).chain(axis + 1..shape.len()).map(|at| at as i64).collect();
    cx.permute(&put, order).map(Value::Tensor)
}
