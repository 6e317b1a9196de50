//! Partitions the bindings of a block into fused groups.
//!
//! A node is fused with its *post-dominator*, the first node that all its uses pass through, and with everything on the
//! paths between the two; so nothing of a group but its last node is used outside of it. Whether it is decided by the
//! patterns on these paths. A group has the most general pattern of its nodes, and at most one *anchor*: a node that is
//! more than injective.
//!
//! | first phase | fused with its post-dominator where |
//! |---|---|
//! | a group with an out-elementwise-fusable anchor | all that is on the paths is at most broadcast, and uses the result element for element |
//! | elementwise, broadcast | what is between is at most injective, and the end is no anchor of a product: an injective group, a reduction, or elementwise work in the group of an anchor |
//!
//! | second phase | |
//! |---|---|
//! | injective, a tuple | what is between is at most injective; the end too, or a reduction |
//!
//! | third phase, where products decode | |
//! |---|---|
//! | what makes a matrix of narrower integers | what is between is at most injective, the end is a product |
//!
//! Reductions end their group, and opaque bindings are in none. A tuple is never the post-dominator: the first later
//! node that all uses pass through is.

use tilewright_ir::analysis::tir::OpPattern;
use tilewright_support::Set;

use super::graph::Graph;

/// The members of each group with at least two calls, in order; the last one has the result. Groups have at most
/// `limit` members. `fuse_dequantize` says whether the third phase is done.
pub(super) fn groups(graph: &Graph, limit: usize, fuse_dequantize: bool) -> Vec<Vec<usize>> {
    let patterns = graph
        .nodes
        .iter()
        .map(|node| if node.pattern == OpPattern::Tuple { OpPattern::Injective } else { node.pattern });
    let count = graph.nodes.len();
    let mut partition =
        Partition { graph, joined: (0..count).collect(), patterns: patterns.collect(), sizes: vec![1; count], limit };
    for phase in [Phase::First, Phase::Second] {
        (0..count).for_each(|node| partition.fuse(node, phase));
    }
    if fuse_dequantize {
        let decoding = (0..count).filter(|&node| graph.nodes[node].decodes);
        decoding.for_each(|node| partition.fuse(node, Phase::Decoding));
    }
    let mut groups = vec![Vec::new(); count];
    for node in 0..count {
        groups[partition.root(node)].push(node);
    }
    groups.retain(|group| group.iter().filter(|node| graph.nodes[**node].is_call).count() > 1);
    groups
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    First,
    Second,
    Decoding,
}

/// Groups under construction, each named by its last node.
struct Partition<'g> {
    graph: &'g Graph,
    /// For each node a later one of its group; itself, if it is the last.
    joined: Vec<usize>,
    /// The op patterns of the groups, by their last nodes.
    patterns: Vec<OpPattern>,
    sizes: Vec<usize>,
    limit: usize,
}

/// The conditions on the paths from a node to its post-dominator.
struct Rule {
    /// The patterns of the groups between.
    between: OpPattern,
    /// The pattern of the group at the end.
    end: fn(group: OpPattern, node: OpPattern) -> bool,
    /// How results may be used along the paths.
    edges: OpPattern,
}

impl Rule {
    fn of(group: OpPattern, phase: Phase) -> Option<Self> {
        match (group, phase) {
            (group, Phase::Decoding) if group <= OpPattern::Injective => Some(Self {
                between: OpPattern::Injective,
                end: |_, node| node == OpPattern::OutElementwiseFusable,
                edges: OpPattern::Tuple,
            }),
            (_, Phase::Decoding) => None,
            (OpPattern::OutElementwiseFusable, Phase::First) => Some(Self {
                between: OpPattern::Broadcast,
                end: |group, _| group <= OpPattern::Broadcast,
                edges: OpPattern::Elementwise,
            }),
            (OpPattern::Elementwise | OpPattern::Broadcast, _) => Some(Self {
                between: OpPattern::Injective,
                end: |group, node| group != OpPattern::Opaque && node <= OpPattern::CommutativeReduce,
                edges: OpPattern::Tuple,
            }),
            (OpPattern::Injective, Phase::Second) => Some(Self {
                between: OpPattern::Injective,
                end: |group, _| group <= OpPattern::CommutativeReduce,
                edges: OpPattern::Tuple,
            }),
            _ => None,
        }
    }
}

impl Partition<'_> {
    fn root(&mut self, node: usize) -> usize {
        let mut root = node;
        while self.joined[root] != root {
            root = self.joined[root];
        }
        let mut next = node;
        while self.joined[next] != root {
            next = std::mem::replace(&mut self.joined[next], root);
        }
        root
    }

    fn fuse(&mut self, node: usize, phase: Phase) {
        let is_tuple = |node: &usize| self.graph.nodes[*node].pattern == OpPattern::Tuple;
        let mut ends = std::iter::successors(self.graph.post_dominator(node), |end| self.graph.post_dominator(*end));
        let own = self.root(node);
        // What is decoded may be transposed in its group.
        let goes_on = |cx: &mut Self, end: usize| phase == Phase::Decoding && cx.root(end) == own;
        let Some(end) = ends.find(|end| !is_tuple(end) && !goes_on(self, *end)) else { return };
        if self.root(node) == self.root(end) {
            return;
        }
        let group = self.root(node);
        let Some(rule) = Rule::of(self.patterns[group], phase) else { return };
        if let Some(path) = self.path(node, end, &rule) {
            let mut groups: Set<usize> = path.into_iter().map(|member| self.root(member)).collect();
            groups.insert(group);
            if groups.iter().map(|group| self.sizes[*group]).sum::<usize>() <= self.limit {
                groups.into_iter().for_each(|group| self.join(group, end));
            }
        }
    }

    /// The nodes on the paths from a node to its post-dominator, this included, where all fit the rule.
    fn path(&mut self, from: usize, end: usize, rule: &Rule) -> Option<Vec<usize>> {
        let (mut seen, mut found, mut todo) = (Set::default(), Vec::new(), vec![from]);
        while let Some(node) = todo.pop() {
            for &(user, edge) in &self.graph.nodes[node].users {
                if edge > rule.edges {
                    return None;
                }
                if !seen.insert(user) {
                    continue;
                }
                let group = self.root(user);
                let fits = match user == end {
                    true => (rule.end)(self.patterns[group], self.graph.nodes[user].pattern),
                    false => self.patterns[group] <= rule.between,
                };
                // A group longer than the limit is not formed.
                if !fits || found.len() >= self.limit {
                    return None;
                }
                found.push(user);
                if user != end {
                    todo.push(user);
                }
            }
        }
        Some(found)
    }

    fn join(&mut self, group: usize, end: usize) {
        let (group, end) = (self.root(group), self.root(end));
        if group != end {
            self.joined[group] = end;
            self.sizes[end] += self.sizes[group];
            self.patterns[end] = self.patterns[end].max(self.patterns[group]);
        }
    }
}
