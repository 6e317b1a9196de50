//! `FoldConstant`: evaluates at compile time what does not depend on the function's arguments.
//!
//! A call of a pure operator, or of a PrimFunc by `call_tir`, whose arguments are all constants becomes its result:
//! tensors, shapes and scalars, through variables or directly. A conditional with a constant condition becomes the
//! branch that is taken. The context's [`Evaluator`] computes, in production by compiled code, so that weights are
//! repacked at memory bandwidth. Without one, no call is folded. Results that are contiguous parts of an argument
//! become views of it.
//!
//! Not folded are: calls with effects, calls with a symbolic dimension, unused results, results of more than [`GROWTH`]
//! times the bytes of the arguments and [`FREE_BYTES`] more (`R.zeros((10000, 10000))` is smaller as a call), calls
//! whose evaluation fails (the fault belongs to the run, if it occurs at all), values that a later call overwrites, as
//! constants are immutable, and functions that fusion has made: data that a kernel generates would be read from memory
//! instead.
//!
//! A constant that only folded calls have used is freed immediately, so that memory holds the remaining constants of
//! the module and those of one chain of calls.

mod evaluate;
mod view;
mod written;

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Evaluator, Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, SeqExpr, Var};
use tilewright_ir::verify::Form;
use tilewright_support::{Map, Origins, Set, with_stack};

use crate::normalize::normalized;
use crate::outline::PRIMITIVE;
use crate::sequence::{map_functions, push_block};
use evaluate::Computations;

/// The largest ratio of a result's bytes to those of its arguments.
pub const GROWTH: usize = 2;
/// Bytes that a result may take besides.
pub const FREE_BYTES: usize = 1 << 16;

/// Computes what is constant.
#[derive(Clone, Copy, Debug)]
pub struct FoldConstant;

const NAME: &str = "FoldConstant";

impl Pass for FoldConstant {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            if function.attrs.contains_key(PRIMITIVE) {
                return function.clone();
            }
            let function = normalized(function);
            let mut fold = Fold::new(&module, cx.evaluator);
            fold.count(&function.body, Count::More);
            fold.written = written::in_place(&function.body);
            let mut body = fold.sequence(&function.body);
            fold.finish(&mut body);
            Function { body: fold.inlined(&body), ..function }
        })
    }
}

/// The direction in which uses are counted.
#[derive(Clone, Copy)]
enum Count {
    More,
    Less,
}

struct Fold<'a> {
    module: &'a IRModule,
    evaluator: Option<&'a dyn Evaluator>,
    computations: Computations,
    /// Variables whose value is known: tensors, shapes, scalars, and tuples of them.
    known: Map<VarId, Expr>,
    /// Variables whose binding becomes their known value.
    folded: Set<VarId>,
    /// Folded variables without remaining uses.
    dead: Set<VarId>,
    /// The number of bindings and results that mention a variable.
    uses: Map<VarId, usize>,
    /// Variables in whose memory a call may write.
    written: Set<VarId>,
}

impl<'a> Fold<'a> {
    fn new(module: &'a IRModule, evaluator: Option<&'a dyn Evaluator>) -> Self {
        let (known, uses) = (Map::default(), Map::default());
        let (folded, dead, computations) = Default::default();
        Self { module, evaluator, computations, known, folded, dead, uses, written: Set::default() }
    }

    /// Counts the uses in a sequence.
    fn count(&mut self, seq: &SeqExpr, way: Count) {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
            self.count_in(value, way);
        }
        self.count_in(&seq.result, way);
    }

    /// Counts the uses in a value: binding by binding where it has bindings inside, as they are folded one by one.
    fn count_in(&mut self, value: &Expr, way: Count) {
        match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                self.count_in(condition, way);
                return with_stack(|| {
                    self.count(then, way);
                    self.count(otherwise, way);
                });
            }
            ExprKind::Function(function) => return with_stack(|| self.count(&function.body, way)),
            _ => {}
        }
        let mut mentioned = Vec::new();
        walk(&vec![value.clone()], |var: &Var| mentioned.push(var.id()));
        for var in mentioned {
            let uses = self.uses.entry(var).or_default();
            match way {
                Count::More => *uses += 1,
                Count::Less => {
                    *uses = uses.saturating_sub(1);
                    if *uses == 0 && self.folded.contains(&var) {
                        self.known.remove(&var);
                        self.dead.insert(var);
                    }
                }
            }
        }
    }

    fn sequence(&mut self, seq: &SeqExpr) -> SeqExpr {
        let mut blocks = Vec::new();
        for block in &seq.blocks {
            let mut bindings = Vec::new();
            for binding in &block.bindings {
                self.binding(binding.clone(), block.dataflow, &mut bindings);
            }
            push_block(&mut blocks, BindingBlock { dataflow: block.dataflow, bindings });
        }
        SeqExpr { blocks, result: seq.result.clone() }
    }

    fn binding(&mut self, mut binding: Binding, dataflow: bool, out: &mut Vec<Binding>) {
        if let BindingValue::Expr(value) = &binding.value {
            if let ExprKind::If { condition, then, otherwise } = &value.kind {
                if let Some(taken) = self.constant(condition).as_ref().and_then(evaluate::truth) {
                    let branch = if taken { then.clone() } else { otherwise.clone() };
                    let value = value.clone();
                    return self.replace_conditional(&binding, &value, branch, dataflow, out);
                }
                let (then, otherwise) = with_stack(|| (self.sequence(then), self.sequence(otherwise)));
                let kind = ExprKind::If { condition: condition.clone(), then, otherwise };
                binding.value = BindingValue::Expr(Expr::raw(value.struct_info.clone(), kind));
            } else if let ExprKind::Function(function) = &value.kind {
                let body = with_stack(|| self.sequence(&function.body));
                let kind = ExprKind::Function(Box::new(Function { body, ..(**function).clone() }));
                binding.value = BindingValue::Expr(Expr::raw(value.struct_info.clone(), kind));
            } else if self.uses.get(&binding.var.id()).is_some_and(|uses| *uses > 0)
                && !self.written.contains(&binding.var.id())
                && let Some(constant) = self.constant(value).or_else(|| self.evaluated(value))
            {
                let value = value.clone();
                self.known.insert(binding.var.id(), constant);
                self.folded.insert(binding.var.id());
                self.count_in(&value, Count::Less);
            }
        }
        out.push(binding);
    }

    /// Replaces the conditional by the bindings of the branch that is taken.
    fn replace_conditional(
        &mut self,
        binding: &Binding,
        conditional: &Expr,
        branch: SeqExpr,
        dataflow: bool,
        out: &mut Vec<Binding>,
    ) {
        // Dataflow variables live in dataflow blocks only.
        let plain = |var: &Var| var.dataflow.then(|| Var::new(var.name.clone(), var.struct_info.clone()));
        let branch = if dataflow { None } else { rewrite(&branch, plain) }.unwrap_or(branch);
        // Uses are added before others are removed, so that values that the branch uses stay alive.
        self.count(&branch, Count::More);
        self.count_in(conditional, Count::Less);
        for block in branch.blocks {
            for inner in block.bindings {
                let origins: Origins = inner.origins.merge(&binding.origins);
                with_stack(|| self.binding(Binding { origins, ..inner }, dataflow, out));
            }
        }
        let result = Binding { value: BindingValue::Expr(branch.result), ..binding.clone() };
        self.binding(result, dataflow, out);
    }

    /// The known value of an operand, if it is known completely.
    fn constant(&self, operand: &Expr) -> Option<Expr> {
        match &operand.kind {
            ExprKind::Var(var) => self.known.get(&var.id()).cloned(),
            ExprKind::Constant(_) => Some(operand.clone()),
            ExprKind::Shape(dims) => dims.iter().all(|dim| dim.as_int().is_some()).then(|| operand.clone()),
            ExprKind::Prim(value) => evaluate::is_number(value).then(|| operand.clone()),
            ExprKind::Tuple(fields) => {
                fields.iter().map(|field| self.constant(field)).collect::<Option<_>>().map(Expr::tuple)
            }
            ExprKind::TupleGet { tuple, index } => match &self.constant(tuple)?.kind {
                ExprKind::Tuple(fields) => fields.get(*index).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The result of a call of constants.
    fn evaluated(&mut self, value: &Expr) -> Option<Expr> {
        let ExprKind::Call { callee, args, attrs, .. } = &value.kind else { return None };
        let args: Vec<Expr> = args.iter().map(|arg| self.constant(arg)).collect::<Option<_>>()?;
        evaluate::call(self.evaluator?, &mut self.computations, self.module, callee, &args, attrs, &value.struct_info)
    }

    /// The constant that a folded variable is everywhere. A tuple stays a variable's value.
    fn constant_for(&self, var: &Var) -> Option<Expr> {
        let known = self.folded.contains(&var.id()).then(|| self.known.get(&var.id()).cloned()).flatten()?;
        matches!(known.kind, ExprKind::Constant(_) | ExprKind::Shape(_) | ExprKind::Prim(_)).then_some(known)
    }

    /// The body with constants for the variables that have them.
    fn inlined(&self, body: &SeqExpr) -> SeqExpr {
        rewrite(body, |expr: &Expr| self.constant_for(expr.as_var()?)).unwrap_or_else(|| body.clone())
    }

    /// Removes the bindings of constants; inserts tuples of them.
    fn finish(&self, seq: &mut SeqExpr) {
        for block in &mut seq.blocks {
            let stays = |var: &Var| !self.dead.contains(&var.id()) && self.constant_for(var).is_none();
            block.bindings.retain(|binding| stays(&binding.var));
            for binding in &mut block.bindings {
                let BindingValue::Expr(value) = &mut binding.value else { continue };
                if self.folded.contains(&binding.var.id())
                    && let Some(constant) = self.known.get(&binding.var.id())
                {
                    *value = constant.clone();
                    continue;
                }
                if let Some(inside) = self.finish_inside(value) {
                    *value = inside;
                }
            }
        }
        seq.blocks.retain(|block| !block.bindings.is_empty());
    }

    fn finish_inside(&self, value: &Expr) -> Option<Expr> {
        let finished = |seq: &SeqExpr| {
            let mut seq = seq.clone();
            with_stack(|| self.finish(&mut seq));
            seq
        };
        let kind = match &value.kind {
            ExprKind::If { condition, then, otherwise } => {
                ExprKind::If { condition: condition.clone(), then: finished(then), otherwise: finished(otherwise) }
            }
            ExprKind::Function(function) => {
                ExprKind::Function(Box::new(Function { body: finished(&function.body), ..(**function).clone() }))
            }
            _ => return None,
        };
        Some(Expr::raw(value.struct_info.clone(), kind))
    }
}
