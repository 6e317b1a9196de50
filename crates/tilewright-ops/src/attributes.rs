//! Attributes and scalar arguments of a call, as rules read them.

use tilewright_expr::Expr;
use tilewright_ir::Attr;
use tilewright_ir::op::{InferError, OpCall};
use tilewright_ir::relax::{ExprKind, StructInfo};
use tilewright_tensor::DataType;

fn missing(call: &OpCall<'_>, name: &str) -> InferError {
    InferError::new(format!("`{}` needs the attribute `{name}`", call.op.name))
}

pub fn int(call: &OpCall<'_>, name: &str) -> Result<i64, InferError> {
    call.attr(name).and_then(Attr::as_int).ok_or_else(|| missing(call, name))
}

pub fn float(call: &OpCall<'_>, name: &str) -> Result<f64, InferError> {
    match call.attr(name) {
        Some(Attr::Float(value)) => Ok(value.0),
        Some(Attr::Int(value)) => Ok(*value as f64),
        _ => Err(missing(call, name)),
    }
}

pub fn flag(call: &OpCall<'_>, name: &str) -> bool {
    matches!(call.attr(name), Some(Attr::Bool(true)))
}

pub fn text<'a>(call: &'a OpCall<'_>, name: &str) -> &'a str {
    match call.attr(name) {
        Some(Attr::Str(text)) => text,
        _ => "",
    }
}

pub fn ints(call: &OpCall<'_>, name: &str) -> Result<Vec<i64>, InferError> {
    call.attr(name).and_then(Attr::as_ints).ok_or_else(|| missing(call, name))
}

/// A data type; `None` where it is not given (`void`).
pub fn dtype(call: &OpCall<'_>, name: &str) -> Result<Option<DataType>, InferError> {
    match call.attr(name) {
        Some(Attr::DType(dtype)) if dtype.is_void() => Ok(None),
        Some(Attr::DType(dtype)) if dtype.is_scalar() && !dtype.is_handle() => Ok(Some(*dtype)),
        _ => Err(InferError::new(format!("`{}` needs the data type of an element as `{name}`", call.op.name))),
    }
}

/// A dimension counted from the start; the attribute or argument may count it from the end.
pub fn axis(call: &OpCall<'_>, axis: i64, rank: usize) -> Result<usize, InferError> {
    let from_start = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    usize::try_from(from_start).ok().filter(|axis| *axis < rank).ok_or_else(|| {
        InferError::new(format!("`{}`: a tensor of {rank} dimensions has no dimension {axis}", call.op.name))
    })
}

/// Several dimensions counted from the start, in order of their mention, each once.
pub fn axes(call: &OpCall<'_>, given: &[i64], rank: usize) -> Result<Vec<usize>, InferError> {
    let mut axes = Vec::with_capacity(given.len());
    for &one in given {
        let one = axis(call, one, rank)?;
        if axes.contains(&one) {
            return Err(InferError::new(format!("`{}`: dimension {one} occurs twice in {given:?}", call.op.name)));
        }
        axes.push(one);
    }
    Ok(axes)
}

/// The dimension that an attribute names.
pub fn axis_attr(call: &OpCall<'_>, name: &str, rank: usize) -> Result<usize, InferError> {
    axis(call, int(call, name)?, rank)
}

/// The value of a scalar argument; `None` where it is left out.
pub fn optional_scalar(call: &OpCall<'_>, arg: usize) -> Result<Option<Expr>, InferError> {
    match call.args.get(arg).map(|arg| &arg.struct_info) {
        Some(StructInfo::Prim { value: Some(value), .. }) => Ok(Some(value.clone())),
        Some(StructInfo::Tuple(fields)) if fields.is_empty() => Ok(None),
        _ => Err(unknown(call, arg)),
    }
}

/// The value of a scalar argument.
pub fn scalar(call: &OpCall<'_>, arg: usize) -> Result<Expr, InferError> {
    optional_scalar(call, arg)?.ok_or_else(|| unknown(call, arg))
}

fn unknown(call: &OpCall<'_>, arg: usize) -> InferError {
    let name = call.op.args.get(arg).map_or("?", |def| def.name);
    InferError::at(arg, format!("the value of the scalar `{name}` of `{}` must be known here", call.op.name))
}

/// The scalars of a tuple argument; `None` where it is left out.
pub fn scalars(call: &OpCall<'_>, arg: usize) -> Result<Option<Vec<Expr>>, InferError> {
    let Some(given) = call.args.get(arg) else { return Ok(None) };
    let infos: Vec<&StructInfo> = match (&given.kind, &given.struct_info) {
        (ExprKind::Tuple(fields), _) => fields.iter().map(|field| &field.struct_info).collect(),
        (_, StructInfo::Tuple(infos)) => infos.iter().collect(),
        _ => return Err(unknown(call, arg)),
    };
    if infos.is_empty() {
        return Ok(None);
    }
    let value = |info: &&StructInfo| match info {
        StructInfo::Prim { value: Some(value), dtype } if dtype.is_int() => value.cast(DataType::I64).ok(),
        _ => None,
    };
    infos.iter().map(value).collect::<Option<Vec<_>>>().map(Some).ok_or_else(|| {
        let name = call.op.args.get(arg).map_or("?", |def| def.name);
        InferError::at(
            arg,
            format!("`{name}` of `{}` must be a tuple of integers whose values are known", call.op.name),
        )
    })
}

/// The dimensions of a shape argument, as far as known.
pub fn shape<'a>(call: &'a OpCall<'_>, arg: usize) -> Result<&'a tilewright_ir::relax::TensorShape, InferError> {
    match call.args.get(arg).map(|arg| &arg.struct_info) {
        Some(StructInfo::Shape(shape)) => Ok(shape),
        _ => Err(InferError::at(arg, format!("`{}` needs a shape", call.op.name))),
    }
}
