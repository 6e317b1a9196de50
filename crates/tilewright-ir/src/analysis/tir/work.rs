//! The cost of a call of a function: its arithmetic, and the bytes of its arguments that it reads and writes.

use std::rc::Rc;

use tilewright_expr::node::{AnyHandle, VarId, walk};
use tilewright_support::{Map, Set, with_stack};

use super::amount::Amount;
use crate::interface::KernelInterface;
use crate::tir::{BinOp, Block, Buffer, Expr, ExprKind, IterKind, PrimFunc, Stmt, StmtKind, Var, given_away};
use crate::{Attr, GlobalFunc, IRModule};

/// The attribute of a function that says how many operations it does.
const ESTIMATED: &str = "estimated_flops";

/// The cost of one call, statically. Sizes that the call decides are variables of the function.
#[derive(Clone, Debug)]
pub struct Work {
    /// The arithmetic operations on floats and integers that values of stores take, times how often the stores run.
    /// Index arithmetic does not count; of an `if` the dearer branch does; a `while` counts once.
    pub operations: Amount,
    /// Bytes of the tensors among the arguments that are read: the sum over its loads, at most the size of the tensor;
    /// the whole tensor if an unknown callee gets its address. What a reduction reads of its own sums does not count.
    pub read: Amount,
    /// Bytes of the tensors among the arguments that are written, in the same way.
    pub written: Amount,
}

/// The cost of a call of the function. A function may declare by `estimated_flops` its number of operations: something
/// else than a number there is an error.
pub fn work(function: &PrimFunc) -> Result<Work, String> {
    let interface = KernelInterface::of(function);
    let mut walker = Walker::default();
    let counted = walker.stmt(&function.body, &Rc::new(Amount::ONE));
    let (mut read, mut written) = (Amount::NOTHING, Amount::NOTHING);
    for tensor in &interface.tensors {
        let data = tensor.buffer.data.id();
        let whole = || bytes_of(&tensor.buffer);
        if walker.opaque.contains(&data) {
            let side = if tensor.written { &mut written } else { &mut read };
            *side = std::mem::replace(side, Amount::NOTHING).plus(whole());
            continue;
        }
        let Touched { loads, stores } = walker.touched.remove(&data).unwrap_or_default();
        let width = || Amount::Number(tensor.buffer.dtype.element_bytes() as f64);
        let part =
            |count: Amount| if count.number() == Some(0.0) { count } else { count.times(width()).least(whole()) };
        read = read.plus(part(loads));
        written = written.plus(part(stores));
    }
    let operations = match function.attrs.get(ESTIMATED) {
        Some(said) => Amount::Number(number(said)?),
        None => counted,
    };
    Ok(Work { operations, read, written })
}

fn number(said: &Attr) -> Result<f64, String> {
    let number = match said {
        Attr::Float(value) => Some(value.0),
        other => other.as_int().map(|value| value as f64),
    };
    number.ok_or_else(|| format!("`{ESTIMATED}` is {}, expected a number", said.in_words()))
}

/// The operations of a function whose extents are constants, as [`Work::operations`] counts them. An extent that is no
/// constant is an error.
pub fn estimate_tir_flops(function: &PrimFunc) -> Result<f64, String> {
    if let Some(said) = function.attrs.get(ESTIMATED) {
        return number(said);
    }
    let counted = Walker::default().stmt(&function.body, &Rc::new(Amount::ONE));
    counted.number().ok_or_else(|| format!("the extent of {} is no constant", counted.unknown().unwrap_or("a loop")))
}

/// The operations of all PrimFuncs of the module together.
pub fn estimate_module_flops(module: &IRModule) -> Result<f64, String> {
    module.iter().try_fold(0.0, |sum, (_, function)| match function {
        GlobalFunc::Prim(function) => Ok(sum + estimate_tir_flops(function)?),
        GlobalFunc::Relax(_) => Ok(sum),
    })
}

fn bytes_of(buffer: &Buffer) -> Amount {
    let extent = |dim: &Expr| Amount::size(|| format!("a dimension of `{}`", buffer.name), dim);
    let elements = buffer.shape.iter().map(extent).fold(Amount::ONE, Amount::times);
    elements.times(Amount::Number(buffer.dtype.element_bytes() as f64))
}

/// The number of accessed elements of a buffer.
#[derive(Clone, Debug)]
struct Touched {
    loads: Amount,
    stores: Amount,
}

impl Default for Touched {
    fn default() -> Self {
        Self { loads: Amount::NOTHING, stores: Amount::NOTHING }
    }
}

#[derive(Debug, Default)]
struct Walker {
    touched: Map<VarId, Touched>,
    /// Memory that something unknown touches.
    opaque: Set<VarId>,
    /// The memory of which a buffer is a view.
    aliases: Map<VarId, VarId>,
    /// The buffers that the enclosing blocks reduce into.
    sums: Vec<VarId>,
}

impl Walker {
    /// The operations of a statement per iteration, given the number of its iterations.
    fn stmt(&mut self, stmt: &Stmt, times: &Rc<Amount>) -> Amount {
        with_stack(|| match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                indices.iter().chain(predicate).for_each(|expr| self.loads(expr, times));
                let lanes = f64::from(value.dtype.lanes.max(1));
                let count = Amount::clone(times).times(Amount::Number(lanes));
                let stores = &mut self.touched(&buffer.data).stores;
                *stores = std::mem::replace(stores, Amount::NOTHING).plus(count);
                self.value(value, times)
            }
            StmtKind::For { var, extent, body, .. } => {
                let extent = Amount::size(|| format!("loop `{}`", var.name), extent);
                let inner = Rc::new(Amount::clone(times).times(extent.clone()));
                self.stmt(body, &inner).times(extent)
            }
            StmtKind::If { condition, then, otherwise } => {
                self.loads(condition, times);
                let then = self.stmt(then, times);
                let otherwise = otherwise.as_ref().map_or(Amount::NOTHING, |stmt| self.stmt(stmt, times));
                then.max(otherwise)
            }
            StmtKind::Let { value, body, .. } => self.value(value, times).plus(self.stmt(body, times)),
            StmtKind::Block { predicate, block, .. } => {
                self.loads(predicate, times);
                self.block(block, times)
            }
            StmtKind::Seq(stmts) => stmts.iter().fold(Amount::NOTHING, |sum, stmt| sum.plus(self.stmt(stmt, times))),
            StmtKind::Evaluate(value) => self.value(value, times),
            StmtKind::While { condition, body } => {
                self.loads(condition, times);
                self.stmt(body, times)
            }
            StmtKind::Allocate { body, .. } | StmtKind::AllocateConst { body, .. } | StmtKind::Attr { body, .. } => {
                self.stmt(body, times)
            }
            StmtKind::Assert { .. } => Amount::NOTHING,
        })
    }

    fn block(&mut self, block: &Block, times: &Rc<Amount>) -> Amount {
        for view in &block.match_buffers {
            let source = self.memory(&view.source.buffer.data);
            self.aliases.insert(view.buffer.data.id(), source);
        }
        let outside = self.sums.len();
        if block.iters.iter().any(|iter| iter.kind == IterKind::Reduce) {
            let written: Vec<VarId> = block.writes.iter().map(|region| self.memory(&region.buffer.data)).collect();
            self.sums.extend(written);
        }
        let body = self.stmt(&block.body, times);
        let operations = match &block.init {
            Some(init) => {
                let reduced = reduced(block);
                let times = Rc::new(Amount::clone(times).over(reduced.clone()));
                body.plus(self.stmt(init, &times).over(reduced))
            }
            None => body,
        };
        self.sums.truncate(outside);
        operations
    }

    /// The operations of a value; a shared node is computed once.
    fn value(&mut self, value: &Expr, times: &Rc<Amount>) -> Amount {
        self.loads(value, times);
        Amount::Number(operations(value, &mut Set::default()))
    }

    /// Counts the elements that an expression loads.
    fn loads(&mut self, expr: &Expr, times: &Rc<Amount>) {
        walk(expr, |node: &Expr| match &node.kind {
            ExprKind::Load { buffer, .. } => {
                let data = self.memory(&buffer.data);
                if !self.sums.contains(&data) {
                    let count = Amount::clone(times).times(Amount::Number(f64::from(node.dtype.lanes.max(1))));
                    let loads = &mut self.touched(&buffer.data).loads;
                    *loads = std::mem::replace(loads, Amount::NOTHING).plus(count);
                }
            }
            ExprKind::Var(var) if var.dtype.is_handle() => {
                let data = self.memory(var);
                self.opaque.insert(data);
            }
            _ => {}
        });
        given_away(expr, &mut |buffer| {
            let data = self.memory(&buffer.data);
            self.opaque.insert(data);
        });
    }

    fn memory(&self, data: &Var) -> VarId {
        self.aliases.get(&data.id()).copied().unwrap_or_else(|| data.id())
    }

    fn touched(&mut self, data: &Var) -> &mut Touched {
        let data = self.memory(data);
        self.touched.entry(data).or_default()
    }
}

/// The number of instances over which a block reduces: one of these runs the init.
fn reduced(block: &Block) -> Amount {
    let reduces = block.iters.iter().filter(|iter| iter.kind == IterKind::Reduce);
    let extents = reduces.map(|iter| Amount::size(|| format!("axis `{}`", iter.var.name), &iter.domain.extent));
    extents.fold(Amount::ONE, Amount::times)
}

fn operations(expr: &Expr, seen: &mut Set<usize>) -> f64 {
    if expr.is_shared() && !seen.insert(expr.address()) {
        return 0.0;
    }
    let lanes = f64::from(expr.dtype.lanes.max(1));
    with_stack(|| match &expr.kind {
        ExprKind::Binary(op, a, b) => {
            let counts = !matches!(op, BinOp::And | BinOp::Or);
            f64::from(u8::from(counts)) * lanes + operations(a, seen) + operations(b, seen)
        }
        ExprKind::Compare(_, a, b) => lanes + operations(a, seen) + operations(b, seen),
        ExprKind::Select { condition, then, otherwise } => {
            operations(condition, seen) + operations(then, seen).max(operations(otherwise, seen))
        }
        ExprKind::Call { args, .. } => lanes + args.iter().map(|arg| operations(arg, seen)).sum::<f64>(),
        ExprKind::Foreign { args, .. } => args.iter().map(|arg| operations(arg, seen)).sum(),
        ExprKind::Let { value, body, .. } => operations(value, seen) + operations(body, seen),
        ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Broadcast(a) | ExprKind::Reinterpret(a) => operations(a, seen),
        ExprKind::Shuffle { vectors, .. } => vectors.iter().map(|vector| operations(vector, seen)).sum(),
        _ => 0.0,
    })
}
