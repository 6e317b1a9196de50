//! `R.const(value, dtype)`: constants in the text.

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_expr::semantics::Scalar;
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_tensor::{DataType, Tensor};

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

impl Parser<'_> {
    pub(super) fn const_call(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["value", "dtype"], 1)?;
        let node = bound[0].ok_or(Reported)?;
        let value = self.eval(node)?;
        let dtype = bound[1].filter(|node| !node.is_none_literal_expr()).map(|node| self.dtype(node)).transpose()?;
        if let Value::Graph(constant) = &value
            && let ExprKind::Constant(tensor) = &constant.kind
        {
            return match dtype {
                Some(dtype) if dtype != tensor.0.dtype() => {
                    let message = format!("a tensor of {} given as a constant of {dtype}", tensor.0.dtype());
                    Err(self.fail(codes::DTYPE, node, message, "convert it before"))
                }
                _ => Ok(value),
            };
        }
        let mut shape = Vec::new();
        let mut numbers = Vec::new();
        if !flatten(&value, 0, &mut shape, &mut numbers) {
            return Err(self.wrong_kind(node, "a number, or equally long lists of numbers", &value));
        }
        let dtype = dtype.unwrap_or_else(|| usual_type(&numbers));
        let mut bytes = Vec::new();
        for number in &numbers {
            self.append(node, number, dtype, &mut bytes)?;
        }
        let tensor = Tensor::from_bytes(dtype, &shape, &bytes);
        let tensor = tensor.map_err(|error| self.fail(codes::KIND, expr, error.to_string(), ""))?;
        Ok(Value::Graph(Expr::constant(tensor)))
    }

    /// Appends a number as an element.
    fn append(&mut self, node: &impl Ranged, number: &Value, dtype: DataType, bytes: &mut Vec<u8>) -> Res<()> {
        if !DataType::TENSOR_ELEMENTS.contains(&dtype) {
            return Err(self.fail(codes::DTYPE, node, format!("a tensor cannot hold elements of type {dtype}"), ""));
        }
        if dtype.is_float() {
            let value = match number {
                Value::Float(value) => *value,
                Value::Int(value) => *value as f64,
                Value::Bool(value) => f64::from(u8::from(*value)),
                other => return Err(self.wrong_kind(node, "a number", other)),
            };
            let bits = Scalar::from_float(value, dtype).bits();
            bytes.extend(bits.to_le_bytes().iter().take(dtype.bytes()));
            return Ok(());
        }
        let value = match number {
            Value::Int(value) => *value,
            Value::Bool(value) => i128::from(*value),
            other => {
                let message = format!("{} is no {dtype}", other.describe());
                return Err(self.fail(codes::DTYPE, node, message, ""));
            }
        };
        // This checks the range.
        self.constant_of(node, value, dtype)?;
        bytes.extend(value.to_le_bytes().iter().take(dtype.bytes()));
        Ok(())
    }
}

/// Numbers of nested lists in row-major order; false if the lists are of different lengths or hold something else.
fn flatten(value: &Value, depth: usize, shape: &mut Vec<i64>, numbers: &mut Vec<Value>) -> bool {
    match value {
        Value::Tuple(items) => {
            let length = items.len() as i64;
            if shape.len() == depth {
                // The first way down says what the shape is; a number met before that says it is shorter.
                if !numbers.is_empty() {
                    return false;
                }
                shape.push(length);
            }
            shape.get(depth) == Some(&length) && items.iter().all(|item| flatten(item, depth + 1, shape, numbers))
        }
        number if number.is_literal() => {
            numbers.push(number.clone());
            shape.len() == depth
        }
        _ => false,
    }
}

/// The type of numbers that say none.
fn usual_type(numbers: &[Value]) -> DataType {
    if numbers.iter().any(|number| matches!(number, Value::Float(_))) {
        DataType::F32
    } else if !numbers.is_empty() && numbers.iter().all(|number| matches!(number, Value::Bool(_))) {
        DataType::BOOL
    } else {
        DataType::I32
    }
}
