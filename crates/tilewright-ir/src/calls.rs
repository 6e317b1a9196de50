//! Calls: the constructors that type a call at birth, and the attributes of a call besides callee and arguments.
//!
//! The rarer calls between the levels are the frequent ones with an attribute:
//!
//! | call | callee | attributes |
//! |---|---|---|
//! | `call_tir(…, tir_vars=…)` | [`Callee::Tir`], [`Callee::TirInplace`] | `tir_vars`: scalars that the PrimFunc takes after its buffers |
//! | `call_tir_with_grad` | [`Callee::Tir`] | `te_grad_name`, `te_grad_kwargs`: the function that differentiates it |
//! | `call_pure_packed` | [`Callee::Packed`] | `pure`: the caller says that the call has no side effect |
//! | `call_inplace_packed` | [`Callee::Packed`] | `inplace_indices`: for each result the argument that it overwrites, -1 for none; these arguments are dead |
//! | `call_builtin_with_ctx` | [`Callee::Packed`] | `with_ctx`: before its arguments the function gets an object that represents the machine that runs the call |
//! | `invoke_pure_closure` | [`Callee::Value`] | `pure` |
//!
//! A call of an operator has the attributes of its declaration, and every other call has none.

use std::sync::Arc;

use tilewright_expr as scalar;

use crate::inplace::check_inplace;
use crate::matching::{check_against, common, substitute_dims};
use crate::op::{
    InferCx, InferError, OpCall, OpRef, check_args, common_device, complete_attrs, describe, resolve_shapes,
};
use crate::relax::{BindingValue, Callee, Expr, ExprKind, GlobalVar, SeqExpr, StructInfo};
use crate::{Attr, Attrs};

/// The names of the attributes that calls of no operator may have.
pub mod names {
    /// See [`is_said_pure`](super::is_said_pure).
    pub const PURE: &str = "pure";
    /// See [`packed_inplace`](super::packed_inplace).
    pub const INPLACE_INDICES: &str = "inplace_indices";
    /// See [`takes_context`](super::takes_context).
    pub const WITH_CTX: &str = "with_ctx";
    /// See [`tir_vars`](super::tir_vars).
    pub const TIR_VARS: &str = "tir_vars";
    /// The function that differentiates the call, by its name.
    pub const TE_GRAD_NAME: &str = "te_grad_name";
    /// The arguments of that function by name.
    pub const TE_GRAD_KWARGS: &str = "te_grad_kwargs";
}

/// Whether the caller of a packed function or a function value says that the call has no side effect.
pub fn is_said_pure(attrs: &Attrs) -> bool {
    matches!(attrs.get(names::PURE), Some(Attr::Bool(true)))
}

/// Whether a packed function gets the machine that runs the call as its first argument.
pub fn takes_context(attrs: &Attrs) -> bool {
    matches!(attrs.get(names::WITH_CTX), Some(Attr::Bool(true)))
}

/// For each result of a call of a packed function the argument that it overwrites; `None` if it is no call in place.
pub fn packed_inplace(attrs: &Attrs) -> Option<Vec<Option<usize>>> {
    let indices = attrs.get(names::INPLACE_INDICES)?.as_ints()?;
    Some(indices.into_iter().map(|index| usize::try_from(index).ok()).collect())
}

/// The scalars that a PrimFunc gets after the arguments and destinations of a call.
pub fn tir_vars(attrs: &Attrs) -> Vec<scalar::Expr> {
    match attrs.get(names::TIR_VARS) {
        Some(Attr::Array(vars)) => vars.iter().filter_map(as_scalar).collect(),
        _ => Vec::new(),
    }
}

fn as_scalar(attr: &Attr) -> Option<scalar::Expr> {
    match attr {
        Attr::Expr(expr) => Some(expr.clone()),
        Attr::Int(value) => Some(scalar::Expr::i64(*value)),
        _ => None,
    }
}

/// Whether a call of this callee may have the attribute, with a value of this sort.
pub(crate) fn may_have(callee: &Callee, name: &str, value: &Attr) -> bool {
    match (callee, name) {
        (Callee::Tir(_) | Callee::TirInplace { .. }, names::TIR_VARS) => {
            matches!(value, Attr::Array(vars) if !vars.is_empty() && vars.iter().all(|var| as_scalar(var).is_some()))
        }
        (Callee::Tir(_), names::TE_GRAD_NAME) => matches!(value, Attr::Str(_)),
        (Callee::Tir(_), names::TE_GRAD_KWARGS) => matches!(value, Attr::Map(_)),
        (Callee::Packed(_) | Callee::Value(_), names::PURE) | (Callee::Packed(_), names::WITH_CTX) => {
            matches!(value, Attr::Bool(true))
        }
        (Callee::Packed(_), names::INPLACE_INDICES) => value.as_ints().is_some(),
        _ => false,
    }
}

/// The attributes of a call of a PrimFunc besides arguments and destinations.
#[derive(Clone, Debug, Default)]
pub struct TirCall {
    /// Scalars after the destinations.
    pub tir_vars: Vec<scalar::Expr>,
    /// The function that differentiates the call, and what it gets by name.
    pub te_grad: Option<(Arc<str>, Attrs)>,
}

impl TirCall {
    /// Decodes the attributes of a call.
    pub fn of(attrs: &Attrs) -> Self {
        let kwargs = match attrs.get(names::TE_GRAD_KWARGS) {
            Some(Attr::Map(kwargs)) => kwargs.clone(),
            _ => Attrs::new(),
        };
        let te_grad = match attrs.get(names::TE_GRAD_NAME) {
            Some(Attr::Str(name)) => Some((name.clone(), kwargs)),
            _ => None,
        };
        Self { tir_vars: tir_vars(attrs), te_grad }
    }
}

/// Calls of operators. Each checks its arguments and works out the result's struct info.
impl Expr {
    pub fn call_op(cx: &InferCx, op: OpRef, mut args: Vec<Self>, attrs: Attrs) -> Result<Self, InferError> {
        check_args(op, &args)?;
        let attrs = complete_attrs(op, attrs)?;
        let struct_info = (op.infer)(cx, &OpCall { op, args: &args, attrs: &attrs })?;
        resolve_shapes(op, &mut args, &struct_info)?;
        let struct_info = match common_device(op, &args)? {
            Some(device) => struct_info.on_device(device),
            None => struct_info,
        };
        Ok(Self::raw(struct_info, ExprKind::Call { callee: Callee::Op(op), args, attrs, sinfo_args: Vec::new() }))
    }
}

/// Calls of PrimFuncs.
impl Expr {
    /// `R.call_tir`: `out` says which results to allocate.
    pub fn call_tir(
        cx: &InferCx,
        function: GlobalVar,
        args: Vec<Self>,
        out: Vec<StructInfo>,
    ) -> Result<Self, InferError> {
        Self::call_tir_with(cx, function, args, out, TirCall::default())
    }

    /// `R.call_tir` with scalars after the destinations, or `R.call_tir_with_grad`.
    pub fn call_tir_with(
        cx: &InferCx,
        function: GlobalVar,
        args: Vec<Self>,
        out: Vec<StructInfo>,
        said: TirCall,
    ) -> Result<Self, InferError> {
        check_dps_result(&out)?;
        let scalars: Vec<StructInfo> = said.tir_vars.iter().map(scalar_info).collect();
        if let StructInfo::Func { params: Some(params), .. } = &function.signature {
            let infos: Vec<_> = args.iter().map(|a| &a.struct_info).chain(&out).chain(&scalars).collect();
            check_against(cx, &format!("PrimFunc `{}`", function.name), params, &infos)?;
        }
        let mut attrs = vars_attrs(said.tir_vars);
        if let Some((name, kwargs)) = said.te_grad {
            attrs.insert(names::TE_GRAD_NAME.into(), Attr::Str(name));
            attrs.insert(names::TE_GRAD_KWARGS.into(), Attr::Map(kwargs));
        }
        let callee = Callee::Tir(function);
        Ok(Self::raw(dps_result(&out), ExprKind::Call { callee, args, attrs, sinfo_args: out }))
    }
}

pub(crate) fn vars_attrs(vars: Vec<scalar::Expr>) -> Attrs {
    if vars.is_empty() {
        return Attrs::new();
    }
    Attrs::from([(names::TIR_VARS.into(), Attr::Array(vars.into_iter().map(Attr::Expr).collect()))])
}

/// The kind of a scalar argument of a PrimFunc.
pub fn scalar_info(value: &scalar::Expr) -> StructInfo {
    StructInfo::Prim { dtype: value.dtype, value: Some(value.clone()) }
}

/// The caller's declaration of the result: none, one value, or the fields of a tuple.
pub fn said_result(sinfo_args: &[StructInfo]) -> Option<StructInfo> {
    match sinfo_args {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(StructInfo::Tuple(many.to_vec())),
    }
}

/// Calls of functions that are registered with the runtime.
impl Expr {
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
        Self::packed(name.into(), args, sinfo_args, Attrs::new())
    }

    /// `R.call_pure_packed`: the caller says that the call has no side effect.
    pub fn call_pure_packed(name: impl Into<Arc<str>>, args: Vec<Self>, sinfo_args: Vec<StructInfo>) -> Self {
        Self::packed(name.into(), args, sinfo_args, Attrs::from([(names::PURE.into(), Attr::Bool(true))]))
    }

    /// `R.call_inplace_packed`: of each result the argument that it overwrites, if one.
    pub fn call_inplace_packed(
        cx: &InferCx,
        name: impl Into<Arc<str>>,
        args: Vec<Self>,
        results: &[Option<usize>],
        sinfo_args: Vec<StructInfo>,
    ) -> Result<Self, InferError> {
        check_inplace(cx, &args, results, &sinfo_args)?;
        let indices = results.iter().map(|index| Attr::Int(index.map_or(-1, |index| index as i64)));
        let attrs = Attrs::from([(names::INPLACE_INDICES.into(), Attr::Array(indices.collect()))]);
        Ok(Self::packed(name.into(), args, sinfo_args, attrs))
    }

    /// `R.call_builtin_with_ctx`: the function gets the machine that runs the call before its arguments.
    pub fn call_builtin_with_ctx(name: impl Into<Arc<str>>, args: Vec<Self>, sinfo_args: Vec<StructInfo>) -> Self {
        Self::packed(name.into(), args, sinfo_args, Attrs::from([(names::WITH_CTX.into(), Attr::Bool(true))]))
    }

    fn packed(name: Arc<str>, args: Vec<Self>, sinfo_args: Vec<StructInfo>, attrs: Attrs) -> Self {
        let struct_info = said_result(&sinfo_args).unwrap_or(StructInfo::Object);
        Self::raw(struct_info, ExprKind::Call { callee: Callee::Packed(name), args, attrs, sinfo_args })
    }
}

/// Calls of function values, and what is no call.
impl Expr {
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
        let Some(struct_info) = said_result(&sinfo_args) else {
            return Err(InferError::new("a call of a closure needs the struct info of its result"));
        };
        let attrs = if pure { Attrs::from([(names::PURE.into(), Attr::Bool(true))]) } else { Attrs::new() };
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
                Callee::Packed(_) => is_said_pure(attrs) || packed_inplace(attrs).is_some(),
                Callee::Value(f) => is_said_pure(attrs) || matches!(f.struct_info, StructInfo::Func { pure: true, .. }),
            },
            ExprKind::If { then, otherwise, .. } => [then, otherwise].iter().all(|seq| {
                seq.blocks.iter().flat_map(|b| &b.bindings).all(|b| match &b.value {
                    BindingValue::Expr(e) => e.is_pure(),
                    BindingValue::MatchCast { value, .. } => value.is_pure(),
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
