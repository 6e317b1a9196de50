//! Calls of operators, through the one table of them.

use ruff_python_ast as ast;
use tilewright_ir::op::{ArgDef, ArgKind, AttrKind, OpRef};
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::Diagnostic;
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// The functions of `R` that are no operators.
pub(super) const OTHERS: [&str; 35] = [
    "function",
    "dataflow",
    "output",
    "func_attr",
    "is_impure",
    "emit",
    "emit_with_sinfo",
    "tir_vars",
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
    "ShapeExpr",
    "TupleGetItem",
    "macro",
    "Tensor",
    "Shape",
    "Prim",
    "Tuple",
    "Callable",
    "Object",
];

/// Every name of `R`.
pub(in crate::parse) fn all_names() -> impl Iterator<Item = &'static str> {
    OTHERS.iter().copied().chain(tilewright_ops::all().map(|op| op.0.name))
}

impl Parser<'_> {
    /// An unknown name of `R`.
    pub(in crate::parse) fn unknown_relax(&mut self, expr: &ast::Expr, name: &str) -> Reported {
        let text = self.text_of(expr).to_owned();
        if tilewright_ops::lookup(name).is_some() || OTHERS.contains(&name) {
            return self.fail(codes::KIND, expr, format!("expected a value, found the function `{text}`"), "call it");
        }
        let (own, others) = (self.relax_names(), self.tir_names());
        self.unknown_function(expr, &own, &others)
    }

    /// The functions of `R`, as the file spells them.
    pub(in crate::parse) fn relax_names(&self) -> Vec<String> {
        all_names().map(|name| self.spell(&format!("script.relax.{name}"))).collect()
    }

    /// A call of an operator: positional arguments are its arguments, then its attributes; both may be given by name.
    pub(super) fn operator(&mut self, expr: &ast::Expr, op: OpRef, call: &ast::ExprCall) -> Res<Value> {
        let names: Vec<&'static str> =
            op.args.iter().map(|arg| arg.name).chain(op.attrs.iter().map(|attr| attr.name)).collect();
        let required = op.args.iter().take_while(|arg| !arg.kind.is_optional()).count();
        if op.args.last().is_some_and(|last| last.kind == ArgKind::Values) {
            return self.open_operator(expr, op, call, required);
        }
        let bound = match other_order(op, call) {
            Some(order) => self.bind_in_order(call, order, &names)?,
            None => self.bind(call, &names, required)?,
        };
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
        let attrs = self.operator_attrs(op, given_attrs);
        let args = args.into_iter().collect::<Res<Vec<_>>>()?;
        let result = Expr::call_op(&self.infer, op, args, attrs?);
        self.inferred(expr, &nodes, result).map(Value::Graph)
    }

    /// Binds arguments in another order to the names of the operator's own. Arguments for which it has no name must
    /// have the only supported value.
    fn bind_in_order<'a>(
        &mut self,
        call: &'a ast::ExprCall,
        order: &[&'static str],
        names: &[&'static str],
    ) -> Res<Vec<Option<&'a ast::Expr>>> {
        let given = self.bind(call, order, names.iter().filter(|name| order.contains(name)).count())?;
        for (name, node) in order.iter().zip(&given) {
            let Some(node) = node.filter(|_| !names.contains(name)) else { continue };
            let holds = match self.attribute_value(name, node)? {
                Attr::Int(number) => number == 0,
                Attr::Str(text) => text.is_empty() || &*text == "global" || text.parse::<DataType>().is_ok(),
                other => matches!(other, Attr::DType(_)),
            };
            if !holds {
                let message = format!("planned memory is the first device's and global, found another `{name}`");
                return Err(self.fail(codes::NOT_YET, node, message, ""));
            }
        }
        let of =
            |name: &&str| order.iter().position(|other| other == name).and_then(|at| given.get(at).copied().flatten());
        Ok(names.iter().map(of).collect())
    }

    /// A call of an operator that takes any number of arguments: all positional ones are arguments, a list among the
    /// last ones provides its items; attributes are given by name.
    fn open_operator(&mut self, expr: &ast::Expr, op: OpRef, call: &ast::ExprCall, required: usize) -> Res<Value> {
        let names: Vec<&'static str> = op.attrs.iter().map(|attr| attr.name).collect();
        let mut given: Vec<&ast::Expr> = Vec::new();
        for arg in &call.arguments.args {
            match arg {
                ast::Expr::List(list) if given.len() >= required => given.extend(&list.elts),
                arg => given.push(arg),
            }
        }
        let what = self.text_of(&*call.func).to_owned();
        let mut attrs: Vec<Option<&ast::Expr>> = vec![None; names.len()];
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().map_or("**", |name| name.as_str());
            if let Some(at) = names.iter().position(|known| *known == name) {
                attrs[at] = Some(&keyword.value);
            } else if op.args.last().is_some_and(|last| last.name == name) {
                match &keyword.value {
                    ast::Expr::List(list) => given.extend(&list.elts),
                    ast::Expr::Tuple(tuple) => given.extend(&tuple.elts),
                    one => given.push(one),
                }
            } else {
                let message = format!("`{what}` has no argument `{name}`");
                return Err(self.unknown(codes::ARGUMENTS, keyword, message, name, names.iter().copied()));
            }
        }
        if given.len() < required {
            let name = op.args[given.len()].name;
            return Err(self.fail(codes::ARGUMENTS, call, format!("`{what}` needs the argument `{name}`"), ""));
        }
        let rest = op.args.last().into_iter().cycle();
        let args: Vec<_> = given
            .iter()
            .zip(op.args.iter().take(required).chain(rest))
            .map(|(node, def)| self.operand(def, node))
            .collect();
        let attrs = self.operator_attrs(op, &attrs);
        let result = Expr::call_op(&self.infer, op, args.into_iter().collect::<Res<_>>()?, attrs?);
        self.inferred(expr, &given, result).map(Value::Graph)
    }

    fn operator_attrs(&mut self, op: OpRef, given: &[Option<&ast::Expr>]) -> Res<Attrs> {
        let mut attrs = Attrs::new();
        let mut failed = None;
        for (def, node) in op.attrs.iter().zip(given) {
            let Some(node) = node else { continue };
            let value = match def.kind {
                AttrKind::VDevice => self.device_attribute(node),
                AttrKind::IndexMap => self.index_map(node).map(Attr::IndexMap),
                AttrKind::Int => self.number_attribute(def.name, node),
                _ => self.attribute_value(def.name, node),
            };
            match value {
                Ok(value) => {
                    attrs.insert(def.name.into(), value);
                }
                Err(reported) => failed = Some(reported),
            }
        }
        failed.map_or(Ok(attrs), Err)
    }

    fn device_attribute(&mut self, node: &ast::Expr) -> Res<Attr> {
        match self.device_argument(node)? {
            Some(device) => Ok(device.to_attr()),
            None => Err(self.fail(codes::KIND, node, "expected a device, found None", "")),
        }
    }

    /// A call of an operator on values, each with its location; attributes are as usual.
    pub(super) fn operator_on(
        &mut self,
        expr: &ast::Expr,
        op: OpRef,
        nodes: &[&ast::Expr],
        values: Vec<Value>,
    ) -> Res<Value> {
        let args: Vec<_> = op
            .args
            .iter()
            .zip(nodes)
            .zip(values)
            .map(|((def, node), value)| self.operand_of(def, node, value))
            .collect();
        let result = Expr::call_op(&self.infer, op, args.into_iter().collect::<Res<_>>()?, Attrs::new());
        self.inferred(expr, nodes, result).map(Value::Graph)
    }

    fn operand(&mut self, def: &ArgDef, node: &ast::Expr) -> Res<Expr> {
        let value = self.eval(node)?;
        self.operand_of(def, node, value)
    }

    fn operand_of(&mut self, def: &ArgDef, node: &ast::Expr, value: Value) -> Res<Expr> {
        match (def.kind, value) {
            (ArgKind::Shape | ArgKind::OptionalShape, value @ Value::Tuple(_)) => {
                let dims = self.dims_of(node, value)?;
                Ok(Expr::shape(dims.unwrap_or_default()))
            }
            (ArgKind::ResultShape, Value::Tuple(items)) => {
                let dims = items.into_iter().map(|item| self.wished_dim(node, item)).collect::<Res<Vec<_>>>()?;
                Ok(Expr::shape(dims))
            }
            (kind, Value::None) if kind.is_optional() => Ok(Expr::tuple(Vec::new())),
            (ArgKind::Tensor | ArgKind::Operand | ArgKind::OptionalTensor, value) if value.is_literal() => {
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

    /// An integer, or a shape of one.
    fn number_attribute(&mut self, name: &str, node: &ast::Expr) -> Res<Attr> {
        let value = self.eval(node)?;
        let size = match &value {
            Value::Graph(expr) => match &expr.kind {
                ExprKind::Shape(dims) => dims.first().filter(|_| dims.len() == 1).cloned(),
                _ => None,
            },
            _ => None,
        };
        self.attribute_of(name, node, size.map_or(value, Value::Scalar))
    }

    pub(super) fn attribute_value(&mut self, name: &str, node: &ast::Expr) -> Res<Attr> {
        let value = self.eval(node)?;
        self.attribute_of(name, node, value)
    }

    fn attribute_of(&mut self, name: &str, node: &ast::Expr, value: Value) -> Res<Attr> {
        let attr = match &value {
            // A typed integer means its number.
            Value::Scalar(scalar) if scalar.as_int().is_some() && scalar.dtype.is_int() => {
                scalar.as_int().map(Attr::Int)
            }
            // `R.prim_value(0)`, `R.str("global")`, `R.dtype("float32")`: their values.
            Value::Graph(expr) => match &expr.kind {
                ExprKind::Prim(value) if value.dtype.is_bool() => value.as_int().map(|flag| Attr::Bool(flag != 0)),
                ExprKind::Prim(value) => value.as_int().map(Attr::Int),
                ExprKind::Str(text) => Some(Attr::Str(text.clone())),
                ExprKind::DType(dtype) => Some(Attr::DType(*dtype)),
                _ => None,
            },
            value => value.to_attr().map(plain),
        };
        attr.ok_or_else(|| {
            let expected = format!("a plain value as the attribute `{name}`");
            self.wrong_kind(node, &expected, &value)
        })
    }

    /// An operator of Python that a graph has not.
    pub(in crate::parse) fn graph_infix(&mut self, expr: &ast::Expr) -> Reported {
        let diagnostic = Diagnostic::error(codes::FORM, "values of a graph are combined by operators with names")
            .at(self.span(expr))
            .help("write the operator's call, such as `R.add(a, b)`");
        self.report(diagnostic)
    }
}

/// The order of an operator's positional arguments in the call, if it is not the operator's own.
fn other_order(op: OpRef, call: &ast::ExprCall) -> Option<&'static [&'static str]> {
    let other = op.other_order?;
    let told = call.arguments.args.get(other.position)?;
    (is_number(told) == other.is_number).then_some(other.names)
}

/// Whether the text is a number, or `R.prim_value(…)` of one.
fn is_number(node: &ast::Expr) -> bool {
    match node {
        ast::Expr::NumberLiteral(_) => true,
        ast::Expr::Call(call) => {
            matches!(&*call.func, ast::Expr::Attribute(function) if function.attr.as_str() == "prim_value")
        }
        _ => false,
    }
}

/// Constants with a type as the numbers that they are: an operator's attributes have none.
fn plain(attr: Attr) -> Attr {
    match attr {
        Attr::Expr(expr) => match &expr.kind {
            tilewright_expr::ExprKind::Int(value) if expr.dtype.is_int() => Attr::Int(*value),
            tilewright_expr::ExprKind::Float(value) => Attr::Float(*value),
            _ => Attr::Expr(expr),
        },
        Attr::Array(items) => Attr::Array(items.into_iter().map(plain).collect()),
        attr => attr,
    }
}
