//! Elements or slices replaced by tensors of indices.

use tilewright_expr::{BinOp, Buffer, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::{PrimFunc, Stmt};
use tilewright_te::{TeError, Value, extern_stage, legalize as legalize_formula, topi};

use super::{broadcast_indices, held};
use crate::elementwise::{any, block_name, number};
use crate::nest::nest;
use crate::{attributes, shapes};

op! {
    /// A copy of `data` in which the slices that the indices name along its first dimensions hold the values, as
    /// NumPy's `data[i, j] = values`.
    ///
    /// Of several values for one element the last one remains, or with `accumulate` all are added. Negative indices
    /// count from the end; one that is out of range is held within its dimension.
    "index_put" {
        args: {
            data: Tensor, "The input tensor.";
            indices: Tuple, "Tensors of integers, which broadcast; at most one for each dimension of `data`.";
            values: Tensor, "Elements of the type of `data`, which broadcast to the indexed elements.";
        }
        attrs: { accumulate: Bool = AttrDefault::Bool(false), "Whether values are added to the elements instead of replacing them."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// The dimensions of the indexed elements: those of the indices, then those of a slice.
fn place_dims(cx: &InferCx, call: &OpCall<'_>) -> Result<Option<Vec<Expr>>, InferError> {
    let (count, of_indices) = broadcast_indices(cx, call, 1)?;
    Ok(match (call.tensor(0)?.0, of_indices) {
        (TensorShape::Known(dims), TensorShape::Known(of_indices)) => {
            Some([of_indices.as_slice(), &dims[count..]].concat())
        }
        _ => None,
    })
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    shapes::all_of_dtype(call, &[0, 2], if attributes::flag(call, "accumulate") { number } else { any })?;
    if let (Some(places), TensorShape::Known(values)) = (place_dims(cx, call)?, call.tensor(2)?.0) {
        let fits = values.len() <= places.len()
            && values.iter().rev().zip(places.iter().rev()).all(|(own, wide)| !cx.cannot_broadcast(own, wide));
        if !fits {
            let (values, places) = (shapes::dims_text(values), shapes::dims_text(&places));
            let message =
                format!("`index_put`: values of shape {values} do not broadcast to the indexed elements {places}");
            return Err(InferError::at(2, message));
        }
    }
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let rank = shapes::dims_of(call, 0)?.len();
    let accumulates = attributes::flag(call, "accumulate");
    let Some(places) = place_dims(&InferCx::default(), call)? else {
        let message = "the shapes of the indices of `index_put` are not known here; `R.match_cast` can state them";
        return Err(InferError::at(1, message));
    };
    legalize_formula(call, |inputs| {
        let [x, ..] = inputs else { return Ok(Vec::new()) };
        let result = extern_stage(x.shape(), x.dtype(), inputs, &block_name(call), |ins, out| match ins {
            [x, indices @ .., values] => {
                let of_indices = places.len() + indices.len() - rank;
                let copy = nest(&x.shape, |i| Ok(Stmt::store(out, i.to_vec(), &Expr::load(x, i.to_vec())?)?))?;
                let change = nest(&places, |i| {
                    let mut at = Vec::new();
                    for (index, size) in indices.iter().zip(&out.shape) {
                        at.push(held(&broadcast_load(index, &i[..of_indices], &places[..of_indices])?, size)?);
                    }
                    at.extend_from_slice(&i[of_indices..]);
                    let value = broadcast_load(values, i, &places)?;
                    let value = match accumulates {
                        true => Expr::binary(BinOp::Add, &Expr::load(out, at.clone())?, &value)?,
                        false => value,
                    };
                    Ok(Stmt::store(out, at, &value)?)
                })?;
                Ok(Stmt::seq([copy, change]))
            }
            _ => Err(TeError("`index_put` takes a tensor, indices and values".into())),
        });
        Ok(vec![result?])
    })
}

/// The element at `i` of a shape that the buffer's own broadcasts to.
fn broadcast_load(buffer: &Buffer, i: &[Expr], shape: &[Expr]) -> Result<Expr, TeError> {
    let skipped = i.len().saturating_sub(buffer.rank());
    let index = |(own, (i, wide)): (&Expr, (&Expr, &Expr))| {
        topi::broadcast_index(own, &Value::from(i.clone()), wide).expr().cloned()
    };
    let at = buffer.shape.iter().zip(i.iter().zip(shape).skip(skipped)).map(index).collect::<Result<_, _>>()?;
    Ok(Expr::load(buffer, at)?)
}
