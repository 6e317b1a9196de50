//! Rows that stay in the first-level cache: the reductions and the result run at once, each in another row.
//!
//! ```text
//! for task in parallel(ceil(N / rows))
//!   the reductions of the first rows
//!   for i in the task's rows
//!     for k in vectors of columns
//!       total[0] += X[i + 2, k]                              reductions, the first of them ahead of the result
//!       total[1] += (X[i + 1, k] - mean) ** 2
//!       Y[i, k]   = (X[i, k] - mean) * scale * W[k] + B[k]   the result
//! ```
//!
//! One stage after the other would take memory in turns with arithmetic: reads while sums are taken, then only
//! exponentials, then only writes. Software pipelining lets them share each cycle, and none waits for the horizontal
//! reduction of another. The rows between are read again from the first-level cache.
//!
//! Near the end of a task the reductions that are ahead take the last row again, for nothing. Where exponentials are
//! summed that is too dear: the result then lags (`Y[i - 1, k]`), is left out at first, and the last row's comes at the
//! end. Exponentials that the result reads are kept for two rows.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Scope, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::vectors::{Row, RowVectors, Sizes, Vector};
use super::{Cx, formula_at, load_numbers, local, store_numbers};
use crate::build::exprs::{binary, compare};
use crate::build::loops::{self, folded, load, serial, store, with_names};
use crate::families::rows::{Formula, Reduction, RowProgram};
use crate::fault::Fault;
use crate::plan::Plan;
use crate::plan::cpu::rows::{ASSUMED_COLUMNS, ResidentPlan};
use crate::primitive::call::Primitive;
use crate::units::PAGE;

/// Bytes between what is read and what is prefetched: a step, which goes through several rows, takes longer than memory
/// does.
const PREFETCH_BYTES: i64 = 4 << 10;
/// The same between exponentials: what memory gives while one is worked out, with room to spare. A core that waits for
/// numbers one row ahead reaches three quarters of the bandwidth of memory.
const PREFETCH_BYTES_OF_EXPS: i64 = 32 << 10;
/// Numbers of a page: the two rows of exponentials, of which one is written and the other read, are a quarter of a page
/// apart.
const PAGE_NUMBERS: i64 = PAGE / 4;

pub(crate) const ROWS_RESIDENT: Primitive = Primitive {
    name: "RowsResident",
    method: "rows_resident",
    doc: "Runs the reductions of rows that stay in the first-level cache, and what is made of them, at once, each in \
          another row: a softmax, or a norm.",
    params: ResidentPlan::PARAMS,
    plan: Some(ResidentPlan::DEF),
    gives_list: false,
    run: |call| super::run(call, kernel),
};

fn kernel(cx: &Cx<'_>, plan: &ResidentPlan) -> Result<Stmt, Fault> {
    let program = cx.program;
    program.contiguous()?;
    program.check_cost(&program.reductions)?;
    let sizes = Sizes { lanes: plan.lanes, accumulators: plan.accumulators, rows_per_task: plan.rows };
    let of = RowVectors::of(cx, &program.rows, program.column()?, sizes)?;
    let lags = program.is_softmax();
    let lead = program.depth() as i64 - i64::from(lags);
    let map = program.elements()?;
    let m = memory(program, map, &of)?;
    Walk { program, map, of, lead, lags, m }.tasks()
}

struct Walk<'a> {
    program: &'a RowProgram,
    map: &'a Formula,
    of: RowVectors<'a>,
    /// Rows from the loop's own to the one of the first reductions.
    lead: i64,
    /// Whether the result is that of the row before the loop's own.
    lags: bool,
    m: Memory,
}

/// The memory of a task.
struct Memory {
    reductions: Vec<ReductionMemory>,
    /// What the result is made with once for a row.
    of_row: Buffer,
    /// A vector on its way to one number.
    halves: Buffer,
    /// Terms that the result reads, of this row and of the one before, in turns.
    kept: Buffer,
}

struct ReductionMemory {
    accumulators: Buffer,
    /// The totals of the last rows, from the newest on.
    totals: Buffer,
    /// What the terms are made with once for a row.
    of_row: Buffer,
}

/// A row of a reduction: its number in the task, and how many rows were reduced before it.
struct Reduced {
    number: Expr,
    before: i64,
}

/// A reduction that runs in a step, and its row.
struct Running<'a> {
    reduction: &'a Reduction,
    own: &'a ReductionMemory,
    row: Row,
    reduced: &'a Reduced,
}

/// A step of a task: what runs, and in which rows of the task.
struct Step {
    reduced: Vec<Option<Reduced>>,
    /// The row whose result is written.
    result: Option<Expr>,
    /// The row that is prefetched.
    ahead: Option<Expr>,
    /// Where there is no result yet.
    is_first: Option<Expr>,
}

impl Walk<'_> {
    fn tasks(&self) -> Result<Stmt, Fault> {
        let of_reductions = self.m.reductions.iter().flat_map(|m| [&m.accumulators, &m.totals, &m.of_row]);
        let own = of_reductions.chain([&self.m.of_row, &self.m.halves, &self.m.kept]).collect();
        self.of.tasks(own, |first, count| self.pipeline(first, count))
    }

    /// The reductions of the first rows, all rows, and the result of the last one if that lags.
    fn pipeline(&self, first: &Expr, count: &Expr) -> Result<Stmt, Fault> {
        let known = &self.of.known;
        let last = count - 1;
        let within = |number: &Expr| match number.as_int() {
            Some(0) => Ok::<_, Fault>(number.clone()),
            _ => Ok(known.simplify(&binary(BinOp::Min, number, &last)?)),
        };
        let depths = || self.program.reductions.iter().map(|reduction| reduction.depth as i64);
        let mut stmts = Vec::new();
        for lead in 0..self.lead {
            let reduced = depths().map(|depth| match lead - depth {
                ..0 => Ok(None),
                before => Ok(Some(Reduced { number: within(&Expr::i64(before))?, before })),
            });
            let reduced = reduced.collect::<Result<_, Fault>>()?;
            stmts.push(self.step(first, &Step { reduced, result: None, ahead: None, is_first: None })?);
        }
        let row = self.of.var("row");
        let i = Expr::var(&row);
        let reduced = depths().map(|depth| match self.lead - depth {
            0 => Ok(Some(Reduced { number: i.clone(), before: 0 })),
            before => Ok(Some(Reduced { number: within(&(&i + before))?, before })),
        });
        let all = Step {
            reduced: reduced.collect::<Result<_, Fault>>()?,
            result: Some(if self.lags { &i - 1 } else { i.clone() }),
            ahead: Some(&i + (self.lead + self.rows_ahead())),
            is_first: if self.lags { Some(compare(CmpOp::Eq, &i, &Expr::i64(0))?) } else { None },
        };
        stmts.push(serial(&row, count, self.step(first, &all)?));
        if self.lags {
            let reduced = depths().map(|_| None).collect();
            let rest = Step { reduced, result: Some(last.clone()), ahead: None, is_first: None };
            stmts.push(self.step(first, &rest)?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// All columns of the rows, and the totals.
    fn step(&self, first: &Expr, step: &Step) -> Result<Stmt, Fault> {
        let (mut stmts, mut names, mut running) = (Vec::new(), Vec::new(), Vec::new());
        for ((reduction, own), reduced) in self.program.reductions.iter().zip(&self.m.reductions).zip(&step.reduced) {
            let Some(reduced) = reduced else { continue };
            stmts.extend(self.row_numbers(&reduction.term, reduction.depth, &own.of_row)?);
            stmts.push(self.of.fill(&own.accumulators, &reduction.fold.identity)?);
            let (row, own_names) = self.of.row("next", &(first + &reduced.number))?;
            names.extend(own_names);
            running.push(Running { reduction, own, row, reduced });
        }
        let ahead = step.ahead.as_ref().map(|ahead| self.of.row("ahead", &(first + ahead))).transpose()?;
        let ahead = ahead.map(|(row, own_names)| {
            names.extend(own_names);
            row
        });
        let reduce = |at: &Vector| {
            let mut stmts = match &ahead {
                Some(row) => self.of.prefetch(&self.program.formulas(), &self.axes(row, &at.first)?)?,
                None => Vec::new(),
            };
            for running in &running {
                stmts.extend(self.accumulate(running, at)?);
            }
            Ok(stmts)
        };
        let columns = match &step.result {
            None => self.of.columns(reduce)?,
            Some(number) => {
                let (row, own_names) = self.of.row("here", &(first + number))?;
                let mut result = self.row_numbers(self.map, self.program.depth(), &self.m.of_row)?;
                result.push(with_names(
                    own_names,
                    self.of.columns(|at| {
                        let mut stmts = reduce(at)?;
                        stmts.push(self.result(&row, number, at)?);
                        Ok(stmts)
                    })?,
                ));
                let result = Stmt::seq(result);
                match step.is_first.clone() {
                    None => result,
                    Some(condition) => {
                        StmtKind::If { condition, then: self.of.columns(reduce)?, otherwise: Some(result) }.into()
                    }
                }
            }
        };
        stmts.push(with_names(names, columns));
        for running in &running {
            stmts.extend(self.total(running)?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// The axes of an element.
    fn axes(&self, row: &Row, column: &Expr) -> Result<Row, Fault> {
        Ok([row.clone(), self.of.axes_at(&self.program.reduced.inner, column)?].concat())
    }

    /// Stores the numbers of the row that a formula of so deep a stage reads.
    fn row_numbers(&self, formula: &Formula, depth: usize, of_row: &Buffer) -> Result<Vec<Stmt>, Fault> {
        let mut totals: Row = Vec::new();
        for (reduction, own) in
            self.program.reductions.iter().zip(&self.m.reductions).filter(|(own, _)| own.depth < depth)
        {
            let rows_before = Expr::i64((depth - reduction.depth - 1) as i64);
            totals.push((reduction.total.clone(), load(&own.totals, &[&rows_before])?));
        }
        store_numbers(of_row, &formula.of_row, &totals)
    }

    /// Reduces a vector of a row; what the result reads again is kept, too.
    fn accumulate(&self, running: &Running<'_>, at: &Vector) -> Result<Vec<Stmt>, Fault> {
        let Running { reduction, own, row, reduced } = running;
        let numbers = load_numbers(&own.of_row, &reduction.term.of_row)?;
        let term = |column: &Expr| Ok(formula_at(&reduction.term.value, &self.axes(row, column)?, &numbers));
        let both = |a: &Expr, b: &Expr| reduction.fold.op.both(a, b);
        if reduction.kept.is_none() {
            return Ok(vec![self.of.accumulate(&own.accumulators, at, both, term)?]);
        }
        let slot = self.slot(&reduced.number)?;
        Ok(vec![
            self.of.vector(at, |_, column| store(&self.m.kept, &[&slot, column], &term(column)?))?,
            self.of.accumulate(&own.accumulators, at, both, |column| load(&self.m.kept, &[&slot, column]))?,
        ])
    }

    fn result(&self, row: &Row, number: &Expr, at: &Vector) -> Result<Stmt, Fault> {
        let numbers = load_numbers(&self.m.of_row, &self.map.of_row)?;
        let slot = self.slot(number)?;
        self.of.result(at, |column| {
            let (axes, mut numbers) = (self.axes(row, column)?, numbers.clone());
            if let Some((_, name)) = self.program.kept() {
                numbers.push((name.clone(), load(&self.m.kept, &[&slot, column])?));
            }
            self.of.store_result(&axes, &formula_at(&self.map.value, &axes, &numbers))
        })
    }

    /// The total of a row, in front of those of so many rows before it.
    fn total(&self, running: &Running<'_>) -> Result<Vec<Stmt>, Fault> {
        let Running { reduction, own, reduced, .. } = running;
        let mut stmts = folded(&own.accumulators, &self.m.halves, &|a, b| reduction.fold.op.both(a, b))?;
        let all = own.totals.shape.first().and_then(Expr::as_int).unwrap_or(1);
        for number in (1..all.min(reduced.before + 1)).rev() {
            let newer = load(&own.totals, &[&Expr::i64(number - 1)])?;
            stmts.push(store(&own.totals, &[&Expr::i64(number)], &newer)?);
        }
        let total = load(&self.m.halves, &[&Expr::i64(0)])?;
        stmts.push(store(&own.totals, &[&Expr::i64(0)], &total)?);
        Ok(stmts)
    }

    /// Which of two rows of kept terms is that of a row of the task.
    fn slot(&self, number: &Expr) -> Result<Expr, Fault> {
        Ok(self.of.known.simplify(&binary(BinOp::FloorMod, &(number + 2), &Expr::i64(2))?))
    }

    /// Rows between that of the first reductions and the one that is prefetched meanwhile.
    fn rows_ahead(&self) -> i64 {
        let columns = self.of.columns_or(ASSUMED_COLUMNS);
        let bytes = if self.lags { PREFETCH_BYTES_OF_EXPS } else { PREFETCH_BYTES };
        (bytes / columns.saturating_mul(DataType::F32.bytes() as i64).max(1)).max(1)
    }
}

fn memory(program: &RowProgram, map: &Formula, of: &RowVectors<'_>) -> Result<Memory, Fault> {
    let Sizes { lanes, accumulators, .. } = of.sizes;
    let numbers = |name: &str, formula: &Formula| local(name, &[formula.of_row.len() as i64], DataType::F32);
    let depth = program.depth();
    let reduction = |reduction: &Reduction| ReductionMemory {
        accumulators: local("partial", &[accumulators, lanes], DataType::F32),
        totals: local("totals", &[(depth - reduction.depth) as i64], DataType::F32),
        of_row: numbers("of_term", &reduction.term),
    };
    let columns = &program.column()?.extent;
    let whole = |size: i64| Ok::<_, Fault>(&of.ceil_div(columns, size)? * size);
    let columns = match columns.as_int() {
        Some(columns) if columns <= PAGE_NUMBERS / 2 => whole(lanes)?,
        _ => &whole(PAGE_NUMBERS)? + PAGE_NUMBERS / 4,
    };
    let shape = vec![Expr::i64(2), of.known.simplify(&columns)];
    Ok(Memory {
        reductions: program.reductions.iter().map(reduction).collect(),
        of_row: numbers("of_row", map),
        halves: local("halves", &[lanes], DataType::F32),
        kept: loops::memory("kept", shape, DataType::F32, Scope::Global),
    })
}
