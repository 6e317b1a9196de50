//! Tensors in memory that the host cannot read.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_tensor::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use tilewright_tensor::{DataType, DeviceMemory, Layout, Tensor, TensorError};

const CUDA: DLDevice = DLDevice { device_type: 2, device_id: 1 };

/// Addresses at which there is nothing.
struct Nowhere {
    address: usize,
    bytes: usize,
}

impl DeviceMemory for Nowhere {
    fn device(&self) -> DLDevice {
        CUDA
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn address(&self) -> usize {
        self.address
    }
}

fn there(shape: &[i64]) -> Tensor {
    let layout = Arc::new(Layout::compact(DataType::F32, shape).unwrap());
    let memory = Arc::new(Nowhere { address: 4096, bytes: layout.num_bytes() });
    Tensor::on_device(memory, layout, 0).unwrap()
}

#[test]
fn functions_that_access_elements_name_the_device() {
    let mut tensor = there(&[2, 3]);
    let strided = tensor.view(&[2], &[3], 0).unwrap();
    let on_device = TensorError::OnDevice { device: CUDA };
    assert_eq!(tensor.as_bytes().unwrap_err(), on_device);
    assert_eq!(tensor.as_slice::<f32>().unwrap_err(), on_device);
    assert_eq!(tensor.as_mut_slice::<f32>().unwrap_err(), on_device);
    assert_eq!(tensor.to_vec::<f32>().unwrap_err(), on_device);
    assert_eq!(tensor.overwrite(&[0; 24]).unwrap_err(), on_device);
    assert_eq!(tensor.copied().unwrap_err(), on_device);
    assert_eq!(strided.to_contiguous().unwrap_err(), on_device);
    assert_eq!(strided.to_vec::<f32>().unwrap_err(), on_device);
    assert_eq!(tensor.clone().sealed().unwrap_err(), on_device);
    let message = on_device.to_string();
    assert!(message.contains("cuda(1)") && message.contains(".to(cpu())") && message.contains(".numpy()"), "{message}");
    assert_eq!(format!("{tensor:?}"), "Tensor([2, 3], float32, cuda(1))");
    assert_eq!(tensor.to_string(), "a float32 tensor of shape [2, 3]");
}

#[test]
fn functions_that_access_no_elements_work() {
    let tensor = there(&[4, 4]);
    assert!(!tensor.is_on_host() && tensor.is_aligned() && tensor.is_contiguous());
    assert_eq!((tensor.device(), Tensor::scalar(1.0f32).device().device_type), (CUDA, 1));
    let row = tensor.view(&[4], &[1], 32).unwrap().reshape(&[2, 2]).unwrap();
    let (memory, offset) = row.device_memory().unwrap();
    assert_eq!((memory.bytes(), offset), (64, 32));
    assert!(memory.downcast_ref::<Nowhere>().is_some());
    assert!(tensor.overlaps(&row) && !row.overlaps(&tensor.view(&[8], &[1], 0).unwrap()));
    assert!(matches!(tensor.view(&[4], &[1], 52), Err(TensorError::OutOfBounds { .. })));
    assert!(tensor.to_read_only().is_read_only());
}

#[test]
fn equality_compares_places() {
    let tensor = there(&[4]);
    assert_eq!(tensor, tensor.view(&[4], &[1], 0).unwrap());
    assert_ne!(tensor.view(&[2], &[1], 0).unwrap(), tensor.view(&[2], &[1], 8).unwrap());
    assert_ne!(tensor, Tensor::from_vec(&[4], vec![0.0f32; 4]).unwrap());
}

static DELETED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_deletion(_: *mut DLManagedTensorVersioned) {
    DELETED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn dlpack_carries_the_device_both_ways() {
    let (mut shape, mut strides) = ([2i64, 2], [-2i64, 1]);
    let mut managed = DLManagedTensorVersioned {
        version: DLPackVersion { major: 1, minor: 0 },
        manager_ctx: ptr::null_mut(),
        deleter: Some(count_deletion),
        flags: 0,
        dl_tensor: DLTensor {
            data: ptr::without_provenance_mut::<c_void>(8192),
            device: CUDA,
            ndim: 2,
            dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 8,
        },
    };
    // SAFETY: the structure's arrays outlive the tensor, and nobody reads the data.
    let tensor = unsafe { Tensor::from_dlpack_versioned(&mut managed) }.unwrap();
    assert_eq!((tensor.device(), tensor.data_ptr().addr(), tensor.strides()), (CUDA, 8200, [-2, 1].as_slice()));
    assert!(tensor.as_bytes().is_err());
    let export = tensor.into_dlpack_versioned();
    // SAFETY: the export is whole until its deleter is called, once.
    unsafe {
        let exported = (*export).dl_tensor;
        assert_eq!((exported.device, exported.data.addr() as u64 + exported.byte_offset), (CUDA, 8200));
        assert_eq!(DELETED.load(Ordering::SeqCst), 0);
        (*export).deleter.unwrap()(export);
    }
    assert_eq!(DELETED.load(Ordering::SeqCst), 1);
}
