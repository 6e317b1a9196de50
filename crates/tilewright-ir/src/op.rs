//! What an operator is: its declaration as data, and the constructors that type a call at birth.
//!
//! An [`OpDef`] is a static; the crate `tilewright-ops` holds the table. Script, builders, Python functions, the
//! reference page and the generated tests interpret the declaration; passes ask it for properties.

use std::fmt;
use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{EqCx, HashCx, IrNode, Mapper, Visitor};
use tilewright_tensor::DataType;

use crate::relax::{Callee, Expr, ExprKind, GlobalVar, SeqExpr, StructInfo, TensorShape};
use crate::tir::PrimFunc;
use crate::{Attr, Attrs};

/// What an argument of an operator may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    Tensor,
    /// A tensor, or nothing (an empty tuple).
    OptionalTensor,
    /// A shape value.
    Shape,
}

/// An argument of an operator.
#[derive(Clone, Copy, Debug)]
pub struct ArgDef {
    pub name: &'static str,
    pub kind: ArgKind,
    pub doc: &'static str,
}

/// What an attribute of an operator may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrKind {
    Bool,
    Int,
    Float,
    Str,
    DType,
    Ints,
    /// Integers or `None`.
    OptionalInts,
}

impl AttrKind {
    /// What users are told to write.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Bool => "True or False",
            Self::Int => "an integer",
            Self::Float => "a number",
            Self::Str => "a text",
            Self::DType => "a data type",
            Self::Ints => "integers",
            Self::OptionalInts => "integers or None",
        }
    }
}

/// The value of an attribute that the caller leaves out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AttrDefault {
    Required,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'static str),
    DType(DataType),
}

/// An attribute of an operator.
#[derive(Clone, Copy, Debug)]
pub struct AttrDef {
    pub name: &'static str,
    pub kind: AttrKind,
    pub default: AttrDefault,
    pub doc: &'static str,
}

/// How an operator's loops combine with others'. The order is the order of generality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fusion {
    /// Element by element.
    Elementwise,
    /// Element by element, with dimensions repeated.
    Broadcast,
    /// Each result element from one input element.
    Injective,
    /// A reduction.
    Reduction,
    /// A product or convolution: elementwise work may follow it.
    OutElementwise,
    Opaque,
}

/// How an operator becomes loops.
#[derive(Clone, Copy, Debug)]
pub enum Legalize {
    /// A PrimFunc that computes the call; its parameters are the call's tensor arguments in order, then the results.
    PrimFunc(fn(&OpCall<'_>) -> Result<PrimFunc, InferError>),
    /// The virtual machine does it itself.
    Machine(MachineOp),
}

/// What the virtual machine does itself, for the operators that say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineOp {
    /// `(shape)`, attribute `dtype`: a tensor of its own memory, which may leave the function.
    AllocTensor,
    /// Attribute `bytes`: a piece of the function's arena.
    AllocStorage,
    /// `(storage, shape)`, attributes `offset` (bytes) and `dtype`: a tensor inside a storage.
    TensorInStorage,
    /// `(value)`: the value is not used any more.
    Kill,
}

/// What passes may ask of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// Has no side effect: may stand in a dataflow block, be reordered and dropped.
    pub pure: bool,
    pub fusion: Fusion,
}

/// The declaration of an operator.
#[derive(Debug)]
pub struct OpDef {
    /// The name behind `R.`, such as `nn.relu`.
    pub name: &'static str,
    pub doc: &'static str,
    pub args: &'static [ArgDef],
    pub attrs: &'static [AttrDef],
    pub infer: fn(&InferCx, &OpCall<'_>) -> Result<StructInfo, InferError>,
    pub legalize: Legalize,
    pub properties: Properties,
}

/// A reference to an operator of the table; equal by name.
#[derive(Clone, Copy, Debug)]
pub struct OpRef(pub &'static OpDef);

impl std::ops::Deref for OpRef {
    type Target = OpDef;
    fn deref(&self) -> &OpDef {
        self.0
    }
}

impl PartialEq for OpRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
impl Eq for OpRef {}

impl IrNode for OpRef {
    fn visit_children(&self, _: &mut dyn Visitor) {}
    fn map_children(&self, _: &mut dyn Mapper) -> Option<Self> {
        None
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        self == other || cx.differ()
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.bytes(self.0.name.as_bytes());
    }
}

/// What inference may ask: facts about symbolic dimensions.
#[derive(Debug, Default)]
pub struct InferCx {
    pub analyzer: Analyzer,
}

/// A call that is being typed or legalised: arguments are typed, attributes complete.
#[derive(Clone, Copy, Debug)]
pub struct OpCall<'a> {
    pub op: OpRef,
    pub args: &'a [Expr],
    pub attrs: &'a Attrs,
}

/// The call is wrong; `arg` is the argument to underline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferError {
    pub message: String,
    pub arg: Option<usize>,
}

impl InferError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), arg: None }
    }

    pub fn at(arg: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), arg: Some(arg) }
    }
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InferError {}

impl OpCall<'_> {
    /// What is known of a tensor argument: its shape and element type.
    pub fn tensor(&self, arg: usize) -> Result<(&TensorShape, Option<DataType>), InferError> {
        match self.args.get(arg).map(|a| &a.struct_info) {
            Some(StructInfo::Tensor { shape, dtype }) => Ok((shape, *dtype)),
            other => Err(InferError::at(arg, format!("expected a tensor, found {}", describe(other)))),
        }
    }

    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.get(name)
    }
}

/// A struct info in words, for messages.
pub fn describe(info: Option<&StructInfo>) -> &'static str {
    match info {
        None => "nothing",
        Some(StructInfo::Object) => "an object",
        Some(StructInfo::Prim { .. }) => "a scalar",
        Some(StructInfo::Shape(_)) => "a shape",
        Some(StructInfo::Tensor { .. }) => "a tensor",
        Some(StructInfo::Tuple(_)) => "a tuple",
        Some(StructInfo::Func { .. }) => "a function",
    }
}

fn check_args(op: OpRef, args: &[Expr]) -> Result<(), InferError> {
    if args.len() != op.args.len() {
        let names: Vec<_> = op.args.iter().map(|a| a.name).collect();
        return Err(InferError::new(format!(
            "`{}` takes {} arguments ({}), found {}",
            op.name,
            op.args.len(),
            names.join(", "),
            args.len()
        )));
    }
    for (i, (def, arg)) in op.args.iter().zip(args).enumerate() {
        let fits = match (def.kind, &arg.struct_info) {
            (ArgKind::Tensor | ArgKind::OptionalTensor, StructInfo::Tensor { .. }) => true,
            (ArgKind::OptionalTensor, StructInfo::Tuple(fields)) => fields.is_empty(),
            (ArgKind::Shape, StructInfo::Shape(_)) => true,
            _ => false,
        };
        if !fits {
            let expected = if def.kind == ArgKind::Shape { "a shape" } else { "a tensor" };
            let found = describe(Some(&arg.struct_info));
            return Err(InferError::at(
                i,
                format!("argument `{}` of `{}` must be {expected}, found {found}", def.name, op.name),
            ));
        }
    }
    Ok(())
}

/// The attributes with defaults filled in; unknown names and wrong kinds are errors.
fn complete_attrs(op: OpRef, mut given: Attrs) -> Result<Attrs, InferError> {
    let mut attrs = Attrs::new();
    for def in op.attrs {
        let value = match (given.remove(def.name), def.default) {
            (Some(value), _) => value,
            (None, AttrDefault::Required) => {
                return Err(InferError::new(format!("`{}` needs the attribute `{}`", op.name, def.name)));
            }
            (None, AttrDefault::None) => Attr::None,
            (None, AttrDefault::Bool(value)) => Attr::Bool(value),
            (None, AttrDefault::Int(value)) => Attr::Int(value),
            (None, AttrDefault::Float(value)) => Attr::Float(tilewright_expr::node::FloatBits(value)),
            (None, AttrDefault::Str(value)) => Attr::str(value),
            (None, AttrDefault::DType(value)) => Attr::DType(value),
        };
        attrs.insert(def.name.into(), fit_attr(op, def, value)?);
    }
    match given.keys().next() {
        None => Ok(attrs),
        Some(unknown) => Err(InferError::new(format!("`{}` has no attribute `{unknown}`", op.name))),
    }
}

/// The value in the attribute's own kind.
fn fit_attr(op: OpRef, def: &AttrDef, value: Attr) -> Result<Attr, InferError> {
    let fitted = match (def.kind, &value) {
        (AttrKind::Bool, Attr::Bool(_))
        | (AttrKind::Int, Attr::Int(_))
        | (AttrKind::Float, Attr::Float(_))
        | (AttrKind::Str, Attr::Str(_))
        | (AttrKind::DType, Attr::DType(_))
        | (AttrKind::OptionalInts, Attr::None) => Some(value.clone()),
        (AttrKind::Float, Attr::Int(v)) => Some(Attr::Float(tilewright_expr::node::FloatBits(*v as f64))),
        (AttrKind::DType, Attr::Str(text)) => text.parse().ok().map(Attr::DType),
        (AttrKind::DType, Attr::None) => Some(Attr::DType(DataType::VOID)),
        (AttrKind::Ints | AttrKind::OptionalInts, _) => {
            value.as_ints().map(|ints| Attr::Array(ints.into_iter().map(Attr::Int).collect()))
        }
        _ => None,
    };
    fitted.ok_or_else(|| {
        let (expected, found) = (def.kind.in_words(), value.in_words());
        InferError::new(format!("attribute `{}` of `{}` must be {expected}, found {found}", def.name, op.name))
    })
}

/// The attribute of a call of a function value that says that the call has no side effect.
const PURE: &str = "pure";

/// Whether the caller of a function value says that the call has no side effect.
pub fn is_said_pure(attrs: &Attrs) -> bool {
    matches!(attrs.get(PURE), Some(Attr::Bool(true)))
}

/// Calls. Each checks its arguments and works out the result's struct info.
impl Expr {
    pub fn call_op(cx: &InferCx, op: OpRef, args: Vec<Self>, attrs: Attrs) -> Result<Self, InferError> {
        check_args(op, &args)?;
        let attrs = complete_attrs(op, attrs)?;
        let struct_info = (op.infer)(cx, &OpCall { op, args: &args, attrs: &attrs })?;
        Ok(Self::raw(struct_info, ExprKind::Call { callee: Callee::Op(op), args, attrs, sinfo_args: Vec::new() }))
    }

    /// `R.call_tir`: `out` says which results to allocate.
    pub fn call_tir(
        cx: &InferCx,
        function: GlobalVar,
        args: Vec<Self>,
        out: Vec<StructInfo>,
    ) -> Result<Self, InferError> {
        check_dps_result(&out)?;
        if let StructInfo::Func { params: Some(params), .. } = &function.signature {
            let infos: Vec<_> = args.iter().map(|a| &a.struct_info).chain(&out).collect();
            check_against(cx, &format!("PrimFunc `{}`", function.name), params, &infos)?;
        }
        let struct_info = dps_result(&out);
        Ok(Self::raw(
            struct_info,
            ExprKind::Call { callee: Callee::Tir(function), args, attrs: Attrs::new(), sinfo_args: out },
        ))
    }

    /// `R.call_dps_packed`: `out` says which results to allocate.
    pub fn call_dps_packed(
        name: impl Into<Arc<str>>,
        args: Vec<Self>,
        out: Vec<StructInfo>,
    ) -> Result<Self, InferError> {
        check_dps_result(&out)?;
        let callee = Callee::DpsPacked(name.into());
        Ok(Self::raw(dps_result(&out), ExprKind::Call { callee, args, attrs: Attrs::new(), sinfo_args: out }))
    }

    /// `R.call_packed`: the result is what `sinfo_args` says (nothing said: any object).
    pub fn call_packed(name: impl Into<Arc<str>>, args: Vec<Self>, sinfo_args: Vec<StructInfo>) -> Self {
        let struct_info = match sinfo_args.as_slice() {
            [] => StructInfo::Object,
            [one] => one.clone(),
            many => StructInfo::Tuple(many.to_vec()),
        };
        let callee = Callee::Packed(name.into());
        Self::raw(struct_info, ExprKind::Call { callee, args, attrs: Attrs::new(), sinfo_args })
    }

    /// A call of a function value. Symbolic dimensions of the callee's parameters are replaced by the arguments'.
    pub fn call_value(cx: &InferCx, callee: Self, args: Vec<Self>) -> Result<Self, InferError> {
        let StructInfo::Func { params, ret, .. } = &callee.struct_info else {
            return Err(InferError::new(format!(
                "expected a function to call, found {}",
                describe(Some(&callee.struct_info))
            )));
        };
        let struct_info = match params {
            Some(params) => {
                let infos: Vec<_> = args.iter().map(|a| &a.struct_info).collect();
                let bound = check_against(cx, "the function", params, &infos)?;
                substitute_dims(ret, &bound)
            }
            None => (**ret).clone(),
        };
        let kind = ExprKind::Call { callee: Callee::Value(callee), args, attrs: Attrs::new(), sinfo_args: Vec::new() };
        Ok(Self::raw(struct_info, kind))
    }

    /// `R.invoke_closure`: a call of a function value whose result is what `sinfo_args` says. With `pure`,
    /// `R.invoke_pure_closure`: the caller also says that the call has no side effect.
    pub fn invoke_closure(
        cx: &InferCx,
        callee: Self,
        args: Vec<Self>,
        sinfo_args: Vec<StructInfo>,
        pure: bool,
    ) -> Result<Self, InferError> {
        match &callee.struct_info {
            StructInfo::Func { params: Some(params), .. } => {
                let infos: Vec<_> = args.iter().map(|a| &a.struct_info).collect();
                check_against(cx, "the function", params, &infos)?;
            }
            StructInfo::Func { params: None, .. } | StructInfo::Object => {}
            other => {
                let found = describe(Some(other));
                return Err(InferError::new(format!("expected a function to call, found {found}")));
            }
        }
        let struct_info = match sinfo_args.as_slice() {
            [] => return Err(InferError::new("a call of a closure needs the struct info of its result")),
            [one] => one.clone(),
            many => StructInfo::Tuple(many.to_vec()),
        };
        let attrs = if pure { Attrs::from_iter([(PURE.into(), Attr::Bool(true))]) } else { Attrs::new() };
        Ok(Self::raw(struct_info, ExprKind::Call { callee: Callee::Value(callee), args, attrs, sinfo_args }))
    }

    pub fn tuple_get(tuple: Self, index: usize) -> Result<Self, InferError> {
        match &tuple.struct_info {
            StructInfo::Tuple(fields) => match fields.get(index) {
                Some(info) => Ok(Self::raw(info.clone(), ExprKind::TupleGet { tuple: tuple.clone(), index })),
                None => Err(InferError::new(format!("a tuple of {} fields has no field {index}", fields.len()))),
            },
            other => Err(InferError::new(format!("expected a tuple, found {}", describe(Some(other))))),
        }
    }

    /// A conditional; its struct info is what both branches have, or only `Object`.
    pub fn conditional(condition: Self, then: SeqExpr, otherwise: SeqExpr) -> Result<Self, InferError> {
        match condition.struct_info.dtype() {
            Some(dtype) if dtype.is_bool() && condition.struct_info.rank().unwrap_or(0) == 0 => {}
            _ => return Err(InferError::at(0, "a condition must be a scalar bool")),
        }
        let (a, b) = (&then.result.struct_info, &otherwise.result.struct_info);
        let struct_info = if a.equal(b) { a.clone() } else { common(a, b) };
        Ok(Self::raw(struct_info, ExprKind::If { condition, then, otherwise }))
    }

    /// Whether evaluating this expression, itself and not its operands' bindings, has no side effect.
    pub fn is_pure(&self) -> bool {
        match &self.kind {
            ExprKind::Call { callee, attrs, .. } => match callee {
                Callee::Op(op) => op.properties.pure,
                Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_) => true,
                Callee::Packed(_) => false,
                Callee::Value(f) => is_said_pure(attrs) || matches!(f.struct_info, StructInfo::Func { pure: true, .. }),
            },
            ExprKind::If { then, otherwise, .. } => [then, otherwise].iter().all(|seq| {
                seq.blocks.iter().flat_map(|b| &b.bindings).all(|b| match &b.value {
                    crate::relax::BindingValue::Expr(e) => e.is_pure(),
                    crate::relax::BindingValue::MatchCast { value, .. } => value.is_pure(),
                })
            }),
            _ => true,
        }
    }
}

pub(crate) fn check_dps_result(out: &[StructInfo]) -> Result<(), InferError> {
    if out.is_empty() {
        return Err(InferError::new(
            "a call in destination-passing style needs the struct info of at least one result",
        ));
    }
    match out.iter().find(|info| info.dims().is_none() || info.dtype().is_none()) {
        None => Ok(()),
        Some(_) => {
            Err(InferError::new("a result in destination-passing style must be a tensor of known shape and dtype"))
        }
    }
}

pub(crate) fn dps_result(out: &[StructInfo]) -> StructInfo {
    if let [one] = out { one.clone() } else { StructInfo::Tuple(out.to_vec()) }
}

/// The most that is true of a value that has one or the other info.
fn common(a: &StructInfo, b: &StructInfo) -> StructInfo {
    match (a, b) {
        (StructInfo::Tensor { dtype: x, .. }, StructInfo::Tensor { dtype: y, .. }) => StructInfo::Tensor {
            shape: match (a.rank(), b.rank()) {
                (Some(m), Some(n)) if m == n => TensorShape::Rank(m),
                _ => TensorShape::Unknown,
            },
            dtype: x.filter(|x| Some(*x) == *y),
        },
        (StructInfo::Tuple(x), StructInfo::Tuple(y)) if x.len() == y.len() => {
            StructInfo::Tuple(x.iter().zip(y).map(|(x, y)| common(x, y)).collect())
        }
        _ => StructInfo::Object,
    }
}

/// What each symbolic dimension of a callee is at a call.
pub type DimBindings = Vec<(tilewright_expr::Var, tilewright_expr::Expr)>;

/// The info with symbolic dimensions replaced.
pub fn substitute_dims(info: &StructInfo, bound: &DimBindings) -> StructInfo {
    let replace = |e: &tilewright_expr::Expr| {
        e.as_var().and_then(|v| bound.iter().find(|(var, _)| var == v)).map(|(_, value)| value.clone())
    };
    tilewright_expr::node::rewrite(info, replace).unwrap_or_else(|| info.clone())
}

/// Checks argument infos against parameter infos; what is not known at compile time is left to run time.
pub fn check_against(
    cx: &InferCx,
    callee: &str,
    params: &[StructInfo],
    args: &[&StructInfo],
) -> Result<DimBindings, InferError> {
    if params.len() != args.len() {
        return Err(InferError::new(format!("{callee} takes {} arguments, found {}", params.len(), args.len())));
    }
    let mut bound = DimBindings::new();
    for (i, (param, arg)) in params.iter().zip(args).enumerate() {
        check_one(cx, callee, i, param, arg, &mut bound)?;
    }
    Ok(bound)
}

fn check_one(
    cx: &InferCx,
    callee: &str,
    i: usize,
    param: &StructInfo,
    arg: &StructInfo,
    bound: &mut DimBindings,
) -> Result<(), InferError> {
    let wrong = |what: String| Err(InferError::at(i, format!("argument {i} of {callee}: {what}")));
    match (param, arg) {
        (StructInfo::Object, _) | (_, StructInfo::Object) => Ok(()),
        (StructInfo::Tensor { dtype: p, .. }, StructInfo::Tensor { dtype: a, .. }) => {
            if let (Some(p), Some(a)) = (p, a)
                && p != a
            {
                return wrong(format!("expected dtype {p}, found {a}"));
            }
            check_dims(cx, param, arg, bound).or_else(wrong)
        }
        (StructInfo::Shape(_), StructInfo::Shape(_)) => check_dims(cx, param, arg, bound).or_else(wrong),
        (StructInfo::Prim { dtype: p, .. }, StructInfo::Prim { dtype: a, .. }) if p == a => Ok(()),
        (StructInfo::Tuple(p), StructInfo::Tuple(a)) if p.len() == a.len() => {
            p.iter().zip(a).try_for_each(|(p, a)| check_one(cx, callee, i, p, a, bound))
        }
        (StructInfo::Func { .. }, StructInfo::Func { .. }) => Ok(()),
        _ => wrong(format!("expected {}, found {}", describe(Some(param)), describe(Some(arg)))),
    }
}

fn check_dims(cx: &InferCx, param: &StructInfo, arg: &StructInfo, bound: &mut DimBindings) -> Result<(), String> {
    if let (Some(p), Some(a)) = (param.rank(), arg.rank())
        && p != a
    {
        return Err(format!("expected {p} dimensions, found {a}"));
    }
    let (Some(params), Some(args)) = (param.dims(), arg.dims()) else { return Ok(()) };
    for (axis, (p, a)) in params.iter().zip(args).enumerate() {
        if let Some(var) = p.as_var()
            && !bound.iter().any(|(v, _)| v == var)
        {
            bound.push((var.clone(), a.clone()));
            continue;
        }
        let expected = tilewright_expr::node::rewrite(p, |e: &tilewright_expr::Expr| {
            e.as_var().and_then(|v| bound.iter().find(|(var, _)| var == v)).map(|(_, value)| value.clone())
        });
        let expected = expected.as_ref().unwrap_or(p);
        if cx.analyzer.prove_different(expected, a) {
            let (expected, found) = (cx.analyzer.simplify(expected), cx.analyzer.simplify(a));
            return Err(match (expected.as_int(), found.as_int()) {
                (Some(e), Some(f)) => format!("expected {e} in dimension {axis}, found {f}"),
                _ => format!("dimension {axis} can never be what is expected"),
            });
        }
    }
    Ok(())
}
