//! The adjoints of variables: the gradients of the target with respect to them, as far as known.
//!
//! Going from the last binding to the first, the adjoint of a variable is complete when its binding is reached: all
//! uses came before. It is then passed on to the variables that the value mentions, each of which gets a new variable
//! with the sum of the old adjoint and what is added. That of a tuple is a tuple.

use tilewright_expr::node::VarId;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::calls::TirCall;
use tilewright_ir::op::{Adjoint, InferCx, InferError, OpCall, OpRef, Partials};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, Var};
use tilewright_ops::binary::add;
use tilewright_ops::create::{ones, zeros};
use tilewright_ops::gradient::collapsed;
use tilewright_support::{Map, with_stack};

use super::checkpoints::Checkpoints;
use super::{LoopGradient, Res, refused, unbuildable};

pub(super) struct Adjoints<'g> {
    cx: InferCx,
    checkpoints: Checkpoints,
    of_loops: Option<&'g LoopGradient>,
    known: Map<VarId, Var>,
}

fn inferred<T>(result: Result<T, InferError>) -> Res<T> {
    result.map_err(|error| refused(error.message))
}

impl<'g> Adjoints<'g> {
    pub(super) fn new(checkpoints: Checkpoints, of_loops: Option<&'g LoopGradient>) -> Self {
        Self { cx: InferCx::default(), checkpoints, of_loops, known: Map::default() }
    }

    /// The target's own adjoint is 1.
    pub(super) fn begin(&mut self, bb: &mut BlockBuilder, target: &Var) -> Res<()> {
        let dtype = target.struct_info.dtype().ok_or_else(|| refused("the target's data type is not known"))?;
        let one = inferred(ones::call(&self.cx, Expr::shape(Vec::new()), dtype))?;
        self.emit(bb, target, &one)
    }

    /// Passes the adjoint of a bound variable on to the variables in its value.
    pub(super) fn propagate(&mut self, bb: &mut BlockBuilder, binding: &Binding) -> Res<()> {
        let Some(adjoint) = self.known.get(&binding.var.id()).cloned() else { return Ok(()) };
        let grad = Expr::var(&adjoint);
        let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
        match &value.kind {
            ExprKind::Var(_) | ExprKind::Tuple(_) => self.add(bb, value, &grad),
            ExprKind::TupleGet { tuple, index } => self.add_field(bb, tuple, *index, &grad),
            ExprKind::Call { callee, .. } => self.call(bb, binding, value, callee, &grad),
            ExprKind::Constant(_) | ExprKind::Shape(_) | ExprKind::Prim(_) => Ok(()),
            ExprKind::If { .. } => Err(refused("the gradient of a conditional is not known")),
            _ => Err(refused(format!("the gradient of the value of `{}` is not known", binding.var.name))),
        }
    }

    fn call(
        &mut self,
        bb: &mut BlockBuilder,
        binding: &Binding,
        value: &Expr,
        callee: &Callee,
        grad: &Expr,
    ) -> Res<()> {
        let result = self.checkpoints.value(bb, &Expr::var(&binding.var))?;
        let again = self.checkpoints.value(bb, value)?;
        let (ExprKind::Call { args: operands, .. }, ExprKind::Call { args, attrs, .. }) = (&value.kind, &again.kind)
        else {
            return Ok(());
        };
        match callee {
            Callee::Op(op) => {
                let Some(rule) = op.gradient else {
                    let message = format!("the gradient of `{}` is not known", op.name);
                    return Err(refused(message));
                };
                let call = OpCall { op: *op, args, attrs };
                let partials = inferred(rule(&self.cx, &call, Adjoint { result: &result, grad }))?;
                self.add_partials(bb, *op, operands, args, partials)
            }
            Callee::Tir(function) => {
                let Some((name, _)) = TirCall::of(attrs).te_grad else {
                    return Err(refused(format!(
                        "the gradient of a call of the PrimFunc `{}` is not known: `R.call_tir_with_grad` names one",
                        function.name
                    )));
                };
                let rule = self.of_loops.ok_or_else(|| refused(format!("there is no gradient `{name}`")))?;
                let var = result.as_var().unwrap_or(&binding.var).clone();
                let partials = rule(bb, &name, &var, &again, grad).map_err(refused)?;
                self.add_results(bb, &name, operands, &partials)
            }
            Callee::TirInplace { .. } | Callee::DpsPacked(_) | Callee::Packed(_) => {
                Err(refused("the gradient of a call of a function that is no operator is not known"))
            }
            Callee::Value(_) => Err(refused("the gradient of a call of a function is not known: inline it first")),
        }
    }

    fn add_partials(
        &mut self,
        bb: &mut BlockBuilder,
        op: OpRef,
        operands: &[Expr],
        args: &[Expr],
        partials: Partials,
    ) -> Res<()> {
        let mut values = partials.values;
        if values.len() != operands.len() {
            return Err(refused(format!("the rule of `{}` gives {} gradients", op.name, values.len())));
        }
        if partials.broadcast {
            for value in values.iter_mut().flatten() {
                *value = bb.normalize(value).map_err(|error| unbuildable(&error))?;
            }
            for (value, arg) in values.iter_mut().zip(args) {
                *value = value.take().map(|value| inferred(collapsed(&self.cx, value, arg))).transpose()?;
            }
        }
        for (operand, value) in operands.iter().zip(&values) {
            if let Some(value) = value {
                self.add(bb, operand, value)?;
            }
        }
        Ok(())
    }

    /// Adds the results of a gradient function: one, or a tuple with one for each operand.
    fn add_results(&mut self, bb: &mut BlockBuilder, name: &str, operands: &[Expr], partials: &Expr) -> Res<()> {
        match &partials.struct_info {
            StructInfo::Tuple(fields) if fields.len() == operands.len() => {
                for (index, operand) in operands.iter().enumerate() {
                    let partial = inferred(Expr::tuple_get(partials.clone(), index))?;
                    self.add(bb, operand, &partial)?;
                }
                Ok(())
            }
            StructInfo::Tensor { .. } if operands.len() == 1 => self.add(bb, &operands[0], partials),
            StructInfo::Tuple(fields) => Err(refused(format!(
                "the gradient `{name}` gives {} tensors for {} operands",
                fields.len(),
                operands.len()
            ))),
            _ => Err(refused(format!("the gradient `{name}` gives one value for {} operands", operands.len()))),
        }
    }

    /// Adds to the adjoints of the variables in an operand.
    fn add(&mut self, bb: &mut BlockBuilder, operand: &Expr, partial: &Expr) -> Res<()> {
        match &operand.kind {
            ExprKind::Var(var) => {
                let partial = bb.normalize(partial).map_err(|error| unbuildable(&error))?;
                let sum = match self.known.get(&var.id()) {
                    Some(old) => inferred(self.sum(&Expr::var(old), &partial))?,
                    None => partial,
                };
                self.emit(bb, var, &sum)
            }
            ExprKind::Tuple(fields) => {
                // The fields of a value that is no variable yet are those of one.
                let partial = bb.normalize_operand(partial).map_err(|error| unbuildable(&error))?;
                for (index, operand) in fields.iter().enumerate() {
                    let field = inferred(field(&partial, index))?;
                    with_stack(|| self.add(bb, operand, &field))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds to one field of a tuple's adjoint.
    fn add_field(&mut self, bb: &mut BlockBuilder, tuple: &Expr, index: usize, grad: &Expr) -> Res<()> {
        let (Some(var), StructInfo::Tuple(infos)) = (tuple.as_var(), &tuple.struct_info) else {
            return Err(refused("the gradient of a field is not known, where the tuple is no variable"));
        };
        let old = self.known.get(&var.id()).map(Expr::var);
        let of = |(at, info): (usize, &StructInfo)| match &old {
            Some(old) if at == index => self.sum(&field(old, at)?, grad),
            Some(old) => field(old, at),
            None if at == index => Ok(grad.clone()),
            None => self.zeros(info),
        };
        let fields = inferred(infos.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>())?;
        self.emit(bb, var, &Expr::tuple(fields))
    }

    /// The sum of two adjoints, field by field.
    fn sum(&self, a: &Expr, b: &Expr) -> Result<Expr, InferError> {
        match &a.struct_info {
            StructInfo::Tuple(infos) => {
                let sums = (0..infos.len()).map(|at| with_stack(|| self.sum(&field(a, at)?, &field(b, at)?)));
                Ok(Expr::tuple(sums.collect::<Result<Vec<_>, _>>()?))
            }
            _ => add::call(&self.cx, a.clone(), b.clone()),
        }
    }

    fn zeros(&self, info: &StructInfo) -> Result<Expr, InferError> {
        match info {
            StructInfo::Tuple(infos) => {
                let zeros = infos.iter().map(|info| with_stack(|| self.zeros(info)));
                Ok(Expr::tuple(zeros.collect::<Result<Vec<_>, _>>()?))
            }
            StructInfo::Tensor { dtype: Some(dtype), .. } if info.dims().is_some() => {
                zeros::call(&self.cx, Expr::shape(info.dims().unwrap_or_default().to_vec()), *dtype)
            }
            _ => Err(InferError::new(format!(
                "only tensors of known shape and data type have gradients, found {}",
                tilewright_ir::verify::show(info)
            ))),
        }
    }

    fn emit(&mut self, bb: &mut BlockBuilder, of: &Var, value: &Expr) -> Res<()> {
        let adjoint = bb.emit_named(value, Some(&format!("{}_adjoint", of.name)));
        self.known.insert(of.id(), adjoint.map_err(|error| unbuildable(&error))?);
        Ok(())
    }

    /// The adjoint of a parameter as an output of the block: zero where the target does not depend on it.
    pub(super) fn output(&mut self, bb: &mut BlockBuilder, param: &Var) -> Res<Expr> {
        if !self.known.contains_key(&param.id()) {
            let none = inferred(self.zeros(&param.struct_info))?;
            self.emit(bb, param, &none)?;
        }
        let adjoint = &self.known[&param.id()];
        let output = bb.emit_output_named(&Expr::var(adjoint), Some(&format!("{}_adjoint_out", param.name)));
        Ok(Expr::var(&output.map_err(|error| unbuildable(&error))?))
    }
}

/// The field of a tuple, itself where the tuple is written out.
fn field(tuple: &Expr, index: usize) -> Result<Expr, InferError> {
    match &tuple.kind {
        ExprKind::Tuple(fields) if index < fields.len() => Ok(fields[index].clone()),
        _ => Expr::tuple_get(tuple.clone(), index),
    }
}
