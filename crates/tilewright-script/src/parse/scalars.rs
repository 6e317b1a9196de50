//! Scalars: literals that take a type, data types, and what constructors find wrong.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_ir::tir::{Buffer, Expr, TypeMismatch};
use tilewright_support::Diagnostic;
use tilewright_tensor::DataType;

use super::codes;
use super::cx::{Parser, Reported, Res};
use super::value::Value;

impl Parser<'_> {
    /// Reports what a constructor found wrong.
    pub(super) fn typed(&mut self, expr: &impl Ranged, result: Result<Expr, TypeMismatch>) -> Res<Value> {
        self.checked(expr, result).map(Value::Scalar)
    }

    /// Reports what a constructor found wrong.
    pub(super) fn checked<T>(&mut self, expr: &impl Ranged, result: Result<T, TypeMismatch>) -> Res<T> {
        result.map_err(|TypeMismatch(message)| self.fail(codes::DTYPE, expr, message, ""))
    }

    /// Two scalars; a literal takes the type of the other operand.
    pub(super) fn unify(&mut self, nodes: [&ast::Expr; 2], a: Value, b: Value) -> Res<(Expr, Expr)> {
        let (hint_a, hint_b) = (dtype_of(&a), dtype_of(&b));
        let a = self.scalar_value(nodes[0], a, hint_b)?;
        let b = self.scalar_value(nodes[1], b, hint_a)?;
        Ok((a, b))
    }

    /// The value as a scalar expression. A literal takes the type `hint` if it can, else `int32`, `float32` or `bool`
    /// (`int64` where `int32` is too small).
    pub(super) fn scalar_value(&mut self, expr: &impl Ranged, value: Value, hint: Option<DataType>) -> Res<Expr> {
        let dtype = hint.unwrap_or(DataType::VOID);
        match &value {
            Value::Scalar(scalar) => Ok(scalar.clone()),
            Value::Int(number) if dtype.is_int() || dtype.is_float() => self.constant_of(expr, *number, dtype),
            Value::Int(number) => {
                let dtype = if i32::try_from(*number).is_ok() { DataType::I32 } else { DataType::I64 };
                self.constant_of(expr, *number, dtype)
            }
            Value::Float(number) if dtype.is_float() => Ok(Expr::float(*number, dtype)),
            Value::Float(number) => Ok(Expr::float(*number, DataType::F32)),
            Value::Bool(value) if dtype.is_int() || dtype.is_float() => {
                self.constant_of(expr, i128::from(*value), dtype)
            }
            Value::Bool(value) => Ok(Expr::int(i64::from(*value), DataType::BOOL.with_lanes(dtype.lanes.max(1)))),
            Value::Str(text) => Ok(Expr::str(text.clone())),
            Value::Buffer(buffer) => {
                let diagnostic =
                    Diagnostic::error(codes::KIND, format!("expected a scalar, found the buffer `{}`", buffer.name))
                        .at(self.span(expr))
                        .help(index_help(buffer));
                Err(self.report(diagnostic))
            }
            other => Err(self.wrong_kind(expr, "a scalar", other)),
        }
    }

    /// An integer as a constant of a type that holds it.
    pub(super) fn constant_of(&mut self, expr: &impl Ranged, number: i128, dtype: DataType) -> Res<Expr> {
        if dtype.is_float() {
            let float = |_| Expr::float(number as f64, dtype);
            return Ok(i64::try_from(number).map_or_else(float, |number| Expr::number(number, dtype)));
        }
        if !fits(number, dtype.element()) {
            let message = format!("{number} is out of the range of {}", dtype.element());
            return Err(self.fail(codes::RANGE, expr, message, ""));
        }
        // A `uint64` is given by its bits.
        Ok(Expr::int(number as i64, dtype))
    }

    /// A scalar from the text; a literal takes the type `hint`.
    pub(super) fn scalar(&mut self, expr: &ast::Expr, hint: Option<DataType>) -> Res<Expr> {
        let value = self.eval(expr)?;
        self.scalar_value(expr, value, hint)
    }

    /// The data type that a value names.
    pub(super) fn dtype(&mut self, expr: &ast::Expr) -> Res<DataType> {
        match self.eval(expr)? {
            Value::DType(dtype) => Ok(dtype),
            Value::Str(text) => self.dtype_of_text(expr, &text),
            other => Err(self.wrong_kind(expr, "a data type such as \"float32\"", &other)),
        }
    }

    pub(super) fn dtype_of_text(&mut self, expr: &impl Ranged, text: &str) -> Res<DataType> {
        text.parse().map_err(|_| {
            let names: Vec<_> = DataType::TENSOR_ELEMENTS.iter().map(ToString::to_string).collect();
            let message = format!("unknown data type \"{text}\"");
            if let Some(usual) = super::suggest::usual_type(text) {
                let help = format!("did you mean `{usual}`?");
                return self.report(Diagnostic::error(codes::DTYPE, message).at(self.span(expr)).help(help));
            }
            self.unknown(codes::DTYPE, expr, message, text, names.iter().map(String::as_str))
        })
    }

    /// The data type of a required argument.
    pub(super) fn dtype_argument(&mut self, arg: Option<&ast::Expr>) -> Res<DataType> {
        arg.map_or(Err(Reported), |arg| self.dtype(arg))
    }

    /// The integer that a value is.
    pub(super) fn integer(&mut self, expr: &ast::Expr) -> Res<i64> {
        let value = self.eval(expr)?;
        let integer = match &value {
            Value::Int(number) => i64::try_from(*number).ok(),
            Value::Scalar(scalar) => scalar.as_int(),
            _ => None,
        };
        integer.ok_or_else(|| self.wrong_kind(expr, "a constant integer", &value))
    }

    /// The text that a value is.
    pub(super) fn string(&mut self, expr: &ast::Expr) -> Res<Arc<str>> {
        match self.eval(expr)? {
            Value::Str(text) => Ok(text),
            other => Err(self.wrong_kind(expr, "a text", &other)),
        }
    }
}

/// The type of a literal as the other operand of this value.
fn dtype_of(value: &Value) -> Option<DataType> {
    match value {
        Value::Scalar(scalar) => Some(scalar.dtype),
        _ => None,
    }
}

fn fits(number: i128, dtype: DataType) -> bool {
    let bits = u32::from(dtype.bits);
    if dtype.is_bool() {
        return (0..=1).contains(&number);
    }
    if dtype.is_signed() {
        let half = 1i128 << (bits - 1);
        return (-half..half).contains(&number);
    }
    (0..1i128 << bits).contains(&number)
}

fn index_help(buffer: &Buffer) -> String {
    let indices = if buffer.rank() == 0 { "()".to_owned() } else { vec!["…"; buffer.rank()].join(", ") };
    format!("index it: `{}[{indices}]`", buffer.name)
}
