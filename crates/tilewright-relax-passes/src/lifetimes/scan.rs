//! The forward walk: positions, the values that variables denote, uses, and escapes.

use std::collections::BTreeSet;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::IRModule;
use tilewright_ir::op::{Legalize, MachineOp, OpRef};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_support::{Map, with_stack};

use super::Lifetime;

/// The events at one position, or in a conditional.
#[derive(Debug)]
pub(super) enum Step {
    At {
        position: usize,
        /// The value that begins here, if one does.
        begins: Option<usize>,
        /// The values that are used here.
        uses: BTreeSet<usize>,
    },
    /// Follows the step that uses the condition.
    Fork {
        then: Vec<Step>,
        otherwise: Vec<Step>,
        /// The first positions of `then` and of `otherwise`, and the one where they meet.
        start: usize,
        middle: usize,
        meeting: usize,
    },
}

/// The values that a variable denotes.
#[derive(Clone, Debug)]
enum Stands {
    /// Any of these values.
    For(BTreeSet<usize>),
    Tuple(Vec<Stands>),
}

impl Stands {
    fn nothing() -> Self {
        Self::For(BTreeSet::new())
    }

    fn all(&self, into: &mut BTreeSet<usize>) {
        match self {
            Self::For(values) => into.extend(values),
            Self::Tuple(fields) => fields.iter().for_each(|field| field.all(into)),
        }
    }

    fn flat(&self) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        self.all(&mut all);
        all
    }

    fn field(self, index: usize) -> Self {
        match self {
            Self::Tuple(mut fields) if index < fields.len() => fields.swap_remove(index),
            other => Self::For(other.flat()),
        }
    }
}

/// The result of the walk.
pub(super) struct Scanned {
    pub(super) steps: Vec<Step>,
    /// Without their lifetimes.
    pub(super) values: Vec<Lifetime>,
    /// The variables that are a value, or other names of one: not what may be a value, and not tuples of one.
    pub(super) names: Map<VarId, usize>,
    /// The values in whose memory a variable, or a part of it, may lie.
    pub(super) memory: Map<VarId, BTreeSet<usize>>,
}

pub(super) fn scan(module: &IRModule, function: &Function, begins: &dyn Fn(&Binding) -> bool) -> Scanned {
    let mut scan = Scan {
        module,
        begins,
        position: 0,
        values: Vec::new(),
        stands: Map::default(),
        names: Map::default(),
        branches: Vec::new(),
        uses: BTreeSet::new(),
    };
    let (steps, result) = scan.sequence(&function.body);
    scan.escape(&result);
    let memory = scan.stands.iter().map(|(var, stands)| (*var, stands.flat())).collect();
    Scanned { steps, values: scan.values, names: scan.names, memory }
}

struct Scan<'a> {
    module: &'a IRModule,
    begins: &'a dyn Fn(&Binding) -> bool,
    position: usize,
    values: Vec<Lifetime>,
    stands: Map<VarId, Stands>,
    names: Map<VarId, usize>,
    branches: Vec<(usize, bool)>,
    /// The values that are used at this position.
    uses: BTreeSet<usize>,
}

impl Scan<'_> {
    /// Walks the bindings and the result, and returns the values that the result denotes.
    fn sequence(&mut self, seq: &SeqExpr) -> (Vec<Step>, Stands) {
        let mut steps = Vec::new();
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            let stands = self.binding(binding, &mut steps);
            self.stands.insert(binding.var.id(), stands);
        }
        let result = self.operand(&seq.result);
        self.step(None, &mut steps);
        (steps, result)
    }

    /// Ends the position with the uses that were noted for it.
    fn step(&mut self, begins: Option<usize>, steps: &mut Vec<Step>) {
        steps.push(Step::At { position: self.position, begins, uses: std::mem::take(&mut self.uses) });
        self.position += 1;
    }

    fn binding(&mut self, binding: &Binding, steps: &mut Vec<Step>) -> Stands {
        let value = match &binding.value {
            BindingValue::MatchCast { value, .. } | BindingValue::Expr(value) => value,
        };
        if let ExprKind::If { condition, then, otherwise } = &value.kind {
            self.operand(condition);
            self.step(None, steps);
            return with_stack(|| self.fork(then, otherwise, steps));
        }
        if let Some(named) = value.as_var().and_then(|other| self.names.get(&other.id()).copied()) {
            self.names.insert(binding.var.id(), named);
        }
        let stands = match &binding.value {
            BindingValue::Expr(_) => self.value(value),
            BindingValue::MatchCast { .. } => Stands::For(self.value(value).flat()),
        };
        if !(self.begins)(binding) {
            self.step(None, steps);
            return stands;
        }
        let index = self.values.len();
        self.values.push(Lifetime {
            var: binding.var.clone(),
            at: self.position,
            escapes: false,
            needed: Vec::new(),
            branches: self.branches.clone(),
        });
        self.names.insert(binding.var.id(), index);
        self.step(Some(index), steps);
        Stands::For(BTreeSet::from([index]))
    }

    fn fork(&mut self, then: &SeqExpr, otherwise: &SeqExpr, steps: &mut Vec<Step>) -> Stands {
        let start = self.position;
        self.branches.push((start, true));
        let (then, first) = self.sequence(then);
        let middle = self.position;
        self.branches.pop();
        self.branches.push((start, false));
        let (otherwise, second) = self.sequence(otherwise);
        self.branches.pop();
        let meeting = self.position;
        self.position += 1;
        steps.push(Step::Fork { then, otherwise, start, middle, meeting });
        // Which fields a tuple has is not followed through branches: neither does the machine.
        let mut either = first.flat();
        second.all(&mut either);
        Stands::For(either)
    }

    /// Records the uses and escapes of the value of a binding; returns the values that it denotes.
    fn value(&mut self, value: &Expr) -> Stands {
        match &value.kind {
            ExprKind::Call { callee, args, .. } => {
                let given = self.call(callee, args);
                match callee {
                    Callee::TirInplace { results, .. } => Self::inplace(results, &given),
                    Callee::Op(op) if is_view(*op) => given.into_iter().next().unwrap_or_else(Stands::nothing),
                    _ => Stands::nothing(),
                }
            }
            // A closure keeps what it mentions.
            ExprKind::Function(_) => {
                let kept = self.mentioned(value);
                self.escape(&kept);
                Stands::nothing()
            }
            _ => self.operand(value),
        }
    }

    /// The values of the result of a call in place: arguments, and tensors without a recorded lifetime.
    fn inplace(results: &[Option<usize>], given: &[Stands]) -> Stands {
        let argument = |position: usize| given.get(position).cloned().unwrap_or_else(Stands::nothing);
        let mut stands = results.iter().map(|position| position.map_or_else(Stands::nothing, argument));
        match (results.len(), stands.next()) {
            (1, Some(one)) => one,
            (_, first) => Stands::Tuple(first.into_iter().chain(stands).collect()),
        }
    }

    /// Records the uses of a call, and returns the values of its arguments.
    fn call(&mut self, callee: &Callee, args: &[Expr]) -> Vec<Stands> {
        let given: Vec<Stands> = args.iter().map(|arg| self.operand(arg)).collect();
        let keeps = match callee {
            Callee::Tir(_) | Callee::TirInplace { .. } => false,
            Callee::Op(op) => match op.legalize {
                Legalize::PrimFunc(_) | Legalize::FirstOf(_) | Legalize::Machine(MachineOp::Kill) => false,
                Legalize::Machine(machine) => !machine.is_view(),
            },
            Callee::Value(function) => match &function.kind {
                ExprKind::GlobalVar(global) => self.module.prim(&global.name).is_none(),
                _ => {
                    let called = self.mentioned(function);
                    self.escape(&called);
                    true
                }
            },
            Callee::DpsPacked(_) | Callee::Packed(_) => true,
        };
        if keeps {
            given.iter().for_each(|stands| self.escape(stands));
        }
        given
    }

    /// Records a use of every variable in the operand, and returns the values that it denotes.
    fn operand(&mut self, expr: &Expr) -> Stands {
        with_stack(|| match &expr.kind {
            ExprKind::Var(var) => {
                let stands = self.stands.get(&var.id()).cloned().unwrap_or_else(Stands::nothing);
                stands.all(&mut self.uses);
                stands
            }
            ExprKind::Tuple(fields) => Stands::Tuple(fields.iter().map(|field| self.operand(field)).collect()),
            ExprKind::TupleGet { tuple, index } => self.operand(tuple).field(*index),
            _ => self.mentioned(expr),
        })
    }

    /// The values of all variables in an expression of any form, which are used here.
    fn mentioned(&mut self, expr: &Expr) -> Stands {
        let mut all = BTreeSet::new();
        walk(&vec![expr.clone()], |var: &Var| {
            if let Some(stands) = self.stands.get(&var.id()) {
                stands.all(&mut all);
            }
        });
        self.uses.extend(&all);
        Stands::For(all)
    }

    fn escape(&mut self, stands: &Stands) {
        for index in stands.flat() {
            self.values[index].escapes = true;
        }
    }
}

/// Whether what the operator gives is another name for its first argument, or lies in its memory.
fn is_view(op: OpRef) -> bool {
    matches!(op.legalize, Legalize::Machine(machine) if machine.is_view())
}
