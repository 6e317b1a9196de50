//! Editing one dataflow block: bindings are added, removed and replaced.
//!
//! A [`DataflowBlockRewrite`] holds the function and edits the block in it. What edits leave to be done, they leave to
//! [`DataflowBlockRewrite::function`]: bindings in an order in which each comes after what it needs, and struct infos
//! that follow from the rules.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_support::{Map, NameSupply, Origins, Set};

use super::mutate::normalize_function;
use super::{BlockBuilder, BuildError};
use crate::IRModule;
use crate::analysis::vars::value_of;
use crate::analysis::{all_vars, find_impure_call};
use crate::relax::{Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, Var};

/// A dataflow block under edits, in its function.
#[derive(Clone, Debug)]
pub struct DataflowBlockRewrite {
    function: Function,
    at: usize,
    names: NameSupply,
}

impl DataflowBlockRewrite {
    /// Edits the block of this number of the function's body, a dataflow block.
    pub fn new(function: &Function, at: usize) -> Result<Self, BuildError> {
        match function.body.blocks.get(at) {
            Some(block) if block.dataflow => {}
            Some(_) => return Err(BuildError::state(format!("block {at} is no dataflow block"))),
            None => {
                let count = function.body.blocks.len();
                return Err(BuildError::state(format!("the function has {count} blocks, and no block {at}")));
            }
        }
        let mut names = NameSupply::default();
        for var in all_vars(function) {
            names.reserve(&var.name);
        }
        Ok(Self { function: function.clone(), at, names })
    }

    /// Edits the block of the function that binds the same variables as this one.
    pub fn of_block(block: &BindingBlock, function: &Function) -> Result<Self, BuildError> {
        let vars = |block: &BindingBlock| block.bindings.iter().map(|binding| binding.var.clone()).collect::<Vec<_>>();
        let wanted = vars(block);
        let at = function.body.blocks.iter().position(|other| other.dataflow && vars(other) == wanted);
        Self::new(function, at.ok_or_else(|| BuildError::state("the function has no such dataflow block"))?)
    }

    /// The block as it is now.
    pub fn block(&self) -> &BindingBlock {
        &self.function.body.blocks[self.at]
    }

    /// The function with the edited block, well-formed if edits left it so.
    pub fn function(&self) -> Result<Function, BuildError> {
        let mut function = self.function.clone();
        let block = &mut function.body.blocks[self.at];
        block.bindings = in_order(std::mem::take(&mut block.bindings))?;
        normalize_function(&mut BlockBuilder::new(), &function)
    }

    /// The module with the function of this name replaced.
    pub fn module(&self, module: &IRModule, name: &str) -> Result<IRModule, BuildError> {
        let mut module = module.clone();
        if module.relax(name).is_none() {
            return Err(BuildError::state(format!("the module has no Relax function `{name}`")));
        }
        module.insert(name, self.function()?);
        Ok(module)
    }

    /// Uses the new variable wherever the old one is used, in the whole function; the old one's binding stays.
    pub fn replace_all_uses(&mut self, old: &Var, new: &Var) -> Result<(), BuildError> {
        if new.dataflow && self.is_used_outside(old) {
            let message = format!("`{}` is visible only in its block, `{}` is used outside", new.name, old.name);
            return Err(BuildError::state(message));
        }
        let replacement = Expr::var(new);
        let used = |expr: &Expr| (expr.as_var() == Some(old)).then(|| replacement.clone());
        // The new value may use the old variable.
        for block in &mut self.function.body.blocks {
            for binding in block.bindings.iter_mut().filter(|binding| binding.var != *new) {
                if let Some(value) = rewrite(&binding.value, used) {
                    binding.value = value;
                }
            }
        }
        if let Some(result) = rewrite(&self.function.body.result, used) {
            self.function.body.result = result;
        }
        Ok(())
    }

    /// Binds the value to a new variable of the block: one that is visible only in it, or an output.
    pub fn add(&mut self, value: &Expr, name: Option<&str>, dataflow: bool) -> Var {
        let name = self.names.fresh(name.unwrap_or(if dataflow { "lv" } else { "gv" }), "");
        let info = value.struct_info.clone();
        let var = if dataflow { Var::dataflow(name, info) } else { Var::new(name, info) };
        self.add_binding(Binding::new(var.clone(), value.clone(), Origins::default()));
        var
    }

    /// Adds a binding as it is.
    pub fn add_binding(&mut self, binding: Binding) {
        self.names.reserve(&binding.var.name);
        self.function.body.blocks[self.at].bindings.push(binding);
    }

    /// Removes the binding of an unused variable. One that is used is an error, and so is one that is not bound here;
    /// with `allow` the latter gives `false`.
    pub fn remove_unused(&mut self, var: &Var, allow_undefined: bool) -> Result<bool, BuildError> {
        let bindings = &self.block().bindings;
        let Some(index) = bindings.iter().position(|binding| binding.var == *var) else {
            return if allow_undefined {
                Ok(false)
            } else {
                Err(BuildError::state(format!("`{}` is not bound in the block", var.name)))
            };
        };
        let used_inside = bindings.iter().any(|binding| mentions(&binding.value, var));
        if used_inside || self.is_used_outside(var) {
            return Err(BuildError::state(format!("`{}` is still used", var.name)));
        }
        self.function.body.blocks[self.at].bindings.remove(index);
        Ok(true)
    }

    /// Removes every unused binding of the block.
    pub fn remove_all_unused(&mut self) {
        let mut needed: Set<VarId> = Set::default();
        let outside = self.function.body.blocks.iter().enumerate().filter(|(at, _)| *at != self.at);
        for binding in outside.flat_map(|(_, block)| &block.bindings) {
            need(&binding.value, &mut needed);
        }
        need(&self.function.body.result, &mut needed);
        let bindings = &mut self.function.body.blocks[self.at].bindings;
        // Edits may have moved a binding after its uses: dependences are followed, not program order.
        let bound: Map<VarId, &Binding> = bindings.iter().map(|binding| (binding.var.id(), binding)).collect();
        let effects = bindings.iter().filter(|binding| has_effect(binding)).map(|binding| binding.var.id());
        let mut todo: Vec<VarId> = needed.drain().chain(effects).collect();
        while let Some(id) = todo.pop() {
            if needed.insert(id)
                && let Some(binding) = bound.get(&id)
            {
                walk(&binding.value, |var: &Var| todo.push(var.id()));
            }
        }
        bindings.retain(|binding| needed.contains(&binding.var.id()));
    }

    fn is_used_outside(&self, var: &Var) -> bool {
        let outside = self.function.body.blocks.iter().enumerate().filter(|(at, _)| *at != self.at);
        let mut bindings = outside.flat_map(|(_, block)| &block.bindings);
        bindings.any(|binding| mentions(&binding.value, var)) || mentions(&self.function.body.result, var)
    }
}

/// A `match_cast` stops the program where it does not hold, and may define dimensions.
fn has_effect(binding: &Binding) -> bool {
    matches!(binding.value, BindingValue::MatchCast { .. }) || find_impure_call(&binding.value).is_some()
}

fn mentions<N: tilewright_expr::node::IrNode>(node: &N, var: &Var) -> bool {
    let mut found = false;
    walk(node, |used: &Var| found |= used == var);
    found
}

fn need<N: tilewright_expr::node::IrNode>(node: &N, needed: &mut Set<VarId>) {
    walk(node, |var: &Var| {
        needed.insert(var.id());
    });
}

/// The bindings in an order in which each comes after those that it needs; where the text has such an order, it stays.
/// For dataflow blocks, in which order has no other meaning.
pub fn in_order(bindings: Vec<Binding>) -> Result<Vec<Binding>, BuildError> {
    let index: Map<VarId, usize> = bindings.iter().enumerate().map(|(i, binding)| (binding.var.id(), i)).collect();
    let mut state = vec![State::Open; bindings.len()];
    let mut order = Vec::new();
    for i in 0..bindings.len() {
        // An explicit stack of bindings that wait for their dependences, so that chains of any length work.
        let mut todo = vec![i];
        while let Some(&at) = todo.last() {
            if state[at] != State::Open {
                if state[at] == State::Begun {
                    state[at] = State::Done;
                    order.push(at);
                }
                todo.pop();
                continue;
            }
            state[at] = State::Begun;
            let mut needs = Set::default();
            let value = value_of(&bindings[at]);
            walk(value, |var: &Var| needs.extend(index.get(&var.id()).copied()));
            // A function may call itself.
            if matches!(value.kind, ExprKind::Function(_)) {
                needs.remove(&at);
            }
            let mut needs: Vec<usize> = needs.into_iter().filter(|need| state[*need] != State::Done).collect();
            needs.sort_unstable_by(|a, b| b.cmp(a));
            if let Some(circle) = needs.iter().find(|need| state[**need] == State::Begun) {
                let name = &bindings[*circle].var.name;
                return Err(BuildError::state(format!("the new value of `{name}` needs `{name}` itself")));
            }
            todo.extend(needs);
        }
    }
    Ok(order.into_iter().map(|at| bindings[at].clone()).collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Its dependences are being ordered.
    Begun,
    Done,
}
