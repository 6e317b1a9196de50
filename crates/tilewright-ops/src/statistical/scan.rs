//! Accumulation along a dimension: one loop along it for each line of the tensor, a step from each element to the next.
//!
//! Lines are independent of each other. Those whose elements are neighbours go on side by side: a task takes some of the last
//! dimension through all steps.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_te::{TeError, Tensor, extern_stage, legalize};
use tilewright_tensor::DataType;

use crate::elementwise::{any, block_name, check_dtype, number, wide};
use crate::manipulate::regrouped;
use crate::reduction::converted;
use crate::{attributes, shapes};

/// The rule: the tensor's shape, flattened where no axis is given.
pub(super) fn infer_scan(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let said = attributes::dtype(call, "dtype")?;
    // Truths are counted, where the type to count in is said.
    check_dtype(call, 0, dtype, if said.is_some() { any } else { number })?;
    if let Some(said) = said.filter(|said| !(number.0)(*said)) {
        return Err(InferError::new(format!("`{}` gives {}, not {said}", call.op.name, number.1)));
    }
    let shape = match (call.attr("axis").and_then(Attr::as_int), shape) {
        (Some(axis), shape) => {
            if let Some(rank) = shape.rank() {
                attributes::axis(call, axis, rank)?;
            }
            shape.clone()
        }
        (None, TensorShape::Known(dims)) => TensorShape::Known(vec![shapes::product(cx, dims)]),
        (None, TensorShape::Rank(_) | TensorShape::Unknown) => TensorShape::Rank(1),
    };
    Ok(StructInfo::tensor_with(shape, said.or(dtype)))
}

/// The loops, which combine by `op`, beginning with `identity`. Narrow floats are accumulated in float32.
pub(super) fn legalize_scan(call: &OpCall<'_>, op: BinOp, identity: i64) -> Result<PrimFunc, InferError> {
    let (dims, exclusive, name) = (shapes::result_dims(call)?, attributes::flag(call, "exclusive"), block_name(call));
    let axis = match call.attr("axis").and_then(Attr::as_int) {
        Some(axis) => Some(attributes::axis(call, axis, dims.len())?),
        None => None,
    };
    let said = attributes::dtype(call, "dtype")?;
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let dtype = said.unwrap_or(x.dtype());
        let lines = match axis {
            Some(_) => x.clone(),
            None => regrouped(x, &dims, &format!("{name}_line"))?,
        };
        let scan = Scan { axis: axis.unwrap_or(0), op, identity: Expr::number(identity, wide(dtype)), exclusive };
        let made = extern_stage(&dims, wide(dtype), &[lines], &name, |ins, out| scan.statements(&ins[0], out))?;
        Ok(vec![converted(&made, dtype, &format!("{name}_narrow"))?])
    })
}

/// What `op` makes of all elements up to each along a dimension, in the type `dtype`.
pub(crate) fn accumulated(x: &Tensor, axis: usize, op: BinOp, dtype: DataType, name: &str) -> Result<Tensor, TeError> {
    let scan = Scan { axis, op, identity: Expr::number(0, dtype), exclusive: false };
    extern_stage(x.shape(), dtype, std::slice::from_ref(x), name, |ins, out| scan.statements(&ins[0], out))
}

/// Lines that a task takes through its steps, at most and, where they are an even part of all, at least.
const MOST: i64 = 512;
const LEAST: i64 = 256;

struct Scan {
    axis: usize,
    op: BinOp,
    identity: Expr,
    /// Whether an element stays out of its own result.
    exclusive: bool,
}

impl Scan {
    fn statements(&self, x: &Buffer, out: &Buffer) -> Result<Stmt, TeError> {
        let mut vars: Vec<Var> = (0..x.rank()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let along =
            |var: &Var, extent: &Expr, kind, body| Stmt::for_loop(var, Expr::i64(0), extent.clone(), kind, body);
        let (own, last) = (vars[self.axis].clone(), x.rank() - 1);
        let is_first = Expr::compare(CmpOp::Eq, &Expr::var(&own), &Expr::i64(0))?;
        let choice = |[then, otherwise]: [Stmt; 2]| {
            StmtKind::If { condition: is_first, then, otherwise: Some(otherwise) }.into()
        };
        let mut nest = if self.axis == last {
            let here: Vec<Expr> = vars.iter().map(Expr::var).collect();
            along(&own, &x.shape[self.axis], ForKind::Serial, choice(self.steps(x, out, &here)?))
        } else {
            let (lane, extent) = (Var::new("lane", DataType::I64), &x.shape[last]);
            let (tasks, size) = pieces(extent)?;
            vars[last] = Var::new("task", DataType::I64);
            let begin = Expr::var(&vars[last]) * size;
            let mut here: Vec<Expr> = vars.iter().map(Expr::var).collect();
            here[last] = &begin + &Expr::var(&lane);
            let count = match extent.as_int().is_some_and(|extent| extent % size == 0) {
                true => Expr::i64(size),
                false => Expr::binary(BinOp::Min, &Expr::i64(size), &(extent - &begin))?,
            };
            let side_by_side = self.steps(x, out, &here)?.map(|step| along(&lane, &count, ForKind::Vectorized, step));
            let line = along(&own, &x.shape[self.axis], ForKind::Serial, choice(side_by_side));
            along(&vars[last], &tasks, ForKind::Parallel, line)
        };
        for at in (0..last).rev().filter(|at| *at != self.axis) {
            nest = along(&vars[at], &x.shape[at], ForKind::Parallel, nest);
        }
        Ok(nest)
    }

    /// What is stored first in a line, and what behind that.
    fn steps(&self, x: &Buffer, out: &Buffer, here: &[Expr]) -> Result<[Stmt; 2], TeError> {
        let mut before = here.to_vec();
        before[self.axis] = &here[self.axis] - &Expr::i64(1);
        let sofar = Expr::load(out, before.clone())?;
        let taken = Expr::load(x, if self.exclusive { before } else { here.to_vec() })?.cast(out.dtype)?;
        let next = Expr::binary(self.op, &sofar, &taken)?;
        let first = if self.exclusive { self.identity.clone() } else { taken };
        Ok([Stmt::store(out, here.to_vec(), &first)?, Stmt::store(out, here.to_vec(), &next)?])
    }
}

/// How many pieces a dimension is taken in, and the elements of a piece.
fn pieces(extent: &Expr) -> Result<(Expr, i64), TeError> {
    let even = |all: i64| (LEAST..=MOST).rev().find(|size| all % size == 0);
    let size = match extent.as_int() {
        Some(all) if all <= MOST => all.max(1),
        Some(all) => even(all).unwrap_or(MOST),
        None => MOST,
    };
    Ok((extent.ceil_div(size)?, size))
}
