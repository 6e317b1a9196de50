//! Rows and columns of a task of a product.
//!
//! Of all ways to cut rows and columns into blocks the one that costs least is taken, in cycles of one core: register tiles
//! cost more the fewer sums they have, rows that are copied are copied once for each block of columns, and columns are read
//! again by each block of rows. There have to be tasks enough to share the work.

use super::tiling::Sizes;
use crate::facts::size::{TASKS, ceil_div};
use crate::plan::cpu::gemm::{GemmPlan, PackA, PackB};

/// Multiplications that are worth a task of their own.
const TASK: i64 = 1_000_000;
/// What each task that is missing adds to the cost.
const MISSING: f64 = 0.01;
/// Extents that are known only when the function runs are planned for as if they were this.
pub(super) const UNKNOWN: i64 = 256;
/// Rows of a block.
const ROWS: i64 = 192;
/// Rows of a block where tasks copy the columns: the more rows use a copy, the better.
const ROWS_PER_COPY: i64 = 512;
/// Columns of a block.
const COLUMNS: i64 = 1024;
/// Cores that are there at least: with fewer tasks in the last round than cores, some have nothing to do.
const CORES: i64 = 2;
/// Bytes of columns that the caches of a core hold.
const NEAR: f64 = 1e6;
/// Cycles to copy an element, to read one again that is in no cache near by (alone, or among its neighbours), and to begin a
/// task.
pub(super) const COPY: f64 = 0.2;
const READ: f64 = 0.2;
const STREAM: f64 = 0.05;
/// Cycles to read an element from memory that few rows wait for.
const AWAITED: f64 = 0.5;
const BEGIN: f64 = 2000.0;
/// Cycles until memory is read fast behind the beginning of a run of columns.
const JUMP: f64 = 400.0;
/// Cycles until columns that are read where they are come fast again behind the beginning of another run of them: most such
/// runs begin in a page of their own.
const HOP: f64 = 55.0;
/// What blocks of rows of different sizes add to the cost: tiles of more sizes.
const RAGGED: f64 = 1.01;

/// Chooses the rows and columns of a task.
pub(super) fn blocks(t: &mut GemmPlan, sizes: &Sizes) {
    let known = |size: Option<i64>| size.unwrap_or(UNKNOWN).max(1);
    let columns = known(sizes.columns);
    let most = if t.pack_b == PackB::PerTask { ROWS_PER_COPY } else { ROWS };
    let panels = ceil_div(columns, t.panel());
    let work = [sizes.batch, sizes.rows, sizes.columns, sizes.depth]
        .map(known)
        .iter()
        .fold(1, |a: i64, b| a.saturating_mul(*b));
    let wanted = (work / TASK).clamp(1, TASKS);
    let (mut best, mut found) = (f64::INFINITY, (t.mr, 1));
    for rows in row_blocks(sizes.rows, t.mr, most) {
        let widest = if sizes.streamed { 2 * COLUMNS } else { COLUMNS };
        let mut per_task = (widest / t.panel()).clamp(1, panels);
        loop {
            let even = ceil_div(panels, ceil_div(panels, per_task));
            let cost = cost(t, sizes, (rows, even), wanted);
            if cost < best {
                (best, found) = (cost, (rows, even));
            }
            if per_task == 1 {
                break;
            }
            per_task = ceil_div(per_task, 2);
        }
    }
    (t.mc, t.nc) = (found.0, found.1 * t.panel());
}

/// The cycles that all tasks of so many rows and panels take.
fn cost(t: &GemmPlan, sizes: &Sizes, (rows, per_task): (i64, i64), wanted: i64) -> f64 {
    let known = |size: Option<i64>| size.unwrap_or(UNKNOWN).max(1);
    let (all, columns, depth, batch) =
        (known(sizes.rows), known(sizes.columns), known(sizes.depth) as f64, known(sizes.batch));
    let panels = ceil_div(columns, t.panel());
    let (row_blocks, column_blocks) = (ceil_div(all, rows), ceil_div(panels, per_task));
    let tasks = batch * row_blocks * column_blocks;
    let (whole, rest) = (all / rows, all % rows);
    let tiles = match rest {
        0 => whole as f64 * tiles_cost(t, rows),
        // Where the last block has fewer rows than the others, all blocks have whole tiles and powers of two.
        _ => {
            let tiles = (whole * (rows / t.mr) + rest / t.mr) as f64 * tile_cost(t.mr, t.nr_vectors);
            let others = whole as f64 * powers_cost(t, rows % t.mr) + powers_cost(t, rest % t.mr);
            (tiles + others) * RAGGED
        }
    };
    let copied = match t.pack_a {
        PackA::InPlace => 0.0,
        _ => (column_blocks * all) as f64 * depth * COPY,
    };
    let read = match t.pack_b {
        PackB::PerTask => sizes.copy,
        PackB::InPlace if columns as f64 * depth * sizes.bytes as f64 > NEAR => READ,
        PackB::Ahead if sizes.awaited => AWAITED,
        PackB::InPlace | PackB::Ahead => STREAM,
    };
    let jump = match t.pack_b {
        PackB::InPlace if sizes.streamed => JUMP,
        PackB::InPlace => HOP,
        PackB::PerTask | PackB::Ahead => 0.0,
    };
    let jumps = (row_blocks * column_blocks) as f64 * depth * jump;
    let one = tiles * panels as f64 * depth + copied + jumps + row_blocks as f64 * columns as f64 * depth * read;
    let uneven = (ceil_div(tasks, CORES) * CORES) as f64 / tasks as f64;
    (batch as f64 * one + tasks as f64 * BEGIN) * uneven * (1.0 + MISSING * (wanted - tasks).max(0) as f64)
}

/// Cycles of register tiles of so many rows, for each panel and place of the depth.
fn tiles_cost(t: &GemmPlan, rows: i64) -> f64 {
    if rows <= 0 {
        return 0.0;
    }
    let tiles = ceil_div(rows, t.mr);
    let (small, larger) = (rows / tiles, rows % tiles);
    larger as f64 * tile_cost(small + 1, t.nr_vectors) + (tiles - larger) as f64 * tile_cost(small, t.nr_vectors)
}

/// The same, of tiles that have powers of two of rows.
fn powers_cost(t: &GemmPlan, rows: i64) -> f64 {
    let powers = (0..i64::BITS - 1).map(|power| 1_i64 << power).filter(|size| rows & size != 0);
    powers.map(|size| tile_cost(size, t.nr_vectors)).sum()
}

/// Cycles of what a register tile loads at a place of the depth.
pub(super) fn loads_cost(rows: i64, vectors: i64) -> f64 {
    0.15 * (rows + vectors) as f64
}

/// Cycles of one register tile at a place of the depth: fewer sums than eight wait for each other.
pub(super) fn tile_cost(rows: i64, vectors: i64) -> f64 {
    ((rows * vectors) as f64).max(8.0) + loads_cost(rows, vectors)
}

/// Sizes of blocks of rows, of about so many rows at most: even parts of all of them, and such of whole tiles.
fn row_blocks(rows: Option<i64>, tile: i64, most: i64) -> Vec<i64> {
    let Some(rows) = rows.filter(|&rows| rows > 0) else {
        return vec![whole_tiles(most.min(ROWS) - tile + 1, tile)];
    };
    let mut found = Vec::new();
    let mut most = most;
    loop {
        if rows <= most + most / 3 {
            found.push(rows);
        } else {
            let least = ceil_div(rows, most);
            found.push(whole_tiles(ceil_div(rows, least), tile));
            found.extend((least..=least * 2).find(|blocks| rows % blocks == 0).map(|blocks| rows / blocks));
        }
        if most <= tile {
            return found;
        }
        most /= 2;
    }
}

fn whole_tiles(rows: i64, tile: i64) -> i64 {
    (ceil_div(rows, tile) * tile).clamp(1, 1 << 15)
}
