//! A dataflow block as a graph: the op pattern of each binding, its users, and its post-dominator.
//!
//! Nodes are the numbers of bindings. An edge from a binding to its user says how that uses it: an elementwise user of
//! a tensor of another shape broadcasts it. A call that overwrites an argument in place has edges, along which nothing
//! is fused, from every earlier reader of that memory under any alias: reads stay before the write.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::IRModule;
use tilewright_ir::analysis::tir::OpPattern;
use tilewright_ir::analysis::vars::value_of;
use tilewright_ir::calls::{TirCall, packed_inplace};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo};
use tilewright_support::{Map, OrderedMap};

use crate::annotate_tir_op_pattern::annotated;

pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    tree: PostDominators,
}

pub(super) struct Node {
    pub(super) pattern: OpPattern,
    /// Whether it is a call of a PrimFunc.
    pub(super) is_call: bool,
    /// It must be the last of its group: it is visible outside of the block, or overwrites an argument.
    pub(super) is_last: bool,
    pub(super) users: Vec<(usize, OpPattern)>,
    /// It makes a matrix of floats of integers that take at most half of its memory.
    pub(super) decodes: bool,
}

impl Graph {
    pub(super) fn of(module: &IRModule, bindings: &[Binding]) -> Self {
        let mut nodes: Vec<Node> = bindings.iter().map(|binding| node(module, binding)).collect();
        let mut index: Map<VarId, usize> = Map::default();
        for (i, binding) in bindings.iter().enumerate() {
            let mut edges: OrderedMap<usize, OpPattern> = OrderedMap::default();
            for (var, edge) in uses(nodes[i].pattern, binding) {
                if let Some(&from) = index.get(&var) {
                    let known = edges.entry(from).or_insert(edge);
                    *known = edge.max(*known);
                }
            }
            edges.into_iter().for_each(|(from, edge)| nodes[from].users.push((i, edge)));
            index.insert(binding.var.id(), i);
        }
        if bindings.iter().any(|binding| !overwritten(value_of(binding)).is_empty()) {
            keep_readers_before_writers(&mut nodes, bindings);
        }
        let tree = PostDominators::of(&nodes);
        Self { nodes, tree }
    }

    /// The post-dominator: the first later binding that every use passes through.
    pub(super) fn post_dominator(&self, node: usize) -> Option<usize> {
        self.tree.parents[node]
    }
}

fn node(module: &IRModule, binding: &Binding) -> Node {
    let value = value_of(binding);
    let in_place = !overwritten(value).is_empty();
    let (pattern, is_call) = match (&binding.value, &value.kind) {
        (BindingValue::MatchCast { .. }, _) => (OpPattern::Opaque, false),
        (_, ExprKind::TupleGet { tuple, .. }) if tuple.as_var().is_some() => (OpPattern::Elementwise, false),
        (_, ExprKind::Tuple(fields)) if fields.iter().all(|field| field.as_var().is_some()) => {
            (OpPattern::Tuple, false)
        }
        (_, ExprKind::Call { .. }) => (of_call(module, value), true),
        _ => (OpPattern::Opaque, false),
    };
    let decodes = is_call && pattern <= OpPattern::Injective && decodes(value);
    Node { pattern, is_call, is_last: in_place || !binding.var.dataflow, users: Vec::new(), decodes }
}

/// Whether a call of a PrimFunc makes a matrix of floats of integers, and reads at most half of the memory that it
/// makes.
fn decodes(value: &Expr) -> bool {
    let ExprKind::Call { args, .. } = &value.kind else { return false };
    let made = &value.struct_info;
    let is_matrix = made.rank() == Some(2) && made.dtype().is_some_and(|dtype| dtype.is_float());
    let reads_codes = args.iter().any(|arg| arg.struct_info.dtype().is_some_and(|dtype| dtype.is_int()));
    let read: Option<f64> = args.iter().map(|arg| bytes(&arg.struct_info)).sum();
    is_matrix && reads_codes && read.zip(bytes(made)).is_some_and(|(read, made)| 2.0 * read <= made)
}

/// The bytes of a tensor; extents that the run alone knows count as `PLANNED_EXTENT`.
fn bytes(info: &StructInfo) -> Option<f64> {
    const PLANNED_EXTENT: i64 = 1024;
    let extents = info.dims()?.iter().map(|dim| dim.as_int().unwrap_or(PLANNED_EXTENT) as f64);
    Some(f64::from(info.dtype()?.bits) / 8.0 * extents.product::<f64>())
}

fn of_call(module: &IRModule, value: &Expr) -> OpPattern {
    let ExprKind::Call { callee, args, attrs, .. } = &value.kind else { return OpPattern::Opaque };
    let function = match callee {
        Callee::Tir(function) if TirCall::of(attrs).te_grad.is_none() => function,
        Callee::TirInplace { function, .. } => function,
        _ => return OpPattern::Opaque,
    };
    let plain = |arg: &Expr| match &arg.kind {
        ExprKind::Var(_) => matches!(arg.struct_info, StructInfo::Prim { .. }) || arg.struct_info.dims().is_some(),
        ExprKind::Constant(_) | ExprKind::Prim(_) => true,
        _ => false,
    };
    match module.prim(&function.name) {
        Some(function) if args.iter().all(plain) => annotated(function),
        _ => OpPattern::Opaque,
    }
}

/// The variables that a binding uses, and how.
fn uses(pattern: OpPattern, binding: &Binding) -> Vec<(VarId, OpPattern)> {
    let value = value_of(binding);
    let mut found = Vec::new();
    match &value.kind {
        ExprKind::Call { args, sinfo_args, .. } if pattern <= OpPattern::Broadcast => {
            for arg in args {
                if let Some(var) = arg.as_var() {
                    let alike = sinfo_args.iter().any(|result| same_shape(&arg.struct_info, result));
                    found.push((var.id(), if alike { OpPattern::Elementwise } else { OpPattern::Broadcast }));
                }
            }
        }
        _ => walk(&binding.value, |var: &tilewright_ir::relax::Var| found.push((var.id(), pattern))),
    }
    found
}

fn same_shape(a: &StructInfo, b: &StructInfo) -> bool {
    match (a.dims(), b.dims()) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equal(b)),
        _ => false,
    }
}

/// The arguments that a call overwrites.
fn overwritten(value: &Expr) -> Vec<&Expr> {
    let ExprKind::Call { callee, args, attrs, .. } = &value.kind else { return Vec::new() };
    let positions = match callee {
        Callee::TirInplace { results, .. } => results.clone(),
        Callee::Packed(_) => packed_inplace(attrs).unwrap_or_default(),
        Callee::Op(_) | Callee::Tir(_) | Callee::DpsPacked(_) | Callee::Value(_) => Vec::new(),
    };
    positions.into_iter().flatten().filter_map(|position| args.get(position)).collect()
}

/// Adds the edges from readers of memory to the call that overwrites it. The call then counts as the only reader for
/// later writes: it has waited for the others.
fn keep_readers_before_writers(nodes: &mut [Node], bindings: &[Binding]) {
    let mut memory = Memory::default();
    for (i, binding) in bindings.iter().enumerate() {
        let value = value_of(binding);
        memory.bind(binding.var.id(), value);
        for var in variables(value) {
            let class = memory.of(var);
            memory.readers.entry(class).or_default().push(i);
        }
        for var in overwritten(value).into_iter().flat_map(variables) {
            let class = memory.of(var);
            let waited = memory.readers.insert(class, vec![i]).unwrap_or_default();
            for reader in waited.into_iter().filter(|reader| *reader != i) {
                nodes[reader].users.push((i, OpPattern::Opaque));
            }
        }
    }
}

fn variables(value: &Expr) -> Vec<VarId> {
    let mut found = Vec::new();
    walk(value, |var: &tilewright_ir::relax::Var| found.push(var.id()));
    found
}

/// May-alias classes of variables. Everything from outside the block is in one class. Classes only grow, so this is
/// coarser than [`crate::lifetimes`], and takes one walk.
#[derive(Default)]
struct Memory {
    class: Map<VarId, usize>,
    /// The parent of each class in a union-find forest; itself for a root. Class 0 is everything from outside.
    joined: Vec<usize>,
    /// The readers of each root class since it was last overwritten.
    readers: Map<usize, Vec<usize>>,
}

impl Memory {
    fn fresh(&mut self) -> usize {
        self.joined.push(self.joined.len());
        self.joined.len() - 1
    }

    fn root(&mut self, class: usize) -> usize {
        let mut root = class;
        while self.joined[root] != root {
            root = self.joined[root];
        }
        let mut next = class;
        while self.joined[next] != root {
            next = std::mem::replace(&mut self.joined[next], root);
        }
        root
    }

    fn outside(&mut self) -> usize {
        if self.joined.is_empty() {
            self.fresh();
        }
        self.root(0)
    }

    fn of(&mut self, var: VarId) -> usize {
        match self.class.get(&var) {
            Some(class) => self.root(*class),
            None => self.outside(),
        }
    }

    /// Merges one root class into another.
    fn join(&mut self, class: usize, into: usize) {
        self.joined[class] = into;
        if class != into
            && let Some(mut readers) = self.readers.remove(&class)
        {
            let known = self.readers.entry(into).or_default();
            if known.len() < readers.len() {
                std::mem::swap(known, &mut readers);
            }
            known.extend(readers);
        }
    }

    fn bind(&mut self, var: VarId, value: &Expr) {
        self.outside();
        let mut class = self.fresh();
        let is_new = match &value.kind {
            ExprKind::Call { callee, .. } => matches!(callee, Callee::Tir(_) | Callee::DpsPacked(_)),
            _ => false,
        };
        if !is_new {
            for other in variables(value) {
                let other = self.of(other);
                self.join(class, other);
                class = other;
            }
            if matches!(value.kind, ExprKind::Call { .. } | ExprKind::If { .. }) {
                let outside = self.outside();
                self.join(class, outside);
                class = outside;
            }
        }
        self.class.insert(var, class);
    }
}

/// The tree in which the parent of a node is the first that every path from it to the end of the block passes through.
struct PostDominators {
    /// `None` is the end of the block.
    parents: Vec<Option<usize>>,
    depths: Vec<usize>,
    /// An ancestor far up: with these the common ancestor of two nodes is found in logarithmic time.
    jumps: Vec<Option<usize>>,
}

impl PostDominators {
    fn of(nodes: &[Node]) -> Self {
        let count = nodes.len();
        let mut tree = Self { parents: vec![None; count], depths: vec![1; count], jumps: vec![None; count] };
        for (i, node) in nodes.iter().enumerate().rev() {
            let mut users = node.users.iter().map(|(user, _)| Some(*user));
            let first = users.next().flatten().filter(|_| !node.is_last);
            let parent = users.fold(first, |common, user| tree.common(common, user));
            tree.insert(i, parent);
        }
        tree
    }

    fn depth(&self, node: Option<usize>) -> usize {
        node.map_or(0, |node| self.depths[node])
    }

    fn insert(&mut self, node: usize, parent: Option<usize>) {
        let up = parent.and_then(|parent| self.jumps[parent]);
        let far = up.and_then(|up| self.jumps[up]);
        // Two jumps of one length are joined to one of twice the length.
        let even = self.depth(parent) - self.depth(up) == self.depth(up) - self.depth(far);
        self.jumps[node] = if even { far } else { parent };
        self.parents[node] = parent;
        self.depths[node] = self.depth(parent) + 1;
    }

    fn common(&self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        let (mut a, mut b) = if self.depth(a) >= self.depth(b) { (a, b) } else { (b, a) };
        while self.depth(a) > self.depth(b) {
            let node = a?;
            a = if self.depth(self.jumps[node]) >= self.depth(b) { self.jumps[node] } else { self.parents[node] };
        }
        while a != b {
            let (x, y) = (a?, b?);
            (a, b) = match self.jumps[x] == self.jumps[y] {
                true => (self.parents[x], self.parents[y]),
                false => (self.jumps[x], self.jumps[y]),
            };
        }
        a
    }
}
