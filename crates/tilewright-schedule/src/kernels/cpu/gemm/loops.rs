//! The loops of a product around its register tiles: tasks, steps over the depth, panels.

use std::sync::Arc;

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_tir_passes::analyzer_of;

use super::cx::{Gemm, KBlock, Made, Task};
use super::dot_product::Start;
use super::micro_kernel::{Micro, Partial};
use super::prefetch_a::prefetched_a;
use super::prefetch_b::next_b_panel;
use super::{pack, widen_panel};
use crate::families::contraction::Contraction;
use crate::families::contraction::dot_groups::Grouping;

use crate::facts::axes::{Axis, Group};
use crate::facts::epilogue::Outputs;
use crate::facts::exprs::{binary, compare};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, memory, named, serial, task_block, with_names};
use crate::families::contraction::is_constant;
use crate::families::contraction::is_one;
use crate::families::contraction::unwidened;
use crate::plan::cpu::gemm::{GemmPlan, Narrow, PackA, PackB};

/// Nodes of expressions that are written out behind the sums of a tile. Loops there would look to LLVM as if they ran more
/// often than the one over the depth, and their constants would have the registers of sums.
const WRITTEN_OUT: usize = 1500;

/// The product as loops, with what is packed ahead in front.
pub(super) fn product(
    function: &PrimFunc,
    c: &Contraction,
    plan: &GemmPlan,
    (outputs, views): (&Outputs, Vec<Buffer>),
    grouping: Option<Grouping>,
    name: &Arc<str>,
) -> Result<Made, Fault> {
    let columns = if plan.pack_b == PackB::InPlace { &c.b } else { unwidened(&c.b) };
    let (known, prefetched_a) = (analyzer_of(function), prefetched_a(function, c, plan));
    let p = Gemm { c, plan, outputs, grouping, columns, known, prefetched_a };
    let mut made = Made { body: Stmt::nothing(), temporaries: Vec::new() };
    let mut ahead = None;
    if plan.pack_b == PackB::Ahead {
        let packed = pack::columns_ahead(&p, is_constant(function, &c.b))?;
        made.temporaries.push(packed.buffer.clone());
        ahead = Some(packed);
    }
    let tasks = tasks(&p, ahead.as_ref().map(|packed| &packed.buffer), name, &mut made)?;
    let main = views.into_iter().rfold(tasks, |body, buffer| StmtKind::Allocate { buffer, body }.into());
    made.body = Stmt::seq(ahead.map(|packed| packed.stmt).into_iter().chain([main]));
    Ok(made)
}

/// The loops over tasks and steps. Of the three numbers that make a task one whose range is not constant goes outermost.
fn tasks(p: &Gemm<'_>, ahead: Option<&Buffer>, name: &Arc<str>, made: &mut Made) -> Result<Stmt, Fault> {
    let row_blocks = p.ceil_div(&p.c.m.size, p.plan.mc)?;
    let column_blocks = p.ceil_div(&p.panels()?, p.plan.nc / p.plan.panel())?;
    let (batch, columns, rows) = (p.var("batch"), p.var("column_block"), p.var("row_block"));
    let mut axes = vec![
        Axis { var: batch.clone(), extent: p.c.batch.size.clone() },
        Axis { var: columns.clone(), extent: column_blocks },
        Axis { var: rows.clone(), extent: row_blocks },
    ];
    axes.sort_by_key(|axis| axis.extent.as_int().is_some());
    let mut count = p.int(1);
    for axis in &axes {
        count = p.simple(&binary(BinOp::Mul, &count, &axis.extent)?);
    }
    let all = Group { axes, size: count };
    let number = p.var("task");
    let mut lets = Vec::new();
    let mut value_of = |wanted: &Var, name: &str| -> Result<Expr, Fault> {
        let values = all.values(&p.known, &Expr::var(&number))?;
        let value = values.into_iter().find(|(var, _)| var == wanted).map_or(p.int(0), |(_, value)| value);
        Ok(named(name, &value, &mut lets))
    };
    let (batch, columns) = (value_of(&batch, "batch")?, value_of(&columns, "column_block")?);
    let rows = value_of(&rows, "row_block")?;
    let task = task_at(p, &batch, &columns, &rows, &mut lets)?;
    let steps = KBlocks::of(p)?;
    let mut own = Vec::new();
    let partial = partial(p, steps.single, &mut own)?;
    let body = step(p, &task, &steps, (ahead, partial.clone()), &mut own)?;
    let kind = if is_one(&all.size) { ForKind::Serial } else { ForKind::Parallel };
    if !p.plan.k_outermost {
        let body = with_names(lets, steps.around(body));
        return Ok(looped(&number, &all.size, kind, block(p, name, ahead, (own, &[]), body)));
    }
    let (kept, own): (Vec<Buffer>, Vec<Buffer>) = own.into_iter().partition(|buffer| partial.is_of_all(buffer));
    if let Some(copied) = own.iter().find(|buffer| buffer.scope == Scope::Global) {
        return Err(Fault::of_call(format!(
            "tasks copy `{}` for each step: no step can be outside of them",
            copied.name
        )));
    }
    let tasks = looped(&number, &all.size, kind, block(p, name, ahead, (own, &kept), with_names(lets, body)));
    made.temporaries.extend(kept);
    Ok(steps.around(tasks))
}

fn task_at(
    p: &Gemm<'_>,
    batch: &Expr,
    columns: &Expr,
    rows: &Expr,
    lets: &mut Vec<(Var, Expr)>,
) -> Result<Task, Fault> {
    let values = p.c.batch.values(&p.known, batch)?;
    let batch = values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, lets))).collect();
    let per_task = p.plan.nc / p.plan.panel();
    let row = named("row", &p.simple(&(rows * p.plan.mc)), lets);
    let panel = named("panel", &p.simple(&(columns * per_task)), lets);
    let part = |all: &Expr, start: &Expr, most: i64| {
        let whole = p.floor_mod(all, most)?.as_int() == Some(0);
        let rest = p.simple(&(all - start));
        if whole { Ok(p.int(most)) } else { p.least(&p.int(most), &rest) }
    };
    let count = named("rows", &part(&p.c.m.size, &row, p.plan.mc)?, lets);
    let panels = named("panels", &part(&p.panels()?, &panel, per_task)?, lets);
    Ok(Task { batch, row, rows: count, panel, panels })
}

/// What a task of the product reads and writes, as a block with memory of its own and such that it shares with others.
fn block(p: &Gemm<'_>, name: &str, ahead: Option<&Buffer>, (own, kept): (Vec<Buffer>, &[Buffer]), body: Stmt) -> Stmt {
    let packed = ahead.map(|buffer| {
        let zero = buffer.shape.iter().map(|extent| Expr::int(0, extent.dtype)).collect();
        let kind = ExprKind::Load { buffer: buffer.clone(), indices: zero, predicate: None };
        Expr::raw(buffer.dtype, kind)
    });
    let mut read = vec![&p.c.a, packed.as_ref().unwrap_or(&p.c.b)];
    read.extend(p.outputs.all.iter().map(|output| &output.value));
    let written = p.outputs.all.iter().map(|output| &output.buffer).chain(kept).cloned().collect();
    let mut stmt = task_block(name, &read, written, own, body);
    if let StmtKind::Block { block, .. } = &stmt.kind {
        let is_summed = |buffer: &Buffer| p.outputs.is_plain() || kept.contains(buffer);
        let mut block = block.clone();
        block.reads.extend(block.writes.iter().filter(|region| is_summed(&region.buffer)).cloned());
        stmt = StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into();
    }
    stmt
}

/// The steps over the depth.
struct KBlocks {
    number: Var,
    count: Expr,
    /// Whether there is only one.
    single: bool,
    /// What is known of a step.
    lets: Vec<(Var, Expr)>,
    step: KBlock,
}

impl KBlocks {
    fn of(p: &Gemm<'_>) -> Result<Self, Fault> {
        let (number, t) = (p.var("step"), p.plan);
        let count = p.steps()?;
        let single = is_one(&count);
        let mut lets = Vec::new();
        let step = if single {
            KBlock { number: p.int(0), start: p.int(0), depth: p.c.k.size.clone() }
        } else {
            let start = p.simple(&(&Expr::var(&number) * t.kc));
            let whole = p.floor_mod(&p.c.k.size, t.kc)?.as_int() == Some(0);
            let rest = p.simple(&(&p.c.k.size - &start));
            let depth = if whole { p.int(t.kc) } else { p.least(&p.int(t.kc), &rest)? };
            let start = named("start", &start, &mut lets);
            KBlock { number: Expr::var(&number), start, depth: named("depth", &depth, &mut lets) }
        };
        Ok(Self { number, count, single, lets, step })
    }

    /// The loop over all steps around what one does.
    fn around(self, body: Stmt) -> Stmt {
        let body = with_names(self.lets, body);
        if self.single { body } else { serial(&self.number, &self.count, body) }
    }
}

/// A step of a task, and the memory that it needs.
fn step(
    p: &Gemm<'_>,
    task: &Task,
    steps: &KBlocks,
    (ahead, partial): (Option<&Buffer>, Partial),
    own: &mut Vec<Buffer>,
) -> Result<Stmt, Fault> {
    let (t, step, single) = (p.plan, &steps.step, steps.single);
    let mut stmts = Vec::new();
    let rows = match t.pack_a {
        PackA::InPlace => None,
        way => {
            let packed = pack::rows(p, task, step, way)?;
            own.push(packed.buffer.clone());
            stmts.push(packed.stmt);
            Some(packed.buffer)
        }
    };
    let inner = p.var("p");
    let place = Expr::var(&inner);
    let mut panel = Vec::new();
    let columns = match t.pack_b {
        PackB::PerTask => {
            let packed = pack::columns_of_panel(p, task, step, &place)?;
            own.push(packed.buffer.clone());
            panel.push(packed.stmt);
            Some(packed.buffer)
        }
        PackB::Ahead => ahead.cloned(),
        PackB::InPlace => None,
    };
    let last = compare(CmpOp::Eq, &step.number, &p.simple(&(&steps.count - 1)))?;
    let last = p.simple(&last);
    let mut of_panel = Vec::new();
    let next = next_b_panel(p, task, step, &place, &mut of_panel)?;
    let mut micro =
        Micro { p, task, step, rows, columns, partial, panel: place, last, single, start: None, wide: None, next };
    if t.narrow == Narrow::WidenInPanel {
        let wide = widen_panel::panel(p, &micro, step)?;
        own.push(wide.buffer.clone());
        panel.push(wide.stmt);
        micro.wide = Some(wide.buffer);
    }
    if p.has_starts() {
        let starts = memory("starts", vec![p.int(t.panel())], p.c.out.dtype, Scope::Global);
        let (stmt, registers) = micro.starts(&starts)?;
        own.extend([starts.clone(), registers]);
        panel.push(stmt);
        micro.start = Some(Start(starts));
    }
    let (tiles, registers) = micro.tiles()?;
    own.extend(registers);
    panel.push(tiles);
    stmts.push(serial(&inner, &task.panels, with_names(of_panel, Stmt::seq(panel))));
    Ok(Stmt::seq(stmts))
}

/// Where sums are between steps, and before what follows them is computed.
fn partial(p: &Gemm<'_>, single: bool, own: &mut Vec<Buffer>) -> Result<Partial, Fault> {
    if p.outputs.is_plain() {
        return Ok(Partial::InResult);
    }
    let t = p.plan;
    if single && p.outputs.nodes().saturating_mul((t.mr * t.nr_vectors) as usize) <= WRITTEN_OUT {
        return Ok(Partial::InRegisters);
    }
    let shape = match (single, t.k_outermost) {
        (true, _) => [t.mr, t.panel()].map(|size| p.int(size)).to_vec(),
        (false, false) => [t.mc, t.nc].map(|size| p.int(size)).to_vec(),
        (false, true) => {
            let batch = p.c.batch.axes.iter().map(|axis| axis.extent.clone());
            batch.chain([p.c.m.size.clone(), p.simple(&(&p.panels()? * t.panel()))]).collect()
        }
    };
    let sums = memory("sums", shape, p.c.out.dtype, Scope::Global);
    own.push(sums.clone());
    Ok(match (single, t.k_outermost) {
        (true, _) => Partial::OfTile(sums),
        (false, false) => Partial::OfTask(sums),
        (false, true) => Partial::OfAll(sums),
    })
}
