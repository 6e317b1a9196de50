//! `legalize_foreign`: turns buffer arguments of packed functions into tensors, before buffers lose their shapes.
//!
//! The address of a buffer's first element, as an argument of such a call, means the whole buffer; it becomes a tensor
//! with the buffer's dimensions ([`PACKED_TENSOR`]), which flat buffers do not have. Addresses of other elements stay
//! addresses. Packed functions run on the thread that called the program, one at a time: a parallel loop has none.

use tilewright_expr::node::{rewrite, walk, walk_some};
use tilewright_ir::low::PACKED_TENSOR;
use tilewright_ir::tir::{Expr, ExprKind, ForKind, ForeignCallee, PrimFunc, Stmt, StmtKind};
use tilewright_support::Diagnostics;
use tilewright_tensor::DataType;

use crate::stmt::{Result, error_with_help, with_body};

pub fn legalize_foreign(function: &PrimFunc) -> Result<PrimFunc> {
    refuse_in_parallel(function)?;
    let body = rewrite(&function.body, |expr: &Expr| {
        let ExprKind::Foreign { callee: ForeignCallee::Packed(name), args } = &expr.kind else { return None };
        if **name == *PACKED_TENSOR || !args.iter().any(is_whole) {
            return None;
        }
        let args = args.iter().map(|arg| if is_whole(arg) { tensor(arg) } else { arg.clone() }).collect();
        Some(Expr::foreign(expr.dtype, ForeignCallee::Packed(name.clone()), args))
    });
    Ok(body.map_or_else(|| function.clone(), |body| with_body(function, body)))
}

fn refuse_in_parallel(function: &PrimFunc) -> Result<()> {
    let mut found = Diagnostics::default();
    walk_some(&function.body, |node| {
        let Some(StmtKind::For { var, kind: ForKind::Parallel, body, .. }) =
            node.downcast::<Stmt>().map(|stmt| &stmt.kind)
        else {
            return true;
        };
        walk(body, |expr: &Expr| {
            if let ExprKind::Foreign { callee: ForeignCallee::Packed(name), .. } = &expr.kind {
                let message = format!("packed function `{name}` is called in the parallel loop over `{}`", var.name);
                let help = "such functions run one at a time: make the loop serial";
                found.0.extend(error_with_help("TW0561", &function.origins, message, help).0);
            }
        });
        false
    });
    if found.has_errors() { Err(found) } else { Ok(()) }
}

/// Whether the argument is the address of the first element of a compact buffer.
fn is_whole(arg: &Expr) -> bool {
    let ExprKind::AddressOf { buffer, indices } = &arg.kind else { return false };
    let starts_at_zero = buffer.elem_offset.as_ref().is_none_or(|offset| offset.as_int() == Some(0));
    starts_at_zero && buffer.strides.is_empty() && indices.iter().all(|index| index.as_int() == Some(0))
}

/// The buffer of an address, with its dimensions.
fn tensor(address: &Expr) -> Expr {
    let mut args = vec![address.clone()];
    if let ExprKind::AddressOf { buffer, .. } = &address.kind {
        args.extend(buffer.shape.iter().cloned());
    }
    Expr::foreign(DataType::HANDLE, ForeignCallee::Packed(PACKED_TENSOR.into()), args)
}
