//! Elements in order.

use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferError, Legalize, OpCall, Properties};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::SortSpec;
use tilewright_te::algorithms::sort::sorted;
use tilewright_te::legalize as legalize_formula;

use super::infer_ordered;
use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// The elements in ascending or descending order along a dimension.
    ///
    /// Equal elements stay in the order in which they stand; NaN is greater than every number.
    "sort" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: Int = AttrDefault::Int(-1), "The dimension; negative numbers count from the end.";
            descending: Bool = AttrDefault::Bool(false), "Whether the greatest elements come first.";
        }
        infer: |_, call| infer_ordered(call, |extent| Ok(extent.clone())),
        legalize: Legalize::FirstOf(&[Candidate::for_any(legalize)]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
    let spec = SortSpec { axis, descending: attributes::flag(call, "descending"), indices: None };
    legalize_formula(call, |inputs| match inputs {
        [x] => Ok(vec![sorted(&cx.capabilities, x, None, spec, &block_name(call))?.0]),
        _ => Ok(Vec::new()),
    })
}
