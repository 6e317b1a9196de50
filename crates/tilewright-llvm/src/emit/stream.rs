//! Streams: large tensors that a kernel only writes go past the caches.
//!
//! A plain store reads the line that it changes; where a kernel fills a tensor that no cache holds, that is a third of its
//! traffic. A store to such a tensor of whole neighbouring lanes is non-temporal where its address is aligned for it,
//! and plain elsewhere. Other threads see such stores after a fence, which ends each function that makes them.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Set, with_stack};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::function::FnCx;
use super::text::{Mem, Value};

/// Bytes that non-temporal stores are aligned to: a line of every CPU's caches.
const LINE: usize = 64;
/// The narrowest vector that has such a store.
const MIN_BYTES: usize = 16;

/// A result is streamed to if it is at least such a part of the last-level cache, and all arguments together fill it.
const PART: u64 = 4;

/// The data variables of the arguments that the kernel streams to: those that the last-level cache does not hold beside the
/// others, that are never read, and written once as far as loops tell.
pub(crate) fn streamed(function: &PrimFunc, target: &Target) -> Set<VarId> {
    let bytes = |buffer: &Buffer| {
        let elements = buffer.constant_shape().and_then(|shape| shape.first().copied()).unwrap_or(0);
        elements.unsigned_abs().saturating_mul(buffer.dtype.element_bytes() as u64)
    };
    let buffers = || function.params.iter().filter_map(|param| param.buffer.as_ref());
    let all = buffers().fold(0u64, |sum, buffer| sum.saturating_add(bytes(buffer)));
    let cache = target.limits.l3_bytes.max(1 << 20);
    if all < cache {
        return Set::default();
    }
    let large = |buffer: &&Buffer| bytes(buffer).saturating_mul(PART) >= cache;
    let mut candidates: Set<VarId> = buffers().filter(large).map(|buffer| buffer.data.id()).collect();
    if candidates.is_empty() {
        return candidates;
    }
    walk(&function.body, |e: &Expr| {
        if let ExprKind::Load { buffer, .. } | ExprKind::AddressOf { buffer, .. } = &e.kind {
            candidates.remove(&buffer.data.id());
        }
    });
    keep_written_once(&function.body, &mut Vec::new(), &mut candidates);
    candidates
}

/// Takes out what is stored to in a loop that its index does not depend on.
fn keep_written_once(stmt: &Stmt, loops: &mut Vec<Option<Var>>, candidates: &mut Set<VarId>) {
    let known = loops.len();
    match &stmt.kind {
        StmtKind::Store { buffer, indices, .. } => {
            let depends = |var: &Option<Var>| {
                let mut found = false;
                walk(indices, |v: &Var| found |= var.as_ref() == Some(v));
                found
            };
            if !loops.iter().all(depends) {
                candidates.remove(&buffer.data.id());
            }
        }
        StmtKind::For { var, .. } => loops.push(Some(var.clone())),
        // Nobody knows how often it runs.
        StmtKind::While { .. } => loops.push(None),
        _ => {}
    }
    match &stmt.kind {
        StmtKind::Seq(stmts) => stmts.iter().for_each(|s| keep_written_once(s, loops, candidates)),
        StmtKind::If { then, otherwise, .. } => {
            for branch in [then].into_iter().chain(otherwise) {
                with_stack(|| keep_written_once(branch, loops, candidates));
            }
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Allocate { body, .. } => with_stack(|| keep_written_once(body, loops, candidates)),
        StmtKind::Store { .. } | StmtKind::Block { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
    }
    loops.truncate(known);
}

impl FnCx<'_, '_> {
    /// Stores neighbouring lanes past the caches where the address allows it.
    pub(crate) fn store_streamed(&mut self, address: &Value, value: &Value, dtype: DataType) {
        let bytes = dtype.element_bytes() * usize::from(dtype.lanes);
        if bytes < MIN_BYTES || !bytes.is_power_of_two() {
            return self.store_vector(address, value, dtype);
        }
        let align = bytes.min(LINE);
        let number = self.body.assign(format_args!("ptrtoint ptr {address} to i64"));
        let rest = self.body.assign(format_args!("and i64 {number}, {}", align - 1));
        let aligned = self.body.assign(format_args!("icmp eq i64 {rest}, 0"));
        let (past, plain, done) = (self.body.label(), self.body.label(), self.body.label());
        self.body.branch(&aligned, past, plain);
        self.body.start(past);
        self.body.line(format_args!("store {} {value}, ptr {address}, align {align}, !nontemporal !0", Mem(dtype)));
        self.body.jump(done);
        self.body.start(plain);
        self.store_vector(address, value, dtype);
        self.body.jump(done);
        self.body.start(done);
        self.streams = true;
    }
}
