//! PrimFuncs: the forms of the language, by the structure that they become.

use tilewright_ir::Attr;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, ForKind, IterKind, Scope, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::{module, prim};

/// The first statement below the root.
fn first(params: &str, body: &str) -> Stmt {
    let function = prim(params, body);
    match function.root_block() {
        Some(root) => root.body.clone(),
        None => function.body.clone(),
    }
}

/// The stored value of `A[0] = text`, with `i: int32`, `n: int64`, `x: float32` and `c: bool` as parameters.
fn value(dtype: &str, text: &str) -> Expr {
    let params =
        format!("A: T.Buffer((8,), {dtype:?}), i: T.int32, n: T.int64, x: T.float32, c: T.bool, B: T.Buffer((64,))");
    let stmt = first(&params, &format!("A[0] = {text}"));
    match &stmt.kind {
        StmtKind::Store { value, .. } => value.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn literals_take_the_type_of_the_other_operand() {
    for (dtype, text) in [
        ("float32", "0"),
        ("float16", "1.5"),
        ("int8", "-128"),
        ("uint8", "255"),
        ("bool", "True"),
        ("int64", "n + 1"),
        ("int64", "2 ** 40"),
        ("int32", "i * 2 + 1"),
        ("float32", "x * 2 - 1"),
        ("bool", "i < 3"),
        ("bool", "0 <= i < n"),
        ("int64", "T.max(n, 0)"),
        ("float32", "T.Select(c, x, 0)"),
        ("float32", "x if c else 1"),
        ("float32", "T.float32(3)"),
        ("float32", "T.float32(\"inf\")"),
        ("uint64", "T.uint64(18446744073709551615)"),
        ("int32", "7 // 2 + -7 % 4"),
        ("float32", "T.sqrt(2)"),
        ("float32", "T.fma(x, 2, 1.5)"),
        ("bool", "not c and i != 2 or False"),
        ("int32", "i.astype(\"int32\")"),
        ("int32", "~i & 255 | i << 2 ^ i >> 1"),
    ] {
        assert_eq!(value(dtype, text).dtype.to_string(), dtype, "{text}");
    }
    assert_eq!(value("int32", "7 // 2 + -7 % 4").as_int(), Some(4));
    assert!(matches!(value("int64", "n + i").kind, ExprKind::Binary(BinOp::Add, ..)));
}

#[test]
fn functions_never_fold() {
    assert!(matches!(value("int32", "T.Add(1, 2)").kind, ExprKind::Binary(BinOp::Add, ..)));
    assert!(matches!(value("bool", "T.LT(1, 2)").kind, ExprKind::Compare(CmpOp::Lt, ..)));
    assert_eq!(value("int32", "1 + 2").as_int(), Some(3));
}

#[test]
fn divisions_say_how_they_round() {
    for (text, op) in [
        ("i // 2", BinOp::FloorDiv),
        ("i % 2", BinOp::FloorMod),
        ("T.truncdiv(i, 2)", BinOp::Div),
        ("T.truncmod(i, 2)", BinOp::Mod),
        ("T.floordiv(i, 2)", BinOp::FloorDiv),
    ] {
        assert!(matches!(value("int32", text).kind, ExprKind::Binary(found, ..) if found == op), "{text}");
    }
    assert!(matches!(value("float32", "x / 2").kind, ExprKind::Binary(BinOp::Div, ..)));
}

#[test]
fn vectors() {
    let lanes = |text: &str| value("float32", text).dtype.lanes;
    assert!(matches!(value("float32", "T.Shuffle([B[0:4]], [2])").kind, ExprKind::Shuffle { .. }));
    assert_eq!(lanes("T.Shuffle([B[0:4], B[4:8]], [7])"), 1);
    let stmt = first("A: T.Buffer((64,)), i: T.int32", "A[i * 4:i * 4 + 4] = A[T.Ramp(0, 2, 4)] + T.Broadcast(1.0, 4)");
    let StmtKind::Store { value, indices, .. } = &stmt.kind else { panic!() };
    assert_eq!((value.dtype.lanes, indices[0].dtype.lanes), (4, 4));
    let stmt = first("A: T.Buffer((64,))", "A[0:16:2] = 1.0");
    let StmtKind::Store { value, .. } = &stmt.kind else { panic!() };
    assert!(matches!(value.kind, ExprKind::Broadcast(_)) && value.dtype.lanes == 8);
}

#[test]
fn masked_loads_and_stores() {
    let body = "A.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(4, 1, 4)], predicate=T.Ramp(0, 1, 4) < 3), predicate=T.Broadcast(c, 4))";
    let stmt = first("A: T.Buffer((64,)), c: T.bool", body);
    let StmtKind::Store { value, predicate: Some(_), .. } = &stmt.kind else { panic!("{stmt:?}") };
    assert!(matches!(value.kind, ExprKind::Load { predicate: Some(_), .. }));
}

#[test]
fn loops_of_every_kind() {
    for (text, kind) in [
        ("range(8)", ForKind::Serial),
        ("T.serial(0, 8)", ForKind::Serial),
        ("T.parallel(8)", ForKind::Parallel),
        ("T.vectorized(8)", ForKind::Vectorized),
        ("T.unroll(8)", ForKind::Unrolled),
        ("T.thread_binding(8, thread=\"threadIdx.x\")", ForKind::ThreadBinding("threadIdx.x".into())),
        ("T.thread_binding(0, 8, \"blockIdx.x\")", ForKind::ThreadBinding("blockIdx.x".into())),
        ("T.serial(8, annotations={\"unroll\": 4})", ForKind::Serial),
    ] {
        let stmt = first("A: T.Buffer((8,))", &format!("for i in {text}:\n    A[i] = 0.0"));
        let StmtKind::For { kind: found, extent, min, .. } = &stmt.kind else { panic!() };
        assert_eq!((found, min.as_int(), extent.as_int()), (&kind, Some(0), Some(8)), "{text}");
    }
    let stmt = first("A: T.Buffer((8,)), n: T.int64", "for i in range(n, n + 4):\n    A[i] = 0.0");
    let StmtKind::For { extent, var, .. } = &stmt.kind else { panic!() };
    assert_eq!((extent.as_int(), var.dtype), (Some(4), DataType::I64));
}

#[test]
fn a_grid_is_a_nest() {
    let stmt = first("A: T.Buffer((2, 3))", "for i, j in T.grid(2, T.int64(3)):\n    A[i, j] = 0.0");
    let StmtKind::For { body, var: outer, .. } = &stmt.kind else { panic!() };
    let StmtKind::For { extent, var: inner, .. } = &body.kind else { panic!() };
    assert_eq!((extent.as_int(), outer.dtype, inner.dtype), (Some(3), DataType::I32, DataType::I64));
}

#[test]
fn a_let_holds_for_the_rest_of_its_suite() {
    let stmt = first("A: T.Buffer((8,))", "x = A[0]\ny: T.int64 = 3\nA[y] = x\nA[1] = x");
    let StmtKind::Let { body, .. } = &stmt.kind else { panic!() };
    let StmtKind::Let { var, body, .. } = &body.kind else { panic!() };
    assert_eq!(var.dtype, DataType::I64);
    assert!(matches!(&body.kind, StmtKind::Seq(stmts) if stmts.len() == 2));
    let stmt = first("A: T.Buffer((8,))", "with T.LetStmt(A[0]) as x:\n    A[1] = x\nA[2] = 0.0");
    assert!(matches!(&stmt.kind, StmtKind::Seq(stmts) if matches!(stmts[0].kind, StmtKind::Let { .. })));
}

#[test]
fn one_with_has_several_items() {
    let threads = "with T.launch_thread(\"blockIdx.x\", 2) as b, T.launch_thread(\"threadIdx.x\", 4) as t:\n    A[b * 4 + t] = 1.0";
    let nested = "with T.launch_thread(\"blockIdx.x\", 2) as b:\n    with T.launch_thread(\"threadIdx.x\", 4) as t:\n        A[b * 4 + t] = 1.0";
    let (one, other) = (first("A: T.Buffer((8,))", threads), first("A: T.Buffer((8,))", nested));
    assert!(matches!(&one.kind, StmtKind::For { body, .. } if matches!(body.kind, StmtKind::For { .. })));
    assert_eq!(format!("{one:?}").len(), format!("{other:?}").len());
    let block = "with T.attr(0, \"hint\", 1), T.block(\"b\"), T.LetStmt(A[0]) as x:\n    A[1] = x";
    let stmt = first("A: T.Buffer((8,))", block);
    let StmtKind::Attr { body, .. } = &stmt.kind else { panic!() };
    let StmtKind::Block { block, .. } = &body.kind else { panic!() };
    assert!(matches!(block.body.kind, StmtKind::Let { .. }));
}

#[test]
fn blocks_are_spelled_as_later_texts_do() {
    let body = "B = T.sblock_alloc_buffer((4,), scope=\"shared\")\nwith T.sblock(\"b\"):\n    T.sblock_attr({\"k\": 1})\n    B[0] = A[0]";
    let stmt = first("A: T.Buffer((8,))", body);
    let StmtKind::Block { block, .. } = &stmt.kind else { panic!() };
    assert_eq!((&*block.name, block.annotations.len()), ("b", 1));
}

#[test]
fn annotations_name_buffers() {
    let stmt = first(
        "A: T.Buffer((8,))",
        "with T.block(\"b\"):\n    T.block_attr({\"layout_free_placeholders\": [A]})\n    A[0] = 1.0",
    );
    let StmtKind::Block { block, .. } = &stmt.kind else { panic!() };
    let Some(Attr::Array(names)) = block.annotations.get("layout_free_placeholders") else { panic!() };
    assert!(matches!(names.as_slice(), [Attr::Str(name)] if &**name == "A"));
}

#[test]
fn memory_and_its_lifetime() {
    let body = "t = T.decl_buffer((4,), scope=\"local\", align=64)\nt[0] = 1.0\nA[0] = t[0]";
    let stmt = first("A: T.Buffer((8,))", body);
    let StmtKind::Allocate { buffer, body } = &stmt.kind else { panic!() };
    assert_eq!((&buffer.scope, buffer.align, &*buffer.name), (&Scope::Local, 64, "t"));
    assert!(matches!(&body.kind, StmtKind::Seq(_)));
    let function =
        prim("A: T.Buffer((8,))", "t = T.alloc_buffer([4], dtype=\"int8\")\nfor i in range(4):\n    t[i] = 0");
    assert_eq!(function.root_block().map(|root| root.alloc_buffers.len()), Some(1));
}

#[test]
fn a_body_without_blocks_and_temporaries_has_no_root() {
    assert!(prim("A: T.Buffer((8,))", "A[0] = 1.0").root_block().is_none());
    let implicit = prim("A: T.Buffer((8,))", "with T.block(\"b\"):\n    A[0] = 1.0");
    let explicit = prim("A: T.Buffer((8,))", "with T.block(\"root\"):\n    with T.block(\"b\"):\n        A[0] = 1.0");
    assert_eq!(tilewright_ir::node::EqCx::compare(&implicit, &explicit), Ok(()));
    assert_eq!(implicit.root_block().map(|root| &*root.name), Some("root"));
}

#[test]
fn blocks_bind_axes() {
    let body = r#"
for i, k in T.grid(4, 8):
    with T.block("b"):
        vi, vk = T.axis.remap("SR", [i, k])
        vo = T.axis.opaque((2, 6), i + 2)
        T.where(i * 8 + k < 30)
        T.reads(A[vi, 0:4], A)
        T.writes()
        T.block_attr({"note": "x", "size": 3, "deep": {"list": [1, 2.5, True]}})
        T.evaluate(A[vi, vk])"#;
    let function = prim("A: T.Buffer((4, 8))", body);
    let mut blocks = Vec::new();
    tilewright_ir::node::walk(&function, |stmt: &Stmt| {
        if let StmtKind::Block { block, values, predicate } = &stmt.kind {
            blocks.push((block.clone(), values.clone(), predicate.clone()));
        }
    });
    let (block, values, predicate) = blocks.last().unwrap();
    let kinds: Vec<_> = block.iters.iter().map(|iter| iter.kind).collect();
    assert_eq!(kinds, [IterKind::Spatial, IterKind::Reduce, IterKind::Opaque]);
    let domain = &block.iters[2].domain;
    assert_eq!((domain.min.as_int(), domain.extent.as_int(), values.len()), (Some(2), Some(4), 3));
    assert_eq!((block.reads.len(), block.writes.len()), (2, 0));
    assert!(matches!(predicate.kind, ExprKind::Compare(CmpOp::Lt, ..)));
    assert_eq!(block.annotations["size"].as_int(), Some(3));
    assert!(
        matches!(&block.annotations["deep"], Attr::Map(map) if matches!(&map["list"], Attr::Array(items) if items.len() == 3))
    );
}

#[test]
fn symbolic_shapes_come_from_matched_handles() {
    let body = "n = T.int64()\nA = T.match_buffer(a, (n, 4), \"float16\", strides=(n, 1), elem_offset=0)\nfor i in range(n):\n    A[i, 0] = 1.0";
    let function = prim("a: T.handle, m: T.int32", body);
    let buffer = function.params[0].buffer.as_ref().unwrap();
    assert_eq!((&*function.params[0].var.name, &*buffer.name, buffer.strides.len()), ("a", "A", 2));
    assert_eq!(buffer.dtype, DataType::F16);
    assert!(buffer.shape[0].as_var().is_some() && buffer.elem_offset.is_some());
    assert_eq!(function.params[1].var.dtype, DataType::I32);
    let scalars_first = prim("n: T.int64, A: T.Buffer((n,))", "A[n - 1] = 0.0");
    assert_eq!(scalars_first.params[1].buffer.as_ref().unwrap().shape[0].as_var(), Some(&scalars_first.params[0].var));
}

#[test]
fn conditions_asserts_and_loops_over_conditions() {
    let body = r#"
assert i > 0, "i must be positive"
if i < 2:
    A[0] = 1.0
elif i < 4:
    A[1] = 1.0
else:
    A[2] = 1.0
while A[0] < 3.0:
    A[0] += 1.0
if False:
    A[undefined] = 1"#;
    let stmt = first("A: T.Buffer((8,)), i: T.int32", body);
    let StmtKind::Seq(stmts) = &stmt.kind else { panic!() };
    assert!(matches!(&stmts[0].kind, StmtKind::Assert { message, .. } if &**message == "i must be positive"));
    assert!(
        matches!(&stmts[1].kind, StmtKind::If { otherwise: Some(inner), .. } if matches!(inner.kind, StmtKind::If { .. }))
    );
    assert!(matches!(&stmts[2].kind, StmtKind::While { .. }));
    assert_eq!(stmts.len(), 3);
}

#[test]
fn symbols_and_attributes() {
    let module = module(
        r#"
@I.ir_module
class M:
    I.module_attrs({"version": 2})
    @T.prim_func
    def named(A: T.Buffer(4, "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "layout_free_buffers": [1]})
        A[0] = 0.0
    @T.prim_func(private=True)
    def hidden(A: T.Buffer[4, "float32"]) -> None:
        A[0] = 0.0
    @T.prim_func
    def renamed(A: T.Buffer[(4, 2), "int8"]):
        T.func_attr({"global_symbol": "other"})
        A[0, 1] = 0
"#,
    );
    let symbol = |name: &str| module.prim(name).unwrap().global_symbol().map(str::to_owned);
    assert_eq!(
        (symbol("named").as_deref(), symbol("hidden"), symbol("renamed").as_deref()),
        (Some("named"), None, Some("other"))
    );
    let attrs = &module.prim("named").unwrap().attrs;
    assert!(matches!(attrs["tir.noalias"], Attr::Bool(true)));
    assert_eq!(attrs["layout_free_buffers"].as_ints(), Some(vec![1]));
    assert_eq!(module.attrs["version"].as_int(), Some(2));
}

#[test]
fn values_of_python_enter_through_names() {
    let text = "N = 8\nTYPE = 'float16'\n\n@T.prim_func\ndef f(A: T.Buffer((N, N * 2), TYPE)):\n    A[N - 1, 0] = 1\n";
    let file = tilewright_support::SourceFile::new("t.py", text);
    let Ok(crate::parse::Definition::Prim(f)) = crate::parse::parse_function(&file, &crate::parse::NoHost) else {
        panic!()
    };
    let buffer = f.params[0].buffer.as_ref().unwrap();
    assert_eq!((buffer.constant_shape(), buffer.dtype), (Some(vec![8, 16]), DataType::F16));
}
