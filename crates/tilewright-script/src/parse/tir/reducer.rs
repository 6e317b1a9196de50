//! `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`: how a reduction combines values.
//!
//! The IR holds it as a call of a builtin: the identities, then for each result its expression in variables of its own,
//! which lets around it bind to values that nobody reads.

use ruff_python_ast as ast;
use tilewright_ir::tir::{Expr, ForeignCallee, Var};
use tilewright_tensor::DataType;

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res, count};
use crate::parse::value::Value;

impl Parser<'_> {
    pub(super) fn comm_reducer(&mut self, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["combiner", "identity"], 2)?;
        let (Some(combiner), Some(identity)) = (bound[0], bound[1]) else { return Err(Reported) };
        let identities = match self.eval(identity)? {
            Value::Tuple(items) => items,
            one => vec![one],
        };
        let identities =
            identities.into_iter().map(|item| self.scalar_value(identity, item, None)).collect::<Res<Vec<_>>>()?;
        let ast::Expr::Lambda(lambda) = combiner else {
            return Err(self.fail(codes::FORM, combiner, "expected a lambda of two values, or of two of each", ""));
        };
        let names: Vec<&str> = lambda
            .parameters
            .iter()
            .flat_map(|parameters| parameters.iter_non_variadic_params())
            .map(|parameter| parameter.parameter.name.as_str())
            .collect();
        if names.len() != 2 * identities.len() || identities.is_empty() {
            let message = format!(
                "a lambda of {} for {}",
                count(names.len(), "parameter"),
                count(identities.len(), "identity value")
            );
            return Err(self.fail(codes::ARGUMENTS, combiner, message, "expected two for each"));
        }
        let mut args = identities.clone();
        for index in 0..identities.len() {
            args.push(self.combined(lambda, &names, &identities, index)?);
        }
        Ok(Value::Scalar(Expr::foreign(DataType::HANDLE, ForeignCallee::Builtin("comm_reducer".into()), args)))
    }

    /// One of the results, with its variables.
    fn combined(&mut self, lambda: &ast::ExprLambda, names: &[&str], identities: &[Expr], index: usize) -> Res<Expr> {
        let vars: Vec<Var> = names
            .iter()
            .zip(identities.iter().cycle())
            .map(|(name, identity)| Var::new(*name, identity.dtype))
            .collect();
        let result = self.scoped(|parser| {
            for var in &vars {
                parser.scopes.define(&var.name, Value::Scalar(Expr::var(var)));
            }
            parser.eval(&lambda.body)
        })?;
        let result = match result {
            Value::Tuple(mut items) if items.len() == identities.len() => items.swap_remove(index),
            one if identities.len() == 1 => one,
            other => return Err(self.wrong_kind(&*lambda.body, "a value for each identity", &other)),
        };
        let hint = identities.get(index).map(|identity| identity.dtype);
        let result = self.scalar_value(&*lambda.body, result, hint)?;
        let bound = vars.iter().rev().try_fold(result, |body, var| {
            let nothing = Expr::foreign(var.dtype, ForeignCallee::Builtin("undef".into()), Vec::new());
            Expr::bind(var, &nothing, &body)
        });
        self.checked(lambda, bound)
    }
}
