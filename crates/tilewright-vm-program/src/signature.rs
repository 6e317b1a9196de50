//! What a VM function takes and gives.

use std::fmt;

use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use crate::program::DeviceIndex;
use crate::text::short;

/// Deepest nesting of tuples, in signatures and in values that programs make.
pub const MAX_NESTING: usize = 1000;

/// One dimension of an expected shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DimPattern {
    /// Exactly this size.
    Const(i64),
    /// The value of the function's dimension slot. Where the slot has no value yet, matching gives it this one.
    Slot(u32),
    /// Any size.
    Any,
}

/// What a value has to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Any value at all, `None` included.
    Object,
    /// A contiguous, aligned tensor. `dtype` or `dims` absent: any element type, any rank.
    Tensor { dtype: Option<DataType>, dims: Option<Vec<DimPattern>>, device: DeviceIndex },
    /// A shape value; `dims` absent: any rank.
    Shape { dims: Option<Vec<DimPattern>> },
    /// A scalar of this type: an int, a float or a bool; with a constant or a slot, of this value
    /// (see [`Dim`](crate::Dim)).
    Prim { dtype: DataType, value: DimPattern },
    /// A tuple with exactly these fields. `None` is a tuple without fields.
    Tuple(Vec<Kind>),
    /// Anything that can be called.
    Function,
}

impl Kind {
    /// A tensor of known type and dimensions.
    pub fn tensor(dtype: DataType, dims: &[DimPattern]) -> Self {
        Self::Tensor { dtype: Some(dtype), dims: Some(dims.to_vec()), device: DeviceIndex::FIRST }
    }

    /// A scalar of any value.
    pub fn prim(dtype: DataType) -> Self {
        Self::Prim { dtype, value: DimPattern::Any }
    }

    /// A tensor of known type and constant shape.
    pub fn static_tensor(dtype: DataType, shape: &[i64]) -> Self {
        let dims: Vec<_> = shape.iter().map(|&dim| DimPattern::Const(dim)).collect();
        Self::tensor(dtype, &dims)
    }

    /// Calls `visit` with each slot that the pattern names, in the order in which matching looks at them.
    pub fn for_each_slot(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Tensor { dims: Some(dims), .. } | Self::Shape { dims: Some(dims) } => {
                for dim in dims {
                    if let DimPattern::Slot(slot) = dim {
                        visit(*slot);
                    }
                }
            }
            Self::Prim { value: DimPattern::Slot(slot), .. } => visit(*slot),
            Self::Tuple(fields) => with_stack(|| fields.iter().for_each(|field| field.for_each_slot(visit))),
            Self::Object
            | Self::Function
            | Self::Tensor { dims: None, .. }
            | Self::Shape { dims: None }
            | Self::Prim { .. } => {}
        }
    }

    /// The pattern as text, with slots by their names in `names`, else as `s0`, `s1`, ….
    pub fn display<'a>(&'a self, names: &'a [String]) -> impl fmt::Display + 'a {
        KindDisplay { kind: self, names }
    }
}

/// A parameter: its name, for messages, and what it has to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    pub name: String,
    pub kind: Kind,
}

struct KindDisplay<'a> {
    kind: &'a Kind,
    names: &'a [String],
}

impl fmt::Display for KindDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Object => f.write_str("Object"),
            Kind::Function => f.write_str("Function"),
            Kind::Prim { dtype, value: DimPattern::Any } => write!(f, "{dtype}"),
            Kind::Prim { dtype, value } => {
                write!(f, "{dtype}(")?;
                write_dim(f, value, *dtype, self.names)?;
                f.write_str(")")
            }
            Kind::Tensor { dtype, dims, device } => {
                f.write_str("Tensor(")?;
                write_dims(f, dims.as_deref(), self.names)?;
                match dtype {
                    Some(dtype) => write!(f, ", {dtype}")?,
                    None => f.write_str(", any type")?,
                }
                match *device {
                    DeviceIndex::FIRST => f.write_str(")"),
                    DeviceIndex(device) => write!(f, ", device {device})"),
                }
            }
            Kind::Shape { dims } => {
                f.write_str("Shape(")?;
                write_dims(f, dims.as_deref(), self.names)?;
                f.write_str(")")
            }
            Kind::Tuple(fields) => {
                f.write_str("Tuple(")?;
                for (index, field) in fields.iter().enumerate() {
                    let separator = if index > 0 { ", " } else { "" };
                    f.write_str(separator)?;
                    with_stack(|| fmt::Display::fmt(&KindDisplay { kind: field, names: self.names }, f))?;
                }
                f.write_str(")")
            }
        }
    }
}

fn write_dims(f: &mut fmt::Formatter<'_>, dims: Option<&[DimPattern]>, names: &[String]) -> fmt::Result {
    let Some(dims) = dims else { return f.write_str("any rank") };
    f.write_str("(")?;
    for (index, dim) in dims.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write_dim(f, dim, DataType::I64, names)?;
    }
    f.write_str(if dims.len() == 1 { ",)" } else { ")" })
}

fn write_dim(f: &mut fmt::Formatter<'_>, dim: &DimPattern, dtype: DataType, names: &[String]) -> fmt::Result {
    match dim {
        DimPattern::Const(bits) if dtype.is_float() => write!(f, "{:?}", f64::from_bits(*bits as u64)),
        DimPattern::Const(size) => write!(f, "{size}"),
        DimPattern::Slot(slot) => match names.get(*slot as usize) {
            Some(name) => f.write_str(&short(name)),
            None => write!(f, "s{slot}"),
        },
        DimPattern::Any => f.write_str("_"),
    }
}
