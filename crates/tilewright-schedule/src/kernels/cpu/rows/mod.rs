//! Row reductions on a CPU: three walks over rows, each of which takes any program or monoid that it can.
//!
//! | walk | rows | takes |
//! |---|---|---|
//! | `resident` | short ones, several of which stay in the first-level cache | the reductions, each in another row at once |
//! | `by_pieces` | long ones, or such of several axes | a monoid, the result of the row before at once |
//! | `side_by_side` | rows whose neighbours are neighbours in memory | a monoid, in a lane for each row |
//!
//! The walks do what does not depend on a reduction: tasks, vectors, tails, independent accumulators that are merged at
//! the end, software pipelining over rows, and prefetches. Sums are in another order than in the function as it was,
//! and the same for every number of threads.

pub(crate) mod by_pieces;
mod pieces;
pub(crate) mod resident;
pub(crate) mod side_by_side;
mod vectors;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Buffer, Expr, PrimFunc, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use crate::facts::axes::Group;
use crate::facts::exprs::{elements_read, mentions, prefetch_element, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{load, memory, store};
use crate::facts::tree::Site;
use crate::families::rows::RowProgram;
use crate::plan::Plan;
use crate::primitive::call::{Call, Outcome};
use vectors::Row;

/// A walk over the rows of a program, as a plan says, in a function and at the block that gives the result.
type Walk<P> = fn((&PrimFunc, &Site), &RowProgram, &P) -> Result<Stmt, Fault>;

/// A walk instead of all statements of the root block. The function has to be a row reduction, and nothing else.
fn run<P: Plan>(call: &Call<'_>, walk: Walk<P>) -> Result<Outcome, Fault> {
    let (site, plan) = (call.block(0)?, P::of_call(call)?);
    call.with_root_body(&site, || {
        let at_block = |fault: Fault| Fault { path: fault.path.or_else(|| Some(site.path())), ..fault };
        let program = RowProgram::of(call.function).map_err(at_block)?;
        walk((call.function, &site), &program, &plan).map_err(at_block)
    })
}

/// A formula of an element, where all axes and some numbers have these values.
fn placed(formula: &Expr, axes: &Row, numbers: &[(Var, Expr)]) -> Expr {
    substituted(formula, &axes.iter().chain(numbers).cloned().collect::<Vec<_>>())
}

/// The axes of a group at a position in it, in their own types.
fn axes_at(known: &Analyzer, group: &Group, position: &Expr) -> Result<Row, Fault> {
    let values = match group.axes.as_slice() {
        [axis] => vec![(axis.var.clone(), position.clone())],
        _ => group.values(known, position)?,
    };
    let cast = |(var, value): (Var, Expr)| {
        let value = typed(value.cast(var.dtype))?;
        Ok((var, value))
    };
    values.into_iter().map(cast).collect()
}

/// The value goes to its element of the result.
fn result_at(program: &RowProgram, axes: &Row, value: &Expr) -> Result<Stmt, Fault> {
    stored(&program.out, program.indices.iter().map(|index| placed(index, axes, &[])).collect(), value)
}

/// Prefetches of what the formulas read elsewhere in other rows and columns, to the second-level cache. It is no matter
/// that there may be no such row or column.
fn prefetches(program: &RowProgram, formulas: &[Expr], axes: &Row) -> Result<Vec<Stmt>, Fault> {
    let vars = |groups: &[&Group]| {
        let axes = groups.iter().flat_map(|group| &group.axes);
        axes.filter(|axis| axis.extent.as_int() != Some(1)).map(|axis| axis.var.clone()).collect::<Vec<Var>>()
    };
    let rows = match &program.side_by_side {
        Some(neighbours) => vars(&[neighbours]),
        None => vars(&[&program.rows]),
    };
    let reduced = vars(&[&program.reduced.outer, &program.reduced.inner]);
    let is_meant = |e: &Expr| mentions(e, &reduced) && (rows.is_empty() || mentions(e, &rows));
    elements_read(formulas, is_meant).iter().map(|e| prefetch_element(&placed(e, axes, &[]))).collect()
}

/// Numbers are worked out from values and kept, one after the other in memory.
fn kept(buffer: &Buffer, numbers: &[(Var, Expr)], values: &[(Var, Expr)]) -> Result<Vec<Stmt>, Fault> {
    let one = |(number, (_, formula)): (i64, &(Var, Expr))| {
        store(buffer, &[&Expr::i64(number)], &substituted(formula, values))
    };
    (0..).zip(numbers).map(one).collect()
}

/// Where those are, by their names.
fn loaded(buffer: &Buffer, numbers: &[(Var, Expr)]) -> Result<Row, Fault> {
    let one = |(number, (var, _)): (i64, &(Var, Expr))| Ok((var.clone(), load(buffer, &[&Expr::i64(number)])?));
    (0..).zip(numbers).map(one).collect()
}

fn local(name: &str, shape: &[i64], dtype: DataType) -> Buffer {
    memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), dtype, Scope::Local)
}

fn global(name: &str, shape: &[i64], dtype: DataType) -> Buffer {
    memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), dtype, Scope::Global)
}
