//! Struct infos: subsumption, least upper bounds, erasure of dimensions.

use tilewright_expr::{BinOp, Expr as Scalar, Var as ScalarVar};
use tilewright_ir::analysis::{
    BaseCheck, collect_non_negative_expressions, definable_dims, derive_call_ret_struct_info, dims_in_struct_info,
    erase_dims, static_type, struct_info_base_check, struct_info_lca,
};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

const F32: DataType = DataType::F32;

fn var(name: &str) -> ScalarVar {
    ScalarVar::new(name, DataType::I64)
}

fn tensor(dims: &[&Scalar]) -> StructInfo {
    StructInfo::tensor(dims.iter().map(|dim| (*dim).clone()).collect(), F32)
}

fn times(a: &Scalar, b: i64) -> Scalar {
    Scalar::binary(BinOp::Mul, a, &Scalar::i64(b)).unwrap()
}

fn rank(rank: usize, dtype: Option<DataType>) -> StructInfo {
    StructInfo::Tensor { shape: TensorShape::Rank(rank), dtype, vdevice: None }
}

fn check(base: &StructInfo, derived: &StructInfo) -> BaseCheck {
    struct_info_base_check(&InferCx::default(), base, derived)
}

#[test]
fn subsumption_of_struct_infos() {
    let (n, m) = (Scalar::var(&var("n")), Scalar::var(&var("m")));
    let two = Scalar::i64(2);
    let doubled = Scalar::binary(BinOp::Add, &n, &n).unwrap();
    let cases = [
        (StructInfo::Object, tensor(&[&n]), BaseCheck::Pass),
        (tensor(&[&n]), StructInfo::Object, BaseCheck::FailL1),
        (tensor(&[&n]), tensor(&[&n]), BaseCheck::Pass),
        (tensor(&[&times(&n, 2)]), tensor(&[&doubled]), BaseCheck::Pass),
        (tensor(&[&n]), tensor(&[&m]), BaseCheck::FailL2),
        (tensor(&[&two]), tensor(&[&Scalar::i64(3)]), BaseCheck::FailL0),
        (tensor(&[&two]), tensor(&[&two, &two]), BaseCheck::FailL0),
        (rank(1, None), tensor(&[&n]), BaseCheck::Pass),
        (rank(1, Some(F32)), rank(1, None), BaseCheck::FailL1),
        (rank(1, Some(F32)), rank(1, Some(DataType::I32)), BaseCheck::FailL0),
        (tensor(&[&n]), rank(1, Some(F32)), BaseCheck::FailL2),
        (tensor(&[&n]), StructInfo::Shape(TensorShape::Rank(1)), BaseCheck::FailL0),
        (
            StructInfo::Tuple(vec![tensor(&[&n]); 2]),
            StructInfo::Tuple(vec![tensor(&[&n]), tensor(&[&m])]),
            BaseCheck::FailL2,
        ),
        (StructInfo::Tuple(vec![]), StructInfo::Tuple(vec![StructInfo::Object]), BaseCheck::FailL0),
    ];
    for (base, derived, expected) in cases {
        assert_eq!(check(&base, &derived), expected, "{base:?} of {derived:?}");
    }
}

#[test]
fn the_common_info_holds_for_both() {
    let (n, m) = (Scalar::var(&var("n")), Scalar::var(&var("m")));
    let infos = [
        StructInfo::Object,
        tensor(&[&n]),
        tensor(&[&m]),
        tensor(&[&n, &m]),
        rank(1, None),
        rank(2, Some(DataType::I32)),
        StructInfo::Shape(TensorShape::Known(vec![n.clone()])),
        StructInfo::Shape(TensorShape::Unknown),
        StructInfo::Prim { dtype: DataType::I64, value: Some(n.clone()) },
        StructInfo::Prim { dtype: DataType::I64, value: None },
        StructInfo::Tuple(vec![tensor(&[&n]), tensor(&[&m])]),
        StructInfo::Tuple(vec![tensor(&[&m]), StructInfo::Object]),
        StructInfo::Func { params: Some(vec![tensor(&[&n])]), ret: Box::new(tensor(&[&n])), pure: true },
        StructInfo::Func { params: None, ret: Box::new(StructInfo::Object), pure: false },
    ];
    let cx = InferCx::default();
    for a in &infos {
        for b in &infos {
            let common = struct_info_lca(&cx, a, b);
            assert_eq!((check(&common, a), check(&common, b)), (BaseCheck::Pass, BaseCheck::Pass), "{a:?} and {b:?}");
            if check(a, b) == BaseCheck::Pass {
                assert_eq!(check(a, &common), BaseCheck::Pass, "no less than {a:?} is known");
            }
        }
    }
}

#[test]
fn dimensions_are_collected_and_erased() {
    let (n, m) = (var("n"), var("m"));
    let (dn, dm) = (Scalar::var(&n), Scalar::var(&m));
    let info = StructInfo::Tuple(vec![tensor(&[&dn, &times(&dm, 2)]), tensor(&[&dn, &Scalar::i64(4)])]);
    let names = |vars: Vec<&ScalarVar>| vars.into_iter().map(|var| var.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(definable_dims(&info)), ["n"]);
    assert_eq!(names(dims_in_struct_info(&info).iter().collect()), ["n", "m"]);
    let extents = collect_non_negative_expressions(&info);
    assert_eq!(extents.len(), 2);
    assert!(extents[0].equal(&dn) && extents[1].equal(&times(&dm, 2)));
    let StructInfo::Tuple(kept) = erase_dims(&info, &|dim| *dim == n) else { panic!("a tuple") };
    assert!(matches!(kept[0], StructInfo::Tensor { shape: TensorShape::Rank(2), .. }));
    assert!(kept[1].equal(&tensor(&[&dn, &Scalar::i64(4)])));
    assert!(static_type(&tensor(&[&dn])).equal(&rank(1, Some(F32))));
    // A function's own dimensions are not erased, those from around it are.
    let function =
        StructInfo::Func { params: Some(vec![tensor(&[&dn])]), ret: Box::new(tensor(&[&dn, &dm])), pure: true };
    let StructInfo::Func { params, ret, .. } = erase_dims(&function, &|_| false) else { panic!("a function") };
    assert!(params.unwrap()[0].equal(&tensor(&[&dn])) && ret.equal(&rank(2, Some(F32))));
}

#[test]
fn results_of_calls_speak_of_the_arguments() {
    let (n, k) = (var("n"), var("k"));
    let (dn, dk) = (Scalar::var(&n), Scalar::var(&k));
    let ret = StructInfo::Tuple(vec![tensor(&[&times(&dn, 2)]), tensor(&[&dk])]);
    let function =
        StructInfo::Func { params: Some(vec![tensor(&[&dn]), StructInfo::Object]), ret: Box::new(ret), pure: true };
    let cx = InferCx::default();
    let given = tensor(&[&Scalar::i64(5)]);
    let found = derive_call_ret_struct_info(&cx, &function, &[&given, &StructInfo::Object]).unwrap();
    let StructInfo::Tuple(fields) = found else { panic!("a tuple") };
    assert_eq!(check(&tensor(&[&Scalar::i64(10)]), &fields[0]), BaseCheck::Pass);
    assert!(fields[1].equal(&tensor(&[&dk])), "a dimension from around the function stays");
    assert!(derive_call_ret_struct_info(&cx, &function, &[&given]).is_err());
    // Nothing says what `n` is.
    let unknown = derive_call_ret_struct_info(&cx, &function, &[&StructInfo::Object, &StructInfo::Object]).unwrap();
    assert!(
        matches!(unknown, StructInfo::Tuple(fields) if matches!(fields[0], StructInfo::Tensor { shape: TensorShape::Rank(1), .. }))
    );
}
