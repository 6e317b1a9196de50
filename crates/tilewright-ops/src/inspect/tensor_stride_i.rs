//! The stride of a dimension.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};

use super::infer_along;
use crate::shapes;

op! {
    /// The distance between neighbours along a dimension, in elements.
    "inspect.tensor_stride_i" {
        args: {
            x: Tensor, "The tensor.";
            axis: Scalar, "The dimension, counted from the start.";
        }
        attrs: {}
        infer: |cx, call| infer_along(cx, call, |cx, dims, axis| shapes::product(cx, &dims[axis + 1..])),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorStride)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
