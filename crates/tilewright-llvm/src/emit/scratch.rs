//! Temporaries: on the stack, in scratch memory at offsets that are planned for the whole kernel, or allocated by the
//! runtime where their size is known only at run time.
//!
//! Scratch memory is divided into slots. Temporaries with disjoint live ranges share a slot. A live range extends from
//! the first to the last use in statement order; a use in a loop inside the `Allocate` counts for the whole loop, which
//! may have loop-carried values. The temporaries of a slot have one address, which is one parameter: no two `noalias`
//! parameters overlap.

use tilewright_expr::node::{VarId, walk, walk_some};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, ForKind, Scope, Stmt, StmtKind};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;
use tilewright_tensor::abi::{Status, TENSOR_ALIGN, offsets};

use super::function::{Binding, FnCx, Position, Result, Source};
use super::text::Value;
use super::unit::Unit;

/// Bytes up to which a local buffer is on the stack; a larger one is in scratch memory.
const MAX_STACK_BUFFER_BYTES: u64 = 16 * 1024;
/// Bytes of stack memory of one function.
const MAX_STACK_BYTES: u64 = 128 * 1024;

/// The slots of a kernel's scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Offset and size in bytes.
    slots: Vec<(u64, u64)>,
    slot_of: Map<VarId, usize>,
}

/// A temporary in scratch memory and its live range.
struct Lifetime {
    id: VarId,
    bytes: u64,
    /// Loops around its `Allocate`.
    depth: usize,
    /// First and last use; none without uses.
    alive: Option<(usize, usize)>,
}

impl Lifetime {
    fn meets(&self, other: &Self) -> bool {
        match (self.alive, other.alive) {
            (Some((a, b)), Some((c, d))) => a <= d && c <= b,
            _ => false,
        }
    }
}

/// Plans the scratch memory of a kernel and reserves it.
pub(crate) fn plan(unit: &mut Unit<'_>, body: &Stmt) -> Result<()> {
    let mut scan = Scan { unit, now: 0, loops: Vec::new(), stack_left: MAX_STACK_BYTES, found: Vec::new() };
    scan.stmt(body)?;
    let mut found = scan.found;
    found.sort_by_key(|lifetime| std::cmp::Reverse(lifetime.bytes));
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (number, lifetime) in found.iter().enumerate() {
        let free = members.iter().position(|slot| slot.iter().all(|&other| !found[other].meets(lifetime)));
        match free {
            Some(slot) => members[slot].push(number),
            None => members.push(vec![number]),
        }
    }
    let mut scratch = Scratch::default();
    for (slot, numbers) in members.iter().enumerate() {
        let bytes = numbers.iter().map(|&number| found[number].bytes).max().unwrap_or(0);
        scratch.slots.push((unit.reserve_scratch(bytes)?, bytes));
        scratch.slot_of.extend(numbers.iter().map(|&number| (found[number].id, slot)));
    }
    unit.scratch = scratch;
    Ok(())
}

struct Scan<'s, 'a> {
    unit: &'s Unit<'a>,
    /// The number of the statement.
    now: usize,
    /// The first statement of each enclosing loop.
    loops: Vec<usize>,
    stack_left: u64,
    found: Vec<Lifetime>,
}

impl Scan<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        self.now += 1;
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            self.used(buffer);
        }
        if !matches!(stmt.kind, StmtKind::Allocate { .. }) {
            walk(&stmt.own_exprs(), |buffer: &Buffer| self.used(buffer));
        }
        match &stmt.kind {
            StmtKind::For { kind: ForKind::Parallel, body, .. } => {
                let left = std::mem::replace(&mut self.stack_left, MAX_STACK_BYTES);
                self.repeated(body)?;
                self.stack_left = left;
            }
            StmtKind::For { body, .. } => self.repeated(body)?,
            StmtKind::While { condition, body } => {
                self.repeated(body)?;
                // It is evaluated again after the body.
                walk(condition, |buffer: &Buffer| self.used(buffer));
            }
            StmtKind::If { then, otherwise, .. } => {
                for branch in [then].into_iter().chain(otherwise) {
                    with_stack(|| self.stmt(branch))?;
                }
            }
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|s| with_stack(|| self.stmt(s)))?,
            StmtKind::Let { body, .. } | StmtKind::Attr { body, .. } | StmtKind::AllocateConst { body, .. } => {
                with_stack(|| self.stmt(body))?;
            }
            StmtKind::Allocate { buffer, body } => {
                self.allocate(buffer)?;
                with_stack(|| self.stmt(body))?;
            }
            StmtKind::Store { .. } | StmtKind::Block { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
        }
        Ok(())
    }

    fn repeated(&mut self, body: &Stmt) -> Result<()> {
        let start = self.now;
        self.loops.push(start);
        with_stack(|| self.stmt(body))?;
        self.loops.pop();
        self.now += 1;
        let (now, depth) = (self.now, self.loops.len());
        for lifetime in self.found.iter_mut().filter(|lifetime| lifetime.depth <= depth) {
            if let Some((_, last)) = &mut lifetime.alive
                && *last >= start
            {
                *last = now;
            }
        }
        Ok(())
    }

    fn allocate(&mut self, buffer: &Buffer) -> Result<()> {
        let Some(bytes) = constant_bytes(self.unit, buffer)? else { return Ok(()) };
        let id = buffer.data.id();
        if on_stack(&buffer.scope, bytes, &mut self.stack_left) || self.found.iter().any(|known| known.id == id) {
            return Ok(());
        }
        self.found.push(Lifetime { id, bytes, depth: self.loops.len(), alive: None });
        Ok(())
    }

    fn used(&mut self, buffer: &Buffer) {
        let id = buffer.data.id();
        let Some(lifetime) = self.found.iter_mut().find(|lifetime| lifetime.id == id) else { return };
        let from = self.loops.get(lifetime.depth).copied().unwrap_or(self.now);
        let (first, last) = lifetime.alive.unwrap_or((from, self.now));
        lifetime.alive = Some((first.min(from), last.max(self.now)));
    }
}

fn on_stack(scope: &Scope, bytes: u64, stack_left: &mut u64) -> bool {
    let fits = *scope == Scope::Local && bytes <= MAX_STACK_BUFFER_BYTES && bytes <= *stack_left;
    if fits {
        *stack_left -= bytes;
    }
    fits
}

/// Bytes of an `Allocate` of constant size.
fn constant_bytes(unit: &Unit<'_>, buffer: &Buffer) -> Result<Option<u64>> {
    unit.check_type(buffer.dtype)?;
    let Some(shape) = buffer.constant_shape() else { return Ok(None) };
    if shape.iter().any(|&extent| extent < 0) {
        return Err(unit.malformed(format!("temporary `{}` has a negative size", buffer.name)));
    }
    let bytes = shape
        .iter()
        .try_fold(buffer.dtype.element_bytes() as u64, |bytes, &extent| bytes.checked_mul(extent.unsigned_abs()));
    match bytes {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(unit.unsupported(format!("the size of temporary `{}` overflows", buffer.name))),
    }
}

/// The scratch memory that a function uses, as parameters. Parallel loops are left out: their tasks have their own.
pub(crate) fn scratch_bindings(unit: &Unit<'_>, body: &Stmt) -> Vec<Binding> {
    let mut bindings: Map<usize, Binding> = Map::default();
    let mut order = Vec::new();
    let mut seen = Set::default();
    walk_some(body, |node| match node.downcast::<Stmt>().map(|stmt| &stmt.kind) {
        Some(StmtKind::For { kind: ForKind::Parallel, .. }) => false,
        Some(StmtKind::Allocate { buffer, .. }) => {
            if let Some(&slot) = unit.scratch.slot_of.get(&buffer.data.id())
                && seen.insert(buffer.data.id())
            {
                let var = buffer.data.clone();
                match bindings.get_mut(&slot) {
                    Some(binding) => binding.others.push(var),
                    None => {
                        let source = Source::Scratch(unit.scratch.slots[slot].0);
                        let binding = Binding { var, others: Vec::new(), source, align: TENSOR_ALIGN, readonly: false };
                        bindings.insert(slot, binding);
                        order.push(slot);
                    }
                }
            }
            true
        }
        Some(_) => true,
        None => false,
    });
    order.iter().filter_map(|slot| bindings.remove(slot)).collect()
}

impl FnCx<'_, '_> {
    pub(crate) fn allocate(&mut self, buffer: &Buffer, body: &Stmt) -> Result<()> {
        // A temporary in scratch memory is a parameter of the function.
        if self.has_value(&buffer.data) {
            return self.stmt(body);
        }
        match constant_bytes(self.unit, buffer)? {
            Some(bytes) => {
                let address = match self.shared_memory(buffer, bytes) {
                    Some(address) => address,
                    None => self.stack_memory(buffer, bytes),
                };
                self.bind(&buffer.data, address)?;
                self.stmt(body)?;
            }
            None if self.unit.is_device() => {
                let what =
                    format!("the size of temporary `{}` of a thread is not known when it is compiled", buffer.name);
                return Err(self.unit.unsupported(what));
            }
            None => {
                let address = self.allocate_at_run_time(buffer)?;
                self.bind(&buffer.data, address.clone())?;
                self.stmt(body)?;
                let free = self.context_field(offsets::FREE);
                self.body.line(format_args!("call void {free}(ptr %cx, ptr {address})"));
            }
        }
        self.unbind(&buffer.data);
        Ok(())
    }

    /// Allocates from the runtime. The function fails where there is no memory or the number of bytes overflows.
    fn allocate_at_run_time(&mut self, buffer: &Buffer) -> Result<Value> {
        self.begin_statement()?;
        let [elements] = buffer.shape.as_slice() else {
            return Err(self.unit.malformed(format!("temporary `{}` has {} dimensions", buffer.name, buffer.rank())));
        };
        let (elements, overflow) = self.checked(elements)?;
        let width = Value::constant(buffer.dtype.element_bytes().to_string());
        let (bytes, above) = self.checked_result("smul", &elements, &width);
        let overflow = self.body.assign(format_args!("or i1 {overflow}, {above}"));
        let bytes = self.body.assign(format_args!("select i1 {overflow}, i64 -1, i64 {bytes}"));
        let alloc = self.context_field(offsets::ALLOC);
        let address =
            self.body.assign(format_args!("call noalias align {TENSOR_ALIGN} ptr {alloc}(ptr %cx, i64 {bytes})"));
        let none = self.body.assign(format_args!("icmp eq ptr {address}, null"));
        let (stop, go_on) = (self.body.label(), self.body.label());
        self.body.branch(&none, stop, go_on);
        self.body.start(stop);
        self.body.line(format_args!("ret i32 {}", Status::OutOfMemory as i32));
        self.body.start(go_on);
        Ok(address)
    }

    /// The value of an int64 sum of products, and whether any part of it overflowed.
    fn checked(&mut self, expr: &Expr) -> Result<(Value, Value)> {
        if expr.dtype != DataType::I64 {
            return Err(self.unit.malformed(format!("the size of a temporary is {}", expr.dtype)));
        }
        let (name, a, b) = match &expr.kind {
            ExprKind::Binary(BinOp::Add, a, b) => ("sadd", a, b),
            ExprKind::Binary(BinOp::Sub, a, b) => ("ssub", a, b),
            ExprKind::Binary(BinOp::Mul, a, b) => ("smul", a, b),
            _ => return Ok((self.value(expr, Position::Value)?, Value::constant("false"))),
        };
        let (a, before) = with_stack(|| self.checked(a))?;
        let (b, between) = with_stack(|| self.checked(b))?;
        let (result, overflow) = self.checked_result(name, &a, &b);
        let before = self.body.assign(format_args!("or i1 {before}, {between}"));
        Ok((result, self.body.assign(format_args!("or i1 {overflow}, {before}"))))
    }

    fn checked_result(&mut self, name: &str, a: &Value, b: &Value) -> (Value, Value) {
        let both =
            self.body.assign(format_args!("call {{ i64, i1 }} @llvm.{name}.with.overflow.i64(i64 {a}, i64 {b})"));
        let result = self.body.assign(format_args!("extractvalue {{ i64, i1 }} {both}, 0"));
        (result, self.body.assign(format_args!("extractvalue {{ i64, i1 }} {both}, 1")))
    }
}
