//! `softmax_side_by_side(block, lanes, rows, lot, steps, keep)`: a softmax of rows that lie side by side in memory, some of which
//! are gone through together.
//!
//! ```text
//! for task in parallel(…)
//!   maximum and sum of the first lot of neighbouring rows
//!   for lot of the task, next lot
//!     for each few steps k along the rows
//!       Y[k, lot]   = powers[k] * exp(from[k] - most) / total
//!       from[k]     = max(next most, X[k, next lot])
//!       next total *= exp(next most - from[k]); next most = from[k]
//!       powers[k]   = exp(X[k, next lot] - next most); next total += it
//! ```
//!
//! Each row has a lane of its own, and memory is read in runs of a lot while it takes the results of the lot in front; where
//! some lots have fewer rows, one is done with before the next. Maximum and sum are taken in one reading: a sum so far is
//! carried over to a greater maximum (M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018), once
//! for several steps. Powers are kept where a lot of them stays near the core (`keep`); otherwise they are worked out again.
//!
//! The function has to be a softmax, or a logarithm of one, and nothing else (`pipeline_softmax`'s `recognise`); `block` is the
//! one that gives the result. Sums are in another order than in the function as it was, and the same for every number of
//! threads.

mod emit;

use super::pipeline_softmax::Softmax;
use crate::facts::axes::{Axis, Group};
use crate::facts::fault::Fault;
use crate::facts::size::ceil_div;
use crate::primitive::call::{Call, Default, Outcome, Primitive};
use crate::row_vectors::RowVectors;
use emit::Maker;
use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Expr, Var};
use tilewright_tensor::DataType;

pub(crate) const SOFTMAX_SIDE_BY_SIDE: Primitive = Primitive {
    name: "SoftmaxSideBySide",
    method: "softmax_side_by_side",
    doc: "Takes a softmax of rows that lie side by side in lots: maximum and sum at once, then the results.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("rows", Default::Int(1)),
        ("lot", Default::Int(256)),
        ("steps", Default::Int(8)),
        ("keep", Default::Bool(false)),
    ],
    plan: None,
    gives_list: false,
    run,
};

/// Lots of a task, rows of a lot, and steps that are taken together, at most.
const ROWS: i64 = 1 << 16;
const LOT: i64 = 1 << 14;
const STEPS: i64 = 16;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    call.with_root_body(&site, || {
        let softmax = Softmax::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        let lanes = call.power_of_two(1, "lanes", 64)?;
        let (several, lot, steps) =
            (call.size(2, "rows", 1..=ROWS)?, call.size(3, "lot", 1..=LOT)?, call.size(4, "steps", 1..=STEPS)?);
        let beside = softmax.beside.as_ref().ok_or_else(|| Fault::at(&site, "the numbers of a row lie together"))?;
        let keep = call.flag(5)? && softmax.keeps_powers();
        if keep && softmax.column.extent.as_int().is_none() {
            return Err(Fault::at(&site, "powers of a row of unknown length are not kept"));
        }
        let known = Analyzer::new();
        let lots = match beside.size.as_int() {
            Some(all) => Expr::i64(ceil_div(all, lot)),
            None => crate::facts::exprs::typed(beside.size.ceil_div(lot))?,
        };
        let is_even = beside.size.as_int().is_some_and(|all| all % lot == 0);
        let width = if is_even { None } else { Some(Var::new("width", DataType::I64)) };
        let extent = width.as_ref().map_or(Expr::i64(lot), Expr::var);
        let column = Axis { var: Var::new("column", DataType::I64), extent };
        let number = Axis { var: Var::new("lot", DataType::I64), extent: lots };
        let axes: Vec<Axis> = softmax.rows.axes.iter().chain([&number]).cloned().collect();
        let rows = Group::new(&known, axes, DataType::I64)?;
        let of = RowVectors::with(call, &site, (&rows, &column, &softmax.out), [lanes, 1, several])?;
        Maker { s: &softmax, of, beside, number: &number.var, lot, width, steps, keep }.tasks()
    })
}
