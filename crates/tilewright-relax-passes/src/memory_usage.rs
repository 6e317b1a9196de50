//! The memory usage of the functions of a planned module.

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::VarId;
use tilewright_ir::op::{Legalize, MachineOp};
use tilewright_ir::relax::{Binding, BindingValue, Callee, ExprKind, Function, SeqExpr};
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_ops::shapes::allocation_bytes;
use tilewright_support::{Map, with_stack};

use crate::lifetimes::{self, Lifetime, lifetimes};

/// The memory of one function's tensors, arguments and constants left out. Sizes are in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionMemory {
    pub function: Arc<str>,
    /// Tensors in the function's storage.
    pub planned_tensors: usize,
    /// Bytes of the planned storage of a run.
    pub planned_bytes: i64,
    /// Bytes without planning, each tensor in memory of its own.
    pub unplanned_bytes: i64,
    /// The maximum of simultaneously live bytes: a lower bound of any plan.
    pub peak_bytes: i64,
    /// Tensors of constant size in memory of their own: results, and what others may keep.
    pub own_tensors: usize,
    pub own_bytes: i64,
    /// Tensors whose size is known at run time only.
    pub dynamic_tensors: usize,
}

/// The memory of a module's functions; prints as a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryUsage {
    /// By name.
    pub functions: Vec<FunctionMemory>,
}

/// The memory usage of a module's functions, after [`crate::StaticPlanBlockMemory`].
pub fn estimate_memory_usage(module: &IRModule) -> MemoryUsage {
    let functions = module.sorted().into_iter().filter_map(|(name, function)| match function {
        GlobalFunc::Relax(function) => Some(of_function(module, name, function)),
        GlobalFunc::Prim(_) => None,
    });
    MemoryUsage { functions: functions.collect() }
}

fn of_function(module: &IRModule, name: &Arc<str>, function: &Function) -> FunctionMemory {
    let mut usage = FunctionMemory {
        function: name.clone(),
        planned_tensors: 0,
        planned_bytes: 0,
        unplanned_bytes: 0,
        peak_bytes: 0,
        own_tensors: 0,
        own_bytes: 0,
        dynamic_tensors: 0,
    };
    let mut bindings = Vec::new();
    collect(&function.body, &mut bindings);
    for binding in bindings {
        match machine_op(binding) {
            Some((MachineOp::AllocStorage, attrs)) => usage.planned_bytes += int(attrs, "bytes"),
            Some((MachineOp::AllocTensor, _)) => match allocation_bytes(&binding.var.struct_info) {
                Some(bytes) => {
                    usage.own_tensors += 1;
                    usage.own_bytes = usage.own_bytes.saturating_add(bytes);
                }
                None => usage.dynamic_tensors += 1,
            },
            Some((MachineOp::TensorInStorage, _)) => {
                usage.planned_tensors += 1;
                usage.unplanned_bytes = usage.unplanned_bytes.saturating_add(planned_bytes(binding).unwrap_or(0));
            }
            _ => {}
        }
    }
    usage.peak_bytes = peak(module, function);
    usage
}

fn collect<'f>(seq: &'f SeqExpr, found: &mut Vec<&'f Binding>) {
    for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
        found.push(binding);
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::If { then, otherwise, .. } = &value.kind
        {
            with_stack(|| collect(then, found));
            with_stack(|| collect(otherwise, found));
        }
    }
}

fn machine_op(binding: &Binding) -> Option<(MachineOp, &Attrs)> {
    let BindingValue::Expr(value) = &binding.value else { return None };
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), attrs, .. } => match op.legalize {
            Legalize::Machine(machine) => Some((machine, attrs)),
            Legalize::PrimFunc(_) | Legalize::FirstOf(_) => None,
        },
        _ => None,
    }
}

fn int(attrs: &Attrs, name: &str) -> i64 {
    attrs.get(name).and_then(Attr::as_int).unwrap_or(0)
}

/// The bytes that are kept for a tensor in the storage.
fn planned_bytes(binding: &Binding) -> Option<i64> {
    match machine_op(binding) {
        Some((MachineOp::TensorInStorage, attrs)) => match int(attrs, "bytes") {
            0 => allocation_bytes(&binding.var.struct_info),
            bytes => Some(bytes),
        },
        _ => None,
    }
}

fn peak(module: &IRModule, function: &Function) -> i64 {
    let mut sizes: Map<VarId, i64> = Map::default();
    let mut bindings = Vec::new();
    collect(&function.body, &mut bindings);
    for binding in bindings {
        if let Some(bytes) = planned_bytes(binding) {
            sizes.insert(binding.var.id(), bytes);
        }
    }
    let values = lifetimes(module, function, &|binding| planned_bytes(binding).is_some());
    let sized: Vec<(&Lifetime, i64)> =
        values.iter().filter_map(|value| Some((value, *sizes.get(&value.var.id())?))).collect();
    lifetimes::peak(&sized)
}

impl fmt::Display for MemoryUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.functions.iter().map(|usage| usage.function.len()).max().unwrap_or(0).max("function".len());
        let header = ["planned", "unplanned", "peak", "tensors", "own", "own tensors", "dynamic"];
        write!(f, "{:<width$}", "function")?;
        header.iter().try_for_each(|title| write!(f, "  {title:>14}"))?;
        for usage in &self.functions {
            write!(f, "\n{:<width$}", usage.function)?;
            for bytes in [usage.planned_bytes, usage.unplanned_bytes, usage.peak_bytes] {
                write!(f, "  {bytes:>14}")?;
            }
            write!(f, "  {:>14}  {:>14}", usage.planned_tensors, usage.own_bytes)?;
            write!(f, "  {:>14}  {:>14}", usage.own_tensors, usage.dynamic_tensors)?;
        }
        Ok(())
    }
}
