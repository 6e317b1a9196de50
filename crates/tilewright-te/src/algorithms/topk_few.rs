//! The first few elements of an order, each line of a tensor by itself.
//!
//! A line is looked at once. The first elements of what has been seen stand in order; one that belongs before the last
//! of them takes its place, and moves up to its own. It takes `k` steps for each such element, of which there are few
//! unless the line is in the opposite order: with a small `k` that is never more than to sort the line.
//!
//! Where lines lie in memory element by element, most of a line is looked at in pieces: if its extreme element does not
//! enter, no element of the piece does.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::{ForKind, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::lines::Line;
use super::statements::with_local;
use crate::{TeError, Tensor, extern_op};

/// Vectors of a piece, each of as many lanes as there are float32 in a vector.
const VECTORS_PER_PIECE: i64 = 4;
/// Bits of the narrowest elements that are looked at in pieces.
const PIECE_ELEMENT_BITS_MIN: u8 = 32;

/// The first `k` elements of each line, and the indices at which they stood. A line has at least so many, or the run
/// ends.
pub(super) fn selected(
    caps: &Capabilities,
    x: &Tensor,
    line: Line,
    k: i64,
    name: &str,
) -> Result<Vec<Tensor>, TeError> {
    let mut dims = x.shape().to_vec();
    dims[line.axis] = Expr::i64(k);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(line.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => {
            Select { caps: *caps, x, line, k, values, indices: indices.first() }.statements()
        }
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
    caps: Capabilities,
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
        let own = &vars[axis];
        let line = match axis + 1 == rank && self.x.dtype.bits >= PIECE_ELEMENT_BITS_MIN && self.lanes() > 1 {
            true => self.by_pieces(&vars)?,
            false => along(ForKind::Serial, self.look_at(&vars, &Expr::var(own))?, axis),
        };
        let lines =
            (0..rank).rev().filter(|at| *at != axis).fold(line, |body, at| along(self.caps.task_loop(), body, at));
        Ok(Stmt::seq([enough(self.x, axis, self.k)?, lines]))
    }

    /// Lanes of the extremes of a piece.
    fn lanes(&self) -> i64 {
        i64::from(self.caps.lanes(DataType::F32))
    }

    /// A place of the line.
    fn at(&self, line: &[Var], place: &Expr) -> Vec<Expr> {
        let index = |(at, var): (usize, &Var)| if at == self.line.axis { place.clone() } else { Expr::var(var) };
        line.iter().enumerate().map(index).collect()
    }

    /// The first elements one by one, then pieces, and what is left one by one.
    fn by_pieces(&self, line: &[Var]) -> Result<Stmt, TeError> {
        let (first, length) = (Expr::i64(self.k), self.x.shape[self.line.axis].clone());
        let (behind, lanes) = (&length - &first, self.lanes());
        let size = VECTORS_PER_PIECE * lanes;
        let some = |name: &str, from: &Expr, count: Expr| -> Result<Stmt, TeError> {
            let var = Var::new(name, DataType::I64);
            let one = self.look_at(line, &(from + &Expr::var(&var)))?;
            Ok(Stmt::for_loop(&var, Expr::i64(0), count, ForKind::Serial, one))
        };
        let (piece, pieces) =
            (Var::new("piece", DataType::I64), Expr::binary(BinOp::FloorDiv, &behind, &Expr::i64(size))?);
        let begin = &first + &(Expr::var(&piece) * size);
        let extremes =
            Buffer::new("extremes", vec![Expr::i64(lanes)], self.x.dtype).derive(|node| node.scope = Scope::Local);
        let extreme = Expr::load(&extremes, vec![Expr::i64(0)])?;
        let last = Expr::load(self.values, self.at(line, &Expr::i64(self.k - 1)))?;
        let mut enters = before(&extreme, &last, self.line.descending)?;
        if extreme.dtype.is_float() {
            // A NaN hides the numbers of its piece.
            enters = Expr::binary(BinOp::Or, &Expr::call(Intrinsic::IsNan, &[extreme])?, &enters)?;
        }
        let then = some("k", &begin, Expr::i64(size))?;
        let look = StmtKind::If { condition: enters, then, otherwise: None };
        let body = with_local(extremes.clone(), Stmt::seq([self.extreme(line, &begin, &extremes)?, look.into()]));
        Ok(Stmt::seq([
            some("head", &Expr::i64(0), first.clone())?,
            Stmt::for_loop(&piece, Expr::i64(0), pieces.clone(), ForKind::Serial, body),
            some("rest", &(&first + &(pieces * size)), Expr::binary(BinOp::FloorMod, &behind, &Expr::i64(size))?)?,
        ]))
    }

    /// The extreme of a piece in the first lane: the element that belongs before the others, or NaN.
    fn extreme(&self, line: &[Var], begin: &Expr, extremes: &Buffer) -> Result<Stmt, TeError> {
        let op = if self.line.descending { BinOp::Max } else { BinOp::Min };
        let over = |lanes: i64, value: &dyn Fn(&Expr) -> Result<Expr, TeError>| -> Result<Stmt, TeError> {
            let lane = Var::new("lane", DataType::I64);
            let store = Stmt::store(extremes, vec![Expr::var(&lane)], &value(&Expr::var(&lane))?)?;
            Ok(Stmt::for_loop(&lane, Expr::i64(0), Expr::i64(lanes), ForKind::Vectorized, store))
        };
        let lanes = self.lanes();
        let mut steps = vec![over(lanes, &|lane| {
            let element = |at: i64| Expr::load(self.x, self.at(line, &(begin + &(lane + &Expr::i64(at)))));
            let pair = |at: i64| Expr::binary(op, &element(at)?, &element(at + lanes)?);
            Ok(Expr::binary(op, &pair(0)?, &pair(2 * lanes)?)?)
        })?];
        let mut lanes = lanes / 2;
        while lanes > 0 {
            steps.push(over(lanes, &|lane| {
                let other = Expr::load(extremes, vec![lane + &Expr::i64(lanes)])?;
                Ok(Expr::binary(op, &Expr::load(extremes, vec![lane.clone()])?, &other)?)
            })?);
            lanes /= 2;
        }
        Ok(Stmt::seq(steps))
    }

    /// What becomes of the element at a place along the line.
    fn look_at(&self, line: &[Var], here: &Expr) -> Result<Stmt, TeError> {
        let last = Expr::i64(self.k - 1);
        let element = Expr::load(self.x, self.at(line, here))?;
        let place = self.at(line, &Expr::binary(BinOp::Min, here, &last)?);
        let mut enter = vec![Stmt::store(self.values, place.clone(), &element)?];
        if let Some(indices) = self.indices {
            enter.push(Stmt::store(indices, place, &here.cast(indices.dtype)?)?);
        }
        enter.push(self.move_up(line, here)?);
        let among_first = Expr::compare(CmpOp::Lt, here, &Expr::i64(self.k))?;
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

/// Whether an element belongs before another one that stands before it.
fn before(element: &Expr, other: &Expr, descending: bool) -> Result<Expr, TeError> {
    let (small, large) = if descending { (other, element) } else { (element, other) };
    let comparable = |x: &Expr| if x.dtype.is_bool() { x.cast(DataType::U8) } else { Ok(x.clone()) };
    let (small, large) = (comparable(small)?, comparable(large)?);
    if !small.dtype.is_float() {
        return Ok(Expr::compare(CmpOp::Lt, &small, &large)?);
    }
    // NaN is in order with nothing, but here the greatest.
    let not_above = Expr::compare(CmpOp::Ge, &small, &large)?.not()?;
    let number = Expr::call(Intrinsic::IsNan, &[small])?.not()?;
    Ok(Expr::binary(BinOp::And, &number, &not_above)?)
}
