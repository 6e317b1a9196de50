//! The pipelines: lists of passes that can be read aloud.

use std::sync::Arc;

use tilewright_ir::pass::{Pass, Sequential};
use tilewright_relax_passes as relax;

/// `relax.pipeline.get_pipeline("zero")`: graph operators become PrimFuncs, those of constants are computed, and those that
/// may be computed together become one.
pub fn zero() -> Sequential {
    let passes: Vec<Arc<dyn Pass>> = vec![
        Arc::new(relax::LegalizeOps),
        Arc::new(relax::AnnotateTIROpPattern),
        Arc::new(relax::FoldConstant),
        Arc::new(relax::FuseOps::default()),
        Arc::new(relax::FuseTIR),
    ];
    Sequential { name: "zero", passes }
}

/// From any module to [`tilewright_ir::verify::Form::MachineReady`]: what [`crate::compile`] runs.
pub fn default_build() -> Sequential {
    let passes: Vec<Arc<dyn Pass>> = vec![
        Arc::new(relax::LegalizeOps),
        Arc::new(relax::FoldConstant),
        Arc::new(relax::RewriteDataflowReshape),
        Arc::new(relax::DataflowUseInplaceCalls),
        Arc::new(relax::DeadCodeElimination),
        Arc::new(relax::ToNonDataflow),
        Arc::new(relax::CallTIRRewrite),
        Arc::new(relax::StaticPlanBlockMemory),
        Arc::new(relax::KillAfterLastUse),
    ];
    Sequential { name: "default_build", passes }
}

/// A pipeline's name and what makes it.
pub type Named = (&'static str, fn() -> Sequential);

/// The pipelines by the names that users write.
pub const ALL: &[Named] = &[("zero", zero), ("default_build", default_build)];

/// A pipeline by name.
pub fn by_name(name: &str) -> Option<Sequential> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
