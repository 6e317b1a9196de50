//! Comparisons, `and` and `or`, and `a if condition else b`, for both levels.

use ruff_python_ast as ast;
use tilewright_ir::tir::{BinOp, CmpOp, Expr};

use super::cx::{Parser, Reported, Res};
use super::eval::operands;
use super::value::Value;
use super::{codes, python};

impl Parser<'_> {
    pub(super) fn boolean(&mut self, expr: &ast::Expr, boolean: &ast::ExprBoolOp) -> Res<Value> {
        let values: Vec<_> = boolean.values.iter().map(|value| self.eval(value)).collect();
        let mut values = values.into_iter().collect::<Res<Vec<_>>>()?.into_iter();
        let Some(first) = values.next() else { return self.outside(expr) };
        let op = if boolean.op == ast::BoolOp::And { BinOp::And } else { BinOp::Or };
        values.try_fold(first, |a, b| match (&a, &b) {
            (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(if op == BinOp::And { *a && *b } else { *a || *b })),
            _ => {
                let (a, b) = self.unify(operands(expr), a, b)?;
                let result = Expr::binary(op, &a, &b);
                self.typed(expr, result)
            }
        })
    }

    pub(super) fn comparison(&mut self, expr: &ast::Expr, compare: &ast::ExprCompare) -> Res<Value> {
        let mut left = self.eval(&compare.left)?;
        let mut all: Option<Value> = None;
        for (op, right) in compare.ops.iter().zip(&compare.comparators) {
            let right = self.eval(right)?;
            let one = self.compare_two(expr, *op, left, right.clone())?;
            all = Some(match (all, one) {
                (None, one) => one,
                (Some(Value::Bool(a)), Value::Bool(b)) => Value::Bool(a && b),
                (Some(a), b) => {
                    let (a, b) = self.unify(operands(expr), a, b)?;
                    let both = Expr::binary(BinOp::And, &a, &b);
                    self.typed(expr, both)?
                }
            });
            left = right;
        }
        all.ok_or(Reported)
    }

    fn compare_two(&mut self, expr: &ast::Expr, op: ast::CmpOp, a: Value, b: Value) -> Res<Value> {
        if matches!(a, Value::Graph(_)) || matches!(b, Value::Graph(_)) {
            return self.graph_comparison(expr, op, operands(expr), a, b);
        }
        if a.is_literal()
            && b.is_literal()
            && let Some(result) = python::compare(op, &a, &b)
        {
            return Ok(Value::Bool(result));
        }
        if let Some(result) = plainly(op, &a, &b) {
            return Ok(Value::Bool(result));
        }
        let op = match op {
            ast::CmpOp::Eq => CmpOp::Eq,
            ast::CmpOp::NotEq => CmpOp::Ne,
            ast::CmpOp::Lt => CmpOp::Lt,
            ast::CmpOp::LtE => CmpOp::Le,
            ast::CmpOp::Gt => CmpOp::Gt,
            ast::CmpOp::GtE => CmpOp::Ge,
            ast::CmpOp::Is | ast::CmpOp::IsNot | ast::CmpOp::In | ast::CmpOp::NotIn => {
                let message = format!("`{}` is not defined for values of a script", op.as_str());
                return Err(self.fail(codes::FORM, expr, message, ""));
            }
        };
        let (a, b) = self.unify(operands(expr), a, b)?;
        let result = Expr::compare(op, &a, &b);
        self.typed(expr, result)
    }

    pub(super) fn choice(&mut self, expr: &ast::Expr, choice: &ast::ExprIf) -> Res<Value> {
        let condition = match self.eval(&choice.test)? {
            Value::Bool(true) => return self.eval(&choice.body),
            Value::Bool(false) => return self.eval(&choice.orelse),
            Value::Scalar(condition) => condition,
            other => return Err(self.wrong_kind(&*choice.test, "a scalar bool", &other)),
        };
        let (a, b) = (self.eval(&choice.body), self.eval(&choice.orelse));
        let (a, b) = self.unify(operands(expr), a?, b?)?;
        let result = Expr::call(tilewright_ir::tir::Intrinsic::IfThenElse, &[condition, a, b]);
        self.typed(expr, result)
    }
}

/// What Python says of values that are no numbers.
fn plainly(op: ast::CmpOp, a: &Value, b: &Value) -> Option<bool> {
    let same = |a: &Value, b: &Value| match (a, b) {
        (Value::None, Value::None) => Some(true),
        (Value::Scalar(_) | Value::Graph(_), Value::None) | (Value::None, Value::Scalar(_) | Value::Graph(_)) => None,
        (Value::None, _) | (_, Value::None) => Some(false),
        (Value::Str(a), Value::Str(b)) => Some(a == b),
        (Value::DType(a), Value::DType(b)) => Some(a == b),
        (Value::DType(dtype), Value::Str(text)) | (Value::Str(text), Value::DType(dtype)) => {
            Some(text.parse() == Ok(*dtype))
        }
        (a, b) if a.is_literal() && b.is_literal() => python::compare(ast::CmpOp::Eq, a, b),
        _ => None,
    };
    match (op, b) {
        (ast::CmpOp::Eq | ast::CmpOp::Is, _) => same(a, b),
        (ast::CmpOp::NotEq | ast::CmpOp::IsNot, _) => same(a, b).map(|same| !same),
        (ast::CmpOp::In, Value::Tuple(items)) => Some(items.iter().any(|item| same(a, item) == Some(true))),
        (ast::CmpOp::NotIn, Value::Tuple(items)) => Some(!items.iter().any(|item| same(a, item) == Some(true))),
        _ => None,
    }
}
