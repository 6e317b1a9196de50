//! Memory of its own.

use tilewright_ir::op::{AttrDefault, Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_tensor::DataType;

op! {
    /// Memory of the given number of bytes, as an object: it lives as long as something in it is in use. Tensors are
    /// placed in it with `vm.alloc_tensor`.
    "vm.alloc_storage" {
        args: { size: Shape, "Its size in bytes, as a shape of one dimension."; }
        attrs: {
            runtime_device_index: Int = AttrDefault::Int(0), "The device, by its number in the virtual machine.";
            dtype: DType = AttrDefault::DType(DataType::U8), "What will lie in it.";
            storage_scope: Str = AttrDefault::Str("global"), "Where in the device's memory.";
        }
        infer: |_, _| Ok(StructInfo::Object),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::AllocStorage)),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
