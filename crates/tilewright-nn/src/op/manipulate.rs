//! Shapes: rearranging, picking and making elements.

use tilewright_ir::Attr;
use tilewright_ir::relax::Expr;
use tilewright_ops::{create, indexed, manipulate, nn};
use tilewright_tensor::DataType;

use super::call::{constant, scalar};
use super::table::op_fns;
use super::{Arg, Call, Value};
use crate::Result;

op_fns! {
    TABLE;
    /// The tensor with a dimension of 1 at this position.
    unsqueeze(x: Tensor, dim -> axis: Int) -> Tensor = manipulate::expand_dims::OP;
    /// The tensor without these dimensions of 1, without `axis` without any of them.
    squeeze(x: Tensor; axis: OptionalIntOrInts = Int(-1)) -> Tensor = manipulate::squeeze::OP;
    /// The tensors concatenated along an axis.
    concat(x: Tensors, dim -> axis: Int) -> Tensor = manipulate::concat::OP;
    /// The parts between these indices along an axis, or so many equal parts.
    split(ary: Tensor, indices_or_sections: IntOrInts; axis: Int = Int(0)) -> Tensors = manipulate::split::OP;
    /// So many equal parts along an axis.
    chunk(x: Tensor, chunks -> indices_or_sections: Int; dim -> axis: Int = Int(0)) -> Tensors = manipulate::split::OP;
    /// The elements in another shape, in which one dimension may be -1.
    reshape(x: Tensor, shape: Shape) -> Tensor = manipulate::reshape::OP;
    /// The elements repeated along new dimensions and along dimensions of 1.
    broadcast_to(x: Tensor, shape: Shape) -> Tensor = manipulate::broadcast_to::OP;
    /// The axes in another order, without `axes` the reverse.
    permute_dims(x: Tensor; axes: OptionalInts = Nothing) -> Tensor = manipulate::permute_dims::OP;
    /// The axes in another order.
    permute(x: Tensor, axes: OptionalInts) -> Tensor = manipulate::permute_dims::OP;
    /// Every element several times along an axis, or along the flat tensor.
    repeat(x: Tensor, repeats: Int; axis: OptionalInt = Nothing) -> Tensor = manipulate::repeat::OP;
    /// The slices with these indices along an axis, or elements of the flat tensor.
    take(x: Tensor, indices: Tensor; axis: OptionalInt = Nothing) -> Tensor = indexed::take::OP;
    /// The tensor with elements added before and after each axis: `pad` has both numbers for axis after axis.
    pad(
        x: Tensor, pad -> pad_width: Ints;
        mode -> pad_mode: Str = Str("constant"), value -> pad_value: Float = Int(0)
    ) -> Tensor = nn::pad::OP;
    /// The elements on and above a diagonal; the others are 0.
    triu(x: Tensor; diagonal -> k: Int = Int(0)) -> Tensor = create::triu::OP;
    /// The elements on and below a diagonal; the others are 0.
    tril(x: Tensor; diagonal -> k: Int = Int(0)) -> Tensor = create::tril::OP;
    /// One value, a number or a tensor without dimensions, everywhere.
    full[graph](shape: Shape, fill_value: Operand; dtype: DType = Str("float32")) -> Tensor => filled;
    /// 0 everywhere.
    zeros[graph](shape: Shape; dtype: DType = Str("float32")) -> Tensor = create::zeros::OP;
    /// 1 everywhere.
    ones[graph](shape: Shape; dtype: DType = Str("float32")) -> Tensor = create::ones::OP;
    /// A tensor whose elements mean nothing: 0, which is the same in every run.
    empty[graph](shape: Shape; dtype: DType = Str("float32")) -> Tensor = create::zeros::OP;
    /// The numbers from `start`, or 0, up to and without `end`; each may be an integer expression.
    arange[graph](
        start: Any;
        end: Any = Nothing, step: Any = Int(1), dtype: OptionalDType = Str("float32")
    ) -> Tensor => range;
}

fn filled(call: &Call<'_>) -> Result<Value> {
    let (shape, dtype) = (call.shape("shape")?, call.dtype("dtype")?);
    let value = match call.optional("fill_value") {
        Ok(Some(tensor)) => tensor.clone(),
        _ => {
            let number = call.attr("fill_value")?;
            let dtype = if dtype.is_void() { own_type(number) } else { dtype };
            constant(call.graph, &Arg::Attr(number.clone()), dtype)?
        }
    };
    let args = vec![shape, value.expr().clone()];
    call.graph.call(&create::full::OP, args, [("dtype", Attr::DType(dtype))], call.name).map(Into::into)
}

/// The data type of a number for which none is said.
fn own_type(number: &Attr) -> DataType {
    match number {
        Attr::Bool(_) => DataType::BOOL,
        Attr::Int(value) if i32::try_from(*value).is_err() => DataType::I64,
        Attr::Int(_) => DataType::I32,
        _ => DataType::F32,
    }
}

fn range(call: &Call<'_>) -> Result<Value> {
    let dtype: DataType = call.dtype("dtype")?;
    let number = |name: &str| -> Result<Expr> {
        match call.attr(name)? {
            Attr::None => Ok(Expr::tuple(Vec::new())),
            attr => {
                let value = scalar(attr).ok_or_else(|| call.refused(format_args!("`{name}` is a number")))?;
                Ok(Expr::prim(value))
            }
        }
    };
    let args = vec![number("start")?, number("end")?, number("step")?];
    call.graph.call(&create::arange::OP, args, [("dtype", Attr::DType(dtype))], call.name).map(Into::into)
}
