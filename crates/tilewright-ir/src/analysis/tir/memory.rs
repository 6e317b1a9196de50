//! Memory: who uses buffers, where, and how much is needed at once.

use tilewright_expr::node::{IrNode, VarId, rewrite, walk, walk_some};
use tilewright_support::{OrderedMap, Set, with_stack};

use crate::Attr;
use crate::tir::{Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};

/// The variables that are used in the statement and defined outside of it, each once, but for those in `defined`.
pub fn undefined_vars(stmt: &Stmt, defined: &[Var]) -> Vec<Var> {
    let mut inside: Set<VarId> = defined.iter().map(Var::id).collect();
    walk_some(stmt, |node| {
        if let Some(stmt) = node.downcast::<Stmt>() {
            let mut define = |var: &Var| {
                inside.insert(var.id());
            };
            super::walks::defined_by(stmt, &mut define);
            match &stmt.kind {
                StmtKind::For { annotations, .. } => bound_in(annotations.values(), &mut define),
                StmtKind::Block { block, .. } => bound_in(block.annotations.values(), &mut define),
                _ => {}
            }
        } else if let Some(expr) = node.downcast::<Expr>()
            && let ExprKind::Let { var, .. } = &expr.kind
        {
            inside.insert(var.id());
        }
        true
    });
    let mut found = Vec::new();
    walk(stmt, |var: &Var| {
        if inside.insert(var.id()) {
            found.push(var.clone());
        }
    });
    found
}

/// The variables that index maps among the attributes bind.
fn bound_in<'a>(attrs: impl Iterator<Item = &'a Attr>, define: &mut dyn FnMut(&Var)) {
    for attr in attrs {
        match attr {
            Attr::IndexMap(map) => map.initial().iter().for_each(&mut *define),
            Attr::Array(items) => bound_in(items.iter(), define),
            Attr::Map(fields) => bound_in(fields.values(), define),
            _ => {}
        }
    }
}

/// Of each buffer that the function uses, the innermost loop, block or allocation that holds all uses; `None` where
/// that is the function itself. A buffer counts as used where a block declares it too.
pub fn detect_buffer_access_lca(function: &PrimFunc) -> OrderedMap<Buffer, Option<Stmt>> {
    let mut walk = Lca { path: Vec::new(), found: OrderedMap::default() };
    for buffer in function.params.iter().filter_map(|param| param.buffer.as_ref()) {
        walk.found.insert(buffer.clone(), None);
    }
    walk.stmt(&function.body);
    let at = |path: Option<Vec<Stmt>>| path.and_then(|path| path.last().cloned());
    walk.found.into_iter().map(|(buffer, path)| (buffer, at(path))).collect()
}

struct Lca {
    /// The statements around that count, from outside inwards.
    path: Vec<Stmt>,
    /// Of each buffer the path that its uses have in common; `None` before its first use.
    found: OrderedMap<Buffer, Option<Vec<Stmt>>>,
}

impl Lca {
    fn touch(&mut self, buffer: &Buffer) {
        let known = self.found.entry(buffer.clone()).or_default();
        match known {
            None => *known = Some(self.path.clone()),
            Some(path) => {
                let common = path.iter().zip(&self.path).take_while(|(a, b)| a.same(b)).count();
                path.truncate(common);
            }
        }
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        for expr in exprs {
            let mut used = Vec::new();
            walk(expr, |buffer: &Buffer| used.push(buffer.clone()));
            used.iter().for_each(|buffer| self.touch(buffer));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.exprs(&stmt.own_exprs());
        match &stmt.kind {
            StmtKind::Store { buffer, .. } => self.touch(buffer),
            StmtKind::If { then, otherwise, .. } => {
                for branch in [then].into_iter().chain(otherwise) {
                    with_stack(|| self.stmt(branch));
                }
            }
            StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| with_stack(|| self.stmt(stmt))),
            StmtKind::Let { body, .. } | StmtKind::Attr { body, .. } => with_stack(|| self.stmt(body)),
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::Allocate { body, .. }
            | StmtKind::AllocateConst { body, .. } => {
                self.path.push(stmt.clone());
                with_stack(|| self.stmt(body));
                self.path.pop();
            }
            StmtKind::Block { block, .. } => {
                self.path.push(stmt.clone());
                for region in block.reads.iter().chain(&block.writes) {
                    self.touch(&region.buffer);
                    self.exprs(region.region.iter().flat_map(|range| [&range.min, &range.extent]));
                }
                block.match_buffers.iter().for_each(|matched| self.touch(&matched.source.buffer));
                for stmt in block.init.iter().chain([&block.body]) {
                    with_stack(|| self.stmt(stmt));
                }
                self.path.pop();
            }
            StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
        }
    }
}

/// The peak of the function's own memory in bytes, each allocation rounded up to a multiple of `align`. An
/// extent that is no constant is an error, and so is a size that 64 bits do not hold. Memory of a scope that is not the
/// device's global one does not count, and neither does a view of memory.
pub fn calculate_workspace_bytes(function: &PrimFunc, align: i64) -> Result<i64, String> {
    if align <= 0 {
        return Err(format!("an alignment of {align} bytes"));
    }
    Workspace { align, defined: given_memory(function) }.peak(&function.body)
}

/// The variables of memory that the function does not allocate: its parameters', constants', parts of other buffers,
/// and addresses that have names. A buffer that is declared on one of them is a view.
pub(super) fn given_memory(function: &PrimFunc) -> Set<VarId> {
    let mut given: Set<VarId> = function.params.iter().map(|param| param.var.id()).collect();
    given.extend(function.params.iter().filter_map(|param| param.buffer.as_ref()).map(|buffer| buffer.data.id()));
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::AllocateConst { buffer, .. } => drop(given.insert(buffer.data.id())),
        StmtKind::Let { var, .. } => drop(given.insert(var.id())),
        StmtKind::Block { block, .. } => given.extend(block.match_buffers.iter().map(|part| part.buffer.data.id())),
        _ => {}
    });
    given
}

/// The function with each allocation that is only used through a buffer declared on it, of the same elements, as the
/// allocation of that buffer; `None` where there is none. `data = T.allocate([n], …)` and `B = T.decl_buffer((n,), …,
/// data=data)` allocate `B`, and so does `B = T.decl_buffer((n,), …)`.
pub fn with_declared_allocations<N: IrNode>(node: &N) -> Option<N> {
    rewrite(node, |stmt: &Stmt| {
        let StmtKind::Allocate { buffer, body } = &stmt.kind else { return None };
        let mut used = false;
        walk(body, |other: &Buffer| used |= other == buffer);
        let declared = if used { None } else { declaration_of(body, buffer) }?;
        let is_it = |buffer: &Buffer| *buffer == declared;
        let inside = rewrite(body, |stmt: &Stmt| match &stmt.kind {
            StmtKind::Allocate { buffer, body } if is_it(buffer) => Some(body.clone()),
            _ => None,
        });
        let inside = inside.unwrap_or_else(|| body.clone());
        let body = match &inside.kind {
            StmtKind::Allocate { buffer, body } if is_it(buffer) => body.clone(),
            _ => inside,
        };
        Some(StmtKind::Allocate { buffer: declared, body }.into())
    })
}

/// The first declaration of the same elements in the same memory.
fn declaration_of(body: &Stmt, buffer: &Buffer) -> Option<Buffer> {
    let alike = |other: &Buffer| {
        let offset = other.elem_offset.as_ref().is_none_or(|offset| offset.as_int() == Some(0));
        let shape = other.shape.len() == buffer.shape.len()
            && other
                .shape
                .iter()
                .zip(&buffer.shape)
                .all(|(a, b)| a.equal(b) || (a.as_int().is_some() && a.as_int() == b.as_int()));
        other != buffer
            && other.data == buffer.data
            && other.dtype == buffer.dtype
            && other.scope == buffer.scope
            && other.strides.is_empty()
            && offset
            && shape
    };
    let mut found: Option<Buffer> = None;
    walk(&StmtKind::Seq(vec![body.clone()]), |stmt: &Stmt| {
        if let StmtKind::Allocate { buffer: other, .. } = &stmt.kind
            && found.is_none()
            && alike(other)
        {
            found = Some(other.clone());
        }
    });
    found
}

struct Workspace {
    align: i64,
    /// The variables of memory that exists around the statement.
    defined: Set<VarId>,
}

impl Workspace {
    fn peak(&mut self, stmt: &Stmt) -> Result<i64, String> {
        with_stack(|| match &stmt.kind {
            StmtKind::Allocate { buffer, body } => self.with_memory(std::slice::from_ref(buffer), |cx| cx.peak(body)),
            StmtKind::Block { block, .. } => self.with_memory(&block.alloc_buffers, |cx| {
                let init = block.init.as_ref().map_or(Ok(0), |init| cx.peak(init))?;
                Ok(init.max(cx.peak(&block.body)?))
            }),
            StmtKind::Seq(stmts) => stmts.iter().try_fold(0, |max, stmt| Ok(self.peak(stmt)?.max(max))),
            StmtKind::If { then, otherwise, .. } => {
                let otherwise = otherwise.as_ref().map_or(Ok(0), |stmt| self.peak(stmt))?;
                Ok(self.peak(then)?.max(otherwise))
            }
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::Let { body, .. }
            | StmtKind::AllocateConst { body, .. }
            | StmtKind::Attr { body, .. } => self.peak(body),
            StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => Ok(0),
        })
    }

    /// The peak of `inside`, plus the buffers that are no views.
    fn with_memory(
        &mut self,
        buffers: &[Buffer],
        inside: impl FnOnce(&mut Self) -> Result<i64, String>,
    ) -> Result<i64, String> {
        let own: Vec<&Buffer> = buffers.iter().filter(|buffer| self.defined.insert(buffer.data.id())).collect();
        let needed = inside(self)?;
        own.into_iter().try_fold(needed, |sum, buffer| {
            self.defined.remove(&buffer.data.id());
            sum.checked_add(bytes(buffer, self.align)?).ok_or_else(|| "the sizes are too large to add".to_owned())
        })
    }
}

fn bytes(buffer: &Buffer, align: i64) -> Result<i64, String> {
    if buffer.scope.plain() != crate::tir::Scope::Global {
        return Ok(0);
    }
    let Some(shape) = buffer.constant_shape() else {
        return Err(format!("the size of `{}` is no constant", buffer.name));
    };
    let bits = i64::from(buffer.dtype.bits) * i64::from(buffer.dtype.lanes);
    let size = shape.iter().try_fold(bits, |size, &extent| size.checked_mul(extent.max(0)));
    let size = size.and_then(|bits| bits.checked_add(7)).map(|bits| bits / 8);
    let rounded = size.and_then(|size| size.checked_add(align - 1)).map(|size| size / align * align);
    rounded.ok_or_else(|| format!("`{}` is too large", buffer.name))
}
