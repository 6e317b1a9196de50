//! Kernels of a function in the flat form for GPUs.

use tilewright_expr::node::walk;
use tilewright_support::{OrderedMap, Set};

use super::check::{BLOCKS, THREADS};
use crate::tir::{Buffer, Expr, ExprKind, ForKind, Stmt, StmtKind, Var, written_data};

/// A nest of loops over blocks and threads, as the device runs it.
#[derive(Clone, Debug)]
pub struct DeviceKernel {
    /// Numbers of blocks on x, y and z; 1 for an axis that the kernel does not have.
    pub grid: [Expr; 3],
    /// Numbers of threads of a block.
    pub block: [u32; 3],
    /// Memory of others that it uses, by one buffer each, in the order of first use; whether it writes it.
    pub memory: Vec<(Buffer, bool)>,
    /// Numbers from outside, in the order of first use.
    pub scalars: Vec<Var>,
    /// The whole nest.
    pub body: Stmt,
}

/// Whether a kernel begins at the statement.
pub fn begins_kernel(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::For { kind: ForKind::ThreadBinding(_), .. })
}

impl DeviceKernel {
    /// The kernel that begins at a statement.
    ///
    /// # Errors
    /// A number of blocks that the host cannot know, too many threads for a number of 32 bits.
    pub fn of(nest: &Stmt) -> Result<Self, String> {
        let mut bound = Set::default();
        let mut own = Set::default();
        let mut axes: Vec<(std::sync::Arc<str>, Expr)> = Vec::new();
        walk(nest, |stmt: &Stmt| match &stmt.kind {
            StmtKind::For { var, extent, kind, .. } => {
                bound.insert(var.id());
                if let ForKind::ThreadBinding(tag) = kind {
                    axes.push((tag.clone(), extent.clone()));
                }
            }
            StmtKind::Let { var, .. } => drop(bound.insert(var.id())),
            StmtKind::Allocate { buffer, .. } => drop(own.insert(buffer.data.id())),
            _ => {}
        });
        walk(nest, |expr: &Expr| {
            if let ExprKind::Let { var, .. } = &expr.kind {
                bound.insert(var.id());
            }
        });
        let mut kernel = Self {
            grid: [Expr::i64(1), Expr::i64(1), Expr::i64(1)],
            block: [1; 3],
            memory: Vec::new(),
            scalars: Vec::new(),
            body: nest.clone(),
        };
        for (tag, extent) in &axes {
            if let Some(axis) = BLOCKS.iter().position(|name| **name == **tag) {
                let mut known = true;
                walk(extent, |e: &Expr| known &= !is_device(e, &bound));
                if !known {
                    return Err(format!("the number of blocks on `{tag}` is not known before the kernel runs"));
                }
                kernel.grid[axis] = extent.clone();
            }
            if let Some(axis) = THREADS.iter().position(|name| **name == **tag) {
                let threads = extent.as_int().and_then(|threads| u32::try_from(threads).ok());
                kernel.block[axis] =
                    threads.ok_or_else(|| format!("the number of threads on `{tag}` is {extent:?}"))?;
            }
        }
        let written = written_data(nest);
        let mut memory: OrderedMap<_, Buffer> = OrderedMap::default();
        walk(nest, |buffer: &Buffer| {
            if !own.contains(&buffer.data.id()) {
                memory.entry(buffer.data.id()).or_insert_with(|| buffer.clone());
            }
        });
        kernel.memory = memory.into_iter().map(|(id, buffer)| (buffer, written.contains(&id))).collect();
        let mut scalars: OrderedMap<_, Var> = OrderedMap::default();
        walk(nest, |expr: &Expr| {
            if let ExprKind::Var(var) = &expr.kind
                && !bound.contains(&var.id())
                && !var.dtype.is_handle()
            {
                scalars.entry(var.id()).or_insert_with(|| var.clone());
            }
        });
        kernel.scalars = scalars.into_iter().map(|(_, var)| var).collect();
        Ok(kernel)
    }
}

/// Whether the value is in memory, or bound in the kernel.
fn is_device(expr: &Expr, bound: &Set<tilewright_expr::node::VarId>) -> bool {
    match &expr.kind {
        ExprKind::Load { .. } | ExprKind::Foreign { .. } => true,
        ExprKind::Var(var) => bound.contains(&var.id()),
        _ => false,
    }
}
