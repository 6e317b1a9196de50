//! `LambdaLift`: functions inside functions become functions of the module.
//!
//! ```text
//! def main(x, y):                         def main_inner(z, y): return add(z, y)
//!     def inner(z): return add(z, y)      def main(x, y):
//!     return inner(x)                ⇒        return main_inner(x, y)
//! ```
//!
//! From any form to any form. A function inside `main` that is bound to `inner` becomes the private function
//! `main_inner`. The variables that it captures become further parameters, the symbolic dimensions that those do not
//! determine a shape. If it is only called, its calls pass them; if it is a value and captures something, that value
//! becomes `R.make_closure` of it, which is called by `R.invoke_pure_closure` or `R.invoke_closure`, and whose type is
//! unknown. A function that captures something and passes itself on stays where it is.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{VarId, rewrite, walk, walk_some};
use tilewright_ir::analysis::{definable_dims, dims_in, free_vars, renewed};
use tilewright_ir::builder::{BlockBuilder, BuildError, map_exprs, mutate_module, normalize_function};
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, TensorShape,
    Var,
};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_ops::system::make_closure;
use tilewright_support::{Diagnostic, Map, Set, with_stack};

use crate::normalize::normalized;
use crate::sequence::{defect, map_functions, push_block, with_renewed_references};

/// Lifts nested functions to functions of the module.
#[derive(Clone, Copy, Debug)]
pub struct LambdaLift;

const NAME: &str = "LambdaLift";

impl Pass for LambdaLift {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let module = map_functions(NAME, &module, |function, _| normalized(function))?;
        let mut lifting =
            Lifting { module: module.clone(), lifted: Map::default(), values: Set::default(), objects: false };
        for (name, function) in module.iter() {
            if let GlobalFunc::Relax(function) = function {
                lifting.function(name, function).map_err(failed)?;
            }
        }
        let module = with_renewed_references(NAME, &lifting.module)?;
        if !lifting.objects {
            return Ok(module);
        }
        mutate_module(&module, &mut map_exprs(|_, _| Ok(None))).map_err(failed)
    }
}

fn failed(error: BuildError) -> PassError {
    let error = match error {
        BuildError::Infer(error) => defect(&error),
        BuildError::State(message) => Diagnostic::error("TW0604", message),
    };
    PassError::new(NAME, error)
}

/// The replacement of a lifted function.
#[derive(Clone)]
enum Lifted {
    /// A function of the module, which gets these arguments after its own.
    Function { global: GlobalVar, taken: Vec<Expr> },
    /// A closure of it.
    Closure { var: Var, pure: bool },
}

struct Lifting {
    module: IRModule,
    lifted: Map<VarId, Lifted>,
    /// Variables that are used other than by calling them.
    values: Set<VarId>,
    /// Some function is a closure now, of which no type is known.
    objects: bool,
}

/// The scope of a binding.
#[derive(Clone)]
struct Around {
    /// The prefix of the names of nested functions.
    name: String,
    /// The symbolic dimensions that are defined.
    dims: Set<VarId>,
}

impl Around {
    fn define(&mut self, info: &StructInfo) {
        self.dims.extend(definable_dims(info).into_iter().map(|dim| dim.id()));
    }
}

impl Lifting {
    fn function(&mut self, name: &Arc<str>, function: &Function) -> Result<(), BuildError> {
        self.values = values(function);
        let objects = std::mem::take(&mut self.objects);
        let mut around = Around { name: name.to_string(), dims: Set::default() };
        function.params.iter().for_each(|param| around.define(&param.struct_info));
        let mut function = Function { body: self.seq(&function.body, &mut around)?, ..function.clone() };
        if self.objects {
            let mut bb = BlockBuilder::with_module(self.module.clone());
            function.ret = function.body.result.struct_info.clone();
            function = normalize_function(&mut bb, &function)?;
        }
        self.objects |= objects;
        self.module.insert(name.clone(), function);
        Ok(())
    }

    fn seq(&mut self, seq: &SeqExpr, around: &mut Around) -> Result<SeqExpr, BuildError> {
        let mut blocks = Vec::new();
        for block in &seq.blocks {
            let mut bindings = Vec::new();
            for binding in &block.bindings {
                bindings.extend(self.binding(binding, around)?);
            }
            push_block(&mut blocks, BindingBlock { dataflow: block.dataflow, bindings });
        }
        Ok(SeqExpr { blocks, result: self.operand(&seq.result) })
    }

    fn binding(&mut self, binding: &Binding, around: &mut Around) -> Result<Option<Binding>, BuildError> {
        let value = match &binding.value {
            BindingValue::MatchCast { value, struct_info } => {
                around.define(struct_info);
                BindingValue::MatchCast { value: self.operand(value), struct_info: struct_info.clone() }
            }
            BindingValue::Expr(value) => match &value.kind {
                ExprKind::Function(function) => return self.lift(binding, function, around),
                ExprKind::If { condition, then, otherwise } => {
                    let condition = self.operand(condition);
                    let then = with_stack(|| self.seq(then, &mut around.clone()))?;
                    let otherwise = with_stack(|| self.seq(otherwise, &mut around.clone()))?;
                    let kind = ExprKind::If { condition, then, otherwise };
                    BindingValue::Expr(Expr::raw(value.struct_info.clone(), kind))
                }
                _ => BindingValue::Expr(self.value(value)?),
            },
        };
        Ok(Some(Binding { value, ..binding.clone() }))
    }

    /// The captured variables of the function, and the dimensions that they do not determine.
    fn taken(&self, var: &Var, function: &Function, around: &Around) -> Vec<Expr> {
        let mut vars: Vec<Var> = Vec::new();
        let mut spoken: Vec<scalar::Var> = dims_in(function);
        for free in free_vars(function).into_iter().filter(|free| free != var) {
            let own = match self.lifted.get(&free.id()) {
                Some(Lifted::Function { taken, .. }) => {
                    taken.iter().for_each(|expr| {
                        spoken.extend(expr.struct_info.dims().into_iter().flatten().flat_map(dims_in))
                    });
                    taken.iter().filter_map(|expr| expr.as_var().cloned()).collect()
                }
                Some(Lifted::Closure { var, .. }) => vec![var.clone()],
                None => vec![free],
            };
            own.into_iter().for_each(|own| {
                if !vars.contains(&own) {
                    vars.push(own);
                }
            });
        }
        let told: Set<VarId> =
            vars.iter().flat_map(|var| definable_dims(&var.struct_info)).map(|dim| dim.id()).collect();
        let mut untold: Vec<scalar::Expr> = Vec::new();
        for dim in spoken.into_iter().filter(|dim| around.dims.contains(&dim.id()) && !told.contains(&dim.id())) {
            let dim = scalar::Expr::var(&dim);
            if !untold.iter().any(|known| known.equal(&dim)) {
                untold.push(dim);
            }
        }
        let shape = (!untold.is_empty()).then(|| Expr::shape(untold));
        vars.iter().map(Expr::var).chain(shape).collect()
    }

    /// The binding that is left of one of a function, if one is.
    fn lift(&mut self, binding: &Binding, function: &Function, around: &Around) -> Result<Option<Binding>, BuildError> {
        let var = &binding.var;
        let taken = self.taken(var, function, around);
        let hides = |expr: &Expr| expr.as_var().is_some_and(|taken| taken.dataflow);
        let is_value = self.values.contains(&var.id()) || (!var.dataflow && taken.iter().any(hides));
        let mut inside = around.clone();
        inside.name = format!("{}_{}", around.name, var.name);
        function.params.iter().for_each(|param| inside.define(&param.struct_info));
        if !taken.is_empty() && values(function).contains(&var.id()) {
            let body = with_stack(|| self.seq(&function.body, &mut inside))?;
            let function = Function { body, ..function.clone() };
            let value = Expr::raw(function.signature(), ExprKind::Function(Box::new(function)));
            return Ok(Some(Binding { value: BindingValue::Expr(value), ..binding.clone() }));
        }
        let dims = taken.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Shape(dims) => Some(Var::new("dims", StructInfo::Shape(TensorShape::Known(dims.clone())))),
            _ => None,
        });
        let params: Vec<Var> = function
            .params
            .iter()
            .cloned()
            .chain(taken.iter().filter_map(|expr| expr.as_var().cloned()))
            .chain(dims)
            .collect();
        let mut attrs = function.attrs.clone();
        attrs.remove(GLOBAL_SYMBOL);
        let origins = function.origins.merge(&binding.origins);
        let mut lifted = Function { params, attrs, origins, ..function.clone() };
        let global = self.module.insert_unique(&inside.name, lifted.clone());
        self.lifted.insert(var.id(), Lifted::Function { global: global.clone(), taken: taken.clone() });
        let objects = std::mem::take(&mut self.objects);
        lifted.body = with_stack(|| self.seq(&function.body, &mut inside))?;
        let lifted = renewed(&lifted);
        let lifted = match self.objects {
            true => {
                let ret = lifted.body.result.struct_info.clone();
                normalize_function(&mut BlockBuilder::with_module(self.module.clone()), &Function { ret, ..lifted })?
            }
            false => lifted,
        };
        self.objects |= objects;
        let global = self.module.insert(global.name, lifted);
        if !is_value || taken.is_empty() {
            self.lifted.insert(var.id(), Lifted::Function { global, taken });
            return Ok(None);
        }
        self.objects = true;
        let closure = make_closure::call(&InferCx::default(), Expr::global(&global), Expr::tuple(taken))?;
        let object = var.with_struct_info(closure.struct_info.clone());
        self.lifted.insert(var.id(), Lifted::Closure { var: object.clone(), pure: function.pure });
        Ok(Some(Binding::new(object, closure, binding.origins.clone())))
    }

    /// A function that is lifted as a value.
    fn operand(&self, operand: &Expr) -> Expr {
        let place = |expr: &Expr| match self.lifted.get(&expr.as_var()?.id())? {
            Lifted::Function { global, .. } => Some(Expr::global(global)),
            Lifted::Closure { var, .. } => Some(Expr::var(var)),
        };
        rewrite(operand, place).unwrap_or_else(|| operand.clone())
    }

    fn value(&self, value: &Expr) -> Result<Expr, BuildError> {
        let ExprKind::Call { callee: Callee::Value(callee), args, attrs, sinfo_args } = &value.kind else {
            return Ok(self.operand(value));
        };
        let lifted = callee.as_var().and_then(|var| self.lifted.get(&var.id()));
        let mut args: Vec<Expr> = args.iter().map(|arg| self.operand(arg)).collect();
        let callee = match lifted {
            Some(Lifted::Closure { var, pure }) => {
                let said = vec![value.struct_info.clone()];
                return Ok(Expr::invoke_closure(&InferCx::default(), Expr::var(var), args, said, *pure)?);
            }
            Some(Lifted::Function { global, taken }) => {
                args.extend(taken.iter().cloned());
                Expr::global(global)
            }
            // Its fields may be closures.
            None if self.objects && callee.as_var().is_some() => {
                let pure = value.is_pure();
                let said = vec![value.struct_info.clone()];
                return Ok(Expr::invoke_closure(&InferCx::default(), callee.clone(), args, said, pure)?);
            }
            None => self.operand(callee),
        };
        let (attrs, sinfo_args) = (attrs.clone(), sinfo_args.clone());
        let kind = ExprKind::Call { callee: Callee::Value(callee), args, attrs, sinfo_args };
        Ok(Expr::raw(value.struct_info.clone(), kind))
    }
}

/// The variables that are used other than by calling them.
fn values(function: &Function) -> Set<VarId> {
    let mut found = Set::default();
    walk_some(function, |node| {
        let Some(expr) = node.downcast::<Expr>() else { return true };
        match &expr.kind {
            ExprKind::Call { callee: Callee::Value(callee), args, .. } if callee.as_var().is_some() => {
                args.iter().for_each(|arg| walk(arg, |var: &Var| found.extend([var.id()])));
                false
            }
            ExprKind::Var(var) => {
                found.insert(var.id());
                false
            }
            _ => true,
        }
    });
    found
}
