//! Buffers, ranges and regions.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::DataType;
use tilewright::arith::indices_at;
use tilewright::expr::{Buffer, Expr, Range, Scope, TypeMismatch, Var};
use tilewright::ir::tir::{BufferRegion, ForKind, IterKind, IterVar, MatchBuffer, is_thread};

use super::{Args, Field, Node};

pub(super) fn range_field(range: &Range, name: &str) -> Option<Field> {
    match name {
        "min" => Some(Field::scalar(&range.min)),
        "extent" => Some(Field::scalar(&range.extent)),
        "span" => Some(Field::None),
        _ => None,
    }
}

pub(super) fn field(buffer: &Buffer, name: &str) -> Option<Field> {
    Some(match name {
        "name" => Field::text(buffer.name.clone()),
        "data" => Field::var(&buffer.data),
        "dtype" => Field::dtype(buffer.dtype),
        "shape" => Field::scalars(&buffer.shape),
        "strides" => Field::scalars(&buffer.strides),
        "elem_offset" => Field::scalar(&buffer.elem_offset.clone().unwrap_or_else(|| Expr::i64(0))),
        "data_alignment" => Field::Int(if buffer.align == 0 { 64 } else { buffer.align as i64 }),
        "offset_factor" => Field::Int(buffer.offset_factor.max(1) as i64),
        "axis_separators" => Field::list(&buffer.axis_separators, |at| Field::Int(*at as i64)),
        "buffer_type" => Field::Int(if buffer.broadcasts { 2 } else { 1 }),
        "span" => Field::None,
        _ => return None,
    })
}

/// The scope of a buffer's memory.
#[pyfunction]
pub(crate) fn buffer_scope(buffer: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(expected_buffer(buffer)?.scope.name().to_owned())
}

/// The buffer as one of a single dimension.
#[pyfunction]
pub(crate) fn flattened_buffer<'py>(buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let flat = expected_buffer(buffer)?.flattened();
    let flat = flat.map_err(|reason| crate::error::general(buffer.py(), reason))?;
    super::wrap(buffer.py(), Node::Buffer(flat))
}

/// The indices of an element in the flattened buffer.
#[pyfunction]
pub(crate) fn buffer_offset<'py>(
    buffer: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, buffer) = (buffer.py(), expected_buffer(buffer)?);
    let indices: Vec<Expr> = super::argument(indices, "indices")?;
    if indices.len() != buffer.rank() {
        let reason = format!("`{}` has {} dimensions, found {} indices", buffer.name, buffer.rank(), indices.len());
        return Err(crate::error::general(py, reason));
    }
    scalars(py, buffer.offset_of(&indices))
}

/// The indices of the element at this offset from the buffer's first one.
#[pyfunction]
pub(crate) fn buffer_indices_at<'py>(
    buffer: &Bound<'py, PyAny>,
    offset: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, distance): (_, Expr) = (buffer.py(), super::argument(offset, "offset")?);
    let buffer = expected_buffer(buffer)?;
    let found = indices_at(&buffer, &distance).map_err(|reason| crate::error::general(py, reason))?;
    let none = || format!("the buffer `{}` has no element at the offset {offset} of its memory", buffer.name);
    scalars(py, Ok(found.ok_or_else(|| crate::error::general(py, none()))?))
}

/// The indices of an element from its row-major linear index, in a tensor of this shape.
#[pyfunction]
pub(crate) fn unravelled<'py>(
    place: &Bound<'py, PyAny>,
    shape: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = place.py();
    let (place, shape): (Expr, Vec<Expr>) = (super::argument(place, "place")?, super::argument(shape, "shape")?);
    scalars(py, tilewright::arith::unravelled(&place, &shape))
}

fn scalars(py: Python<'_>, made: Result<Vec<Expr>, TypeMismatch>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let made = made.map_err(|reason| crate::error::general(py, reason))?;
    made.into_iter().map(|index| super::wrap(py, Node::Scalar(index))).collect()
}

fn expected_buffer(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    match super::node_of(object) {
        Some(Node::Buffer(buffer)) => Ok(buffer.clone()),
        _ => Err(crate::error::wrong_type("expected a tir.Buffer", object)),
    }
}

pub(super) fn region_field(region: &BufferRegion, name: &str) -> Option<Field> {
    match name {
        "buffer" => Some(Field::Node(Node::Buffer(region.buffer.clone()))),
        "region" => Some(Field::list(&region.region, |range| Field::Node(Node::Range(range.clone())))),
        _ => None,
    }
}

pub(super) fn match_buffer_field(matched: &MatchBuffer, name: &str) -> Option<Field> {
    match name {
        "buffer" => Some(Field::Node(Node::Buffer(matched.buffer.clone()))),
        "source" => Some(Field::Node(Node::Region(matched.source.clone()))),
        _ => None,
    }
}

/// The numbers that Python has for the kinds of axes: `IterVar.DataPar`, `CommReduce`, `Ordered`, `Opaque`.
const ITER_KINDS: [(i64, IterKind); 4] =
    [(0, IterKind::Spatial), (2, IterKind::Reduce), (3, IterKind::Scan), (4, IterKind::Opaque)];

/// `IterVar.ThreadIndex`.
const THREAD_INDEX: i64 = 1;

pub(super) fn iter_var_field(iter: &IterVar, name: &str) -> Option<Field> {
    Some(match name {
        "var" => Field::var(&iter.var),
        "dom" => Field::Node(Node::Range(iter.domain.clone())),
        // An axis of threads is called after its tag.
        "iter_type" if is_thread(&iter.var.name) => Field::Int(THREAD_INDEX),
        "iter_type" => {
            Field::Int(ITER_KINDS.iter().find(|(_, kind)| *kind == iter.kind).map_or(4, |(number, _)| *number))
        }
        "thread_tag" => Field::text(if is_thread(&iter.var.name) { &iter.var.name } else { "" }),
        "dtype" => Field::dtype(iter.var.dtype),
        _ => return None,
    })
}

/// The numbers of `ForKind`, in order.
pub(super) fn loop_kind_number(kind: &ForKind) -> i64 {
    match kind {
        ForKind::Serial => 0,
        ForKind::Parallel => 1,
        ForKind::Vectorized => 2,
        ForKind::Unrolled => 3,
        ForKind::ThreadBinding(_) => 4,
    }
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    Ok(Some(match args.kind() {
        "ir.Range" => {
            let (min, extent): (Expr, Expr) = (args.get(0, "min")?, args.get(1, "extent")?);
            if let Some(end) = [&min, &extent].into_iter().find(|end| !end.dtype.is_int()) {
                let reason = format_args!("the ends of a range are integers, found {}", end.dtype);
                return Err(super::refused(args.py(), args.kind(), reason));
            }
            Node::Range(Range::new(min, extent))
        }
        "tir.Buffer" => Node::Buffer(buffer(args)?),
        "tir.BufferRegion" => {
            Node::Region(BufferRegion { buffer: args.get(0, "buffer")?, region: args.get(1, "region")? })
        }
        "tir.MatchBufferRegion" => {
            Node::MatchBuffer(MatchBuffer { buffer: args.get(0, "buffer")?, source: args.get(1, "source")? })
        }
        "ir.DummyGlobalInfo" => Node::DummyInfo,
        "tir.IterVar" => {
            let number: i64 = args.get(2, "iter_type")?;
            if !(0..=8).contains(&number) {
                let reason = format_args!("`iter_type` is a number from 0 to 8, found {number}");
                return Err(super::refused(args.py(), args.kind(), reason));
            }
            let kind =
                ITER_KINDS.iter().find(|(known, _)| *known == number).map_or(IterKind::Opaque, |(_, kind)| *kind);
            let domain: Option<Range> = args.get(0, "dom")?;
            let var: Var = args.get(1, "var")?;
            let domain = domain.unwrap_or_else(|| Range::up_to(Expr::int(0, var.dtype)));
            Node::IterVar(IterVar { var, domain, kind })
        }
        _ => return Ok(None),
    }))
}

/// `(shape, dtype, name, data, strides, elem_offset, scope, data_alignment, offset_factor, buffer_type,
/// axis_separators)`.
fn buffer(args: &Args<'_, '_>) -> PyResult<Buffer> {
    let (shape, dtype): (Vec<Expr>, DataType) = (args.get(0, "shape")?, args.get(1, "dtype")?);
    let name: Arc<str> = args.get(2, "name")?;
    let (data, strides): (Option<Var>, Option<Vec<Expr>>) = (args.get(3, "data")?, args.get(4, "strides")?);
    let (elem_offset, scope): (Option<Expr>, Arc<str>) = (args.get(5, "elem_offset")?, args.get(6, "scope")?);
    let align: i64 = args.get(7, "data_alignment")?;
    let scope = Scope::named(&scope).ok_or_else(|| format!("there is no scope `{scope}`"));
    let scope = args.made(scope)?;
    let align = args.made(usize::try_from(align.max(0)))?;
    let (factor, kind): (i64, Arc<str>) = (args.get(8, "offset_factor")?, args.get(9, "buffer_type")?);
    let factor = args.made(usize::try_from(factor).map_err(|_| "`offset_factor` is at least 0"))?;
    let broadcasts = match &*kind {
        "" | "default" => false,
        "auto" | "auto_broadcast" => true,
        other => return args.made(Err(format!("`buffer_type` is \"\" or \"auto\", found \"{other}\""))),
    };
    let separators: Option<Vec<i64>> = args.get(10, "axis_separators")?;
    let separators = separators.unwrap_or_default().into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
    let separators = args.made(separators.map_err(|_| "an axis separator is at least 0"))?;
    let ascending = separators.windows(2).all(|pair| pair[0] <= pair[1]);
    if !ascending || separators.last().is_some_and(|last| *last > shape.len()) {
        return args.made(Err("axis separators ascend, and none is after the last dimension"));
    }
    Ok(Buffer::new(name, shape, dtype).derive(|node| {
        node.data = data.unwrap_or_else(|| node.data.clone());
        node.strides = strides.unwrap_or_default();
        node.elem_offset = elem_offset;
        node.scope = scope;
        node.align = align;
        node.offset_factor = factor;
        node.broadcasts = broadcasts;
        node.axis_separators = separators;
    }))
}
