//! Packed panels of B that are widened once, before several register tiles read them.
//!
//! Packed B has elements as they lie in memory, of bfloat16 for example, which take half of the memory of float32.
//! Widening a vector costs about as much as one or two multiplications by it, in each register tile anew. Where a panel
//! has many tiles, the task widens it once, into memory that stays in L1.

use tilewright_ir::tir::Scope;

use super::cx::Packed;
use super::operands::Operands;
use crate::build::exprs::stored;
use crate::build::loops::memory;
use crate::fault::Fault;

/// The packed panel, widened.
pub(super) fn panel(o: &Operands<'_>) -> Result<Packed, Fault> {
    let (p, t) = (o.p, o.p.plan);
    let shape = vec![p.int(p.longest_k_block().max(1)), p.int(t.panel())];
    let buffer = memory("widened_b", shape, p.c.b.dtype, Scope::Global);
    let stmt = p.serial("k", &o.block.count, |k| {
        p.unrolled("v", t.nr_vectors, |v| {
            p.vector("j", t.lanes, |j| {
                let lane = &(v * t.lanes) + j;
                stored(&buffer, vec![k.clone(), lane.clone()], &o.b(lane, k)?)
            })
        })
    })?;
    Ok(Packed { buffer, stmt })
}
