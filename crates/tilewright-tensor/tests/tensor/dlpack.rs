//! The DLPack protocol from the other library's side.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_tensor::dlpack::*;
use tilewright_tensor::{DataType, Tensor};

#[test]
fn exports_speak_of_the_same_memory() {
    let tensor = Tensor::from_vec(&[2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let column = tensor.view(&[2], &[3], 8).unwrap();
    let managed = column.into_dlpack_versioned();
    // SAFETY: the structure was just made and is deleted once.
    unsafe {
        let dl = (*managed).dl_tensor;
        assert_eq!((dl.ndim, *dl.shape, *dl.strides, dl.byte_offset), (1, 2, 3, 0));
        assert_eq!(dl.dtype, DLDataType { code: 2, bits: 32, lanes: 1 });
        assert_eq!(*dl.data.cast::<f32>(), 3.0);
        assert_eq!(((*managed).version.major, (*managed).flags), (1, 0));
        *dl.data.cast::<f32>() = 30.0;
        assert!(!tensor.is_unique());
        (*managed).deleter.unwrap()(managed);
    }
    assert!(tensor.is_unique());
    assert_eq!(tensor.as_slice::<f32>().unwrap()[2], 30.0);
}

#[test]
fn a_tensor_goes_out_and_comes_back() {
    for dtype in DataType::TENSOR_ELEMENTS.into_iter().chain(DataType::STORED_ELEMENTS) {
        for shape in [&[][..], &[3, 0], &[3, 5]] {
            let tensor = Tensor::zeros(dtype, shape).unwrap();
            // SAFETY: each structure is taken over once.
            let versioned = unsafe { Tensor::from_dlpack_versioned(tensor.clone().into_dlpack_versioned()) }.unwrap();
            // SAFETY: as above.
            let plain = unsafe { Tensor::from_dlpack(tensor.clone().into_dlpack().unwrap()) }.unwrap();
            assert!(versioned == tensor && plain == tensor && !plain.is_read_only());
            assert_eq!((versioned.data_ptr(), plain.data_ptr()), (tensor.data_ptr(), tensor.data_ptr()));
            drop((versioned, plain));
            assert!(tensor.is_unique());
        }
    }
}

#[test]
fn read_only_is_said_where_it_can_be() {
    let tensor = Tensor::scalar(1i32).to_read_only();
    assert!(tensor.clone().into_dlpack().is_err());
    // SAFETY: the structure is taken over once.
    let back = unsafe { Tensor::from_dlpack_versioned(tensor.into_dlpack_versioned()) }.unwrap();
    assert!(back.is_read_only());
}

static DELETED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_deletion(_: *mut DLManagedTensorVersioned) {
    DELETED.fetch_add(1, Ordering::SeqCst);
}

/// A structure around these arrays as another library would make it.
fn foreign(data: &mut [f32], shape: &mut [i64], strides: *mut i64) -> DLManagedTensorVersioned {
    DLManagedTensorVersioned {
        version: DLPackVersion { major: 1, minor: 3 },
        manager_ctx: ptr::null_mut(),
        deleter: Some(count_deletion),
        flags: 0,
        dl_tensor: DLTensor {
            data: data.as_mut_ptr().cast::<c_void>(),
            device: DLDevice { device_type: DEVICE_CPU, device_id: 0 },
            ndim: shape.len() as i32,
            dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
            shape: shape.as_mut_ptr(),
            strides,
            byte_offset: 4,
        },
    }
}

#[test]
fn imports_are_checked_and_deleted_once() {
    let (mut data, mut shape) = ([0.0f32, 1.0, 2.0, 3.0, 4.0], [2i64, 2]);
    let mut managed = foreign(&mut data, &mut shape, ptr::null_mut());
    // SAFETY: the arrays outlive the tensor.
    let tensor = unsafe { Tensor::from_dlpack_versioned(&mut managed) }.unwrap();
    assert_eq!(tensor.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    drop(tensor);
    assert_eq!(DELETED.load(Ordering::SeqCst), 1);

    type Break = fn(&mut DLManagedTensorVersioned);
    let broken: [(&str, Break); 6] = [
        ("version 2.0", |m| m.version = DLPackVersion { major: 2, minor: 0 }),
        ("type code 5", |m| m.dl_tensor.dtype.code = 5),
        ("4 lanes", |m| m.dl_tensor.dtype.lanes = 4),
        ("-1 dimensions", |m| m.dl_tensor.ndim = -1),
        ("its shape is missing", |m| m.dl_tensor.shape = ptr::null_mut()),
        ("its data are missing", |m| m.dl_tensor.data = ptr::null_mut()),
    ];
    for (expected, breaks) in broken {
        let mut managed = foreign(&mut data, &mut shape, ptr::null_mut());
        breaks(&mut managed);
        // SAFETY: what is broken is found before it is used.
        let error = unsafe { Tensor::from_dlpack_versioned(&mut managed) }.unwrap_err().to_string();
        assert!(error.contains(expected), "expected \"{expected}\", found \"{error}\"");
    }
    let mut negative = [2i64, -2];
    let mut managed = foreign(&mut data, &mut negative, ptr::null_mut());
    // SAFETY: as above.
    assert!(unsafe { Tensor::from_dlpack_versioned(&mut managed) }.is_err());
    assert_eq!(DELETED.load(Ordering::SeqCst), 1, "what was refused still belongs to its owner");
}
