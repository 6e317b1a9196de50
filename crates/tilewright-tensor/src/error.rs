//! What can go wrong with a tensor.

use std::fmt;

use crate::DataType;
use crate::dlpack::DLDevice;

/// Why a tensor cannot be made or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorError {
    /// A dimension is below zero.
    NegativeDimension { shape: Vec<i64> },
    /// The number of bytes does not fit the address space.
    TooLarge { dtype: DataType, shape: Vec<i64> },
    /// The system gives no more memory.
    OutOfMemory { bytes: usize },
    /// The data have another number of elements than the shape.
    ElementCount { shape: Vec<i64>, expected: usize, found: usize },
    /// The elements are of another type than the requested one.
    WrongType { expected: DataType, found: DataType },
    /// Tensors hold scalars of the known types only.
    UnsupportedType { dtype: DataType },
    /// The elements are not contiguous in row-major order.
    NotContiguous { shape: Vec<i64>, strides: Vec<i64> },
    /// The first element's address is no multiple of its size.
    Misaligned { dtype: DataType, address: usize },
    /// A view reaches outside of its memory.
    OutOfBounds { shape: Vec<i64>, byte_offset: i64, bytes: usize },
    /// Shape and strides have different lengths.
    RankMismatch { shape: usize, strides: usize },
    /// A byte of a bool tensor is neither 0 nor 1.
    InvalidBool { byte: u8 },
    /// The memory may not be written.
    ReadOnly,
    /// Someone else looks at the same memory.
    Shared,
    /// The elements lie in memory of a device, which the host cannot read or write.
    OnDevice { device: DLDevice },
    /// A DLPack structure that this version cannot take.
    DlPack { reason: String },
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeDimension { shape } => write!(f, "the shape {shape:?} has a negative dimension"),
            Self::TooLarge { dtype, shape } => {
                write!(f, "a {dtype} tensor of shape {shape:?} is larger than the address space")
            }
            Self::OutOfMemory { bytes } => write!(f, "out of memory: the system refuses {bytes} bytes"),
            Self::ElementCount { shape, expected, found } => {
                write!(f, "the shape {shape:?} has {expected} elements, but {found} were given")
            }
            Self::WrongType { expected, found } => write!(f, "expected elements of type {expected}, found {found}"),
            Self::UnsupportedType { dtype } => write!(f, "a tensor cannot hold elements of type {dtype}"),
            Self::NotContiguous { shape, strides } => {
                write!(f, "a tensor of shape {shape:?} with strides {strides:?} is not compact in row-major order")
            }
            Self::Misaligned { dtype, address } => {
                write!(f, "the address {address:#x} is not aligned for elements of type {dtype}")
            }
            Self::OutOfBounds { shape, byte_offset, bytes } => {
                write!(f, "a view of shape {shape:?} at byte {byte_offset} reaches outside memory of {bytes} bytes")
            }
            Self::RankMismatch { shape, strides } => {
                write!(f, "a shape of {shape} dimensions cannot have {strides} strides")
            }
            Self::InvalidBool { byte } => write!(f, "a bool tensor holds the byte {byte}, expected 0 or 1"),
            Self::ReadOnly => f.write_str("the tensor is read-only"),
            Self::Shared => f.write_str("the tensor's memory is shared with another tensor"),
            Self::OnDevice { device } => write!(
                f,
                "the tensor is on {device}, whose memory the host cannot access: copy it with .to(cpu()), or take its \
                 values with .numpy()"
            ),
            Self::DlPack { reason } => write!(f, "unsupported DLPack tensor: {reason}"),
        }
    }
}

impl std::error::Error for TensorError {}
