//! Relax functions: from a decorated function to a graph.
//!
//! Reading order: this file (headers and bodies), [`stmt`] (bindings and blocks), [`info`] (struct infos and symbolic
//! dimensions), [`calls`] (the functions of `R` and calls of functions).
//!
//! Arguments of calls are variables, constants and tuples of these: nested expressions are bound to variables of their
//! own first, in the order of evaluation.

mod branch;
mod calls;
mod constant;
mod index_map;
mod infix;
mod info;
mod inspect;
mod operators;
mod stmt;

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::TextRange;
use tilewright_expr as scalar;
use tilewright_ir::op::InferError;
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var,
};
use tilewright_ir::tir::attr_names;
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Diagnostic, Map, NearSet, Origins, Set, Span};

use super::codes;
use super::cx::{Parser, Reported, Res};
use super::module::Decorator;
use super::value::{Value, describe_info};
pub(super) use operators::all_names;

/// Operands of a wrong call whose struct infos a message shows.
const MOST_OPERANDS: usize = 4;

/// The state of the Relax function that is being read.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Finished blocks.
    blocks: Vec<BindingBlock>,
    /// The block that is being read.
    current: Vec<Binding>,
    /// The dataflow block that is being read.
    dataflow: Option<Dataflow>,
    /// Symbolic dimensions by name.
    dims: Map<Arc<str>, scalar::Var>,
    /// Whether an unknown name of a dimension defines one here.
    defining: bool,
    /// The names of dimensions that the body declares as sizes.
    sizes: Set<String>,
    /// Dimensions that `n = T.int64()` introduces, with their locations.
    declared: Vec<(scalar::Var, TextRange)>,
    /// Dimensions that casts define.
    defined: NearSet<scalar::Var>,
    attrs: Attrs,
    /// Said by the decorator.
    pure: Option<bool>,
    /// The function is pure, whatever its calls say of themselves.
    forced: bool,
    /// The location of the first side effect.
    impure: Option<Span>,
    /// Whether a misplaced `return` has been reported.
    returned: bool,
    /// Numbers of names made up in `current` and before.
    made_up: usize,
}

#[derive(Debug)]
struct Dataflow {
    /// Names that `R.output` gives out.
    outputs: Set<String>,
}

/// The header of a Relax function, before its body.
#[derive(Debug)]
pub(super) struct Header {
    params: Vec<Var>,
    dims: Map<Arc<str>, scalar::Var>,
    ret: Option<StructInfo>,
    decorator: Decorator,
}

impl Header {
    /// The signature, if the result is annotated; pure unless the decorator says otherwise.
    pub(super) fn signature(&self) -> Option<StructInfo> {
        let params = self.params.iter().map(|param| param.struct_info.clone()).collect();
        let ret = Box::new(self.ret.clone()?);
        Some(StructInfo::Func { params: Some(params), ret, pure: self.decorator.pure.unwrap_or(true) })
    }

    /// Whether the signature is known without the body.
    pub(super) fn says_all(&self) -> bool {
        self.ret.is_some() && self.decorator.pure.is_some()
    }
}

impl Parser<'_> {
    /// Reads the parameters and the annotation of the result.
    pub(super) fn header(&mut self, def: &ast::StmtFunctionDef, decorator: &Decorator) -> Res<Header> {
        let errors = self.errors();
        let outer = std::mem::take(&mut self.graph);
        self.graph.defining = true;
        self.graph.sizes = self.declared_sizes(&def.body);
        let parameters = &def.parameters;
        for extra in parameters.vararg.iter().chain(&parameters.kwarg) {
            self.fail(codes::FORM, &**extra, "a function of a script has a fixed number of parameters", "");
        }
        let mut params: Vec<Var> = Vec::new();
        let mut known: Set<&str> = Set::default();
        for parameter in parameters.iter_non_variadic_params() {
            let name = &parameter.parameter.name;
            if let Some(default) = &parameter.default {
                self.fail(codes::FORM, &**default, format!("parameter `{name}` cannot have a default"), "");
            }
            if !known.insert(name.as_str()) {
                self.fail(codes::BOUND_TWICE, name, format!("two parameters are called `{name}`"), "");
            }
            let info = match &parameter.parameter.annotation {
                Some(annotation) => self.info(annotation),
                None => {
                    let label = format!("such as `{name}: {}((1, 4), \"float32\")`", self.spell("script.relax.Tensor"));
                    let message = format!("parameter `{name}` needs an annotation");
                    Err(self.fail(codes::ARGUMENTS, &parameter.parameter, message, label))
                }
            };
            if let Ok(info) = info {
                params.push(Var::new(name.as_str(), info));
            }
        }
        self.graph.defining = false;
        self.check_header(parameters, &params);
        let ret = def.returns.as_ref().map(|returns| self.info(returns));
        let graph = std::mem::replace(&mut self.graph, outer);
        if self.errors() > errors {
            return Err(Reported);
        }
        Ok(Header { params, dims: graph.dims, ret: ret.transpose()?, decorator: decorator.clone() })
    }

    /// The names in statements such as `n = T.int64(is_size_var=True)`, which say of what sort a parameter's dimensions
    /// are.
    fn declared_sizes(&self, body: &[ast::Stmt]) -> Set<String> {
        let mut sizes = Set::default();
        let mut look = |target: &ast::Expr, value: &ast::Expr| {
            if let (Some(name), Some((path, call))) = (target.as_name_expr(), self.call_path(value))
                && path.starts_with("script.tir.")
                && says_size(call)
            {
                sizes.insert(name.id.to_string());
            }
        };
        for stmt in body {
            let ast::Stmt::Assign(assign) = stmt else { continue };
            match (assign.targets.as_slice(), &*assign.value) {
                ([ast::Expr::Tuple(names)], ast::Expr::Tuple(values)) => {
                    names.elts.iter().zip(&values.elts).for_each(|(name, value)| look(name, value));
                }
                ([name], value) => look(name, value),
                _ => {}
            }
        }
        sizes
    }

    /// A dimension is known from a parameter in which it is a bare variable.
    fn check_header(&mut self, node: &ast::Parameters, params: &[Var]) {
        let mut defined = NearSet::default();
        params.iter().for_each(|param| info::defined(&param.struct_info, &mut defined));
        let mut unknown: Vec<String> = Vec::new();
        unknown.extend(self.graph.dims.values().filter(|var| !defined.contains(*var)).map(|var| var.name.to_string()));
        unknown.sort();
        for name in unknown {
            let message = format!("no parameter says what `{name}` is");
            self.fail(codes::UNKNOWN_NAME, node, message, "one dimension has to be this name alone");
        }
    }

    /// Reads a body after its header.
    pub(super) fn relax_body(&mut self, def: &ast::StmtFunctionDef, header: Header) -> Res<Function> {
        // A function is read also when another one asks for its result: the context of that call does not count here.
        let around = self.scopes.interrupt();
        let read = self.function(def, header);
        self.scopes.resume(around);
        let mut function = read?;
        let Decorator { private, .. } = self.functions_decorator(def);
        if private {
            function.attrs.remove(attr_names::GLOBAL_SYMBOL);
        } else {
            let symbol = || Attr::str(def.name.as_str());
            function.attrs.entry(attr_names::GLOBAL_SYMBOL.into()).or_insert_with(symbol);
        }
        Ok(function)
    }

    fn functions_decorator(&mut self, def: &ast::StmtFunctionDef) -> Decorator {
        let said = self.decorator(def);
        said.ok().flatten().unwrap_or(Decorator {
            kind: super::module::Kind::Relax,
            private: false,
            pure: None,
            forced: false,
            unchecked: false,
        })
    }

    /// Reads a function below the names in scope; no symbol is added.
    fn function(&mut self, def: &ast::StmtFunctionDef, header: Header) -> Res<Function> {
        let Header { params, dims, ret, decorator } = header;
        let of_params: NearSet<scalar::Var> = dims.values().cloned().collect();
        let errors = self.errors();
        let outer = std::mem::take(&mut self.graph);
        self.graph.dims = dims;
        self.graph.pure = if decorator.forced { None } else { decorator.pure };
        let body = self.scoped(|parser| {
            for param in &params {
                parser.scopes.define(&param.name, Value::Graph(Expr::var(param)));
            }
            parser.graph_body(def)
        });
        let graph = std::mem::replace(&mut self.graph, outer);
        let undefined = graph.declared.iter().filter(|(var, _)| !decorator.unchecked && !graph.defined.contains(var));
        for (var, span) in undefined {
            let label = "define it by a cast, or as a dimension of a parameter";
            self.fail(codes::UNKNOWN_NAME, span, format!("nothing gives `{}` a value", var.name), label);
        }
        let (mut body, mut ret) = (body, ret);
        if let (Ok(body), Some(ret)) = (&mut body, &mut ret) {
            self.cast_result(def, body, ret);
        }
        let ret = match (&body, ret) {
            (Ok(body), Some(ret)) => self.check_result(def, &body.result, ret),
            (Ok(body), None) => {
                let own = graph.dims.values().filter(|var| !of_params.contains(*var)).cloned().collect();
                Ok(info::without(&body.result.struct_info, &own))
            }
            (Err(reported), _) => Err(*reported),
        };
        if self.errors() > errors {
            return Err(Reported);
        }
        let pure = decorator.pure.unwrap_or(graph.forced || graph.impure.is_none());
        let origins = self.origins(def);
        Ok(Function { params, body: body?, ret: ret?, pure, attrs: graph.attrs, origins })
    }

    /// The blocks and the result of a function.
    fn graph_body(&mut self, def: &ast::StmtFunctionDef) -> Res<SeqExpr> {
        let mut result = None;
        for (at, stmt) in def.body.iter().enumerate() {
            match stmt {
                ast::Stmt::Return(stmt) => {
                    result = Some(self.return_value(stmt));
                    if let Some(rest) = def.body.get(at + 1) {
                        self.fail(codes::RETURN, rest, "no statement may follow `return`", "");
                    }
                    break;
                }
                stmt => {
                    let read = self.graph_statement(stmt);
                    self.told(stmt, read);
                }
            }
        }
        self.close_block(false);
        match result {
            Some(result) => Ok(SeqExpr { blocks: std::mem::take(&mut self.graph.blocks), result: result? }),
            None if self.graph.returned => Err(Reported),
            None => {
                let message = format!("function `{}` returns nothing", def.name);
                Err(self.fail(codes::RETURN, &def.name, message, "its last statement has to be `return`"))
            }
        }
    }

    fn return_value(&mut self, stmt: &ast::StmtReturn) -> Res<Expr> {
        let Some(value) = &stmt.value else {
            return Err(self.fail(codes::RETURN, stmt, "`return` needs a value", ""));
        };
        let spread = self.unstarred(value)?;
        let result = self.graph_expr(spread.as_ref().unwrap_or(value))?;
        self.leaf(value, result)
    }

    /// A cast of a result of which the function's annotation says more than is known.
    fn cast_result(&self, def: &ast::StmtFunctionDef, body: &mut SeqExpr, ret: &StructInfo) {
        let found = &body.result.struct_info;
        if self.mismatch(ret, found).is_none() || self.contradiction(ret, found).is_some() {
            return;
        }
        let var = Var::new("result", ret.clone());
        let value = BindingValue::MatchCast { value: body.result.clone(), struct_info: ret.clone() };
        let binding = Binding { value, var: var.clone(), origins: self.origins(def) };
        match body.blocks.last_mut() {
            Some(last) if !last.dataflow => last.bindings.push(binding),
            _ => body.blocks.push(BindingBlock { dataflow: false, bindings: vec![binding] }),
        }
        body.result = Expr::var(&var);
    }

    /// The annotation of a function's result, checked against what is returned.
    fn check_result(&mut self, def: &ast::StmtFunctionDef, result: &Expr, ret: StructInfo) -> Res<StructInfo> {
        let node = def.returns.as_deref();
        let mismatch = self.contradiction(&ret, &result.struct_info);
        match (mismatch, node) {
            (Some(reason), Some(node)) => {
                let found = super::value::describe_info(&result.struct_info);
                let message = format!("the result of `{}` is not what its annotation says: {reason}", def.name);
                let mut diagnostic = Diagnostic::error(codes::STRUCT_INFO, message)
                    .at(self.span(node))
                    .label(format!("returned is {found}"));
                if let Some(stmt) = def.body.iter().rev().find_map(|stmt| stmt.as_return_stmt()) {
                    diagnostic = diagnostic.also(self.span(stmt), "returned here");
                }
                Err(self.report(diagnostic))
            }
            _ => Ok(ret),
        }
    }

    /// Ends the block that is being read.
    fn close_block(&mut self, dataflow: bool) {
        let bindings = std::mem::take(&mut self.graph.current);
        match self.graph.blocks.last_mut() {
            _ if bindings.is_empty() => {}
            // An empty block between them is dropped: one block is printed then.
            Some(last) if !last.dataflow && !dataflow => last.bindings.extend(bindings),
            _ => self.graph.blocks.push(BindingBlock { dataflow, bindings }),
        }
    }

    /// Binds a value to a new variable of the current block.
    fn emit(&mut self, name: &str, value: Expr, info: Option<StructInfo>, origins: Origins) -> Res<Var> {
        self.check_effects(&value, &origins)?;
        let info = info.unwrap_or_else(|| value.struct_info.clone());
        let var = self.new_var(name, info);
        self.graph.current.push(Binding::new(var.clone(), value, origins));
        Ok(var)
    }

    fn new_var(&self, name: &str, info: StructInfo) -> Var {
        let name: Arc<str> = name.into();
        match &self.graph.dataflow {
            Some(dataflow) if !dataflow.outputs.contains(&*name) => Var::dataflow(name, info),
            _ => Var::new(name, info),
        }
    }

    fn push_match_cast(&mut self, var: Var, value: Expr, struct_info: StructInfo, origins: Origins) {
        self.graph.current.push(Binding { value: BindingValue::MatchCast { value, struct_info }, var, origins });
    }

    /// A side effect is allowed outside of dataflow blocks, in functions that are not said to be pure.
    fn check_effects(&mut self, value: &Expr, origins: &Origins) -> Res<()> {
        if value.is_pure() {
            return Ok(());
        }
        let Some(span) = origins.first().cloned() else { return Ok(()) };
        if self.graph.dataflow.is_some() {
            let diagnostic = Diagnostic::error(codes::SIDE_EFFECT, "this call has side effects, in a dataflow block")
                .at(span)
                .help("end the block before it, and begin another one after it");
            return Err(self.report(diagnostic));
        }
        if matches!(&value.kind, ExprKind::Call { callee: Callee::Op(op), .. } if !op.has_effect()) {
            return Ok(());
        }
        if self.graph.pure == Some(true) && !self.graph.forced {
            let diagnostic = Diagnostic::error(codes::SIDE_EFFECT, "this call has side effects, in a pure function")
                .at(span)
                .help("say `pure=False` in the function's decorator");
            return Err(self.report(diagnostic));
        }
        self.graph.impure.get_or_insert(span);
        Ok(())
    }

    /// The value itself if a call can take it as an argument, else a variable that is bound to it.
    pub(super) fn leaf(&mut self, node: &ast::Expr, value: Expr) -> Res<Expr> {
        match &value.kind {
            ExprKind::Call { .. } | ExprKind::If { .. } | ExprKind::TupleGet { .. } | ExprKind::Function(_) => {
                let base = if self.graph.dataflow.is_some() { "lv" } else { "gv" };
                let name = match self.graph.made_up {
                    0 => base.to_owned(),
                    n => format!("{base}{n}"),
                };
                self.graph.made_up += 1;
                let origins = self.origins(node);
                let var = self.emit(&name, value, None, origins)?;
                Ok(Expr::var(&var))
            }
            ExprKind::Tuple(fields) => {
                let leaves: Vec<Expr> = fields.iter().map(|f| self.leaf(node, f.clone())).collect::<Res<_>>()?;
                let unchanged = fields.iter().zip(&leaves).all(|(a, b)| a.same(b));
                Ok(if unchanged { value.clone() } else { Expr::tuple(leaves) })
            }
            _ => Ok(value),
        }
    }

    /// Reports what an inference rule found wrong, at the argument that it names.
    pub(super) fn inferred(
        &mut self,
        expr: &ast::Expr,
        args: &[&ast::Expr],
        result: Result<Expr, InferError>,
    ) -> Res<Expr> {
        result.map_err(|InferError { message, arg }| {
            let node = arg.and_then(|arg| args.get(arg)).copied().unwrap_or(expr);
            let mut diagnostic = Diagnostic::error(codes::STRUCT_INFO, message).at(self.span(node));
            for &operand in args.iter().take(MOST_OPERANDS) {
                let Some((what, bound)) = self.inferred_before(operand) else { continue };
                diagnostic = match std::ptr::eq(operand, node) {
                    true => diagnostic.label(what),
                    false => diagnostic.also(self.span(operand), what),
                };
                if let Some(bound) = bound {
                    diagnostic = diagnostic.also(bound, "inferred from this");
                }
            }
            self.report(diagnostic)
        })
    }

    /// The known type of an operand that is a variable, and the location where it was bound in this function.
    fn inferred_before(&self, operand: &ast::Expr) -> Option<(String, Option<Span>)> {
        let ast::Expr::Name(name) = operand else { return None };
        let Some(Value::Graph(value)) = self.scopes.get(&name.id) else { return None };
        let blocks = self.graph.blocks.iter().flat_map(|block| &block.bindings);
        let bound = value.as_var().and_then(|var| blocks.chain(&self.graph.current).find(|b| b.var.id() == var.id()));
        let origin = bound.and_then(|binding| binding.origins.first()).cloned();
        Some((describe_info(&value.struct_info), origin))
    }
}

/// Whether a call that names a type says of the variable that it is a size.
fn says_size(call: &ast::ExprCall) -> bool {
    let keyword = call.arguments.find_keyword("is_size_var");
    keyword.is_some_and(|keyword| matches!(&keyword.value, ast::Expr::BooleanLiteral(literal) if literal.value))
}
