//! The largest elements, and boxes that do not overlap.

use tilewright_expr as scalar;
use tilewright_ops::sorting::topk;
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, rule};
use super::super::values::Val;
use crate::common::{Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[rule("TopK", "X K?", "axis largest sorted k", top)];

fn top(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let k = match args.maybe_int("k")? {
        Some(k) => scalar::Expr::i64(k),
        None => match <[scalar::Expr; 1]>::try_from(args.dims_at(cx, 1)?) {
            Ok([k]) => k,
            Err(_) => return Err(Refused::new("`K` must be one integer")),
        },
    };
    let axis = cx.axis(args.int("axis", -1)?, cx.rank(&x)?)?;
    // A symbolic number of elements is a part of all elements in order.
    let count = k.as_int();
    if let Some(count) = count.filter(|count| *count < 1) {
        return Err(Refused(format!("`K` is a number of elements, found {count}")));
    }
    let attrs = [
        ("k", count.unwrap_or(0).to_attr()),
        ("axis", (axis as i64).to_attr()),
        ("largest", args.flag("largest", true)?.to_attr()),
        ("dtype", DataType::I64.to_attr()),
    ];
    let fields = cx.fields(cx.call(&topk::OP, &[&x], attrs)?)?;
    let tensor = |field| match field {
        Value::Tensor(one) if count.is_some() => Some(Ok(Val::from(one))),
        Value::Tensor(one) => Some(cx.slice(&one, axis, &scalar::Expr::i64(0), &k, 1).map(Val::from)),
        _ => None,
    };
    fields.into_iter().filter_map(tensor).collect::<Res<_>>().map(Val::Outputs)
}
