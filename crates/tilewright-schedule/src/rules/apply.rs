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

/// Schedules every PrimFunc that has no schedule by the rules of its target: the one that it declares, else that of the
/// pass, else that of the context.
#[derive(Clone, Debug, Default)]
pub struct ApplyDefaultSchedule {
    target: Option<Target>,
}

impl ApplyDefaultSchedule {
    /// The pass's name.
    pub const NAME: &str = NAME;

    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Schedules every PrimFunc that has no schedule by the rules for a target.",
        params: &[ParamDef {
            name: "target",
            kind: ParamKind::OptionalStr,
            default: AttrDefault::None,
            doc: "The target whose rules are taken and whose limits they read; by default that of the context.",
        }],
        make: |args| {
            let target = args.text("target").map(Target::parse).transpose().map_err(|error| error.to_string())?;
            Ok(Arc::new(Self { target }))
        },
    };

    /// By the rules of a target.
    pub fn new(target: Target) -> Self {
        Self { target: Some(target) }
    }
}

impl Pass for ApplyDefaultSchedule {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let target = self.target.clone().unwrap_or_else(|| cx.target());
        let functions = prims(&module);
        // No function's schedule depends on another one.
        let scheduled = parallel_map(&functions, |(_, function)| {
            let own = function.declared_target(&target)?;
            Ok(schedule(function, own.as_ref().unwrap_or(&target)))
        });
        for ((name, _), scheduled) in functions.into_iter().zip(scheduled) {
            let scheduled = scheduled.map_err(|problem| PassError::new(NAME, problem))?;
            if scheduled.rule.is_some() {
                module.insert(name, scheduled.function);
            }
        }
        Ok(module)
    }
}
