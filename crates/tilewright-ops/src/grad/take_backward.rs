//! The gradient of elements taken by their indices.

use tilewright_expr::{BinOp, Buffer, Expr};
use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::{PrimFunc, Stmt};
use tilewright_te::{TeError, extern_stage, legalize as legalize_formula};
use tilewright_tensor::DataType;

use crate::elementwise::{block_name, float, wide};
use crate::indexed::check_indices;
use crate::manipulate::regrouped;
use crate::nest::nest;
use crate::reduction::converted;
use crate::{attributes, shapes};

op! {
    /// The gradient of `take` with respect to `x`: each element of `output_grad` is added where the element was taken
    /// from.
    ///
    /// Indices are held within the dimension, negative ones at 0. Of float16 and bfloat16 sums are worked out in
    /// float32.
    "grad.take_backward" {
        args: {
            output_grad: Tensor, "The gradient with respect to what was taken.";
            x: Tensor, "The tensor that elements were taken of.";
            indices: Tensor, "The indices, integers.";
        }
        attrs: { axis: OptionalInt = AttrDefault::None, "The dimension; `None`: that of the flattened tensor."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn axis(call: &OpCall<'_>, rank: usize) -> Result<Option<usize>, InferError> {
    call.attr("axis").and_then(Attr::as_int).map(|axis| attributes::axis(call, axis, rank)).transpose()
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_indices(call, 2)?;
    let dtype = shapes::all_of_dtype(call, &[0, 1], float)?;
    let shape = call.tensor(1)?.0;
    if let Some(rank) = shape.rank() {
        axis(call, rank)?;
    }
    let known = (call.args[0].struct_info.dims(), call.args[1].struct_info.dims(), call.args[2].struct_info.dims());
    if let (Some(given), Some(dims), Some(indices)) = known {
        let wanted = match axis(call, dims.len())? {
            Some(axis) => [&dims[..axis], indices, &dims[axis + 1..]].concat(),
            None => indices.to_vec(),
        };
        let differ = wanted.iter().zip(given).any(|(a, b)| cx.clash(a, b));
        if differ || wanted.len() != given.len() {
            let (wanted, given) = (shapes::dims_text(&wanted), shapes::dims_text(given));
            let message = format!("`grad.take_backward` needs a gradient of the shape {wanted}, found {given}");
            return Err(InferError::at(0, message));
        }
    }
    Ok(StructInfo::tensor_with(shape.clone(), dtype.or(call.tensor(1)?.1)))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::dims_of(call, 1)?;
    let (axis, name) = (axis(call, dims.len())?, block_name(call));
    let into = match axis {
        Some(_) => dims.clone(),
        None => vec![shapes::product(&InferCx::default(), &dims)],
    };
    legalize_formula(call, |inputs| {
        let [grad, x, indices] = inputs else { return Ok(Vec::new()) };
        let stages = [grad.clone(), indices.clone()];
        let total = extern_stage(&into, wide(x.dtype()), &stages, &format!("{name}_sum"), |ins, out| match ins {
            [grad, indices] => scatter(grad, indices, out, axis.unwrap_or(0)),
            _ => Err(TeError("a gradient and indices are needed".into())),
        })?;
        let total = if axis.is_some() { total } else { regrouped(&total, &dims, &format!("{name}_shaped"))? };
        Ok(vec![converted(&total, x.dtype(), &name)?])
    })
}

fn scatter(grad: &Buffer, indices: &Buffer, out: &Buffer, axis: usize) -> Result<Stmt, TeError> {
    let clear = nest(&out.shape, |i| Ok(Stmt::store(out, i.to_vec(), &Expr::number(0, out.dtype))?))?;
    let add = nest(&grad.shape, |i| {
        let (index, later) = i[axis..].split_at(indices.rank());
        let index = Expr::load(indices, index.to_vec())?.cast(DataType::I64)?;
        let last = &out.shape[axis] - &Expr::i64(1);
        let held = Expr::binary(BinOp::Max, &Expr::binary(BinOp::Min, &index, &last)?, &Expr::i64(0))?;
        let indices = [&i[..axis], &[held], later].concat();
        let element = Expr::load(grad, i.to_vec())?.cast(out.dtype)?;
        Ok(Stmt::store(out, indices.clone(), &Expr::binary(BinOp::Add, &Expr::load(out, indices)?, &element)?)?)
    })?;
    Ok(Stmt::seq([clear, add]))
}
