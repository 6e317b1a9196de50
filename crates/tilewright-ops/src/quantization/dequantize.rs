//! Dequantisation: `(data - zero_point) * scale`.

use tilewright_ir::op::{AttrDefault, Fusion, Layouts, Legalize, Properties};
use tilewright_te::Value;
use tilewright_tensor::DataType;

use super::affine::{infer, legalize};
use crate::elementwise::{float, number, wide};

op! {
    /// `(data - zero_point) * scale`, worked out in floats.
    "dequantize" {
        args: {
            data: Tensor, "The input tensor.";
            scale: Tensor, "What one step is: a scalar, or one for each index of the dimension `axis`.";
            zero_point: Tensor, "The integer that represents 0: a scalar, or one for each index of the dimension `axis`.";
        }
        attrs: {
            axis: Int = AttrDefault::Int(-1), "The dimension of the scales; negative numbers count from the end.";
            out_dtype: DType = AttrDefault::DType(DataType::F32), "The data type of the result, a float.";
        }
        infer: |cx, call| infer(cx, call, number, float),
        legalize: Legalize::PrimFunc(|call| legalize(call, dequantized)),
        properties: Properties { pure: true, fusion: Fusion::Broadcast },
        loops: "dequantize", "dequantized",
        layouts: Layouts::Numbered(&["axis"]),
    }
}

fn dequantized(x: &Value, scale: &Value, zero_point: &Value, dtype: DataType) -> Value {
    let working = wide(dtype);
    ((difference(x, zero_point, working)) * scale.cast(working)).cast(dtype)
}

/// The distance from the zero point: of integers as an integer, which no rounding spoils.
fn difference(x: &Value, zero_point: &Value, working: DataType) -> Value {
    let small = |value: &Value| value.dtype().is_some_and(|dtype| dtype.is_int() && dtype.bits < 32);
    match small(x) && small(zero_point) {
        true => (x.cast(DataType::I32) - zero_point.cast(DataType::I32)).cast(working),
        false => x.cast(working) - zero_point.cast(working),
    }
}
