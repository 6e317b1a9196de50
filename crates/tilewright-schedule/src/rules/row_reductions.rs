//! Row reductions: which walk over rows a softmax, a norm or argreduce takes, with which sizes.
//!
//! | rule | rows | walk |
//! |---|---|---|
//! | `softmax` | neighbours in memory | side by side |
//! | `softmax` | longer than `softmax_row_elements` of the machine | by pieces |
//! | `softmax` | others | resident |
//! | `norm` | all stages of a row stay in the first-level cache | resident |
//! | `moments` | longer, or of several axes | by pieces |
//! | `extreme` | neighbours in memory, or not | side by side, or by pieces |
//!
//! A candidate declines where there are too few rows to share: then `rows` takes the function, in parts. Sizes depend
//! on shapes and the target's caches alone.

use tilewright_target::Target;

use super::accesses::gone;
use super::stream::even_part;
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::facts::axes::Group;
use crate::facts::size::signed;
use crate::facts::size::{TASKS, ceil_div};
use crate::families::rows::{Map, RowProgram};
use crate::kernels::cpu::rows::ASSUMED_COLUMNS;
use crate::kernels::cpu::rows::by_pieces::ROWS_BY_PIECES;
use crate::kernels::cpu::rows::resident::ROWS_RESIDENT;
use crate::kernels::cpu::rows::side_by_side::ROWS_SIDE_BY_SIDE;
use crate::plan::cpu::rows::{ByPiecesPlan, ResidentPlan, SideBySidePlan};
use crate::primitive::MULTIPLY_BY_RECIPROCAL;
use crate::trace::Rv;

pub(super) const SOFTMAX: Rule = Rule {
    name: "softmax",
    doc: "A softmax, or its logarithm: maxima, powers and results of rows that follow each other at once, or piece by piece.",
    kernels: &["softmax"],
    offers: Offers::One(|schedule, target| apply(schedule, target, softmax)),
};

pub(super) const NORM: Rule = Rule {
    name: "norm",
    doc: "A norm of many rows: its sums, those that depend on them and results of rows that follow each other, at once.",
    kernels: &["norm"],
    offers: Offers::One(|schedule, target| {
        // Divisions by the root of a variance.
        let last = *schedule.stages()?.last().ok_or_else(gone)?;
        let _ = schedule.on_block(&MULTIPLY_BY_RECIPROCAL, last);
        apply(schedule, target, norm)
    }),
};

pub(super) const MOMENTS: Rule = Rule {
    name: "moments",
    doc: "A norm of rows of one or several axes: the result of a row and the moments of the next one at once, piece by piece.",
    kernels: &["moments"],
    offers: Offers::One(|schedule, target| apply(schedule, target, moments)),
};

pub(super) const EXTREME: Rule = Rule {
    name: "extreme",
    doc: "Indices of greatest or least elements: looked for in one piece of a row, or in a lane for each row.",
    kernels: &["extreme"],
    offers: Offers::One(|schedule, target| apply(schedule, target, extreme)),
};

/// Independent accumulators of a reduction, at most.
const MAX_ACCUMULATORS: i64 = 4;
/// Elements of a piece: two passes over them take longer than to merge a state.
const PIECE_ELEMENTS: i64 = 2048;

/// Rows of a task, at least: the stages that come before the first result have nothing to share cycles with.
const MIN_RESIDENT_ROWS: i64 = 16;

/// Rows of a softmax by pieces at least, unless all have no more elements than `FEW_ELEMENTS`: fewer are shared in
/// parts.
const MIN_LONG_ROWS: i64 = 4;
const FEW_ELEMENTS: i64 = 1 << 18;
/// Rows of a task of long rows.
const LONG_ROWS_PER_TASK: i64 = 4;
/// One over the part of the second-level cache for the exponentials of a long row, and of a strip of rows side by side,
/// which are worked out again sooner: memory is read in longer runs by wider strips.
const KEPT_ROW_OF_L2: u64 = 2;
const KEPT_STRIP_OF_L2: u64 = 16;

/// Rows of a strip at least, unless there are fewer, and at most, with exponentials that are kept or not; of all at
/// least.
const MIN_STRIP: i64 = 64;
const MAX_KEPT_STRIP: i64 = 256;
const MAX_STRIP: i64 = 1024;
const MIN_SIDE_BY_SIDE: i64 = 8;
/// Tasks for which strips are cut where exponentials are not kept.
const WIDE_TASKS: i64 = 4;
/// Elements of a row that are taken in together.
const STEPS: std::ops::RangeInclusive<i64> = 5..=8;
/// Strips of a task at least, if that leaves some tasks: results are written while the next strip is taken in.
const MIN_STRIPS_PER_TASK: i64 = 2;

/// Elements that lie together, and those of a row, of moments at least.
const MIN_MOMENT_COLUMNS: i64 = 32;
const MIN_MOMENT_ELEMENTS: i64 = 512;
/// Tasks of moments where there are rows for as many, and rows of one at least: nothing is written while the first is
/// taken in.
const MOMENT_TASKS: i64 = TASKS / 2;
const MIN_MOMENT_ROWS: i64 = 8;
/// Rows in the second-level cache where the next one is prefetched: the one that is written, the one that is taken in,
/// the next, and what is left of others.
const ROWS_IN_L2: i64 = 4;

/// Elements of a row, and of the longest piece, where an extreme is searched for.
const MIN_SEARCHED: i64 = 256;
const MAX_SEARCHED_PIECE: i64 = 1 << 13;
/// Elements whose search takes as long as to begin one more piece.
const PIECE_OVERHEAD_ELEMENTS: i64 = 512;

/// A walk with its plan.
enum Candidate {
    Resident(ResidentPlan),
    ByPieces(ByPiecesPlan),
    SideBySide(SideBySidePlan),
}

type Candidates = fn(&RowProgram, &Target) -> Result<Candidate, Declined>;

fn apply(schedule: &mut Schedule, target: &Target, candidate: Candidates) -> Result<(), Declined> {
    let last: Rv = *schedule.stages()?.last().ok_or_else(gone)?;
    let (function, _) = schedule.site(last).ok_or_else(gone)?;
    let program = RowProgram::of(function).map_err(|fault| Declined::because(fault.message))?;
    match candidate(&program, target)? {
        Candidate::Resident(plan) => schedule.build(&ROWS_RESIDENT, last, &plan)?,
        Candidate::ByPieces(plan) => schedule.build(&ROWS_BY_PIECES, last, &plan)?,
        Candidate::SideBySide(plan) => schedule.build(&ROWS_SIDE_BY_SIDE, last, &plan)?,
    }
    Ok(())
}

fn lanes(target: &Target) -> i64 {
    i64::from(target.lanes(32)).clamp(1, 64)
}

fn declined<T>(reason: &str) -> Result<T, Declined> {
    Err(Declined::because(reason))
}

/// As many as leave the fewest vectors of a row over.
fn accumulators(columns: i64, lanes: i64) -> i64 {
    let left = |accumulators: &i64| columns / lanes % accumulators;
    [MAX_ACCUMULATORS, 2, 1].into_iter().min_by_key(left).unwrap_or(1)
}

fn column(program: &RowProgram) -> Result<Option<i64>, Declined> {
    let column = program.column().map_err(|fault| Declined::because(fault.message))?;
    Ok(column.extent.as_int())
}

fn softmax(program: &RowProgram, target: &Target) -> Result<Candidate, Declined> {
    if !program.is_softmax() {
        return declined("there is not a maximum, a sum and a result");
    }
    let (columns, lanes) = (column(program)?, lanes(target));
    if let Some(neighbours) = &program.side_by_side {
        return softmax_side_by_side(program, neighbours, target);
    }
    if let Some(columns) = columns.filter(|&columns| columns > signed(target.plan.softmax_row_elements)) {
        return softmax_by_pieces(program, columns, target);
    }
    let accumulators = accumulators(columns.unwrap_or(ASSUMED_COLUMNS).max(1), lanes);
    let max_rows = columns.map_or(MIN_RESIDENT_ROWS, |columns| signed(target.tasks.row_task_elements) / columns.max(1));
    let count = program.rows.size.as_int();
    let rows = match count {
        Some(count) if count < TASKS * MIN_RESIDENT_ROWS.min(max_rows) => return declined("there are few rows"),
        Some(count) => (count / TASKS).min(max_rows),
        None => max_rows,
    };
    let rows = even_part(count, rows, 1).max(1);
    Ok(Candidate::Resident(ResidentPlan { lanes, accumulators, rows }))
}

/// Rows that are too long for several of them to stay in a cache at once.
fn softmax_by_pieces(program: &RowProgram, columns: i64, target: &Target) -> Result<Candidate, Declined> {
    let rows = program.rows.size.as_int();
    if rows.is_some_and(|rows| rows < MIN_LONG_ROWS && rows.saturating_mul(columns) > FEW_ELEMENTS) {
        return declined("there are few long rows");
    }
    let wanted = |rows: i64| even_part(Some(rows), (rows / TASKS).clamp(1, LONG_ROWS_PER_TASK), 1).max(1);
    Ok(Candidate::ByPieces(ByPiecesPlan {
        lanes: lanes(target),
        accumulators: MAX_ACCUMULATORS,
        rows: rows.map_or(LONG_ROWS_PER_TASK, wanted),
        piece: PIECE_ELEMENTS,
        keep: fits_l2(columns, target, KEPT_ROW_OF_L2),
        prefetch_row: false,
    }))
}

/// Whether so many numbers stay in a part of the second-level cache.
fn fits_l2(numbers: i64, target: &Target, part: u64) -> bool {
    u64::try_from(numbers.saturating_mul(4)).is_ok_and(|bytes| bytes <= target.limits.l2_bytes / part)
}

/// Rows that lie side by side: as many together as the cache holds exponentials of, if those are enough to read memory
/// in runs.
fn softmax_side_by_side(program: &RowProgram, neighbours: &Group, target: &Target) -> Result<Candidate, Declined> {
    let (rows, columns, all) = (program.rows.size.as_int(), column(program)?, neighbours.size.as_int());
    if all.is_some_and(|all| all < MIN_SIDE_BY_SIDE) {
        return declined("few rows lie side by side");
    }
    let fits =
        |strip: &i64| columns.is_some_and(|columns| fits_l2(columns.saturating_mul(*strip), target, KEPT_STRIP_OF_L2));
    let halves = std::iter::successors(Some(MAX_KEPT_STRIP), |strip| Some(strip / 2));
    let kept = halves.take_while(|strip| *strip >= MIN_STRIP).find(fits);
    let (widest, wanted) = kept.map_or((MAX_STRIP, WIDE_TASKS), |kept| (kept, TASKS));
    let shared = all.map_or(MAX_STRIP, |all| all.saturating_mul(rows.unwrap_or(TASKS)) / wanted);
    let max_rows = widest.min(shared.max(MIN_STRIP));
    let is_even = |strip: &i64| all.is_some_and(|all| *strip > 0 && all % strip == 0);
    let strip = match all {
        Some(all) if all <= max_rows => all,
        _ => {
            let units = [MIN_STRIP / 4, MIN_STRIP / 16, 1];
            units.map(|unit| even_part(all, max_rows, unit)).into_iter().find(is_even).unwrap_or(max_rows)
        }
    };
    let strips = all.map(|all| ceil_div(all, strip));
    let tasks = rows.zip(strips).map(|(rows, strips)| rows.saturating_mul(strips));
    let several = columns
        .map_or(1, |columns| signed(target.tasks.row_task_elements) / columns.saturating_mul(strip).max(1))
        .max(1);
    let several = tasks.map_or(several, |tasks| {
        let least = if tasks >= MIN_STRIPS_PER_TASK * TASKS / 2 { MIN_STRIPS_PER_TASK } else { 1 };
        even_part(Some(tasks), several.max(least).min((tasks / TASKS).max(least)), 1).max(1)
    });
    let (lanes, steps, keep) = (lanes(target), steps(columns), kept.is_some());
    Ok(Candidate::SideBySide(SideBySidePlan { lanes, rows: several, strip, steps, keep, vectors: 1 }))
}

/// Steps that are taken together: those that are left are taken one by one.
fn steps(columns: Option<i64>) -> i64 {
    match columns {
        Some(columns) if columns < *STEPS.end() => columns.max(1),
        Some(columns) => STEPS.rev().min_by_key(|steps| columns % steps).unwrap_or(*STEPS.end()),
        None => *STEPS.end(),
    }
}

fn norm(program: &RowProgram, target: &Target) -> Result<Candidate, Declined> {
    if program.is_softmax() || matches!(program.map, Map::Index { .. }) || program.side_by_side.is_some() {
        return declined("there are not a few sums of float32 along rows and one result");
    }
    let columns = column(program)?.unwrap_or(ASSUMED_COLUMNS).max(1);
    let Some(count) = program.rows.size.as_int() else { return declined("the number of rows is not known") };
    // The rows of all stages, and one of each parameter of the columns.
    let bytes = (program.depth() as i64 + 2).saturating_mul(columns).saturating_mul(4);
    if u64::try_from(bytes).is_ok_and(|bytes| bytes > target.limits.l1_bytes) {
        return declined("the rows of all stages do not stay in the first cache");
    }
    if count < TASKS * MIN_RESIDENT_ROWS {
        return declined("there are few rows");
    }
    let rows = (count / TASKS).min((signed(target.tasks.row_task_elements) / columns).max(MIN_RESIDENT_ROWS));
    let lanes = lanes(target);
    let (accumulators, rows) = (accumulators(columns, lanes), even_part(Some(count), rows, 1));
    Ok(Candidate::Resident(ResidentPlan { lanes, accumulators, rows }))
}

fn moments(program: &RowProgram, target: &Target) -> Result<Candidate, Declined> {
    let size = |group: &Group| group.size.as_int();
    let (outer, columns) = (size(&program.reduced.outer), size(&program.reduced.inner));
    let Some((outer, columns)) = outer.zip(columns) else { return declined("the length of a row is not known") };
    let count = outer.saturating_mul(columns);
    if columns < MIN_MOMENT_COLUMNS || count < MIN_MOMENT_ELEMENTS {
        return declined("rows are short");
    }
    let rows = program.rows.size.as_int();
    if rows.is_some_and(|rows| rows < TASKS) {
        return declined("there are few rows");
    }
    let max_rows = (signed(target.tasks.row_task_elements) / count).max(MIN_MOMENT_ROWS);
    let rows =
        rows.map_or(MIN_MOMENT_ROWS, |rows| even_part(Some(rows), (rows / MOMENT_TASKS).min(max_rows).max(1), 1));
    let bytes = count.saturating_mul(4 * ROWS_IN_L2);
    let prefetch_row = u64::try_from(bytes).is_ok_and(|bytes| bytes <= target.limits.l2_bytes);
    let (lanes, piece) = (lanes(target), PIECE_ELEMENTS.min(count));
    let accumulators = accumulators(columns.min(piece), lanes);
    Ok(Candidate::ByPieces(ByPiecesPlan { lanes, accumulators, rows, piece, keep: false, prefetch_row }))
}

fn extreme(program: &RowProgram, target: &Target) -> Result<Candidate, Declined> {
    if matches!(program.map, Map::Elements(_)) {
        return declined("there is not an extreme and its index");
    }
    let unknown = || Declined::because("the number of rows, or of their elements, is not known");
    let (rows, columns) = (program.rows.size.as_int(), column(program)?.ok_or_else(unknown)?);
    let lanes = lanes(target);
    let (rows, piece, work) = match &program.side_by_side {
        None => {
            if columns < MIN_SEARCHED {
                return declined("rows are short");
            }
            let piece = columns.saturating_mul(PIECE_OVERHEAD_ELEMENTS).isqrt();
            (rows, piece.clamp(MIN_SEARCHED, MAX_SEARCHED_PIECE), columns)
        }
        Some(neighbours) => {
            let all = neighbours.size.as_int().ok_or_else(unknown)?;
            // Strips enough to share where there are few other rows.
            let max_rows = (all.saturating_mul(rows.unwrap_or(TASKS)) / TASKS).clamp(MIN_STRIP, MAX_STRIP);
            let mut strips = (MIN_STRIP.min(all)..=max_rows.max(all.min(MIN_STRIP))).rev();
            let Some(strip) = strips.find(|strip| all % strip == 0) else {
                return declined("rows side by side are not even strips");
            };
            (rows.map(|rows| rows.saturating_mul(all / strip)), strip, columns.saturating_mul(strip))
        }
    };
    // Few rows are better taken apart.
    let is_much =
        |rows: i64| u64::try_from(rows.saturating_mul(work)).is_ok_and(|all| all > target.tasks.serial_cycles);
    if rows.is_some_and(|rows| rows < TASKS && is_much(rows)) {
        return declined("there are few rows");
    }
    let max_rows = (signed(target.tasks.row_task_elements) / work.max(1)).max(1);
    let several = even_part(rows, rows.map_or(max_rows, |rows| max_rows.min((rows / TASKS).max(1))), 1).max(1);
    let accumulators = if piece >= 4 * lanes { MAX_ACCUMULATORS } else { 1 };
    Ok(match program.side_by_side {
        None => {
            let rows = several;
            Candidate::ByPieces(ByPiecesPlan { lanes, accumulators, rows, piece, keep: false, prefetch_row: false })
        }
        Some(_) => {
            let (rows, strip, vectors) = (several, piece, accumulators);
            Candidate::SideBySide(SideBySidePlan { lanes, rows, strip, steps: 1, keep: false, vectors })
        }
    })
}
