//! The host's part of a function for a GPU: from what stands around its kernels to a [`LaunchPlan`].

use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_expr::{Intrinsic, Var};
use tilewright_ir::low::{DeviceKernel, LowTir, begins_kernel};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Stmt, StmtKind};
use tilewright_llvm::device_symbol;
use tilewright_support::{Map, with_stack};
use tilewright_target::Target;
use tilewright_tensor::DataType;
use tilewright_vm_program::{Dim, KernelLaunch, LaunchPlan, LaunchStep, ScalarOp};

use crate::emit::{binary, comparison};

type Result<T> = std::result::Result<T, String>;

/// The plan of a function in the flat form for GPUs, and its kernels by the numbers in their symbols.
///
/// # Errors
/// What the host cannot do, and limits of the target that a kernel does not keep.
pub(crate) fn launch_plan(low: &LowTir, target: &Target) -> Result<(Launches, Vec<DeviceKernel>)> {
    let mut cx = Host {
        target,
        plan: LaunchPlan::default(),
        slots: Map::default(),
        memories: Map::default(),
        kernels: Vec::new(),
        computed: Map::default(),
    };
    for param in &low.function().params {
        match &param.buffer {
            Some(buffer) => {
                cx.remember(buffer);
            }
            None => {
                cx.slot(&param.var);
            }
        }
    }
    let steps = cx.body(&low.function().body)?;
    cx.plan.steps = steps;
    Ok((Launches(cx.plan), cx.kernels))
}

/// A plan whose launches lack their shared memory.
pub(crate) struct Launches(LaunchPlan);

impl Launches {
    /// Gives each launch the dynamic shared memory of its kernel, in bytes.
    pub(crate) fn share(&mut self, bytes: &[u64]) -> Result<()> {
        fn walk(steps: &mut [LaunchStep], bytes: &[u64]) -> Result<()> {
            for step in steps {
                match step {
                    LaunchStep::Launch(launch) => {
                        let number = (0..bytes.len()).find(|number| device_symbol(*number) == launch.symbol);
                        let shared = number.map_or(0, |number| bytes[number]);
                        launch.shared_bytes =
                            u32::try_from(shared).map_err(|_| format!("{shared} bytes of shared memory"))?;
                    }
                    LaunchStep::Repeat { steps, .. } => walk(steps, bytes)?,
                    LaunchStep::Choose { then, otherwise, .. } => {
                        walk(then, bytes)?;
                        walk(otherwise, bytes)?;
                    }
                    _ => {}
                }
            }
            Ok(())
        }
        walk(&mut self.0.steps, bytes)
    }

    pub(crate) fn finish(self) -> LaunchPlan {
        self.0
    }
}

struct Host<'a> {
    target: &'a Target,
    plan: LaunchPlan,
    slots: Map<VarId, u32>,
    /// Pieces of memory by data variable.
    memories: Map<VarId, u32>,
    kernels: Vec<DeviceKernel>,
    /// The numbers of expressions that were computed in the steps so far, by address; the expressions stay alive in the
    /// function.
    computed: Map<usize, Dim>,
}

impl Host<'_> {
    fn remember(&mut self, buffer: &Buffer) -> u32 {
        let memory = self.plan.memories;
        self.memories.insert(buffer.data.id(), memory);
        self.plan.memories += 1;
        memory
    }

    fn slot(&mut self, var: &Var) -> u32 {
        let slot = self.new_slot();
        self.slots.insert(var.id(), slot);
        slot
    }

    fn new_slot(&mut self) -> u32 {
        self.plan.slots += 1;
        self.plan.slots - 1
    }

    /// The steps of a statement; numbers that it computes are unknown after it.
    fn body(&mut self, stmt: &Stmt) -> Result<Vec<LaunchStep>> {
        let known = self.computed.clone();
        let mut steps = Vec::new();
        self.stmt(stmt, &mut steps)?;
        self.computed = known;
        Ok(steps)
    }

    fn stmt(&mut self, stmt: &Stmt, steps: &mut Vec<LaunchStep>) -> Result<()> {
        if begins_kernel(stmt) {
            return self.kernel(stmt, steps);
        }
        match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(stmt, steps)),
            StmtKind::Let { var, value, body } => {
                let number = self.number(value, steps)?;
                let dst = self.slot(var);
                steps.push(LaunchStep::Compute { dst, op: ScalarOp::Copy, dtype: value.dtype, args: vec![number] });
                with_stack(|| self.stmt(body, steps))
            }
            StmtKind::Assert { condition, message } => {
                let condition = self.number(condition, steps)?;
                steps.push(LaunchStep::Check { condition, message: message.to_string() });
                Ok(())
            }
            StmtKind::Allocate { buffer, body } => {
                let bytes = self.bytes(buffer, steps)?;
                let memory = self.remember(buffer);
                steps.push(LaunchStep::Allocate { memory, bytes });
                with_stack(|| self.stmt(body, steps))?;
                steps.push(LaunchStep::Free { memory });
                Ok(())
            }
            StmtKind::For { var, min, extent, body, .. } => {
                let (from, count) = (self.number(min, steps)?, self.number(extent, steps)?);
                let slot = self.slot(var);
                let inside = with_stack(|| self.body(body))?;
                steps.push(LaunchStep::Repeat { slot, from, count, steps: inside });
                Ok(())
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.number(condition, steps)?;
                let then = with_stack(|| self.body(then))?;
                let otherwise = otherwise.as_ref().map_or(Ok(Vec::new()), |stmt| with_stack(|| self.body(stmt)))?;
                steps.push(LaunchStep::Choose { condition, then, otherwise });
                Ok(())
            }
            StmtKind::Evaluate(value) if matches!(value.kind, ExprKind::Int(_)) => Ok(()),
            other => Err(format!("the host of a GPU cannot do this outside of a kernel: {other:?}")),
        }
    }

    fn kernel(&mut self, nest: &Stmt, steps: &mut Vec<LaunchStep>) -> Result<()> {
        let kernel = DeviceKernel::of(nest)?;
        let limits = self.target.device.as_ref().and_then(|device| device.limits);
        let threads: u64 = kernel.block.iter().map(|&threads| u64::from(threads)).product();
        if let Some(limits) = limits.filter(|limits| threads > u64::from(limits.max_threads_per_block)) {
            let most = limits.max_threads_per_block;
            return Err(format!("a block of {threads} threads, where the device has at most {most}"));
        }
        if threads == 0 {
            return Ok(());
        }
        let mut grid = [Dim::Const(1); 3];
        for (number, extent) in grid.iter_mut().zip(&kernel.grid) {
            *number = self.number(extent, steps)?;
        }
        let memory = kernel.memory.iter().map(|(buffer, _)| self.memories.get(&buffer.data.id()).copied());
        let memory = memory.collect::<Option<Vec<_>>>().ok_or("memory of a kernel that nobody declares")?;
        let scalars = kernel.scalars.iter().map(|var| self.slots.get(&var.id()).map(|&slot| Dim::Slot(slot)));
        let scalars = scalars.collect::<Option<Vec<_>>>().ok_or("a number of a kernel that the host does not know")?;
        let symbol = device_symbol(self.kernels.len());
        let block = kernel.block;
        steps.push(LaunchStep::Launch(KernelLaunch { symbol, grid, block, shared_bytes: 0, memory, scalars }));
        self.kernels.push(kernel);
        Ok(())
    }

    fn bytes(&mut self, buffer: &Buffer, steps: &mut Vec<LaunchStep>) -> Result<Dim> {
        let mut bytes = Expr::i64(buffer.dtype.element_bytes() as i64);
        for extent in &buffer.shape {
            let extent = extent.cast(DataType::I64).map_err(|error| error.to_string())?;
            bytes = Expr::binary(tilewright_expr::BinOp::Mul, &bytes, &extent).map_err(|error| error.to_string())?;
        }
        self.number(&bytes, steps)
    }

    /// The number of an expression over numbers of the host.
    fn number(&mut self, expr: &Expr, steps: &mut Vec<LaunchStep>) -> Result<Dim> {
        match &expr.kind {
            ExprKind::Int(value) => return Ok(Dim::Const(*value)),
            ExprKind::Var(var) => {
                let slot = self.slots.get(&var.id());
                return slot
                    .map(|&slot| Dim::Slot(slot))
                    .ok_or_else(|| format!("the host does not know `{}`", var.name));
            }
            _ if expr.dtype.is_float() => return Err("a float decides what is launched".to_owned()),
            _ => {}
        }
        if let Some(known) = self.computed.get(&expr.address()).filter(|_| AnyHandle::is_shared(expr)) {
            return Ok(*known);
        }
        let number = with_stack(|| self.operation(expr, steps))?;
        if AnyHandle::is_shared(expr) {
            self.computed.insert(expr.address(), number);
        }
        Ok(number)
    }

    fn operation(&mut self, expr: &Expr, steps: &mut Vec<LaunchStep>) -> Result<Dim> {
        let (op, dtype, args) = match &expr.kind {
            ExprKind::Binary(op, a, b) => (binary(*op), a.dtype, vec![a, b]),
            ExprKind::Compare(op, a, b) => (comparison(*op), a.dtype, vec![a, b]),
            ExprKind::Not(value) => (ScalarOp::Not, DataType::BOOL, vec![value]),
            ExprKind::Select { condition, then, otherwise } => {
                (ScalarOp::Select, then.dtype, vec![condition, then, otherwise])
            }
            ExprKind::Cast(value) => (ScalarOp::Cast(expr.dtype), value.dtype, vec![value]),
            ExprKind::Let { var, value, body } => {
                let number = self.number(value, steps)?;
                let dst = self.slot(var);
                steps.push(LaunchStep::Compute { dst, op: ScalarOp::Copy, dtype: value.dtype, args: vec![number] });
                return self.number(body, steps);
            }
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [condition, then, otherwise] => return self.choice(condition, then, otherwise, steps),
                _ => return Err("`if_then_else` takes 3 operands".to_owned()),
            },
            other => return Err(format!("the host cannot compute {other:?}")),
        };
        let args = args.into_iter().map(|arg| self.number(arg, steps)).collect::<Result<Vec<_>>>()?;
        let dst = self.new_slot();
        steps.push(LaunchStep::Compute { dst, op, dtype, args });
        Ok(Dim::Slot(dst))
    }

    /// Computes only the operand that is taken: the other one may divide by zero.
    fn choice(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, steps: &mut Vec<LaunchStep>) -> Result<Dim> {
        let condition = self.number(condition, steps)?;
        let dst = self.new_slot();
        let zero = vec![Dim::Const(0)];
        steps.push(LaunchStep::Compute { dst, op: ScalarOp::Copy, dtype: then.dtype, args: zero });
        let mut arm = |value: &Expr| {
            let known = self.computed.clone();
            let mut steps = Vec::new();
            let args = vec![self.number(value, &mut steps)?];
            self.computed = known;
            steps.push(LaunchStep::Compute { dst, op: ScalarOp::Copy, dtype: value.dtype, args });
            Ok::<_, String>(steps)
        };
        let (then, otherwise) = (arm(then)?, arm(otherwise)?);
        steps.push(LaunchStep::Choose { condition, then, otherwise });
        Ok(Dim::Slot(dst))
    }
}
