//! A tensor of one value with the shape of another.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_tensor::DataType;

use super::{fill_dtype, infer_like, legalize_filled};
use crate::gradient;

op! {
    /// A tensor with the shape of another whose elements are all one value.
    "full_like" {
        args: {
            x: Tensor, "The tensor whose shape it is.";
            fill_value: Tensor, "The value: a tensor without dimensions.";
        }
        attrs: {
            dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of an element, to which the value is converted; `void`: that of `x`.";
        }
        infer: |cx, call| {
            fill_dtype(call, 1)?;
            infer_like(cx, call)
        },
        legalize: Legalize::PrimFunc(|call| legalize_filled(call, 1)),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "full", "T_full",
        numbers: &[1],
        gradient: gradient::none,
    }
}
