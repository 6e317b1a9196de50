//! Patterns related by who uses whom, matched against a dataflow block.
//!
//! The patterns of a context that are no part of another one are its *roots*; each matches a variable of the block, no
//! two the same. They are matched one after the other, the next always one that is connected with those matched
//! already: a root is looked for only among the users and operands of its neighbours, so that the search does not scan
//! the block again for each. If a root has no candidate left, the one before it tries its next.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::analysis::vars::value_of;
use tilewright_ir::relax::{BindingBlock, BindingValue, Expr, ExprKind, Var};
use tilewright_support::{Map, OrderedMap, Set};

use super::matching::{Matcher, Matches};
use super::{Pattern, PatternKind};

/// The allowed other users of a matched value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExternUse {
    /// Anybody.
    #[default]
    May,
    /// Values with a user in the context have one outside of it too.
    Must,
    /// Values with a user in the context have none outside of it, and do not leave the block.
    MustNot,
}

/// An edge from a producer to its consumer.
#[derive(Clone, Debug)]
struct Edge {
    producer: Pattern,
    consumer: Pattern,
    /// The argument of the consumer that the producer is; `None` for any.
    index: Option<usize>,
    /// Nobody else uses the producer.
    only: bool,
}

/// Patterns, and the connections between the values that they match.
#[derive(Clone, Debug, Default)]
pub struct PatternContext {
    patterns: Vec<Pattern>,
    edges: Vec<Edge>,
    /// Patterns whose values have one shape.
    same_shapes: Vec<Vec<Pattern>>,
    pub extern_use: ExternUse,
}

impl PatternContext {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pattern that is to be found.
    pub fn add(&mut self, pattern: &Pattern) {
        if !self.patterns.contains(pattern) {
            self.patterns.push(pattern.clone());
        }
    }

    /// The value of the producer is an argument of the value of the consumer.
    pub fn used_by(&mut self, producer: &Pattern, consumer: &Pattern, index: Option<usize>) {
        self.connect(producer, consumer, index, false);
    }

    /// As [`PatternContext::used_by`], and it is the only use.
    pub fn only_used_by(&mut self, producer: &Pattern, consumer: &Pattern, index: Option<usize>) {
        self.connect(producer, consumer, index, true);
    }

    /// The values of the patterns have one shape.
    pub fn same_shape(&mut self, patterns: Vec<Pattern>) {
        self.same_shapes.push(patterns);
    }

    fn connect(&mut self, producer: &Pattern, consumer: &Pattern, index: Option<usize>, only: bool) {
        self.add(producer);
        self.add(consumer);
        self.edges.push(Edge { producer: producer.clone(), consumer: consumer.clone(), index, only });
    }

    /// The first match in the block.
    pub fn match_graph(&self, block: &BindingBlock) -> Option<Matches> {
        Search::new(self, block).next(&Set::default())
    }

    /// Every match in the block, from its beginning; no binding is in two of them, except by a wildcard.
    pub fn match_all(&self, block: &BindingBlock) -> Vec<Matches> {
        let mut search = Search::new(self, block);
        let mut taken = Set::default();
        let mut found = Vec::new();
        while let Some(matches) = search.next(&taken) {
            taken.extend(search.described(&matches));
            found.push(matches);
        }
        found
    }

    /// The roots, each connected with one before it where there is one.
    fn roots(&self) -> Vec<Root> {
        let parts: Vec<Set<usize>> = self.patterns.iter().map(|pattern| below(pattern).into_keys().collect()).collect();
        let is_part = |i: usize| {
            let address = self.patterns[i].address();
            parts.iter().enumerate().any(|(j, parts)| j != i && parts.contains(&address))
        };
        let mut open: Vec<usize> = (0..self.patterns.len()).filter(|&i| !is_part(i)).collect();
        let mut placed: Set<usize> = Set::default();
        let mut roots = Vec::new();
        while !open.is_empty() {
            let connected = |&i: &usize| {
                let edge = |edge: &Edge| {
                    let (producer, consumer) = (edge.producer.address(), edge.consumer.address());
                    parts[i].contains(&producer) && placed.contains(&consumer)
                        || parts[i].contains(&consumer) && placed.contains(&producer)
                };
                parts[i].iter().any(|part| placed.contains(part)) || self.edges.iter().any(edge)
            };
            let says = |&i: &usize| self.patterns[i].matches_bound_value();
            let next = open.iter().position(connected).or_else(|| open.iter().position(says));
            let next = open.remove(next.unwrap_or(0));
            placed.extend(&parts[next]);
            let pattern = self.patterns[next].clone();
            let depths = below(&pattern);
            roots.push(Root { pattern, depths });
        }
        roots
    }
}

/// A pattern that matches a variable of the block.
struct Root {
    pattern: Pattern,
    /// The distance of each of its parts below it, by address.
    depths: OrderedMap<usize, usize>,
}

/// The pattern and its parts by address, with the number of calls, tuples and fields between them.
fn below(pattern: &Pattern) -> OrderedMap<usize, usize> {
    let mut found: OrderedMap<usize, usize> = OrderedMap::default();
    let mut todo = vec![(pattern, 0)];
    while let Some((pattern, depth)) = todo.pop() {
        if found.get(&pattern.address()).is_some_and(|known| *known >= depth) {
            continue;
        }
        found.insert(pattern.address(), depth);
        todo.extend(pattern.parts().into_iter().map(|part| (part, depth + usize::from(descends(pattern)))));
    }
    found
}

/// Whether the parts of the pattern are operands of the value that it matches.
fn descends(pattern: &Pattern) -> bool {
    matches!(
        pattern.kind(),
        PatternKind::Call { .. }
            | PatternKind::Tuple(_)
            | PatternKind::UnorderedTuple(_)
            | PatternKind::TupleGet { .. }
    )
}

/// A block, and the search for a context in it.
struct Search<'c> {
    context: &'c PatternContext,
    roots: Vec<Root>,
    values: Map<VarId, Expr>,
    /// The variables that are bound, in the order of the text.
    order: Vec<Var>,
    users: Map<VarId, Vec<Var>>,
    outputs: Set<VarId>,
    /// The first binding that is still a candidate for the first root.
    from: usize,
}

impl<'c> Search<'c> {
    fn new(context: &'c PatternContext, block: &BindingBlock) -> Self {
        let mut search = Self {
            context,
            roots: context.roots(),
            values: Map::default(),
            order: Vec::new(),
            users: Map::default(),
            outputs: Set::default(),
            from: 0,
        };
        for binding in &block.bindings {
            search.order.push(binding.var.clone());
            if let BindingValue::Expr(value) = &binding.value {
                search.values.insert(binding.var.id(), value.clone());
            }
            if !binding.var.dataflow {
                search.outputs.insert(binding.var.id());
            }
            let mut used = Set::default();
            walk(value_of(binding), |var: &Var| {
                if used.insert(var.id()) {
                    search.users.entry(var.id()).or_default().push(binding.var.clone());
                }
            });
        }
        search
    }

    /// The next match with none of the taken bindings, except by a wildcard.
    fn next(&mut self, taken: &Set<VarId>) -> Option<Matches> {
        if self.roots.is_empty() {
            return None;
        }
        while self.from < self.order.len() {
            let values = |var: &Var| self.values.get(&var.id()).cloned();
            let mut matcher = Matcher::new(&values);
            let first = self.order[self.from].clone();
            self.from += 1;
            if self.match_root(&mut matcher, 0, &[first], taken) {
                return Some(matcher.matches);
            }
        }
        None
    }

    /// Matches the root of this number with one of the candidates, and the remaining roots.
    fn match_root(&self, matcher: &mut Matcher<'_>, number: usize, candidates: &[Var], taken: &Set<VarId>) -> bool {
        let Some(root) = self.roots.get(number) else {
            let shapes = &self.context.same_shapes;
            return matcher.shapes_agree()
                && shapes.iter().all(|patterns| matcher.have_one_shape(patterns))
                && self.uses_fit(&matcher.matches);
        };
        for candidate in candidates {
            let mark = matcher.mark();
            let expr = Expr::var(candidate);
            let free = self.roots[..number].iter().all(|other| matcher.matches.var(&other.pattern) != Some(candidate));
            if free
                && matcher.matches(&root.pattern, &expr)
                && self.described(&matcher.matches).all(|var| !taken.contains(&var))
                && self.edges_fit(&matcher.matches)
            {
                let next = self.candidates(&matcher.matches, number + 1);
                if tilewright_support::with_stack(|| self.match_root(matcher, number + 1, &next, taken)) {
                    return true;
                }
            }
            matcher.back_to(mark);
        }
        false
    }

    /// Conditions between the variables that patterns match and their bindings.
    fn described<'m>(&self, matches: &'m Matches) -> impl Iterator<Item = VarId> + use<'m> {
        matches.vars().filter(|(pattern, _)| pattern.matches_bound_value()).map(|(_, var)| var.id())
    }

    /// The candidates for the root of this number: users and operands of the roots that it is connected with.
    fn candidates(&self, matches: &Matches, number: usize) -> Vec<Var> {
        let Some(root) = self.roots.get(number) else { return Vec::new() };
        for edge in &self.context.edges {
            if edge.consumer == root.pattern
                && let Some(producer) = matches.var(&edge.producer)
            {
                return self.users_of(producer);
            }
            if edge.producer == root.pattern
                && let Some(consumer) = matches.var(&edge.consumer)
            {
                return self.operands_of(consumer);
            }
        }
        for (part, var) in matches.vars() {
            if let Some(&depth) = root.depths.get(&part.address()) {
                return self.users_within(var, depth);
            }
        }
        self.order.clone()
    }

    fn users_of(&self, var: &Var) -> Vec<Var> {
        self.users.get(&var.id()).cloned().unwrap_or_default()
    }

    fn operands_of(&self, var: &Var) -> Vec<Var> {
        let mut found = Vec::new();
        if let Some(value) = self.values.get(&var.id()) {
            walk(value, |var: &Var| found.push(var.clone()));
        }
        found
    }

    /// The users of the variable up to a distance. An alias is no step.
    fn users_within(&self, var: &Var, depth: usize) -> Vec<Var> {
        let mut best: OrderedMap<Var, usize> = OrderedMap::default();
        let mut todo = vec![(var.clone(), 0)];
        while let Some((var, steps)) = todo.pop() {
            if steps > depth || best.get(&var).is_some_and(|known| *known <= steps) {
                continue;
            }
            for user in self.users_of(&var) {
                let renames = self.values.get(&user.id()).is_some_and(|value| value.as_var().is_some());
                todo.push((user, steps + usize::from(!renames)));
            }
            best.insert(var, steps);
        }
        best.into_keys().collect()
    }

    /// Whether every connection between two patterns that are placed holds.
    fn edges_fit(&self, matches: &Matches) -> bool {
        self.context.edges.iter().all(|edge| {
            let (Some(producer), Some(consumer)) = (matches.var(&edge.producer), matches.var(&edge.consumer)) else {
                return !(matches.contains(&edge.producer) && matches.contains(&edge.consumer));
            };
            let Some(value) = self.values.get(&consumer.id()) else { return false };
            let used = match edge.index {
                Some(index) => operand(value, index).is_some_and(|operand| mentions(operand, producer)),
                None => mentions(value, producer),
            };
            let alone = || self.users_of(producer).iter().all(|user| user == consumer);
            used && (!edge.only || (alone() && !self.outputs.contains(&producer.id())))
        })
    }

    /// Whether who else uses what is matched is as the context wants it.
    fn uses_fit(&self, matches: &Matches) -> bool {
        if self.context.extern_use == ExternUse::May {
            return true;
        }
        let inside: Set<VarId> = self.described(matches).collect();
        inside.iter().all(|var| {
            let users = self.users.get(var).map(Vec::as_slice).unwrap_or_default();
            let used_inside = users.iter().any(|user| inside.contains(&user.id()));
            let used_outside = self.outputs.contains(var) || users.iter().any(|user| !inside.contains(&user.id()));
            !used_inside || used_outside == (self.context.extern_use == ExternUse::Must)
        })
    }
}

fn operand(value: &Expr, index: usize) -> Option<&Expr> {
    match &value.kind {
        ExprKind::Call { args: operands, .. } | ExprKind::Tuple(operands) => operands.get(index),
        ExprKind::TupleGet { tuple, .. } if index == 0 => Some(tuple),
        _ => None,
    }
}

fn mentions(value: &Expr, var: &Var) -> bool {
    let mut found = false;
    walk(value, |used: &Var| found |= used == var);
    found
}
