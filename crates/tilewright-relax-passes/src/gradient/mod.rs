//! `Gradient`: the gradients of a graph function's result, by reverse-mode differentiation.
//!
//! ```text
//! def main(x, y):                    def main_adjoint(x, y):
//!     lv = add(x, y)                     lv = add(x, y)
//!     gv = sum(lv)              ⇒        gv = sum(lv)
//!     return gv                          gv_adjoint = ones((), "float32")
//!                                        lv_adjoint = broadcast_to(gv_adjoint, (3, 3))
//!                                        x_adjoint = lv_adjoint
//!                                        y_adjoint = lv_adjoint
//!                                        …
//!                                        return (gv, (x_adjoint_out, y_adjoint_out))
//! ```
//!
//! From any form to any form. The function has one dataflow block, and its result, or the field `target_index` of it,
//! is a float without dimensions: the *target*. The new function `…_adjoint` has the same parameters; its result are
//! that of the original, and the *adjoints* of the parameters: the gradients of the target with respect to them. The
//! original stays.
//!
//! The bindings of the original come first. Then their adjoints are worked out from the last binding to the first
//! ([`adjoints`]): a variable that several values use has the sum of what each contributes. The rule of an operator is
//! part of its declaration ([`tilewright_ir::op::OpDef::gradient`]); a PrimFunc has one where its call names it
//! (`R.call_tir_with_grad`). Transposes that cancel ([`transposes`]) and bindings that nothing needs in
//! the end are removed.
//!
//! Values between `grad.start_checkpoint` and `grad.end_checkpoint` are computed again where gradients need them
//! ([`checkpoints`]), instead of being kept from the first computation.

mod adjoints;
mod checkpoints;
mod transposes;

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::VarId;
use tilewright_ir::analysis::renewed;
use tilewright_ir::builder::{BlockBuilder, BuildError};
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, Expr, ExprKind, Function, StructInfo, Var};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, nearest};

use crate::dead_code_elimination::without_dead;
use crate::normalize::normalized;
use adjoints::Adjoints;
use checkpoints::Checkpoints;
use transposes::simplified;

/// The gradients of a call of a PrimFunc, by the name that the call gives: from the variable and the value of the call,
/// and the gradient of its result. What they need is emitted with the builder.
pub type LoopGradient = Arc<dyn Fn(&mut BlockBuilder, &str, &Var, &Expr, &Expr) -> Result<Expr, String> + Send + Sync>;

/// A parameter whose gradient is wanted.
#[derive(Clone, Debug)]
pub enum Wanted {
    Name(String),
    Var(Var),
}

/// Adds the function that computes gradients.
#[derive(Clone)]
pub struct Gradient {
    pub func_name: String,
    /// The parameters whose gradients are wanted; `None`: all.
    pub require_grads: Option<Vec<Wanted>>,
    /// The field of the result that is differentiated.
    pub target_index: i64,
    /// The gradients of PrimFuncs, where there are some.
    pub of_loops: Option<LoopGradient>,
}

impl fmt::Debug for Gradient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(NAME).field("func_name", &self.func_name).finish_non_exhaustive()
    }
}

const NAME: &str = "Gradient";

impl Gradient {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Adds the function that computes the gradients of a function's result.",
        params: &[
            ParamDef {
                name: "func_name",
                kind: ParamKind::Str,
                default: AttrDefault::Required,
                doc: "The function, of one dataflow block.",
            },
            ParamDef {
                name: "require_grads",
                kind: ParamKind::OptionalStrs,
                default: AttrDefault::None,
                doc: "The parameters whose gradients are wanted; `None`: all.",
            },
            ParamDef {
                name: "target_index",
                kind: ParamKind::Int,
                default: AttrDefault::Int(0),
                doc: "The field of the result that is differentiated, where it is a tuple.",
            },
        ],
        make: |args| {
            let wanted = args.texts("require_grads").map(|names| names.into_iter().map(Wanted::Name).collect());
            Ok(Arc::new(Self {
                func_name: args.text("func_name").unwrap_or_default().to_owned(),
                require_grads: wanted,
                target_index: args.int("target_index"),
                of_loops: None,
            }))
        },
    };
}

/// The reason why a function is not differentiated, or a part of it.
fn refused(message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("TW0733", message.into()))
}

fn unbuildable(error: &BuildError) -> Box<Diagnostic> {
    refused(error.to_string())
}

type Res<T> = Result<T, Box<Diagnostic>>;

impl Pass for Gradient {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        self.added(module).map_err(|error| PassError::new(NAME, *error))
    }
}

impl Gradient {
    fn added(&self, module: IRModule) -> Res<IRModule> {
        let name = &self.func_name;
        let Some(GlobalFunc::Relax(original)) = module.get(name) else { return Err(self.absent(&module)) };
        let wanted = self.wanted(original)?;
        let function = renewed(&normalized(original));
        let forward = Forward::of(name, &function, self.target_index)?;
        let params = wanted.into_iter().map(|at| function.params[at].clone()).collect::<Vec<_>>();
        let adjoint = format!("{name}_adjoint");
        let mut attrs = function.attrs.clone();
        attrs.insert(GLOBAL_SYMBOL.into(), Attr::str(adjoint.as_str()));
        let mut bb = BlockBuilder::with_module(module);
        bb.begin_function_with(&adjoint, function.params.clone(), attrs, function.pure);
        let output = self.body(&mut bb, &forward, &params)?;
        let global = bb.emit_func_output(&output).map_err(|error| unbuildable(&error))?;
        let mut module = bb.finalize().map_err(|error| unbuildable(&error))?;
        if let Some(GlobalFunc::Relax(function)) = module.get(&global.name).cloned() {
            let body = without_dead(&simplified(&function.body));
            module.insert(global.name.clone(), Function { body, ..Function::clone(&function) });
        }
        Ok(module)
    }

    fn body(&self, bb: &mut BlockBuilder, forward: &Forward, params: &[Var]) -> Res<Expr> {
        let failed = |error: BuildError| unbuildable(&error);
        bb.begin_dataflow().map_err(failed)?;
        let (checkpoints, bindings, result) = Checkpoints::of(forward);
        for binding in &bindings {
            bb.emit_binding(binding.clone()).map_err(failed)?;
        }
        let target = checkpoints.resolved(&forward.target);
        let mut adjoints = Adjoints::new(checkpoints, self.of_loops.as_ref());
        adjoints.begin(bb, &target)?;
        for binding in bindings.iter().rev() {
            adjoints
                .propagate(bb, binding)
                .map_err(|error| Box::new(crate::sequence::located(*error, &binding.origins)))?;
        }
        let outputs = params.iter().map(|param| adjoints.output(bb, param)).collect::<Res<Vec<_>>>()?;
        bb.end_dataflow().map_err(failed)?;
        Ok(Expr::tuple(vec![result, Expr::tuple(outputs)]))
    }

    fn absent(&self, module: &IRModule) -> Box<Diagnostic> {
        let name = &self.func_name;
        if module.get(name).is_some() {
            return refused(format!("`{name}` is a PrimFunc: only Relax functions are differentiated"));
        }
        let error = Diagnostic::error("TW0733", format!("the module has no function `{name}`"));
        let near = nearest(name, module.iter().map(|(name, _)| &**name));
        Box::new(near.map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?"))))
    }

    /// The positions of the parameters whose gradients are wanted, each once.
    fn wanted(&self, function: &Function) -> Res<Vec<usize>> {
        let Some(wanted) = &self.require_grads else { return Ok((0..function.params.len()).collect()) };
        let mut positions = Vec::new();
        for one in wanted {
            let (name, found) = match one {
                Wanted::Var(var) => (&*var.name, function.params.iter().position(|param| param == var)),
                Wanted::Name(name) => (&**name, function.params.iter().position(|param| *param.name == **name)),
            };
            match found {
                None => {
                    return Err(refused(format!("`{name}` is no parameter of function `{}`", self.func_name)));
                }
                Some(at) if positions.contains(&at) => {
                    return Err(refused(format!("the gradient of parameter `{name}` is required twice")));
                }
                Some(at) => positions.push(at),
            }
        }
        Ok(positions)
    }
}

/// The function that is differentiated.
struct Forward {
    bindings: Vec<Binding>,
    result: Expr,
    target: Var,
}

impl Forward {
    fn of(name: &str, function: &Function, target_index: i64) -> Res<Self> {
        let blocks = &function.body.blocks;
        if blocks.is_empty() || blocks.iter().any(|block| !block.dataflow) {
            let message = format!("function `{name}` is not differentiated: its body must be one dataflow block");
            return Err(Box::new(
                Diagnostic::error("TW0733", message).help("`ConvertToDataflow` makes dataflow blocks"),
            ));
        }
        let bindings = blocks.iter().flat_map(|block| block.bindings.iter().cloned()).collect();
        let result = function.body.result.clone();
        let target = match &result.kind {
            ExprKind::Tuple(fields) => {
                let field = usize::try_from(target_index).ok().and_then(|at| fields.get(at));
                field.ok_or_else(|| {
                    let count = fields.len();
                    refused(format!(
                        "function `{name}` gives {count} values: there is none of the index {target_index}"
                    ))
                })?
            }
            _ if target_index != 0 => {
                return Err(refused(format!("function `{name}` gives one value, not one of the index {target_index}")));
            }
            _ => &result,
        };
        let Some(target) = target.as_var().cloned() else {
            return Err(refused("what is differentiated must be a variable of the function"));
        };
        let info = &target.struct_info;
        let scalar = matches!(info, StructInfo::Tensor { .. }) && info.dims().is_some_and(<[_]>::is_empty);
        if !scalar || !info.dtype().is_some_and(|dtype| dtype.is_float()) {
            let found = tilewright_ir::verify::show(info);
            return Err(refused(format!(
                "only a float without dimensions is differentiated; `{}` is {found}",
                target.name
            )));
        }
        Ok(Self { bindings, result, target })
    }
}

/// The identities of the variables in an expression.
fn vars_in(expr: &Expr) -> Vec<VarId> {
    let mut found = Vec::new();
    tilewright_expr::node::walk(expr, |var: &Var| found.push(var.id()));
    found
}
