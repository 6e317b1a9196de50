//! Bindings of a dataflow block as a function of their own.
//!
//! The function has a parameter for each variable that the bindings take from outside, in the order of first use; then,
//! on request, one for each constant; then one shape for the symbolic dimensions that those do not determine. Its
//! variables and dimensions are its own.

use tilewright_expr as scalar;
use tilewright_expr::node::{EqCx, HashCx, VarId, rewrite, walk_some};
use tilewright_ir::analysis::{definable_dims, free_vars, renewed_with};
use tilewright_ir::relax::{
    Binding, BindingBlock, Constant, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, TensorShape, Var,
};
use tilewright_ir::{Attrs, IRModule};
use tilewright_support::{Map, Origins, Set};
use tilewright_tensor::Tensor;

/// An attribute of a function: the pattern that it was made of.
pub(crate) const COMPOSITE: &str = "Composite";
/// An attribute of a function: the code generator that takes it.
pub(crate) const CODEGEN: &str = "Codegen";
/// The attribute of functions that fusion has made.
pub(crate) const PRIMITIVE: &str = "Primitive";

/// A function, and the arguments of the call that replaces the bindings.
pub(crate) struct Outlined {
    pub(crate) function: Function,
    pub(crate) args: Vec<Expr>,
}

/// The functions that a pass has made, by their structure.
#[derive(Default)]
pub(crate) struct Made(Map<u64, Vec<GlobalVar>>);

impl Made {
    /// The function of this structure that was made already, or this one, new in the module under a name like the wish.
    pub(crate) fn share(&mut self, module: &mut IRModule, wish: &str, function: Function) -> GlobalVar {
        let hash = HashCx::hash(&function);
        for global in self.0.get(&hash).into_iter().flatten() {
            if let Some(known) = module.relax(&global.name)
                && EqCx::compare(&**known, &function).is_ok()
            {
                let merged = Function { origins: known.origins.merge(&function.origins), ..(**known).clone() };
                return module.insert(global.name.clone(), merged);
            }
        }
        let global = module.insert_unique(wish, function);
        self.0.entry(hash).or_default().push(global.clone());
        global
    }
}

/// The treatment of constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Constants {
    Stay,
    /// All but those of one element.
    BecomeParametersButNumbers,
    BecomeParameters,
}

/// The bindings as a private function that gives the outputs: one, or a tuple of several.
pub(crate) fn outlined(bindings: &[Binding], outputs: &[Var], attrs: Attrs, constants: Constants) -> Outlined {
    let mut block = BindingBlock { dataflow: true, bindings: bindings.to_vec() };
    let outside = free_vars(&block);
    let mut args: Vec<Expr> = outside.iter().map(Expr::var).collect();
    let mut params = outside;
    match constants {
        Constants::Stay => {}
        Constants::BecomeParametersButNumbers => {
            lift_constants(&mut block, |constant| constant.num_elements() != 1, &mut params, &mut args);
        }
        Constants::BecomeParameters => lift_constants(&mut block, |_| true, &mut params, &mut args),
    }
    let told: Set<VarId> = params.iter().flat_map(|param| definable_dims(&param.struct_info)).map(|d| d.id()).collect();
    let untold: Vec<scalar::Var> = own_dims(&block).into_iter().filter(|dim| !told.contains(&dim.id())).collect();
    if !untold.is_empty() {
        let dims: Vec<scalar::Expr> = untold.iter().map(scalar::Expr::var).collect();
        params.push(Var::new("s", StructInfo::Shape(TensorShape::Known(dims.clone()))));
        args.push(Expr::shape(dims));
    }
    let origins = bindings.iter().fold(Origins::default(), |all, binding| all.merge(&binding.origins));
    let result = match outputs {
        [one] => Expr::var(one),
        many => Expr::tuple(many.iter().map(Expr::var).collect()),
    };
    let ret = result.struct_info.clone();
    let body = SeqExpr { blocks: vec![block], result };
    let function = Function { params, body, ret, pure: true, attrs, origins };
    Outlined { function: renewed_with(&function, outputs), args }
}

fn lift_constants(
    block: &mut BindingBlock,
    is_lifted: impl Fn(&Tensor) -> bool,
    params: &mut Vec<Var>,
    args: &mut Vec<Expr>,
) {
    let mut lifted: Vec<(Var, Expr)> = Vec::new();
    let lift = |expr: &Expr| match &expr.kind {
        ExprKind::Constant(Constant(tensor)) if is_lifted(tensor) => {
            let var = Var::new("param", expr.struct_info.clone());
            lifted.push((var.clone(), expr.clone()));
            Some(Expr::var(&var))
        }
        _ => None,
    };
    if let Some(changed) = rewrite(&*block, lift) {
        *block = changed;
        for (var, constant) in lifted {
            params.push(var);
            args.push(constant);
        }
    }
}

/// The symbolic dimensions that the block speaks of, each once; not those inside the types of functions that it calls.
fn own_dims(block: &BindingBlock) -> Vec<scalar::Var> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    walk_some(block, |node| {
        if let Some(dim) = node.downcast::<scalar::Var>()
            && seen.insert(dim.id())
        {
            found.push(dim.clone());
        }
        let is_function = |expr: &Expr| {
            matches!(expr.struct_info, StructInfo::Func { .. })
                && matches!(expr.kind, ExprKind::GlobalVar(_) | ExprKind::ExternFunc(_) | ExprKind::Var(_))
        };
        !node.downcast::<Expr>().is_some_and(is_function)
    });
    found
}
