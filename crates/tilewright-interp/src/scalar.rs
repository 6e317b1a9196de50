//! Scalar and vector expressions.

use std::rc::Rc;

use tilewright_expr::node::AnyHandle;
use tilewright_expr::semantics::{self, Scalar};
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic};
use tilewright_support::with_stack;

use crate::error::ErrorKind;
use crate::interpreter::{Interpreter, Res};

/// The value of an expression: as many scalars as its type has lanes.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    One(Scalar),
    Many(Rc<[Scalar]>),
}

impl Val {
    /// One lane; a scalar has its value in every lane.
    pub(crate) fn lane(&self, lane: usize) -> Scalar {
        match self {
            Self::One(value) => *value,
            Self::Many(values) => values[lane % values.len().max(1)],
        }
    }

    pub(crate) fn lanes(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(values) => values.len(),
        }
    }

    /// The values of `lanes` lanes, each made by `f`.
    fn build(lanes: usize, mut f: impl FnMut(usize) -> Res<Scalar>) -> Res<Self> {
        if lanes == 1 { f(0).map(Self::One) } else { (0..lanes).map(f).collect::<Res<Rc<[_]>>>().map(Self::Many) }
    }
}

fn fault(fault: semantics::Fault) -> crate::InterpError {
    ErrorKind::Fault(fault).into()
}

/// The integer as a mathematical one.
fn wide(value: Scalar) -> i128 {
    if value.dtype().is_signed() { i128::from(value.as_int()) } else { i128::from(value.bits()) }
}

impl Interpreter<'_> {
    /// The value of a whole expression.
    pub(crate) fn value(&mut self, expr: &Expr) -> Res<Val> {
        if !self.memo.is_empty() {
            self.memo.clear();
        }
        self.eval(expr)
    }

    /// The value of a whole expression that is a scalar bool.
    pub(crate) fn truth(&mut self, expr: &Expr) -> Res<bool> {
        Ok(self.value(expr)?.lane(0).as_bool())
    }

    /// The value of a whole expression that is index arithmetic.
    pub(crate) fn int(&mut self, expr: &Expr) -> Res<i64> {
        if let ExprKind::Int(value) = expr.kind {
            return Ok(value);
        }
        Ok(self.index(expr)?.lane(0).as_int())
    }

    pub(crate) fn ints(&mut self, exprs: &[Expr]) -> Res<Vec<i64>> {
        exprs.iter().map(|e| self.int(e)).collect()
    }

    /// Index arithmetic, of any number of lanes.
    pub(crate) fn index(&mut self, expr: &Expr) -> Res<Val> {
        let before = std::mem::replace(&mut self.indexing, true);
        let value = self.value(expr)?;
        self.indexing = before;
        Ok(value)
    }

    /// The value, computed once where the node is shared within the expression at hand.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Res<Val> {
        match &expr.kind {
            ExprKind::Int(value) => Ok(Val::One(Scalar::from_int(*value, expr.dtype))),
            ExprKind::Float(value) => Ok(Val::One(Scalar::from_float(value.0, expr.dtype))),
            ExprKind::Var(var) => match self.vars.get(&var.id()) {
                Some(value) => Ok(value.clone()),
                None => Err(ErrorKind::Unbound { name: var.name.to_string() }.into()),
            },
            _ if expr.is_shared() => {
                let key = (expr.address(), self.indexing);
                if let Some(value) = self.memo.get(&key) {
                    return Ok(value.clone());
                }
                let value = with_stack(|| self.eval_node(expr))?;
                self.memo.insert(key, value.clone());
                Ok(value)
            }
            _ => with_stack(|| self.eval_node(expr)),
        }
    }

    fn eval_node(&mut self, expr: &Expr) -> Res<Val> {
        let lanes = usize::from(expr.dtype.lanes);
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Var(_) => self.eval(expr),
            ExprKind::Str(_) => Err(ErrorKind::Unsupported("a text is not a scalar value".to_owned()).into()),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if lanes == 1 => {
                let left = self.eval(a)?;
                // The right side is not evaluated where the left one decides.
                if left.lane(0).as_bool() == (*op == BinOp::Or) { Ok(left) } else { self.eval(b) }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                Val::build(lanes, |lane| self.binary(*op, a.lane(lane), b.lane(lane)))
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                Val::build(lanes, |lane| Ok(semantics::compare(*op, a.lane(lane), b.lane(lane))))
            }
            ExprKind::Not(value) => {
                let value = self.eval(value)?;
                Val::build(lanes, |lane| Ok(Scalar::from_bool(!value.lane(lane).as_bool())))
            }
            ExprKind::Select { condition, then, otherwise } => {
                let (condition, then, otherwise) = (self.eval(condition)?, self.eval(then)?, self.eval(otherwise)?);
                Val::build(lanes, |lane| {
                    Ok(if condition.lane(lane).as_bool() { then.lane(lane) } else { otherwise.lane(lane) })
                })
            }
            ExprKind::Cast(value) => {
                let value = self.eval(value)?;
                Val::build(lanes, |lane| Ok(semantics::cast(value.lane(lane), expr.dtype)))
            }
            ExprKind::Load { buffer, indices, predicate } => self.eval_load(buffer, indices, predicate.as_ref(), lanes),
            ExprKind::Ramp { base, stride } => {
                let (base, stride) = (self.eval(base)?.lane(0), self.eval(stride)?.lane(0));
                Val::build(lanes, |lane| {
                    let lane = Scalar::from_int(lane as i64, stride.dtype());
                    let distance = self.binary(BinOp::Mul, lane, stride)?;
                    self.binary(BinOp::Add, base, distance)
                })
            }
            ExprKind::Broadcast(value) => {
                let value = self.eval(value)?.lane(0);
                Val::build(lanes, |_| Ok(value))
            }
            ExprKind::Shuffle { vectors, lanes } => self.eval_shuffle(vectors, lanes),
            ExprKind::Let { var, value, body } => {
                let value = self.eval(value)?;
                self.vars.insert(var.id(), value);
                // Shared nodes within the body may depend on the variable.
                let outer = std::mem::take(&mut self.memo);
                let result = self.eval(body)?;
                self.memo = outer;
                self.vars.remove(&var.id());
                Ok(result)
            }
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [condition, then, otherwise] => {
                    let taken = if self.eval(condition)?.lane(0).as_bool() { then } else { otherwise };
                    self.eval(taken)
                }
                _ => Err(fault(semantics::Fault::NotDefined)),
            },
            ExprKind::Reinterpret(value) if value.dtype.is_handle() || expr.dtype.is_handle() => {
                Err(ErrorKind::Unsupported("an address is no value by its bits".to_owned()).into())
            }
            ExprKind::Reinterpret(value) => {
                let value = self.eval(value)?;
                let lanes: Vec<_> = (0..value.lanes()).map(|lane| value.lane(lane)).collect();
                let lanes = semantics::reinterpret(&lanes, expr.dtype);
                Val::build(lanes.len(), |lane| {
                    lanes.get(lane).copied().ok_or_else(|| fault(semantics::Fault::NotDefined))
                })
            }
            ExprKind::AddressOf { buffer, .. } => {
                let message = format!("the address of an element of `{}` is not a value", buffer.name);
                Err(ErrorKind::Unsupported(message).into())
            }
            ExprKind::Foreign { callee, args } => self.foreign(callee, args, expr.dtype),
            ExprKind::Call { intrinsic, args } => {
                let args = args.iter().map(|arg| self.eval(arg)).collect::<Res<Vec<_>>>()?;
                Val::build(lanes, |lane| {
                    let args: Vec<_> = args.iter().map(|arg| arg.lane(lane)).collect();
                    semantics::intrinsic(*intrinsic, &args).map_err(fault)
                })
            }
        }
    }

    fn binary(&self, op: BinOp, a: Scalar, b: Scalar) -> Res<Scalar> {
        let result = semantics::binary(op, a, b).map_err(fault)?;
        if self.indexing && a.dtype().is_int() {
            let exact = match op {
                BinOp::Add => wide(a).checked_add(wide(b)),
                BinOp::Sub => wide(a).checked_sub(wide(b)),
                BinOp::Mul => wide(a).checked_mul(wide(b)),
                _ => return Ok(result),
            };
            if exact != Some(wide(result)) {
                return Err(ErrorKind::IndexOverflow { dtype: a.dtype().to_string() }.into());
            }
        }
        Ok(result)
    }

    fn eval_shuffle(&mut self, vectors: &[Expr], lanes: &[usize]) -> Res<Val> {
        let mut all = Vec::new();
        for vector in vectors {
            let value = self.eval(vector)?;
            all.extend((0..value.lanes()).map(|lane| value.lane(lane)));
        }
        Val::build(lanes.len(), |lane| {
            let lane = lanes.get(lane).copied().unwrap_or(usize::MAX);
            all.get(lane).copied().ok_or_else(|| ErrorKind::Unsupported(format!("lane {lane} does not exist")).into())
        })
    }

    fn eval_load(&mut self, buffer: &Buffer, indices: &[Expr], mask: Option<&Expr>, lanes: usize) -> Res<Val> {
        let before = std::mem::replace(&mut self.indexing, true);
        let indices = indices.iter().map(|i| self.eval(i)).collect::<Res<Vec<_>>>()?;
        self.indexing = before;
        let mask = match mask {
            Some(mask) => Some(self.eval(mask)?),
            None => None,
        };
        let view = self.view(buffer)?;
        let mut at = Vec::with_capacity(indices.len());
        Val::build(lanes, |lane| {
            if mask.as_ref().is_some_and(|mask| !mask.lane(lane).as_bool()) {
                return Ok(Scalar::from_bits(view.dtype, 0));
            }
            at.clear();
            at.extend(indices.iter().map(|index| index.lane(lane).as_int()));
            self.load(buffer, &view, &at)
        })
    }
}
