//! Quantisation: `data / scale + zero_point` as integers.

use tilewright_expr::{Expr, Intrinsic};
use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};
use tilewright_te::Value;
use tilewright_tensor::DataType;

use super::affine::{infer, legalize};
use crate::elementwise::{float, integer, wide};

op! {
    /// `data / scale`, rounded to the nearest integer (halves to the even one), plus `zero_point`, held within the
    /// range of the result's type. NaN becomes the zero of that type.
    "quantize" {
        args: {
            data: Tensor, "The input tensor, of floats.";
            scale: Tensor, "What one step is: a scalar, or one for each index of the dimension `axis`.";
            zero_point: Tensor, "The integer that represents 0: a scalar, or one for each index of the dimension `axis`.";
        }
        attrs: {
            axis: Int = AttrDefault::Int(-1), "The dimension of the scales; negative numbers count from the end.";
            out_dtype: DType = AttrDefault::DType(DataType::I8), "The data type of the result, an integer.";
        }
        infer: |cx, call| infer(cx, call, float, integer),
        legalize: Legalize::PrimFunc(|call| legalize(call, quantized)),
        properties: Properties { pure: true, fusion: Fusion::Broadcast },
        loops: "quantize", "quantized",
        layouts: Layouts::Numbered(&["axis"]),
    }
}

fn quantized(x: &Value, scale: &Value, zero_point: &Value, dtype: DataType) -> Value {
    let working = wide(x.dtype().unwrap_or(DataType::F32));
    let steps = (x.cast(working) / scale.cast(working)).intrinsic(Intrinsic::Round) + zero_point.cast(working);
    // Only the conversion holds what is out of the range of a type whose bounds the float has not.
    match dtype.bits {
        ..=16 => {
            let end = |value: i64| Value::from(Expr::number(value, working));
            let (low, high) = match dtype.is_signed() {
                true => (-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1),
                false => (0, (1 << dtype.bits) - 1),
            };
            steps.min(end(high)).max(end(low)).cast(dtype)
        }
        _ => steps.cast(dtype),
    }
}
