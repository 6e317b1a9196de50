//! Shared by elementwise ops: inference of the result, and loops.

use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize, topi};
use tilewright_tensor::DataType;

use crate::shapes;

/// Element types that an op takes, as a predicate with its words for messages.
pub type Takes = (fn(DataType) -> bool, &'static str);

#[expect(non_upper_case_globals, reason = "declarations name them as words of a sentence")]
mod takes {
    use super::Takes;

    pub const any: Takes = (|d| !d.is_handle(), "any element type");
    pub const number: Takes = (|d| d.is_int() || d.is_float(), "numbers");
    pub const signed: Takes = (|d| d.is_signed() || d.is_float(), "floats or signed integers");
    pub const float: Takes = (|d| d.is_float(), "floats");
    pub const integer: Takes = (|d| d.is_int(), "integers");
    pub const bits: Takes = (|d| d.is_int() || d.is_bool(), "integers or bools");
    pub const boolean: Takes = (|d| d.is_bool(), "bools");
}
pub use takes::{any, bits, boolean, float, integer, number, signed};

/// The element type of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    /// That of the operands.
    Same,
    Bool,
}

impl Gives {
    /// The type of the result for operands of this type.
    fn of(self, dtype: Option<DataType>) -> Option<DataType> {
        match self {
            Self::Same => dtype,
            Self::Bool => Some(DataType::BOOL),
        }
    }
}

/// The rule for one tensor: a result of its shape.
///
/// Functions of floats alone refuse other types where they are called; others where they become loops.
pub fn infer_unary(cx: &InferCx, call: &OpCall<'_>, takes: Takes, gives: Gives) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    if takes.1 == float.1 {
        check_dtype(call, 0, dtype, takes)?;
    }
    check_loops(cx, call, 0, dtype, takes)?;
    Ok(StructInfo::tensor_with(shape.clone(), gives.of(dtype)))
}

/// The rule for two tensors, or a tensor and a scalar: shapes broadcast, types are the same. Two scalars give a scalar.
pub fn infer_binary(cx: &InferCx, call: &OpCall<'_>, takes: Takes, gives: Gives) -> Result<StructInfo, InferError> {
    let ((a, a_type), (b, b_type)) = (call.operand(0)?, call.operand(1)?);
    check_loops(cx, call, 0, a_type, takes)?;
    check_loops(cx, call, 1, b_type, takes)?;
    let dtype = shapes::same_dtype(call, a_type, b_type)?;
    let shape = shapes::broadcast(cx, a, b).map_err(|why| InferError::at(1, format!("`{}`: {why}", call.op.name)))?;
    let is_scalar = |arg: &Expr| matches!(arg.struct_info, StructInfo::Prim { .. });
    if call.args.iter().all(is_scalar)
        && let Some(dtype) = gives.of(dtype)
    {
        return Ok(StructInfo::Prim { dtype, value: None });
    }
    Ok(StructInfo::tensor_with(shape, gives.of(dtype)))
}

/// Refuses an argument whose elements are of a type that the op does not take.
pub fn check_dtype(call: &OpCall<'_>, arg: usize, dtype: Option<DataType>, takes: Takes) -> Result<(), InferError> {
    match dtype {
        Some(dtype) if !(takes.0)(dtype) => {
            Err(InferError::at(arg, format!("`{}` takes {}, found {dtype}", call.op.name, takes.1)))
        }
        _ => Ok(()),
    }
}

/// Refuses an argument whose elements are of a type for which there are no loops, where loops are asked for.
pub fn check_loops(
    cx: &InferCx,
    call: &OpCall<'_>,
    arg: usize,
    dtype: Option<DataType>,
    takes: Takes,
) -> Result<(), InferError> {
    if cx.for_loops { check_dtype(call, arg, dtype, takes) } else { Ok(()) }
}

/// The base name of blocks and buffers of the op's PrimFunc.
pub fn block_name(call: &OpCall<'_>) -> String {
    call.op.block_name()
}

pub fn legalize_unary(call: &OpCall<'_>, formula: impl FnOnce(Value) -> Value) -> Result<PrimFunc, InferError> {
    legalize(call, |inputs| match inputs {
        [x] => Ok(vec![topi::elementwise(x, &block_name(call), formula)?]),
        _ => Ok(Vec::new()),
    })
}

pub fn legalize_binary(call: &OpCall<'_>, formula: impl FnOnce(Value, Value) -> Value) -> Result<PrimFunc, InferError> {
    let is_scalar = |arg: &Expr| matches!(arg.struct_info, StructInfo::Prim { .. });
    let shape = if call.args.iter().all(is_scalar) { Vec::new() } else { shapes::result_dims(call)? };
    let scalar = |at: usize| match call.args.get(at).map(|arg| &arg.struct_info) {
        Some(StructInfo::Prim { value: Some(value), .. }) => Ok(Some(Value::from(value.clone()))),
        Some(StructInfo::Prim { value: None, .. }) => {
            let message = format!("`{}` of a scalar needs its value, which is not known here", call.op.name);
            Err(InferError::at(at, message))
        }
        _ => Ok(None),
    };
    let (left, right) = (scalar(0)?, scalar(1)?);
    let name = block_name(call);
    legalize(call, |inputs| match (inputs, left, right) {
        ([x], Some(a), None) => Ok(vec![topi::elementwise(x, &name, |x| formula(a, x))?]),
        ([x], None, Some(b)) => Ok(vec![topi::elementwise(x, &name, |x| formula(x, b))?]),
        ([a, b], None, None) => Ok(vec![topi::broadcast(a, b, &shape, &name, formula)?]),
        // Two scalars: an element without dimensions, whose value legalisation takes.
        ([], Some(a), Some(b)) => Ok(vec![compute(&[], &name, |_| formula(a, b))?]),
        _ => Ok(Vec::new()),
    })
}

/// A formula that narrow floats go through in float32: several roundings to so few digits would add up.
pub fn in_wide(x: &Value, formula: impl FnOnce(&Value) -> Value) -> Value {
    match x.dtype() {
        Some(dtype) if wide(dtype) != dtype => formula(&x.cast(wide(dtype))).cast(dtype),
        _ => formula(x),
    }
}

pub use tilewright_te::topi::wide;
