//! Task granularity: an estimate of how long a parallel loop takes, from which its grain size follows.
//!
//! The estimate is in cycles of one core: instructions by the registers that they fill, bytes moved, and loop bodies
//! times their extents. Accesses to small local buffers (register tiles) and address arithmetic are free. The estimate
//! is wrong by a small factor, which suffices to tell a microsecond from a millisecond. With extents that are known
//! only at run time it is an expression, which the kernel evaluates. It never depends on the number of threads. Cycles
//! of instructions, and the work that is worth a task, are numbers of the machine: [`tilewright_target::Estimate`] and
//! [`tilewright_target::Tasks`].
//!
//! All arithmetic is in `f64`: no size overflows it, and nothing faults.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, ForKind, ForeignCallee, Scope, Stmt, StmtKind, Var};
use tilewright_support::{Map, with_stack};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::function::FnCx;
use super::text::{Reg, Value, float, int};

/// Iterations assumed of a loop whose extent is data. Too high rather than too low: waking a thread in vain costs only
/// microseconds.
const UNKNOWN_EXTENT: f64 = 1000.0;

/// The operations of the estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
}

/// A number of the estimate: known at compile time, or in a register of the kernel.
#[derive(Clone, Debug)]
enum Number {
    Known(f64),
    Later(Value),
}

impl Number {
    fn operand(&self) -> Value {
        match self {
            Self::Known(known) => float(*known, DataType::F64),
            Self::Later(value) => value.clone(),
        }
    }
}

/// Combines numbers that are known only at run time.
trait Later {
    /// The variable's value as an `f64`; none where it has no value.
    fn variable(&mut self, var: &Var) -> Option<Value>;
    fn combine(&mut self, op: Op, a: &Number, b: &Number) -> Value;
}

/// Leaves numbers unknown that are known only at run time.
struct Unknown;

impl Later for Unknown {
    fn variable(&mut self, _var: &Var) -> Option<Value> {
        Some(Value::constant("poison"))
    }

    fn combine(&mut self, _op: Op, _a: &Number, _b: &Number) -> Value {
        Value::constant("poison")
    }
}

impl Later for FnCx<'_, '_> {
    fn variable(&mut self, var: &Var) -> Option<Value> {
        let value = self.value_of(var).ok()?;
        Some(self.body.assign(format_args!("sitofp {} {value} to double", Reg(var.dtype))))
    }

    fn combine(&mut self, op: Op, a: &Number, b: &Number) -> Value {
        let (a, b) = (a.operand(), b.operand());
        let name = match op {
            Op::Add => "fadd",
            Op::Sub => "fsub",
            Op::Mul => "fmul",
            Op::Div => "fdiv",
            Op::Min | Op::Max => {
                let name = if op == Op::Min { "minnum" } else { "maxnum" };
                return self.body.assign(format_args!("call double @llvm.{name}.f64(double {a}, double {b})"));
            }
        };
        self.body.assign(format_args!("{name} double {a}, {b}"))
    }
}

/// The numbers of the estimate.
type Costs = tilewright_target::Estimate;

/// The estimate under construction.
struct WorkCx<'l, L> {
    later: &'l mut L,
    costs: Costs,
    /// The variables of the enclosing loops with their midpoints, which stand for an average iteration.
    midpoints: Map<VarId, Number>,
}

impl<L: Later> WorkCx<'_, L> {
    fn combine(&mut self, op: Op, a: &Number, b: &Number) -> Number {
        let (Number::Known(x), Number::Known(y)) = (a, b) else {
            return match (op, a, b) {
                (Op::Add, Number::Known(0.0), other) | (Op::Add | Op::Sub, other, Number::Known(0.0)) => other.clone(),
                (Op::Mul, Number::Known(1.0), other) | (Op::Mul | Op::Div, other, Number::Known(1.0)) => other.clone(),
                _ => Number::Later(self.later.combine(op, a, b)),
            };
        };
        Number::Known(match op {
            Op::Add => x + y,
            Op::Sub => x - y,
            Op::Mul => x * y,
            Op::Div => x / y,
            Op::Min => x.min(*y),
            Op::Max => x.max(*y),
        })
    }

    /// The value of an index expression that is made of variables and constants; none for anything else.
    fn index(&mut self, expr: &Expr) -> Option<Number> {
        Some(match &expr.kind {
            ExprKind::Int(value) => Number::Known(*value as f64),
            ExprKind::Var(var) if var.dtype.is_int() && var.dtype.is_scalar() => match self.midpoints.get(&var.id()) {
                Some(midpoint) => midpoint.clone(),
                None => Number::Later(self.later.variable(var)?),
            },
            ExprKind::Cast(value) if value.dtype.is_int() && expr.dtype.is_int() => with_stack(|| self.index(value))?,
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    BinOp::Add => Op::Add,
                    BinOp::Sub => Op::Sub,
                    BinOp::Mul => Op::Mul,
                    BinOp::Min => Op::Min,
                    BinOp::Max => Op::Max,
                    // Rounding does not matter; a divisor of zero would.
                    BinOp::Div | BinOp::FloorDiv if b.as_int().is_some_and(|b| b != 0) => Op::Div,
                    _ => return None,
                };
                let (a, b) = (with_stack(|| self.index(a))?, with_stack(|| self.index(b))?);
                self.combine(op, &a, &b)
            }
            _ => return None,
        })
    }

    /// Cycles of all iterations of a loop, and of one.
    fn repeated(&mut self, var: &Var, min: &Expr, extent: &Expr, body: &Stmt) -> [Number; 2] {
        let extent = self.index(extent).unwrap_or(Number::Known(UNKNOWN_EXTENT));
        let extent = self.combine(Op::Max, &extent, &Number::Known(0.0));
        let min = self.index(min).unwrap_or(Number::Known(0.0));
        let half = self.combine(Op::Mul, &extent, &Number::Known(0.5));
        let midpoint = self.combine(Op::Add, &min, &half);
        self.midpoints.insert(var.id(), midpoint);
        let once = with_stack(|| self.stmt(body));
        let once = self.combine(Op::Add, &once, &Number::Known(self.costs.step_cycles));
        [self.combine(Op::Mul, &extent, &once), once]
    }

    /// Cycles of a statement.
    fn stmt(&mut self, stmt: &Stmt) -> Number {
        let own = Number::Known(stmt.own_exprs().iter().map(|expr| cycles(expr, &self.costs)).sum());
        let below = match &stmt.kind {
            StmtKind::Store { buffer, .. } if is_in_registers(buffer, &self.costs) => Number::Known(0.0),
            StmtKind::Store { value, .. } => Number::Known(moved(value.dtype, &self.costs)),
            StmtKind::For { var, min, extent, body, .. } => {
                let [all, _] = self.repeated(var, min, extent, body);
                all
            }
            StmtKind::While { body, .. } => {
                let once = with_stack(|| self.stmt(body));
                let once = self.combine(Op::Add, &once, &own);
                self.combine(Op::Mul, &once, &Number::Known(UNKNOWN_EXTENT))
            }
            StmtKind::If { then, otherwise, .. } => {
                let then = with_stack(|| self.stmt(then));
                match otherwise {
                    Some(otherwise) => {
                        let otherwise = with_stack(|| self.stmt(otherwise));
                        self.combine(Op::Max, &then, &otherwise)
                    }
                    None => then,
                }
            }
            StmtKind::Seq(stmts) => {
                let mut sum = Number::Known(0.0);
                for stmt in stmts {
                    let next = with_stack(|| self.stmt(stmt));
                    sum = self.combine(Op::Add, &sum, &next);
                }
                sum
            }
            StmtKind::Let { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::Allocate { body, .. }
            | StmtKind::AllocateConst { body, .. } => with_stack(|| self.stmt(body)),
            StmtKind::Block { block, .. } => with_stack(|| self.stmt(&block.body)),
            StmtKind::Assert { .. } | StmtKind::Evaluate(_) => Number::Known(self.costs.step_cycles),
        };
        self.combine(Op::Add, &own, &below)
    }
}

/// Cycles of a load or store of a value.
fn moved(dtype: DataType, costs: &Costs) -> f64 {
    costs.access_cycles + dtype.bytes() as f64 / costs.move_bytes_per_cycle
}

/// Cycles of an expression; a shared node counts once.
fn cycles(expr: &Expr, costs: &Costs) -> f64 {
    let mut sum = 0.0;
    walk(expr, |expr: &Expr| {
        let registers = (expr.dtype.bytes() as f64 / costs.register_bytes as f64).max(1.0);
        sum += match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Var(_) | ExprKind::Let { .. } => 0.0,
            ExprKind::Ramp { .. } | ExprKind::Broadcast(_) | ExprKind::AddressOf { .. } => 0.0,
            ExprKind::Load { buffer, .. } if is_in_registers(buffer, costs) => 0.0,
            ExprKind::Load { indices, .. } if indices.iter().any(is_gathered) => {
                costs.gather_lane_cycles * f64::from(expr.dtype.lanes)
            }
            ExprKind::Load { .. } => moved(expr.dtype, costs),
            ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
                match (expr.dtype.is_float(), divisor.as_int()) {
                    (true, _) => costs.float_division_cycles * registers,
                    (false, Some(_)) => costs.constant_division_cycles * registers,
                    (false, None) => costs.integer_division_cycles * f64::from(expr.dtype.lanes),
                }
            }
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) if is_address_arithmetic(expr.dtype) => 0.0,
            ExprKind::Foreign { callee: ForeignCallee::Llvm(_) | ForeignCallee::Builtin(_), .. }
            | ExprKind::Call { .. } => costs.function_cycles * registers,
            ExprKind::Foreign { .. } => costs.unknown_call_cycles,
            ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::Not(_)
            | ExprKind::Select { .. }
            | ExprKind::Cast(_)
            | ExprKind::Shuffle { .. }
            | ExprKind::Reinterpret(_) => costs.operation_cycles * registers,
        };
    });
    sum
}

/// Whether the buffer is a register tile.
fn is_in_registers(buffer: &Buffer, costs: &Costs) -> bool {
    let elements = buffer.shape.iter().try_fold(1, |all: i64, size| all.checked_mul(size.as_int()?));
    let bytes = elements.and_then(|count| count.checked_mul(i64::try_from(buffer.dtype.bytes()).ok()?));
    buffer.scope == Scope::Local && bytes.is_some_and(|bytes| bytes <= costs.register_file_bytes.cast_signed())
}

/// Whether arithmetic of this type is mostly address arithmetic.
fn is_address_arithmetic(dtype: DataType) -> bool {
    dtype.is_int() && dtype.is_scalar()
}

/// Whether a vector load has other than contiguous elements.
fn is_gathered(index: &Expr) -> bool {
    index.dtype.is_vector() && !matches!(&index.kind, ExprKind::Ramp { stride, .. } if stride.as_int() == Some(1))
}

/// How a parallel loop is split into tasks.
pub(crate) struct Split {
    /// Iterations of a task: from 1 to the loop's extent, or 1.
    pub(crate) chunk: Value,
    /// Nanoseconds of the whole loop on one thread.
    pub(crate) nanoseconds: Value,
}

impl FnCx<'_, '_> {
    /// Splits the loop, whose extent `count` is computed already, into tasks.
    pub(crate) fn split(&mut self, var: &Var, min: &Expr, extent: &Expr, count: &Value, body: &Stmt) -> Split {
        let dtype = var.dtype;
        let (costs, tasks) = (self.unit.target.estimate, self.unit.target.tasks);
        let max_tasks = tasks.max_tasks as f64;
        let mut estimate = WorkCx { later: self, costs, midpoints: Map::default() };
        let [all, once] = estimate.repeated(var, min, extent, body);
        let all = estimate.combine(Op::Mul, &all, &Number::Known(costs.cycle_ns));
        let once = estimate.combine(Op::Mul, &once, &Number::Known(costs.cycle_ns));
        let worth = estimate.combine(Op::Div, &Number::Known(tasks.min_task_ns), &once);
        if let (Number::Known(all), Number::Known(worth), Some(count)) = (&all, &worth, extent.as_int()) {
            let chunk =
                if *all < tasks.min_loop_ns { i64::MAX } else { worth.max(count as f64 / max_tasks).ceil() as i64 };
            let chunk = int(chunk.min(count).max(1), dtype);
            return Split { chunk, nanoseconds: int(*all as i64, DataType::I64) };
        }
        let count_as_float = Number::Later(self.body.assign(format_args!("sitofp {} {count} to double", Reg(dtype))));
        let mut estimate = WorkCx { later: self, costs, midpoints: Map::default() };
        let bounded = estimate.combine(Op::Div, &count_as_float, &Number::Known(max_tasks));
        let chunk = estimate.combine(Op::Max, &worth, &bounded).operand();
        let all = all.operand();
        let is_short =
            self.body.assign(format_args!("fcmp olt double {all}, {}", float(tasks.min_loop_ns, DataType::F64)));
        let chunk = self.body.assign(format_args!("call double @llvm.ceil.f64(double {chunk})"));
        let chunk = self.as_index(&chunk, dtype);
        let chunk = self.body.assign(format_args!("select i1 {is_short}, {0} {count}, {0} {chunk}", Reg(dtype)));
        let chunk = self.extreme("smin", &chunk, count, dtype);
        let chunk = self.extreme("smax", &chunk, &int(1, dtype), dtype);
        Split { chunk, nanoseconds: self.as_index(&all, DataType::I64) }
    }

    /// Rounds towards zero, saturating at the limits of the type.
    fn as_index(&mut self, value: &Value, dtype: DataType) -> Value {
        self.body.assign(format_args!("call {0} @llvm.fptosi.sat.{0}.f64(double {value})", Reg(dtype)))
    }

    fn extreme(&mut self, name: &str, a: &Value, b: &Value, dtype: DataType) -> Value {
        let ty = Reg(dtype);
        self.body.assign(format_args!("call {ty} @llvm.{name}.{ty}({ty} {a}, {ty} {b})"))
    }
}

/// The statement with its parallel loops of little work as serial ones, as far as that is known now.
pub(crate) fn serial_where_short(stmt: &Stmt, target: &Target) -> Stmt {
    let costs = target.estimate;
    let mut kind = stmt.kind.clone();
    let below = |stmt: &mut Stmt| *stmt = with_stack(|| serial_where_short(stmt, target));
    match &mut kind {
        StmtKind::For { var, min, extent, kind: loop_kind @ ForKind::Parallel, body, .. } => {
            let mut estimate = WorkCx { later: &mut Unknown, costs, midpoints: Map::default() };
            match estimate.repeated(var, min, extent, body) {
                [Number::Known(cycles), _] if cycles * costs.cycle_ns < target.tasks.min_loop_ns => {
                    *loop_kind = ForKind::Serial
                }
                _ => return stmt.clone(),
            }
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. } => below(body),
        StmtKind::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).for_each(below),
        StmtKind::Seq(stmts) => stmts.iter_mut().for_each(below),
        StmtKind::Store { .. } | StmtKind::Block { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {
            return stmt.clone();
        }
    }
    kind.into()
}
