//! Merge sort as loops, each line of a tensor by itself.
//!
//! Runs of `width` elements, in order each, are merged two by two into runs of twice the width, from one buffer into
//! another. One round is two such passes, there and back, so that what is sorted lies where it lay; rounds go on while a
//! run is shorter than the line, their number bounded by the size that a line can have. A merge is stable, and takes
//! time in proportion to the elements: the whole is `O(n log n)`. Indices, where they are wanted, move with their elements.
//!
//! Places come from counters that the loops keep themselves and that stay inside their runs: no element's value is one.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Block, ForKind, Stmt, StmtKind};
use tilewright_support::Origins;
use tilewright_te::{TeError, Tensor, extern_op};
use tilewright_tensor::DataType;

use super::before;

/// How the lines of a tensor are sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The dimension along which they lie.
    pub axis: usize,
    pub descending: bool,
    /// The type of the indices that move with the elements, where they are wanted.
    pub indices: Option<DataType>,
}

/// The tensor with its lines sorted, and for each element the index at which it stood.
pub(crate) fn sorted(x: &Tensor, line: Line, name: &str) -> Result<(Tensor, Option<Tensor>), TeError> {
    let pair = |dtype| [(x.shape().to_vec(), dtype), (x.shape().to_vec(), dtype)];
    let outputs: Vec<_> = pair(x.dtype()).into_iter().chain(line.indices.into_iter().flat_map(pair)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, spare, indices @ ..]) => {
            let side = |at: usize, values: &Buffer| Side { values: values.clone(), indices: indices.get(at).cloned() };
            Sort { x, line, here: side(0, values), there: side(1, spare) }.statements()
        }
        _ => Err(TeError(format!("`{name}` sorts one tensor"))),
    })?;
    let outputs = op.outputs();
    match outputs.first() {
        Some(values) => Ok((values.clone(), outputs.get(2).cloned())),
        None => Err(TeError(format!("`{name}` makes no tensor"))),
    }
}

/// A buffer of elements with that of their indices.
struct Side {
    values: Buffer,
    indices: Option<Buffer>,
}

struct Sort<'a> {
    x: &'a Buffer,
    line: Line,
    here: Side,
    there: Side,
}

fn add(a: &Expr, b: &Expr) -> Expr {
    a + b
}

fn least(a: &Expr, b: &Expr) -> Result<Expr, TeError> {
    Ok(Expr::binary(BinOp::Min, a, b)?)
}

fn for_each(var: &Var, extent: Expr, body: Stmt) -> Stmt {
    Stmt::for_loop(var, Expr::i64(0), extent, ForKind::Serial, body)
}

fn conditional(condition: Expr, then: Stmt, otherwise: Option<Stmt>) -> Stmt {
    StmtKind::If { condition, then, otherwise }.into()
}

impl Sort<'_> {
    fn statements(&self) -> Result<Stmt, TeError> {
        let rank = self.x.rank();
        let vars: Vec<Var> = (0..rank).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let line = Stmt::seq([self.copied(&vars)?, self.rounds(&vars)?]);
        let around = |body: Stmt, at: usize| {
            Stmt::for_loop(&vars[at], Expr::i64(0), self.x.shape[at].clone(), ForKind::Parallel, body)
        };
        Ok((0..rank).rev().filter(|at| *at != self.line.axis).fold(line, around))
    }

    /// The number of elements of a line.
    fn extent(&self) -> &Expr {
        &self.x.shape[self.line.axis]
    }

    /// The element of a line at a place along it.
    fn at(&self, line: &[Var], place: &Expr) -> Vec<Expr> {
        let index = |(at, var): (usize, &Var)| if at == self.line.axis { place.clone() } else { Expr::var(var) };
        line.iter().enumerate().map(index).collect()
    }

    /// The line as it stands, with its indices.
    fn copied(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let own = &line[self.line.axis];
        let at = self.at(line, &Expr::var(own));
        let mut stores = vec![Stmt::store(&self.here.values, at.clone(), &Expr::load(self.x, at.clone())?)?];
        if let Some(indices) = &self.here.indices {
            stores.push(Stmt::store(indices, at, &Expr::var(own).cast(indices.dtype)?)?);
        }
        Ok(for_each(own, self.extent().clone(), Stmt::seq(stores)))
    }

    fn rounds(&self, line: &[Var]) -> Result<Stmt, TeError> {
        // A run is four times as long after each round.
        let rounds = match self.extent().as_int() {
            Some(extent) => (0..31).find(|&round| 1_i64 << (2 * round) >= extent).unwrap_or(31),
            None => 31,
        };
        let round = Var::new("round", DataType::I64);
        let width = Expr::binary(BinOp::Shl, &Expr::i64(1), &(Expr::var(&round) * 2))?;
        let wide = width.clone() * 2;
        let there = self.pass(line, &width, &self.here, &self.there)?;
        let back = self.pass(line, &wide, &self.there, &self.here)?;
        let unsorted = Expr::compare(CmpOp::Lt, &width, self.extent())?;
        Ok(for_each(&round, Expr::i64(rounds), conditional(unsorted, Stmt::seq([there, back]), None)))
    }

    /// Runs of `width` of one side, merged two by two into the other.
    fn pass(&self, line: &[Var], width: &Expr, from: &Side, to: &Side) -> Result<Stmt, TeError> {
        let (run, k) = (Var::new("run", DataType::I64), Var::new("k", DataType::I64));
        let double = width.clone() * 2;
        let begin = Expr::var(&run) * double.clone();
        let middle = least(&add(&begin, width), self.extent())?;
        let end = least(&add(&begin, &double), self.extent())?;
        // The places of the next elements of both runs.
        let next = Buffer::new("next", vec![Expr::i64(2)], DataType::I64).derive(|node| node.scope = Scope::Local);
        let place = |which: i64| Expr::load(&next, vec![Expr::i64(which)]);
        let (left, right) = (place(0)?, place(1)?);
        let element = |place: &Expr| Expr::load(&from.values, self.at(line, place));
        let before = before(&element(&right)?, &element(&left)?, self.line.descending)?;
        let right_first = Expr::binary(BinOp::And, &Expr::compare(CmpOp::Lt, &right, &end)?, &before)?;
        let takes_right = Expr::binary(BinOp::Or, &Expr::compare(CmpOp::Ge, &left, &middle)?, &right_first)?;
        let target = self.at(line, &add(&begin, &Expr::var(&k)));
        let take = |which: i64| -> Result<Stmt, TeError> {
            let at = self.at(line, &place(which)?);
            let mut stores = vec![Stmt::store(&to.values, target.clone(), &Expr::load(&from.values, at.clone())?)?];
            if let (Some(from), Some(to)) = (&from.indices, &to.indices) {
                stores.push(Stmt::store(to, target.clone(), &Expr::load(from, at)?)?);
            }
            stores.push(Stmt::store(&next, vec![Expr::i64(which)], &(place(which)? + 1))?);
            Ok(Stmt::seq(stores))
        };
        let step = conditional(takes_right, take(1)?, Some(take(0)?));
        let merge = Stmt::seq([
            Stmt::store(&next, vec![Expr::i64(0)], &begin)?,
            Stmt::store(&next, vec![Expr::i64(1)], &middle)?,
            for_each(&k, &end - &begin, step),
        ]);
        let runs = Expr::binary(BinOp::FloorDiv, &(add(self.extent(), &double) - 1), &double)?;
        Ok(for_each(&run, runs, with_local(next, merge)))
    }
}

/// The statement with memory of its own.
pub(super) fn with_local(buffer: Buffer, body: Stmt) -> Stmt {
    let block = Block {
        name: "merge".into(),
        iters: Vec::new(),
        alloc_buffers: vec![buffer],
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init: None,
        body,
        origins: Origins::default(),
    };
    StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into()
}
