//! Gather and scatter: elements read or written at indices along a dimension, embeddings, `one_hot`.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::indexed::{gather_elements, one_hot, scatter_elements, take};
use tilewright_ops::manipulate::{broadcast_to, expand_dims};
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule};
use super::indexing::sliced;
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("index_select", "input, dim, index", index_select),
    rule("gather", "input, dim, index", |cx, args| {
        let index = index_of(cx, args)?;
        cx.call(&gather_elements::OP, &[&args.tensor("input")?, &index], [("axis", args.int("dim")?.to_attr())])
            .map(Value::Tensor)
    }),
    rule("scatter", "input, dim, index, src|value, reduce=None", scatter),
    rule("scatter_add", "input, dim, index, src", |cx, args| scattered(cx, args, "add")),
    rule("slice_scatter", "input, src, dim=0, start=None, end=None, step=1", slice_scatter),
    rule("select_scatter", "input, src, dim, index", select_scatter),
    rule("take", "input, index", |cx, args| {
        cx.call(&take::OP, &[&args.tensor("input")?, &args.tensor("index")?], [("mode", "wrap".to_attr())])
            .map(Value::Tensor)
    }),
    rule("embedding", "input, weight, padding_idx=None, max_norm=None, norm_type=2.0", embedding),
    rule("aten.embedding", "weight, input|indices, padding_idx=-1", embedding),
    rule("one_hot", "input, num_classes=-1", one_hot),
];

/// `take` along an axis; negative indices count from the end.
pub fn taken(cx: &Cx<'_>, x: &Expr, axis: usize, index: &Expr) -> Res<Expr> {
    cx.call(&take::OP, &[x, index], [("axis", (axis as i64).to_attr()), ("mode", "wrap".to_attr())])
}

fn index_select(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    taken(cx, &x, axis, &args.tensor("index")?).map(Value::Tensor)
}

/// The argument `index` in the integer type of the operators.
fn index_of(cx: &Cx<'_>, args: &Args) -> Res<Expr> {
    cx.astype(&args.tensor("index")?, DataType::I64)
}

fn scatter(cx: &mut Cx<'_>, args: &Args) -> Res {
    match args.get("reduce") {
        Value::None => scattered(cx, args, "update"),
        Value::Str(how) if how == "add" => scattered(cx, args, "add"),
        Value::Str(how) if how == "multiply" => scattered(cx, args, "mul"),
        other => Err(Refused(format!("`reduce` is \"add\" or \"multiply\", found {}", other.in_words()))),
    }
}

fn scattered(cx: &mut Cx<'_>, args: &Args, how: &str) -> Res {
    let (x, index) = (args.tensor("input")?, index_of(cx, args)?);
    let shape = cx.shape(&index)?;
    let source = match args.get("src") {
        Value::Tensor(source) => source.clone(),
        number => {
            let filled = cx.operand(number, cx.dtype(&x)?)?;
            cx.call(&broadcast_to::OP, &[&filled, &Expr::shape(shape.clone())], [])?
        }
    };
    scattered_into(cx, &x, &index, &source, args.int("dim")?, how).map(Value::Tensor)
}

/// `scatter_elements` of as much of the source as there are indices. A tensor without dimensions counts as one of one
/// element.
pub fn scattered_into(cx: &Cx<'_>, x: &Expr, index: &Expr, source: &Expr, axis: i64, how: &str) -> Res<Expr> {
    let lifted = |x: &Expr| if cx.rank(x)? == 0 { cx.reshape(x, vec![scalar::Expr::i64(1)]) } else { Ok(x.clone()) };
    let (whole, index, mut cut) = (lifted(x)?, lifted(index)?, lifted(source)?);
    for (at, extent) in cx.shape(&index)?.iter().enumerate() {
        let own =
            cx.shape(&cut)?.get(at).cloned().ok_or_else(|| Refused::new("a source has the indices' dimensions"))?;
        if !cx.bb.infer_cx().analyzer.prove_equal(&own, extent) {
            cut = cx.slice(&cut, at, &scalar::Expr::i64(0), extent, 1)?;
        }
    }
    let attrs = [("axis", axis.to_attr()), ("reduction", how.to_attr())];
    let found = cx.call(&scatter_elements::OP, &[&whole, &index, &cut], attrs)?;
    if cx.rank(x)? == 0 { cx.reshape(&found, Vec::new()) } else { Ok(found) }
}

/// `input` with `source` instead of a slice along a dimension.
fn with_slice(cx: &mut Cx<'_>, input: &Expr, source: &Expr, axis: usize, parts: &[Value; 3]) -> Res {
    let indices = cx.arange(&cx.extent(input, axis)?)?;
    let indices = sliced(cx, &indices, 0, parts)?;
    let indices = cx.along_axis(&indices, axis, cx.rank(input)?)?;
    let indices = cx.call(&broadcast_to::OP, &[&indices, &Expr::shape(cx.shape(source)?)], [])?;
    let source = cx.astype(source, cx.dtype(input)?)?;
    cx.call(&scatter_elements::OP, &[input, &indices, &source], [("axis", (axis as i64).to_attr())]).map(Value::Tensor)
}

fn slice_scatter(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, source) = (args.tensor("input")?, args.tensor("src")?);
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    let parts = [args.get("start").clone(), args.get("end").clone(), args.get("step").clone()];
    with_slice(cx, &x, &source, axis, &parts)
}

fn select_scatter(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, source) = (args.tensor("input")?, args.tensor("src")?);
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    let index = args.int("index")?;
    // The slice of the last element has no end, as -1 + 1 is 0.
    let end = if index == -1 { Value::None } else { Value::Int(index.saturating_add(1)) };
    let source = cx.call(&expand_dims::OP, &[&source], [("axis", vec![axis as i64].to_attr())])?;
    with_slice(cx, &x, &source, axis, &[Value::Int(index), end, Value::None])
}

fn embedding(cx: &mut Cx<'_>, args: &Args) -> Res {
    if args.has("max_norm") {
        return Err(Refused::new("`max_norm` changes the weights, which are constants here"));
    }
    let index = args.tensor("input")?;
    cx.call(&take::OP, &[&args.tensor("weight")?, &index], [("axis", 0i64.to_attr())]).map(Value::Tensor)
}

fn one_hot(cx: &mut Cx<'_>, args: &Args) -> Res {
    let depth = args.int("num_classes")?;
    if depth < 0 {
        return Err(Refused::new("`num_classes` must be given: the largest index is not known when a module is made"));
    }
    let value = |value: i64| Expr::prim(scalar::Expr::i64(value));
    let (on, off) = (value(1), value(0));
    cx.call(&one_hot::OP, &[&args.tensor("input")?, &on, &off], [("depth", depth.to_attr())]).map(Value::Tensor)
}
