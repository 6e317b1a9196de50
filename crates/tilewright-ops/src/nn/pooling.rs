//! What pools over 1, 2 and 3 dimensions share: how their attributes are read, the shape of the result, the loops.

use tilewright_expr::Expr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::legalize as legalize_formula;
use tilewright_te::topi::layout::Layout;
use tilewright_te::topi::pooling::{Pool, PoolKind, adaptive_average, pool};

use super::convolution::{at_least, axes, check_reach, layout, logical, physical};
use crate::elementwise::{check_dtype, number};
use crate::{attributes, shapes};

/// The largest element.
pub(crate) const MAX: fn(&OpCall<'_>) -> PoolKind = |_| PoolKind::Max;
/// The mean of the elements.
pub(crate) const AVERAGE: fn(&OpCall<'_>) -> PoolKind =
    |call| PoolKind::Average { with_border: attributes::flag(call, "count_include_pad") };

/// The attributes of a pool over so many dimensions.
pub(crate) fn parameters(
    call: &OpCall<'_>,
    spatial: usize,
    kind: fn(&OpCall<'_>) -> PoolKind,
) -> Result<Pool, InferError> {
    let data = axes(spatial)[0];
    Ok(Pool {
        kind: kind(call),
        window: at_least(call, "pool_size", 1)?,
        strides: at_least(call, "strides", 1)?,
        padding: at_least(call, "padding", 0)?,
        dilation: at_least(call, "dilation", 1)?,
        ceil: attributes::flag(call, "ceil_mode"),
        data: layout(call, "layout", data)?,
        out: layout(call, "out_layout", data)?,
    })
}

/// The rule of pools over so many dimensions.
pub(super) fn infer(
    cx: &InferCx,
    call: &OpCall<'_>,
    spatial: usize,
    kind: fn(&OpCall<'_>) -> PoolKind,
) -> Result<StructInfo, InferError> {
    let pool = parameters(call, spatial, kind)?;
    let dtype = call.tensor(0)?.1;
    check_dtype(call, 0, dtype, number)?;
    let Some(data) = logical(cx, call, 0, &pool.data)? else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(pool.out.rank()), dtype));
    };
    for (d, extent) in data.iter().skip(2).enumerate() {
        let border = |at: usize| pool.padding.get(at).copied().unwrap_or(0);
        let whole = cx.analyzer.simplify(&(extent.clone() + (border(d) + border(d + spatial))));
        check_reach(cx, call, d, &whole, &Expr::i64(pool.span(d)))?;
    }
    Ok(StructInfo::tensor_with(physical(cx, call, &pool.out, &pool.result(&data)?)?, dtype))
}

/// The loops of pools over so many dimensions.
pub(super) fn legalize(
    call: &OpCall<'_>,
    spatial: usize,
    kind: fn(&OpCall<'_>) -> PoolKind,
) -> Result<PrimFunc, InferError> {
    let own = parameters(call, spatial, kind)?;
    shapes::result_dims(call)?;
    legalize_formula(call, |inputs| inputs.iter().map(|data| pool(data, &own)).collect())
}

/// The layouts of data and result.
fn layouts(call: &OpCall<'_>, spatial: usize) -> Result<(Layout, Layout), InferError> {
    let axes = axes(spatial)[0];
    Ok((layout(call, "layout", axes)?, layout(call, "out_layout", axes)?))
}

/// The extents of the result along the spatial dimensions; `None` where they are those of the data.
fn output_size(call: &OpCall<'_>) -> Result<Option<Vec<Expr>>, InferError> {
    if matches!(call.attr("output_size"), None | Some(tilewright_ir::Attr::None)) {
        return Ok(None);
    }
    Ok(Some(at_least(call, "output_size", 1)?.into_iter().map(Expr::i64).collect()))
}

/// The rule of adaptive pools over so many dimensions.
pub(super) fn infer_adaptive(cx: &InferCx, call: &OpCall<'_>, spatial: usize) -> Result<StructInfo, InferError> {
    let ((from, to), size) = (layouts(call, spatial)?, output_size(call)?);
    let dtype = call.tensor(0)?.1;
    check_dtype(call, 0, dtype, number)?;
    let Some(mut data) = logical(cx, call, 0, &from)? else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(to.rank()), dtype));
    };
    if let Some(d) = data.iter().skip(2).position(|extent| shapes::is_empty(cx, extent)) {
        let message = format!("`{}`: spatial dimension {d} of the data has no elements to average", call.op.name);
        return Err(InferError::at(0, message));
    }
    if let Some(size) = size {
        data.truncate(2);
        data.extend(size);
    }
    Ok(StructInfo::tensor_with(physical(cx, call, &to, &data)?, dtype))
}

/// The loops of adaptive pools over so many dimensions.
pub(super) fn legalize_adaptive(call: &OpCall<'_>, spatial: usize) -> Result<PrimFunc, InferError> {
    let ((from, to), size) = (layouts(call, spatial)?, output_size(call)?);
    shapes::result_dims(call)?;
    legalize_formula(call, |inputs| {
        let average = |data| {
            let own = from.logical_shape(tilewright_te::Tensor::shape(data))?;
            let size = size.clone().unwrap_or_else(|| own[2..].to_vec());
            adaptive_average(data, &size, &from, &to)
        };
        inputs.iter().map(average).collect()
    })
}
