//! The greatest or smallest elements.

use tilewright_expr::Expr;
use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::SortSpec;
use tilewright_te::algorithms::topk::topk;
use tilewright_te::legalize as legalize_formula;
use tilewright_tensor::DataType;

use super::{index_dtype, infer_ordered, with_dtype};
use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// The `k` greatest or smallest elements along a dimension, in order, and the indices at which they stand.
    ///
    /// Of equal elements the one that stands first comes first; NaN is greater than every number. A run in which the
    /// dimension has fewer than `k` elements ends with an error.
    "topk" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            k: Int = AttrDefault::Int(1), "The number of elements; all of them where it is less than 1.";
            axis: Int = AttrDefault::Int(-1), "The dimension; negative numbers count from the end.";
            ret_type: Str = AttrDefault::Str("both"),
                "What is given: `both`, the tuple of elements and indices, or `values` or `indices` alone.";
            largest: Bool = AttrDefault::Bool(true), "Whether the greatest elements are given, not the smallest.";
            dtype: DType = AttrDefault::DType(DataType::I32), "The data type of the indices.";
        }
        infer: infer,
        legalize: Legalize::FirstOf(&[Candidate::for_any(legalize)]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// Whether values and whether indices are given.
fn wanted(call: &OpCall<'_>) -> Result<(bool, bool), InferError> {
    match attributes::text(call, "ret_type") {
        "both" => Ok((true, true)),
        "values" => Ok((true, false)),
        "indices" => Ok((false, true)),
        other => Err(InferError::new(format!("`topk` gives `both`, `values` or `indices`, not `{other}`"))),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let k = attributes::int(call, "k")?;
    let values = infer_ordered(call, |extent| {
        if k < 1 {
            return Ok(extent.clone());
        }
        if cx.exceeds(&Expr::i64(k), extent) {
            let message = format!("`topk` cannot give {k} elements of a dimension of {}", shapes::dim_text(extent));
            return Err(InferError::at(0, message));
        }
        Ok(Expr::i64(k))
    })?;
    let indices = with_dtype(&values, index_dtype(cx, call)?);
    Ok(match wanted(call)? {
        (true, true) => StructInfo::Tuple(vec![values, indices]),
        (true, false) => values,
        _ => indices,
    })
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (k, wanted) = (attributes::int(call, "k")?, wanted(call)?);
    let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
    let indices = match wanted.1 {
        true => Some(index_dtype(&InferCx::default(), call)?),
        false => None,
    };
    let spec = SortSpec { axis, descending: attributes::flag(call, "largest"), indices };
    let name = block_name(call);
    legalize_formula(call, |inputs| match inputs {
        [x] => Ok(topk(&cx.capabilities, x, spec, k, &name)?.into_iter().skip(usize::from(!wanted.0)).collect()),
        _ => Ok(Vec::new()),
    })
}
