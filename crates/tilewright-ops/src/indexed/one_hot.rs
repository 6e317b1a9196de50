//! Indices as one-hot rows.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize as legalize_formula};

use super::check_indices;
use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// A dimension of `depth` elements for each index: `on_value` at the index, `off_value` elsewhere. An index out of
    /// range gives `off_value` everywhere.
    "one_hot" {
        args: {
            indices: Tensor, "Integers.";
            on_value: Scalar, "The value at the index; its type is that of the result.";
            off_value: Scalar, "The value elsewhere, of the same type.";
        }
        attrs: {
            depth: Int = AttrDefault::Required, "The size of the dimension.";
            axis: Int = AttrDefault::Int(-1), "The position of the dimension in the result; negative ones count from its end.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, _) = call.tensor(0)?;
    check_indices(call, 0)?;
    let (on, off) = (attributes::scalar(call, 1)?, attributes::scalar(call, 2)?);
    if on.dtype != off.dtype {
        let message = format!("`one_hot` needs values of one type, found {} and {}", on.dtype, off.dtype);
        return Err(InferError::at(2, message));
    }
    let depth = attributes::int(call, "depth")?;
    if depth < 0 {
        return Err(InferError::new(format!("`one_hot` cannot have the depth {depth}")));
    }
    let with_depth = |dims: &[Expr]| {
        let mut dims = dims.to_vec();
        dims.insert(attributes::axis_attr(call, "axis", dims.len() + 1)?, Expr::i64(depth));
        Ok(dims)
    };
    let shape = shapes::map_shape(shape, with_depth, |rank| {
        attributes::axis_attr(call, "axis", rank + 1)?;
        Ok(rank + 1)
    })?;
    Ok(StructInfo::tensor_with(shape, Some(on.dtype)))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let axis = attributes::axis_attr(call, "axis", dims.len())?;
    let (on, off) = (attributes::scalar(call, 1)?, attributes::scalar(call, 2)?);
    legalize_formula(call, |inputs| {
        let [indices] = inputs else { return Ok(Vec::new()) };
        let result = compute(&dims, &block_name(call), |i| {
            let mut own = i.to_vec();
            let position = own.remove(axis);
            let index = indices.at_all(&own).cast(dims[axis].dtype);
            index.compare(CmpOp::Eq, &position).select(&Value::from(on.clone()), &off.clone().into())
        });
        Ok(vec![result?])
    })
}
