//! How much arithmetic a function does.

use tilewright_support::{Map, with_stack};

use crate::IRModule;
use crate::tir::{BinOp, Expr, ExprKind, IterKind, PrimFunc, Stmt, StmtKind};
use crate::{Attr, GlobalFunc};

/// The attribute of a function that says how many operations it does.
const ESTIMATED: &str = "estimated_flops";

/// The arithmetic operations on floats and integers that values of stores take, times how often the stores run. Index
/// arithmetic does not count; of an `if` the dearer branch does; a `while` counts once. An extent that is no constant is
/// an error, and so is a number that 64 bits do not hold. A function may say the number itself by `estimated_flops`.
pub fn estimate_tir_flops(function: &PrimFunc) -> Result<f64, String> {
    if let Some(said) = function.attrs.get(ESTIMATED) {
        let number = match said {
            Attr::Float(value) => Some(value.0),
            other => other.as_int().map(|value| value as f64),
        };
        return number.ok_or_else(|| format!("`{ESTIMATED}` is {}, expected a number", said.in_words()));
    }
    stmt_flops(&function.body)
}

/// The operations of all PrimFuncs of the module together.
pub fn estimate_module_flops(module: &IRModule) -> Result<f64, String> {
    module.iter().try_fold(0.0, |sum, (_, function)| match function {
        GlobalFunc::Prim(function) => Ok(sum + estimate_tir_flops(function)?),
        GlobalFunc::Relax(_) => Ok(sum),
    })
}

fn stmt_flops(stmt: &Stmt) -> Result<f64, String> {
    with_stack(|| match &stmt.kind {
        StmtKind::Store { value, .. } => Ok(expr_flops(value, &mut Map::default())),
        StmtKind::For { var, extent, body, .. } => match extent.as_int() {
            Some(extent) => Ok(extent.max(0) as f64 * stmt_flops(body)?),
            None => Err(format!("the extent of loop `{}` is no constant", var.name)),
        },
        StmtKind::If { then, otherwise, .. } => {
            let otherwise = otherwise.as_ref().map_or(Ok(0.0), stmt_flops)?;
            Ok(stmt_flops(then)?.max(otherwise))
        }
        StmtKind::Let { value, body, .. } => Ok(expr_flops(value, &mut Map::default()) + stmt_flops(body)?),
        StmtKind::Block { block, .. } => {
            let body = stmt_flops(&block.body)?;
            let Some(init) = &block.init else { return Ok(body) };
            Ok(body + stmt_flops(init)? * init_share(block)?)
        }
        StmtKind::Seq(stmts) => stmts.iter().try_fold(0.0, |sum, stmt| Ok(sum + stmt_flops(stmt)?)),
        StmtKind::Evaluate(value) => Ok(expr_flops(value, &mut Map::default())),
        StmtKind::While { body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Attr { body, .. } => stmt_flops(body),
        StmtKind::Assert { .. } => Ok(0.0),
    })
}

/// Of the instances of a reduction, the part that runs the initial statement.
fn init_share(block: &crate::tir::Block) -> Result<f64, String> {
    block.iters.iter().filter(|iter| iter.kind == IterKind::Reduce).try_fold(1.0, |share, iter| {
        match iter.domain.extent.as_int() {
            Some(extent) => Ok(share / extent.max(1) as f64),
            None => Err(format!("the extent of axis `{}` is no constant", iter.var.name)),
        }
    })
}

/// The operations of a value; a shared node is computed once.
fn expr_flops(expr: &Expr, seen: &mut Map<usize, ()>) -> f64 {
    use tilewright_expr::node::AnyHandle;
    if expr.is_shared() && seen.insert(expr.address(), ()).is_some() {
        return 0.0;
    }
    let lanes = f64::from(expr.dtype.lanes.max(1));
    with_stack(|| match &expr.kind {
        ExprKind::Binary(op, a, b) => {
            let counts = !matches!(op, BinOp::And | BinOp::Or);
            f64::from(u8::from(counts)) * lanes + expr_flops(a, seen) + expr_flops(b, seen)
        }
        ExprKind::Compare(_, a, b) => lanes + expr_flops(a, seen) + expr_flops(b, seen),
        ExprKind::Select { condition, then, otherwise } => {
            expr_flops(condition, seen) + expr_flops(then, seen).max(expr_flops(otherwise, seen))
        }
        ExprKind::Call { args, .. } => lanes + args.iter().map(|arg| expr_flops(arg, seen)).sum::<f64>(),
        ExprKind::Foreign { args, .. } => args.iter().map(|arg| expr_flops(arg, seen)).sum(),
        ExprKind::Let { value, body, .. } => expr_flops(value, seen) + expr_flops(body, seen),
        ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Broadcast(a) | ExprKind::Reinterpret(a) => expr_flops(a, seen),
        ExprKind::Shuffle { vectors, .. } => vectors.iter().map(|vector| expr_flops(vector, seen)).sum(),
        _ => 0.0,
    })
}
