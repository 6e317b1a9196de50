//! `transform_layout(block, buffer, index_map, pad_value, assume_injective_transform)`: the elements of a temporary lie
//! at other indices, which a map gives.
//!
//! With `(i, j) -> (i // 4, j, i % 4)` an access `B[i, j]` becomes `B[i // 4, j, i % 4]` wherever it stands. A
//! dimension whose extent is no multiple of its parts is filled up with the `pad_value`, or zero, by a block of its
//! own: whoever copies the temporary reads that, too. The map must be one-to-one, or the caller says that it is.

use tilewright_arith::Analyzer;
use tilewright_ir::IndexMap;
use tilewright_ir::tir::{Buffer, BufferRegion, Expr, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results};
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
    doc: "Stores the elements of a temporary at the indices that a map gives.",
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
    let home = home_of(&site, &buffer)?;
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
            let value = call.number(3, buffer.dtype)?.unwrap_or_else(|| Expr::number(0, buffer.dtype));
            let fill = fill(&mut known, &layout, inside, &value)?;
            block.body = in_front_of_uses(&block.body, &layout.buffer, fill);
        }
    }
    Ok(Outcome::changed(PrimFunc { body: home.replaced(kind.into()), ..call.function.clone() }, Results::Nothing))
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
fn fill(known: &mut Analyzer, layout: &Layout, inside: &Expr, value: &Expr) -> Result<Stmt, Fault> {
    let outside = typed(inside.not())?;
    let name = format!("{}_pad", layout.buffer.name).into();
    let indices: Vec<(Var, Expr)> = layout.indices.iter().cloned().zip(layout.buffer.shape.iter().cloned()).collect();
    spatial_block(known, name, &indices, &outside, |indices| stored(&layout.buffer, indices.to_vec(), value))
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
