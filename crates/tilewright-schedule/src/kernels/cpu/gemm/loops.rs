//! The loops of a GEMM around its micro-kernels: tasks, K blocks, panels.

use std::sync::Arc;

use tilewright_ir::tir::{Buffer, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_tir_passes::analyzer_of;

use super::block_scaled::ScaledGroups;
use super::cx::{Gemm, KBlock, Made, Task};
use super::micro_kernel::MicroKernel;
use super::operands::Operands;
use super::prefetch_a::prefetched_a;
use super::prefetch_b::next_panel;
use super::tile_store::PartialSums;
use super::{convert_b, pack};
use crate::analysis::axes::{Axis, Group};
use crate::build::exprs::compare;
use crate::build::loops::{looped, memory, named, serial, task_block, with_names};
use crate::families::contraction::Contraction;
use crate::families::contraction::block_scaled::BlockScaled;
use crate::families::contraction::dot_groups::Grouping;
use crate::families::contraction::fold_batch::Folded;
use crate::families::contraction::{is_constant, is_one, unwidened};
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::cpu::gemm::{Conversion, GemmPlan, PackA, PackB};

/// Nodes of expressions of an epilogue that is unrolled over a tile, at most. LLVM would take loops there to run more
/// often than the one over K, and give their constants the registers of the accumulators.
const MAX_UNROLLED_NODES: usize = 1500;

/// The GEMM as loops, after what is packed ahead.
pub(super) fn gemm(
    function: &PrimFunc,
    folded: Folded,
    plan: &GemmPlan,
    grouping: Option<Grouping>,
    name: &Arc<str>,
) -> Result<Made, Fault> {
    let (c, outputs) = (&folded.contraction, &folded.outputs);
    let computes_b = plan.pack_b == PackB::InPlace || plan.conversion == Conversion::OfCodes;
    let narrow_b = if computes_b { &c.b } else { unwidened(&c.b) };
    let prefetched_a = prefetched_a(function, c, plan);
    let cx = IndexCx { index: c.index, known: analyzer_of(function) };
    let spec = block_scaled_spec(c, plan)?;
    let mut p = Gemm { c, plan, outputs, grouping, scaled_groups: None, narrow_b, cx, prefetched_a };
    let mut made = Made { body: Stmt::nothing(), temporaries: Vec::new() };
    let mut before = Vec::new();
    if let Some(spec) = &spec {
        let mut groups = ScaledGroups::of(spec);
        for packed in p.prepared_groups(&mut groups)? {
            packed.kept_in(&mut made.temporaries, &mut before);
        }
        p.scaled_groups = Some(groups);
    }
    let mut ahead = None;
    if plan.pack_b == PackB::Ahead {
        let packed = pack::b_ahead(&p, is_constant(function, &c.b))?;
        made.temporaries.push(packed.buffer.clone());
        ahead = Some(packed);
    }
    let tasks = tasks(&p, ahead.as_ref().map(|packed| &packed.buffer), name, &mut made)?;
    let main = folded.views.into_iter().rfold(tasks, |body, buffer| StmtKind::Allocate { buffer, body }.into());
    made.body = Stmt::seq(before.into_iter().chain(ahead.map(|packed| packed.stmt)).chain([main]));
    Ok(made)
}

/// The spec of integers with scales, where the plan is for such.
fn block_scaled_spec(c: &Contraction, plan: &GemmPlan) -> Result<Option<BlockScaled>, Fault> {
    if plan.conversion != Conversion::BlockScaled {
        return Ok(None);
    }
    let in_place = plan.pack_a == PackA::InPlace && plan.pack_b == PackB::InPlace && !plan.k_outermost;
    match BlockScaled::of(c, plan.lanes) {
        Some(spec) if in_place && plan.kc % spec.group == 0 => Ok(Some(spec)),
        Some(_) => Err(Fault::of_call("integers with scales are read in place, K blocks are of whole groups")),
        None => Err(Fault::of_call("the operands are no integers with a scale for each group along K")),
    }
}

/// The loops over tasks and K blocks.
fn tasks(p: &Gemm<'_>, packed_b: Option<&Buffer>, name: &Arc<str>, made: &mut Made) -> Result<Stmt, Fault> {
    let (number, mut lets) = (p.var("task"), Vec::new());
    let (task, count) = task_of(p, &Expr::var(&number), &mut lets)?;
    let blocks = KBlocks::of(p)?;
    let mut own = Vec::new();
    let partial_sums = partial_sums(p, blocks.block.is_only(), &mut own)?;
    let body = k_block(p, &task, &blocks.block, packed_b, &partial_sums, &mut own)?;
    let kind = if is_one(&count) { ForKind::Serial } else { ForKind::Parallel };
    if !p.plan.k_outermost {
        let body = with_names(lets, blocks.around(body));
        return Ok(looped(&number, &count, kind, block(p, name, packed_b, TaskMemory { own, kept: &[] }, body)));
    }
    let is_of_all = |buffer: &Buffer| matches!(&partial_sums, PartialSums::OfAll(sums) if sums == buffer);
    let (kept, own): (Vec<Buffer>, Vec<Buffer>) = own.into_iter().partition(is_of_all);
    if let Some(packed) = own.iter().find(|buffer| buffer.scope == Scope::Global) {
        return Err(Fault::of_call(format!(
            "tasks make `{}` for each K block: the loop over these cannot be outermost",
            packed.name
        )));
    }
    let memory = TaskMemory { own, kept: &kept };
    let tasks = looped(&number, &count, kind, block(p, name, packed_b, memory, with_names(lets, body)));
    made.temporaries.extend(kept);
    Ok(blocks.around(tasks))
}

/// The task with a number, and how many tasks there are. Of the three indices that make a task, one whose range is not
/// constant is outermost.
fn task_of(p: &Gemm<'_>, number: &Expr, lets: &mut Vec<(Var, Expr)>) -> Result<(Task, Expr), Fault> {
    let per_task = p.plan.nc / p.plan.panel();
    let [batch, n_block, m_block] = ["batch", "n_block", "m_block"].map(|name| p.var(name));
    let mut axes = vec![
        Axis { var: batch.clone(), extent: p.c.batch.size.clone() },
        Axis { var: n_block.clone(), extent: p.ceil_div(&p.panels()?, per_task)? },
        Axis { var: m_block.clone(), extent: p.ceil_div(&p.c.m.size, p.plan.mc)? },
    ];
    axes.sort_by_key(|axis| axis.extent.as_int().is_some());
    let mut size = p.int(1);
    for axis in &axes {
        size = p.product(&size, &axis.extent)?;
    }
    let all = Group { axes, size };
    let values = all.values(&p.known, number)?;
    let mut value_of = |wanted: &Var| {
        let value = values.iter().find(|(var, _)| var == wanted).map_or(p.int(0), |(_, value)| value.clone());
        named(&wanted.name, &value, lets)
    };
    let [batch, n_block, m_block] = [&batch, &n_block, &m_block].map(&mut value_of);
    let values = p.c.batch.values(&p.known, &batch)?;
    let batch = values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, lets))).collect();
    let m_start = named("m_start", &p.simple(&(&m_block * p.plan.mc)), lets);
    let panel_start = named("panel_start", &p.simple(&(&n_block * per_task)), lets);
    let m_count = named("m_count", &p.block_size(&p.c.m.size, &m_start, p.plan.mc)?, lets);
    let panels = named("panels", &p.block_size(&p.panels()?, &panel_start, per_task)?, lets);
    Ok((Task { batch, m_start, m_count, panel_start, panels }, all.size))
}

/// The temporaries of a task, and partial sums that all tasks share.
struct TaskMemory<'a> {
    own: Vec<Buffer>,
    kept: &'a [Buffer],
}

/// The block of a task, with what it reads and writes.
fn block(p: &Gemm<'_>, name: &str, packed_b: Option<&Buffer>, memory: TaskMemory<'_>, body: Stmt) -> Stmt {
    let packed = packed_b.map(|buffer| {
        let zero = buffer.shape.iter().map(|extent| Expr::int(0, extent.dtype)).collect();
        let kind = ExprKind::Load { buffer: buffer.clone(), indices: zero, predicate: None };
        Expr::raw(buffer.dtype, kind)
    });
    let mut read = vec![&p.c.a, packed.as_ref().unwrap_or(&p.c.b)];
    read.extend(p.outputs.all.iter().map(|output| &output.value));
    let written = p.outputs.all.iter().map(|output| &output.buffer).chain(memory.kept).cloned().collect();
    let mut stmt = task_block(name, &read, written, memory.own, body);
    if let StmtKind::Block { block, .. } = &stmt.kind {
        let is_summed = |buffer: &Buffer| p.outputs.is_plain() || memory.kept.contains(buffer);
        let mut block = block.clone();
        block.reads.extend(block.writes.iter().filter(|region| is_summed(&region.buffer)).cloned());
        stmt = StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into();
    }
    stmt
}

/// The loop over K blocks.
struct KBlocks {
    number: Var,
    count: Expr,
    /// Names within the loop.
    lets: Vec<(Var, Expr)>,
    block: KBlock,
}

impl KBlocks {
    fn of(p: &Gemm<'_>) -> Result<Self, Fault> {
        let (number, kc) = (p.var("k_block"), p.plan.kc);
        let count = p.k_blocks()?;
        let mut lets = Vec::new();
        let (at, start, k_count) = if is_one(&count) {
            (p.int(0), p.int(0), p.c.k.size.clone())
        } else {
            let start = p.simple(&(&Expr::var(&number) * kc));
            let k_count = p.block_size(&p.c.k.size, &start, kc)?;
            let start = named("k_start", &start, &mut lets);
            (Expr::var(&number), start, named("k_count", &k_count, &mut lets))
        };
        let is_last = p.simple(&compare(CmpOp::Eq, &at, &p.simple(&(&count - 1)))?);
        Ok(Self { number, count, lets, block: KBlock { number: at, start, count: k_count, is_last } })
    }

    /// The loop over all K blocks around the body of one.
    fn around(self, body: Stmt) -> Stmt {
        let body = with_names(self.lets, body);
        if self.block.is_only() { body } else { serial(&self.number, &self.count, body) }
    }
}

/// A K block of a task, whose temporaries go to `own`.
fn k_block(
    p: &Gemm<'_>,
    task: &Task,
    block: &KBlock,
    ahead: Option<&Buffer>,
    partial_sums: &PartialSums,
    own: &mut Vec<Buffer>,
) -> Result<Stmt, Fault> {
    let t = p.plan;
    let mut stmts = Vec::new();
    let packed_a = match t.pack_a {
        PackA::InPlace => None,
        order => Some(pack::block_of_a(p, task, block, order)?),
    };
    let packed_a = packed_a.map(|packed| packed.kept_in(own, &mut stmts));
    let panels = p.serial("p", &task.panels, |number| {
        let mut panel = Vec::new();
        let packed_b = match t.pack_b {
            PackB::PerTask => Some(pack::panel_of_b(p, task, block, number)?.kept_in(own, &mut panel)),
            PackB::Ahead => ahead.cloned(),
            PackB::InPlace => None,
        };
        let mut lets = Vec::new();
        let next = match p.scaled_groups {
            Some(_) => None,
            None => next_panel(p, task, block, number, &mut lets)?,
        };
        let mut o = Operands { p, task, block, panel: number.clone(), packed_a, packed_b, widened_b: None };
        if t.conversion == Conversion::InPanel {
            o.widened_b = Some(convert_b::panel(&o)?.kept_in(own, &mut panel));
        }
        let mut micro_kernel = MicroKernel { o, partial_sums: partial_sums.clone(), compensation: None, next };
        if p.has_compensation() {
            let buffer = memory("compensations", vec![p.int(t.panel())], p.c.out.dtype, Scope::Global);
            let (stmt, registers) = micro_kernel.compensation(&buffer)?;
            own.extend([buffer.clone(), registers]);
            panel.push(stmt);
            micro_kernel.compensation = Some(buffer);
        }
        let (tiles, registers) = micro_kernel.tiles()?;
        own.extend(registers);
        panel.push(tiles);
        Ok(with_names(lets, Stmt::seq(panel)))
    })?;
    stmts.push(panels);
    if t.matrix_tiles {
        let (set_up, release) = p.tile_setup()?;
        own.push(set_up.buffer);
        stmts.insert(0, set_up.stmt);
        stmts.push(release);
    }
    Ok(Stmt::seq(stmts))
}

/// Where sums are between K blocks, and before the epilogue.
fn partial_sums(p: &Gemm<'_>, single: bool, own: &mut Vec<Buffer>) -> Result<PartialSums, Fault> {
    if p.outputs.is_plain() {
        return Ok(PartialSums::InResult);
    }
    let t = p.plan;
    if single && p.outputs.nodes().saturating_mul((t.mr * t.nr_vectors) as usize) <= MAX_UNROLLED_NODES {
        return Ok(PartialSums::InRegisters);
    }
    let (shape, of): (Vec<Expr>, fn(Buffer) -> PartialSums) = match (single, t.k_outermost) {
        (true, _) => (vec![p.int(t.mr), p.int(t.panel())], PartialSums::OfTile),
        (false, false) => (vec![p.int(t.mc), p.int(t.nc)], PartialSums::OfTask),
        (false, true) => {
            let batch = p.c.batch.axes.iter().map(|axis| axis.extent.clone());
            let own = [p.c.m.size.clone(), p.simple(&(&p.panels()? * t.panel()))];
            (batch.chain(own).collect(), PartialSums::OfAll)
        }
    };
    let sums = memory("partial_sums", shape, p.c.out.dtype, Scope::Global);
    own.push(sums.clone());
    Ok(of(sums))
}
