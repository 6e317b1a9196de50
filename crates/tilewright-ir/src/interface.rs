//! How a PrimFunc becomes a kernel: which tensors and which scalars its machine code takes, in which order.

use std::collections::HashSet;

use tilewright_expr::node::{VarId, walk};
use tilewright_support::Set;

use crate::tir::{Buffer, Expr, ExprKind, Param, PrimFunc, StmtKind, Var, written_data_with};

/// The arguments of the kernel of a PrimFunc. Lowering writes the flat function's parameters in this order: first the
/// buffers, then the scalars. Code generation and the machine count on it.
#[derive(Clone, Debug)]
pub struct KernelInterface {
    /// The buffer parameters in the PrimFunc's order.
    pub tensors: Vec<Tensor>,
    /// The scalar parameters in the PrimFunc's order, then the symbolic dimensions of the buffers' shapes, in order of
    /// first appearance. All travel as 64 bits. Strides and offsets that are variables of their own are no arguments:
    /// [`declared_by_argument`].
    pub scalars: Vec<Scalar>,
}

/// A tensor argument of a kernel.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Index of the parameter.
    pub param: usize,
    pub buffer: Buffer,
    /// Whether the function writes it (through any buffer on the same data).
    pub written: bool,
}

/// A scalar argument of a kernel.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub var: Var,
    /// Index of the parameter; `None` for a symbolic dimension.
    pub param: Option<usize>,
}

impl KernelInterface {
    pub fn of(function: &PrimFunc) -> Self {
        let written = written_through_views(function);
        let tensor = |(param, p): (usize, &Param)| {
            let buffer = p.buffer.clone()?;
            Some(Tensor { param, written: written.contains(&buffer.data.id()), buffer })
        };
        let tensors = function.params.iter().enumerate().filter_map(tensor).collect();
        Self { tensors, scalars: Self::scalars_of(function) }
    }

    /// The scalar arguments alone: the body is not looked at.
    pub fn scalars_of(function: &PrimFunc) -> Vec<Scalar> {
        let params = function.params.iter().enumerate().filter(|(_, p)| p.buffer.is_none());
        let mut scalars: Vec<Scalar> =
            params.map(|(param, p)| Scalar { var: p.var.clone(), param: Some(param) }).collect();
        let mut known: HashSet<Var> = scalars.iter().map(|s| s.var.clone()).collect();
        let own = declared_by_argument(function);
        for buffer in function.params.iter().filter_map(|p| p.buffer.as_ref()) {
            for expr in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
                walk(expr, |e: &Expr| {
                    if let ExprKind::Var(var) = &e.kind
                        && !own.contains(&var.id())
                        && known.insert(var.clone())
                    {
                        scalars.push(Scalar { var: var.clone(), param: None });
                    }
                });
            }
        }
        scalars
    }
}

/// The variables that are strides or offsets of buffer parameters and nothing else: a compact tensor at its own address
/// defines them.
pub fn declared_by_argument(function: &PrimFunc) -> Set<VarId> {
    let buffers = || function.params.iter().filter_map(|param| param.buffer.as_ref());
    let mut own: Set<VarId> = buffers()
        .flat_map(|buffer| buffer.strides.iter().chain(&buffer.elem_offset))
        .filter_map(|e| e.as_var().map(Var::id))
        .collect();
    for param in function.params.iter().filter(|param| param.buffer.is_none()) {
        own.remove(&param.var.id());
    }
    for buffer in buffers() {
        walk(&buffer.shape, |var: &Var| {
            own.remove(&var.id());
        });
    }
    own
}

/// The data variables of all buffers that the function writes, through regions that other buffers match too.
fn written_through_views(function: &PrimFunc) -> Set<VarId> {
    let mut views = Vec::new();
    let mut written = written_data_with(&function.body, &mut |stmt| {
        if let StmtKind::Block { block, .. } = &stmt.kind {
            views.extend(block.match_buffers.iter().map(|m| (m.buffer.data.id(), m.source.buffer.data.id())));
        }
    });
    // Views are met outermost first: going backwards, what a view writes reaches its source.
    for (view, source) in views.into_iter().rev() {
        if written.contains(&view) {
            written.insert(source);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attrs;
    use crate::tir::{ForeignCallee, Stmt};
    use tilewright_support::Origins;
    use tilewright_tensor::DataType;

    #[test]
    fn scalars_come_before_dimensions_and_stores_mark_their_tensor() {
        let n = Var::new("n", DataType::I64);
        let k = Var::new("k", DataType::I32);
        let a = Buffer::new("A", vec![Expr::var(&n)], DataType::F32);
        let b = Buffer::new("B", vec![Expr::var(&n)], DataType::F32);
        let body = Stmt::store(&b, vec![Expr::i64(0)], &Expr::load(&a, vec![Expr::i64(0)]).unwrap()).unwrap();
        let params = vec![Param::buffer(&a), Param::scalar(&k), Param::buffer(&b)];
        let function = PrimFunc::with_root(params, Attrs::new(), Vec::new(), body, Origins::default());
        let interface = KernelInterface::of(&function);
        let written: Vec<_> = interface.tensors.iter().map(|t| (t.param, t.written)).collect();
        assert_eq!(written, [(0, false), (2, true)]);
        let scalars: Vec<_> = interface.scalars.iter().map(|s| (&*s.var.name, s.param)).collect();
        assert_eq!(scalars, [("k", Some(1)), ("n", None)]);
    }

    #[test]
    fn an_address_given_away_is_written_and_one_asked_for_ahead_is_not() {
        let zero = || vec![Expr::i64(0)];
        let [a, b, i] = [("A", DataType::F32), ("B", DataType::F32), ("I", DataType::I64)]
            .map(|(name, dtype)| Buffer::new(name, vec![Expr::i64(4)], dtype));
        let address = |buffer: &Buffer, indices| Expr::address_of(buffer, indices).unwrap();
        let call = |callee, operands| Stmt::from(StmtKind::Evaluate(Expr::foreign(DataType::VOID, callee, operands)));
        // The requested axis is the one that a function finds in `I`.
        let found = Expr::foreign(DataType::I64, ForeignCallee::Extern("find".into()), vec![address(&i, zero())]);
        let ahead = call(ForeignCallee::Builtin("prefetch".into()), vec![address(&a, vec![found])]);
        let away = call(ForeignCallee::Extern("fill".into()), vec![address(&b, zero())]);
        let params = vec![Param::buffer(&a), Param::buffer(&b), Param::buffer(&i)];
        let body = Stmt::seq([ahead, away]);
        let function = PrimFunc::with_root(params, Attrs::new(), Vec::new(), body, Origins::default());
        let written: Vec<bool> = KernelInterface::of(&function).tensors.iter().map(|t| t.written).collect();
        assert_eq!(written, [false, true, true]);
    }
}
