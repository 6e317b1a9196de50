//! The rules of reverse-mode differentiation of operators.

use super::{InferCx, InferError, OpCall};
use crate::relax::Expr;

/// The result of a call and the gradient with respect to it.
#[derive(Clone, Copy, Debug)]
pub struct Adjoint<'a> {
    pub result: &'a Expr,
    pub grad: &'a Expr,
}

/// The gradients with respect to the arguments of a call.
#[derive(Clone, Debug)]
pub struct Partials {
    /// One for each argument: `None` where it has none.
    pub values: Vec<Option<Expr>>,
    /// The arguments broadcast: a gradient of another shape than its argument's is summed over what was repeated.
    pub broadcast: bool,
}

impl Partials {
    /// The gradients of arguments in their own shapes.
    pub fn exact(values: Vec<Option<Expr>>) -> Self {
        Self { values, broadcast: false }
    }

    /// The gradients of arguments that broadcast, in the shape of the result.
    pub fn broadcast(values: Vec<Option<Expr>>) -> Self {
        Self { values, broadcast: true }
    }
}

/// The rule of an operator.
pub type Gradient = fn(&InferCx, &OpCall<'_>, Adjoint<'_>) -> Result<Partials, InferError>;
