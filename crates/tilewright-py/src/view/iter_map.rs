//! Iterator maps as Python sees them: indices as sums of pieces of loops.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::arith::{self, Analyzer, IterMapLevel, IterMark, IterSource, IterSplitExpr, IterSumExpr};
use tilewright::expr::{Expr, Range, Var};

use super::arith::{Arith, node, optional_field, ranges_by_var};
use super::{Field, Node, argument, node_of};

fn level(number: i64) -> IterMapLevel {
    match number {
        0 => IterMapLevel::Bijective,
        1 => IterMapLevel::Surjective,
        _ => IterMapLevel::NoCheck,
    }
}

/// The indices as sums of pieces of iterators, and why they are none.
#[pyfunction]
pub(crate) fn detect_iter_map<'py>(
    indices: &Bound<'py, PyAny>,
    iters: &Bound<'py, PyAny>,
    predicate: &Bound<'py, PyAny>,
    check_level: i64,
    simplify_trivial: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (indices_of, ranges): (Vec<Expr>, Vec<(Var, Range)>) =
        (argument(indices, "indices")?, ranges_by_var(iters, "input_iters")?);
    let condition = argument(predicate, "predicate")?;
    let mut cx = Analyzer::new();
    let found = arith::detect_iter_map(&mut cx, &indices_of, &ranges, &condition, level(check_level), simplify_trivial);
    let sums = Field::list(found.indices, |sum| node(Arith::Sum(sum)));
    Field::List(vec![sums, Field::list(found.errors, Field::text)]).view(indices.py())
}

/// The expression as a sum of pieces of the iterators, or None.
#[pyfunction]
pub(crate) fn normalize_to_iter_sum<'py>(
    index: &Bound<'py, PyAny>,
    iters: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (value, ranges): (Expr, Vec<(Var, Range)>) = (argument(index, "index")?, ranges_by_var(iters, "input_iters")?);
    let found = arith::normalize_to_iter_sum(&mut Analyzer::new(), &value, &ranges);
    Field::optional(found, |sum| node(Arith::Sum(sum))).view(index.py())
}

/// The indices simplified by what their iterators are.
#[pyfunction]
pub(crate) fn iter_map_simplify<'py>(
    indices: &Bound<'py, PyAny>,
    iters: &Bound<'py, PyAny>,
    predicate: &Bound<'py, PyAny>,
    check_level: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let (values, ranges): (Vec<Expr>, Vec<(Var, Range)>) =
        (argument(indices, "indices")?, ranges_by_var(iters, "input_iters")?);
    let condition = argument(predicate, "predicate")?;
    let simple = arith::iter_map_simplify(&mut Analyzer::new(), &values, &ranges, &condition, level(check_level));
    Field::scalars(&simple).view(indices.py())
}

/// A sum of pieces of iterators as an expression.
#[pyfunction]
pub(crate) fn normalize_iter_map_to_expr<'py>(expr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let sum = match node_of(expr) {
        Some(Node::Arith(Arith::Sum(sum))) => sum.clone(),
        _ => {
            let split: IterSplitExpr = argument(expr, "expr")?;
            IterSumExpr { base: Expr::int(0, split.extent.dtype), args: vec![split] }
        }
    };
    Field::scalar(&arith::normalize_iter_map_to_expr(&Analyzer::new(), &sum)).view(expr.py())
}

/// Indices by what outer and what inner loops contribute: pairs of marks, the last pair the predicates; or None.
#[pyfunction]
pub(crate) fn subspace_divide<'py>(
    bindings: &Bound<'py, PyAny>,
    iters: &Bound<'py, PyAny>,
    sub_iters: &Bound<'py, PyAny>,
    predicate: &Bound<'py, PyAny>,
    check_level: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let (values, ranges): (Vec<Expr>, Vec<(Var, Range)>) =
        (argument(bindings, "bindings")?, ranges_by_var(iters, "input_iters")?);
    let (inner, condition): (Vec<Var>, Expr) = (argument(sub_iters, "sub_iters")?, argument(predicate, "predicate")?);
    let divided =
        arith::subspace_divide(&mut Analyzer::new(), &values, &ranges, &inner, &condition, level(check_level));
    let mark = |mark: IterMark| node(Arith::Mark(Arc::new(mark)));
    let pair = |(divided, outer, inner): (Vec<arith::DividedIter>, Expr, Expr)| {
        let marks = divided.into_iter().map(|one| Field::List(vec![mark(one.outer), mark(one.inner)]));
        let predicates = [outer, inner].map(|extent| {
            let source = IterSource::Sum(Box::new(IterSumExpr { args: Vec::new(), base: Expr::i32(0) }));
            mark(IterMark { source, extent })
        });
        marks.chain([Field::List(predicates.into())]).collect()
    };
    optional_field(divided.map(pair), bindings.py())
}

/// The iterators of a bijective map as expressions of its indices, or None.
#[pyfunction]
pub(crate) fn inverse_affine_iter_map<'py>(
    iter_map: &Bound<'py, PyAny>,
    outputs: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (map, values): (Vec<IterSumExpr>, Vec<Expr>) = (argument(iter_map, "iter_map")?, argument(outputs, "outputs")?);
    let found = arith::inverse_affine_iter_map(&Analyzer::new(), &map, &values);
    let dict = |pairs: Vec<(Var, Expr)>| {
        Field::Dict(pairs.iter().map(|(var, e)| (Field::var(var), Field::scalar(e))).collect())
    };
    Field::optional(found, dict).view(iter_map.py())
}
