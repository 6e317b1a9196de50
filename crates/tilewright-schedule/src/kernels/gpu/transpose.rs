//! A stage that reads along one axis what it writes along another, in square tiles of shared memory: neighbouring
//! threads read neighbours, and write neighbours.
//!
//! ```text
//! for tile in blockIdx.x, y in threadIdx.y (rows), x in threadIdx.x (side)
//!   for i in range(side / rows)
//!     shared[i * rows + y, x] = A at (read axis: x, written axis: i * rows + y)       if there is such an element
//!   wait
//!   for i in range(side / rows)
//!     out at (read axis: i * rows + y, written axis: x) = value(shared[x, i * rows + y], …)
//! ```
//!
//! Rows of shared memory are one element longer than a tile: those of a column are in different banks. Other operands
//! are read where the result is written.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{
    BinOp, Buffer, Builtin, CmpOp, Expr, ExprKind, ForKind, Intrinsic, IterVar, PrimFunc, Scope, Stmt, StmtKind, Var,
};

use crate::analysis::axes::{Axis, Group};
use crate::analysis::epilogue::check_whole;
use crate::analysis::guard::known_around;
use crate::analysis::loop_nest::LoopNest;
use crate::analysis::stages::own_nest;
use crate::analysis::stride::stride;
use crate::build::exprs::{binary, compare, loaded_buffers, reads_under_condition, stored, substituted, typed};
use crate::build::loops::{looped, memory, named, only_if, task_block, with_names};
use crate::build::rewrite::Formula;
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::Plan;
use crate::plan::gpu::transpose::{TransposePlan, crossed};
use crate::primitive::call::{Call, Outcome, Primitive, Results};
use crate::site::Site;

pub(crate) const TILED_TRANSPOSE: Primitive = Primitive {
    name: "TiledTranspose",
    method: "tiled_transpose",
    doc: "Moves what a stage reads across its result through tiles of shared memory of a GPU.",
    params: TransposePlan::PARAMS,
    plan: Some(TransposePlan::DEF),
    gives_list: false,
    run,
};

/// Operands that are staged at most.
const MAX_STAGED: usize = 2;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, plan) = (call.block(0)?, TransposePlan::of_call(call)?);
    own_nest(&site)?;
    let block = site.expect_block()?;
    let known = known_around(call.function, &site);
    check_whole(&known, &site, block)?;
    let loops = site.loops().len();
    let nest = LoopNest::of(call.function, &site, loops)?;
    let none = || Fault::at(&site, "the block reads nothing across its result");
    let (read, written) = crossed(&nest).ok_or_else(none)?;
    let (Some(read), Some(written)) = (nest.axis_of(read), nest.axis_of(written)) else { return Err(none()) };
    let index = block.iters.iter().map(|iter| iter.var.dtype).max_by_key(|dtype| dtype.bits).ok_or_else(none)?;
    let axis = |iter: &IterVar| {
        let extent = typed(iter.domain.extent.cast(index))?;
        Ok::<_, Fault>(Axis { var: iter.var.clone(), extent })
    };
    let axes = block.iters.iter().map(axis).collect::<Result<Vec<_>, _>>()?;
    let (read, written) = (axis(read)?, axis(written)?);
    let others = axes.into_iter().filter(|axis| axis.var != read.var && axis.var != written.var).collect();
    let others = Group::new(&known, others, index)?;
    let formula = Formula::of(&site)?;
    let in_place = |buffer: &Buffer| buffer.data == formula.buffer.data;
    if loaded_buffers(&formula.value).iter().any(in_place) {
        return Err(Fault::at(&site, "the block reads what it writes"));
    }
    let staged = staged(&known, &formula, &read, &written);
    if staged.is_empty() || staged.len() > MAX_STAGED {
        return Err(none());
    }
    let cx = IndexCx { index, known };
    let transpose = Transpose { cx, plan, read, written, others, formula, staged };
    let launch = transpose.launch(&block.name)?;
    let (above, _) = site.above.split_at(site.above.len() - loops);
    let outermost = Site { above: above.to_vec(), stmt: site.stmt.clone() };
    let function = PrimFunc { body: outermost.replaced(launch), ..call.function.clone() };
    Ok(Outcome::changed(function, Results::Nothing))
}

/// The loads along the axis that is read, far apart along the one that is written, which no condition is around.
fn staged(known: &Analyzer, formula: &Formula, read: &Axis, written: &Axis) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    let is_near = |e: &Expr, axis: &Axis| match &e.kind {
        ExprKind::Load { buffer, indices, .. } => {
            stride(known, &axis.var, buffer, indices).and_then(|step| step.as_int()).is_some_and(|step| step.abs() <= 1)
        }
        _ => false,
    };
    let is_along = |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, predicate: None } => {
            stride(known, &read.var, buffer, indices).and_then(|step| step.as_int()) == Some(1)
        }
        _ => false,
    };
    walk(&formula.value, |e: &Expr| {
        let wanted = is_along(e) && !is_near(e, written) && !found.iter().any(|known| known.equal(e));
        if wanted && !reads_under_condition(&formula.value, |other| other.equal(e)) {
            found.push(e.clone());
        }
    });
    found
}

struct Transpose {
    cx: IndexCx,
    plan: TransposePlan,
    read: Axis,
    written: Axis,
    others: Group,
    formula: Formula,
    staged: Vec<Expr>,
}

impl Transpose {
    fn launch(&self, name: &str) -> Result<Stmt, Fault> {
        let (cx, side) = (&self.cx, self.plan.side);
        let [tile, x, y] = ["tile", "x", "y"].map(|name| cx.var(name));
        let [other, read, written] = ["other", "read", "written"].map(|name| cx.var(name));
        let mut axes = vec![
            Axis { var: other.clone(), extent: self.others.size.clone() },
            Axis { var: written.clone(), extent: cx.ceil_div(&self.written.extent, side)? },
            Axis { var: read.clone(), extent: cx.ceil_div(&self.read.extent, side)? },
        ];
        // One whose range is not constant is outermost.
        axes.sort_by_key(|axis| axis.extent.as_int().is_some());
        let all = Group::new(&cx.known, axes, cx.index)?;
        let values = all.values(&cx.known, &Expr::var(&tile))?;
        let mut lets = Vec::new();
        let mut value_of = |wanted: &Var, times: i64| {
            let value = values.iter().find(|(var, _)| var == wanted).map_or(cx.int(0), |(_, value)| value.clone());
            named(&wanted.name, &cx.simple(&(&value * times)), &mut lets)
        };
        let other = value_of(&other, 1);
        let (read, written) = (value_of(&read, side), value_of(&written, side));
        let others = self.others.values(&cx.known, &other)?;
        let shape = || vec![Expr::i64(side), Expr::i64(side + 1)];
        let tiles: Vec<Buffer> =
            self.staged.iter().map(|e| memory("tile_shared", shape(), e.dtype, Scope::Shared)).collect();
        let (x_at, y_at) = (Expr::var(&x), Expr::var(&y));
        let load = self.each_row(&y_at, |row| {
            let at = [(&self.read, &read + &x_at), (&self.written, &written + row)];
            let stores = self.staged.iter().zip(&tiles).map(|(e, tile)| {
                let value = self.or_zero(&substituted(e, &self.values(&at, &others)?), &at)?;
                stored(tile, vec![row.clone(), x_at.clone()], &value)
            });
            Ok(Stmt::seq(stores.collect::<Result<Vec<_>, Fault>>()?))
        })?;
        let store = self.each_row(&y_at, |row| {
            let at = [(&self.read, &read + row), (&self.written, &written + &x_at)];
            let value = self.staged_value(&tiles, &[x_at.clone(), row.clone()])?;
            let values = self.values(&at, &others)?;
            let indices = self.formula.indices.iter().map(|index| substituted(index, &values)).collect();
            let stmt = stored(&self.formula.buffer, indices, &substituted(&value, &values))?;
            Ok(match self.inside(&at)? {
                Some(inside) => only_if(inside, stmt),
                None => stmt,
            })
        })?;
        let barrier = StmtKind::Evaluate(Expr::builtin(Builtin::STORAGE_SYNC, vec![Expr::str("shared")])).into();
        let body = with_names(lets, Stmt::seq([load, barrier, store]));
        let block = task_block(name, &[&self.formula.value], vec![self.formula.buffer.clone()], tiles, body);
        let bound = |var: &Var, extent: &Expr, tag: &str, body: Stmt| {
            looped(var, extent, ForKind::ThreadBinding(tag.into()), body)
        };
        let row = bound(&x, &cx.int(side), "threadIdx.x", block);
        let threads = bound(&y, &cx.int(self.plan.rows), "threadIdx.y", row);
        Ok(bound(&tile, &all.size, "blockIdx.x", threads))
    }

    /// The rows of a tile of a thread: `body` is of the row's number.
    fn each_row(&self, y: &Expr, body: impl Fn(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let rows = self.plan.rows;
        self.cx.unrolled("i", self.plan.side / rows, |i| body(&self.cx.simple(&(&(i * rows) + y))))
    }

    /// The values of all axes, in their own types.
    fn values(&self, at: &[(&Axis, Expr); 2], others: &[(Var, Expr)]) -> Result<Vec<(Var, Expr)>, Fault> {
        let own = at.iter().map(|(axis, value)| (axis.var.clone(), self.cx.simple(value)));
        let cast = |(var, value): (Var, Expr)| {
            let value = typed(value.cast(var.dtype))?;
            Ok((var, value))
        };
        own.chain(others.iter().cloned()).map(cast).collect()
    }

    /// Whether the axes have these values; none where they are sure to.
    fn inside(&self, at: &[(&Axis, Expr); 2]) -> Result<Option<Expr>, Fault> {
        let mut parts = Vec::new();
        for (axis, value) in at {
            if !self.cx.divides(self.plan.side, &axis.extent)? {
                parts.push(compare(CmpOp::Lt, &self.cx.simple(value), &axis.extent)?);
            }
        }
        parts.into_iter().map(Ok).reduce(|a, b| binary(BinOp::And, &a?, &b?)).transpose()
    }

    fn or_zero(&self, value: &Expr, at: &[(&Axis, Expr); 2]) -> Result<Expr, Fault> {
        match self.inside(at)? {
            None => Ok(value.clone()),
            Some(inside) => {
                typed(Expr::call(Intrinsic::IfThenElse, &[inside, value.clone(), Expr::number(0, value.dtype)]))
            }
        }
    }

    /// The value with what is in the tiles for what was loaded.
    fn staged_value(&self, tiles: &[Buffer], at: &[Expr]) -> Result<Expr, Fault> {
        let mut failed = None;
        let value = rewrite(&self.formula.value, |e: &Expr| {
            let number = self.staged.iter().position(|staged| staged.equal(e))?;
            match typed(Expr::load(tiles.get(number)?, at.to_vec())) {
                Ok(load) => Some(load),
                Err(fault) => {
                    failed = Some(fault);
                    None
                }
            }
        });
        match failed {
            Some(fault) => Err(fault),
            None => Ok(value.unwrap_or_else(|| self.formula.value.clone())),
        }
    }
}
