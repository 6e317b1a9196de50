//! The kind of an element.

use tilewright_ir::op::{Builtin, Fusion, Legalize, MachineOp, Properties};
use tilewright_tensor::DataType;

use super::infer_known;

op! {
    /// The code of the elements' type, as DLPack counts: 0 for signed and 1 for unsigned integers, 2 for floats, 6 for
    /// bools.
    "inspect.tensor_dtype_code" {
        args: { x: Tensor, "The tensor."; }
        attrs: {}
        infer: |_, call| infer_known(call, DataType::U8, |x| x.dtype().map(|dtype| dtype.code as i64)),
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::TensorTypeCode)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}
