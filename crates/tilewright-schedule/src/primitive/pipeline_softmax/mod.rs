//! `pipeline_softmax(block, lanes, accumulators, rows)`: the stages of a softmax run at once, each in another row.
//!
//! ```text
//! for task in parallel(ceil(N / rows))
//!   most = largest of X[first, :]
//!   for i in the task's rows
//!     for k in vectors of columns
//!       next          = max(next, X[i + 1, k])             the row behind
//!       powers[i, k]  = exp(X[i, k] - most); sum += it     this row
//!       Y[i - 1, k]   = powers[i - 1, k] / sum before      the row in front
//! ```
//!
//! One stage after the other would take memory in turns with arithmetic: reads while the maximum is looked for, then only
//! exponentials, then only writes. Together they share each cycle, and none waits for the last steps of a reduction. What is
//! kept of a row are its powers, in memory for two rows.
//!
//! The function has to be a softmax, or a logarithm of one, and nothing else (`recognise`); `block` is the one that gives the
//! result. It divides by multiplying with the reciprocal of the sum, which is at least 1, or 0 or NaN where there is no
//! finite number. The sum is of `accumulators` vectors of `lanes`, in another order than in the function as it was, and the
//! same for every number of threads. The last vectors of a row are masked where it does not fill them.

mod emit;
mod recognise;

use crate::facts::fault::Fault;
use crate::primitive::call::{Call, Default, Outcome, Primitive};
use crate::row_vectors::RowVectors;
use emit::Maker;
pub(crate) use recognise::Softmax;

pub(crate) const PIPELINE_SOFTMAX: Primitive = Primitive {
    name: "PipelineSoftmax",
    method: "pipeline_softmax",
    doc: "Runs the stages of a softmax at once: the maximum of a row, the powers of the row before it, the results \
          of the one before that.",
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
        let softmax = Softmax::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        if softmax.beside.is_some() {
            return Err(Fault::at(&site, "columns do not lie together in memory"));
        }
        let of = RowVectors::of(call, &site, &softmax.rows, &softmax.column, &softmax.out)?;
        Maker { s: &softmax, of }.tasks()
    })
}
