//! Where the elements of a sorted tensor come from.

use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::SortSpec;
use tilewright_te::algorithms::sort::sorted;
use tilewright_te::legalize as legalize_formula;
use tilewright_tensor::DataType;

use super::{index_dtype, infer_ordered, with_dtype};
use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// The indices along a dimension that put its elements in ascending or descending order.
    ///
    /// Equal elements stay in the order in which they stand; NaN is greater than every number.
    "argsort" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            axis: Int = AttrDefault::Int(-1), "The dimension; negative numbers count from the end.";
            descending: Bool = AttrDefault::Bool(false), "Whether the greatest elements come first.";
            dtype: DType = AttrDefault::DType(DataType::I32), "The data type of the indices.";
        }
        infer: infer,
        legalize: Legalize::FirstOf(&[Candidate::for_any(legalize)]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let info = infer_ordered(call, |extent| Ok(extent.clone()))?;
    Ok(with_dtype(&info, index_dtype(cx, call)?))
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
    let indices = Some(index_dtype(&InferCx::default(), call)?);
    let spec = SortSpec { axis, descending: attributes::flag(call, "descending"), indices };
    legalize_formula(call, |inputs| match inputs {
        [x] => Ok(sorted(&cx.capabilities, x, None, spec, &block_name(call))?.1.into_iter().collect()),
        _ => Ok(Vec::new()),
    })
}
