//! The runtime: loads executables and runs them. A user ships this crate alone.
//!
//! Reading order: [`Value`] (what functions take and give), [`Executable`] (a file, loaded), [`VirtualMachine`] and
//! [`Function`] (ready to call), [`Session`] (a model, by the names of its inputs and outputs), [`registry`]
//! (functions that the process provides) and [`foreign`] (C functions that kernels call), [`Error`], then inside:
//! `prepare` (facts that are computed once per function), `run` (the loop over instructions), `kernel` and `pool`
//! (machine code and its threads), `scratch`, `temporary` and `packed` (services for kernels: memory, and functions of
//! the process), [`fork`] (locks that survive `fork`), `one_slot` (a lock-free cache of one object), `call_depth` (the
//! bound of nested calls), [`device`] (devices other than the host, and the operations of a run on them). `builtins`
//! lists the functions that every runtime has by name, some of them in files of their own, such as `kv_cache` and
//! `kv_state` (paged caches and recurrent states of language models).
//!
//! A program that hands its argument to a function of the process:
//!
//! ```
//! use std::sync::Arc;
//! use tilewright_runtime::{Executable, Value, VirtualMachine, registry};
//! use tilewright_vm_program::{FunctionBuilder, Kind, Package, ProgramBuilder, TargetInfo};
//! use tilewright_tensor::{DataType, Tensor};
//!
//! let mut program = ProgramBuilder::default();
//! let scale = program.packed("example.double");
//! let mut main = FunctionBuilder::new("main");
//! let x = main.param("x", Kind::static_tensor(DataType::F32, &[2]));
//! let doubled = main.call_packed(scale, &[x]);
//! main.ret(doubled);
//! program.function(main);
//! let bytes = Package::new(TargetInfo::portable(), program.finish()?).encode()?;
//!
//! registry::register("example.double", |args| {
//!     let doubled = args[0].as_tensor()?.as_slice::<f32>()?.iter().map(|x| 2.0 * x).collect();
//!     Ok(Tensor::from_vec(&[2], doubled)?.into())
//! })?;
//! let machine = VirtualMachine::new(Arc::new(Executable::load(bytes)?), &[])?;
//! let main = machine.function("main")?;
//! let y = main.call(&[Tensor::from_vec(&[2], vec![1.0f32, -3.0])?.into()])?;
//! assert_eq!(y.as_tensor()?.as_slice::<f32>()?, [2.0, -6.0]);
//!
//! let error = main.call(&[Tensor::from_vec(&[3], vec![0.0f32; 3])?.into()]).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "main: argument 0 (\"x\"): dimension 0 is 3, expected 2 (the shape is [3])"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: this crate depends on no compiler crate; nothing here compiles, links or starts another program. Memory
//! is never writable and executable at once. The only state of the process is the registry, the worker pool and the
//! open devices. Executables and machines are `Send + Sync`, and a function may be called on many threads at once, and
//! by its own packed functions, up to 10,000 calls deep; a child of `fork` finds no lock taken. Arguments are checked
//! before a kernel sees them; what a kernel does with memory is trusted, like any machine code that one loads.

mod affinity;
mod builtins;
mod call_depth;
mod code;
mod cpu;
mod data_dependent;
mod debug;
pub mod device;
pub mod environment;
mod error;
mod executable;
mod external_symbols;
pub mod foreign;
pub mod fork;
mod instrument;
mod jit_symbols;
mod kernel;
mod kv_cache;
mod kv_state;
mod launch;
mod machine;
mod matching;
mod one_slot;
mod output_cache;
mod packed;
mod pool;
mod prepare;
mod profile;
pub mod registry;
mod run;
mod scalar;
mod scratch;
pub mod session;
mod shape_heap;
mod stateful;
mod temporary;
mod tensor_properties;
mod value;

pub use affinity::{available_processors, set_affinity};
pub use call_depth::nested;
pub use device::{Device, DeviceKind};
pub use error::{Error, ErrorKind, Result};
pub use executable::Executable;
pub use instrument::{Action, CallKind, Event, Instrument};
pub use jit_symbols::{set_debugger_symbols, set_perf_map};
pub use machine::{Function, VirtualMachine};
pub use pool::{num_threads, set_num_threads};
pub use profile::{Report, ReportRow, Times, Timing};
pub use session::{Session, TensorSpec};
pub use value::{PackedFunc, Tuple, Value};

// What values and executables are made of, for programs that depend on this crate alone.
pub use {tilewright_tensor as tensor, tilewright_vm_program as program};
