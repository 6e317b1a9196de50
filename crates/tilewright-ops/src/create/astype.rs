//! Elements in another type.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, Properties};
use tilewright_te::{legalize, topi};

use super::{infer_like, result_dtype};
use crate::elementwise::block_name;
use crate::gradient;

op! {
    /// The elements converted to another type: of floats to integers towards zero, beyond its range the end of the
    /// range, NaN as 0; of integers to integers wrapped around.
    "astype" {
        args: { x: Tensor, "The input tensor."; }
        attrs: { dtype: DType = AttrDefault::Required, "The data type of an element of the result."; }
        infer: infer_like,
        legalize: Legalize::PrimFunc(|call| {
            let dtype = result_dtype(call)?;
            legalize(call, |inputs| {
                inputs.iter().map(|x| topi::elementwise(x, &block_name(call), |x| x.cast(dtype))).collect()
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Elementwise },
        loops: "cast", "compute",
        gradient: |cx, call, adjoint| match call.tensor(0)?.1 {
            Some(from) if from.is_float() => gradient::unary(cx, call, adjoint, |g, _, _| g.astype(from)),
            _ => gradient::none(cx, call, adjoint),
        },
    }
}
