//! Data types, host tensors and the kernel ABI: what the compiler and the runtime both have to agree on.
//!
//! Reading order: [`DataType`], then [`Tensor`](crate) and DLPack, then [`abi`].
//!
//! Invariants: this crate knows no IR and no machine code; it never runs a kernel.

pub mod abi;
mod dtype;

pub use dtype::{DataType, TypeCode, UnknownDataType};
