//! Runs PTX text on the host, for the tests.
//!
//! [`Module::parse`] reads the text that LLVM's NVPTX backend emits, or that is written by hand. A [`Machine`] has the
//! device's memory and runs kernels: [`Machine::load`], [`Machine::launch`].
//!
//! ```
//! use std::sync::Arc;
//! use tilewright_ptx_sim::{Launch, Machine, Module, Options};
//!
//! let text = "
//!     .version 7.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry twice(.param .u64 data)
//!     {
//!         .reg .b32 %r<3>; .reg .b64 %rd<3>;
//!         mov.u32 %r1, %tid.x;
//!         ld.param.b64 %rd1, [data];
//!         mad.wide.u32 %rd2, %r1, 4, %rd1;
//!         ld.global.b32 %r2, [%rd2];
//!         shl.b32 %r2, %r2, 1;
//!         st.global.b32 [%rd2], %r2;
//!         ret;
//!     }";
//! let module = Arc::new(Module::parse(text)?);
//! let mut machine = Machine::new(Options { seed: 7, ..Options::default() });
//! let loaded = machine.load(module)?;
//! let data = machine.alloc(8)?;
//! machine.write(data, &[5, 0, 0, 0, 6, 0, 0, 0])?;
//! let params = data.to_le_bytes();
//! machine.launch(&loaded, "twice", Launch { grid: [1; 3], block: [2, 1, 1], dynamic_shared: 0, params: &params })?;
//! let mut out = [0; 8];
//! machine.read(data, &mut out)?;
//! assert_eq!(out, [10, 0, 0, 0, 12, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - The text is data: wrong text is a [`ParseError`], a wrong program a [`Fault`]. Nothing here panics or runs on
//!   for ever ([`Options::instruction_limit`]), and no access of a program leaves its memory.
//! - What PTX leaves open is decided by [`Options::seed`] and by nothing else: equal seeds give equal runs.
//! - It knows no compiler and no target of Tilewright, and is no part of what Tilewright ships: the tests run it.

mod decode;
mod exec;
mod fault;
mod lanes;
mod machine;
mod memory;
mod module;
mod parse;
mod scalar;
mod tensor_map;
mod timing;
mod types;

pub use fault::{Fault, FaultKind, ParseError, Place};
pub use machine::{Launch, Loaded, Machine, Options};
pub use module::{Kernel, Module, Parameter};
pub use tensor_map::{Fill, Swizzle, TensorMap};
