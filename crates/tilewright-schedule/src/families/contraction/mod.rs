//! Contractions: blocks that sum products, `out[f(s)] += a(s, k) * b(s, k)`.
//!
//! The two factors are expressions. A spatial axis that stands in one of them only is a *row* or a *column*; one that
//! stands in both is of the *batch*. The columns are those among which the result's elements are neighbours in memory:
//! they become lanes of vectors. Axes of one sort are taken together as one long axis, a [`Group`].

pub(crate) mod dot_groups;
pub(crate) mod fold_batch;
pub(crate) mod outputs;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use crate::facts::axes::{self, Axis, Group};
use crate::facts::epilogue::check_whole;
use crate::facts::exprs::{mentions, substituted};
use crate::facts::fault::Fault;
use crate::facts::rewrite::Formula;
use crate::facts::stages::{own_nest, statements, touches};
use crate::facts::tree::{Site, blocks_below};

/// Columns that are worth a matrix of their own: half a vector of the widest ones.
const LEAST_RUN: i64 = 8;

/// What a block sums up.
#[derive(Clone, Debug)]
pub(crate) struct Contraction {
    pub(crate) out: Buffer,
    pub(crate) indices: Vec<Expr>,
    pub(crate) batch: Group,
    pub(crate) m: Group,
    pub(crate) n: Group,
    pub(crate) k: Group,
    /// Operand A, which depends on M.
    pub(crate) a: Expr,
    /// Operand B, which depends on N.
    pub(crate) b: Expr,
    /// The type of all axes.
    pub(crate) index: DataType,
    /// The stage in front that clears the sums; where there is none the block does so itself, if it runs at all.
    pub(crate) cleared: Option<Site>,
}

/// The buffer, the indices, and the two factors of the block's only statement.
struct Sum {
    cleared: Option<Site>,
    out: Buffer,
    indices: Vec<Expr>,
    factors: [Expr; 2],
}

impl Contraction {
    /// What the block at a place sums up.
    pub(crate) fn of(function: &PrimFunc, site: &Site) -> Result<Self, Fault> {
        let (spatial, k, index) = axes::of_reduction(function, site)?;
        let (sum, spatial) = split_groups(sum_of(function, site)?, spatial);
        let known = crate::facts::guard::known_around(function, site);
        let [x, y] = &sum.factors;
        let in_both = |axis: &&Axis| {
            let var = std::slice::from_ref(&axis.var);
            mentions(x, var) == mentions(y, var)
        };
        let lanes = innermost(&sum, &spatial).ok_or_else(|| Fault::at(site, "the result is a single element"))?;
        if in_both(&lanes) {
            let name = &lanes.var.name;
            let message = format!("neighbours in memory are those along axis `{name}`, which both factors have");
            return Err(Fault::at(site, message));
        }
        let (b, a) =
            if mentions(y, std::slice::from_ref(&lanes.var)) { (y.clone(), x.clone()) } else { (x.clone(), y.clone()) };
        let sort = |factor: &Expr| -> Vec<Axis> {
            let own = |axis: &&Axis| mentions(factor, std::slice::from_ref(&axis.var)) && !in_both(axis);
            spatial.iter().filter(own).cloned().collect()
        };
        // A row of several is divided to find its place along each axis.
        let (outer_m, m) = run_of(sort(&a), |_, inner| inner.extent.as_int().is_some());
        let one_row = m.iter().all(|axis| axis.extent.as_int() == Some(1));
        let are_in_place = one_row && is_plain(&b) && !is_constant(function, &b);
        let (outer_n, n) = columns_of(&sum, sort(&b), are_in_place.then_some(&b));
        let shared = spatial.iter().filter(in_both).cloned();
        let batch: Vec<Axis> = shared.chain(outer_m).chain(outer_n).collect();
        let k = in_order_of(&a, k);
        if k.iter().skip(1).any(|axis| axis.extent.as_int().is_none()) {
            return Err(Fault::at(site, "the extents of inner reduced axes are not constant"));
        }
        let group = |axes| Group::new(&known, axes, index);
        let (batch, m, n, k) = (group(batch)?, group(m)?, group(n)?, group(k)?);
        Ok(Self { cleared: sum.cleared, out: sum.out, indices: sum.indices, batch, m, n, k, a, b, index })
    }
}

/// The axes of several matrices, and those of the columns of each. A factor that is read where it lies, for a single row, has
/// columns that are side by side in memory, where these are enough for a vector.
fn columns_of(sum: &Sum, axes: Vec<Axis>, in_place: Option<&Expr>) -> (Vec<Axis>, Vec<Axis>) {
    let follows = |outer: &Axis, inner: &Axis| stands_before(sum, outer, inner);
    if let Some(factor) = in_place {
        let (outer, run) = run_of(axes.clone(), |outer, inner| follows(outer, inner) && is_dense(factor, outer, inner));
        let count = run.iter().try_fold(1_i64, |count, axis| count.checked_mul(axis.extent.as_int()?));
        if count.is_none_or(|count| count >= LEAST_RUN) {
            return (outer, run);
        }
    }
    run_of(axes, follows)
}

/// The sum of the block's body, whose init clears it.
fn sum_of(function: &PrimFunc, site: &Site) -> Result<Sum, Fault> {
    let Some(block) = site.block() else { return Err(Fault::at(site, "expected a block")) };
    let wrong = || Fault::at(site, format!("block `{}` is not a sum of products from zero on", block.name));
    let (out, indices, value) = store_of(&block.body).ok_or_else(wrong)?;
    let cleared = match &block.init {
        Some(init) => {
            let (buffer, at, value) = store_of(init).ok_or_else(wrong)?;
            if buffer != out || !same_indices(at, indices) || !is_zero(value) {
                return Err(wrong());
            }
            None
        }
        None => Some(clearing_stage(function, site, out)?.ok_or_else(wrong)?),
    };
    if !block.match_buffers.is_empty() {
        return Err(wrong());
    }
    let before = |e: &Expr| matches!(&e.kind, ExprKind::Load { buffer, indices: at, predicate: None } if buffer == out && same_indices(at, indices));
    let added = match &value.kind {
        ExprKind::Binary(BinOp::Add, a, b) if before(a) => b,
        ExprKind::Binary(BinOp::Add, a, b) if before(b) => a,
        _ => return Err(wrong()),
    };
    let ExprKind::Binary(BinOp::Mul, x, y) = &added.kind else { return Err(wrong()) };
    let mut reads_sum = false;
    walk(added, |e: &Expr| reads_sum |= matches!(&e.kind, ExprKind::Load { buffer, .. } if buffer.data == out.data));
    if reads_sum {
        return Err(wrong());
    }
    Ok(Sum { cleared, out: out.clone(), indices: indices.to_vec(), factors: [x.clone(), y.clone()] })
}

fn is_zero(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Int(0)) || matches!(&value.kind, ExprKind::Float(bits) if bits.0 == 0.0)
}

/// The stage in front of a block that clears all of a buffer, where nothing between them uses it.
fn clearing_stage(function: &PrimFunc, site: &Site, out: &Buffer) -> Result<Option<Site>, Fault> {
    let Some(scope) = site.scope() else { return Ok(None) };
    let mut before: Vec<Site> = statements(&scope).into_iter().take(own_nest(site)?).collect();
    before.retain(|stmt| touches(&stmt.stmt, out));
    let Some(stage) = before.last().and_then(|stmt| blocks_below(stmt).into_iter().next()) else { return Ok(None) };
    let (Ok(formula), Some(block)) = (Formula::of(&stage), stage.block()) else { return Ok(None) };
    let known = crate::facts::guard::known_around(function, &stage);
    check_whole(&known, &stage, block)?;
    let whole = formula.indices.iter().zip(&out.shape).all(|(index, extent)| match index.as_var() {
        Some(var) => block.iters.iter().any(|iter| iter.var == *var && known.prove_equal(&iter.domain.extent, extent)),
        None => index.as_int() == Some(0) && extent.as_int() == Some(1),
    });
    Ok((whole && formula.buffer == *out && is_zero(&formula.value)).then_some(stage))
}

fn store_of(stmt: &Stmt) -> Option<(&Buffer, &[Expr], &Expr)> {
    match &stmt.kind {
        StmtKind::Store { buffer, indices, value, predicate: None } => Some((buffer, indices, value)),
        _ => None,
    }
}

/// Axes along which one factor is the same for whole groups, as `a[v // c]` is, become two: the group, and the place in it.
fn split_groups(mut sum: Sum, spatial: Vec<Axis>) -> (Sum, Vec<Axis>) {
    let mut axes = Vec::with_capacity(spatial.len());
    for axis in spatial {
        let split = sum.factors.iter().enumerate().find_map(|(at, factor)| {
            let by = divisor(factor, &axis.var)?;
            let extent = axis.extent.as_int()?;
            let group = axis.var.renewed();
            let grouped = with_groups(factor, &axis.var, by, &group);
            let plain = !mentions(&grouped, std::slice::from_ref(&axis.var));
            (plain && by > 1 && extent % by == 0).then_some((at, grouped, group, by, extent / by))
        });
        let Some((at, grouped, group, by, groups)) = split else {
            axes.push(axis);
            continue;
        };
        let own = axis.var.renewed();
        let value = [(axis.var.clone(), &(&Expr::var(&group) * by) + &Expr::var(&own))];
        sum.indices = sum.indices.iter().map(|index| substituted(index, &value)).collect();
        let number = |n: usize, factor: &Expr| if n == at { grouped.clone() } else { substituted(factor, &value) };
        let [x, y] = &sum.factors;
        sum.factors = [number(0, x), number(1, y)];
        axes.push(Axis { extent: Expr::int(groups, group.dtype), var: group });
        axes.push(Axis { extent: Expr::int(by, own.dtype), var: own });
    }
    (sum, axes)
}

/// By what the variable is divided somewhere in the expression.
pub(crate) fn divisor(factor: &Expr, var: &Var) -> Option<i64> {
    let mut found = None;
    walk(factor, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(var) => found = found.or(b.as_int()),
        _ => {}
    });
    found
}

/// The expression with the group in the place of the divided variable.
pub(crate) fn with_groups(factor: &Expr, var: &Var, by: i64, group: &Var) -> Expr {
    let replaced = rewrite(factor, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(var) && b.as_int() == Some(by) => {
            Some(Expr::var(group))
        }
        _ => None,
    });
    replaced.unwrap_or_else(|| factor.clone())
}

/// The axes in the order in which a factor has them in memory.
fn in_order_of(factor: &Expr, mut axes: Vec<Axis>) -> Vec<Axis> {
    let mut places: Vec<(Var, usize)> = Vec::new();
    walk(factor, |e: &Expr| {
        let ExprKind::Load { indices, .. } = &e.kind else { return };
        for axis in &axes {
            let own = std::slice::from_ref(&axis.var);
            if let Some(place) = indices.iter().position(|index| mentions(index, own))
                && places.iter().all(|(var, _)| *var != axis.var)
            {
                places.push((axis.var.clone(), place));
            }
        }
    });
    axes.sort_by_key(|axis| places.iter().find(|(var, _)| *var == axis.var).map_or(0, |(_, place)| *place));
    axes
}

/// The axis along which elements of the result are neighbours in memory.
fn innermost<'a>(sum: &Sum, spatial: &'a [Axis]) -> Option<&'a Axis> {
    sum.indices
        .iter()
        .rev()
        .find_map(|index| {
            let here = |axis: &&Axis| axis.extent.as_int() != Some(1) && ends_with(index, &axis.var);
            spatial.iter().find(here)
        })
        // A result of one element has any axis as its innermost.
        .or_else(|| spatial.last())
}

/// Whether the index is the variable, or something plus the variable.
fn ends_with(index: &Expr, var: &Var) -> bool {
    match &index.kind {
        ExprKind::Binary(BinOp::Add, _, own) => own.as_var() == Some(var),
        _ => index.as_var() == Some(var),
    }
}

/// Whether two axes are those of dimensions of the result that follow each other, but for such of extent 1.
fn stands_before(sum: &Sum, outer: &Axis, inner: &Axis) -> bool {
    let place = |axis: &Axis| sum.indices.iter().position(|index| index.as_var() == Some(&axis.var));
    let (Some(from), Some(to)) = (place(outer), place(inner)) else { return false };
    let unit = |dim: usize| sum.out.shape.get(dim).is_some_and(|extent| extent.as_int() == Some(1));
    from < to && (from + 1..to).all(unit)
}

/// Whether all that is loaded is at places that are axes themselves.
fn is_plain(factor: &Expr) -> bool {
    let mut plain = true;
    walk(factor, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            plain &= indices.iter().all(|index| index.as_var().is_some() || index.as_int().is_some());
        }
    });
    plain
}

/// The axes up to, and from, the first of the longest run at the end of which each follows the one before. Axes of extent 1
/// are in no one's way.
fn run_of(axes: Vec<Axis>, follows: impl Fn(&Axis, &Axis) -> bool) -> (Vec<Axis>, Vec<Axis>) {
    let (units, long): (Vec<Axis>, Vec<Axis>) = axes.into_iter().partition(|axis| axis.extent.as_int() == Some(1));
    let mut start = long.len().saturating_sub(1);
    while let Some(before) = start.checked_sub(1)
        && let (Some(outer), Some(inner)) = (long.get(before), long.get(start))
        && follows(outer, inner)
    {
        start = before;
    }
    let (outer, run) = long.split_at(start);
    (outer.to_vec(), units.into_iter().chain(run.iter().cloned()).collect())
}

impl Contraction {
    /// Whether the columns are several axes, and elements of the factor are not as regular along all of them as along one.
    pub(crate) fn needs_im2col(&self) -> bool {
        let long: Vec<&Axis> = self.n.axes.iter().filter(|axis| !is_one(&axis.extent)).collect();
        let mut pairs = long.iter().zip(long.iter().skip(1));
        !pairs.all(|(outer, inner)| is_dense(&self.b, outer, inner))
    }
}

/// Whether two axes are dimensions of what the factor loads, the inner one whole.
pub(crate) fn is_dense(factor: &Expr, outer: &Axis, inner: &Axis) -> bool {
    let mut dense = true;
    tilewright_expr::node::walk(factor, |e: &Expr| {
        let ExprKind::Load { buffer, indices, .. } = &e.kind else { return };
        if !mentions(e, &[inner.var.clone(), outer.var.clone()]) {
            return;
        }
        let place = |axis: &Axis| indices.iter().position(|index| index.as_var() == Some(&axis.var));
        dense &= match (place(outer), place(inner)) {
            (Some(from), Some(to)) => {
                from + 1 == to
                    && buffer.strides.is_empty()
                    && buffer.shape.get(to).is_some_and(|whole| Analyzer::new().prove_equal(whole, &inner.extent))
            }
            _ => false,
        };
    });
    dense
}

/// What a factor widens, of whole bytes; the factor where it is something else.
pub(crate) fn unwidened(factor: &Expr) -> &Expr {
    match &factor.kind {
        ExprKind::Cast(value) if value.dtype.bits % 8 == 0 && value.dtype.bits < factor.dtype.bits => value,
        _ => factor,
    }
}

impl Contraction {
    /// Whether copies of the columns have shorter elements than the factor's numbers.
    pub(crate) fn b_is_narrow(&self) -> bool {
        !std::ptr::eq(unwidened(&self.b), &self.b)
    }
}

/// Parameters that every caller binds to constants.
pub(crate) fn is_constant(function: &PrimFunc, expr: &Expr) -> bool {
    let numbers = function.attrs.get(LAYOUT_FREE).and_then(tilewright_ir::Attr::as_ints).unwrap_or_default();
    let free = |data: &tilewright_ir::tir::Var| {
        function.params.iter().enumerate().any(|(at, param)| {
            param.buffer.as_ref().is_some_and(|buffer| buffer.data == *data)
                && i64::try_from(at).is_ok_and(|at| numbers.contains(&at))
        })
    };
    let (mut all, mut any) = (true, false);
    tilewright_expr::node::walk(expr, |e: &Expr| {
        if let tilewright_ir::tir::ExprKind::Load { buffer, .. } = &e.kind {
            all &= free(&buffer.data);
            any = true;
        }
    });
    all && any
}

/// The attribute that names parameters which every caller binds to constants.
const LAYOUT_FREE: &str = "layout_free_buffers";

/// Whether a size is the constant 1.
pub(crate) fn is_one(size: &Expr) -> bool {
    size.as_int() == Some(1)
}
