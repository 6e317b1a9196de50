//! The lanes of an element.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_tensor::DataType;

use super::infer_known;

op! {
    /// The lanes of one element.
    "inspect.tensor_dtype_lanes" {
        args: { x: Tensor, "The tensor."; }
        attrs: {}
        infer: |_, call| infer_known(call, DataType::U16, |x| x.dtype().map(|dtype| i64::from(dtype.lanes))),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorTypeLanes)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
