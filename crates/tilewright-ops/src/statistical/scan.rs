//! What cumulative sums and products share.

use tilewright_expr::BinOp;
use tilewright_ir::Attr;
use tilewright_ir::legalize::LegalizeCx;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::scan::{Algorithm, Scan};
use tilewright_te::legalize;

use crate::elementwise::{any, block_name, check_loops, number, wide};
use crate::manipulate::regrouped;
use crate::reduction::converted;
use crate::{attributes, shapes};

/// The rule: the tensor's shape, flattened where no axis is given.
pub(super) fn infer_scan(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let said = attributes::dtype(call, "dtype")?;
    // Truths are counted, where the type to count in is said.
    check_loops(cx, call, 0, dtype, if said.is_some() { any } else { number })?;
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

/// What elements are combined by, and what changes none of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combine {
    pub(super) op: BinOp,
    pub(super) identity: i64,
}

/// The loops. Narrow floats are accumulated in float32.
pub(super) fn legalize_scan(
    cx: &LegalizeCx,
    call: &OpCall<'_>,
    combine: Combine,
    algorithm: Algorithm,
) -> Result<PrimFunc, InferError> {
    let Combine { op, identity } = combine;
    let (dims, exclusive, name) = (shapes::result_dims(call)?, attributes::flag(call, "exclusive"), block_name(call));
    let axis = match call.attr("axis").and_then(Attr::as_int) {
        Some(axis) => Some(attributes::axis(call, axis, dims.len())?),
        None => None,
    };
    let said = attributes::dtype(call, "dtype")?;
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let dtype = said.unwrap_or(x.dtype());
        let slices = match axis {
            Some(_) => x.clone(),
            None => regrouped(x, &dims, &format!("{name}_line"))?,
        };
        let scan = Scan { axis: axis.unwrap_or(0), op, identity, exclusive };
        let made = algorithm(&cx.capabilities, &slices, scan, wide(dtype), &name)?;
        Ok(vec![converted(&made, dtype, &format!("{name}_narrow"))?])
    })
}
