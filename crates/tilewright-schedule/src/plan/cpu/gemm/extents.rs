//! The extents of a contraction by which its plan is chosen, as far as they are known when it is compiled.

use crate::analysis::stride::byte_stride;
use crate::families::contraction::Contraction;
use tilewright_target::Machine;

/// Extents that are known only when the kernel runs are planned for as if they were this.
pub(crate) const PLANNED_EXTENT: i64 = 256;

/// KC where operands are packed per block; a K that only the run knows is planned for as if it were this.
pub(crate) const K_BLOCK: i64 = 384;

/// The extents, and what else costs depend on.
pub(crate) struct Extents {
    pub(crate) batch: Option<i64>,
    pub(crate) m: Option<i64>,
    pub(crate) n: Option<i64>,
    pub(crate) k: Option<i64>,
    /// Bytes of an element of B as it lies in memory.
    pub(crate) b_bytes: i64,
    /// Cycles to pack an element of B.
    pub(crate) pack_b_cycles: f64,
}

impl Extents {
    /// Of a contraction of so many matrices.
    pub(crate) fn of(c: &Contraction, batch: Option<i64>, machine: &Machine) -> Self {
        Self {
            batch,
            m: c.m.size.as_int(),
            n: c.n.size.as_int(),
            k: c.k.size.as_int(),
            b_bytes: i64::from(c.b.dtype.bits / 8),
            pack_b_cycles: pack_b_cycles(c, machine),
        }
    }

    pub(crate) fn m_at_most(&self, m: i64) -> bool {
        self.m.is_some_and(|all| all <= m)
    }

    pub(crate) fn n_at_most(&self, n: i64) -> bool {
        self.n.is_some_and(|all| all <= n)
    }

    /// Elements of B of one matrix.
    pub(crate) fn b_elements(&self) -> Option<i64> {
        Some(self.k?.saturating_mul(self.n?))
    }

    /// Bytes of B of one matrix.
    pub(crate) fn b_size(&self) -> Option<i64> {
        Some(self.b_elements()?.saturating_mul(self.b_bytes))
    }
}

/// Cycles to pack an element of B: of an im2col operand they depend on whether neighbours of a row lie together in
/// memory.
pub(crate) fn pack_b_cycles(c: &Contraction, machine: &Machine) -> f64 {
    let element = i64::from(c.b.dtype.bits / 8);
    let along = || byte_stride(&c.b, c.n.axes.last().map(|axis| &axis.var));
    match c.needs_im2col() {
        false => machine.plan.pack_cycles,
        true if along() == Some(element) => machine.plan.pack_line_cycles,
        true => machine.plan.pack_strided_cycles,
    }
}
