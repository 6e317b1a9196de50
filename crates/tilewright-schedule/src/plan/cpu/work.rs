//! The work of a function: what any schedule of it costs at least, in cycles of one core.
//!
//! Candidates of general primitives, of which a rule has only one for a function, are given this estimate. It does not
//! depend on the schedule.

use tilewright_ir::tir::{Expr, PrimFunc, Stmt, StmtKind};
use tilewright_support::with_stack;
use tilewright_target::Target;
use tilewright_tensor::DataType;

use crate::analysis::size::size;
use crate::plan::Cost;
use crate::site::below;

/// Iterations that a symbolic extent is taken for.
const ASSUMED_EXTENT: i64 = 1 << 10;

/// An extent, or what it is taken for where only a run knows it.
pub(crate) fn assumed(extent: &Expr) -> f64 {
    extent.as_int().unwrap_or(ASSUMED_EXTENT).max(0) as f64
}

/// The arithmetic of all elements, in full vectors, and each argument once from or to memory.
pub(crate) fn cost(function: &PrimFunc, target: &Target) -> Cost {
    let bytes = function.params.iter().filter_map(|param| param.buffer.as_ref()).map(|buffer| {
        let elements: f64 = buffer.shape.iter().map(assumed).product();
        elements * buffer.dtype.bytes() as f64
    });
    let read_and_write = bytes.sum::<f64>() / target.plan.elementwise_bytes_per_cycle;
    let mut arithmetic = 0.0;
    each_store(&function.body, 1.0, false, &mut |store| {
        arithmetic += store.vectors(target) * size(store.value).1.max(1) as f64;
    });
    Cost::default().with("read and write", read_and_write).with("arithmetic", arithmetic)
}

/// Cycles to load and store a result for each step of its reduction, where it does not stay in a register.
pub(crate) fn partial_results(function: &PrimFunc, target: &Target) -> f64 {
    let mut vectors = 0.0;
    each_store(&function.body, 1.0, false, &mut |store| {
        if store.reduces {
            vectors += store.vectors(target);
        }
    });
    2.0 * vectors
}

/// A statement that stores, and how often it runs.
struct Stored<'a> {
    dtype: DataType,
    value: &'a Expr,
    times: f64,
    /// Whether it is a step of a reduction.
    reduces: bool,
}

impl Stored<'_> {
    fn vectors(&self, target: &Target) -> f64 {
        self.times / f64::from(target.lanes(self.dtype.bits.into()))
    }
}

fn each_store(stmt: &Stmt, times: f64, reduces: bool, see: &mut dyn FnMut(Stored<'_>)) {
    let times = match &stmt.kind {
        StmtKind::Store { buffer, value, .. } => return see(Stored { dtype: buffer.dtype, value, times, reduces }),
        // Its init runs once for a result, and is left out.
        StmtKind::Block { block, .. } => {
            return with_stack(|| each_store(&block.body, times, block.init.is_some(), see));
        }
        StmtKind::For { extent, .. } => times * assumed(extent),
        _ => times,
    };
    with_stack(|| below(stmt).into_iter().for_each(|inner| each_store(inner, times, reduces, see)));
}
