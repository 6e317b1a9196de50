//! Deformable convolution: each tap of the window reads the image at its own offset.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, less, less_equal, logical_and, multiply, subtract};
use tilewright_ops::indexed::take;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::unary::floor;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::Args;
use super::super::values::Val;
use super::convolution::with_bias;
use super::elementwise::broadcast_call;
use crate::common::{Cx, Refused, Res, ToAttr};

fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

fn known(cx: &Cx<'_>, x: &Expr) -> Res<Vec<i64>> {
    let sizes = cx.shape(x)?.iter().map(scalar::Expr::as_int).collect::<Option<Vec<_>>>();
    sizes.ok_or_else(|| Refused::new("this needs a tensor of known size"))
}

/// Images of four dimensions of known size. The samples of all taps are gathered, and multiplied with the weights.
pub fn deformed_convolution(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, weight, offset) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.bound(cx, 2)?);
    let (image, filter, place) = (known(cx, &x)?, known(cx, &weight)?, known(cx, &offset)?);
    let ([n, channels, height, width], [out, per_group, kh, kw], [_, _, rows, columns]) =
        (&image[..], &filter[..], &place[..])
    else {
        return Err(Refused::new("only images of four dimensions have a rule"));
    };
    let (n, channels, height, width, rows, columns) = (*n, *channels, *height, *width, *rows, *columns);
    let (strides, dilations) = (args.ints_of("strides", 2, 1)?, args.ints_of("dilations", 2, 1)?);
    let (pads, groups) = (args.ints_of("pads", 4, 0)?, args.int("group", 1)?);
    let (of_offsets, taps) = (args.int("offset_group", 1)?, kh * kw);
    if of_offsets < 1 || groups < 1 || channels % of_offsets != 0 || per_group * groups != channels || out % groups != 0
    {
        return Err(Refused::new("groups do not fit the channels"));
    }
    super::check_table(&[taps, rows, columns])?;
    super::check_table(&[n, of_offsets])?;
    let dtype = cx.dtype(&x)?;
    // Offsets and positions: (n, groups, taps, rows, columns).
    let shape = |last: i64| [n, of_offsets, taps, last, rows, columns].map(one).to_vec();
    let apart = cx.reshape(&offset, shape(2))?;
    let apart = cx.emit(apart)?;
    let base = |at: usize| -> Res<Expr> {
        let mut values = Vec::new();
        for tap in 0..taps {
            let inside = if at == 0 { tap / kw } else { tap % kw };
            for flat in 0..rows * columns {
                let index = if at == 0 { flat / columns } else { flat % columns };
                values.push((index * strides[at] + inside * dilations[at] - pads[at]) as f64);
            }
        }
        cx.astype(&Expr::constant(Tensor::from_vec(&[1, 1, taps, rows, columns], values)?), dtype)
    };
    let bases = [base(0)?, base(1)?];
    let mut sides = Vec::new();
    for (at, extent) in [height, width].into_iter().enumerate() {
        let moved = cx.call(&add::OP, &[&cx.select(&apart, 3, &one(at as i64))?, &bases[at]], [])?;
        let moved = cx.emit(moved)?;
        let first = cx.emit(cx.call(&floor::OP, &[&moved], [])?)?;
        let share = cx.emit(cx.call(&subtract::OP, &[&moved, &first], [])?)?;
        sides.push((first, share, extent));
    }
    // Rows of channels of the image, one after the other for each group of offsets.
    let split = [n, of_offsets, channels / of_offsets, height, width].map(one).to_vec();
    let lines = cx.permute(&cx.reshape(&x, split)?, vec![0, 1, 3, 4, 2])?;
    let lines = cx.reshape(&lines, vec![one(n * of_offsets * height * width), one(channels / of_offsets)])?;
    let lines = cx.emit(lines)?;
    let starts: Vec<i64> = (0..n * of_offsets).map(|at| at * height * width).collect();
    let starts = Expr::constant(Tensor::from_vec(&[n, of_offsets, 1, 1, 1], starts)?);
    let mut total: Option<Expr> = None;
    for corner in 0..4 {
        let mut index = starts.clone();
        let mut share: Option<Expr> = None;
        for (at, (first, part, extent)) in sides.iter().enumerate() {
            let second = if at == 0 { corner / 2 == 1 } else { corner % 2 == 1 };
            let place = if second { cx.with_number(&add::OP, first, 1.0)? } else { first.clone() };
            let place = cx.emit(place)?;
            let low = cx.call(&less_equal::OP, &[&cx.number(0.0, dtype)?, &place], [])?;
            let inside = cx.call(&logical_and::OP, &[&low, &cx.with_number(&less::OP, &place, *extent as f64)?], [])?;
            let own = match second {
                true => part.clone(),
                false => cx.call(&subtract::OP, &[&cx.number(1.0, dtype)?, part], [])?,
            };
            let own = cx.choose(&inside, &own, &cx.number(0.0, dtype)?)?;
            share = Some(match share {
                None => own,
                Some(before) => cx.call(&multiply::OP, &[&before, &own], [])?,
            });
            let held = cx.astype(&cx.clip(&place, 0.0, (extent - 1) as f64)?, DataType::I64)?;
            let step = if at == 0 { width } else { 1 };
            index = broadcast_call(cx, &add::OP, cx.with_number(&multiply::OP, &held, step)?, index)?;
        }
        let Some(share) = share else { continue };
        let values = cx.call(&take::OP, &[&lines, &index], [("axis", 0i64.to_attr())])?;
        let share = cx.reshape(&share, [n, of_offsets, taps, rows, columns, 1].map(one).to_vec())?;
        let part = cx.call(&multiply::OP, &[&values, &share], [])?;
        total = Some(match total {
            None => part,
            Some(total) => cx.call(&add::OP, &[&total, &part], [])?,
        });
    }
    let Some(mut samples) = total else { return Err(Refused::new("no samples")) };
    if let Some(mask) = args.optional(cx, 4)? {
        let mask = cx.reshape(&mask, [n, of_offsets, taps, rows, columns, 1].map(one).to_vec())?;
        samples = cx.call(&multiply::OP, &[&samples, &mask], [])?;
    }
    // (n, channels, taps, rows * columns), then products with the weights of each group.
    let samples = cx.permute(&samples, vec![0, 1, 5, 2, 3, 4])?;
    let samples = cx.reshape(&samples, [n, groups, per_group * taps, rows * columns].map(one).to_vec())?;
    let filter = cx.reshape(&weight, [1, groups, out / groups, per_group * taps].map(one).to_vec())?;
    let found = cx.call(&matmul::OP, &[&filter, &samples], [])?;
    let found = cx.reshape(&found, [n, *out, rows, columns].map(one).to_vec())?;
    with_bias(cx, found, args.optional(cx, 3)?).map(Val::from)
}
