//! Windows: what a block reduces over, and how the elements that it reads move.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_tensor::DataType;

use crate::facts::axes::{self, Axis, Group};
use crate::facts::epilogue::check_whole;
use crate::facts::exprs::{binary, compare, mentions, reads_memory, reads_under_condition, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::guard::known_around;
use crate::facts::reducer::{Part, Reducer};
use crate::facts::rewrite::Formula;
use crate::facts::stages::{stages, writes};
use crate::facts::tree::Site;
use crate::families::contraction::{divisor, with_groups};

/// The most elements of an image.
const MOST: i64 = 1 << 40;
/// Rows and columns of a part of an image, where it is not known how many the image has; and columns where there are no rows.
const PART_ROWS: i64 = 32;
const PART_COLUMNS: i64 = 128;
const PART_OF_LINE: i64 = 1024;
/// The most steps between neighbouring windows of such parts.
const FURTHEST: i64 = 1 << 20;

/// A reduction over windows of images.
pub(crate) struct Windows {
    /// One image for each of them.
    pub(crate) outer: Group,
    /// Rows of results, where the results have such, and columns.
    pub(crate) y: Option<Axis>,
    pub(crate) x: Axis,
    /// Of an image, or of a part of one where it is not known how many there are.
    pub(crate) height: i64,
    pub(crate) width: i64,
    /// All rows, and all columns, of an image where that is not known.
    pub(crate) all_rows: Option<Expr>,
    pub(crate) all_columns: Option<Expr>,
    /// The reduced axes and their extents.
    pub(crate) taps: Vec<(Var, i64)>,
    pub(crate) part: Part,
    pub(crate) op: BinOp,
    /// What moves with the columns.
    pub(crate) reads: Vec<Read>,
    /// Results of the same images.
    pub(crate) channels: Option<Channels>,
    pub(crate) index: DataType,
}

/// An axis of images along which so many neighbours read the same elements of what moves: the channels of a group.
pub(crate) struct Channels {
    pub(crate) var: Var,
    pub(crate) group: i64,
}

/// Elements that windows read.
pub(crate) struct Read {
    pub(crate) buffer: Buffer,
    /// How the place along each dimension moves.
    pub(crate) along: Vec<Along>,
    /// What an element is, over its place: what the stage of its own computes there, or what lies in memory. Behind the end
    /// of a row that is nothing: see [`Read::element`].
    pub(crate) formula: Element,
    /// The stage that computes the buffer for nothing but the windows.
    pub(crate) stage: Option<Site>,
}

/// An element of a buffer, by its place.
pub(crate) struct Element {
    pub(crate) place: Vec<Var>,
    pub(crate) value: Expr,
}

/// `base + y * row + x * column + sum(taps * tap)`.
pub(crate) struct Along {
    pub(crate) base: Expr,
    pub(crate) y: i64,
    pub(crate) x: i64,
    pub(crate) taps: Vec<i64>,
}

impl Along {
    /// The places from the first to the last one of so many rows and columns.
    pub(crate) fn extent(&self, windows: &Windows, rows: i64, columns: i64) -> i64 {
        let taps = self.taps.iter().zip(&windows.taps).map(|(step, (_, extent))| step * (extent - 1));
        self.y * (rows - 1) + self.x * (columns - 1) + taps.sum::<i64>() + 1
    }
}

impl Windows {
    /// The windows that the block at a place reduces over.
    pub(crate) fn of(function: &PrimFunc, site: &Site) -> Result<Self, Fault> {
        let Some(block) = site.block() else { return Err(Fault::at(site, "expected a block")) };
        let refuse = |what: &str| Fault::at(site, format!("block `{}` {what}", block.name));
        let (spatial, reduced, index) = axes::of_reduction(function, site)?;
        let reducer = Reducer::of(block).map_err(|message| Fault::at(site, message))?;
        let Ok([part]) = <[Part; 1]>::try_from(reducer.parts) else {
            return Err(refuse("reduces to several elements"));
        };
        let op = part.op.ok_or_else(|| refuse("chooses its results"))?;
        if !matches!(part.init.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return Err(refuse("begins with something else than a constant"));
        }
        let taps: Option<Vec<(Var, i64)>> =
            reduced.iter().map(|axis| Some((axis.var.clone(), axis.extent.as_int()?))).collect();
        let taps = taps.filter(|taps| taps.iter().all(|(_, extent)| *extent > 0));
        let taps = taps.ok_or_else(|| refuse("has windows whose size is not known"))?;
        let (y, x) = image_axes(&part, &spatial).ok_or_else(|| refuse("has no columns beside each other"))?;
        let of_line = if y.is_some() { PART_COLUMNS } else { PART_OF_LINE };
        let rows = y.as_ref().map_or(Some((1, None)), |y| size(y, PART_ROWS));
        let (Some((width, all_columns)), Some((height, all_rows))) = (size(&x, of_line), rows) else {
            return Err(refuse("has no images, or its index is too narrow for images whose size is not known"));
        };
        let of_image = |axis: &&Axis| axis.var != x.var && y.as_ref().is_none_or(|y| axis.var != y.var);
        let outer: Vec<Axis> = spatial.iter().filter(of_image).cloned().collect();
        let outer = Group::new(&known_around(function, site), outer, index)?;
        let (reads, channels) = (Vec::new(), None);
        let mut windows =
            Self { outer, y, x, height, width, all_rows, all_columns, taps, part, op, reads, channels, index };
        windows.reads = windows.reads_of(function, site)?;
        windows.channels = windows.outer.axes.iter().rev().find_map(|axis| windows.channels_along(axis));
        let slides = |read: &Read| read.along.iter().any(|along| along.x > 0 && along.taps.iter().any(|&tap| tap > 0));
        if !windows.reads.iter().any(slides) {
            return Err(refuse("has no windows along its columns"));
        }
        if !windows.is_of_a_size() {
            return Err(refuse("has images of too many elements"));
        }
        Ok(windows)
    }

    /// Whether no more than [`MOST`] elements are computed or read of an image: parts of such images have sizes and places in
    /// int64.
    fn is_of_a_size(&self) -> bool {
        let extent = |along: &Along| {
            let taps = along.taps.iter().zip(&self.taps).map(|(step, (_, extent))| step.checked_mul(extent - 1));
            let places = [along.y.checked_mul(self.height - 1), along.x.checked_mul(self.width - 1), Some(1)];
            places.into_iter().chain(taps).try_fold(0_i64, |sum, part| sum.checked_add(part?))
        };
        let product = |read: &Read| read.along.iter().try_fold(1_i64, |all, along| all.checked_mul(extent(along)?));
        let few = |count: Option<i64>| count.is_some_and(|count| count <= MOST);
        let in_parts = self.all_rows.is_some() || self.all_columns.is_some();
        let mut along = self.reads.iter().flat_map(|read| &read.along);
        few(self.height.checked_mul(self.width))
            && few(Some(self.window()))
            && (!in_parts || along.all(|along| along.y <= FURTHEST && along.x <= FURTHEST))
            && self.reads.iter().all(|read| few(product(read)))
    }

    /// The elements of a window.
    pub(crate) fn window(&self) -> i64 {
        self.taps.iter().fold(1, |product: i64, (_, extent)| product.saturating_mul(*extent))
    }

    /// The channels along an axis, where what moves is the same for several of them.
    fn channels_along(&self, axis: &Axis) -> Option<Channels> {
        let (var, extent) = (&axis.var, axis.extent.as_int()?);
        let bases = || self.reads.iter().flat_map(|read| &read.along).map(|along| &along.base);
        let by = bases().find_map(|base| divisor(base, var));
        let group = by.unwrap_or(extent);
        let of_group = |base: &Expr| by.map_or_else(|| base.clone(), |by| with_groups(base, var, by, &var.renewed()));
        let alike = bases().all(|base| !mentions(&of_group(base), std::slice::from_ref(var)));
        (alike && group > 1 && extent % group == 0).then(|| Channels { var: var.clone(), group })
    }

    fn reads_of(&self, function: &PrimFunc, site: &Site) -> Result<Vec<Read>, Fault> {
        let mut loads: Vec<(Buffer, Vec<Expr>)> = Vec::new();
        let of_columns = |e: &Expr| mentions(e, std::slice::from_ref(&self.x.var));
        // Copies have no conditions. Columns behind the last one are computed, too, where nobody sees what comes out.
        let mut plain = !reads_under_condition(&self.part.value, of_columns);
        walk(&self.part.value, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, predicate } => {
                plain &= predicate.is_none() && !indices.iter().any(reads_memory);
                if !loads.iter().any(|(other, at)| other == buffer && same_indices(at, indices)) {
                    loads.push((buffer.clone(), indices.clone()));
                }
            }
            ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
                plain &= !e.dtype.is_int() || divisor.as_int().is_some_and(|by| by > 0);
            }
            ExprKind::Let { .. } => plain = false,
            _ => {}
        });
        if !plain {
            return Err(Fault::at(site, "what is read is found by data or under a condition"));
        }
        let (moving, still): (Vec<_>, Vec<_>) = loads.into_iter().partition(|(_, at)| at.iter().any(of_columns));
        let of = |buffer: &Buffer, loads: &[(Buffer, _)]| loads.iter().filter(|(it, _)| it.data == buffer.data).count();
        if moving.iter().any(|(buffer, _)| of(buffer, &moving) > 1 || of(buffer, &still) > 0) {
            return Err(Fault::at(site, "a buffer is read at several places"));
        }
        moving.into_iter().map(|(buffer, indices)| self.read(function, site, buffer, indices)).collect()
    }

    fn read(&self, function: &PrimFunc, site: &Site, buffer: Buffer, indices: Vec<Expr>) -> Result<Read, Fault> {
        let known = known_around(function, site);
        let wrong = || Fault::at(site, format!("the places of `{}` do not move evenly with windows", buffer.name));
        let along: Option<Vec<Along>> = indices.iter().map(|index| self.along(&known, index)).collect();
        let along = along.ok_or_else(wrong)?;
        let Some((last, others)) = along.split_last() else { return Err(wrong()) };
        if last.x == 0 || others.iter().any(|along| along.x != 0) || !buffer.strides.is_empty() {
            return Err(wrong());
        }
        let (before, _, _) = stages(site)?;
        let stage = before.into_iter().find(|stage| writes(stage, &buffer));
        let formula = match &stage {
            Some(stage) => computed(function, stage, &buffer)?,
            None => loaded(&buffer)?,
        };
        Ok(Read { buffer, along, formula, stage })
    }

    fn along(&self, known: &Analyzer, index: &Expr) -> Option<Along> {
        let y = self.y.iter().map(|axis| axis.var.clone());
        let vars: Vec<Var> =
            y.chain([self.x.var.clone()]).chain(self.taps.iter().map(|(var, _)| var.clone())).collect();
        let found = known.linear_in(index, &vars)?;
        if found.coefficients.iter().any(|&step| step < 0) {
            return None;
        }
        let mut steps = found.coefficients.into_iter();
        let y = if self.y.is_some() { steps.next()? } else { 0 };
        let base = typed(found.rest.cast(self.index)).ok()?;
        Some(Along { base, y, x: steps.next()?, taps: steps.collect() })
    }
}

/// As many places as there are along an axis, or as a part of so many has, then with all of them.
fn size(axis: &Axis, part: i64) -> Option<(i64, Option<Expr>)> {
    match axis.extent.as_int() {
        Some(extent) => (extent > 0).then_some((extent, None)),
        None => (axis.var.dtype == DataType::I64).then(|| (part, Some(axis.extent.clone()))),
    }
}

/// The axes of the last two dimensions of the results, as far as there are two: along the first of them another row is read,
/// and not the same one for another channel.
fn image_axes(part: &Part, spatial: &[Axis]) -> Option<(Option<Axis>, Axis)> {
    let axis = |index: &Expr| spatial.iter().find(|axis| index.as_var() == Some(&axis.var)).cloned();
    let (last, outer) = part.indices.split_last()?;
    let x = axis(last)?;
    let along = |index: &Expr, axis: &Axis| mentions(index, std::slice::from_ref(&axis.var));
    let other_row = |y: &Axis| {
        let mut found = false;
        walk(&part.value, |e: &Expr| {
            if let ExprKind::Load { indices, .. } = &e.kind
                && indices.iter().any(|index| along(index, &x))
            {
                found |= indices.iter().any(|index| along(index, y) && divisor(index, &y.var).is_none());
            }
        });
        found
    };
    let y = outer.last().and_then(axis).filter(|y| y.var != x.var && y.extent.as_int() != Some(1) && other_row(y));
    Some((y, x))
}

/// An element as the stage computes it.
fn computed(function: &PrimFunc, stage: &Site, buffer: &Buffer) -> Result<Element, Fault> {
    let formula = Formula::of(stage)?;
    let Some(block) = stage.block() else { return Err(Fault::at(stage, "expected a block")) };
    check_whole(&known_around(function, stage), stage, block)?;
    let scope = stage.scope().ok_or_else(|| Fault::at(stage, "the root block is in no other"))?;
    let temporary = scope.block().is_some_and(|block| block.alloc_buffers.contains(buffer));
    let axes: Option<Vec<Var>> = formula.indices.iter().map(|index| index.as_var().cloned()).collect();
    match axes {
        Some(place) if temporary && formula.buffer == *buffer && place.len() == block.iters.len() => {
            Ok(Element { place, value: formula.value })
        }
        _ => Err(Fault::at(stage, format!("`{}` is no temporary with an axis for each dimension", buffer.name))),
    }
}

/// An element as it lies in memory.
fn loaded(buffer: &Buffer) -> Result<Element, Fault> {
    let place: Vec<Var> = buffer.shape.iter().map(|extent| Var::new("i", extent.dtype)).collect();
    let value = typed(Expr::load(buffer, place.iter().map(Expr::var).collect()))?;
    Ok(Element { place, value })
}

impl Read {
    /// The element at a place, or zero where that is behind the end of one of the dimensions for which it may be: nothing asks
    /// for it there.
    pub(crate) fn element(&self, place: &[Expr], may_be_behind: &[bool]) -> Result<Expr, Fault> {
        let values: Option<Vec<(Var, Expr)>> = self
            .formula
            .place
            .iter()
            .zip(place)
            .map(|(var, value)| Some((var.clone(), value.cast(var.dtype).ok()?)))
            .collect();
        let values = values.ok_or_else(|| Fault::of_call("indices have another type than axes"))?;
        let value = substituted(&self.formula.value, &values);
        let mut inside: Option<Expr> = None;
        let may = may_be_behind.iter().zip(&values).zip(&self.buffer.shape).filter(|((may, _), _)| **may);
        for ((_, (_, at)), extent) in may {
            let own = compare(CmpOp::Lt, at, &typed(extent.cast(at.dtype))?)?;
            inside = Some(inside.map_or_else(|| Ok(own.clone()), |all| binary(BinOp::And, &all, &own))?);
        }
        let Some(mut inside) = inside else { return Ok(value) };
        let (zero, mut value) = (Expr::number(0, value.dtype), value);
        // What pads an image with zeros asks where the image ends, too: one condition is one mask.
        if let ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } = &value.kind
            && let [own, then, otherwise] = args.as_slice()
            && otherwise.equal(&zero)
        {
            inside = binary(BinOp::And, &inside, own)?;
            value = then.clone();
        }
        typed(Expr::call(Intrinsic::IfThenElse, &[inside, value, zero]))
    }
}
