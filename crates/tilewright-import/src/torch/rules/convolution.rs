//! Convolutions and transposed convolutions.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::add;
use tilewright_ops::manipulate::{expand_dims, squeeze};
use tilewright_ops::nn::{conv1d, conv1d_transpose, conv2d, conv2d_transpose, conv3d, conv3d_transpose, pad};

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value};

/// The parameters of a convolution, which its module has too.
const FORWARD: &str = "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, padding_mode=zeros";
const TRANSPOSED: &str = "input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, \
                          padding_mode=zeros, output_size=None";

pub const RULES: &[Rule] = &[
    rule("conv1d", FORWARD, |cx, args| forward(cx, args, 1)),
    rule("conv2d", FORWARD, |cx, args| forward(cx, args, 2)),
    rule("conv3d", FORWARD, |cx, args| forward(cx, args, 3)),
    rule("conv_transpose1d", TRANSPOSED, |cx, args| transposed(cx, args, 1)),
    rule("conv_transpose2d", TRANSPOSED, |cx, args| transposed(cx, args, 2)),
    rule("conv_transpose3d", TRANSPOSED, |cx, args| transposed(cx, args, 3)),
    rule(
        "convolution _convolution",
        "input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark=None, \
         deterministic=None, cudnn_enabled=None, allow_tf32=None, padding_mode=zeros, output_size=None",
        either,
    ),
];

const OPS: [[Op; 3]; 2] =
    [[&conv1d::OP, &conv2d::OP, &conv3d::OP], [&conv1d_transpose::OP, &conv2d_transpose::OP, &conv3d_transpose::OP]];

/// The data with the batch that PyTorch lets callers leave out, and whether it was.
fn batched(cx: &Cx<'_>, x: Expr, spatial: usize) -> Res<(Expr, bool)> {
    match cx.rank(&x)? {
        rank if rank == spatial + 1 => Ok((cx.call(&expand_dims::OP, &[&x], [("axis", vec![0i64].to_attr())])?, true)),
        _ => Ok((x, false)),
    }
}

/// The result with its bias, one number for each channel, and without a batch that was put in.
fn finished(cx: &Cx<'_>, found: Expr, bias: Option<Expr>, spatial: usize, added: bool) -> Res {
    let mut found = found;
    if let Some(bias) = bias {
        let channels = cx.product(&cx.shape(&bias)?);
        let mut dims = vec![scalar::Expr::i64(1); spatial + 2];
        dims[1] = channels;
        found = cx.call(&add::OP, &[&found, &cx.reshape(&bias, dims)?], [])?;
    }
    match added {
        true => cx.call(&squeeze::OP, &[&found], [("axis", vec![0i64].to_attr())]).map(Value::Tensor),
        false => Ok(Value::Tensor(found)),
    }
}

/// The padding before and after each spatial dimension.
fn padding(cx: &Cx<'_>, args: &Args, weight: &Expr, dilation: &[i64]) -> Res<(Vec<i64>, Vec<i64>)> {
    let spatial = dilation.len();
    match args.get("padding") {
        Value::Str(mode) if mode == "valid" => Ok((vec![0; spatial], vec![0; spatial])),
        Value::Str(mode) if mode == "same" => {
            let sizes = cx.shape(weight)?;
            let extra = sizes.iter().skip(2).zip(dilation).map(|(size, dilation)| match size.as_int() {
                Some(size) => Ok(dilation * (size - 1)),
                None => Err(Refused::new("`padding` \"same\" needs a kernel of known size")),
            });
            let extra = extra.collect::<Res<Vec<_>>>()?;
            Ok((extra.iter().map(|all| all / 2).collect(), extra.iter().map(|all| all - all / 2).collect()))
        }
        _ => args.ints_of("padding", spatial).map(|widths| (widths.clone(), widths)),
    }
}

fn forward(cx: &mut Cx<'_>, args: &Args, spatial: usize) -> Res {
    let (mut x, added) = batched(cx, args.tensor("input")?, spatial)?;
    let (weight, dilation) = (args.tensor("weight")?, args.ints_of("dilation", spatial)?);
    let (mut before, mut after) = padding(cx, args, &weight, &dilation)?;
    let mode = args.text("padding_mode")?;
    if mode != "zeros" {
        let widths = before.iter().zip(&after).flat_map(|(before, after)| [*before, *after]);
        let widths: Vec<i64> = [0; 4].into_iter().chain(widths).collect();
        let mode = if mode == "replicate" { "edge" } else { mode };
        x = cx.call(&pad::OP, &[&x], [("pad_width", widths.to_attr()), ("pad_mode", mode.to_attr())])?;
        (before, after) = (vec![0; spatial], vec![0; spatial]);
    }
    before.append(&mut after);
    let attrs = [
        ("strides", args.ints_of("stride", spatial)?.to_attr()),
        ("padding", before.to_attr()),
        ("dilation", dilation.to_attr()),
        ("groups", args.int("groups")?.to_attr()),
    ];
    let found = cx.call(OPS[0][spatial - 1], &[&x, &weight], attrs)?;
    finished(cx, found, args.optional_tensor("bias")?, spatial, added)
}

fn transposed(cx: &mut Cx<'_>, args: &Args, spatial: usize) -> Res {
    if args.has("output_size") {
        return Err(Refused::new("`output_size` has no rule: say `output_padding`"));
    }
    let (x, added) = batched(cx, args.tensor("input")?, spatial)?;
    let padding = args.ints_of("padding", spatial)?;
    let attrs = [
        ("strides", args.ints_of("stride", spatial)?.to_attr()),
        ("padding", [padding.as_slice(), &padding].concat().to_attr()),
        ("output_padding", args.ints_of("output_padding", spatial)?.to_attr()),
        ("dilation", args.ints_of("dilation", spatial)?.to_attr()),
        ("groups", args.int("groups")?.to_attr()),
    ];
    let found = cx.call(OPS[1][spatial - 1], &[&x, &args.tensor("weight")?], attrs)?;
    finished(cx, found, args.optional_tensor("bias")?, spatial, added)
}

/// ATen's own operator, whose arguments say which convolution it is.
fn either(cx: &mut Cx<'_>, args: &Args) -> Res {
    let spatial = cx.rank(&args.tensor("weight")?)?.saturating_sub(2);
    match (spatial, args.flag("transposed")?) {
        (1..=3, true) => transposed(cx, args, spatial),
        (1..=3, false) => forward(cx, args, spatial),
        _ => Err(Refused(format!("a convolution over {spatial} dimensions has no rule"))),
    }
}
