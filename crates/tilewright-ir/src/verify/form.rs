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
    report.origins.push(function.origins.headline());
    Calls { report, form, explicit }.seq(&function.body);
    if form == Form::MachineReady {
        let mut flat = Flat { report, storages: 0, planned: Set::default() };
        flat.seq(&function.body);
        flat.result(&function.body.result);
    }
    report.origins.pop();
}

/// Looks for calls that a form does not have, binding by binding.
struct Calls<'r> {
    report: &'r mut Report,
    form: Form,
    /// The form has explicit destinations.
    explicit: bool,
}

impl Calls<'_> {
    fn seq(&mut self, seq: &SeqExpr) {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
            self.report.origins.push(binding.origins.clone());
            self.value(value);
            self.report.origins.pop();
        }
        self.value(&seq.result);
    }

    /// Sequences inside have origins of their own.
    fn value(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                self.value(condition);
                with_stack(|| self.seq(then));
                with_stack(|| self.seq(otherwise));
            }
            ExprKind::Function(function) => with_stack(|| self.seq(&function.body)),
            _ => walk(value, |expr: &Expr| {
                if let ExprKind::Call { callee, .. } = &expr.kind {
                    self.call(callee);
                }
            }),
        }
    }

    fn call(&mut self, callee: &Callee) {
        let form = self.form;
        let left = match callee {
            Callee::Op(op) if matches!(op.legalize, Legalize::PrimFunc(_)) => {
                let what =
                    format!("operator `{}` is left in the {form} form: `LegalizeOps` makes it a PrimFunc", op.name);
                return self.report.error("TW0550", what);
            }
            Callee::Tir(global) if self.explicit => format!("`call_tir` of `{}`", global.name),
            Callee::TirInplace { function, .. } if self.explicit => {
                format!("`call_tir_inplace` of `{}`", function.name)
            }
            Callee::DpsPacked(name) if self.explicit => format!("`call_dps_packed` of `{name}`"),
            _ => return,
        };
        let what = format!("{left} is left in the {form} form: `CallTIRRewrite` allocates its results before the call");
        self.report.error("TW0551", what);
    }
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
                let origins = block.bindings.first().map(|binding| binding.origins.clone());
                self.report.origins.extend(origins.clone());
                self.error("a dataflow block is left in the machine-ready form: `ToNonDataflow` opens it");
                self.report.origins.truncate(self.report.origins.len() - usize::from(origins.is_some()));
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
                    self.error("the function has a second storage: `StaticPlanBlockMemory` plans one for all tensors");
                }
            }
            MachineOp::TensorInStorage => {
                self.planned.insert(var.id());
            }
            MachineOp::AllocTensor
            | MachineOp::Kill
            | MachineOp::Same
            | MachineOp::Closure
            | MachineOp::CallPrimFunc
            | MachineOp::Builtin(_) => {}
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
                self.error("an operand is neither a variable nor a plain value in the machine-ready form: `Normalize` gives it a name");
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
