//! Quantised tensors: conversions, and products and convolutions of integers.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, maximum, minimum, multiply, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::repeat;
use tilewright_ops::quantization::{dequantize, quantize};
use tilewright_ops::statistical::{max, min};
use tilewright_ops::unary::round;
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule};
use super::super::tensors::dtype_of;
use super::super::values::Val;
use super::convolution::{self, forward};
use super::elementwise::broadcast_call;
use super::reduce::reduced;
use crate::common::{Cx, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule(
        "QuantizeLinear",
        "x y_scale y_zero_point?",
        "axis block_size output_dtype precision saturate",
        quantize_linear,
    ),
    rule("DequantizeLinear", "x x_scale x_zero_point?", "axis block_size output_dtype", dequantize_linear),
    rule("DynamicQuantizeLinear", "x", "", |cx, args| {
        let x = args.tensor(cx, 0)?;
        Ok(Val::Outputs(dynamic_quantize(cx, &x)?.map(Val::from).to_vec()))
    }),
    rule("MatMulInteger", "A B a_zero_point? b_zero_point?", "", |cx, args| {
        let (a, b) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let a = centred(cx, &a, args.optional(cx, 2)?, -2)?;
        let b = centred(cx, &b, args.optional(cx, 3)?, -1)?;
        Ok(cx.call(&matmul::OP, &[&a, &b], [])?.into())
    }),
    rule("ConvInteger", "x w x_zero_point? w_zero_point?", convolution::ATTRIBUTES, |cx, args| {
        let (x, w) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let x = centred(cx, &x, args.optional(cx, 2)?, 0)?;
        let w = centred(cx, &w, args.optional(cx, 3)?, 0)?;
        forward(cx, args, &x, &w, None).map(Val::from)
    }),
    rule("QLinearMatMul", "a a_scale a_zero_point b b_scale b_zero_point y_scale y_zero_point", "", |cx, args| {
        let (a, b) = (args.tensor(cx, 0)?, args.tensor(cx, 3)?);
        let a = centred(cx, &a, args.optional(cx, 2)?, -2)?;
        let b = centred(cx, &b, args.optional(cx, 5)?, -1)?;
        let found = cx.call(&matmul::OP, &[&a, &b], [])?;
        let scales = [along(cx, &args.tensor(cx, 1)?, &found, -2)?, along(cx, &args.tensor(cx, 4)?, &found, -1)?];
        let y = [args.tensor(cx, 6)?, args.tensor(cx, 7)?];
        requantised(cx, &found, &scales, &y).map(Val::from)
    }),
    rule(
        "QLinearConv",
        "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B?",
        convolution::ATTRIBUTES,
        |cx, args| {
            let x = args.tensor(cx, 0)?;
            quantised_convolution(cx, args, &x).map(Val::from)
        },
    ),
];

/// The convolution of an image of integers, with the scales, zeros and bias that the inputs of `QLinearConv` are.
pub fn quantised_convolution(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<Expr> {
    let w = args.tensor(cx, 3)?;
    let x = centred(cx, x, args.optional(cx, 2)?, 0)?;
    let w = centred(cx, &w, args.optional(cx, 5)?, 0)?;
    let found = forward(cx, args, &x, &w, None)?;
    let found = convolution::with_bias(cx, found, args.optional(cx, 8)?)?;
    let scales = [args.tensor(cx, 1)?, along(cx, &args.tensor(cx, 4)?, &found, 1)?];
    let y = [args.tensor(cx, 6)?, args.tensor(cx, 7)?];
    requantised(cx, &found, &scales, &y)
}

/// The range of an integer type.
fn range(dtype: DataType) -> Res<(f64, f64)> {
    if !dtype.is_int() || dtype.bits > 32 {
        return Err(Refused(format!("quantised elements of type {dtype} have no rule")));
    }
    let span = 2f64.powi(i32::from(dtype.bits));
    Ok(if dtype.is_signed() { (-span / 2.0, span / 2.0 - 1.0) } else { (0.0, span - 1.0) })
}

/// A tensor of one element for all, or one for each index of a dimension, in a shape that broadcasts with `x`.
fn along(cx: &Cx<'_>, one: &Expr, x: &Expr, axis: i64) -> Res<Expr> {
    let (own, rank) = (cx.shape(one)?, cx.rank(x)?);
    match own.as_slice() {
        [] => Ok(one.clone()),
        [size] if size.as_int() == Some(1) => cx.reshape(one, Vec::new()),
        [_] => cx.along_axis(one, cx.axis(axis, rank)?, rank),
        _ => Ok(one.clone()),
    }
}

/// The elements as int32, without their zero.
fn centred(cx: &mut Cx<'_>, x: &Expr, zero: Option<Expr>, axis: i64) -> Res<Expr> {
    let wide = cx.astype(x, DataType::I32)?;
    let Some(zero) = zero else { return Ok(wide) };
    let zero = along(cx, &cx.astype(&zero, DataType::I32)?, x, axis)?;
    broadcast_call(cx, &subtract::OP, wide, zero)
}

/// Products of quantised elements in the scale of the result.
fn requantised(cx: &mut Cx<'_>, found: &Expr, scales: &[Expr; 2], y: &[Expr; 2]) -> Res<Expr> {
    let [a, b] = scales.each_ref().map(|scale| cx.astype(scale, DataType::F32));
    let scale = broadcast_call(cx, &multiply::OP, a?, b?)?;
    let y_scale = along(cx, &cx.astype(&y[0], DataType::F32)?, found, -1)?;
    let scale = broadcast_call(cx, &divide::OP, scale, y_scale)?;
    let real = broadcast_call(cx, &multiply::OP, cx.astype(found, DataType::F32)?, scale)?;
    let dtype = cx.dtype(&y[1])?;
    let zero = along(cx, &y[1], found, -1)?;
    stored(cx, &real, Some(zero), dtype)
}

/// Rounded numbers of steps as integers of this type: held in its range.
pub fn stored(cx: &mut Cx<'_>, steps: &Expr, zero: Option<Expr>, dtype: DataType) -> Res<Expr> {
    let (least, greatest) = range(dtype)?;
    let mut rounded = cx.call(&round::OP, &[steps], [])?;
    if let Some(zero) = zero {
        let zero = cx.astype(&zero, cx.dtype(&rounded)?)?;
        rounded = broadcast_call(cx, &add::OP, rounded, zero)?;
    }
    cx.astype(&cx.clip(&rounded, least, greatest)?, dtype)
}

/// A scale or zero in a shape that broadcasts with the data: one, one for each index of a dimension, or one for each
/// block of `block_size` elements along it.
fn of_data(cx: &Cx<'_>, args: &Args<'_>, one: &Expr, x: &Expr) -> Res<Expr> {
    let axis = cx.axis(args.int("axis", 1)?, cx.rank(x)?.max(2));
    let block = args.int("block_size", 0)?;
    if block > 0 {
        let axis = axis?;
        let attrs = [("repeats", block.to_attr()), ("axis", (axis as i64).to_attr())];
        let wide = cx.call(&repeat::OP, &[one], attrs)?;
        return cx.slice(&wide, axis, &scalar::Expr::i64(0), &cx.extent(x, axis)?, 1);
    }
    along(cx, one, x, args.int("axis", 1)?)
}

fn quantize_linear(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, scale) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let zero = args.optional(cx, 2)?;
    let dtype = match (&zero, args.int("output_dtype", 0)?) {
        (Some(zero), _) => cx.dtype(zero)?,
        (None, 0) => DataType::U8,
        (None, number) => dtype_of(number)?,
    };
    range(dtype)?;
    let work = match args.int("precision", 0)? {
        0 => cx.dtype(&scale)?,
        number => dtype_of(number)?,
    };
    if args.int("block_size", 0)? == 0 && is_narrow(dtype) && work == DataType::F32 && cx.rank(&scale)? <= 1 {
        let zero = match &zero {
            Some(zero) => zero.clone(),
            None => cx.number(0i64, dtype)?,
        };
        let (scale, zero) = (single(cx, &scale)?, single(cx, &zero)?);
        if cx.rank(&zero)? == 0 || cx.rank(&scale)? == cx.rank(&zero)? {
            let x = cx.astype(&x, DataType::F32)?;
            let axis = if cx.rank(&scale)? == 0 { -1 } else { args.int("axis", 1)? };
            let attrs = [("axis", axis.to_attr()), ("out_dtype", dtype.to_attr())];
            return Ok(cx.call(&quantize::OP, &[&x, &scale, &zero], attrs)?.into());
        }
    }
    let scale = of_data(cx, args, &cx.astype(&scale, work)?, &x)?;
    let zero = zero.map(|zero| of_data(cx, args, &zero, &x)).transpose()?;
    let steps = broadcast_call(cx, &divide::OP, cx.astype(&x, work)?, scale)?;
    let wide = if work == DataType::F32 || work == DataType::F64 { steps } else { cx.astype(&steps, DataType::F32)? };
    stored(cx, &wide, zero, dtype).map(Val::from)
}

/// Whether an integer and its distance from a zero point are exact in float32.
fn is_narrow(dtype: DataType) -> bool {
    [DataType::I8, DataType::U8, DataType::I16, DataType::U16].contains(&dtype)
}

/// A tensor of one element without dimensions.
fn single(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    let shape = cx.shape(x)?;
    match shape.as_slice() {
        [one] if one.as_int() == Some(1) => cx.reshape(x, Vec::new()),
        _ => Ok(x.clone()),
    }
}

fn dequantize_linear(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, scale, zero) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.optional(cx, 2)?);
    let out = match args.int("output_dtype", 0)? {
        0 => cx.dtype(&scale)?,
        number => dtype_of(number)?,
    };
    let dtype = cx.dtype(&x)?;
    range(dtype)?;
    if args.int("block_size", 0)? == 0 && is_narrow(dtype) && out == DataType::F32 && cx.rank(&scale)? <= 1 {
        let zero = match &zero {
            Some(zero) => zero.clone(),
            None => cx.number(0i64, dtype)?,
        };
        let (scale, zero) = (single(cx, &scale)?, single(cx, &zero)?);
        if cx.rank(&zero)? == 0 || cx.rank(&scale)? == cx.rank(&zero)? {
            let axis = if cx.rank(&scale)? == 0 { -1 } else { args.int("axis", 1)? };
            let attrs = [("axis", axis.to_attr()), ("out_dtype", out.to_attr())];
            return Ok(cx.call(&dequantize::OP, &[&x, &scale, &zero], attrs)?.into());
        }
    }
    let mut wide = cx.astype(&x, DataType::I32)?;
    if let Some(zero) = zero {
        let zero = of_data(cx, args, &cx.astype(&zero, DataType::I32)?, &x)?;
        wide = broadcast_call(cx, &subtract::OP, wide, zero)?;
    }
    let work = cx.dtype(&scale)?;
    let scale = of_data(cx, args, &scale, &x)?;
    let found = broadcast_call(cx, &multiply::OP, cx.astype(&wide, work)?, scale)?;
    Ok(cx.astype(&found, out)?.into())
}

/// The data as uint8, with the scale and zero from its range, which includes 0.
pub fn dynamic_quantize(cx: &mut Cx<'_>, x: &Expr) -> Res<[Expr; 3]> {
    let x = bound(cx, x.clone())?;
    let nothing = cx.number(0.0, DataType::F32)?;
    let greatest = cx.call(&maximum::OP, &[&reduced(cx, &x, None, false, &max::OP)?, &nothing], [])?;
    let least = cx.call(&minimum::OP, &[&reduced(cx, &x, None, false, &min::OP)?, &nothing], [])?;
    let least = bound(cx, least)?;
    let scale = cx.with_number(&divide::OP, &cx.call(&subtract::OP, &[&greatest, &least], [])?, 255.0)?;
    let scale = bound(cx, scale)?;
    // A tensor of zeros has a scale of 1.
    let none = cx.with_number(&tilewright_ops::binary::equal::OP, &scale, 0.0)?;
    let scale = cx.choose(&none, &cx.number(1.0, DataType::F32)?, &scale)?;
    let scale = bound(cx, scale)?;
    let zero = cx.call(&divide::OP, &[&cx.call(&subtract::OP, &[&nothing, &least], [])?, &scale], [])?;
    let zero = cx.call(&round::OP, &[&cx.clip(&zero, 0.0, 255.0)?], [])?;
    let zero = cx.astype(&zero, DataType::U8)?;
    let zero = bound(cx, zero)?;
    let steps = cx.call(&divide::OP, &[&x, &scale], [])?;
    let found = stored(cx, &steps, Some(zero.clone()), DataType::U8)?;
    Ok([found, scale, zero])
}
