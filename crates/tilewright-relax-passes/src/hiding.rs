//! Where variables are bound and seen: the fields of a tuple before their first use, and dataflow variables.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Function, SeqExpr, Var};
use tilewright_support::{Map, Set};

use crate::sequence::{map_inside, push_block};

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

/// The sequence with each of these lists of bindings before the first use of the last variable that it binds; those
/// that are not used are left out.
pub(crate) fn with_fields(seq: &SeqExpr, fields: impl IntoIterator<Item = Vec<Binding>>) -> SeqExpr {
    let last = |field: Vec<Binding>| Some((field.last()?.var.id(), field));
    let mut waiting: Map<VarId, Vec<Binding>> = fields.into_iter().filter_map(last).collect();
    let mut blocks = Vec::new();
    for block in &seq.blocks {
        let mut bindings = Vec::new();
        for binding in &block.bindings {
            walk(&binding.value, |var: &Var| bindings.extend(waiting.remove(&var.id()).into_iter().flatten()));
            bindings.push(binding.clone());
        }
        push_block(&mut blocks, BindingBlock { dataflow: block.dataflow, bindings });
    }
    let mut bindings = Vec::new();
    walk(&vec![seq.result.clone()], |var: &Var| bindings.extend(waiting.remove(&var.id()).into_iter().flatten()));
    push_block(&mut blocks, BindingBlock { dataflow: false, bindings });
    SeqExpr { blocks, result: seq.result.clone() }
}
