//! `pipeline_norm(block, lanes, accumulators, rows)`: sums along rows and the result of these run at once, each in another
//! row.
//!
//! ```text
//! for task in parallel(ceil(N / rows))
//!   the sums of the first rows
//!   for i in the task's rows
//!     for k in vectors of columns
//!       sum     += X[i + 2, k]                             the row behind
//!       squares += (X[i + 1, k] - mean) ** 2               the row before that
//!       Y[i, k]  = (X[i, k] - mean) * scale * W[k] + B[k]  this row
//! ```
//!
//! One stage after the other would take memory in turns with arithmetic: nothing is written while sums are taken. Together
//! they share each cycle, and none waits for the last steps of a sum. The rows between are read again from the first cache.
//!
//! The function has to be sums of float32 along rows, where later ones may depend on earlier ones, and one result of all
//! elements (`recognise`); `block` is the one that gives the result. What depends on nothing but a row's sums is worked out
//! once for a row. Each sum is of `accumulators` vectors of `lanes`, in another order than in the function as it was, and the
//! same for every number of threads. The last vectors of a row are masked where it does not fill them.

mod emit;
mod recognise;

use tilewright_tir_passes::analyzer_of;

use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::rewrite::{way, with_block};
use crate::row_vectors::RowVectors;
use emit::Maker;
pub(crate) use recognise::Norm;

pub(super) const PIPELINE_NORM: Primitive = Primitive {
    name: "PipelineNorm",
    method: "pipeline_norm",
    doc: "Runs the stages of a norm at once: the sums of a row, those of the row before it that depend on them, the \
          results of the one before that.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(32)),
    ],
    gives_list: false,
    run,
};

/// Rows of a task, and elements of one row, at most.
const MOST: i64 = 1 << 16;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let (lanes, accumulators) = (call.power_of_two(1, "lanes", 64)?, call.power_of_two(2, "accumulators", 16)?);
    let rows = call.size(3, "rows", 1..=MOST)?;
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    if !scope.above.is_empty() {
        return Err(Fault::at(&site, "the block is not directly inside of the root block"));
    }
    let norm = Norm::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
    if !site.block().is_some_and(|block| block.writes.iter().any(|region| region.buffer == norm.out)) {
        return Err(Fault::at(&site, "the block does not give the result"));
    }
    if let Some(columns) = norm.column.extent.as_int().filter(|&columns| columns > MOST) {
        return Err(Fault::at(&site, format!("{columns} columns are too many")));
    }
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let known = analyzer_of(call.function);
    let of = RowVectors { rows: &norm.rows, column: &norm.column, lanes, accumulators, known };
    let body = Maker { norm: &norm, of, rows, name }.tasks()?;
    let function = with_block(call.function, &way(&scope), |block| {
        block.body = body;
        block.alloc_buffers = Vec::new();
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}
