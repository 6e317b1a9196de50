//! Quantised operators of `com.microsoft`: computed on the real numbers that the elements mean, or on integers where
//! the operator is a product.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, bitwise_and, divide, multiply, right_shift, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{repeat, stack};
use tilewright_ops::nn::leakyrelu;
use tilewright_ops::statistical::mean;
use tilewright_ops::unary::sigmoid;
use tilewright_tensor::DataType;

use super::super::super::rule::{Args, Rule, bound, rule};
use super::super::super::values::Val;
use super::super::elementwise::broadcast_call;
use super::super::gather::taken;
use super::super::quantise::{dynamic_quantize, quantised_convolution, stored};
use super::super::reduce::reduced;
use super::super::shape::joined;
use super::super::{activation, pooling, recurrent};
use super::{embed, one, plus};
use crate::common::{Cx, Op, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("MatMulNBits", "A B scales zero_points? g_idx? bias?", "K N accuracy_level bits block_size", matmul_n_bits),
    rule(
        "GatherBlockQuantized",
        "data indices scales zero_points?",
        "bits block_size gather_axis quantize_axis",
        gather_blocks,
    ),
    rule("DynamicQuantizeMatMul", "A B b_scale b_zero_point? bias?", "", |cx, args| {
        let a = args.tensor(cx, 0)?;
        let [a, scale, zero] = dynamic_quantize(cx, &a)?.map(Val::from);
        let inputs = [1, 2, 3].map(|at| args.input(at).clone());
        let [b, b_scale, b_zero] = inputs;
        let parts = args.with_inputs(vec![a, scale, zero, b, b_scale, b_zero]);
        let found = real_product(cx, &parts, [0, 1, 2], [3, 4, 5])?;
        plus(cx, found, args.optional(cx, 4)?)
    }),
    rule("MatMulIntegerToFloat", "A B a_scale b_scale a_zero_point? b_zero_point? bias?", "", |cx, args| {
        let found = real_product(cx, args, [0, 2, 4], [1, 3, 5])?;
        plus(cx, found, args.optional(cx, 6)?)
    }),
    rule(
        "QGemm",
        "A a_scale a_zero_point B b_scale b_zero_point C? y_scale? y_zero_point?",
        "alpha transA transB",
        q_gemm,
    ),
    rule("QLinearAdd", "A a_scale a_zero? B b_scale b_zero? C_scale C_zero?", "", |cx, args| {
        q_binary(cx, args, &add::OP)
    }),
    rule("QLinearMul", "A a_scale a_zero? B b_scale b_zero? C_scale C_zero?", "", |cx, args| {
        q_binary(cx, args, &multiply::OP)
    }),
    rule("QLinearSigmoid", "X X_scale X_zero? Y_scale Y_zero?", "", |cx, args| {
        of_one(cx, args, |cx, _, x| cx.call(&sigmoid::OP, &[&x], []))
    }),
    rule("QLinearLeakyRelu", "X X_scale X_zero? Y_scale Y_zero?", "alpha", |cx, args| {
        of_one(cx, args, |cx, args, x| {
            cx.call(&leakyrelu::OP, &[&x], [("alpha", args.float("alpha", 0.01)?.to_attr())])
        })
    }),
    rule("QLinearSoftmax", "X X_scale X_zero? Y_scale Y_zero", "axis opset", |cx, args| {
        of_one(cx, args, |cx, args, x| {
            let opset = args.int("opset", 13)?;
            let axis = args.int("axis", -1)?;
            activation::softmax_since(cx, &x, opset, axis)
        })
    }),
    rule("QLinearReduceMean", "data data_scale data_zero? Y_scale Y_zero?", "axes keepdims", |cx, args| {
        of_one(cx, args, |cx, args, x| reduced(cx, &x, args.ints("axes")?, args.flag("keepdims", true)?, &mean::OP))
    }),
    rule("QLinearGlobalAveragePool", "X x_scale x_zero? y_scale y_zero?", "channels_last", |cx, args| {
        of_one(cx, args, |cx, args, x| {
            let rank = cx.rank(&x)? as i64;
            let axes = if args.flag("channels_last", false)? { 1..rank - 1 } else { 2..rank };
            reduced(cx, &x, Some(axes.collect()), true, &mean::OP)
        })
    }),
    rule(
        "QLinearAveragePool",
        "X x_scale x_zero? y_scale y_zero?",
        "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides",
        |cx, args| of_one(cx, args, |cx, args, x| channels_apart(cx, args, &x, pooling::average_of)),
    ),
    rule(
        "QLinearConv",
        "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B?",
        "auto_pad channels_last dilations group kernel_shape pads strides",
        |cx, args| {
            let x = args.tensor(cx, 0)?;
            channels_apart(cx, args, &x, quantised_convolution).map(Val::from)
        },
    ),
    rule("NhwcMaxPool", "x", "auto_pad ceil_mode dilations kernel_shape pads strides", |cx, args| {
        let x = args.tensor(cx, 0)?;
        with_channels_first(cx, &x, |cx, x| pooling::maximum_of(cx, args, x)).map(Val::from)
    }),
    rule("QLinearConcat", "Y_scale Y_zero *inputs", "axis", |cx, args| {
        let mut parts = Vec::new();
        for at in (2..args.inputs.len()).step_by(3) {
            parts.push(real(cx, args, [at, at + 1, at + 2], 0)?);
        }
        let found = joined(cx, parts, args.int("axis", 0)?)?;
        quantised(cx, args, &found, [0, 1])
    }),
    rule("QLinearWhere", "condition X x_scale x_zero Y y_scale y_zero z_scale z_zero", "", |cx, args| {
        let (x, y) = (real(cx, args, [1, 2, 3], 0)?, real(cx, args, [4, 5, 6], 0)?);
        let [x, y] = cx.broadcastable([x, y])?;
        let [condition, x] = cx.broadcastable([args.tensor(cx, 0)?, x])?;
        let found = cx.choose(&condition, &x, &y)?;
        quantised(cx, args, &found, [7, 8])
    }),
    rule(
        "QEmbedLayerNormalization",
        "input_ids segment_ids? word position segment? gamma beta mask? word_scale position_scale segment_scale? \
        gamma_scale beta_scale word_zero position_zero segment_zero? gamma_zero beta_zero",
        "epsilon",
        q_embed,
    ),
    rule(
        "DynamicQuantizeLSTM",
        "X W R B? sequence_lens? initial_h? initial_c? P? W_scale W_zero_point R_scale R_zero_point",
        recurrent::ATTRIBUTES,
        q_lstm,
    ),
];

/// A parameter of quantisation in a shape that broadcasts with the data.
fn parameter(cx: &Cx<'_>, one: &Expr, x: &Expr, axis: i64) -> Res<Expr> {
    let shape = cx.shape(one)?;
    match shape.as_slice() {
        [size] if size.as_int() == Some(1) => cx.reshape(one, Vec::new()),
        [_] => {
            let rank = cx.rank(x)?;
            cx.along_axis(one, cx.axis(axis, rank)?, rank)
        }
        _ => Ok(one.clone()),
    }
}

/// The elements less their zero, as int32: data and zero are these inputs.
fn centred(cx: &mut Cx<'_>, args: &Args<'_>, [data, zero]: [usize; 2], axis: i64) -> Res<Expr> {
    let x = args.tensor(cx, data)?;
    let wide = cx.astype(&x, DataType::I32)?;
    let Some(zero) = args.optional(cx, zero)? else { return Ok(wide) };
    let zero = parameter(cx, &cx.astype(&zero, DataType::I32)?, &x, axis)?;
    broadcast_call(cx, &subtract::OP, wide, zero)
}

/// Quantised elements as floats: data, scale and zero are these inputs.
fn real(cx: &mut Cx<'_>, args: &Args<'_>, [data, scale, zero]: [usize; 3], axis: i64) -> Res<Expr> {
    let scale = args.tensor(cx, scale)?;
    let wide = centred(cx, args, [data, zero], axis)?;
    let scale = parameter(cx, &scale, &wide, axis)?;
    broadcast_call(cx, &multiply::OP, cx.astype(&wide, cx.dtype(&scale)?)?, scale)
}

/// The product of two quantised matrices as floats: data, scale and zero of each are these inputs, of the first for all
/// or for each row, of the second for all or for each column.
pub fn real_product(cx: &mut Cx<'_>, args: &Args<'_>, a: [usize; 3], b: [usize; 3]) -> Res<Expr> {
    let x = centred(cx, args, [a[0], a[2]], -2)?;
    let y = centred(cx, args, [b[0], b[2]], -1)?;
    let found = cx.call(&matmul::OP, &[&x, &y], [])?;
    let scales = [(a[1], -2), (b[1], -1)];
    let [first, second] = scales.map(|(at, axis)| parameter(cx, &args.tensor(cx, at)?, &found, axis));
    let scale = broadcast_call(cx, &multiply::OP, first?, second?)?;
    broadcast_call(cx, &multiply::OP, cx.astype(&found, cx.dtype(&scale)?)?, scale)
}

/// Floats as quantised elements, by the scale and the zero that these inputs are.
fn quantised(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr, [scale, zero]: [usize; 2]) -> Res<Val> {
    let (scale, zero) = (args.tensor(cx, scale)?, args.optional(cx, zero)?);
    let scale = parameter(cx, &scale, x, -1)?;
    let dtype = match &zero {
        Some(zero) => cx.dtype(zero)?,
        None => DataType::U8,
    };
    let zero = zero.map(|zero| parameter(cx, &zero, x, -1)).transpose()?;
    let steps = cx.call(&divide::OP, &[x, &scale], [])?;
    stored(cx, &steps, zero, dtype).map(Val::from)
}

type OfFloats = fn(&mut Cx<'_>, &Args<'_>, Expr) -> Res<Expr>;

/// A function of one quantised tensor, whose inputs are the data, its scale and zero, and those of the result.
fn of_one(cx: &mut Cx<'_>, args: &Args<'_>, function: OfFloats) -> Res<Val> {
    let x = real(cx, args, [0, 1, 2], 0)?;
    let found = function(cx, args, x)?;
    quantised(cx, args, &found, [3, 4])
}

fn q_binary(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let (a, b) = (real(cx, args, [0, 1, 2], 0)?, real(cx, args, [3, 4, 5], 0)?);
    let found = broadcast_call(cx, op, a, b)?;
    quantised(cx, args, &found, [6, 7])
}

/// A function of images with channels as the second dimension, of one with channels as the last.
fn with_channels_first(cx: &mut Cx<'_>, x: &Expr, function: impl FnOnce(&mut Cx<'_>, &Expr) -> Res<Expr>) -> Res<Expr> {
    let rank = cx.rank(x)? as i64;
    let first = cx.permute(x, [0, rank - 1].into_iter().chain(1..rank - 1).collect())?;
    let first = bound(cx, first)?;
    let found = function(cx, &first)?;
    cx.permute(&found, [0].into_iter().chain(2..rank).chain([1]).collect())
}

/// As the attribute `channels_last` says.
fn channels_apart(
    cx: &mut Cx<'_>,
    args: &Args<'_>,
    x: &Expr,
    function: fn(&mut Cx<'_>, &Args<'_>, &Expr) -> Res<Expr>,
) -> Res<Expr> {
    match args.flag("channels_last", false)? {
        true => with_channels_first(cx, x, |cx, x| function(cx, args, x)),
        false => function(cx, args, x),
    }
}

/// The product, plus integers in its scale; as floats where no scale of the result is given.
fn q_gemm(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let transposed = |cx: &mut Cx<'_>, at: usize, name: &str| -> Res<Val> {
        let x = args.tensor(cx, at)?;
        Ok(if args.flag(name, false)? { cx.permute(&x, vec![1, 0])? } else { x }.into())
    };
    let mut inputs = args.inputs.clone();
    inputs[0] = transposed(cx, 0, "transA")?;
    inputs[3] = transposed(cx, 3, "transB")?;
    let parts = args.with_inputs(inputs);
    let (x, y) = (centred(cx, &parts, [0, 2], -2)?, centred(cx, &parts, [3, 5], -1)?);
    let mut found = cx.call(&matmul::OP, &[&x, &y], [])?;
    if let Some(c) = args.optional(cx, 6)? {
        found = broadcast_call(cx, &add::OP, found, c)?;
    }
    let scale = broadcast_call(cx, &multiply::OP, args.tensor(cx, 1)?, args.tensor(cx, 4)?)?;
    let scale = cx.with_number(&multiply::OP, &scale, args.float("alpha", 1.0)?)?;
    let found = broadcast_call(cx, &multiply::OP, cx.astype(&found, DataType::F32)?, scale)?;
    if args.has(7) { quantised(cx, args, &found, [7, 8]) } else { Ok(found.into()) }
}

/// Packed integers as `(rows, blocks, elements)`: the first of a byte in its low bits.
fn unpacked(cx: &mut Cx<'_>, x: &Expr, bits: i64) -> Res<Expr> {
    let each = 8 / bits;
    if each == 1 {
        return cx.astype(x, DataType::I32);
    }
    let wide = cx.emit(cx.astype(x, DataType::I32)?)?;
    let mut parts = Vec::new();
    for at in 0..each {
        let moved = cx.with_number(&right_shift::OP, &wide, at * bits)?;
        parts.push(cx.with_number(&bitwise_and::OP, &moved, (1i64 << bits) - 1)?);
    }
    let rank = cx.rank(&wide)?;
    let both = cx.call(&stack::OP, &[&Expr::tuple(parts)], [("axis", (rank as i64).to_attr())])?;
    let mut shape = cx.shape(&wide)?;
    shape[rank - 1] = cx.product(&[shape[rank - 1].clone(), one(each)]);
    cx.reshape(&both, shape)
}

fn matmul_n_bits(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (a, b, scales) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let (k, n) = (args.int("K", 0)?, args.int("N", 0)?);
    let (bits, block) = (args.int("bits", 4)?, args.int("block_size", 32)?);
    if args.has(4) || !matches!(bits, 2 | 4 | 8) || k < 1 || n < 1 || block < 1 {
        return Err(Refused(format!("{k} x {n} weights of {bits} bits in blocks of {block} have no rule")));
    }
    let (blocks, dtype) = ((k + block - 1) / block, cx.dtype(&a)?);
    let packed = cx.reshape(&b, vec![one(n), one(blocks), one(block * bits / 8)])?;
    let weights = unpacked(cx, &packed, bits)?;
    let weights = cx.astype(&weights, dtype)?;
    let zero = match args.optional(cx, 3)? {
        Some(zero) if cx.dtype(&zero)? == DataType::U8 => {
            let per_row = (blocks * bits + 7) / 8;
            let rows = cx.reshape(&zero, vec![one(n), one(per_row)])?;
            let rows = unpacked(cx, &rows, bits)?;
            let rows = cx.astype(&cx.slice(&rows, 1, &one(0), &one(blocks), 1)?, dtype)?;
            cx.reshape(&rows, vec![one(n), one(blocks), one(1)])?
        }
        Some(zero) => cx.reshape(&cx.astype(&zero, dtype)?, vec![one(n), one(blocks), one(1)])?,
        None => cx.number(f64::from(1u8 << (bits - 1)), dtype)?,
    };
    let scale = cx.reshape(&cx.astype(&scales, dtype)?, vec![one(n), one(blocks), one(1)])?;
    let centred = cx.call(&subtract::OP, &[&weights, &zero], [])?;
    let whole = cx.reshape(&cx.call(&multiply::OP, &[&centred, &scale], [])?, vec![one(n), one(blocks * block)])?;
    let whole = if blocks * block == k { whole } else { cx.slice(&whole, 1, &one(0), &one(k), 1)? };
    let found = cx.call(&matmul::OP, &[&a, &cx.permute(&whole, vec![1, 0])?], [])?;
    plus(cx, found, args.optional(cx, 5)?)
}

/// Rows of a table of packed elements, with a scale for each block of the last dimension.
fn gather_blocks(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (data, indices, scales) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let (bits, block, rank) = (args.int("bits", 4)?, args.int("block_size", 128)?, cx.rank(&data)?);
    let axes = [cx.axis(args.int("gather_axis", 0)?, rank)?, cx.axis(args.int("quantize_axis", 1)?, rank)?];
    if !matches!(bits, 2 | 4 | 8) || cx.dtype(&data)? != DataType::U8 || axes != [0, rank - 1] || rank < 2 || block < 1
    {
        return Err(Refused::new("only rows of bytes, quantised along the last dimension, have a rule"));
    }
    let dtype = cx.dtype(&scales)?;
    let rows = |cx: &mut Cx<'_>, packed: &Expr| -> Res<Expr> {
        let found = taken(cx, packed, &indices, 0)?;
        let found = unpacked(cx, &found, bits)?;
        cx.astype(&found, dtype)
    };
    let last = |cx: &Cx<'_>, x: &Expr| Ok::<_, Refused>(cx.rank(x)? - 1);
    let values = rows(cx, &data)?;
    let repeated = |cx: &mut Cx<'_>, x: &Expr| -> Res<Expr> {
        let at = last(cx, x)?;
        let wide = cx.call(&repeat::OP, &[x], [("repeats", block.to_attr()), ("axis", (at as i64).to_attr())])?;
        cx.slice(&wide, at, &one(0), &cx.extent(&values, at)?, 1)
    };
    let scale = taken(cx, &scales, &indices, 0)?;
    let blocks = cx.extent(&scale, last(cx, &scale)?)?;
    let scale = repeated(cx, &scale)?;
    let zero = match args.optional(cx, 3)? {
        Some(zeros) => {
            let zero = rows(cx, &zeros)?;
            let zero = cx.slice(&zero, last(cx, &zero)?, &one(0), &blocks, 1)?;
            repeated(cx, &zero)?
        }
        None => cx.number(f64::from(1u8 << (bits - 1)), dtype)?,
    };
    let centred = broadcast_call(cx, &subtract::OP, values.clone(), zero)?;
    broadcast_call(cx, &multiply::OP, centred, scale).map(Val::from)
}

fn q_embed(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let table = |cx: &mut Cx<'_>, at: [usize; 3]| -> Res<Val> {
        if args.has(at[0]) { real(cx, args, at, 0).map(Val::from) } else { Ok(Val::Absent) }
    };
    let inputs = vec![
        args.input(0).clone(),
        args.input(1).clone(),
        table(cx, [2, 8, 13])?,
        table(cx, [3, 9, 14])?,
        table(cx, [4, 10, 15])?,
        table(cx, [5, 11, 16])?,
        table(cx, [6, 12, 17])?,
        args.input(7).clone(),
    ];
    embed(cx, &args.with_inputs(inputs))
}

/// The layer with the real numbers that its weights mean. ONNX Runtime rounds the data of each step as well.
fn q_lstm(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    // Weights are `(directions, elements, gates)`, their scales for each direction or each gate of it.
    let weights = |cx: &mut Cx<'_>, [data, scale, zero]: [usize; 3]| -> Res<Val> {
        let x = args.tensor(cx, data)?;
        let wide = |cx: &Cx<'_>, one_of: Expr| -> Res<Expr> {
            let shape = cx.shape(&one_of)?;
            match shape.as_slice() {
                [directions] => cx.reshape(&one_of, vec![directions.clone(), one(1), one(1)]),
                [directions, gates] => cx.reshape(&one_of, vec![directions.clone(), one(1), gates.clone()]),
                _ => Err(Refused::new("scales are for directions, and gates")),
            }
        };
        let (scale, zero) = (wide(cx, args.tensor(cx, scale)?)?, wide(cx, args.tensor(cx, zero)?)?);
        let zero = cx.astype(&zero, DataType::I32)?;
        let centred = broadcast_call(cx, &subtract::OP, cx.astype(&x, DataType::I32)?, zero)?;
        let real = broadcast_call(cx, &multiply::OP, cx.astype(&centred, DataType::F32)?, scale)?;
        cx.permute(&real, vec![0, 2, 1]).map(Val::from)
    };
    let mut inputs: Vec<Val> = args.inputs.iter().take(8).cloned().collect();
    inputs[1] = weights(cx, [1, 8, 9])?;
    inputs[2] = weights(cx, [2, 10, 11])?;
    recurrent::lstm(cx, &args.with_inputs(inputs))
}
