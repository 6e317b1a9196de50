//! Streams: large tensors that a kernel only writes go past the caches.
//!
//! A plain store reads the line that it changes; where a kernel fills a tensor that no cache holds, that is a third of its
//! traffic. A store to such a tensor of whole neighbouring lanes is non-temporal where its address is aligned for it,
//! and plain elsewhere. Rows that are known to begin within lines are stored in parts of lines. Other threads see such
//! stores after a fence, which ends each function that makes them.
//!
//! What the parallel tasks that stream read once, by vectors in one nest of loops, they ask for a while before: a processor
//! asks for nothing beyond the page by itself, and for too little where much is computed with an element.
//!
//! Sizes that are known only when the kernel runs are compared then, once, at its beginning: what the stores test is
//! their address together with a number that is 0 where the tensor is streamed to. The tasks of a parallel loop are written
//! twice, with streams and without, and choose at their beginning: a test at each store costs registers, and keeps the
//! operations of neighbouring stores apart.

use tilewright_expr::node::{IrNode, VarId, walk};
use tilewright_ir::low::ALIGNED;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var, given_away};
use tilewright_support::{Map, Set, with_stack};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::entry::Arguments;
use super::function::{Binding, FnCx, Position, Result};
use super::text::{Body, Mem, Value, int};

/// Bytes that non-temporal stores are aligned to: a line of every CPU's caches.
pub(crate) const LINE: usize = 64;
/// The narrowest vector that has such a store.
const MIN_BYTES: usize = 16;

/// How a kernel streams to an argument.
#[derive(Clone, Debug)]
pub(crate) struct Streaming {
    pub(crate) when: When,
    /// Bytes of a store: what rows begin at a multiple of, a whole line at most. The parts of a line that rows share are
    /// written one soon after the other, and leave the core as one.
    piece: usize,
}

/// When a kernel streams to an argument.
#[derive(Clone, Debug)]
pub(crate) enum When {
    /// Whenever it runs.
    Always,
    /// Where this variable is 0, which the kernel gives its value at its beginning.
    WhereZero(Var),
}

/// What a function knows of its stores to what is streamed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Past {
    /// Each is tested.
    Tested,
    /// The tensors are large enough and begin where a line does: what is left to test are places in them.
    Always,
    Never,
}

/// What passes through a kernel once.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// The arguments that the kernel streams to, by their data variables: those that the last-level cache does not hold
    /// beside the others, that are never read, and written once as far as loops tell.
    pub(crate) written: Map<VarId, Streaming>,
    /// The arguments that vectors read once, as far as loops tell, in a kernel that streams to others, and that it does not ask
    /// for itself: in one nest of loops, which may read an element several times soon after each other.
    read: Set<VarId>,
}

/// What passes through the kernel.
pub(crate) fn streams_of(function: &PrimFunc, target: &Target) -> Streams {
    let buffers = || function.params.iter().filter_map(|param| param.buffer.as_ref());
    let total = buffers().map(known_bytes).try_fold(0u64, |sum, bytes| Some(sum.saturating_add(bytes?)));
    let filling = target.limits.filling_bytes();
    if total.is_some_and(|total| total < filling) {
        return Streams::default();
    }
    let streaming = |buffer: &Buffer| {
        let when = match (total, known_bytes(buffer)) {
            (_, Some(bytes)) if bytes < filling / target.plan.nontemporal_part.max(1) => return None,
            (Some(_), Some(_)) => When::Always,
            _ => When::WhereZero(Var::new("kept", DataType::I64)),
        };
        Some(Streaming { when, piece: LINE })
    };
    let mut candidates: Map<VarId, Streaming> =
        buffers().filter_map(|buffer| Some((buffer.data.id(), streaming(buffer)?))).collect();
    walk(&function.body, |e: &Expr| {
        if let ExprKind::Load { buffer, .. } = &e.kind {
            candidates.remove(&buffer.data.id());
        }
    });
    given_away(&function.body, &mut |buffer| {
        candidates.remove(&buffer.data.id());
    });
    let mut read: Set<VarId> = buffers().map(|buffer| buffer.data.id()).collect();
    walk(&function.body, |e: &Expr| {
        if let Some((buffer, ..)) = e.prefetched() {
            read.remove(&buffer.data.id());
        }
    });
    let mut search = Search { candidates, read, ..Search::default() };
    if !search.candidates.is_empty() {
        keep_written_once(&function.body, &mut Vec::new(), &mut search);
    }
    Streams { written: search.candidates, read: search.read }
}

/// The bytes of a flat buffer, where its extent is a constant.
fn known_bytes(buffer: &Buffer) -> Option<u64> {
    let elements = buffer.constant_shape()?.first().copied().unwrap_or(0);
    Some(elements.unsigned_abs().saturating_mul(buffer.dtype.element_bytes() as u64))
}

/// What stores are looked at with.
#[derive(Default)]
struct Search {
    candidates: Map<VarId, Streaming>,
    /// What is not known to be read several times.
    read: Set<VarId>,
    /// The loops around the innermost vector that is read of each.
    nests: Map<VarId, Vec<Option<VarId>>>,
    /// Names whose values depend on loops: on which.
    names: Map<VarId, Vec<VarId>>,
    /// Whether the innermost loop around is [`ALIGNED`].
    aligned: bool,
}

impl Search {
    /// Takes out what is read in a loop that the index does not depend on, and what vectors read in one nest and another.
    /// Single elements are what is left of rows behind their vectors.
    fn keep_read_once(&mut self, node: &impl IrNode, loops: &[Option<VarId>]) {
        let mut loads = Vec::new();
        walk(node, |e: &Expr| {
            if let ExprKind::Load { buffer, indices, .. } = &e.kind
                && self.read.contains(&buffer.data.id())
            {
                loads.push((buffer.data.id(), indices.clone(), e.dtype.is_vector()));
            }
        });
        for (id, indices, is_vector) in loads {
            let found = self.loops_of(&indices, loops);
            let elsewhere = is_vector && !self.is_in_one_nest(id, loops);
            if elsewhere || !loops.iter().all(|var| var.is_some_and(|var| found.contains(&var))) {
                self.read.remove(&id);
            }
        }
    }

    /// Takes out what is stored to in steps of less than the narrowest store, or in other loops than these.
    fn keep_stored_once(&mut self, buffer: &Buffer, step: usize, found: &[VarId], loops: &[Option<VarId>]) {
        let id = buffer.data.id();
        let Some(streaming) = self.candidates.get_mut(&id) else { return };
        streaming.piece = streaming.piece.min(step);
        if streaming.piece < MIN_BYTES || !loops.iter().all(|var| var.is_some_and(|var| found.contains(&var))) {
            self.candidates.remove(&id);
        }
    }

    /// Whether the loops are those, or some of those, around the other vectors that are read of a buffer.
    fn is_in_one_nest(&mut self, id: VarId, loops: &[Option<VarId>]) -> bool {
        let known = self.nests.entry(id).or_default();
        if loops.starts_with(known) {
            *known = loops.to_vec();
        }
        known.starts_with(loops)
    }

    /// The loops among these that an expression depends on.
    fn loops_of(&self, node: &impl IrNode, loops: &[Option<VarId>]) -> Vec<VarId> {
        let mut found = Vec::new();
        let mut see = |var: VarId| {
            if loops.contains(&Some(var)) && !found.contains(&var) {
                found.push(var);
            }
        };
        walk(node, |var: &Var| {
            see(var.id());
            self.names.get(&var.id()).into_iter().flatten().copied().for_each(&mut see);
        });
        found
    }
}

/// The bytes, a whole line at most, that the index goes forward by multiples of, as far as its text has constants.
fn step_of(index: &Expr, buffer: &Buffer) -> usize {
    let width = buffer.dtype.element_bytes().max(1) as u64;
    let mut bytes = LINE as u64;
    walk(index, |e: &Expr| {
        if let ExprKind::Binary(BinOp::Mul, a, b) = &e.kind {
            let step = match (a.as_int(), b.as_int()) {
                (Some(a), Some(b)) => a.wrapping_mul(b),
                (Some(step), None) | (None, Some(step)) => step,
                (None, None) => 0,
            };
            let step = step.unsigned_abs().wrapping_mul(width);
            bytes = if step == 0 { bytes } else { bytes.min(1 << step.trailing_zeros()) };
        }
    });
    bytes as usize
}

/// Takes out what is stored to in a loop that neither its index nor a condition around it depends on: a condition may leave
/// one iteration of many, of which the index then says nothing. And what has rows that begin at multiples of less than the
/// narrowest store.
fn keep_written_once(stmt: &Stmt, loops: &mut Vec<Option<VarId>>, search: &mut Search) {
    let (known, aligned) = (loops.len(), search.aligned);
    match &stmt.kind {
        StmtKind::Store { buffer, indices, value, predicate } => {
            search.keep_read_once(value, loops);
            let begins_anywhere = value.dtype.is_vector() && predicate.is_none() && !search.aligned;
            let steps = indices.iter().filter(|_| begins_anywhere).map(|index| step_of(index, buffer));
            search.keep_stored_once(buffer, steps.min().unwrap_or(LINE), &search.loops_of(indices, loops), loops);
        }
        StmtKind::For { var, annotations, .. } => {
            loops.push(Some(var.id()));
            search.aligned = annotations.contains_key(ALIGNED);
        }
        // Nobody knows how often it runs.
        StmtKind::While { .. } => loops.push(None),
        StmtKind::Let { var, value, .. } => {
            search.keep_read_once(value, loops);
            let behind = search.loops_of(value, loops);
            if !behind.is_empty() {
                search.names.insert(var.id(), behind);
            }
        }
        _ => {}
    }
    match &stmt.kind {
        StmtKind::Seq(stmts) => stmts.iter().for_each(|s| keep_written_once(s, loops, search)),
        StmtKind::If { condition, then, otherwise } => {
            let decide = search.loops_of(condition, loops);
            let mut open: Vec<_> = loops.iter().copied().filter(|l| l.is_none_or(|l| !decide.contains(&l))).collect();
            for branch in [then].into_iter().chain(otherwise) {
                with_stack(|| keep_written_once(branch, &mut open, search));
            }
        }
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Allocate { body, .. } => with_stack(|| keep_written_once(body, loops, search)),
        StmtKind::Store { .. } | StmtKind::Block { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
    }
    loops.truncate(known);
    search.aligned = aligned;
}

/// Whether all of these are streamed to, and begin where a line does.
pub(crate) fn all_stream(
    body: &mut Body,
    streams: &Map<VarId, Streaming>,
    bindings: &[Binding],
    arguments: &Arguments,
) -> Value {
    let mut rest = int(0, DataType::I64);
    for (binding, value) in bindings.iter().zip(&arguments.values) {
        let id = binding.var.id();
        let part = if streams.contains_key(&id) {
            let number = body.assign(format_args!("ptrtoint ptr {value} to i64"));
            body.assign(format_args!("and i64 {number}, {}", LINE - 1))
        } else if streams.values().any(|streaming| matches!(&streaming.when, When::WhereZero(kept) if kept.id() == id))
        {
            value.clone()
        } else {
            continue;
        };
        rest = body.assign(format_args!("or i64 {rest}, {part}"));
    }
    body.assign(format_args!("icmp eq i64 {rest}, 0"))
}

impl FnCx<'_, '_> {
    /// Those among these variables that are addresses of what is streamed to.
    pub(crate) fn streams_among(&self, variables: &[Var]) -> Map<VarId, Streaming> {
        let found = |var: &Var| Some((var.id(), self.unit.streams.written.get(&var.id())?.clone()));
        variables.iter().filter_map(found).collect()
    }

    /// When stores to the buffer go past the caches, if they ever do.
    pub(crate) fn streaming(&self, buffer: &Buffer) -> Option<Streaming> {
        self.unit.streams.written.get(&buffer.data.id()).cloned()
    }

    /// Prefetches what comes so far behind neighbouring lanes as the machine's [`tilewright_target::Prefetch`] says, where
    /// these are read once: what is asked for need not exist.
    pub(crate) fn ask_ahead(&mut self, buffer: &Buffer, address: &Value, dtype: DataType) {
        let bytes = dtype.element_bytes() * usize::from(dtype.lanes);
        if self.past != Past::Always || bytes < LINE / 2 || !self.unit.streams.read.contains(&buffer.data.id()) {
            return;
        }
        let ahead = self.unit.target.prefetch.stream_bytes;
        for line in (0..bytes).step_by(LINE) {
            let place = self.body.assign(format_args!("getelementptr i8, ptr {address}, i64 {}", ahead + line as u64));
            self.body.line(format_args!("call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)"));
        }
    }

    /// Compares the sizes that were not known before, in the kernel's first statement.
    pub(crate) fn decide_streams(&mut self, function: &PrimFunc) -> Result<()> {
        let target = self.unit.target;
        let (filling, part) = (target.limits.filling_bytes(), target.plan.nontemporal_part.max(1));
        let buffers: Vec<&Buffer> = function.params.iter().filter_map(|param| param.buffer.as_ref()).collect();
        if !buffers
            .iter()
            .any(|buffer| matches!(self.streaming(buffer), Some(Streaming { when: When::WhereZero(_), .. })))
        {
            return Ok(());
        }
        self.begin_statement()?;
        let mut total = int(0, DataType::I64);
        let mut sizes = Vec::new();
        for buffer in &buffers {
            let bytes = self.bytes_of(buffer)?;
            total = self.body.assign(format_args!("add i64 {total}, {bytes}"));
            sizes.push(bytes);
        }
        let all_fit = self.body.assign(format_args!("icmp ult i64 {total}, {filling}"));
        for (buffer, bytes) in buffers.into_iter().zip(sizes) {
            let Some(Streaming { when: When::WhereZero(var), .. }) = self.streaming(buffer) else { continue };
            let is_small = self.body.assign(format_args!("icmp ult i64 {bytes}, {}", filling / part));
            let kept = self.body.assign(format_args!("or i1 {all_fit}, {is_small}"));
            let kept = self.body.assign(format_args!("zext i1 {kept} to i64"));
            self.bind(&var, kept)?;
        }
        Ok(())
    }

    /// The bytes of a flat buffer of the arguments: a size in memory, which overflows nothing.
    fn bytes_of(&mut self, buffer: &Buffer) -> Result<Value> {
        let width = buffer.dtype.element_bytes();
        let Some(extent) = buffer.shape.first() else { return Ok(int(width as i64, DataType::I64)) };
        let extent_value = self.value(extent, Position::Value)?;
        let wide = match extent.dtype.bits {
            64 => extent_value,
            bits => self.body.assign(format_args!("sext i{bits} {extent_value} to i64")),
        };
        Ok(self.body.assign(format_args!("mul i64 {wide}, {width}")))
    }

    /// Stores neighbouring lanes past the caches where the address allows it, and when these are streamed.
    pub(crate) fn store_streamed(
        &mut self,
        address: &Value,
        value: &Value,
        dtype: DataType,
        streaming: &Streaming,
    ) -> Result<()> {
        let bytes = dtype.element_bytes() * usize::from(dtype.lanes);
        if self.past == Past::Never || bytes < MIN_BYTES || !bytes.is_power_of_two() {
            self.store_vector(address, value, dtype);
            return Ok(());
        }
        let align = bytes.min(streaming.piece);
        let number = self.body.assign(format_args!("ptrtoint ptr {address} to i64"));
        let mut rest = self.body.assign(format_args!("and i64 {number}, {}", align - 1));
        if let (When::WhereZero(kept), Past::Tested) = (&streaming.when, self.past) {
            let kept = self.value_of(kept)?;
            rest = self.body.assign(format_args!("or i64 {rest}, {kept}"));
        }
        let aligned = self.body.assign(format_args!("icmp eq i64 {rest}, 0"));
        let (past, plain, done) = (self.body.label(), self.body.label(), self.body.label());
        self.body.branch(&aligned, past, plain);
        self.body.start(past);
        self.store_pieces(address, value, dtype, align);
        self.body.jump(done);
        self.body.start(plain);
        self.store_vector(address, value, dtype);
        self.body.jump(done);
        self.body.start(done);
        self.streams = true;
        Ok(())
    }

    /// The vector, past the caches, in stores of so many bytes; one store where that is a line.
    fn store_pieces(&mut self, address: &Value, value: &Value, dtype: DataType, bytes: usize) {
        let lanes = usize::from(dtype.lanes);
        let each = bytes / dtype.element_bytes().max(1);
        if bytes >= LINE || each >= lanes {
            self.body.line(format_args!("store {} {value}, ptr {address}, align {bytes}, !nontemporal !0", Mem(dtype)));
            return;
        }
        let (whole, part) = (Mem(dtype), Mem(dtype.with_lanes(each as u16)));
        for first in (0..lanes).step_by(each) {
            let numbers = (first..first + each).map(|lane| format!("i32 {lane}")).collect::<Vec<_>>().join(", ");
            let piece = self
                .body
                .assign(format_args!("shufflevector {whole} {value}, {whole} poison, <{each} x i32> <{numbers}>"));
            let offset = first * dtype.element_bytes();
            let place = self.body.assign(format_args!("getelementptr inbounds i8, ptr {address}, i64 {offset}"));
            self.body.line(format_args!("store {part} {piece}, ptr {place}, align {bytes}, !nontemporal !0"));
        }
    }
}
