//! `AnnotateTIROpPattern`: every PrimFunc gets its op pattern, by which fusion decides.
//!
//! The attribute `op_pattern` is the number of an [`OpPattern`]: 0 elementwise, 1 broadcast, 2 injective, 3 commutative
//! reduction, 4 out-elementwise-fusable, 8 opaque. It follows from loops and indices by the rules of
//! [`tilewright_ir::analysis::tir::op_pattern`](mod@tilewright_ir::analysis::tir::op_pattern), not from names. A
//! function that has the attribute keeps it.

use tilewright_ir::analysis::tir::{OpPattern, op_pattern};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};

/// Annotates PrimFuncs with their op patterns.
#[derive(Clone, Copy, Debug)]
pub struct AnnotateTIROpPattern;

/// The attribute.
pub(crate) const OP_PATTERN: &str = "op_pattern";

impl Pass for AnnotateTIROpPattern {
    fn info(&self) -> PassInfo {
        PassInfo { name: "AnnotateTIROpPattern", opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut annotated = module.clone();
        for (name, function) in module.iter() {
            if let GlobalFunc::Prim(function) = function
                && !function.attrs.contains_key(OP_PATTERN)
            {
                let mut function = PrimFunc::clone(function);
                let number = op_pattern(&function).number();
                function.attrs.insert(OP_PATTERN.into(), Attr::Int(number));
                annotated.insert(name.clone(), function);
            }
        }
        Ok(annotated)
    }
}

/// The annotated op pattern; opaque without an annotation.
pub(crate) fn annotated(function: &PrimFunc) -> OpPattern {
    let number = function.attrs.get(OP_PATTERN).and_then(Attr::as_int);
    number.and_then(OpPattern::of_number).unwrap_or(OpPattern::Opaque)
}
