//! The width of an element.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_tensor::DataType;

use super::infer_known;

op! {
    /// The bits of one element.
    "inspect.tensor_dtype_bits" {
        args: { x: Tensor, "The tensor."; }
        attrs: {}
        infer: |_, call| infer_known(call, DataType::U8, |x| x.dtype().map(|dtype| i64::from(dtype.bits))),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorTypeBits)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
