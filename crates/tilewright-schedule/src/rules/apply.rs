//! `ApplyDefaultSchedule`: every PrimFunc gets the schedule that the rules of a target have for it.

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::verify::Form;
use tilewright_support::parallel_map;
use tilewright_target::Target;

use super::{prims, schedule};

const NAME: &str = "ApplyDefaultSchedule";

/// Schedules every PrimFunc that has no schedule by the target's rules.
#[derive(Clone, Debug)]
pub struct ApplyDefaultSchedule {
    target: Target,
}

impl ApplyDefaultSchedule {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Schedules every PrimFunc that has no schedule by the rules for a target.",
        params: &[ParamDef {
            name: "target",
            kind: ParamKind::Str,
            default: AttrDefault::Str("llvm"),
            doc: "The target whose rules are taken and whose limits they read.",
        }],
        make: |args| {
            let target = Target::parse(args.text("target").unwrap_or_default()).map_err(|error| error.to_string())?;
            Ok(Arc::new(Self::new(target)))
        },
    };

    /// By the rules of a target.
    pub fn new(target: Target) -> Self {
        Self { target }
    }
}

impl Pass for ApplyDefaultSchedule {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let functions = prims(&module);
        // No function's schedule depends on another one.
        let scheduled = parallel_map(&functions, |(_, function)| schedule(function, &self.target));
        for ((name, _), scheduled) in functions.into_iter().zip(scheduled) {
            if scheduled.rule.is_some() {
                module.insert(name, scheduled.function);
            }
        }
        Ok(module)
    }
}
