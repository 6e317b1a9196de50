//! Analyses and rewriting of PrimFuncs.

use std::collections::HashSet;

use tilewright_expr::node::walk;
use tilewright_interp::{Arg, InterpCx};
use tilewright_ir::analysis::has_reshape_pattern;
use tilewright_ir::analysis::tir::{
    Node, Transform, assert_pure_function, calculate_workspace_bytes, detect_buffer_access_lca, estimate_tir_flops,
    expr_deep_equal, find_anchor_block, get_block_access_region, ir_transform, is_pure_function, post_order_visit,
    pre_order_visit, renew_defs, substitute, undefined_vars, verify_well_formed,
};
use tilewright_ir::node::EqCx;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::{DataType, Tensor};

use super::{module, prim};

fn function(text: &str) -> PrimFunc {
    prim(&module(&format!("    @T.prim_func(private=True)\n{text}")), "f")
}

fn matmul() -> PrimFunc {
    function(
        r#"    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((8, 5), "float32"), C: T.Buffer((4, 5), "float32")):
        with T.block("root"):
            D = T.alloc_buffer((4, 5), "float32")
            for i, j, k in T.grid(4, 5, 8):
                with T.block("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        D[vi, vj] = T.float32(0)
                    D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
            for i, j in T.grid(4, 5):
                with T.block("relu"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = T.max(D[vi, vj], T.float32(0))"#,
    )
}

#[test]
fn arithmetic_is_counted() {
    assert_eq!(estimate_tir_flops(&matmul()).unwrap(), f64::from(2 * 4 * 5 * 8 + 4 * 5));
    let symbolic = function(
        r#"    def f(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.block("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + T.float32(1)"#,
    );
    assert_eq!(estimate_tir_flops(&symbolic).unwrap_err(), "the extent of loop `i` is no constant");
    let mut said = symbolic;
    said.attrs.insert("estimated_flops".into(), tilewright_ir::Attr::Int(7));
    assert_eq!(estimate_tir_flops(&said).unwrap(), 7.0);
}

#[test]
fn the_block_with_the_reduction_is_the_anchor() {
    let mut module = tilewright_ir::IRModule::new();
    module.insert("f", matmul());
    let anchor = find_anchor_block(&module).unwrap();
    assert_eq!(&*anchor.name, "product");
    let regions = get_block_access_region(&anchor);
    let names = |regions: &[tilewright_ir::tir::BufferRegion]| {
        regions.iter().map(|r| r.buffer.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((names(&regions.reads), names(&regions.writes)), (vec!["A".into(), "B".into()], vec!["D".to_string()]));
    assert!(regions.opaque.is_empty());
}

#[test]
fn own_memory_is_counted_and_writing_it_is_pure() {
    let f = matmul();
    assert_eq!(calculate_workspace_bytes(&f, 1), Ok(80));
    assert_eq!(calculate_workspace_bytes(&f, 64), Ok(128));
    assert_eq!(calculate_workspace_bytes(&f, 0).unwrap_err(), "an alignment of 0 bytes");
    assert_eq!(assert_pure_function(&f).unwrap_err(), "the function is not pure: it writes `C`");
    let own = function(
        r#"    def f(A: T.Buffer((4,), "float32")):
        with T.block("root"):
            D = T.alloc_buffer((4,), "float32")
            for i in range(4):
                with T.block("d"):
                    vi = T.axis.spatial(4, i)
                    D[vi] = A[vi]"#,
    );
    assert!(is_pure_function(&own));
    let calls = function(
        r#"    def f(A: T.Buffer((4,), "float32")):
        T.evaluate(T.call_extern("int32", "beep"))"#,
    );
    assert_eq!(assert_pure_function(&calls).unwrap_err(), "the function is not pure: it calls `beep`");
}

#[test]
fn a_view_is_the_memory_that_it_views() {
    let through = |view: &str| {
        function(&format!(
            r#"    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
        C = T.allocate([8], "float32", "global")
        own = T.decl_buffer((8,), data=C)
        V = T.decl_buffer((2, 4), data={view})
        W = T.decl_buffer((8,), data=V.data)
        for i in range(4):
            W[i] = A[i]"#
        ))
    };
    let (of_caller, of_own) = (through("B.data"), through("own.data"));
    assert_eq!(assert_pure_function(&of_caller).unwrap_err(), "the function is not pure: it writes `W`");
    assert_eq!(assert_pure_function(&of_own), Ok(()));
    assert_eq!(calculate_workspace_bytes(&of_caller, 1), Ok(32));
    assert_eq!(calculate_workspace_bytes(&of_own, 1), Ok(32));
    let symbolic = function(
        r#"    def f(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (2, n), "float32")
        V = T.decl_buffer((n * 2,), data=A.data)
        V[0] = T.float32(1)"#,
    );
    assert_eq!(calculate_workspace_bytes(&symbolic, 64), Ok(0));
    assert!(!is_pure_function(&symbolic));
}

#[test]
fn the_innermost_statement_around_all_uses() {
    let f = matmul();
    let found = detect_buffer_access_lca(&f);
    let block_of = |name: &str| {
        let (_, stmt) = found.iter().find(|(buffer, _)| &*buffer.name == name).unwrap();
        stmt.as_ref().map(|stmt| match &stmt.kind {
            StmtKind::Block { block, .. } => block.name.to_string(),
            StmtKind::For { var, .. } => var.name.to_string(),
            _ => "other".to_owned(),
        })
    };
    assert_eq!((block_of("A"), block_of("C")), (Some("product".into()), Some("relu".into())));
    assert_eq!(block_of("D"), Some("root".into()));
}

#[test]
fn visits_are_ordered_and_skip_requested_nodes() {
    let f = matmul();
    let (mut post, mut pre) = (Vec::new(), Vec::new());
    let name = |node: &Node| match node {
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::Block { block, .. } => Some(block.name.to_string()),
            StmtKind::For { var, .. } => Some(var.name.to_string()),
            _ => None,
        },
        Node::Expr(_) => None,
    };
    post_order_visit(&f.body, &mut |node| post.extend(name(node)));
    pre_order_visit(&f.body, &mut |node| {
        pre.extend(name(node));
        !matches!(node, Node::Stmt(stmt) if matches!(&stmt.kind, StmtKind::For { var, .. } if &*var.name == "j"))
    });
    assert_eq!(post, ["product", "k", "j", "i", "relu", "j", "i", "root"]);
    assert_eq!(pre, ["root", "i", "j", "i", "j"]);
    let mut exprs = HashSet::new();
    post_order_visit(&f.body, &mut |node| {
        if let Node::Expr(expr) = node {
            exprs.insert(std::mem::discriminant(&expr.kind));
        }
    });
    assert!(exprs.len() >= 4, "loads, variables, constants, sums");
}

#[test]
fn substitution_and_deep_equality() {
    let (x, y) = (Var::new("x", DataType::I32), Var::new("y", DataType::I32));
    let sum = Expr::binary(BinOp::Add, &Expr::var(&x), &Expr::var(&y)).unwrap();
    let found = substitute(&sum, &[(x.clone(), Expr::i32(3)), (y.clone(), Expr::var(&x))]);
    assert!(expr_deep_equal(&found, &Expr::binary(BinOp::Add, &Expr::i32(3), &Expr::var(&x)).unwrap()), "all at once");
    assert!(!expr_deep_equal(&Expr::var(&x), &Expr::var(&y)));
    let body = Stmt::from(StmtKind::Evaluate(sum));
    let free = undefined_vars(&body, std::slice::from_ref(&y));
    assert_eq!(free, [x]);
    let f = matmul();
    assert!(
        undefined_vars(&f.body, &f.params.iter().map(|p| p.buffer.as_ref().unwrap().data.clone()).collect::<Vec<_>>())
            .is_empty()
    );
}

#[test]
fn transformations_get_nodes_before_and_after_their_parts() {
    let f = function(
        r#"    def f(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("a"):
                vi = T.axis.spatial(4, i)
                A[vi] = A[vi] * T.float32(2) + T.float32(1)"#,
    );
    let mut after = |node: &Node| match node {
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Binary(BinOp::Mul, a, b) => Expr::binary(BinOp::Add, a, b).ok().map(Node::Expr),
            _ => None,
        },
        Node::Stmt(_) => None,
    };
    let transform = Transform { before: None, after: Some(&mut after), only: &|node| matches!(node, Node::Expr(_)) };
    let body = ir_transform(&f.body, transform).unwrap();
    let changed = PrimFunc { body, ..f.clone() };
    assert!(verify_well_formed(&changed).is_empty());
    let tensor = Tensor::from_vec(&[4], vec![0.0_f32, -1.0, 5.0, f32::NAN]).unwrap();
    InterpCx::new(1).run_prim_func(&changed, &[Arg::Tensor(tensor.clone())]).unwrap();
    let found = tensor.to_vec::<f32>().unwrap();
    assert_eq!(found[..3], [3.0, 2.0, 8.0]);
    // A statement cannot stand for an expression, nor an expression of another type.
    let mut wrong = |node: &Node| matches!(node, Node::Expr(_)).then(|| Node::Stmt(Stmt::nothing()));
    let transform = Transform { before: Some(&mut wrong), after: None, only: &|_| true };
    assert_eq!(ir_transform(&f.body, transform).unwrap_err(), "a statement is to stand for an expression");
    let mut other =
        |node: &Node| matches!(node, Node::Expr(e) if e.dtype == DataType::F32).then(|| Node::Expr(Expr::i32(1)));
    let transform = Transform { before: Some(&mut other), after: None, only: &|_| true };
    assert_eq!(
        ir_transform(&f.body, transform).unwrap_err(),
        "an expression of type int32 is to stand for one of float32"
    );
}

#[test]
fn renewed_functions_share_no_definition() {
    let f = matmul();
    let renewed = renew_defs(&f);
    assert!(EqCx::compare(&f, &renewed).is_ok() && verify_well_formed(&renewed).is_empty());
    let ids = |f: &PrimFunc| {
        let mut ids = HashSet::new();
        walk(f, |var: &Var| ids.extend([var.id()]));
        walk(f, |buffer: &tilewright_ir::tir::Buffer| ids.extend([buffer.id()]));
        ids
    };
    assert!(ids(&f).is_disjoint(&ids(&renewed)));
    assert_eq!(ids(&f).len(), ids(&renewed).len());
}

#[test]
fn reshapes_are_copies_in_row_major_order() {
    let copy = |from: &str, to: &str, read: &str| {
        function(&format!(
            r#"    def f(A: T.Buffer({from}, "float32"), B: T.Buffer({to}, "float32")):
        for i, j in T.grid(6, 4):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[{read}]"#
        ))
    };
    for (from, read, expected) in [
        ("(24,)", "vi * 4 + vj", true),
        ("(2, 12)", "(vi * 4 + vj) // 12, (vi * 4 + vj) % 12", true),
        ("(6, 4)", "vi, vj", true),
        ("(24,)", "vj * 6 + vi", false),
        ("(4, 6)", "vj, vi", false),
        ("(25,)", "vi * 4 + vj", false),
    ] {
        assert_eq!(has_reshape_pattern(&copy(from, "(6, 4)", read)), expected, "{from} {read}");
    }
    assert!(!has_reshape_pattern(&copy("(24,)", "(7, 4)", "vi * 4 + vj")), "a row is not written");
    assert!(!has_reshape_pattern(&matmul()));
}
