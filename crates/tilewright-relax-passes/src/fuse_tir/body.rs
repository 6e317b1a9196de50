//! A Relax function of calls of PrimFuncs as one PrimFunc.
//!
//! Every tensor of the function has a *slot*, which becomes a buffer: an argument's, or one that a call writes. A call
//! that works in place gives its result the slot of its argument. At the end the slots of results are parameters, other
//! written ones temporaries. The calls' bodies follow each other in the root block.
//!
//! Parameters are, in this order: the tensors and scalars that are used, in the order of the function's own parameters,
//! fields of tuples one by one; the constants; the results; the symbolic dimensions that none of these tells.

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::IRModule;
use tilewright_ir::analysis::tir::op_pattern::is_plain_tensor;
use tilewright_ir::analysis::tir::undefined_vars;
use tilewright_ir::calls::{TirCall, tir_vars};
use tilewright_ir::relax::{self, BindingValue, Callee, ExprKind, Function, StructInfo};
use tilewright_ir::tir::{Buffer, Expr, Param, PrimFunc, Stmt, Var, attr_names};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Map, Origins, Set};
use tilewright_tensor::DataType;

use super::splice::{Names, Replacements, own, spliced};

/// The PrimFunc that replaces a Relax function.
pub(super) struct Fused {
    pub(super) function: PrimFunc,
    /// The arguments that it takes.
    pub(super) inputs: Vec<Input>,
    /// Of each result the number of the argument that it overwrites, if one.
    pub(super) results: Vec<Option<usize>>,
    /// The function's result.
    pub(super) result: Tree,
    /// The dimensions that are passed after the results, in terms of the function's own.
    pub(super) dims: Vec<Expr>,
    /// The PrimFuncs that it replaces.
    pub(super) parts: Vec<Arc<str>>,
}

/// The origin of an argument.
#[derive(Clone)]
pub(super) enum Input {
    /// A parameter of the function, and which field of it.
    Param(usize, Vec<usize>),
    Constant(relax::Expr),
}

/// A result of the function, made of results of the PrimFunc.
pub(super) enum Tree {
    Result(usize),
    /// An argument as it is.
    Argument(Input),
    Tuple(Vec<Tree>),
}

/// The value of a variable of the function.
#[derive(Clone)]
enum Value {
    Tensor(usize),
    Scalar(Expr),
    Tuple(Vec<Value>),
    /// A value of which only the dimensions are used.
    Shape,
}

/// A tensor of the function.
struct TensorSlot {
    /// Set by the first call that reads or writes it.
    buffer: Option<Buffer>,
    dims: Vec<Expr>,
    dtype: DataType,
    name: Arc<str>,
    /// The argument that it comes from; `None` for a tensor that a call writes.
    input: Option<Input>,
    overwritten: bool,
}

struct Body<'m> {
    module: &'m IRModule,
    slots: Vec<TensorSlot>,
    /// Scalar parameters of the function, and where they come from.
    scalars: Vec<(Var, Input)>,
    values: Map<VarId, Value>,
    names: Names,
    temporaries: Vec<Buffer>,
    stmts: Vec<Stmt>,
    parts: Vec<Arc<str>>,
    /// Whether all callees are `noalias`.
    noalias: bool,
}

/// The function as one PrimFunc; `None` if it has anything but calls of PrimFuncs, or if these require buffers that are
/// not compact tensors.
pub(super) fn fused(module: &IRModule, function: &Function) -> Option<Fused> {
    let mut body = Body {
        module,
        slots: Vec::new(),
        scalars: Vec::new(),
        values: Map::default(),
        names: Names::default(),
        temporaries: Vec::new(),
        stmts: Vec::new(),
        parts: Vec::new(),
        noalias: true,
    };
    for (i, param) in function.params.iter().enumerate() {
        let value = body.param(&param.name, &param.struct_info, i, &mut Vec::new())?;
        body.values.insert(param.id(), value);
    }
    for binding in function.body.blocks.iter().flat_map(|block| &block.bindings) {
        let BindingValue::Expr(value) = &binding.value else { return None };
        let value = body.value(value)?;
        body.values.insert(binding.var.id(), value);
    }
    let result = body.operand(&function.body.result)?;
    body.finish(&result, &function.origins)
}

impl Body<'_> {
    fn param(&mut self, name: &Arc<str>, info: &StructInfo, param: usize, path: &mut Vec<usize>) -> Option<Value> {
        let input = Input::Param(param, path.clone());
        match info {
            StructInfo::Tensor { .. } => Some(Value::Tensor(self.tensor(name.clone(), info, Some(input))?)),
            StructInfo::Prim { dtype, value } => {
                let var = value.as_ref().and_then(|value| value.as_var().cloned());
                let var = var.unwrap_or_else(|| Var::new(name.clone(), *dtype));
                self.scalars.push((var.clone(), input));
                Some(Value::Scalar(Expr::var(&var)))
            }
            StructInfo::Tuple(fields) => {
                let mut values = Vec::new();
                for (i, field) in fields.iter().enumerate() {
                    path.push(i);
                    values.push(self.param(&format!("{name}_{i}").into(), field, param, path)?);
                    path.pop();
                }
                Some(Value::Tuple(values))
            }
            StructInfo::Shape(_) => Some(Value::Shape),
            StructInfo::Object | StructInfo::Func { .. } => None,
        }
    }

    fn tensor(&mut self, name: Arc<str>, info: &StructInfo, input: Option<Input>) -> Option<usize> {
        let (dims, dtype) = (info.dims()?.to_vec(), info.dtype()?);
        self.slots.push(TensorSlot { buffer: None, dims, dtype, name, input, overwritten: false });
        Some(self.slots.len() - 1)
    }

    /// The value of a binding.
    fn value(&mut self, value: &relax::Expr) -> Option<Value> {
        let ExprKind::Call { callee, args, attrs, sinfo_args } = &value.kind else { return self.operand(value) };
        let (function, results) = match callee {
            Callee::Tir(function) if TirCall::of(attrs).te_grad.is_none() => (function, vec![None; sinfo_args.len()]),
            Callee::TirInplace { function, results } => (function, results.clone()),
            _ => return None,
        };
        let mut given = args.iter().map(|arg| self.operand(arg)).collect::<Option<Vec<_>>>()?;
        let mut made = Vec::new();
        for (slot, info) in results.into_iter().zip(sinfo_args) {
            made.push(match slot {
                Some(slot) => self.overwritten(given.get(slot)?)?,
                None => {
                    let made = Value::Tensor(self.tensor(function.name.clone(), info, None)?);
                    given.push(made.clone());
                    made
                }
            });
        }
        given.extend(tir_vars(attrs).into_iter().map(Value::Scalar));
        self.call(&function.name, &given)?;
        Some(match <[Value; 1]>::try_from(made) {
            Ok([one]) => one,
            Err(many) => Value::Tuple(many),
        })
    }

    fn overwritten(&mut self, argument: &Value) -> Option<Value> {
        let Value::Tensor(slot) = argument else { return None };
        self.slots[*slot].overwritten = true;
        Some(argument.clone())
    }

    fn operand(&mut self, expr: &relax::Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Var(var) => self.values.get(&var.id()).cloned(),
            ExprKind::Tuple(fields) => {
                Some(Value::Tuple(fields.iter().map(|field| self.operand(field)).collect::<Option<Vec<_>>>()?))
            }
            ExprKind::TupleGet { tuple, index } => match self.operand(tuple)? {
                Value::Tuple(fields) => fields.get(*index).cloned(),
                _ => None,
            },
            ExprKind::Prim(value) => Some(Value::Scalar(value.clone())),
            ExprKind::Constant(_) => {
                let input = Some(Input::Constant(expr.clone()));
                Some(Value::Tensor(self.tensor("const".into(), &expr.struct_info, input)?))
            }
            _ => None,
        }
    }

    /// Adds the body of a call of a PrimFunc with these arguments.
    fn call(&mut self, name: &Arc<str>, given: &[Value]) -> Option<()> {
        let function = self.module.prim(name)?;
        let function = own(function);
        if function.params.len() != given.len() {
            return None;
        }
        let mut replacements = Replacements::default();
        let both = || function.params.iter().zip(given);
        for (param, value) in both() {
            match (&param.buffer, value) {
                (Some(buffer), Value::Tensor(slot)) => replacements.dims(buffer, &self.slots[*slot].dims)?,
                (None, Value::Scalar(value)) => replacements.scalar(&param.var, value)?,
                _ => return None,
            }
        }
        for (param, value) in both() {
            if let Value::Tensor(slot) = value {
                let buffer = self.buffer(*slot, param.buffer.as_ref()?, &replacements)?;
                replacements.buffer(param, &buffer)?;
            }
        }
        let (temporaries, stmt) = spliced(&function, &replacements, &mut self.names)?;
        self.temporaries.extend(temporaries);
        self.stmts.push(stmt);
        self.noalias &= function.attrs.get(attr_names::NOALIAS).is_some_and(Attr::is_true);
        self.parts.push(name.clone());
        Some(())
    }

    /// The buffer of a slot, declared like the first parameter that it is passed for.
    fn buffer(&mut self, slot: usize, param: &Buffer, replacements: &Replacements) -> Option<Buffer> {
        let slot = &mut self.slots[slot];
        if slot.buffer.is_none() {
            let is_result = slot.input.is_none();
            let name = if is_result { param.name.clone() } else { slot.name.clone() };
            let shape = param.shape.iter().map(|dim| replacements.expr(dim)).collect();
            let buffer = param.derive(|node| {
                node.data = Var::new(name.clone(), DataType::HANDLE);
                (node.name, node.shape) = (name, shape);
                (node.strides, node.elem_offset, node.offset_factor) = (Vec::new(), None, 0);
            });
            if !is_plain_tensor(&buffer) || buffer.dtype != slot.dtype {
                return None;
            }
            slot.buffer = Some(buffer);
        }
        slot.buffer.clone()
    }

    fn finish(mut self, result: &Value, origins: &Origins) -> Option<Fused> {
        let mut shown = Vec::new();
        self.shown(result, &mut shown);
        // An argument overwritten without being a result would change invisibly for the caller.
        let hidden = |(i, slot): (usize, &TensorSlot)| slot.overwritten && slot.input.is_some() && !shown.contains(&i);
        if shown.is_empty() || self.slots.iter().enumerate().any(hidden) {
            return None;
        }
        let mut used = Set::default();
        self.stmts.iter().for_each(|stmt| walk(stmt, |var: &Var| used.extend([var.id()])));
        let (mut params, mut inputs, mut numbers) = (Vec::new(), Vec::new(), Map::default());
        let mut given: Vec<(Param, Input, Option<usize>)> = Vec::new();
        for (var, input) in self.scalars.iter().filter(|(var, _)| used.contains(&var.id())) {
            given.push((Param::scalar(var), input.clone(), None));
        }
        for (i, slot) in self.slots.iter().enumerate() {
            if let (Some(buffer), Some(input)) = (&slot.buffer, &slot.input) {
                given.push((Param::buffer(buffer), input.clone(), Some(i)));
            }
        }
        given.sort_by_key(|(_, input, _)| match input {
            Input::Param(param, path) => (*param, path.clone()),
            Input::Constant(_) => (usize::MAX, Vec::new()),
        });
        for (param, input, slot) in given {
            numbers.extend(slot.map(|slot| (slot, inputs.len())));
            params.push(param);
            inputs.push(input);
        }
        let results: Vec<Option<usize>> = shown.iter().map(|slot| numbers.get(slot).copied()).collect();
        for slot in shown.iter().filter(|slot| !numbers.contains_key(*slot)) {
            params.push(Param::buffer(self.slots[*slot].buffer.as_ref()?));
        }
        self.keep_temporaries(&shown);
        let result = self.tree(result, &shown)?;
        let attrs: Attrs =
            self.is_noalias().then(|| (attr_names::NOALIAS.into(), Attr::Bool(true))).into_iter().collect();
        let body = Stmt::seq(self.stmts);
        let mut function = PrimFunc::with_root(params, attrs, self.temporaries, body, origins.clone());
        let dims = untold(&function);
        function.params.extend(dims.iter().map(Param::scalar));
        let dims = dims.iter().map(Expr::var).collect();
        Some(Fused { function, inputs, results, result, dims, parts: self.parts })
    }

    /// Allocated results alias nothing. Of an overwritten argument callers guarantee only that it is dead afterwards:
    /// it may have had aliases before.
    fn is_noalias(&self) -> bool {
        let inputs = || self.slots.iter().filter(|slot| slot.input.is_some() && slot.buffer.is_some());
        !inputs().any(|slot| slot.overwritten) || self.noalias && inputs().count() == 1
    }

    /// Written slots that are no results become temporaries, renamed accordingly.
    fn keep_temporaries(&mut self, shown: &[usize]) {
        let hidden = self.slots.iter().enumerate().filter(|(i, slot)| slot.input.is_none() && !shown.contains(i));
        let own: Vec<Buffer> = hidden.filter_map(|(_, slot)| slot.buffer.clone()).collect();
        self.temporaries.splice(0..0, own);
    }

    /// The slots of the result that calls have written, each once.
    fn shown(&self, value: &Value, found: &mut Vec<usize>) {
        match value {
            Value::Tensor(slot) => {
                let made = self.slots[*slot].input.is_none() || self.slots[*slot].overwritten;
                if made && !found.contains(slot) {
                    found.push(*slot);
                }
            }
            Value::Tuple(fields) => fields.iter().for_each(|field| self.shown(field, found)),
            Value::Scalar(_) | Value::Shape => {}
        }
    }

    fn tree(&self, value: &Value, shown: &[usize]) -> Option<Tree> {
        match value {
            Value::Tensor(slot) => match shown.iter().position(|known| known == slot) {
                Some(number) => Some(Tree::Result(number)),
                None => self.slots[*slot].input.clone().map(Tree::Argument),
            },
            Value::Tuple(fields) => {
                Some(Tree::Tuple(fields.iter().map(|field| self.tree(field, shown)).collect::<Option<Vec<_>>>()?))
            }
            Value::Scalar(_) | Value::Shape => None,
        }
    }
}

/// The symbolic dimensions that are used and that neither a scalar parameter nor the shape of a tensor tells.
fn untold(function: &PrimFunc) -> Vec<Var> {
    let buffers = || function.params.iter().filter_map(|param| param.buffer.as_ref());
    let mut told: Vec<Var> = function.params.iter().map(|param| param.var.clone()).collect();
    told.extend(buffers().map(|buffer| buffer.data.clone()));
    told.extend(buffers().flat_map(|buffer| &buffer.shape).filter_map(|dim| dim.as_var().cloned()));
    let mut missing = undefined_vars(&function.body, &told);
    let known: Set<VarId> = told.iter().chain(&missing).map(Var::id).collect();
    for buffer in buffers() {
        walk(&buffer.shape, |var: &Var| {
            if !known.contains(&var.id()) && !missing.contains(var) {
                missing.push(var.clone());
            }
        });
    }
    missing.retain(|var| !var.dtype.is_handle());
    missing
}
