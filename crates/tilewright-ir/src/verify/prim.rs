//! PrimFuncs.

use std::sync::Arc;

use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_support::{NearSet, with_stack};
use tilewright_tensor::DataType;

use super::scalar::{Context, access, check as check_scalar, check_buffer, check_layout, check_mask, define, layout};
use super::scope::{Level, Scopes};
use super::{Report, count};
use crate::relax::Constant;
use crate::tir::{
    Block, Buffer, BufferRegion, Expr, ExprKind, ForKind, MatchBuffer, PrimFunc, Range, Stmt, StmtKind, Var, is_thread,
};

pub(super) fn check(report: &mut Report, function: &PrimFunc) {
    let (scopes, constants) = (Scopes::default(), NearSet::default());
    let mut checker = Checker { report, scopes, constants, unfinished: Vec::new() };
    checker.report.origins.push(function.origins.headline());
    checker.scopes.enter();
    checker.params(function);
    checker.stmt(&function.body);
    checker.scopes.leave();
    checker.report.origins.pop();
}

struct Checker<'r> {
    report: &'r mut Report,
    scopes: Scopes,
    /// Data variables of constant memory.
    constants: NearSet<VarId>,
    /// The statements around of which only what they end in is left to check, from outside inwards.
    unfinished: Vec<Unfinished>,
}

/// A statement that is checked up to what it ends in.
struct Unfinished {
    /// Its address, where the node is shared.
    shared: Option<usize>,
    /// The innermost scope that it depends on so far.
    level: Level,
    /// The number of enclosing origins.
    around: usize,
    /// Whether a scope of its own is open for what it ends in.
    scoped: bool,
}

/// The deferred checks at the end of a statement.
enum Rest<'s> {
    Nothing,
    Plain(&'s Stmt),
    /// The same in a scope of its own.
    Scoped(&'s Stmt),
}

impl Checker<'_> {
    fn error(&mut self, code: &'static str, message: impl Into<String>) {
        self.report.error(code, message);
    }

    fn define(&mut self, id: tilewright_expr::node::VarId, name: &str) {
        define(self.report, &mut self.scopes, id, name);
    }

    fn define_buffer(&mut self, buffer: &Buffer) {
        self.define(buffer.id(), &buffer.name);
        self.scopes.define(buffer.data.id());
    }

    fn expr(&mut self, expr: &Expr) -> Level {
        check_scalar(self.report, &mut self.scopes, Context::Loops, expr)
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Level {
        exprs.into_iter().map(|e| self.expr(e)).max().unwrap_or(0)
    }

    fn params(&mut self, function: &PrimFunc) {
        for param in &function.params {
            self.define(param.var.id(), &param.var.name);
            let dtype = param.var.dtype;
            if param.buffer.is_some() && dtype != DataType::HANDLE {
                let message = format!("parameter `{}` is {dtype}, expected a handle for its buffer", param.var.name);
                self.error("TW0515", message);
            }
        }
        let mut unsettled = Vec::new();
        for buffer in function.params.iter().filter_map(|param| param.buffer.as_ref()) {
            self.define_buffer(buffer);
            // Constants mention nothing that a later parameter may define.
            match layout(buffer).all(|part| part.as_int().is_some()) {
                true => _ = check_layout(self.report, &mut self.scopes, Context::Loops, buffer),
                false => {
                    self.define_dims(buffer);
                    unsettled.push(buffer);
                }
            }
        }
        for buffer in unsettled {
            check_layout(self.report, &mut self.scopes, Context::Loops, buffer);
        }
    }

    /// Variables that are by themselves a buffer's dimension, stride or offset get their values from what it is bound
    /// to.
    fn define_dims(&mut self, buffer: &Buffer) {
        for part in layout(buffer) {
            if let Some(var) = part.as_var() {
                self.scopes.define(var.id());
            }
        }
    }

    /// Checks a statement and gives the innermost scope that it depends on; a shared one is looked at once.
    ///
    /// Deferred checks of a statement run after it and not inside of it: of a suite of a million declarations each has
    /// the rest as its body.
    fn stmt(&mut self, stmt: &Stmt) -> Level {
        let outside = self.unfinished.len();
        let mut level = with_stack(|| self.heads(stmt));
        while self.unfinished.len() > outside
            && let Some(ended) = self.unfinished.pop()
        {
            let inside = if ended.scoped { self.leave(level) } else { level };
            level = ended.level.max(inside);
            self.report.around.truncate(ended.around);
            if let Some(address) = ended.shared {
                self.scopes.remember(address, Context::Loops as u8, level);
            }
        }
        level
    }

    /// Checks a statement, what it ends in, what that ends in, and so on, and leaves them unfinished; gives the
    /// innermost scope that the last one depends on.
    fn heads(&mut self, mut stmt: &Stmt) -> Level {
        loop {
            let shared = stmt.is_shared().then(|| stmt.address());
            if let Some(address) = shared
                && let Some(level) = self.scopes.checked(address, Context::Loops as u8)
            {
                return level;
            }
            let around = self.report.around.len();
            self.report.around.extend(place_of(&stmt.kind));
            let (level, rest) = self.head(&stmt.kind);
            self.unfinished.push(Unfinished { shared, level, around, scoped: matches!(rest, Rest::Scoped(_)) });
            match rest {
                Rest::Nothing => return level,
                Rest::Plain(rest) | Rest::Scoped(rest) => stmt = rest,
            }
        }
    }

    /// Ends the innermost scope, in which this one was the innermost that was used, and gives the innermost around it.
    fn leave(&mut self, level: Level) -> Level {
        let here = self.scopes.here();
        self.scopes.leave();
        if level >= here { here - 1 } else { level }
    }

    /// Checks a statement up to what it ends in, and enters the scope that it opens for that.
    fn head<'s>(&mut self, stmt: &'s StmtKind) -> (Level, Rest<'s>) {
        match stmt {
            StmtKind::Store { buffer, indices, value, predicate } => {
                (self.store(buffer, indices, value, predicate.as_ref()), Rest::Nothing)
            }
            StmtKind::For { var, min, extent, kind, body, .. } => {
                (self.for_loop(var, min, extent, kind), Rest::Scoped(body))
            }
            StmtKind::While { condition, body } => (self.condition("while", condition), Rest::Plain(body)),
            StmtKind::If { condition, then, otherwise: None } => (self.condition("if", condition), Rest::Plain(then)),
            StmtKind::If { condition, then, otherwise: Some(otherwise) } => {
                (self.condition("if", condition).max(self.stmt(then)), Rest::Plain(otherwise))
            }
            StmtKind::Let { var, value, body } => (self.value(var, value), Rest::Scoped(body)),
            StmtKind::Assert { condition, .. } => (self.condition("assert", condition), Rest::Nothing),
            StmtKind::Seq(stmts) => match stmts.split_last() {
                Some((last, before)) => {
                    (before.iter().map(|stmt| self.stmt(stmt)).max().unwrap_or(0), Rest::Plain(last))
                }
                None => (0, Rest::Nothing),
            },
            StmtKind::Evaluate(expr) => (self.expr(expr), Rest::Nothing),
            StmtKind::Block { values, predicate, block } => {
                let level = self.exprs(values).max(self.condition("block", predicate));
                self.scopes.enter();
                let inside = self.block(values, block);
                (level.max(self.leave(inside)), Rest::Nothing)
            }
            StmtKind::Attr { node, value, body, .. } => {
                let named = [node, value].into_iter().filter(|operand| !matches!(operand.kind, ExprKind::Str(_)));
                (self.exprs(named), Rest::Plain(body))
            }
            StmtKind::AllocateConst { buffer, data, body } => {
                self.constant_memory(buffer, data);
                self.constants.insert(buffer.data.id());
                self.scopes.enter();
                self.define_buffer(buffer);
                (0, Rest::Scoped(body))
            }
            StmtKind::Allocate { buffer, body } => {
                let level = check_layout(self.report, &mut self.scopes, Context::Loops, buffer);
                self.scopes.enter();
                self.define_buffer(buffer);
                (level, Rest::Scoped(body))
            }
        }
    }

    /// Checks the value of a variable, and enters the scope in which the variable has it.
    fn value(&mut self, var: &Var, value: &Expr) -> Level {
        if var.dtype != value.dtype {
            let message = format!("variable `{}` is {}, its value {}", var.name, var.dtype, value.dtype);
            self.error("TW0506", message);
        }
        let level = self.expr(value);
        self.scopes.enter();
        self.define(var.id(), &var.name);
        level
    }

    fn constant_memory(&mut self, buffer: &Buffer, data: &Constant) {
        let (shape, dtype) = (data.0.shape(), data.0.dtype());
        if buffer.constant_shape().as_deref() != Some(shape) || buffer.dtype != dtype {
            let said = match buffer.constant_shape() {
                Some(said) => format!("{} elements of shape {said:?}", buffer.dtype),
                None => format!("{} elements of a shape that is not constant", buffer.dtype),
            };
            let message = format!(
                "constant memory `{}` holds {dtype} elements of shape {shape:?}, its buffer says {said}",
                buffer.name
            );
            self.report.error_with_help("TW0517", message, "give the buffer the shape and the data type of its tensor");
        }
    }

    fn condition(&mut self, what: &str, condition: &Expr) -> Level {
        if condition.dtype != DataType::BOOL {
            self.error("TW0511", format!("the condition of `{what}` is {}, expected a scalar bool", condition.dtype));
        }
        self.expr(condition)
    }

    fn store(&mut self, buffer: &Buffer, indices: &[Expr], value: &Expr, mask: Option<&Expr>) -> Level {
        if self.constants.contains(&buffer.data.id()) {
            let message = format!("a store to constant memory `{}`, which is read only", buffer.name);
            let help = "copy the constants to a buffer that is allocated, and store there";
            self.report.error_with_help("TW0533", message, help);
        }
        let lanes = access(self.report, buffer, indices);
        let expected = buffer.dtype.with_lanes(lanes);
        if value.dtype != expected {
            let message = format!("a store of {} to buffer `{}`, expected {expected}", value.dtype, buffer.name);
            self.error("TW0505", message);
        }
        let level = check_buffer(self.report, &mut self.scopes, Context::Loops, buffer);
        let level = level.max(self.exprs(indices)).max(self.expr(value));
        level.max(check_mask(self.report, &mut self.scopes, Context::Loops, mask, lanes))
    }

    /// Checks a loop but for its body, and enters the scope of that.
    fn for_loop(&mut self, var: &Var, min: &Expr, extent: &Expr, kind: &ForKind) -> Level {
        if let ForKind::ThreadBinding(tag) = kind
            && !is_thread(tag)
        {
            let message = format!("loop `{}` is bound to `{tag}`, which are no threads", var.name);
            let help =
                "threads are `blockIdx.x`, `threadIdx.x` and `vthread.x`, with `y` and `z` as the other dimensions";
            self.report.error_with_help("TW0519", message, help);
        }
        if var.size {
            self.error("TW0508", format!("loop variable `{}` is a size variable", var.name));
        }
        let integer = var.dtype.is_int() && var.dtype.is_scalar();
        if !integer || min.dtype != var.dtype || extent.dtype != var.dtype {
            self.error(
                "TW0508",
                format!(
                    "loop variable `{}` is {}, its start {}, its extent {}: expected one integer type for all three",
                    var.name, var.dtype, min.dtype, extent.dtype
                ),
            );
        }
        if *kind == ForKind::Unrolled && extent.as_int().is_none() {
            self.error("TW0507", format!("the extent of the unrolled loop `{}` is not a constant", var.name));
        }
        let level = self.expr(min).max(self.expr(extent));
        self.scopes.enter();
        self.define(var.id(), &var.name);
        level
    }

    fn block(&mut self, values: &[Expr], block: &Block) -> Level {
        self.report.origins.push(block.origins.headline());
        let mut level = self.axes(values, block);
        for matched in &block.match_buffers {
            level = level.max(self.matched(block, matched));
        }
        for buffer in &block.alloc_buffers {
            self.define_buffer(buffer);
            level = level.max(check_layout(self.report, &mut self.scopes, Context::Loops, buffer));
        }
        for region in block.reads.iter().chain(&block.writes) {
            level = level.max(self.region(region));
        }
        if let Some(init) = &block.init {
            level = level.max(self.stmt(init));
        }
        level = level.max(self.stmt(&block.body));
        self.report.origins.pop();
        level
    }

    fn axes(&mut self, values: &[Expr], block: &Block) -> Level {
        if values.len() != block.iters.len() {
            let axes = if block.iters.len() == 1 { "1 axis".to_owned() } else { format!("{} axes", block.iters.len()) };
            let (name, found) = (&block.name, count(values.len(), "value"));
            self.error("TW0509", format!("block `{name}` has {axes} and {found}, expected a value for each axis"));
        }
        let mut level = 0;
        for (at, iter) in block.iters.iter().enumerate() {
            let (dtype, domain) = (iter.var.dtype, [&iter.domain.min, &iter.domain.extent]);
            let value = values.get(at).map_or(dtype, |v| v.dtype);
            if !dtype.is_int() || !dtype.is_scalar() || value != dtype || domain.iter().any(|e| e.dtype != dtype) {
                let message = format!(
                    "axis `{}` of block `{}` is {dtype}, its value {value}, its domain {} over {}: expected one integer \
                     type for all four",
                    iter.var.name, block.name, domain[0].dtype, domain[1].dtype
                );
                self.error("TW0510", message);
            }
            if iter.var.size {
                self.error("TW0510", format!("axis `{}` of block `{}` is a size variable", iter.var.name, block.name));
            }
            level = level.max(self.exprs(domain));
        }
        for iter in &block.iters {
            self.define(iter.var.id(), &iter.var.name);
        }
        level
    }

    fn ranges(&mut self, ranges: &[Range]) -> Level {
        for part in ranges.iter().flat_map(|range| [&range.min, &range.extent]) {
            if !part.dtype.is_int() || !part.dtype.is_scalar() {
                self.error("TW0504", format!("a bound of a region is {}, expected a scalar integer", part.dtype));
            }
        }
        self.exprs(ranges.iter().flat_map(|range| [&range.min, &range.extent]))
    }

    fn region(&mut self, region: &BufferRegion) -> Level {
        let buffer = &region.buffer;
        if region.region.len() != buffer.rank() {
            let (name, rank) = (&buffer.name, count(buffer.rank(), "dimension"));
            let found = count(region.region.len(), "range");
            self.error("TW0503", format!("buffer `{name}` has {rank}, found a region of {found}"));
        }
        let level = check_buffer(self.report, &mut self.scopes, Context::Loops, buffer);
        level.max(self.ranges(&region.region))
    }

    fn matched(&mut self, block: &Block, matched: &MatchBuffer) -> Level {
        let (buffer, source) = (&matched.buffer, &matched.source);
        let level = self.region(source);
        if buffer.dtype != source.buffer.dtype || buffer.rank() > source.region.len() {
            let message = format!(
                "block `{}` matches buffer `{}`, {} of {}, to a region of `{}`, {} of {}: expected the same type and no \
                 more dimensions",
                block.name,
                buffer.name,
                count(buffer.rank(), "dimension"),
                buffer.dtype,
                source.buffer.name,
                count(source.region.len(), "dimension"),
                source.buffer.dtype
            );
            self.error("TW0516", message);
        }
        self.define_buffer(buffer);
        self.define_dims(buffer);
        level.max(check_layout(self.report, &mut self.scopes, Context::Loops, buffer))
    }
}

/// The name of a statement in messages.
fn place_of(stmt: &StmtKind) -> Option<(&'static str, Arc<str>)> {
    match stmt {
        StmtKind::For { var, .. } => Some(("loop", var.name.clone())),
        // A root block is not written.
        StmtKind::Block { block, .. } if block.iters.is_empty() && &*block.name == "root" => None,
        StmtKind::Block { block, .. } => Some(("block", block.name.clone())),
        StmtKind::Store { buffer, .. } => Some(("store to", buffer.name.clone())),
        StmtKind::Let { var, .. } => Some(("value of", var.name.clone())),
        StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => {
            Some(("memory", buffer.name.clone()))
        }
        StmtKind::Attr { key, .. } => Some(("attribute", key.clone())),
        StmtKind::Assert { message, .. } => Some(("assert", message.clone())),
        StmtKind::While { .. } | StmtKind::If { .. } | StmtKind::Seq(_) | StmtKind::Evaluate(_) => None,
    }
}
