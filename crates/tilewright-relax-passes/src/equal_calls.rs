//! Calls of operators that ask for the same computation.
//!
//! What a call of an operator becomes follows from the operator, the struct infos of its arguments and its attributes:
//! rules do not look into tensors, but they do look at the fields of a tuple, whose own struct info may say less. A model
//! calls few operators in many places, so that what was made for a call serves those that are equal to it.

use tilewright_expr::node::{EqCx, HashCx};
use tilewright_ir::Attrs;
use tilewright_ir::op::{OpCall, OpRef};
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, TensorShape};
use tilewright_support::Map;

/// What a call asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    op: OpRef,
    /// Those of the arguments, behind a tuple's own those of its fields.
    infos: Vec<StructInfo>,
    attrs: Attrs,
}

impl Asked {
    /// None where an argument is more than its struct info says.
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

/// Notes the struct infos of an argument, where they say all that rules read of it.
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

/// What calls were answered with.
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
