//! The contract between generated machine code and the runtime, seen from both sides.
//!
//! Every kernel is `extern "C" fn(cx, args, dims) -> status`. Code generators refer to the fields of [`KernelCx`] by
//! their byte offsets, which the tests below pin: changing this file changes [`ABI_VERSION`] and refuses old images.

/// Written into every executable; a runtime refuses machine code of another version.
pub const ABI_VERSION: u32 = 1;

/// A kernel's entry. `args[i]` is the address of the first element of the i-th tensor argument, `dims[i]` the i-th
/// scalar argument (symbolic dimensions and integer parameters; floats by their bits). 0 is success; any other value is
/// a [`Status`] whose message was recorded through [`KernelCx::fail`].
pub type KernelFn = unsafe extern "C" fn(cx: *const KernelCx, args: *const *mut u8, dims: *const i64) -> i32;

/// The body of a parallel region: runs one of `n_tasks` independent tasks. `cx` belongs to the worker that runs it.
pub type ParallelBody = unsafe extern "C" fn(cx: *const KernelCx, closure: *mut u8, task: i64, n_tasks: i64) -> i32;

/// Runs all tasks of a region, on this and other threads, and returns the first failure or 0.
pub type ParallelFor =
    unsafe extern "C" fn(cx: *const KernelCx, body: ParallelBody, closure: *mut u8, n_tasks: i64) -> i32;

/// Records why a kernel fails and returns the status to hand on. `message` is UTF-8 text in the image, not terminated.
pub type Fail = unsafe extern "C" fn(cx: *const KernelCx, status: i32, message: *const u8, length: i64) -> i32;

/// What a kernel may ask of its surroundings. Lives on the caller's stack for the length of a call.
#[derive(Debug)]
#[repr(C)]
pub struct KernelCx {
    pub parallel_for: ParallelFor,
    pub fail: Fail,
    /// This worker's scratch memory, 64-byte aligned, as large as the executable declares for the kernel. Tasks that run
    /// on the calling thread see the very memory of the kernel around them: a kernel lays all its buffers, inside and
    /// outside parallel regions, at distinct offsets.
    pub scratch: *mut u8,
    /// The runtime's own state for this call (where failures are recorded); opaque to generated code.
    pub state: *mut u8,
}

/// Byte offsets of the fields of [`KernelCx`], for code generators.
pub mod offsets {
    pub const PARALLEL_FOR: u64 = 0;
    pub const FAIL: u64 = 8;
    pub const SCRATCH: u64 = 16;
    pub const STATE: u64 = 24;
}

/// Why a kernel stopped. The numbers are part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    /// A user's assertion; the message is the user's.
    AssertionFailed = 1,
    /// Integer division by zero, or of the least value by -1.
    DivisionFault = 2,
    /// An index computed from loaded data lies outside its buffer.
    IndexOutOfRange = 3,
    /// A function called from the kernel failed.
    CallFailed = 4,
}

/// Alignment in bytes of scratch memory and of every tensor that the runtime allocates.
pub const TENSOR_ALIGN: usize = 64;

/// The symbols that generated code may refer to, beside those it defines. Nothing else links.
///
/// The runtime owns the addresses; this is the list of names that both sides agree on. They are the routines that LLVM
/// itself may call for memory, for operations that the processor lacks (rounding without SSE4.1, fused multiplication
/// without FMA, half precision without F16C), and for its mathematical intrinsics, for which the C library answers.
/// Images name a symbol by its index: new ones go to the end.
pub const EXTERNAL_SYMBOLS: &[&str] = &[
    "memset",
    "memcpy",
    "memmove",
    "memcmp",
    "fmod",
    "fmodf",
    "bcmp",
    "fma",
    "fmaf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "round",
    "roundf",
    "roundeven",
    "roundevenf",
    "rint",
    "rintf",
    "nearbyint",
    "nearbyintf",
    "exp",
    "expf",
    "exp2",
    "exp2f",
    "log",
    "logf",
    "log2",
    "log2f",
    "log10",
    "log10f",
    "pow",
    "powf",
    "sin",
    "sinf",
    "cos",
    "cosf",
    "tan",
    "tanf",
    "asin",
    "asinf",
    "acos",
    "acosf",
    "atan",
    "atanf",
    "atan2",
    "atan2f",
    "sinh",
    "sinhf",
    "cosh",
    "coshf",
    "tanh",
    "tanhf",
    "__truncsfhf2",
    "__truncdfhf2",
    "__extendhfsf2",
    "__truncsfbf2",
    "__truncdfbf2",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_generators_know_where_the_fields_are() {
        assert_eq!(std::mem::offset_of!(KernelCx, parallel_for) as u64, offsets::PARALLEL_FOR);
        assert_eq!(std::mem::offset_of!(KernelCx, fail) as u64, offsets::FAIL);
        assert_eq!(std::mem::offset_of!(KernelCx, scratch) as u64, offsets::SCRATCH);
        assert_eq!(std::mem::offset_of!(KernelCx, state) as u64, offsets::STATE);
    }
}
