//! The way down an expression: each distinct node becomes an interned one, children first.

use tilewright_expr::node::AnyHandle;
use tilewright_expr::semantics::{self, Scalar};
use tilewright_expr::{BinOp, Expr, ExprKind, Intrinsic, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use crate::linear::Linear;
use crate::session::{Id, Key, Session, Tag, is_index_type};

impl Session<'_> {
    /// The canonical node of an expression. Chains of operations are walked, not recursed into.
    pub(crate) fn simplify(&mut self, expr: &Expr) -> Id {
        let mut spine: Vec<(&Expr, BinOp, &Expr)> = Vec::new();
        let mut at = expr;
        let mut id = loop {
            if at.is_shared()
                && let Some((_, id)) = self.memo.get(&at.address())
            {
                break *id;
            }
            match &at.kind {
                ExprKind::Binary(op, a, b) if !(is_index_type(at.dtype) && Self::is_sum(at)) => {
                    spine.push((at, *op, b));
                    at = a;
                }
                _ => {
                    let id = with_stack(|| self.simplify_node(at));
                    self.remember(at, id);
                    break id;
                }
            }
        };
        while let Some((whole, op, right)) = spine.pop() {
            let right = with_stack(|| self.simplify(right));
            id = self.simplify_step(op, id, right);
            self.remember(whole, id);
        }
        id
    }

    fn remember(&mut self, expr: &Expr, id: Id) {
        if expr.is_shared() {
            self.memo.insert(expr.address(), (expr.clone(), id));
        }
    }

    /// Operations but sums of index expressions.
    fn simplify_step(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        if op == BinOp::Mul && is_index_type(dtype) {
            let product = self.product(a, b);
            return match product.overflow {
                true => self.make(dtype, Tag::Binary(op), vec![a, b]),
                false => self.sum(product, dtype),
            };
        }
        self.binary(op, a, b)
    }

    fn simplify_node(&mut self, expr: &Expr) -> Id {
        let dtype = expr.dtype;
        match &expr.kind {
            ExprKind::Int(value) => self.int(*value, dtype),
            ExprKind::Float(value) => self.float(value.0, dtype),
            ExprKind::Str(text) => self.make(dtype, Tag::Str(text.clone()), Vec::new()),
            ExprKind::Var(var) => self.leaf(var, expr),
            ExprKind::Binary(op, a, b) => self.simplify_sum(expr, *op, a, b),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.simplify(a), self.simplify(b));
                self.compare(*op, a, b)
            }
            ExprKind::Not(a) => {
                let a = self.simplify(a);
                self.not(a)
            }
            ExprKind::Select { condition, then, otherwise } => {
                let ids = [condition, then, otherwise].map(|e| self.simplify(e));
                self.select(Tag::Select, ids)
            }
            ExprKind::Cast(a) => {
                let a = self.simplify(a);
                self.cast(a, dtype)
            }
            ExprKind::Load { buffer, indices, predicate } => {
                let mut ids: Vec<Id> = indices.iter().map(|e| self.simplify(e)).collect();
                let predicate = predicate.as_ref().map(|p| self.simplify(p));
                let predicate = predicate.filter(|&p| self.lane_value(p) != Some(1));
                ids.extend(predicate);
                self.make(dtype, Tag::Load(buffer.clone(), predicate.is_some()), ids)
            }
            ExprKind::Ramp { base, stride } => {
                let ids = [base, stride].map(|e| self.simplify(e));
                self.ramp(ids[0], ids[1], dtype)
            }
            ExprKind::Broadcast(a) => {
                let a = self.simplify(a);
                self.make(dtype, Tag::Broadcast, vec![a])
            }
            ExprKind::Shuffle { vectors, lanes } => {
                let ids = vectors.iter().map(|e| self.simplify(e)).collect();
                self.shuffle(ids, lanes, dtype)
            }
            ExprKind::Let { var, value, body } => self.simplify_let(var, value, body),
            ExprKind::Call { intrinsic, args } => {
                let ids: Vec<Id> = args.iter().map(|e| self.simplify(e)).collect();
                self.call(*intrinsic, ids, dtype)
            }
            ExprKind::Reinterpret(a) => {
                let a = self.simplify(a);
                self.make(dtype, Tag::Reinterpret, vec![a])
            }
            ExprKind::AddressOf { buffer, indices } => {
                let ids = indices.iter().map(|e| self.simplify(e)).collect();
                self.make(dtype, Tag::AddressOf(buffer.clone()), ids)
            }
            ExprKind::Foreign { callee, args } => {
                let ids = args.iter().map(|e| self.simplify(e)).collect();
                self.foreign.push(expr.clone());
                self.make(dtype, Tag::Foreign(callee.clone(), expr.address()), ids)
            }
        }
    }

    fn leaf(&mut self, var: &Var, expr: &Expr) -> Id {
        if let Some(&id) = self.replaced.get(&var.id()) {
            return id;
        }
        let key = Key { dtype: var.dtype, tag: Tag::Var(var.id()), ids: Vec::new() };
        if let Some(&id) = self.table.get(&key) {
            return id;
        }
        if let Some(value) = self.facts.replacement(var.id()) {
            let id = self.simplify(&value);
            self.replaced.insert(var.id(), id);
            return id;
        }
        // A variable with one possible value is that value.
        if let Some(value) = self.facts.var_bounds(var.id()).value()
            && is_index_type(var.dtype)
            && !self.facts.keeps_variables()
        {
            return self.int(value, var.dtype);
        }
        self.intern(key, expr.clone())
    }

    fn simplify_let(&mut self, var: &Var, value: &Expr, body: &Expr) -> Id {
        let value = self.simplify(value);
        let node = self.node(value);
        if matches!(node.tag, Tag::Int(_) | Tag::Float(_) | Tag::Var(_)) {
            self.replaced.insert(var.id(), value);
            return self.simplify(body);
        }
        self.local.insert(var.id(), (node.bounds, node.index && is_index_type(var.dtype)));
        let body = self.simplify(body);
        let dtype = self.dtype(body);
        self.make(dtype, Tag::Let(var.clone()), vec![value, body])
    }

    /// A sum of index expressions.
    fn simplify_sum(&mut self, expr: &Expr, op: BinOp, a: &Expr, b: &Expr) -> Id {
        let mut linear = Linear::default();
        self.flatten(expr, &mut linear);
        let linear = linear.finish();
        if !linear.overflow {
            return self.sum(linear, expr.dtype);
        }
        let ids = vec![self.simplify(a), self.simplify(b)];
        self.make(expr.dtype, Tag::Binary(op), ids)
    }

    fn call(&mut self, intrinsic: Intrinsic, ids: Vec<Id>, dtype: DataType) -> Id {
        if intrinsic == Intrinsic::IfThenElse
            && let &[condition, then, otherwise] = ids.as_slice()
        {
            return self.select(Tag::Call(intrinsic), [condition, then, otherwise]);
        }
        let constants: Option<Vec<Scalar>> = ids.iter().map(|&id| self.scalar(id)).collect();
        match constants.map(|args| semantics::intrinsic(intrinsic, &args)) {
            Some(Ok(value)) => self.constant(value),
            _ => self.make(dtype, Tag::Call(intrinsic), ids),
        }
    }
}
