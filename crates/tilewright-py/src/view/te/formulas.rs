//! Formulas of the library that no graph operator has with these parameters.

use pyo3::prelude::*;
use tilewright::expr::Expr;
use tilewright::te::topi::depth_to_space::{Image, Order, depth_to_space, space_to_depth};
use tilewright::te::topi::layout::{Layout, transform};
use tilewright::te::topi::{Border, bordered, broadcast, dense, pooling};
use tilewright::te::{TeError, Tensor, Value};

use super::build::{failed, shape, tensor};
use crate::view::argument;

fn made<'py>(py: Python<'py>, formula: Result<Tensor, TeError>) -> PyResult<Bound<'py, PyAny>> {
    tensor(py, formula.map_err(|error| failed(py, error))?)
}

/// `data @ weight.T`, plus a bias for each column.
#[pyfunction]
pub(crate) fn te_dense<'py>(
    data: &Bound<'py, PyAny>,
    weight: &Bound<'py, PyAny>,
    bias: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let (x, w): (Tensor, Tensor) = (argument(data, "data")?, argument(weight, "weight")?);
    let bias: Option<Tensor> = argument(bias, "bias")?;
    let product = dense(&x, &w, argument(dtype, "out_dtype")?).map_err(|error| failed(py, error))?;
    made(
        py,
        match &bias {
            None => Ok(product),
            Some(bias) => broadcast(&product, bias, product.shape(), "T_add", |a, b| a + b),
        },
    )
}

/// The tensor with a border: of a value in the mode `constant`, of its own elements in the modes `edge`, `reflect`,
/// `symmetric` and `circular`.
#[pyfunction]
pub(crate) fn te_border<'py>(
    data: &Bound<'py, PyAny>,
    before: &Bound<'py, PyAny>,
    after: &Bound<'py, PyAny>,
    mode: &str,
    value: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, x) = (data.py(), argument::<Tensor>(data, "data")?);
    let border = match mode {
        "constant" => Border::Constant(argument::<Value>(value, "pad_value")?),
        "edge" => Border::Edge,
        "reflect" => Border::Reflect,
        "symmetric" => Border::Symmetric,
        "circular" => Border::Circular,
        _ => return Err(failed(py, format_args!("there is no border `{mode}`"))),
    };
    made(py, bordered(&x, &shape(before)?, &shape(after)?, &border, name))
}

/// The tensor in another layout of the same axes.
#[pyfunction]
pub(crate) fn te_layout_transform<'py>(
    data: &Bound<'py, PyAny>,
    source: &str,
    target: &str,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let x: Tensor = argument(data, "array")?;
    let moved = || {
        let (from, axes) = Layout::with_axes(source)?;
        transform(&x, &from, &Layout::of(target, &axes)?, name)
    };
    made(data.py(), moved())
}

/// The largest elements of as many windows as `size` says, along the spatial dimensions of the layout.
#[pyfunction]
pub(crate) fn te_adaptive_max<'py>(
    data: &Bound<'py, PyAny>,
    size: &Bound<'py, PyAny>,
    layout: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, size): (Tensor, Vec<Expr>) = (argument(data, "data")?, argument(size, "output_size")?);
    let pooled = || {
        let axes = match size.len() {
            1 => "NCW",
            2 => "NCHW",
            3 => "NCDHW",
            found => return Err(TeError(format!("windows move over 1 to 3 dimensions, found {found}"))),
        };
        let layout = Layout::of(layout, axes)?;
        pooling::adaptive_max(&x, &size, &layout, &layout)
    };
    made(data.py(), pooled())
}

type OfPixels = fn(&Tensor, i64, Order, Image, &str) -> Result<Tensor, TeError>;

fn of_pixels<'py>(
    formula: OfPixels,
    data: &Bound<'py, PyAny>,
    block: i64,
    layout: &str,
    mode: &str,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let x: Tensor = argument(data, "data")?;
    let moved = || {
        let layout = Layout::of(layout, "NCHW")?;
        if layout.rank() != 4 || x.rank() != 4 {
            let (text, rank) = (layout, x.rank());
            return Err(TeError(format!("an image has 4 dimensions, found {rank} and the layout `{text}`")));
        }
        let order = match mode {
            "DCR" => Order::PositionsFirst,
            "CRD" => Order::ChannelsFirst,
            _ => return Err(TeError(format!("the order of channels is `DCR` or `CRD`, found `{mode}`"))),
        };
        let image = Image { channels: layout.dim_of(1), rows: layout.dim_of(2), columns: layout.dim_of(3) };
        formula(&x, block, order, image, name)
    };
    made(data.py(), moved())
}

/// Channels as blocks of an image of the layout `NCHW` or `NHWC`: `DCR` has all channels of one position in a block
/// next to each other, `CRD` all positions of one channel.
#[pyfunction]
pub(crate) fn te_depth_to_space<'py>(
    data: &Bound<'py, PyAny>,
    block: i64,
    layout: &str,
    mode: &str,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    of_pixels(depth_to_space, data, block, layout, mode, name)
}

/// Blocks of an image of the layout `NCHW` or `NHWC` as channels, in the orders of `te_depth_to_space`.
#[pyfunction]
pub(crate) fn te_space_to_depth<'py>(
    data: &Bound<'py, PyAny>,
    block: i64,
    layout: &str,
    mode: &str,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    of_pixels(space_to_depth, data, block, layout, mode, name)
}
