//! The shape of a tensor, as a value.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// The shape of the tensor, as a value.
    "shape_of" {
        args: { expr: Tensor, "The tensor."; }
        attrs: {}
        infer: |_, call| call.tensor(0).map(|(shape, _)| StructInfo::Shape(shape.clone())),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::ShapeOf)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
