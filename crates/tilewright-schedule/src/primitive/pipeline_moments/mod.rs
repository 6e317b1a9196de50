//! `pipeline_moments(block, lanes, accumulators, rows, piece, ahead)`: the result of a row is written while mean and variance of
//! the next one are taken, piece by piece.
//!
//! ```text
//! for task in parallel(ceil(N / rows))
//!   the moments of the first row
//!   for i in the task's rows
//!     for each piece of a row
//!       Y[i, piece] = (X[i, piece] - mean) * scale * W + B
//!       own         = sum(X[i + 1, piece]) / p
//!       squares    += sum((X[i + 1, piece] - own) ** 2)
//!       mean, squares of what is behind and of this piece together
//! ```
//!
//! A row is read from memory once for its moments, however long it is: the piece whose squares are taken is in the first
//! cache by then. Distances are taken from the mean of the piece, so that large means cancel nothing, and moments of parts are
//! put together by the distance of their means (Chan, Golub and LeVeque, 1979). Meanwhile memory gives the row behind it
//! (`ahead`), or where the caches do not hold as many rows the next piece, and takes what is written.
//!
//! The function has to be a sum of float32 of terms of one or several axes, the sum of squares of their distances from the mean
//! or none, and one result of all elements (`recognise`); `block` is the one that gives the result. The sums are of
//! `accumulators` vectors of `lanes`, in another order than in the function as it was, and the same for every number of threads.

mod emit;
mod recognise;

use crate::facts::fault::Fault;
use crate::pieces::Pieces;
use crate::primitive::call::{Call, Default, Outcome, Primitive};
use crate::row_vectors::RowVectors;
use emit::Maker;
pub(crate) use recognise::Moments;

pub(crate) const PIPELINE_MOMENTS: Primitive = Primitive {
    name: "PipelineMoments",
    method: "pipeline_moments",
    doc: "Writes the result of a row of a norm while mean and variance of the next one are taken, piece by piece.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(1)),
        ("piece", Default::Int(2048)),
        ("ahead", Default::Bool(false)),
    ],
    plan: None,
    gives_list: false,
    run,
};

/// Elements of a piece at most.
const PIECE: i64 = 1 << 14;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    call.with_root_body(&site, || {
        let moments = Moments::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        let lanes = call.power_of_two(1, "lanes", 64)?;
        let (size, piece) = ((moments.count / moments.columns, moments.columns), call.size(4, "piece", 1..=PIECE)?);
        let steps = match moments.whole {
            Some(_) => Pieces::joined(size, lanes, piece),
            None => Pieces::of(size, lanes, piece),
        };
        let column = steps.column(steps.longest());
        let of = RowVectors::of(call, &site, &moments.rows, &column, &moments.out)?;
        Maker { moments: &moments, of, steps, ahead: call.flag(5)? }.tasks()
    })
}
