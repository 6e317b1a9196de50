//! `LowerThreadAllreduce`: reductions over the threads of a block by shuffles within a warp, or through shared memory.
//!
//! Shuffles are for targets that have them (CUDA, ROCm, Metal), types that they move, and threads that are next to each
//! other and at most as many as a warp has, in parts of a power of two. Everything else goes through shared memory:
//! each thread stores its value, half of the threads combine two values each, and so on, with barriers in between; the
//! last steps, of the threads of one warp, need barriers of the warp only. Of several whole warps (CUDA) each one
//! shuffles, and the first one then reduces their results.
//!
//! An allocation of one element that only holds the result of one reduction becomes the memory of the reduction. Other
//! results are stored after it.

use std::sync::Arc;

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::tir::{
    BinOp, Buffer, Builtin, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var, attr_names,
};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

use super::reducer::Reducer;
use super::{Options, below, refuse, with};
use crate::stmt::{Result, typed};

/// The option under which masks of shuffles are the lanes that take part, as numbers: which lanes happen to be active
/// is no answer where lanes of a warp run apart.
pub(super) const NAMED_LANES: &str = "named_lanes";

pub(super) fn lower_thread_allreduce(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let target = function.attrs.get(attr_names::TARGET).and_then(tilewright_ir::Attr::as_str).unwrap_or_default();
    let names_lanes = options.get(NAMED_LANES).is_some_and(tilewright_ir::Attr::is_true);
    let machine = Machine { names_lanes, ..Machine::of(target) };
    let own = own_results(&function.body);
    let mut cx = Lower { machine, threads: Vec::new(), own, replaced: Map::default(), count: 0 };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

/// The allocations of one element that are only read, and are the result of one reduction.
fn own_results(body: &Stmt) -> Set<VarId> {
    let mut results: Map<VarId, usize> = Map::default();
    let (mut allocated, mut used): (Map<VarId, usize>, Set<VarId>) = (Map::default(), Set::default());
    walk(body, |expr: &Expr| match &expr.kind {
        ExprKind::AddressOf { buffer, .. } => drop(used.insert(buffer.data.id())),
        ExprKind::Var(var) => drop(used.insert(var.id())),
        _ => {
            let Some(args) = expr.builtin_args(Builtin::THREAD_ALLREDUCE) else { return };
            let size = args.first().and_then(Expr::as_int).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
            for result in args.iter().skip(2usize.saturating_add(size)).take(size) {
                if let ExprKind::Load { buffer, .. } = &result.kind {
                    *results.entry(buffer.data.id()).or_default() += 1;
                }
            }
        }
    });
    walk(body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::Store { buffer, .. } => drop(used.insert(buffer.data.id())),
        StmtKind::Allocate { buffer, .. } => {
            let single = buffer.shape.iter().all(|extent| extent.as_int() == Some(1));
            *allocated.entry(buffer.data.id()).or_default() += if single { 1 } else { 2 };
        }
        _ => {}
    });
    let once = |counts: &Map<VarId, usize>, id: &VarId| counts.get(id) == Some(&1);
    results.keys().copied().filter(|id| once(&results, id) && once(&allocated, id) && !used.contains(id)).collect()
}

/// What of the target matters here.
#[derive(Clone, Copy)]
struct Machine {
    /// Threads of a warp; 1 where there are no warps.
    warp: i64,
    shuffles: bool,
    /// Whether shuffles take a mask of the threads that are active.
    masked: bool,
    /// Whether a shuffle is within a whole warp only, of 32 bits.
    whole_warps: bool,
    /// See [`NAMED_LANES`].
    names_lanes: bool,
}

impl Machine {
    fn of(target: &str) -> Self {
        let kind = target.split_whitespace().next().unwrap_or_default();
        let number = |key: &str| {
            let mut words = target.split_whitespace().filter_map(|word| word.trim_start_matches('-').split_once('='));
            words.find(|(name, _)| *name == key).and_then(|(_, value)| value.parse::<i64>().ok())
        };
        let (warp, shuffles) = match kind {
            "cuda" | "nvptx" => (32, kind == "cuda"),
            "rocm" => (64, true),
            "metal" => (32, true),
            _ => (1, false),
        };
        let warp = number("thread_warp_size").filter(|_| kind != "llvm").unwrap_or(warp);
        Self { warp, shuffles, masked: kind != "metal", whole_warps: kind == "rocm", names_lanes: false }
    }
}

#[derive(Clone)]
struct Thread {
    tag: Arc<str>,
    var: Var,
    extent: Expr,
}

struct Lower {
    machine: Machine,
    threads: Vec<Thread>,
    /// See [`own_results`].
    own: Set<VarId>,
    /// Memory with the results of reductions: the memory and the place in the memory that it now is.
    replaced: Map<VarId, (Buffer, Expr)>,
    count: usize,
}

/// A reduction over threads.
struct Call {
    reducer: Reducer,
    values: Vec<Expr>,
    results: Vec<(Buffer, Vec<Expr>)>,
    reduced: Line,
    others: Line,
    /// The number of threads next to each other that take part.
    contiguous: i64,
}

/// Threads as one line: the place of a thread, and how many there are.
struct Line {
    index: Expr,
    extent: i64,
}

fn at(buffer: &Buffer, index: &Expr) -> Result<Expr> {
    typed(Expr::load(buffer, vec![index.clone()]))
}

fn store(buffer: &Buffer, index: &Expr, value: &Expr) -> Result<Stmt> {
    typed(Stmt::store(buffer, vec![index.clone()], value))
}

fn add(a: &Expr, b: &Expr) -> Expr {
    if a.as_int() == Some(0) { b.clone() } else { a + b }
}

fn when(index: &Expr, limit: i64, then: Stmt) -> Result<Stmt> {
    let condition = typed(Expr::compare(CmpOp::Lt, index, &Expr::int(limit, index.dtype)))?;
    Ok(StmtKind::If { condition, then, otherwise: None }.into())
}

fn barrier(scope: &str) -> Stmt {
    StmtKind::Evaluate(Expr::builtin(Builtin::STORAGE_SYNC, vec![Expr::str(scope)])).into()
}

impl Lower {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::For { var, extent, kind: ForKind::ThreadBinding(tag), .. } => {
                self.threads.push(Thread { tag: tag.clone(), var: var.clone(), extent: extent.clone() });
                let inside = below(stmt, &mut |s| self.stmt(s));
                self.threads.pop();
                inside
            }
            StmtKind::Attr { node, key, body, value } if &**key == "reduce_scope" => {
                let Some(reducer) = Reducer::of_call(node) else {
                    return refuse("the attribute `reduce_scope` is of a `T.comm_reducer`");
                };
                let (first, rest) = match &body.kind {
                    StmtKind::Seq(stmts) => match stmts.split_first() {
                        Some((first, rest)) => (first, rest),
                        None => return Ok(stmt.clone()),
                    },
                    _ => (body, &[][..]),
                };
                let StmtKind::Evaluate(call) = &first.kind else { return below(stmt, &mut |s| self.stmt(s)) };
                let Some(args) = call.builtin_args(Builtin::THREAD_ALLREDUCE) else {
                    return below(stmt, &mut |s| self.stmt(s));
                };
                let done = self.reduced(reducer, args)?;
                let body = Stmt::seq([done]);
                let done = StmtKind::Attr { node: node.clone(), key: key.clone(), value: value.clone(), body };
                let rest = rest.iter().map(|stmt| with_stack(|| self.stmt(stmt))).collect::<Result<Vec<_>>>()?;
                Ok(Stmt::seq(std::iter::once(done.into()).chain(rest)))
            }
            StmtKind::Allocate { buffer, body } => {
                let body = with_stack(|| self.stmt(body))?;
                let Some((own, index)) = self.replaced.get(&buffer.data.id()).cloned() else {
                    return Ok(StmtKind::Allocate { buffer: buffer.clone(), body }.into());
                };
                let body = rewrite(&body, |e: &Expr| match &e.kind {
                    ExprKind::Load { buffer: used, .. } if used.data == buffer.data => at(&own, &index).ok(),
                    _ => None,
                })
                .unwrap_or(body);
                Ok(declared(body, own))
            }
            _ => below(stmt, &mut |s| self.stmt(s)),
        }
    }

    fn call(&self, reducer: Reducer, args: &[Expr]) -> Result<Call> {
        let size = args.first().and_then(Expr::as_int).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        let (Some(values), Some(condition), Some(results)) =
            (args.get(1..1 + size), args.get(1 + size), args.get(2 + size..2 + 2 * size))
        else {
            return refuse("`T.tvm_thread_allreduce` takes a number, that many values, a condition and results");
        };
        if size == 0 || reducer.identities.len() != size {
            return refuse("`T.tvm_thread_allreduce` reduces as many values as its `T.comm_reducer`");
        }
        let vars = args.get(2 + 2 * size..).unwrap_or_default();
        let mut buffers = Vec::new();
        for result in results {
            let ExprKind::Load { buffer, indices, .. } = &result.kind else {
                return refuse("the results of `T.tvm_thread_allreduce` are elements of buffers");
            };
            buffers.push((buffer.clone(), indices.clone()));
        }
        let mut chosen = Vec::new();
        for (value, identity) in values.iter().zip(&reducer.identities) {
            chosen.push(match condition.as_int() {
                Some(1) => value.clone(),
                _ => typed(Expr::select(condition, value, identity))?,
            });
        }
        let mut threads: Vec<&Thread> = self.threads.iter().filter(|t| t.tag.starts_with("threadIdx")).collect();
        threads.sort_by(|a, b| a.tag.cmp(&b.tag));
        let is_reduced = |thread: &Thread| vars.iter().any(|var| var.as_var() == Some(&thread.var));
        let (reduced, others): (Vec<&Thread>, Vec<&Thread>) = threads.iter().partition(|thread| is_reduced(thread));
        if reduced.is_empty() {
            return refuse("`T.tvm_thread_allreduce` is over threads `threadIdx` that are bound around it");
        }
        let mut contiguous = 1;
        for thread in &threads {
            match is_reduced(thread) {
                true => contiguous *= thread.extent.as_int().unwrap_or(1),
                false => break,
            }
        }
        let (reduced, others) = (line(&reduced)?, line(&others)?);
        Ok(Call { reducer, values: chosen, results: buffers, reduced, others, contiguous })
    }

    fn reduced(&mut self, reducer: Reducer, args: &[Expr]) -> Result<Stmt> {
        let call = self.call(reducer, args)?;
        let number = self.count;
        self.count += 1;
        if call.reduced.extent == 1 {
            let stores = call
                .results
                .iter()
                .zip(&call.values)
                .map(|((own, indices), value)| typed(Stmt::store(own, indices.clone(), value)));
            return Ok(Stmt::seq(stores.collect::<Result<Vec<_>>>()?));
        }
        let warps = self.warps(&call);
        let shuffles = self.shuffles(&call);
        let (extent, scope, place) = match (shuffles, call.others.extent) {
            _ if warps > 1 => (call.others.extent, Scope::Shared, call.others.index.clone()),
            (true, _) => (1, Scope::Local, Expr::i32(0)),
            (false, 1) => (call.reduced.extent, Scope::Shared, Expr::i32(0)),
            (false, others) => (call.reduced.extent * others, Scope::Shared, &call.others.index * call.reduced.extent),
        };
        let own = self.memory(&call, number, extent, &scope, &place);
        let steps = match (warps > 1, shuffles) {
            (true, _) => self.by_warps(&call, warps, &own)?,
            (false, true) => self.by_shuffles(&call, &own)?,
            (false, false) => self.by_memory(&call, &own, &place)?,
        };
        // All threads of a group have the result, after the last barrier.
        let mut stores = vec![steps];
        let mut scratch = Vec::new();
        for ((result, indices), own) in call.results.iter().zip(&own) {
            if !self.own.contains(&result.data.id()) {
                stores.push(typed(Stmt::store(result, indices.clone(), &at(own, &place)?))?);
                scratch.push(own.clone());
            }
        }
        Ok(scratch.into_iter().rev().fold(Stmt::seq(stores), declared))
    }

    /// Whole warps that reduce together, each of its own lanes first.
    fn warps(&self, call: &Call) -> i64 {
        let Machine { warp, shuffles, masked, whole_warps, .. } = self.machine;
        let extent = call.reduced.extent;
        let several = shuffles && masked && !whole_warps && extent > warp && extent % warp == 0;
        let several = several && extent <= warp * warp && call.contiguous == extent;
        if several && self.moves_all(call) { extent / warp } else { 1 }
    }

    /// Whether shuffles move the values.
    fn moves_all(&self, call: &Call) -> bool {
        let whole_warps = self.machine.whole_warps;
        let moves = |dtype: DataType| {
            dtype.is_scalar() && (4..=if whole_warps { 4 } else { 8 }).contains(&dtype.bytes()) && !dtype.is_bool()
                || dtype == DataType::F16 && !whole_warps
        };
        call.values.iter().all(|value| moves(value.dtype))
    }

    fn shuffles(&self, call: &Call) -> bool {
        let Machine { warp, shuffles, whole_warps, .. } = self.machine;
        let extent = call.reduced.extent;
        let of_a_warp = match whole_warps {
            true => extent == warp,
            false => warp % extent == 0 || (call.others.extent == 1 && extent <= warp),
        };
        shuffles && of_a_warp && call.contiguous == extent && self.moves_all(call)
    }

    /// A shuffle of a value by the lanes of the mask.
    fn shuffled(&self, row: &Builtin, mask: &Buffer, value: &Expr, by: Expr) -> Result<Expr> {
        let width = Expr::i32(self.machine.warp as i32);
        let mask = if self.machine.masked { at(mask, &Expr::i32(0))? } else { Expr::int(0, DataType::U32) };
        let args = vec![mask, value.clone(), by, width.clone(), width];
        Ok(Expr::foreign(value.dtype, tilewright_ir::tir::ForeignCallee::Builtin(row.name.into()), args))
    }

    /// The first of so many lanes gets the values of all, from its own memory.
    fn halved(&self, call: &Call, own: &[Buffer], moved: &[Buffer], mask: &Buffer, lanes: i64) -> Result<Vec<Stmt>> {
        let zero = Expr::i32(0);
        let mut steps = Vec::new();
        let mut offset = power_of_two(lanes) / 2;
        while offset >= 1 {
            for (to, from) in moved.iter().zip(own) {
                let (from, by) = (at(from, &zero)?, Expr::i32(offset as i32));
                steps.push(store(to, &zero, &self.shuffled(Builtin::WARP_SHUFFLE_DOWN, mask, &from, by)?)?);
            }
            steps.push(combined(call, own, moved, &zero)?);
            offset /= 2;
        }
        Ok(steps)
    }

    /// Each warp reduces its lanes, and the first one of a group the results of them; `results` is shared memory, an
    /// element for each group.
    fn by_warps(&self, call: &Call, warps: i64, results: &[Buffer]) -> Result<Stmt> {
        let (zero, warp) = (Expr::i32(0), self.machine.warp);
        let named = |name: &str| -> Vec<Buffer> {
            let values = call.values.iter().enumerate();
            values.map(|(at, value)| element(format!("{name}{at}"), value.dtype)).collect()
        };
        let (own, moved, mask) = (named("red_warp"), named("t"), element("mask".to_owned(), DataType::U32));
        let count = Expr::int(call.others.extent * warps, DataType::I32);
        let staging = call.values.iter().enumerate().map(|(at, value)| {
            let name = format!("red_buf_staging{at}");
            Buffer::new(name, vec![count.clone()], value.dtype).derive(|node| node.scope = Scope::Shared)
        });
        let staging: Vec<Buffer> = staging.collect();
        let (all, first) = (self.first_lanes(warp)?, self.first_lanes(warps)?);
        let set = |to: &[Buffer], place: &Expr, values: &[Expr]| -> Result<Stmt> {
            let stores = to.iter().zip(values).map(|(buffer, value)| store(buffer, place, value));
            Ok(Stmt::seq(stores.collect::<Result<Vec<_>>>()?))
        };
        let held =
            |from: &[Buffer], place: &Expr| from.iter().map(|buffer| at(buffer, place)).collect::<Result<Vec<_>>>();
        let index = &call.reduced.index;
        let whole = Expr::int(warp, index.dtype);
        let lane = typed(Expr::binary(BinOp::FloorMod, index, &whole))?;
        let number = typed(Expr::binary(BinOp::FloorDiv, index, &whole))?;
        let group = &call.others.index * warps;
        let mut steps = vec![set(&own, &zero, &call.values)?, store(&mask, &zero, &all)?];
        steps.extend(self.halved(call, &own, &moved, &mask, warp)?);
        let place = add(&group, &number);
        steps.push(when(&lane, 1, set(&staging, &place, &held(&own, &zero)?)?)?);
        steps.push(barrier("shared"));
        let mut last = vec![set(&own, &zero, &held(&staging, &add(&group, index))?)?, store(&mask, &zero, &first)?];
        last.extend(self.halved(call, &own, &moved, &mask, warps)?);
        last.push(when(index, 1, set(results, &call.others.index, &held(&own, &zero)?)?)?);
        steps.extend([when(index, warps, Stmt::seq(last))?, barrier("shared")]);
        let locals = own.into_iter().chain(moved).chain([mask]);
        let scratch: Vec<Buffer> = staging.into_iter().chain(locals).collect();
        Ok(scratch.into_iter().rev().fold(Stmt::seq(steps), |body, buffer| StmtKind::Allocate { buffer, body }.into()))
    }

    fn by_shuffles(&self, call: &Call, own: &[Buffer]) -> Result<Stmt> {
        let zero = Expr::i32(0);
        let moved: Vec<Buffer> =
            call.values.iter().enumerate().map(|(at, value)| element(format!("t{at}"), value.dtype)).collect();
        let mask = element("mask".to_owned(), DataType::U32);
        let mut steps = Vec::new();
        for (buffer, value) in own.iter().zip(&call.values) {
            steps.push(store(buffer, &zero, value)?);
        }
        if self.machine.masked {
            steps.push(store(&mask, &zero, &self.active(call)?)?);
        }
        steps.extend(self.halved(call, own, &moved, &mask, call.reduced.extent)?);
        // The first thread has the result; all of them get it.
        let first = match call.others.extent {
            1 => zero.clone(),
            _ => self.lane(&(&call.others.index * call.reduced.extent), call)?,
        };
        for buffer in own {
            let value = self.shuffled(Builtin::WARP_SHUFFLE, &mask, &at(buffer, &zero)?, first.clone())?;
            steps.push(store(buffer, &zero, &value)?);
        }
        let scratch = moved.into_iter().chain(self.machine.masked.then_some(mask));
        let scratch: Vec<Buffer> = scratch.collect();
        Ok(scratch.into_iter().rev().fold(Stmt::seq(steps), |body, buffer| StmtKind::Allocate { buffer, body }.into()))
    }

    /// The lane of a thread in its warp, from its place in the block.
    fn lane(&self, place: &Expr, call: &Call) -> Result<Expr> {
        match call.others.extent * call.reduced.extent > self.machine.warp {
            true => typed(Expr::binary(BinOp::FloorMod, place, &Expr::int(self.machine.warp, place.dtype))),
            false => Ok(place.clone()),
        }
    }

    /// The active threads of the warp that reduce together.
    fn active(&self, call: &Call) -> Result<Expr> {
        let all = self.first_lanes(call.reduced.extent)?;
        if call.others.extent == 1 || call.reduced.extent >= self.machine.warp {
            return Ok(all);
        }
        let group = Expr::int((1i64 << call.reduced.extent) - 1, DataType::U32);
        let shift = typed(self.lane(&(&call.others.index * call.reduced.extent), call)?.cast(DataType::U32))?;
        let group = typed(Expr::binary(BinOp::Shl, &group, &shift))?;
        if self.machine.names_lanes {
            return Ok(group);
        }
        typed(Expr::binary(BinOp::BitAnd, &all, &group))
    }

    /// So many lanes from the first one on, or those of them that are active.
    fn first_lanes(&self, lanes: i64) -> Result<Expr> {
        if self.machine.names_lanes {
            return Ok(Expr::int((1i64 << lanes.clamp(0, self.machine.warp)) - 1, DataType::U32));
        }
        typed(Expr::builtin(Builtin::WARP_ACTIVEMASK, Vec::new()).cast(DataType::U32))
    }

    /// Memory for the results, in the place of that which the program allocated.
    fn memory(&mut self, call: &Call, number: usize, extent: i64, scope: &Scope, place: &Expr) -> Vec<Buffer> {
        let mut own = Vec::new();
        for (at, (value, result)) in call.values.iter().zip(&call.results).enumerate() {
            let name = if number == 0 { format!("red_buf{at}") } else { format!("red_buf{at}_{number}") };
            let shape = vec![Expr::int(extent, DataType::I32)];
            let buffer = Buffer::new(name, shape, value.dtype).derive(|node| node.scope = scope.clone());
            if self.own.contains(&result.0.data.id()) {
                self.replaced.insert(result.0.data.id(), (buffer.clone(), place.clone()));
            }
            own.push(buffer);
        }
        own
    }

    fn by_memory(&self, call: &Call, own: &[Buffer], group: &Expr) -> Result<Stmt> {
        let extent = call.reduced.extent;
        let index = &call.reduced.index;
        let place = add(group, index);
        let combine = |offset: i64| -> Result<Vec<Expr>> {
            let other = add(group, &(index + offset));
            let left = own.iter().map(|buffer| at(buffer, &place)).collect::<Result<Vec<_>>>()?;
            let right = own.iter().map(|buffer| at(buffer, &other)).collect::<Result<Vec<_>>>()?;
            Ok(call.reducer.combine(&left, &right))
        };
        let step = |offset: i64| stored(own, &place, &combine(offset)?);
        let mut steps = vec![barrier("shared")];
        for (buffer, value) in own.iter().zip(&call.values) {
            steps.push(store(buffer, &place, value)?);
        }
        steps.push(barrier("shared"));
        let mut align = power_of_two(extent);
        if align > extent {
            align /= 2;
            steps.extend([when(index, extent - align, step(align)?)?, barrier("shared")]);
        }
        while align > call.contiguous || align > self.machine.warp {
            align /= 2;
            steps.extend([when(index, align, step(align)?)?, barrier("shared")]);
        }
        if align > 1 {
            let limit = align / 2;
            let mut inside = Vec::new();
            while align > 1 {
                align /= 2;
                let values = combine(align)?;
                let vars: Vec<Var> = values
                    .iter()
                    .enumerate()
                    .map(|(at, value)| Var::new(format!("w_{align}_{at}"), value.dtype))
                    .collect();
                let held: Vec<Expr> = vars.iter().map(Expr::var).collect();
                let stores = own.iter().zip(&held).map(|(buffer, value)| store(buffer, &place, value));
                let stores = Stmt::seq(stores.collect::<Result<Vec<_>>>()?);
                let body = Stmt::seq([barrier("warp"), stores, barrier("warp")]);
                inside.push(
                    vars.into_iter()
                        .zip(values)
                        .rev()
                        .fold(body, |body, (var, value)| StmtKind::Let { var, value, body }.into()),
                );
            }
            steps.extend([when(index, limit, Stmt::seq(inside))?, barrier("shared")]);
        }
        Ok(Stmt::seq(steps))
    }
}

/// Memory of a thread's own for one value.
fn element(name: String, dtype: DataType) -> Buffer {
    Buffer::new(name, vec![Expr::i32(1)], dtype).derive(|node| node.scope = Scope::Local)
}

fn combined(call: &Call, own: &[Buffer], moved: &[Buffer], place: &Expr) -> Result<Stmt> {
    let left = own.iter().map(|buffer| at(buffer, place)).collect::<Result<Vec<_>>>()?;
    let right = moved.iter().map(|buffer| at(buffer, place)).collect::<Result<Vec<_>>>()?;
    stored(own, place, &call.reducer.combine(&left, &right))
}

/// The stores of the results; several of them are computed before the first store.
fn stored(own: &[Buffer], place: &Expr, results: &[Expr]) -> Result<Stmt> {
    if let ([buffer], [result]) = (own, results) {
        return store(buffer, place, result);
    }
    let vars: Vec<Var> =
        results.iter().enumerate().map(|(at, value)| Var::new(format!("r_{at}"), value.dtype)).collect();
    let stores = own.iter().zip(&vars).map(|(buffer, var)| store(buffer, place, &Expr::var(var)));
    let stores = Stmt::seq(stores.collect::<Result<Vec<_>>>()?);
    Ok(vars
        .iter()
        .zip(results)
        .rev()
        .fold(stores, |body, (var, value)| StmtKind::Let { var: var.clone(), value: value.clone(), body }.into()))
}

/// The statement with memory of the reduction around it.
fn declared(body: Stmt, own: Buffer) -> Stmt {
    let body = match own.scope.plain() {
        Scope::Shared => {
            let (node, key) = (Expr::var(&own.data), Arc::from("volatile_scope"));
            StmtKind::Attr { node, key, value: Expr::i32(1), body }.into()
        }
        _ => body,
    };
    StmtKind::Allocate { buffer: own, body }.into()
}

/// The threads as one line, the first one innermost.
fn line(threads: &[&Thread]) -> Result<Line> {
    let (mut index, mut extent): (Option<Expr>, i64) = (None, 1);
    for thread in threads {
        let Some(own) = thread.extent.as_int().filter(|own| *own > 0) else {
            return refuse(format!("the number of threads `{}` is no positive constant", thread.tag));
        };
        let var = Expr::var(&thread.var);
        index = Some(match index {
            None => var,
            Some(index) => &index + &(&var * extent),
        });
        extent = match extent.checked_mul(own).filter(|all| *all <= 1 << 20) {
            Some(all) => all,
            None => return refuse("a block has too many threads"),
        };
    }
    Ok(Line { index: index.unwrap_or_else(|| Expr::i32(0)), extent })
}

/// The least power of two that is as large.
fn power_of_two(extent: i64) -> i64 {
    extent.max(1).unsigned_abs().next_power_of_two() as i64
}
