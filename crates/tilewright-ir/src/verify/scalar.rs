//! Scalar expressions: types and scopes.

use tilewright_expr::node::AnyHandle;
use tilewright_expr::semantics::{is_float8, wrap};
use tilewright_expr::{can_reinterpret, is_address_by_bits};
use tilewright_support::{nearest, with_stack};
use tilewright_tensor::DataType;

use super::scope::{Level, Scopes};
use super::{Report, count};
use crate::tir::{Buffer, Builtin, Expr, ExprKind, ForeignCallee};

/// The context of a scalar expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// In a PrimFunc.
    Loops,
    /// In a struct info or a shape: computed from symbolic dimensions, without memory.
    Dims,
}

/// Checks an expression and gives the innermost scope that it depends on.
pub(super) fn check(report: &mut Report, scopes: &mut Scopes, context: Context, expr: &Expr) -> Level {
    let (address, key) = (expr.address(), context as u8);
    // A second look at a leaf costs no more than to remember the first.
    let is_leaf = matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Var(_));
    let shared = !is_leaf && expr.is_shared();
    if shared && let Some(level) = scopes.checked(address, key) {
        return level;
    }
    let level = with_stack(|| check_node(report, scopes, context, expr));
    if shared {
        scopes.remember(address, key, level);
    }
    level
}

fn check_node(report: &mut Report, scopes: &mut Scopes, context: Context, expr: &Expr) -> Level {
    if let Err(problem) = typed(expr) {
        report.error("TW0506", problem);
    }
    let all = |report: &mut Report, scopes: &mut Scopes, parts: &[&Expr]| {
        parts.iter().map(|part| check(report, scopes, context, part)).max().unwrap_or(0)
    };
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => 0,
        ExprKind::Str(text) => {
            report.error("TW0534", format!("the text {text:?} is no operand of a foreign call"));
            0
        }
        ExprKind::Var(var) => scopes.level(var.id()).unwrap_or_else(|| {
            let (code, what) = match context {
                Context::Loops => ("TW0501", "variable"),
                Context::Dims => ("TW0529", "symbolic dimension"),
            };
            let hint = match context {
                Context::Loops => String::new(),
                Context::Dims => {
                    format!(": a parameter or `match_cast` with `{}` alone as a dimension defines it", var.name)
                }
            };
            report.error(code, format!("{what} `{}` is used where it is not defined{hint}", var.name));
            scopes.here()
        }),
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => all(report, scopes, &[a, b]),
        ExprKind::Not(value) | ExprKind::Cast(value) | ExprKind::Broadcast(value) | ExprKind::Reinterpret(value) => {
            all(report, scopes, &[value])
        }
        ExprKind::Select { condition, then, otherwise } => all(report, scopes, &[condition, then, otherwise]),
        ExprKind::Ramp { base, stride } => all(report, scopes, &[base, stride]),
        ExprKind::Shuffle { vectors: parts, .. } | ExprKind::Call { args: parts, .. } => {
            all(report, scopes, &parts.iter().collect::<Vec<_>>())
        }
        ExprKind::Load { buffer, indices, predicate } => {
            if context == Context::Dims {
                report.error("TW0530", format!("a dimension reads buffer `{}`", buffer.name));
            }
            let lanes = access(report, buffer, indices);
            if expr.dtype != buffer.dtype.with_lanes(lanes) {
                let (expected, found) = (buffer.dtype.with_lanes(lanes), expr.dtype);
                report.error("TW0506", format!("a load of {expected} from `{}` says it is {found}", buffer.name));
            }
            let level = check_buffer(report, scopes, context, buffer);
            let level = level.max(all(report, scopes, &indices.iter().collect::<Vec<_>>()));
            level.max(check_mask(report, scopes, context, predicate.as_ref(), lanes))
        }
        ExprKind::AddressOf { buffer, indices } => {
            if context == Context::Dims {
                report.error("TW0530", format!("a dimension takes the address of buffer `{}`", buffer.name));
            }
            if access(report, buffer, indices) != 1 {
                report.error("TW0504", format!("the address of more than one element of buffer `{}`", buffer.name));
            }
            let level = check_buffer(report, scopes, context, buffer);
            level.max(all(report, scopes, &indices.iter().collect::<Vec<_>>()))
        }
        ExprKind::Foreign { callee, args } => {
            if context == Context::Dims {
                report.error("TW0530", format!("a dimension calls `{}`", callee.name()));
            }
            if let ForeignCallee::Builtin(name) = callee
                && !callee.builtin().is_some_and(|row| row.takes(args.len()))
            {
                let what = match Builtin::by_name(name) {
                    Some(_) => format!("operation `{name}` does not take {}", count(args.len(), "operand")),
                    None => match nearest(name, Builtin::ALL.iter().map(|row| row.name)) {
                        Some(near) => format!("no target has an operation `{name}`: did you mean `{near}`?"),
                        None => format!("no target has an operation `{name}`"),
                    },
                };
                report.error("TW0518", what);
            }
            let named = args.iter().filter(|arg| !matches!(arg.kind, ExprKind::Str(_)));
            all(report, scopes, &named.collect::<Vec<_>>())
        }
        ExprKind::Let { var, value, body } => {
            let outside = check(report, scopes, context, value);
            scopes.enter();
            define(report, scopes, var.id(), &var.name);
            let inside = check(report, scopes, context, body);
            let here = scopes.here();
            scopes.leave();
            // A body that depends on its own variable depends on nothing further in than the scopes around it.
            outside.max(if inside == here { here - 1 } else { inside })
        }
    }
}

/// Defines a variable or buffer in the innermost scope.
pub(super) fn define(report: &mut Report, scopes: &mut Scopes, id: tilewright_expr::node::VarId, name: &str) {
    if !scopes.define(id) {
        report.error("TW0513", format!("`{name}` is defined a second time, inside of its first definition"));
    }
}

/// Checks the predicate of a masked access.
pub(super) fn check_mask(
    report: &mut Report,
    scopes: &mut Scopes,
    context: Context,
    mask: Option<&Expr>,
    lanes: u16,
) -> Level {
    let Some(mask) = mask else { return 0 };
    if mask.dtype != DataType::BOOL.with_lanes(lanes) {
        report
            .error("TW0511", format!("the predicate of an access of {lanes} lanes is {}, expected bools", mask.dtype));
    }
    check(report, scopes, context, mask)
}

/// Checks that a buffer, or the memory that it views, is defined here.
pub(super) fn check_buffer(report: &mut Report, scopes: &mut Scopes, context: Context, buffer: &Buffer) -> Level {
    if let Some(level) = scopes.level(buffer.id()) {
        return level;
    }
    let Some(level) = scopes.level(buffer.data.id()) else {
        let what = "a parameter, an allocation or a matched buffer defines one";
        report.error("TW0502", format!("buffer `{}` is used where it is not defined: {what}", buffer.name));
        return scopes.here();
    };
    level.max(check_layout(report, scopes, context, buffer))
}

/// Checks what a buffer says of itself.
pub(super) fn check_layout(report: &mut Report, scopes: &mut Scopes, context: Context, buffer: &Buffer) -> Level {
    let mut problem = |what: String| report.error("TW0514", format!("buffer `{}`: {what}", buffer.name));
    if !buffer.dtype.is_scalar() || buffer.dtype.is_handle() {
        problem(format!("expected elements of one lane, found {}", buffer.dtype));
    }
    if !buffer.strides.is_empty() && buffer.strides.len() != buffer.rank() {
        let (rank, strides) = (count(buffer.rank(), "dimension"), count(buffer.strides.len(), "stride"));
        problem(format!("{rank} and {strides}, expected a stride for each dimension, or none"));
    }
    let separators = &buffer.axis_separators;
    if !separators.is_sorted() || separators.last().is_some_and(|&last| last > buffer.rank()) {
        problem(format!("axis separators {separators:?} of {} dimensions", buffer.rank()));
    }
    for part in layout(buffer) {
        if !part.dtype.is_int() || !part.dtype.is_scalar() {
            problem(format!("expected a scalar integer in its shape, strides or offset, found {}", part.dtype));
        }
    }
    layout(buffer).map(|part| check(report, scopes, context, part)).max().unwrap_or(0)
}

/// The expressions in what a buffer says of itself.
pub(super) fn layout(buffer: &Buffer) -> impl Iterator<Item = &Expr> {
    buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset)
}

/// Checks number and types of indices and gives the number of lanes of the access.
pub(super) fn access(report: &mut Report, buffer: &Buffer, indices: &[Expr]) -> u16 {
    if indices.len() != buffer.rank() {
        let (name, rank) = (&buffer.name, count(buffer.rank(), "dimension"));
        let found = if indices.len() == 1 { "1 index".to_owned() } else { format!("{} indices", indices.len()) };
        report.error("TW0503", format!("buffer `{name}` has {rank}, found {found}"));
    }
    let mut lanes = 1;
    for index in indices {
        if !index.dtype.is_int() {
            report.error(
                "TW0504",
                format!("an index of buffer `{}` is {}, expected an integer", buffer.name, index.dtype),
            );
        }
        match (lanes, index.dtype.lanes) {
            (_, 1) => {}
            (1, n) => lanes = n,
            (m, n) if m == n => {}
            (m, n) => report.error("TW0504", format!("indices of buffer `{}` have {m} and {n} lanes", buffer.name)),
        }
    }
    lanes
}

/// Checks what a node says of itself, its operands being right: its type, and the indices of an access.
pub(crate) fn check_type(expr: &Expr) -> Result<(), String> {
    typed(expr)?;
    let (ExprKind::Load { buffer, indices, .. } | ExprKind::AddressOf { buffer, indices }) = &expr.kind else {
        return Ok(());
    };
    let mut report = Report::default();
    let lanes = access(&mut report, buffer, indices);
    match report.found.0.pop() {
        Some(problem) => Err(problem.message),
        None if matches!(expr.kind, ExprKind::Load { .. }) && expr.dtype != buffer.dtype.with_lanes(lanes) => {
            Err(format!("a load of {lanes} lanes from `{}` ({}) says it is {}", buffer.name, buffer.dtype, expr.dtype))
        }
        None => Ok(()),
    }
}

/// Checks that the node has the type that follows from its operands.
pub(super) fn typed(expr: &Expr) -> Result<(), String> {
    let dtype = expr.dtype;
    let must = |fits: bool, what: &dyn Fn() -> String| {
        if fits { Ok(()) } else { Err(format!("{} cannot be {dtype}", what())) }
    };
    match &expr.kind {
        ExprKind::Int(value) => {
            must((dtype.is_int() || dtype.is_bool()) && dtype.is_scalar() && wrap(*value, dtype) == *value, &|| {
                format!("the integer constant {value}")
            })
        }
        ExprKind::Float(value) => {
            let is_held = dtype.is_float() || is_float8(dtype);
            must(is_held && dtype.is_scalar(), &|| format!("the float constant {}", value.0))
        }
        ExprKind::Str(text) => must(dtype == DataType::HANDLE, &|| format!("the text {text:?}")),
        ExprKind::Var(var) => must(dtype == var.dtype, &|| format!("variable `{}` of type {}", var.name, var.dtype)),
        ExprKind::Binary(op, a, b) => must(a.dtype == dtype && b.dtype == dtype && op.takes(dtype), &|| {
            format!("`{}` of {} and {}", op.symbol(), a.dtype, b.dtype)
        }),
        ExprKind::Compare(op, a, b) => must(
            a.dtype == b.dtype && !a.dtype.is_handle() && dtype == DataType::BOOL.with_lanes(a.dtype.lanes),
            &|| format!("the comparison `{}` of {} and {}", op.symbol(), a.dtype, b.dtype),
        ),
        ExprKind::Not(value) => {
            must(value.dtype == dtype && dtype.is_bool(), &|| format!("the negation of {}", value.dtype))
        }
        ExprKind::Select { condition, then, otherwise } => must(
            condition.dtype == DataType::BOOL.with_lanes(dtype.lanes)
                && then.dtype == dtype
                && otherwise.dtype == dtype,
            &|| format!("a selection by {} of {} and {}", condition.dtype, then.dtype, otherwise.dtype),
        ),
        ExprKind::Cast(value) => {
            must(value.dtype.lanes == dtype.lanes && !value.dtype.is_handle() && !dtype.is_handle(), &|| {
                format!("a conversion of {}", value.dtype)
            })
        }
        // Types of accesses are checked with their indices.
        ExprKind::Load { .. } => Ok(()),
        ExprKind::Ramp { base, stride } => must(
            base.dtype == stride.dtype
                && base.dtype.is_int()
                && base.dtype.is_scalar()
                && dtype.is_vector()
                && dtype.element() == base.dtype,
            &|| format!("a ramp from {} by {}", base.dtype, stride.dtype),
        ),
        ExprKind::Broadcast(value) => {
            must(value.dtype.is_scalar() && dtype.is_vector() && dtype.element() == value.dtype, &|| {
                format!("a broadcast of {}", value.dtype)
            })
        }
        ExprKind::Shuffle { vectors, lanes } => {
            let available: usize = vectors.iter().map(|v| usize::from(v.dtype.lanes)).sum();
            let fits = vectors.iter().all(|v| v.dtype.element() == dtype.element())
                && lanes.len() == usize::from(dtype.lanes)
                && lanes.iter().all(|&lane| lane < available);
            must(fits, &|| format!("a shuffle of {} out of {available} lanes", lanes.len()))
        }
        ExprKind::Let { var, value, body } => must(var.dtype == value.dtype && body.dtype == dtype, &|| {
            format!("a let of `{}` ({}) as {} in {}", var.name, var.dtype, value.dtype, body.dtype)
        }),
        ExprKind::Call { intrinsic, args } => {
            let types: Vec<_> = args.iter().map(|a| a.dtype).collect();
            must(intrinsic.result(&types) == Some(dtype), &|| format!("{} of {types:?}", intrinsic.name()))
        }
        ExprKind::Reinterpret(value) => {
            let allowed = can_reinterpret(value.dtype, dtype) || is_address_by_bits(value.dtype, dtype);
            must(allowed, &|| format!("the reinterpretation of {}", value.dtype))
        }
        ExprKind::AddressOf { buffer, .. } => {
            must(dtype == DataType::HANDLE, &|| format!("the address of an element of `{}`", buffer.name))
        }
        ExprKind::Foreign { callee: ForeignCallee::Builtin(name), args } => match Builtin::by_name(name) {
            Some(row) => {
                let types: Vec<_> = args.iter().map(|a| a.dtype).collect();
                must(row.result_type(dtype, &types) == dtype, &|| format!("the call of `{name}`"))
            }
            // It is reported as unknown.
            None => Ok(()),
        },
        ExprKind::Foreign { callee, .. } => {
            must(!dtype.is_handle() || dtype.is_void(), &|| format!("the call of `{}`", callee.name()))
        }
    }
}
