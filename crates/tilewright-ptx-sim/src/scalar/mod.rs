//! Operations on values. Tables map an opcode's name and type to a function over the lanes of a warp.

pub(crate) mod approx;
pub(crate) mod atomic;
pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod format;
pub(crate) mod int;
