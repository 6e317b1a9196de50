//! The element of a rank.

use tilewright_expr::Expr;
use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::SortSpec;
use tilewright_te::algorithms::order_statistic::{OrderStatistic, order_statistic};
use tilewright_te::{Tensor, legalize as legalize_formula};
use tilewright_tensor::DataType;

use super::with_dtype;
use crate::elementwise::{any, block_name, check_dtype};
use crate::manipulate::regrouped;
use crate::{attributes, shapes};

op! {
    /// The `k`-th smallest element along a dimension, and the index at which it stands.
    ///
    /// It is the one that a stable sort puts at place `k`, counted from 1; NaN is greater than every number. A run in
    /// which the dimension has fewer than `k` elements ends with an error.
    "kthvalue" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            k: Int = AttrDefault::Required, "Which element, counted from 1.";
            axis: Int = AttrDefault::Int(-1), "The dimension; negative numbers count from the end.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimension stays, with size 1.";
        }
        infer: infer,
        legalize: Legalize::FirstOf(&[Candidate::for_any(legalize)]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// The dimensions of the result.
fn left(dims: &[Expr], axis: usize, keeps: bool) -> Vec<Expr> {
    let mut dims = dims.to_vec();
    match keeps {
        true => dims[axis] = Expr::i64(1),
        false => drop(dims.remove(axis)),
    }
    dims
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), k) = (call.tensor(0)?, attributes::int(call, "k")?);
    check_dtype(call, 0, dtype, any)?;
    if k < 1 {
        return Err(InferError::new(format!("`kthvalue` counts elements from 1: found {k}")));
    }
    let keeps = attributes::flag(call, "keepdims");
    let of_known = |dims: &[Expr]| {
        let axis = attributes::axis_attr(call, "axis", dims.len())?;
        if cx.exceeds(&Expr::i64(k), &dims[axis]) {
            let extent = shapes::dim_text(&dims[axis]);
            return Err(InferError::at(0, format!("`kthvalue` cannot give element {k} of a dimension of {extent}")));
        }
        Ok(left(dims, axis, keeps))
    };
    let of_rank = |rank| attributes::axis_attr(call, "axis", rank).map(|_| rank - usize::from(!keeps));
    let values = StructInfo::tensor_with(shapes::map_shape(shape, of_known, of_rank)?, dtype);
    let indices = with_dtype(&values, DataType::I64);
    Ok(StructInfo::Tuple(vec![values, indices]))
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, name) = (shapes::dims_of(call, 0)?, block_name(call));
    let axis = attributes::axis_attr(call, "axis", dims.len())?;
    let rank = OrderStatistic::At(attributes::int(call, "k")? - 1);
    let keeps = attributes::flag(call, "keepdims");
    let spec = SortSpec { axis, descending: false, indices: Some(DataType::I64) };
    legalize_formula(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let (values, indices) = order_statistic(&cx.capabilities, x, spec, rank, &format!("{name}_found"))?;
        let given = |x: Tensor| match keeps {
            true => regrouped(&x, &left(&dims, axis, true), &format!("{}_kept", x.name())),
            false => Ok(x),
        };
        [values].into_iter().chain(indices).map(given).collect()
    })
}
