//! Programs in few words.

use tilewright_ir::Attrs;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ForKind, Intrinsic, IterKind, IterVar, Param, PrimFunc, Range,
    Scope, Stmt, StmtKind, Var,
};
use tilewright_support::Origins;
use tilewright_tensor::DataType;

pub(crate) fn var(name: &str) -> Var {
    Var::new(name, DataType::I32)
}

pub(crate) fn int(value: i64) -> Expr {
    Expr::int(value, DataType::I32)
}

pub(crate) fn float(value: f64) -> Expr {
    Expr::float(value, DataType::F32)
}

pub(crate) fn of(var: &Var) -> Expr {
    Expr::var(var)
}

pub(crate) fn buffer(name: &str, shape: &[i64]) -> Buffer {
    Buffer::new(name, shape.iter().map(|&d| int(d)).collect(), DataType::F32)
}

pub(crate) fn local(name: &str, shape: &[i64]) -> Buffer {
    buffer(name, shape).derive(|node| node.scope = Scope::Local)
}

pub(crate) fn load(buffer: &Buffer, indices: &[Expr]) -> Expr {
    Expr::load(buffer, indices.to_vec()).unwrap()
}

pub(crate) fn store(buffer: &Buffer, indices: &[Expr], value: &Expr) -> Stmt {
    Stmt::store(buffer, indices.to_vec(), value).unwrap()
}

pub(crate) fn binary(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::binary(op, a, b).unwrap()
}

pub(crate) fn less(a: &Expr, b: &Expr) -> Expr {
    Expr::compare(CmpOp::Lt, a, b).unwrap()
}

pub(crate) fn if_then_else(condition: &Expr, then: &Expr, otherwise: &Expr) -> Expr {
    Expr::call(Intrinsic::IfThenElse, &[condition.clone(), then.clone(), otherwise.clone()]).unwrap()
}

pub(crate) fn when(condition: Expr, then: Stmt, otherwise: Option<Stmt>) -> Stmt {
    StmtKind::If { condition, then, otherwise }.into()
}

/// Loops from the outermost to the innermost.
pub(crate) fn nest<'a>(loops: impl IntoIterator<Item = (&'a Var, i64, ForKind)>, body: Stmt) -> Stmt {
    let loops: Vec<_> = loops.into_iter().collect();
    loops.into_iter().rev().fold(body, |body, (var, extent, kind)| {
        Stmt::for_loop(var, Expr::int(0, var.dtype), Expr::int(extent, var.dtype), kind, body)
    })
}

pub(crate) fn serial(var: &Var, extent: i64) -> (&Var, i64, ForKind) {
    (var, extent, ForKind::Serial)
}

pub(crate) fn axis(var: &Var, extent: i64, kind: IterKind) -> IterVar {
    IterVar { var: var.clone(), domain: Range::up_to(int(extent)), kind }
}

pub(crate) fn element(buffer: &Buffer, indices: &[Expr]) -> BufferRegion {
    let region = indices.iter().map(|i| Range::new(i.clone(), Expr::int(1, i.dtype))).collect();
    BufferRegion { buffer: buffer.clone(), region }
}

pub(crate) fn block(
    name: &str,
    iters: Vec<IterVar>,
    writes: Vec<BufferRegion>,
    reads: Vec<BufferRegion>,
    body: Stmt,
) -> Block {
    Block {
        name: name.into(),
        iters,
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads,
        writes,
        annotations: Attrs::new(),
        init: None,
        body,
        origins: Origins::default(),
    }
}

pub(crate) fn realize(values: &[Expr], predicate: Expr, block: Block) -> Stmt {
    StmtKind::Block { values: values.to_vec(), predicate, block }.into()
}

pub(crate) fn function(params: &[&Buffer], temporaries: &[&Buffer], body: Stmt) -> PrimFunc {
    let params = params.iter().map(|b| Param::buffer(b)).collect();
    let temporaries = temporaries.iter().map(|&b| b.clone()).collect();
    PrimFunc::with_root(params, Attrs::new(), temporaries, body, Origins::default())
}
