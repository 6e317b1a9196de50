//! A new tensor in memory of its own.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, MachineOp, Properties};

use crate::shapes::infer_allocation;

op! {
    /// A new tensor with undefined contents, in memory of its own: it may outlive the call that made it.
    "builtin.alloc_tensor" {
        args: { shape: Shape, "The shape."; }
        attrs: {
            dtype: DType = AttrDefault::Required, "The data type of an element.";
            runtime_device_index: Int = AttrDefault::Int(0), "The device, by its number in the virtual machine.";
            storage_scope: Str = AttrDefault::Str("global"), "Where in the device's memory.";
        }
        infer: infer_allocation,
        legalize: Legalize::Machine(MachineOp::AllocTensor),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
