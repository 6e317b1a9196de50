//! `LegalizeOps`: operators become calls of PrimFuncs.
//!
//! Each call of an operator that has a PrimFunc legalisation becomes `R.call_tir` of a private PrimFunc named after the
//! operator. Structurally equal PrimFuncs are one; its origins are those of all calls. Symbolic dimensions that no
//! buffer's shape tells are passed as scalars, between the tensors and the results.
//!
//! Operators that are named in `skip_ops` stay as they are; the module is then no legalised one. With `enable_warning`
//! a warning names each operator that stays: one of them, or one that the machine runs itself. Any other becomes loops,
//! or is an error.
//!
//! Sizes that an operator takes to be equal, and that only the run can compare, are compared in front of the call: by
//! `R.match_cast` of one as a shape of the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright_expr::Var as ScalarVar;
use tilewright_expr::node::{EqCx, HashCx, VarId, rewrite, walk};
use tilewright_ir::legalize::LegalizeCx;
use tilewright_ir::op::{AttrDefault, EqualSizes, InferCx, InferError, OpCall};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, GlobalVar, StructInfo, TensorShape, Var};
use tilewright_ir::tir::{self, Buffer, PrimFunc};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, Origins, Set};
use tilewright_tensor::DataType;

use crate::equal_calls::{Asked, EqualCalls};
use crate::inline_scalar_constants::{number, with_numbers};
use crate::normalize::normalized;
use crate::sequence::{Emitter, Rebuild, map_functions, rebuild};

/// Replaces operators by calls of PrimFuncs.
#[derive(Clone, Debug, Default)]
pub struct LegalizeOps {
    /// The operators that stay, besides those that the machine runs itself.
    skipped: Set<&'static str>,
    /// Whether a warning names each operator that stays.
    warns: bool,
}

const NAME: &str = "LegalizeOps";

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
                doc: "Whether a warning names each operator that stays: of `skip_ops`, or run by the machine itself.",
            },
        ],
        make: |args| {
            let mut skipped = Set::default();
            for name in args.texts("skip_ops").unwrap_or_default() {
                let op = tilewright_ops::lookup(name.strip_prefix("relax.").unwrap_or(&name))
                    .ok_or_else(|| format!("`{NAME}`: there is no operator `{name}`"))?;
                skipped.insert(op.name);
            }
            Ok(Arc::new(Self { skipped, warns: args.flag("enable_warning") }))
        },
    };
}

impl Pass for LegalizeOps {
    fn info(&self) -> PassInfo {
        let to = if self.skipped.is_empty() { Form::Legalized } else { Form::Graph };
        PassInfo { name: NAME, opt_level: 0, from: Form::Graph, to }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut library = Library { skipped: self.skipped.clone(), ..Library::of(&module, cx.legalize_cx()) };
        let graphs = map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = rebuild(&function.body, &mut library, diagnostics);
            function
        })?;
        if self.warns {
            for name in &library.left {
                cx.diagnostics.push(Diagnostic::warning("TW0711", format!("operator `relax.{name}` is left")));
            }
        }
        Ok(library.with_graphs(&graphs))
    }
}

/// The module under construction, with its private PrimFuncs by structure.
pub(crate) struct Library {
    cx: InferCx,
    /// What legalisations are told of the machine.
    legalize: LegalizeCx,
    pub(crate) module: IRModule,
    by_hash: Map<u64, Vec<GlobalVar>>,
    /// The functions that calls of operators became.
    answers: EqualCalls<Answer>,
    /// The names of operators that stay, besides those that the machine runs itself.
    skipped: Set<&'static str>,
    /// Those that were met and stayed.
    left: BTreeSet<&'static str>,
}

/// The legalisation of a call: a call of this function, with these scalars after the tensors.
#[derive(Clone)]
struct Answer {
    function: GlobalVar,
    /// The positions of the tensors that it takes.
    taken: Vec<usize>,
    scalars: Vec<Expr>,
}

impl Library {
    pub(crate) fn of(module: &IRModule, legalize: LegalizeCx) -> Self {
        let mut by_hash: Map<u64, Vec<GlobalVar>> = Map::default();
        for (name, function) in module.iter() {
            if let GlobalFunc::Prim(function) = function
                && function.global_symbol().is_none()
                && let Some(global) = module.global_var(name)
            {
                by_hash.entry(HashCx::hash(&**function)).or_default().push(global);
            }
        }
        let (cx, module, answers) = (InferCx::default(), module.clone(), EqualCalls::default());
        Self { cx, legalize, module, by_hash, answers, skipped: Set::default(), left: BTreeSet::new() }
    }

    /// The module with the Relax functions of another one, those that the library's functions were made for.
    pub(crate) fn with_graphs(self, graphs: &IRModule) -> IRModule {
        let mut module = self.module;
        for (name, function) in graphs.iter().filter(|(_, function)| matches!(function, GlobalFunc::Relax(_))) {
            module.insert(name.clone(), function.clone());
        }
        module
    }

    /// The function that a call of an operator becomes, which is not the module's.
    pub(crate) fn prim_func(&self, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
        call.op.legalize.prim_func(&self.legalize, call)
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
                return self.also_from(global.clone(), origins);
            }
        }
        let global = self.module.insert_unique(wish, PrimFunc { origins: origins.clone(), ..function });
        self.by_hash.entry(hash).or_default().push(global.clone());
        global
    }

    /// The module's function, which was made for another binding too.
    fn also_from(&mut self, global: GlobalVar, origins: &Origins) -> GlobalVar {
        let Some(known) = self.module.prim(&global.name) else { return global };
        let merged = PrimFunc { origins: known.origins.merge(origins), ..(**known).clone() };
        self.module.insert(global.name, merged)
    }

    /// The call of the function that its legalisation makes of a call of an operator; a new one gets the wished name or
    /// one like it.
    pub(crate) fn legalized_as(
        &mut self,
        wish: &str,
        call: &OpCall<'_>,
        tensors: Vec<Expr>,
        result: &StructInfo,
        origins: &Origins,
    ) -> Result<Expr, InferError> {
        let function = self.prim_func(call)?;
        let results = results_of(result)?;
        let answer = self.answer(wish, function, tensors.len(), origins);
        self.called(answer, tensors, results)
    }

    /// As [`Library::legalized_as`], under the operator's name, and asking once for equal calls.
    fn legalized(
        &mut self,
        call: &OpCall<'_>,
        tensors: Vec<Expr>,
        result: &StructInfo,
        origins: &Origins,
    ) -> Result<Expr, InferError> {
        if let Some((at, number)) = scalar_operand(call) {
            return self.legalized_with(call, tensors, result, origins, (at, number));
        }
        let asked = Asked::of(call);
        if let Some(answer) = asked.as_ref().and_then(|asked| self.answers.get(asked)).cloned() {
            let results = results_of(result)?;
            let answer = Answer { function: self.also_from(answer.function.clone(), origins), ..answer };
            return self.called(answer, tensors, results);
        }
        let function = self.prim_func(call)?;
        let results = results_of(result)?;
        let answer = self.answer(call.op.function_name(), function, tensors.len(), origins);
        if let Some(asked) = asked {
            self.answers.put(asked, answer.clone());
        }
        self.called(answer, tensors, results)
    }

    /// As [`Library::legalized`], where the tensor at this position is a number, which the function gets.
    fn legalized_with(
        &mut self,
        call: &OpCall<'_>,
        mut tensors: Vec<Expr>,
        result: &StructInfo,
        origins: &Origins,
        (at, number): (usize, tir::Expr),
    ) -> Result<Expr, InferError> {
        let whole = self.prim_func(call)?;
        // The function with the number has variables of its own; the call is given those of the call's sizes.
        let scalars = scalars_of(&whole);
        let mut numbers = vec![None; tensors.len()];
        numbers[at] = Some(number);
        let function = match with_numbers(&whole, &numbers) {
            Some(function) => {
                tensors.remove(at);
                function
            }
            None => whole,
        };
        let results = results_of(result)?;
        let answer = self.answer(call.op.function_name(), function, tensors.len(), origins);
        self.called(Answer { scalars, ..answer }, tensors, results)
    }

    /// The answer of a function on this many tensors; it does not take those that it has no use for.
    fn answer(&mut self, wish: &str, mut function: PrimFunc, tensors: usize, origins: &Origins) -> Answer {
        let taken = taken_tensors(&function, tensors);
        let mut at = 0..;
        function.params.retain(|_| at.next().is_none_or(|at| at >= tensors || taken.contains(&at)));
        let scalars = scalars_of(&function);
        Answer { function: self.add(wish, function, origins), taken, scalars }
    }

    fn called(&self, answer: Answer, tensors: Vec<Expr>, results: Vec<StructInfo>) -> Result<Expr, InferError> {
        let taken = answer.taken.iter().filter_map(|at| tensors.get(*at).cloned());
        let args = taken.chain(answer.scalars).collect();
        Expr::call_tir(&self.cx, answer.function, args, results)
    }
}

/// The tensors of a result, which have to be known.
fn results_of(result: &StructInfo) -> Result<Vec<StructInfo>, InferError> {
    let known = |info: &&StructInfo| info.dims().is_some() && info.dtype().is_some();
    match result.tensors().filter(|tensors| tensors.iter().all(known)) {
        Some(results) => Ok(results.into_iter().cloned().collect()),
        None => {
            Err(InferError::new("the shape or data type of its result is not known here; `R.match_cast` can state it"))
        }
    }
}

impl Rebuild for Library {
    fn binding(&mut self, mut binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &value.kind
        {
            if !op.legalize.is_prim_func() || self.skipped.contains(op.name) {
                self.left.insert(op.name);
                out.push(binding);
                return Ok(());
            }
            let mut emitter = Emitter { dataflow, origins: &binding.origins, out };
            let args = &with_named_scalars(args, &mut emitter);
            if let Some(named) = with_named_sizes(&OpCall { op: *op, args, attrs }, &value.struct_info, &mut emitter) {
                let value = emitter.bind(named);
                let (var, known) = (binding.var.clone(), binding.origins.clone());
                if let (ExprKind::Var(made), Some(last)) = (&value.kind, out.pop()) {
                    let made = Binding { var: made.clone(), ..last };
                    self.binding(made, dataflow, out)?;
                }
                let struct_info = var.struct_info.clone();
                out.push(Binding { var, value: BindingValue::MatchCast { value, struct_info }, origins: known });
                return Ok(());
            }
            let call = OpCall { op: *op, args, attrs };
            let refused = |error: InferError| {
                Box::new(Diagnostic::error("TW0711", format!("`{}` cannot become loops: {error}", op.name)))
            };
            if let StructInfo::Prim { .. } = &value.struct_info {
                let number = stored_number(&self.prim_func(&call).map_err(refused)?);
                let number = number.ok_or_else(|| refused(InferError::new("its value is not one expression")))?;
                binding.value = BindingValue::Expr(Expr::prim(number));
                out.push(binding);
                return Ok(());
            }
            let mut tensors = call.tensors().map_err(refused)?;
            let mut emitter = Emitter { dataflow, origins: &binding.origins, out };
            bind_fields(&mut tensors, &mut emitter);
            check_sizes(&call, &mut emitter);
            let legal = self.legalized(&call, tensors, &value.struct_info, &binding.origins).map_err(refused)?;
            let legal = match &value.struct_info {
                // A call of one result gives the tensor itself.
                StructInfo::Tuple(fields) if fields.len() == 1 => Expr::tuple(vec![emitter.bind(legal)]),
                _ => legal,
            };
            binding.value = BindingValue::Expr(legal);
        }
        out.push(binding);
        Ok(())
    }
}

/// The arguments, those scalars whose values are not known as variables, which the run gives their values.
fn with_named_scalars(args: &[Expr], emitter: &mut Emitter<'_>) -> Vec<Expr> {
    let mut named = |arg: &Expr| match &arg.struct_info {
        StructInfo::Prim { dtype, value: None } => {
            let name = if let ExprKind::Var(var) = &arg.kind { &*var.name } else { "scalar" };
            let value = tir::Expr::var(&ScalarVar::new(name, *dtype));
            emitter.match_cast(name.to_owned(), arg.clone(), StructInfo::Prim { dtype: *dtype, value: Some(value) })
        }
        _ => arg.clone(),
    };
    args.iter().map(&mut named).collect()
}

/// The value of the only store of a function.
fn stored_number(function: &PrimFunc) -> Option<tir::Expr> {
    let mut stored = Vec::new();
    walk(&function.body, |stmt: &tir::Stmt| {
        if let tir::StmtKind::Store { value, .. } = &stmt.kind {
            stored.push(value.clone());
        }
    });
    match stored.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// The call on operands whose sizes have names, which the run gives them, where only a run knows the result's sizes.
fn with_named_sizes(call: &OpCall<'_>, result: &StructInfo, emitter: &mut Emitter<'_>) -> Option<Expr> {
    if results_of(result).is_ok() {
        return None;
    }
    let named = |info: &StructInfo| {
        let dims = |rank: usize| {
            let dim = |at| tir::Expr::var(&ScalarVar::new(format!("s{at}"), DataType::I64));
            TensorShape::Known((0..rank).map(dim).collect())
        };
        match info {
            StructInfo::Shape(TensorShape::Rank(rank)) => Some(StructInfo::Shape(dims(*rank))),
            StructInfo::Tensor { shape: TensorShape::Rank(rank), dtype, vdevice } => {
                Some(StructInfo::Tensor { shape: dims(*rank), dtype: *dtype, vdevice: vdevice.clone() })
            }
            _ => None,
        }
    };
    let infos: Vec<Option<StructInfo>> = call.args.iter().map(|arg| named(&arg.struct_info)).collect();
    // The rule is asked before anything is written, with variables of these sizes.
    let probe = |(arg, info): (&Expr, &Option<StructInfo>)| match info {
        Some(info) => Expr::var(&Var::new("x", info.clone())),
        None => arg.clone(),
    };
    let probes = call.args.iter().zip(&infos).map(probe).collect();
    let known = Expr::call_op(&InferCx::default(), call.op, probes, call.attrs.clone()).ok()?;
    if infos.iter().all(Option::is_none) || results_of(&known.struct_info).is_err() {
        return None;
    }
    let args = call.args.iter().zip(infos).map(|(arg, info)| match info {
        Some(info) => emitter.match_cast("sizes".to_owned(), arg.clone(), info),
        None => arg.clone(),
    });
    Expr::call_op(&InferCx::default(), call.op, args.collect(), call.attrs.clone()).ok()
}

/// Lets the run check what the operator's rule takes to be so: sizes that must be equal, as variables whose names say
/// for which operator.
fn check_sizes(call: &OpCall<'_>, emitter: &mut Emitter<'_>) {
    let cx = InferCx::remembering();
    if (call.op.infer)(&cx, call).is_err() {
        return;
    }
    for EqualSizes { found, wanted } in cx.assumed() {
        let wanted = StructInfo::Shape(TensorShape::Known(vec![wanted]));
        emitter.match_cast(format!("{}_sizes", short_name(call)), Expr::shape(vec![found]), wanted);
    }
}

/// The values of the function's scalar parameters, which are called as they are.
fn scalars_of(function: &PrimFunc) -> Vec<Expr> {
    let scalars = function.params.iter().filter(|param| param.buffer.is_none());
    scalars.map(|param| Expr::prim(tilewright_expr::Expr::var(&param.var))).collect()
}

/// The positions of the function's first parameters that it reads, or that say a dimension which no other one does.
fn taken_tensors(function: &PrimFunc, count: usize) -> Vec<usize> {
    let mut used: Set<VarId> = Set::default();
    walk(&function.body, |buffer: &Buffer| {
        used.insert(buffer.data.id());
    });
    let buffer = |at: usize| function.params.get(at).and_then(|param| param.buffer.as_ref());
    let says = |at: usize, dim: &ScalarVar| {
        buffer(at).is_some_and(|buffer| buffer.shape.iter().any(|own| own.as_var() == Some(dim)))
    };
    let mut taken: Vec<usize> =
        (0..count).filter(|&at| buffer(at).is_none_or(|b| used.contains(&b.data.id()))).collect();
    for at in 0..count {
        let dims = buffer(at).into_iter().flat_map(|buffer| buffer.shape.iter().filter_map(tir::Expr::as_var));
        let missing = |dim: &ScalarVar| {
            let others = taken.iter().copied().chain(count..function.params.len());
            let scalar = function.params.iter().any(|param| param.buffer.is_none() && param.var == *dim);
            !scalar && !others.clone().any(|other| says(other, dim))
        };
        if !taken.contains(&at) && dims.into_iter().any(missing) {
            taken.push(at);
        }
    }
    taken.sort_unstable();
    taken
}

/// The operand that becomes a number of the loops: its position among the tensors, and the number.
fn scalar_operand(call: &OpCall<'_>) -> Option<(usize, tir::Expr)> {
    call.op.numbers.iter().find_map(|&at| {
        let arg = call.args.get(at).filter(|arg| arg.struct_info.rank() == Some(0))?;
        let is_tensor = |arg: &&Expr| matches!(arg.struct_info, StructInfo::Tensor { .. });
        Some((call.args[..at].iter().filter(is_tensor).count(), number(arg)?))
    })
}

/// The last part of the operator's name.
fn short_name(call: &OpCall<'_>) -> &'static str {
    call.op.name.rsplit('.').next().unwrap_or(call.op.name)
}

/// Gives the fields of tuple values among the operands variables.
fn bind_fields(operands: &mut [Expr], emitter: &mut Emitter<'_>) {
    for operand in operands {
        if matches!(operand.kind, ExprKind::TupleGet { .. }) {
            *operand = emitter.bind(operand.clone());
        }
    }
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
