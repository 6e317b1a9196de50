//! Scalar expressions, variables, ranges and buffers, and the table that says what every scalar operation means.
//!
//! Reading order: [`node`] (how IR is traversed), [`Var`] and [`Buffer`], [`Expr`] and [`ExprKind`], then
//! [`semantics`], the law for the interpreter and for every target.
//!
//! Invariants: an expression is immutable and typed at birth; constructors check types and never fold or reorder (that
//! is `tilewright-arith`'s work). A variable is its identity: names serve output only, identities never reach it. This
//! crate knows no statement, no graph and no target.

// The derive macro names this crate by its full name, here too.
extern crate self as tilewright_expr;

pub mod node;

mod buffer;
mod builtin;
mod construct;
mod expr;
mod intrinsic;
pub mod semantics;

pub use buffer::{Buffer, BufferNode, Scope};
pub use builtin::{Builtin, BuiltinEffect, BuiltinResult};
pub use construct::{TypeMismatch, can_reinterpret, is_address_by_bits, promote};
pub use expr::{BinOp, CmpOp, Expr, ExprKind, ExprNode, ForeignCallee, Range, Var, VarNode};
pub use intrinsic::{Intrinsic, MATH_ULPS};
