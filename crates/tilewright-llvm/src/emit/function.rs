//! A function while it is emitted: the value of each variable, the address of each buffer, shared subexpressions.

use tilewright_expr::node::VarId;
use tilewright_ir::tir::{Buffer, Expr, Var};
use tilewright_support::{Map, Set};
use tilewright_tensor::abi::{Status, TENSOR_ALIGN, offsets};

use super::pieces::Piece;
use super::stream::NonTemporal;
use super::text::{Body, Reg, Value};
use super::unit::Unit;
use crate::CodegenError;

pub(crate) type Result<T> = std::result::Result<T, CodegenError>;

/// Loops inside each other: LLVM's loop passes recurse over the nest.
const MAX_LOOPS: usize = 256;
/// Above this number of `insertelement`s LLVM's SLP vectoriser is off for the function.
const MAX_INSERTED: usize = 256;

/// The origin of a parameter of an internal function, in the function around it.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Tensor argument of the kernel.
    Argument(usize),
    /// Scalar argument of the kernel.
    Dimension(usize),
    /// Bytes into the worker's scratch memory.
    Scratch(u64),
    /// Bytes into the closure of a parallel region.
    Closure(u64),
}

/// A variable, or the address of a buffer, that an internal function takes as a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) var: Var,
    /// Other buffers at the same address, whose live ranges are disjoint from this one.
    pub(crate) others: Vec<Var>,
    pub(crate) source: Source,
    /// Of an address: the bytes that it is a multiple of.
    pub(crate) align: usize,
    /// Of an address: whether nothing is written through it.
    pub(crate) readonly: bool,
}

/// Whether a value is part of an address, where arithmetic does not overflow, or part of what is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Position {
    Value,
    Index,
}

/// The purpose of an internal function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    /// The body of a kernel, whose addresses a parallel region's closure, or a function called by it, may hold.
    Kernel { captures: bool },
    /// One task of a parallel loop; its number is the parameter after the context.
    Task { captures: bool },
    /// The body of a GPU's kernel, whose threads may wait for each other: then one sees what another one wrote.
    Device { waits: bool },
}

impl Sort {
    /// The arguments before those of the bindings.
    pub(crate) fn leading_arguments(self) -> &'static str {
        match self {
            Self::Kernel { .. } => "ptr %cx",
            Self::Task { .. } => "ptr %cx, i64 %task",
            Self::Device { .. } => "ptr %cx, i32 %launch",
        }
    }

    pub(crate) fn is_task(self) -> bool {
        matches!(self, Self::Task { .. })
    }

    /// Whether its addresses may escape the function.
    fn captures(self) -> bool {
        match self {
            Self::Kernel { captures } | Self::Task { captures } => captures,
            Self::Device { .. } => false,
        }
    }
}

/// An internal function being written.
#[derive(Debug)]
pub(crate) struct FnCx<'u, 'a> {
    pub(crate) unit: &'u mut Unit<'a>,
    pub(crate) body: Body,
    pub(crate) sort: Sort,
    pub(crate) loops: usize,
    values: Map<VarId, (Var, Value)>,
    readonly: Set<VarId>,
    /// Variables whose values come from memory or from the user: indices with them may overflow.
    pub(crate) loaded: Set<VarId>,
    /// Shared expressions of the current statement, by address; one map for each branch that we are in.
    memo: Vec<Map<(usize, Position), Value>>,
    /// Pieces of the current statement's vectors, by address; kept alive as long as their cache entries.
    pub(crate) pieces: Map<(usize, Piece), Expr>,
    /// Values of `Let` variables that are vectors computed without reading memory.
    pub(crate) vectors: Map<VarId, Expr>,
    /// `Let` variables of the current statement's expressions.
    bound_here: Set<VarId>,
    pub(crate) speculatable: Map<usize, bool>,
    /// Stack memory by data variable; the iterations of a loop share it.
    stack: Map<VarId, Value>,
    /// Whether the function has non-temporal stores, which a fence has to follow.
    pub(crate) streams: bool,
    /// Whether stores to streamed tensors test if they are to be non-temporal.
    pub(crate) non_temporal: NonTemporal,
    parameters: String,
}

impl<'u, 'a> FnCx<'u, 'a> {
    pub(crate) fn new(unit: &'u mut Unit<'a>, bindings: &[Binding], sort: Sort) -> Result<Self> {
        let size = offsets::SIZE;
        let parameters = match sort {
            Sort::Kernel { .. } => format!("ptr noalias nonnull readonly align 8 dereferenceable({size}) %cx"),
            Sort::Task { .. } => {
                format!("ptr noalias nonnull readonly align 8 dereferenceable({size}) %cx, i64 %task")
            }
            Sort::Device { .. } => "ptr nonnull align 8 %cx, i32 %launch".to_owned(),
        };
        let mut cx = Self {
            unit,
            body: Body::new(),
            sort,
            loops: 0,
            values: Map::default(),
            readonly: Set::default(),
            loaded: Set::default(),
            memo: vec![Map::default()],
            pieces: Map::default(),
            vectors: Map::default(),
            bound_here: Set::default(),
            speculatable: Map::default(),
            stack: Map::default(),
            streams: false,
            non_temporal: NonTemporal::Tested,
            parameters,
        };
        for (number, binding) in bindings.iter().enumerate() {
            cx.add_parameter(number as u32, binding)?;
        }
        Ok(cx)
    }

    fn add_parameter(&mut self, number: u32, binding: &Binding) -> Result<()> {
        let value = Value::Parameter(number);
        if binding.var.dtype.is_handle() {
            let readonly = if binding.readonly { " readonly" } else { "" };
            let captures = if self.sort.captures() { "" } else { " captures(none)" };
            let align = binding.align.max(1);
            // Memory that other threads write in between is none of this function alone.
            let alone = binding.readonly || self.sort != (Sort::Device { waits: true });
            let noalias = if alone { " noalias" } else { "" };
            self.parameters += &format!(", ptr{noalias} nonnull{readonly}{captures} align {align} {value}");
        } else {
            self.parameters += &format!(", {} {value}", Reg(binding.var.dtype));
        }
        if binding.readonly {
            self.readonly.insert(binding.var.id());
        }
        for other in &binding.others {
            self.bind(other, value.clone())?;
        }
        self.bind(&binding.var, value)
    }

    /// Ends the function with success and writes it out under `name`.
    pub(crate) fn finish(mut self, name: &str) -> Result<()> {
        if self.streams {
            self.body.line(format_args!("fence seq_cst"));
        }
        self.body.line(format_args!("ret i32 0"));
        self.unit.check_length(self.body.length)?;
        self.unit.instructions += self.body.length;
        let body = self.body.finish();
        // The SLP vectoriser takes quadratic time over many `insertelement`s; it skips functions without implicit
        // vectors.
        let many = body.matches("insertelement").count() > MAX_INSERTED;
        let vectors = if many { " noimplicitfloat" } else { "" };
        // A GPU's entry is the whole kernel; on a processor the parameters of a function carry what is known of them.
        let inline = if matches!(self.sort, Sort::Device { .. }) { "alwaysinline" } else { "noinline" };
        let text =
            format!("define internal fastcc i32 {name}({}) {inline}{vectors} #0 {{\n{body}}}\n", self.parameters);
        self.unit.add_function(&text);
        Ok(())
    }

    /// Gives a variable its value, for as long as [`FnCx::unbind`] does not take it away.
    pub(crate) fn bind(&mut self, var: &Var, value: Value) -> Result<()> {
        if self.values.insert(var.id(), (var.clone(), value)).is_some() {
            return Err(self.unit.malformed(format!("variable `{}` is bound inside its own scope", var.name)));
        }
        Ok(())
    }

    pub(crate) fn unbind(&mut self, var: &Var) {
        self.values.remove(&var.id());
        self.vectors.remove(&var.id());
    }

    pub(crate) fn value_of(&self, var: &Var) -> Result<Value> {
        match self.values.get(&var.id()) {
            Some((_, value)) => Ok(value.clone()),
            None => Err(self.unit.malformed(format!("variable `{}` has no value here", var.name))),
        }
    }

    pub(crate) fn has_value(&self, var: &Var) -> bool {
        self.values.contains_key(&var.id())
    }

    pub(crate) fn is_readonly(&self, var: &Var) -> bool {
        self.readonly.contains(&var.id())
    }

    /// The address of a buffer's first element.
    pub(crate) fn address(&self, buffer: &Buffer) -> Result<Value> {
        self.unit.check_type(buffer.dtype)?;
        if !buffer.strides.is_empty() || buffer.elem_offset.as_ref().is_some_and(|offset| offset.as_int() != Some(0)) {
            return Err(self.unit.malformed(format!("buffer `{}` has strides or an offset", buffer.name)));
        }
        self.value_of(&buffer.data)
    }

    /// Begins a statement: what was computed before may have changed in memory.
    pub(crate) fn begin_statement(&mut self) -> Result<()> {
        self.unit.check_length(self.body.length)?;
        self.memo.clear();
        self.memo.push(Map::default());
        self.pieces.clear();
        self.bound_here.clear();
        Ok(())
    }

    pub(crate) fn remembered(&self, expr: &Expr, position: Position) -> Option<Value> {
        let key = (tilewright_expr::node::AnyHandle::address(expr), position);
        self.memo.iter().rev().find_map(|memo| memo.get(&key).cloned())
    }

    pub(crate) fn remember(&mut self, expr: &Expr, position: Position, value: &Value) {
        if tilewright_expr::node::AnyHandle::is_shared(expr)
            && let Some(memo) = self.memo.last_mut()
        {
            memo.insert((tilewright_expr::node::AnyHandle::address(expr), position), value.clone());
        }
    }

    /// Runs `f` in a branch: values that it computes are not available after the branch.
    pub(crate) fn in_branch<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.memo.push(Map::default());
        let result = f(self);
        self.memo.pop();
        result
    }

    /// Binds the variable of a `Let` expression. A second binding in one statement makes earlier values stale.
    pub(crate) fn bind_in_expr(&mut self, var: &Var, value: Value) -> Result<()> {
        if !self.bound_here.insert(var.id()) {
            self.memo.iter_mut().for_each(Map::clear);
            self.pieces.clear();
        }
        self.bind(var, value)
    }

    /// A field of the kernel's context.
    pub(crate) fn context_field(&mut self, offset: u64) -> Value {
        let address = self.body.offset(&Value::constant("%cx"), offset);
        self.body.assign(format_args!("load ptr, ptr {address}, align 8"))
    }

    /// Ends the block: reports the failure and returns its status.
    pub(crate) fn fail(&mut self, status: Status, message: &Value, length: &Value) {
        let code = status as i32;
        if self.unit.is_device() {
            self.body.line(format_args!(
                "call void @tilewright.fail(ptr %cx, i32 %launch, i32 {code}, ptr {message}, i64 {length})"
            ));
            self.body.line(format_args!("ret i32 {code}"));
            return;
        }
        let fail = self.context_field(offsets::FAIL);
        let status =
            self.body.assign(format_args!("call i32 {fail}(ptr %cx, i32 {code}, ptr {message}, i64 {length})"));
        self.body.line(format_args!("ret i32 {status}"));
    }

    /// Leaves the function with a status that is not success.
    pub(crate) fn return_failure(&mut self, status: &Value) {
        let failed = self.body.assign(format_args!("icmp ne i32 {status}, 0"));
        let (stop, go_on) = (self.body.label(), self.body.label());
        self.body.branch(&failed, stop, go_on);
        self.body.start(stop);
        self.body.line(format_args!("ret i32 {status}"));
        self.body.start(go_on);
    }

    pub(crate) fn enter_loop(&mut self) -> Result<()> {
        self.loops += 1;
        if self.loops > MAX_LOOPS {
            return Err(self.unit.unsupported(format!("more than {MAX_LOOPS} loops inside each other")));
        }
        Ok(())
    }

    pub(crate) fn is_on_stack(&self, buffer: &Buffer) -> bool {
        self.stack.contains_key(&buffer.data.id())
    }

    /// Stack memory for an `Allocate`, shared by the iterations of a loop.
    pub(crate) fn stack_memory(&mut self, buffer: &Buffer, bytes: u64) -> Value {
        if let Some(value) = self.stack.get(&buffer.data.id()) {
            return value.clone();
        }
        let value = self.body.reserve(bytes.max(1), TENSOR_ALIGN as u64);
        self.stack.insert(buffer.data.id(), value.clone());
        value
    }
}
