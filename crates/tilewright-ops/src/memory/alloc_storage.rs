//! Memory for the tensors of one call.

use tilewright_expr::Expr;
use tilewright_ir::op::{
    AttrDefault, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, OtherOrder, Properties,
};
use tilewright_ir::relax::StructInfo;
use tilewright_tensor::DataType;

op! {
    /// Memory, as a tensor of bytes: it lives as long as the call of the enclosing function, and is aligned to
    /// 64 bytes. Tensors are placed in it with `memory.alloc_tensor`.
    "memory.alloc_storage" {
        args: {}
        attrs: {
            bytes: Int = AttrDefault::Required, "Its size in bytes.";
        }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::AllocStorage),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
        // The size may be a shape, with what follows it.
        other_order: OtherOrder {
            position: 0,
            is_number: false,
            names: &["bytes", "virtual_device_index", "storage_scope", "dtype"],
        },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    match call.attr("bytes").and_then(|bytes| bytes.as_int()) {
        Some(bytes) if bytes >= 0 => Ok(StructInfo::tensor(vec![Expr::i64(bytes)], DataType::U8)),
        other => Err(InferError::new(format!("a storage needs a size of at least 0 bytes, found {other:?}"))),
    }
}
