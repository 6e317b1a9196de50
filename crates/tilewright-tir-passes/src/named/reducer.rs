//! How a reduction combines values: `T.comm_reducer` as a function of expressions, and the reducer of a block.

use tilewright_expr::node::{AnyHandle, IrNode, Mapper, rewrite, walk};
use tilewright_ir::tir::{BinOp, Block, Buffer, Builtin, Expr, ExprKind, Stmt, StmtKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use super::refuse;
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

/// The stores of a body of lets around stores, with the values written out.
fn stores(stmt: &Stmt) -> Option<Vec<(Buffer, Vec<Expr>, Expr)>> {
    match &stmt.kind {
        StmtKind::Store { buffer, indices, value, predicate: None } => {
            Some(vec![(buffer.clone(), indices.clone(), value.clone())])
        }
        StmtKind::Let { var, value, body } => stores(&Substitute::value(var, value.clone()).apply(body)),
        StmtKind::Seq(stmts) => Some(stmts.iter().map(stores).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}

impl Reduction {
    /// The reduction of a block with an init.
    pub(super) fn of(block: &Block) -> Result<Self> {
        let fail = || {
            refuse(format!(
                "the reduction of block `{}` is none that is known: a sum, a product, a minimum, a maximum, or one of \
                 these with the place of the value",
                block.name
            ))
        };
        let Some(init) = &block.init else { return fail() };
        let (Some(mut updates), Some(inits)) = (stores(&block.body), stores(init)) else { return fail() };
        updates.sort_by_key(|(buffer, ..)| inits.iter().position(|(other, ..)| other == buffer));
        let same = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equal(b));
        let matched = updates.len() == inits.len()
            && updates.iter().zip(&inits).all(|((a, at, _), (b, other, _))| a == b && same(at, other));
        if !matched || updates.is_empty() {
            return fail();
        }
        let vars = |names: &str| -> Vec<Var> {
            updates
                .iter()
                .enumerate()
                .map(|(at, (buffer, ..))| Var::new(format!("{names}{at}"), buffer.dtype))
                .collect()
        };
        let (left, right) = (vars("x"), vars("y"));
        let accumulated = |expr: &Expr| -> Option<usize> {
            let ExprKind::Load { buffer, indices, predicate: None } = &expr.kind else { return None };
            updates.iter().position(|(own, at, _)| own == buffer && same(at, indices))
        };
        let results: Vec<Expr> = updates
            .iter()
            .map(|(.., value)| {
                let replaced = rewrite(value, |e: &Expr| left.get(accumulated(e)?).map(Expr::var));
                replaced.unwrap_or_else(|| value.clone())
            })
            .collect();
        let mut operands = Vec::new();
        for (at, result) in results.iter().enumerate() {
            let Some(operand) = left.get(at).and_then(|own| operand(result, own)) else { return fail() };
            operands.push(operand);
        }
        let mut plain = true;
        let results: Vec<Expr> = results
            .iter()
            .map(|result| {
                let mut inserted = Operands { operands: &operands, right: &right };
                let result = result.map_children(&mut inserted).unwrap_or_else(|| result.clone());
                walk(&result, |e: &Expr| plain &= !matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. }));
                walk(&result, |var: &Var| plain &= left.contains(var) || right.contains(var));
                result
            })
            .collect();
        if !plain {
            return fail();
        }
        let inits: Vec<Expr> = inits.into_iter().map(|(.., value)| value).collect();
        let identities = results.iter().zip(&inits).map(|(result, init)| identity(result, init));
        let Some(identities) = identities.collect::<Option<Vec<_>>>() else {
            return refuse(format!(
                "the reduction of block `{}` chooses between elements, and what it begins with is no constant",
                block.name
            ));
        };
        let begin = identities.iter().zip(&inits).any(|(own, init)| !own.equal(init)).then_some(inits);
        let reducer = Reducer { identities, left, right, results };
        let (buffers, indices) = updates.into_iter().map(|(buffer, at, _)| (buffer, at)).unzip();
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
        ExprKind::Binary(BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or, ..) | ExprKind::Select { .. }
            if constant =>
        {
            Some(init.clone())
        }
        ExprKind::Binary(op, ..) => op.identity(init.dtype),
        _ => None,
    }
}

/// Puts variables in the place of the operands; one operand may be a part of another one.
struct Operands<'a> {
    operands: &'a [Expr],
    right: &'a [Var],
}

impl Mapper for Operands<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        let found = node.downcast::<Expr>().and_then(|expr| self.operands.iter().position(|other| other.equal(expr)));
        match found.and_then(|at| self.right.get(at)) {
            Some(var) => Some(Expr::var(var).boxed()),
            None => with_stack(|| node.map_inside(self)),
        }
    }
}

/// What is combined with the accumulated value: the other side of an operation, or of a choice.
fn operand(result: &Expr, own: &Var) -> Option<Expr> {
    let (a, b) = match &result.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max, a, b)
        | ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => (a, b),
        ExprKind::Select { then, otherwise, .. } => (then, otherwise),
        _ => return None,
    };
    match (a.as_var() == Some(own), b.as_var() == Some(own)) {
        (true, false) => Some(b.clone()),
        (false, true) => Some(a.clone()),
        _ => None,
    }
}

/// The address that says nothing.
pub(super) fn null() -> Expr {
    Expr::raw(DataType::HANDLE, ExprKind::Reinterpret(Expr::int(0, DataType::U64)))
}
