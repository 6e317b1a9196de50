//! A tensor on another device.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, MachineOp, Properties};

use crate::shapes::infer_on_device;

op! {
    /// The tensor on another device: a copy, or the tensor itself where it lies there already.
    "to_vdevice" {
        args: { data: Tensor, "The tensor."; }
        attrs: { dst_vdevice: VDevice = AttrDefault::Required, "The device."; }
        infer: infer_on_device,
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
