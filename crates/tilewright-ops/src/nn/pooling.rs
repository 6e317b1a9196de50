//! Shared by pools over 1, 2 and 3 dimensions: declarations, decoding of attributes, the shape of the result,
//! the loops.

use tilewright_expr::Expr;
use tilewright_ir::op::{Adjoint, Fusion, InferCx, InferError, Layouts, OpCall, OpDef, OpRef, Partials, Properties};
use tilewright_ir::relax::{Expr as Graph, StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::legalize as legalize_formula;
use tilewright_te::topi::layout::Layout;
use tilewright_te::topi::pooling::{Pool, PoolKind, adaptive_average, pool};

use super::convolution::{at_least, axes, check_reach, layout, logical, physical};
use crate::elementwise::{check_dtype, number};
use crate::gradient::Rule;
use crate::{attributes, shapes};

/// Declares a pool: its documentation, name, number of spatial dimensions, the order of the axes of the data, what is
/// made of a window, what an element of the border counts for, whether it counts where nothing is said, and the
/// operator that is its gradient, where there is one.
macro_rules! pool {
    (
        $(#[doc = $doc:literal])+ $name:literal, $spatial:literal, $layout:literal, $kind:ident, $border:literal,
        $counts:literal $(, $backward:ident)?
    ) => {
        op! {
            $(#[doc = $doc])+
            $name {
                args: { data: Tensor, "The data."; }
                attrs: {
                    pool_size: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The number of the window's elements.";
                    strides: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1), "The steps of the window.";
                    padding: Sides($spatial) = ::tilewright_ir::op::AttrDefault::Int(0),
                        "The widths of the border: before, then after.";
                    dilation: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The distances of the window's elements.";
                    ceil_mode: Bool = ::tilewright_ir::op::AttrDefault::Bool(false),
                        "Whether a window that begins before the trailing border may extend beyond it.";
                    count_include_pad: Bool = ::tilewright_ir::op::AttrDefault::Bool($counts), $border;
                    layout: Str = ::tilewright_ir::op::AttrDefault::Str($layout), "The order of the data's dimensions.";
                    out_layout: Str = ::tilewright_ir::op::AttrDefault::Of("layout"),
                        "The order of the result's dimensions.";
                }
                infer: |cx, call| $crate::nn::pooling::infer(cx, call, $spatial, $crate::nn::pooling::$kind),
                legalize: ::tilewright_ir::op::Legalize::PrimFunc(|call| {
                    $crate::nn::pooling::legalize(call, $spatial, $crate::nn::pooling::$kind)
                }),
                properties: $crate::nn::pooling::PROPERTIES
                $(, gradient: |cx, call, adjoint| {
                    $crate::nn::pooling::gradient(cx, call, adjoint, &$crate::grad::$backward::OP)
                })?,
                layouts: $crate::nn::pooling::LAYOUTS,
            }
        }
    };
}

/// Declares a pool of the largest elements, with its documentation before the name: see [`pool!`].
macro_rules! max_pool {
    ($(#[doc = $doc:literal])+ $name:literal, $spatial:literal, $layout:literal $(, $backward:ident)?) => {
        pool! {
            $(#[doc = $doc])+
            ///
            /// NaN is larger than any other element, and a border smaller.
            $name, $spatial, $layout, MAX, "It has no meaning for the largest element.", false $(, $backward)?
        }
    };
}

/// Declares a pool of means, with its documentation before the name: see [`pool!`].
macro_rules! avg_pool {
    (
        $(#[doc = $doc:literal])+ $name:literal, $spatial:literal, $layout:literal, $counts:literal
        $(, $backward:ident)?
    ) => {
        pool! {
            $(#[doc = $doc])+
            ///
            /// The border is one of zeros. Means of float16 are worked out in float32.
            $name, $spatial, $layout, AVERAGE, "Whether elements of the border count.", $counts $(, $backward)?
        }
    };
}

/// Declares a pool of as many means as `output_size` says: its documentation, name, number of spatial dimensions, and
/// the order of the axes of the data.
macro_rules! adaptive_avg_pool {
    ($(#[doc = $doc:literal])+ $name:literal, $spatial:literal, $layout:literal) => {
        op! {
            $(#[doc = $doc])+
            ///
            /// Window `i` of `m` goes from `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up, where the data
            /// has `n` elements.
            $name {
                args: { data: Tensor, "The data."; }
                attrs: {
                    output_size: OptionalEach($spatial) = ::tilewright_ir::op::AttrDefault::None,
                        "The numbers of windows; `None`: one for each element.";
                    layout: Str = ::tilewright_ir::op::AttrDefault::Str($layout), "The order of the data's dimensions.";
                    out_layout: Str = ::tilewright_ir::op::AttrDefault::Of("layout"),
                        "The order of the result's dimensions.";
                }
                infer: |cx, call| $crate::nn::pooling::infer_adaptive(cx, call, $spatial),
                legalize: ::tilewright_ir::op::Legalize::PrimFunc(|call| {
                    $crate::nn::pooling::legalize_adaptive(call, $spatial)
                }),
                properties: $crate::nn::pooling::PROPERTIES,
                layouts: $crate::nn::pooling::LAYOUTS,
            }
        }
    };
}

/// The properties of a pool that passes ask for.
pub(super) const PROPERTIES: Properties = Properties { pure: true, fusion: Fusion::OutElementwise };
/// The attributes that name the orders of the dimensions.
pub(super) const LAYOUTS: Layouts = Layouts::Named { operands: &["layout"], result: "out_layout" };

/// The largest element.
pub(crate) const MAX: fn(&OpCall<'_>) -> PoolKind = |_| PoolKind::Max;
/// The mean of the elements.
pub(crate) const AVERAGE: fn(&OpCall<'_>) -> PoolKind =
    |call| PoolKind::Average { with_border: attributes::flag(call, "count_include_pad") };

/// The attributes of a pool over `spatial` dimensions.
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

/// The inference rule of pools over `spatial` dimensions.
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

/// The loops of pools over `spatial` dimensions.
pub(super) fn legalize(
    call: &OpCall<'_>,
    spatial: usize,
    kind: fn(&OpCall<'_>) -> PoolKind,
) -> Result<PrimFunc, InferError> {
    let own = parameters(call, spatial, kind)?;
    shapes::result_dims(call)?;
    legalize_formula(call, |inputs| inputs.iter().map(|data| pool(data, &own)).collect())
}

/// The gradient of a pool, whose attributes are the pool's own.
pub(super) fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>, backward: &'static OpDef) -> Rule {
    let args = [std::slice::from_ref(adjoint.grad), call.args].concat();
    let of_data = Graph::call_op(cx, OpRef(backward), args, call.attrs.clone())?;
    Ok(Partials::exact(vec![Some(of_data)]))
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

/// The inference rule of adaptive pools over `spatial` dimensions.
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

/// The loops of adaptive pools over `spatial` dimensions.
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
