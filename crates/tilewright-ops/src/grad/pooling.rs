//! Shared by the gradients of pools over two spatial dimensions.
//!
//! An element of the data gets a contribution of each window that contains it: for each tap of a window there is at
//! most one that has the element at that tap.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::StructInfo;
use tilewright_te::topi::pooling::Pool;
use tilewright_te::{ReduceAxis, TeError, Tensor, Value, compute, reduce_axis, sum};
use tilewright_tensor::DataType;

use crate::elementwise::float;
use crate::shapes;

/// The rule: the shape and type of the data; the gradient has those of the pool's result.
pub(super) fn infer(cx: &InferCx, call: &OpCall<'_>, pool: &Pool) -> Result<StructInfo, InferError> {
    let dtype = shapes::all_of_dtype(call, &[0, 1], float)?;
    for (arg, layout) in [(0, &pool.out), (1, &pool.data)] {
        if let Some(rank) = call.tensor(arg)?.0.rank().filter(|rank| *rank != layout.rank()) {
            let (name, wanted) = (call.op.name, layout.rank());
            return Err(InferError::at(arg, format!("`{name}` needs {wanted} dimensions, found {rank}")));
        }
    }
    if let (Some(grad), Some(data)) = (call.args[0].struct_info.dims(), call.args[1].struct_info.dims()) {
        let wanted = pool.out.physical_shape(&pool.result(&pool.data.logical_shape(data)?)?)?;
        if wanted.iter().zip(grad).any(|(a, b)| cx.clash(a, b)) {
            let (wanted, grad) = (shapes::dims_text(&wanted), shapes::dims_text(grad));
            let message = format!("`{}` needs a gradient of the shape {wanted}, found {grad}", call.op.name);
            return Err(InferError::at(0, message));
        }
    }
    Ok(StructInfo::tensor_with(call.tensor(1)?.0.clone(), dtype.or(call.tensor(1)?.1)))
}

/// The taps of a window.
pub(super) fn taps(pool: &Pool) -> Vec<ReduceAxis> {
    let axis = |(d, taps): (usize, &i64)| reduce_axis(Expr::i64(0), Expr::i64(*taps), &format!("r{d}"));
    pool.window.iter().enumerate().map(axis).collect()
}

/// The index of the tap `r` of window `y` along a spatial dimension.
pub(super) fn tapped(pool: &Pool, d: usize, y: &Value, r: &Value) -> Value {
    y * pool.strides[d] + r * pool.dilation[d] - pool.padding[d]
}

/// Whether an index lies between two others, the first one included.
pub(super) fn between(index: &Value, least: impl Into<Value>, end: impl Into<Value>) -> Value {
    let (least, end): (Value, Value) = (least.into(), end.into());
    index.compare(CmpOp::Ge, least).and(index.compare(CmpOp::Lt, end))
}

/// The sums of what each element of the data gets: `share` gets the index of a window and that of the element, both by
/// axes.
pub(super) fn gathered(
    pool: &Pool,
    data: &Tensor,
    windows: &[Expr],
    dtype: DataType,
    name: &str,
    share: impl Fn(&[Value], &[Value]) -> Value,
) -> Result<Tensor, TeError> {
    let over = taps(pool);
    compute(data.shape(), name, |i| {
        let element = pool.data.logical(i);
        let mut window = element.clone();
        let mut inside: Option<Value> = None;
        for (d, r) in over.iter().enumerate() {
            let distance = &element[d + 2] + pool.padding[d] - &**r * pool.dilation[d];
            let y = distance.floor_div(pool.strides[d]);
            let begins = distance.floor_mod(pool.strides[d]).compare(CmpOp::Eq, 0);
            let own = begins.and(between(&y, Expr::i64(0), windows[d + 2].clone()));
            inside = Some(match inside {
                Some(inside) => inside.and(own),
                None => own,
            });
            window[d + 2] = y;
        }
        let share = share(&window, &element).cast(dtype);
        let zero = Value::from(Expr::float(0.0, dtype));
        let share = match inside {
            Some(inside) => inside.if_then_else(&share, &zero),
            None => share,
        };
        sum(share, &over.iter().collect::<Vec<_>>())
    })
}
