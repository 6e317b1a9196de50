//! The size of a dimension.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};

use super::infer_along;

op! {
    /// The number of elements along a dimension.
    "inspect.tensor_shape_i" {
        args: {
            x: Tensor, "The tensor.";
            axis: Scalar, "The dimension, counted from the start.";
        }
        attrs: {}
        infer: |cx, call| infer_along(cx, call, |_, dims, axis| dims[axis].clone()),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorDim)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
