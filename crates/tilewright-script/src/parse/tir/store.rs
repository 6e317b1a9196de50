//! Stores into buffers, in all of their spellings.

use ruff_python_ast as ast;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForeignCallee, Stmt};
use tilewright_support::Diagnostic;
use tilewright_tensor::DataType;

use super::stmt::Pieces;
use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

impl Parser<'_> {
    /// The buffer before the brackets.
    pub(super) fn stored_buffer(&mut self, node: &ast::Expr) -> Res<Buffer> {
        match self.eval(node)? {
            Value::Buffer(buffer) => Ok(buffer),
            other => Err(self.wrong_kind(node, "a buffer", &other)),
        }
    }

    pub(super) fn store(
        &mut self,
        target: &ast::Expr,
        subscript: &ast::ExprSubscript,
        value: &ast::Expr,
        pieces: &mut Pieces,
    ) -> Res<()> {
        let buffer = self.stored_buffer(&subscript.value);
        let indices = buffer.as_ref().map_err(|e| *e).and_then(|buffer| self.indices(buffer, &subscript.slice));
        if let (Ok(buffer), true) = (&buffer, self.is_undefined(value)) {
            let scalar = Expr::foreign(buffer.dtype, ForeignCallee::Builtin("undef".into()), Vec::new());
            return self.checked_store(target, value, buffer, indices?, scalar, None, pieces);
        }
        let evaluated = self.eval(value);
        let (buffer, indices) = (buffer?, indices?);
        let scalar = self.scalar_value(value, evaluated?, Some(buffer.dtype))?;
        self.checked_store(target, value, &buffer, indices, scalar, None, pieces)
    }

    /// Whether this is `T.undef()`, which has the type of what it is stored to.
    fn is_undefined(&self, value: &ast::Expr) -> bool {
        self.call_path(value).is_some_and(|(path, call)| path == "script.tir.undef" && call.arguments.is_empty())
    }

    /// `T.buffer_store(A, value, [i, j])`, the spelling of 2022.
    pub(super) fn buffer_store(&mut self, expr: &ast::Expr, call: &ast::ExprCall, pieces: &mut Pieces) -> Res<()> {
        let bound = self.bind(call, &["buffer", "value", "indices", "predicate"], 3)?;
        let buffer = self.stored_buffer(bound[0].ok_or(Reported)?)?;
        let indices = self.index_list(&buffer, bound[2])?;
        let node = bound[1].ok_or(Reported)?;
        let value = self.scalar(node, Some(buffer.dtype))?;
        let predicate = bound[3].map(|predicate| self.scalar(predicate, None)).transpose()?;
        self.checked_store(expr, node, &buffer, indices, value, predicate, pieces)
    }

    fn checked_store(
        &mut self,
        target: &ast::Expr,
        node: &ast::Expr,
        buffer: &Buffer,
        indices: Vec<Expr>,
        value: Expr,
        predicate: Option<Expr>,
        pieces: &mut Pieces,
    ) -> Res<()> {
        if value.dtype.is_handle() {
            let found = if matches!(value.kind, ExprKind::Str(_)) { "a text" } else { "an address" };
            let message = format!("buffer `{}` holds {}, the stored value is {found}", buffer.name, buffer.dtype);
            return Err(self.fail(codes::DTYPE, node, message, ""));
        }
        let value = self.stored_as(node, buffer, value)?;
        let store = Stmt::store_where(buffer, indices, &value, predicate);
        let store = self.checked(target, store)?;
        pieces.push(store);
        Ok(())
    }

    /// The value in the type of the buffer's elements. What becomes an integer may lose something: that is told.
    fn stored_as(&mut self, node: &ast::Expr, buffer: &Buffer, value: Expr) -> Res<Expr> {
        let (found, holds) = (value.dtype, buffer.dtype);
        if found.element() == holds {
            return Ok(value);
        }
        let convertible = |dtype: DataType| dtype.is_float() || dtype.is_int() || dtype.is_bool();
        if convertible(found) && !convertible(holds) || !convertible(found) && !convertible(holds) {
            let message = format!("buffer `{}` holds {holds}, the stored value is {}", buffer.name, found.element());
            let cast = self.spell("script.tir.Cast");
            let help = format!("convert it: `{cast}(\"{holds}\", …)`");
            return Err(self.report(Diagnostic::error(codes::DTYPE, message).at(self.span(node)).help(help)));
        }
        if found.is_float() && !holds.is_float() {
            let message = format!("buffer `{}` holds {holds}, the stored value is {found}", buffer.name);
            let cast = self.spell("script.tir.Cast");
            let warning = Diagnostic::warning(codes::DTYPE, message)
                .at(self.span(node))
                .label("the fraction is lost")
                .help(format!("say that it is meant: `{cast}(\"{holds}\", …)`"));
            self.diagnostics.push(warning);
        }
        let converted = value.cast(holds.with_lanes(found.lanes));
        self.checked(node, converted)
    }

    /// `A.vstore([i, j], value, predicate=p)`.
    pub(super) fn masked_store(
        &mut self,
        expr: &ast::Expr,
        buffer: &ast::Expr,
        call: &ast::ExprCall,
        pieces: &mut Pieces,
    ) -> Res<()> {
        let bound = self.bind(call, &["begin", "value", "predicate"], 2)?;
        let buffer = self.stored_buffer(buffer)?;
        let indices = self.index_list(&buffer, bound[0])?;
        let node = bound[1].ok_or(Reported)?;
        let value = self.scalar(node, Some(buffer.dtype))?;
        let predicate = bound[2].map(|predicate| self.scalar(predicate, None)).transpose()?;
        self.checked_store(expr, node, &buffer, indices, value, predicate, pieces)
    }

    /// `A[i] += value`.
    pub(super) fn augmented(&mut self, assign: &ast::StmtAugAssign, pieces: &mut Pieces) -> Res<()> {
        let subscript = match &*assign.target {
            ast::Expr::Subscript(subscript) => subscript,
            ast::Expr::Name(name) => {
                self.eval(&assign.target)?;
                return self.not_bound(name);
            }
            other => return Err(self.fail(codes::FORM, other, "expected an element of a buffer", "")),
        };
        let buffer = self.stored_buffer(&subscript.value)?;
        let indices = self.indices(&buffer, &subscript.slice)?;
        let load = Expr::load(&buffer, indices.clone());
        let load = self.typed(&*assign.target, load)?;
        let value = self.eval(&assign.value)?;
        let value = self.infix(&assign.value, assign.op, load, value)?;
        let value = self.scalar_value(&*assign.value, value, Some(buffer.dtype))?;
        self.checked_store(&assign.target, &assign.value, &buffer, indices, value, None, pieces)
    }
}
