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

use crate::facts::fault::Fault;
use crate::primitive::call::{Call, Default, Outcome, Primitive};
use crate::row_vectors::RowVectors;
use emit::Maker;
pub(crate) use recognise::Norm;

pub(crate) const PIPELINE_NORM: Primitive = Primitive {
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
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    call.with_root_body(&site, || {
        let norm = Norm::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        let of = RowVectors::of(call, &site, &norm.rows, &norm.column, &norm.out)?;
        Maker { norm: &norm, of }.tasks()
    })
}
