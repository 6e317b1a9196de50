//! What a VM function takes and gives.

use std::fmt;

use tilewright_tensor::DataType;

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
    Tensor { dtype: Option<DataType>, dims: Option<Vec<DimPattern>> },
    /// A shape value; `dims` absent: any rank.
    Shape { dims: Option<Vec<DimPattern>> },
    /// A scalar of this type: an int, a float or a bool.
    Prim(DataType),
    /// A tuple with exactly these fields.
    Tuple(Vec<Kind>),
}

impl Kind {
    /// A tensor of known type and dimensions.
    pub fn tensor(dtype: DataType, dims: &[DimPattern]) -> Self {
        Self::Tensor { dtype: Some(dtype), dims: Some(dims.to_vec()) }
    }

    /// A tensor of known type and constant shape.
    pub fn static_tensor(dtype: DataType, shape: &[i64]) -> Self {
        Self::Tensor { dtype: Some(dtype), dims: Some(shape.iter().map(|&dim| DimPattern::Const(dim)).collect()) }
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
            Self::Tuple(fields) => fields.iter().for_each(|field| field.for_each_slot(visit)),
            Self::Object | Self::Tensor { dims: None, .. } | Self::Shape { dims: None } | Self::Prim(_) => {}
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
            Kind::Prim(dtype) => write!(f, "{dtype}"),
            Kind::Tensor { dtype, dims } => {
                f.write_str("Tensor(")?;
                write_dims(f, dims.as_deref(), self.names)?;
                match dtype {
                    Some(dtype) => write!(f, ", {dtype})"),
                    None => f.write_str(", any type)"),
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
                    write!(f, "{separator}{}", field.display(self.names))?;
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
        match dim {
            DimPattern::Const(size) => write!(f, "{size}")?,
            DimPattern::Slot(slot) => match names.get(*slot as usize) {
                Some(name) => f.write_str(name)?,
                None => write!(f, "s{slot}")?,
            },
            DimPattern::Any => f.write_str("_")?,
        }
    }
    f.write_str(if dims.len() == 1 { ",)" } else { ")" })
}
