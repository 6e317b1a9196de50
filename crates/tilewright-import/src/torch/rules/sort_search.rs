//! Sorting and searching: `sort`, `topk`, `kthvalue`, `searchsorted`, `histc`; `meshgrid`.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, equal, greater_equal, less_equal, logical_and, minimum, multiply, subtract};
use tilewright_ops::indexed::gather_elements;
use tilewright_ops::manipulate::{expand_dims, meshgrid};
use tilewright_ops::search::bucketize;
use tilewright_ops::sorting::{argsort, kthvalue, topk};
use tilewright_ops::statistical::{max, min, sum};
use tilewright_ops::unary::floor;
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("sort", "input, dim=-1, descending=False, stable=False", sort),
    rule("argsort", "input, dim=-1, descending=False, stable=False", |cx, args| {
        let x = args.tensor("input")?;
        order(cx, args, &x).map(Value::Tensor)
    }),
    rule("topk", "input, k, dim=-1, largest=True, sorted=True", topk),
    rule("kthvalue", "input, k, dim=-1, keepdim=False", kth),
    rule("searchsorted", "boundaries, input, out_int32=False, right=False, side=None, sorter=None", |cx, args| {
        if args.has("sorter") || cx.rank(&args.tensor("boundaries")?)? != 1 {
            return Err(Refused::new("a `sorter`, and boundaries of several dimensions, have no rule"));
        }
        let right = args.flag("right")? || matches!(args.get("side"), Value::Str(side) if side == "right");
        search(cx, args, right)
    }),
    rule("bucketize", "input, boundaries, out_int32=False, right=False", bucketize),
    rule("histc", "input, bins=100, min=0, max=0", histogram),
    rule("meshgrid", "*tensors, indexing=ij", meshgrid),
];

/// The indices that sort a tensor.
fn order(cx: &Cx<'_>, args: &Args, x: &Expr) -> Res<Expr> {
    let attrs = [
        ("axis", args.int("dim")?.to_attr()),
        ("descending", args.flag("descending")?.to_attr()),
        ("dtype", DataType::I64.to_attr()),
    ];
    cx.call(&argsort::OP, &[x], attrs)
}

/// A tensor without dimensions, and its index, 0.
fn scalar_with_index(cx: &Cx<'_>, x: Expr) -> Res {
    Ok(Value::List(vec![Value::Tensor(x), Value::Tensor(cx.number(0i64, DataType::I64)?)]))
}

/// The sorted elements, and their indices before.
fn sort(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    if cx.rank(&x)? == 0 {
        return scalar_with_index(cx, x);
    }
    let order = order(cx, args, &x)?;
    let order = cx.emit(order)?;
    let sorted = cx.call(&gather_elements::OP, &[&x, &order], [("axis", args.int("dim")?.to_attr())])?;
    Ok(Value::List(vec![Value::Tensor(sorted), Value::Tensor(order)]))
}

fn topk(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, k) = (args.tensor("input")?, args.int("k")?);
    if cx.rank(&x)? == 0 && matches!(k, 0 | 1) {
        return scalar_with_index(cx, x);
    }
    if k < 0 {
        return Err(Refused(format!("`k` must be a number of elements, found {k}")));
    }
    if k == 0 {
        // The operator's 0 means all elements.
        let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
        let none = cx.slice(&x, axis, &scalar::Expr::i64(0), &scalar::Expr::i64(0), 1)?;
        let indices = cx.astype(&none, DataType::I64)?;
        return Ok(Value::List(vec![Value::Tensor(none), Value::Tensor(indices)]));
    }
    let attrs = [
        ("k", k.to_attr()),
        ("axis", args.int("dim")?.to_attr()),
        ("largest", args.flag("largest")?.to_attr()),
        ("dtype", DataType::I64.to_attr()),
    ];
    let both = cx.call(&topk::OP, &[&x], attrs)?;
    cx.fields(both).map(Value::List)
}

fn bucketize(cx: &mut Cx<'_>, args: &Args) -> Res {
    search(cx, args, args.flag("right")?)
}

/// The indices at which elements would be inserted among the boundaries.
fn search(cx: &Cx<'_>, args: &Args, right: bool) -> Res {
    let (x, dtype) = (args.get("input"), cx.dtype(&args.tensor("boundaries")?)?);
    let x = if let Value::Tensor(x) = x { x.clone() } else { cx.operand(x, dtype)? };
    let attrs = [("out_int32", args.flag("out_int32")?.to_attr()), ("right", right.to_attr())];
    cx.call(&bucketize::OP, &[&x, &args.tensor("boundaries")?], attrs).map(Value::Tensor)
}

/// How many elements are in each of `bins` equal parts of a range, with its ends; that of the elements where it is
/// empty.
fn histogram(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (bins, low, high) = (args.int("bins")?, args.float("min")?, args.float("max")?);
    if bins < 1 || low > high || !(high - low).is_finite() {
        return Err(Refused(format!("{bins} parts of the range from {low} to {high} have no rule")));
    }
    let x = cx.flat(&args.tensor("input")?)?;
    let (x, dtype) = (cx.emit(x)?, cx.dtype(&args.tensor("input")?)?);
    let (low, high) = if low < high {
        (cx.number(low, dtype)?, cx.number(high, dtype)?)
    } else {
        let (low, high) = (cx.call(&min::OP, &[&x], [])?, cx.call(&max::OP, &[&x], [])?);
        let (low, high) = (cx.emit(low)?, cx.emit(high)?);
        let alone = cx.call(&equal::OP, &[&low, &high], [])?;
        let alone = cx.emit(cx.astype(&alone, dtype)?)?;
        (cx.call(&subtract::OP, &[&low, &alone], [])?, cx.call(&add::OP, &[&high, &alone], [])?)
    };
    let from_low = cx.call(&subtract::OP, &[&x, &low], [])?;
    let range = cx.call(&subtract::OP, &[&high, &low], [])?;
    let place = cx.call(&divide::OP, &[&cx.with_number(&multiply::OP, &from_low, bins as f64)?, &range], [])?;
    let place = cx.with_number(&minimum::OP, &cx.call(&floor::OP, &[&place], [])?, (bins - 1) as f64)?;
    let [above, below] =
        [(&greater_equal::OP, &low), (&less_equal::OP, &high)].map(|(op, end)| cx.call(op, &[&x, end], []));
    let inside = cx.call(&logical_and::OP, &[&above?, &below?], [])?;
    let place = cx.choose(&inside, &place, &cx.number(-1.0, dtype)?)?;
    let place = cx.astype(&place, DataType::I64)?;
    let column = cx.call(&expand_dims::OP, &[&place], [("axis", vec![1i64].to_attr())])?;
    let own = cx.call(&equal::OP, &[&column, &cx.arange(&scalar::Expr::i64(bins))?], [])?;
    cx.call(&sum::OP, &[&cx.astype(&own, dtype)?], [("axis", vec![0i64].to_attr())]).map(Value::Tensor)
}

/// The k-th smallest element, counted from 1, and its index.
fn kth(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let (axis, k, keep) = (cx.axis(args.int("dim")?, cx.rank(&x)?)?, args.int("k")?, args.flag("keepdim")?);
    let extent = cx.shape(&x)?.get(axis).and_then(|extent| extent.as_int());
    if k < 1 || extent.is_some_and(|extent| k > extent) {
        let extent = extent.map_or_else(|| "symbolic size".to_owned(), |extent| extent.to_string());
        return Err(Refused(format!(
            "`k` must be from 1 to the extent of the dimension, found {k} for an extent of {extent}"
        )));
    }
    let attrs = [("k", k.to_attr()), ("axis", (axis as i64).to_attr()), ("keepdims", keep.to_attr())];
    let both = cx.call(&kthvalue::OP, &[&x], attrs)?;
    cx.fields(both).map(Value::List)
}

fn meshgrid(cx: &mut Cx<'_>, args: &Args) -> Res {
    let indexing = match args.text("indexing")? {
        indexing @ ("ij" | "xy") => indexing,
        other => return Err(Refused(format!("`indexing` is \"ij\" or \"xy\", found \"{other}\""))),
    };
    let tensors = Expr::tuple(args.tensors("tensors")?);
    let grid = cx.call(&meshgrid::OP, &[&tensors], [("indexing", indexing.to_attr())])?;
    cx.fields(grid).map(Value::List)
}
