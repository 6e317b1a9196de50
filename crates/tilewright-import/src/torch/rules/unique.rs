//! Elements whose places follow from a pattern or from other data: diagonals, windows, distinct elements.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply};
use tilewright_ops::indexed::take;
use tilewright_ops::manipulate::expand_dims;
use tilewright_ops::set::unique;
use tilewright_ops::shapes::dims_text;
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule, view};
use super::assigned::{numbered, with_values};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value, new_size};

const DIAGONAL: &str = "input, offset=0, dim1=0, dim2=1";

pub const RULES: &[Rule] = &[
    rule("unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", unique),
    rule("unique_dim", "input, dim, sorted=True, return_inverse=False, return_counts=False", |cx, args| {
        // Of what is not asked for there is nothing to be had.
        let (inverse, counts) = (args.flag("return_inverse")?, args.flag("return_counts")?);
        let mut found = match unique(cx, args)? {
            Value::List(found) => found.into_iter(),
            one => vec![one].into_iter(),
        };
        let mut next = |wanted: bool| if wanted { found.next().unwrap_or(Value::None) } else { Value::None };
        Ok(Value::List(vec![next(true), next(inverse), next(counts)]))
    }),
    rule("_unique2", "input, sorted=True, return_inverse=False, return_counts=False", unique),
    view("diagonal", DIAGONAL, diagonal),
    rule("diagonal_copy", DIAGONAL, diagonal),
    rule("diagonal_scatter", "input, src, offset=0, dim1=0, dim2=1", |cx, args| {
        let x = args.tensor("input")?;
        let numbers = numbered(cx, &x)?;
        let places = diagonal_of(cx, &numbers, args)?;
        with_values(cx, &x, &places, &cx.astype(&args.tensor("src")?, cx.dtype(&x)?)?, false)
    }),
    view("aten.unfold", "input, dimension, size, step", windows),
];

/// The distinct elements or slices; where they are asked for, the number of each element's among them, and how many
/// there are of each.
fn unique(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (inverse, counts) = (args.flag("return_inverse")?, args.flag("return_counts")?);
    let x = args.tensor("input")?;
    let axis = if args.has("dim") { Some(args.int("dim")?) } else { None };
    let attrs = [
        ("sorted", true.to_attr()),
        ("return_index", false.to_attr()),
        ("return_inverse", inverse.to_attr()),
        ("return_counts", counts.to_attr()),
        ("axis", axis.to_attr()),
    ];
    let (found, count) = (cx.call(&unique::OP, &[&x], attrs)?, new_size());
    let shape = cx.shape(&x)?;
    let mut distinct = vec![count.clone()];
    let mut many = cx.product(&shape);
    if let Some(axis) = axis {
        let axis = cx.axis(axis, shape.len())?;
        (distinct, many) = (shape.clone(), shape[axis].clone());
        distinct[axis] = count.clone();
    }
    if !inverse && !counts {
        return cx.match_cast(&found, distinct).map(Value::Tensor);
    }
    let mut shapes = vec![distinct];
    shapes.extend(inverse.then(|| vec![many]));
    shapes.extend(counts.then(|| vec![count]));
    let mut fields = Vec::new();
    for (field, dims) in cx.fields(found)?.iter().zip(shapes) {
        let field = field.tensor().ok_or_else(|| Refused::new("expected tensors"))?;
        fields.push(cx.match_cast(field, dims)?);
    }
    if inverse && axis.is_none() {
        fields[1] = cx.reshape(&fields[1], shape)?;
    }
    Ok(Value::List(fields.into_iter().map(Value::Tensor).collect()))
}

/// `first, first + step, ...`, so many of them.
fn steps(cx: &Cx<'_>, count: &scalar::Expr, first: &scalar::Expr, step: &scalar::Expr) -> Res<Expr> {
    let numbers = cx.arange(count)?;
    let [first, step] = [first, step].map(|value| cx.operand(&Value::int(value.clone()), DataType::I64));
    cx.call(&add::OP, &[&cx.call(&multiply::OP, &[&numbers, &step?], [])?, &first?], [])
}

fn diagonal(cx: &mut Cx<'_>, args: &Args) -> Res {
    diagonal_of(cx, &args.tensor("input")?, args).map(Value::Tensor)
}

/// The diagonal of two dimensions, which becomes the last one: of the matrix's elements in one row, each that is a row
/// and an element behind the one before.
fn diagonal_of(cx: &mut Cx<'_>, x: &Expr, args: &Args) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let (a, b) = (cx.axis(args.int("dim1")?, shape.len())?, cx.axis(args.int("dim2")?, shape.len())?);
    if a == b || shape.len() < 2 {
        return Err(Refused::new("a diagonal needs two dimensions"));
    }
    let (rows, columns, offset) = (&shape[a], &shape[b], args.int("offset")?);
    // How many rows and columns lie before the first of its elements.
    let [above, left] = [offset.min(0).saturating_neg(), offset.max(0)].map(scalar::Expr::i64);
    let left_over = |extent: &scalar::Expr, before: &scalar::Expr| cx.simplified(&(extent.clone() - before.clone()));
    let count = cx.integer(BinOp::Min, &left_over(rows, &above), &left_over(columns, &left))?;
    let count = cx.integer(BinOp::Max, &count, &scalar::Expr::i64(0))?;
    let first = cx.simplified(&(above * columns.clone() + left));
    let places = steps(cx, &count, &first, &cx.simplified(&(columns + 1)))?;
    let matrices = cx.permute_to_front(x, &[a, b])?;
    let rest: Vec<scalar::Expr> = cx.shape(&matrices)?.split_off(2);
    let flat = cx.reshape(&matrices, [&[cx.product(&[rows.clone(), columns.clone()])], &*rest].concat())?;
    let found = cx.call(&take::OP, &[&flat, &places], [("axis", 0i64.to_attr())])?;
    let order = (1..=rest.len() as i64).chain([0]).collect();
    cx.permute(&found, order)
}

/// The windows of so many elements along a dimension, `step` apart; what is in them becomes the last dimension.
fn windows(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    let axis = cx.axis(args.int("dimension")?, shape.len())?;
    let (size, step) = (args.int("size")?, args.int("step")?);
    let Some(extent) = shape.get(axis) else {
        return Err(Refused::new("a tensor without dimensions has no windows"));
    };
    if step < 1 || size < 0 || extent.as_int().is_some_and(|extent| size > extent) {
        let extent = dims_text(std::slice::from_ref(extent));
        return Err(Refused(format!("windows of {size} elements, {step} apart, in dimensions of {extent}")));
    }
    let count = cx.integer(BinOp::FloorDiv, &cx.simplified(&(extent - size)), &scalar::Expr::i64(step))?;
    let begins = steps(cx, &cx.simplified(&(count + 1)), &scalar::Expr::i64(0), &scalar::Expr::i64(step))?;
    let begins = cx.call(&expand_dims::OP, &[&begins], [("axis", vec![1i64].to_attr())])?;
    let places = cx.call(
        &add::OP,
        &[&begins, &steps(cx, &scalar::Expr::i64(size), &scalar::Expr::i64(0), &scalar::Expr::i64(1))?],
        [],
    )?;
    let found = cx.call(&take::OP, &[&x, &places], [("axis", (axis as i64).to_attr())])?;
    let inside = axis as i64 + 1;
    let order = (0..=shape.len() as i64).filter(|at| *at != inside).chain([inside]).collect();
    cx.permute(&found, order).map(Value::Tensor)
}
