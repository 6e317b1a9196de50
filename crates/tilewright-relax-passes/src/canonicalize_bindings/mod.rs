//! `CanonicalizeBindings`: removes bindings that only give another name.
//!
//! - `y = x` is removed, and `y` becomes `x`; a dataflow output that only renames a dataflow variable of its block
//!   replaces that variable;
//! - `y = (a, b)[1]`, written at once or through a variable, is `b`;
//! - a constant, shape, scalar, string or data type is propagated to the uses of its variable;
//! - an output of a dataflow block that nothing outside of the block uses is a dataflow variable;
//! - `R.match_cast` to already known struct info is an alias.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_ir::verify::Form;
use tilewright_support::{Map, Set, with_stack};

use crate::normalize::normalized;
use crate::sequence::{map_functions, push_block};

/// Removes bindings that only give another name.
#[derive(Clone, Copy, Debug)]
pub struct CanonicalizeBindings;

const NAME: &str = "CanonicalizeBindings";

impl Pass for CanonicalizeBindings {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            let function = normalized(function);
            let body = Names::default().sequence(&function.body);
            Function { body, ..function }
        })
    }
}

/// The sequence with outputs of dataflow blocks that nothing outside of them uses as dataflow variables.
fn with_hidden_outputs(mut seq: SeqExpr) -> SeqExpr {
    let mut used_later: Set<VarId> = Set::default();
    walk(&seq.result, |var: &Var| {
        used_later.insert(var.id());
    });
    for block in seq.blocks.iter_mut().rev() {
        let unused = |binding: &&Binding| !binding.var.dataflow && !used_later.contains(&binding.var.id());
        if block.dataflow {
            let hidden: Map<VarId, Var> = block
                .bindings
                .iter()
                .filter(unused)
                .map(|Binding { var, .. }| (var.id(), Var::dataflow(var.name.clone(), var.struct_info.clone())))
                .collect();
            if !hidden.is_empty()
                && let Some(changed) = rewrite(block, |var: &Var| hidden.get(&var.id()).cloned())
            {
                *block = changed;
            }
        }
        walk(&*block, |var: &Var| {
            used_later.insert(var.id());
        });
    }
    seq
}

#[derive(Default)]
struct Names {
    /// The replacements of variables whose bindings are removed.
    stands_for: Map<VarId, Expr>,
    /// The fields of variables that are bound to tuples; `None` for those out of scope here.
    fields: Map<VarId, Vec<Option<Expr>>>,
}

/// A block under construction.
#[derive(Default)]
struct Block {
    dataflow: bool,
    bindings: Vec<Binding>,
    /// The block's own dataflow variables.
    own: Set<VarId>,
    /// Variables that are bound to tuples here.
    tuples: Vec<VarId>,
    /// Dataflow variables and the visible variables that replace them.
    given_out: Vec<(Var, Var)>,
}

impl Names {
    fn sequence(&mut self, seq: &SeqExpr) -> SeqExpr {
        let mut blocks = Vec::new();
        for block in &seq.blocks {
            let mut made = Block { dataflow: block.dataflow, ..Block::default() };
            for binding in &block.bindings {
                self.binding(binding, &mut made);
            }
            let (tuples, own) = (std::mem::take(&mut made.tuples), std::mem::take(&mut made.own));
            let given: Vec<VarId> = made.given_out.iter().map(|(_, given)| given.id()).collect();
            push_block(&mut blocks, self.given_out(made));
            self.hide(&own, tuples.iter().chain(&given));
        }
        with_hidden_outputs(SeqExpr { blocks, result: self.named(&seq.result) })
    }

    fn binding(&mut self, binding: &Binding, block: &mut Block) {
        let value = match &binding.value {
            BindingValue::Expr(value) => self.value(value),
            BindingValue::MatchCast { value, struct_info } => {
                let value = self.named(value);
                if !value.struct_info.equal(struct_info) {
                    let value = BindingValue::MatchCast { value, struct_info: struct_info.clone() };
                    block.bindings.push(Binding { value, ..binding.clone() });
                    return;
                }
                value
            }
        };
        if self.renames(&binding.var, &value, block) {
            return;
        }
        if let ExprKind::Tuple(fields) = &value.kind {
            self.fields.insert(binding.var.id(), fields.iter().cloned().map(Some).collect());
            block.tuples.push(binding.var.id());
        }
        if binding.var.dataflow {
            block.own.insert(binding.var.id());
        }
        block.bindings.push(Binding { value: BindingValue::Expr(value), ..binding.clone() });
    }

    /// Whether the variable is an alias of the value, which replaces it from here on.
    fn renames(&mut self, var: &Var, value: &Expr, block: &mut Block) -> bool {
        match &value.kind {
            // A dataflow variable is not visible outside its block.
            ExprKind::Var(other) if other.dataflow && !var.dataflow => {
                let first = block.given_out.iter().find(|(known, _)| known == other).map(|(_, given)| given.clone());
                match first {
                    Some(given) => {
                        self.stands_for.insert(var.id(), Expr::var(&given));
                        true
                    }
                    None if block.own.contains(&other.id()) && var.struct_info.equal(&other.struct_info) => {
                        block.given_out.push((other.clone(), var.clone()));
                        true
                    }
                    None => false,
                }
            }
            ExprKind::Var(_)
            | ExprKind::Constant(_)
            | ExprKind::Shape(_)
            | ExprKind::Prim(_)
            | ExprKind::Str(_)
            | ExprKind::DType(_) => {
                self.stands_for.insert(var.id(), value.clone());
                true
            }
            _ => false,
        }
    }

    /// The block with dataflow variables replaced by the visible ones.
    fn given_out(&mut self, block: Block) -> BindingBlock {
        let Block { dataflow, bindings, given_out, .. } = block;
        let block = BindingBlock { dataflow, bindings };
        if given_out.is_empty() {
            return block;
        }
        let renaming = |var: &Var| given_out.iter().find(|(own, _)| own == var).map(|(_, given)| given.clone());
        for expr in self.stands_for.values_mut().chain(self.fields.values_mut().flatten().flatten()) {
            if let Some(renamed) = rewrite(expr, renaming) {
                *expr = renamed;
            }
        }
        let moved: Vec<_> = given_out
            .iter()
            .filter_map(|(own, given)| self.fields.get(&own.id()).map(|fields| (given.id(), fields.clone())))
            .collect();
        self.fields.extend(moved);
        rewrite(&block, renaming).unwrap_or(block)
    }

    /// Forgets the fields of tuples that are dataflow variables of a block that ends.
    fn hide<'t>(&mut self, own: &Set<VarId>, tuples: impl Iterator<Item = &'t VarId>) {
        for tuple in tuples {
            for field in self.fields.get_mut(tuple).into_iter().flatten() {
                let mut hidden = false;
                walk(field, |var: &Var| hidden |= own.contains(&var.id()));
                if hidden {
                    *field = None;
                }
            }
        }
    }

    /// The expression with the names that are left.
    fn named(&self, expr: &Expr) -> Expr {
        rewrite(expr, |e: &Expr| self.stands_for.get(&e.as_var()?.id()).cloned()).unwrap_or_else(|| expr.clone())
    }

    /// The value of a binding, with sequences inside it made canonical.
    fn value(&mut self, value: &Expr) -> Expr {
        match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.named(condition);
                let (then, otherwise) = with_stack(|| (self.sequence(then), self.sequence(otherwise)));
                Expr::raw(value.struct_info.clone(), ExprKind::If { condition, then, otherwise })
            }
            ExprKind::Function(function) => {
                let body = with_stack(|| self.sequence(&function.body));
                let function = Function { body, ..(**function).clone() };
                Expr::raw(value.struct_info.clone(), ExprKind::Function(Box::new(function)))
            }
            ExprKind::TupleGet { .. } => {
                let value = self.named(value);
                let ExprKind::TupleGet { tuple, index } = &value.kind else { return value };
                let field = match &tuple.kind {
                    ExprKind::Var(var) => self.fields.get(&var.id()).and_then(|fields| fields.get(*index)?.clone()),
                    ExprKind::Tuple(fields) => fields.get(*index).cloned(),
                    _ => None,
                };
                field.unwrap_or(value)
            }
            _ => self.named(value),
        }
    }
}
