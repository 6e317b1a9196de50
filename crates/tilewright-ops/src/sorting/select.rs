//! The first few elements of an order, each line of a tensor by itself.
//!
//! A line is looked at once. The first elements of what has been seen stand in order; one that belongs before the last of
//! them takes its place, and moves up to its own. It takes `k` steps for each such element, of which there are few unless the
//! line is in the opposite order: with a small `k` that is never more than to sort the line.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{ForKind, Stmt, StmtKind};
use tilewright_te::{TeError, Tensor, extern_op};
use tilewright_tensor::DataType;

use super::{Line, before};

/// The first `k` elements of each line, and the indices at which they stood. A line has at least so many, or the run ends.
pub(super) fn selected(x: &Tensor, line: Line, k: i64, name: &str) -> Result<Vec<Tensor>, TeError> {
    let mut dims = x.shape().to_vec();
    dims[line.axis] = Expr::i64(k);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(line.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => Select { x, line, k, values, indices: indices.first() }.statements(),
        _ => Err(TeError(format!("`{name}` selects of one tensor"))),
    })?;
    Ok(op.outputs())
}

/// That a dimension has at least `k` elements, where that is not known.
pub(super) fn enough(x: &Buffer, axis: usize, k: i64) -> Result<Stmt, TeError> {
    if x.shape[axis].as_int().is_some() {
        return Ok(Stmt::nothing());
    }
    let condition = Expr::compare(CmpOp::Ge, &x.shape[axis], &Expr::i64(k))?;
    let message = format!("{k} elements are asked for along dimension {axis}, which has fewer").into();
    Ok(StmtKind::Assert { condition, message }.into())
}

struct Select<'a> {
    x: &'a Buffer,
    line: Line,
    k: i64,
    values: &'a Buffer,
    indices: Option<&'a Buffer>,
}

impl Select<'_> {
    fn statements(&self) -> Result<Stmt, TeError> {
        let (axis, rank) = (self.line.axis, self.x.rank());
        let vars: Vec<Var> = (0..rank).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let along = |kind: ForKind, body: Stmt, at: usize| {
            Stmt::for_loop(&vars[at], Expr::i64(0), self.x.shape[at].clone(), kind, body)
        };
        let line = along(ForKind::Serial, self.look_at(&vars)?, axis);
        let lines = (0..rank).rev().filter(|at| *at != axis).fold(line, |body, at| along(ForKind::Parallel, body, at));
        Ok(Stmt::seq([enough(self.x, axis, self.k)?, lines]))
    }

    /// A place of the line.
    fn at(&self, line: &[Var], place: &Expr) -> Vec<Expr> {
        let index = |(at, var): (usize, &Var)| if at == self.line.axis { place.clone() } else { Expr::var(var) };
        line.iter().enumerate().map(index).collect()
    }

    /// What becomes of an element.
    fn look_at(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let (here, last) = (Expr::var(&line[self.line.axis]), Expr::i64(self.k - 1));
        let element = Expr::load(self.x, self.at(line, &here))?;
        let place = self.at(line, &Expr::binary(BinOp::Min, &here, &last)?);
        let mut enter = vec![Stmt::store(self.values, place.clone(), &element)?];
        if let Some(indices) = self.indices {
            enter.push(Stmt::store(indices, place, &here.cast(indices.dtype)?)?);
        }
        enter.push(self.move_up(line, &here)?);
        let among_first = Expr::compare(CmpOp::Lt, &here, &Expr::i64(self.k))?;
        let beats = before(&element, &Expr::load(self.values, self.at(line, &last))?, self.line.descending)?;
        let condition = Expr::binary(BinOp::Or, &among_first, &beats)?;
        Ok(StmtKind::If { condition, then: Stmt::seq(enter), otherwise: None }.into())
    }

    /// Elements change places from the last on, as long as they belong before the one in front of them.
    fn move_up(&self, line: &[Var], here: &Expr) -> Result<Stmt, TeError> {
        let step = Var::new("step", DataType::I64);
        let lower = Expr::i64(self.k - 1) - Expr::var(&step);
        let upper = &lower - &Expr::i64(1);
        let (lower_at, upper_at) = (self.at(line, &lower), self.at(line, &upper));
        let element = |at: &[Expr]| Expr::load(self.values, at.to_vec());
        let rises = before(&element(&lower_at)?, &element(&upper_at)?, self.line.descending)?;
        let is_there = Expr::compare(CmpOp::Le, &lower, here)?;
        let mut swaps = Vec::new();
        for buffer in [Some(self.values), self.indices].into_iter().flatten() {
            let kept = Var::new("kept", buffer.dtype);
            let body = Stmt::seq([
                Stmt::store(buffer, lower_at.clone(), &Expr::load(buffer, upper_at.clone())?)?,
                Stmt::store(buffer, upper_at.clone(), &Expr::var(&kept))?,
            ]);
            let value = Expr::load(buffer, lower_at.clone())?;
            swaps.push(StmtKind::Let { var: kept, value, body }.into());
        }
        let condition = Expr::binary(BinOp::And, &is_there, &rises)?;
        let change = StmtKind::If { condition, then: Stmt::seq(swaps), otherwise: None };
        Ok(Stmt::for_loop(&step, Expr::i64(0), Expr::i64(self.k - 1), ForKind::Serial, change.into()))
    }
}
