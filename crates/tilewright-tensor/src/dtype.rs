//! Data types: DLPack's triple of code, bits and lanes.
//!
//! Most types have arithmetic ([`DataType::TENSOR_ELEMENTS`]). A few are only stored and moved
//! ([`DataType::STORED_ELEMENTS`]): floats of 8 and 4 bits, and integers of 4 bits. Elements of 4 bits lie two in a
//! byte, the first in the lower half; an odd number of them leaves the upper half of the last byte zero. A tensor of
//! them is compact: a single one has no address.

use std::fmt;
use std::str::FromStr;

/// The kind of value that an element holds. The numbers are DLPack's `DLDataTypeCode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum TypeCode {
    Int = 0,
    UInt = 1,
    Float = 2,
    /// An address; has no arithmetic.
    Handle = 3,
    BFloat = 4,
    Bool = 6,
    /// 4 bits of exponent, 3 of mantissa; no infinities, one NaN of each sign.
    Float8E4M3Fn = 10,
    /// 5 bits of exponent, 2 of mantissa, as IEEE would have it.
    Float8E5M2 = 12,
    /// 2 bits of exponent, 1 of mantissa; neither infinities nor NaN.
    Float4E2M1Fn = 17,
}

/// An element type: kind, width in bits of one lane, number of lanes (1 for a scalar).
///
/// `DataType::VOID` (a handle of 0 bits) is the type of a statement-like call, and is written `"void"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C)]
pub struct DataType {
    pub code: TypeCode,
    pub bits: u8,
    pub lanes: u16,
}

impl DataType {
    pub const VOID: Self = Self::new(TypeCode::Handle, 0);
    pub const HANDLE: Self = Self::new(TypeCode::Handle, 64);
    pub const BOOL: Self = Self::new(TypeCode::Bool, 8);
    pub const I8: Self = Self::new(TypeCode::Int, 8);
    pub const I16: Self = Self::new(TypeCode::Int, 16);
    pub const I32: Self = Self::new(TypeCode::Int, 32);
    pub const I64: Self = Self::new(TypeCode::Int, 64);
    pub const U8: Self = Self::new(TypeCode::UInt, 8);
    pub const U16: Self = Self::new(TypeCode::UInt, 16);
    pub const U32: Self = Self::new(TypeCode::UInt, 32);
    pub const U64: Self = Self::new(TypeCode::UInt, 64);
    pub const F16: Self = Self::new(TypeCode::Float, 16);
    pub const BF16: Self = Self::new(TypeCode::BFloat, 16);
    pub const F32: Self = Self::new(TypeCode::Float, 32);
    pub const F64: Self = Self::new(TypeCode::Float, 64);
    pub const I4: Self = Self::new(TypeCode::Int, 4);
    pub const U4: Self = Self::new(TypeCode::UInt, 4);
    pub const F8_E4M3FN: Self = Self::new(TypeCode::Float8E4M3Fn, 8);
    pub const F8_E5M2: Self = Self::new(TypeCode::Float8E5M2, 8);
    pub const F4_E2M1FN: Self = Self::new(TypeCode::Float4E2M1Fn, 4);

    /// Names that types have in programs besides the one that is printed.
    pub const OTHER_NAMES: [(&'static str, Self); 7] = [
        ("uint1", Self::BOOL),
        ("int", Self::I32),
        ("uint", Self::U32),
        ("float", Self::F32),
        ("float8", Self::F8_E4M3FN),
        ("e4m3_float8", Self::F8_E4M3FN),
        ("e5m2_float8", Self::F8_E5M2),
    ];

    /// The types that tensors may hold and that have no arithmetic, in printing order.
    pub const STORED_ELEMENTS: [Self; 5] = [Self::I4, Self::U4, Self::F8_E4M3FN, Self::F8_E5M2, Self::F4_E2M1FN];

    /// Every scalar type that tensors may hold and that has arithmetic, in printing order.
    pub const TENSOR_ELEMENTS: [Self; 13] = [
        Self::BOOL,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
    ];

    /// A scalar type.
    pub const fn new(code: TypeCode, bits: u8) -> Self {
        Self { code, bits, lanes: 1 }
    }

    /// The same element with another number of lanes.
    pub const fn with_lanes(self, lanes: u16) -> Self {
        Self { lanes, ..self }
    }

    /// The same element with one lane.
    pub const fn element(self) -> Self {
        self.with_lanes(1)
    }

    pub const fn is_scalar(self) -> bool {
        self.lanes == 1
    }

    pub const fn is_vector(self) -> bool {
        self.lanes > 1
    }

    pub const fn is_bool(self) -> bool {
        matches!(self.code, TypeCode::Bool)
    }

    /// Signed or unsigned integer with arithmetic, bool not included.
    pub const fn is_int(self) -> bool {
        matches!(self.code, TypeCode::Int | TypeCode::UInt) && self.bits >= 8
    }

    /// Signed integer with arithmetic.
    pub const fn is_signed(self) -> bool {
        matches!(self.code, TypeCode::Int) && self.bits >= 8
    }

    pub const fn is_float(self) -> bool {
        matches!(self.code, TypeCode::Float | TypeCode::BFloat)
    }

    /// Whether values of the type are stored and moved only: see [`DataType::STORED_ELEMENTS`].
    pub const fn is_stored_only(self) -> bool {
        match self.code {
            TypeCode::Float8E4M3Fn | TypeCode::Float8E5M2 | TypeCode::Float4E2M1Fn => true,
            TypeCode::Int | TypeCode::UInt => self.bits < 8,
            TypeCode::Float | TypeCode::Handle | TypeCode::BFloat | TypeCode::Bool => false,
        }
    }

    /// Whether several elements share a byte, so that a single one has no address.
    pub const fn is_packed(self) -> bool {
        self.is_stored_only() && self.bits < 8
    }

    /// Whether a tensor may hold elements of the type.
    pub fn is_tensor_element(self) -> bool {
        Self::TENSOR_ELEMENTS.contains(&self) || Self::STORED_ELEMENTS.contains(&self)
    }

    pub const fn is_handle(self) -> bool {
        matches!(self.code, TypeCode::Handle)
    }

    pub const fn is_void(self) -> bool {
        self.is_handle() && self.bits == 0
    }

    /// Bytes of one lane in memory; 0 for void. An element that shares its byte counts as one: [`DataType::bytes_of`]
    /// knows how many a tensor takes.
    pub const fn element_bytes(self) -> usize {
        (self.bits as usize).div_ceil(8)
    }

    /// Bytes of all lanes in memory.
    pub const fn bytes(self) -> usize {
        if self.is_packed() {
            (self.bits as usize * self.lanes as usize).div_ceil(8)
        } else {
            self.element_bytes() * self.lanes as usize
        }
    }

    /// Bytes of so many elements without gaps; none where there are too many to count.
    pub const fn bytes_of(self, elements: usize) -> Option<usize> {
        match self.is_packed() {
            // Two elements of 4 bits a byte, without computing the number of bits.
            true => Some(elements / 2 + elements % 2),
            false => elements.checked_mul(self.bytes()),
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            TypeCode::Handle if self.bits == 0 => return f.write_str("void"),
            TypeCode::Handle => f.write_str("handle")?,
            TypeCode::Bool => f.write_str("bool")?,
            TypeCode::Int => write!(f, "int{}", self.bits)?,
            TypeCode::UInt => write!(f, "uint{}", self.bits)?,
            TypeCode::Float => write!(f, "float{}", self.bits)?,
            TypeCode::BFloat => write!(f, "bfloat{}", self.bits)?,
            TypeCode::Float8E4M3Fn => f.write_str("float8_e4m3fn")?,
            TypeCode::Float8E5M2 => f.write_str("float8_e5m2")?,
            TypeCode::Float4E2M1Fn => f.write_str("float4_e2m1fn")?,
        }
        if self.lanes > 1 { write!(f, "x{}", self.lanes) } else { Ok(()) }
    }
}

impl fmt::Debug for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is no data type that this version knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDataType(pub String);

impl fmt::Display for UnknownDataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown data type \"{}\": expected one of ", self.0)?;
        for dtype in DataType::TENSOR_ELEMENTS.into_iter().chain(DataType::STORED_ELEMENTS) {
            write!(f, "{dtype}, ")?;
        }
        f.write_str("handle or void, with the suffix \"xN\" for N lanes")
    }
}

impl std::error::Error for UnknownDataType {}

impl FromStr for DataType {
    type Err = UnknownDataType;

    fn from_str(text: &str) -> Result<Self, UnknownDataType> {
        let unknown = || UnknownDataType(text.to_owned());
        let (element, lanes) = match text.rsplit_once('x') {
            Some((element, digits)) if !element.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                (element, digits.parse::<u16>().ok().filter(|&lanes| lanes > 0).ok_or_else(unknown)?)
            }
            _ => (text, 1),
        };
        match element {
            "void" | "" if lanes == 1 => return Ok(Self::VOID),
            "handle" if lanes == 1 => return Ok(Self::HANDLE),
            _ => {}
        }
        if let Some((_, dtype)) = Self::OTHER_NAMES.iter().find(|(name, _)| *name == element) {
            return Ok(dtype.with_lanes(lanes));
        }
        let known = Self::TENSOR_ELEMENTS.into_iter().chain(Self::STORED_ELEMENTS);
        known
            .into_iter()
            .find(|dtype| dtype.to_string() == element)
            .map(|dtype| dtype.with_lanes(lanes))
            .ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_arithmetic_or_are_stored_only() {
        for dtype in DataType::TENSOR_ELEMENTS {
            assert!(dtype.is_tensor_element() && !dtype.is_stored_only() && !dtype.is_packed(), "{dtype}");
            assert_eq!(dtype.bytes_of(3), Some(3 * dtype.bytes()));
            assert_eq!(dtype.bytes_of(usize::MAX).is_some(), dtype.bytes() == 1);
        }
        for dtype in DataType::STORED_ELEMENTS {
            assert!(dtype.is_tensor_element() && dtype.is_stored_only(), "{dtype}");
            assert!(!dtype.is_int() && !dtype.is_float() && !dtype.is_bool(), "{dtype}");
            let packed = dtype.bits == 4;
            let sizes = [0, 1, 2, 7, usize::MAX].map(|n| dtype.bytes_of(n).unwrap());
            let expected = if packed { [0, 1, 1, 4, usize::MAX / 2 + 1] } else { [0, 1, 2, 7, usize::MAX] };
            assert_eq!((dtype.is_packed(), sizes), (packed, expected), "{dtype}");
        }
        assert!(![DataType::VOID, DataType::HANDLE, DataType::I32.with_lanes(4)].iter().any(|d| d.is_tensor_element()));
    }

    #[test]
    fn every_type_prints_and_parses_back() {
        for dtype in DataType::TENSOR_ELEMENTS.into_iter().chain(DataType::STORED_ELEMENTS) {
            for lanes in [1, 2, 16, u16::MAX] {
                let dtype = dtype.with_lanes(lanes);
                assert_eq!(dtype.to_string().parse(), Ok(dtype));
            }
        }
        assert_eq!("void".parse(), Ok(DataType::VOID));
    }

    #[test]
    fn nonsense_is_refused_with_the_list_of_types() {
        for text in ["float31", "int32x0", "int32x99999", "xx", "x4", "handlex2", "int2", "float4"] {
            let error = text.parse::<DataType>().unwrap_err();
            assert!(error.to_string().contains("float32"), "{error}");
        }
    }
}
