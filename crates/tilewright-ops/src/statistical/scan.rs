//! Accumulation along a dimension: one loop along it for each line of the tensor, a step from each element to the next.

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

struct Scan {
    axis: usize,
    op: BinOp,
    identity: Expr,
    /// Whether an element stays out of its own result.
    exclusive: bool,
}

impl Scan {
    fn statements(&self, x: &Buffer, out: &Buffer) -> Result<Stmt, TeError> {
        let vars: Vec<Var> = (0..x.rank()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let here: Vec<Expr> = vars.iter().map(Expr::var).collect();
        let mut before = here.clone();
        before[self.axis] = &here[self.axis] - &Expr::i64(1);
        let sofar = Expr::load(out, before.clone())?;
        let taken = Expr::load(x, if self.exclusive { before } else { here.clone() })?.cast(out.dtype)?;
        let next = Expr::binary(self.op, &sofar, &taken)?;
        let first = if self.exclusive { self.identity.clone() } else { taken };
        let step = StmtKind::If {
            condition: Expr::compare(CmpOp::Eq, &here[self.axis], &Expr::i64(0))?,
            then: Stmt::store(out, here.clone(), &first)?,
            otherwise: Some(Stmt::store(out, here, &next)?),
        };
        let along =
            |body: Stmt, at: usize| Stmt::for_loop(&vars[at], Expr::i64(0), x.shape[at].clone(), ForKind::Serial, body);
        let line = along(step.into(), self.axis);
        Ok((0..x.rank()).rev().filter(|at| *at != self.axis).fold(line, along))
    }
}
