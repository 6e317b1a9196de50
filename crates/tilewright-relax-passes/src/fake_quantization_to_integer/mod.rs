//! `FakeQuantizationToInteger`: products of dequantised tensors become products of their integers.
//!
//! ```text
//! a = dequantize(x, sx, zx)                 p = conv2d(x, w, out_dtype="int32") - zx * sum(w)
//! b = dequantize(w, sw, 0, axis=0)     ⇒    y = astype(p, "float32") * (sx * sw)
//! y = conv2d(a, b)
//! ```
//!
//! From any form to any form, in blocks without side effects. `x` and `w` are bytes. The data has one scale and one
//! zero point; the weights have a scale for each output channel, or one, and a zero point of 0 (of a matrix product,
//! any single one). The sums are exact, so the rounding of floats changes. The same holds for products of what is left
//! of bytes when their zero points are taken off, `astype(x, "int32") - zx`, as ONNX's integer products are.
//!
//! A border is of the zero point's value, so a padded convolution needs a constant one. Kernels are reordered so that
//! the input channels are innermost, of which dot-product instructions take several at once. Results that are quantised
//! again are multiplied by the reciprocal of a constant scale. For all of this the target must multiply bytes faster
//! than floats ([`tilewright_schedule::rules::can`]).
//!
//! On every target, a matrix of bytes that is multiplied by floats is read as it is, and its scales are applied to the
//! sums:
//!
//! ```text
//! b = astype(w, "float32") * sw        ⇒    y = matmul(x, w, out_dtype="float32") * sw
//! y = matmul(x, b)
//! ```

mod factor;

use std::sync::Arc;

use tilewright_expr::Expr as Dim;
use tilewright_ir::op::Layouts::Named;
use tilewright_ir::op::{AttrDefault, Fusion, InferError, OpDef, OpRef};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Callee, Expr, ExprKind};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::binary::{divide, multiply, subtract};
use tilewright_ops::create::astype;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{permute_dims, reshape};
use tilewright_ops::nn::pad;
use tilewright_ops::quantization::{dequantize, quantize};
use tilewright_ops::statistical::sum;
use tilewright_schedule::rules::{GraphSpec, can};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

use crate::calls_in_dataflow::{Around, called, with_rule};
use factor::Factor;

/// Multiplies the integers of quantised tensors.
#[derive(Clone, Debug, Default)]
pub struct FakeQuantizationToInteger {
    /// The target that multiplies; `None` is that of the context.
    target: Option<Target>,
}

const NAME: &str = "FakeQuantizationToInteger";

impl FakeQuantizationToInteger {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Computes products of dequantised tensors from their integers.",
        params: &[ParamDef {
            name: "target",
            kind: ParamKind::OptionalStr,
            default: AttrDefault::None,
            doc: "The target that multiplies; by default that of the context.",
        }],
        make: |args| {
            let target = args.text("target").map(Target::parse).transpose().map_err(|error| error.to_string())?;
            Ok(Arc::new(Self { target }))
        },
    };
}

impl Pass for FakeQuantizationToInteger {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let target = self.target.clone().unwrap_or_else(|| cx.target());
        match can(&GraphSpec::ByteProducts, &target) {
            true => with_rule(NAME, &module, |around, value| {
                integers(around, value).or_else(|| requantised(around, value)).or_else(|| of_bytes(around, value))
            }),
            false => with_rule(NAME, &module, of_bytes),
        }
    }
}

/// A product of integers.
fn integers(around: &Around, value: &Expr) -> Option<Expr> {
    product(around, value).or_else(|| convolution(around, value))
}

/// A product of floats and of a matrix of bytes whose scales are those of its columns.
fn of_bytes(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &matmul::OP)?;
    let [x, w] = args else { return None };
    let permuted = around.called(w, &permute_dims::OP).filter(|_| w.struct_info.rank() == Some(2));
    let factor = Factor::of(around, permuted.map_or(w, |(args, _)| &args[0]))?;
    let Some(Attr::DType(DataType::F32 | DataType::VOID)) = attrs.get("out_dtype") else { return None };
    let of_n = usize::from(permuted.is_none());
    let is_matrix = factor.rank()? == 2 && factor.zero.is_none() && factor.axis.is_none_or(|axis| axis == of_n);
    if !is_matrix || x.struct_info.dtype() != Some(DataType::F32) || x.struct_info.rank()? == 0 {
        return None;
    }
    let weights = match permuted {
        Some((_, axes)) => call(around, &permute_dims::OP, vec![factor.values.clone()], axes.clone()).ok()?,
        None => factor.values.clone(),
    };
    let sums = matmul::call(&around.cx, x.clone(), weights, DataType::F32).ok()?;
    multiply::call(&around.cx, sums, factor.scale?).ok()
}

/// How many operators between a product and the quantisation of its result are looked through.
const MAX_EPILOGUE: usize = 16;

/// A quantisation of what elementwise operators make of dequantised tensors, with the reciprocal of its scale.
fn requantised(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &quantize::OP)?;
    let [data, scale, zero] = args else { return None };
    let is_float = [data, scale].iter().all(|float| float.struct_info.dtype() == Some(DataType::F32));
    let is_scalar = scale.struct_info.rank() == Some(0);
    if !is_float || !is_scalar || around.constant(scale).is_none() || !is_of_integers(around, data, MAX_EPILOGUE) {
        return None;
    }
    let one = || Expr::constant(Tensor::scalar(1_f32));
    let reciprocal = divide::call(&around.cx, one(), scale.clone()).ok()?;
    let steps = multiply::call(&around.cx, data.clone(), reciprocal).ok()?;
    call(around, &quantize::OP, vec![steps, one(), zero.clone()], attrs.clone()).ok()
}

/// Whether elementwise operators make a tensor of products of integers, or of dequantised tensors.
fn is_of_integers(around: &Around, tensor: &Expr, depth: usize) -> bool {
    let Some(value) = around.value(tensor) else { return false };
    if called(value, &dequantize::OP).is_some() || integers(around, value).is_some() {
        return true;
    }
    let ExprKind::Call { callee: Callee::Op(op), args, .. } = &value.kind else { return false };
    let is_elementwise = matches!(op.properties.fusion, Fusion::Elementwise | Fusion::Broadcast);
    depth > 0 && is_elementwise && args.iter().any(|arg| is_of_integers(around, arg, depth - 1))
}

/// Products of bytes whose sum int32 holds, whatever the bytes are.
const MAX_PRODUCTS: i64 = i32::MAX as i64 / (255 * 255);

/// Whether a call gives sums of the type that the factors have, and int32 holds those of floats: they are as many as
/// there are weights for each index of `of_output`.
fn fits(attrs: &Attrs, x: &Factor<'_>, w: &Factor<'_>, of_output: usize) -> Option<()> {
    let Some(Attr::DType(out_dtype)) = attrs.get("out_dtype") else { return None };
    let (dtype, is_held) = match (&x.scale, &w.scale) {
        (Some(_), Some(_)) => {
            let dims = w.values.struct_info.dims()?.iter().enumerate();
            let mut summed = dims.filter(|(at, _)| *at != of_output).map(|(_, dim)| dim.as_int());
            let count = summed.try_fold(1_i64, |all, dim| Some(all.saturating_mul(dim?)))?;
            (DataType::F32, count <= MAX_PRODUCTS)
        }
        (None, None) => (DataType::I32, true),
        _ => return None,
    };
    (is_held && [dtype, DataType::VOID].contains(out_dtype)).then_some(())
}

/// A matrix product of the integers of its operands.
fn product(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &matmul::OP)?;
    let [x, w] = args else { return None };
    let permuted = around.called(w, &permute_dims::OP).filter(|_| w.struct_info.rank() == Some(2));
    let (x, w) = (Factor::of(around, x)?, Factor::of(around, permuted.map_or(w, |(args, _)| &args[0]))?);
    let (of_k, of_n) = if permuted.is_some() { (1, 0) } else { (0, 1) };
    fits(attrs, &x, &w, of_n)?;
    if x.per_axis()? || w.rank()? != 2 || x.rank()? == 0 || w.axis.is_some_and(|axis| axis != of_n) {
        return None;
    }
    let integers = Integers { around, x: &x, w: &w };
    let weights = match permuted {
        Some((_, axes)) => call(around, &permute_dims::OP, vec![w.values.clone()], axes.clone()).ok()?,
        None => w.values.clone(),
    };
    let sums = matmul::call(&around.cx, x.values.clone(), weights, DataType::I32).ok()?;
    let sums = integers.without_zero_points(sums, of_k).ok()?;
    integers.scaled(sums, Ok).ok()
}

/// The dimensions of a convolution's data, kernel and result, by their letters.
struct Layouts<'a> {
    data: &'a str,
    kernel: &'a str,
    out: &'a str,
}

impl<'a> Layouts<'a> {
    /// The layouts, if none splits the channels.
    fn of(attrs: &'a Attrs) -> Option<Self> {
        let layout = |name| attrs.get(name).and_then(Attr::as_str);
        let found = Self { data: layout("data_layout")?, kernel: layout("kernel_layout")?, out: layout("out_layout")? };
        let is_whole = |text: &&str| text.bytes().all(|letter| letter.is_ascii_uppercase());
        [found.data, found.kernel, found.out].iter().all(is_whole).then_some(found)
    }

    /// The order of a kernel with the input channels innermost, and its layout.
    fn input_innermost(&self) -> (Vec<i64>, String) {
        let (mut order, mut text): (Vec<i64>, String) = (Vec::new(), String::new());
        let outer = self.kernel.char_indices().filter(|(_, letter)| *letter != 'I');
        for (at, letter) in outer.chain(self.kernel.char_indices().filter(|(_, letter)| *letter == 'I')) {
            order.push(at as i64);
            text.push(letter);
        }
        (order, text)
    }
}

/// The operands and attributes of a convolution that is not transposed, by what its operator says of its layouts.
fn convolved(value: &Expr) -> Option<(&'static OpDef, &[Expr], &Attrs)> {
    let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &value.kind else { return None };
    let Some(Named { operands, .. }) = &op.layouts else { return None };
    let is_forward = operands.contains(&"kernel_layout") && !attrs.contains_key("output_padding");
    is_forward.then_some((op.0, args, attrs))
}

/// A convolution of the integers of its operands.
fn convolution(around: &Around, value: &Expr) -> Option<Expr> {
    let (op, args, attrs) = convolved(value)?;
    let [x, w] = args else { return None };
    let (x, w) = (Factor::of(around, x)?, Factor::of(around, w)?);
    let layouts = Layouts::of(attrs)?;
    let of_output = layouts.kernel.find('O')?;
    fits(attrs, &x, &w, of_output)?;
    let has_groups = attrs.get("groups").and_then(Attr::as_int) != Some(1);
    if has_groups || x.per_axis()? || w.zero.is_some() || w.axis.is_some_and(|axis| axis != of_output) {
        return None;
    }
    let integers = Integers { around, x: &x, w: &w };
    let mut attrs = attrs.clone();
    let data = integers.padded(&layouts, &mut attrs)?;
    let mut weights = w.values.clone();
    // The dimensions of images with channels innermost are in the right order already.
    if !layouts.data.ends_with('C') && !layouts.kernel.ends_with('I') && around.constant(&weights).is_some() {
        let (order, text) = layouts.input_innermost();
        weights = permute_dims::call(&around.cx, weights, Some(&order)).ok()?;
        attrs.insert("kernel_layout".into(), Attr::str(text));
    }
    attrs.insert("out_dtype".into(), Attr::DType(DataType::I32));
    let sums = call(around, op, vec![data, weights], attrs).ok()?;
    // A value for each output channel, or one for all, in the shape of the result.
    let trailing = layouts.out.len() - 1 - layouts.out.find('C')?;
    let of_channels = |each: Expr| match each.struct_info.rank() {
        Some(1) => {
            let mut dims = vec![each.struct_info.dims().map_or(Dim::i64(-1), |dims| dims[0].clone())];
            dims.resize(trailing + 1, Dim::i64(1));
            reshape::call(&around.cx, each, Expr::shape(dims))
        }
        _ => Ok(each),
    };
    let sums = match &x.zero {
        Some(zero) => {
            let reduced: Vec<usize> = (0..layouts.kernel.len()).filter(|at| *at != of_output).collect();
            let less = multiply::call(&around.cx, integers.sums_of_weights(&reduced).ok()?, zero.clone());
            subtract::call(&around.cx, sums, of_channels(less.ok()?).ok()?).ok()?
        }
        None => sums,
    };
    integers.scaled(sums, of_channels).ok()
}

fn call(around: &Around, op: &'static OpDef, args: Vec<Expr>, attrs: Attrs) -> Result<Expr, InferError> {
    Expr::call_op(&around.cx, OpRef(op), args, attrs)
}

/// The factors of a product, and what is added to its sums.
struct Integers<'a> {
    around: &'a Around,
    x: &'a Factor<'a>,
    w: &'a Factor<'a>,
}

impl Integers<'_> {
    /// The sums of the weights over these dimensions.
    fn sums_of_weights(&self, reduced: &[usize]) -> Result<Expr, InferError> {
        let cx = &self.around.cx;
        if let Some(sums) = self.around.constant(self.w.values).and_then(|weights| factor::sums(weights, reduced)) {
            return Ok(Expr::constant(sums));
        }
        let axes: Vec<i64> = reduced.iter().map(|&axis| axis as i64).collect();
        sum::call(cx, astype::call(cx, self.w.values.clone(), DataType::I32)?, Some(&axes), false)
    }

    /// Sums of products of matrices, of whose right one dimension `of_k` is reduced, without what the zero points add:
    /// `sum (x - zx) (w - zw) = sum x w - zx (sum w - K zw) - zw sum x`.
    fn without_zero_points(&self, mut sums: Expr, of_k: usize) -> Result<Expr, InferError> {
        let cx = &self.around.cx;
        if let Some(zero) = &self.x.zero {
            let mut of_weights = self.sums_of_weights(&[of_k])?;
            if let Some(of_w) = &self.w.zero {
                let k = self.w.values.struct_info.dims().and_then(|dims| dims[of_k].as_int());
                let k = k.and_then(|k| i32::try_from(k).ok());
                let k = k.ok_or_else(|| InferError::new("K is not constant"))?;
                let all = multiply::call(cx, Expr::constant(Tensor::scalar(k)), of_w.clone())?;
                of_weights = subtract::call(cx, of_weights, all)?;
            }
            sums = subtract::call(cx, sums, multiply::call(cx, of_weights, zero.clone())?)?;
        }
        let Some(zero) = &self.w.zero else { return Ok(sums) };
        let is_row = self.x.rank() == Some(1);
        let of_data = astype::call(cx, self.x.values.clone(), DataType::I32)?;
        let of_data = sum::call(cx, of_data, Some(&[-1]), !is_row)?;
        subtract::call(cx, sums, multiply::call(cx, of_data, zero.clone())?)
    }

    /// The data with the border of a convolution, which then has none; a border of zeros stays the convolution's.
    fn padded(&self, layouts: &Layouts<'_>, attrs: &mut Attrs) -> Option<Expr> {
        let sides = attrs.get("padding").and_then(Attr::as_ints)?;
        if self.x.zero.is_none() || sides.iter().all(|side| *side == 0) {
            return Some(self.x.values.clone());
        }
        let value = self.x.zero_value(self.around)?;
        let spatial = sides.len() / 2;
        let mut widths = Vec::new();
        let mut next = 0..spatial;
        for letter in layouts.data.chars() {
            match letter {
                'N' | 'C' => widths.extend([0, 0]),
                // The spatial dimensions come in the order of the sides.
                _ => {
                    let at = next.next()?;
                    widths.extend([sides[at], sides[at + spatial]]);
                }
            }
        }
        attrs.insert("padding".into(), Attr::Array(sides.iter().map(|_| Attr::Int(0)).collect()));
        pad::call(&self.around.cx, self.x.values.clone(), &widths, value as f64, "constant").ok()
    }

    /// The sums in floats, if the factors have scales.
    fn scaled(&self, sums: Expr, in_result: impl Fn(Expr) -> Result<Expr, InferError>) -> Result<Expr, InferError> {
        let (Some(of_x), Some(of_w)) = (&self.x.scale, &self.w.scale) else { return Ok(sums) };
        let cx = &self.around.cx;
        let scale = in_result(multiply::call(cx, of_w.clone(), of_x.clone())?)?;
        multiply::call(cx, astype::call(cx, sums, DataType::F32)?, scale)
    }
}
