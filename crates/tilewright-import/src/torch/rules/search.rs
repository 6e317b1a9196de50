//! Order: sorted elements, the greatest ones, places among boundaries; grids of coordinates.

use tilewright_ir::relax::Expr;
use tilewright_tensor::DataType;

use super::super::args::Args;
use super::super::cx::{Cx, ToAttr};
use super::super::value::{Refused, Res, Value};
use super::{Rule, rule};

pub const RULES: &[Rule] = &[
    rule("sort", "input, dim=-1, descending=False, stable=False", sort),
    rule("argsort", "input, dim=-1, descending=False, stable=False", |cx, args| {
        let x = args.tensor("input")?;
        order(cx, args, &x).map(Value::Tensor)
    }),
    rule("topk", "input, k, dim=-1, largest=True, sorted=True", topk),
    rule("bucketize", "input, boundaries, out_int32=False, right=False", bucketize),
    rule("meshgrid", "*tensors, indexing=ij", meshgrid),
];

/// The indices that sort a tensor.
fn order(cx: &Cx<'_>, args: &Args, x: &Expr) -> Res<Expr> {
    let attrs = [
        ("axis", args.int("dim")?.to_attr()),
        ("descending", args.flag("descending")?.to_attr()),
        ("dtype", DataType::I64.to_attr()),
    ];
    cx.call("argsort", &[x], attrs)
}

/// The sorted elements and where they stood.
fn sort(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let order = order(cx, args, &x)?;
    let order = cx.emit(order)?;
    let sorted = cx.call("gather_elements", &[&x, &order], [("axis", args.int("dim")?.to_attr())])?;
    Ok(Value::List(vec![Value::Tensor(sorted), Value::Tensor(order)]))
}

fn topk(cx: &mut Cx<'_>, args: &Args) -> Res {
    let attrs = [
        ("k", args.int("k")?.to_attr()),
        ("axis", args.int("dim")?.to_attr()),
        ("largest", args.flag("largest")?.to_attr()),
        ("dtype", DataType::I64.to_attr()),
    ];
    let both = cx.call("topk", &[&args.tensor("input")?], attrs)?;
    cx.fields(both).map(Value::List)
}

fn bucketize(cx: &mut Cx<'_>, args: &Args) -> Res {
    let attrs = [("out_int32", args.flag("out_int32")?.to_attr()), ("right", args.flag("right")?.to_attr())];
    cx.call("bucketize", &[&args.tensor("input")?, &args.tensor("boundaries")?], attrs).map(Value::Tensor)
}

fn meshgrid(cx: &mut Cx<'_>, args: &Args) -> Res {
    let indexing = match args.text("indexing")? {
        indexing @ ("ij" | "xy") => indexing,
        other => return Err(Refused(format!("`indexing` is \"ij\" or \"xy\", found \"{other}\""))),
    };
    let tensors = Expr::tuple(args.tensors("tensors")?);
    let grid = cx.call("meshgrid", &[&tensors], [("indexing", indexing.to_attr())])?;
    cx.fields(grid).map(Value::List)
}
