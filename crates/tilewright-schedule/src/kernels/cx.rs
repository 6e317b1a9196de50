//! What kernels are written with: index arithmetic that is simplified by what is known of the function,
//! names, and loops over closures.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Expr, ForKind, Stmt, Var};
use tilewright_tensor::DataType;

use crate::build::exprs::binary;
use crate::build::loops;
use crate::fault::Fault;
use crate::primitive::vectorize_transpose::Bounds;

/// The type of a kernel's indices, and what is known of them.
pub(in crate::kernels) struct IndexCx {
    pub(in crate::kernels) index: DataType,
    pub(in crate::kernels) known: Analyzer,
}

impl IndexCx {
    pub(in crate::kernels) fn int(&self, value: i64) -> Expr {
        Expr::int(value, self.index)
    }

    pub(in crate::kernels) fn var(&self, name: &str) -> Var {
        Var::new(name, self.index)
    }

    pub(in crate::kernels) fn simple(&self, expr: &Expr) -> Expr {
        self.known.simplify(expr)
    }

    pub(in crate::kernels) fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        Ok(self.simple(&binary(op, a, b)?))
    }

    pub(in crate::kernels) fn floor_div(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        self.binary(BinOp::FloorDiv, a, &self.int(by))
    }

    pub(in crate::kernels) fn floor_mod(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        self.binary(BinOp::FloorMod, a, &self.int(by))
    }

    pub(in crate::kernels) fn ceil_div(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        self.floor_div(&(a + (by - 1)), by)
    }

    pub(in crate::kernels) fn min(&self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.binary(BinOp::Min, a, b)
    }

    pub(in crate::kernels) fn max(&self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.binary(BinOp::Max, a, b)
    }

    pub(in crate::kernels) fn divides(&self, by: i64, a: &Expr) -> Result<bool, Fault> {
        Ok(self.floor_mod(a, by)?.as_int() == Some(0))
    }

    /// The size of the block at `start` of those of `size` that make up `all`: the last one may be smaller.
    pub(in crate::kernels) fn block_size(&self, all: &Expr, start: &Expr, size: i64) -> Result<Expr, Fault> {
        match self.divides(size, all)? {
            true => Ok(self.int(size)),
            false => self.min(&self.int(size), &self.simple(&(all - start))),
        }
    }

    /// The upper bound of a loop, unless vectors divide its extent.
    pub(in crate::kernels) fn unless_divided(&self, lanes: i64, var: &Var, extent: &Expr) -> Result<Bounds, Fault> {
        Ok(if self.divides(lanes, extent)? { Vec::new() } else { vec![(Expr::var(var), extent.clone())] })
    }

    pub(in crate::kernels) fn looped(
        &self,
        name: &str,
        extent: &Expr,
        kind: ForKind,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let var = self.var(name);
        Ok(loops::looped(&var, extent, kind, body(&Expr::var(&var))?))
    }

    pub(in crate::kernels) fn serial(
        &self,
        name: &str,
        extent: &Expr,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.looped(name, extent, ForKind::Serial, body)
    }

    pub(in crate::kernels) fn unrolled(
        &self,
        name: &str,
        extent: i64,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.looped(name, &self.int(extent), ForKind::Unrolled, body)
    }

    pub(in crate::kernels) fn vectorized(
        &self,
        name: &str,
        extent: &Expr,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.looped(name, extent, ForKind::Vectorized, body)
    }

    /// The same of a constant number of lanes.
    pub(in crate::kernels) fn vector(
        &self,
        name: &str,
        lanes: i64,
        body: impl FnOnce(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        self.vectorized(name, &self.int(lanes), body)
    }

    /// A loop over whole tiles of `size` and the tail, which is a smaller tile: `body` is of a tile's start and size.
    pub(in crate::kernels) fn tiles(
        &self,
        name: &str,
        all: i64,
        size: i64,
        mut body: impl FnMut(&Expr, i64) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        if all >= size {
            stmts.push(self.serial(name, &self.int(all / size), |tile| body(&(tile * size), size))?);
        }
        if all % size != 0 {
            stmts.push(body(&self.int(all / size * size), all % size)?);
        }
        Ok(Stmt::seq(stmts))
    }
}
