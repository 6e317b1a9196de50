//! PrimFuncs.

use tilewright_expr::node::FloatBits;
use tilewright_support::{Origins, SourceFile, Span};
use tilewright_tensor::DataType;

use super::*;
use crate::tir::*;
use crate::{Attr, Attrs};

pub(super) fn i(value: i64) -> Expr {
    Expr::i64(value)
}

pub(super) fn index(name: &str) -> Var {
    Var::new(name, DataType::I64)
}

pub(super) fn buffer(name: &str, shape: &[i64]) -> Buffer {
    Buffer::new(name, shape.iter().map(|&d| i(d)).collect(), DataType::F32)
}

/// Parts of a well-formed reduction over `A[4, 8]` into `B[4]`; a test replaces one of them.
pub(super) struct Parts {
    pub(super) a: Buffer,
    pub(super) b: Buffer,
    pub(super) n: Var,
    pub(super) m: Var,
    pub(super) vi: Var,
    pub(super) values: Vec<Expr>,
    pub(super) predicate: Expr,
    pub(super) block: Block,
    pub(super) kinds: [ForKind; 2],
    pub(super) params: Vec<Param>,
    pub(super) after: Vec<Stmt>,
}

pub(super) fn parts() -> Parts {
    let (a, b) = (buffer("A", &[4, 8]), buffer("B", &[4]));
    let (n, m, vi, vk) = (index("n"), index("m"), index("vi"), index("vk"));
    let (x, y) = (Expr::var(&vi), Expr::var(&vk));
    let load = |buffer: &Buffer, indices: Vec<Expr>| Expr::load(buffer, indices).unwrap();
    let sum = Expr::binary(BinOp::Add, &load(&b, vec![x.clone()]), &load(&a, vec![x.clone(), y.clone()])).unwrap();
    let store = |value: &Expr| Stmt::store(&b, vec![x.clone()], value).unwrap();
    let one = |e: &Expr| Range::new(e.clone(), i(1));
    let iter = |var: &Var, extent, kind| IterVar { var: var.clone(), domain: Range::up_to(i(extent)), kind };
    let block = Block {
        name: "sum".into(),
        iters: vec![iter(&vi, 4, IterKind::Spatial), iter(&vk, 8, IterKind::Reduce)],
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: vec![BufferRegion { buffer: a.clone(), region: vec![one(&x), one(&y)] }],
        writes: vec![BufferRegion { buffer: b.clone(), region: vec![one(&x)] }],
        annotations: Attrs::new(),
        init: Some(store(&Expr::float(0.0, DataType::F32))),
        body: store(&sum),
        origins: Origins::default(),
    };
    Parts {
        params: vec![Param::buffer(&a), Param::buffer(&b)],
        values: vec![Expr::var(&n), Expr::var(&m)],
        predicate: Expr::bool(true),
        kinds: [ForKind::Serial, ForKind::Serial],
        after: Vec::new(),
        a,
        b,
        n,
        m,
        vi,
        block,
    }
}

impl Parts {
    pub(super) fn module(self) -> IRModule {
        let [outer, inner] = self.kinds;
        let block = StmtKind::Block { values: self.values, predicate: self.predicate, block: self.block }.into();
        let stmt = Stmt::for_loop(&self.m, i(0), i(8), inner, block);
        let stmt = Stmt::for_loop(&self.n, i(0), i(4), outer, stmt);
        let body = Stmt::seq([stmt].into_iter().chain(self.after));
        module_of(PrimFunc::with_root(self.params, Attrs::new(), Vec::new(), body, Origins::default()))
    }
}

pub(super) fn module_of(function: PrimFunc) -> IRModule {
    let mut module = IRModule::new();
    module.insert("f", function);
    module
}

/// A module whose function has the reduction's buffers and this body.
pub(super) fn with_body(body: impl FnOnce(&Parts) -> Stmt) -> IRModule {
    let parts = parts();
    let body = body(&parts);
    module_of(PrimFunc::with_root(parts.params, Attrs::new(), Vec::new(), body, Origins::default()))
}

pub(super) fn with_value(value: impl FnOnce(&Parts) -> Expr) -> IRModule {
    with_body(|p| StmtKind::Evaluate(value(p)).into())
}

#[test]
fn a_reduction_is_well_formed() {
    for form in [Form::Any, Form::Graph, Form::Legalized, Form::DestinationPassing, Form::MachineReady] {
        passes(&parts().module(), form);
    }
}

#[test]
fn tw0501_variables_are_used_where_they_are_defined() {
    let stray = index("stray");
    refused("TW0501", &with_value(|_| Expr::var(&stray)), Form::Any);
    // A block axis after its block, and a loop variable inside a block after its loop.
    let mut p = parts();
    p.after.push(StmtKind::Evaluate(Expr::var(&p.vi)).into());
    refused("TW0501", &p.module(), Form::Any);
    let v = Var::new("v", DataType::I64);
    let bound = Expr::bind(&v, &i(1), &Expr::var(&v)).unwrap();
    let escaped = Expr::binary(BinOp::Add, &bound, &Expr::var(&v)).unwrap();
    refused("TW0501", &with_value(|_| escaped), Form::Any);
    // A symbolic dimension that no parameter defines on its own.
    let n = index("n");
    let a = Buffer::new("A", vec![&Expr::var(&n) * 2], DataType::F32);
    let f = PrimFunc::with_root(vec![Param::buffer(&a)], Attrs::new(), vec![], Stmt::nothing(), Origins::default());
    refused("TW0501", &module_of(f), Form::Any);
}

#[test]
fn tw0501_a_shared_node_is_looked_at_in_every_scope_that_matters() {
    let v = index("v");
    let body: Stmt = StmtKind::Evaluate(&Expr::var(&v) + 1).into();
    let inside = Stmt::for_loop(&v, i(0), i(2), ForKind::Serial, body.clone());
    refused("TW0501", &with_body(|_| Stmt::seq([inside, body])), Form::Any);
}

#[test]
fn tw0502_buffers_are_used_where_they_are_defined() {
    let stray = buffer("stray", &[4]);
    refused("TW0502", &with_value(|_| Expr::load(&stray, vec![i(0)]).unwrap()), Form::Any);
    let use_it = Stmt::store(&stray, vec![i(0)], &Expr::float(0.0, DataType::F32)).unwrap();
    let allocated = StmtKind::Allocate { buffer: stray.clone(), body: use_it.clone() }.into();
    passes(&with_body(|_| allocated), Form::Any);
    let allocated: Stmt = StmtKind::Allocate { buffer: stray, body: Stmt::nothing() }.into();
    refused("TW0502", &with_body(|_| Stmt::seq([allocated, use_it])), Form::Any);
}

#[test]
fn tw0502_a_view_of_defined_memory_is_defined() {
    let view = |b: &Buffer| b.derive(|node| node.shape = vec![i(32)]);
    passes(&with_value(|p| Expr::load(&view(&p.a), vec![i(31)]).unwrap()), Form::Any);
}

#[test]
fn tw0503_accesses_have_as_many_indices_as_dimensions() {
    let load = |p: &Parts| {
        Expr::raw(DataType::F32, ExprKind::Load { buffer: p.a.clone(), indices: vec![i(0)], predicate: None })
    };
    refused("TW0503", &with_value(load), Form::Any);
    let mut p = parts();
    p.block.reads[0].region.pop();
    refused("TW0503", &p.module(), Form::Any);
}

#[test]
fn tw0504_indices_are_integers() {
    let load = |p: &Parts, index: Expr| {
        let lanes = index.dtype.lanes;
        let kind = ExprKind::Load { buffer: p.a.clone(), indices: vec![i(0), index], predicate: None };
        Expr::raw(DataType::F32.with_lanes(lanes), kind)
    };
    refused("TW0504", &with_value(|p| load(p, Expr::float(0.0, DataType::F32))), Form::Any);
    let lanes = |n| Expr::ramp(&i(0), &i(1), n).unwrap();
    passes(&with_value(|p| load(p, lanes(4))), Form::Any);
    let mixed = |p: &Parts| {
        let kind = ExprKind::Load { buffer: p.a.clone(), indices: vec![lanes(2), lanes(4)], predicate: None };
        Expr::raw(DataType::F32.with_lanes(2), kind)
    };
    refused("TW0504", &with_value(mixed), Form::Any);
    let mut p = parts();
    p.block.reads[0].region[0].min = Expr::float(0.0, DataType::F32);
    refused("TW0504", &p.module(), Form::Any);
}

#[test]
fn tw0505_stored_values_have_the_element_type() {
    let store = |value: Expr| {
        with_body(|p| StmtKind::Store { buffer: p.b.clone(), indices: vec![i(0)], value, predicate: None }.into())
    };
    refused("TW0505", &store(i(0)), Form::Any);
    refused("TW0505", &store(Expr::float(0.0, DataType::F32.with_lanes(4))), Form::Any);
}

#[test]
fn tw0506_expressions_have_the_type_of_their_operation() {
    let (one, float) = (Expr::i32(1), Expr::float(1.0, DataType::F32));
    let bad = [
        Expr::raw(DataType::I8, ExprKind::Int(300)),
        Expr::raw(DataType::I32, ExprKind::Float(FloatBits(1.0))),
        Expr::raw(DataType::I32, ExprKind::Binary(BinOp::Add, one.clone(), i(1))),
        Expr::raw(DataType::F32, ExprKind::Binary(BinOp::Shl, float.clone(), float.clone())),
        Expr::raw(DataType::I32, ExprKind::Compare(CmpOp::Lt, one.clone(), one.clone())),
        Expr::raw(DataType::I32, ExprKind::Not(one.clone())),
        Expr::raw(
            DataType::F32,
            ExprKind::Select { condition: one.clone(), then: float.clone(), otherwise: float.clone() },
        ),
        Expr::raw(DataType::F32.with_lanes(4), ExprKind::Cast(one.clone())),
        Expr::raw(DataType::I32, ExprKind::Broadcast(one.clone())),
        Expr::raw(DataType::I32.with_lanes(4), ExprKind::Ramp { base: one.clone(), stride: i(1) }),
        Expr::raw(DataType::I32, ExprKind::Shuffle { vectors: vec![one.clone()], lanes: vec![3] }),
        Expr::raw(DataType::I32, ExprKind::Call { intrinsic: Intrinsic::Sqrt, args: vec![one.clone()] }),
        Expr::raw(DataType::F32, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args: vec![float] }),
        Expr::raw(DataType::I32, ExprKind::Let { var: index("v"), value: one.clone(), body: one.clone() }),
    ];
    for value in bad {
        refused("TW0506", &with_value(|_| value), Form::Any);
    }
    let v = index("v");
    let bound = StmtKind::Let { var: v, value: one, body: Stmt::nothing() }.into();
    refused("TW0506", &with_body(|_| bound), Form::Any);
}

#[test]
fn tw0507_unrolled_loops_have_constant_extents() {
    let n = index("n");
    let body = Stmt::for_loop(&index("v"), i(0), Expr::var(&n), ForKind::Unrolled, Stmt::nothing());
    let f = PrimFunc::with_root(vec![Param::scalar(&n)], Attrs::new(), vec![], body, Origins::default());
    refused("TW0507", &module_of(f), Form::Any);
}

#[test]
fn tw0508_loops_count_in_integers_of_one_type() {
    let count = |var: Var, extent: Expr| {
        with_body(|_| Stmt::for_loop(&var, Expr::number(0, var.dtype), extent, ForKind::Serial, Stmt::nothing()))
    };
    refused("TW0508", &count(index("v"), Expr::i32(4)), Form::Any);
    refused("TW0508", &count(Var::new("v", DataType::F32), Expr::float(4.0, DataType::F32)), Form::Any);
}

#[test]
fn tw0509_blocks_have_a_value_for_each_axis() {
    let mut p = parts();
    p.values.pop();
    refused("TW0509", &p.module(), Form::Any);
}

#[test]
fn tw0510_axes_have_the_type_of_their_values() {
    let mut p = parts();
    p.values[0] = p.values[0].cast(DataType::I32).unwrap();
    refused("TW0510", &p.module(), Form::Any);
    let mut p = parts();
    p.block.iters[1].domain = Range::up_to(Expr::i32(8));
    refused("TW0510", &p.module(), Form::Any);
}

#[test]
fn tw0511_conditions_are_bools() {
    let mut p = parts();
    p.predicate = i(1);
    refused("TW0511", &p.module(), Form::Any);
    let wrong: [StmtKind; 3] = [
        StmtKind::While { condition: i(0), body: Stmt::nothing() },
        StmtKind::If { condition: i(0), then: Stmt::nothing(), otherwise: None },
        StmtKind::Assert { condition: i(0), message: "no".into() },
    ];
    for stmt in wrong {
        refused("TW0511", &with_body(|_| stmt.into()), Form::Any);
    }
    let masked = |p: &Parts| {
        let kind = ExprKind::Load { buffer: p.b.clone(), indices: vec![i(0)], predicate: Some(i(1)) };
        Expr::raw(DataType::F32, kind)
    };
    refused("TW0511", &with_value(masked), Form::Any);
}

#[test]
fn tw0513_nothing_is_defined_twice() {
    let mut p = parts();
    p.m = p.n.clone();
    p.values[1] = p.values[0].clone();
    refused("TW0513", &p.module(), Form::Any);
    let mut p = parts();
    p.params.push(p.params[0].clone());
    refused("TW0513", &p.module(), Form::Any);
    let mut p = parts();
    p.block.iters[1].var = p.vi.clone();
    p.block.body = Stmt::nothing();
    p.block.reads.clear();
    refused("TW0513", &p.module(), Form::Any);
    // One after the other is no second definition.
    let v = index("v");
    let once = || Stmt::for_loop(&v, i(0), i(2), ForKind::Serial, StmtKind::Evaluate(Expr::var(&v)).into());
    passes(&with_body(|_| Stmt::seq([once(), once()])), Form::Any);
}

#[test]
fn tw0514_buffers_have_integer_shapes() {
    let change: [fn(&mut BufferNode); 4] = [
        |b| b.shape = vec![Expr::float(4.0, DataType::F32)],
        |b| b.strides = vec![i(1), i(1)],
        |b| b.elem_offset = Some(Expr::bool(true)),
        |b| b.dtype = DataType::F32.with_lanes(4),
    ];
    for change in change {
        let buffer = buffer("T", &[4]).derive(change);
        let stmt = StmtKind::Allocate { buffer, body: Stmt::nothing() }.into();
        refused("TW0514", &with_body(|_| stmt), Form::Any);
    }
}

#[test]
fn tw0515_buffers_are_passed_as_handles() {
    let mut p = parts();
    p.params[0].var = index("A");
    refused("TW0515", &p.module(), Form::Any);
}

#[test]
fn tw0516_matched_buffers_fit_their_source() {
    let matched = |buffer: Buffer| {
        let mut p = parts();
        let source = BufferRegion { buffer: p.b.clone(), region: vec![Range::new(Expr::var(&p.vi), i(1))] };
        p.block.match_buffers.push(MatchBuffer { buffer, source });
        p.module()
    };
    passes(&matched(buffer("M", &[1])), Form::Any);
    refused("TW0516", &matched(buffer("M", &[1, 1])), Form::Any);
    refused("TW0516", &matched(Buffer::new("M", vec![i(1)], DataType::I32)), Form::Any);
}

#[test]
fn tw0540_global_symbols_are_unique() {
    let named = || {
        let attrs = Attrs::from([(attr_names::GLOBAL_SYMBOL.into(), Attr::str("same"))]);
        PrimFunc::with_root(vec![], attrs, vec![], Stmt::nothing(), Origins::default())
    };
    let mut module = module_of(named());
    module.insert("g", named());
    refused("TW0540", &module, Form::Any);
}

#[test]
fn messages_name_the_function_and_underline_the_block() {
    let file = SourceFile::new("m.py", "with T.block(\"sum\"):\n    pass\n");
    let mut p = parts();
    p.block.origins = Origins::at(Span::new(&file, 5, 19));
    p.values.pop();
    let text = verify(&p.module(), Form::Any).unwrap_err().to_string();
    for part in [
        "error[TW0509]: block `sum` has 2 axes and 1 value, expected a value for each axis",
        "m.py:1:6",
        "in function `f`",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn deep_and_shared_nodes_are_linear() {
    let mut value = Expr::float(1.0, DataType::F32);
    for step in 0..60 {
        // Each level opens a scope, so that nothing is remembered by accident.
        let v = Var::new("v", DataType::F32);
        let double = Expr::binary(BinOp::Add, &value, &value).unwrap();
        value = if step % 2 == 0 { Expr::bind(&v, &double, &Expr::var(&v)).unwrap() } else { double };
    }
    for _ in 0..20_000 {
        value = Expr::binary(BinOp::Mul, &value, &value).unwrap();
    }
    let mut body: Stmt = StmtKind::Evaluate(value).into();
    for _ in 0..20_000 {
        body = Stmt::for_loop(&index("v"), i(0), i(1), ForKind::Serial, Stmt::seq([body.clone(), body]));
    }
    passes(&with_body(|_| body), Form::Any);
}
