//! `transform_layout(block, buffer, index_map, pad_value, assume_injective_transform)`: the elements of a buffer lie at
//! other indices, which a map gives.
//!
//! With `(i, j) -> (i // 4, j, i % 4)` an access `B[i, j]` becomes `B[i // 4, j, i % 4]` wherever it stands. A
//! dimension whose extent is no multiple of its parts needs a `pad_value`, a number or a function of the new indices,
//! with which a block of its own fills it up: whoever copies a temporary reads that, too. The map must be one-to-one,
//! or the caller says that it is. The layout of a parameter is part of the function's signature: from then on callers
//! hand over the argument in this layout.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Buffer, BufferRegion, Expr, PrimFunc, Stmt, StmtKind, Var, written_data};
use tilewright_ir::{Attr, IndexMap};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results, Value};
use super::compute_inline::check_plain_loads;
use crate::analysis::guard::known_around;
use crate::analysis::index_maps::{mapped, renamed, with_accesses_moved};
use crate::analysis::required::spatial_block;
use crate::analysis::stages::touches;
use crate::build::exprs::{stored, typed};
use crate::build::rewrite::with_regions_anew;
use crate::fault::Fault;
use crate::site::Site;

pub(crate) const TRANSFORM_LAYOUT: Primitive = Primitive {
    name: "TransformLayout",
    method: "transform_layout",
    doc: "Stores the elements of a buffer at the indices that a map gives.",
    params: &[
        ("block", Default::Required),
        ("buffer", Default::Required),
        ("index_map", Default::Required),
        ("pad_value", Default::None),
        ("assume_injective_transform", Default::Bool(false)),
    ],
    plan: None,
    gives_list: false,
    run,
};

/// The buffer of the mapped elements.
struct Layout {
    buffer: Buffer,
    /// Indices into it, and whether an element is there; `None` where there is one everywhere.
    indices: Vec<Var>,
    inside: Option<Expr>,
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let (buffer, map) = (call.buffer(&site, 1)?, call.index_map(2)?);
    let home = home_or_function(call.function, &site, &buffer)?;
    check_plain_loads(&home, &buffer)?;
    check_compact(&site, &buffer)?;
    if map.initial().len() != buffer.rank() {
        let message =
            format!("`{}` has {} dimensions, the map takes {}", buffer.name, buffer.rank(), map.initial().len());
        return Err(Fault::at(&site, message));
    }
    let layout = layout(call.function, &site, &buffer, map, call.flag(4)?)?;
    let mut known = known_around(call.function, &home);
    let remap = |indices: &[Expr]| mapped(map, indices);
    let moved = with_accesses_moved(&mut known, &home.stmt, &buffer, &layout.buffer, &remap);
    if touches(&moved, &buffer) && layout.buffer.data != buffer.data {
        return Err(Fault::at(&site, format!("`{}` is used at indices that the map cannot take", buffer.name)));
    }
    let moved = with_regions_anew(
        &moved,
        &|block| block.reads.iter().chain(&block.writes).any(|region| region.buffer == buffer),
        &|region: &BufferRegion| region.buffer == buffer,
    );
    let mut kind = moved.kind.clone();
    if let StmtKind::Block { block, .. } = &mut kind {
        block
            .alloc_buffers
            .iter_mut()
            .filter(|known| **known == buffer)
            .for_each(|known| *known = layout.buffer.clone());
        if let Some(inside) = &layout.inside {
            check_paddable(call.function, &site, &buffer)?;
            let fill = fill(&mut known, &layout, inside, &padding(call, &site, &buffer)?)?;
            block.body = in_front_of_uses(&block.body, &layout.buffer, fill);
        }
    }
    let body = home.replaced(kind.into());
    let function = with_parameter(call.function, body, &site, &buffer, &layout.buffer)?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// What lies where no element does, as a function of the new indices.
fn padding(call: &Call<'_>, site: &Site, buffer: &Buffer) -> Result<Padding, Fault> {
    match call.value(3)? {
        Value::Attr(Attr::IndexMap(map)) => Ok(Padding::Map(map.clone())),
        _ => match call.number(3, buffer.dtype)? {
            Some(value) => Ok(Padding::Number(value)),
            None => {
                let message =
                    format!("the layout has places where no element of `{}` is: give a `pad_value`", buffer.name);
                Err(Fault::at(site, message))
            }
        },
    }
}

/// What lies where no element does.
enum Padding {
    Number(Expr),
    /// A function of the new indices.
    Map(IndexMap),
}

/// Only what the function writes first is filled up: whoever calls it with a parameter that it reads fills that up.
fn check_paddable(function: &PrimFunc, site: &Site, buffer: &Buffer) -> Result<(), Fault> {
    let is_parameter = function.params.iter().any(|param| param.buffer.as_ref() == Some(buffer));
    if !is_parameter || written_data(&function.body).contains(&buffer.data.id()) {
        return Ok(());
    }
    let message = format!("the layout of parameter `{}` has places where no element is", buffer.name);
    Err(Fault::at(site, message))
}

/// The block whose temporary the buffer is, or the root block where it is a parameter.
pub(super) fn home_or_function(function: &PrimFunc, site: &Site, buffer: &Buffer) -> Result<Site, Fault> {
    match function.params.iter().any(|param| param.buffer.as_ref() == Some(buffer)) {
        true => Ok(Site::root(&function.body)),
        false => home_of(site, buffer),
    }
}

/// The function with another body, and with another buffer for a parameter where one is this one: each size that the
/// parameter's shape gave has to be a dimension of the other.
pub(super) fn with_parameter(
    function: &PrimFunc,
    body: Stmt,
    site: &Site,
    from: &Buffer,
    to: &Buffer,
) -> Result<PrimFunc, Fault> {
    let mut changed = PrimFunc { body, ..function.clone() };
    for param in changed.params.iter_mut().filter(|param| param.buffer.as_ref() == Some(from)) {
        param.buffer = Some(to.clone());
        for size in from.shape.iter().filter_map(Expr::as_var) {
            if to.shape.iter().all(|extent| extent.as_var() != Some(size)) {
                let message = format!("the layout of `{}` has no dimension `{}` any more", from.name, size.name);
                return Err(Fault::at(site, message));
            }
        }
    }
    Ok(changed)
}

/// The block whose temporary the buffer is.
pub(super) fn home_of(site: &Site, buffer: &Buffer) -> Result<Site, Fault> {
    let is_home =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Block { block, .. } if block.alloc_buffers.contains(buffer));
    let depth = site.above.iter().rposition(|(stmt, _)| is_home(stmt));
    let home = depth.and_then(|depth| {
        let (above, rest) = site.above.split_at(depth);
        Some(Site { above: above.to_vec(), stmt: rest.first()?.0.clone() })
    });
    home.ok_or_else(|| {
        Fault::at(site, format!("`{}` is no temporary: whoever calls the function knows its layout", buffer.name))
    })
}

/// The buffer's elements lie in row-major order without gaps.
pub(super) fn check_compact(site: &Site, buffer: &Buffer) -> Result<(), Fault> {
    if buffer.strides.is_empty() && buffer.elem_offset.is_none() && buffer.axis_separators.is_empty() {
        return Ok(());
    }
    Err(Fault::at(site, format!("`{}` has a layout of its own already: strides, an offset or separators", buffer.name)))
}

fn layout(function: &PrimFunc, site: &Site, buffer: &Buffer, map: &IndexMap, assumed: bool) -> Result<Layout, Fault> {
    let mut known = known_around(function, site);
    let wide = |extent: &Expr| typed(extent.cast(DataType::I64));
    let shape = buffer.shape.iter().map(wide).collect::<Result<Vec<_>, _>>()?;
    let indices: Vec<Var> = (0..map.results().len()).map(|at| Var::new(format!("v{at}"), DataType::I64)).collect();
    let refuse = || {
        let message = format!("the map is not known to be one-to-one on the indices of `{}`", buffer.name);
        Fault::at(site, message)
    };
    let (extents, inside) = match map.inverse(&mut known, &shape, &indices) {
        Some(inverse) => (inverse.shape, inverse.inside),
        None if assumed => (reached(&known, map, &shape).ok_or_else(refuse)?, None),
        None => return Err(refuse()),
    };
    // In the type of the buffer's own shape, where that has room for it.
    let dtype = buffer.shape.first().map_or(DataType::I64, |extent| extent.dtype);
    let narrow = |extent: &Expr| match extent.as_int() {
        Some(size) if i32::try_from(size).is_ok() => Expr::int(size, dtype),
        _ => extent.clone(),
    };
    let shape: Vec<Expr> = extents.iter().map(narrow).collect();
    let renew = |(var, extent): (&Var, &Expr)| (var.clone(), Var::new(var.name.clone(), extent.dtype));
    let renewed: Vec<(Var, Var)> = indices.iter().zip(&shape).map(renew).collect();
    let inside = match inside {
        Some(inside) => Some(renamed(&inside, &renewed).ok_or_else(refuse)?),
        None => None,
    };
    let indices = renewed.into_iter().map(|(_, var)| var).collect();
    Ok(Layout { buffer: buffer.derive(|node| node.shape = shape), indices, inside })
}

/// What follows the largest results of the map.
fn reached(known: &Analyzer, map: &IndexMap, shape: &[Expr]) -> Option<Vec<Expr>> {
    let range = |extent: &Expr| tilewright_ir::tir::Range::up_to(extent.clone());
    let ranges: Vec<_> = map.initial().iter().cloned().zip(shape.iter().map(range)).collect();
    let end = |index: &Expr| Some(known.simplify(&(known.int_set_over(index, &ranges).max_value()? + 1)));
    map.results().iter().map(end).collect()
}

/// The loops that write a value to every index without an element.
fn fill(known: &mut Analyzer, layout: &Layout, inside: &Expr, value: &Padding) -> Result<Stmt, Fault> {
    let outside = typed(inside.not())?;
    let name = format!("{}_pad", layout.buffer.name).into();
    let indices: Vec<(Var, Expr)> = layout.indices.iter().cloned().zip(layout.buffer.shape.iter().cloned()).collect();
    let value_at = |indices: &[Expr]| match value {
        Padding::Number(value) => Ok(value.clone()),
        Padding::Map(map) => {
            let value = mapped(map, indices).and_then(|values| values.into_iter().next());
            let value = value.ok_or_else(|| Fault::of_call("the pad value is no function of the new indices"))?;
            typed(value.cast(layout.buffer.dtype))
        }
    };
    spatial_block(known, name, &indices, &outside, |indices| {
        stored(&layout.buffer, indices.to_vec(), &value_at(indices)?)
    })
}

/// The statement with another one in front of the first that uses the buffer.
fn in_front_of_uses(body: &Stmt, buffer: &Buffer, first: Stmt) -> Stmt {
    let stmts: Vec<Stmt> = match &body.kind {
        StmtKind::Seq(stmts) => stmts.clone(),
        _ => vec![body.clone()],
    };
    let at = stmts.iter().position(|stmt| touches(stmt, buffer)).unwrap_or(0);
    Stmt::seq(stmts[..at].iter().cloned().chain([first]).chain(stmts[at..].iter().cloned()))
}
