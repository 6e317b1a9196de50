//! The `with` statements of a PrimFunc.

use ruff_python_ast as ast;
use tilewright_ir::tir::{Expr, Stmt, StmtKind, Var};

use super::block::Frame;
use super::stmt::Pieces;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// One item of a `with` statement, around the items after it and the suite.
#[derive(Clone, Copy)]
pub(super) struct With<'e> {
    pub(super) stmt: &'e ast::StmtWith,
    inner: &'e [ast::WithItem],
}

/// The functions of `T` that may follow `with`.
const WITH: [&str; 11] = [
    "block",
    "init",
    "LetStmt",
    "let",
    "decl_buffer",
    "allocate",
    "allocate_const",
    "attr",
    "launch_thread",
    "Assert",
    "While",
];

impl Parser<'_> {
    pub(super) fn with_statement(&mut self, stmt: &ast::StmtWith, pieces: &mut Pieces) -> Res<()> {
        self.no_async(stmt.is_async, stmt);
        let (item, inner) = stmt.items.split_first().ok_or(Reported)?;
        self.with_item(item, With { stmt, inner }, pieces)
    }

    /// The inside of an item: the items after it, and the suite inside of the last one.
    pub(super) fn inside(&mut self, with: With<'_>) -> Stmt {
        let Some((item, inner)) = with.inner.split_first() else { return self.suite(&with.stmt.body) };
        self.suite_of(item, |parser, pieces| parser.with_item(item, With { inner, ..with }, pieces))
    }

    /// The inside of an item, in a scope of its own.
    pub(super) fn nested_inside(&mut self, with: With<'_>) -> Stmt {
        self.frame().nested += 1;
        let stmt = self.scoped(|parser| parser.inside(with));
        self.frame().nested -= 1;
        stmt
    }

    fn with_item(&mut self, item: &ast::WithItem, stmt: With<'_>, pieces: &mut Pieces) -> Res<()> {
        let name = match item.optional_vars.as_deref() {
            None => None,
            Some(ast::Expr::Name(name)) => Some(name),
            Some(other) => return Err(self.fail(codes::FORM, other, "expected a name", "")),
        };
        let path = self.call_path(&item.context_expr);
        let function = path.as_ref().and_then(|(path, call)| Some((path.strip_prefix("script.tir.")?, *call)));
        match (function, name) {
            (Some(("block" | "sblock", call)), None) => self.block(stmt, call, pieces),
            (Some(("init", call)), None) => self.init(stmt, call),
            (Some(("LetStmt", call)), _) => {
                let bound = self.bind(call, &["value", "type_annotation", "var"], 1)?;
                self.let_suite(stmt, bound[0], bound[2], name, pieces)
            }
            (Some(("let", call)), None) => {
                let bound = self.bind(call, &["v", "value"], 2)?;
                self.let_suite(stmt, bound[1], bound[0], None, pieces)
            }
            (Some(("decl_buffer", call)), Some(name)) => {
                let buffer = self.buffer_call(call, &name.id, false);
                let body = self.suite_with(stmt, Some((name, buffer.clone().map(Value::Buffer))));
                pieces.push(StmtKind::Allocate { buffer: buffer?, body });
                Ok(())
            }
            (Some(("allocate", call)), Some(name)) => {
                let buffer = self.allocate(&name.id, call);
                let body = self.suite_with(stmt, Some((name, buffer.clone().map(Value::Buffer))));
                pieces.push(StmtKind::Allocate { buffer: buffer?, body });
                Ok(())
            }
            (Some(("allocate_const", call)), Some(name)) => {
                let memory = self.allocate_const(&name.id, call);
                let buffer = memory.as_ref().map(|(buffer, _)| Value::Buffer(buffer.clone())).map_err(|error| *error);
                let body = self.suite_with(stmt, Some((name, buffer)));
                let (buffer, data) = memory?;
                pieces.push(StmtKind::AllocateConst { buffer, data, body });
                Ok(())
            }
            (Some(("attr", call)), None) => {
                let around = self.attribute_around(call);
                let body = self.nested_inside(stmt);
                pieces.push(around?(body));
                Ok(())
            }
            (Some(("launch_thread", call)), name) => {
                let thread = self.launch_thread(name.map_or("", |name| name.id.as_str()), call);
                let var = thread.as_ref().map(|thread| Value::Scalar(Expr::var(&thread.var))).map_err(|error| *error);
                let body = self.suite_with(stmt, name.map(|name| (name, var)));
                pieces.push(thread?.around(body));
                Ok(())
            }
            (Some(("Assert", call)), None) => {
                let assertion = self.assertion(call);
                let body = self.nested_inside(stmt);
                let (condition, message) = assertion?;
                pieces.push(Stmt::seq([StmtKind::Assert { condition, message }.into(), body]));
                Ok(())
            }
            (Some(("While", call)), None) => {
                let bound = self.bind(call, &["condition"], 1)?;
                let condition = self.condition(bound[0].ok_or(Reported)?);
                let body = self.nested_inside(stmt);
                pieces.push(StmtKind::While { condition: condition?, body });
                Ok(())
            }
            _ => {
                let text = self.text_of(&item.context_expr).to_owned();
                let message = format!("`with {text}` is not part of a PrimFunc");
                let reported = match &path {
                    Some((path, call)) if path.starts_with("script.tir.") => {
                        let known = WITH.map(|name| self.spell(&format!("script.tir.{name}")));
                        let function = self.text_of(&*call.func).to_owned();
                        let known = known.iter().map(String::as_str);
                        self.unknown(codes::FORM, &item.context_expr, message, &function, known)
                    }
                    _ => self.fail(codes::FORM, &item.context_expr, message, ""),
                };
                self.suite_of_unknown(stmt, name);
                Err(reported)
            }
        }
    }

    /// The suite of a `with` that may have been meant as a block, read for the errors that are its own.
    fn suite_of_unknown(&mut self, stmt: With<'_>, name: Option<&ast::ExprName>) {
        self.tir.frames.push(Frame::new(""));
        self.scoped(|parser| {
            if let Some(name) = name {
                parser.scopes.define(&name.id, Value::Poison);
            }
            parser.inside(stmt);
        });
        self.tir.frames.pop();
    }

    /// The suite of a `with` that gives something a name.
    fn suite_with(&mut self, stmt: With<'_>, bound: Option<(&ast::ExprName, Res<Value>)>) -> Stmt {
        self.frame().nested += 1;
        let body = self.scoped(|parser| {
            if let Some((name, value)) = bound {
                parser.scopes.define(&name.id, value.unwrap_or(Value::Poison));
            }
            parser.inside(stmt)
        });
        self.frame().nested -= 1;
        body
    }

    /// `with T.LetStmt(value) as x:`, or with a variable that was declared before, `with T.LetStmt(value, var=x):`.
    fn let_suite(
        &mut self,
        stmt: With<'_>,
        value: Option<&ast::Expr>,
        declared: Option<&ast::Expr>,
        name: Option<&ast::ExprName>,
        pieces: &mut Pieces,
    ) -> Res<()> {
        let declared = declared.map(|node| self.scalar(node, None)).transpose();
        let hint = declared.as_ref().ok().and_then(|var| var.as_ref()).map(|var| var.dtype);
        let value = self.scalar_argument(value, hint);
        let var = match (&declared, name, &value) {
            (Ok(Some(declared)), _, _) => declared.as_var().cloned().ok_or(Reported),
            (Ok(None), Some(name), Ok(value)) => Ok(Var::new(name.id.as_str(), value.dtype)),
            (Ok(None), None, _) => Err(self.fail(codes::FORM, stmt.stmt, "expected `as name`", "")),
            _ => Err(Reported),
        };
        let bound = name.map(|name| (name, var.clone().map(|var| Value::Scalar(Expr::var(&var)))));
        let body = self.suite_with(stmt, bound);
        let (var, value) = (var?, value?);
        if var.dtype != value.dtype {
            let message = format!("`{}` is declared as {}, its value is {}", var.name, var.dtype, value.dtype);
            return Err(self.fail(codes::DTYPE, stmt.stmt, message, ""));
        }
        pieces.push(StmtKind::Let { var, value, body });
        Ok(())
    }
}
