//! What the two sorts of task share: names, loops, memory, and the block around a task.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, Scope, Stmt, Var};

use super::Tiling;
use crate::facts::axes::Axis;
use crate::facts::exprs::{binary, compare, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, memory, task_block, with_names};
use crate::families::attention::Attention;

/// What tasks are made from.
pub(super) struct Maker<'a> {
    pub(super) a: &'a Attention,
    pub(super) tiling: Tiling,
    pub(super) known: Analyzer,
    pub(super) name: Arc<str>,
}

/// A block of keys: the first one, and how many there are, a constant only where all of them are keys that there are.
pub(super) struct Keys {
    pub(super) first: Expr,
    pub(super) count: Expr,
}

impl Maker<'_> {
    pub(super) fn int(&self, value: i64) -> Expr {
        Expr::int(value, self.a.index)
    }

    pub(super) fn var(&self, name: &str) -> Var {
        Var::new(name, self.a.index)
    }

    pub(super) fn float(&self, value: f64) -> Expr {
        Expr::float(value, self.a.dtype)
    }

    pub(super) fn ceil_div(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&typed(a.ceil_div(by))?))
    }

    pub(super) fn least(&self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        Ok(self.known.simplify(&binary(BinOp::Min, a, b)?))
    }

    /// Memory of a task.
    pub(super) fn memory(&self, name: &str, shape: &[i64]) -> Buffer {
        self.buffer(name, shape, Scope::Global)
    }

    /// Memory that becomes registers.
    pub(super) fn registers(&self, name: &str, shape: &[i64]) -> Buffer {
        self.buffer(name, shape, Scope::Local)
    }

    fn buffer(&self, name: &str, shape: &[i64], scope: Scope) -> Buffer {
        memory(name, shape.iter().map(|&size| self.int(size)).collect(), self.a.dtype, scope)
    }

    pub(super) fn looped(
        &self,
        (name, extent, kind): (&str, &Expr, ForKind),
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let var = self.var(name);
        Ok(looped(&var, extent, kind, body(&Expr::var(&var))?))
    }

    pub(super) fn serial(
        &self,
        name: &str,
        extent: &Expr,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.looped((name, extent, ForKind::Serial), body)
    }

    pub(super) fn unrolled(
        &self,
        name: &str,
        extent: i64,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.looped((name, &self.int(extent), ForKind::Unrolled), body)
    }

    pub(super) fn vectorized(
        &self,
        name: &str,
        extent: i64,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.looped((name, &self.int(extent), ForKind::Vectorized), body)
    }

    /// Vectors over so many elements, the last ones narrower: `body` is of an element.
    pub(super) fn elements(
        &self,
        name: &str,
        all: i64,
        mut body: impl FnMut(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let lanes = self.tiling.lanes;
        let mut stmts = Vec::new();
        if all >= lanes {
            stmts.push(
                self.unrolled(name, all / lanes, |v| self.vectorized("c", lanes, |c| body(&(&(v * lanes) + c))))?,
            );
        }
        if all % lanes != 0 {
            stmts.push(self.vectorized("c", all % lanes, |c| body(&(&self.int(all / lanes * lanes) + c)))?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// A formula at places of axes.
    pub(super) fn at(&self, formula: &Expr, places: &[(&Var, &Expr)], batch: &[(Var, Expr)]) -> Expr {
        let places = places.iter().map(|(var, place)| (Var::clone(var), Expr::clone(place)));
        substituted(formula, &places.chain(batch.iter().cloned()).collect::<Vec<_>>())
    }

    /// The blocks of so many keys, one after the other.
    pub(super) fn key_blocks(
        &self,
        all: &Expr,
        body: impl FnOnce(&Keys) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let keys = self.tiling.keys;
        let blocks = self.ceil_div(all, keys)?;
        self.serial("key_block", &blocks, |number| {
            let (first, count) = (self.var("first_key"), self.var("keys"));
            let start = self.known.simplify(&(number * keys));
            let left = self.least(&self.int(keys), &(all - &Expr::var(&first)))?;
            let body = body(&Keys { first: Expr::var(&first), count: Expr::var(&count) })?;
            Ok(with_names(vec![(first, start), (count, left)], body))
        })
    }

    /// The blocks of a constant number of keys; what is less than a block comes last.
    pub(super) fn constant_key_blocks(
        &self,
        all: i64,
        body: impl Fn(&Keys) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.tiles("key_block", all, self.tiling.keys, |start, count| {
            let first = self.var("first_key");
            let body = body(&Keys { first: Expr::var(&first), count: self.int(count) })?;
            Ok(with_names(vec![(first, start.clone())], body))
        })
    }

    /// A key of a block, held within the keys that there are.
    pub(super) fn key(&self, keys: &Keys, number: &Expr) -> Result<Expr, Fault> {
        if keys.count.as_int().is_some() {
            return Ok(&keys.first + number);
        }
        binary(BinOp::Min, &(&keys.first + number), &(&self.a.key.extent - 1))
    }

    /// The parallel loop over the batch and blocks of queries; `body` is of the batch's axes and the block's number.
    pub(super) fn tasks(
        &self,
        query_blocks: &Expr,
        buffers: &[Buffer],
        body: impl FnOnce(&[(Var, Expr)], &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let task = self.var("task");
        let block = self.var("query_block");
        let mut axes = vec![(block.clone(), query_blocks.clone())];
        let named = |axis: &Axis| (axis.var.renewed(), axis.extent.clone());
        axes.extend(self.a.batch.iter().rev().map(named));
        let (mut rest, mut count, mut lets) = (Expr::var(&task), self.int(1), Vec::new());
        for (number, (var, extent)) in axes.iter().enumerate() {
            let last = number + 1 == axes.len();
            let value = if last { rest.clone() } else { binary(BinOp::FloorMod, &rest, extent)? };
            let value = if extent.as_int() == Some(1) { self.int(0) } else { value };
            lets.push((var.clone(), self.known.simplify(&value)));
            rest = self.known.simplify(&binary(BinOp::FloorDiv, &rest, extent)?);
            count = self.known.simplify(&(&count * extent));
        }
        let places = self.a.batch.iter().rev().zip(axes.iter().skip(1));
        let batch: Vec<(Var, Expr)> = places.map(|(axis, (var, _))| (axis.var.clone(), Expr::var(var))).collect();
        let inner = with_names(lets, body(&batch, &Expr::var(&block))?);
        Ok(looped(&task, &count, ForKind::Parallel, self.block(buffers, inner)))
    }

    /// The block of a task, which may touch all of the buffers.
    fn block(&self, own: &[Buffer], body: Stmt) -> Stmt {
        let a = self.a;
        let read = [&a.of_query, &a.of_key, &a.of_value, &a.scores, &a.result];
        task_block(&self.name, &read, vec![a.out.clone()], own.to_vec(), body)
    }

    /// Tiles of at most so many of a number of things: `body` is of the first one and how many there are.
    pub(super) fn tiles(
        &self,
        name: &str,
        all: i64,
        most: i64,
        mut body: impl FnMut(&Expr, i64) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        if all >= most {
            stmts.push(self.serial(name, &self.int(all / most), |tile| body(&(tile * most), most))?);
        }
        if all % most != 0 {
            stmts.push(body(&self.int(all / most * most), all % most)?);
        }
        Ok(Stmt::seq(stmts))
    }
}

/// The logarithm of the least normal number.
const LEAST: f64 = -87.33;

/// The weight of a score at a distance from the reference. One that would be less than the least normal number is zero:
/// processors take a hundred times as long for products of such numbers, and masks of -100 make them.
pub(super) fn weight(distance: &Expr) -> Result<Expr, Fault> {
    let least = Expr::float(LEAST, distance.dtype);
    let is_tiny = compare(CmpOp::Lt, distance, &least)?;
    // Not even what is not taken may be such a number.
    let held = typed(Expr::select(&is_tiny, &least, distance))?;
    typed(Expr::select(&is_tiny, &Expr::float(0.0, distance.dtype), &exp(&held)?))
}

pub(super) fn exp(value: &Expr) -> Result<Expr, Fault> {
    typed(Expr::call(Intrinsic::Exp, std::slice::from_ref(value)))
}

/// Whether an element is taken as it is from memory, and not worked out.
pub(super) fn is_load(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Load { .. })
}
