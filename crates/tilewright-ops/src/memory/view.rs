//! The memory of a tensor as another tensor.

use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

use crate::shapes::allocation_bytes;

op! {
    /// A tensor over the memory of another one: nothing is copied. Shape and data type are those of `data` where they
    /// are not given. A run in which the view does not lie inside the memory of `data` ends with an error.
    "memory.view" {
        args: {
            data: Tensor, "The tensor whose memory it is.";
            shape: OptionalShape, "The shape of the view.";
        }
        attrs: {
            dtype: DType = AttrDefault::DType(DataType::VOID), "Its data type.";
            relative_byte_offset: Int = AttrDefault::Int(0), "Its offset in bytes from the first element of `data`.";
        }
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::View)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (of_data, of_data_type) = call.tensor(0)?;
    let shape = match call.args.get(1).map(|arg| &arg.struct_info) {
        Some(StructInfo::Shape(shape)) => shape.clone(),
        _ => of_data.clone(),
    };
    let dtype = match call.attr("dtype") {
        Some(Attr::DType(wanted)) if !wanted.is_void() => Some(*wanted),
        _ => of_data_type,
    };
    let offset = call.attr("relative_byte_offset").and_then(Attr::as_int).unwrap_or(0);
    if offset < 0 {
        return Err(InferError::new(format!("a view cannot begin at byte {offset} of a tensor")));
    }
    if let (TensorShape::Rank(_) | TensorShape::Unknown, Some(own), Some(wanted)) = (&shape, of_data_type, dtype)
        && own.bytes() < wanted.bytes()
    {
        let message = format!("a view of {own} as the wider {wanted} needs a new shape");
        return Err(InferError::new(message));
    }
    let view = StructInfo::tensor_with(shape, dtype);
    let given = call.args.first().and_then(|data| allocation_bytes(&data.struct_info));
    if let (Some(given), Some(needed)) = (given, allocation_bytes(&view))
        && offset.checked_add(needed).is_none_or(|end| end > given)
    {
        return Err(InferError::new(format!("{needed} bytes at {offset} do not lie inside a tensor of {given} bytes")));
    }
    Ok(view)
}
