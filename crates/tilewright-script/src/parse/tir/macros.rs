//! Macros: `@T.macro` functions, whose statements replace their calls.
//!
//! A name in a macro's body means what it meant where the macro was defined (`hygienic`, the default), or what it means
//! where the macro is called (`hygienic=False`). Parameters are the caller's values themselves: a buffer that is passed
//! is stored into, a scalar is not computed anew. Names bound in a macro's body are not visible after its call.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use tilewright_support::Diagnostic;

use super::stmt::Pieces;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::value::Value;

/// Calls of macros inside macros that are followed.
const MAX_DEPTH: usize = 100;

/// Calls of macros in one function: each may call others twice, so that a short text has no bound of its own.
const MAX_CALLS: usize = 100_000;

/// A macro and what its names mean.
#[derive(Debug)]
pub(in crate::parse) struct Macro {
    def: ast::StmtFunctionDef,
    hygienic: bool,
    /// The names of its body that its definition's surroundings have given a value.
    captured: Vec<(String, Value)>,
}

/// The state of the expansion of macros in a function.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    depth: usize,
    calls: usize,
}

impl Parser<'_> {
    /// Defines the macro in the current scope, if a decorator makes it one; false if none does.
    pub(in crate::parse) fn define_macro(&mut self, def: &ast::StmtFunctionDef) -> Res<bool> {
        for decorator in &def.decorator_list {
            let (function, call) = match &decorator.expression {
                ast::Expr::Call(call) => (&*call.func, Some(call)),
                plain => (plain, None),
            };
            if !matches!(
                self.path(function).as_deref(),
                Some("script.tir.macro" | "script.relax.macro" | "script.tir.inline")
            ) {
                continue;
            }
            let mut hygienic = true;
            if let Some(call) = call {
                let bound = self.bind(call, &["hygienic"], 0)?;
                if let Some(flag) = bound[0] {
                    match self.eval(flag)? {
                        Value::Bool(value) => hygienic = value,
                        other => return Err(self.wrong_kind(flag, "True or False", &other)),
                    }
                }
            }
            let captured = if hygienic { self.captures(def) } else { Vec::new() };
            let definition = Macro { def: def.clone(), hygienic, captured };
            self.scopes.define(&def.name, Value::Macro(Arc::new(definition)));
            return Ok(true);
        }
        Ok(false)
    }

    /// A function inside of a PrimFunc: a macro, or nothing that can be read.
    pub(super) fn local_macro(&mut self, def: &ast::StmtFunctionDef) -> Res<()> {
        if self.define_macro(def)? {
            return Ok(());
        }
        let label = format!("decorate it with `@{}`", self.spell("script.tir.macro"));
        Err(self.fail(codes::FORM, &def.name, "a function inside of a PrimFunc must be a macro", label))
    }

    /// The values that the names in the macro's body have now.
    fn captures(&self, def: &ast::StmtFunctionDef) -> Vec<(String, Value)> {
        struct Names(Vec<String>);
        impl<'a> Visitor<'a> for Names {
            fn visit_expr(&mut self, expr: &'a ast::Expr) {
                if let ast::Expr::Name(name) = expr {
                    self.0.push(name.id.to_string());
                }
                walk_expr(self, expr);
            }
        }
        let mut names = Names(Vec::new());
        names.visit_body(&def.body);
        names.0.sort();
        names.0.dedup();
        let value = |name: String| self.scopes.get(&name).cloned().map(|value| (name, value));
        names.0.into_iter().filter_map(value).collect()
    }

    /// The statements of a macro with the call's arguments.
    pub(super) fn expand(&mut self, definition: &Macro, call: &ast::ExprCall, pieces: &mut Pieces) -> Res<()> {
        let arguments = self.macro_arguments(definition, call)?;
        let expansion = &mut self.tir.expansion;
        expansion.calls += 1;
        if expansion.calls > MAX_CALLS + 1 {
            return Err(Reported);
        }
        if expansion.depth >= MAX_DEPTH || expansion.calls > MAX_CALLS {
            let what = if expansion.depth >= MAX_DEPTH {
                format!("calls of macros are nested more than {MAX_DEPTH} deep")
            } else {
                format!("more than {MAX_CALLS} calls of macros in one function")
            };
            return Err(self.fail(codes::NESTING, call, what, ""));
        }
        expansion.depth += 1;
        let said = self.diagnostics.0.len();
        let interrupted = definition.hygienic.then(|| self.scopes.interrupt());
        let body = self.scoped(|parser| {
            for (name, value) in definition.captured.iter().cloned().chain(arguments) {
                parser.scopes.define(&name, value);
            }
            parser.scoped(|parser| parser.suite(&definition.def.body))
        });
        if let Some(interrupted) = interrupted {
            self.scopes.resume(interrupted);
        }
        self.tir.expansion.depth -= 1;
        if self.tir.expansion.depth == 0 {
            self.name_the_call(said, call);
        }
        pieces.push(body);
        Ok(())
    }

    /// The bindings of a macro in a graph; its value is what it returns.
    pub(in crate::parse) fn expand_in_graph(&mut self, definition: &Macro, call: &ast::ExprCall) -> Res<Value> {
        let arguments = self.macro_arguments(definition, call)?;
        if self.tir.expansion.depth >= MAX_DEPTH || self.tir.expansion.calls > MAX_CALLS {
            return Err(self.fail(codes::NESTING, call, "calls of macros are nested too deep", ""));
        }
        self.tir.expansion.depth += 1;
        self.tir.expansion.calls += 1;
        let said = self.diagnostics.0.len();
        let interrupted = definition.hygienic.then(|| self.scopes.interrupt());
        let value = self.scoped(|parser| {
            for (name, value) in definition.captured.iter().cloned().chain(arguments) {
                parser.scopes.define(&name, value);
            }
            parser.scoped(|parser| parser.graph_macro(&definition.def.body))
        });
        if let Some(interrupted) = interrupted {
            self.scopes.resume(interrupted);
        }
        self.tir.expansion.depth -= 1;
        self.name_the_call(said, call);
        value
    }

    /// An error in a macro's body is shown once, with the first call that has it.
    fn name_the_call(&mut self, said: usize, call: &ast::ExprCall) {
        let span = self.span(call);
        let found = self.diagnostics.0.split_off(said.min(self.diagnostics.0.len()));
        for one in found {
            let is_said = |other: &Diagnostic| (&other.message, &other.span) == (&one.message, &one.span);
            if !self.diagnostics.0.iter().any(is_said) {
                self.diagnostics.push(one.also(span.clone(), "in this call of a macro"));
            }
        }
    }

    /// The values of the macro's parameters.
    fn macro_arguments(&mut self, definition: &Macro, call: &ast::ExprCall) -> Res<Vec<(String, Value)>> {
        let parameters = &definition.def.parameters;
        let given = &call.arguments.args;
        let all: Vec<_> = parameters.iter_non_variadic_params().collect();
        let positional = all.len() - parameters.kwonlyargs.len();
        if given.len() > positional && parameters.vararg.is_none() {
            let (name, takes) = (&definition.def.name, count(positional, "argument"));
            let message = format!("macro `{name}` takes {takes}, found {}", given.len());
            return Err(self.fail(codes::ARGUMENTS, &given[positional], message, "unexpected argument"));
        }
        let mut values = Vec::with_capacity(all.len());
        for (at, parameter) in all.iter().enumerate() {
            let name = parameter.parameter.name.as_str();
            let named = call.arguments.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some(name));
            let own = given.get(at).filter(|_| at < positional);
            let node = own.or(named.map(|keyword| &keyword.value)).or(parameter.default.as_deref());
            let Some(node) = node else {
                let message = format!("macro `{}` needs the argument `{name}`", definition.def.name);
                return Err(self.fail(codes::ARGUMENTS, call, message, ""));
            };
            values.push((name.to_owned(), self.eval(node)?));
        }
        let known = |name: &str| all.iter().any(|parameter| parameter.parameter.name.as_str() == name);
        if let Some(rest) = &parameters.vararg {
            let items = given.iter().skip(positional).map(|node| self.eval(node)).collect::<Res<_>>()?;
            values.push((rest.name.to_string(), Value::Tuple(items)));
        }
        if let Some(rest) = &parameters.kwarg {
            let mut items = Vec::new();
            for keyword in &call.arguments.keywords {
                if let Some(name) = keyword.arg.as_deref().filter(|name| !known(name)) {
                    items.push((name.into(), self.eval(&keyword.value)?));
                }
            }
            values.push((rest.name.to_string(), Value::Dict(items)));
            return Ok(values);
        }
        match call.arguments.keywords.iter().find(|keyword| !keyword.arg.as_deref().is_some_and(known)) {
            Some(keyword) => {
                let message = format!("macro `{}` has no such argument", definition.def.name);
                Err(self.fail(codes::ARGUMENTS, keyword, message, "unexpected argument"))
            }
            None => Ok(values),
        }
    }
}
