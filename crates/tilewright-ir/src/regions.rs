//! The regions that a block reads and writes: the smallest boxes that the analysis can express.
//!
//! Terms: an *index* is an expression over the block's axes and variables from outside of the block, which stay as they
//! are, and over variables bound inside of it (loops, lets, axes of inner blocks), which are *relaxed*: replaced by the
//! interval of their values. An interval's ends are linear forms over what stays. Where an end cannot be named, where
//! two accesses lie at a distance that is no constant, or where an index contains loaded data, the box has the whole
//! dimension.
//!
//! Accesses to memory of the block's own do not count, those through a match buffer count for its source. An inner
//! block counts with the regions that it declares. In a block with an init, buffers that are written are not read: the
//! instances of a reduction are one update together.

use tilewright_expr::node;
use tilewright_support::{Map, with_stack};

use crate::tir::{BinOp, Block, Buffer, BufferRegion, Expr, ExprKind, Range, Stmt, StmtKind, Var};

/// The regions of a block, each buffer once, in order of first access.
#[derive(Clone, Debug, Default)]
pub struct BlockRegions {
    pub reads: Vec<BufferRegion>,
    pub writes: Vec<BufferRegion>,
}

/// Works out what the block reads and writes; what it declares itself is not looked at.
pub fn block_regions(block: &Block) -> BlockRegions {
    let mut detector = Detector { own: block.alloc_buffers.clone(), ..Detector::default() };
    let bound_outside = block.iters.iter().map(|iter| &iter.var);
    detector.outside = bound_outside.map(|var| var.id()).collect();
    for matched in &block.match_buffers {
        let source = detector.declared(&matched.source);
        detector.matched.push((matched.buffer.clone(), matched.source.buffer.clone(), source));
    }
    if let Some(init) = &block.init {
        detector.stmt(init);
    }
    detector.stmt(&block.body);
    let Detector { mut reads, writes, .. } = detector;
    if block.init.is_some() {
        reads.retain(|read| !writes.iter().any(|write| write.buffer == read.buffer));
    }
    let regions = |accesses: Vec<Access>| accesses.into_iter().map(Access::region).collect();
    BlockRegions { reads: regions(reads), writes: regions(writes) }
}

/// `sum(coefficient * term) + constant`; terms are pairwise different.
#[derive(Clone, Debug, Default)]
struct Linear {
    terms: Vec<(Expr, i64)>,
    constant: i64,
}

impl Linear {
    fn constant(constant: i64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    fn term(term: &Expr) -> Self {
        Self { terms: vec![(term.clone(), 1)], constant: 0 }
    }

    /// `self + factor * other`; `None` on overflow.
    fn plus(&self, factor: i64, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(factor.checked_mul(other.constant)?)?;
        for (term, coefficient) in &other.terms {
            let coefficient = factor.checked_mul(*coefficient)?;
            match sum.terms.iter_mut().find(|(known, _)| known.equal(term)) {
                Some((_, known)) => *known = known.checked_add(coefficient)?,
                None => sum.terms.push((term.clone(), coefficient)),
            }
        }
        sum.terms.retain(|(_, coefficient)| *coefficient != 0);
        Some(sum)
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The difference, if it is a constant.
    fn distance(&self, other: &Self) -> Option<i64> {
        self.plus(-1, other)?.as_constant()
    }

    fn expr(&self, dtype: tilewright_tensor::DataType) -> Option<Expr> {
        let mut sum: Option<Expr> = None;
        for (term, coefficient) in &self.terms {
            let term = term.cast(dtype).ok()?;
            let size = Expr::int(coefficient.checked_abs()?, dtype);
            let scaled = if coefficient.abs() == 1 { term } else { Expr::binary(BinOp::Mul, &term, &size).ok()? };
            sum = Some(match sum {
                None if *coefficient > 0 => scaled,
                None => Expr::binary(BinOp::Sub, &Expr::int(0, dtype), &scaled).ok()?,
                Some(sum) => {
                    Expr::binary(if *coefficient > 0 { BinOp::Add } else { BinOp::Sub }, &sum, &scaled).ok()?
                }
            });
        }
        let constant = |value: i64| Expr::int(value, dtype);
        match (sum, self.constant) {
            (None, value) => Some(constant(value)),
            (Some(sum), 0) => Some(sum),
            (Some(sum), value) if value > 0 => Expr::binary(BinOp::Add, &sum, &constant(value)).ok(),
            (Some(sum), value) => Expr::binary(BinOp::Sub, &sum, &constant(value.checked_neg()?)).ok(),
        }
    }
}

/// All integers from `low` to `high`, both included.
#[derive(Clone, Debug)]
struct Interval {
    low: Linear,
    high: Linear,
    /// The index itself, where it is a single value over what stays.
    exact: Option<Expr>,
}

impl Interval {
    fn point(value: Linear) -> Self {
        Self { low: value.clone(), high: value, exact: None }
    }

    /// The smallest interval with both in it.
    fn hull(&self, other: &Self) -> Option<Self> {
        if let (Some(0), Some(0)) = (self.low.distance(&other.low), self.high.distance(&other.high)) {
            return Some(self.clone());
        }
        let low = if self.low.distance(&other.low)? <= 0 { &self.low } else { &other.low };
        let high = if self.high.distance(&other.high)? >= 0 { &self.high } else { &other.high };
        Some(Self { low: low.clone(), high: high.clone(), exact: None })
    }
}

/// The box of all accesses to one buffer so far; `None` is a whole dimension.
#[derive(Clone, Debug)]
struct Access {
    buffer: Buffer,
    dims: Vec<Option<Interval>>,
}

impl Access {
    fn add(&mut self, dims: Vec<Option<Interval>>) {
        for (known, new) in self.dims.iter_mut().zip(dims) {
            *known = known.as_ref().zip(new.as_ref()).and_then(|(known, new)| known.hull(new));
        }
    }

    fn region(self) -> BufferRegion {
        let ranges = self.dims.iter().zip(&self.buffer.shape);
        let region = ranges.map(|(dim, extent)| {
            dim.as_ref().and_then(|dim| range(dim, extent)).unwrap_or_else(|| Range::up_to(extent.clone()))
        });
        BufferRegion { region: region.collect(), buffer: self.buffer }
    }
}

/// The interval as a range within a dimension of the extent.
fn range(interval: &Interval, extent: &Expr) -> Option<Range> {
    if let Some(exact) = &interval.exact {
        return Some(Range::new(exact.clone(), Expr::int(1, exact.dtype)));
    }
    let (mut low, mut high) = (interval.low.clone(), interval.high.clone());
    if low.as_constant().is_some_and(|low| low < 0) {
        low = Linear::constant(0);
    }
    if let (Some(last), Some(extent)) = (high.as_constant(), extent.as_int())
        && last >= extent
    {
        high = Linear::constant(extent - 1);
    }
    let size = high.plus(-1, &low)?.plus(1, &Linear::constant(1))?;
    Some(Range::new(low.expr(extent.dtype)?, size.expr(extent.dtype)?))
}

#[derive(Default)]
struct Detector {
    reads: Vec<Access>,
    writes: Vec<Access>,
    /// Memory that exists only inside.
    own: Vec<Buffer>,
    /// A buffer of this block, the one whose region it is, and that region.
    matched: Vec<(Buffer, Buffer, Vec<Option<Interval>>)>,
    /// The block's axes: they stay.
    outside: Vec<node::VarId>,
    /// Values of variables bound inside; `None` where they cannot be named.
    relaxed: Map<node::VarId, Option<Interval>>,
    /// By address, for nodes of the block itself.
    known: Map<usize, Option<Interval>>,
    /// By address, for expressions that stay.
    forms: Map<usize, Option<Linear>>,
}

impl Detector {
    fn stmt(&mut self, stmt: &Stmt) {
        with_stack(|| self.stmt_inside(stmt));
    }

    fn stmt_inside(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                self.loads(value);
                indices.iter().chain(predicate).for_each(|expr| self.loads(expr));
                let dims = self.dims(buffer, indices);
                self.access(true, buffer, dims);
            }
            StmtKind::For { var, min, extent, body, .. } => {
                self.loads(min);
                self.loads(extent);
                let values = self.loop_values(min, extent);
                self.relaxed.insert(var.id(), values);
                self.stmt(body);
            }
            StmtKind::While { condition, body } => {
                self.loads(condition);
                self.stmt(body);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.loads(condition);
                self.stmt(then);
                otherwise.iter().for_each(|stmt| self.stmt(stmt));
            }
            StmtKind::Let { var, value, body } => {
                self.loads(value);
                self.bind(var, value);
                self.stmt(body);
            }
            StmtKind::Assert { condition, .. } => self.loads(condition),
            StmtKind::Evaluate(value) => self.loads(value),
            StmtKind::Attr { node, value, body, .. } => {
                self.loads(node);
                self.loads(value);
                self.stmt(body);
            }
            StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            StmtKind::Allocate { buffer, body } | StmtKind::AllocateConst { buffer, body, .. } => {
                self.own.push(buffer.clone());
                self.stmt(body);
            }
            StmtKind::Block { values, predicate, block } => {
                values.iter().chain([predicate]).for_each(|expr| self.loads(expr));
                for (iter, value) in block.iters.iter().zip(values) {
                    self.bind(&iter.var, value);
                }
                for (writes, region) in
                    block.reads.iter().map(|r| (false, r)).chain(block.writes.iter().map(|w| (true, w)))
                {
                    let dims = self.declared(region);
                    self.access(writes, &region.buffer, dims);
                }
            }
        }
    }

    fn bind(&mut self, var: &Var, value: &Expr) {
        let values = self.interval(value).map(|interval| Interval { exact: None, ..interval });
        self.relaxed.insert(var.id(), values);
    }

    fn loop_values(&mut self, min: &Expr, extent: &Expr) -> Option<Interval> {
        let (min, extent) = (self.interval(min)?, self.interval(extent)?);
        let high = min.high.plus(1, &extent.high)?.plus(-1, &Linear::constant(1))?;
        Some(Interval { low: min.low, high, exact: None })
    }

    /// Notes every load in an expression, the outermost first.
    fn loads(&mut self, expr: &Expr) {
        node::walk_some(expr, |node| {
            let Some(inner) = node.downcast::<Expr>() else { return true };
            if let Some((_, indices, hints)) = inner.prefetched() {
                indices.iter().chain(hints).for_each(|operand| with_stack(|| self.loads(operand)));
                return false;
            }
            self.load(inner);
            true
        });
    }

    fn load(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load { buffer, indices, .. } => {
                let dims = self.dims(buffer, indices);
                self.access(false, buffer, dims);
            }
            // A foreign function may do anything with the memory at an address.
            ExprKind::AddressOf { buffer, .. } => {
                for writes in [false, true] {
                    self.access(writes, buffer, vec![None; buffer.rank()]);
                }
            }
            ExprKind::Let { var, value, .. } => self.bind(var, value),
            _ => {}
        }
    }

    fn dims(&mut self, buffer: &Buffer, indices: &[Expr]) -> Vec<Option<Interval>> {
        if indices.len() != buffer.rank() {
            return vec![None; buffer.rank()];
        }
        indices.iter().map(|index| self.interval(index)).collect()
    }

    fn declared(&mut self, region: &BufferRegion) -> Vec<Option<Interval>> {
        let of_range = |range: &Range| {
            let min = self.interval(&range.min)?;
            if range.extent.as_int() == Some(1) {
                return Some(min);
            }
            let size = self.interval(&range.extent)?;
            let high = min.high.plus(1, &size.high)?.plus(-1, &Linear::constant(1))?;
            Some(Interval { low: min.low, high, exact: None })
        };
        region.region.iter().map(of_range).collect()
    }

    fn access(&mut self, writes: bool, buffer: &Buffer, dims: Vec<Option<Interval>>) {
        if let Some((_, source, region)) = self.matched.iter().find(|(matched, ..)| matched == buffer) {
            let (source, region) = (source.clone(), region.clone());
            return self.note(writes, &source, region);
        }
        if !self.own.contains(buffer) {
            self.note(writes, buffer, dims);
        }
    }

    fn note(&mut self, writes: bool, buffer: &Buffer, dims: Vec<Option<Interval>>) {
        let accesses = if writes { &mut self.writes } else { &mut self.reads };
        match accesses.iter_mut().find(|access| access.buffer == *buffer) {
            Some(access) => access.add(dims),
            None => accesses.push(Access { buffer: buffer.clone(), dims }),
        }
    }

    /// The values of an index; `None` where they cannot be named.
    fn interval(&mut self, expr: &Expr) -> Option<Interval> {
        use node::AnyHandle;
        if let Some(known) = self.known.get(&expr.address()) {
            return known.clone();
        }
        let interval = with_stack(|| self.interval_inside(expr));
        self.known.insert(expr.address(), interval.clone());
        interval
    }

    fn interval_inside(&mut self, expr: &Expr) -> Option<Interval> {
        if expr.dtype.is_scalar() && self.stays(expr) {
            let value = self.linear(expr)?;
            return Some(Interval { exact: Some(expr.clone()), ..Interval::point(value) });
        }
        self.relaxed_interval(expr).map(|interval| Interval { exact: None, ..interval })
    }

    /// Whether the expression has one value for the whole instance.
    fn stays(&self, expr: &Expr) -> bool {
        let mut stays = true;
        let mut look = |e: &Expr| match &e.kind {
            ExprKind::Var(var) => stays &= self.outside.contains(&var.id()) || !self.relaxed.contains_key(&var.id()),
            ExprKind::Load { .. } | ExprKind::Let { .. } | ExprKind::Foreign { .. } => stays = false,
            _ => {}
        };
        look(expr);
        node::walk(&**expr, look);
        stays
    }

    /// The linear form of an expression that stays; what is not linear is a term of its own.
    fn linear(&mut self, expr: &Expr) -> Option<Linear> {
        use node::AnyHandle;
        if let Some(known) = self.forms.get(&expr.address()) {
            return known.clone();
        }
        let form = with_stack(|| self.linear_inside(expr));
        self.forms.insert(expr.address(), form.clone());
        form
    }

    fn linear_inside(&mut self, expr: &Expr) -> Option<Linear> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Linear::constant(*value)),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                match (op, a.as_constant(), b.as_constant()) {
                    (BinOp::Add, ..) => a.plus(1, &b),
                    (BinOp::Sub, ..) => a.plus(-1, &b),
                    (_, Some(factor), _) => Linear::default().plus(factor, &b),
                    (_, _, Some(factor)) => Linear::default().plus(factor, &a),
                    _ => Some(Linear::term(expr)),
                }
            }
            ExprKind::Cast(inner) if inner.dtype.is_int() && expr.dtype.bits >= inner.dtype.bits => self.linear(inner),
            _ => Some(Linear::term(expr)),
        }
    }

    fn relaxed_interval(&mut self, expr: &Expr) -> Option<Interval> {
        match &expr.kind {
            ExprKind::Var(var) => self.relaxed.get(&var.id()).cloned().flatten(),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.interval(a)?, self.interval(b)?);
                binary(*op, &a, &b)
            }
            ExprKind::Cast(inner) if inner.dtype.is_int() && expr.dtype.bits >= inner.dtype.bits => {
                self.interval(inner)
            }
            ExprKind::Broadcast(inner) => self.interval(inner),
            ExprKind::Ramp { base, stride } => {
                let (base, stride) = (self.interval(base)?, stride.as_int()?);
                let reach = stride.checked_mul(i64::from(expr.dtype.lanes) - 1)?;
                let low = base.low.plus(1, &Linear::constant(reach.min(0)))?;
                let high = base.high.plus(1, &Linear::constant(reach.max(0)))?;
                Some(Interval { low, high, exact: None })
            }
            _ => None,
        }
    }
}

fn binary(op: BinOp, a: &Interval, b: &Interval) -> Option<Interval> {
    let scaled = |a: &Interval, factor: i64| {
        let (low, high) = if factor >= 0 { (&a.low, &a.high) } else { (&a.high, &a.low) };
        let zero = Linear::default();
        Some(Interval { low: zero.plus(factor, low)?, high: zero.plus(factor, high)?, exact: None })
    };
    let constant =
        |interval: &Interval| interval.low.as_constant().filter(|_| interval.low.distance(&interval.high) == Some(0));
    match op {
        BinOp::Add => Some(Interval { low: a.low.plus(1, &b.low)?, high: a.high.plus(1, &b.high)?, exact: None }),
        BinOp::Sub => Some(Interval { low: a.low.plus(-1, &b.high)?, high: a.high.plus(-1, &b.low)?, exact: None }),
        BinOp::Mul => match (constant(a), constant(b)) {
            (Some(factor), _) => scaled(b, factor),
            (_, Some(factor)) => scaled(a, factor),
            _ => None,
        },
        BinOp::FloorDiv => {
            let divisor = constant(b).filter(|&divisor| divisor > 0)?;
            let end = |end: &Linear| Some(Linear::constant(end.as_constant()?.div_euclid(divisor)));
            Some(Interval { low: end(&a.low)?, high: end(&a.high)?, exact: None })
        }
        BinOp::FloorMod => {
            let divisor = constant(b).filter(|&divisor| divisor > 0)?;
            let within = |end: &Linear| end.as_constant().filter(|end| (0..divisor).contains(end));
            match (within(&a.low), within(&a.high)) {
                (Some(low), Some(high)) => {
                    Some(Interval { low: Linear::constant(low), high: Linear::constant(high), exact: None })
                }
                _ => Some(Interval { low: Linear::constant(0), high: Linear::constant(divisor - 1), exact: None }),
            }
        }
        _ => None,
    }
}
