//! Rules for calls that look through the variables of their block: a dataflow block, or one without side effects.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::Attrs;
use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, OpDef, OpRef};
use tilewright_ir::pass::PassError;
use tilewright_ir::relax::{Binding, BindingValue, Callee, Constant, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::Tensor;

use crate::dead_code_elimination::without_dead;
use crate::normalize::normalized;
use crate::sequence::{bound_value, map_blocks, map_functions};

/// The context of a rule: the block of a call.
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
        }
        // What is visible outside of a dataflow block may be used there.
        let outputs = bindings.iter().filter(|binding| !binding.var.dataflow);
        outputs.for_each(|binding| *around.uses.entry(binding.var.id()).or_default() += 1);
        around.with_values(bindings)
    }

    /// As [`Around::of`] in a function, whose uses of each variable are known.
    fn with_uses(bindings: &[Binding], uses: &Map<VarId, usize>) -> Self {
        Self { cx: InferCx::default(), values: Map::default(), uses: uses.clone() }.with_values(bindings)
    }

    fn with_values(mut self, bindings: &[Binding]) -> Self {
        for binding in bindings {
            if let Some(value) = bound_value(binding) {
                self.values.insert(binding.var.id(), value.clone());
            }
        }
        self
    }

    /// The operands and attributes of the call of this operator that the variable is bound to in the block, and that
    /// nothing else uses.
    pub(crate) fn called_once(&self, operand: &Expr, op: &'static OpDef) -> Option<(&[Expr], &Attrs)> {
        let var = operand.as_var().filter(|var| self.uses.get(&var.id()) == Some(&1))?;
        called(self.values.get(&var.id())?, op)
    }

    /// The same, whatever else uses the variable.
    pub(crate) fn called(&self, operand: &Expr, op: &'static OpDef) -> Option<(&[Expr], &Attrs)> {
        called(self.values.get(&operand.as_var()?.id())?, op)
    }

    /// The same, of a variable or of a call itself.
    pub(crate) fn called_anywhere<'e>(
        &'e self,
        operand: &'e Expr,
        op: &'static OpDef,
    ) -> Option<(&'e [Expr], &'e Attrs)> {
        self.called(operand, op).or_else(|| called(operand, op))
    }

    /// The value that the variable is bound to in the block.
    pub(crate) fn value(&self, operand: &Expr) -> Option<&Expr> {
        self.values.get(&operand.as_var()?.id())
    }

    /// The constant that an operand is, or that the variable is bound to in the block.
    pub(crate) fn constant<'e>(&'e self, operand: &'e Expr) -> Option<&'e Tensor> {
        let value = operand.as_var().map_or(Some(operand), |var| self.values.get(&var.id()))?;
        match &value.kind {
            ExprKind::Constant(Constant(tensor)) => Some(tensor),
            _ => None,
        }
    }
}

/// The operands and attributes of a call of this operator.
pub(crate) fn called<'e>(value: &'e Expr, op: &'static OpDef) -> Option<(&'e [Expr], &'e Attrs)> {
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(called), args, attrs, .. } if *called == OpRef(op) => Some((args, attrs)),
        _ => None,
    }
}

/// Applies the rule to the values in dataflow blocks and in blocks without side effects, where the replacement has the
/// type of the value. In a function that changes, unused bindings are removed, among them those that the rule looked
/// through.
pub(crate) fn with_rule(
    pass: &'static str,
    module: &IRModule,
    rule: fn(&Around, &Expr) -> Option<Expr>,
) -> Result<IRModule, PassError> {
    map_functions(pass, module, |function, _| {
        let function = normalized(function);
        let mut any = false;
        let uses = uses(&function.body);
        let body = map_blocks(&function.body, &mut |mut block| {
            let pure = |binding: &Binding| bound_value(binding).is_some_and(Expr::is_pure);
            if !block.dataflow && !block.bindings.iter().all(pure) {
                return vec![block];
            }
            let around = Around::with_uses(&block.bindings, &uses);
            for binding in &mut block.bindings {
                let changed = bound_value(binding).and_then(|value| rule(&around, value));
                if let Some(value) = changed.filter(|value| value.struct_info.equal(&binding.var.struct_info)) {
                    binding.value = BindingValue::Expr(value);
                    any = true;
                }
            }
            vec![block]
        });
        let body = if any { without_dead(&body) } else { body };
        normalized(&Function { body, ..function })
    })
}

/// How often each variable is mentioned in a sequence.
fn uses(body: &SeqExpr) -> Map<VarId, usize> {
    let mut uses: Map<VarId, usize> = Map::default();
    for binding in body.blocks.iter().flat_map(|block| &block.bindings) {
        walk(&binding.value, |var: &Var| *uses.entry(var.id()).or_default() += 1);
        let inside = |seq: &SeqExpr| self::uses(seq);
        let counts = match &binding.value {
            BindingValue::Expr(value) => match &value.kind {
                ExprKind::If { then, otherwise, .. } => with_stack(|| vec![inside(then), inside(otherwise)]),
                ExprKind::Function(function) => with_stack(|| vec![inside(&function.body)]),
                _ => Vec::new(),
            },
            BindingValue::MatchCast { .. } => Vec::new(),
        };
        for (var, count) in counts.into_iter().flatten() {
            *uses.entry(var).or_default() += count;
        }
    }
    walk(&body.result, |var: &Var| *uses.entry(var.id()).or_default() += 1);
    uses
}
