//! Elements in another type.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_te::{legalize, topi};
use tilewright_tensor::DataType;

use super::{infer_like, result_dtype};
use crate::elementwise::block_name;

op! {
    /// A parameter in the type in which the model computes; the elements are converted as `astype` does.
    "wrap_param" {
        args: { data: Tensor, "The input tensor."; }
        attrs: { dtype: DType = AttrDefault::DType(DataType::F32), "The data type of an element of the result."; }
        infer: infer_like,
        legalize: Legalize::PrimFunc(|call| {
            let dtype = result_dtype(call)?;
            legalize(call, |inputs| {
                inputs.iter().map(|x| topi::elementwise(x, &block_name(call), |x| x.cast(dtype))).collect()
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
    }
}
