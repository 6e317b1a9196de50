//! The offset of the first element in elements.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_tensor::DataType;

use super::infer_known;

op! {
    /// The elements between a tensor's address and its first element: none, as every tensor begins at its address.
    "inspect.tensor_elem_offset" {
        args: { x: Tensor, "The tensor."; }
        attrs: {}
        infer: |_, call| infer_known(call, DataType::U64, |_| Some(0)),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorElemOffset)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
