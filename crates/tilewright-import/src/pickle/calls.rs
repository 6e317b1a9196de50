//! What the functions and classes that a pickle may ask for give.

use std::borrow::Cow;

use super::globals::Global;
use super::nodes::{Budget, Id, Node};
use crate::array::{NumpyType, tensor};

impl Global {
    /// The value of calling it. `args` are numbers of nodes.
    pub(super) fn call<'a>(self, nodes: &[Node<'a>], budget: &mut Budget, args: &[Id]) -> Result<Node<'a>, String> {
        let arg = |i: usize| args.get(i).and_then(|&id| nodes.get(id));
        match self {
            Self::Reconstruct => match arg(0) {
                Some(Node::Global(Self::NdArray)) => Ok(Node::EmptyArray),
                _ => Err("only plain NumPy arrays are rebuilt, none of a class of its own".to_owned()),
            },
            Self::NdArray => Err("arrays are rebuilt with their contents, not made anew".to_owned()),
            Self::DType => match arg(0) {
                Some(Node::Str(code)) => Ok(Node::DType(code.clone(), None)),
                Some(node @ Node::OldStr(_)) => {
                    Ok(Node::DType(Cow::Owned(node.text().unwrap_or_default().into_owned()), None))
                }
                _ => Err("expected the code of a NumPy type".to_owned()),
            },
            Self::Scalar => {
                let (Some(dtype), Some(bytes)) = (arg(0), arg(1).and_then(Node::bytes)) else {
                    return Err("expected type and bytes of a NumPy scalar".to_owned());
                };
                array(budget, dtype.numpy_type()?, &[], false, bytes)
            }
            Self::FromBuffer => {
                let (Some(bytes), Some(dtype), Some(shape)) = (arg(0).and_then(Node::bytes), arg(1), arg(2)) else {
                    return Err("expected bytes, type and shape of an array".to_owned());
                };
                let fortran = arg(3).and_then(Node::text).as_deref() == Some("F");
                array(budget, dtype.numpy_type()?, &dimensions(nodes, shape)?, fortran, bytes)
            }
            Self::Encode => encode(budget, arg(0), arg(1)),
            Self::OrderedDict => match arg(0) {
                None => Ok(Node::Dict(Vec::new())),
                Some(Node::List(pairs)) => {
                    pairs.iter().map(|&id| pair(nodes, id)).collect::<Result<_, _>>().map(Node::Dict)
                }
                Some(other) => Err(format!("expected the pairs of a dictionary, found {}", other.kind())),
            },
            Self::Set | Self::FrozenSet => match arg(0) {
                None => Ok(Node::Set(Vec::new())),
                Some(Node::List(items) | Node::Tuple(items)) => {
                    budget.spend(items.len())?;
                    Ok(Node::Set(items.clone()))
                }
                Some(other) => Err(format!("expected the items of a set, found {}", other.kind())),
            },
            Self::Bytes | Self::ByteArray => match (arg(0), arg(1)) {
                (None, _) => Ok(Node::Bytes(Cow::Borrowed(&[]))),
                (Some(node), None) if node.bytes().is_some() => {
                    let bytes = node.bytes().unwrap_or_default();
                    budget.spend(bytes.len())?;
                    Ok(Node::Bytes(Cow::Owned(bytes.to_vec())))
                }
                (text, encoding) => encode(budget, text, encoding),
            },
            Self::Torch(torch) => torch.call(nodes, budget, args),
        }
    }
}

/// The array that a state describes: version, shape, type, order, bytes.
pub(super) fn array_of_state<'a>(nodes: &[Node<'a>], budget: &mut Budget, state: &[Id]) -> Result<Node<'a>, String> {
    let part = |i: usize| state.get(i).and_then(|&id| nodes.get(id));
    let (Some(shape), Some(dtype), Some(Node::Bool(fortran)), Some(contents)) = (part(1), part(2), part(3), part(4))
    else {
        return Err("the state of an array must be a version, a shape, a type, an order and its contents".to_owned());
    };
    let numpy = dtype.numpy_type()?;
    let bytes = contents.bytes().ok_or_else(|| format!("expected the bytes of an array, found {}", contents.kind()))?;
    array(budget, numpy, &dimensions(nodes, shape)?, *fortran, bytes)
}

/// The byte order of a type's state: version, order, then what only records have.
pub(super) fn order_of_state(nodes: &[Node<'_>], state: &[Id]) -> Result<char, String> {
    let part = |i: usize| state.get(i).and_then(|&id| nodes.get(id));
    if [2, 3, 4].into_iter().any(|i| !matches!(part(i), Some(Node::None))) {
        return Err("arrays of records are not read".to_owned());
    }
    let order = part(1).and_then(Node::text).and_then(|text| text.chars().next());
    order.filter(|c| matches!(c, '<' | '>' | '|' | '=')).ok_or_else(|| "expected a byte order".to_owned())
}

fn array<'a>(
    budget: &mut Budget,
    numpy: NumpyType,
    shape: &[i64],
    fortran: bool,
    bytes: &[u8],
) -> Result<Node<'a>, String> {
    budget.spend(bytes.len())?;
    tensor(numpy, shape, fortran, bytes).map(Node::Array)
}

pub(super) fn dimensions(nodes: &[Node<'_>], shape: &Node<'_>) -> Result<Vec<i64>, String> {
    let wrong = || "the shape of an array must be a tuple of integers".to_owned();
    match shape {
        Node::Tuple(ids) => ids
            .iter()
            .map(|&id| match nodes.get(id) {
                Some(Node::Int(value)) => Ok(*value),
                _ => Err(wrong()),
            })
            .collect(),
        Node::Int(value) => Ok(vec![*value]),
        _ => Err(wrong()),
    }
}

fn pair(nodes: &[Node<'_>], id: Id) -> Result<(Id, Id), String> {
    match nodes.get(id) {
        Some(Node::List(items) | Node::Tuple(items)) if items.len() == 2 => Ok((items[0], items[1])),
        _ => Err("expected a pair of key and value".to_owned()),
    }
}

fn encode<'a>(budget: &mut Budget, text: Option<&Node<'a>>, encoding: Option<&Node<'a>>) -> Result<Node<'a>, String> {
    let text = text.and_then(Node::text).ok_or("expected a text to encode")?;
    match encoding.and_then(Node::text).as_deref() {
        Some("latin1" | "latin-1") => {}
        other => return Err(format!("only latin-1 is encoded, found {}", other.unwrap_or("nothing"))),
    }
    budget.spend(text.len())?;
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).map_err(|_| format!("{c:?} is not in latin-1")));
    Ok(Node::Bytes(Cow::Owned(bytes.collect::<Result<_, _>>()?)))
}
