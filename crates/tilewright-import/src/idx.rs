//! IDX: the format of the MNIST and Fashion-MNIST files, plain or compressed with gzip.
//!
//! Two zero bytes, a type, the number of dimensions, each dimension as a big-endian 32-bit number, then the elements in
//! row-major order, big-endian.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use tilewright_tensor::{DataType, Layout, Tensor};

use crate::array::{NumpyType, tensor};
use crate::gzip::{self, read_up_to};
use crate::{Format, ImportError};

/// The tensor of an IDX file, such as `uint8[60000, 28, 28]` for images and `uint8[60000]` for labels.
///
/// # Errors
/// If the header is none of IDX, or the elements are too few or too many.
pub fn read_idx(bytes: &[u8]) -> Result<Tensor, ImportError> {
    if bytes.starts_with(&gzip::MAGIC) { read_from(MultiGzDecoder::new(bytes)) } else { read_from(bytes) }
}

/// Whether plain bytes begin as IDX does.
pub(crate) fn is_idx(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, code, ndim, ..] if element_type(*code).is_some() && *ndim > 0)
}

fn element_type(code: u8) -> Option<DataType> {
    match code {
        0x08 => Some(DataType::U8),
        0x09 => Some(DataType::I8),
        0x0b => Some(DataType::I16),
        0x0c => Some(DataType::I32),
        0x0d => Some(DataType::F32),
        0x0e => Some(DataType::F64),
        _ => None,
    }
}

fn read_from(mut reader: impl Read) -> Result<Tensor, ImportError> {
    let wrong = |message: String| ImportError::new(Format::Idx.name(), message);
    let header = read_up_to(&mut reader, 4).map_err(wrong)?;
    let [0, 0, code, ndim] = header[..] else {
        return Err(wrong(format!("expected two zero bytes, a type and a number of dimensions, found {header:?}")));
    };
    let dtype = element_type(code).ok_or_else(|| wrong(format!("0x{code:02x} is none of the format's types")))?;
    let dims = read_up_to(&mut reader, u64::from(ndim) * 4).map_err(wrong)?;
    if dims.len() != usize::from(ndim) * 4 {
        return Err(wrong(format!("the header ends before its {ndim} dimensions")));
    }
    let shape: Vec<i64> =
        dims.chunks_exact(4).map(|c| i64::from(u32::from_be_bytes([c[0], c[1], c[2], c[3]]))).collect();
    let layout = Layout::compact(dtype, &shape).map_err(|error| wrong(error.to_string()))?;
    // One byte more shows whether there are too many.
    let elements = read_up_to(&mut reader, (layout.num_bytes() as u64).saturating_add(1)).map_err(wrong)?;
    tensor(NumpyType { dtype, big_endian: true }, &shape, false, &elements).map_err(wrong)
}
