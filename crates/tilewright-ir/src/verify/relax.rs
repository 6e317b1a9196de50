//! Graph functions: scopes, purity, calls, struct infos.

use std::fmt;

use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_support::{NearSet, with_stack};

use super::Report;
use super::info::{dims, follows, show};
use super::scalar::{Context, check as check_scalar, typed};
use super::scope::{Level, Scopes};
use super::settled::Settled;
use crate::calls::{may_have, packed_inplace, said_result, scalar_info};
use crate::inplace::{allocated, check_inplace};
use crate::op::{InferCx, Legalize, MachineOp, check_against, describe, is_said_pure, substitute_dims, tir_vars};
use crate::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, TensorShape,
    Var, attr_names,
};
use crate::tir;
use crate::{Attr, Attrs, GlobalFunc, IRModule};

pub(super) fn check(report: &mut Report, module: &IRModule, function: &Function, settled: &mut Settled) {
    let mut checker = Checker {
        report,
        module,
        settled,
        cx: InferCx::default(),
        scopes: Scopes::default(),
        bound: NearSet::default(),
        retired: NearSet::default(),
        allocated: NearSet::default(),
        context: BodyContext { seq: 0, dataflow: false, pure: false },
    };
    checker.function(function);
}

struct Checker<'r> {
    report: &'r mut Report,
    module: &'r IRModule,
    settled: &'r mut Settled,
    cx: InferCx,
    scopes: Scopes,
    /// Every graph variable that was bound.
    bound: NearSet<VarId>,
    /// Dataflow variables whose block is over.
    retired: NearSet<VarId>,
    /// Variables of tensors that the function allocates itself.
    allocated: NearSet<VarId>,
    context: BodyContext,
}

/// The context of the current expression.
#[derive(Clone, Copy)]
struct BodyContext {
    /// The scope of the innermost function or branch.
    seq: Level,
    dataflow: bool,
    /// The function says that it is pure.
    pure: bool,
}

impl Checker<'_> {
    fn error(&mut self, code: &'static str, message: impl Into<String>) {
        self.report.error(code, message);
    }

    /// Runs `inside` in a scope of its own and gives the innermost scope around it that was used.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self) -> Level) -> Level {
        self.scopes.enter();
        let (level, here) = (inside(self), self.scopes.here());
        self.scopes.leave();
        if level >= here { here - 1 } else { level }
    }

    fn function(&mut self, function: &Function) -> Level {
        self.report.origins.push(function.origins.headline());
        let forced = function.attrs.get(attr_names::FORCE_PURE).is_some_and(Attr::is_true);
        let inside = BodyContext { seq: 0, dataflow: false, pure: function.pure && !forced };
        let before = std::mem::replace(&mut self.context, inside);
        let level = self.scoped(|this| {
            let settled: Vec<_> = function.params.iter().map(|param| this.define_dims(&param.struct_info)).collect();
            let mut level = 0;
            for (param, settled) in function.params.iter().zip(settled) {
                level = level.max(settled.unwrap_or_else(|| this.info(&param.struct_info)));
                if param.dataflow {
                    this.error("TW0521", format!("parameter `{}` is a dataflow variable", param.name));
                }
                this.bind(param);
            }
            level = level.max(this.seq(&function.body));
            let found = &function.body.result.struct_info;
            if !follows(&this.cx, found, &function.ret) {
                let (found, expected) = (show(found), show(&function.ret));
                this.error("TW0528", format!("the function says it gives {expected}, its result is {found}"));
            }
            level.max(this.info(&function.ret))
        });
        self.context = before;
        self.report.origins.pop();
        level
    }

    /// Defines the variables that are by themselves a dimension. If there is nothing else but constants in the info, it
    /// is checked by that, and this gives what [`Checker::info`] would.
    fn define_dims(&mut self, info: &StructInfo) -> Option<Level> {
        let here = if self.context.seq == 0 { self.scopes.here() } else { self.context.seq };
        let mut settled = Some(0);
        dims(info, &mut |dim| {
            let inside = match &dim.kind {
                tir::ExprKind::Var(var) if self.scopes.define_at(var.id(), here) => Some(here),
                tir::ExprKind::Var(var) => self.scopes.level(var.id()),
                tir::ExprKind::Int(_) => Some(0),
                _ => None,
            };
            let right = is_scalar_number(dim) && inside.is_some() && typed(dim).is_ok();
            settled = settled.max(inside).filter(|_| right && settled.is_some());
        });
        settled
    }

    fn bind(&mut self, var: &Var) {
        if !self.bound.insert(var.id()) {
            self.error("TW0522", format!("variable `{}` is bound a second time", var.name));
        }
        let level = if var.dataflow || self.context.seq == 0 { self.scopes.here() } else { self.context.seq };
        self.scopes.define_at(var.id(), level);
    }

    /// Checks the dimensions of a struct info.
    fn info(&mut self, info: &StructInfo) -> Level {
        let mut level = 0;
        dims(info, &mut |dim| level = level.max(self.dim(dim)));
        level
    }

    fn dim(&mut self, dim: &tir::Expr) -> Level {
        if !is_scalar_number(dim) {
            self.error("TW0530", format!("a dimension is {}, expected a scalar integer", dim.dtype));
        }
        check_scalar(self.report, &mut self.scopes, Context::Dims, dim)
    }

    fn seq(&mut self, seq: &SeqExpr) -> Level {
        let before = self.context;
        let level = self.scoped(|this| {
            this.context.seq = this.scopes.here();
            let mut level = 0;
            for block in &seq.blocks {
                level = level.max(this.block(block));
            }
            level.max(this.expr(&seq.result))
        });
        self.context = before;
        level
    }

    fn block(&mut self, block: &BindingBlock) -> Level {
        if !block.dataflow {
            return block.bindings.iter().map(|binding| self.binding(binding)).max().unwrap_or(0);
        }
        let before = std::mem::replace(&mut self.context.dataflow, true);
        let level = self.scoped(|this| block.bindings.iter().map(|b| this.binding(b)).max().unwrap_or(0));
        self.context.dataflow = before;
        self.retired.extend(block.bindings.iter().map(|b| &b.var).filter(|var| var.dataflow).map(Var::id));
        level
    }

    fn binding(&mut self, binding: &Binding) -> Level {
        let var = &binding.var;
        self.report.origins.push(binding.origins.clone());
        // Without an origin in the source the name is the origin.
        let named = binding.origins.first().is_none();
        if named {
            self.report.around.push(("binding", var.name.clone()));
        }
        if var.dataflow && !self.context.dataflow {
            self.error("TW0521", format!("dataflow variable `{}` is bound outside a dataflow block", var.name));
        }
        let mut level = 0;
        match &binding.value {
            BindingValue::Expr(value) => {
                // A function can call itself.
                let recursive = matches!(value.kind, ExprKind::Function(_));
                if recursive {
                    self.bind(var);
                }
                level = level.max(self.expr(value));
                self.bound_info(var, &value.struct_info);
                if allocates(value) {
                    self.allocated.insert(var.id());
                }
                if !recursive {
                    self.bind(var);
                }
            }
            BindingValue::MatchCast { value, struct_info } => {
                level = level.max(self.expr(value));
                let settled = self.define_dims(struct_info);
                level = level.max(settled.unwrap_or_else(|| self.info(struct_info)));
                self.bound_info(var, struct_info);
                self.bind(var);
            }
        }
        level = level.max(self.info(&var.struct_info));
        if named {
            self.report.around.pop();
        }
        self.report.origins.pop();
        level
    }

    fn bound_info(&mut self, var: &Var, given: &StructInfo) {
        if !follows(&self.cx, given, &var.struct_info) {
            let (claimed, given) = (show(&var.struct_info), show(given));
            self.error("TW0527", format!("variable `{}` is said to be {claimed}, its value is {given}", var.name));
        }
    }

    /// Checks an expression and gives the innermost scope that it depends on; a shared one is looked at once in each
    /// kind of surroundings.
    fn expr(&mut self, expr: &Expr) -> Level {
        let surroundings = 2 + u8::from(self.context.dataflow) + 2 * u8::from(self.context.pure);
        // A second look at a variable costs no more than to remember the first.
        let shared = !matches!(expr.kind, ExprKind::Var(_)) && expr.is_shared();
        if shared && let Some(level) = self.scopes.checked(expr.address(), surroundings) {
            return level;
        }
        let level = with_stack(|| self.expr_kind(expr));
        if shared {
            self.scopes.remember(expr.address(), surroundings, level);
        }
        level
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Level {
        exprs.iter().map(|e| self.expr(e)).max().unwrap_or(0)
    }

    fn expr_kind(&mut self, expr: &Expr) -> Level {
        match &expr.kind {
            ExprKind::Var(var) => {
                self.rule(expr, format_args!("a use of it"), &var.struct_info);
                self.variable(var)
            }
            ExprKind::GlobalVar(global) => {
                self.global(global);
                0
            }
            ExprKind::ExternFunc(_) | ExprKind::Str(_) | ExprKind::DType(_) => 0,
            ExprKind::Constant(constant) => {
                self.rule(expr, format_args!("a constant"), &StructInfo::of_tensor(&constant.0));
                0
            }
            ExprKind::Call { callee, args, attrs, sinfo_args } => self.call(expr, callee, args, attrs, sinfo_args),
            ExprKind::Tuple(fields) => {
                let level = self.exprs(fields);
                let infos = fields.iter().map(|f| f.struct_info.clone()).collect();
                self.rule(expr, format_args!("a tuple"), &StructInfo::Tuple(infos));
                level
            }
            ExprKind::TupleGet { tuple, index } => {
                let level = self.expr(tuple);
                match Expr::tuple_get(tuple.clone(), *index) {
                    Ok(field) => self.rule(expr, format_args!("a tuple's field"), &field.struct_info),
                    Err(problem) => self.error("TW0526", problem.message),
                }
                level
            }
            ExprKind::Shape(dims) => {
                self.rule(expr, format_args!("a shape"), &StructInfo::Shape(TensorShape::Known(dims.clone())));
                dims.iter().map(|dim| self.dim(dim)).max().unwrap_or(0)
            }
            ExprKind::Prim(value) => {
                let info = StructInfo::Prim { dtype: value.dtype, value: Some(value.clone()) };
                self.rule(expr, format_args!("a scalar"), &info);
                self.dim(value)
            }
            ExprKind::If { condition, then, otherwise } => {
                let level = self.expr(condition).max(self.seq(then)).max(self.seq(otherwise));
                match Expr::conditional(condition.clone(), then.clone(), otherwise.clone()) {
                    Ok(rule) => self.rule(expr, format_args!("a conditional"), &rule.struct_info),
                    Err(problem) => self.error("TW0526", problem.message),
                }
                level
            }
            ExprKind::Function(function) => {
                let level = self.function(function);
                self.rule(expr, format_args!("a function"), &function.signature());
                level
            }
        }
    }

    fn variable(&mut self, var: &Var) -> Level {
        if let Some(level) = self.scopes.level(var.id()) {
            return level;
        }
        if self.retired.contains(&var.id()) {
            self.error("TW0521", format!("dataflow variable `{}` is used outside its dataflow block", var.name));
        } else {
            self.error("TW0520", format!("variable `{}` is used where it is not bound", var.name));
        }
        self.scopes.here()
    }

    /// Checks that the expression's struct info follows from the rule's.
    fn rule(&mut self, expr: &Expr, what: fmt::Arguments<'_>, rule: &StructInfo) {
        if !follows(&self.cx, rule, &expr.struct_info) {
            let (claimed, rule) = (show(&expr.struct_info), show(rule));
            self.error("TW0526", format!("{what} is said to be {claimed}, its rule gives {rule}"));
        }
    }

    fn global(&mut self, global: &GlobalVar) -> Option<StructInfo> {
        let found = self.module.get(&global.name).map(GlobalFunc::signature);
        if found.is_none() {
            self.error("TW0524", format!("the module has no function `{}`", global.name));
        }
        found
    }

    fn call(&mut self, expr: &Expr, callee: &Callee, args: &[Expr], attrs: &Attrs, out: &[StructInfo]) -> Level {
        let mut level = self.exprs(args);
        level = level.max(out.iter().map(|info| self.info(info)).max().unwrap_or(0));
        self.call_attrs(callee, attrs);
        self.purity(callee, args, attrs);
        match callee {
            Callee::Op(_) if self.settled.settle(expr, None) => {}
            Callee::Op(op) => match Expr::call_op(&self.cx, *op, args.to_vec(), attrs.clone()) {
                Ok(rule) => self.rule(expr, format_args!("a call of `{}`", op.name), &rule.struct_info),
                Err(problem) => {
                    self.error("TW0526", format!("a call of `{}` that its rule refuses: {problem}", op.name));
                }
            },
            Callee::Tir(global) if self.takes(expr, global) => {}
            Callee::Tir(global) => {
                self.destinations(expr, &global.name, out);
                let scalars: Vec<_> = tir_vars(attrs).iter().map(scalar_info).collect();
                let infos = args.iter().map(|a| &a.struct_info).chain(out).chain(&scalars);
                self.prim_func(&global.name, infos.collect());
            }
            Callee::TirInplace { function, results } => {
                self.destinations(expr, &function.name, out);
                if let Err(problem) = check_inplace(&self.cx, args, results, out) {
                    self.error("TW0526", format!("a call of `{}` in place: {problem}", function.name));
                }
                let scalars: Vec<_> = tir_vars(attrs).iter().map(scalar_info).collect();
                let infos = args.iter().map(|a| &a.struct_info).chain(allocated(results, out)).chain(&scalars);
                self.prim_func(&function.name, infos.collect());
            }
            Callee::DpsPacked(name) => self.destinations(expr, name, out),
            Callee::Packed(name) => {
                if let Some(indices) = packed_inplace(attrs)
                    && let Err(problem) = check_inplace(&self.cx, args, &indices, out)
                {
                    self.error("TW0526", format!("a call of `{name}` in place: {problem}"));
                }
                let rule = said_result(out).unwrap_or(StructInfo::Object);
                self.rule(expr, format_args!("a call of `{name}`"), &rule);
            }
            Callee::Value(function) => {
                level = level.max(self.expr(function));
                let (name, signature) = match &function.kind {
                    ExprKind::GlobalVar(global) => {
                        let Some(function) = self.module.get(&global.name) else { return level };
                        (&*global.name, function.signature())
                    }
                    ExprKind::Var(var) => (&*var.name, function.struct_info.clone()),
                    _ => ("the function", function.struct_info.clone()),
                };
                let infos: Vec<_> = args.iter().map(|a| &a.struct_info).collect();
                let said = said_result(out);
                let found = match signature {
                    StructInfo::Object if said.is_some() => None,
                    _ => self.fits(name, &signature, &infos),
                };
                if let Some(result) = said.or(found) {
                    self.rule(expr, format_args!("a call of `{name}`"), &result);
                }
            }
        }
        level
    }

    /// Whether it is known that the PrimFunc takes the arguments of this call, and that its results are as it says.
    fn takes(&mut self, call: &Expr, callee: &GlobalVar) -> bool {
        match self.module.get(&callee.name) {
            Some(GlobalFunc::Prim(function)) => self.settled.settle(call, Some(function)),
            _ => false,
        }
    }

    /// Checks what a call of no operator says of itself.
    fn call_attrs(&mut self, callee: &Callee, attrs: &Attrs) {
        if matches!(callee, Callee::Op(_)) {
            return;
        }
        for (name, value) in attrs {
            if !may_have(callee, name, value) {
                let callee = called(callee);
                let message =
                    format!("a call of {callee} has no attribute `{name}`, found {} for it", value.in_words());
                self.error("TW0532", message);
            }
        }
        let vars = tir_vars(attrs);
        for var in &vars {
            self.dim(var);
        }
    }

    /// Checks that the module has the PrimFunc, and that it takes arguments and destinations of these infos.
    fn prim_func(&mut self, name: &str, infos: Vec<&StructInfo>) {
        match self.module.get(name) {
            Some(GlobalFunc::Prim(function)) => drop(self.fits(name, &function.signature(), &infos)),
            Some(GlobalFunc::Relax(_)) => {
                self.error("TW0524", format!("`call_tir` names `{name}`, which is no PrimFunc"));
            }
            None => self.error("TW0524", format!("the module has no function `{name}`")),
        }
    }

    /// Checks arguments against a signature and gives the result's info.
    fn fits(&mut self, name: &str, signature: &StructInfo, args: &[&StructInfo]) -> Option<StructInfo> {
        let StructInfo::Func { params, ret, .. } = signature else {
            self.error("TW0525", format!("`{name}` is called, but it is {}", describe(Some(signature))));
            return None;
        };
        let Some(params) = params else { return Some((**ret).clone()) };
        match check_against(&self.cx, &format!("`{name}`"), params, args) {
            Ok(bound) => Some(substitute_dims(ret, &bound)),
            Err(problem) => {
                self.error("TW0525", problem.message);
                None
            }
        }
    }

    fn destinations(&mut self, expr: &Expr, name: &str, out: &[StructInfo]) {
        if out.is_empty() || out.iter().any(|info| info.dims().is_none() || info.dtype().is_none()) {
            let message = match out.iter().find(|info| info.dims().is_none()) {
                Some(_) => format!("a result of the call of `{name}` has no known shape"),
                None => format!("the call of `{name}` has no result of a known shape and data type"),
            };
            let help = "results are allocated before the call: say their shapes, with symbolic dimensions where they vary, \
                        and data types, or call a packed function that allocates its result";
            self.report.error_with_help("TW0531", message, help);
            return;
        }
        let rule = if let [one] = out { one.clone() } else { StructInfo::Tuple(out.to_vec()) };
        self.rule(expr, format_args!("a call of `{name}`"), &rule);
    }

    /// Side effects belong neither into a dataflow block nor into a function that says it has none. Memory operations
    /// and functions that write destinations may occur in such a function: they write its own memory.
    fn purity(&mut self, callee: &Callee, args: &[Expr], attrs: &Attrs) {
        let (pure, own) = match callee {
            Callee::Op(op) => {
                let own = matches!(op.legalize, Legalize::Machine(machine) if machine.is_of_memory());
                (op.properties.pure, own)
            }
            Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_) => (true, true),
            Callee::Packed(_) | Callee::Value(_) if is_said_pure(attrs) || packed_inplace(attrs).is_some() => return,
            Callee::Packed(_) => {
                (false, args.iter().filter_map(Expr::as_var).any(|var| self.allocated.contains(&var.id())))
            }
            Callee::Value(function) => match &function.kind {
                ExprKind::GlobalVar(global) => match self.module.get(&global.name) {
                    Some(GlobalFunc::Prim(_)) => (false, true),
                    Some(GlobalFunc::Relax(function)) => (function.pure, false),
                    None => return,
                },
                _ => (matches!(function.struct_info, StructInfo::Func { pure: true, .. }), false),
            },
        };
        if self.context.dataflow && !pure {
            let what = called(callee);
            self.error("TW0523", format!("{what} has side effects, and is called in a dataflow block"));
        } else if self.context.pure && !pure && !own {
            let what = called(callee);
            self.error("TW0523", format!("{what} has side effects, and is called in a function that says it is pure"));
        }
    }
}

fn is_scalar_number(dim: &tir::Expr) -> bool {
    dim.dtype.is_scalar() && !dim.dtype.is_handle()
}

/// The callee, for messages.
fn called(callee: &Callee) -> String {
    match callee {
        Callee::Op(op) => format!("operator `{}`", op.name),
        Callee::Tir(function) | Callee::TirInplace { function, .. } => format!("`{}`", function.name),
        Callee::DpsPacked(name) | Callee::Packed(name) => format!("packed function `{name}`"),
        Callee::Value(function) => match &function.kind {
            ExprKind::GlobalVar(global) => format!("`{}`", global.name),
            ExprKind::Var(var) => format!("`{}`", var.name),
            _ => "a function value".to_owned(),
        },
    }
}

/// Whether the value is a tensor that the function allocates.
fn allocates(value: &Expr) -> bool {
    let ExprKind::Call { callee: Callee::Op(op), .. } = &value.kind else { return false };
    matches!(op.legalize, Legalize::Machine(MachineOp::AllocTensor | MachineOp::TensorInStorage))
}
