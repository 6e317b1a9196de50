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
    let mut cx = Kernel { function, analyzer, axes: Vec::new(), bound: Vec::new(), outside: Vec::new() };
    let kernel = cx.stmt(stmt)?;
    let declared = |body, buffer| StmtKind::Allocate { buffer, body }.into();
    Ok(cx.outside.into_iter().fold(kernel, declared))
}

struct Kernel<'a> {
    function: &'a PrimFunc,
    analyzer: Analyzer,
    /// The loops over blocks and threads around.
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
        let (axes, bound, scope) = (self.axes.len(), self.bound.len(), self.analyzer.enter());
        match &stmt.kind {
            StmtKind::For { var, min, extent, kind, .. } => {
                if let ForKind::ThreadBinding(tag) = kind {
                    let is_block = tag.starts_with("blockIdx");
                    self.axes.push(Axis { var: var.clone(), extent: extent.clone(), is_block });
                }
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
        let placed = match below?.kind.clone() {
            StmtKind::Allocate { buffer, body } => self.place(&buffer, &body)?,
            kind => kind.into(),
        };
        self.axes.truncate(axes);
        Ok(placed)
    }

    fn place(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let views = has_views(body, buffer);
        let scope = buffer.scope.plain();
        if let Some(shape) = self.most(&buffer.shape).filter(|_| !views || buffer.constant_shape().is_some()) {
            let bytes = shape.iter().try_fold(buffer.dtype.bytes() as i64, |bytes, dim| bytes.checked_mul(*dim));
            if scope != Scope::Global || (bytes.is_some_and(|bytes| bytes <= MAX_THREAD_BYTES) && !views) {
                let own = buffer.derive(|node| {
                    node.scope = if scope == Scope::Global { Scope::Local } else { node.scope.clone() };
                    node.shape = node.shape.iter().zip(&shape).map(|(dim, most)| Expr::int(*most, dim.dtype)).collect();
                });
                let body = if views { body.clone() } else { moved(body, buffer, &own, None) };
                let buffer = if views { buffer.clone() } else { own };
                return Ok(StmtKind::Allocate { buffer, body }.into());
            }
        }
        let parts = self.axes.iter().filter(|axis| axis.extent.as_int() != Some(1));
        let parts: Vec<&Axis> = parts.filter(|axis| scope != Scope::Shared || axis.is_block).collect();
        if mentions(&buffer.shape, &self.bound) || (views && !parts.is_empty()) {
            let message = format!("temporary `{}` of each thread has a size that only the thread knows", buffer.name);
            let help = "declare it with a size of the function's arguments, and access it as it is declared";
            return Err(error_with_help("TW0561", &self.function.origins, message, help));
        }
        let (mut number, mut count) = (Expr::i64(0), Expr::i64(1));
        for Axis { var, extent, .. } in &parts {
            let extent = typed(extent.cast(DataType::I64))?;
            number = &(&number * &extent) + &typed(Expr::var(var).cast(DataType::I64))?;
            count = &count * &extent;
        }
        let alone = parts.is_empty();
        let outside = buffer.derive(|node| {
            node.scope = Scope::Global;
            if !alone {
                node.shape.insert(0, count);
                node.strides = Vec::new();
                node.axis_separators = Vec::new();
            }
        });
        if alone && scope == Scope::Global {
            // It may be declared in several places, one after the other.
            if !self.outside.contains(buffer) {
                self.outside.push(buffer.clone());
            }
            return Ok(body.clone());
        }
        let body = moved(body, buffer, &outside, (!alone).then_some(number));
        self.outside.push(outside);
        Ok(body)
    }

    /// The largest constant extents, where they are known.
    fn most(&self, shape: &[Expr]) -> Option<Vec<i64>> {
        let most = |dim: &Expr| dim.as_int().or_else(|| self.analyzer.bounds(dim).max);
        // The limit of a type is none of a size.
        shape.iter().map(|dim| most(dim).filter(|most| *most < i64::from(i32::MAX))).collect()
    }
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
