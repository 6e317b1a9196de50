//! Shapes, views, sharing, equality.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use tilewright_tensor::{DataType, Layout, Tensor, TensorError, bf16, f16};

fn counting(shape: &[i64]) -> Tensor {
    let elements: i64 = shape.iter().product();
    Tensor::from_vec(shape, (0..elements as i32).collect()).unwrap()
}

#[test]
fn owned_memory_is_aligned_and_zero() {
    for dtype in DataType::TENSOR_ELEMENTS {
        for shape in [&[][..], &[0], &[3, 0, 2], &[7], &[2, 3, 5]] {
            let tensor = Tensor::zeros(dtype, shape).unwrap();
            assert!((tensor.data_ptr() as usize).is_multiple_of(64) && tensor.is_contiguous());
            assert!(tensor.as_bytes().unwrap().iter().all(|&byte| byte == 0));
            assert_eq!(tensor.num_bytes(), tensor.num_elements() * dtype.bytes());
        }
    }
}

#[test]
fn elements_of_four_bits_lie_two_in_a_byte() {
    for dtype in [DataType::I4, DataType::U4, DataType::F4_E2M1FN] {
        let tensor = Tensor::from_bytes(dtype, &[3, 1], &[0x21, 0xf3]).unwrap();
        // The upper half of the last byte is nobody's, and zero.
        assert_eq!((tensor.num_bytes(), tensor.as_bytes().unwrap()), (2, &[0x21, 0x03][..]));
        tensor.overwrite(&[0x65, 0x87]).unwrap();
        assert_eq!(tensor.as_bytes().unwrap(), [0x65, 0x07]);
        let same = Tensor::from_bytes(dtype, &[3], &[0x65, 0x17]).unwrap();
        assert_eq!((tensor.reshape(&[3]).unwrap(), tensor.copied().unwrap()), (same, tensor.clone()));
        assert!(matches!(tensor.view(&[3], &[2], 0), Err(TensorError::NotContiguous { .. })));
        assert!(matches!(Tensor::from_bytes(dtype, &[3], &[0; 3]), Err(TensorError::ElementCount { .. })));
        assert_eq!(Tensor::zeros(dtype, &[0, 5]).unwrap().num_bytes(), 0);
    }
    for dtype in [DataType::F8_E4M3FN, DataType::F8_E5M2] {
        let tensor = Tensor::from_bytes(dtype, &[2, 2], &[1, 2, 3, 4]).unwrap();
        assert_eq!(tensor.view(&[2], &[-2], 2).unwrap().copied().unwrap().as_bytes().unwrap(), [3, 1]);
    }
}

#[test]
fn sizes_that_do_not_exist_are_errors() {
    let zeros = |shape: &[i64]| Tensor::zeros(DataType::F64, shape).unwrap_err();
    assert_eq!(zeros(&[2, -1]).to_string(), "the shape [2, -1] has a negative dimension");
    assert!(matches!(zeros(&[i64::MAX, 2]), TensorError::TooLarge { .. }));
    assert!(matches!(zeros(&[i64::MAX]), TensorError::TooLarge { .. }));
    assert!(matches!(zeros(&[1 << 57]), TensorError::OutOfMemory { .. }));
    assert_eq!(Tensor::zeros(DataType::F64, &[i64::MAX, 0, 9]).unwrap().num_bytes(), 0);
    for dtype in [DataType::VOID, DataType::HANDLE, DataType::F32.with_lanes(4)] {
        assert!(matches!(Tensor::zeros(dtype, &[1]), Err(TensorError::UnsupportedType { .. })));
    }
    assert!(matches!(Tensor::from_vec(&[2], vec![1.0f32]), Err(TensorError::ElementCount { .. })));
    assert!(matches!(Tensor::from_bytes(DataType::I16, &[2], &[0; 3]), Err(TensorError::ElementCount { .. })));
}

#[test]
fn elements_are_read_by_their_own_type_only() {
    let tensor = counting(&[2, 3]);
    assert_eq!(tensor.as_slice::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    let error = tensor.as_slice::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "expected elements of type float32, found int32");
    assert_eq!(Tensor::scalar(f16::from_f32(1.5)).dtype(), DataType::F16);
    assert_eq!(Tensor::scalar(bf16::from_f32(1.5)).to_vec::<bf16>().unwrap(), [bf16::from_f32(1.5)]);
    let flags = Tensor::from_bytes(DataType::BOOL, &[3], &[1, 0, 2]).unwrap();
    assert_eq!(flags.as_slice::<bool>().unwrap_err(), TensorError::InvalidBool { byte: 2 });
}

#[test]
fn views_reach_no_other_memory() {
    let tensor = counting(&[3, 4]);
    let transposed = tensor.view(&[4, 3], &[1, 4], 0).unwrap();
    assert_eq!(transposed.to_vec::<i32>().unwrap(), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    let reversed = tensor.view(&[12], &[-1], 44).unwrap();
    assert_eq!(reversed.to_vec::<i32>().unwrap()[..3], [11, 10, 9]);
    assert_eq!(reversed.view(&[2], &[2], -8).unwrap().to_vec::<i32>().unwrap(), [9, 11]);
    let repeated = tensor.view(&[2, 3], &[0, 1], 4).unwrap();
    assert_eq!(repeated.to_vec::<i32>().unwrap(), [1, 2, 3, 1, 2, 3]);
    for (shape, strides, offset) in [
        (&[13][..], &[1][..], 0),
        (&[12], &[1], 4),
        (&[12], &[1], -4),
        (&[2], &[-1], 0),
        (&[2, 2], &[8, 4], 4),
        (&[1], &[1], i64::MAX),
        (&[0], &[1], 49),
    ] {
        let outcome = tensor.view(shape, strides, offset);
        assert!(matches!(outcome, Err(TensorError::OutOfBounds { .. })), "{shape:?} {strides:?} {offset}");
    }
    assert!(matches!(tensor.view(&[2], &[i64::MAX], 0), Err(TensorError::TooLarge { .. })));
    assert!(matches!(tensor.view(&[2], &[i64::MIN], 0), Err(TensorError::TooLarge { .. })));
    assert!(matches!(tensor.view(&[2], &[], 0), Err(TensorError::RankMismatch { .. })));
    assert!(matches!(transposed.as_slice::<i32>(), Err(TensorError::NotContiguous { .. })));
    assert!(matches!(transposed.reshape(&[12]), Err(TensorError::NotContiguous { .. })));
    assert_eq!(tensor.reshape(&[2, 6]).unwrap().shape(), [2, 6]);
    assert!(matches!(tensor.reshape(&[2, 5]), Err(TensorError::ElementCount { .. })));
}

#[test]
fn contiguity_ignores_strides_that_do_not_matter() {
    let contiguous =
        |shape: &[i64], strides: &[i64]| Layout::strided(DataType::F32, shape, strides).unwrap().is_contiguous();
    assert!(contiguous(&[2, 1, 3], &[3, 77, 1]) && contiguous(&[0, 5], &[-9, 4]) && contiguous(&[], &[]));
    assert!(!contiguous(&[2, 3], &[4, 1]) && !contiguous(&[2, 3], &[1, 2]) && !contiguous(&[3], &[-1]));
}

#[test]
fn overlap_is_about_addresses() {
    let tensor = counting(&[8]);
    let part = |start: i64, length: i64| tensor.view(&[length], &[1], start * 4).unwrap();
    assert!(part(0, 4).overlaps(&part(3, 2)) && !part(0, 4).overlaps(&part(4, 4)));
    assert!(!part(0, 0).overlaps(&tensor) && !tensor.overlaps(&counting(&[8])));
    assert!(tensor.view(&[4], &[-1], 12).unwrap().overlaps(&part(0, 1)));
}

#[test]
fn writing_needs_the_only_handle() {
    let mut tensor = counting(&[2]);
    tensor.as_mut_slice::<i32>().unwrap()[1] = 9;
    assert_eq!(tensor.to_vec::<i32>().unwrap(), [0, 9]);
    let view = tensor.view(&[1], &[1], 0).unwrap();
    assert_eq!(tensor.as_mut_slice::<i32>().unwrap_err(), TensorError::Shared);
    drop(view);
    assert!(tensor.is_unique());
    let clone = tensor.clone();
    assert_eq!(tensor.as_mut_slice::<i32>().unwrap_err(), TensorError::Shared);
    drop(clone);
    assert_eq!(tensor.to_read_only().as_mut_slice::<i32>().unwrap_err(), TensorError::ReadOnly);
}

#[test]
fn equality_is_of_bytes_in_logical_order() {
    let hasher = RandomState::new();
    let nan = Tensor::from_vec(&[2], vec![f32::NAN, 0.0]).unwrap();
    assert_eq!(nan, nan.copied().unwrap());
    assert_eq!(hasher.hash_one(&nan), hasher.hash_one(nan.copied().unwrap()));
    assert_ne!(nan, Tensor::from_vec(&[2], vec![f32::NAN, -0.0]).unwrap());
    assert_ne!(counting(&[2, 3]), counting(&[3, 2]));
    assert_ne!(Tensor::zeros(DataType::I32, &[2]).unwrap(), Tensor::zeros(DataType::F32, &[2]).unwrap());
    let transposed = counting(&[2, 2]).view(&[2, 2], &[1, 2], 0).unwrap();
    let compact = transposed.to_contiguous().unwrap();
    assert!(transposed == compact && hasher.hash_one(&transposed) == hasher.hash_one(&compact));
}

#[test]
fn foreign_memory_is_freed_with_its_last_tensor() {
    let keeper = Arc::new(());
    let mut numbers = vec![1i64, 2, 3, 4];
    let layout = Arc::new(Layout::strided(DataType::I64, &[2, 2], &[-2, 1]).unwrap());
    let third = numbers.as_mut_ptr().wrapping_add(2).cast();
    // SAFETY: the elements are those of `numbers`, which outlives the tensors.
    let tensor = unsafe { Tensor::from_foreign(third, layout, true, Box::new(Arc::clone(&keeper))) };
    assert_eq!(tensor.to_vec::<i64>().unwrap(), [3, 4, 1, 2]);
    let view = tensor.view(&[1], &[1], 0).unwrap();
    drop(tensor);
    assert_eq!(Arc::strong_count(&keeper), 2);
    assert!(view.is_read_only());
    drop(view);
    assert_eq!(Arc::strong_count(&keeper), 1);
}

#[test]
fn tensors_go_between_threads() {
    fn travels<T: Send + Sync>() {}
    travels::<Tensor>();
}

#[test]
fn sealing_shares_memory_that_nobody_else_can_write() {
    let alone = Tensor::zeros(DataType::F32, &[100]).unwrap();
    let address = alone.data_ptr();
    let sealed = alone.sealed().unwrap();
    assert!(sealed.is_sealed() && sealed.is_read_only() && sealed.data_ptr() == address);
    // What is sealed stays where it is, in every handle and view.
    assert_eq!(sealed.clone().sealed().unwrap().data_ptr(), address);
    assert!(sealed.reshape(&[10, 10]).unwrap().is_sealed() && sealed.to_read_only().is_sealed());
    assert_eq!(sealed.overwrite(&[0; 400]).unwrap_err(), TensorError::ReadOnly);
}

#[test]
fn sealing_copies_what_others_may_write() {
    let owned = Tensor::zeros(DataType::F32, &[2, 50]).unwrap();
    let foreign = Tensor::from_vec(&[2, 50], vec![0.0f32; 100]).unwrap();
    let views = [owned.clone(), owned.to_read_only(), foreign, owned.view(&[50], &[1], 200).unwrap()];
    for shared in views {
        let address = shared.data_ptr();
        let sealed = shared.sealed().unwrap();
        assert!(sealed.data_ptr() != address && (sealed.data_ptr() as usize).is_multiple_of(64));
        owned.overwrite(&[1; 400]).unwrap();
        assert!(sealed.to_vec::<f32>().unwrap().iter().all(|value| *value == 0.0));
        owned.overwrite(&[0; 400]).unwrap();
    }
}

#[test]
fn memory_to_keep_is_zeros_that_are_filled_and_stay_when_sealed() {
    // From a single line to what has pages of its own, whole ones and not.
    for elements in [0, 1, 100, 1 << 20, (1 << 20) + 1, (5 << 18) + 3] {
        let kept = Tensor::zeros_to_keep(DataType::F32, &[elements]).unwrap();
        assert!((kept.data_ptr() as usize).is_multiple_of(64) && !kept.is_read_only());
        assert!(kept.to_vec::<f32>().unwrap().iter().all(|value| *value == 0.0));
        let numbers: Vec<f32> = (0..elements).map(|i| i as f32).collect();
        kept.overwrite(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>()).unwrap();
        let address = kept.data_ptr();
        let sealed = kept.sealed().unwrap();
        assert!(sealed.data_ptr() == address && sealed.to_vec::<f32>().unwrap() == numbers);
    }
}
