//! Matrix products: `matmul`, `linear`, `addmm`, `bilinear`, `einsum`, products of groups of rows.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, equal, multiply};
use tilewright_ops::create::full;
use tilewright_ops::linear_algebra::{einsum, matmul};
use tilewright_ops::manipulate::expand_dims;
use tilewright_ops::search::bucketize;
use tilewright_ops::statistical::sum;
use tilewright_tensor::DataType;

use super::super::precision::is_narrow;
use super::super::promotion::call_promoted;
use super::super::rule::{Precision, Rule, in_float32, rule, with};
use crate::common::{Args, Cx, Number, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("matmul mm bmm mv imatmul", "input, other|mat2|vec", matmul),
    rule("dot vdot inner", "input, other|tensor", dot),
    rule("outer ger", "input, vec2", outer),
    rule("linear", "input, weight, bias=None", linear),
    with(Precision::Float32ForFactors, rule("addmm addmv", "input, mat1|mat, mat2|vec, beta=1, alpha=1", added)),
    with(Precision::Float32ForFactors, rule("baddbmm", "input, batch1, batch2, beta=1, alpha=1", added)),
    with(
        Precision::Float32ForFactors,
        rule("addbmm", "input, batch1, batch2, beta=1, alpha=1", |cx, args| {
            let products = product(cx, &args.tensor("batch1")?, &args.tensor("batch2")?)?;
            let sum = cx.call(&sum::OP, &[&products], [("axis", vec![0i64].to_attr())])?;
            combined(cx, args, sum)
        }),
    ),
    in_float32(rule("bilinear", "input1, input2, weight, bias=None", bilinear)),
    rule("einsum", "equation, *operands", einsum),
    rule("_grouped_mm transformers.grouped_mm_fallback", GROUPED, grouped),
];

const GROUPED: &str = "input, mat2|weight, offs=None, bias=None, out_dtype=None";

fn product(cx: &Cx<'_>, a: &Expr, b: &Expr) -> Res<Expr> {
    cx.call(&matmul::OP, &[a, b], [])
}

fn matmul(cx: &mut Cx<'_>, args: &Args) -> Res {
    product(cx, &args.tensor("input")?, &args.tensor("other")?).map(Value::Tensor)
}

/// Products of groups of rows, each with a matrix of its own: `offs` says before which row each group ends. Rows after
/// the last group give zeros, as `transformers` has it.
///
/// All matrices are one below the other, and a row is zero but in the columns of its group: one product, which reads
/// each matrix once. It has as many operations as if each row were multiplied with all of the matrices.
fn grouped(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, matrices) = (args.tensor("input")?, args.tensor("mat2")?);
    if args.has("bias") || args.has("out_dtype") {
        return Err(Refused::new("`bias` and `out_dtype` have no rule"));
    }
    let offsets = match (args.optional_tensor("offs")?, cx.rank(&x)?, cx.rank(&matrices)?) {
        (None, 3, 3) => return product(cx, &x, &matrices).map(Value::Tensor),
        (Some(offsets), 2, 3) => cx.astype(&offsets, DataType::I64)?,
        (_, a, b) => return Err(Refused(format!("groups of tensors of {a} and {b} dimensions have no rule"))),
    };
    let x = cx.emit(x)?;
    let (dims, of_matrices) = (cx.shape(&x)?, cx.shape(&matrices)?);
    let ([rows, inner], [groups, _, outer]) = (&dims[..], &of_matrices[..]) else {
        return Err(Refused::new("expected a matrix and a list of matrices"));
    };
    let attrs = [("out_int32", false.to_attr()), ("right", true.to_attr())];
    let group_of_row = cx.call(&bucketize::OP, &[&cx.arange(rows)?, &offsets], attrs)?;
    let column = |x: &Expr, axis: i64| cx.call(&expand_dims::OP, &[x], [("axis", vec![axis].to_attr())]);
    let own = cx.call(&equal::OP, &[&column(&group_of_row, 1)?, &cx.arange(groups)?], [])?;
    let spread = cx.choose(&column(&own, 2)?, &column(&x, 1)?, &cx.number(0.0, cx.dtype(&x)?)?)?;
    let all = cx.product(&[groups.clone(), inner.clone()]);
    let spread = cx.reshape(&spread, vec![rows.clone(), all.clone()])?;
    product(cx, &spread, &cx.reshape(&matrices, vec![all, outer.clone()])?).map(Value::Tensor)
}

/// The dot product of two vectors.
fn dot(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b) = (args.tensor("input")?, args.tensor("other")?);
    match (cx.rank(&a)?, cx.rank(&b)?) {
        (1, 1) => product(cx, &a, &b).map(Value::Tensor),
        _ => Err(Refused::new("only the product of two vectors has a rule")),
    }
}

fn outer(cx: &mut Cx<'_>, args: &Args) -> Res {
    let column = cx.call(&expand_dims::OP, &[&args.tensor("input")?], [("axis", vec![1i64].to_attr())])?;
    cx.op(&multiply::OP, &[&column, &args.tensor("vec2")?])
}

fn linear(cx: &mut Cx<'_>, args: &Args) -> Res {
    affine(cx, &args.tensor("input")?, &args.tensor("weight")?, args.optional_tensor("bias")?).map(Value::Tensor)
}

/// A product that something is added to: in float32 where the operands are narrower, so that the sum is rounded once.
fn unrounded(cx: &Cx<'_>, a: &Expr, b: &Expr) -> Res<Expr> {
    match cx.dtype(a)? {
        dtype if is_narrow(dtype) => cx.call(&matmul::OP, &[a, b], [("out_dtype", DataType::F32.to_attr())]),
        _ => product(cx, a, b),
    }
}

/// `x @ weight.T + bias`. The weight has one row for each output, or is a vector.
pub fn affine(cx: &Cx<'_>, x: &Expr, weight: &Expr, bias: Option<Expr>) -> Res<Expr> {
    let transposed = if cx.rank(weight)? < 2 { weight.clone() } else { cx.permute(weight, vec![1, 0])? };
    let Some(bias) = bias else { return product(cx, x, &transposed) };
    let found = unrounded(cx, x, &transposed)?;
    let bias = cx.astype(&bias, cx.dtype(&found)?)?;
    cx.astype(&cx.call(&add::OP, &[&found, &bias], [])?, cx.dtype(x)?)
}

/// The value times a number; `None` where the number is 0, as PyTorch then ignores the value, infinities included.
/// Integers are multiplied by the integer part of a number.
fn scaled(cx: &Cx<'_>, x: Expr, by: &Value) -> Res<Option<Expr>> {
    let by = match Number::of(by) {
        Some(number) if !cx.dtype(&x)?.is_float() => &Value::Int(number.as_f64().trunc() as i64),
        _ => by,
    };
    match Number::of(by).map(|number| number.as_f64()) {
        Some(1.0) => Ok(Some(x)),
        Some(0.0) => Ok(None),
        _ => call_promoted(cx, &multiply::OP, &Value::Tensor(x), by).map(Some),
    }
}

/// `beta * input + alpha * (a @ b)`.
fn added(cx: &mut Cx<'_>, args: &Args) -> Res {
    let [a, b] = if args.has("batch1") { ["batch1", "batch2"] } else { ["mat1", "mat2"] };
    let a = args.tensor(a)?;
    let found = unrounded(cx, &a, &args.tensor(b)?)?;
    let Value::Tensor(sum) = combined(cx, args, found)? else { return Err(Refused::new("expected a tensor")) };
    cx.astype(&sum, cx.dtype(&a)?).map(Value::Tensor)
}

/// `beta * input + alpha * found`.
fn combined(cx: &mut Cx<'_>, args: &Args, found: Expr) -> Res {
    let shape = Expr::shape(cx.shape(&found)?);
    let found = match scaled(cx, found.clone(), args.get("alpha"))? {
        Some(found) => found,
        None => cx.call(&full::OP, &[&shape, &cx.number(0i64, cx.dtype(&found)?)?], [])?,
    };
    let input = cx.astype(&args.tensor("input")?, cx.dtype(&found)?)?;
    match scaled(cx, input, args.get("beta"))? {
        Some(input) => cx.op(&add::OP, &[&input, &found]),
        None => Ok(Value::Tensor(found)),
    }
}

/// `x1 @ weight[k] @ x2` for each `k`: products of the flattened batch.
fn bilinear(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x1, x2, weight) = (args.tensor("input1")?, args.tensor("input2")?, args.tensor("weight")?);
    let shape = cx.shape(&x1)?;
    let Some((_, batch)) = shape.split_last() else { return Err(Refused::new("expected at least one dimension")) };
    let rows = cx.product(batch);
    let flat = |x: &Expr| {
        let last = cx.shape(x)?.last().cloned().unwrap_or_else(|| scalar::Expr::i64(1));
        cx.reshape(x, vec![rows.clone(), last])
    };
    // For each output the row of the first times the matrix, then times the second.
    let half = product(cx, &cx.call(&expand_dims::OP, &[&flat(&x1)?], [("axis", vec![0i64].to_attr())])?, &weight)?;
    let all =
        cx.call(&sum::OP, &[&cx.call(&multiply::OP, &[&half, &flat(&x2)?], [])?], [("axis", vec![2i64].to_attr())])?;
    let outputs = cx.shape(&weight)?.first().cloned().unwrap_or_else(|| scalar::Expr::i64(1));
    let found = cx.reshape(&cx.permute(&all, vec![1, 0])?, [batch, &[outputs]].concat())?;
    match args.optional_tensor("bias")? {
        Some(bias) => cx.op(&add::OP, &[&found, &bias]),
        None => Ok(Value::Tensor(found)),
    }
}

fn einsum(cx: &mut Cx<'_>, args: &Args) -> Res {
    let operands = Expr::tuple(args.tensors("operands")?);
    let equation: String = args.text("equation")?.split_whitespace().collect();
    cx.call(&einsum::OP, &[&operands], [("subscripts", equation.as_str().to_attr())]).map(Value::Tensor)
}
