//! When two objects are one node.
//!
//! Shared nodes are one where their addresses are; variables where their identities are. What the IR holds by value is
//! made of such nodes, and is one where they are.

use std::sync::Arc;

use tilewright::expr::{Expr, Range};
use tilewright::ir::node::EqCx;
use tilewright::ir::relax::{self, BindingValue, ExprKind};
use tilewright::ir::tir::{Block, BufferRegion, Param};

use super::Node;

pub(super) fn same(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Scalar(a), Node::Scalar(b)) => scalars(a, b),
        (Node::Range(a), Node::Range(b)) => ranges(a, b),
        (Node::Buffer(a), Node::Buffer(b)) => a == b,
        (Node::Region(a), Node::Region(b)) => regions(a, b),
        (Node::IterVar(a), Node::IterVar(b)) => a.var == b.var && ranges(&a.domain, &b.domain),
        (Node::MatchBuffer(a), Node::MatchBuffer(b)) => a.buffer == b.buffer && regions(&a.source, &b.source),
        (Node::Stmt(a), Node::Stmt(b)) => a.same(b),
        (Node::Block(a), Node::Block(b)) => Arc::ptr_eq(a, b) || blocks_of_loops(a, b),
        (Node::PrimFunc(_, a), Node::PrimFunc(_, b)) => {
            let params = |a: &Param, b: &Param| a.var == b.var && a.buffer == b.buffer;
            let same = Arc::ptr_eq(a, b) || (a.body.same(&b.body) && all(&a.params, &b.params, params));
            same && EqCx::compare(&a.attrs, &b.attrs).is_ok()
        }
        (Node::Info(a), Node::Info(b)) => a.equal(b),
        (Node::VDevice(a), Node::VDevice(b)) => a == b,
        (Node::DummyInfo, Node::DummyInfo) => true,
        (Node::Relax(a), Node::Relax(b)) => graphs(a, b),
        (Node::Binding(a), Node::Binding(b)) => Arc::ptr_eq(a, b) || bindings(a, b),
        (Node::BindingBlock(a), Node::BindingBlock(b)) => Arc::ptr_eq(a, b) || blocks(a, b),
        (Node::Seq(a), Node::Seq(b)) => Arc::ptr_eq(a, b) || sequences(a, b),
        (Node::Function(_, a), Node::Function(_, b)) => Arc::ptr_eq(a, b) || functions(a, b),
        (Node::Arith(a), Node::Arith(b)) => super::arith::same(a, b),
        (Node::Te(a), Node::Te(b)) => super::te::same(a, b),
        (Node::Op(a), Node::Op(b)) => a == b,
        _ => false,
    }
}

fn all<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn scalars(a: &Expr, b: &Expr) -> bool {
    a.same(b) || a.as_var().is_some_and(|var| b.as_var() == Some(var))
}

fn ranges(a: &Range, b: &Range) -> bool {
    scalars(&a.min, &b.min) && scalars(&a.extent, &b.extent)
}

fn regions(a: &BufferRegion, b: &BufferRegion) -> bool {
    a.buffer == b.buffer && all(&a.region, &b.region, ranges)
}

fn blocks_of_loops(a: &Block, b: &Block) -> bool {
    let iters = all(&a.iters, &b.iters, |a, b| a.var == b.var);
    iters && a.body.same(&b.body) && EqCx::compare(a, b).is_ok()
}

fn graphs(a: &relax::Expr, b: &relax::Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::GlobalVar(a), ExprKind::GlobalVar(b)) => a.name == b.name,
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        _ => a.same(b),
    }
}

fn bindings(a: &relax::Binding, b: &relax::Binding) -> bool {
    let values = match (&a.value, &b.value) {
        (BindingValue::Expr(a), BindingValue::Expr(b)) => graphs(a, b),
        (
            BindingValue::MatchCast { value: a, struct_info: x },
            BindingValue::MatchCast { value: b, struct_info: y },
        ) => graphs(a, b) && x.equal(y),
        _ => false,
    };
    values && a.var == b.var
}

fn blocks(a: &relax::BindingBlock, b: &relax::BindingBlock) -> bool {
    a.dataflow == b.dataflow && all(&a.bindings, &b.bindings, bindings)
}

fn sequences(a: &relax::SeqExpr, b: &relax::SeqExpr) -> bool {
    graphs(&a.result, &b.result) && all(&a.blocks, &b.blocks, blocks)
}

fn functions(a: &relax::Function, b: &relax::Function) -> bool {
    a.params == b.params
        && a.pure == b.pure
        && sequences(&a.body, &b.body)
        && a.ret.equal(&b.ret)
        && EqCx::compare(&a.attrs, &b.attrs).is_ok()
}
