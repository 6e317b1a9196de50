//! `UnifyThreadBinding`: the loops of a kernel that are bound to one tag become one loop, and all of these stand around
//! the kernel in the order in which they were met.
//!
//! A kernel begins at a loop on a block or thread that is in no other one.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Expr, ForKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use super::{Options, below, refuse, with};
use crate::stmt::{Result, analyzer_of, typed};
use crate::substitute::Substitute;

pub(super) fn unify_thread_binding(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Unify { analyzer: analyzer_of(function), launched: Vec::new(), inside: false };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

struct Launch {
    tag: Arc<str>,
    var: Var,
    min: Expr,
    extent: Expr,
}

struct Unify {
    analyzer: Analyzer,
    /// Of the current kernel, in order.
    launched: Vec<Launch>,
    inside: bool,
}

impl Unify {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::For { var, min, extent, kind: ForKind::ThreadBinding(tag), annotations, body } = &stmt.kind
        else {
            return below(stmt, &mut |s| self.stmt(s));
        };
        let begins = !std::mem::replace(&mut self.inside, true);
        if begins {
            self.launched.clear();
        }
        let thread = match self.launched.iter().find(|launch| launch.tag == *tag) {
            Some(known)
                if self.analyzer.prove_equal(&known.extent, extent) && self.analyzer.prove_equal(&known.min, min) =>
            {
                known.var.clone()
            }
            Some(known) => {
                let number = |e: &Expr| e.as_int().map_or_else(|| "a symbolic extent".to_owned(), |n| n.to_string());
                return refuse(format!(
                    "all loops that are bound to `{tag}` have the same extent, found {} and {}",
                    number(&known.extent),
                    number(extent)
                ));
            }
            None => {
                let var = Var::new(tag.replace('.', "_"), var.dtype);
                let (min, extent) = (min.clone(), extent.clone());
                self.launched.push(Launch { tag: tag.clone(), var: var.clone(), min, extent });
                var
            }
        };
        let value = typed(Expr::var(&thread).cast(var.dtype))?;
        let body = Substitute::value(var, value).apply(body);
        let mut body = with_stack(|| self.stmt(&body))?;
        if begins {
            self.inside = false;
            body = self.launched.drain(..).rev().fold(body, |body, launch| {
                let Launch { tag, var, min, extent } = launch;
                let kind = ForKind::ThreadBinding(tag);
                StmtKind::For { var, min, extent, kind, annotations: Attrs::new(), body }.into()
            });
        }
        Ok(annotated(body, annotations, var))
    }
}

/// The annotations of a bound loop: they go to the loop that stands there now, or to one of a single iteration.
fn annotated(stmt: Stmt, annotations: &Attrs, like: &Var) -> Stmt {
    if annotations.is_empty() {
        return stmt;
    }
    let mut kind = stmt.kind.clone();
    if let StmtKind::For { annotations: own, .. } = &mut kind {
        *own = annotations.clone();
        return kind.into();
    }
    let (min, extent) = (Expr::int(0, like.dtype), Expr::int(1, like.dtype));
    let annotations = annotations.clone();
    let var = Var::new("var", like.dtype);
    StmtKind::For { var, min, extent, kind: ForKind::Serial, annotations, body: stmt }.into()
}
