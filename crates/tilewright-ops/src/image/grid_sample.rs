//! An image sampled at given coordinates.

use tilewright_expr::{Expr, Intrinsic};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::topi::layout::Layout;
use tilewright_te::{TeError, Tensor, Value, compute, legalize as legalize_formula, topi};
use tilewright_tensor::DataType;

use super::interpolation::{Method, Tap, sum_of, taps, working_type};
use crate::elementwise::{check_dtype, float};
use crate::{attributes, shapes};

op! {
    /// The image at the coordinates of a grid, as `torch.grid_sample`.
    ///
    /// Along each dimension a coordinate goes from -1 to 1: the grid's first coordinate along the width, the second
    /// along the height, a third along the depth. With `align_corners` these are the centres of the outermost elements,
    /// else their outer edges. An image without elements reads as 0.
    "image.grid_sample" {
        args: {
            data: Tensor, "The image, of two or three spatial dimensions.";
            grid: Tensor, "The grid: batch, coordinates, then the spatial dimensions of the result.";
        }
        attrs: {
            method: Str = AttrDefault::Str("bilinear"), "`nearest`, `bilinear` or, of two dimensions, `bicubic`.";
            layout: Str = AttrDefault::Str("NCHW"), "The order of the data's dimensions: `NCHW` or `NCDHW`.";
            padding_mode: Str = AttrDefault::Str("zeros"),
                "What lies outside: `zeros`, the nearest element (`border`), or the image mirrored (`reflection`).";
            align_corners: Bool = AttrDefault::Bool(false), "See above.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outside {
    Zeros,
    Border,
    Reflection,
}

/// The attributes, decoded.
struct Sampling {
    layout: Layout,
    spatial: usize,
    method: Method,
    outside: Outside,
    corners: bool,
}

fn parameters(call: &OpCall<'_>) -> Result<Sampling, InferError> {
    let wrong = |why: String| InferError::new(format!("`image.grid_sample`: {why}"));
    let text = attributes::text(call, "layout");
    let axes = if text.contains('D') { "NCDHW" } else { "NCHW" };
    let layout = Layout::of(text, axes).map_err(|error| wrong(error.0))?;
    if (0..axes.len()).any(|axis| layout.splits(axis)) {
        return Err(wrong(format!("no axis of the layout may be split, found `{layout}`")));
    }
    let spatial = axes.len() - 2;
    // PyTorch's parameter of the cubic convolution.
    let method = match (attributes::text(call, "method"), spatial) {
        ("nearest", _) => Method::Nearest,
        ("bilinear", _) => Method::Linear,
        ("bicubic", 2) => Method::Cubic(-0.75),
        ("bicubic", _) => return Err(wrong("`bicubic` is of two spatial dimensions".into())),
        (other, _) => return Err(wrong(format!("`method` is `nearest`, `bilinear` or `bicubic`, not `{other}`"))),
    };
    let outside = match attributes::text(call, "padding_mode") {
        "zeros" => Outside::Zeros,
        "border" => Outside::Border,
        "reflection" => Outside::Reflection,
        other => {
            return Err(wrong(format!("`padding_mode` is `zeros`, `border` or `reflection`, not `{other}`")));
        }
    };
    Ok(Sampling { layout, spatial, method, outside, corners: attributes::flag(call, "align_corners") })
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let sampling = parameters(call)?;
    let ((data, dtype), (grid, grid_type)) = (call.tensor(0)?, call.tensor(1)?);
    check_dtype(call, 0, dtype, float)?;
    check_dtype(call, 1, grid_type, float)?;
    let rank = sampling.layout.rank();
    for (arg, shape) in [data, grid].into_iter().enumerate() {
        if let Some(found) = shape.rank().filter(|found| *found != rank) {
            let name = call.op.args.get(arg).map_or("?", |def| def.name);
            let message = format!("`image.grid_sample`: `{name}` must have {rank} dimensions, found {found}");
            return Err(InferError::at(arg, message));
        }
    }
    if let TensorShape::Known(grid) = grid
        && cx.clash(&grid[1], &Expr::i64(sampling.spatial as i64))
    {
        let (found, spatial) = (shapes::dim_text(&grid[1]), sampling.spatial);
        let message = format!("`image.grid_sample`: the grid has {spatial} coordinates in dimension 1, found {found}");
        return Err(InferError::at(1, message));
    }
    let (TensorShape::Known(dims), TensorShape::Known(grid)) = (data, grid) else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(rank), dtype));
    };
    let mut logical = sampling.layout.logical_shape(dims)?;
    if cx.clash(&logical[0], &grid[0]) {
        let (images, grids) = (shapes::dim_text(&logical[0]), shapes::dim_text(&grid[0]));
        let message = format!("`image.grid_sample`: a batch of {images} images has a batch of {grids} grids");
        return Err(InferError::at(1, message));
    }
    logical.truncate(2);
    logical.extend_from_slice(&grid[2..]);
    Ok(StructInfo::tensor_with(TensorShape::Known(sampling.layout.physical_shape(&logical)?), dtype))
}

impl Sampling {
    /// A coordinate as a number of steps from the first element.
    fn steps(&self, coordinate: &Value, n: &Value) -> Value {
        match self.corners {
            true => (coordinate + 1.0) * ((n - 1.0) * 0.5),
            false => ((coordinate + 1.0) * n - 1.0) * 0.5,
        }
    }

    /// A position, or an index as a float, clamped or reflected into the data unless positions outside read as 0.
    fn inner(&self, position: &Value, n: &Value) -> Value {
        let held = |position: &Value| position.max(0.0).min(n - 1.0);
        match self.outside {
            Outside::Zeros => position.clone(),
            Outside::Border => held(position),
            Outside::Reflection => held(&self.reflected(position, n)),
        }
    }

    /// The position mirrored at the outermost centres or edges until it lies between them.
    fn reflected(&self, position: &Value, n: &Value) -> Value {
        let (first, span) = match self.corners {
            true => (0.0, (n - 1.0).max(0.0)),
            false => (-0.5, n.clone()),
        };
        let distance = (position - first).intrinsic(Intrinsic::Abs);
        let rounds = (&distance / &span).intrinsic(Intrinsic::Floor);
        let rest = &distance - &rounds * &span;
        let odd = (&rounds - (&rounds * 0.5).intrinsic(Intrinsic::Floor) * 2.0).gt(0.5);
        let inner = odd.select(&(&span - &rest), &rest) + first;
        // A single element has no interval to reflect in.
        span.gt(0.0).select(&inner, &(&span * 0.0))
    }

    /// The neighbours of a position: their indices are floats, so that none is too large for an integer.
    fn taps(&self, position: &Value, n: &Value) -> Vec<Tap> {
        // A position far outside has no neighbours anyway, and an infinite one no fraction.
        let position = &if self.outside == Outside::Zeros { position.max(-3.0).min(n + 2.0) } else { position.clone() };
        match self.method {
            Method::Nearest => vec![(self.inner(position, n).intrinsic(Intrinsic::Round), None)],
            Method::Linear => {
                let position = self.inner(position, n);
                let floor = position.intrinsic(Intrinsic::Floor);
                taps(self.method, &floor, &(&position - &floor))
            }
            Method::Cubic(_) => {
                let floor = position.intrinsic(Intrinsic::Floor);
                let taps = taps(self.method, &floor, &(position - &floor));
                taps.into_iter().map(|(index, weight)| (self.inner(&index, n), weight)).collect()
            }
        }
    }
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (sampling, dims) = (parameters(call)?, shapes::result_dims(call)?);
    legalize_formula(call, |inputs| {
        let [data, grid] = inputs else { return Ok(Vec::new()) };
        Ok(vec![formula(&sampling, data, grid, &dims)?])
    })
}

/// The channel-invariant data of a neighbour along a dimension: its index, -1 for one that reads as 0, and its weight.
/// Tables over the batch and the positions of the result hold them.
struct Table {
    index: Tensor,
    weight: Option<Tensor>,
}

impl Table {
    /// The neighbour at a position of a dimension whose last index is `last`.
    fn of(sampling: &Sampling, shape: &[Expr], last: &Value, tap: &dyn Fn(&[Value]) -> Tap) -> Result<Self, TeError> {
        // float32 does not distinguish larger numbers.
        let dtype = if last.dtype() == Some(DataType::F64) { DataType::I64 } else { DataType::I32 };
        let index = compute(shape, "grid_places", |i| {
            let (position, _) = tap(i);
            let index = position.cast(dtype);
            match sampling.outside {
                Outside::Zeros => {
                    let none = Value::from(Expr::int(-1, dtype));
                    position.ge(0.0).and(position.le(last)).select(&index, &none)
                }
                Outside::Border | Outside::Reflection => index,
            }
        })?;
        if sampling.method == Method::Nearest {
            return Ok(Self { index, weight: None });
        }
        let weight = compute(shape, "grid_weights", |i| {
            tap(i).1.unwrap_or_else(|| Value::wrong(TeError("a neighbour has a weight".into())))
        })?;
        Ok(Self { index, weight: Some(weight) })
    }

    fn at(&self, i: &[Value]) -> Tap {
        (self.index.at_all(i).cast(DataType::I64), self.weight.as_ref().map(|weight| weight.at_all(i)))
    }
}

/// The tables of all neighbours along each dimension; `over` are the extents of the batch and of the result's
/// positions.
fn tables(sampling: &Sampling, grid: &Tensor, over: &[Expr], sizes: &[Value]) -> Result<Vec<Vec<Table>>, TeError> {
    let count = match sampling.method {
        Method::Nearest => 1,
        Method::Linear => 2,
        Method::Cubic(_) => 4,
    };
    let tap = |d: usize, number: usize, i: &[Value]| {
        let coordinate = Value::from(Expr::i64((sampling.spatial - 1 - d) as i64));
        let index = [&[i[0].clone(), coordinate], &i[1..]].concat();
        let (n, working) = (&sizes[d], sizes[d].dtype().unwrap_or(DataType::F32));
        let position = grid.at_all(&index).cast(working);
        let taps = sampling.taps(&sampling.steps(&position, n), n);
        let none = || (Value::wrong(TeError("a position has neighbours".into())), None);
        taps.into_iter().nth(number).unwrap_or_else(none)
    };
    let table = |d: usize, number: usize| Table::of(sampling, over, &(&sizes[d] - 1.0), &|i| tap(d, number, i));
    (0..sampling.spatial).map(|d| (0..count).map(|number| table(d, number)).collect()).collect()
}

fn formula(sampling: &Sampling, data: &Tensor, grid: &Tensor, dims: &[Expr]) -> Result<Tensor, TeError> {
    let (own, working) = (sampling.layout.logical_shape(data.shape())?, working_type(data.dtype()));
    let sizes: Vec<Value> = own[2..].iter().map(|n| Value::from(n.clone()).cast(working)).collect();
    let result = sampling.layout.logical_shape(dims)?;
    let tables = tables(sampling, grid, &[&result[..1], &result[2..]].concat(), &sizes)?;
    compute(dims, "grid_sample", |i| {
        let at = sampling.layout.logical(i);
        let own_place = [&at[..1], &at[2..]].concat();
        let taps = |tables: &Vec<Table>| tables.iter().map(|table| table.at(&own_place)).collect();
        let along: Vec<Vec<Tap>> = tables.iter().map(taps).collect();
        let zero = Value::from(Expr::float(0.0, working));
        let element = |position: &[Value]| {
            // The grid is data: whatever it says, what is read lies within the image, and there is one.
            let mut index = at[..2].to_vec();
            let (mut inside, mut some) = (Vec::new(), Vec::new());
            for (position, extent) in position.iter().zip(&own[2..]) {
                if sampling.outside == Outside::Zeros {
                    inside.push(position.ge(0));
                }
                if extent.as_int().is_none_or(|extent| extent < 1) {
                    some.push(Value::from(extent.clone()).gt(0));
                }
                index.push(position.max(0).min(Value::from(extent.clone()) - 1));
            }
            let element = data.at_all(&sampling.layout.physical(&index)).cast(working);
            let element = topi::all_of(inside).map_or(element.clone(), |inside| inside.select(&element, &zero));
            topi::all_of(some).map_or(element.clone(), |some| some.if_then_else(&element, &zero))
        };
        sum_of(&along, &element).cast(data.dtype())
    })
}
