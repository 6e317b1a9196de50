//! Contractions: blocks that sum products, `out[f(s)] += a(s, k) * b(s, k)`.
//!
//! The two operands are expressions. A spatial axis of A alone is of M, one of B alone is of N, one of both is of the
//! *batch*. B is the operand along whose axis the result is contiguous: N becomes lanes of vectors. The axes of M, of
//! N, of K and of the batch are taken together as one long axis each, a [`Group`].

pub(crate) mod block_scaled;
pub(crate) mod dot_groups;
pub(crate) mod fold_batch;
pub(crate) mod outputs;
pub(crate) mod packed_codes;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use crate::analysis::axes::{self, Axis, Group};
use crate::analysis::epilogue::check_whole;
use crate::analysis::stages::{own_nest, statements, touches};
use crate::build::exprs::{mentions, mentions_var, substituted};
use crate::build::rewrite::Formula;
use crate::fault::Fault;
use crate::site::{Site, blocks_below};

/// N of a B in place that is worth a matrix of its own: half of the widest vectors.
const MIN_CONTIGUOUS_N: i64 = 8;

/// A sum of products as a GEMM.
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

/// The buffer, the indices, and the two operands of the block's only statement.
struct Sum {
    cleared: Option<Site>,
    out: Buffer,
    indices: Vec<Expr>,
    operands: [Expr; 2],
}

impl Contraction {
    /// The contraction of the block at a site.
    pub(crate) fn of(function: &PrimFunc, site: &Site) -> Result<Self, Fault> {
        let (spatial, k, index) = axes::of_reduction(function, site)?;
        let (mut sum, spatial) = split_groups(sum_of(function, site)?, spatial);
        let units: Vec<&Axis> = spatial.iter().chain(&k).filter(|axis| is_one(&axis.extent)).collect();
        sum.operands = sum.operands.map(|operand| without_units(&operand, &units));
        let known = crate::analysis::guard::known_around(function, site);
        let [x, y] = &sum.operands;
        let in_both = |axis: &&Axis| {
            let var = std::slice::from_ref(&axis.var);
            mentions(x, var) == mentions(y, var)
        };
        let lanes = innermost(&sum, &spatial).ok_or_else(|| Fault::at(site, "the result is a single element"))?;
        if in_both(&lanes) {
            let name = &lanes.var.name;
            let message = format!("the result is contiguous along axis `{name}`, which both operands have");
            return Err(Fault::at(site, message));
        }
        let (b, a) = if mentions_var(y, &lanes.var) { (y.clone(), x.clone()) } else { (x.clone(), y.clone()) };
        let sort = |operand: &Expr| -> Vec<Axis> {
            let own = |axis: &&Axis| mentions_var(operand, &axis.var) && !in_both(axis);
            spatial.iter().filter(own).cloned().collect()
        };
        // An index along several axes is divided to find that along each of them.
        let (outer_m, m) = run_of(sort(&a), |_, inner| inner.extent.as_int().is_some());
        let one_row = m.iter().all(|axis| axis.extent.as_int() == Some(1));
        let are_in_place = one_row && is_plain(&b) && !is_constant(function, &b);
        let (outer_n, n) = n_axes(&sum, sort(&b), are_in_place.then_some(&b));
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

/// The axes of several matrices, and those of N of each. A B that is read in place, for M == 1, is contiguous along N,
/// where that is enough for a vector.
fn n_axes(sum: &Sum, axes: Vec<Axis>, in_place: Option<&Expr>) -> (Vec<Axis>, Vec<Axis>) {
    let follows = |outer: &Axis, inner: &Axis| stands_before(sum, outer, inner);
    if let Some(b) = in_place {
        let (outer, run) = run_of(axes.clone(), |outer, inner| follows(outer, inner) && is_dense(b, outer, inner));
        let count = run.iter().try_fold(1_i64, |count, axis| count.checked_mul(axis.extent.as_int()?));
        if count.is_none_or(|count| count >= MIN_CONTIGUOUS_N) {
            return (outer, run);
        }
    }
    run_of(axes, follows)
}

/// The sum of the block's body, whose init clears it.
fn sum_of(function: &PrimFunc, site: &Site) -> Result<Sum, Fault> {
    let block = site.expect_block()?;
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
    Ok(Sum { cleared, out: out.clone(), indices: indices.to_vec(), operands: [x.clone(), y.clone()] })
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
    let known = crate::analysis::guard::known_around(function, &stage);
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

/// Axes along which one operand is the same for whole groups, as `a[v // c]` is, become two: the group, and the index
/// in it.
fn split_groups(mut sum: Sum, spatial: Vec<Axis>) -> (Sum, Vec<Axis>) {
    let mut axes = Vec::with_capacity(spatial.len());
    for axis in spatial {
        let split = sum.operands.iter().enumerate().find_map(|(at, operand)| {
            let by = divisor(operand, &axis.var)?;
            let extent = axis.extent.as_int()?;
            let group = axis.var.renewed();
            let grouped = with_groups(operand, &axis.var, by, &group);
            let plain = !mentions_var(&grouped, &axis.var);
            (plain && by > 1 && extent % by == 0).then_some((at, grouped, group, by, extent / by))
        });
        let Some((at, grouped, group, by, groups)) = split else {
            axes.push(axis);
            continue;
        };
        let own = axis.var.renewed();
        let value = [(axis.var.clone(), &(&Expr::var(&group) * by) + &Expr::var(&own))];
        sum.indices = sum.indices.iter().map(|index| substituted(index, &value)).collect();
        let number = |n: usize, operand: &Expr| if n == at { grouped.clone() } else { substituted(operand, &value) };
        let [x, y] = &sum.operands;
        sum.operands = [number(0, x), number(1, y)];
        axes.push(Axis { extent: Expr::int(groups, group.dtype), var: group });
        axes.push(Axis { extent: Expr::int(by, own.dtype), var: own });
    }
    (sum, axes)
}

/// The operand without axes of extent 1 as summands: `x[y + window]` of a window of one element is `x[y]`, whose
/// neighbours along several axes may be neighbours in memory.
fn without_units(operand: &Expr, units: &[&Axis]) -> Expr {
    let is_unit = |e: &Expr| units.iter().any(|axis| e.as_var() == Some(&axis.var));
    let replaced = rewrite(operand, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::Add, a, b) if is_unit(b) => Some(a.clone()),
        ExprKind::Binary(BinOp::Add, a, b) if is_unit(a) => Some(b.clone()),
        _ => None,
    });
    replaced.unwrap_or_else(|| operand.clone())
}

/// The divisor of the variable somewhere in the expression.
pub(crate) fn divisor(operand: &Expr, var: &Var) -> Option<i64> {
    let mut found = None;
    walk(operand, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(var) => found = found.or(b.as_int()),
        _ => {}
    });
    found
}

/// The expression with the group for the divided variable.
pub(crate) fn with_groups(operand: &Expr, var: &Var, by: i64, group: &Var) -> Expr {
    let replaced = rewrite(operand, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::FloorDiv, a, b) if a.as_var() == Some(var) && b.as_int() == Some(by) => {
            Some(Expr::var(group))
        }
        _ => None,
    });
    replaced.unwrap_or_else(|| operand.clone())
}

/// The axes in the order in which an operand has them in memory.
fn in_order_of(operand: &Expr, mut axes: Vec<Axis>) -> Vec<Axis> {
    let mut dims: Vec<(Var, usize)> = Vec::new();
    walk(operand, |e: &Expr| {
        let ExprKind::Load { indices, .. } = &e.kind else { return };
        for axis in &axes {
            let own = std::slice::from_ref(&axis.var);
            if let Some(dim) = indices.iter().position(|index| mentions(index, own))
                && dims.iter().all(|(var, _)| *var != axis.var)
            {
                dims.push((axis.var.clone(), dim));
            }
        }
    });
    axes.sort_by_key(|axis| dims.iter().find(|(var, _)| *var == axis.var).map_or(0, |(_, dim)| *dim));
    axes
}

/// The axis along which the result is contiguous.
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
    let dim = |axis: &Axis| sum.indices.iter().position(|index| index.as_var() == Some(&axis.var));
    let (Some(from), Some(to)) = (dim(outer), dim(inner)) else { return false };
    let unit = |dim: usize| sum.out.shape.get(dim).is_some_and(|extent| extent.as_int() == Some(1));
    from < to && (from + 1..to).all(unit)
}

/// Whether all indices of what is loaded are axes themselves.
fn is_plain(operand: &Expr) -> bool {
    let mut plain = true;
    walk(operand, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            plain &= indices.iter().all(|index| index.as_var().is_some() || index.as_int().is_some());
        }
    });
    plain
}

/// The axes up to, and from, the first of the longest run at the end of which each follows the one before. Axes of
/// extent 1 are part of any run.
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
    /// Whether packed B has narrower elements than the products.
    pub(crate) fn b_is_narrow(&self) -> bool {
        !std::ptr::eq(unwidened(&self.b), &self.b)
    }

    /// Whether N is several axes, and B is not as regular along all of them as along one.
    pub(crate) fn needs_im2col(&self) -> bool {
        let long: Vec<&Axis> = self.n.axes.iter().filter(|axis| !is_one(&axis.extent)).collect();
        let mut pairs = long.iter().zip(long.iter().skip(1));
        !pairs.all(|(outer, inner)| is_dense(&self.b, outer, inner))
    }
}

/// Whether B has elements for all columns of the last vector, those past the end of N too: kernels read whole vectors.
pub(crate) fn reaches_whole_vectors(c: &Contraction, lanes: i64) -> bool {
    let Some(n) = c.n.axes.first() else { return false };
    if n.extent.as_int().is_some_and(|extent| extent % lanes == 0) {
        return true;
    }
    let lane = Var::new("lane", n.var.dtype);
    let mut known = Analyzer::new();
    known.bind(&lane, &Range::up_to(Expr::int(lanes, lane.dtype)));
    for axis in c.k.axes.iter().chain(&c.batch.axes) {
        known.bind(&axis.var, &Range::up_to(axis.extent.clone()));
    }
    let by = Expr::int(lanes, n.var.dtype);
    let last = Expr::binary(BinOp::FloorDiv, &(&n.extent - 1), &by);
    let Ok(column) = last.map(|last| &(&last * lanes) + &Expr::var(&lane)) else { return false };
    let mut inside = true;
    walk(&c.b, |e: &Expr| {
        let ExprKind::Load { buffer, indices, .. } = &e.kind else { return };
        for (index, extent) in indices.iter().zip(&buffer.shape) {
            let index = substituted(index, &[(n.var.clone(), column.clone())]);
            let fits = extent.cast(index.dtype).and_then(|extent| Expr::compare(CmpOp::Lt, &index, &extent));
            inside &= fits.is_ok_and(|fits| known.prove(&fits));
        }
    });
    inside
}

/// Whether two axes are neighbouring dimensions of what the operand loads, the inner one whole.
pub(crate) fn is_dense(operand: &Expr, outer: &Axis, inner: &Axis) -> bool {
    let mut dense = true;
    tilewright_expr::node::walk(operand, |e: &Expr| {
        let ExprKind::Load { buffer, indices, .. } = &e.kind else { return };
        if !mentions(e, &[inner.var.clone(), outer.var.clone()]) {
            return;
        }
        let dim = |axis: &Axis| indices.iter().position(|index| index.as_var() == Some(&axis.var));
        dense &= match (dim(outer), dim(inner)) {
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

/// What an operand widens, of whole bytes; the operand where it is something else.
pub(crate) fn unwidened(operand: &Expr) -> &Expr {
    match &operand.kind {
        ExprKind::Cast(value) if value.dtype.bits % 8 == 0 && value.dtype.bits < operand.dtype.bits => value,
        _ => operand,
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
