//! Sizes of formulas after inlining.
//!
//! A formula that reads another one twice doubles it, so that stages that are inlined into each other would fill the
//! memory: their size is computed before anything is written.

use tilewright_expr::node::{AnyHandle, VarId, Visitor};
use tilewright_expr::{Expr, ExprKind, Var};
use tilewright_support::{Map, with_stack};

/// No formula that a program could use has more parts.
const MOST: u64 = 1 << 20;

/// The parts of a formula as text would have them, and how many of them are each of its axes.
#[derive(Clone, Debug, Default)]
struct Weight {
    parts: u64,
    axes: Vec<u64>,
}

impl Weight {
    fn add(&mut self, other: &Self, times: u64) {
        self.parts = self.parts.saturating_add(other.parts.saturating_mul(times));
        self.axes.resize(self.axes.len().max(other.axes.len()), 0);
        for (own, more) in self.axes.iter_mut().zip(&other.axes) {
            *own = own.saturating_add(more.saturating_mul(times));
        }
    }
}

/// The sizes of formulas by the buffers of the tensors that they define.
#[derive(Debug, Default)]
pub(crate) struct Weights(Map<VarId, Weight>);

impl Weights {
    /// Learns the formula of a tensor over these axes, after those of the tensors that it reads. It is not learnt where
    /// it would have too many parts.
    pub(crate) fn learn(&mut self, tensor: VarId, axes: &[Var], formula: &Expr) -> bool {
        let weight = self.weigh(formula, axes, &mut Map::default());
        let fits = weight.parts <= MOST;
        self.0.insert(tensor, weight);
        fits
    }

    /// A node is weighed once; `known` has the weights by address.
    fn weigh(&self, expr: &Expr, axes: &[Var], known: &mut Map<usize, Weight>) -> Weight {
        if let Some(weight) = known.get(&expr.address()) {
            return weight.clone();
        }
        let mut weight = Weight { parts: 1, axes: vec![0; axes.len()] };
        match &expr.kind {
            ExprKind::Var(var) => {
                if let Some(at) = axes.iter().position(|axis| axis == var) {
                    weight.axes[at] = 1;
                }
            }
            ExprKind::Load { buffer, indices, .. } if self.0.contains_key(&buffer.id()) => {
                let own = &self.0[&buffer.id()];
                weight.parts = own.parts;
                for (index, &times) in indices.iter().zip(&own.axes) {
                    weight.add(&with_stack(|| self.weigh(index, axes, known)), times);
                }
            }
            _ => {
                let mut below = Below { weights: self, axes, known, sum: weight };
                expr.visit_inside(&mut below);
                weight = below.sum;
            }
        }
        known.insert(expr.address(), weight.clone());
        weight
    }
}

/// Adds up the sizes below a node.
struct Below<'a> {
    weights: &'a Weights,
    axes: &'a [Var],
    known: &'a mut Map<usize, Weight>,
    sum: Weight,
}

impl Visitor for Below<'_> {
    fn visit(&mut self, node: &dyn AnyHandle) {
        if let Some(expr) = node.downcast::<Expr>() {
            let weight = with_stack(|| self.weights.weigh(expr, self.axes, self.known));
            self.sum.add(&weight, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use tilewright_expr::Expr;
    use tilewright_tensor::DataType;

    use crate::{CreateOptions, Tensor, compute, create_prim_func_with, placeholder};

    /// `x[i] + x[i]`, `count` times in a row, all but the last inlined.
    fn doubled(stages: usize) -> Result<(), crate::TeError> {
        let mut chain: Vec<Tensor> = vec![placeholder(&[Expr::i64(8)], DataType::F32, "x")];
        for _ in 0..stages {
            let x = chain[chain.len() - 1].clone();
            chain.push(compute(x.shape(), "y", |i| x.at_all(i) + x.at(&[&i[0]]))?);
        }
        let last = chain.len() - 1;
        let params = [chain[0].clone().into(), chain[last].clone().into()];
        let options = CreateOptions { inline: chain[1..last].to_vec(), ..CreateOptions::default() };
        create_prim_func_with(&params, &options).map(drop)
    }

    #[test]
    fn formulas_that_grow_exponentially_are_refused() {
        assert!(doubled(8).is_ok());
        let message = doubled(40).unwrap_err().0;
        assert!(message.contains("tensor `y` cannot be inlined") && message.contains("too long"), "{message}");
    }
}
