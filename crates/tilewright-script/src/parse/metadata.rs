//! Constants of a graph that are too large for the text: `metadata["relax.expr.Constant"][i]`, in the spelling of 2022
//! `meta[relay.Constant][i]`.

use ruff_python_ast as ast;
use tilewright_ir::relax;
use tilewright_support::Diagnostic;
use tilewright_tensor::Tensor;

use super::codes;
use super::cx::{Parser, Res};
use super::value::Value;
use crate::spelling::metadata::{CONSTANTS, decode};

/// The values of the references.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata {
    /// From the caller.
    pub(super) given: Vec<Tensor>,
    /// From the text's own section; `None` in it for one in error, which has been reported.
    pub(super) own: Option<Vec<Option<Tensor>>>,
}

/// The index of a reference, as an expression, if this is one.
pub(super) fn reference(expr: &ast::Expr) -> Option<&ast::Expr> {
    let outer = expr.as_subscript_expr()?;
    let inner = outer.value.as_subscript_expr()?;
    let name = inner.value.as_name_expr()?;
    let kind_fits = match &*inner.slice {
        ast::Expr::StringLiteral(text) => [CONSTANTS, "relay.Constant"].contains(&text.value.to_str()),
        ast::Expr::Attribute(attribute) => {
            attribute.attr.as_str() == "Constant" && attribute.value.as_name_expr().is_some_and(|n| n.id == "relay")
        }
        _ => false,
    };
    (kind_fits && ["metadata", "meta"].contains(&name.id.as_str())).then_some(&*outer.slice)
}

impl Parser<'_> {
    pub(super) fn constant(&mut self, node: &ast::Expr, index: &ast::Expr) -> Res<Value> {
        let index = match self.eval(index)? {
            Value::Int(index) => index,
            other => return Err(self.wrong_kind(index, "the number of a constant", &other)),
        };
        let at = usize::try_from(index).ok();
        let found = at.and_then(|at| match &self.metadata.own {
            Some(own) => own.get(at).cloned(),
            None => self.metadata.given.get(at).cloned().map(Some),
        });
        match found {
            Some(Some(tensor)) => Ok(Value::Graph(relax::Expr::constant(tensor))),
            Some(None) => Err(super::cx::Reported),
            None => {
                let text = self.text_of(node).to_owned();
                let diagnostic =
                    Diagnostic::error(codes::METADATA, format!("the values of the constant `{text}` are missing"))
                        .at(self.span(node))
                        .label("refers to the metadata of the module")
                        .help("print the module with `show_meta=True`: its text then ends with the constants' values");
                Err(self.report(diagnostic))
            }
        }
    }

    /// Reads the module's section of constants, `metadata = {…}`, if the statement is one.
    pub(super) fn metadata_section(&mut self, stmt: &ast::Stmt) {
        let ast::Stmt::Assign(assign) = stmt else { return };
        let [ast::Expr::Name(name)] = assign.targets.as_slice() else { return };
        let ast::Expr::Dict(dict) = &*assign.value else { return };
        if name.id != "metadata" {
            return;
        }
        for item in &dict.items {
            let is_constants = item.key.as_ref().and_then(|key| key.as_string_literal_expr());
            if is_constants.is_some_and(|key| key.value.to_str() == CONSTANTS)
                && let ast::Expr::List(list) = &item.value
            {
                let constants = list.elts.iter().map(|entry| self.metadata_entry(entry).ok()).collect();
                self.metadata.own = Some(constants);
            }
        }
    }

    fn metadata_entry(&mut self, entry: &ast::Expr) -> Res<Tensor> {
        let value = self.eval(entry)?;
        let field = |name: &str| match &value {
            Value::Dict(items) => items.iter().find(|(key, _)| &**key == name).map(|(_, value)| value.clone()),
            _ => None,
        };
        let dtype = field("dtype").and_then(|v| if let Value::Str(text) = v { text.parse().ok() } else { None });
        let shape = field("shape").and_then(|v| v.to_attr()?.as_ints());
        let data = field("data").and_then(|v| if let Value::Str(text) = v { Some(text) } else { None });
        let (Some(dtype), Some(shape), Some(data)) = (dtype, shape, data) else {
            let message = "a constant of the metadata is `{\"dtype\": …, \"shape\": […], \"data\": \"…\"}`";
            return Err(self.fail(codes::METADATA, entry, message, "not of this form"));
        };
        decode(dtype, &shape, &data).map_err(|reason| {
            self.fail(codes::METADATA, entry, format!("a constant's values do not fit: {reason}"), "")
        })
    }
}
