//! Elements by their indices along a dimension.

use tilewright_expr::{BinOp, CmpOp, Expr};
use tilewright_ir::Attr;
use tilewright_ir::op::{Adjoint, AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Partials, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};

use super::check_indices;
use crate::elementwise::block_name;
use crate::grad::take_backward;
use crate::gradient::Rule;
use crate::manipulate::regrouped;
use crate::{attributes, shapes};

op! {
    /// The elements of `x` at the indices along a dimension, which the dimensions of the indices replace.
    ///
    /// The mode decides about an index out of range. `clip` and `fast`: it is clamped to the dimension, a negative one
    /// to 0. `wrap`: it wraps around. `nan`: a negative one counts from the end, and beyond the ends the result is NaN
    /// (floats only). From a dimension without elements nothing can be taken: such a call is undefined.
    "take" {
        args: {
            x: Tensor, "The input tensor.";
            indices: Tensor, "Integers.";
        }
        attrs: {
            axis: OptionalInt = AttrDefault::None, "The dimension; `None`: the only one.";
            mode: Str = AttrDefault::Str("fast"), "`fast`, `clip`, `wrap` or `nan`.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        gradient: gradient,
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), (indices, _)) = (call.tensor(0)?, call.tensor(1)?);
    check_indices(call, 1)?;
    let mode = attributes::text(call, "mode");
    match mode {
        "fast" | "clip" | "wrap" => {}
        "nan" if dtype.is_none_or(|dtype| dtype.is_float()) => {}
        "nan" => return Err(InferError::at(0, "`take` in the mode `nan` takes floats")),
        _ => {
            return Err(InferError::new(format!(
                "`take` knows the modes `fast`, `clip`, `wrap` and `nan`, not `{mode}`"
            )));
        }
    }
    let Some(axis) = call.attr("axis").and_then(Attr::as_int) else {
        if shape.rank() != Some(1) {
            let found = shape.rank().map_or("an unknown number of".into(), |rank| rank.to_string());
            return Err(InferError::at(
                0,
                format!("`take` without `axis` needs 1 dimension, found {found} dimensions"),
            ));
        }
        return Ok(StructInfo::tensor_with(indices.clone(), dtype));
    };
    let shape = match (shape, indices) {
        (TensorShape::Known(dims), TensorShape::Known(indices)) => {
            let axis = attributes::axis(call, axis, dims.len())?;
            TensorShape::Known([&dims[..axis], indices, &dims[axis + 1..]].concat())
        }
        _ => match shape.rank().zip(indices.rank()) {
            Some((rank, of_indices)) => {
                attributes::axis(call, axis, rank)?;
                TensorShape::Rank(rank + of_indices - 1)
            }
            None => TensorShape::Unknown,
        },
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, from, mode) = (shapes::result_dims(call)?, shapes::dims_of(call, 0)?, attributes::text(call, "mode"));
    let axis = match call.attr("axis").and_then(Attr::as_int) {
        Some(axis) => Some(attributes::axis(call, axis, from.len())?),
        None => None,
    };
    let flat = shapes::product(&InferCx::default(), &from);
    legalize_formula(call, |inputs| {
        let [x, indices] = inputs else { return Ok(Vec::new()) };
        let (line, axis) = match axis {
            Some(axis) => (x.clone(), axis),
            None => (regrouped(x, &[flat], &format!("{}_line", block_name(call)))?, 0),
        };
        Ok(vec![compute(&dims, &block_name(call), |i| element(&line, indices, axis, mode, i))?])
    })
}

fn element(x: &Tensor, indices: &Tensor, axis: usize, mode: &str, i: &[Value]) -> Value {
    let (of_indices, later) = i[axis..].split_at(indices.rank());
    let extent = x.dim(axis);
    let (size, index) = (Value::from(extent.clone()), indices.at_all(of_indices).cast(extent.dtype));
    let at = |index: Value| x.at_all(&[&i[..axis], &[index], later].concat());
    let held = |index: &Value| index.min(&size - 1).max(0);
    match mode {
        "wrap" => at(index.binary(BinOp::FloorMod, &size)),
        "nan" => {
            let from_start = index.compare(CmpOp::Lt, 0).select(&(&index + &size), &index);
            let inside = from_start.compare(CmpOp::Ge, 0).binary(BinOp::And, from_start.compare(CmpOp::Lt, &size));
            inside.select(&at(held(&from_start)), &Expr::float(f64::NAN, x.dtype()).into())
        }
        _ => at(held(&index)),
    }
}

fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let mode = attributes::text(call, "mode");
    if !matches!(mode, "fast" | "clip") {
        return Err(InferError::new(format!("the gradient of `take` in the mode `{mode}` is not known")));
    }
    let [x, indices] = call.args else { return Err(InferError::new("`take` takes two tensors")) };
    let axis = call.attr("axis").and_then(Attr::as_int);
    let of_x = take_backward::call(cx, adjoint.grad.clone(), x.clone(), indices.clone(), axis)?;
    Ok(Partials::exact(vec![Some(of_x), None]))
}
