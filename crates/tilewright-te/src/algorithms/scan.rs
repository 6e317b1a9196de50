//! Accumulation along a dimension: one loop along it for each line of the tensor.
//!
//! Lines are independent of each other. Those whose elements are neighbours go on side by side, a step from each
//! element to the next: a task takes some of the last dimension through all steps.
//!
//! A line that lies together in memory is accumulated in vectors: first neighbours by themselves, then pairs of these,
//! and so on, where all of the second half take in the last of the first (J. Sklansky, "Conditional-sum addition
//! logic", IRE Transactions on Electronic Computers 9, 1960), then with what is behind. Other orders of the same steps
//! would not do: in this one sums of numbers that are not negative never fall, and stay where nothing is added, as
//! those one by one do.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::tir::{ForKind, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::statements::{local, looped, with_local};
use crate::{TeError, Tensor, extern_stage};

/// Lines that a task takes through its steps, at most and, where they are an even part of all, at least.
const MOST: i64 = 512;
const LEAST: i64 = 256;
/// Bytes of the vectors that lines are accumulated in: those of the widest registers.
const VECTOR: usize = 64;
/// Steps between the one that is taken and the one whose elements are asked for.
const AHEAD: i64 = 4;
/// Bytes of a line of the cache.
const LINE: usize = 64;

/// How elements are accumulated.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// The dimension along which they are.
    pub axis: usize,
    /// What combines two of them, an associative operation.
    pub op: BinOp,
    /// What changes no element that it is combined with.
    pub identity: i64,
    /// Whether an element stays out of its own result.
    pub exclusive: bool,
}

/// What the operation makes of all elements up to each, in the type `dtype`.
pub fn scanned(x: &Tensor, scan: Scan, dtype: DataType, name: &str) -> Result<Tensor, TeError> {
    extern_stage(x.shape(), dtype, std::slice::from_ref(x), name, |ins, out| scan.statements(&ins[0], out))
}

impl Scan {
    fn statements(&self, x: &Buffer, out: &Buffer) -> Result<Stmt, TeError> {
        let mut vars: Vec<Var> = (0..x.rank()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
        let last = x.rank() - 1;
        let mut nest = if self.axis == last {
            self.in_vectors(x, out, &vars)?
        } else {
            let (tasks, size) = pieces(&x.shape[last])?;
            vars[last] = Var::new("task", DataType::I64);
            looped(&vars[last], &tasks, ForKind::Parallel, self.side_by_side(x, out, &vars, size)?)
        };
        for at in (0..last).rev().filter(|at| *at != self.axis) {
            nest = looped(&vars[at], &x.shape[at], ForKind::Parallel, nest);
        }
        Ok(nest)
    }

    /// What a line begins with: nothing changes with it, not even -0.
    fn begin(&self, dtype: DataType) -> Expr {
        match self.op {
            BinOp::Add if dtype.is_float() && !self.exclusive => Expr::float(-0.0, dtype),
            _ => Expr::number(self.identity, dtype),
        }
    }

    /// A line that lies together in memory.
    fn in_vectors(&self, x: &Buffer, out: &Buffer, vars: &[Var]) -> Result<Stmt, TeError> {
        let lanes = (VECTOR / out.dtype.element_bytes().max(4)) as i64;
        let (extent, at) = (&x.shape[self.axis], Var::new("vector", DataType::I64));
        let so_far = local("so_far", 1, out.dtype);
        let by_lanes = |op| Expr::binary(op, extent, &Expr::i64(lanes));
        let (whole, rest) = match extent.as_int() {
            Some(extent) => (Expr::i64(extent / lanes), Expr::i64(extent % lanes)),
            None => (by_lanes(BinOp::FloorDiv)?, by_lanes(BinOp::FloorMod)?),
        };
        let mut here: Vec<Expr> = vars.iter().map(Expr::var).collect();
        let mut vector = |begin: &Expr, ends: bool| {
            let places = Expr::ramp(begin, &Expr::i64(1), lanes as u16)?;
            here[self.axis] = places.clone();
            let inside = match ends {
                true => Some(Expr::compare(CmpOp::Lt, &places, &extent.broadcast(lanes as u16)?)?),
                false => None,
            };
            self.vector((x, out), &here, inside, &so_far)
        };
        let mut stmts = vec![Stmt::store(&so_far, vec![Expr::i64(0)], &self.begin(out.dtype))?];
        let one = vector(&(Expr::var(&at) * lanes), false)?;
        stmts.push(looped(&at, &whole, ForKind::Serial, one));
        if rest.as_int() != Some(0) {
            let then = vector(&(&whole * lanes), true)?;
            let condition = Expr::compare(CmpOp::Gt, &rest, &Expr::i64(0))?;
            stmts.push(match rest.as_int() {
                Some(_) => then,
                None => StmtKind::If { condition, then, otherwise: None }.into(),
            });
        }
        Ok(with_local(so_far, Stmt::seq(stmts)))
    }

    /// A vector of a line, and what is behind it.
    fn vector(
        &self,
        (x, out): (&Buffer, &Buffer),
        here: &[Expr],
        inside: Option<Expr>,
        so_far: &Buffer,
    ) -> Result<Stmt, TeError> {
        let mut names: Vec<(Var, Expr)> = Vec::new();
        let mut named = |name: &str, value: Expr| {
            let var = Var::new(name, value.dtype);
            names.push((var.clone(), value));
            Expr::var(&var)
        };
        let taken = Expr::load_where(x, here.to_vec(), inside.clone())?.cast(out.dtype)?;
        let lanes = usize::from(taken.dtype.lanes);
        let mut all = named("taken", taken);
        let mut half = 1;
        while half < lanes {
            let is_second = |lane: usize| lane & half != 0;
            let last_of_first = |lane: usize| if is_second(lane) { (lane & !(2 * half - 1)) + half - 1 } else { lane };
            let behind = Expr::shuffle(vec![all.clone()], (0..lanes).map(last_of_first).collect())?;
            let both = named("both", Expr::binary(self.op, &behind, &all)?);
            let chosen = |lane: usize| if is_second(lane) { lanes + lane } else { lane };
            let next = Expr::shuffle(vec![all, both], (0..lanes).map(chosen).collect())?;
            all = named("together", next);
            half *= 2;
        }
        let behind = named("behind", Expr::load(so_far, vec![Expr::i64(0)])?.broadcast(lanes as u16)?);
        let all = named("all", Expr::binary(self.op, &behind, &all)?);
        let last = Expr::shuffle(vec![all.clone()], vec![lanes - 1])?;
        let result = match self.exclusive {
            true => Expr::shuffle(vec![behind, all], (lanes - 1..2 * lanes - 1).collect())?,
            false => all,
        };
        let stmts =
            [Stmt::store_where(out, here.to_vec(), &result, inside)?, Stmt::store(so_far, vec![Expr::i64(0)], &last)?];
        Ok(names
            .into_iter()
            .rev()
            .fold(Stmt::seq(stmts), |body, (var, value)| StmtKind::Let { var, value, body }.into()))
    }

    /// Lines whose elements are neighbours, so many in a task: the last variable is that of the task.
    fn side_by_side(&self, x: &Buffer, out: &Buffer, vars: &[Var], size: i64) -> Result<Stmt, TeError> {
        let last = x.rank() - 1;
        let (extent, lane) = (&x.shape[last], Var::new("lane", DataType::I64));
        let begin = Expr::var(&vars[last]) * size;
        let count = match extent.as_int().is_some_and(|extent| extent % size == 0) {
            true => Expr::i64(size),
            false => Expr::binary(BinOp::Min, &Expr::i64(size), &(extent - &begin))?,
        };
        let so_far = local("so_far", size, out.dtype);
        let own = vec![Expr::var(&lane)];
        let mut here: Vec<Expr> = vars.iter().map(Expr::var).collect();
        here[last] = &begin + &Expr::var(&lane);
        let behind = Expr::load(&so_far, own.clone())?;
        let next = Expr::binary(self.op, &behind, &Expr::load(x, here.clone())?.cast(out.dtype)?)?;
        let result = Stmt::store(out, here.clone(), &behind)?;
        let each = |body: Stmt| looped(&lane, &count, ForKind::Vectorized, body);
        let step = each(Stmt::store(&so_far, own.clone(), &next)?);
        let mut steps = match self.exclusive {
            true => vec![each(result), step],
            false => vec![step, each(result)],
        };
        if extent.as_int() != Some(size) {
            // The elements of the next step lie elsewhere.
            let line = Var::new("line", DataType::I64);
            let elements = (LINE / x.dtype.element_bytes().max(1)) as i64;
            here[self.axis] = &here[self.axis] + &Expr::i64(AHEAD);
            here[last] = begin + Expr::var(&line) * elements;
            let ask = Stmt::prefetch(x, here, false, 3)?;
            steps.insert(0, looped(&line, &Expr::i64(size / elements), ForKind::Serial, ask));
        }
        let first = each(Stmt::store(&so_far, own, &self.begin(out.dtype))?);
        let all = looped(&vars[self.axis], &x.shape[self.axis], ForKind::Serial, Stmt::seq(steps));
        Ok(with_local(so_far, Stmt::seq([first, all])))
    }
}

/// How many pieces a dimension is taken in, and the elements of a piece.
fn pieces(extent: &Expr) -> Result<(Expr, i64), TeError> {
    let even = |all: i64| (LEAST..=MOST).rev().find(|size| all % size == 0);
    let size = match extent.as_int() {
        Some(all) if all <= MOST => all.max(1),
        Some(all) => even(all).unwrap_or(MOST),
        None => MOST,
    };
    Ok((extent.ceil_div(size)?, size))
}
