//! The element in the middle.

use tilewright_ir::Attr;
use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::SortSpec;
use tilewright_te::algorithms::order_statistic::{OrderStatistic, order_statistic};
use tilewright_te::{Tensor, legalize as legalize_formula, topi};
use tilewright_tensor::DataType;

use crate::elementwise::{block_name, number};
use crate::manipulate::regrouped;
use crate::reduction::{infer_reduced, left_dims, reduced_axes};
use crate::shapes;

op! {
    /// The element in the middle of the sorted ones, of an even number the smaller of both: NaN if there is one.
    ///
    /// For a single dimension the result is the tuple of these elements and of their indices, as `int64`. The median of
    /// no elements is NaN (0 for integers), with index 0.
    "median" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInts = AttrDefault::None, "The dimensions; `None`: all.";
            keepdims: Bool = AttrDefault::Bool(false), "Whether the dimensions stay, with size 1.";
        }
        infer: infer,
        legalize: Legalize::FirstOf(&[Candidate::for_any(legalize)]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// Whether the dimension is a single one, of which indices are given.
fn gives_indices(call: &OpCall<'_>) -> bool {
    call.attr("axis").and_then(Attr::as_ints).is_some_and(|axes| axes.len() == 1)
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let values = infer_reduced(cx, call, number, None)?;
    Ok(match (&values, gives_indices(call)) {
        (StructInfo::Tensor { shape, .. }, true) => {
            let indices = StructInfo::tensor_with(shape.clone(), Some(DataType::I64));
            StructInfo::Tuple(vec![values, indices])
        }
        _ => values,
    })
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, name) = (shapes::dims_of(call, 0)?, block_name(call));
    let axes = reduced_axes(call, dims.len())?;
    let keeps = crate::attributes::flag(call, "keepdims");
    let indices = gives_indices(call);
    let kept: Vec<usize> = (0..dims.len()).filter(|at| !axes.contains(at)).collect();
    let infer_cx = InferCx::default();
    legalize_formula(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        // All that the median runs over is the last dimension of what is sorted.
        let transposed = match axes.as_slice() {
            [one] if *one + 1 == x.rank() => x.clone(),
            _ => topi::permute(x, &[kept.as_slice(), &axes].concat(), &format!("{name}_transposed"))?,
        };
        let of = |at: &[usize]| at.iter().map(|&at| dims[at].clone()).collect::<Vec<_>>();
        let slices = match axes.len() {
            1 => transposed,
            _ => {
                let slice = shapes::product(&infer_cx, &of(&axes));
                regrouped(&transposed, &[of(&kept), vec![slice]].concat(), &format!("{name}_lines"))?
            }
        };
        // Descending, so that NaN comes first.
        let spec = SortSpec { axis: kept.len(), descending: true, indices: indices.then_some(DataType::I64) };
        let (values, indices) =
            order_statistic(&cx.capabilities, &slices, spec, OrderStatistic::Median, &format!("{name}_middle"))?;
        let left = left_dims(&dims, &axes, keeps);
        let given = |x: Tensor| match keeps {
            true => regrouped(&x, &left, &format!("{}_kept", x.name())),
            false => Ok(x),
        };
        [values].into_iter().chain(indices).map(given).collect()
    })
}
