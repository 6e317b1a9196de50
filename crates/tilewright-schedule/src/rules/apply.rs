//! `ApplyDefaultSchedule`: every PrimFunc gets the schedule that the rules of a target have for it.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tilewright_ir::IRModule;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::Form;
use tilewright_target::Target;

use super::{Scheduled, prims, schedule};

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
        for (at, scheduled) in schedule_all(&functions, &self.target) {
            if let Some((name, _)) = functions.get(at)
                && scheduled.rule.is_some()
            {
                module.insert(name.clone(), scheduled.function);
            }
        }
        Ok(module)
    }
}

/// What becomes of each function, with its place, in their order: no function's schedule depends on another one, so that
/// all processors work on them.
fn schedule_all(functions: &[(Arc<str>, Arc<PrimFunc>)], target: &Target) -> Vec<(usize, Scheduled)> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let serve = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, function)) = functions.get(at) else { break };
            let scheduled = schedule(function, target);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, scheduled));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(functions.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without a further thread, this one does all the work.
            let _ = thread::Builder::new().spawn_scoped(scope, serve);
        }
        serve();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done
}
