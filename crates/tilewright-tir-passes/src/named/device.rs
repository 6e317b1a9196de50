//! `AnnotateDeviceRegions`: what runs on the function's target, and not on its host, is marked as such.
//! `DecorateDeviceScope`: so is a function that runs on a device as a whole.

use tilewright_ir::tir::{Expr, ForKind, PrimFunc, Stmt, StmtKind};

use super::{Options, below, with};
use crate::stmt::Result;

pub(super) fn annotate_device_regions(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let target = function.attrs.get(tilewright_ir::tir::attr_names::TARGET).and_then(tilewright_ir::Attr::as_str);
    let Some(target) = target else {
        return super::refuse(
            "AnnotateDeviceRegions needs the attribute `target` of the function: use BindTarget first",
        );
    };
    // The host's part of the target is no part of the device's.
    let device = tilewright_target::split_host(target).0;
    let body = marked(&device, &function.body)?;
    Ok(with(function, body))
}

fn marked(device: &str, stmt: &Stmt) -> Result<Stmt> {
    let begins = match &stmt.kind {
        StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => true,
        StmtKind::Attr { key, .. } => matches!(&**key, "thread_extent" | "pipeline_exec_scope" | "device_scope"),
        _ => false,
    };
    if begins {
        let (node, value) = (Expr::str(device.to_owned()), Expr::i32(0));
        return Ok(StmtKind::Attr { node, key: "target".into(), value, body: stmt.clone() }.into());
    }
    below(stmt, &mut |s| marked(device, s))
}

pub(super) fn decorate_device_scope(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let (node, value) = (Expr::i32(0), Expr::i32(0));
    let body = StmtKind::Attr { node, key: "device_scope".into(), value, body: function.body.clone() };
    Ok(with(function, body.into()))
}
