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
//! # Layers
//!
//! `parse` reads text and gives statements to `decode`, which resolves names and makes each instruction once a compact
//! `Op`: registers are slots, literals, special registers and addresses of variables are slots too, filled when a warp
//! begins, labels are places. `scalar` has the functions over the 32 lanes of a register. `exec` runs a warp
//! (`slice`), chooses the next one (`schedule`), and keeps what works on its own: `copy`, `mbarrier`, `bulk`, `wgmma`.
//! `memory` has bytes, bounds and the records by which races are found.
//!
//! # Execution
//!
//! A warp has 32 lanes and a stack of divergence: the two ways of a branch meet at its immediate post-dominator, and
//! chance decides which goes first. Lanes that wait for others of their warp in a loop do not stop these: now and
//! then other lanes get their turn, or go on before the rest has come (`Warp::overtake`); at the next instruction
//! that is for several lanes they meet again. [`Options::resident_blocks`] blocks are under way at a time, in a
//! random order; a random warp of a random one runs for 1 to 1000 instructions, or up to a barrier, a strong load, an
//! atomic operation or a failed wait.
//!
//! `ex2.approx` and its like give the right result moved by an error that the manual allows ([PTX ISA], "Floating Point
//! Instructions"): equal operands give equal results in one launch. Sums of `mma` and `wgmma` are exact in float64 and
//! rounded towards zero at each instruction.
//!
//! # Asynchronous operations
//!
//! They end as late as PTX allows, or by chance earlier:
//!
//! | operation | reads and writes |
//! |---|---|
//! | `cp.async` | at the wait that demands its group (one in eight at once) |
//! | `cp.async.mbarrier.arrive`, `cp.async.bulk` to shared memory | by chance after an instruction or a failed wait |
//! | `cp.async.bulk` to global memory | reads at `wait_group.read` (one in four at once), writes at `wait_group` |
//! | `wgmma` | reads when its warpgroup waits (one in four at once), writes registers when its own warp waits |
//!
//! `mbarrier.try_wait` fails one time in eight although the phase is complete, as it may.
//!
//! # Memory
//!
//! Allocations begin at multiples of 256, have 4 KiB between them, and no address is used twice. Shared memory begins
//! at address 1024 of its space, local memory at 0; both have windows of generic addresses, and so have the
//! parameters of the kernel. Memory that nobody wrote is all ones: NaN, and -1. A tensor map is the 128 bytes of
//! [`TensorMap::encode`], as a parameter or in global memory.
//!
//! # Faults
//!
//! Bounds, alignment, constants and barriers are always checked. With [`Options::check_races`], accesses of shared and
//! global memory are records of vector clocks (`memory::clocks`): two threads that touch the same byte, one of them
//! writing, need an order between them. Orders come of barriers of the block and of the warp (between the lanes of a
//! warp too), of mbarriers, of atomic and volatile accesses with `.release` and `.acquire` or with fences around them,
//! and of waits for asynchronous operations, whose destinations nobody may touch before. Data of ordinary stores reach
//! asynchronous units only through `fence.proxy.async`.
//!
//! Where records would be too large they are coarser, always so that a correct program has no fault: fences and
//! atomic operations order the whole block before those that observe them, not only the thread; scopes are not
//! compared; once a block has observed another one, its writes to words that several blocks have read are not judged;
//! `wgmma` waits for the products of the whole warpgroup, as programs rely on.
//!
//! # Traffic
//!
//! With [`Options::count_traffic`] the [`Report`] of a launch tells how many sectors of global memory its ordinary
//! accesses touched and how many passes over the banks of shared memory they took (`ldmatrix` and `cp.async` too), next
//! to the least that was possible: a swizzle without conflicts has equal numbers.
//!
//! # Instructions
//!
//! All that LLVM's NVPTX backend emits for arithmetic, conversions, memory, atomics, control and warps at `sm_80` and
//! `sm_90`; packed halves; `ldmatrix`, `stmatrix`, `mma` (f16, bf16, tf32, 8-bit integers, fp8), `cp.async`,
//! mbarriers, bulk copies with and without tensor maps, `wgmma` with all its layouts; forms of clusters for a cluster
//! of one block. Not known, so that a launch is refused: calls by address, textures, `cp.reduce.async.bulk`,
//! multicast, sparse products, `tcgen05`, vectors of atomics, directed rounding of `fma.f64`.
//!
//! Several lanes that execute one `shfl` with different masks are refused too, which the hardware allows.
//!
//! [PTX ISA]: https://docs.nvidia.com/cuda/parallel-thread-execution/
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

pub use exec::traffic::{Count, Report};
pub use fault::{Fault, FaultKind, ParseError, Place};
pub use machine::{Launch, Loaded, Machine, Options};
pub use module::{Kernel, Module, Parameter};
pub use tensor_map::{Fill, Swizzle, TensorMap};
