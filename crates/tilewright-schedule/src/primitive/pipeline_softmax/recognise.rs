//! A softmax in a function: which axis is what, and the formulas around the exponentials.
//!
//! ```text
//! most[rows]      = max over k of number(rows, k)
//! total[rows]     = sum over k of exp(number(rows, k) - most[rows])
//! result[rows, k] = value(rows, k, exp(number(rows, k) - most[rows]) / total[rows])
//! ```

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_tensor::DataType;

use crate::guard::{mentions, substituted};
use crate::primitive::Fault;
use crate::primitive::tile_attention::{Reduced, Stage, check_temporary, stages};
use crate::primitive::tile_product::Axis;

/// A softmax over the axes of its result.
#[derive(Clone, Debug)]
pub(crate) struct Softmax {
    /// All axes of the result but one, in their order.
    pub(crate) rows: Vec<Axis>,
    pub(super) column: Var,
    /// The extent of that axis.
    pub(crate) columns: i64,
    pub(super) number: Expr,
    /// What the maximum begins with.
    pub(super) lowest: Expr,
    pub(super) out: Buffer,
    pub(super) indices: Vec<Expr>,
    /// The result, with a name for its share of the sum.
    pub(super) value: Expr,
    pub(super) share: Var,
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

impl Softmax {
    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let stages = stages(function, 2)?;
        let [most, total, out] = stages.as_slice() else {
            return Err(fault("there is not a maximum, a sum and a result"));
        };
        check_temporary(function, [most, total])?;
        let (least, sum) = (reduction(most, BinOp::Max)?, reduction(total, BinOp::Add)?);
        let lowest = matches!(&least.from.kind, ExprKind::Float(from) if from.0 <= f64::from(f32::MIN));
        let begins = matches!(&sum.from.kind, ExprKind::Float(from) if from.0 == 0.0);
        if !lowest || !begins || out.reduced.is_some() || most.value.dtype != DataType::F32 {
            return Err(fault("the function is no softmax of float32"));
        }
        let quotient = quotient(&out.value, &total.buffer).ok_or_else(|| fault("nothing is divided by the sum"))?;
        let (column, rows) = axes(out, &quotient.indices)?;
        let columns = column.extent.as_int().filter(|&columns| columns > 0);
        let columns = columns.ok_or_else(|| fault("the number of columns is not known, or zero"))?;
        let as_many = |reduced: &Reduced| reduced.axis.extent.as_int() == Some(columns);
        let (number, places) = exponent(&quotient.dividend, &most.buffer)?;
        if !as_many(least)
            || !as_many(sum)
            || mentions(&places, std::slice::from_ref(&column.var))
            || !over(total, &quotient.indices, sum, &column.var)?.equal(&quotient.dividend)
            || !over(most, &places, least, &column.var)?.equal(&number)
        {
            return Err(fault("the maximum or the sum is of other numbers"));
        }
        let share = Var::new("share", quotient.dividend.dtype);
        let value = rewrite(&out.value, |e: &Expr| e.equal(&quotient.whole).then(|| Expr::var(&share)));
        let found = Self {
            rows,
            column: column.var,
            columns,
            number,
            lowest: least.from.clone(),
            out: out.buffer.clone(),
            indices: out.indices.clone(),
            value: value.ok_or_else(|| fault("nothing is divided by the sum"))?,
            share,
        };
        found.check(&[most, total])?;
        Ok(found)
    }

    /// What is read and written lies together along the columns, is read where it is written, and costs little.
    fn check(&self, reductions: &[&Stage]) -> Result<(), Fault> {
        let own = std::slice::from_ref(&self.column);
        let along = |indices: &[Expr]| match indices.split_last() {
            Some((last, others)) => last.as_var() == Some(&self.column) && !mentions(&others.to_vec(), own),
            None => false,
        };
        let is_index = |axis: &Axis| self.indices.iter().any(|index| index.as_var() == Some(&axis.var));
        let one_to_one = self.rows.iter().all(|axis| axis.extent.as_int() == Some(1) || is_index(axis));
        let (mut apart, mut elsewhere, mut calls, mut reduced) = (!along(&self.indices), false, false, false);
        walk(&self.number, |e: &Expr| calls |= matches!(e.kind, ExprKind::Call { .. } | ExprKind::Let { .. }));
        walk(&vec![self.number.clone(), self.value.clone()], |e: &Expr| {
            if let ExprKind::Load { buffer, indices, predicate } = &e.kind {
                apart |= mentions(indices, own) && !along(indices) || predicate.is_some();
                let same = *buffer == self.out && one_to_one && same_indices(indices, &self.indices);
                elsewhere |= buffer.data == self.out.data && !same;
                reduced |= reductions.iter().any(|stage| stage.buffer == *buffer);
            }
        });
        if apart {
            return Err(fault("columns do not lie together in memory"));
        }
        if elsewhere || reduced {
            return Err(fault("the result depends on more than its share"));
        }
        if calls { Err(fault("the numbers are not read from memory")) } else { Ok(()) }
    }
}

fn reduction(stage: &Stage, op: BinOp) -> Result<&Reduced, Fault> {
    let reduced = stage.reduced.as_ref().filter(|reduced| reduced.op == op);
    reduced.ok_or_else(|| fault("there is not a maximum, a sum and a result"))
}

/// What is divided by an element of the sums.
struct Quotient {
    whole: Expr,
    dividend: Expr,
    indices: Vec<Expr>,
}

fn quotient(value: &Expr, total: &Buffer) -> Option<Quotient> {
    let mut found = None;
    walk(value, |e: &Expr| {
        if let ExprKind::Binary(BinOp::Div, dividend, divisor) = &e.kind
            && let ExprKind::Load { buffer, indices, predicate: None } = &divisor.kind
            && buffer == total
        {
            found = Some(Quotient { whole: e.clone(), dividend: dividend.clone(), indices: indices.clone() });
        }
    });
    found
}

/// The axis along which the sum was taken, and the others: each of more than one place is an index of the sum's.
fn axes(out: &Stage, indices: &[Expr]) -> Result<(Axis, Vec<Axis>), Fault> {
    let is_index = |axis: &&Axis| indices.iter().any(|index| index.as_var() == Some(&axis.var));
    let is_unit = |axis: &&Axis| axis.extent.as_int() == Some(1);
    let mut columns = out.spatial.iter().filter(|axis| !is_index(axis) && !is_unit(axis));
    let (Some(column), None) = (columns.next(), columns.next()) else {
        return Err(fault("the result has not one axis more than the sum"));
    };
    let rows: Vec<Axis> = out.spatial.iter().filter(|axis| axis.var != column.var).cloned().collect();
    if mentions(&indices.to_vec(), std::slice::from_ref(&column.var)) {
        return Err(fault("the sum is read at more than its place"));
    }
    Ok((column.clone(), rows))
}

/// The number and the place of the maximum in `exp(number - most[place])`.
fn exponent(value: &Expr, most: &Buffer) -> Result<(Expr, Vec<Expr>), Fault> {
    if let ExprKind::Call { intrinsic: Intrinsic::Exp, args } = &value.kind
        && let Some(ExprKind::Binary(BinOp::Sub, number, from)) = args.first().map(|argument| &argument.kind)
        && let ExprKind::Load { buffer, indices, predicate: None } = &from.kind
        && buffer == most
    {
        return Ok((number.clone(), indices.clone()));
    }
    Err(fault("the dividend is no exponential of a number's distance from the maximum"))
}

/// What a stage reduces for its element at these places.
fn over(stage: &Stage, places: &[Expr], reduced: &Reduced, column: &Var) -> Result<Expr, Fault> {
    let mut values = vec![(reduced.axis.var.clone(), Expr::var(column))];
    for (index, place) in stage.indices.iter().zip(places) {
        match index.as_var() {
            Some(var) => values.push((var.clone(), place.clone())),
            None if index.as_int() == Some(0) => {}
            None => return Err(fault("a reduction is not of the elements of its axes")),
        }
    }
    let units = stage.spatial.iter().filter(|axis| values.iter().all(|(var, _)| *var != axis.var));
    let units: Vec<(Var, Expr)> = units.map(|axis| (axis.var.clone(), Expr::int(0, axis.var.dtype))).collect();
    Ok(substituted(&stage.value, &[values, units].concat()))
}
