//! Tensors of a model: ONNX's element types, and the bytes of raw, typed and external data.

use std::ops::Range;

use tilewright_tensor::{DataType, Layout, SharedBytes, Tensor};

use super::model::{AttributeValue, TensorProto};
use crate::common::{Refused, Res};
use crate::folder::is_inside;

/// Reads a part of a file in the folder of the model: `(location, offset, length)`, the rest of the file where no
/// length is given. The location is relative to the folder and does not leave it by its text; whoever opens the file
/// sees to links. The tensor is a view of the part, where that is aligned.
pub type External<'a> = dyn Fn(&str, u64, Option<u64>) -> Result<Part, String> + 'a;

/// A part of a file, which may be mapped.
#[derive(Clone, Debug)]
pub struct Part {
    pub bytes: SharedBytes,
    pub range: Range<usize>,
}

impl From<Vec<u8>> for Part {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), bytes: bytes.into() }
    }
}

/// ONNX's element types by their numbers, with the data type where there is one.
const ELEMENTS: [(&str, Option<DataType>); 27] = [
    ("undefined", None),
    ("float", Some(DataType::F32)),
    ("uint8", Some(DataType::U8)),
    ("int8", Some(DataType::I8)),
    ("uint16", Some(DataType::U16)),
    ("int16", Some(DataType::I16)),
    ("int32", Some(DataType::I32)),
    ("int64", Some(DataType::I64)),
    ("string", None),
    ("bool", Some(DataType::BOOL)),
    ("float16", Some(DataType::F16)),
    ("double", Some(DataType::F64)),
    ("uint32", Some(DataType::U32)),
    ("uint64", Some(DataType::U64)),
    ("complex64", None),
    ("complex128", None),
    ("bfloat16", Some(DataType::BF16)),
    ("float8e4m3fn", None),
    ("float8e4m3fnuz", None),
    ("float8e5m2", None),
    ("float8e5m2fnuz", None),
    ("uint4", None),
    ("int4", None),
    ("float4e2m1", None),
    ("float8e8m0", None),
    ("uint2", None),
    ("int2", None),
];

/// The data type of ONNX's number of an element type.
pub fn dtype_of(number: i64) -> Res<DataType> {
    let known = usize::try_from(number).ok().and_then(|at| ELEMENTS.get(at));
    match known {
        Some((_, Some(dtype))) => Ok(*dtype),
        Some((name, None)) => Err(Refused(format!("elements of type {name} have no rule"))),
        None => Err(Refused(format!("{number} is no element type of ONNX"))),
    }
}

/// ONNX's number of the element type of a data type.
pub fn element_number(dtype: DataType) -> Res<i64> {
    let found = ELEMENTS.iter().position(|(_, known)| *known == Some(dtype));
    found.map(|at| at as i64).ok_or_else(|| Refused(format!("ONNX has no elements of type {dtype}")))
}

/// The name of ONNX's number of an element type.
pub fn element_name(number: i64) -> &'static str {
    usize::try_from(number).ok().and_then(|at| ELEMENTS.get(at)).map_or("unknown", |(name, _)| name)
}

/// The tensor that a message holds. `name` is what messages call it.
pub fn tensor_of(proto: &TensorProto<'_>, external: Option<&External<'_>>) -> Res<Tensor> {
    let named = |reason: String| Refused(format!("the tensor `{}`: {reason}", proto.name));
    let dtype = dtype_of(proto.data_type).map_err(|reason| named(reason.0))?;
    let layout = Layout::compact(dtype, &proto.dims).map_err(|error| named(error.to_string()))?;
    let expected = layout.num_bytes();
    let check = |found: usize| match found == expected {
        true => Ok(()),
        false => {
            Err(named(format!("shape {:?} of {dtype} has {expected} bytes, found {found}: it is cut off", proto.dims)))
        }
    };
    let built = |bytes: &[u8]| {
        check(bytes.len())?;
        if dtype.is_bool()
            && let Some(byte) = bytes.iter().find(|byte| **byte > 1)
        {
            return Err(named(format!("{byte} is no bool")));
        }
        Tensor::from_bytes(dtype, &proto.dims, bytes).map_err(|error| named(error.to_string()))
    };
    if proto.is_external {
        let part = outside(proto, expected, external).map_err(named)?;
        check(part.range.len())?;
        let made = Tensor::from_shared_compact(&part.bytes, dtype, &proto.dims, part.range.start);
        return made.map_err(|error| named(error.to_string()));
    }
    match proto.raw {
        Some(raw) => built(raw),
        None if !proto.floats.is_empty() && matches!(dtype, DataType::F32 | DataType::F64) => built(&proto.floats),
        None => {
            // The claimed size is compared before memory is taken for it.
            let width = dtype.element_bytes();
            check(proto.ints.len().saturating_mul(width))?;
            let bytes: Vec<u8> =
                proto.ints.iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)).collect();
            built(&bytes)
        }
    }
}

/// The bytes of a tensor whose elements are in another file.
fn outside(proto: &TensorProto<'_>, expected: usize, external: Option<&External<'_>>) -> Result<Part, String> {
    let entry = |key: &str| proto.external.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let number = |key: &str| match entry(key) {
        None => Ok(None),
        Some(text) => text.parse::<u64>().map(Some).map_err(|_| format!("its `{key}` \"{text}\" is no size")),
    };
    let location = entry("location").ok_or("it has external data without a `location`")?;
    if !is_inside(location) {
        return Err(format!("its data is in \"{location}\", outside of the model's folder, which is not read"));
    }
    let length = number("length")?.unwrap_or(expected as u64);
    if length != expected as u64 {
        return Err(format!("it has {expected} bytes, and its external data {length}"));
    }
    let read = external.ok_or("its data is in another file, and none is read here: import the model by its path")?;
    read(location, number("offset")?.unwrap_or(0), Some(length)).map_err(|reason| format!("\"{location}\": {reason}"))
}

impl AttributeValue<'_> {
    /// What it is, for messages.
    pub fn in_words(&self) -> String {
        match self {
            Self::Float(value) => format!("the number {value}"),
            Self::Int(value) => format!("the integer {value}"),
            Self::Str(text) => format!("the text {:?}", String::from_utf8_lossy(text)),
            Self::Tensor(_) => "a tensor".to_owned(),
            Self::Graph(_) => "a graph".to_owned(),
            Self::Floats(items) => format!("{} numbers", items.len()),
            Self::Ints(items) => format!("{} integers", items.len()),
            Self::Strs(items) => format!("{} texts", items.len()),
            Self::Type(_) => "a type".to_owned(),
            Self::Reference(name) => format!("the attribute `{name}` of a function"),
            Self::Other(what) => (*what).to_owned(),
        }
    }
}
