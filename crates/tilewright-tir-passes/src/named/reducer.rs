//! How a reduction combines values: `T.comm_reducer` as a function of expressions, and the reducer of a block.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Block, Buffer, Builtin, Expr, ExprKind, Intrinsic, Var};
use tilewright_tensor::DataType;

use super::refuse;
use crate::reduction;
use crate::stmt::{Result, typed};
use crate::substitute::Substitute;

/// The results of a combination of several values with several others.
#[derive(Clone)]
pub(super) struct Reducer {
    pub identities: Vec<Expr>,
    left: Vec<Var>,
    right: Vec<Var>,
    results: Vec<Expr>,
}

impl Reducer {
    /// The reducer of a call of `T.comm_reducer`.
    pub(super) fn of_call(call: &Expr) -> Option<Self> {
        let args = call.builtin_args(Builtin::COMM_REDUCER)?;
        let (identities, results) = args.split_at(args.len() / 2);
        let count = identities.len();
        let mut made =
            Self { identities: identities.to_vec(), left: Vec::new(), right: Vec::new(), results: Vec::new() };
        let vars = |names: &str| -> Vec<Var> {
            let each = identities.iter().enumerate();
            each.map(|(at, identity)| Var::new(format!("{names}{at}"), identity.dtype)).collect()
        };
        (made.left, made.right) = (vars("x"), vars("y"));
        for result in results {
            let (mut body, mut values) = (result, Substitute::default());
            for own in made.left.iter().chain(&made.right) {
                let ExprKind::Let { var, body: inner, .. } = &body.kind else { return None };
                values.values.insert(var.id(), Expr::var(own));
                body = inner;
            }
            made.results.push(values.apply(body));
        }
        (count > 0).then_some(made)
    }

    /// The call of `T.comm_reducer`.
    pub(super) fn call(&self) -> Result<Expr> {
        let mut args = self.identities.clone();
        for result in &self.results {
            let mut own = Substitute::default();
            let vars: Vec<Var> = self.left.iter().chain(&self.right).map(Var::renewed).collect();
            for (var, renewed) in self.left.iter().chain(&self.right).zip(&vars) {
                own.values.insert(var.id(), Expr::var(renewed));
            }
            args.push(vars.iter().rev().try_fold(own.apply(result), |body, var| {
                let nothing = Expr::builtin_of(var.dtype, Builtin::UNDEF, Vec::new());
                typed(Expr::bind(var, &nothing, &body))
            })?);
        }
        Ok(Expr::builtin(Builtin::COMM_REDUCER, args))
    }

    /// The results for these values.
    pub(super) fn combine(&self, left: &[Expr], right: &[Expr]) -> Vec<Expr> {
        let mut values = Substitute::default();
        for (var, value) in self.left.iter().zip(left).chain(self.right.iter().zip(right)) {
            values.values.insert(var.id(), value.clone());
        }
        self.results.iter().map(|result| values.apply(result)).collect()
    }
}

/// A block that reduces: where it accumulates, and what each instance brings.
pub(super) struct Reduction {
    pub reducer: Reducer,
    pub buffers: Vec<Buffer>,
    pub indices: Vec<Vec<Expr>>,
    pub operands: Vec<Expr>,
    /// What the elements begin with, where that is none of the reducer's identities: to be combined with the result.
    pub begin: Option<Vec<Expr>>,
}

impl Reduction {
    /// The reduction of a block with an init.
    pub(super) fn of(block: &Block) -> Result<Self> {
        let known = reduction::Reducer::of(block).or_else(|why| {
            refuse(format!(
                "the reduction of block `{}` is none that is known: a sum, a product, a minimum, a maximum, or one of \
                 these with the place of the value: {why}",
                block.name
            ))
        })?;
        let vars = |names: &str| -> Vec<Var> {
            let parts = known.parts.iter().enumerate();
            parts.map(|(at, part)| Var::new(format!("{names}{at}"), part.buffer.dtype)).collect()
        };
        let (left, right) = (vars("x"), vars("y"));
        let values = |vars: &[Var]| vars.iter().map(Expr::var).collect::<Vec<_>>();
        let results = known.combined(&values(&left), &values(&right));
        let inits: Vec<Expr> = known.parts.iter().map(|part| part.init.clone()).collect();
        let identities = results.iter().zip(&inits).map(|(result, init)| identity(result, init));
        let Some(identities) = identities.collect::<Option<Vec<_>>>() else {
            return refuse(format!(
                "the reduction of block `{}` chooses between elements, and what it begins with is no constant",
                block.name
            ));
        };
        let begin = identities.iter().zip(&inits).any(|(own, init)| !own.equal(init)).then_some(inits);
        let reducer = Reducer { identities, left, right, results };
        let of_parts = known.parts.into_iter().map(|part| (part.buffer, (part.indices, part.value)));
        let (buffers, (indices, operands)) = of_parts.unzip();
        Ok(Self { reducer, buffers, indices, operands, begin })
    }
}

/// What each thread begins with for this result: the init itself, where it may be combined any number of times, else
/// the identity of the operation.
fn identity(result: &Expr, init: &Expr) -> Option<Expr> {
    let mut constant = true;
    walk(init, |e: &Expr| constant &= !matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. }));
    walk(init, |_: &Var| constant = false);
    let zero = |init: &Expr| matches!(&init.kind, ExprKind::Float(value) if value.0 == 0.0);
    match &result.kind {
        ExprKind::Binary(BinOp::Add, ..) if zero(init) => Some(init.clone()),
        ExprKind::Binary(BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or, ..)
        | ExprKind::Select { .. }
        | ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. }
            if constant =>
        {
            Some(init.clone())
        }
        ExprKind::Binary(op, ..) => op.identity(init.dtype),
        _ => None,
    }
}

/// The address that says nothing.
pub(super) fn null() -> Expr {
    Expr::raw(DataType::HANDLE, ExprKind::Reinterpret(Expr::int(0, DataType::U64)))
}
