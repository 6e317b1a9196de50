//! Lifetimes of the values of a function.
//!
//! A caller says which bindings *begin* a value: a tensor in memory of its own. The analysis then tells for each value
//! whether it *escapes* (is returned, or handed to someone who may keep it) and at which *positions* it is needed.
//!
//! Positions are numbered in the order of the text; of a conditional first one branch, then the other, then the point
//! where they meet. Two walks find the lifetimes:
//!
//! 1. Forwards ([`scan`]): every variable denotes a set of values. An alias denotes the same set, a tuple the union of
//!    its fields' sets, field by field (as [`TupleFields`] projects them), a conditional the union of both branches. A
//!    use of a variable is a use of all values that it denotes.
//! 2. Backwards ([`liveness`]): a value is live from a use back to its definition. Values live after a conditional are
//!    live in both branches, except those defined in the other one.

mod liveness;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::relax::{Binding, BindingValue, Expr, ExprKind, Function, Var};
use tilewright_support::{Map, OrderedMap};

/// A value, and when it is needed.
#[derive(Clone, Debug)]
pub(crate) struct Lifetime {
    /// The variable of the binding that begins it.
    pub(crate) var: Var,
    /// The position of its beginning.
    pub(crate) at: usize,
    /// Whether someone outside the function may have it when the function is over.
    pub(crate) escapes: bool,
    /// The positions at which it is needed: ranges without overlap, both ends included, in order.
    pub(crate) needed: Vec<(usize, usize)>,
    /// The branches that it begins in, from outside: positions of conditionals, and whether the condition holds.
    branches: Vec<(usize, bool)>,
}

impl Lifetime {
    /// Whether one run of the function may need both at one position.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let both_needed = || {
            let mut others = other.needed.iter().peekable();
            self.needed.iter().any(|&(first, last)| {
                while others.next_if(|(_, end)| *end < first).is_some() {}
                others.peek().is_some_and(|(begin, _)| *begin <= last)
            })
        };
        !self.excludes(other) && both_needed()
    }

    /// Whether the two begin in different branches of one conditional: no run has both.
    fn excludes(&self, other: &Self) -> bool {
        let parting = self.branches.iter().zip(&other.branches).find(|(a, b)| a != b);
        parting.is_some_and(|((this, _), (that, _))| this == that)
    }

    /// Whether every run that begins the other has begun this one before.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        self.at < other.at && other.branches.starts_with(&self.branches)
    }

    /// Whether the value is needed at the position.
    pub(crate) fn covers(&self, position: usize) -> bool {
        self.needed.iter().any(|&(first, last)| first <= position && position <= last)
    }

    /// Takes the other's needs over: both lie in the same memory from here on.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.needed.extend(&other.needed);
        joined(&mut self.needed);
    }
}

/// The values that the function begins, in the order of their positions.
pub(crate) fn lifetimes(module: &IRModule, function: &Function, begins: &dyn Fn(&Binding) -> bool) -> Vec<Lifetime> {
    lifetimes_and_names(module, function, begins).0
}

/// How a function's variables and values relate.
pub(crate) struct Names {
    /// The value that a variable is or is another name of, where it is one certainly.
    pub(crate) of: Map<VarId, usize>,
    /// The values in whose memory a variable, or a part of it, may lie.
    pub(crate) memory: Map<VarId, BTreeSet<usize>>,
}

/// The values that the function begins, and the variables that are values or lie in the memory of some.
pub(crate) fn lifetimes_and_names(
    module: &IRModule,
    function: &Function,
    begins: &dyn Fn(&Binding) -> bool,
) -> (Vec<Lifetime>, Names) {
    let scan::Scanned { steps, mut values, names, memory } = scan::scan(module, function, begins);
    liveness::find(&steps, &mut values);
    for value in &mut values {
        joined(&mut value.needed);
    }
    (values, Names { of: names, memory })
}

/// The maximum over positions of the bytes that one run needs: a lower bound of any plan.
pub(crate) fn peak(values: &[(&Lifetime, i64)]) -> i64 {
    // Within a run upwards the set of live values changes only where a range begins.
    let mut beginnings: Vec<(usize, usize)> = Vec::new();
    for (i, (value, _)) in values.iter().enumerate() {
        beginnings.extend(value.needed.iter().map(|(first, _)| (*first, i)));
    }
    beginnings.sort_unstable();
    let mut live: Vec<usize> = Vec::new();
    let mut max = 0;
    for (position, value) in beginnings {
        live.retain(|live| values[*live].0.covers(position));
        live.push(value);
        let paths = live.iter().map(|live| (values[*live].0.branches.as_slice(), values[*live].1)).collect();
        max = max.max(at_once(paths));
    }
    max
}

/// The branches in which a value begins, and its bytes.
type Branched<'a> = (&'a [(usize, bool)], i64);

/// The bytes that one run may have of values that began in these branches: of each conditional those of one branch.
fn at_once(values: Vec<Branched<'_>>) -> i64 {
    let mut all = 0;
    let mut forks: OrderedMap<usize, [Vec<Branched<'_>>; 2]> = OrderedMap::default();
    for (path, bytes) in values {
        match path {
            [] => all += bytes,
            [(fork, taken), rest @ ..] => forks.entry(*fork).or_default()[usize::from(*taken)].push((rest, bytes)),
        }
    }
    let of_fork = |[otherwise, then]: [Vec<Branched<'_>>; 2]| at_once(otherwise).max(at_once(then));
    all + forks.into_values().map(of_fork).sum::<i64>()
}

/// Projections of tuples: the field itself replaces its projection, so that a tuple does not merge the values of its
/// fields. Bindings come in program order.
#[derive(Default)]
pub(crate) struct TupleFields(Map<VarId, Vec<Expr>>);

impl TupleFields {
    /// Takes note of a binding, and simplifies it.
    pub(crate) fn binding(&mut self, binding: &mut Binding) {
        let BindingValue::Expr(value) = &mut binding.value else { return };
        if let ExprKind::TupleGet { tuple, index } = &value.kind
            && let Some(field) = self.fields(tuple).and_then(|fields| fields.get(*index))
        {
            *value = field.clone();
        }
        if let Some(fields) = self.fields(value) {
            let fields = fields.to_vec();
            self.0.insert(binding.var.id(), fields);
        }
    }

    fn fields<'a>(&'a self, value: &'a Expr) -> Option<&'a [Expr]> {
        match &value.kind {
            ExprKind::Var(var) => self.0.get(&var.id()).map(Vec::as_slice),
            ExprKind::Tuple(fields) => Some(fields),
            _ => None,
        }
    }
}

/// Sorts ranges and joins those that touch.
fn joined(ranges: &mut Vec<(usize, usize)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, known| {
        let touches = next.0 <= known.1 + 1;
        if touches {
            known.1 = known.1.max(next.1);
        }
        touches
    });
}
