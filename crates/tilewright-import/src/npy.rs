//! NPY: one array of NumPy.
//!
//! `\x93NUMPY`, two bytes of version, the length of the header, the header (a dictionary of Python with the keys
//! `descr`, `fortran_order` and `shape`), the elements. The header is read here, and not by a library, because the ones
//! at hand multiply claimed dimensions unchecked.

use std::io::Read;

use tilewright_tensor::{Layout, Tensor};

use crate::array::{NumpyType, tensor};
use crate::gzip::read_up_to;
use crate::{Format, ImportError};

pub(crate) const MAGIC: [u8; 6] = *b"\x93NUMPY";
/// Headers of plain arrays have about a hundred bytes.
const MAX_HEADER: u32 = 1 << 16;

/// The tensor of an `.npy` file, in row-major order.
///
/// # Errors
/// If the bytes are no such file, or the array is of a type that tensors do not have.
pub fn read_npy(bytes: &[u8]) -> Result<Tensor, ImportError> {
    read_from(bytes).map_err(|message| ImportError::new(Format::Npy.name(), message))
}

/// As [`read_npy`], of what a reader gives.
pub(crate) fn read_from(mut reader: impl Read) -> Result<Tensor, String> {
    let (Header { numpy, fortran, shape }, _) = read_header(&mut reader)?;
    let layout = Layout::compact(numpy.dtype, &shape).map_err(|error| error.to_string())?;
    let elements = read_up_to(&mut reader, (layout.num_bytes() as u64).saturating_add(1))?;
    tensor(numpy, &shape, fortran, &elements)
}

/// The header, and the bytes up to the elements.
pub(crate) fn read_header(mut reader: impl Read) -> Result<(Header, usize), String> {
    let start = read_up_to(&mut reader, 8)?;
    if !start.starts_with(&MAGIC) {
        return Err("the bytes do not begin with \\x93NUMPY".to_owned());
    }
    let length_bytes = match start.get(6) {
        Some(1) => 2,
        Some(2 | 3) => 4,
        version => return Err(format!("versions 1 to 3 are read, found {version:?}")),
    };
    let length = read_up_to(&mut reader, length_bytes)?;
    let length = match length[..] {
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => return Err("the bytes end before the header".to_owned()),
    };
    if length > MAX_HEADER {
        return Err(format!("a header of {length} bytes is none of a plain array"));
    }
    let header = read_up_to(&mut reader, u64::from(length))?;
    let header = std::str::from_utf8(&header).map_err(|_| "the header is no text".to_owned())?;
    Ok((Header::parse(header)?, 8 + length_bytes as usize + length as usize))
}

/// What an array's header says.
pub(crate) struct Header {
    pub(crate) numpy: NumpyType,
    /// The first dimension is the fastest.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<i64>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
        rest = rest.strip_prefix('{').and_then(|r| r.strip_suffix('}')).ok_or("the header is no dictionary")?;
        let (mut numpy, mut fortran, mut shape) = (None, None, None);
        while !rest.trim_start().is_empty() {
            let (key, after) = quoted(rest.trim_start())?;
            let value = after.trim_start().strip_prefix(':').ok_or("expected `:` after a key of the header")?;
            let value = value.trim_start();
            let after = match key {
                "descr" => {
                    let (code, after) = quoted(value).map_err(|_| "arrays of records are not read".to_owned())?;
                    numpy = Some(NumpyType::parse(code)?);
                    after
                }
                "fortran_order" => {
                    let (text, order) = if value.starts_with("True") { ("True", true) } else { ("False", false) };
                    fortran = Some(order);
                    value.strip_prefix(text).ok_or("`fortran_order` must be True or False")?
                }
                "shape" => {
                    let (dims, after) = value
                        .strip_prefix('(')
                        .and_then(|v| v.split_once(')'))
                        .ok_or("`shape` must be a tuple of integers")?;
                    shape = Some(dimensions(dims)?);
                    after
                }
                other => return Err(format!("the header has an unknown key {other:?}")),
            };
            let after = after.trim_start();
            rest = after.strip_prefix(',').unwrap_or(after);
        }
        match (numpy, fortran, shape) {
            (Some(numpy), Some(fortran), Some(shape)) => Ok(Self { numpy, fortran, shape }),
            _ => Err("the header must have `descr`, `fortran_order` and `shape`".to_owned()),
        }
    }
}

/// The text between quotes, and the text after them.
fn quoted(text: &str) -> Result<(&str, &str), String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"')).ok_or("expected a text in quotes")?;
    text[1..].split_once(quote).ok_or_else(|| "a text without its closing quote".to_owned())
}

fn dimensions(text: &str) -> Result<Vec<i64>, String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items
        .map(|item| {
            let digits = item.strip_suffix('L').unwrap_or(item);
            digits.parse().map_err(|_| format!("{item:?} is no dimension"))
        })
        .collect()
}
