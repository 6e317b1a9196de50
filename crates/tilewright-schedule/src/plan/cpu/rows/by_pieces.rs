//! The plan of rows that are taken piece by piece (`kernels::cpu::rows::by_pieces`).

use tilewright_target::Target;

use super::cost::Work;
use super::{ByPiecesPlan, MAX_ACCUMULATORS, accumulators, declined, fits, lanes, rows_per_task};
use crate::analysis::axes::Group;
use crate::families::rows::{Map, RowProgram};
use crate::plan::{Cost, Declined};
use crate::units::{TASKS, ceil_div, even_part, signed};

/// Elements of a piece: two passes over them take longer than to merge a state.
const PIECE_ELEMENTS: i64 = 2048;

/// Rows of a long softmax at least, unless all have no more elements than `FEW_ELEMENTS`: fewer are shared in parts.
const MIN_LONG_ROWS: i64 = 4;
const FEW_ELEMENTS: i64 = 1 << 18;
/// Rows of a task of long rows.
const LONG_ROWS_PER_TASK: i64 = 4;
/// One over the part of the second-level cache for the exponentials of a long row.
const KEPT_PART_OF_L2: u64 = 2;

/// Elements along the inner axes, and of a row, at least.
const MIN_COLUMNS: i64 = 32;
const MIN_ELEMENTS: i64 = 512;
/// Tasks where there are rows for as many, and rows of one at least: nothing is written while the first is reduced.
const WANTED_TASKS: i64 = TASKS / 2;
const MIN_ROWS: i64 = 8;
/// Rows in the second-level cache where the next one is prefetched: the one that is written, the one that is reduced,
/// the next, and what is left of others.
const ROWS_IN_L2: i64 = 4;

/// Elements of a row at least, and of the longest piece at most, of argreduce.
const MIN_SEARCHED: i64 = 256;
const MAX_SEARCHED_PIECE: i64 = 1 << 13;
/// Elements whose search takes as long as to begin one more piece.
const PIECE_OVERHEAD_ELEMENTS: i64 = 512;

/// The plan, and what it costs beyond the work of all walks: a run waits for its horizontal reduction, and a row for
/// its total; exponentials that are not kept are worked out again.
pub(crate) fn choose(program: &RowProgram, target: &Target) -> Result<(ByPiecesPlan, Cost), Declined> {
    program.contiguous()?;
    let plan = match (&program.map, long_softmax_row(program, target)) {
        (Map::Index { .. }, _) => argreduce(program, target)?,
        (Map::Elements(_), Some(columns)) => long_softmax(program, columns, target)?,
        (Map::Elements(_), None) => many_rows(program, target)?,
    };
    let work = Work::of(program, target);
    let pieces = ceil_div((work.elements / work.rows) as i64, plan.piece);
    let folds = work.rows * (pieces + 1) as f64;
    let cost = work.cost().with("fold runs", folds * work.fold_cycles(plan.accumulators));
    let again = if plan.keep { 0.0 } else { work.terms_again() };
    Ok((plan, cost.with("exponentials again", again)))
}

/// The length of a softmax's rows that are too long for several of them to stay in a cache at once.
fn long_softmax_row(program: &RowProgram, target: &Target) -> Option<i64> {
    let columns = program.column().ok()?.extent.as_int()?;
    (program.is_softmax() && columns > signed(target.plan.softmax_row_elements)).then_some(columns)
}

fn long_softmax(program: &RowProgram, columns: i64, target: &Target) -> Result<ByPiecesPlan, Declined> {
    let rows = program.rows.size.as_int();
    if rows.is_some_and(|rows| rows < MIN_LONG_ROWS && rows.saturating_mul(columns) > FEW_ELEMENTS) {
        return declined("there are few long rows");
    }
    let wanted = |rows: i64| even_part(Some(rows), (rows / TASKS).clamp(1, LONG_ROWS_PER_TASK), 1).max(1);
    Ok(ByPiecesPlan {
        lanes: lanes(target),
        accumulators: MAX_ACCUMULATORS,
        rows: rows.map_or(LONG_ROWS_PER_TASK, wanted),
        piece: PIECE_ELEMENTS,
        keep: fits(columns, target.limits.l2_bytes / KEPT_PART_OF_L2),
        prefetch_row: false,
    })
}

/// Rows enough for some of each task: of norms, of a softmax of several axes or whose rows are too few to be resident.
fn many_rows(program: &RowProgram, target: &Target) -> Result<ByPiecesPlan, Declined> {
    let size = |group: &Group| group.size.as_int();
    let (outer, columns) = (size(&program.reduced.outer), size(&program.reduced.inner));
    let Some((outer, columns)) = outer.zip(columns) else { return declined("the length of a row is not known") };
    let elements = outer.saturating_mul(columns);
    if columns < MIN_COLUMNS || elements < MIN_ELEMENTS {
        return declined("rows are short");
    }
    let rows = program.rows.size.as_int();
    if rows.is_some_and(|rows| rows < TASKS) {
        return declined("there are few rows");
    }
    let max_rows = rows_per_task(elements, target).max(MIN_ROWS);
    let wanted = |rows: i64| even_part(Some(rows), (rows / WANTED_TASKS).min(max_rows).max(1), 1);
    let (lanes, piece) = (lanes(target), PIECE_ELEMENTS.min(elements));
    Ok(ByPiecesPlan {
        lanes,
        accumulators: accumulators(columns.min(piece), lanes),
        rows: rows.map_or(MIN_ROWS, wanted),
        piece,
        keep: false,
        prefetch_row: fits(elements.saturating_mul(ROWS_IN_L2), target.limits.l2_bytes),
    })
}

/// Argreduce: pieces long enough that to begin one costs less than the search in it.
fn argreduce(program: &RowProgram, target: &Target) -> Result<ByPiecesPlan, Declined> {
    let Some(columns) = program.column()?.extent.as_int() else { return declined("the length of a row is not known") };
    if columns < MIN_SEARCHED {
        return declined("rows are short");
    }
    let piece = columns.saturating_mul(PIECE_OVERHEAD_ELEMENTS).isqrt().clamp(MIN_SEARCHED, MAX_SEARCHED_PIECE);
    let rows = argreduce_rows(program.rows.size.as_int(), columns, target)?;
    let lanes = lanes(target);
    let accumulators = argreduce_accumulators(piece, lanes);
    Ok(ByPiecesPlan { lanes, accumulators, rows, piece, keep: false, prefetch_row: false })
}

/// Rows, or strips of rows, of a task of argreduce, of so many elements each; few that are long are better taken in
/// parts.
pub(super) fn argreduce_rows(rows: Option<i64>, elements: i64, target: &Target) -> Result<i64, Declined> {
    let is_much =
        |rows: i64| u64::try_from(rows.saturating_mul(elements)).is_ok_and(|all| all > target.tasks.serial_cycles);
    if rows.is_some_and(|rows| rows < TASKS && is_much(rows)) {
        return declined("there are few rows");
    }
    let max_rows = rows_per_task(elements, target);
    Ok(even_part(rows, rows.map_or(max_rows, |rows| max_rows.min((rows / TASKS).max(1))), 1).max(1))
}

/// Independent accumulators of argreduce in pieces, or strips, of so many elements.
pub(super) fn argreduce_accumulators(piece: i64, lanes: i64) -> i64 {
    if piece >= MAX_ACCUMULATORS * lanes { MAX_ACCUMULATORS } else { 1 }
}
