//! Python's own expressions in which values of the script occur: `f(x)` with a function of Python, `len(A.shape)`,
//! `[g(i) for g in makers]`.
//!
//! Python evaluates the text; the names in it that the script has given a value are handed over as objects of the IR.
//! What comes back is spliced in. Values of the graph that come back may only be made of those handed over.

use ruff_python_ast as ast;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use tilewright_ir::node::{AnyHandle as _, walk};
use tilewright_ir::relax::{self, ExprKind};
use tilewright_support::{Map, Set, with_stack};

use super::HostValue;
use super::cx::{Parser, Reported, Res};
use super::value::Value;

/// The plain names of an expression.
#[derive(Default)]
struct Plain(Set<String>);

impl<'e> Visitor<'e> for Plain {
    fn visit_expr(&mut self, expr: &'e ast::Expr) {
        if let ast::Expr::Name(name) = expr {
            self.0.insert(name.id.to_string());
        }
        walk_expr(self, expr);
    }
}

/// Values by name.
pub(super) type Locals = Vec<(String, HostValue)>;

impl Parser<'_> {
    /// What the script's own names in an expression of Python mean.
    pub(super) fn locals(&mut self, expr: &ast::Expr) -> Res<Locals> {
        let mut plain = Plain::default();
        plain.visit_expr(expr);
        let mut names: Vec<String> = plain.0.into_iter().collect();
        names.sort();
        let mut locals = Vec::new();
        for name in names {
            let value = match self.scopes.get(&name) {
                Some(Value::Poison) => return Err(Reported),
                Some(value) => self.handed_over(value),
                None if !self.functions.module.is_empty() && self.functions.module == name => {
                    Some(HostValue::Module(self.functions.signatures()))
                }
                None => None,
            };
            locals.extend(value.map(|value| (name, value)));
        }
        Ok(locals)
    }

    /// The value as the host sees it, if it can.
    fn handed_over(&self, value: &Value) -> Option<HostValue> {
        Some(match value {
            Value::None => HostValue::None,
            Value::Bool(value) => HostValue::Bool(*value),
            Value::Int(value) => HostValue::Int(*value),
            Value::Float(value) => HostValue::Float(*value),
            Value::Str(text) => HostValue::Str(text.to_string()),
            Value::DType(dtype) => HostValue::DType(*dtype),
            Value::Tuple(items) => {
                HostValue::Tuple(with_stack(|| items.iter().map(|item| self.handed_over(item)).collect::<Option<_>>())?)
            }
            Value::Dict(items) => {
                let items = items.iter().map(|(key, value)| Some((key.to_string(), self.handed_over(value)?)));
                HostValue::Dict(items.collect::<Option<_>>()?)
            }
            Value::Scalar(expr) => HostValue::Scalar(expr.clone()),
            Value::Buffer(buffer) => HostValue::Buffer(buffer.clone()),
            Value::Graph(expr) => HostValue::Graph(expr.clone()),
            Value::Info(info) => HostValue::StructInfo(info.clone()),
            Value::Global(global) => HostValue::GlobalVar(global.clone()),
            Value::GlobalInfo(info) => HostValue::GlobalInfo(info.clone()),
            Value::Module => HostValue::Module(self.functions.signatures()),
            Value::Function(name) => {
                let found = self.functions.signatures().into_iter().find(|global| global.name == *name);
                HostValue::GlobalVar(found?)
            }
            _ => return None,
        })
    }

    /// The value that the host gives an expression, for which nothing is reported if there is none.
    pub(super) fn try_host(&mut self, expr: &ast::Expr) -> Option<Value> {
        if self.host.knows_nothing() {
            return None;
        }
        let locals = self.locals(expr).ok()?;
        let text = self.text_of(expr);
        let expression = if text.contains('\n') { format!("({text})") } else { text.to_owned() };
        let value = self.host.eval_with(&expression, &self.span(expr), &locals).ok()?;
        let value = self.taken_over(value, &locals).ok()?;
        self.normalised(expr, value).ok()
    }

    /// A value of the graph whose operands are variables and constants: those that are calls are bound first.
    pub(super) fn normalised(&mut self, node: &ast::Expr, value: Value) -> Res<Value> {
        Ok(match value {
            Value::Graph(expr) => Value::Graph(self.normal(node, &expr, &mut Map::default())?),
            Value::Tuple(items) => {
                let items = items.into_iter().map(|item| with_stack(|| self.normalised(node, item)));
                Value::Tuple(items.collect::<Res<_>>()?)
            }
            value => value,
        })
    }

    fn normal(
        &mut self,
        node: &ast::Expr,
        expr: &relax::Expr,
        bound: &mut Map<usize, relax::Expr>,
    ) -> Res<relax::Expr> {
        let mut kind = expr.kind.clone();
        let operands: Vec<&mut relax::Expr> = match &mut kind {
            ExprKind::Call { args, .. } => args.iter_mut().collect(),
            ExprKind::Tuple(fields) => fields.iter_mut().collect(),
            ExprKind::TupleGet { tuple, .. } => vec![tuple],
            _ => return Ok(expr.clone()),
        };
        let mut changed = false;
        for operand in operands {
            let leaf = match bound.get(&operand.address()) {
                Some(leaf) => leaf.clone(),
                None => {
                    let own = with_stack(|| self.normal(node, operand, bound))?;
                    let leaf = self.leaf(node, own)?;
                    bound.insert(operand.address(), leaf.clone());
                    leaf
                }
            };
            changed |= !leaf.same(operand);
            *operand = leaf;
        }
        Ok(if changed { relax::Expr::raw(expr.struct_info.clone(), kind) } else { expr.clone() })
    }

    /// What the host gave, as a value of the script.
    pub(super) fn taken_over(&self, value: HostValue, locals: &Locals) -> Result<Value, String> {
        match value {
            HostValue::GlobalVar(global) if self.functions.contains(&global.name) => Ok(Value::Function(global.name)),
            HostValue::Graph(expr) => {
                let mut known: Set<relax::Var> = Set::default();
                locals.iter().for_each(|(_, value)| variables(value, &mut |var| known.extend([var.clone()])));
                let mut strange = None;
                variables(&HostValue::Graph(expr.clone()), &mut |var| {
                    if !known.contains(var) && strange.is_none() {
                        strange = Some(var.name.clone());
                    }
                });
                match strange {
                    Some(name) => Err(format!("it uses the variable `{name}`, which is none of this function")),
                    None => Ok(Value::Graph(expr)),
                }
            }
            HostValue::Tuple(items) => {
                let items = items.into_iter().map(|item| with_stack(|| self.taken_over(item, locals)));
                Ok(Value::Tuple(items.collect::<Result<_, _>>()?))
            }
            value => Ok(value.into()),
        }
    }
}

/// The variables of the graph in a value.
fn variables(value: &HostValue, each: &mut dyn FnMut(&relax::Var)) {
    match value {
        HostValue::Graph(expr) => {
            if let Some(var) = expr.as_var() {
                each(var);
            }
            walk(expr, |var: &relax::Var| each(var));
        }
        HostValue::Tuple(items) => with_stack(|| items.iter().for_each(|item| variables(item, each))),
        HostValue::Dict(items) => with_stack(|| items.iter().for_each(|(_, item)| variables(item, each))),
        _ => {}
    }
}
