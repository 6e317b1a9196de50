//! Panels of a B that is dequantised, computed from words which neighbours along K share
//! (`families::contraction::packed_codes`).
//!
//! ```text
//! for run of the K block
//!   for vector of the panel
//!     words, scales, ... = memory                  each once for all elements of the run
//!     for k of the run                             unrolled
//!       panel[k, vector] = formula of the words
//! ```

use tilewright_ir::tir::{Expr, Stmt};

use super::cx::{Gemm, KBlock, Packed, Task};
use crate::build::exprs::{stored, substituted};
use crate::build::loops::{memory, with_names};
use crate::families::contraction::packed_codes::{Decoded, PackedCodes};
use crate::families::contraction::reaches_whole_vectors;
use crate::fault::Fault;
use crate::plan::cpu::gemm::Conversion;
use crate::units::ceil_div;

/// The panel of a task and a K block; `None` where the plan is for another B.
pub(super) fn panel(p: &Gemm<'_>, task: &Task, block: &KBlock, panel: &Expr) -> Result<Option<Packed>, Fault> {
    if p.plan.conversion != Conversion::OfCodes {
        return Ok(None);
    }
    let t = p.plan;
    let refused = || Fault::of_call("B is not computed from words that neighbours along K share");
    let PackedCodes { run } = PackedCodes::of(p.c, t.lanes).ok_or_else(refused)?;
    if t.kc % run != 0 {
        return Err(Fault::of_call(format!("K blocks are of whole runs of {run}, found {}", t.kc)));
    }
    let rows = ceil_div(p.longest_k_block().max(1), run) * run;
    let buffer =
        memory("decoded_b", vec![p.int(rows), p.int(t.panel())], p.c.b.dtype, tilewright_ir::tir::Scope::Global);
    let first_vector = &(&task.panel_start + panel) * t.nr_vectors;
    let first_run = p.floor_div(&block.start, run)?;
    let stmt = p.serial("run", &p.floor_div(&block.count, run)?, |number| {
        p.serial("v", &p.int(t.nr_vectors), |v| {
            p.vector("j", t.lanes, |j| {
                let column = p.column(&p.simple(&(&first_vector + v)), j)?;
                let k_start = &(&first_run + number) * run;
                let element = |step| p.decoded_element(task, &column, &(&k_start + step));
                let elements = (0..run).map(element).collect::<Result<Vec<_>, _>>()?;
                let lane = j.as_var().ok_or_else(|| Fault::of_call("a lane has no variable"))?;
                let decoded = Decoded::of(&p.known, (lane, t.lanes), elements.into_iter())?;
                let store = |(step, value): (i64, &Expr)| {
                    stored(&buffer, vec![&(number * run) + step, &(v * t.lanes) + j], value)
                };
                let stores = (0..run).zip(&decoded.elements).map(store).collect::<Result<Vec<_>, _>>()?;
                Ok(with_names(decoded.words, Stmt::seq(stores)))
            })
        })
    })?;
    Ok(Some(Packed { buffer, stmt }))
}

impl Gemm<'_> {
    /// A column of a vector of B. What is computed of columns past the end of N is not stored; they are those of the
    /// last vector, or the last column.
    fn column(&self, vector: &Expr, lane: &Expr) -> Result<Expr, Fault> {
        let lanes = self.plan.lanes;
        if self.divides(self.plan.panel(), &self.c.n.size)? {
            return Ok(&(vector * lanes) + lane);
        }
        if reaches_whole_vectors(self.c, lanes) {
            let last = &self.ceil_div(&self.c.n.size, lanes)? - 1;
            return Ok(&(&self.min(vector, &self.simple(&last))? * lanes) + lane);
        }
        self.min(&(&(vector * lanes) + lane), &self.simple(&(&self.c.n.size - 1)))
    }

    fn decoded_element(&self, task: &Task, n: &Expr, k: &Expr) -> Result<Expr, Fault> {
        let mut values = self.c.n.values(&self.known, n)?;
        values.extend(self.c.k.values(&self.known, k)?);
        values.extend(task.batch.iter().cloned());
        Ok(substituted(&self.c.b, &values))
    }
}
