//! Loops that ops write out as statements.

use tilewright_expr::{Expr, Var};
use tilewright_ir::tir::{ForKind, Stmt};
use tilewright_te::TeError;
use tilewright_tensor::DataType;

/// A loop for each dimension, one after the other, with `body` inside.
pub(crate) fn nest(dims: &[Expr], body: impl FnOnce(&[Expr]) -> Result<Stmt, TeError>) -> Result<Stmt, TeError> {
    let vars: Vec<Var> = (0..dims.len()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
    let inner = body(&vars.iter().map(Expr::var).collect::<Vec<_>>())?;
    let around =
        |body, (var, dim): (&Var, &Expr)| Stmt::for_loop(var, Expr::i64(0), dim.clone(), ForKind::Serial, body);
    Ok(vars.iter().zip(dims).rev().fold(inner, around))
}
