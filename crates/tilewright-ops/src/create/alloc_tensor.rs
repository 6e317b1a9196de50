//! A new tensor, as the older spelling has it.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, MachineOp, Properties};

use crate::shapes::infer_allocation;

op! {
    /// A new tensor with undefined contents. The older spelling of `builtin.alloc_tensor`.
    "alloc_tensor" {
        args: { shape: Shape, "The shape."; }
        attrs: {
            dtype: DType = AttrDefault::Required, "The data type of an element.";
            runtime_device_index: Int = AttrDefault::Int(0), "The device, by its number in the virtual machine.";
        }
        infer: infer_allocation,
        legalize: Legalize::Machine(MachineOp::AllocTensor),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
