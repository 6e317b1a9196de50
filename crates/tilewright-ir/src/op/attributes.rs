//! The attributes of operators: their kinds, their defaults, and the conversion of a value that a caller wrote to the
//! one that the call holds.
//!
//! A call has every attribute of its operator, each in the normal form of its kind: one integer for several dimensions
//! is spread over all of them.

use tilewright_expr::node::FloatBits;
use tilewright_tensor::DataType;

use super::{InferError, OpRef};
use crate::relax::VDevice;
use crate::{Attr, Attrs};

/// The kinds of attributes of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrKind {
    Bool,
    Int,
    /// An integer or `None`.
    OptionalInt,
    Float,
    /// A number or `None`.
    OptionalFloat,
    Str,
    /// A text or `None`.
    OptionalStr,
    DType,
    /// Integers; a single one need not be in a list.
    Ints,
    /// Integers or `None`.
    OptionalInts,
    /// An integer or several, which mean different things.
    IntOrInts,
    /// Integers for a number of dimensions; a single one is for all.
    Each(usize),
    /// As [`AttrKind::Each`], or `None`.
    OptionalEach(usize),
    /// Integers for both sides of a number of dimensions: those before, then those after. A single one is for all, and
    /// one of each dimension for both of its sides.
    Sides(usize),
    /// Numbers; a single one need not be in a list.
    Floats,
    /// A map of indices.
    IndexMap,
    /// A device, see [`VDevice::to_attr`].
    VDevice,
}

impl AttrKind {
    /// The description in messages.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Bool => "True or False",
            Self::Int => "an integer",
            Self::OptionalInt => "an integer or None",
            Self::Float => "a number",
            Self::OptionalFloat => "a number or None",
            Self::Str => "a text",
            Self::OptionalStr => "a text or None",
            Self::DType => "a data type",
            Self::Ints => "integers",
            Self::OptionalInts => "integers or None",
            Self::IntOrInts => "an integer or integers",
            Self::Each(_) => "an integer, or one for each spatial dimension",
            Self::OptionalEach(_) => "an integer, one for each spatial dimension, or None",
            Self::Sides(_) => "an integer, or one for each spatial dimension or for each of their sides",
            Self::Floats => "numbers",
            Self::IndexMap => "a map of indices",
            Self::VDevice => "a device",
        }
    }
}

/// The value of an attribute that the caller leaves out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AttrDefault {
    Required,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
    DType(DataType),
    /// The value of the attribute of this name, which comes earlier; `None` means the same.
    Of(&'static str),
}

impl AttrDefault {
    /// The value itself, or the value of another attribute that defaults it; `None` if one must be given.
    pub fn value(self) -> Option<Attr> {
        Some(match self {
            Self::Required => return None,
            Self::None | Self::Of(_) => Attr::None,
            Self::Bool(value) => Attr::Bool(value),
            Self::Int(value) => Attr::Int(value),
            Self::Float(value) => Attr::Float(FloatBits(value)),
            Self::Str(value) => Attr::str(value),
            Self::DType(value) => Attr::DType(value),
        })
    }
}

/// An attribute of an operator.
#[derive(Clone, Copy, Debug)]
pub struct AttrDef {
    pub name: &'static str,
    pub kind: AttrKind,
    pub default: AttrDefault,
    pub doc: &'static str,
}

/// The attributes with defaults filled in; unknown names and wrong kinds are errors.
pub(crate) fn complete_attrs(op: OpRef, mut given: Attrs) -> Result<Attrs, InferError> {
    let mut attrs = Attrs::new();
    for def in op.attrs {
        let value = match (given.remove(def.name), def.default) {
            (None | Some(Attr::None), AttrDefault::Of(other)) => attrs.get(other).cloned(),
            (given, default) => given.or_else(|| default.value()),
        };
        let value =
            value.ok_or_else(|| InferError::new(format!("`{}` needs the attribute `{}`", op.name, def.name)))?;
        attrs.insert(def.name.into(), fit_attr(op, def, value)?);
    }
    match given.keys().next() {
        None => Ok(attrs),
        Some(unknown) => Err(InferError::new(format!("`{}` has no attribute `{unknown}`", op.name))),
    }
}

/// The value in the attribute's own kind.
fn fit_attr(op: OpRef, def: &AttrDef, value: Attr) -> Result<Attr, InferError> {
    let fitted = match (def.kind, &value) {
        (AttrKind::Bool, Attr::Bool(_))
        | (AttrKind::Int | AttrKind::OptionalInt | AttrKind::IntOrInts, Attr::Int(_))
        | (AttrKind::Float | AttrKind::OptionalFloat, Attr::Float(_))
        | (AttrKind::Str | AttrKind::OptionalStr, Attr::Str(_))
        | (AttrKind::DType, Attr::DType(_))
        | (AttrKind::IndexMap, Attr::IndexMap(_))
        | (
            AttrKind::OptionalInt | AttrKind::OptionalFloat | AttrKind::OptionalStr | AttrKind::OptionalInts,
            Attr::None,
        ) => Some(value.clone()),
        (AttrKind::Bool, Attr::Int(value @ (0 | 1))) => Some(Attr::Bool(*value == 1)),
        (AttrKind::VDevice, Attr::Map(_)) => VDevice::of_attr(&value).map(|device| device.to_attr()),
        (AttrKind::Float | AttrKind::OptionalFloat, Attr::Int(v)) => Some(Attr::Float(FloatBits(*v as f64))),
        (AttrKind::DType, Attr::Str(text)) => text.parse().ok().map(Attr::DType),
        (AttrKind::DType, Attr::None) => Some(Attr::DType(DataType::VOID)),
        (AttrKind::Ints | AttrKind::OptionalInts, Attr::Int(_)) => Some(Attr::Array(vec![value.clone()])),
        (AttrKind::Ints | AttrKind::OptionalInts | AttrKind::IntOrInts, _) => {
            value.as_ints().map(|ints| Attr::Array(ints.into_iter().map(Attr::Int).collect()))
        }
        (AttrKind::OptionalEach(_), Attr::None) => Some(Attr::None),
        (AttrKind::Each(count) | AttrKind::OptionalEach(count), _) => spread(&value, count, &[1]),
        (AttrKind::Sides(count), _) => spread(&value, 2 * count, &[1, count]),
        (AttrKind::Floats, _) => floats(&value),
        _ => None,
    };
    if let Some(Attr::DType(dtype)) = &fitted
        && dtype.lanes > 1
    {
        let message =
            format!("attribute `{}` of `{}`: a tensor cannot hold elements of type {dtype}", def.name, op.name);
        return Err(InferError::new(message));
    }
    fitted.ok_or_else(|| {
        let (expected, found) = (def.kind.in_words(), value.in_words());
        InferError::new(format!("attribute `{}` of `{}` must be {expected}, found {found}", def.name, op.name))
    })
}

/// A list of `count` integers; if it has as many as `fewer` says, each is repeated.
fn spread(value: &Attr, count: usize, fewer: &[usize]) -> Option<Attr> {
    let given = value.as_ints().or_else(|| value.as_int().map(|one| vec![one]))?;
    let fits = given.len() == count || fewer.contains(&given.len());
    fits.then(|| Attr::Array(given.into_iter().map(Attr::Int).cycle().take(count).collect()))
}

/// The numbers as floats.
fn floats(value: &Attr) -> Option<Attr> {
    let float = |value: &Attr| match value {
        Attr::Int(value) => Some(Attr::Float(FloatBits(*value as f64))),
        Attr::Float(_) => Some(value.clone()),
        _ => None,
    };
    match value {
        Attr::Array(items) => items.iter().map(float).collect::<Option<_>>().map(Attr::Array),
        one => float(one).map(|one| Attr::Array(vec![one])),
    }
}
