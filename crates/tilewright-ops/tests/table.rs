//! The op table: its completeness, and the rules about results.

use tilewright_expr::{Expr as Scalar, Var as ScalarVar};
use tilewright_ir::legalize::Needs;
use tilewright_ir::op::{InferCx, InferError, Legalize, OpCall};
use tilewright_ir::relax::{Callee, Expr, ExprKind, StructInfo, TensorShape, Var};
use tilewright_ops::{binary, builtin, linear_algebra::matmul, lookup, manipulate::permute_dims, memory, nn, shapes};
use tilewright_tensor::DataType;

const F32: DataType = DataType::F32;
const VOID: DataType = DataType::VOID;

fn of(info: StructInfo) -> Expr {
    Expr::var(&Var::new("x", info))
}

fn tensor(shape: &[i64]) -> Expr {
    of(StructInfo::tensor_of(shape, F32))
}

fn partly(shape: TensorShape, dtype: Option<DataType>) -> Expr {
    of(StructInfo::tensor_with(shape, dtype))
}

/// `(2, n) float32`, with `?` for what is not known.
fn text(result: Result<Expr, InferError>) -> String {
    let expr = match result {
        Ok(expr) => expr,
        Err(error) => return format!("{:?}: {error}", error.arg),
    };
    let StructInfo::Tensor { shape, dtype, .. } = &expr.struct_info else { return format!("{:?}", expr.struct_info) };
    let shape = match shape {
        TensorShape::Known(dims) => shapes::dims_text(dims),
        TensorShape::Rank(rank) => format!("rank {rank}"),
        TensorShape::Unknown => "?".into(),
    };
    format!("{shape} {}", dtype.map_or("?".into(), |d| d.to_string()))
}

fn mm(a: Expr, b: Expr) -> String {
    text(matmul::call(&InferCx::default(), a, b, VOID))
}

fn add(a: Expr, b: Expr) -> String {
    text(binary::add::call(&InferCx::default(), a, b))
}

#[test]
fn an_op_with_several_algorithms_has_one_for_any_machine() {
    for op in tilewright_ops::all() {
        if let Legalize::FirstOf(candidates) = op.legalize {
            let (last, others) = candidates.split_last().unwrap_or_else(|| panic!("`{}` has no candidate", op.name));
            assert_eq!(last.needs, Needs::NOTHING, "the last candidate of `{}`", op.name);
            assert!(others.iter().all(|one| one.needs != Needs::NOTHING), "`{}` has candidates never taken", op.name);
        }
    }
}

#[test]
fn every_op_is_found_by_its_name_and_says_what_it_does() {
    let mut names = Vec::new();
    for op in tilewright_ops::all() {
        assert!(!names.contains(&op.name), "{} occurs twice", op.name);
        names.push(op.name);
        assert!(lookup(op.name) == Some(op) && op.doc.trim().ends_with('.'), "{}", op.name);
        for doc in op.args.iter().map(|a| a.doc).chain(op.attrs.iter().map(|a| a.doc)) {
            assert!(doc.ends_with('.'), "{}: {doc}", op.name);
        }
    }
    assert!(names.len() >= 139 && lookup("nope").is_none());
}

#[test]
fn products_follow_numpy() {
    for (a, b, result) in [
        (&[2, 3][..], &[3, 4][..], "(2, 4) float32"),
        (&[3], &[3], "() float32"),
        (&[3], &[3, 4], "(4,) float32"),
        (&[2, 3], &[3], "(2,) float32"),
        (&[5, 2, 3], &[3, 4], "(5, 2, 4) float32"),
        (&[2, 3], &[5, 3, 4], "(5, 2, 4) float32"),
        (&[6, 1, 2, 3], &[5, 3, 4], "(6, 5, 2, 4) float32"),
        (&[3], &[5, 3, 4], "(5, 4) float32"),
        (&[5, 2, 3], &[3], "(5, 2) float32"),
        (&[0, 3], &[3, 0], "(0, 0) float32"),
    ] {
        assert_eq!(mm(tensor(a), tensor(b)), result, "{a:?} @ {b:?}");
    }
}

#[test]
fn unknown_dimensions_of_a_product_stay_unknown() {
    assert_eq!(mm(partly(TensorShape::Rank(2), Some(F32)), tensor(&[3, 4])), "rank 2 float32");
    assert_eq!(mm(partly(TensorShape::Rank(1), Some(F32)), tensor(&[5, 3, 4])), "rank 2 float32");
    assert_eq!(mm(partly(TensorShape::Unknown, None), tensor(&[3, 4])), "? ?");
    let n = Scalar::var(&ScalarVar::new("n", DataType::I64));
    let symbolic = partly(TensorShape::Known(vec![n.clone(), Scalar::i64(3)]), Some(F32));
    assert_eq!(mm(symbolic, tensor(&[3, 4])), "(n, 4) float32");
    let half = partly(TensorShape::Known(vec![Scalar::i64(2), n]), Some(DataType::F16));
    let wide = matmul::call(&InferCx::default(), half.clone(), half, F32);
    assert_eq!(text(wide), "(2, n) float32");
}

#[test]
fn wrong_products_name_both_shapes() {
    assert_eq!(
        mm(tensor(&[2, 3]), tensor(&[4, 5])),
        "Some(1): `matmul` of shapes (2, 3) and (4, 5): the last dimension of the first, 3, must be the last but one of \
         the second, 4"
    );
    assert_eq!(
        mm(tensor(&[3]), tensor(&[4])),
        "Some(1): `matmul` of shapes (3,) and (4,): the last dimension of the first, 3, must be the dimension of the \
         second, 4"
    );
    assert!(mm(tensor(&[2, 2, 3]), tensor(&[5, 3, 4])).contains("shapes (2,) and (5,) do not broadcast"));
    assert!(mm(tensor(&[]), tensor(&[3])).contains("found a scalar"));
    assert!(mm(tensor(&[2, 2]), of(StructInfo::tensor_of(&[2, 2], DataType::F16))).contains("float32 and float16"));
    assert!(
        mm(tensor(&[2, 2]), of(StructInfo::tensor_of(&[2, 2], DataType::BOOL))).contains("takes numbers, found bool")
    );
}

#[test]
fn operands_broadcast_like_numpy() {
    for (a, b, result) in [
        (&[2, 3][..], &[2, 3][..], "(2, 3) float32"),
        (&[2, 3], &[3], "(2, 3) float32"),
        (&[3], &[2, 1], "(2, 3) float32"),
        (&[], &[2, 0], "(2, 0) float32"),
        (&[1], &[0], "(0,) float32"),
        (&[4, 1, 3], &[5, 1], "(4, 5, 3) float32"),
    ] {
        assert_eq!(add(tensor(a), tensor(b)), result);
    }
    let n = Scalar::var(&ScalarVar::new("n", DataType::I64));
    let m = Scalar::var(&ScalarVar::new("m", DataType::I64));
    let symbolic = |dims: &[&Scalar]| partly(TensorShape::Known(dims.iter().map(|&d| d.clone()).collect()), Some(F32));
    assert_eq!(add(symbolic(&[&n]), symbolic(&[&n])), "(n,) float32");
    assert_eq!(add(symbolic(&[&(&n + 1)]), symbolic(&[&(Scalar::i64(1) + n.clone())])), "((n + 1),) float32");
    assert_eq!(add(symbolic(&[&n]), tensor(&[1])), "(n,) float32");
    // `n` may be 1 or `m`: only a run can tell.
    assert_eq!(add(symbolic(&[&n]), symbolic(&[&m])), "rank 1 float32");
    assert_eq!(add(symbolic(&[&n]), tensor(&[4])), "rank 1 float32");
}

#[test]
fn wrong_operands_are_named() {
    assert_eq!(
        add(tensor(&[2, 3]), tensor(&[4])),
        "Some(1): `add`: shapes (2, 3) and (4,) do not broadcast: 3 and 4 differ and neither is 1"
    );
    let int = of(StructInfo::tensor_of(&[2], DataType::I32));
    assert_eq!(
        add(tensor(&[2]), int.clone()),
        "Some(1): operands of `add` must have one data type, found float32 and int32"
    );
    assert!(add(tensor(&[2]), of(StructInfo::Object)).contains("must be a tensor, found an object"));
    let cx = InferCx::default();
    let bools = of(StructInfo::tensor_of(&[2], DataType::BOOL));
    // Of truths there is a type, but no loops.
    assert_eq!(text(nn::relu::call(&cx, bools.clone())), "(2,) bool");
    let loops = InferCx::for_loops();
    assert!(text(nn::relu::call(&loops, bools.clone())).contains("`nn.relu` takes numbers, found bool"));
    assert!(text(tilewright_ops::unary::sqrt::call(&cx, int.clone())).contains("takes floats, found int32"));
    assert_eq!(text(binary::less::call(&cx, int.clone(), int)), "(2,) bool");
}

#[test]
fn orders_of_dimensions_are_checked() {
    let cx = InferCx::default();
    let permute = |x: Expr, axes: Option<&[i64]>| text(permute_dims::call(&cx, x, axes));
    assert_eq!(permute(tensor(&[2, 3, 4]), None), "(4, 3, 2) float32");
    assert_eq!(permute(tensor(&[2, 3, 4]), Some(&[-1, 0, 1])), "(4, 2, 3) float32");
    assert!(permute(partly(TensorShape::Unknown, Some(F32)), Some(&[1, 0])).contains("known number of dimensions"));
    assert!(permute(tensor(&[2, 3]), Some(&[0])).contains("axes [0]: the tensor has 2 dimensions"));
    assert!(permute(tensor(&[2, 3]), Some(&[0, -2])).contains("dimension 0 occurs twice"));
    assert!(permute(tensor(&[2, 3]), Some(&[0, 2])).contains("the tensor has no dimension 2"));
    assert!(permute(tensor(&[2, 3]), Some(&[0, i64::MIN])).contains("no dimension"));
}

#[test]
fn memory_is_checked_where_it_is_planned() {
    let cx = InferCx::default();
    let shape = |dims: &[i64]| Expr::shape(dims.iter().map(|&d| Scalar::i64(d)).collect());
    assert_eq!(text(builtin::alloc_tensor::call(&cx, shape(&[2, 3]), F32, 0, "global")), "(2, 3) float32");
    assert!(text(builtin::alloc_tensor::call(&cx, shape(&[-1]), F32, 0, "global")).contains("dimension of -1"));
    let storage = memory::alloc_storage::call(&cx, 128).unwrap();
    let inside =
        |dims: &[i64], offset| text(memory::alloc_tensor::call(&cx, storage.clone(), shape(dims), offset, F32, 0));
    assert_eq!(inside(&[16], 64), "(16,) float32");
    assert!(inside(&[17], 64).contains("68 bytes at 64 do not fit into a storage of 128 bytes"));
    assert!(inside(&[1], 4).contains("multiple of 64"));
    assert!(inside(&[i64::MAX, 2], 0).contains("a constant shape or a number of bytes"));
    assert!(text(memory::alloc_storage::call(&cx, -1)).contains("at least 0 bytes"));
}

#[test]
fn a_call_of_unknown_shape_says_how_to_state_it() {
    let cx = InferCx::default();
    let call = binary::add::call(&cx, partly(TensorShape::Rank(1), Some(F32)), tensor(&[1])).unwrap();
    let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &call.kind else { panic!("{call:?}") };
    let Legalize::PrimFunc(rule) = op.legalize else { panic!("{op:?}") };
    let error = rule(&OpCall { op: *op, args, attrs }).unwrap_err();
    assert!(error.message.contains("R.match_cast"), "{error}");
}

#[test]
fn arguments_and_attributes_are_those_of_the_declaration() {
    let cx = InferCx::default();
    let op = lookup("matmul").unwrap();
    let error = Expr::call_op(&cx, op, vec![tensor(&[2, 2])], Default::default()).unwrap_err();
    assert_eq!(error.message, "`matmul` takes 2 arguments (x1, x2), found 1");
    let attrs = [("dtype".into(), tilewright_ir::Attr::str("float32"))].into();
    let error = Expr::call_op(&cx, op, vec![tensor(&[2, 2]), tensor(&[2, 2])], attrs).unwrap_err();
    assert_eq!(error.message, "`matmul` has no attribute `dtype`");
}
