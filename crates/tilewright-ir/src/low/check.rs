//! The properties of the flat form, one after the other.

use std::hash::{DefaultHasher, Hash, Hasher};

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, VarId, Visitor, walk};
use tilewright_support::{Diagnostic, Diagnostics, Map, Set, with_stack};
use tilewright_tensor::DataType;

use super::accesses::{Open, access, lane, parts};
use super::rows::{Split, splits};
use crate::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Range, Scope, Stmt, StmtKind, Var, written_data,
};

/// The axes of a launch, x first.
pub const BLOCKS: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
pub const THREADS: [&str; 3] = ["threadIdx.x", "threadIdx.y", "threadIdx.z"];
/// More than this many messages say nothing new.
const MAX_MESSAGES: usize = 20;

pub(super) fn check(function: &PrimFunc) -> Result<(), Diagnostics> {
    checked(function, false)
}

/// The form for GPUs.
pub(super) fn check_for_device(function: &PrimFunc) -> Result<(), Diagnostics> {
    checked(function, true)
}

fn checked(function: &PrimFunc, on_device: bool) -> Result<(), Diagnostics> {
    let mut cx = Check { written: written_data(&function.body), on_device, ..Check::default() };
    cx.params(function);
    cx.stmt(&function.body);
    let origins = function.origins.headline();
    for diagnostic in &mut cx.found {
        diagnostic.span = origins.first().cloned();
    }
    if cx.found.is_empty() { Ok(()) } else { Err(Diagnostics(cx.found)) }
}

#[derive(Default)]
struct Check {
    found: Vec<Diagnostic>,
    analyzer: Analyzer,
    vars: Set<VarId>,
    buffers: Set<VarId>,
    /// Their data variables.
    memory: Set<VarId>,
    /// Data variables of buffers that are stored to.
    written: Set<VarId>,
    /// Variables whose value was loaded.
    loaded_vars: Set<VarId>,
    /// The loads, calls and variables in the conditions that hold here, by their keys.
    guarded: Map<u64, Vec<Expr>>,
    /// The keys, in the order in which the conditions were met.
    guards: Vec<u64>,
    in_parallel: bool,
    /// Whether loops may be bound to blocks and threads of a GPU, and none to tasks.
    on_device: bool,
    /// The thread axes of the kernel around.
    axes: Vec<std::sync::Arc<str>>,
    /// Memory whose elements a loop of asserts in front has checked.
    checked: Vec<VarId>,
}

impl Check {
    fn problem(&mut self, message: String) {
        if self.found.len() < MAX_MESSAGES {
            let diagnostic = Diagnostic::error("TW0553", format!("not in the flat form: {message}"));
            self.found.push(diagnostic);
        }
    }

    fn params(&mut self, function: &PrimFunc) {
        for param in function.params.iter().filter(|p| p.buffer.is_none()) {
            self.vars.insert(param.var.id());
            if param.var.dtype.is_vector() || param.var.dtype.is_handle() {
                self.problem(format!("parameter `{}` is {}", param.var.name, param.var.dtype));
            }
        }
        let mut scalars_began = false;
        for param in &function.params {
            match &param.buffer {
                Some(_) if scalars_began => {
                    self.problem(format!("buffer `{}` comes after a scalar parameter", param.var.name));
                }
                Some(buffer) => {
                    self.declare(buffer);
                    if self.on_device {
                        buffer.shape.iter().for_each(|size| self.sizes(size));
                    }
                }
                None => scalars_began = true,
            }
        }
    }

    /// Variables that are factors of a tensor's size are sizes themselves.
    fn sizes(&mut self, size: &Expr) {
        match &size.kind {
            ExprKind::Binary(BinOp::Mul, a, b) => [a, b].into_iter().for_each(|factor| self.sizes(factor)),
            ExprKind::Var(var) => self.analyzer.bind_bounds(var, Some(0), None),
            _ => {}
        }
    }

    fn declare(&mut self, buffer: &Buffer) {
        if buffer.rank() != 1 {
            self.problem(format!("buffer `{}` has {} dimensions, expected 1", buffer.name, buffer.rank()));
        }
        if !buffer.strides.is_empty() || buffer.elem_offset.is_some() {
            self.problem(format!("buffer `{}` has strides or an offset", buffer.name));
        }
        if buffer.dtype.is_vector() || buffer.dtype.is_handle() {
            self.problem(format!("buffer `{}` has elements of type {}", buffer.name, buffer.dtype));
        }
        for dim in &buffer.shape {
            self.expr(dim);
        }
        if !self.memory.insert(buffer.data.id()) {
            self.problem(format!("buffer `{}` shares its data variable with another", buffer.name));
        }
        self.buffers.insert(buffer.id());
    }

    fn stmt(&mut self, stmt: &Stmt) {
        with_stack(|| self.stmt_kind(&stmt.kind));
    }

    fn stmt_kind(&mut self, stmt: &StmtKind) {
        match stmt {
            StmtKind::Store { buffer, indices, value, predicate } => {
                self.access(buffer, indices, predicate.as_ref());
                self.expr(value);
                predicate.iter().for_each(|p| self.expr(p));
            }
            StmtKind::For { var, min, extent, kind, body, .. } => self.loop_over(var, min, extent, kind, body),
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.guarded(Some(condition), body);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.guarded(Some(condition), then);
                otherwise.iter().for_each(|s| self.guarded(None, s));
            }
            StmtKind::Let { var, value, body } => self.let_in(var, value, body),
            StmtKind::Assert { condition, .. } => self.expr(condition),
            StmtKind::Seq(stmts) => self.seq(stmts),
            StmtKind::Evaluate(expr) => self.expr(expr),
            StmtKind::Block { block, .. } => self.problem(format!("block `{}`", block.name)),
            StmtKind::Attr { key, .. } => self.problem(format!("attribute `{key}`")),
            StmtKind::AllocateConst { buffer, .. } => self.problem(format!("constant memory `{}`", buffer.name)),
            StmtKind::Allocate { buffer, body } => {
                self.allocation(buffer);
                self.declare(buffer);
                self.stmt(body);
                self.buffers.remove(&buffer.id());
                self.memory.remove(&buffer.data.id());
            }
        }
    }

    /// An assert guards what follows it in its sequence.
    fn seq(&mut self, stmts: &[Stmt]) {
        let (scope, guards, checked) = (self.analyzer.enter(), self.guards.len(), self.checked.len());
        for stmt in stmts {
            self.stmt(stmt);
            match &stmt.kind {
                StmtKind::Assert { condition, .. } => self.assume(condition),
                StmtKind::For { body, .. } => self.checked.extend(checked_in_all(body)),
                _ => {}
            }
        }
        self.checked.truncate(checked);
        self.forget(guards);
        self.analyzer.leave(scope);
    }

    fn guarded(&mut self, condition: Option<&Expr>, body: &Stmt) {
        let (scope, guards) = (self.analyzer.enter(), self.guards.len());
        condition.iter().for_each(|c| self.assume(c));
        self.stmt(body);
        self.forget(guards);
        self.analyzer.leave(scope);
    }

    /// A value loaded from memory that the function writes may have changed later.
    fn assume(&mut self, condition: &Expr) {
        let mut stable = true;
        walk(condition, |e: &Expr| {
            if let ExprKind::Load { buffer, .. } = &e.kind {
                stable &= !self.written.contains(&buffer.data.id());
            }
            if matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. } | ExprKind::Var(_)) {
                let key = key(e);
                self.guarded.entry(key).or_default().push(e.clone());
                self.guards.push(key);
            }
        });
        if stable {
            self.analyzer.assume(condition);
            self.assume_room(condition);
        }
    }

    /// Where something that is not negative is less than a limit, the limit is above 0.
    fn assume_room(&mut self, condition: &Expr) {
        match &condition.kind {
            ExprKind::Binary(BinOp::And, a, b) => [a, b].into_iter().for_each(|side| self.assume_room(side)),
            ExprKind::Compare(CmpOp::Lt, a, b) if self.analyzer.bounds(a).min.is_some_and(|least| least >= 0) => {
                self.assume_some(b);
            }
            _ => {}
        }
    }

    /// A number is above 0, and so are its factors, of which none is negative.
    fn assume_some(&mut self, number: &Expr) {
        if let Ok(some) = Expr::compare(CmpOp::Lt, &Expr::int(0, number.dtype), number) {
            self.analyzer.assume(&some);
        }
        if let ExprKind::Binary(BinOp::Mul, a, b) = &number.kind
            && [a, b].into_iter().all(|factor| self.analyzer.bounds(factor).min.is_some_and(|least| least >= 0))
        {
            [a, b].into_iter().for_each(|factor| self.assume_some(factor));
        }
    }

    /// Drops the conditions after the first `keys` keys.
    fn forget(&mut self, known: usize) {
        for key in self.guards.drain(known.min(self.guards.len())..) {
            self.guarded.get_mut(&key).and_then(Vec::pop);
        }
    }

    fn loop_over(&mut self, var: &Var, min: &Expr, extent: &Expr, kind: &ForKind, body: &Stmt) {
        match kind {
            ForKind::Serial => {}
            ForKind::ThreadBinding(tag) if self.on_device => self.axis(tag, min, extent),
            ForKind::Parallel if self.on_device => {
                self.problem(format!("loop over `{}` has tasks on a GPU", var.name));
            }
            ForKind::Parallel if self.in_parallel => {
                self.problem(format!("parallel loop over `{}` inside another", var.name));
            }
            ForKind::Parallel => {}
            ForKind::Vectorized | ForKind::Unrolled | ForKind::ThreadBinding(_) => {
                self.problem(format!("loop over `{}` is {kind:?}", var.name));
            }
        }
        for bound in [min, extent] {
            self.expr(bound);
            if bound.dtype != var.dtype || !is_index(bound.dtype) {
                self.problem(format!("loop variable `{}` is {}, its bound {}", var.name, var.dtype, bound.dtype));
            }
        }
        let scope = self.analyzer.enter();
        let outer = self.in_parallel;
        self.in_parallel |= *kind == ForKind::Parallel;
        let axes = self.axes.len();
        if let ForKind::ThreadBinding(tag) = kind {
            self.axes.push(tag.clone());
        }
        self.vars.insert(var.id());
        self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
        // If the body runs, the loop has iterations.
        if let Ok(runs) = Expr::compare(CmpOp::Lt, &Expr::int(0, extent.dtype), extent) {
            self.analyzer.assume(&runs);
        }
        self.stmt(body);
        self.vars.remove(&var.id());
        self.in_parallel = outer;
        self.axes.truncate(axes);
        self.analyzer.leave(scope);
    }

    /// An axis of blocks or threads counts from 0; one of threads to a constant.
    fn axis(&mut self, tag: &str, min: &Expr, extent: &Expr) {
        if min.as_int() != Some(0) {
            self.problem(format!("`{tag}` does not begin at 0"));
        }
        let is_thread = THREADS.contains(&tag);
        if !is_thread && !BLOCKS.contains(&tag) {
            self.problem(format!("`{tag}` is no axis of blocks or threads"));
        }
        if is_thread && extent.as_int().is_none() {
            self.problem(format!("the number of threads on `{tag}` is no constant"));
        }
        if self.axes.iter().any(|known| **known == *tag) {
            self.problem(format!("`{tag}` is bound twice in a kernel"));
        }
    }

    fn let_in(&mut self, var: &Var, value: &Expr, body: &Stmt) {
        self.expr(value);
        if self.holds_data(value) {
            self.loaded_vars.insert(var.id());
        }
        let scope = self.analyzer.enter();
        self.analyzer.bind_value(var, value);
        self.vars.insert(var.id());
        self.stmt(body);
        self.vars.remove(&var.id());
        self.analyzer.leave(scope);
    }

    fn allocation(&mut self, buffer: &Buffer) {
        let fits = |extent: &Expr| match extent.as_int() {
            Some(extent) => extent >= 0,
            None => extent.dtype == DataType::I64,
        };
        if !buffer.shape.iter().all(fits) {
            self.problem(format!("the size of temporary `{}` is negative or no int64", buffer.name));
        }
        if self.on_device {
            let (scope, inside) = (buffer.scope.plain(), !self.axes.is_empty());
            let fits = match scope {
                Scope::Global => !inside,
                Scope::Local => inside,
                _ => inside && buffer.constant_shape().is_some(),
            };
            if !fits {
                let place = if inside { "inside of" } else { "outside of" };
                let scope = buffer.scope.name();
                self.problem(format!("temporary `{}` of {scope} memory is {place} a kernel", buffer.name));
            }
            return;
        }
        if !matches!(buffer.scope, Scope::Global | Scope::Local) {
            self.problem(format!("temporary `{}` lies in {} memory", buffer.name, buffer.scope.name()));
        }
    }

    /// Checks that variables are defined, and accesses, everywhere in the expression.
    fn expr(&mut self, expr: &Expr) {
        let mut bound = Set::default();
        let mut nodes = Vec::new();
        walk(expr, |e: &Expr| nodes.push(e.clone()));
        let mut known = Map::default();
        for node in &nodes {
            if let ExprKind::Let { var, value, .. } = &node.kind {
                bound.insert(var.id());
                if self.holds_data_known(value, &mut known) {
                    self.loaded_vars.insert(var.id());
                }
            }
        }
        let mut open = Set::default();
        for node in &nodes {
            match &node.kind {
                ExprKind::Var(var) if !self.vars.contains(&var.id()) && !bound.contains(&var.id()) => {
                    self.problem(format!("variable `{}` is not defined where it is used", var.name));
                }
                _ => {
                    if let Some((buffer, indices, mask)) = access(node)
                        && let Some(index) = self.index_of(buffer, indices)
                        && !self.is_admitted(buffer, index, mask)
                    {
                        open.insert(node.address());
                    }
                }
            }
        }
        if !open.is_empty() {
            self.below_conditions(expr, &mut Open::new(open));
        }
    }

    /// Refuses accesses that the conditions around them in the expression do not admit either: of `if_then_else` only
    /// the branch that is taken is evaluated.
    fn below_conditions(&mut self, expr: &Expr, open: &mut Open) {
        if !open.is_above_some(expr) || !open.seen.insert((expr.address(), open.way)) {
            return;
        }
        match &expr.kind {
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } if args.len() == 3 => {
                self.below_conditions(&args[0], open);
                let (scope, guards, way) = (self.analyzer.enter(), self.guards.len(), open.way);
                let mut hasher = DefaultHasher::new();
                (way, args[0].address()).hash(&mut hasher);
                open.way = hasher.finish();
                self.assume(&args[0]);
                self.below_conditions(&args[1], open);
                open.way = way;
                self.forget(guards);
                self.analyzer.leave(scope);
                self.below_conditions(&args[2], open);
            }
            _ => {
                if let Some((buffer, indices, mask)) = access(expr).filter(|_| open.accesses.contains(&expr.address()))
                {
                    self.admit(buffer, indices, mask);
                }
                for part in parts(expr) {
                    with_stack(|| self.below_conditions(&part, open));
                }
            }
        }
    }

    fn access(&mut self, buffer: &Buffer, indices: &[Expr], mask: Option<&Expr>) {
        indices.iter().for_each(|index| self.expr(index));
        if self.index_of(buffer, indices).is_some() {
            self.admit(buffer, indices, mask);
        }
    }

    /// Refuses an index of loaded data that nothing admits.
    fn admit(&mut self, buffer: &Buffer, indices: &[Expr], mask: Option<&Expr>) {
        if indices.iter().any(|index| !self.is_admitted(buffer, index, mask)) {
            self.problem(format!("an index of buffer `{}` contains loaded data without a guard", buffer.name));
        }
    }

    fn is_admitted(&mut self, buffer: &Buffer, index: &Expr, mask: Option<&Expr>) -> bool {
        if !self.holds_data(index) || self.is_guarded(index) || self.is_inside(buffer, index) {
            return true;
        }
        (index.dtype.is_vector() || mask.is_some())
            && (0..i64::from(index.dtype.lanes)).all(|number| self.is_lane_inside(buffer, index, mask, number))
    }

    /// Whether one lane is inside where the mask lets it be accessed.
    fn is_lane_inside(&mut self, buffer: &Buffer, index: &Expr, mask: Option<&Expr>, number: i64) -> bool {
        let Some(index) = lane(index, number) else { return false };
        let condition = mask.and_then(|mask| lane(mask, number));
        let scope = self.analyzer.enter();
        let never = condition.as_ref().is_some_and(|c| c.not().is_ok_and(|not| self.analyzer.prove(&not)));
        condition.iter().for_each(|condition| self.analyzer.assume(condition));
        let inside = never || self.is_inside(buffer, &index);
        self.analyzer.leave(scope);
        inside
    }

    /// The one index of an access, of which buffer and type are checked.
    fn index_of<'a>(&mut self, buffer: &Buffer, indices: &'a [Expr]) -> Option<&'a Expr> {
        if !self.buffers.contains(&buffer.id()) {
            self.problem(format!("buffer `{}` is not defined where it is used", buffer.name));
        }
        let [index] = indices else {
            self.problem(format!("{} indices into buffer `{}`, expected 1", indices.len(), buffer.name));
            return None;
        };
        if !is_index(index.dtype.element()) {
            self.problem(format!("the index of buffer `{}` is {}", buffer.name, index.dtype));
        }
        Some(index)
    }

    fn holds_data(&self, expr: &Expr) -> bool {
        let mut found = false;
        walk(expr, |e: &Expr| {
            found |= match &e.kind {
                ExprKind::Load { .. } | ExprKind::Foreign { .. } => true,
                ExprKind::Var(var) => self.loaded_vars.contains(&var.id()),
                _ => false,
            };
        });
        found
    }

    /// The same, with results by address that the caller keeps for nodes that it keeps alive.
    fn holds_data_known(&self, expr: &Expr, known: &mut Map<usize, bool>) -> bool {
        struct Below<'a>(&'a Check, &'a mut Map<usize, bool>, bool);
        impl Visitor for Below<'_> {
            fn visit(&mut self, node: &dyn AnyHandle) {
                if let Some(expr) = node.downcast::<Expr>() {
                    self.2 |= self.0.holds_data_known(expr, self.1);
                }
            }
        }
        if let Some(&holds) = known.get(&expr.address()) {
            return holds;
        }
        let holds = match &expr.kind {
            ExprKind::Load { .. } | ExprKind::Foreign { .. } => true,
            ExprKind::Var(var) => self.loaded_vars.contains(&var.id()),
            _ => {
                let mut below = Below(self, known, false);
                with_stack(|| expr.visit_inside(&mut below));
                below.2
            }
        };
        known.insert(expr.address(), holds);
        holds
    }

    /// Whether every load in the index is in a condition that holds here.
    fn is_guarded(&self, index: &Expr) -> bool {
        let mut guarded = true;
        walk(index, |e: &Expr| {
            let data = match &e.kind {
                ExprKind::Load { .. } | ExprKind::Foreign { .. } => true,
                ExprKind::Var(var) => self.loaded_vars.contains(&var.id()),
                _ => false,
            };
            let checked = match &e.kind {
                ExprKind::Load { buffer, .. } => self.checked.contains(&buffer.data.id()),
                _ => false,
            };
            guarded &= !data || checked || self.is_in_condition(e);
        });
        guarded
    }

    /// Whether a condition that holds here has the load, call or variable: the same, or the load of an element that is
    /// provably the same.
    fn is_in_condition(&self, expr: &Expr) -> bool {
        if self.guarded.get(&key(expr)).is_some_and(|known| known.iter().any(|known| known.equal(expr))) {
            return true;
        }
        let ExprKind::Load { buffer, indices, predicate: None } = &expr.kind else { return false };
        let [index] = indices.as_slice() else { return false };
        self.guarded.values().flatten().any(|known| match &known.kind {
            ExprKind::Load { buffer: other, indices, predicate: None } if buffer == other => {
                matches!(indices.as_slice(), [at] if at.dtype == index.dtype && self.analyzer.prove_equal(at, index))
            }
            _ => false,
        })
    }

    fn is_inside(&self, buffer: &Buffer, index: &Expr) -> bool {
        buffer.shape.first().is_some_and(|size| self.is_inside_extent(size, index))
    }

    fn is_inside_extent(&self, size: &Expr, index: &Expr) -> bool {
        let zero = Expr::int(0, index.dtype);
        let bounds = self.analyzer.bounds(index);
        let within = size.as_int().is_some_and(|size| bounds.at_least(0) && bounds.at_most(size - 1));
        let prove = |op, a: &Expr, b: &Expr| Expr::compare(op, a, b).is_ok_and(|c| self.analyzer.prove(&c));
        let decided = || prove(CmpOp::Le, &zero, index) && prove(CmpOp::Lt, index, size);
        within || decided() || self.is_inside_rows(size, index)
    }

    /// Whether the size is that of rows of symbolic lengths, and the index that of a row and of a column in it. An
    /// assert may cover one of the two alone: the other is always inside.
    fn is_inside_rows(&self, size: &Expr, index: &Expr) -> bool {
        splits(size, index).into_iter().any(|Split { rows, row, length, column }| {
            let inside = |size: &Expr, index: &Expr| {
                let index = self.analyzer.simplify(index);
                (self.holds_data(&index) && self.is_guarded(&index)) || self.is_inside_extent(size, &index)
            };
            inside(&length, &column) && inside(&rows, &row)
        })
    }
}

/// The memory that the asserts of a loop read, where it does nothing else.
fn checked_in_all(body: &Stmt) -> Vec<VarId> {
    let stmts = match &body.kind {
        StmtKind::Seq(stmts) => stmts.as_slice(),
        _ => std::slice::from_ref(body),
    };
    let mut read = Vec::new();
    for stmt in stmts {
        let StmtKind::Assert { condition, .. } = &stmt.kind else { return Vec::new() };
        walk(condition, |buffer: &Buffer| read.push(buffer.data.id()));
    }
    read
}

fn is_index(dtype: DataType) -> bool {
    dtype == DataType::I32 || dtype == DataType::I64
}

/// The same for equal expressions, and rarely for others: it depends on what they name.
fn key(expr: &Expr) -> u64 {
    let mut names = 0u64;
    let mut binds = false;
    walk(expr, |e: &Expr| binds |= matches!(e.kind, ExprKind::Let { .. }));
    walk(expr, |var: &Var| {
        let mut hasher = DefaultHasher::new();
        var.id().hash(&mut hasher);
        names = names.wrapping_add(hasher.finish());
    });
    // Equal expressions may bind different variables.
    if binds { 0 } else { names }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attrs;
    use crate::low::LowTir;
    use crate::tir::Param;
    use tilewright_support::Origins;

    fn buffer(name: &str, dtype: DataType) -> Buffer {
        Buffer::new(name, vec![Expr::i64(16)], dtype)
    }

    fn refused(params: Vec<Param>, body: Stmt) -> String {
        let function = PrimFunc { params, attrs: Attrs::new(), body, origins: Origins::default() };
        LowTir::new("f", function).map_or_else(|e| e.to_string(), |_| String::new())
    }

    fn zero(buffer: &Buffer, index: &Expr) -> Stmt {
        Stmt::store(buffer, vec![index.clone()], &Expr::number(0, buffer.dtype)).unwrap()
    }

    #[test]
    fn each_property_has_its_message() {
        let a = buffer("A", DataType::F32);
        let i = Var::new("i", DataType::I64);
        let params = || vec![Param::buffer(&a)];
        let at = |index: &Expr| zero(&a, index);
        let run = |kind, body| Stmt::for_loop(&i, Expr::i64(0), Expr::i64(16), kind, body);
        assert_eq!(refused(params(), run(ForKind::Serial, at(&Expr::var(&i)))), "");
        for (body, part) in [
            (run(ForKind::Vectorized, at(&Expr::i64(0))), "loop over `i` is Vectorized"),
            (run(ForKind::Parallel, run(ForKind::Parallel, at(&Expr::i64(0)))), "inside another"),
            (at(&Expr::var(&i)), "variable `i` is not defined"),
            (zero(&buffer("B", DataType::F32), &Expr::i64(0)), "buffer `B` is not defined"),
            (at(&Expr::int(0, DataType::U8)), "the index of buffer `A` is uint8"),
        ] {
            let message = refused(params(), body);
            assert!(message.contains(part), "{message}");
        }
        let wide = Buffer::new("W", vec![Expr::i64(4), Expr::i64(4)], DataType::F32);
        assert!(refused(vec![Param::buffer(&wide)], Stmt::nothing()).contains("2 dimensions"));
        let after_scalar = vec![Param::scalar(&i), Param::buffer(&a)];
        assert!(refused(after_scalar, Stmt::nothing()).contains("after a scalar"));
    }

    #[test]
    fn loaded_indices_need_a_guard_or_a_proof() {
        let (a, b, c) = (buffer("A", DataType::I32), buffer("B", DataType::F32), buffer("C", DataType::U8));
        let params = vec![Param::buffer(&a), Param::buffer(&b), Param::buffer(&c)];
        let loaded = Expr::load(&a, vec![Expr::i64(0)]).unwrap();
        let below = |e: &Expr, n| Expr::compare(CmpOp::Lt, e, &Expr::number(n, e.dtype)).unwrap();
        assert!(refused(params.clone(), zero(&b, &loaded)).contains("contains loaded data"));
        let guard: Stmt = StmtKind::Assert { condition: below(&loaded, 16), message: "guard".into() }.into();
        assert_eq!(refused(params.clone(), Stmt::seq([guard, zero(&b, &loaded)])), "");
        let byte = Expr::load(&c, vec![Expr::i64(0)]).unwrap().cast(DataType::I32).unwrap();
        let low = Expr::binary(crate::tir::BinOp::FloorDiv, &byte, &Expr::i32(16)).unwrap();
        assert_eq!(refused(params.clone(), zero(&b, &low)), "");
        assert!(refused(params.clone(), zero(&b, &byte)).contains("contains loaded data"));
    }

    #[test]
    fn a_condition_in_an_expression_guards_the_branch_that_it_chooses() {
        let n = Var::new("n", DataType::I32);
        let (a, out) = (buffer("A", DataType::I32), buffer("out", DataType::F32));
        let b = Buffer::new("B", vec![Expr::var(&n).cast(DataType::I64).unwrap()], DataType::F32);
        let params = vec![Param::buffer(&a), Param::buffer(&b), Param::buffer(&out), Param::scalar(&n)];
        let size = Expr::var(&n).cast(DataType::I64).unwrap();
        let loaded = Expr::load(&a, vec![Expr::i64(0)]).unwrap().cast(DataType::I64).unwrap();
        let held = Expr::binary(crate::tir::BinOp::Max, &loaded, &Expr::i64(0)).unwrap();
        let held = Expr::binary(crate::tir::BinOp::Min, &held, &(size.clone() - 1)).unwrap();
        let element = Expr::load(&b, vec![held]).unwrap();
        let any = Expr::compare(CmpOp::Gt, &size, &Expr::i64(0)).unwrap();
        let nothing = Expr::float(0.0, DataType::F32);
        let choice = |then: &Expr, other: &Expr| {
            let chosen = Expr::call(Intrinsic::IfThenElse, &[any.clone(), then.clone(), other.clone()]).unwrap();
            refused(params.clone(), Stmt::store(&out, vec![Expr::i64(0)], &chosen).unwrap())
        };
        assert_eq!(choice(&element, &nothing), "");
        assert!(choice(&nothing, &element).contains("without a guard"));
        assert!(choice(&element, &element).contains("without a guard"));
    }

    #[test]
    fn an_index_in_vectors_is_looked_at_lane_by_lane() {
        let (a, b, out) = (buffer("A", DataType::I64), buffer("B", DataType::F32), buffer("out", DataType::F32));
        let params = vec![Param::buffer(&a), Param::buffer(&b), Param::buffer(&out)];
        let run = |stride| Expr::ramp(&Expr::i64(0), &Expr::i64(stride), 4).unwrap();
        let four = |value| Expr::i64(value).broadcast(4).unwrap();
        let loaded = Expr::load(&a, vec![run(1)]).unwrap();
        let held = Expr::binary(crate::tir::BinOp::Max, &loaded, &four(0)).unwrap();
        let held = Expr::binary(crate::tir::BinOp::Min, &held, &four(3)).unwrap();
        let gathered = |stride| {
            let element = Expr::load(&b, vec![run(stride) + held.clone()]).unwrap();
            refused(params.clone(), Stmt::store(&out, vec![run(1)], &element).unwrap())
        };
        assert_eq!(gathered(4), "");
        assert!(gathered(5).contains("without a guard"));
    }
}
