//! `MergeSharedMemoryAllocations`: the dynamic shared memory of a kernel as one allocation of bytes, of which each
//! temporary is a part.
//!
//! With the option `merge_static_smem` the shared memory of constant size is merged too. Parts begin at multiples of 16
//! bytes and of their elements.

use tilewright_arith::{Analyzer, worked_out};
use tilewright_expr::node::VarId;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ForKind, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::{Options, below, is_on, with};
use crate::stmt::{Result, typed};
use crate::substitute::{Substitute, moved_by};

pub(super) fn merge_shared_memory_allocations(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut body = merged("shared.dyn", "buf_dyn_shmem", &function.body)?;
    if is_on(options, "merge_static_smem") {
        body = merged("shared", "buf_shmem", &body)?;
    }
    Ok(with(function, body))
}

/// Bytes at multiples of which parts begin.
const ALIGN_BYTES: i64 = 16;

fn merged(scope: &str, name: &str, stmt: &Stmt) -> Result<Stmt> {
    let begins = match &stmt.kind {
        StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => true,
        StmtKind::Attr { key, .. } => &**key == "thread_extent",
        _ => false,
    };
    if !begins {
        return below(stmt, &mut |s| merged(scope, name, s));
    }
    let mut cx = Merge { scope, size: Expr::i32(0), parts: Map::default() };
    let body = cx.stmt(stmt)?;
    if cx.parts.len() < 2 {
        return Ok(stmt.clone());
    }
    let all = Buffer::new(name, vec![cx.size.clone()], DataType::U8);
    let all = all.derive(|node| node.scope = Scope::named(scope).unwrap_or_default());
    let mut views = Substitute::default();
    let mut elements: Vec<(Buffer, Expr)> = Vec::new();
    for (id, (buffer, start)) in &cx.parts {
        let bytes = buffer.dtype.bytes().max(1) as i64;
        let offset = typed(Expr::binary(BinOp::FloorDiv, start, &Expr::int(bytes, start.dtype)))?;
        let offset = Analyzer::new().simplify(&offset);
        let extent = buffer.shape.first().cloned().unwrap_or_else(|| Expr::i32(1));
        let end = typed(worked_out(BinOp::Add, &typed(offset.cast(extent.dtype))?, &extent))?;
        // A view begins with the memory: its own elements are the last ones.
        let view = buffer.derive(|node| {
            node.data = all.data.clone();
            node.shape = vec![end];
        });
        views.buffers.insert(*id, view.clone());
        elements.push((view, offset));
    }
    let mut body = views.apply(&body);
    for (view, offset) in elements.iter().filter(|(_, offset)| offset.as_int() != Some(0)) {
        body = moved_by(&body, view, view, offset)?;
    }
    Ok(StmtKind::Allocate { buffer: all, body }.into())
}

struct Merge<'a> {
    scope: &'a str,
    /// Bytes so far.
    size: Expr,
    /// By buffer: where its part begins, in bytes.
    parts: Map<VarId, (Buffer, Expr)>,
}

impl Merge<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::Allocate { buffer, body } = &stmt.kind else {
            return below(stmt, &mut |s| self.stmt(s));
        };
        let taken = self.parts.values().any(|(other, _)| other.data == buffer.data);
        if buffer.scope.name() == self.scope && !taken && buffer.rank() == 1 && buffer.strides.is_empty() {
            let bytes = Expr::i32(buffer.dtype.bytes().max(1) as i32);
            let align = Expr::i32(ALIGN_BYTES.max(buffer.dtype.bytes() as i64) as i32);
            let mut extent = typed(buffer.shape.first().cloned().unwrap_or_else(|| Expr::i32(1)).cast(DataType::I32))?;
            extent = typed(worked_out(BinOp::Mul, &extent, &bytes))?;
            let analyzer = Analyzer::new();
            let up = typed(self.size.ceil_div(align.as_int().unwrap_or(ALIGN_BYTES)))?;
            let start = analyzer.simplify(&typed(worked_out(BinOp::Mul, &up, &align))?);
            self.size = analyzer.simplify(&(&start + &extent));
            self.parts.insert(buffer.id(), (buffer.clone(), start));
        }
        let body = with_stack(|| self.stmt(body))?;
        Ok(StmtKind::Allocate { buffer: buffer.clone(), body }.into())
    }
}
