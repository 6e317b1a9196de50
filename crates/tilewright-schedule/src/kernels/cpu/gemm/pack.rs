//! Packing: copies of A and B in the order in which micro-kernels read them.

use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, CmpOp, Expr, ForKind, IterKind, IterVar, Range, Scope, Stmt, StmtKind, Var};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::Origins;

use super::cx::{Gemm, KBlock, Packed, Task};
use super::decode_b;
use super::im2col::PanelCopy;
use crate::analysis::axes::{Axis, Group};
use crate::build::exprs::{compare, stored};
use crate::build::loops::{looped, memory, named, serial, task_block, with_names};
use crate::fault::Fault;
use crate::plan::cpu::gemm::PackA;
use crate::units::{LINE, TASKS, ceil_div};

/// The attribute of blocks that re-lay out a parameter, by which prepacking finds them.
const PREPROC: &str = "layout_rewrite_preproc";
/// A row of packed A is no multiple of this many bytes, so that the rows of a tile have no set conflicts in L1.
const SET_CONFLICT_BYTES: i64 = 1024;
/// Indices of K that a task packs in all panels: in each panel they are a few contiguous pages.
const K_PER_TASK: i64 = 16;

/// The block of A of a task and a K block.
pub(super) fn block_of_a(p: &Gemm<'_>, task: &Task, block: &KBlock, order: PackA) -> Result<Packed, Fault> {
    let t = p.plan;
    let (i, k) = (p.var("i"), p.var("k"));
    let (m, at) = (Expr::var(&i), Expr::var(&k));
    let value = p.a(task, &(&task.m_start + &m), &(&block.start + &at))?;
    let bytes = i64::from(value.dtype.bits).max(8) / 8;
    let longest = ceil_div(p.longest_k_block(), p.group()) * p.group();
    let end = &p.groups_in(&block.count)? * p.group();
    let value = p.within_k(value, &(&block.start + &at))?;
    if order == PackA::Tiles {
        return p.tiles_of_a(task, block, &value, (&i, &k));
    }
    let max_m = p.c.m.size.as_int().unwrap_or(t.mc).min(t.mc);
    let [outer, inner] = if order == PackA::RowMajor { [max_m, longest] } else { [longest, max_m] };
    let row = ceil_div(inner * bytes, LINE) * LINE;
    let stride = if row % SET_CONFLICT_BYTES == 0 { row + LINE } else { row } / bytes;
    let shape = vec![p.int(outer.max(1)), p.int(stride.max(1))];
    let buffer = memory("packed_a", shape, value.dtype, Scope::Global);
    if order == PackA::ColumnMajor
        && let Some(stmt) = p.a_transposed(task, block, &buffer)?
    {
        return Ok(Packed { buffer, stmt });
    }
    let stmt = if order == PackA::RowMajor {
        let body = stored(&buffer, vec![m, at], &value)?;
        serial(&i, &task.m_count, looped(&k, &p.simple(&end), ForKind::Vectorized, body))
    } else {
        let body = stored(&buffer, vec![at, m], &value)?;
        serial(&k, &block.count, looped(&i, &task.m_count, ForKind::Vectorized, body))
    };
    Ok(Packed { buffer, stmt })
}

/// A panel of B of a task and a K block.
pub(super) fn panel_of_b(p: &Gemm<'_>, task: &Task, block: &KBlock, panel: &Expr) -> Result<Packed, Fault> {
    if let Some(packed) = decode_b::panel(p, task, block, panel)? {
        return Ok(packed);
    }
    let t = p.plan;
    let shape = vec![p.int(ceil_div(p.longest_k_block().max(1), p.group())), p.int(t.panel())];
    let buffer = memory("packed_b", shape, p.packed_b_dtype(), Scope::Global);
    let n_start = &(&task.panel_start + panel) * t.panel();
    let copy = PanelCopy {
        batch: &task.batch,
        n_start: n_start.clone(),
        k_start: block.start.clone(),
        k_count: block.count.clone(),
        to: &buffer,
        outer: Vec::new(),
    };
    if let Some(stmt) = copied(p, &copy)? {
        return Ok(Packed { buffer, stmt });
    }
    let first = p.floor_div(&block.start, p.group())?;
    let stmt = p.serial("k", &p.groups_in(&block.count)?, |k| {
        p.serial("v", &p.int(t.nr_vectors), |v| {
            p.vector("j", t.lanes, |j| {
                let lane = &(v * t.lanes) + j;
                let value = packed_element(p, &task.batch, &(&n_start + &lane), &(&first + k))?;
                stored(&buffer, vec![k.clone(), lane], &value)
            })
        })
    })?;
    Ok(Packed { buffer, stmt })
}

/// What packed B has for a group of K: the element, or the word of several.
fn packed_element(p: &Gemm<'_>, batch: &[(Var, Expr)], n: &Expr, group: &Expr) -> Result<Expr, Fault> {
    let element = |k: &Expr| p.b(batch, n, k);
    if p.grouping.is_some() { p.word(group, element) } else { element(group) }
}

/// A panel that is not packed element by element.
fn copied(p: &Gemm<'_>, copy: &PanelCopy<'_>) -> Result<Option<Stmt>, Fault> {
    match p.c.needs_im2col() {
        true => p.im2col(copy).map(Some),
        false => p.b_transposed(copy),
    }
}

/// All panels of a B that is not packed element by element, before the GEMM.
fn panels_ahead(p: &Gemm<'_>) -> Result<Option<Packed>, Fault> {
    let panel = Axis { var: p.var("panel"), extent: p.panels()? };
    let axes: Vec<Axis> = p.batch_of_b().into_iter().chain([panel]).collect();
    let k_count = p.c.k.size.clone();
    let own = [p.groups_in(&k_count)?, p.int(p.plan.panel())];
    let shape: Vec<Expr> = axes.iter().map(|axis| axis.extent.clone()).chain(own).collect();
    let buffer = memory("packed_b", shape, p.packed_b_dtype(), Scope::Global);
    let group = Group::new(&p.known, axes, p.c.index)?;
    let number = p.var("task");
    let values = group.values(&p.known, &Expr::var(&number))?;
    let (mut lets, mut batch, mut outer) = (Vec::new(), Vec::new(), Vec::new());
    for (var, value) in values {
        let value = named(&var.name, &value, &mut lets);
        outer.push(value.clone());
        batch.push((var, value));
    }
    // The axes' values come from the last one on.
    outer.reverse();
    let panel = outer.last().cloned().unwrap_or_else(|| p.int(0));
    let n_start = &panel * p.plan.panel();
    let copy = PanelCopy { batch: &batch, n_start, k_start: p.int(0), k_count, to: &buffer, outer };
    let Some(body) = copied(p, &copy)? else { return Ok(None) };
    let body = with_names(lets, body);
    let block = task_block("packed_b", &[&p.c.b], vec![buffer.clone()], Vec::new(), body);
    Ok(Some(Packed { buffer, stmt: looped(&number, &group.size, ForKind::Parallel, block) }))
}

/// All panels, before the GEMM. A constant is prepacked, once and not by every call.
pub(super) fn b_ahead(p: &Gemm<'_>, constant: bool) -> Result<Packed, Fault> {
    if !constant && let Some(packed) = panels_ahead(p)? {
        return Ok(packed);
    }
    let t = p.plan;
    let panel = Axis { var: p.var("panel"), extent: p.panels()? };
    let k = Axis { var: p.var("k"), extent: p.groups_in(&p.c.k.size)? };
    let lane = Axis { var: p.var("j"), extent: p.int(t.panel()) };
    let n = &(&Expr::var(&panel.var) * t.panel()) + &Expr::var(&lane.var);
    let outer = p.batch_of_b();
    let renewed = |axis: &Axis| Axis { var: axis.var.renewed(), extent: axis.extent.clone() };
    let mut axes: Vec<Axis> = outer.iter().map(renewed).collect();
    let batch: Vec<(Var, Expr)> =
        outer.iter().zip(&axes).map(|(axis, own)| (axis.var.clone(), Expr::var(&own.var))).collect();
    let value = packed_element(p, &batch, &n, &Expr::var(&k.var))?;
    axes.extend([panel, k, lane]);
    let shape = axes.iter().map(|axis| axis.extent.clone()).collect();
    let buffer = memory("packed_b", shape, value.dtype, Scope::Global);
    let body = stored(&buffer, axes.iter().map(|axis| Expr::var(&axis.var)).collect(), &value)?;
    if constant {
        let annotations = Attrs::from_iter([(PREPROC.into(), Attr::Bool(true))]);
        return Ok(Packed { buffer, stmt: nest_over(&axes, body, annotations) });
    }
    let long_k = p.c.k.size.as_int().is_none_or(|k| k >= K_PER_TASK * TASKS);
    let stmt = match long_k && p.b_is_contiguous_along_n()? {
        true => along_n(p, &axes, body)?,
        false => nest_over(&axes, body, Attrs::new()),
    };
    Ok(Packed { buffer, stmt })
}

/// Loops over axes around a block with one store: the last one as lanes, those before the last two in parallel.
fn nest_over(axes: &[Axis], body: Stmt, annotations: Attrs) -> Stmt {
    let loops: Vec<Var> = axes.iter().map(|axis| axis.var.renewed()).collect();
    let innermost = block_over(axes, loops.iter().map(Expr::var).collect(), Expr::bool(true), body, annotations);
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

/// The same loops in the order of memory where B is contiguous along N: tasks pack a few indices of K each, in all
/// panels, and read whole rows of B.
fn along_n(p: &Gemm<'_>, axes: &[Axis], body: Stmt) -> Result<Stmt, Fault> {
    let wrong = || Fault::of_call("a panel has three axes");
    let [outer @ .., panel, k_axis, lane] = axes else { return Err(wrong()) };
    let loops: Vec<Var> = axes.iter().map(|axis| axis.var.renewed()).collect();
    let [of_outer @ .., of_panel, _, of_lane] = loops.as_slice() else { return Err(wrong()) };
    let (task, at) = (p.var("task"), p.var("k"));
    let k = &(&Expr::var(&task) * K_PER_TASK) + &Expr::var(&at);
    let inside = match p.divides(K_PER_TASK, &k_axis.extent)? {
        true => Expr::bool(true),
        false => compare(CmpOp::Lt, &k, &k_axis.extent)?,
    };
    let values = of_outer.iter().chain([of_panel]).map(Expr::var).chain([k, Expr::var(of_lane)]).collect();
    let block = block_over(axes, values, inside, body, Attrs::new());
    let lanes = looped(of_lane, &lane.extent, ForKind::Vectorized, block);
    let panels = serial(of_panel, &panel.extent, serial(&at, &p.int(K_PER_TASK), lanes));
    let tasks = looped(&task, &p.ceil_div(&k_axis.extent, K_PER_TASK)?, ForKind::Parallel, panels);
    let outer = of_outer.iter().zip(outer);
    Ok(outer.rev().fold(tasks, |body, (var, axis)| looped(var, &axis.extent, ForKind::Parallel, body)))
}

/// A block with one store, at these values of its axes and under this condition.
fn block_over(axes: &[Axis], values: Vec<Expr>, predicate: Expr, body: Stmt, annotations: Attrs) -> Stmt {
    let iter = |axis: &Axis| IterVar {
        var: axis.var.clone(),
        domain: Range::up_to(axis.extent.clone()),
        kind: IterKind::Spatial,
    };
    let mut block = Block {
        name: "packed_b".into(),
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
