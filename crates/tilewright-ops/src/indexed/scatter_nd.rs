//! Elements or slices replaced or changed by rows of indices.

use tilewright_expr::{Buffer, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::{PrimFunc, Stmt};
use tilewright_te::{TeError, extern_stage, legalize as legalize_formula};

use super::{check_indices, combined, held, reduction};
use crate::elementwise::{any, block_name};
use crate::nest::nest;
use crate::shapes;

op! {
    /// A copy of `data` in which the slice that each row along the last dimension of the indices names has changed by
    /// its update.
    ///
    /// The updates go one after the other, the last dimension fastest. Negative indices count from the end; one that is
    /// out of range is held within its dimension.
    "scatter_nd" {
        args: {
            data: Tensor, "The input tensor.";
            indices: Tensor, "Integers; the last dimension is a constant.";
            updates: Tensor, "A slice for each row, of the type of `data`.";
        }
        attrs: {
            reduction: Str = AttrDefault::Str("update"),
                "What an update does to the element: `update` replaces it, `add`, `mul`, `min` and `max` combine with it.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// The dimensions of the updates, and the length of a row; `None` where too little is known.
fn update_dims(call: &OpCall<'_>) -> Result<Option<(Vec<Expr>, usize)>, InferError> {
    let (TensorShape::Known(dims), TensorShape::Known(indices)) = (call.tensor(0)?.0, call.tensor(1)?.0) else {
        return Ok(None);
    };
    let Some((last, rows)) = indices.split_last() else {
        return Err(InferError::at(1, "`scatter_nd` needs indices of at least one dimension"));
    };
    let Some(length) = last.as_int() else {
        return Err(InferError::at(1, "the last dimension of the indices of `scatter_nd` must be a constant"));
    };
    let Some(length) = usize::try_from(length).ok().filter(|length| *length <= dims.len()) else {
        let message = format!("`scatter_nd`: rows of {length} indices for a tensor of {} dimensions", dims.len());
        return Err(InferError::at(1, message));
    };
    Ok(Some(([rows, &dims[length..]].concat(), length)))
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    check_indices(call, 1)?;
    reduction(call)?;
    shapes::all_of_dtype(call, &[0, 2], any)?;
    if let (Some((wanted, _)), TensorShape::Known(updates)) = (update_dims(call)?, call.tensor(2)?.0) {
        let differ = wanted.iter().zip(updates).any(|(a, b)| cx.clash(a, b));
        if differ || wanted.len() != updates.len() {
            let (wanted, updates) = (shapes::dims_text(&wanted), shapes::dims_text(updates));
            let message = format!("`scatter_nd` needs updates of the shape {wanted}, found {updates}");
            return Err(InferError::at(2, message));
        }
    }
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let reduction = reduction(call)?;
    let Some((dims, length)) = update_dims(call)? else {
        let message = "the shapes of the arguments of `scatter_nd` are not known here; `R.match_cast` can state them";
        return Err(InferError::new(message));
    };
    legalize_formula(call, |inputs| {
        let [x, ..] = inputs else { return Ok(Vec::new()) };
        let result = extern_stage(x.shape(), x.dtype(), inputs, &block_name(call), |ins, out| match ins {
            [x, indices, updates] => {
                let copy = nest(&x.shape, |i| Ok(Stmt::store(out, i.to_vec(), &Expr::load(x, i.to_vec())?)?))?;
                let change = nest(&dims, |i| {
                    let at = target(indices, out, i, length)?;
                    let update = Expr::load(updates, i.to_vec())?;
                    Ok(Stmt::store(out, at.clone(), &combined(out, &at, reduction, update)?)?)
                })?;
                Ok(Stmt::seq([copy, change]))
            }
            _ => Err(TeError("`scatter_nd` takes three tensors".into())),
        });
        Ok(vec![result?])
    })
}

/// The indices that the update at `i` writes.
fn target(indices: &Buffer, out: &Buffer, i: &[Expr], length: usize) -> Result<Vec<Expr>, TeError> {
    let (row, slice) = i.split_at(indices.rank() - 1);
    let mut at = Vec::new();
    for (k, size) in out.shape.iter().take(length).enumerate() {
        let index = Expr::load(indices, [row, &[Expr::i64(k as i64)]].concat())?;
        at.push(held(&index, size)?);
    }
    at.extend_from_slice(slice);
    Ok(at)
}
