//! `RemovePurityChecking`: functions lose the claim that they have no side effects.
//!
//! Later passes may bind calls for their effects, which the verifier refuses in a function that claims purity. A
//! dataflow block holds no call of a function that may have effects: where one does now, the blocks of the function
//! become plain, as [`crate::ToNonDataflow`] leaves them.

use tilewright_expr::node::walk_some;
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{BindingBlock, Expr, ExprKind, SeqExpr};
use tilewright_ir::verify::Form;
use tilewright_support::with_stack;

use crate::purity::without_purity;
use crate::sequence::map_functions;
use crate::to_non_dataflow::plain;

/// Makes every function one that may have side effects.
#[derive(Clone, Copy, Debug)]
pub struct RemovePurityChecking;

const NAME: &str = "RemovePurityChecking";

impl Pass for RemovePurityChecking {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let module = without_purity(NAME, &module)?;
        map_functions(NAME, &module, |function, diagnostics| match has_effects_in_dataflow(&function.body) {
            true => plain(function, diagnostics),
            false => function.clone(),
        })
    }
}

/// Whether a dataflow block holds a call that may have effects.
fn has_effects_in_dataflow(seq: &SeqExpr) -> bool {
    let holds = |block: &BindingBlock| {
        let mut found = false;
        walk_some(&block.bindings, |node| {
            let Some(value) = node.downcast::<Expr>() else { return true };
            // Sequences inside are blocks of their own.
            let inside: &[&SeqExpr] = match &value.kind {
                ExprKind::Function(function) => &[&function.body],
                ExprKind::If { then, otherwise, .. } => &[then, otherwise],
                _ => &[],
            };
            found |= block.dataflow && !value.is_pure();
            found |= with_stack(|| inside.iter().any(|seq| has_effects_in_dataflow(seq)));
            inside.is_empty()
        });
        found
    };
    seq.blocks.iter().any(holds)
}
