//! Shared by convolutions over 1, 2 and 3 dimensions: declarations, decoding of attributes, the shape of the
//! result, the loops.

use tilewright_expr::Expr;
use tilewright_ir::op::{Fusion, InferCx, InferError, Layouts, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::legalize as legalize_formula;
use tilewright_te::topi::convolution::{Conv, conv, conv_transpose};
use tilewright_te::topi::layout::Layout;
use tilewright_tensor::DataType;

use crate::elementwise::{check_dtype, number};
use crate::{attributes, shapes};

/// Declares a convolution: its documentation, name, number of spatial dimensions, the orders of the axes of the data
/// and of the kernel, and its transposed convolution.
macro_rules! convolution {
    ($(#[doc = $doc:literal])+ $name:literal, $spatial:literal, $data:literal, $kernel:literal, $transposed:ident) => {
        op! {
            $(#[doc = $doc])+
            /// Outside of its bounds the data is 0. With groups, the channels of the data and of the result are divided
            /// evenly, and those of a group depend on each other only. Sums of float16 are worked out in float32.
            $name {
                args: {
                    data: Tensor, "The data.";
                    weight: Tensor, "The kernel.";
                }
                attrs: {
                    strides: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1), "The steps of the window.";
                    padding: Sides($spatial) = ::tilewright_ir::op::AttrDefault::Int(0),
                        "The widths of the border of zeros: before, then after.";
                    dilation: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The distances of the window's elements.";
                    groups: Int = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The number of groups, which divides that of the channels.";
                    data_layout: Str = ::tilewright_ir::op::AttrDefault::Str($data), "The order of the data's dimensions.";
                    kernel_layout: Str = ::tilewright_ir::op::AttrDefault::Str($kernel),
                        "The order of the kernel's dimensions.";
                    out_layout: Str = ::tilewright_ir::op::AttrDefault::Of("data_layout"),
                        "The order of the result's dimensions.";
                    out_dtype: DType = ::tilewright_ir::op::AttrDefault::DType(::tilewright_tensor::DataType::VOID),
                        "The data type of the result and of the sums; `void`: that of the operands.";
                }
                infer: |cx, call| {
                    $crate::nn::convolution::infer(cx, call, $spatial, $crate::nn::convolution::Direction::Forward)
                },
                legalize: ::tilewright_ir::op::Legalize::PrimFunc(|call| {
                    $crate::nn::convolution::legalize(call, $spatial, $crate::nn::convolution::Direction::Forward)
                }),
                properties: $crate::nn::convolution::PROPERTIES,
                gradient: |cx, call, adjoint| {
                    let transposed = ::tilewright_ir::op::OpRef(&$crate::nn::$transposed::OP);
                    $crate::nn::convolution_gradient::gradient(cx, call, ($spatial, transposed), adjoint)
                },
                layouts: $crate::nn::convolution::LAYOUTS,
            }
        }
    };
}

/// Declares a transposed convolution: its documentation, name, number of spatial dimensions, and the orders of the axes
/// of the data and of the kernel.
macro_rules! transposed_convolution {
    ($(#[doc = $doc:literal])+ $name:literal, $spatial:literal, $data:literal, $kernel:literal) => {
        op! {
            $(#[doc = $doc])+
            ///
            /// Each element of the data times the kernel is added to the result where the window of that convolution
            /// lay.
            $name {
                args: {
                    data: Tensor, "The data.";
                    weight: Tensor, "The kernel: its first axis is that of the data's channels.";
                }
                attrs: {
                    strides: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The steps of the window over the result.";
                    padding: Sides($spatial) = ::tilewright_ir::op::AttrDefault::Int(0),
                        "The widths cropped from the result: before, then after.";
                    output_padding: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(0),
                        "The width added at the end of the result.";
                    dilation: Each($spatial) = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The distances of the window's elements.";
                    groups: Int = ::tilewright_ir::op::AttrDefault::Int(1),
                        "The number of groups, which divides that of the channels.";
                    data_layout: Str = ::tilewright_ir::op::AttrDefault::Str($data), "The order of the data's dimensions.";
                    kernel_layout: Str = ::tilewright_ir::op::AttrDefault::Str($kernel),
                        "The order of the kernel's dimensions.";
                    out_layout: Str = ::tilewright_ir::op::AttrDefault::Of("data_layout"),
                        "The order of the result's dimensions.";
                    out_dtype: DType = ::tilewright_ir::op::AttrDefault::DType(::tilewright_tensor::DataType::VOID),
                        "The data type of the result and of the sums; `void`: that of the operands.";
                }
                infer: |cx, call| {
                    $crate::nn::convolution::infer(cx, call, $spatial, $crate::nn::convolution::Direction::Transposed)
                },
                legalize: ::tilewright_ir::op::Legalize::PrimFunc(|call| {
                    $crate::nn::convolution::legalize(call, $spatial, $crate::nn::convolution::Direction::Transposed)
                }),
                properties: $crate::nn::convolution::PROPERTIES,
                decompose: |cx, call, purpose| $crate::nn::phases::decompose(cx, call, $spatial, purpose),
                layouts: $crate::nn::convolution::LAYOUTS,
            }
        }
    };
}

/// The properties of a convolution that passes ask for.
pub(super) const PROPERTIES: Properties = Properties { pure: true, fusion: Fusion::OutElementwise };
/// The attributes that name the orders of the dimensions.
pub(super) const LAYOUTS: Layouts =
    Layouts::Named { operands: &["data_layout", "kernel_layout"], result: "out_layout" };

/// The axes of the data, and of the kernel of a convolution and of a transposed one, by the number of spatial
/// dimensions.
pub(super) fn axes(spatial: usize) -> [&'static str; 3] {
    match spatial {
        1 => ["NCW", "OIW", "IOW"],
        2 => ["NCHW", "OIHW", "IOHW"],
        _ => ["NCDHW", "OIDHW", "IODHW"],
    }
}

/// The layout that an attribute names.
pub(super) fn layout(call: &OpCall<'_>, name: &str, axes: &str) -> Result<Layout, InferError> {
    let wrong = |why: String| InferError::new(format!("`{}`: attribute `{name}`: {why}", call.op.name));
    let layout = Layout::of(attributes::text(call, name), axes).map_err(|error| wrong(error.0))?;
    match (2..axes.len()).find(|&axis| layout.splits(axis)) {
        Some(axis) => {
            Err(wrong(format!("`{layout}` has parts of `{}`; only channels may be split", &axes[axis..=axis])))
        }
        None => Ok(layout),
    }
}

/// Integers of an attribute, none of which may be less than `least`.
pub(super) fn at_least(call: &OpCall<'_>, name: &str, least: i64) -> Result<Vec<i64>, InferError> {
    let given = attributes::ints(call, name)?;
    // Larger values belong to no possible tensor, and their sums would overflow.
    let max = i64::from(i32::MAX);
    match given.iter().find(|one| !(least..=max).contains(*one)) {
        Some(wrong) => Err(InferError::new(format!(
            "`{}`: attribute `{name}` must be from {least} to {max}, found {wrong}",
            call.op.name
        ))),
        None => Ok(given),
    }
}

/// Whether the kernel's first axis is that of the result's channels, or of the data's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Transposed,
}

/// The attributes of a convolution over `spatial` dimensions.
fn parameters(call: &OpCall<'_>, spatial: usize, direction: Direction) -> Result<Conv, InferError> {
    let [data, forward, transposed] = axes(spatial);
    let kernel = if direction == Direction::Forward { forward } else { transposed };
    let groups = attributes::int(call, "groups")?;
    if groups < 1 {
        return Err(InferError::new(format!("`{}` needs at least one group, found {groups}", call.op.name)));
    }
    Ok(Conv {
        strides: at_least(call, "strides", 1)?,
        padding: at_least(call, "padding", 0)?,
        dilation: at_least(call, "dilation", 1)?,
        groups,
        data: layout(call, "data_layout", data)?,
        kernel: layout(call, "kernel_layout", kernel)?,
        out: layout(call, "out_layout", data)?,
    })
}

/// The output padding of a transposed convolution.
fn more(call: &OpCall<'_>, conv: &Conv) -> Result<Vec<i64>, InferError> {
    let more = at_least(call, "output_padding", 0)?;
    for (d, &more) in more.iter().enumerate() {
        let (stride, dilation) =
            (conv.strides.get(d).copied().unwrap_or(1), conv.dilation.get(d).copied().unwrap_or(1));
        if more >= stride.max(dilation) {
            return Err(InferError::new(format!(
                "`{}`: an output padding of {more} must be smaller than the stride {stride} or the dilation {dilation}",
                call.op.name
            )));
        }
    }
    Ok(more)
}

/// The attributes of a transposed convolution, and the elements that it adds.
pub(super) fn transposed_parameters(call: &OpCall<'_>, spatial: usize) -> Result<(Conv, Vec<i64>), InferError> {
    let conv = parameters(call, spatial, Direction::Transposed)?;
    let more = more(call, &conv)?;
    Ok((conv, more))
}

/// The element type of the result. Operands of different types need an `out_dtype`, in which they are multiplied.
fn result_type(call: &OpCall<'_>) -> Result<Option<DataType>, InferError> {
    match attributes::dtype(call, "out_dtype")? {
        Some(dtype) if !(number.0)(dtype) => {
            Err(InferError::new(format!("`{}` gives numbers, `out_dtype` is {dtype}", call.op.name)))
        }
        Some(dtype) => {
            for arg in [0, 1] {
                check_dtype(call, arg, call.tensor(arg)?.1, number)?;
            }
            Ok(Some(dtype))
        }
        None => shapes::all_of_dtype(call, &[0, 1], number),
    }
}

/// The extents of the axes of an argument, in the layout that it is said to have; `None` where they are not known.
pub(super) fn logical(
    cx: &InferCx,
    call: &OpCall<'_>,
    arg: usize,
    layout: &Layout,
) -> Result<Option<Vec<Expr>>, InferError> {
    let shape = call.tensor(arg)?.0;
    let name = call.op.args.get(arg).map_or("?", |def| def.name);
    if let Some(rank) = shape.rank().filter(|rank| *rank != layout.rank()) {
        let wanted = layout.rank();
        return Err(InferError::at(
            arg,
            format!("`{}`: `{name}` in the layout {layout} has {wanted} dimensions, found {rank}", call.op.name),
        ));
    }
    let TensorShape::Known(dims) = shape else { return Ok(None) };
    if let Some((at, part)) = layout.parts().find(|(at, part)| cx.clash(&Expr::int(*part, dims[*at].dtype), &dims[*at]))
    {
        let found = shapes::dim_text(&dims[at]);
        return Err(InferError::at(
            arg,
            format!("`{}`: dimension {at} of `{name}` in the layout {layout} is {part}, found {found}", call.op.name),
        ));
    }
    Ok(Some(layout.logical_shape(dims)?))
}

/// The shape of a result of these axes, in its layout.
pub(super) fn physical(
    cx: &InferCx,
    call: &OpCall<'_>,
    layout: &Layout,
    logical: &[Expr],
) -> Result<TensorShape, InferError> {
    let dims = layout.physical_shape(logical)?;
    let whole = layout.logical_shape(&dims)?;
    match logical.iter().zip(&whole).position(|(a, b)| cx.clash(a, b)) {
        Some(axis) => {
            let found = shapes::dim_text(&logical[axis]);
            Err(InferError::new(format!(
                "`{}`: {found} channels do not divide into the parts of the layout {layout}",
                call.op.name
            )))
        }
        None => Ok(TensorShape::Known(dims)),
    }
}

/// The inference rule of convolutions over `spatial` dimensions.
pub(super) fn infer(
    cx: &InferCx,
    call: &OpCall<'_>,
    spatial: usize,
    direction: Direction,
) -> Result<StructInfo, InferError> {
    let conv = parameters(call, spatial, direction)?;
    let more = if direction == Direction::Transposed { more(call, &conv)? } else { Vec::new() };
    let dtype = result_type(call)?;
    let (data, kernel) = (logical(cx, call, 0, &conv.data)?, logical(cx, call, 1, &conv.kernel)?);
    if let Some(kernel) = &kernel {
        check_divides(cx, call, &conv, 1, &kernel[0])?;
    }
    let (Some(data), Some(kernel)) = (data, kernel) else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(conv.out.rank()), dtype));
    };
    check_divides(cx, call, &conv, 0, &data[1])?;
    if let Some(d) = kernel.iter().skip(2).position(|taps| shapes::is_empty(cx, taps)) {
        let message = format!("`{}`: the kernel has no elements along spatial dimension {d}", call.op.name);
        return Err(InferError::at(1, message));
    }
    check_channels(cx, call, &conv, &data[1], &kernel[if direction == Direction::Forward { 1 } else { 0 }], direction)?;
    let result = match direction {
        Direction::Forward => {
            check_window(cx, call, &conv, &data, &kernel)?;
            conv.result(&data, &kernel)?
        }
        Direction::Transposed => conv.transposed(&data, &kernel, &more)?,
    };
    if let Some(negative) = result.iter().filter_map(Expr::as_int).find(|extent| *extent < 0) {
        return Err(InferError::at(0, format!("`{}`: a dimension of the result would be {negative}", call.op.name)));
    }
    Ok(StructInfo::tensor_with(physical(cx, call, &conv.out, &result)?, dtype))
}

/// Refuses channels that the groups do not divide.
fn check_divides(cx: &InferCx, call: &OpCall<'_>, conv: &Conv, arg: usize, channels: &Expr) -> Result<(), InferError> {
    let groups = conv.groups;
    if !cx.leaves_rest(channels, groups) {
        return Ok(());
    }
    let (channels, name) = (shapes::dim_text(channels), call.op.args.get(arg).map_or("?", |def| def.name));
    let message = format!("`{}`: {groups} groups do not divide {channels} channels of `{name}`", call.op.name);
    Err(InferError::at(arg, message))
}

/// Refuses a kernel for data of another number of channels.
fn check_channels(
    cx: &InferCx,
    call: &OpCall<'_>,
    conv: &Conv,
    of_data: &Expr,
    of_kernel: &Expr,
    direction: Direction,
) -> Result<(), InferError> {
    let all = if direction == Direction::Forward { of_kernel.clone() * conv.groups } else { of_kernel.clone() };
    let all = cx.analyzer.simplify(&all);
    if !cx.clash(of_data, &all) {
        return Ok(());
    }
    let groups = match (direction, conv.groups) {
        (Direction::Transposed, _) | (_, 1) => String::new(),
        (Direction::Forward, groups) => format!(" for each of {groups} groups"),
    };
    let (data, kernel) = (shapes::dim_text(of_data), shapes::dim_text(of_kernel));
    Err(InferError::at(
        1,
        format!("`{}`: the data has {data} channels, the kernel takes {kernel}{groups}", call.op.name),
    ))
}

/// Refuses data that is smaller than the window.
fn check_window(
    cx: &InferCx,
    call: &OpCall<'_>,
    conv: &Conv,
    data: &[Expr],
    kernel: &[Expr],
) -> Result<(), InferError> {
    for d in 0..conv.spatial() {
        let (whole, window) = conv.reach(d, &data[d + 2], &kernel[d + 2]);
        check_reach(cx, call, d, &whole, &window)?;
    }
    Ok(())
}

/// Refuses a window that is larger along a spatial dimension than the data with its border.
pub(super) fn check_reach(
    cx: &InferCx,
    call: &OpCall<'_>,
    d: usize,
    whole: &Expr,
    window: &Expr,
) -> Result<(), InferError> {
    if !cx.exceeds(window, whole) {
        return Ok(());
    }
    let (whole, window) = (shapes::dim_text(whole), shapes::dim_text(window));
    Err(InferError::at(
        0,
        format!(
            "`{}`: a window of {window} is larger than the {whole} elements of spatial dimension {d} with its border",
            call.op.name
        ),
    ))
}

/// The loops of convolutions over `spatial` dimensions.
pub(super) fn legalize(call: &OpCall<'_>, spatial: usize, direction: Direction) -> Result<PrimFunc, InferError> {
    let own = parameters(call, spatial, direction)?;
    // A shape that cannot be says so here too, where the call was made without it.
    shapes::result_dims(call)?;
    let more = if direction == Direction::Transposed { more(call, &own)? } else { Vec::new() };
    let dtype = attributes::dtype(call, "out_dtype")?;
    legalize_formula(call, |inputs| {
        let [data, kernel] = inputs else { return Ok(Vec::new()) };
        let dtype = dtype.unwrap_or(data.dtype());
        Ok(vec![match direction {
            Direction::Forward => conv(data, kernel, &own, dtype)?,
            Direction::Transposed => conv_transpose(data, kernel, &own, &more, dtype)?,
        }])
    })
}
