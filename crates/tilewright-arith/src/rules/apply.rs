//! Matching of patterns with interned nodes, and building of right sides.

use tilewright_expr::{BinOp, CmpOp, Intrinsic, semantics};
use tilewright_tensor::{DataType, TypeCode};

use super::pattern::{BOOLS, CONSTANTS, OPERANDS, Pattern};
use super::{Domain, Root, Rule, rules};
use crate::linear::{Linear, gcd};
use crate::session::{Id, Session, Tag, is_index_type};

/// Rules inside rules, at most: beyond, a node is built as it is. No chain of the table is as long.
const DEPTH: u32 = 40;

/// The operands that the letters of a rule match.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bindings {
    operands: [Option<Id>; OPERANDS.len()],
    constants: [Option<i64>; CONSTANTS.len()],
    /// Whether choices evaluate only what they take: those of one rule are all alike.
    lazy: Option<bool>,
    /// The type of the operands.
    dtype: Option<DataType>,
    /// Constants of the right side wrap around as the type does.
    wraps: bool,
}

impl Bindings {
    pub(crate) fn of_type(dtype: DataType) -> Self {
        Self { dtype: Some(dtype), ..Self::default() }
    }

    fn lanes(&self) -> Option<i128> {
        self.dtype.map(|dtype| dtype.lanes.into())
    }
}

/// A right side, or a part of it: constants take the type of the other operand.
#[derive(Clone, Copy)]
enum Built {
    Number(i64),
    Bool(bool),
    Node(Id),
}

/// Bare constants are on the right of a commutative operation.
fn is_bare(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Constant(_) | Pattern::Number(_) | Pattern::Bool(_))
}

impl Session<'_> {
    /// The node that a rule of the table makes of an operation on these nodes.
    pub(crate) fn rewritten(&mut self, root: Root, ids: &[Id], lazy: bool, result: DataType) -> Option<Id> {
        if self.depth >= DEPTH {
            return None;
        }
        let operand = ids.last().map_or(result, |&id| self.dtype(id));
        for rule in rules().at(root) {
            let mut found = Bindings::of_type(operand);
            found.wraps = rule.domain == Domain::Integer;
            if matches!(root, Root::Select) {
                found.lazy = Some(lazy);
            }
            if !self.matches_children(&rule.left, ids, &mut found) || !self.in_domain(rule, &found) {
                continue;
            }
            self.depth += 1;
            let built = self.all_hold(&rule.conditions, &found).then(|| self.build_right(rule, &found, result));
            self.depth -= 1;
            if let Some(Some(id)) = built {
                return Some(id);
            }
        }
        None
    }

    fn build_right(&mut self, rule: &Rule, found: &Bindings, result: DataType) -> Option<Id> {
        let built = self.build_pattern(&rule.right, found)?;
        let id = self.as_node(built, result)?;
        (self.dtype(id) == result).then_some(id)
    }

    /// Whether the operands have the values of mathematical integers.
    pub(crate) fn all_exact(&self, found: &Bindings) -> bool {
        found.operands.iter().flatten().all(|&id| self.node(id).exact)
    }

    fn in_domain(&self, rule: &Rule, found: &Bindings) -> bool {
        let mut operands = found.operands.iter().flatten().map(|&id| self.node(id));
        match rule.domain {
            Domain::Any => true,
            Domain::Integer => operands.all(|node| node.expr.dtype.is_int() || node.expr.dtype.is_bool()),
            Domain::Index => operands.all(|node| {
                let dtype = node.expr.dtype.element();
                dtype.is_bool() || (is_index_type(dtype) && (node.index || (node.exact && rule.closed)))
            }),
        }
    }

    pub(crate) fn matches(&mut self, pattern: &Pattern, id: Id, found: &mut Bindings) -> bool {
        match pattern {
            Pattern::Operand(n) => match found.operands[*n] {
                Some(bound) => bound == id,
                None if *n >= BOOLS && !self.dtype(id).element().is_bool() => false,
                None => {
                    found.operands[*n] = Some(id);
                    true
                }
            },
            Pattern::Constant(n) => match (self.small_constant(id), found.constants[*n]) {
                (Some(value), Some(bound)) => value == bound,
                (Some(value), None) => {
                    found.constants[*n] = Some(value);
                    true
                }
                (None, _) => false,
            },
            Pattern::Number(value) => self.lane_value(id) == Some(semantics::wrap(*value, self.dtype(id).element())),
            Pattern::Bool(value) => self.dtype(id).is_bool() && self.lane_value(id) == Some(i64::from(*value)),
            Pattern::Lanes | Pattern::Bits => false,
            Pattern::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), x, y) if is_index_type(self.dtype(id)) => {
                *op == BinOp::Mul && self.matches_product(x, y, id, found)
            }
            _ => {
                let node = self.node(id);
                let same = match (pattern, &node.tag) {
                    (Pattern::Binary(op, ..), Tag::Binary(of)) => op == of,
                    (Pattern::Compare(op, ..), Tag::Compare(of)) => op == of,
                    (Pattern::Not(_), Tag::Not)
                    | (Pattern::Ramp(..), Tag::Ramp)
                    | (Pattern::Broadcast(_), Tag::Broadcast) => true,
                    (Pattern::FromBool(_), Tag::Cast) => self.dtype(node.ids[0]).is_bool(),
                    (Pattern::Select(_), Tag::Select) => !std::mem::replace(found.lazy.get_or_insert(false), false),
                    (Pattern::Select(_), Tag::Call(Intrinsic::IfThenElse)) => *found.lazy.get_or_insert(true),
                    _ => false,
                };
                let ids = node.ids.clone();
                same && self.matches_children(pattern, &ids, found)
            }
        }
    }

    /// `x · y` of an index type: a product of two nodes, or a sum whose coefficients have a common factor.
    fn matches_product(&mut self, x: &Pattern, y: &Pattern, id: Id, found: &mut Bindings) -> bool {
        let dtype = self.dtype(id);
        if !is_bare(y) {
            let node = self.node(id);
            let (product, ids) = (node.tag == Tag::Binary(BinOp::Mul), node.ids.clone());
            return product && self.matches_in_any_order(x, y, &ids, found);
        }
        let form = self.form(id);
        let factor = match (form.terms.len(), form.constant, form.terms.first()) {
            (1, 0, Some((_, &factor))) => factor,
            _ => gcd(form.content(), form.constant),
        };
        if form.terms.is_empty() || matches!(factor, 0 | 1) || form.overflow {
            return false;
        }
        let mut divided = Linear::constant(form.constant / factor);
        form.terms.iter().for_each(|(&term, &c)| divided.add_term(term, c / factor));
        let (factor, divided) = (self.int(factor, dtype), self.sum(divided, dtype));
        self.matches(y, factor, found) && self.matches(x, divided, found)
    }

    fn matches_children(&mut self, pattern: &Pattern, ids: &[Id], found: &mut Bindings) -> bool {
        let commutative = match pattern {
            Pattern::Binary(op, ..) => matches!(
                op,
                BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor
            ),
            Pattern::Compare(op, ..) => matches!(op, CmpOp::Eq | CmpOp::Ne),
            _ => false,
        };
        match pattern {
            Pattern::Binary(_, x, y) | Pattern::Compare(_, x, y) if commutative => {
                self.matches_in_any_order(x, y, ids, found)
            }
            _ => {
                let children = pattern.children();
                children.len() == ids.len()
                    && children.into_iter().zip(ids).all(|(child, &id)| self.matches(child, id, found))
            }
        }
    }

    fn matches_in_any_order(&mut self, x: &Pattern, y: &Pattern, ids: &[Id], found: &mut Bindings) -> bool {
        let &[a, b] = ids else { return false };
        let before = *found;
        if self.matches(x, a, found) && self.matches(y, b, found) {
            return true;
        }
        *found = before;
        !is_bare(x) && !is_bare(y) && self.matches(x, b, found) && self.matches(y, a, found)
    }

    /// A constant whose order among the type's values is that of its `i64`.
    fn small_constant(&self, id: Id) -> Option<i64> {
        let dtype = self.dtype(id);
        let ordered = dtype.is_int() && (dtype.code != TypeCode::UInt || dtype.bits < 64);
        self.lane_value(id).filter(|&value| ordered || (dtype.is_int() && value >= 0))
    }

    pub(crate) fn all_hold(&mut self, conditions: &[Pattern], found: &Bindings) -> bool {
        let (mut constant, mut proven) = (true, true);
        conditions.iter().filter(|c| c.is_constant()).for_each(|c| constant &= constant_holds(c, found));
        for condition in conditions.iter().filter(|c| !c.is_constant()) {
            proven = constant && proven && self.holds_for(condition, found);
        }
        constant && proven
    }

    fn holds_for(&mut self, condition: &Pattern, found: &Bindings) -> bool {
        let Pattern::Compare(op, left, right) = condition else { return false };
        let (Some(left), Some(right)) = (self.build_pattern(left, found), self.build_pattern(right, found)) else {
            return false;
        };
        let sides = match (left, right) {
            (Built::Node(x), y) => self.as_node(y, self.dtype(x)).map(|y| (x, y)),
            (x, Built::Node(y)) => self.as_node(x, self.dtype(y)).map(|x| (x, y)),
            _ => None,
        };
        let Some((x, y)) = sides else { return false };
        if !self.node(x).exact || !self.node(y).exact || !is_index_type(self.dtype(x)) {
            return false;
        }
        let (x, y) = (self.form(x), self.form(y));
        self.decide(*op, &x, &y) == Some(true)
    }

    pub(crate) fn build_node(&mut self, pattern: &Pattern, found: &Bindings, dtype: DataType) -> Option<Id> {
        let built = self.build_pattern(pattern, found)?;
        self.as_node(built, dtype)
    }

    pub(crate) fn constant_of(&self, pattern: &Pattern, found: &Bindings) -> Option<i64> {
        constant_value(pattern, found).and_then(|value| value.try_into().ok())
    }

    /// A constant that does not fit the type is none.
    fn as_node(&mut self, built: Built, dtype: DataType) -> Option<Id> {
        match built {
            Built::Node(id) => Some(id),
            Built::Bool(value) => dtype.is_bool().then(|| self.lanes_of(i64::from(value), dtype)),
            Built::Number(value) => {
                let element = dtype.element();
                let fits = dtype.is_int() && semantics::wrap(value, element) == value;
                fits.then(|| self.lanes_of(value, dtype))
            }
        }
    }

    /// The constant in every lane of the type.
    pub(crate) fn lanes_of(&mut self, value: i64, dtype: DataType) -> Id {
        let element = self.int(value, dtype.element());
        if dtype.is_scalar() { element } else { self.make(dtype, Tag::Broadcast, vec![element]) }
    }

    fn build_pattern(&mut self, pattern: &Pattern, found: &Bindings) -> Option<Built> {
        if let Some(value) = constant_value(pattern, found) {
            let element = found.dtype?.element();
            let wrapped = (found.wraps && element.is_int()).then(|| semantics::wrap(value as i64, element));
            return wrapped.or_else(|| value.try_into().ok()).map(Built::Number);
        }
        Some(match pattern {
            Pattern::Operand(n) => Built::Node(found.operands[*n]?),
            Pattern::Bool(value) => Built::Bool(*value),
            Pattern::Binary(op, x, y) => {
                let (x, y) = self.build_pair(x, y, found)?;
                match op {
                    BinOp::Add | BinOp::Sub | BinOp::Mul if self.dtype(x).is_scalar() => {
                        Built::Node(self.scalar_binary(*op, x, y))
                    }
                    _ => Built::Node(self.binary(*op, x, y)),
                }
            }
            Pattern::Compare(op, x, y) => {
                let (x, y) = self.build_pair(x, y, found)?;
                Built::Node(self.compare(*op, x, y))
            }
            Pattern::Not(x) => {
                let x = self.build_operand(x, found)?;
                Built::Node(self.not(x))
            }
            Pattern::Select(all) => {
                let condition = self.build_operand(&all[0], found)?;
                let (then, otherwise) = self.build_pair(&all[1], &all[2], found)?;
                let tag = match found.lazy {
                    Some(true) if self.dtype(condition).is_scalar() => Tag::Call(Intrinsic::IfThenElse),
                    Some(true) => return None,
                    _ if self.dtype(condition).lanes != self.dtype(then).lanes => return None,
                    _ => Tag::Select,
                };
                Built::Node(self.select(tag, [condition, then, otherwise]))
            }
            Pattern::FromBool(x) => {
                let (x, dtype) = (self.build_operand(x, found)?, found.dtype?);
                if self.dtype(x).lanes != dtype.lanes {
                    return None;
                }
                Built::Node(self.cast(x, dtype))
            }
            Pattern::Ramp(x, s) => {
                let (x, s) = self.build_pair(x, s, found)?;
                let dtype = self.dtype(x).with_lanes(found.dtype?.lanes);
                Built::Node(self.ramp(x, s, dtype))
            }
            Pattern::Broadcast(x) => {
                let x = self.build_operand(x, found)?;
                let dtype = self.dtype(x).with_lanes(found.dtype?.lanes);
                Built::Node(self.make(dtype, Tag::Broadcast, vec![x]))
            }
            Pattern::Constant(_) | Pattern::Number(_) | Pattern::Lanes | Pattern::Bits => return None,
        })
    }

    fn build_operand(&mut self, pattern: &Pattern, found: &Bindings) -> Option<Id> {
        match self.build_pattern(pattern, found)? {
            Built::Node(id) => Some(id),
            Built::Number(_) | Built::Bool(_) => None,
        }
    }

    /// Two nodes of one type.
    fn build_pair(&mut self, x: &Pattern, y: &Pattern, found: &Bindings) -> Option<(Id, Id)> {
        let (x, y) = match (self.build_pattern(x, found)?, self.build_pattern(y, found)?) {
            (Built::Node(x), y) => (x, self.as_node(y, self.dtype(x))?),
            (x, Built::Node(y)) => (self.as_node(x, self.dtype(y))?, y),
            _ => return None,
        };
        (self.dtype(x) == self.dtype(y)).then_some((x, y))
    }
}

/// The value of a pattern of integer constants; `None` where there is none.
fn constant_value(pattern: &Pattern, found: &Bindings) -> Option<i128> {
    match pattern {
        Pattern::Number(value) => Some(i128::from(*value)),
        Pattern::Constant(n) => found.constants[*n].map(i128::from),
        Pattern::Lanes => found.lanes(),
        Pattern::Bits => found.dtype.map(|dtype| dtype.bits.into()),
        Pattern::Binary(op, x, y) => {
            let (x, y) = (constant_value(x, found)?, constant_value(y, found)?);
            match op {
                BinOp::Add => x.checked_add(y),
                BinOp::Sub => x.checked_sub(y),
                BinOp::Mul => x.checked_mul(y),
                BinOp::FloorDiv => (y != 0).then(|| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0)),
                BinOp::FloorMod => (y != 0).then(|| ((x % y) + y) % y),
                BinOp::Min => Some(x.min(y)),
                BinOp::Max => Some(x.max(y)),
                BinOp::BitAnd => Some(x & y),
                BinOp::BitOr => Some(x | y),
                BinOp::BitXor => Some(x ^ y),
                _ => None,
            }
        }
        _ => None,
    }
}

fn constant_holds(condition: &Pattern, found: &Bindings) -> bool {
    let Pattern::Compare(op, x, y) = condition else { return false };
    let (Some(x), Some(y)) = (constant_value(x, found), constant_value(y, found)) else { return false };
    op.holds(&x, &y)
}
