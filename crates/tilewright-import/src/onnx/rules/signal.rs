//! Windows and Fourier transforms, of known lengths: products with constant matrices.

use std::f64::consts::TAU;

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::stack;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Args, Rule, bound, rule};
use super::super::tensors::dtype_of;
use super::super::values::Val;
use super::elementwise::converted;
use super::shape::with_border;
use crate::common::{Cx, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("HannWindow", "size", "output_datatype periodic", |cx, args| window(cx, args, [0.5, 0.5, 0.0])),
    rule("HammingWindow", "size", "output_datatype periodic", |cx, args| {
        window(cx, args, [25.0 / 46.0, 1.0 - 25.0 / 46.0, 0.0])
    }),
    rule("BlackmanWindow", "size", "output_datatype periodic", |cx, args| window(cx, args, [0.42, 0.5, 0.08])),
    rule(
        "MelWeightMatrix",
        "num_mel_bins dft_length sample_rate lower_edge_hertz upper_edge_hertz",
        "output_datatype",
        mel_weights,
    ),
    rule("DFT", "input dft_length? axis?", "axis inverse onesided", fourier),
    rule("STFT", "signal frame_step window? frame_length?", "onesided", short_time),
];

/// Elements of a window or a matrix at most.
const MAX_LENGTH: i64 = 1 << 14;

fn length(value: i64) -> Res<i64> {
    if (1..=MAX_LENGTH).contains(&value) { Ok(value) } else { Err(Refused(format!("a length of {value} has no rule"))) }
}

/// A sum of cosines.
fn window(cx: &mut Cx<'_>, args: &Args<'_>, [a, b, c]: [f64; 3]) -> Res<Val> {
    let size = length(args.int_at(0)?)?;
    let period = if args.flag("periodic", true)? { size } else { size - 1 } as f64;
    let at = |index: i64| {
        let angle = TAU * index as f64 / period;
        (a - b * angle.cos() + c * (2.0 * angle).cos()) as f32
    };
    let values = Expr::constant(Tensor::from_vec(&[size], (0..size).map(at).collect())?);
    Ok(converted(cx, &values, dtype_of(args.int("output_datatype", 1)?)?)?.into())
}

/// Triangles over the frequencies of a spectrum, at equal distances on the mel scale.
fn mel_weights(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (bins, dft, rate) = (length(args.int_at(0)?)?, length(args.int_at(1)?)?, args.int_at(2)?);
    let (lower, upper) = (args.float_at(3)?, args.float_at(4)?);
    let rows = dft / 2 + 1;
    let mel = |frequency: f64| 2595.0 * (1.0 + frequency / 700.0).log10();
    let step = (mel(upper) - mel(lower)) / (bins + 2) as f64;
    let place = |at: i64| {
        let frequency = 700.0 * (10f64.powf((at as f64 * step + mel(lower)) / 2595.0) - 1.0);
        ((dft + 1) as f64 * frequency / rate as f64).floor() as i64
    };
    super::check_table(&[rows, bins])?;
    let mut table = vec![0f32; (rows * bins) as usize];
    for bin in 0..bins {
        let (low, center, high) = (place(bin), place(bin + 1), place(bin + 2));
        let mut set = |row: i64, value: f64| {
            if (0..rows).contains(&row) {
                table[(row * bins + bin) as usize] = value as f32;
            }
        };
        match center - low {
            0 => set(center, 1.0),
            rise => (low..=center).for_each(|row| set(row, (row - low) as f64 / rise as f64)),
        }
        if high > center {
            (center..high).for_each(|row| set(row, (high - row) as f64 / (high - center) as f64));
        }
    }
    let table = Expr::constant(Tensor::from_vec(&[rows, bins], table)?);
    Ok(converted(cx, &table, dtype_of(args.int("output_datatype", 1)?)?)?.into())
}

/// The matrices of cosines and sines of `from * to` times a full turn over `length`.
fn turns(cx: &Cx<'_>, [from, to]: [i64; 2], length: i64, dtype: DataType) -> Res<[Expr; 2]> {
    super::check_table(&[from, to])?;
    let matrix = |function: fn(f64) -> f64| -> Res<Expr> {
        let at = |flat: i64| {
            // Whole turns are left out, so that angles stay exact.
            let steps = (flat / to.max(1)) * (flat % to.max(1)) % length;
            function(TAU * steps as f64 / length as f64)
        };
        let values: Vec<f64> = (0..from * to).map(at).collect();
        cx.astype(&Expr::constant(Tensor::from_vec(&[from, to], values)?), dtype)
    };
    Ok([matrix(f64::cos)?, matrix(f64::sin)?])
}

/// Version 17 has the axis as an attribute, later ones as an input.
fn fourier(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let rank = cx.rank(&x)?;
    let axis = match args.has(2) {
        true => args.int_at(2)?,
        false => args.int("axis", if args.opset < 20 { 1 } else { -2 })?,
    };
    let axis = cx.axis(axis, rank)?;
    if axis + 1 >= rank {
        return Err(Refused::new("the last dimension holds real and imaginary parts"));
    }
    let (inverse, onesided) = (args.flag("inverse", false)?, args.flag("onesided", false)?);
    let own = cx.extent(&x, axis)?.as_int().ok_or_else(|| Refused::new("this needs data of known size"))?;
    let usual = if inverse && onesided { 2 * (own - 1) } else { own };
    let size = length(if args.has(1) { args.int_at(1)? } else { usual })?;
    // The transformed dimension last, its elements as many as the length.
    let to_last: Vec<i64> = (0..rank as i64 - 1).filter(|at| *at != axis as i64).chain([axis as i64]).collect();
    let mut back: Vec<i64> = (0..rank as i64 - 2).collect();
    back.insert(axis, rank as i64 - 2);
    let used = if inverse && onesided { size / 2 + 1 } else { size };
    let mut parts = Vec::new();
    for part in 0..cx.extent(&x, rank - 1)?.as_int().unwrap_or(0).min(2) {
        let part = cx.permute(&cx.select(&x, rank - 1, &scalar::Expr::i64(part))?, to_last.clone())?;
        let mut widths = vec![[0, 0]; rank - 1];
        widths[rank - 2][1] = used - own;
        let part = with_border(cx, &part, &widths, "constant", 0.0)?;
        // Sums of many terms that cancel: in float64.
        let part = cx.astype(&part, DataType::F64)?;
        parts.push(bound(cx, part)?);
    }
    let [real, imaginary] = match inverse && onesided {
        true => {
            let real = real_inverse(cx, &parts, size)?;
            let real = cx.astype(&cx.permute(&real, back)?, cx.dtype(&x)?)?;
            let mut shape = cx.shape(&real)?;
            shape.push(scalar::Expr::i64(1));
            return Ok(cx.reshape(&real, shape)?.into());
        }
        false => transformed(cx, &parts, size, inverse, onesided)?,
    };
    let (real, imaginary) = (cx.permute(&real, back.clone())?, cx.permute(&imaginary, back)?);
    let [real, imaginary] = [cx.astype(&real, cx.dtype(&x)?)?, cx.astype(&imaginary, cx.dtype(&x)?)?];
    let both = Expr::tuple(vec![real, imaginary]);
    Ok(cx.call(&stack::OP, &[&both], [("axis", (rank as i64 - 1).to_attr())])?.into())
}

/// Real and imaginary parts of the transform along the last dimension.
fn transformed(cx: &mut Cx<'_>, parts: &[Expr], size: i64, inverse: bool, onesided: bool) -> Res<[Expr; 2]> {
    let Some(real) = parts.first() else { return Err(Refused::new("data without parts")) };
    let to = if onesided { size / 2 + 1 } else { size };
    let [cos, sin] = turns(cx, [size, to], size, cx.dtype(real)?)?;
    let product = |x: &Expr, y: &Expr| cx.call(&matmul::OP, &[x, y], []);
    // The angle is negative for the transform, positive for its inverse.
    let mut found = [product(real, &cos)?, product(real, &sin)?];
    if !inverse {
        found[1] = cx.with_number(&multiply::OP, &found[1], -1.0)?;
    }
    if let Some(imaginary) = parts.get(1) {
        let (a, b) = (product(imaginary, &sin)?, product(imaginary, &cos)?);
        let op = if inverse { &subtract::OP } else { &add::OP };
        found = [cx.call(op, &[&found[0], &a], [])?, cx.call(&add::OP, &[&found[1], &b], [])?];
    }
    if inverse {
        let [a, b] = found;
        let share = 1.0 / size as f64;
        found = [cx.with_number(&multiply::OP, &a, share)?, cx.with_number(&multiply::OP, &b, share)?];
    }
    Ok(found)
}

/// The real signal of one side of its spectrum: frequencies but the first and the middle one count twice.
fn real_inverse(cx: &mut Cx<'_>, parts: &[Expr], size: i64) -> Res<Expr> {
    let [real, imaginary] = parts else { return Err(Refused::new("a spectrum is of real and imaginary parts")) };
    let used = size / 2 + 1;
    super::check_table(&[used, size])?;
    let dtype = cx.dtype(real)?;
    let matrix = |function: fn(f64) -> f64, sign: f64| -> Res<Expr> {
        let at = |flat: i64| {
            let (row, column) = (flat / size, flat % size);
            let twice = if row == 0 || (size % 2 == 0 && row == used - 1) { 1.0 } else { 2.0 };
            sign * twice * function(TAU * (row * column % size) as f64 / size as f64) / size as f64
        };
        let values: Vec<f64> = (0..used * size).map(at).collect();
        cx.astype(&Expr::constant(Tensor::from_vec(&[used, size], values)?), dtype)
    };
    let a = cx.call(&matmul::OP, &[real, &matrix(f64::cos, 1.0)?], [])?;
    let b = cx.call(&matmul::OP, &[imaginary, &matrix(f64::sin, -1.0)?], [])?;
    cx.call(&add::OP, &[&a, &b], [])
}

/// Transforms of windows of the signal.
fn short_time(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (signal, step) = (args.bound(cx, 0)?, length(args.int_at(1)?)?);
    let shape = cx.shape(&signal)?;
    let total = shape.get(1).and_then(scalar::Expr::as_int).ok_or_else(|| Refused::new("the length must be known"))?;
    let window = args.optional(cx, 2)?;
    let size = match (&window, args.has(3)) {
        (_, true) => args.int_at(3)?,
        (Some(window), false) => {
            cx.extent(window, 0)?.as_int().ok_or_else(|| Refused::new("the window's length must be known"))?
        }
        (None, false) => return Err(Refused::new("neither a window nor a length of frames")),
    };
    let size = length(size)?;
    let frames = (total - size).div_euclid(step) + 1;
    if !(1..=1 << 16).contains(&frames) {
        return Err(Refused(format!("{frames} frames have no rule")));
    }
    let onesided = args.flag("onesided", true)?;
    super::check_table(&[frames, size])?;
    // Indices of all frames: `(frames, size)`.
    let indices: Vec<i64> = (0..frames).flat_map(|frame| (0..size).map(move |at| frame * step + at)).collect();
    let indices = Expr::constant(Tensor::from_vec(&[frames, size], indices)?);
    let count = if shape.len() > 2 { shape[2].as_int().unwrap_or(1).min(2) } else { 1 };
    let mut parts = Vec::new();
    for part in 0..count {
        let part = match shape.len() {
            2 => signal.clone(),
            _ => cx.select(&signal, 2, &scalar::Expr::i64(part))?,
        };
        let mut cut = super::gather::taken(cx, &part, &indices, 1)?;
        if let Some(window) = &window {
            cut = cx.call(&multiply::OP, &[&cut, &cx.astype(window, cx.dtype(&cut)?)?], [])?;
        }
        parts.push(bound(cx, cut)?);
    }
    let [real, imaginary] = transformed(cx, &parts, size, false, onesided)?;
    Ok(cx.call(&stack::OP, &[&Expr::tuple(vec![real, imaginary])], [("axis", 3i64.to_attr())])?.into())
}
