//! The functions and classes that a pickle may ask for: this list, and no other.

use super::torch::Torch;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Global {
    /// An array without contents; its state follows.
    Reconstruct,
    NdArray,
    DType,
    /// A scalar from its type and bytes.
    Scalar,
    /// An array from bytes, type, shape and order.
    FromBuffer,
    /// A text as Latin-1, by which old protocols carry bytes.
    Encode,
    OrderedDict,
    Set,
    FrozenSet,
    Bytes,
    ByteArray,
    Torch(Torch),
}

impl Global {
    /// `with_torch`: in a file of PyTorch, whose own functions and classes are known as well.
    pub(super) fn find(module: &str, name: &str, with_torch: bool) -> Result<Self, String> {
        if let Some(torch) = Torch::find(module, name).filter(|_| with_torch) {
            return Ok(Self::Torch(torch));
        }
        Ok(match (module, name) {
            ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => Self::Reconstruct,
            ("numpy.core.multiarray" | "numpy._core.multiarray", "scalar") => Self::Scalar,
            ("numpy.core.numeric" | "numpy._core.numeric", "_frombuffer") => Self::FromBuffer,
            ("numpy", "ndarray") => Self::NdArray,
            ("numpy", "dtype") => Self::DType,
            ("_codecs", "encode") => Self::Encode,
            ("collections", "OrderedDict") => Self::OrderedDict,
            ("builtins" | "__builtin__", "set") => Self::Set,
            ("builtins" | "__builtin__", "frozenset") => Self::FrozenSet,
            ("builtins" | "__builtin__", "bytes") => Self::Bytes,
            ("builtins" | "__builtin__", "bytearray") => Self::ByteArray,
            _ => {
                let (read, hint) = match with_torch {
                    true => ("tensors, NumPy arrays", "; save the `state_dict()` of a module, which needs none"),
                    false => ("NumPy arrays", ""),
                };
                return Err(format!(
                    "the pickle asks for `{module}.{name}`, which is refused: only {read} and plain containers are \
                     read, and no code is run{hint}"
                ));
            }
        })
    }
}
