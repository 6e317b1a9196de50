//! Ops that make tensors from nothing, or from the shape or element type of one.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize};
use tilewright_tensor::DataType;

use crate::elementwise::block_name;
use crate::{attributes, shapes};

family! {
    alloc_tensor,
    arange,
    astype,
    eye,
    full,
    full_like,
    ones,
    ones_like,
    tril,
    triu,
    wrap_param,
    zeros,
    zeros_like,
}

/// The rule of ops whose result has the shape of their first argument, and its element type unless `dtype` says
/// another.
fn infer_like(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    Ok(StructInfo::tensor_with(shape.clone(), attributes::dtype(call, "dtype")?.or(dtype)))
}

/// The element type of the call's result, which legalisation needs to know.
fn result_dtype(call: &OpCall<'_>) -> Result<DataType, InferError> {
    (call.op.infer)(&InferCx::default(), call)?
        .dtype()
        .ok_or_else(|| InferError::new(format!("the data type of the result of `{}` is not known here", call.op.name)))
}

/// A tensor whose elements depend on nothing but where they are.
fn legalize_by_index(
    call: &OpCall<'_>,
    formula: impl FnOnce(&[Value], DataType) -> Value,
) -> Result<PrimFunc, InferError> {
    let (dims, dtype) = (shapes::result_dims(call)?, result_dtype(call)?);
    legalize(call, |_| Ok(vec![compute(&dims, &block_name(call), |i| formula(i, dtype))?]))
}

/// A tensor of one number.
fn legalize_constant(call: &OpCall<'_>, number: i64) -> Result<PrimFunc, InferError> {
    legalize_by_index(call, |_, dtype| Expr::number(number, dtype).into())
}

/// A tensor whose elements are all that of `inputs[fill]`, a tensor without dimensions.
fn legalize_filled(call: &OpCall<'_>, fill: usize) -> Result<PrimFunc, InferError> {
    let (dims, dtype) = (shapes::result_dims(call)?, result_dtype(call)?);
    legalize(call, |inputs| match inputs.get(fill) {
        Some(value) => Ok(vec![compute(&dims, &block_name(call), |_| value.at(&[]).cast(dtype))?]),
        None => Ok(Vec::new()),
    })
}

/// Refuses a fill value that has dimensions, and gives its element type.
fn fill_dtype(call: &OpCall<'_>, arg: usize) -> Result<Option<DataType>, InferError> {
    let (shape, dtype) = call.tensor(arg)?;
    match shape.rank() {
        Some(0) => Ok(dtype),
        rank => {
            let found = rank.map_or("an unknown number".into(), |rank| rank.to_string());
            let message = format!("the fill value of `{}` must have no dimensions, found {found}", call.op.name);
            Err(InferError::at(arg, message))
        }
    }
}

/// An index plus a distance.
fn moved(index: &Value, distance: i64) -> Value {
    match distance {
        0 => index.clone(),
        1.. => index + distance,
        _ => index - distance.saturating_neg(),
    }
}

/// Whether index `a` is at most `b` plus a distance.
fn at_most(a: &Value, b: &Value, distance: i64) -> Value {
    match distance {
        -1 => a.compare(CmpOp::Lt, b),
        _ => a.compare(CmpOp::Le, moved(b, distance)),
    }
}

/// The elements of the last two dimensions on one side of a diagonal; the others are 0.
fn legalize_triangle(call: &OpCall<'_>, keeps: fn(&Value, &Value, i64) -> Value) -> Result<PrimFunc, InferError> {
    let k = attributes::int(call, "k")?;
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let result = compute(x.shape(), &block_name(call), |i| match i {
            [.., row, column] => {
                let zero = Value::from(Expr::number(0, x.dtype()));
                keeps(row, column, k).select(&x.at_all(i), &zero)
            }
            _ => x.at_all(i),
        });
        Ok(vec![result?])
    })
}

/// The rule of the triangles: a tensor of at least two dimensions.
fn infer_triangle(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    match shape.rank() {
        Some(rank @ 0..2) => {
            let message = format!("`{}` takes a tensor of at least 2 dimensions, found {rank}", call.op.name);
            Err(InferError::at(0, message))
        }
        _ => Ok(StructInfo::tensor_with(shape.clone(), dtype)),
    }
}
