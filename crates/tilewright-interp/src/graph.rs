//! Relax functions.

use std::rc::Rc;
use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{AnyHandle, VarId};
use tilewright_expr::semantics::Scalar;
use tilewright_ir::legalize::LegalizeCx;
use tilewright_ir::op::{InferCx, Legalize, OpCall, OpRef};
use tilewright_ir::relax::{
    BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, TensorShape, Var,
};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{Attrs, GlobalFunc, IRModule};
use tilewright_ir::{calls, inplace};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::{DataType, Tensor};

use crate::error::{ErrorKind, InterpError, Location};
use crate::interpreter::Res;
use crate::memory::element_count;
use crate::value::{Arg, Closure, Value};
use crate::{InterpCx, builtin, info, prim, storage};

/// The variables of a running function: graph variables and symbolic dimensions.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scope {
    pub(crate) values: Map<VarId, Value>,
    pub(crate) dims: Map<VarId, Scalar>,
}

pub(crate) fn run(cx: &InterpCx, module: &IRModule, name: &str, args: &[Value]) -> Result<Value, InterpError> {
    Graph { cx, module, functions: Vec::new() }.call_global(name, args.to_vec())
}

/// A run of a module.
pub(crate) struct Graph<'a> {
    pub(crate) cx: &'a InterpCx,
    module: &'a IRModule,
    /// The names of the functions that are running, from outside inwards.
    functions: Vec<String>,
}

/// Values of shared nodes of one expression, by address.
type Memo = Map<usize, Value>;

impl Graph<'_> {
    fn call_global(&mut self, name: &str, args: Vec<Value>) -> Res<Value> {
        match self.module.get(name) {
            Some(GlobalFunc::Relax(function)) => self.call_function(name, function, Scope::default(), args),
            Some(GlobalFunc::Prim(function)) => {
                self.call_prim(name, function, &args, &[], &[])?;
                Ok(Value::unit())
            }
            None => Err(ErrorKind::Callee(format!("the module has no function `{name}`")).into()),
        }
    }

    fn call_function(&mut self, name: &str, function: &Function, mut scope: Scope, args: Vec<Value>) -> Res<Value> {
        if self.functions.len() >= self.cx.max_depth {
            return Err(ErrorKind::Depth { limit: self.cx.max_depth }.into());
        }
        self.functions.push(name.to_owned());
        let result = with_stack(|| self.run_body(function, &mut scope, args));
        self.functions.pop();
        result.map_err(|error| {
            let span = function.origins.first().cloned();
            error.located(|| Location { function: name.to_owned(), span, ..Location::default() })
        })
    }

    fn run_body(&mut self, function: &Function, scope: &mut Scope, args: Vec<Value>) -> Res<Value> {
        if function.params.len() != args.len() {
            let problem = format!("expected {} arguments, found {}", function.params.len(), args.len());
            return Err(ErrorKind::Callee(problem).into());
        }
        // The dimensions of a closure's own parameters get new values at every call.
        for (param, arg) in function.params.iter().zip(&args) {
            info::bind(&mut scope.dims, &param.struct_info, arg);
        }
        for (param, arg) in function.params.iter().zip(args) {
            info::check(self.cx, &scope.dims, || format!("argument `{}`", param.name), &param.struct_info, &arg)?;
            scope.values.insert(param.id(), arg);
        }
        let result = self.seq(scope, &function.body)?;
        info::check(self.cx, &scope.dims, || "the function's result".to_owned(), &function.ret, &result)?;
        Ok(result)
    }

    fn seq(&mut self, scope: &mut Scope, seq: &SeqExpr) -> Res<Value> {
        for block in &seq.blocks {
            self.block(scope, block)?;
        }
        self.expr(scope, &mut Memo::default(), &seq.result)
    }

    fn block(&mut self, scope: &mut Scope, block: &BindingBlock) -> Res<()> {
        for binding in &block.bindings {
            let value = self.binding(scope, &binding.var, &binding.value).map_err(|error| {
                let function = self.functions.last().map_or("", String::as_str);
                error.in_binding(function, &binding.var.name, binding.origins.first().cloned())
            })?;
            scope.values.insert(binding.var.id(), value);
        }
        Ok(())
    }

    fn binding(&mut self, scope: &mut Scope, var: &Var, value: &BindingValue) -> Res<Value> {
        let what = || format!("variable `{}`", var.name);
        let value = match value {
            BindingValue::Expr(value) => self.expr(scope, &mut Memo::default(), value)?,
            BindingValue::MatchCast { value, struct_info } => {
                let value = self.expr(scope, &mut Memo::default(), value)?;
                info::bind(&mut scope.dims, struct_info, &value);
                info::check(self.cx, &scope.dims, || format!("match_cast of `{}`", var.name), struct_info, &value)?;
                value
            }
        };
        info::check(self.cx, &scope.dims, what, &var.struct_info, &value)?;
        Ok(match value {
            Value::Closure(closure) => Value::Closure(Closure { itself: Some(var.clone()), ..closure }),
            value => value,
        })
    }

    /// The value of an expression; a shared node without side effects is evaluated once.
    fn expr(&mut self, scope: &mut Scope, memo: &mut Memo, expr: &Expr) -> Res<Value> {
        if let ExprKind::Var(var) = &expr.kind {
            let missing = || ErrorKind::Unbound { name: var.name.to_string() }.into();
            return scope.values.get(&var.id()).cloned().ok_or_else(missing);
        }
        let shared = expr.is_shared() && expr.is_pure();
        if shared && let Some(value) = memo.get(&expr.address()) {
            return Ok(value.clone());
        }
        let value = with_stack(|| self.expr_node(scope, memo, expr))?;
        if shared {
            memo.insert(expr.address(), value.clone());
        }
        Ok(value)
    }

    fn exprs(&mut self, scope: &mut Scope, memo: &mut Memo, exprs: &[Expr]) -> Res<Vec<Value>> {
        exprs.iter().map(|e| self.expr(scope, memo, e)).collect()
    }

    fn expr_node(&mut self, scope: &mut Scope, memo: &mut Memo, expr: &Expr) -> Res<Value> {
        match &expr.kind {
            ExprKind::Var(_) => self.expr(scope, memo, expr),
            ExprKind::GlobalVar(global) => Ok(Value::Global(global.name.clone())),
            ExprKind::ExternFunc(name) => Ok(Value::Packed(name.clone())),
            ExprKind::Constant(constant) => Ok(Value::Tensor(constant.0.to_read_only())),
            ExprKind::Tuple(fields) => Ok(Value::Tuple(self.exprs(scope, memo, fields)?)),
            ExprKind::TupleGet { tuple, index } => match self.expr(scope, memo, tuple)? {
                Value::Tuple(mut fields) if *index < fields.len() => Ok(fields.swap_remove(*index)),
                other => Err(mismatch("tuple access", &format!("a tuple with a field {index}"), &other)),
            },
            ExprKind::Shape(dims) => Ok(Value::Shape(self.dims(scope, dims)?)),
            ExprKind::Prim(value) => Ok(Value::Scalar(info::scalar(self.cx, &scope.dims, value)?)),
            ExprKind::Str(text) => Ok(Value::Str(text.clone())),
            ExprKind::DType(dtype) => Ok(Value::DType(*dtype)),
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.expr(scope, memo, condition)?;
                let taken = match truth(&condition)? {
                    true => then,
                    false => otherwise,
                };
                self.seq(scope, taken)
            }
            ExprKind::Function(function) => Ok(Value::Closure(Closure {
                function: Rc::new((**function).clone()),
                captured: Rc::new(scope.clone()),
                itself: None,
            })),
            ExprKind::Call { callee, args, attrs, sinfo_args } => {
                self.call(scope, memo, callee, args, attrs, sinfo_args)
            }
        }
    }

    fn call(
        &mut self,
        scope: &mut Scope,
        memo: &mut Memo,
        callee: &Callee,
        args: &[Expr],
        attrs: &Attrs,
        out: &[StructInfo],
    ) -> Res<Value> {
        if let Callee::Op(op) = callee
            && let Legalize::Machine(machine_op) = op.legalize
        {
            let values = self.exprs(scope, memo, args)?;
            return storage::eval(self, scope, machine_op, args, &values, attrs);
        }
        let callee_value = match callee {
            Callee::Value(function) => Some(self.expr(scope, memo, function)?),
            _ => None,
        };
        let args = self.exprs(scope, memo, args)?;
        match callee {
            Callee::Op(op) => self.call_op(*op, &args, attrs),
            Callee::Tir(global) => {
                let Some(function) = self.module.prim(&global.name).cloned() else {
                    return Err(ErrorKind::Callee(format!("the module has no PrimFunc `{}`", global.name)).into());
                };
                let destinations = self.destinations(scope, out)?;
                let scalars = self.tir_vars(scope, attrs)?;
                self.call_prim(&global.name, &function, &args, &destinations, &scalars)?;
                Ok(result_of(destinations))
            }
            Callee::TirInplace { function: global, results } => {
                let Some(function) = self.module.prim(&global.name).cloned() else {
                    return Err(ErrorKind::Callee(format!("the module has no PrimFunc `{}`", global.name)).into());
                };
                let allocated: Vec<_> = inplace::allocated(results, out).cloned().collect();
                let destinations = self.destinations(scope, &allocated)?;
                let scalars = self.tir_vars(scope, attrs)?;
                self.call_prim(&global.name, &function, &args, &destinations, &scalars)?;
                inplace_results(results, &args, destinations)
            }
            Callee::DpsPacked(name) => {
                let destinations = self.destinations(scope, out)?;
                let mut all = args;
                all.extend(destinations.iter().cloned().map(Value::Tensor));
                self.call_packed(name, &all)?;
                Ok(result_of(destinations))
            }
            Callee::Packed(name) => {
                let context = calls::takes_context(attrs).then(Value::unit);
                let args: Vec<Value> = context.into_iter().chain(args).collect();
                let result = self.call_packed(name, &args)?;
                self.check_result(scope, out, || format!("result of `{name}`"), &result)?;
                Ok(result)
            }
            Callee::Value(_) => {
                let result = self.call_value(callee_value.unwrap_or_else(Value::unit), args)?;
                self.check_result(scope, out, || "result of a function value".to_owned(), &result)?;
                Ok(result)
            }
        }
    }

    /// Checks a result against what the caller says of it, if anything.
    fn check_result(&self, scope: &Scope, said: &[StructInfo], what: impl Fn() -> String, result: &Value) -> Res<()> {
        match said {
            [] => Ok(()),
            [info] => info::check(self.cx, &scope.dims, what, info, result),
            fields => info::check(self.cx, &scope.dims, what, &StructInfo::Tuple(fields.to_vec()), result),
        }
    }

    pub(crate) fn call_value(&mut self, function: Value, args: Vec<Value>) -> Res<Value> {
        match function {
            Value::Global(name) => self.call_global(&name, args),
            Value::Packed(name) => self.call_packed(&name, &args),
            Value::Partial(function, last) => {
                with_stack(|| self.call_value(*function, args.into_iter().chain(last).collect()))
            }
            Value::Closure(closure) => {
                let mut scope = (*closure.captured).clone();
                if let Some(var) = &closure.itself {
                    scope.values.insert(var.id(), Value::Closure(closure.clone()));
                }
                let name = closure.itself.as_ref().map_or("closure", |var| &*var.name).to_owned();
                self.call_function(&name, &closure.function, scope, args)
            }
            other => Err(mismatch("callee", "a function", &other)),
        }
    }

    fn call_packed(&mut self, name: &Arc<str>, args: &[Value]) -> Res<Value> {
        let Some(function) = self.cx.packed.get(&**name) else {
            let unknown = || Err(ErrorKind::Callee(format!("no packed function `{name}` is registered")).into());
            return builtin::call(self, name, args).unwrap_or_else(unknown);
        };
        function(args).map_err(|message| ErrorKind::Packed { name: name.to_string(), message }.into())
    }

    /// The scalars that a PrimFunc gets after its buffers.
    fn tir_vars(&self, scope: &Scope, attrs: &Attrs) -> Res<Vec<Scalar>> {
        calls::tir_vars(attrs).iter().map(|var| info::scalar(self.cx, &scope.dims, var)).collect()
    }

    fn call_prim(
        &mut self,
        name: &str,
        function: &PrimFunc,
        args: &[Value],
        destinations: &[Tensor],
        scalars: &[Scalar],
    ) -> Res<()> {
        let mut all = Vec::with_capacity(args.len() + destinations.len() + scalars.len());
        for arg in args {
            match arg {
                Value::Tensor(tensor) => all.push(Arg::Tensor(tensor.clone())),
                Value::Scalar(scalar) => all.push(Arg::Scalar(*scalar)),
                other => return Err(mismatch(&format!("argument of PrimFunc `{name}`"), "a tensor or scalar", other)),
            }
        }
        all.extend(destinations.iter().cloned().map(Arg::Destination));
        all.extend(scalars.iter().copied().map(Arg::Scalar));
        prim::run(self.cx, name, function, &all)
    }

    /// Runs an operator by its legalisation, typed anew from the values at hand: every dimension is a constant.
    fn call_op(&mut self, op: OpRef, args: &[Value], attrs: &Attrs) -> Res<Value> {
        let refused = |e: tilewright_ir::op::InferError| ErrorKind::Op { name: op.name.to_owned(), message: e.message };
        if !op.legalize.is_prim_func() {
            return Err(ErrorKind::Op { name: op.name.to_owned(), message: "has no legalisation".to_owned() }.into());
        }
        let typed = args.iter().map(typed).collect::<Res<Vec<_>>>()?;
        let call = Expr::call_op(&InferCx::default(), op, typed, attrs.clone()).map_err(refused)?;
        let ExprKind::Call { args: typed, attrs, .. } = &call.kind else {
            return Err(ErrorKind::Op { name: op.name.to_owned(), message: "is not a call".to_owned() }.into());
        };
        let call_of_values = OpCall { op, args: typed, attrs };
        let function = op.legalize.prim_func(&LegalizeCx::default(), &call_of_values).map_err(refused)?;
        let Some(out) = call.struct_info.tensors() else {
            return Err(ErrorKind::Op { name: op.name.to_owned(), message: "does not give tensors".to_owned() }.into());
        };
        let out: Vec<_> = out.into_iter().cloned().collect();
        let destinations = self.destinations(&Scope::default(), &out)?;
        let mut tensors = Vec::new();
        for arg in args {
            match arg {
                Value::Tuple(fields) => tensors.extend(fields.iter().cloned()),
                other => tensors.push(other.clone()),
            }
        }
        tensors.retain(|value| matches!(value, Value::Tensor(_)));
        self.call_prim(op.name, &function, &tensors, &destinations, &[])?;
        Ok(match call.struct_info {
            StructInfo::Tuple(_) => Value::Tuple(destinations.into_iter().map(Value::Tensor).collect()),
            _ => result_of(destinations),
        })
    }

    pub(crate) fn dims(&self, scope: &Scope, dims: &[scalar::Expr]) -> Res<Vec<i64>> {
        dims.iter().map(|dim| info::dim(self.cx, &scope.dims, dim)).collect()
    }

    /// Tensors of garbage for the results of a call.
    fn destinations(&self, scope: &Scope, out: &[StructInfo]) -> Res<Vec<Tensor>> {
        out.iter()
            .map(|info| match info {
                StructInfo::Tensor { shape: TensorShape::Known(dims), dtype: Some(dtype), .. } => {
                    self.garbage(&self.dims(scope, dims)?, *dtype)
                }
                _ => Err(ErrorKind::Unsupported("a destination needs a known shape and dtype".to_owned()).into()),
            })
            .collect()
    }

    /// A new tensor of garbage.
    pub(crate) fn garbage(&self, shape: &[i64], dtype: DataType) -> Res<Tensor> {
        let bytes = element_count(shape).and_then(|n| n.checked_mul(dtype.bytes()));
        if bytes.is_some_and(|n| n > self.cx.max_bytes) {
            let problem = format!("a {dtype} tensor of shape {shape:?} is larger than the interpreter allows");
            return Err(ErrorKind::Unsupported(problem).into());
        }
        let tensor = Tensor::zeros(dtype, shape)?;
        self.spoil(&tensor)?;
        Ok(tensor)
    }

    /// Fills a tensor with garbage.
    pub(crate) fn spoil(&self, tensor: &Tensor) -> Res<()> {
        let mut bytes = vec![0; tensor.num_bytes()];
        self.cx.random().garbage(tensor.dtype(), &mut bytes);
        Ok(tensor.overwrite(&bytes)?)
    }
}

pub(crate) fn mismatch(what: &str, expected: &str, found: &Value) -> InterpError {
    let (what, expected) = (what.to_owned(), expected.to_owned());
    ErrorKind::Mismatch { what, expected, found: found.describe() }.into()
}

fn result_of(mut destinations: Vec<Tensor>) -> Value {
    match destinations.len() {
        1 => Value::Tensor(destinations.remove(0)),
        _ => Value::Tuple(destinations.into_iter().map(Value::Tensor).collect()),
    }
}

/// The results of a call in place: arguments that were written, and destinations.
fn inplace_results(results: &[Option<usize>], args: &[Value], destinations: Vec<Tensor>) -> Res<Value> {
    let mut destinations = destinations.into_iter();
    let tensors = results.iter().map(|argument| match argument {
        Some(argument) => args.get(*argument).and_then(Value::as_tensor).cloned(),
        None => destinations.next(),
    });
    match tensors.collect() {
        Some(tensors) => Ok(result_of(tensors)),
        None => Err(ErrorKind::Callee("a result overwrites an argument that is no tensor".to_owned()).into()),
    }
}

pub(crate) fn truth(condition: &Value) -> Res<bool> {
    match condition {
        Value::Scalar(scalar) if scalar.dtype().is_bool() => Ok(scalar.as_bool()),
        Value::Tensor(tensor) if tensor.ndim() == 0 && tensor.dtype().is_bool() => {
            Ok(tensor.to_contiguous()?.as_bytes()?.first().is_some_and(|&byte| byte != 0))
        }
        other => Err(mismatch("condition", "a scalar bool", other)),
    }
}

/// An expression with what is known of the value: everything.
fn typed(value: &Value) -> Res<Expr> {
    match value {
        Value::Tensor(tensor) => Ok(Expr::var(&Var::new("arg", StructInfo::of_tensor(tensor)))),
        Value::Shape(dims) => Ok(Expr::shape(dims.iter().map(|&dim| scalar::Expr::i64(dim)).collect())),
        Value::Tuple(fields) => Ok(Expr::tuple(fields.iter().map(typed).collect::<Res<_>>()?)),
        Value::Scalar(value) => Ok(Expr::prim(if value.dtype().is_float() {
            scalar::Expr::float(value.as_float(), value.dtype())
        } else {
            scalar::Expr::int(value.as_int(), value.dtype())
        })),
        other => Err(mismatch("argument of an operator", "a tensor, shape, scalar or tuple", other)),
    }
}
