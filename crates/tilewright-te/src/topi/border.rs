//! Borders round tensors.
//!
//! A border has a constant value, or elements of the tensor itself: each border element is then that of another index
//! of the tensor. Widths may be symbolic; a constant one may not be negative, nor one of mirrored elements wider
//! than there are elements to mirror.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};

use super::all_of;
use crate::{TeError, Tensor, Value, compute};

/// The contents of a border.
#[derive(Clone, Debug)]
pub enum Border {
    /// A value of the tensor's type.
    Constant(Value),
    /// The nearest element.
    Edge,
    /// The elements mirrored at the outermost one, which is not repeated.
    Reflect,
    /// The elements mirrored about the edge, with the outermost one repeated.
    Symmetric,
    /// The elements of the other side.
    Circular,
}

impl Border {
    /// How wide it may be round a dimension of this size; None where any width will do.
    fn widest(&self, size: i64) -> Option<i64> {
        match self {
            Self::Constant(_) | Self::Edge | Self::Circular => None,
            Self::Reflect => Some((size - 1).max(0)),
            Self::Symmetric => Some(size),
        }
    }

    /// The index of the source of the border element at this position relative to the first element of a dimension of
    /// this size. Border elements are distinguished by comparisons, at which loops can be partitioned. The border has
    /// at most `widths`.
    fn source(&self, position: &Value, size: &Expr, widths: [&Expr; 2]) -> Value {
        // A constant border no wider than the dimension wraps around once.
        let once = |width: &Expr| width.as_int().zip(size.as_int()).is_some_and(|(width, size)| width <= size);
        let size = &Value::from(size.clone());
        let around =
            |below: &Value, above: &Value| position.lt(0).select(below, &position.ge(size).select(above, position));
        let mirrored = |outermost: i64| {
            let (below, above) = (-position - outermost, size * 2 - (2 - outermost) - position);
            around(&below, &above)
        };
        match self {
            Self::Constant(_) => position.clone(),
            Self::Edge => position.max(0).min(size - 1),
            Self::Circular if widths.into_iter().all(once) => around(&(position + size), &(position - size)),
            Self::Circular => around(&position.floor_mod(size), &position.floor_mod(size)),
            Self::Reflect => mirrored(0),
            Self::Symmetric => mirrored(1),
        }
    }
}

/// The tensor with borders of these widths before and after its elements along each dimension.
pub fn bordered(x: &Tensor, before: &[Expr], after: &[Expr], border: &Border, name: &str) -> Result<Tensor, TeError> {
    let (rank, name_of_x) = (x.rank(), x.name());
    if before.len() != rank || after.len() != rank {
        let (before, after) = (before.len(), after.len());
        return Err(TeError(format!("`{name_of_x}` has {rank} dimensions, its border {before} and {after} widths")));
    }
    if let Some(width) = before.iter().chain(after).filter_map(Expr::as_int).find(|&width| width < 0) {
        return Err(TeError(format!("a border of `{name_of_x}` cannot be {width} wide")));
    }
    check_mirrors(x, before, after, border)?;
    let analyzer = Analyzer::new();
    let sum = |a: &Expr, b: &Expr| Expr::binary(BinOp::Add, a, b).map(|sum| analyzer.simplify(&sum));
    let ends = x.shape().iter().zip(before).map(|(extent, a)| sum(extent, a)).collect::<Result<Vec<_>, _>>()?;
    let shape = ends.iter().zip(after).map(|(end, b)| sum(end, b)).collect::<Result<Vec<_>, _>>()?;
    compute(&shape, name, |i| {
        let mut conditions = Vec::new();
        let mut own = Vec::with_capacity(i.len());
        let widths = before.iter().zip(after);
        for (((index, size), end), (before, after)) in i.iter().zip(x.shape()).zip(&ends).zip(widths) {
            let (front, back) = (before.as_int() != Some(0), after.as_int() != Some(0));
            let position = if front { index - before.clone() } else { index.clone() };
            conditions.extend(front.then(|| Value::from(before.clone()).le(index)));
            conditions.extend(back.then(|| index.lt(end.clone())));
            let bordered = front || back;
            own.push(if bordered { border.source(&position, size, [before, after]) } else { position });
        }
        let element = x.at_all(&own);
        match (border, all_of(conditions)) {
            (Border::Constant(fill), Some(inside)) => inside.if_then_else(&element, fill),
            _ => element,
        }
    })
}

/// Refuses a border of mirrored elements that is known to be wider than there are elements to mirror.
fn check_mirrors(x: &Tensor, before: &[Expr], after: &[Expr], border: &Border) -> Result<(), TeError> {
    for (dim, (size, widths)) in x.shape().iter().zip(before.iter().zip(after)).enumerate() {
        let Some(max) = size.as_int().and_then(|size| border.widest(size)) else { continue };
        let widths = [widths.0, widths.1].into_iter().filter_map(Expr::as_int);
        if let Some(width) = widths.max().filter(|&width| width > max) {
            let message = format!("a border that mirrors `{}` is at most {max} wide at dimension {dim}", x.name());
            return Err(TeError(format!("{message}, found {width}")));
        }
    }
    Ok(())
}

/// The tensor with a border of a value; itself where there is none.
pub fn padded(x: &Tensor, before: &[i64], after: &[i64], fill: &Value, name: &str) -> Result<Tensor, TeError> {
    if before.iter().chain(after).all(|&width| width == 0) {
        return Ok(x.clone());
    }
    let widths = |widths: &[i64]| {
        let each = widths.iter().zip(x.shape().iter().map(Some).chain(std::iter::repeat(None)));
        each.map(|(&width, extent)| extent.map_or(Expr::i64(width), |extent| Expr::int(width, extent.dtype))).collect()
    };
    let (before, after): (Vec<Expr>, Vec<Expr>) = (widths(before), widths(after));
    bordered(x, &before, &after, &Border::Constant(fill.clone()), name)
}
