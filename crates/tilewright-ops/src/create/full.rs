//! A tensor of one value.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_tensor::DataType;

use super::{fill_dtype, legalize_filled};
use crate::attributes;
use crate::gradient;

op! {
    /// A tensor whose elements are all one value.
    "full" {
        args: {
            shape: Shape, "The shape.";
            fill_value: Tensor, "The value: a tensor without dimensions.";
        }
        attrs: {
            dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of an element, to which the value is converted; `void`: that of the value.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(|call| legalize_filled(call, 0)),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "full", "T_full",
        numbers: &[1],
        gradient: gradient::none,
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let dtype = fill_dtype(call, 1)?;
    Ok(StructInfo::tensor_with(attributes::shape(call, 0)?.clone(), attributes::dtype(call, "dtype")?.or(dtype)))
}
