//! A hint to the device of a tensor.

use tilewright_ir::op::{AttrDefault, Fusion, Legalize, MachineOp, Properties};

use crate::shapes::infer_on_device;

op! {
    /// The tensor, with the hint that it should lie on this device.
    "hint_on_device" {
        args: { data: Tensor, "The tensor."; }
        attrs: { dst_vdevice: VDevice = AttrDefault::Required, "The device."; }
        infer: infer_on_device,
        legalize: Legalize::Machine(MachineOp::Same),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
