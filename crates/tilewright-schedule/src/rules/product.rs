//! `product`: functions whose heavy stage sums products, with what comes before computed where it is read and what follows
//! computed on finished tiles.
//!
//! The sizes of the register tile follow from the registers and lanes of the target and from the extents: of all numbers of
//! vectors the one whose tiles waste least. A step of the depth keeps a panel of the columns and a tile of the rows near the
//! first-level cache, a block of rows stays in the second-level one, and tasks are as many as shall share the work evenly.

use tilewright_expr::node::walk;
use tilewright_ir::Attr;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, IterKind, StmtKind, Var};
use tilewright_target::Target;

use super::accesses::gone;
use super::calls::{int, text};
use super::{Declined, Rule};
use crate::Schedule;
use crate::guard::mentions;
use crate::primitive::tile_product::{Contraction, PackColumns, PackRows, Tiling, is_constant, is_of_pairs};
use crate::trace::{Arg, Rv};

pub(super) const PRODUCT: Rule = Rule {
    name: "product",
    doc: "A sum of products (a matrix product, a convolution): register tiles, blocks by cache, what follows on finished tiles.",
    apply,
};

/// Multiplications that are worth a task of their own.
const TASK: i64 = 500_000;
/// Tasks among which work is shared, where there is enough.
const TASKS: i64 = 16;
/// Extents that are known only when the function runs are planned for as if they were this.
const UNKNOWN: i64 = 256;
/// The depth of a step.
const STEP: i64 = 384;
/// Rows of a block.
const ROWS: i64 = 192;
/// Rows of a block where tasks copy the columns: the more rows use a copy, the better.
const ROWS_PER_COPY: i64 = 512;
/// Columns of a block.
const COLUMNS: i64 = 1024;
/// Elements of columns with lines that are copied before the product runs: few enough to stay in a cache.
const SMALL_COPY: i64 = 1 << 19;
/// Rows below which those of a task are not split where each task copies the columns.
const SHARED_ROWS: i64 = 128;
/// Rows that can be read in place without being in each other's way in the cache.
const FEW_ROWS: i64 = 4;

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let heavy = heavy_stage(schedule)?;
    let mut padded = Vec::new();
    for stage in schedule.stages()? {
        if is_same(schedule, stage, heavy) {
            continue;
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
    let tiling = tiling(&contraction, constant, target)?;
    padded.into_iter().try_for_each(|stage| line_by_line(schedule, stage))?;
    let sizes = [tiling.rows, tiling.vectors, tiling.lanes, tiling.depth, tiling.row_block, tiling.column_block];
    let args = std::iter::once(Arg::Rv(heavy))
        .chain(sizes.map(int))
        .chain([text(tiling.pack_rows.name()), text(tiling.pack_columns.name())])
        .chain([Arg::Attr(Attr::Bool(tiling.pairs))])
        .collect();
    schedule.apply_named("tile_product", args)?;
    Ok(())
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

fn is_same(schedule: &Schedule, a: Rv, b: Rv) -> bool {
    matches!((schedule.stmt(a), schedule.stmt(b)), (Some(a), Some(b)) if a.same(&b))
}

/// The only stage that reduces.
fn heavy_stage(schedule: &mut Schedule) -> Result<Rv, Declined> {
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
struct Sizes {
    batch: Option<i64>,
    rows: Option<i64>,
    columns: Option<i64>,
    depth: Option<i64>,
}

fn tiling(c: &Contraction, constant: bool, target: &Target) -> Result<Tiling, Declined> {
    let of = |size: &Expr| size.as_int();
    let sizes = Sizes {
        batch: of(&c.batch.size),
        rows: of(&c.rows.size),
        columns: of(&c.columns.size),
        depth: of(&c.depth.size),
    };
    let bits = u32::from(c.out.dtype.bits);
    let lanes = i64::from(target.lanes(bits).clamp(1, 64));
    let registers = i64::from(target.limits.vector_registers);
    let (rows, vectors) = register_tile(registers, lanes, &sizes);
    let depth = sizes.depth.unwrap_or(STEP).max(1);
    let single_tile = sizes.rows.is_some_and(|all| all <= rows);
    let depth = if single_tile { depth.min(1 << 14) } else { step(depth, lanes, STEP) };
    let pairs = is_of_pairs(c) && target.has("avx512bf16") && sizes.rows != Some(1);
    let pack_rows = match sizes.rows {
        _ if pairs => PackRows::RowMajor,
        Some(..=FEW_ROWS) => PackRows::InPlace,
        _ if runs_along(&c.of_rows, c.depth.axes.last().map(|axis| &axis.var)) => PackRows::RowMajor,
        _ => PackRows::ColumnMajor,
    };
    let lines = c.has_lines();
    let along_columns = runs_along(&c.of_columns, c.columns.axes.last().map(|axis| &axis.var));
    let copied = sizes.depth.zip(sizes.columns).map(|(depth, columns)| depth.saturating_mul(columns));
    if sizes.rows == Some(1) && !constant && (lines || !along_columns) {
        return Err(Declined::because("there is one row, and its columns are not side by side in memory"));
    }
    let pack_columns = if constant {
        PackColumns::Ahead
    } else if single_tile && along_columns && !lines && !pairs {
        PackColumns::InPlace
    } else if sizes.batch == Some(1) && sizes.rows.is_some() && (!lines || copied.is_some_and(|n| n <= SMALL_COPY)) {
        PackColumns::Ahead
    } else {
        PackColumns::Task
    };
    let depth = match (lines, pairs) {
        (true, _) => whole_windows(depth, c),
        // Two bfloat16 take the place of one float32.
        (_, true) => {
            (if single_tile { depth } else { step(sizes.depth.unwrap_or(STEP).max(1), lanes, 2 * STEP) } + 1) / 2 * 2
        }
        _ => depth,
    };
    let mut found =
        Tiling { rows, vectors, lanes, depth, row_block: 0, column_block: 0, pack_rows, pack_columns, pairs };
    blocks(&mut found, &sizes);
    Ok(found)
}

/// Rows and vectors of the register tile: all sums, a row of vectors of the columns and one factor fit into the registers.
fn register_tile(registers: i64, lanes: i64, sizes: &Sizes) -> (i64, i64) {
    let widest = sizes.columns.map_or(8, |columns| ((columns + lanes - 1) / lanes).clamp(1, 8));
    let candidate = |vectors: i64| {
        let most = ((registers - 1 - vectors) / vectors).max(1);
        let rows = match sizes.rows {
            Some(all) if all > 0 => {
                let tiles = (all + most - 1) / most;
                (all + tiles - 1) / tiles
            }
            // With a power of two the last rows need fewer sorts of tiles.
            _ => 1 << most.ilog2(),
        };
        (rows, vectors)
    };
    let cost = |&(rows, vectors): &(i64, i64)| {
        let panel = vectors * lanes;
        let waste =
            sizes.columns.filter(|&n| n > 0).map_or(1.0, |n| ((n + panel - 1) / panel * panel) as f64 / n as f64);
        let (work, loads) = ((rows * vectors) as f64, (rows + vectors) as f64);
        // Fewer sums than this wait for each other.
        let time = work.max(8.0) + 0.15 * loads;
        waste * time / work
    };
    let all = (1..=widest).map(candidate);
    all.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or((1, 1))
}

/// The depth of a step with all places of the inner axes for each place of the outermost one.
fn whole_windows(depth: i64, c: &Contraction) -> i64 {
    let inner: i64 = c.depth.axes.iter().skip(1).filter_map(|axis| axis.extent.as_int()).product();
    let inner = inner.max(1);
    (depth / inner).max(1) * inner
}

/// Even steps of about [`STEP`], whole vectors long.
fn step(depth: i64, lanes: i64, about: i64) -> i64 {
    if depth <= about + about / 3 {
        return depth;
    }
    let count = (depth + about / 2) / about;
    let even = (depth + count - 1) / count;
    (even + lanes - 1) / lanes * lanes
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

/// Rows and columns of a task.
fn blocks(t: &mut Tiling, sizes: &Sizes) {
    let known = |size: Option<i64>| size.unwrap_or(UNKNOWN).max(1);
    let (rows, columns, depth, batch) =
        (known(sizes.rows), known(sizes.columns), known(sizes.depth), known(sizes.batch));
    let most = if t.pack_columns == PackColumns::Task { ROWS_PER_COPY } else { ROWS };
    let least = if t.pack_columns == PackColumns::Task { SHARED_ROWS.max(t.rows) } else { t.rows };
    t.row_block = row_block(sizes.rows, t.rows, most);
    let panels = (columns + t.panel() - 1) / t.panel();
    let mut per_task = (COLUMNS / t.panel()).clamp(1, panels);
    loop {
        let tasks = batch * ((rows + t.row_block - 1) / t.row_block) * ((panels + per_task - 1) / per_task);
        let work = t.row_block.min(rows).saturating_mul(per_task * t.panel()).saturating_mul(depth);
        if tasks >= TASKS || work < 2 * TASK {
            break;
        }
        if per_task > 1 {
            per_task = (per_task + 1) / 2;
        } else if t.row_block > least && sizes.rows.is_some() {
            t.row_block = row_block(sizes.rows, t.rows, t.row_block / 2);
        } else {
            break;
        }
    }
    let count = (panels + per_task - 1) / per_task;
    t.column_block = (panels + count - 1) / count * t.panel();
}

/// Rows of a block: an even part of all of them, at most so many.
fn row_block(rows: Option<i64>, tile: i64, most: i64) -> i64 {
    let whole_tiles = |rows: i64| ((rows + tile - 1) / tile * tile).clamp(1, 1 << 15);
    let Some(rows) = rows.filter(|&rows| rows > 0) else { return whole_tiles(most.min(ROWS) - tile + 1) };
    if rows <= most + most / 3 {
        return rows;
    }
    let least = (rows + most - 1) / most;
    match (least..=least * 2).find(|blocks| rows % blocks == 0) {
        Some(blocks) => rows / blocks,
        None => whole_tiles((rows + least - 1) / least),
    }
}
