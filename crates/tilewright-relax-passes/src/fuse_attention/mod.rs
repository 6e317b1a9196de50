//! `FuseAttention`: the operators of an attention become one function.
//!
//! ```text
//! s = matmul(q, k)                          @R.function(private=True)     # Primitive
//! t = …elementwise work on s…               def fused_attention(q, k, v, …):
//! w = nn.softmax(t, axis=-1)       ⇒            …the same bindings…
//! o = matmul(w, v)
//!                                           o = fused_attention(q, k, v, …)
//! ```
//!
//! From any form to any form; dataflow blocks change. Between the first product and the softmax there may be any
//! operators and PrimFuncs that work elementwise on the product, with other operands broadcast along its dimensions:
//! scales, masks, biases, choices; the softmax may be decomposed. The target must have a kernel for the types and sizes
//! of the attention, which the pass asks the rules for ([`tilewright_schedule::rules::can`]); without one the operators
//! stay as they are. Data movement of queries, keys or values before (transpositions, heads repeated for groups) and of
//! the result after becomes part of the function, too, so that nothing is copied; so does an operator that splits one
//! tensor into the three. Generated masks and biases are recomputed in the function (`generated`). Reshapes at the ends
//! stay outside, where they cost nothing. `nn.attention` and its relatives absorb the data movement around them in the
//! same way. The pass itself changes no arithmetic: how the function is computed is up to its schedule.
//!
//! `LegalizeOps` and `FuseTIR` make one PrimFunc of the function; equal functions are one.

mod chain;
mod generated;
mod spelled;

use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, Expr};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_support::Origins;
use tilewright_target::Target;

use crate::needs::{Grouped, Growing, with_groups};
use crate::normalize::normalized;
use crate::outline::{CODEGEN, COMPOSITE, Constants, Made, Outlined, PRIMITIVE, outlined};
use crate::sequence::{defect, map_dataflow};
use chain::{Block, Found};

/// Makes one function of the operators of each attention.
#[derive(Clone, Copy, Debug)]
pub struct FuseAttention;

const NAME: &str = "FuseAttention";
/// The names of the functions.
const FUNCTION: &str = "fused_attention";

impl Pass for FuseAttention {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let (mut fused, mut made) = (module.clone(), Made::default());
        let target = cx.target();
        let cx = InferCx::default();
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            if [COMPOSITE, CODEGEN, PRIMITIVE].iter().any(|attr| function.attrs.contains_key(*attr)) {
                continue;
            }
            let mut function = normalized(function);
            let mut failed = None;
            function.body = map_dataflow(&function.body, &mut |bindings| {
                let groups = groups(&module, &bindings, &target);
                let written = groups.into_iter().map(|group| {
                    let call = called(&cx, &mut fused, &mut made, &bindings, &group)?;
                    Ok((group.members, vec![call]))
                });
                match written.collect::<Result<Vec<_>, InferError>>() {
                    Ok(groups) => with_groups(bindings, groups),
                    Err(error) => {
                        failed = Some(error);
                        bindings
                    }
                }
            });
            if let Some(error) = failed {
                return Err(PassError::new(NAME, defect(&error)));
            }
            fused.insert(name.clone(), function);
        }
        Ok(fused)
    }
}

/// The bindings of each attention in a block; the last member has the result.
fn groups(module: &IRModule, bindings: &[Binding], target: &Target) -> Vec<Found> {
    let block = Block::of(module, bindings, target);
    let mut grouped = Grouped::of(bindings);
    let mut found = Vec::new();
    for end in 0..bindings.len() {
        let Some(mut attention) = block.attention(end) else { continue };
        if Growing::default().take(&grouped, &attention.members) {
            grouped.add(&attention.members);
            // The result of another group is an operand.
            attention.copied.retain(|&copy| !grouped.is_in_group(copy));
            found.push(attention);
        }
    }
    found
}

/// The binding of the group's result to a call of a function with its members.
fn called(
    cx: &InferCx,
    module: &mut IRModule,
    made: &mut Made,
    bindings: &[Binding],
    group: &Found,
) -> Result<Binding, InferError> {
    let mut numbers = [group.members.as_slice(), &group.copied].concat();
    numbers.sort_unstable();
    let members: Vec<Binding> = numbers.iter().map(|&member| bindings[member].clone()).collect();
    let Some(last) = members.last() else { return Err(InferError::new("a group without members")) };
    let attrs = Attrs::from([(PRIMITIVE.into(), Attr::Int(1))]);
    let outputs = std::slice::from_ref(&last.var);
    let Outlined { function, args } = outlined(&members, outputs, attrs, Constants::BecomeParametersButNumbers);
    let origins = members.iter().fold(Origins::default(), |all, member| all.merge(&member.origins));
    let global = made.share(module, FUNCTION, function);
    let call = Expr::call_value(cx, Expr::global(&global), args)?;
    Ok(Binding::new(last.var.clone(), call, origins))
}
