//! Diagonals of two dimensions.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply};
use tilewright_ops::indexed::take;
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule, view};
use super::index_put::{linear_indices, with_values};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

const DIAGONAL: &str = "input, offset=0, dim1=0, dim2=1";

pub const RULES: &[Rule] = &[
    view("diagonal", DIAGONAL, diagonal),
    rule("diagonal_copy", DIAGONAL, diagonal),
    rule("diagonal_scatter", "input, src, offset=0, dim1=0, dim2=1", |cx, args| {
        let x = args.tensor("input")?;
        let indices = linear_indices(cx, &x)?;
        let diagonal = diagonal_of(cx, &indices, args)?;
        with_values(cx, &x, &diagonal, &cx.astype(&args.tensor("src")?, cx.dtype(&x)?)?, false)
    }),
];

/// `first, first + step, ...`: `count` indices.
pub fn progression(cx: &Cx<'_>, count: &scalar::Expr, first: &scalar::Expr, step: &scalar::Expr) -> Res<Expr> {
    let numbers = cx.arange(count)?;
    let [first, step] = [first, step].map(|value| cx.operand(&Value::int(value.clone()), DataType::I64));
    cx.call(&add::OP, &[&cx.call(&multiply::OP, &[&numbers, &step?], [])?, &first?], [])
}

fn diagonal(cx: &mut Cx<'_>, args: &Args) -> Res {
    diagonal_of(cx, &args.tensor("input")?, args).map(Value::Tensor)
}

/// The diagonal of two dimensions, which becomes the last one: of the flattened matrix, elements at a distance of a row
/// and an element.
fn diagonal_of(cx: &mut Cx<'_>, x: &Expr, args: &Args) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let (a, b) = (cx.axis(args.int("dim1")?, shape.len())?, cx.axis(args.int("dim2")?, shape.len())?);
    if a == b || shape.len() < 2 {
        return Err(Refused::new("a diagonal needs two dimensions"));
    }
    let (rows, columns, offset) = (&shape[a], &shape[b], args.int("offset")?);
    // The rows above, and the columns left of, the first element of the diagonal.
    let [above, left] = [offset.min(0).saturating_neg(), offset.max(0)].map(scalar::Expr::i64);
    let left_over = |extent: &scalar::Expr, before: &scalar::Expr| cx.simplified(&(extent.clone() - before.clone()));
    let count = cx.integer(BinOp::Min, &left_over(rows, &above), &left_over(columns, &left))?;
    let count = cx.integer(BinOp::Max, &count, &scalar::Expr::i64(0))?;
    let first = cx.simplified(&(above * columns.clone() + left));
    let indices = progression(cx, &count, &first, &cx.simplified(&(columns + 1)))?;
    let matrices = cx.permute_to_front(x, &[a, b])?;
    let rest: Vec<scalar::Expr> = cx.shape(&matrices)?.split_off(2);
    let flat = cx.reshape(&matrices, [&[cx.product(&[rows.clone(), columns.clone()])], &*rest].concat())?;
    let found = cx.call(&take::OP, &[&flat, &indices], [("axis", 0i64.to_attr())])?;
    let order = (1..=rest.len() as i64).chain([0]).collect();
    cx.permute(&found, order)
}
