//! The loops that formulas become.

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};
use tilewright_ir::tir::{BufferRegion, IterKind, PrimFunc, Stmt, StmtKind};
use tilewright_te::{
    Reducer, TeError, Tensor, Value, compute, compute_over, create_prim_func, placeholder, reduce, reduce_axis, sum,
};
use tilewright_tensor::DataType;

fn n(value: i64) -> Expr {
    Expr::i64(value)
}

fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{:?}", value.0),
        ExprKind::Var(var) => var.name.to_string(),
        ExprKind::Load { buffer, indices, .. } => {
            format!("{}[{}]", buffer.name, indices.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Binary(BinOp::Max, a, b) => format!("max({}, {})", text(a), text(b)),
        ExprKind::Binary(op, a, b) => {
            let op = match op {
                BinOp::Add => "+",
                BinOp::Sub => "-",
                BinOp::Mul => "*",
                _ => "?",
            };
            format!("({} {op} {})", text(a), text(b))
        }
        _ => "?".into(),
    }
}

fn range(range: &Range) -> String {
    match range.extent.as_int() {
        Some(1) => text(&range.min),
        _ => format!("{}:+{}", text(&range.min), text(&range.extent)),
    }
}

fn regions(regions: &[BufferRegion]) -> String {
    let one =
        |r: &BufferRegion| format!("{}[{}]", r.buffer.name, r.region.iter().map(range).collect::<Vec<_>>().join(", "));
    regions.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn lines(stmt: &Stmt, out: &mut Vec<String>) {
    match &stmt.kind {
        StmtKind::For { var, min, extent, body, .. } => {
            out.push(format!("for {} in {}:+{} {}", var.name, text(min), text(extent), extent.dtype));
            lines(body, out);
        }
        StmtKind::Block { block, values, .. } => {
            let iter = |(i, v): (&tilewright_ir::tir::IterVar, &Expr)| {
                let kind = match i.kind {
                    IterKind::Spatial => "S",
                    IterKind::Reduce => "R",
                    IterKind::Scan => "N",
                    IterKind::Opaque => "O",
                };
                format!("{}={}:{kind}{}", i.var.name, text(v), range(&i.domain))
            };
            let iters: Vec<_> = block.iters.iter().zip(values).map(iter).collect();
            out.push(format!("block {} {}", block.name, iters.join(" ")));
            if !block.iters.is_empty() {
                out.push(format!("reads {} writes {}", regions(&block.reads), regions(&block.writes)));
            }
            out.extend(block.alloc_buffers.iter().map(|b| format!("alloc {}", b.name)));
            if let Some(init) = &block.init {
                out.push("init".into());
                lines(init, out);
            }
            lines(&block.body, out);
        }
        StmtKind::Store { buffer, indices, value, .. } => {
            let indices: Vec<_> = indices.iter().map(text).collect();
            out.push(format!("{}[{}] = {}", buffer.name, indices.join(", "), text(value)));
        }
        StmtKind::Seq(stmts) => stmts.iter().for_each(|s| lines(s, out)),
        _ => out.push("?".into()),
    }
}

fn described(function: &PrimFunc) -> Vec<String> {
    let params: Vec<_> = function.params.iter().map(|p| p.var.name.to_string()).collect();
    let mut out = vec![format!("def ({})", params.join(", "))];
    lines(&function.body, &mut out);
    out
}

fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor, TeError> {
    let k = reduce_axis(n(0), a.dim(1), "k");
    compute_over(&[a.dim(0), b.dim(1)], "matmul", &["i", "j"], |i| {
        sum(a.at(&[&i[0], &k]) * b.at(&[&k, &i[1]]), &[&k]) //
    })
}

fn relu(x: &Tensor) -> Result<Tensor, TeError> {
    compute(x.shape(), "relu", |i| x.at_all(i).max(0))
}

#[test]
fn a_reduction_has_an_init_and_reads_its_operands_only() {
    let (a, b) = (placeholder(&[n(3), n(4)], DataType::F32, "A"), placeholder(&[n(4), n(5)], DataType::F32, "B"));
    let c = matmul(&a, &b).unwrap();
    let expected = [
        "def (A, B, matmul)",
        "block root ",
        "for i in 0:+3 int64",
        "for j in 0:+5 int64",
        "for k in 0:+4 int64",
        "block matmul v_i=i:S0:+3 v_j=j:S0:+5 v_k=k:R0:+4",
        "reads A[v_i, v_k] B[v_k, v_j] writes matmul[v_i, v_j]",
        "init",
        "matmul[v_i, v_j] = 0.0",
        "matmul[v_i, v_j] = (matmul[v_i, v_j] + (A[v_i, v_k] * B[v_k, v_j]))",
    ];
    assert_eq!(described(&create_prim_func(&[a, b, c]).unwrap()), expected);
}

#[test]
fn an_intermediate_is_a_temporary_unless_it_is_passed() {
    let (a, b) = (placeholder(&[n(2), n(2)], DataType::F32, "A"), placeholder(&[n(2), n(2)], DataType::F32, "B"));
    let c = matmul(&a, &b).unwrap();
    let d = relu(&c).unwrap();
    let hidden = described(&create_prim_func(&[a.clone(), b.clone(), d.clone()]).unwrap());
    assert_eq!(hidden[..3], ["def (A, B, relu)", "block root ", "alloc matmul"]);
    assert_eq!(hidden.last().unwrap(), "relu[v_i0, v_i1] = max(matmul[v_i0, v_i1], 0.0)");
    let passed = described(&create_prim_func(&[a, b, c, d]).unwrap());
    assert_eq!(passed[0], "def (A, B, matmul, relu)");
    assert!(!passed.iter().any(|line| line.starts_with("alloc")));
    assert_eq!(passed[2..], hidden[3..]);
}

#[test]
fn several_elements_of_one_tensor_are_one_region() {
    let x = placeholder(&[n(10)], DataType::F32, "X");
    let y = compute(&[n(8)], "Y", |i| x.at(&[&(&i[0] + 2)]) + x.at(&[&i[0]])).unwrap();
    let lines = described(&create_prim_func(&[x, y]).unwrap());
    assert!(lines.contains(&"reads X[v_i0:+3] writes Y[v_i0]".to_owned()), "{lines:#?}");
}

#[test]
fn an_index_that_is_loaded_reads_the_whole_dimension() {
    let (x, at) = (placeholder(&[n(10)], DataType::F32, "X"), placeholder(&[n(4)], DataType::I64, "at"));
    let y = compute(&[n(4)], "Y", |i| x.at(&[&at.at(&[&i[0]])])).unwrap();
    let lines = described(&create_prim_func(&[x, at, y]).unwrap());
    assert!(lines.contains(&"reads X[0:+10] at[v_i0] writes Y[v_i0]".to_owned()), "{lines:#?}");
}

#[test]
fn symbolic_extents_and_32_bit_shapes_keep_their_types() {
    let size = Var::new("n", DataType::I64);
    let x = placeholder(&[Expr::var(&size), Expr::i32(4)], DataType::F32, "X");
    let lines = described(&create_prim_func(&[x.clone(), relu(&x).unwrap()]).unwrap());
    assert_eq!(lines[2..4], ["for i0 in 0:+n int64", "for i1 in 0:+4 int32"]);
}

#[test]
fn a_scalar_result_is_a_block_without_axes() {
    let x = placeholder(&[n(4)], DataType::I32, "X");
    let k = reduce_axis(n(1), n(4), "k");
    let y = compute(&[], "Y", |_| reduce(Reducer::Max, x.at(&[&k]), &[&k])).unwrap();
    let lines = described(&create_prim_func(&[x, y]).unwrap());
    assert_eq!(lines[2..5], ["for k in 1:+3 int64", "block Y v_k=k:R1:+3", "reads X[v_k] writes Y[]"]);
    assert_eq!(lines[6], format!("Y[] = {}", i32::MIN));
}

#[test]
fn a_reduction_that_may_run_over_nothing_is_one_block() {
    let (m, n_var) = (Var::new("m", DataType::I64), Var::new("n", DataType::I64));
    let of = |k: &Expr, out: &[Expr]| {
        let x = placeholder(std::slice::from_ref(k), DataType::F32, "X");
        let axis = reduce_axis(n(0), k.clone(), "k");
        let y = compute(out, "Y", |_| sum(x.at(&[&axis]), &[&axis])).unwrap();
        let lines = described(&create_prim_func(&[x, y]).unwrap());
        let blocks = lines.iter().filter_map(|line| line.strip_prefix("block Y")).map(|l| l.to_owned());
        blocks.collect::<Vec<_>>()
    };
    let (m, n_dim) = (Expr::var(&m), Expr::var(&n_var));
    assert_eq!(of(&n(0), &[n(2)]), [" v_i0=i0:S0:+2 v_k=k:R0:+0"]);
    assert_eq!(of(&n_dim, std::slice::from_ref(&m)), [" v_i0=i0:S0:+m v_k=k:R0:+n"]);
    assert_eq!(of(&n_dim, std::slice::from_ref(&n_dim)), [" v_i0=i0:S0:+n v_k=k:R0:+n"]);
    assert_eq!(of(&(&n_dim + 1), &[m]).len(), 1);
}

#[test]
fn one_tensor_in_two_functions_has_buffers_of_its_own_in_each() {
    let x = placeholder(&[n(4)], DataType::F32, "X");
    let y = relu(&x).unwrap();
    let (a, b) = (create_prim_func(&[x.clone(), y.clone()]).unwrap(), create_prim_func(&[x, y]).unwrap());
    assert_ne!(a.params[0].buffer, b.params[0].buffer);
    assert!(tilewright_expr::node::EqCx::compare(&a, &b).is_ok());
}

#[test]
fn a_long_chain_of_tensors_is_built_and_dropped() {
    let x = placeholder(&[n(4)], DataType::F32, "X");
    let mut y = x.clone();
    for _ in 0..10_000 {
        y = compute(y.shape(), "Y", |i| y.at_all(i) + 1).unwrap();
    }
    assert_eq!(create_prim_func(&[x, y]).unwrap().root_block().unwrap().alloc_buffers.len(), 9_999);
}

#[test]
fn wrong_formulas_say_what_is_wrong() {
    let x = placeholder(&[n(4)], DataType::F32, "X");
    let k = reduce_axis(n(0), n(4), "k");
    let error = |formula: &dyn Fn(&[Value]) -> Value| compute(&[n(4)], "Y", formula).unwrap_err().0;
    assert_eq!(error(&|i| x.at(&[&i[0], &i[0]])), "tensor `Y`: buffer `X` has 1 dimensions, found 2 indices");
    assert_eq!(
        error(&|_| sum(x.at(&[&k]), &[&k]) + 1),
        "tensor `Y`: a reduction must be the whole formula of its tensor"
    );
    assert_eq!(error(&|_| sum(x.at(&[&k]), &[])), "tensor `Y`: a reduction needs at least one axis");
    assert!(error(&|i| x.at(&[&i[0]]).select(&i[0], &i[0])).contains("expected a bool condition, found float32"));
    assert!(error(&|i| sum(i[0].compare(CmpOp::Lt, 2), &[&k])).contains("`+` is not defined for bool"));
    assert!(compute_over(&[n(4)], "Y", &["i", "j"], |i| i[0].clone()).is_err());
    let y = relu(&x).unwrap();
    assert_eq!(
        create_prim_func(std::slice::from_ref(&y)).unwrap_err().0,
        "placeholder `X` is read but is no parameter"
    );
    assert_eq!(create_prim_func(&[x, y.clone(), y]).unwrap_err().0, "tensor `relu` is listed twice as a parameter");
}
