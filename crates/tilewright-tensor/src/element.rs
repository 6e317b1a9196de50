//! The Rust types that can stand for elements.

use half::{bf16, f16};

use crate::DataType;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type whose values lie in memory exactly like elements of [`Element::DTYPE`].
///
/// Sealed: the conversions between bytes and elements rely on every implementation being plain data.
pub trait Element: sealed::Sealed + Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    const DTYPE: DataType;

    /// Whether these bytes are values of the type; only bool has bytes that are none. Gives the first bad byte.
    fn invalid_byte(_bytes: &[u8]) -> Option<u8> {
        None
    }
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),* $(,)?) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: DataType = DataType::$dtype;
        }
    )*};
}

elements! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    f16 => F16, bf16 => BF16, f32 => F32, f64 => F64,
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const DTYPE: DataType = DataType::BOOL;

    fn invalid_byte(bytes: &[u8]) -> Option<u8> {
        bytes.iter().copied().find(|&byte| byte > 1)
    }
}
