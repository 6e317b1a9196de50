//! The product with a transposed matrix.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{legalize as legalize_formula, topi};
use tilewright_tensor::DataType;

use crate::{attributes, shapes};

op! {
    /// `data @ weight.T`: each row of the data times each row of the weight, as `torch.nn.functional.linear` has it.
    ///
    /// Dimensions of the data before the last are a batch.
    "nn.dense" {
        args: {
            data: Tensor, "The data, of at least one dimension.";
            weight: Tensor, "The weight: a row for each column of the result.";
        }
        attrs: {
            out_dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of the result and of the sums; `void`: that of the operands.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((data, data_type), (weight, weight_type)) = (call.tensor(0)?, call.tensor(1)?);
    for (i, dtype) in [data_type, weight_type].into_iter().enumerate() {
        if let Some(dtype) = dtype.filter(|d| !d.is_int() && !d.is_float()) {
            return Err(InferError::at(i, format!("`nn.dense` takes numbers, found {dtype}")));
        }
    }
    if shapes::rank(data) == Some(0) {
        return Err(InferError::at(0, "`nn.dense` takes data of at least one dimension, found a scalar"));
    }
    if let Some(rank) = shapes::rank(weight).filter(|&rank| rank != 2) {
        return Err(InferError::at(1, format!("`nn.dense` takes a weight of two dimensions, found {rank}")));
    }
    let dtype = match attributes::dtype(call, "out_dtype")? {
        Some(dtype) => Some(dtype),
        None => shapes::same_dtype(call, data_type, weight_type)?,
    };
    let shape = match (data, weight) {
        (TensorShape::Known(x), TensorShape::Known(w)) => match (x.as_slice(), w.as_slice()) {
            ([batch @ .., inner], [outer, width]) => {
                if cx.clash(inner, width) {
                    let (x, w) = (shapes::dims_text(x), shapes::dims_text(w));
                    let message = format!("`nn.dense` of shapes {x} and {w}: the last dimensions differ");
                    return Err(InferError::at(1, message));
                }
                TensorShape::Known(batch.iter().chain([outer]).cloned().collect())
            }
            _ => TensorShape::Unknown,
        },
        _ => shapes::rank(data).map_or(TensorShape::Unknown, TensorShape::Rank),
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dtype = attributes::dtype(call, "out_dtype")?;
    legalize_formula(call, |inputs| match inputs {
        [data, weight] => Ok(vec![topi::dense(data, weight, dtype.unwrap_or(data.dtype()))?]),
        _ => Ok(Vec::new()),
    })
}
