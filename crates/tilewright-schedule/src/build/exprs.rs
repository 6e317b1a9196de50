//! Expressions and statements that are checked as they are made, what they mention and read, and substitution of their
//! variables.

use tilewright_expr::node::{IrNode, walk};
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, Stmt, TypeMismatch, Var};
use tilewright_tir_passes::Substitute;

use crate::fault::Fault;

/// An expression whose operands have the types that they must have.
pub(crate) fn typed(result: Result<Expr, TypeMismatch>) -> Result<Expr, Fault> {
    result.map_err(|mismatch| Fault::of_call(mismatch.to_string()))
}

/// A statement whose parts have the types that they must have.
pub(crate) fn typed_stmt(result: Result<Stmt, TypeMismatch>) -> Result<Stmt, Fault> {
    result.map_err(|mismatch| Fault::of_call(mismatch.to_string()))
}

/// The value goes to an element.
pub(crate) fn stored(buffer: &Buffer, indices: Vec<Expr>, value: &Expr) -> Result<Stmt, Fault> {
    typed_stmt(Stmt::store(buffer, indices, value))
}

pub(crate) fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
    typed(Expr::compare(op, a, b))
}

pub(crate) fn binary(op: BinOp, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
    typed(Expr::binary(op, a, b))
}

/// The greater of two floats, `best` where `other` is NaN: the weight of a score of NaN, and with it the sum of
/// weights, is NaN whatever it is taken from.
pub(crate) fn greater(best: &Expr, other: &Expr) -> Result<Expr, Fault> {
    typed(Expr::select(&compare(CmpOp::Gt, other, best)?, other, best))
}

/// Whether one of the variables stands in the node.
pub(crate) fn mentions<N: IrNode>(node: &N, vars: &[Var]) -> bool {
    let mut found = false;
    walk(node, |var: &Var| found |= vars.contains(var));
    found
}

pub(crate) fn mentions_var<N: IrNode>(node: &N, var: &Var) -> bool {
    mentions(node, std::slice::from_ref(var))
}

/// The buffers that the node loads from, each once.
pub(crate) fn loaded_buffers<N: IrNode>(node: &N) -> Vec<Buffer> {
    let mut found: Vec<Buffer> = Vec::new();
    walk(node, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, .. } if !found.contains(buffer) => found.push(buffer.clone()),
        _ => {}
    });
    found
}

/// Whether the expression's value depends on memory or on a foreign function.
pub(crate) fn reads_memory(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. }));
    found
}

/// The elements that formulas read and of which `is_meant` holds, each once, as far as their indices are known without
/// reading memory: an index that is read may be one only under a condition.
pub(crate) fn elements_read<'a>(
    formulas: impl IntoIterator<Item = &'a Expr>,
    is_meant: impl Fn(&Expr) -> bool,
) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for formula in formulas {
        walk(formula, |e: &Expr| {
            if let ExprKind::Load { indices, .. } = &e.kind
                && !indices.iter().any(reads_memory)
                && is_meant(e)
                && !found.iter().any(|known| e.equal(known))
            {
                found.push(e.clone());
            }
        });
    }
    found
}

/// Whether the expression has no value where one of its divisors is zero, which may be.
fn may_divide_by_zero(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| {
        if let ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, by) = &e.kind {
            found |= matches!(by.as_int(), None | Some(0 | -1));
        }
    });
    found
}

/// The level of the caches that a prefetch fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    First,
    Second,
}

/// A prefetch to L2 of an element, which need not exist. There is none where an index has a value only under a
/// condition, or is read from memory: that would have to exist.
pub(crate) fn prefetch(buffer: &Buffer, indices: Vec<Expr>, write: bool) -> Result<Stmt, Fault> {
    prefetch_into(Level::Second, buffer, indices, write)
}

/// The same, to a given level.
pub(crate) fn prefetch_into(level: Level, buffer: &Buffer, indices: Vec<Expr>, write: bool) -> Result<Stmt, Fault> {
    if indices.iter().any(|index| may_divide_by_zero(index) || reads_memory(index)) {
        return Ok(Stmt::nothing());
    }
    // LLVM's measure of locality, from 0 to 3.
    let locality = match level {
        Level::First => 3,
        Level::Second => 2,
    };
    typed_stmt(Stmt::prefetch(buffer, indices, write, locality))
}

/// The same of an element as it is read; nothing where the expression is none.
pub(crate) fn prefetch_element(element: &Expr) -> Result<Stmt, Fault> {
    match &element.kind {
        ExprKind::Load { buffer, indices, .. } => prefetch(buffer, indices.clone(), false),
        _ => Ok(Stmt::nothing()),
    }
}

/// Whether memory of which `which` says so is read only under a condition within the expression: in a branch of a
/// choice, or in the right operand of a scalar `and` or `or`. Without the condition it may not exist.
pub(crate) fn reads_under_condition(expr: &Expr, which: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    let mut see = |part: &Expr| walk(part, |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. }) && which(e));
    walk(expr, |e: &Expr| match &e.kind {
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => args.iter().skip(1).for_each(&mut see),
        ExprKind::Binary(BinOp::And | BinOp::Or, _, right) if e.dtype.is_scalar() => see(right),
        _ => {}
    });
    found
}

/// The node with values substituted for variables.
pub(crate) fn substituted<N: IrNode + Clone>(node: &N, values: &[(Var, Expr)]) -> N {
    let mut all = Substitute::default();
    all.values.extend(values.iter().map(|(var, value)| (var.id(), value.clone())));
    all.apply(node)
}

#[cfg(test)]
mod tests {
    use tilewright_tensor::DataType;

    use super::*;

    #[test]
    fn branches_and_right_operands_are_read_under_a_condition() {
        let x = Var::new("x", DataType::I64);
        let load = |name: &str| {
            let buffer = Buffer::new(name, vec![Expr::i64(4)], DataType::BOOL);
            Expr::load(&buffer, vec![Expr::var(&x)]).expect("one index for one dimension")
        };
        let named =
            |e: &Expr, wanted: &str| matches!(&e.kind, ExprKind::Load { buffer, .. } if &*buffer.name == wanted);
        let (a, b, c) = (load("a"), load("b"), load("c"));
        let of = |op| Expr::binary(op, &a, &b).expect("both are bool");
        let choice = Expr::call(Intrinsic::IfThenElse, &[a.clone(), b.clone(), c]).expect("all are bool");
        let both = Expr::select(&a, &b, &b).expect("all are bool");
        for (expr, conditional) in [
            (of(BinOp::And), vec!["b"]),
            (of(BinOp::Or), vec!["b"]),
            (of(BinOp::BitAnd), vec![]),
            (choice, vec!["b", "c"]),
            (both, vec![]),
        ] {
            let expr = expr.not().expect("it is bool");
            let found: Vec<&str> =
                ["a", "b", "c"].into_iter().filter(|name| reads_under_condition(&expr, |e| named(e, name))).collect();
            assert_eq!(found, conditional, "{expr:?}");
        }
    }
}
