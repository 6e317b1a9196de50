//! The largest elements, and boxes that do not overlap.

use tilewright_ops::sorting::topk;
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, rule};
use super::super::values::Val;
use crate::common::{Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[rule("TopK", "X K?", "axis largest sorted k", top)];

fn top(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let k = match args.maybe_int("k")? {
        Some(k) => k,
        None => args.int_at(1)?,
    };
    let axis = cx.axis(args.int("axis", -1)?, cx.rank(&x)?)? as i64;
    if k < 1 {
        return Err(Refused(format!("`K` is a number of elements, found {k}")));
    }
    let attrs = [
        ("k", k.to_attr()),
        ("axis", axis.to_attr()),
        ("largest", args.flag("largest", true)?.to_attr()),
        ("dtype", DataType::I64.to_attr()),
    ];
    let fields = cx.fields(cx.call(&topk::OP, &[&x], attrs)?)?;
    let tensor = |field| if let Value::Tensor(one) = field { Some(Val::from(one)) } else { None };
    Ok(Val::Outputs(fields.into_iter().filter_map(tensor).collect()))
}
