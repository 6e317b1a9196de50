//! Calls of operators that allocate, as Python sees them: what is an attribute in the IR is an argument there, a value
//! such as `relax.PrimValue(0)` or `relax.DataTypeImm("float32")`. A storage has its size as a shape.

use std::sync::Arc;

use tilewright::DataType;
use tilewright::expr::Expr as Scalar;
use tilewright::ir::relax::{Expr, ExprKind};
use tilewright::ir::{Attr, Attrs};

const ALLOC_TENSOR: &str = "builtin.alloc_tensor";
const OLDER_ALLOC_TENSOR: &str = "alloc_tensor";
const STORAGE: &str = "memory.alloc_storage";
const TENSOR_IN_STORAGE: &str = "memory.alloc_tensor";

const BYTES: &str = "bytes";
const DEVICE: &str = "runtime_device_index";
const DTYPE: &str = "dtype";
const OFFSET: &str = "offset";
const SCOPE: &str = "storage_scope";

/// The arguments of a call of an operator, in Python's order.
pub(super) fn shown(op: &str, args: &[Expr], said: &Attrs) -> Vec<Expr> {
    let int = |name: &str| Expr::prim(Scalar::i64(said.get(name).and_then(Attr::as_int).unwrap_or(0)));
    let dtype = || match said.get(DTYPE) {
        Some(Attr::DType(dtype)) => Expr::dtype_value(*dtype),
        _ => Expr::dtype_value(DataType::U8),
    };
    let scope = || Expr::str(said.get(SCOPE).and_then(Attr::as_str).unwrap_or("global"));
    match (op, args) {
        (ALLOC_TENSOR, [shape]) => vec![shape.clone(), dtype(), int(DEVICE), scope()],
        (OLDER_ALLOC_TENSOR, [shape]) => vec![shape.clone(), dtype(), int(DEVICE)],
        (STORAGE, []) => {
            let bytes = said.get(BYTES).and_then(Attr::as_int).unwrap_or(0);
            vec![Expr::shape(vec![Scalar::i64(bytes)]), int("virtual_device_index"), scope(), dtype()]
        }
        (TENSOR_IN_STORAGE, [storage, shape]) => vec![storage.clone(), int(OFFSET), shape.clone(), dtype()],
        _ => args.to_vec(),
    }
}

/// The arguments and attributes that the IR has for arguments in Python's order. Others stay as they are, for the
/// operator to judge.
pub(super) fn read(op: &str, args: Vec<Expr>, mut said: Attrs) -> (Vec<Expr>, Attrs) {
    let (own, rest): (&[usize], &[(usize, &str)]) = match (op, args.len()) {
        (ALLOC_TENSOR, 2..=4) | (OLDER_ALLOC_TENSOR, 2..=3) => (&[0], &[(1, DTYPE), (2, DEVICE), (3, SCOPE)]),
        (STORAGE, 1..=4) => (&[], &[(0, BYTES)]),
        (TENSOR_IN_STORAGE, 4) => (&[0, 2], &[(1, OFFSET), (3, DTYPE)]),
        _ => return (args, said),
    };
    for (at, name) in rest {
        if let Some(value) = args.get(*at).and_then(attribute) {
            said.insert(Arc::from(*name), value);
        }
    }
    (own.iter().filter_map(|at| args.get(*at).cloned()).collect(), said)
}

/// A value as an attribute; a shape of one dimension is a size.
fn attribute(value: &Expr) -> Option<Attr> {
    match &value.kind {
        ExprKind::Prim(value) => value.as_int().map(Attr::Int),
        ExprKind::DType(dtype) => Some(Attr::DType(*dtype)),
        ExprKind::Str(text) => Some(Attr::Str(text.clone())),
        ExprKind::Shape(dims) => match dims.as_slice() {
            [bytes] => bytes.as_int().map(Attr::Int),
            _ => None,
        },
        _ => None,
    }
}
