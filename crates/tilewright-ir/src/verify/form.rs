//! The named forms of graph functions.

use tilewright_expr::node::{VarId, walk};
use tilewright_support::{Set, with_stack};

use super::{Form, Report};
use crate::op::{Legalize, MachineOp};
use crate::relax::{BindingValue, Callee, Expr, ExprKind, Function, SeqExpr};

pub(super) fn check(report: &mut Report, function: &Function, form: Form) {
    let explicit = match form {
        Form::Any | Form::Graph => return,
        Form::Legalized => false,
        Form::DestinationPassing | Form::MachineReady => true,
    };
    report.origins.push(function.origins.clone());
    walk(function, |expr: &Expr| {
        let ExprKind::Call { callee, .. } = &expr.kind else { return };
        match callee {
            Callee::Op(op) if matches!(op.legalize, Legalize::PrimFunc(_)) => {
                report.error("TW0550", format!("operator `{}` is left in the {form} form", op.name));
            }
            Callee::Tir(global) if explicit => {
                report.error("TW0551", format!("`call_tir` of `{}` is left in the {form} form", global.name));
            }
            Callee::TirInplace { function, .. } if explicit => {
                report
                    .error("TW0551", format!("`call_tir_inplace` of `{}` is left in the form {form:?}", function.name));
            }
            Callee::DpsPacked(name) if explicit => {
                report.error("TW0551", format!("`call_dps_packed` of `{name}` is left in the {form} form"));
            }
            _ => {}
        }
    });
    if form == Form::MachineReady {
        let mut flat = Flat { report, storages: 0, planned: Set::default() };
        flat.seq(&function.body);
        flat.result(&function.body.result);
    }
    report.origins.pop();
}

/// Checks that a function is a flat list of bindings with planned storage.
struct Flat<'r> {
    report: &'r mut Report,
    storages: usize,
    /// Variables of tensors in planned memory, which must not leave the function.
    planned: Set<VarId>,
}

impl Flat<'_> {
    fn error(&mut self, message: impl Into<String>) {
        self.report.error("TW0552", message);
    }

    fn seq(&mut self, seq: &SeqExpr) {
        for block in &seq.blocks {
            if block.dataflow {
                self.error("a dataflow block is left in the machine-ready form");
            }
            for binding in &block.bindings {
                self.report.origins.push(binding.origins.clone());
                match &binding.value {
                    BindingValue::Expr(value) => self.value(&binding.var, value),
                    BindingValue::MatchCast { value, .. } => self.operand(value),
                }
                self.report.origins.pop();
            }
        }
        self.operand(&seq.result);
    }

    fn value(&mut self, var: &crate::relax::Var, value: &Expr) {
        match &value.kind {
            ExprKind::Call { callee, args, .. } => {
                if let Callee::Op(op) = callee
                    && let Legalize::Machine(machine) = op.legalize
                {
                    self.memory(machine, var);
                }
                if let Callee::Value(function) = callee {
                    self.operand(function);
                }
                args.iter().for_each(|arg| self.operand(arg));
            }
            ExprKind::TupleGet { tuple, .. } => self.operand(tuple),
            ExprKind::If { condition, then, otherwise } => {
                self.operand(condition);
                with_stack(|| self.seq(then));
                with_stack(|| self.seq(otherwise));
            }
            // A function inside a function has no storage but its own.
            ExprKind::Function(function) => with_stack(|| {
                let outside = std::mem::take(&mut self.storages);
                self.seq(&function.body);
                self.result(&function.body.result);
                self.storages = outside;
            }),
            ExprKind::Var(other) => {
                if self.planned.contains(&other.id()) {
                    self.planned.insert(var.id());
                }
            }
            _ => self.operand(value),
        }
    }

    fn memory(&mut self, op: MachineOp, var: &crate::relax::Var) {
        match op {
            MachineOp::AllocStorage => {
                self.storages += 1;
                if self.storages == 2 {
                    self.error("the function has a second storage");
                }
            }
            MachineOp::TensorInStorage => {
                self.planned.insert(var.id());
            }
            MachineOp::AllocTensor | MachineOp::Kill => {}
        }
    }

    fn operand(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::GlobalVar(_)
            | ExprKind::ExternFunc(_)
            | ExprKind::Constant(_)
            | ExprKind::Shape(_)
            | ExprKind::Prim(_)
            | ExprKind::Str(_)
            | ExprKind::DType(_) => {}
            ExprKind::Tuple(fields) => with_stack(|| fields.iter().for_each(|field| self.operand(field))),
            ExprKind::Call { .. } | ExprKind::TupleGet { .. } | ExprKind::If { .. } | ExprKind::Function(_) => {
                self.error("an operand is neither a variable nor a plain value in the machine-ready form");
            }
        }
    }

    /// A tensor in planned memory ends with the call.
    fn result(&mut self, result: &Expr) {
        match &result.kind {
            ExprKind::Var(var) if self.planned.contains(&var.id()) => {
                self.error(format!("`{}` lies in planned memory, and is returned", var.name));
            }
            ExprKind::Tuple(fields) => with_stack(|| fields.iter().for_each(|field| self.result(field))),
            _ => {}
        }
    }
}
