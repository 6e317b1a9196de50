//! `place_kernel_memory`: temporaries of scope `global` that are declared inside of a kernel.
//!
//! A small one of constant size is the thread's own. Any other one is declared by the host around the kernel, with a
//! part for each thread of the launch.

use tilewright_ir::tir::{Buffer, Expr, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_support::Set;
use tilewright_tensor::DataType;

use crate::stmt::{Result, error_with_help, map_below, mentions, typed, with_body};
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
    let mut cx = Kernel { function, axes: Vec::new(), bound: Vec::new(), outside: Vec::new() };
    let kernel = cx.stmt(stmt)?;
    let declared = |body, buffer| StmtKind::Allocate { buffer, body }.into();
    Ok(cx.outside.into_iter().fold(kernel, declared))
}

struct Kernel<'a> {
    function: &'a PrimFunc,
    /// The loops over blocks and threads around.
    axes: Vec<(Var, Expr)>,
    /// Variables that are bound inside of the kernel.
    bound: Vec<Var>,
    /// What the host declares.
    outside: Vec<Buffer>,
}

impl Kernel<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let (axes, bound) = (self.axes.len(), self.bound.len());
        match &stmt.kind {
            StmtKind::For { var, extent, kind, .. } => {
                if matches!(kind, ForKind::ThreadBinding(_)) {
                    self.axes.push((var.clone(), extent.clone()));
                }
                self.bound.push(var.clone());
            }
            StmtKind::Let { var, .. } => self.bound.push(var.clone()),
            _ => {}
        }
        let below = map_below(stmt, &mut |stmt| self.stmt(stmt));
        self.bound.truncate(bound);
        let placed = match below?.kind.clone() {
            StmtKind::Allocate { buffer, body } if buffer.scope.plain() == Scope::Global => {
                self.place(&buffer, &body)?
            }
            kind => kind.into(),
        };
        self.axes.truncate(axes);
        Ok(placed)
    }

    fn place(&mut self, buffer: &Buffer, body: &Stmt) -> Result<Stmt> {
        let elements = buffer.constant_shape().map(|shape| shape.iter().product::<i64>());
        let bytes = elements.and_then(|elements| elements.checked_mul(buffer.dtype.bytes() as i64));
        let views = has_views(body, buffer);
        if bytes.is_some_and(|bytes| bytes <= MAX_THREAD_BYTES) && !views {
            let own = buffer.derive(|node| node.scope = Scope::Local);
            let body = moved(body, buffer, &own, None);
            return Ok(StmtKind::Allocate { buffer: own, body }.into());
        }
        let threads = self.axes.iter().filter(|(_, extent)| extent.as_int() != Some(1));
        let threads: Vec<&(Var, Expr)> = threads.collect();
        if mentions(&buffer.shape, &self.bound) || (views && !threads.is_empty()) {
            let message = format!("temporary `{}` of each thread has a size that only the thread knows", buffer.name);
            let help = "declare it with a size of the function's arguments, and access it as it is declared";
            return Err(error_with_help("TW0561", &self.function.origins, message, help));
        }
        if threads.is_empty() {
            self.outside.push(buffer.clone());
            return Ok(body.clone());
        }
        let (mut number, mut count) = (Expr::i64(0), Expr::i64(1));
        for (var, extent) in threads {
            let extent = typed(extent.cast(DataType::I64))?;
            number = &(&number * &extent) + &typed(Expr::var(var).cast(DataType::I64))?;
            count = &count * &extent;
        }
        let outside = buffer.derive(|node| {
            node.shape.insert(0, count);
            node.strides = Vec::new();
            node.axis_separators = Vec::new();
        });
        let body = moved(body, buffer, &outside, Some(number));
        self.outside.push(outside);
        Ok(body)
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
