//! Elements or slices by rows of indices.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula};

use super::{check_indices, guarded};
use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// For each row along the last dimension of the indices the slice of `data` that begins with that row, after the
    /// dimensions of a batch, which both have.
    ///
    /// Negative indices count from the end; one that is out of range is held within its dimension.
    "gather_nd" {
        args: {
            data: Tensor, "The input tensor.";
            indices: Tensor, "Integers; the last dimension is a constant.";
        }
        attrs: { batch_dims: Int = AttrDefault::Int(0), "The number of dimensions of a batch, which both begin with."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), (indices, _)) = (call.tensor(0)?, call.tensor(1)?);
    check_indices(call, 1)?;
    let (TensorShape::Known(dims), TensorShape::Known(indices)) = (shape, indices) else {
        return Ok(StructInfo::tensor_with(TensorShape::Unknown, dtype));
    };
    let batch = attributes::int(call, "batch_dims")?;
    let Some((last, rows)) = indices.split_last() else {
        return Err(InferError::at(1, "`gather_nd` needs indices of at least one dimension"));
    };
    let Some(length) = last.as_int() else {
        return Err(InferError::at(1, "the last dimension of the indices of `gather_nd` must be a constant"));
    };
    let batch = usize::try_from(batch).ok().filter(|batch| *batch <= rows.len()).ok_or_else(|| {
        InferError::new(format!("`gather_nd`: indices of {} dimensions have no batch of {batch}", indices.len()))
    })?;
    let used = usize::try_from(length).ok().and_then(|length| length.checked_add(batch));
    let Some(used) = used.filter(|used| *used <= dims.len()) else {
        let message = format!("`gather_nd`: rows of {length} indices for a tensor of {} dimensions", dims.len());
        return Err(InferError::at(1, message));
    };
    if let Some((own, other)) = dims[..batch].iter().zip(rows).find(|(own, other)| cx.clash(own, other)) {
        let (own, other) = (shapes::dim_text(own), shapes::dim_text(other));
        let message = format!("`gather_nd`: a dimension of the batch is {own} in the data and {other} in the indices");
        return Err(InferError::at(1, message));
    }
    let dims: Vec<Expr> = rows.iter().chain(&dims[used..]).cloned().collect();
    Ok(StructInfo::tensor_with(TensorShape::Known(dims), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let batch = usize::try_from(attributes::int(call, "batch_dims")?).unwrap_or(0);
    legalize_formula(call, |inputs| {
        let [x, indices] = inputs else { return Ok(Vec::new()) };
        let length = indices.shape().last().and_then(Expr::as_int).unwrap_or(0);
        let result = compute(&dims, &block_name(call), |i| {
            let (row, slice) = i.split_at(indices.rank() - 1);
            let mut found = row[..batch].to_vec();
            for k in 0..length {
                let index = indices.at_all(&[row, &[Expr::i64(k).into()]].concat());
                found.push(guarded(&index, &x.dim(found.len())));
            }
            found.extend_from_slice(slice);
            x.at_all(&found)
        });
        Ok(vec![result?])
    })
}
