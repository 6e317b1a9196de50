//! `LiftTransformParams`: computations on weights alone run once, before the first run.
//!
//! ```text
//! def main(x, w):  # num_input = 1        def main_transform_params(params): return (permute_dims(params[0]),)
//!     t = permute_dims(w)             ⇒   def main(x, t): return matmul(x, t)
//!     return matmul(x, t)
//! ```
//!
//! From any form to any form. The pass changes functions with the attribute `num_input`: how many of their first
//! parameters are the inputs of a run; the others are weights. Bindings without side effects that use nothing but
//! weights and constants, and whose value is a tensor or a tuple of such, move into a function that takes the tuple of
//! all weights and gives the tuple of the values that the rest needs: weights that are used as they are, in their
//! order, then computed ones. These become the parameters after the inputs. Bindings after `R.builtin.stop_lift_params`
//! stay, as do functions that others of the module call.
//!
//! With `shared_transform`, one function `transform_params` serves all functions of the module, or those that are
//! named: they have the same weights, only what all of them compute moves, and all of them take the same tuple.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{EqCx, VarId, rewrite, walk};
use tilewright_ir::analysis::{computable_at_compile_time, definable_dims, dims_in, renewed, renewed_with};
use tilewright_ir::op::{AttrDefault, OpRef};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, TensorShape, Var,
    attr_names,
};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::builtin::stop_lift_params;
use tilewright_support::{Diagnostic, Map, Origins, Set};

use crate::hiding::with_fields;
use crate::normalize::normalized;
use crate::private_calls::with_weights;
use crate::sequence::{bound_value, located};

/// The functions that share the computation on weights.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SharedTransform {
    /// Each function has its own.
    #[default]
    None,
    /// All functions of the module.
    All,
    /// Those of these names; no other changes.
    Named(Vec<String>),
}

/// Splits functions into what is computed of their weights and the rest.
#[derive(Clone, Debug, Default)]
pub struct LiftTransformParams {
    pub shared: SharedTransform,
}

const NAME: &str = "LiftTransformParams";

impl LiftTransformParams {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "What is computed of the weights alone is computed once, before the first run.",
        params: &[ParamDef {
            name: "shared_transform",
            kind: ParamKind::BoolOrStrs,
            default: AttrDefault::Bool(false),
            doc: "Whether one function computes what all functions of the module need, or those of these names.",
        }],
        make: |args| {
            let shared = match args.texts("shared_transform") {
                Some(names) => SharedTransform::Named(names),
                None if args.flag("shared_transform") => SharedTransform::All,
                None => SharedTransform::None,
            };
            Ok(Arc::new(Self { shared }))
        },
    };
}

impl Pass for LiftTransformParams {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let mut models: Vec<Model> = Vec::new();
        for (name, function, inputs) in with_weights(&module) {
            models.push(Model::of(name, normalized(&function), inputs));
        }
        match &self.shared {
            SharedTransform::None => {
                for model in models {
                    let name = format!("{}_transform_params", model.name);
                    split(&mut module, &name, vec![model]);
                }
                return Ok(module);
            }
            SharedTransform::Named(names) => {
                if let Some(unknown) = names.iter().find(|name| !models.iter().any(|model| *model.name == ***name)) {
                    let message = format!("the module has no function `{unknown}` with the attribute `num_input`");
                    return Err(PassError::new(NAME, Diagnostic::error("TW0701", message)));
                }
                models.retain(|model| names.iter().any(|name| *model.name == **name));
            }
            SharedTransform::All => {}
        }
        let mut models = models.into_iter();
        let Some(first) = models.next() else { return Ok(module) };
        let mut shared = vec![first];
        for model in models {
            let model = model.in_terms_of(&shared[0]).map_err(|error| PassError::new(NAME, *error))?;
            shared.push(model);
        }
        split(&mut module, "transform_params", shared);
        Ok(module)
    }
}

/// A function with weights.
struct Model {
    name: Arc<str>,
    function: Function,
    inputs: usize,
    /// The bindings that depend on weights alone, in order.
    computed: Vec<Binding>,
}

impl Model {
    fn of(name: Arc<str>, function: Function, inputs: usize) -> Self {
        let computable: Set<VarId> = computable_at_compile_time(&function).iter().map(Var::id).collect();
        let mut known: Set<VarId> = function.params[inputs..].iter().map(Var::id).collect();
        let mut computed = Vec::new();
        for binding in function.body.blocks.iter().flat_map(|block| &block.bindings) {
            let Some(value) = bound_value(binding) else { continue };
            let mut all_known = true;
            walk(value, |var: &Var| all_known &= known.contains(&var.id()));
            if all_known && computable.contains(&binding.var.id()) && moves(value) {
                known.insert(binding.var.id());
                computed.push(binding.clone());
            }
        }
        Self { name, function, inputs, computed }
    }

    fn weights(&self) -> &[Var] {
        &self.function.params[self.inputs..]
    }

    /// The model with the weights and what is computed of them named as another model names them; what that does not
    /// compute is not computed of weights here either.
    fn in_terms_of(self, other: &Self) -> Result<Self, Box<Diagnostic>> {
        let mut vars: Map<VarId, Var> = Map::default();
        let mut sizes: Map<VarId, scalar::Var> = Map::default();
        for (own, theirs) in self.weights().iter().zip(other.weights()) {
            let (a, b) = (own.struct_info.dims().unwrap_or_default(), theirs.struct_info.dims().unwrap_or_default());
            sizes.extend(a.iter().zip(b).filter_map(|(a, b)| Some((a.as_var()?.id(), b.as_var()?.clone()))));
            vars.insert(own.id(), theirs.clone());
        }
        let size = |dim: &scalar::Var| sizes.get(&dim.id()).cloned();
        let renamed = rewrite(&self.function, size).unwrap_or_else(|| self.function.clone());
        let alike = |(own, theirs): (&Var, &Var)| own.struct_info.equal(&theirs.struct_info);
        let same = renamed.params.len() - self.inputs == other.weights().len()
            && renamed.params[self.inputs..].iter().zip(other.weights()).all(alike);
        if !same {
            let message = format!(
                "functions `{}` and `{}` have different weights: they cannot share them",
                other.name, self.name
            );
            return Err(Box::new(located(Diagnostic::error("TW0703", message), &self.function.origins)));
        }
        // Variables were renewed where their infos changed.
        vars.extend(
            renamed.params[self.inputs..].iter().zip(other.weights()).map(|(own, theirs)| (own.id(), theirs.clone())),
        );
        let again = Self::of(self.name, renamed, self.inputs);
        let renamed = |vars: &Map<VarId, Var>, value: &Expr| {
            let named = |expr: &Expr| vars.get(&expr.as_var()?.id()).map(Expr::var);
            rewrite(value, named).unwrap_or_else(|| value.clone())
        };
        let mut computed = Vec::new();
        for binding in &again.computed {
            let Some(value) = bound_value(binding).map(|value| renamed(&vars, value)) else { continue };
            // Where one is hidden in its block and the other is not, their uses are not alike either.
            let known = |theirs: &&Binding| {
                theirs.var.dataflow == binding.var.dataflow
                    && bound_value(theirs).is_some_and(|known| EqCx::compare(known, &value).is_ok())
            };
            if let Some(theirs) = other.computed.iter().find(known) {
                vars.insert(binding.var.id(), theirs.var.clone());
                computed.push(theirs.clone());
            }
        }
        let named = |var: &Var| vars.get(&var.id()).cloned();
        let function = rewrite(&again.function, named).unwrap_or(again.function);
        Ok(Self { name: again.name, function, inputs: again.inputs, computed })
    }
}

/// Whether the value may be one that is computed beforehand.
fn moves(value: &Expr) -> bool {
    let stops = match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), .. } => *op == OpRef(&stop_lift_params::OP),
        ExprKind::Function(_) | ExprKind::If { .. } => true,
        _ => false,
    };
    !stops && holds_tensors(&value.struct_info)
}

fn holds_tensors(info: &StructInfo) -> bool {
    match info {
        StructInfo::Tensor { .. } => true,
        StructInfo::Tuple(fields) => fields.iter().all(holds_tensors),
        _ => false,
    }
}

/// Puts the models into the module, and the function that computes what all of them compute of their weights.
fn split(module: &mut IRModule, name: &str, models: Vec<Model>) {
    let Some(first) = models.first() else { return };
    let is_common =
        |binding: &&Binding| models.iter().all(|model| model.computed.iter().any(|own| own.var == binding.var));
    let common: Vec<Binding> = first.computed.iter().filter(is_common).cloned().collect();
    let moved: Set<VarId> = common.iter().map(|binding| binding.var.id()).collect();
    let weights = first.weights().to_vec();
    let mut used: Set<VarId> = Set::default();
    let mut spoken: Vec<scalar::Var> = Vec::new();
    let rests: Vec<SeqExpr> = models.iter().map(|model| rest(&model.function.body, &moved)).collect();
    for (rest, model) in rests.iter().zip(&models) {
        walk(rest, |var: &Var| used.extend([var.id()]));
        let told: Set<VarId> = model.function.params[..model.inputs]
            .iter()
            .flat_map(|p| definable_dims(&p.struct_info))
            .map(|dim| dim.id())
            .collect();
        spoken.extend(
            dims_in(rest).into_iter().chain(dims_in(&model.function.ret)).filter(|dim| !told.contains(&dim.id())),
        );
    }
    let needed = weights.iter().chain(common.iter().map(|binding| &binding.var)).filter(|var| used.contains(&var.id()));
    let needed: Vec<Var> = needed.cloned().collect();
    let of_weights: Set<VarId> =
        weights.iter().flat_map(|w| definable_dims(&w.struct_info)).map(|dim| dim.id()).collect();
    let told: Set<VarId> = needed.iter().flat_map(|var| definable_dims(&var.struct_info)).map(|dim| dim.id()).collect();
    let mut untold: Vec<scalar::Var> = Vec::new();
    for dim in spoken {
        if of_weights.contains(&dim.id()) && !told.contains(&dim.id()) && !untold.contains(&dim) {
            untold.push(dim);
        }
    }
    let untold: Vec<scalar::Expr> = untold.iter().map(scalar::Expr::var).collect();
    let transform = transform(&weights, common, &needed, &untold);
    let taken = module.insert_unique(name, transform.clone());
    let symbol = (GLOBAL_SYMBOL.into(), Attr::str(taken.name.clone()));
    module.insert(
        taken.name,
        Function {
            attrs: transform.attrs.iter().map(|(k, v)| (k.clone(), v.clone())).chain([symbol]).collect(),
            ..transform
        },
    );
    for (model, body) in models.into_iter().zip(rests) {
        let shape =
            (!untold.is_empty()).then(|| Var::new("dims", StructInfo::Shape(TensorShape::Known(untold.clone()))));
        let inputs = model.function.params[..model.inputs].iter().cloned();
        let params = inputs.chain(needed.iter().cloned()).chain(shape).collect();
        let function = Function { params, body, ..model.function };
        module.insert(model.name, renewed_with(&function, &outputs(&function.body)));
    }
}

/// The sequence without the bindings of these variables.
fn rest(seq: &SeqExpr, moved: &Set<VarId>) -> SeqExpr {
    let block = |block: &BindingBlock| {
        let bindings = block.bindings.iter().filter(|binding| !moved.contains(&binding.var.id())).cloned().collect();
        BindingBlock { dataflow: block.dataflow, bindings }
    };
    let blocks = seq.blocks.iter().map(block).filter(|block| !block.bindings.is_empty()).collect();
    SeqExpr { blocks, result: seq.result.clone() }
}

/// The variables of the sequence that are visible outside of its blocks.
fn outputs(seq: &SeqExpr) -> Vec<Var> {
    seq.blocks
        .iter()
        .flat_map(|block| &block.bindings)
        .map(|binding| &binding.var)
        .filter(|var| !var.dataflow)
        .cloned()
        .collect()
}

/// The function that computes what is needed from the tuple of all weights.
fn transform(weights: &[Var], computed: Vec<Binding>, needed: &[Var], untold: &[scalar::Expr]) -> Function {
    let infos = weights.iter().map(|weight| weight.struct_info.clone()).collect();
    let params = Var::new("model_params", StructInfo::Tuple(infos));
    let whole = Expr::var(&params);
    let field = |(index, weight): (usize, &Var)| {
        let kind = ExprKind::TupleGet { tuple: whole.clone(), index };
        let value = Expr::raw(weight.struct_info.clone(), kind);
        Binding { var: weight.clone(), value: BindingValue::Expr(value), origins: Origins::default() }
    };
    let origins = computed.iter().fold(Origins::default(), |all, binding| all.merge(&binding.origins));
    let shape = (!untold.is_empty()).then(|| Expr::shape(untold.to_vec()));
    let values = Expr::tuple(needed.iter().map(Expr::var).chain(shape).collect());
    let ret = values.struct_info.clone();
    let body = if needed == weights && untold.is_empty() {
        SeqExpr { blocks: Vec::new(), result: whole.clone() }
    } else {
        let output = Var::new("output_tuple", ret.clone());
        let bindings = computed.into_iter().chain([Binding::new(output.clone(), values, Origins::default())]).collect();
        let blocks = vec![BindingBlock { dataflow: true, bindings }];
        with_fields(
            &SeqExpr { blocks, result: Expr::var(&output) },
            weights.iter().enumerate().map(|weight| vec![field(weight)]),
        )
    };
    let output = body.result.as_var().cloned();
    let attrs = Attrs::from([(attr_names::NUM_INPUT.into(), Attr::Int(0))]);
    let function = Function { params: vec![params], body, ret, pure: true, attrs, origins };
    // All but the tuple are hidden in the block.
    let hide = |var: &Var| {
        let hidden = output.as_ref() != Some(var) && !function.params.contains(var) && !var.dataflow;
        hidden.then(|| Var::dataflow(var.name.clone(), var.struct_info.clone()))
    };
    renewed(&rewrite(&function, hide).unwrap_or_else(|| function.clone()))
}
