//! A softmax in a function: which axis is what, and the formulas around the exponentials.
//!
//! ```text
//! most[rows]      = max over k of number(rows, k)
//! total[rows]     = sum over k of power(rows, k), which is exp(number(rows, k) - most[rows])
//! result[rows, k] = value(rows, k, power(rows, k), most[rows], total[rows])
//! ```

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Range, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::facts::axes::{Axis, Group};
use crate::facts::exprs::{binary, loaded_buffers, mentions, typed};
use crate::facts::fault::Fault;
use crate::facts::formulas::{self, Reduced, Stage, check_temporary};
use crate::facts::stride::{Steps, run, steps, steps_of};
use crate::reduced_rows::{axes, check_rows, indexed, is_of, lies_along, read_at};

/// A softmax over the axes of its result.
#[derive(Clone, Debug)]
pub(crate) struct Softmax {
    /// The axes of the result but one, without the last of them that lie side by side; their extents as 64 bits.
    pub(crate) rows: Group,
    /// Rows that lie side by side in memory; none where the numbers of a row do.
    pub(crate) beside: Option<Group>,
    /// That one.
    pub(crate) column: Axis,
    /// In float32.
    pub(in crate::primitive) number: Expr,
    /// What the maximum begins with.
    pub(in crate::primitive) lowest: Expr,
    pub(in crate::primitive) out: Buffer,
    pub(in crate::primitive) indices: Vec<Expr>,
    /// The result, with names for the power and for numbers of its row.
    pub(in crate::primitive) value: Expr,
    pub(in crate::primitive) power: Var,
    pub(in crate::primitive) most: Var,
    pub(in crate::primitive) total: Var,
    /// What is worked out once for a row, from the largest number and the sum, by its name in `value`.
    pub(in crate::primitive) of_row: Vec<(Var, Expr)>,
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

/// The two reductions and the result, and where the result reads them.
struct Found<'a> {
    most: &'a Stage,
    total: &'a Stage,
    out: &'a Stage,
    column: Axis,
    number: Expr,
    /// `exp(number - most)`.
    power: Expr,
    at_most: Vec<Expr>,
    at_total: Vec<Expr>,
}

impl Softmax {
    /// Whether the result is made with the power: otherwise with the number itself.
    pub(in crate::primitive) fn keeps_powers(&self) -> bool {
        mentions(&self.value, std::slice::from_ref(&self.power))
    }

    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let stages = formulas::of(function, 2)?;
        let [most, total, out] = stages.as_slice() else {
            return Err(fault("there is not a maximum, a sum and a result"));
        };
        check_temporary(function, [most, total])?;
        let mut known = analyzer_of(function);
        let (least, sum) = (reduction(most, BinOp::Max)?, reduction(total, BinOp::Add)?);
        let lowest = matches!(&least.from.kind, ExprKind::Float(from) if from.0 <= f64::from(f32::MIN));
        let begins = matches!(&sum.from.kind, ExprKind::Float(from) if from.0 == 0.0);
        let narrow = most.value.dtype.bits <= DataType::F32.bits && total.value.dtype == DataType::F32;
        if !lowest || !begins || out.reduced.is_some() || !narrow {
            return Err(fault("the function is no softmax that is worked out in float32"));
        }
        let at_total = read_at(&out.value, &total.buffer).ok_or_else(|| fault("the result does not read the sum"))?;
        let (column, rows) = axes(out, &at_total)?;
        for reduced in [least, sum] {
            if !known.prove_equal(&indexed(&reduced.axis)?.extent, &column.extent) {
                return Err(fault("the maximum or the sum is of other numbers"));
            }
        }
        let power = total.at(&at_total, Some(&Expr::var(&column.var)));
        let power = power.ok_or_else(|| fault("a reduction is not of the elements of its axes"))?;
        let (number, at_most) = exponent(&power, &most.buffer)?;
        for (stage, at) in [(most, &at_most), (total, &at_total)] {
            check_rows(&known, stage, at, &out.spatial)?;
        }
        let found = Found { most, total, out, column, number, power, at_most, at_total };
        found.check()?;
        for axis in rows.iter().chain([&found.column]) {
            known.bind(&axis.var, &Range::up_to(typed(axis.extent.cast(axis.var.dtype))?));
        }
        let rows = found.layout(&known, rows)?;
        found.named(&known, rows, widened(&least.from)?)
    }
}

impl Found<'_> {
    fn column(&self) -> &[Var] {
        std::slice::from_ref(&self.column.var)
    }

    /// What is read is read where it is written, and costs little; the maximum is that of the numbers.
    fn check(&self) -> Result<(), Fault> {
        let most = self.most.at(&self.at_most, Some(&Expr::var(&self.column.var)));
        let largest = most.map(|most| widened(&most)).transpose()?;
        if mentions(&self.at_most, self.column()) || !largest.is_some_and(|largest| largest.equal(&self.number)) {
            return Err(fault("the maximum or the sum is of other numbers"));
        }
        let (mut apart, mut elsewhere, mut costly) = (false, false, false);
        walk(&self.number, |e: &Expr| {
            costly |= match &e.kind {
                ExprKind::Call { intrinsic, .. } => *intrinsic != Intrinsic::IfThenElse,
                ExprKind::Let { .. } => true,
                _ => false,
            };
        });
        walk(&vec![self.number.clone(), self.out.value.clone()], |e: &Expr| {
            if let ExprKind::Load { buffer, indices, predicate } = &e.kind {
                apart |= predicate.is_some();
                let same = *buffer == self.out.buffer && same_indices(indices, &self.out.indices);
                elsewhere |= buffer.data == self.out.buffer.data && !same;
                elsewhere |= *buffer == self.most.buffer && !same_indices(indices, &self.at_most);
                elsewhere |= *buffer == self.total.buffer && !same_indices(indices, &self.at_total);
            }
        });
        walk(&self.number, |buffer: &Buffer| {
            elsewhere |= [self.most, self.total].iter().any(|stage| stage.buffer == *buffer);
        });
        if apart {
            return Err(fault("columns do not lie together in memory"));
        }
        if elsewhere {
            return Err(fault("the result depends on more than its row"));
        }
        if costly {
            return Err(fault("the numbers are not read from memory"));
        }
        if self.shows_maximum() {
            return Err(fault("the result reads the maximum or a power apart from the sum"));
        }
        Ok(())
    }

    /// Whether the maximum, be it in a power, is read where the sum does not make all of it NaN that is NaN itself. In a row
    /// with NaN the function's maximum and with it each power is NaN, while the pipelined ones are of the other numbers;
    /// both sums are NaN.
    fn shows_maximum(&self) -> bool {
        let mut like_sum: Vec<Var> = Vec::new();
        let rest = rewrite(&self.out.value, |e: &Expr| {
            let is_like = |e: &Expr| e.as_var().is_some_and(|var| like_sum.contains(var));
            let is_nan_with_it = match &e.kind {
                ExprKind::Load { buffer, .. } => *buffer == self.total.buffer,
                ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, a, b) => is_like(a) || is_like(b),
                ExprKind::Cast(inner) => e.dtype.is_float() && e.dtype.bits >= 16 && is_like(inner),
                ExprKind::Call { intrinsic: Intrinsic::Log | Intrinsic::Exp | Intrinsic::Sqrt, args } => {
                    args.iter().any(is_like)
                }
                _ => false,
            };
            is_nan_with_it.then(|| {
                let var = Var::new("like_sum", e.dtype);
                like_sum.push(var.clone());
                Expr::var(&var)
            })
        });
        loaded_buffers(rest.as_ref().unwrap_or(&self.out.value)).contains(&self.most.buffer)
    }

    /// The axes of rows, and those of them that lie side by side: none where all that is read and written lies together along
    /// the columns.
    fn layout(&self, known: &Analyzer, mut rows: Vec<Axis>) -> Result<(Vec<Axis>, Vec<Axis>), Fault> {
        let along = |indices: &[Expr]| lies_along(indices, &self.column);
        let values = vec![self.number.clone(), self.out.value.clone()];
        let mut together = along(&self.out.indices);
        walk(&values, |e: &Expr| {
            if let ExprKind::Load { indices, .. } = &e.kind {
                together &= !mentions(indices, self.column()) || along(indices);
            }
        });
        if together {
            return Ok((rows, Vec::new()));
        }
        let apart = || fault("columns do not lie together in memory");
        let wide: Vec<Axis> = rows.iter().filter(|axis| axis.extent.as_int() != Some(1)).cloned().collect();
        let steps_along = |axes: &[Axis]| {
            let mut all = vec![steps(known, axes, &self.out.buffer, &self.out.indices)?];
            for value in &values {
                all.extend(steps_of(known, value, axes)?);
            }
            Some(all)
        };
        let last = wide.last().map(std::slice::from_ref).and_then(steps_along).ok_or_else(apart)?;
        let is_near = |steps: &Steps| matches!(steps.as_slice(), [0 | 1]);
        if last.first().is_none_or(|written| written != &[1]) || !last.iter().all(is_near) {
            return Err(apart());
        }
        // Where steps between them are not constants, axes are not taken together.
        let count = steps_along(&wide).map_or(1, |all| run(&all, &wide));
        let beside = wide.get(wide.len() - count..).unwrap_or_default().to_vec();
        rows.retain(|axis| beside.iter().all(|other| other.var != axis.var));
        Ok((rows, beside))
    }

    /// The softmax, with names in its result for what is known by then.
    fn named(&self, known: &Analyzer, (rows, beside): (Vec<Axis>, Vec<Axis>), lowest: Expr) -> Result<Softmax, Fault> {
        let name = |name: &str| Var::new(name, DataType::F32);
        let (power, most, total, scale) = (name("power"), name("most"), name("total"), name("scale"));
        let narrow = typed(Expr::var(&most).cast(self.most.buffer.dtype))?;
        let with_row = |value: &Expr| {
            let placed = rewrite(value, |e: &Expr| match &e.kind {
                ExprKind::Load { buffer, .. } if *buffer == self.most.buffer => Some(narrow.clone()),
                ExprKind::Load { buffer, .. } if *buffer == self.total.buffer => Some(Expr::var(&total)),
                _ => None,
            });
            placed.unwrap_or_else(|| value.clone())
        };
        let own_power = with_row(&self.power);
        let share = binary(BinOp::Mul, &Expr::var(&power), &Expr::var(&scale))?;
        let mut of_row = vec![
            (most.clone(), Expr::var(&most)),
            (total.clone(), Expr::var(&total)),
            (scale, binary(BinOp::Div, &Expr::float(1.0, DataType::F32), &Expr::var(&total))?),
        ];
        let value = with_row(&self.out.value);
        let value = rewrite(&value, |e: &Expr| match &e.kind {
            _ if e.equal(&own_power) => Some(Expr::var(&power)),
            ExprKind::Binary(BinOp::Div, a, b) if a.as_var() == Some(&power) && b.as_var() == Some(&total) => {
                Some(share.clone())
            }
            ExprKind::Call { .. } if is_of(e, &[&most, &total]) => {
                let var = Var::new("once", e.dtype);
                of_row.push((var.clone(), e.clone()));
                Some(Expr::var(&var))
            }
            _ => None,
        })
        .unwrap_or(value);
        of_row.retain(|(var, _)| mentions(&value, std::slice::from_ref(var)));
        if of_row.iter().any(|(var, _)| var.dtype != DataType::F32) {
            return Err(fault("a number of a row is not worked out in float32"));
        }
        Ok(Softmax {
            rows: Group::new(known, rows, DataType::I64)?,
            beside: if beside.is_empty() { None } else { Some(Group::new(known, beside, DataType::I64)?) },
            column: self.column.clone(),
            number: self.number.clone(),
            lowest,
            out: self.out.buffer.clone(),
            indices: self.out.indices.clone(),
            value,
            power,
            most,
            total,
            of_row,
        })
    }
}

fn widened(value: &Expr) -> Result<Expr, Fault> {
    typed(value.cast(DataType::F32))
}

fn reduction(stage: &Stage, op: BinOp) -> Result<&Reduced, Fault> {
    let reduced = stage.reduced.as_ref().filter(|reduced| reduced.op == op);
    reduced.ok_or_else(|| fault("there is not a maximum, a sum and a result"))
}

/// The number and the place of the maximum in `exp(number - most[place])`.
fn exponent(value: &Expr, most: &Buffer) -> Result<(Expr, Vec<Expr>), Fault> {
    if let ExprKind::Call { intrinsic: Intrinsic::Exp, args } = &value.kind
        && let Some(ExprKind::Binary(BinOp::Sub, number, from)) = args.first().map(|argument| &argument.kind)
        && let from = if let ExprKind::Cast(narrow) = &from.kind { narrow } else { from }
        && let ExprKind::Load { buffer, indices, predicate: None } = &from.kind
        && buffer == most
    {
        return Ok((number.clone(), indices.clone()));
    }
    Err(fault("the sum is not of exponentials of numbers' distances from their maximum"))
}
