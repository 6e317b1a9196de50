//! The input of code generators: [`LowTir`], a PrimFunc of the flat form.
//!
//! A PrimFunc is flat when all of this holds; [`LowTir::new`] checks it:
//!
//! - every buffer has one dimension, no strides, no offset, and a data variable of its own;
//! - statements are `Store`, `For`, `While`, `If`, `Let`, `Assert`, `Seq`, `Evaluate` and `Allocate`: no blocks;
//! - loops are `Serial` or `Parallel`, a parallel loop is in no other; vectorised loops have become `Ramp`s, unrolled
//!   loops have been written out;
//! - `Allocate` gives a number of elements that is a constant or an `int64`: `Local` memory of constant size is the
//!   function's own (registers, where every index is a constant), `Global` memory of constant size comes from the
//!   scratch area that the kernel declares, in which temporaries that are not alive together share bytes; memory of
//!   another size is allocated by the runtime when the statement begins (a size below 0 or beyond the available memory
//!   fails the kernel), and freed after it;
//! - an access has one index, a scalar or a vector; index expressions are `int32` or `int64`;
//! - every variable is defined before its use, by a parameter, a loop, or a `Let`;
//! - every index that contains loaded data comes after an `Assert`, or a loop of asserts over the elements that it
//!   reads, or is inside an `If` that mentions what was loaded, or provably inside its buffer; the message of an assert
//!   that lowering wrote for this begins with [`INDEX_GUARD`], and code generators report it as `IndexOutOfRange`;
//! - the parameters are those of the kernel interface ([`crate::interface::KernelInterface`] of the function before
//!   lowering): first all buffers, then all scalars, symbolic dimensions included; codegen passes buffer `i` as
//!   `args[i]` and scalar `j` as `dims[j]`.
//!
//! Because it is a PrimFunc, it prints, parses and is interpreted like any other.

mod accesses;
mod check;
mod device;
mod rows;

pub use check::{BLOCKS, THREADS};
pub use device::{DeviceKernel, begins_kernel};
use tilewright_support::Diagnostics;

use crate::tir::PrimFunc;

/// How the messages of guards of indices begin.
pub const INDEX_GUARD: &str = "index out of range: ";

/// The annotation of a serial loop whose vectors are stored at multiples of their own bytes, counted from where the
/// argument begins; their indices need not show it.
pub const ALIGNED: &str = "tilewright.aligned";

/// In the flat form, a call of a packed function of this name is no call but a tensor: the address of its first element
/// and its dimensions. It occurs among the arguments of another packed call, because buffers of the flat form have lost
/// their shapes.
pub const PACKED_TENSOR: &str = "tilewright.tensor";

/// A PrimFunc in the flat form, with the symbol under which its kernel is exported.
#[derive(Clone, Debug)]
pub struct LowTir {
    symbol: String,
    function: PrimFunc,
}

impl LowTir {
    /// Checks the flat form.
    ///
    /// # Errors
    /// One diagnostic (`TW0553`) for each property that does not hold.
    pub fn new(symbol: impl Into<String>, function: PrimFunc) -> Result<Self, Diagnostics> {
        check::check(&function)?;
        Ok(Self { symbol: symbol.into(), function })
    }

    /// Checks the flat form for a GPU: loops over blocks and threads stand where tasks stand for a processor, and the
    /// temporaries of a kernel are shared by the threads of a block or local to one. A temporary outside of kernels is
    /// global; barriers and shuffles are calls of builtins.
    ///
    /// # Errors
    /// Those of [`LowTir::new`].
    pub fn of_device(symbol: impl Into<String>, function: PrimFunc) -> Result<Self, Diagnostics> {
        check::check_for_device(&function)?;
        Ok(Self { symbol: symbol.into(), function })
    }

    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The same function under another symbol.
    pub fn with_symbol(&self, symbol: impl Into<String>) -> Self {
        Self { symbol: symbol.into(), function: self.function.clone() }
    }

    pub fn function(&self) -> &PrimFunc {
        &self.function
    }
}
