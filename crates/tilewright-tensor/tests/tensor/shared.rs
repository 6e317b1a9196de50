//! Tensors over the bytes of files and vectors, without a copy.

use std::sync::Arc;

use tilewright_tensor::{DataType, Layout, SharedBytes, Tensor, TensorError};

/// Bytes 0, 1, 2, …, once as a vector and once as a mapped file.
fn sources(name: &str, count: u8) -> [SharedBytes; 2] {
    let bytes: Vec<u8> = (0..count).collect();
    let path = std::env::temp_dir().join(format!("tilewright-shared-{name}-{}", std::process::id()));
    std::fs::write(&path, &bytes).unwrap();
    let mapped = SharedBytes::map(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    [SharedBytes::from(bytes), mapped]
}

#[test]
fn tensors_share_the_bytes_and_outlive_the_handle() {
    for bytes in sources("lifetime", 64) {
        let first = bytes.as_ptr() as usize;
        let tensor = Tensor::from_shared_compact(&bytes, DataType::U8, &[2, 3], 5).unwrap();
        drop(bytes);
        assert_eq!(tensor.data_ptr() as usize, first + 5);
        assert_eq!(tensor.as_slice::<u8>().unwrap(), [5, 6, 7, 8, 9, 10]);
        assert!(tensor.is_read_only() && tensor.is_sealed());
        assert!(matches!(tensor.overwrite(&[0; 6]), Err(TensorError::ReadOnly)));
    }
}

#[test]
fn misaligned_elements_are_copied() {
    for bytes in sources("alignment", 64) {
        let start = bytes.as_ptr().align_offset(4);
        for offset in [start, start + 1] {
            let tensor = Tensor::from_shared_compact(&bytes, DataType::I32, &[2], offset).unwrap();
            let expected = [0, 4].map(|at| i32::from_le_bytes(bytes[offset + at..][..4].try_into().unwrap()));
            assert_eq!(tensor.as_slice::<i32>().unwrap(), expected);
            assert_eq!(tensor.data_ptr() as usize == bytes.as_ptr() as usize + offset, offset == start);
        }
    }
}

#[test]
fn elements_outside_of_the_bytes_are_refused() {
    for bytes in sources("bounds", 16) {
        for (shape, offset) in [(&[17][..], 0), (&[1], 16), (&[0], 17), (&[2, 8], 1), (&[1], usize::MAX)] {
            let error = Tensor::from_shared_compact(&bytes, DataType::U8, shape, offset).unwrap_err();
            assert!(matches!(error, TensorError::OutOfBounds { .. }), "{shape:?} at {offset}: {error}");
        }
        assert_eq!(Tensor::from_shared_compact(&bytes, DataType::U8, &[0], 16).unwrap().num_bytes(), 0);
        let backwards = |offset| {
            let layout = Arc::new(Layout::strided(DataType::U8, &[4], &[-1]).unwrap());
            Tensor::from_shared(&bytes, layout, offset)
        };
        assert_eq!(backwards(3).unwrap().to_vec::<u8>().unwrap(), [3, 2, 1, 0]);
        assert!(matches!(backwards(2), Err(TensorError::OutOfBounds { .. })));
        let bools = Tensor::from_shared_compact(&bytes, DataType::BOOL, &[3], 0).unwrap_err();
        assert_eq!(bools, TensorError::InvalidBool { byte: 2 });
    }
}

#[test]
fn empty_files_have_no_bytes() {
    assert!(sources("empty", 0).iter().all(|bytes| bytes.is_empty()));
    assert!(SharedBytes::map(&std::env::temp_dir().join("tilewright-no-such-file")).is_err());
}
