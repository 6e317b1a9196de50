//! The accesses of a statement's expressions, each with the conditions under which it is evaluated.
//!
//! Expressions are DAGs, and a shared node is visited once: it is reached where any of its users is. Accesses are in
//! topological order, so that everything that an access depends on precedes it: the accesses in its indices, and those
//! in the conditions under which it is evaluated. There is no such order where conditions depend on each other
//! crosswise, as in `p and a and b or q and b and a`; then a node counts once for every way to it, up to a number of
//! ways.

use tilewright_expr::node::{AnyHandle, Mapper, Memo, VarId, Visitor};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic, Var};
use tilewright_support::{Map, Set, with_stack};

use crate::reach::{Reach, Reaches};

/// Visits of nodes where each way to a node counts.
const MAX_WAYS: usize = 100_000;

/// An access inside an expression, and the reach under which it is evaluated.
pub(crate) struct Access {
    pub(crate) buffer: Buffer,
    pub(crate) indices: Vec<Expr>,
    pub(crate) under: Reach,
    /// Whether it is one lane of a masked access.
    pub(crate) is_lane: bool,
}

/// The accesses of a statement's expressions.
#[derive(Default)]
pub(crate) struct Accesses {
    pub(crate) all: Vec<Access>,
    pub(crate) reaches: Reaches,
    /// The reaches of nodes with accesses inside, by address. `None` where conditions depend on each other: such
    /// reaches have no topological order.
    reached: Map<usize, Reach>,
    /// Values of variables that the expressions bind.
    lets: Map<VarId, Expr>,
}

impl Accesses {
    /// `None` where there are too many paths through conditions that depend on each other, or where the expressions
    /// bind one variable to two values.
    pub(crate) fn of(exprs: &[Expr]) -> Option<Self> {
        let mut search = Search::default();
        for expr in exprs {
            search.collect(expr);
        }
        if search.order.is_empty() {
            return Some(Self::default());
        }
        if search.rebound {
            return None;
        }
        search.reach_all(exprs);
        let ordered = exprs.iter().try_for_each(|expr| search.emit(expr)).is_ok();
        if !ordered {
            search.found.clear();
            search.reached.clear();
            let mut ways = Ways { met: Map::default(), left: MAX_WAYS };
            exprs.iter().try_for_each(|expr| search.follow(expr, Reach::ALWAYS, &mut ways))?;
        }
        let Search { found, reaches, reached, lets, .. } = search;
        Some(Self { all: found, reaches, reached, lets })
    }

    /// Adds what a store writes, which comes last.
    pub(crate) fn add_store(&mut self, buffer: &Buffer, indices: &[Expr], predicate: Option<&Expr>) {
        let accesses = touched(&mut self.reaches, buffer, indices, predicate, Reach::ALWAYS);
        self.all.extend(accesses);
    }

    /// The reach of an access's index, which may be wider than that of the access; `None` where it is not known.
    pub(crate) fn reach_of(&self, index: &Expr) -> Option<Reach> {
        self.reached.get(&index.address()).copied()
    }

    /// The substitution that moves expressions out of the statement: variables bound inside have their values.
    pub(crate) fn outside(&mut self) -> Outside {
        Outside { lets: std::mem::take(&mut self.lets), names: Map::default(), memo: Memo::default() }
    }
}

/// The elements that a load or store touches: each lane under its own predicate, if any.
fn touched(
    reaches: &mut Reaches,
    buffer: &Buffer,
    indices: &[Expr],
    predicate: Option<&Expr>,
    under: Reach,
) -> Vec<Access> {
    let mut lane_of = |number: usize| -> Option<Access> {
        let condition = lane(predicate?, number)?;
        let indices = indices.iter().map(|index| lane(index, number)).collect::<Option<_>>()?;
        Some(Access { buffer: buffer.clone(), indices, under: reaches.within(under, &condition, true), is_lane: true })
    };
    let lanes = predicate.map_or(0, |p| usize::from(p.dtype.lanes));
    match (0..lanes).map(&mut lane_of).collect::<Option<Vec<_>>>() {
        Some(each) if !each.is_empty() => each,
        _ => vec![Access { buffer: buffer.clone(), indices: indices.to_vec(), under, is_lane: false }],
    }
}

/// One lane of a vector; a scalar is every lane.
pub(crate) fn lane(expr: &Expr, number: usize) -> Option<Expr> {
    match &expr.kind {
        _ if expr.dtype.is_scalar() => Some(expr.clone()),
        ExprKind::Broadcast(scalar) => Some(scalar.clone()),
        ExprKind::Ramp { base, stride } => {
            let number = Expr::int(i64::try_from(number).ok()?, stride.dtype);
            Expr::binary(BinOp::Add, base, &Expr::binary(BinOp::Mul, stride, &number).ok()?).ok()
        }
        // A lane of the mask is a condition like others.
        ExprKind::Compare(op, a, b) => Expr::compare(*op, &lane(a, number)?, &lane(b, number)?).ok(),
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            Expr::binary(*op, &lane(a, number)?, &lane(b, number)?).ok()
        }
        _ => Expr::shuffle(vec![expr.clone()], vec![number]).ok(),
    }
}

/// Conditions depend on each other.
struct Entangled;

/// The remaining budget of visits, and the reaches under which nodes were visited before.
struct Ways {
    met: Map<usize, Reach>,
    left: usize,
}

/// All maps are by the address of a node; the expressions keep their nodes alive.
#[derive(Default)]
struct Search {
    /// Nodes with accesses inside, in postorder.
    order: Vec<Expr>,
    has_access: Map<usize, bool>,
    reached: Map<usize, Reach>,
    reaches: Reaches,
    lets: Map<VarId, Expr>,
    /// Whether the accesses inside of a node are all found, or being found.
    done: Map<usize, bool>,
    /// Reaches whose conditions are all done.
    settled: Set<Reach>,
    found: Vec<Access>,
    /// Whether a variable has two values.
    rebound: bool,
}

impl Search {
    /// Whether there are accesses in the expression.
    fn collect(&mut self, expr: &Expr) -> bool {
        if let Some(&known) = self.has_access.get(&expr.address()) {
            return known;
        }
        if let ExprKind::Let { var, value, .. } = &expr.kind {
            let before = self.lets.insert(var.id(), value.clone());
            self.rebound |= before.is_some_and(|before| !before.equal(value));
        }
        let mut has = is_access(expr);
        for child in self.parts(expr) {
            has |= with_stack(|| self.collect(&child));
        }
        self.has_access.insert(expr.address(), has);
        if has {
            self.order.push(expr.clone());
        }
        has
    }

    /// The nodes that the value of the node depends on.
    fn parts(&self, expr: &Expr) -> Vec<Expr> {
        match &expr.kind {
            ExprKind::Var(var) => self.lets.get(&var.id()).cloned().into_iter().collect(),
            _ => below(expr),
        }
    }

    fn has_access(&self, expr: &Expr) -> bool {
        self.has_access.get(&expr.address()).is_some_and(|&has| has)
    }

    /// Computes the reach of each node: users before their operands.
    fn reach_all(&mut self, roots: &[Expr]) {
        let mut users: Map<usize, Vec<Reach>> = Map::default();
        for root in roots {
            users.entry(root.address()).or_default().push(Reach::ALWAYS);
        }
        for expr in std::mem::take(&mut self.order).iter().rev() {
            let reach = users.remove(&expr.address()).map_or(Reach::ALWAYS, |sides| self.reaches.any(sides));
            self.reached.insert(expr.address(), reach);
            // The value of a variable is evaluated where the variable is bound.
            for (child, reach) in self.children(expr, reach) {
                if self.has_access(&child) {
                    users.entry(child.address()).or_default().push(reach);
                }
            }
        }
    }

    /// The direct operands, and the reach of each from here.
    fn children(&mut self, expr: &Expr, reach: Reach) -> Vec<(Expr, Reach)> {
        if let ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } = &expr.kind
            && let [condition, then, otherwise] = args.as_slice()
        {
            let (holds, fails) =
                (self.reaches.within(reach, condition, true), self.reaches.within(reach, condition, false));
            return vec![(condition.clone(), reach), (then.clone(), holds), (otherwise.clone(), fails)];
        }
        below(expr).into_iter().map(|child| (child, reach)).collect()
    }

    /// Finds the accesses in the expression, in topological order.
    fn emit(&mut self, expr: &Expr) -> Result<(), Entangled> {
        if !self.has_access(expr) {
            return Ok(());
        }
        match self.done.get(&expr.address()) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Entangled),
            None => drop(self.done.insert(expr.address(), false)),
        }
        for part in self.parts(expr) {
            with_stack(|| self.emit(&part))?;
        }
        if is_access(expr) {
            let reach = self.reached.get(&expr.address()).copied().unwrap_or(Reach::ALWAYS);
            self.emit_conditions(reach)?;
            for part in below(expr) {
                let reach = self.reached.get(&part.address()).copied();
                reach.map_or(Ok(()), |reach| self.emit_conditions(reach))?;
            }
            self.find(expr, reach);
        }
        self.done.insert(expr.address(), true);
        Ok(())
    }

    fn emit_conditions(&mut self, reach: Reach) -> Result<(), Entangled> {
        if self.settled.contains(&reach) {
            return Ok(());
        }
        let (around, condition) = self.reaches.needs(reach);
        for reach in around {
            with_stack(|| self.emit_conditions(reach))?;
        }
        condition.map_or(Ok(()), |condition| self.emit(&condition))?;
        self.settled.insert(reach);
        Ok(())
    }

    fn find(&mut self, expr: &Expr, reach: Reach) {
        if let ExprKind::Load { buffer, indices, predicate } = &expr.kind {
            let accesses = touched(&mut self.reaches, buffer, indices, predicate.as_ref(), reach);
            self.found.extend(accesses);
        } else if let ExprKind::AddressOf { buffer, indices } = &expr.kind {
            let accesses = touched(&mut self.reaches, buffer, indices, None, reach);
            self.found.extend(accesses);
        }
    }

    /// Finds the accesses on every path to them; `None` where there are too many paths.
    fn follow(&mut self, expr: &Expr, reach: Reach, ways: &mut Ways) -> Option<()> {
        if !self.has_access(expr) {
            return Some(());
        }
        match ways.met.get(&expr.address()) {
            // Visited before under fewer conditions: its accesses are recorded.
            Some(&known) if self.reaches.implies(reach, known) => return Some(()),
            Some(_) => {}
            None => drop(ways.met.insert(expr.address(), reach)),
        }
        ways.left = ways.left.checked_sub(1)?;
        for (child, reach) in self.children(expr, reach) {
            with_stack(|| self.follow(&child, reach, ways))?;
        }
        if is_access(expr) {
            self.find(expr, reach);
        }
        Some(())
    }
}

/// Whether the node touches memory. The address of the first element exists even if the buffer is empty.
fn is_access(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load { .. } => true,
        ExprKind::AddressOf { buffer, indices } => {
            let plain = buffer.strides.is_empty() && buffer.elem_offset.is_none();
            !plain || indices.iter().any(|index| index.as_int() != Some(0))
        }
        _ => false,
    }
}

/// The expressions directly below a node.
pub(crate) fn below(expr: &Expr) -> Vec<Expr> {
    struct Below(Vec<Expr>);
    impl Visitor for Below {
        fn visit(&mut self, node: &dyn AnyHandle) {
            self.0.extend(node.downcast::<Expr>().cloned());
        }
    }
    let mut below = Below(Vec::new());
    expr.visit_inside(&mut below);
    below.0
}

/// Makes parts of a statement's expressions into expressions that mean the same in front of the statement.
pub(crate) struct Outside {
    lets: Map<VarId, Expr>,
    /// Variables in front of the statement that have the value of a node, by its address.
    names: Map<usize, (Expr, Var)>,
    memo: Memo,
}

impl Outside {
    pub(crate) fn expr(&mut self, expr: &Expr) -> Expr {
        self.map(expr).and_then(|e| e.into_any().downcast::<Expr>().ok()).map_or_else(|| expr.clone(), |e| *e)
    }

    /// From here on the variable stands for this node of the statement.
    pub(crate) fn name(&mut self, node: &Expr, var: &Var) {
        self.names.insert(node.address(), (node.clone(), var.clone()));
    }

    /// Whether a node has a name.
    pub(crate) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The rewrite that replaces the named nodes inside the statement by their names.
    pub(crate) fn inside(&self) -> Self {
        Self { lets: Map::default(), names: self.names.clone(), memo: Memo::default() }
    }

    fn replace(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if node.downcast::<Buffer>().is_some() {
            return None;
        }
        if let Some(expr) = node.downcast::<Expr>() {
            let value_of_name = match &expr.kind {
                ExprKind::Var(var) => self.lets.get(&var.id()).cloned(),
                ExprKind::Let { var, body, .. } if self.lets.contains_key(&var.id()) => Some(body.clone()),
                _ => None,
            };
            if let Some(value) = value_of_name {
                return with_stack(|| self.map(&value)).or_else(|| Some(value.boxed()));
            }
        }
        with_stack(|| node.map_inside(self))
    }
}

impl Mapper for Outside {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        // A node that was mapped before may have a name since.
        if let Some((_, name)) = self.names.get(&node.address()) {
            return Some(Box::new(Expr::var(name)));
        }
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = self.replace(node);
        self.memo.put(node, &result);
        result
    }
}
