//! Prefix scans (prefix sums, running products): an associative operation over all elements up to each, along an axis.
//!
//! Slices along the axis are independent of each other. Without vectors a slice is accumulated element by element. With
//! vectors, slices along another axis than the last are the lanes: a task accumulates a block of columns row by row,
//! and prefetches later rows.
//!
//! A slice along the last axis, which is contiguous, is accumulated in vectors, each as a Sklansky scan: first pairs of
//! neighbours, then pairs of pairs, and so on, where all of the second half take in the last of the first (J. Sklansky,
//! "Conditional-sum addition logic", IRE Transactions on Electronic Computers 9, 1960), then with the carry of the
//! vector before. The order matters: in this one, sums of numbers that are not negative are monotonic, and equal where
//! zeros are added, as those of a sequential scan are.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::legalize::{Capabilities, Needs};
use tilewright_ir::tir::{ForKind, Stmt};
use tilewright_tensor::DataType;

use super::statements::{Names, local, looped, serial, vector, when, with_local};
use crate::{TeError, Tensor, extern_stage};

/// What [`vectorized`] needs: vectors of two elements of 64 bits.
pub const VECTORS: Needs = Needs { vector_bytes: 16, ..Needs::NOTHING };

/// Columns per task: at most, and at least where such a number divides the columns.
const COLUMNS_PER_TASK_MAX: i64 = 512;
const COLUMNS_PER_TASK_MIN: i64 = 256;
/// Bytes of the narrowest lanes in which a slice is accumulated.
const LANE_BYTES_MIN: usize = 4;
/// The locality argument of `prefetch` for L1.
const PREFETCH_TO_L1: i64 = 3;

/// How elements are accumulated.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// The axis along which they are accumulated.
    pub axis: usize,
    /// The associative operation.
    pub op: BinOp,
    /// The identity of the operation.
    pub identity: i64,
    /// Whether an element is left out of its own result (an exclusive scan).
    pub exclusive: bool,
}

/// An algorithm: the scan of a tensor, accumulated in the type `dtype`.
pub type Algorithm = fn(&Capabilities, &Tensor, Scan, DataType, &str) -> Result<Tensor, TeError>;

/// In vectors: along contiguous slices, or across neighbouring slices.
pub fn vectorized(caps: &Capabilities, x: &Tensor, scan: Scan, dtype: DataType, name: &str) -> Result<Tensor, TeError> {
    extern_stage(x.shape(), dtype, std::slice::from_ref(x), name, |ins, out| {
        Operands { caps, scan, x: &ins[0], out }.vectorized()
    })
}

/// Element by element.
pub fn sequential(caps: &Capabilities, x: &Tensor, scan: Scan, dtype: DataType, name: &str) -> Result<Tensor, TeError> {
    extern_stage(x.shape(), dtype, std::slice::from_ref(x), name, |ins, out| {
        Operands { caps, scan, x: &ins[0], out }.sequential()
    })
}

impl Scan {
    /// The initial value of a slice, which changes no element, not even -0.
    fn begin(&self, dtype: DataType) -> Expr {
        match self.op {
            BinOp::Add if dtype.is_float() && !self.exclusive => Expr::float(-0.0, dtype),
            _ => Expr::number(self.identity, dtype),
        }
    }
}

/// A scan of one tensor into another.
struct Operands<'a> {
    caps: &'a Capabilities,
    scan: Scan,
    x: &'a Buffer,
    out: &'a Buffer,
}

impl Operands<'_> {
    /// The type in which the elements so far are kept.
    fn carry(&self) -> DataType {
        let adds_up = matches!(self.scan.op, BinOp::Add | BinOp::Mul);
        if adds_up && self.out.dtype == DataType::F32 { DataType::F64 } else { self.out.dtype }
    }

    /// An element in the type of the carry.
    fn element(&self, here: &[Expr]) -> Result<Expr, TeError> {
        Ok(Expr::load(self.x, here.to_vec())?.cast(self.out.dtype)?.cast(self.carry())?)
    }

    /// A variable for each dimension.
    fn vars(&self) -> Vec<Var> {
        (0..self.x.rank()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect()
    }

    /// Loops of tasks over all dimensions but the scanned axis.
    fn for_each_slice(&self, vars: &[Var], mut body: Stmt) -> Stmt {
        for (at, var) in vars.iter().enumerate().rev().filter(|(at, _)| *at != self.scan.axis) {
            body = looped(var, &self.x.shape[at], self.caps.task_loop(), body);
        }
        body
    }

    fn combined(&self, so_far: &Expr, element: &Expr) -> Result<Expr, TeError> {
        Ok(Expr::binary(self.scan.op, so_far, element)?)
    }

    fn sequential(&self) -> Result<Stmt, TeError> {
        let (vars, axis) = (self.vars(), self.scan.axis);
        let (so_far, own) = (local("so_far", 1, self.carry()), vec![Expr::i64(0)]);
        let here: Vec<Expr> = vars.iter().map(Expr::var).collect();
        let carried = Expr::load(&so_far, own.clone())?;
        let next = self.combined(&carried, &self.element(&here)?)?;
        let result = Stmt::store(self.out, here, &carried.cast(self.out.dtype)?)?;
        let step = Stmt::store(&so_far, own.clone(), &next)?;
        let steps = if self.scan.exclusive { [result, step] } else { [step, result] };
        let first = Stmt::store(&so_far, own, &self.scan.begin(self.carry()))?;
        let slice = Stmt::seq([first, serial(&vars[axis], &self.x.shape[axis], Stmt::seq(steps))]);
        Ok(self.for_each_slice(&vars, with_local(so_far, slice)))
    }

    fn vectorized(&self) -> Result<Stmt, TeError> {
        let (mut vars, last) = (self.vars(), self.x.rank() - 1);
        if self.scan.axis == last {
            return Ok(self.for_each_slice(&vars, self.contiguous_slice(&vars)?));
        }
        let (tasks, columns) = column_blocks(&self.x.shape[last])?;
        vars[last] = Var::new("task", DataType::I64);
        let block = self.column_block(&vars, columns)?;
        let blocks = looped(&vars[last], &tasks, self.caps.task_loop(), block);
        Ok(self.for_each_slice(&vars[..last], blocks))
    }

    /// A slice along the last axis.
    fn contiguous_slice(&self, vars: &[Var]) -> Result<Stmt, TeError> {
        let lanes = self.caps.vector_bytes / self.out.dtype.element_bytes().max(LANE_BYTES_MIN);
        let lanes = u16::try_from(lanes).unwrap_or(u16::MAX);
        let (extent, at) = (&self.x.shape[self.scan.axis], Var::new("vector", DataType::I64));
        let so_far = local("so_far", 1, self.carry());
        let size = i64::from(lanes);
        let by_lanes = |op| Expr::binary(op, extent, &Expr::i64(size));
        let (whole, rest) = match extent.as_int() {
            Some(extent) => (Expr::i64(extent / size), Expr::i64(extent % size)),
            None => (by_lanes(BinOp::FloorDiv)?, by_lanes(BinOp::FloorMod)?),
        };
        let mut here: Vec<Expr> = vars.iter().map(Expr::var).collect();
        let mut one = |begin: &Expr, ends: bool| {
            let positions = vector(begin, lanes)?;
            here[self.scan.axis] = positions.clone();
            let inside = match ends {
                true => Some(Expr::compare(CmpOp::Lt, &positions, &extent.broadcast(lanes)?)?),
                false => None,
            };
            self.one_vector(&here, inside, &so_far)
        };
        let mut stmts = vec![Stmt::store(&so_far, vec![Expr::i64(0)], &self.scan.begin(self.carry()))?];
        let step = one(&(Expr::var(&at) * size), false)?;
        stmts.push(serial(&at, &whole, step));
        if rest.as_int() != Some(0) {
            let tail = one(&(&whole * size), true)?;
            let condition = Expr::compare(CmpOp::Gt, &rest, &Expr::i64(0))?;
            stmts.push(if rest.as_int().is_some() { tail } else { when(condition, tail, None) });
        }
        Ok(with_local(so_far, Stmt::seq(stmts)))
    }

    /// A vector of a slice, with the carry of the vector before.
    fn one_vector(&self, here: &[Expr], inside: Option<Expr>, so_far: &Buffer) -> Result<Stmt, TeError> {
        let mut names = Names::default();
        let taken = Expr::load_where(self.x, here.to_vec(), inside.clone())?.cast(self.out.dtype)?;
        let lanes = usize::from(taken.dtype.lanes);
        let mut all = names.name("taken", taken);
        let mut half = 1;
        while half < lanes {
            let is_second = |lane: usize| lane & half != 0;
            let last_of_first = |lane: usize| if is_second(lane) { (lane & !(2 * half - 1)) + half - 1 } else { lane };
            let carried = Expr::shuffle(vec![all.clone()], (0..lanes).map(last_of_first).collect())?;
            let both = names.name("both", self.combined(&carried, &all)?);
            let chosen = |lane: usize| if is_second(lane) { lanes + lane } else { lane };
            let next = Expr::shuffle(vec![all, both], (0..lanes).map(chosen).collect())?;
            all = names.name("together", next);
            half *= 2;
        }
        let carried = Expr::load(so_far, vec![Expr::i64(0)])?.broadcast(all.dtype.lanes)?;
        let carried = names.name("carry", carried);
        let all = all.cast(self.carry())?;
        let all = names.name("all", self.combined(&carried, &all)?);
        let last = Expr::shuffle(vec![all.clone()], vec![lanes - 1])?;
        let result = match self.scan.exclusive {
            true => Expr::shuffle(vec![carried, all], (lanes - 1..2 * lanes - 1).collect())?,
            false => all,
        };
        let result = result.cast(self.out.dtype)?;
        Ok(names.around(Stmt::seq([
            Stmt::store_where(self.out, here.to_vec(), &result, inside)?,
            Stmt::store(so_far, vec![Expr::i64(0)], &last)?,
        ])))
    }

    /// A block of columns through all rows: the last variable is that of the block.
    fn column_block(&self, vars: &[Var], columns: i64) -> Result<Stmt, TeError> {
        let (axis, last) = (self.scan.axis, self.x.rank() - 1);
        let (extent, lane) = (&self.x.shape[last], Var::new("lane", DataType::I64));
        let begin = Expr::var(&vars[last]) * columns;
        let count = match extent.as_int().is_some_and(|extent| extent % columns == 0) {
            true => Expr::i64(columns),
            false => Expr::binary(BinOp::Min, &Expr::i64(columns), &(extent - &begin))?,
        };
        let (so_far, own) = (local("so_far", columns, self.carry()), vec![Expr::var(&lane)]);
        let mut here: Vec<Expr> = vars.iter().map(Expr::var).collect();
        here[last] = &begin + &Expr::var(&lane);
        let carried = Expr::load(&so_far, own.clone())?;
        let next = self.combined(&carried, &self.element(&here)?)?;
        let each = |body: Stmt| looped(&lane, &count, ForKind::Vectorized, body);
        let step = each(Stmt::store(&so_far, own.clone(), &next)?);
        let result = each(Stmt::store(self.out, here.clone(), &carried.cast(self.out.dtype)?)?);
        let mut steps = if self.scan.exclusive { vec![result, step] } else { vec![step, result] };
        if extent.as_int() != Some(columns) {
            here[last] = begin;
            steps.splice(0..0, self.prefetched(here, columns)?);
        }
        let first = each(Stmt::store(&so_far, own, &self.scan.begin(self.carry()))?);
        let all = serial(&vars[axis], &self.x.shape[axis], Stmt::seq(steps));
        Ok(with_local(so_far, Stmt::seq([first, all])))
    }

    /// Prefetches a later row of a block that begins at these indices: rows of a block are not contiguous in memory.
    fn prefetched(&self, mut here: Vec<Expr>, columns: i64) -> Result<Option<Stmt>, TeError> {
        let Some(prefetch) = self.caps.prefetch else { return Ok(None) };
        let (axis, line) = (self.scan.axis, Var::new("line", DataType::I64));
        let elements = (prefetch.line_bytes / self.x.dtype.element_bytes().max(1)).max(1) as i64;
        here[axis] = &here[axis] + &Expr::i64(prefetch.distance_rows);
        if let Some(begin) = here.last_mut() {
            *begin = begin.clone() + Expr::var(&line) * elements;
        }
        let prefetch = Stmt::prefetch(self.x, here, false, PREFETCH_TO_L1)?;
        Ok(Some(serial(&line, &Expr::i64(columns / elements), prefetch)))
    }
}

/// The number of column blocks, and the columns of a block.
fn column_blocks(extent: &Expr) -> Result<(Expr, i64), TeError> {
    let even = |all: i64| (COLUMNS_PER_TASK_MIN..=COLUMNS_PER_TASK_MAX).rev().find(|columns| all % columns == 0);
    let columns = match extent.as_int() {
        Some(all) if all <= COLUMNS_PER_TASK_MAX => all.max(1),
        Some(all) => even(all).unwrap_or(COLUMNS_PER_TASK_MAX),
        None => COLUMNS_PER_TASK_MAX,
    };
    Ok((extent.ceil_div(columns)?, columns))
}
