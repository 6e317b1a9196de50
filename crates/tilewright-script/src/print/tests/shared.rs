//! Shared nodes and deep nests: their text is as long as they are, and means the same nodes.

use super::*;

#[test]
fn shared_nodes_and_deep_nests_stay_linear() {
    let (_, a) = var("a", DataType::I32);
    let squared = (0..60).fold(a.clone(), |x, _| &x * &x);
    let text = print_expr(&squared);
    assert!(text.len() < 2_000, "{}", text.len());
    let deep = (0..10_000).fold(a.clone(), |x, i| if i % 2 == 0 { &x + &a } else { &a - &x });
    assert!(print_expr(&deep).len() > 10_000 * 4);
    let called = (0..10_000).fold(a, |x, _| Expr::binary(BinOp::Max, &x, &x.clone()).unwrap());
    assert!(print_expr(&called).len() < 10_000 * 100);

    let x = relax::Var::new("x", tensor_info(&[2]));
    let doubled = (0..40).fold(relax::Expr::var(&x), |x, _| op("add", vec![x.clone(), x]));
    assert!(print_graph_expr(&doubled).len() < 3_000);
    let deep = (0..10_000).fold(relax::Expr::var(&x), |x, _| op("nn.relu", vec![x]));
    assert!(print_graph_expr(&deep).len() > 10_000 * 4);

    let store = StmtKind::Evaluate(Expr::i32(0)).into();
    let lets = (0..10_000)
        .fold(store, |body, i| StmtKind::Let { var: Var::new("x", DataType::I32), value: Expr::i32(i), body }.into());
    assert!(print_stmt(&lets).len() > 10_000 * 10);
    let nest = (0..1_000)
        .fold(Stmt::nothing(), |then, _| StmtKind::If { condition: Expr::bool(true), then, otherwise: None }.into());
    assert!(print_stmt(&nest).lines().count() == 1_001);
}

#[test]
fn dags_and_deep_nests_survive_their_text() {
    let a = Buffer::new("A", vec![Expr::i32(4)], DataType::I32);
    let load = Expr::load(&a, vec![Expr::i32(0)]).unwrap();
    let squared = (0..60).fold(load.clone(), |x, _| &x * &x);
    let deep = (0..5_000).fold(load.clone(), |x, i| if i % 2 == 0 { &x + &load } else { &load - &x });
    let called = (0..5_000).fold(load.clone(), |x, _| Expr::binary(BinOp::Max, &load, &x).unwrap());
    let stores = [squared, deep, called].map(|value| Stmt::store(&a, vec![Expr::i32(1)], &value).unwrap());
    let params = vec![Param::buffer(&a)];
    let mut module = IRModule::new();
    let function = PrimFunc { params, attrs: symbol("f"), body: Stmt::seq(stores), origins: Origins::default() };
    module.insert("f", function);
    let text = print_module(&module, &PrintOptions::default());
    let back = parse_module(&SourceFile::new("printed.py", text.as_str()), &NoHost);
    assert_eq!(
        back.map_err(|e| e.to_string()).and_then(|back| module.compare(&back).map_err(|at| at.to_string())),
        Ok(())
    );
}

#[test]
fn a_foreign_call_that_is_used_twice_stands_once() {
    let a = Buffer::new("A", vec![Expr::i32(4)], DataType::F32);
    let address = Expr::address_of(&a, vec![Expr::i32(1)]).unwrap();
    let call = Expr::foreign(DataType::F32, ForeignCallee::Extern("next".into()), vec![address, Expr::str("x")]);
    let store = Stmt::store(&a, vec![Expr::i32(0)], &Expr::binary(BinOp::Mul, &call, &call).unwrap()).unwrap();
    let function =
        PrimFunc { params: vec![Param::buffer(&a)], attrs: Attrs::new(), body: store, origins: Origins::default() };
    let mut module = IRModule::new();
    module.insert("f", function.clone());
    let text = print_module(&module, &PrintOptions::default());
    assert!(text.contains(r#"(s := T.call_extern("float32", "next", T.address_of(A[1]), "x")) * s"#), "{text}");
    survives_alone("f", function);
}
