//! Which bindings of a dataflow block need which others, and orders that respect it.
//!
//! A binding needs those of the variables that it uses, and the checks that define the symbolic dimensions that it speaks
//! of. Bindings are named by their numbers in the block.

use tilewright_expr as scalar;
use tilewright_expr::node::{IrNode, VarId, walk};
use tilewright_ir::analysis::definable_dims;
use tilewright_ir::relax::{Binding, BindingValue, Var};
use tilewright_support::{Map, Set, with_stack};

/// Of each binding the earlier ones that it needs, each once and in order.
pub(crate) fn needs(bindings: &[Binding]) -> Vec<Vec<usize>> {
    let mut vars: Map<VarId, usize> = Map::default();
    let mut dims: Map<VarId, usize> = Map::default();
    let mut all = Vec::with_capacity(bindings.len());
    for (i, binding) in bindings.iter().enumerate() {
        let mut found = Set::default();
        walk(&binding.value, |var: &Var| found.extend(vars.get(&var.id())));
        mentioned(&binding.value, &dims, &mut found);
        mentioned(&binding.var.struct_info, &dims, &mut found);
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        all.push(found);
        vars.insert(binding.var.id(), i);
        if let BindingValue::MatchCast { struct_info, .. } = &binding.value {
            for dim in definable_dims(struct_info) {
                dims.entry(dim.id()).or_insert(i);
            }
        }
    }
    all
}

fn mentioned<N: IrNode>(node: &N, dims: &Map<VarId, usize>, found: &mut Set<usize>) {
    walk(node, |dim: &scalar::Var| found.extend(dims.get(&dim.id())));
}

/// Of each binding the later ones that need it, in order.
pub(crate) fn users(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); needs.len()];
    for (i, needed) in needs.iter().enumerate() {
        for &j in needed {
            users[j].push(i);
        }
    }
    users
}

/// Whether each of the groups can be one binding: none would need itself through others.
pub(crate) fn can_be_one(needs: &[Vec<usize>], groups: &[&[usize]]) -> bool {
    let mut node: Vec<usize> = (0..needs.len()).collect();
    for group in groups {
        group.iter().for_each(|&member| node[member] = group[0]);
    }
    let mut open: Vec<Set<usize>> = vec![Set::default(); needs.len()];
    for (i, needed) in needs.iter().enumerate() {
        open[node[i]].extend(needed.iter().map(|&j| node[j]).filter(|&j| j != node[i]));
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    open.iter().enumerate().for_each(|(i, needed)| needed.iter().for_each(|&j| users[j].push(i)));
    let mut waits: Vec<usize> = open.iter().map(Set::len).collect();
    let mut ready: Vec<usize> = (0..needs.len()).filter(|&i| waits[i] == 0).collect();
    let mut done = 0;
    while let Some(i) = ready.pop() {
        done += 1;
        for &user in &users[i] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(user);
            }
        }
    }
    done == needs.len()
}

/// The bindings with others for groups of them, which take the place of the first of the group; what a group needs is
/// moved before it. The groups are such that [`can_be_one`].
pub(crate) fn with_groups(bindings: Vec<Binding>, groups: Vec<(Vec<usize>, Vec<Binding>)>) -> Vec<Binding> {
    let needs = needs(&bindings);
    let mut group_of: Vec<Option<usize>> = vec![None; bindings.len()];
    for (g, (members, _)) in groups.iter().enumerate() {
        members.iter().for_each(|&member| group_of[member] = Some(g));
    }
    let mut order =
        Order { bindings: &bindings, needs, group_of, groups: &groups, done: Set::default(), out: Vec::new() };
    (0..bindings.len()).for_each(|i| order.put(i));
    order.out
}

struct Order<'b> {
    bindings: &'b [Binding],
    needs: Vec<Vec<usize>>,
    group_of: Vec<Option<usize>>,
    groups: &'b [(Vec<usize>, Vec<Binding>)],
    /// Bindings that are written, and groups by their first members.
    done: Set<usize>,
    out: Vec<Binding>,
}

impl Order<'_> {
    fn put(&mut self, i: usize) {
        let alone = [i];
        let (members, written): (&[usize], &[Binding]) = match self.group_of[i] {
            Some(g) => (&self.groups[g].0, &self.groups[g].1),
            None => (&alone, std::slice::from_ref(&self.bindings[i])),
        };
        if members.iter().any(|member| !self.done.insert(*member)) {
            return;
        }
        for &member in members {
            for needed in self.needs[member].clone() {
                if !self.done.contains(&needed) {
                    with_stack(|| self.put(needed));
                }
            }
        }
        self.out.extend_from_slice(written);
    }
}
