//! Kernels of row reductions by the names of what they are for: `pipeline_softmax` and `pipeline_norm` (rows that stay in the
//! first-level cache), `softmax_by_pieces`, `pipeline_moments` and `seek_extreme` (rows taken piece by piece), and
//! `softmax_side_by_side`, `seek_extreme` (rows whose neighbours are neighbours in memory).
//!
//! The function has to be the row reduction and nothing else (`families::rows`); the block is the one that gives the result. All
//! loops are written by a walk of `kernels::cpu::rows`.

use super::{Call, Default, Fault, Outcome, Primitive};
use crate::families::rows::{Combine, Map, RowProgram};
use crate::kernels::cpu::rows::by_pieces::{self, ByPieces};
use crate::kernels::cpu::rows::side_by_side::{self, SideBySide};
use crate::kernels::cpu::rows::{Sizes, resident};
use crate::tree::Site;
use tilewright_ir::tir::Stmt;

pub(super) const PIPELINE_SOFTMAX: Primitive = Primitive {
    name: "PipelineSoftmax",
    method: "pipeline_softmax",
    doc: "Runs the stages of a softmax at once: the maximum of a row, the powers of the row before it, the results \
          of the one before that.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(32)),
    ],
    gives_list: false,
    run: |call| run(call, softmax, resident),
};

pub(super) const PIPELINE_NORM: Primitive = Primitive {
    name: "PipelineNorm",
    method: "pipeline_norm",
    doc: "Runs the stages of a norm at once: the sums of a row, those of the row before it that depend on them, the \
          results of the one before that.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(32)),
    ],
    gives_list: false,
    run: |call| run(call, norm, resident),
};

pub(super) const SOFTMAX_BY_PIECES: Primitive = Primitive {
    name: "SoftmaxByPieces",
    method: "softmax_by_pieces",
    doc: "Writes the result of a row of a softmax while maximum and sum of the next one are taken, piece by piece.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(1)),
        ("piece", Default::Int(2048)),
        ("keep", Default::Bool(false)),
    ],
    gives_list: false,
    run: |call| {
        run(call, softmax, |call, site, program| {
            let plan = ByPieces { sizes: sizes(call)?, piece: piece(call)?, keep: call.flag(5)?, next_row: false };
            by_pieces::kernel((call.function, site), program, &plan)
        })
    },
};

pub(super) const PIPELINE_MOMENTS: Primitive = Primitive {
    name: "PipelineMoments",
    method: "pipeline_moments",
    doc: "Writes the result of a row of a norm while mean and variance of the next one are taken, piece by piece.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(1)),
        ("piece", Default::Int(2048)),
        ("ahead", Default::Bool(false)),
    ],
    gives_list: false,
    run: |call| {
        run(call, moments, |call, site, program| {
            let plan = ByPieces { sizes: sizes(call)?, piece: piece(call)?, keep: false, next_row: call.flag(5)? };
            by_pieces::kernel((call.function, site), program, &plan)
        })
    },
};

pub(super) const SOFTMAX_SIDE_BY_SIDE: Primitive = Primitive {
    name: "SoftmaxSideBySide",
    method: "softmax_side_by_side",
    doc: "Takes a softmax of rows that lie side by side in lots: maximum and sum at once, then the results.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("rows", Default::Int(1)),
        ("lot", Default::Int(256)),
        ("steps", Default::Int(8)),
        ("keep", Default::Bool(false)),
    ],
    gives_list: false,
    run: |call| {
        run(call, softmax, |call, site, program| {
            let plan = SideBySide {
                lanes: call.power_of_two(1, "lanes", MAX_LANES)?,
                vectors: 1,
                strips_per_task: call.size(2, "rows", 1..=MAX_ROWS)?,
                strip: call.size(3, "lot", 1..=MAX_PIECE)?,
                steps: call.size(4, "steps", 1..=MAX_STEPS)?,
                keep: call.flag(5)?,
            };
            side_by_side::kernel((call.function, site), program, &plan)
        })
    },
};

pub(super) const SEEK_EXTREME: Primitive = Primitive {
    name: "SeekExtreme",
    method: "seek_extreme",
    doc: "Looks for the place of an extreme in the piece of its row that has it, or in a lane for each row.",
    params: &[
        ("block", Default::Required),
        ("lanes", Default::Required),
        ("accumulators", Default::Int(4)),
        ("rows", Default::Int(1)),
        ("piece", Default::Int(2048)),
    ],
    gives_list: false,
    run: |call| run(call, argreduce, seek),
};

/// Lanes of a vector, accumulators, rows of a task, elements of a piece or rows of a strip, and steps taken together, at most.
const MAX_LANES: i64 = 64;
const MAX_ACCUMULATORS: i64 = 16;
const MAX_ROWS: i64 = 1 << 16;
const MAX_PIECE: i64 = 1 << 14;
const MAX_STEPS: i64 = 16;

/// The root block's statements become a kernel of the row reduction that the function has to be.
fn run(
    call: &Call<'_>,
    check: fn(&RowProgram) -> Result<(), Fault>,
    kernel: impl FnOnce(&Call<'_>, &Site, &RowProgram) -> Result<Stmt, Fault>,
) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    call.with_root_body(&site, || {
        let at_block = |fault: Fault| Fault::at(&site, fault.message);
        let program = RowProgram::of(call.function).map_err(at_block)?;
        check(&program).map_err(at_block)?;
        kernel(call, &site, &program).map_err(|fault| if fault.path.is_none() { at_block(fault) } else { fault })
    })
}

fn resident(call: &Call<'_>, site: &Site, program: &RowProgram) -> Result<Stmt, Fault> {
    resident::kernel((call.function, site), program, sizes(call)?)
}

fn seek(call: &Call<'_>, site: &Site, program: &RowProgram) -> Result<Stmt, Fault> {
    let (sizes, piece) = (sizes(call)?, piece(call)?);
    if program.side_by_side.is_none() {
        let plan = ByPieces { sizes, piece, keep: false, next_row: false };
        return by_pieces::kernel((call.function, site), program, &plan);
    }
    let plan = SideBySide {
        lanes: sizes.lanes,
        vectors: sizes.accumulators,
        strips_per_task: sizes.rows_per_task,
        strip: piece,
        steps: 1,
        keep: false,
    };
    side_by_side::kernel((call.function, site), program, &plan)
}

/// The arguments `lanes, accumulators, rows` after the block.
fn sizes(call: &Call<'_>) -> Result<Sizes, Fault> {
    Ok(Sizes {
        lanes: call.power_of_two(1, "lanes", MAX_LANES)?,
        accumulators: call.power_of_two(2, "accumulators", MAX_ACCUMULATORS)?,
        rows_per_task: call.size(3, "rows", 1..=MAX_ROWS)?,
    })
}

fn piece(call: &Call<'_>) -> Result<i64, Fault> {
    call.size(4, "piece", 1..=MAX_PIECE)
}

fn is_softmax(program: &RowProgram) -> bool {
    program.reductions.iter().any(|reduction| reduction.fold.op == Combine::Greater)
}

fn softmax(program: &RowProgram) -> Result<(), Fault> {
    if is_softmax(program) { Ok(()) } else { Err(Fault::of_call("there is not a maximum, a sum and a result")) }
}

pub(crate) fn norm(program: &RowProgram) -> Result<(), Fault> {
    if is_softmax(program) || matches!(program.map, Map::Place { .. }) {
        return Err(Fault::of_call("there are not a few sums of float32 and one result"));
    }
    program.check_cost(&program.reductions)
}

fn moments(program: &RowProgram) -> Result<(), Fault> {
    if is_softmax(program) || matches!(program.map, Map::Place { .. }) || program.reductions.len() > 2 {
        return Err(Fault::of_call("there are not one or two sums and one result"));
    }
    program.check_cost(program.reductions.get(..1).unwrap_or_default())
}

fn argreduce(program: &RowProgram) -> Result<(), Fault> {
    match program.map {
        Map::Place { .. } => Ok(()),
        Map::Elements(_) => Err(Fault::of_call("there is not an extreme and its place")),
    }
}
