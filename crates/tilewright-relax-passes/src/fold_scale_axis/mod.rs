//! `FoldScaleAxis`: moves a scale per channel from the result of an operator to its constant weights.
//!
//! ```text
//! c = nn.conv2d(x, w)                                c = nn.conv2d(x, w * reshape(s / d))
//! y = ((c + b - m) / d) * s + t         ⇒            y = c + (((b - m) / d) * s + t)
//! ```
//!
//! From any form to any form, in dataflow blocks; `w` and all the others are constants, which `FoldConstant` computes
//! with then. The pass changes convolutions and matrix products, whose results nothing else uses, followed by
//! arithmetic with at most one constant per channel: a normalisation with constant mean and variance, as
//! `DecomposeOps` writes it. Without a multiplication, nothing changes. The rounding of floats changes.

use tilewright_expr::Expr as Dim;
use tilewright_expr::node::VarId;
use tilewright_ir::op::{Fusion, InferCx, Layouts, OpRef};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::binary::{add, divide, multiply, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::reshape;
use tilewright_ops::unary::negative;
use tilewright_support::Map;
use tilewright_tensor::{DataType, Tensor};

use crate::needs::{needs, users};
use crate::normalize::normalized;
use crate::sequence::{bound_value, map_dataflow, map_functions};

/// Scales constant weights instead of results.
#[derive(Clone, Copy, Debug)]
pub struct FoldScaleAxis;

const NAME: &str = "FoldScaleAxis";
const ADD: OpRef = OpRef(&add::OP);
const SUBTRACT: OpRef = OpRef(&subtract::OP);
const MULTIPLY: OpRef = OpRef(&multiply::OP);
const DIVIDE: OpRef = OpRef(&divide::OP);

impl Pass for FoldScaleAxis {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            let function = normalized(function);
            let body = map_dataflow(&function.body, &mut |mut bindings| {
                let changed = Block::of(&bindings).scaled();
                for (at, value) in changed {
                    bindings[at].value = BindingValue::Expr(value);
                }
                bindings
            });
            normalized(&Function { body, ..function })
        })
    }
}

struct Block<'b> {
    cx: InferCx,
    bindings: &'b [Binding],
    index: Map<VarId, usize>,
    users: Vec<Vec<usize>>,
}

/// `result * scale + shift` for the result of the operator with weights at a binding. `None`: 1, and 0.
struct Affine {
    weighted: usize,
    scale: Option<Expr>,
    shift: Option<Expr>,
}

/// The channel dimensions.
struct Channels {
    /// In the weights.
    of_weights: usize,
    /// In the result.
    of_result: usize,
}

impl<'b> Block<'b> {
    fn of(bindings: &'b [Binding]) -> Self {
        let index = bindings.iter().enumerate().map(|(i, binding)| (binding.var.id(), i)).collect();
        Self { cx: InferCx::default(), bindings, index, users: users(&needs(bindings)) }
    }

    /// The bindings that change, and their values.
    fn scaled(&self) -> Vec<(usize, Expr)> {
        let ends = (0..self.bindings.len()).filter(|&at| !self.users(at).any(|user| self.step(user).is_some()));
        ends.filter_map(|at| Some((at, self.written(&self.affine(at)?)?))).collect()
    }

    /// The only user of the binding, if there is only one.
    fn users(&self, at: usize) -> impl Iterator<Item = usize> {
        let only = self.bindings[at].var.dataflow && self.users[at].len() == 1;
        self.users[at].iter().copied().filter(move |_| only)
    }

    fn call(&self, at: usize) -> Option<(OpRef, &'b [Expr], &'b Attrs)> {
        match &bound_value(&self.bindings[at])?.kind {
            ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } => Some((*op, args, attrs)),
            _ => None,
        }
    }

    /// The constant value of an operand.
    fn constant(&self, operand: &Expr) -> Option<Expr> {
        self.tensor(operand).map(|_| operand.clone())
    }

    fn tensor<'a>(&'a self, operand: &'a Expr) -> Option<&'a Tensor> {
        let value = match &operand.kind {
            ExprKind::Var(var) => bound_value(&self.bindings[*self.index.get(&var.id())?])?,
            _ => operand,
        };
        match &value.kind {
            ExprKind::Constant(constant) => Some(&constant.0),
            _ => None,
        }
    }

    /// Whether weights may be multiplied by the constant, or divided by it: an infinity times weights of both signs
    /// would be NaN where the operators, one after the other, give an infinity.
    fn is_tame(&self, op: OpRef, constant: &Expr) -> bool {
        let fits = |x: f64| x.is_finite() && (op != DIVIDE || x != 0.0);
        let all =
            self.tensor(constant).and_then(|tensor| tensor.to_contiguous().ok()).map(|tensor| match tensor.dtype() {
                DataType::F32 => tensor.as_slice::<f32>().is_ok_and(|all| all.iter().all(|&x| fits(x.into()))),
                DataType::F64 => tensor.as_slice::<f64>().is_ok_and(|all| all.iter().all(|&x| fits(x))),
                _ => false,
            });
        all == Some(true)
    }

    /// The binding as an operator applied to an operand and a constant.
    fn step(&self, at: usize) -> Option<(OpRef, &'b Expr, Expr)> {
        let (op, args, _) = self.call(at)?;
        let [a, b] = args else { return None };
        let commutes = op == ADD || op == MULTIPLY;
        match self.constant(b).filter(|_| commutes || op == SUBTRACT || op == DIVIDE) {
            Some(constant) => Some((op, a, constant)),
            None if commutes => Some((op, b, self.constant(a)?)),
            None => None,
        }
    }

    /// The binding as an affine function of the result of an operator with weights that nothing else uses.
    fn affine(&self, at: usize) -> Option<Affine> {
        let mut steps = Vec::new();
        let mut weighted = at;
        while let Some((op, operand, constant)) = self.step(weighted) {
            let result = &self.bindings[weighted].var.struct_info;
            let before = *self.index.get(&operand.as_var()?.id())?;
            let scales = op == MULTIPLY || op == DIVIDE;
            if self.users(before).next().is_none()
                || !operand.struct_info.equal(result)
                || scales && !self.is_tame(op, &constant)
            {
                return None;
            }
            steps.push((op, constant));
            weighted = before;
        }
        let mut found = Affine { weighted, scale: None, shift: None };
        for (op, constant) in steps.into_iter().rev() {
            found.take(&self.cx, op, constant)?;
        }
        found.scale.is_some().then_some(found)
    }

    fn written(&self, affine: &Affine) -> Option<Expr> {
        let (op, args, attrs) = self.call(affine.weighted)?;
        let [x, weights] = args else { return None };
        self.constant(weights)?;
        let result = &self.bindings[affine.weighted].var.struct_info;
        let dtype = weights.struct_info.dtype().filter(|dtype| [DataType::F32, DataType::F64].contains(dtype))?;
        let rank = result.rank().filter(|_| result.dtype() == Some(dtype))?;
        let channels = channels(op, attrs, weights.struct_info.rank()?, rank)?;
        let sizes: Vec<i64> = weights.struct_info.dims()?.iter().map(Dim::as_int).collect::<Option<_>>()?;
        let scale = affine.scale.as_ref()?;
        let count = per_channel(scale, channels.of_result, rank)?;
        if count != 1 && count != sizes[channels.of_weights] {
            return None;
        }
        if let Some(shift) = &affine.shift {
            per_channel(shift, channels.of_result, rank)?;
        }
        let of_weights = (0..sizes.len()).map(|at| Dim::i64(if at == channels.of_weights { count } else { 1 }));
        let scale = reshape::call(&self.cx, scale.clone(), Expr::shape(of_weights.collect())).ok()?;
        let weights = multiply::call(&self.cx, weights.clone(), scale).ok()?;
        let call = Expr::call_op(&self.cx, op, vec![x.clone(), weights], attrs.clone()).ok()?;
        let call = match &affine.shift {
            Some(shift) => add::call(&self.cx, call, shift.clone()).ok()?,
            None => call,
        };
        call.struct_info.equal(result).then_some(call)
    }
}

impl Affine {
    /// `op` of this and a constant.
    fn take(&mut self, cx: &InferCx, op: OpRef, constant: Expr) -> Option<()> {
        let of = |value: &Expr| Expr::call_op(cx, op, vec![value.clone(), constant.clone()], Attrs::new()).ok();
        let shift = self.shift.as_ref();
        if op == ADD || op == SUBTRACT {
            self.shift = Some(match shift {
                Some(shift) => of(shift)?,
                None if op == ADD => constant,
                None => negative::call(cx, constant).ok()?,
            });
            return Some(());
        }
        self.shift = shift.map(of).map_or(Some(None), |shift| shift.map(Some))?;
        self.scale = Some(match &self.scale {
            Some(scale) => of(scale)?,
            None if op == MULTIPLY => constant,
            None => of(&Expr::constant(one(constant.struct_info.dtype()?)))?,
        });
        Some(())
    }
}

fn one(dtype: DataType) -> Tensor {
    if dtype == DataType::F64 { Tensor::scalar(1f64) } else { Tensor::scalar(1f32) }
}

/// The channel dimensions in weights and result of an operator that multiplies with weights.
fn channels(op: OpRef, attrs: &Attrs, of_weights: usize, of_result: usize) -> Option<Channels> {
    if op == OpRef(&matmul::OP) {
        return (of_weights == 2 && of_result >= 2).then_some(Channels { of_weights: 1, of_result: of_result - 1 });
    }
    let Layouts::Named { operands: [_, kernel], result } = op.layouts() else { return None };
    let text = |name: &str| attrs.get(name).and_then(Attr::as_str);
    let axis = |name: &str, letter: char, rank: usize| {
        let layout = text(name).filter(|layout| layout.len() == rank)?;
        layout.find(letter)
    };
    let found = Channels { of_weights: axis(kernel, 'O', of_weights)?, of_result: axis(result, 'C', of_result)? };
    (op.properties.fusion == Fusion::OutElementwise).then_some(found)
}

/// The number of values of a constant along the channels of a result of this rank, if it varies along channels only.
fn per_channel(constant: &Expr, channel: usize, rank: usize) -> Option<i64> {
    let sizes: Vec<i64> = constant.struct_info.dims()?.iter().map(Dim::as_int).collect::<Option<_>>()?;
    let first = rank.checked_sub(sizes.len())?;
    let others = sizes.iter().enumerate().filter(|(at, _)| first + at != channel);
    let count = channel.checked_sub(first).and_then(|at| sizes.get(at)).copied().unwrap_or(1);
    others.into_iter().all(|(_, size)| *size == 1).then_some(count)
}
