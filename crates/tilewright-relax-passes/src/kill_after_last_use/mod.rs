//! `KillAfterLastUse`: tensors in memory of their own are freed after their last use.
//!
//! `R.memory.kill_tensor` follows the last use on every path, so that at run time the memory serves other tensors
//! before the function ends. It frees tensors that the function allocates at run time, and those that it gets from
//! packed and Relax functions; not its arguments, constants or tensors in its planned storage. Aliases count as one
//! tensor, which is freed after the last use of any of them. A tuple keeps its fields alive by itself. A tensor that is
//! killed already is not killed again.

use std::collections::BTreeSet;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, InferError, Legalize, MachineOp};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var,
};
use tilewright_ir::verify::Form;
use tilewright_ops::memory::kill_tensor;
use tilewright_support::{Map, Origins, with_stack};

use crate::sequence::{defect, located, map_functions};

/// Frees tensors that are not used any more.
#[derive(Clone, Copy, Debug)]
pub struct KillAfterLastUse;

const NAME: &str = "KillAfterLastUse";

impl Pass for KillAfterLastUse {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::MachineReady, to: Form::MachineReady }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, diagnostics| {
            let mut kill = Kill { module: &module, cx: InferCx::default(), owned: Vec::new(), names: Map::default() };
            kill.names_in(&function.body);
            match kill.sequence(&function.body, &mut BTreeSet::new()) {
                Ok(body) => Function { body, ..function.clone() },
                Err(error) => {
                    diagnostics.push(located(defect(&error), &function.origins));
                    function.clone()
                }
            }
        })
    }
}

struct Kill<'a> {
    module: &'a IRModule,
    cx: InferCx,
    /// The tensors that can be killed, in the order of the text.
    owned: Vec<Var>,
    /// The tensors that a variable names.
    names: Map<VarId, usize>,
}

/// Tensors that are needed later on.
type Live = BTreeSet<usize>;

impl Kill<'_> {
    /// Finds the tensors that can be killed, and their names.
    fn names_in(&mut self, seq: &SeqExpr) {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
            let named = match &value.kind {
                ExprKind::Var(other) => self.names.get(&other.id()).copied(),
                ExprKind::If { then, otherwise, .. } => {
                    with_stack(|| self.names_in(then));
                    with_stack(|| self.names_in(otherwise));
                    None
                }
                _ if self.owns(binding, value) => {
                    self.owned.push(binding.var.clone());
                    Some(self.owned.len() - 1)
                }
                _ => None,
            };
            if let Some(named) = named {
                self.names.insert(binding.var.id(), named);
            }
        }
    }

    fn owns(&self, binding: &Binding, value: &Expr) -> bool {
        let ExprKind::Call { callee, .. } = &value.kind else { return false };
        let makes = match callee {
            Callee::Op(op) => matches!(op.legalize, Legalize::Machine(MachineOp::AllocTensor)),
            Callee::Packed(_) => true,
            Callee::Value(function) => match &function.kind {
                ExprKind::GlobalVar(global) => self.module.prim(&global.name).is_none(),
                _ => true,
            },
            Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_) => false,
        };
        makes && matches!(binding.var.struct_info, StructInfo::Tensor { .. })
    }

    /// The sequence with its kills; `live` is updated backwards.
    fn sequence(&self, seq: &SeqExpr, live: &mut Live) -> Result<SeqExpr, InferError> {
        live.extend(self.used(&seq.result));
        let mut blocks = Vec::new();
        for block in seq.blocks.iter().rev() {
            let mut bindings = Vec::new();
            for binding in block.bindings.iter().rev() {
                self.binding(binding, live, &mut bindings)?;
            }
            bindings.reverse();
            blocks.push(BindingBlock { dataflow: block.dataflow, bindings });
        }
        blocks.reverse();
        Ok(SeqExpr { blocks, result: seq.result.clone() })
    }

    /// Adds the binding; the block is built in reverse.
    fn binding(&self, binding: &Binding, live: &mut Live, out: &mut Vec<Binding>) -> Result<(), InferError> {
        let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
        if let ExprKind::If { condition, then, otherwise } = &value.kind {
            let kind = self.conditional(condition, then, otherwise, &binding.origins, live)?;
            let value = BindingValue::Expr(Expr::raw(value.struct_info.clone(), kind));
            out.push(Binding { value, ..binding.clone() });
            return Ok(());
        }
        let mut used = self.used(value);
        if is_kill(value) {
            live.extend(used);
            out.push(binding.clone());
            return Ok(());
        }
        let named = self.names.get(&binding.var.id()).copied();
        used.extend(named);
        for dying in (&used - live).iter().rev() {
            out.push(self.kill(*dying, &binding.origins)?);
        }
        live.extend(used);
        // A tensor begins with the first of its names.
        if let Some(begun) = named.filter(|named| self.owned[*named] == binding.var) {
            live.remove(&begun);
        }
        out.push(binding.clone());
        Ok(())
    }

    /// Tensors that only one branch needs are freed at the start of the other.
    fn conditional(
        &self,
        condition: &Expr,
        then: &SeqExpr,
        otherwise: &SeqExpr,
        origins: &Origins,
        live: &mut Live,
    ) -> Result<ExprKind, InferError> {
        let (mut in_then, mut in_otherwise) = (live.clone(), live.clone());
        let mut then = with_stack(|| self.sequence(then, &mut in_then))?;
        let mut otherwise = with_stack(|| self.sequence(otherwise, &mut in_otherwise))?;
        for (branch, dying) in [(&mut then, &in_otherwise - &in_then), (&mut otherwise, &in_then - &in_otherwise)] {
            let kills = dying.iter().map(|tensor| self.kill(*tensor, origins)).collect::<Result<Vec<_>, _>>()?;
            match branch.blocks.first_mut() {
                Some(first) => drop(first.bindings.splice(0..0, kills)),
                None if kills.is_empty() => {}
                None => branch.blocks.push(BindingBlock { dataflow: false, bindings: kills }),
            }
        }
        live.extend(in_then);
        live.extend(in_otherwise);
        live.extend(self.used(condition));
        Ok(ExprKind::If { condition: condition.clone(), then, otherwise })
    }

    fn used(&self, expr: &Expr) -> Live {
        let mut used = Live::new();
        walk(expr, |var: &Var| used.extend(self.names.get(&var.id())));
        used
    }

    fn kill(&self, tensor: usize, origins: &Origins) -> Result<Binding, InferError> {
        let call = kill_tensor::call(&self.cx, Expr::var(&self.owned[tensor]))?;
        Ok(Binding::new(Var::new("_", call.struct_info.clone()), call, origins.clone()))
    }
}

fn is_kill(value: &Expr) -> bool {
    let ExprKind::Call { callee: Callee::Op(op), .. } = &value.kind else { return false };
    matches!(op.legalize, Legalize::Machine(MachineOp::Kill))
}
