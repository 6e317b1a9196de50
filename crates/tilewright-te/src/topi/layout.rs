//! Layouts: which dimension of a tensor is which axis of the data, as texts such as `NCHW` say.
//!
//! A capital letter is a dimension along an axis. A number and a small letter are a dimension for a part of an axis:
//! `NCHW16c` has the channels in blocks of 16, the index inside a block being the last dimension. The axes of a kind of
//! data have an order of their own ([`Layout::of`] is given it); shapes and indices in that order are called *logical*
//! here, those of the tensor's dimensions *physical*.

use std::fmt;

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};

use super::all_of;
use crate::{TeError, Tensor, Value, compute};

/// The dimension of a tensor for each axis of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    text: String,
    dims: Vec<Dim>,
    axes: usize,
}

/// A dimension: a step along it is `stride` steps along its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    axis: usize,
    stride: i64,
    /// The size of a part of an axis; `None` of the dimension that has the rest.
    part: Option<i64>,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Layout {
    /// The layout of this text, which must have each of `axes` (capital letters) once, and no other.
    pub fn of(text: &str, axes: &str) -> Result<Self, TeError> {
        let fail = |why: String| Err(TeError(format!("`{text}` is no layout of the axes {axes}: {why}")));
        let mut dims: Vec<Dim> = Vec::new();
        let mut number: Option<i64> = None;
        for letter in text.chars() {
            if let Some(digit) = letter.to_digit(10) {
                let grown = number.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(i64::from(digit)));
                let Some(grown) = grown else { return fail("a number is too large".into()) };
                number = Some(grown);
                continue;
            }
            let Some(axis) = axes.chars().position(|axis| axis == letter.to_ascii_uppercase()) else {
                return fail(format!("`{letter}` is none of them"));
            };
            let (part, whole) = (number.take(), dims.iter().any(|dim| dim.axis == axis && dim.part.is_none()));
            match (letter.is_ascii_uppercase(), part) {
                (true, None) if whole => return fail(format!("`{letter}` occurs twice")),
                (true, None) => {}
                (false, Some(1..)) if whole => {}
                (false, Some(1..)) => {
                    return fail(format!("a part of an axis follows its capital, `{letter}` does not"));
                }
                (true, Some(_)) | (false, _) => {
                    return fail("the size of a part is a number of at least 1 before a small letter".into());
                }
            }
            for dim in dims.iter_mut().filter(|dim| dim.axis == axis) {
                let Some(stride) = dim.stride.checked_mul(part.unwrap_or(1)) else {
                    return fail("a part is too large".into());
                };
                dim.stride = stride;
            }
            dims.push(Dim { axis, stride: 1, part });
        }
        if number.is_some() {
            return fail("a number is the last of it".into());
        }
        match axes.chars().enumerate().find(|(axis, _)| !dims.iter().any(|dim| dim.axis == *axis)) {
            Some((_, missing)) => fail(format!("`{missing}` is missing")),
            None => Ok(Self { text: text.to_owned(), dims, axes: axes.chars().count() }),
        }
    }

    /// The layout of this text and the axes that it has, in its own order.
    pub fn with_axes(text: &str) -> Result<(Self, String), TeError> {
        let axes: String = text.chars().filter(char::is_ascii_uppercase).collect();
        Ok((Self::of(text, &axes)?, axes))
    }

    /// The letters of the dimensions in order, those of parts with their sizes.
    pub fn letters(&self) -> Vec<(char, Option<i64>)> {
        let letters = self.text.chars().filter(|letter| !letter.is_ascii_digit());
        letters.zip(&self.dims).map(|(letter, dim)| (letter, dim.part)).collect()
    }

    /// The shape, in another layout of the same axes, of a tensor whose shape in this one is `physical`.
    pub fn shape_in(&self, to: &Self, physical: &[Expr]) -> Result<Vec<Expr>, TeError> {
        for (at, part) in self.parts() {
            if let Some(found) = physical.get(at).and_then(Expr::as_int)
                && found != part
            {
                return Err(TeError(format!(
                    "dimension {at} of the layout `{self}` has {part} elements, found {found}"
                )));
            }
        }
        to.physical_shape(&self.logical_shape(physical)?)
    }

    /// The index, in another layout of the same axes, of the element whose index in this one is `physical`.
    pub fn index_in(&self, to: &Self, physical: &[Expr]) -> Result<Vec<Expr>, TeError> {
        if physical.len() != self.rank() {
            let (rank, found) = (self.rank(), physical.len());
            return Err(TeError(format!("an index in the layout `{self}` has {rank} values, found {found}")));
        }
        let physical: Vec<Value> = physical.iter().cloned().map(Value::from).collect();
        let indices = to.physical(&self.logical(&physical));
        let analyzer = Analyzer::new();
        indices.iter().map(|index| Ok(analyzer.simplify(index.expr()?))).collect()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Whether an axis has several dimensions.
    pub fn splits(&self, axis: usize) -> bool {
        self.dims.iter().any(|dim| dim.axis == axis && dim.part.is_some())
    }

    /// The dimension of an axis that is not split, or that has the rest of one that is.
    pub fn dim_of(&self, axis: usize) -> usize {
        self.dims.iter().position(|dim| dim.axis == axis && dim.part.is_none()).unwrap_or(0)
    }

    /// One value per dimension, given one per axis; the flag is `true` for parts of an axis.
    pub fn by_dim<T>(&self, mut of_axis: impl FnMut(usize, bool) -> T) -> Vec<T> {
        self.dims.iter().map(|dim| of_axis(dim.axis, dim.part.is_some())).collect()
    }

    /// The dimensions that hold a part of an axis: their numbers, and the sizes that the layout says.
    pub fn parts(&self) -> impl Iterator<Item = (usize, i64)> {
        self.dims.iter().enumerate().filter_map(|(at, dim)| Some((at, dim.part?)))
    }

    /// The number of steps along an axis that its parts take together.
    fn step(&self, axis: usize) -> i64 {
        self.dims.get(self.dim_of(axis)).map_or(1, |dim| dim.stride)
    }

    /// The extents of the axes.
    pub fn logical_shape(&self, physical: &[Expr]) -> Result<Vec<Expr>, TeError> {
        if physical.len() != self.rank() {
            let (rank, found) = (self.rank(), physical.len());
            return Err(TeError(format!("a tensor in the layout `{self}` has {rank} dimensions, found {found}")));
        }
        let analyzer = Analyzer::new();
        let extent = |axis: usize| {
            let (at, stride) = (self.dim_of(axis), self.step(axis));
            physical.get(at).map_or(Expr::i64(0), |extent| match stride {
                1 => extent.clone(),
                _ => analyzer.simplify(&(extent.clone() * stride)),
            })
        };
        Ok((0..self.axes).map(extent).collect())
    }

    /// The extents of the dimensions, for axes of these extents: those that are split are rounded up to whole parts.
    pub fn physical_shape(&self, logical: &[Expr]) -> Result<Vec<Expr>, TeError> {
        let analyzer = Analyzer::new();
        let extent = |dim: &Dim| {
            let extent = logical.get(dim.axis).ok_or_else(|| TeError(format!("`{self}` has other axes")))?;
            Ok(match dim.part {
                Some(part) => Expr::int(part, extent.dtype),
                None if dim.stride == 1 => extent.clone(),
                None => {
                    let up = extent.clone() + (dim.stride - 1);
                    analyzer.simplify(&Expr::binary(BinOp::FloorDiv, &up, &Expr::int(dim.stride, extent.dtype))?)
                }
            })
        };
        self.dims.iter().map(extent).collect()
    }

    /// The index along each axis, at an index of the tensor.
    pub fn logical(&self, physical: &[Value]) -> Vec<Value> {
        let along = |axis: usize| {
            let steps = self.dims.iter().zip(physical).filter(|(dim, _)| dim.axis == axis);
            let steps = steps.map(|(dim, index)| times(index, dim.stride));
            steps.reduce(|sum, step| sum + step).unwrap_or_else(|| Value::from(Expr::i64(0)))
        };
        (0..self.axes).map(along).collect()
    }

    /// The index of the tensor at an index along each axis.
    pub fn physical(&self, logical: &[Value]) -> Vec<Value> {
        let along = |dim: &Dim| {
            let Some(index) = logical.get(dim.axis) else {
                return Value::wrong(TeError(format!("`{self}` has other axes")));
            };
            let whole = if dim.stride == 1 { index.clone() } else { index.floor_div(dim.stride) };
            dim.part.map_or_else(|| whole.clone(), |part| whole.floor_mod(part))
        };
        self.dims.iter().map(along).collect()
    }
}

/// The tensor in another layout of the same axes. Elements of a part past the last one are 0 (padding).
pub fn transform(x: &Tensor, from: &Layout, to: &Layout, name: &str) -> Result<Tensor, TeError> {
    let logical = from.logical_shape(x.shape())?;
    let filled = |(axis, extent): &(usize, &Expr)| {
        let step = to.step(*axis);
        step > 1 && extent.as_int().is_none_or(|extent| extent % step != 0)
    };
    let ragged: Vec<(usize, &Expr)> = logical.iter().enumerate().filter(filled).collect();
    compute(&to.physical_shape(&logical)?, name, |i| {
        let at = to.logical(i);
        let element = x.at_all(&from.physical(&at));
        let inside = ragged.iter().filter_map(|&(axis, extent)| Some(at.get(axis)?.lt(extent.clone())));
        match all_of(inside) {
            Some(inside) => inside.if_then_else(&element, &Value::from(Expr::number(0, x.dtype()))),
            None => element,
        }
    })
}

/// The index times a constant.
pub(super) fn times(index: &Value, factor: i64) -> Value {
    if factor == 1 { index.clone() } else { index * factor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str, logical: &[i64]) -> Vec<i64> {
        let layout = Layout::of(text, "NCHW").unwrap();
        let logical: Vec<Expr> = logical.iter().map(|&extent| Expr::i64(extent)).collect();
        layout.physical_shape(&logical).unwrap().iter().filter_map(Expr::as_int).collect()
    }

    #[test]
    fn dimensions_come_in_the_order_of_the_text() {
        assert_eq!(shape("NCHW", &[2, 3, 4, 5]), [2, 3, 4, 5]);
        assert_eq!(shape("HWNC", &[2, 3, 4, 5]), [4, 5, 2, 3]);
    }

    #[test]
    fn parts_of_an_axis_are_dimensions_of_their_own() {
        assert_eq!(shape("NCHW16c", &[2, 40, 4, 5]), [2, 3, 4, 5, 16]);
        assert_eq!(shape("NCHW4c2c", &[2, 40, 4, 5]), [2, 5, 4, 5, 4, 2]);
    }

    #[test]
    fn a_shape_there_and_back_is_itself() {
        let layout = Layout::of("NHWC8c", "NCHW").unwrap();
        let logical: Vec<Expr> = [2, 24, 4, 5].map(Expr::i64).to_vec();
        let back = layout.logical_shape(&layout.physical_shape(&logical).unwrap()).unwrap();
        assert!(back.iter().zip(&logical).all(|(a, b)| a.equal(b)));
    }

    #[test]
    fn shapes_and_indices_are_those_of_the_same_elements() {
        let [from, to] = ["NCHW4c", "NHWC8c"].map(|text| Layout::of(text, "NCHW").unwrap());
        let ints = |values: &[i64]| values.iter().map(|&value| Expr::i64(value)).collect::<Vec<_>>();
        let plain = |found: Vec<Expr>| found.iter().filter_map(Expr::as_int).collect::<Vec<_>>();
        assert_eq!(plain(from.shape_in(&to, &ints(&[2, 6, 4, 5, 4])).unwrap()), [2, 4, 5, 3, 8]);
        // Channel 5 * 4 + 3 = 23 is the last one of the third block of 8.
        assert_eq!(plain(from.index_in(&to, &ints(&[1, 5, 2, 3, 3])).unwrap()), [1, 2, 3, 2, 7]);
        assert!(from.shape_in(&to, &ints(&[2, 6, 4, 5, 2])).unwrap_err().0.contains("has 4 elements, found 2"));
        assert!(from.index_in(&to, &ints(&[1, 5])).unwrap_err().0.contains("has 5 values, found 2"));
        let letters = [('N', None), ('C', None), ('H', None), ('W', None), ('c', Some(4))];
        assert_eq!(from.letters(), letters);
    }

    #[test]
    fn texts_that_are_no_layouts_say_why() {
        let why = |text: &str| Layout::of(text, "NCHW").unwrap_err().0;
        assert!(why("NCH").contains("`W` is missing"));
        assert!(why("NCHWC").contains("`C` occurs twice"));
        assert!(why("NCHWD").contains("`D` is none of them"));
        assert!(why("NCHWc").contains("a number of at least 1"));
        assert!(why("NCHW0c").contains("a number of at least 1"));
        assert!(why("N16cCHW").contains("follows its capital"));
        assert!(why("NCHW16").contains("the last"));
        assert!(why("NCHW99999999999999999999c").contains("too large"));
    }
}
