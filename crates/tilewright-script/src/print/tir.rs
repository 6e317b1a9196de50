//! PrimFuncs and their statements as text.

use tilewright_expr::node::{walk, walk_some};
use tilewright_expr::{Buffer, Expr, ExprKind, ForeignCallee, Range, Var};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Block, ForKind, MatchBuffer, Param, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright_support::{Set, with_stack};
use tilewright_tensor::DataType;

use super::buffers::{DefaultDType, Mentioned, dimensions};
use super::scalar::quoted;
use super::{Namespace, Printer};
use crate::spelling::range_stop;

/// The type of the value that a function returns, by its first `T.ret`.
fn result_type(body: &Stmt) -> Option<DataType> {
    let mut found = None;
    walk(body, |expr: &Expr| {
        if let ExprKind::Foreign { callee: ForeignCallee::Builtin(name), args } = &expr.kind
            && &**name == "ret"
        {
            found = found.or(args.first().map(|value| value.dtype));
        }
    });
    found
}

impl Printer<'_> {
    /// A whole function with its decorator, at the current indentation.
    pub(super) fn prim_func(&mut self, name: &str, function: &PrimFunc) {
        self.marked(function, |p| p.prim_func_text(name, function));
    }

    fn prim_func_text(&mut self, name: &str, function: &PrimFunc) {
        self.graph_level = false;
        let Mentioned { views, handles } = Mentioned::of(function);
        self.views = views;
        self.ranges.clear();
        self.qualified_after("@", Namespace::Tir, "prim_func");
        if !function.attrs.contains_key(attr_names::GLOBAL_SYMBOL) {
            self.doc.text("(private=True)");
        }
        self.doc.line();
        self.names.open();
        let own_name = self.function_name(name);
        self.doc.write(format_args!("def {own_name}"));
        let mut bound: Set<Var> = Set::default();
        let params: Set<Var> = function.params.iter().map(|param| param.var.clone()).collect();
        // The name of a buffer means its memory: a handle that is mentioned has a name of its own.
        let mut inline = |param: &Param| is_inline(param, &params, &mut bound) && !handles.contains(&param.var.id());
        let forms: Vec<bool> = function.params.iter().map(|param| self.options.syntax_sugar && inline(param)).collect();
        let params: Vec<_> = function.params.iter().zip(forms.iter().copied()).collect();
        self.list("(", &params, ")", |p, (param, inline)| {
            p.marked(*param, |p| p.param(param, *inline));
        });
        if let Some(result) = result_type(&function.body) {
            self.doc.text(" -> ");
            self.qualified(Namespace::Tir, &result.to_string());
        }
        self.doc.text(":");
        self.doc.indent();
        let said = function.global_symbol() == Some(name);
        self.attrs_line(Namespace::Tir, "func_attr", &function.attrs, said.then_some(attr_names::GLOBAL_SYMBOL));
        for (param, inline) in params {
            if let (Some(buffer), false) = (&param.buffer, inline) {
                self.declare_unnamed(buffer);
                self.matched_parameter(&param.var, buffer);
            }
        }
        for param in &function.params {
            if let Some(buffer) = &param.buffer {
                self.declare_views(&buffer.data);
            }
        }
        self.declare_undefined(&function.body);
        self.body(&function.body);
        self.doc.dedent();
        self.names.close();
    }

    /// `A = T.match_buffer(a, …)`.
    fn matched_parameter(&mut self, param: &Var, buffer: &Buffer) {
        let handle = self.scalar_name(param);
        let view = self.view_of(buffer);
        self.doc.line();
        let name = self.define_buffer(buffer, &buffer.name);
        self.doc.write(format_args!("{name} = "));
        self.call("match_buffer", |p| {
            p.doc.text(&handle);
            p.doc.separator();
            p.buffer_details(buffer, DefaultDType::LeftOut);
            p.data(view);
        });
    }

    fn param(&mut self, param: &Param, inline: bool) {
        match &param.buffer {
            Some(buffer) if inline => {
                let name = self.define_buffer(buffer, &buffer.name);
                self.doc.write(format_args!("{name}: "));
                self.qualified(Namespace::Tir, "Buffer");
                self.doc.open("(");
                self.buffer_details(buffer, DefaultDType::Written);
                self.doc.close(")");
            }
            buffer => {
                let same_name = buffer.as_ref().is_some_and(|b| b.name == param.var.name);
                let wish = if same_name { format!("var_{}", param.var.name) } else { param.var.name.to_string() };
                let name = self.names.define(param.var.id(), &wish);
                self.annotation(&name, &param.var);
            }
        }
    }

    /// The body of a function: the root block is implicit where the parser puts it back.
    fn body(&mut self, body: &Stmt) {
        let StmtKind::Block { values, predicate, block } = &body.kind else { return self.statements(body) };
        let plain = values.is_empty()
            && predicate.as_int() == Some(1)
            && &*block.name == "root"
            && block.iters.is_empty()
            && block.match_buffers.is_empty()
            && block.reads.is_empty()
            && block.writes.is_empty()
            && block.annotations.is_empty()
            && block.init.is_none();
        if !self.options.syntax_sugar
            || !plain
            || is_root(&block.body)
            || (block.alloc_buffers.is_empty() && !holds_block(&block.body))
        {
            return self.statements(body);
        }
        self.doc.line();
        self.doc.text("# with T.block(\"root\"):");
        self.alloc_buffers(block);
        self.statements(&block.body);
    }

    fn alloc_buffers(&mut self, block: &Block) {
        for buffer in &block.alloc_buffers {
            self.declaration(buffer, "alloc_buffer");
            self.declare_views(&buffer.data);
        }
    }

    /// The suite of a statement that defines an address.
    fn suite_under(&mut self, stmt: &Stmt, data: &Var) {
        self.doc.indent();
        self.names.open();
        self.declare_views(data);
        self.statements(stmt);
        self.names.close();
        self.doc.dedent();
    }

    /// An indented suite with a scope of its own.
    fn suite(&mut self, stmt: &Stmt) {
        self.doc.indent();
        self.names.open();
        self.statements(stmt);
        self.names.close();
        self.doc.dedent();
    }

    /// Statements up to the end of the suite, each on a line of its own.
    pub(super) fn statements(&mut self, stmt: &Stmt) {
        with_stack(|| {
            let mut rest = Some(stmt);
            // The tail of a statement is written after it and not inside of it, unless it is marked as a part of it: of
            // a suite of a million declarations each has the rest as its body.
            while let Some(stmt) = rest
                && self.marks_nothing()
            {
                rest = self.first_of(stmt);
            }
            if let Some(stmt) = rest {
                self.marked(stmt, |p| {
                    if let Some(rest) = p.first_of(stmt) {
                        p.statements(rest);
                    }
                });
            }
        });
    }

    /// Writes a statement up to its tail, if that is in the same suite.
    fn first_of<'s>(&mut self, stmt: &'s Stmt) -> Option<&'s Stmt> {
        match &stmt.kind {
            StmtKind::Seq(stmts) => match stmts.split_last() {
                None => {
                    self.doc.line();
                    self.doc.text("pass");
                    None
                }
                Some((last, before)) => {
                    before.iter().for_each(|stmt| self.statement(stmt));
                    Some(last)
                }
            },
            StmtKind::Let { var, value, body } => {
                self.doc.line();
                let at = std::mem::take(&mut self.doc);
                self.scalar(value);
                let value = std::mem::replace(&mut self.doc, at);
                let name = self.names.define(var.id(), &var.name);
                self.annotation(&name, var);
                self.doc.text(" = ");
                self.doc.append(value);
                self.declare_views(var);
                Some(body)
            }
            StmtKind::Allocate { buffer, body } => {
                self.declaration(buffer, "decl_buffer");
                self.declare_views(&buffer.data);
                Some(body)
            }
            StmtKind::AllocateConst { buffer, data, body } => {
                self.doc.line();
                let name = self.define_buffer(buffer, &buffer.name);
                self.doc.write(format_args!("{name} = "));
                self.allocate_const(buffer, &data.0);
                self.declare_views(&buffer.data);
                Some(body)
            }
            _ => {
                self.statement_text(stmt);
                None
            }
        }
    }

    /// A statement that is printed by itself: what it defines is defined for its own suite.
    pub(super) fn statement_alone(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { .. } | StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } => self.statement(stmt),
            _ => self.statements(stmt),
        }
    }

    /// A statement that is followed by others in the suite.
    fn statement(&mut self, stmt: &Stmt) {
        with_stack(|| self.marked(stmt, |p| p.statement_text(stmt)));
    }

    fn statement_text(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| self.statement(stmt)),
            StmtKind::Let { var, value, body } => {
                self.names.open();
                self.doc.line();
                let at = std::mem::take(&mut self.doc);
                self.scalar(value);
                let value = std::mem::replace(&mut self.doc, at);
                if var.size {
                    self.declare_variable(var);
                    self.doc.line();
                }
                self.doc.text("with ");
                self.call("LetStmt", |p| {
                    p.doc.append(value);
                    if let Some(name) = p.names.get(var.id()).map(str::to_owned) {
                        p.doc.separator();
                        p.doc.write(format_args!("var={name}"));
                    }
                });
                if !var.size {
                    let name = self.names.define(var.id(), &var.name);
                    self.doc.write(format_args!(" as {name}"));
                }
                self.doc.text(":");
                self.suite_under(body, var);
                self.names.close();
            }
            StmtKind::Allocate { buffer, body } => {
                self.declare_unnamed(buffer);
                let view = self.view_of(buffer);
                self.doc.line();
                self.doc.text("with ");
                self.buffer_call(buffer, "decl_buffer", view);
                self.names.open();
                let name = self.define_buffer(buffer, &buffer.name);
                self.doc.write(format_args!(" as {name}:"));
                self.suite_under(body, &buffer.data);
                self.names.close();
            }
            StmtKind::Store { buffer, indices, value, predicate } => {
                self.store(buffer, indices, value, predicate.as_ref());
            }
            StmtKind::For { .. } => self.loops(stmt),
            StmtKind::While { condition, body } => self.headed("while", condition, body),
            StmtKind::If { condition, then, otherwise } => {
                self.headed("if", condition, then);
                if let Some(otherwise) = otherwise {
                    self.doc.line();
                    self.doc.text("else:");
                    self.suite(otherwise);
                }
            }
            StmtKind::Assert { condition, message } => {
                self.doc.line();
                self.doc.text("assert ");
                self.scalar(condition);
                self.doc.write(format_args!(", {}", quoted(message)));
            }
            StmtKind::Evaluate(value) => {
                self.doc.line();
                match &value.kind {
                    // A call is a statement.
                    ExprKind::Foreign { .. } | ExprKind::Call { .. } if self.options.syntax_sugar => self.scalar(value),
                    _ => self.call("evaluate", |p| p.scalar(value)),
                }
            }
            StmtKind::Block { values, predicate, block } => self.block(values, predicate, block),
            StmtKind::Attr { node, key, value, body } => {
                self.doc.line();
                self.doc.text("with ");
                self.call("attr", |p| {
                    p.scalar(node);
                    p.doc.separator();
                    p.doc.text(&quoted(key));
                    p.doc.separator();
                    p.scalar(value);
                });
                self.doc.text(":");
                self.suite(body);
            }
            StmtKind::AllocateConst { buffer, data, body } => {
                self.doc.line();
                self.doc.text("with ");
                self.allocate_const(buffer, &data.0);
                self.names.open();
                let name = self.define_buffer(buffer, &buffer.name);
                self.doc.write(format_args!(" as {name}:"));
                self.suite_under(body, &buffer.data);
                self.names.close();
            }
        }
    }

    fn headed(&mut self, keyword: &str, condition: &Expr, body: &Stmt) {
        self.doc.line();
        self.doc.text(keyword);
        self.doc.text(" ");
        self.scalar(condition);
        self.doc.text(":");
        self.suite(body);
    }

    fn store(&mut self, buffer: &Buffer, indices: &[Expr], value: &Expr, predicate: Option<&Expr>) {
        self.doc.line();
        let name = self.buffer(buffer);
        self.marked(buffer, |p| p.doc.text(&name));
        let Some(predicate) = predicate else {
            self.indices(indices);
            self.doc.text(" = ");
            return self.scalar(value);
        };
        self.doc.open(".vstore(");
        self.list("[", indices, "]", |p, index| p.scalar(index));
        self.doc.separator();
        self.scalar(value);
        self.doc.separator();
        self.doc.text("predicate=");
        self.scalar(predicate);
        self.doc.close(")");
    }

    /// A loop, or plain loops directly inside each other as one grid.
    fn loops(&mut self, stmt: &Stmt) {
        let mut grid: Vec<(&Var, &Expr)> = Vec::new();
        let mut inner = stmt;
        while let Some((var, extent, body)) = plain_loop(inner).filter(|_| self.options.syntax_sugar)
            && (extent.as_int().is_some() || !mentions(extent, &grid))
        {
            grid.push((var, extent));
            inner = body;
        }
        if grid.len() < 2 {
            return self.one_loop(stmt);
        }
        self.doc.line();
        let mut header = std::mem::take(&mut self.doc);
        self.call("grid", |p| {
            for (i, (_, extent)) in grid.iter().enumerate() {
                if i > 0 {
                    p.doc.separator();
                }
                p.scalar(extent);
            }
        });
        std::mem::swap(&mut self.doc, &mut header);
        self.names.open();
        self.doc.text("for ");
        for (i, (var, extent)) in grid.iter().enumerate() {
            if i > 0 {
                self.doc.text(", ");
            }
            let name = self.names.define(var.id(), &var.name);
            self.doc.text(&name);
            self.ranges.insert(var.id(), Range::up_to((*extent).clone()));
        }
        self.doc.text(" in ");
        self.doc.append(header);
        self.doc.text(":");
        self.suite(inner);
        self.names.close();
    }

    fn one_loop(&mut self, stmt: &Stmt) {
        let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else { return };
        let range = Range::new(min.clone(), extent.clone());
        self.doc.line();
        self.doc.text("for ");
        let at = std::mem::take(&mut self.doc);
        match kind {
            ForKind::Serial if annotations.is_empty() && self.options.syntax_sugar => self.doc.open("range("),
            ForKind::Serial => self.open_loop("serial"),
            ForKind::Parallel => self.open_loop("parallel"),
            ForKind::Vectorized => self.open_loop("vectorized"),
            ForKind::Unrolled => self.open_loop("unroll"),
            ForKind::ThreadBinding(_) => self.open_loop("thread_binding"),
        }
        self.start_stop(&range);
        if let ForKind::ThreadBinding(tag) = kind {
            self.doc.separator();
            self.doc.write(format_args!("thread={}", quoted(tag)));
        }
        if !annotations.is_empty() {
            self.doc.separator();
            self.doc.text("annotations=");
            self.attr_map(Namespace::Tir, annotations);
        }
        self.doc.close(")");
        let header = std::mem::replace(&mut self.doc, at);
        self.names.open();
        let name = self.names.define(var.id(), &var.name);
        self.ranges.insert(var.id(), range);
        self.doc.write(format_args!("{name} in "));
        self.doc.append(header);
        self.doc.text(":");
        self.suite(body);
        self.names.close();
    }

    fn open_loop(&mut self, function: &str) {
        self.qualified(Namespace::Tir, function);
        self.doc.open("(");
    }

    /// `stop`, or `start, stop`.
    pub(super) fn start_stop(&mut self, range: &Range) {
        if range.min.as_int() != Some(0) {
            self.scalar(&range.min);
            self.doc.separator();
        }
        self.scalar(&range_stop(range));
    }

    /// `A = T.match_buffer(B[…], …)`.
    pub(super) fn matched_region(&mut self, matched: &MatchBuffer) {
        self.declare_unnamed(&matched.buffer);
        self.doc.line();
        let view = self.view_of(&matched.buffer);
        let name = self.define_buffer(&matched.buffer, &matched.buffer.name);
        self.doc.write(format_args!("{name} = "));
        self.call("match_buffer", |p| {
            p.region(&matched.source);
            p.doc.separator();
            p.buffer_details(&matched.buffer, DefaultDType::LeftOut);
            p.data(view);
        });
        self.declare_views(&matched.buffer.data);
    }

    pub(super) fn block_contents(&mut self, block: &Block) {
        self.alloc_buffers(block);
        for matched in &block.match_buffers {
            self.matched_region(matched);
        }
        if let Some(init) = &block.init {
            self.doc.line();
            self.doc.text("with ");
            self.qualified(Namespace::Tir, "init");
            self.doc.text("():");
            self.suite(init);
        }
        self.statements(&block.body);
    }

    /// A line `T.func_attr({…})`, unless there is nothing to say; the text says `hidden` elsewhere.
    pub(super) fn attrs_line(&mut self, namespace: Namespace, function: &str, attrs: &Attrs, hidden: Option<&str>) {
        let items: Vec<_> = attrs.iter().filter(|(name, _)| Some(&***name) != hidden).collect();
        if items.is_empty() {
            return;
        }
        self.doc.line();
        self.qualified(namespace, function);
        self.doc.text("(");
        self.attr_items(namespace, &items);
        self.doc.text(")");
    }
}

/// Whether a parameter is written with its buffer: not where the buffer defines variables, nor where its memory is that
/// of another one or what one of `params` points to. `bound` has what is named before it.
fn is_inline(param: &Param, params: &Set<Var>, bound: &mut Set<Var>) -> bool {
    let Some(buffer) = &param.buffer else {
        bound.insert(param.var.clone());
        return false;
    };
    let mut inline = !params.contains(&buffer.data) && bound.insert(buffer.data.clone());
    for dim in dimensions(buffer) {
        match dim.as_var() {
            Some(var) => inline &= bound.contains(var),
            None => walk::<Var, _>(&**dim, |var| inline &= bound.contains(var)),
        }
    }
    inline
}

/// Variable, extent and body of a serial loop from 0 without annotations.
fn plain_loop(stmt: &Stmt) -> Option<(&Var, &Expr, &Stmt)> {
    match &stmt.kind {
        StmtKind::For { var, min, extent, kind: ForKind::Serial, annotations, body }
            if annotations.is_empty() && min.as_int() == Some(0) =>
        {
            Some((var, extent, body))
        }
        _ => None,
    }
}

fn mentions(extent: &Expr, grid: &[(&Var, &Expr)]) -> bool {
    let mut found = false;
    let mut look = |var: &Var| found |= grid.iter().any(|(of_grid, _)| *of_grid == var);
    match extent.as_var() {
        Some(var) => look(var),
        None => walk(&**extent, look),
    }
    found
}

fn is_root(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Block { block, .. } if block.iters.is_empty() && &*block.name == "root")
}

fn holds_block(stmt: &Stmt) -> bool {
    let mut found = matches!(stmt.kind, StmtKind::Block { .. });
    walk_some(&**stmt, |node| {
        found |= node.downcast::<Stmt>().is_some_and(|stmt| matches!(stmt.kind, StmtKind::Block { .. }));
        !found && node.downcast::<Expr>().is_none()
    });
    found
}
