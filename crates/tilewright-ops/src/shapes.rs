//! Rules about shapes and element types that the inference of many ops shares.

use tilewright_expr::{CmpOp, Expr, ExprKind};
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape, VDevice};
use tilewright_tensor::DataType;

use crate::attributes;
use crate::elementwise::{Takes, check_dtype};

pub use tilewright_ir::verify::show_dim as dim_text;

/// Dimensions as users write them: `(3, n)`.
pub fn dims_text(dims: &[Expr]) -> String {
    let comma = if dims.len() == 1 { "," } else { "" };
    format!("({}{comma})", dims.iter().map(dim_text).collect::<Vec<_>>().join(", "))
}

/// An analyser that knows that sizes are not negative.
pub fn of_sizes(cx: &InferCx, sizes: &[Expr]) -> InferCx {
    let mut known = InferCx::default();
    known.analyzer = cx.analyzer.clone();
    for size in sizes {
        match size.as_var() {
            Some(var) => known.analyzer.learn_least(var.id(), 0),
            None if size.as_int().is_some() => {}
            None => known.analyzer.assume(&Expr::raw(
                DataType::BOOL,
                ExprKind::Compare(CmpOp::Ge, size.clone(), Expr::int(0, size.dtype)),
            )),
        }
    }
    known
}

/// The number of dimensions, where known.
pub fn rank(shape: &TensorShape) -> Option<usize> {
    match shape {
        TensorShape::Known(dims) => Some(dims.len()),
        TensorShape::Rank(rank) => Some(*rank),
        TensorShape::Unknown => None,
    }
}

/// The broadcast of two dimensions; `Ok(None)` if it is known at run time only.
fn broadcast_dim(cx: &InferCx, a: &Expr, b: &Expr) -> Result<Option<Expr>, ()> {
    match (a.as_int(), b.as_int()) {
        (Some(1), _) => Ok(Some(b.clone())),
        (_, Some(1)) => Ok(Some(a.clone())),
        _ if cx.analyzer.prove_equal(a, b) => Ok(Some(if b.as_int().is_some() { b.clone() } else { a.clone() })),
        (Some(_), Some(_)) => Err(()),
        _ => Ok(None),
    }
}

/// The broadcast of dimensions, aligned at the end; `Ok(None)` if it is known at run time only. The error says
/// which do not fit.
pub fn broadcast_dims(cx: &InferCx, a: &[Expr], b: &[Expr]) -> Result<Option<Vec<Expr>>, String> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let (leading, aligned) = long.split_at(long.len() - short.len());
    let mut dims = Some(leading.to_vec());
    for (x, y) in aligned.iter().zip(short) {
        let dim = broadcast_dim(cx, x, y).map_err(|()| {
            format!(
                "shapes {} and {} do not broadcast: {} and {} differ and neither is 1",
                dims_text(a),
                dims_text(b),
                dim_text(x),
                dim_text(y)
            )
        })?;
        dims = dims.zip(dim).map(|(mut dims, dim)| {
            dims.push(dim);
            dims
        });
    }
    Ok(dims)
}

/// The broadcast of shapes, as far as known.
pub fn broadcast(cx: &InferCx, a: &TensorShape, b: &TensorShape) -> Result<TensorShape, String> {
    let ranks = rank(a).zip(rank(b)).map(|(a, b)| a.max(b));
    let unknown = ranks.map_or(TensorShape::Unknown, TensorShape::Rank);
    match (a, b) {
        (TensorShape::Known(a), TensorShape::Known(b)) => {
            Ok(broadcast_dims(cx, a, b)?.map_or(unknown, TensorShape::Known))
        }
        _ => Ok(unknown),
    }
}

/// The one element type of both operands, where known.
pub fn same_dtype(call: &OpCall<'_>, a: Option<DataType>, b: Option<DataType>) -> Result<Option<DataType>, InferError> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => {
            Err(InferError::at(1, format!("operands of `{}` must have one data type, found {a} and {b}", call.op.name)))
        }
        (Some(a), Some(_)) => Ok(Some(a)),
        _ => Ok(None),
    }
}

/// The one element type of several arguments, each of which the op takes.
pub fn all_of_dtype(call: &OpCall<'_>, args: &[usize], takes: Takes) -> Result<Option<DataType>, InferError> {
    let (mut first, mut all_known) = (None, true);
    for &arg in args {
        let dtype = call.tensor(arg)?.1;
        check_dtype(call, arg, dtype, takes)?;
        all_known &= dtype.is_some();
        match (first, dtype) {
            (Some(a), Some(b)) if a != b => {
                let name = call.op.name;
                let message = format!("operands of `{name}` must have one data type, found {a} and {b}");
                return Err(InferError::at(arg, message));
            }
            (None, _) => first = dtype,
            _ => {}
        }
    }
    Ok(first.filter(|_| all_known))
}

/// The broadcast of the shapes of several arguments, as far as known.
pub fn broadcast_args(cx: &InferCx, call: &OpCall<'_>, args: &[usize]) -> Result<TensorShape, InferError> {
    let mut shape = TensorShape::Known(Vec::new());
    for &arg in args {
        shape = broadcast(cx, &shape, call.tensor(arg)?.0)
            .map_err(|why| InferError::at(arg, format!("`{}`: {why}", call.op.name)))?;
    }
    Ok(shape)
}

/// The shape where all dimensions are known, else what `dims` makes of a rank, else nothing.
pub fn map_shape(
    shape: &TensorShape,
    known: impl FnOnce(&[Expr]) -> Result<Vec<Expr>, InferError>,
    rank: impl FnOnce(usize) -> Result<usize, InferError>,
) -> Result<TensorShape, InferError> {
    Ok(match shape {
        TensorShape::Known(dims) => TensorShape::Known(known(dims)?),
        TensorShape::Rank(ndim) => TensorShape::Rank(rank(*ndim)?),
        TensorShape::Unknown => TensorShape::Unknown,
    })
}

/// The rule of ops that keep the shape and type of their tensor and name one of its dimensions as `axis`.
pub fn infer_axis_kept(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    if let Some(rank) = shape.rank() {
        attributes::axis_attr(call, "axis", rank)?;
    }
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

/// The tensors of a tuple that have one rank and one element type.
#[derive(Debug)]
pub struct Fields<'a> {
    shapes: Vec<&'a TensorShape>,
    /// Known if that of any is.
    pub rank: Option<usize>,
    /// Known if that of each is.
    pub dtype: Option<DataType>,
}

impl Fields<'_> {
    /// The dimensions of each, if all are known.
    pub fn known(&self) -> Option<Vec<&[Expr]>> {
        fn dims(shape: &TensorShape) -> Option<&[Expr]> {
            match shape {
                TensorShape::Known(dims) => Some(dims),
                TensorShape::Rank(_) | TensorShape::Unknown => None,
            }
        }
        self.shapes.iter().map(|shape| dims(shape)).collect()
    }
}

/// The tensors of the tuple that is the call's first argument.
pub fn alike_fields<'a>(call: &OpCall<'a>) -> Result<Fields<'a>, InferError> {
    let name = call.op.name;
    let infos: &[StructInfo] = match call.args.first().map(|arg| &arg.struct_info) {
        Some(StructInfo::Tuple(infos)) if !infos.is_empty() => infos,
        _ => return Err(InferError::at(0, format!("`{name}` needs a tuple of at least one tensor"))),
    };
    let mut fields = Fields { shapes: Vec::new(), rank: None, dtype: None };
    let mut every = true;
    for (i, info) in infos.iter().enumerate() {
        let StructInfo::Tensor { shape, dtype, .. } = info else {
            return Err(InferError::at(0, format!("`{name}` takes tensors; field {i} of the tuple is none")));
        };
        if let (Some(a), Some(b)) = (fields.rank, shape.rank())
            && a != b
        {
            return Err(InferError::at(0, format!("`{name}`: field {i} has {b} dimensions, those before it {a}")));
        }
        if let (Some(a), Some(b)) = (fields.dtype, *dtype)
            && a != b
        {
            return Err(InferError::at(0, format!("`{name}`: field {i} is of {b}, those before it of {a}")));
        }
        fields.shapes.push(shape);
        fields.rank = fields.rank.or(shape.rank());
        every &= dtype.is_some();
        fields.dtype = fields.dtype.or(*dtype);
    }
    fields.dtype = fields.dtype.filter(|_| every);
    Ok(fields)
}

/// Whether a dimension that must have elements has none. If that is not known, the rule assumes that it has some.
pub fn is_empty(cx: &InferCx, extent: &Expr) -> bool {
    cx.exceeds(&Expr::int(1, extent.dtype), extent)
}

/// Refuses shapes that differ elsewhere than in one dimension.
pub fn check_equal_dims(
    cx: &InferCx,
    call: &OpCall<'_>,
    a: &[Expr],
    b: &[Expr],
    but: Option<usize>,
) -> Result<(), InferError> {
    let differ = |at: &usize| Some(*at) != but && cx.clash(&a[*at], &b[*at]);
    match (0..a.len().min(b.len())).find(differ) {
        None => Ok(()),
        Some(at) => Err(InferError::at(
            0,
            format!("`{}`: shapes {} and {} differ in dimension {at}", call.op.name, dims_text(a), dims_text(b)),
        )),
    }
}

/// Refuses indices (`inner`) that are larger than what they index (`outer`) in another dimension than `axis`; with an
/// axis that there is not, those of another shape.
pub fn check_inside(
    cx: &InferCx,
    call: &OpCall<'_>,
    outer: usize,
    inner: usize,
    axis: usize,
) -> Result<(), InferError> {
    let (TensorShape::Known(a), TensorShape::Known(b)) = (call.tensor(outer)?.0, call.tensor(inner)?.0) else {
        return Ok(());
    };
    let larger = |at: &usize| *at != axis && cx.exceeds(&b[*at], &a[*at]);
    match (0..a.len().min(b.len())).find(larger) {
        None => Ok(()),
        Some(at) => Err(InferError::at(
            inner,
            format!("`{}`: in dimension {at} shape {} is larger than {}", call.op.name, dims_text(b), dims_text(a)),
        )),
    }
}

/// The dimensions of an argument, which legalisation needs to know.
pub fn dims_of(call: &OpCall<'_>, arg: usize) -> Result<Vec<Expr>, InferError> {
    match call.tensor(arg)?.0 {
        TensorShape::Known(dims) => Ok(dims.clone()),
        TensorShape::Rank(_) | TensorShape::Unknown => Err(InferError::at(
            arg,
            format!("the shape of an argument of `{}` is not known here; `R.match_cast` can state it", call.op.name),
        )),
    }
}

/// The product of dimensions.
pub fn product(cx: &InferCx, dims: &[Expr]) -> Expr {
    cx.analyzer.simplify(&dims.iter().fold(Expr::i64(1), |product, dim| product * dim.clone()))
}

/// The product of dimensions in their order, without a look at what they are.
pub fn product_in_order(dims: &[Expr]) -> Expr {
    let one = |dim: &&Expr| dim.as_int() != Some(1);
    let product = dims.iter().filter(one).cloned().reduce(|product, dim| match (product.as_int(), dim.as_int()) {
        (Some(0), _) | (_, Some(0)) => Expr::i64(0),
        (Some(a), Some(b)) if a.checked_mul(b).is_some() => Expr::i64(a * b),
        _ => product * dim,
    });
    product.unwrap_or(Expr::i64(1))
}

/// The dimensions of the call's result, which legalisation needs to know.
pub fn result_dims(call: &OpCall<'_>) -> Result<Vec<Expr>, InferError> {
    let info = (call.op.infer)(&InferCx::default(), call)?;
    info.dims().map(<[Expr]>::to_vec).ok_or_else(|| {
        InferError::new(format!(
            "the shape of the result of `{}` is not known here; `R.match_cast` on its operands can state it",
            call.op.name
        ))
    })
}

/// The rule of ops that make a tensor of the shape in their argument number `shape` and the attribute `dtype`.
pub fn infer_allocated(call: &OpCall<'_>, shape: usize) -> Result<StructInfo, InferError> {
    let dtype = match call.attr("dtype") {
        Some(Attr::DType(dtype)) if !dtype.is_handle() && dtype.is_scalar() => *dtype,
        _ => return Err(InferError::new(format!("`{}` needs the data type of an element", call.op.name))),
    };
    match call.args.get(shape).map(|arg| &arg.struct_info) {
        Some(StructInfo::Shape(shape)) => {
            if let TensorShape::Known(dims) = shape
                && let Some(negative) = dims.iter().find_map(|dim| dim.as_int().filter(|dim| *dim < 0))
            {
                return Err(InferError::new(format!("a tensor cannot have a dimension of {negative}")));
            }
            Ok(StructInfo::tensor_with(shape.clone(), Some(dtype)))
        }
        _ => Err(InferError::at(shape, format!("`{}` needs a shape", call.op.name))),
    }
}

/// The rule of ops whose only argument is the shape of a new tensor.
pub fn infer_allocation(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    infer_allocated(call, 0)
}

/// The rule of ops that give their first argument on the device of their attribute `dst_vdevice`.
pub fn infer_on_device(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let device = call.attr("dst_vdevice").and_then(VDevice::of_attr);
    if device.is_none() {
        return Err(InferError::new(format!("`{}` needs a device", call.op.name)));
    }
    Ok(StructInfo::Tensor { shape: shape.clone(), dtype, vdevice: device })
}

/// The rule of ops that give their first argument, a tensor, as it is.
pub fn infer_same(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    Ok(StructInfo::tensor_with(shape.clone(), dtype))
}

/// The bytes that a tensor of constant shape takes, if that is a number.
pub fn allocation_bytes(info: &StructInfo) -> Option<i64> {
    let element = i64::try_from(info.dtype()?.bytes()).ok()?;
    info.dims()?.iter().try_fold(element, |bytes, dim| bytes.checked_mul(dim.as_int()?))
}
