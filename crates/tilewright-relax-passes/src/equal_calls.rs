//! Calls of operators that request the same computation.
//!
//! The legalisation of a call follows from the operator, the struct infos of its arguments and its attributes: rules do
//! not read tensors, but they do read the fields of a tuple, whose own struct info may say less. A model calls few
//! distinct operators many times, so the result for a call is reused for equal ones.

use tilewright_expr::node::{EqCx, HashCx};
use tilewright_ir::Attrs;
use tilewright_ir::op::{OpCall, OpRef};
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, TensorShape};
use tilewright_support::Map;

/// The key of a call.
#[derive(Debug)]
pub(crate) struct Asked {
    op: OpRef,
    /// The struct infos of the arguments; that of a tuple is followed by those of its fields.
    infos: Vec<StructInfo>,
    attrs: Attrs,
}

impl Asked {
    /// `None` if an argument is more than its struct info says.
    pub(crate) fn of(call: &OpCall<'_>) -> Option<Self> {
        let mut infos = Vec::new();
        call.args.iter().all(|arg| tell(arg, &mut infos)).then(|| Self {
            op: call.op,
            infos,
            attrs: call.attrs.clone(),
        })
    }

    fn hash(&self) -> u64 {
        let of_op = self.op.name.bytes().fold(0u64, |hash, byte| hash.rotate_left(7) ^ u64::from(byte));
        of_op ^ HashCx::hash(&self.infos).rotate_left(1) ^ HashCx::hash(&self.attrs).rotate_left(2)
    }

    fn is(&self, other: &Self) -> bool {
        self.op == other.op
            && EqCx::compare(&self.infos, &other.infos).is_ok()
            && EqCx::compare(&self.attrs, &other.attrs).is_ok()
    }
}

/// Adds the struct info of an argument, if that is all that rules read of it.
fn tell(arg: &Expr, infos: &mut Vec<StructInfo>) -> bool {
    infos.push(arg.struct_info.clone());
    match (&arg.kind, &arg.struct_info) {
        (ExprKind::Tuple(fields), _) => fields.iter().all(|field| tell(field, infos)),
        (ExprKind::Var(_) | ExprKind::Constant(_) | ExprKind::TupleGet { .. }, info) => {
            matches!(info, StructInfo::Tensor { .. })
        }
        (ExprKind::Prim(_), StructInfo::Prim { value, .. }) => value.is_some(),
        (ExprKind::Shape(_), StructInfo::Shape(shape)) => matches!(shape, TensorShape::Known(_)),
        _ => false,
    }
}

/// The results of calls, by key.
#[derive(Debug)]
pub(crate) struct EqualCalls<T>(Map<u64, Vec<(Asked, T)>>);

impl<T> Default for EqualCalls<T> {
    fn default() -> Self {
        Self(Map::default())
    }
}

impl<T> EqualCalls<T> {
    pub(crate) fn get(&self, asked: &Asked) -> Option<&T> {
        let known = self.0.get(&asked.hash())?;
        known.iter().find(|(other, _)| other.is(asked)).map(|(_, answer)| answer)
    }

    pub(crate) fn put(&mut self, asked: Asked, answer: T) {
        self.0.entry(asked.hash()).or_default().push((asked, answer));
    }
}
