//! A tensor in memory of its own.

use tilewright_ir::op::{AttrDefault, Builtin, Fusion, Legalize, MachineOp, OtherOrder, Properties};

use crate::shapes::infer_allocated;

op! {
    /// A tensor with undefined contents that lies in a storage. A run in which it does not fit ends with an error.
    "vm.alloc_tensor" {
        args: {
            storage: Value, "The storage, of `vm.alloc_storage`.";
            shape: Shape, "The shape.";
        }
        attrs: {
            offset: Int = AttrDefault::Int(0), "Where it begins, in bytes: a multiple of 64.";
            dtype: DType = AttrDefault::Required, "The data type of an element.";
        }
        infer: |_, call| infer_allocated(call, 1),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::AllocTensor)),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
        // The offset may come before the shape.
        other_order: OtherOrder {
            position: 1,
            is_number: true,
            names: &["storage", "offset", "shape", "dtype", "runtime_device_index"],
        },
    }
}
