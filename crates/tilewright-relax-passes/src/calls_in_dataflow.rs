//! Rules for calls in dataflow blocks that look through the variables of the block.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::Attrs;
use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, OpDef, OpRef};
use tilewright_ir::pass::PassError;
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function, Var};
use tilewright_support::Map;

use crate::dead_code_elimination::without_dead;
use crate::normalize::normalized;
use crate::sequence::{bound_value, map_dataflow, map_functions};

/// The context of a rule: the dataflow block of a call.
pub(crate) struct Around {
    pub(crate) cx: InferCx,
    values: Map<VarId, Expr>,
    uses: Map<VarId, usize>,
}

impl Around {
    pub(crate) fn of(bindings: &[Binding]) -> Self {
        let mut around = Self { cx: InferCx::default(), values: Map::default(), uses: Map::default() };
        for binding in bindings {
            walk(&binding.value, |var: &Var| *around.uses.entry(var.id()).or_default() += 1);
            if let Some(value) = bound_value(binding) {
                around.values.insert(binding.var.id(), value.clone());
            }
        }
        around
    }

    /// The operands and attributes of the call of this operator that the variable is bound to in the block, and that
    /// nothing else uses.
    pub(crate) fn called_once(&self, operand: &Expr, op: &'static OpDef) -> Option<(&[Expr], &Attrs)> {
        let var = operand.as_var().filter(|var| var.dataflow && self.uses.get(&var.id()) == Some(&1))?;
        called(self.values.get(&var.id())?, op)
    }

    /// The same, whatever else uses the variable.
    pub(crate) fn called(&self, operand: &Expr, op: &'static OpDef) -> Option<(&[Expr], &Attrs)> {
        called(self.values.get(&operand.as_var()?.id())?, op)
    }
}

/// The operands and attributes of a call of this operator.
pub(crate) fn called<'e>(value: &'e Expr, op: &'static OpDef) -> Option<(&'e [Expr], &'e Attrs)> {
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(called), args, attrs, .. } if *called == OpRef(op) => Some((args, attrs)),
        _ => None,
    }
}

/// Applies the rule to the values in dataflow blocks, where the replacement has the type of the value. In a function
/// that changes, unused bindings are removed, among them those that the rule looked through.
pub(crate) fn with_rule(
    pass: &'static str,
    module: &IRModule,
    rule: fn(&Around, &Expr) -> Option<Expr>,
) -> Result<IRModule, PassError> {
    map_functions(pass, module, |function, _| {
        let function = normalized(function);
        let mut any = false;
        let body = map_dataflow(&function.body, &mut |mut bindings| {
            let around = Around::of(&bindings);
            for binding in &mut bindings {
                let changed = bound_value(binding).and_then(|value| rule(&around, value));
                if let Some(value) = changed.filter(|value| value.struct_info.equal(&binding.var.struct_info)) {
                    binding.value = BindingValue::Expr(value);
                    any = true;
                }
            }
            bindings
        });
        let body = if any { without_dead(&body) } else { body };
        normalized(&Function { body, ..function })
    })
}
