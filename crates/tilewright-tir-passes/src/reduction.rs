//! What a reduction does to its elements, taken apart: the operator, and the value that each instance brings.
//!
//! A reduction updates one element of one or more buffers, its *parts*. Each part either combines what is there with a
//! value by an operator that may be regrouped (`C[i] = C[i] + A[i, k]`), or all parts take the element or the value by
//! a condition on these (`argmax`). Regrouping takes the word of the block's axes: that their order does not matter.
//! Which of equal elements a choice finds, and what its comparisons make of NaN, is then the matter of the new order.

use tilewright_expr::node::rewrite;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{BinOp, Block, Buffer, Expr, ExprKind, Intrinsic, Stmt, StmtKind, TypeMismatch, Var};
use tilewright_support::with_stack;

use crate::stmt::{mentions, uses_memory};
use crate::substitute::Substitute;

/// An element that the reduction updates.
#[derive(Clone, Debug)]
pub struct Part {
    pub buffer: Buffer,
    pub indices: Vec<Expr>,
    /// What an instance brings.
    pub value: Expr,
    /// What the element is before the first instance.
    pub init: Expr,
    /// The operator; `None` where a condition chooses.
    pub op: Option<BinOp>,
}

/// A reduction's parts, and how each combines what is there with what comes.
#[derive(Clone, Debug)]
pub struct Reducer {
    pub parts: Vec<Part>,
    /// What is there.
    old: Vec<Var>,
    /// What comes.
    new: Vec<Var>,
    /// The updated elements, of these.
    results: Vec<Expr>,
}

/// The operator and the other operand of an update of one element, which does not read the buffer elsewhere.
pub fn update_of(buffer: &Buffer, indices: &[Expr], value: &Expr) -> Option<(BinOp, Expr)> {
    let ExprKind::Binary(op, a, b) = &value.kind else { return None };
    let is_element = |e: &Expr| {
        matches!(&e.kind, ExprKind::Load { buffer: read, indices: at, predicate: None }
            if read == buffer && same_indices(at, indices))
    };
    let other = match (is_element(a), is_element(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    (!is_in(buffer, other)).then(|| (*op, other.clone()))
}

/// Whether a buffer, or another one on its memory, stands in an expression.
pub fn is_in(buffer: &Buffer, value: &Expr) -> bool {
    uses_memory(value, &buffer.data)
}

/// A store: buffer, indices, value.
type Store = (Buffer, Vec<Expr>, Expr);

impl Reducer {
    /// The reduction of a block that has an init; the error says why it is none that may be regrouped.
    pub fn of(block: &Block) -> Result<Self, String> {
        match &block.init {
            Some(_) => Self::going_on(block),
            None => Err(format!("block `{}` has no init", block.name)),
        }
    }

    /// The reduction of a block that may go on from what is there: without an init its parts begin with what changes
    /// nothing.
    pub fn going_on(block: &Block) -> Result<Self, String> {
        let name = &block.name;
        let updates = stores(&block.body).ok_or_else(|| {
            format!("the body of block `{name}` is not one store, or stores of values that are computed before them")
        })?;
        let inits = block.init.as_ref().map(|init| {
            stores(init).ok_or_else(|| format!("the init of block `{name}` is not a store of each element"))
        });
        let inits = inits.transpose()?;
        let old: Vec<Var> = updates.iter().map(|(buffer, ..)| Var::new("old", buffer.dtype)).collect();
        let new: Vec<Var> = old.iter().map(|var| Var::new("new", var.dtype)).collect();
        let mut parts = Vec::with_capacity(updates.len());
        for ((buffer, indices, value), own) in updates.iter().zip(&old) {
            let value = with_elements(value, &updates, &old);
            let (op, value) = brought(&value, own, &old).ok_or_else(|| no_operator(buffer, block))?;
            let same = |(other, at, _): &&Store| other == buffer && at.iter().zip(indices).all(|(a, b)| a.equal(b));
            let init = match &inits {
                Some(inits) => inits.iter().find(same).map(|(_, _, init)| init.clone()),
                None => op.and_then(|op| op.identity(buffer.dtype)),
            };
            let init = init.ok_or_else(|| format!("block `{name}` does not begin the element of `{}`", buffer.name))?;
            parts.push(Part { buffer: buffer.clone(), indices: indices.clone(), value, init, op });
        }
        let reads_others = parts.iter().any(|part| updates.iter().any(|(buffer, ..)| is_in(buffer, &part.value)));
        if reads_others || inits.is_some_and(|inits| inits.len() != parts.len()) {
            return Err(format!("block `{name}` reads other elements of what it writes"));
        }
        let all = Abstract { parts: &parts, old: &old, new: &new };
        let results = updates.iter().map(|(buffer, _, value)| {
            all.expr(&with_elements(value, &updates, &old)).ok_or_else(|| no_operator(buffer, block))
        });
        let results = results.collect::<Result<Vec<_>, String>>()?;
        Ok(Self { parts, old, new, results })
    }

    /// The updated elements, where these are there and these come.
    pub fn combined(&self, old: &[Expr], new: &[Expr]) -> Vec<Expr> {
        let vars = self.old.iter().chain(&self.new).cloned();
        let values: Vec<(Var, Expr)> = vars.zip(old.iter().chain(new).cloned()).collect();
        self.results.iter().map(|result| substituted(result, &values)).collect()
    }
}

impl Part {
    /// What changes nothing where it is combined with: the element's own init, which an operator or a choice that takes
    /// the same twice as once never tells from one more of the same, and which for others it often is.
    pub fn neutral(&self) -> Expr {
        let zero = || match &self.init.kind {
            ExprKind::Float(value) if value.0 == 0.0 => self.init.clone(),
            // Of the two zeros, the one that leaves either as it is.
            _ if self.init.dtype.is_float() => Expr::float(-0.0, self.init.dtype),
            _ => Expr::int(0, self.init.dtype),
        };
        match self.op {
            Some(BinOp::Add | BinOp::BitXor) => zero(),
            Some(BinOp::Mul) => Expr::number(1, self.init.dtype),
            _ => self.init.clone(),
        }
    }
}

fn no_operator(buffer: &Buffer, block: &Block) -> String {
    format!(
        "what block `{}` does to an element of `{}` is no sum, product, minimum, maximum, `and`, `or` or choice by comparison",
        block.name, buffer.name
    )
}

/// The stores of a statement that does nothing else, with the values of its lets in place of these.
fn stores(stmt: &Stmt) -> Option<Vec<Store>> {
    let (mut lets, mut here) = (Vec::new(), stmt);
    while let StmtKind::Let { var, value, body } = &here.kind {
        lets.push((var.clone(), substituted(value, &lets)));
        here = body;
    }
    let all: Vec<&Stmt> = match &here.kind {
        StmtKind::Seq(stmts) => stmts.iter().collect(),
        _ => vec![here],
    };
    let mut found: Vec<Store> = Vec::with_capacity(all.len());
    for stmt in all {
        let StmtKind::Store { buffer, indices, value, predicate: None } = &stmt.kind else { return None };
        // What a value reads must be what was there before the first store.
        if found.iter().any(|(stored, ..)| is_in(stored, value)) {
            return None;
        }
        found.push((buffer.clone(), indices.clone(), substituted(value, &lets)));
    }
    (!found.is_empty()).then_some(found)
}

/// The expression with values substituted for variables.
fn substituted(expr: &Expr, values: &[(Var, Expr)]) -> Expr {
    let mut all = Substitute::default();
    all.values.extend(values.iter().map(|(var, value)| (var.id(), value.clone())));
    all.apply(expr)
}

/// The value with variables in place of loads of the elements that are updated.
fn with_elements(value: &Expr, updates: &[Store], old: &[Var]) -> Expr {
    let element = |expr: &Expr| {
        let ExprKind::Load { buffer, indices, predicate: None } = &expr.kind else { return None };
        let own = updates.iter().position(|(own, at, _)| own == buffer && same_indices(indices, at))?;
        old.get(own).map(Expr::var)
    };
    rewrite(value, element).unwrap_or_else(|| value.clone())
}

/// Condition and branches of a choice.
fn choice(value: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    match &value.kind {
        ExprKind::Select { condition, then, otherwise } => Some((condition, then, otherwise)),
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, then, otherwise] => Some((condition, then, otherwise)),
            _ => None,
        },
        _ => None,
    }
}

/// The operator of an update and what is combined with the element; no operator where a condition chooses.
fn brought(value: &Expr, own: &Var, old: &[Var]) -> Option<(Option<BinOp>, Expr)> {
    let (op, a, b) = match &value.kind {
        ExprKind::Binary(op, a, b) if is_regroupable(*op) => (Some(*op), a, b),
        _ => choice(value).map(|(_, then, otherwise)| (None, then, otherwise))?,
    };
    let other = match (a.as_var() == Some(own), b.as_var() == Some(own)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    (!mentions(other, old)).then(|| (op, other.clone()))
}

fn is_regroupable(op: BinOp) -> bool {
    use BinOp::{Add, And, BitAnd, BitOr, BitXor, Max, Min, Mul, Or};
    matches!(op, Add | Mul | Min | Max | And | Or | BitAnd | BitOr | BitXor)
}

/// Expressions of elements and what is combined with them, as expressions of variables.
struct Abstract<'a> {
    parts: &'a [Part],
    old: &'a [Var],
    new: &'a [Var],
}

impl Abstract<'_> {
    fn expr(&self, expr: &Expr) -> Option<Expr> {
        if expr.as_var().is_some_and(|var| self.old.contains(var)) {
            return Some(expr.clone());
        }
        if let Some(at) = self.parts.iter().position(|part| part.value.equal(expr)) {
            return self.new.get(at).map(Expr::var);
        }
        let two = |a: &Expr, b: &Expr| Some((with_stack(|| self.expr(a))?, with_stack(|| self.expr(b))?));
        let typed = |result: Result<Expr, TypeMismatch>| result.ok();
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => Some(expr.clone()),
            ExprKind::Binary(op, a, b) if is_regroupable(*op) => {
                two(a, b).and_then(|(a, b)| typed(Expr::binary(*op, &a, &b)))
            }
            ExprKind::Compare(op, a, b) => two(a, b).and_then(|(a, b)| typed(Expr::compare(*op, &a, &b))),
            ExprKind::Not(a) => self.expr(a).and_then(|a| typed(a.not())),
            ExprKind::Select { condition, then, otherwise } => {
                let (then, otherwise) = two(then, otherwise)?;
                typed(Expr::select(&self.expr(condition)?, &then, &otherwise))
            }
            ExprKind::Call { intrinsic: intrinsic @ (Intrinsic::IfThenElse | Intrinsic::IsNan), args } => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Option<Vec<_>>>()?;
                typed(Expr::call(*intrinsic, &args))
            }
            _ => None,
        }
    }
}
