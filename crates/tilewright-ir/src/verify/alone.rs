//! IR by itself: IR outside of functions may mention what it does not define.

use std::sync::Arc;

use tilewright_expr::node::walk_some;
use tilewright_support::{Diagnostics, Origins, with_stack};

use super::settled::Settled;
use super::{Form, Report, prim, relax, verify};
use crate::json::Node;
use crate::relax::{Binding, BindingBlock, Expr, ExprKind, Function, SeqExpr, StructInfo};
use crate::tir::{self, Block, Buffer, BufferRegion, MatchBuffer, PrimFunc, Stmt, StmtKind};
use crate::{Attrs, IRModule};

/// Properties of what is around, which is not there.
pub(super) const OF_SURROUNDINGS: [&str; 7] = ["TW0501", "TW0502", "TW0520", "TW0521", "TW0524", "TW0529", "TW0534"];

/// Checks IR by itself: a module as [`verify`] does, anything else as it may occur in some module.
///
/// # Errors
/// As [`verify`].
pub fn verify_alone(node: &Node) -> Result<(), Diagnostics> {
    if let Node::Module(module) = node {
        return verify(module, Form::Any);
    }
    let mut report = Report { alone: true, ..Report::default() };
    check(&mut report, node);
    if report.found.0.is_empty() { Ok(()) } else { Err(report.found) }
}

fn check(report: &mut Report, node: &Node) {
    match node {
        Node::Module(module) => {
            if let Err(found) = verify(module, Form::Any) {
                report.found.0.extend(found.0);
            }
        }
        Node::PrimFunc { function, .. } => prim::check(report, function),
        Node::Function { function, .. } => relax::check(report, &IRModule::new(), function, &mut Settled::default()),
        Node::Scalar(expr) => stmt(report, StmtKind::Evaluate(expr.clone())),
        Node::Range(range) => ranges(report, std::slice::from_ref(range)),
        Node::Buffer(buffer) => declared(report, buffer),
        Node::Region(BufferRegion { region, .. }) => ranges(report, region),
        Node::IterVar(iter) => ranges(report, std::slice::from_ref(&iter.domain)),
        Node::MatchBuffer(matched) => block(report, Vec::new(), |block| block.match_buffers.push(matched.clone())),
        Node::Stmt(stmt) => prim_func(report, stmt.clone()),
        Node::Block(node) => {
            let values = node.iters.iter().map(|iter| tir::Expr::var(&iter.var)).collect();
            block(report, values, |block| *block = Block::clone(node));
        }
        Node::Info(info) => graph(report, Vec::new(), Expr::raw(info.clone(), ExprKind::ExternFunc("f".into()))),
        Node::Relax(expr) => graph(report, Vec::new(), expr.clone()),
        Node::GraphVar(var) => graph(report, Vec::new(), Expr::var(var)),
        Node::GlobalVar(global) => check(report, &Node::Info(global.signature.clone())),
        Node::Binding(binding) => bindings(report, binding),
        Node::BindingBlock(block) => graph(report, vec![BindingBlock::clone(block)], Expr::tuple(Vec::new())),
        Node::Seq(seq) => graph(report, seq.blocks.clone(), seq.result.clone()),
        Node::Attr(attr) => walk_some(attr, |node| {
            if let Some(expr) = node.downcast::<tir::Expr>() {
                check(report, &Node::Scalar(expr.clone()));
            }
            false
        }),
        Node::List(items) => items.iter().for_each(|item| with_stack(|| check(report, item))),
        Node::Map(items) => items.values().for_each(|item| with_stack(|| check(report, item))),
        Node::Var(_) | Node::GlobalInfo(_) | Node::VDevice(_) | Node::Tensor(_) | Node::Op(_) => {}
    }
}

fn prim_func(report: &mut Report, body: Stmt) {
    prim::check(report, &PrimFunc { params: Vec::new(), attrs: Attrs::new(), body, origins: Origins::default() });
}

fn stmt(report: &mut Report, kind: StmtKind) {
    prim_func(report, kind.into());
}

fn ranges(report: &mut Report, ranges: &[tir::Range]) {
    for bound in ranges.iter().flat_map(|range| [&range.min, &range.extent]) {
        stmt(report, StmtKind::Evaluate(bound.clone()));
    }
}

fn declared(report: &mut Report, buffer: &Buffer) {
    stmt(report, StmtKind::Allocate { buffer: buffer.clone(), body: Stmt::nothing() });
}

fn block(report: &mut Report, values: Vec<tir::Expr>, change: impl FnOnce(&mut Block)) {
    let mut block = Block {
        name: Arc::default(),
        iters: Vec::new(),
        alloc_buffers: Vec::new(),
        match_buffers: Vec::<MatchBuffer>::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init: None,
        body: Stmt::nothing(),
        origins: Origins::default(),
    };
    change(&mut block);
    stmt(report, StmtKind::Block { values, predicate: tir::Expr::bool(true), block });
}

fn graph(report: &mut Report, blocks: Vec<BindingBlock>, result: Expr) {
    let (ret, attrs, origins) = (result.struct_info.clone(), Attrs::new(), Origins::default());
    let body = SeqExpr { blocks, result };
    let function = Function { params: Vec::new(), body, ret, pure: false, attrs, origins };
    relax::check(report, &IRModule::new(), &function, &mut Settled::default());
}

fn bindings(report: &mut Report, binding: &Binding) {
    let block = BindingBlock { dataflow: binding.var.dataflow, bindings: vec![binding.clone()] };
    graph(report, vec![block], Expr::raw(StructInfo::Tuple(Vec::new()), ExprKind::Tuple(Vec::new())));
}
