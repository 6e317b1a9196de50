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
//! The function has to be a softmax and nothing else (`recognise`); `block` is the one that gives the result. It divides by
//! multiplying with the reciprocal of the sum, which is at least 1, or 0 or NaN where there is no finite number. The sum is of `accumulators` vectors of `lanes`, in
//! another order than in the function as it was, and the same for every number of threads.

mod emit;
mod recognise;

use tilewright_tir_passes::analyzer_of;

use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::rewrite::{way, with_block};
use emit::Maker;
pub(crate) use recognise::Softmax;

pub(super) const PIPELINE_SOFTMAX: Primitive = Primitive {
    name: "PipelineSoftmax",
    method: "pipeline_softmax",
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
    let size = |at: usize, name: &str, most: i64| match call.int(at)? {
        size if (1..=most).contains(&size) => Ok(size),
        size => Err(Fault::of_call(format!("`{name}` must be between 1 and {most}, found {size}"))),
    };
    let (lanes, accumulators, rows) = (size(1, "lanes", 64)?, size(2, "accumulators", 16)?, size(3, "rows", MOST)?);
    if lanes & (lanes - 1) != 0 || accumulators & (accumulators - 1) != 0 {
        return Err(Fault::of_call("`lanes` and `accumulators` must be powers of two"));
    }
    let scope = site.scope().ok_or_else(|| Fault::at(&site, "the root block is in no other"))?;
    if !scope.above.is_empty() {
        return Err(Fault::at(&site, "the block is not directly inside of the root block"));
    }
    let softmax = Softmax::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
    if !site.block().is_some_and(|block| block.writes.iter().any(|region| region.buffer == softmax.out)) {
        return Err(Fault::at(&site, "the block does not give the result"));
    }
    let columns = softmax.columns;
    if columns % (lanes * accumulators) != 0 || columns > MOST {
        let message = format!("{columns} columns are not so many times {accumulators} vectors of {lanes}, or too many");
        return Err(Fault::at(&site, message));
    }
    let name = site.block().map(|block| block.name.clone()).unwrap_or_default();
    let maker = Maker { s: &softmax, lanes, accumulators, rows, known: analyzer_of(call.function), name };
    let body = maker.tasks()?;
    let function = with_block(call.function, &way(&scope), |block| {
        block.body = body;
        block.alloc_buffers = Vec::new();
    })?;
    Ok(Outcome::changed(function, Results::Nothing))
}
