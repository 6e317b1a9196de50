//! `unfold`: sliding windows along a dimension.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ops::binary::add;
use tilewright_ops::indexed::take;
use tilewright_ops::manipulate::expand_dims;
use tilewright_ops::shapes::dims_text;

use super::super::rule::{Rule, view};
use super::diagonal::progression;
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[view("aten.unfold", "input, dimension, size, step", windows)];

/// The windows of `size` elements along a dimension, at a distance of `step`; the elements of a window become the last
/// dimension.
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
        return Err(Refused(format!("windows of {size} elements with step {step} do not fit a dimension of {extent}")));
    }
    let count = cx.integer(BinOp::FloorDiv, &cx.simplified(&(extent - size)), &scalar::Expr::i64(step))?;
    let begins = progression(cx, &cx.simplified(&(count + 1)), &scalar::Expr::i64(0), &scalar::Expr::i64(step))?;
    let begins = cx.call(&expand_dims::OP, &[&begins], [("axis", vec![1i64].to_attr())])?;
    let indices = cx.call(
        &add::OP,
        &[&begins, &progression(cx, &scalar::Expr::i64(size), &scalar::Expr::i64(0), &scalar::Expr::i64(1))?],
        [],
    )?;
    let found = cx.call(&take::OP, &[&x, &indices], [("axis", (axis as i64).to_attr())])?;
    let within = axis as i64 + 1;
    let order = (0..=shape.len() as i64).filter(|at| *at != within).chain([within]).collect();
    cx.permute(&found, order).map(Value::Tensor)
}
