//! A sum of products on a GPU: each block of threads computes a tile of the result, of operands that its threads bring
//! to shared memory together, and each thread a register tile of that.
//!
//! ```text
//! for tile in blockIdx.x, t in threadIdx.x
//!   sums[0 .. thread_m, 0 .. thread_n] = 0
//!   for step in range(ceil(K / block_k))
//!     wait; shared_a[k, m] = A(m, k), shared_b[k, n] = B(k, n): 0 beyond the operands; wait
//!     for k in range(block_k)
//!       a = shared_a[k, rows of the thread], b = shared_b[k, columns of the thread]
//!       sums += a * b
//!   outputs(sums)                                   the epilogue, where there are such rows and columns
//! ```
//!
//! Operands are expressions, so that a convolution is a GEMM whose elements are found by division as they are loaded
//! (implicit im2col). Neighbouring threads load neighbours in memory. Narrow operands are narrow in shared memory, and
//! floats of 16 bits are summed in float32. Rows of a thread are runs of [`SHARED_LANES`], which it reads at once;
//! runs of neighbouring threads follow each other.

use std::ops::Deref;
use std::sync::Arc;

use tilewright_ir::tir::{
    BinOp, Buffer, Builtin, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Scope, Stmt, StmtKind, Var,
};
use tilewright_tensor::DataType;
use tilewright_tir_passes::analyzer_of;

use crate::analysis::axes::{Axis, Group};
use crate::analysis::epilogue::Outputs;
use crate::analysis::stages::{own_nest, statements, touches};
use crate::build::exprs::{binary, compare, stored, substituted, typed};
use crate::build::loops::{looped, memory, named, only_if, serial, task_block, with_names};
use crate::build::rewrite::{path_of, with_block};
use crate::families::contraction::fold_batch::{self, Folded};
use crate::families::contraction::outputs::outputs_of;
use crate::families::contraction::{Contraction, unwidened};
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::Plan;
use crate::plan::gpu::gemm::{PADDING, SHARED_LANES, TiledGemmPlan};
use crate::primitive::call::{Call, Outcome, Primitive, Results};

pub(crate) const TILED_GEMM: Primitive = Primitive {
    name: "TiledGemm",
    method: "tiled_gemm",
    doc: "Computes a sum of products on a GPU, in tiles through shared memory, with its epilogue.",
    params: TiledGemmPlan::PARAMS,
    plan: Some(TiledGemmPlan::DEF),
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (site, plan) = (call.block(0)?, TiledGemmPlan::of_call(call)?);
    let scope = site.expect_scope()?;
    let contraction = Contraction::of(call.function, &site)?;
    let own = own_nest(&site)?;
    let stages = statements(&scope);
    let (outputs, has_epilogue) = outputs_of(call.function, &site, &scope, &contraction)?;
    let first_after = if has_epilogue { stages.len() } else { own + 1 };
    let cleared = contraction.cleared.as_ref().map(own_nest).transpose()?;
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let out = contraction.out.clone();
    let folded = match fold_batch::fold(call.function, &contraction, &outputs)? {
        Some(folded) => folded,
        None => Folded { contraction, outputs, views: Vec::new() },
    };
    let launch = launch(call.function, folded, &plan, &name)?;
    let before = stages.iter().enumerate().take(own).filter(|(at, _)| Some(*at) != cleared);
    let before = before.map(|(_, site)| site.stmt.clone());
    let after = stages.iter().skip(first_after).map(|site| site.stmt.clone());
    let body = Stmt::seq(before.chain([launch]).chain(after));
    let function = with_block(call.function, &path_of(&scope), |block| {
        block.alloc_buffers.retain(|buffer| *buffer != out || touches(&body, buffer));
        block.body = body;
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}

struct Gemm<'a> {
    c: &'a Contraction,
    plan: &'a TiledGemmPlan,
    outputs: &'a Outputs,
    cx: IndexCx,
    /// The type of sums.
    sums: DataType,
}

impl Deref for Gemm<'_> {
    type Target = IndexCx;

    fn deref(&self) -> &IndexCx {
        &self.cx
    }
}

/// An operand on its way through shared memory to registers.
struct Operand<'a> {
    /// An element, in its own type.
    value: &'a Expr,
    /// The axes that it has apart from K, and their part in a tile and in a thread.
    rows: &'a Group,
    tile: i64,
    thread: i64,
    shared: Buffer,
    registers: Buffer,
    /// The first row of the block's tile.
    first: Expr,
    /// The number of the thread's runs.
    number: Expr,
}

impl Operand<'_> {
    /// Rows that a thread reads at once.
    fn lanes(&self) -> i64 {
        if self.thread % SHARED_LANES == 0 { SHARED_LANES } else { self.thread.min(1 << self.thread.trailing_zeros()) }
    }

    /// The row of the tile that is this one of the thread: its runs are as far apart as all threads' runs are long.
    fn row(&self, run: &Expr, lane: &Expr) -> Expr {
        let lanes = self.lanes();
        let apart = self.tile / self.thread * lanes;
        &(&(run * apart) + &(&self.number * lanes)) + lane
    }
}

fn local(name: &str, size: i64, dtype: DataType) -> Buffer {
    memory(name, vec![Expr::i64(size)], dtype, Scope::Local)
}

fn barrier() -> Stmt {
    StmtKind::Evaluate(Expr::builtin(Builtin::STORAGE_SYNC, vec![Expr::str("shared")])).into()
}

/// The loops over tiles and threads.
fn launch(function: &PrimFunc, folded: Folded, plan: &TiledGemmPlan, name: &Arc<str>) -> Result<Stmt, Fault> {
    let (c, outputs) = (&folded.contraction, &folded.outputs);
    let sums = match c.out.dtype {
        dtype if dtype.is_float() && dtype.bits < 32 => DataType::F32,
        dtype => dtype,
    };
    let p = Gemm { c, plan, outputs, cx: IndexCx { index: c.index, known: analyzer_of(function) }, sums };
    let (tile, thread, mut lets) = (p.var("tile"), p.var("thread"), Vec::new());
    let Tile { batch, m: m_tile, n: n_tile, count } = p.tile(&Expr::var(&tile), &mut lets)?;
    let across = plan.block_n / plan.thread_n;
    let t = Expr::var(&thread);
    let row = named("thread_row", &p.floor_div(&t, across)?, &mut lets);
    let column = named("thread_column", &p.floor_mod(&t, across)?, &mut lets);
    let mut operand = |name: &str, value, rows, (tile, thread): (i64, i64), number: &Expr, at: &Expr| {
        let value: &Expr = unwidened(value);
        let shape = vec![Expr::i64(plan.block_k), Expr::i64(tile + PADDING)];
        let first = named(&format!("first_{name}"), &p.simple(&(at * tile)), &mut lets);
        Operand {
            value,
            rows,
            tile,
            thread,
            shared: memory(&format!("shared_{name}"), shape, value.dtype, Scope::Shared),
            registers: local(&format!("own_{name}"), thread, p.sums),
            first,
            number: number.clone(),
        }
    };
    let a = operand("a", &c.a, &c.m, (plan.block_m, plan.thread_m), &row, &m_tile);
    let b = operand("b", &c.b, &c.n, (plan.block_n, plan.thread_n), &column, &n_tile);
    let accumulators = local("sums", plan.thread_m * plan.thread_n, p.sums);
    let body = p.body(&t, &batch, [&a, &b], &accumulators)?;
    let body = with_names(lets, body);
    let body = folded.views.iter().cloned().rfold(body, |body, buffer| StmtKind::Allocate { buffer, body }.into());
    let own = vec![a.shared, b.shared, a.registers, b.registers, accumulators];
    let block = p.block(name, own, &folded.views, body);
    let threads = looped(&thread, &p.int(plan.threads()), ForKind::ThreadBinding("threadIdx.x".into()), block);
    Ok(looped(&tile, &count, ForKind::ThreadBinding("blockIdx.x".into()), threads))
}

/// The tile of a block of threads: the values of the batch's axes, its numbers along M and N, and how many there are.
struct Tile {
    batch: Vec<(Var, Expr)>,
    m: Expr,
    n: Expr,
    count: Expr,
}

impl Gemm<'_> {
    /// The tile with a number. Tiles that follow each other are neighbours along N.
    fn tile(&self, number: &Expr, lets: &mut Vec<(Var, Expr)>) -> Result<Tile, Fault> {
        let [batch, m_tile, n_tile] = ["batch", "m_tile", "n_tile"].map(|name| self.var(name));
        let mut axes = vec![
            Axis { var: batch.clone(), extent: self.c.batch.size.clone() },
            Axis { var: m_tile.clone(), extent: self.ceil_div(&self.c.m.size, self.plan.block_m)? },
            Axis { var: n_tile.clone(), extent: self.ceil_div(&self.c.n.size, self.plan.block_n)? },
        ];
        // One whose range is not constant is outermost.
        axes.sort_by_key(|axis| axis.extent.as_int().is_some());
        let all = Group::new(&self.known, axes, self.index)?;
        let values = all.values(&self.known, number)?;
        let mut value_of = |wanted: &Var| {
            let value = values.iter().find(|(var, _)| var == wanted).map_or(self.int(0), |(_, value)| value.clone());
            named(&wanted.name, &value, lets)
        };
        let [batch, m_tile, n_tile] = [&batch, &m_tile, &n_tile].map(&mut value_of);
        let values = self.c.batch.values(&self.known, &batch)?;
        let batch = values.into_iter().map(|(var, value)| (var.clone(), named(&var.name, &value, lets))).collect();
        Ok(Tile { batch, m: m_tile, n: n_tile, count: all.size })
    }

    /// What a thread does.
    fn body(
        &self,
        thread: &Expr,
        batch: &[(Var, Expr)],
        operands: [&Operand<'_>; 2],
        sums: &Buffer,
    ) -> Result<Stmt, Fault> {
        let steps = self.ceil_div(&self.c.k.size, self.plan.block_k)?;
        let zero = Expr::number(0, self.sums);
        let clear =
            self.unrolled("i", self.plan.thread_m * self.plan.thread_n, |i| stored(sums, vec![i.clone()], &zero))?;
        let step = self.serial("step", &steps, |step| {
            let start = self.simple(&(step * self.plan.block_k));
            let mut stmts = vec![barrier()];
            for operand in operands {
                stmts.push(self.to_shared(operand, thread, batch, &start)?);
            }
            stmts.push(barrier());
            stmts.push(self.multiply(operands, sums)?);
            Ok(Stmt::seq(stmts))
        })?;
        Ok(Stmt::seq([clear, step, self.finish(batch, operands, sums)?]))
    }

    /// A step's tile of an operand goes to shared memory.
    fn to_shared(
        &self,
        operand: &Operand<'_>,
        thread: &Expr,
        batch: &[(Var, Expr)],
        start: &Expr,
    ) -> Result<Stmt, Fault> {
        let (threads, depth) = (self.plan.threads(), self.plan.block_k);
        let along_k = is_innermost(operand.value, &self.c.k) && !is_innermost(operand.value, operand.rows);
        self.unrolled("load", operand.tile * depth / threads, |number| {
            let element = &(number * threads) + thread;
            let inner = if along_k { depth } else { operand.tile };
            let (outer, inner) = (self.floor_div(&element, inner)?, self.floor_mod(&element, inner)?);
            let (k, row) = if along_k { (inner, outer) } else { (outer, inner) };
            let mut lets = Vec::new();
            let k_at = named("k", &self.simple(&(start + &k)), &mut lets);
            let at = named("row", &self.simple(&(&operand.first + &row)), &mut lets);
            let mut values = operand.rows.values(&self.known, &at)?;
            values.extend(self.c.k.values(&self.known, &k_at)?);
            values.extend(batch.iter().cloned());
            let value = substituted(operand.value, &values);
            let mut inside = Vec::new();
            if !self.divides(operand.tile, &operand.rows.size)? {
                inside.push(compare(CmpOp::Lt, &at, &operand.rows.size)?);
            }
            if !self.divides(depth, &self.c.k.size)? {
                inside.push(compare(CmpOp::Lt, &k_at, &self.c.k.size)?);
            }
            let inside = inside.into_iter().map(Ok).reduce(|a, b| binary(BinOp::And, &a?, &b?)).transpose()?;
            let value = match inside {
                None => value,
                Some(inside) => {
                    let zero = Expr::number(0, value.dtype);
                    typed(Expr::call(Intrinsic::IfThenElse, &[inside, value, zero]))?
                }
            };
            Ok(with_names(lets, stored(&operand.shared, vec![k, row], &value)?))
        })
    }

    /// The products of a step.
    fn multiply(&self, operands: [&Operand<'_>; 2], sums: &Buffer) -> Result<Stmt, Fault> {
        let [a, b] = operands;
        let depth = self.int(self.plan.block_k);
        let k = self.var("k");
        let mut stmts = Vec::new();
        for operand in operands {
            stmts.push(self.each_row(operand, ForKind::Vectorized, |row, own| {
                let value = typed(Expr::load(&operand.shared, vec![Expr::var(&k), row.clone()]))?;
                stored(&operand.registers, vec![own.clone()], &typed(value.cast(self.sums))?)
            })?);
        }
        stmts.push(self.unrolled("i", a.thread, |i| {
            self.unrolled("j", b.thread, |j| {
                let at = vec![self.simple(&(&(i * b.thread) + j))];
                let [x, y] = [(a, i), (b, j)].map(|(o, at)| typed(Expr::load(&o.registers, vec![at.clone()])));
                let sum = typed(Expr::load(sums, at.clone()))?;
                stored(sums, at, &binary(BinOp::Add, &sum, &binary(BinOp::Mul, &x?, &y?)?)?)
            })
        })?);
        Ok(serial(&k, &depth, Stmt::seq(stmts)))
    }

    /// Each row of a thread: `body` is of its number in the tile and in the thread.
    fn each_row(
        &self,
        operand: &Operand<'_>,
        kind: ForKind,
        body: impl Fn(&Expr, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let lanes = operand.lanes();
        self.unrolled("run", operand.thread / lanes, |run| {
            let lane = self.var("lane");
            let l = Expr::var(&lane);
            let body = body(&self.simple(&operand.row(run, &l)), &self.simple(&(&(run * lanes) + &l)))?;
            Ok(looped(&lane, &self.int(lanes), kind.clone(), body))
        })
    }

    /// The sums of a thread go through the epilogue to the outputs.
    fn finish(&self, batch: &[(Var, Expr)], operands: [&Operand<'_>; 2], sums: &Buffer) -> Result<Stmt, Fault> {
        let [a, b] = operands;
        let is_whole = self.divides(b.lanes(), &b.rows.size)?;
        let together = is_whole && self.outputs.all.iter().all(|output| is_along(&output.indices, b.rows));
        let kind = if together { ForKind::Vectorized } else { ForKind::Unrolled };
        self.each_row(a, ForKind::Unrolled, |row, i| {
            let m = self.simple(&(&a.first + row));
            let mut of_row = a.rows.values(&self.known, &m)?;
            of_row.extend(batch.iter().cloned());
            let columns = self.unrolled("run", b.thread / b.lanes(), |run| {
                let lane = self.var("lane");
                let l = Expr::var(&lane);
                let n = self.simple(&(&b.first + &b.row(run, &l)));
                let j = &(run * b.lanes()) + &l;
                let sum = typed(Expr::load(sums, vec![self.simple(&(&(i * b.thread) + &j))]))?;
                let mut values = b.rows.values(&self.known, &n)?;
                values.extend(of_row.iter().cloned());
                values.push((self.outputs.sum.clone(), typed(sum.cast(self.c.out.dtype))?));
                let stmt = self.outputs(&values)?;
                let lanes = |stmt| looped(&lane, &self.int(b.lanes()), kind.clone(), stmt);
                if !together {
                    return Ok(lanes(self.inside(b, &n, stmt)?));
                }
                // Vectors are whole or not there at all.
                let first = self.simple(&(&b.first + &b.row(run, &self.int(0))));
                self.inside(b, &first, lanes(stmt))
            })?;
            self.inside(a, &m, columns)
        })
    }

    /// Stores the outputs of a sum, at the values of the axes and the sum.
    fn outputs(&self, values: &[(Var, Expr)]) -> Result<Stmt, Fault> {
        let outputs = self.outputs.all.iter().map(|output| {
            let indices = output.indices.iter().map(|index| substituted(index, values)).collect();
            stored(&output.buffer, indices, &substituted(&output.value, values))
        });
        Ok(Stmt::seq(outputs.collect::<Result<Vec<_>, _>>()?))
    }

    /// The statement, where there is such a row.
    fn inside(&self, operand: &Operand<'_>, at: &Expr, stmt: Stmt) -> Result<Stmt, Fault> {
        if self.divides(operand.tile, &operand.rows.size)? {
            return Ok(stmt);
        }
        Ok(only_if(compare(CmpOp::Lt, at, &operand.rows.size)?, stmt))
    }

    /// The block of a tile, with what it reads and writes: through a view, all of the memory that the view is of.
    fn block(&self, name: &str, own: Vec<Buffer>, views: &[Buffer], body: Stmt) -> Stmt {
        let values = self.outputs.all.iter().map(|output| &output.value);
        let read: Vec<&Expr> = [&self.c.a, &self.c.b].into_iter().chain(values).collect();
        let written = self.outputs.all.iter().map(|output| output.buffer.clone()).collect();
        match views {
            [] => task_block(name, &read, written, own, body),
            // A block without regions may read and write anything.
            _ => task_block(name, &[], Vec::new(), own, body),
        }
    }
}

/// Whether neighbours along the last axis of a group are neighbours in the memory that an expression reads first.
fn is_innermost(value: &Expr, group: &Group) -> bool {
    let mut found = None;
    tilewright_expr::node::walk(value, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind
            && found.is_none()
        {
            found = Some(is_along(indices, group));
        }
    });
    found.unwrap_or(false)
}

/// Whether the last index moves by one with the last axis of a group, and no other does.
fn is_along(indices: &[Expr], group: &Group) -> bool {
    let Some(axis) = group.axes.iter().rev().find(|axis| axis.extent.as_int() != Some(1)) else { return false };
    let own = std::slice::from_ref(&axis.var);
    let Some((last, others)) = indices.split_last() else { return false };
    let ends = match &last.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            a.as_var() == Some(&axis.var) || b.as_var() == Some(&axis.var)
        }
        _ => last.as_var() == Some(&axis.var),
    };
    ends && !others.iter().any(|index| crate::build::exprs::mentions(index, own))
}
