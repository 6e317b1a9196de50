//! PrimFuncs: from a decorated function to TensorIR.
//!
//! Reading order: this file (parameters, the frame of a function), [`stmt`], [`store`], [`with`], [`loops`]
//! (statements), [`block`] (blocks and axes), [`buffers`], [`threads`], [`calls`] (the functions of `T`), [`sugar`]
//! (those that have no node of their own), [`foreign`] (those that leave the IR), [`macros`].

mod block;
mod buffers;
mod calls;
mod foreign;
mod indices;
mod loops;
mod macros;
mod reducer;
mod stmt;
mod store;
mod sugar;
mod threads;
mod with;

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};
use tilewright_ir::tir::{Buffer, Expr, Param, PrimFunc, Range, Stmt, StmtKind, Var, attr_names};
use tilewright_ir::{Attr, Attrs, node};
use tilewright_support::{Diagnostic, Map, Set};
use tilewright_tensor::DataType;

use super::codes;
use super::cx::{Parser, Reported, Res};
use super::module::Decorator;
use super::value::Value;
use block::Frame;
pub(super) use calls::all_names;
use macros::Expansion;
pub(super) use macros::Macro;

/// The state of the PrimFunc that is being read.
#[derive(Debug, Default)]
pub(super) struct Tir {
    params: Vec<Param>,
    /// The index of the parameter that a variable is.
    param_of: Map<node::VarId, usize>,
    attrs: Attrs,
    /// The blocks around the current statement; the first is the function itself.
    frames: Vec<Frame>,
    /// The values of loop variables in scope.
    loops: Map<node::VarId, Range>,
    /// The tags of variables of threads.
    threads: Map<node::VarId, Arc<str>>,
    expansion: Expansion,
    /// Variables that `name = T.int64()` declares, with their locations.
    declared: Vec<(Var, TextRange)>,
    /// The type of the value that the function returns.
    result: Option<DataType>,
}

impl Tir {
    fn add(&mut self, param: Param) {
        self.param_of.insert(param.var.id(), self.params.len());
        self.params.push(param);
    }
}

impl Parser<'_> {
    /// Reads a PrimFunc. Everything wrong in it is reported; then there is none.
    pub(super) fn prim_func(&mut self, def: &ast::StmtFunctionDef, decorator: &Decorator) -> Res<PrimFunc> {
        let errors = self.errors();
        let outer = std::mem::take(&mut self.tir);
        self.tir.frames.push(Frame::new(""));
        self.tir.result = def.returns.as_deref().and_then(|returns| self.result_type(returns));
        let body = self.scoped(|parser| {
            parser.parameters(&def.parameters);
            parser.suite(&def.body)
        });
        if !decorator.unchecked {
            self.check_declared(&body);
        }
        let tir = std::mem::replace(&mut self.tir, outer);
        if self.errors() > errors {
            return Err(Reported);
        }
        let Tir { params, mut attrs, mut frames, .. } = tir;
        let temporaries = frames.pop().map(|frame| frame.alloc_buffers).unwrap_or_default();
        if decorator.private {
            attrs.remove(attr_names::GLOBAL_SYMBOL);
        } else {
            attrs.entry(attr_names::GLOBAL_SYMBOL.into()).or_insert_with(|| Attr::str(def.name.as_str()));
        }
        let origins = self.origins(def);
        Ok(if needs_root(&body, &temporaries) {
            PrimFunc::with_root(params, attrs, temporaries, body, origins)
        } else {
            PrimFunc { params, attrs, body, origins }
        })
    }

    /// The type of a scalar that the function returns, by its annotation; `None` where it returns nothing.
    pub(super) fn result_type(&mut self, returns: &ast::Expr) -> Option<DataType> {
        match self.eval(returns).ok()? {
            Value::None => None,
            Value::DType(dtype) => Some(dtype).filter(|dtype| !dtype.is_void()),
            other => {
                self.wrong_kind(returns, "the type of a scalar, or None", &other);
                None
            }
        }
    }

    /// Whether a PrimFunc is being read.
    pub(super) fn in_prim_func(&self) -> bool {
        !self.tir.frames.is_empty()
    }

    /// A declared variable gets its value from the shape of a matched buffer, or from a let.
    fn check_declared(&mut self, body: &Stmt) {
        if self.tir.declared.is_empty() {
            return;
        }
        let mut defined: Set<Var> = Set::default();
        let of_buffer = |buffer: &Buffer, defined: &mut Set<Var>| {
            let parts = buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset);
            defined.extend(parts.filter_map(|part| part.as_var().cloned()));
            defined.insert(buffer.data.clone());
        };
        self.tir.params.iter().filter_map(|param| param.buffer.as_ref()).for_each(|b| of_buffer(b, &mut defined));
        let mut look = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Let { var, .. } | StmtKind::For { var, .. } => {
                defined.insert(var.clone());
            }
            StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => {
                defined.insert(buffer.data.clone());
            }
            StmtKind::Block { block, .. } => {
                block.match_buffers.iter().for_each(|matched| of_buffer(&matched.buffer, &mut defined));
            }
            _ => {}
        };
        look(body);
        node::walk(body, look);
        for (var, span) in std::mem::take(&mut self.tir.declared) {
            if !defined.contains(&var) {
                let message = format!("nothing gives `{}` a value", var.name);
                let label = "make it a dimension of a matched buffer";
                self.fail(codes::UNKNOWN_NAME, &span, message, label);
            }
        }
    }

    fn parameters(&mut self, parameters: &ast::Parameters) {
        for extra in parameters.vararg.iter().chain(&parameters.kwarg) {
            self.fail(codes::FORM, &**extra, "a function of a script has a fixed number of parameters", "");
        }
        for parameter in parameters.iter_non_variadic_params() {
            let name = parameter.parameter.name.as_str();
            if let Some(default) = &parameter.default {
                self.fail(codes::FORM, &**default, format!("parameter `{name}` cannot have a default"), "");
            }
            if self.scopes.defines_here(name) {
                self.fail(
                    codes::BOUND_TWICE,
                    &parameter.parameter.name,
                    format!("two parameters are called `{name}`"),
                    "",
                );
            }
            let value = self.parameter(&parameter.parameter).unwrap_or(Value::Poison);
            self.scopes.define(name, value);
        }
    }

    fn parameter(&mut self, parameter: &ast::Parameter) -> Res<Value> {
        let name = parameter.name.as_str();
        let Some(annotation) = &parameter.annotation else {
            let message = format!("parameter `{name}` needs an annotation");
            let label = format!("such as `{name}: {}((16,), \"float32\")`", self.spell("script.tir.Buffer"));
            return Err(self.fail(codes::ARGUMENTS, parameter, message, label));
        };
        let spread = self.unstarred(annotation)?;
        let annotation = spread.as_ref().unwrap_or(annotation);
        if let Some((path, call)) = self.call_path(annotation)
            && let Some(function) = path.strip_prefix("script.tir.")
            && let Some((dtype, size)) = self.declared_type(function, call)?
        {
            let var = if size { Var::size(name, dtype) } else { Var::new(name, dtype) };
            self.tir.add(Param::scalar(&var));
            return Ok(Value::Scalar(Expr::var(&var)));
        }
        match self.eval(annotation)? {
            Value::Buffer(buffer) => {
                let buffer = named(&buffer, name);
                self.tir.add(Param::buffer(&buffer));
                Ok(Value::Buffer(buffer))
            }
            Value::DType(dtype) => {
                let var = Var::new(name, dtype);
                self.tir.add(Param::scalar(&var));
                Ok(Value::Scalar(Expr::var(&var)))
            }
            Value::Info(_) => {
                let message = format!("parameter `{name}` of a PrimFunc is a buffer or a scalar, found a struct info");
                let help =
                    format!("functions of tensors are decorated with `@{}`", self.spell("script.relax.function"));
                Err(self.report(Diagnostic::error(codes::KIND, message).at(self.span(annotation)).help(help)))
            }
            other => {
                let expected = format!("the type of a buffer or scalar for parameter `{name}`");
                Err(self.wrong_kind(annotation, &expected, &other))
            }
        }
    }

    /// The function's own attributes.
    fn func_attr(&mut self, call: &ast::ExprCall) -> Res<()> {
        let bound = self.bind(call, &["attrs"], 1)?;
        let attrs = self.attrs_argument(bound[0])?;
        self.tir.attrs.extend(attrs);
        Ok(())
    }

    /// A dict of attributes.
    pub(super) fn attrs_argument(&mut self, arg: Option<&ast::Expr>) -> Res<Attrs> {
        let arg = arg.ok_or(Reported)?;
        let value = self.eval(arg)?;
        let attrs = match &value {
            Value::Dict(items) => super::value::to_attrs(items),
            _ => return Err(self.wrong_kind(arg, "a dict of attributes", &value)),
        };
        attrs.ok_or_else(|| {
            self.fail(codes::KIND, arg, "an attribute is a number, a text, or a list or dict of these", "")
        })
    }

    /// `A = T.match_buffer(param, shape, …)` of a handle that is a parameter; `None` if the first argument is none.
    fn matched_parameter(&mut self, name: &str, call: &ast::ExprCall) -> Res<Option<Buffer>> {
        let Some(ast::Expr::Name(first)) = call.arguments.find_argument_value("param", 0) else { return Ok(None) };
        let handle = match self.scopes.get(&first.id).cloned() {
            Some(Value::Scalar(handle)) => handle,
            Some(_) => return Ok(None),
            // Unknown, which is reported here.
            None => {
                self.outside(call.arguments.find_argument_value("param", 0).ok_or(Reported)?)?;
                return Ok(None);
            }
        };
        let at = handle.as_var().and_then(|var| self.tir.param_of.get(&var.id())).copied();
        let Some(at) = at.filter(|_| handle.dtype == DataType::HANDLE) else {
            return Err(self.fail(codes::KIND, first, format!("`{}` is no handle of a parameter", first.id), ""));
        };
        let buffer = self.buffer_call(call, name, true)?;
        if self.tir.params.get(at).is_some_and(|param| param.buffer.is_some()) {
            return Err(self.fail(
                codes::BOUND_TWICE,
                first,
                format!("`{}` is matched to a buffer already", first.id),
                "",
            ));
        }
        if let Some(param) = self.tir.params.get_mut(at) {
            param.buffer = Some(buffer.clone());
        }
        Ok(Some(buffer))
    }
}

/// The buffer under its name.
fn named(buffer: &Buffer, name: &str) -> Buffer {
    buffer.derive(|node| {
        node.name = name.into();
        node.data = Var::new(name, DataType::HANDLE);
    })
}

/// Whether the body is in an implicit root block: it holds a block or a temporary, and is no root block itself.
fn needs_root(body: &Stmt, temporaries: &[Buffer]) -> bool {
    if !temporaries.is_empty() {
        return true;
    }
    if let StmtKind::Block { block, .. } = &body.kind
        && block.iters.is_empty()
        && &*block.name == "root"
    {
        return false;
    }
    let mut found = false;
    let mut look = |stmt: &Stmt| found |= matches!(stmt.kind, StmtKind::Block { .. });
    look(body);
    node::walk(body, look);
    found
}

/// The names of assignment targets; `None` if one is no name.
fn target_names(target: &ast::Expr) -> Option<Vec<&ast::ExprName>> {
    fn name(elt: &ast::Expr) -> Option<&ast::ExprName> {
        match elt {
            ast::Expr::Starred(star) => star.value.as_name_expr(),
            elt => elt.as_name_expr(),
        }
    }
    match target {
        ast::Expr::Name(name) => Some(vec![name]),
        ast::Expr::Tuple(tuple) => tuple.elts.iter().map(name).collect(),
        ast::Expr::List(list) => list.elts.iter().map(name).collect(),
        _ => None,
    }
}

/// The range of a call's name and arguments.
fn call_range(call: &ast::ExprCall) -> TextRange {
    call.func.range().cover(call.arguments.range())
}
