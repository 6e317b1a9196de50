//! Python's operators between values of a graph: `x + y` is `R.add(x, y)`, and so on for each operator that has a name.

use ruff_python_ast as ast;
use ruff_python_ast::{CmpOp, Operator, UnaryOp};
use tilewright_ir::op::OpRef;

use crate::parse::cx::{Parser, Res};
use crate::parse::value::Value;

/// The graph's operator that does what Python's does.
fn of_infix(op: Operator) -> Option<OpRef> {
    tilewright_ops::lookup(match op {
        Operator::Add => "add",
        Operator::Sub => "subtract",
        Operator::Mult => "multiply",
        Operator::Div => "divide",
        Operator::FloorDiv => "floor_divide",
        Operator::Mod => "floor_mod",
        Operator::Pow => "power",
        _ => return None,
    })
}

/// The same of comparisons. Equality is not among them: in Python it asks whether two values are one.
fn of_comparison(op: CmpOp) -> Option<OpRef> {
    tilewright_ops::lookup(match op {
        CmpOp::Lt => "less",
        CmpOp::LtE => "less_equal",
        CmpOp::Gt => "greater",
        CmpOp::GtE => "greater_equal",
        _ => return None,
    })
}

impl Parser<'_> {
    /// `a op b`, of which one side at least is a value of a graph.
    pub(in crate::parse) fn graph_binary(
        &mut self,
        expr: &ast::Expr,
        op: Operator,
        nodes: [&ast::Expr; 2],
        a: Value,
        b: Value,
    ) -> Res<Value> {
        match of_infix(op) {
            Some(op) => self.operator_on(expr, op, &nodes, vec![a, b]),
            None => Err(self.graph_infix(expr)),
        }
    }

    /// `a < b`, of which one side at least is a value of a graph.
    pub(in crate::parse) fn graph_comparison(
        &mut self,
        expr: &ast::Expr,
        op: CmpOp,
        nodes: [&ast::Expr; 2],
        a: Value,
        b: Value,
    ) -> Res<Value> {
        match of_comparison(op) {
            Some(op) => self.operator_on(expr, op, &nodes, vec![a, b]),
            None => Err(self.graph_infix(expr)),
        }
    }

    /// `-x` of a value of a graph.
    pub(in crate::parse) fn graph_unary(&mut self, expr: &ast::Expr, unary: &ast::ExprUnaryOp, x: Value) -> Res<Value> {
        match (unary.op, tilewright_ops::lookup("negative")) {
            (UnaryOp::USub, Some(op)) => self.operator_on(expr, op, &[&unary.operand], vec![x]),
            _ => Err(self.graph_infix(expr)),
        }
    }
}
