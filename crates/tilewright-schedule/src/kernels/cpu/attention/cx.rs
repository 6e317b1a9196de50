//! What the kernels of attention share: the spec with its tiling, temporaries, blocks of keys and the task around them.

use std::ops::Deref;
use std::sync::Arc;

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, Scope, Stmt, Var};

use crate::analysis::axes::Axis;
use crate::build::exprs::{binary, compare, substituted, typed};
use crate::build::loops::{looped, memory, task_block, with_names};
use crate::families::attention::Attention;
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::cpu::attention::AttentionPlan;

/// The sizes of tiles and blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    pub(super) lanes: i64,
    /// Vectors of queries of a task.
    pub(super) vectors: i64,
    /// Keys, or columns of the values, of a register tile.
    pub(super) rows: i64,
    pub(super) key_block: i64,
    pub(super) lanes_per_query: i64,
    /// Whether a block of keys, and of values, is copied, though its elements could be read in place.
    pub(super) copy_keys: bool,
    pub(super) copy_values: bool,
}

impl Tiling {
    pub(super) fn of(plan: &AttentionPlan) -> Self {
        let AttentionPlan { lanes, vectors, rows, keys: key_block, copy_keys, copy_values, .. } = *plan;
        Self { lanes, vectors, rows, key_block, lanes_per_query: 1, copy_keys, copy_values }
    }

    /// Queries of a task.
    pub(super) fn queries(&self) -> i64 {
        self.lanes * self.vectors / self.lanes_per_query
    }

    /// The same with another number of vectors, and about as many registers in a tile.
    pub(super) fn with_vectors(self, vectors: i64) -> Self {
        let max_rows = (self.rows * self.vectors / vectors.max(1)).clamp(1, self.key_block);
        let rows = (1..=max_rows).rev().find(|rows| self.key_block % rows == 0).unwrap_or(1);
        Self { vectors, rows, ..self }
    }

    /// One vector, of which each query has several lanes.
    pub(super) fn with_lanes_per_query(self, lanes_per_query: i64) -> Self {
        Self { lanes_per_query, ..self.with_vectors(1) }
    }
}

pub(super) struct Flash<'a> {
    pub(super) a: &'a Attention,
    pub(super) tiling: Tiling,
    pub(super) head_dim: i64,
    pub(super) value_dim: i64,
    pub(super) cx: IndexCx,
    pub(super) name: Arc<str>,
}

impl Deref for Flash<'_> {
    type Target = IndexCx;

    fn deref(&self) -> &IndexCx {
        &self.cx
    }
}

/// A block of keys: its size is constant only where all of its keys exist.
pub(super) struct KeyBlock {
    pub(super) start: Expr,
    pub(super) count: Expr,
}

impl Flash<'_> {
    pub(super) fn float(&self, value: f64) -> Expr {
        Expr::float(value, self.a.dtype)
    }

    /// A temporary of a task.
    pub(super) fn memory(&self, name: &str, shape: &[i64]) -> Buffer {
        self.buffer(name, shape, Scope::Global)
    }

    /// A temporary that becomes registers.
    pub(super) fn registers(&self, name: &str, shape: &[i64]) -> Buffer {
        self.buffer(name, shape, Scope::Local)
    }

    fn buffer(&self, name: &str, shape: &[i64], scope: Scope) -> Buffer {
        memory(name, shape.iter().map(|&size| self.int(size)).collect(), self.a.dtype, scope)
    }

    /// Vectors over so many elements, and a tail: `body` is of an element.
    pub(super) fn elements(
        &self,
        name: &str,
        all: i64,
        mut body: impl FnMut(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let lanes = self.tiling.lanes;
        let mut stmts = Vec::new();
        if all >= lanes {
            let vectors =
                self.unrolled(name, all / lanes, |v| self.vector("c", lanes, |c| body(&(&(v * lanes) + c))))?;
            stmts.push(vectors);
        }
        if all % lanes != 0 {
            stmts.push(self.vector("c", all % lanes, |c| body(&(&self.int(all / lanes * lanes) + c)))?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// A formula at indices along axes.
    pub(super) fn at(&self, formula: &Expr, indices: &[(&Var, &Expr)], batch: &[(Var, Expr)]) -> Expr {
        let indices = indices.iter().map(|(var, index)| (Var::clone(var), Expr::clone(index)));
        substituted(formula, &indices.chain(batch.iter().cloned()).collect::<Vec<_>>())
    }

    /// The blocks of keys up to `end`, one after the other.
    pub(super) fn key_blocks(
        &self,
        end: &Expr,
        body: impl Fn(&KeyBlock) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let size = self.tiling.key_block;
        self.serial("key_block", &self.ceil_div(end, size)?, |number| {
            let (start, count) = (self.var("key_start"), self.var("key_count"));
            let left = self.min(&self.int(size), &(end - &Expr::var(&start)))?;
            let body = body(&KeyBlock { start: Expr::var(&start), count: Expr::var(&count) })?;
            Ok(with_names(vec![(start, self.simple(&(number * size))), (count, left)], body))
        })
    }

    /// The same of a constant number of keys: the tail is a block of its own.
    pub(super) fn constant_key_blocks(
        &self,
        end: i64,
        body: impl Fn(&KeyBlock) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.tiles("key_block", end, self.tiling.key_block, |first, count| {
            let start = self.var("key_start");
            let body = body(&KeyBlock { start: Expr::var(&start), count: self.int(count) })?;
            Ok(with_names(vec![(start, first.clone())], body))
        })
    }

    /// A key of a block, clamped to the keys that exist.
    pub(super) fn key(&self, keys: &KeyBlock, j: &Expr) -> Result<Expr, Fault> {
        if keys.count.as_int().is_some() {
            return Ok(&keys.start + j);
        }
        binary(BinOp::Min, &(&keys.start + j), &(&self.a.key.extent - 1))
    }

    /// The parallel loop over the batch and blocks of queries; `body` is of the batch indices and the block's number.
    pub(super) fn tasks(
        &self,
        query_blocks: &Expr,
        own: &[Buffer],
        body: impl FnOnce(&[(Var, Expr)], &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let a = self.a;
        let task = self.var("task");
        let block = self.var("query_block");
        let mut axes = vec![(block.clone(), query_blocks.clone())];
        let renewed = |axis: &Axis| (axis.var.renewed(), axis.extent.clone());
        axes.extend(a.batch.iter().rev().map(renewed));
        let (mut rest, mut count, mut lets) = (Expr::var(&task), self.int(1), Vec::new());
        for (number, (var, extent)) in axes.iter().enumerate() {
            let last = number + 1 == axes.len();
            let value = if last { rest.clone() } else { binary(BinOp::FloorMod, &rest, extent)? };
            let value = if extent.as_int() == Some(1) { self.int(0) } else { value };
            lets.push((var.clone(), self.simple(&value)));
            rest = self.binary(BinOp::FloorDiv, &rest, extent)?;
            count = self.simple(&(&count * extent));
        }
        let indices = a.batch.iter().rev().zip(axes.iter().skip(1));
        let batch: Vec<(Var, Expr)> = indices.map(|(axis, (var, _))| (axis.var.clone(), Expr::var(var))).collect();
        let inner = with_names(lets, body(&batch, &Expr::var(&block))?);
        let read = [&a.q, &a.k, &a.v, &a.scores, &a.result];
        let block = task_block(&self.name, &read, vec![a.out.clone()], own.to_vec(), inner);
        Ok(looped(&task, &count, ForKind::Parallel, block))
    }
}

/// The logarithm of the least normal float32.
const MIN_EXPONENT: f64 = -87.33;

/// The weight of a score at a distance from the shift. One that would be less than the least normal number is zero:
/// processors take a hundred times as long for products of such numbers, and masks of -100 make them.
pub(super) fn weight(distance: &Expr) -> Result<Expr, Fault> {
    let least = Expr::float(MIN_EXPONENT, distance.dtype);
    let is_tiny = compare(CmpOp::Lt, distance, &least)?;
    // Not even what is not selected may be such a number.
    let held = typed(Expr::select(&is_tiny, &least, distance))?;
    typed(Expr::select(&is_tiny, &Expr::float(0.0, distance.dtype), &exp(&held)?))
}

pub(super) fn exp(value: &Expr) -> Result<Expr, Fault> {
    typed(Expr::call(Intrinsic::Exp, std::slice::from_ref(value)))
}

/// What is subtracted from scores before they are exponents: the maximum, or zero where that is -inf, so that the
/// distance of scores that are all -inf is -inf.
pub(super) fn shift(max: &Expr) -> Result<Expr, Fault> {
    let is_lowest = compare(CmpOp::Eq, max, &Expr::float(f64::NEG_INFINITY, max.dtype))?;
    typed(Expr::select(&is_lowest, &Expr::float(0.0, max.dtype), max))
}

/// Whether an operand is an element of memory, and not computed.
pub(super) fn is_load(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Load { .. })
}
