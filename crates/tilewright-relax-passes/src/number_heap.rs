//! Numbers in a heap: a tensor of `int64` in which a float stands as the bits of a `float64` and a bool as 0 or 1, as
//! the operators `vm.match_prim_value` and `vm.make_prim_value` have it; and PrimFuncs that compute such numbers.

use tilewright_expr::node::walk;
use tilewright_expr::{Expr, ExprKind, TypeMismatch, Var};
use tilewright_ir::op::InferError;
use tilewright_ir::tir::{Buffer, Param, PrimFunc, Stmt, attr_names};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Origins, Set};
use tilewright_tensor::DataType;

/// A heap of `slots` numbers as a buffer of a PrimFunc.
pub(crate) fn heap(size: Expr) -> Buffer {
    Buffer::new("heap", vec![size], DataType::I64)
}

/// The private PrimFunc that computes numbers into slots of the heap, its first parameter; the scalars are its others.
pub(crate) fn computing(heap: &Buffer, scalars: &[Var], numbers: &[(i64, Expr)]) -> Result<PrimFunc, InferError> {
    let stores = numbers.iter().map(|(slot, number)| Stmt::store(heap, vec![Expr::i64(*slot)], &encoded(number)?));
    let stores = stores.collect::<Result<Vec<_>, TypeMismatch>>().map_err(mismatch)?;
    let params = std::iter::once(Param::buffer(heap)).chain(scalars.iter().map(Param::scalar)).collect();
    let attrs = Attrs::from([(attr_names::NOALIAS.into(), Attr::Bool(true))]);
    Ok(PrimFunc { params, attrs, body: Stmt::seq(stores), origins: Origins::default() })
}

/// The number of a slot as a scalar of the type.
pub(crate) fn load(heap: &Buffer, slot: i64, dtype: DataType) -> Result<Expr, InferError> {
    let number = Expr::load(heap, vec![Expr::i64(slot)]).map_err(mismatch)?;
    let number = if dtype.is_float() { number.reinterpret(DataType::F64).map_err(mismatch)? } else { number };
    number.cast(dtype).map_err(mismatch)
}

fn encoded(number: &Expr) -> Result<Expr, TypeMismatch> {
    if number.dtype.is_float() {
        return number.cast(DataType::F64)?.reinterpret(DataType::I64);
    }
    number.cast(DataType::I64)
}

fn mismatch(error: TypeMismatch) -> InferError {
    InferError::new(error.to_string())
}

/// The symbolic dimensions that the number is computed from, each once.
pub(crate) fn dims_of(number: &Expr) -> Vec<Var> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    walk(number, |expr: &Expr| {
        if let ExprKind::Let { var, .. } = &expr.kind {
            seen.insert(var.id());
        }
    });
    walk(number, |expr: &Expr| {
        if let Some(var) = expr.as_var()
            && seen.insert(var.id())
        {
            found.push(var.clone());
        }
    });
    found
}
