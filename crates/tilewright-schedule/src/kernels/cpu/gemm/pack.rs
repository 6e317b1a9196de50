//! Copies of the factors in the order in which register tiles use them.

use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    Block, Buffer, CmpOp, Expr, ForKind, Intrinsic, IterKind, IterVar, Range, Scope, Stmt, StmtKind, Var,
};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::Origins;
use tilewright_tensor::DataType;

use super::cx::{Gemm, KBlock, Task};
use super::im2col::Copied;
use crate::facts::axes::{Axis, Group};
use crate::facts::exprs::{compare, mentions, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, memory, named, serial, task_block, with_names};
use crate::facts::size::{LINE, TASKS, ceil_div};
use crate::plan::cpu::gemm::PackA;

/// What of a task's blocks that are copied ahead says that they re-lay out a parameter.
const PREPROC: &str = "layout_rewrite_preproc";
/// Sizes of a row's copy are no multiple of this many bytes: else the rows of a tile would share few places of the cache.
const ALIASED_BYTES: i64 = 1024;
/// Places of the depth that a task copies of all panels: in each panel they are a run of some pages.
const PLACES: i64 = 16;

pub(super) struct Packed {
    pub(super) buffer: Buffer,
    pub(super) stmt: Stmt,
}

impl Gemm<'_> {
    /// The factor of the rows at a row and a place of the depth.
    pub(super) fn a_at(&self, task: &Task, row: &Expr, depth: &Expr) -> Result<Expr, Fault> {
        let mut values = self.c.m.values(&self.known, row)?;
        values.extend(self.c.k.values(&self.known, depth)?);
        values.extend(task.batch.iter().cloned());
        Ok(substituted(&self.c.a, &values))
    }

    /// An element of a copy of the columns as the factor that it was.
    pub(super) fn widened(&self, element: &Expr) -> Result<Expr, Fault> {
        if self.grouping.is_some() {
            return Ok(element.clone());
        }
        typed(element.cast(self.c.b.dtype))
    }

    /// What copies have of the factor of the columns, at a column and a place of the depth; zero behind the last column.
    pub(super) fn b_at(&self, batch: &[(Var, Expr)], column: &Expr, depth: &Expr) -> Result<Expr, Fault> {
        self.b_at_place(batch, column, self.c.k.values(&self.known, depth)?)
    }

    /// The same with the values of the depth's axes.
    pub(super) fn b_at_place(
        &self,
        batch: &[(Var, Expr)],
        column: &Expr,
        depth: Vec<(Var, Expr)>,
    ) -> Result<Expr, Fault> {
        let mut values = self.c.n.values(&self.known, column)?;
        values.extend(depth);
        values.extend(batch.iter().cloned());
        let value = substituted(self.columns, &values);
        if !self.is_ragged()? {
            return Ok(value);
        }
        let inside = compare(CmpOp::Lt, column, &self.c.n.size)?;
        typed(Expr::call(Intrinsic::IfThenElse, &[inside, value.clone(), Expr::number(0, value.dtype)]))
    }

    /// The axes of the batch that the factor of the columns depends on.
    pub(super) fn batch_of_columns(&self) -> Vec<Axis> {
        let depends = |axis: &&Axis| mentions(&self.c.b, std::slice::from_ref(&axis.var));
        self.c.batch.axes.iter().filter(depends).cloned().collect()
    }
}

/// The rows of a task for one step, one copy behind the other.
pub(super) fn rows(p: &Gemm<'_>, task: &Task, step: &KBlock, way: PackA) -> Result<Packed, Fault> {
    let t = p.plan;
    let (i, k) = (p.var("i"), p.var("k"));
    let (row, depth) = (Expr::var(&i), Expr::var(&k));
    let value = p.a_at(task, &(&task.row + &row), &(&step.start + &depth))?;
    let bytes = i64::from(value.dtype.bits).max(8) / 8;
    let longest = p.c.k.size.as_int().unwrap_or(t.kc).min(t.kc);
    let longest = ceil_div(longest, p.group()) * p.group();
    let end = &p.groups_in(&step.depth)? * p.group();
    let value = p.within_depth(value, &(&step.start + &depth))?;
    let most_rows = p.c.m.size.as_int().unwrap_or(t.mc).min(t.mc);
    let [outer, inner] = if way == PackA::RowMajor { [most_rows, longest] } else { [longest, most_rows] };
    let whole = ceil_div(inner * bytes, LINE) * LINE;
    let apart = if whole % ALIASED_BYTES == 0 { whole + LINE } else { whole } / bytes;
    let shape = vec![p.int(outer.max(1)), p.int(apart.max(1))];
    let buffer = memory("packed_rows", shape, value.dtype, Scope::Global);
    if way == PackA::ColumnMajor
        && let Some(stmt) = p.rows_turned(task, step, &buffer)?
    {
        return Ok(Packed { buffer, stmt });
    }
    let stmt = if way == PackA::RowMajor {
        let body = stored(&buffer, vec![row, depth], &value)?;
        serial(&i, &task.rows, looped(&k, &p.simple(&end), ForKind::Vectorized, body))
    } else {
        let body = stored(&buffer, vec![depth, row], &value)?;
        serial(&k, &step.depth, looped(&i, &task.rows, ForKind::Vectorized, body))
    };
    Ok(Packed { buffer, stmt })
}

/// A panel of a task for one step.
pub(super) fn columns_of_panel(p: &Gemm<'_>, task: &Task, step: &KBlock, panel: &Expr) -> Result<Packed, Fault> {
    let t = p.plan;
    let longest = p.c.k.size.as_int().unwrap_or(t.kc).clamp(1, t.kc);
    let shape = vec![p.int(ceil_div(longest, p.group())), p.int(t.panel())];
    let dtype = if p.grouping.is_some() { DataType::U32 } else { p.columns.dtype };
    let buffer = memory("packed_columns", shape, dtype, Scope::Global);
    let column = &(&task.panel + panel) * t.panel();
    let (start, depth) = (step.start.clone(), step.depth.clone());
    let copied = Copied { batch: &task.batch, column: column.clone(), start, depth, to: &buffer, at: Vec::new() };
    if let Some(stmt) = panel_copied(p, &copied)? {
        return Ok(Packed { buffer, stmt });
    }
    let (k, v, j) = (p.var("k"), p.var("v"), p.var("j"));
    let lane = &(&Expr::var(&v) * t.lanes) + &Expr::var(&j);
    let at = |place: &Expr| p.b_at(&task.batch, &(&column + &lane), place);
    let first = p.floor_div(&step.start, p.group())?;
    let (count, place) = (p.groups_in(&step.depth)?, &first + &Expr::var(&k));
    let value = if p.grouping.is_some() { p.word(&place, at)? } else { at(&place)? };
    let body = stored(&buffer, vec![Expr::var(&k), lane.clone()], &value)?;
    let lanes = looped(&j, &p.int(t.lanes), ForKind::Vectorized, body);
    let stmt = serial(&k, &count, serial(&v, &p.int(t.nr_vectors), lanes));
    Ok(Packed { buffer, stmt })
}

/// A panel that is not copied element by element.
fn panel_copied(p: &Gemm<'_>, copied: &Copied<'_>) -> Result<Option<Stmt>, Fault> {
    match p.c.needs_im2col() {
        true => p.copy_lines(copied).map(Some),
        false => p.turned(copied),
    }
}

/// All panels of columns that are not copied element by element, in front of the product.
fn panels_ahead(p: &Gemm<'_>) -> Result<Option<Packed>, Fault> {
    let outer = p.batch_of_columns();
    let panel = Axis { var: p.var("panel"), extent: p.panels()? };
    let axes: Vec<Axis> = outer.into_iter().chain([panel]).collect();
    let depth = p.c.k.size.clone();
    let shape: Vec<Expr> =
        axes.iter().map(|axis| axis.extent.clone()).chain([depth.clone(), p.int(p.plan.panel())]).collect();
    let buffer = memory("packed_columns", shape, p.columns.dtype, Scope::Global);
    let group = Group::new(&p.known, axes, p.c.index)?;
    let number = p.var("task");
    let values = group.values(&p.known, &Expr::var(&number))?;
    let (mut lets, mut batch, mut at) = (Vec::new(), Vec::new(), Vec::new());
    for (var, value) in values {
        let value = named(&var.name, &value, &mut lets);
        at.push(value.clone());
        batch.push((var, value));
    }
    // The axes' values come from the last one on.
    at.reverse();
    let panel = at.last().cloned().unwrap_or_else(|| p.int(0));
    let (column, start) = (&panel * p.plan.panel(), p.int(0));
    let copied = Copied { batch: &batch, column, start, depth, to: &buffer, at };
    let Some(body) = panel_copied(p, &copied)? else { return Ok(None) };
    let body = with_names(lets, body);
    let block = task_block("packed_columns", &[&p.c.b], vec![buffer.clone()], Vec::new(), body);
    Ok(Some(Packed { buffer, stmt: looped(&number, &group.size, ForKind::Parallel, block) }))
}

/// All panels, in front of the product. Of a constant the copy is made once, not by every call.
pub(super) fn columns_ahead(p: &Gemm<'_>, constant: bool) -> Result<Packed, Fault> {
    if !constant && let Some(packed) = panels_ahead(p)? {
        return Ok(packed);
    }
    let t = p.plan;
    let panels = Axis { var: p.var("panel"), extent: p.panels()? };
    let depth = Axis { var: p.var("k"), extent: p.groups_in(&p.c.k.size)? };
    let lane = Axis { var: p.var("j"), extent: p.int(t.panel()) };
    let outer = p.batch_of_columns();
    let axes: Vec<Axis> = outer
        .iter()
        .map(|axis| Axis { var: axis.var.renewed(), extent: axis.extent.clone() })
        .chain([panels, depth, lane])
        .collect();
    let [.., panel, k, j] = axes.as_slice() else { return Err(Fault::of_call("a panel has three axes")) };
    let column = &(&Expr::var(&panel.var) * t.panel()) + &Expr::var(&j.var);
    let batch: Vec<(Var, Expr)> =
        outer.iter().zip(&axes).map(|(axis, own)| (axis.var.clone(), Expr::var(&own.var))).collect();
    let at = |place: &Expr| p.b_at(&batch, &column, place);
    let place = Expr::var(&k.var);
    let value = if p.grouping.is_some() { p.word(&place, at)? } else { at(&place)? };
    let shape = axes.iter().map(|axis| axis.extent.clone()).collect();
    let buffer = memory("packed_columns", shape, value.dtype, Scope::Global);
    let body = stored(&buffer, axes.iter().map(|axis| Expr::var(&axis.var)).collect(), &value)?;
    if constant {
        let annotations = Attrs::from_iter([(PREPROC.into(), Attr::Bool(true))]);
        return Ok(Packed { buffer, stmt: nest_over(&axes, body, annotations) });
    }
    let is_deep = p.c.k.size.as_int().is_none_or(|depth| depth >= PLACES * TASKS);
    let stmt = match is_deep && p.columns_run_along()? {
        true => by_rows_of_memory(p, &axes, body)?,
        false => nest_over(&axes, body, Attrs::new()),
    };
    Ok(Packed { buffer, stmt })
}

/// Loops over axes around a block with one store: the last one as lanes, those before the last two in parallel.
fn nest_over(axes: &[Axis], body: Stmt, annotations: Attrs) -> Stmt {
    let loops: Vec<Var> = axes.iter().map(|axis| axis.var.renewed()).collect();
    let values = loops.iter().map(Expr::var).collect();
    let innermost = block_over(axes, (values, Expr::bool(true)), body, annotations);
    let last = axes.len() - 1;
    loops.iter().zip(axes).enumerate().rev().fold(innermost, |body, (at, (var, axis))| {
        let kind = match last - at {
            0 => ForKind::Vectorized,
            1 => ForKind::Serial,
            _ => ForKind::Parallel,
        };
        looped(var, &axis.extent, kind, body)
    })
}

/// The same loops in an order that follows memory where neighbours are along the columns: tasks copy a few places of the
/// depth each, those of all panels, and go along whole rows of memory.
fn by_rows_of_memory(p: &Gemm<'_>, axes: &[Axis], body: Stmt) -> Result<Stmt, Fault> {
    let [outer @ .., panel, depth, lane] = axes else { return Err(Fault::of_call("a panel has three axes")) };
    let loops: Vec<Var> = axes.iter().map(|axis| axis.var.renewed()).collect();
    let [of_outer @ .., of_panel, _, of_lane] = loops.as_slice() else {
        return Err(Fault::of_call("a panel has three axes"));
    };
    let (task, place) = (p.var("task"), p.var("k"));
    let k = &(&Expr::var(&task) * PLACES) + &Expr::var(&place);
    let inside = match p.floor_mod(&depth.extent, PLACES)?.as_int() {
        Some(0) => Expr::bool(true),
        _ => compare(CmpOp::Lt, &k, &depth.extent)?,
    };
    let values = of_outer.iter().chain([of_panel]).map(Expr::var).chain([k, Expr::var(of_lane)]).collect();
    let block = block_over(axes, (values, inside), body, Attrs::new());
    let lanes = looped(of_lane, &lane.extent, ForKind::Vectorized, block);
    let places = serial(&place, &p.int(PLACES), lanes);
    let panels = serial(of_panel, &panel.extent, places);
    let count = p.floor_div(&(&depth.extent + (PLACES - 1)), PLACES)?;
    let tasks = looped(&task, &count, ForKind::Parallel, panels);
    let outer = of_outer.iter().zip(outer);
    Ok(outer.rev().fold(tasks, |body, (var, axis)| looped(var, &axis.extent, ForKind::Parallel, body)))
}

/// A block with one store, at those values of its axes and under that condition.
fn block_over(axes: &[Axis], (values, predicate): (Vec<Expr>, Expr), body: Stmt, annotations: Attrs) -> Stmt {
    let iter = |axis: &Axis| IterVar {
        var: axis.var.clone(),
        domain: Range::up_to(axis.extent.clone()),
        kind: IterKind::Spatial,
    };
    let mut block = Block {
        name: "packed_columns".into(),
        iters: axes.iter().map(iter).collect(),
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations,
        init: None,
        body,
        origins: Origins::default(),
    };
    let regions = block_regions(&block);
    (block.reads, block.writes) = (regions.reads, regions.writes);
    StmtKind::Block { values, predicate, block }.into()
}
