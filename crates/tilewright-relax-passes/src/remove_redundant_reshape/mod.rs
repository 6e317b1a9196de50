//! `RemoveRedundantReshape`: a shape is changed once, and only where it changes.
//!
//! ```text
//! y = reshape(x, (6,))
//! z = reshape(y, (3, 2))         ⇒     z = reshape(x, (3, 2))
//! w = reshape(x, shape of x)           w = x
//! ```
//!
//! From any form to any form. The pass changes operators that keep the elements in row-major order: `reshape`,
//! `flatten`, `expand_dims` and `squeeze`. One whose result has the type of its operand is an alias of it
//! (`CanonicalizeBindings` removes it); one of another's result becomes a `reshape` of the first operand, if its
//! dimensions are known; so must be those of a type that shows that nothing changes. Unused bindings are removed.

use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, OpDef, OpRef};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{BindingBlock, BindingValue, Callee, Expr, ExprKind, Function};
use tilewright_ir::verify::Form;
use tilewright_ops::manipulate::{expand_dims, flatten, reshape, squeeze};
use tilewright_support::Map;

use crate::dead_code_elimination::without_dead;
use crate::normalize::normalized;
use crate::sequence::{bound_value, map_blocks, map_functions};

/// Removes changes of shape that another one makes up for.
#[derive(Clone, Copy, Debug)]
pub struct RemoveRedundantReshape;

const NAME: &str = "RemoveRedundantReshape";

/// The operators that give the same elements in the same order.
const REGROUPING: [&OpDef; 4] = [&reshape::OP, &flatten::OP, &expand_dims::OP, &squeeze::OP];

impl Pass for RemoveRedundantReshape {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            let function = normalized(function);
            let body = map_blocks(&function.body, &mut |block| vec![reshaped_once(block)]);
            Function { body: without_dead(&body), ..function }
        })
    }
}

/// The tensor whose shape the value changes.
fn regrouped(value: &Expr) -> Option<&Expr> {
    let ExprKind::Call { callee: Callee::Op(op), args, .. } = &value.kind else { return None };
    args.first().filter(|_| REGROUPING.iter().any(|known| OpRef(known) == *op))
}

fn reshaped_once(mut block: BindingBlock) -> BindingBlock {
    let cx = InferCx::default();
    // For reshaped variables of this block, the source.
    let mut sources: Map<VarId, Expr> = Map::default();
    for binding in &mut block.bindings {
        let Some(operand) = bound_value(binding).and_then(regrouped) else { continue };
        let source = operand.as_var().and_then(|var| sources.get(&var.id())).unwrap_or(operand).clone();
        sources.insert(binding.var.id(), source.clone());
        let info = &binding.var.struct_info;
        // Two shapes of which little is known may differ.
        let value = match info.dims() {
            Some(_) if info.equal(&source.struct_info) => Some(source),
            Some(_) if info.equal(&operand.struct_info) => Some(operand.clone()),
            Some(dims) if operand.as_var() != source.as_var() => reshape::call(&cx, source, Expr::shape(dims.to_vec()))
                .ok()
                .filter(|value| value.struct_info.equal(info)),
            _ => None,
        };
        if let Some(value) = value {
            binding.value = BindingValue::Expr(value);
        }
    }
    block
}
