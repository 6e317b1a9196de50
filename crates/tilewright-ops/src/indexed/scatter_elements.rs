//! Elements replaced or changed at the indices of a tensor of indices.

use tilewright_expr::{BinOp, Buffer, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::{PrimFunc, Stmt};
use tilewright_te::{TeError, extern_stage, legalize as legalize_formula};

use super::{check_indices, combined, held, reduction};
use crate::elementwise::{any, block_name};
use crate::nest::nest;
use crate::{attributes, shapes};

op! {
    /// A copy of `data` in which each element of `updates` is written at its own indices, except along the dimension
    /// `axis`, where the index gives it.
    ///
    /// The updates go one after the other, the last dimension fastest. Negative indices count from the end; one that is
    /// out of range is held within the dimension.
    "scatter_elements" {
        args: {
            data: Tensor, "The input tensor.";
            indices: Tensor, "Integers, in as many dimensions as `data` has, at most as large except along `axis`.";
            updates: Tensor, "Elements of the type of `data`, of the shape of the indices.";
        }
        attrs: {
            axis: Int = AttrDefault::Int(0), "The dimension; negative numbers count from the end.";
            reduction: Str = AttrDefault::Str("update"),
                "What an update does to the element: `update` replaces it, `add`, `mul`, `min` and `max` combine with it.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    check_indices(call, 1)?;
    reduction(call)?;
    shapes::all_of_dtype(call, &[0, 2], any)?;
    for other in [1, 2] {
        if let (Some(a), Some(b)) = (shape.rank(), call.tensor(other)?.0.rank())
            && a != b
        {
            let message = format!("`scatter_elements`: a tensor of {b} dimensions for one of {a}");
            return Err(InferError::at(other, message));
        }
    }
    if let Some(rank) = shape.rank() {
        let axis = attributes::axis_attr(call, "axis", rank)?;
        shapes::check_inside(cx, call, 0, 1, axis)?;
        shapes::check_inside(cx, call, 2, 1, rank)?;
    }
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
    let reduction = reduction(call)?;
    legalize_formula(call, |inputs| {
        let [x, ..] = inputs else { return Ok(Vec::new()) };
        let result = extern_stage(x.shape(), x.dtype(), inputs, &block_name(call), |ins, out| match ins {
            [x, indices, updates] => {
                let copy = nest(&x.shape, |i| Ok(Stmt::store(out, i.to_vec(), &Expr::load(x, i.to_vec())?)?))?;
                let change = nest(&indices.shape, |i| update(out, indices, updates, axis, reduction, i))?;
                Ok(Stmt::seq([copy, change]))
            }
            _ => Err(TeError("`scatter_elements` takes three tensors".into())),
        });
        Ok(vec![result?])
    })
}

fn update(
    out: &Buffer,
    indices: &Buffer,
    updates: &Buffer,
    axis: usize,
    reduction: Option<BinOp>,
    i: &[Expr],
) -> Result<Stmt, TeError> {
    let index = Expr::load(indices, i.to_vec())?;
    let mut target = i.to_vec();
    target[axis] = held(&index, &out.shape[axis])?;
    let update = Expr::load(updates, i.to_vec())?;
    let value = combined(out, &target, reduction, update)?;
    Ok(Stmt::store(out, target, &value)?)
}
