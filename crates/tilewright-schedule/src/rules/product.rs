//! `product`: functions whose heavy stage sums products, with what comes before computed where it is read and what follows
//! computed on finished tiles.
//!
//! The sizes of the register tile follow from the registers and lanes of the target and from the extents: of all numbers of
//! vectors the one whose tiles waste least. A step of the depth keeps a panel of the columns and a tile of the rows near the
//! first-level cache, a block of rows stays in the second-level one, and tasks are as many as shall share the work evenly.

use tilewright_expr::node::walk;
use tilewright_ir::Attr;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, IterKind, PrimFunc, StmtKind, Var};
use tilewright_target::Target;

use super::accesses::gone;
use super::calls::{int, text};
use super::fallback::{self, attempt};
use super::strides::{L1_WAY, L2_WAY, crowd, stride};
use super::tasks::{COPY, blocks, tile_cost};
use super::{Declined, Rule};
use crate::Schedule;
use crate::axes::Axis;
use crate::exprs::mentions;
use crate::primitive::tile_product::{
    Contraction, FAR, Grouping, PackColumns, PackRows, Tiling, is_constant, is_dense,
};
use crate::size::{LINE, ceil_div};
use crate::trace::{Arg, Rv};

pub(super) const PRODUCT: Rule = Rule {
    name: "product",
    doc: "A sum of products (a matrix product, a convolution): register tiles, blocks by cache, what follows on finished tiles.",
    apply,
};

/// Extents of the depth that are known only when the function runs are planned for as if they were this, which is the depth
/// of a step where something is copied for each.
const STEP: i64 = 384;
/// The least depth of a step where it is chosen so that a widened panel stays in the first-level cache.
const LEAST_STEP: i64 = 128;
/// The most of a depth that is one step where nothing is copied.
const WHOLE: i64 = 1536;
/// Elements of columns with lines that are copied before the product runs: few enough to stay in a cache.
const SMALL_COPY: i64 = 1 << 19;
/// Rows among which a copy of the columns pays even where the caches hold them in place.
const MANY_ROWS: i64 = 512;
/// The most lines that may meet on one place of a cache: all of its lines, or some fewer where others are used beside them.
const CROWD: i64 = 8;
const CROWD_OF_ROWS: i64 = 7;
/// Bytes between the first and the last place of a step whose columns are read where they are: of more, too many places share
/// the second-level cache's, wherever their pages are in memory, and their pages are too many to be found at once.
const SPAN: i64 = 12 * L2_WAY;
/// Rows for which a copy of the columns takes longer than what else it would save.
const FEW_FOR_COPY: i64 = 64;
/// Cycles until a vector of 512 bits has come from the second-level cache, and that part of a tile's own cycles which it may take
/// without being waited for.
const FROM_CACHE: f64 = 2.3;
const COVERED: f64 = 0.8;
/// What a tile of rows costs that lie at uneven distances, each of which needs a register for its place.
const DIVIDES: f64 = 1.06;
/// What a vector costs that is narrower than a register, to that part of what a whole one costs.
const NARROW: f64 = 1.03;
/// Cycles to copy an element of a line of columns, where the line's elements are neighbours and where they are not.
const COPY_OF_LINE: f64 = 0.5;
const COPY_APART: f64 = 1.8;
/// Bytes of columns that are rather read once in tiles of one vector, which load a factor for each sum, than again from a cache.
const FARTHEST: i64 = 12 << 20;
/// Places of the depth that one tile of rows reads in turns of columns that no cache near by holds: so few that each is a run
/// of memory of its own to the processor, which asks for the rest of it ahead.
const STREAMED: i64 = 8;
/// Bytes of rows' copies that stay in the second-level cache while the columns go by.
const NEAR_ROWS: i64 = 1 << 19;
/// Columns that are planned for where they are known only when the function runs: of their last panel half is empty.
const UNKNOWN: f64 = 256.0;
/// Sums of a register tile with a part of a line of rows: fewer would wait for each other longer than finding rows takes.
const LEAST_PART: i64 = 12;
/// Rows that can be read in place without being in each other's way in the cache.
const FEW_ROWS: i64 = 4;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let heavy = heavy_stage(schedule)?;
    let (mut padded, mut behind, mut is_behind) = (Vec::new(), Vec::new(), false);
    for stage in schedule.stages()? {
        if is_same(schedule, stage, heavy) {
            is_behind = true;
            continue;
        }
        if is_behind {
            behind.push(stage);
        }
        if is_choice(schedule, stage) {
            padded.push(stage);
        } else {
            // What has to stay is refused by name by the product itself.
            let _ = schedule.on_block("compute_inline", stage);
        }
    }
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let contraction = Contraction::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    let constant = is_constant(function, &contraction.of_columns);
    let crowded = computes_exponentials(function) && !contraction.has_lines();
    let mut tiling = tiling(&contraction, constant, target)?;
    if crowded && contraction.rows.size.as_int().is_none_or(|rows| rows > tiling.rows) {
        tiling.depth = step(tiling.depth, tiling.lanes, STEP);
    }
    padded.into_iter().try_for_each(|stage| line_by_line(schedule, stage))?;
    let sizes = [tiling.rows, tiling.vectors, tiling.lanes, tiling.depth, tiling.row_block, tiling.column_block];
    let args = std::iter::once(Arg::Rv(heavy))
        .chain(sizes.map(int))
        .chain([text(tiling.pack_rows.name()), text(tiling.pack_columns.name())])
        .chain([tiling.grouped, tiling.widened].map(|set| Arg::Attr(Attr::Bool(set))))
        .collect();
    schedule.apply_named("tile_product", args)?;
    // What is not computed on finished tiles is still there.
    behind.retain(|stage| schedule.stmt(*stage).is_some());
    for stage in behind {
        attempt(schedule, |schedule| fallback::stage(schedule, target, stage));
    }
    Ok(())
}

/// Whether something follows whose many constants LLVM keeps in the registers of the sums, where there is but one step and
/// it is sure to be computed.
fn computes_exponentials(function: &PrimFunc) -> bool {
    let mut found = false;
    walk(function, |e: &Expr| {
        found |= matches!(
            &e.kind,
            ExprKind::Call { intrinsic: Intrinsic::Exp | Intrinsic::Tanh | Intrinsic::Sigmoid | Intrinsic::Erf, .. }
        );
    });
    found
}

/// The last loop of a stage in vectors, those around it in parallel.
fn line_by_line(schedule: &mut Schedule, stage: Rv) -> Result<(), Declined> {
    let loops = schedule.loops_around(stage)?;
    let Some((&last, outer)) = loops.split_last() else { return Ok(()) };
    if !outer.is_empty() {
        let rows = schedule.fuse_all(outer)?;
        schedule.on_loop("parallel", rows)?;
    }
    schedule.on_loop("vectorize", last)?;
    Ok(())
}

/// Whether a stage chooses between elements and something else, as borders are made: the choice is made once for each
/// element, not wherever the element is used.
fn is_choice(schedule: &Schedule, stage: Rv) -> bool {
    let Some(stmt) = schedule.stmt(stage) else { return false };
    let StmtKind::Block { block, .. } = &stmt.kind else { return false };
    let StmtKind::Store { value, .. } = &block.body.kind else { return false };
    let chooses = matches!(&value.kind, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. });
    chooses && block.reads.iter().all(|read| schedule_reads_argument(schedule, &read.buffer))
}

/// Whether a buffer is an argument of the function.
fn schedule_reads_argument(schedule: &Schedule, buffer: &Buffer) -> bool {
    let name = schedule.working_on().and_then(|name| schedule.module().prim(name));
    name.is_some_and(|function| function.params.iter().any(|param| param.buffer.as_ref() == Some(buffer)))
}

pub(super) fn is_same(schedule: &Schedule, a: Rv, b: Rv) -> bool {
    matches!((schedule.stmt(a), schedule.stmt(b)), (Some(a), Some(b)) if a.same(&b))
}

/// The only stage that reduces.
pub(super) fn heavy_stage(schedule: &mut Schedule) -> Result<Rv, Declined> {
    let mut found = None;
    for stage in schedule.stages()? {
        let stmt = schedule.stmt(stage).ok_or_else(gone)?;
        let StmtKind::Block { block, .. } = &stmt.kind else { continue };
        if block.iters.iter().any(|iter| iter.kind != IterKind::Spatial) && found.replace(stage).is_some() {
            return Err(Declined::because("several stages reduce"));
        }
    }
    found.ok_or_else(|| Declined::because("no stage reduces"))
}

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
    /// Cycles to copy an element of the columns.
    pub(super) copy: f64,
}

fn tiling(c: &Contraction, constant: bool, target: &Target) -> Result<Tiling, Declined> {
    let of = |size: &Expr| size.as_int();
    let sizes = Sizes {
        batch: matrices(c),
        rows: of(&c.rows.size),
        columns: of(&c.columns.size),
        depth: of(&c.depth.size),
        bytes: i64::from(c.of_columns.dtype.bits / 8),
        streamed: false,
        copy: copy_cost(c),
    };
    if sizes.rows == Some(1) && sizes.columns == Some(1) {
        return Err(Declined::because("each sum is a result of its own: there is no tile of them"));
    }
    let bits = u32::from(c.out.dtype.bits);
    // One row of bfloat16 is read from memory no faster in pairs; float32 sums of it are exact for denormal numbers, too.
    let pays = |grouping: &Grouping| *grouping != Grouping::Bfloat16 || sizes.rows != Some(1);
    let grouping = Grouping::of(c).filter(|grouping| grouping.is_on(target) && pays(grouping));
    let group = grouping.map_or(1, Grouping::size);
    let lines = c.has_lines();
    let mut registers = Registers::of(target, lines, lane_counts(target, bits, grouping.is_some() || constant));
    registers.line = line_of_rows(c);
    let tall = if constant && grouping.is_none() && !lines { tall_tile(&registers, &sizes) } else { None };
    let is_tall = tall.is_some();
    let RegisterTile { rows, vectors, lanes } = tall.unwrap_or_else(|| register_tile(&registers, &sizes));
    let single_tile = sizes.rows.is_some_and(|all| all <= rows);
    // A number of rows that is planned for as a small one has many tasks, each of which would copy what others do as well.
    let crowded = if sizes.rows.is_none() { crowd_of_rows(target) } else { CROWD_OF_ROWS };
    let rows_in_place = grouping.is_none() && rows_stay(c, rows, crowded);
    let depth = sizes.depth.unwrap_or(STEP).max(1);
    let rows_free = rows_in_place || is_tall || sizes.rows.is_some_and(|all| all <= FEW_ROWS);
    let depth = match rows_free && (single_tile || depth <= WHOLE) {
        true => depth.min(1 << 14),
        false => step(depth, lanes, STEP),
    };
    let pack_rows = match sizes.rows {
        _ if grouping.is_some() => PackRows::RowMajor,
        Some(..=FEW_ROWS) => PackRows::InPlace,
        _ if rows_in_place => PackRows::InPlace,
        _ if is_tall => PackRows::ColumnMajor,
        _ if runs_along(&c.of_rows, c.depth.axes.last().map(|axis| &axis.var)) => PackRows::RowMajor,
        _ => PackRows::ColumnMajor,
    };
    let along_columns = runs_along(&c.of_columns, c.columns.axes.last().map(|axis| &axis.var));
    let copied = sizes.depth.zip(sizes.columns).map(|(depth, columns)| depth.saturating_mul(columns));
    // A copy of all columns pays where several blocks of rows use it.
    let is_shared = if lines { copied.is_some_and(|n| n <= SMALL_COPY) } else { sizes.rows > Some(MANY_ROWS) };
    if sizes.rows == Some(1) && !constant && (lines || !along_columns) {
        return Err(Declined::because("there is one row, and its columns are not side by side in memory"));
    }
    let in_place = along_columns
        && !lines
        && grouping.is_none()
        && (!c.columns_are_narrow() || sizes.rows.is_some_and(|all| all <= 2 * rows));
    let stays = || if single_tile { Some(depth) } else { depth_that_stays(c, &sizes, depth, (vectors, lanes)) };
    let depth_in_place = if in_place { stays() } else { None };
    let depth = depth_in_place.unwrap_or(depth);
    let pack_columns = if constant {
        PackColumns::Ahead
    } else if depth_in_place.is_some() {
        PackColumns::InPlace
    } else if sizes.batch == Some(1) && sizes.rows.is_some() && is_shared {
        PackColumns::Ahead
    } else {
        PackColumns::Task
    };
    let far = copied.is_some_and(|count| count.saturating_mul(sizes.bytes) > FAR);
    let sizes = Sizes { streamed: single_tile && far && pack_columns == PackColumns::InPlace, ..sizes };
    let depth = match grouping {
        _ if lines => whole_windows(depth, c),
        None if registers.line.is_some() && pack_rows == PackRows::InPlace => whole_windows(depth, c),
        _ if sizes.streamed => depth.min(STREAMED),
        // A group takes the place of one float32.
        Some(_) => {
            let whole = sizes.depth.unwrap_or(STEP).max(1);
            let depth = if single_tile { depth } else { step(whole, lanes, group * STEP) };
            ceil_div(depth, group) * group
        }
        None => depth,
    };
    let grouped = grouping.is_some();
    let mut found = Tiling {
        rows,
        vectors,
        lanes,
        depth,
        row_block: 0,
        column_block: 0,
        pack_rows,
        pack_columns,
        grouped,
        widened: false,
    };
    blocks(&mut found, &sizes);
    found.widened = !grouped && c.columns_are_narrow() && found.widening_pays();
    if found.widened && !lines {
        found.depth = near_step(&found, &sizes, target);
    }
    Ok(found)
}

/// The sizes of a register tile.
struct RegisterTile {
    rows: i64,
    vectors: i64,
    lanes: i64,
}

/// The lanes of vectors that a product may be computed in, the most first: fewer than a register has where that costs no time
/// and the columns are not copied once and for all.
pub(super) fn lane_counts(target: &Target, bits: u32, widest_only: bool) -> Vec<i64> {
    let of = |width: u32| i64::from((width / bits.max(1)).clamp(1, 64));
    let (wide, narrow) = (of(target.vector_bits), of(target.full_rate_bits()));
    if widest_only || narrow == wide { vec![wide] } else { vec![wide, narrow] }
}

/// What register tiles are chosen by.
struct Registers {
    count: i64,
    /// The lanes of a vector, the most first.
    lane_counts: Vec<i64>,
    /// Vectors of 512 bits whose products with a number the processor adds up in a cycle.
    rate: f64,
    /// Bytes of the first-level cache.
    l1: i64,
    /// Rows that lie at even distances, where not all do: tiles have even parts of so many.
    line: Option<i64>,
}

impl Registers {
    /// Copies of lines beside a tile have constants, which are so deep in loops that LLVM would rather keep sums in memory.
    fn of(target: &Target, lines: bool, lane_counts: Vec<i64>) -> Self {
        let all = i64::from(target.limits.vector_registers);
        Self {
            count: if lines { all - all / 16 } else { all },
            lane_counts,
            rate: f64::from(target.full_rate_bits()) / 256.0,
            l1: l1(target),
            line: None,
        }
    }
}

/// Bytes of the first-level cache.
fn l1(target: &Target) -> i64 {
    i64::try_from(target.limits.l1_bytes).unwrap_or(0)
}

/// Cycles to copy an element of the columns, which is one of a piece of a line where there are lines.
pub(super) fn copy_cost(c: &Contraction) -> f64 {
    let element = i64::from(c.of_columns.dtype.bits / 8);
    let along = || stride(&c.of_columns, c.columns.axes.last().map(|axis| &axis.var));
    match c.has_lines() {
        false => COPY,
        true if along() == Some(element) => COPY_OF_LINE,
        true => COPY_APART,
    }
}

/// Of all register tiles the one that wastes least: all sums, a row of vectors of the columns and one factor fit into the
/// registers.
fn register_tile(registers: &Registers, sizes: &Sizes) -> RegisterTile {
    let wide = registers.lane_counts.first().copied().unwrap_or(1);
    let widest = |lanes: i64| sizes.columns.map_or(8, |columns| ceil_div(columns, lanes).clamp(1, 8));
    let candidate = |lanes: i64, vectors: i64| {
        let most = ((registers.count - 1 - vectors) / vectors).max(1);
        let part = registers.line.map(|line| even_part(line, most));
        let rows = match sizes.rows {
            _ if let Some(part) = part.filter(|part| part * vectors >= LEAST_PART) => part,
            Some(all) if all > 0 => ceil_div(all, ceil_div(all, most)),
            // With a power of two the last rows need fewer sorts of tiles.
            _ => 1 << most.ilog2(),
        };
        RegisterTile { rows, vectors, lanes }
    };
    let cost = |tile: &RegisterTile| {
        let RegisterTile { rows, vectors, lanes } = *tile;
        let panel = vectors * lanes;
        let waste = match sizes.columns {
            Some(n) => (ceil_div(n, panel) * panel).max(1) as f64 / n.max(1) as f64,
            None => 1.0 + panel as f64 / 2.0 / UNKNOWN,
        };
        let more_instructions = if lanes < wide { NARROW } else { 1.0 };
        // What a row of the panel takes to come from the cache, to what its products take.
        let coming = FROM_CACHE * registers.rate / rows as f64;
        let is_near = panel * sizes.bytes * sizes.depth.unwrap_or(STEP).min(STEP) <= registers.l1;
        let waiting = if is_near { 1.0 } else { 1.0 + (coming - COVERED).max(0.0) };
        let divides = match registers.line {
            Some(line) if line % rows != 0 => DIVIDES,
            _ => 1.0,
        };
        waste * waiting * more_instructions * divides * tile_cost(rows, vectors) / (rows * vectors) as f64
    };
    let of_lanes = |&lanes: &i64| (1..=widest(lanes)).map(move |vectors| candidate(lanes, vectors));
    let all = registers.lane_counts.iter().flat_map(of_lanes);
    all.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(RegisterTile { rows: 1, vectors: 1, lanes: wide })
}

/// A register tile with all rows, where columns come from memory: they are read once, as one run of memory, and not again from
/// a cache for each further tile.
fn tall_tile(registers: &Registers, sizes: &Sizes) -> Option<RegisterTile> {
    let (rows, depth, columns) = (sizes.rows?, sizes.depth?, sizes.columns?);
    let vectors = (registers.count - 1) / (rows + 1);
    let far = depth.saturating_mul(columns).saturating_mul(sizes.bytes) > if vectors == 1 { FARTHEST } else { FAR };
    let row = ceil_div(rows.saturating_mul(sizes.bytes), LINE).saturating_mul(LINE);
    let near_rows = row.saturating_mul(depth) <= NEAR_ROWS;
    let lanes = registers.lane_counts.first().copied()?;
    (far && near_rows && rows > FEW_ROWS && vectors > 0).then_some(RegisterTile { rows, vectors, lanes })
}

/// How many matrices there are. Those that share their columns are one where their rows are known only when the function runs.
fn matrices(c: &Contraction) -> Option<i64> {
    if c.rows.size.as_int().is_some() {
        return c.batch.size.as_int();
    }
    let mut apart = c.batch.axes.iter().filter(|axis| mentions(&c.of_columns, std::slice::from_ref(&axis.var)));
    apart.try_fold(1_i64, |all, axis| all.checked_mul(axis.extent.as_int()?))
}

/// The most rows that may meet on one place of the target's first-level cache, which has a line for each of its ways there.
fn crowd_of_rows(target: &Target) -> i64 {
    (l1(target) / L1_WAY - 1).max(CROWD_OF_ROWS)
}

/// Whether the rows of a register tile are runs of memory that the first-level cache holds beside each other, where so many
/// may meet on one of its places.
fn rows_stay(c: &Contraction, rows: i64, most: i64) -> bool {
    let along = |axis: Option<&Axis>| stride(&c.of_rows, axis.map(|axis| &axis.var));
    let last = |axes: &[Axis]| axes.iter().rfind(|axis| axis.extent.as_int() != Some(1)).cloned();
    let (row, place) = (last(&c.rows.axes), last(&c.depth.axes));
    let element = i64::from(c.of_rows.dtype.bits / 8);
    let runs = place.is_none() || along(place.as_ref()) == Some(element);
    runs && along(row.as_ref()).is_some_and(|stride| crowd(stride, rows, L1_WAY) <= most)
}

/// The longest part of a line, no longer than that, of which it has a whole number.
pub(super) fn even_part(line: i64, most: i64) -> i64 {
    (1..=most).rev().find(|part| line % part == 0).unwrap_or(1)
}

/// Rows along the last of their axes, where rows are pixels of an image with a border, and columns have a place in memory for
/// each of them: parts of such a line are read where they are, without a division for each row.
fn line_of_rows(c: &Contraction) -> Option<i64> {
    let long: Vec<&Axis> = c.rows.axes.iter().filter(|axis| axis.extent.as_int() != Some(1)).collect();
    let [.., outer, inner] = long.as_slice() else { return None };
    let dense = is_dense(&c.of_rows, outer, inner);
    (!dense && !c.has_lines() && rows_stay(c, 1, CROWD_OF_ROWS))
        .then(|| inner.extent.as_int())
        .flatten()
        .filter(|&line| line > 0)
}

/// The depth of steps whose panel of columns the second-level cache holds where it is, which few tiles of rows use. The fewer
/// rows, the shallower steps may be: sums that go to memory and back more often cost less than a copy.
fn depth_that_stays(c: &Contraction, sizes: &Sizes, depth: i64, (vectors, lanes): (i64, i64)) -> Option<i64> {
    let (rows, columns) = sizes.rows.zip(sizes.columns)?;
    let place = c.depth.axes.iter().rfind(|axis| axis.extent.as_int() != Some(1));
    let stride = stride(&c.of_columns, place.map(|axis| &axis.var))?;
    let small = sizes.depth.is_some_and(|depth| depth.saturating_mul(columns) <= SMALL_COPY);
    let few = rows <= MANY_ROWS || small || sizes.batch != Some(1);
    let is_narrow = vectors * lanes * sizes.bytes <= L1_WAY;
    let least = if rows <= FEW_FOR_COPY { LEAST_STEP } else { STEP };
    let shallower = [STEP, STEP * 2 / 3, LEAST_STEP].into_iter().filter(|&about| about >= least);
    let mut depths = std::iter::once(depth).chain(shallower.map(|about| step(depth, lanes, about)));
    let stays = |depth: &i64| crowd(stride, *depth, L2_WAY) <= CROWD && depth.saturating_mul(stride) <= SPAN;
    if few && is_narrow { depths.find(stays) } else { None }
}

/// The depth of a step with all places of the inner axes for each place of the outermost one; steps of one depth where one
/// about as deep divides all.
fn whole_windows(depth: i64, c: &Contraction) -> i64 {
    let inner: i64 = c.depth.axes.iter().skip(1).filter_map(|axis| axis.extent.as_int()).product();
    let inner = inner.max(1);
    let about = (depth / inner).max(1);
    let all = c.depth.axes.first().and_then(|axis| axis.extent.as_int()).unwrap_or(0);
    let even = (about - about / 3..=about + about / 2).filter(|count| all % count == 0);
    even.min_by_key(|count| count.abs_diff(about)).unwrap_or(about) * inner
}

/// Even steps of about [`STEP`], whole vectors long.
fn step(depth: i64, lanes: i64, about: i64) -> i64 {
    if depth <= about + about / 3 {
        return depth;
    }
    let count = (depth + about / 2) / about;
    ceil_div(ceil_div(depth, count), lanes) * lanes
}

/// The depth of even steps whose widened panels the first-level cache holds, where that is deep enough to pay.
fn near_step(t: &Tiling, sizes: &Sizes, target: &Target) -> i64 {
    let most = l1(target) / 3 * 2 / (t.panel() * sizes.bytes).max(1);
    if most < LEAST_STEP || t.depth <= most {
        return t.depth;
    }
    let all = sizes.depth.unwrap_or(most).max(1);
    ceil_div(ceil_div(all, ceil_div(all, most)), t.lanes) * t.lanes
}

/// Whether neighbours along the axis are neighbours in memory.
fn runs_along(factor: &Expr, axis: Option<&Var>) -> bool {
    let Some(axis) = axis else { return false };
    let mut along = false;
    walk(factor, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            let last = indices.iter().rev().find(|index| index.as_int().is_none());
            along |= last.is_some_and(|index| mentions(index, std::slice::from_ref(axis)));
        }
    });
    along
}
