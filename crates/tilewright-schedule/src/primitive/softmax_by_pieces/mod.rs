//! `softmax_by_pieces(block, lanes, accumulators, rows, piece, keep)`: a softmax of rows that are too long for several of them
//! to be near at once.
//!
//! ```text
//! for task in parallel(ceil(N / rows))
//!   maximum and sum of the first row
//!   for i in the task's rows
//!     for each piece of a row
//!       Y[i, piece]   = powers[piece] * exp(from[piece] - most) / sum
//!       from[piece]   = max(next, X[i + 1, piece])
//!       next sum     *= exp(next - from[piece]); next = from[piece]
//!       powers[piece] = exp(X[i + 1, piece] - next); next sum += it
//! ```
//!
//! A row is read from memory once for its maximum and its sum: the piece whose powers are taken is in the first cache by then,
//! and a sum so far is carried over to a greater maximum (M. Milakov and N. Gimelshein, "Online normalizer calculation for
//! softmax", 2018). Meanwhile memory takes what is written of the row in front. Powers are kept where a row of them stays near
//! the core (`keep`); otherwise they are worked out again.
//!
//! The function has to be a softmax, or a logarithm of one, and nothing else (`pipeline_softmax`'s `recognise`); `block` is the
//! one that gives the result. The sum is of `accumulators` vectors of `lanes`, in another order than in the function as it was,
//! and the same for every number of threads.

mod emit;

use super::pipeline_softmax::Softmax;
use crate::facts::fault::Fault;
use crate::pieces::Pieces;
use crate::primitive::call::{Call, Default, Outcome, Primitive};
use crate::row_vectors::RowVectors;
use emit::Maker;

pub(crate) const SOFTMAX_BY_PIECES: Primitive = Primitive {
    name: "SoftmaxByPieces",
    method: "softmax_by_pieces",
    doc: "Writes the result of a row of a softmax while maximum and sum of the next one are taken, piece by piece.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(1)),
        ("piece", Default::Int(2048)),
        ("keep", Default::Bool(false)),
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
        let softmax = Softmax::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        if softmax.beside.is_some() {
            return Err(Fault::at(&site, "columns do not lie together in memory"));
        }
        let columns = softmax.column.extent.as_int().filter(|&columns| columns > 0);
        let columns = columns.ok_or_else(|| Fault::at(&site, "the length of a row is not known"))?;
        let lanes = call.power_of_two(1, "lanes", 64)?;
        let pieces = Pieces::of((1, columns), lanes, call.size(4, "piece", 1..=PIECE)?);
        let column = pieces.column(pieces.longest());
        let of = RowVectors::of(call, &site, &softmax.rows, &column, &softmax.out)?;
        let keep = call.flag(5)? && softmax.keeps_powers();
        Maker { s: &softmax, of, pieces, columns, keep }.tasks()
    })
}
