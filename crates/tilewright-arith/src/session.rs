//! One simplification: every distinct node is interned once, so that equality is identity and sharing costs nothing.

use std::rc::Rc;
use std::sync::Arc;

use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_expr::semantics::{self, Scalar};
use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForeignCallee, Intrinsic, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use crate::analyzer::Analyzer;
use crate::bounds::IntBounds;
use crate::linear::Linear;

/// The number of an interned node.
pub(crate) type Id = u32;

/// Shared sums with more terms than this are not written out again where they are used.
const SHARED_TERMS: usize = 64;
/// Products of sums are written out up to this many terms.
const PRODUCT_TERMS: usize = 12;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Tag {
    Int(i64),
    Float(u64),
    Str(Arc<str>),
    Var(VarId),
    Binary(BinOp),
    Compare(CmpOp),
    Not,
    Select,
    Cast,
    Load(Buffer, bool),
    Ramp,
    Broadcast,
    Shuffle(Vec<usize>),
    Let(Var),
    Call(Intrinsic),
    Reinterpret,
    AddressOf(Buffer),
    /// The callee, and the address of the original node: two calls of one function are two calls.
    Foreign(ForeignCallee, usize),
    /// Coefficients of the children, and the constant.
    Linear(Vec<i64>, i64),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    dtype: DataType,
    tag: Tag,
    ids: Vec<Id>,
}

pub(crate) struct Node {
    pub(crate) expr: Expr,
    pub(crate) bounds: IntBounds,
    /// Made of variables and constants only: arithmetic over the mathematical integers.
    pub(crate) index: bool,
    /// The value is the mathematical one, even if it comes from memory: nothing wrapped around.
    pub(crate) exact: bool,
    pub(crate) tag: Tag,
    pub(crate) ids: Vec<Id>,
}

/// What a session is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The result is wanted: it never has more operations than the original.
    Output,
    /// Only a truth is wanted: products are written out and conversions between index types are looked through.
    Proof,
}

pub(crate) struct Session<'a> {
    pub(crate) facts: &'a Analyzer,
    pub(crate) mode: Mode,
    nodes: Vec<Node>,
    table: Map<Key, Id>,
    /// Results by address of the shared input, which is kept alive.
    memo: Map<usize, (Expr, Id)>,
    forms: Map<Id, Rc<Linear>>,
    /// Foreign calls, kept alive so that their addresses stay theirs.
    foreign: Vec<Expr>,
    /// Variables of `Let` that stand for their value.
    replaced: Map<VarId, Id>,
    /// Variables of `Let` that stay.
    local: Map<VarId, (IntBounds, bool)>,
    pub(crate) assumed: Option<Rc<Vec<Linear>>>,
}

pub(crate) fn is_index_type(dtype: DataType) -> bool {
    dtype == DataType::I32 || dtype == DataType::I64
}

impl<'a> Session<'a> {
    pub(crate) fn new(facts: &'a Analyzer, mode: Mode) -> Self {
        Self {
            facts,
            mode,
            nodes: Vec::new(),
            table: Map::default(),
            memo: Map::default(),
            forms: Map::default(),
            foreign: Vec::new(),
            replaced: Map::default(),
            local: Map::default(),
            assumed: None,
        }
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn expr(&self, id: Id) -> Expr {
        self.node(id).expr.clone()
    }

    pub(crate) fn dtype(&self, id: Id) -> DataType {
        self.node(id).expr.dtype
    }

    /// The node's sum: of one term, itself, unless it is a sum or a constant.
    pub(crate) fn form(&mut self, id: Id) -> Rc<Linear> {
        if let Some(form) = self.forms.get(&id) {
            return form.clone();
        }
        let form = Rc::new(match self.node(id).expr.as_int() {
            Some(value) => Linear::constant(value),
            None => Linear::atom(id),
        });
        self.forms.insert(id, form.clone());
        form
    }

    /// Interns a node whose children are interned.
    pub(crate) fn make(&mut self, dtype: DataType, tag: Tag, ids: Vec<Id>) -> Id {
        let key = Key { dtype, tag, ids };
        if let Some(&id) = self.table.get(&key) {
            return id;
        }
        let expr = self.build(dtype, &key.tag, &key.ids);
        self.intern(key, expr)
    }

    fn intern(&mut self, key: Key, expr: Expr) -> Id {
        let of_type = IntBounds::of_type(key.dtype);
        let raw = if key.dtype.is_float() { IntBounds::ANY } else { self.bounds_of(key.dtype, &key.tag, &key.ids) };
        let index = self.index_of(key.dtype, &key.tag, &key.ids);
        let fits = raw.within(of_type);
        let leaf = matches!(key.tag, Tag::Load(..) | Tag::Var(_) | Tag::Int(_) | Tag::Cast | Tag::Compare(_));
        let exact = index || leaf || (fits && key.ids.iter().all(|&id| self.node(id).exact));
        let bounds = match () {
            () if index => raw,
            () if fits && exact => raw,
            () => of_type,
        };
        let id = self.nodes.len() as Id;
        self.nodes.push(Node { expr, bounds, index, exact, tag: key.tag.clone(), ids: key.ids.clone() });
        self.table.insert(key, id);
        id
    }

    pub(crate) fn int(&mut self, value: i64, dtype: DataType) -> Id {
        self.make(dtype, Tag::Int(semantics::wrap(value, dtype)), Vec::new())
    }

    pub(crate) fn bool(&mut self, value: bool) -> Id {
        self.int(i64::from(value), DataType::BOOL)
    }

    pub(crate) fn float(&mut self, value: f64, dtype: DataType) -> Id {
        self.make(dtype, Tag::Float(value.to_bits()), Vec::new())
    }

    pub(crate) fn find_quotient(&self, x: Id, c: i64) -> Option<Id> {
        let dtype = self.dtype(x);
        let c = *self.table.get(&Key { dtype, tag: Tag::Int(c), ids: Vec::new() })?;
        self.table.get(&Key { dtype, tag: Tag::Binary(BinOp::FloorDiv), ids: vec![x, c] }).copied()
    }

    /// `x` and `c` of `x % c`, a constant.
    pub(crate) fn remainder_parts(&self, id: Id) -> Option<(Id, i64)> {
        self.divided_by_constant(id, BinOp::FloorMod)
    }

    /// `x` and `c` of `x op c`, a positive constant.
    pub(crate) fn divided_by_constant(&self, id: Id, op: BinOp) -> Option<(Id, i64)> {
        let node = self.node(id);
        match (&node.tag, node.ids.as_slice()) {
            (Tag::Binary(found), &[x, c]) if *found == op => {
                self.node(c).expr.as_int().filter(|&c| c > 0).map(|c| (x, c))
            }
            _ => None,
        }
    }

    fn index_of(&self, dtype: DataType, tag: &Tag, ids: &[Id]) -> bool {
        let children = || ids.iter().all(|&id| self.node(id).index);
        match tag {
            Tag::Int(_) => true,
            Tag::Var(id) => match self.local.get(id) {
                Some(&(_, index)) => index,
                None => is_index_type(dtype) && !self.facts.is_element(*id),
            },
            Tag::Float(_) | Tag::Str(_) | Tag::Load(..) => false,
            Tag::Reinterpret | Tag::AddressOf(_) | Tag::Foreign(..) => false,
            Tag::Call(intrinsic) => *intrinsic == Intrinsic::IfThenElse && children(),
            Tag::Cast => is_index_type(dtype.element()) && children(),
            Tag::Binary(_) | Tag::Linear(..) => (is_index_type(dtype.element()) || dtype.is_bool()) && children(),
            Tag::Let(_) | Tag::Compare(_) | Tag::Not | Tag::Select => children(),
            Tag::Ramp | Tag::Broadcast | Tag::Shuffle(_) => children(),
        }
    }

    fn bounds_of(&self, dtype: DataType, tag: &Tag, ids: &[Id]) -> IntBounds {
        let at = |i: usize| self.node(ids[i]).bounds;
        let of_type = IntBounds::of_type(dtype);
        match tag {
            Tag::Int(value) if dtype.is_signed() || *value >= 0 => IntBounds::constant(*value),
            Tag::Var(id) => {
                let known = self.local.get(id).map_or_else(|| self.facts.var_bounds(*id), |&(bounds, _)| bounds);
                known.meet(of_type)
            }
            Tag::Linear(coefficients, constant) => ids
                .iter()
                .zip(coefficients)
                .fold(IntBounds::constant(*constant), |sum, (&id, &c)| sum.plus(self.node(id).bounds.scaled(c))),
            Tag::Binary(op) => crate::divide::binary_bounds(*op, at(0), at(1)).unwrap_or(of_type),
            Tag::Select => at(1).hull(at(2)),
            Tag::Call(Intrinsic::IfThenElse) => at(1).hull(at(2)),
            Tag::Cast if self.dtype(ids[0]).is_float() => of_type,
            Tag::Cast if at(0).within(of_type) && self.dtype(ids[0]).bits <= dtype.bits.max(63) => at(0),
            Tag::Cast if self.node(ids[0]).index && dtype == DataType::I64 => at(0),
            Tag::Let(_) => at(1),
            Tag::Broadcast => at(0),
            Tag::Ramp => at(0).hull(at(0).plus(at(1).scaled(i64::from(dtype.lanes) - 1))),
            _ => of_type,
        }
    }

    fn build(&self, dtype: DataType, tag: &Tag, ids: &[Id]) -> Expr {
        let at = |i: usize| self.expr(ids[i]);
        let all = || ids.iter().map(|&id| self.expr(id)).collect::<Vec<_>>();
        let kind = match tag {
            Tag::Int(value) => ExprKind::Int(*value),
            Tag::Float(bits) => ExprKind::Float(tilewright_expr::node::FloatBits(f64::from_bits(*bits))),
            Tag::Str(text) => ExprKind::Str(text.clone()),
            Tag::Binary(op) => ExprKind::Binary(*op, at(0), at(1)),
            Tag::Compare(op) => ExprKind::Compare(*op, at(0), at(1)),
            Tag::Not => ExprKind::Not(at(0)),
            Tag::Select => ExprKind::Select { condition: at(0), then: at(1), otherwise: at(2) },
            Tag::Cast => ExprKind::Cast(at(0)),
            Tag::Load(buffer, masked) => {
                let mut indices = all();
                let predicate = if *masked { indices.pop() } else { None };
                ExprKind::Load { buffer: buffer.clone(), indices, predicate }
            }
            Tag::Ramp => ExprKind::Ramp { base: at(0), stride: at(1) },
            Tag::Broadcast => ExprKind::Broadcast(at(0)),
            Tag::Shuffle(lanes) => ExprKind::Shuffle { vectors: all(), lanes: lanes.clone() },
            Tag::Let(var) => ExprKind::Let { var: var.clone(), value: at(0), body: at(1) },
            Tag::Call(intrinsic) => ExprKind::Call { intrinsic: *intrinsic, args: all() },
            Tag::Reinterpret => ExprKind::Reinterpret(at(0)),
            Tag::AddressOf(buffer) => ExprKind::AddressOf { buffer: buffer.clone(), indices: all() },
            Tag::Foreign(callee, _) => ExprKind::Foreign { callee: callee.clone(), args: all() },
            Tag::Linear(coefficients, constant) => return self.build_sum(dtype, ids, coefficients, *constant),
            // Interned with its expression in `leaf`.
            Tag::Var(_) => ExprKind::Int(0),
        };
        Expr::raw(dtype, kind)
    }

    /// Positive terms first, so that no negation is needed.
    fn build_sum(&self, dtype: DataType, ids: &[Id], coefficients: &[i64], constant: i64) -> Expr {
        let binary = |op, a: Expr, b: Expr| Expr::raw(dtype, ExprKind::Binary(op, a, b));
        let number = |value: i64| Expr::int(value, dtype);
        let times = |id: Id, c: i64| match c {
            1 => self.expr(id),
            _ => binary(BinOp::Mul, self.expr(id), number(c)),
        };
        let mut terms: Vec<(Id, i64)> = ids.iter().copied().zip(coefficients.iter().copied()).collect();
        let (mut sum, mut constant) = (None, constant);
        match terms.iter().position(|&(_, c)| c > 0) {
            Some(first) => terms[..=first].rotate_right(1),
            None => {
                sum = Some(constant).filter(|&c| c != 0).map(number);
                constant = 0;
            }
        }
        for (id, c) in terms {
            sum = Some(match sum {
                None => times(id, c),
                Some(sum) if c < 0 && c != i64::MIN => binary(BinOp::Sub, sum, times(id, -c)),
                Some(sum) => binary(BinOp::Add, sum, times(id, c)),
            });
        }
        let sum = sum.unwrap_or_else(|| number(0));
        match constant {
            0 => sum,
            c if c < 0 && c != i64::MIN => binary(BinOp::Sub, sum, number(-c)),
            c => binary(BinOp::Add, sum, number(c)),
        }
    }

    /// The node of a finished sum.
    pub(crate) fn sum(&mut self, linear: Linear, dtype: DataType) -> Id {
        let linear = self.joined(linear);
        if linear.terms.is_empty() {
            return self.int(linear.constant, dtype);
        }
        if let (1, 0, Some((&id, &1))) = (linear.terms.len(), linear.constant, linear.terms.first()) {
            return id;
        }
        let ids: Vec<Id> = linear.terms.keys().copied().collect();
        let tag = Tag::Linear(linear.terms.values().copied().collect(), linear.constant);
        let id = self.make(dtype, tag, ids);
        self.forms.insert(id, Rc::new(linear));
        id
    }

    /// The canonical node of an expression.
    pub(crate) fn simplify(&mut self, expr: &Expr) -> Id {
        if !expr.is_shared() {
            return with_stack(|| self.simplify_node(expr));
        }
        if let Some((_, id)) = self.memo.get(&expr.address()) {
            return *id;
        }
        let id = with_stack(|| self.simplify_node(expr));
        self.memo.insert(expr.address(), (expr.clone(), id));
        id
    }

    fn simplify_node(&mut self, expr: &Expr) -> Id {
        let dtype = expr.dtype;
        match &expr.kind {
            ExprKind::Int(value) => self.int(*value, dtype),
            ExprKind::Float(value) => self.float(value.0, dtype),
            ExprKind::Str(text) => self.make(dtype, Tag::Str(text.clone()), Vec::new()),
            ExprKind::Var(var) => self.leaf(var, expr),
            ExprKind::Binary(op, a, b) => self.simplify_binary(expr, *op, a, b),
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
                self.make(dtype, Tag::Shuffle(lanes.clone()), ids)
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
        // A variable with one possible value is that value.
        if let Some(value) = self.facts.var_bounds(var.id()).value()
            && is_index_type(var.dtype)
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

    fn simplify_binary(&mut self, expr: &Expr, op: BinOp, a: &Expr, b: &Expr) -> Id {
        if is_index_type(expr.dtype) && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
            let mut linear = Linear::default();
            self.flatten(expr, 1, &mut linear, true);
            let linear = linear.finish();
            if !linear.overflow {
                return self.sum(linear, expr.dtype);
            }
            let ids = vec![self.simplify(a), self.simplify(b)];
            return self.make(expr.dtype, Tag::Binary(op), ids);
        }
        let (a, b) = (self.simplify(a), self.simplify(b));
        self.binary(op, a, b)
    }

    /// Adds `factor · expr` to the sum without a sum for each of its parts: long chains stay linear.
    fn flatten(&mut self, expr: &Expr, factor: i64, sum: &mut Linear, top: bool) {
        if !top && expr.is_shared() {
            let id = self.simplify(expr);
            return self.add_node(id, factor, sum, SHARED_TERMS);
        }
        let scaled = |c: i64| c.checked_mul(factor);
        match &expr.kind {
            ExprKind::Int(value) => sum.add_constant(*value, factor),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => with_stack(|| {
                self.flatten(a, factor, sum, false);
                let sign = if *op == BinOp::Sub { -1 } else { 1 };
                match scaled(sign) {
                    Some(factor) => self.flatten(b, factor, sum, false),
                    None => sum.overflow = true,
                }
            }),
            ExprKind::Binary(BinOp::Mul, a, b) => with_stack(|| match (a.as_int(), b.as_int()) {
                (_, Some(c)) if scaled(c).is_some() => self.flatten(a, c * factor, sum, false),
                (Some(c), _) if scaled(c).is_some() => self.flatten(b, c * factor, sum, false),
                _ => {
                    let (a, b) = (self.simplify(a), self.simplify(b));
                    let product = self.product(a, b);
                    sum.add(&product, factor);
                }
            }),
            _ => {
                let id = self.simplify(expr);
                self.add_node(id, factor, sum, usize::MAX);
            }
        }
    }

    fn add_node(&mut self, id: Id, factor: i64, sum: &mut Linear, limit: usize) {
        let form = self.form(id);
        if form.terms.len() > limit {
            return match factor {
                0 => {}
                _ => sum.add_term(id, factor),
            };
        }
        sum.add(&form, factor);
    }

    fn product(&mut self, a: Id, b: Id) -> Linear {
        let (x, y) = (self.form(a), self.form(b));
        // c · (a + b) = c·a + c·b
        if let Some(c) = x.as_constant() {
            return y.scaled(c);
        }
        if let Some(c) = y.as_constant() {
            return x.scaled(c);
        }
        let terms = (x.terms.len() + 1) * (y.terms.len() + 1);
        let single = x.terms.len() == 1 && y.terms.len() == 1 && x.constant == 0 && y.constant == 0;
        if single || (self.mode == Mode::Proof && terms <= PRODUCT_TERMS) {
            return self.multiply(&x, &y);
        }
        let dtype = self.dtype(a);
        Linear::atom(self.make(dtype, Tag::Binary(BinOp::Mul), vec![a.min(b), a.max(b)]))
    }

    /// The product of two atoms, its factors in the order of their first appearance.
    pub(crate) fn monomial(&mut self, a: Id, b: Id) -> Id {
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        factors.sort_unstable();
        let dtype = self.dtype(a);
        let first = factors[0];
        factors[1..].iter().fold(first, |product, &f| self.make(dtype, Tag::Binary(BinOp::Mul), vec![product, f]))
    }

    pub(crate) fn factors(&self, id: Id) -> Vec<Id> {
        let mut left = id;
        let mut factors = Vec::new();
        while let (Tag::Binary(BinOp::Mul), &[a, b]) = (&self.node(left).tag, self.node(left).ids.as_slice()) {
            factors.push(b);
            left = a;
        }
        factors.push(left);
        factors.reverse();
        factors
    }

    /// The constant in every lane, or the constant itself.
    pub(crate) fn lane_value(&self, id: Id) -> Option<i64> {
        let node = self.node(id);
        match node.tag {
            Tag::Int(value) => Some(value),
            Tag::Broadcast => self.lane_value(node.ids[0]),
            _ => None,
        }
    }

    /// The constant as the table of semantics sees it.
    pub(crate) fn scalar(&self, id: Id) -> Option<Scalar> {
        let dtype = self.dtype(id);
        match self.node(id).tag {
            Tag::Int(value) => Some(Scalar::from_int(value, dtype)),
            Tag::Float(bits) => Some(Scalar::from_float(f64::from_bits(bits), dtype)),
            _ => None,
        }
    }

    pub(crate) fn constant(&mut self, value: Scalar) -> Id {
        let dtype = value.dtype();
        if dtype.is_float() { self.float(value.as_float(), dtype) } else { self.int(value.as_int(), dtype) }
    }

    fn cast(&mut self, a: Id, dtype: DataType) -> Id {
        let from = self.dtype(a);
        if from == dtype {
            return a;
        }
        if let Some(value) = self.scalar(a)
            && dtype.is_scalar()
        {
            return self.constant(semantics::cast(value, dtype));
        }
        let indices = is_index_type(from) && is_index_type(dtype);
        if indices {
            // int32(int64(x)) = x, and int64(int32(x)) = x where x fits
            if let Tag::Cast = self.node(a).tag {
                let inner = self.node(a).ids[0];
                if self.dtype(inner) == dtype
                    && (from == DataType::I64 || self.node(inner).bounds.within(IntBounds::of_type(from)))
                {
                    return inner;
                }
            }
            if self.mode == Mode::Proof && self.node(a).index && (dtype == DataType::I64 || self.fits(a, dtype)) {
                return a;
            }
        }
        match self.node(a).tag {
            // cast(broadcast(x)) = broadcast(cast(x))
            Tag::Broadcast => {
                let inner = self.node(a).ids[0];
                let inner = self.cast(inner, dtype.element());
                self.make(dtype, Tag::Broadcast, vec![inner])
            }
            _ => self.make(dtype, Tag::Cast, vec![a]),
        }
    }

    fn fits(&self, id: Id, dtype: DataType) -> bool {
        self.node(id).bounds.within(IntBounds::of_type(dtype))
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
