//! What the pickles of PyTorch's files ask for: storages by their keys, and tensors over parts of them.
//!
//! A tensor is a storage, an offset, sizes and strides, all in elements; several tensors may share a storage. The
//! elements are outside of the pickle: whoever reads it says where the storage of a key is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tilewright_tensor::{DataType, Layout, SharedBytes, Tensor};

use super::calls::dimensions;
use super::globals::Global;
use super::nodes::{Budget, Id, Node};

/// Where the elements of a storage are.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) bytes: SharedBytes,
    pub(crate) range: Range<usize>,
}

/// Gives the place of the storage of a key, which has so many bytes; none where the tensors are not wanted.
pub(crate) type FindStorage<'s> = dyn FnMut(&str, u64) -> Result<Option<Place>, String> + 's;

/// The storages of the file that a pickle is a part of.
pub(super) struct Storages<'s, 'f>(pub(super) &'s mut FindStorage<'f>);

impl fmt::Debug for Storages<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("storages")
    }
}

/// The functions and classes of PyTorch that a pickle may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Torch {
    /// A tensor over a storage that knows its type.
    Tensor,
    /// A tensor over a storage of bytes, with its type.
    TypedTensor,
    Parameter,
    /// The class of a storage; one of bytes has no type.
    Storage(Option<DataType>),
    DType(DataType),
    Size,
    Device,
}

impl Torch {
    pub(super) fn find(module: &str, name: &str) -> Option<Self> {
        Some(match (module, name) {
            ("torch._utils", "_rebuild_tensor_v2") => Self::Tensor,
            ("torch._utils", "_rebuild_tensor_v3") => Self::TypedTensor,
            ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => Self::Parameter,
            ("torch", "Size") => Self::Size,
            ("torch", "device") => Self::Device,
            ("torch" | "torch.storage", "UntypedStorage") => Self::Storage(None),
            ("torch" | "torch.cuda", _) if name.ends_with("Storage") => Self::Storage(Some(match name {
                "DoubleStorage" => DataType::F64,
                "FloatStorage" => DataType::F32,
                "HalfStorage" => DataType::F16,
                "BFloat16Storage" => DataType::BF16,
                "LongStorage" => DataType::I64,
                "IntStorage" => DataType::I32,
                "ShortStorage" => DataType::I16,
                "CharStorage" => DataType::I8,
                "ByteStorage" => DataType::U8,
                "BoolStorage" => DataType::BOOL,
                _ => return None,
            })),
            ("torch", _) => Self::DType(name.parse().ok().filter(|dtype: &DataType| {
                dtype.is_tensor_element() && !dtype.is_packed() && dtype.to_string() == name
            })?),
            _ => return None,
        })
    }

    /// The value of calling it.
    pub(super) fn call<'a>(self, nodes: &[Node<'a>], budget: &mut Budget, args: &[Id]) -> Result<Node<'a>, String> {
        let arg = |i: usize| args.get(i).and_then(|&id| nodes.get(id));
        match self {
            Self::Tensor => tensor(nodes, budget, args, None),
            Self::TypedTensor => match arg(6) {
                Some(Node::Global(Global::Torch(Self::DType(dtype)))) => tensor(nodes, budget, args, Some(*dtype)),
                _ => Err("expected the data type of a tensor".to_owned()),
            },
            Self::Parameter => match arg(0) {
                Some(node @ (Node::Array(_) | Node::None)) => Ok(node.clone()),
                _ => Err("expected the tensor of a parameter".to_owned()),
            },
            Self::Size => match arg(0) {
                Some(Node::Tuple(items) | Node::List(items)) => {
                    budget.spend(items.len())?;
                    Ok(Node::Tuple(items.clone()))
                }
                _ => Err("expected the sizes of a tensor".to_owned()),
            },
            Self::Device => match arg(0).and_then(Node::text) {
                Some(text) => {
                    budget.spend(text.len())?;
                    Ok(Node::Str(Cow::Owned(text.into_owned())))
                }
                None => Err("expected the name of a device".to_owned()),
            },
            Self::Storage(_) | Self::DType(_) => Err("storages and data types are not made by a call".to_owned()),
        }
    }
}

/// The storage of a persistent reference: `("storage", class, key, location, number of elements, view)`.
pub(super) fn storage<'a>(nodes: &[Node<'a>], find: &mut Storages<'_, '_>, id: Id) -> Result<Node<'a>, String> {
    let wrong = || "a persistent reference is none to a storage of PyTorch".to_owned();
    let Some(Node::Tuple(parts)) = nodes.get(id) else { return Err(wrong()) };
    let part = |i: usize| parts.get(i).and_then(|&id| nodes.get(id));
    let (Some(kind), Some(Node::Global(Global::Torch(Torch::Storage(dtype)))), Some(key), Some(Node::Int(count))) =
        (part(0).and_then(Node::text), part(1), part(2).and_then(Node::text), part(4))
    else {
        return Err(wrong());
    };
    if kind != "storage" {
        return Err(wrong());
    }
    if part(5).is_some_and(|view| !matches!(view, Node::None)) {
        return Err("views of storages, as PyTorch wrote them before 0.4, are not read".to_owned());
    }
    let size = dtype.map_or(1, DataType::bytes) as u64;
    let bytes = u64::try_from(*count).ok().and_then(|count| count.checked_mul(size));
    let bytes = bytes.ok_or_else(|| format!("a storage of {count} elements"))?;
    let place = (find.0)(&key, bytes)?;
    if let Some(place) = place.as_ref().filter(|place| place.range.len() as u64 != bytes) {
        return Err(format!("the storage {key:?} should have {bytes} bytes, found {}", place.range.len()));
    }
    Ok(Node::Storage(*dtype, place))
}

/// The tensor of storage, offset, sizes and strides; None where the storage is not wanted.
fn tensor<'a>(
    nodes: &[Node<'a>],
    budget: &mut Budget,
    args: &[Id],
    typed: Option<DataType>,
) -> Result<Node<'a>, String> {
    let arg = |i: usize| args.get(i).and_then(|&id| nodes.get(id));
    let (Some(Node::Storage(known, place)), Some(Node::Int(offset)), Some(shape), Some(strides)) =
        (arg(0), arg(1), arg(2), arg(3))
    else {
        return Err("expected the storage, offset, sizes and strides of a tensor".to_owned());
    };
    let dtype = typed.or(*known).ok_or("a tensor over a storage of bytes has no data type")?;
    let (shape, strides) = (dimensions(nodes, shape)?, dimensions(nodes, strides)?);
    budget.spend(2 * shape.len())?;
    let layout = Layout::strided(dtype, &shape, &strides).map_err(|error| error.to_string())?;
    let Some(Place { bytes, range }) = place else { return Ok(Node::None) };
    // Elements that several positions share cost memory when they are copied.
    budget.spend(layout.num_bytes().saturating_sub(range.len()))?;
    let (low, high) = layout.extent();
    let start = offset.checked_mul(dtype.bytes() as i64).filter(|start| *start >= 0);
    let reach = |end: i64| start.and_then(|start| start.checked_add(end));
    let inside = reach(low).is_some_and(|low| low >= 0) && reach(high).is_some_and(|high| high <= range.len() as i64);
    let (true, Some(start)) = (inside, start) else {
        return Err(format!(
            "a tensor of shape {shape:?}, strides {strides:?} and offset {offset} reaches outside of its storage of {} \
             bytes",
            range.len()
        ));
    };
    let made = Tensor::from_shared(bytes, Arc::new(layout), range.start + start as usize);
    made.map(Node::Array).map_err(|error| error.to_string())
}
