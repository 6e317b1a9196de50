//! Tensors joined along a dimension.

use tilewright_arith::Analyzer;
use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::Attr;
use tilewright_ir::op::{
    Adjoint, AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Partials, Properties,
};
use tilewright_ir::relax::{Expr as Graph, StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};

use super::split;
use crate::elementwise::block_name;
use crate::gradient::Rule;
use crate::{attributes, shapes};

op! {
    /// Tensors concatenated along a dimension.
    "concat" {
        args: { tensors: Tuple, "The tensors, equal in all other dimensions and in their type."; }
        attrs: {
            axis: OptionalInt = AttrDefault::Int(0),
                "The dimension; negative numbers count from the end. `None`: the only one.";
         }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "concatenate", "T_concat",
        gradient: gradient,
        layouts: Layouts::Numbered(&["axis"]),
    }
}

fn axis_of(call: &OpCall<'_>) -> Option<i64> {
    call.attr("axis").and_then(Attr::as_int)
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let fields = shapes::alike_fields(call)?;
    if let (None, Some(rank)) = (axis_of(call), fields.rank.filter(|rank| *rank != 1)) {
        return Err(InferError::at(0, format!("`concat` without `axis` takes tensors of 1 dimension, found {rank}")));
    }
    let Some(rank) = fields.rank else { return Ok(StructInfo::tensor_with(TensorShape::Unknown, fields.dtype)) };
    let axis = attributes::axis(call, axis_of(call).unwrap_or(0), rank)?;
    let Some(all) = fields.known() else { return Ok(StructInfo::tensor_with(TensorShape::Rank(rank), fields.dtype)) };
    let mut dims = all.first().map(|first| first.to_vec()).unwrap_or_default();
    for other in &all[1..] {
        shapes::check_equal_dims(cx, call, &dims, other, Some(axis))?;
        dims[axis] = &dims[axis] + &other[axis];
    }
    dims[axis] = cx.analyzer.simplify(&dims[axis]);
    Ok(StructInfo::tensor_with(TensorShape::Known(dims), fields.dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let axis = attributes::axis(call, axis_of(call).unwrap_or(0), dims.len())?;
    legalize_formula(call, |inputs| Ok(vec![compute(&dims, &block_name(call), |i| element(inputs, i, axis))?]))
}

/// The element at `i` of what is joined: that of the last tensor which begins before it.
fn element(tensors: &[Tensor], i: &[Value], axis: usize) -> Value {
    let Some((first, rest)) = tensors.split_first() else { return i[axis].clone() };
    let analyzer = Analyzer::new();
    let mut element = first.at_all(i);
    let mut start = first.shape()[axis].clone();
    for tensor in rest {
        let mut own = i.to_vec();
        own[axis] = &i[axis] - Value::from(start.clone());
        let begins = match start.as_int() {
            Some(_) => Value::from(start.clone()).compare(CmpOp::Le, &i[axis]),
            None => Value::from(Expr::int(0, start.dtype)).compare(CmpOp::Le, &own[axis]),
        };
        element = begins.if_then_else(&tensor.at_all(&own), &element);
        start = analyzer.simplify(&(&start + &tensor.shape()[axis]));
    }
    element
}

/// Each field gets its part of the gradient.
fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let fields = shapes::alike_fields(call)?;
    let unknown = || InferError::at(0, "the gradient of `concat` needs fields of constant size along the dimension");
    let (dims, given) = (fields.known().ok_or_else(unknown)?, call.attr("axis").and_then(Attr::as_int).unwrap_or(0));
    let axis = attributes::axis(call, given, dims.first().map_or(0, |dims| dims.len()))?;
    let mut cuts = Vec::new();
    for dims in &dims[..dims.len() - 1] {
        let size = dims[axis].as_int().ok_or_else(unknown)?;
        cuts.push(Attr::Int(cuts.last().and_then(Attr::as_int).unwrap_or(0) + size));
    }
    let parts = match dims.len() {
        1 => Graph::tuple(vec![adjoint.grad.clone()]),
        _ => split::call(cx, adjoint.grad.clone(), Attr::Array(cuts), given)?,
    };
    Ok(Partials::exact(vec![Some(parts)]))
}
