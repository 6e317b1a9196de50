//! A part of a tensor whose bounds are tensors.

use tilewright_expr::Expr;
use tilewright_ir::op::{Builtin, Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

use crate::shapes;

op! {
    /// The elements from `begin` up to and without `end` in steps of `strides` along each dimension, as Python slices.
    ///
    /// Only a run knows how many there are; `R.match_cast` names it. Negative begins and ends count from the end of the
    /// dimension, and what lies outside is cut off; a step of 0 ends the run with an error.
    "dynamic_strided_slice" {
        args: {
            x: Tensor, "The input tensor.";
            begin: Tensor, "Where the slice begins along each dimension, as `int64`.";
            end: Tensor, "Where it ends along each dimension, as `int64`.";
            strides: Tensor, "The steps, as `int64`.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Builtin(Builtin::DynamicStridedSlice)),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let mut rank = shape.rank();
    for arg in 1..call.args.len() {
        let (bounds, bounds_type) = call.tensor(arg)?;
        let name = call.op.args.get(arg).map_or("?", |def| def.name);
        let message = format!("`dynamic_strided_slice` needs `{name}` as an int64 tensor of 1 dimension of known size");
        let TensorShape::Known(dims) = bounds else { return Err(InferError::at(arg, message)) };
        let ([count], None | Some(DataType::I64)) = (dims.as_slice(), bounds_type) else {
            return Err(InferError::at(arg, message));
        };
        match rank {
            Some(rank) if cx.analyzer.prove_different(count, &Expr::i64(rank as i64)) => {
                let count = shapes::dim_text(count);
                let message = format!("`dynamic_strided_slice`: `{name}` has {count} bounds for {rank} dimensions");
                return Err(InferError::at(arg, message));
            }
            Some(_) => {}
            None => rank = count.as_int().and_then(|count| usize::try_from(count).ok()),
        }
    }
    Ok(StructInfo::tensor_with(rank.map_or(TensorShape::Unknown, TensorShape::Rank), dtype))
}
