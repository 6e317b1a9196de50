//! Parallel loops: the body becomes a function of its own, which gets what it uses of its surroundings in a closure.

use tilewright_expr::node::{walk, walk_some};
use tilewright_ir::tir::{Buffer, Expr, Stmt, StmtKind, Var, written_data};
use tilewright_support::Set;
use tilewright_tensor::DataType;
use tilewright_tensor::abi::offsets;

use super::entry::{arguments, call_internal, takes_address};
use super::function::{Binding, FnCx, Position, Result, Sort, Source};
use super::scratch::scratch_bindings;
use super::stream::{LINE_BYTES, NonTemporal, Streaming, When, all_stream};
use super::text::{Body, Reg, Value};
use super::work::Split;

impl FnCx<'_, '_> {
    /// A parallel loop over `extent` values of `var` from `min` on.
    pub(crate) fn parallel_loop(&mut self, var: &Var, min: &Expr, extent: &Expr, body: &Stmt) -> Result<()> {
        if self.sort.is_task() {
            return Err(self.unit.malformed(format!("parallel loop over `{}` inside another", var.name)));
        }
        self.begin_statement()?;
        self.note_bounds(var, min, extent);
        let (first_index, count_value) = (self.loop_bound(min, var)?, self.loop_bound(extent, var)?);
        let split = self.split(var, min, extent, &count_value, body);
        // The loop's own values that tasks need are passed as variables.
        let own = |name: &str| Var::new(name, var.dtype);
        let (first, count, chunk) = (own("first"), own("count"), own("chunk"));
        for (var, value) in [(&first, first_index), (&count, count_value.clone()), (&chunk, split.chunk.clone())] {
            self.bind(var, value)?;
        }
        let mut captured = self.captured(body);
        captured.extend([first.clone(), count.clone(), chunk.clone()]);
        let name = self.task_function(var, [&first, &count, &chunk], &captured, body)?;
        let (start, done) = (self.body.label(), self.body.label());
        let ty = Reg(var.dtype);
        let some = self.body.assign(format_args!("icmp sgt {ty} {count_value}, 0"));
        self.body.branch(&some, start, done);
        self.body.start(start);
        self.start_tasks(&name, &captured, &count_value, &split, var.dtype)?;
        self.body.jump(done);
        self.body.start(done);
        for var in [&first, &count, &chunk] {
            self.unbind(var);
        }
        Ok(())
    }

    /// `ceil(a / b)` of positive numbers, without overflow.
    fn divide_up(&mut self, a: &Value, b: &Value, dtype: DataType) -> Value {
        let ty = Reg(dtype);
        let less = self.body.assign(format_args!("sub {ty} {a}, 1"));
        let quotient = self.body.assign(format_args!("udiv {ty} {less}, {b}"));
        self.body.assign(format_args!("add {ty} {quotient}, 1"))
    }

    /// The variables and addresses of the surroundings that the body uses, in order of appearance.
    fn captured(&self, body: &Stmt) -> Vec<Var> {
        let mut found = Vec::new();
        let mut seen = Set::default();
        let mut meet = |var: &Var| {
            if self.has_value(var) && seen.insert(var.id()) {
                found.push(var.clone());
            }
        };
        walk_some(body, |node| {
            if let Some(buffer) = node.downcast::<Buffer>() {
                meet(&buffer.data);
                return false;
            }
            if let Some(var) = node.downcast::<Var>() {
                meet(var);
            }
            match node.downcast::<Stmt>().map(|stmt| &stmt.kind) {
                // Its memory is asked for here.
                Some(StmtKind::Allocate { buffer, .. }) => walk(&buffer.shape, |var: &Var| meet(var)),
                Some(StmtKind::Store { buffer, .. }) => {
                    if let Some(Streaming { when: When::WhereZero(kept), .. }) = self.streaming(buffer) {
                        meet(&kept);
                    }
                }
                _ => {}
            }
            true
        });
        found
    }

    /// Writes the functions of a task and gives the name of the one to call.
    fn task_function(&mut self, var: &Var, own: [&Var; 3], captured: &[Var], body: &Stmt) -> Result<String> {
        let written = written_data(body);
        let mut bindings = Vec::new();
        let mut offset = 0;
        for captured in captured {
            let source = Source::Closure(offset);
            offset += slot_bytes(captured.dtype);
            let readonly =
                captured.dtype.is_handle() && (self.is_readonly(captured) || !written.contains(&captured.id()));
            bindings.push(Binding { var: captured.clone(), others: Vec::new(), source, align: 1, readonly });
        }
        bindings.extend(scratch_bindings(self.unit, body));
        let streams = self.streams_among(captured);
        let sort = Sort::Task { captures: takes_address(body) };
        let written_as = |cx: &mut Self, bindings: &[Binding], non_temporal: NonTemporal| {
            let inner = cx.unit.internal_name();
            let (loaded, loops) = (cx.loaded.clone(), cx.loops);
            let mut task = FnCx::new(cx.unit, bindings, sort)?;
            (task.loaded, task.loops, task.non_temporal) = (loaded, loops, non_temporal);
            task.task_loop(var, own, body)?;
            task.finish(&inner)?;
            Ok(inner)
        };
        let mut text = Body::new();
        let arguments = arguments(&mut text, sort, &bindings);
        if streams.is_empty() {
            let inner = written_as(self, &bindings, NonTemporal::Tested)?;
            call_internal(&mut text, &inner, &arguments);
        } else {
            let plain = written_as(self, &bindings, NonTemporal::Never)?;
            for binding in bindings.iter_mut().filter(|binding| streams.contains_key(&binding.var.id())) {
                binding.align = LINE_BYTES;
            }
            let streamed = written_as(self, &bindings, NonTemporal::Always)?;
            let (all, other) = (text.label(), text.label());
            let is_streamed = all_stream(&mut text, &streams, &bindings, &arguments);
            text.branch(&is_streamed, all, other);
            text.start(all);
            call_internal(&mut text, &streamed, &arguments);
            text.start(other);
            call_internal(&mut text, &plain, &arguments);
        }
        let text = text.finish();
        let entry = self.unit.internal_name();
        self.unit.add_function(&format!(
            "define internal i32 {entry}(ptr %cx, ptr %closure, i64 %task, i64 %tasks) #0 {{\n{text}}}\n"
        ));
        Ok(entry)
    }

    /// The iterations of one task: `first + task * chunk` to `first + min((task + 1) * chunk, count)`.
    fn task_loop(&mut self, var: &Var, [first, count, chunk]: [&Var; 3], body: &Stmt) -> Result<()> {
        let dtype = var.dtype;
        let ty = Reg(dtype);
        let task = Value::constant("%task");
        let task = match dtype.bits {
            64 => task,
            bits => self.body.assign(format_args!("trunc i64 {task} to i{bits}")),
        };
        let (first, count, chunk) = (self.value_of(first)?, self.value_of(count)?, self.value_of(chunk)?);
        let before = self.body.assign(format_args!("mul nsw {ty} {task}, {chunk}"));
        let left = self.body.assign(format_args!("sub nsw {ty} {count}, {before}"));
        let name = format!("@llvm.smin.i{}", dtype.bits);
        let extent = self.body.assign(format_args!("call {ty} {name}({ty} {left}, {ty} {chunk})"));
        let min = self.body.assign(format_args!("add nsw {ty} {first}, {before}"));
        self.serial_loop(var, &min, &extent, None, body)
    }

    /// Fills the closure and hands the tasks to the runtime; a failure is returned.
    fn start_tasks(
        &mut self,
        name: &str,
        captured: &[Var],
        extent: &Value,
        split: &Split,
        dtype: DataType,
    ) -> Result<()> {
        let bytes: u64 = captured.iter().map(|var| slot_bytes(var.dtype)).sum();
        let closure = self.body.reserve(bytes, 64);
        let mut offset = 0;
        for var in captured {
            let (value, address) = (self.value_of(var)?, self.body.offset(&closure, offset));
            self.body.line(format_args!("store {} {value}, ptr {address}, align 8", Reg(var.dtype)));
            offset += slot_bytes(var.dtype);
        }
        let tasks = self.divide_up(extent, &split.chunk, dtype);
        let tasks = match dtype.bits {
            64 => tasks,
            bits => self.body.assign(format_args!("zext i{bits} {tasks} to i64")),
        };
        let run = self.context_field(offsets::PARALLEL_FOR_ESTIMATED);
        let nanoseconds = &split.nanoseconds;
        let status = self
            .body
            .assign(format_args!("call i32 {run}(ptr %cx, ptr {name}, ptr {closure}, i64 {tasks}, i64 {nanoseconds})"));
        self.return_failure(&status);
        Ok(())
    }

    pub(crate) fn loop_bound(&mut self, bound: &Expr, var: &Var) -> Result<Value> {
        if !matches!(var.dtype, DataType::I32 | DataType::I64) {
            return Err(self.unit.malformed(format!("loop variable `{}` is {}", var.name, var.dtype)));
        }
        if !bound.dtype.is_signed() || !bound.dtype.is_scalar() || bound.dtype.bits > var.dtype.bits {
            let what = format!("loop variable `{}` is {}, its bound {}", var.name, var.dtype, bound.dtype);
            return Err(self.unit.malformed(what));
        }
        let value = self.value(bound, Position::Value)?;
        if bound.dtype == var.dtype {
            return Ok(value);
        }
        Ok(self.body.assign(format_args!("sext {} {value} to {}", Reg(bound.dtype), Reg(var.dtype))))
    }
}

/// Bytes of a closure's slot.
fn slot_bytes(dtype: DataType) -> u64 {
    (dtype.bytes() as u64).next_multiple_of(8)
}
