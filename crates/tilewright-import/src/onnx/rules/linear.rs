//! Products of matrices: `MatMul`, `Gemm`, `Einsum`, `Det`.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply};
use tilewright_ops::linear_algebra::{einsum, matmul};

use super::super::rule::{Args, Rule, rule};
use super::super::values::Val;
use super::elementwise::broadcast_call;
use crate::common::{Cx, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("MatMul", "A B", "", |cx, args| {
        let (a, b) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        Ok(cx.call(&matmul::OP, &[&a, &b], [])?.into())
    }),
    rule("Gemm", "A B C?", "alpha beta transA transB broadcast", gemm),
    rule("Einsum", "*inputs", "equation", |cx, args| {
        let operands = Expr::tuple(args.tensors(cx, 0)?);
        let equation: String = args.text("equation", "")?.chars().filter(|letter| !letter.is_whitespace()).collect();
        Ok(cx.call(&einsum::OP, &[&operands], [("subscripts", equation.as_str().to_attr())])?.into())
    }),
    rule("Det", "X", "", determinant),
];

/// `alpha * A @ B + beta * C`.
pub fn gemm(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (mut a, mut b) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    if args.flag("transA", false)? {
        a = cx.permute(&a, vec![1, 0])?;
    }
    if args.flag("transB", false)? {
        b = cx.permute(&b, vec![1, 0])?;
    }
    let mut found = cx.call(&matmul::OP, &[&a, &b], [])?;
    let (alpha, beta) = (args.float("alpha", 1.0)?, args.float("beta", 1.0)?);
    if alpha != 1.0 {
        found = cx.with_number(&multiply::OP, &found, alpha)?;
    }
    if let Some(c) = args.optional(cx, 2)?
        && beta != 0.0
    {
        let c = if beta == 1.0 { c } else { cx.with_number(&multiply::OP, &c, beta)? };
        found = broadcast_call(cx, &add::OP, found, c)?;
    }
    Ok(found.into())
}

/// By Leibniz' formula along the first row, for matrices of up to four rows.
fn determinant(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let shape = cx.shape(&x)?;
    let rank = shape.len();
    let size = rank.checked_sub(1).and_then(|at| shape[at].as_int()).filter(|size| (1..=4).contains(size));
    let size = size.ok_or_else(|| Refused::new("only matrices of up to four rows have a rule"))?;
    let element = |row: i64, column: i64| -> Res<Expr> {
        let line = cx.select(&x, rank - 2, &scalar::Expr::i64(row))?;
        cx.select(&line, rank - 2, &scalar::Expr::i64(column))
    };
    let mut all = Vec::new();
    for row in 0..size {
        all.push((0..size).map(|column| element(row, column)).collect::<Res<Vec<_>>>()?);
    }
    let mut bound = Vec::new();
    for row in all {
        bound.push(row.into_iter().map(|one| cx.emit(one)).collect::<Res<Vec<_>>>()?);
    }
    let columns: Vec<usize> = (0..size as usize).collect();
    minor(cx, &bound, 0, &columns).map(Val::from)
}

fn minor(cx: &mut Cx<'_>, rows: &[Vec<Expr>], row: usize, columns: &[usize]) -> Res<Expr> {
    use tilewright_ops::binary::subtract;
    let Some(line) = rows.get(row) else { return Err(Refused::new("no row")) };
    if let [one] = columns {
        return Ok(line[*one].clone());
    }
    let mut total: Option<Expr> = None;
    for (at, column) in columns.iter().enumerate() {
        let others: Vec<usize> = columns.iter().copied().filter(|other| other != column).collect();
        let below = minor(cx, rows, row + 1, &others)?;
        let term = cx.call(&multiply::OP, &[&line[*column], &below], [])?;
        total = Some(match total {
            None => term,
            Some(total) if at % 2 == 1 => cx.call(&subtract::OP, &[&total, &term], [])?,
            Some(total) => cx.call(&add::OP, &[&total, &term], [])?,
        });
    }
    total.ok_or_else(|| Refused::new("a matrix without columns"))
}
