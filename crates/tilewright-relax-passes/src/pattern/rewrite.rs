//! Putting something else where a pattern fits.

use tilewright_expr::node::VarId;
use tilewright_ir::analysis::remove_all_unused;
use tilewright_ir::analysis::vars::value_of;
use tilewright_ir::builder::binding_rewrite::in_order;
use tilewright_ir::builder::{BlockBuilder, BuildError, Mutator, map_exprs, mutate, normalize_function};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_support::{Map, OrderedMap, with_stack};

use super::{Matches, Pattern, PatternContext, match_expr};

/// The replacement of a matched expression, given the match; the expression itself for no change.
pub type CallRewriter<'f> = dyn FnMut(&Expr, &Matches) -> Result<Expr, BuildError> + 'f;

/// Replaces each expression of the function that fits by what the rewriter makes of it. `None`: nothing was replaced.
pub fn rewrite_call(
    bb: &mut BlockBuilder,
    pattern: &Pattern,
    rewriter: &mut CallRewriter<'_>,
    function: &Function,
) -> Result<Option<Function>, BuildError> {
    let mut mutator = map_exprs(|bb: &mut BlockBuilder, expr: &Expr| {
        let values = |var: &Var| bb.visible_value(var).cloned();
        match match_expr(pattern, expr, &values) {
            Some(matches) => rewriter(expr, &matches).map(Some),
            None => Ok(None),
        }
    });
    let rewritten = mutate(bb, function, &mut mutator as &mut dyn Mutator)?;
    Ok(rewritten.map(|function| remove_all_unused(&function)))
}

/// The replacement of bindings: new values of variables. It gets the match, and the bound values of the
/// variables of the block. An empty replacement leaves the match as it is.
pub type BindingRewriter<'f> = dyn FnMut(&Matches, &OrderedMap<Var, Expr>) -> Result<Vec<(Var, Expr)>, BuildError> + 'f;

/// Matches the context in each dataflow block of the function, and gives the variables that the rewriter names new
/// values. Bindings are brought into an order in which each comes after what it needs. `None`: nothing was replaced.
pub fn rewrite_bindings(
    bb: &mut BlockBuilder,
    context: &PatternContext,
    rewriter: &mut BindingRewriter<'_>,
    function: &Function,
) -> Result<Option<Function>, BuildError> {
    let mut rewriting = Rewriting { context, rewriter, changed: false };
    let body = rewriting.seq(&function.body)?;
    if !rewriting.changed {
        return Ok(None);
    }
    let rewritten = normalize_function(bb, &Function { body, ..function.clone() })?;
    Ok(Some(remove_all_unused(&rewritten)))
}

struct Rewriting<'r, 'f> {
    context: &'r PatternContext,
    rewriter: &'r mut BindingRewriter<'f>,
    changed: bool,
}

impl Rewriting<'_, '_> {
    fn seq(&mut self, seq: &SeqExpr) -> Result<SeqExpr, BuildError> {
        let mut blocks = Vec::new();
        for block in &seq.blocks {
            let mut bindings = Vec::new();
            for binding in &block.bindings {
                bindings.push(self.inside(binding)?);
            }
            let block = BindingBlock { dataflow: block.dataflow, bindings };
            blocks.push(if block.dataflow { self.block(block)? } else { block });
        }
        Ok(SeqExpr { blocks, result: seq.result.clone() })
    }

    /// The binding with the blocks inside its value rewritten.
    fn inside(&mut self, binding: &Binding) -> Result<Binding, BuildError> {
        let BindingValue::Expr(value) = &binding.value else { return Ok(binding.clone()) };
        let kind = match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                let (then, otherwise) = (with_stack(|| self.seq(then))?, with_stack(|| self.seq(otherwise))?);
                ExprKind::If { condition: condition.clone(), then, otherwise }
            }
            ExprKind::Function(function) => {
                let body = with_stack(|| self.seq(&function.body))?;
                ExprKind::Function(Box::new(Function { body, ..(**function).clone() }))
            }
            _ => return Ok(binding.clone()),
        };
        let value = BindingValue::Expr(Expr::raw(value.struct_info.clone(), kind));
        Ok(Binding { value, ..binding.clone() })
    }

    fn block(&mut self, block: BindingBlock) -> Result<BindingBlock, BuildError> {
        let found = self.context.match_all(&block);
        if found.is_empty() {
            return Ok(block);
        }
        let values: OrderedMap<Var, Expr> =
            block.bindings.iter().map(|binding| (binding.var.clone(), value_of(binding).clone())).collect();
        let mut new: Map<VarId, Expr> = Map::default();
        for matches in &found {
            for (var, value) in (self.rewriter)(matches, &values)? {
                if !values.contains_key(&var) {
                    let message = format!("`{}` is to have a new value, but is not bound in the block", var.name);
                    return Err(BuildError::State(message));
                }
                new.insert(var.id(), value);
            }
        }
        if new.is_empty() {
            return Ok(block);
        }
        self.changed = true;
        let bindings = block.bindings.into_iter().map(|binding| match new.remove(&binding.var.id()) {
            Some(value) => Binding { value: BindingValue::Expr(value), ..binding },
            None => binding,
        });
        Ok(BindingBlock { dataflow: true, bindings: in_order(bindings.collect())? })
    }
}
