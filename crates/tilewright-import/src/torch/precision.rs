//! Rules that compute in float32 though their tensors are of a narrower float type.

use tilewright_tensor::DataType;

use super::promotion::promote_types;
use super::rule::{Precision, Rule};
use crate::common::{Args, Cx, Number, Res, Value};

/// The arguments as the rule takes them, and the type of its results where it is another one than that in which they
/// are computed.
pub(super) fn widened(cx: &mut Cx<'_>, rule: &Rule, args: &Args) -> Res<Option<(Args, DataType)>> {
    if rule.precision == Precision::Own {
        return Ok(None);
    }
    let Some(dtype) = result_type(cx, args)?.filter(|dtype| is_narrow(*dtype)) else { return Ok(None) };
    let in_float32 = match rule.precision {
        Precision::Own => false,
        Precision::Float32 => true,
        Precision::Float32ForNumbers(names) => {
            let operands = names.split_whitespace().map(|name| args.get(name));
            operands.map(|value| is_held(cx, value, dtype)).collect::<Res<Vec<_>>>()?.contains(&false)
        }
        Precision::Float32ForFactors | Precision::Float32ForRoundedFactors => {
            let factors = FACTORS.iter().filter_map(|name| Number::of(args.get(name)));
            factors.map(|factor| factor.as_f64()).any(|factor| factor != 1.0)
        }
    };
    if !in_float32 {
        return Ok(None);
    }
    let is_rounded = rule.precision == Precision::Float32ForRoundedFactors;
    let wide = args.map(|name, value| match Number::of(value) {
        Some(factor) if is_rounded && FACTORS.contains(&name) => Ok(Value::Float(rounded(factor.as_f64(), dtype))),
        _ => converted(cx, value, &is_narrow, DataType::F32),
    })?;
    // A type that the call asks for is what the rule gives.
    let dtype = if args.has("dtype") { DataType::F32 } else { dtype };
    Ok(Some((wide, dtype)))
}

/// The parameters that operands are multiplied by.
const FACTORS: [&str; 2] = ["alpha", "beta"];

/// The common type of all floats. Tensors without dimensions count where there are no others.
fn result_type(cx: &Cx<'_>, args: &Args) -> Res<Option<DataType>> {
    let mut found = [None, None];
    for value in args.values() {
        each_float(cx, value, &mut |dtype, has_dims| {
            let of_rank = &mut found[usize::from(!has_dims)];
            *of_rank = Some(of_rank.map_or(dtype, |known| promote_types(known, dtype)));
        })?;
    }
    Ok(found[0].or(found[1]))
}

/// The results in their own type.
pub(super) fn narrowed(cx: &mut Cx<'_>, value: &Value, dtype: DataType) -> Res {
    converted(cx, value, &|of| of == DataType::F32, dtype)
}

pub(super) fn is_narrow(dtype: DataType) -> bool {
    dtype == DataType::F16 || dtype == DataType::BF16
}

fn rounded(number: f64, dtype: DataType) -> f64 {
    match dtype {
        DataType::F16 => half::f16::from_f64(number).to_f64(),
        _ => half::bf16::from_f64(number).to_f64(),
    }
}

/// Whether the narrow type holds the operand: a number, or the element of a tensor without dimensions.
fn is_held(cx: &Cx<'_>, value: &Value, dtype: DataType) -> Res<bool> {
    if let Some(number) = Number::of(value).map(|number| number.as_f64()) {
        return Ok(number.is_nan() || rounded(number, dtype) == number);
    }
    let Value::Tensor(x) = value else { return Ok(true) };
    Ok(x.struct_info.rank() != Some(0) || cx.dtype(x)? == dtype || !cx.dtype(x)?.is_float())
}

fn each_float(cx: &Cx<'_>, value: &Value, see: &mut dyn FnMut(DataType, bool)) -> Res<()> {
    match value {
        Value::Tensor(x) => {
            let dtype = cx.dtype(x)?;
            if dtype.is_float() {
                see(dtype, x.struct_info.rank() != Some(0));
            }
        }
        Value::List(items) => items.iter().try_for_each(|item| each_float(cx, item, see))?,
        _ => {}
    }
    Ok(())
}

/// The value with its tensors of some types in another one.
fn converted(cx: &mut Cx<'_>, value: &Value, which: &dyn Fn(DataType) -> bool, to: DataType) -> Res<Value> {
    Ok(match value {
        Value::Tensor(x) if which(cx.dtype(x)?) && cx.dtype(x)? != to => Value::Tensor(cx.astype(x, to)?),
        Value::List(items) => Value::List(items.iter().map(|item| converted(cx, item, which, to)).collect::<Res<_>>()?),
        other => other.clone(),
    })
}
