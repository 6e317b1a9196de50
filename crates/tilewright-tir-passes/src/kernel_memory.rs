//! `place_kernel_memory`: temporaries that are declared inside of a kernel have a constant size there, or the host
//! declares them.
//!
//! Memory of a thread or of a block is as large as it can become. Where that is not known, and where it is of scope
//! `global` and not small, the host declares it around the kernel, with a part for each thread, or each block, of the
//! launch.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Buffer, Expr, ForKind, PrimFunc, Range, Scope, Stmt, StmtKind, Var};
use tilewright_support::Set;
use tilewright_tensor::DataType;

use crate::stmt::{Result, analyzer_of, error_with_help, map_below, mentions, typed, with_body};
use crate::substitute::reindex;

/// Bytes of a temporary up to which it is the thread's own.
const MAX_THREAD_BYTES: i64 = 1024;

pub fn place_kernel_memory(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(with_body(function, on_host(function, &function.body)?))
}

/// Kernels with what they need declared around them.
fn on_host(function: &PrimFunc, stmt: &Stmt) -> Result<Stmt> {
    let StmtKind::For { kind: ForKind::ThreadBinding(_), .. } = &stmt.kind else {
        return map_below(stmt, &mut |stmt| on_host(function, stmt));
    };
    let analyzer = analyzer_of(function);
    let mut cx = Kernel { function, analyzer, axes: axes_of(stmt), bound: Vec::new(), outside: Vec::new() };
    let kernel = cx.stmt(stmt)?;
    let declared = |body, buffer| StmtKind::Allocate { buffer, body }.into();
    Ok(cx.outside.into_iter().fold(kernel, declared))
}

struct Kernel<'a> {
    function: &'a PrimFunc,
    analyzer: Analyzer,
    /// The kernel's loops over blocks and threads, wherever in it they stand.
    axes: Vec<Axis>,
    /// Variables that are bound inside of the kernel.
    bound: Vec<Var>,
    /// What the host declares.
    outside: Vec<Buffer>,
}

/// A loop over blocks or threads.
struct Axis {
    var: Var,
    extent: Expr,
    is_block: bool,
}

impl Kernel<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let (bound, scope) = (self.bound.len(), self.analyzer.enter());
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => {
                self.bound.push(var.clone());
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
            }
            StmtKind::Let { var, value, .. } => {
                self.bound.push(var.clone());
                self.analyzer.bind_value(var, value);
            }
            _ => {}
        }
        let below = map_below(stmt, &mut |stmt| self.stmt(stmt));
        self.analyzer.leave(scope);
        self.bound.truncate(bound);
        match below?.kind.clone() {
            StmtKind::Allocate { buffer, body } => self.place(&buffer, &body),
            kind => Ok(kind.into()),
        }
    }

    fn place(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let views = has_views(body, buffer);
        let is_global = buffer.scope.plain() == Scope::Global;
        match self.most(&buffer.shape) {
            // What is viewed keeps its shape.
            Some(_) if views && !is_global && buffer.constant_shape().is_some() => {
                Ok(StmtKind::Allocate { buffer: buffer.clone(), body: body.clone() }.into())
            }
            Some(shape) if !views && (!is_global || is_small(buffer, &shape)) => Ok(inside(buffer, &shape, body)),
            _ => self.outside(buffer, body, views),
        }
    }

    /// The host declares the buffer, with a part for each thread or block.
    fn outside(&mut self, buffer: &Buffer, body: &Stmt, views: bool) -> Result<Stmt> {
        let scope = buffer.scope.plain();
        let parts = self.axes.iter().filter(|axis| axis.extent.as_int() != Some(1));
        let parts: Vec<&Axis> = parts.filter(|axis| scope != Scope::Shared || axis.is_block).collect();
        if mentions(&buffer.shape, &self.bound) || (views && !parts.is_empty()) {
            let message = format!("temporary `{}` of each thread has a size that only the thread knows", buffer.name);
            let help = "declare it with a size of the function's arguments, and access it as it is declared";
            return Err(error_with_help("TW0561", &self.function.origins, message, help));
        }
        if parts.is_empty() && scope == Scope::Global {
            // It may be declared in several places, one after the other.
            if !self.outside.contains(buffer) {
                self.outside.push(buffer.clone());
            }
            return Ok(body.clone());
        }
        let (mut number, mut count) = (Expr::i64(0), Expr::i64(1));
        for Axis { var, extent, .. } in &parts {
            let extent = typed(extent.cast(DataType::I64))?;
            number = &(&number * &extent) + &typed(Expr::var(var).cast(DataType::I64))?;
            count = &count * &extent;
        }
        let number = (!parts.is_empty()).then_some(number);
        let outside = buffer.derive(|node| {
            node.scope = Scope::Global;
            if number.is_some() {
                node.shape.insert(0, count);
                node.axis_separators = Vec::new();
            }
        });
        self.outside.push(outside.clone());
        Ok(moved(body, buffer, &outside, number))
    }

    /// The largest constant extents, where they are known.
    fn most(&self, shape: &[Expr]) -> Option<Vec<i64>> {
        let most = |dim: &Expr| dim.as_int().or_else(|| self.analyzer.bounds(dim).max);
        // The limit of a type is none of a size.
        shape.iter().map(|dim| most(dim).filter(|most| *most < i64::from(i32::MAX))).collect()
    }
}

/// The loops over blocks and threads of a kernel, outermost first.
fn axes_of(kernel: &Stmt) -> Vec<Axis> {
    let mut axes = Vec::new();
    tilewright_expr::node::walk(kernel, |stmt: &Stmt| {
        if let StmtKind::For { var, extent, kind: ForKind::ThreadBinding(tag), .. } = &stmt.kind {
            let is_block = tag.starts_with("blockIdx");
            axes.push(Axis { var: var.clone(), extent: extent.clone(), is_block });
        }
    });
    axes
}

/// Whether a temporary of these extents can be each thread's own.
fn is_small(buffer: &Buffer, shape: &[i64]) -> bool {
    let bytes = shape.iter().try_fold(buffer.dtype.bytes() as i64, |bytes, dim| bytes.checked_mul(*dim));
    bytes.is_some_and(|bytes| bytes <= MAX_THREAD_BYTES)
}

/// The statement around which the buffer is declared with constant extents, as a thread's own if it was global.
fn inside(buffer: &Buffer, shape: &[i64], body: &Stmt) -> Stmt {
    let own = buffer.derive(|node| {
        if node.scope.plain() == Scope::Global {
            node.scope = Scope::Local;
        }
        node.shape = node.shape.iter().zip(shape).map(|(dim, most)| Expr::int(*most, dim.dtype)).collect();
    });
    let body = moved(body, buffer, &own, None);
    StmtKind::Allocate { buffer: own, body }.into()
}

/// Whether other buffers view the memory.
fn has_views(body: &Stmt, buffer: &Buffer) -> bool {
    let mut found = Set::default();
    tilewright_expr::node::walk(body, |used: &Buffer| {
        if used.data == buffer.data {
            found.insert(used.id());
        }
    });
    found.len() > 1 || !buffer.strides.is_empty() || buffer.elem_offset.is_some()
}

/// The statement with another buffer, and one more index where it is said.
fn moved(body: &Stmt, from: &Buffer, to: &Buffer, number: Option<Expr>) -> Stmt {
    reindex(body, |buffer: &Buffer, indices: &[Expr]| {
        (buffer == from).then(|| {
            let first = number.iter().cloned();
            (to.clone(), first.chain(indices.iter().cloned()).collect())
        })
    })
}
