//! Elements: constants, conversions between data types, and choices.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::r#where;
use tilewright_ops::create::{arange, astype};
use tilewright_ops::system::shape_to_tensor;
use tilewright_ops::unary::clip;
use tilewright_tensor::{DataType, Tensor};

use super::cx::{Cx, Op, ToAttr};
use super::value::{Number, Refused, Res, Value};

/// Data types and constants.
impl Cx<'_> {
    /// A tensor without dimensions that holds a number: a float that is no integer is truncated where the data type is
    /// of integers, and a bool is whether the number is not 0.
    pub fn number(&self, number: impl Into<Number>, dtype: DataType) -> Res<Expr> {
        let number = number.into();
        let element = if dtype.is_float() {
            Tensor::from_bytes(dtype, &[], &float_bytes(number.as_f64(), dtype)?)?
        } else if dtype.is_bool() {
            Tensor::scalar(number.as_f64() != 0.0)
        } else {
            let bytes = number.as_i64().to_le_bytes();
            Tensor::from_bytes(dtype, &[], &bytes[..dtype.bytes().min(8)])?
        };
        Ok(Expr::constant(element))
    }

    pub fn astype(&self, x: &Expr, dtype: DataType) -> Res<Expr> {
        if x.struct_info.dtype() == Some(dtype) {
            return Ok(x.clone());
        }
        self.call(&astype::OP, &[x], [("dtype", dtype.to_attr())])
    }

    /// A tensor or number with elements of this type.
    pub fn operand(&self, value: &Value, dtype: DataType) -> Res<Expr> {
        match (value, Number::of(value)) {
            (Value::Tensor(x), _) => self.astype(x, dtype),
            (_, Some(number)) => self.number(number, dtype),
            (Value::Dim(dim), _) => {
                let shape = Expr::shape(vec![dim.clone()]);
                let one = self.call(&shape_to_tensor::OP, &[&shape], [])?;
                self.astype(&self.reshape(&one, Vec::new())?, dtype)
            }
            (other, None) => Err(Refused(format!("expected a tensor or a number, found {}", other.in_words()))),
        }
    }

    /// The `count` integers from 0 on.
    pub fn arange(&self, count: &scalar::Expr) -> Res<Expr> {
        let [begin, end, step] = [scalar::Expr::i64(0), count.clone(), scalar::Expr::i64(1)].map(Expr::prim);
        self.call(&arange::OP, &[&begin, &end, &step], [("dtype", DataType::I64.to_attr())])
    }

    /// An operator of a tensor and a number, which is converted to the tensor's data type.
    pub fn with_number(&self, op: Op, x: &Expr, number: impl Into<Number>) -> Res<Expr> {
        let number = self.number(number, self.dtype(x)?)?;
        self.call(op, &[x, &number], [])
    }

    pub fn clip(&self, x: &Expr, min: f64, max: f64) -> Res<Expr> {
        let bounds = [min, max].map(|bound| Expr::prim(scalar::Expr::float(bound, DataType::F64)));
        self.call(&clip::OP, &[x, &bounds[0], &bounds[1]], [])
    }

    /// `x` where the condition holds, else `y`.
    pub fn choose(&self, condition: &Expr, x: &Expr, y: &Expr) -> Res<Expr> {
        self.call(&r#where::OP, &[condition, x, y], [])
    }
}

fn float_bytes(value: f64, dtype: DataType) -> Res<Vec<u8>> {
    Ok(match dtype {
        DataType::F64 => value.to_le_bytes().to_vec(),
        DataType::F32 => (value as f32).to_le_bytes().to_vec(),
        DataType::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
        DataType::BF16 => half::bf16::from_f64(value).to_le_bytes().to_vec(),
        _ => return Err(Refused(format!("numbers of type {dtype} have no rule"))),
    })
}
