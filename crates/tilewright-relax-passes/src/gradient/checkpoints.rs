//! Checkpoints: values that are computed again for gradients.
//!
//! A variable is *stored* if gradients use the value of the first computation: a parameter, what `start_checkpoint`
//! takes, and what depends on stored variables and results of `end_checkpoint` only. All others lie between the two
//! marks, and are computed from stored ones anew, each once, when a gradient first needs it. The marks themselves
//! vanish.

use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::op::OpRef;
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Var};
use tilewright_ops::grad::{end_checkpoint, start_checkpoint};
use tilewright_support::{Map, Set, with_stack};

use super::{Forward, Res, unbuildable, vars_in};

/// What is stored, and the values of what is not.
pub(super) struct Checkpoints {
    stored: Set<VarId>,
    values: Map<VarId, (Var, Expr)>,
    /// The variables that the marks only rename.
    renamed: Map<VarId, Expr>,
    again: Map<VarId, Expr>,
}

impl Checkpoints {
    /// The checkpoints, the bindings without marks, and the function's result.
    pub(super) fn of(forward: &Forward) -> (Self, Vec<Binding>, Expr) {
        let mut own =
            Self { stored: Set::default(), values: Map::default(), renamed: Map::default(), again: Map::default() };
        let bound: Set<VarId> = forward.bindings.iter().map(|binding| binding.var.id()).collect();
        let mut outside: Set<VarId> = Set::default();
        let mut bindings = Vec::new();
        for binding in &forward.bindings {
            let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
            match mark(value) {
                Some((Mark::Start, arg)) => {
                    own.stored.extend(vars_in(&own.named(arg)));
                    outside.extend(vars_in(arg));
                    own.renamed.insert(binding.var.id(), own.named(arg));
                    continue;
                }
                // An output of the block stays as another name.
                Some((Mark::End, arg)) if !binding.var.dataflow => {
                    outside.insert(binding.var.id());
                    own.stored.insert(binding.var.id());
                    let value = BindingValue::Expr(own.named(arg));
                    bindings.push(Binding { value, ..binding.clone() });
                    continue;
                }
                Some((Mark::End, arg)) => {
                    outside.insert(binding.var.id());
                    own.renamed.insert(binding.var.id(), own.named(arg));
                    continue;
                }
                None => {}
            }
            if vars_in(value).iter().all(|var| outside.contains(var) || !bound.contains(var)) {
                outside.insert(binding.var.id());
                own.stored.insert(binding.var.id());
            }
            let binding = own.binding(binding);
            if let BindingValue::Expr(value) = &binding.value {
                own.values.insert(binding.var.id(), (binding.var.clone(), value.clone()));
            }
            bindings.push(binding);
        }
        let result = own.named(&forward.result);
        (own, bindings, result)
    }

    /// The variable that is bound to the value of this one.
    pub(super) fn resolved(&self, var: &Var) -> Var {
        self.renamed.get(&var.id()).and_then(Expr::as_var).unwrap_or(var).clone()
    }

    fn named(&self, expr: &Expr) -> Expr {
        let named = |expr: &Expr| self.renamed.get(&expr.as_var()?.id()).cloned();
        rewrite(expr, named).unwrap_or_else(|| expr.clone())
    }

    fn binding(&self, binding: &Binding) -> Binding {
        let value = match &binding.value {
            BindingValue::Expr(value) => BindingValue::Expr(self.named(value)),
            BindingValue::MatchCast { value, struct_info } => {
                BindingValue::MatchCast { value: self.named(value), struct_info: struct_info.clone() }
            }
        };
        Binding { value, ..binding.clone() }
    }

    /// The value for gradients: with variables that are not stored computed again.
    pub(super) fn value(&mut self, bb: &mut BlockBuilder, expr: &Expr) -> Res<Expr> {
        for var in vars_in(expr) {
            self.compute(bb, var)?;
        }
        let again = |expr: &Expr| self.again.get(&expr.as_var()?.id()).cloned();
        Ok(rewrite(expr, again).unwrap_or_else(|| expr.clone()))
    }

    fn compute(&mut self, bb: &mut BlockBuilder, id: VarId) -> Res<()> {
        if self.stored.contains(&id) || self.again.contains_key(&id) {
            return Ok(());
        }
        let Some((var, value)) = self.values.get(&id).cloned() else { return Ok(()) };
        let value = with_stack(|| self.value(bb, &value))?;
        let name = format!("{}_cp", var.name);
        let copy = bb.emit_named(&value, Some(&name)).map_err(|error| unbuildable(&error))?;
        self.again.insert(id, Expr::var(&copy));
        Ok(())
    }
}

enum Mark {
    Start,
    End,
}

fn mark(value: &Expr) -> Option<(Mark, &Expr)> {
    let ExprKind::Call { callee: Callee::Op(op), args, .. } = &value.kind else { return None };
    let mark = match op {
        _ if *op == OpRef(&start_checkpoint::OP) => Mark::Start,
        _ if *op == OpRef(&end_checkpoint::OP) => Mark::End,
        _ => return None,
    };
    Some((mark, args.first()?))
}
