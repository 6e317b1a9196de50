//! `DataflowUseInplaceCalls`: results overwrite arguments that die with the call.
//!
//! `y = R.call_tir(cls.f, (x, …), …)` becomes `R.call_tir_inplace` of a copy of `f` that writes its result over `x`,
//! where all of this is proven:
//!
//! - `x` is a tensor that an earlier `call_tir` of this function has made: no argument, no constant, nothing that
//!   someone else may hold;
//! - it is dead after the call on this path, under all aliases, and no other argument shares its memory;
//! - it has the result's shape and data type;
//! - `f` reads no element of `x` after it may have overwritten it with an element of the result, also when its
//!   stages are computed row by row (module `overwriting`).
//!
//! The first such argument is taken; calls with several results stay as they are.

mod dependence;
mod overwriting;

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, GlobalVar, StructInfo};
use tilewright_ir::verify::Form;
use tilewright_support::{Diagnostic, Map};

use crate::lifetimes::{Lifetime, Names, lifetimes_and_names};
use crate::normalize::normalized;
use crate::sequence::{Rebuild, map_functions, rebuild};

/// Lets results overwrite dead arguments.
#[derive(Clone, Copy, Debug)]
pub struct DataflowUseInplaceCalls;

const NAME: &str = "DataflowUseInplaceCalls";

impl Pass for DataflowUseInplaceCalls {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut library = Library { module: module.clone(), known: Map::default() };
        let graphs = map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            let (values, names) = lifetimes_and_names(&module, &function, &makes_a_tensor);
            let mut inplace = Inplace { cx: InferCx::default(), library: &mut library, values, names };
            function.body = rebuild(&function.body, &mut inplace, diagnostics);
            function
        })?;
        let mut result = library.module;
        for (name, _) in module.iter() {
            if let Some(function) = graphs.relax(name) {
                result.insert(name.clone(), (**function).clone());
            }
        }
        Ok(result)
    }
}

/// Whether the binding makes one tensor by `call_tir`.
fn makes_a_tensor(binding: &Binding) -> bool {
    let BindingValue::Expr(value) = &binding.value else { return false };
    matches!(&value.kind, ExprKind::Call { callee: Callee::Tir(_), sinfo_args, .. } if sinfo_args.len() == 1)
}

/// The module with its in-place functions.
struct Library {
    module: IRModule,
    /// By name and argument; `None` without a proof.
    known: Map<(Arc<str>, usize), Option<GlobalVar>>,
}

impl Library {
    /// The function that writes the result of `name` over its argument.
    fn overwriting(&mut self, name: &Arc<str>, argument: usize, arguments: usize) -> Option<GlobalVar> {
        let key = (name.clone(), argument);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let function = self.module.prim(name).cloned();
        let made = function.and_then(|function| overwriting::made(&function, argument, arguments));
        let made = made.map(|function| self.module.insert_unique(&format!("{name}_inplace"), function));
        self.known.insert(key, made.clone());
        made
    }
}

struct Inplace<'a> {
    cx: InferCx,
    library: &'a mut Library,
    values: Vec<Lifetime>,
    names: Names,
}

impl Rebuild for Inplace<'_> {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let Some(value) = self.inplace(&binding) {
            binding.value = BindingValue::Expr(value);
        }
        out.push(binding);
        Ok(())
    }
}

impl Inplace<'_> {
    fn inplace(&mut self, binding: &Binding) -> Option<Expr> {
        let BindingValue::Expr(value) = &binding.value else { return None };
        let ExprKind::Call { callee: Callee::Tir(global), args, sinfo_args, .. } = &value.kind else { return None };
        let [result] = sinfo_args.as_slice() else { return None };
        let position = self.values.iter().find(|value| value.var == binding.var)?.at;
        for (i, arg) in args.iter().enumerate() {
            if !self.dies(position, args, arg) || !same_tensor(&self.cx, &arg.struct_info, result) {
                continue;
            }
            if let Some(function) = self.library.overwriting(&global.name, i, args.len()) {
                let (args, out) = (args.clone(), sinfo_args.clone());
                return Expr::call_tir_inplace(&self.cx, function, args, vec![Some(i)], out).ok();
            }
        }
        None
    }

    /// Whether the argument is a tensor of this function that is dead after the position.
    fn dies(&self, position: usize, args: &[Expr], arg: &Expr) -> bool {
        let Some(index) = arg.as_var().and_then(|var| self.names.of.get(&var.id()).copied()) else { return false };
        let value = &self.values[index];
        let memory = |arg: &Expr| arg.as_var().and_then(|var| self.names.memory.get(&var.id()));
        let once = args.iter().filter(|arg| memory(arg).is_some_and(|values| values.contains(&index))).count() == 1;
        once && !value.escapes && !value.covers(position + 1)
    }
}

fn same_tensor(cx: &InferCx, a: &StructInfo, b: &StructInfo) -> bool {
    let (Some(x), Some(y)) = (a.dims(), b.dims()) else { return false };
    a.dtype() == b.dtype() && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| cx.analyzer.prove_equal(x, y))
}
