//! The contract between generated machine code and the runtime, seen from both sides.
//!
//! Every kernel is `extern "C" fn(cx, args, dims) -> status`. Code generators refer to the fields of [`KernelCx`] by
//! their byte offsets, which the tests below pin: changing this file changes [`ABI_VERSION`]. What is new goes to the
//! end of structures and lists, so that machine code of older versions finds what it knows; any other change moves
//! [`OLDEST_ABI_VERSION`] too.

use std::ptr;

use crate::dlpack::DLDataType;

/// Written into every executable; a runtime refuses machine code of a later version.
pub const ABI_VERSION: u32 = 3;

/// The oldest version of machine code that this one runs.
pub const OLDEST_ABI_VERSION: u32 = 1;

/// A kernel's entry. `args[i]` is the address of the first element of the i-th tensor argument, `dims[i]` the i-th
/// scalar argument (symbolic dimensions and integer parameters; floats by their bits). 0 is success; any other value is
/// a [`Status`] whose message was recorded through [`KernelCx::fail`].
pub type KernelFn = unsafe extern "C" fn(cx: *const KernelCx, args: *const *mut u8, dims: *const i64) -> i32;

/// The body of a parallel region: runs one of `n_tasks` independent tasks. `cx` belongs to the worker that runs it.
pub type ParallelBody = unsafe extern "C" fn(cx: *const KernelCx, closure: *mut u8, task: i64, n_tasks: i64) -> i32;

/// Runs all tasks of a region, on this and other threads, and returns the first failure or 0.
pub type ParallelFor =
    unsafe extern "C" fn(cx: *const KernelCx, body: ParallelBody, closure: *mut u8, n_tasks: i64) -> i32;

/// As [`ParallelFor`], with an estimate of the time that all tasks take together on one thread: what takes less than
/// waking a thread does wakes none.
pub type ParallelForEstimated = unsafe extern "C" fn(
    cx: *const KernelCx,
    body: ParallelBody,
    closure: *mut u8,
    n_tasks: i64,
    nanoseconds: i64,
) -> i32;

/// Records why a kernel fails and returns the status to hand on. `message` is UTF-8 text in the image, not terminated.
pub type Fail = unsafe extern "C" fn(cx: *const KernelCx, status: i32, message: *const u8, length: i64) -> i32;

/// Memory of a size that is known only when the kernel runs: `bytes` bytes, aligned to [`TENSOR_ALIGN`], with undefined
/// contents, for the calling worker and the tasks of the regions that it starts. Zero bytes have an address too.
///
/// A stack: pieces are freed in the reverse order of their allocation, and a task frees its own. What a kernel or a
/// task still holds when it returns is freed then, so that a failing one may leave at once. Null means that `bytes` is
/// negative or that there is no such memory: the failure is recorded, and the kernel returns [`Status::OutOfMemory`].
pub type Alloc = unsafe extern "C" fn(cx: *const KernelCx, bytes: i64) -> *mut u8;

/// Gives memory of [`Alloc`] back. Null is allowed and nothing.
pub type Free = unsafe extern "C" fn(cx: *const KernelCx, memory: *mut u8);

/// Calls a function of the process's registry. `name` is UTF-8 text in the image, not terminated.
///
/// Functions run on the thread that called the program: inside a parallel region the call fails. The function sees its
/// tensors' elements as they are and may overwrite them (unless they are [`PackedTag::ConstTensor`]), which the kernel
/// sees when the call returns; it may keep the tensors, which are its own from then on.
///
/// `result` may be null: then whatever comes back is dropped. Else its `tag` says what the kernel expects:
/// [`PackedTag::Bool`], [`PackedTag::Int`] or [`PackedTag::Float`], and it is filled if that came back (an int may be
/// given for a float, and a bool for both); any other tag takes nothing. 0 is success; any other value is the status to
/// return, and the function's own error becomes the error of the run.
pub type CallPacked = unsafe extern "C" fn(
    cx: *const KernelCx,
    name: *const u8,
    name_length: i64,
    args: *const PackedArg,
    n_args: i64,
    result: *mut PackedArg,
) -> i32;

/// What a [`PackedArg`] is. The numbers are part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum PackedTag {
    None = 0,
    /// `value` is 0 or 1.
    Bool = 1,
    /// `value` is the integer.
    Int = 2,
    /// `value` holds the bits of an `f64`.
    Float = 3,
    /// `value` is the address of `length` bytes of UTF-8 text.
    Str = 4,
    /// `value` is an address, which reaches the function as an integer.
    Pointer = 5,
    /// `value` is the address of the first element, `dtype` the elements' type, `length` the number of dimensions,
    /// `shape` and `strides` that many numbers. Null strides mean compact in row-major order.
    Tensor = 6,
    /// As `Tensor`; what the function writes to it is lost.
    ConstTensor = 7,
}

/// An argument or a result of [`CallPacked`]. Which fields mean something is up to the tag.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PackedArg {
    /// A [`PackedTag`] by its number.
    pub tag: u32,
    pub dtype: DLDataType,
    pub value: u64,
    pub length: i64,
    pub shape: *const i64,
    /// In elements.
    pub strides: *const i64,
}

impl PackedArg {
    pub const NONE: Self = Self {
        tag: PackedTag::None as u32,
        dtype: DLDataType { code: 0, bits: 0, lanes: 0 },
        value: 0,
        length: 0,
        shape: ptr::null(),
        strides: ptr::null(),
    };
}

/// The services of the runtime for a kernel. Lives on the caller's stack for the length of a call.
#[derive(Debug)]
#[repr(C)]
pub struct KernelCx {
    pub parallel_for: ParallelFor,
    pub fail: Fail,
    /// This worker's scratch memory, 64-byte aligned, as large as the executable declares for the kernel. Tasks that
    /// run on the calling thread see the very memory of the kernel around them: a kernel lays all its buffers, inside
    /// and outside parallel regions, at distinct offsets.
    pub scratch: *mut u8,
    /// The runtime's own state for this call (where failures are recorded); opaque to generated code.
    pub state: *mut u8,
    pub alloc: Alloc,
    pub free: Free,
    pub call_packed: CallPacked,
    pub parallel_for_estimated: ParallelForEstimated,
}

/// Byte offsets of the fields of [`KernelCx`], for code generators.
pub mod offsets {
    pub const PARALLEL_FOR: u64 = 0;
    pub const FAIL: u64 = 8;
    pub const SCRATCH: u64 = 16;
    pub const STATE: u64 = 24;
    pub const ALLOC: u64 = 32;
    pub const FREE: u64 = 40;
    pub const CALL_PACKED: u64 = 48;
    pub const PARALLEL_FOR_ESTIMATED: u64 = 56;
    /// Bytes of the whole structure.
    pub const SIZE: u64 = 64;

    /// Byte offsets of the fields of [`PackedArg`](super::PackedArg), and its size.
    pub mod packed_arg {
        pub const TAG: u64 = 0;
        /// Code (one byte), bits (one byte), lanes (two bytes).
        pub const DTYPE: u64 = 4;
        pub const VALUE: u64 = 8;
        pub const LENGTH: u64 = 16;
        pub const SHAPE: u64 = 24;
        pub const STRIDES: u64 = 32;
        pub const SIZE: u64 = 40;
    }
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
    /// The system gives no memory of the size that the kernel needs.
    OutOfMemory = 5,
}

/// Alignment in bytes of scratch memory and of every tensor that the runtime allocates.
pub const TENSOR_ALIGN: usize = 64;

/// Bytes at multiples of which tensors begin that kernels of a GPU are launched with: an access of a thread moves as
/// many at most.
pub const DEVICE_ALIGN: usize = 16;

/// Blocks of a launch at most on NVIDIA's GPUs, by axis (CUDA C++ Programming Guide, technical specifications).
pub const CUDA_MAX_GRID: [u32; 3] = [i32::MAX.cast_unsigned(), 65_535, 65_535];

/// Where threads of a GPU's kernels report a failure, as they see it. The first one to find `taken` 0 makes it 1 and
/// writes the rest.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeviceFailure {
    pub taken: u32,
    /// A [`Status`].
    pub status: u32,
    /// The number that the launch was given.
    pub launch: u32,
    pub unused: u32,
    /// The address of the message in the device's memory, and its bytes.
    pub message: u64,
    pub message_bytes: u64,
}

/// Stands before the names of C functions that kernels call by name, so that a code generator knows none of them, and
/// no linker takes one that the generator asks for itself for one of the program's.
pub const IMPORT_PREFIX: &str = "tilewright.import.";

/// The undefined symbols that generated code may refer to. No others link.
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
        assert_eq!(std::mem::offset_of!(KernelCx, alloc) as u64, offsets::ALLOC);
        assert_eq!(std::mem::offset_of!(KernelCx, free) as u64, offsets::FREE);
        assert_eq!(std::mem::offset_of!(KernelCx, call_packed) as u64, offsets::CALL_PACKED);
        assert_eq!(std::mem::offset_of!(KernelCx, parallel_for_estimated) as u64, offsets::PARALLEL_FOR_ESTIMATED);
        assert_eq!(size_of::<KernelCx>() as u64, offsets::SIZE);
    }

    #[test]
    fn code_generators_know_how_arguments_of_packed_functions_lie() {
        use offsets::packed_arg::*;
        assert_eq!(std::mem::offset_of!(PackedArg, tag) as u64, TAG);
        assert_eq!(std::mem::offset_of!(PackedArg, dtype) as u64, DTYPE);
        assert_eq!(std::mem::offset_of!(PackedArg, value) as u64, VALUE);
        assert_eq!(std::mem::offset_of!(PackedArg, length) as u64, LENGTH);
        assert_eq!(std::mem::offset_of!(PackedArg, shape) as u64, SHAPE);
        assert_eq!(std::mem::offset_of!(PackedArg, strides) as u64, STRIDES);
        assert_eq!(size_of::<PackedArg>() as u64, SIZE);
    }
}
