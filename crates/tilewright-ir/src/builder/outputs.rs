//! Dataflow variables that are used after their block become outputs of it.

use std::sync::Arc;

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_support::{Map, Set};

use crate::relax::{BindingValue, Expr, SeqExpr, Var};

/// Makes every dataflow variable that is used outside of its block one that is visible there; their names, in the order
/// of their bindings.
pub(super) fn expose_used_outside(body: &mut SeqExpr) -> Vec<Arc<str>> {
    let exposed = used_outside(body);
    if exposed.is_empty() {
        return Vec::new();
    }
    let visible: Map<VarId, Var> =
        exposed.iter().map(|var| (var.id(), Var::new(var.name.clone(), var.struct_info.clone()))).collect();
    let renamed = |expr: &Expr| expr.as_var().and_then(|var| visible.get(&var.id())).map(Expr::var);
    for binding in body.blocks.iter_mut().flat_map(|block| &mut block.bindings) {
        if let Some(var) = visible.get(&binding.var.id()) {
            binding.var = var.clone();
        }
        let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &mut binding.value;
        if let Some(new) = rewrite(value, renamed) {
            *value = new;
        }
    }
    if let Some(result) = rewrite(&body.result, renamed) {
        body.result = result;
    }
    exposed.iter().map(|var| var.name.clone()).collect()
}

fn used_outside(body: &SeqExpr) -> Vec<Var> {
    let mut bound: Vec<Var> = Vec::new();
    let mut used: Set<VarId> = Set::default();
    for block in &body.blocks {
        let own: Set<VarId> = block.bindings.iter().map(|binding| binding.var.id()).collect();
        for binding in &block.bindings {
            walk(&binding.value, |var: &Var| {
                if var.dataflow && !own.contains(&var.id()) {
                    used.insert(var.id());
                }
            });
        }
        bound.extend(block.bindings.iter().map(|binding| &binding.var).filter(|var| var.dataflow).cloned());
    }
    walk(&body.result, |var: &Var| {
        if var.dataflow {
            used.insert(var.id());
        }
    });
    bound.retain(|var| used.contains(&var.id()));
    bound
}

#[cfg(test)]
mod tests {
    use tilewright_tensor::DataType;

    use crate::builder::BlockBuilder;
    use crate::relax::{Expr, StructInfo, Var};
    use crate::verify::{Form, verify};

    #[test]
    fn variables_used_after_their_block_become_outputs() {
        let mut bb = BlockBuilder::new();
        let x = Var::new("x", StructInfo::tensor_of(&[2], DataType::F32));
        bb.begin_function("main", vec![x.clone()]);
        bb.begin_dataflow().unwrap();
        let pair = bb.emit(&Expr::tuple(vec![Expr::var(&x), Expr::var(&x)])).unwrap();
        let first = bb.emit(&Expr::tuple_get(Expr::var(&pair), 0).unwrap()).unwrap();
        let inside = bb.emit(&Expr::tuple(vec![Expr::var(&first)])).unwrap();
        bb.emit_output(&Expr::var(&inside)).unwrap();
        bb.end_dataflow().unwrap();
        let outside = bb.emit(&Expr::tuple_get(Expr::var(&pair), 1).unwrap()).unwrap();
        bb.emit_func_output(&Expr::tuple(vec![Expr::var(&first), Expr::var(&outside)])).unwrap();
        assert_eq!(bb.take_warnings().len(), 2);
        let module = bb.finalize().unwrap();
        verify(&module, Form::Any).unwrap();
        let main = module.relax("main").unwrap();
        let dataflow: Vec<(&str, bool)> =
            main.body.blocks[0].bindings.iter().map(|binding| (&*binding.var.name, binding.var.dataflow)).collect();
        assert_eq!(dataflow, [("lv", false), ("lv1", false), ("lv2", true), ("gv", false)]);
    }
}
