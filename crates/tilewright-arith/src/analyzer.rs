//! Facts about variables, and the questions that they answer.

use tilewright_expr::node::{VarId, mentions};
use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

use crate::bounds::IntBounds;
use crate::compare::opposite;
use crate::linear::Linear;
use crate::modular::ModularSet;
use crate::session::{Id, Mode, Session, Tag, is_index_type};

/// The number of assumptions that a proof uses, the most recent ones.
const ASSUMPTIONS: usize = 64;

#[derive(Clone, Debug, Default)]
struct Fact {
    bounds: IntBounds,
    /// Whether the bounds were stated, and are not only those of a type.
    bounded: bool,
    /// When it was bound: later ranges may name earlier variables.
    order: usize,
    /// Least and greatest value.
    range: Option<(Expr, Expr)>,
    /// Holds loaded data: its arithmetic wraps around.
    element: bool,
    modular: ModularSet,
    /// The value that replaces it in simplified expressions.
    replacement: Option<Expr>,
}

/// Knows facts about variables and answers questions about expressions over them.
///
/// Facts are scoped: [`Analyzer::enter`] opens a scope, [`Analyzer::leave`] forgets what was learnt since.
#[derive(Clone, Debug, Default)]
pub struct Analyzer {
    facts: Map<VarId, Fact>,
    /// The undo log: the facts before each change, in order.
    undo: Vec<(VarId, Option<Fact>)>,
    /// Sums that are not negative.
    assumed: Vec<Expr>,
    next: usize,
    /// Whether a variable of which only one value is possible stays a variable.
    keeps_variables: bool,
}

/// The state when a scope was opened.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    undo: usize,
    assumed: usize,
}

/// `Σ coefficient · variable + rest`, none of the variables in `rest`.
#[derive(Clone, Debug)]
pub struct LinearIn {
    /// One for each requested variable, in order.
    pub coefficients: Vec<i64>,
    pub rest: Expr,
}

/// Facts.
impl Analyzer {
    pub fn new() -> Self {
        Self::default()
    }

    /// From here on, a variable stays one where a condition leaves it one value; one of a range of a single value, and
    /// one that is bound to a value, does not.
    pub fn keep_variables(&mut self) {
        self.keeps_variables = true;
    }

    pub(crate) fn keeps_variables(&self) -> bool {
        self.keeps_variables
    }

    pub fn enter(&self) -> Scope {
        Scope { undo: self.undo.len(), assumed: self.assumed.len() }
    }

    /// Forgets what was learnt since the scope was opened.
    pub fn leave(&mut self, scope: Scope) {
        while self.undo.len() > scope.undo {
            match self.undo.pop() {
                Some((var, Some(fact))) => drop(self.facts.insert(var, fact)),
                Some((var, None)) => drop(self.facts.remove(&var)),
                None => break,
            }
        }
        self.assumed.truncate(scope.assumed);
    }

    fn set(&mut self, var: VarId, fact: Fact) {
        let before = self.facts.insert(var, fact);
        self.undo.push((var, before));
    }

    /// The variable takes the values of the range. What follows concerns only the case that the range is not empty.
    pub fn bind(&mut self, var: &Var, range: &Range) {
        let mut session = Session::new(self, Mode::Output);
        let (min, extent) = (session.simplify(&range.min), session.simplify(&range.extent));
        let mut last = session.form(min).plus(&session.form(extent), 1);
        last.add_constant(-1, 1);
        let bounds = IntBounds::new(session.node(min).bounds.min, session.linear_bounds(&last).max);
        let exact = session.node(min).exact && session.node(extent).exact && !last.overflow;
        let range = exact.then(|| {
            let last = session.sum(last, var.dtype);
            (session.expr(min), session.expr(last))
        });
        self.next += 1;
        let range = range.filter(|_| bounds.value().is_none());
        let modular = ModularSet::ANY;
        let replacement = bounds.value().filter(|_| is_index_type(var.dtype)).map(|value| Expr::int(value, var.dtype));
        let order = self.next;
        self.set(var.id(), Fact { bounds, bounded: true, order, range, modular, replacement, ..Fact::default() });
    }

    /// Learns that the variable is at least `min` and at most `max`, where given.
    pub fn bind_bounds(&mut self, var: &Var, min: Option<i64>, max: Option<i64>) {
        self.next += 1;
        let fact = Fact { bounds: IntBounds::new(min, max), bounded: true, order: self.next, ..Fact::default() };
        self.set(var.id(), fact);
    }

    /// The variable has the value of the expression.
    pub fn bind_value(&mut self, var: &Var, value: &Expr) {
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(value);
        let (node, value) = (session.node(id), session.expr(id));
        let (bounds, modular, element) = (node.bounds, node.modular, !node.index);
        let range = (is_index_type(var.dtype) && node.exact).then(|| (value.clone(), value));
        self.next += 1;
        let fact = Fact { bounds, bounded: true, order: self.next, range, element, modular, replacement: None };
        self.set(var.id(), fact);
    }

    /// Binds a value that replaces the variable in simplified expressions.
    pub fn bind_replaced(&mut self, var: &Var, value: &Expr) {
        let value = self.simplify(value);
        self.bind_value(var, &value);
        if let Some(fact) = self.facts.get_mut(&var.id()) {
            fact.replacement =
                Some(value).filter(|value| value.dtype == var.dtype && !mentions(value, std::slice::from_ref(var)));
        }
    }

    pub(crate) fn learn_modular(&mut self, var: VarId, modular: ModularSet) {
        let fact = self.facts.get(&var).cloned().unwrap_or_default();
        self.set(var, Fact { modular: fact.modular.intersect(modular), ..fact });
    }

    /// Replaces what was known of the variable's remainder.
    pub(crate) fn set_modular(&mut self, var: VarId, modular: ModularSet) {
        let fact = self.facts.get(&var).cloned().unwrap_or_default();
        self.set(var, Fact { modular, ..fact });
    }

    /// The bounds that somebody stated or that a range gives, not cut to the variable's type.
    pub(crate) fn told_bounds(&self, var: VarId) -> Option<IntBounds> {
        self.facts.get(&var).filter(|fact| fact.bounded).map(|fact| fact.bounds)
    }

    /// Whether the variable has a value or a range already, and which.
    pub fn has_range(&self, var: &Var) -> bool {
        self.facts.get(&var.id()).is_some_and(|fact| fact.bounded)
    }

    /// The condition holds: comparisons of index expressions, alone or joined by `and`, are remembered.
    pub fn assume(&mut self, condition: &Expr) {
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            match &condition.kind {
                ExprKind::Binary(BinOp::And, a, b) => pending.extend([b, a]),
                _ => self.assume_one(condition),
            }
        }
    }

    /// `var % c == k`, a remainder.
    fn assume_remainder(&mut self, a: &Expr, b: &Expr) {
        let mut session = Session::new(self, Mode::Output);
        let (a, b) = (session.simplify(a), session.simplify(b));
        // The remainder of a division that rounds towards zero is in the same class.
        let divided = [BinOp::FloorMod, BinOp::Mod].into_iter().find_map(|op| session.divided_by_constant(a, op));
        let (Some((x, c)), Some(k)) = (divided, session.node(b).expr.as_int()) else {
            return;
        };
        // ±var + d = k, modulo c
        let form = session.form(x);
        if let (1, Some((&term, &sign @ (1 | -1)))) = (form.terms.len(), form.terms.first())
            && let Tag::Var(var) = session.node(term).tag
            && let Some(base) = k.checked_sub(form.constant).and_then(|base| base.checked_mul(sign))
        {
            self.learn_modular(var, ModularSet::new(c, base));
        }
    }

    fn assume_one(&mut self, condition: &Expr) {
        match &condition.kind {
            // not (a < b) = b <= a, for integers
            ExprKind::Not(inside) => match &inside.kind {
                ExprKind::Compare(op, a, b) if is_index_type(a.dtype) => {
                    let compared = ExprKind::Compare(opposite(*op), a.clone(), b.clone());
                    self.assume_one(&Expr::raw(condition.dtype, compared));
                }
                _ => {}
            },
            ExprKind::Compare(op, a, b) if is_index_type(a.dtype) => {
                let (one, dtype) = (Expr::int(1, a.dtype), a.dtype);
                let minus = |a: &Expr, b: &Expr| Expr::raw(dtype, ExprKind::Binary(BinOp::Sub, a.clone(), b.clone()));
                match op {
                    CmpOp::Lt => self.assume_not_negative(&minus(&minus(b, a), &one)),
                    CmpOp::Le => self.assume_not_negative(&minus(b, a)),
                    CmpOp::Gt => self.assume_not_negative(&minus(&minus(a, b), &one)),
                    CmpOp::Ge => self.assume_not_negative(&minus(a, b)),
                    CmpOp::Eq => {
                        self.assume_remainder(a, b);
                        self.assume_not_negative(&minus(a, b));
                        self.assume_not_negative(&minus(b, a));
                    }
                    CmpOp::Ne => {}
                }
            }
            _ => {}
        }
    }

    fn assume_not_negative(&mut self, sum: &Expr) {
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(sum);
        if !session.node(id).exact {
            return;
        }
        let form = session.form(id);
        let single = match (form.terms.len(), form.terms.first()) {
            (1, Some((&term, &c @ (1 | -1)))) => match session.node(term).tag {
                Tag::Var(var) => Some((var, c, session.node(term).bounds)),
                _ => None,
            },
            _ => None,
        };
        let expr = session.expr(id);
        match single {
            Some((var, c, bounds)) => {
                let limit = form.constant.checked_neg();
                let side = match c {
                    1 => IntBounds::new(limit, None),
                    _ => IntBounds::new(None, Some(form.constant)),
                };
                let fact = self.facts.get(&var).cloned().unwrap_or_default();
                self.set(var, Fact { bounds: bounds.meet(side), bounded: true, ..fact });
            }
            None => {
                let found = session.least_of_variables(id, 0);
                self.assumed.push(expr);
                found.into_iter().for_each(|(var, least)| self.learn_least(var, least));
            }
        }
    }

    /// Adds a lower bound of the variable to what is known of it.
    pub fn learn_least(&mut self, var: VarId, least: i64) {
        let fact = self.facts.get(&var).cloned().unwrap_or_default();
        let bounds = fact.bounds.meet(IntBounds::new(Some(least), None));
        self.set(var, Fact { bounds, ..fact });
    }

    pub(crate) fn var_bounds(&self, var: VarId) -> IntBounds {
        self.facts.get(&var).map_or(IntBounds::ANY, |fact| fact.bounds)
    }

    pub(crate) fn var_modular(&self, var: VarId) -> ModularSet {
        self.facts.get(&var).map_or(ModularSet::ANY, |fact| fact.modular)
    }

    pub(crate) fn replacement(&self, var: VarId) -> Option<Expr> {
        self.facts.get(&var)?.replacement.clone()
    }

    pub(crate) fn is_element(&self, var: VarId) -> bool {
        self.facts.get(&var).is_some_and(|fact| fact.element)
    }

    pub(crate) fn symbolic_range(&self, var: VarId) -> Option<(usize, (Expr, Expr))> {
        let fact = self.facts.get(&var)?;
        fact.range.clone().map(|range| (fact.order, range))
    }

    pub(crate) fn assumptions(&self) -> impl Iterator<Item = &Expr> {
        self.assumed.iter().rev().take(ASSUMPTIONS)
    }
}

/// Questions.
impl Analyzer {
    /// An equal expression in canonical form.
    pub fn simplify(&self, expr: &Expr) -> Expr {
        if matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_)) {
            return expr.clone();
        }
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        session.expr(id)
    }

    /// An equal expression whose sums and commutative operations stand in an order that depends on names and structure
    /// only: `x + y` and `y + x` become the same.
    pub fn canonical_simplify(&self, expr: &Expr) -> Expr {
        let mut session = Session::new(self, Mode::Canonical);
        let id = session.simplify(expr);
        session.expr(id)
    }

    /// Remainders of an integer expression; of a vector, over all its lanes.
    pub fn modular_set(&self, expr: &Expr) -> ModularSet {
        if expr.dtype.is_float() || expr.dtype.is_handle() {
            return ModularSet::ANY;
        }
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        session.node(id).modular
    }

    /// Constant bounds of an integer expression; of a vector, over all its lanes.
    pub fn bounds(&self, expr: &Expr) -> IntBounds {
        if expr.dtype.is_float() || expr.dtype.is_handle() {
            return IntBounds::ANY;
        }
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        session.node(id).bounds
    }

    /// Whether the condition certainly holds.
    pub fn prove(&self, condition: &Expr) -> bool {
        condition.dtype.is_bool() && Session::new(self, Mode::Proof).holds(condition)
    }

    /// Whether the two are certainly equal.
    pub fn prove_equal(&self, a: &Expr, b: &Expr) -> bool {
        if !a.dtype.is_int() || !b.dtype.is_int() || !a.dtype.is_scalar() || !b.dtype.is_scalar() {
            let mut session = Session::new(self, Mode::Proof);
            return a.dtype == b.dtype && session.simplify(a) == session.simplify(b);
        }
        self.decide(CmpOp::Eq, a, b) == Some(true)
    }

    /// Whether the two are certainly different, whatever the variables are.
    pub fn prove_different(&self, a: &Expr, b: &Expr) -> bool {
        a.dtype.is_int() && b.dtype.is_int() && self.decide(CmpOp::Eq, a, b) == Some(false)
    }

    /// Whether the comparison of two integers certainly holds or certainly does not.
    pub fn decide(&self, op: CmpOp, a: &Expr, b: &Expr) -> Option<bool> {
        if !a.dtype.is_int() || !b.dtype.is_int() || !a.dtype.is_scalar() || !b.dtype.is_scalar() {
            return None;
        }
        // Most sizes are numbers, about which there is nothing to prove.
        if let (Some(x), Some(y)) = (a.as_int(), b.as_int())
            && [DataType::I32, DataType::I64].contains(&a.dtype)
            && a.dtype == b.dtype
        {
            return Some(op.holds(&x, &y));
        }
        let mut session = Session::new(self, Mode::Proof);
        let (a, b) = (session.simplify(a), session.simplify(b));
        if a == b {
            return Some(matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge));
        }
        if !session.node(a).exact || !session.node(b).exact {
            return None;
        }
        let (x, y) = (session.form(a), session.form(b));
        session.decide(op, &x, &y)
    }

    /// Whether the expression is made of variables and constants only: arithmetic over the mathematical integers.
    pub fn is_index(&self, expr: &Expr) -> bool {
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        session.node(id).index
    }

    /// The expression as a sum in the variables; `None` if one of them occurs under another operation.
    pub fn linear_in(&self, expr: &Expr, vars: &[Var]) -> Option<LinearIn> {
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        let mut rest = (*session.form(id)).clone();
        let mut coefficients = Vec::with_capacity(vars.len());
        for var in vars {
            // A variable with one possible value does not occur in simplified expressions.
            let atom = session.simplify(&Expr::var(var));
            coefficients.push(rest.terms.swap_remove(&atom).unwrap_or(0));
        }
        let mut mentions = Mentions::of(vars);
        let free = rest.terms.keys().all(|&id| !mentions.any(&session, id));
        let dtype = expr.dtype;
        if !free {
            return None;
        }
        let rest = session.sum(rest, dtype);
        Some(LinearIn { coefficients, rest: session.expr(rest) })
    }

    /// The least and the greatest value over all values of the variables, which must be bound, as expressions without
    /// them; `None` where that is not known.
    pub fn extremes(&self, expr: &Expr, vars: &[Var]) -> Option<(Expr, Expr)> {
        let mut session = Session::new(self, Mode::Output);
        let id = session.simplify(expr);
        if !session.node(id).exact {
            return None;
        }
        let dtype = expr.dtype;
        let form = session.form(id);
        let low = session.extreme((*form).clone(), vars, true)?;
        let high = session.extreme((*form).clone(), vars, false)?;
        let (low, high) = (session.sum(low, dtype), session.sum(high, dtype));
        Some((session.expr(low), session.expr(high)))
    }
}

/// The interned nodes in which some variables occur, each node visited once.
pub(crate) struct Mentions {
    vars: Set<VarId>,
    done: Map<Id, bool>,
}

impl Mentions {
    pub(crate) fn of(vars: &[Var]) -> Self {
        Self { vars: vars.iter().map(Var::id).collect(), done: Map::default() }
    }

    /// Another variable that is looked for.
    pub(crate) fn also(&mut self, var: &Var) {
        self.vars.insert(var.id());
        self.done.clear();
    }

    pub(crate) fn any(&mut self, cx: &Session<'_>, id: Id) -> bool {
        if let Some(&known) = self.done.get(&id) {
            return known;
        }
        let node = cx.node(id);
        let found = match &node.tag {
            Tag::Var(var) => self.vars.contains(var),
            Tag::Load(buffer, _) | Tag::AddressOf(buffer) if self.vars.contains(&buffer.data.id()) => true,
            _ => with_stack(|| node.ids.iter().any(|&child| self.any(cx, child))),
        };
        self.done.insert(id, found);
        found
    }
}

impl Session<'_> {
    /// Replaces every term that mentions one of the variables by its least (or greatest) value.
    fn extreme(&mut self, mut sum: Linear, vars: &[Var], least: bool) -> Option<Linear> {
        let mut mentions = Mentions::of(vars);
        for _ in 0..=vars.len() + 8 {
            let dependent: Vec<(Id, i64)> =
                sum.terms.iter().map(|(&id, &c)| (id, c)).filter(|&(id, _)| mentions.any(self, id)).collect();
            let Some(&(id, c)) = dependent.iter().max_by_key(|&&(id, _)| match self.node(id).tag {
                // Terms under other operations first, then the variable bound last.
                Tag::Var(var) => self.facts.symbolic_range(var).map_or(0, |(order, _)| order),
                _ => usize::MAX,
            }) else {
                return (!sum.overflow).then_some(sum);
            };
            let low = least == (c > 0);
            let range = match self.node(id).tag {
                Tag::Var(var) => self.facts.symbolic_range(var),
                _ => None,
            };
            let value = match range {
                Some((_, (min, last))) => {
                    let bound = self.simplify(if low { &min } else { &last });
                    (*self.form(bound)).clone()
                }
                None => {
                    let bounds = self.node(id).bounds;
                    Linear::constant(if low { bounds.min } else { bounds.max }?)
                }
            };
            sum = sum.replace(id, &value);
        }
        None
    }
}
