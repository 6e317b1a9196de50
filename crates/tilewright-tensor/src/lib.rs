//! Data types, tensors and the kernel ABI: the contract between the compiler and the runtime.
//!
//! Reading order: [`DataType`], then [`Element`] (the Rust type of a data type), [`Layout`] (data type, shape and
//! strides), [`Tensor`] (a layout over shared memory), [`SharedBytes`] (files that tensors map), [`DeviceMemory`]
//! (memory that is not the host's), [`dlpack`] (handing tensors to and from other libraries without a copy), then
//! [`abi`]; [`guard`] is for tests.
//!
//! ```
//! use tilewright_tensor::{DataType, Tensor};
//!
//! let x = Tensor::from_vec(&[2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let column = x.view(&[2], &[3], 4)?;
//! assert_eq!((x.dtype(), x.shape()), (DataType::F32, [2, 3].as_slice()));
//! assert_eq!(column.to_vec::<f32>()?, [2.0, 5.0]);
//! # Ok::<(), tilewright_tensor::TensorError>(())
//! ```
//!
//! Invariants: this crate knows no IR and no machine code; it never runs a kernel. Memory of a tensor is never moved
//! and lives as long as any tensor over it. Memory of a device is never read or written here. Sizes are checked: no
//! product of dimensions overflows unseen.

pub mod abi;
mod device;
pub mod dlpack;
mod dtype;
mod element;
mod error;
#[cfg(unix)]
pub mod guard;
mod layout;
#[cfg(unix)]
mod pages;
mod shared;
mod storage;
mod tensor;
mod text;

pub use device::{DeviceKind, DeviceMemory};
pub use dtype::{DataType, TypeCode, UnknownDataType};
pub use element::Element;
pub use error::TensorError;
pub use half::{bf16, f16};
pub use layout::Layout;
pub use shared::SharedBytes;
pub use tensor::Tensor;
