//! Ones on a diagonal.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_te::Value;
use tilewright_tensor::DataType;

use super::{legalize_by_index, moved};
use crate::attributes;

op! {
    /// A matrix of zeros with ones on a diagonal.
    "eye" {
        args: {
            n: Scalar, "The number of rows.";
            m: OptionalScalar, "The number of columns; that of the rows where it is left out.";
        }
        attrs: {
            k: Int = AttrDefault::Int(0), "The diagonal: 0 the main one, more to the right.";
            dtype: DType = AttrDefault::DType(DataType::F32), "The data type of an element.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(|call| {
            let k = attributes::int(call, "k")?;
            legalize_by_index(call, |i, dtype| match i {
                [row, column] => {
                    let [one, zero] = [1, 0].map(|value| Value::from(Expr::number(value, dtype)));
                    let column = if k == 0 { column.clone() } else { moved(column, -k) };
                    row.compare(CmpOp::Eq, &column).if_then_else(&one, &zero)
                }
                _ => Expr::number(0, dtype).into(),
            })
        }),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "eye", "eye",
    }
}

/// A number of rows or columns.
fn extent(arg: usize, value: &Expr) -> Result<Expr, InferError> {
    match value.as_int() {
        _ if !value.dtype.is_int() => Err(InferError::at(arg, format!("`eye` takes integers, found {}", value.dtype))),
        Some(size) if size < 0 => Err(InferError::at(arg, format!("a tensor cannot have a dimension of {size}"))),
        _ => value.cast(DataType::I64).map_err(|error| InferError::at(arg, error.0)),
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let rows = extent(0, &attributes::scalar(call, 0)?)?;
    let columns = match attributes::optional_scalar(call, 1)? {
        Some(columns) => extent(1, &columns)?,
        None => rows.clone(),
    };
    let dtype = attributes::dtype(call, "dtype")?;
    Ok(StructInfo::tensor_with(tilewright_ir::relax::TensorShape::Known(vec![rows, columns]), dtype))
}
