//! Elements repeated.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula};

use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// Each element along a dimension repeated, the copies next to each other.
    "repeat" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            repeats: Int = AttrDefault::Required, "How often each element occurs in the result.";
            axis: OptionalInt = AttrDefault::None, "The dimension; `None`: that of the flattened tensor.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn repeats(call: &OpCall<'_>) -> Result<i64, InferError> {
    match attributes::int(call, "repeats")? {
        repeats if repeats < 0 => Err(InferError::new(format!("`repeat` cannot repeat {repeats} times"))),
        repeats => Ok(repeats),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let repeats = Expr::i64(repeats(call)?);
    let Some(axis) = call.attr("axis").and_then(Attr::as_int) else {
        let shape = match shape {
            TensorShape::Known(dims) => {
                TensorShape::Known(vec![cx.analyzer.simplify(&(shapes::product(cx, dims) * repeats))])
            }
            TensorShape::Rank(_) | TensorShape::Unknown => TensorShape::Rank(1),
        };
        return Ok(StructInfo::tensor_with(shape, dtype));
    };
    let repeated = |dims: &[Expr]| {
        let (axis, mut dims) = (attributes::axis(call, axis, dims.len())?, dims.to_vec());
        dims[axis] = cx.analyzer.simplify(&(&dims[axis] * &repeats));
        Ok(dims)
    };
    let shape = shapes::map_shape(shape, repeated, |rank| attributes::axis(call, axis, rank).map(|_| rank))?;
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, from, repeats) = (shapes::result_dims(call)?, shapes::dims_of(call, 0)?, repeats(call)?);
    let axis = match call.attr("axis").and_then(Attr::as_int) {
        Some(axis) => Some(attributes::axis(call, axis, from.len())?),
        None => None,
    };
    legalize_formula(call, |inputs| {
        let repeated = |x: &tilewright_te::Tensor| {
            compute(&dims, &block_name(call), |i| {
                let mut indices = i.to_vec();
                let at = axis.unwrap_or(0);
                // Nothing is computed where nothing is repeated; the divisor must not be 0 all the same.
                indices[at] = i[at].binary(BinOp::FloorDiv, repeats.max(1));
                match axis {
                    Some(_) => x.at_all(&indices),
                    None => x.at_all(&super::regroup::indices(x.shape(), &[flat_extent(&from)], &indices)),
                }
            })
        };
        inputs.iter().map(repeated).collect()
    })
}

fn flat_extent(dims: &[Expr]) -> Expr {
    shapes::product(&InferCx::default(), dims)
}
