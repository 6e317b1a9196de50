//! `LazyTransformParams`: weights are fetched when they are needed and handed over when they are computed.
//!
//! ```text
//! def main_transform_params(params):      def main_transform_params():
//!     w = params[0]                           w = call_packed("get_item", 0); w = match_cast(w, …)
//!     t = permute_dims(w)            ⇒        t = permute_dims(w)
//!     return (t,)                             call_packed("set_item", 0, t)
//!                                             return ()
//! ```
//!
//! From any form to any form. The pass changes functions whose names end in `transform_params`, which
//! `LiftTransformParams` makes: not all weights are in memory at the same time. A weight whose type says a symbolic
//! dimension is fetched first of all, since others may speak of it. The build frees what is not needed any more, see
//! `KillAfterLastUse`.
//!
//! The functions are found by name when they are called: that which fetches gets the number of the weight, that which
//! takes gets the number of the result and the value.

use std::sync::Arc;

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::analysis::definable_dims;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, SeqExpr, StructInfo, Var, attr_names,
};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostics, Map, Origins, Set};

use crate::normalize::normalized;
use crate::sequence::bound_value;
use crate::to_non_dataflow::plain;

/// Fetches weights one by one.
#[derive(Clone, Debug)]
pub struct LazyTransformParams {
    /// The name of the function that fetches a weight.
    pub fget_item: Arc<str>,
    /// The name of the function that takes a result; without one, the function returns them.
    pub fset_item: Option<Arc<str>>,
}

const NAME: &str = "LazyTransformParams";
const SUFFIX: &str = "transform_params";

impl LazyTransformParams {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Functions that transform weights fetch each when it is needed.",
        params: &[
            ParamDef {
                name: "fget_item",
                kind: ParamKind::Str,
                default: AttrDefault::Str("get_item"),
                doc: "The name of the packed function that gives a weight for its number.",
            },
            ParamDef {
                name: "fset_item",
                kind: ParamKind::OptionalStr,
                default: AttrDefault::Str("set_item"),
                doc: "The name of the packed function that takes the number of a result and the result; `None`: the function \
                      returns them.",
            },
        ],
        make: |args| {
            let fget_item = args.text("fget_item").unwrap_or_default().into();
            Ok(Arc::new(Self { fget_item, fset_item: args.text("fset_item").map(Into::into) }))
        },
    };
}

impl Pass for LazyTransformParams {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut changed = module.clone();
        let mut diagnostics = Diagnostics::default();
        for (name, function) in module.iter() {
            if let GlobalFunc::Relax(function) = function
                && name.ends_with(SUFFIX)
            {
                let function = plain(&normalized(function), &mut diagnostics);
                changed.insert(name.clone(), Lazy::of(self, &function).function(&function));
            }
        }
        if diagnostics.has_errors() { Err(PassError { pass: NAME, diagnostics }) } else { Ok(changed) }
    }
}

/// A weight: a parameter, or a field of the tuple that is one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Weight {
    param: VarId,
    field: Option<usize>,
}

/// A function under construction.
struct Lazy<'p> {
    pass: &'p LazyTransformParams,
    /// The weights with their numbers and types.
    weights: Vec<(Weight, Var)>,
    fetched: Set<usize>,
    /// Those that have the variable which the function gave them.
    named: Set<usize>,
    /// The numbers of the results that a variable is.
    results: Map<VarId, Vec<usize>>,
    out: Vec<Binding>,
}

impl<'p> Lazy<'p> {
    fn of(pass: &'p LazyTransformParams, function: &Function) -> Self {
        let mut weights = Vec::new();
        for param in &function.params {
            match &param.struct_info {
                StructInfo::Tuple(fields) => weights.extend(fields.iter().enumerate().map(|(at, info)| {
                    let weight = Weight { param: param.id(), field: Some(at) };
                    (weight, Var::new(format!("{}_{at}", param.name), info.clone()))
                })),
                _ => weights.push((Weight { param: param.id(), field: None }, param.clone())),
            }
        }
        Self { pass, weights, fetched: Set::default(), named: Set::default(), results: Map::default(), out: Vec::new() }
    }

    fn function(mut self, function: &Function) -> Function {
        let fields = fields_of(function);
        if self.pass.fset_item.is_some() {
            for (number, field) in fields.iter().enumerate() {
                if let Some(var) = field.as_var() {
                    self.results.entry(var.id()).or_default().push(number);
                }
            }
        }
        for number in 0..self.weights.len() {
            if !definable_dims(&self.weights[number].1.struct_info).is_empty() {
                self.fetch(number, &function.origins);
            }
        }
        let returned = function.body.result.as_var().filter(|_| self.pass.fset_item.is_some()).map(Var::id);
        for binding in function.body.blocks.iter().flat_map(|block| &block.bindings) {
            // The tuple of the results would keep them all.
            let is_result = Some(binding.var.id()) == returned
                && bound_value(binding).is_some_and(|value| matches!(value.kind, ExprKind::Tuple(_)));
            if !is_result || is_used(&function.body, &binding.var) {
                self.binding(binding);
            }
        }
        let result = match self.pass.fset_item {
            Some(_) => self.handed_over(&fields, &function.origins),
            None => self.in_terms_of_weights(&function.body.result, &function.origins),
        };
        let ret = if self.pass.fset_item.is_some() { StructInfo::Tuple(Vec::new()) } else { function.ret.clone() };
        let mut attrs = function.attrs.clone();
        attrs.remove(attr_names::NUM_INPUT);
        let blocks = vec![BindingBlock { dataflow: false, bindings: self.out }];
        let blocks = blocks.into_iter().filter(|block| !block.bindings.is_empty()).collect();
        let body = SeqExpr { blocks, result };
        Function { params: Vec::new(), body, ret, pure: false, attrs, ..function.clone() }
    }

    fn binding(&mut self, binding: &Binding) {
        if let Some(number) = self.weight_of(binding)
            && !self.fetched.contains(&number)
            && self.named.insert(number)
        {
            // The variable is the weight's, whose value comes when something uses it.
            self.weights[number].1 = binding.var.clone();
            return;
        }
        let mut binding = binding.clone();
        let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &mut binding.value;
        *value = self.in_terms_of_weights(value, &binding.origins);
        let (var, origins) = (binding.var.clone(), binding.origins.clone());
        self.out.push(binding);
        self.hand_over(&var, &origins);
    }

    /// The number of the weight whose field of a parameter the binding takes.
    fn weight_of(&self, binding: &Binding) -> Option<usize> {
        let ExprKind::TupleGet { tuple, index } = &bound_value(binding)?.kind else { return None };
        let weight = Weight { param: tuple.as_var()?.id(), field: Some(*index) };
        let number = self.weights.iter().position(|(known, _)| *known == weight)?;
        self.weights[number].1.struct_info.equal(&binding.var.struct_info).then_some(number)
    }

    /// Hands the variable over, if it is a result.
    fn hand_over(&mut self, var: &Var, origins: &Origins) {
        for number in self.results.remove(&var.id()).unwrap_or_default() {
            self.set(number, Expr::var(var), origins);
        }
    }

    /// The results that have not been handed over yet: constants, fields of a tuple that is computed as one, weights.
    fn handed_over(&mut self, fields: &[Expr], origins: &Origins) -> Expr {
        for (number, field) in fields.iter().enumerate() {
            let waits = |var: &Var| self.results.get(&var.id()).is_some_and(|numbers| numbers.contains(&number));
            if field.as_var().is_none_or(waits) {
                let value = self.in_terms_of_weights(field, origins);
                self.set(number, value, origins);
            }
        }
        Expr::tuple(Vec::new())
    }

    fn set(&mut self, number: usize, value: Expr, origins: &Origins) {
        if let Some(name) = &self.pass.fset_item {
            let number = Expr::prim(tilewright_expr::Expr::i64(number as i64));
            let call = Expr::call_packed(name.clone(), vec![number, value], vec![StructInfo::Object]);
            self.out.push(Binding::new(Var::new("_", StructInfo::Object), call, origins.clone()));
        }
    }

    /// The variable of a weight, which is fetched before its first use.
    fn fetch(&mut self, number: usize, origins: &Origins) -> Var {
        let var = self.weights[number].1.clone();
        if self.fetched.insert(number) {
            let at = Expr::prim(tilewright_expr::Expr::i64(number as i64));
            let call = Expr::call_packed(self.pass.fget_item.clone(), vec![at], vec![StructInfo::Object]);
            let item = Var::new("item", StructInfo::Object);
            self.out.push(Binding::new(item.clone(), call, origins.clone()));
            let struct_info = var.struct_info.clone();
            let value = BindingValue::MatchCast { value: Expr::var(&item), struct_info };
            self.out.push(Binding { var: var.clone(), value, origins: origins.clone() });
        }
        var
    }

    /// The value with variables of weights for the parameters.
    fn in_terms_of_weights(&mut self, value: &Expr, origins: &Origins) -> Expr {
        let numbers = |found: &dyn Fn(&Weight) -> bool| -> Vec<usize> {
            let numbers = self.weights.iter().enumerate().filter(|(_, (weight, _))| found(weight));
            numbers.map(|(number, _)| number).collect()
        };
        let of_expr = |expr: &Expr| match &expr.kind {
            ExprKind::TupleGet { tuple, index } => {
                let param = tuple.as_var()?.id();
                numbers(&|weight| weight.param == param && weight.field == Some(*index)).first().copied()
            }
            _ => None,
        };
        let mut needed: Vec<usize> = Vec::new();
        let fields = rewrite(value, |expr: &Expr| of_expr(expr).map(|number| Expr::var(&self.weights[number].1)));
        let fields = fields.unwrap_or_else(|| value.clone());
        let whole = rewrite(&fields, |expr: &Expr| {
            let param = expr.as_var()?.id();
            let own = numbers(&|weight| weight.param == param && weight.field.is_some());
            (!own.is_empty()).then(|| Expr::tuple(own.iter().map(|&at| Expr::var(&self.weights[at].1)).collect()))
        });
        let changed = whole.unwrap_or(fields);
        walk(&changed, |var: &Var| {
            needed.extend(self.weights.iter().position(|(_, own)| own == var));
        });
        for number in needed {
            self.fetch(number, origins);
        }
        changed
    }
}

/// The results of the function, field by field.
fn fields_of(function: &Function) -> Vec<Expr> {
    let result = &function.body.result;
    let bound = || {
        let mut bindings = function.body.blocks.iter().flat_map(|block| &block.bindings);
        let binding = bindings.find(|binding| Some(&binding.var) == result.as_var())?;
        bound_value(binding).cloned()
    };
    let value = bound().unwrap_or_else(|| result.clone());
    match (&value.kind, &result.struct_info) {
        (ExprKind::Tuple(fields), _) => fields.clone(),
        (_, StructInfo::Tuple(infos)) => {
            (0..infos.len()).filter_map(|at| Expr::tuple_get(result.clone(), at).ok()).collect()
        }
        _ => vec![result.clone()],
    }
}

/// Whether anything but the result of the sequence uses the variable.
fn is_used(body: &SeqExpr, var: &Var) -> bool {
    let mut used = false;
    let bindings = body.blocks.iter().flat_map(|block| &block.bindings);
    bindings.for_each(|binding| walk(&binding.value, |other: &Var| used |= other == var));
    used
}
