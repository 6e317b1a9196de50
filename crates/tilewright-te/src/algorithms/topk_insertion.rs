//! Top-k of a few elements by insertion, in one pass along the axis.
//!
//! The result holds the first `k` elements so far in order; an element that comes before the last of them replaces it,
//! and moves up. That takes `k` steps for each such element, of which there are few unless the slice is in the opposite
//! order: with a small `k` that is never more than to sort the slice.
//!
//! Contiguous slices are read in pieces after the first `k` elements: if the extreme element of a piece does not enter,
//! no element of the piece does.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Intrinsic, Scope, Var};
use tilewright_ir::Attrs;
use tilewright_ir::legalize::Capabilities;
use tilewright_ir::tir::{ForKind, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::sort_keys::SortSpec;
use super::statements::with_local;
use crate::{TeError, Tensor, extern_op};

/// Vectors per piece, each of as many lanes as there are float32 in a vector.
const VECTORS_PER_PIECE: i64 = 4;
/// Bits of the narrowest elements that are read in pieces.
const PIECE_ELEMENT_BITS_MIN: u8 = 32;

/// The first `k` elements of each slice, and their indices. A shorter slice is an error of the run.
pub(super) fn selected(
    caps: &Capabilities,
    x: &Tensor,
    spec: SortSpec,
    k: i64,
    name: &str,
) -> Result<Vec<Tensor>, TeError> {
    let mut dims = x.shape().to_vec();
    dims[spec.axis] = Expr::i64(k);
    let outputs: Vec<_> = [x.dtype()].into_iter().chain(spec.indices).map(|dtype| (dims.clone(), dtype)).collect();
    let op = extern_op(&outputs, std::slice::from_ref(x), name, Attrs::new(), |ins, outs| match (ins, outs) {
        ([x], [values, indices @ ..]) => {
            Select { caps: *caps, x, spec, k, values, indices: indices.first() }.statements()
        }
        _ => Err(TeError(format!("`{name}` selects of one tensor"))),
    })?;
    Ok(op.outputs())
}

/// The assertion that a dimension has at least `k` elements, unless its extent is known.
pub(super) fn enough(x: &Buffer, axis: usize, k: i64) -> Result<Stmt, TeError> {
    if x.shape[axis].as_int().is_some() {
        return Ok(Stmt::nothing());
    }
    let condition = Expr::compare(CmpOp::Ge, &x.shape[axis], &Expr::i64(k))?;
    let message = format!("expected at least {k} elements along dimension {axis}").into();
    Ok(StmtKind::Assert { condition, message }.into())
}

struct Select<'a> {
    caps: Capabilities,
    x: &'a Buffer,
    spec: SortSpec,
    k: i64,
    values: &'a Buffer,
    indices: Option<&'a Buffer>,
}

impl Select<'_> {
    fn statements(&self) -> Result<Stmt, TeError> {
        let (axis, rank) = (self.spec.axis, self.x.rank());
        let vars: Vec<Var> = (0..rank).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let along = |kind: ForKind, body: Stmt, at: usize| {
            Stmt::for_loop(&vars[at], Expr::i64(0), self.x.shape[at].clone(), kind, body)
        };
        let own = &vars[axis];
        let slice = match axis + 1 == rank && self.x.dtype.bits >= PIECE_ELEMENT_BITS_MIN && self.lanes() > 1 {
            true => self.by_pieces(&vars)?,
            false => along(ForKind::Serial, self.consider(&vars, &Expr::var(own))?, axis),
        };
        let slices =
            (0..rank).rev().filter(|at| *at != axis).fold(slice, |body, at| along(self.caps.task_loop(), body, at));
        Ok(Stmt::seq([enough(self.x, axis, self.k)?, slices]))
    }

    /// Lanes in which the extreme of a piece is reduced.
    fn lanes(&self) -> i64 {
        i64::from(self.caps.lanes(DataType::F32))
    }

    /// The indices of the element at a position of the slice.
    fn at(&self, vars: &[Var], position: &Expr) -> Vec<Expr> {
        let index = |(at, var): (usize, &Var)| if at == self.spec.axis { position.clone() } else { Expr::var(var) };
        vars.iter().enumerate().map(index).collect()
    }

    /// The first `k` elements one by one, then pieces, then the tail one by one.
    fn by_pieces(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let (first, length) = (Expr::i64(self.k), self.x.shape[self.spec.axis].clone());
        let (rest, lanes) = (&length - &first, self.lanes());
        let size = VECTORS_PER_PIECE * lanes;
        let some = |name: &str, from: &Expr, count: Expr| -> Result<Stmt, TeError> {
            let var = Var::new(name, DataType::I64);
            let one = self.consider(vars, &(from + &Expr::var(&var)))?;
            Ok(Stmt::for_loop(&var, Expr::i64(0), count, ForKind::Serial, one))
        };
        let (piece, pieces) =
            (Var::new("piece", DataType::I64), Expr::binary(BinOp::FloorDiv, &rest, &Expr::i64(size))?);
        let begin = &first + &(Expr::var(&piece) * size);
        let extremes =
            Buffer::new("extremes", vec![Expr::i64(lanes)], self.x.dtype).derive(|node| node.scope = Scope::Local);
        let extreme = Expr::load(&extremes, vec![Expr::i64(0)])?;
        let last = Expr::load(self.values, self.at(vars, &Expr::i64(self.k - 1)))?;
        let mut enters = before(&extreme, &last, self.spec.descending)?;
        if extreme.dtype.is_float() {
            // A NaN hides the numbers of its piece.
            enters = Expr::binary(BinOp::Or, &Expr::call(Intrinsic::IsNan, &[extreme])?, &enters)?;
        }
        let then = some("k", &begin, Expr::i64(size))?;
        let look = StmtKind::If { condition: enters, then, otherwise: None };
        let body = with_local(extremes.clone(), Stmt::seq([self.extreme(vars, &begin, &extremes)?, look.into()]));
        Ok(Stmt::seq([
            some("head", &Expr::i64(0), first.clone())?,
            Stmt::for_loop(&piece, Expr::i64(0), pieces.clone(), ForKind::Serial, body),
            some("rest", &(&first + &(pieces * size)), Expr::binary(BinOp::FloorMod, &rest, &Expr::i64(size))?)?,
        ]))
    }

    /// The extreme of a piece in the first lane: the element that comes before the others, or NaN.
    fn extreme(&self, vars: &[Var], begin: &Expr, extremes: &Buffer) -> Result<Stmt, TeError> {
        let op = if self.spec.descending { BinOp::Max } else { BinOp::Min };
        let over = |lanes: i64, value: &dyn Fn(&Expr) -> Result<Expr, TeError>| -> Result<Stmt, TeError> {
            let lane = Var::new("lane", DataType::I64);
            let store = Stmt::store(extremes, vec![Expr::var(&lane)], &value(&Expr::var(&lane))?)?;
            Ok(Stmt::for_loop(&lane, Expr::i64(0), Expr::i64(lanes), ForKind::Vectorized, store))
        };
        let lanes = self.lanes();
        let mut steps = vec![over(lanes, &|lane| {
            let element = |at: i64| Expr::load(self.x, self.at(vars, &(begin + &(lane + &Expr::i64(at)))));
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

    /// Inserts the element at a position of the slice if it is among the first `k` so far.
    fn consider(&self, vars: &[Var], here: &Expr) -> Result<Stmt, TeError> {
        let last = Expr::i64(self.k - 1);
        let element = Expr::load(self.x, self.at(vars, here))?;
        let position = self.at(vars, &Expr::binary(BinOp::Min, here, &last)?);
        let mut enter = vec![Stmt::store(self.values, position.clone(), &element)?];
        if let Some(indices) = self.indices {
            enter.push(Stmt::store(indices, position, &here.cast(indices.dtype)?)?);
        }
        enter.push(self.move_up(vars, here)?);
        let among_first = Expr::compare(CmpOp::Lt, here, &Expr::i64(self.k))?;
        let beats = before(&element, &Expr::load(self.values, self.at(vars, &last))?, self.spec.descending)?;
        let condition = Expr::binary(BinOp::Or, &among_first, &beats)?;
        Ok(StmtKind::If { condition, then: Stmt::seq(enter), otherwise: None }.into())
    }

    /// Swaps elements from the last on, as long as they come before their predecessor.
    fn move_up(&self, vars: &[Var], here: &Expr) -> Result<Stmt, TeError> {
        let step = Var::new("step", DataType::I64);
        let lower = Expr::i64(self.k - 1) - Expr::var(&step);
        let upper = &lower - &Expr::i64(1);
        let (lower_at, upper_at) = (self.at(vars, &lower), self.at(vars, &upper));
        let element = |at: &[Expr]| Expr::load(self.values, at.to_vec());
        let rises = before(&element(&lower_at)?, &element(&upper_at)?, self.spec.descending)?;
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

/// Whether an element comes strictly before another one in the order.
fn before(element: &Expr, other: &Expr, descending: bool) -> Result<Expr, TeError> {
    let (small, large) = if descending { (other, element) } else { (element, other) };
    let comparable = |x: &Expr| if x.dtype.is_bool() { x.cast(DataType::U8) } else { Ok(x.clone()) };
    let (small, large) = (comparable(small)?, comparable(large)?);
    if !small.dtype.is_float() {
        return Ok(Expr::compare(CmpOp::Lt, &small, &large)?);
    }
    // NaN compares with nothing; here it is the greatest.
    let not_above = Expr::compare(CmpOp::Ge, &small, &large)?.not()?;
    let number = Expr::call(Intrinsic::IsNan, &[small])?.not()?;
    Ok(Expr::binary(BinOp::And, &number, &not_above)?)
}
