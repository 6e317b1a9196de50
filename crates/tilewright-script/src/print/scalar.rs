//! Scalar expressions as text.

use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_expr::{Buffer, Builtin, BuiltinResult, Expr, ExprKind, ForeignCallee, Range, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;

use super::share::{Sharing, shared_nodes};
use super::{Namespace, Printer};
use crate::spelling::{Prec, is_literal, of_binary, of_compare, range_stop};

/// Whether an integer constant may be written without its type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Literal {
    /// Its context determines the type.
    Bare,
    /// Only where it has the type that the level reads from any bare integer.
    Typed,
}

impl Printer<'_> {
    /// A whole expression.
    pub(super) fn scalar(&mut self, expr: &Expr) {
        if is_literal(expr) {
            return self.marked(expr, |p| p.literal(expr, Literal::Bare));
        }
        // A foreign call runs once for one node.
        let once = |e: &Expr| matches!(e.kind, ExprKind::Foreign { .. });
        let shared = shared_nodes(expr, Sharing { closed: |_| false, once });
        if shared.is_empty() && self.shared.is_empty() {
            return self.expr(expr, Prec::Any);
        }
        let outer = (std::mem::replace(&mut self.shared, shared), std::mem::take(&mut self.shared_names));
        self.expr(expr, Prec::Any);
        (self.shared, self.shared_names) = outer;
    }

    /// One of several operands or arguments.
    fn expr(&mut self, expr: &Expr, context: Prec) {
        if !self.shared.contains(&expr.address()) {
            return with_stack(|| self.marked(expr, |p| p.kind(expr, context)));
        }
        if let Some(name) = self.shared_names.get(&expr.address()).cloned() {
            return self.marked(expr, |p| p.doc.text(&name));
        }
        let name = self.names.fresh("s");
        self.doc.write(format_args!("({name} := "));
        with_stack(|| self.marked(expr, |p| p.kind(expr, Prec::Or)));
        self.doc.text(")");
        self.shared_names.insert(expr.address(), name);
    }

    fn kind(&mut self, expr: &Expr, context: Prec) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => self.literal(expr, Literal::Typed),
            ExprKind::Str(text) => self.doc.text(&quoted(text)),
            ExprKind::Var(var) => self.variable(var),
            ExprKind::Binary(op, a, b) => {
                let row = of_binary(*op);
                let infix = row.infix.filter(|(symbol, _)| {
                    !(is_literal(a) && is_literal(b)) && (*symbol != "/" || expr.dtype.is_float())
                });
                match infix {
                    Some((symbol, prec)) => self.infix(symbol, prec, [(a, prec), (b, prec.tighter())], context),
                    None => self.function(row.functions[0], &[a, b]),
                }
            }
            ExprKind::Compare(op, a, b) => {
                let (_, function, symbol) = of_compare(*op);
                if is_literal(a) && is_literal(b) {
                    return self.function(function, &[a, b]);
                }
                let operand = Prec::Compare.tighter();
                self.infix(symbol, Prec::Compare, [(a, operand), (b, operand)], context);
            }
            ExprKind::Not(a) => self.parenthesized(Prec::Not < context, |p| {
                p.doc.text("not ");
                p.expr(a, Prec::Not);
            }),
            ExprKind::Select { condition, then, otherwise } => self.function("Select", &[condition, then, otherwise]),
            ExprKind::Cast(value) => self.call("Cast", |p| {
                p.doc.write(format_args!("\"{}\"", expr.dtype));
                p.doc.separator();
                p.expr(value, Prec::Any);
            }),
            ExprKind::Load { buffer, indices, predicate } => self.load(buffer, indices, predicate.as_ref()),
            ExprKind::Ramp { base, stride } => self.call("Ramp", |p| {
                p.arguments(&[base, stride]);
                p.doc.separator();
                p.doc.text(&expr.dtype.lanes.to_string());
            }),
            ExprKind::Broadcast(value) => self.call("Broadcast", |p| {
                p.expr(value, Prec::Any);
                p.doc.separator();
                p.doc.text(&expr.dtype.lanes.to_string());
            }),
            ExprKind::Shuffle { vectors, lanes } => self.call("Shuffle", |p| {
                p.list("[", vectors, "]", |p, vector| p.expr(vector, Prec::Any));
                p.doc.separator();
                p.list("[", lanes, "]", |p, lane| p.doc.text(&lane.to_string()));
            }),
            ExprKind::Let { var, value, body } => self.let_in(var, value, body),
            ExprKind::Call { intrinsic, args } => self.function(intrinsic.name(), &args.iter().collect::<Vec<_>>()),
            ExprKind::Reinterpret(value) => self.call("reinterpret", |p| {
                p.doc.write(format_args!("\"{}\"", expr.dtype));
                p.doc.separator();
                p.expr(value, Prec::Any);
            }),
            ExprKind::AddressOf { buffer, indices } => self.call("address_of", |p| {
                let name = p.buffer(buffer);
                p.marked(buffer, |p| p.doc.text(&name));
                p.indices(indices);
            }),
            ExprKind::Foreign { callee, args } => self.foreign(expr.dtype, callee, args),
        }
    }

    /// The type comes first, except for packed functions, which give an `int32` by default.
    fn foreign(&mut self, dtype: DataType, callee: &ForeignCallee, args: &[Expr]) {
        let name = match callee {
            ForeignCallee::Extern(_) => "call_extern",
            ForeignCallee::PureExtern(_) => "call_pure_extern",
            ForeignCallee::Builtin(name) => return self.builtin(dtype, name, args),
            ForeignCallee::Packed(_) => "call_packed",
            ForeignCallee::Llvm(_) => "call_llvm_intrin",
            ForeignCallee::Function(name) => return self.prim_func_call(name, args),
        };
        let packed = matches!(callee, ForeignCallee::Packed(_));
        self.call(name, |p| {
            if !packed {
                p.doc.write(format_args!("\"{dtype}\""));
                p.doc.separator();
            }
            p.doc.text(&quoted(callee.name()));
            if let ForeignCallee::Llvm(_) = callee {
                p.doc.separator();
                p.literal(&Expr::int(args.len() as i64, DataType::U32), Literal::Typed);
            }
            for arg in args {
                p.doc.separator();
                p.expr(arg, Prec::Any);
            }
            if packed && dtype != DataType::I32 {
                p.doc.separator();
                p.doc.write(format_args!("dtype=\"{dtype}\""));
            }
        });
    }

    /// `Module.f(…)`: a call of another PrimFunc of the module.
    fn prim_func_call(&mut self, name: &str, args: &[Expr]) {
        let name = self.function_name(name);
        let module = self.options.name.clone();
        self.doc.write(format_args!("{module}.{name}("));
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                self.doc.separator();
            }
            self.expr(arg, Prec::Any);
        }
        self.doc.text(")");
    }

    /// `T.name(…)`, with the type where the call names it.
    fn builtin(&mut self, dtype: DataType, name: &str, args: &[Expr]) {
        if name == "comm_reducer" && is_reducer(args) {
            return self.comm_reducer(args);
        }
        let result = Builtin::by_name(name).map(|row| row.result);
        let first = result == Some(BuiltinResult::Named);
        self.call(name, |p| {
            if first {
                p.doc.write(format_args!("\"{dtype}\""));
            }
            for (at, arg) in args.iter().enumerate() {
                if first || at > 0 {
                    p.doc.separator();
                }
                p.expr(arg, Prec::Any);
            }
            if result == Some(BuiltinResult::NamedLast) {
                p.doc.separator();
                p.doc.write(format_args!("\"{dtype}\""));
            }
        });
    }

    /// `T.comm_reducer(lambda x0, y0: x0 + y0, [identity])`; the variables of the results after the first are written
    /// as those of the first.
    fn comm_reducer(&mut self, args: &[Expr]) {
        let (identities, results) = args.split_at(args.len() / 2);
        self.call("comm_reducer", |p| {
            p.names.open();
            let mut names: Vec<String> = Vec::new();
            let mut bodies = Vec::new();
            for (at, result) in results.iter().enumerate() {
                let mut body = result;
                for index in 0..2 * identities.len() {
                    let ExprKind::Let { var, body: inner, .. } = &body.kind else { break };
                    match names.get(index).filter(|_| at > 0) {
                        Some(name) => p.names.alias(var.id(), name),
                        None => {
                            let wish = format!("{}{}", ["x", "y"][index / identities.len()], index % identities.len());
                            names.push(p.names.define(var.id(), &wish));
                        }
                    }
                    body = inner;
                }
                bodies.push(body);
            }
            p.doc.write(format_args!("lambda {}: ", names.join(", ")));
            match bodies.as_slice() {
                [one] => p.expr(one, Prec::Any),
                many => p.list("(", many, ")", |p, body| p.expr(body, Prec::Any)),
            }
            p.names.close();
            p.doc.separator();
            p.list("[", identities, "]", |p, identity| p.expr(identity, Prec::Any));
        });
    }

    fn infix(&mut self, symbol: &str, prec: Prec, operands: [(&Expr, Prec); 2], context: Prec) {
        // With an operand that is no constant, a constant takes that operand's type.
        self.parenthesized(prec < context, |p| {
            for (i, (operand, needs)) in operands.into_iter().enumerate() {
                if i == 1 {
                    p.doc.write(format_args!(" {symbol} "));
                }
                match is_literal(operand) {
                    true => p.marked(operand, |p| p.literal(operand, Literal::Bare)),
                    false => p.expr(operand, needs),
                }
            }
        });
    }

    fn parenthesized(&mut self, really: bool, inside: impl FnOnce(&mut Self)) {
        if !really {
            return inside(self);
        }
        self.doc.text("(");
        inside(self);
        self.doc.text(")");
    }

    /// `T.name(…)`.
    pub(super) fn call(&mut self, name: &str, arguments: impl FnOnce(&mut Self)) {
        self.qualified(Namespace::Tir, name);
        self.doc.open("(");
        arguments(self);
        self.doc.close(")");
    }

    fn function(&mut self, name: &str, args: &[&Expr]) {
        self.call(name, |p| p.arguments(args));
    }

    fn arguments(&mut self, args: &[&Expr]) {
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.doc.separator();
            }
            self.expr(arg, Prec::Any);
        }
    }

    /// Items between brackets.
    pub(super) fn list<I>(&mut self, open: &str, items: &[I], close: &str, mut item: impl FnMut(&mut Self, &I)) {
        if items.is_empty() {
            self.doc.text(open);
            return self.doc.text(close);
        }
        self.doc.open(open);
        for (i, x) in items.iter().enumerate() {
            if i > 0 {
                self.doc.separator();
            }
            item(self, x);
        }
        self.doc.close(close);
    }

    /// A tuple of Python: one item has a comma after it.
    pub(super) fn tuple<I>(&mut self, items: &[I], mut item: impl FnMut(&mut Self, &I)) {
        match items {
            [one] => {
                self.doc.text("(");
                item(self, one);
                self.doc.text(",)");
            }
            _ => self.list("(", items, ")", item),
        }
    }

    fn literal(&mut self, expr: &Expr, context: Literal) {
        let dtype = expr.dtype;
        let text = match expr.kind {
            ExprKind::Int(value) if dtype.is_bool() => if value != 0 { "True" } else { "False" }.to_owned(),
            ExprKind::Int(value) if dtype == DataType::U64 => (value as u64).to_string(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Float(value) if value.0.is_finite() => float_digits(value.0, dtype),
            ExprKind::Float(value) if value.0.is_nan() => "\"nan\"".to_owned(),
            ExprKind::Float(value) => format!("\"{}inf\"", if value.0 < 0.0 { "-" } else { "" }),
            _ => return,
        };
        let bare = match self.graph_level {
            // The reader's type of a bare number.
            false => {
                let finite = matches!(expr.kind, ExprKind::Float(value) if value.0.is_finite());
                (dtype == DataType::I32 && self.options.int_dtype == dtype)
                    || (dtype == DataType::F32 && self.options.float_dtype == dtype && finite)
            }
            true => dtype == DataType::I64 && context == Literal::Bare,
        };
        if bare {
            return self.doc.text(&text);
        }
        self.qualified(Namespace::Tir, &dtype.element().to_string());
        self.doc.write(format_args!("({text})"));
    }

    fn let_in(&mut self, var: &Var, value: &Expr, body: &Expr) {
        self.qualified(Namespace::Tir, "Let");
        self.doc.open("(");
        // The value is read before the body, so that what it names can be used there.
        let before = std::mem::take(&mut self.doc);
        self.expr(value, Prec::Any);
        let value = std::mem::replace(&mut self.doc, before);
        let name = self.names.define(var.id(), &var.name);
        self.expr(body, Prec::Any);
        self.names.release(var.id(), &name);
        self.doc.separator();
        self.doc.write(format_args!("where={{{name}: "));
        self.doc.append(value);
        self.doc.text("}");
        self.doc.close(")");
    }

    fn load(&mut self, buffer: &Buffer, indices: &[Expr], predicate: Option<&Expr>) {
        let name = self.buffer(buffer);
        self.marked(buffer, |p| p.doc.text(&name));
        let Some(predicate) = predicate else { return self.indices(indices) };
        self.doc.open(".vload(");
        self.list("[", indices, "]", |p, index| p.expr(index, Prec::Any));
        self.doc.separator();
        self.doc.text("predicate=");
        self.expr(predicate, Prec::Any);
        self.doc.close(")");
    }

    /// `[i, j]`.
    pub(super) fn indices(&mut self, indices: &[Expr]) {
        if indices.is_empty() {
            return self.doc.text("[()]");
        }
        self.subscript(indices, |p, index| p.expr(index, Prec::Any));
    }

    /// Items in square brackets after a name: never broken, for a comma after the last one has a meaning there.
    pub(super) fn subscript<I>(&mut self, items: &[I], mut item: impl FnMut(&mut Self, &I)) {
        self.doc.text("[");
        for (i, x) in items.iter().enumerate() {
            if i > 0 {
                self.doc.text(", ");
            }
            item(self, x);
        }
        self.doc.text("]");
    }

    /// One range of a region: the index alone where it is a single one.
    pub(super) fn region_range(&mut self, range: &Range) {
        self.scalar(&range.min);
        if range.extent.as_int() != Some(1) {
            self.doc.text(":");
            self.scalar(&range_stop(range));
        }
    }

    /// A variable by its name.
    pub(super) fn variable(&mut self, var: &Var) {
        let name = self.scalar_name(var);
        self.doc.text(&name);
    }

    /// The name of a scalar variable; one that nothing has defined is given a name here.
    pub(super) fn scalar_name(&mut self, var: &Var) -> String {
        let name = match self.names.get(var.id()) {
            Some(name) => name.to_owned(),
            None => self.define_free(var.id(), &var.name),
        };
        self.touch(var);
        name
    }

    fn define_free(&mut self, id: VarId, wish: &str) -> String {
        self.depth_of.insert(id, self.touched.len());
        self.names.define(id, wish)
    }

    /// The name of a buffer; one that nothing has declared is given a name here.
    pub(super) fn buffer(&mut self, buffer: &Buffer) -> String {
        match self.names.get(buffer.id()) {
            Some(name) => name.to_owned(),
            None => self.define_buffer(buffer, &buffer.name),
        }
    }

    /// Names a buffer, and its address after it.
    pub(super) fn define_buffer(&mut self, buffer: &Buffer, wish: &str) -> String {
        let name = self.names.define(buffer.id(), wish);
        if self.names.get(buffer.data.id()).is_none() {
            self.names.alias(buffer.data.id(), &format!("{name}.data"));
        }
        name
    }

    /// The variables in these expressions that have no name yet, in order.
    pub(super) fn unnamed<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Var> {
        let mut unnamed: Vec<Var> = Vec::new();
        for expr in exprs {
            let mut note = |var: &Var| {
                if self.names.get(var.id()).is_none() && !unnamed.contains(var) {
                    unnamed.push(var.clone());
                }
            };
            match expr.as_var() {
                Some(var) => note(var),
                None => tilewright_expr::node::walk(&**expr, note),
            }
        }
        unnamed
    }
}

/// The shortest digits that round back to the value in its type.
pub(super) fn float_digits(value: f64, dtype: DataType) -> String {
    if dtype == DataType::F64 { format!("{value:?}") } else { format!("{:?}", value as f32) }
}

/// A string literal of Python.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether the operands are identities and, for each, a result in variables of two values of each: lets that bind them
/// to nothing in particular.
fn is_reducer(args: &[Expr]) -> bool {
    let (identities, results) = args.split_at(args.len() / 2);
    let binds_all = |result: &Expr| {
        let mut body = result;
        identities.iter().chain(identities).all(|identity| {
            let ExprKind::Let { var, value, body: inner } = &body.kind else { return false };
            let is_unbound = matches!(&value.kind, ExprKind::Foreign { callee: ForeignCallee::Builtin(name), args }
                if &**name == "undef" && args.is_empty());
            body = inner;
            is_unbound && var.dtype == identity.dtype
        })
    };
    !identities.is_empty() && identities.len() == results.len() && results.iter().all(binds_all)
}
