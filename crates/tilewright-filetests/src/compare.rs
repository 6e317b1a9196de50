//! Results of the interpreter and of compiled code, compared.

use tilewright::expr::semantics::Scalar;
use tilewright::{DataType, Tensor, Value as Compiled};
use tilewright_interp::Value as Interpreted;

/// A result, whoever computed it.
#[derive(Clone, Debug)]
pub(crate) enum Plain {
    Tensor(Tensor),
    Tuple(Vec<Plain>),
    Shape(Vec<i64>),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Plain {
    pub(crate) fn of_interpreted(value: &Interpreted) -> Result<Self, String> {
        Ok(match value {
            Interpreted::Tensor(tensor) => Self::Tensor(tensor.clone()),
            Interpreted::Tuple(fields) => {
                Self::Tuple(fields.iter().map(Self::of_interpreted).collect::<Result<_, _>>()?)
            }
            Interpreted::Shape(dims) => Self::Shape(dims.clone()),
            Interpreted::Scalar(scalar) if scalar.dtype().is_float() => Self::Float(scalar.as_float()),
            Interpreted::Scalar(scalar) => Self::Int(scalar.as_int()),
            Interpreted::Str(text) => Self::Text(text.to_string()),
            other => return Err(format!("{} cannot be compared", other.describe())),
        })
    }

    pub(crate) fn of_compiled(value: &Compiled) -> Result<Self, String> {
        Ok(match value {
            Compiled::None => Self::Tuple(Vec::new()),
            Compiled::Tensor(tensor) => Self::Tensor(tensor.clone()),
            Compiled::Tuple(fields) => Self::Tuple(fields.iter().map(Self::of_compiled).collect::<Result<_, _>>()?),
            Compiled::Shape(dims) => Self::Shape(dims.to_vec()),
            Compiled::Bool(value) => Self::Int(i64::from(*value)),
            Compiled::Int(value) => Self::Int(*value),
            Compiled::Float(value) => Self::Float(*value),
            Compiled::Str(text) => Self::Text(text.to_string()),
            other => return Err(format!("{} cannot be compared", other.kind_name())),
        })
    }

    /// Whether both are the same, floats within the tolerance relative to the largest finite value of their tensor.
    pub(crate) fn agree(&self, other: &Self, tolerance: f64) -> Result<(), String> {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => tensors_agree(a, b, tolerance),
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => a
                .iter()
                .zip(b)
                .enumerate()
                .try_for_each(|(i, (a, b))| a.agree(b, tolerance).map_err(|error| format!("field {i}: {error}"))),
            (Self::Shape(a), Self::Shape(b)) if a == b => Ok(()),
            (Self::Int(a), Self::Int(b)) if a == b => Ok(()),
            (Self::Float(a), Self::Float(b)) if close(*a, *b, tolerance * a.abs()) => Ok(()),
            (Self::Text(a), Self::Text(b)) if a == b => Ok(()),
            _ => Err(format!("expected {self:?}, found {other:?}")),
        }
    }

    /// Whether both are the same, floats within so much: to the bit but for NaNs where that is nothing.
    pub(crate) fn agree_within(&self, other: &Self, allowed: f64) -> Result<(), String> {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => tensors_within(a, b, allowed),
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).enumerate().try_for_each(|(i, (a, b))| {
                    a.agree_within(b, allowed).map_err(|error| format!("field {i}: {error}"))
                })
            }
            _ => self.agree(other, 0.0),
        }
    }

    /// Whether both have the same bits, NaNs too.
    pub(crate) fn same_bits(&self, other: &Self) -> Result<(), String> {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => {
                let (x, y) = (elements(a)?, elements(b)?);
                match (0..x.len().max(y.len())).find(|&at| x.get(at) != y.get(at)) {
                    Some(at) => {
                        Err(format!("element {at} of shape {:?}: {:?} and {:?}", a.shape(), x.get(at), y.get(at)))
                    }
                    None => Ok(()),
                }
            }
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).try_for_each(|(a, b)| a.same_bits(b))
            }
            _ => self.agree(other, 0.0),
        }
    }

    /// The largest finite float.
    pub(crate) fn magnitude(&self) -> f64 {
        match self {
            Self::Tensor(tensor) if tensor.dtype().is_float() => {
                elements(tensor).map_or(0.0, |elements| largest(&elements))
            }
            Self::Tuple(fields) => fields.iter().map(Self::magnitude).fold(0.0, f64::max),
            _ => 0.0,
        }
    }

    /// The largest difference of floats, relative to the largest finite value of their tensor: the tolerance with which
    /// both agree, as far as floats are concerned.
    pub(crate) fn difference(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) if a.dtype().is_float() => {
                tensors_difference(a, b).unwrap_or(f64::INFINITY)
            }
            (Self::Tuple(a), Self::Tuple(b)) => a.iter().zip(b).map(|(a, b)| a.difference(b)).fold(0.0, f64::max),
            (Self::Float(a), Self::Float(b)) if !close(*a, *b, 0.0) => (a - b).abs() / a.abs(),
            _ => 0.0,
        }
    }
}

fn tensors_difference(a: &Tensor, b: &Tensor) -> Result<f64, String> {
    let (x, y) = (elements(a)?, elements(b)?);
    let pairs = || x.iter().zip(&y).map(|(x, y)| (x.as_float(), y.as_float()));
    let largest = pairs().map(|(x, _)| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let distances = pairs().filter(|(x, y)| !close(*x, *y, 0.0)).map(|(x, y)| (x - y).abs() / largest);
    Ok(distances.fold(0.0, |max, next| if next.is_nan() { f64::INFINITY } else { max.max(next) }))
}

fn tensors_agree(a: &Tensor, b: &Tensor, tolerance: f64) -> Result<(), String> {
    if (a.dtype(), a.shape()) != (b.dtype(), b.shape()) {
        return Err(format!("expected {a:?}, found {b:?}"));
    }
    let largest = if a.dtype().is_float() { largest(&elements(a)?) } else { 0.0 };
    // Where all is zero, zeros of either sign are.
    tensors_within(a, b, if tolerance > 0.0 { (tolerance * largest).max(f64::MIN_POSITIVE) } else { 0.0 })
}

fn largest(elements: &[Scalar]) -> f64 {
    elements.iter().map(|v| v.as_float().abs()).filter(|v| v.is_finite()).fold(0.0, f64::max)
}

fn tensors_within(a: &Tensor, b: &Tensor, allowed: f64) -> Result<(), String> {
    if (a.dtype(), a.shape()) != (b.dtype(), b.shape()) {
        return Err(format!("expected {a:?}, found {b:?}"));
    }
    let (x, y) = (elements(a)?, elements(b)?);
    for (i, (x, y)) in x.iter().zip(&y).enumerate() {
        let same = if a.dtype().is_float() && allowed > 0.0 {
            close(x.as_float(), y.as_float(), allowed)
        } else {
            x == y || (a.dtype().is_float() && x.as_float().is_nan() && y.as_float().is_nan())
        };
        if !same {
            return Err(format!("element {i} of shape {:?}: expected {x:?}, found {y:?}", a.shape()));
        }
    }
    Ok(())
}

fn close(a: f64, b: f64, allowed: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= allowed
}

fn elements(tensor: &Tensor) -> Result<Vec<Scalar>, String> {
    let compact = tensor.to_contiguous().map_err(|error| error.to_string())?;
    let bytes = compact.as_bytes().map_err(|error| error.to_string())?;
    let size = tensor.dtype().element_bytes().max(1);
    // Bytes that several elements share are compared as bytes.
    let dtype = if tensor.dtype().is_packed() { DataType::U8 } else { tensor.dtype() };
    let scalar = |chunk: &[u8]| {
        let mut wide = [0; 8];
        wide[..chunk.len().min(8)].copy_from_slice(&chunk[..chunk.len().min(8)]);
        Scalar::from_bits(dtype, u64::from_le_bytes(wide))
    };
    Ok(bytes.chunks_exact(size).map(scalar).collect())
}
