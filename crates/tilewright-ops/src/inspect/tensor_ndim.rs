//! The number of dimensions.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_tensor::DataType;

use super::infer_known;

op! {
    /// The number of dimensions.
    "inspect.tensor_ndim" {
        args: { x: Tensor, "The tensor."; }
        attrs: {}
        infer: |_, call| infer_known(call, DataType::I32, |x| x.rank().map(|rank| rank as i64)),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorRank)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
