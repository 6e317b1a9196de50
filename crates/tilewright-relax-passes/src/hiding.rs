//! Turns variables that are only used inside their dataflow block into dataflow variables.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::relax::{BindingBlock, BindingValue, Function, SeqExpr, Var};
use tilewright_support::{Map, Set};

use crate::sequence::map_inside;

/// The function with dataflow variables for those that dataflow blocks bind, nothing outside of them uses, and `may` be
/// hidden.
pub(crate) fn hidden(function: &Function, may: &dyn Fn(&Var) -> bool) -> Function {
    let mut fresh: Map<VarId, Var> = Map::default();
    hide(&function.body, may, &mut fresh);
    rewrite(function, |var: &Var| fresh.get(&var.id()).cloned()).unwrap_or_else(|| function.clone())
}

fn hide(seq: &SeqExpr, may: &dyn Fn(&Var) -> bool, fresh: &mut Map<VarId, Var>) {
    // Backwards: the variables used after each block.
    let mut used_later: Set<VarId> = Set::default();
    walk(&vec![seq.result.clone()], |var: &Var| used_later.extend([var.id()]));
    let mut flowing: Vec<(&BindingBlock, Set<VarId>)> = Vec::new();
    for block in seq.blocks.iter().rev() {
        if block.dataflow {
            flowing.push((block, used_later.clone()));
        }
        block.bindings.iter().for_each(|binding| walk(&binding.value, |var: &Var| used_later.extend([var.id()])));
    }
    for (block, used_later) in flowing {
        let vars = block.bindings.iter().map(|binding| &binding.var);
        for var in vars.filter(|var| !var.dataflow && !used_later.contains(&var.id()) && may(var)) {
            fresh.insert(var.id(), Var::dataflow(var.name.clone(), var.struct_info.clone()));
        }
    }
    for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
        if let BindingValue::Expr(value) = &binding.value {
            let _ = map_inside(value, &mut |seq| {
                hide(seq, may, fresh);
                seq.clone()
            });
        }
    }
}
