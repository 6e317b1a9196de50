//! Row reductions on a CPU: three walks over rows, each of which takes any program or monoid that it can.
//!
//! | walk | rows | takes |
//! |---|---|---|
//! | `resident` | short ones, several of which stay in the first-level cache | the reductions, each in another row at once |
//! | `by_pieces` | long ones, or such of several axes | a monoid, the result of the row before at once |
//! | `side_by_side` | rows whose neighbours are neighbours in memory | a monoid, in a lane for each row |
//!
//! What a result needs of a monoid's state is in `state`, the loops that all walks are made of in `vectors`.
//!
//! The walks do what does not depend on a reduction: tasks, vectors, tails, independent accumulators that are merged at
//! the end, software pipelining over rows, and prefetches. Sums are in another order than in the function as it was,
//! and the same for every number of threads.

pub(crate) mod by_pieces;
mod pieces;
pub(crate) mod resident;
pub(crate) mod side_by_side;
mod state;
mod vectors;

use tilewright_ir::tir::{Buffer, Expr, PrimFunc, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use crate::build::exprs::substituted;
use crate::build::loops::{load, memory, store};
use crate::families::rows::RowProgram;
use crate::fault::Fault;
use crate::plan::Plan;
use crate::primitive::call::{Call, Outcome};
use crate::site::Site;
use vectors::Row;

/// A row reduction, where it stands: the block that gives the result, in a function.
pub(crate) struct Cx<'a> {
    function: &'a PrimFunc,
    site: &'a Site,
    program: &'a RowProgram,
}

/// A walk over the rows of a program, as a plan says.
type Walk<P> = fn(&Cx<'_>, &P) -> Result<Stmt, Fault>;

/// A walk instead of all statements of the root block. The function has to be a row reduction, and nothing else.
fn run<P: Plan>(call: &Call<'_>, walk: Walk<P>) -> Result<Outcome, Fault> {
    let (site, plan) = (call.block(0)?, P::of_call(call)?);
    call.with_root_body(&site, || {
        let at_block = |fault: Fault| Fault { path: fault.path.or_else(|| Some(site.path())), ..fault };
        let program = RowProgram::of(call.function).map_err(at_block)?;
        walk(&Cx { function: call.function, site: &site, program: &program }, &plan).map_err(at_block)
    })
}

/// A formula of an element, where all axes and some numbers have these values.
fn formula_at(formula: &Expr, axes: &Row, numbers: &[(Var, Expr)]) -> Expr {
    substituted(formula, &axes.iter().chain(numbers).cloned().collect::<Vec<_>>())
}

/// Stores numbers that are computed from values, one after the other in memory.
fn store_numbers(buffer: &Buffer, numbers: &[(Var, Expr)], values: &[(Var, Expr)]) -> Result<Vec<Stmt>, Fault> {
    let one = |(number, (_, formula)): (i64, &(Var, Expr))| {
        store(buffer, &[&Expr::i64(number)], &substituted(formula, values))
    };
    (0..).zip(numbers).map(one).collect()
}

/// Those numbers by their names.
fn load_numbers(buffer: &Buffer, numbers: &[(Var, Expr)]) -> Result<Row, Fault> {
    let one = |(number, (var, _)): (i64, &(Var, Expr))| Ok((var.clone(), load(buffer, &[&Expr::i64(number)])?));
    (0..).zip(numbers).map(one).collect()
}

fn local(name: &str, shape: &[i64], dtype: DataType) -> Buffer {
    memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), dtype, Scope::Local)
}

fn global(name: &str, shape: &[i64], dtype: DataType) -> Buffer {
    memory(name, shape.iter().map(|&size| Expr::i64(size)).collect(), dtype, Scope::Global)
}
