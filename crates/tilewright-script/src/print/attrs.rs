//! Attributes as text.

use std::sync::Arc;

use tilewright_expr::ExprKind;
use tilewright_ir::op::AttrKind;
use tilewright_ir::relax::Constant;
use tilewright_ir::{Attr, Attrs, IndexMap};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use super::scalar::{float_digits, quoted};
use super::{Namespace, Printer};

impl Printer<'_> {
    /// `{"name": value, …}`.
    pub(super) fn attr_map(&mut self, namespace: Namespace, attrs: &Attrs) {
        self.attr_items(namespace, &attrs.iter().collect::<Vec<_>>());
    }

    pub(super) fn attr_items(&mut self, namespace: Namespace, items: &[(&Arc<str>, &Attr)]) {
        self.list("{", items, "}", |p, (name, value)| {
            p.doc.write(format_args!("{}: ", quoted(name)));
            p.attr(namespace, value);
        });
    }

    pub(super) fn attr(&mut self, namespace: Namespace, attr: &Attr) {
        with_stack(|| self.marked(attr, |p| p.attr_text(namespace, attr)));
    }

    fn attr_text(&mut self, namespace: Namespace, attr: &Attr) {
        match attr {
            Attr::None => self.doc.text("None"),
            Attr::Bool(value) => {
                let text = if *value { "True" } else { "False" };
                match namespace {
                    Namespace::Tir => self.call("bool", |p| p.doc.text(text)),
                    _ => self.doc.text(text),
                }
            }
            Attr::Int(value) => self.doc.text(&value.to_string()),
            Attr::Float(value) if value.0.is_finite() => self.doc.text(&float_digits(value.0, DataType::F64)),
            Attr::Float(value) if value.0.is_nan() => self.doc.text("float(\"nan\")"),
            Attr::Float(value) => self.doc.text(if value.0 < 0.0 { "float(\"-inf\")" } else { "float(\"inf\")" }),
            Attr::Str(text) => self.doc.text(&quoted(text)),
            Attr::DType(dtype) => self.call("dtype", |p| p.doc.write(format_args!("\"{dtype}\""))),
            Attr::Array(items) => self.list("[", items, "]", |p, item| p.attr(namespace, item)),
            Attr::Map(items) => self.attr_map(namespace, items),
            Attr::Tensor(Constant(tensor)) => self.metadata_entry(tensor),
            Attr::IndexMap(map) => self.index_map(map),
            // Without its type it would be a plain number.
            Attr::Expr(expr) => match expr.kind {
                ExprKind::Int(value) if expr.dtype == DataType::I32 => {
                    self.call("int32", |p| p.doc.text(&value.to_string()));
                }
                ExprKind::Float(value) if value.0.is_finite() => {
                    self.call(&expr.dtype.to_string(), |p| p.doc.text(&float_digits(value.0, expr.dtype)));
                }
                _ => {
                    let level = std::mem::replace(&mut self.graph_level, false);
                    self.scalar(expr);
                    self.graph_level = level;
                }
            },
        }
    }

    /// `T.index_map(lambda i, j: (j, i))`.
    fn index_map(&mut self, map: &IndexMap) {
        self.names.open();
        let names: Vec<String> = map.initial().iter().map(|var| self.names.define(var.id(), &var.name)).collect();
        self.call("index_map", |p| {
            p.doc.write(format_args!("lambda {}: ", names.join(", ")));
            p.tuple(map.results(), |p, index| p.scalar(index));
        });
        self.names.close();
    }

    /// `name=value` in the call of an operator.
    pub(super) fn op_attr(&mut self, name: &str, kind: Option<AttrKind>, value: &Attr) {
        self.doc.write(format_args!("{name}="));
        match (kind, value) {
            (Some(AttrKind::DType), Attr::DType(dtype)) => self.doc.write(format_args!("\"{dtype}\"")),
            _ => self.attr(Namespace::Relax, value),
        }
    }
}
