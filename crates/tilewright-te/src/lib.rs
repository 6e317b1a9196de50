//! Tensor expressions: a tensor as a formula for its elements, and formulas as loops.
//!
//! ```
//! use tilewright_te::{Value, compute_over, create_prim_func, placeholder, reduce_axis, sum};
//! use tilewright_tensor::DataType;
//! use tilewright_expr::Expr;
//!
//! let size = |n| Expr::i64(n);
//! let a = placeholder(&[size(3), size(4)], DataType::F32, "A");
//! let b = placeholder(&[size(4), size(5)], DataType::F32, "B");
//! let k = reduce_axis(Expr::i64(0), a.dim(1), "k");
//! let c = compute_over(&[a.dim(0), b.dim(1)], "matmul", &["i", "j"], |i| {
//!     sum(a.at(&[&i[0], &k]) * b.at(&[&k, &i[1]]), &[&k])
//! })?;
//! let function = create_prim_func(&[a, b, c])?;
//! assert_eq!(function.params.len(), 3);
//! # Ok::<(), tilewright_te::TeError>(())
//! ```
//!
//! Reading order: [`Value`] (a scalar formula), [`Tensor`] ([`placeholder`], [`compute`], [`compute_many`]), reductions
//! ([`reduce_axis`], [`sum`], [`CommReducer`], …), stages of statements ([`extern_stage`], [`extern_prim_func`]),
//! [`create_prim_func`] (formulas to loops), [`legalize`] (what the op table uses), [`call_te`] (what builders of
//! graphs use), [`topi`] (formulas that many share), [`algorithms`] (statements that many share: scans, sorting).
//!
//! Invariants: a tensor is immutable; its formula is checked when it is made, and a [`Value`] that went wrong carries
//! its error to that point. Loops come out in the order of the stages with one nest each: nothing here fuses or
//! schedules. No operator of the graph level is named here.

pub mod algorithms;
mod emit;
mod external;
mod index_bounds;
mod inlining;
mod legalize;
mod prim_func;
mod reduce;
mod tensor;
pub mod topi;
mod value;
mod widen;

pub use emit::{call_te, emit_te, te_call, te_tensor};
pub use external::{Extern, extern_op, extern_prim_func, extern_stage, prim_func_op};
pub use legalize::{legalize, prim_func_of};
pub use prim_func::{CreateOptions, TeParam, create_prim_func, create_prim_func_with};
pub use reduce::{
    CommReducer, ReduceAxis, Reducer, Reduction, all, any, max_over, min_over, prod, reduce, reduce_axis, reduce_where,
    sum,
};
pub use tensor::{
    Body, Compute, Operation, Tensor, compute, compute_many, compute_nd, compute_op, compute_over, placeholder,
};
pub use value::{Operand, TeError, Value};
