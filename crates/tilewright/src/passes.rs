//! Passes by the names that users write on the command line.

use std::sync::Arc;

use tilewright_ir::pass::{Pass, PassDef};
use tilewright_support::nearest;
use tilewright_target::Target;

/// The passes of graphs.
pub const DEFS: &[PassDef] = tilewright_relax_passes::PASSES;

/// Every pass that is made by name, with the arguments that it takes: those of graphs, then those of loops.
pub fn defs() -> impl Iterator<Item = &'static PassDef> {
    DEFS.iter().chain(tilewright_schedule::PASSES)
}

/// The names of all passes and pipelines, in the order of their lists.
pub fn names() -> Vec<&'static str> {
    defs().map(|def| def.name).chain(crate::pipelines::ALL.iter().map(|(name, _)| *name)).collect()
}

/// The declaration of a pass; an error for an unknown name suggests a similar one.
pub fn def(name: &str) -> Result<&'static PassDef, String> {
    defs().find(|def| def.name == name).ok_or_else(|| match nearest(name, names()) {
        Some(near) => format!("unknown pass `{name}`: did you mean `{near}`?"),
        None => format!("unknown pass `{name}`: expected one of {}", names().join(", ")),
    })
}

/// A pass or pipeline by name; a pipeline is for the target. The arguments of a pass follow a colon:
/// `ConvertToDataflow:min_size=3`.
pub fn by_name(name: &str, target: &Target) -> Result<Arc<dyn Pass>, String> {
    if let Some(pipeline) = crate::pipelines::by_name(name, target) {
        return Ok(Arc::new(pipeline));
    }
    let (name, args) = name.split_once(':').unwrap_or((name, ""));
    def(name)?.of_text(args)
}
