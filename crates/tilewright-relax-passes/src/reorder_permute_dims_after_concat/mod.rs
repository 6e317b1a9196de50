//! `ReorderPermuteDimsAfterConcat`: permutes a concatenation once instead of each of its parts.
//!
//! ```text
//! a1 = permute_dims(a); b1 = permute_dims(b)        c = concat((a, b), axis=0)
//! y = concat((a1, b1), axis=1)                 ⇒    y = permute_dims(c)
//! ```
//!
//! From any form to any form, in blocks without side effects. All tensors that are joined are permuted alike, and
//! nothing else uses the permuted ones. `CombineParallelMatmul` concatenates the weights of linear layers in this way;
//! a product of permuted weights then remains a single product. `DeadCodeElimination` removes unused bindings.

use tilewright_expr::node::EqCx;
use tilewright_ir::Attr;
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_ir::verify::Form;
use tilewright_ops::manipulate::{concat, permute_dims};

use crate::calls_in_dataflow::{Around, called, with_rule};

/// Permutes concatenations instead of their parts.
#[derive(Clone, Copy, Debug)]
pub struct ReorderPermuteDimsAfterConcat;

const NAME: &str = "ReorderPermuteDimsAfterConcat";

impl Pass for ReorderPermuteDimsAfterConcat {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        with_rule(NAME, &module, permuted_once)
    }
}

fn permuted_once(around: &Around, value: &Expr) -> Option<Expr> {
    let (args, attrs) = called(value, &concat::OP)?;
    let [joined] = args else { return None };
    let ExprKind::Tuple(fields) = &joined.kind else { return None };
    let parts: Option<Vec<_>> = fields.iter().map(|field| around.called_once(field, &permute_dims::OP)).collect();
    let parts = parts?;
    let (_, first) = parts.first().filter(|_| parts.len() > 1)?;
    if !parts.iter().all(|(_, attrs)| EqCx::compare(*attrs, *first).is_ok()) {
        return None;
    }
    let rank = i64::try_from(value.struct_info.rank()?).ok()?;
    let wrapped = |axis: i64| if axis < 0 { axis + rank } else { axis };
    let axes = match first.get("axes") {
        Some(Attr::None) => (0..rank).rev().collect(),
        axes => axes?.as_ints()?,
    };
    let axis = wrapped(attrs.get("axis")?.as_int()?);
    let source = wrapped(*axes.get(usize::try_from(axis).ok()?)?);
    let sources = parts.iter().map(|(args, _)| args.first().cloned()).collect::<Option<_>>()?;
    let joined = concat::call(&around.cx, Expr::tuple(sources), Some(source)).ok()?;
    let given = first.get("axes").and_then(Attr::as_ints);
    permute_dims::call(&around.cx, joined, given.as_deref()).ok()
}
