//! A part of a tensor, by begin, end and step along dimensions.

use tilewright_expr::{BinOp, CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};

use crate::{attributes, shapes};

op! {
    /// The elements from `begin` up to and without `end` in steps of `strides` along some dimensions, as Python slices.
    ///
    /// Negative begins and ends count from the end of the dimension, and what lies outside is cut off: a symbolic one
    /// must be known to be no negative number. With `assume_inbound` the caller says that begins and ends lie inside
    /// and none is negative, and symbolic ones may be anything.
    "strided_slice" {
        args: {
            x: Tensor, "The input tensor.";
            axes: Tuple, "The dimensions.";
            begin: Tuple, "Where the slice begins along each of them.";
            end: Tuple, "Where it ends along each of them.";
            strides: OptionalTuple, "The steps, constants other than 0; 1 where they are left out.";
        }
        attrs: {
            assume_inbound: Bool = AttrDefault::Bool(false), "Whether begins and ends are known to lie inside.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

/// A slice along one dimension: its first index, its step and its length.
struct Slice {
    axis: usize,
    begin: Expr,
    stride: i64,
    length: Expr,
}

impl Slice {
    /// The index into the tensor of an index of the slice.
    fn index(&self, i: &Value) -> Value {
        let begin = Value::from(self.begin.clone());
        match (self.stride, self.begin.as_int()) {
            (1, Some(0)) => i.clone(),
            (1, Some(_)) => i + begin,
            (1, None) => begin + i,
            (stride, _) if stride < 0 => begin - i * stride.saturating_neg(),
            (stride, Some(0)) => i * stride,
            (stride, _) => i * stride + begin,
        }
    }
}

fn refused(error: tilewright_expr::TypeMismatch) -> InferError {
    InferError::new(error.0)
}

fn slices(cx: &InferCx, call: &OpCall<'_>, dims: &[Expr]) -> Result<Vec<Slice>, InferError> {
    let list = |arg| attributes::scalars(call, arg).map(Option::unwrap_or_default);
    let (axes, begin, end, strides) = (list(1)?, list(2)?, list(3)?, list(4)?);
    let count = axes.len();
    if begin.len() != count || end.len() != count || !(strides.is_empty() || strides.len() == count) {
        let found = format!("{} begins, {} ends and {} strides", begin.len(), end.len(), strides.len());
        return Err(InferError::new(format!("`strided_slice` along {count} dimensions has {found}")));
    }
    let constant = |value: &Expr, what: &str| {
        value.as_int().ok_or_else(|| InferError::new(format!("the {what} of `strided_slice` must be constants")))
    };
    let axes = axes.iter().map(|axis| constant(axis, "axes")).collect::<Result<Vec<_>, _>>()?;
    let axes = attributes::axes(call, &axes, dims.len())?;
    let cx = &shapes::of_sizes(cx, dims);
    let mut slices = Vec::new();
    for (k, &axis) in axes.iter().enumerate() {
        let stride = strides.get(k).map_or(Ok(1), |stride| constant(stride, "strides"))?;
        if stride == 0 || stride == i64::MIN {
            return Err(InferError::new(format!("`strided_slice` cannot step by {stride}")));
        }
        let (begin, end) = match attributes::flag(call, "assume_inbound") {
            true => (begin[k].clone(), end[k].clone()),
            false => (clipped(cx, &begin[k], &dims[axis], stride)?, clipped(cx, &end[k], &dims[axis], stride)?),
        };
        let length = length(cx, &begin, &end, stride)?;
        slices.push(Slice { axis, begin, stride, length });
    }
    Ok(slices)
}

/// A begin or end, counted from the start and clamped: 0 to the extent, one less for negative steps.
fn clipped(cx: &InferCx, at: &Expr, extent: &Expr, stride: i64) -> Result<Expr, InferError> {
    let lowered = i64::from(stride < 0);
    let (min, max) = (Expr::i64(-lowered), extent - &Expr::i64(lowered));
    let clip = |at: &Expr| {
        let at = Expr::binary(BinOp::Min, &Expr::binary(BinOp::Max, at, &min).map_err(refused)?, &max);
        Ok(cx.analyzer.simplify(&at.map_err(refused)?))
    };
    match (at.as_int(), extent.as_int()) {
        (Some(at), Some(extent)) => {
            let from_start = if at < 0 { at.saturating_add(extent) } else { at };
            Ok(Expr::i64(from_start.clamp(-lowered, extent - lowered)))
        }
        (Some(at), None) if at < 0 => clip(&cx.analyzer.simplify(&(extent + at.max(i64::MIN / 2)))),
        (Some(at), None) => Ok(cx.analyzer.simplify(&Expr::binary(BinOp::Min, &Expr::i64(at), &max).map_err(refused)?)),
        (None, _) if cx.analyzer.prove_equal(at, extent) => Ok(max),
        (None, _) if at.as_var().is_some() || cx.analyzer.decide(CmpOp::Ge, at, &Expr::i64(0)) == Some(true) => {
            clip(at)
        }
        (None, _) => Err(InferError::new(format!(
            "`strided_slice`: whether {} is negative is not known; `assume_inbound` says that it is not",
            shapes::dim_text(at)
        ))),
    }
}

fn length(cx: &InferCx, begin: &Expr, end: &Expr, stride: i64) -> Result<Expr, InferError> {
    let distance = cx.analyzer.simplify(&if stride > 0 { end - begin } else { begin - end });
    let size = stride.abs();
    let count = match size {
        1 => distance,
        _ => distance.ceil_div(size).map_err(refused)?,
    };
    let count = cx.analyzer.simplify(&count);
    match count.as_int() {
        Some(count) => Ok(Expr::i64(count.max(0))),
        None if count.as_var().is_some() || cx.analyzer.decide(CmpOp::Ge, &count, &Expr::i64(0)) == Some(true) => {
            Ok(count)
        }
        None => Expr::binary(BinOp::Max, &count, &Expr::i64(0)).map_err(refused),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let sliced = |dims: &[Expr]| {
        let mut sliced = dims.to_vec();
        for slice in slices(cx, call, dims)? {
            sliced[slice.axis] = slice.length;
        }
        Ok(sliced)
    };
    Ok(StructInfo::tensor_with(shapes::map_shape(shape, sliced, Ok)?, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, from) = (shapes::result_dims(call)?, shapes::dims_of(call, 0)?);
    let slices = slices(&InferCx::default(), call, &from)?;
    let is_static = from.iter().chain(slices.iter().map(|slice| &slice.begin)).all(|dim| dim.as_int().is_some());
    let name = if is_static { "T_strided_slice_with_axes" } else { "T_dynamic_strided_slice_with_axes" };
    legalize_formula(call, |inputs| {
        let sliced = |x: &Tensor| {
            compute(&dims, name, |i| {
                let mut source = i.to_vec();
                for slice in &slices {
                    source[slice.axis] = slice.index(&i[slice.axis]);
                }
                x.at_all(&source)
            })
        };
        inputs.iter().map(sliced).collect()
    })
}
