//! `seek_extreme(block, lanes, accumulators, rows, piece)`: where the largest or smallest element of a row stands is looked for
//! in one piece of it.
//!
//! ```text
//! for task in parallel(…), row of the task         for task in parallel(…), lot of neighbouring rows
//!   for each piece of the row                         best, at = X[0, lot], 0
//!     m = max(X[row, piece])                          for k in range(1, K)
//!     if m is better than best                          better = X[k, lot] > best
//!       best, at = m, piece                             best, at = (X[k, lot], k) where better
//!   place[row] = least place in `at` that has best    place[lot] = at
//! ```
//!
//! Where elements of a row lie together in memory, it is read once, as fast as a maximum alone (left). Where rows lie side by
//! side, each has a lane of its own (right). NaN is better than any number, and the first NaN the best of all.
//!
//! The function has to be a greatest or least element of rows and the least place at which it stands, or NaN does, and nothing
//! else (`recognise`); `block` is the one that gives the place.

mod emit;
mod recognise;

use crate::facts::axes::{Axis, Group};
use crate::facts::fault::Fault;
use crate::pieces::Pieces;
use crate::primitive::call::{Call, Default, Outcome, Primitive};
use crate::row_vectors::RowVectors;
use emit::{Along, Beside};
pub(crate) use recognise::Extreme;
use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Expr, Var};
use tilewright_tensor::DataType;

pub(crate) const SEEK_EXTREME: Primitive = Primitive {
    name: "SeekExtreme",
    method: "seek_extreme",
    doc: "Looks for the place of an extreme in the piece of its row that has it, or in a lane for each row.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(1)),
        ("piece", Default::Int(2048)),
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
        let extreme = Extreme::of(call.function).map_err(|fault| Fault::at(&site, fault.message))?;
        let lanes = call.power_of_two(1, "lanes", 64)?;
        let piece = call.size(4, "piece", 1..=PIECE)?;
        if extreme.column.extent.as_int().is_some_and(|extent| extent <= 0) {
            return Err(Fault::at(&site, "rows have no elements"));
        }
        let side_by_side = extreme.beside.as_ref().map_or(&extreme.column.extent, |beside| &beside.size);
        let columns = side_by_side.as_int().filter(|&columns| columns > 0);
        let columns = columns.ok_or_else(|| Fault::at(&site, "the number of neighbours is not known"))?;
        let Some(beside) = &extreme.beside else {
            let pieces = Pieces::of((1, columns), lanes, piece);
            let column = pieces.column(pieces.longest());
            let of = RowVectors::of(call, &site, &extreme.rows, &column, &extreme.out)?;
            return Along { extreme: &extreme, of, pieces, count: columns }.tasks();
        };
        if columns % piece != 0 {
            return Err(Fault::at(&site, format!("{columns} rows side by side are not lots of {piece}")));
        }
        let (lots, column) = (axis("lot", columns / piece), axis("column", piece));
        let axes: Vec<Axis> = extreme.rows.axes.iter().chain([&lots]).cloned().collect();
        let rows = Group::new(&Analyzer::new(), axes, DataType::I64)?;
        let of = RowVectors::of(call, &site, &rows, &column, &extreme.out)?;
        Beside { extreme: &extreme, of, beside, lot: &lots.var, piece }.tasks()
    })
}

fn axis(name: &str, extent: i64) -> Axis {
    Axis { var: Var::new(name, DataType::I64), extent: Expr::i64(extent) }
}
