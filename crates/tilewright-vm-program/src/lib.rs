//! The virtual machine's program, and the file that carries it: the contract between the compiler, which writes
//! programs, and the runtime, which runs them.
//!
//! Reading order: [`Kind`] and [`Param`] (what functions take), [`Instruction`] and [`Program`] (what they do),
//! [`ProgramBuilder`] and [`FunctionBuilder`] (how a compiler writes them), [`Program::verify`] (what makes them
//! valid), [`Image`] (linked machine code), then [`Package`] and [`ExecutableBytes`] (the file).
//!
//! A function that adds two rows of any length with a kernel:
//!
//! ```
//! use tilewright_tensor::DataType;
//! use tilewright_vm_program::*;
//!
//! let mut program = ProgramBuilder::default();
//! let image = program.image(Image {
//!     text: vec![0x31, 0xc0, 0xc3],
//!     exports: vec![Export { name: "add".into(), offset: 0 }],
//!     ..Image::default()
//! });
//! let add = program.kernel(Kernel {
//!     image,
//!     export: 0,
//!     tensors: vec![Access::Read, Access::Read, Access::Write],
//!     scalars: vec![DataType::I64],
//!     scratch_bytes: 0,
//!     device: DeviceIndex::FIRST,
//!     packed: vec![],
//! });
//!
//! let mut main = FunctionBuilder::new("main");
//! let n = main.slot("n");
//! let row = Kind::tensor(DataType::F32, &[DimPattern::Slot(n)]);
//! let x = main.param("x", row.clone());
//! let y = main.param("y", row.clone());
//! let sum = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
//! main.call_kernel(add, &[x, y, sum], &[Scalar::Dim(Dim::Slot(n))]);
//! main.ret(sum);
//! main.result(row);
//! program.function(main);
//!
//! let program = program.finish()?;
//! assert!(program.as_text().contains("call add(r0, r1, out r2; n)"));
//!
//! let bytes = Package::new(TargetInfo::portable(), program).encode()?;
//! let (package, _) = Package::decode(&bytes)?;
//! assert_eq!(package.encode()?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a compiler has to know:
//!
//! - One [`Image`] may hold all kernels. A [`Kernel`] names an export of an image and says which tensor arguments it
//!   writes, the types of its scalar arguments and its scratch. Arguments follow
//!   [`tilewright_tensor::abi::KernelFn`]: the tensors' addresses in order, then the scalars (integers
//!   sign-extended, floats by their own bits, bools as 0 or 1).
//! - Parameters are matched on entry; matching gives symbolic dimensions their slots. A packed function's result gets
//!   a [`Instruction::Match`] before a kernel relies on it.
//! - Tensors that stay inside the run are planned into the arena; tensors that are returned, or handed to a packed
//!   function that may keep them, get [`Storage::Fresh`].
//! - A function without tensors to return ends with [`FunctionBuilder::ret_none`]. A kernel on the user's own tensors
//!   (a single PrimFunc) is a function too.
//! - A function inside a function becomes a function of the program whose first parameters are what it captures;
//!   [`Instruction::MakeClosure`] gives them. Symbolic dimensions are captured as scalars whose kind names a slot.
//! - Numbers that are computed from symbolic dimensions live in slots ([`Instruction::Compute`]), whatever their type;
//!   [`Instruction::MakeScalar`] makes values of them, and matching a scalar gives a slot its number back.
//! - A program for a device begins with [`ProgramBuilder::for_device`]: kernels and tensors are on the first device,
//!   functions of the process and of the runtime on the host. What they read of a tensor is brought there by
//!   [`Instruction::Copy`] and [`Instruction::Sync`].
//! - [`FunctionBuilder::origin`] tells where instructions came from; [`Program::strip_origins`] forgets it.
//!
//! Invariants: this crate runs nothing and maps nothing, and knows neither IR nor operating system. Any bytes can be
//! decoded: the outcome is a verified package or an error, never a panic, in memory that is bounded by the input's
//! size. Encoding is deterministic. Machine code inside an image is *not* validated: an executable is trusted like a
//! shared library.

mod builder;
mod encode;
mod file;
mod image;
mod launch;
mod listing;
mod locations;
mod program;
mod sections;
mod signature;
mod text;
mod uses;
mod verify;
mod wire;

pub use builder::{FunctionBuilder, Jump, ProgramBuilder};
pub use file::{ConstantChecksums, ExecutableBytes, FormatError, Package, TargetInfo};
pub use image::{Export, IMAGE_PAGE, Image, Symbol};
pub use launch::{KernelLaunch, LaunchPlan, LaunchStep};
pub use program::{
    Access, DeviceIndex, Dim, Function, Instruction, Kernel, Literal, MathOp, Origin, Program, Reg, Scalar, ScalarOp,
    Storage,
};
pub use sections::{FORMAT_VERSION, FileInfo, OLDEST_FORMAT_VERSION, SectionInfo};
pub use signature::{DimPattern, Kind, MAX_NESTING, Param};
pub use text::Stats;
pub use tilewright_tensor::DeviceKind;
pub use verify::VerifyError;
