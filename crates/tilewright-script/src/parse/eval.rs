//! Expressions: from syntax to a [`Value`], for both levels.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_python_ast::Operator;
use tilewright_ir::relax;
use tilewright_ir::tir::{BinOp, Expr, TypeMismatch};
use tilewright_support::{Diagnostic, with_stack};

use super::HostValue;
use super::cx::{MAX_HINTS, Parser, Reported, Res, count};
use super::value::Value;
use super::{codes, metadata, python};

/// Items of a tuple that is put together from others: a text can double it with every line.
const MAX_ITEMS: usize = 65_536;

impl Parser<'_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &ast::Expr) -> Res<Value> {
        with_stack(|| self.eval_inner(expr))
    }

    fn eval_inner(&mut self, expr: &ast::Expr) -> Res<Value> {
        match expr {
            ast::Expr::NumberLiteral(number) => self.number(expr, &number.value),
            ast::Expr::BooleanLiteral(literal) => Ok(Value::Bool(literal.value)),
            ast::Expr::NoneLiteral(_) => Ok(Value::None),
            ast::Expr::StringLiteral(text) => Ok(Value::Str(text.value.to_str().into())),
            ast::Expr::Tuple(tuple) => self.items(&tuple.elts),
            ast::Expr::List(list) => self.items(&list.elts),
            ast::Expr::Dict(dict) => self.dict(dict),
            ast::Expr::Name(_) | ast::Expr::Attribute(_) => self.named_value(expr),
            ast::Expr::Subscript(subscript) => self.subscript(expr, subscript),
            ast::Expr::Call(call) => self.call(expr, call),
            ast::Expr::BinOp(binop) => {
                let (a, b) = (self.eval(&binop.left), self.eval(&binop.right));
                self.infix(expr, binop.op, a?, b?)
            }
            ast::Expr::UnaryOp(unary) => self.unary(expr, unary),
            ast::Expr::BoolOp(boolean) => self.boolean(expr, boolean),
            ast::Expr::Compare(compare) => self.comparison(expr, compare),
            ast::Expr::If(choice) => self.choice(expr, choice),
            ast::Expr::Named(named) => {
                let value = self.eval(&named.value)?;
                if let ast::Expr::Name(name) = &*named.target {
                    self.scopes.define(&name.id, value.clone());
                }
                Ok(value)
            }
            _ => self.outside(expr),
        }
    }

    fn number(&mut self, expr: &ast::Expr, number: &ast::Number) -> Res<Value> {
        match number {
            ast::Number::Int(int) => {
                let text = int.to_string().replace('_', "").to_ascii_lowercase();
                let (digits, radix) = match text.get(..2) {
                    Some("0x") => (&text[2..], 16),
                    Some("0b") => (&text[2..], 2),
                    Some("0o") => (&text[2..], 8),
                    _ => (text.as_str(), 10),
                };
                let value = i128::from_str_radix(digits, radix).ok();
                value.map(Value::Int).ok_or_else(|| self.fail(codes::RANGE, expr, "this number is too large", ""))
            }
            ast::Number::Float(value) => Ok(Value::Float(*value)),
            ast::Number::Complex { .. } => Err(self.fail(codes::FORM, expr, "there are no complex numbers", "")),
        }
    }

    fn items(&mut self, items: &[ast::Expr]) -> Res<Value> {
        let values: Vec<_> = items.iter().map(|item| self.eval(item)).collect();
        Ok(Value::Tuple(values.into_iter().collect::<Res<_>>()?))
    }

    fn dict(&mut self, dict: &ast::ExprDict) -> Res<Value> {
        let mut items = Vec::new();
        for item in &dict.items {
            let key: Arc<str> = match &item.key {
                Some(ast::Expr::StringLiteral(text)) => text.value.to_str().into(),
                Some(key) => return Err(self.fail(codes::KIND, key, "expected a text as the key", "")),
                None => return Err(self.fail(codes::FORM, dict, "unpacked dicts are not read", "")),
            };
            items.push((key, self.eval(&item.value)?));
        }
        Ok(Value::Dict(items))
    }

    /// A name, or an attribute after a dot.
    fn named_value(&mut self, expr: &ast::Expr) -> Res<Value> {
        if let Some(path) = self.path(expr) {
            return self.path_value(expr, &path);
        }
        match expr {
            ast::Expr::Name(name) => self.name(expr, &name.id),
            ast::Expr::Attribute(attribute) => {
                if self.is_outside(&attribute.value) {
                    return self.outside(expr);
                }
                let value = self.eval(&attribute.value)?;
                self.attribute(expr, value, &attribute.attr)
            }
            _ => self.outside(expr),
        }
    }

    /// Whether the expression begins with a name that nothing in the text defines.
    pub(super) fn is_outside(&self, expr: &ast::Expr) -> bool {
        match expr {
            ast::Expr::Name(name) => {
                self.scopes.get(&name.id).is_none() && !self.functions.knows(&name.id) && self.path(expr).is_none()
            }
            _ => operand(expr).is_some_and(|inner| with_stack(|| self.is_outside(inner))),
        }
    }

    fn name(&mut self, expr: &ast::Expr, name: &str) -> Res<Value> {
        match self.scopes.get(name) {
            Some(Value::Poison) => Err(Reported),
            Some(Value::Hidden { block }) => {
                let diagnostic = Diagnostic::error(
                    codes::DATAFLOW_VARIABLE,
                    format!("`{name}` is visible only inside its dataflow block"),
                )
                .at(self.span(expr))
                .label("used outside of the block")
                .also(block.clone(), "bound here")
                .help(format!("give it out at the end of the block: `{}({name})`", self.spell("script.relax.output")));
                Err(self.report(diagnostic))
            }
            Some(value) => Ok(value.clone()),
            None if name == self.functions.module => Ok(Value::Module),
            None if self.functions.contains(name) => Ok(Value::Function(name.into())),
            None => self.outside(expr),
        }
    }

    /// Something of the script's namespaces that is not called.
    fn path_value(&mut self, expr: &ast::Expr, path: &str) -> Res<Value> {
        if let Some(name) = path.strip_prefix("script.tir.") {
            return self.tir_name(expr, name);
        }
        if let Some(name) = path.strip_prefix("script.relax.") {
            return self.relax_name(expr, name);
        }
        self.outside(expr)
    }

    fn attribute(&mut self, expr: &ast::Expr, value: Value, name: &str) -> Res<Value> {
        match (&value, name) {
            (Value::Module, _) => self.module_function(expr, name),
            (Value::Buffer(buffer), "dtype") => Ok(Value::DType(buffer.dtype)),
            (Value::Buffer(buffer), "data") => Ok(Value::Scalar(Expr::var(&buffer.data))),
            (Value::Buffer(buffer), "shape") => {
                Ok(Value::Tuple(buffer.shape.iter().cloned().map(Value::Scalar).collect()))
            }
            (Value::Buffer(buffer), "strides") => {
                Ok(Value::Tuple(buffer.strides.iter().cloned().map(Value::Scalar).collect()))
            }
            (Value::Buffer(buffer), "elem_offset") => {
                Ok(buffer.elem_offset.clone().map_or(Value::Int(0), Value::Scalar))
            }
            (Value::Buffer(buffer), "name") => Ok(Value::Str(buffer.name.clone())),
            (Value::Scalar(scalar), "dtype") => Ok(Value::DType(scalar.dtype)),
            (Value::Graph(_) | Value::TensorField(..), _)
                if let Some(field) = self.tensor_field(expr, &value, name)? =>
            {
                Ok(field)
            }
            _ => {
                if let Some(value) = self.try_host(expr) {
                    return Ok(value);
                }
                let message = format!("{} has no attribute `{name}`", value.describe());
                Err(self.fail(codes::UNKNOWN_ATTRIBUTE, expr, message, ""))
            }
        }
    }

    fn module_function(&mut self, expr: &ast::Expr, name: &str) -> Res<Value> {
        if self.functions.contains(name) {
            return Ok(Value::Function(name.into()));
        }
        if let Some(value) = self.functions.named(name) {
            return Ok(value);
        }
        let names: Vec<String> = self.functions.names().map(str::to_owned).collect();
        let message = format!("the module has no function `{name}`");
        Err(self.unknown(codes::UNKNOWN_ATTRIBUTE, expr, message, name, names.iter().map(String::as_str)))
    }

    /// An expression that is not the script's own.
    pub(super) fn outside(&mut self, expr: &ast::Expr) -> Res<Value> {
        self.outside_as(expr, last_name(expr))
    }

    /// The same, of an expression that ends with the name `last`.
    fn outside_as(&mut self, expr: &ast::Expr, last: &str) -> Res<Value> {
        let text = self.text_of(expr).to_owned();
        if let ast::Expr::Name(name) = expr
            && (name.ctx.is_invalid() || name.id.is_empty())
        {
            return Err(Reported);
        }
        if self.host.knows_nothing()
            && let Some(name) = first_name(expr)
            && !std::ptr::eq(name, expr)
        {
            return self.outside_as(name, last);
        }
        let expression = if text.contains('\n') { format!("({text})") } else { text.clone() };
        let locals = self.locals(expr)?;
        let value = self.host.eval_with(&expression, &self.span(expr), &locals);
        match value.and_then(|value| self.taken_over(value, &locals)) {
            Ok(value) => self.normalised(expr, value),
            Err(reason) => Err(self.unknown_place(expr, &text, reason, last)),
        }
    }

    /// The function of the IR that an expression of the host is, if it is one: then a call of it belongs to the script.
    fn outside_function(&mut self, expr: &ast::Expr) -> Option<Value> {
        if self.host.knows_nothing() || !self.is_outside(expr) {
            return None;
        }
        match self.host.eval(self.text_of(expr), &self.span(expr)).ok()? {
            HostValue::GlobalVar(global) if self.functions.contains(&global.name) => Some(Value::Function(global.name)),
            value @ (HostValue::GlobalVar(_) | HostValue::PrimFunc(_) | HostValue::Function(_)) => Some(value.into()),
            _ => None,
        }
    }

    fn unknown_place(&mut self, expr: &ast::Expr, text: &str, reason: String, last: &str) -> Reported {
        let ast::Expr::Name(name) = expr else {
            let message = format!("`{}` cannot be evaluated", shorten(text));
            return self.fail(codes::UNKNOWN_NAME, expr, message, reason);
        };
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, format!("unknown name `{}`", name.id))
            .at(self.span(expr))
            .label(reason);
        // `np.exp` and `exp` are `T.exp`, rather than anything that is spelt alike.
        // Not even a look at the names that may be meant, where there may be as many of them as errors.
        let hints = self.errors < MAX_HINTS;
        let namesake = if hints { self.namesake(last) } else { None };
        let near = if namesake.is_some() {
            namesake
        } else if hints && name.id.len() > 1 {
            let known = self.scopes.names().chain(self.functions.names()).chain(self.names.all());
            tilewright_support::nearest(&name.id, known).map(str::to_owned)
        } else {
            // Any other letter is near a single letter.
            None
        };
        if name.id == "cls" && !self.functions.module.is_empty() {
            diagnostic = diagnostic.help(format!("write `cls = {}` first", self.functions.module));
        } else if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic)
    }

    fn subscript(&mut self, expr: &ast::Expr, subscript: &ast::ExprSubscript) -> Res<Value> {
        if let Some(index) = metadata::reference(expr) {
            return self.constant(expr, index);
        }
        if let Some(path) = self.path(&subscript.value) {
            return self.path_subscript(expr, &path, subscript);
        }
        if self.is_outside(&subscript.value) {
            return self.outside(expr);
        }
        match self.eval(&subscript.value)? {
            Value::Buffer(buffer) => {
                let indices = self.indices(&buffer, &subscript.slice)?;
                let load = Expr::load(&buffer, indices);
                self.typed(expr, load)
            }
            Value::Tuple(items) => {
                let index = self.eval(&subscript.slice)?;
                let at = item_index(&index, items.len());
                match at.and_then(|at| items.get(at).cloned()) {
                    Some(item) => Ok(item),
                    None => {
                        let expected = format!("the number of one of {}", count(items.len(), "item"));
                        Err(self.wrong_kind(&*subscript.slice, &expected, &index))
                    }
                }
            }
            Value::Dict(items) => {
                let key = self.string(&subscript.slice)?;
                match items.into_iter().find(|(known, _)| *known == key) {
                    Some((_, value)) => Ok(value),
                    None => Err(self.fail(codes::KIND, expr, format!("the dict has no \"{key}\""), "")),
                }
            }
            Value::Graph(tuple) => self.tuple_item(expr, tuple, &subscript.slice),
            Value::TensorField(tensor, field) => self.tensor_size(expr, tensor, field, &subscript.slice),
            other if let Some(value) = self.try_host(expr) => {
                drop(other);
                Ok(value)
            }
            other => Err(self.wrong_kind(&*subscript.value, "a buffer or tuple", &other)),
        }
    }

    fn path_subscript(&mut self, expr: &ast::Expr, path: &str, subscript: &ast::ExprSubscript) -> Res<Value> {
        match path {
            // `T.Buffer[shape, dtype]`, the spelling of 2022.
            "script.tir.Buffer" => {
                let (shape, dtype) = match &*subscript.slice {
                    ast::Expr::Tuple(tuple) if !tuple.parenthesized && tuple.elts.len() == 2 => {
                        (&tuple.elts[0], Some(&tuple.elts[1]))
                    }
                    other => (other, None),
                };
                self.buffer_of("", Some(shape), dtype).map(Value::Buffer)
            }
            // `T.Ptr[T.int32, "shared"]`: where the address points to, and in which memory.
            "script.tir.Ptr" | "script.tir.handle" => {
                let parts = match &*subscript.slice {
                    ast::Expr::Tuple(tuple) => &tuple.elts[..],
                    one => std::slice::from_ref(one),
                };
                self.dtype_argument(parts.first())?;
                parts.iter().skip(1).try_for_each(|scope| self.string(scope).map(drop))?;
                Ok(Value::DType(tilewright_tensor::DataType::HANDLE))
            }
            _ => {
                let message = format!("`{}` takes no brackets", self.text_of(&*subscript.value));
                Err(self.fail(codes::FORM, expr, message, ""))
            }
        }
    }

    fn call(&mut self, expr: &ast::Expr, call: &ast::ExprCall) -> Res<Value> {
        if let Some(path) = self.path(&call.func) {
            if let Some(name) = path.strip_prefix("script.tir.") {
                return self.tir_call(expr, name, call);
            }
            if let Some(name) = path.strip_prefix("script.relax.") {
                return self.relax_call(expr, name, call);
            }
            if let Some(name) = path.strip_prefix("script.ir.") {
                return self.ir_call(expr, name, call);
            }
            return self.outside(expr);
        }
        if let ast::Expr::Attribute(method) = &*call.func
            && !self.is_outside(&method.value)
        {
            let value = self.eval(&method.value)?;
            return match (value, method.attr.as_str()) {
                (Value::Buffer(buffer), "vload") => self.masked_load(expr, &buffer, call),
                (Value::Buffer(buffer), "access_ptr") => self.access_ptr(expr, &buffer, call),
                (Value::Buffer(buffer), "scope") => {
                    self.bind(call, &[], 0)?;
                    Ok(Value::Str(buffer.scope.name().into()))
                }
                (Value::Scalar(scalar), "astype") => {
                    let bound = self.bind(call, &["dtype"], 1)?;
                    let dtype = self.dtype_argument(bound[0])?;
                    let cast = scalar.cast(dtype);
                    self.typed(expr, cast)
                }
                (Value::Module, name) => {
                    let function = self.module_function(&call.func, name)?;
                    self.graph_call(expr, function, call)
                }
                (Value::Graph(tensor), "astype") => {
                    let bound = self.bind(call, &["dtype"], 1)?;
                    let dtype = self.dtype_argument(bound[0])?;
                    self.astype(expr, &method.value, tensor, dtype)
                }
                (value, name) => {
                    if let Some(value) = self.try_host(expr) {
                        return Ok(value);
                    }
                    let message = format!("{} has no method `{name}`", value.describe());
                    let known: &[&str] = match value {
                        Value::Buffer(_) => &["vload", "vstore", "access_ptr", "scope"],
                        Value::Scalar(_) => &["astype"],
                        _ => &[],
                    };
                    Err(self.unknown(codes::UNKNOWN_ATTRIBUTE, &*call.func, message, name, known.iter().copied()))
                }
            };
        }
        // Python's own `float("inf")`, as attributes are printed.
        if let (ast::Expr::Name(name), [ast::Expr::StringLiteral(text)]) = (&*call.func, &*call.arguments.args)
            && name.id == "float"
            && let Ok(value) = text.value.to_str().parse()
        {
            return Ok(Value::Float(value));
        }
        let function = match self.outside_function(&call.func) {
            Some(function) => function,
            None if self.is_outside(&call.func) || call.func.is_lambda_expr() => return self.outside(expr),
            None => self.eval(&call.func)?,
        };
        self.graph_call(expr, function, call)
    }

    /// `a op b` in the text.
    pub(super) fn infix(&mut self, expr: &ast::Expr, op: Operator, a: Value, b: Value) -> Res<Value> {
        if let (Operator::Add, Value::Str(a), Value::Str(b)) = (op, &a, &b) {
            return Ok(Value::Str(format!("{a}{b}").into()));
        }
        if let (Operator::Mult, Value::Str(text), Value::Int(times))
        | (Operator::Mult, Value::Int(times), Value::Str(text)) = (op, &a, &b)
        {
            return self.repeated_text(expr, text, *times);
        }
        if a.is_literal() && b.is_literal() {
            let folded = python::binary(op, &a, &b);
            return folded.map_err(|reason| self.fail(codes::RANGE, expr, reason, ""));
        }
        if matches!(a, Value::Graph(_)) || matches!(b, Value::Graph(_)) {
            return self.graph_binary(expr, op, operands(expr), a, b);
        }
        match (op, &a, &b) {
            (Operator::Add, Value::Tuple(a), Value::Tuple(b)) => return self.repeated(expr, &[a, b], 1),
            (Operator::Mult, Value::Tuple(items), Value::Int(times))
            | (Operator::Mult, Value::Int(times), Value::Tuple(items)) => {
                return self.repeated(expr, &[items], *times);
            }
            _ => {}
        }
        let (a, b) = self.unify(operands(expr), a, b)?;
        let op = match op {
            Operator::Add => BinOp::Add,
            Operator::Sub => BinOp::Sub,
            Operator::Mult => BinOp::Mul,
            Operator::Div if a.dtype.is_float() || b.dtype.is_float() => BinOp::Div,
            Operator::Div => {
                let help = "say how to round: `//` rounds down, `T.truncdiv(a, b)` towards zero";
                let diagnostic =
                    Diagnostic::error(codes::DTYPE, "`/` of integers is ambiguous").at(self.span(expr)).help(help);
                return Err(self.report(diagnostic));
            }
            Operator::FloorDiv => BinOp::FloorDiv,
            Operator::Mod => BinOp::FloorMod,
            Operator::LShift => BinOp::Shl,
            Operator::RShift => BinOp::Shr,
            Operator::BitAnd => BinOp::BitAnd,
            Operator::BitOr => BinOp::BitOr,
            Operator::BitXor => BinOp::BitXor,
            Operator::Pow | Operator::MatMult => {
                let message = format!("`{}` is not defined for scalars of an expression", op.as_str());
                let diagnostic = Diagnostic::error(codes::FORM, message).at(self.span(expr));
                let power = self.spell("script.tir.pow");
                return Err(self.report(match op {
                    Operator::Pow => diagnostic.help(format!("`{power}(a, b)` is the power of two floats")),
                    _ => diagnostic,
                }));
            }
        };
        let result = Expr::binary(op, &a, &b);
        self.typed(expr, result)
    }

    /// `"S" * n`: the kinds of axes whose number the host knows.
    fn repeated_text(&mut self, expr: &ast::Expr, text: &str, times: i128) -> Res<Value> {
        let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
        if text.len().saturating_mul(times) > MAX_ITEMS {
            return Err(self.fail(codes::RANGE, expr, format!("a text of more than {MAX_ITEMS} bytes"), ""));
        }
        Ok(Value::Str(text.repeat(times).into()))
    }

    /// Concatenation and repetition of lists: `a + b` and `[0] * 4` as in Python.
    fn repeated(&mut self, expr: &ast::Expr, lists: &[&Vec<Value>], times: i128) -> Res<Value> {
        let once = lists.iter().copied().flatten();
        let items = once.clone().map(Value::parts).fold(0, usize::saturating_add);
        // Nothing is nothing, however often.
        let times = if items == 0 { 0 } else { usize::try_from(times.max(0)).unwrap_or(usize::MAX) };
        if items.saturating_mul(times) > MAX_ITEMS {
            return Err(self.fail(codes::RANGE, expr, format!("a tuple of more than {MAX_ITEMS} items"), ""));
        }
        Ok(Value::Tuple(std::iter::repeat_n(once, times).flatten().cloned().collect()))
    }

    fn unary(&mut self, expr: &ast::Expr, unary: &ast::ExprUnaryOp) -> Res<Value> {
        let value = self.eval(&unary.operand)?;
        match (unary.op, value) {
            (ast::UnaryOp::UAdd, value) => Ok(value),
            (ast::UnaryOp::USub, Value::Int(value)) if value != i128::MIN => Ok(Value::Int(-value)),
            (ast::UnaryOp::USub, Value::Float(value)) => Ok(Value::Float(-value)),
            (ast::UnaryOp::USub, Value::Bool(value)) => Ok(Value::Int(-i128::from(value))),
            (ast::UnaryOp::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
            (ast::UnaryOp::Invert, Value::Int(value)) => Ok(Value::Int(!value)),
            (_, value @ Value::Graph(_)) => self.graph_unary(expr, unary, value),
            (op, Value::Scalar(a)) => {
                let result = match op {
                    ast::UnaryOp::Not => a.not(),
                    ast::UnaryOp::Invert if a.dtype.is_bool() => a.not(),
                    ast::UnaryOp::Invert => Expr::binary(BinOp::BitXor, &a, &Expr::int(-1, a.dtype)),
                    // The product is exact, signs of zero included; `0 - a` is not.
                    _ if a.dtype.is_float() => Expr::binary(BinOp::Mul, &a, &Expr::float(-1.0, a.dtype)),
                    _ if a.dtype.is_int() => Expr::binary(BinOp::Sub, &Expr::int(0, a.dtype), &a),
                    _ => Err(TypeMismatch(format!("a value of type {} has no negative", a.dtype))),
                };
                self.typed(expr, result)
            }
            (_, other) => Err(self.wrong_kind(&*unary.operand, "a scalar", &other)),
        }
    }

    /// `t[i]` of a graph.
    pub(super) fn tuple_item(&mut self, expr: &ast::Expr, tuple: relax::Expr, slice: &ast::Expr) -> Res<Value> {
        let length = match &tuple.struct_info {
            relax::StructInfo::Tuple(fields) => fields.len(),
            other => {
                let found = super::value::describe_info(other);
                return Err(self.fail(codes::KIND, expr, format!("expected a tuple, found {found}"), ""));
            }
        };
        let index = self.eval(slice)?;
        let Some(at) = item_index(&index, length) else {
            let expected = format!("the number of one of {}", count(length, "item"));
            return Err(self.wrong_kind(slice, &expected, &index));
        };
        let tuple = self.leaf(expr, tuple)?;
        let item = relax::Expr::tuple_get(tuple, at);
        self.inferred(expr, &[], item).map(Value::Graph)
    }
}

/// The two sides of an expression that has two, else itself twice: where a message about one of them points.
pub(super) fn operands(expr: &ast::Expr) -> [&ast::Expr; 2] {
    match expr {
        ast::Expr::BinOp(infix) => [&infix.left, &infix.right],
        ast::Expr::If(choice) => [&choice.body, &choice.orelse],
        ast::Expr::Compare(compare) if let [right] = &*compare.comparators => [&compare.left, right],
        _ => [expr, expr],
    }
}

/// The part of an expression before its last dot or bracket.
fn operand(expr: &ast::Expr) -> Option<&ast::Expr> {
    match expr {
        ast::Expr::Attribute(attribute) => Some(&attribute.value),
        ast::Expr::Call(call) => Some(&call.func),
        ast::Expr::Subscript(subscript) => Some(&subscript.value),
        _ => None,
    }
}

/// The name that an expression ends with, but for what it is called or indexed with.
fn last_name(expr: &ast::Expr) -> &str {
    match expr {
        ast::Expr::Name(name) => &name.id,
        ast::Expr::Attribute(attribute) => &attribute.attr,
        ast::Expr::Call(call) => last_name(&call.func),
        ast::Expr::Subscript(subscript) => last_name(&subscript.value),
        _ => "",
    }
}

/// The name that an expression begins with.
fn first_name(expr: &ast::Expr) -> Option<&ast::Expr> {
    let first = std::iter::successors(Some(expr), |expr| operand(expr)).last();
    first.filter(|expr| expr.is_name_expr())
}

/// The index of an item, counted from the end if negative.
fn item_index(index: &Value, length: usize) -> Option<usize> {
    let Value::Int(index) = index else { return None };
    let index = if *index < 0 { *index + length as i128 } else { *index };
    usize::try_from(index).ok().filter(|&index| index < length)
}

/// The first line of a text, shortened.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
