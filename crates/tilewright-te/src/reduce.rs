//! Reductions: axes that a formula runs over, and the operations that combine what it gives.
//!
//! A [`Reducer`] is one of the usual operations. A [`CommReducer`] is any: how two rows of values (one or several) are
//! combined into one, and the row that changes nothing. The usual ones are rows of one value.

use std::ops::Deref;
use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_expr::semantics::int_range;
use tilewright_expr::{BinOp, Expr, Intrinsic, Range, Var};
use tilewright_tensor::DataType;

use crate::{TeError, Value};

/// An axis that a reduction runs over; as a value it is the index along it.
#[derive(Clone, Debug)]
pub struct ReduceAxis {
    var: Var,
    range: Range,
    value: Value,
}

impl Deref for ReduceAxis {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.value
    }
}

impl ReduceAxis {
    /// The axis of a variable that runs over a range.
    pub fn of(var: Var, range: Range) -> Self {
        let value = Value::reading(Expr::var(&var), Vec::new(), vec![var.clone()]);
        Self { var, range, value }
    }

    pub fn var(&self) -> &Var {
        &self.var
    }

    pub fn range(&self) -> &Range {
        &self.range
    }
}

/// The integers from `min` up to and without `end`.
pub fn reduce_axis(min: Expr, end: Expr, name: &str) -> ReduceAxis {
    let wrong = |error: TeError| {
        let range = Range::up_to(Expr::i64(0));
        ReduceAxis { var: Var::new(name, DataType::I64), range, value: Value::wrong(error) }
    };
    match axis_range(&min, &end) {
        Ok(range) => ReduceAxis::of(Var::new(name, range.extent.dtype), range),
        Err(error) => wrong(TeError(format!("reduce axis `{name}`: {error}"))),
    }
}

fn axis_range(min: &Expr, end: &Expr) -> Result<Range, TeError> {
    if let Some(other) = [min, end].into_iter().find(|e| !e.dtype.is_int() || !e.dtype.is_scalar()) {
        return Err(TeError(format!("expected integers as its ends, found {}", other.dtype)));
    }
    let extent = match (min.as_int(), end.as_int()) {
        (Some(0), _) => end.clone(),
        (Some(a), Some(b)) => {
            let greatest = int_range(end.dtype).map_or(i128::from(i64::MAX), |(_, greatest)| greatest);
            match i128::from(b) - i128::from(a) {
                extent if extent > greatest => {
                    return Err(TeError(format!("from {a} to {b} are more than {greatest} indices")));
                }
                extent => Expr::int(i64::try_from(extent).unwrap_or(0).max(0), end.dtype),
            }
        }
        _ => Expr::binary(BinOp::Sub, end, min)?,
    };
    Ok(Range::new(min.cast(extent.dtype)?, extent))
}

/// An associative operation with a neutral element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    Sum,
    Prod,
    /// NaN if any element is.
    Max,
    /// NaN if any element is.
    Min,
    /// Of bools: whether each is true.
    All,
    /// Of bools: whether some is true.
    Any,
}

impl Reducer {
    fn op(self) -> BinOp {
        match self {
            Self::Sum => BinOp::Add,
            Self::Prod => BinOp::Mul,
            Self::Max => BinOp::Max,
            Self::Min => BinOp::Min,
            Self::All => BinOp::And,
            Self::Any => BinOp::Or,
        }
    }

    /// The identity: the result of an empty reduction.
    pub fn identity(self, dtype: DataType) -> Expr {
        // Each of these operations has one.
        self.op().identity(dtype).unwrap_or_else(|| Expr::number(0, dtype))
    }

    /// The operation on values of a type.
    pub fn of(self, dtype: DataType) -> Result<CommReducer, TeError> {
        let (x, y) = (Var::new("x", dtype), Var::new("y", dtype));
        let result = Expr::binary(self.op(), &Expr::var(&x), &Expr::var(&y))?;
        if result.dtype != dtype {
            return Err(TeError(format!("`{}` is not defined for {dtype}", self.op().symbol())));
        }
        Ok(CommReducer { lhs: vec![x], rhs: vec![y], result: vec![result], identity: vec![self.identity(dtype)] })
    }
}

/// An associative, commutative operation on rows of values: `result` is a formula over `lhs` and `rhs`, and a row
/// combined with `identity` stays itself. All lists are of one length, and of the same types in order.
#[derive(Clone, Debug)]
pub struct CommReducer {
    pub lhs: Vec<Var>,
    pub rhs: Vec<Var>,
    pub result: Vec<Expr>,
    pub identity: Vec<Expr>,
}

impl CommReducer {
    /// The operation of these parts, checked.
    pub fn new(lhs: Vec<Var>, rhs: Vec<Var>, result: Vec<Expr>, identity: Vec<Expr>) -> Result<Self, TeError> {
        let count = lhs.len();
        for (what, found) in [("operands", rhs.len()), ("results", result.len()), ("identities", identity.len())] {
            if found != count {
                return Err(TeError(format!("a reduction of {count} values has {found} {what}")));
            }
        }
        let fitted = |what: &str, exprs: Vec<Expr>| -> Result<Vec<Expr>, TeError> {
            let fit = |(expr, var): (Expr, &Var)| match expr.dtype == var.dtype {
                true => Ok(expr),
                // A constant without a type of its own takes that of its value.
                false if expr.as_int().is_some() || matches!(expr.kind, tilewright_expr::ExprKind::Float(_)) => {
                    expr.cast(var.dtype).map_err(TeError::from)
                }
                false => {
                    Err(TeError(format!("the {what} of `{}` is {}, expected {}", var.name, expr.dtype, var.dtype)))
                }
            };
            exprs.into_iter().zip(&lhs).map(fit).collect()
        };
        let (result, identity) = (fitted("result", result)?, fitted("identity", identity)?);
        Ok(Self { lhs, rhs, result, identity })
    }

    /// The operation on rows of these types that `combine` makes of two rows.
    pub fn combining(
        dtypes: &[DataType],
        combine: impl FnOnce(&[Value], &[Value]) -> Vec<Value>,
        identity: Vec<Expr>,
    ) -> Result<Self, TeError> {
        let row = |letter: &str| -> Vec<Var> {
            dtypes.iter().enumerate().map(|(i, &dtype)| Var::new(format!("{letter}{i}"), dtype)).collect()
        };
        let values = |vars: &[Var]| vars.iter().map(|var| Value::from(Expr::var(var))).collect::<Vec<_>>();
        let (lhs, rhs) = (row("x"), row("y"));
        let result = combine(&values(&lhs), &values(&rhs));
        let result = result.iter().map(|value| value.expr().cloned()).collect::<Result<_, _>>()?;
        Self::new(lhs, rhs, result, identity)
    }

    /// Combines the rows of values over all indices along the axes; one value for each of the row.
    pub fn over(&self, values: &[Value], axes: &[&ReduceAxis]) -> Vec<Value> {
        self.over_where(values, axes, None, None)
    }

    /// As [`CommReducer::over`]: of the indices where `condition` holds, beginning with `init` instead of the identity.
    pub fn over_where(
        &self,
        values: &[Value],
        axes: &[&ReduceAxis],
        condition: Option<&Value>,
        init: Option<Vec<Expr>>,
    ) -> Vec<Value> {
        match self.checked(values, axes, condition, init) {
            Ok(results) => results,
            Err(error) => self.lhs.iter().map(|_| Value::wrong(error.clone())).collect(),
        }
    }

    fn checked(
        &self,
        values: &[Value],
        axes: &[&ReduceAxis],
        condition: Option<&Value>,
        init: Option<Vec<Expr>>,
    ) -> Result<Vec<Value>, TeError> {
        if axes.is_empty() {
            return Err(TeError("a reduction needs at least one axis".into()));
        }
        let again = axes.iter().enumerate().find(|(at, axis)| axes[..*at].iter().any(|other| other.var == axis.var));
        if let Some((_, axis)) = again {
            return Err(TeError(format!("reduce axis `{}` is listed twice", axis.var.name)));
        }
        if values.len() != self.lhs.len() {
            return Err(TeError(format!("the reduction takes {} values, found {}", self.lhs.len(), values.len())));
        }
        let mut found: Vec<Expr> = Vec::new();
        // The axes go through `made`, so that an axis that went wrong is heard of.
        let mut operands: Vec<&Value> = values.iter().chain(condition).collect();
        operands.extend(axes.iter().map(|axis| &axis.value));
        let parts = Value::made(&operands, |exprs| {
            found = exprs[..values.len() + usize::from(condition.is_some())].to_vec();
            Ok(exprs[0].clone())
        });
        let parts = parts.into_parts()?;
        if condition.is_some()
            && let Some(condition) = found.pop()
        {
            for (value, identity) in found.iter_mut().zip(&self.identity) {
                *value = Expr::call(Intrinsic::IfThenElse, &[condition.clone(), value.clone(), identity.clone()])?;
            }
        }
        for (value, var) in found.iter().zip(&self.lhs) {
            if value.dtype != var.dtype {
                return Err(TeError(format!(
                    "the reduction takes {} as `{}`, found {}",
                    var.dtype, var.name, value.dtype
                )));
            }
        }
        let start = init.unwrap_or_else(|| self.identity.clone());
        if let Some(axis) = spoken_of(&start, axes) {
            return Err(TeError(format!(
                "a reduction begins with a value for all of reduce axis `{axis}`, not of its indices"
            )));
        }
        let start = CommReducer::new(self.lhs.clone(), self.rhs.clone(), self.result.clone(), start)?.identity;
        let over = parts.over.into_iter().filter(|var| !axes.iter().any(|axis| axis.var == *var)).collect::<Vec<_>>();
        let axes = axes.iter().map(|axis| (axis.var.clone(), axis.range.clone())).collect();
        let reduction = Arc::new(Reduction { reducer: self.clone(), axes, values: found, init: start });
        let one = |i| Value::of_reduction(&reduction, i, parts.reads.clone(), over.clone());
        Ok((0..values.len()).map(one).collect())
    }
}

/// The name of an axis that the expressions refer to.
fn spoken_of<'a>(exprs: &[Expr], axes: &[&'a ReduceAxis]) -> Option<&'a str> {
    let mut found = None;
    walk(&exprs.to_vec(), |var: &Var| {
        found = found.or(axes.iter().find(|axis| axis.var == *var).map(|axis| &*axis.var.name))
    });
    found
}

/// A reduction as the formula of one or more tensors.
#[derive(Clone, Debug)]
pub struct Reduction {
    pub reducer: CommReducer,
    pub axes: Vec<(Var, Range)>,
    /// The reduced values, one for each result.
    pub values: Vec<Expr>,
    /// The initial values of the results: the identity by default.
    pub init: Vec<Expr>,
}

/// Combines the value over all indices along the axes.
pub fn reduce(reducer: Reducer, value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce_where(reducer, value, axes, None, None)
}

/// As [`reduce`]: of the indices where `condition` holds, beginning with `init` instead of the identity.
pub fn reduce_where(
    reducer: Reducer,
    value: Value,
    axes: &[&ReduceAxis],
    condition: Option<&Value>,
    init: Option<Expr>,
) -> Value {
    let dtype = match value.expr() {
        Ok(expr) => expr.dtype,
        Err(error) => return Value::wrong(error),
    };
    match reducer.of(dtype) {
        Ok(combine) => {
            let mut results = combine.over_where(&[value], axes, condition, init.map(|init| vec![init]));
            results.pop().unwrap_or_else(|| Value::wrong(TeError("a reduction has a result".into())))
        }
        Err(error) => Value::wrong(error),
    }
}

pub fn sum(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Sum, value, axes)
}

pub fn prod(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Prod, value, axes)
}

pub fn max_over(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Max, value, axes)
}

pub fn min_over(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Min, value, axes)
}

/// Whether each of the bools is true.
pub fn all(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::All, value, axes)
}

/// Whether some of the bools is true.
pub fn any(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Any, value, axes)
}
