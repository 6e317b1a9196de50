//! Which allocated tensors stay inside a function, and for how long each is needed.
//!
//! Bindings get positions in the order of the text; branches of a conditional come one after the other, so that whatever
//! path is taken, later positions run later. Every variable stands for a set of allocations: an alias of a variable for
//! the same, a tuple for those of all its fields. A use of a variable is a use of all of its allocations.

use tilewright_expr as scalar;
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::IRModule;
use tilewright_ir::op::{Legalize, MachineOp};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var};
use tilewright_ops::shapes::allocation_bytes;
use tilewright_support::{Map, OrderedMap, Set, with_stack};
use tilewright_tensor::DataType;

/// A tensor to place.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) var: VarId,
    pub(super) bytes: i64,
    /// The positions of its allocation and of its last use.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Shape and element type of the tensor that a binding allocates in memory of its own.
pub(super) fn allocated(binding: &Binding) -> Option<(Vec<scalar::Expr>, DataType)> {
    let BindingValue::Expr(value) = &binding.value else { return None };
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), .. }
            if matches!(op.legalize, Legalize::Machine(MachineOp::AllocTensor)) =>
        {
            Some((value.struct_info.dims()?.to_vec(), value.struct_info.dtype()?))
        }
        _ => None,
    }
}

/// The tensors of constant size that stay inside the function, in the order of their allocation.
pub(super) fn planned(module: &IRModule, function: &Function) -> Vec<Planned> {
    let mut scan = Scan { module, position: 0, tensors: OrderedMap::default(), stands_for: Map::default() };
    let result = scan.sequence(&function.body);
    scan.escape(&result);
    scan.tensors.into_values().flatten().collect()
}

/// Larger tensors get memory of their own, so that sums of sizes cannot overflow.
const LARGEST: i64 = 1 << 40;

/// The allocations that a value may stand for.
type Allocations = Set<VarId>;

struct Scan<'a> {
    module: &'a IRModule,
    position: usize,
    /// `None`: it escapes.
    tensors: OrderedMap<VarId, Option<Planned>>,
    stands_for: Map<VarId, Allocations>,
}

impl Scan<'_> {
    /// Walks the bindings and gives what the result stands for.
    fn sequence(&mut self, seq: &SeqExpr) -> Allocations {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            self.position += 1;
            let stands_for = match &binding.value {
                BindingValue::MatchCast { value, .. } => self.used(value),
                BindingValue::Expr(value) => match allocated(binding) {
                    Some(_) => self.allocation(binding, &value.struct_info),
                    None => self.value(value),
                },
            };
            self.stands_for.insert(binding.var.id(), stands_for);
        }
        self.position += 1;
        self.used(&seq.result)
    }

    fn allocation(&mut self, binding: &Binding, info: &StructInfo) -> Allocations {
        let var = binding.var.id();
        let Some(bytes) = allocation_bytes(info).filter(|bytes| *bytes <= LARGEST) else {
            return Allocations::default();
        };
        self.tensors.insert(var, Some(Planned { var, bytes, first: self.position, last: self.position }));
        Allocations::from_iter([var])
    }

    /// Notes a use of every variable in the expression, here, and gives what they stand for.
    fn used(&mut self, expr: &Expr) -> Allocations {
        let mut all = Allocations::default();
        walk(&vec![expr.clone()], |var: &Var| {
            all.extend(self.stands_for.get(&var.id()).into_iter().flatten());
        });
        for var in &all {
            if let Some(Some(tensor)) = self.tensors.get_mut(var) {
                tensor.last = self.position;
            }
        }
        all
    }

    fn used_all(&mut self, exprs: &[Expr]) -> Allocations {
        exprs.iter().flat_map(|expr| self.used(expr)).collect()
    }

    fn escape(&mut self, allocations: &Allocations) {
        for var in allocations {
            self.tensors.insert(*var, None);
        }
    }

    /// Walks the value of a binding and gives what it stands for.
    fn value(&mut self, value: &Expr) -> Allocations {
        match &value.kind {
            ExprKind::Call { callee, args, .. } => self.call(callee, args),
            ExprKind::If { condition, then, otherwise } => {
                self.used(condition);
                let mut all = with_stack(|| self.sequence(then));
                all.extend(with_stack(|| self.sequence(otherwise)));
                all
            }
            // A closure keeps what it mentions.
            ExprKind::Function(_) => {
                let kept = self.used(value);
                self.escape(&kept);
                Allocations::default()
            }
            _ => self.used(value),
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) -> Allocations {
        let given = self.used_all(args);
        if let Callee::Value(function) = callee {
            if let ExprKind::GlobalVar(global) = &function.kind {
                if self.module.prim(&global.name).is_some() {
                    return Allocations::default();
                }
            } else {
                let kept = self.used(function);
                self.escape(&kept);
            }
        }
        if !matches!(callee, Callee::Op(op) if matches!(op.legalize, Legalize::Machine(MachineOp::Kill))) {
            self.escape(&given);
        }
        Allocations::default()
    }
}
