//! Exact texts of modules that constructors build.

mod shared;

use expect_test::expect;
use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, ForeignCallee, Intrinsic, Range, Scope, Var};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{self, Binding, BindingBlock, BindingValue, SeqExpr, StructInfo, TensorShape};
use tilewright_ir::tir::{
    Block, BufferRegion, ForKind, IterKind, IterVar, MatchBuffer, Param, PrimFunc, Stmt, StmtKind, attr_names,
};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use super::*;
use crate::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;

/// Printed text parses back to an equal module.
#[track_caller]
fn survives(module: &IRModule) {
    for width in [None, Some(60)] {
        let text = print_module(module, &PrintOptions { show_meta: true, width, ..PrintOptions::default() });
        let back = parse_module(&SourceFile::new("printed.py", text.as_str()), &NoHost);
        match back
            .map_err(|errors| errors.to_string())
            .and_then(|back| module.compare(&back).map_err(|at| at.to_string()))
        {
            Ok(()) => {}
            Err(difference) => panic!("{difference}\n{text}"),
        }
    }
}

/// A module of one function, whose text by itself is this.
#[track_caller]
fn survives_alone(name: &str, function: impl Into<tilewright_ir::GlobalFunc>) {
    let mut module = IRModule::new();
    module.insert(name, function);
    survives(&module);
}

fn var(name: &str, dtype: DataType) -> (Var, Expr) {
    let var = Var::new(name, dtype);
    (var.clone(), Expr::var(&var))
}

fn attrs(items: &[(&str, Attr)]) -> Attrs {
    items.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

fn point(buffer: &Buffer, indices: &[&Expr]) -> BufferRegion {
    let region = indices.iter().map(|i| Range::new((*i).clone(), Expr::int(1, i.dtype))).collect();
    BufferRegion { buffer: buffer.clone(), region }
}

fn axis(name: &str, extent: &Expr, kind: IterKind) -> (IterVar, Expr) {
    let (var, value) = var(name, extent.dtype);
    (IterVar { var, domain: Range::up_to(extent.clone()), kind }, value)
}

fn block(name: &str, iters: Vec<IterVar>, values: Vec<Expr>, body: Stmt) -> (Block, Vec<Expr>) {
    let block = Block {
        name: name.into(),
        iters,
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init: None,
        body,
        origins: Origins::default(),
    };
    (block, values)
}

fn loops(vars: &[(&Var, &Expr)], body: Stmt) -> Stmt {
    vars.iter().rev().fold(body, |body, (var, extent)| {
        Stmt::for_loop(var, Expr::int(0, extent.dtype), (*extent).clone(), ForKind::Serial, body)
    })
}

/// `Z = X @ W` and a bias through a temporary, as the documents write it.
fn linear(index: DataType) -> PrimFunc {
    let dim = |n: i64| Expr::int(n, index);
    let x = Buffer::new("X", vec![dim(1), dim(784)], DataType::F32);
    let w = Buffer::new("W", vec![dim(128), dim(784)], DataType::F32);
    let z = Buffer::new("Z", vec![dim(1), dim(128)], DataType::F32);
    let y = Buffer::new("Y", vec![dim(1), dim(128)], DataType::F32);
    let extents = [dim(1), dim(128), dim(784)];
    let ((i, ie), (j, je), (k, ke)) = (var("i", index), var("j", index), var("k", index));
    let ((vi, vie), (vj, vje), (vk, vke)) = (
        axis("vi", &extents[0], IterKind::Spatial),
        axis("vj", &extents[1], IterKind::Spatial),
        axis("vk", &extents[2], IterKind::Reduce),
    );
    let (yij, xik, wjk) = (
        Expr::load(&y, vec![vie.clone(), vje.clone()]).unwrap(),
        Expr::load(&x, vec![vie.clone(), vke.clone()]).unwrap(),
        Expr::load(&w, vec![vje.clone(), vke.clone()]).unwrap(),
    );
    let body = Stmt::store(&y, vec![vie.clone(), vje.clone()], &(&yij + &(&xik * &wjk))).unwrap();
    let (mut product, values) = block("Y", vec![vi, vj, vk], vec![ie, je, ke], body);
    product.reads = vec![point(&x, &[&vie, &vke]), point(&w, &[&vje, &vke])];
    product.writes = vec![point(&y, &[&vie, &vje])];
    product.init = Some(Stmt::store(&y, vec![vie, vje], &Expr::float(0.0, DataType::F32)).unwrap());
    let product = StmtKind::Block { values, predicate: Expr::bool(true), block: product }.into();
    let product = loops(&[(&i, &extents[0]), (&j, &extents[1]), (&k, &extents[2])], product);

    let ((i, ie), (j, je)) = (var("i", index), var("j", index));
    let ((vi, vie), (vj, vje)) = (axis("vi", &dim(1), IterKind::Spatial), axis("vj", &dim(128), IterKind::Spatial));
    let yij = Expr::load(&y, vec![vie.clone(), vje.clone()]).unwrap();
    let relu = Expr::binary(BinOp::Max, &yij, &Expr::float(0.1, DataType::F32)).unwrap();
    let body = Stmt::store(&z, vec![vie.clone(), vje.clone()], &relu).unwrap();
    let (mut relu, values) = block("Z", vec![vi, vj], vec![ie, je], body);
    relu.reads = vec![point(&y, &[&vie, &vje])];
    relu.writes = vec![point(&z, &[&vie, &vje])];
    let relu = StmtKind::Block { values, predicate: Expr::bool(true), block: relu }.into();
    let relu = loops(&[(&i, &dim(1)), (&j, &dim(128))], relu);

    let params = vec![Param::buffer(&x), Param::buffer(&w), Param::buffer(&z)];
    let noalias = attrs(&[(attr_names::NOALIAS, Attr::Bool(true))]);
    PrimFunc::with_root(params, noalias, vec![y], Stmt::seq([product, relu]), Origins::default())
}

fn symbol(name: &str) -> Attrs {
    attrs(&[(attr_names::GLOBAL_SYMBOL, Attr::str(name))])
}

fn tensor_info(shape: &[i64]) -> StructInfo {
    StructInfo::tensor_of(shape, DataType::F32)
}

fn function(params: Vec<relax::Var>, blocks: Vec<BindingBlock>, result: relax::Expr) -> relax::Function {
    let ret = result.struct_info.clone();
    let body = SeqExpr { blocks, result };
    relax::Function { params, body, ret, pure: true, attrs: symbol("main"), origins: Origins::default() }
}

fn op(name: &str, args: Vec<relax::Expr>) -> relax::Expr {
    relax::Expr::call_op(&InferCx::default(), tilewright_ops::lookup(name).unwrap(), args, Attrs::new()).unwrap()
}

fn bind(var: &relax::Var, value: relax::Expr) -> Binding {
    Binding::new(var.clone(), value, Origins::default())
}

/// A network over `linear` and a packed function, with parameters and a constant.
fn network() -> IRModule {
    let mut module = IRModule::new();
    let cx = InferCx::default();
    let linear = module.insert("linear", linear(DataType::I64));
    let x = relax::Var::new("x", tensor_info(&[1, 784]));
    let w = relax::Var::new("w", tensor_info(&[128, 784]));
    let again = relax::Var::new("w", tensor_info(&[128, 10]));
    let value = relax::Expr::var;
    let call = relax::Expr::call_tir(&cx, linear, vec![value(&x), value(&w)], vec![tensor_info(&[1, 128])]).unwrap();
    let lv = relax::Var::dataflow("lv", call.struct_info.clone());
    let relu = op("nn.relu", vec![value(&lv)]);
    let lv1 = relax::Var::dataflow("lv1", relu.struct_info.clone());
    let product = op("matmul", vec![value(&lv1), value(&again)]);
    let lv2 = relax::Var::dataflow("lv2", product.struct_info.clone());
    let bias = relax::Expr::constant(Tensor::from_vec(&[1, 10], (0..10).map(|i| i as f32).collect()).unwrap());
    let half = relax::Expr::constant(Tensor::scalar(0.1f32));
    let args = vec![value(&lv2), bias.clone(), bias, half];
    let packed = relax::Expr::call_dps_packed("env.add", args, vec![tensor_info(&[1, 10])]).unwrap();
    let gv = relax::Var::new("gv", packed.struct_info.clone());
    let bindings = vec![bind(&lv, call), bind(&lv1, relu), bind(&lv2, product), bind(&gv, packed)];
    let blocks = vec![BindingBlock { dataflow: true, bindings }];
    module.insert("main", function(vec![x, w, again], blocks, value(&gv)));
    module
}

#[test]
fn a_module_of_both_levels() {
    expect![[r#"
        # from tvm.script import ir as I
        # from tvm.script import tir as T
        # from tvm.script import relax as R

        @I.ir_module
        class Module:
            @T.prim_func(private=True)
            def linear(X: T.Buffer((T.int64(1), T.int64(784)), "float32"), W: T.Buffer((T.int64(128), T.int64(784)), "float32"), Z: T.Buffer((T.int64(1), T.int64(128)), "float32")):
                T.func_attr({"tir.noalias": T.bool(True)})
                # with T.block("root"):
                Y = T.alloc_buffer((T.int64(1), T.int64(128)))
                for i, j, k in T.grid(T.int64(1), T.int64(128), T.int64(784)):
                    with T.block("Y"):
                        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                        T.reads(X[vi, vk], W[vj, vk])
                        T.writes(Y[vi, vj])
                        with T.init():
                            Y[vi, vj] = T.float32(0.0)
                        Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]
                for i, j in T.grid(T.int64(1), T.int64(128)):
                    with T.block("Z"):
                        vi, vj = T.axis.remap("SS", [i, j])
                        T.reads(Y[vi, vj])
                        T.writes(Z[vi, vj])
                        Z[vi, vj] = T.max(Y[vi, vj], T.float32(0.1))

            @R.function
            def main(x: R.Tensor((1, 784), dtype="float32"), w: R.Tensor((128, 784), dtype="float32"), w_1: R.Tensor((128, 10), dtype="float32")) -> R.Tensor((1, 10), dtype="float32"):
                cls = Module
                with R.dataflow():
                    lv = R.call_tir(cls.linear, (x, w), out_sinfo=R.Tensor((1, 128), dtype="float32"))
                    lv1: R.Tensor((1, 128), dtype="float32") = R.nn.relu(lv)
                    lv2: R.Tensor((1, 10), dtype="float32") = R.matmul(lv1, w_1, out_dtype="void")
                    gv = R.call_dps_packed("env.add", (lv2, metadata["relax.expr.Constant"][0], metadata["relax.expr.Constant"][0], R.const(0.1, "float32")), out_sinfo=R.Tensor((1, 10), dtype="float32"))
                    R.output(gv)
                return gv

        # metadata left out: the constant is not in this text. show_meta=True writes them.
    "#]]
    .assert_eq(&print_module(&network(), &PrintOptions::default()));
    survives(&network());
}

#[test]
fn constants_are_written_where_they_are_asked_for_and_lines_are_broken_at_a_width() {
    let options = PrintOptions { show_meta: true, width: Some(60), ..PrintOptions::default() };
    let text = print_module(&network(), &options);
    let at = text.find("    @R.function").unwrap();
    expect![[r#"
            @R.function
            def main(
                x: R.Tensor((1, 784), dtype="float32"),
                w: R.Tensor((128, 784), dtype="float32"),
                w_1: R.Tensor((128, 10), dtype="float32"),
            ) -> R.Tensor((1, 10), dtype="float32"):
                cls = Module
                with R.dataflow():
                    lv = R.call_tir(
                        cls.linear,
                        (x, w),
                        out_sinfo=R.Tensor(
                            (1, 128),
                            dtype="float32",
                        ),
                    )
                    lv1: R.Tensor(
                        (1, 128),
                        dtype="float32",
                    ) = R.nn.relu(lv)
                    lv2: R.Tensor(
                        (1, 10),
                        dtype="float32",
                    ) = R.matmul(lv1, w_1, out_dtype="void")
                    gv = R.call_dps_packed(
                        "env.add",
                        (
                            lv2,
                            metadata["relax.expr.Constant"][0],
                            metadata["relax.expr.Constant"][0],
                            R.const(0.1, "float32"),
                        ),
                        out_sinfo=R.Tensor((1, 10), dtype="float32"),
                    )
                    R.output(gv)
                return gv

        metadata = {"relax.expr.Constant": [
            {"dtype": "float32", "shape": [1, 10], "data": "AAAAAAAAgD8AAABAAABAQAAAgEAAAKBAAADAQAAA4EAAAABBAAAQQQ=="},
        ]}
    "#]]
    .assert_eq(&text[at..]);
}

#[test]
fn the_rarer_statements() {
    let ((n, ne), (h, _)) = (var("n", DataType::I32), var("h", DataType::HANDLE));
    let (m, me) = var("m", DataType::I32);
    let a = Buffer::new("A", vec![ne.clone(), me.clone()], DataType::F32);
    let b = Buffer::new("B", vec![ne.clone()], DataType::I8);
    let b = b.derive(|b| (b.strides, b.elem_offset, b.align) = (vec![Expr::i32(2)], Some(&ne * 4), 64));
    let local = Buffer::new("C", vec![Expr::i32(8)], DataType::F32).derive(|b| b.scope = Scope::Local);
    let ((i, ie), (x, xe)) = (var("i", DataType::I32), var("x", DataType::F32));
    let load = Expr::load(&a, vec![ie.clone(), Expr::i32(0)]).unwrap();
    let ramp = Expr::ramp(&(&ie * 4), &Expr::i32(1), 4).unwrap();
    let mask = Expr::compare(CmpOp::Lt, &ramp, &ne.broadcast(4).unwrap()).unwrap();
    let lanes = Expr::load_where(&local, vec![ramp.clone()], Some(mask.clone())).unwrap();
    let swapped = Expr::shuffle(vec![lanes.clone(), lanes], vec![7, 0, 1, 2]).unwrap();
    let body = Stmt::seq([
        Stmt::store_where(&local, vec![ramp], &swapped, Some(mask)).unwrap(),
        StmtKind::Assert {
            condition: ne.as_var().map(|_| Expr::compare(CmpOp::Gt, &ne, &me).unwrap()).unwrap(),
            message: "a \"b\"\n".into(),
        }
        .into(),
        StmtKind::While { condition: Expr::bool(false), body: Stmt::nothing() }.into(),
        StmtKind::If {
            condition: Expr::compare(CmpOp::Eq, &ie, &Expr::i32(-1)).unwrap().not().unwrap(),
            then: StmtKind::Evaluate(Expr::call(Intrinsic::Sqrt, std::slice::from_ref(&xe)).unwrap()).into(),
            otherwise: Some(StmtKind::Evaluate(Expr::var(&a.data)).into()),
        }
        .into(),
    ]);
    let value = Expr::select(&Expr::bool(true), &load, &Expr::float(f64::NEG_INFINITY, DataType::F32)).unwrap();
    let body: Stmt = StmtKind::Let { var: x.clone(), value, body }.into();
    let annotations =
        attrs(&[("unroll", Attr::Int(4)), ("note", Attr::Array(vec![Attr::None, Attr::Expr(Expr::i32(1))]))]);
    let kind = ForKind::ThreadBinding("threadIdx.x".into());
    let inner: Stmt =
        StmtKind::For { var: i.clone(), min: ne.clone(), extent: me.clone(), kind, annotations, body }.into();
    let first =
        StmtKind::Let { var: x.renewed(), value: Expr::float(1e20, DataType::F32), body: Stmt::nothing() }.into();
    let body = StmtKind::Allocate { buffer: local, body: Stmt::seq([first, inner]) }.into();
    let params = vec![
        Param { var: Var::new("a", DataType::HANDLE), buffer: Some(a) },
        Param::scalar(&n),
        Param::buffer(&b),
        Param::scalar(&h),
    ];
    let function = PrimFunc { params, attrs: symbol("other"), body, origins: Origins::default() };
    expect![[r#"
        # from tvm.script import tir as T

        @T.prim_func
        def f(a: T.handle, n: T.int32, B: T.Buffer((n,), "int8", strides=[2], elem_offset=n * 4, align=64), h: T.handle):
            T.func_attr({"global_symbol": "other"})
            m = T.int32()
            A = T.match_buffer(a, (n, m))
            C = T.decl_buffer((8,), scope="local")
            with T.LetStmt(T.float32(1e20)) as x:
                pass
            for i in T.thread_binding(n, n + m, thread="threadIdx.x", annotations={"note": [None, T.int32(1)], "unroll": 4}):
                x: T.float32 = T.Select(T.bool(True), A[i, 0], T.float32("-inf"))
                C.vstore([T.Ramp(i * 4, 1, 4)], T.Shuffle([C.vload([T.Ramp(i * 4, 1, 4)], predicate=T.Ramp(i * 4, 1, 4) < T.Broadcast(n, 4)), C.vload([T.Ramp(i * 4, 1, 4)], predicate=T.Ramp(i * 4, 1, 4) < T.Broadcast(n, 4))], [7, 0, 1, 2]), predicate=T.Ramp(i * 4, 1, 4) < T.Broadcast(n, 4))
                assert n > m, "a \"b\"\n"
                while T.bool(False):
                    pass
                if not i == -1:
                    T.sqrt(x)
                else:
                    T.evaluate(A.data)
    "#]]
    .assert_eq(&print_prim_func("f", &function, &PrintOptions::default()));
    survives_alone("f", function);
    let _ = m;
}

#[test]
fn axes_and_regions_that_are_no_whole_loops() {
    let a = Buffer::new("A", vec![Expr::i32(16), Expr::i32(16)], DataType::F32);
    let ((i, ie), (k, ke)) = (var("i", DataType::I32), var("k", DataType::I32));
    let (vi, vie) = axis("v", &Expr::i32(16), IterKind::Spatial);
    let (mut vk, vke) = axis("v", &Expr::i32(4), IterKind::Reduce);
    vk.domain = Range::new(Expr::i32(2), Expr::i32(4));
    let (vo, _) = axis("vo", &Expr::i32(4), IterKind::Opaque);
    let view = Buffer::new("M", vec![Expr::i32(4)], DataType::F32);
    let store = Stmt::store(&view, vec![vke.clone()], &Expr::float(f64::NAN, DataType::F32)).unwrap();
    let (mut inner, values) = block("b", vec![vi, vk, vo], vec![&ie * 4, ke.clone(), ke.clone()], store);
    let whole = Range::new(Expr::i32(0), Expr::i32(16));
    let part = Range::new(&vie * 4, Expr::i32(4));
    inner.reads = vec![BufferRegion { buffer: a.clone(), region: vec![whole, Range::new(Expr::i32(3), Expr::i32(5))] }];
    inner.match_buffers = vec![MatchBuffer {
        buffer: view,
        source: BufferRegion { buffer: a.clone(), region: vec![Range::new(vie, Expr::i32(1)), part] },
    }];
    inner.annotations = attrs(&[("pragma", Attr::str("x"))]);
    let predicate = Expr::compare(CmpOp::Lt, &(&ie * 4 + ke), &Expr::i32(30)).unwrap();
    let inner = StmtKind::Block { values, predicate, block: inner }.into();
    let body = loops(&[(&i, &Expr::i32(4))], Stmt::for_loop(&k, Expr::i32(2), Expr::i32(4), ForKind::Unrolled, inner));
    let function = PrimFunc::with_root(vec![Param::buffer(&a)], Attrs::new(), Vec::new(), body, Origins::default());
    expect![[r#"
        # from tvm.script import tir as T

        @T.prim_func(private=True)
        def f(A: T.Buffer((16, 16), "float32")):
            # with T.block("root"):
            for i in range(4):
                for k in T.unroll(2, 6):
                    with T.block("b"):
                        v = T.axis.spatial(16, i * 4)
                        v_1 = T.axis.reduce((2, 6), k)
                        vo = T.axis.opaque(4, k)
                        T.where(i * 4 + k < 30)
                        T.reads(A[0:16, 3:8])
                        T.writes()
                        T.block_attr({"pragma": "x"})
                        M = T.match_buffer(A[v, v * 4:v * 4 + 4], (4,))
                        M[v_1] = T.float32("nan")
    "#]]
    .assert_eq(&print_prim_func("f", &function, &PrintOptions::default()));
    survives_alone("f", function);
}

#[test]
fn a_graph_with_symbolic_shapes_branches_and_closures() {
    let (_, n) = var("n", DataType::I64);
    let (_, m) = var("m", DataType::I64);
    let x = relax::Var::new("x", StructInfo::tensor(vec![n.clone(), &n * 2], DataType::F32));
    let c = relax::Var::new("c", StructInfo::tensor_of(&[], DataType::BOOL));
    let shaped = StructInfo::tensor(vec![m.clone(), &m + 1], DataType::F32);
    let y = relax::Var::new("y", shaped.clone());
    let value = relax::Expr::var;
    let cast = Binding {
        var: y.clone(),
        value: BindingValue::MatchCast { value: value(&x), struct_info: shaped },
        origins: Origins::default(),
    };
    let branch = |e: relax::Expr| {
        let w = relax::Var::new("w", e.struct_info.clone());
        let block = BindingBlock { dataflow: false, bindings: vec![bind(&w, e)] };
        SeqExpr { blocks: vec![block], result: value(&w) }
    };
    let conditional = relax::Expr::conditional(
        value(&c),
        branch(op("nn.relu", vec![value(&y)])),
        branch(relax::Expr::tuple(vec![value(&y), relax::Expr::prim(Expr::i64(3)), relax::Expr::tuple(vec![])])),
    )
    .unwrap();
    let z = relax::Var::new("z", conditional.struct_info.clone());
    let p = relax::Var::new("x", tensor_info(&[2]));
    let mut inner = function(vec![p.clone()], Vec::new(), op("nn.relu", vec![value(&p)]));
    inner.attrs = Attrs::new();
    inner.pure = false;
    let f = relax::Var::new("f", inner.signature());
    let inner = relax::Expr::raw(inner.signature(), relax::ExprKind::Function(Box::new(inner)));
    let packed =
        relax::Expr::call_packed("env.log", vec![relax::Expr::str("hi"), relax::Expr::shape(vec![n, m])], vec![]);
    let unused = relax::Var::new("_", StructInfo::Object);
    let block = BindingBlock {
        dataflow: false,
        bindings: vec![cast, bind(&z, conditional.clone()), bind(&f, inner), bind(&unused, packed)],
    };
    let result = relax::Expr::tuple(vec![conditional]);
    let mut main = function(vec![x, c], vec![block], result);
    main.ret = StructInfo::Tuple(vec![
        StructInfo::tensor_with(TensorShape::Rank(2), None),
        StructInfo::tensor_with(TensorShape::Unknown, Some(DataType::F32)),
        StructInfo::Shape(TensorShape::Unknown),
        StructInfo::Func { params: None, ret: Box::new(StructInfo::Object), pure: false },
    ]);
    expect![[r##"
        # from tvm.script import tir as T
        # from tvm.script import relax as R

        @R.function(force_pure=True)
        def main(x: R.Tensor(("n", "n * 2"), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor(ndim=2), R.Tensor(dtype="float32"), R.Shape(), R.Callable(ret=R.Object, purity=False)):
            m = T.int64()
            n = T.int64()
            y: R.Tensor((m, m + 1), dtype="float32") = R.match_cast(x, R.Tensor((m, m + 1), dtype="float32"))
            if c:
                w: R.Tensor((m, m + 1), dtype="float32") = R.nn.relu(y)
                z: R.Object = w
            else:
                w_1: R.Tuple(R.Tensor((m, m + 1), dtype="float32"), R.Prim(value=3), R.Tuple()) = (y, R.prim_value(3), R.tuple())
                z: R.Object = w_1
            @R.function(pure=False)
            def f(x_1: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
                return R.nn.relu(x_1)
            _: R.Object = R.call_packed("env.log", R.str("hi"), R.shape([n, m]))
            if c:
                w: R.Tensor((m, m + 1), dtype="float32") = R.nn.relu(y)
                v: R.Object = w
            else:
                w_1: R.Tuple(R.Tensor((m, m + 1), dtype="float32"), R.Prim(value=3), R.Tuple()) = (y, R.prim_value(3), R.tuple())
                v: R.Object = w_1
            return (v,)
    "##]]
    .assert_eq(&print_function("main", &main, &PrintOptions::default()));
}

#[test]
fn parentheses_stand_only_where_python_needs_them() {
    let ((_, a), (_, b)) = (var("a", DataType::I32), var("b", DataType::I32));
    let (_, c) = var("c", DataType::BOOL);
    let bin = |op, a: &Expr, b: &Expr| Expr::binary(op, a, b).unwrap();
    let cmp = |op, a: &Expr, b: &Expr| Expr::compare(op, a, b).unwrap();
    for (expr, text) in [
        (bin(BinOp::Sub, &a, &bin(BinOp::Sub, &b, &a)), "a - (b - a)"),
        (bin(BinOp::Sub, &bin(BinOp::Sub, &a, &b), &a), "a - b - a"),
        (bin(BinOp::Mul, &bin(BinOp::Add, &a, &b), &Expr::i32(-2)), "(a + b) * -2"),
        (bin(BinOp::Div, &a, &b), "T.Div(a, b)"),
        (bin(BinOp::FloorMod, &bin(BinOp::FloorDiv, &a, &b), &Expr::i32(2)), "a // b % 2"),
        (bin(BinOp::Add, &Expr::i32(1), &Expr::i32(2)), "T.Add(1, 2)"),
        (bin(BinOp::Add, &a.cast(DataType::I64).unwrap(), &Expr::i64(2)), "T.Cast(\"int64\", a) + T.int64(2)"),
        (cmp(CmpOp::Eq, &cmp(CmpOp::Lt, &a, &b), &c), "(a < b) == c"),
        (bin(BinOp::Or, &c, &bin(BinOp::And, &c.not().unwrap(), &c)), "c or not c and c"),
        (bin(BinOp::And, &bin(BinOp::Or, &c, &c), &c).not().unwrap(), "not ((c or c) and c)"),
        (cmp(CmpOp::Ne, &c.not().unwrap(), &c), "(not c) != c"),
        (bin(BinOp::Shl, &bin(BinOp::BitAnd, &a, &b), &Expr::i32(1)), "(a & b) << 1"),
        (Expr::int(-1, DataType::U64), "T.uint64(18446744073709551615)"),
        (Expr::float(f64::INFINITY, DataType::F16), "T.float16(\"inf\")"),
        (Expr::float(0.1, DataType::BF16), "T.bfloat16(0.100097656)"),
        (Expr::float(-0.0, DataType::F64), "T.float64(-0.0)"),
        (Expr::float(0.5, DataType::F32.with_lanes(4)), "T.Broadcast(T.float32(0.5), 4)"),
        (Expr::str("x\ty"), "\"x\\ty\""),
    ] {
        assert_eq!(print_expr(&expr), text);
    }
    let x = Var::new("x", DataType::I32);
    let bound = Expr::bind(&x, &a, &(&Expr::var(&x) * 2)).unwrap();
    assert_eq!(print_expr(&bound), "T.Let(x * 2, where={x: a})");
}

#[test]
fn struct_infos_in_messages() {
    let (_, n) = var("n", DataType::I64);
    let func =
        StructInfo::Func { params: Some(vec![tensor_info(&[1])]), ret: Box::new(StructInfo::Object), pure: true };
    for (info, text) in [
        (StructInfo::tensor(vec![n.clone(), Expr::i64(4)], DataType::F32), "R.Tensor((n, 4), dtype=\"float32\")"),
        (StructInfo::tensor_with(TensorShape::Unknown, None), "R.Tensor()"),
        (StructInfo::tensor_with(TensorShape::Rank(2), Some(DataType::I8)), "R.Tensor(dtype=\"int8\", ndim=2)"),
        (StructInfo::Shape(TensorShape::Known(vec![n.clone()])), "R.Shape([n])"),
        (StructInfo::Prim { dtype: DataType::I64, value: None }, "R.Prim(\"int64\")"),
        (StructInfo::Prim { dtype: DataType::I64, value: Some(n) }, "R.Prim(value=n)"),
        (StructInfo::Tuple(vec![StructInfo::Object]), "R.Tuple(R.Object)"),
        (func, "R.Callable((R.Tensor((1,), dtype=\"float32\"),), R.Object, True)"),
    ] {
        assert_eq!(print_struct_info(&info), text);
    }
}

#[test]
fn an_empty_module_is_a_module() {
    let mut module = IRModule::new();
    let empty = "# from tvm.script import ir as I\n\n@I.ir_module\nclass Module:\n    pass\n";
    assert_eq!(print_module(&module, &PrintOptions::default()), empty);
    module.attrs = attrs(&[("a", Attr::Bool(true)), ("b", Attr::DType(DataType::I8))]);
    let text = print_module(&module, &PrintOptions::default());
    assert!(text.contains("    I.module_attrs({\"a\": True, \"b\": T.dtype(\"int8\")})\n"), "{text}");
    survives(&module);
}

#[test]
fn a_function_that_shares_variables_with_another_names_them_again() {
    let (_, n) = var("n", DataType::I64);
    let x = relax::Var::new("x", StructInfo::tensor(vec![n], DataType::F32));
    let mut module = IRModule::new();
    module.insert("a", function(vec![x.clone()], Vec::new(), relax::Expr::var(&x)));
    module.insert("b", function(vec![x.clone()], Vec::new(), relax::Expr::var(&x)));
    let text = print_module(&module, &PrintOptions::default());
    assert_eq!(text.matches("(x: R.Tensor((\"n\",), dtype=\"float32\"))").count(), 2, "{text}");
}

#[test]
fn a_root_block_that_the_parser_would_not_put_back_is_written() {
    let a = Buffer::new("A", vec![], DataType::F32);
    let store = Stmt::store(&a, vec![], &Expr::float(1.0, DataType::F32)).unwrap();
    let function = PrimFunc::with_root(vec![Param::buffer(&a)], symbol("f"), vec![], store, Origins::default());
    expect![[r#"
        # from tvm.script import tir as T

        @T.prim_func
        def f(A: T.Buffer((), "float32")):
            with T.block("root"):
                T.reads()
                T.writes()
                A[()] = T.float32(1.0)
    "#]]
    .assert_eq(&print_prim_func("f", &function, &PrintOptions::default()));
    survives_alone("f", function);
}
