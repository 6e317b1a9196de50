//! The tiling of a product: how its factors get to the register tile, and how large tiles, steps and tasks are.
//!
//! One thing is chosen after the other, each by what was chosen before it: the register tile (`registers`), whether rows are
//! copied, the depth of a step (`depths`), whether columns are copied, the rows and columns of a task (`tasks`), and whether
//! tasks widen panels.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{Expr, ExprKind, Var};
use tilewright_target::Target;

use super::Declined;
use super::depths::{self, STEP};
use super::registers::{FAR, NEAR_ROWS, RegisterTile, Registers, l1, lane_counts};
use super::strides::{L1_WAY, crowd, stride};
use super::tasks::{COPY, blocks};
use crate::facts::axes::Axis;
use crate::facts::exprs::mentions;
use crate::facts::size::ceil_div;
use crate::families::contraction::dot_groups::Grouping;
use crate::families::contraction::{Contraction, is_dense};
use crate::plan::cpu::gemm::{GemmPlan, Narrow, PackA, PackB};

/// Elements of columns that are copied before the product runs, if there are no more: few enough to stay in a cache.
pub(super) const SMALL_COPY: i64 = 1 << 19;
/// Rows among which a copy of the columns pays even where the caches hold them in place.
pub(super) const MANY_ROWS: i64 = 512;
/// The most rows that may meet on one place of a first-level cache: all of its lines but one, for the columns.
const CROWD_OF_ROWS: i64 = 7;
/// Cycles to copy an element of a line of columns, where the line's elements are neighbours and where they are not.
const COPY_OF_LINE: f64 = 0.5;
const COPY_APART: f64 = 1.8;
/// Places of the depth that one tile of rows reads in turns of columns that no cache near by holds: so few that each is a run
/// of memory of its own to the processor, which asks for the rest of it ahead.
const STREAMED: i64 = 8;
/// Panels of a task that are as few as that all rows come from afar for each of them takes longer than what follows a step.
const FEW_PANELS: i64 = 2;
/// Rows of a tile that multiplies a line of columns faster than memory gives the next one.
const WAITING_ROWS: i64 = 4;
/// Rows that can be read in place without being in each other's way in the cache.
pub(super) const FEW_ROWS: i64 = 4;

/// The extents of a product, as far as they are known.
pub(super) struct Sizes {
    pub(super) batch: Option<i64>,
    pub(super) rows: Option<i64>,
    pub(super) columns: Option<i64>,
    pub(super) depth: Option<i64>,
    /// Bytes of an element of the columns' factor.
    pub(super) bytes: i64,
    /// Whether the columns are read from memory, a few places of the depth in turns.
    pub(super) streamed: bool,
    /// Whether a few tiles of rows wait for columns, constants, to come from memory.
    pub(super) awaited: bool,
    /// Cycles to copy an element of the columns.
    pub(super) copy: f64,
}

impl Sizes {
    fn of(c: &Contraction, batch: Option<i64>) -> Self {
        Self {
            batch,
            rows: c.m.size.as_int(),
            columns: c.n.size.as_int(),
            depth: c.k.size.as_int(),
            bytes: i64::from(c.b.dtype.bits / 8),
            streamed: false,
            awaited: false,
            copy: copy_cost(c),
        }
    }

    fn has_at_most(&self, rows: i64) -> bool {
        self.rows.is_some_and(|all| all <= rows)
    }

    fn has_at_most_columns(&self, columns: i64) -> bool {
        self.columns.is_some_and(|all| all <= columns)
    }

    /// Elements of the columns of a matrix.
    pub(super) fn elements_of_columns(&self) -> Option<i64> {
        Some(self.depth?.saturating_mul(self.columns?))
    }

    pub(super) fn bytes_of_columns(&self) -> Option<i64> {
        Some(self.elements_of_columns()?.saturating_mul(self.bytes))
    }
}

/// A product whose register tile is chosen.
struct Tiled<'a> {
    c: &'a Contraction,
    /// Whether the columns are constants.
    constant: bool,
    sizes: Sizes,
    grouping: Option<Grouping>,
    tile: RegisterTile,
    /// Whether the tile has all rows because the columns come from memory.
    is_tall: bool,
    /// Rows of a line, where parts of lines are read where they are.
    line: Option<i64>,
    /// Whether the first-level cache holds the rows of a tile where they lie.
    rows_stay: bool,
}

/// The tiling of a product of so many matrices, whose columns may be constants.
pub(super) fn tiling(
    c: &Contraction,
    batch: Option<i64>,
    constant: bool,
    target: &Target,
) -> Result<GemmPlan, Declined> {
    let p = Tiled::of(c, Sizes::of(c, batch), constant, target)?;
    let depth = p.depth_beside_rows();
    let in_place = p.depth_in_place(depth);
    let pack_columns = p.pack_columns(in_place.is_some());
    let streamed = p.is_streamed(pack_columns);
    let pack_rows = p.pack_rows();
    let RegisterTile { rows, vectors, lanes } = p.tile;
    let mut found = GemmPlan {
        mr: rows,
        nr_vectors: vectors,
        lanes,
        kc: p.depth(in_place.unwrap_or(depth), pack_rows, streamed),
        mc: 0,
        nc: 0,
        pack_a: pack_rows,
        pack_b: pack_columns,
        narrow: if p.grouping.is_some() { Narrow::DotProduct } else { Narrow::WidenInTile },
        k_outermost: false,
        prefetch_b_to_l1: p.waits_for_columns(pack_columns) && target.reads_once_into_first_level(),
    };
    let sizes = Sizes { streamed, ..p.sizes };
    blocks(&mut found, &sizes);
    if p.grouping.is_none() && c.b_is_narrow() && found.widening_pays() {
        found.narrow = Narrow::WidenInPanel;
        if !c.needs_im2col() {
            found.kc = depths::of_widened_panels(&found, &sizes, target);
        }
    }
    found.k_outermost = p.shares_far_rows(&found);
    Ok(found)
}

impl<'a> Tiled<'a> {
    fn of(c: &'a Contraction, sizes: Sizes, constant: bool, target: &Target) -> Result<Self, Declined> {
        if sizes.rows == Some(1) && sizes.columns == Some(1) {
            return Err(Declined::because("each sum is a result of its own: there is no tile of them"));
        }
        if sizes.rows == Some(1) && !constant && (c.needs_im2col() || !columns_run_along(c)) {
            return Err(Declined::because("there is one row, and its columns are not side by side in memory"));
        }
        // One row of bfloat16 is read from memory no faster in pairs; float32 sums of it are exact for denormal numbers, too.
        let pays = |grouping: &Grouping| *grouping != Grouping::Bfloat16 || sizes.rows != Some(1);
        let grouping = Grouping::of(c).filter(|grouping| is_dot_product_fast(*grouping, target) && pays(grouping));
        let lanes = lane_counts(target, u32::from(c.out.dtype.bits), grouping.is_some() || constant);
        let line = line_of_rows(c);
        let registers = Registers::of(target, c, lanes, line);
        let may_be_tall = constant && grouping.is_none() && !c.needs_im2col();
        let tall = if may_be_tall { registers.tall_tile(&sizes) } else { None };
        let tile = tall.unwrap_or_else(|| registers.tile(&sizes));
        let few = sizes.has_at_most(depths::FEW_FOR_COPY) && !sizes.has_at_most(tile.rows);
        let awaited = constant && grouping.is_none() && few && sizes.bytes_of_columns() > Some(FAR);
        // A number of rows that is small, or planned for as such, has many tasks, each of which would copy what others do as
        // well.
        let most = if awaited || sizes.rows.is_none() { crowd_of_rows(target) } else { CROWD_OF_ROWS };
        let rows_stay = grouping.is_none() && rows_stay(c, tile.rows, most);
        let sizes = Sizes { awaited, ..sizes };
        Ok(Self { c, constant, sizes, grouping, tile, is_tall: tall.is_some(), line, rows_stay })
    }

    /// Whether one register tile has all rows.
    fn is_single_tile(&self) -> bool {
        self.sizes.has_at_most(self.tile.rows)
    }

    /// Whether columns are read once, by a tile that waits for them to come from memory.
    fn waits_for_columns(&self, pack_columns: PackB) -> bool {
        pack_columns == PackB::Ahead && self.is_single_tile() && self.tile.rows <= WAITING_ROWS
    }

    /// The whole depth, or what is planned for in its place.
    fn all_of_depth(&self) -> i64 {
        self.sizes.depth.unwrap_or(STEP).max(1)
    }

    fn pack_rows(&self) -> PackA {
        let along_depth = || runs_along(&self.c.a, self.c.k.axes.last().map(|axis| &axis.var));
        if self.grouping.is_some() {
            PackA::RowMajor
        } else if self.sizes.has_at_most(FEW_ROWS) || self.rows_stay {
            PackA::InPlace
        } else if !self.is_tall && along_depth() {
            PackA::RowMajor
        } else {
            PackA::ColumnMajor
        }
    }

    /// The depth of a step, as far as rows decide.
    fn depth_beside_rows(&self) -> i64 {
        let all = self.all_of_depth();
        let no_copies = self.rows_stay || self.is_tall || self.sizes.has_at_most(FEW_ROWS);
        if self.sizes.awaited {
            return depths::steps(all, self.tile.lanes, depths::LEAST_STEP);
        }
        match no_copies && (self.is_single_tile() || all <= depths::WHOLE) {
            true => all.min(depths::MOST),
            false => depths::steps(all, self.tile.lanes, STEP),
        }
    }

    /// The depth of a step whose columns are read where they lie; `None` where they are copied.
    fn depth_in_place(&self, depth: i64) -> Option<i64> {
        let c = self.c;
        let few_tiles = !c.b_is_narrow() || self.sizes.has_at_most(2 * self.tile.rows);
        if !columns_run_along(c) || c.needs_im2col() || self.grouping.is_some() || !few_tiles {
            return None;
        }
        match self.is_single_tile() {
            true => Some(depth),
            false => depths::that_stays(c, &self.sizes, depth, &self.tile),
        }
    }

    fn pack_columns(&self, in_place: bool) -> PackB {
        // A copy of all columns pays where several blocks of rows use it.
        let is_shared = match self.c.needs_im2col() {
            true => self.sizes.elements_of_columns().is_some_and(|count| count <= SMALL_COPY),
            false => self.sizes.rows > Some(MANY_ROWS),
        };
        if self.constant {
            PackB::Ahead
        } else if in_place {
            PackB::InPlace
        } else if self.sizes.batch == Some(1) && self.sizes.rows.is_some() && is_shared {
            PackB::Ahead
        } else {
            PackB::PerTask
        }
    }

    /// Whether one tile of rows reads columns from memory, those of a place of the depth in several panels.
    fn is_streamed(&self, pack_columns: PackB) -> bool {
        if self.sizes.has_at_most_columns(self.tile.panel()) {
            return false;
        }
        self.is_single_tile() && pack_columns == PackB::InPlace && self.sizes.bytes_of_columns() > Some(FAR)
    }

    /// Whether tasks have few columns each and all rows, which would come from afar again for each task if it made all steps.
    fn shares_far_rows(&self, t: &GemmPlan) -> bool {
        let (Some(rows), Some(depth)) = (self.sizes.rows, self.sizes.depth) else { return false };
        let is_far = rows.saturating_mul(depth).saturating_mul(self.sizes.bytes) > NEAR_ROWS;
        let copied = t.pack_a != PackA::InPlace || t.pack_b == PackB::PerTask;
        let copies = copied || t.narrow == Narrow::WidenInPanel;
        let few = rows <= t.mc && t.nc <= FEW_PANELS * t.panel() && self.sizes.batch == Some(1);
        is_far && few && depth > t.kc && !copies && !self.is_single_tile() && !self.c.needs_im2col()
    }

    /// The depth of a step, where `depth` suits rows and columns.
    fn depth(&self, depth: i64, pack_rows: PackA, streamed: bool) -> i64 {
        if self.c.needs_im2col() || (self.line.is_some() && pack_rows == PackA::InPlace) {
            depths::of_whole_windows(depth, self.c)
        } else if streamed {
            depth.min(STREAMED)
        } else if let Some(group) = self.grouping.map(Grouping::size) {
            // A group takes the place of one float32.
            let grouped = || depths::steps(self.all_of_depth(), self.tile.lanes, group * STEP);
            let depth = if self.is_single_tile() { depth } else { grouped() };
            ceil_div(depth, group) * group
        } else {
            depth
        }
    }
}

fn columns_run_along(c: &Contraction) -> bool {
    runs_along(&c.b, c.n.axes.last().map(|axis| &axis.var))
}

/// Cycles to copy an element of the columns, which is one of a piece of a line where there are lines.
pub(super) fn copy_cost(c: &Contraction) -> f64 {
    let element = i64::from(c.b.dtype.bits / 8);
    let along = || stride(&c.b, c.n.axes.last().map(|axis| &axis.var));
    match c.needs_im2col() {
        false => COPY,
        true if along() == Some(element) => COPY_OF_LINE,
        true => COPY_APART,
    }
}

/// The most rows that may meet on one place of the target's first-level cache, which has a line for each of its ways there.
fn crowd_of_rows(target: &Target) -> i64 {
    (l1(target) / L1_WAY - 1).max(CROWD_OF_ROWS)
}

/// Whether the rows of a register tile are runs of memory, or pixels of a line, that the first-level cache holds beside each
/// other, where so many may meet on one of its places. Windows with gaps leave out places between pixels, which other pixels
/// use.
fn rows_stay(c: &Contraction, rows: i64, most: i64) -> bool {
    let along = |axis: Option<&Axis>| stride(&c.a, axis.map(|axis| &axis.var));
    let last = |axes: &[Axis]| axes.iter().rfind(|axis| axis.extent.as_int() != Some(1)).cloned();
    let (row, place) = (last(&c.m.axes), last(&c.k.axes));
    let element = i64::from(c.a.dtype.bits / 8);
    let are_pixels = || along(row.as_ref()) == Some(element) && line(c).is_some();
    let runs = place.is_none() || along(place.as_ref()) == Some(element) || are_pixels();
    runs && along(row.as_ref()).is_some_and(|stride| crowd(stride, rows, L1_WAY) <= most)
}

/// Rows along the last of their axes, where rows are pixels of an image with a border, and columns have a place in memory for
/// each of them: parts of such a line are read where they are, without a division for each row.
fn line_of_rows(c: &Contraction) -> Option<i64> {
    line(c).filter(|_| !c.needs_im2col() && rows_stay(c, 1, CROWD_OF_ROWS))
}

/// Rows along the last of their axes, where those of the one around it do not follow in memory.
fn line(c: &Contraction) -> Option<i64> {
    let long: Vec<&Axis> = c.m.axes.iter().filter(|axis| axis.extent.as_int() != Some(1)).collect();
    let [.., outer, inner] = long.as_slice() else { return None };
    let apart = !is_dense(&c.a, outer, inner);
    apart.then(|| inner.extent.as_int()).flatten().filter(|&line| line > 0)
}

/// Whether neighbours along the axis are neighbours in memory.
fn runs_along(factor: &Expr, axis: Option<&Var>) -> bool {
    let Some(axis) = axis.map(std::slice::from_ref) else { return false };
    let known = Analyzer::new();
    let is_apart = |index: &Expr| known.linear_in(index, axis).is_some_and(|linear| linear.coefficients != [1]);
    let mut along = false;
    walk(factor, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            let last = indices.iter().rev().find(|index| index.as_int().is_none());
            along |= last.is_some_and(|index| mentions(index, axis) && !is_apart(index));
        }
    });
    along
}

/// Whether a processor has the dot-product instruction of a group, and does more with it than with fused multiply-adds.
fn is_dot_product_fast(grouping: Grouping, target: &Target) -> bool {
    match grouping {
        Grouping::Bfloat16 => target.has_fast_bf16_dots(),
        Grouping::Bytes { .. } => target.has("avx512vnni"),
    }
}
