//! `LowerOpaqueBlock`: opaque blocks as statements; their temporaries as allocations, predicates as conditions,
//! `pragma_…` annotations as attributes. Loops of one iteration without annotations are left out.

use tilewright_ir::tir::{Block, Expr, ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_ir::{Attr, Attrs};

use super::{Options, below, refuse, with};
use crate::stmt::Result;
use crate::substitute::Substitute;

pub(super) fn lower_opaque_block(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with(function, lowered(&function.body)?))
}

fn lowered(stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::Block { predicate, block, .. } => opened(predicate, block),
        StmtKind::For { var, min, extent, kind, annotations, body } => {
            let threads = matches!(kind, ForKind::ThreadBinding(_));
            let single = extent.as_int() == Some(1) && annotations.is_empty();
            let body = if single { Substitute::value(var, min.clone()).apply(body) } else { body.clone() };
            let body = lowered(&body)?;
            if single && !threads {
                return Ok(body);
            }
            let (pragmas, kept): (Attrs, Attrs) = annotations.clone().into_iter().partition(|(key, _)| is_pragma(key));
            let (min, extent, kind) = (min.clone(), extent.clone(), kind.clone());
            let stmt = StmtKind::For { var: var.clone(), min, extent, kind, annotations: kept, body };
            attributes(&pragmas, stmt.into())
        }
        _ => below(stmt, &mut lowered),
    }
}

fn opened(predicate: &Expr, block: &Block) -> Result<Stmt> {
    let name = &block.name;
    if !block.iters.is_empty() {
        return refuse(format!("block `{name}` has axes: make it opaque by ConvertBlocksToOpaque first"));
    }
    if block.init.is_some() {
        return refuse(format!("block `{name}` has a `T.init`: lower it by LowerInitBlock first"));
    }
    if !block.match_buffers.is_empty() {
        return refuse(format!("block `{name}` matches buffers: lower these by LowerMatchBuffer first"));
    }
    let mut body = lowered(&block.body)?;
    if predicate.as_int() != Some(1) {
        body = StmtKind::If { condition: predicate.clone(), then: body, otherwise: None }.into();
    }
    for buffer in block.alloc_buffers.iter().rev() {
        body = StmtKind::Allocate { buffer: buffer.clone(), body }.into();
    }
    let pragmas: Attrs = block.annotations.clone().into_iter().filter(|(key, _)| is_pragma(key)).collect();
    attributes(&pragmas, body)
}

fn is_pragma(key: &str) -> bool {
    key.starts_with("pragma_")
}

fn attributes(pragmas: &Attrs, body: Stmt) -> Result<Stmt> {
    let mut body = body;
    for (key, value) in pragmas.iter().rev() {
        let value = match value {
            Attr::Str(text) => Expr::str(text.clone()),
            Attr::Expr(value) => value.clone(),
            Attr::Bool(value) => Expr::bool(*value),
            Attr::Int(value) => Expr::i32(i32::try_from(*value).unwrap_or(i32::MAX)),
            Attr::Float(value) => Expr::float(value.0, tilewright_tensor::DataType::F32),
            other => return refuse(format!("the annotation `{key}` is {}, which no expression is", other.in_words())),
        };
        body = StmtKind::Attr { node: Expr::i32(0), key: key.clone(), value, body }.into();
    }
    Ok(body)
}
