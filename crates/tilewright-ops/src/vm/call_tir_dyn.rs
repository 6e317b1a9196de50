//! A PrimFunc that gets dimensions as scalars.

use tilewright_ir::op::{Fusion, Legalize, MachineOp, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// Calls a PrimFunc of the module on the tensors and scalars of a tuple. A shape that ends the tuple stands for its
    /// dimensions, each a scalar.
    "vm.call_tir_dyn" {
        args: {
            func: Function, "The PrimFunc.";
            args: Tuple, "Its arguments, destinations among them.";
        }
        attrs: {}
        infer: |_, _| Ok(StructInfo::Tuple(Vec::new())),
        legalize: Legalize::Machine(MachineOp::CallPrimFunc),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
    }
}
