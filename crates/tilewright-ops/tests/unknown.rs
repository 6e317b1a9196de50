//! Inference with incomplete knowledge, for every op: it never contradicts the result of complete knowledge.
//!
//! Each op that takes tensors is called on samples of known shapes and types; then the same call is made with only the
//! ranks known, with nothing known, and with unknown element types. The result may say less, but nothing else.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::op::{ArgKind, AttrDef, AttrDefault, AttrKind, InferCx, OpRef};
use tilewright_ir::relax::{Expr, StructInfo, TensorShape, Var};
use tilewright_ir::{Attr, Attrs};
use tilewright_tensor::DataType;

const SHAPES: [&[i64]; 8] = [&[], &[1], &[0], &[5], &[2, 3], &[1, 4], &[2, 0, 3], &[2, 1, 3, 1, 2]];
const TYPES: [DataType; 4] = [DataType::F32, DataType::F16, DataType::I32, DataType::BOOL];

/// How much of a tensor is told.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Told {
    All,
    Rank,
    ShapeOnly,
    Nothing,
}

fn info(shape: &[i64], dtype: DataType, told: Told) -> StructInfo {
    let dims = || TensorShape::Known(shape.iter().map(|&d| Scalar::i64(d)).collect());
    match told {
        Told::All => StructInfo::tensor_with(dims(), Some(dtype)),
        Told::Rank => StructInfo::tensor_with(TensorShape::Rank(shape.len()), Some(dtype)),
        Told::ShapeOnly => StructInfo::tensor_with(dims(), None),
        Told::Nothing => StructInfo::tensor_with(TensorShape::Unknown, None),
    }
}

/// A value for an argument; `None` for kinds that no sample has.
fn argument(kind: ArgKind, shape: &[i64], dtype: DataType, told: Told) -> Option<Expr> {
    let tensor = || Expr::var(&Var::new("x", info(shape, dtype, told)));
    let dims = || Expr::shape(shape.iter().map(|&d| Scalar::i64(d)).collect());
    match kind {
        ArgKind::Tensor | ArgKind::Operand => Some(tensor()),
        ArgKind::Shape | ArgKind::ResultShape => Some(dims()),
        ArgKind::Tuple => Some(Expr::tuple(vec![tensor(), tensor()])),
        ArgKind::Scalar => Some(Expr::prim(Scalar::i64(1))),
        ArgKind::OptionalTensor | ArgKind::OptionalShape | ArgKind::OptionalTuple | ArgKind::OptionalScalar => {
            Some(Expr::tuple(Vec::new()))
        }
        ArgKind::Function | ArgKind::Condition | ArgKind::Value | ArgKind::Values => None,
    }
}

fn attribute(def: &AttrDef) -> Option<(std::sync::Arc<str>, Attr)> {
    if def.default != AttrDefault::Required {
        return None;
    }
    let value = match def.kind {
        AttrKind::Bool => Attr::Bool(true),
        AttrKind::Int | AttrKind::OptionalInt | AttrKind::IntOrInts => Attr::Int(1),
        AttrKind::Float | AttrKind::OptionalFloat => Attr::Int(1),
        AttrKind::Str | AttrKind::OptionalStr => Attr::str("global"),
        AttrKind::DType => Attr::DType(DataType::F32),
        AttrKind::Ints | AttrKind::OptionalInts => Attr::Array(vec![Attr::Int(0)]),
        AttrKind::Each(_) | AttrKind::OptionalEach(_) | AttrKind::Sides(_) => Attr::Int(1),
        AttrKind::Floats => Attr::Array(vec![Attr::Int(1)]),
        AttrKind::VDevice | AttrKind::IndexMap => return None,
    };
    Some((def.name.into(), value))
}

fn call(op: OpRef, shapes: &[&[i64]], dtype: DataType, told: Told) -> Option<Result<StructInfo, String>> {
    let args = op.args.iter().zip(shapes.iter().cycle()).map(|(def, shape)| argument(def.kind, shape, dtype, told));
    let args: Vec<Expr> = args.collect::<Option<_>>()?;
    let attrs: Attrs = op.attrs.iter().filter_map(attribute).collect();
    let call = Expr::call_op(&InferCx::default(), op, args, attrs);
    Some(call.map(|call| call.struct_info.clone()).map_err(|error| error.message))
}

/// Whether `less` says nothing that contradicts `all`.
fn agrees(all: &StructInfo, less: &StructInfo) -> bool {
    match (all, less) {
        (StructInfo::Tuple(a), StructInfo::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b))
        }
        (StructInfo::Tensor { .. }, StructInfo::Tensor { .. }) | (StructInfo::Shape(_), StructInfo::Shape(_)) => {
            let dims = match (all.dims(), less.dims()) {
                (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equal(b)),
                _ => less.rank().is_none() || all.rank().is_none() || all.rank() == less.rank(),
            };
            dims && (less.dtype().is_none() || all.dtype() == less.dtype())
        }
        (StructInfo::Prim { dtype, .. }, StructInfo::Prim { dtype: less, value: None }) => dtype == less,
        (a, b) => a.equal(b),
    }
}

#[test]
fn less_known_arguments_give_less_and_no_different_struct_info() {
    let mut compared = 0;
    for op in tilewright_ops::all()
        .filter(|op| op.args.iter().any(|arg| matches!(arg.kind, ArgKind::Tensor | ArgKind::Operand)))
    {
        let mut of_op = 0;
        for (at, first) in SHAPES.iter().enumerate() {
            for second in &SHAPES[at..] {
                for dtype in TYPES {
                    let shapes: [&[i64]; 2] = [first, second];
                    let Some(Ok(all)) = call(op, &shapes, dtype, Told::All) else { continue };
                    for told in [Told::Rank, Told::ShapeOnly, Told::Nothing] {
                        // A refusal for lack of knowledge contradicts nothing.
                        let Some(Ok(less)) = call(op, &shapes, dtype, told) else { continue };
                        assert!(agrees(&all, &less), "{}{shapes:?} {dtype} {told:?}: {all:?} became {less:?}", op.name);
                        of_op += 1;
                    }
                }
            }
        }
        compared += usize::from(of_op > 0);
    }
    assert!(compared > 80, "only {compared} ops had a sample that they take");
}

#[test]
fn a_contradiction_is_seen() {
    let tensor = |shape: &[i64], told| info(shape, DataType::F32, told);
    assert!(agrees(&tensor(&[2, 3], Told::All), &tensor(&[9, 9], Told::Rank)));
    assert!(!agrees(&tensor(&[2, 3], Told::All), &tensor(&[2], Told::Rank)));
    assert!(!agrees(&tensor(&[2, 3], Told::All), &tensor(&[3, 2], Told::ShapeOnly)));
    assert!(!agrees(&tensor(&[2], Told::All), &info(&[2], DataType::I32, Told::Rank)));
}
