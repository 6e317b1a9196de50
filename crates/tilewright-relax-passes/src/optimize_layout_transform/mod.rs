//! `OptimizeLayoutTransform`: removes layout transformations that cancel each other.
//!
//! ```text
//! a = layout_transform(x, (i) -> (i // 4, i % 4))
//! b = layout_transform(a, (i, j) -> (i * 4 + j))       ⇒    b = x
//! c = permute_dims(x, [1, 2, 0])
//! d = permute_dims(c, [0, 2, 1])                       ⇒    d = permute_dims(x, [1, 0, 2])
//! ```
//!
//! From any form to any form, in dataflow blocks. Transformations with padding do not cancel: the sizes would differ.
//! `DeadCodeElimination` removes unused bindings.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, rewrite};
use tilewright_expr::{Expr as Scalar, Range, Var};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Expr;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::manipulate::{layout_transform, permute_dims};
use tilewright_support::Map;

use crate::calls_in_dataflow::{Around, called, with_rule};

/// Removes changes of layout that undo each other.
#[derive(Clone, Copy, Debug)]
pub struct OptimizeLayoutTransform;

const NAME: &str = "OptimizeLayoutTransform";

impl Pass for OptimizeLayoutTransform {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        with_rule(NAME, &module, |around, value| undone(around, value).or_else(|| permuted_once(around, value)))
    }
}

fn undone(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &layout_transform::OP)?;
    let (source, first) = around.called(args.first()?, &layout_transform::OP)?;
    let source = source.first()?;
    let (Attr::IndexMap(there), Attr::IndexMap(back)) = (first.get("index_map")?, attrs.get("index_map")?) else {
        return None;
    };
    let dims = source.struct_info.dims()?;
    if dims.len() != there.initial().len() || dims.len() != back.results().len() {
        return None;
    }
    let mut analyzer = Analyzer::new();
    there.initial().iter().zip(dims).for_each(|(index, extent)| analyzer.bind(index, &Range::up_to(extent.clone())));
    let between: Map<VarId, &Scalar> = back.initial().iter().map(Var::id).zip(there.results()).collect();
    let through = |var: &Var| between.get(&var.id()).map(|index| (*index).clone());
    let returns = |(index, result): (&Var, &Scalar)| {
        let index_after = rewrite(result, |expr: &Scalar| through(expr.as_var()?)).unwrap_or_else(|| result.clone());
        analyzer.prove_equal(&index_after, &Scalar::var(index))
    };
    there.initial().iter().zip(back.results()).all(returns).then(|| source.clone())
}

fn permuted_once(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &permute_dims::OP)?;
    let (source, first) = around.called(args.first()?, &permute_dims::OP)?;
    let (source, rank) = (source.first()?, value.struct_info.rank()?);
    let (first, second) = (order(first, rank)?, order(attrs, rank)?);
    let axes: Vec<usize> = second.iter().map(|&at| first.get(at).copied()).collect::<Option<_>>()?;
    if axes.iter().enumerate().all(|(at, &axis)| at == axis) {
        return Some(source.clone());
    }
    let axes: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
    permute_dims::call(&around.cx, source.clone(), Some(&axes)).ok()
}

/// The dimensions of the operand of a `permute_dims`.
fn order(attrs: &Attrs, rank: usize) -> Option<Vec<usize>> {
    let Some(axes) = attrs.get("axes").and_then(Attr::as_ints) else { return Some((0..rank).rev().collect()) };
    let rank = i64::try_from(rank).ok()?;
    axes.iter().map(|&axis| usize::try_from(if axis < 0 { axis.checked_add(rank)? } else { axis }).ok()).collect()
}
