//! A tensor in planned memory.

use tilewright_ir::op::{
    AttrDefault, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, OtherOrder, Properties,
};
use tilewright_ir::relax::StructInfo;
use tilewright_tensor::DataType;

use crate::shapes::{allocation_bytes, infer_allocated};

op! {
    /// A tensor in a storage. Its contents are undefined, and tensors may overlap: the memory plan guarantees that
    /// they are not in use at the same time. It must not be returned.
    "memory.alloc_tensor" {
        args: {
            storage: Tensor, "The storage.";
            shape: Shape, "The shape; a symbolic one needs `bytes`.";
        }
        attrs: {
            offset: Int = AttrDefault::Required, "Where it begins, in bytes: a multiple of 64.";
            dtype: DType = AttrDefault::Required, "The data type of an element.";
            bytes: Int = AttrDefault::Int(0), "The bytes that are kept for it; 0: those of its constant shape. A run in which it needs more ends with an error.";
        }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::TensorInStorage),
        properties: Properties { pure: false, fusion: Fusion::Opaque },
        // The offset may come before the shape.
        other_order: OtherOrder {
            position: 1,
            is_number: true,
            names: &["storage", "offset", "shape", "dtype", "runtime_device_index"],
        },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let offset = call.attr("offset").and_then(|offset| offset.as_int()).unwrap_or(-1);
    if offset < 0 || offset % 64 != 0 {
        return Err(InferError::new(format!("the offset of a tensor must be a multiple of 64, found {offset}")));
    }
    let (_, dtype) = call.tensor(0)?;
    let storage = match call.args.first().and_then(|storage| storage.struct_info.dims()) {
        Some([bytes]) if dtype == Some(DataType::U8) => bytes.as_int(),
        _ => None,
    };
    let info = infer_allocated(call, 1)?;
    let kept = call.attr("bytes").and_then(|bytes| bytes.as_int()).filter(|bytes| *bytes != 0);
    let (Some(storage), Some(bytes)) = (storage, kept.or_else(|| allocation_bytes(&info))) else {
        return Err(InferError::new("a planned tensor needs a storage, and a constant shape or a number of bytes"));
    };
    if bytes < 0 || allocation_bytes(&info).is_some_and(|needed| needed > bytes) {
        return Err(InferError::new(format!("a tensor of this shape does not fit into {bytes} bytes")));
    }
    match offset.checked_add(bytes) {
        Some(end) if end <= storage => Ok(info),
        _ => Err(InferError::new(format!("{bytes} bytes at {offset} do not fit into a storage of {storage} bytes"))),
    }
}
