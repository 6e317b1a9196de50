//! The maker's driver library, opened where the machine has it.

use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::LazyLock;

use cudarc::driver::sys;
use tilewright_tensor::abi::DeviceFailure;

use super::api::{Address, Api, ApiError, ApiResult, Handle, Start};

/// Devices of the machine; 0 where there is no driver library, or it cannot be used.
pub(super) fn count() -> u32 {
    static COUNT: LazyLock<u32> = LazyLock::new(|| {
        // SAFETY: only opens the library, and asks for symbols that every version has.
        unsafe {
            let mut count = 0;
            let works = sys::is_culib_present()
                && sys::cuInit(0) == sys::CUresult::CUDA_SUCCESS
                && sys::cuDeviceGetCount(&raw mut count) == sys::CUresult::CUDA_SUCCESS;
            if works { u32::try_from(count).unwrap_or(0) } else { 0 }
        }
    });
    *COUNT
}

/// A device, with the context that it shares with other libraries of the process.
pub(super) struct Nvidia {
    device: sys::CUdevice,
    context: sys::CUcontext,
}

// SAFETY: handles of the driver may be used from any thread.
unsafe impl Send for Nvidia {}
// SAFETY: as above; the driver locks what it has to.
unsafe impl Sync for Nvidia {}

fn checked(result: sys::CUresult) -> ApiResult<()> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(ApiError::OutOfMemory),
        other => {
            let mut text = ptr::null();
            // SAFETY: the driver gives the address of a constant text, or an error.
            let words = unsafe {
                match sys::cuGetErrorString(other, &raw mut text) {
                    sys::CUresult::CUDA_SUCCESS if !text.is_null() => {
                        CStr::from_ptr(text).to_string_lossy().into_owned()
                    }
                    _ => "unknown".to_owned(),
                }
            };
            Err(ApiError::Other(format!("{words} ({other:?})")))
        }
    }
}

impl Nvidia {
    pub(super) fn open(index: u32) -> ApiResult<Self> {
        let (mut device, mut context) = (0, ptr::null_mut());
        // SAFETY: the library is there and initialised, since there are devices; the addresses are valid.
        unsafe {
            checked(sys::cuDeviceGet(&raw mut device, index as i32))?;
            checked(sys::cuDevicePrimaryCtxRetain(&raw mut context, device))?;
        }
        Ok(Self { device, context })
    }

    /// Makes the context that of this thread.
    fn enter(&self) -> ApiResult<()> {
        // SAFETY: the context lives as long as the process.
        checked(unsafe { sys::cuCtxSetCurrent(self.context) })
    }
}

fn queue(handle: Handle) -> sys::CUstream {
    ptr::with_exposed_provenance_mut(handle)
}

impl Api for Nvidia {
    fn name(&self) -> String {
        let mut name = [0; 128];
        // SAFETY: as many bytes are there as are said.
        let result = unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, self.device) };
        let bytes: Vec<u8> = name.iter().map(|&byte| byte as u8).take_while(|byte| *byte != 0).collect();
        if checked(result).is_ok() { String::from_utf8_lossy(&bytes).into_owned() } else { "NVIDIA GPU".to_owned() }
    }

    fn allocate(&self, bytes: usize) -> ApiResult<Address> {
        self.enter()?;
        let mut address = 0;
        // SAFETY: the address is written.
        checked(unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) })?;
        Ok(address)
    }

    fn free(&self, address: Address) {
        // Nobody hears of a failure here: the device's next call tells it.
        let _ = self.enter();
        // SAFETY: the memory was allocated, and is freed once.
        let _ = checked(unsafe { sys::cuMemFree_v2(address) });
    }

    fn queue(&self) -> ApiResult<Handle> {
        self.enter()?;
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the handle is written.
        checked(unsafe { sys::cuStreamCreate(&raw mut stream, flags) })?;
        Ok(stream.expose_provenance())
    }

    fn drop_queue(&self, handle: Handle) {
        let _ = self.enter();
        // SAFETY: the queue was made by `queue`, and is dropped once.
        let _ = checked(unsafe { sys::cuStreamDestroy_v2(queue(handle)) });
    }

    fn copy_in(&self, handle: Handle, to: Address, from: &[u8]) -> ApiResult<()> {
        self.enter()?;
        // SAFETY: as many bytes are there as are said. Memory that is locked in its place is read later, unless the
        // queue is waited for.
        unsafe {
            checked(sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), queue(handle)))?;
            checked(sys::cuStreamSynchronize(queue(handle)))
        }
    }

    unsafe fn copy_out(&self, handle: Handle, to: *mut u8, from: Address, bytes: usize) -> ApiResult<()> {
        self.enter()?;
        // SAFETY: the caller's promise.
        checked(unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from, bytes, queue(handle)) })
    }

    fn copy_within(&self, handle: Handle, to: Address, from: Address, bytes: usize) -> ApiResult<()> {
        self.enter()?;
        // SAFETY: both are memory of the device that is alive until the queue is waited for.
        checked(unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, queue(handle)) })
    }

    fn load(&self, ptx: &[u8]) -> ApiResult<Handle> {
        self.enter()?;
        let (mut module, mut log) = (ptr::null_mut(), vec![0u8; 4096]);
        let mut options =
            [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
        // SAFETY: the text ends in a zero byte; the log is as long as is said.
        let result = unsafe {
            let count = options.len() as u32;
            let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
            sys::cuModuleLoadDataEx(&raw mut module, ptx.as_ptr().cast(), count, options, values)
        };
        checked(result).map_err(|error| match error {
            ApiError::Other(words) => {
                let log: Vec<u8> = log.into_iter().take_while(|byte| *byte != 0).collect();
                ApiError::Other(format!("{words}: {}", String::from_utf8_lossy(&log).trim()))
            }
            other => other,
        })?;
        Ok(module.expose_provenance())
    }

    fn unload(&self, module: Handle) {
        let _ = self.enter();
        // SAFETY: the module was made by `load`, and is dropped once.
        let _ = checked(unsafe { sys::cuModuleUnload(ptr::with_exposed_provenance_mut(module)) });
    }

    fn function(&self, module: Handle, symbol: &str, shared_bytes: u32) -> ApiResult<Handle> {
        self.enter()?;
        let name = CString::new(symbol).map_err(|error| ApiError::Other(error.to_string()))?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in a zero byte.
        unsafe {
            let module = ptr::with_exposed_provenance_mut(module);
            checked(sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()))?;
            if shared_bytes > 0 {
                let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                checked(sys::cuFuncSetAttribute(function, most, shared_bytes as i32))?;
            }
        }
        Ok(function.expose_provenance())
    }

    unsafe fn start(&self, handle: Handle, start: Start<'_>) -> ApiResult<()> {
        self.enter()?;
        let mut params: Vec<*mut c_void> =
            start.params.iter().map(|word| ptr::from_ref(word).cast_mut().cast()).collect();
        let ([x, y, z], [a, b, c]) = (start.grid, start.block);
        let function = ptr::with_exposed_provenance_mut(start.function);
        // SAFETY: the caller's promise; the driver reads the parameters before it returns.
        checked(unsafe {
            let params = params.as_mut_ptr();
            sys::cuLaunchKernel(function, x, y, z, a, b, c, start.shared_bytes, queue(handle), params, ptr::null_mut())
        })
    }

    fn wait(&self, handle: Handle) -> ApiResult<()> {
        self.enter()?;
        // SAFETY: the queue is alive.
        checked(unsafe { sys::cuStreamSynchronize(queue(handle)) })
    }

    fn failure_record(&self) -> ApiResult<Address> {
        self.enter()?;
        let mut memory = ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the address is written; the memory is the host's, and the device's under the same address.
        unsafe {
            checked(sys::cuMemHostAlloc(&raw mut memory, size_of::<DeviceFailure>(), flags))?;
            memory.cast::<DeviceFailure>().write(DeviceFailure::default());
        }
        Ok(memory.expose_provenance() as Address)
    }

    fn drop_failure_record(&self, record: Address) {
        let _ = self.enter();
        // SAFETY: it was made by `failure_record`, and is dropped once.
        let _ = checked(unsafe { sys::cuMemFreeHost(ptr::with_exposed_provenance_mut(record as usize)) });
    }

    fn take_failure(&self, record: Address) -> DeviceFailure {
        let record: *mut DeviceFailure = ptr::with_exposed_provenance_mut(record as usize);
        // SAFETY: it was made by `failure_record`, and no kernel runs that might write it.
        unsafe {
            let found = record.read_volatile();
            if found.taken != 0 {
                record.write_volatile(DeviceFailure::default());
            }
            found
        }
    }
}
