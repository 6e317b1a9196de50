//! The data types in which PyTorch combines elements: those of `torch.promote_types` and `torch.result_type`.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::not_equal;
use tilewright_tensor::DataType;

use crate::common::{Cx, Number, Op, Refused, Res, Value};

/// The categories of element types in the order in which one takes the other up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Category {
    Bool,
    Int,
    Float,
}

fn category(dtype: DataType) -> Category {
    match dtype {
        dtype if dtype.is_float() => Category::Float,
        dtype if dtype.is_bool() => Category::Bool,
        _ => Category::Int,
    }
}

/// The data type of a result of these two element types, neither of which is a scalar's.
pub(super) fn promote_types(a: DataType, b: DataType) -> DataType {
    if a == b {
        return a;
    }
    match category(a).cmp(&category(b)) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal => match category(a) {
            // Of two 16-bit floats neither holds the other.
            Category::Float if a.bits == b.bits => DataType::F32,
            Category::Int if a.is_signed() != b.is_signed() => {
                let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
                if signed.bits > unsigned.bits {
                    signed
                } else {
                    DataType::new(signed.code, (unsigned.bits * 2).min(64))
                }
            }
            _ if a.bits > b.bits => a,
            _ => b,
        },
    }
}

/// The data type of a result of two operands: numbers, and tensors without dimensions with others, decide only where
/// they are of a higher category.
pub(super) fn result_type(cx: &Cx<'_>, a: &Value, b: &Value) -> Res<DataType> {
    let (a, b) = (priority(cx, a)?, priority(cx, b)?);
    Ok(match (a, b) {
        ((a, priority_a), (b, priority_b)) if priority_a == priority_b => promote_types(a, b),
        ((a, priority_a), (b, priority_b)) => {
            let (strong, weak) = if priority_a > priority_b { (a, b) } else { (b, a) };
            if category(weak) > category(strong) { weak } else { strong }
        }
    })
}

/// The data type of an operand, and its priority: that of tensors with dimensions is the highest, that of numbers the
/// lowest.
fn priority(cx: &Cx<'_>, value: &Value) -> Res<(DataType, u8)> {
    Ok(match (value, Number::of(value)) {
        (Value::Tensor(x), _) => (cx.dtype(x)?, if x.struct_info.rank() == Some(0) { 1 } else { 2 }),
        (Value::Dim(_), _) | (_, Some(Number::Int(_))) => (DataType::I64, 0),
        (_, Some(Number::Bool(_))) => (DataType::BOOL, 0),
        (_, Some(Number::Float(_))) => (DataType::F32, 0),
        (other, None) => {
            return Err(Refused(format!("expected a tensor or a number, found {}", other.in_words())));
        }
    })
}

/// Two operands in the data type of their result. At least one is a tensor.
pub(super) fn promoted(cx: &Cx<'_>, a: &Value, b: &Value) -> Res<(Expr, Expr)> {
    let dtype = result_type(cx, a, b)?;
    Ok((cx.operand(a, dtype)?, cx.operand(b, dtype)?))
}

/// An operator of two operands in the data type of their result.
pub(super) fn call_promoted(cx: &Cx<'_>, op: Op, a: &Value, b: &Value) -> Res<Expr> {
    let (a, b) = promoted(cx, a, b)?;
    cx.call(op, &[&a, &b], [])
}

/// The tensor with float elements, as functions of real numbers take them.
pub(super) fn as_float(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    if cx.dtype(x)?.is_float() { Ok(x.clone()) } else { cx.astype(x, DataType::F32) }
}

/// The tensor as bools.
pub(super) fn as_bool(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    if cx.dtype(x)?.is_bool() { Ok(x.clone()) } else { cx.with_number(&not_equal::OP, x, 0i64) }
}

#[cfg(test)]
mod tests {
    use tilewright_ir::builder::BlockBuilder;
    use tilewright_ir::relax::{StructInfo, Var};

    use super::*;

    #[test]
    fn two_tensors_meet_as_in_pytorch() {
        let cases = [
            (DataType::F32, DataType::I64, DataType::F32),
            (DataType::F16, DataType::BF16, DataType::F32),
            (DataType::F16, DataType::F64, DataType::F64),
            (DataType::I8, DataType::U8, DataType::I16),
            (DataType::I32, DataType::U8, DataType::I32),
            (DataType::BOOL, DataType::U8, DataType::U8),
            (DataType::I32, DataType::I64, DataType::I64),
        ];
        for (a, b, expected) in cases {
            assert_eq!((promote_types(a, b), promote_types(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn numbers_decide_only_by_their_category() {
        let mut bb = BlockBuilder::new();
        let cx = Cx { bb: &mut bb };
        let tensor =
            |shape: &[i64], dtype| Value::Tensor(Expr::var(&Var::new("x", StructInfo::tensor_of(shape, dtype))));
        let common = |a: &Value, b: &Value| result_type(&cx, a, b).unwrap();
        assert_eq!(common(&tensor(&[2], DataType::F16), &Value::Float(1.5)), DataType::F16);
        assert_eq!(common(&tensor(&[2], DataType::I8), &Value::Int(1000)), DataType::I8);
        assert_eq!(common(&tensor(&[2], DataType::I8), &Value::Float(0.5)), DataType::F32);
        assert_eq!(common(&tensor(&[2], DataType::F32), &tensor(&[], DataType::F64)), DataType::F32);
        assert_eq!(common(&tensor(&[2], DataType::I32), &tensor(&[], DataType::F64)), DataType::F64);
        assert_eq!(common(&tensor(&[2], DataType::BOOL), &Value::Int(1)), DataType::I64);
    }
}
