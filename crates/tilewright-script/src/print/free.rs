//! Variables and buffers that a text uses and does not define: a statement by itself is printed after their
//! declarations, and so is an expression where the options ask for it.
//!
//! ```text
//! x = T.int32()
//! A = T.Buffer((128, 128), "float16")
//! A[x, 0] = T.float16(1.0)
//! ```

use tilewright_expr::node::{IrNode, VarId, walk, walk_some};
use tilewright_expr::{Buffer, Expr, Var};
use tilewright_ir::analysis::tir::undefined_vars;
use tilewright_ir::analysis::{defined_symbolic_vars, free_vars};
use tilewright_ir::json::Node;
use tilewright_ir::relax;
use tilewright_ir::tir::{Stmt, StmtKind};
use tilewright_support::NearSet;

use super::Printer;

/// Something that is used and not defined.
enum Free {
    Scalar(Var),
    Buffer(Buffer),
    Graph(relax::Var),
}

/// What the node uses and does not define, in the order of first use.
fn free(node: &Node) -> Vec<Free> {
    match node {
        Node::Stmt(stmt) => of_loops(stmt),
        Node::Scalar(expr) => of_loops(&StmtKind::Evaluate(expr.clone()).into()),
        Node::Var(var) => vec![Free::Scalar(var.clone())],
        Node::Buffer(buffer) => vec![Free::Buffer(buffer.clone())],
        Node::Region(region) => {
            let mut found = vec![Free::Buffer(region.buffer.clone())];
            found.extend(scalars(region).filter(|var| !var.dtype.is_handle()).map(Free::Scalar));
            found
        }
        Node::MatchBuffer(matched) => free(&Node::Region(matched.source.clone())),
        Node::Block(block) => {
            let (values, predicate) = (Vec::new(), Expr::bool(true));
            of_loops(&StmtKind::Block { values, predicate, block: (**block).clone() }.into())
        }
        Node::IterVar(iter) => [iter.var.clone()].into_iter().chain(scalars(&iter.domain)).map(Free::Scalar).collect(),
        Node::Range(range) => scalars(range).map(Free::Scalar).collect(),
        Node::Info(info) => scalars(info).map(Free::Scalar).collect(),
        Node::Relax(expr) => of_graph(expr, free_vars(expr)),
        Node::GraphVar(var) => of_graph(var, vec![var.clone()]),
        Node::BindingBlock(block) => of_graph(block, unbound(free_vars(block), block.bindings.iter())),
        Node::Seq(seq) => {
            let bindings = seq.blocks.iter().flat_map(|block| &block.bindings);
            of_graph(seq, unbound(free_vars(seq), bindings))
        }
        _ => Vec::new(),
    }
}

/// The variables that none of the bindings is of.
fn unbound<'b>(vars: Vec<relax::Var>, bindings: impl Iterator<Item = &'b relax::Binding> + Clone) -> Vec<relax::Var> {
    vars.into_iter().filter(|var| bindings.clone().all(|binding| binding.var != *var)).collect()
}

fn scalars<N: IrNode>(node: &N) -> impl Iterator<Item = Var> + use<N> {
    let (mut seen, mut found): (NearSet<VarId>, Vec<Var>) = Default::default();
    walk(node, |var: &Var| {
        if seen.insert(var.id()) {
            found.push(var.clone());
        }
    });
    found.into_iter()
}

fn of_graph<N: IrNode>(node: &N, vars: Vec<relax::Var>) -> Vec<Free> {
    let mut found = Vec::new();
    let mut seen: NearSet<VarId> = NearSet::default();
    for var in vars {
        let own = scalars(&var.struct_info).filter(|dim| seen.insert(dim.id()));
        found.extend(own.map(Free::Scalar));
        found.push(Free::Graph(var));
    }
    let defined: NearSet<VarId> = defined_symbolic_vars(node).iter().map(Var::id).collect();
    let rest = scalars(node).filter(|dim| !defined.contains(&dim.id()) && seen.insert(dim.id()));
    found.extend(rest.map(Free::Scalar));
    found
}

fn of_loops(stmt: &Stmt) -> Vec<Free> {
    let undefined: NearSet<VarId> = undefined_vars(stmt, &[]).iter().map(Var::id).collect();
    let declared = declared_buffers(stmt);
    let (mut seen, mut memory): (NearSet<VarId>, NearSet<VarId>) = Default::default();
    let mut found = Vec::new();
    walk_some(stmt, |node| {
        if let Some(buffer) = node.downcast::<Buffer>() {
            memory.insert(buffer.data.id());
            if !declared.contains(&buffer.id()) && seen.insert(buffer.id()) {
                found.push(Free::Buffer(buffer.clone()));
            }
        }
        if let Some(expr) = node.downcast::<Expr>()
            && let Some(var) = expr.as_var()
            && undefined.contains(&var.id())
            && seen.insert(var.id())
        {
            found.push(Free::Scalar(var.clone()));
        }
        true
    });
    // The name of a buffer means its memory.
    found.retain(|item| !matches!(item, Free::Scalar(var) if memory.contains(&var.id())));
    found
}

/// The buffers that statements inside declare.
fn declared_buffers(stmt: &Stmt) -> NearSet<VarId> {
    let mut declared: NearSet<VarId> = NearSet::default();
    walk_some(stmt, |node| {
        match node.downcast::<Stmt>().map(|stmt| &stmt.kind) {
            Some(StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. }) => {
                declared.insert(buffer.id());
            }
            Some(StmtKind::Block { block, .. }) => {
                declared.extend(block.alloc_buffers.iter().map(Buffer::id));
                declared.extend(block.match_buffers.iter().map(|matched| matched.buffer.id()));
            }
            _ => {}
        }
        true
    });
    declared
}

impl Printer<'_> {
    /// A declaration for each variable and buffer that the node uses and does not define.
    pub(super) fn declare_free(&mut self, node: &Node) {
        for item in free(node) {
            match item {
                Free::Scalar(var) if self.names.get(var.id()).is_some() => {}
                Free::Scalar(var) => {
                    self.doc.line();
                    self.declare_variable(&var);
                }
                Free::Buffer(buffer) if self.names.get(buffer.id()).is_some() => {}
                Free::Buffer(buffer) => self.declaration(&buffer, "Buffer"),
                Free::Graph(var) => {
                    self.doc.line();
                    let name = self.names.define(var.id(), &var.name);
                    self.doc.write(format_args!("{name}: "));
                    self.info(&var.struct_info);
                }
            }
        }
    }

    /// `x = T.int32()` for each variable of a function to which nothing gives a value.
    pub(super) fn declare_undefined(&mut self, body: &Stmt) {
        for var in undefined_vars(body, &[]) {
            if self.names.get(var.id()).is_none() && !var.dtype.is_handle() {
                self.doc.line();
                self.declare_variable(&var);
            }
        }
    }
}
