//! `LegalizeOps`: operators become calls of PrimFuncs.
//!
//! Each call of an operator that has a PrimFunc legalisation becomes `R.call_tir` of a private PrimFunc named after the
//! operator. Structurally equal PrimFuncs are one; its origins are those of all calls. Symbolic dimensions that no
//! buffer's shape tells are passed as scalars, between the tensors and the results.
//!
//! Operators that are named in `skip_ops` stay as they are; the module is then no legalised one. With `enable_warning` a
//! warning names each operator that has a legalisation and is there afterwards.
//!
//! Sizes that an operator takes to be equal, and that only the run can compare, are compared in front of the call: by
//! `R.match_cast` of one as a shape of the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright_expr::Var as ScalarVar;
use tilewright_expr::node::{EqCx, HashCx, rewrite, walk};
use tilewright_ir::op::{AttrDefault, EqualSizes, InferCx, InferError, Legalize, OpCall};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, GlobalVar, StructInfo, TensorShape, Var};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, Origins, Set};

use crate::normalize::normalized;
use crate::sequence::{Rebuild, map_functions, rebuild};

/// Replaces operators by calls of PrimFuncs.
#[derive(Clone, Copy, Debug)]
pub struct LegalizeOps;

const NAME: &str = "LegalizeOps";

impl Pass for LegalizeOps {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Graph, to: Form::Legalized }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        legalized(&module, Set::default())
    }
}

impl LegalizeOps {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Operators become calls of loop functions.",
        params: &[
            ParamDef {
                name: "skip_ops",
                kind: ParamKind::OptionalStrs,
                default: AttrDefault::None,
                doc: "The names of operators, such as `relax.add`, that stay.",
            },
            ParamDef {
                name: "enable_warning",
                kind: ParamKind::Bool,
                default: AttrDefault::Bool(false),
                doc: "Whether a warning names each operator that is left.",
            },
        ],
        make: |args| {
            let mut skipped = Set::default();
            for name in args.texts("skip_ops").unwrap_or_default() {
                let op = tilewright_ops::lookup(name.strip_prefix("relax.").unwrap_or(&name))
                    .ok_or_else(|| format!("`{NAME}`: there is no operator `{name}`"))?;
                skipped.insert(op.name);
            }
            let warns = args.flag("enable_warning");
            Ok(if skipped.is_empty() && !warns { Arc::new(Self) } else { Arc::new(LegalizeOthers { skipped, warns }) })
        },
    };
}

/// Replaces all operators but some.
#[derive(Clone, Debug)]
struct LegalizeOthers {
    skipped: Set<&'static str>,
    /// Whether warnings name those that are left.
    warns: bool,
}

impl Pass for LegalizeOthers {
    fn info(&self) -> PassInfo {
        let to = if self.skipped.is_empty() { Form::Legalized } else { Form::Graph };
        PassInfo { name: NAME, opt_level: 0, from: Form::Graph, to }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let module = legalized(&module, self.skipped.clone())?;
        if self.warns {
            for name in left_operators(&module) {
                cx.diagnostics.push(Diagnostic::warning("", format!("operator `relax.{name}` is left")));
            }
        }
        Ok(module)
    }
}

/// The names of the operators that have a legalisation and are there, sorted.
fn left_operators(module: &IRModule) -> BTreeSet<&'static str> {
    let mut left = BTreeSet::new();
    for (_, function) in module.iter() {
        walk(function, |expr: &Expr| {
            if let ExprKind::Call { callee: Callee::Op(op), .. } = &expr.kind
                && let Legalize::PrimFunc(_) = op.legalize
            {
                left.insert(op.name);
            }
        });
    }
    left
}

fn legalized(module: &IRModule, skipped: Set<&'static str>) -> Result<IRModule, PassError> {
    let mut library = Library { skipped, ..Library::of(module) };
    let graph = map_functions(NAME, module, |function, diagnostics| {
        let mut function = normalized(function);
        function.body = rebuild(&function.body, &mut library, diagnostics);
        function
    })?;
    let mut result = library.module;
    for (name, function) in graph.iter() {
        if let GlobalFunc::Relax(_) = function {
            result.insert(name.clone(), function.clone());
        }
    }
    Ok(result)
}

/// The module under construction, with its private PrimFuncs by structure.
pub(crate) struct Library {
    cx: InferCx,
    pub(crate) module: IRModule,
    by_hash: Map<u64, Vec<GlobalVar>>,
    /// The names of operators that stay.
    skipped: Set<&'static str>,
}

impl Library {
    pub(crate) fn of(module: &IRModule) -> Self {
        let mut by_hash: Map<u64, Vec<GlobalVar>> = Map::default();
        for (name, function) in module.iter() {
            if let GlobalFunc::Prim(function) = function
                && function.global_symbol().is_none()
                && let Some(global) = module.global_var(name)
            {
                by_hash.entry(HashCx::hash(&**function)).or_default().push(global);
            }
        }
        Self { cx: InferCx::default(), module: module.clone(), by_hash, skipped: Set::default() }
    }

    /// The module's function of this structure, with symbolic dimensions of its own.
    pub(crate) fn add(&mut self, wish: &str, function: PrimFunc, origins: &Origins) -> GlobalVar {
        self.share(wish, renewed(function), origins)
    }

    /// The module's function of this structure; a new one gets the wished name or one like it.
    fn share(&mut self, wish: &str, function: PrimFunc, origins: &Origins) -> GlobalVar {
        let hash = HashCx::hash(&function);
        for global in self.by_hash.get(&hash).into_iter().flatten() {
            if let Some(known) = self.module.prim(&global.name)
                && EqCx::compare(&**known, &function).is_ok()
            {
                let merged = PrimFunc { origins: known.origins.merge(origins), ..(**known).clone() };
                return self.module.insert(global.name.clone(), merged);
            }
        }
        let global = self.module.insert_unique(wish, PrimFunc { origins: origins.clone(), ..function });
        self.by_hash.entry(hash).or_default().push(global.clone());
        global
    }

    /// The call of the function that the rule makes for a call of an operator; a new one gets the wished name or one like it.
    pub(crate) fn legalized_as(
        &mut self,
        wish: &str,
        call: &OpCall<'_>,
        tensors: Vec<Expr>,
        rule: fn(&OpCall<'_>) -> Result<PrimFunc, InferError>,
        result: &StructInfo,
        origins: &Origins,
    ) -> Result<Expr, InferError> {
        let function = rule(call)?;
        let known = |info: &&StructInfo| info.dims().is_some() && info.dtype().is_some();
        let Some(results) = result.tensors().filter(|tensors| tensors.iter().all(known)) else {
            return Err(InferError::new(
                "the shape or data type of its result is not known here; `R.match_cast` can state it",
            ));
        };
        let results = results.into_iter().cloned().collect();
        let scalars = function.params.iter().filter(|param| param.buffer.is_none());
        let scalars = scalars.map(|param| Expr::prim(tilewright_expr::Expr::var(&param.var)));
        let args = tensors.into_iter().chain(scalars).collect();
        let global = self.add(wish, function, origins);
        Expr::call_tir(&self.cx, global, args, results)
    }
}

impl Rebuild for Library {
    fn binding(&mut self, mut binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &value.kind
            && let Legalize::PrimFunc(rule) = op.legalize
            && !self.skipped.contains(op.name)
        {
            let call = OpCall { op: *op, args, attrs };
            let refused = |error: InferError| {
                Box::new(Diagnostic::error("TW0711", format!("`{}` cannot become loops: {error}", op.name)))
            };
            let mut tensors = call.tensors().map_err(refused)?;
            bind_fields(&mut tensors, &binding.origins, dataflow, out);
            check_sizes(&call, &binding.origins, dataflow, out);
            let (wish, info) = (short_name(&call), &value.struct_info);
            let legal = self.legalized_as(wish, &call, tensors, rule, info, &binding.origins).map_err(refused)?;
            let legal = match &value.struct_info {
                // A call of one result gives the tensor itself.
                StructInfo::Tuple(fields) if fields.len() == 1 => {
                    Expr::tuple(vec![bound(legal, &binding.origins, dataflow, out)])
                }
                _ => legal,
            };
            binding.value = BindingValue::Expr(legal);
        }
        out.push(binding);
        Ok(())
    }
}

/// Lets the run check what the operator's rule takes to be so: sizes that must be equal, as variables whose names say for
/// which operator.
fn check_sizes(call: &OpCall<'_>, origins: &Origins, dataflow: bool, out: &mut Vec<Binding>) {
    let cx = InferCx::remembering();
    if (call.op.infer)(&cx, call).is_err() {
        return;
    }
    for EqualSizes { found, wanted } in cx.assumed() {
        let struct_info = StructInfo::Shape(TensorShape::Known(vec![wanted]));
        let name = format!("{}_sizes", short_name(call));
        let info = struct_info.clone();
        let var = if dataflow { Var::dataflow(name, info) } else { Var::new(name, info) };
        let value = BindingValue::MatchCast { value: Expr::shape(vec![found]), struct_info };
        out.push(Binding { var, value, origins: origins.clone() });
    }
}

/// The last part of the operator's name.
fn short_name(call: &OpCall<'_>) -> &'static str {
    call.op.name.rsplit('.').next().unwrap_or(call.op.name)
}

/// Gives the fields of tuple values among the operands variables, which `out` binds.
fn bind_fields(operands: &mut [Expr], origins: &Origins, dataflow: bool, out: &mut Vec<Binding>) {
    for operand in operands {
        if matches!(operand.kind, ExprKind::TupleGet { .. }) {
            *operand = bound(operand.clone(), origins, dataflow, out);
        }
    }
}

/// A variable of the value, which `out` binds.
fn bound(value: Expr, origins: &Origins, dataflow: bool, out: &mut Vec<Binding>) -> Expr {
    let info = value.struct_info.clone();
    let var = if dataflow { Var::dataflow("lv", info) } else { Var::new("gv", info) };
    let of_var = Expr::var(&var);
    out.push(Binding::new(var, value, origins.clone()));
    of_var
}

/// The function with symbolic dimensions of its own, not those of the graph that it was made for.
fn renewed(function: PrimFunc) -> PrimFunc {
    let mut renaming: Map<_, ScalarVar> = Map::default();
    for param in &function.params {
        match &param.buffer {
            Some(buffer) => walk(&buffer.shape, |var: &ScalarVar| {
                renaming.entry(var.id()).or_insert_with(|| var.renewed());
            }),
            None => {
                renaming.entry(param.var.id()).or_insert_with(|| param.var.renewed());
            }
        }
    }
    rewrite(&function, |var: &ScalarVar| renaming.get(&var.id()).cloned()).unwrap_or(function)
}
