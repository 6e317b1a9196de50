//! Statements of a PrimFunc.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use tilewright_ir::tir::{Expr, ForeignCallee, Stmt, StmtKind, Var};
use tilewright_support::{Diagnostic, with_stack};
use tilewright_tensor::DataType;

use super::{call_range, target_names};
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::star;
use crate::parse::value::Value;

/// A statement, or what makes one of the rest of its suite.
enum Piece {
    Stmt(Stmt),
    Around(Around),
}

/// A statement around the one that it is given.
pub(super) type Around = Box<dyn FnOnce(Stmt) -> StmtKind>;

/// The statements of a suite, first to last.
#[derive(Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    pub(super) fn push(&mut self, stmt: impl Into<Stmt>) {
        self.0.push(Piece::Stmt(stmt.into()));
    }

    /// A statement whose body is the rest of the suite.
    pub(super) fn open(&mut self, around: impl FnOnce(Stmt) -> StmtKind + 'static) {
        self.0.push(Piece::Around(Box::new(around)));
    }

    /// One statement; what holds for the rest of the suite has that rest as its body.
    fn join(self) -> Stmt {
        let mut rest: Vec<Stmt> = Vec::new();
        let close = |rest: &mut Vec<Stmt>| Stmt::seq(std::mem::take(rest).into_iter().rev());
        for piece in self.0.into_iter().rev() {
            let stmt = match piece {
                Piece::Stmt(stmt) => stmt,
                Piece::Around(around) => around(close(&mut rest)).into(),
            };
            rest.push(stmt);
        }
        close(&mut rest)
    }
}

impl Parser<'_> {
    /// Reads the statements of a suite. Errors have been reported; what is wrong is left out.
    pub(super) fn suite(&mut self, body: &[ast::Stmt]) -> Stmt {
        let mut pieces = Pieces::default();
        let nested = self.frame().nested;
        for stmt in body {
            self.read_into(&mut pieces, stmt, |parser, pieces| parser.statement(stmt, pieces));
        }
        self.frame().nested = nested;
        pieces.join()
    }

    /// A suite of one statement, which `read` reads.
    pub(super) fn suite_of(
        &mut self,
        stmt: &impl Ranged,
        read: impl FnOnce(&mut Self, &mut Pieces) -> Res<()>,
    ) -> Stmt {
        let mut pieces = Pieces::default();
        let nested = self.frame().nested;
        self.read_into(&mut pieces, stmt, read);
        self.frame().nested = nested;
        pieces.join()
    }

    /// The names that the statement would have bound are poisoned where that is known.
    fn read_into(
        &mut self,
        pieces: &mut Pieces,
        stmt: &impl Ranged,
        read: impl FnOnce(&mut Self, &mut Pieces) -> Res<()>,
    ) {
        let read = with_stack(|| read(self, pieces));
        self.frame().in_error |= read.is_err();
        self.told(stmt, read);
    }

    /// A suite below a statement of the current block, with a scope of its own.
    pub(super) fn nested(&mut self, body: &[ast::Stmt]) -> Stmt {
        self.frame().nested += 1;
        let stmt = self.scoped(|parser| parser.suite(body));
        self.frame().nested -= 1;
        stmt
    }

    fn statement(&mut self, stmt: &ast::Stmt, pieces: &mut Pieces) -> Res<()> {
        match self.unstarred_statement(stmt)? {
            Some(stmt) => self.statement_of_items(&stmt, pieces),
            None => self.statement_of_items(stmt, pieces),
        }
    }

    /// A statement without starred expressions in its own head, but for targets.
    fn statement_of_items(&mut self, stmt: &ast::Stmt, pieces: &mut Pieces) -> Res<()> {
        match stmt {
            ast::Stmt::Expr(expr) => self.expression_statement(&expr.value, pieces),
            ast::Stmt::Assign(assign) => match assign.targets.as_slice() {
                [target] => self.assign(target, &assign.value, pieces),
                _ => Err(self.fail(codes::FORM, assign, "an assignment has one target", "")),
            },
            ast::Stmt::AnnAssign(assign) => self.annotated(assign, pieces),
            ast::Stmt::AugAssign(assign) => self.augmented(assign, pieces),
            ast::Stmt::For(stmt) => self.for_statement(stmt, pieces),
            ast::Stmt::While(stmt) => {
                if let Some(first) = stmt.orelse.first() {
                    self.fail(codes::FORM, first, "a loop has no `else`", "");
                }
                let condition = self.condition(&stmt.test);
                let body = self.nested(&stmt.body);
                pieces.push(StmtKind::While { condition: condition?, body });
                Ok(())
            }
            ast::Stmt::If(stmt) => self.if_statement(stmt, pieces),
            ast::Stmt::With(stmt) => self.with_statement(stmt, pieces),
            ast::Stmt::Assert(stmt) => {
                let condition = self.condition(&stmt.test)?;
                let message: Arc<str> = match &stmt.msg {
                    Some(message) => self.string(message)?,
                    None => self.text_of(&*stmt.test).into(),
                };
                pieces.push(StmtKind::Assert { condition, message });
                Ok(())
            }
            ast::Stmt::FunctionDef(def) => self.local_macro(def),
            ast::Stmt::Pass(_) => Ok(()),
            ast::Stmt::Return(stmt) if stmt.value.as_ref().is_none_or(|value| value.is_none_literal_expr()) => Ok(()),
            ast::Stmt::Return(stmt) => self.returned(stmt, pieces),
            other => Err(self.no_statement(other, "a PrimFunc")),
        }
    }

    /// `return value`: `T.ret(value)`, of the type that the function says.
    fn returned(&mut self, stmt: &ast::StmtReturn, pieces: &mut Pieces) -> Res<()> {
        let Some(value) = &stmt.value else { return Ok(()) };
        let value = self.scalar(value, self.tir.result)?;
        let callee = ForeignCallee::Builtin("ret".into());
        pieces.push(StmtKind::Evaluate(Expr::foreign(DataType::VOID, callee, vec![value])));
        Ok(())
    }

    pub(super) fn condition(&mut self, test: &ast::Expr) -> Res<Expr> {
        let condition = self.scalar(test, None)?;
        if condition.dtype != DataType::BOOL {
            let message = format!("a condition must be a bool, found {}", condition.dtype);
            return Err(self.fail(codes::DTYPE, test, message, ""));
        }
        Ok(condition)
    }

    fn expression_statement(&mut self, expr: &ast::Expr, pieces: &mut Pieces) -> Res<()> {
        if matches!(expr, ast::Expr::StringLiteral(_) | ast::Expr::EllipsisLiteral(_)) {
            return Ok(());
        }
        if let ast::Expr::Call(call) = expr
            && let ast::Expr::Attribute(method) = &*call.func
            && method.attr.as_str() == "vstore"
            && self.path(&method.value).is_none()
        {
            return self.masked_store(expr, &method.value, call, pieces);
        }
        if let Some((path, call)) = self.call_path(expr)
            && let Some(name) = path.strip_prefix("script.tir.")
        {
            match name {
                "evaluate" => {
                    let bound = self.bind(call, &["value"], 1)?;
                    let value = self.scalar_argument(bound[0], None)?;
                    pieces.push(StmtKind::Evaluate(value));
                    return Ok(());
                }
                "func_attr" => {
                    self.at_top_of_function(call)?;
                    return self.func_attr(call);
                }
                "reads" | "writes" | "where" | "block_attr" | "sblock_attr" => return self.block_statement(name, call),
                "attr" => {
                    let around = self.attribute_around(call)?;
                    self.frame().nested += 1;
                    pieces.0.push(Piece::Around(around));
                    return Ok(());
                }
                "launch_thread" => {
                    let thread = self.launch_thread("", call)?;
                    self.frame().nested += 1;
                    pieces.open(|body| thread.around(body));
                    return Ok(());
                }
                "Assert" => {
                    let (condition, message) = self.assertion(call)?;
                    pieces.push(StmtKind::Assert { condition, message });
                    return Ok(());
                }
                "buffer_store" => return self.buffer_store(expr, call, pieces),
                _ => {}
            }
        }
        if let ast::Expr::Call(call) = expr
            && let ast::Expr::Name(name) = &*call.func
            && let Some(Value::Macro(definition)) = self.scopes.get(&name.id).cloned()
        {
            return self.expand(&definition, call, pieces);
        }
        let value = self.eval(expr)?;
        let value = self.scalar_value(expr, value, None)?;
        pieces.push(StmtKind::Evaluate(value));
        Ok(())
    }

    /// `T.Assert(condition, "message")`.
    pub(super) fn assertion(&mut self, call: &ast::ExprCall) -> Res<(Expr, Arc<str>)> {
        let bound = self.bind(call, &["condition", "message"], 2)?;
        let condition = self.condition(bound[0].ok_or(Reported)?)?;
        Ok((condition, self.string(bound[1].ok_or(Reported)?)?))
    }

    fn at_top_of_function(&mut self, call: &ast::ExprCall) -> Res<()> {
        if self.tir.frames.len() == 1 && self.frame().nested == 0 {
            return Ok(());
        }
        let message = format!("`{}` belongs to the top of the function", self.text_of(&*call.func));
        Err(self.fail(codes::PLACE, &call_range(call), message, ""))
    }

    fn assign(&mut self, target: &ast::Expr, value: &ast::Expr, pieces: &mut Pieces) -> Res<()> {
        if let ast::Expr::Subscript(subscript) = target {
            return self.store(target, subscript, value, pieces);
        }
        let Some(names) = target_names(target) else {
            return Err(self.fail(codes::FORM, target, "expected a name or an element of a buffer", ""));
        };
        let result = self.bind_names(target, &names, value, pieces);
        if result.is_err() {
            names.iter().for_each(|name| self.scopes.define(&name.id, Value::Poison));
        }
        result
    }

    fn bind_names(
        &mut self,
        target: &ast::Expr,
        names: &[&ast::ExprName],
        value: &ast::Expr,
        pieces: &mut Pieces,
    ) -> Res<()> {
        let starred = matches!(target, ast::Expr::Tuple(tuple) if tuple.elts.iter().any(|elt| elt.is_starred_expr()));
        if let Some((path, call)) = self.call_path(value)
            && let Some(function) = path.strip_prefix("script.tir.")
        {
            if let Some(kind) = function.strip_prefix("axis.") {
                return self.axes(target, kind, call);
            }
            if function == "meta_var" {
                return self.meta_variables(target, value);
            }
            if let [name] = names
                && let Some(value) = self.declaration(&name.id, function, call, pieces)?
            {
                self.scopes.define(&name.id, value);
                return Ok(());
            }
        }
        if let ast::Expr::Tuple(items) = value
            && items.elts.len() == names.len()
            && names.len() > 1
            && !starred
        {
            return self.bind_each(names, &items.elts, pieces);
        }
        let evaluated = self.eval(value)?;
        match (names, evaluated) {
            ([name], evaluated) if target.is_name_expr() => self.bind_value(name, value, evaluated, pieces),
            (_, Value::Tuple(items)) if let Some(targets) = star::targets(target, items.len()) => {
                let mut items = items.into_iter();
                targets.iter().try_for_each(|target| {
                    let mut own: Vec<Value> = items.by_ref().take(target.values).collect();
                    let item = if target.list { Value::Tuple(own) } else { own.pop().ok_or(Reported)? };
                    self.bind_value(target.name, value, item, pieces)
                })
            }
            (names, other) => {
                let expected = format!("a tuple of {} for {}", names.len(), count(names.len(), "name"));
                Err(self.wrong_kind(value, &expected, &other))
            }
        }
    }

    /// `n, m = T.int64(), T.int64()`: every value is read before a name means it, so that `a, b = b, a` swaps.
    fn bind_each(&mut self, names: &[&ast::ExprName], values: &[ast::Expr], pieces: &mut Pieces) -> Res<()> {
        let read = |parser: &mut Self, name: &str, value: &ast::Expr, pieces: &mut Pieces| {
            if let Some((path, call)) = parser.call_path(value)
                && let Some(function) = path.strip_prefix("script.tir.")
                && let Some(declared) = parser.declaration(name, function, call, pieces)?
            {
                return Ok((declared, true));
            }
            parser.eval(value).map(|value| (value, false))
        };
        let mut read_values = Vec::with_capacity(names.len());
        for (name, value) in names.iter().zip(values) {
            read_values.push(read(self, &name.id, value, pieces));
        }
        for ((name, node), value) in names.iter().zip(values).zip(read_values.into_iter().collect::<Res<Vec<_>>>()?) {
            match value {
                (declared, true) => self.scopes.define(&name.id, declared),
                (value, false) => self.bind_value(name, node, value, pieces)?,
            }
        }
        Ok(())
    }

    /// `a, b = T.meta_var((x, y))`: names for values, which get no variables of their own.
    fn meta_variables(&mut self, target: &ast::Expr, value: &ast::Expr) -> Res<()> {
        match (target, self.eval(value)?) {
            (ast::Expr::Name(name), value) => {
                self.scopes.define(&name.id, value);
                Ok(())
            }
            (target, Value::Tuple(items)) if let Some(targets) = star::targets(target, items.len()) => {
                self.define_targets(&targets, items)
            }
            (target, other) => {
                let names = target_names(target).map_or(0, |names| names.len());
                let expected = format!("a tuple of {names} for {}", count(names, "name"));
                Err(self.wrong_kind(value, &expected, &other))
            }
        }
    }

    /// The declaration in `name = T.function(…)`, if it is one.
    fn declaration(
        &mut self,
        name: &str,
        function: &str,
        call: &ast::ExprCall,
        pieces: &mut Pieces,
    ) -> Res<Option<Value>> {
        Ok(Some(match function {
            "alloc_buffer" | "sblock_alloc_buffer" => {
                let buffer = self.buffer_call(call, name, false)?;
                self.frame().alloc_buffers.push(buffer.clone());
                Value::Buffer(buffer)
            }
            "decl_buffer" => {
                let buffer = self.buffer_call(call, name, false)?;
                let declared = buffer.clone();
                pieces.open(|body| StmtKind::Allocate { buffer: declared, body });
                Value::Buffer(buffer)
            }
            "Buffer" | "buffer_decl" => {
                let buffer = self.buffer_call(call, name, false)?;
                let data = call.arguments.find_argument_value("data", 2);
                if data.is_some_and(|data| !data.is_none_literal_expr()) {
                    // A view is declared like any other, so that it is one thing in all that is said of it.
                    let declared = buffer.clone();
                    pieces.open(|body| StmtKind::Allocate { buffer: declared, body });
                }
                Value::Buffer(buffer)
            }
            "allocate" => {
                let buffer = self.allocate(name, call)?;
                let declared = buffer.clone();
                pieces.open(|body| StmtKind::Allocate { buffer: declared, body });
                Value::Buffer(buffer)
            }
            "allocate_const" => {
                let (buffer, data) = self.allocate_const(name, call)?;
                let declared = buffer.clone();
                pieces.open(|body| StmtKind::AllocateConst { buffer: declared, data, body });
                Value::Buffer(buffer)
            }
            "env_thread" => self.env_thread(name, call)?,
            "launch_thread" => {
                let thread = self.launch_thread(name, call)?;
                let var = Expr::var(&thread.var);
                self.frame().nested += 1;
                pieces.open(|body| thread.around(body));
                Value::Scalar(var)
            }
            "match_buffer" => match self.matched_parameter(name, call)? {
                Some(buffer) => Value::Buffer(buffer),
                None => Value::Buffer(self.match_region(name, call)?),
            },
            "var" | "Var" => {
                let dtype = self.variable_type(call)?;
                self.declare_variable(Var::new(name, dtype), call)
            }
            "SizeVar" | "size_var" => {
                let dtype = self.variable_type(call)?;
                self.declare_variable(Var::size(name, dtype), call)
            }
            "handle" | "Ptr" | "buffer_var" => {
                self.pointee(call)?;
                self.declare_variable(Var::new(name, DataType::HANDLE), call)
            }
            _ => match self.declared_type(function, call)? {
                Some((dtype, true)) => self.declare_variable(Var::size(name, dtype), call),
                Some((dtype, false)) => self.declare_variable(Var::new(name, dtype), call),
                None => return Ok(None),
            },
        }))
    }

    /// The type of `T.SizeVar("int64")` and of `T.SizeVar("n", "int64")`. The variable's name is the one that it is
    /// assigned to.
    fn variable_type(&mut self, call: &ast::ExprCall) -> Res<DataType> {
        if let [name, dtype] = &*call.arguments.args
            && call.arguments.keywords.is_empty()
            && let Value::Str(text) = self.eval(name)?
            && text.parse::<DataType>().is_err()
        {
            return self.dtype(dtype);
        }
        let bound = self.bind(call, &["dtype", "name"], 0)?;
        bound[0].map_or(Ok(DataType::I32), |dtype| self.dtype(dtype))
    }

    /// The type of `T.int64()`, a call without a value, and whether it is one of sizes: `T.int64(is_size_var=True)`.
    pub(in crate::parse) fn declared_type(
        &mut self,
        function: &str,
        call: &ast::ExprCall,
    ) -> Res<Option<(DataType, bool)>> {
        let Ok(dtype) = function.parse::<DataType>() else { return Ok(None) };
        match (&*call.arguments.args, &*call.arguments.keywords) {
            ([], []) => Ok(Some((dtype, false))),
            ([], [size]) if size.arg.as_deref() == Some("is_size_var") => {
                let size = matches!(self.eval(&size.value)?, Value::Bool(true));
                Ok(Some((dtype, size)))
            }
            _ => Ok(None),
        }
    }

    fn declare_variable(&mut self, var: Var, call: &ast::ExprCall) -> Value {
        self.tir.declared.push((var.clone(), call_range(call)));
        Value::Scalar(Expr::var(&var))
    }

    /// `name = value` of something that is no declaration: a scalar becomes a variable, other things get a name.
    fn bind_value(&mut self, name: &ast::ExprName, node: &ast::Expr, value: Value, pieces: &mut Pieces) -> Res<()> {
        let value = match value {
            Value::Scalar(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
                self.scalar_value(node, value, None)?
            }
            other => {
                self.not_bound(name)?;
                self.scopes.define(&name.id, other);
                return Ok(());
            }
        };
        self.let_variable(name, value, false, pieces)
    }

    fn let_variable(&mut self, name: &ast::ExprName, value: Expr, size: bool, pieces: &mut Pieces) -> Res<()> {
        self.not_bound(name)?;
        let name_of = name.id.as_str();
        let var = if size { Var::size(name_of, value.dtype) } else { Var::new(name_of, value.dtype) };
        self.scopes.define(&name.id, Value::Scalar(Expr::var(&var)));
        pieces.open(|body| StmtKind::Let { var, value, body });
        Ok(())
    }

    /// Python's assignment changes a variable; one of a PrimFunc never changes, and silence about that would be wrong
    /// code.
    pub(super) fn not_bound(&mut self, name: &ast::ExprName) -> Res<()> {
        let help = match self.scopes.get(&name.id) {
            Some(Value::Scalar(_)) => "take another name, or keep what changes in a buffer".to_owned(),
            Some(Value::Buffer(_)) => format!("take another name, or store into elements: `{}[…] = …`", name.id),
            _ => return Ok(()),
        };
        let diagnostic = Diagnostic::error(codes::BOUND_TWICE, format!("`{}` has a value already", name.id))
            .at(self.span(name))
            .note("a variable of a PrimFunc never changes")
            .help(help);
        Err(self.report(diagnostic))
    }

    /// `x: T.int32 = value`.
    fn annotated(&mut self, assign: &ast::StmtAnnAssign, pieces: &mut Pieces) -> Res<()> {
        let (ast::Expr::Name(name), Some(value)) = (&*assign.target, &assign.value) else {
            return Err(self.fail(codes::FORM, assign, "expected `name: type = value`", ""));
        };
        let result = self.annotated_value(name, &assign.annotation, value, pieces);
        if result.is_err() {
            self.scopes.define(&name.id, Value::Poison);
        }
        result
    }

    fn annotated_value(
        &mut self,
        name: &ast::ExprName,
        annotation: &ast::Expr,
        value: &ast::Expr,
        pieces: &mut Pieces,
    ) -> Res<()> {
        let (dtype, size) = self.annotation(annotation)?;
        if let Some((path, call)) = self.call_path(value)
            && dtype.is_handle()
            && let Some(function) = path.strip_prefix("script.tir.")
            && let Some(declared) = self.declaration(&name.id, function, call, pieces)?
        {
            self.scopes.define(&name.id, declared);
            return Ok(());
        }
        let scalar = if dtype.is_handle() { self.foreign_argument(value)? } else { self.scalar(value, Some(dtype))? };
        if scalar.dtype != dtype {
            let message = format!("`{}` is declared as {dtype}, its value is {}", name.id, scalar.dtype);
            return Err(self.fail(codes::DTYPE, value, message, ""));
        }
        self.let_variable(name, scalar, size, pieces)
    }

    /// The type of a scalar, and whether it is a size.
    pub(super) fn annotation(&mut self, annotation: &ast::Expr) -> Res<(DataType, bool)> {
        if let Some((path, call)) = self.call_path(annotation)
            && let Some(function) = path.strip_prefix("script.tir.")
            && let Some(declared) = self.declared_type(function, call)?
        {
            return Ok(declared);
        }
        match self.eval(annotation)? {
            Value::DType(dtype) => Ok((dtype, false)),
            other => Err(self.wrong_kind(annotation, "the type of a scalar", &other)),
        }
    }

    fn if_statement(&mut self, stmt: &ast::StmtIf, pieces: &mut Pieces) -> Res<()> {
        let clauses: Vec<(Option<&ast::Expr>, &[ast::Stmt])> = std::iter::once((Some(&*stmt.test), &stmt.body[..]))
            .chain(stmt.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), &clause.body[..])))
            .collect();
        // A condition that is a literal of Python decides here; the branches not taken are not read.
        let mut read: Vec<(Option<Res<Expr>>, Stmt)> = Vec::new();
        for (test, body) in clauses {
            let test = match test.map(|test| (test, self.eval(test))) {
                Some((_, Ok(Value::Bool(false)))) => continue,
                Some((_, Ok(Value::Bool(true)))) | None => None,
                Some((test, value)) => Some(value.and_then(|value| self.bool_of(test, value))),
            };
            let last = test.is_none();
            read.push((test, self.nested(body)));
            if last {
                break;
            }
        }
        let mut otherwise: Option<Stmt> = None;
        for (test, body) in read.into_iter().rev() {
            otherwise = Some(match test {
                None => body,
                Some(condition) => StmtKind::If { condition: condition?, then: body, otherwise }.into(),
            });
        }
        if let Some(stmt) = otherwise {
            pieces.push(stmt);
        }
        Ok(())
    }

    fn bool_of(&mut self, node: &ast::Expr, value: Value) -> Res<Expr> {
        let condition = self.scalar_value(node, value, None)?;
        if condition.dtype == DataType::BOOL {
            return Ok(condition);
        }
        Err(self.fail(codes::DTYPE, node, format!("a condition must be a bool, found {}", condition.dtype), ""))
    }
}
