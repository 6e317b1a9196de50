//! Calls of operators, through the one table of them.

use ruff_python_ast as ast;
use tilewright_ir::op::{ArgDef, ArgKind, OpRef};
use tilewright_ir::relax::Expr;
use tilewright_ir::{Attr, Attrs};
use tilewright_support::Diagnostic;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// The functions of `R` that are no operators.
pub(super) const OTHERS: [&str; 28] = [
    "function",
    "dataflow",
    "output",
    "func_attr",
    "match_cast",
    "call_tir",
    "call_tir_inplace",
    "call_tir_with_grad",
    "call_dps_packed",
    "call_packed",
    "call_pure_packed",
    "call_inplace_packed",
    "call_builtin_with_ctx",
    "invoke_closure",
    "invoke_pure_closure",
    "const",
    "shape",
    "prim_value",
    "str",
    "dtype",
    "tuple",
    "ExternFunc",
    "Tensor",
    "Shape",
    "Prim",
    "Tuple",
    "Callable",
    "Object",
];

/// Functions of the field's language that have no node in this version's IR.
const NOT_YET: &[&str] = &["make_closure", "to_vdevice", "macro"];

impl Parser<'_> {
    /// An unknown name of `R`.
    pub(in crate::parse) fn unknown_relax(&mut self, expr: &ast::Expr, name: &str) -> Reported {
        let text = self.text_of(expr).to_owned();
        if tilewright_ops::lookup(name).is_some() || OTHERS.contains(&name) {
            return self.fail(codes::KIND, expr, format!("expected a value, found the function `{text}`"), "call it");
        }
        if NOT_YET.contains(&name) {
            return self.fail(codes::NOT_YET, expr, format!("`{text}` is not read by this version"), "");
        }
        let known = OTHERS.iter().copied().chain(tilewright_ops::all().map(|op| op.0.name));
        let known: Vec<String> = known.map(|name| self.spell(&format!("script.relax.{name}"))).collect();
        let message = format!("unknown function `{text}`");
        self.unknown(codes::UNKNOWN_FUNCTION, expr, message, &text, known.iter().map(String::as_str))
    }

    /// A call of an operator: positional arguments are its arguments, then its attributes; both may be given by name.
    pub(super) fn operator(&mut self, expr: &ast::Expr, op: OpRef, call: &ast::ExprCall) -> Res<Value> {
        let names: Vec<&'static str> =
            op.args.iter().map(|arg| arg.name).chain(op.attrs.iter().map(|attr| attr.name)).collect();
        let required = op.args.iter().take_while(|arg| arg.kind != ArgKind::OptionalTensor).count();
        let bound = self.bind(call, &names, required)?;
        let (given_args, given_attrs) = bound.split_at(op.args.len());
        let mut nodes = Vec::new();
        let mut args: Vec<Res<Expr>> = Vec::new();
        for (def, node) in op.args.iter().zip(given_args) {
            nodes.push(node.unwrap_or(expr));
            args.push(match node {
                Some(node) => self.operand(def, node),
                None => Ok(Expr::tuple(Vec::new())),
            });
        }
        let mut attrs = Attrs::new();
        let mut failed = None;
        for (def, node) in op.attrs.iter().zip(given_attrs) {
            let Some(node) = node else { continue };
            match self.attribute_value(def.name, node) {
                Ok(value) => {
                    attrs.insert(def.name.into(), value);
                }
                Err(reported) => failed = Some(reported),
            }
        }
        let args = args.into_iter().collect::<Res<Vec<_>>>()?;
        if let Some(reported) = failed {
            return Err(reported);
        }
        let result = Expr::call_op(&self.infer, op, args, attrs);
        self.inferred(expr, &nodes, result).map(Value::Graph)
    }

    fn operand(&mut self, def: &ArgDef, node: &ast::Expr) -> Res<Expr> {
        let value = self.eval(node)?;
        match (def.kind, value) {
            (ArgKind::Shape, value @ Value::Tuple(_)) => {
                let dims = self.dims_of(node, value)?;
                Ok(Expr::shape(dims.unwrap_or_default()))
            }
            (ArgKind::OptionalTensor, Value::None) => Ok(Expr::tuple(Vec::new())),
            (ArgKind::Tensor | ArgKind::OptionalTensor, value) if value.is_literal() => {
                let text = self.text_of(node).to_owned();
                let constant = self.spell("script.relax.const");
                let message = format!("argument `{}` is a tensor, found {}", def.name, value.describe());
                let diagnostic = Diagnostic::error(codes::KIND, message)
                    .at(self.span(node))
                    .help(format!("write a constant: `{constant}({text}, \"float32\")`"));
                Err(self.report(diagnostic))
            }
            (_, value) => {
                let value = self.graph_value(node, value)?;
                self.leaf(node, value)
            }
        }
    }

    pub(super) fn attribute_value(&mut self, name: &str, node: &ast::Expr) -> Res<Attr> {
        let value = self.eval(node)?;
        let attr = match &value {
            // A typed integer means its number.
            Value::Scalar(scalar) if scalar.as_int().is_some() && scalar.dtype.is_int() => {
                scalar.as_int().map(Attr::Int)
            }
            value => value.to_attr(),
        };
        attr.ok_or_else(|| {
            let expected = format!("a plain value as the attribute `{name}`");
            self.wrong_kind(node, &expected, &value)
        })
    }

    /// Python's operators are not those of a graph.
    pub(in crate::parse) fn graph_infix(&mut self, expr: &ast::Expr) -> Reported {
        let diagnostic = Diagnostic::error(codes::FORM, "values of a graph are combined by operators with names")
            .at(self.span(expr))
            .help("write the operator's call, such as `R.add(a, b)`");
        self.report(diagnostic)
    }
}
