//! DLPack: tensors to and from other libraries without a copy.
//!
//! The structures are those of `dlpack.h`, the unversioned one and version 1. What a Python capsule adds to them is
//! not here. A tensor of any device is taken over and handed on; who takes one over asks [`Tensor::device`] where it
//! is.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;
use std::{fmt, ptr};

use crate::device::ForeignMemory;
use crate::{DataType, Layout, Tensor, TensorError, TypeCode};

/// `DLDeviceType` of main memory.
pub const DEVICE_CPU: i32 = 1;
/// The tensor's memory must not be written.
pub const FLAG_READ_ONLY: u64 = 1;
/// The producer made a copy for this export.
pub const FLAG_IS_COPIED: u64 = 2;
/// The version that exports carry.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

/// The names that users write for values of `DLDeviceType`.
pub const DEVICE_NAMES: [(i32, &str); 13] = [
    (DEVICE_CPU, "cpu"),
    (2, "cuda"),
    (3, "cuda_host"),
    (4, "opencl"),
    (7, "vulkan"),
    (8, "metal"),
    (9, "vpi"),
    (10, "rocm"),
    (11, "rocm_host"),
    (12, "ext_dev"),
    (13, "cuda_managed"),
    (14, "oneapi"),
    (15, "webgpu"),
];

impl fmt::Display for DLDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DEVICE_NAMES.iter().find(|(number, _)| *number == self.device_type) {
            Some((_, name)) => write!(f, "{name}({})", self.device_id),
            None => write!(f, "device {} of type {}", self.device_id, self.device_type),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    /// In elements; null means compact in row-major order.
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    pub dl_tensor: DLTensor,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}

/// `DLPackExchangeAPI`: the alternative of a library of arrays to `__dlpack__`, as a table of C functions on the class
/// of its arrays. Of the functions only those that are used here have their types.
#[derive(Debug)]
#[repr(C)]
pub struct DLPackExchangeAPI {
    pub version: DLPackVersion,
    pub previous: *const DLPackExchangeAPI,
    pub managed_tensor_allocator: *const c_void,
    /// From an object of the class; not 0 means that it raised an exception.
    pub managed_tensor_from_py_object_no_sync:
        Option<unsafe extern "C" fn(object: *mut c_void, managed: *mut *mut DLManagedTensorVersioned) -> i32>,
    pub managed_tensor_to_py_object_no_sync: *const c_void,
    pub dltensor_from_py_object_no_sync: *const c_void,
    pub current_work_stream: *const c_void,
}

/// An exported structure with its tensor, in one allocation.
struct Export<M> {
    managed: M,
    tensor: Tensor,
}

impl Tensor {
    /// An unversioned structure that keeps the tensor alive until its deleter is called. Read-only tensors are
    /// refused, because this structure cannot say so.
    pub fn into_dlpack(self) -> Result<*mut DLManagedTensor, TensorError> {
        if self.is_read_only() {
            return Err(TensorError::ReadOnly);
        }
        let dl_tensor = self.to_dl_tensor();
        let managed = DLManagedTensor { dl_tensor, manager_ctx: ptr::null_mut(), deleter: Some(delete_export) };
        let export = Box::into_raw(Box::new(Export { managed, tensor: self }));
        // SAFETY: `export` is the box's own address, and nobody else has it yet.
        unsafe {
            (*export).managed.manager_ctx = export.cast();
            Ok(&raw mut (*export).managed)
        }
    }

    /// A structure of version 1 that keeps the tensor alive until its deleter is called.
    pub fn into_dlpack_versioned(self) -> *mut DLManagedTensorVersioned {
        let managed = DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete_export_versioned),
            flags: if self.is_read_only() { FLAG_READ_ONLY } else { 0 },
            dl_tensor: self.to_dl_tensor(),
        };
        let export = Box::into_raw(Box::new(Export { managed, tensor: self }));
        // SAFETY: `export` is the box's own address, and nobody else has it yet.
        unsafe {
            (*export).managed.manager_ctx = export.cast();
            &raw mut (*export).managed
        }
    }

    /// Points into the tensor's own layout, which lives as long as the tensor.
    fn to_dl_tensor(&self) -> DLTensor {
        let dtype = self.dtype();
        DLTensor {
            data: self.data_ptr().cast(),
            device: self.device(),
            ndim: self.ndim() as i32,
            dtype: dtype.into(),
            shape: self.shape().as_ptr().cast_mut(),
            strides: self.strides().as_ptr().cast_mut(),
            byte_offset: 0,
        }
    }

    /// Takes an unversioned structure over: its deleter runs when the last tensor over the memory is dropped, on
    /// whatever thread that is. On an error the structure still belongs to the caller.
    ///
    /// # Safety
    /// `managed` points to a structure that follows the DLPack protocol and that nobody else has taken over.
    pub unsafe fn from_dlpack(managed: *mut DLManagedTensor) -> Result<Self, TensorError> {
        // SAFETY: the caller's promise.
        let dl_tensor = unsafe { (*managed).dl_tensor };
        // SAFETY: the caller's promise: the structure's arrays and memory are valid until the deleter runs.
        unsafe { import(dl_tensor, false, Box::new(Imported(managed))) }
    }

    /// As [`Tensor::from_dlpack`], for a structure of version 1.
    ///
    /// # Safety
    /// As for [`Tensor::from_dlpack`].
    pub unsafe fn from_dlpack_versioned(managed: *mut DLManagedTensorVersioned) -> Result<Self, TensorError> {
        // SAFETY: the caller's promise; the version comes first in every version of the structure.
        let version = unsafe { (*managed).version };
        if version.major != VERSION.major {
            return refused(format!("version {}.{}, expected 1.x", version.major, version.minor));
        }
        // SAFETY: the caller's promise, for a version whose fields are known.
        let (dl_tensor, flags) = unsafe { ((*managed).dl_tensor, (*managed).flags) };
        // SAFETY: as in `from_dlpack`.
        unsafe { import(dl_tensor, flags & FLAG_READ_ONLY != 0, Box::new(ImportedVersioned(managed))) }
    }
}

fn refused<T>(reason: String) -> Result<T, TensorError> {
    Err(TensorError::DlPack { reason })
}

/// A keeper that can be told not to free what it keeps, when the import fails.
trait Keeper: Send + Sync + 'static {
    fn disarm(&mut self);
}

/// # Safety
/// The arrays that `dl` points to are valid now, its memory until `keeper` is dropped.
unsafe fn import<K: Keeper>(dl: DLTensor, read_only: bool, mut keeper: Box<K>) -> Result<Tensor, TensorError> {
    // SAFETY: the caller's promise.
    let layout = match unsafe { read_layout(&dl) } {
        Ok(layout) => layout,
        Err(error) => {
            keeper.disarm();
            return Err(error);
        }
    };
    let first = dl.data.cast::<u8>().wrapping_add(if dl.data.is_null() { 0 } else { dl.byte_offset as usize });
    if dl.device.device_type != DEVICE_CPU {
        return import_from_device(dl.device, first.addr(), layout, read_only, keeper);
    }
    // SAFETY: the caller's promise; a null address was refused unless there are no elements.
    Ok(unsafe { Tensor::from_foreign(first, Arc::new(layout), read_only, keeper) })
}

/// A tensor over a device's memory, of which the host keeps the address alone.
fn import_from_device(
    device: DLDevice,
    first: usize,
    layout: Layout,
    read_only: bool,
    keeper: Box<dyn Any + Send + Sync>,
) -> Result<Tensor, TensorError> {
    let (low, high) = layout.extent();
    // The memory begins at the lowest element: `low` is never above 0.
    let byte_offset = low.unsigned_abs() as usize;
    let (address, bytes) = (first.wrapping_sub(byte_offset), high.abs_diff(low) as usize);
    let memory = Arc::new(ForeignMemory { device, address, bytes, _keeper: keeper });
    // Does not fail, and so drops no keeper: the layout's extent is the memory.
    let tensor = Tensor::on_device(memory, Arc::new(layout), byte_offset)?;
    Ok(if read_only { tensor.to_read_only() } else { tensor })
}

/// # Safety
/// `shape` and, unless null, `strides` point to `ndim` numbers.
unsafe fn read_layout(dl: &DLTensor) -> Result<Layout, TensorError> {
    let dtype = DataType::try_from(dl.dtype)?;
    let Ok(ndim) = usize::try_from(dl.ndim) else { return refused(format!("{} dimensions", dl.ndim)) };
    if ndim > 0 && dl.shape.is_null() {
        return refused("its shape is missing".to_owned());
    }
    let numbers = |address: *const i64| match ndim {
        0 => &[][..],
        // SAFETY: not null and, by the caller's promise, `ndim` numbers long.
        _ => unsafe { std::slice::from_raw_parts(address, ndim) },
    };
    let shape = numbers(dl.shape);
    let layout = match dl.strides.is_null() {
        true => Layout::compact(dtype, shape)?,
        false => Layout::strided(dtype, shape, numbers(dl.strides))?,
    };
    if dl.data.is_null() && layout.num_elements() > 0 {
        return refused("its data are missing".to_owned());
    }
    Ok(layout)
}

impl TryFrom<DLDataType> for DataType {
    type Error = TensorError;

    /// The type of a tensor's elements; an error if tensors cannot hold them.
    fn try_from(dl: DLDataType) -> Result<Self, TensorError> {
        let known = Self::TENSOR_ELEMENTS.into_iter().chain(Self::STORED_ELEMENTS);
        let known = known.into_iter().find(|&dtype| DLDataType::from(dtype) == dl);
        known.ok_or_else(|| TensorError::DlPack {
            reason: format!("elements of type code {}, {} bits, {} lanes", dl.code, dl.bits, dl.lanes),
        })
    }
}

impl From<DataType> for DLDataType {
    fn from(dtype: DataType) -> Self {
        Self { code: dtype.code as u8, bits: dtype.bits, lanes: dtype.lanes }
    }
}

const _: () = assert!(TypeCode::Bool as u8 == 6 && TypeCode::BFloat as u8 == 4, "DLPack's numbers");

/// # Safety
/// `managed` came from [`Tensor::into_dlpack`] and is not used afterwards.
unsafe extern "C" fn delete_export(managed: *mut DLManagedTensor) {
    // SAFETY: `manager_ctx` is the address of the box that `into_dlpack` gave away.
    let export = unsafe { Box::from_raw((*managed).manager_ctx.cast::<Export<DLManagedTensor>>()) };
    drop(export.tensor);
}

/// # Safety
/// `managed` came from [`Tensor::into_dlpack_versioned`] and is not used afterwards.
unsafe extern "C" fn delete_export_versioned(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: `manager_ctx` is the address of the box that `into_dlpack_versioned` gave away.
    let export = unsafe { Box::from_raw((*managed).manager_ctx.cast::<Export<DLManagedTensorVersioned>>()) };
    drop(export.tensor);
}

macro_rules! keeper {
    ($name:ident, $managed:ty) => {
        /// A structure taken over; dropping it calls the deleter. Null once disarmed.
        struct $name(*mut $managed);

        // SAFETY: by the DLPack protocol a deleter may be called on any thread.
        unsafe impl Send for $name {}
        // SAFETY: a shared reference gives access to nothing.
        unsafe impl Sync for $name {}

        impl Keeper for $name {
            fn disarm(&mut self) {
                self.0 = ptr::null_mut();
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if self.0.is_null() {
                    return;
                }
                // SAFETY: the structure was taken over whole, and its deleter is called once, here.
                unsafe {
                    if let Some(deleter) = (*self.0).deleter {
                        deleter(self.0);
                    }
                }
            }
        }
    };
}

keeper!(Imported, DLManagedTensor);
keeper!(ImportedVersioned, DLManagedTensorVersioned);
