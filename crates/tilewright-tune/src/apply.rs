//! `MetaScheduleApplyDatabase`: PrimFuncs that a database has a faster schedule for get it.

use std::sync::Arc;

use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_schedule::IS_SCHEDULED;
use tilewright_schedule::primitive::Intrinsics;
use tilewright_target::Target;

use crate::database::Database;
use crate::record::Record;
use crate::task::{MAIN, machine_name, workload};

const NAME: &str = "MetaScheduleApplyDatabase";

/// Replaces each PrimFunc without a schedule by what the best record of a database makes of it, if the record was
/// measured on this machine and is measurably faster than the kernel without tuning. Records whose makers did not
/// measure that kernel are taken as they are.
#[derive(Clone, Debug)]
pub struct ApplyDatabase {
    database: Arc<Database>,
    target: Option<Target>,
    intrinsics: Intrinsics,
}

impl ApplyDatabase {
    /// The pass's name.
    pub const NAME: &str = NAME;

    /// For a target; without one, for that of the context.
    pub fn new(database: Arc<Database>, target: Option<Target>) -> Self {
        Self { database, target, intrinsics: Intrinsics::new() }
    }

    /// The same, with computations that traces name.
    #[must_use]
    pub fn with_intrinsics(mut self, intrinsics: Intrinsics) -> Self {
        self.intrinsics = intrinsics;
        self
    }

    fn tuned(&self, function: &PrimFunc, target: &Target) -> Option<PrimFunc> {
        let scheduled = function.attrs.get(IS_SCHEDULED).is_some_and(Attr::is_true);
        if scheduled || function.root_block().is_none() {
            return None;
        }
        let own = function.declared_target(target).ok().flatten();
        let machine = machine_name(own.as_ref().unwrap_or(target));
        let may_be_taken = |record: &Record| record.ratio().is_none() || record.is_faster();
        let found = self.database.best_where(function, Some(&machine), &self.intrinsics, may_be_taken)?;
        let mut tuned = PrimFunc::clone(found.schedule.module().prim(MAIN)?);
        let kept = workload(function).attrs;
        let own = function.attrs.iter().filter(|(name, _)| !kept.contains_key(*name));
        tuned.attrs.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        tuned.attrs.insert(IS_SCHEDULED.into(), Attr::Bool(true));
        tuned.origins = function.origins.clone();
        Some(tuned)
    }
}

impl Pass for ApplyDatabase {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let target = self.target.clone().unwrap_or_else(|| cx.target());
        let prims: Vec<_> =
            module.iter().filter_map(|(name, _)| Some((name.clone(), module.prim(name)?.clone()))).collect();
        for (name, function) in prims {
            if let Some(tuned) = self.tuned(&function, &target) {
                module.insert(name, GlobalFunc::from(tuned));
            }
        }
        Ok(module)
    }
}
