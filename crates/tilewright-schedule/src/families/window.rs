//! Sliding windows: a reduction over taps, and how the indices of the elements that it reads depend on the output's.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Var};
use tilewright_tensor::DataType;

use crate::analysis::axes::{self, Axis, Group};
use crate::analysis::epilogue::check_whole;
use crate::analysis::guard::known_around;
use crate::analysis::stages::{stages, writes};
use crate::build::exprs::{
    binary, compare, mentions, mentions_var, reads_memory, reads_under_condition, substituted, typed,
};
use crate::build::rewrite::Formula;
use crate::families::contraction::{divisor, with_groups};
use crate::fault::Fault;
use crate::site::Site;
use tilewright_tir_passes::reduction::{Part, Reducer};

/// Elements of an image, at most.
const MAX_ELEMENTS: i64 = 1 << 40;
/// Rows and columns of a block of an image whose size is symbolic; and columns where there are no rows.
const BLOCK_ROWS: i64 = 32;
const BLOCK_COLUMNS: i64 = 128;
const BLOCK_COLUMNS_OF_1D: i64 = 1024;
/// The stride of windows of such images, at most.
const MAX_STRIDE: i64 = 1 << 20;

/// A reduction over windows of images.
pub(crate) struct Windows {
    /// The axes of images: batch and channels.
    pub(crate) outer: Group,
    /// Rows of the output, if it has such, and columns.
    pub(crate) y: Option<Axis>,
    pub(crate) x: Axis,
    /// Of an output image, or of a block of one whose size is symbolic.
    pub(crate) height: i64,
    pub(crate) width: i64,
    pub(crate) symbolic_height: Option<Expr>,
    pub(crate) symbolic_width: Option<Expr>,
    /// The reduced axes and their extents.
    pub(crate) taps: Vec<(Var, i64)>,
    pub(crate) part: Part,
    pub(crate) op: BinOp,
    /// The elements whose indices depend on the columns.
    pub(crate) reads: Vec<Read>,
    /// Output channels of the same images.
    pub(crate) channels: Option<Channels>,
    pub(crate) index: DataType,
}

/// An axis of outputs along which `group` neighbours read the same elements: the output channels of a group.
pub(crate) struct Channels {
    pub(crate) var: Var,
    pub(crate) group: i64,
}

/// Elements that windows read.
pub(crate) struct Read {
    pub(crate) buffer: Buffer,
    /// The index along each dimension.
    pub(crate) along: Vec<Along>,
    /// An element over its indices: what the stage computes there, or what lies in memory. Beyond the end of a row that
    /// is nothing: see [`Read::element`].
    pub(crate) formula: Element,
    /// The stage that computes the buffer for nothing but the windows, such as padding.
    pub(crate) stage: Option<Site>,
}

/// An element of a buffer, over its indices.
pub(crate) struct Element {
    pub(crate) indices: Vec<Var>,
    pub(crate) value: Expr,
}

/// An index `base + y * row + x * column + sum(taps * tap)`: `y` and `x` are strides, `taps` dilations.
pub(crate) struct Along {
    pub(crate) base: Expr,
    pub(crate) y: i64,
    pub(crate) x: i64,
    pub(crate) taps: Vec<i64>,
}

impl Along {
    /// The elements from the first to the last one of so many rows and columns: their windows' halo included.
    pub(crate) fn extent(&self, windows: &Windows, rows: i64, columns: i64) -> i64 {
        let taps = self.taps.iter().zip(&windows.taps).map(|(step, (_, extent))| step * (extent - 1));
        self.y * (rows - 1) + self.x * (columns - 1) + taps.sum::<i64>() + 1
    }
}

impl Windows {
    /// The windows that the block at a site reduces over.
    pub(crate) fn of(function: &PrimFunc, site: &Site) -> Result<Self, Fault> {
        let block = site.expect_block()?;
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
        let (y, x) = image_axes(&part, &spatial).ok_or_else(|| refuse("has no columns"))?;
        let block_columns = if y.is_some() { BLOCK_COLUMNS } else { BLOCK_COLUMNS_OF_1D };
        let rows = y.as_ref().map_or(Some((1, None)), |y| size(y, BLOCK_ROWS));
        let (Some((width, symbolic_width)), Some((height, symbolic_height))) = (size(&x, block_columns), rows) else {
            return Err(refuse("has no images, or its index is too narrow for images whose size is not known"));
        };
        let of_image = |axis: &&Axis| axis.var != x.var && y.as_ref().is_none_or(|y| axis.var != y.var);
        let outer: Vec<Axis> = spatial.iter().filter(of_image).cloned().collect();
        let outer = Group::new(&known_around(function, site), outer, index)?;
        let (reads, channels) = (Vec::new(), None);
        let mut windows = Self {
            outer,
            y,
            x,
            height,
            width,
            symbolic_height,
            symbolic_width,
            taps,
            part,
            op,
            reads,
            channels,
            index,
        };
        windows.reads = windows.reads_of(function, site)?;
        windows.channels = windows.outer.axes.iter().rev().find_map(|axis| windows.channels_along(axis));
        let slides = |read: &Read| read.along.iter().any(|along| along.x > 0 && along.taps.iter().any(|&tap| tap > 0));
        if !windows.reads.iter().any(slides) {
            return Err(refuse("has no windows along its columns"));
        }
        if !windows.has_supported_size() {
            return Err(refuse("has images of too many elements"));
        }
        Ok(windows)
    }

    /// Whether at most [`MAX_ELEMENTS`] elements are computed or read of an image: sizes and indices of its blocks are
    /// in int64.
    fn has_supported_size(&self) -> bool {
        let extent = |along: &Along| {
            let taps = along.taps.iter().zip(&self.taps).map(|(step, (_, extent))| step.checked_mul(extent - 1));
            let steps = [along.y.checked_mul(self.height - 1), along.x.checked_mul(self.width - 1), Some(1)];
            steps.into_iter().chain(taps).try_fold(0_i64, |sum, part| sum.checked_add(part?))
        };
        let product = |read: &Read| read.along.iter().try_fold(1_i64, |all, along| all.checked_mul(extent(along)?));
        let few = |count: Option<i64>| count.is_some_and(|count| count <= MAX_ELEMENTS);
        let in_blocks = self.symbolic_height.is_some() || self.symbolic_width.is_some();
        let mut along = self.reads.iter().flat_map(|read| &read.along);
        few(self.height.checked_mul(self.width))
            && few(Some(self.window()))
            && (!in_blocks || along.all(|along| along.y <= MAX_STRIDE && along.x <= MAX_STRIDE))
            && self.reads.iter().all(|read| few(product(read)))
    }

    /// The taps of a window.
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
        let of_columns = |e: &Expr| mentions_var(e, &self.x.var);
        // Copies have no conditions. Columns of the masked tail are computed, too.
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
            return Err(Fault::at(site, "an element is read at an index that is data, or under a condition"));
        }
        let (moving, still): (Vec<_>, Vec<_>) = loads.into_iter().partition(|(_, at)| at.iter().any(of_columns));
        let of = |buffer: &Buffer, loads: &[(Buffer, _)]| loads.iter().filter(|(it, _)| it.data == buffer.data).count();
        if moving.iter().any(|(buffer, _)| of(buffer, &moving) > 1 || of(buffer, &still) > 0) {
            return Err(Fault::at(site, "a buffer is read at several indices"));
        }
        moving.into_iter().map(|(buffer, indices)| self.read(function, site, buffer, indices)).collect()
    }

    fn read(&self, function: &PrimFunc, site: &Site, buffer: Buffer, indices: Vec<Expr>) -> Result<Read, Fault> {
        let known = known_around(function, site);
        let wrong =
            || Fault::at(site, format!("the indices of `{}` are not affine in those of the windows", buffer.name));
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

/// The extent of an axis, or of a block, with the symbolic extent of the axis.
fn size(axis: &Axis, block: i64) -> Option<(i64, Option<Expr>)> {
    match axis.extent.as_int() {
        Some(extent) => (extent > 0).then_some((extent, None)),
        None => (axis.var.dtype == DataType::I64).then(|| (block, Some(axis.extent.clone()))),
    }
}

/// The axes of the last two dimensions of the output, as far as there are two: along the first of them another row is
/// read, and not the same one for another channel.
fn image_axes(part: &Part, spatial: &[Axis]) -> Option<(Option<Axis>, Axis)> {
    let axis = |index: &Expr| spatial.iter().find(|axis| index.as_var() == Some(&axis.var)).cloned();
    let (last, outer) = part.indices.split_last()?;
    let x = axis(last)?;
    let along = |index: &Expr, axis: &Axis| mentions_var(index, &axis.var);
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
    let block = stage.expect_block()?;
    check_whole(&known_around(function, stage), stage, block)?;
    let scope = stage.expect_scope()?;
    let temporary = scope.block().is_some_and(|block| block.alloc_buffers.contains(buffer));
    let axes: Option<Vec<Var>> = formula.indices.iter().map(|index| index.as_var().cloned()).collect();
    match axes {
        Some(indices) if temporary && formula.buffer == *buffer && indices.len() == block.iters.len() => {
            Ok(Element { indices, value: formula.value })
        }
        _ => Err(Fault::at(stage, format!("`{}` is no temporary with an axis for each dimension", buffer.name))),
    }
}

/// An element as it lies in memory.
fn loaded(buffer: &Buffer) -> Result<Element, Fault> {
    let indices: Vec<Var> = buffer.shape.iter().map(|extent| Var::new("i", extent.dtype)).collect();
    let value = typed(Expr::load(buffer, indices.iter().map(Expr::var).collect()))?;
    Ok(Element { indices, value })
}

impl Read {
    /// The element at indices, or zero where one of them is beyond the end of its dimension, which may be where
    /// `may_be_outside` says so: nothing reads it there.
    pub(crate) fn element(&self, indices: &[Expr], may_be_outside: &[bool]) -> Result<Expr, Fault> {
        let values: Option<Vec<(Var, Expr)>> = self
            .formula
            .indices
            .iter()
            .zip(indices)
            .map(|(var, value)| Some((var.clone(), value.cast(var.dtype).ok()?)))
            .collect();
        let values = values.ok_or_else(|| Fault::of_call("indices have another type than axes"))?;
        let value = substituted(&self.formula.value, &values);
        let mut inside: Option<Expr> = None;
        let may = may_be_outside.iter().zip(&values).zip(&self.buffer.shape).filter(|((may, _), _)| **may);
        for ((_, (_, at)), extent) in may {
            let own = compare(CmpOp::Lt, at, &typed(extent.cast(at.dtype))?)?;
            inside = Some(inside.map_or_else(|| Ok(own.clone()), |all| binary(BinOp::And, &all, &own))?);
        }
        let Some(mut inside) = inside else { return Ok(value) };
        let (zero, mut value) = (Expr::number(0, value.dtype), value);
        // Padding with zeros has the same condition, too: one condition is one mask.
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
