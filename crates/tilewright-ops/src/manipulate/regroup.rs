//! The same elements in the same order under another shape.
//!
//! Dimensions of both shapes are matched group by group: the shortest runs on both sides with equal products. Within a
//! group an element has one number, which the indices of one side make up and the other side's are taken from; a group
//! of one dimension on each side is passed through. Dimensions of size 1 belong to no group.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{InferError, OpCall};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{TeError, Tensor, Value, compute, legalize};

use crate::elementwise::block_name;
use crate::shapes;

/// The loops of an op that gives the elements of its tensor in their order under the shape of its result.
pub fn legalize_regrouped(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    legalize(call, |inputs| inputs.iter().map(|x| regrouped(x, &dims, &block_name(call))).collect())
}

/// The elements of `x` in their order under the shape `dims`.
pub fn regrouped(x: &Tensor, dims: &[Expr], name: &str) -> Result<Tensor, TeError> {
    compute(dims, name, |i| x.at_all(&indices(x.shape(), dims, i)))
}

/// A dimension by its position and its extent.
type Dim<'a> = (usize, &'a Expr);

/// The indices into `from` of the element at `i` of `to`.
pub(super) fn indices(from: &[Expr], to: &[Expr], i: &[Value]) -> Vec<Value> {
    // Of nothing any index will do that runs over nothing.
    if let Some(nowhere) = to.iter().position(|dim| dim.as_int() == Some(0)).and_then(|at| i.get(at)) {
        return vec![nowhere.clone(); from.len()];
    }
    let analyzer = Analyzer::new();
    let mut result: Vec<Value> = from.iter().map(|dim| Expr::int(0, dim.dtype).into()).collect();
    let (mut a, mut b) = (wide(from), wide(to));
    while !a.is_empty() {
        let (of_a, of_b) = first_group(&analyzer, &a, &b);
        let (rest_a, rest_b) = (a.split_off(of_a), b.split_off(of_b));
        regroup(&a, &b, i, &mut result);
        (a, b) = (rest_a, rest_b);
    }
    result
}

fn wide(dims: &[Expr]) -> Vec<Dim<'_>> {
    dims.iter().enumerate().filter(|(_, dim)| dim.as_int() != Some(1)).collect()
}

/// The lengths of the shortest runs at the start of both whose products are equal; all of both if none are known to be.
fn first_group(analyzer: &Analyzer, a: &[Dim<'_>], b: &[Dim<'_>]) -> (usize, usize) {
    let product = |dims: &[Dim<'_>]| dims.iter().fold(Expr::i64(1), |product, (_, dim)| product * (*dim).clone());
    for total in 2..a.len() + b.len() {
        for of_a in 1..total.min(a.len() + 1) {
            let of_b = total - of_a;
            if of_b <= b.len() && analyzer.prove_equal(&product(&a[..of_a]), &product(&b[..of_b])) {
                return (of_a, of_b);
            }
        }
    }
    (a.len(), b.len())
}

/// Sets the indices of a group.
fn regroup(a: &[Dim<'_>], b: &[Dim<'_>], i: &[Value], result: &mut [Value]) {
    let mut number: Option<Value> = None;
    for (at, extent) in b {
        number = Some(match number {
            Some(number) => number * Value::from((*extent).clone()) + &i[*at],
            None => i[*at].clone(),
        });
    }
    let mut number = number.unwrap_or_else(|| Expr::i64(0).into());
    for (position, (at, extent)) in a.iter().enumerate().rev() {
        if position == 0 {
            result[*at] = number;
            return;
        }
        let extent = Value::from((*extent).clone());
        result[*at] = number.binary(BinOp::FloorMod, &extent);
        number = number.binary(BinOp::FloorDiv, &extent);
    }
}
