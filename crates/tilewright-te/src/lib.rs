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
//! Reading order: [`Value`] (a scalar formula), [`Tensor`] ([`placeholder`], [`compute`]), reductions ([`reduce_axis`],
//! [`sum`], …), [`create_prim_func`] (formulas to loops), [`legalize`] (what the op table uses), [`topi`] (patterns that
//! many formulas share).
//!
//! Invariants: a tensor is immutable; its formula is checked when it is made, and a [`Value`] that went wrong carries its
//! error to that point. Loops come out in the order of the stages with one block each: nothing here fuses or schedules.
//! No operator of the graph level is named here.

mod legalize;
mod prim_func;
mod reduce;
mod tensor;
pub mod topi;
mod value;

pub use legalize::{legalize, prim_func_of};
pub use prim_func::create_prim_func;
pub use reduce::{ReduceAxis, Reducer, max_over, min_over, prod, reduce, reduce_axis, sum};
pub use tensor::{Tensor, compute, compute_over, placeholder};
pub use value::{Operand, TeError, Value};
