//! Expressions: constants, variables, control, vectors. Arithmetic, conversions and memory have files of their own.

use tilewright_expr::node::{AnyHandle, Visitor, walk_some};
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Intrinsic, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::text::{Reg, Value, float, int};

impl FnCx<'_, '_> {
    /// The value of an expression; a shared one is computed once in a statement.
    pub(crate) fn value(&mut self, expr: &Expr, position: Position) -> Result<Value> {
        if let Some(value) = self.remembered(expr, position) {
            return Ok(value);
        }
        if !expr.dtype.is_handle() {
            self.unit.check_type(expr.dtype)?;
        }
        let value = with_stack(|| self.value_of_kind(expr, position))?;
        self.remember(expr, position, &value);
        self.unit.check_length(self.body.length)?;
        Ok(value)
    }

    fn value_of_kind(&mut self, expr: &Expr, position: Position) -> Result<Value> {
        let dtype = expr.dtype;
        match &expr.kind {
            ExprKind::Int(value) => Ok(int(*value, dtype)),
            ExprKind::Float(value) if dtype.is_float() => Ok(float(value.0, dtype)),
            ExprKind::Float(_) => Err(self.unit.malformed(format!("a float constant of {dtype}"))),
            ExprKind::Str(_) => Err(self.unit.malformed("a text where a number is expected")),
            ExprKind::Var(var) => self.value_of(var),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, position),
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b),
            ExprKind::Not(a) => {
                let a = self.value(a, Position::Value)?;
                Ok(self.body.assign(format_args!("xor {} {a}, {}", Reg(dtype), int(1, dtype))))
            }
            ExprKind::Select { condition, then, otherwise } => {
                let condition_type = Reg(condition.dtype);
                let condition = self.value(condition, Position::Value)?;
                let (then, otherwise) = (self.value(then, position)?, self.value(otherwise, position)?);
                let ty = Reg(dtype);
                Ok(self.body.assign(format_args!("select {condition_type} {condition}, {ty} {then}, {ty} {otherwise}")))
            }
            ExprKind::Cast(value) => self.cast(value, dtype, position),
            ExprKind::Load { buffer, indices, predicate } => self.load(buffer, indices, predicate.as_ref()),
            ExprKind::Ramp { base, stride } => self.ramp(base, stride, dtype, position),
            ExprKind::Broadcast(scalar) => {
                let value = self.value(scalar, position)?;
                Ok(self.splat(&value, scalar.dtype, dtype))
            }
            ExprKind::Shuffle { vectors, lanes } => self.shuffle(vectors, lanes, dtype),
            ExprKind::Let { var, value, body } => {
                self.check_let(var, value)?;
                let result = self.value(value, position)?;
                self.note_loaded(var, value);
                self.note_vector(var, value);
                self.bind_in_expr(var, result)?;
                let result = self.value(body, position)?;
                self.unbind(var);
                Ok(result)
            }
            ExprKind::Reinterpret(value) => self.reinterpret(value, dtype),
            ExprKind::AddressOf { buffer, .. } => {
                Err(self.unit.malformed(format!("the address of an element of `{}` as a number", buffer.name)))
            }
            ExprKind::Foreign { callee, args } => self.foreign(callee, args, dtype),
            ExprKind::Call { intrinsic, args } => match (intrinsic, args.as_slice()) {
                (Intrinsic::IfThenElse, [condition, then, otherwise]) => {
                    self.if_then_else(condition, then, otherwise, position)
                }
                _ => self.intrinsic(*intrinsic, args, dtype),
            },
        }
    }

    /// The scalar in every lane.
    pub(crate) fn splat(&mut self, value: &Value, scalar: DataType, dtype: DataType) -> Value {
        if !dtype.is_vector() {
            return value.clone();
        }
        if let Value::Constant(text) = value {
            return Value::constant(format!("splat ({} {text})", Reg(scalar)));
        }
        let ty = Reg(dtype);
        let first = self.body.assign(format_args!("insertelement {ty} poison, {} {value}, i64 0", Reg(scalar)));
        let lanes = dtype.lanes;
        self.body.assign(format_args!("shufflevector {ty} {first}, {ty} poison, <{lanes} x i32> zeroinitializer"))
    }

    fn ramp(&mut self, base: &Expr, stride: &Expr, dtype: DataType, position: Position) -> Result<Value> {
        let (base_value, stride_value) = (self.value(base, position)?, self.value(stride, position)?);
        let (element, ty, flag) = (dtype.element(), Reg(dtype), no_wrap(position, dtype));
        let numbers: Vec<String> = (0..dtype.lanes).map(|lane| format!("{} {lane}", Reg(element))).collect();
        let numbers = format!("<{}>", numbers.join(", "));
        let base = self.splat(&base_value, base.dtype, dtype);
        let stride = self.splat(&stride_value, stride.dtype, dtype);
        let steps = self.body.assign(format_args!("mul{flag} {ty} {stride}, {numbers}"));
        Ok(self.body.assign(format_args!("add{flag} {ty} {base}, {steps}")))
    }

    fn shuffle(&mut self, vectors: &[Expr], lanes: &[usize], dtype: DataType) -> Result<Value> {
        let available: usize = vectors.iter().map(|vector| usize::from(vector.dtype.lanes)).sum();
        let (first, second) = match vectors {
            [one] => (Some(one), None),
            [a, b] if a.dtype == b.dtype => (Some(a), Some(b)),
            _ => (None, None),
        };
        if let Some(first) = first
            && first.dtype.is_vector()
            && dtype.is_vector()
            && lanes.iter().all(|&lane| lane < available)
        {
            let (a, ty) = (self.value(first, Position::Value)?, Reg(first.dtype));
            let b = match second {
                Some(second) => self.value(second, Position::Value)?,
                None => Value::constant("poison"),
            };
            let mask: Vec<String> = lanes.iter().map(|lane| format!("i32 {lane}")).collect();
            let (count, mask) = (lanes.len(), mask.join(", "));
            return Ok(self.body.assign(format_args!("shufflevector {ty} {a}, {ty} {b}, <{count} x i32> <{mask}>")));
        }
        let mut sources = Vec::new();
        for vector in vectors {
            let value = self.value(vector, Position::Value)?;
            sources.extend((0..vector.dtype.lanes).map(|lane| (value.clone(), vector.dtype, lane)));
        }
        if let Some(constants) = constant_lanes(&sources, lanes, dtype) {
            return Ok(constants);
        }
        let mut result = Value::constant("poison");
        for (position, &lane) in lanes.iter().enumerate() {
            let Some((value, from, lane)) = sources.get(lane).cloned() else {
                return Err(self.unit.malformed(format!("a shuffle takes lane {lane} of {}", sources.len())));
            };
            let element = self.lane(&value, from, lane);
            if dtype.is_scalar() {
                return Ok(element);
            }
            let (ty, scalar) = (Reg(dtype), Reg(dtype.element()));
            result = self.body.assign(format_args!("insertelement {ty} {result}, {scalar} {element}, i64 {position}"));
        }
        Ok(result)
    }

    /// One lane of a vector; a scalar is its only lane.
    pub(crate) fn lane(&mut self, value: &Value, dtype: DataType, lane: u16) -> Value {
        if dtype.is_scalar() {
            return value.clone();
        }
        self.body.assign(format_args!("extractelement {} {value}, i64 {lane}", Reg(dtype)))
    }

    fn if_then_else(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, position: Position) -> Result<Value> {
        if condition.dtype != DataType::BOOL {
            return Err(self.unit.malformed(format!("a condition is {}", condition.dtype)));
        }
        let ty = Reg(then.dtype);
        let chosen = self.value(condition, Position::Value)?;
        // An arm with `Let` is a computation of its own, worth a branch.
        let is_long = |arm: &Expr| matches!(arm.kind, ExprKind::Let { .. });
        if !is_long(then) && !is_long(otherwise) && self.is_speculatable(then) && self.is_speculatable(otherwise) {
            let (then, otherwise) = (self.value(then, position)?, self.value(otherwise, position)?);
            return Ok(self.body.assign(format_args!("select i1 {chosen}, {ty} {then}, {ty} {otherwise}")));
        }
        let (yes, no, done) = (self.body.label(), self.body.label(), self.body.label());
        self.body.branch(&chosen, yes, no);
        let mut arms = Vec::with_capacity(2);
        for (label, arm) in [(yes, then), (no, otherwise)] {
            self.body.start(label);
            let value = self.in_branch(|cx| cx.value(arm, position))?;
            arms.push((value, self.body.open()));
            self.body.jump(done);
        }
        self.body.start(done);
        let arms: Vec<String> = arms.iter().map(|(value, block)| format!("[ {value}, %{block} ]")).collect();
        Ok(self.body.assign(format_args!("phi {ty} {}", arms.join(", "))))
    }

    /// Whether the expression can be evaluated speculatively: it reads no memory and cannot fail.
    pub(crate) fn is_speculatable(&mut self, expr: &Expr) -> bool {
        speculatable(&mut self.speculatable, expr)
    }

    /// Records that a variable's value comes from memory.
    pub(crate) fn note_loaded(&mut self, var: &Var, value: &Expr) {
        if self.has_load(value) {
            self.loaded.insert(var.id());
        }
    }

    /// Records that the range of a loop's variable depends on memory.
    pub(crate) fn note_bounds(&mut self, var: &Var, min: &Expr, extent: &Expr) {
        if self.has_load(min) || self.has_load(extent) {
            self.loaded.insert(var.id());
        }
    }

    /// Whether a value depends on what memory holds, or on what the user passes.
    pub(crate) fn has_load(&self, expr: &Expr) -> bool {
        let mut found = false;
        let mut look = |expr: &Expr| {
            found |= match &expr.kind {
                ExprKind::Load { .. } | ExprKind::Foreign { .. } => true,
                ExprKind::Var(var) => self.loaded.contains(&var.id()),
                _ => false,
            };
            !found
        };
        if look(expr) {
            walk_some(expr, |node| node.downcast::<Expr>().is_some_and(&mut look));
        }
        found
    }
}

/// A vector of scalars that are all constants, as a constant.
fn constant_lanes(sources: &[(Value, DataType, u16)], lanes: &[usize], dtype: DataType) -> Option<Value> {
    if dtype.is_scalar() {
        return None;
    }
    let constant = |&lane: &usize| match sources.get(lane)? {
        (Value::Constant(text), from, _) if from.is_scalar() => Some(format!("{} {text}", Reg(*from))),
        _ => None,
    };
    let lanes: Vec<String> = lanes.iter().map(constant).collect::<Option<_>>()?;
    Some(Value::constant(format!("<{}>", lanes.join(", "))))
}

/// Arithmetic on addresses does not overflow: LLVM may rely on it.
pub(crate) fn no_wrap(position: Position, dtype: DataType) -> &'static str {
    if position == Position::Index && dtype.is_signed() && dtype.bits >= 32 { " nsw" } else { "" }
}

/// Whether dividing by the expression can fail.
pub(crate) fn is_safe_divisor(divisor: &Expr) -> bool {
    match &divisor.kind {
        ExprKind::Int(value) => *value != 0 && !(divisor.dtype.is_signed() && *value == -1),
        ExprKind::Broadcast(scalar) => is_safe_divisor(scalar),
        _ => false,
    }
}

fn speculatable(known: &mut Map<usize, bool>, expr: &Expr) -> bool {
    struct Children<'a> {
        known: &'a mut Map<usize, bool>,
        all: bool,
    }
    impl Visitor for Children<'_> {
        fn visit(&mut self, node: &dyn AnyHandle) {
            if let Some(expr) = node.downcast::<Expr>() {
                self.all = self.all && speculatable(self.known, expr);
            }
        }
    }
    if let Some(&known) = known.get(&expr.address()) {
        return known;
    }
    let alone = match &expr.kind {
        ExprKind::Load { .. } | ExprKind::Foreign { .. } => false,
        ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
            expr.dtype.is_float() || is_safe_divisor(divisor)
        }
        _ => true,
    };
    let mut children = Children { known, all: alone };
    if alone {
        with_stack(|| expr.visit_inside(&mut children));
    }
    let all = children.all;
    known.insert(expr.address(), all);
    all
}
