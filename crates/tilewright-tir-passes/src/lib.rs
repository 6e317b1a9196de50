//! Loop passes and the shared lowering of a PrimFunc to [`LowTir`].
//!
//! Reading order: [`mod@lower`], the lists of steps for each kind of machine, and what runs them; then one module for
//! each pass, in the order of the list; `stmt` (how passes go through statements) and `substitute` (values for
//! variables).
//!
//! Before the list, `inline_calls` writes out the functions that a function calls, and `store_returned` gives what it
//! returns parameters of its own.
//!
//! A pass is a function from PrimFunc to PrimFunc. What it takes and leaves:
//!
//! | pass | takes | leaves |
//! |---|---|---|
//! | `collect_imports` | any | the code that the function brings with it is in an attribute |
//! | `structure_returns` | block | no early return: conditions on a flag |
//! | `lower_builtins` | any | no attributes, constant memory, names of addresses or target-specific operations except `prefetch`, and barriers of threads |
//! | `compact_parameters` | any | no strides and offsets of parameters that their arguments define |
//! | `lower_init` | block form | no block has an `init` |
//! | `lower_blocks` | no `init` | opaque form: no blocks; temporaries are `Allocate` |
//! | `join_threads` | block form | no loop over threads in another one of the same threads |
//! | `serialise_threads` | opaque | no loop is bound to GPU threads: loops between barriers |
//! | `normalize_parallel` | opaque | parallel loops in no other |
//! | `widen_indices` | opaque | index arithmetic and loops in int64 |
//! | `legalize_foreign` | opaque | packed calls take whole buffers as tensors with their dimensions; no parallel loop has one |
//! | `simplify` | any | the same, in canonical form |
//! | `short_circuit` | opaque | `and`, `or` of sides that cannot fault; choices for the others |
//! | `place_allocations` | opaque | temporaries in the innermost statement around their uses, shrunk to the region used there |
//! | `guard_selects` | opaque | lazy choices for those whose condition keeps an index in range |
//! | `guard_indices` | opaque | asserts for the indices that are not proven to be in range |
//! | `hoist_guards` | opaque | asserts and choices in front of the loops that they do not depend on |
//! | `partition_loops` | opaque | loops split where the conditions inside them change |
//! | `remove_no_op` | opaque | no statement without effect |
//! | `flatten_buffers` | opaque, int64 | buffers of one dimension; parameters of the kernel interface |
//! | `vectorize` | flat buffers | no vectorised loop |
//! | `unroll` | flat buffers | no unrolled loop |
//! | `truncate_divisions` | flat | divisions that need no rounding down do none |
//! | `expand_math` | flat | no function without a single right result: formulas instead |
//! | `legalize_floats` | flat | no arithmetic on float16 and bfloat16; no conversions of floats of 8 bits |
//!
//! The list for GPUs has these of its own, and some passes that programs ask for by name ([`named`]):
//!
//! | pass | takes | leaves |
//! |---|---|---|
//! | `lower_device_builtins` | any | as `lower_builtins`, but for barriers, shuffles and reductions of threads |
//! | `form_kernels` | opaque | all memory is touched in kernels; their axes begin at 0, and no loop in them is parallel |
//! | `place_kernel_memory` | opaque | temporaries of kernels have constant sizes; the host declares all others |
//! | `enter_kernels` | opaque | memory of threads and blocks is declared inside of kernels |
//! | `flatten_device_buffers` | opaque, int64 | as `flatten_buffers`; shared memory stays shared |
//!
//! Index arithmetic is widened to int64, not narrowed: addresses are 64 bits wide on every CPU target, so that narrow
//! loop variables would cost a sign extension in every address, and 64 bits do not overflow where a product of int32
//! extents does. Vectors of indices stay wide too: gathers by 32-bit indices, by 64-bit ones, and loads lane by lane
//! take the same time on the AVX-512 machine that was measured (0.46 ns an element each, from a table in L1).
//!
//! Invariants: every pass keeps the results that the interpreter gives; nothing here depends on a target but the
//! formulas of a few functions in [`lower_for`]. A loop that asks for vectors or for unrolling and cannot have them
//! stays a serial loop: only its speed changes.

mod access;
mod blocks;
mod builtins;
mod calls;
mod compact;
mod divisions;
mod facts;
mod flatten;
mod float8;
mod foreign;
mod front;
mod guard;
mod guard_selects;
mod hoist;
mod imports;
mod init;
mod kernel_memory;
mod kernels;
mod lanes;
mod legalize_floats;
pub mod lower;
mod magnitude;
mod math;
pub mod named;
mod no_op;
mod parallel;
mod partition;
mod place;
mod reach;
pub mod reduction;
mod regions;
mod returns;
mod serial_threads;
mod short_circuit;
mod simplify;
mod stmt;
mod substitute;
mod unroll;
mod uses;
mod vectorize;
mod widen;

#[cfg(test)]
mod tests;

pub use blocks::lower_blocks;
pub use builtins::{ATTRIBUTE_HINTS, lower_builtins, lower_device_builtins};
pub use calls::inline_calls;
pub use compact::compact_parameters;
pub use divisions::truncate_divisions;
pub use flatten::{flatten_buffers, flatten_device_buffers};
pub use foreign::legalize_foreign;
pub use guard::guard_indices;
pub use guard_selects::guard_selects;
pub use hoist::hoist_guards;
pub use imports::collect_imports;
pub use init::lower_init;
pub use kernel_memory::place_kernel_memory;
pub use kernels::{enter_kernels, form_kernels};
pub use legalize_floats::legalize_floats;
pub use lower::{Lowering, PrimFuncPass, Step, lower, lower_for, lower_for_device, lowering_passes};
pub use math::expand_math;
pub use no_op::remove_no_op;
pub use parallel::normalize_parallel;
pub use partition::partition_loops;
pub use place::place_allocations;
pub use returns::{Returned, store_returned, structure_returns};
pub use serial_threads::{join_threads, serialise_threads};
pub use short_circuit::short_circuit;
pub use simplify::simplify;
pub use stmt::{analyzer_of, map_own};
pub use substitute::Substitute;
pub use unroll::unroll;
pub use vectorize::{MAX_LANES, vectorize};
pub use widen::widen_indices;
