//! Keys beyond the causal bound of a task. Their weights are zero, so neither their scores nor their weights are
//! computed. What zero times a value gives is kept: NaN, where a value is no finite number.

use tilewright_ir::tir::{BinOp, Buffer, Expr, Stmt};

use super::task::Task;
use crate::build::exprs::binary;
use crate::build::loops::{load, store};
use crate::fault::Fault;
use crate::kernels::cpu::attention::cx::Flash;

/// Vectors of columns that are summed at once.
const VECTORS: i64 = 8;

impl Flash<'_> {
    /// Registers for the columns that are summed at once.
    pub(super) fn masked_columns(&self) -> Buffer {
        self.registers("masked_columns", &[self.value_dim.min(self.tiling.lanes * VECTORS)])
    }
}

impl Task<'_> {
    /// Zero times the values of all keys beyond the bound, summed for each column in `to`: zeros, or NaN.
    pub(super) fn masked_values(&self, to: &Buffer, registers: &Buffer) -> Result<Stmt, Fault> {
        let (p, a) = (self.p, self.p.a);
        let left = p.simple(&(&a.key.extent - &self.key_end));
        p.tiles("value_tile", p.value_dim, p.tiling.lanes * VECTORS, |column, columns| {
            let each = |body: &dyn Fn(&Expr) -> Result<Stmt, Fault>| p.elements("w", columns, body);
            let init = each(&|w| store(registers, &[w], &p.float(0.0)))?;
            let sum = p.serial("j", &left, |j| {
                each(&|w| {
                    let (key, column) = (&self.key_end + j, column + w);
                    let value = p.at(&a.v, &[(&a.key.var, &key), (&a.value_dim.var, &column)], self.batch);
                    let term = binary(BinOp::Mul, &p.float(0.0), &value)?;
                    store(registers, &[w], &binary(BinOp::Add, &load(registers, &[w])?, &term)?)
                })
            })?;
            let kept = each(&|w| store(to, &[&(column + w)], &load(registers, &[w])?))?;
            Ok(Stmt::seq([init, sum, kept]))
        })
    }
}
