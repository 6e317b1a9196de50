//! Borders round tensors.
//!
//! What stands in a border is a value, or elements of the tensor itself: each place of the border then stands for an
//! index of the tensor. Widths may be symbolic; one that is known may not be negative, nor one of mirrored elements wider
//! than there are elements to mirror.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};

use super::all_of;
use crate::{TeError, Tensor, Value, compute};

/// What stands in a border.
#[derive(Clone, Debug)]
pub enum Border {
    /// A value of the tensor's type.
    Constant(Value),
    /// The nearest element.
    Edge,
    /// The elements mirrored at the outermost one, which is not repeated.
    Reflect,
    /// The elements mirrored behind the outermost one, which is repeated.
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

    /// Where the element comes from that stands so far from the beginning of a dimension of this size. What is no border is
    /// told apart by comparisons, which loops can be cut at. The border is at most so wide on each side.
    fn source(&self, place: &Value, size: &Expr, widths: [&Expr; 2]) -> Value {
        // A border that is known to have no more elements than there are goes round once.
        let once = |width: &Expr| width.as_int().zip(size.as_int()).is_some_and(|(width, size)| width <= size);
        let size = &Value::from(size.clone());
        let around = |below: &Value, above: &Value| place.lt(0).select(below, &place.ge(size).select(above, place));
        let mirrored = |outermost: i64| {
            let (below, above) = (-place - outermost, size * 2 - (2 - outermost) - place);
            around(&below, &above)
        };
        match self {
            Self::Constant(_) => place.clone(),
            Self::Edge => place.max(0).min(size - 1),
            Self::Circular if widths.into_iter().all(once) => around(&(place + size), &(place - size)),
            Self::Circular => around(&place.floor_mod(size), &place.floor_mod(size)),
            Self::Reflect => mirrored(0),
            Self::Symmetric => mirrored(1),
        }
    }
}

/// The tensor with a border so wide before and behind its elements along each dimension.
pub fn bordered(x: &Tensor, before: &[Expr], behind: &[Expr], border: &Border, name: &str) -> Result<Tensor, TeError> {
    let (rank, name_of_x) = (x.rank(), x.name());
    if before.len() != rank || behind.len() != rank {
        let (before, behind) = (before.len(), behind.len());
        return Err(TeError(format!("`{name_of_x}` has {rank} dimensions, its border {before} and {behind} widths")));
    }
    if let Some(width) = before.iter().chain(behind).filter_map(Expr::as_int).find(|&width| width < 0) {
        return Err(TeError(format!("a border of `{name_of_x}` cannot be {width} wide")));
    }
    check_mirrors(x, before, behind, border)?;
    let analyzer = Analyzer::new();
    let sum = |a: &Expr, b: &Expr| Expr::binary(BinOp::Add, a, b).map(|sum| analyzer.simplify(&sum));
    let ends = x.shape().iter().zip(before).map(|(extent, a)| sum(extent, a)).collect::<Result<Vec<_>, _>>()?;
    let shape = ends.iter().zip(behind).map(|(end, b)| sum(end, b)).collect::<Result<Vec<_>, _>>()?;
    compute(&shape, name, |i| {
        let mut conditions = Vec::new();
        let mut own = Vec::with_capacity(i.len());
        let widths = before.iter().zip(behind);
        for (((index, size), end), (before, behind)) in i.iter().zip(x.shape()).zip(&ends).zip(widths) {
            let (front, back) = (before.as_int() != Some(0), behind.as_int() != Some(0));
            let place = if front { index - before.clone() } else { index.clone() };
            conditions.extend(front.then(|| Value::from(before.clone()).le(index)));
            conditions.extend(back.then(|| index.lt(end.clone())));
            let bordered = front || back;
            own.push(if bordered { border.source(&place, size, [before, behind]) } else { place });
        }
        let element = x.at_all(&own);
        match (border, all_of(conditions)) {
            (Border::Constant(fill), Some(inside)) => inside.if_then_else(&element, fill),
            _ => element,
        }
    })
}

/// Refuses a border of mirrored elements that is known to be wider than there are elements to mirror.
fn check_mirrors(x: &Tensor, before: &[Expr], behind: &[Expr], border: &Border) -> Result<(), TeError> {
    for (dim, (size, widths)) in x.shape().iter().zip(before.iter().zip(behind)).enumerate() {
        let Some(most) = size.as_int().and_then(|size| border.widest(size)) else { continue };
        let widths = [widths.0, widths.1].into_iter().filter_map(Expr::as_int);
        if let Some(width) = widths.max().filter(|&width| width > most) {
            let message = format!("a border that mirrors `{}` is at most {most} wide at dimension {dim}", x.name());
            return Err(TeError(format!("{message}, found {width}")));
        }
    }
    Ok(())
}

/// The tensor with a border of a value; itself where there is none.
pub fn padded(x: &Tensor, before: &[i64], behind: &[i64], fill: &Value, name: &str) -> Result<Tensor, TeError> {
    if before.iter().chain(behind).all(|&width| width == 0) {
        return Ok(x.clone());
    }
    let widths = |widths: &[i64]| {
        let each = widths.iter().zip(x.shape().iter().map(Some).chain(std::iter::repeat(None)));
        each.map(|(&width, extent)| extent.map_or(Expr::i64(width), |extent| Expr::int(width, extent.dtype))).collect()
    };
    let (before, behind): (Vec<Expr>, Vec<Expr>) = (widths(before), widths(behind));
    bordered(x, &before, &behind, &Border::Constant(fill.clone()), name)
}
