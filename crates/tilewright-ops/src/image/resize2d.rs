//! An image in another size.
//!
//! A position of the result in the data is a rational number of steps, computed in integers: no rounding moves a
//! neighbour. Only a region of interest, whose ends are floats, has float positions.

use tilewright_expr::{BinOp, Expr, Intrinsic};
use tilewright_ir::Attr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::topi::layout::Layout;
use tilewright_te::{TeError, Value, legalize as legalize_formula};
use tilewright_tensor::DataType;

use super::interpolation::{Method, Tap, parts, taps};
use super::resized::{Image, Neighbours};
use crate::elementwise::{check_dtype, number};
use crate::{attributes, shapes};

op! {
    /// The image in another size.
    ///
    /// `coordinate_transformation_mode` gives the position of a result in the data, for `n` elements that become `m`:
    ///
    /// - `half_pixel`: elements are squares, of which the outermost edges meet: `(i + 1/2) * n / m - 1/2`.
    /// - `pytorch_half_pixel`: the same, but 0 where `m` is 1.
    /// - `tf_half_pixel_for_nn`: `(i + 1/2) * n / m`.
    /// - `align_corners`: the outermost elements meet: `i * (n - 1) / (m - 1)`.
    /// - `asymmetric`: the first elements meet: `i * n / m`.
    /// - `tf_crop_and_resize`: the outermost elements are those of the region `roi`.
    ///
    /// Positions past the border read the nearest element, with the last of these modes `extrapolation_value`.
    "image.resize2d" {
        args: {
            data: Tensor, "The image.";
            size: Shape, "Its new height and width.";
        }
        attrs: {
            roi: Floats = AttrDefault::Float(0.0),
                "The region: its first row and column and its last ones, as fractions of the last index of the data.";
            layout: Str = AttrDefault::Str("NCHW"), "The order of the data's dimensions.";
            method: Str = AttrDefault::Str("linear"), "`nearest_neighbor`, `linear` or `cubic`.";
            coordinate_transformation_mode: Str = AttrDefault::Str("half_pixel"), "See above.";
            rounding_method: Str = AttrDefault::Str("round"),
                "What the nearest neighbour is: `round` (of two the even one), `round_prefer_floor`, `round_prefer_ceil`, \
                 `floor` or `ceil`; an empty text: `round` for `align_corners`, else `floor`.";
            cubic_alpha: Float = AttrDefault::Float(-0.5), "The parameter of the cubic convolution.";
            cubic_exclude: Int = AttrDefault::Int(0), "Whether neighbours outside of the image have no weight.";
            extrapolation_value: Float = AttrDefault::Float(0.0), "What lies outside of the image, see above.";
            out_dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of the result, towards which integers are cut; `void`: that of the data.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        layouts: Layouts::Named { operands: &["layout"], result: "layout" },
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    HalfPixel,
    PytorchHalfPixel,
    HalfPixelForNearest,
    AlignCorners,
    Asymmetric,
    Crop,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Even,
    PreferFloor,
    PreferCeil,
    Floor,
    Ceil,
}

/// The attributes, decoded.
pub(super) struct Resize {
    pub(super) layout: Layout,
    pub(super) method: Method,
    mode: Mode,
    rounding: Rounding,
    excludes: bool,
    roi: Vec<f64>,
    pub(super) extrapolation: f64,
}

/// The value that an attribute names.
fn chosen<T: Copy>(call: &OpCall<'_>, name: &str, known: &[(&str, T)]) -> Result<T, InferError> {
    let given = attributes::text(call, name);
    known.iter().find(|(text, _)| *text == given).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<String> = known.iter().map(|(text, _)| format!("`{text}`")).collect();
        let known = known.join(", ");
        InferError::new(format!("`{}` knows {known} as `{name}`, not `{given}`", call.op.name))
    })
}

fn parameters(call: &OpCall<'_>) -> Result<Resize, InferError> {
    let wrong = |why: String| InferError::new(format!("`image.resize2d`: {why}"));
    let layout = Layout::of(attributes::text(call, "layout"), "NCHW").map_err(|error| wrong(error.0))?;
    if layout.splits(2) || layout.splits(3) {
        return Err(wrong(format!("`{layout}` has parts of a spatial axis; only channels may be split")));
    }
    let cubic = Method::Cubic(attributes::float(call, "cubic_alpha")?);
    let methods = [("nearest_neighbor", Method::Nearest), ("linear", Method::Linear), ("cubic", cubic)];
    let modes = [
        ("half_pixel", Mode::HalfPixel),
        ("pytorch_half_pixel", Mode::PytorchHalfPixel),
        ("tf_half_pixel_for_nn", Mode::HalfPixelForNearest),
        ("align_corners", Mode::AlignCorners),
        ("asymmetric", Mode::Asymmetric),
        ("tf_crop_and_resize", Mode::Crop),
    ];
    let roundings = [
        ("round", Rounding::Even),
        ("round_prefer_floor", Rounding::PreferFloor),
        ("round_prefer_ceil", Rounding::PreferCeil),
        ("floor", Rounding::Floor),
        ("ceil", Rounding::Ceil),
    ];
    let roi: Vec<f64> = match call.attr("roi") {
        Some(Attr::Array(items)) => {
            items.iter().filter_map(|item| if let Attr::Float(v) = item { Some(v.0) } else { None }).collect()
        }
        _ => Vec::new(),
    };
    let roi = if roi.len() == 1 { vec![roi[0]; 4] } else { roi };
    if roi.len() != 4 || roi.iter().any(|end| !end.is_finite()) {
        return Err(wrong(format!("`roi` has 4 ends, found {roi:?}")));
    }
    let mode = chosen(call, "coordinate_transformation_mode", &modes)?;
    let rounding = match (attributes::text(call, "rounding_method"), mode) {
        ("", Mode::AlignCorners) => Rounding::Even,
        ("", _) => Rounding::Floor,
        _ => chosen(call, "rounding_method", &roundings)?,
    };
    Ok(Resize {
        layout,
        method: chosen(call, "method", &methods)?,
        mode,
        rounding,
        excludes: attributes::int(call, "cubic_exclude")? != 0,
        roi,
        extrapolation: attributes::float(call, "extrapolation_value")?,
    })
}

/// The new height and width, where known.
fn size(call: &OpCall<'_>) -> Result<Option<Vec<Expr>>, InferError> {
    match attributes::shape(call, 1)? {
        TensorShape::Known(dims) if dims.len() == 2 => {
            match dims.iter().filter_map(Expr::as_int).find(|dim| *dim < 1) {
                Some(dim) => Err(InferError::at(1, format!("`image.resize2d`: an image cannot have a size of {dim}"))),
                None => Ok(Some(dims.clone())),
            }
        }
        TensorShape::Rank(2) | TensorShape::Unknown => Ok(None),
        TensorShape::Known(_) | TensorShape::Rank(_) => {
            Err(InferError::at(1, "`image.resize2d`: `size` has two dimensions, height and width"))
        }
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, own) = call.tensor(0)?;
    let (resize, size) = (parameters(call)?, size(call)?);
    check_dtype(call, 0, own, number)?;
    let dtype = attributes::dtype(call, "out_dtype")?.or(own);
    check_dtype(call, 0, dtype, number)?;
    let rank = resize.layout.rank();
    if let Some(found) = shape.rank().filter(|found| *found != rank) {
        let layout = &resize.layout;
        let message = format!("`image.resize2d`: data in the layout {layout} has {rank} dimensions, found {found}");
        return Err(InferError::at(0, message));
    }
    let (TensorShape::Known(dims), Some(size)) = (shape, size) else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(rank), dtype));
    };
    let mut logical = resize.layout.logical_shape(dims)?;
    if let Some(axis) = [2, 3].into_iter().find(|&axis| shapes::is_empty(cx, &logical[axis])) {
        let what = if axis == 2 { "height" } else { "width" };
        return Err(InferError::at(0, format!("`image.resize2d`: an image of {what} 0 has nothing to show")));
    }
    logical.truncate(2);
    logical.extend(size);
    Ok(StructInfo::tensor_with(TensorShape::Known(resize.layout.physical_shape(&logical)?), dtype))
}

/// The position of a result along a dimension of the data.
pub(super) enum Position {
    /// At `above / below` steps, the latter being positive.
    Ratio { above: Value, below: Expr },
    /// A float number of steps.
    Steps(Value),
}

impl Resize {
    /// The position of index `i` of `m`, of `n` elements; `d` is 0 for rows, 1 for columns.
    pub(super) fn position(
        &self,
        d: usize,
        i: &Value,
        n: &Expr,
        m: &Expr,
        dtype: DataType,
    ) -> Result<Position, TeError> {
        let cx = InferCx::default();
        let simple = |expr: Expr| cx.analyzer.simplify(&expr);
        let ratio = |above: Value, below: Expr| Ok(Position::Ratio { above, below: simple(below) });
        let first = Value::from(Expr::int(0, m.dtype));
        let half = || ratio((i * 2 + 1) * n.clone() - m.clone(), m.clone() * 2);
        match self.mode {
            Mode::HalfPixel => half(),
            Mode::PytorchHalfPixel if m.as_int() == Some(1) => ratio(first, Expr::i64(1)),
            Mode::PytorchHalfPixel if m.as_int().is_some() => half(),
            Mode::PytorchHalfPixel => {
                let above = Value::from(m.clone()).gt(1).select(&((i * 2 + 1) * n.clone() - m.clone()), &first);
                ratio(above, m.clone() * 2)
            }
            Mode::HalfPixelForNearest => ratio((i * 2 + 1) * n.clone(), m.clone() * 2),
            Mode::AlignCorners => {
                let steps = Expr::binary(BinOp::Max, &simple(m.clone() - 1), &Expr::i64(1))?;
                ratio(i * simple(n.clone() - 1), steps)
            }
            Mode::Asymmetric => ratio(i * n.clone(), m.clone()),
            Mode::Crop => {
                let (first, last) = (self.roi[d], self.roi[d + 2]);
                let constant = |value: f64| Value::from(Expr::float(value, dtype));
                let whole = Value::from(simple(n.clone() - 1)).cast(dtype);
                let steps = Value::from(simple(m.clone() - 1)).cast(dtype).max(1.0);
                let along = constant(first) * &whole + i.cast(dtype) * (constant(last - first) * &whole) / steps;
                let middle = constant((first + last) / 2.0) * whole;
                Ok(Position::Steps(Value::from(m.clone()).gt(1).select(&along, &middle)))
            }
        }
    }

    /// The index of the nearest element.
    fn nearest(&self, position: &Position) -> Value {
        match position {
            Position::Ratio { above, below } => {
                let cx = InferCx::default();
                let twice = cx.analyzer.simplify(&(below.clone() * 2));
                let below = Value::from(below.clone());
                // The floor of the position plus a half.
                let up = || (above * 2 + &below).floor_div(twice.clone());
                match self.rounding {
                    Rounding::Floor => above.floor_div(&below),
                    Rounding::Ceil => (above + &below - 1).floor_div(&below),
                    Rounding::PreferCeil => up(),
                    Rounding::PreferFloor => (above * 2 + &below - 1).floor_div(twice.clone()),
                    Rounding::Even => {
                        let tie = (above * 2 + &below).floor_mod(twice.clone()).equals(0);
                        let odd = up().floor_mod(2).equals(1);
                        tie.and(odd).select(&(up() - 1), &up())
                    }
                }
            }
            Position::Steps(position) => {
                let rounded = match self.rounding {
                    Rounding::Even => position.intrinsic(Intrinsic::Round),
                    Rounding::PreferFloor => (position - 0.5).intrinsic(Intrinsic::Ceil),
                    Rounding::PreferCeil => (position + 0.5).intrinsic(Intrinsic::Floor),
                    Rounding::Floor => position.intrinsic(Intrinsic::Floor),
                    Rounding::Ceil => position.intrinsic(Intrinsic::Ceil),
                };
                rounded.cast(DataType::I64)
            }
        }
    }

    /// The neighbours of the position along a dimension of `n` elements.
    pub(super) fn neighbours(&self, position: &Position, n: &Expr, dtype: DataType) -> Neighbours {
        let last = InferCx::default().analyzer.simplify(&(n.clone() - 1));
        if self.method == Method::Nearest {
            return Neighbours { index: self.nearest(position), weights: vec![(0, None)], last };
        }
        let (index, fraction) = match position {
            Position::Ratio { above, below } => {
                let rest = above.floor_mod(below.clone()).cast(dtype);
                (above.floor_div(below.clone()), rest / Value::from(below.clone()).cast(dtype))
            }
            Position::Steps(position) => parts(position),
        };
        let mut taps = taps(self.method, &index, &fraction);
        let is_cubic = matches!(self.method, Method::Cubic(_));
        if is_cubic && self.excludes {
            exclude(&mut taps, n, dtype);
        }
        let first = if is_cubic { -1 } else { 0 };
        let weights = (first..).zip(taps.into_iter().map(|(_, weight)| weight)).collect();
        Neighbours { index, weights, last }
    }
}

/// Takes the weight of neighbours that there are not, and spreads it over the others.
fn exclude(taps: &mut [Tap], n: &Expr, dtype: DataType) {
    let zero = Value::from(Expr::float(0.0, dtype));
    let mut sum: Option<Value> = None;
    for (index, weight) in taps.iter_mut() {
        let inside = index.ge(0).and(index.lt(n.clone()));
        if let Some(weight) = weight {
            *weight = inside.select(weight, &zero);
            sum = Some(sum.map_or(weight.clone(), |sum| sum + &*weight));
        }
    }
    if let Some(sum) = sum {
        taps.iter_mut().filter_map(|(_, weight)| weight.as_mut()).for_each(|weight| *weight = &*weight / &sum);
    }
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (resize, size) = (parameters(call)?, size(call)?);
    let dims = shapes::result_dims(call)?;
    let size = size.ok_or_else(|| InferError::at(1, "the size of the result of `image.resize2d` is not known here"))?;
    let dtype = attributes::dtype(call, "out_dtype")?;
    legalize_formula(call, |inputs| {
        inputs
            .iter()
            .map(|data| Image::new(&resize, data, &size, dtype.unwrap_or(data.dtype()))?.resized(&dims))
            .collect()
    })
}
