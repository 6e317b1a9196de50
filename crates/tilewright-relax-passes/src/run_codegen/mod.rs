//! `RunCodegen`: functions for external code generators are handed to them, and called by name.
//!
//! ```text
//! def fused(x, w): …  # Codegen = "mine"                       generate("mine", [fused], options)
//! y = cls.fused(x, w)                               ⇒          y = call_dps_packed("fused", (x, w), out)
//! ```
//!
//! From any form to any form. The pass changes functions with the attribute `Codegen`, as `FuseOpsByPattern` with
//! `annotate_codegen` and `MergeCompositeFunctions` make them; with entry functions, those that these need. The user's
//! function is asked once for each code generator, with all of its functions in the order of their names: it sees to it
//! that functions of their global symbols are known when the program runs. The module keeps calls of these names and
//! nothing else of them: a function that is handed over and also used as a value is an error.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_ir::analysis::all_global_vars;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{Callback, CallbackValue, ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function, StructInfo};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_support::{Diagnostic, Set};

use crate::normalize::normalized;
use crate::outline::CODEGEN;
use crate::sequence::{Emitter, Rebuild, bound_value, located, map_functions, rebuild};

/// Hands functions to code generators outside of the compiler.
#[derive(Clone)]
pub struct RunCodegen {
    /// Options by the name of the code generator.
    pub target_options: Attrs,
    /// Functions from which those are looked for that are handed over; none: all.
    pub entry_functions: Vec<String>,
    /// Asked with the name of a code generator, its functions and its options.
    pub generate: Callback,
}

const NAME: &str = "RunCodegen";
/// The code of errors about external code.
const CODE: &str = "TW0732";

impl std::fmt::Debug for RunCodegen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(NAME).field("entry_functions", &self.entry_functions).finish_non_exhaustive()
    }
}

impl RunCodegen {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Functions for code generators outside of the compiler are handed to them, and called by name.",
        params: &[
            ParamDef {
                name: "target_options",
                kind: ParamKind::OptionalDict,
                default: AttrDefault::None,
                doc: "Options by the name of the code generator.",
            },
            ParamDef {
                name: "entry_functions",
                kind: ParamKind::OptionalStrs,
                default: AttrDefault::None,
                doc: "The names of functions from which those are looked for that are handed over.",
            },
            ParamDef {
                name: "generate",
                kind: ParamKind::OptionalCallback,
                default: AttrDefault::None,
                doc: "A function of the name of a code generator, the list of its functions and its options, which makes their \
                      global symbols known.",
            },
        ],
        make: |args| {
            Ok(Arc::new(Self {
                target_options: args.dict("target_options"),
                entry_functions: args.texts("entry_functions").unwrap_or_default(),
                generate: args.callback("generate").unwrap_or_else(|| Arc::new(|_| Err("it is not known".to_owned()))),
            }))
        },
    };
}

impl Pass for RunCodegen {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let handed = self.handed_over(&module)?;
        let failed = |message: String| PassError::new(NAME, Diagnostic::error(CODE, message));
        let mut symbols: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        for (generator, functions) in &handed {
            let mut exprs = Vec::new();
            for (name, function) in functions {
                let symbol = function.attrs.get(GLOBAL_SYMBOL).and_then(Attr::as_str).unwrap_or(name);
                let mut function = Function::clone(function);
                function.attrs.insert(GLOBAL_SYMBOL.into(), Attr::str(symbol));
                symbols.insert(name.clone(), symbol.into());
                exprs.push(Expr::raw(function.signature(), ExprKind::Function(Box::new(function))));
            }
            let options = self.target_options.get(&**generator).cloned().unwrap_or_else(|| Attr::Map(Attrs::new()));
            let told = [
                CallbackValue::Data(Attr::str(&**generator)),
                CallbackValue::Exprs(exprs),
                CallbackValue::Data(options),
            ];
            (self.generate)(&told).map_err(|why| failed(format!("the code generator `{generator}` failed: {why}")))?;
        }
        symbols.keys().for_each(|name| drop(module.remove(name)));
        let mut calls = ByName(symbols);
        map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = rebuild(&function.body, &mut calls, diagnostics);
            if let Some(still) =
                all_global_vars(&function).into_iter().find(|global| calls.0.contains_key(&global.name))
            {
                let message = format!("`{}` is handed to a code generator, and used other than called", still.name);
                diagnostics.push(located(Diagnostic::error(CODE, message), &function.origins));
            }
            function
        })
    }
}

/// By code generator the functions for it with their names.
type Handed = BTreeMap<Arc<str>, Vec<(Arc<str>, Arc<Function>)>>;

impl RunCodegen {
    fn handed_over(&self, module: &IRModule) -> Result<Handed, PassError> {
        if let Some(unknown) = self.entry_functions.iter().find(|name| module.relax(name).is_none()) {
            let message = format!("the module has no function `{unknown}`");
            return Err(PassError::new(NAME, Diagnostic::error("TW0701", message)));
        }
        let needed = self.needed(module);
        let mut handed = Handed::new();
        for (name, _) in module.sorted().into_iter().filter(|(name, _)| needed.contains(*name)) {
            if let Some(function) = module.relax(name)
                && let Some(generator) = function.attrs.get(CODEGEN).and_then(Attr::as_str)
            {
                handed.entry(generator.into()).or_default().push((name.clone(), function.clone()));
            }
        }
        Ok(handed)
    }

    /// The names of the functions that the entry functions need; all, if there are no entry functions.
    fn needed(&self, module: &IRModule) -> Set<Arc<str>> {
        if self.entry_functions.is_empty() {
            return module.iter().map(|(name, _)| name.clone()).collect();
        }
        let mut needed: Set<Arc<str>> = Set::default();
        let mut todo: Vec<Arc<str>> = self.entry_functions.iter().map(|name| name.as_str().into()).collect();
        while let Some(name) = todo.pop() {
            if needed.insert(name.clone())
                && let Some(function) = module.relax(&name)
            {
                todo.extend(all_global_vars(&**function).iter().map(|global| global.name.clone()));
            }
        }
        needed
    }
}

/// Calls by the names of code generators' functions, for calls of the functions of these names.
struct ByName(BTreeMap<Arc<str>, Arc<str>>);

impl Rebuild for ByName {
    fn binding(&mut self, mut binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let Some(value) = bound_value(&binding)
            && let ExprKind::Call { callee: Callee::Value(callee), args, .. } = &value.kind
            && let ExprKind::GlobalVar(global) = &callee.kind
            && let Some(symbol) = self.0.get(&global.name)
        {
            let called = |results| {
                Expr::call_dps_packed(symbol.clone(), args.clone(), results).map_err(|error| {
                    Box::new(Diagnostic::error(CODE, format!("a call of a function for a code generator: {error}")))
                })
            };
            let call = match &value.struct_info {
                // A call of one result gives the tensor itself.
                StructInfo::Tuple(fields) if fields.len() == 1 => {
                    let mut emitter = Emitter { dataflow, origins: &binding.origins, out };
                    Expr::tuple(vec![emitter.bind(called(fields.clone())?)])
                }
                StructInfo::Tuple(fields) => called(fields.clone())?,
                one => called(vec![one.clone()])?,
            };
            binding.value = BindingValue::Expr(call);
        }
        out.push(binding);
        Ok(())
    }
}
