//! The pipelines: lists of passes that can be read aloud.

use std::sync::Arc;

use tilewright_ir::pass::{Pass, Sequential};
use tilewright_relax_passes as relax;
use tilewright_schedule::rules::ApplyDefaultSchedule;
use tilewright_target::Target;
use tilewright_tune::{ApplyDatabase, Database};

/// `relax.pipeline.get_pipeline("zero")`: graph operators become PrimFuncs, those of constants are computed, and those
/// that may be computed together become one.
pub fn zero() -> Sequential {
    let passes: Vec<Arc<dyn Pass>> = vec![
        Arc::new(relax::LegalizeOps::default()),
        Arc::new(relax::AnnotateTIROpPattern),
        Arc::new(relax::FoldConstant),
        Arc::new(relax::FuseOps::default()),
        Arc::new(relax::FuseTIR),
    ];
    Sequential { name: "zero", passes }
}

/// From any module to [`tilewright_ir::verify::Form::MachineReady`]: what [`crate::compile`] runs. Operators that may
/// be computed together become one PrimFunc, and every unscheduled PrimFunc is scheduled for the target.
pub fn default_build(target: &Target) -> Sequential {
    let passes: Vec<Arc<dyn Pass>> = vec![
        Arc::new(relax::ConvertToDataflow::default()),
        Arc::new(relax::DecomposeOps),
        Arc::new(relax::DeadCodeElimination::default()),
        Arc::new(relax::FakeQuantizationToInteger::default()),
        Arc::new(relax::FuseAttention),
        // Before constants are folded: a transposed weight would be written twice.
        Arc::new(relax::FuseTransposeMatmul),
        Arc::new(relax::FoldConstant),
        Arc::new(relax::FoldScaleAxis),
        Arc::new(relax::DeadCodeElimination::default()),
        Arc::new(relax::LegalizeOps::default()),
        Arc::new(relax::InlineScalarConstants),
        Arc::new(relax::AnnotateTIROpPattern),
        Arc::new(relax::FoldConstant),
        Arc::new(relax::FuseOps { fuse_dequantize: true, ..relax::FuseOps::default() }),
        Arc::new(relax::FuseTIR),
        Arc::new(relax::DeadCodeElimination::default()),
        // Folds operators whose result was too large to be a constant: before calls are made to write in place.
        Arc::new(relax::FoldConstant),
        // Overwriting is proved on loops before they are scheduled.
        Arc::new(relax::RewriteDataflowReshape),
        Arc::new(relax::DataflowUseInplaceCalls),
        Arc::new(relax::AttachAttrLayoutFreeBuffers),
        Arc::new(ApplyDefaultSchedule::new(target.clone())),
        // Packing of weights by schedules is evaluated.
        Arc::new(relax::SplitLayoutRewritePreproc),
        Arc::new(relax::FoldConstant),
        Arc::new(relax::DeadCodeElimination::default()),
        Arc::new(relax::ToNonDataflow),
        Arc::new(relax::CallTIRRewrite),
        Arc::new(relax::StaticPlanBlockMemory),
        Arc::new(relax::KillAfterLastUse),
    ];
    Sequential { name: "default_build", passes }
}

/// [`default_build`], with the schedules of a database for kernels that are faster with them.
pub fn with_database(target: &Target, database: Arc<Database>) -> Sequential {
    let mut pipeline = default_build(target);
    let before = pipeline.passes.iter().position(|pass| pass.info().name == ApplyDefaultSchedule::NAME);
    let apply = ApplyDatabase::new(database, Some(target.clone()));
    pipeline.passes.insert(before.unwrap_or(0), Arc::new(apply));
    pipeline
}

/// A pipeline's name and what makes it for a target.
pub type Named = (&'static str, fn(&Target) -> Sequential);

/// The pipelines by the names that users write.
pub const ALL: &[Named] = &[("zero", |_| zero()), ("default_build", default_build)];

/// A pipeline by name, for a target.
pub fn by_name(name: &str, target: &Target) -> Option<Sequential> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, make)| make(target))
}
