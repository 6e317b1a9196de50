//! What devices ask of functions: memory that the host may not touch, limits of a kernel; and definitions that stand
//! once, indices that leave their buffer, sizes of constants.

use std::collections::BTreeMap;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, walk};
use tilewright_support::{Set, with_stack};

use super::memory::given_memory;
use crate::tir::{Buffer, Expr, ExprKind, ForKind, PrimFunc, Range, Stmt, StmtKind, Var};

/// Whether every variable is defined in one place.
pub fn verify_ssa(function: &PrimFunc) -> bool {
    let mut seen: Set<VarId> = Set::default();
    let mut once = true;
    for param in &function.params {
        once &= seen.insert(param.var.id());
    }
    let mut memory = given_memory(function);
    definitions(&function.body, &mut memory, &mut |var| once &= seen.insert(var.id()));
    once
}

fn definitions(stmt: &Stmt, memory: &mut Set<VarId>, f: &mut dyn FnMut(&Var)) {
    for expr in stmt.own_exprs() {
        walk(&StmtKind::Evaluate(expr), |e: &Expr| {
            if let ExprKind::Let { var, .. } = &e.kind {
                f(var);
            }
        });
    }
    match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => f(var),
        // A second buffer on memory inside of its allocation is a view.
        StmtKind::Allocate { buffer, body } if memory.insert(buffer.data.id()) => {
            f(&buffer.data);
            with_stack(|| definitions(body, memory, f));
            memory.remove(&buffer.data.id());
            return;
        }
        StmtKind::Block { block, .. } => block.iters.iter().for_each(|iter| f(&iter.var)),
        _ => {}
    }
    below(stmt, &mut |inner| with_stack(|| definitions(inner, memory, f)));
}

fn below(stmt: &Stmt, f: &mut dyn FnMut(&Stmt)) {
    match &stmt.kind {
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. } => f(body),
        StmtKind::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).for_each(f),
        StmtKind::Seq(stmts) => stmts.iter().for_each(f),
        StmtKind::Block { block, .. } => block.init.iter().chain([&block.body]).for_each(f),
        StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
    }
}

/// The buffers of device memory that the host touches: parameters that are accessed outside of all loops on threads.
pub fn touched_by_host(function: &PrimFunc) -> Vec<Buffer> {
    let memory: Set<VarId> =
        function.params.iter().filter_map(|param| param.buffer.as_ref()).map(|buffer| buffer.data.id()).collect();
    let mut found = Vec::new();
    outside_of_threads(&function.body, &memory, &mut found);
    found
}

fn outside_of_threads(stmt: &Stmt, memory: &Set<VarId>, found: &mut Vec<Buffer>) {
    if matches!(stmt.kind, StmtKind::For { kind: ForKind::ThreadBinding(_), .. }) {
        return;
    }
    let mut touch = |buffer: &Buffer| {
        if memory.contains(&buffer.data.id()) && !found.contains(buffer) {
            found.push(buffer.clone());
        }
    };
    if let StmtKind::Store { buffer, .. } = &stmt.kind {
        touch(buffer);
    }
    for expr in stmt.own_exprs() {
        walk(&StmtKind::Evaluate(expr), |e: &Expr| {
            if let ExprKind::Load { buffer, .. } = &e.kind {
                touch(buffer);
            }
        });
    }
    below(stmt, &mut |inner| with_stack(|| outside_of_threads(inner, memory, found)));
}

/// What the kernels of a function need, by the names of the limits.
pub type Needs = BTreeMap<&'static str, i64>;

/// The greatest need of any kernel, a kernel being an outermost loop on blocks or threads.
pub fn kernel_needs(function: &PrimFunc) -> Needs {
    let mut all = Needs::new();
    let mut open = vec![function.body.clone()];
    while let Some(stmt) = open.pop() {
        if matches!(stmt.kind, StmtKind::For { kind: ForKind::ThreadBinding(_), .. }) {
            *all.entry("max_kernels").or_default() += 1;
            let mut kernel = Needs::new();
            let mut threads: BTreeMap<String, i64> = BTreeMap::new();
            needs(&stmt, &mut kernel, &mut threads);
            let size = |tag: &str| threads.get(tag).copied().unwrap_or(1);
            for (name, tag) in
                [("max_thread_x", "threadIdx.x"), ("max_thread_y", "threadIdx.y"), ("max_thread_z", "threadIdx.z")]
            {
                kernel.insert(name, size(tag));
            }
            let product = |a: i64, b: i64| a.saturating_mul(b);
            kernel.insert(
                "max_threads_per_block",
                product(product(size("threadIdx.x"), size("threadIdx.y")), size("threadIdx.z")),
            );
            let virtual_threads = threads.iter().filter(|(tag, _)| tag.starts_with("vthread"));
            kernel.insert("max_vthread", virtual_threads.fold(1, |all, (_, &extent)| product(all, extent)));
            for (name, need) in kernel {
                let known = all.entry(name).or_default();
                *known = need.max(*known);
            }
            continue;
        }
        below(&stmt, &mut |inner| open.push(inner.clone()));
    }
    all
}

fn needs(stmt: &Stmt, kernel: &mut Needs, threads: &mut BTreeMap<String, i64>) {
    match &stmt.kind {
        StmtKind::For { kind: ForKind::ThreadBinding(tag), extent, .. } => {
            threads.insert(tag.to_string(), extent.as_int().unwrap_or(1));
        }
        StmtKind::Allocate { buffer, .. } => memory(buffer, kernel),
        StmtKind::Block { block, .. } => block.alloc_buffers.iter().for_each(|buffer| memory(buffer, kernel)),
        _ => {}
    }
    let mut widest = 0;
    for expr in stmt.own_exprs() {
        walk(&StmtKind::Evaluate(expr), |e: &Expr| {
            if matches!(e.kind, ExprKind::Load { .. }) && !e.dtype.is_scalar() {
                widest = widest.max(i64::from(e.dtype.bits) * i64::from(e.dtype.lanes) / 8);
            }
        });
    }
    if let StmtKind::Store { value, .. } = &stmt.kind
        && !value.dtype.is_scalar()
    {
        widest = widest.max(i64::from(value.dtype.bits) * i64::from(value.dtype.lanes) / 8);
    }
    let known = kernel.entry("max_vector_bytes").or_default();
    *known = widest.max(*known);
    below(stmt, &mut |inner| with_stack(|| needs(inner, kernel, threads)));
}

fn memory(buffer: &Buffer, kernel: &mut Needs) {
    let Some(bytes) = bytes(buffer) else { return };
    let name = match buffer.scope.plain() {
        crate::tir::Scope::Shared => "max_shared_memory_per_block",
        crate::tir::Scope::Local => "max_local_memory_per_block",
        _ => return,
    };
    let known = kernel.entry(name).or_default();
    *known = known.saturating_add(bytes);
}

fn bytes(buffer: &Buffer) -> Option<i64> {
    let bits = i64::from(buffer.dtype.bits) * i64::from(buffer.dtype.lanes);
    let count = buffer.constant_shape()?.iter().try_fold(1i64, |all, &extent| all.checked_mul(extent.max(0)))?;
    Some(count.checked_mul(bits)?.checked_add(7)? / 8)
}

/// The bytes of the function's allocations, by the scope of memory.
pub fn allocated_bytes(function: &PrimFunc) -> BTreeMap<String, i64> {
    let mut memory = given_memory(function);
    let mut found = BTreeMap::new();
    allocations(&function.body, &mut memory, &mut found);
    found
}

fn allocations(stmt: &Stmt, memory: &mut Set<VarId>, found: &mut BTreeMap<String, i64>) {
    let own: &[Buffer] = match &stmt.kind {
        StmtKind::Allocate { buffer, .. } => std::slice::from_ref(buffer),
        StmtKind::Block { block, .. } => &block.alloc_buffers,
        _ => &[],
    };
    for buffer in own {
        if memory.insert(buffer.data.id())
            && let Some(bytes) = bytes(buffer)
        {
            let known = found.entry(buffer.scope.name().to_owned()).or_default();
            *known = known.saturating_add(bytes);
        }
    }
    below(stmt, &mut |inner| with_stack(|| allocations(inner, memory, found)));
}

/// The bytes of the constants that the function carries, each rounded up to a multiple of `align`.
pub fn constant_bytes(function: &PrimFunc, align: i64) -> Result<i64, String> {
    if align <= 0 {
        return Err(format!("an alignment of {align} bytes"));
    }
    let mut all = 0i64;
    walk(&function.body, |stmt: &Stmt| {
        if let StmtKind::AllocateConst { buffer, .. } = &stmt.kind {
            let rounded = bytes(buffer).and_then(|b| b.checked_add(align - 1)).map_or(0, |b| b / align * align);
            all = all.saturating_add(rounded);
        }
    });
    Ok(all)
}

/// Accesses of which some iteration certainly leaves the buffer: the buffer, the dimension, and its extent.
pub fn out_of_bounds(function: &PrimFunc) -> Vec<(Buffer, usize, Expr)> {
    let mut cx = Bounds { analyzer: Analyzer::new(), found: Vec::new() };
    cx.stmt(&function.body);
    cx.found
}

struct Bounds {
    analyzer: Analyzer,
    found: Vec<(Buffer, usize, Expr)>,
}

impl Bounds {
    fn check(&mut self, buffer: &Buffer, indices: &[Expr]) {
        for (dim, (index, extent)) in indices.iter().zip(&buffer.shape).enumerate() {
            let (reached, size) = (self.analyzer.bounds(index), self.analyzer.bounds(extent));
            // Ends that the type alone gives say nothing.
            let of_type = tilewright_arith::IntBounds::of_type(index.dtype.element());
            let below = reached.min.is_some_and(|min| min < 0 && Some(min) != of_type.min);
            let above = reached.max.zip(size.max).is_some_and(|(last, size)| last >= size);
            let above = above && reached.max != of_type.max;
            if below || above {
                self.found.push((buffer.clone(), dim, index.clone()));
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        for expr in stmt.own_exprs() {
            walk(&StmtKind::Evaluate(expr), |e: &Expr| {
                if let ExprKind::Load { buffer, indices, .. } = &e.kind {
                    self.check(buffer, indices);
                }
            });
        }
        let scope = self.analyzer.enter();
        match &stmt.kind {
            StmtKind::Store { buffer, indices, .. } => self.check(buffer, indices),
            StmtKind::For { var, min, extent, .. } => {
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
            }
            StmtKind::Let { var, value, .. } if var.dtype.is_int() => self.analyzer.bind_value(var, value),
            StmtKind::Block { values, predicate, block } => {
                self.analyzer.assume(predicate);
                for (iter, value) in block.iters.iter().zip(values) {
                    self.analyzer.bind_value(&iter.var, value);
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                let inner = self.analyzer.enter();
                self.analyzer.assume(condition);
                with_stack(|| self.stmt(then));
                self.analyzer.leave(inner);
                if let (Some(otherwise), Ok(opposite)) = (otherwise, condition.not()) {
                    self.analyzer.assume(&opposite);
                    with_stack(|| self.stmt(otherwise));
                }
                self.analyzer.leave(scope);
                return;
            }
            _ => {}
        }
        below(stmt, &mut |inner| with_stack(|| self.stmt(inner)));
        self.analyzer.leave(scope);
    }
}
