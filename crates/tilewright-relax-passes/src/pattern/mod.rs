//! The pattern language: patterns of expressions and of parts of dataflow blocks, and rewriting of their matches.
//!
//! A [`Pattern`] describes an expression and is its identity: in one match a pattern matches one expression, however
//! often it occurs. Where a pattern needs a call, a tuple or a constant and finds a variable, it looks at what the
//! variable is bound to. The order of arguments counts. Of `a | b` the first alternative that fits is taken for good.
//!
//! - [`match_expr`] matches one expression;
//! - [`rewrite_call`] replaces every expression of a function that fits;
//! - a [`PatternContext`] relates patterns by who uses whom and matches a dataflow block; [`rewrite_bindings`] replaces
//!   bindings of what it finds.
//!
//! Rewriting visits each binding once: its results are not rewritten again, so that it ends. Struct infos are inferred
//! anew, unused bindings are removed, and a function without matches stays as it is.

mod context;
mod matching;
mod rewrite;
mod show;

use std::sync::Arc;

use tilewright_ir::Attrs;
use tilewright_ir::op::OpRef;
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_support::nearest;
use tilewright_tensor::DataType;

pub use context::{ExternUse, PatternContext};
pub use matching::{Matches, match_expr};
pub use rewrite::{BindingRewriter, CallRewriter, rewrite_bindings, rewrite_call};

/// A description of expressions; see the [module](self).
#[derive(Clone, Debug)]
pub struct Pattern(Arc<PatternKind>);

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// Anything.
    Wildcard,
    /// The operator as a callee; alone, a call of it.
    Op(OpRef),
    /// A constant tensor.
    Constant,
    /// A variable, of this name.
    Var(Option<Arc<str>>),
    /// A variable that is visible only in its dataflow block, of this name.
    DataflowVar(Option<Arc<str>>),
    /// A function of the module, of this name.
    GlobalVar(Option<Arc<str>>),
    /// A function of the runtime as a value, of this name.
    ExternFunc(Option<Arc<str>>),
    /// This very expression, or one of the same structure.
    Expr(Expr),
    Tuple(Vec<Pattern>),
    /// A tuple of fields that match in some order.
    UnorderedTuple(Vec<Pattern>),
    TupleGet {
        tuple: Pattern,
        index: Option<usize>,
    },
    Call {
        callee: CalleePattern,
        args: ArgPatterns,
    },
    /// A shape value with these dimensions.
    Shape(Vec<tilewright_expr::Expr>),
    /// This scalar as a value.
    Prim(tilewright_expr::Expr),
    Or(Pattern, Pattern),
    And(Pattern, Pattern),
    Not(Pattern),
    /// With this element type.
    HasDType(Pattern, DataType),
    /// A tensor or shape with these dimensions.
    HasShape(Pattern, Vec<tilewright_expr::Expr>),
    /// A call with these attributes, among others.
    HasAttrs(Pattern, Attrs),
    /// Of which at least this is known.
    HasStructInfo(Pattern, StructInfo),
    /// Of the shape of the value of another pattern of the match.
    SameShape(Pattern, Pattern),
}

/// The callee of a call.
#[derive(Clone, Debug)]
pub enum CalleePattern {
    /// An operator, or a function value.
    Value(Pattern),
    /// `R.call_tir` of a function of this name.
    Tir(Option<Arc<str>>),
    /// `R.call_dps_packed` of a function of this name.
    DpsPacked(Option<Arc<str>>),
    /// `R.call_packed` of a function of this name.
    Packed(Option<Arc<str>>),
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub enum ArgPatterns {
    Any,
    /// One for each argument.
    Exactly(Vec<Pattern>),
    /// One for each of the first arguments.
    First(Vec<Pattern>),
}

impl ArgPatterns {
    pub(crate) fn patterns(&self) -> &[Pattern] {
        match self {
            Self::Any => &[],
            Self::Exactly(patterns) | Self::First(patterns) => patterns,
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Pattern {}

impl From<PatternKind> for Pattern {
    fn from(kind: PatternKind) -> Self {
        Self(Arc::new(kind))
    }
}

/// Patterns of expressions.
impl Pattern {
    pub fn kind(&self) -> &PatternKind {
        &self.0
    }

    /// Identifies a pattern as long as it lives.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    pub fn wildcard() -> Self {
        PatternKind::Wildcard.into()
    }

    /// The operator of this name, with or without `relax.` before it. An error for an unknown name suggests a similar
    /// one.
    pub fn op(name: &str) -> Result<Self, String> {
        let plain = name.strip_prefix("relax.").unwrap_or(name);
        if let Some(op) = tilewright_ops::lookup(plain) {
            return Ok(PatternKind::Op(op).into());
        }
        Err(match nearest(plain, tilewright_ops::all().map(|op| op.name)) {
            Some(near) => format!("there is no operator `{name}`: did you mean `{near}`?"),
            None => format!("there is no operator `{name}`"),
        })
    }

    pub fn constant() -> Self {
        PatternKind::Constant.into()
    }

    pub fn var(name: Option<&str>) -> Self {
        PatternKind::Var(name.map(Into::into)).into()
    }

    pub fn dataflow_var(name: Option<&str>) -> Self {
        PatternKind::DataflowVar(name.map(Into::into)).into()
    }

    pub fn global_var(name: Option<&str>) -> Self {
        PatternKind::GlobalVar(name.map(Into::into)).into()
    }

    pub fn extern_func(name: Option<&str>) -> Self {
        PatternKind::ExternFunc(name.map(Into::into)).into()
    }

    pub fn expr(expr: &Expr) -> Self {
        PatternKind::Expr(expr.clone()).into()
    }

    pub fn tuple(fields: Vec<Self>) -> Self {
        PatternKind::Tuple(fields).into()
    }

    pub fn unordered_tuple(fields: Vec<Self>) -> Self {
        PatternKind::UnorderedTuple(fields).into()
    }

    /// A field of a tuple; any field without an index.
    pub fn tuple_get(tuple: &Self, index: Option<usize>) -> Self {
        PatternKind::TupleGet { tuple: tuple.clone(), index }.into()
    }

    pub fn shape(dims: Vec<tilewright_expr::Expr>) -> Self {
        PatternKind::Shape(dims).into()
    }

    pub fn prim(value: tilewright_expr::Expr) -> Self {
        PatternKind::Prim(value).into()
    }

    /// A call of what this pattern describes.
    pub fn call(&self, args: Vec<Self>) -> Self {
        self.call_with(ArgPatterns::Exactly(args))
    }

    pub fn call_with(&self, args: ArgPatterns) -> Self {
        PatternKind::Call { callee: CalleePattern::Value(self.clone()), args }.into()
    }

    pub fn call_tir(function: Option<&str>, args: ArgPatterns) -> Self {
        PatternKind::Call { callee: CalleePattern::Tir(function.map(Into::into)), args }.into()
    }

    pub fn call_dps_packed(function: Option<&str>, args: ArgPatterns) -> Self {
        PatternKind::Call { callee: CalleePattern::DpsPacked(function.map(Into::into)), args }.into()
    }

    pub fn call_packed(function: Option<&str>, args: ArgPatterns) -> Self {
        PatternKind::Call { callee: CalleePattern::Packed(function.map(Into::into)), args }.into()
    }
}

/// Patterns made of patterns.
impl Pattern {
    pub fn or(&self, other: &Self) -> Self {
        PatternKind::Or(self.clone(), other.clone()).into()
    }

    pub fn and(&self, other: &Self) -> Self {
        PatternKind::And(self.clone(), other.clone()).into()
    }

    pub fn not(&self) -> Self {
        PatternKind::Not(self.clone()).into()
    }

    pub fn has_dtype(&self, dtype: DataType) -> Self {
        PatternKind::HasDType(self.clone(), dtype).into()
    }

    pub fn has_shape(&self, dims: Vec<tilewright_expr::Expr>) -> Self {
        PatternKind::HasShape(self.clone(), dims).into()
    }

    pub fn has_attr(&self, attrs: Attrs) -> Self {
        PatternKind::HasAttrs(self.clone(), attrs).into()
    }

    pub fn has_struct_info(&self, info: StructInfo) -> Self {
        PatternKind::HasStructInfo(self.clone(), info).into()
    }

    pub fn same_shape_as(&self, other: &Self) -> Self {
        PatternKind::SameShape(self.clone(), other.clone()).into()
    }

    /// A copy of the pattern that matches an expression of its own; its parts are the same patterns.
    pub fn dup(&self) -> Self {
        (*self.0).clone().into()
    }

    /// This pattern, or what `around` makes of it: the latter where both fit.
    pub fn optional(&self, around: impl FnOnce(&Self) -> Self) -> Self {
        around(self).or(self)
    }

    /// Whether a variable matches because of its bound value, not by itself.
    pub fn matches_bound_value(&self) -> bool {
        match self.kind() {
            PatternKind::Wildcard | PatternKind::Var(_) | PatternKind::DataflowVar(_) | PatternKind::Not(_) => false,
            PatternKind::HasDType(inner, _)
            | PatternKind::HasShape(inner, _)
            | PatternKind::HasStructInfo(inner, _)
            | PatternKind::SameShape(inner, _) => inner.matches_bound_value(),
            PatternKind::Or(a, b) | PatternKind::And(a, b) => a.matches_bound_value() || b.matches_bound_value(),
            _ => true,
        }
    }

    /// The patterns directly inside.
    pub fn parts(&self) -> Vec<&Self> {
        match self.kind() {
            PatternKind::Tuple(fields) | PatternKind::UnorderedTuple(fields) => fields.iter().collect(),
            PatternKind::TupleGet { tuple: one, .. }
            | PatternKind::Not(one)
            | PatternKind::HasDType(one, _)
            | PatternKind::HasShape(one, _)
            | PatternKind::HasAttrs(one, _)
            | PatternKind::HasStructInfo(one, _)
            | PatternKind::SameShape(one, _) => vec![one],
            PatternKind::Call { callee, args } => {
                let callee = match callee {
                    CalleePattern::Value(callee) => Some(callee),
                    CalleePattern::Tir(_) | CalleePattern::DpsPacked(_) | CalleePattern::Packed(_) => None,
                };
                callee.into_iter().chain(args.patterns()).collect()
            }
            PatternKind::Or(a, b) | PatternKind::And(a, b) => vec![a, b],
            PatternKind::Wildcard
            | PatternKind::Op(_)
            | PatternKind::Constant
            | PatternKind::Var(_)
            | PatternKind::DataflowVar(_)
            | PatternKind::GlobalVar(_)
            | PatternKind::ExternFunc(_)
            | PatternKind::Expr(_)
            | PatternKind::Shape(_)
            | PatternKind::Prim(_) => Vec::new(),
        }
    }
}

/// `op(a, b)` of any arguments, then an addition where `with_bias` is given, then the activation where one is named.
pub fn fused_bias_activation(op: &str, with_bias: bool, activation: Option<&str>) -> Result<Pattern, String> {
    let mut pattern = Pattern::op(op)?.call(vec![Pattern::wildcard(), Pattern::wildcard()]);
    if with_bias {
        pattern = Pattern::op("relax.add")?.call(vec![pattern, Pattern::wildcard()]);
    }
    match activation {
        Some(activation) => Ok(Pattern::op(activation)?.call(vec![pattern])),
        None => Ok(pattern),
    }
}
