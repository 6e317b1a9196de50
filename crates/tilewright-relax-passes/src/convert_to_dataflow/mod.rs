//! `ConvertToDataflow`: bindings without side effects become dataflow blocks.
//!
//! ```text
//! a = abs(x)                        with dataflow():
//! b = negative(a)              ⇒        a = abs(x)
//! call_packed("log", b)                 b = negative(a)
//!                                       output(b)
//!                                   call_packed("log", b)
//! ```
//!
//! From any form to any form. Consecutive bindings without side effects become one block, if they are at least
//! `min_size`; adjacent dataflow blocks are merged into it. Conditionals and calls with effects stay outside. A
//! variable that nothing outside its block uses becomes a dataflow variable.

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::op::{AttrDefault, Legalize};
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, ExprKind, Function, SeqExpr};
use tilewright_ir::verify::Form;

use crate::hiding::hidden;
use crate::normalize::normalized;
use crate::sequence::{map_functions, map_inside, push_block};

/// Makes dataflow blocks of consecutive pure bindings.
#[derive(Clone, Copy, Debug)]
pub struct ConvertToDataflow {
    pub min_size: usize,
}

const NAME: &str = "ConvertToDataflow";
/// The default minimum number of bindings of a new block.
const DEFAULT_MIN_SIZE: usize = 2;

impl Default for ConvertToDataflow {
    fn default() -> Self {
        Self { min_size: DEFAULT_MIN_SIZE }
    }
}

impl ConvertToDataflow {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Bindings without side effects become dataflow blocks.",
        params: &[ParamDef {
            name: "min_size",
            kind: ParamKind::Int,
            default: AttrDefault::Int(DEFAULT_MIN_SIZE as i64),
            doc: "The least number of bindings of which a new block is made.",
        }],
        make: |args| match usize::try_from(args.int("min_size")) {
            Ok(min_size) => Ok(Arc::new(Self { min_size })),
            Err(_) => {
                Err(format!("argument `min_size` of `{NAME}` cannot be negative, found {}", args.int("min_size")))
            }
        },
    };
}

impl Pass for ConvertToDataflow {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, _| {
            let function = normalized(function);
            let body = self.seq(&function.body);
            hidden(&Function { body, ..function }, &|_| true)
        })
    }
}

impl ConvertToDataflow {
    fn seq(&self, seq: &SeqExpr) -> SeqExpr {
        let mut blocks = Vec::new();
        let mut run = Run::default();
        for block in &seq.blocks {
            if block.dataflow {
                run.bindings.extend(block.bindings.iter().cloned());
                run.holds_block = true;
                continue;
            }
            for binding in &block.bindings {
                if may_flow(binding) {
                    run.bindings.push(binding.clone());
                    continue;
                }
                self.end(&mut run, &mut blocks);
                let mut binding = binding.clone();
                if let BindingValue::Expr(value) = &mut binding.value
                    && let Some(changed) = map_inside(value, &mut |seq| self.seq(seq))
                {
                    *value = changed;
                }
                push_block(&mut blocks, BindingBlock { dataflow: false, bindings: vec![binding] });
            }
        }
        self.end(&mut run, &mut blocks);
        SeqExpr { blocks, result: seq.result.clone() }
    }

    fn end(&self, run: &mut Run, blocks: &mut Vec<BindingBlock>) {
        let Run { bindings, holds_block } = std::mem::take(run);
        let dataflow = holds_block || bindings.len() >= self.min_size;
        push_block(blocks, BindingBlock { dataflow, bindings });
    }
}

/// Consecutive bindings that may be in a dataflow block.
#[derive(Default)]
struct Run {
    bindings: Vec<Binding>,
    /// Whether some of them are in one already.
    holds_block: bool,
}

fn may_flow(binding: &Binding) -> bool {
    let (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }) = &binding.value;
    match &value.kind {
        ExprKind::If { .. } | ExprKind::Function(_) => false,
        // Allocations and frees keep their order.
        ExprKind::Call { callee: Callee::Op(op), .. } if matches!(op.legalize, Legalize::Machine(op) if op.is_of_memory()) => {
            false
        }
        _ => value.is_pure(),
    }
}
