//! Tensors next to guard pages.
#![cfg(unix)]

use tilewright_tensor::guard::Edge;
use tilewright_tensor::{DataType, Tensor};

/// Whether a process that reads the byte at this address lives on.
fn is_readable(address: *const u8) -> bool {
    // SAFETY: the child does nothing but read the byte, and ends; if the byte may not be read, by the signal.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            std::ptr::read_volatile(address);
            libc::_exit(0);
        }
        assert!(child > 0);
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status) || libc::WTERMSIG(status) == libc::SIGSEGV);
        libc::WIFEXITED(status)
    }
}

#[test]
fn a_copy_is_equal_and_ends_where_memory_does() {
    for elements in [1, 3, 1024, 1025] {
        let tensor = Tensor::from_vec(&[elements], (0..elements as i32).collect()).unwrap();
        for edge in Edge::BOTH {
            let copy = tensor.guarded(edge).unwrap();
            assert_eq!(copy, tensor);
            assert!(!copy.overlaps(&tensor) && !copy.is_read_only());
            let (first, end) = (copy.data_ptr().cast_const(), copy.data_ptr().wrapping_add(copy.num_bytes()));
            assert!(is_readable(first) && is_readable(end.wrapping_sub(1)));
            match edge {
                Edge::Start => assert!(!is_readable(first.wrapping_sub(1))),
                Edge::End => assert!(!is_readable(end)),
            }
        }
    }
}

#[test]
fn every_kind_of_tensor_can_be_guarded() {
    let tensor = Tensor::from_vec(&[2, 3], vec![1i16, 2, 3, 4, 5, 6]).unwrap();
    let transposed = tensor.view(&[3, 2], &[1, 3], 0).unwrap().to_read_only();
    let copy = transposed.guarded(Edge::End).unwrap();
    assert!(copy == transposed && copy.is_contiguous() && copy.is_read_only());
    for edge in Edge::BOTH {
        let empty = Tensor::zeros(DataType::F64, &[4, 0]).unwrap().guarded(edge).unwrap();
        assert!(empty.shape() == [4, 0] && !is_readable(empty.data_ptr()));
    }
}
