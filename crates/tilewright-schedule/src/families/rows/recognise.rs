//! A row reduction in a function: a few sums, or a softmax, and one result of all elements; or argreduce.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use super::axes::{Axes, read_at};
use super::layout::Accesses;
use super::{Combine, Fold, Formula, Map, Reduction, RowProgram, argreduce, fault, is_costly};
use crate::analysis::formulas::{self, Stage, check_temporary};
use crate::build::exprs::{binary, mentions, substituted, typed};
use crate::fault::Fault;

/// Reductions of a program at most: each is a row that has to stay in a cache.
const MAX_REDUCTIONS: usize = 3;

impl RowProgram {
    /// The function as a row reduction, which is all that it computes.
    pub(crate) fn of(function: &PrimFunc) -> Result<Self, Fault> {
        let stages = formulas::of_any_axes(function, 1)?;
        let Some((out, reductions)) = stages.split_last() else { return Err(fault("there is no result")) };
        check_temporary(function, reductions)?;
        let mut known = analyzer_of(function);
        match (&out.reduced, reductions) {
            (Some(_), [best]) => argreduce::recognise(&mut known, best, out),
            (None, [_, ..]) if reductions.len() <= MAX_REDUCTIONS => {
                Found::of(&mut known, out, reductions)?.program(&known)
            }
            _ => Err(fault("there are not a few reductions and one result")),
        }
    }
}

/// The reductions and the result, in the axes of rows and the reduced ones.
struct Found<'a> {
    out: &'a Stage,
    reductions: &'a [Stage],
    folds: Vec<Fold>,
    axes: Axes,
    /// Where each total is read, and what it is of.
    indices_of: Vec<Vec<Expr>>,
    terms: Vec<Expr>,
    indices: Vec<Expr>,
    value: Expr,
}

impl<'a> Found<'a> {
    fn of(known: &mut Analyzer, out: &'a Stage, reductions: &'a [Stage]) -> Result<Self, Fault> {
        let folds = reductions.iter().map(fold).collect::<Result<Vec<_>, _>>()?;
        let unread = || fault("a reduction is not read");
        let last = reductions.last().ok_or_else(unread)?;
        let axes = Axes::of(known, out, &read_at(&out.value, &last.buffer).ok_or_else(unread)?)?;
        let (value, indices) = (axes.placed(known, &out.value), axes.all_placed(known, &out.indices));
        let (mut indices_of, mut terms): (Vec<Vec<Expr>>, Vec<Expr>) = Default::default();
        // From the last to the first: a total is read by the result, or by reductions that come after it.
        for stage in reductions.iter().rev() {
            let own = [&value].into_iter().chain(&terms).find_map(|reader| read_at(reader, &stage.buffer));
            let own = own.ok_or_else(unread)?;
            terms.push(axes.term(known, stage, &own)?);
            indices_of.push(own);
        }
        indices_of.reverse();
        terms.reverse();
        let found = Self { out, reductions, folds, axes, indices_of, terms, indices, value };
        found.check()?;
        Ok(found)
    }

    /// What is read of the result's memory is read where it is written, and totals are those of the row; a reduction
    /// depends on those before it.
    fn check(&self) -> Result<(), Fault> {
        let (mut conditional, mut elsewhere, mut costly) = (false, false, false);
        for value in self.terms.iter().chain([&self.value]) {
            walk(value, |e: &Expr| {
                let ExprKind::Load { buffer, indices, predicate } = &e.kind else { return };
                conditional |= predicate.is_some();
                let same = *buffer == self.out.buffer && same_indices(indices, &self.indices);
                elsewhere |= buffer.data == self.out.buffer.data && !same;
                let mut totals = self.reductions.iter().zip(&self.indices_of);
                elsewhere |= totals.any(|(stage, own)| {
                    stage.buffer.data == buffer.data && (stage.buffer != *buffer || !same_indices(indices, own))
                });
            });
        }
        for (number, term) in self.terms.iter().enumerate() {
            costly |= self.is_sum(number) && is_costly(term);
            walk(term, |e: &Expr| {
                let later = |buffer: &Buffer| self.reductions.iter().skip(number).any(|stage| stage.buffer == *buffer);
                elsewhere |= matches!(&e.kind, ExprKind::Load { buffer, .. } if later(buffer));
            });
        }
        match () {
            () if conditional => Err(fault("columns do not lie together in memory")),
            () if elsewhere => Err(fault("the result depends on more than its row")),
            () if costly => Err(fault("the terms of a sum cost much")),
            () => Ok(()),
        }
    }

    /// Whether the reduction is a sum, and not that of a softmax.
    fn is_sum(&self, number: usize) -> bool {
        self.folds.get(number).is_some_and(|fold| fold.op == Combine::Add) && !self.is_softmax()
    }

    fn is_softmax(&self) -> bool {
        self.folds.iter().any(|fold| fold.op == Combine::Greater)
    }

    /// The program, with names in its formulas for totals and what follows from them.
    fn program(&self, known: &Analyzer) -> Result<RowProgram, Fault> {
        let totals: Vec<Var> =
            self.reductions.iter().map(|stage| Var::new(&*stage.buffer.name, DataType::F32)).collect();
        let term = |term: &Expr| typed(self.with_totals(term, &totals)?.cast(DataType::F32));
        let terms = self.terms.iter().map(term).collect::<Result<Vec<_>, _>>()?;
        let value = self.with_totals(&self.value, &totals)?;
        let exp = if self.is_softmax() { Some(self.check_softmax(&terms, &totals, &value)?) } else { None };
        let accesses = Accesses { terms: &terms, value: Some(&value), out: &self.out.buffer, indices: &self.indices };
        let (rows, side_by_side, reduced) = accesses.layout(known, &self.axes)?;
        let (mut value, mut kept) = (value, None);
        if let Some(exp) = exp {
            let name = Var::new("exp", DataType::F32);
            if let Some(named) = rewrite(&value, |e: &Expr| e.equal(exp).then(|| Expr::var(&name))) {
                (value, kept) = (named, Some(name));
            }
        }
        let value = once_for_row(&with_reciprocals(&value, &totals, kept.as_ref())?, &totals);
        let mut reductions: Vec<Reduction> = Vec::with_capacity(terms.len());
        for ((term, fold), total) in terms.iter().zip(&self.folds).zip(&totals) {
            let term = once_for_row(term, &totals);
            let depth = depth_of(&term, &reductions);
            reductions.push(Reduction { fold: fold.clone(), term, total: total.clone(), depth, kept: None });
        }
        let depth = depth_of(&value, &reductions);
        if let Some(last) = reductions.last_mut() {
            last.kept = kept;
        }
        if reductions.iter().any(|reduction| reduction.depth >= depth) {
            return Err(fault("a reduction is not read"));
        }
        let (out, indices) = (self.out.buffer.clone(), self.indices.clone());
        Ok(RowProgram { rows, side_by_side, reduced, reductions, out, indices, map: Map::Elements(value) })
    }

    /// The expression with the names of totals, all of which are float32: of narrower maxima no digit is lost.
    fn with_totals(&self, value: &Expr, totals: &[Var]) -> Result<Expr, Fault> {
        let mut failed = None;
        let named = rewrite(value, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, .. } => {
                let number = self.reductions.iter().position(|stage| stage.buffer == *buffer)?;
                let total = totals.get(number).map(Expr::var)?;
                typed(total.cast(e.dtype)).map_err(|fault| failed = Some(fault)).ok()
            }
            ExprKind::Cast(narrow) if e.dtype == DataType::F32 => match &narrow.kind {
                ExprKind::Cast(total) if total.as_var().is_some_and(|var| totals.contains(var)) => Some(total.clone()),
                _ => None,
            },
            _ => None,
        });
        match failed {
            Some(fault) => Err(fault),
            None => Ok(named.unwrap_or_else(|| value.clone())),
        }
    }

    /// The exponential of a softmax: its reductions are the maximum of numbers that cost little and the sum of
    /// exponentials of their distances from it, and the result shows the maximum only where the sum hides what NaN made
    /// of it.
    fn check_softmax<'t>(&self, terms: &'t [Expr], totals: &[Var], value: &Expr) -> Result<&'t Expr, Fault> {
        let ([number, exp], [max, total]) = (terms, totals) else {
            return Err(fault("a maximum is reduced, and not for the sum of a softmax"));
        };
        if self.folds.iter().map(|fold| fold.op).ne([Combine::Greater, Combine::Add]) {
            return Err(fault("a maximum is reduced, and not for the sum of a softmax"));
        }
        let distance = match &exp.kind {
            ExprKind::Call { intrinsic: Intrinsic::Exp, args } => args.first(),
            _ => None,
        };
        let Some(ExprKind::Binary(BinOp::Sub, own, from)) = distance.map(|distance| &distance.kind) else {
            return Err(fault("the sum is not of exponentials of numbers' distances from their maximum"));
        };
        if from.as_var() != Some(max) {
            return Err(fault("the sum is not of exponentials of numbers' distances from their maximum"));
        }
        if !number.equal(own) {
            return Err(fault("the maximum or the sum is of other numbers"));
        }
        if is_costly(own) {
            return Err(fault("the numbers are not read from memory"));
        }
        if shows_maximum(value, max, total) {
            return Err(fault("the result reads the maximum or a power apart from the sum"));
        }
        Ok(exp)
    }
}

/// The operation of a reduction, from its identity on; of what is at most float32.
fn fold(stage: &Stage) -> Result<Fold, Fault> {
    let reduced = stage.reduced.as_ref().ok_or_else(|| fault("there is no reduction"))?;
    let (from, dtype) = (&reduced.from, stage.buffer.dtype);
    let begins = |is: &dyn Fn(f64) -> bool| matches!(&from.kind, ExprKind::Float(from) if is(from.0));
    let is_float32 = dtype == DataType::F32 && stage.value.dtype == DataType::F32;
    match reduced.op {
        BinOp::Add if is_float32 && begins(&|from| from == 0.0) => {
            Ok(Fold { op: Combine::Add, identity: from.clone() })
        }
        BinOp::Max if dtype.is_float() && dtype.bits <= 32 && begins(&|from| from <= f64::from(f32::MIN)) => {
            Ok(Fold { op: Combine::Greater, identity: typed(from.cast(DataType::F32))? })
        }
        _ => Err(fault("a reduction is no sum or maximum that is worked out in float32")),
    }
}

/// Whether the maximum, be it in an exponential, is read where the sum does not make all of it NaN that is NaN itself.
/// In a row with NaN the function's maximum and with it each exponential is NaN, while those of a walk are of the other
/// numbers; both sums are NaN.
fn shows_maximum(value: &Expr, max: &Var, total: &Var) -> bool {
    let mut like_sum: Vec<Var> = vec![total.clone()];
    let rest = rewrite(value, |e: &Expr| {
        let is_like = |e: &Expr| e.as_var().is_some_and(|var| like_sum.contains(var));
        let is_nan_with_it = match &e.kind {
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
    mentions(rest.as_ref().unwrap_or(value), std::slice::from_ref(max))
}

/// The value with products instead of divisions that are the same for a row: of an exponential by the sum of these,
/// which is at least 1, or 0 or NaN where there is no finite number; and by a root, of which the reciprocals of the
/// smallest and the largest are normal numbers, while 0, infinities and NaN give the same both ways.
fn with_reciprocals(value: &Expr, totals: &[Var], kept: Option<&Var>) -> Result<Expr, Fault> {
    let mut failed = None;
    let all: Vec<&Var> = totals.iter().collect();
    let product = |a: &Expr, b: &Expr| {
        let reciprocal = binary(BinOp::Div, &Expr::float(1.0, DataType::F32), b)?;
        binary(BinOp::Mul, a, &reciprocal)
    };
    let value = rewrite(value, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::Div, a, b) if b.dtype == DataType::F32 && is_of(b, &all) && !is_of(a, &all) => {
            let is_root = matches!(&b.kind, ExprKind::Call { intrinsic: Intrinsic::Sqrt, .. });
            let is_share = kept.is_some() && a.as_var() == kept && b.as_var() == totals.last();
            (is_root || is_share).then(|| product(a, b).map_err(|fault| failed = Some(fault)).ok()).flatten()
        }
        _ => None,
    })
    .unwrap_or_else(|| value.clone());
    match failed {
        Some(fault) => Err(fault),
        None => Ok(value),
    }
}

/// Whether the expression depends on some of these variables and on nothing else.
fn is_of(expr: &Expr, vars: &[&Var]) -> bool {
    let (mut some, mut other) = (false, false);
    walk(expr, |e: &Expr| match &e.kind {
        ExprKind::Var(var) if vars.contains(&var) => some = true,
        ExprKind::Var(_) | ExprKind::Load { .. } | ExprKind::Foreign { .. } | ExprKind::Let { .. } => other = true,
        _ => {}
    });
    some && !other
}

/// The value with names for what depends on totals of its row alone, and these numbers, which are worked out once for a
/// row.
fn once_for_row(value: &Expr, totals: &[Var]) -> Formula {
    let mut of_row: Vec<(Var, Expr)> = totals.iter().map(|total| (total.clone(), Expr::var(total))).collect();
    let named = rewrite(value, |e: &Expr| {
        let of = of_row.iter().map(|(var, _)| var).collect::<Vec<_>>();
        if matches!(e.kind, ExprKind::Var(_)) || e.dtype != DataType::F32 || !is_of(e, &of) {
            return None;
        }
        let whole = substituted(e, &of_row);
        if let Some((var, _)) = of_row.iter().find(|(_, known)| known.equal(&whole)) {
            return Some(Expr::var(var));
        }
        let var = Var::new("once", DataType::F32);
        of_row.push((var.clone(), whole));
        Some(Expr::var(&var))
    });
    let value = named.unwrap_or_else(|| value.clone());
    of_row.retain(|(var, _)| mentions(&value, std::slice::from_ref(var)));
    Formula { value, of_row }
}

/// How many reductions the formula follows from, one from the other.
fn depth_of(formula: &Formula, reductions: &[Reduction]) -> usize {
    let reads = |reduction: &&Reduction| {
        formula.of_row.iter().any(|(_, number)| mentions(number, std::slice::from_ref(&reduction.total)))
    };
    reductions.iter().filter(reads).map(|reduction| reduction.depth + 1).max().unwrap_or(0)
}
