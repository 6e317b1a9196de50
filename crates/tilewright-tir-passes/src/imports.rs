//! `collect_imports`: code in LLVM's text form that a function brings with it.
//!
//! The annotation `pragma_import_llvm` of a loop, a block or a statement has the text, whose functions `T.call_extern`
//! calls by their names. Code generators find all texts of a function in its attribute `tilewright.llvm_imports`.

use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::tir::{ExprKind, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright_ir::{Attr, Attrs};

use crate::stmt::{Result, error_with_help};

/// The annotation that has a text.
const PRAGMA: &str = "pragma_import_llvm";

pub fn collect_imports(function: &PrimFunc) -> Result<PrimFunc> {
    let mut found: Vec<Option<Arc<str>>> = Vec::new();
    let of = |annotations: &Attrs| annotations.get(PRAGMA).map(|attr| attr.as_str().map(Arc::from));
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::For { annotations, .. } => found.extend(of(annotations)),
        StmtKind::Block { block, .. } => found.extend(of(&block.annotations)),
        StmtKind::Attr { key, value, .. } if &**key == PRAGMA => found.push(match &value.kind {
            ExprKind::Str(text) => Some(text.clone()),
            _ => None,
        }),
        _ => {}
    });
    if found.is_empty() {
        return Ok(function.clone());
    }
    let mut texts: Vec<Arc<str>> = Vec::new();
    for text in found {
        let Some(text) = text else {
            let message = format!("`{PRAGMA}` is not a text");
            let help = "give it LLVM's text form, as `tvm.contrib.clang.create_llvm` makes it of C";
            return Err(error_with_help("TW0561", &function.origins, message, help));
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let mut changed = function.clone();
    changed.attrs.insert(attr_names::LLVM_IMPORTS.into(), Attr::Array(texts.into_iter().map(Attr::Str).collect()));
    Ok(changed)
}
