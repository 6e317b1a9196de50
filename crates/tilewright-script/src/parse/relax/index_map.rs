//! Maps of indices: `T.index_map(lambda i, j: (j, i))`, or the function alone.

use ruff_python_ast as ast;
use tilewright_expr::{Expr as Scalar, Var};
use tilewright_ir::IndexMap;
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

const FORM: &str = "expected a map of indices, such as `T.index_map(lambda i, j: (j, i))`";

impl Parser<'_> {
    /// The map that a function is, or a call of `T.index_map`.
    pub(in crate::parse) fn index_map(&mut self, node: &ast::Expr) -> Res<IndexMap> {
        let function = match node {
            ast::Expr::Call(call) if self.path(&call.func).as_deref() == Some("script.tir.index_map") => {
                self.bind(call, &["mapping"], 1)?[0].ok_or(Reported)?
            }
            node => node,
        };
        let ast::Expr::Lambda(lambda) = function else {
            return Err(self.fail(codes::KIND, function, FORM, ""));
        };
        let parameters = lambda.parameters.as_deref();
        if parameters.is_some_and(|all| all.vararg.is_some() || all.kwarg.is_some() || !all.kwonlyargs.is_empty()) {
            return Err(self.fail(codes::FORM, function, "a map of indices names each index", ""));
        }
        let names = parameters.into_iter().flat_map(|all| all.posonlyargs.iter().chain(&all.args));
        let initial: Vec<Var> = names.map(|name| Var::new(name.parameter.name.as_str(), DataType::I64)).collect();
        let results = self.scoped(|p| {
            for var in &initial {
                p.scopes.define(&var.name, Value::Scalar(Scalar::var(var)));
            }
            let items: &[ast::Expr] = match &*lambda.body {
                ast::Expr::Tuple(tuple) => &tuple.elts,
                ast::Expr::List(list) => &list.elts,
                one => std::slice::from_ref(one),
            };
            items.iter().map(|item| p.scalar(item, Some(DataType::I64))).collect::<Res<Vec<_>>>()
        })?;
        IndexMap::new(initial, results).map_err(|why| self.fail(codes::KIND, function, why, ""))
    }
}
