//! A tensor whose elements go where a map of indices says.

use tilewright_expr::{Expr, Var};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{Attr, IndexMap, Inverse};
use tilewright_te::{Tensor, Value, compute_over, legalize as legalize_formula};
use tilewright_tensor::DataType;

use crate::{attributes, shapes};

op! {
    /// The tensor whose element at `index_map(i)` is that of `x` at `i`.
    ///
    /// The map must be one-to-one: an order of the dimensions, parts of them, sums of parts. Where a dimension is
    /// divided into parts of a size that does not divide it, it is filled up with `pad_value`.
    "layout_transform" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            index_map: IndexMap = AttrDefault::Required, "The map: of an index of `x`, that of the result.";
            pad_value: OptionalFloat = AttrDefault::None, "What the dimensions are filled up with; `None`: 0.";
            axis_separators: OptionalInts = AttrDefault::None,
                "Where the dimensions of the result divide into those of its memory: here nowhere.";
            input_axis_separators: OptionalInts = AttrDefault::None, "The same of `x`.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "te_layout_transform", "te_layout_transform",
    }
}

fn index_map<'a>(call: &'a OpCall<'_>) -> Result<&'a IndexMap, InferError> {
    for name in ["axis_separators", "input_axis_separators"] {
        if call.attr(name).and_then(Attr::as_ints).is_some_and(|separators| !separators.is_empty()) {
            let message = format!("`layout_transform`: memory of several dimensions (`{name}`) is not known here");
            return Err(InferError::new(message));
        }
    }
    match call.attr("index_map") {
        Some(Attr::IndexMap(map)) => Ok(map),
        _ => Err(InferError::new("`layout_transform` needs the attribute `index_map`")),
    }
}

/// The way back from the result's indices to those of a tensor of this shape.
fn inverse(call: &OpCall<'_>, dims: &[Expr], outputs: &[Var]) -> Result<Inverse, InferError> {
    let mut cx = InferCx::default();
    index_map(call)?.inverse(&mut cx.analyzer, dims, outputs).ok_or_else(|| {
        let dims = shapes::dims_text(dims);
        InferError::new(format!("`layout_transform`: the map is not known to be one-to-one on the shape {dims}"))
    })
}

fn outputs(map: &IndexMap) -> Vec<Var> {
    (0..map.results().len()).map(|at| Var::new(format!("axis{at}"), DataType::I64)).collect()
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), map) = (call.tensor(0)?, index_map(call)?);
    let ranked = |rank: usize| match map.initial().len() {
        count if count == rank => Ok(map.results().len()),
        count => Err(InferError::at(
            0,
            format!("`layout_transform`: the tensor has {rank} dimensions, the initial indices of the map are {count}"),
        )),
    };
    let mapped = |dims: &[Expr]| {
        ranked(dims.len())?;
        Ok(inverse(call, dims, &outputs(map))?.shape)
    };
    let shape = shapes::map_shape(shape, mapped, ranked)?;
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::dims_of(call, 0)?;
    let outputs = outputs(index_map(call)?);
    let back = inverse(call, &dims, &outputs)?;
    let fill = match call.attr("pad_value") {
        Some(Attr::None) | None => 0.0,
        Some(_) => attributes::float(call, "pad_value")?,
    };
    let padded = back.inside.is_some();
    let name = if padded { "te_layout_transform_with_pad" } else { "te_layout_transform" };
    legalize_formula(call, |inputs| {
        let moved = |x: &Tensor| {
            let names: Vec<&str> = outputs.iter().map(|var| &*var.name).collect();
            compute_over(&back.shape, name, &names, |i| {
                let at = |expr: &Expr| substituted(expr, &outputs, i);
                let element = x.at_all(&back.initial.iter().map(at).collect::<Vec<_>>());
                let fill = Value::from(Expr::float(fill, DataType::F64)).cast(x.dtype());
                match &back.inside {
                    Some(inside) => at(inside).if_then_else(&element, &fill),
                    None => element,
                }
            })
        };
        inputs.iter().map(moved).collect()
    })
}

/// The expression with the map's variables replaced by the indices of an element.
fn substituted(expr: &Expr, outputs: &[Var], i: &[Value]) -> Value {
    let whole = vec![expr.clone()];
    let of = |expr: &Expr| {
        let at = outputs.iter().position(|var| Some(var) == expr.as_var())?;
        i.get(at)?.expr().ok().cloned()
    };
    let result = tilewright_expr::node::rewrite(&whole, of).and_then(|mut exprs| exprs.pop());
    Value::from(result.unwrap_or_else(|| expr.clone()))
}
