//! NumPy's way to describe an array: a type code, a shape, an order, and bytes.

use tilewright_tensor::{DataType, Layout, Tensor, TypeCode};

/// The maximal rank of a NumPy array.
const MAX_DIMS: usize = 64;

/// An element type and its byte order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NumpyType {
    pub(crate) dtype: DataType,
    pub(crate) big_endian: bool,
}

impl NumpyType {
    /// The type of a code such as `<f4`, `|b1` or `i8`.
    pub(crate) fn parse(code: &str) -> Result<Self, String> {
        let (order, rest) = match code.chars().next() {
            Some(order @ ('<' | '>' | '=' | '|')) => (order, &code[1..]),
            _ => ('=', code),
        };
        let kind = rest.chars().next();
        let size = rest.get(1..).and_then(|digits| digits.parse::<u8>().ok());
        let dtype = match (kind, size) {
            (Some('b'), Some(1)) => DataType::BOOL,
            (Some('i'), Some(n @ (1 | 2 | 4 | 8))) => DataType::new(TypeCode::Int, n * 8),
            (Some('u'), Some(n @ (1 | 2 | 4 | 8))) => DataType::new(TypeCode::UInt, n * 8),
            (Some('f'), Some(n @ (2 | 4 | 8))) => DataType::new(TypeCode::Float, n * 8),
            (Some('O'), _) => return Err("arrays of Python objects are not read".to_owned()),
            _ => {
                return Err(format!(
                    "arrays of NumPy's type {code:?} are not read: only bool, integers and floats are"
                ));
            }
        };
        Ok(Self { dtype, big_endian: order == '>' || (order == '=' && cfg!(target_endian = "big")) })
    }
}

/// The tensor of an array. `fortran`: the first dimension is the fastest in `bytes`.
pub(crate) fn tensor(numpy: NumpyType, shape: &[i64], fortran: bool, bytes: &[u8]) -> Result<Tensor, String> {
    if shape.len() > MAX_DIMS {
        return Err(format!("{} dimensions are more than the {MAX_DIMS} that NumPy knows", shape.len()));
    }
    let layout = Layout::compact(numpy.dtype, shape).map_err(|error| error.to_string())?;
    if layout.num_bytes() != bytes.len() {
        return Err(format!(
            "a tensor of shape {shape:?} and type {} has {} bytes, found {}",
            numpy.dtype,
            layout.num_bytes(),
            bytes.len()
        ));
    }
    if numpy.dtype.is_bool()
        && let Some(byte) = bytes.iter().find(|&&byte| byte > 1)
    {
        return Err(format!("{byte} is no bool"));
    }
    let swapped;
    let bytes = if numpy.big_endian && numpy.dtype.element_bytes() > 1 {
        let mut copy = bytes.to_vec();
        copy.chunks_exact_mut(numpy.dtype.element_bytes()).for_each(<[u8]>::reverse);
        swapped = copy;
        &swapped
    } else {
        bytes
    };
    let tensor = if fortran && shape.len() > 1 {
        let reversed: Vec<i64> = shape.iter().rev().copied().collect();
        Tensor::from_bytes(numpy.dtype, &reversed, bytes).and_then(|tensor| {
            let strides: Vec<i64> = tensor.strides().iter().rev().copied().collect();
            tensor.view(shape, &strides, 0)?.copied()
        })
    } else {
        Tensor::from_bytes(numpy.dtype, shape, bytes)
    };
    tensor.map_err(|error| error.to_string())
}
