//! Dependences between the bindings of a dataflow block, and orders that respect them.
//!
//! A binding needs those of the variables that it uses, and the checks that define the symbolic dimensions that it
//! speaks of. Bindings are named by their numbers in the block.

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

/// The bindings of a block, with groups of them that become one binding each.
pub(crate) struct Grouped {
    needs: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
    group_of: Vec<Option<usize>>,
    groups: Vec<Vec<usize>>,
}

impl Grouped {
    pub(crate) fn of(bindings: &[Binding]) -> Self {
        let needs = needs(bindings);
        let users = users(&needs);
        Self { needs, users, group_of: vec![None; bindings.len()], groups: Vec::new() }
    }

    pub(crate) fn is_in_group(&self, binding: usize) -> bool {
        self.group_of[binding].is_some()
    }

    /// One more group, of members of a [`Growing`] one.
    pub(crate) fn add(&mut self, members: &[usize]) {
        members.iter().for_each(|&member| self.group_of[member] = Some(self.groups.len()));
        self.groups.push(members.to_vec());
    }

    /// Adds all that is reached along the edges, but for `except`. A group is reached as a whole.
    fn reach(&self, from: usize, edges: &[Vec<usize>], except: &Set<usize>, reached: &mut Set<usize>) {
        let mut todo = edges[from].clone();
        while let Some(next) = todo.pop() {
            if except.contains(&next) || !reached.insert(next) {
                continue;
            }
            let alone = [next];
            let together = self.group_of[next].map_or(&alone[..], |group| &self.groups[group]);
            reached.extend(together);
            together.iter().for_each(|member| todo.extend(&edges[*member]));
        }
    }
}

/// A group under construction that can be one binding together with the existing groups: it does not depend on itself
/// through others.
#[derive(Default)]
pub(crate) struct Growing {
    members: Set<usize>,
    /// The transitive dependences of the members.
    before: Set<usize>,
    /// The transitive dependents of the members.
    after: Set<usize>,
}

impl Growing {
    /// Takes the bindings in, a chain whose inner results nothing else uses; or none of them, and says so, where the
    /// group would need itself.
    pub(crate) fn take(&mut self, all: &Grouped, chain: &[usize]) -> bool {
        let sets = [&self.members, &self.before, &self.after];
        if chain.iter().any(|member| all.is_in_group(*member) || sets.iter().any(|set| set.contains(member))) {
            return false;
        }
        self.members.extend(chain);
        for &member in chain {
            all.reach(member, &all.needs, &self.members, &mut self.before);
            all.reach(member, &all.users, &self.members, &mut self.after);
        }
        true
    }
}

/// Replaces groups of bindings by others, at the position of the first of the group; dependences of a group are moved
/// before it. The groups are those of [`Growing`].
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
