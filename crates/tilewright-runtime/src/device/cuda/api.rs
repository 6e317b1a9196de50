//! What the driver of NVIDIA's GPUs needs of one: calls that may fail with the maker's words.

use tilewright_tensor::abi::DeviceFailure;

/// An address in the device's memory.
pub(super) type Address = u64;

/// Why a call failed, in the maker's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ApiError {
    OutOfMemory,
    Other(String),
}

pub(super) type ApiResult<T> = std::result::Result<T, ApiError>;

/// A queue, a module or a function of the device, by its number or handle.
pub(super) type Handle = usize;

/// The start of a function.
pub(super) struct Start<'a> {
    pub(super) function: Handle,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(super) shared_bytes: u32,
    /// The parameters, each in the low bytes of a word.
    pub(super) params: &'a [u64],
}

/// One device.
pub(super) trait Api: Send + Sync {
    fn name(&self) -> String;

    /// Whether it takes a while to allocate memory, so that it is better kept than given back.
    fn keeps_memory(&self) -> bool {
        true
    }

    fn allocate(&self, bytes: usize) -> ApiResult<Address>;

    /// Waits until the device is done with the memory.
    fn free(&self, address: Address);

    fn queue(&self) -> ApiResult<Handle>;

    fn drop_queue(&self, queue: Handle);

    /// Enqueues a copy to the device; the bytes have been read when the call returns.
    fn copy_in(&self, queue: Handle, to: Address, from: &[u8]) -> ApiResult<()>;

    /// Enqueues a copy from the device.
    ///
    /// # Safety
    /// The bytes from `to` on may be written until the queue is waited for.
    unsafe fn copy_out(&self, queue: Handle, to: *mut u8, from: Address, bytes: usize) -> ApiResult<()>;

    fn copy_within(&self, queue: Handle, to: Address, from: Address, bytes: usize) -> ApiResult<()>;

    /// Loads a program in PTX, which ends in a zero byte.
    fn load(&self, ptx: &[u8]) -> ApiResult<Handle>;

    fn unload(&self, module: Handle);

    /// A function of a module, which may use so many bytes of dynamic shared memory.
    fn function(&self, module: Handle, symbol: &str, shared_bytes: u32) -> ApiResult<Handle>;

    /// Enqueues the start of a function.
    ///
    /// # Safety
    /// The parameters are what the function takes, and the memory that it reads and writes is the device's.
    unsafe fn start(&self, queue: Handle, start: Start<'_>) -> ApiResult<()>;

    fn wait(&self, queue: Handle) -> ApiResult<()>;

    /// Memory for a failure that threads write and the host reads, zeroed; the device's address of it.
    fn failure_record(&self) -> ApiResult<Address>;

    fn drop_failure_record(&self, record: Address);

    /// What the record holds, which is zeroed. Nobody writes it meanwhile.
    fn take_failure(&self, record: Address) -> DeviceFailure;
}
