//! The loads of an expression, each with the conditions under which it is evaluated.

use tilewright_expr::node::AnyHandle;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic};
use tilewright_support::{Map, with_stack};

use crate::substitute::Substitute;

/// An access inside an expression, and the conditions under which it is evaluated.
pub(crate) struct Access {
    pub(crate) buffer: Buffer,
    pub(crate) indices: Vec<Expr>,
    pub(crate) path: Vec<Expr>,
}

/// What a load or store touches: each lane under its own predicate, where there is one.
pub(crate) fn accesses_of(buffer: &Buffer, indices: &[Expr], predicate: Option<&Expr>, path: &[Expr]) -> Vec<Access> {
    let under = |condition: Option<Expr>, indices: Vec<Expr>| {
        let path = path.iter().cloned().chain(condition).collect();
        Access { buffer: buffer.clone(), indices, path }
    };
    let lane_of = |number: usize| -> Option<Access> {
        let condition = lane(predicate?, number)?;
        let indices = indices.iter().map(|index| lane(index, number)).collect::<Option<_>>()?;
        Some(under(Some(condition), indices))
    };
    let lanes = predicate.map_or(0, |p| usize::from(p.dtype.lanes));
    match (0..lanes).map(lane_of).collect::<Option<Vec<_>>>() {
        Some(each) if !each.is_empty() => each,
        _ => vec![under(None, indices.to_vec())],
    }
}

/// One lane of a vector; a scalar is every lane.
pub(crate) fn lane(expr: &Expr, number: usize) -> Option<Expr> {
    match &expr.kind {
        _ if expr.dtype.is_scalar() => Some(expr.clone()),
        ExprKind::Broadcast(scalar) => Some(scalar.clone()),
        ExprKind::Ramp { base, stride } => {
            let number = Expr::int(i64::try_from(number).ok()?, stride.dtype);
            Expr::binary(BinOp::Add, base, &Expr::binary(BinOp::Mul, stride, &number).ok()?).ok()
        }
        _ => Expr::shuffle(vec![expr.clone()], vec![number]).ok(),
    }
}

/// The conditions under which a shared node was met first, by address.
pub(crate) type Seen = Map<usize, Vec<Expr>>;

/// All loads in the expression with the conditions on the way to them, inner indices first.
pub(crate) fn loads(expr: &Expr, path: &mut Vec<Expr>, seen: &mut Seen, found: &mut Vec<Access>) {
    if expr.is_shared() {
        match seen.get(&expr.address()) {
            // Met before under fewer conditions: the checks are there.
            Some(known) if known.len() <= path.len() && known.iter().zip(&*path).all(|(a, b)| a.same(b)) => return,
            Some(_) => {}
            None => drop(seen.insert(expr.address(), path.clone())),
        }
    }
    with_stack(|| loads_inside(expr, path, seen, found));
}

fn loads_inside(expr: &Expr, path: &mut Vec<Expr>, seen: &mut Seen, found: &mut Vec<Access>) {
    let mut each = |exprs: &[&Expr], path: &mut Vec<Expr>| {
        exprs.iter().for_each(|e| loads(e, path, seen, found));
    };
    match &expr.kind {
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => {
            let [condition, then, otherwise] = args.as_slice() else { return };
            each(&[condition], path);
            path.push(condition.clone());
            each(&[then], path);
            path.pop();
            if let Ok(not) = condition.not() {
                path.push(not);
                each(&[otherwise], path);
                path.pop();
            }
        }
        ExprKind::Load { buffer, indices, predicate } => {
            each(&indices.iter().chain(predicate).collect::<Vec<_>>(), path);
            found.extend(accesses_of(buffer, indices, predicate.as_ref(), path));
        }
        ExprKind::AddressOf { buffer, indices } => {
            each(&indices.iter().collect::<Vec<_>>(), path);
            // The address of the first element is there even where the buffer is empty.
            let plain = buffer.strides.is_empty() && buffer.elem_offset.is_none();
            if !plain || indices.iter().any(|index| index.as_int() != Some(0)) {
                found.extend(accesses_of(buffer, indices, None, path));
            }
        }
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => each(&[a, b], path),
        ExprKind::Select { condition, then, otherwise } => each(&[condition, then, otherwise], path),
        ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Broadcast(a) | ExprKind::Reinterpret(a) => each(&[a], path),
        ExprKind::Ramp { base, stride } => each(&[base, stride], path),
        ExprKind::Shuffle { vectors: parts, .. }
        | ExprKind::Call { args: parts, .. }
        | ExprKind::Foreign { args: parts, .. } => {
            each(&parts.iter().collect::<Vec<_>>(), path);
        }
        ExprKind::Let { var, value, body } => {
            each(&[value], path);
            let known = found.len();
            loads(body, path, seen, found);
            // Checks stand in front of the statement, where the variable is not bound.
            let mut inlined = Substitute::value(var, value.clone());
            for access in &mut found[known..] {
                access.indices = inlined.apply(&access.indices);
                access.path = inlined.apply(&access.path);
            }
        }
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Var(_) => {}
    }
}
