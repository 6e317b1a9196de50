//! The runtime: loads executables and runs them. A user ships this crate alone.
//!
//! Reading order: [`Value`] (what functions take and give), [`Executable`] (a file, loaded), [`VirtualMachine`] and
//! [`Function`] (ready to call), [`registry`] (functions that the process provides) and [`foreign`] (C functions that
//! kernels call), [`Error`], then inside: `prepare` (what is worked out once), `run` (the loop over instructions),
//! `kernel` and `pool` (machine code and its threads), `scratch`, `temporary` and `packed` (what kernels get and ask
//! for: memory, and functions of the process), [`fork`] (the locks of all of this), `spare` (what needs none),
//! `nesting` (how deep calls go), [`device`] (other devices than the host, and what a run asks them
//! for). `builtins` lists the functions that every runtime has by name, some of them in files of their own, such as
//! `kv_cache`.
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
//! Invariants: no compiler crate stands below this one; nothing here compiles, links or starts another program. Memory
//! is never writable and executable at once. The only state of the process is the registry, the worker pool and the
//! open devices. Executables and machines are `Send + Sync`, and a function may be called on many threads at once, and
//! by its own packed functions, up to 10,000 calls deep; a child of `fork` finds no lock taken. Arguments are checked
//! before a kernel sees them; what a kernel does with memory is trusted, like any machine code that one loads.

mod affinity;
mod announce;
mod builtins;
mod cache;
mod code;
mod cpu;
mod debug;
pub mod device;
pub mod environment;
mod error;
mod executable;
pub mod foreign;
pub mod fork;
mod instrument;
mod kernel;
mod kv_cache;
mod launch;
mod machine;
mod matching;
mod nesting;
mod packed;
mod pool;
mod prepare;
mod profile;
mod properties;
pub mod registry;
mod run;
mod scalar;
mod scratch;
mod selection;
mod shape_heap;
mod spare;
mod stateful;
mod symbols;
mod temporary;
mod value;

pub use affinity::{available_processors, set_affinity};
pub use announce::{set_debugger_symbols, set_perf_map};
pub use device::{Device, DeviceKind};
pub use error::{Error, ErrorKind, Result};
pub use executable::Executable;
pub use instrument::{Action, CallKind, Event, Instrument};
pub use machine::{Function, VirtualMachine};
pub use nesting::nested;
pub use pool::{num_threads, set_num_threads};
pub use profile::{Report, ReportRow, Times, Timing};
pub use value::{PackedFunc, Tuple, Value};

// What values and executables are made of, for programs that depend on this crate alone.
pub use {tilewright_tensor as tensor, tilewright_vm_program as program};
