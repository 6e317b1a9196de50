//! A factor of a product whose elements are bytes: their values, zero point and scale.

use tilewright_ir::Attr;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{multiply, subtract};
use tilewright_ops::create::astype;
use tilewright_ops::manipulate::{broadcast_to, expand_dims, permute_dims, reshape};
use tilewright_ops::quantization::dequantize;
use tilewright_tensor::{DataType, Tensor};

use crate::calls_in_dataflow::Around;

/// `(values - zero) * scale`; without a scale, integers.
pub(super) struct Factor<'a> {
    pub(super) values: &'a Expr,
    /// One zero point, of int32; `None` if all are 0.
    pub(super) zero: Option<Expr>,
    /// One scale, or one for each index of `axis`.
    pub(super) scale: Option<Expr>,
    pub(super) axis: Option<usize>,
}

impl<'a> Factor<'a> {
    /// The factor that an operand is.
    pub(super) fn of(around: &'a Around, operand: &'a Expr) -> Option<Self> {
        Self::dequantized(around, operand)
            .or_else(|| Self::centred(around, operand))
            .or_else(|| Self::scaled(around, operand))
    }

    /// Bytes as float32, times a scale.
    fn scaled(around: &'a Around, operand: &'a Expr) -> Option<Self> {
        let (args, _) = around.called(operand, &multiply::OP)?;
        let [a, b] = args else { return None };
        let ((wide, _), scale) = match around.called(a, &astype::OP) {
            Some(wide) => (wide, b),
            None => (around.called(b, &astype::OP)?, a),
        };
        let values = wide.first().filter(|values| are_bytes(values))?;
        let rank = values.struct_info.rank()?;
        let all = [operand, scale].iter().all(|float| float.struct_info.dtype() == Some(DataType::F32));
        if !all || operand.struct_info.rank()? != rank {
            return None;
        }
        let (own, extents) = (scale.struct_info.dims()?, operand.struct_info.dims()?);
        let long: Vec<usize> = (0..own.len()).filter(|at| own[*at].as_int() != Some(1)).collect();
        let (axis, scale) = match long.as_slice() {
            [] => (None, scalar(around, scale)?),
            &[at] => {
                let axis = rank.checked_sub(own.len())? + at;
                // A scale that repeats a dimension of one is none of an axis.
                own[at]
                    .as_int()
                    .filter(|size| values.struct_info.dims().is_some_and(|all| all[axis].as_int() == Some(*size)))?;
                let one = Expr::shape(vec![extents[axis].clone()]);
                let scale =
                    if own.len() == 1 { scale.clone() } else { reshape::call(&around.cx, scale.clone(), one).ok()? };
                (Some(axis), scale)
            }
            _ => return None,
        };
        Some(Self { values, zero: None, scale: Some(scale), axis })
    }

    fn dequantized(around: &'a Around, operand: &'a Expr) -> Option<Self> {
        let (args, attrs) = around.called(operand, &dequantize::OP)?;
        let [values, scale, zero] = args else { return None };
        let is_float = operand.struct_info.dtype() == Some(DataType::F32);
        if !are_bytes(values) || !is_float || scale.struct_info.dtype() != Some(DataType::F32) {
            return None;
        }
        let axis = match is_single(scale)? {
            true => None,
            false => {
                let axis = attrs.get("axis").and_then(Attr::as_int)?;
                let rank = values.struct_info.rank()? as i64;
                Some(usize::try_from(if axis < 0 { axis + rank } else { axis }).ok()?)
            }
        };
        let scale = if axis.is_none() { scalar(around, scale)? } else { scale.clone() };
        Some(Self { values, zero: zero_point(around, zero)?, scale: Some(scale), axis })
    }

    /// Bytes as int32, without their zero point.
    fn centred(around: &'a Around, operand: &'a Expr) -> Option<Self> {
        let (wide, zero) = match around.called(operand, &subtract::OP) {
            Some((args, _)) => (&args[0], Some(&args[1])),
            None => (operand, None),
        };
        let (args, _) = around.called(wide, &astype::OP)?;
        let values = args.first().filter(|values| are_bytes(values))?;
        // One zero point changes no shape but by its dimensions.
        if operand.struct_info.dtype() != Some(DataType::I32)
            || operand.struct_info.rank()? != values.struct_info.rank()?
        {
            return None;
        }
        let zero = match zero {
            Some(zero) => zero_point(around, zero)?,
            None => None,
        };
        Some(Self { values, zero, scale: None, axis: None })
    }

    pub(super) fn rank(&self) -> Option<usize> {
        self.values.struct_info.rank()
    }

    /// Whether there is a scale for each index of a dimension.
    pub(super) fn per_axis(&self) -> Option<bool> {
        self.rank()?;
        Some(self.axis.is_some())
    }

    /// The value of a constant zero point.
    pub(super) fn zero_value(&self, around: &Around) -> Option<i64> {
        match &self.zero {
            Some(zero) => value(source(around, zero)?),
            None => Some(0),
        }
    }
}

fn are_bytes(tensor: &Expr) -> bool {
    tensor.struct_info.dtype().is_some_and(|dtype| [DataType::I8, DataType::U8].contains(&dtype))
}

/// Whether a tensor has one element.
fn is_single(tensor: &Expr) -> Option<bool> {
    Some(tensor.struct_info.dims()?.iter().all(|dim| dim.as_int() == Some(1)))
}

/// A tensor of one element, without dimensions.
fn scalar(around: &Around, tensor: &Expr) -> Option<Expr> {
    match tensor.struct_info.rank()? {
        0 => Some(tensor.clone()),
        _ => reshape::call(&around.cx, tensor.clone(), Expr::shape(Vec::new())).ok(),
    }
}

/// A zero point: `Some(None)` if all are 0, `None` if there are several.
fn zero_point(around: &Around, zero: &Expr) -> Option<Option<Expr>> {
    if source(around, zero)
        .is_some_and(|tensor| tensor.as_bytes().is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0)))
    {
        return Some(None);
    }
    if !is_single(zero)? {
        return None;
    }
    let zero = scalar(around, zero)?;
    let is_wide = zero.struct_info.dtype() == Some(DataType::I32);
    Some(Some(if is_wide { zero } else { astype::call(&around.cx, zero, DataType::I32).ok()? }))
}

/// The constant whose elements a tensor has, in another shape or type.
fn source<'a>(around: &'a Around, tensor: &'a Expr) -> Option<&'a Tensor> {
    if let Some(tensor) = around.constant(tensor) {
        return Some(tensor);
    }
    let moved = [&astype::OP, &reshape::OP, &expand_dims::OP, &permute_dims::OP, &broadcast_to::OP];
    let (args, _) = moved.into_iter().find_map(|op| around.called_anywhere(tensor, op))?;
    source(around, args.first()?)
}

/// The value of a constant of one integer.
fn value(tensor: &Tensor) -> Option<i64> {
    let first = |found: Option<i64>| found.filter(|_| tensor.num_elements() == 1);
    match tensor.dtype() {
        DataType::U8 => first(tensor.to_vec::<u8>().ok()?.first().map(|&x| x.into())),
        DataType::I8 => first(tensor.to_vec::<i8>().ok()?.first().map(|&x| x.into())),
        DataType::I32 => first(tensor.to_vec::<i32>().ok()?.first().map(|&x| x.into())),
        _ => None,
    }
}

/// The sums of constant bytes over these dimensions, in int32.
pub(super) fn sums(weights: &Tensor, reduced: &[usize]) -> Option<Tensor> {
    let bytes = weights.to_contiguous().ok()?;
    let bytes = bytes.as_bytes().ok()?;
    let is_signed = weights.dtype() == DataType::I8;
    let shape = weights.shape();
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !reduced.contains(axis)).collect();
    let [axis] = kept.as_slice() else { return None };
    let count = usize::try_from(shape[*axis]).ok()?;
    let inner = shape[axis + 1..].iter().map(|&dim| usize::try_from(dim)).product::<Result<usize, _>>().ok()?;
    let mut sums = vec![0_i32; count];
    for (run, values) in bytes.chunks(inner.max(1)).enumerate() {
        let value = |byte: &u8| if is_signed { i32::from(*byte as i8) } else { i32::from(*byte) };
        let all: i32 = values.iter().map(value).fold(0, i32::wrapping_add);
        if let Some(sum) = sums.get_mut(run % count.max(1)) {
            *sum = sum.wrapping_add(all);
        }
    }
    Tensor::from_vec(&[shape[*axis]], sums).ok()
}
