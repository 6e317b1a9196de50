//! Streaming: non-temporal stores to large tensors that a kernel only writes, and prefetches of what it reads once.
//!
//! A plain store first reads the cache line that it changes (write-allocate). Where a kernel fills a tensor that no
//! cache holds, that is a third of its traffic. An unmasked store of contiguous lanes to such a tensor is non-temporal
//! where its address is aligned for it, and plain elsewhere. Rows that are known to begin inside a line are stored in
//! parts of lines. Other threads see non-temporal stores after a fence, which ends each function that makes them.
//!
//! Parallel tasks that stream prefetch the tensors that vectors in one nest of loops read once. The hardware prefetcher
//! stops at the end of a page, and fetches too little in advance where much is computed with each element.
//!
//! Sizes that are known only at run time are compared once, at the start of the kernel: a store tests its address
//! together with a flag that is 0 where the tensor is streamed to. The body of a parallel task is emitted twice, with
//! non-temporal stores and without, and the task branches at its start: a test at each store costs registers, and keeps
//! LLVM from combining neighbouring stores.

use tilewright_expr::node::{IrNode, VarId, walk};
use tilewright_ir::low::ALIGNED;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var, given_away};
use tilewright_support::{Map, Set, with_stack};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::entry::Arguments;
use super::function::{Binding, FnCx, Position, Result};
use super::text::{Body, Mem, Value, int};

/// Bytes of a cache line of every supported CPU; the largest alignment of a non-temporal store.
pub(crate) const LINE_BYTES: usize = 64;
/// The narrowest vector that has such a store.
const MIN_STORE_BYTES: usize = 16;

/// How a kernel streams to an argument.
#[derive(Clone, Debug)]
pub(crate) struct Streaming {
    pub(crate) when: When,
    /// Bytes of a store, at most a line: rows begin at multiples of it. The parts of a line that two rows share are
    /// written shortly after each other, and the core's write-combining buffer joins them.
    store_bytes: usize,
}

/// When a kernel streams to an argument.
#[derive(Clone, Debug)]
pub(crate) enum When {
    /// Whenever it runs.
    Always,
    /// Where this variable is 0; the kernel computes it at its start.
    WhereZero(Var),
}

/// Whether a function's stores to streamed tensors are non-temporal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NonTemporal {
    /// Each store tests size and alignment.
    Tested,
    /// The tensors are large enough and begin at a line: a store tests the alignment of its offset only.
    Always,
    Never,
}

/// The tensors that a kernel reads or writes once.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// The arguments that the kernel streams to, by their data variables: too large for the last-level cache together
    /// with the other arguments, never read, and written once as far as the loops show.
    pub(crate) written: Map<VarId, Streaming>,
    /// The arguments that vectors read once, as far as the loops show, in a kernel that streams to others and that has
    /// no prefetches of them. All reads are in one nest of loops, which may read an element several times in a row.
    read: Set<VarId>,
}

/// Finds the streamed tensors of a kernel.
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
        Some(Streaming { when, store_bytes: LINE_BYTES })
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

/// The state of the search for streamed tensors.
#[derive(Default)]
struct Search {
    candidates: Map<VarId, Streaming>,
    /// Buffers that are not known to be read several times.
    read: Set<VarId>,
    /// For each buffer, the loops around its innermost vector load.
    nests: Map<VarId, Vec<Option<VarId>>>,
    /// `Let` variables that depend on loops, with those loops.
    names: Map<VarId, Vec<VarId>>,
    /// Whether the innermost enclosing loop is [`ALIGNED`].
    aligned: bool,
}

impl Search {
    /// Removes buffers that are read in a loop that the index does not depend on, or by vectors in more than one nest.
    /// Scalar loads do not count as another nest: they are the tails of rows.
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

    /// Removes a buffer whose stores begin at multiples of less than the narrowest non-temporal store, or whose index
    /// does not depend on all of the loops.
    fn keep_stored_once(&mut self, buffer: &Buffer, step: usize, found: &[VarId], loops: &[Option<VarId>]) {
        let id = buffer.data.id();
        let Some(streaming) = self.candidates.get_mut(&id) else { return };
        streaming.store_bytes = streaming.store_bytes.min(step);
        if streaming.store_bytes < MIN_STORE_BYTES
            || !loops.iter().all(|var| var.is_some_and(|var| found.contains(&var)))
        {
            self.candidates.remove(&id);
        }
    }

    /// Whether the loops around a vector load of a buffer are a prefix of those around its other vector loads.
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

/// The largest power of two, at most a line, of which every step of the index is a multiple in bytes, judged by the
/// constant factors in it.
fn step_of(index: &Expr, buffer: &Buffer) -> usize {
    let width = buffer.dtype.element_bytes().max(1) as u64;
    let mut bytes = LINE_BYTES as u64;
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

/// Removes buffers that are stored to in a loop on which neither the index nor an enclosing condition depends (a
/// condition may select one iteration of many, of which the index then says nothing), and buffers whose rows begin at
/// multiples of less than the narrowest non-temporal store.
fn keep_written_once(stmt: &Stmt, loops: &mut Vec<Option<VarId>>, search: &mut Search) {
    let (known, aligned) = (loops.len(), search.aligned);
    match &stmt.kind {
        StmtKind::Store { buffer, indices, value, predicate } => {
            search.keep_read_once(value, loops);
            let begins_anywhere = value.dtype.is_vector() && predicate.is_none() && !search.aligned;
            let steps = indices.iter().filter(|_| begins_anywhere).map(|index| step_of(index, buffer));
            search.keep_stored_once(buffer, steps.min().unwrap_or(LINE_BYTES), &search.loops_of(indices, loops), loops);
        }
        StmtKind::For { var, annotations, .. } => {
            loops.push(Some(var.id()));
            search.aligned = annotations.contains_key(ALIGNED);
        }
        // The number of iterations is unknown.
        StmtKind::While { .. } => loops.push(None),
        StmtKind::Let { var, value, .. } => {
            search.keep_read_once(value, loops);
            let found = search.loops_of(value, loops);
            if !found.is_empty() {
                search.names.insert(var.id(), found);
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

/// A flag: all of these tensors are streamed to, and each begins at a line.
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
            body.assign(format_args!("and i64 {number}, {}", LINE_BYTES - 1))
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
    /// Those of the variables that are addresses of streamed tensors.
    pub(crate) fn streams_among(&self, variables: &[Var]) -> Map<VarId, Streaming> {
        let found = |var: &Var| Some((var.id(), self.unit.streams.written.get(&var.id())?.clone()));
        variables.iter().filter_map(found).collect()
    }

    /// When stores to the buffer are non-temporal, if they ever are.
    pub(crate) fn streaming(&self, buffer: &Buffer) -> Option<Streaming> {
        self.unit.streams.written.get(&buffer.data.id()).cloned()
    }

    /// Prefetches the lines `stream_bytes` of the machine's [`tilewright_target::Prefetch`] after contiguous lanes of a
    /// tensor that is read once. The address may lie beyond the tensor: a prefetch never faults.
    pub(crate) fn prefetch_stream(&mut self, buffer: &Buffer, address: &Value, dtype: DataType) {
        let bytes = dtype.element_bytes() * usize::from(dtype.lanes);
        if self.non_temporal != NonTemporal::Always
            || bytes < LINE_BYTES / 2
            || !self.unit.streams.read.contains(&buffer.data.id())
        {
            return;
        }
        let ahead = self.unit.target.prefetch.stream_bytes;
        for line in (0..bytes).step_by(LINE_BYTES) {
            let place = self.body.assign(format_args!("getelementptr i8, ptr {address}, i64 {}", ahead + line as u64));
            self.body.line(format_args!("call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)"));
        }
    }

    /// Computes the flags of tensors whose sizes are known only at run time, in the kernel's first statement.
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

    /// The bytes of a flat argument buffer: the size of a tensor that exists, so the product does not overflow.
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

    /// Stores contiguous lanes, non-temporally where the address is aligned and the tensor is streamed to.
    pub(crate) fn store_streamed(
        &mut self,
        address: &Value,
        value: &Value,
        dtype: DataType,
        streaming: &Streaming,
    ) -> Result<()> {
        let bytes = dtype.element_bytes() * usize::from(dtype.lanes);
        if self.non_temporal == NonTemporal::Never || bytes < MIN_STORE_BYTES || !bytes.is_power_of_two() {
            self.store_vector(address, value, dtype);
            return Ok(());
        }
        let align = bytes.min(streaming.store_bytes);
        let number = self.body.assign(format_args!("ptrtoint ptr {address} to i64"));
        let mut rest = self.body.assign(format_args!("and i64 {number}, {}", align - 1));
        if let (When::WhereZero(kept), NonTemporal::Tested) = (&streaming.when, self.non_temporal) {
            let kept = self.value_of(kept)?;
            rest = self.body.assign(format_args!("or i64 {rest}, {kept}"));
        }
        let aligned = self.body.assign(format_args!("icmp eq i64 {rest}, 0"));
        let (streamed, plain, done) = (self.body.label(), self.body.label(), self.body.label());
        self.body.branch(&aligned, streamed, plain);
        self.body.start(streamed);
        self.store_pieces(address, value, dtype, align);
        self.body.jump(done);
        self.body.start(plain);
        self.store_vector(address, value, dtype);
        self.body.jump(done);
        self.body.start(done);
        self.streams = true;
        Ok(())
    }

    /// Stores a vector non-temporally, `bytes` at a time; with one store where that is a line.
    fn store_pieces(&mut self, address: &Value, value: &Value, dtype: DataType, bytes: usize) {
        let lanes = usize::from(dtype.lanes);
        let each = bytes / dtype.element_bytes().max(1);
        if bytes >= LINE_BYTES || each >= lanes {
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
            let target = self.body.assign(format_args!("getelementptr inbounds i8, ptr {address}, i64 {offset}"));
            self.body.line(format_args!("store {part} {piece}, ptr {target}, align {bytes}, !nontemporal !0"));
        }
    }
}
