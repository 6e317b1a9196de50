//! `MergeCompositeFunctions`: neighbouring calls for one code generator become one function for it.
//!
//! The calls of functions with the attribute `Composite` in a dataflow block are put into groups, from the beginning of
//! the block: a call joins the groups of its arguments that are for the same code generator (the part of the pattern's
//! name before the first dot), unless something between them and the call is not in the group: a group must not wait
//! for itself. A group becomes a function with the attribute `Codegen`, in which the composite functions are closures.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::analysis::vars::value_of;
use tilewright_ir::analysis::{all_global_vars, renewed};
use tilewright_ir::builder::binding_rewrite::in_order;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, Callee, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, OrderedMap, Origins, Set};

use crate::outline::{CODEGEN, COMPOSITE, Constants, Outlined, PRIMITIVE, outlined};

/// Merges neighbouring calls for one code generator.
#[derive(Clone, Copy, Debug)]
pub struct MergeCompositeFunctions;

const NAME: &str = "MergeCompositeFunctions";

impl Pass for MergeCompositeFunctions {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut merged = module.clone();
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            if function.attrs.contains_key(COMPOSITE) || function.attrs.contains_key(CODEGEN) {
                continue;
            }
            let mut blocks = Vec::new();
            for block in &function.body.blocks {
                let block = if block.dataflow { merge(&mut merged, block) } else { Ok(block.clone()) };
                blocks.push(block.map_err(|message| PassError::new(NAME, Diagnostic::error("TW0731", message)))?);
            }
            let body = SeqExpr { blocks, result: function.body.result.clone() };
            merged.insert(name.clone(), Function { body, ..(**function).clone() });
        }
        remove_unnamed(&mut merged);
        Ok(merged)
    }
}

/// Removes composite functions that are no longer called.
fn remove_unnamed(module: &mut IRModule) {
    let mut named: Set<String> = Set::default();
    for (_, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function {
            named.extend(all_global_vars(&**function).iter().map(|global| global.name.to_string()));
        }
    }
    let left = |(name, function): &(&std::sync::Arc<str>, &GlobalFunc)| {
        function.attrs().contains_key(COMPOSITE) && function.global_symbol().is_none() && !named.contains(&***name)
    };
    let unnamed: Vec<_> = module.iter().filter(left).map(|(name, _)| name.clone()).collect();
    for name in unnamed {
        module.remove(&name);
    }
}

/// The code generator of a call of a composite function.
fn codegen(module: &IRModule, value: &Expr) -> Option<String> {
    let ExprKind::Call { callee: Callee::Value(callee), .. } = &value.kind else { return None };
    let ExprKind::GlobalVar(global) = &callee.kind else { return None };
    let pattern = module.get(&global.name)?.attrs().get(COMPOSITE)?.as_str()?;
    Some(pattern.split('.').next().unwrap_or_default().to_owned())
}

/// The group of each binding of a block, and the groups that a group depends on.
struct Groups {
    /// Of each group the one that it became part of; itself, if none.
    joined: Vec<usize>,
    codegen: Vec<Option<String>>,
    /// The groups that each needs something of, by the numbers that they had then.
    waits: Vec<Set<usize>>,
}

impl Groups {
    fn root(&self, mut group: usize) -> usize {
        while self.joined[group] != group {
            group = self.joined[group];
        }
        group
    }

    /// Whether the group needs something of the other, or of a group that does.
    fn waits_for(&self, group: usize, other: usize) -> bool {
        let other = self.root(other);
        let mut seen: Set<usize> = Set::default();
        let mut todo: Vec<usize> = self.waits[self.root(group)].iter().copied().collect();
        while let Some(next) = todo.pop() {
            let next = self.root(next);
            if next == other {
                return true;
            }
            if seen.insert(next) {
                todo.extend(&self.waits[next]);
            }
        }
        false
    }

    fn join(&mut self, group: usize, other: usize) {
        let (group, other) = (self.root(group), self.root(other));
        if group != other {
            self.joined[other] = group;
            let waits = std::mem::take(&mut self.waits[other]);
            self.waits[group].extend(waits);
            // The dependences between the two are internal now.
            let mut waits = std::mem::take(&mut self.waits[group]);
            waits.retain(|waited| self.root(*waited) != group);
            self.waits[group] = waits;
        }
    }
}

/// A group for each binding, joined where they may be.
fn grouped(module: &IRModule, block: &BindingBlock) -> Groups {
    let mut of_var: Map<VarId, usize> = Map::default();
    let count = block.bindings.len();
    let mut groups = Groups { joined: (0..count).collect(), codegen: Vec::new(), waits: vec![Set::default(); count] };
    for (i, binding) in block.bindings.iter().enumerate() {
        let codegen = codegen(module, value_of(binding));
        groups.codegen.push(codegen.clone());
        let mut needs: OrderedMap<usize, ()> = OrderedMap::default();
        walk(value_of(binding), |var: &Var| needs.extend(of_var.get(&var.id()).map(|group| (*group, ()))));
        let needs: Vec<usize> = needs.into_keys().collect();
        let mut home = i;
        for &need in &needs {
            let alike = codegen.is_some() && groups.codegen[groups.root(need)] == codegen;
            // Joined, the group would wait for itself through what else the call needs, or through what the others
            // need.
            let through = |groups: &Groups, other: &usize| {
                groups.root(*other) != groups.root(need) && groups.waits_for(*other, need)
            };
            let circle = needs.iter().any(|other| groups.root(*other) != groups.root(home) && through(&groups, other))
                || home != i && (groups.waits_for(home, need) || groups.waits_for(need, home));
            if alike && !circle {
                groups.join(need, home);
                home = groups.root(need);
            }
        }
        let home = groups.root(i);
        for need in needs {
            if groups.root(need) != home {
                groups.waits[home].insert(need);
            }
        }
        of_var.insert(binding.var.id(), i);
    }
    groups
}

fn merge(module: &mut IRModule, block: &BindingBlock) -> Result<BindingBlock, String> {
    let groups = grouped(module, block);
    let mut members: OrderedMap<usize, Vec<usize>> = OrderedMap::default();
    for i in 0..block.bindings.len() {
        members.entry(groups.root(i)).or_default().push(i);
    }
    let mut bindings = Vec::new();
    for (root, members) in members {
        let own: Vec<Binding> = members.iter().map(|&i| block.bindings[i].clone()).collect();
        match &groups.codegen[root] {
            Some(codegen) => bindings.extend(merged(module, block, codegen, &own)?),
            None => bindings.extend(own),
        }
    }
    let bindings = in_order(bindings).map_err(|error| error.to_string())?;
    Ok(BindingBlock { dataflow: true, bindings })
}

/// The bindings of a group: a call, and the fields of its result if it has several.
fn merged(
    module: &mut IRModule,
    block: &BindingBlock,
    codegen: &str,
    members: &[Binding],
) -> Result<Vec<Binding>, String> {
    let inside: Set<VarId> = members.iter().map(|binding| binding.var.id()).collect();
    let mut used: Set<VarId> = Set::default();
    for binding in block.bindings.iter().filter(|binding| !inside.contains(&binding.var.id())) {
        walk(value_of(binding), |var: &Var| used.extend([var.id()]));
    }
    let shown = |var: &Var| !var.dataflow || used.contains(&var.id());
    let outputs: Vec<Var> = members.iter().map(|binding| binding.var.clone()).filter(shown).collect();
    let Outlined { function, args } = for_codegen(module, codegen, members, &outputs);
    let names = members.iter().flat_map(|member| all_global_vars(&member.value));
    let name = names.map(|global| global.name.to_string()).collect::<Vec<_>>().join("_") + "_" + codegen;
    let attrs = function.attrs.clone();
    let global = module.insert_unique(&name, function.clone());
    let symbol = (GLOBAL_SYMBOL.into(), Attr::str(global.name.clone()));
    let global =
        module.insert(global.name, Function { attrs: attrs.into_iter().chain([symbol]).collect(), ..function });
    let call = Expr::call_value(&InferCx::default(), Expr::global(&global), args).map_err(|error| error.to_string())?;
    let origins = members.iter().fold(Origins::default(), |all, member| all.merge(&member.origins));
    if let [one] = outputs.as_slice() {
        return Ok(vec![Binding::new(one.clone(), call, origins)]);
    }
    let all = Var::dataflow("merged", call.struct_info.clone());
    let mut bindings = vec![Binding::new(all.clone(), call, origins.clone())];
    for (i, output) in outputs.into_iter().enumerate() {
        let field = Expr::tuple_get(Expr::var(&all), i).map_err(|error| error.to_string())?;
        bindings.push(Binding::new(output, field, origins.clone()));
    }
    Ok(bindings)
}

/// The bindings as a function for a code generator, with closures for the composite functions that they call.
pub(crate) fn for_codegen(module: &IRModule, codegen: &str, bindings: &[Binding], outputs: &[Var]) -> Outlined {
    let attrs = Attrs::from([(CODEGEN.into(), Attr::str(codegen))]);
    let Outlined { mut function, args } = outlined(bindings, outputs, attrs, Constants::Stay);
    let mut closures: OrderedMap<String, (Var, Binding)> = OrderedMap::default();
    for global in all_global_vars(&function) {
        let Some(composite) = module.relax(&global.name) else { continue };
        if !composite.attrs.contains_key(COMPOSITE) {
            continue;
        }
        let mut closure = renewed(composite);
        closure.attrs.remove(PRIMITIVE);
        let var = Var::new(global.name.clone(), closure.signature());
        let value = Expr::raw(closure.signature(), ExprKind::Function(Box::new(closure)));
        let binding = Binding::new(var.clone(), value, composite.origins.clone());
        closures.insert(global.name.to_string(), (var, binding));
    }
    let called = |expr: &Expr| match &expr.kind {
        ExprKind::GlobalVar(global) => closures.get(&*global.name).map(|(var, _)| Expr::var(var)),
        _ => None,
    };
    if let Some(changed) = rewrite(&function.body, called) {
        function.body = changed;
    }
    let mut visible: Map<VarId, Var> = Map::default();
    if let Some(block) = function.body.blocks.first_mut() {
        block.dataflow = false;
        for binding in std::mem::take(&mut block.bindings) {
            let mut called: Vec<VarId> = Vec::new();
            walk(value_of(&binding), |var: &Var| called.push(var.id()));
            let closure =
                closures.iter().find(|(_, (var, _))| called.contains(&var.id())).map(|(name, _)| name.clone());
            let closure = closure.and_then(|name| closures.shift_remove(&name));
            block.bindings.extend(closure.map(|(_, closure)| closure));
            visible.insert(binding.var.id(), Var::new(binding.var.name.clone(), binding.var.struct_info.clone()));
            block.bindings.push(binding);
        }
    }
    if let Some(changed) = rewrite(&function.body, |var: &Var| visible.get(&var.id()).cloned()) {
        function.body = changed;
    }
    Outlined { function, args }
}
