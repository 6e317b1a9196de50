//! Numbers at equal distances.

use tilewright_expr::node::walk;
use tilewright_expr::{BinOp, Expr, ExprKind, Var};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_te::Value;
use tilewright_tensor::DataType;

use super::legalize_by_index;
use crate::{attributes, shapes};

op! {
    /// The numbers `start`, `start + step`, … before `end`. With one number alone, that is the end, and they start at
    /// 0.
    "arange" {
        args: {
            start: Scalar, "The first number.";
            end: OptionalScalar, "The number before which they end.";
            step: OptionalScalar, "The distance, not 0; 1 where it is left out.";
        }
        attrs: {
            dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of an element; `void`: int64 if all numbers are integers, else float32.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(|call| {
            let Numbers { start, step, .. } = numbers(call)?;
            legalize_by_index(call, |i, dtype| match i {
                // Floats are worked out in float64, so that rounding does not add up.
                [i] if start.dtype.is_float() || step.dtype.is_float() => {
                    let wide = |x: &Expr| Value::from(x.clone()).cast(DataType::F64);
                    (i.cast(DataType::F64) * wide(&step) + wide(&start)).cast(dtype)
                }
                [i] => (i * Value::from(step.clone()) + Value::from(start.clone())).cast(dtype),
                _ => Value::from(start.clone()).cast(dtype),
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

struct Numbers {
    start: Expr,
    end: Expr,
    step: Expr,
}

/// The three numbers; integers in int64.
fn numbers(call: &OpCall<'_>) -> Result<Numbers, InferError> {
    let wide = |value: Expr| match value.dtype.is_int() {
        true => value.cast(DataType::I64).map_err(|error| InferError::new(error.0)),
        false => Ok(value),
    };
    let first = wide(attributes::scalar(call, 0)?)?;
    let (start, end) = match attributes::optional_scalar(call, 1)? {
        Some(end) => (first, wide(end)?),
        None => (Expr::number(0, first.dtype), first),
    };
    let step = attributes::optional_scalar(call, 2)?.map_or(Ok(Expr::i64(1)), wide)?;
    Ok(Numbers { start, end, step })
}

fn as_float(value: &Expr) -> Option<f64> {
    match &value.kind {
        ExprKind::Float(value) => Some(value.0),
        _ => value.as_int().map(|value| value as f64),
    }
}

/// The number of elements.
fn length(cx: &InferCx, numbers: &Numbers) -> Result<Expr, InferError> {
    let Numbers { start, end, step } = numbers;
    if as_float(step) == Some(0.0) {
        return Err(InferError::at(2, "the step of `arange` must not be 0"));
    }
    if [start, end, step].iter().any(|x| x.dtype.is_float()) {
        let values = as_float(start).zip(as_float(end)).zip(as_float(step));
        let count = values.map(|((start, end), step)| ((end - start) / step).ceil().max(0.0));
        return match count {
            Some(count) if count <= i64::MAX as f64 => Ok(Expr::i64(count as i64)),
            Some(count) => Err(InferError::new(format!("`arange` cannot have {count} elements"))),
            None => Err(InferError::new("the numbers of `arange` must be integers or constants")),
        };
    }
    let Some(step) = step.as_int() else {
        return Err(InferError::at(2, "the step of `arange` must be a constant"));
    };
    let (distance, size) = if step > 0 { (end - start, step) } else { (start - end, step.saturating_neg()) };
    let rounded_up = Expr::binary(BinOp::FloorDiv, &(distance + (size - 1)), &Expr::i64(size));
    let count = cx.analyzer.simplify(&rounded_up.map_err(|error| InferError::new(error.0))?);
    // A name is taken to be that of a symbolic dimension, which is never negative.
    let mut sizes = shapes::of_sizes(cx, &[]);
    walk(&count, |var: &Var| sizes.analyzer.learn_least(var.id(), 0));
    Ok(match count.as_int() {
        Some(count) => Expr::i64(count.max(0)),
        None if sizes.analyzer.bounds(&count).at_least(0) => count,
        None => Expr::binary(BinOp::Max, &count, &Expr::i64(0)).map_err(|error| InferError::new(error.0))?,
    })
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let numbers = numbers(call)?;
    let all = [&numbers.start, &numbers.end, &numbers.step];
    if let Some(other) = all.iter().find(|x| !x.dtype.is_int() && !x.dtype.is_float()) {
        return Err(InferError::new(format!("`arange` takes numbers, found {}", other.dtype)));
    }
    let natural = if all.iter().any(|x| x.dtype.is_float()) { DataType::F32 } else { DataType::I64 };
    let dtype = attributes::dtype(call, "dtype")?.unwrap_or(natural);
    Ok(StructInfo::tensor_with(TensorShape::Known(vec![length(cx, &numbers)?]), Some(dtype)))
}
