//! Statements of a Relax function.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_ir::Attr;
use tilewright_ir::relax::{Binding, Callee, Expr, ExprKind, StructInfo, Var, attr_names};
use tilewright_support::{Diagnostic, Map, Set, Span, with_stack};
use tilewright_tensor::DataType;

use super::{Dataflow, Header};
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::star;
use crate::parse::value::{Value, describe_info};

impl Parser<'_> {
    pub(super) fn graph_statement(&mut self, stmt: &ast::Stmt) -> Res<()> {
        with_stack(|| match self.unstarred_statement(stmt)? {
            Some(stmt) => self.graph_statement_inside(&stmt),
            None => self.graph_statement_inside(stmt),
        })
    }

    fn graph_statement_inside(&mut self, stmt: &ast::Stmt) -> Res<()> {
        match stmt {
            ast::Stmt::Assign(assign) => match assign.targets.as_slice() {
                [target] => self.graph_assign(stmt, target, None, &assign.value),
                _ => Err(self.fail(codes::FORM, assign, "an assignment has one target", "")),
            },
            ast::Stmt::AnnAssign(assign) => match &assign.value {
                Some(value) => self.graph_assign(stmt, &assign.target, Some(&assign.annotation), value),
                None => Err(self.fail(codes::FORM, assign, "a variable needs a value", "")),
            },
            ast::Stmt::Expr(expr) => self.graph_expression(stmt, &expr.value),
            ast::Stmt::With(with) => self.dataflow(with),
            ast::Stmt::If(branch) => self.graph_if(branch),
            ast::Stmt::FunctionDef(def) => self.closure(def),
            ast::Stmt::Pass(_) => Ok(()),
            ast::Stmt::Return(stmt) => Err(self.misplaced_return(stmt)),
            other => {
                let reported = self.no_statement(other, "a graph");
                self.poison_targets(std::slice::from_ref(other));
                Err(reported)
            }
        }
    }

    fn misplaced_return(&mut self, stmt: &ast::StmtReturn) -> Reported {
        self.graph.returned = true;
        let message = "`return` belongs at the end of the function, outside of its blocks";
        let help = "bind the result to a name, in both branches of a condition the same one, and return it at the end";
        self.report(Diagnostic::error(codes::RETURN, message).at(self.span(stmt)).help(help))
    }

    /// The names that statements bind which are not read.
    fn poison_targets(&mut self, body: &[ast::Stmt]) {
        for stmt in body {
            let inside: &[ast::Stmt] = match stmt {
                ast::Stmt::For(stmt) => &stmt.body,
                ast::Stmt::While(stmt) => &stmt.body,
                ast::Stmt::With(stmt) => &stmt.body,
                _ => &[],
            };
            with_stack(|| self.poison_targets(inside));
            let target = match stmt {
                ast::Stmt::Assign(assign) => assign.targets.first(),
                ast::Stmt::AnnAssign(assign) => Some(&*assign.target),
                ast::Stmt::AugAssign(assign) => Some(&*assign.target),
                ast::Stmt::For(stmt) => Some(&*stmt.target),
                _ => None,
            };
            if let Some(ast::Expr::Name(name)) = target {
                self.scopes.define(&name.id, Value::Poison);
            }
        }
    }

    fn graph_assign(
        &mut self,
        stmt: &ast::Stmt,
        target: &ast::Expr,
        annotation: Option<&ast::Expr>,
        value: &ast::Expr,
    ) -> Res<()> {
        let ast::Expr::Name(name) = target else {
            if let (ast::Expr::Tuple(names), None) = (target, annotation) {
                let result = self.unpack(stmt, target, names, value);
                if result.is_err() {
                    let names = names.elts.iter().filter_map(|elt| elt.as_name_expr());
                    names.for_each(|name| self.scopes.define(&name.id, Value::Poison));
                }
                return result;
            }
            return Err(self.fail(codes::FORM, target, "a binding has a name, or names, as its target", ""));
        };
        let result = self.graph_binding(stmt, name, annotation, value);
        if result.is_err() {
            self.scopes.define(&name.id, Value::Poison);
        }
        result
    }

    /// `a, b = t`: the fields of a tuple, each bound to a name.
    fn unpack(&mut self, stmt: &ast::Stmt, target: &ast::Expr, names: &ast::ExprTuple, value: &ast::Expr) -> Res<()> {
        if let ast::Expr::Tuple(values) = value
            && values.elts.len() == names.elts.len()
            && values.elts.iter().any(|value| self.declares_size(value))
        {
            return names
                .elts
                .iter()
                .zip(&values.elts)
                .try_for_each(|(name, value)| self.graph_assign(stmt, name, None, value));
        }
        let tuple = self.graph_expr(value)?;
        let tuple = self.leaf(value, tuple)?;
        let count = match &tuple.struct_info {
            StructInfo::Tuple(fields) => fields.len(),
            other => {
                let found = describe_info(other);
                return Err(self.fail(codes::KIND, value, format!("expected a tuple, found {found}"), found));
            }
        };
        let Some(targets) = star::targets(target, count) else {
            let message = format!("{} names for a tuple of {count}", names.elts.len());
            return Err(self.fail(codes::FORM, names, message, ""));
        };
        let texts: Vec<String> =
            targets.iter().flat_map(|target| (0..target.values).map(|index| target.name_of(index))).collect();
        let mut values = Vec::with_capacity(count);
        for (index, name) in texts.iter().enumerate() {
            let field = match &tuple.kind {
                ExprKind::Tuple(fields) => fields.get(index).cloned().ok_or(Reported)?,
                _ => {
                    let field = Expr::tuple_get(tuple.clone(), index);
                    self.inferred(value, &[], field)?
                }
            };
            let origins = self.origins(stmt);
            let var = self.emit(name, field, None, origins)?;
            values.push(Value::Graph(Expr::var(&var)));
        }
        self.define_targets(&targets, values)
    }

    fn graph_binding(
        &mut self,
        stmt: &ast::Stmt,
        name: &ast::ExprName,
        annotation: Option<&ast::Expr>,
        value: &ast::Expr,
    ) -> Res<()> {
        if let Some((path, call)) = self.call_path(value) {
            if let Some(declared) = self.symbolic(name, &path, call)? {
                self.scopes.define(&name.id, declared);
                return Ok(());
            }
            if path == "script.relax.match_cast" {
                return self.match_cast(stmt, name, annotation, call);
            }
        }
        let evaluated = self.eval(value);
        let annotated = annotation.map(|annotation| self.info(annotation)).transpose();
        let evaluated = evaluated?;
        match &evaluated {
            // Names of the script, not of the graph.
            Value::Module
            | Value::Str(_)
            | Value::DType(_)
            | Value::Info(_)
            | Value::Scalar(_)
            | Value::Dict(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Bool(_)
                if annotation.is_none() =>
            {
                self.scopes.define(&name.id, evaluated);
                return Ok(());
            }
            _ => {}
        }
        let expr = self.graph_value(value, evaluated)?;
        let info = match annotated? {
            Some(info) => Some(self.check_annotation(annotation.unwrap_or(value), value, info, &expr.struct_info)?),
            None => None,
        };
        if let (ExprKind::Call { .. }, Some(info)) = (&expr.kind, &info)
            && !is_storage(&expr)
            && self.mismatch(info, &expr.struct_info).is_some()
        {
            return self.narrowed(stmt, name, expr, info.clone());
        }
        // A call is of the struct info that its annotation says; any other value keeps its own.
        let (expr, info) = match (&expr.kind, info) {
            (ExprKind::Call { .. }, Some(info)) if !is_storage(&expr) => {
                (Expr::raw(info.clone(), expr.kind.clone()), Some(info))
            }
            _ => (expr, None),
        };
        let origins = self.origins(stmt);
        let var = self.emit(&name.id, expr, info, origins)?;
        self.scopes.define(&name.id, Value::Graph(Expr::var(&var)));
        Ok(())
    }

    /// Whether the expression is one like `T.int64()`.
    fn declares_size(&self, value: &ast::Expr) -> bool {
        self.call_path(value).is_some_and(|(path, call)| {
            let function = path.strip_prefix("script.tir.");
            let plain = call.arguments.is_empty() || super::says_size(call);
            function.is_some_and(|name| name == "var" || plain && name.parse::<DataType>().is_ok())
        })
    }

    /// `n = T.int64()`: a symbolic dimension, the one of that name if there is one already.
    fn symbolic(&mut self, name: &ast::ExprName, path: &str, call: &ast::ExprCall) -> Res<Option<Value>> {
        let Some(function) = path.strip_prefix("script.tir.") else { return Ok(None) };
        let dtype = match function {
            "var" => {
                let bound = self.bind(call, &["dtype"], 1)?;
                self.dtype_argument(bound[0])?
            }
            _ => match self.declared_type(function, call)? {
                Some((dtype, _)) => dtype,
                None => return Ok(None),
            },
        };
        if dtype != DataType::I64 {
            return Err(self.fail(codes::DTYPE, call, format!("a symbolic dimension is int64, found {dtype}"), ""));
        }
        let var = match self.graph.dims.get(name.id.as_str()) {
            Some(var) => var.clone(),
            None => {
                let of = if super::says_size(call) { scalar::Var::size } else { scalar::Var::new };
                let var = of(name.id.as_str(), dtype);
                self.graph.dims.insert(var.name.clone(), var.clone());
                self.graph.declared.push((var.clone(), call.range()));
                var
            }
        };
        Ok(Some(Value::Scalar(scalar::Expr::var(&var))))
    }

    fn match_cast(
        &mut self,
        stmt: &ast::Stmt,
        name: &ast::ExprName,
        annotation: Option<&ast::Expr>,
        call: &ast::ExprCall,
    ) -> Res<()> {
        let bound = self.bind(call, &["value", "struct_info"], 2)?;
        let (Some(value), Some(info)) = (bound[0], bound[1]) else { return Err(Reported) };
        let node = value;
        let value = self.graph_expr(value)?;
        let value = self.leaf(node, value)?;
        let before = std::mem::replace(&mut self.graph.defining, true);
        let struct_info = self.info(info);
        // The annotation repeats the struct info, for readers.
        let annotated = annotation.map(|annotation| self.info(annotation)).transpose();
        self.graph.defining = before;
        let (struct_info, annotated) = (struct_info?, annotated?);
        if let Some(annotated) = annotated
            && let Some(reason) = self.mismatch(&annotated, &struct_info)
        {
            let message = format!("the annotation is not what the value is cast to: {reason}");
            return Err(self.fail(codes::STRUCT_INFO, annotation.unwrap_or(info), message, ""));
        }
        if let Some(reason) = self.contradiction(&struct_info, &value.struct_info) {
            let found = describe_info(&value.struct_info);
            return Err(self.fail(codes::STRUCT_INFO, info, format!("this cast can never succeed: {reason}"), found));
        }
        super::info::defined(&struct_info, &mut self.graph.defined);
        let var = self.new_var(&name.id, struct_info.clone());
        let origins = self.origins(stmt);
        self.push_match_cast(var.clone(), value, struct_info, origins);
        self.scopes.define(&name.id, Value::Graph(Expr::var(&var)));
        Ok(())
    }

    /// A call of which its annotation says more than is known: a cast checks it when the program runs.
    fn narrowed(&mut self, stmt: &ast::Stmt, name: &ast::ExprName, value: Expr, info: StructInfo) -> Res<()> {
        let origins = self.origins(stmt);
        let known = self.emit(&format!("{}_0", name.id), value, None, origins.clone())?;
        let var = self.new_var(&name.id, info.clone());
        self.push_match_cast(var.clone(), Expr::var(&known), info, origins);
        self.scopes.define(&name.id, Value::Graph(Expr::var(&var)));
        Ok(())
    }

    /// The annotation of a binding, if the value can have it.
    fn check_annotation(
        &mut self,
        annotation: &ast::Expr,
        value: &ast::Expr,
        info: StructInfo,
        found: &StructInfo,
    ) -> Res<StructInfo> {
        let Some(reason) = self.contradiction(&info, found) else { return Ok(info) };
        let diagnostic =
            Diagnostic::error(codes::STRUCT_INFO, format!("the value is not what its annotation says: {reason}"))
                .at(self.span(annotation))
                .label("annotated")
                .also(self.span(value), describe_info(found));
        Err(self.report(diagnostic))
    }

    /// The statements of a macro, up to what it returns.
    pub(in crate::parse) fn graph_macro(&mut self, body: &[ast::Stmt]) -> Res<Value> {
        for stmt in body {
            if let ast::Stmt::Return(stmt) = stmt {
                return stmt.value.as_ref().map_or(Ok(Value::None), |value| self.eval(value));
            }
            let read = self.graph_statement(stmt);
            self.told(stmt, read);
        }
        Ok(Value::None)
    }

    /// A statement that is an expression: `R.output(…)`, `R.func_attr(…)`, or a call for its effect.
    fn graph_expression(&mut self, stmt: &ast::Stmt, value: &ast::Expr) -> Res<()> {
        if matches!(value, ast::Expr::StringLiteral(_) | ast::Expr::EllipsisLiteral(_)) {
            return Ok(());
        }
        if let Some((path, call)) = self.call_path(value) {
            match path.as_str() {
                "script.relax.func_attr" => {
                    let bound = self.bind(call, &["attrs"], 1)?;
                    let attrs = self.attrs_argument(bound[0])?;
                    self.graph.forced |= attrs.get(attr_names::FORCE_PURE).is_some_and(Attr::is_true);
                    self.graph.attrs.extend(attrs);
                    return Ok(());
                }
                "script.relax.is_impure" => {
                    self.bind(call, &[], 0)?;
                    if self.graph.pure == Some(true) {
                        let message = "the function's decorator says that it is pure";
                        return Err(self.fail(codes::SIDE_EFFECT, value, message, ""));
                    }
                    let span = self.span(value);
                    self.graph.impure.get_or_insert(span);
                    return Ok(());
                }
                "script.relax.output" => {
                    let message = "`R.output` is the last statement of a dataflow block";
                    return Err(self.fail(codes::PLACE, value, message, ""));
                }
                _ => {}
            }
        }
        let evaluated = self.eval(value)?;
        if matches!(evaluated, Value::None) {
            return Ok(());
        }
        let expr = self.graph_value(value, evaluated)?;
        let origins = self.origins(stmt);
        self.emit("_", expr, None, origins).map(|_| ())
    }

    /// `with R.dataflow():`.
    fn dataflow(&mut self, with: &ast::StmtWith) -> Res<()> {
        let is_dataflow = match with.items.as_slice() {
            [item] => match self.call_path(&item.context_expr) {
                Some((path, call)) => path == "script.relax.dataflow" && self.bind(call, &[], 0).is_ok(),
                None => false,
            },
            _ => false,
        };
        if !is_dataflow {
            return Err(self.fail(codes::FORM, with, "`with` of a graph is `with R.dataflow():`", ""));
        }
        self.no_async(with.is_async, with);
        if let Some(name) = with.items.iter().find_map(|item| item.optional_vars.as_deref()) {
            self.fail(codes::FORM, name, "a dataflow block has no name", "");
        }
        if self.graph.dataflow.is_some() {
            let reported = self.fail(codes::PLACE, with, "a dataflow block cannot be inside another one", "");
            self.poison_targets(&with.body);
            return Err(reported);
        }
        let span = self.span(&with.items[0]);
        let output = self.output_statement(&with.body);
        let outputs: Set<String> =
            output.iter().flat_map(|(_, names)| names.iter().map(|n| n.id.to_string())).collect();
        self.close_block(false);
        self.graph.dataflow = Some(Dataflow { outputs: outputs.clone() });
        self.scopes.open();
        for (at, stmt) in with.body.iter().enumerate() {
            if output.as_ref().is_some_and(|(index, _)| *index == at) {
                match with.body.get(at + 1) {
                    Some(ast::Stmt::Return(stmt)) => {
                        self.misplaced_return(stmt);
                    }
                    Some(rest) => {
                        self.fail(codes::PLACE, rest, "no statement may follow `R.output` in its block", "");
                    }
                    None => {}
                }
                break;
            }
            let read = self.graph_statement(stmt);
            self.told(stmt, read);
        }
        let inner = self.scopes.close_with_values();
        let given_out = self.give_out(output.map(|(_, names)| names).unwrap_or_default(), &inner);
        self.graph.dataflow = None;
        self.close_block(true);
        let spans = self.binding_spans();
        for (name, value) in inner {
            let visible = match &value {
                Value::Graph(expr) if matches!(&expr.kind, ExprKind::Var(var) if var.dataflow) => {
                    Value::Hidden { block: spans.get(name.as_str()).unwrap_or(&span).clone() }
                }
                _ => value,
            };
            self.scopes.define(&name, visible);
        }
        given_out
    }

    /// The location of the last binding of each name in the block that has just ended.
    fn binding_spans(&self) -> Map<Arc<str>, Span> {
        let bindings = self.graph.blocks.last().into_iter().flat_map(|block| &block.bindings);
        bindings.filter_map(|b| Some((b.var.name.clone(), b.origins.first()?.clone()))).collect()
    }

    /// `R.output(…)` of a block and the names in it.
    fn output_statement<'e>(&mut self, body: &'e [ast::Stmt]) -> Option<(usize, Vec<&'e ast::ExprName>)> {
        for (at, stmt) in body.iter().enumerate() {
            let ast::Stmt::Expr(expr) = stmt else { continue };
            let Some((path, call)) = self.call_path(&expr.value) else { continue };
            if path != "script.relax.output" {
                continue;
            }
            let mut names = Vec::new();
            let _: Res<()> = self.no_keywords(call);
            for arg in &call.arguments.args {
                match arg {
                    ast::Expr::Name(name) => names.push(name),
                    other => {
                        self.fail(codes::FORM, other, "`R.output` takes names of variables", "");
                    }
                }
            }
            return Some((at, names));
        }
        None
    }

    /// Every output has to be a variable of the block.
    fn give_out(&mut self, names: Vec<&ast::ExprName>, inner: &Map<ast::name::Name, Value>) -> Res<()> {
        for name in names {
            if inner.contains_key(name.id.as_str()) {
                continue;
            }
            let message = format!("`{}` is no variable of this block", name.id);
            let known: Vec<String> = inner.keys().map(ToString::to_string).collect();
            if self.scopes.get(&name.id).is_none() {
                self.scopes.define(&name.id, Value::Poison);
            }
            return Err(self.unknown(codes::UNKNOWN_NAME, name, message, &name.id, known.iter().map(String::as_str)));
        }
        Ok(())
    }

    /// A nested function. Where its result is annotated, it can call itself.
    fn closure(&mut self, def: &ast::StmtFunctionDef) -> Res<()> {
        if self.define_macro(def)? {
            return Ok(());
        }
        let header = self.closure_header(def);
        let itself = match &header {
            Ok(header) => header.signature().map(|signature| self.new_var(&def.name, signature)),
            Err(_) => None,
        };
        match &itself {
            Some(var) => self.scopes.define(&def.name, Value::Graph(Expr::var(var))),
            None => self.scopes.define(&def.name, Value::Unannotated),
        }
        let function = header.and_then(|header| self.function(def, header));
        let result = function.and_then(|function| {
            let (signature, origins) = (function.signature(), self.origins(def));
            let mut calls_itself = false;
            walk(&function, |var: &Var| calls_itself |= itself.as_ref() == Some(var));
            let value = Expr::raw(signature.clone(), ExprKind::Function(Box::new(function)));
            match itself.filter(|_| calls_itself) {
                Some(var) if var.struct_info.equal(&signature) => {
                    self.graph.current.push(Binding::new(var.clone(), value, origins));
                    Ok(var)
                }
                Some(_) => {
                    let message = format!("`{}` has side effects, and calls itself as a pure function", def.name);
                    let help = "say `pure=False` in its decorator";
                    Err(self.fail(codes::SIDE_EFFECT, &def.name, message, help))
                }
                None => self.emit(&def.name, value, None, origins),
            }
        });
        match result {
            Ok(var) => {
                self.scopes.define(&def.name, Value::Graph(Expr::var(&var)));
                Ok(())
            }
            Err(reported) => {
                self.scopes.define(&def.name, Value::Poison);
                Err(reported)
            }
        }
    }

    fn closure_header(&mut self, def: &ast::StmtFunctionDef) -> Res<Header> {
        let decorator = match self.decorator(def)? {
            Some(decorator) if decorator.kind == crate::parse::module::Kind::Relax => decorator,
            _ => {
                let message = "a function in a graph is decorated with `R.function`";
                return Err(self.fail(codes::FORM, &def.name, message, ""));
            }
        };
        self.header(def, &decorator)
    }
}

/// Whether the value is memory that was allocated: tensors are placed by what is known of it.
fn is_storage(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Call { callee: Callee::Op(op), .. } if op.name.ends_with(".alloc_storage"))
}
