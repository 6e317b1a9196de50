//! Dataflow blocks: liveness of variables, aliases, and candidates for computation in place.
//!
//! Positions are numbers of bindings in the block; -1 is before it, and the number of bindings is after it. *Memory* is
//! a number that an analysis gives to each tensor or tuple; [`ANY_MEMORY`] may be any of them and others too.

use std::collections::BTreeSet;

use tilewright_expr::node::walk;
use tilewright_support::{OrderedMap, Set};

use super::vars::value_of;
use crate::op::{Fusion, InferCx};
use crate::relax::{Binding, BindingBlock, Callee, Expr, ExprKind, StructInfo, Var};

/// The position from which on a variable exists, and its last use, both inclusive. Outputs of the block are used after
/// it; an unused variable has its definition as last use.
pub fn dataflow_liveness(block: &BindingBlock) -> OrderedMap<Var, (i64, i64)> {
    let mut found: OrderedMap<Var, (i64, i64)> = OrderedMap::default();
    for (at, binding) in (0_i64..).zip(&block.bindings) {
        walk(value_of(binding), |var: &Var| {
            found.entry(var.clone()).or_insert((-1, at)).1 = at;
        });
        found.insert(binding.var.clone(), (at, at));
    }
    let after = block.bindings.len() as i64;
    for binding in block.bindings.iter().filter(|binding| !binding.var.dataflow) {
        if let Some((_, last)) = found.get_mut(&binding.var) {
            *last = after;
        }
    }
    found
}

/// Memory that the analysis knows nothing of.
pub const ANY_MEMORY: i64 = -1;

/// The memory of variables.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    /// The memory that each variable may be.
    pub memory: OrderedMap<Var, BTreeSet<i64>>,
    /// The memory of the fields of each tuple.
    pub tuples: OrderedMap<i64, Vec<BTreeSet<i64>>>,
    next: i64,
}

/// The memory of each variable of the block. Inputs do not alias: the caller guarantees that.
pub fn dataflow_alias(block: &BindingBlock, inputs: &[Var]) -> Aliases {
    let mut aliases = Aliases::default();
    for input in inputs {
        let memory = aliases.fresh(&input.struct_info);
        aliases.memory.insert(input.clone(), memory);
    }
    for binding in &block.bindings {
        let memory = aliases.of_value(value_of(binding));
        aliases.memory.insert(binding.var.clone(), memory);
    }
    aliases
}

impl Aliases {
    /// Memory of its own for a value of this info.
    fn fresh(&mut self, info: &StructInfo) -> BTreeSet<i64> {
        let memory = self.next;
        self.next += 1;
        if let StructInfo::Tuple(fields) = info {
            let fields = fields.iter().map(|field| self.fresh(field)).collect();
            self.tuples.insert(memory, fields);
        }
        BTreeSet::from([memory])
    }

    fn of_value(&mut self, value: &Expr) -> BTreeSet<i64> {
        match &value.kind {
            ExprKind::Var(var) => self.memory.get(var).cloned().unwrap_or_else(|| BTreeSet::from([ANY_MEMORY])),
            ExprKind::Tuple(fields) => {
                let fields = fields.iter().map(|field| self.of_value(field)).collect();
                let memory = self.next;
                self.next += 1;
                self.tuples.insert(memory, fields);
                BTreeSet::from([memory])
            }
            ExprKind::TupleGet { tuple, index } => {
                let field = |memory: i64| self.tuples.get(&memory).and_then(|fields| fields.get(*index)).cloned();
                let of = |memory| field(memory).unwrap_or_else(|| BTreeSet::from([ANY_MEMORY]));
                self.clone().of_value(tuple).into_iter().flat_map(of).collect()
            }
            ExprKind::Call { callee: Callee::Op(op), args, .. } if op.legalize.is_view() => {
                args.first().map_or_else(|| BTreeSet::from([ANY_MEMORY]), |arg| self.of_value(arg))
            }
            ExprKind::Call { callee: Callee::Op(_) | Callee::Tir(_) | Callee::DpsPacked(_), .. } => {
                self.fresh(&value.struct_info)
            }
            // The result of a function may be any of its arguments, or a part of one, or something that it keeps.
            ExprKind::Call { .. } | ExprKind::If { .. } => BTreeSet::from([ANY_MEMORY]),
            _ => self.fresh(&value.struct_info),
        }
    }

    /// The memory of the variable and of all that it holds.
    fn reach(&self, var: &Var) -> BTreeSet<i64> {
        let mut found = BTreeSet::new();
        let mut todo: Vec<i64> = self.memory.get(var).into_iter().flatten().copied().collect();
        if !self.memory.contains_key(var) {
            todo.push(ANY_MEMORY);
        }
        while let Some(memory) = todo.pop() {
            if found.insert(memory) {
                todo.extend(self.tuples.get(&memory).into_iter().flatten().flatten());
            }
        }
        found
    }
}

/// A call whose result may overwrite an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InplaceCall {
    /// The number of the binding.
    pub binding: usize,
    /// The arguments whose memory would do.
    pub args: Vec<usize>,
}

/// Candidates for computation in place.
#[derive(Clone, Debug, Default)]
pub struct InplaceCalls {
    /// The argument has as many elements of the same type.
    pub fitting: Vec<InplaceCall>,
    /// It has the same shape too.
    pub exact: Vec<InplaceCall>,
}

/// The elementwise operators of the block that may overwrite an argument: one that the block has computed itself, that
/// is used here for the last time under any name, and that no other argument shares memory with.
pub fn dataflow_inplace(block: &BindingBlock, inputs: &[Var]) -> InplaceCalls {
    let (live, aliases) = (dataflow_liveness(block), dataflow_alias(block, inputs));
    let given: BTreeSet<i64> = inputs.iter().flat_map(|input| aliases.reach(input)).collect();
    let reach: Vec<(&Var, i64, BTreeSet<i64>)> =
        live.iter().map(|(var, (_, last))| (var, *last, aliases.reach(var))).collect();
    let cx = InferCx::default();
    let mut found = InplaceCalls::default();
    for (number, binding) in block.bindings.iter().enumerate() {
        let Some(args) = elementwise_args(binding) else { continue };
        let at = number as i64;
        let dies = |var: &Var| {
            let memory = aliases.reach(var);
            let own = memory.is_disjoint(&given) && !memory.contains(&ANY_MEMORY);
            let last = |(_, last, other): &(&Var, i64, BTreeSet<i64>)| {
                *last <= at || (memory.is_disjoint(other) && !other.contains(&ANY_MEMORY))
            };
            own && reach.iter().filter(|(other, ..)| **other != binding.var).all(last)
        };
        let alone = |i: usize, var: &Var| {
            let memory = aliases.reach(var);
            let others = args.iter().enumerate().filter(|(j, _)| *j != i).filter_map(|(_, arg)| arg.as_var());
            others.into_iter().all(|other| memory.is_disjoint(&aliases.reach(other)))
        };
        let candidates: Vec<(usize, &Expr)> = args
            .iter()
            .enumerate()
            .filter(|(i, arg)| arg.as_var().is_some_and(|var| dies(var) && alone(*i, var)))
            .collect();
        let mut note = |list: fn(&mut InplaceCalls) -> &mut Vec<InplaceCall>, fits: &dyn Fn(&StructInfo) -> bool| {
            let args: Vec<usize> =
                candidates.iter().filter(|(_, arg)| fits(&arg.struct_info)).map(|(i, _)| *i).collect();
            if !args.is_empty() {
                list(&mut found).push(InplaceCall { binding: number, args });
            }
        };
        let result = &value_of(binding).struct_info;
        note(|found| &mut found.fitting, &|info| same_size(&cx, info, result));
        note(|found| &mut found.exact, &|info| same_shape(&cx, info, result));
    }
    found
}

/// The arguments of a call of an elementwise operator. Vector and scalar work on one element reads nothing of another.
fn elementwise_args(binding: &Binding) -> Option<&[Expr]> {
    match &value_of(binding).kind {
        ExprKind::Call { callee: Callee::Op(op), args, .. }
            if op.properties.pure && matches!(op.properties.fusion, Fusion::Elementwise | Fusion::Broadcast) =>
        {
            Some(args)
        }
        _ => None,
    }
}

fn same_shape(cx: &InferCx, a: &StructInfo, b: &StructInfo) -> bool {
    let same = |a: &[crate::tir::Expr], b: &[crate::tir::Expr]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| cx.analyzer.prove_equal(a, b))
    };
    a.dtype().is_some() && a.dtype() == b.dtype() && matches!((a.dims(), b.dims()), (Some(a), Some(b)) if same(a, b))
}

/// Whether both have the same number of elements of one type: the same constant, or the same dimensions in some order.
fn same_size(cx: &InferCx, a: &StructInfo, b: &StructInfo) -> bool {
    let (Some(x), Some(y)) = (a.dims(), b.dims()) else { return false };
    if a.dtype().is_none() || a.dtype() != b.dtype() {
        return false;
    }
    let split = |dims: &[crate::tir::Expr]| {
        let constant = dims.iter().filter_map(crate::tir::Expr::as_int).try_fold(1_i64, i64::checked_mul);
        let rest: Vec<_> = dims.iter().filter(|dim| dim.as_int().is_none()).cloned().collect();
        constant.map(|constant| (constant, rest))
    };
    let (Some((m, mut open)), Some((n, rest))) = (split(x), split(y)) else { return false };
    let mut unmatched: Set<usize> = (0..rest.len()).collect();
    open.retain(|dim| {
        let found = (0..rest.len()).find(|i| unmatched.contains(i) && cx.analyzer.prove_equal(dim, &rest[*i]));
        found.is_none_or(|found| !unmatched.remove(&found))
    });
    m == n && open.is_empty() && unmatched.is_empty()
}
